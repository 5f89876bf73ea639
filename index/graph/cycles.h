/*
 * cycles.h - strongly connected components of the call graph and a topological order.
 *
 * Tarjan's algorithm (SIAM J. Comput. 1(2), 1972), iterative, so that a call chain
 * as deep as the number of functions needs no stack.
 */
#ifndef QUERN_CYCLES_H
#define QUERN_CYCLES_H

#include <stddef.h>
#include <stdint.h>

struct cycles {
	uint32_t *component; /* per function; components are numbered callers first */
	uint32_t *topo;	 /* all functions, callers before callees, components together */
	size_t n;	 /* number of components */
	uint32_t *first; /* n + 1: the start of each component in topo */
};

/* The callees of f are callee[out_first[f] .. out_first[f + 1]).  Returns 0, or -1 if
 * memory is out. */
int cycles_find(size_t nfn, const uint32_t *out_first, const uint32_t *callee,
		struct cycles *out);
void cycles_free(struct cycles *c);

#endif
