/*
 * stretch_in.h - the inside of reading in stretches, for stretch.c and stretch_*.c.
 *
 * The stretches are a list in file order, and those nobody reads yet a queue.  A thread that finds
 * the queue empty waits, and one that still has much to read gives it half of that:
 *
 *	thread 1	|--------- read ---->		|	waits
 *	thread 2	|--- read -->  to read		|	offers a stretch
 *						|-------|
 */
#ifndef QUERN_STRETCH_IN_H
#define QUERN_STRETCH_IN_H

#include <pthread.h>

#include "index/fast/replay.h"
#include "index/read/stretch.h"

/* Bytes [from, to) of the text, or of a feed's block. */
struct window {
	const char *p;
	size_t from, to;
};

struct stretch {
	struct stretch *next; /* in file order */
	struct stretch *then; /* in the queue */
	struct reading *reading;
	size_t from, to;
	bool given; /* it was another one's */
	bool whole; /* there is no place to cut it */
	struct window at_hand;
	char *copy;		/* what is at hand; NULL: the map is */
	size_t copy_cap, piece; /* bytes to have at hand */
	struct source_hash *hash;
	size_t hashed; /* up to there, from the first piece that begins in it on */
	struct tally tally;
	bool begun; /* tally is to be freed */
	struct decode *decode;
	struct batch *batch;
	struct replay replay;
	uint64_t held; /* of opts->held */
	struct err err;
};

struct reading {	   /* shared by the threads */
	const char *text;  /* a map; NULL: of a feed, */
	struct feed *feed; /* or NULL */
	size_t n;	   /* of a feed: of the last block, SIZE_MAX before it */
	const struct stretch_opts *opts;
	struct stretches *s;
	size_t give; /* bytes that are worth giving to a thread; SIZE_MAX: none are */
	struct tally *head; /* has read the header; NULL: one stretch */
	char *head_text;    /* what it has read, or NULL */
	struct decode *head_decode;
	struct batch *head_batch;
	pthread_mutex_t
		lock; /* of what follows up to `wanted`, and of the stretches' order */
	pthread_cond_t changed;
	struct stretch *queue, *queue_end;
	unsigned busy, waiting; /* threads */
	size_t offered;		/* stretches in the queue, or soon */
	atomic_bool wanted;	/* more threads wait than stretches are offered */
	_Atomic uint64_t done;	/* bytes */
	atomic_int stop;	/* some stretch failed */
	pthread_t caller;
	unsigned jobs;
	struct err err; /* of stretch_cut() */
};

int stretch_no_memory(struct err *err);
int stretch_changed(
	struct err *err); /* whoever knows the file's name says it better (input.c) */

static inline size_t least(size_t a, size_t b)
{
	return a < b ? a : b;
}

/* ---- stretch_text.c: the text at hand ---- */
static inline const char *stretch_text(const struct stretch *s, size_t at)
{
	return s->at_hand.p + (at - s->at_hand.from);
}

/* Bytes that replay_run() and first_run() may look ahead. */
static inline size_t stretch_room(const struct stretch *s)
{
	return 512 + 16 * (size_t)s->decode->ncols;
}

/* At `at` no more is at hand than the loops look ahead, but there is more. */
static inline bool stretch_wants_text(const struct stretch *s, size_t at)
{
	return s->copy && s->at_hand.to < s->to && s->at_hand.to - at <= stretch_room(s);
}

/* Not of a feed.  0, or an error kind in s->err. */
int stretch_text_begin(struct stretch *s);
/* Where stretch_wants_text(), or what is at hand ended within a line, which is `longer`.  0, or an
 * error kind in s->err. */
int stretch_text_more(struct stretch *s, size_t at, bool longer);
/* All up to there was read: it need be at hand no more.  And the stretch was. */
void stretch_text_upto(struct stretch *s, size_t upto);
void stretch_text_end(struct stretch *s);
void stretch_text_free(struct stretch *s);

/* ---- stretch_cut.c: where to cut ---- */
/* Cut r's text into stretches, at about the bytes asked for, or one per thread.  0, or an error kind
 * in err. */
int stretch_cut(struct reading *r, struct err *err);
void stretch_free_head(struct reading *r);
/* The first place to cut at or behind `from`, which is not 0, or `to`. */
size_t stretch_find_cut(const struct reading *r, size_t from, size_t to);

/* ---- stretch_queue.c: who reads what ---- */
/* A stretch behind all others, and in the queue.  -1 when memory is out. */
int stretch_add(struct reading *r, size_t from, size_t to);
/* One to read, or NULL: there is nothing more.  done: the thread has read the one before. */
struct stretch *stretch_take(struct reading *r, bool done);
/* Half of what s has behind `at`, or less, to a thread that waits, if it is worth that.  0, or an error kind in
 * s->err. */
int stretch_give(struct stretch *s, size_t at);
static inline bool stretch_wanted(const struct reading *r)
{
	return atomic_load_explicit(&r->wanted, memory_order_relaxed);
}

#endif
