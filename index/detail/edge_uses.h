/*
 * edge_uses.h - which edges of a function have one call site only.
 *
 * Such a site has the calls and costs of its edge, so the index leaves them out
 * (detail_code.h).  Begin, add the edge of each site, and ask.
 */
#ifndef QUERN_EDGE_USES_H
#define QUERN_EDGE_USES_H

#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "index/base/vec.h"

struct edge_uses {
	uint32_t *sites; /* per edge; base + 1: one site, base + 2: several, less: none */
	size_t cap;
	uint32_t base; /* numbers up to it are of functions before */
};

/* Another function follows. */
static inline void edge_uses_begin(struct edge_uses *u)
{
	if (u->base >= UINT32_MAX - 4) {
		memset(u->sites, 0, u->cap * sizeof(*u->sites));
		u->base = 0;
	}
	u->base += 2;
}

static inline int edge_uses_add(struct edge_uses *u, uint32_t edge)
{
	if (vec_reserve(&u->sites, &u->cap, (size_t)edge + 1, sizeof(*u->sites)))
		return -1;
	u->sites[edge] = u->base + 1 + (u->sites[edge] > u->base);
	return 0;
}

/* Whether an edge that was added was added once. */
static inline bool edge_uses_once(const struct edge_uses *u, uint32_t edge)
{
	return u->sites[edge] == u->base + 1;
}

static inline void edge_uses_free(struct edge_uses *u)
{
	free(u->sites);
	*u = (struct edge_uses){0};
}

#endif
