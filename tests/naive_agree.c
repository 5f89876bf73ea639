/* naive_agree.c - build an index of a text and compare it with the simple reader; naive.h. */
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>
#include <zlib.h>

#include "index/build.h"
#include "tests/fuzzing.h"
#include "tests/naive.h"

enum { GZIP = 16, WINDOW_LEAST = 9 };

/* A member of a gzip file, stored or hardly packed: what zlib gets out is the same. */
static void write_member(FILE *f, const char *p, size_t n, int level)
{
	z_stream z = {0};
	size_t room;
	char *out;

	if (deflateInit2(&z, level, Z_DEFLATED, WINDOW_LEAST + GZIP, 1,
			 Z_DEFAULT_STRATEGY) != Z_OK)
		abort();
	room = deflateBound(&z, n);
	z.next_in = (Bytef *)(uintptr_t)p;
	z.avail_in = (uInt)n;
	z.next_out = (Bytef *)(out = facts_sure(malloc(room)));
	z.avail_out = (uInt)room;
	if (deflate(&z, Z_FINISH) != Z_STREAM_END ||
	    fwrite(out, 1, room - z.avail_out, f) != room - z.avail_out)
		abort();
	deflateEnd(&z);
	free(out);
}

static void write_text(const char *path, const char *text, size_t n, unsigned members)
{
	FILE *f = fopen(path, "w");
	size_t from = 0;

	if (!f || (!members && n && fwrite(text, 1, n, f) != n))
		abort();
	for (unsigned i = 0; i < members; i++) {
		size_t to = i + 1 == members ? n : from + (n - from) / (i + 2);

		write_member(f, text + from, to - from, (int)(i % 2));
		from = to;
	}
	if (fclose(f))
		abort();
}

bool naive_agrees(const struct naive *r, const char *text, size_t n,
		  const struct naive_way *way, char *why, size_t size)
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
	char path[96];
	bool same;

	snprintf(path, sizeof(path), "%s/profile", fuzz_directory());
	write_text(path, text, n, way->members);
	if (build_open(path, &opts, &st, &report, &err)) {
		same = err.kind == ERR_PROFILE && r->refused;
		snprintf(why, size, "%s: %s; naive: %s",
			 err.kind == ERR_PROFILE ? "refused" : "failed", err.text,
			 r->refused ? r->refused : "fine");
	} else if (r->refused) {
		same = false;
		snprintf(why, size, "naive refuses it: %s", r->refused);
	} else {
		same = naive_compare(r, st, why, size);
		if (same && way->then)
			way->then(way->arg, st);
	}
	store_close(st);
	unlink(path);
	return same;
}

bool naive_agree_by(const char *text, size_t n, const struct naive_way *way, char *why,
		    size_t size)
{
	struct naive r;
	bool same;

	naive_read(&r, text, n);
	same = naive_agrees(&r, text, n, way, why, size);
	naive_free(&r);
	return same;
}

bool naive_agree(const char *text, size_t n, size_t stretch, char *why, size_t size)
{
	const struct naive_way way = {.jobs = stretch ? 2 : 1, .stretch = stretch};

	return naive_agree_by(text, n, &way, why, size);
}
