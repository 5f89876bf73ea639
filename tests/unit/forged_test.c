/*
 * forged_test.c - an index that is wrong under checksums that are right.
 *
 * The values of a sound index are read from its pages, one of them is changed, and all are
 * written again.  quern --verify names the table and what is wrong with it; a question that
 * meets it says so, too, and is never answered from it.
 */
#include <fcntl.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zlib.h>

#include "engine/query.h"
#include "index/base/err.h"
#include "index/base/out.h"
#include "index/build.h"
#include "index/format/column_code.h"
#include "index/format/meta_code.h"
#include "index/store/store_pages.h"
#include "index/store/store_in.h"
#include "index/verify.h"
#include "index/save/store_write.h"
#include "repl/render/render.h"
#include "repl/formats/renderers.h"
#include "tests/support/derived.h"
#include "tests/support/fuzzing.h"
#include "tests/support/sample.h"
#include "tests/support/tap.h"

/* A cycle of C and D, and names that the second part has, too. */
static const char text[] = SAMPLE_HEAD
	"fn=(5) C\n0x50 1 2\ncfn=(6) D\ncalls=1 0x60\n0x52 1 4\njump=1 0x50 1\n0x56 2\n"
	"jump=1 0x50 1\n0x58 2\nfn=(6)\n0x60 1 3\ncfn=(5)\n"
	"calls=1 0x50\n0x62 1 1\n" SAMPLE_TAIL;

static char profile[100], good_path[100], bad_path[100];

/* ---- the values of an index ---- */

enum { PAGE = 4096, VALUES = 200, ROOM = 1 << 16, ROWS = 100 };

struct value {
	struct value_header head;
	unsigned char p[ROOM];
	bool gone;
};

static struct value value[VALUES];
static size_t nvalue;

static void read_values(const char *path)
{
	static unsigned char page[PAGE];
	int fd = open(path, O_RDONLY);

	for (off_t at = 0; pread(fd, page, PAGE, at) == PAGE; at += PAGE) {
		struct value *v = &value[nvalue];

		memcpy(&v->head, page + 16, sizeof(v->head));
		if (v->head.magic != VALUE_MAGIC)
			continue;
		if (nvalue == VALUES - 1 || v->head.bytes > ROOM ||
		    pread(fd, v->p, v->head.bytes, at + 16 + (off_t)sizeof(v->head)) !=
			    (ssize_t)v->head.bytes)
			fuzz_fail("%s has more than a small index has", path);
		nvalue++;
	}
	close(fd);
}

static void write_values(const char *path)
{
	struct store_writer *w = NULL;
	struct err err = {0};
	int fd = open(path, O_RDWR | O_CREAT | O_TRUNC, 0600);

	if (store_writer_open(path, fd, 1 << 24, &w, &err))
		fuzz_fail("%s", err.text);
	for (size_t i = 0; i < nvalue; i++) {
		const struct value_header *h = &value[i].head;

		if (!value[i].gone &&
		    store_writer_put(w, (enum index_table)h->table, h->event, h->block,
				     h->rows, value[i].p, h->bytes, &err))
			fuzz_fail("%s", err.text);
	}
	if (store_writer_finish(w, &err))
		fuzz_fail("%s", err.text);
	store_writer_close(w);
	close(fd);
}

/* ---- what is done to one ---- */

typedef void forge_fn(struct value *v, uint64_t a, uint64_t b);

static void drop(struct value *v, uint64_t a, uint64_t b)
{
	(void)a;
	(void)b;
	v->gone = true;
}

static void set_rows(struct value *v, uint64_t rows, uint64_t b)
{
	(void)b;
	v->head.rows = (uint32_t)rows;
}

/* There is one more, of another table or event. */
static void copy_to(struct value *v, uint64_t table, uint64_t event)
{
	value[nvalue] = *v;
	value[nvalue].head.table = (uint16_t)table;
	value[nvalue++].head.event = (uint16_t)event;
}

static uint64_t row_of(const struct value *v, uint64_t row)
{
	return column_row(v->p, v->head.bytes, v->head.rows, (uint32_t)row);
}

static void set_row(struct value *v, uint64_t row, uint64_t to)
{
	uint64_t rows[ROWS];

	if (v->head.rows > ROWS ||
	    !column_unpack(rows, sizeof(*rows), v->p, v->head.bytes, v->head.rows))
		fuzz_fail("column of table %u", v->head.table);
	rows[row] = to;
	v->head.bytes =
		column_pack((uint64_t *)(void *)v->p, rows, sizeof(*rows), v->head.rows);
}

static void swap_rows(struct value *v, uint64_t a, uint64_t b)
{
	const uint64_t was = row_of(v, a);

	set_row(v, a, row_of(v, b));
	set_row(v, b, was);
}

static void set_byte(struct value *v, uint64_t at, uint64_t to)
{
	v->p[at] = (unsigned char)to;
}

static void set_two_bytes(struct value *v, uint64_t at, uint64_t to)
{
	v->p[at] = (unsigned char)to;
	v->p[at + 1] = (unsigned char)(to >> 8);
}

static void add_to_last_byte(struct value *v, uint64_t n, uint64_t b)
{
	(void)b;
	v->p[v->head.bytes - 1] += (unsigned char)n;
}

/* The first byte of the text becomes another. */
static void rename_to(struct value *v, uint64_t from, uint64_t to)
{
	uint32_t *offset = (uint32_t *)(void *)v->p;

	for (uint32_t i = 0; i < v->head.rows; i++)
		if (offset[i] + 1 == offset[i + 1] && v->p[offset[i]] == from)
			v->p[offset[i]] = (unsigned char)to;
}

static void cut_by(struct value *v, uint64_t n, uint64_t b)
{
	(void)b;
	v->head.bytes -= n;
}

#define OF_META(field) offsetof(struct meta, field)
#define UNREADABLE "its meta value cannot be read"

/* One field of a value that is not a column: a is its offset in struct meta, part or diag. */
static void recode(struct value *v, uint64_t at, uint64_t to)
{
	union {
		struct meta meta;
		struct part part;
		struct diag diag;
	} what = {0};
	struct varint_reader in = {v->p, v->p + v->head.bytes, false};
	struct bytes out = {0};
	struct coder from = {.from = &in}, into = {.to = &out};
	struct coder *each[] = {&from, &into};
	struct arena a;

	arena_init(&a, 0);
	from.arena = &a;
	for (int i = 0; i < 2; i++) {
		if (v->head.table == TABLE_META)
			meta_code(each[i], &what.meta);
		else if (v->head.table == TABLE_PART)
			part_head_code(each[i], &what.part);
		else
			diag_code(each[i], &what.diag);
		if (i == 0 && at == OF_META(total) && v->head.table == TABLE_META)
			what.meta.total[0] += to;
		else if (i == 0 && at == OF_META(file) && v->head.table == TABLE_META)
			what.meta.input_bytes = what.meta.file[0].bytes += to;
		else if (i == 0)
			memcpy((char *)&what + at, &to,
			       v->head.table == TABLE_PART &&
					       at == offsetof(struct part, file)
				       ? sizeof(what.part.file)
				       : sizeof(to));
	}
	if (from.failed || into.failed || out.n > ROOM)
		fuzz_fail("value of table %u", v->head.table);
	/* What follows, as further parts do, stays. */
	memmove(v->p + out.n, in.p, (size_t)(in.end - in.p));
	v->head.bytes = out.n + (size_t)(in.end - in.p);
	memcpy(v->p, out.p, out.n);
	free(out.p);
	arena_free(&a);
}

/* A field of a part, and its file is longer. */
static void recode_longer(struct value *v, uint64_t at, uint64_t to)
{
	recode(v, at, to);
	for (size_t i = 0; i < nvalue; i++)
		if (value[i].head.table == TABLE_META)
			recode(&value[i], OF_META(file), 2 * to);
}

static void rename_event(struct value *v, uint64_t from, uint64_t to)
{
	/* Names of two letters, after their length. */
	for (uint64_t i = 0; i + 2 < v->head.bytes; i++)
		if (v->p[i] == 2 && v->p[i + 1] == 'D' && v->p[i + 2] == from)
			v->p[i + 2] = (unsigned char)to;
}

/* The derived event, whose formula this is, is a recorded one; it has coefficients all the same. */
static void underive(struct value *v, uint64_t a, uint64_t b)
{
	unsigned char *at = v->p, *const end = at + v->head.bytes;

	(void)a, (void)b;
	/* The file's formulas have it, too. */
	while (at && (at = memmem(at, (size_t)(end - at), "2 Ir + Dr", 9)) && at[10] != 1)
		at++;
	if (!at)
		fuzz_fail("no derived event");
	at[10] = 0;
}

/* ---- what is said ---- */

static int render(void *arg, const struct result *r, struct err *err)
{
	struct look look = {.utf8 = true};
	struct out o;
	struct render rd = {.o = &o, .r = r, .look = &look, .session = arg, .err = err};

	out_mem(&o);
	renderers[FORMAT_CSV](&rd);
	out_close(&o);
	return session_check(arg, err);
}

/* What a question says, or --verify when there is none. */
static void ask(const char *query, struct err *err)
{
	struct store_verified v;
	struct session *s = NULL;
	struct store *st = NULL;
	struct arena a;

	if (store_open(bad_path, true, &st, err))
		return;
	if (!query) {
		derived_verify(st, &v, err);
		store_close(st);
		return;
	}
	arena_init(&a, 0);
	if (!session_new(&s, err) && !session_add(s, STR("p"), st, err))
		query_run(s, str_c(query), &a, render, s, err);
	arena_free(&a);
	session_free(s);
	store_close(st);
}

static const struct forgery {
	enum index_table table;
	uint32_t event;
	forge_fn *forge;
	uint64_t a, b;
	const char *query; /* NULL: --verify */
	const char *said;
} forgeries[] = {
	/* What --verify finds in the values as such. */
	{TABLE_META, 0, drop, 0, 0, NULL, "meta block 0: missing"},
	{TABLE_META, 0, set_rows, 99, 0, NULL,
	 "the index is of another version of quern"},
	{TABLE_META, 0, underive, 0, 0, NULL, UNREADABLE},
	{TABLE_META, 0, recode, OF_META(functions), UINT32_MAX, NULL, UNREADABLE},
	{TABLE_META, 0, recode, OF_META(cycles), 1000, NULL, UNREADABLE},
	{TABLE_META, 0, recode, OF_META(parts), 1ull << 32, NULL, UNREADABLE},
	/* More than the file has bytes for; none of what there are ids of. */
	{TABLE_META, 0, recode, OF_META(edges), 1 << 30, NULL, UNREADABLE},
	{TABLE_META, 0, recode, OF_META(functions), 0, NULL, UNREADABLE},
	{TABLE_META, 0, recode, OF_META(strings[SPACE_FILE]), 0, NULL, UNREADABLE},
	{TABLE_META, 0, recode, OF_META(strings[SPACE_FN]), 1ull << 32, NULL, UNREADABLE},
	{TABLE_META, 0, recode, OF_META(pairs), 1 << 30, NULL, UNREADABLE},
	{TABLE_META, 0, recode, OF_META(cycle_members), 1000, NULL, UNREADABLE},
	{TABLE_META, 0, recode, OF_META(input_bytes), 7, NULL, UNREADABLE},
	{TABLE_META, 0, recode, OF_META(input_lines), 7, NULL, UNREADABLE},
	{TABLE_META, 0, set_byte, 0, 0, NULL, UNREADABLE}, /* files */
	{TABLE_META, 0, set_byte, 0, 127, NULL, UNREADABLE},
	{TABLE_META, 0, cut_by, 3, 0, NULL, UNREADABLE},
	{TABLE_FN_LINE, 0, drop, 0, 0, NULL, "function lines block 0: missing"},
	{TABLE_FN_CALLED, 0, set_row, 0, 8, NULL,
	 "functions whose line is of calls block 0: an id is out of range"},
	{TABLE_FN_LINE, 0, copy_to, 99, 0, NULL,
	 "meta block 0: there is a value of no table"},
	{TABLE_FN_SELF, 0, copy_to, TABLE_FN_SELF, 50, NULL,
	 "self cost block 0: no such block"},
	{TABLE_FN_SELF, 0, copy_to, TABLE_FN_SELF, 3, NULL, /* a derived event */
	 "self cost block 0: no such block"},
	{TABLE_FN_SELF, 0, set_rows, 3, 0, NULL,
	 "self cost block 0: it does not have the rows it should"},
	{TABLE_FN_SELF, 0, cut_by, 1, 0, NULL,
	 "self cost block 0: it does not have the rows it should"},
	{TABLE_LINES, 0, set_byte, 0, 99, NULL,
	 "cost lines block 0: its numbers cannot be read"},
	{TABLE_JUMPS, 0, set_byte, 3, 98, NULL, "jumps block 0: a jump is out of range"},
	{TABLE_PART, 0, recode, offsetof(struct part, file), 7, NULL,
	 "parts block 0: it cannot be read"},
	{TABLE_DIAG, 0, recode, offsetof(struct diag, file), 1, NULL,
	 "diagnostics block 0: it cannot be read"},
	{TABLE_PART, 0, recode, offsetof(struct part, bytes), 100000, NULL,
	 "parts block 0: it cannot be read"},
	{TABLE_PART, 0, recode, offsetof(struct part, bytes), UINT64_MAX, "parts",
	 "parts block 0: it cannot be read"},
	{TABLE_PART, 0, recode, offsetof(struct part, offset), 100000, NULL,
	 "parts block 0: it cannot be read"},
	{TABLE_DIAG, 0, recode, offsetof(struct diag, kind), 77, NULL,
	 "diagnostics block 0: it cannot be read"},
	{TABLE_PART_AT, 0, set_row, 1, 1 << 17, NULL,
	 "part costs block 0: a place is out of range"},
	{TABLE_PART_COST, 0, set_byte, 0, 99, NULL,
	 "part costs block 0: its numbers cannot be read"},
	{TABLE_PART_COST, 0, cut_by, 20, 0, NULL,
	 "part costs block 0: its numbers cannot be read"},
	{TABLE_PART_NAMES_AT, 0, set_row, 1, 1 << 17, NULL,
	 "part names block 0: a place is out of range"},
	{TABLE_PART_NAMES, 0, set_byte, 3, 99, NULL,
	 "part names block 0: a name is out of range"},
	/* What the profile alone knows. */
	{TABLE_PART_NAMES, 0, set_byte, 3, 1, NULL, ""},

	/* In their order. */
	{TABLE_NAME, 0, rename_to, 'B', 'Z', NULL,
	 "names block 0: its strings are not in order"},
	{TABLE_FN_NAME, 0, swap_rows, 1, 3, NULL,
	 "function names block 0: the functions are not in order"},
	{TABLE_FN_NAME, 0, set_row, 6, 99, NULL,
	 "function names block 0: an id is out of range"},
	{TABLE_OUT_FIRST, 0, set_row, 0, 1, NULL,
	 "callees block 0: the spans do not cover the edges"},
	{TABLE_OUT_FIRST, 0, set_row, 3, 0, NULL,
	 "callees block 0: a span is out of range"},
	{TABLE_IN_FIRST, 0, set_row, 3, 99, NULL,
	 "callers block 0: a span is out of range"},
	{TABLE_EDGE_CALLER, 0, swap_rows, 0, 5, NULL,
	 "edge callers block 0: the edges are not in order"},
	{TABLE_IN_EDGE, 0, swap_rows, 0, 5, NULL,
	 "incoming edges block 0: it has another function's edge"},
	{TABLE_CYCLE_MEMBER, 0, swap_rows, 0, 1, NULL,
	 "cycle members block 0: it has another cycle's member"},
	{TABLE_CYCLE_FIRST, 0, set_row, 0, 3, NULL,
	 "cycles block 0: a span is out of range"},
	{TABLE_CYCLE_FIRST, 0, set_row, 1, 1, NULL,
	 "cycles block 0: the spans do not cover the members"},
	{TABLE_FN_CYCLE, 0, set_row, 0, 1, NULL, "cycles block 0: members are missing"},
	{TABLE_TOPO, 0, set_row, 0, 0, NULL,
	 "topological order block 0: a function is there twice"},
	{TABLE_TOPO, 0, swap_rows, 0, 6, NULL,
	 "topological order block 0: a callee comes before its caller"},
	{TABLE_RANK_SELF, 1, swap_rows, 0, 1, NULL,
	 "rank by self cost block 0: it is not in order"},
	{TABLE_RANK_INCL, 0, set_row, 0, 1, NULL,
	 "rank by inclusive cost block 0: it is not in order"},
	{TABLE_LINES, 0, set_two_bytes, 41, 0, NULL,
	 "cost lines block 0: its rows are not in order"},
	{TABLE_SITES, 0, set_two_bytes, 13, 0x100, NULL,
	 "call sites block 0: its rows are not in order"},
	{TABLE_JUMPS, 0, set_two_bytes, 21, 0x100, NULL,
	 "jumps block 0: its rows are not in order"},

	/* In sums. */
	{TABLE_FN_CALLS, 0, set_row, 0, 1000, NULL,
	 "function calls block 0: it is not the sum of the edges"},
	{TABLE_FN_INCL, 0, set_row, 6, 1000, NULL,
	 "inclusive cost block 0: it is not self and outgoing edges"},
	{TABLE_FN_INCL, 0, set_row, 3, 7, NULL,
	 "inclusive cost block 0: it is not what its calls leave of it"},
	{TABLE_CYCLE_INCL, 0, set_row, 0, 0, NULL,
	 "cycle inclusive cost block 0: it is not the sum of its members"},
	{TABLE_META, 0, recode, OF_META(total), 1, NULL,
	 "meta block 0: a total is not the sum of the functions"},
	{TABLE_LINES, 0, add_to_last_byte, 1, 0, NULL,
	 "cost lines block 0: its sum is not the function's self cost"},
	{TABLE_SITES, 0, set_byte, 15, 1, NULL, /* another's edge */
	 "call sites block 0: its sum is not the edge's"},
	{TABLE_META, 0, recode, OF_META(jumps), 17, NULL,
	 "meta block 0: its counts are not those of the rows"},
	{TABLE_PART_SELF, 0, set_row, 0, 77, NULL,
	 "part self cost block 0: it is not the sum of its functions"},

	/* In a question.  Some functions have the edges of others, too. */
	{TABLE_OUT_FIRST, 0, swap_rows, 2, 4, "hide A or C | functions",
	 "callees block 0: a span is out of range"},
	{TABLE_OUT_FIRST, 0, swap_rows, 2, 4, "focus A | calls",
	 "callees block 0: a span is out of range"},
	{TABLE_FN_NAME, 0, swap_rows, 1, 3, "callers of A",
	 "function names block 0: the functions are not in order"},
	{TABLE_CYCLE_MEMBER, 0, swap_rows, 0, 1, "info D",
	 "cycle members block 0: a member is missing"},
	{TABLE_RANK_INCL, 0, set_row, 0, 7, "top 1 by incl",
	 "rank by inclusive cost block 0: an id is out of range"},
	{TABLE_PART_NAMES_AT, 0, set_row, 1, 1 << 17, "part 2 | lines",
	 "part names block 0: a place is out of range"},
	{TABLE_PART_NAMES, 0, set_byte, 3, 99, "part 2 | lines",
	 "part names block 0: a name is out of range"},
	{TABLE_NAME, 0, rename_to, 'H', 'I', "part 1 | lines",
	 "the index does not know 'H', which one of the parts has"},
	{TABLE_FN_FILE, 0, set_row, 5, 0, "part 2 | lines",
	 "the index does not know 'H', which one of the parts has"},
	{TABLE_FN_FILE, 0, set_row, 5, 0, "part 1 | callsites",
	 "the index does not know 'H', which one of the parts has"},
	{TABLE_META, 0, rename_event, 'w', 'x', "part 2 | lines",
	 "the index does not know 'Dw', which one of the parts has"},
	{TABLE_EDGE_CALLEE, 0, swap_rows, 1, 2, "hide D | calls",
	 "edge callees block 0: the edges are not in order"},
	{TABLE_EDGE_CALLER, 0, set_row, 1, 1, "path from main to H",
	 "edge callers block 0: the edges are not in order"},
	{TABLE_IN_EDGE, 0, set_row, 0, 1, "focus A | calls",
	 "incoming edges block 0: an edge is there twice"},
	{TABLE_TOPO, 0, set_row, 0, 0, "cost of H under A avoiding B",
	 "topological order block 0: a function is there twice"},
	{TABLE_PART_COST, 0, set_byte, 0, 99, "parts of A",
	 "part costs block 0: its numbers cannot be read"},
	{TABLE_PART_COST, 0, set_byte, 0, 99, "part 1 | functions",
	 "part costs block 0: its numbers cannot be read"},
	{TABLE_SITES, 0, set_byte, 1, 99, "callsites",
	 "call sites block 0: a call site is out of range"},
	{TABLE_LINES, 0, set_byte, 0, 99, "functions of line:a.c:3",
	 "cost lines block 0: its numbers cannot be read"},
	{TABLE_FN_CYCLE, 0, set_row, 0, 9, "cycles of A",
	 "function cycles block 0: an id is out of range"},
	{TABLE_EDGE_INCL, 0, drop, 0, 0, "path from main to H",
	 "edge cost block 0: missing"},
	{TABLE_EDGE_INCL, 1, drop, 0, 0, "hide D | functions by Dr",
	 "edge cost block 0: missing"},
	{TABLE_EDGE_INCL, 0, drop, 0, 0, "hide D | cost of H under main",
	 "edge cost block 0: missing"},
	{TABLE_EDGE_INCL, 0, drop, 0, 0, "collapse by object | calls",
	 "edge cost block 0: missing"},
};

/* Of the same profile, packed. */
static const struct forgery of_packed[] = {
	{TABLE_PART, 0, recode_longer, offsetof(struct part, bytes), 100000,
	 "part 1 | lines", "is shorter than its index says"},
	{TABLE_PART, 0, recode_longer, offsetof(struct part, offset), 100000,
	 "part 1 | lines", "is shorter than its index says"},
};

static void try(const struct forgery *f)
{
	static struct value was[VALUES];
	const struct build_opts opts = {.trust = true, .jobs = 1};
	struct verified v;
	size_t n = nvalue;
	struct err err = {0};
	const char *what;
	bool found = false;

	memcpy(was, value, sizeof(was));
	for (size_t i = 0; i < n; i++)
		if (value[i].head.table == f->table && value[i].head.event == f->event &&
		    !found) {
			found = true;
			f->forge(&value[i], f->a, f->b);
		}
	write_values(bad_path);
	ask(f->query, &err);
	what = strstr(err.text, "damaged: ");
	if (what)
		what += strlen("damaged: ");
	else if (strncmp(err.text, profile, strlen(profile)) == 0)
		what = err.text + strlen(profile) + strlen(": ");
	is_str(what ? what : err.text, f->said, "%s: %s", table_name(f->table),
	       f->query ? f->query : "--verify");
	/* What is stale is made again without a word. */
	if (err.kind && err.kind != ERR_STALE && !err.hint[0])
		ok(false, "%s: no hint", f->said);
	err_clear(&err);
	verify_index(bad_path, &opts, &v, &err);
	ok(err.kind == ERR_INDEX || err.kind == ERR_STALE,
	   "  beside its profile it is found: %s", err.text);
	memcpy(value, was, sizeof(was));
	nvalue = n;
}

/* Index the profile, which is there; forge the index. */
static void forge(const struct forgery *f, size_t n)
{
	struct build_opts opts = {.index_path = good_path};
	struct build_report report;
	struct err err = {0};
	struct verified v;
	struct store *st;

	if (build_open(profile, &opts, &st, &report, &err))
		fuzz_fail("%s", err.text);
	store_close(st);
	nvalue = 0;
	read_values(good_path);
	write_values(bad_path);
	ask(NULL, &err);
	is_str(err.text, "", "written again: sound");
	verify_index(bad_path, &(struct build_opts){.trust = true}, &v, &err);
	ok(!err.kind && v.compared, "  and compared with its profile");
	for (size_t i = 0; i < n; i++)
		try(&f[i]);
}

/* ---- written to after its blocks were checked ---- */

static void read_callee(struct store *st)
{
	struct store_edge e;

	store_edge(st, 0, &e);
	is_u64(e.callee, 0, "an id that was one");
}

static void read_span(struct store *st)
{
	edge_id first;
	uint32_t n;

	store_callees(st, 0, &first, &n);
	is_u64(n, 0, "a span that was one");
}

static void read_column(struct store *st)
{
	ok(!store_u32(st, TABLE_TOPO), "a column that was one");
}

static void meet_all(struct store *st)
{
	uint32_t rows;
	uint64_t bytes;

	for (enum index_table t = TABLE_FN_NAME; t <= TABLE_EDGE_CALLEE; t++)
		if (table_width(t) == sizeof(uint32_t))
			store_block(st, t, 0, 0, &rows, &bytes);
}

/* Where in the file the rows of a table are. */
static off_t place_of(int fd, enum index_table t)
{
	struct value_header h;

	for (off_t at = 16; pread(fd, &h, sizeof(h), at) == sizeof(h); at += PAGE)
		if (h.magic == VALUE_MAGIC && h.table == t)
			return at + (off_t)sizeof(h);
	fuzz_fail("no table %u", t);
}

static void write_under(enum index_table t, void (*read)(struct store *),
			const char *said)
{
	/* The head of a group whose rows are all that. */
	const uint64_t none = (uint64_t)UINT32_MAX << GROUP_BASE;
	struct err err = {0};
	struct store *st;
	int fd;

	write_values(bad_path);
	fd = open(bad_path, O_RDWR);
	if (store_open(bad_path, true, &st, &err))
		fuzz_fail("%s", err.text);
	meet_all(st);
	if (pwrite(fd, &none, sizeof(none), place_of(fd, t)) != sizeof(none))
		fuzz_fail("cannot write %s", bad_path);
	read(st);
	store_check(st, &err);
	ok(strstr(err.text, said), "%s: %s", table_name(t), err.text);
	store_close(st);
	close(fd);
}

static void write_under_readers(void)
{
	write_under(TABLE_EDGE_CALLEE, read_callee, "an id is out of range");
	write_under(TABLE_OUT_FIRST, read_span, "a span is out of range");
	write_under(TABLE_TOPO, read_column, "an id is out of range");
}

/* ---- the tree that the values hang on (store_pages.c) ---- */

enum { MANY = 500, LEAF = 2, BRANCH = 1 };

static int check_pages(int fd, struct err *err)
{
	struct stat sb;

	err_clear(err);
	return fstat(fd, &sb)
		       ? -1
		       : store_pages_check(fd, bad_path, (uint64_t)sb.st_size, err);
}

/* Two bytes of the file become others, and it is refused; then they are as they were. */
static void refuse_bytes(int fd, off_t at, uint16_t bytes, const char *name)
{
	struct err err;
	uint16_t was;

	if (pread(fd, &was, 2, at) != 2 || pwrite(fd, &bytes, 2, at) != 2)
		fuzz_fail("cannot write %s", bad_path);
	ok(check_pages(fd, &err) == ERR_INDEX &&
		   strstr(err.text, "tree of values is broken"),
	   "%s: %s", name, err.text);
	if (pwrite(fd, &was, 2, at) != 2)
		fuzz_fail("cannot write %s", bad_path);
}

static void forge_pages(void)
{
	const long page = sysconf(_SC_PAGESIZE);
	unsigned leaves = 0, branches = 0;
	int fd = open(bad_path, O_RDWR | O_CREAT | O_TRUNC, 0600);
	struct store_writer *w = NULL;
	uint16_t head[10];
	struct err err = {0};

	if (store_writer_open(bad_path, fd, 1 << 24, &w, &err))
		fuzz_fail("%s", err.text);
	is_u64((uint64_t)store_writer_put(w, TABLE_FN_NAME, 0, 0, 1, "", UINT32_MAX,
					  &err),
	       ERR_LIMIT, "a value of 4 GiB: %s", err.text);
	err_clear(&err);
	for (uint32_t i = 0; i < MANY; i++)
		if (store_writer_put(w, TABLE_FN_NAME, 0, i, 1, "12345678", 8, &err))
			fuzz_fail("%s", err.text);
	if (store_writer_finish(w, &err))
		fuzz_fail("%s", err.text);
	store_writer_close(w);
	is_u64((uint64_t)check_pages(fd, &err), 0, "a tree of %d values%s", MANY,
	       err.text);
	for (off_t at = 2 * page; pread(fd, head, sizeof(head), at) == sizeof(head);
	     at += page) {
		if (head[5] == LEAF && !leaves++)
			refuse_bytes(fd, at + 12, 17,
				     "a leaf whose nodes end at an odd byte");
		if (head[5] != BRANCH || branches++)
			continue;
		refuse_bytes(fd, at + 12, 8, "a branch without room for a node");
		refuse_bytes(fd, at + head[9] + 6, 3, "a branch with a short key");
	}
	ok(leaves > 1 && branches == 1, "%u leaves, %u branch", leaves, branches);
	close(fd);
	unlink(bad_path);
}

int main(void)
{
	FILE *f;
	gzFile z;

	snprintf(profile, sizeof(profile), "%s/profile", fuzz_directory());
	snprintf(good_path, sizeof(good_path), "%s/good", fuzz_directory());
	snprintf(bad_path, sizeof(bad_path), "%s/bad", fuzz_directory());
	f = fopen(profile, "w");
	if (!f || fputs(text, f) < 0 || fclose(f))
		fuzz_fail("cannot write %s", profile);
	forge(forgeries, COUNT(forgeries));
	write_under_readers();
	z = gzopen(profile, "w");
	if (!z || gzputs(z, text) < 0 || gzclose(z))
		fuzz_fail("cannot write %s", profile);
	forge(of_packed, COUNT(of_packed));
	forge_pages();
	unlink(profile);
	unlink(good_path);
	unlink(bad_path);
	return done_testing();
}
