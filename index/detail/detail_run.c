/*
 * detail_run.c - merge the runs of a function; see detail_run.h.
 *
 * In the packed form the number of rows is before the rows, so the runs are merged twice:
 * first to count the rows of each file, then to write them.  A heap orders the runs by
 * their next row.
 *
 *	run 0	10 12 15 ...		heap: 1 (9), 0 (10), 2 (12)
 *	run 1	9 10 11 ...		taken: 9, then 10 of run 1 and of run 0 as one row,
 *	run 2	12 13 ...		       then 11, then 12 of run 0 and of run 2 ...
 *
 * A run is read as a stream, so only one row of each is unpacked at a time.
 */
#include "index/detail/detail_run.h"

#include <stdlib.h>
#include <string.h>

#include "index/base/cost.h"
#include "index/base/vec.h"
#include "index/detail/edge_uses.h"

enum { STEPS = 1 << 12 };

struct open_run {
	struct detail_reader r; /* r.row: its next row */
	uint64_t left;		/* after that one */
	uint64_t *cost;
};

struct merger {
	struct detail_runs *runs;
	const struct detail_shape *shape;
	enum detail_kind kind;
	struct open_run *run;
	uint64_t *costs; /* of each run, then of `row` */
	uint32_t *heap;	 /* runs with rows left, the one with the least row first */
	size_t nheap;
	const atomic_int *cancel; /* may be NULL */
	uint32_t steps;		  /* rows since the last look at it */
	struct detail_row row;	  /* the last one taken */
	uint64_t *cost;
	struct edge_uses uses; /* of call sites */
};

struct run_group {
	uint32_t file;
	uint64_t rows;
};

int detail_compare(const void *a, const void *b)
{
	const struct detail_row *x = a, *y = b;

#define BY(field)                 \
	if (x->field != y->field) \
	return x->field < y->field ? -1 : 1
	BY(file);
	BY(instr);
	BY(line);
	BY(edge);
	BY(to_instr);
	BY(to_line);
	BY(to_fn);
	BY(to_file);
#undef BY
	return 0;
}

int detail_runs_end(struct detail_runs *runs)
{
	if (vec_reserve(&runs->end, &runs->cap, runs->n + 1, sizeof(*runs->end)))
		return -1;
	runs->end[runs->n++] = runs->bytes.n;
	return 0;
}

/* ---- the heap ---- */

static bool detail_run_before(const struct merger *m, size_t i, size_t k)
{
	return detail_compare(&m->run[m->heap[i]].r.row, &m->run[m->heap[k]].r.row) < 0;
}

/* Move the run at place i down the heap until no run below it has a lesser row. */
static void sift_down(struct merger *m, size_t i)
{
	for (size_t child; (child = 2 * i + 1) < m->nheap; i = child) {
		uint32_t top = m->heap[i];

		if (child + 1 < m->nheap && detail_run_before(m, child + 1, child))
			child++;
		if (!detail_run_before(m, child, i))
			return;
		m->heap[i] = m->heap[child];
		m->heap[child] = top;
	}
}

/* Read the next row of the first run in the heap, or remove the run if it has no more. */
static void advance(struct merger *m)
{
	struct open_run *r = &m->run[m->heap[0]];

	if (r->left) {
		r->left--;
		detail_next(&r->r, r->cost);
	} else {
		m->heap[0] = m->heap[--m->nheap];
	}
	sift_down(m, 0);
}

/* ---- merging ---- */

/* Begin at the first row of each run again, and make the heap. */
static void rewind_runs(struct merger *m)
{
	const unsigned char *p = m->runs->bytes.p;
	size_t start = 0;

	m->nheap = 0;
	for (size_t i = 0; i < m->runs->n; start = m->runs->end[i++]) {
		struct open_run *r = &m->run[i];
		uint64_t n = detail_begin(&r->r, m->kind, m->shape, p + start,
					  p + m->runs->end[i]);

		r->cost = m->costs + i * m->shape->events;
		if (!n)
			continue;
		r->left = n - 1;
		detail_next(&r->r, r->cost);
		m->heap[m->nheap++] = (uint32_t)i;
	}
	for (size_t i = m->nheap; i-- > 0;)
		sift_down(m, i);
}

static void take_row(struct merger *m, bool first)
{
	const struct open_run *r = &m->run[m->heap[0]];
	bool *full = &m->runs->full;

	if (first) {
		m->row = r->r.row;
		m->row.cost = m->cost;
		memcpy(m->cost, r->cost, m->shape->events * sizeof(*m->cost));
	} else {
		*full |= count_add(&m->row.calls, r->r.row.calls) &&
			 m->kind == DETAIL_JUMPS;
		*full |= count_add(&m->row.taken, r->r.row.taken);
		for (uint32_t e = 0; e < m->shape->events; e++)
			*full |= cost_add_bits(&m->cost[e], r->cost[e]);
	}
	advance(m);
}

/* Was the merge cancelled?  Look now and then only. */
static bool merge_stopped(struct merger *m)
{
	return m->cancel && ++m->steps % STEPS == 0 &&
	       atomic_load_explicit(m->cancel, memory_order_relaxed);
}

/* Take the next row into m->row, and add equal ones of all runs to it. */
static bool next_row(struct merger *m)
{
	if (!m->nheap)
		return false;
	take_row(m, true);
	while (m->nheap && detail_compare(&m->row, &m->run[m->heap[0]].r.row) == 0)
		take_row(m, false);
	return true;
}

/* The first pass: how many rows there will be, in all and of each file, and which edges have
 * one call site. */
static int count_groups(struct merger *m, struct run_group **groups, size_t *n,
			uint64_t *rows)
{
	size_t cap = 0;

	rewind_runs(m);
	for (*rows = 0; next_row(m); ++*rows) {
		if (merge_stopped(m))
			return -1;
		if (!*n || (*groups)[*n - 1].file != m->row.file) {
			if (vec_reserve(groups, &cap, *n + 1, sizeof(**groups)))
				return -1;
			(*groups)[(*n)++] = (struct run_group){m->row.file, 0};
		}
		(*groups)[*n - 1].rows++;
		if (m->kind == DETAIL_SITES && edge_uses_add(&m->uses, m->row.edge))
			return -1;
	}
	return 0;
}

/* Take the next row and write it. */
static int write_next(struct merger *m, struct detail_writer *w)
{
	if (merge_stopped(m) || !next_row(m))
		return -1;
	m->row.alone = m->kind == DETAIL_SITES && edge_uses_once(&m->uses, m->row.edge);
	return detail_write_row(w, &m->row);
}

static int write_groups(struct merger *m, struct bytes *b, const struct run_group *groups,
			size_t n)
{
	struct detail_writer w = {.b = b, .kind = m->kind, .shape = m->shape};

	rewind_runs(m);
	for (size_t g = 0; g < n; g++) {
		if (detail_write_group(&w, groups[g].file, groups[g].rows))
			return -1;
		for (uint64_t i = 0; i < groups[g].rows; i++)
			if (write_next(m, &w))
				return -1;
	}
	return 0;
}

int detail_runs_merge(struct detail_runs *runs, enum detail_kind kind,
		      const struct detail_shape *s, const atomic_int *cancel,
		      struct bytes *b, uint64_t *n)
{
	struct merger m = {.runs = runs, .shape = s, .kind = kind, .cancel = cancel};
	struct run_group *groups = NULL;
	size_t ngroups = 0;
	int rc = -1;

	m.run = calloc(runs->n + 1, sizeof(*m.run));
	m.heap = calloc(runs->n + 1, sizeof(*m.heap));
	m.costs = calloc((runs->n + 1) * s->events + 1, sizeof(*m.costs));
	if (m.run && m.heap && m.costs) {
		m.cost = m.costs + runs->n * s->events;
		rc = count_groups(&m, &groups, &ngroups, n) || bytes_put(b, *n) ||
		     write_groups(&m, b, groups, ngroups);
	}
	free(groups);
	free(m.run);
	free(m.heap);
	free(m.costs);
	edge_uses_free(&m.uses);
	runs->n = 0;
	runs->bytes.n = 0;
	return rc;
}

void detail_runs_free(struct detail_runs *runs)
{
	free(runs->bytes.p);
	free(runs->end);
	*runs = (struct detail_runs){0};
}
