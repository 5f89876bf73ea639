/*
 * copy_refs.h - the call sites and jumps of a piece, copied to the index.
 *
 * What stands behind their positions is the same in both.  They are few beside cost lines, so
 * where each is is noted, and they are copied in their order; those of one place that are equal
 * are added.
 */
#ifndef QUERN_COPY_REFS_H
#define QUERN_COPY_REFS_H

#include "index/detail/copy_code.h"

/* A call site or a jump. */
struct copy_ref {
	uint64_t instr, line;
	uint32_t file;
	uint32_t what; /* as detail_row.edge */
	/* The n bytes behind that; NULL: they are in copied.sums, from `at` on. */
	const unsigned char *rest;
	size_t n, at;
};

struct copy_refs {
	struct copy_ref *ref;
	size_t n, cap;
	bool ordered; /* and different, so far */
};

struct copied_refs {
	struct detail_shape shape; /* COPY_EVENTS at most */
	struct copy_refs of[DETAIL_KINDS];
	struct bytes sums; /* of rows that are added */
	/* scratch, to order them */
	struct copy_ref *sorted;
	struct detail_key *key, *spare;
	size_t sorted_cap, key_cap, spare_cap;
	bool full; /* a sum did not fit */
};

void copied_refs_init(struct copied_refs *c, struct detail_shape shape);
void copied_refs_free(struct copied_refs *c);
void copied_refs_clear(struct copied_refs *c);

/* The row of that tag at *in, which stays; *at is that of the row before, and then its own. */
enum copy copy_ref(struct copied_refs *c, struct varint_reader *in, uint64_t tag,
		   struct copy_place *at, const struct copy_of *of);
/* All of a kind are there. */
enum copy copied_refs_order(struct copied_refs *c, enum detail_kind kind);
/* As detail_encode(); *n rows. */
int copied_refs_encode(const struct copied_refs *c, enum detail_kind kind,
		       struct bytes *b, uint64_t *n);

#endif
