/*
 * fnset.h - a set of functions of one store: a bit per function.
 *
 * A set lives in the arena that it was made in.  Two sets can be combined only if they
 * are of the same store (the same `functions`).
 */
#ifndef QUERN_FNSET_H
#define QUERN_FNSET_H

#include <stdbool.h>
#include <stdint.h>

struct arena;

struct fn_set {
	uint64_t *bits;	    /* (functions + 63) / 64 words; bits past the end are 0 */
	uint32_t functions; /* of the store, not of the set */
};

#define FNSET_NONE UINT32_MAX

/* Make an empty set. */
struct fn_set *fnset_new(struct arena *a, uint32_t functions);
struct fn_set *fnset_copy(struct arena *a, const struct fn_set *s);
void fnset_add(struct fn_set *s, uint32_t fn);
void fnset_remove(struct fn_set *s, uint32_t fn);
void fnset_add_run(struct fn_set *s, uint32_t first, uint32_t n);
bool fnset_has(const struct fn_set *s, uint32_t fn);
uint32_t fnset_count(const struct fn_set *s);
/* The first member >= fn, or FNSET_NONE:
 *	for (f = fnset_next(s, 0); f != FNSET_NONE; f = fnset_next(s, f + 1)) */
uint32_t fnset_next(const struct fn_set *s, uint32_t fn);
/* Have both the same members?  NULL is equal to NULL alone. */
bool fnset_same(const struct fn_set *s, const struct fn_set *t);
/* Take over the members of t. */
void fnset_become(struct fn_set *s, const struct fn_set *t);
void fnset_and(struct fn_set *s, const struct fn_set *t);
void fnset_or(struct fn_set *s, const struct fn_set *t);
void fnset_not(struct fn_set *s);

#endif
