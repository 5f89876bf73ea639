/*
 * why.c - the table of causes; see why.h.
 *
 *	share%      delta  why                                            file:line
 *	  82.7  +2,571927  sqlite3BtreeInsert now calls sqlite3_mprintf   sqlite3.c:80107
 *	  16.3    +508032  sqlite3BtreeInsert now calls sqlite3_free      sqlite3.c:80107
 *	   1.0     +29700  the rest: 9 causes, none above 0.9 %
 *
 * The rows add up to the difference, to the unit.  Where many small causes are all there is,
 * a list of them says nothing: then the rows are objects and files.
 */
#include "engine/why/why.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "engine/compare/vs.h"
#include "engine/graph/graph.h"
#include "engine/lang/ast.h"
#include "engine/lang/check_names.h"
#include "engine/lang/result.h"
#include "engine/rows/exec.h"
#include "engine/sources/sources.h"
#include "engine/sources/why_row.h"
#include "engine/why/why_in.h"
#include "index/base/arena.h"
#include "index/base/cost.h"
#include "index/base/err_struct.h"
#include "index/base/need.h"
#include "index/base/order.h"

enum { SHOWN = 7, MOST_GROSS = 3, STANDS_OUT = 25 }; /* STANDS_OUT: percent */

struct telling {
	struct why *w;
	struct exec *x;
	const struct graph *shown; /* whose functions the rows lead to */
	struct str vs;		   /* the name of the base, if it is asked by one */
	int64_t delta;		   /* of the whole */
	double gross;		   /* the sum of the sizes of all causes */
	bool scattered;		   /* there is no single cause */
	bool flags; /* many calls of one side are code of the caller on the other */
	const struct why_cause *twin; /* another, whose sentence reads alike; or NULL */
	struct why_row *row;
	size_t n;
	size_t more; /* causes in the row of the rest */
};

/* ---- sentences ---- */

static struct str name_of(const struct telling *t, uint32_t f, bool whole)
{
	const struct why *w = t->w;
	const unsigned side = f < w->root && w->fn[HERE][f] != WHY_NONE ? HERE : BASE;

	if (f == WHY_NONE || f == w->root)
		return STR("");
	return whole ? graph_name(w->g[side], w->fn[side][f])
		     : graph_short_name(w->g[side], w->fn[side][f], t->x->a);
}

/* 1 + result_fn() of the graph that is shown, or 0: none. */
static uint32_t number_of(const struct telling *t, uint32_t f)
{
	const struct why *w = t->w;
	const struct graph *g = w->g[HERE];

	if (f >= w->root)
		return 0;
	if (w->fn[HERE][f] == WHY_NONE)
		return t->shown == g ? 1 + g->functions + w->fn[BASE][f] : 0;
	return 1 + (t->shown == g
			    ? w->fn[HERE][f]
			    : graph_of_store(t->shown, graph_origin(g, w->fn[HERE][f])));
}

/* "(char const*, int)"; empty: the name has none */
static struct str parameters(struct str name)
{
	const size_t clone = str_find_str(name, STR(" [clone "));
	size_t i, depth = 0;

	name.n = clone;
	i = name.n;
	if (!name.n || name.p[name.n - 1] != ')')
		return STR("");
	do {
		i--;
		depth += name.p[i] == ')';
		depth -= name.p[i] == '(';
	} while (depth && i);
	return str_from(name, i);
}

/* Without the level of recursion, since a row is of all.  What the twin has not, with its
 * parameters, or else with its file. */
static struct str short_of(const struct telling *t, uint32_t f)
{
	const struct why *w = t->w;
	const struct why_cause *twin = t->twin;
	const unsigned side = f < w->root && w->fn[HERE][f] != WHY_NONE ? HERE : BASE;
	struct str s = name_of(t, f, false), more;
	size_t n = s.n;

	if (!s.n)
		return s;
	while (n && s.p[n - 1] >= '0' && s.p[n - 1] <= '9')
		n--;
	if (n > 1 && n < s.n && s.p[n - 1] == '\'' &&
	    graph_in_group(w->g[side], w->fn[side][f]))
		s.n = n - 1;
	more = name_of(t, f, true);
	if (why_is_piece(more)) /* C++'s: a short name has none */
		s = arena_printf(
			t->x->a, "%.*s%.*s", STR_ARG(s),
			STR_ARG(str_from(more, str_find_str(more, STR(" [clone ")))));
	if (!twin || f == twin->fn || f == twin->callee || f == twin->below)
		return s;
	more = parameters(name_of(t, f, true));
	return more.n ? arena_printf(t->x->a, "%.*s%.*s", STR_ARG(s), STR_ARG(more))
		      : arena_printf(t->x->a, "%.*s of %.*s", STR_ARG(s),
				     STR_ARG(str_basename(
					     graph_file(w->g[side], w->fn[side][f]))));
}

static struct str kind_name(const struct why_cause *c)
{
	static const char *const names[WHY_KINDS] = {
		[WHY_MORE] = "calls more",   [WHY_LESS] = "calls less",
		[WHY_NEWLY] = "calls newly", [WHY_NO_LONGER] = "no longer calls",
		[WHY_OWN] = "own cost",	     [WHY_MOVED] = "moved",
		[WHY_LAYOUT] = "layout",     [WHY_ENTERED] = "entered",
		[WHY_BELOW] = "below",	     [WHY_OUTSIDE] = "calls",
		[WHY_MIX] = "mix",
	};

	return str_c(names[c->kind]);
}

static bool runs_often(const struct why *w, uint32_t f)
{
	return fmax(w->runs[BASE][f], w->runs[HERE][f]) > 1;
}

/* ": why under g", where that shows more than the row; empty: it cannot be asked so. */
static struct str way_down(const struct telling *t, const char *stage, const char *verb,
			   struct str name)
{
	for (size_t i = 0; i < name.n; i++)
		if (!((name.p[i] | 32) >= 'a' && (name.p[i] | 32) <= 'z') &&
		    !(name.p[i] >= '0' && name.p[i] <= '9') &&
		    !strchr("_:~.-", name.p[i]))
			return STR("");
	return name.n ? arena_printf(t->x->a, ": %s%s %.*s", stage, verb, STR_ARG(name))
		      : name;
}

/* What is inside of a run-time library is told if it is asked for. */
static struct str into_library(const struct telling *t, uint32_t callee)
{
	const struct why *w = t->w;
	const unsigned side = w->fn[HERE][callee] != WHY_NONE ? HERE : BASE;
	const struct str obj = str_basename(graph_obj(w->g[side], w->fn[side][callee]));

	if (t->w->only[HERE] || t->w->under[HERE])
		return STR("");
	return why_is_unknown(obj)
		       ? way_down(t, "", "why of", short_of(t, callee))
		       : way_down(t, "", "why of",
				  arena_printf(t->x->a, "obj:%.*s", STR_ARG(obj)));
}

/* Function `here`, of which only this is known there: its short name, of function `was`. */
static struct str changed_name(const struct telling *t, uint32_t here, uint32_t was)
{
	const struct graph *g = t->w->g[HERE], *base = t->w->g[BASE];
	const uint32_t f = t->w->fn[HERE][here],
		       b = was < t->w->root ? t->w->fn[BASE][was] : WHY_NONE;
	const struct str name = graph_name(g, f);
	struct str place = graph_file(g, f);

	if (str_eq(name, name_of(t, was, true))) {
		if (b != WHY_NONE && str_eq(place, graph_file(base, b)))
			place = graph_obj(g, f);
		return arena_printf(t->x->a, "which moved to %.*s",
				    STR_ARG(str_basename(place)));
	}
	if (memchr(name.p, '(', name.n) || memchr(name.p, '<', name.n))
		return STR("");
	return arena_printf(t->x->a, "which is called %.*s now", STR_ARG(name));
}

/* "f now calls g, which is new" */
static struct str call_text(struct telling *t, const struct why_cause *c)
{
	struct arena *a = t->x->a;
	const bool itself = t->w->name[c->fn] == t->w->name[c->callee],
		   whole = !itself && str_eq(short_of(t, c->fn), short_of(t, c->callee));
	const struct str f = whole ? name_of(t, c->fn, true) : short_of(t, c->fn),
			 g = whole ? name_of(t, c->callee, true) : short_of(t, c->callee),
			 other = short_of(t, c->other);
	struct str change = {"", 0};
	const enum why_new one = itself || why_paired(t->w, c->callee)	 ? WHY_BOTH
				 : t->w->fn[HERE][c->callee] != WHY_NONE ? WHY_IS_NEW
									 : WHY_IS_GONE;
	const uint32_t here = one == WHY_IS_GONE ? c->other : c->callee;
	static const char *const verb[WHY_KINDS] = {
		[WHY_MORE] = "calls",
		[WHY_LESS] = "calls",
		[WHY_NEWLY] = "now calls",
		[WHY_NO_LONGER] = "no longer calls",
	};
	static const char *const line[] = {
		[WHY_ANY_LINE] = "",
		[WHY_NEW_LINE] = ", at a new line",
		[WHY_OLD_LINE] = ", at a line that is gone",
		[WHY_ONE_LINE] = ", at this line",
	};
	static const char *const only[][2] = {
		[WHY_BOTH] = {"", ""},
		[WHY_IS_NEW] = {", which is new", ", which is new (inlined before?)"},
		[WHY_IS_GONE] = {", which is gone", ", which is gone (inlined now?)"},
	};

	if (c->kind == WHY_OUTSIDE)
		return arena_printf(a, "%.*s calls %.*s %s often, as it runs so",
				    STR_ARG(f), STR_ARG(g),
				    c->cost > 0 ? "more" : "less");
	if (c->kind == WHY_BELOW)
		return arena_printf(a, "%.*s calls %.*s at %s cost each%.*s", STR_ARG(f),
				    STR_ARG(g), c->cost > 0 ? "more" : "less",
				    STR_ARG(into_library(t, c->callee)));
	if (c->kind == WHY_LAYOUT)
		return arena_printf(a,
				    "%.*s calls %.*s as often, but the heap costs %s: "
				    "other sizes or order%.*s",
				    STR_ARG(f), STR_ARG(g), c->cost > 0 ? "more" : "less",
				    STR_ARG(into_library(t, c->callee)));
	if (c->kind == WHY_MIX)
		return arena_printf(
			a, "calls of %.*s by %.*s cost %s, in another mix of calls",
			STR_ARG(g), STR_ARG(f), c->cost > 0 ? "more" : "less");
	if (c->kind == WHY_ENTERED)
		return arena_printf(a, "%.*s is entered from outside %s", STR_ARG(g),
				    c->cost > 0 ? "at more cost" : "at less cost");
	if (c->kind == WHY_MOVED)
		return arena_printf(a, "%.*s calls %.*s in place of %.*s", STR_ARG(f),
				    STR_ARG(g), STR_ARG(other));
	if (one && other.n && str_eq(g, other) && here < t->w->root &&
	    t->w->fn[HERE][here] != WHY_NONE)
		change = changed_name(t, here, here == c->callee ? c->other : c->callee);
	if (change.n)
		return arena_printf(a, "%.*s calls %.*s, %.*s", STR_ARG(f), STR_ARG(g),
				    STR_ARG(change));
	if (one && other.n && str_eq(g, other))
		return arena_printf(
			a, "%.*s calls %.*s, whose parameters changed%.*s", STR_ARG(f),
			STR_ARG(g),
			STR_ARG(way_down(t, "with inlined | ", "why under", g)));
	return arena_printf(
		a, "%s%.*s %s %.*s%s%s%s%s%.*s",
		(c->kind == WHY_MORE || c->kind == WHY_LESS) && runs_often(t->w, c->fn)
			? "each "
			: "",
		STR_ARG(f),
		c->from != c->to || c->only == WHY_BOTH ? verb[c->kind]
		: c->only == WHY_IS_NEW			? "now reaches"
							: "no longer reaches",
		STR_ARG(c->callee != WHY_NONE && itself ? STR("itself") : g),
		c->kind == WHY_MORE   ? " more often"
		: c->kind == WHY_LESS ? " less often"
				      : "",
		line[c->line], only[one][why_inlined(t->w, c)],
		!other.n				      ? ""
		: c->kind == WHY_NEWLY || c->kind == WHY_MORE ? ", in place of "
							      : ", instead ",
		STR_ARG(other));
}

static double share_of(const struct telling *t, double cost)
{
	return t->delta ? 100.0 * cost / (double)t->delta : 0;
}

/* Is it a range rather than a number: far apart by the prices of the base and of here? */
static bool is_range(const struct telling *t, const struct why_cause *c)
{
	static const double least = 0.25, share = 1;

	return fabs(share_of(t, c->spread)) >= share &&
	       fabs(c->spread) >= least * fabs(c->cost);
}

static struct str text_of(struct telling *t, const struct why_cause *c)
{
	struct arena *a = t->x->a;
	const struct str f = short_of(t, c->fn), below = short_of(t, c->below);
	const double one = share_of(t, c->cost - c->spread),
		     two = share_of(t, c->cost + c->spread);
	struct str s;

	if (c->callee != WHY_NONE)
		s = call_text(t, c);
	else if (c->fn == t->w->root)
		s = STR("cost outside of all functions");
	else if (c->kind == WHY_LAYOUT)
		s = arena_printf(a, "%.*s misses %s, same instructions: layout",
				 STR_ARG(f), c->cost > 0 ? "more" : "less");
	else if (c->kind == WHY_BELOW)
		s = arena_printf(a, "calls of %.*s cost %s, itself unchanged", STR_ARG(f),
				 c->cost > 0 ? "more" : "less");
	else if (c->kind == WHY_MIX)
		s = arena_printf(a,
				 why_supports(c)
					 ? "%.*s runs %s often"
					 : "%.*s costs %s, in another mix of calls",
				 STR_ARG(f), c->cost > 0 ? "more" : "less");
	else
		s = arena_printf(a, "%.*s spends %s in itself", STR_ARG(f),
				 c->cost > 0 ? "more" : "less");
	if (below.n)
		s = arena_printf(a, "%.*s, only below %.*s", STR_ARG(s), STR_ARG(below));
	return is_range(t, c) ? arena_printf(a, "%.*s (%.0f to %.0f %%)", STR_ARG(s),
					     fmin(one, two), fmax(one, two))
			      : s;
}

/* ---- rows ---- */

static void add_row(struct telling *t, struct why_row row)
{
	if (!row.text.p)
		need_memory(t->x->a);
	row.share = share_of(t, (double)row.delta);
	if (row.lo == row.hi)
		row.lo = row.hi = row.delta;
	t->row[t->n++] = row;
}

static void add_cause(struct telling *t, struct why_cause *c)
{
	struct why_place place;
	struct str context;

	why_describe(t->w, c);
	need(why_place(t->w, c, &place), t->x->err);
	why_context(t->w, c, &context);
	add_row(t, (struct why_row){
			   .delta = cost_round(c->cost),
			   .lo = cost_round(c->cost - fabs(c->spread)),
			   .hi = cost_round(c->cost + fabs(c->spread)),
			   .from = c->from,
			   .to = c->to,
			   .rates = c->fn != t->w->root &&
				    (c->kind != WHY_BELOW || c->callee != WHY_NONE) &&
				    c->from != c->to &&
				    (c->kind != WHY_MIX || why_supports(c)),
			   .costs = c->kind == WHY_BELOW || c->kind == WHY_OWN ||
				    c->kind == WHY_LAYOUT,
			   .text = text_of(t, c),
			   .of = number_of(t, c->fn),
			   .fn = name_of(t, c->fn, true),
			   .callee = name_of(t, c->callee, true),
			   .kind = kind_name(c),
			   .below = name_of(t, c->below, true),
			   .context = context,
			   .file = place.file,
			   .gone = place.gone,
			   .line = place.line});
}

/* Add a row of the rest, which the rows above do not explain.  If all causes are rows,
 * the rest is rounding, and goes to the first. */
static void add_rest(struct telling *t, size_t more, double largest)
{
	int64_t rest = t->delta;
	const double share = fabs(share_of(t, largest));
	const int digits = share <= 9.9;
	const double above = digits ? ceil(share * 10) / 10 : ceil(share);

	for (size_t i = 0; i < t->n; i++)
		cost_subtract(&rest, t->row[i].delta);
	if (!more && t->n && cost_size(rest) <= (int64_t)(t->n + t->w->tiny)) {
		cost_add(&t->row[0].delta, rest);
		cost_add(&t->row[0].lo, rest);
		cost_add(&t->row[0].hi, rest);
		return;
	}
	if (!rest && !more)
		return;
	t->more = more;
	add_row(t,
		(struct why_row){.delta = rest,
				 .kind = STR("rest"),
				 .text = !t->delta ? STR("the rest")
						   : arena_printf(t->x->a,
								  "the rest: %zu more, "
								  "none above %.*f %%",
								  more, digits, above)});
}

static void add_noise(struct telling *t)
{
	const struct why *w = t->w;

	if (w->noises)
		add_row(t,
			(struct why_row){.delta = cost_round(w->noise),
					 .kind = STR("noise"),
					 .text = arena_printf(
						 t->x->a,
						 "noise: own cost of %zu function%s, "
						 "as far apart from run to run",
						 w->noises, w->noises == 1 ? "" : "s")});
}

/* ---- no single cause ---- */

/* Self cost of an object and file on both sides. */
struct group {
	uint32_t obj, file; /* of the pairing */
	double cost;
	uint32_t fn; /* one of its functions */
};

static int by_object(const void *pa, const void *pb)
{
	const struct group *a = pa, *b = pb;
	int c = order_u64(a->obj, b->obj);

	c = c ? c : order_u64(a->file, b->file);
	return c ? c : order_u64(a->fn, b->fn);
}

static int by_cost(const void *pa, const void *pb)
{
	const struct group *a = pa, *b = pb;
	const int c = order_double(fabs(b->cost), fabs(a->cost));

	return c ? c : by_object(pa, pb);
}

/* A pair is of one group, wherever the other side has it: that may know no object. */
static struct group group_of(const struct why *w, unsigned side, uint32_t f)
{
	const unsigned at = w->fn[HERE][f] != WHY_NONE ? HERE : BASE;
	const struct graph *g = w->g[at];
	const uint32_t fn = w->fn[at][f];
	const file_id file = graph_file_id(g, fn);

	return (struct group){
		.obj = vs_object_number(w->vs, at == BASE,
					store_fn_obj_id(g->st, graph_origin(g, fn))),
		.file = file == GRAPH_NO_FILE ? WHY_NONE
					      : vs_file_number(w->vs, at == BASE, file),
		.cost = (side == BASE ? -1.0 : 1.0) *
			(double)graph_self(w->g[side], w->fn[side][f], w->event[side]),
		.fn = f};
}

static void list_groups(struct telling *t, struct group **out, size_t *n)
{
	const struct why *w = t->w;
	struct group *at = EXEC_ARRAY(t->x, struct group, 2 * (size_t)w->n);
	size_t k = 0, all = 0;

	for (uint32_t f = 0; f < w->root; f++)
		for (unsigned s = 0; s < SIDES; s++)
			if (w->fn[s][f] != WHY_NONE)
				at[all++] = group_of(w, s, f);
	qsort(at, all, sizeof(*at), by_object);
	for (size_t i = 0; i < all; i++) {
		if (k && at[k - 1].obj == at[i].obj && at[k - 1].file == at[i].file)
			at[k - 1].cost += at[i].cost;
		else
			at[k++] = at[i];
	}
	qsort(at, k, sizeof(*at), by_cost);
	*out = at;
	*n = k;
}

static void add_group(struct telling *t, const struct group *g)
{
	const struct why *w = t->w;
	const unsigned side = w->fn[HERE][g->fn] != WHY_NONE ? HERE : BASE;
	const struct str file = graph_file(w->g[side], w->fn[side][g->fn]),
			 obj = str_basename(graph_obj(w->g[side], w->fn[side][g->fn]));
	const bool known = file.n && !str_eq(file, STR("???"));
	const char *more = g->cost > 0 ? "more" : "less";

	add_row(t, (struct why_row){
			   .delta = cost_round(g->cost),
			   .kind = STR("own cost"),
			   .file = known ? file : STR(""),
			   .text = known ? arena_printf(t->x->a,
							"functions of %.*s (%.*s) spend "
							"%s in themselves",
							STR_ARG(str_basename(file)),
							STR_ARG(obj), more)
					 : arena_printf(t->x->a,
							"functions of %.*s spend %s in "
							"themselves",
							STR_ARG(obj), more)});
}

/* One alone says nothing: *told false. */
static void tell_groups(struct telling *t, bool *told)
{
	static const double alone = 90; /* percent */
	struct group *at = NULL;
	size_t n = 0, shown;

	list_groups(t, &at, &n);
	while (n && fabs(at[n - 1].cost) < 0.5)
		n--;
	if (!(*told = n > 1 && share_of(t, at[0].cost) < alone))
		return;
	shown = n < SHOWN ? n : SHOWN;
	for (size_t i = 0; i < shown; i++)
		add_group(t, &at[i]);
	add_rest(t, n - shown, shown < n ? at[shown].cost : 0);
}

/* Is there no single cause: many small ones, or large ones that cancel? */
static bool no_single_cause(const struct telling *t, const struct why_cause *c, size_t n)
{
	static const double seven = 60, cancels = 150;
	const double least = t->flags ? 2 * STANDS_OUT : STANDS_OUT;
	const double first = n ? share_of(t, c[0].cost) : 0;
	const bool cancel = t->gross > MOST_GROSS * fabs((double)t->delta);
	double sum = 0;

	for (size_t i = 0; i < n && i < SHOWN; i++)
		sum += share_of(t, c[i].cost);
	if (!n || !t->delta || (first >= least && !(cancel && first > cancels)))
		return false;
	return cancel || fabs(first) >= STANDS_OUT || fabs(sum) < seven || t->flags;
}

/* ---- notes ---- */

/* Alignment of data and other chance changes so much. */
static bool is_little(const struct telling *t)
{
	static const double little = 0.001;
	const double all = (double)graph_left(t->w->g[BASE], t->w->event[BASE]);

	return fabs((double)t->delta) <= little * all;
}

/* Do changes cancel each other to less than what is a difference?  Then they are no parts of
 * it. */
static bool is_even(const struct telling *t)
{
	return t->delta && is_little(t) && t->gross > MOST_GROSS * fabs((double)t->delta);
}

/* If there is no difference, or hardly one: what other events say; empty: nothing. */
static struct str text_of_none(struct telling *t)
{
	struct str others, asked = check_event_word(t->x->env, t->x->event);
	const bool even = is_even(t);

	if (t->w->only[HERE] || !is_little(t))
		return STR("");
	others = vs_other_events(t->x, t->w->vs, t->vs, true);
	if (!others.p || (!others.n && !even))
		return others;
	return arena_printf(t->x->a, "%s difference in %.*s%s%s%.*s",
			    t->delta && !even ? "hardly a" : "no", STR_ARG(asked),
			    even ? ": changes cancel each other, why max 20 lists them"
				 : "",
			    others.n ? "; " : "", STR_ARG(others));
}

static void note_spliced(struct telling *t)
{
	const uint32_t n = t->w->spliced;

	if (!(!n))
		exec_notef(t->x,
			   "%u function%s on one side only, joined to their "
			   "callers%s",
			   n, n == 1 ? "" : "s",
			   t->flags ? ": inlining or build flags differ" : "");
}

static void note_noise(struct telling *t)
{
	exec_note(t->x, STR("one run a side: time differs from run to run, so rows "
			    "without other calls may be noise"));
}

static struct str text_of_scattered(const struct telling *t, const struct why_cause *c,
				    size_t n)
{
	struct arena *a = t->x->a;

	if (t->flags)
		return arena_printf(a,
				    "no single cause: %u functions are on one side only: "
				    "inlining or build flags differ",
				    t->w->spliced);
	if (t->gross > MOST_GROSS * fabs((double)t->delta) || share_of(t, c[0].cost) < 0)
		return arena_printf(
			a, "no single cause: %zu changes that cancel each other", n);
	return arena_printf(a, "no single cause: the largest of %zu makes %.0f %%", n,
			    share_of(t, c[0].cost));
}

/* ---- all of it ---- */

/* The event of executed instructions: what another event costs without a change of it is
 * layout. */
static void find_work(struct why *w)
{
	for (unsigned s = 0; s < SIDES; s++) {
		struct exec *x = w->run[s];

		w->work[s] = WHY_NONE;
		for (uint32_t e = 0; e < x->env->nevents; e++)
			if (str_eq(x->env->events[e], STR("Ir")))
				w->work[s] = e;
		if (w->work[s] != WHY_NONE)
			graph_event(x->g, w->work[s]);
	}
}

static void find_noise(struct why *w, bool doubt)
{
	struct exec *x = w->run[HERE];

	w->several = vs_several_runs(x, w->vs, doubt);
	w->noisy = !w->several && x->env->units[x->event].kind == UNIT_TIME;
}

static void find_causes(struct telling *t, struct exec *x, struct vs *v,
			const struct source *s, bool doubt, struct why_cause **c,
			size_t *n)
{
	struct why *w = EXEC_ARRAY(x, struct why, 1);

	*t = (struct telling){.w = w, .x = x, .shown = x->g, .vs = s->vs};
	why_model(x, v, s->under, s->of, w);
	find_work(w);
	find_noise(w, doubt);
	why_units(w);
	why_terms(w);
	why_causes(w, c, n);
	t->delta = cost_difference(graph_left(w->g[HERE], w->event[HERE]),
				   graph_left(w->g[BASE], w->event[BASE]));
	for (size_t i = 0; i < *n; i++)
		t->gross += fabs((*c)[i].cost);
	why_other_build(w, *c, *n, &t->flags);
}

/* Keep the causes in a function of the set, or in calls of one: their sum is what is told. */
static void keep_of(struct telling *t, struct why_cause *c, size_t *n)
{
	struct why *w = t->w;
	double sum = 0;
	size_t k = 0;

	t->gross = 0;
	for (size_t i = 0; i < *n; i++) {
		if (!why_in_set(w, w->only, c[i].fn) &&
		    (c[i].callee == WHY_NONE || !why_in_set(w, w->only, c[i].callee)))
			continue;
		sum += c[i].cost;
		t->gross += fabs(c[i].cost);
		c[k++] = c[i];
	}
	*n = k;
	t->delta = cost_round(sum);
	w->noises = 0;
}

/* Rows whose sentences are the same, of overloads as a rule, say what tells them apart. */
static void tell_apart(struct telling *t, const struct why_cause *c, size_t n)
{
	for (size_t i = 0; i < n; i++)
		for (size_t k = i + 1; k < n; k++) {
			if (!str_eq(t->row[i].text, t->row[k].text))
				continue;
			t->twin = &c[k];
			t->row[i].text = text_of(t, &c[i]);
			t->twin = &c[i];
			t->row[k].text = text_of(t, &c[k]);
			t->twin = NULL;
			if (!t->row[i].text.p || !t->row[k].text.p)
				need_memory(t->x->a);
		}
}

/* The causes from the largest on, noise, and the rest. */
static void tell_causes(struct telling *t, struct why_cause *c, size_t n, size_t shown)
{
	double largest = 0;

	for (size_t i = 0; i < shown; i++)
		add_cause(t, &c[i]);
	tell_apart(t, c, shown < 3 * SHOWN ? shown : 3 * SHOWN);
	for (size_t i = shown; i < n; i++)
		largest = fmax(largest, fabs(c[i].cost));
	add_noise(t);
	add_rest(t, n - shown, largest);
}

/* What is to be said before the rows, and the rows. */
static void tell(struct telling *t, const struct source *s, struct why_cause *c, size_t n)
{
	static const double little = 0.5; /* percent */
	const size_t most = s->has_max ? (size_t)s->max : SHOWN;
	size_t shown = n < most ? n : most;
	bool told = false;

	if (!s->has_max && !s->of && is_even(t))
		return;
	while (!s->has_max && shown > 1 && fabs(share_of(t, c[shown - 1].cost)) < little)
		shown--;

	t->scattered = !s->has_max && !s->of && no_single_cause(t, c, n);
	t->row = EXEC_ARRAY(t->x, struct why_row, shown + SHOWN + 2);
	if (t->scattered)
		tell_groups(t, &told);
	if (!told)
		tell_causes(t, c, n, shown);
}

static void note_all(struct telling *t, const struct why_cause *c, size_t n)
{
	const struct str none = text_of_none(t);

	if (none.n || !none.p) {
		exec_note(t->x, none);
		return;
	}
	if (!t->delta) {
		exec_note(t->x, STR("no difference"));
		return;
	}
	if (t->scattered)
		exec_notef(t->x, "%.*s; why max 20 lists them",
			   STR_ARG(text_of_scattered(t, c, n)));
	if (!(t->scattered && t->flags))
		note_spliced(t);
	if (n && t->w->noisy)
		note_noise(t);
}

void exec_why(struct exec *x, const struct source *s, struct vs *v, struct table *t)
{
	struct telling to;
	struct why_cause *c = NULL;
	size_t n = 0;

	t->src = source_def_of(s);
	find_causes(&to, x, v, s, true, &c, &n);
	if (s->of)
		keep_of(&to, c, &n);
	why_stacks(to.w);
	tell(&to, s, c, n);
	note_all(&to, c, n);
	why_rows(x, t, to.row, to.n, to.delta && !is_even(&to));
}

void why_as_causes(struct exec *x, const struct why_row *row, size_t n,
		   struct headline *h)
{
	h->causes = EXEC_ARRAY(x, struct headline_cause, n + 1);
	for (size_t i = 0; i < n; i++) {
		const struct why_row *r = &row[i];

		h->listed += !str_eq(r->kind, STR("rest"));
		h->causes[h->ncauses++] = (struct headline_cause){
			r->delta, r->share, r->from, r->to,   r->rates, r->costs,
			r->text,  r->file,  r->line, r->gone, r->of};
	}
}

/* What the first row says of the whole, if it says enough. */
static void headline_of(struct telling *t, const struct why_cause *c, size_t n,
			struct headline *h)
{
	const struct why_row *row = t->row;

	h->unsure = n && t->w->noisy && !c->sure;
	h->cause = text_of_none(t);
	if (!h->cause.p)
		need_memory(t->x->a);
	if (h->cause.n || t->scattered || !n || row->share < STANDS_OUT || h->unsure) {
		if (!h->cause.n && t->scattered && t->flags)
			h->cause = text_of_scattered(t, c, n);
	} else {
		h->cause = arena_printf(t->x->a, "%s%.0f %%: %.*s%s",
					is_little(t) ? "hardly a difference; " : "",
					row->share, STR_ARG(row->text),
					t->flags ? "; build flags differ" : "");
		h->plain = !is_little(t) && !t->flags;
		h->file = row->file;
		h->line = row->line;
	}
	if (!h->cause.p)
		need_memory(t->x->a);
}

void exec_why_headline(struct exec *x, struct vs *v, const struct graph *shown,
		       struct headline *h)
{
	struct telling to;
	struct why_cause *c = NULL;
	size_t n = 0;

	find_causes(&to, x, v, &(struct source){0}, false, &c, &n);
	to.shown = shown;
	tell(&to, &(struct source){0}, c, n);
	why_as_causes(x, to.row, to.n, h);
	h->more = to.more;
	headline_of(&to, c, n, h);
}
