/* stretch_queue.c - which thread reads which stretch; see stretch_in.h. */
#include "index/read/stretch_in.h"
#include "index/base/err.h"

#include <stdlib.h>

enum {
	/* A thread that takes over repetitive text must learn its links first, which
	 * takes as long as reading LEARNING bytes: the giver keeps so much more. */
	LEARNING = 4 << 20,
	LEARNT = 1 << 12, /* links of a stretch with repetitive text */
};

static struct stretch *new_stretch(struct reading *r, size_t from, size_t to)
{
	struct stretch *s = malloc(sizeof(*s));

	if (s)
		*s = (struct stretch){.reading = r, .from = from, .to = to};
	return s;
}

/* Queue s, and put it after `before` in file order; NULL: first. */
static void put_after(struct reading *r, struct stretch *before, struct stretch *s)
{
	struct stretch **in_file = before ? &before->next : &r->s->first;

	s->next = *in_file;
	*in_file = s;
	r->s->n++;
	*(r->queue ? &r->queue_end->then : &r->queue) = s;
	r->queue_end = s;
}

static void recount(struct reading *r)
{
	atomic_store_explicit(&r->wanted, r->waiting > r->offered, memory_order_relaxed);
}

int stretch_add(struct reading *r, size_t from, size_t to)
{
	struct stretch *s = new_stretch(r, from, to);

	if (!s)
		return -1;
	/* Nothing has been taken yet, so the last in the queue is the last in the
	 * file. */
	put_after(r, r->queue ? r->queue_end : NULL, s);
	r->offered++;
	return 0;
}

struct stretch *stretch_take(struct reading *r, bool done)
{
	struct stretch *s;

	pthread_mutex_lock(&r->lock);
	r->busy -= done;
	r->waiting++;
	recount(r);
	while (!r->queue && r->busy)
		pthread_cond_wait(&r->changed, &r->lock);
	r->waiting--;
	s = r->queue;
	if (s) {
		r->queue = s->then;
		r->offered--;
		r->busy++;
	} else {
		pthread_cond_broadcast(&r->changed);
	}
	recount(r);
	pthread_mutex_unlock(&r->lock);
	return s;
}

/* Promise a stretch, if one is wanted. */
static bool claim(struct reading *r)
{
	bool wanted;

	pthread_mutex_lock(&r->lock);
	wanted = r->waiting > r->offered;
	r->offered += wanted;
	recount(r);
	pthread_mutex_unlock(&r->lock);
	return wanted;
}

/* Keep the promise: queue the part of s after the cut, or NULL if it cannot be cut. */
static void offer(struct reading *r, struct stretch *s, struct stretch *rest)
{
	pthread_mutex_lock(&r->lock);
	if (rest) {
		put_after(r, s, rest);
		pthread_cond_signal(&r->changed);
	} else {
		r->offered--;
	}
	recount(r);
	pthread_mutex_unlock(&r->lock);
}

int stretch_give(struct stretch *s, size_t at)
{
	struct reading *r = s->reading;
	const size_t learning = s->replay.n < LEARNT ? 0 : LEARNING;
	const size_t half = (s->to - at) / 2;
	struct stretch *rest = NULL;
	size_t cut;

	if (s->whole || half < learning || half - learning < r->give || !claim(r))
		return 0;
	/* A map may fault here, so no lock is held. */
	cut = stretch_find_cut(r, at + half + learning, s->to);
	s->whole = cut == s->to;
	if (!s->whole) {
		rest = new_stretch(r, cut, s->to);
		if (!rest)
			return err_no_memory(&s->err, "while reading");
		rest->given = true;
		s->to = cut;
	}
	offer(r, s, rest);
	return 0;
}
