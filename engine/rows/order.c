/*
 * order.c - read in the order of the index, write in that of the rows; see order.h.
 *
 *	rows of a page	0	1	2	3
 *	references	71	5	90	12
 *	sorted		5	12	71	90	read in this order
 *	place[]		1	3	0	2	written there
 */
#include "engine/rows/order.h"

#include <string.h>

#include "engine/rows/exec.h"
#include "index/base/err.h"
#include "index/base/sort.h"

struct page_order {
	bool sorted; /* false: the page is in order as it is */
	struct sort_pair pair[PAGE];
	uint32_t ref[PAGE], place[PAGE];
	uint8_t flag[PAGE];
};

static bool ascends(const uint32_t *ref, size_t n)
{
	for (size_t i = 1; i < n; i++)
		if (ref[i - 1] > ref[i])
			return false;
	return true;
}

struct page_order *order_new(struct exec *x)
{
	return EXEC_ARRAY(x, struct page_order, 1);
}

uint32_t *order_refs(struct page_order *o, uint32_t *ref, size_t n, struct err *err)
{
	o->sorted = !ascends(ref, n);
	if (!o->sorted)
		return ref;
	for (size_t i = 0; i < n; i++)
		o->pair[i] = (struct sort_pair){ref[i], (uint32_t)i};
	if (sort_pairs(o->pair, n)) {
		err_no_memory(err, NULL);
		return NULL;
	}
	for (size_t i = 0; i < n; i++) {
		o->ref[i] = (uint32_t)o->pair[i].key;
		o->place[i] = o->pair[i].value;
	}
	return o->ref;
}

size_t order_place(const struct page_order *o, size_t i)
{
	return o->sorted ? o->place[i] : i;
}

void order_rows(const struct page_order *o, const void *from, void *to, size_t width,
		size_t n)
{
	const uint64_t *in = from;
	uint64_t *out = to;

	if (!o->sorted) {
		memcpy(to, from, n * width);
		return;
	}
	if (width == sizeof(*out))
		for (size_t i = 0; i < n; i++)
			out[o->place[i]] = in[i];
	else
		for (size_t i = 0; i < n; i++)
			memcpy((char *)to + o->place[i] * width,
			       (const char *)from + i * width, width);
}

void order_flags(struct page_order *o, uint8_t *flag, size_t n)
{
	if (!o->sorted)
		return;
	for (size_t i = 0; i < n; i++)
		o->flag[o->place[i]] = flag[i];
	memcpy(flag, o->flag, n);
}
