/* refuse.h - report files that are no set of profiles. */
#ifndef QUERN_REFUSE_H
#define QUERN_REFUSE_H

#include "index/read/input.h"
#include "index/merge/profile.h"

struct store;

/* Check that the files are of one program, that none of them is the same dump twice, and
 * that no two tools counted the same. */
int refuse_set(const struct inputs *in, const struct profile *p, struct err *err);
/* Refuse a set that need not be read, since its index is up to date: that may have
 * been made with --merge. */
int refuse_indexed(struct inputs *in, struct store *st, struct err *err);

#endif
