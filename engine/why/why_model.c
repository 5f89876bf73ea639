/*
 * why_model.c - one graph of both profiles; see why.h.
 *
 *	base:  main -> read (2 sites)          here:  main -> read (3 sites), main -> log
 *	model: main -> read, site 0: both sides, site 1: both, site 2: here; main -> log: here
 *
 * Sites are told apart only where the calls of a pair differ between the sides: the others
 * explain nothing.  A site has no name: those of a pair are put side by side in the order
 * of their lines, so that calls and costs differ least.
 */
#include "engine/why/why_in.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "engine/compare/vs.h"
#include "engine/graph/graph.h"
#include "engine/inline/inlined.h"
#include "engine/lang/result.h"
#include "engine/rows/exec.h"
#include "engine/rows/exec_set.h"
#include "engine/rows/fn_detail.h"
#include "index/base/need.h"
#include "index/base/bisect.h"
#include "index/base/err_struct.h"
#include "index/base/order.h"

/* ---- vertices ---- */

/* The side whose functions are numbered first: the same one whichever is the base, so that
 * the other way round the rows are the negative, to the unit. */
static unsigned first_side(const struct why *w)
{
	const struct graph *const *g = w->g;

	if (g[BASE]->functions != g[HERE]->functions)
		return g[BASE]->functions > g[HERE]->functions ? BASE : HERE;
	if (g[BASE]->edges != g[HERE]->edges)
		return g[BASE]->edges > g[HERE]->edges ? BASE : HERE;
	return graph_left(g[BASE], w->event[BASE]) > graph_left(g[HERE], w->event[HERE])
		       ? BASE
		       : HERE;
}

/* A function that one side has alone, by its name without parameters. */
struct lone {
	struct str name;
	unsigned side;
	uint32_t fn;
};

static int by_lone_name(const void *pa, const void *pb)
{
	const struct lone *a = pa, *b = pb;
	const int c = str_cmp(a->name, b->name);

	return c ? c : order_u64(a->side, b->side);
}

/* Who asks about a function, as of one whose parameters changed, wants to see into it: those
 * that one side has alone are the same if no other has the name.  *same: [functions of side
 * `other`]. */
static void pair_signatures(struct exec *x, const struct why *w, unsigned other,
			    const uint32_t **same)
{
	const struct graph *a = w->g[!other], *b = w->g[other];
	struct lone *lone =
		EXEC_ARRAY(x, struct lone, (size_t)a->functions + b->functions + 1);
	uint32_t *copy = EXEC_ARRAY(x, uint32_t, (size_t)b->functions + 1);
	bool *taken = EXEC_ARRAY(x, bool, (size_t)a->functions + 1);
	size_t n = 0;

	for (uint32_t f = 0; f < b->functions; f++) {
		if ((copy[f] = (*same)[f]) != RESULT_NONE)
			taken[copy[f]] = true;
		else
			lone[n++] = (struct lone){graph_short_name(b, f, x->a), other, f};
	}
	for (uint32_t f = 0; f < a->functions; f++)
		if (!taken[f])
			lone[n++] =
				(struct lone){graph_short_name(a, f, x->a), !other, f};
	for (size_t i = 0; i < n; i++)
		if (!lone[i].name.p)
			need_memory(x->a);
	qsort(lone, n, sizeof(*lone), by_lone_name);
	for (size_t i = 0, k; i < n; i = k) {
		for (k = i + 1; k < n && str_eq(lone[i].name, lone[k].name); k++)
			;
		if (k == i + 2 && lone[i].side != lone[i + 1].side) {
			const bool first = lone[i].side == other;

			copy[lone[first ? i : i + 1].fn] = lone[first ? i + 1 : i].fn;
		}
	}
	*same = copy;
	exec_poll_now(x);
}

/* both: as in struct compared. */
static void vertices(struct exec *x, struct why *w, const uint32_t *const both[2])
{
	const unsigned first = w->first = first_side(w), other = !first;
	const uint32_t *same = both[other == BASE];
	const uint32_t n[SIDES] = {w->g[BASE]->functions, w->g[HERE]->functions};
	const size_t most = (size_t)n[BASE] + n[HERE] + 1;

	if (w->under[HERE] || w->only[HERE])
		pair_signatures(x, w, other, &same);
	for (unsigned s = 0; s < SIDES; s++) {
		w->fn[s] = EXEC_ARRAY(x, uint32_t, most);
		w->of[s] = EXEC_ARRAY(x, uint32_t, (size_t)n[s] + 1);
		w->same[s] = EXEC_ARRAY(x, uint32_t, (size_t)n[s] + 1);
		memset(w->fn[s], 0xff, most * sizeof(uint32_t));
	}
	for (w->n = 0; w->n < n[first]; w->n++)
		w->fn[first][w->n] = w->of[first][w->n] = w->n;
	for (uint32_t f = 0; f < n[other]; f++) {
		const bool known =
			same[f] != RESULT_NONE && w->fn[other][same[f]] == WHY_NONE;

		w->of[other][f] = known ? same[f] : w->n++;
		w->fn[other][w->of[other][f]] = f;
	}
	w->root = w->n++;
	for (unsigned s = 0; s < SIDES; s++)
		memcpy(w->same[s], w->of[s], n[s] * sizeof(uint32_t));
}

/* Number the files, those of the first side first: sites are in the order of their files. */
static void number_files(struct exec *x, struct why *w)
{
	const uint32_t n[SIDES] = {store_info(w->g[BASE]->st)->files,
				   store_info(w->g[HERE]->st)->files};
	uint32_t *number = EXEC_ARRAY(x, uint32_t, (size_t)n[BASE] + n[HERE] + 1),
		 all = 0;

	for (unsigned k = 0; k < SIDES; k++) {
		const unsigned s = k ? !w->first : w->first;

		w->file[s] = EXEC_ARRAY(x, uint32_t, (size_t)n[s] + 1);
		for (uint32_t f = 0; f < n[s]; f++) {
			uint32_t *of = &number[vs_file_number(w->vs, s == BASE, f)];

			if (!*of)
				*of = ++all;
			w->file[s][f] = *of;
		}
	}
}

/* The lowest vertex of the function that f is of, as far as joined. */
static uint32_t name_root(uint32_t *name, uint32_t f)
{
	while (name[f] != f)
		f = name[f] = name[name[f]];
	return f;
}

static void join_names(uint32_t *name, uint32_t f, uint32_t g)
{
	f = name_root(name, f);
	g = name_root(name, g);
	name[f > g ? f : g] = f > g ? g : f;
}

/* Levels of recursion and callers in names are vertices of their own.  For people they are
 * one function: the lowest vertex of its groups in both profiles. */
static void group_names(struct exec *x, struct why *w)
{
	w->name = EXEC_ARRAY(x, uint32_t, w->n);
	for (uint32_t f = 0; f < w->n; f++)
		w->name[f] = f;
	for (unsigned s = 0; s < SIDES; s++) {
		struct store *st = w->g[s]->st;
		uint32_t *first;

		if (!store_any_grouped(st))
			continue;
		first = EXEC_ARRAY(x, uint32_t, (size_t)store_info(st)->groups + 1);
		memset(first, 0xff,
		       ((size_t)store_info(st)->groups + 1) * sizeof(*first));
		for (uint32_t f = 0; f < w->n; f++) {
			uint32_t *of;

			if (w->fn[s][f] == WHY_NONE ||
			    !graph_in_group(w->g[s], w->fn[s][f]))
				continue;
			of = &first[store_group_of(st,
						   graph_origin(w->g[s], w->fn[s][f]))];
			if (*of == WHY_NONE)
				*of = f;
			join_names(w->name, f, *of);
		}
	}
	for (uint32_t f = 0; f < w->n; f++)
		w->name[f] = name_root(w->name, f);
}

static void self_costs(struct exec *x, struct why *w)
{
	uint32_t most;

	for (unsigned s = 0; s < SIDES; s++) {
		w->self[s] = EXEC_ARRAY(x, double, w->n);
		for (uint32_t f = 0; f < w->root; f++)
			if (w->fn[s][f] != WHY_NONE && !w->caller[f])
				w->self[s][f] = why_inside(w, s, f);
		/* What no calls bring is as if calls of one function did. */
		most = w->root;
		for (uint32_t f = 0; f < w->root; f++)
			if (w->self[s][f] > w->self[s][most] && why_is_library(w, f))
				most = f;
		w->self[s][most] += why_library_rest(w, s);
	}
	w->gone = EXEC_ARRAY(x, bool, w->n);
	w->own = EXEC_ARRAY(x, struct why_sum, w->n);
	w->out = EXEC_ARRAY(x, struct why_edge *, w->n);
	w->outs = EXEC_ARRAY(x, uint32_t, w->n);
	memcpy(w->gone, w->caller, w->n * sizeof(*w->gone));
}

/* ---- places ---- */

bool why_of_system(struct str path)
{
	return str_starts(path, STR("/usr/include/")) ||
	       str_starts(path, STR("/usr/lib/")) ||
	       str_starts(path, STR("/usr/local/include/"));
}

void why_want_place(struct inlining *in, struct store *st, fn_id fn, file_id file,
		    uint64_t line, uint64_t instr)
{
	if (in && why_of_system(store_file(st, file)))
		inlining_want(in, fn, file, line, instr);
}

/* Files that only debug information names have numbers of their own. */
static uint32_t number_of(const struct why *w, unsigned side, fn_id fn, struct str name)
{
	struct store *st = w->g[side]->st;
	const file_id own = store_fn_file_id(st, fn);

	name = str_basename(name);
	return str_eq(name, str_basename(store_file(st, own)))
		       ? w->file[side][own]
		       : UINT32_MAX / 2 + (uint32_t)str_hash(name) / 2;
}

struct why_place why_own_place(const struct why *w, unsigned side,
			       const struct inlining *in, fn_id fn, file_id file,
			       uint64_t line, uint64_t instr)
{
	struct why_place p = {store_file(w->g[side]->st, file), (uint32_t)line,
			      w->file[side][file], false};
	const struct inline_frame *f = NULL;

	if (in && why_of_system(p.file) && inlining_at(in, fn, file, instr, &f))
		while (f && f->outer)
			f = f->outer;
	if (f && f->file.n && f->line)
		p = (struct why_place){f->file, (uint32_t)f->line,
				       number_of(w, side, fn, f->file), false};
	return p;
}

/* ---- call sites ---- */

static int by_callee_and_place(const void *pa, const void *pb)
{
	const struct why_site *a = pa, *b = pb;
	int c = order_u64(a->to, b->to);

	c = c ? c : order_u64(a->file, b->file);
	return c ? c : order_u64(a->line, b->line);
}

/* Sites of one place, at several addresses, are one. */
static size_t join_places(struct why_site *at, size_t n)
{
	size_t k = 0;

	for (size_t i = 0; i < n; i++) {
		if (k && !by_callee_and_place(&at[k - 1], &at[i])) {
			at[k - 1].calls += at[i].calls;
			at[k - 1].cost += at[i].cost;
		} else {
			at[k++] = at[i];
		}
	}
	return k;
}

bool why_has_detail(const struct graph *g, uint32_t f)
{
	return g->detail || g->plain ||
	       (!graph_own_name(g, f).p && graph_members_count(g, f) == 1);
}

/* A function of the store among those that f calls, or GRAPH_NONE. */
static uint32_t callee_of(const struct graph *g, uint32_t f, fn_id of)
{
	uint32_t first, n;

	if (g->plain || g->detail)
		return graph_of_store(g, of);
	graph_callees(g, f, &first, &n);
	for (uint32_t e = first; e < first + n; e++)
		if (graph_origin(g, graph_edge_callee(g, e)) == of)
			return graph_edge_callee(g, e);
	return GRAPH_NONE;
}

/* A stage left a part of each call: so much of it at each site. */
static void share_sites(const struct why *w, unsigned side, uint32_t fn,
			struct why_sites *s)
{
	for (size_t i = 0; i < s->n;) {
		const struct why_sites to = why_sites_to(s, s->at[i].to);
		const uint32_t e =
			graph_edge_between(w->g[side], fn, w->fn[side][s->at[i].to]);
		double calls = 0, cost = 0;

		for (size_t k = 0; k < to.n; k++) {
			calls += to.at[k].calls;
			cost += to.at[k].cost;
		}
		for (size_t k = 0; k < to.n; k++, i++) {
			to.at[k].calls *= why_per_run(why_edge_calls(w, side, e), calls);
			to.at[k].cost *= why_per_run(why_edge_cost(w, side, e), cost);
		}
	}
}

void why_sites_of(struct why *w, unsigned side, uint32_t g, bool own, struct arena *a,
		  struct why_sites *out)
{
	struct exec *x = w->run[side];
	const struct graph *graph = w->g[side];
	const uint32_t events = store_info(graph->st)->events;
	struct inlining *in = NULL;
	struct store_site *row = NULL;
	int64_t *costs = NULL;
	size_t n = 0, k = 0;
	fn_id fn;

	*out = (struct why_sites){0};
	if (!why_has_detail(graph, w->fn[side][g]))
		return;
	fn = graph_origin(graph, w->fn[side][g]);
	fn_sites(x, fn, a, &row, &costs, NULL, &n);
	if (own)
		inlining_new(x, &in);
	for (size_t i = 0; i < n; i++)
		why_want_place(in, graph->st, fn, row[i].file, row[i].line, row[i].instr);
	if (in)
		inlining_read(in, false);
	if (!(out->at = ARENA_ARRAY(a, struct why_site, n + 1)))
		need_memory(a);
	for (size_t i = 0; i < n; i++) {
		const uint32_t to = callee_of(graph, w->fn[side][g], row[i].callee);

		struct why_place p;

		if (to == GRAPH_NONE || w->of[side][to] == WHY_NONE)
			continue;
		p = why_own_place(w, side, in, fn, row[i].file, row[i].line,
				  row[i].instr);
		out->at[k++] = (struct why_site){
			.to = w->of[side][to],
			.file = p.number,
			.name = p.file,
			.line = p.line,
			.calls = row[i].calls ? (double)row[i].calls : 1,
			.cost = (double)store_event_of(graph->st, w->event[side],
						       &costs[i * events])};
	}
	if (k)
		qsort(out->at, k, sizeof(*out->at), by_callee_and_place);
	out->n = join_places(out->at, k);
	if (!graph->detail && !graph->plain)
		share_sites(w, side, w->fn[side][g], out);
	exec_poll(x);
}

struct why_sites why_sites_to(const struct why_sites *s, uint32_t to)
{
	struct bisect b = bisect_in(0, s->n);
	struct why_sites r = {0};

	if (!s->n)
		return r;
	while (bisect_next(&b))
		bisect_step(&b, s->at[b.mid].to < to);
	r.at = s->at + b.lo;
	while (b.lo + r.n < s->n && r.at[r.n].to == to)
		r.n++;
	return r;
}

/* How far two sites are from being the same, in cost: by how often they call, and by what
 * a call costs. */
static double mismatch(const struct why_site *a, const struct why_site *b,
		       const double runs[SIDES])
{
	const double n = a->calls / runs[0], m = b->calls / runs[1];
	const double v = a->cost / a->calls, u = b->cost / b->calls;

	/* A line that calls as often as before is the same site, whatever it costs. */
	if (a->file == b->file && a->line == b->line && n == m)
		return 0;
	return fabs(n - m) * (v + u) / 2 + (n + m) / 2 * fabs(v - u);
}

enum { MOST_SITES = 60, PAIR = 0, DROP, ADD };

/* Edit distance: way[i][j] is the last step of the best way to put i sites of one side
 * beside j of the other. */
static void align_ways(const struct why_sites s[SIDES], const double runs[SIDES],
		       uint8_t way[MOST_SITES + 1][MOST_SITES + 1])
{
	/* A pair is a little better than two gaps of the same cost. */
	static const double bonus = 1e-9, malus = 1e-12;
	double d[MOST_SITES + 1][MOST_SITES + 1] = {{0}};

	for (size_t i = 0; i <= s[0].n; i++)
		for (size_t j = 0; j <= s[1].n; j++) {
			const struct why_site *a = i ? &s[0].at[i - 1] : NULL,
					      *b = j ? &s[1].at[j - 1] : NULL;
			double best = INFINITY, c;

			if (a && b) {
				best = d[i - 1][j - 1] + mismatch(a, b, runs) - bonus;
				way[i][j] = PAIR;
			}
			c = a ? d[i - 1][j] + a->cost / runs[0] + malus : INFINITY;
			if (c < best) {
				best = c;
				way[i][j] = DROP;
			}
			c = b ? d[i][j - 1] + b->cost / runs[1] + malus : INFINITY;
			if (c < best) {
				best = c;
				way[i][j] = ADD;
			}
			d[i][j] = a || b ? best : 0;
		}
}

bool why_align(struct why *w, uint32_t g, const struct why_sites s[SIDES],
	       struct arena *a, uint32_t *of[SIDES], uint32_t *numbers, int *rc)
{
	uint8_t way[MOST_SITES + 1][MOST_SITES + 1] = {{0}};
	const unsigned first = w->first, other = !first;
	const struct why_sites both[SIDES] = {s[first], s[other]};
	size_t i = both[0].n, j = both[1].n;
	double runs[SIDES];
	uint32_t q = 0;

	*rc = 0;
	*numbers = 1;
	if ((i < 2 && j < 2) || !i || !j || i > MOST_SITES || j > MOST_SITES)
		return false;
	for (unsigned k = 0; k < SIDES; k++) {
		const uint64_t calls = graph_calls(w->g[k], w->fn[k][g]);

		runs[k != first] = calls ? (double)calls : 1;
		if (!(of[k] = ARENA_ARRAY(a, uint32_t, s[k].n + 1))) {
			*rc = arena_full(a, w->run[k]->err);
			return false;
		}
	}
	align_ways(both, runs, way);
	for (; i || j; q++) {
		const uint8_t step = way[i][j];

		if (step != ADD)
			of[first][--i] = q;
		if (step != DROP)
			of[other][--j] = q;
	}
	/* Back to front; number 0 is the first site. */
	for (unsigned k = 0; k < SIDES; k++)
		for (size_t t = 0; t < s[k].n; t++)
			of[k][t] = q - 1 - of[k][t];
	*numbers = q;
	return true;
}

/* ---- edges ---- */

/* The edges of one caller while they are put together. */
struct caller_edges {
	struct why *w;
	struct exec *x;
	struct arena *scratch; /* of this caller */
	const bool *joinable;
	uint32_t g;
	struct why_edge *edge;
	size_t n, cap;
	bool have_sites;
	struct why_sites sites[SIDES];
};

/* A recorded call: both ends are vertices that were not joined. */
struct recorded {
	uint32_t to, edge;
	unsigned side;
};

static int by_to(const void *pa, const void *pb)
{
	const struct recorded *a = pa, *b = pb;
	const int c = order_u64(a->to, b->to);

	return c ? c : order_u64(a->side, b->side);
}

static struct why_edge *new_edge(struct caller_edges *b, uint32_t to, uint32_t site)
{
	exec_grow(b->x, &b->edge, &b->cap, b->n, b->n + 1, sizeof(*b->edge));
	b->edge[b->n] = (struct why_edge){.from = b->g, .to = to, .site = site};
	return &b->edge[b->n++];
}

static bool differ(const struct why *w, uint32_t g, const struct recorded *r)
{
	return graph_calls(w->g[BASE], w->fn[BASE][g]) !=
		       graph_calls(w->g[HERE], w->fn[HERE][g]) ||
	       why_edge_calls(w, BASE, r[0].edge) != why_edge_calls(w, HERE, r[1].edge) ||
	       why_edge_cost(w, BASE, r[0].edge) != why_edge_cost(w, HERE, r[1].edge);
}

/* One edge per site; *split: did it? */
static int add_sites(struct caller_edges *b, uint32_t to, bool *split)
{
	struct why_sites s[SIDES];
	uint32_t *of[SIDES], numbers;
	const size_t first = b->n;
	int rc;

	*split = false;
	for (unsigned k = 0; !b->have_sites && k < SIDES; k++)
		why_sites_of(b->w, k, b->g, false, b->scratch, &b->sites[k]);
	b->have_sites = true;
	for (unsigned k = 0; k < SIDES; k++)
		s[k] = why_sites_to(&b->sites[k], to);
	if (!why_align(b->w, b->g, s, b->scratch, of, &numbers, &rc))
		return rc;
	for (uint32_t q = 0; q < numbers; q++)
		if (!new_edge(b, to, q))
			return b->x->err->kind;
	for (unsigned k = 0; k < SIDES; k++)
		for (size_t i = 0; i < s[k].n; i++) {
			struct why_edge *e = &b->edge[first + of[k][i]];

			e->calls[k] += s[k].at[i].calls;
			e->cost[k] += s[k].at[i].cost;
		}
	*split = true;
	return 0;
}

/* r[0..n-1]: the calls of one pair, of one side or both. */
static void add_pair(struct caller_edges *b, const struct recorded *r, size_t n)
{
	struct why_edge *e;
	bool split = false;

	if (n == SIDES && differ(b->w, b->g, r))
		need(add_sites(b, r->to, &split), b->x->err);
	if (split)
		return;
	e = new_edge(b, r->to, 0);
	for (size_t i = 0; i < n; i++) {
		e->calls[r[i].side] = why_edge_calls(b->w, r[i].side, r[i].edge);
		e->cost[r[i].side] = why_edge_cost(b->w, r[i].side, r[i].edge);
	}
}

static size_t recorded_of(const struct caller_edges *b, struct recorded *r)
{
	const struct why *w = b->w;
	size_t n = 0;

	for (unsigned s = 0; s < SIDES; s++) {
		uint32_t first, k;

		if (w->fn[s][b->g] == WHY_NONE || b->joinable[b->g] || w->closed[b->g])
			continue;
		graph_callees(w->g[s], w->fn[s][b->g], &first, &k);
		for (uint32_t i = 0; i < k; i++) {
			const uint32_t to =
				w->of[s][graph_edge_callee(w->g[s], first + i)];

			if (!b->joinable[to])
				r[n++] = (struct recorded){to, first + i, s};
		}
	}
	if (n)
		qsort(r, n, sizeof(*r), by_to);
	return n;
}

static int by_to_and_site(const void *pa, const void *pb)
{
	const struct why_edge *a = pa, *b = pb;
	const int c = order_u64(a->to, b->to);

	return c ? c : order_u64(a->site, b->site);
}

/* What joining made of the calls of g is added to its first site. */
static void add_joined(struct caller_edges *b, const struct why_joined *j, size_t *at)
{
	const size_t recorded = b->n;

	for (; *at < j->n && j->edge[*at].from == b->g; ++*at) {
		const struct why_edge *from = &j->edge[*at];
		const struct why_edge key = {.to = from->to};
		struct why_edge *e = recorded ? bsearch(&key, b->edge, recorded,
							sizeof(*e), by_to_and_site)
					      : NULL;

		if (!e && b->n > recorded && b->edge[b->n - 1].to == from->to)
			e = &b->edge[b->n - 1];
		if (!e)
			e = new_edge(b, from->to, 0);
		for (unsigned s = 0; s < SIDES; s++) {
			e->calls[s] += from->calls[s];
			e->cost[s] += from->cost[s];
		}
	}
	if (b->n > recorded)
		qsort(b->edge, b->n, sizeof(*b->edge), by_to_and_site);
}

static uint32_t callees_of(const struct why *w, uint32_t g)
{
	uint32_t first, n, all = 0;

	for (unsigned s = 0; s < SIDES; s++)
		if (w->fn[s][g] != WHY_NONE) {
			graph_callees(w->g[s], w->fn[s][g], &first, &n);
			all += n;
		}
	return all;
}

static void build_caller(struct caller_edges *b, const struct why_joined *j, size_t *at)
{
	struct why *w = b->w;
	struct recorded *r =
		ARENA_ARRAY(b->scratch, struct recorded, (size_t)callees_of(w, b->g) + 1);
	size_t n;

	if (!r)
		need_memory(b->scratch);
	n = recorded_of(b, r);
	b->n = 0;
	b->have_sites = false;
	for (size_t i = 0; i < n;) {
		const size_t k = i + 1 < n && r[i + 1].to == r[i].to ? 2 : 1;

		add_pair(b, r + i, k);
		i += k;
	}
	add_joined(b, j, at);
	if (b->n)
		w->out[b->g] = EXEC_ARRAY(b->x, struct why_edge, b->n);
	if (b->n)
		memcpy(w->out[b->g], b->edge, b->n * sizeof(*b->edge));
	w->outs[b->g] = (uint32_t)b->n;
	exec_poll(b->x);
}

static void build_edges(struct exec *x, struct why *w, const bool *joinable,
			const struct why_joined *j)
{
	struct arena *scratch = need_scratch(x->a);
	struct caller_edges b = {
		.w = w, .x = x, .scratch = scratch, .joinable = joinable};
	size_t at = 0;

	/* bsearch() and memcpy() want an array, though it may be empty. */
	exec_grow(x, &b.edge, &b.cap, 0, 16, sizeof(*b.edge));
	for (b.g = 0; b.g < w->root; b.g++) {
		arena_reset(scratch);
		build_caller(&b, j, &at);
	}
	scratch_free(scratch);
}

/* What is left out calls, too. */
static void calls_from_outside(struct exec *x, struct why *w)
{
	struct why_edge **to = &w->out[w->root];
	size_t n = 0, cap = 0;

	for (uint32_t f = 0; f < w->root; f++)
		if (!w->gone[f])
			why_from_outside(w, f, to, &cap, &n);
	w->outs[w->root] = (uint32_t)n;
	exec_poll_now(x);
}

/* ---- both profiles ---- */

void why_model(struct exec *x, struct vs *v, const struct set *under,
	       const struct set *of, struct why *w)
{
	struct why_joined joined = {0};
	const uint32_t *same[2];
	bool *joinable;

	*w = (struct why){.vs = v, .run = {[HERE] = x}};
	vs_both(x, v, &w->run[BASE], same);
	for (unsigned s = 0; s < SIDES; s++) {
		w->g[s] = w->run[s]->g;
		w->event[s] = w->run[s]->event;
		if (under)
			exec_set(w->run[s], under, &w->under[s]);
		if (of)
			exec_set(w->run[s], of, &w->only[s]);
	}
	vertices(x, w, same);
	number_files(x, w);
	why_changed(w);
	group_names(x, w);
	self_costs(x, w);
	why_splice(w, &joinable, &joined);
	build_edges(x, w, joinable, &joined);
	calls_from_outside(x, w);
}
