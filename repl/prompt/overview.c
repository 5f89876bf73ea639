/*
 * overview.c - what stands out in a profile, each finding in a line with its query.
 *
 *	at_most  share%  finding  query            value
 *	445,092  19.21%  loop     .run n-plus-one  sort_comp 12.21 times in auxsort (...)
 *
 * The rows of a query, mostly of one that ships, become a sentence: a name in braces stands
 * for the cell of this column in the first row of the last answer that has it.  What it would
 * save at most is a column, too: that of a card, or the sum of all rows where they add up.  Of
 * recursion and cycles it is all that they include: a bound, and rarely what can be saved.
 * There is no finding if the profile lacks what the query needs, if it has no such rows, or if
 * they cost too little.
 */
#include "repl/prompt/command_in.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "engine/query.h"
#include "engine/lang/col_type.h"
#include "engine/rows/doubt.h"
#include "index/base/cost.h"
#include "index/base/err.h"
#include "index/store/store.h"
#include "repl/app/output.h"
#include "repl/app/progress.h"
#include "repl/render/columns.h"
#include "repl/prompt/library.h"
#include "repl/render/render.h"

enum { CELL = 32, NAMES = 4, LEAST = 1 }; /* of a sentence: columns, names; percent */

static const struct look plain = {.utf8 = true};

static const struct kind {
	const char *name, *says;
	const char *most;  /* of its own column; "*A": a bound; "=A": of the first row;
			     events: "A + B"; NULL: none */
	const char *query; /* after ".run ", a query that ships */
	const char *uncounted; /* the same where calls are not counted; NULL: nothing */
	/* Profiles.  FLAT: without calls; NODE: of Node, whose loader calls the code of
	 * each module, and so the program; LOADED: of others, where it does not. */
	enum { ANY, FLAT, MEMORY, NODE, LOADED } fits;
} kinds[] = {
	{"start", "before the program, most by {fn}", "hi", ".run start",
	 "before the program, most by {fn}", ANY},
	{"costly call", "{fn}, {calls} calls", "incl", ".run costly-call", NULL, ANY},
	{"loop", "{callee} {each} times in {caller} ({file:line})", "incl",
	 ".run n-plus-one", NULL, ANY},
	{"hot", "{fn} itself, {calls} calls", "self",
	 "top 1 of not $start | where self% >= 20", "{fn} itself", ANY},
	{"line", NULL, "self", "top 1 lines of not $start | where self% >= 20",
	 "{file:line} in {fn}", FLAT},
	{"kept", NULL, "=self", ".run kept", "by {fn}, {blocks} blocks at the end",
	 MEMORY},
	{"lost", NULL, "=self", ".run lost", "by {fn}, {blocks} blocks", MEMORY},
	{"allocated", NULL, "=self", ".run allocated", "by {fn}, {blocks} blocks",
	 MEMORY},
	{"small", "{rows} functions, most by {fn}, {calls} calls", "self",
	 ".run small-hot", NULL, ANY},
	{"inlined", "{rows} pieces, most of {file} in {into}", "self",
	 "top 999 inlined of not $start", "{rows} pieces, most of {file} in {into}", ANY},
	{"allocation", "{allocations} allocations, most of the cost by {fn}", "est",
	 ".run alloc-churn", "most of the cost by {fn}", ANY},
	{"copies", "most by {fn}, {calls} calls", "est", ".run copies", "most by {fn}",
	 ANY},
	{"waiting", "most by {fn}, {calls} calls", "est", ".run locks", "most by {fn}",
	 ANY},
	{"loading", "code, most by {fn}, {calls} calls", "hi", ".run autoload",
	 "code, most by {fn}", LOADED},
	{"loading", "modules without their code, most by {fn}", "self",
	 "hide not ($autoload or \"(anonymous:L#1:C#1)\") | functions of $autoload",
	 "modules without their code, most by {fn}", NODE},
	{"slow call", "{fn} once {slowest}, usual {usual}, {calls} calls", "slowest",
	 ".run slow-call", NULL, ANY},
	{"recursion", "{rows} functions, most by {fn}", "*incl",
	 "functions | where recursive", "{rows} functions, most by {fn}", ANY},
	{"cycle", "{functions} functions, opened without {cut}", "*incl", "cycles",
	 "{functions} functions", ANY},
	{"misses", "{rows} lines, most at {file:line} in {fn}", "D1mr + D1mw",
	 ".run miss-rate", "{rows} lines, most at {file:line} in {fn}", ANY},
	{"branches", "{rows} lines, most at {file:line} in {fn}", "Bcm + Bim",
	 ".run mispredict", "{rows} lines, most at {file:line} in {fn}", ANY},
	{"estimate", "{fn} is {lo} to {hi}; --separate-callers=3 measures it", NULL,
	 ".run estimates", NULL, ANY},
};

enum { KINDS = sizeof(kinds) / sizeof(kinds[0]) };

/* All findings hang on the calls, so that it is the first. */
static const struct kind doubted = {.name = "doubt", .query = "info"};

struct finding {
	const struct kind *kind;
	const char *says_as; /* its sentence, with names in braces */
	struct str
		cell[NAMES]; /* of the names in braces, in their order; n 0: none yet */
	struct str says, event;
	bool saves; /* at_most is known, */
	bool least; /* or that it is no less than this */
	bool card;  /* it is that of a card: later answers do not change it */
	bool usual; /* of how the program is made, or of all: after what can be mended */
	int64_t at_most, total;
	struct unit unit;
	double share;
};

struct overview {
	struct app *app;
	struct arena texts;
	struct finding found[1 + KINDS + 1]; /* by share; [n]: looked for now */
	size_t n;
};

/* ---- one finding ---- */

/* The column that people see under this title, or "self." and this title. */
static const struct shown *find_shown(const struct shown *c, size_t n, struct str title)
{
	const struct shown *found = NULL;
	struct out o;

	out_mem(&o);
	for (size_t i = 0; i < n && !found; i++) {
		o.n = 0;
		out_char(&o, ' ');
		cell_title(&o, &plain, &c[i], SIZE_MAX);
		if ((o.n > title.n && str_ends(out_text(&o), title) &&
		     strchr(" .", o.buf[o.n - title.n - 1])) ||
		    str_eq(c[i].c->name, title))
			found = &c[i];
	}
	out_close(&o);
	return found;
}

/* The next name in braces from byte *at, which moves behind it; *before: what is before it. */
static bool next_name(const char *says, size_t *at, struct str *before, struct str *name)
{
	const char *from = says + *at;
	const size_t n = strcspn(from, "{");

	*before = (struct str){from, n};
	if (!from[n])
		return false;
	*name = (struct str){from + n + 1, strcspn(from + n, "}") - 1};
	*at += n + name->n + 2;
	return true;
}

static void fill_in(struct overview *v, const struct result *r, const struct shown *cols,
		    size_t n, size_t row)
{
	struct finding *f = &v->found[v->n];
	struct str before, name;
	struct out o;

	out_mem(&o);
	for (size_t at = 0, i = 0; next_name(f->says_as, &at, &before, &name); i++) {
		const struct shown *c = find_shown(cols, n, name);
		struct shown cell;

		o.n = 0;
		if (str_eq(name, STR("rows"))) {
			out_u64(&o, r->rows);
		} else if (c && !render_absent(c->c, row)) {
			cell = *c;
			cell.base_name = c->line || c->c->type == COL_FILE;
			cell_put(&o, &plain, &cell, row, CELL);
		}
		while (o.n && o.buf[o.n - 1] == ' ') /* a short unit is as wide as "ms" */
			o.n--;
		if (o.n)
			f->cell[i] = arena_str(&v->texts, out_text(&o));
	}
	out_close(&o);
}

/* "*incl": the sum of all rows, though it may count costs twice. */
static bool is_bound(const struct kind *k)
{
	return k->most && k->most[0] == '*';
}

/* Recursion and cycles, and what is below the start of a stripped program, or below its
 * loaders: all of the cost, if the program cannot be told apart. */
static bool may_be_all(const struct kind *k)
{
	return is_bound(k) || (k->most && strcmp(k->most, "hi") == 0);
}

static void find_most(struct finding *f, const struct result *r, const struct shown *cols,
		      size_t n, size_t first)
{
	const char *most = f->card ? NULL : f->kind->most, *at = most;
	const bool one = most && most[0] == '=';

	if (one || (most && is_bound(f->kind)))
		at = ++most;
	for (size_t len; at && *at; at += len + strspn(at + len, " +")) {
		const struct shown *c;
		bool all;

		len = strcspn(at, " ");
		if (!(c = find_shown(cols, n, (struct str){at, len})))
			return;
		if (at == most)
			f->at_most = 0;
		if (render_absent(c->c, 0) && str_eq(c->c->name, STR("hi")) &&
		    (c = find_shown(cols, n, STR("est"))))
			f->least = true;
		if (!c)
			return;
		all = !one && (c->c->adds_up || is_bound(f->kind));
		for (size_t row = all ? 0 : first; row < (all ? r->rows : first + 1);
		     row++)
			if (!render_absent(c->c, row))
				cost_add(&f->at_most, c->c->i[row]);
		f->saves = true;
		f->card = r->card;
	}
}

/* The row that the sentence is about: the first loop that is not usual, or else the first. */
static size_t find_row(const struct result *r, const struct shown *cols, size_t n,
		       bool *usual)
{
	static const double few = 20; /* a loop of so few calls is in any program */
	const struct shown *each = find_shown(cols, n, STR("each")),
			   *in = find_shown(cols, n, STR("recursive"));

	*usual = each && in;
	for (size_t row = 0; *usual && row < r->rows; row++)
		if (each->c->f[row] >= few && !in->c->b[row]) {
			*usual = false;
			return row;
		}
	return 0;
}

/* Recursion and cycles are how interpreters and compilers are made, as are loops inside of
 * them, and those of a few calls: they come last. */
static bool comes_before(const struct finding *a, const struct finding *b)
{
	return a->usual != b->usual ? b->usual : a->share > b->share;
}

static int take_answer(void *arg, const struct result *r, struct err *err)
{
	struct overview *v = arg;
	struct finding *f = &v->found[v->n];
	struct shown *cols;
	size_t n, row;
	bool usual;

	if (!r->rows || result_whole(r, err))
		return err->kind;
	if (!(cols = calloc(r->ncols, sizeof(*cols))))
		return err_no_memory(err, NULL);
	n = columns_choose(r, r->rows, false, false, cols);
	row = find_row(r, cols, n, &usual);
	fill_in(v, r, cols, n, row);
	find_most(f, r, cols, n, row);
	f->usual = !f->kind->most || is_bound(f->kind) || usual;
	f->total = r->total;
	f->unit = r->unit;
	f->event = arena_str(&v->texts, result_title(r));
	free(cols);
	return 0;
}

static bool of_events(const struct kind *k)
{
	return k->most && strchr(k->most, '+');
}

/* The total of the events of "A + B". */
static int64_t total_of(struct store *st, const char *most)
{
	int64_t sum = 0;

	for (uint32_t e = 0; e < store_info(st)->all_events; e++) {
		struct store_event ev;
		size_t at;

		store_event(st, e, &ev);
		at = str_find_str(str_c(most), ev.name);
		if (at < strlen(most) && strchr(" +", most[at + ev.name.n]))
			cost_add(&sum, store_total(st, e));
	}
	return sum;
}

/* Add the words before cell i: after a 1 the first of them is one thing. */
static void say_words(struct overview *v, struct finding *f, size_t i, struct str words)
{
	const bool one = i && str_eq(f->cell[i - 1], STR("1"));
	size_t n = one ? strspn(words.p, " abcdefghijklmnopqrstuvwxyz") : 0;

	n = n < words.n ? n : words.n;
	if (n > 1)
		n = 1 + str_find(str_from((struct str){words.p, n}, 1), ' ');
	n = n && words.p[n - 1] == 's' ? n : 0;
	f->says =
		arena_printf(&v->texts, "%.*s%.*s%.*s", STR_ARG(f->says),
			     (int)(n ? n - 1 : 0), words.p, STR_ARG(str_from(words, n)));
}

/* Make the sentence; false: a name has no cell. */
static bool say(struct overview *v, struct finding *f)
{
	struct str before, name;
	size_t at = 0, i = 0;

	f->says = STR("");
	for (; next_name(f->says_as, &at, &before, &name); i++) {
		if (!f->cell[i].n)
			return false;
		say_words(v, f, i, before);
		f->says = arena_printf(&v->texts, "%.*s%.*s", STR_ARG(f->says),
				       STR_ARG(f->cell[i]));
	}
	say_words(v, f, i, before);
	return f->says.p != NULL;
}

/* Keep it in its place, unless it costs too little. */
static void keep(struct overview *v)
{
	struct finding f = v->found[v->n];
	size_t at = v->n;

	if (of_events(f.kind))
		f.total = total_of(session_profile(v->app->session, 0), f.kind->most);
	f.at_most = f.at_most < f.total ? f.at_most : f.total;
	f.share = f.total > 0 ? 100.0 * (double)f.at_most / (double)f.total : 0;
	if (!say(v, &f) || (f.kind->most && !(f.saves && f.share >= LEAST)))
		return;
	if (may_be_all(f.kind) && f.at_most >= f.total) { /* this tells nothing */
		f.saves = false;
		f.usual = true;
		f.share = 0;
	}
	for (; at && comes_before(&f, &v->found[at - 1]); at--)
		v->found[at] = v->found[at - 1];
	v->found[at] = f;
	v->n++;
}

/* ---- all of them ---- */

/* Of Node, by the names of the files of its own code. */
static bool is_node(struct store *st)
{
	file_id f = store_file_lower(st, STR("node:"));

	return f < store_info(st)->files && str_starts(store_file(st, f), STR("node:"));
}

/* Does the finding fit the profile?  Memory is told by what Valgrind writes about it. */
static bool fits(struct store *st, const struct kind *k)
{
	const uint32_t events = store_info(st)->all_events;
	const bool memory = str_starts(store_info(st)->creator, STR("xtree")) &&
			    (store_event_find(st, STR("totBk")) < events ||
			     store_event_find(st, STR("DBk")) < events);

	if (memory || k->fits == MEMORY)
		return memory && k->fits == MEMORY;
	if (k->fits == NODE || k->fits == LOADED)
		return is_node(st) == (k->fits == NODE);
	return k->fits != FLAT || !store_info(st)->edges;
}

/* The text of a query; free it.  0 or the kind. */
static int read_query(struct app *app, const char *query, struct str *text,
		      struct err *err)
{
	const bool kept = query[0] == '.';
	char *name = NULL;

	if (asprintf(&name, "%s%s", kept ? LIBRARY_SHIPS : "",
		     query + (kept ? strlen(".run ") : 0)) < 0)
		return err_no_memory(err, NULL);
	*text = str_c(name);
	if (!kept)
		return 0;
	library_text(app, name, NULL, text, err);
	free(name);
	return err->kind;
}

/* Calls that are returns: how much cost is in them, before all findings. */
static void doubt_calls(struct overview *v)
{
	char text[DOUBT_TEXT];

	if (!doubt_edges(session_profile(v->app->session, 0), text))
		return;
	memmove(v->found + 1, v->found, v->n * sizeof(*v->found));
	v->found[0] = (struct finding){.kind = &doubted,
				       .says = arena_str(&v->texts, str_c(text))};
	v->n++;
}

/* A query that the profile has nothing for is an error, and no finding. */
static int look_for(struct overview *v, const struct kind *k, struct err *err)
{
	struct app *app = v->app;
	struct err none = {0};
	struct store *st = session_profile(app->session, 0);
	const char *as =
		store_counts_calls(st) && store_info(st)->edges ? k->says : k->uncounted;
	struct str text;

	if (!as)
		return 0;
	if (read_query(app, k->query, &text, err))
		return err->kind;
	v->found[v->n] = (struct finding){.kind = k, .says_as = as};
	arena_reset(&app->arena);
	if (query_run(app->session, text, &app->arena, take_answer, v, &none) == 0)
		keep(v);
	else if (none.kind == ERR_LIMIT)
		app_note(app, "note: %s was not looked for: %s", k->name, none.text);
	else if (none.kind != ERR_QUERY)
		*err = none;
	free((void *)(uintptr_t)text.p);
	return err->kind;
}

static int show(struct overview *v, struct err *err)
{
	enum { MOST, SHARE, NAME, QUERY, SAYS, EVENT, COLUMNS };
	const struct session *s = v->app->session;
	const struct finding *of = &v->found[0];
	struct str text[COLUMNS][1 + KINDS];
	struct unit unit[1 + KINDS];
	int64_t most[1 + KINDS];
	double share[1 + KINDS];
	uint8_t none[1 + KINDS], no_most[1 + KINDS];
	bool other = false;
	struct column cols[COLUMNS] = {
		[MOST] = {.name = STR("at_most"), .i = most, .row_unit = unit},
		[SHARE] = {.name = STR("share%"), .f = share},
		[NAME] = {.name = STR("finding")},
		[QUERY] = {.name = STR("query")},
		[SAYS] = {.name = STR("value")},
		[EVENT] = {.name = STR("event")},
	};
	struct result r = {.source = "overview",
			   .query = STR(".overview"),
			   .profile = session_profile_name(s, 0),
			   .event = session_event(s),
			   .cols = cols,
			   .ncols = COLUMNS,
			   .rows = v->n,
			   .held = v->n,
			   .rows_before = v->n,
			   .depth_col = -1,
			   .paired = {-1, -1}};

	for (size_t i = 0; i < v->n; i++, of++) {
		const bool events = of_events(of->kind);

		if (of->total && !events) {
			r.unit = of->unit;
			r.total = of->total;
		}
		none[i] = !of->saves;
		no_most[i] = !of->saves || of->least;
		most[i] = of->at_most;
		share[i] = of->share;
		unit[i] = events ? (struct unit){0} : of->unit;
		text[NAME][i] = str_c(of->kind->name);
		text[SAYS][i] = of->says;
		text[EVENT][i] = events	       ? str_c(of->kind->most)
				 : of->event.n ? of->event
					       : result_title(&r);
		other |= !str_eq(text[EVENT][i], result_title(&r));
		text[QUERY][i] = str_c(of->kind->query);
	}
	/* Costs of another event than the first say of which. */
	if (v->n && store_info(session_profile(s, 0))->events) {
		struct store_event ev;

		store_event(session_profile(s, 0), 0, &ev);
		other |= !str_eq(ev.name, r.event);
	}
	for (size_t i = 0; i < COLUMNS; i++) {
		cols[i].type = i == MOST ? COL_COST : i == SHARE ? COL_PERCENT : COL_STR;
		cols[i].machine = true;
		cols[i].table = i != EVENT || other;
		cols[i].sentence = i == QUERY || i == SAYS;
		if (i == MOST || i == SHARE)
			cols[i].absent = i == MOST ? no_most : none;
		else
			cols[i].s = text[i];
	}
	return output_result(v->app, &r, err);
}

int command_overview(struct app *app, struct str rest, struct err *err)
{
	struct overview v = {.app = app};
	const unsigned lost = out_lost();

	if (rest.n) {
		err_set(err, ERR_USAGE, 0, "'overview' is not followed by '%.*s'",
			STR_ARG(rest));
		return err_hint(err, "each finding has a query, whose rows stages take; "
				     "--format shows it otherwise");
	}
	if (!app->nprofiles)
		return app_none_open(err);
	app->started_ns = progress_now_ns();
	arena_init(&v.texts, 1 << 20);
	for (size_t i = 0; i < KINDS && !err->kind; i++)
		if (!fits(session_profile(app->session, 0), &kinds[i]))
			continue;
		else if (kinds[i].most ||
			 store_is_callgrind(session_profile(app->session, 0)))
			look_for(&v, &kinds[i], err);
	doubt_calls(&v);
	/* Without its words a finding is left out. */
	if (!err->kind && (v.texts.refused || out_lost() != lost))
		err_no_memory(err, NULL);
	if (!err->kind)
		show(&v, err);
	arena_free(&v.texts);
	return err->kind;
}
