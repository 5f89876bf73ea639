/*
 * detail.h - gather one function's entries from all tallies, order, add and pack them.
 *
 * About 32 MiB of rows are held at once.  A function with more goes through packed runs
 * (detail_run.h).
 */
#ifndef QUERN_DETAIL_H
#define QUERN_DETAIL_H

#include <stdatomic.h>

#include "index/format/detail_code.h"
#include "index/merge/profile.h"

struct detail; /* knows where each function's entries are */

/* run_rows: rows held at once; 0: about 32 MiB. */
int detail_new(const struct profile *p, size_t run_rows, struct detail **out,
	       struct err *err);
/* Once *cancel is set, detail_pack() and detail_pack_kind() fail as if memory were out. */
void detail_stop_by(struct detail *d, const atomic_int *cancel);
/* Make one for another thread, with the same places and 1/share of the rows.  Free it
 * before `of`. */
int detail_share(const struct detail *of, unsigned share, struct detail **out,
		 struct err *err);
void detail_free(struct detail *d);
/* How many jumps so far had a target that is no function of exactly that name, file and
 * object; those to their own function's name do not count. */
uint64_t detail_loose(const struct detail *d);
/* Did some sum so far not fit in 64 bits?  Nothing else tells that of jumps. */
bool detail_full(const struct detail *d);
/* About how many entries function f has. */
uint64_t detail_weight(const struct detail *d, uint32_t f);

/* The errno of a temporary file that could not be read back; 0: memory was out. */
int detail_unread(const struct detail *d);

/* Pack the rows of function f of one kind to b, each call site with its calls and costs.
 * 0 or -1 (memory, detail_unread()). */
int detail_pack_kind(struct detail *d, uint32_t f, enum detail_kind kind,
		     struct bytes *b);
/* Append the packed rows of function f of each kind to its b: n of them.  *first_line is
 * the lowest known line among its cost lines in the function's own file.  0 or -1
 * (memory, detail_unread()). */
int detail_pack(struct detail *d, uint32_t f, struct bytes b[DETAIL_KINDS],
		uint64_t n[DETAIL_KINDS], uint64_t *first_line);

#endif
