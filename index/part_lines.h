/*
 * part_lines.h - the cost lines, call sites and jumps of some parts, and their call tree.
 *
 * The index has these of the whole profile only (FORMAT.md).  Those of single parts
 * are read from the profile again: the index stores where the text of each part is, and
 * the state in which it begins.  Rows are like those of store_lines(), store_calls() and
 * so on: in the store's ids, in the same order, equal ones added, so the parts sum to the
 * whole.
 */
#ifndef QUERN_PART_LINES_H
#define QUERN_PART_LINES_H

#include "index/store/store.h"

struct blocks_forward;
struct part_lines;
struct run_span;

/* Called every few MiB; non-zero (with err set) stops the reading. */
typedef int part_lines_poll(void *arg, struct err *err);

/* Blocks of a part, from..to, each of which is an activation (each_activation.h). */
struct part_blocks {
	uint32_t part;
	uint64_t from, to;
};

struct part_lines_opts {
	part_lines_poll *poll; /* may be NULL */
	void *arg;
	const struct part_blocks *blocks; /* only these, ascending; NULL: all */
	size_t nblocks;
	/* Only what lies in a span of each part, by blocks that are read forwards; or NULL. */
	const struct run_span *span;
	const struct blocks_forward *forward;
	uint64_t most;	/* bytes that calls may take then */
	size_t at_once; /* bytes of a plain file read at once; 0: the default (tests) */
};

/*
 * Read the parts whose byte in parts[] is not 0.  ERR_PROFILE: the profile is gone or has
 * changed.  Memory grows with the number of distinct lines, not with the text.  st must
 * outlive the result.
 */
int part_lines_read(struct store *st, const uint8_t *parts,
		    const struct part_lines_opts *opts, struct part_lines **out,
		    struct err *err);
void part_lines_free(struct part_lines *p); /* p may be NULL */

int part_lines(struct part_lines *p, fn_id f, struct arena *a, struct store_line **rows,
	       int64_t **costs, size_t *n, struct err *err);
/* With the names of inlined functions, as store_inlined_lines(). */
int part_inlined_lines(struct part_lines *p, fn_id f, struct arena *a,
		       struct store_line **rows, int64_t **costs, size_t *n,
		       struct err *err);
int part_sites(struct part_lines *p, fn_id f, struct arena *a, struct store_site **rows,
	       int64_t **costs, size_t *n, struct err *err);
int part_jumps(struct part_lines *p, fn_id f, struct arena *a, struct store_jump **rows,
	       size_t *n, struct err *err);

/* The call tree of the parts, in the order of an index (store.h, contexts). */
struct part_contexts {
	uint32_t n;		/* 0: the parts have no call tree */
	const uint32_t *parent; /* 1 + the caller; 0: a root */
	const uint32_t *fn;
	const uint64_t *calls;
	const int64_t *self; /* events per context */
};
/* They live as long as p.  most: bytes that may be taken; ERR_LIMIT. */
int part_contexts(struct part_lines *p, uint64_t most, struct part_contexts *out,
		  struct err *err);

#endif
