/*
 * save_detail.c - cost lines, call sites and jumps into the index, on several threads.
 *
 *	functions  0 .. 99 | 100 .. 120 | 121 .. 450 | ...	units of about equal work
 *	               |          |
 *	            thread     thread			pack a unit each
 *	               |          |
 *	              ring of packed units ---> the caller	writes them in order
 *
 * So the index is the same for any number of threads, and what is held is a few units.
 */
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <unistd.h>

#include "index/base/vec.h"
#include "index/detail.h"
#include "index/save.h"

enum {
	UNIT_WEIGHT = 1 << 15,	/* entries of a unit, about */
	JOBS_MAX = 256,
};

static const struct {
	enum table rows, places;
} tables[DETAIL_KINDS] = {
	[DETAIL_LINES] = {TABLE_LINES, TABLE_LINES_AT},
	[DETAIL_SITES] = {TABLE_SITES, TABLE_SITES_AT},
	[DETAIL_JUMPS] = {TABLE_JUMPS, TABLE_JUMPS_AT},
};

/* A function in a unit: where its rows end in the unit's bytes. */
struct packed_fn {
	size_t end[DETAIL_KINDS];
	uint64_t first_line;
};

struct unit {
	enum unit_state { UNIT_FREE, UNIT_PACKED, UNIT_FAILED } state;
	int why;		/* it failed: detail_unread() */
	struct bytes bytes[DETAIL_KINDS];
	uint64_t rows[DETAIL_KINDS];
	struct packed_fn *fn;
	size_t fn_cap;
};

struct packing {
	uint32_t *from;		/* first function of each unit, and the end of the last */
	size_t nunits;
	struct unit *ring;
	size_t nring;
	pthread_mutex_t lock;	/* of what follows, and of the states of units */
	pthread_cond_t changed;
	size_t next, written;	/* units begun, written */
	bool stop;
};

struct worker {
	struct packing *packing;
	struct detail *detail;
	pthread_t thread;
};

static int no_memory(struct err *err)
{
	err_set(err, ERR_LIMIT, 0, "out of memory while writing the index");
	return err_hint(err, "the machine has too little memory for this profile");
}

/* The rows of a function could not be had; why is detail_unread(). */
static int not_packed(int why, struct err *err)
{
	if (!why || err_kind_of(why, ERR_INDEX) == ERR_LIMIT)
		return no_memory(err);
	return err_set(err, ERR_INDEX, 0, "cannot read back a temporary file: %s", strerror(why));
}

static int pack(struct detail *d, struct unit *u, uint32_t from, uint32_t to)
{
	for (int k = 0; k < DETAIL_KINDS; k++)
		u->bytes[k].n = u->rows[k] = 0;
	if (vec_reserve(&u->fn, &u->fn_cap, to - from, sizeof(*u->fn)))
		return -1;
	for (uint32_t f = from; f < to; f++) {
		struct packed_fn *at = &u->fn[f - from];
		uint64_t n[DETAIL_KINDS];

		if (detail_pack(d, f, u->bytes, n, &at->first_line))
			return -1;
		for (int k = 0; k < DETAIL_KINDS; k++) {
			at->end[k] = u->bytes[k].n;
			u->rows[k] += n[k];
		}
	}
	return 0;
}

/* Pack units until there are no more. */
static void *work(void *arg)
{
	struct worker *w = arg;
	struct packing *p = w->packing;

	prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0);
	pthread_mutex_lock(&p->lock);
	for (;;) {
		size_t i;
		int rc;

		while (!p->stop && p->next < p->nunits && p->next - p->written >= p->nring)
			pthread_cond_wait(&p->changed, &p->lock);
		if (p->stop || p->next >= p->nunits)
			break;
		i = p->next++;
		pthread_mutex_unlock(&p->lock);
		rc = pack(w->detail, &p->ring[i % p->nring], p->from[i], p->from[i + 1]);
		pthread_mutex_lock(&p->lock);
		p->ring[i % p->nring].why = detail_unread(w->detail);
		p->ring[i % p->nring].state = rc ? UNIT_FAILED : UNIT_PACKED;
		pthread_cond_broadcast(&p->changed);
	}
	pthread_mutex_unlock(&p->lock);
	return NULL;
}

/* Wait until a unit is packed, or not. */
static int wait_packed(struct packing *p, struct unit *u, struct err *err)
{
	pthread_mutex_lock(&p->lock);
	while (u->state == UNIT_FREE)
		pthread_cond_wait(&p->changed, &p->lock);
	pthread_mutex_unlock(&p->lock);
	return u->state == UNIT_FAILED ? not_packed(u->why, err) : 0;
}

static void unit_written(struct packing *p, struct unit *u)
{
	pthread_mutex_lock(&p->lock);
	u->state = UNIT_FREE;
	p->written++;
	pthread_cond_broadcast(&p->changed);
	pthread_mutex_unlock(&p->lock);
}

static void stop_workers(struct packing *p, struct worker *worker, unsigned started)
{
	pthread_mutex_lock(&p->lock);
	p->stop = true;
	pthread_cond_broadcast(&p->changed);
	pthread_mutex_unlock(&p->lock);
	for (unsigned i = 0; i < started; i++)
		pthread_join(worker[i].thread, NULL);
}

/* ---- writing ---- */

struct writing {
	struct packer pack[DETAIL_KINDS];
	uint64_t *at[DETAIL_KINDS];	/* per function: its place */
	uint64_t rows[DETAIL_KINDS];
	uint64_t *first_line;
};

static int put_bytes(struct packer *pack, const unsigned char *p, size_t n)
{
	struct bytes *b = &pack->buf;

	if (b->cap - b->n < n && bytes_room(b, n))
		return -1;
	if (n)
		memcpy(b->p + b->n, p, n);
	b->n += n;
	return 0;
}

static int write_unit(struct writing *w, const struct unit *u, uint32_t from, uint32_t to,
		      struct err *err)
{
	size_t begin[DETAIL_KINDS] = {0};

	for (uint32_t f = from; f < to; f++) {
		const struct packed_fn *fn = &u->fn[f - from];

		w->first_line[f] = fn->first_line;
		for (int k = 0; k < DETAIL_KINDS; k++) {
			if (put_bytes(&w->pack[k], u->bytes[k].p + begin[k],
				      fn->end[k] - begin[k]))
				return no_memory(err);
			if (packer_end_row(&w->pack[k], &w->at[k][f], err))
				return (int)err->kind;
			begin[k] = fn->end[k];
		}
	}
	for (int k = 0; k < DETAIL_KINDS; k++)
		w->rows[k] += u->rows[k];
	return 0;
}

static int finish(struct writing *w, struct store_writer *store, size_t nfn, struct err *err)
{
	for (int k = 0; k < DETAIL_KINDS; k++)
		if (packer_flush(&w->pack[k], err) ||
		    store_writer_column(store, tables[k].places, 0, w->at[k], nfn, err))
			return (int)err->kind;
	return store_writer_column(store, TABLE_FN_LINE, 0, w->first_line, nfn, err);
}

static int writing_init(struct writing *w, struct store_writer *store, size_t nfn)
{
	*w = (struct writing){0};
	w->first_line = malloc((nfn + 1) * sizeof(*w->first_line));
	for (int k = 0; k < DETAIL_KINDS; k++) {
		w->pack[k] = (struct packer){.w = store, .table = tables[k].rows};
		w->at[k] = malloc((nfn + 1) * sizeof(*w->at[k]));
		if (!w->at[k])
			return -1;
	}
	return w->first_line ? 0 : -1;
}

static void writing_free(struct writing *w)
{
	for (int k = 0; k < DETAIL_KINDS; k++) {
		packer_free(&w->pack[k]);
		free(w->at[k]);
	}
	free(w->first_line);
}

/* ---- all of it ---- */

/* A test that asks for small runs has small units, too. */
static int cut_units(struct packing *p, const struct detail *d, size_t nfn, size_t run)
{
	const uint64_t most = run ? run : UNIT_WEIGHT;
	uint64_t weight = 0;
	size_t cap = 0;

	for (uint32_t f = 0; f < nfn; f++) {
		if (weight == 0) {
			if (vec_reserve(&p->from, &cap, p->nunits + 2, sizeof(*p->from)))
				return -1;
			p->from[p->nunits++] = f;
		}
		weight += detail_weight(d, f);
		if (weight >= most)
			weight = 0;
	}
	if (p->nunits)
		p->from[p->nunits] = (uint32_t)nfn;
	return 0;
}

static int packing_init(struct packing *p, const struct detail *d, size_t nfn, size_t run,
			unsigned jobs)
{
	*p = (struct packing){.nring = 2 * jobs};
	pthread_mutex_init(&p->lock, NULL);
	pthread_cond_init(&p->changed, NULL);
	p->ring = calloc(p->nring, sizeof(*p->ring));
	return p->ring ? cut_units(p, d, nfn, run) : -1;
}

static void packing_free(struct packing *p)
{
	for (size_t i = 0; p->ring && i < p->nring; i++) {
		for (int k = 0; k < DETAIL_KINDS; k++)
			free(p->ring[i].bytes[k].p);
		free(p->ring[i].fn);
	}
	free(p->ring);
	free(p->from);
	pthread_cond_destroy(&p->changed);
	pthread_mutex_destroy(&p->lock);
}

/* A thread that cannot be had is no error.  How many there are. */
static unsigned start_workers(struct packing *p, struct worker *worker, unsigned jobs,
			      const struct detail *d)
{
	unsigned n = 0;

	for (; n < jobs; n++) {
		struct err ignored = {0};

		worker[n] = (struct worker){.packing = p};
		if (detail_share(d, jobs, &worker[n].detail, &ignored))
			break;
		if (pthread_create(&worker[n].thread, NULL, work, &worker[n])) {
			detail_free(worker[n].detail);
			break;
		}
	}
	return n;
}

static bool cancelled(const atomic_int *c)
{
	return c && atomic_load_explicit(c, memory_order_relaxed);
}

static int write_all(struct packing *p, struct writing *w, struct detail *d, unsigned started,
		     const atomic_int *cancel, struct err *err)
{
	for (size_t i = 0; i < p->nunits; i++) {
		struct unit *u = &p->ring[i % p->nring];

		if (cancelled(cancel))
			return err_set(err, ERR_CANCEL, 0, "interrupted");
		if (started && wait_packed(p, u, err))
			return (int)err->kind;
		if (!started && pack(d, u, p->from[i], p->from[i + 1]))
			return not_packed(detail_unread(d), err);
		if (write_unit(w, u, p->from[i], p->from[i + 1], err))
			return (int)err->kind;
		unit_written(p, u);
	}
	return 0;
}

static unsigned threads(unsigned jobs)
{
	long processors = sysconf(_SC_NPROCESSORS_ONLN);

	if (!jobs)
		jobs = processors > 0 ? (unsigned)processors : 1;
	return jobs < JOBS_MAX ? jobs : JOBS_MAX;
}

int save_detail(const struct profile *p, struct store_writer *store, struct meta *meta,
		size_t run, unsigned jobs, const atomic_int *cancel, struct err *err)
{
	struct worker worker[JOBS_MAX];
	struct packing packing;
	struct writing w;
	struct detail *d;
	unsigned started = 0;
	int rc;

	jobs = threads(jobs);
	if (detail_new(p, run, &d, err))
		return (int)err->kind;
	rc = packing_init(&packing, d, p->nfn, run, jobs) ? no_memory(err) : 0;
	if (writing_init(&w, store, p->nfn) && !rc)
		rc = no_memory(err);
	if (!rc && jobs > 1 && packing.nunits > 1)
		started = start_workers(&packing, worker, jobs, d);
	rc = rc || write_all(&packing, &w, d, started, cancel, err) ||
	     finish(&w, store, p->nfn, err);
	stop_workers(&packing, worker, started);
	meta->lines = w.rows[DETAIL_LINES];
	meta->sites = w.rows[DETAIL_SITES];
	meta->jumps = w.rows[DETAIL_JUMPS];
	meta->loose = p->loose + detail_loose(d);
	for (unsigned i = 0; i < started; i++) {
		meta->loose += detail_loose(worker[i].detail);
		detail_free(worker[i].detail);
	}
	writing_free(&w);
	packing_free(&packing);
	detail_free(d);
	return rc ? (int)err->kind : 0;
}
