/*
 * copy_sites.h - copy the call sites and jumps of a piece to the index.
 *
 * The bytes after the positions are the same in both, but for jumps to another function
 * or file.  Call sites and jumps are few compared with cost lines, so they are kept as
 * pointers into the piece, ordered, equal ones added, and copied at the end.
 */
#ifndef QUERN_COPY_SITES_H
#define QUERN_COPY_SITES_H

#include "index/detail/copy_in.h"
#include "index/detail/edge_uses.h"

/* A call site or a jump. */
struct copy_site {
	uint64_t instr, line;
	uint32_t file;
	uint32_t what; /* as detail_row.edge */
	bool alone;    /* as in detail_row */
	/* The n bytes after it in the index; NULL: they are at copy_sites.sums + at. */
	const unsigned char *rest;
	size_t n, at;
};

struct site_list {
	struct copy_site *site;
	size_t n, cap;
	bool ordered; /* and no two equal, so far */
};

struct copy_sites {
	struct detail_shape shape; /* COPY_EVENTS at most */
	struct site_list of[DETAIL_KINDS];
	/* Numbers of rows that are not in the piece as the index has them. */
	struct bytes sums;
	/* scratch, to order them */
	struct copy_site *sorted;
	struct detail_key *key, *spare;
	size_t sorted_cap, key_cap, spare_cap;
	struct edge_uses uses;
	bool full; /* a sum did not fit */
};

void copy_sites_init(struct copy_sites *c, struct detail_shape shape);
void copy_sites_free(struct copy_sites *c);
void copy_sites_clear(struct copy_sites *c);

/* Take the row at *in, whose tag was read; it must stay in memory.  *at is the row
 * before, and becomes this one. */
enum copied copy_sites_take(struct copy_sites *c, struct varint_reader *in, uint64_t tag,
			    struct copy_place *at, const struct copy_of *of);
/* Order the rows of a kind and add equal ones, after the last one was taken; call sites
 * learn whether they are alone. */
enum copied copy_sites_order(struct copy_sites *c, enum detail_kind kind);
/* Append *n rows to b, as detail_encode() would.  0, or -1 when memory is out. */
int copy_sites_encode(const struct copy_sites *c, enum detail_kind kind, struct bytes *b,
		      uint64_t *n);

#endif
