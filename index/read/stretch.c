/*
 * stretch.c - reading in stretches, on several threads; see stretch.h.
 *
 *	take a stretch -> load text -> tally lines -> offer a part of the rest? -> ...
 *
 * Known text goes to replay_run(), first blocks to first_run(), everything else to
 * decode_block() and tally_batch(), in small blocks that grow while nothing is known.
 */
#include "index/read/stretch.h"
#include "index/base/err.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "index/base/map.h"
#include "index/base/ordered.h"
#include "index/lines/decode.h"
#include "index/file/feed.h"
#include "index/fast/first.h"
#include "index/file/source_hash.h"
#include "index/read/stretch_in.h"

enum {
	FRESH_BLOCK = 1 << 10, /* bytes decoded at once at new functions; grows */
	ENTRY_BLOCK = 1 << 8,  /* the same if first_run() continues after it */
	CHECK = 1 << 20, /* bytes read between checks whether another thread waits */
	GIVE = 1 << 20,	 /* least bytes to give to a waiting thread */
	JOBS_MAX = 256,
	SMALL = 256 << 10, /* bytes of a small text */
	MEM_THREADS = 4,   /* STRETCH_MEM is for so many threads; more threads get more */
	LINK_BYTES = 80,   /* bytes of a link (replay.h) */
	HOPELESS = 256 << 20, /* bytes of unpacked text without an "events:" line */
};

static inline size_t stretch_most(uint64_t a, uint64_t b)
{
	return (size_t)(a > b ? a : b);
}

/* Whether the text at hand ends where the stretch's text ends. */
static bool is_last(const struct stretch *s)
{
	return s->at_hand.to == s->reading->n;
}

/* Decode and tally *block bytes at `at`, and double *block for the next time. */
static int read_ahead(struct stretch *s, size_t *at, size_t *block)
{
	const char *p = stretch_text(s, *at);
	bool last = is_last(s);
	size_t left = s->at_hand.to - *at, take = left < *block ? left : *block;
	struct batch *b = s->batch;

	decode_block(s->decode, p, take, last && take == left, b);
	if (b->bytes == 0)
		decode_block(s->decode, p, left, last, b);
	*block = *block < DECODE_BYTES ? *block * 2 : *block;
	*at += b->bytes;
	return tally_batch(&s->tally, b, &s->err);
}

/* Decode and tally some lines at `at`; *block: bytes to decode at new functions. */
static int read_some(struct stretch *s, size_t *at, size_t *block)
{
	const char *p = stretch_text(s, *at), *q;
	struct tally *t = &s->tally;
	struct batch *b = s->batch;
	bool last = is_last(s);
	const size_t room = stretch_room(s);
	const size_t step = least(s->reading->give, CHECK);
	size_t left = s->at_hand.to - *at;

	if (s->decode->by_address) /* fast/ knows no targets */
		return read_ahead(s, at, block);
	if (left > room && first_ready(t, s->decode)) {
		size_t run = least(left - room, step);

		q = first_run(t, s->decode, p, p + run);
		if (t->no_memory)
			return err_no_memory(&s->err, "while reading");
		left -= (size_t)(q - p);
		*at += (size_t)(q - p);
		if (q > p && stretch_wants_text(s, *at))
			return 0;
		/* A call's or jump's line may be next; decode_entry() stops after it. */
		if (q > p || t->now.pending != PENDING_NONE) {
			decode_entry(s->decode, q, left, last, b);
			*at += b->bytes;
			*block = ENTRY_BLOCK;
			return tally_batch(t, b, &s->err);
		}
	}
	if (t->now.fn != UINT32_MAX && t->pieces.open)
		return read_ahead(s, at, block);
	if (left > room && replay_ready(t)) {
		size_t run = least(left - room, step);

		q = replay_run(&s->replay, t, s->decode, p, p + run, &s->err);
		if (s->err.kind)
			return s->err.kind;
		if (q == p && replay_idle(&s->replay))
			return read_ahead(s, at, block);
		*at += (size_t)(q - p);
		if (q > p && stretch_wants_text(s, *at))
			return 0;
		left -= (size_t)(q - p);
		p = q;
	}
	*block = FRESH_BLOCK;
	struct replay_before before = replay_note(t, s->decode);

	decode_entry(s->decode, p, left, last, b);
	*at += b->bytes;
	if (tally_batch(t, b, &s->err))
		return s->err.kind;
	return replay_learn(&s->replay, &before, t, s->decode, b, &s->err);
}

static int stop_if_cancelled(struct stretch *s)
{
	const struct reading *r = s->reading;
	const atomic_int *c = r->opts->cancel;

	if (atomic_load_explicit(&r->stop, memory_order_relaxed) ||
	    (c && atomic_load_explicit(c, memory_order_relaxed)))
		return err_set(&s->err, ERR_CANCEL, 0,
			       "interrupted; no index was written");
	return 0;
}

static void tell(struct reading *r, uint64_t bytes)
{
	uint64_t done =
		atomic_fetch_add_explicit(&r->done, bytes, memory_order_relaxed) + bytes;

	if (r->opts->progress && pthread_equal(pthread_self(), r->caller))
		r->opts->progress(r->opts->arg, done);
}

/* Data that cannot be spilled must not take all memory. */
static int stretch_hold(struct stretch *s)
{
	const struct stretch_opts *o = s->reading->opts;
	const uint64_t before = s->held;

	if (!o->held)
		return 0;
	s->held = tally_held(&s->tally);
	if (atomic_fetch_add(o->held, s->held - before) + s->held - before <=
	    o->held_most)
		return 0;
	err_set(&s->err, ERR_LIMIT, 0,
		"names, functions, calls and parts take more than %" PRIu64
		" MiB: they stay in memory while indexing",
		o->held_most >> 20);
	return err_hint(&s->err, "let it have more, as in --mem %" PRIu64 "M",
			o->held_most >> 19);
}

static struct str line_at(const struct reading *r, size_t at)
{
	struct str s = {r->text + at, r->n - at};

	s.n = s.n ? str_find(s, '\n') : 0;
	return str_trim(s);
}

static uint64_t default_mem(unsigned jobs)
{
	return jobs > MEM_THREADS ? (uint64_t)STRETCH_MEM / MEM_THREADS * jobs
				  : STRETCH_MEM;
}

static int begin_stretch(struct stretch *s)
{
	struct reading *r = s->reading;
	const uint64_t share = (r->opts->mem ? r->opts->mem : default_mem(r->jobs)) /
			       r->jobs / (s->given ? 2 : 1);
	const uint64_t files = r->opts->share ? r->opts->share : 1;
	/* A small text is kept in memory: it is not worth a file. */
	const uint64_t small = r->n <= SMALL && !stretch_cramped(r->opts->mem) ? r->n : 0;

	s->decode = malloc(sizeof(*s->decode));
	s->batch = malloc(sizeof(*s->batch));
	s->begun = true;
	if (tally_init(&s->tally, s->from > 0, false, &s->err))
		return s->err.kind;
	if (!s->decode || !s->batch)
		return err_no_memory(&s->err, "while reading");
	/* Spilled data stays until all files are read; the rest is for names,
	 * functions and edges. */
	spill_init(&s->tally.pieces.packed, stretch_most(share / 10 / files + 1, small),
		   r->opts->spill_dir);
	spill_init(&s->tally.parts.costs, stretch_most(share / 40 / files + 1, small),
		   r->opts->spill_dir);
	spill_init(&s->tally.log.records, stretch_most(share / 4 / files + 1, small),
		   r->opts->spill_dir);
	spill_init(&s->tally.log.seams, stretch_most(share / 40 / files + 1, small),
		   r->opts->spill_dir);
	s->tally.entries.room = (size_t)(share / 4 + 1);
	s->replay.most = (size_t)(share / 7 / LINK_BYTES + 1);
	s->replay.past_most = (size_t)(share / 16 / sizeof(*s->replay.ring));
	decode_init(s->decode);
	if (s->from == 0)
		return 0;
	*s->decode = *r->head_decode;
	s->decode->in_body = true;
	s->decode->of_record = false;
	s->decode->after_totals = false;
	memset(s->decode->base, 0, sizeof(s->decode->base));
	return tally_assume(&s->tally, r->head, &s->err);
}

/* Free everything that only reading needs. */
static void end(struct stretch *s)
{
	free(s->decode);
	free(s->batch);
	stretch_text_free(s);
	replay_free(&s->replay);
	s->decode = NULL;
	s->batch = NULL;
}

/* read_some(), with more text loaded if needed.  longer: no line ended in the text at
 * hand. */
static int read_on(struct stretch *s, size_t *at, size_t *block, bool longer)
{
	const size_t from = *at;

	if (stretch_text_more(s, from, longer) || read_some(s, at, block))
		return s->err.kind;
	/* A stretch ends at a newline; if it does not, the file was changed. */
	return *at == from && longer && s->at_hand.to >= s->to ? stretch_changed(&s->err)
							       : 0;
}

static int read_stretch(void *arg)
{
	struct stretch *s = arg;
	struct reading *r = s->reading;
	size_t at = s->from, block = FRESH_BLOCK, told = at, before = SIZE_MAX;

	if (begin_stretch(s) || stretch_text_begin(s))
		return s->err.kind;
	while (at < s->to) {
		const bool longer = at == before;

		before = at;
		if ((stretch_wanted(r) && stretch_give(s, at)) ||
		    read_on(s, &at, &block, longer))
			return s->err.kind;
		/* Text that only needs skipping may be long: check for cancellation. */
		if (at > before && at - told < least(r->give, HASH_CHUNK) && at < s->to)
			continue;
		stretch_text_upto(s, at);
		tell(r, at - told);
		told = at;
		if (stretch_hold(s) || stop_if_cancelled(s))
			return s->err.kind;
	}
	stretch_text_end(s);
	return tally_end(&s->tally,
			 r->opts->of_set || s->tally.parts.n > 1 ? TALLY_PARTS
			 : s->from > 0 || s->to < r->n		 ? TALLY_MAYBE_PARTS
								 : TALLY_ONE_PART,
			 s->to < r->n ? line_at(r, s->to) : (struct str){"", 0}, &s->err);
}

/* Read the whole lines of a block; the rest comes again with the next block. */
static int read_block(struct stretch *s, const struct feed_block *b, size_t *at,
		      size_t *block)
{
	struct reading *r = s->reading;
	size_t before = SIZE_MAX;

	r->n = b->last ? b->n : SIZE_MAX;
	s->at_hand = (struct text_window){b->p, 0, b->n};
	s->to = b->n;
	s->tally.diag.counted_in = NULL; /* it points into the block before */
	for (*at = 0; *at < b->n && *at != before;) {
		before = *at;
		if (read_some(s, at, block))
			return s->err.kind;
	}
	if (r->opts->progress)
		r->opts->progress(r->opts->arg, feed_taken(r->feed));
	return 0;
}

static int read_feed(struct stretch *s)
{
	struct reading *r = s->reading;
	struct feed_block b = {0};
	size_t at = 0, block = FRESH_BLOCK;

	if (begin_stretch(s))
		return s->err.kind;
	/* After so much text without events it is no profile: do not unpack a bomb to
	 * its end. */
	while (!b.last && (s->tally.events.n || s->tally.text_bytes < HOPELESS)) {
		if (feed_next(r->feed, b.n - at, &b, &s->err) ||
		    read_block(s, &b, &at, &block) || stretch_hold(s) ||
		    stop_if_cancelled(s))
			return s->err.kind;
	}
	return tally_end(&s->tally,
			 r->opts->of_set || s->tally.parts.n > 1 ? TALLY_PARTS
								 : TALLY_ONE_PART,
			 STR(""), &s->err);
}

/* ---- threads ---- */

static void *stretch_work(void *arg)
{
	struct reading *r = arg;
	struct stretch *s;

	for (bool done = false; (s = stretch_take(r, done)); done = true) {
		if (map_guard(read_stretch, s, ERR_PROFILE, &s->err))
			atomic_store(&r->stop, 1);
		end(s);
	}
	return NULL;
}

static int read_all(struct reading *r, unsigned jobs, struct err *err)
{
	pthread_t thread[JOBS_MAX];
	unsigned started = 0;

	if (jobs > r->s->n && !r->opts->give)
		jobs = (unsigned)r->s->n;
	/* If a thread cannot be started, the others read its stretches. */
	while (started + 1 < jobs &&
	       pthread_create(&thread[started], NULL, stretch_work, r) == 0)
		started++;
	stretch_work(r);
	for (unsigned i = 0; i < started; i++)
		pthread_join(thread[i], NULL);
	/* The first failure in file order; threads that were only stopped come last. */
	for (int stopped = 0; stopped < 2; stopped++)
		for (const struct stretch *s = r->s->first; s; s = s->next)
			if (s->err.kind && (s->err.kind == ERR_CANCEL) == stopped) {
				*err = s->err;
				return err->kind;
			}
	return 0;
}

static void free_stretches(struct stretches *s)
{
	struct stretch *next;

	for (struct stretch *at = s->first; at; at = next) {
		next = at->next;
		if (at->begun)
			tally_free(&at->tally);
		free(at);
	}
	s->first = NULL;
	s->n = 0;
}

static bool assumptions_hold(const struct stretches *s)
{
	for (const struct stretch *at = s->first; at && at->next; at = at->next)
		if (!tally_follows(&at->tally, &at->next->tally))
			return false;
	return true;
}

static int list_tallies(struct stretches *s, struct err *err)
{
	size_t n = 0;

	s->tally = malloc((s->n + 1) * sizeof(*s->tally));
	if (!s->tally)
		return err_no_memory(err, "while reading");
	for (struct stretch *at = s->first; at; at = at->next)
		s->tally[n++] = &at->tally;
	return 0;
}

/* A given stretch needs memory of its own, so none is given if memory is short. */
static size_t worth_giving(const struct stretch_opts *o)
{
	if (o->give)
		return o->give;
	return o->stretch || stretch_cramped(o->mem) ? SIZE_MAX : GIVE;
}

int stretches_read(struct stretches *s, const char *text, size_t n,
		   const struct stretch_opts *opts, struct err *err)
{
	struct reading r = {.text = text,
			    .n = n,
			    .opts = opts,
			    .s = s,
			    .give = worth_giving(opts),
			    .caller = pthread_self(),
			    .jobs = ordered_jobs(opts->jobs)};
	int rc;

	memset(s, 0, sizeof(*s));
	s->nchunk = (n + HASH_CHUNK - 1) / HASH_CHUNK;
	s->chunk_hash = calloc(s->nchunk + 1, sizeof(*s->chunk_hash));
	if (!s->chunk_hash)
		return err_no_memory(err, "while reading");
	pthread_mutex_init(&r.lock, NULL);
	pthread_cond_init(&r.changed, NULL);
	rc = stretch_cut(&r, err) || read_all(&r, r.jobs, err);
	if (!rc && !assumptions_hold(s)) {
		free_stretches(s);
		atomic_store(&r.done, 0);
		rc = stretch_add(&r, 0, n) ? err_no_memory(err, "while reading")
					   : read_all(&r, 1, err);
	}
	stretch_free_head(&r);
	pthread_cond_destroy(&r.changed);
	pthread_mutex_destroy(&r.lock);
	return rc ? err->kind : list_tallies(s, err);
}

int stretches_feed(struct stretches *s, struct feed *feed,
		   const struct stretch_opts *opts, struct err *err)
{
	struct reading r = {.feed = feed,
			    .opts = opts,
			    .s = s,
			    .give = worth_giving(opts),
			    .jobs = 1};

	memset(s, 0, sizeof(*s));
	if (stretch_add(&r, 0, 0))
		return err_no_memory(err, "while reading");
	read_feed(s->first);
	end(s->first);
	if (s->first->err.kind) {
		*err = s->first->err;
		return err->kind;
	}
	return list_tallies(s, err);
}

void stretches_free(struct stretches *s)
{
	free_stretches(s);
	free(s->tally);
	free(s->chunk_hash);
	memset(s, 0, sizeof(*s));
}
