/*
 * merge_calls.c - what calls say of costs; see merge_calls.h.
 *
 * A function without a block: a writer left it out, since it has no cost of its own, or
 * left out its lines.  What flows into it is its self cost only where the lines lack it.
 * What is missing is told by summary: or totals:, or else by what enters the functions
 * with blocks: what they cost and pass on, less what the calls into them say.
 *
 *	fn=main 1 10 cfn=g calls=1 1 1 90	main is entered with 100, the lines have 10: g costs 90
 *	the same, and fn=h 2 90			the lines have 100: g calls h, but nobody wrote it
 */
#include "index/merge/merge_calls.h"

#include <stdlib.h>
#include <string.h>

#include "index/base/bisect.h"
#include "index/base/cost.h"
#include "index/base/vec.h"
#include "index/merge/profile.h"

/* The first function whose name is not below s; nfn: all are. */
static size_t first_named(const struct profile *p, struct str s)
{
	struct bisect b = bisect_in(0, p->nfn);

	while (bisect_next(&b))
		bisect_step(&b, str_cmp(p->name[SPACE_FN][p->fn_name[b.mid]], s) < 0);
	return b.lo;
}

/* google-pprof cuts the name of a block at its first blank, but not that of a callee.  Is
 * there such a block for f? */
static bool has_cut_block(const struct profile *p, size_t f)
{
	const struct str name = p->name[SPACE_FN][p->fn_name[f]];
	const struct str word = {name.p, str_find(name, ' ')};

	for (size_t i = word.n < name.n ? first_named(p, word) : p->nfn;
	     i < p->nfn && str_eq(p->name[SPACE_FN][p->fn_name[i]], word); i++)
		if (!p->calls_only[i] && p->fn_file[i] == p->fn_file[f] &&
		    p->fn_obj[i] == p->fn_obj[f])
			return true;
	return false;
}

struct lacking {
	size_t event;	  /* the first that flows into such functions */
	int64_t lines;	  /* sum of the lines, */
	int64_t flows;	  /* and of what flows into them */
	int64_t *in;	  /* per function, net of what it passes on if it has a block */
	int64_t *entered; /* of those with a block, descending */
	size_t n;
};

static void flow_in(const struct profile *p, struct lacking *l)
{
	memset(l->in, 0, p->nfn * sizeof(*l->in));
	for (size_t f = 0; f < p->nfn; f++)
		for (size_t e = p->out_first[f]; e < p->out_first[f + 1]; e++) {
			const int64_t v = profile_cost(&p->edge_cost[l->event], e);
			const uint32_t to = p->callee[e];

			if (to == f)
				continue;
			if (p->calls_only[to])
				cost_add(&l->in[to], v);
			else
				cost_subtract(&l->in[to], v);
			cost_add(&l->in[f], v);
		}
}

static int descending(const void *a, const void *b)
{
	return cost_order(*(const int64_t *)b, *(const int64_t *)a);
}

static void look_at(const struct profile *p, struct lacking *l)
{
	flow_in(p, l);
	l->lines = l->flows = 0;
	l->n = 0;
	for (size_t f = 0; f < p->nfn; f++) {
		const int64_t self = p->self[f * p->nevent + l->event];

		if (p->calls_only[f]) {
			cost_add(&l->flows, l->in[f]);
			continue;
		}
		cost_add(&l->lines, self);
		l->entered[l->n++] = cost_sum(l->in[f], self);
	}
	qsort(l->entered, l->n, sizeof(*l->entered), descending);
}

/* What the parts say they cost; false: nothing, or nothing that fits. */
static bool written(const struct profile *p, const struct lacking *l, int64_t *sum)
{
	const int64_t most = cost_sum(l->lines, l->flows), some = most / 64;

	*sum = 0;
	for (size_t i = 0; i < p->npart; i++) {
		const struct part *part = &p->part[i];
		const int64_t *of = part->totals ? part->totals : part->summary;

		if (!of)
			return false;
		cost_add(sum, of[l->event]);
	}
	return *sum >= cost_difference(l->lines, some) && *sum <= cost_sum(most, some);
}

/* How much of the flows the lines lack. */
static int64_t lacked(const struct profile *p, const struct lacking *l)
{
	int64_t sum = 0;

	if (written(p, l, &sum))
		return cost_difference(sum, l->lines);
	if (l->n && l->entered[0] > l->lines)
		return cost_difference(l->entered[0], l->lines);
	/* Roots whose costs are those of the lines. */
	sum = 0;
	for (size_t i = 0; i < l->n && sum < l->lines; i++)
		cost_add(&sum, l->entered[i]);
	return cost_difference(sum, l->lines) > l->lines / 64 ? l->flows : 0;
}

/* Whether a function with a block is entered with v, but for the one that is the root. */
static bool is_entered(const struct lacking *l, int64_t v)
{
	struct bisect b = bisect_in(1, l->n);

	while (bisect_next(&b))
		bisect_step(&b, l->entered[b.mid] > v);
	return b.lo < l->n && l->entered[b.lo] == v;
}

/* All, none, or those whose cost nothing else is entered with. */
static void keep_lacked(struct profile *p, const struct lacking *l)
{
	const int64_t want = lacked(p, l);
	int64_t apart = 0;

	for (size_t f = 0; f < p->nfn; f++)
		if (p->calls_only[f] && !is_entered(l, l->in[f]))
			cost_add(&apart, l->in[f]);
	for (size_t f = 0; f < p->nfn; f++)
		if (p->calls_only[f])
			p->calls_only[f] = apart == want ? !is_entered(l, l->in[f])
							 : want > l->flows / 2;
}

static int only_lacking(struct profile *p)
{
	struct lacking l = {.in = vec_block((p->nfn + 1) * sizeof(*l.in)),
			    .entered = vec_block((p->nfn + 1) * sizeof(*l.entered))};
	const int rc = l.in && l.entered ? 0 : -1;

	for (; !rc && l.event < p->nevent && !l.flows; l.event++)
		look_at(p, &l);
	l.event -= l.event > 0;
	if (!rc && l.flows)
		keep_lacked(p, &l);
	free(l.in);
	free(l.entered);
	return rc;
}

int merge_calls_only(struct profile *p, bool by_callgrind)
{
	bool any = false;

	if (by_callgrind) {
		memset(p->calls_only, 0, p->nfn * sizeof(*p->calls_only));
		memset(p->bare, 0, p->nfn * sizeof(*p->bare));
	}
	for (size_t f = 0; f < p->nfn; f++) {
		if (p->calls_only[f] && has_cut_block(p, f))
			p->calls_only[f] = false;
		any |= p->calls_only[f];
	}
	for (size_t e = 0; e < p->nedge; e++)
		p->loose += p->calls_only[p->callee[e]];
	if (any && only_lacking(p))
		return -1;
	for (size_t f = 0; f < p->nfn; f++) {
		p->bare[f] = p->bare[f] && !p->calls_only[f];
		p->any_bare |= p->bare[f];
	}
	for (size_t e = 0; any && e < p->nedge; e++) {
		const uint32_t f = p->callee[e];

		for (size_t i = 0; p->calls_only[f] && i < p->nevent; i++)
			p->saturated |= cost_add(&p->self[f * p->nevent + i],
						 profile_cost(&p->edge_cost[i], e));
	}
	return 0;
}
