/*
 * merge_edges.c - the edges of all tallies in one list; see merge_edges.h.
 *
 * Edges go to the list of their caller, by a counting sort, and there by callee; equal ones are
 * added.  A tally's edges are far from each other in these orders, so each is prefetched.
 */
#include "index/merge/merge_edges.h"

#include <stdlib.h>

#include "index/base/bisect.h"
#include "index/base/err.h"
#include "index/base/sort.h"
#include "index/base/vec.h"

enum {
	MANY_CALLEES = 32, /* least number that is worth a sort of several passes */
	FETCH = 16, /* edges by which a prefetch is ahead: each is far from the others */
};

/* An edge of a tally in the list of its caller. */
struct edge_ref {
	uint32_t callee, at; /* at: index over the edges of all tallies */
};

struct edges {
	struct edge_ref *ref; /* sorted by caller and callee */
	size_t n;
	uint32_t *first;	/* per function: its first edge in ref */
	struct sort_pair *pair; /* scratch: the edges of one caller */
	size_t pair_cap;
};

/*
 * A counting sort.  first[f + 2] counts the edges of f; summed up, first[f + 1] is where
 * the first edge of f goes.  Each edge moves it on, so that at the end it is the start of
 * f + 1, and first[f] that of f:
 *
 *	edges of 0: 2, of 1: 1		counted {0 0 2 1}  summed {0 0 2 3}  at the end {0 2 3 3}
 */
static void edges_by_caller(const struct profile *p, struct edges *s)
{
	uint32_t *first = s->first;
	uint32_t at = 0;

	for (size_t k = 0; k < p->ntally; k++)
		for (size_t i = 0; i < p->tally[k]->edges.n; i++)
			first[p->map[k].fn[p->tally[k]->edges.at[i].caller] + 2]++;
	for (size_t f = 1; f <= p->nfn + 1; f++)
		first[f] += first[f - 1];
	for (size_t k = 0; k < p->ntally; k++)
		for (size_t i = 0; i < p->tally[k]->edges.n; i++, at++) {
			const struct edge_slot *e = &p->tally[k]->edges.at[i];

			if (i + FETCH < p->tally[k]->edges.n) {
				__builtin_prefetch(&p->map[k].fn[e[FETCH].callee]);
				__builtin_prefetch(
					&first[p->map[k].fn[e[FETCH].caller] + 1]);
			}
			s->ref[first[p->map[k].fn[e->caller] + 1]++] =
				(struct edge_ref){p->map[k].fn[e->callee], at};
		}
}

/* Sort the n edges of one caller by callee.  Both sorts are stable: equal edges stay in the
 * order of the tallies.  Most callers have few callees. */
static int sort_callees(struct edges *s, struct edge_ref *ref, size_t n)
{
	if (n > MANY_CALLEES) {
		if (vec_reserve_raw(&s->pair, &s->pair_cap, n, sizeof(*s->pair)))
			return -1;
		for (size_t i = 0; i < n; i++)
			s->pair[i] = (struct sort_pair){ref[i].callee, ref[i].at};
		if (sort_pairs(s->pair, n))
			return -1;
		for (size_t i = 0; i < n; i++)
			ref[i] = (struct edge_ref){(uint32_t)s->pair[i].key,
						   s->pair[i].value};
		return 0;
	}
	for (size_t i = 1; i < n; i++) {
		const struct edge_ref x = ref[i];
		size_t j = i;

		for (; j > 0 && ref[j - 1].callee > x.callee; j--)
			ref[j] = ref[j - 1];
		ref[j] = x;
	}
	return 0;
}

static int sort_edges(struct profile *p, struct edges *s)
{
	for (size_t k = 0; k < p->ntally; k++)
		s->n += p->tally[k]->edges.n;
	s->ref = vec_block((s->n + 1) * sizeof(*s->ref));
	s->first = calloc(p->nfn + 3, sizeof(*s->first));
	if (!s->ref || !s->first || s->n >= NO_ID)
		return -1;
	edges_by_caller(p, s);
	for (size_t k = 0; profile_may_forget(p) && k < p->ntally; k++)
		tally_forget(p->tally[k], TALLY_EDGES, 0);
	for (size_t f = 0; f < p->nfn; f++)
		if (sort_callees(s, s->ref + s->first[f], s->first[f + 1] - s->first[f]))
			return -1;
	return 0;
}

/* Number the edges; the tallies' maps get these numbers.  edge_of is one array for all
 * tallies, so that `at` of an edge tells both its tally and its place there. */
static int number_edges(struct profile *p, struct edges *s)
{
	size_t at = 0;

	p->callee = vec_block((s->n + 1) * sizeof(uint32_t));
	p->out_first = calloc(p->nfn + 2, sizeof(*p->out_first));
	p->edge_of = vec_block((s->n + 1) * sizeof(*p->edge_of));
	if (!p->callee || !p->out_first || !p->edge_of)
		return -1;
	for (size_t f = 0; f < p->nfn; f++) {
		for (size_t i = s->first[f]; i < s->first[f + 1]; i++) {
			if (i == s->first[f] || s->ref[i].callee != s->ref[i - 1].callee)
				p->callee[p->nedge++] = s->ref[i].callee;
			p->edge_of[s->ref[i].at] = (uint32_t)p->nedge - 1;
		}
		p->out_first[f + 1] = (uint32_t)p->nedge;
	}
	for (size_t k = 0; k < p->ntally; k++) {
		p->map[k].edge = p->edge_of + at;
		at += p->tally[k]->edges.n;
	}
	return 0;
}

/* Make the columns of sums, of 4 bytes each at first: nearly all fit, and those of millions of
 * edges take half the memory. */
static int make_sums(struct profile *p)
{
	p->edge_cost = calloc(p->nevent + 1, sizeof(*p->edge_cost));
	if (!p->edge_cost)
		return -1;
	for (size_t c = 0; c <= p->nevent; c++) {
		struct profile_sums *s = c ? &p->edge_cost[c - 1] : &p->calls;

		s->sum = calloc(p->nedge + 1, sizeof(uint32_t));
		if (!s->sum)
			return -1;
		vec_huge_pages(s->sum, p->nedge * sizeof(uint32_t));
	}
	return 0;
}

/* A sum does not fit: make all of 8 bytes. */
static int widen_sums(const struct profile *p, struct profile_sums *s)
{
	const uint32_t *narrow = s->sum;
	uint64_t *wide = vec_block((p->nedge + 1) * sizeof(*wide));

	if (!wide)
		return -1;
	for (size_t i = 0; i < p->nedge; i++)
		wide[i] = narrow[i];
	free(s->sum);
	s->sum = wide;
	s->wide = true;
	return 0;
}

/* Add v to a column of calls, or the bits of a cost. */
static inline int add_sum(struct profile *p, struct profile_sums *s, size_t edge,
			  uint64_t v)
{
	uint32_t *narrow = s->sum;

	if (!s->wide && v <= UINT32_MAX - narrow[edge]) {
		narrow[edge] += (uint32_t)v;
		return 0;
	}
	if (!s->wide && widen_sums(p, s))
		return -1;
	if (s == &p->calls)
		count_add((uint64_t *)s->sum + edge, v);
	else
		profile_add_cost(p, (int64_t *)s->sum + edge, (int64_t)v);
	return 0;
}

/* The tally of some edge, and the edges of all tallies that are its own. */
struct edges_of {
	const struct tally *t;
	const uint32_t *event;
	uint32_t first, end;
};

/* Find the tally of edge `at`, counted from the first tally on. */
static void find_edges_of(const struct profile *p, uint32_t at, struct edges_of *of)
{
	struct bisect b = bisect_in(1, p->ntally);
	size_t k;

	while (bisect_next(&b))
		bisect_step(&b, p->map[b.mid].edge <= p->edge_of + at);
	k = b.lo - 1;
	of->t = p->tally[k];
	of->event = p->map[k].event;
	of->first = (uint32_t)(p->map[k].edge - p->edge_of);
	of->end = of->first + (uint32_t)of->t->edges.n;
}

static inline bool is_of(const struct edges_of *of, uint32_t at)
{
	return at - of->first < of->end - of->first;
}

/* Edges that follow each other are mostly of one tally. */
static inline void fetch_edge(const struct edges_of *of, uint32_t at)
{
	const struct tally_edges *from = &of->t->edges;
	const size_t i = (size_t)(at - of->first) * (of->t->events.n + 1);

	if (!is_of(of, at))
		return;
	if (from->narrow)
		__builtin_prefetch(from->narrow + i);
	else
		__builtin_prefetch(from->sum + i);
}

/* Add the sums of an edge of the tallies to those of `edge`. */
static inline int add_edge(struct profile *p, const struct edges_of *of, uint32_t at,
			   size_t edge)
{
	const struct tally_edges *from = &of->t->edges;
	const size_t events = of->t->events.n, i = (at - of->first) * (events + 1);
	const uint32_t *narrow = from->narrow;
	int rc = add_sum(p, &p->calls, edge, narrow ? narrow[i] : from->sum[i]);

	for (size_t e = 0; e < events; e++)
		rc |= add_sum(p, &p->edge_cost[of->event[e]], edge,
			      narrow ? narrow[i + 1 + e] : from->sum[i + 1 + e]);
	return rc;
}

/* The columns have 0 where calls are not known, as of producers that write it. */
static void set_unknown(struct profile *p)
{
	uint64_t *sum = p->calls.sum;

	for (size_t e = 0; p->calls.wide && e < p->nedge; e++)
		if (sum[e] == CALLS_UNKNOWN) {
			sum[e] = 0;
			p->uncounted = true;
		}
}

/* Add up the sums, edge by edge: the tallies' are far apart, the columns are written in
 * order. */
static int add_edges(struct profile *p, const struct edges *s)
{
	struct edges_of of = {0};
	size_t edge = 0;

	if (make_sums(p))
		return -1;
	for (size_t f = 0; f < p->nfn; f++)
		for (size_t i = s->first[f]; i < s->first[f + 1]; i++) {
			const uint32_t at = s->ref[i].at;

			if (!is_of(&of, at))
				find_edges_of(p, at, &of);
			if (i + FETCH < s->n)
				fetch_edge(&of, s->ref[i + FETCH].at);
			edge += i > s->first[f] &&
				s->ref[i].callee != s->ref[i - 1].callee;
			if (add_edge(p, &of, at, edge))
				return -1;
			edge += i + 1 == s->first[f + 1];
		}
	set_unknown(p);
	for (size_t i = 0; profile_may_forget(p) && i < p->ntally; i++)
		tally_forget(p->tally[i], TALLY_EDGE_SUMS, 0);
	return 0;
}

int merge_edges(struct profile *p, struct err *err)
{
	struct edges s = {0};
	int rc = sort_edges(p, &s) || number_edges(p, &s) || add_edges(p, &s);

	free(s.ref);
	free(s.first);
	free(s.pair);
	return rc ? err_no_memory(err, "while merging") : 0;
}
