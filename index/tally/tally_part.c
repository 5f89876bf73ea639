/*
 * tally_part.c - sums of functions, edges and call sites in a part, and the end of a
 * part.
 *
 *	call site -> edge of the part -> totals, bytes of the part (part_code.h)
 *
 * The end of a part visits only what the part touched: there may be 100,000 parts.
 */
#include <stdlib.h>
#include <string.h>

#include "index/base/err.h"
#include "index/base/vec.h"
#include "index/format/part_code.h"
#include "index/tally/tally_in.h"

enum {
	TURN = 4, /* pack entries when so many times their room was refused */
};

/* Append i to a list of what the part touches.  Returns 0, or -1 if memory is out. */
static int tally_part_note(uint32_t **touched, size_t *n, size_t *cap, uint32_t i)
{
	if (vec_reserve_raw(touched, cap, *n + 1, sizeof(**touched)))
		return -1;
	(*touched)[(*n)++] = i;
	return 0;
}

/* ---- edges ---- */

static bool is_edge(const struct tally *t, size_t i, uint32_t caller, uint32_t callee)
{
	return i < t->edges.n && t->edges.at[i].caller == caller &&
	       t->edges.at[i].callee == callee;
}

/* Add an edge, to the hash if `hashed`; NONE if memory is out. */
static uint32_t new_edge(struct tally *t, uint32_t caller, uint32_t callee, bool hashed)
{
	const size_t n = (t->edges.n + 1) * (1 + t->events.n);
	const uint32_t e = (uint32_t)t->edges.n;

	if (t->edges.n >= NONE - 1 ||
	    vec_reserve_raw(&t->edges.at, &t->edges.cap, t->edges.n + 1,
			    sizeof(*t->edges.at)) ||
	    vec_reserve_raw(&t->edges.part, &t->edges.part_cap, n,
			    sizeof(*t->edges.part)) ||
	    (hashed && hash_add(&t->edges.by, tally_hash(caller, callee, 7), e)))
		return NONE;
	for (size_t i = n - 1 - t->events.n; i < n; i++)
		t->edges.part[i] = 0;
	t->edges.at[e] = (struct edge_slot){.caller = caller, .callee = callee};
	t->fns.at[callee].edge_in = e;
	t->fns.at[callee].edge_from = caller;
	t->edges.expected = e + 1;
	t->edges.n++;
	return e;
}

/* Put the first edges of a caller into the hash. */
static int hash_edges(struct tally *t, uint32_t caller)
{
	size_t i = t->fns.at[caller].edge_out - 1;

	t->fns.at[caller].edge_out = NONE;
	for (; i < t->edges.n && t->edges.at[i].caller == caller; i++)
		if (hash_add(&t->edges.by, tally_hash(caller, t->edges.at[i].callee, 7),
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
	struct fn_slot *to = &t->fns.at[callee];
	uint32_t h, probe, i;

	/* A function's calls mostly come in the same order again. */
	if (is_edge(t, t->edges.expected, caller, callee))
		return t->edges.expected++;
	if (to->edge_from == caller) {
		t->edges.expected = to->edge_in + 1;
		return to->edge_in;
	}
	if (t->edges.caller == caller)
		return new_edge(t, caller, callee, false);
	t->edges.caller = NONE;
	if (!t->fns.at[caller].edge_out) {
		t->edges.caller = caller;
		t->fns.at[caller].edge_out = (uint32_t)t->edges.n + 1;
		return new_edge(t, caller, callee, false);
	}
	if (t->fns.at[caller].edge_out != NONE && hash_edges(t, caller))
		return NONE;
	h = tally_hash(caller, callee, 7);
	probe = hash_start(&t->edges.by, h);
	while ((i = hash_next(&t->edges.by, h, &probe)) != HASH_NONE)
		if (is_edge(t, i, caller, callee)) {
			to->edge_in = i;
			to->edge_from = caller;
			t->edges.expected = i + 1;
			return i;
		}
	return new_edge(t, caller, callee, true);
}

/* List the edges that were touched in turn. */
static int list_edges(struct tally *t)
{
	const uint32_t n = t->parts.nin_turn;

	if (vec_reserve_raw(&t->parts.touched_edge, &t->parts.touched_edge_cap, n,
			    sizeof(*t->parts.touched_edge)))
		return -1;
	for (uint32_t e = 0; e < n; e++)
		t->parts.touched_edge[e] = e;
	t->parts.ntouched_edge += n;
	t->parts.nin_turn = 0;
	return 0;
}

static int touch_edge(struct tally *t, uint32_t e)
{
	if (t->edges.at[e].stamp == t->parts.n)
		return 0;
	t->edges.at[e].stamp = (uint32_t)t->parts.n;
	if (e == t->parts.nin_turn && !t->parts.ntouched_edge) {
		t->parts.nin_turn++;
		return 0;
	}
	if (t->parts.nin_turn && list_edges(t))
		return -1;
	return tally_part_note(&t->parts.touched_edge, &t->parts.ntouched_edge,
			       &t->parts.touched_edge_cap, e);
}

uint64_t *tally_edge_numbers(struct tally *t, uint32_t caller, uint32_t callee,
			     uint32_t *edge)
{
	const uint32_t e = edge_slot(t, caller, callee);

	*edge = e;
	return e == NONE || touch_edge(t, e)
		       ? NULL
		       : t->edges.part + (size_t)e * (1 + t->events.n);
}

/* ---- what a part touches ---- */

int tally_touch_fn(struct tally *t, uint32_t f)
{
	t->fns.at[f].stamp = (uint32_t)t->parts.n;
	return tally_part_note(&t->parts.touched_fn, &t->parts.ntouched_fn,
			       &t->parts.touched_fn_cap, f);
}

/* Touch its edge, too: edges are in text order (part_code.h). */
int tally_touch_site(struct tally *t, uint32_t entry, uint32_t val)
{
	uint64_t *v = t->entries.val + val;
	uint32_t e = (uint32_t)v[0];

	if (e == NONE)
		e = edge_slot(t, t->entries.fn[entry],
			      ENTRY_CALLEE(t->entries.at[entry].kind_callee));
	if (e == NONE || touch_edge(t, e) ||
	    vec_reserve_raw(&t->parts.touched_site, &t->parts.touched_site_cap,
			    t->parts.ntouched_site + 1, sizeof(*t->parts.touched_site)))
		return -1;
	t->parts.touched_site[t->parts.ntouched_site++] =
		(struct touched_site){entry, val};
	v[0] = (uint64_t)t->parts.n << 32 | e;
	return 0;
}

/* ---- activations ---- */

/* The event of the first column. */
static size_t first_event(const struct tally *t)
{
	return t->events.ncol ? t->events.col[0] : 0;
}

int tally_log_block(struct tally *t, uint32_t f)
{
	return block_log_next(&t->log, f, t->fns.at[f].fn, t->fns.part_self, t->events.n,
			      first_event(t));
}

int tally_log_last(struct tally *t)
{
	return block_log_last(&t->log, t->fns.part_self, t->events.n, first_event(t));
}

/* ---- its end ---- */

/* Add now[n], a number of calls and costs, to both sums and set it to 0. */
static inline __attribute__((always_inline)) void
add_and_clear(struct tally *t, uint64_t *a, uint64_t *b, uint64_t *now, size_t n)
{
	count_add(&a[0], now[0]);
	count_add(&b[0], now[0]);
	now[0] = 0;
	for (size_t k = 1; k < n; k++) {
		tally_add_cost(t, &a[k], now[k]);
		tally_add_cost(t, &b[k], now[k]);
		now[k] = 0;
	}
}

/* Add the numbers of a call site in this part to its edge and to its own sum. */
static inline void flush_site(struct tally *t, struct touched_site site)
{
	uint64_t *v = t->entries.val + site.val;
	const size_t n = 1 + t->events.n;
	uint64_t *now = v + 1, *before = now + n, *edge;

	v[0] = (uint32_t)v[0];
	edge = t->edges.part + (size_t)v[0] * n;
	/* The usual case: one event. */
	if (n == 2)
		add_and_clear(t, edge, before, now, 2);
	else
		add_and_clear(t, edge, before, now, n);
}

static void move_costs(struct tally *t, uint64_t *to, uint64_t *from, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		tally_add_cost(t, &to[i], from[i]);
		from[i] = 0;
	}
}

/* Add the sums of the part to the totals; a part alone becomes the totals. */
static int add_part(struct tally *t, bool only)
{
	const size_t n = t->events.n;

	if (only) {
		free(t->fns.self);
		free(t->edges.sum);
		t->fns.self = t->fns.part_self;
		t->edges.sum = t->edges.part;
		t->fns.part_self = t->edges.part = NULL;
		t->fns.part_self_cap = t->edges.part_cap = 0;
		return 0;
	}
	if (tally_room_for_sums(t) || (t->parts.nin_turn && list_edges(t)))
		return -1;
	for (size_t i = 0; i < t->parts.ntouched_fn; i++) {
		size_t at = t->parts.touched_fn[i] * n;

		move_costs(t, t->fns.self + at, t->fns.part_self + at, n);
	}
	for (size_t i = 0; i < t->parts.ntouched_edge; i++) {
		size_t at = t->parts.touched_edge[i] * (n + 1);

		count_add(&t->edges.sum[at], t->edges.part[at]);
		t->edges.part[at] = 0;
		move_costs(t, t->edges.sum + at + 1, t->edges.part + at + 1, n);
	}
	t->parts.ntouched_fn = t->parts.ntouched_site = t->parts.ntouched_edge = 0;
	return 0;
}

int tally_put_part(struct tally *t, struct part_slot *p, const struct part_rows *fns,
		   const struct part_rows *edges)
{
	struct bytes *b = &t->parts.costs.buf;
	int failed;

	p->bytes_at = spill_at(&t->parts.costs);
	if (part_put_rows(b, fns) || part_put_rows(b, edges) || part_put_sums(b, fns))
		return -1;
	p->bytes_n = spill_at(&t->parts.costs) - p->bytes_at;
	failed = spill_write(&t->parts.costs);
	if (failed)
		t->spill_failed = failed;
	return 0;
}

/* Append the last part, with these sums of functions and edges, to t->parts.costs. */
static int encode_part(struct tally *t, uint64_t *self, uint64_t *edge)
{
	const int listed = t->parts.nin_turn ? list_edges(t) : 0;
	const struct part_rows fns = {t->parts.touched_fn, t->parts.ntouched_fn,
				      t->events.n, self, PART_BY_ID};
	const struct part_rows edges = {t->parts.touched_edge, t->parts.ntouched_edge,
					t->events.n + 1, edge, PART_BY_ID};

	return listed ? -1
		      : tally_put_part(t, tally_part(t, t->parts.n - 1), &fns, &edges);
}

int tally_not_spilled(const struct tally *t, struct err *err)
{
	const int failed = t->spill_failed ? t->spill_failed : t->log.failed;

	err_set(err, err_kind_of(failed, ERR_INDEX), 0,
		"cannot write a temporary file in %s: %s", t->pieces.packed.dir,
		strerror(failed));
	return err_hint(
		err, "free some space there, put the index elsewhere with --index PATH, "
		     "or raise --mem");
}

void tally_narrow_edges(struct tally *t)
{
	const size_t n = t->edges.n * (1 + t->events.n);
	uint64_t all = 0;
	uint32_t *four, *less;

	for (size_t i = 0; i < n; i++)
		all |= t->edges.sum[i];
	if (all > UINT32_MAX || !n)
		return;
	/* In place: no number is overwritten before it is read. */
	four = (uint32_t *)(void *)t->edges.sum;
	for (size_t i = 0; i < n; i++) {
		const uint32_t v = (uint32_t)t->edges.sum[i];

		memcpy(&four[i], &v, sizeof(v));
	}
	less = realloc(four, n * sizeof(*four));
	t->edges.narrow = less ? less : four;
	t->edges.sum = NULL;
	t->edges.sum_cap = 0;
}

/* The sums of edges in 8 bytes each; the caller frees them.  NULL if memory is out. */
static uint64_t *widened(const struct tally *t)
{
	const size_t n = t->edges.n * (1 + t->events.n);
	uint64_t *sum = malloc((n + 1) * sizeof(*sum));

	for (size_t i = 0; sum && i < n; i++)
		sum[i] = t->edges.narrow ? t->edges.narrow[i] : t->edges.sum[i];
	return sum;
}

int tally_encode_later(struct tally *t, struct err *err)
{
	uint64_t *sum;
	int rc;

	if (!t->parts.later)
		return 0;
	sum = widened(t);
	rc = sum ? encode_part(t, t->fns.self, sum) : -1;
	free(sum);
	if (rc)
		return tally_no_memory(err);
	t->parts.later = false;
	tally_trim(t);
	return t->spill_failed ? tally_not_spilled(t, err) : 0;
}

int tally_end_part(struct tally *t, enum tally_parts_of parts, bool last, struct err *err)
{
	for (size_t i = 0; i < t->parts.ntouched_site; i++)
		flush_site(t, t->parts.touched_site[i]);
	t->parts.later = parts == TALLY_MAYBE_PARTS && last && t->parts.n == 1;
	tally_part(t, t->parts.n - 1)->events = t->events.n;
	if (parts != TALLY_ONE_PART && !t->parts.later &&
	    encode_part(t, t->fns.part_self, t->edges.part))
		return tally_no_memory(err);
	if (add_part(t, last && t->parts.n == 1))
		return tally_no_memory(err);
	/* Other functions may be the hot ones by now: pack all entries and start over. */
	if (!last && t->entries.room && t->pieces.no_room / TURN > t->entries.room) {
		t->now.meaning++;
		return tally_pack(t) ? tally_no_memory(err) : 0;
	}
	return 0;
}
