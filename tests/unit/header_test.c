/* header_test.c - derived events and parts, from text to store. */
#include <fcntl.h>
#include <stdlib.h>
#include <unistd.h>

#include "index/base/err.h"
#include "index/base/out.h"
#include "index/build.h"
#include "tests/support/tap.h"

static char dir[64], path[128];

static struct store *open_text(const char *text, struct err *err)
{
	struct build_opts opts = {.no_write = true};
	struct build_report report;
	struct store *st = NULL;
	int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC, 0644);
	size_t n = strlen(text);

	if (fd < 0 || write(fd, text, n) != (ssize_t)n || close(fd))
		abort();
	build_open(path, &opts, &st, &report, err);
	return st;
}

/* Events as "Ir Dr | X=7 Y=0", totals behind the derived ones; "!" when there are
 * diagnostics; or "refused". */
static char *events_of(const char *text)
{
	struct err err = {0};
	struct store *st = open_text(text, &err);
	struct out o;

	out_mem(&o);
	if (!st) {
		out_c(&o, "refused");
		out_char(&o, '\0');
		return o.buf;
	}
	const struct store_info *info = store_info(st);

	for (uint32_t e = 0; e < info->all_events; e++) {
		struct store_event ev;

		store_event(st, e, &ev);
		if (e)
			out_c(&o, e == info->events ? " | " : " ");
		else if (info->events == 0)
			out_c(&o, "| ");
		out_str(&o, ev.name);
		if (e >= info->events)
			out_printf(&o, "=%" PRIu64, store_total(st, e));
	}
	if (info->diagnostics)
		out_c(&o, "!");
	out_char(&o, '\0');
	store_close(st);
	return o.buf;
}

#define BODY "fn=f\n1 1 10 100\n"
static const struct {
	const char *name, *text, *want;
} formulas[] = {
	{"none", "events: A B C\n" BODY, "A B C"},
	{"a sum", "events: A B C\nevent: X = A + B + C\n" BODY, "A B C | X=111"},
	{"before events:", "event: X = A + B\nevents: A B C\n" BODY, "A B C | X=11"},
	{"at the end", "events: A B C\n" BODY "event: X = A + B\n", "A B C | X=11"},
	{"factors", "events: A B C\nevent: X = 2 A + 3*B + 4 * C\n" BODY,
	 "A B C | X=432"},
	{"factors without a blank", "events: A B C\nevent: X = 2A+3B\n" BODY,
	 "A B C | X=32"},
	{"minus", "events: A B C\nevent: X = C - 2 B\n" BODY, "A B C!"},
	{"minus in front", "events: A B C\nevent: X = -A + C\n" BODY, "A B C!"},
	{"minus that is nothing in the end",
	 "events: A B C\nevent: X = A + B\nevent: Y = X - B\n" BODY, "A B C | X=11 Y=1"},
	{"an unknown name", "events: A B C\nevent: X = A + Q\n" BODY, "A B C!"},
	{"no sense", "events: A B C\nevent: X = A B\nevent: Y = + +\nevent: Z = 3\n" BODY,
	 "A B C!"},
	{"a long name alone", "events: A B C\nevent: A : The A\n" BODY, "A B C"},
	{"of a derived event", "events: A B C\nevent: X = A + B\nevent: Y = 2 X\n" BODY,
	 "A B C | X=11 Y=22"},
	{"of one derived later", "events: A B C\nevent: Y = 2 X\nevent: X = A + B\n" BODY,
	 "A B C | X=11 Y=22"},
	{"of itself", "events: A B C\nevent: X = A + X\n" BODY, "A B C!"},
	{"of each other", "events: A B C\nevent: X = Y\nevent: Y = X\n" BODY, "A B C!"},
	{"said again", "events: A B C\nevent: X = A\nevent: X = B\n" BODY,
	 "A B C | X=10"},
	{"built in: L1m", "events: I1mr D1mr D1mw\n" BODY, "I1mr D1mr D1mw | L1m=111"},
	{"built in: some inputs", "events: ILmr Q DLmw\n" BODY, "ILmr Q DLmw | LLm=101"},
	{"built in: Bm and CEst", "events: Ir Bcm Bim\n" BODY,
	 "Ir Bcm Bim | Bm=110 CEst=1101"},
	{"built in: CEst needs more than Ir", "events: Ir A B\n" BODY, "Ir A B"},
	{"of a built-in event", "events: Ir I1mr D1mr\nevent: X = Ir + L1m\n" BODY,
	 "Ir I1mr D1mr | L1m=110 CEst=1101 X=111"},
	{"in place of a built-in one",
	 "events: I1mr D1mr D1mw\nevent: L1m = 2 I1mr\n" BODY, "I1mr D1mr D1mw | L1m=2"},
	{"the same event twice", "events: A B A\n" BODY, "A B!"},
	{"events of a later part", "events: A\nfn=f\n1 5\nevents: B A\n1 6 7\n", "A B"},
	{"no events", "version: 1\nfn=f\n", "refused"},
};

static void test_formulas(void)
{
	for (size_t i = 0; i < COUNT(formulas); i++) {
		char *got = events_of(formulas[i].text);

		is_str(got, formulas[i].want, "%s", formulas[i].name);
		free(got);
	}
}

/* As many events as there may be, in another order in each part; "totals:" counts, too. */
static void test_many_events(void)
{
	enum { EVENTS = 4096, PARTS = 3, STEP = 1365 };
	struct err err = {0};
	struct store *st;
	struct out o;
	unsigned wrong = 0;

	out_mem(&o);
	for (unsigned part = 1; part <= PARTS; part++) {
		out_printf(&o, "part: %u\nevents:", part);
		for (unsigned i = 0; i < EVENTS; i++)
			out_printf(&o, " e%u", (i * (STEP + 2 * part) + part) % EVENTS);
		out_c(&o, " e7\nfn=f\n1");
		for (unsigned i = 0; i < EVENTS; i++)
			out_printf(&o, " %u", i + part);
		out_c(&o, "\ntotals:");
		for (unsigned i = 0; i < EVENTS; i++)
			out_printf(&o, " %u", i + part);
		out_char(&o, '\n');
	}
	out_char(&o, '\0');
	st = open_text(o.buf, &err);
	out_close(&o);
	if (!ok(st != NULL, "%d events: %s", EVENTS, err.text))
		return;
	for (unsigned part = 1; part <= PARTS; part++) {
		struct part p;

		store_part(st, part - 1, &p);
		wrong += !p.has_totals;
		for (unsigned i = 0; i < EVENTS; i++) {
			char name[20];
			uint32_t e;

			snprintf(name, sizeof(name), "e%u",
				 (i * (STEP + 2 * part) + part) % EVENTS);
			e = store_event_find(st, str_c(name));
			wrong += e >= EVENTS ||
				 store_part_self(st, part - 1, e) != i + part ||
				 store_part_totals(st, part - 1, e) != i + part;
		}
	}
	is_u64(wrong, 0, "%d events in another order in each part", EVENTS);
	is_u64(store_info(st)->diagnostics, PARTS, "  but for one too many in each");
	store_close(st);
}

static bool is(struct str s, const char *want)
{
	return str_eq(s, str_c(want));
}

static void test_parts(void)
{
	struct err err = {0};
	struct part p;
	struct store *st = open_text(
		"version: 1\ncreator: c-1\npid: 7\ncmd: ./a  b\npart: 1\n"
		"thread: 3\ndesc: Trigger: one\ndesc: x\npositions: instr line\n"
		"events: A B\nsummary: 1 2\nfn=f\n1 1 1 1\ntotals: 3 4\n"
		"part: 2\ndesc: Timerange: 5 - 6\nevents: B\n1 1 1\nsummary: 9\n"
		"summary: 8\n"
		"==== NEW PROFILING FILE ====\nversion: 1\nevents: A\n1 1\n",
		&err);

	if (!ok(st && store_info(st)->parts == 3, "three parts"))
		return;
	store_part(st, 0, &p);
	ok(p.part == 1 && p.pid == 7 && p.thread == 3, "numbers");
	ok(is(p.creator, "c-1") && is(p.cmd, "./a  b") && is(p.positions, "instr line") &&
		   is(p.events, "A B"),
	   "texts");
	ok(is(p.desc, "Trigger: one\nx") && is(p.trigger, "one"), "desc lines");
	is_u64(store_part_summary(st, 0, 1), 2, "summary:");
	is_u64(store_part_totals(st, 0, 1), 4, "totals:");
	store_part(st, 1, &p);
	ok(p.part == 2 && p.pid == 7 && is(p.creator, "c-1") && is(p.cmd, "./a  b") &&
		   is(p.positions, "instr line"),
	   "inherited");
	ok(p.thread == 0 && is(p.desc, "Timerange: 5 - 6") && is(p.time_range, "5 - 6") &&
		   p.trigger.n == 0,
	   "not inherited");
	is_u64(store_part_summary(st, 1, 1), 8, "the last summary: counts, by name");
	is_u64(store_part_summary(st, 1, 0), 0, "no other event has one");
	ok(!p.has_totals && p.has_summary, "what it has");
	store_part(st, 2, &p);
	ok(p.pid == 0 && p.creator.n == 0 && p.cmd.n == 0 && p.positions.n == 0,
	   "an appended file inherits nothing");
	store_close(st);
}

/* A word of a header that is no number, and texts longer than any buffer. */
static void test_odd_values(void)
{
	struct err err = {0};
	struct part p;
	struct store_diag d;
	struct out o;
	struct store *st = open_text(
		"pid: x\npart: 1 2\nevents: A\nsummary: 1 y\nfn=f\n1 1\n", &err);

	ok(st && store_info(st)->diagnostics == 2, "two that are no numbers");
	store_close(st);
	st = open_text("events: A\nsummary: 1 y z\nfn=f\n1 1\n", &err);
	ok(st && store_info(st)->diagnostics == 0,
	   "words behind the last event are not read");
	store_close(st);
	out_mem(&o);
	out_c(&o, "events: A\n");
	for (int i = 0; i < 3; i++) {
		out_c(&o, "desc: ");
		out_fill(&o, (char)('a' + i), 5000);
		out_c(&o, "\n");
	}
	out_c(&o, "cmd: ");
	out_fill(&o, 'x', 100000);
	out_c(&o, "\nfn=f\n1 1\n");
	out_fill(&o, 'u', 500);
	out_char(&o, '\0');
	st = open_text(o.buf, &err);
	if (ok(st != NULL, "long texts")) {
		store_part(st, 0, &p);
		is_u64(p.cmd.n, 100000, "the command");
		is_u64(p.desc.n, 3 * 5000 + 2, "the descriptions");
		store_diag(st, 0, &d);
		is_u64(d.text.n, 200, "a diagnostic's line is cut");
	}
	store_close(st);
	out_close(&o);
}

/* Each part has an event of its own, or each line derives another one. */
static void test_many(void)
{
	struct err err = {0};
	struct out o;

	out_mem(&o);
	for (int i = 0; i < 4200; i++)
		out_printf(&o, "events: e%d\nfn=f\n1 1\n", i);
	out_char(&o, '\0');
	ok(!open_text(o.buf, &err) && err.kind == ERR_LIMIT, "4200 events: %s", err.text);
	o.n = 0;
	err_clear(&err);
	out_c(&o, "events: A\n");
	for (int i = 0; i < 4200; i++)
		out_printf(&o, "event: d%d = A\n", i);
	out_c(&o, "fn=f\n1 1\n");
	out_char(&o, '\0');
	ok(!open_text(o.buf, &err) && err.kind == ERR_LIMIT, "4200 derived events");
	out_close(&o);
}

int main(void)
{
	snprintf(dir, sizeof(dir), "%s/quern-header-XXXXXX",
		 access("/dev/shm", W_OK) ? "/tmp" : "/dev/shm");
	if (!mkdtemp(dir))
		abort();
	setenv("TMPDIR", dir, 1);
	snprintf(path, sizeof(path), "%s/p", dir);
	test_formulas();
	test_many_events();
	test_parts();
	test_odd_values();
	test_many();
	unlink(path);
	rmdir(dir);
	return done_testing();
}
