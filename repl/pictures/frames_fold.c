/*
 * frames_fold.c - the shapes of the one tree: estimated recursion made shallow, chains
 * joined, deep stacks cut.
 *
 * An estimate of recursion is a guess at its depth: nobody measured it.  So an estimated
 * frame on one of its own function becomes part of that, and one whose function is on its
 * stack FRAMES_DEEP times already keeps what it spends itself alone: what lies on it goes to
 * the frame that it lay on.  With a depth of 1:
 *
 *	main > f > f > g > f > h    becomes    main > f > g > f
 *	                                                    > h
 *
 * So every stack keeps the set of its functions, and the frames of a function stay together
 * as wide as they were and spend what they did.  To move what lies on a dropped frame to the frame of its function
 * further down would make a quieter picture, and take that cost from all between.
 *
 * Each pass goes from a frame to those above it, and moves the frames down in place: to[i]
 * is where the i-th has gone.  Costs of their own add up, so every sum stays.
 */
#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "engine/graph/graph.h"
#include "engine/lang/result.h"
#include "index/base/arena.h"
#include "index/base/cost.h"
#include "index/base/err.h"
#include "index/base/err_kind.h"
#include "index/base/hash.h"
#include "index/base/order.h"
#include "repl/pictures/frames.h"
#include "repl/render/brief.h"
#include "repl/render/render.h"
#include "repl/term/number.h"

enum {
	STACK_FRAMES = 2000000, /* of all stacks in a file: some 50 MB; and for each */
	FRAME_STACKS = 16,	/* frame so many more */
};
#define JOINED 0.95 /* of a frame, in the next frame of its chain */

struct folding {
	struct frames *f;
	bool chains;   /* join them; or */
	size_t deep;   /* estimated frames of a function on a stack; 0: recursion stays */
	size_t most;   /* frames that would be deeper lie at this depth */
	size_t *to;    /* [frames] */
	bool *dropped; /* [frames]: or it lies on one that is */
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

static void add_to(struct frame *to, const struct frame *x)
{
	for (int s = 0; s < 2; s++) {
		cost_add_bits(&to->self[s], x->self[s]);
		to->estimated[s] |= x->estimated[s];
		cost_add_bits(&to->deeper[s], x->deeper[s]);
	}
	to->other &= x->other;
	to->again |= x->again;
	to->row = to->row == FRAME_NONE ? x->row : to->row;
}

static void add_bounds(struct frame *to, const struct frame *x)
{
	cost_add(&to->lo, x->lo);
	if (to->hi < 0 || x->hi < 0)
		to->hi = -1;
	else
		cost_add(&to->hi, x->hi);
}

/* Is x, as an estimate, a call of a function by itself? */
static bool calls_itself(const struct frames *f, const struct frame *x, size_t on)
{
	return on != FRAME_NONE && x->fn != RESULT_NONE && frame_estimated(x) &&
	       f->all[on].fn == x->fn;
}

static bool too_deep(const struct folding *o, const struct frame *x)
{
	return x->times >= o->deep && x->fn != RESULT_NONE && frame_estimated(x);
}

/* A walk over the frames: each after the one that it lies on, left after all on it. */
struct walk {
	size_t *first, *next; /* [frames]: on it; beside it */
	size_t *lies;	      /* [frames]: the frame that what lies on it will lie on */
	uint32_t *times;      /* [functions]: frames on the stack now */
	uint32_t functions;
};

static void enter(const struct folding *o, struct walk *w, size_t i)
{
	struct frame *x = &o->f->all[i];
	const size_t on = x->parent == FRAME_NONE ? FRAME_NONE : w->lies[x->parent];

	x->times = x->fn < w->functions ? w->times[x->fn] : 0;
	w->lies[i] = calls_itself(o->f, x, on) || too_deep(o, x) ? on : i;
	if (w->lies[i] == i && x->fn < w->functions)
		w->times[x->fn]++;
}

static void leave(const struct folding *o, struct walk *w, size_t i)
{
	const struct frame *x = &o->f->all[i];

	if (w->lies[i] == i && x->fn < w->functions)
		w->times[x->fn]--;
}

/* Find `times` of all frames as it will be. */
static void walk(struct render *rd, const struct folding *o, struct walk *w)
{
	const struct frames *f = o->f;
	size_t roots = FRAME_NONE, i, seen = 0;

	for (i = f->n; i-- > 0;) {
		const size_t on = f->all[i].parent;
		size_t *list = on == FRAME_NONE ? &roots : &w->first[on];

		w->next[i] = *list;
		*list = i;
	}
	for (i = roots; i != FRAME_NONE && !render_cancelled(rd, seen++);) {
		enter(o, w, i);
		if (w->first[i] != FRAME_NONE) {
			i = w->first[i];
			continue;
		}
		for (; i != FRAME_NONE && w->next[i] == FRAME_NONE; i = f->all[i].parent)
			leave(o, w, i);
		if (i != FRAME_NONE) {
			leave(o, w, i);
			i = w->next[i];
		}
	}
}

static int find_times(struct render *rd, const struct folding *o)
{
	const struct frames *f = o->f;
	struct walk w = {0};
	struct arena a;

	arena_init(&a, 0);
	for (size_t i = 0; i < f->n; i++)
		if (f->all[i].fn != RESULT_NONE && f->all[i].fn >= w.functions)
			w.functions = f->all[i].fn + 1;
	w.first = ARENA_ARRAY(&a, size_t, f->n + 1);
	w.next = ARENA_ARRAY(&a, size_t, f->n + 1);
	w.lies = ARENA_ARRAY(&a, size_t, f->n + 1);
	w.times = ARENA_ARRAY(&a, uint32_t, w.functions + 1);
	if (!a.refused) {
		memset(w.first, 0xff, f->n * sizeof(*w.first)); /* FRAME_NONE */
		walk(rd, o, &w);
	}
	arena_free(&a);
	return a.refused ? -1 : 0;
}

/* What a dropped frame and all above it cost is counted once. */
static void count_deeper(struct folding *o, size_t i, const struct frame *x, size_t on)
{
	for (int s = 0; s < 2 && !o->dropped[i]; s++) {
		cost_add_bits(&o->f->all[on].deeper[s], x->value[s]);
		cost_add_bits(&o->f->deeper[s], x->value[s]);
	}
	o->dropped[i] = true;
}

/* Put frame x, taken out of the array, into the first n of it, on frame `on`. */
static int put(struct folding *o, size_t i, struct frame x, size_t on)
{
	struct frames *f = o->f;
	bool own;
	size_t at;

	while (on != FRAME_NONE && f->all[on].depth >= o->most)
		on = f->all[on].parent;
	o->to[i] = on;
	if (o->deep && calls_itself(f, &x, on)) {
		f->all[on].again |= !x.other;
		/* What it calls itself is inside of its cost, which stays as sure. */
		memcpy(x.estimated, f->all[on].estimated, sizeof(x.estimated));
		add_to(&f->all[on], &x);
		return 0;
	}
	own = o->deep && too_deep(o, &x);
	if (own)
		count_deeper(o, i, &x, on);
	if (own && !x.self[0] && !x.self[1])
		return 0;
	if (own) {
		x.lo = 0;
		x.hi = -1;
	}
	at = kid_of(o, on, &x);
	o->to[i] = own ? on : at != FRAME_NONE ? at : f->n;
	if (at != FRAME_NONE) {
		add_to(&f->all[at], &x);
		add_bounds(&f->all[at], &x);
		return 0;
	}
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
		x.times = x.times > below.times ? x.times : below.times;
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
	int rc;

	o.to = malloc((n + 1) * sizeof(*o.to));
	o.dropped = calloc(n + 1, sizeof(*o.dropped));
	rc = !o.to || !o.dropped;
	o.f = f;
	rc = rc || (o.deep && find_times(rd, &o));
	f->n = 0;
	for (size_t i = 0; !rc && i < n && !render_cancelled(rd, i); i++) {
		const struct frame x = f->all[i];
		const size_t on = x.parent == FRAME_NONE ? FRAME_NONE : o.to[x.parent];

		o.dropped[i] = x.parent != FRAME_NONE && !o.chains && o.dropped[x.parent];
		if (o.chains)
			join(&o, i, x, on);
		else if (!x.other || x.self[0] || x.self[1])
			rc = put(&o, i, x, on);
	}
	hash_free(&o.by);
	free(o.to);
	free(o.dropped);
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

/* ---- functions without a name ---- */

/* The digits of an address, without zeros before them; empty: it is a name. */
static struct str address_of(struct str name)
{
	size_t n = 2;

	if (!str_starts(name, STR("0x")))
		return STR("");
	while (n < name.n && isxdigit((unsigned char)name.p[n]))
		n++;
	if (n == 2 || n < name.n)
		return STR("");
	for (n = 2; n + 1 < name.n && name.p[n] == '0';)
		n++;
	return str_from(name, n);
}

/* Call them by their places: the loader's first function is ld-linux-x86-64.so.2+0x1ab70. */
static int name_places(struct render *rd, struct frames *f)
{
	if (!rd->r->graph || !(f->names = malloc(sizeof(*f->names))))
		return rd->r->graph ? err_no_memory(rd->err, NULL) : 0;
	arena_init(f->names, 0);
	for (size_t i = 0; i < f->n && !render_cancelled(rd, i); i++) {
		struct frame *x = &f->all[i];
		const struct str at = address_of(x->name);
		uint32_t fn = x->fn;
		const struct graph *g =
			at.n && fn != RESULT_NONE ? frame_graph(rd->r, &fn) : NULL;
		const struct str obj = g && !graph_is(g, fn, GRAPH_OBJECTS)
					       ? str_basename(graph_obj(g, fn))
					       : STR("???");

		if (str_eq(obj, STR("???")))
			continue;
		x->name =
			arena_printf(f->names, "%.*s+0x%.*s", STR_ARG(obj), STR_ARG(at));
		if (f->names->refused)
			return err_no_memory(rd->err, NULL);
	}
	return 0;
}

struct str frames_short(const struct result *r, struct str name, struct arena *a)
{
	const size_t at = str_find_str(name, STR("+0x"));

	return at && at < name.n && address_of(str_from(name, at + 1)).n
		       ? str_from(name, at + 1)
		       : brief_name(r, name, a);
}

int frames_of_picture(struct render *rd, const char *format, struct frames *out)
{
	struct arena a;

	if (frames_of(rd, format, out) || name_places(rd, out) ||
	    (is_tree(rd->r) &&
	     (fold(rd, out, (struct folding){.deep = FRAMES_DEEP, .most = SIZE_MAX}) ||
	      frames_find_lost(rd, out) ||
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

int frames_of_tree(struct render *rd, struct graph *g, const struct path_tree *t,
		   struct frames *out)
{
	return frames_of_rows(rd, g, t, out) || fold(rd, out,
						     (struct folding){.deep = FRAMES_DEEP,
								      .most = SIZE_MAX})
		       ? rd->err->kind
		       : 0;
}

void frames_recursion_text(const struct render *rd, const struct frames *f, char *buf,
			   size_t size)
{
	const int s = f->deeper[0] ? 0 : 1;
	char share[NUMBER_MAX], lost[2 * NUMBER_MAX + 80];
	size_t n = 0;

	*buf = '\0';
	if (f->deeper[s]) {
		number_percent(share, 100.0 * (double)f->deeper[s] / (double)f->sum[s]);
		n = (size_t)snprintf(
			buf, size,
			"estimated recursion is %d deep; %s of the cost%s lies deeper",
			FRAMES_DEEP, share, s ? " of the base" : "");
	} else if (f->again)
		n = (size_t)snprintf(buf, size, "recursion, estimated");
	if (f->lost && frames_lost_text(rd->r, f, f->most_lost, lost, sizeof(lost))) {
		const struct str name = graph_name(rd->r->graph, f->most_lost);

		n = n < size ? n : size;
		snprintf(buf + n, size - n, "%s%.*s is %s%s", n ? "; " : "",
			 (int)(name.n < 60 ? name.n : 60), name.p, lost,
			 f->lost > 1 ? ", and others" : "");
	}
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
		  (struct folding){.deep = rd->look->raw ? SIZE_MAX : FRAMES_DEEP,
				   .most = SIZE_MAX})) ||
	    frames_find_lost(rd, out))
		return rd->err->kind;
	if (!(stacks = calloc(out->deepest + 1, sizeof(*stacks))))
		return err_no_memory(rd->err, NULL);
	for (size_t i = 0; i < out->n && !render_cancelled(rd, i); i++)
		stacks[out->all[i].depth] += out->all[i].self[0] || out->all[i].self[1];
	depth = depth_to_keep(out, stacks);
	free(stacks);
	if (depth > out->deepest) {
		if (out->deeper[0] || out->deeper[1] || out->lost)
			frames_recursion_text(rd, out, rd->note, sizeof(rd->note));
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
