/*
 * tally_in.h - the inside of the tally, for tally.c and tally_*.c.
 */
#ifndef QUERN_TALLY_IN_H
#define QUERN_TALLY_IN_H

#include "index/tally/tally.h"

#define NONE UINT32_MAX

int tally_no_memory(struct err *err);

/* ---- diagnostics: line numbers are counted when they are needed ---- */
uint64_t tally_line_of(struct tally *t, const struct batch *b, const struct row *r);
int tally_add_odd(struct tally *t, enum odd kind, uint64_t line, struct str text,
		  struct err *err);
int tally_row_odd(struct tally *t, const struct batch *b, const struct row *r,
		  enum odd kind, struct err *err);

/* Of what a function or an edge is found by. */
static inline uint32_t tally_hash(uint64_t a, uint64_t b, uint64_t c)
{
	return (uint32_t)hash_mix(a + b * 0x9e3779b97f4a7c15 + hash_mix(c));
}

/* ---- parts ---- */
/* Calls and E costs in this part of an edge, to be added to, and its slot; NULL when memory is
 * out. */
uint64_t *tally_edge_numbers(struct tally *t, uint32_t caller, uint32_t callee,
			     uint32_t *edge);
/* The part ends, maybe the last: its sums are encoded (part_code.h) and join the totals.  No
 * block is open. */
int tally_end_part(struct tally *t, bool encode, bool last, struct err *err);

/* ---- entries ---- */
/* True when there is room for n more bytes of entries. */
static inline bool tally_entry_room(const struct tally *t, uint64_t n)
{
	return !t->entry_room ||
	       t->nentry * ENTRY_BYTES + t->nval * sizeof(*t->val) + n <= t->entry_room;
}

/* Make room in self and edge_sum for the functions and edges there are.  0, or -1 when memory
 * is out. */
int tally_room_for_sums(struct tally *t);

/* All entries become pieces; there are none then.  Between parts.  0, or -1 when memory is
 * out. */
int tally_pack(struct tally *t);
/* Give back what only tallying needs. */
void tally_trim(struct tally *t);

/* A ROW_KEY: a line of the header. */
int tally_row_key(struct tally *t, const struct batch *b, const struct row *r,
		  struct err *err);

#endif
