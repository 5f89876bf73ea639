/*
 * claims.c - calls claim blocks; see claims.h.
 *
 *	open	| a | b | a | c | a |		blocks that nobody has claimed, in text order
 *		  ^-------|-------|  `prev`	of the same name; last[name] is the top one
 *
 * A block claimed from the middle is only marked, and taken off when it comes to the top.
 * Searches may look at SEARCHED blocks in all, so that no file takes forever.
 */
#include "index/contexts/claims.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "index/base/cost.h"
#include "index/base/err.h"
#include "index/base/vec.h"

enum {
	SEARCHED = 1 << 26,
	STOPS = 1 << 16, /* seams between looks whether to stop */
};
#define NOBODY UINT32_MAX

/* A block on the stack. */
struct open_block {
	uint32_t name; /* id */
	uint32_t prev; /* the one below of the same name; NOBODY: none */
	uint64_t number, cost;
	bool taken;
};

struct claiming {
	struct claims *c;
	struct open_block *open;
	size_t n, cap;
	uint32_t *last;		 /* per name id: its top block, or NOBODY */
	struct block_call *call; /* of the seam at hand, with name ids */
	size_t ncall, call_cap;
	uint64_t searched; /* blocks */
	uint64_t most;	   /* bytes */
	struct err *err;
};

static int no_memory(struct claiming *r)
{
	return err_no_memory(r->err, "while building the call tree");
}

static int bounded(struct claiming *r)
{
	const uint64_t held = r->cap * sizeof(*r->open) + r->call_cap * sizeof(*r->call) +
			      r->c->cap * sizeof(*r->c->of) +
			      r->c->by_cap * sizeof(*r->c->by);

	if (held <= r->most)
		return 0;
	err_set(r->err, ERR_LIMIT, 0,
		"activations whose caller is not known yet take more than %" PRIu64
		" MiB",
		r->most >> 20);
	return err_hint(r->err, "let it have more, as in --mem %" PRIu64 "M",
			r->most >> 19);
}

/* ---- the stack ---- */

static int push(struct claiming *r, uint32_t name, uint64_t number, uint64_t cost)
{
	if (r->n >= NOBODY ||
	    vec_reserve_raw(&r->open, &r->cap, r->n + 1, sizeof(*r->open)))
		return no_memory(r);
	r->open[r->n] = (struct open_block){name, r->last[name], number, cost, false};
	r->last[name] = (uint32_t)r->n++;
	return 0;
}

/* Take the blocks that are claimed off the top. */
static void drop_claimed(struct claiming *r)
{
	for (; r->n && r->open[r->n - 1].taken; r->n--) {
		const struct open_block *top = &r->open[r->n - 1];

		if (r->last[top->name] == r->n - 1)
			r->last[top->name] = top->prev;
	}
}

static void forget_all(struct claiming *r)
{
	for (size_t i = 0; i < r->n; i++)
		r->last[r->open[i].name] = NOBODY;
	r->n = 0;
}

/* The last claimer claims the block at `at`. */
static int claim(struct claiming *r, size_t at)
{
	struct claims *c = r->c;

	if (vec_reserve_raw(&c->of, &c->cap, c->n + 1, sizeof(*c->of)))
		return no_memory(r);
	c->of[c->n++] = (struct sort_pair){r->open[at].number, (uint32_t)(c->nby - 1)};
	r->open[at].taken = true;
	return 0;
}

/* ---- which block ---- */

/* Own costs are rounded one by one, so a call and its block differ by some ticks. */
static bool alike(uint64_t a, uint64_t b)
{
	const int64_t d = cost_size(cost_difference((int64_t)a, (int64_t)b));

	return d <= 8 + (cost_size((int64_t)a) >> 8);
}

/* The block for a call among those below `below`: the nearest of its name and cost, else
 * the nearest of its name; NOBODY: there is none. */
static uint32_t search(struct claiming *r, const struct block_call *call, size_t below)
{
	uint32_t found = NOBODY, *link = &r->last[call->name];

	while (*link != NOBODY && ++r->searched <= SEARCHED) {
		const uint32_t at = *link;
		struct open_block *b = &r->open[at];

		if (b->taken) {
			*link = b->prev;
			continue;
		}
		link = &b->prev;
		if (at >= below)
			continue;
		if (alike(call->cost, b->cost))
			return at;
		if (found == NOBODY)
			found = at;
	}
	return found;
}

/* Claim for the calls of the seam from the last to the first. */
static int claim_backwards(struct claiming *r, uint64_t line)
{
	size_t below = r->n;
	bool row = true;

	for (size_t i = r->ncall; i-- > 0;) {
		const struct block_call *call = &r->call[i];
		uint32_t at = NOBODY;

		while (below && r->open[below - 1].taken)
			below--;
		row = row && below && call->once && r->open[below - 1].name == call->name;
		if (row)
			at = (uint32_t)below - 1;
		else if (call->once)
			at = search(r, call, below);
		if (at == NOBODY) {
			if (!r->c->lost++) {
				r->c->line = line;
				r->c->many = !call->once;
			}
			continue;
		}
		if (claim(r, at))
			return r->err->kind;
		below = at;
	}
	drop_claimed(r);
	return 0;
}

/* ---- a block that was cut off ---- */

/* Remove claimed blocks from the middle of the stack, so that the rest has no gaps. */
static void close_up(struct claiming *r)
{
	size_t k = 0;

	for (size_t i = 0; i < r->n; i++)
		r->last[r->open[i].name] = NOBODY;
	for (size_t i = 0; i < r->n; i++) {
		struct open_block *b = &r->open[k];

		if (r->open[i].taken)
			continue;
		*b = r->open[i];
		b->prev = r->last[b->name];
		r->last[b->name] = (uint32_t)k++;
	}
	r->n = k;
}

/* How many calls have about the cost of their block, if blocks from `at` on are named as
 * the calls; -1: they are not. */
static int64_t agree(struct claiming *r, size_t at)
{
	int64_t costs = 0;

	for (size_t i = 0; i < r->ncall; i++) {
		const struct open_block *b = &r->open[at + i];

		r->searched++;
		if (b->taken || b->name != r->call[i].name)
			return -1;
		costs += alike(r->call[i].cost, b->cost);
	}
	return costs;
}

/* Where the calls of the part's last block begin among the open blocks: if it was cut
 * off, not at the end.  NOBODY: it was not. */
static size_t find_cut(struct claiming *r)
{
	const size_t n = r->ncall;
	const int64_t enough = (int64_t)(n - n / 8);

	close_up(r);
	if (!n || r->n <= n || agree(r, r->n - n) >= enough)
		return NOBODY;
	for (size_t at = 0; at < r->n - n && r->searched <= SEARCHED; at++)
		if (agree(r, at) >= enough)
			return at;
	return NOBODY;
}

static int claim_from(struct claiming *r, size_t at)
{
	for (size_t i = 0; i < r->ncall; i++)
		if (claim(r, at + i))
			return r->err->kind;
	drop_claimed(r);
	return 0;
}

/* ---- seams ---- */

/* A stretch's seams, being read. */
struct seams {
	const struct context_stretch *s;
	struct varint_reader in;
	const struct bytes *rest; /* the seams behind those of `in`; NULL: none */
	uint64_t base, number;	  /* blocks of the file before the stretch; in it */
	bool ends;		  /* its last block is the last of its part */
};

static uint64_t next_number(struct seams *from)
{
	from->number += varint_get(&from->in);
	return from->base + from->number;
}

static int take_left(struct claiming *r, struct seams *from, uint64_t n)
{
	for (uint64_t i = 0; i < n && !from->in.bad; i++) {
		const uint64_t number = next_number(from);
		const uint64_t name = varint_get(&from->in);
		const uint64_t cost = varint_unzigzag(0, varint_get(&from->in));

		if (push(r, from->s->name[name], number, cost))
			return r->err->kind;
	}
	return bounded(r);
}

/* Read n calls. */
static int read_calls(struct claiming *r, struct seams *from, uint64_t n)
{
	if (vec_reserve_raw(&r->call, &r->call_cap, (size_t)n, sizeof(*r->call)))
		return no_memory(r);
	for (r->ncall = 0; r->ncall < n && !from->in.bad; r->ncall++) {
		const uint64_t name = varint_get(&from->in);

		r->call[r->ncall] =
			(struct block_call){from->s->name[name >> 1], name & 1,
					    varint_unzigzag(0, varint_get(&from->in))};
	}
	return 0;
}

/* Does a part begin behind the seam just read? */
static bool part_begins(const struct seams *from)
{
	if (from->in.p < from->in.end)
		return *from->in.p == SEAM_PART;
	return from->rest && from->rest->n && *from->rest->p == SEAM_PART;
}

/* last: no block of its part follows in the stretch. */
static int take_block(struct claiming *r, struct seams *from, uint64_t n, bool last)
{
	const uint64_t number = next_number(from);
	const uint64_t line = from->s->lines + varint_get(&from->in);
	struct claims *c = r->c;
	size_t cut = NOBODY;

	if (read_calls(r, from, n))
		return r->err->kind;
	if (!n)
		return 0;
	if (vec_reserve_raw(&c->by, &c->by_cap, c->nby + 1, sizeof(*c->by)))
		return no_memory(r);
	c->by[c->nby++] = (struct claimer){.number = number};
	if (bounded(r))
		return r->err->kind;
	if (last && (from->ends || part_begins(from)))
		cut = find_cut(r);
	return cut != NOBODY ? claim_from(r, cut) : claim_backwards(r, line);
}

static int take_seam(struct claiming *r, struct seams *from)
{
	const uint64_t head = varint_get(&from->in), n = head >> 2;

	switch ((enum seam)(head & 3)) {
	case SEAM_LEFT: return take_left(r, from, n);
	case SEAM_BLOCK: return take_block(r, from, n, false);
	case SEAM_LAST: return take_block(r, from, n, true);
	case SEAM_PART: forget_all(r); return 0;
	}
	return 0;
}

/* Whether no block of the same part follows the stretch. */
static bool part_ends(const struct context_stretch *s, size_t k, size_t n)
{
	for (k++; k < n; k++)
		if (s[k].log->part_at == 0 || s[k].log->blocks)
			return s[k].log->part_at == 0;
	return true;
}

/* Seams p[0..n) of the stretch: those in the file, or those in memory. */
static int take_seams(struct claiming *r, struct seams *from, const unsigned char *p,
		      uint64_t n, const atomic_int *cancel)
{
	if (!p)
		return n ? no_memory(r) : 0;
	from->in = (struct varint_reader){p, p + n, false};
	for (uint64_t i = 1; from->in.p < from->in.end; i++) {
		if (take_seam(r, from))
			return r->err->kind;
		if (i % STOPS == 0 && cancel && atomic_load(cancel))
			return err_set(r->err, ERR_CANCEL, 0, "interrupted");
	}
	return 0;
}

static int take_stretch(struct claiming *r, struct seams *from, const atomic_int *cancel)
{
	struct spill *s = &from->s->log->seams;
	const uint64_t in_file = s->spilled;

	from->rest = &s->buf;
	if (take_seams(r, from, in_file ? spill_bytes(s, 0, in_file) : NULL, in_file,
		       cancel))
		return r->err->kind;
	from->rest = NULL;
	return take_seams(r, from, s->buf.p, s->buf.n, cancel);
}

int claims_resolve(struct claims *c, const struct context_stretch *s, size_t n,
		   size_t names, uint64_t most, const atomic_int *cancel, struct err *err)
{
	struct claiming r = {.c = c, .most = most, .err = err};

	*c = (struct claims){0};
	r.last = malloc((names + 1) * sizeof(*r.last));
	if (!r.last)
		return no_memory(&r);
	memset(r.last, 0xff, (names + 1) * sizeof(*r.last));
	for (size_t k = 0; k < n && !err->kind; k++) {
		struct seams from = {
			.s = &s[k], .base = c->blocks, .ends = part_ends(s, k, n)};

		take_stretch(&r, &from, cancel);
		c->blocks += s[k].log->blocks;
	}
	if (!err->kind && sort_pairs(c->of, c->n))
		no_memory(&r);
	free(r.open);
	free(r.last);
	free(r.call);
	return err->kind;
}

void claims_free(struct claims *c)
{
	free(c->by);
	free(c->of);
	*c = (struct claims){0};
}
