/*
 * strset.h - strings, each once, numbered from 0 in the order in which they are added.
 *
 * A set that is all zeros is empty.
 */
#ifndef QUERN_BASE_STRSET_H
#define QUERN_BASE_STRSET_H

#include "index/base/arena.h"
#include "index/base/hash.h"
#include "index/base/str.h"

struct strset {
	struct str *at; /* [n] */
	size_t n, cap;
	struct hash by;
	struct arena copies;
};

/* The number of s, which is added if it is new; HASH_NONE: memory is out.  strset_add()
 * keeps the view, whose bytes the caller owns; strset_copy() keeps a copy. */
uint32_t strset_add(struct strset *t, struct str s);
uint32_t strset_copy(struct strset *t, struct str s);
/* Make room for n strings in all.  Returns 0, or -1 if memory is out. */
int strset_expect(struct strset *t, size_t n);
void strset_free(struct strset *t);

#endif
