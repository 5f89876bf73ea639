/* stacks_test.c - what calls bring and take, against a walk up from each vertex. */
#include "index/graph/stacks.h"

#include "index/base/arena.h"
#include "tests/support/dice.h"
#include "tests/support/tap.h"

enum { MOST = 40, FUNCTIONS = 4, DEEP = 1000000 };

static struct arena a;

/* Vertices with their callers before them, roots first. */
struct forest {
	uint32_t n, *parent, *fn; /* parent: 1 + the caller, 0 of a root */
	int64_t *incl;
};

static void plant(struct forest *t, uint32_t n, struct stacks *s)
{
	*t = (struct forest){.n = n,
			     .parent = ARENA_ARRAY(&a, uint32_t, n),
			     .fn = ARENA_ARRAY(&a, uint32_t, n),
			     .incl = ARENA_ARRAY(&a, int64_t, n)};
	*s = (struct stacks){
		.n = n, .functions = FUNCTIONS, .fn = t->fn, .incl = t->incl};
}

static void random_forest(struct forest *t, struct stacks *s)
{
	plant(t, 1 + (uint32_t)(dice_u64() % MOST), s);
	for (uint32_t v = 0; v < t->n; v++) {
		const uint32_t least = v ? t->parent[v - 1] : 0;

		t->parent[v] = least + (uint32_t)(dice_u64() % (v + 1 - least) % 3);
		t->fn[v] = (uint32_t)(dice_u64() % FUNCTIONS);
		t->incl[v] = 1 + (int64_t)(dice_u64() % 1000);
	}
	stacks_link(s, t->parent, &a);
}

/* The activation that v is part of: v, or that of the caller where that is the same function. */
static uint32_t activation(const struct forest *t, uint32_t v)
{
	while (t->parent[v] && t->fn[t->parent[v] - 1] == t->fn[v])
		v = t->parent[v] - 1;
	return v;
}

/* The activation of the same function above the one that v is part of; UINT32_MAX: none. */
static uint32_t outer(const struct forest *t, uint32_t v)
{
	for (uint32_t x = activation(t, v); t->parent[x];) {
		x = t->parent[x] - 1;
		if (t->fn[x] == t->fn[v])
			return activation(t, x);
	}
	return UINT32_MAX;
}

static const char *wrong(const struct forest *t, const int64_t *up, const int64_t *down)
{
	int64_t brings[MOST] = {0};

	for (uint32_t v = 0; v < t->n; v++) {
		const bool by_itself = activation(t, v) != v;
		const bool takes = t->parent[v] && !by_itself &&
				   outer(t, t->parent[v] - 1) == UINT32_MAX;

		if (down[v] != (takes ? t->incl[v] : 0))
			return "what a call takes";
		if (by_itself)
			continue;
		brings[v] += t->incl[v];
		if (outer(t, v) != UINT32_MAX)
			brings[outer(t, v)] -= t->incl[v];
	}
	return memcmp(brings, up, t->n * sizeof(*up)) ? "what a call brings" : NULL;
}

static void test_random(void)
{
	const char *what = NULL;

	for (int round = 0; round < 2000 && !what; round++) {
		struct forest t;
		struct stacks s;

		arena_reset(&a);
		random_forest(&t, &s);
		int64_t *up = ARENA_ARRAY(&a, int64_t, t.n);
		int64_t *down = ARENA_ARRAY(&a, int64_t, t.n);
		if (stacks_shares(&s, up, down, &a, NULL, NULL))
			what = "no memory";
		else
			what = wrong(&t, up, down);
	}
	ok(!what, "random forests: %s", what ? what : "as a walk up says");
}

/* f calls h, and each h calls f and the next h: a walk up from each f would be a quarter of a
 * trillion steps. */
static void test_deep(void)
{
	struct forest t;
	struct stacks s;
	int64_t inner = 0;

	arena_reset(&a);
	plant(&t, DEEP, &s);
	for (uint32_t v = 0; v < t.n; v++) {
		t.parent[v] = v < 2 ? v : v - v % 2;
		t.fn[v] = v % 2;
		t.incl[v] = t.n - v;
		if (v && v % 2 == 0)
			inner += t.incl[v];
	}
	stacks_link(&s, t.parent, &a);
	int64_t *up = ARENA_ARRAY(&a, int64_t, t.n),
		*down = ARENA_ARRAY(&a, int64_t, t.n);
	ok(!stacks_shares(&s, up, down, &a, NULL, NULL) && up[0] == t.incl[0] - inner,
	   "a million deep");
}

int main(void)
{
	arena_init(&a, 0);
	test_random();
	test_deep();
	arena_free(&a);
	return done_testing();
}
