/*
 * detail.h - the entries of one function from all tallies, in order, equal ones added, packed.
 *
 * Some 32 MiB of rows are held at once, whatever a function has; more go through packed runs
 * (detail_run.h).
 */
#ifndef QUERN_DETAIL_H
#define QUERN_DETAIL_H

#include <stdatomic.h>

#include "index/base/arena.h"
#include "index/format/detail_code.h"
#include "index/merge/profile.h"

struct detail; /* knows where each function's entries are */

/* run: rows held at once, 0: as many as said above. */
int detail_new(const struct profile *p, size_t run, struct detail **out, struct err *err);
/* When *cancel is set, a function at hand ends as if memory were out. */
void detail_stop_by(struct detail *d, const atomic_int *cancel);
/* Another one on the same places, for another thread, which holds that share of the rows; to
 * be freed before `of`. */
int detail_share(const struct detail *of, unsigned share, struct detail **out,
		 struct err *err);
void detail_free(struct detail *d);
/* Jumps so far whose target is no function of just that name, file and object. */
uint64_t detail_loose(const struct detail *d);
/* Some sum so far did not fit in 64 bits: that of a jump shows nowhere else. */
bool detail_full(const struct detail *d);
/* Entries of function f, about. */
uint64_t detail_weight(const struct detail *d, uint32_t f);

/* The errno of a temporary file that could not be read back; 0: what failed was for want of
 * memory. */
int detail_unread(const struct detail *d);

/* The rows of function f of one kind, all in memory; valid until the next call.  0 or -1
 * (memory, detail_unread()). */
int detail_gather(struct detail *d, uint32_t f, enum detail_kind kind,
		  struct detail_row **rows, size_t *n);
/* Append the packed rows of function f of each kind to its b: n of them.  *first_line is the
 * lowest known line among its cost lines in the function's own file.  0 or -1 (memory,
 * detail_unread()). */
int detail_pack(struct detail *d, uint32_t f, struct bytes b[DETAIL_KINDS],
		uint64_t n[DETAIL_KINDS], uint64_t *first_line);

#endif
