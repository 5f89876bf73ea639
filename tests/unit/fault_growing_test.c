/*
 * fault_growing_test.c - every allocation of a build refused once, in inputs that grow.
 *
 * Arrays double when they are full, and arenas allocate in chunks.  So most requests for
 * memory find room, and which of them has to allocate depends on those before it.  Here
 * the input grows by a few bytes or by one item at a time, so that for some input each
 * request is the one that allocates.  An allocation fails only if no smaller input had it:
 * its stack is new.
 */
#include <stdlib.h>

#include "engine/query.h"
#include "index/base/err_struct.h"
#include "index/base/out.h"
#include "tests/support/faults.h"
#include "tests/support/tap.h"

static void check(const struct scene *s, const char *fault, const struct out *want)
{
	const char *wrong = faults_check(s, fault, want);

	if (wrong)
		ok(false, "%s", wrong);
}

static struct out grown;

/* arg: how many odd lines, and behind them, in hundreds, what else is odd. */
static void odder(int arg)
{
	static const char *const last[] = {
		"cfn=g\ncalls=1 1\n",	    /* and the file ends */
		"cfn=g\ncalls=1 1\nfn=h\n", /* no cost line follows */
		"events: Ir Ir\n2 1 1\n",
		"totals: x\n",
		"part: x\npid: y\nevents: Ir\n",
	};

	grown.n = 0;
	out_c(&grown, "events: Ir\nfl=a.c\nfn=f\n1 1\n");
	for (int i = 0; i < arg % 100; i++)
		out_printf(&grown,
			   i % 3 == 0	? "what %d\n"
			   : i % 3 == 1 ? "1 x%d\n"
					: "fn=(%d)\n1 1\n",
			   i);
	out_c(&grown, last[arg / 100]);
	faults_empty();
	faults_put("p", grown.buf, grown.n);
}

/* More columns than a line may have, behind odd lines. */
static void many_columns(int arg)
{
	grown.n = 0;
	for (int i = 0; i < arg; i++)
		out_c(&grown, "what\n");
	out_c(&grown, "events:");
	for (int i = 0; i < 4100; i++)
		out_printf(&grown, " e%d", i % 3);
	out_c(&grown, "\nfn=f\n1 1\n");
	faults_empty();
	faults_put("p", grown.buf, grown.n);
}

static void header(int filled, int part)
{
	out_printf(&grown, "pid: 1\npart: %d\ndesc: %0*d\ndesc: Trigger: t\ndesc: more\n",
		   part, filled, 7);
	out_printf(
		&grown,
		"event: Sum = Ir + Dr : both\nevents: Ir Dr Dw\nsummary: 1 2 3\n"
		"fl=a.c\nfn=f\n1 %d\ncfn=g\ncalls=1 1\n2 3\njump=1 2\n3\ntotals: 1 2 3\n",
		part);
}

/* Each chunk ends elsewhere. */
static void filled(int arg)
{
	grown.n = 0;
	header(arg * 40, 1);
	header(5, 2);
	faults_empty();
	faults_put("p", grown.buf, grown.n);
}

/* So many calls, lines and jumps, in three parts. */
static void more_of_all(int arg)
{
	grown.n = 0;
	out_c(&grown, "events: Ir\nfl=a.c\n");
	for (int part = 1; part <= 3; part++) {
		out_printf(&grown, "part: %d\nfn=f\n", part);
		for (int i = 0; i < arg; i++)
			out_printf(&grown,
				   "%d 1\ncfn=g%d\ncalls=1 1\n%d 2\njump=1 %d\n%d\n",
				   i + 1, i, i + 1, i, i + 2);
		out_c(&grown, "fn=g1\n7 7\nfn=f\n1 1\n");
	}
	faults_empty();
	faults_put("p", grown.buf, grown.n);
}

/* An index of two files, and a third. */
static void filled_set(int arg)
{
	static const struct scene two = {"two", NULL, 0, {"q.1", "q.2"}, .index = "i"};

	faults_empty();
	for (int i = 1; i <= 3; i++) {
		grown.n = 0;
		header(i == 2 ? arg * 40 : 3, i);
		for (int k = 0; k < 6 + arg % 8; k++)
			out_printf(&grown, "odd %d\n", k);
		faults_put(i == 1 ? "q.1" : i == 2 ? "q.2" : "q.3", grown.buf, grown.n);
	}
	faults_build(&two, NULL, NULL, &(struct err){0});
}

/* The name of a callee, or its number when it was said before. */
static void callee(int i, bool known)
{
	if (known)
		out_printf(&grown, "cfn=(%d)\n", 100 + i);
	else
		out_printf(&grown, "cfn=(%d) g%d\n", 100 + i, i);
}

/* Of two functions each calls so many, in parts of its own until all is known; then both do, so
 * that a part touches more than any before. */
static void more_calls(int arg)
{
	grown.n = 0;
	out_c(&grown, "events: Ir Dr\nfl=(1) a.c\nfn=(1) f1\n1 1\nfn=(2) f2\n1 1\n");
	for (int part = 1; part <= 7; part++) {
		out_printf(&grown, "\npart: %d\n", part);
		for (int f = 1; f <= 2; f++) {
			if (part < 7 && f != 1 + (part > 3))
				continue;
			out_printf(&grown, "\nfl=(1)\nfn=(%d)\n", f);
			for (int i = 0; i < arg; i++) {
				out_printf(&grown, "%d 1 1\n", i + 2);
				callee(i, part > 1);
				out_printf(&grown, "calls=1 1\n%d 2 2\n", i + 2);
			}
		}
	}
	out_printf(&grown, "#%*s\n", 1200, "room to look ahead");
	faults_empty();
	faults_put("p", grown.buf, grown.n);
}

/* Blocks of so many functions that come again and again; a callee's name is said each time. */
static void more_activations(int arg)
{
	grown.n = 0;
	out_c(&grown, "events: Ir Dr\nfl=(1) a.c\nfn=(1) f1\n1 1 1\n");
	for (int again = 0; again < 5; again++) {
		for (int f = 1; f <= arg; f++)
			out_printf(&grown,
				   "\nfl=(1)\nfn=(%d) f%d\n%d 1 1\ncfn=(100) g\n"
				   "calls=1 1\n%d 2 2\n",
				   f, f, f, f);
		out_c(&grown, "# the past is followed from here on\n");
	}
	out_printf(&grown, "#%*s\n", 1200, "room to look ahead");
	faults_empty();
	faults_put("p", grown.buf, grown.n);
}

/* Known events and others, from which more are derived. */
static void more_events(int arg)
{
	grown.n = 0;
	out_c(&grown, "events: Ir I1mr ILmr Dr D1mr DLmr Dw D1mw DLmw Bc Bcm Bi Bim");
	for (int i = 0; i < arg; i++)
		out_printf(&grown, " e%d", i);
	out_c(&grown, "\nfl=a.c\nfn=f\n1 1 2 3 4 5 6 7 8 9\ncfn=g\ncalls=1 1\n1 1 1 1\n"
		      "fn=g\n1 1 1 1 1\n");
	faults_empty();
	faults_put("p", grown.buf, grown.n);
}

/* Parts with sums, and long odd lines, of which an index is made, before a file is added. */
static void more_parts_set(int arg)
{
	static const struct scene two = {"two", NULL, 0, {"q.1", "q.2"}, .index = "i"};

	faults_empty();
	for (int i = 1; i <= 3; i++) {
		grown.n = 0;
		for (int k = 0; k < (i == 2 ? 10 + arg : 1); k++) {
			out_printf(&grown, "pid: 1\npart: %d\nevents:", i * 1000 + k);
			for (int e = 0; e < 12; e++)
				out_printf(&grown, " e%d", e);
			out_c(&grown,
			      "\nsummary: 1 2 3 4 5 6 7 8 9 10 11 12\nfl=a.c\nfn=f\n1 1\n"
			      "totals: 1\n");
		}
		for (int k = 0; i == 1 && k < arg * 15; k++)
			out_printf(&grown,
				   "cfi=a.c\ncfn=g%d\ncalls=1 1\n%d 1 2\njump=1 %d\n%d\n",
				   k, k, k, k + 7);
		for (int k = 0; k < 6; k++)
			out_printf(&grown, "%0*d odd\n", 150 + arg, 0);
		faults_put(i == 1 ? "q.1" : i == 2 ? "q.2" : "q.3", grown.buf, grown.n);
	}
	faults_build(&two, NULL, NULL, &(struct err){0});
}

/* Blocks of an index that are full before all is in them. */
static void full_blocks(int arg)
{
	(void)arg;
	grown.n = 0;
	out_c(&grown, "events: Ir Dr\nfl=a.c\n");
	for (int part = 1; part <= 16; part++) {
		out_printf(&grown, "part: %d\n", part);
		for (int i = 1; i < 3500; i++)
			out_printf(&grown,
				   part == 1 ? "fn=(%d) f%d\n+%d %d %d\n"
					     : "fn=(%d)\n%.0d+%d %d %d\n",
				   i, part == 1 ? i : 0, part, 70000 + i, 70000 + part);
	}
	faults_empty();
	faults_put("p", grown.buf, grown.n);
}

/* Call sites of one part, and of another the other way round: where there is little memory they
 * are added up only when they are ordered. */
static void turned_round(int arg)
{
	enum { SITES = 5000 };

	(void)arg;
	grown.n = 0;
	out_c(&grown, "events: Ir Dr\nfl=a.c\nfn=(1) f\n");
	for (int part = 1; part <= 2; part++) {
		out_printf(&grown, "part: %d\nfn=(1)\n", part);
		for (int i = 1; i <= SITES; i++)
			out_printf(&grown, "cfn=(2) g\ncalls=1 1\n%d 2 1\n",
				   part == 1 ? i : SITES + 1 - i);
	}
	faults_empty();
	faults_put("p", grown.buf, grown.n);
}

static const struct growing {
	struct scene scene;
	int from, to;
} growing[] = {
	{{"odd lines and a call at the end", .prepare = odder}, 0, 60},
	{{"odd lines and a call without costs", .prepare = odder}, 100, 160},
	{{"odd lines and an event twice", .prepare = odder}, 200, 260},
	{{"odd lines and odd totals", .prepare = odder}, 300, 360},
	{{"odd lines and an odd part", .prepare = odder}, 400, 460},
	{{"too many columns", .prepare = many_columns}, 20, 21},
	{{"long headers", .prepare = filled}, 0, 420},
	{{"more and more", .prepare = more_of_all}, 0, 70},
	{{"more and more, in stretches", .prepare = more_of_all,
	  .opts = {.stretch = 100}},
	 0,
	 70},
	{{"more and more, in little memory", .prepare = more_of_all,
	  .opts = {.mem = 4 << 10, .run = 9}},
	 0,
	 70},
	{{"more and more calls", .prepare = more_calls}, 1, 90},
	{{"more and more activations", .prepare = more_activations}, 1, 60},
	{{"more and more events", .prepare = more_events}, 0, 70},
	{{"a file is added to more and more parts", .prepare = more_parts_set,
	  .file = {"q.1", "q.2", "q.3"}, .index = "i"},
	 0,
	 60},
	{{"full blocks", .prepare = full_blocks, .index = "i", .leaves = 2,
	  .quiet = true},
	 0,
	 1},
	{{"call sites the other way round, in little memory", .prepare = turned_round,
	  .quiet = true, .opts = {.mem = 8 << 10}},
	 0,
	 1},
	{{"a file is added to long headers", .prepare = filled_set,
	  .file = {"q.1", "q.2", "q.3"}, .index = "i"},
	 0,
	 420},
};

static void grow(const struct growing *g)
{
	static uint64_t hash[FAULTS_ROOM];
	unsigned failed = tap_failed, places = 0;

	for (int arg = g->from; arg < g->to && tap_failed < failed + 20; arg++) {
		struct scene s = g->scene;
		struct err err = {0};
		unsigned long *k;
		struct out want;
		size_t n;

		s.arg = arg;
		s.prepare(arg);
		faults_record('m', hash, FAULTS_ROOM);
		faults_build(&s, NULL, NULL, &err);
		k = faults_stacks(hash, faults_record('m', NULL, 0), false, &n);
		out_mem(&want);
		if (n) {
			s.prepare(arg);
			faults_build(&s, NULL, &want, &err);
		}
		for (size_t i = 0; i < n; i++) {
			char fault[40];

			snprintf(fault, sizeof(fault), "mem:%lu:12", k[i]);
			check(&s, fault, &want);
		}
		places += (unsigned)n;
		out_close(&want);
		free(k);
	}
	ok(tap_failed == failed, "%s: %u new places", g->scene.name, places);
}

int main(int argc, char **argv)
{
	if (!faults_begin(argv)) {
		skip("no fault.so in this variant");
		return done_testing();
	}
	out_mem(&grown);
	for (size_t i = 0; i < COUNT(growing); i++)
		if (argc < 2 || strstr(growing[i].scene.name, argv[1]))
			grow(&growing[i]);
	out_close(&grown);
	faults_end();
	return done_testing();
}
