/* joined.c - the calls of functions whose contexts are joined; see joined.h. */
#include "index/graph/joined.h"

#include <stdlib.h>

#include "index/base/cost.h"
#include "index/base/sort.h"
#include "index/graph/cycles.h"

/* Edges from groups, those of a group together: to[first[g]] .. [first[g + 1]].  Several may
 * lead to one group. */
struct group_calls {
	uint32_t *first, *to;
};

static int list_calls(struct joined *j, struct group_calls *c)
{
	uint32_t *met = calloc((size_t)j->groups + 1, sizeof(*met)), n = 0;

	c->first = malloc(((size_t)j->groups + 1) * sizeof(*c->first));
	c->to = malloc(((size_t)j->out_first[j->functions] + 1) * sizeof(*c->to));
	for (uint32_t g = 0; met && c->first && c->to && g < j->groups; g++) {
		c->first[g] = n;
		for (uint32_t m = j->first[g]; m < j->first[g + 1]; m++) {
			const uint32_t f = j->fn[m];

			for (uint32_t i = j->out_first[f]; i < j->out_first[f + 1]; i++) {
				const uint32_t to = j->of[j->callee[i]];

				c->to[n++] = to;
				j->edges += met[to] != g + 1;
				met[to] = g + 1;
			}
		}
	}
	if (c->first)
		c->first[j->groups] = n;
	free(met);
	return met && c->first && c->to ? 0 : -1;
}

/* What cycles spend: self and the calls that leave them, by component. */
static void sum_cycles(const struct joined *j, const struct cycles *c,
		       const struct joined_costs *costs, int64_t *sum)
{
	for (uint32_t f = 0; f < j->functions; f++) {
		const uint32_t k = c->component[j->of[f]];

		if (c->first[k + 1] - c->first[k] < 2)
			continue;
		cost_add(&sum[k], costs->self(costs->of, f));
		for (uint32_t i = j->out_first[f]; i < j->out_first[f + 1]; i++)
			if (c->component[j->of[j->callee[i]]] != k)
				cost_add(&sum[k], costs->edge(costs->of, i));
	}
}

/* By cost, then by the first member. */
static int number_cycles(struct joined *j, const struct cycles *c,
			 const struct joined_costs *costs)
{
	int64_t *sum = calloc(c->n + 1, sizeof(*sum));
	uint32_t *number = calloc(c->n + 1, sizeof(*number));
	struct sort_pair *order = malloc((c->n + 1) * sizeof(*order));
	int rc = sum && number && order ? 0 : -1;

	if (!rc && costs)
		sum_cycles(j, c, costs, sum);
	for (uint32_t g = 0; !rc && g < j->groups; g++) {
		const uint32_t k = c->component[g];

		if (c->first[k + 1] - c->first[k] < 2 || number[k])
			continue;
		number[k] = 1;
		order[j->cycles++] = (struct sort_pair){~cost_rank(sum[k]), k};
	}
	rc = rc || sort_pairs(order, j->cycles) ? -1 : 0;
	for (uint32_t i = 0; !rc && i < j->cycles; i++)
		number[order[i].value] = i + 1;
	for (uint32_t g = 0; !rc && g < j->groups; g++)
		j->cycle[g] = number[c->component[g]];
	free(sum);
	free(number);
	free(order);
	return rc;
}

/* Entered through one member, or through several that are never on the stack together, of
 * which each has a cost that is no estimate? */
static bool adds_up(const struct joined *j, uint32_t g)
{
	uint32_t entries = 0;

	for (uint32_t m = j->first[g]; m < j->first[g + 1]; m++) {
		if (j->again[j->fn[m]])
			continue;
		if (j->nests[j->fn[m]] || (entries++ && !j->levels))
			return false;
	}
	return true;
}

int joined_find(struct joined *j, const struct joined_costs *costs)
{
	struct group_calls calls = {0};
	struct cycles c = {0};
	int rc;

	j->cycle = calloc((size_t)j->groups + 1, sizeof(*j->cycle));
	j->known = calloc((size_t)j->groups + 1, sizeof(*j->known));
	rc = !j->cycle || !j->known || list_calls(j, &calls) ||
			     cycles_find(j->groups, calls.first, calls.to, &c) ||
			     number_cycles(j, &c, costs)
		     ? -1
		     : 0;
	for (uint32_t g = 0; !rc && g < j->groups; g++)
		j->known[g] = j->first[g + 1] - j->first[g] > 1 &&
			      (!j->cycle[g] || adds_up(j, g));
	free(calls.first);
	free(calls.to);
	cycles_free(&c);
	return rc;
}

void joined_free(struct joined *j)
{
	free(j->cycle);
	free(j->known);
}

/* In a cycle: what its members cost by which it is entered.  Else self and calls of others. */
int64_t joined_incl(const struct joined *j, uint32_t g, const struct joined_costs *costs)
{
	int64_t sum = 0;

	for (uint32_t m = j->first[g]; m < j->first[g + 1]; m++) {
		const uint32_t f = j->fn[m];

		if (j->cycle[g] && !j->again[f])
			cost_add(&sum, costs->incl(costs->of, f));
		if (j->cycle[g])
			continue;
		cost_add(&sum, costs->self(costs->of, f));
		for (uint32_t i = j->out_first[f]; i < j->out_first[f + 1]; i++)
			if (j->of[j->callee[i]] != g)
				cost_add(&sum, costs->edge(costs->of, i));
	}
	return sum;
}
