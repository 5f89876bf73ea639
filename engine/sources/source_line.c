/*
 * source_line.c - detail of functions: lines, instrs, callsites, jumps.
 *
 * lines and instrs have one row per place of a function: its cost lines (self) and the
 * call sites there (calls_out, incl_out).  A place is (file, line) or (file, instr,
 * line).  The raw rows of one function live in a scratch arena.  If stages merged
 * functions (collapse, norec), their rows at one place become one row.
 */
#include <stdlib.h>
#include <string.h>

#include "engine/graph/graph_stage.h"
#include "engine/rows/exec_set.h"
#include "engine/rows/fn_detail.h"
#include "engine/rows/row_loops.h"
#include "engine/sources/inlined.h"
#include "engine/sources/source.h"
#include "engine/sources/source_text.h"
#include "index/base/sort.h"

#define COUNT(a) (sizeof(a) / sizeof((a)[0]))

struct place {
	fn_id fn;     /* of the store */
	file_id file; /* maybe with a name, as in store_inlined_lines(); plain_file() */
	uint64_t line, instr;
	uint64_t calls_out; /* self[events], incl_out[events] are in detail.costs */
};

struct site {
	edge_id edge;
	file_id file;
	uint64_t line, instr, calls; /* incl[events] is in detail.costs */
};

struct jump {
	fn_id fn;
	struct store_jump j;
};

struct detail {
	struct store *st;
	uint32_t events;
	struct place *places;
	struct site *sites;
	struct jump *jumps;
	size_t n, cap;
	size_t keep; /* if not 0, only the costliest rows are kept, so many at least */
	uint64_t dropped; /* rows that were not */
	uint64_t *costs;  /* all rows have the same number of costs */
	size_t costs_cap;
	bool by_instr;
	struct fn_set *to;	 /* of call sites: only calls to these; NULL: all */
	struct inlining *in;	 /* made when a column needs it */
	struct text_file **text; /* [places], for `lines of`; NULL: not read */
};

/* The file of a place without the name of an inlined function. */
static file_id plain_file(const struct detail *d, file_id file)
{
	struct str name;

	store_inlined(d->st, file, &file, &name);
	return file;
}

/* Make room for the n costs of row d->n. */
static uint64_t *new_costs(struct exec *x, struct detail *d, size_t n)
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
	if (n > x->row_limit)
		n = x->row_limit;
	if (costs && exec_grow(x, &d->costs, &d->costs_cap, 0, (size_t)n * costs + 1,
			       sizeof(*d->costs)))
		return (int)x->err->kind;
	return k == S_JUMPS	  ? exec_grow(x, &d->jumps, &d->cap, 0, (size_t)n + 1,
					      sizeof(*d->jumps))
	       : k == S_CALLSITES ? exec_grow(x, &d->sites, &d->cap, 0, (size_t)n + 1,
					      sizeof(*d->sites))
				  : exec_grow(x, &d->places, &d->cap, 0, (size_t)n + 1,
					      sizeof(*d->places));
}

static void sum_into(uint64_t *to, const uint64_t *from, uint32_t n)
{
	for (uint32_t i = 0; i < n; i++)
		if (__builtin_add_overflow(to[i], from[i], &to[i]))
			to[i] = UINT64_MAX;
}

/* ---- lines and instrs ---- */

/* A cost line or a call site of the current function. */
struct raw {
	file_id file, inlined;
	uint64_t line, instr, calls;
	const uint64_t *self, *incl; /* one of them is set */
};

static int raw_by_line(const void *pa, const void *pb)
{
	const struct raw *a = pa, *b = pb;

	if (a->file != b->file)
		return a->file < b->file ? -1 : 1;
	return (a->line > b->line) - (a->line < b->line);
}

static int raw_by_instr(const void *pa, const void *pb)
{
	const struct raw *a = pa, *b = pb;

	if (a->instr != b->instr)
		return a->instr < b->instr ? -1 : 1;
	return raw_by_line(pa, pb);
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
	uint64_t *costs = NULL;

	for (size_t i = 0; i < n; i++) {
		if (!p || cmp(&raw[i - 1], &raw[i])) {
			if (exec_grow(x, &d->places, &d->cap, d->n, d->n + 1,
				      sizeof(*p)) ||
			    exec_rows(x, d->dropped + d->n + 1))
				return (int)x->err->kind;
			if (!(costs = new_costs(x, d, 2 * (size_t)d->events)))
				return (int)x->err->kind;
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
		p->calls_out = graph_add(p->calls_out, raw[i].calls);
		if (raw[i].self)
			sum_into(costs, raw[i].self, d->events);
		if (raw[i].incl)
			sum_into(costs + d->events, raw[i].incl, d->events);
	}
	return 0;
}

static int add_places(struct exec *x, struct detail *d, fn_id f, struct arena *scratch)
{
	struct store_line *lines = NULL;
	struct store_site *sites = NULL;
	uint64_t *self = NULL, *incl = NULL;
	const uint32_t files = store_info(d->st)->files;
	size_t nl = 0, ns = 0;
	struct raw *raw;

	if (fn_inlined_lines(x, f, scratch, &lines, &self, &nl) ||
	    fn_sites(x, f, scratch, &sites, &incl, &ns))
		return (int)x->err->kind;
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
	uint64_t *incl = NULL;
	size_t n = 0;

	if (fn_sites(x, f, scratch, &sites, &incl, &n) ||
	    exec_grow(x, &d->sites, &d->cap, d->n, d->n + n, sizeof(*d->sites)) ||
	    exec_rows(x, d->dropped + d->n + n))
		return (int)x->err->kind;
	for (size_t i = 0; i < n; i++) {
		uint64_t *costs;

		if (!is_wanted(x, d, &sites[i]))
			continue;
		costs = new_costs(x, d, d->events);
		if (!costs)
			return (int)x->err->kind;
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
		return (int)x->err->kind;
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

	if (a->fn != b->fn)
		return a->fn < b->fn ? -1 : 1;
	for (size_t i = 0; i < COUNT(a->at); i++)
		if (a->at[i] != b->at[i])
			return a->at[i] < b->at[i] ? -1 : 1;
	if (a->to_fn != b->to_fn)
		return a->to_fn < b->to_fn ? -1 : 1;
	return (a->row > b->row) - (a->row < b->row);
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

	sum_into(to->costs + at * costs, d->costs + from * costs, (uint32_t)costs);
	if (k == S_JUMPS) {
		struct jump *j = &to->jumps[at];

		if (!joins)
			*j = d->jumps[from];
		else {
			sum_into(&j->j.executed, &d->jumps[from].j.executed, 1);
			sum_into(&j->j.taken, &d->jumps[from].j.taken, 1);
		}
	} else if (k == S_CALLSITES) {
		if (!joins)
			to->sites[at] = d->sites[from];
		else
			sum_into(&to->sites[at].calls, &d->sites[from].calls, 1);
	} else if (!joins) {
		to->places[at] = d->places[from];
	} else {
		sum_into(&to->places[at].calls_out, &d->places[from].calls_out, 1);
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
		return (int)x->err->kind;
	if (!is_merged(x, d, seen))
		return 0;
	s = EXEC_ARRAY(x, struct spot, d->n + 1);
	to.costs = EXEC_ARRAY(x, uint64_t, d->n * costs + 1);
	if (!s || !to.costs ||
	    (k == S_JUMPS && !(to.jumps = EXEC_ARRAY(x, struct jump, d->n + 1))) ||
	    (k == S_CALLSITES && !(to.sites = EXEC_ARRAY(x, struct site, d->n + 1))) ||
	    (d->places && !(to.places = EXEC_ARRAY(x, struct place, d->n + 1))))
		return (int)x->err->kind;
	for (size_t i = 0; i < d->n; i++)
		s[i] = spot_of(x->g, d, k, i);
	qsort(s, d->n, sizeof(*s), by_spot);
	to.n = 0;
	for (size_t i = 0; i < d->n; i++) {
		move_row(d, &to, k, s[i].row, i && same_spot(&s[i - 1], &s[i]));
		if (exec_poll(x))
			return (int)x->err->kind;
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
			~store_event_of(d->st, x->event, d->costs + i * costs),
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

/* ---- text ---- */

/* *any: some place has text.  If a file cannot be read, `source of` says why. */
static int read_texts(struct exec *x, struct detail *d, bool *any)
{
	struct text_file *files = NULL;

	*any = false;
	if (!(d->text = EXEC_ARRAY(x, struct text_file *, d->n + 1)))
		return (int)x->err->kind;
	for (size_t i = 0; i < d->n; i++) {
		if (text_of_file(x, &files, plain_file(d, d->places[i].file),
				 &d->text[i]))
			return (int)x->err->kind;
		*any |= d->text[i]->line != NULL;
	}
	for (struct text_file *f = files; f; f = f->next)
		if (f->newer && text_note_newer(x, f))
			return (int)x->err->kind;
	return 0;
}

/* ---- the functions that can have the costliest rows ---- */

/*
 * No line costs more than its function, and no call site more than its call.  So few
 * functions can have the costliest rows: those with a bound (of a function, of a call) of
 * at least the cost of the last row kept.
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
	*at = (uint32_t)store_seek_u64(b->x->g->st, b->c, b->x->event, *at, least);
	*n = b->n - *at < SOME ? b->n - *at : SOME;
	if (*n == 0 || exec_poll(b->x))
		return false;
	store_read_u64(b->x->g->st, b->c, b->x->event, NULL, *at, *n, bits);
	for (size_t i = 0; i < *n; i++)
		bits[i] = ~bits[i];
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
	return (int)b->x->err->kind;
}

static int cmp_u64(const void *pa, const void *pb)
{
	const uint64_t a = *(const uint64_t *)pa, b = *(const uint64_t *)pb;

	return (a > b) - (a < b);
}

/* The `keep`-th largest bound; 0 if there are fewer. */
static int bound_of_last(const struct bounds *b, size_t keep, uint64_t *least)
{
	const size_t cap = 2 * keep + SOME;
	uint64_t bits[SOME], *best = EXEC_ARRAY(b->x, uint64_t, cap);
	size_t k = 0, n;

	*least = 0;
	if (!best)
		return (int)b->x->err->kind;
	for (uint32_t at = 0; next_bounds(b, *least, &at, bits, &n); at += (uint32_t)n) {
		for (size_t i = 0; (i = row_loops()->find_upto(bits, i, n, ~*least)) < n;
		     i++)
			best[k++] = bits[i];
		if (k <= cap - SOME && (*least || k < keep))
			continue;
		qsort(best, k, sizeof(*best), cmp_u64);
		k = k < keep ? k : keep;
		*least = ~best[keep - 1];
	}
	qsort(best, k, sizeof(*best), cmp_u64);
	*least = k < keep ? 0 : ~best[keep - 1];
	return (int)b->x->err->kind;
}

/* ---- opening ---- */

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
			     ? (int)x->err->kind
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
		return (int)x->err->kind;
	for (size_t i = 0; i < d->n; i++)
		all[i] = store_event_of(d->st, x->event, d->costs + i * row_costs(d, k));
	qsort(all, d->n, sizeof(*all), cmp_u64);
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
		       ? (int)x->err->kind
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
		return store_check(d->st, x->err) ? (int)x->err->kind
						  : err_no_memory(x->err, NULL);
	for (size_t more = 1; more <= MORE && d->keep <= b.n / more; more *= MORE) {
		if (bound_of_last(&b, d->keep * more, &least))
			return (int)x->err->kind;
		least = least < cost ? cost : least;
		if (read_from(x, d, k, &b, least, &cost) || cost >= least)
			return (int)x->err->kind;
	}
	return read_from(x, d, k, &b, cost, &cost);
}

/* How many rows there are, most of which were not read. */
static int count_rows(struct exec *x, struct detail *d, enum source_kind k)
{
	uint64_t n = store_info(d->st)->callsites;

	if (k != S_CALLSITES && store_places(d->st, k == S_INSTRS, x->cancel, &n, x->err))
		return (int)x->err->kind;
	d->dropped = n - d->n;
	return 0;
}

/* set: the functions whose rows are wanted; NULL: all. */
static int read_rows(struct exec *x, const struct source *s, struct detail *d,
		     const struct fn_set *set)
{
	if (d->keep && x->event < d->events)
		return costly_functions(x, d, s->kind) || count_rows(x, d, s->kind)
			       ? (int)x->err->kind
			       : 0;
	if ((!set && !x->parts && !d->keep && reserve_rows(x, d, s->kind)) ||
	    each_function(x, d, set, s->kind) || merge_rows(x, d, s->kind))
		return (int)x->err->kind;
	return 0;
}

static const struct source_def source_lines_text;

static int callers_set(struct exec *x, const struct fn_set *of, struct fn_set **out)
{
	if (!(*out = fnset_new(x->a, x->g->functions)))
		return arena_full(x->a, x->err);
	for (uint32_t f = fnset_next(of, 0); f != FNSET_NONE; f = fnset_next(of, f + 1))
		for (uint32_t i = 0, n = graph_caller_count(x->g, f); i < n; i++) {
			struct store_edge e;

			graph_edge(x->g, graph_caller(x->g, f, i), &e);
			fnset_add(*out, e.caller);
		}
	return exec_poll_now(x);
}

/* The functions whose lines are asked for; NULL: all. */
static int detail_set(struct exec *x, const struct source *s, struct detail *d,
		      struct fn_set **out)
{
	const struct set *of = s->of ? s->of : s->from;

	*out = NULL;
	if ((of && exec_set(x, of, out)) || (s->to && exec_set(x, s->to, &d->to)))
		return (int)x->err->kind;
	if (s->kind == S_CALLSITES && s->of)
		return exec_hint(x, STR("`callsites of` lists the calls that a function "
					"makes, `callsites to` those to it"));
	return s->to && !of ? callers_set(x, d->to, out) : 0;
}

static int detail_open(struct exec *x, const struct source *s, struct table *t)
{
	struct detail *d = EXEC_ARRAY(x, struct detail, 1);
	const struct store_info *i = store_info(x->g->st);
	struct fn_set *set;
	bool text = false;

	if (!d)
		return (int)x->err->kind;
	if (fn_detail_check(x, s, t->src->name))
		return (int)x->err->kind;
	if ((s->kind == S_INSTRS || s->kind == S_JUMPS) && !i->has_instr &&
	    (s->kind == S_INSTRS || i->jumps == 0)) {
		exec_fail(x, s->span, "this profile has no %s",
			  s->kind == S_JUMPS ? "jumps" : "instruction addresses");
		return err_hint(x->err, "run callgrind with %s",
				s->kind == S_JUMPS ? "--collect-jumps=yes"
						   : "--dump-instr=yes");
	}
	d->st = x->g->st;
	d->events = i->events;
	d->by_instr = s->kind == S_INSTRS;
	/* Rows of merged functions are merged at the end, and jumps have no cost. */
	if (detail_set(x, s, d, &set))
		return (int)x->err->kind;
	if (!set && x->g->plain && s->kind != S_JUMPS)
		d->keep = x->keep;
	if (read_rows(x, s, d, set))
		return (int)x->err->kind;
	t->data = d;
	t->ordered = s->of || s->from;
	if (s->kind == S_LINES && s->of && read_texts(x, d, &text))
		return (int)x->err->kind;
	if (table_init(x, t, text ? &source_lines_text : t->src, x->g, d->n))
		return (int)x->err->kind;
	t->rows_before += d->dropped;
	return 0;
}

/* ---- columns of lines and instrs ---- */

static const struct detail *detail_of(const struct table *t)
{
	return t->data;
}

static const struct place *place_of(const struct table *t, uint32_t r)
{
	return &detail_of(t)->places[r];
}

static uint64_t detail_cost(const struct table *t, size_t at, uint32_t e)
{
	return store_event_of(detail_of(t)->st, e, detail_of(t)->costs + at);
}

static struct str place_file(const struct table *t, uint32_t r)
{
	return store_file(detail_of(t)->st,
			  plain_file(detail_of(t), place_of(t, r)->file));
}

static void place_files(const struct table *t, uint32_t *out)
{
	for (size_t i = 0; i < t->n; i++)
		out[i] = plain_file(detail_of(t), place_of(t, row_ref(t, i))->file);
}

static uint64_t place_line(const struct table *t, uint32_t r, uint32_t e)
{
	(void)e;
	return place_of(t, r)->line;
}

static uint64_t place_instr(const struct table *t, uint32_t r, uint32_t e)
{
	(void)e;
	return place_of(t, r)->instr;
}

static uint64_t place_self(const struct table *t, uint32_t r, uint32_t e)
{
	return detail_cost(t, (size_t)r * 2 * detail_of(t)->events, e);
}

static uint64_t place_calls(const struct table *t, uint32_t r, uint32_t e)
{
	(void)e;
	return place_of(t, r)->calls_out;
}

static uint64_t place_incl(const struct table *t, uint32_t r, uint32_t e)
{
	return detail_cost(t, ((size_t)r * 2 + 1) * detail_of(t)->events, e);
}

static struct str place_fn(const struct table *t, uint32_t r)
{
	return graph_name(t->g, graph_of_store(t->g, place_of(t, r)->fn));
}

static bool place_no_line(const struct table *t, uint32_t r)
{
	return place_of(t, r)->line == 0;
}

/* Look up all rows at once: stages may ask for a few at a time. */
static int prepare_inlined(const struct table *t, uint32_t event)
{
	struct detail *d = t->data;

	(void)event;
	if (d->in)
		return 0;
	if (inlining_new(t->x, &d->in))
		return (int)t->x->err->kind;
	for (size_t i = 0; i < d->n; i++) {
		const struct place *p = &d->places[i];

		if (inlining_want(d->in, p->fn, p->file, p->line, p->instr) ||
		    exec_poll(t->x))
			return (int)t->x->err->kind;
	}
	return inlining_read(d->in, true);
}

/* Whether the row is inlined; *f: its innermost inlined call, if that is known. */
static bool place_frame(const struct table *t, uint32_t r, const struct inline_frame **f)
{
	const struct place *p = place_of(t, r);

	*f = NULL;
	return detail_of(t)->in
		       ? inlining_at(detail_of(t)->in, p->fn, p->file, p->instr, f)
		       : inlined_line(detail_of(t)->st, p->fn,
				      plain_file(detail_of(t), p->file));
}

/* The function that the line is inlined from, or else its file. */
static struct str place_inlined(const struct table *t, uint32_t r)
{
	const struct inline_frame *f;

	return place_frame(t, r, &f) && f && f->name.n ? f->name : place_file(t, r);
}

static bool place_not_inlined(const struct table *t, uint32_t r)
{
	const struct inline_frame *f;

	return !place_frame(t, r, &f);
}

/* The inlined calls of an instruction, and where they are. */
static struct str instr_inlined(const struct table *t, uint32_t r)
{
	const struct inline_frame *f;
	struct str s = STR("");

	if (place_frame(t, r, &f))
		s = f ? inlining_chain(t->x->a, f) : place_file(t, r);
	return s.p ? s : STR("");
}

static struct str instr_inlined_at(const struct table *t, uint32_t r)
{
	const struct inline_frame *f;
	struct str s = STR("");

	if (place_frame(t, r, &f) && f)
		s = inlining_calls(t->x->a, f);
	return s.p ? s : STR("");
}

static bool instr_no_calls(const struct table *t, uint32_t r)
{
	const struct inline_frame *f;

	return !place_frame(t, r, &f) || !f;
}

#define PLACE_COSTS                                                                    \
	{"self", COL_COST, SHOW_M | SHOW_T | PER_EVENT | ADDS_UP, .u = place_self},    \
		{"self%", COL_PERCENT, SHOW_T | PER_EVENT | OF_TOTAL | HAS_BAR,        \
		 .u = NULL},                                                           \
		{"calls_out", COL_COUNT, SHOW_M | SHOW_T | ADDS_UP, .u = place_calls}, \
		{"incl_out", COL_COST, SHOW_M | SHOW_T | PER_EVENT, .u = place_incl},  \
	{                                                                              \
		"fn", COL_NAME, SHOW_M | SHOW_T, .s = place_fn                         \
	}

static struct str place_text(const struct table *t, uint32_t r)
{
	const struct detail *d = detail_of(t);
	struct str s;

	if (!d->text)
		return STR("");
	s = str_trim(text_at(d->text[r], d->places[r].line));
	s = text_clean(t->x->a, s);
	return s.p ? s : STR("");
}

static struct str place_class(const struct table *t, uint32_t r)
{
	return graph_class_of(place_fn(t, r));
}

static struct str place_dir(const struct table *t, uint32_t r)
{
	return graph_dir_of(place_file(t, r));
}

#define LINE_COLS(shown)                                                                \
	{"file",	  COL_FILE,	     SHOW_M | SHOW_T,                           \
	 .s = place_file, .dict = DICT_FILE, .codes = place_files},                     \
		{"line", COL_LINE, SHOW_M | SHOW_T, .u = place_line,                    \
		 .absent = place_no_line},                                              \
		PLACE_COSTS, {"text", COL_STR, shown, .s = place_text},                 \
		{"class", COL_NAME, 0, .s = place_class},                               \
		{"dir", COL_FILE, 0, .s = place_dir},                                   \
	{                                                                               \
		"inlined", COL_STR, 0, .s = place_inlined, .absent = place_not_inlined, \
				       .prepare = prepare_inlined                       \
	}

static const struct col_def line_cols[] = {LINE_COLS(0)};
/* Used if some text could be read. */
static const struct col_def line_text_cols[] = {LINE_COLS(SHOW_T)};
static const struct col_def instr_cols[] = {
	{"file", COL_FILE, SHOW_M | SHOW_T, .s = place_file, .dict = DICT_FILE,
	 .codes = place_files},
	{"line", COL_LINE, SHOW_M | SHOW_T, .u = place_line, .absent = place_no_line},
	{"instr", COL_ADDR, SHOW_M | SHOW_T, .u = place_instr},
	PLACE_COSTS,
	{"inlined", COL_STR, 0, .s = instr_inlined, .absent = place_not_inlined,
	 .prepare = prepare_inlined},
	{"inlined_at", COL_STR, 0, .s = instr_inlined_at, .absent = instr_no_calls,
	 .prepare = prepare_inlined},
};

static uint32_t place_graph_fn(const struct table *t, uint32_t r)
{
	return graph_of_store(t->g, place_of(t, r)->fn);
}

static struct str place_key(const struct table *t, uint32_t r, struct arena *a)
{
	const struct place *p = place_of(t, r);
	struct str at = arena_printf(a, "%llu", (unsigned long long)p->line);
	struct str fn = fn_key(t, place_graph_fn(t, r), a);
	struct str file = file_key(t, plain_file(detail_of(t), p->file), a);

	if (!at.p || !fn.p || !file.p)
		return (struct str){NULL, 0};
	return arena_join(a, (struct str[]){fn, file, at}, 3);
}

const struct source_def source_lines = {
	"lines", "lines",     "self",	      line_cols, COUNT(line_cols),
	true,	 detail_open, place_graph_fn, place_key,
};
static const struct source_def source_lines_text = {
	"lines", "lines",     "self",	      line_text_cols, COUNT(line_text_cols),
	true,	 detail_open, place_graph_fn, place_key,
};
const struct source_def source_instrs = {
	"instrs", "instructions", "self",	  instr_cols, COUNT(instr_cols),
	true,	  detail_open,	  place_graph_fn, NULL,
};

/* ---- columns of callsites ---- */

static const struct site *site_of(const struct table *t, uint32_t r)
{
	return &detail_of(t)->sites[r];
}

static struct store_edge site_edge(const struct table *t, uint32_t r)
{
	struct store_edge e;

	store_edge(detail_of(t)->st, site_of(t, r)->edge, &e);
	return e;
}

static uint32_t site_fn(const struct table *t, uint32_t r)
{
	return graph_of_store(t->g, site_edge(t, r).caller);
}

static struct str site_caller(const struct table *t, uint32_t r)
{
	return graph_name(t->g, site_fn(t, r));
}

static struct str site_callee(const struct table *t, uint32_t r)
{
	uint32_t f = graph_of_store(t->g, site_edge(t, r).callee);

	return f == GRAPH_NONE ? STR("???") : graph_name(t->g, f);
}

static struct str site_file(const struct table *t, uint32_t r)
{
	return store_file(detail_of(t)->st, site_of(t, r)->file);
}

static void site_files(const struct table *t, uint32_t *out)
{
	for (size_t i = 0; i < t->n; i++)
		out[i] = site_of(t, row_ref(t, i))->file;
}

static uint64_t site_line(const struct table *t, uint32_t r, uint32_t e)
{
	(void)e;
	return site_of(t, r)->line;
}

static uint64_t site_instr(const struct table *t, uint32_t r, uint32_t e)
{
	(void)e;
	return site_of(t, r)->instr;
}

static uint64_t site_calls(const struct table *t, uint32_t r, uint32_t e)
{
	(void)e;
	return site_of(t, r)->calls;
}

static uint64_t site_incl(const struct table *t, uint32_t r, uint32_t e)
{
	return detail_cost(t, (size_t)r * detail_of(t)->events, e);
}

static bool site_no_line(const struct table *t, uint32_t r)
{
	return site_of(t, r)->line == 0;
}

static bool site_no_instr(const struct table *t, uint32_t r)
{
	(void)r;
	return !store_info(detail_of(t)->st)->has_instr;
}

static const struct col_def site_cols[] = {
	{"caller", COL_NAME, SHOW_M | SHOW_T, .s = site_caller},
	{"callee", COL_NAME, SHOW_M | SHOW_T, .s = site_callee},
	{"file", COL_FILE, SHOW_M | SHOW_T, .s = site_file, .dict = DICT_FILE,
	 .codes = site_files},
	{"line", COL_LINE, SHOW_M | SHOW_T, .u = site_line, .absent = site_no_line},
	{"instr", COL_ADDR, SHOW_M, .u = site_instr, .absent = site_no_instr},
	{"calls", COL_COUNT, SHOW_M | SHOW_T | ADDS_UP, .u = site_calls},
	{"incl", COL_COST, SHOW_M | SHOW_T | PER_EVENT, .u = site_incl},
	{"incl%", COL_PERCENT, SHOW_T | PER_EVENT | OF_TOTAL | HAS_BAR, .u = NULL},
};

const struct source_def source_callsites = {
	"callsites", "call sites", "incl",  site_cols, COUNT(site_cols),
	true,	     detail_open,  site_fn, NULL,
};

/* ---- columns of jumps ---- */

static const struct jump *jump_of(const struct table *t, uint32_t r)
{
	return &detail_of(t)->jumps[r];
}

#define JUMP_U(name, expr)                                                         \
	static uint64_t jump_##name(const struct table *t, uint32_t r, uint32_t e) \
	{                                                                          \
		(void)e;                                                           \
		return jump_of(t, r)->expr;                                        \
	}
JUMP_U(line, j.line)
JUMP_U(instr, j.instr)
JUMP_U(to_line, j.to_line)
JUMP_U(to_instr, j.to_instr)
JUMP_U(conditional, j.conditional)
JUMP_U(executed, j.executed)
JUMP_U(taken, j.taken)

static uint32_t jump_fn(const struct table *t, uint32_t r)
{
	return graph_of_store(t->g, jump_of(t, r)->fn);
}

static struct str jump_name(const struct table *t, uint32_t r)
{
	return graph_name(t->g, jump_fn(t, r));
}

static struct str jump_to_name(const struct table *t, uint32_t r)
{
	return store_fn_shown(detail_of(t)->st, jump_of(t, r)->j.to_fn);
}

static struct str jump_file(const struct table *t, uint32_t r)
{
	return store_file(detail_of(t)->st, jump_of(t, r)->j.file);
}

static struct str jump_to_file(const struct table *t, uint32_t r)
{
	return store_file(detail_of(t)->st, jump_of(t, r)->j.to_file);
}

static bool jump_no_instr(const struct table *t, uint32_t r)
{
	(void)r;
	return !store_info(detail_of(t)->st)->has_instr;
}

static const struct col_def jump_cols[] = {
	{"fn", COL_NAME, SHOW_M | SHOW_T, .s = jump_name},
	{"file", COL_FILE, SHOW_M, .s = jump_file},
	{"line", COL_LINE, SHOW_M | SHOW_T, .u = jump_line},
	{"instr", COL_ADDR, SHOW_M | SHOW_T, .u = jump_instr, .absent = jump_no_instr},
	{"to_fn", COL_NAME, SHOW_M, .s = jump_to_name},
	{"to_file", COL_FILE, SHOW_M, .s = jump_to_file},
	{"to_line", COL_LINE, SHOW_M | SHOW_T, .u = jump_to_line},
	{"to_instr", COL_ADDR, SHOW_M | SHOW_T, .u = jump_to_instr,
	 .absent = jump_no_instr},
	{"conditional", COL_BOOL, SHOW_M | SHOW_T, .u = jump_conditional},
	{"executed", COL_COUNT, SHOW_M | SHOW_T | ADDS_UP, .u = jump_executed},
	{"taken", COL_COUNT, SHOW_M | SHOW_T | ADDS_UP, .u = jump_taken},
};

const struct source_def source_jumps = {
	"jumps", "jumps",     "executed", jump_cols, COUNT(jump_cols),
	true,	 detail_open, jump_fn,	  NULL,
};
