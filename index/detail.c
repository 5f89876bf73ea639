/*
 * detail.c - the entries of one function; see detail.h.
 *
 * Entries lie in the order in which the text first had them.  Two counting sorts find them
 * by function: entries by function slot in every tally, slots by function over all tallies.
 */
#include "index/detail.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "index/base/vec.h"
#include "index/detail_run.h"

enum { RUN_BYTES = 32 << 20 };	/* rows and their costs, about */

struct slot_ref {
	uint32_t tally, slot;
};

struct detail {
	const struct profile *p;
	uint32_t **first, **entry;	/* per tally: entries of each function slot */
	uint32_t *slot_first;		/* per function: into slots */
	struct slot_ref *slots;
	size_t run;			/* rows held at once */
	uint64_t *cost;			/* scratch: the costs of one row */
	uint64_t loose;
	int unread;			/* detail_unread() */
	bool same_events;		/* every tally's are the profile's, in its order */
	/* the function at hand */
	uint32_t fn;
	enum detail_kind kind;
	struct detail_shape shape;
	struct detail_row *row;		/* those that are held */
	size_t n, cap, most;		/* most: then they become a run */
	struct detail_runs runs;	/* those before */
	struct arena sums;		/* costs of rows that are sums or need mapping */
	uint64_t first_line;
};

static int order_entries(struct detail *d, size_t k)
{
	const struct tally *t = d->p->tally[k];
	uint32_t *first = calloc(t->nfn + 3, sizeof(*first));
	uint32_t *entry = malloc((t->nentry + 1) * sizeof(*entry));

	d->first[k] = first;
	d->entry[k] = entry;
	if (!first || !entry)
		return -1;
	/* first[f + 2] counts f's entries, first[f + 1] becomes f's running place and so, in
	 * the end, the start of f + 1. */
	for (size_t i = 1; i < t->nentry; i++)
		if (t->entry[i].what != ENTRY_HEAD)
			first[t->entry_fn[i] + 2]++;
	for (size_t f = 1; f <= t->nfn + 1; f++)
		first[f] += first[f - 1];
	for (size_t i = 1; i < t->nentry; i++)
		if (t->entry[i].what != ENTRY_HEAD)
			entry[first[t->entry_fn[i] + 1]++] = (uint32_t)i;
	return 0;
}

static int order_slots(struct detail *d)
{
	const struct profile *p = d->p;
	size_t n = 0;

	for (size_t k = 0; k < p->ntally; k++)
		n += p->tally[k]->nfn;
	d->slot_first = calloc(p->nfn + 3, sizeof(*d->slot_first));
	d->slots = malloc((n + 1) * sizeof(*d->slots));
	if (!d->slot_first || !d->slots)
		return -1;
	for (size_t k = 0; k < p->ntally; k++)
		for (size_t i = 0; i < p->tally[k]->nfn; i++)
			if (p->map[k].fn[i] != NO_ID)
				d->slot_first[p->map[k].fn[i] + 2]++;
	for (size_t f = 1; f <= p->nfn + 1; f++)
		d->slot_first[f] += d->slot_first[f - 1];
	for (size_t k = 0; k < p->ntally; k++)
		for (size_t i = 0; i < p->tally[k]->nfn; i++)
			if (p->map[k].fn[i] != NO_ID)
				d->slots[d->slot_first[p->map[k].fn[i] + 1]++] =
					(struct slot_ref){(uint32_t)k, (uint32_t)i};
	return 0;
}

static bool same_events(const struct profile *p)
{
	for (size_t k = 0; k < p->ntally; k++) {
		if (p->tally[k]->nevent != p->nevent)
			return false;
		for (size_t e = 0; e < p->nevent; e++)
			if (p->map[k].event[e] != e)
				return false;
	}
	return true;
}

int detail_new(const struct profile *p, size_t run, struct detail **out, struct err *err)
{
	struct detail *d = calloc(1, sizeof(*d));
	int rc = -1;

	if (d) {
		d->p = p;
		d->shape = (struct detail_shape){(uint32_t)p->nevent, p->has_instr, p->has_line};
		d->run = run ? run
			     : RUN_BYTES / (sizeof(*d->row) + (p->nevent + 2) * sizeof(uint64_t));
		d->same_events = same_events(p);
		arena_init(&d->sums, 0);
		d->first = calloc(p->ntally, sizeof(*d->first));
		d->entry = calloc(p->ntally, sizeof(*d->entry));
		d->cost = calloc(EVENTS_MAX, sizeof(*d->cost));
		rc = !d->first || !d->entry || !d->cost || order_slots(d);
		for (size_t k = 0; !rc && k < p->ntally; k++)
			rc = order_entries(d, k);
	}
	if (rc) {
		detail_free(d);
		return err_set(err, ERR_LIMIT, 0, "out of memory while ordering cost lines");
	}
	*out = d;
	return 0;
}

void detail_free(struct detail *d)
{
	if (!d)
		return;
	for (size_t k = 0; k < d->p->ntally; k++) {
		if (d->first)
			free(d->first[k]);
		if (d->entry)
			free(d->entry[k]);
	}
	free(d->first);
	free(d->entry);
	free(d->slot_first);
	free(d->slots);
	free(d->row);
	free(d->cost);
	detail_runs_free(&d->runs);
	arena_free(&d->sums);
	free(d);
}

uint64_t detail_loose(const struct detail *d)
{
	return d->loose;
}

int detail_unread(const struct detail *d)
{
	return d->unread;
}

static const enum detail_kind kinds[] = {	/* by enum entry_kind */
	DETAIL_LINES, DETAIL_SITES, DETAIL_JUMPS, DETAIL_JUMPS,
};

static enum detail_kind kind_of(uint32_t what)
{
	return kinds[ENTRY_KIND(what)];
}

/* Costs in the profile's events: the tally's own when they are the same. */
static const uint64_t *mapped(struct detail *d, size_t k, const uint64_t *cost)
{
	const struct tally *t = d->p->tally[k];
	uint64_t *to;

	if (d->same_events)
		return cost;
	to = ARENA_ARRAY(&d->sums, uint64_t, d->p->nevent + 1);
	for (size_t e = 0; to && e < t->nevent; e++)
		to[d->p->map[k].event[e]] = cost[e];
	return to;
}

/* The function that a jump goes to: that of the name in the source's object. */
static uint32_t jump_target(const struct profile *p, uint32_t from, uint32_t name, uint32_t file)
{
	uint32_t obj = p->fn_obj[from], lo = 0, hi = (uint32_t)p->nfn, best = from;

	if (p->fn_name[from] == name)
		return from;
	while (lo < hi) {
		uint32_t mid = lo + (hi - lo) / 2;

		if (p->fn_name[mid] < name)
			lo = mid + 1;
		else
			hi = mid;
	}
	for (; lo < p->nfn && p->fn_name[lo] == name; lo++) {
		if (p->fn_obj[lo] != obj)
			continue;
		if (p->fn_file[lo] == file)
			return lo;
		if (best == from)
			best = lo;
	}
	return best;
}

/* Where a jump of f goes; to as in tally.h. */
static void set_jump(struct detail *d, size_t k, uint32_t f, const uint64_t *to,
		     bool conditional, struct detail_row *r)
{
	const struct merge_map *m = &d->p->map[k];

	r->to_instr = to[0];
	r->to_line = to[1];
	r->to_file = m->name[SPACE_FILE][(uint32_t)to[2]];
	r->to_fn = jump_target(d->p, f, m->name[SPACE_FN][to[2] >> 32], r->to_file);
	d->loose += d->p->fn_name[r->to_fn] != m->name[SPACE_FN][to[2] >> 32] ||
		    (r->to_fn != f && d->p->fn_file[r->to_fn] != r->to_file);
	r->edge = (conditional ? JUMP_CONDITIONAL : 0) |
		  (r->to_fn != f ? JUMP_OTHER_FN : 0) |
		  (r->to_file != r->file ? JUMP_OTHER_FILE : 0);
}

static uint32_t edge_of(const struct profile *p, uint32_t caller, uint32_t callee)
{
	uint32_t lo = p->out_first[caller], hi = p->out_first[caller + 1];

	while (lo < hi) {
		uint32_t mid = lo + (hi - lo) / 2;

		if (p->callee[mid] < callee)
			lo = mid + 1;
		else
			hi = mid;
	}
	return lo;
}

static int add_row(struct detail *d, struct detail_row *to, const struct detail_row *r)
{
	size_t n = d->p->nevent;

	to->calls = detail_add(to->calls, r->calls);
	to->taken = detail_add(to->taken, r->taken);
	if (r->cost) {
		uint64_t *sum = ARENA_ARRAY(&d->sums, uint64_t, n + 1);

		if (!sum)
			return -1;
		for (size_t e = 0; e < n; e++)
			sum[e] = detail_add(to->cost[e], r->cost[e]);
		to->cost = sum;
	}
	return 0;
}

static int sort_and_add(struct detail *d)
{
	size_t last = 0;
	bool sorted = true;

	for (size_t i = 1; sorted && i < d->n; i++)
		sorted = detail_compare(&d->row[i - 1], &d->row[i]) <= 0;
	if (!sorted)
		qsort(d->row, d->n, sizeof(*d->row), detail_compare);
	for (size_t i = 1; i < d->n; i++) {
		if (detail_compare(&d->row[last], &d->row[i]) != 0)
			d->row[++last] = d->row[i];
		else if (add_row(d, &d->row[last], &d->row[i]))
			return -1;
	}
	if (d->n)
		d->n = last + 1;
	return 0;
}

/* The lowest known line of the function in its own file. */
static void note_first_line(struct detail *d)
{
	uint32_t file = d->p->fn_file[d->fn];

	for (size_t i = 0; i < d->n; i++)
		if (d->row[i].file == file && d->row[i].line &&
		    (!d->first_line || d->row[i].line < d->first_line))
			d->first_line = d->row[i].line;
}

/* Put what is held among the runs. */
static int end_run(struct detail *d)
{
	if (sort_and_add(d))
		return -1;
	note_first_line(d);
	if (detail_runs_add(&d->runs, d->kind, &d->shape, d->row, d->n))
		return -1;
	d->n = 0;
	arena_reset(&d->sums);
	return 0;
}

/* Room for one more row, NULL when memory is out. */
static struct detail_row *new_row(struct detail *d)
{
	if ((d->n >= d->most && end_run(d)) ||
	    vec_reserve(&d->row, &d->cap, d->n + 1, sizeof(*d->row)))
		return NULL;
	return &d->row[d->n++];
}


static int read_row(struct detail *d, size_t k, uint32_t f, const struct entry *e)
{
	const struct profile *p = d->p;
	const struct tally *t = p->tally[k];
	const struct merge_map *m = &p->map[k];
	struct detail_row *r = new_row(d);

	if (!r)
		return -1;
	*r = (struct detail_row){.instr = e->instr, .line = e->line,
				 .file = m->name[SPACE_FILE][e->file]};
	if (d->kind == DETAIL_JUMPS) {
		const uint64_t *v = &t->val[e->val];

		set_jump(d, k, f, v, ENTRY_KIND(e->what) == ENTRY_JCND, r);
		r->calls = v[3];
		r->taken = v[4];
		return 0;
	}
	if (d->kind == DETAIL_LINES) {
		r->cost = mapped(d, k, &t->val[e->val]);
	} else {
		const uint64_t *sum = &t->val[e->val + 2 + t->nevent];

		r->edge = edge_of(p, f, m->fn[ENTRY_CALLEE(e->what)]) - p->out_first[f];
		r->calls = sum[0];
		r->cost = mapped(d, k, sum + 1);
	}
	return r->cost ? 0 : -1;
}

/* The rows of a first block that never became entries. */
static int read_once(struct detail *d, size_t k, uint32_t f, const struct fn_slot *fn)
{
	const struct profile *p = d->p;
	struct spill *once = &p->tally[k]->once;
	const struct merge_map *m = &p->map[k];
	const unsigned char *bytes = spill_bytes(once, fn->once_at, fn->once_n);
	struct varint_reader in = {bytes, bytes ? bytes + fn->once_n : NULL, false};
	struct once_row o = {0};

	if (!bytes) {
		d->unread = errno;
		return -1;
	}
	while (once_get(&in, &o, d->cost)) {
		struct detail_row *r;
		uint64_t *cost;

		if (kinds[o.kind] != d->kind)
			continue;
		r = new_row(d);
		if (!r)
			return -1;
		*r = (struct detail_row){.instr = o.instr, .line = o.line,
					 .file = m->name[SPACE_FILE][o.file]};
		if (d->kind == DETAIL_JUMPS) {
			set_jump(d, k, f, o.to, o.kind == ENTRY_JCND, r);
			r->calls = o.count;
			r->taken = o.taken;
			continue;
		}
		cost = ARENA_ARRAY(&d->sums, uint64_t, p->nevent + 1);
		if (!cost)
			return -1;
		for (uint32_t e = 0; e < o.ncost; e++)
			cost[m->event[e]] = d->cost[e];
		r->cost = cost;
		if (d->kind == DETAIL_SITES) {
			r->edge = edge_of(p, f, m->fn[o.callee]) - p->out_first[f];
			r->calls = o.count;
		}
	}
	return 0;
}

static int gather(struct detail *d, uint32_t f)
{
	for (uint32_t s = d->slot_first[f]; s < d->slot_first[f + 1]; s++) {
		size_t k = d->slots[s].tally;
		uint32_t slot = d->slots[s].slot;
		const struct tally *t = d->p->tally[k];

		for (uint32_t i = d->first[k][slot]; i < d->first[k][slot + 1]; i++) {
			const struct entry *e = &t->entry[d->entry[k][i]];

			if (kind_of(e->what) == d->kind && read_row(d, k, f, e))
				return -1;
		}
		if (t->fn[slot].once_n && read_once(d, k, f, &t->fn[slot]))
			return -1;
	}
	return 0;
}

static int gather_all(struct detail *d, uint32_t f, enum detail_kind kind, size_t most)
{
	d->fn = f;
	d->kind = kind;
	d->n = 0;
	d->most = most;
	d->first_line = 0;
	arena_reset(&d->sums);
	return gather(d, f);
}

int detail_gather(struct detail *d, uint32_t f, enum detail_kind kind,
		  struct detail_row **rows, size_t *n)
{
	if (gather_all(d, f, kind, SIZE_MAX) || sort_and_add(d))
		return -1;
	*rows = d->row;
	*n = d->n;
	return 0;
}

int detail_pack(struct detail *d, uint32_t f, enum detail_kind kind, struct bytes *b,
		uint64_t *n, uint64_t *first_line)
{
	int rc;

	if (gather_all(d, f, kind, d->run))
		return -1;
	if (d->runs.n) {
		rc = end_run(d) || detail_runs_merge(&d->runs, kind, &d->shape, b, n);
	} else {
		rc = sort_and_add(d);
		note_first_line(d);
		*n = d->n;
		rc = rc || detail_encode(b, kind, &d->shape, d->row, d->n);
	}
	*first_line = d->first_line;
	return rc;
}
