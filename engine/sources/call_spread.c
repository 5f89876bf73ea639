/*
 * call_spread.c - the columns `usual` and `slowest`: the median and the most of what the calls of
 * a function include.
 *
 * They are of single activations, which are read from the profile again.  How many each function
 * has is known from the contexts, so each gets its place in one array:
 *
 *	calls	f 2, g 3		costs	f f g g g
 */
#include "engine/graph/graph.h"
#include "engine/lang/ast.h"
#include "engine/rows/activations.h"
#include "engine/rows/exec.h"
#include "engine/rows/in_span.h"
#include "engine/rows/table.h"
#include "engine/sources/getters.h"
#include "engine/sources/source_activations.h"
#include "index/base/cost.h"
#include "index/base/err.h"
#include "index/base/need.h"
#include "index/each_activation.h"

struct graph_spread {
	uint32_t event;
	int64_t *usual, *slowest; /* [functions of the store] */
};

struct spreading {
	struct exec *x;
	uint32_t event;
	uint64_t *end; /* [functions]: behind its costs so far */
	uint64_t *begin;
	int64_t *cost;
};

static int put_cost(struct spreading *s, const struct activation *a, const int64_t *incl)
{
	if (!activation_is_asked(s->x, a) || s->end[a->fn] == s->begin[a->fn + 1])
		return 0;
	s->cost[s->end[a->fn]++] = store_event_of(s->x->g->st, s->event, incl);
	return 0;
}

static int take_cost(void *arg, const struct activation *a)
{
	return put_cost(arg, a, a->incl);
}

static int take_part(void *arg, const struct activation *a, const struct span_part *p)
{
	return p ? put_cost(arg, a, p->incl) : 0;
}

static int64_t largest(const int64_t *cost, uint64_t n)
{
	int64_t most = cost[0];

	for (uint64_t i = 1; i < n; i++)
		most = cost[i] > most ? cost[i] : most;
	return most;
}

/* The k-th smallest, from 0; those before it are not larger then. */
static int64_t smallest(int64_t *cost, uint64_t n, uint64_t k)
{
	uint64_t lo = 0, hi = n - 1;

	while (lo < hi) {
		const int64_t pivot = cost[lo + (hi - lo) / 2];
		uint64_t i = lo, j = hi;

		for (;;) {
			while (cost[i] < pivot)
				i++;
			while (cost[j] > pivot)
				j--;
			if (i >= j)
				break;
			const int64_t other = cost[i];

			cost[i++] = cost[j];
			cost[j--] = other;
		}
		if (k <= j)
			hi = j;
		else
			lo = j + 1;
	}
	return cost[k];
}

/* Of an even number: halfway between the middle two. */
static int64_t median(int64_t *cost, uint64_t n)
{
	const int64_t upper = smallest(cost, n, n / 2);

	return n % 2 ? upper : (int64_t)(((__int128)largest(cost, n / 2) + upper) / 2);
}

/* Where the costs of each function are.  Returns how many there are. */
static uint64_t lay_out(struct spreading *s, uint32_t functions)
{
	struct store *st = s->x->g->st;
	struct store_tree tree;
	uint64_t n = 0;

	store_tree(st, &tree);
	for (context_id c = 0; c < tree.contexts; c++)
		s->begin[store_context_fn(st, c)] += store_context_calls(st, c);
	for (fn_id f = 0; f <= functions; f++) {
		const uint64_t calls = f < functions ? s->begin[f] : 0;

		s->begin[f] = s->end[f] = n;
		n += calls;
	}
	need(store_check(st, s->x->err), s->x->err);
	return n;
}

void prepare_spread(const struct table *t, uint32_t e)
{
	struct exec *x = t->x;
	struct graph *g = (struct graph *)(uintptr_t)t->g;
	const uint32_t functions = store_info(g->st)->functions;
	struct arena *scratch;
	struct graph_spread *out;
	struct spreading s = {.x = x, .event = e};
	const struct activation_asked asked = {.take = take_cost, .arg = &s};
	uint64_t n;

	if (g->run.spread && g->run.spread->event == e)
		return;
	exec_has_activations(x, &(struct source){.kind = S_ACTIVATIONS});
	out = NEED_NEW(g->a, struct graph_spread);
	out->event = e;
	out->usual = NEED_ARRAY(g->a, int64_t, (size_t)functions + 1);
	out->slowest = NEED_ARRAY(g->a, int64_t, (size_t)functions + 1);
	scratch = need_scratch(x->a);
	s.begin = NEED_ARRAY(scratch, uint64_t, (size_t)functions + 2);
	s.end = NEED_ARRAY(scratch, uint64_t, (size_t)functions + 2);
	n = lay_out(&s, functions);
	s.cost = NEED_ARRAY(scratch, int64_t, n + 1);
	if (g->run.span)
		exec_in_span(x, &g->run.span->of, take_part, &s);
	else
		need(exec_activations(x, &asked), x->err);
	for (fn_id f = 0; f < functions; f++) {
		int64_t *cost = s.cost + s.begin[f];

		if (s.end[f] == s.begin[f])
			continue;
		out->slowest[f] = largest(cost, s.end[f] - s.begin[f]);
		out->usual[f] = median(cost, s.end[f] - s.begin[f]);
		exec_poll_now(x);
	}
	scratch_free(scratch);
	g->run.spread = out;
}

uint64_t fn_usual(const struct table *t, uint32_t f, uint32_t e UNUSED)
{
	return (uint64_t)t->g->run.spread->usual[graph_origin(t->g, f)];
}

uint64_t fn_slowest(const struct table *t, uint32_t f, uint32_t e UNUSED)
{
	return (uint64_t)t->g->run.spread->slowest[graph_origin(t->g, f)];
}
