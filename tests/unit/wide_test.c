/*
 * wide_test.c - blocks of more lines than a piece has (piece.h), against the simple reader
 * (tests/support/naive.h), and added to an index that has such a block.
 */
#include <stdlib.h>
#include <unistd.h>

#include "engine/query.h"
#include "index/base/err_struct.h"
#include "index/base/out.h"
#include "index/build.h"
#include "index/tally/tally.h"
#include "tests/support/fuzzing.h"
#include "tests/support/naive.h"
#include "tests/support/tap.h"

struct wide {
	const char *name;
	unsigned lines;	  /* different ones; they come again until a piece is full */
	bool calls;	  /* some are calls and jumps */
	bool other_order; /* columns are not the events in their order */
	struct naive_way way;
};

static void write_wide(struct out *o, const struct wide *s)
{
	out_printf(o, "events: Ir Dr\nfl=a.c\nfn=g\n3 4 5\n%s\nfn=f\n",
		   s->other_order ? "events: Dr Ir" : "");
	for (unsigned i = 0; i < PIECE_ROWS + PIECE_ROWS / 100; i++) {
		unsigned line = 1 + i % s->lines;

		if (s->calls && i % 37 == 5)
			out_printf(o, "cfn=%s\ncalls=%u 3\n", i % 2 ? "g" : "h", i % 3);
		else if (s->calls && i % 37 == 20)
			out_printf(o, i % 2 ? "jump=%u %u\n%u\n" : "jcnd=1/%u %u\n%u\n",
				   i % 9 + 1, line / 2, line);
		out_printf(o, "%u %u %u\n", line, i % 1013, i % 3);
	}
	out_c(o, "fn=g\n9 1\nfn=f\n7 1 2\n8 1\n");
}

static void run_wide(void)
{
	static const struct wide shapes[] = {
		{"ascend", PIECE_ROWS / 10, .way = {.jobs = 1}},
		{"come again", 1000, .calls = true, .way = {.jobs = 1, .mem = 1 << 30}},
		{"come again, packed, in another order and little memory", 3000,
		 .calls = true, .other_order = true,
		 .way = {.jobs = 1, .mem = 64 << 10, .members = 2, .pack = PACK_ZSTD}},
	};

	for (size_t i = 0; i < COUNT(shapes); i++) {
		char why[1400] = "";
		struct out o;

		out_mem(&o);
		write_wide(&o, &shapes[i]);
		ok(naive_agree_by(o.buf, o.n, &shapes[i].way, why, sizeof(why)),
		   "more lines than a piece has, which %s: %s", shapes[i].name, why);
		out_close(&o);
	}
}

static void write_file(const char *path, const struct out *o)
{
	FILE *f = fopen(path, "w");

	if (!f || fwrite(o->buf, 1, o->n, f) != o->n || fclose(f))
		fuzz_fail("cannot write %s", path);
}

/* Lines 1, 2, 3 ... of one function, each of the cost of its number, and line 5 once more. */
static bool as_numbered(struct store *st, size_t lines)
{
	struct store_line *line;
	struct err err = {0};
	int64_t *cost;
	struct arena a;
	size_t n, i = 0;

	arena_init(&a, 0);
	if (!store_lines(st, 0, &a, &line, &cost, &n, &err) && n == lines)
		while (i < n && line[i].line == i + 1 &&
		       cost[i] == (int64_t)(i + 1) * (i == 4 ? 2 : 1))
			i++;
	arena_free(&a);
	return i == lines;
}

/* A file joins an index of a function of more lines than a piece has (reuse.c). */
static void run_wide_joined(void)
{
	enum { FILES = 3 };
	const unsigned lines = PIECE_ROWS + PIECE_ROWS / 100;
	const char *path[FILES];
	char name[FILES + 2][200];
	struct build_opts opts = {.jobs = 1, .merge = true, .index_path = name[FILES]};
	struct build_report report;
	struct store *st = NULL;
	struct err err = {0};

	for (unsigned i = 0; i < COUNT(name); i++)
		snprintf(name[i], sizeof(name[i]), "%s/p.%u%s", fuzz_directory(),
			 i < FILES ? i + 1 : FILES + 1, i > FILES ? ".lock" : "");
	for (unsigned i = 0; i < FILES; i++) {
		struct out o;

		out_mem(&o);
		out_printf(&o, "part: %u\nevents: Ir\nfl=a.c\nfn=f\n", i + 1);
		for (unsigned k = 1; i == 0 && k <= lines; k++)
			out_printf(&o, "+1 %u\n", k);
		out_c(&o, i == FILES - 1 ? "5 5\n" : "6 0\n");
		write_file(path[i] = name[i], &o);
		out_close(&o);
	}
	if (!build_open_set(path, FILES - 1, &opts, &st, &report, &err)) {
		store_close(st);
		build_open_set(path, FILES, &opts, &st, &report, &err);
	}
	ok(!err.kind && report.read == 1 && as_numbered(st, lines),
	   "a file joins an index of more lines than a piece has: %s",
	   err.kind ? err.text : report.why);
	store_close(err.kind ? NULL : st);
	for (unsigned i = 0; i < COUNT(name); i++)
		unlink(name[i]);
}

int main(void)
{
	run_wide();
	run_wide_joined();
	return done_testing();
}
