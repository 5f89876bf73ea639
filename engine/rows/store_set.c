/* store_set.c - sets of functions, of a graph and of its store; see store_set.h. */
#include "engine/rows/store_set.h"

#include "engine/graph/graph.h"
#include "engine/graph/graph_stage.h"
#include "engine/names/fnset.h"
#include "engine/rows/exec.h"
#include "index/base/arena.h"
#include "index/base/err.h"

struct fn_set *exec_new_set(struct exec *x, uint32_t functions)
{
	struct fn_set *s = fnset_new(x->a, functions);

	if (!s)
		arena_full(x->a, x->err);
	return s;
}

/* Add the vertices of functions of the store.  A function has one vertex, or one for each
 * of its contexts. */
static void add_vertices(const struct graph *g, const struct fn_set *of_store,
			 struct fn_set *s)
{
	const uint32_t *fn = g->contexts ? graph_context_functions(g) : NULL;

	for (uint32_t c = 0; c < g->contexts; c++)
		if (g->map[c] != GRAPH_NONE && fnset_has(of_store, fn[c]))
			fnset_add(s, g->map[c]);
	for (uint32_t f = g->contexts ? FNSET_NONE : fnset_next(of_store, 0);
	     f != FNSET_NONE; f = fnset_next(of_store, f + 1))
		if (g->map[f] != GRAPH_NONE)
			fnset_add(s, g->map[f]);
}

void exec_set_to_store(struct exec *x, const struct fn_set *set, struct fn_set **out)
{
	const struct graph *g = x->g;
	const uint32_t *fn = g->contexts ? graph_context_functions(g) : NULL;
	const uint32_t n = store_info(g->st)->functions;

	*out = exec_new_set(x, n);
	for (uint32_t i = 0; i < (fn ? g->contexts : n); i++) {
		const uint32_t here = graph_of_store(g, i);

		if (here != GRAPH_NONE && fnset_has(set, here))
			fnset_add(*out, fn ? fn[i] : i);
	}
}

void exec_set_of_store(struct exec *x, const struct fn_set *of_store, struct fn_set **out)
{
	struct fn_set *s;

	if (x->g->plain) {
		*out = fnset_copy(x->a, of_store);
		return;
	}
	s = exec_new_set(x, x->g->functions);
	add_vertices(x->g, of_store, s);
	*out = s;
}
