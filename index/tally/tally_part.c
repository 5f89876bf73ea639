/*
 * tally_part.c - sums of functions, edges and call sites in a part, and the end of a
 * part.
 *
 *	call site -> edge of the part -> totals, bytes of the part (part_code.h)
 *
 * The end of a part visits only what the part touched: there may be 100,000 parts.
 */
#include <stdlib.h>

#include "index/base/vec.h"
#include "index/format/part_code.h"
#include "index/tally/tally_in.h"

enum {
	TURN = 4, /* pack entries when so many times their room was refused */
};

/* Append i to a list of what the part touches.  Returns 0, or -1 if memory is out. */
static int note(uint32_t **touched, size_t *n, size_t *cap, uint32_t i)
{
	if (vec_reserve_raw(touched, cap, *n + 1, sizeof(**touched)))
		return -1;
	(*touched)[(*n)++] = i;
	return 0;
}

/* ---- edges ---- */

static bool is_edge(const struct tally *t, size_t i, uint32_t caller, uint32_t callee)
{
	return i < t->nedge && t->edge[i].caller == caller && t->edge[i].callee == callee;
}

/* Add an edge, to the hash if `hashed`; NONE if memory is out. */
static uint32_t new_edge(struct tally *t, uint32_t caller, uint32_t callee, bool hashed)
{
	const size_t n = (t->nedge + 1) * (1 + t->nevent);
	const uint32_t e = (uint32_t)t->nedge;

	if (t->nedge >= NONE - 1 ||
	    vec_reserve_raw(&t->edge, &t->edge_cap, t->nedge + 1, sizeof(*t->edge)) ||
	    vec_reserve(&t->edge_part, &t->edge_part_cap, n, sizeof(*t->edge_part)) ||
	    (hashed && hash_add(&t->edge_by, tally_hash(caller, callee, 7), e)))
		return NONE;
	t->edge[e] = (struct edge_slot){.caller = caller, .callee = callee};
	t->fn[callee].edge_in = e;
	t->fn[callee].edge_from = caller;
	t->edge_expected = e + 1;
	t->nedge++;
	return e;
}

/* Put the first edges of a caller into the hash. */
static int hash_edges(struct tally *t, uint32_t caller)
{
	size_t i = t->fn[caller].edge_out - 1;

	t->fn[caller].edge_out = NONE;
	for (; i < t->nedge && t->edge[i].caller == caller; i++)
		if (hash_add(&t->edge_by, tally_hash(caller, t->edge[i].callee, 7),
			     (uint32_t)i))
			return -1;
	return 0;
}

/*
 * Only one function makes its first edges at a time.  Until it is left, edge_from finds
 * each of its edges, and one that it does not find is new.  The hash is needed only when
 * a function calls again later.
 */
static uint32_t edge_slot(struct tally *t, uint32_t caller, uint32_t callee)
{
	struct fn_slot *to = &t->fn[callee];
	uint32_t h, probe, i;

	/* A function's calls mostly come in the same order again. */
	if (is_edge(t, t->edge_expected, caller, callee))
		return t->edge_expected++;
	if (to->edge_from == caller) {
		t->edge_expected = to->edge_in + 1;
		return to->edge_in;
	}
	if (t->edge_caller == caller)
		return new_edge(t, caller, callee, false);
	t->edge_caller = NONE;
	if (!t->fn[caller].edge_out) {
		t->edge_caller = caller;
		t->fn[caller].edge_out = (uint32_t)t->nedge + 1;
		return new_edge(t, caller, callee, false);
	}
	if (t->fn[caller].edge_out != NONE && hash_edges(t, caller))
		return NONE;
	h = tally_hash(caller, callee, 7);
	probe = hash_start(&t->edge_by, h);
	while ((i = hash_next(&t->edge_by, h, &probe)) != HASH_NONE)
		if (is_edge(t, i, caller, callee)) {
			to->edge_in = i;
			to->edge_from = caller;
			t->edge_expected = i + 1;
			return i;
		}
	return new_edge(t, caller, callee, true);
}

static int touch_edge(struct tally *t, uint32_t e)
{
	if (t->edge[e].stamp == t->npart)
		return 0;
	t->edge[e].stamp = (uint32_t)t->npart;
	return note(&t->touched_edge, &t->ntouched_edge, &t->touched_edge_cap, e);
}

uint64_t *tally_edge_numbers(struct tally *t, uint32_t caller, uint32_t callee,
			     uint32_t *edge)
{
	const uint32_t e = edge_slot(t, caller, callee);

	*edge = e;
	return e == NONE || touch_edge(t, e) ? NULL
					     : t->edge_part + (size_t)e * (1 + t->nevent);
}

/* ---- what a part touches ---- */

int tally_touch_fn(struct tally *t, uint32_t f)
{
	t->fn[f].stamp = (uint32_t)t->npart;
	return note(&t->touched_fn, &t->ntouched_fn, &t->touched_fn_cap, f);
}

/* Touch its edge, too: edges are in text order (part_code.h). */
int tally_touch_site(struct tally *t, uint32_t entry, uint32_t val)
{
	uint64_t *v = &t->val[val];
	uint32_t e = (uint32_t)v[0];

	if (e == NONE)
		e = edge_slot(t, t->entry_fn[entry], ENTRY_CALLEE(t->entry[entry].what));
	if (e == NONE || touch_edge(t, e) ||
	    vec_reserve_raw(&t->touched_site, &t->touched_site_cap, t->ntouched_site + 1,
			    sizeof(*t->touched_site)))
		return -1;
	t->touched_site[t->ntouched_site++] = (struct touched_site){entry, val};
	v[0] = (uint64_t)t->npart << 32 | e;
	return 0;
}

/* ---- its end ---- */

/* Add now[n] to both sums and set it to 0. */
static inline __attribute__((always_inline)) void
add_and_clear(struct tally *t, uint64_t *a, uint64_t *b, uint64_t *now, size_t n)
{
	for (size_t k = 0; k < n; k++) {
		tally_add(t, &a[k], now[k]);
		tally_add(t, &b[k], now[k]);
		now[k] = 0;
	}
}

/* Add the numbers of a call site in this part to its edge and to its own sum. */
static inline void flush_site(struct tally *t, struct touched_site site)
{
	uint64_t *v = &t->val[site.val];
	const size_t n = 1 + t->nevent;
	uint64_t *now = v + 1, *before = now + n, *edge;

	v[0] = (uint32_t)v[0];
	edge = t->edge_part + (size_t)v[0] * n;
	/* The usual case: one event. */
	if (n == 2)
		add_and_clear(t, edge, before, now, 2);
	else
		add_and_clear(t, edge, before, now, n);
}

static void move_sums(struct tally *t, uint64_t *to, uint64_t *from, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		tally_add(t, &to[i], from[i]);
		from[i] = 0;
	}
}

/* Add the sums of the part to the totals; a part alone becomes the totals. */
static int add_part(struct tally *t, bool only)
{
	const size_t n = t->nevent;

	if (only) {
		free(t->self);
		free(t->edge_sum);
		t->self = t->part_self;
		t->edge_sum = t->edge_part;
		t->part_self = t->edge_part = NULL;
		t->part_self_cap = t->edge_part_cap = 0;
		return 0;
	}
	if (tally_room_for_sums(t))
		return -1;
	for (size_t i = 0; i < t->ntouched_fn; i++) {
		size_t at = t->touched_fn[i] * n;

		move_sums(t, t->self + at, t->part_self + at, n);
	}
	for (size_t i = 0; i < t->ntouched_edge; i++) {
		size_t at = t->touched_edge[i] * (n + 1);

		move_sums(t, t->edge_sum + at, t->edge_part + at, n + 1);
	}
	t->ntouched_fn = t->ntouched_site = t->ntouched_edge = 0;
	return 0;
}

/* Append the current part to t->parts. */
static int encode_part(struct tally *t)
{
	const struct part_rows fns = {t->touched_fn, t->ntouched_fn, t->nevent,
				      t->part_self, PART_BY_ID};
	const struct part_rows edges = {t->touched_edge, t->ntouched_edge, t->nevent + 1,
					t->edge_part, PART_BY_ID};
	struct bytes *b = &t->parts.buf;

	return part_put_rows(b, &fns) || part_put_rows(b, &edges) ||
			       part_put_sums(b, &fns)
		       ? -1
		       : 0;
}

int tally_end_part(struct tally *t, bool encode, bool last, struct err *err)
{
	struct part_slot *p = tally_part(t, t->npart - 1);
	int failed;

	for (size_t i = 0; i < t->ntouched_site; i++)
		flush_site(t, t->touched_site[i]);
	p->bytes_at = spill_at(&t->parts);
	if (encode && encode_part(t))
		return err_no_memory(err, "while tallying");
	p->bytes_n = spill_at(&t->parts) - p->bytes_at;
	p->events = t->nevent;
	failed = spill_write(&t->parts);
	if (failed)
		t->spill_failed = failed;
	if (add_part(t, last && t->npart == 1))
		return err_no_memory(err, "while tallying");
	/* Other functions may be the hot ones by now: pack all entries and start over. */
	if (!last && t->entry_room && t->no_room / TURN > t->entry_room) {
		t->meaning++;
		return tally_pack(t) ? err_no_memory(err, "while tallying") : 0;
	}
	return 0;
}
