/*
 * line_rows.c - read the detail of functions as rows: lines, instrs, call sites, jumps.
 *
 * The raw rows of one function live in a scratch arena.  If stages merged functions
 * (collapse, norec), their rows at one place become one row.  If only the costliest rows
 * are asked for, only the functions that can have them are read.
 */
#include "engine/sources/line_rows.h"

#include <stdlib.h>
#include <string.h>

#include "engine/graph/graph.h"
#include "engine/names/fnset.h"
#include "engine/rows/exec.h"
#include "engine/rows/fn_detail.h"
#include "engine/rows/row_loops.h"
#include "index/base/arena.h"
#include "index/base/cost.h"
#include "index/base/count.h"
#include "index/base/err.h"
#include "index/base/order.h"
#include "index/base/sort.h"

file_id plain_file(const struct detail *d, file_id file)
{
	struct str name;

	store_inlined(d->st, file, &file, &name);
	return file;
}

/* Make room for the n costs of row d->n. */
static int64_t *new_costs(struct exec *x, struct detail *d, size_t n)
{
	if (exec_grow(x, &d->costs, &d->costs_cap, d->n * n, (d->n + 1) * n,
		      sizeof(*d->costs)))
		return NULL;
	return d->costs + d->n * n;
}

/* Reserve all rows of the profile: their number is known, so no old arrays are left in
 * the arena. */
static int reserve_rows(struct exec *x, struct detail *d, enum source_kind k)
{
	const struct store_info *i = store_info(d->st);
	uint64_t n = k == S_JUMPS	? i->jumps
		     : k == S_CALLSITES ? i->callsites
					: i->lines + i->callsites;
	size_t costs = k == S_JUMPS ? 0 : k == S_CALLSITES ? d->events : 2 * d->events;

	/* Several instructions are one line. */
	if (k == S_LINES && i->has_instr)
		return 0;
	if (n > x->open->row_limit)
		n = x->open->row_limit;
	if (costs && exec_grow(x, &d->costs, &d->costs_cap, 0, (size_t)n * costs + 1,
			       sizeof(*d->costs)))
		return x->err->kind;
	return k == S_JUMPS	  ? exec_grow(x, &d->jumps, &d->cap, 0, (size_t)n + 1,
					      sizeof(*d->jumps))
	       : k == S_CALLSITES ? exec_grow(x, &d->sites, &d->cap, 0, (size_t)n + 1,
					      sizeof(*d->sites))
				  : exec_grow(x, &d->places, &d->cap, 0, (size_t)n + 1,
					      sizeof(*d->places));
}

/* ---- lines and instrs ---- */

/* A cost line or a call site of the current function. */
struct raw {
	file_id file, inlined;
	uint64_t line, instr, calls;
	const int64_t *self, *incl; /* one of them is set */
};

static int raw_by_line(const void *pa, const void *pb)
{
	const struct raw *a = pa, *b = pb;
	const int c = order_u64(a->file, b->file);

	return c ? c : order_u64(a->line, b->line);
}

static int raw_by_instr(const void *pa, const void *pb)
{
	const struct raw *a = pa, *b = pb;
	const int c = order_u64(a->instr, b->instr);

	return c ? c : raw_by_line(pa, pb);
}

/* Most functions have few lines, and these are nearly sorted. */
static void sort_raw(struct raw *raw, size_t n, int (*cmp)(const void *, const void *))
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

static int line_fold(struct exec *x, struct detail *d, fn_id f, const struct raw *raw,
		     size_t n)
{
	int (*cmp)(const void *, const void *) = d->by_instr ? raw_by_instr : raw_by_line;
	struct place *p = NULL;
	int64_t *costs = NULL;

	for (size_t i = 0; i < n; i++) {
		if (!p || cmp(&raw[i - 1], &raw[i])) {
			if (exec_grow(x, &d->places, &d->cap, d->n, d->n + 1,
				      sizeof(*p)) ||
			    exec_rows(x, d->dropped + d->n + 1))
				return x->err->kind;
			if (!(costs = new_costs(x, d, 2 * (size_t)d->events)))
				return x->err->kind;
			p = &d->places[d->n++];
			*p = (struct place){.fn = f,
					    .file = raw[i].inlined,
					    .line = raw[i].line,
					    .instr = raw[i].instr};
		}
		if (raw[i].instr < p->instr)
			p->instr = raw[i].instr;
		if (raw[i].inlined > p->file)
			p->file = raw[i].inlined;
		count_add(&p->calls_out, raw[i].calls);
		if (raw[i].self)
			cost_add_each(costs, raw[i].self, d->events);
		if (raw[i].incl)
			cost_add_each(costs + d->events, raw[i].incl, d->events);
	}
	return 0;
}

static int add_places(struct exec *x, struct detail *d, fn_id f, struct arena *scratch)
{
	struct store_line *lines = NULL;
	struct store_site *sites = NULL;
	int64_t *self = NULL, *incl = NULL;
	const uint32_t files = store_info(d->st)->files;
	size_t nl = 0, ns = 0;
	struct raw *raw;

	if (fn_inlined_lines(x, f, scratch, &lines, &self, &nl) ||
	    fn_sites(x, f, scratch, &sites, &incl, &ns))
		return x->err->kind;
	raw = ARENA_ARRAY(scratch, struct raw, nl + ns + 1);
	if (!raw)
		return arena_full(scratch, x->err);
	for (size_t i = 0; i < nl; i++) {
		struct str name;

		raw[i] = (struct raw){.file = lines[i].file,
				      .inlined = lines[i].file,
				      .line = lines[i].line,
				      .instr = lines[i].instr,
				      .self = self + i * d->events};
		if (lines[i].file >= files)
			store_inlined(d->st, lines[i].file, &raw[i].file, &name);
	}
	for (size_t i = 0; i < ns; i++)
		raw[nl + i] = (struct raw){.file = sites[i].file,
					   .inlined = sites[i].file,
					   .line = sites[i].line,
					   .instr = sites[i].instr,
					   .calls = sites[i].calls,
					   .incl = incl + i * d->events};
	sort_raw(raw, nl + ns, d->by_instr ? raw_by_instr : raw_by_line);
	return line_fold(x, d, f, raw, nl + ns);
}

/* ---- call sites and jumps ---- */

static bool is_wanted(const struct exec *x, const struct detail *d,
		      const struct store_site *site)
{
	struct store_edge e;
	uint32_t callee;

	if (!d->to)
		return true;
	store_edge(d->st, site->edge, &e);
	callee = graph_of_store(x->g, e.callee);
	return callee != GRAPH_NONE && fnset_has(d->to, callee);
}

static int add_sites(struct exec *x, struct detail *d, fn_id f, struct arena *scratch)
{
	struct store_site *sites = NULL;
	int64_t *incl = NULL;
	size_t n = 0;

	if (fn_sites(x, f, scratch, &sites, &incl, &n) ||
	    exec_grow(x, &d->sites, &d->cap, d->n, d->n + n, sizeof(*d->sites)) ||
	    exec_rows(x, d->dropped + d->n + n))
		return x->err->kind;
	for (size_t i = 0; i < n; i++) {
		int64_t *costs;

		if (!is_wanted(x, d, &sites[i]))
			continue;
		costs = new_costs(x, d, d->events);
		if (!costs)
			return x->err->kind;
		memcpy(costs, incl + i * d->events, d->events * sizeof(*incl));
		d->sites[d->n++] = (struct site){.edge = sites[i].edge,
						 .file = sites[i].file,
						 .line = sites[i].line,
						 .instr = sites[i].instr,
						 .calls = sites[i].calls};
	}
	return 0;
}

static int add_jumps(struct exec *x, struct detail *d, fn_id f, struct arena *scratch)
{
	struct store_jump *jumps = NULL;
	size_t n = 0;

	if (fn_jumps(x, f, scratch, &jumps, &n) ||
	    exec_grow(x, &d->jumps, &d->cap, d->n, d->n + n, sizeof(*d->jumps)) ||
	    exec_rows(x, d->dropped + d->n + n))
		return x->err->kind;
	for (size_t i = 0; i < n; i++)
		d->jumps[d->n++] = (struct jump){f, jumps[i]};
	return 0;
}

/* ---- functions that stages made one ---- */

/* The place of a row, in the order of its kind; places that differ only in .row are
 * equal. */
struct spot {
	uint32_t fn, to_fn; /* of the graph */
	uint64_t at[7];
	uint32_t row;
};

static int by_spot(const void *pa, const void *pb)
{
	const struct spot *a = pa, *b = pb;
	int c = order_u64(a->fn, b->fn);

	for (size_t i = 0; !c && i < COUNT(a->at); i++)
		c = order_u64(a->at[i], b->at[i]);
	c = c ? c : order_u64(a->to_fn, b->to_fn);
	return c ? c : order_u64(a->row, b->row);
}

static bool same_spot(const struct spot *a, const struct spot *b)
{
	return a->fn == b->fn && a->to_fn == b->to_fn &&
	       memcmp(a->at, b->at, sizeof(a->at)) == 0;
}

static struct spot spot_of(const struct graph *g, const struct detail *d,
			   enum source_kind k, size_t i)
{
	struct spot s = {.row = (uint32_t)i};

	if (k == S_JUMPS) {
		const struct store_jump *j = &d->jumps[i].j;

		s.fn = graph_of_store(g, d->jumps[i].fn);
		s.to_fn = graph_of_store(g, j->to_fn);
		memcpy(s.at,
		       (uint64_t[7]){j->file, j->instr, j->line, j->conditional,
				     j->to_instr, j->to_file, j->to_line},
		       sizeof(s.at));
	} else if (k == S_CALLSITES) {
		const struct site *c = &d->sites[i];
		struct store_edge e;

		store_edge(d->st, c->edge, &e);
		s.fn = graph_of_store(g, e.caller);
		s.to_fn = graph_of_store(g, e.callee);
		memcpy(s.at, (uint64_t[7]){c->file, c->instr, c->line}, sizeof(s.at));
	} else {
		const struct place *p = &d->places[i];

		s.fn = graph_of_store(g, p->fn);
		memcpy(s.at,
		       (uint64_t[7]){d->by_instr ? p->instr : 0, plain_file(d, p->file),
				     p->line},
		       sizeof(s.at));
	}
	return s;
}

static bool is_merged(struct exec *x, const struct detail *d, uint8_t *seen)
{
	for (fn_id f = 0; f < store_info(d->st)->functions; f++) {
		uint32_t here = graph_of_store(x->g, f);

		if (here != GRAPH_NONE && seen[here]++)
			return true;
	}
	return false;
}

/* How many costs in d->costs a row has. */
static size_t row_costs(const struct detail *d, enum source_kind k)
{
	return k == S_JUMPS ? 0 : k == S_CALLSITES ? d->events : 2 * d->events;
}

/* Move row `from` to row d->n of the arrays in *to, or merge it with the row before. */
static void move_row(const struct detail *d, struct detail *to, enum source_kind k,
		     size_t from, bool joins)
{
	size_t costs = row_costs(d, k);
	size_t at = joins ? to->n - 1 : to->n++;

	cost_add_each(to->costs + at * costs, d->costs + from * costs, (uint32_t)costs);
	if (k == S_JUMPS) {
		struct jump *j = &to->jumps[at];

		if (!joins)
			*j = d->jumps[from];
		else {
			count_add(&j->j.executed, d->jumps[from].j.executed);
			count_add(&j->j.taken, d->jumps[from].j.taken);
		}
	} else if (k == S_CALLSITES) {
		if (!joins)
			to->sites[at] = d->sites[from];
		else
			count_add(&to->sites[at].calls, d->sites[from].calls);
	} else if (!joins) {
		to->places[at] = d->places[from];
	} else {
		count_add(&to->places[at].calls_out, d->places[from].calls_out);
	}
}

/* Merge rows at the same place of functions that stages merged. */
static int merge_rows(struct exec *x, struct detail *d, enum source_kind k)
{
	struct detail to = *d;
	size_t costs = row_costs(d, k);
	struct spot *s;
	uint8_t *seen;

	if (x->g->plain)
		return 0;
	seen = EXEC_ARRAY(x, uint8_t, (size_t)x->g->functions + 1);
	if (!seen)
		return x->err->kind;
	if (!is_merged(x, d, seen))
		return 0;
	s = EXEC_ARRAY(x, struct spot, d->n + 1);
	to.costs = EXEC_ARRAY(x, int64_t, d->n * costs + 1);
	if (!s || !to.costs ||
	    (k == S_JUMPS && !(to.jumps = EXEC_ARRAY(x, struct jump, d->n + 1))) ||
	    (k == S_CALLSITES && !(to.sites = EXEC_ARRAY(x, struct site, d->n + 1))) ||
	    (d->places && !(to.places = EXEC_ARRAY(x, struct place, d->n + 1))))
		return x->err->kind;
	for (size_t i = 0; i < d->n; i++)
		s[i] = spot_of(x->g, d, k, i);
	qsort(s, d->n, sizeof(*s), by_spot);
	to.n = 0;
	for (size_t i = 0; i < d->n; i++) {
		move_row(d, &to, k, s[i].row, i && same_spot(&s[i - 1], &s[i]));
		if (exec_poll(x))
			return x->err->kind;
	}
	*d = to;
	return 0;
}

/* ---- the costliest rows ---- */

/*
 * Keep the d->keep costliest rows in their order, the first ones of equals: the rows that
 * a sort by cost would put first.  Done whenever there are twice as many, this takes
 * memory for what is kept, however many rows the profile has.
 */
static int drop_cheap(struct exec *x, struct detail *d, enum source_kind k)
{
	enum { SLACK = 4096 };
	const size_t costs = row_costs(d, k), all = d->n;
	struct sort_pair *order;
	size_t n = 0;

	if (!d->keep || all < 2 * d->keep + SLACK)
		return 0;
	order = malloc(all * sizeof(*order));
	if (!order)
		return err_no_memory(x->err, NULL);
	for (size_t i = 0; i < all; i++)
		order[i] = (struct sort_pair){
			~cost_rank(store_event_of(d->st, x->event, d->costs + i * costs)),
			(uint32_t)i};
	if (sort_pairs(order, all)) {
		free(order);
		return err_no_memory(x->err, NULL);
	}
	for (size_t i = 0; i < d->keep; i++)
		order[i].key = order[i].value;
	if (sort_pairs(order, d->keep)) {
		free(order);
		return err_no_memory(x->err, NULL);
	}
	for (; n < d->keep; n++) {
		const size_t from = order[n].value;

		if (k == S_CALLSITES)
			d->sites[n] = d->sites[from];
		else
			d->places[n] = d->places[from];
		memmove(d->costs + n * costs, d->costs + from * costs,
			costs * sizeof(*d->costs));
	}
	/* New rows begin with zeros. */
	memset(d->costs + n * costs, 0, (all - n) * costs * sizeof(*d->costs));
	d->dropped += all - n;
	d->n = n;
	free(order);
	return 0;
}

/* ---- the functions that can have the costliest rows ---- */

/*
 * No line costs more than its function, and no call site more than its call, unless some
 * cost is negative.  So few functions can have the costliest rows: those that cost, or have
 * a call that costs, at least as much as the last row kept.
 */
struct bounds {
	struct exec *x;
	enum store_column c;	/* of functions or of edges */
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
	if (*n == 0 || exec_poll(b->x))
		return false;
	store_read_costs(b->x->g->st, b->c, b->x->event, NULL, *at, *n, bound);
	for (size_t i = 0; i < *n; i++)
		bits[i] = ~(uint64_t)bound[i];
	return true;
}

/* Find all functions with a bound of at least `least`. */
static int functions_from(const struct bounds *b, uint64_t least, struct fn_set *fns)
{
	uint64_t bits[SOME];
	size_t n;

	for (uint32_t at = 0; next_bounds(b, least, &at, bits, &n); at += (uint32_t)n)
		for (size_t i = 0; (i = row_loops()->find_upto(bits, i, n, ~least)) < n;
		     i++)
			fnset_add(fns, b->caller ? b->caller[at + i] : at + (uint32_t)i);
	return b->x->err->kind;
}

/* The `keep`-th largest bound; 0 if there are fewer. */
static int bound_of_last(const struct bounds *b, size_t keep, uint64_t *least)
{
	const size_t cap = 2 * keep + SOME;
	uint64_t bits[SOME], *best = EXEC_ARRAY(b->x, uint64_t, cap);
	size_t k = 0, n;

	*least = 0;
	if (!best)
		return b->x->err->kind;
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
	return b->x->err->kind;
}

/* ---- reading functions ---- */

typedef int add_function(struct exec *, struct detail *, fn_id, struct arena *);

static add_function *adder(enum source_kind k)
{
	return k == S_CALLSITES ? add_sites : k == S_JUMPS ? add_jumps : add_places;
}

static int each_function(struct exec *x, struct detail *d, const struct fn_set *set,
			 enum source_kind kind)
{
	add_function *add = adder(kind);
	enum { POLL = 16 };
	uint32_t functions = store_info(d->st)->functions;
	struct arena scratch;
	int rc = 0;

	arena_init(&scratch, x->a->cap);
	for (fn_id f = 0; f < functions && !rc; f++) {
		uint32_t here;

		if (x->g->plain && set && (f = fnset_next(set, f)) == FNSET_NONE)
			break;
		here = graph_of_store(x->g, f);

		if (here == GRAPH_NONE || (set && !fnset_has(set, here)))
			continue;
		arena_reset(&scratch);
		rc = add(x, d, f, &scratch) || drop_cheap(x, d, kind) ||
				     (f % POLL == 0 && exec_poll_now(x))
			     ? x->err->kind
			     : 0;
	}
	arena_free(&scratch);
	return rc;
}

/* The cost of the d->keep-th costliest row; 0 if there are fewer. */
static int cost_of_last(struct exec *x, const struct detail *d, enum source_kind k,
			uint64_t *cost)
{
	uint64_t *all = EXEC_ARRAY(x, uint64_t, d->n + 1);

	if (!all)
		return x->err->kind;
	for (size_t i = 0; i < d->n; i++)
		all[i] = (uint64_t)store_event_of(d->st, x->event,
						  d->costs + i * row_costs(d, k));
	qsort(all, d->n, sizeof(*all), compare_u64);
	*cost = d->n < d->keep ? 0 : all[d->n - d->keep];
	return 0;
}

/* Read all functions with a bound of at least `least`; *cost: of the last row kept. */
static int read_from(struct exec *x, struct detail *d, enum source_kind k,
		     const struct bounds *b, uint64_t least, uint64_t *cost)
{
	struct fn_set *fns = fnset_new(x->a, store_info(d->st)->functions);

	if (!fns)
		return arena_full(x->a, x->err);
	d->n = 0;
	d->dropped = 0;
	if (d->costs_cap)
		memset(d->costs, 0, d->costs_cap * sizeof(*d->costs));
	return functions_from(b, least, fns) || each_function(x, d, fns, k) ||
			       cost_of_last(x, d, k, cost)
		       ? x->err->kind
		       : 0;
}

/*
 * Read the functions that can have the d->keep costliest rows.  A function or a call has
 * several rows, so those with the highest bounds may not be enough: then more of them
 * raise the cost of the last row, and all with at least that cost are read.
 */
static int costly_functions(struct exec *x, struct detail *d, enum source_kind k)
{
	enum { MORE = 64 };
	const struct store_info *i = store_info(d->st);
	const bool sites = k == S_CALLSITES;
	const struct bounds b = {.x = x,
				 .c = sites ? STORE_EDGE_INCL : STORE_FN_SELF,
				 .n = sites ? i->edges : i->functions,
				 .caller = sites ? store_u32(d->st, STORE_EDGE_CALLER)
						 : NULL};
	uint64_t least = 0, cost = 0;

	if (sites && !b.caller)
		return store_check(d->st, x->err) ? x->err->kind
						  : err_no_memory(x->err, NULL);
	for (size_t more = 1; more <= MORE && d->keep <= b.n / more; more *= MORE) {
		if (bound_of_last(&b, d->keep * more, &least))
			return x->err->kind;
		least = least < cost ? cost : least;
		if (read_from(x, d, k, &b, least, &cost) || cost >= least)
			return x->err->kind;
	}
	return read_from(x, d, k, &b, cost, &cost);
}

/* How many rows there are, most of which were not read. */
static int count_rows(struct exec *x, struct detail *d, enum source_kind k)
{
	uint64_t n = store_info(d->st)->callsites;

	if (k != S_CALLSITES &&
	    store_places(d->st, k == S_INSTRS, x->open->cancel, &n, x->err))
		return x->err->kind;
	d->dropped = n - d->n;
	return 0;
}

int line_rows(struct exec *x, enum source_kind kind, struct detail *d,
	      const struct fn_set *set)
{
	if (d->keep && x->event < d->events && !store_info(d->st)->negative)
		return costly_functions(x, d, kind) || count_rows(x, d, kind)
			       ? x->err->kind
			       : 0;
	if ((!set && !x->parts && !d->keep && reserve_rows(x, d, kind)) ||
	    each_function(x, d, set, kind) || merge_rows(x, d, kind))
		return x->err->kind;
	return 0;
}
