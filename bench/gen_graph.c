/*
 * gen_graph.c - who calls whom; see gen.h.
 *
 * Calls go from a function to functions of higher number.
 */
#include "bench/gen.h"

#include <string.h>

enum { NEAR = 8 }; /* calls reach that many functions a step */

/* The j-th callee of f, or 0 (which nobody calls) when there is none: two children of a
 * tree that reaches everybody, then neighbours, some far and some that many call. */
static uint64_t pick_callee(const struct gen *g, uint64_t f, uint64_t j)
{
	uint64_t n = g->s.functions, r, to;

	if (f + 1 >= n)
		return 0;
	if (j < 2 && 2 * f + 1 + j < n)
		return 2 * f + 1 + j;
	r = mix(g->s.seed ^ (f * 64 + j) << 8);
	to = f + 1 + j * NEAR + (r >> 8) % NEAR;
	if ((r & 3) == 0)
		to = n - 1 - (r >> 8) % (n / 100 + 1);
	if ((r & 3) == 1 || to <= f || to >= n)
		to = f + 1 + (r >> 8) % (n - f - 1);
	return to;
}

void make_graph(struct gen *g)
{
	for (uint64_t f = 0; f < g->s.functions; f++) {
		uint32_t *to = g->callee + f * g->s.edges;

		for (uint64_t j = 0; j < g->s.edges; j++) {
			to[j] = (uint32_t)pick_callee(g, f, j);
			for (uint64_t i = 0; i < j; i++)
				if (to[i] == to[j])
					to[j] = 0;
		}
	}
}

void count_callers(struct gen *g)
{
	memset(g->callers + g->first, 0, (g->end - g->first) * sizeof(*g->callers));
	for (uint64_t f = g->first; f < g->end; f++)
		for (uint64_t j = 0; j < g->s.edges; j++) {
			uint64_t to = callee(g, f, j);

			if (to)
				g->callers[to]++;
		}
}
