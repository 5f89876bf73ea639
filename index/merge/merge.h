/*
 * merge.h - the tallies of all stretches, merged in file order into one profile.
 *
 * The file's ids become strings, strings become functions (PROFILE.md section 6), and
 * everything gets its final number.
 *
 * A profile may be a set of files: ids and the state that parts inherit end with a file,
 * names and functions are common to all, and parts are ordered by (pid, part, thread).
 */
#ifndef QUERN_MERGE_H
#define QUERN_MERGE_H

#include <stdatomic.h>

#include "index/merge/profile.h"

/*
 * Merge tally[0..n), which are in text order with ascending of_file (one made from an
 * index is the first); they must outlive the profile.  events: the order of events, as
 * names with blanks between; empty: order of appearance.  Call profile_free(p) also after
 * a failure.
 */
int merge(struct profile *p, struct tally *const *tally, size_t n, struct str events,
	  const atomic_int *cancel, struct err *err);

/* Names that the block of a callee may have, the likeliest first: its own; "f" of pprof's
 * "f [2/3]"; "m:f/1" of ErlTrace's "m:f:1".  buf: room for the last. */
enum { BLOCK_NAMES = 3, ARITY_NAME = 512 /* longer ones are no Erlang functions */ };
void merge_block_names(struct str name, struct str to[BLOCK_NAMES], char buf[ARITY_NAME]);

#endif
