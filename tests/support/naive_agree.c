/* naive_agree.c - build an index of a text and compare it with the simple reader; naive.h. */
#include <stdio.h>
#include <inttypes.h>
#include <stdlib.h>
#include <unistd.h>

#include "engine/query.h"
#include "index/base/err_struct.h"
#include "index/base/err_kind.h"
#include "index/base/out.h"
#include "index/build.h"
#include "index/format/meta_code.h"
#include "index/base/isa.h"
#include "tests/support/fuzzing.h"
#include "tests/support/naive.h"
#include "tests/support/pack.h"

enum { UNPACK_LEAST = 1 << 20 };

static void write_text(const char *path, const char *text, size_t n,
		       const struct naive_way *way, unsigned members)
{
	FILE *f = fopen(path, "w");
	size_t from = 0;

	if (!f || (!members && n && fwrite(text, 1, n, f) != n))
		abort();
	for (unsigned i = 0; i < members; i++) {
		size_t to = i + 1 == members ? n : from + (n - from) / (i + 2), size;
		char *p =
			pack_text(way->pack, (int)(i % 2), text + from, to - from, &size);

		if (fwrite(p, 1, size, f) != size)
			abort();
		free(p);
		from = to;
	}
	if (fclose(f))
		abort();
}

/* Room for some entries, or none; libraries have to unpack in half of it, for a file on each
 * thread. */
static uint64_t memory(const struct naive_way *way)
{
	const uint64_t least = UNPACK_LEAST * (uint64_t)way->jobs;
	uint64_t mem = way->mem ? way->mem : way->stretch & 1 ? way->stretch * 97 : 0;

	return mem && way->members && mem < least ? least : mem;
}

static struct build_opts options(const struct naive_way *way)
{
	return (struct build_opts){
		.no_write = true,
		.jobs = way->jobs,
		.stretch = way->stretch,
		.give = way->give,
		.mem = memory(way),
		/* rows in runs too, of any length */
		.run = way->stretch % 7,
		.at_once = way->stretch % 5 * 701,
	};
}

/* Is what build_open_set() has done to st what r says of it? */
static bool same(const struct naive *r, struct store *st, const struct err *err,
		 const struct naive_way *way, char *why, size_t size)
{
	if (err->kind) {
		snprintf(why, size, "%s: %s; naive: %s",
			 err->kind == ERR_PROFILE ? "refused" : "failed", err->text,
			 r->refused ? r->refused : "fine");
		return err->kind == ERR_PROFILE && r->refused;
	}
	if (r->refused) {
		snprintf(why, size, "naive refuses it: %s", r->refused);
		return false;
	}
	if (!naive_compare(r, st, why, size))
		return false;
	if (way->then)
		way->then(way->arg, st);
	return true;
}

static bool same_lines(const char *text, size_t n, struct store *st, char *why,
		       size_t size)
{
	const uint64_t told = store_info(st)->input_lines;
	uint64_t lines = 0; /* as wc -l counts them */

	for (size_t i = 0; i < n; i++)
		lines += text[i] == '\n';
	if (lines != told)
		snprintf(why, size, "lines of text: naive %" PRIu64 ", store %" PRIu64,
			 lines, told);
	return lines == told;
}

bool naive_agrees(const struct naive *r, const char *text, size_t n,
		  const struct naive_way *way, char *why, size_t size)
{
	struct build_opts opts = options(way);
	struct build_report report;
	struct store *st = NULL;
	struct err err = {0};
	char path[96];
	bool agree;

	snprintf(path, sizeof(path), "%s/profile", fuzz_directory());
	write_text(path, text, n, way, r->refused ? 0 : way->members);
	build_open(path, &opts, &st, &report, &err);
	agree = same(r, st, &err, way, why, size) &&
		(!st || same_lines(text, n, st, why, size));
	store_close(st);
	unlink(path);
	return agree;
}

/* Files are in the order of the processes and dumps they begin with, which may be another than
 * that in which they were read naively. */
static bool in_order(struct store *st)
{
	uint32_t n;
	const struct input_file *file = store_inputs(st, &n);

	for (uint32_t i = 1; i < n; i++)
		if (str_cmp(file[i - 1].id.path, file[i].id.path) > 0)
			return false;
	return true;
}

static bool is_profile(struct str text)
{
	struct naive r;
	bool good;

	naive_read(&r, text.p, text.n);
	good = !r.refused;
	naive_free(&r);
	return good;
}

/* False when there is nothing to compare with. */
static bool read_set(struct naive *r, const struct str *text, size_t n)
{
	struct out o;

	out_mem(&o);
	for (size_t i = 0; i < n; i++) {
		/* Without desc: a section with nothing in it would be none. */
		if (i)
			out_c(&o, "\ndesc: \n==== NEW PROFILING FILE\n");
		out_str(&o, text[i]);
	}
	naive_read(r, o.buf, o.n);
	out_close(&o);
	for (size_t i = 0; i < n; i++)
		if (!is_profile(text[i]))
			return false;
	return !r->refused;
}

static bool set_agrees(const struct naive *r, const char *const *path, size_t n,
		       size_t before, const struct naive_way *way, char *why, size_t size)
{
	struct build_opts opts = options(way);
	char index[96], lock[104];
	struct build_report report;
	struct store *st = NULL;
	struct err err = {0};
	bool agree;

	snprintf(index, sizeof(index), "%s/index", fuzz_directory());
	snprintf(lock, sizeof(lock), "%s.lock", index);
	opts.merge = true;
	opts.no_write = !before;
	opts.index_path = before ? index : NULL;
	if (before && !build_open_set(path, before, &opts, &st, &report, &err))
		store_close(st);
	st = NULL;
	if (!err.kind)
		build_open_set(path, n, &opts, &st, &report, &err);
	agree = (st && !in_order(st)) || same(r, st, &err, way, why, size);
	store_close(st);
	unlink(index);
	unlink(lock);
	return agree;
}

bool naive_set_agrees(const struct str *text, size_t n, size_t before,
		      const struct naive_way *way, char *why, size_t size)
{
	char paths[NAIVE_FILES][96];
	const char *path[NAIVE_FILES];
	struct naive r;
	bool agree = true;

	if (read_set(&r, text, n)) {
		for (size_t i = 0; i < n; i++) {
			snprintf(paths[i], sizeof(paths[i]), "%s/profile.%zu",
				 fuzz_directory(), i + 1);
			path[i] = paths[i];
			write_text(path[i], text[i].p, text[i].n, way, way->members);
		}
		agree = set_agrees(&r, path, n, before, way, why, size);
		for (size_t i = 0; i < n; i++)
			unlink(path[i]);
	}
	naive_free(&r);
	return agree;
}

bool naive_agree_by(const char *text, size_t n, const struct naive_way *way, char *why,
		    size_t size)
{
	struct naive r;
	bool agree;

	naive_read(&r, text, n);
	agree = naive_agrees(&r, text, n, way, why, size);
	naive_free(&r);
	return agree;
}

bool naive_agrees_each(const char *text, size_t n, const struct naive_named_way *ways,
		       size_t nways, const char **how, char *why, size_t size)
{
	const char *const *const paths = isa_names();
	struct naive r;
	bool agree = true;

	naive_read(&r, text, n);
	for (size_t i = 0; paths[i] && agree; i++) {
		isa_force(*how = paths[i]);
		agree = naive_agrees(&r, text, n, &(struct naive_way){.jobs = 1}, why,
				     size);
	}
	isa_force(paths[0]);
	for (size_t i = 0; i < nways && agree; i++) {
		*how = ways[i].name;
		agree = naive_agrees(&r, text, n, &ways[i].way, why, size);
	}
	naive_free(&r);
	return agree;
}

bool naive_agree(const char *text, size_t n, size_t stretch, char *why, size_t size)
{
	const struct naive_way way = {.jobs = stretch ? 2 : 1, .stretch = stretch};

	return naive_agree_by(text, n, &way, why, size);
}
