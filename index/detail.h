/*
 * detail.h - gather the entries of one function from all tallies, in order, equal ones added.
 */
#ifndef QUERN_DETAIL_H
#define QUERN_DETAIL_H

#include "index/base/arena.h"
#include "index/detail_code.h"
#include "index/merge.h"

struct detail;		/* knows where each function's entries are */

int detail_new(const struct profile *p, struct detail **out, struct err *err);
void detail_free(struct detail *d);
/* Jumps so far whose target is no function of just that name, file and object. */
uint64_t detail_loose(const struct detail *d);

/* The rows of function f of one kind; valid until the next call.  0 or -1 (memory). */
int detail_gather(struct detail *d, uint32_t f, enum detail_kind kind,
		  struct detail_row **rows, size_t *n);

#endif
