/* stretch.c - reading in stretches, on several threads; see stretch.h. */
#include "index/stretch.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>

#include "index/base/map.h"
#include "index/base/ordered.h"
#include "index/decode.h"
#include "index/feed.h"
#include "index/first.h"
#include "index/replay.h"
#include "index/source.h"

enum {
	LEAST = 4 << 20,       /* bytes that are worth a thread */
	SEARCH = 64 << 20,     /* bytes looked through for a place to cut */
	HEADER = 1 << 20,      /* bytes that hold any sensible header */
	FRESH_BLOCK = 1 << 10, /* decoded at once where functions are new; grows */
	ENTRY_BLOCK = 1 << 8,  /* the same where first_run() goes on behind it */
	/* Bytes that replay_run() and first_run() may look ahead, and for each column. */
	ROOM = 512,
	ROOM_COLUMN = 16,
	CHECK = 4 << 20, /* bytes replayed between looks at cancel */
	JOBS_MAX = 256,
	MEM = 256 << 20, /* bytes to work in, */
	MEM_THREADS = 4, /* of so many threads; more of them: so many times as much */
	LINK_BYTES = 80, /* of replay.h */
	HOPELESS = 256 << 20, /* bytes of packed text without an "events:" line */
};

struct stretch {
	struct reading *reading;
	size_t from, to;
	struct tally tally;
	bool begun; /* tally is to be freed */
	struct decode *decode;
	struct batch *batch;
	struct replay replay;
	struct err err;
};

struct reading {	   /* shared by the threads */
	const char *text;  /* of a feed: the block at hand, */
	size_t n;	   /* SIZE_MAX unless it is the last */
	struct feed *feed; /* or NULL: the text is a map */
	const struct stretch_opts *opts;
	struct stretches *s;
	struct tally *head; /* has read the header; NULL: one stretch */
	struct decode *head_decode;
	struct batch *head_batch;
	atomic_size_t next;    /* stretch to be taken */
	_Atomic uint64_t done; /* bytes */
	atomic_int stop;       /* some stretch failed */
	pthread_t caller;
	unsigned jobs;
	struct err err; /* of cut() */
};

static int no_memory(struct err *err)
{
	return err_set(err, ERR_LIMIT, 0, "out of memory while reading");
}

/* ---- one stretch ---- */

/* Decode and tally *block bytes at `at`, and twice as many the next time. */
static int read_ahead(struct stretch *s, size_t *at, size_t *block)
{
	const char *p = s->reading->text + *at;
	bool last = s->to == s->reading->n;
	size_t left = s->to - *at, take = left < *block ? left : *block;
	struct batch *b = s->batch;

	decode_block(s->decode, p, take, *at, last && take == left, b);
	if (b->bytes == 0)
		decode_block(s->decode, p, left, *at, last, b);
	*block = *block < SCAN_BLOCK ? *block * 2 : *block;
	*at += b->bytes;
	return tally_batch(&s->tally, b, &s->err);
}

/* Decode and tally some lines at `at`; *block is how much to take of new functions. */
static int read_some(struct stretch *s, size_t *at, size_t *block)
{
	const char *text = s->reading->text, *p = text + *at, *q;
	struct tally *t = &s->tally;
	struct batch *b = s->batch;
	bool last = s->to == s->reading->n;
	const size_t room = ROOM + ROOM_COLUMN * (size_t)s->decode->ncols;
	size_t left = s->to - *at;

	if (left > room && first_ready(t, s->decode)) {
		q = first_run(t, s->decode, p, p + left - room);
		if (t->no_memory)
			return no_memory(&s->err);
		left -= (size_t)(q - p);
		*at += (size_t)(q - p);
		/* Maybe a call's or a jump's line is to come, which decode_entry() ends with. */
		if (q > p || t->pending != PENDING_NONE) {
			decode_entry(s->decode, q, left, *at, last, b);
			*at += b->bytes;
			*block = ENTRY_BLOCK;
			return tally_batch(t, b, &s->err);
		}
	}
	if (t->cur_fn != UINT32_MAX && t->in_once)
		return read_ahead(s, at, block);
	if (left > room && replay_ready(t)) {
		size_t run = left - room < CHECK ? left - room : CHECK;

		q = replay_run(&s->replay, t, s->decode, p, p + run, &s->err);
		if (s->err.kind)
			return (int)s->err.kind;
		/* Nothing is known here and nothing can be learnt. */
		if (q == p && s->replay.full)
			return read_ahead(s, at, block);
		*at += (size_t)(q - p);
		left -= (size_t)(q - p);
		p = q;
	}
	*block = FRESH_BLOCK;
	struct replay_before before = replay_note(t, s->decode);

	decode_entry(s->decode, p, left, *at, last, b);
	*at += b->bytes;
	if (tally_batch(t, b, &s->err))
		return (int)s->err.kind;
	return replay_learn(&s->replay, &before, t, s->decode, b, &s->err);
}

/* Hash the pieces that begin in [*hashed, upto) and end at or before upto or the text. */
static void hash_upto(struct reading *r, size_t *hashed, size_t upto, bool all)
{
	while (r->opts->hash && *hashed < upto && (all || upto - *hashed >= HASH_PIECE)) {
		size_t n = r->n - *hashed;

		r->s->piece[*hashed / HASH_PIECE] = source_hash_piece(
			r->text + *hashed, n < HASH_PIECE ? n : HASH_PIECE);
		*hashed += HASH_PIECE;
	}
}

static bool cancelled(const struct reading *r)
{
	const atomic_int *c = r->opts->cancel;

	return atomic_load_explicit(&r->stop, memory_order_relaxed) ||
	       (c && atomic_load_explicit(c, memory_order_relaxed));
}

static void tell(struct reading *r, uint64_t bytes)
{
	uint64_t done =
		atomic_fetch_add_explicit(&r->done, bytes, memory_order_relaxed) + bytes;

	if (r->opts->progress && pthread_equal(pthread_self(), r->caller))
		r->opts->progress(r->opts->arg, done);
}

static struct str line_at(const struct reading *r, size_t at)
{
	struct str s = {r->text + at, r->n - at};

	s.n = s.n ? str_find(s, '\n') : 0;
	return str_trim(s);
}

static uint64_t default_mem(unsigned jobs)
{
	return jobs > MEM_THREADS ? (uint64_t)MEM / MEM_THREADS * jobs : MEM;
}

static int begin(struct stretch *s)
{
	struct reading *r = s->reading;
	const uint64_t share =
		(r->opts->mem ? r->opts->mem : default_mem(r->jobs)) / r->jobs;
	const uint64_t files = r->opts->share ? r->opts->share : 1;

	s->decode = malloc(sizeof(*s->decode));
	s->batch = malloc(sizeof(*s->batch));
	s->begun = true;
	if (tally_init(&s->tally, s->from > 0, !r->feed && !r->opts->of_set, &s->err))
		return (int)s->err.kind;
	if (!s->decode || !s->batch)
		return no_memory(&s->err);
	/* What is spilled stays until all files are read; the rest is the names', functions' and
	 * edges'. */
	spill_init(&s->tally.once, (size_t)(share / 10 / files + 1), r->opts->spill_dir);
	spill_init(&s->tally.parts, (size_t)(share / 40 / files + 1), r->opts->spill_dir);
	s->tally.entry_room = (size_t)(share / 4 + 1);
	s->replay.most = (size_t)(share / 14 / LINK_BYTES + 1);
	s->replay.past_most = (size_t)(share / 16 / sizeof(*s->replay.past));
	decode_init(s->decode);
	if (s->from == 0)
		return 0;
	memcpy(s->decode, r->head_decode, offsetof(struct decode, pos));
	s->decode->in_body = true;
	s->decode->after_totals = false;
	memset(s->decode->base, 0, sizeof(s->decode->base));
	return tally_assume(&s->tally, r->head, &s->err);
}

/* What only reading needs. */
static void end(struct stretch *s)
{
	free(s->decode);
	free(s->batch);
	replay_free(&s->replay);
	s->decode = NULL;
	s->batch = NULL;
}

static int read_stretch(void *arg)
{
	struct stretch *s = arg;
	struct reading *r = s->reading;
	size_t at = s->from, block = FRESH_BLOCK, told = at;
	size_t hashed = (s->from + HASH_PIECE - 1) / HASH_PIECE * HASH_PIECE;

	if (begin(s))
		return (int)s->err.kind;
	while (at < s->to) {
		if (read_some(s, &at, &block))
			return (int)s->err.kind;
		if (at - told < HASH_PIECE && at < s->to)
			continue;
		hash_upto(r, &hashed, at, false);
		tell(r, at - told);
		told = at;
		if (cancelled(r))
			return err_set(&s->err, ERR_CANCEL, 0,
				       "interrupted; no index was written");
	}
	hash_upto(r, &hashed, s->to, true);
	return tally_end(&s->tally,
			 r->opts->of_set || s->tally.npart > 1 || s->from > 0 ||
				 s->to < r->n,
			 s->to < r->n ? line_at(r, s->to) : (struct str){"", 0}, &s->err);
}

/* Whole lines of a block; what is left of it comes again with the next. */
static int read_block(struct stretch *s, const struct feed_block *b, size_t *at,
		      size_t *block)
{
	struct reading *r = s->reading;
	size_t before = SIZE_MAX;

	r->text = b->p;
	r->n = b->last ? b->n : SIZE_MAX;
	s->to = b->n;
	s->tally.counted_in = NULL; /* a pointer into a block that is gone */
	for (*at = 0; *at < b->n && *at != before;) {
		before = *at;
		if (read_some(s, at, block))
			return (int)s->err.kind;
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

	if (begin(s))
		return (int)s->err.kind;
	/* What has no events by then is no profile: a bomb need not be unpacked to its end. */
	while (!b.last && (s->tally.nevent || s->tally.text_bytes < HOPELESS)) {
		if (feed_next(r->feed, b.n - at, &b, &s->err) ||
		    read_block(s, &b, &at, &block))
			return (int)s->err.kind;
		if (cancelled(r))
			return err_set(&s->err, ERR_CANCEL, 0,
				       "interrupted; no index was written");
	}
	return tally_end(&s->tally, r->opts->of_set || s->tally.npart > 1, STR(""),
			 &s->err);
}

/* ---- where to cut ---- */

/* Digits at p, or 0x and hex digits; their end, or NULL when there are none. */
static const char *skip_number(const char *p, const char *stop)
{
	const char *from = p;
	bool hex = stop - p > 2 && p[0] == '0' && p[1] == 'x';

	if (hex)
		from = p += 2;
	while (p < stop && ((*p >= '0' && *p <= '9') || (hex && *p >= 'a' && *p <= 'f')))
		p++;
	return p > from ? p : NULL;
}

/*
 * The line at p is nsub absolute positions and costs, and nothing odd: a line that could not
 * be read would leave the positions of the next one to the line before.
 */
static bool absolute_line(const char *p, const char *stop, unsigned nsub)
{
	for (unsigned i = 0;; i++) {
		p = skip_number(p, stop);
		if (!p || p >= stop)
			return false;
		if (*p == '\n' || (*p == '\r' && stop - p > 1 && p[1] == '\n'))
			return i + 1 >= nsub;
		if (*p++ != ' ')
			return false;
	}
}

/* The first place to cut at or behind `from`, or n. */
static size_t find_cut(const struct reading *r, size_t from)
{
	const char *p = r->text + from - 1, *stop = r->text + r->n;
	const char *limit = stop - p > SEARCH ? p + SEARCH : stop;

	while ((p = memmem(p, (size_t)(limit - p), "\nfn=", 4))) {
		const char *line = memchr(p + 1, '\n', (size_t)(stop - (p + 1)));

		if (!line)
			break;
		if (absolute_line(line + 1, stop, r->head_decode->nsub))
			return (size_t)(p + 1 - r->text);
		p = line;
	}
	return r->n;
}

/* Read the header to know positions and events; without both there is one stretch. */
static int read_head(struct reading *r, struct err *err)
{
	size_t n = r->n < HEADER ? r->n : HEADER, at = 0;
	struct batch *b;
	int rc;

	r->head_batch = b = malloc(sizeof(*b));
	r->head_decode = malloc(sizeof(*r->head_decode));
	if (!b || !r->head_decode || !(r->head = malloc(sizeof(*r->head))))
		return no_memory(err);
	decode_init(r->head_decode);
	rc = tally_init(r->head, false, true, err);
	while (!rc && at < n && !r->head_decode->in_body) {
		decode_entry(r->head_decode, r->text + at, n - at, at, n == r->n, b);
		rc = tally_batch(r->head, b, err);
		at += b->bytes;
		if (b->bytes == 0)
			break;
	}
	return rc;
}

static void free_head(struct reading *r)
{
	if (r->head)
		tally_free(r->head);
	free(r->head);
	free(r->head_decode);
	free(r->head_batch);
	r->head = NULL;
	r->head_decode = NULL;
	r->head_batch = NULL;
}

static int add_stretch(struct stretches *s, struct reading *r, size_t from, size_t to)
{
	struct stretch *at = realloc(s->at, (s->n + 1) * sizeof(*at));

	if (!at)
		return -1;
	s->at = at;
	at[s->n] = (struct stretch){.reading = r, .from = from, .to = to};
	s->n++;
	return 0;
}

static int cut_guarded(void *arg)
{
	struct reading *r = arg;
	struct err *err = &r->err;
	size_t size = r->opts->stretch, from = 0;

	if (!size)
		size = r->n / r->jobs + 1 > LEAST ? r->n / r->jobs + 1 : LEAST;
	if (r->jobs > 1 || r->opts->stretch) {
		if (read_head(r, err))
			return (int)err->kind;
		while (r->head_decode->in_body && r->head->ncol && r->n - from > size) {
			size_t to = find_cut(r, from + size);

			if (to == r->n)
				break;
			if (add_stretch(r->s, r, from, to))
				return no_memory(err);
			from = to;
		}
	}
	return add_stretch(r->s, r, from, r->n) ? no_memory(err) : 0;
}

static int cut(struct reading *r, struct err *err)
{
	int rc = map_guard(cut_guarded, r, ERR_PROFILE, &r->err);

	if (rc)
		*err = r->err;
	return rc;
}

/* ---- threads ---- */

static void *work(void *arg)
{
	struct reading *r = arg;
	size_t i;

	while ((i = atomic_fetch_add(&r->next, 1)) < r->s->n) {
		struct stretch *s = &r->s->at[i];

		if (map_guard(read_stretch, s, ERR_PROFILE, &s->err))
			atomic_store(&r->stop, 1);
		end(s);
	}
	return NULL;
}

/* A thread that only reads needs no way to more rights. */
static void *helper(void *arg)
{
	prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0);
	return work(arg);
}

static int run(struct reading *r, unsigned jobs, struct err *err)
{
	pthread_t thread[JOBS_MAX];
	unsigned started = 0;

	if (jobs > r->s->n)
		jobs = (unsigned)r->s->n;
	/* A thread that cannot be had is no error: the others take its stretches. */
	while (started + 1 < jobs &&
	       pthread_create(&thread[started], NULL, helper, r) == 0)
		started++;
	work(r);
	for (unsigned i = 0; i < started; i++)
		pthread_join(thread[i], NULL);
	/* The first failure in file order; those that were only stopped come last. */
	for (int stopped = 0; stopped < 2; stopped++)
		for (size_t i = 0; i < r->s->n; i++) {
			const struct err *e = &r->s->at[i].err;

			if (e->kind && (e->kind == ERR_CANCEL) == stopped) {
				*err = *e;
				return (int)err->kind;
			}
		}
	return 0;
}

static void free_stretches(struct stretches *s)
{
	for (size_t i = 0; i < s->n; i++)
		if (s->at[i].begun)
			tally_free(&s->at[i].tally);
	free(s->at);
	s->at = NULL;
	s->n = 0;
}

static bool assumptions_hold(const struct stretches *s)
{
	for (size_t i = 1; i < s->n; i++)
		if (!tally_follows(&s->at[i - 1].tally, &s->at[i].tally))
			return false;
	return true;
}

static int list_tallies(struct stretches *s, struct err *err)
{
	s->tally = malloc((s->n + 1) * sizeof(*s->tally));
	if (!s->tally)
		return no_memory(err);
	for (size_t i = 0; i < s->n; i++)
		s->tally[i] = &s->at[i].tally;
	return 0;
}

int stretches_read(struct stretches *s, const char *text, size_t n,
		   const struct stretch_opts *opts, struct err *err)
{
	struct reading r = {
		.text = text, .n = n, .opts = opts, .s = s, .caller = pthread_self()};
	const unsigned jobs = ordered_jobs(opts->jobs);
	int rc;

	memset(s, 0, sizeof(*s));
	s->npiece = (n + HASH_PIECE - 1) / HASH_PIECE;
	s->piece = calloc(s->npiece + 1, sizeof(*s->piece));
	if (!s->piece)
		return no_memory(err);
	r.jobs = jobs;
	rc = cut(&r, err) || run(&r, jobs, err);
	if (!rc && !assumptions_hold(s)) {
		free_stretches(s);
		atomic_store(&r.next, 0);
		atomic_store(&r.done, 0);
		rc = add_stretch(s, &r, 0, n) ? no_memory(err) : run(&r, 1, err);
	}
	free_head(&r);
	return rc ? (int)err->kind : list_tallies(s, err);
}

int stretches_feed(struct stretches *s, struct feed *feed,
		   const struct stretch_opts *opts, struct err *err)
{
	struct reading r = {.feed = feed, .opts = opts, .s = s, .jobs = 1};

	memset(s, 0, sizeof(*s));
	if (add_stretch(s, &r, 0, 0))
		return no_memory(err);
	read_feed(&s->at[0]);
	end(&s->at[0]);
	if (s->at[0].err.kind) {
		*err = s->at[0].err;
		return (int)err->kind;
	}
	return list_tallies(s, err);
}

void stretches_free(struct stretches *s)
{
	free_stretches(s);
	free(s->tally);
	free(s->piece);
	memset(s, 0, sizeof(*s));
}
