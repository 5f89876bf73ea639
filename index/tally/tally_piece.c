/* tally_piece.c - pieces of a tally (piece.h), and packing of entries. */
#include <stdlib.h>
#include <string.h>

#include "index/tally/tally_in.h"

int tally_begin_piece(struct tally *t, uint32_t f)
{
	struct fn_slot *s = &t->fns.at[f];
	const uint64_t at = spill_at(&t->pieces.packed);

	if (bytes_put(&t->pieces.packed.buf, s->piece_n) ||
	    (s->piece_n && bytes_put(&t->pieces.packed.buf, at - s->piece_at)))
		return -1;
	s->piece_at = at;
	t->pieces.last = (struct piece_row){0};
	t->pieces.rows = 0;
	return 0;
}

void tally_end_piece(struct tally *t, uint32_t f)
{
	struct fn_slot *s = &t->fns.at[f];
	const uint64_t n = spill_at(&t->pieces.packed) - s->piece_at;
	int failed;

	s->piece_n = (uint32_t)n;
	if (__builtin_add_overflow(s->pieces_n, s->piece_n, &s->pieces_n))
		s->pieces_n = UINT32_MAX;
	failed = spill_write(&t->pieces.packed);
	if (failed)
		t->spill_failed = failed;
}

/* Pack entry i of function f after *before, and set *before to it. */
static int pack_entry(struct tally *t, uint32_t f, uint32_t i, struct piece_row *before)
{
	const struct entry *e = &t->entries.at[i];
	const uint64_t *v = t->entries.val + e->val;
	struct piece_row r = {.kind = (uint8_t)ENTRY_KIND(e->kind_callee),
			      .file = e->file,
			      .instr = e->instr,
			      .line = e->line};

	if (r.kind == ENTRY_COST || r.kind == ENTRY_CALL)
		r.ncost = (uint32_t)t->events.n;
	if (r.kind == ENTRY_CALL) {
		r.edge = (uint32_t)v[0];
		v += 2 + t->events.n;
		r.count = *v++;
	} else if (r.kind != ENTRY_COST) {
		memcpy(r.to, v, sizeof(r.to));
		r.to[2] = piece_target(t->fns.at[f].fn, e->file, v[2]);
		r.count = v[3];
		r.taken = v[4];
	}
	return piece_put(&t->pieces.packed.buf, before, &r, v);
}

/* Pack function f's n entries as a piece. */
static int pack_fn(struct tally *t, uint32_t f, const uint32_t *entry, size_t n)
{
	struct piece_row before = {0};

	for (size_t i = 0; i < n; i++) {
		if (i % PIECE_ROWS == 0) {
			if (i)
				tally_end_piece(t, f);
			if (tally_begin_piece(t, f))
				return -1;
			before = (struct piece_row){0};
		}
		if (pack_entry(t, f, entry[i], &before))
			return -1;
	}
	if (n)
		tally_end_piece(t, f);
	return 0;
}

/* Sort entries by function: f has entry[first[f]] up to entry[first[f + 1]]. */
static void by_function(const struct tally *t, uint32_t *first, uint32_t *entry)
{
	/* first[f + 2] counts f's entries; first[f + 1] then is f's next place, and at
	 * the end the start of f + 1. */
	for (size_t i = 1; i < t->entries.n; i++)
		if (t->entries.at[i].kind_callee != ENTRY_HEAD)
			first[t->entries.fn[i] + 2]++;
	for (size_t f = 1; f <= t->fns.n + 1; f++)
		first[f] += first[f - 1];
	for (size_t i = 1; i < t->entries.n; i++)
		if (t->entries.at[i].kind_callee != ENTRY_HEAD)
			entry[first[t->entries.fn[i] + 1]++] = (uint32_t)i;
}

int tally_pack(struct tally *t)
{
	uint32_t *first = calloc(t->fns.n + 3, sizeof(*first));
	uint32_t *entry = malloc((t->entries.n + 1) * sizeof(*entry));
	int rc = first && entry ? 0 : -1;

	if (!rc)
		by_function(t, first, entry);
	for (size_t f = 0; !rc && f < t->fns.n; f++) {
		rc = pack_fn(t, (uint32_t)f, entry + first[f], first[f + 1] - first[f]);
		t->fns.at[f].head = 0;
		t->fns.at[f].indexed = false;
	}
	free(first);
	free(entry);
	t->entries.n = 1;
	t->entries.nval = 0;
	t->pieces.no_room = 0;
	hash_clear(&t->entries.by);
	return rc;
}

/* Free an array with its capacity. */
#define DROP(p, cap) (free(p), (p) = NULL, (cap) = 0)

void tally_trim(struct tally *t)
{
	for (int i = 0; i < SPACES; i++)
		names_trim(&t->names[i]);
	hash_free(&t->fns.by);
	hash_free(&t->entries.by);
	hash_free(&t->edges.by);
	DROP(t->entries.at, t->entries.cap);
	DROP(t->entries.fn, t->entries.fn_cap);
	DROP(t->entries.val, t->entries.val_cap);
	DROP(t->fns.part_self, t->fns.part_self_cap);
	DROP(t->edges.part, t->edges.part_cap);
	if (!t->parts.later) {
		DROP(t->parts.touched_fn, t->parts.touched_fn_cap);
		DROP(t->parts.touched_edge, t->parts.touched_edge_cap);
	}
	DROP(t->parts.touched_site, t->parts.touched_site_cap);
	DROP(t->pieces.packed.scratch.p, t->pieces.packed.scratch.cap);
}

void tally_forget(struct tally *t, enum tally_what what, int space)
{
	switch (what) {
	case TALLY_NAMES: DROP(t->names[space].slot, t->names[space].cap); break;
	case TALLY_PART_COSTS:
		spill_free(&t->parts.costs);
		DROP(t->parts.touched_fn, t->parts.touched_fn_cap);
		DROP(t->parts.touched_edge, t->parts.touched_edge_cap);
		break;
	case TALLY_SELF: DROP(t->fns.self, t->fns.self_cap); break;
	case TALLY_EDGES: DROP(t->edges.at, t->edges.cap); break;
	case TALLY_EDGE_SUMS:
		DROP(t->edges.sum, t->edges.sum_cap);
		free(t->edges.narrow);
		t->edges.narrow = NULL;
		break;
	}
}
