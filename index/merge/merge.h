/*
 * merge.h - the tallies of all stretches, joined in file order into one profile.
 *
 * Here the file's ids become strings, strings become functions (PROFILE.md section 6), and
 * everything gets its number.
 *
 * A profile may be a set of files: ids and what parts inherit end with a file, names and
 * functions are the same in all, and parts are ordered by (pid, part, thread).
 */
#ifndef QUERN_MERGE_H
#define QUERN_MERGE_H

#include <stdatomic.h>
#include <stddef.h>

#include "index/merge/profile.h"

/*
 * tally[0..n) in the order of the text, tally.of_file ascending (a kept one stands anywhere);
 * they must outlive the profile.  events: names in their order, blanks between; empty: as they
 * are met.  p is profile_free()'s in any case.
 */
int merge(struct profile *p, struct tally *const *tally, size_t n, struct str events,
	  const atomic_int *cancel, struct err *err);

#endif
