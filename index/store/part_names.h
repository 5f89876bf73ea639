/*
 * part_names.h - the meaning of "(12) name" ids at the start of a part.
 *
 * Ids hold for the rest of the file (PROFILE.md section 5), so a part in the middle
 * cannot be read without the definitions of the parts before it.  The index keeps them
 * part by part:
 *
 *	1 if the ids restart with the part (also with each file of a set), else 0
 *	then for objects, files, functions: definitions, each zz(id) string
 *
 * zz(x) is the zigzag difference to the one before; strings are numbers of the index.
 */
#ifndef QUERN_PART_NAMES_H
#define QUERN_PART_NAMES_H

#include "index/base/varint.h"
#include "index/tally/names.h"
#include "index/format/parts.h"

struct err;
struct store;

/* Open a part's bytes at the 1 or 0.  Returns 0 or an error kind. */
int part_names_open(struct store *st, uint32_t part, struct varint_reader *in,
		    struct err *err);
/* Set the error for invalid definitions in the index. */
int part_names_damaged(struct store *st, struct err *err);
/* Add the definitions of the part to names; NULL: only check that they can be read. */
int part_names_load(struct store *st, uint32_t part, struct names names[SPACES],
		    struct err *err);
/* *anew: the ids restart with the part ("NEW PROFILING FILE"). */
int part_names_anew(struct store *st, uint32_t part, bool *anew, struct err *err);

#endif
