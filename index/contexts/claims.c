/*
 * claims.c - calls claim blocks; see claims.h.
 *
 *	open	| a | b | a | c | a |		blocks that nobody has claimed, in text order
 *		  ^-------|-------|  `prev`	of the same bucket: of one name, and of costs
 *						that are near
 *
 * A block claimed from the middle is only marked, and taken off when it comes to the top,
 * or when most blocks are marked.  Searches may look at SEARCHED blocks in all, so that no
 * file takes forever.
 *
 * Fibers take turns, so their blocks do, too.  The calls of a block are then placed thus:
 *
 *	calls	  a   b   a   c		b and c fit one open block each: what most of such
 *	open	a x a b y a x a c	calls say in order holds, and bounds the others
 */
#include "index/contexts/claims.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "index/base/err.h"
#include "index/base/vec.h"

enum {
	SEARCHED = 1 << 28,
	LOOKED = 1 << 14, /* blocks of a bucket that a call is compared with, */
	ENOUGH = 1 << 6,  /* until so many fit */
	FAR = 1 << 14,	  /* blocks back that are looked at for a call */
	AHEAD = 32,	  /* calls before it that are compared, too */
	STOPS = 1 << 16,  /* seams between looks whether to stop */
	BUCKETS = 1 << 16,
	NEAR = 32,	    /* costs of a bucket; blocks of more calls have another */
	SLACK = 4,	    /* ticks that a block may be off whose call was claimed */
	CLOSE_UP = 1 << 10, /* claimed blocks on the stack that are not worth it */
};
#define NOBODY UINT32_MAX
#define ANY_COST INT64_MAX

/* A block on the stack. */
struct open_block {
	struct block_left is; /* taken: number is how many to look at below it */
	uint32_t prev;	      /* the one below of the same bucket; NOBODY: none */
	bool taken;
};

/* A call of the seam at hand. */
struct placing {
	uint32_t at;	 /* the block that it claims; NOBODY: none */
	uint32_t from;	 /* blocks before this one are of calls before it */
	bool of_several; /* other blocks fit it as well */
	uint32_t prev;	 /* of rising anchors: the one before; NOBODY: none */
	uint32_t last;	 /* the last of the best row of so many + 1 */
};

struct claiming {
	struct claims *c;
	struct open_block *open;
	size_t n, cap, taken;
	uint32_t *bucket;	 /* its top block, or NOBODY */
	struct block_call *call; /* of the seam at hand, with name ids */
	struct placing *place;	 /* of each call */
	size_t ncall, call_cap, place_cap;
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
			      r->place_cap * sizeof(*r->place) +
			      r->c->cap * sizeof(*r->c->of) +
			      r->c->caller_cap * sizeof(*r->c->caller) +
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

static uint32_t *bucket_of(const struct claiming *r, uint32_t name, int64_t near)
{
	const uint64_t h = ((uint64_t)name << 32 ^ (uint64_t)near) * 0x9e3779b97f4a7c15;

	return &r->bucket[(h ^ h >> 29) % BUCKETS];
}

static uint32_t *bucket_of_block(const struct claiming *r, const struct block_left *b)
{
	return bucket_of(r, b->name,
			 b->calls > NEAR ? ANY_COST : (int64_t)b->cost / NEAR);
}

static void link_top(struct claiming *r)
{
	struct open_block *b = &r->open[r->n];
	uint32_t *top = bucket_of_block(r, &b->is);

	b->prev = *top;
	*top = (uint32_t)r->n++;
}

static int push(struct claiming *r, struct block_left block)
{
	if (r->n >= NOBODY ||
	    vec_reserve_raw(&r->open, &r->cap, r->n + 1, sizeof(*r->open)))
		return no_memory(r);
	r->open[r->n] = (struct open_block){.is = block};
	link_top(r);
	return 0;
}

/* Forget the blocks from `from` on. */
static void forget(struct claiming *r, size_t from)
{
	while (r->n > from) {
		const struct open_block *top = &r->open[--r->n];
		uint32_t *first = bucket_of_block(r, &top->is);

		r->taken -= top->taken;
		if (*first == r->n)
			*first = top->prev;
	}
}

/* Remove claimed blocks from the middle of the stack, so that the rest has no gaps. */
static void close_up(struct claiming *r)
{
	const size_t n = r->n;

	memset(r->bucket, 0xff, BUCKETS * sizeof(*r->bucket));
	r->n = r->taken = 0;
	for (size_t i = 0; i < n; i++) {
		if (r->open[i].taken)
			continue;
		r->open[r->n] = r->open[i];
		link_top(r);
	}
}

/* Take the blocks that are claimed off the top, or all if they are most. */
static void drop_claimed(struct claiming *r)
{
	size_t n = r->n;

	while (n && r->open[n - 1].taken)
		n--;
	forget(r, n);
	if (r->taken > CLOSE_UP + r->n / 2)
		close_up(r);
}

/* The i-th call of the last claimer claims the block at `at`. */
static int claim(struct claiming *r, size_t i, size_t at)
{
	struct claims *c = r->c;

	if (vec_reserve_raw(&c->of, &c->cap, c->n + 1, sizeof(*c->of)))
		return no_memory(r);
	c->of[c->n++] = (struct sort_pair){r->open[at].is.number,
					   c->by[c->nby - 1].first + (uint32_t)i};
	r->open[at].is.number = at;
	r->open[at].taken = true;
	r->taken++;
	return 0;
}

/* The block below this one that is not claimed; NOBODY: none is. */
static uint32_t below(struct claiming *r, size_t at)
{
	size_t n = at;

	while (n && r->open[n - 1].taken)
		n = r->open[n - 1].is.number;
	while (at > n) { /* those between are not looked at again */
		const size_t next = r->open[at - 1].is.number;

		r->open[at - 1].is.number = n;
		at = next;
	}
	return n ? (uint32_t)n - 1 : NOBODY;
}

/* ---- which block ---- */

/* How many calls from the i-th down fit the blocks from `at` down; *off: ticks that their
 * costs differ by. */
static size_t run_of(struct claiming *r, size_t i, uint32_t at, uint64_t *off)
{
	size_t n = 0;

	*off = 0;
	for (; n <= i && n < AHEAD && at != NOBODY; n++, at = below(r, at)) {
		const struct block_call *call = &r->call[i - n];
		const struct block_left *b = &r->open[at].is;

		r->searched++;
		if (!block_fits(call, b))
			break;
		*off += call->cost > b->cost ? call->cost - b->cost
					     : b->cost - call->cost;
	}
	return n;
}

/* What was found for a call. */
struct found_block {
	uint32_t at;  /* NOBODY: none */
	size_t run;   /* so many calls fit it and those below it */
	uint64_t far; /* how far before `end` it is, doubled for each tick */
	size_t end;
	unsigned n; /* blocks that fit */
	unsigned looked;
};

static void better(struct claiming *r, size_t i, uint32_t at, struct found_block *best)
{
	uint64_t off, far;
	const size_t run = run_of(r, i, at, &off);

	far = (uint64_t)(best->end - at) << (off < 16 ? off : 16);
	if (best->at == NOBODY || run > best->run ||
	    (run == best->run && far < best->far) ||
	    (run == best->run && far == best->far && at > best->at)) {
		best->at = at;
		best->run = run;
		best->far = far;
	}
}

/* Look for blocks of the i-th call in a bucket until `enough` fit, to more ticks. */
static void look(struct claiming *r, size_t i, int64_t near, unsigned enough,
		 uint32_t slack, struct found_block *found)
{
	uint32_t *link = bucket_of(r, r->call[i].name, near);

	while (*link != NOBODY && found->n < enough && found->looked < LOOKED) {
		const uint32_t at = *link;
		struct open_block *b = &r->open[at];
		struct block_left is;

		if (b->taken) {
			*link = b->prev;
			continue;
		}
		link = &b->prev;
		found->looked += r->searched++ < SEARCHED ? 1 : LOOKED / ENOUGH;
		is = b->is;
		is.calls += slack;
		if (!block_fits(&r->call[i], &is))
			continue;
		found->n++;
		better(r, i, at, found);
	}
}

static struct found_block look_all(struct claiming *r, size_t i, unsigned enough,
				   uint32_t slack)
{
	const int64_t near = (int64_t)r->call[i].cost / NEAR;
	struct found_block found = {.at = NOBODY, .end = r->n};

	for (int64_t k = near - 1; k <= near + 1; k++)
		look(r, i, k, enough, slack, &found);
	look(r, i, ANY_COST, enough, slack, &found);
	return found;
}

/* Place the calls on the blocks of their names on top; false: some has another name, or
 * cost if costs count. */
static bool place_row(struct claiming *r, bool costs)
{
	size_t at = r->n;

	for (size_t i = r->ncall; i-- > 0;) {
		const struct block_call *call = &r->call[i];

		at = below(r, at);
		if (at == NOBODY || !call->once || call->name != r->open[at].is.name ||
		    (costs && !block_fits(call, &r->open[at].is)))
			return false;
		r->place[i].from = (uint32_t)at;
	}
	for (size_t i = 0; i < r->ncall; i++) {
		r->place[i].at = r->place[i].from;
		r->place[i].of_several = false;
	}
	return true;
}

/* Of the calls that were placed, keep most that are so in order. */
static void keep_rising(struct claiming *r)
{
	struct placing *p = r->place;
	size_t rows = 0;
	uint32_t kept;

	for (size_t i = 0; i < r->ncall; i++) {
		size_t lo = 0, hi = rows;

		if (p[i].at == NOBODY)
			continue;
		while (lo < hi) {
			const size_t mid = lo + (hi - lo) / 2;

			if (p[p[mid].last].at < p[i].at)
				lo = mid + 1;
			else
				hi = mid;
		}
		p[i].prev = lo ? p[lo - 1].last : NOBODY;
		p[lo].last = (uint32_t)i;
		rows += lo == rows;
	}
	kept = rows ? p[rows - 1].last : NOBODY;
	for (size_t i = r->ncall; i-- > 0;)
		if (i == kept)
			kept = p[i].prev;
		else
			p[i].at = NOBODY;
}

/* Place calls that fit one block alone. */
static void place_anchors(struct claiming *r)
{
	for (size_t i = 0; i < r->ncall; i++) {
		const struct found_block found = look_all(r, i, 2, 0);

		r->place[i].at =
			found.n == 1 && found.looked < LOOKED ? found.at : NOBODY;
		r->place[i].of_several = false;
	}
	keep_rising(r);
	for (size_t i = 0, from = 0; i < r->ncall; i++) {
		r->place[i].from = (uint32_t)from;
		if (r->place[i].at != NOBODY)
			from = r->place[i].at + 1;
	}
}

/* The best block of the i-th call before `end`; the nearest of several. */
static uint32_t nearest(struct claiming *r, size_t i, size_t end)
{
	const size_t from = r->place[i].from;
	struct found_block best = {.at = NOBODY, .end = end};
	uint32_t at = below(r, end);

	if (at == NOBODY || at < from || block_fits(&r->call[i], &r->open[at].is))
		return at == NOBODY || at < from ? NOBODY : at;
	for (; at != NOBODY && at >= from && best.looked++ < FAR &&
	       r->searched++ < SEARCHED;
	     at = below(r, at))
		if (block_fits(&r->call[i], &r->open[at].is)) {
			better(r, i, at, &best);
			best.n++;
		}
	r->place[i].of_several = best.n > 1;
	return best.at;
}

/* Place the others between them. */
static void place_between(struct claiming *r)
{
	size_t end = r->n;

	for (size_t i = r->ncall; i-- > 0;) {
		struct placing *p = &r->place[i];

		if (p->at == NOBODY)
			p->at = nearest(r, i, end);
		if (p->at != NOBODY)
			end = p->at;
	}
}

/* Claim for the i-th call, if it has a block. */
static int claim_placed(struct claiming *r, size_t i)
{
	const struct placing *p = &r->place[i];

	if (p->at == NOBODY)
		return 0;
	r->c->unsure += p->of_several;
	return claim(r, i, p->at);
}

/* A call that has no place between others fits a block anywhere, since its own was claimed
 * by a call of the same name and cost.  Or it has none, and is counted. */
static int claim_left(struct claiming *r, uint64_t line)
{
	for (size_t i = r->ncall; i-- > 0;) {
		struct placing *p = &r->place[i];

		if (p->at != NOBODY)
			continue;
		*p = (struct placing){.at = look_all(r, i, ENOUGH, SLACK).at,
				      .of_several = true};
		if (claim_placed(r, i))
			return r->err->kind;
		if (p->at != NOBODY || r->c->lost++)
			continue;
		r->c->line = line;
		r->c->many = !r->call[i].once;
	}
	return 0;
}

/* Whether a call fits no block at all. */
static bool fits_none(struct claiming *r)
{
	for (size_t i = 0; i < r->ncall; i++)
		if (r->place[i].at == NOBODY && look_all(r, i, 1, 0).at == NOBODY)
			return true;
	return false;
}

/* Claim for the calls of the seam, whose block begins in this line. */
static int claim_calls(struct claiming *r, uint64_t line)
{
	if (!place_row(r, true)) {
		place_anchors(r);
		place_between(r);
		if (fits_none(r)) /* other costs than Xdebug's? */
			place_row(r, false);
	}
	for (size_t i = 0; i < r->ncall; i++)
		if (claim_placed(r, i))
			return r->err->kind;
	if (claim_left(r, line))
		return r->err->kind;
	drop_claimed(r);
	return 0;
}

/* ---- a block that was cut off ---- */

/* How many calls have about the cost of their block, if blocks from `at` on are named as
 * the calls; -1: they are not. */
static int64_t agree(struct claiming *r, size_t at)
{
	int64_t costs = 0;

	for (size_t i = 0; i < r->ncall; i++) {
		const struct open_block *b = &r->open[at + i];

		r->searched++;
		if (b->taken || b->is.name != r->call[i].name)
			return -1;
		costs += block_fits(&r->call[i], &b->is);
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
		if (claim(r, i, at + i))
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
		const uint64_t calls = varint_get(&from->in);
		const uint64_t cost = varint_unzigzag(0, varint_get(&from->in));

		if (push(r, (struct block_left){from->s->name[name], (uint32_t)calls,
						number, cost}))
			return r->err->kind;
	}
	return bounded(r);
}

/* Read n calls. */
static int read_calls(struct claiming *r, struct seams *from, uint64_t n)
{
	if (vec_reserve_raw(&r->call, &r->call_cap, (size_t)n, sizeof(*r->call)) ||
	    vec_reserve_raw(&r->place, &r->place_cap, (size_t)n, sizeof(*r->place)))
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

/* The block of the calls that were read. */
static int add_claimer(struct claiming *r, uint64_t number)
{
	struct claims *c = r->c;

	if (r->ncall >= NOBODY - c->ncalls ||
	    vec_reserve_raw(&c->by, &c->by_cap, c->nby + 1, sizeof(*c->by)) ||
	    vec_reserve_raw(&c->caller, &c->caller_cap, c->ncalls + r->ncall,
			    sizeof(*c->caller)))
		return no_memory(r);
	c->by[c->nby] = (struct claimer){.number = number, .first = (uint32_t)c->ncalls};
	for (size_t i = 0; i < r->ncall; i++)
		c->caller[c->ncalls++] = (uint32_t)c->nby;
	c->nby++;
	return 0;
}

/* last: no block of its part follows in the stretch. */
static int take_block(struct claiming *r, struct seams *from, uint64_t n, bool last)
{
	const uint64_t number = next_number(from);
	const uint64_t line = from->s->lines + varint_get(&from->in);
	size_t cut = NOBODY;

	if (read_calls(r, from, n))
		return r->err->kind;
	if (!n)
		return 0;
	if (add_claimer(r, number) || bounded(r))
		return r->err->kind;
	if (last && (from->ends || part_begins(from)))
		cut = find_cut(r);
	return cut != NOBODY ? claim_from(r, cut) : claim_calls(r, line);
}

static int take_seam(struct claiming *r, struct seams *from)
{
	const uint64_t head = varint_get(&from->in), n = head >> 2;

	switch ((enum seam)(head & 3)) {
	case SEAM_LEFT: return take_left(r, from, n);
	case SEAM_BLOCK: return take_block(r, from, n, false);
	case SEAM_LAST: return take_block(r, from, n, true);
	case SEAM_PART: forget(r, 0); return 0;
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
		   uint64_t most, const atomic_int *cancel, struct err *err)
{
	struct claiming r = {.c = c, .most = most, .err = err};

	*c = (struct claims){0};
	r.bucket = malloc(BUCKETS * sizeof(*r.bucket));
	if (!r.bucket)
		return no_memory(&r);
	memset(r.bucket, 0xff, BUCKETS * sizeof(*r.bucket));
	for (size_t k = 0; k < n && !err->kind; k++) {
		struct seams from = {
			.s = &s[k], .base = c->blocks, .ends = part_ends(s, k, n)};

		take_stretch(&r, &from, cancel);
		c->blocks += s[k].log->blocks;
	}
	if (!err->kind && sort_pairs(c->of, c->n))
		no_memory(&r);
	free(r.open);
	free(r.bucket);
	free(r.call);
	free(r.place);
	return err->kind;
}

void claims_free(struct claims *c)
{
	free(c->by);
	free(c->of);
	free(c->caller);
	*c = (struct claims){0};
}
