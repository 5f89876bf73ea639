/* ordered.c - items made on threads, taken in order; see ordered.h. */
#include "index/base/ordered.h"

#include <pthread.h>
#include <stdbool.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <unistd.h>

enum { JOBS_MAX = 256 };

struct state {
	bool ready;
	int made;
};

struct run {
	const struct ordered *o;
	pthread_mutex_t lock; /* of all that follows */
	pthread_cond_t changed;
	struct state *state; /* per slot */
	size_t next, taken;  /* items begun, taken */
	bool stop;
};

struct helper {
	struct run *run;
	void *worker;
	pthread_t thread;
};

static void *slot_of(const struct ordered *o, size_t item)
{
	return (char *)o->slots + item % o->nslots * o->slot_size;
}

/* Make items until there are no more. */
static void *work(void *arg)
{
	const struct helper *h = arg;
	struct run *r = h->run;
	const struct ordered *o = r->o;

	/* A thread that only computes needs no way to more rights. */
	prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0);
	pthread_mutex_lock(&r->lock);
	for (;;) {
		size_t item;
		int made;

		while (!r->stop && r->next < o->items && r->next - r->taken >= o->nslots)
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

/* Wait until the item is made; what make() said. */
static int wait_for(struct run *r, size_t item)
{
	struct state *s = &r->state[item % r->o->nslots];
	int made;

	pthread_mutex_lock(&r->lock);
	while (!s->ready)
		pthread_cond_wait(&r->changed, &r->lock);
	made = s->made;
	pthread_mutex_unlock(&r->lock);
	return made;
}

static void slot_is_free(struct run *r, size_t item)
{
	pthread_mutex_lock(&r->lock);
	r->state[item % r->o->nslots].ready = false;
	r->taken++;
	pthread_cond_broadcast(&r->changed);
	pthread_mutex_unlock(&r->lock);
}

static int take_all(struct run *r, bool helped)
{
	const struct ordered *o = r->o;
	int rc = 0;

	for (size_t i = 0; !rc && i < o->items; i++) {
		void *slot = slot_of(o, i);
		int made = helped ? wait_for(r, i) : o->make(o->worker[0], slot, i);

		rc = o->take(o->arg, slot, i, made);
		if (helped)
			slot_is_free(r, i);
	}
	return rc;
}

static void stop_all(struct run *r, struct helper *helper, unsigned n)
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
	struct run r = {.o = o};
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
		if (pthread_create(&helper[n].thread, NULL, work, &helper[n]))
			break;
	}
	rc = o->meanwhile ? o->meanwhile(o->arg) : 0;
	rc = rc ? rc : take_all(&r, n > 0);
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
