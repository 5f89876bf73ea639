/* tally_in.h - internals shared by tally.c and tally_*.c. */
#ifndef QUERN_TALLY_IN_H
#define QUERN_TALLY_IN_H

#include "index/tally/tally.h"

#define NONE UINT32_MAX

/* ---- diagnostics: line numbers are counted when they are needed ---- */
uint64_t tally_line_of(struct tally *t, const struct batch *b, const struct row *r);
int tally_add_odd(struct tally *t, enum odd kind, uint64_t line, struct str text,
		  struct err *err);
int tally_row_odd(struct tally *t, const struct batch *b, const struct row *r,
		  enum odd kind, struct err *err);

/* A hash for functions and edges. */
static inline uint32_t tally_hash(uint64_t a, uint64_t b, uint64_t c)
{
	return (uint32_t)hash_mix(a + b * 0x9e3779b97f4a7c15 + hash_mix(c));
}

/* ---- parts ---- */
/* The edge's slot, and its calls and E costs in this part, to add to; NULL if memory
 * is out. */
uint64_t *tally_edge_numbers(struct tally *t, uint32_t caller, uint32_t callee,
			     uint32_t *edge);
/* End the part: encode its sums (part_code.h) and add them to the totals.  No block
 * may be open. last: no part follows. */
int tally_end_part(struct tally *t, bool encode, bool last, struct err *err);

/* ---- entries ---- */
/* Whether n more bytes of entries fit. */
static inline bool tally_entry_room(const struct tally *t, uint64_t n)
{
	return !t->entry_room ||
	       t->nentry * ENTRY_BYTES + t->nval * sizeof(*t->val) + n <= t->entry_room;
}

/* Make room in self and edge_sum for all functions and edges.  Returns 0, or -1 if
 * memory is out. */
int tally_room_for_sums(struct tally *t);

/* Pack all entries as pieces, between parts.  Returns 0, or -1 if memory is out. */
int tally_pack(struct tally *t);
/* Free everything that only tallying needs. */
void tally_trim(struct tally *t);

/* A ROW_KEY: a header line. */
int tally_row_key(struct tally *t, const struct batch *b, const struct row *r,
		  struct err *err);

#endif
