/*
 * feed.c - a thread that makes text; see feed.h.
 *
 * Each block has room before its text for what the caller left of the block before, at
 * most a few lines.  If a line is longer than that room, blocks are joined in a separate
 * buffer, which has a limit: text without newlines must not take all memory.
 *
 *	[zeros][   room   ][      text      ]
 *	             ^keep..^
 */
#include "index/file/feed.h"

#include <errno.h>
#include <poll.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "index/base/err.h"
#include "index/base/vec.h"
#include "index/file/source.h"
#include "index/file/source_hash.h"
#include "index/file/unpack.h"

enum {
	BLOCKS = 4,
	ROOM = 64 << 10,
	BLOCK_MOST = 4 << 20,
	BLOCK_LEAST = 16 << 10,
	LINE_LEAST = 2 << 20,
	WAIT_MS = 50, /* ms between checks for cancellation */
	MEM = 256 << 20,
};

struct feed_room {
	char *room; /* ROOM bytes, then the text */
	size_t n;
};

struct feed {
	struct feed_opts opts;
	int fd;
	size_t size, line_max; /* bytes of a block; most bytes of a line */
	uint64_t unpack_mem;
	struct feed_room ring[BLOCKS];
	char *line; /* blocks joined for a long line */
	size_t line_cap;
	char head[FEED_HEAD]; /* the beginning of the text */
	size_t nhead;
	char end;
	const char *at; /* the block handed out last: text and length */
	size_t at_n;
	bool holding; /* ring[first] is handed out */

	pthread_t thread;
	bool started;
	pthread_mutex_t lock;
	pthread_cond_t filled, freed;
	size_t first, count; /* full blocks, counting the one handed out */
	bool ended;	     /* no more blocks come */
	struct err err;	     /* why the text ended, if not normally */
	atomic_int stop;

	char *chunk; /* HASH_CHUNK bytes of the file */
	uint64_t *hash;
	size_t nhash, hash_cap;
	_Atomic uint64_t taken;
};

/* ---- the thread ---- */

static bool feed_stopped(const struct feed *f)
{
	return atomic_load(&f->stop) || (f->opts.cancel && atomic_load(f->opts.cancel));
}

static int cancelled(struct err *err)
{
	return err_set(err, ERR_CANCEL, 0, "interrupted; no index was written");
}

/* Read a chunk of the file, a full one unless the file ends; *n is 0 at the end. */
static int read_chunk(struct feed *f, size_t *n, struct err *err)
{
	*n = 0;
	while (*n < HASH_CHUNK) {
		struct pollfd p = {.fd = f->fd, .events = POLLIN};
		ssize_t got;

		if (feed_stopped(f))
			return cancelled(err);
		if (poll(&p, 1, WAIT_MS) == 0)
			continue;
		got = read(f->fd, f->chunk + *n, HASH_CHUNK - *n);
		if (got == 0)
			break;
		if (got > 0)
			*n += (size_t)got;
		else if (errno != EINTR && errno != EAGAIN)
			return err_set(err, ERR_PROFILE, 0, "cannot be read: %s",
				       strerror(errno));
	}
	if (*n == 0)
		return 0;
	if (vec_reserve(&f->hash, &f->hash_cap, f->nhash + 1, sizeof(*f->hash)))
		return err_no_memory(err, "while reading");
	f->hash[f->nhash++] = source_hash_chunk(f->chunk, *n);
	return 0;
}

/* Wait for a free block; false if the feed is being closed. */
static bool take_free(struct feed *f, struct feed_room **b)
{
	bool go;

	pthread_mutex_lock(&f->lock);
	while (f->count == BLOCKS && !atomic_load(&f->stop))
		pthread_cond_wait(&f->freed, &f->lock);
	go = !atomic_load(&f->stop);
	*b = &f->ring[(f->first + f->count) % BLOCKS];
	(*b)->n = 0;
	pthread_mutex_unlock(&f->lock);
	return go;
}

static void hand_over(struct feed *f)
{
	pthread_mutex_lock(&f->lock);
	f->count++;
	pthread_cond_signal(&f->filled);
	pthread_mutex_unlock(&f->lock);
}

/* Unpack one chunk into blocks. */
static int unpack_chunk(struct feed *f, struct unpack *u, size_t n, struct feed_room **b,
			struct err *err)
{
	struct unpack_io io = {.in = f->chunk, .nin = n};
	bool full;

	do {
		io.out = (*b)->room + ROOM + (*b)->n;
		io.nout = f->size - (*b)->n;
		if (unpack_step(u, &io, err))
			return err->kind;
		atomic_store(&f->taken, unpack_taken(u));
		(*b)->n = f->size - io.nout;
		full = io.nout == 0;
		if (full) {
			hand_over(f);
			if (!take_free(f, b))
				return cancelled(err);
		}
	} while (io.nin || full); /* a full block: the library may have more */
	return 0;
}

static int produce(struct feed *f, struct err *err)
{
	struct unpack *u = NULL;
	struct feed_room *b;
	size_t n;
	int rc = take_free(f, &b) ? read_chunk(f, &n, err) : cancelled(err);

	rc = rc || unpack_open(&u, unpack_recognise(f->chunk, n), f->unpack_mem, err);
	while (!rc && n) {
		rc = unpack_chunk(f, u, n, &b, err);
		if (!rc)
			rc = read_chunk(f, &n, err);
	}
	if (!rc)
		rc = unpack_end(u, err);
	if (!rc && b->n)
		hand_over(f);
	unpack_close(u);
	return rc;
}

static void *feed_run(void *arg)
{
	struct feed *f = arg;
	struct err err = {0};

	produce(f, &err);
	pthread_mutex_lock(&f->lock);
	f->err = err;
	f->ended = true;
	pthread_cond_signal(&f->filled);
	pthread_mutex_unlock(&f->lock);
	return NULL;
}

/* ---- the caller ---- */

/*
 * Divide opts.mem: half for the library (half of the default is enough for every
 * compression level, and for zstd --long), an eighth for a long line, the rest for
 * blocks.
 */
static void share_out(struct feed *f)
{
	uint64_t mem = f->opts.mem ? f->opts.mem : MEM;

	f->unpack_mem = mem / 2;
	f->line_max = mem / 8 > LINE_LEAST ? (size_t)(mem / 8) : LINE_LEAST;
	f->size = mem / 64 > BLOCK_MOST ? BLOCK_MOST : (size_t)(mem / 64);
	if (f->size < BLOCK_LEAST)
		f->size = BLOCK_LEAST;
	if (f->opts.block)
		f->size = f->opts.block;
}

int feed_open(struct feed **out, int fd, const struct feed_opts *opts, struct err *err)
{
	struct feed *f = calloc(1, sizeof(*f));
	bool memory = f != NULL;

	if (f) {
		f->opts = *opts;
		f->fd = fd;
		share_out(f);
		pthread_mutex_init(&f->lock, NULL);
		pthread_cond_init(&f->filled, NULL);
		pthread_cond_init(&f->freed, NULL);
		f->chunk = malloc(HASH_CHUNK);
		memory = f->chunk != NULL;
		for (int i = 0; memory && i < BLOCKS; i++)
			/* Zeros before the text, and after it for reads of 8 bytes. */
			memory = (f->ring[i].room = calloc(
					  1, ROOM + f->size + FEED_BEFORE)) != NULL;
		f->started = memory && pthread_create(&f->thread, NULL, feed_run, f) == 0;
	}
	if (!f || !f->started) {
		feed_close(f);
		return err_set(err, ERR_LIMIT, 0,
			       memory ? "cannot start a thread to unpack with"
				      : "out of memory while reading");
	}
	*out = f;
	return 0;
}

void feed_close(struct feed *f)
{
	if (!f)
		return;
	if (f->started) {
		atomic_store(&f->stop, 1);
		pthread_mutex_lock(&f->lock);
		pthread_cond_signal(&f->freed);
		pthread_mutex_unlock(&f->lock);
		pthread_join(f->thread, NULL);
	}
	pthread_mutex_destroy(&f->lock);
	pthread_cond_destroy(&f->filled);
	pthread_cond_destroy(&f->freed);
	for (int i = 0; i < BLOCKS; i++)
		free(f->ring[i].room);
	free(f->line);
	free(f->hash);
	free(f->chunk);
	free(f);
}

uint64_t feed_taken(const struct feed *f)
{
	return atomic_load(&f->taken);
}

uint64_t feed_hash(const struct feed *f)
{
	return source_hash_all(f->hash, f->nhash);
}

static int named(const struct feed *f, const struct err *why, struct err *err)
{
	if (why->kind == ERR_CANCEL)
		err_set(err, why->kind, 0, "%s", why->text);
	else
		err_set(err, why->kind, 0, "%s: %s", f->opts.name, why->text);
	return why->hint[0] ? err_hint(err, "%s", why->hint) : err->kind;
}

/* Wait for a block after those handed out; *last if no block follows it. */
static int wait_filled(struct feed *f, size_t out, bool *none, bool *last,
		       struct err *err)
{
	struct timespec until;
	int rc = 0;

	pthread_mutex_lock(&f->lock);
	/* A block is the last if the end comes before another block. */
	while (f->count < out + 2 && !f->ended && !rc) {
		clock_gettime(CLOCK_REALTIME, &until);
		until.tv_nsec += WAIT_MS * 1000000L;
		until.tv_sec += until.tv_nsec / 1000000000;
		until.tv_nsec %= 1000000000;
		pthread_cond_timedwait(&f->filled, &f->lock, &until);
		if (f->opts.cancel && atomic_load(f->opts.cancel))
			rc = cancelled(err);
	}
	*none = f->count == out;
	*last = f->ended && f->count <= out + 1;
	/* An error comes after the text before it, but that text is useless then. */
	if (!rc && f->ended && f->err.kind)
		rc = named(f, &f->err, err);
	pthread_mutex_unlock(&f->lock);
	return rc;
}

struct str feed_head(const struct feed *f)
{
	return (struct str){f->head, f->nhead};
}

char feed_end(const struct feed *f)
{
	return f->end;
}

static void give_back(struct feed *f)
{
	pthread_mutex_lock(&f->lock);
	f->first = (f->first + 1) % BLOCKS;
	f->count--;
	pthread_cond_signal(&f->freed);
	pthread_mutex_unlock(&f->lock);
}

/* Join `keep` bytes and the next block in one buffer: the line is longer than the
 * room. */
static int join(struct feed *f, size_t keep, const struct feed_room *b, struct err *err)
{
	size_t need = FEED_BEFORE + keep + b->n + FEED_BEFORE;
	const char *tail = f->at + f->at_n - keep;
	bool own = f->line && tail >= f->line && tail < f->line + f->line_cap;
	size_t at = own ? (size_t)(tail - f->line) : 0;

	if (keep > f->line_max) {
		err_set(err, ERR_LIMIT, 0, "%s: a line of more than %zu MiB",
			f->opts.name, f->line_max >> 20);
		return err_hint(
			err, "no profile has such lines; if this one does, raise --mem");
	}
	if (vec_reserve(&f->line, &f->line_cap, need, 1))
		return err_no_memory(err, "while reading");
	memmove(f->line + FEED_BEFORE, own ? f->line + at : tail, keep);
	memcpy(f->line + FEED_BEFORE + keep, b->room + ROOM, b->n);
	f->at = f->line + FEED_BEFORE;
	f->at_n = keep + b->n;
	return 0;
}

int feed_next(struct feed *f, size_t keep, struct feed_block *out, struct err *err)
{
	bool none, last;
	struct feed_room *b;

	if (wait_filled(f, f->holding, &none, &last, err))
		return err->kind;
	if (none) {
		*out = (struct feed_block){f->at ? f->at + f->at_n - keep : "", keep,
					   true};
		f->at_n = keep;
		f->at = out->p;
		return 0;
	}
	b = &f->ring[(f->first + f->holding) % BLOCKS];
	if (keep > ROOM - FEED_BEFORE) {
		if (join(f, keep, b, err))
			return err->kind;
	} else {
		char *p = b->room + ROOM - keep;

		if (keep)
			memmove(p, f->at + f->at_n - keep, keep);
		f->at = p;
		f->at_n = keep + b->n;
	}
	if (f->holding)
		give_back(f);
	else
		memcpy(f->head, f->at,
		       f->nhead = f->at_n < FEED_HEAD ? f->at_n : FEED_HEAD);
	f->holding = true;
	if (f->at_n)
		f->end = f->at[f->at_n - 1];
	*out = (struct feed_block){f->at, f->at_n, last};
	return 0;
}
