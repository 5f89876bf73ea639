/*
 * ordered.c - items made on threads, taken in order; see ordered.h.
 *
 * Item i is made in slot i % nslots, once item i - nslots was taken.  One lock
 * guards all counters and slot states; make() and take() run without it.
 */
#include "index/base/ordered.h"

#include <pthread.h>
#include <stdlib.h>
#include <unistd.h>

enum { JOBS_MAX = 256 };

struct state {
	bool ready;
	int made;
};

struct ordered_run {
	const struct ordered *o;
	pthread_mutex_t lock; /* guards all members below */
	pthread_cond_t changed;
	struct state *state; /* per slot */
	size_t next, taken;  /* items begun, taken */
	bool stop;
};

struct helper {
	struct ordered_run *run;
	void *worker;
	pthread_t thread;
};

static void *slot_of(const struct ordered *o, size_t item)
{
	return (char *)o->slots + item % o->nslots * o->slot_size;
}

/* The next item must wait until others are taken. */
static bool must_wait(const struct ordered_run *r)
{
	const struct ordered *o = r->o;
	const size_t held = r->next - r->taken;

	return held >= o->nslots || (held && o->full && o->full(o->arg));
}

/* Make items until none is left. */
static void *ordered_work(void *arg)
{
	const struct helper *h = arg;
	struct ordered_run *r = h->run;
	const struct ordered *o = r->o;

	pthread_mutex_lock(&r->lock);
	for (;;) {
		size_t item;
		int made;

		while (!r->stop && r->next < o->items && must_wait(r))
			pthread_cond_wait(&r->changed, &r->lock);
		if (r->stop || r->next >= o->items)
			break;
		item = r->next++;
		pthread_mutex_unlock(&r->lock);
		made = o->make(h->worker, slot_of(o, item), item);
		pthread_mutex_lock(&r->lock);
		r->state[item % o->nslots] = (struct state){true, made};
		pthread_cond_broadcast(&r->changed);
	}
	pthread_mutex_unlock(&r->lock);
	return NULL;
}

/* Whether the item is made; waits for it if `wait`.  *made: the result of make(). */
static bool is_made(struct ordered_run *r, size_t item, bool wait, int *made)
{
	struct state *s = &r->state[item % r->o->nslots];
	bool ready;

	pthread_mutex_lock(&r->lock);
	while (wait && !s->ready)
		pthread_cond_wait(&r->changed, &r->lock);
	ready = s->ready;
	*made = s->made;
	pthread_mutex_unlock(&r->lock);
	return ready;
}

static void slot_is_free(struct ordered_run *r, size_t item)
{
	pthread_mutex_lock(&r->lock);
	r->state[item % r->o->nslots].ready = false;
	r->taken++;
	pthread_cond_broadcast(&r->changed);
	pthread_mutex_unlock(&r->lock);
}

/* Take items from *next on: the first `waited` wait until they are made, the rest must
 * be ready. */
static int take_ready(struct ordered_run *r, size_t *next, size_t waited)
{
	const struct ordered *o = r->o;
	int made, rc = 0;

	for (; !rc && *next < o->items && is_made(r, *next, waited > 0, &made); ++*next) {
		rc = o->take(o->arg, slot_of(o, *next), *next, made);
		slot_is_free(r, *next);
		waited -= waited > 0;
	}
	return rc;
}

/* Take all items while threads make them. */
static int ordered_take_all(struct ordered_run *r)
{
	const struct ordered *o = r->o;
	enum ordered_left left = o->beside ? ORDERED_MORE : ORDERED_NOTHING;
	size_t next = 0;
	int rc = 0;

	while (!rc && left) {
		rc = o->beside(o->arg, next == o->items, &left);
		rc = rc ? rc : take_ready(r, &next, left == ORDERED_LATER);
	}
	return rc ? rc : take_ready(r, &next, o->items);
}

static int make_and_take_all(const struct ordered *o)
{
	enum ordered_left left = o->beside ? ORDERED_MORE : ORDERED_NOTHING;
	int rc = 0;

	while (!rc && left)
		rc = o->beside(o->arg, true, &left);
	for (size_t i = 0; !rc && i < o->items; i++) {
		void *slot = slot_of(o, i);

		rc = o->take(o->arg, slot, i, o->make(o->worker[0], slot, i));
	}
	return rc;
}

static void stop_all(struct ordered_run *r, struct helper *helper, unsigned n)
{
	pthread_mutex_lock(&r->lock);
	r->stop = true;
	pthread_cond_broadcast(&r->changed);
	pthread_mutex_unlock(&r->lock);
	for (unsigned i = 0; i < n; i++)
		pthread_join(helper[i].thread, NULL);
}

int ordered_run(const struct ordered *o)
{
	struct ordered_run r = {.o = o};
	struct helper *helper = NULL;
	unsigned n = 0;
	int rc;

	pthread_mutex_init(&r.lock, NULL);
	pthread_cond_init(&r.changed, NULL);
	if (o->nworkers > 1 && o->items > 1) {
		r.state = calloc(o->nslots, sizeof(*r.state));
		helper = calloc(o->nworkers, sizeof(*helper));
	}
	for (; r.state && helper && n < o->nworkers; n++) {
		helper[n] = (struct helper){.run = &r, .worker = o->worker[n]};
		if (pthread_create(&helper[n].thread, NULL, ordered_work, &helper[n]))
			break;
	}
	rc = n > 0 ? ordered_take_all(&r) : make_and_take_all(o);
	stop_all(&r, helper, n);
	free(helper);
	free(r.state);
	pthread_cond_destroy(&r.changed);
	pthread_mutex_destroy(&r.lock);
	return rc;
}

unsigned ordered_jobs(unsigned jobs)
{
	long processors = sysconf(_SC_NPROCESSORS_ONLN);

	if (!jobs)
		jobs = processors > 0 ? (unsigned)processors : 1;
	return jobs < JOBS_MAX ? jobs : JOBS_MAX;
}
