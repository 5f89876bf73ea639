/*
 * path_truth_test.c - paths, costs and trees against what really happened.
 *
 * The experiment: random call trees with recursion and several roots, whose true costs are
 * known; a profile keeps only self costs and call edges.  Whatever path.h then says must
 * hold the truth between lo and hi, always.
 */
#include <math.h>
#include <stdlib.h>

#include "tests/flows.h"
#include "tests/tap.h"

enum { CALLS = 600 };

struct tree {
	uint32_t functions, n;
	uint32_t fn[CALLS], parent[CALLS]; /* parent: FLOW_NONE at a root */
	uint64_t self[CALLS], incl[CALLS];
	uint32_t entry[CALLS]; /* the call that entered the vertex this one runs in */
};

/* Activations in the order of the calls: a parent stands before its children. */
static void grow_tree(struct tree *t)
{
	bool deep = flows_below(2), recursive = flows_below(3) != 0;
	uint32_t stack[CALLS], n = 0;

	t->functions = 3 + flows_below(14);
	t->n = 20 + flows_below(CALLS - 20);
	for (uint32_t i = 0; i < t->n; i++) {
		uint32_t caller;

		while (n && flows_below(deep ? 3 : 2) == 0)
			n--;
		if (n && flows_below(60) == 0)
			n = 0; /* another root */
		t->parent[i] = n ? stack[n - 1] : FLOW_NONE;
		caller = n ? t->fn[stack[n - 1]] : 0;
		if (n == 0)
			t->fn[i] = flows_below(8) ? 0 : flows_below(t->functions);
		else if (recursive && flows_below(12) == 0)
			t->fn[i] = flows_below(t->functions);
		else if (caller + 1 < t->functions)
			t->fn[i] = caller + 1 +
				   flows_below(flows_below(2) ? t->functions - caller - 1
							      : 1);
		else
			t->fn[i] = caller;
		if (!recursive && n && t->fn[i] <= caller) {
			n--;
			i--;
			continue;
		}
		t->self[i] = flows_below(4) ? flows_below(30) : flows_below(2000);
		stack[n++] = i;
	}
	for (uint32_t i = 0; i < t->n; i++)
		t->incl[i] = t->self[i];
	for (uint32_t i = t->n; i-- > 0;)
		if (t->parent[i] != FLOW_NONE)
			t->incl[t->parent[i]] += t->incl[i];
}

/* What a profile keeps of it. */
static struct graph profile_of(const struct tree *t, struct arena *a)
{
	uint32_t n = t->functions, edges = 0;
	uint64_t *w = ARENA_ARRAY(a, uint64_t, n * n),
		 *calls = ARENA_ARRAY(a, uint64_t, n * n);
	struct graph g = flows_graph(a, n, n * n);

	for (uint32_t i = 0; i < t->n; i++) {
		g.self[t->fn[i]] += t->self[i];
		if (t->parent[i] == FLOW_NONE)
			continue;
		w[t->fn[t->parent[i]] * n + t->fn[i]] += t->incl[i];
		calls[t->fn[t->parent[i]] * n + t->fn[i]]++;
	}
	for (uint32_t f = 0; f < n; f++) {
		g.first[f] = edges;
		for (uint32_t c = 0; c < n; c++) {
			if (!calls[f * n + c])
				continue;
			g.callee[edges] = c;
			g.calls[edges] = calls[f * n + c];
			g.w[edges++] = w[f * n + c];
		}
	}
	g.first[n] = g.edges = edges;
	return g;
}

static void find_entries(struct tree *t, const struct flow *fl)
{
	for (uint32_t i = 0; i < t->n; i++) {
		uint32_t p = t->parent[i];
		bool inside =
			p != FLOW_NONE && fl->vertex[t->fn[p]] == fl->vertex[t->fn[i]];

		t->entry[i] = inside ? t->entry[p] : i;
	}
}

/* The call that entered the vertex above the one that i entered. */
static uint32_t above(const struct tree *t, uint32_t i)
{
	uint32_t p = t->parent[i];

	return p == FLOW_NONE ? FLOW_NONE : t->entry[p];
}

static uint64_t true_path(const struct tree *t, const struct flow *fl,
			  const struct path *p)
{
	uint64_t sum = 0;

	for (uint32_t i = 0; i < t->n; i++) {
		size_t k = p->n;
		uint32_t e = i;

		if (t->entry[i] != i)
			continue;
		while (k > 0 && e != FLOW_NONE &&
		       fl->vertex[t->fn[e]] == p->steps[k - 1].vertex) {
			k--;
			e = above(t, e);
		}
		if (k == 0)
			sum += t->incl[i];
	}
	return sum;
}

/* Is i an entry into `of`, with `under` above it and via, avoiding as asked in between? */
static bool counts(const struct tree *t, const struct flow *fl, uint32_t i,
		   const uint8_t *of, const uint8_t *under, const uint8_t *via,
		   const uint8_t *avoid)
{
	bool seen = !via, top = !under;

	if (!of[fl->vertex[t->fn[i]]])
		return false;
	for (uint32_t e = i; e != FLOW_NONE; e = above(t, e)) {
		uint32_t v = fl->vertex[t->fn[e]];

		if (avoid && avoid[v])
			return false;
		seen |= via && via[v];
		if (under && under[v] && e != i && seen)
			return true;
	}
	return top && seen;
}

static uint64_t true_cost(const struct tree *t, const struct flow *fl,
			  const struct path_cost_query *q, struct arena *a)
{
	uint8_t *of = flows_vertices(fl, q->of, a);
	uint8_t *under = q->under ? flows_vertices(fl, q->under, a) : NULL;
	uint8_t *via = q->via ? flows_vertices(fl, q->via, a) : NULL;
	uint8_t *avoid = q->avoiding ? flows_vertices(fl, q->avoiding, a) : NULL;
	bool inside[CALLS] = {false};
	uint64_t sum = 0;

	for (uint32_t i = 0; i < t->n; i++) {
		uint32_t up;

		if (t->entry[i] != i)
			continue;
		up = above(t, i);
		if (up != FLOW_NONE && inside[up])
			inside[i] = true;
		else if ((inside[i] = counts(t, fl, i, of, under, via, avoid)))
			sum += t->incl[i];
	}
	return sum;
}

/* Cost of the chain that a row of a tree stands for. */
static uint64_t true_row(const struct tree *t, const struct flow *fl,
			 const struct path_tree_query *q, const struct path_tree *tree,
			 uint32_t row)
{
	uint32_t chain[64], n = 0;
	uint64_t sum = 0;

	for (uint32_t r = row; r != FLOW_NONE && n < 64; r = tree->rows[r].parent)
		chain[n++] = tree->rows[r].fn;
	for (uint32_t i = 0; i < t->n; i++) {
		uint32_t e = i, k;

		if (t->entry[i] != i || t->parent[i] == FLOW_NONE)
			continue;
		if (q->up) { /* chain[n - 1] calls the set, chain[n - 2] calls that */
			if (!fnset_has(q->set, t->fn[i]))
				continue;
			for (k = n; k > 0 && t->parent[e] != FLOW_NONE &&
				    t->fn[t->parent[e]] == chain[k - 1];
			     k--)
				e = t->entry[t->parent[e]];
		} else { /* chain[0] is called last, by chain[1]'s vertex */
			for (k = 0; k < n && e != FLOW_NONE && t->fn[e] == chain[k];
			     k++) {
				if (k + 1 == n &&
				    (t->parent[e] == FLOW_NONE ||
				     !fnset_has(q->set, t->fn[t->parent[e]])))
					break;
				e = above(t, e);
			}
			k = n - k;
		}
		if (k == 0)
			sum += t->incl[i];
	}
	(void)fl;
	return sum;
}

struct tally {
	uint64_t checked, violated, exact, outside;
	double worst; /* |est - truth| / hi */
};

static void check(struct tally *y, struct path_bounds b, uint64_t truth)
{
	double off = b.hi ? fabs(b.est - (double)truth) / (double)b.hi : 0;

	y->checked++;
	y->violated += !b.bounded || truth < b.lo || truth > b.hi;
	y->exact += b.measured;
	y->outside += b.est < (double)b.lo * (1 - 1e-9) - 1e-9 ||
		      b.est > (double)b.hi * (1 + 1e-9) + 1e-9;
	if (off > y->worst)
		y->worst = off;
}

static void report(const struct tally *y, const char *what)
{
	is_u64(y->violated, 0, "%s: the truth of %" PRIu64 " is within the bounds", what,
	       y->checked);
	is_u64(y->outside, 0, "%s: so is the estimate", what);
	ok(y->exact > 0 && y->exact < y->checked,
	   "%s: %" PRIu64 " were exact, the worst estimate was off by %.0f %%", what,
	   y->exact, 100 * y->worst);
}

static void test_experiment(struct arena *a)
{
	static const struct tally zero;
	struct tally paths = zero, costs = zero, up = zero, down = zero;
	struct tree *t = malloc(sizeof(*t));
	uint64_t odd = 0, cycles = 0;

	for (uint32_t round = 0; round < 8000; round++) {
		struct graph g;
		const struct flow *fl;
		uint32_t n;

		grow_tree(t);
		g = profile_of(t, a);
		fl = flows_build(a, &g);
		find_entries(t, fl);
		n = t->functions;
		cycles += fl->vertices < n;
		for (uint32_t v = 0; v < fl->vertices; v++)
			odd += fl->odd[v];
		for (uint32_t k = 0; k < 3; k++) {
			struct path_query q = {.kind = (enum path_kind)k,
					       .k = 4,
					       .from = flows_set(a, n, 2),
					       .to = flows_set(a, n, 2)};
			struct path_list l = flows_find(fl, q, a);

			for (size_t i = 0; i < l.n; i++)
				check(&paths, flows_end(&l.paths[i]),
				      true_path(t, fl, &l.paths[i]));
		}
		for (uint32_t k = 0; k < 6; k++) {
			struct path_cost_query q = {
				.of = flows_set(a, n, 2),
				.under = flows_below(5) ? flows_set(a, n, 2) : NULL,
				.via = flows_below(3) ? NULL : flows_set(a, n, 2),
				.avoiding = flows_below(3) ? NULL : flows_set(a, n, 2),
			};

			check(&costs, flows_cost(fl, q, a), true_cost(t, fl, &q, a));
		}
		for (uint32_t k = 0; k < 2; k++) {
			struct path_tree_query q = {.set = flows_set(a, n, 2),
						    .up = k == 0,
						    .depth = 5,
						    .rows = 40};
			struct path_tree tree = {0};
			struct err err = {0};

			if (path_tree(fl, &q, a, NULL, &tree, &err))
				ok(false, "path_tree: %s", err.text);
			for (uint32_t i = 0; i < tree.n; i++)
				if (!tree.rows[i].recursive)
					check(q.up ? &up : &down, tree.rows[i].cost,
					      true_row(t, fl, &q, &tree, i));
		}
		arena_reset(a);
	}
	free(t);
	is_u64(odd, 0, "sums of real trees agree");
	ok(cycles > 500, "%" PRIu64 " of 8000 trees had cycles", cycles);
	report(&paths, "paths");
	report(&costs, "cost under");
	report(&up, "trees of callers");
	report(&down, "trees of callees");
}

int main(void)
{
	struct arena a;

	arena_init(&a, 256 << 20);
	test_experiment(&a);
	arena_free(&a);
	return done_testing();
}
