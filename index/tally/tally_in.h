/* tally_in.h - internals shared by tally.c and tally_*.c. */
#ifndef QUERN_TALLY_IN_H
#define QUERN_TALLY_IN_H

#include <string.h>

#include "index/base/err.h"
#include "index/tally/tally_write.h"

#define NONE UINT32_MAX

static inline int tally_no_memory(struct err *err)
{
	return err_no_memory(err, "while tallying");
}

/* ---- diagnostics: line numbers are counted when they are needed ---- */
uint64_t tally_line_of(struct tally *t, const struct batch *b, const struct row *r);
int tally_add_odd(struct tally *t, enum odd kind, uint64_t line, struct str text,
		  struct err *err);
int tally_row_odd(struct tally *t, const struct batch *b, const struct row *r,
		  enum odd kind, struct err *err);

/* The line of a row, as text. */
struct str tally_row_line(const struct batch *b, const struct row *r);

/* ---- calls without calls= (tally_waits.c) ---- */
/* A cost line after a cfn= without calls=.  *waits: it is taken; else it is a cost line. */
int tally_wait(struct tally *t, const struct batch *b, const struct row *r, bool *waits,
	       struct err *err);
/* A part begins. */
void tally_begin_waits(struct tally *t);
/* The part has a calls=: lines that wait are cost lines. */
int tally_has_calls(struct tally *t, struct err *err);
/* End the current block, if any. */
void tally_leave(struct tally *t);
/* Begin the block of the current fn=.  0, or -1 if memory is out. */
int tally_enter_block(struct tally *t);
/* Rows from..to - 1 of a batch that tally_batch() will end. */
int tally_rows(struct tally *t, const struct batch *b, size_t from, size_t to,
	       struct err *err);
/* A cost line, or with PENDING_CALL the one of a call. */
int tally_row_cost(struct tally *t, const struct row *r, const uint64_t *cost,
		   struct err *err);

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
int tally_end_part(struct tally *t, enum tally_parts_of parts, bool last,
		   struct err *err);
/* Report a failed write of pieces or costs. */
int tally_not_spilled(const struct tally *t, struct err *err);

/* ---- entries ---- */
/* Whether n more bytes of entries fit. */
static inline bool tally_entry_room(const struct tally *t, uint64_t n)
{
	return !t->entries.room ||
	       t->entries.n * ENTRY_BYTES + t->entries.nval * sizeof(*t->entries.val) +
			       n <=
		       t->entries.room;
}

/* Equal entries have equal keys. */
struct tally_key {
	uint64_t instr, line;
	uint32_t file, kind_callee;
	const uint64_t *to; /* of a jump: 3 numbers */
};

static inline bool tally_same_entry(const struct tally *t, uint32_t i,
				    const struct tally_key *k)
{
	const struct entry *e = &t->entries.at[i];

	if (e->instr != k->instr || e->line != k->line || e->file != k->file ||
	    e->kind_callee != k->kind_callee)
		return false;
	return !k->to ||
	       memcmp(t->entries.val + e->val, k->to, 3 * sizeof(uint64_t)) == 0;
}

/* The entry after the current one is not the predicted one: find or add it.  0 if memory
 * is out, or with pieces.open if there is no room. */
uint32_t tally_other_entry(struct tally *t, const struct tally_key *k);

/* Make the entry with key k current.  0 if memory is out, or with pieces.open if the line
 * is to be packed. */
static inline uint32_t tally_entry_at(struct tally *t, const struct tally_key *k)
{
	uint32_t i = t->entries.at[t->now.entry].next;

	if (__builtin_expect(!i || !tally_same_entry(t, i, k), 0))
		i = tally_other_entry(t, k);
	if (__builtin_expect(i != 0, 1))
		t->now.entry = i;
	return i;
}

/* Make entries of f's last piece, in order; *last: the last of them. */
int tally_unpack_piece(struct tally *t, uint32_t f, uint32_t *last);
/* Whether the lines of a piece of `bytes` fit as entries. */
bool tally_piece_has_room(const struct tally *t, uint64_t bytes);
/* Whether f's last piece has hardly any repeated lines: few of them are at or before
 * the line before. */
bool tally_all_different(struct tally *t, uint32_t f);

/* Make room in self and edge_sum for all functions and edges.  Returns 0, or -1 if
 * memory is out. */
int tally_room_for_sums(struct tally *t);

/* Pack all entries as pieces, between parts.  Returns 0, or -1 if memory is out. */
int tally_pack(struct tally *t);
/* Free everything that only tallying needs. */
void tally_trim(struct tally *t);

/* A LINE_KEY: a header line. */
int tally_row_key(struct tally *t, const struct batch *b, const struct row *r,
		  struct err *err);

#endif
