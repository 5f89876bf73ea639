/*
 * copy_sites.h - copy the call sites and jumps of a piece to the index.
 *
 * The bytes after the positions are the same in both, but for jumps to another function or file.  Call
 * sites and jumps are few compared with cost lines, so they are kept as pointers into the piece,
 * ordered, equal ones added, and copied at the end.
 */
#ifndef QUERN_COPY_SITES_H
#define QUERN_COPY_SITES_H

#include "index/detail/copy_in.h"

/* A call site or a jump. */
struct copy_ref {
	uint64_t instr, line;
	uint32_t file;
	uint32_t what; /* as detail_row.edge */
	/* The n bytes after it in the index; NULL: they are at copied_refs.sums + at. */
	const unsigned char *rest;
	size_t n, at;
};

struct copy_refs {
	struct copy_ref *ref;
	size_t n, cap;
	bool ordered; /* and no two equal, so far */
};

struct copied_refs {
	struct detail_shape shape; /* COPY_EVENTS at most */
	struct copy_refs of[DETAIL_KINDS];
	struct bytes
		sums; /* numbers of rows that are not in the piece as the index has them */
	/* scratch, to order them */
	struct copy_ref *sorted;
	struct detail_key *key, *spare;
	size_t sorted_cap, key_cap, spare_cap;
	bool full; /* a sum did not fit */
};

void copied_refs_init(struct copied_refs *c, struct detail_shape shape);
void copied_refs_free(struct copied_refs *c);
void copied_refs_clear(struct copied_refs *c);

/* Take the row at *in, whose tag was read; it must stay in memory.  *at is the row before, and becomes
 * this one. */
enum copy copy_ref(struct copied_refs *c, struct varint_reader *in, uint64_t tag,
		   struct copy_place *at, const struct copy_of *of);
/* Order the rows of a kind and add equal ones, after the last one was taken. */
enum copy copied_refs_order(struct copied_refs *c, enum detail_kind kind);
/* Append *n rows to b, as detail_encode() would.  0, or -1 when memory is out. */
int copied_refs_encode(const struct copied_refs *c, enum detail_kind kind,
		       struct bytes *b, uint64_t *n);

#endif
