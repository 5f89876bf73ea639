/*
 * stretch_in.h - internals shared by stretch.c and stretch_*.c.
 *
 * The stretches are a list in file order; those not being read are in a queue.  A thread
 * that finds the queue empty waits, and a thread with much left to read puts half of it
 * there:
 *
 *	thread 1	|--------- read ---->		|	waits
 *	thread 2	|--- read -->  to read		|	offers a stretch
 *						|-------|
 */
#ifndef QUERN_STRETCH_IN_H
#define QUERN_STRETCH_IN_H

#include <pthread.h>

#include "index/base/err_struct.h"
#include "index/fast/replay.h"
#include "index/read/stretch.h"

/* Bytes [from, to) of the text, or of a feed's block. */
struct text_window {
	const char *p;
	size_t from, to;
};

struct stretch {
	struct stretch *next; /* in file order */
	struct stretch *then; /* in the queue */
	struct reading *reading;
	size_t from, to;
	bool given; /* it was part of another stretch */
	bool whole; /* there is no further place to cut */
	struct text_window at_hand;
	char *copy;		  /* buffer of the text at hand; NULL: it is the map */
	size_t copy_cap, at_once; /* size of the buffer; bytes to read at once */
	struct source_hash *hash;
	size_t hashed; /* hashed up to here, from the first chunk that begins in it */
	struct tally tally;
	bool begun; /* the tally must be freed */
	struct decode *decode;
	struct batch *batch;
	struct replay replay;
	uint64_t held; /* its share of *opts->held */
	struct err err;
};

struct reading {	   /* shared by the threads */
	const char *text;  /* a map; NULL if read from a feed */
	struct feed *feed; /* NULL if read from a map */
	size_t n;	   /* of a feed: the last block's, SIZE_MAX before it */
	const struct stretch_opts *opts;
	struct stretches *s;
	size_t give;	    /* least bytes to give to another thread; SIZE_MAX: never */
	struct tally *head; /* the tally of the header; NULL: one stretch */
	char *head_text;    /* the copy it was read from, or NULL */
	struct decode *head_decode;
	struct batch *head_batch;
	pthread_mutex_t
		lock; /* guards the order of stretches and all below up to `wanted` */
	pthread_cond_t changed;
	struct stretch *queue, *queue_end;
	unsigned busy, waiting; /* number of threads */
	size_t offered;		/* stretches in the queue or promised */
	atomic_bool wanted;	/* more threads wait than stretches are offered */
	_Atomic uint64_t done;	/* bytes read */
	atomic_int stop;	/* some stretch failed */
	pthread_t caller;
	unsigned jobs;
	struct err err; /* the error of stretch_cut() */
};

int stretch_changed(
	struct err *err); /* input.c replaces this: it knows the file's name */

static inline size_t least(size_t a, size_t b)
{
	return a < b ? a : b;
}

/* ---- stretch_text.c: the text at hand ---- */
static inline const char *stretch_text(const struct stretch *s, size_t at)
{
	return s->at_hand.p + (at - s->at_hand.from);
}

/* Bytes that replay_run() and first_run() may read ahead. */
static inline size_t stretch_room(const struct stretch *s)
{
	return 512 + 16 * (size_t)s->decode->ncols;
}

/* Whether those loops have too little text at `at`, and the stretch has more. */
static inline bool stretch_wants_text(const struct stretch *s, size_t at)
{
	return s->copy && s->at_hand.to < s->to && s->at_hand.to - at <= stretch_room(s);
}

/* Not for a feed.  Returns 0, or an error kind in s->err. */
int stretch_text_begin(struct stretch *s);
/* Load more text: stretch_wants_text(), or no line ended in the text at hand
 * (`longer`).  Returns 0, or an error kind in s->err. */
int stretch_text_more(struct stretch *s, size_t at, bool longer);
/* The text up to here has been read and can be dropped.  The same for the whole
 * stretch. */
void stretch_text_upto(struct stretch *s, size_t upto);
void stretch_text_end(struct stretch *s);
void stretch_text_free(struct stretch *s);

/* ---- stretch_cut.c: where to cut ---- */
/* Cut r's text into stretches of about opts->stretch bytes, or one per thread.
 * Returns 0, or an error kind in err. */
int stretch_cut(struct reading *r, struct err *err);
void stretch_free_head(struct reading *r);
/* The first place to cut at or after `from` (not 0), or `to`. */
size_t stretch_find_cut(const struct reading *r, size_t from, size_t to);

/* ---- stretch_queue.c: who reads what ---- */
/* Add a stretch after all others and queue it.  -1 if memory is out. */
int stretch_add(struct reading *r, size_t from, size_t to);
/* Take a stretch to read; NULL: nothing is left.  done: the thread has read its last
 * one. */
struct stretch *stretch_take(struct reading *r, bool done);
/* Give half or less of the text after `at` to a waiting thread, if it is worth it.
 * Returns 0, or an error kind in s->err. */
int stretch_give(struct stretch *s, size_t at);
static inline bool stretch_wanted(const struct reading *r)
{
	return atomic_load_explicit(&r->wanted, memory_order_relaxed);
}

#endif
