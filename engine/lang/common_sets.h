/*
 * common_sets.h - sets that every query may use without a definition: $alloc, $locks ...
 *
 * A value of the same name that a user gives wins.
 */
#ifndef QUERN_COMMON_SETS_H
#define QUERN_COMMON_SETS_H

#include "engine/lang/parse.h"

struct common_set {
	struct parse_value value;
	const char *about; /* one line on what it matches */
};

/* The records of common_sets.txt, {0} at the end. */
extern const struct common_set common_sets[];

/* By name; NULL: none. */
const struct parse_value *common_set_find(struct str name);

#endif
