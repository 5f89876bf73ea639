/* merge_addresses.c - cost lines by address; see merge_addresses.h. */
#include "index/merge/merge_addresses.h"

#include <stdlib.h>

#include "index/base/bisect.h"
#include "index/base/order.h"
#include "index/base/vec.h"
#include "index/tally/piece.h"

/* Add the cost lines of a function slot, piece by piece. */
static int add_lines(const struct profile *p, struct block_addresses *b, size_t k,
		     uint32_t slot, uint64_t *cost, struct bytes *scratch)
{
	const struct tally *t = p->tally[k];
	uint64_t at = t->fns.at[slot].piece_at, n = t->fns.at[slot].piece_n;

	while (n) {
		const unsigned char *bytes =
			spill_read(&t->pieces.packed, at, n, scratch);
		struct varint_reader in = {bytes, bytes ? bytes + n : NULL, false};
		struct piece_row r = {0};

		if (!bytes)
			return -1;
		n = piece_before(&in, &at);
		while (piece_get(&in, &r, cost)) {
			if (r.kind != ENTRY_COST)
				continue;
			if (vec_reserve(&b->line, &b->cap, b->n + 1, sizeof(*b->line)))
				return -1;
			b->line[b->n++] = (struct block_at){r.instr, (uint32_t)k, slot};
		}
	}
	return 0;
}

static int by_address(const void *a, const void *b)
{
	const struct block_at *x = a, *y = b;
	int c = order_u64(x->at, y->at);

	c = c ? c : order_u64(x->tally, y->tally);
	return c ? c : order_u64(x->slot, y->slot);
}

int merge_addresses(const struct profile *p, struct block_addresses *b)
{
	struct bytes scratch = {0};
	uint64_t *cost = NULL;
	size_t cap = 0;
	int rc = 0;

	for (size_t k = 0; !rc && k < p->ntally; k++) {
		const struct tally *t = p->tally[k];

		if (!t->fns.ntarget)
			continue;
		rc = vec_reserve(&cost, &cap, t->events.n + 1, sizeof(*cost));
		for (size_t i = 0; !rc && i < t->fns.n; i++)
			rc = add_lines(p, b, k, (uint32_t)i, cost, &scratch);
	}
	if (b->n)
		qsort(b->line, b->n, sizeof(*b->line), by_address);
	free(scratch.p);
	free(cost);
	return rc;
}

size_t merge_first_at(const struct block_addresses *b, uint64_t at)
{
	struct bisect s = bisect_in(0, b->n);

	while (bisect_next(&s))
		bisect_step(&s, b->line[s.mid].at < at);
	return s.lo;
}
