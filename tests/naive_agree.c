/* naive_agree.c - build an index of a text and compare it with the simple reader; naive.h. */
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "index/build.h"
#include "tests/fuzzing.h"
#include "tests/naive.h"

bool naive_agree_by(const char *text, size_t n, const struct naive_way *way, char *why,
		    size_t size)
{
	struct build_opts opts = {.no_write = true,
				  .jobs = way->jobs,
				  .stretch = way->stretch,
				  /* and room for some entries, or none */
				  .mem = way->stretch & 1 ? way->stretch * 97 : 0,
				  .run = way->stretch %
					 7}; /* rows in runs too, of any length */
	struct build_report report;
	struct store *st = NULL;
	struct err err = {0};
	struct naive r;
	char path[96];
	bool same;
	FILE *f;

	snprintf(path, sizeof(path), "%s/profile", fuzz_directory());
	f = fopen(path, "w");
	if (!f || (n && fwrite(text, 1, n, f) != n) || fclose(f))
		abort();
	naive_read(&r, text, n);
	if (build_open(path, &opts, &st, &report, &err)) {
		same = err.kind == ERR_PROFILE && r.refused;
		snprintf(why, size, "%s: %s; naive: %s",
			 err.kind == ERR_PROFILE ? "refused" : "failed", err.text,
			 r.refused ? r.refused : "fine");
	} else if (r.refused) {
		same = false;
		snprintf(why, size, "naive refuses it: %s", r.refused);
	} else {
		same = naive_compare(&r, st, why, size);
		if (same && way->then)
			way->then(way->arg, st);
	}
	store_close(st);
	unlink(path);
	naive_free(&r);
	return same;
}

bool naive_agree(const char *text, size_t n, size_t stretch, char *why, size_t size)
{
	const struct naive_way way = {.jobs = stretch ? 2 : 1, .stretch = stretch};

	return naive_agree_by(text, n, &way, why, size);
}
