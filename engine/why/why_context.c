/*
 * why_context.c - the stack on which most of a cause is, where both profiles know their
 * stacks; see why.h.
 *
 * A stack is the same on both sides if its functions are, from the root on: its key is a hash
 * of them.
 *
 *	base: main -> list -> find 10		here: main -> list -> find 10
 *						      main -> page -> find 90: it
 */
#include "engine/why/why_in.h"

#include <math.h>
#include <stdlib.h>

#include "engine/graph/graph_stage.h"
#include "engine/rows/exec.h"
#include "index/base/arena.h"
#include "index/base/err_struct.h"
#include "index/base/need.h"
#include "index/base/order.h"
#include "index/graph/stacks.h"

struct why_stacks {
	struct stacks of[SIDES];
	uint64_t *key[SIDES];
};

/* A stack of a cause on one side. */
struct share {
	uint64_t key;
	unsigned side;
	uint32_t stack;
	double cost; /* of the base: negative */
};

static void name_stacks(struct why *w, unsigned side, struct why_stacks *s)
{
	const struct stacks *of = &s->of[side];
	uint64_t *key = EXEC_ARRAY(w->run[HERE], uint64_t, (size_t)of->n + 1);

	for (uint32_t v = 0; v < of->n; v++)
		key[v] = hash_mix((of->caller[v] == UINT32_MAX ? 0 : key[of->caller[v]]) *
					  31 +
				  w->same[side][of->fn[v]] + 1);
	s->key[side] = key;
}

void why_stacks(struct why *w)
{
	struct exec *x = w->run[HERE];
	struct why_stacks *s = EXEC_ARRAY(x, struct why_stacks, 1);
	bool known = true;

	for (unsigned k = 0; k < SIDES && known; k++) {
		graph_stacks((struct graph *)(uintptr_t)w->g[k], w->event[k], x->a,
			     &s->of[k], &known);
		if (known)
			name_stacks(w, k, s);
	}
	w->stacks = known ? s : NULL;
}

/* Is the last call, or the last function, of stack v what c is about? */
static bool is_of(const struct why *w, unsigned side, const struct stacks *s, uint32_t v,
		  const struct why_cause *c)
{
	const uint32_t to = c->callee != WHY_NONE ? w->fn[side][c->callee] : WHY_NONE;
	const uint32_t fn = w->fn[side][c->fn];

	if (c->callee == WHY_NONE)
		return s->fn[v] == fn;
	return s->fn[v] == to && s->caller[v] != UINT32_MAX && s->fn[s->caller[v]] == fn;
}

static int by_key(const void *pa, const void *pb)
{
	const struct share *a = pa, *b = pb;
	const int c = order_u64(a->key, b->key);

	return c ? c : order_u64(a->side, b->side);
}

static void list_shares(struct why *w, const struct why_cause *c, struct share **out,
			size_t *n)
{
	struct exec *x = w->run[HERE];
	size_t cap = 0;

	*out = NULL;
	for (unsigned k = 0; k < SIDES; k++) {
		const struct stacks *s = &w->stacks->of[k];

		for (uint32_t v = 0; v < s->n; v++) {
			if (!is_of(w, k, s, v, c))
				continue;
			exec_grow(x, out, &cap, *n, *n + 1, sizeof(**out));
			(*out)[(*n)++] = (struct share){
				w->stacks->key[k][v], k, v,
				(k == HERE ? 1 : -1) * (double)(c->callee == WHY_NONE
									? s->self[v]
									: s->incl[v])};
		}
	}
	if (*n)
		qsort(*out, *n, sizeof(**out), by_key);
	exec_poll(x);
}

/* "main -> page -> find", from the root to the caller, or the function itself. */
static struct str text_of(struct why *w, const struct share *of, bool call)
{
	const struct stacks *s = &w->stacks->of[of->side];
	struct arena *a = w->run[HERE]->a;
	struct str text = STR("");

	for (uint32_t v = call ? s->caller[of->stack] : of->stack; v != UINT32_MAX;
	     v = s->caller[v])
		text = arena_printf(
			a, "%.*s%s%.*s",
			STR_ARG(graph_short_name(w->g[of->side], s->fn[v], a)),
			text.n ? " -> " : "", STR_ARG(text));
	return text;
}

void why_context(struct why *w, const struct why_cause *c, struct str *out)
{
	struct share *at, *best = NULL;
	size_t n = 0;

	*out = STR("");
	if (!w->stacks || c->fn == w->root)
		return;
	list_shares(w, c, &at, &n);
	for (size_t i = 0, k; i < n; i = k) {
		for (k = i + 1; k < n && at[k].key == at[i].key; k++)
			at[i].cost += at[k].cost;
		at[i].stack = at[k - 1].stack;
		at[i].side = at[k - 1].side;
		if (!best || at[i].cost * c->cost > best->cost * c->cost)
			best = &at[i];
	}
	if (best)
		*out = text_of(w, best, c->callee != WHY_NONE);
	if (!out->p)
		need_memory(w->run[HERE]->a);
}
