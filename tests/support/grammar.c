/*
 * grammar.c - see grammar.h.
 *
 * One function per rule of the grammar; those that call themselves count how deep they are.
 */
#include "tests/support/grammar.h"

#include <ctype.h>
#include <stdbool.h>
#include <string.h>

#include "engine/lang/format.h"
#include "engine/lang/keywords.h"
#include "index/base/count.h"
#include "index/base/out.h"

#define ONE_OF(g, list) (list)[choose(g, COUNT(list))]

enum {
	DEEP = 6,     /* levels of an expression or set */
	LONG = 2048,  /* bytes from which on nothing optional is added */
	NESTED = 255, /* brackets, at most, where there are many */
};

struct choices {
	const uint8_t *p, *end;
	struct out *o;
	const struct source_words *source;
	bool vs;
	unsigned lets; /* sets that the text has named: $s0, $s1 */
};

static unsigned choose(struct choices *g, size_t n)
{
	return g->p < g->end ? *g->p++ % (unsigned)n : 0;
}

/* Once in n times; never when the bytes or the room are used up. */
static bool once_in(struct choices *g, unsigned n)
{
	return choose(g, n) == n - 1 && g->o->n < LONG;
}

static void word(struct choices *g, const char *s)
{
	out_bytes(g->o, s, strlen(s));
}

/* ---- words ---- */

static const char *const numbers[] = {
	"1",	"2",	   "3",	   "0",	  "10",	   "1k",
	"0.5%", "1.5",	   "5%",   "100", "0x1f",  "1M",
	"2.5G", "0.0001%", "100%", "7",	  "99999", "18446744073709551615",
};
static const char *const counts[] = {"2", "1", "3", "0", "5", "20", "100", "4000000000"};
static const char *const events[] = {
	"Ir",	"Ir",	"Ir",	  "Dr",	 "Dw", "D1mr",
	"CEst", "Time", "Memory", "Bcm", "x",  "nope",
};
static const char *const names[] = {
	"main",
	"*",
	"*a*",
	"m*",
	"*",
	"_*",
	"*e*",
	"{main}",
	"a*",
	"*'2",
	"*_*",
	"s*",
	"_dl_*",
	"malloc",
	"f",
	"str*",
	"lua*",
	"::main",
	"std::*",
	"php::*",
	"(below main)",
	"(anonymous namespace)::*",
	"thread*",
	"geo::Vec",
	"luaV_execute",
	"App->run",
	"main.(*T).m",
	"nobody",
};
static const char *const strings[] = {
	"\"main\"",	 "\"malloc\"", "\"a.c\"",    "\"\"",
	"\"libc.so.6\"", "\"???\"",    "\"a\\\"b\"", "\"operator new(unsigned long)\"",
};
static const char *const regexes[] = {
	"/a/",	     "/^_dl/",	  "/./i", "/^main$/", "/(a|b)+/",
	"/MALLOC/i", "/[^:]+::/", "/x*/", "/(.)\\1/", "/(?=m)./",
};
static const char *const values[] = {"$alloc", "$libc", "$locks", "${d:=malloc or free}",
				     "${r:=/a{1,2}/}"};
static const char *const parts[] = {"alloc", "ma", "LUA", "un", "nobody", "vector::"};
static const char *const fields[] = {"file:", "obj:", "class:", "fn:"};
static const char *const places[] = {"line:1",	"line:30", "line:a.c:30",
				     "cycle:1", "cycle:2", "line:lua.c:5"};
static const char *const files[] = {"libc*", "*.c", "lua*", "*", "tmpl.cpp", "std"};
static const char *const new_names[] = {"x", "y", "ratio", "n_1", "z", "fn"};

/* ---- sets ---- */

static void set(struct choices *g, unsigned deep);

static void named_set(struct choices *g)
{
	if (once_in(g, 32))
		word(g, "$nope");
	else if (!g->lets || once_in(g, 8))
		word(g, ONE_OF(g, values));
	else
		out_printf(g->o, once_in(g, 8) ? "${s%u}" : "$s%u",
			   g->lets ? choose(g, g->lets) : 0);
}

/* A keyword may be in any case. */
static void keyword(struct choices *g, const char *s)
{
	bool upper = once_in(g, 32);

	for (; *s; s++)
		out_char(g->o, upper ? (char)toupper((unsigned char)*s) : *s);
}

static void atom(struct choices *g)
{
	switch (choose(g, 12)) {
	case 5:
		word(g, ONE_OF(g, fields));
		word(g, once_in(g, 4) ? ONE_OF(g, regexes) : ONE_OF(g, files));
		return;
	case 6: word(g, ONE_OF(g, strings)); return;
	case 7:
	case 8: word(g, ONE_OF(g, regexes)); return;
	case 9: out_printf(g->o, "#%u", choose(g, 256)); return;
	case 10:
		if (g->lets || once_in(g, 4)) {
			named_set(g);
			return;
		}
		word(g, ONE_OF(g, names));
		return;
	case 11: word(g, ONE_OF(g, places)); return;
	case 4: word(g, ONE_OF(g, parts)); return;
	default: word(g, ONE_OF(g, names)); return;
	}
}

static void brackets(struct choices *g, const char *open, unsigned n)
{
	for (unsigned i = 0; i < n; i++)
		word(g, open);
}

static void set_operand(struct choices *g, unsigned deep)
{
	unsigned n;

	if (deep < DEEP && once_in(g, 8)) {
		word(g, "not ");
		set_operand(g, deep + 1);
	} else if (deep < DEEP && once_in(g, 8)) {
		word(g, "(");
		set(g, deep + 1);
		word(g, ")");
	} else if (deep == 0 && once_in(g, 64)) {
		n = choose(g, NESTED);
		brackets(g, choose(g, 2) ? "not (" : "(", n);
		atom(g);
		brackets(g, ")", n);
	} else {
		atom(g);
	}
}

static void set(struct choices *g, unsigned deep)
{
	static const char *const joins[] = {" or ", ", ", " and "};

	set_operand(g, deep);
	while (once_in(g, 4)) {
		word(g, ONE_OF(g, joins));
		set_operand(g, deep);
	}
}

/* ---- expressions ---- */

/* The columns of a source, numbers and texts. */
#define FUNCTION_NUMBERS                                                            \
	"self", "incl", "calls", "line", "id", "cycle", "contribution", "incoming", \
		"lo", "hi", "self%", "incl%", "cum%"
#define GROUP_NUMBERS "self", "incl", "functions", "lo", "hi", "self%", "incl%"
#define TREE_NUMBERS                                                                \
	"est", "calls", "incl", "depth", "id", "lo", "hi", "self", "cycle", "est%", \
		"share%", "under"
#define MOST 14

static const struct source_words {
	const char *form; /* "top", a unit, or the verb of a source with clauses */
	const char *number[MOST], *text[7];
} sources[] = {
	{"functions", {FUNCTION_NUMBERS}, {"fn", "file", "obj", "short", "class", "dir"}},
	{"top", {FUNCTION_NUMBERS}, {"fn", "file", "obj", "short", "class", "dir"}},
	{"files", {GROUP_NUMBERS}, {"name"}},
	{"objects", {GROUP_NUMBERS}, {"name"}},
	{"dirs", {GROUP_NUMBERS}, {"name"}},
	{"classes", {GROUP_NUMBERS}, {"name"}},
	{"lines",
	 {"self", "line", "calls_out", "incl_out", "self%"},
	 {"file", "fn", "class", "dir", "inlined"}},
	{"instrs",
	 {"self", "instr", "line", "calls_out", "incl_out"},
	 {"fn", "file", "inlined", "inlined_at"}},
	{"inlined", {"self", "lines", "self%"}, {"file", "fn", "into"}},
	{"calls",
	 {"calls", "incl", "caller_id", "callee_id", "recursive", "incl%"},
	 {"caller", "callee", "caller_file", "callee_file"}},
	{"callsites", {"calls", "incl", "line", "instr"}, {"caller", "callee", "file"}},
	{"jumps",
	 {"executed", "taken", "line", "instr", "to_line", "to_instr", "conditional"},
	 {"fn", "file", "to_fn", "to_file"}},
	{"cycles",
	 {"functions", "self", "incl", "id", "entries", "calls", "cuts", "share%"},
	 {"entry", "costliest", "cut"}},
	{"contexts",
	 {"self", "incl", "calls", "id", "under", "depth", "fn_id", "self%", "incl%"},
	 {"fn", "file", "obj", "short", "class", "dir"}},
	{"activations",
	 {"number", "start", "incl", "self", "depth", "calls", "line", "caller_id"},
	 {"fn", "file", "caller", "short", "class", "dir"}},
	{"timeline", {"start", "incl", "self", "depth", "calls", "id"}, {"fn"}},
	{"parts",
	 {"self", "part", "pid", "thread", "functions"},
	 {"trigger", "desc", "file"}},
	{"threads", {"self", "parts", "pid", "thread"}, {"trigger", "desc"}},
	{"events", {"total"}, {"name", "long", "formula"}},
	{"profiles", {"functions", "total"}, {"name", "path", "event"}},
	{"callers", {TREE_NUMBERS}, {"fn", "file", "obj", "class", "dir"}},
	{"callees", {TREE_NUMBERS}, {"fn", "file", "obj", "class", "dir"}},
	{"calltree", {TREE_NUMBERS}, {"fn", "file", "obj", "class", "dir"}},
	{"path",
	 {"est", "calls", "incl", "path", "step", "id", "line", "lo", "hi", "est%"},
	 {"fn", "file"}},
	{"causes", {"calls", "lo", "hi", "share%", "estimated"}, {"calls"}},
	{"cost", {"est", "self", "incl", "lo", "hi", "exact", "est%"}, {"self"}},
	{"find", {FUNCTION_NUMBERS}, {"fn", "file", "obj", "short", "class", "dir"}},
	{"info", {"self", "incl", "calls", "line", "total"}, {"fn", "file", "obj"}},
	{"why",
	 {"share%", "delta", "from", "to", "line"},
	 {"why", "fn", "callee", "kind", "below", "file", "context"}},
	{"source", {"self", "line", "calls", "incl"}, {"kind", "file", "callee", "text"}},
	{"asm", {"self", "instr", "line", "calls", "incl"}, {"kind", "obj", "text"}},
	{"_", {FUNCTION_NUMBERS}, {"fn", "name", "file"}},
};

static const char *listed(struct choices *g, const char *const *list, size_t max)
{
	size_t n = 0;

	while (n < max && list[n])
		n++;
	return list[choose(g, n)];
}

static const struct source_words *columns_of(struct choices *g)
{
	return once_in(g, 32) ? &ONE_OF(g, sources) : g->source;
}

static void number_column(struct choices *g)
{
	static const char *const of_vs[] = {"delta", "base", "delta%", "delta_incl",
					    "base_incl"};
	const struct source_words *s;

	switch (choose(g, 12)) {
	case 8: word(g, ONE_OF(g, events)); return;
	case 9:
		out_printf(g->o, "%s.%s%s", once_in(g, 2) ? "incl" : "self",
			   ONE_OF(g, events), once_in(g, 4) ? "%" : "");
		return;
	case 10:
		if (g->vs || once_in(g, 16)) {
			word(g, ONE_OF(g, of_vs));
			return;
		}
		/* fall through */
	case 11:
		if (once_in(g, 4)) {
			word(g, ONE_OF(g, new_names));
			return;
		}
		/* fall through */
	default: s = columns_of(g); word(g, listed(g, s->number, MOST));
	}
}

static void text_column(struct choices *g)
{
	const struct source_words *s = columns_of(g);

	word(g, listed(g, s->text, COUNT(s->text)));
}

static void text(struct choices *g)
{
	static const char *const calls[] = {"basename(", "dirname(", "short("};
	static const char *const replaced[] = {", /a/, \"\")", ", /^(.)/i, \"$1\")",
					       ", /[0-9]+/, \"n\")"};

	if (once_in(g, 8)) {
		word(g, "replace(");
		text_column(g);
		word(g, ONE_OF(g, replaced));
	} else if (once_in(g, 4)) {
		word(g, ONE_OF(g, calls));
		text_column(g);
		word(g, ")");
	} else {
		text_column(g);
	}
}

static void condition(struct choices *g, unsigned deep);

static void number(struct choices *g, unsigned deep)
{
	static const char *const joins[] = {" / ", " + ", " - ", " * "};
	unsigned n;

	switch (deep < DEEP ? choose(g, 16) : 0) {
	case 8:
	case 9:
		if (g->lets && once_in(g, 4))
			named_set(g);
		else
			word(g, ONE_OF(g, numbers));
		break;
	case 10:
		word(g, "- "); /* not "--", which begins a comment */
		number(g, deep + 1);
		break;
	case 11:
		word(g, "(");
		number(g, deep + 1);
		word(g, ")");
		break;
	case 12:
		word(g, "abs(");
		number(g, deep + 1);
		word(g, ")");
		break;
	case 13:
		n = deep == 0 && once_in(g, 4) ? choose(g, NESTED) : 1;
		brackets(g, choose(g, 2) ? "abs(" : "(", n);
		number_column(g);
		brackets(g, ")", n);
		break;
	case 14:
		word(g, "(");
		condition(g, deep + 1);
		word(g, ")");
		break;
	default: number_column(g);
	}
	while (deep < DEEP && once_in(g, 6)) {
		word(g, ONE_OF(g, joins));
		number(g, deep + 1);
	}
}

static void listed_in(struct choices *g, unsigned deep)
{
	bool of_text = !once_in(g, 3);

	if (of_text)
		text(g);
	else
		number(g, deep + 1);
	word(g, " in (");
	do {
		if (of_text && !once_in(g, 4))
			word(g, ONE_OF(g, strings));
		else if (of_text)
			text(g);
		else
			number(g, deep + 1);
	} while (once_in(g, 3) && (word(g, ", "), true));
	word(g, ")");
}

static void comparison(struct choices *g, unsigned deep)
{
	static const char *const ops[] = {" > ", " < ", " = ", " != ", " >= ", " <= "};
	static const char *const likes[] = {" ~ ", " !~ "};
	static const char *const equal[] = {" = ", " != ", " > ", " <= "};

	switch (choose(g, 8)) {
	case 4:
		text(g);
		word(g, ONE_OF(g, likes));
		word(g, choose(g, 2) ? ONE_OF(g, strings) : ONE_OF(g, regexes));
		break;
	case 5:
		text(g);
		word(g, ONE_OF(g, equal));
		if (once_in(g, 3))
			text(g);
		else
			word(g, ONE_OF(g, strings));
		break;
	case 6: listed_in(g, deep); break;
	case 7:
		if (g->lets) {
			word(g, "fn in ");
			named_set(g);
		} else {
			word(g, "fn in (\"main\")");
		}
		break;
	default:
		number(g, deep + 1);
		word(g, ONE_OF(g, ops));
		if (choose(g, 3))
			number(g, deep + 1);
		else
			word(g, ONE_OF(g, numbers));
	}
}

static void condition(struct choices *g, unsigned deep)
{
	static const char *const joins[] = {" and ", " or "};

	if (deep < DEEP && once_in(g, 6)) {
		word(g, "not ");
		condition(g, deep + 1);
		return;
	}
	if (deep < DEEP && once_in(g, 6)) {
		word(g, "(");
		condition(g, deep + 1);
		word(g, ")");
	} else {
		comparison(g, deep);
	}
	while (once_in(g, 4)) {
		word(g, ONE_OF(g, joins));
		comparison(g, deep);
	}
}

/* ---- sources ---- */

static void by_event(struct choices *g)
{
	if (once_in(g, 6))
		out_printf(g->o, " by %s", ONE_OF(g, events));
}

static void of_set(struct choices *g, unsigned once)
{
	if (!once_in(g, once))
		return;
	word(g, " of ");
	set(g, 0);
}

static void number_clause(struct choices *g, const char *clause, bool whole)
{
	out_printf(g->o, " %s ", clause);
	if (g->lets && once_in(g, 8))
		named_set(g);
	else
		word(g, whole ? ONE_OF(g, counts) : ONE_OF(g, numbers));
}

static void set_clause(struct choices *g, const char *clause)
{
	out_printf(g->o, " %s ", clause);
	set(g, 2);
}

/* Clauses of a verb other than its first sets, each at most once. */
static void clauses(struct choices *g, unsigned may)
{
	static const char *const numeric[] = {"min", "max"};

	if ((may & C_DEPTH) && once_in(g, 2)) {
		if (once_in(g, 6))
			word(g, " depth all");
		else
			number_clause(g, "depth", true);
	}
	if ((may & C_UNDER) && once_in(g, 3))
		set_clause(g, "under");
	if ((may & C_VIA) && once_in(g, 4))
		set_clause(g, "via");
	if ((may & C_AVOIDING) && once_in(g, 4))
		set_clause(g, "avoiding");
	for (unsigned i = 0; i < COUNT(numeric); i++)
		if ((may & (i ? C_MAX : C_MIN)) && once_in(g, 4))
			number_clause(g, numeric[i], i == 1);
	if (may & C_BY)
		by_event(g);
}

static void top(struct choices *g)
{
	static const char *const unit[] = {
		"functions", "files", "objects", "dirs",      "classes",
		"lines",     "calls", "cycles",	 "callsites", "instrs",
		"jumps",     "parts", "inlined", "contexts",  "activations"};

	word(g, "top");
	if (once_in(g, 2))
		out_printf(g->o, " %s", ONE_OF(g, counts));
	if (once_in(g, 3))
		out_printf(g->o, " %s", ONE_OF(g, unit));
	of_set(g, 6);
	if (once_in(g, 3)) {
		word(g, " by ");
		number(g, 2);
	}
}

static void path(struct choices *g)
{
	static const char *const kinds[] = {"", "shortest ", "widest ", "all ",
					    "hottest "};
	const char *kind = ONE_OF(g, kinds);
	const struct verb *v = verb_find(STR("path"));

	word(g, kind);
	if (*kind && once_in(g, 3))
		out_printf(g->o, "%s ", ONE_OF(g, counts));
	word(g, choose(g, 2) ? "paths" : "path");
	if (once_in(g, 4)) {
		out_printf(g->o, " %s -> %s", ONE_OF(g, names), ONE_OF(g, names));
	} else {
		set_clause(g, "from");
		set_clause(g, "to");
	}
	clauses(g,
		v->clauses & (strcmp(kind, "all ") ? ~(unsigned)(C_MAX | C_MIN) : ~0u));
}

static void calltree(struct choices *g)
{
	static const char *const ends[] = {"from", "to"};

	word(g, "calltree");
	if (!once_in(g, 4))
		set_clause(g, ONE_OF(g, ends));
	clauses(g, C_DEPTH | C_MIN | C_MAX | C_AVOIDING | C_BY);
}

static void source(struct choices *g)
{
	const struct verb *v;
	const char *form;

	g->source = &ONE_OF(g, sources);
	form = g->source->form;
	v = verb_find(str_c(form));
	if (v->kind == S_PATH) {
		path(g);
	} else if (v->kind == S_CALLTREE) {
		calltree(g);
	} else if (strcmp(form, "top") == 0) {
		top(g);
	} else {
		if (once_in(g, 64)) {
			word(g, ONE_OF(g, names));
			return;
		}
		keyword(g, form);
		if ((v->kind == S_CALLS || v->kind == S_CALLSITES) && once_in(g, 2)) {
			bool from = choose(g, 2);

			set_clause(g, from ? "from" : "to");
			if (from && once_in(g, 3))
				set_clause(g, "to");
		} else if (v->clauses & C_NEEDS_OF)
			set_clause(g,
				   (v->clauses & C_SHORT) && once_in(g, 4) ? "" : "of");
		else if (v->clauses & C_OF)
			of_set(g, 4);
		clauses(g, v->clauses);
	}
	g->vs = v->kind == S_WHY ? !once_in(g, 8) : v->kind != S_PATH && once_in(g, 8);
	if (g->vs)
		word(g, choose(g, 8) ? choose(g, 8) ? " vs other" : " vs other, base"
				     : " vs base");
}

/* ---- stages ---- */

static void ranges(struct choices *g)
{
	unsigned first;

	do {
		first = once_in(g, 2) ? choose(g, 6) + 1 : 1;
		out_printf(g->o, "%u", first);
		if (once_in(g, 3))
			out_printf(g->o, "-%u", first + choose(g, 4));
	} while (once_in(g, 4) && (word(g, ","), true));
}

static void gstage(struct choices *g)
{
	static const char *const by_set[] = {"hide", "focus", "ignore", "collapse"};
	static const char *const by[] = {"file", "object", "class", "dir", "${by:=file}"};
	const char *stage;

	switch (choose(g, 14)) {
	case 13:
		out_printf(g->o, "between %u%s and %u%s", choose(g, 90),
			   choose(g, 2) ? "%" : "", 90 + choose(g, 90),
			   choose(g, 2) ? "us" : "");
		break;
	case 11:
		word(g, "activation ");
		ranges(g);
		word(g, " of ");
		set(g, 1);
		break;
	case 12:
		out_printf(g->o, "%s %u activations of ",
			   choose(g, 3) ? "slowest" : "usual", choose(g, 5));
		set(g, 1);
		break;
	case 0: word(g, choose(g, 2) ? "contexts" : "whole"); break;
	case 10: word(g, "with inlined"); break;
	case 1: out_printf(g->o, "cut %u%%", choose(g, 101)); break;
	case 2: word(g, choose(g, 4) ? "in base" : "in other"); break;
	case 3:
	case 4:
		word(g, choose(g, 2) ? "thread " : "part ");
		ranges(g);
		break;
	case 5: out_printf(g->o, "collapse by %s", ONE_OF(g, by)); break;
	default:
		stage = ONE_OF(g, by_set);
		out_printf(g->o, "%s ", stage);
		set(g, 1);
		if (strcmp(stage, "collapse") == 0 && once_in(g, 2))
			out_printf(g->o, " as %s",
				   choose(g, 2) ? "\"the rest\"" : "rest");
	}
}

static void column(struct choices *g)
{
	if (choose(g, 3) == 2)
		text(g);
	else
		number(g, 3);
}

static void columns(struct choices *g, const char *after, bool aggregates)
{
	static const char *const aggregate[] = {"sum",	  "max", "min", "avg",
						"median", "p90", "p99"};

	word(g, after);
	do {
		if (aggregates && choose(g, 4)) {
			if (once_in(g, 4)) {
				word(g, choose(g, 2) ? "count" : "count()");
			} else {
				out_printf(g->o, "%s(", ONE_OF(g, aggregate));
				number(g, 3);
				word(g, ")");
			}
		} else {
			column(g);
		}
		if (once_in(g, 5))
			out_printf(g->o, " as %s",
				   choose(g, 4) ? ONE_OF(g, new_names) : "\"a b\"");
	} while (once_in(g, 2) && (word(g, ", "), true));
}

static void keys(struct choices *g)
{
	static const char *const ways[] = {"", " asc", " desc"};

	word(g, once_in(g, 8) ? "sort by " : "sort ");
	do {
		column(g);
		word(g, ONE_OF(g, ways));
	} while (once_in(g, 3) && (word(g, ", "), true));
}

static void tstage(struct choices *g)
{
	switch (choose(g, 13)) {
	case 1:
	case 2:
		keyword(g, "where ");
		condition(g, 0);
		break;
	case 3: keys(g); break;
	case 4: out_printf(g->o, "skip %s", ONE_OF(g, counts)); break;
	case 5: columns(g, "show ", false); break;
	case 6:
	case 7:
		out_printf(g->o, "add %s = ", ONE_OF(g, new_names));
		number(g, 0);
		break;
	case 8:
	case 9:
		columns(g, "group by ", false);
		if (once_in(g, 2))
			columns(g, ": ", true);
		break;
	case 10: word(g, choose(g, 2) ? "count" : "sum"); break;
	case 11:
		out_printf(g->o, "as %s", formats[1 + choose(g, FORMAT_END - 1)].name);
		break;
	case 12:
		word(g, "expect ");
		if (choose(g, 2))
			condition(g, 1);
		else
			word(g, choose(g, 2) ? "none" : "some");
		break;
	default: out_printf(g->o, "take %s", ONE_OF(g, counts));
	}
}

/* ---- statements ---- */

static void pipe(struct choices *g)
{
	static const char *const ways[] = {" | ",
					   "|",
					   " |\n",
					   " | -- a comment\n",
					   "\t|  ",
					   "\n| ",
					   " # why\n -- this\n  | "};

	word(g, once_in(g, 8) ? ONE_OF(g, ways) : ways[0]);
}

static void output(struct choices *g)
{
	static const char *const ways[] = {" > x.csv", " ! cat", " > \"a b.html\""};

	if (once_in(g, 32))
		word(g, ONE_OF(g, ways));
}

static void query(struct choices *g)
{
	while (once_in(g, 3)) {
		gstage(g);
		pipe(g);
	}
	if (once_in(g, 64)) { /* goes on from the last answer */
		word(g, "| ");
		tstage(g);
	} else {
		source(g);
	}
	while (once_in(g, 2)) {
		pipe(g);
		tstage(g);
	}
	output(g);
}

static void let(struct choices *g)
{
	g->source = sources;
	if (choose(g, 2)) {
		out_printf(g->o, "let %s = ", ONE_OF(g, new_names));
		number(g, 1);
	} else {
		out_printf(g->o, "let $s%u = ", g->lets);
		if (once_in(g, 4))
			word(g, choose(g, 2) ? ONE_OF(g, numbers) : ONE_OF(g, strings));
		else
			set(g, 1);
		g->lets++;
	}
}

/* A byte goes, another comes, or the text ends: such a text need not parse. */
static void spoil(struct choices *g, size_t from)
{
	static const char bytes[] = "|,;()\"/$#%'\\\n->=<~:.{}0a \xff";
	struct out *o = g->o;
	size_t n = o->n - from, at;

	for (unsigned i = choose(g, 3) + 1; i && n; i--) {
		at = from + (choose(g, 256) * 256u + choose(g, 256)) % n;
		switch (choose(g, 4)) {
		case 0: o->buf[at] = bytes[choose(g, sizeof(bytes) - 1)]; break;
		case 1:
			memmove(o->buf + at, o->buf + at + 1, o->n - at - 1);
			o->n--;
			n--;
			break;
		case 2: o->buf[at] = (char)choose(g, 256); break;
		case 3:
			if (at > from)
				o->n = at;
			n = o->n - from;
		}
	}
}

void grammar_text(const uint8_t *p, size_t n, struct out *o)
{
	struct choices g = {.p = p, .end = n ? p + n : p, .o = o, .source = sources};
	size_t from = o->n;
	bool spoiled = once_in(&g, 16);

	for (unsigned i = 0; i < GRAMMAR_STATEMENTS; i++) {
		if (once_in(&g, i ? 3 : 4))
			let(&g);
		else
			query(&g);
		if (i + 1 == GRAMMAR_STATEMENTS || !once_in(&g, 4))
			break;
		word(&g, choose(&g, 2) ? "\n" : "; ");
	}
	if (spoiled)
		spoil(&g, from);
}
