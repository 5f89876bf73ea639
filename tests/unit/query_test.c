/* query_test.c - sessions: what is kept, what is refused, what may come next. */
#include "engine/lang/col_type.h"
#include "engine/lang/result.h"
#include "engine/names/fnset.h"
#include "engine/names/found.h"
#include "engine/query.h"

#include <stdlib.h>

#include "index/base/arena.h"
#include "index/base/err.h"
#include "index/build.h"
#include "tests/support/tap.h"

static const char *const profile = "tests/fixtures/small/tmpl-cachebranch.out";

struct seen {
	unsigned results;
	size_t rows, notes;
	uint64_t before;
	char source[40], event[40], file[80], first[200], footer[200];
};

static int look(void *arg, const struct result *r, struct err *err)
{
	struct seen *s = arg;
	const struct column *fn = result_col(r, STR("fn"));

	(void)err;
	s->results++;
	s->rows = r->rows;
	s->notes = r->nnotes;
	s->before = r->rows_before;
	snprintf(s->source, sizeof(s->source), "%s", r->source);
	snprintf(s->event, sizeof(s->event), "%.*s", STR_ARG(r->event));
	snprintf(s->file, sizeof(s->file), "%.*s", STR_ARG(r->file));
	snprintf(s->footer, sizeof(s->footer), "%.*s", STR_ARG(r->footer));
	snprintf(s->first, sizeof(s->first), "%.*s", fn && r->rows ? (int)fn->s[0].n : 0,
		 fn && r->rows ? fn->s[0].p : "");
	return 0;
}

static struct session *session;

/* A machine that is busy makes a query wait for more than the usual minute. */
static const struct session_limits patient = {.seconds = 3600};

static int run(const char *text, struct seen *seen, struct err *err)
{
	struct arena a;

	memset(seen, 0, sizeof(*seen));
	err_clear(err);
	arena_init(&a, 0);
	query_run(session, str_c(text), &a, look, seen, err);
	arena_free(&a);
	return err->kind;
}

static void test_results(void)
{
	struct seen s;
	struct err err = {0};

	is_u64(run("top 3", &s, &err), 0, "top 3");
	is_u64(s.rows, 3, "  rows");
	is_u64(s.before, 607, "  of");
	is_str(s.source, "functions", "  source");
	is_str(s.first, "_dl_lookup_symbol_x", "  the hottest first");
	is_str(s.footer,
	       "3 of 607 functions = 54.9 % of 2.86 M Ir; 49 % of that is inlined: "
	       "top inlined",
	       "  footer");
	is_u64(run("_ | skip 1", &s, &err), 0, "_ is the last result");
	is_str(s.first, "do_lookup_x", "  its second row");
	is_u64(run("tpo", &s, &err), ERR_QUERY, "an error");
	is_u64(run("_", &s, &err), 0, "does not destroy _");
	is_u64(s.rows, 2, "  which is the one before");
	is_u64(run("top 1; top 2; nope; top 3", &s, &err), ERR_QUERY, "a wrong script");
	is_u64(s.results, 0, "runs nothing: it is read first");
	is_u64(run("top 1; find no_such_fn; top 3", &s, &err), ERR_QUERY,
	       "an error later");
	is_u64(s.results, 1, "  stops there");
	is_u64(err.at, 12, "  and is shown there");
	is_u64(run("functions | take 2 | expect none", &s, &err), ERR_EXPECT,
	       "expect fails");
	is_u64(s.rows, 2, "  and the offenders are shown");
}

static void test_lets(void)
{
	struct seen s;
	struct err err = {0};

	is_u64(run("let CPI = CEst / Ir; let $m = malloc or free", &s, &err), 0, "lets");
	is_u64(run("functions of $m | sort CPI", &s, &err), 0, "are kept");
	is_u64(s.rows, 2, "  rows");
	is_u64(run("let CPI = Ir; functions | sort CPI | take 1", &s, &err), 0,
	       "redefined");
	is_str(s.first, "_dl_lookup_symbol_x", "  and used");
	is_u64(run("let y = Nope", &s, &err), ERR_QUERY, "an unknown event in a let");
	is_u64(run("functions | sort y", &s, &err), ERR_QUERY, "  defines nothing");
}

static void test_event(void)
{
	struct seen s;
	struct err err = {0};

	is_u64((uint64_t)session_set_event(session, STR("D1Mr"), &err), ERR_QUERY,
	       "bad event");
	is_str(err.hint, "did you mean 'D1mr'?", "  hint");
	err_clear(&err);
	is_u64((uint64_t)session_set_event(session, STR("D1mr"), &err), 0, "event D1mr");
	run("top 1", &s, &err);
	is_str(s.event, "D1mr", "  is asked");
	is_str(s.first, "_dl_relocate_object", "  and ranks");
	run("top 1 by Ir", &s, &err);
	is_str(s.event, "Ir", "  by wins");
	session_set_event(session, STR("Ir"), &err);
}

static void test_filters(void)
{
	struct seen s;
	struct err err = {0};

	is_u64((uint64_t)session_push(session, STR("focus man |"), &err), ERR_QUERY,
	       "push reads one graph stage");
	err_clear(&err);
	is_u64((uint64_t)session_push(session, STR("focus main"), &err), 0, "push");
	is_u64(session_filters(session), 1, "  one in force");
	run("top 1", &s, &err);
	is_str(s.first, "_int_free", "  and used");
	is_u64((uint64_t)session_pop(session, &err), 0, "pop");
	run("top 1", &s, &err);
	is_str(s.first, "_dl_lookup_symbol_x", "  as before");
	is_u64((uint64_t)session_pop(session, &err), ERR_QUERY, "nothing to pop");
	err_clear(&err);
	is_u64((uint64_t)session_push(session, STR("focus no_such_fn"), &err), ERR_QUERY,
	       "a filter that matches nothing");
	ok(err.at == 6 && err.len == 10, "  its name is the place");
	is_u64(session_filters(session), 0, "  and it is not in force");
	err_clear(&err);
	session_push(session, STR("hide main"), &err);
	is_u64((uint64_t)session_push(session, STR("focus main"), &err), ERR_QUERY,
	       "a filter that those before leave nothing for");
	err_clear(&err);
	session_pop(session, &err);
}

/* The graph of the stages is kept, but not what the answer is made of. */
/* Queries that differ in a late word, or in what a word stands for, do not share a graph. */
static void test_graph_keys(void)
{
	enum { NAMES = 700 };
	char text[NAMES * 12 + 100], names[NAMES * 12];
	uint64_t rows[2], counted;
	struct seen s;
	struct err err = {0};
	size_t n = 0;

	for (unsigned i = 0; i < NAMES; i++)
		n += (size_t)snprintf(names + n, sizeof(names) - n, "%sabsent%u",
				      i ? " or " : "", i % 10);
	for (unsigned i = 0; i < 2; i++) {
		snprintf(text, sizeof(text), "hide (%s or malloc) | hide %s | functions",
			 names, i ? "_dl*" : "free");
		is_u64(run(text, &s, &err), 0, "a set of %zu bytes, then another stage",
		       n);
		rows[i] = s.rows;
	}
	run("hide malloc | hide free | functions", &s, &err);
	is_u64(rows[0], s.rows, "  the first");
	run("hide malloc | hide _dl* | functions", &s, &err);
	is_u64(rows[1], s.rows, "  the second is not answered from the first");
	for (unsigned i = 0; i < 2; i++) {
		snprintf(text, sizeof(text),
			 "let $long = %s or %s; hide $long | functions", names,
			 i ? "_dl*" : "malloc");
		is_u64(run(text, &s, &err), 0, "a long let");
		rows[i] = s.rows;
	}
	run("hide malloc | functions", &s, &err);
	counted = s.rows;
	is_u64(rows[0], counted, "  what it stands for");
	ok(rows[1] < counted, "  what it stands for after a change: %llu rows",
	   (unsigned long long)rows[1]);
}

static void test_kept_graphs(void)
{
	static const char *const same[] = {
		"hide main | cut 5% | top 2",
		"collapse mall* as m | functions of m",
		"collapse by file | calls | take 3",
		"focus malloc | path from main to malloc",
		"with inlined | cut 1% | calls | take 3",
		"ignore malloc | callees of main",
	};
	struct seen s, t;
	struct err err = {0};

	for (size_t i = 0; i < COUNT(same); i++) {
		char text[80];

		snprintf(text, sizeof(text), "%s", same[i]);
		run(text, &s, &err);
		memset(text, 'x', sizeof(text)); /* names are no views of the text */
		for (int k = 0; k < 6; k++)	 /* others push it out of the cache */
			if (k % 2) {
				snprintf(text, sizeof(text),
					 "focus main | hide #%zu%d | top 1", i + 1, k);
				run(text, &t, &err);
			} else {
				run(same[i], &t, &err);
				ok(err.kind == ERR_NONE && memcmp(&s, &t, sizeof(s)) == 0,
				   "again: %s", same[i]);
			}
	}
	run("cut 5% | top 1", &s, &err);
	is_u64(s.notes, 1, "a note of a stage");
	run("cut 5% | functions", &t, &err);
	is_u64(t.notes, 1, "  comes with the kept graph, too");
	run("cut 5% | functions by D1mr", &t, &err);
	is_str(t.event, "D1mr", "a stage by another event");
	run("let $k = malloc; focus $k | functions", &s, &err);
	run("let $k = free; focus $k | functions", &t, &err);
	ok(s.rows != t.rows, "a set that was defined again is another stage");
}

static void test_limits(void)
{
	static const struct {
		const char *name, *text;
		struct session_limits limits;
		int kind;
	} cases[] = {
		{"rows", "functions", {.rows = 100}, ERR_LIMIT},
		{"rows are not counted before they are read",
		 "top 5",
		 {.rows = 1000},
		 ERR_NONE},
		{"memory", "functions | sort fn", {.arena_bytes = 4096}, ERR_LIMIT},
		{"text", "top 10", {.text_bytes = 5}, ERR_LIMIT},
		{"nesting", "functions | sort ((self))", {.nesting = 2}, ERR_LIMIT},
	};
	atomic_int stop = 1;
	struct seen s;
	struct err err = {0};

	for (size_t i = 0; i < COUNT(cases); i++) {
		session_set_limits(session, &cases[i].limits);
		is_u64(run(cases[i].text, &s, &err), cases[i].kind, "limit: %s",
		       cases[i].name);
	}
	session_set_limits(session, &patient);
	is_u64(run("top 5", &s, &err), 0, "a last result");
	session_set_limits(session, &(struct session_limits){.rows = 4});
	is_u64(run("_", &s, &err), ERR_LIMIT, "limit: rows of the last result");
	is_u64(s.results, 0, "  of which none is shown");
	session_set_limits(session, &patient);
	is_u64(run("_", &s, &err), 0, "  and which is still there");
	is_u64(s.rows, 5, "  whole");
	err_clear(&err);
	session_push(session, STR("focus main"), &err);
	session_set_limits(session, &cases[3].limits);
	is_u64(run("top", &s, &err), ERR_LIMIT, "limit: text of a filter in force");
	session_set_limits(session, &patient);
	session_pop(session, &err);
	session_set_cancel(session, &stop);
	is_u64(run("lines", &s, &err), ERR_CANCEL, "cancelled");
	session_set_cancel(session, NULL);
	session_set_safe(session, true);
	is_u64(run("top > x.csv", &s, &err), ERR_QUERY, "> under --safe");
	is_u64(run("top ! ls", &s, &err), ERR_QUERY, "! under --safe");
	session_set_safe(session, false);
	is_u64(run("top > x.csv", &s, &err), 0, "> is passed on");
	is_str(s.file, "x.csv", "  with its name");
}

/* 2^40 sets in 600 bytes: only the limit of seconds ends this. */
static void test_seconds(void)
{
	struct session_limits one = {.seconds = 1};
	char text[2000] = "let $v0 = * or *;";
	struct seen s;
	struct err err = {0};
	size_t n = strlen(text);

	for (int i = 0; i < 40; i++)
		n += (size_t)snprintf(text + n, sizeof(text) - n,
				      " let $v%d = $v%d or $v%d;", i + 1, i, i);
	snprintf(text + n, sizeof(text) - n, " functions of $v40 | count");
	session_set_limits(session, &one);
	is_u64(run(text, &s, &err), ERR_LIMIT, "sets of sets of sets end in time");
	ok(strstr(err.text, "took longer than its limit of 1 s"),
	   "  and say so: %.60s ...", err.text);
	session_set_limits(session, &patient);
}

static void test_incomplete(void)
{
	static const struct {
		const char *text;
		bool more;
	} cases[] = {
		{"", false},
		{"top", false},
		{"top |", true},
		{"top | ", true},
		{"top \\", true},
		{"find \"abc", false}, /* a quote ends with its line */
		{"find \"abc\"", false},
		{"callers of", false},
		{"path from a", false},
		{"path from a to", false},
		{"path from a to b", false},
		{"functions | where (self > 1", true},
		{"functions | where (self > 1; top", false},
		{"functions | where self >", false},
		{"find (a\nor b", true},
		{"find (a\n\nor b", false}, /* an empty line ends it */
		{"functions\n| take", false},
		{"functions\n|", true},
		{"top # 5 |", false},
		{"functions | show fn,", true},
		{"tpo", false},
		{"callers", false},
		{"callers of a or", false},
		{"let x =", false},
		{"callers of B::operator|", false},
	};

	for (size_t i = 0; i < COUNT(cases); i++)
		ok(query_incomplete(str_c(cases[i].text)) == cases[i].more, "'%s' is %s",
		   cases[i].text, cases[i].more ? "unfinished" : "whole");
}

static void test_context(void)
{
	static const struct {
		const char *text;
		unsigned want;
		size_t word_at;
	} cases[] = {
		{"", WANT_VERB | WANT_STAGE, 0},
		{"to", WANT_VERB | WANT_STAGE, 0},
		{"callers of ma", WANT_FUNCTION, 11},
		{"callers of \"std::", WANT_FUNCTION, 12},
		{"callers ma", WANT_FUNCTION | WANT_KEYWORD, 8},
		{"callers of main ", WANT_KEYWORD, 16},
		{"path from main to ma", WANT_FUNCTION, 18},
		{"find file:par", WANT_SOURCE_FILE, 10},
		{"find obj:lib", WANT_OBJECT, 9},
		{"top 5 by D", WANT_EVENT | WANT_COLUMN, 9},
		{"callers of x by D", WANT_EVENT, 16},
		{"top | ", WANT_STAGE, 6},
		{"top | wh", WANT_STAGE, 6},
		{"focus main | ", WANT_VERB | WANT_STAGE, 13},
		{"focus ma", WANT_FUNCTION, 6},
		{"functions | where se", WANT_COLUMN | WANT_EVENT, 18},
		{"functions | sort self, in", WANT_COLUMN | WANT_EVENT, 23},
		{"functions | sort self.", WANT_EVENT, 22},
		{"functions | wher self | so", WANT_STAGE, 24},
		{"functions of /a|b", 0, 17},
		{"callers of Fig->ar", WANT_FUNCTION, 11},
		{"path Fig->ar", WANT_FUNCTION, 10},
		{"top > a; ca", WANT_VERB | WANT_STAGE, 9},
		{"let $x = ma", WANT_FUNCTION | WANT_COLUMN | WANT_EVENT, 9},
		{"functions vs ba", WANT_PROFILE, 13},
		{"in ba", WANT_PROFILE, 3},
		{"top | as cs", WANT_FORMAT, 9},
		{"top > out", WANT_FILE, 6},
		{"top; ca", WANT_VERB | WANT_STAGE, 5},
		{"top 5 fi", WANT_KEYWORD, 6},
		{"let x = D", WANT_COLUMN | WANT_EVENT, 8},
	};

	for (size_t i = 0; i < COUNT(cases); i++) {
		struct query_context c;

		query_context(session, str_c(cases[i].text), &c);
		is_u64(c.want, cases[i].want, "'%s' wants", cases[i].text);
		is_u64(c.word_at, cases[i].word_at, "'%s' word", cases[i].text);
	}
}

/* What may follow: clauses that were not said yet, operators of sets, the pipe. */
static void test_keywords(void)
{
	static const struct {
		const char *text, *words;
	} cases[] = {
		{"callers of main ", "and or depth min max by vs |"},
		{"callers main ", "and or depth min max by vs |"},
		{"callers of main depth 2 ", "min max by vs |"},
		{"callers ", "of depth min max by vs"},
		{"functions ", "of by vs |"},
		{"functions of main ", "and or by vs |"},
		{"calltree ", "from to avoiding depth min max by vs |"},
		{"calltree from main ", "and or avoiding depth min max by vs |"},
		{"path from main ", "and or to via avoiding depth min by"},
		{"path from main to x ", "and or via avoiding depth min by |"},
		{"cost of x ", "and or under via avoiding by vs |"},
		{"cost of x under main ", "and or via avoiding by vs |"},
		{"callers of #12 ", "and or depth min max by vs |"},
		{"focus main ", "and or |"},
		{"collapse main ", "and or as |"},
		{"calls ", "of from to by vs |"},
		{"calls of main ", "and or by vs |"},
		{"calls from main ", "and or to by vs |"},
		{"threads ", "by vs |"},
		{"source of main ", "and or by |"},
		{"top parts ", "of by vs |"},
		{"top 3 ",
		 "each functions files objects dirs classes lines instrs inlined calls "
		 "callsites jumps activations cycles contexts parts threads events profiles of by vs |"},
		{"top 3 of main; callers of x ", "and or depth min max by vs |"},
		{"callers of main depth ", "all"},
		{"functions | group by obj: m", "count sum min max avg median p90 p99"},
		{"hottest ", "path paths"},
		{"with ", "inlined"},
		{"cost under main ", "and or of via avoiding by vs"},
		{"functions | sort self ", "asc desc |"},
		{"functions | where self > 1 ", "or and |"},
	};

	for (size_t i = 0; i < COUNT(cases); i++) {
		struct query_context c;
		char got[400] = "";

		query_context(session, str_c(cases[i].text), &c);
		for (size_t k = 0; c.keywords[k]; k++)
			snprintf(got + strlen(got), sizeof(got) - strlen(got), "%s%s",
				 k ? " " : "", c.keywords[k]);
		is_str(got, cases[i].words, "'%s' may go on with", cases[i].text);
	}
}

static void test_names(void)
{
	struct arena a;
	struct err err = {0};
	struct str *names = NULL, text;
	size_t n = 0;
	char got[200];

	arena_init(&a, 0);
	is_u64((uint64_t)query_complete_function(session, STR("mal"), 5, &a, &names, &n,
						 &err),
	       0, "names for 'mal'");
	is_u64(n, 1, "  one");
	snprintf(got, sizeof(got), "%.*s", n ? (int)names[0].n : 0, n ? names[0].p : "");
	is_str(got, "malloc", "  malloc");
	query_complete_function(session, STR("_M_"), 3, &a, &names, &n, &err);
	is_u64(n, 3, "after ::, at most 3");
	is_u64((uint64_t)query_explain(session, STR("top 5 by incl"), &a, &text, &err), 0,
	       "explain");
	snprintf(got, sizeof(got), "%.*s", STR_ARG(text));
	is_str(got, "functions | sort incl | take 5\n", "  text");
	arena_free(&a);
}

/* All numbers of an answer but those of its rows, folded into one. */
static int fold(void *arg, const struct result *r, struct err *err)
{
	uint64_t *h = arg;

	(void)err;
	*h = r->rows;
	for (size_t c = 0; c < r->ncols; c++)
		for (size_t i = 0; i < r->rows && r->cols[c].type <= COL_COST &&
				   !str_eq(r->cols[c].name, STR("row"));
		     i++)
			*h = *h * 31 + r->cols[c].u[i];
	return 0;
}

static uint64_t number_of(const char *text)
{
	struct err err = {0};
	struct arena a;
	uint64_t h = 0;

	arena_init(&a, 0);
	query_run(session, str_c(text), &a, fold, &h, &err);
	arena_free(&a);
	return err.kind ? 0 : h;
}

/* One level is read from the edges, more by path_tree(). */
static void test_near(void)
{
	static const char *const sets[] = {"*",	 "m*",	      "/e/",
					   "#3", "class:std", "cycle:1"};

	for (size_t i = 0; i < COUNT(sets); i++)
		for (unsigned up = 0; up < 2; up++) {
			char one[80], two[80];
			const char *word = up ? "callers" : "callees";

			snprintf(one, sizeof(one), "%s of %s", word, sets[i]);
			snprintf(two, sizeof(two), "%s of %s depth 2 | where depth = 1",
				 word, sets[i]);
			is_u64(number_of(one), number_of(two), "%s: level 1 is level 1",
			       one);
		}
}

/* Every amount of memory gives the answer or ERR_LIMIT. */
static void test_memory(void)
{
	static const char *const queries[] = {
		"top 5",
		"functions | where self > 5% and fn ~ /a/ | sort incl / calls | show fn, self",
		"functions | group by file: sum(self), count, D1mr / Dr",
		"callers of malloc depth 3",
		"path from main to malloc",
		"lines of main | sum",
		"hide obj:libc.so.6 | focus main | cut 1% | files",
		"functions vs tmpl | sort delta",
		"let $q = m* and not main; collapse $q as q | callees of q",
		"info malloc",
	};

	for (size_t i = 0; i < COUNT(queries); i++) {
		bool fine = true, answered = false;

		for (uint64_t bytes = 64; bytes < 64 << 20 && !answered;
		     bytes += bytes / 3) {
			struct session_limits l = {.arena_bytes = bytes};
			struct seen s;
			struct err err = {0};

			session_set_limits(session, &l);
			run(queries[i], &s, &err);
			fine &= err.kind == ERR_LIMIT || err.kind == ERR_NONE;
			answered = err.kind == ERR_NONE;
		}
		ok(fine && answered, "with too little memory: %s", queries[i]);
	}
	session_set_limits(session, &patient);
}

/* The own cost that stays at each callee of an answer, and whether it had them when it was shown. */
struct selves {
	bool had;
	size_t n;
	uint64_t self[8];
};

static int take_self(void *arg, const struct result *r, struct err *err)
{
	struct selves *s = arg;
	const struct column *self = result_col(r, STR("self"));

	s->had = self && self->u;
	if (result_shown(r, err) || !self)
		return err->kind;
	s->had = self->u != NULL;
	if (!result_whole(r, err))
		for (s->n = 0; s->n < r->rows && s->n < 8; s->n++)
			s->self[s->n] = self->u[s->n];
	return err->kind;
}

static void ask_self(const char *text, bool people, struct selves *to)
{
	struct err err = {0};
	struct arena a;

	*to = (struct selves){0};
	arena_init(&a, 0);
	session_for_people(session, people);
	is_u64((uint64_t)query_run(session, str_c(text), &a, take_self, to, &err), 0,
	       "%s", text);
	session_for_people(session, false);
	arena_free(&a);
}

/* `self` of callees takes the flow of all calls, and people do not see it. */
static void test_waiting(void)
{
	struct selves at_once, later, kept;

	ask_self("callees of main", false, &at_once);
	ok(at_once.had && at_once.n > 1 && at_once.self[0], "  have what stays at each");
	ask_self("callees of main", true, &later);
	ok(!later.had, "  but not in a table for people");
	ok(later.n == at_once.n && !memcmp(later.self, at_once.self, sizeof(later.self)),
	   "  until somebody wants it");
	ask_self("callees of main", true, &later);
	ask_self("_", false, &kept);
	ok(kept.had && !memcmp(kept.self, at_once.self, sizeof(kept.self)),
	   "  as _ does");
	ask_self("callees of main | as csv", true, &later);
	ok(later.had, "  or a format has it");
	ask_self("callees of main | show fn, self", true, &later);
	ok(later.had, "  or the query shows it");
}

/* A pattern that was looked for is not compared with all names again. */
static void test_found(struct store *st)
{
	struct found_cache c = {0};
	struct match_atom atom = {.form = MATCH_REGEX, .text = STR("^mall")};
	struct match_found first, again;
	struct err err = {0};
	struct arena a;

	arena_init(&a, 0);
	found_find(&c, st, &atom, NULL, &a, &first, &err);
	fnset_not(first.fns); /* it is the caller's own */
	found_find(&c, st, &atom, NULL, &a, &again, &err);
	ok(first.functions && again.functions == fnset_count(again.fns) && c.next == 1,
	   "a pattern is looked for once");
	atom.nocase = true;
	found_find(&c, st, &atom, NULL, &a, &again, &err);
	store_demangle(st, false);
	found_find(&c, st, &atom, NULL, &a, &again, &err);
	store_demangle(st, true);
	is_u64(c.next, 3, "  but one with other options, or of other names, again");
	found_drop(&c, st);
	found_find(&c, st, &atom, NULL, &a, &again, &err);
	is_u64(c.next, 4, "  and of another profile");
	found_drop(&c, NULL);
	arena_free(&a);
}

static void test_profiles(struct store *st)
{
	struct seen s;
	struct err err = {0};

	is_u64((uint64_t)session_add(session, STR("tmpl"), st, &err), ERR_QUERY,
	       "same name");
	err_clear(&err);
	is_u64((uint64_t)session_add(session, STR("base"), st, &err), 0,
	       "a second profile");
	is_u64(run("functions vs base | where delta != 0 | expect none", &s, &err),
	       ERR_EXPECT, "a gate on itself does not hold");
	err_clear(&err);
	is_u64((uint64_t)session_accept(session, STR("itself"), &err), 0, "  accepted");
	is_u64(run("functions vs base | where delta != 0 | expect none", &s, &err), 0,
	       "differs from itself in nothing");
	is_u64(run("in base | top 1", &s, &err), 0, "in");
	is_u64((uint64_t)session_remove(session, STR("base"), &err), 0, "removed");
	is_u64(run("functions vs base", &s, &err), ERR_QUERY, "  and gone");
	err_clear(&err);
	is_u64((uint64_t)session_remove(session, STR("base"), &err), ERR_QUERY, "twice");
	is_str(err.text, "no profile is open under the name 'base'", "  is said");
}

/* A session whose last profile was closed. */
static void test_none(void)
{
	struct session *was = session;
	struct err err = {0};
	struct seen s;
	struct arena a;
	struct str text;

	arena_init(&a, 0);
	if (session_new(&session, &err))
		printf("Bail out! %s\n", err.text);
	is_u64(run("top", &s, &err), ERR_QUERY, "no profile: a query");
	is_str(err.text, "no profile is open", "  is said");
	err_clear(&err);
	is_u64((uint64_t)query_explain(session, STR("top"), &a, &text, &err), ERR_QUERY,
	       "no profile: explain");
	is_str(err.text, "no profile is open", "  is said");
	err_clear(&err);
	is_u64((uint64_t)session_set_event(session, STR("Ir"), &err), ERR_QUERY,
	       "no profile: event");
	is_str(err.text, "no profile is open", "  is said");
	is_u64(session_event(session).n, 0, "  and none is in force");
	session_free(session);
	session = was;
	arena_free(&a);
}

int main(void)
{
	struct build_opts opts = {.no_write = true};
	struct build_report report = {0};
	struct err err = {0};
	struct store *st;

	if (session_new(&session, &err) ||
	    build_open(profile, &opts, &st, &report, &err)) {
		printf("Bail out! %s\n", err.text);
		return 1;
	}
	session_set_limits(session, &patient);
	is_u64((uint64_t)session_add(session, STR("tmpl"), st, &err), 0, "add a profile");
	test_results();
	test_lets();
	test_event();
	test_filters();
	test_graph_keys();
	test_kept_graphs();
	test_limits();
	test_seconds();
	test_incomplete();
	test_keywords();
	test_context();
	test_names();
	test_near();
	test_memory();
	test_waiting();
	test_found(st);
	test_profiles(st);
	test_none();
	session_free(session);
	store_close(st);
	return done_testing();
}
