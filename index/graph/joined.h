/*
 * joined.h - the calls of functions whose contexts are joined (name_contexts.h).
 *
 * f, f'2 and f'2'g are recorded apart, and are one group: the function f.  What a list of
 * functions says of a group does not follow from its members alone: it may be in a cycle
 * that none of them is in, and its inclusive cost counts each cost once.  The engine joins
 * the calls when somebody asks for them; this is made with the index, so that a list of
 * functions need not wait for that.
 */
#ifndef QUERN_JOINED_H
#define QUERN_JOINED_H

#include <stdbool.h>
#include <stdint.h>

/* Costs of one event. */
struct joined_costs {
	const void *of;
	int64_t (*self)(const void *of, uint32_t f);
	int64_t (*edge)(const void *of, uint32_t i); /* inclusive */
	int64_t (*incl)(const void *of, uint32_t f);
};

struct joined {
	/* Borrowed: the recorded functions, their calls, and the groups that they are in. */
	uint32_t functions, groups;
	const uint32_t *out_first, *callee; /* edges of f: out_first[f] .. [f + 1] */
	const uint32_t *of;		    /* [functions]: the group */
	const uint32_t *first, *fn; /* members of g: fn[first[g]] .. [first[g + 1]] */
	const uint8_t
		*again; /* [functions]: only entered while a member of its group is on
				 the stack: a higher level of recursion */
	const uint8_t *nests; /* [functions]: may be on the stack twice (inclusive.h) */
	bool levels;	      /* levels in names are those of all functions */
	/* Made by joined_find(); free them with joined_free(). */
	uint32_t edges, cycles;
	uint32_t *cycle; /* [groups]: 0, or its cycle from 1 */
	uint32_t
		*known; /* [groups]: 1: joined_incl() has its inclusive cost, to the unit;
			    0: it has one member, and that's is its own, or calls must be
			    followed */
};

/* Cycles are numbered by their inclusive cost of this event, descending; costs NULL: there is
 * none.  Returns 0, or -1 if memory is out. */
int joined_find(struct joined *j, const struct joined_costs *costs);
void joined_free(struct joined *j);
/* The inclusive cost of a group with known[g]. */
int64_t joined_incl(const struct joined *j, uint32_t g, const struct joined_costs *costs);

#endif
