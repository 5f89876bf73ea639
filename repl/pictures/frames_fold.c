/*
 * frames_fold.c - the shapes of the one tree: recursion folded, chains joined, deep stacks
 * cut.
 *
 * An estimate of recursion is a guess at its depth: nobody measured it.  So an estimated
 * frame whose function is on its own stack becomes part of the frame of that function that
 * is there already, and what lies on it lies there:
 *
 *	main > f > g > f > h    becomes    main > f > g
 *	                                        f > h
 *
 * Each pass goes from a frame to those above it, and moves the frames down in place: to[i]
 * is where the i-th has gone.  Costs of their own add up, so every sum stays.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "engine/lang/result.h"
#include "index/base/arena.h"
#include "index/base/cost.h"
#include "index/base/err.h"
#include "index/base/err_kind.h"
#include "index/base/hash.h"
#include "index/base/order.h"
#include "repl/pictures/frames.h"
#include "repl/render/render.h"

enum {
	STACK_FRAMES = 2000000, /* of all stacks in a file: some 50 MB; and for each */
	FRAME_STACKS = 16,	/* frame so many more */
};
#define JOINED 0.95 /* of a frame, in the next frame of its chain */

struct folding {
	struct frames *f;
	bool chains;	/* join them; or */
	bool recursion; /* fold it, and */
	size_t most;	/* frames that would be deeper lie at this depth */
	size_t *to;	/* [frames] */
	struct hash by; /* kids by parent and function */
};

static uint32_t hash_of(size_t parent, uint32_t fn)
{
	return (uint32_t)hash_mix((uint64_t)parent << 32 ^ fn);
}

/* The frame of x's function that lies on `parent`; FRAME_NONE: there is none yet. */
static size_t kid_of(const struct folding *o, size_t parent, const struct frame *x)
{
	const uint32_t h = hash_of(parent, x->fn);
	uint32_t probe = hash_start(&o->by, h), i;

	if (x->fn == RESULT_NONE && !x->other)
		return FRAME_NONE;
	while ((i = hash_next(&o->by, h, &probe)) != HASH_NONE) {
		const struct frame *y = &o->f->all[i];

		if (y->parent == parent && y->fn == x->fn &&
		    (x->fn != RESULT_NONE || y->other))
			return i;
	}
	return FRAME_NONE;
}

static size_t on_stack(const struct frames *f, size_t at, uint32_t fn)
{
	while (at != FRAME_NONE && f->all[at].fn != fn)
		at = f->all[at].parent;
	return at;
}

static void add_to(struct frame *to, const struct frame *x)
{
	for (int s = 0; s < 2; s++) {
		cost_add_bits(&to->self[s], x->self[s]);
		to->estimated[s] |= x->estimated[s];
	}
	to->other &= x->other;
	to->folded |= x->folded;
	to->row = to->row == FRAME_NONE ? x->row : to->row;
}

/* Put frame x, taken out of the array, into the first n of it, on frame `on`. */
static int put(struct folding *o, size_t i, struct frame x, size_t on)
{
	struct frames *f = o->f;
	size_t at = FRAME_NONE;

	while (on != FRAME_NONE && f->all[on].depth >= o->most)
		on = f->all[on].parent;
	if (o->recursion && x.fn != RESULT_NONE && frame_estimated(&x) &&
	    (at = on_stack(f, on, x.fn)) != FRAME_NONE)
		f->all[at].folded = true;
	if (at == FRAME_NONE)
		at = kid_of(o, on, &x);
	if (at != FRAME_NONE) {
		add_to(&f->all[at], &x);
		o->to[i] = at;
		return 0;
	}
	o->to[i] = f->n;
	x.parent = on;
	x.depth = on == FRAME_NONE ? 0 : f->all[on].depth + 1;
	f->all[f->n] = x;
	return hash_add(&o->by, hash_of(on, x.fn), (uint32_t)f->n++);
}

/* Is it nearly all of the frame that it lies on? */
static bool goes_on(const struct frames *f, const struct frame *x, const struct frame *on)
{
	for (int s = 0; s < f->sides; s++)
		if ((double)x->value[s] < JOINED * (double)on->value[s])
			return false;
	/* Known recursion stays as deep as it is. */
	return !x->other && !on->other && (x->fn != on->fn || x->fn == RESULT_NONE);
}

/* Put frame x on `on`, or make it the last one of the chain there. */
static void join(struct folding *o, size_t i, struct frame x, size_t on)
{
	struct frames *f = o->f;

	o->to[i] = f->n;
	x.parent = on;
	/* The value there is that of the last frame of the chain so far. */
	if (on != FRAME_NONE && goes_on(f, &x, &f->all[on])) {
		const struct frame below = f->all[on];

		o->to[i] = on;
		x.first = below.joined ? below.first : below.name;
		x.joined = below.joined + 1;
		x.parent = below.parent;
		add_to(&x, &below);
		memcpy(x.estimated, below.estimated, sizeof(x.estimated));
	}
	f->all[o->to[i]] = x;
	f->n += o->to[i] == f->n;
}

/* Pass over all frames: of each that puts its kids somewhere, the place is in to[]. */
static int fold(struct render *rd, struct frames *f, struct folding o)
{
	const size_t n = f->n;
	int rc = !(o.to = malloc((n + 1) * sizeof(*o.to)));

	o.f = f;
	f->n = 0;
	for (size_t i = 0; !rc && i < n && !render_cancelled(rd, i); i++) {
		const struct frame x = f->all[i];
		const size_t on = x.parent == FRAME_NONE ? FRAME_NONE : o.to[x.parent];

		if (o.chains)
			join(&o, i, x, on);
		else if (!x.other || x.self[0] || x.self[1])
			rc = put(&o, i, x, on);
	}
	hash_free(&o.by);
	free(o.to);
	return rc ? err_no_memory(rd->err, NULL) : frames_settle(rd, f);
}

/* ---- places ---- */

struct rank {
	double major, minor;
	size_t i;
};

static int by_rank(const void *a, const void *b)
{
	const struct rank *x = a, *y = b;
	int c = order_double(x->major, y->major);

	c = c ? c : order_double(x->minor, y->minor);
	return c ? c : order_u64(x->i, y->i);
}

/* Lay all frames on one, that of the profile if they have none.  There is room for it. */
static void put_root(const struct result *r, struct frames *f)
{
	size_t roots = 0;

	for (size_t i = 0; i < f->n; i++)
		roots += f->all[i].parent == FRAME_NONE;
	f->rooted = roots == 1;
	if (f->rooted)
		return;
	memmove(f->all + 1, f->all, f->n++ * sizeof(*f->all));
	f->all[0] = (struct frame){.name = r->profile,
				   .fn = RESULT_NONE,
				   .value = {f->sum[0], f->sum[1]},
				   .parent = FRAME_NONE,
				   .row = FRAME_NONE};
	f->deepest++;
	for (size_t i = 1; i < f->n; i++) {
		f->all[i].depth++;
		f->all[i].parent++; /* FRAME_NONE becomes 0 */
	}
}

/* Find the places of all frames, and put them in that order. */
static int place(struct render *rd, struct frames *f, struct arena *a)
{
	struct frame *all = ARENA_ARRAY(a, struct frame, f->n + 1);
	struct rank *rank = ARENA_ARRAY(a, struct rank, f->n + 1);
	double *next = ARENA_ARRAY(a, double, f->n + 1); /* on a frame */
	size_t *now = ARENA_ARRAY(a, size_t, f->n + 1);
	const bool time = frames_in_time(rd->r);

	if (a->refused)
		return err_no_memory(rd->err, NULL);
	put_root(rd->r, f);
	for (size_t i = f->n; i-- > 0 && !render_cancelled(rd, i);) {
		struct frame *x = &f->all[i];

		x->wide += (double)(x->self[0] > x->self[1] ? x->self[0] : x->self[1]);
		if (i)
			f->all[x->parent].wide += x->wide;
		rank[i] = (struct rank){(double)x->depth, time ? 0 : -x->wide, i};
	}
	if (rd->err->kind)
		return rd->err->kind;
	qsort(rank, f->n, sizeof(*rank), by_rank);
	for (size_t k = 0; k < f->n && !render_cancelled(rd, k); k++) {
		struct frame *x = &f->all[rank[k].i];

		if (k) {
			next[rank[k].i] = x->x = next[x->parent];
			next[x->parent] += x->wide;
		}
		rank[k].major = x->x;
		rank[k].minor = (double)x->depth;
	}
	if (rd->err->kind)
		return rd->err->kind;
	qsort(rank, f->n, sizeof(*rank), by_rank);
	memcpy(all, f->all, f->n * sizeof(*all));
	for (size_t k = 0; k < f->n && !render_cancelled(rd, k); k++) {
		now[rank[k].i] = k;
		f->all[k] = all[rank[k].i];
		if (k)
			f->all[k].parent = now[f->all[k].parent];
	}
	return rd->err->kind;
}

/* A timeline has its frames in the order of time, and knows them. */
bool frames_in_time(const struct result *r)
{
	return str_eq(str_c(r->source), STR("timeline"));
}

static bool is_tree(const struct result *r)
{
	return r->tree && !frames_in_time(r);
}

int frames_of_picture(struct render *rd, const char *format, struct frames *out)
{
	struct arena a;

	if (frames_of(rd, format, out) ||
	    (is_tree(rd->r) &&
	     (fold(rd, out, (struct folding){.recursion = true, .most = SIZE_MAX}) ||
	      fold(rd, out, (struct folding){.chains = true}))))
		return rd->err->kind;
	if (!out->sum[0] && !out->sum[1])
		return err_set(rd->err, ERR_QUERY, 0,
			       "there is nothing to draw: no rows with a cost");
	arena_init(&a, 0);
	place(rd, out, &a);
	arena_free(&a);
	return rd->err->kind;
}

/* The depth from which on stacks are cut, so that all of them have not too many frames. */
static size_t depth_to_keep(const struct frames *f, const uint64_t *stacks)
{
	const uint64_t limit = STACK_FRAMES + FRAME_STACKS * (uint64_t)f->n;
	uint64_t below = 0, rest = 0;
	size_t d = 0;

	for (size_t i = 0; i <= f->deepest; i++)
		rest += stacks[i];
	for (; d <= f->deepest && below + rest * (d + 1) <= limit; d++) {
		below += stacks[d] * (d + 1);
		rest -= stacks[d];
	}
	return d;
}

int frames_of_stacks(struct render *rd, const char *format, struct frames *out)
{
	uint64_t *stacks, cut = 0;
	size_t depth;

	if (frames_of(rd, format, out) ||
	    (is_tree(rd->r) && out->estimated &&
	     fold(rd, out,
		  (struct folding){.recursion = !rd->look->raw, .most = SIZE_MAX})))
		return rd->err->kind;
	if (!(stacks = calloc(out->deepest + 1, sizeof(*stacks))))
		return err_no_memory(rd->err, NULL);
	for (size_t i = 0; i < out->n && !render_cancelled(rd, i); i++)
		stacks[out->all[i].depth] += out->all[i].self[0] || out->all[i].self[1];
	depth = depth_to_keep(out, stacks);
	free(stacks);
	if (depth > out->deepest) {
		if (strcmp(rd->r->source, "functions") == 0)
			snprintf(
				rd->note, sizeof(rd->note),
				"each function is a stack of its own, without callers; with"
				" them: calltree | as %s",
				format);
		return 0;
	}
	for (size_t i = 0; i < out->n && !render_cancelled(rd, i); i++)
		cut += out->all[i].depth > depth ? out->all[i].self[0] : 0;
	snprintf(rd->note, sizeof(rd->note),
		 "%.2g %% of the cost lies deeper than %zu frames: its functions stand "
		 "there, without their callers",
		 out->sum[0] ? 100.0 * (double)cut / (double)out->sum[0] : 0.0, depth);
	return fold(rd, out, (struct folding){.most = depth});
}
