/*
 * part_names.h - what the ids of "(12) name" mean where a part begins.
 *
 * Ids hold for the rest of the file (PROFILE.md section 5), so a part in the middle cannot be
 * read without the definitions of the parts before it.  The index keeps them part by part:
 *
 *	1 when the ids begin anew with the part (also with each file of a set), else 0
 *	then for objects, files, functions: definitions, each zz(id) string
 *
 * zz(x) is the zigzag difference to the one before; strings are numbers of the index.
 */
#ifndef QUERN_PART_NAMES_H
#define QUERN_PART_NAMES_H

#include <stdatomic.h>

#include "index/base/err.h"
#include "index/profile.h"
#include "index/store.h"
#include "index/store_write.h"

/* The definitions of every part of p, which has several. */
int part_names_save(const struct profile *p, struct store_writer *w,
		    const atomic_int *cancel, struct err *err);
/* Let names know what the text of the part defined; NULL: only see that it can be read. */
int part_names_load(struct store *st, uint32_t part, struct names names[SPACES],
		    struct err *err);
/* Ids defined before the part mean nothing in it ("NEW PROFILING FILE"). */
int part_names_anew(struct store *st, uint32_t part, bool *anew, struct err *err);

#endif
