/*
 * detail.h - gather one function's entries from all tallies, order, add and pack them.
 *
 * When 32 MiB of rows are held, equal ones are added; a function with more that differ
 * takes more memory, up to a limit.
 */
#ifndef QUERN_DETAIL_H
#define QUERN_DETAIL_H

#include <stdatomic.h>

#include "index/format/detail_code.h"
#include "index/merge/profile.h"

struct detail; /* knows where each function's entries are */

int detail_new(const struct profile *p, struct detail **out, struct err *err);
/* Add equal rows when `room` bytes of them are held (32 MiB at most), fail if a function's
 * take more than `limit`, and once *cancel is set as if memory were out. */
void detail_bound(struct detail *d, uint64_t room, uint64_t limit,
		  const atomic_int *cancel);
/* Make one for another thread, with the same places and bounds.  Free it before `of`. */
int detail_share(const struct detail *of, struct detail **out, struct err *err);
void detail_free(struct detail *d);
/* How many jumps so far had a target that is no function of exactly that name, file and
 * object; those to their own function's name do not count. */
uint64_t detail_loose(const struct detail *d);
/* Did some sum so far not fit in 64 bits?  Nothing else tells that of jumps. */
bool detail_full(const struct detail *d);
/* About how many entries function f has. */
uint64_t detail_weight(const struct detail *d, uint32_t f);

/* The errno of a temporary file that could not be read back; EFBIG: a function is too large;
 * 0: memory was out. */
int detail_unread(const struct detail *d);

/* The rows of function f of one kind, all in memory; valid until the next call.  0 or -1
 * (memory, detail_unread()). */
int detail_gather(struct detail *d, uint32_t f, enum detail_kind kind,
		  struct detail_row **rows, size_t *n);
/* Append the packed rows of function f of each kind to its b: n of them.  *first_line is
 * the lowest known line among its cost lines in the function's own file.  0 or -1
 * (memory, detail_unread()). */
int detail_pack(struct detail *d, uint32_t f, struct bytes b[DETAIL_KINDS],
		uint64_t n[DETAIL_KINDS], uint64_t *first_line);

#endif
