/* cycles_test.c - components and order of random graphs against plain reachability. */
#include <stdlib.h>

#include "index/graph/cycles.h"
#include "tests/support/dice.h"
#include "tests/support/tap.h"

enum { MOST = 24 };

static bool reach[MOST][MOST];

/* n functions with about `edges` edges: out_first and callee, and who reaches whom. */
static void random_graph(size_t n, size_t edges, uint32_t *out_first, uint32_t *callee)
{
	bool edge[MOST][MOST] = {{false}};
	size_t at = 0;

	for (size_t i = 0; i < edges; i++)
		edge[dice_u64() % n][dice_u64() % n] = true;
	for (size_t f = 0; f < n; f++) {
		out_first[f] = (uint32_t)at;
		for (size_t g = 0; g < n; g++)
			if (edge[f][g])
				callee[at++] = (uint32_t)g;
	}
	out_first[n] = (uint32_t)at;
	memcpy(reach, edge, sizeof(reach));
	for (size_t k = 0; k < n; k++)
		for (size_t f = 0; f < n; f++)
			for (size_t g = 0; g < n; g++)
				reach[f][g] |= reach[f][k] && reach[k][g];
}

/* NULL, or what is wrong. */
static const char *wrong(size_t n, const struct cycles *c)
{
	bool seen[MOST] = {false};

	for (size_t f = 0; f < n; f++)
		for (size_t g = 0; g < n; g++) {
			bool together = f == g || (reach[f][g] && reach[g][f]);

			if (together != (c->component[f] == c->component[g]))
				return "components";
			if (!together && reach[f][g] && c->component[f] > c->component[g])
				return "a callee before its caller";
		}
	if (c->first[0] != 0 || c->first[c->n] != n)
		return "the ends of first";
	for (size_t k = 0; k < c->n; k++)
		for (uint32_t i = c->first[k]; i < c->first[k + 1]; i++) {
			if (c->topo[i] >= n || seen[c->topo[i]])
				return "topo is no permutation";
			seen[c->topo[i]] = true;
			if (c->component[c->topo[i]] != k)
				return "topo and components";
			if (i > c->first[k] && c->topo[i - 1] >= c->topo[i])
				return "members do not ascend";
		}
	return NULL;
}

static void test_random(void)
{
	uint32_t out_first[MOST + 1], callee[MOST * MOST];
	unsigned failed = 0;

	for (unsigned i = 0; i < 20000; i++) {
		size_t n = 1 + dice_u64() % MOST;
		const char *what;
		struct cycles c;

		random_graph(n, dice_u64() % (3 * n), out_first, callee);
		if (cycles_find(n, out_first, callee, &c))
			abort();
		what = wrong(n, &c);
		if (what && failed++ < 5)
			fprintf(stderr, "# graph %u: %s\n", i, what);
		cycles_free(&c);
	}
	is_u64(failed, 0, "20000 random graphs");
}

/* One long chain, closed to a ring or not, does not need a deep stack. */
static void test_deep(size_t n, bool ring)
{
	uint32_t *out_first = malloc((n + 1) * sizeof(*out_first));
	uint32_t *callee = malloc(n * sizeof(*callee));
	struct cycles c;

	if (!out_first || !callee)
		abort();
	for (size_t f = 0; f < n; f++) {
		out_first[f] = (uint32_t)f;
		callee[f] = (uint32_t)((f + 1) % n);
	}
	out_first[n] = (uint32_t)(ring ? n : n - 1);
	if (!ok(cycles_find(n, out_first, callee, &c) == 0, "%zu deep", n))
		return;
	is_u64(c.n, ring ? 1 : n, "%s: components", ring ? "a ring" : "a chain");
	ok(c.topo[0] == 0 && c.topo[n - 1] == n - 1, "in order");
	cycles_free(&c);
	free(out_first);
	free(callee);
}

static void test_nothing(void)
{
	const uint32_t none[1] = {0};
	struct cycles c;

	ok(cycles_find(0, none, NULL, &c) == 0 && c.n == 0, "no function");
	cycles_free(&c);
}

int main(void)
{
	test_nothing();
	test_random();
	test_deep(1000000, false);
	test_deep(1000000, true);
	return done_testing();
}
