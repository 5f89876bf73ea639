/* parse_test.c - what a query's text means: trees as s-expressions, limits, places. */
#include "engine/lang/ast.h"
#include "engine/lang/parse.h"

#include <stdlib.h>

#include "engine/lang/parse_in.h"
#include "index/base/arena.h"
#include "index/base/err_struct.h"
#include "index/base/err_kind.h"
#include "index/base/out.h"
#include "tests/support/tap.h"

static const struct parse_limits limits = {.text_bytes = 64 << 10, .nesting = 200};

static const char *const op_name[] = {
	[EX_OR] = "or", [EX_AND] = "and", [EX_NOT] = "not", [EX_NEG] = "neg",
	[EX_EQ] = "=",	[EX_NE] = "!=",	  [EX_LT] = "<",    [EX_LE] = "<=",
	[EX_GT] = ">",	[EX_GE] = ">=",	  [EX_MATCH] = "~", [EX_NOT_MATCH] = "!~",
	[EX_IN] = "in", [EX_ADD] = "+",	  [EX_SUB] = "-",   [EX_MUL] = "*",
	[EX_DIV] = "/",
};

static void put_expr(struct out *o, const struct expr *e)
{
	switch (e->op) {
	case EX_NUMBER: out_printf(o, "%g%s", e->number, e->percent ? "%" : ""); return;
	case EX_COL:
		out_printf(o, "%.*s%s%.*s%s", STR_ARG(e->text), e->event.n ? "." : "",
			   STR_ARG(e->event), e->percent ? "%" : "");
		return;
	case EX_TEXT: out_printf(o, "\"%.*s\"", STR_ARG(e->text)); return;
	case EX_REGEX:
		out_printf(o, "/%.*s/%s", STR_ARG(e->text), e->caseless ? "i" : "");
		return;
	case EX_VAR: out_printf(o, "$%.*s", STR_ARG(e->text)); return;
	case EX_CALL: out_printf(o, "(%.*s", STR_ARG(e->text)); break;
	default:
		out_printf(o, "(%s ", op_name[e->op]);
		put_expr(o, e->a);
		break;
	}
	for (const struct expr *i = e->op == EX_CALL ? e->a : e->b; i; i = i->next) {
		out_char(o, ' ');
		put_expr(o, i);
	}
	out_char(o, ')');
}

static const char *const field_name[] = {"fn", "file", "obj", "class", "cycle", "line"};

static void put_set(struct out *o, const struct set *s)
{
	static const char *const quote[] = {"", "\"", "/", "#"};

	if (s->op == SET_VAR) {
		out_printf(o, "$%.*s", STR_ARG(s->text));
	} else if (s->op == SET_ATOM) {
		out_printf(o, "%s%s%s%.*s%s", s->field ? field_name[s->field] : "",
			   s->field ? ":" : "", quote[s->form], STR_ARG(s->text),
			   s->form == MATCH_ID ? "" : quote[s->form]);
	} else {
		out_printf(o, "(%s ",
			   s->op == SET_NOT   ? "not"
			   : s->op == SET_AND ? "and"
					      : "or");
		put_set(o, s->a);
		if (s->b) {
			out_char(o, ' ');
			put_set(o, s->b);
		}
		out_char(o, ')');
	}
}

static const struct {
	const char *text, *want;
} exprs[] = {
	{"1 + 2 * 3", "(+ 1 (* 2 3))"},
	{"(1 + 2) * 3", "(* (+ 1 2) 3)"},
	{"1 - 2 - 3", "(- (- 1 2) 3)"},
	{"-self * 2", "(* (neg self) 2)"},
	{"-2 - -3", "(- (neg 2) (neg 3))"},
	{"a or b and c", "(or a (and b c))"},
	{"not a = b and c", "(and (not (= a b)) c)"},
	{"not not a", "(not (not a))"},
	{"a = 1 or b != 2", "(or (= a 1) (!= b 2))"},
	{"self > 5M and incl.D1mr% <= 5%", "(and (> self 5e+06) (<= incl.D1mr% 5%))"},
	{"D1mr / Dr", "(/ D1mr Dr)"},
	{"self/2", "(/ self 2)"},
	{"fn ~ /a|b/i", "(~ fn /a|b/i)"},
	{"fn !~ \"x\\\"y\"", "(!~ fn \"x\"y\")"},
	{"fn in (\"a\", \"b\")", "(in fn \"a\" \"b\")"},
	{"fn in $hot and self > 1", "(and (in fn $hot) (> self 1))"},
	{"abs(self - incl) > 3", "(> (abs (- self incl)) 3)"},
};

static void test_exprs(void)
{
	for (size_t i = 0; i < COUNT(exprs); i++) {
		struct arena a;
		struct err err = {0};
		struct expr *e = NULL;
		struct out o;

		arena_init(&a, 1 << 20);
		out_mem(&o);
		if (!parse_expr_text(str_c(exprs[i].text), &limits, &a, &e, &err))
			put_expr(&o, e);
		out_char(&o, '\0');
		is_str(err.kind ? err.text : o.buf, exprs[i].want, "%s", exprs[i].text);
		out_close(&o);
		arena_free(&a);
	}
}

static const struct {
	const char *text, *want;
} sets[] = {
	{"a", "a"},
	{"a or b and c", "(or a (and b c))"},
	{"a, b and not c", "(or a (and b (not c)))"},
	{"(a or b) and c", "(and (or a b) c)"},
	{"file:x.c and obj:/libc/", "(and file:x.c obj:/libc/)"},
	{"fn:\"a b\" or #12 or $x", "(or (or \"a b\" #12) $x)"},
	{"std::vector::push_back", "std::vector::push_back"},
	{"lib/x.c", "lib/x.c"},
	{"line:parser.c:120", "line:parser.c:120"},
	{"\"a\\\\b\"", "\"a\\b\""},
};

static void test_sets(void)
{
	for (size_t i = 0; i < COUNT(sets); i++) {
		struct arena a;
		struct err err = {0};
		struct set *s = NULL;
		struct out o;

		arena_init(&a, 1 << 20);
		out_mem(&o);
		if (!parse_set_text(str_c(sets[i].text), &limits, &a, &s, &err))
			put_set(&o, s);
		out_char(&o, '\0');
		is_str(err.kind ? err.text : o.buf, sets[i].want, "%s", sets[i].text);
		out_close(&o);
		arena_free(&a);
	}
}

/* How many statements, stages before and after, and what goes out. */
static const struct {
	const char *text;
	unsigned stmts, gstages, tstages;
	const char *file, *shell;
} queries[] = {
	{"", 0, 0, 0, "", ""},
	{" -- nothing\n\n;;", 0, 0, 0, "", ""},
	{"top", 1, 0, 0, "", ""},
	{"top; top\ntop", 3, 0, 0, "", ""},
	{"focus a | hide b | top | take 1 | as csv", 1, 2, 2, "", ""},
	{"top |\n take 1", 1, 0, 1, "", ""},
	{"top \\\n| take 1", 1, 0, 1, "", ""},
	{"functions | where self > 1M > out.csv", 1, 0, 1, "out.csv", ""},
	{"functions | sort self > out.csv; top", 2, 0, 1, "out.csv", ""},
	{"functions > \"a b.csv\"", 1, 0, 0, "a b.csv", ""},
	{"callers of x > c.json", 1, 0, 0, "c.json", ""},
	{"top ! grep -c '|' ; ls", 1, 0, 0, "", "grep -c '|' ; ls"},
	{"top !~/bin/x", 1, 0, 0, "", "~/bin/x"},
	{"path A -> B; callers A", 2, 0, 0, "", ""},
	{"part 1,2,3 | thread 4 | cut 1.5% | whole | top", 1, 4, 0, "", ""},
	{"With Inlined | whole | top", 1, 2, 0, "", ""},
	{"let x = Ir / Dr; let $y = a or b", 2, 0, 0, "", ""},
};

static void test_queries(void)
{
	for (size_t i = 0; i < COUNT(queries); i++) {
		struct arena a;
		struct err err = {0};
		struct stmt *s = NULL;
		unsigned n = 0, g = 0, t = 0;
		char file[80] = "", shell[80] = "";

		arena_init(&a, 1 << 20);
		ok(!parse_text(str_c(queries[i].text), &limits, &a, &s, &err),
		   "%.*s parses", (int)strcspn(queries[i].text, "\n"), queries[i].text);
		for (const struct stmt *x = s; x; x = x->next) {
			n++;
			for (const struct gstage *k = x->query.gstages; k; k = k->next)
				g++;
			for (const struct tstage *k = x->query.tstages; k; k = k->next)
				t++;
			if (n == 1) {
				snprintf(file, sizeof(file), "%.*s",
					 STR_ARG(x->query.file));
				snprintf(shell, sizeof(shell), "%.*s",
					 STR_ARG(x->query.shell));
			}
		}
		is_u64(n, queries[i].stmts, "  statements");
		is_u64(g, queries[i].gstages, "  graph stages");
		is_u64(t, queries[i].tstages, "  table stages");
		is_str(file, queries[i].file, "  file");
		is_str(shell, queries[i].shell, "  shell");
		arena_free(&a);
	}
}

/* text: n times open, then in the middle, then n times close. */
static struct str nested(struct arena *a, const char *before, const char *open,
			 const char *middle, const char *close, size_t n)
{
	struct out o;
	struct str s;

	out_mem(&o);
	out_c(&o, before);
	for (size_t i = 0; i < n; i++)
		out_c(&o, open);
	out_c(&o, middle);
	for (size_t i = 0; i < n; i++)
		out_c(&o, close);
	s = arena_str(a, (struct str){o.buf, o.n});
	out_close(&o);
	return s;
}

static void test_limits(void)
{
	static const struct {
		const char *before, *open, *middle, *close;
		size_t n;
		int kind;
	} deep[] = {
		{"functions | where ", "(", "self > 1", ")", 150, ERR_NONE},
		{"functions | where ", "(", "self > 1", ")", 201, ERR_LIMIT},
		{"functions | where ", "not ", "self > 1", "", 201, ERR_LIMIT},
		{"functions | sort ", "-", "self", "", 20000, ERR_NONE}, /* a comment */
		{"functions | sort ", "- ", "self", "", 20000, ERR_LIMIT},
		{"callers of ", "(", "a", ")", 150, ERR_NONE},
		{"callers of ", "(", "a", ")", 20000, ERR_LIMIT},
		{"callers of ", "not ", "a", "", 10000, ERR_LIMIT},
		{"callers of ", "a or ", "a", "", 7000, ERR_NONE},
		{"functions | sort ", "self + ", "self", "", 2000, ERR_NONE},
		{"functions | show ", "abs(", "self", ")", 201, ERR_LIMIT},
		{"part 0", ",1", "| top", "", 4095, ERR_NONE},
		{"", "top;", "top", "", 16000, ERR_NONE},
		{"", "top;", "top", "", 17000, ERR_LIMIT},
	};

	for (size_t i = 0; i < COUNT(deep); i++) {
		struct arena a;
		struct err err = {0};
		struct stmt *s;
		struct str text;

		arena_init(&a, 64 << 20);
		text = nested(&a, deep[i].before, deep[i].open, deep[i].middle,
			      deep[i].close, deep[i].n);
		parse_text(text, &limits, &a, &s, &err);
		if (deep[i].kind == ERR_NONE && err.kind == ERR_QUERY)
			err.kind = ERR_NONE;
		is_u64(err.kind, deep[i].kind, "%zu times '%s'", deep[i].n, deep[i].open);
		arena_free(&a);
	}
}

/* What a set or a column stands for, a filter filters: each is read as a query is. */
static void test_long(void)
{
	const struct parse_limits few = {.text_bytes = 5, .nesting = 200};
	struct arena a;
	struct gstage *g;
	struct expr *e;
	struct set *set;

	arena_init(&a, 1 << 20);
	for (int i = 0; i < 3; i++) {
		struct err err = {0};
		int rc = i == 0 ? parse_gstage_text(STR("hide main"), &few, &a, &g, &err)
			 : i == 1 ? parse_expr_text(STR("self + 1"), &few, &a, &e, &err)
				  : parse_set_text(STR("a or bcd"), &few, &a, &set, &err);

		ok(rc == ERR_LIMIT && strstr(err.text, "the limit is 5") &&
			   strstr(err.hint, "--limit text="),
		   "too long: %s", err.text);
	}
	arena_free(&a);
}

static void test_parts(void)
{
	struct arena a;
	struct err err = {0};
	struct stmt *s;

	arena_init(&a, 64 << 20);
	is_u64((uint64_t)parse_text(nested(&a, "part 0", ",1", "| top", "", 4096),
				    &limits, &a, &s, &err),
	       ERR_QUERY, "part: 4097 numbers");
	is_str(err.text, "more than 4096 parts", "  is said");
	arena_free(&a);
}

/* Every prefix of every text ends in an answer, and errors point inside it. */
static void test_prefixes(void)
{
	static const char *const texts[] = {
		"focus a | functions of (\"x\\\"y\", /z/i, #3, $v) | where self > 5% and not fn ~ /q/ "
		"| sort incl / calls asc, fn | show fn, self as s | group by file: sum(self), count "
		"> \"out.csv\"",
		"all 3 paths from a to b via c avoiding d depth 5 min 1.5% by Ir vs base | take 3 ! sh",
		"let $x = file:a.c and not line:b.c:12; let y = Ir / Dr; collapse a as b | top 3",
	};
	bool inside = true;

	for (size_t i = 0; i < COUNT(texts); i++)
		for (size_t n = 0; n <= strlen(texts[i]); n++) {
			struct arena a;
			struct err err = {0};
			struct stmt *s;

			arena_init(&a, 1 << 20);
			if (parse_text((struct str){texts[i], n}, &limits, &a, &s, &err))
				inside &= err.at <= n && err.len > 0 && err.text[0];
			arena_free(&a);
		}
	ok(inside, "errors of every prefix point into the text");
}

/* What was said first stays, with its place: want of memory is no error of the query. */
static void test_first_error(void)
{
	struct err err = {0};
	struct parser p = {.err = &err};

	parse_wrong(&p, (struct span){3, 2}, "the first");
	parse_wrong(&p, (struct span){9, 4}, "the second");
	is_u64((uint64_t)err.kind, ERR_QUERY, "an error");
	ok(strcmp(err.text, "the first") == 0 && err.at == 3 && err.len == 2,
	   "the first one stays: %s", err.text);
	err = (struct err){.kind = ERR_LIMIT, .text = "out of memory"};
	parse_wrong(&p, (struct span){9, 4}, "the second");
	is_u64((uint64_t)err.kind, ERR_LIMIT, "behind want of memory");
	ok(strcmp(err.text, "out of memory") == 0 && err.len == 0, "  which stays");
}

/* One statement after the other: '+' is right, '-' wrong; a wrong one ends where the next
 * begins. */
static void test_next(void)
{
	static const struct {
		const char *name, *text, *want;
	} cases[] = {
		{"none", " ;; -- nothing\n;", ""},
		{"by ; and newline", "top; top 3\n\ntop |\n take 1;;let a = 1", "++++"},
		{"the wrong one is skipped", "top; bogus of x | y; top", "+-+"},
		{"to its newline", "top | where\ntop", "-+"},
		{"over a line that goes on", "bogus x |\n take 1\ntop", "-+"},
		{"; in quotes", "functions | where fn = \"a;b\" | bogus; top", "-+"},
		{"an open quote takes the rest of its line", "callers of \"a; top\ntop",
		 "-+"},
		{"a character without a meaning", "\001\001\ntop", "-+"},
		{"a command behind !", "bogus ! a; b; c\ntop", "-+"},
		{"brackets", "functions | where ((self; top", "-+"},
		{"an open bracket takes lines up to an empty one", "find (a\ntop\n\ntop",
		 "-+"},
		{"lines in brackets", "find (a\n or b\n)\ntop", "++"},
		{"a line that begins with |", "top\n -- why\n  | take 1\ntop", "++"},
		{"after an empty line", "top\n\n| take 1\ntop", "+++"},
		{"an empty line after |", "top |\n\ntop", "-+"},
		{"a comment that begins with #", "top # | where\n#a\nfind #1", "++"},
		{"any case", "TOP 5; Functions | Where self > 5 AND calls > 1 | TAKE 1",
		 "++"},
		{"names that are keywords in another case",
		 "find Max or Of; find MAX; find not Not", "+-+"},
	};

	for (size_t i = 0; i < COUNT(cases); i++) {
		struct str text = str_c(cases[i].text);
		char got[32] = "";
		size_t pos = 0, n = 0, before;
		struct stmt *st;

		do {
			struct arena a;
			struct err err = {0};

			before = pos;
			arena_init(&a, 0);
			if (parse_next(text, &pos, &limits, &a, &st, &err))
				got[n++] = '-';
			else if (st)
				got[n++] = '+';
			arena_free(&a);
		} while (pos > before && n + 1 < sizeof(got));
		is_str(got, cases[i].want, "one by one: %s", cases[i].name);
	}
}

int main(void)
{
	test_next();
	test_first_error();
	test_exprs();
	test_sets();
	test_queries();
	test_limits();
	test_parts();
	test_long();
	test_prefixes();
	return done_testing();
}
