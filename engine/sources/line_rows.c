/*
 * line_rows.c - read the detail of functions as rows: lines, instrs, call sites, jumps.
 *
 * The raw rows of one function live in a scratch arena.  If stages made it of several
 * (collapse, contexts), their rows at one place become one row.  If only the costliest rows
 * are asked for, only the functions that can have them are read.
 */
#include "engine/sources/line_rows.h"
#include "index/base/need.h"

#include <stdlib.h>
#include <string.h>

#include "engine/graph/graph.h"
#include "engine/names/fnset.h"
#include "engine/rows/exec.h"
#include "engine/rows/fn_detail.h"
#include "engine/rows/place_set.h"
#include "engine/rows/row_loops.h"
#include "index/base/arena.h"
#include "index/base/cost.h"
#include "index/base/count.h"
#include "index/base/err.h"
#include "index/base/order.h"
#include "index/base/sort.h"

file_id plain_file(const struct line_rows *d, file_id file)
{
	struct str name;

	store_inlined(d->st, file, &file, &name);
	return file;
}

/* How many costs in d->costs a row has. */
static size_t row_costs(const struct line_rows *d)
{
	return d->kind == S_JUMPS	? 0
	       : d->kind == S_CALLSITES ? d->events
					: 2 * d->events;
}

/* Make room for so many rows. */
static void reserve_rows(struct exec *x, struct line_rows *d, size_t n)
{
	const size_t costs = row_costs(d);

	if (d->kind == S_JUMPS) {
		exec_grow(x, &d->jumps, &d->cap, d->n, n, sizeof(*d->jumps));
		return;
	}
	exec_grow(x, &d->places, &d->cap, d->n, n, sizeof(*d->places));
	exec_grow(x, &d->costs, &d->costs_cap, d->n * costs, n * costs,
		  sizeof(*d->costs));
}

/* Reserve all rows of the profile: their number is known, so no old arrays are left in
 * the arena. */
static void reserve_all(struct exec *x, struct line_rows *d)
{
	const struct store_info *i = store_info(d->st);
	uint64_t n = d->kind == S_JUMPS	      ? i->jumps
		     : d->kind == S_CALLSITES ? i->callsites
					      : i->lines + i->callsites;

	/* Several instructions are one line. */
	if (d->kind == S_LINES && i->has_instr)
		return;
	reserve_rows(x, d, (n < x->open->row_limit ? n : x->open->row_limit) + 1);
}

/* ---- lines, instrs, call sites ---- */

/* A cost line or a call site of the current function, or all those of one place. */
struct raw {
	file_id file, inlined;
	uint64_t line, instr, calls;
	int64_t *self, *incl; /* or NULL */
	uint32_t of;	      /* as in struct place */
	uint32_t to;	      /* of a call site: its callee in the graph */
	bool about; /* self is a share: of a call that is hidden in part, in a span */
};

static int by_line(const struct raw *a, const struct raw *b)
{
	const int c = order_u64(a->file, b->file);

	return c ? c : order_u64(a->line, b->line);
}

static int raw_by_line(const void *pa, const void *pb)
{
	return by_line(pa, pb);
}

static int raw_by_instr(const void *pa, const void *pb)
{
	const struct raw *a = pa, *b = pb;
	const int c = order_u64(a->instr, b->instr);

	return c ? c : by_line(a, b);
}

static int raw_by_call(const void *pa, const void *pb)
{
	const struct raw *a = pa, *b = pb;
	int c = order_u64(a->file, b->file);

	c = c ? c : order_u64(a->instr, b->instr);
	c = c ? c : order_u64(a->line, b->line);
	return c ? c : order_u64(a->to, b->to);
}

typedef int raw_order(const void *, const void *);

static raw_order *order_of(const struct line_rows *d)
{
	return d->kind == S_CALLSITES ? raw_by_call
	       : d->kind == S_INSTRS  ? raw_by_instr
				      : raw_by_line;
}

/* Most functions have few lines, and these are nearly sorted. */
static void sort_raw(struct raw *raw, size_t n, raw_order *cmp)
{
	enum { FEW = 32 };

	if (n > FEW) {
		qsort(raw, n, sizeof(*raw), cmp);
		return;
	}
	for (size_t i = 1; i < n; i++) {
		const struct raw r = raw[i];
		size_t k = i;

		for (; k > 0 && cmp(&raw[k - 1], &r) > 0; k--)
			raw[k] = raw[k - 1];
		raw[k] = r;
	}
}

/* The sum of both, in one of them; each may be NULL. */
static int64_t *sum_of(int64_t *a, int64_t *b, uint32_t events)
{
	if (a && b)
		cost_add_each(a, b, events);
	return a ? a : b;
}

/* Add those that follow each other at one place; returns how many are left.  Of several
 * functions the first one is named. */
static size_t join_raw(struct raw *raw, size_t n, uint32_t events, raw_order *cmp)
{
	size_t k = 0;

	for (size_t i = 0; i < n; i++) {
		const struct raw *r = &raw[i];
		struct raw *to = k ? &raw[k - 1] : NULL;

		if (!to || cmp(to, r)) {
			if (k++ < i)
				raw[k - 1] = *r;
			continue;
		}
		if (r->of < to->of || (r->of == to->of && r->instr < to->instr))
			to->instr = r->instr;
		if (r->of < to->of || (r->of == to->of && r->inlined > to->inlined))
			to->inlined = r->inlined;
		to->of = r->of < to->of ? r->of : to->of;
		to->about |= r->about;
		count_add(&to->calls, r->calls);
		to->self = sum_of(to->self, r->self, events);
		to->incl = sum_of(to->incl, r->incl, events);
	}
	return k;
}

/* Sort them by place, one for each.  Consecutive instructions mostly belong to one line:
 * they are joined first, so that fewer are sorted. */
static size_t fold_raw(const struct line_rows *d, struct raw *raw, size_t n)
{
	raw_order *const cmp = order_of(d);

	n = join_raw(raw, n, d->events, cmp);
	sort_raw(raw, n, cmp);
	return join_raw(raw, n, d->events, cmp);
}

/* The cost lines and call sites of the current function. */
struct raws {
	struct raw *at;
	size_t n, cap;
};

static void put_lines(const struct exec *x, const struct line_rows *d, fn_id f,
		      const struct store_line *line, int64_t *self, const uint8_t *about,
		      size_t n, struct raws *to)
{
	const uint32_t files = store_info(d->st)->files;
	const uint32_t here = d->only ? graph_of_store(x->g, f) : GRAPH_NONE;
	const bool shared = fn_detail_shared(x, f, GRAPH_SELF);

	for (size_t i = 0; i < n; i++) {
		struct raw *r = &to->at[to->n];
		struct str name;

		*r = (struct raw){.file = line[i].file,
				  .inlined = line[i].file,
				  .line = line[i].line,
				  .instr = line[i].instr,
				  .self = self + i * d->events,
				  .of = f,
				  .about = shared || (about && about[i])};
		if (line[i].file >= files)
			store_inlined(d->st, line[i].file, &r->file, &name);
		to->n += !d->only || place_set_has(d->only, here, r->file);
	}
}

static void put_sites(const struct exec *x, const struct line_rows *d, fn_id f,
		      const struct store_site *site, int64_t *incl, size_t n,
		      struct raws *to)
{
	const bool calls = d->kind == S_CALLSITES;
	const uint32_t here = d->only ? graph_of_store(x->g, f) : GRAPH_NONE;

	for (size_t i = 0; i < n; i++) {
		const uint32_t callee =
			calls ? graph_of_store(x->g, site[i].callee) : GRAPH_NONE;

		if ((d->calls && !fnset_has(d->calls, site[i].edge)) ||
		    (d->to && (callee == GRAPH_NONE || !fnset_has(d->to, callee))) ||
		    (d->only && !place_set_has(d->only, here, site[i].file)))
			continue;
		to->at[to->n++] = (struct raw){
			.file = site[i].file,
			.inlined = site[i].file,
			.line = site[i].line,
			.instr = site[i].instr,
			.calls = graph_site_calls(x->g, site[i].calls),
			.incl = incl + i * d->events,
			.of = calls ? site[i].edge : f,
			.to = callee,
			.about = fn_detail_shared(x, site[i].callee, GRAPH_INCL)};
	}
}

static void read_function(struct exec *x, const struct line_rows *d, fn_id f,
			  struct arena *a, struct raws *to)
{
	struct store_line *line = NULL, *behind = NULL;
	struct store_site *site = NULL;
	int64_t *self = NULL, *incl = NULL, *hidden = NULL;
	uint8_t *about = NULL;
	size_t lines = 0, sites = 0, hides = 0;

	if (d->kind != S_CALLSITES)
		fn_inlined_lines(x, f, a, &line, &self, &lines);
	fn_hidden_lines(x, f, a, &behind, &hidden, &about, &hides);
	fn_sites(x, f, a, &site, &incl, NULL, &sites);
	if (arena_grow(a, &to->at, &to->cap, to->n, to->n + lines + hides + sites,
		       sizeof(*to->at)))
		need_memory(a);
	put_lines(x, d, f, line, self, NULL, lines, to);
	put_lines(x, d, f, behind, hidden, about, hides, to);
	put_sites(x, d, f, site, incl, sites, to);
}

/* Call sites stay as they are, unless functions are merged. */
static void add_places(struct exec *x, struct line_rows *d, const struct fn_members *of,
		       struct arena *scratch)
{
	const size_t e = d->events, all = row_costs(d);
	const bool folds = d->kind != S_CALLSITES || of->merged;
	struct raws raw = {0};
	size_t own = 0;

	for (uint32_t i = 0; i < of->n; i++) {
		const size_t from = raw.n;

		read_function(x, d, of->fn[i], scratch, &raw);
		if (folds && raw.n > from)
			raw.n = from + fold_raw(d, raw.at + from, raw.n - from);
	}
	if (of->n > 1)
		raw.n = fold_raw(d, raw.at, raw.n);
	for (size_t i = 0; i < raw.n; i++)
		own += raw.at[i].self != NULL;
	reserve_rows(x, d, d->n + raw.n);
	exec_rows(x, d->dropped + d->n + raw.n);
	for (size_t i = 0; i < raw.n; i++) {
		const struct raw *r = &raw.at[i];
		int64_t *costs = d->costs + d->n * all;

		d->places[d->n++] = (struct place){.of = r->of,
						   .file = r->inlined,
						   .line = r->line,
						   .instr = r->instr,
						   .calls = r->calls,
						   .has_self = r->self != NULL,
						   .alone = own == 1,
						   .bounded = of->n == 1,
						   .about = r->about};
		if (r->self)
			memcpy(costs, r->self, e * sizeof(*costs));
		if (r->incl)
			memcpy(costs + all - e, r->incl, e * sizeof(*costs));
	}
}

/* ---- jumps ---- */

static int by_jump(const void *pa, const void *pb)
{
	const struct jump *a = pa, *b = pb;
	int c = order_u64(a->j.file, b->j.file);

	c = c ? c : order_u64(a->j.instr, b->j.instr);
	c = c ? c : order_u64(a->j.line, b->j.line);
	c = c ? c : order_u64(a->j.conditional, b->j.conditional);
	c = c ? c : order_u64(a->j.to_instr, b->j.to_instr);
	c = c ? c : order_u64(a->j.to_file, b->j.to_file);
	c = c ? c : order_u64(a->j.to_line, b->j.to_line);
	return c ? c : order_u64(a->to, b->to);
}

/* Sort the jumps from row `from` on, and join those that are alike. */
static void join_jumps(struct line_rows *d, size_t from)
{
	struct jump *j = d->jumps + from;
	const size_t all = d->n - from;
	size_t n = 0;

	qsort(j, all, sizeof(*j), by_jump);
	for (size_t i = 0; i < all; i++) {
		if (!n || by_jump(&j[n - 1], &j[i])) {
			j[n++] = j[i];
			continue;
		}
		count_add(&j[n - 1].j.executed, j[i].j.executed);
		count_add(&j[n - 1].j.taken, j[i].j.taken);
	}
	d->n = from + n;
}

static void add_jumps(struct exec *x, struct line_rows *d, const struct fn_members *of,
		      struct arena *scratch)
{
	const size_t from = d->n;

	for (uint32_t k = 0; k < of->n; k++) {
		struct store_jump *jumps = NULL;
		size_t n = 0;

		fn_jumps(x, of->fn[k], scratch, &jumps, &n);
		reserve_rows(x, d, d->n + n);
		exec_rows(x, d->dropped + d->n + n);
		for (size_t i = 0; i < n; i++)
			d->jumps[d->n++] = (struct jump){
				of->fn[k], graph_of_store(x->g, jumps[i].to_fn),
				jumps[i]};
	}
	if (of->merged && d->n > from)
		join_jumps(d, from);
}

/* ---- the costliest rows ---- */

/*
 * Keep the d->keep costliest rows in their order, the first ones of equals: the rows that
 * a sort by cost would put first.  Done whenever there are twice as many, this takes
 * memory for what is kept, however many rows the profile has.
 */
static void drop_cheap(struct exec *x, struct line_rows *d)
{
	enum { SLACK = 4096 };
	const size_t costs = row_costs(d), all = d->n;
	struct sort_pair *order;
	size_t n = 0;
	bool full;

	if (!d->keep || all < 2 * d->keep + SLACK)
		return;
	if (!(order = malloc(all * sizeof(*order))))
		need_memory_for(NULL);
	for (size_t i = 0; i < all; i++)
		order[i] = (struct sort_pair){
			~cost_rank(store_event_of(d->st, x->event, d->costs + i * costs)),
			(uint32_t)i};
	full = sort_pairs(order, all);
	for (size_t i = 0; i < d->keep; i++)
		order[i].key = order[i].value;
	if (full || sort_pairs(order, d->keep)) {
		free(order);
		need_memory_for(NULL);
	}
	for (; n < d->keep; n++) {
		const size_t from = order[n].value;

		d->places[n] = d->places[from];
		memmove(d->costs + n * costs, d->costs + from * costs,
			costs * sizeof(*d->costs));
	}
	/* New rows begin with zeros. */
	memset(d->costs + n * costs, 0, (all - n) * costs * sizeof(*d->costs));
	d->dropped += all - n;
	d->n = n;
	free(order);
}

/* ---- the functions that can have the costliest rows ---- */

/*
 * No line costs more than its function, and no call site more than its call, unless some
 * cost is negative.  So few functions can have the costliest rows: those that cost, or have
 * a call that costs, at least as much as the last row kept.
 */
struct bounds {
	struct exec *x;
	enum index_table c;	/* of functions or of edges */
	uint32_t n;		/* rows of the column */
	const uint32_t *caller; /* of an edge; NULL: the rows are functions */
};

enum { SOME = 64 }; /* rows that are read at once: a group of packed ones */

/* Read the next bounds of at least `least`, from row *at on, as ~bound; *n of them. */
static bool next_bounds(const struct bounds *b, uint64_t least, uint32_t *at,
			uint64_t bits[SOME], size_t *n)
{
	int64_t bound[SOME];

	*at = (uint32_t)store_seek(b->x->g->st, b->c, b->x->event, *at, (int64_t)least);
	*n = b->n - *at < SOME ? b->n - *at : SOME;
	if (*n == 0)
		return false;
	exec_poll(b->x);
	store_read_costs(b->x->g->st, b->c, b->x->event, NULL, *at, *n, bound);
	for (size_t i = 0; i < *n; i++)
		bits[i] = ~(uint64_t)bound[i];
	return true;
}

/* Find all functions with a bound of at least `least`. */
static void functions_from(const struct bounds *b, uint64_t least, struct fn_set *fns)
{
	uint64_t bits[SOME];
	size_t n;

	for (uint32_t at = 0; next_bounds(b, least, &at, bits, &n); at += (uint32_t)n)
		for (size_t i = 0; (i = row_loops()->find_upto(bits, i, n, ~least)) < n;
		     i++)
			fnset_add(fns, b->caller ? b->caller[at + i] : at + (uint32_t)i);
}

/* The `keep`-th largest bound; 0 if there are fewer. */
static void bound_of_last(const struct bounds *b, size_t keep, uint64_t *least)
{
	const size_t cap = 2 * keep + SOME;
	uint64_t bits[SOME], *best = EXEC_ARRAY(b->x, uint64_t, cap);
	size_t k = 0, n;

	*least = 0;
	for (uint32_t at = 0; next_bounds(b, *least, &at, bits, &n); at += (uint32_t)n) {
		for (size_t i = 0; (i = row_loops()->find_upto(bits, i, n, ~*least)) < n;
		     i++)
			best[k++] = bits[i];
		if (k <= cap - SOME && (*least || k < keep))
			continue;
		qsort(best, k, sizeof(*best), compare_u64);
		k = k < keep ? k : keep;
		*least = ~best[keep - 1];
	}
	qsort(best, k, sizeof(*best), compare_u64);
	*least = k < keep ? 0 : ~best[keep - 1];
}

/* ---- reading functions ---- */

static void take_function(struct exec *x, void *arg, const struct fn_members *of,
			  struct arena *scratch)
{
	struct line_rows *d = arg;

	if (d->kind == S_JUMPS) {
		add_jumps(x, d, of, scratch);
	} else {
		add_places(x, d, of, scratch);
		drop_cheap(x, d);
	}
}

/* The cost of the d->keep-th costliest row; 0 if there are fewer. */
static void cost_of_last(struct exec *x, const struct line_rows *d, uint64_t *cost)
{
	uint64_t *all = EXEC_ARRAY(x, uint64_t, d->n + 1);

	for (size_t i = 0; i < d->n; i++)
		all[i] = (uint64_t)store_event_of(d->st, x->event,
						  d->costs + i * row_costs(d));
	qsort(all, d->n, sizeof(*all), compare_u64);
	*cost = d->n < d->keep ? 0 : all[d->n - d->keep];
}

/* Read all functions with a bound of at least `least`; *cost: of the last row kept. */
static void read_from(struct exec *x, struct line_rows *d, const struct bounds *b,
		      uint64_t least, uint64_t *cost)
{
	struct fn_set *fns = fnset_new(x->a, store_info(d->st)->functions);

	d->n = 0;
	d->dropped = 0;
	if (d->costs_cap)
		memset(d->costs, 0, d->costs_cap * sizeof(*d->costs));
	functions_from(b, least, fns);
	fn_detail_each(x, fns, take_function, d);
	cost_of_last(x, d, cost);
}

/*
 * Read the functions that can have the d->keep costliest rows.  A function or a call has
 * several rows, so those with the highest bounds may not be enough: then more of them
 * raise the cost of the last row, and all with at least that cost are read.
 */
static void costly_functions(struct exec *x, struct line_rows *d)
{
	enum { MORE = 64 };
	const struct store_info *i = store_info(d->st);
	const bool sites = d->kind == S_CALLSITES;
	const struct bounds b = {.x = x,
				 .c = sites ? TABLE_EDGE_INCL : TABLE_FN_SELF,
				 .n = sites ? i->edges : i->functions,
				 .caller = sites ? store_u32(d->st, TABLE_EDGE_CALLER)
						 : NULL};
	uint64_t least = 0, cost = 0;

	if (sites && !b.caller) {
		need(store_check(d->st, x->err), x->err);
		need_memory_for(NULL);
	}
	for (size_t more = 1; more <= MORE && d->keep <= b.n / more; more *= MORE) {
		bound_of_last(&b, d->keep * more, &least);
		least = least < cost ? cost : least;
		read_from(x, d, &b, least, &cost);
		if (cost >= least)
			return;
	}
	read_from(x, d, &b, cost, &cost);
}

/* How many rows there are, most of which were not read. */
static void count_rows(struct exec *x, struct line_rows *d)
{
	uint64_t n = store_info(d->st)->callsites;

	if (d->kind != S_CALLSITES)
		need(store_places(d->st, d->kind == S_INSTRS, x->open->cancel, &n,
				  x->err),
		     x->err);
	d->dropped = n - d->n;
}

void line_rows(struct exec *x, struct line_rows *d, const struct fn_set *set)
{
	if (d->keep && x->event < d->events && !store_info(d->st)->negative) {
		costly_functions(x, d);
		count_rows(x, d);
		return;
	}
	if ((!set || fnset_count(set) > x->g->functions / 2) && !d->only && !d->calls &&
	    !x->parts && !d->keep)
		reserve_all(x, d);
	fn_detail_each(x, set, take_function, d);
}
