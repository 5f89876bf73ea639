/*
 * order.h - the rows of a page in ascending order of their references.
 *
 * After a sort stage references are in any order, and the columns of the store are larger
 * than caches: values are read in this order, and then put into that of the rows.
 */
#ifndef QUERN_ORDER_H
#define QUERN_ORDER_H

#include <stddef.h>
#include <stdint.h>

enum { PAGE = 1 << 14 }; /* rows, whose values stay in the cache */

struct err;
struct exec;
struct page_order;

struct page_order *order_new(struct exec *x);
/* ref[n], at most PAGE, in ascending order; ref itself if it ascends.  order keeps the
 * place of each.  NULL: err is set. */
uint32_t *order_refs(struct page_order *order, uint32_t *ref, size_t n, struct err *err);
/* Put values of `width` bytes, at most 16, that were read in this order, into that of the
 * rows; `from` and `to` differ. */
void order_rows(const struct page_order *order, const void *from, void *to, size_t width,
		size_t n);
/* Put flags in order, in place. */
void order_flags(struct page_order *order, uint8_t *flag, size_t n);
/* Where the i-th value belongs. */
size_t order_place(const struct page_order *order, size_t i);

#endif
