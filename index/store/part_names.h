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

#include "index/base/err.h"
#include "index/base/varint.h"
#include "index/tally/names.h"
#include "index/format/parts.h"
#include "index/store/store.h"

/* What the index says of the part: from 1 or 0 on.  0, or an error kind. */
int part_names_open(struct store *st, uint32_t part, struct varint_reader *in,
		    struct err *err);
/* The error of an index whose definitions cannot be. */
int part_names_damaged(struct store *st, struct err *err);
/* Let names know what the text of the part defined; NULL: only see that it can be read. */
int part_names_load(struct store *st, uint32_t part, struct names names[SPACES],
		    struct err *err);
/* Ids defined before the part mean nothing in it ("NEW PROFILING FILE"). */
int part_names_anew(struct store *st, uint32_t part, bool *anew, struct err *err);

#endif
