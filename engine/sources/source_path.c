/*
 * source_path.c - paths, and the cost of one set under another.
 *
 * A row of paths is one step of one path.  est, lo and hi are of the path up to that
 * step, so the last step has those of the whole path.
 */
#include "engine/lang/ast.h"
#include "engine/names/fnset.h"
#include "engine/rows/exec.h"
#include "engine/rows/exec_set.h"
#include "engine/rows/loaders.h"
#include "engine/graph/flow_parts.h"
#include "engine/graph/graph.h"
#include "engine/graph/graph_stage.h"
#include "engine/sources/neighbours.h"
#include "engine/path/path.h"
#include "engine/path/known.h"
#include "engine/sources/getters.h"
#include "engine/sources/members.h"
#include "engine/sources/cost_calls.h"
#include "engine/sources/source.h"
#include "index/base/arena.h"
#include "index/base/cost.h"
#include "index/base/err.h"
#include "index/base/need.h"

uint64_t step_est(const struct table *t, uint32_t r, uint32_t e UNUSED)
{
	return path_units(&ROW(step, t, r)->s.cost);
}

double step_share(const struct table *t, uint32_t r, uint32_t e)
{
	double total = (double)graph_total(t->g, t->event);

	return total > 0 ? 100.0 * (double)step_est(t, r, e) / total : 0;
}

bool step_no_share(const struct table *t, uint32_t r UNUSED)
{
	return graph_total(t->g, t->event) <= 0;
}

bool step_estimated(const struct table *t, uint32_t r, uint32_t e UNUSED)
{
	return t->g->marks.estimated || !ROW(step, t, r)->s.cost.measured;
}

bool step_unbounded(const struct table *t, uint32_t r)
{
	return !ROW(step, t, r)->s.cost.bounded;
}

/* Inlined code is entered without a call. */
bool step_not_called(const struct table *t, uint32_t r)
{
	return ROW(step, t, r)->step == 0 ||
	       !graph_calls_known(t->g, ROW(step, t, r)->s.fn) ||
	       (!graph_counts_zeros(t->g) && !ROW(step, t, r)->s.calls);
}

static const struct listed path_list[] = {
	{"path", BOTH, 10},  {"step", BOTH, 5},
	{"id", BOTH, 9},     {"fn", BOTH, 1},
	{"file", SHOW_M, 0}, {"line", SHOW_M, 0},
	{"calls", BOTH, 7},  {"incl", BOTH, 6},
	{"est", BOTH, 2},    {"est%", SHOW_T | HAS_BAR, 8},
	{"lo", SHOW_M, 0},   {"hi", SHOW_M, 0},
	{"cycle", BOTH, 11}, {"estimated", SHOW_M, 0},
};

static void rows_of_paths(struct exec *x, const struct path_list *list, struct table *t)
{
	size_t n = 0, k = 0;
	struct step *rows;

	for (size_t i = 0; i < list->n; i++)
		n += list->paths[i].n;
	rows = EXEC_ARRAY(x, struct step, n + 1);
	for (size_t i = 0; i < list->n; i++)
		for (size_t j = 0; j < list->paths[i].n; j++)
			rows[k++] = (struct step){(uint32_t)i + 1, (uint32_t)j,
						  list->paths[i].steps[j]};
	t->rows = rows;
	t->truncated = list->truncated;
	table_init(x, t, &source_path, x->g, n);
}

/* Note how many more paths there are; for `all`, their share of the cost. */
static void note_more(struct exec *x, const struct path_list *list)
{
	double shown = 0;

	if (!list->more)
		return;
	for (size_t i = 0; i < list->n; i++)
		shown += list->paths[i].steps[list->paths[i].n - 1].cost.est;
	if (!(list->total > 0)) {
		exec_notef(x, "showing %s path%s; there are more", GROUPED(list->n),
			   list->n == 1 ? "" : "s");
		return;
	}
	exec_notef(x,
		   "showing %s path%s with some %.0f %% of the cost; there are "
		   "more",
		   GROUPED(list->n), list->n == 1 ? "" : "s",
		   shown < list->total ? 100 * shown / list->total : 100);
}

/* most[] by the functions that people see: the sum over all places where one is inlined. */
static void most_of_places(struct exec *x, int64_t **most, uint32_t **places)
{
	const struct graph *g = x->g;
	int64_t *sum = EXEC_ARRAY(x, int64_t, (size_t)graph_numbers(g) + 1);
	uint32_t *n = EXEC_ARRAY(x, uint32_t, (size_t)graph_numbers(g) + 1);

	*places = EXEC_ARRAY(x, uint32_t, (size_t)g->functions + 1);
	graph_most(x->g, x->event, x->a, most);
	for (uint32_t f = 0; f < g->functions; f++) {
		cost_add(&sum[graph_id(g, f)], (*most)[f]);
		n[graph_id(g, f)]++;
	}
	for (uint32_t f = 0; f < g->functions; f++)
		if (!graph_calls_known(g, f)) {
			(*most)[f] = sum[graph_id(g, f)];
			(*places)[f] = n[graph_id(g, f)];
		}
}

/* A path costs no more than any of its functions.  After stages that estimate, no more is
 * proven; nor for paths that begin in code that is inlined at several places, as a path
 * begins at one of them. */
static void bound_paths(struct exec *x, struct path_list *list)
{
	int64_t *most, hi;
	uint32_t *places;

	if (!x->g->marks.estimated && !x->g->inlined.extra)
		return;
	most_of_places(x, &most, &places);
	for (size_t i = 0; i < list->n; i++) {
		const struct path *p = &list->paths[i];

		if (!x->g->marks.estimated && places[p->steps[0].fn] < 2)
			continue;
		hi = INT64_MAX;
		for (size_t k = 0; k < p->n; k++) {
			struct path_bounds *b = &p->steps[k].cost;
			hi = most[p->steps[k].fn] < hi ? most[p->steps[k].fn] : hi;
			*b = path_bounds_most(b->est, hi);
		}
	}
}

/* The functions of x->g that s names, as those of the graph that paths follow; entered: those
 * by which they are entered. */
static void optional_set(struct exec *x, struct graph *follow, const struct set *s,
			 bool entered, const struct fn_set **out)
{
	struct fn_set *set = NULL;

	if (s)
		exec_set(x, s, &set);
	graph_members_of(x->g, follow, set, entered, x->a, out);
}

/* The graph that paths follow: that of known stacks, or the one that has contexts, or places
 * of inlined code, apart.  Rows of the latter are places. */
static struct graph *followed(struct exec *x, bool known)
{
	if (!known && !x->g->merge.member)
		x->g = graph_apart(x->g);
	return known ? x->g : graph_apart(x->g);
}

/* Say that there is no path, and whether there is one the other way. */
static void say_none(struct exec *x, const struct source *s, const struct flow *flow,
		     const struct path_query *asked, struct table *t)
{
	const bool more = s->via || s->avoiding || s->has_depth || s->has_min;
	struct path_query q = {
		.kind = PATH_SHORTEST, .k = 1, .from = asked->to, .to = asked->from};
	struct str from = exec_text(x, s->from->span), to = exec_text(x, s->to->span);
	struct path_list back = {0};

	if (!more)
		path_find(flow, &q, x->a, x->open->cancel, &back);
	t->footer = STR("0 paths");
	exec_notef(x, "no path from %.*s to %.*s%s%s", STR_ARG(from), STR_ARG(to),
		   more ? " that fits the other clauses" : "",
		   back.n ? "; there is one the other way round" : "");
}

/* The recorded calls between functions of x->g. */
static void record_calls(const struct exec *x, struct path_list *list)
{
	for (size_t i = 0; i < list->n; i++)
		for (size_t k = 0; k < list->paths[i].n; k++) {
			struct path_step *s = &list->paths[i].steps[k];

			s->edge =
				k ? graph_edge_between(x->g, s[-1].fn, s->fn) : FLOW_NONE;
			s->calls = k ? graph_edge_calls(x->g, s->edge) : 0;
			s->incl = k ? graph_edge_incl(x->g, s->edge, x->event)
				    : path_units(&s->cost);
		}
}

static void contexts_of(struct exec *x, const struct graph *follow,
			const struct fn_set *from, struct path_contexts *c)
{
	uint32_t *fn = EXEC_ARRAY(x, uint32_t, (size_t)follow->functions + 1);
	uint8_t *again = EXEC_ARRAY(x, uint8_t, (size_t)follow->functions + 1);
	struct path_bounds *whole =
		EXEC_ARRAY(x, struct path_bounds, (size_t)x->g->functions + 1);

	for (uint32_t f = 0; f < follow->functions; f++) {
		bool is = false;

		fn[f] = graph_merged(x->g, follow, f, &is);
		again[f] = is;
		if (fnset_has(from, f))
			whole[fn[f]] = neighbour_inclusive(x, fn[f]);
	}
	*c = (struct path_contexts){fn, again, x->g->merge.added, whole};
}

/* Find paths in the graph that has contexts apart, for paths of functions.  Several chains
 * are one path: if too few paths are left, find more. */
static void find_paths(struct exec *x, const struct graph *follow,
		       const struct flow *flow, struct path_query *q,
		       struct path_list *list)
{
	const uint32_t wanted = q->k;
	struct path_contexts c;

	if (x->g == follow) {
		path_find(flow, q, x->a, x->open->cancel, list);
		return;
	}
	graph_event(x->g, x->event);
	contexts_of(x, follow, q->from, &c);
	for (;; q->k *= 2) {
		path_find(flow, q, x->a, x->open->cancel, list);
		path_of_functions(flow, q, &c, x->a, x->open->cancel, list);
		if (!q->k || !list->more || list->n >= wanted || q->k > PATH_ALL_CAP / 2)
			break;
	}
	if (wanted && list->n > wanted) {
		list->n = wanted;
		list->more = true;
	}
	record_calls(x, list);
}

static void path_open(struct exec *x, const struct source *s, struct table *t)
{
	struct path_query q = {.kind = s->path, .k = 1};
	struct path_list list = {0};
	const struct flow *flow = NULL;
	struct stacks stacks;
	struct graph *follow;
	bool known;

	exec_stacks(x, &stacks, &known);
	follow = followed(x, known);
	optional_set(x, follow, s->from, false, &q.from);
	optional_set(x, follow, s->to, false, &q.to);
	optional_set(x, follow, s->via, false, &q.via);
	optional_set(x, follow, s->avoiding, false, &q.avoiding);
	exec_flow(x, follow, x->event, &flow); /* say_none() looks for a way back */
	if (s->path == PATH_ALL)
		q.k = 0;
	if (s->has_n)
		q.k = s->n > PATH_ALL_CAP ? PATH_ALL_CAP : (uint32_t)s->n;
	if (s->has_n && s->n == 0)
		exec_fail(x, s->span, "no path is asked for: write 1 or more");
	q.max = s->depth > UINT32_MAX ? UINT32_MAX : (uint32_t)s->depth;
	q.min = !s->has_min	 ? 0
		: s->min_percent ? s->min / 100.0 * (double)graph_total(x->g, x->event)
				 : s->min;
	if (!known)
		flow_parts_new(follow, flow, x->event, x->a, &q.parts);
	if (known)
		known_paths(&stacks, &q, x->a, x->open->cancel, &list);
	else
		find_paths(x, follow, flow, &q, &list);
	flow_parts_free(q.parts);
	bound_paths(x, &list);
	if (list.n)
		note_more(x, &list);
	else
		say_none(x, s, flow, &q, t);
	rows_of_paths(x, &list, t);
}

static uint32_t step_graph_fn(const struct table *t, uint32_t r)
{
	return ROW(step, t, r)->s.fn;
}

const struct source_def source_path = {
	.name = "path",
	.rows = "steps",
	.primary = "est",
	.of = ROWS_STEP,
	COLUMNS(path_list),
	.open = path_open,
	.fn = step_graph_fn,
	.row_size = sizeof(struct step),
};

/* ---- cost of X under Y: one row ---- */

static const struct cost *cost_row(const struct table *t)
{
	return t->rows;
}

uint64_t cost_est(const struct table *t, uint32_t r UNUSED, uint32_t e UNUSED)
{
	return path_units(&cost_row(t)->b);
}

bool cost_exact(const struct table *t, uint32_t r UNUSED, uint32_t e UNUSED)
{
	const struct path_bounds *b = &cost_row(t)->b;

	return graph_tree_sure(t->g) &&
	       (b->measured || (!t->g->marks.estimated && b->bounded && b->lo == b->hi));
}

bool cost_estimated(const struct table *t, uint32_t r, uint32_t e UNUSED)
{
	return !cost_exact(t, r, 0);
}

bool cost_unbounded(const struct table *t, uint32_t r UNUSED)
{
	return !cost_row(t)->b.bounded;
}

bool cost_incl_estimated(const struct table *t, uint32_t r UNUSED, uint32_t e UNUSED)
{
	const struct path_bounds *b = &cost_row(t)->whole;

	return !b->measured && !(b->bounded && b->lo == b->hi);
}

bool cost_incl_fuzzy(const struct table *t, uint32_t r, uint32_t e UNUSED)
{
	return (t->g->marks.estimated && !cost_row(t)->whole.measured) ||
	       cost_incl_estimated(t, r, e);
}

double cost_share(const struct table *t, uint32_t r, uint32_t e)
{
	double total = (double)graph_total(t->g, t->event);

	return total > 0 ? 100.0 * (double)(int64_t)cost_est(t, r, e) / total : 0;
}

bool cost_no_calls(const struct table *t, uint32_t r UNUSED)
{
	return !cost_row(t)->calls.known;
}

bool cost_calls_not_known(const struct table *t, uint32_t r UNUSED)
{
	const struct call_bounds *calls = &cost_row(t)->calls;

	return !calls->known || calls->lo != calls->hi;
}

static const struct listed cost_list[] = {
	{"self", BOTH, 0},	  {"incl", BOTH, 0},	   {"est", BOTH, 0},
	{"est%", SHOW_T, 0},	  {"lo", SHOW_M, 0},	   {"hi", SHOW_M, 0},
	{"exact", BOTH, 0},	  /* of est */
	{"estimated", SHOW_M, 0}, /* of incl */
	{"calls", SHOW_M, 0},	  {"calls_lo", SHOW_M, 0}, {"calls_hi", SHOW_M, 0},
};

/* Bound the cost of a set by the costs of its members: it is no less than that of any one, or
 * than what all spend themselves, and no more than their sum. */
static void bound_by_members(struct exec *x, const struct fn_set *set, int64_t own,
			     struct path_bounds *b)
{
	int64_t most = INT64_MIN, all = 0;
	bool sure = b->bounded, spent = !store_info(x->g->st)->negative;

	if (spent && b->est < (double)own)
		b->est = (double)own;
	for (uint32_t f = fnset_next(set, 0); f != FNSET_NONE && sure;
	     f = fnset_next(set, f + 1)) {
		int64_t lo, hi;

		sure = graph_is_sure(x->g, f, GRAPH_INCL);
		spent = spent && graph_is_sure(x->g, f, GRAPH_SELF);
		graph_incl_bounds(x->g, f, x->event, &lo, &hi);
		most = lo > most ? lo : most;
		cost_add(&all, hi);
	}
	if (sure && spent && own > most)
		most = own;
	if (sure && most > b->lo)
		b->lo = most;
	if (sure && all < b->hi)
		b->hi = all;
	if (b->bounded)
		*b = path_bounds_of(b->est, b->lo, b->hi, true);
}

/* self: the sum over the set.  incl: for one function its own; for several the cost
 * through any of them, since members that call each other would count twice. */
static void cost_sums(struct exec *x, const struct flow *flow, const struct fn_set *set,
		      const struct path_cost_query *q, struct cost *c)
{
	uint32_t first = fnset_next(set, 0);

	for (uint32_t f = first; f != FNSET_NONE; f = fnset_next(set, f + 1))
		cost_add(&c->self, graph_self(x->g, f, x->event));
	c->whole.measured = true;
	if (first == FNSET_NONE)
		return;
	if (fnset_count(set) == 1) {
		c->whole = neighbour_inclusive(x, first);
	} else {
		path_cost(flow, &(struct path_cost_query){.of = q->of, .parts = q->parts},
			  x->a, x->open->cancel, &c->whole);
		bound_by_members(x, set, c->self, &c->whole);
	}
	c->incl = path_units(&c->whole);
}

/* A part of the cost is no more than the whole. */
static void part_of_cost(struct exec *x, const struct flow *flow,
			 const struct path_cost_query *q, struct cost *c)
{
	path_cost(flow, q, x->a, x->open->cancel, &c->b);
	if (c->b.bounded && c->whole.bounded && c->whole.hi < c->b.hi &&
	    c->whole.hi >= c->b.lo)
		c->b = path_bounds_of(c->b.est, c->b.lo, c->whole.hi, true);
}

/* Does a function of `from` lead to one of `to`? */
static bool leads_to(struct exec *x, const struct fn_set *from, const struct fn_set *to)
{
	struct cost_under u;

	cost_under(x, from, &u);
	for (uint32_t f = fnset_next(to, 0); f != FNSET_NONE; f = fnset_next(to, f + 1))
		if (fnset_has(u.below, f))
			return true;
	return false;
}

/* A function that is never above the others is estimated as `focus` does it. */
static void as_focused(struct exec *x, const struct source *s, struct graph *follow,
		       const struct fn_set *of, const struct fn_set *under,
		       struct cost *c)
{
	const uint32_t f = fnset_next(of, 0);
	const struct fn_set *set;
	struct graph *left, *joined;
	int64_t left_of;
	uint32_t here;

	if (s->via || s->avoiding || !c->b.bounded || c->b.lo == c->b.hi ||
	    fnset_count(of) != 1 || x->g->marks.estimated || leads_to(x, of, under))
		return;
	optional_set(x, follow, s->under, false, &set);
	graph_focus(follow, set, false, &left);
	graph_join(left, &joined);
	graph_event(joined, x->event);
	here = graph_of_store(joined, graph_id(x->g, f));
	if (here == GRAPH_NONE)
		return;
	left_of = graph_incl(joined, here, x->event);
	if (graph_incl_is_about(joined, here, x->event) || left_of < c->b.lo ||
	    left_of > c->b.hi)
		c->b = path_bounds_of((double)left_of, c->b.lo, c->b.hi, true);
	else
		c->b = path_bounds_exact(left_of);
}

/* A function is under itself only if it is nested in itself: note it. */
static void note_same(struct exec *x, const struct fn_set *of, const struct fn_set *under)
{
	for (uint32_t f = fnset_next(of, 0); f != FNSET_NONE; f = fnset_next(of, f + 1))
		if (fnset_has(under, f)) {
			exec_note(x, STR("a function in both sets counts where it "
					 "runs inside itself; 'info NAME' has its "
					 "own cost"));
			return;
		}
}

/* Loading may cost more than the functions that are known to load. */
static void more_loading(struct exec *x, const struct loaders_more *more, struct cost *c)
{
	const int64_t all = (int64_t)graph_total(x->g, x->event);
	int64_t hi = c->b.hi, whole = c->whole.hi;

	if (!c->more)
		return;
	cost_add(&hi, more->cost);
	cost_add(&whole, more->cost);
	hi = all > c->b.hi && hi > all ? all : hi;
	whole = all > c->whole.hi && whole > all ? all : whole;
	c->b = path_bounds_of(c->b.est, c->b.lo, hi, c->b.bounded && !more->unknown);
	c->whole = path_bounds_of(c->whole.est, c->whole.lo, whole,
				  c->whole.bounded && !more->unknown);
	if (more->unknown) {
		exec_notef(x,
			   "%s registered loader%s not found: loading may cost any "
			   "amount more",
			   GROUPED(more->unknown), more->unknown == 1 ? " is" : "s are");
		return;
	}
	exec_notef(x,
		   "PHP compiles a file in the function that requires it: hi has the "
		   "own cost of %s that may load, too",
		   more->functions == 1 ? "one" : GROUPED(more->functions));
}

static void show_cost(struct exec *x, const struct path_cost_query *q, struct cost *c,
		      struct table *t)
{
	t->rows = c;
	t->card = true;
	if ((q->under || q->via || q->avoiding) && path_units(&c->b) != c->incl)
		exec_hint(x,
			  STR("self and incl are from anywhere, est is what is asked"));
	table_init(x, t, &source_cost, x->g, 1);
	c->calls.known &= !c->more && store_counts_calls(x->g->st);
	if (!c->calls.known)
		return;
	if (c->calls.lo == c->calls.hi) {
		table_show(t, STR("calls"));
		return;
	}
	table_show(t, STR("calls_lo"));
	table_show(t, STR("calls_hi"));
}

/* An upper bound of what the functions of a set cost together; without a set, any cost. */
static int64_t most_of_set(const int64_t *most, const struct fn_set *set)
{
	int64_t sum = set ? 0 : INT64_MAX;

	for (uint32_t f = set ? fnset_next(set, 0) : FNSET_NONE; f != FNSET_NONE;
	     f = fnset_next(set, f + 1))
		cost_add(&sum, most[f]);
	return sum;
}

/* After stages that estimate, the cost is at most what each of `of`, `under` and `via`
 * costs.  least: what the costs of `of`, and of all that is asked, are no less than. */
static void bound_cost(struct exec *x, const struct path_cost_query *q,
		       const int64_t least[2], struct cost *c)
{
	const int64_t whole = graph_limit(x->g, x->event);
	int64_t *most, hi, part;

	if (!x->g->marks.estimated)
		return;
	graph_most(x->g, x->event, x->a, &most);
	hi = most_of_set(most, q->of);
	hi = hi == INT64_MAX || hi < whole ? hi : whole;
	c->whole = path_bounds_between(c->whole.est, least[0], hi);
	part = most_of_set(most, q->under);
	hi = part < hi ? part : hi;
	part = most_of_set(most, q->via);
	c->b = path_bounds_between(c->b.est, least[1], part < hi ? part : hi);
}

/* `cost of` where stacks are known: only of a span it is an estimate. */
static void cost_known(struct exec *x, const struct stacks *s,
		       const struct path_cost_query *q, struct cost *c, struct table *t)
{
	const struct path_cost_query whole = {.of = q->of};
	struct stacks at_least = *s;
	int64_t part, least[2] = {0, 0};
	uint64_t calls;

	for (uint32_t f = fnset_next(q->of, 0); f != FNSET_NONE;
	     f = fnset_next(q->of, f + 1))
		cost_add(&c->self, graph_self(x->g, f, x->event));
	c->calls.known = true;
	known_cost(s, &whole, x->a, x->open->cancel, &c->incl, &c->calls.lo);
	known_cost(s, q, x->a, x->open->cancel, &part, &c->calls.lo);
	if (q->under)
		note_same(x, q->of, q->under);
	c->calls.hi = c->calls.lo;
	c->whole = path_bounds_exact(c->incl);
	c->b = path_bounds_exact(part);
	at_least.incl = s->least;
	if (s->least) {
		known_cost(&at_least, &whole, x->a, x->open->cancel, &least[0], &calls);
		known_cost(&at_least, q, x->a, x->open->cancel, &least[1], &calls);
	}
	bound_cost(x, q, least, c);
	show_cost(x, q, c, t);
}

/* A set of functions of `follow` as one of x->g; NULL: the arena is full. */
static struct fn_set *merged_set(struct exec *x, const struct graph *follow,
				 const struct fn_set *set)
{
	struct fn_set *out = fnset_new(x->a, x->g->functions);

	for (uint32_t f = fnset_next(set, 0); f != FNSET_NONE; f = fnset_next(set, f + 1))
		fnset_add(out, graph_merged(x->g, follow, f, &(bool){false}));
	return out;
}

/* Of a set alone, only functions by which it is entered matter.  But `of` may be entered
 * again below `under` or `via`, and `under` again below what is avoided. */
static void cost_query(struct exec *x, const struct source *s, struct graph *follow,
		       struct path_cost_query *q)
{
	const bool alone = !s->under && !s->via && !s->avoiding;

	optional_set(x, follow, s->of, alone, &q->of);
	optional_set(x, follow, s->under, !s->avoiding, &q->under);
	optional_set(x, follow, s->via, false, &q->via);
	optional_set(x, follow, s->avoiding, false, &q->avoiding);
}

static void cost_open(struct exec *x, const struct source *s, struct table *t)
{
	struct loaders_more more = {0};
	struct path_cost_query q = {0};
	struct cost *c = EXEC_ARRAY(x, struct cost, 1);
	struct path_cost_query shown = {0}; /* of x->g */
	struct cost_under u;
	struct fn_set *of, *under = NULL;
	const struct flow *flow;
	struct stacks stacks;
	struct graph *follow;
	bool known;

	exec_stacks(x, &stacks, &known);
	follow = followed(x, known);
	x->more = &more;
	cost_query(x, s, follow, &q);
	x->more = NULL;
	c->more = more.functions || more.unknown;
	if (known) {
		cost_known(x, &stacks, &q, c, t);
		more_loading(x, &more, c);
		return;
	}
	of = merged_set(x, follow, q.of);
	if (q.under)
		under = merged_set(x, follow, q.under);
	if (q.via)
		shown.via = merged_set(x, follow, q.via);
	if (q.avoiding)
		shown.avoiding = merged_set(x, follow, q.avoiding);
	shown.of = of;
	shown.under = under;
	graph_event(x->g, x->event);
	exec_flow(x, follow, x->event, &flow);
	exec_parts(x, follow, flow, &q.parts);
	cost_sums(x, flow, of, &q, c);
	c->b = c->whole;
	cost_under(x, under, &u);
	if (q.via || q.avoiding || (under && !cost_all_under(of, under, &u)))
		part_of_cost(x, flow, &q, c);
	if (under)
		as_focused(x, s, follow, of, under, c);
	flow_parts_free(q.parts);
	bound_cost(x, &shown, (const int64_t[2]){0, 0}, c);
	cost_calls(x, &shown, &u, &c->calls);
	if (under)
		note_same(x, of, under);
	/* The whole is no less than what is proven of a part of it. */
	if (c->b.bounded && c->incl < c->b.lo)
		c->incl = c->b.lo;
	if (c->b.est > (double)c->incl && !store_info(x->g->st)->negative)
		c->b.est = (double)c->incl;
	show_cost(x, &q, c, t);
	more_loading(x, &more, c);
}

/* Each side has one row: both answer the same question. */
const struct source_def source_cost = {
	.name = "cost",
	.rows = "rows",
	.primary = "est",
	.of = ROWS_COST,
	COLUMNS(cost_list),
	.open = cost_open,
	.subject = fn_subject,
	.row_size = sizeof(struct cost),
};
