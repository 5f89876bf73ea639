/*
 * save_parts.c - headers, totals and costs of the parts.
 *
 * A part's costs were encoded with the slots of its tally (part_code.h); here they get the
 * profile's ids, ascending, so that a reader can search and a timeline can be read off.
 * Pieces of one part from two stretches are added.  A profile of one part needs no costs
 * of its own: they are the whole's.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "index/base/ordered.h"
#include "index/base/sort.h"
#include "index/base/varint.h"
#include "index/base/vec.h"
#include "index/part_names.h"
#include "index/save.h"

struct piece {			/* of a part: id and numbers */
	struct sort_pair *pair; /* key: id, value: place in val */
	size_t n, cap;
	uint64_t *val;
	size_t nval, val_cap;
	size_t width; /* numbers per id */
};

struct parts {
	struct profile *p;
	struct store_writer *w;
	const atomic_int *cancel;
	struct err *err;
	struct part_slots *slots; /* per part */
	struct packer cost;
	uint64_t *at, *functions; /* per part */
	uint64_t *self;		  /* per event and part */
};

/* On each thread. */
struct worker {
	struct parts *s;
	struct piece fns, edges;
	struct bytes spilled; /* scratch */
};

/* Some parts next to each other, encoded. */
enum { UNIT_PARTS = 16 };
struct unit {
	struct bytes bytes;
	size_t end[UNIT_PARTS];
	struct err err;
};

static int no_memory(struct err *err)
{
	return err_set(err, ERR_LIMIT, 0, "out of memory while writing the parts");
}

static uint64_t add(uint64_t a, uint64_t b)
{
	return a > UINT64_MAX - b ? UINT64_MAX : a + b;
}

/* Read n entries of width numbers (the first `fixed` as they are, then events). */
static int read_piece(struct varint_reader *in, struct piece *to, const uint32_t *id_map,
		      const uint32_t *event_map, size_t nevent, size_t fixed)
{
	uint64_t n = varint_get(in);

	if (n == 0)
		return 0;
	if (vec_reserve(&to->pair, &to->cap, to->n + n, sizeof(*to->pair)) ||
	    vec_reserve(&to->val, &to->val_cap, to->nval + n * to->width,
			sizeof(*to->val)))
		return -1;
	memset(to->val + to->nval, 0, n * to->width * sizeof(*to->val));
	for (uint64_t i = 0; i < n && !in->bad; i++) {
		uint32_t id = id_map[varint_get(in)];
		uint64_t *v = to->val + to->nval;

		for (size_t k = 0; k < fixed; k++)
			v[k] = varint_get(in);
		for (size_t e = 0; e < nevent; e++)
			v[fixed + event_map[e]] = varint_get(in);
		if (id == NO_ID) {
			memset(v, 0, to->width * sizeof(*v));
			continue;
		}
		to->pair[to->n++] =
			(struct sort_pair){id, (uint32_t)(to->nval / to->width)};
		to->nval += to->width;
	}
	return 0;
}

/* Sort by id and add equal ones. */
static int order_piece(struct piece *p)
{
	size_t n = 0;

	if (sort_pairs(p->pair, p->n))
		return -1;
	for (size_t i = 0; i < p->n; i++) {
		uint64_t *v = p->val + p->pair[i].value * p->width;

		if (n && p->pair[n - 1].key == p->pair[i].key) {
			uint64_t *sum = p->val + p->pair[n - 1].value * p->width;

			for (size_t k = 0; k < p->width; k++)
				sum[k] = add(sum[k], v[k]);
			continue;
		}
		p->pair[n++] = p->pair[i];
	}
	p->n = n;
	return 0;
}

static int encode_piece(struct bytes *b, const struct piece *p)
{
	const size_t room = (p->width + 1) * VARINT_MAX;
	uint64_t before = 0;

	if (bytes_put(b, p->n))
		return -1;
	for (size_t i = 0; i < p->n; i++) {
		const uint64_t *v = p->val + p->pair[i].value * p->width;
		unsigned char *to;

		if (b->cap - b->n < room && bytes_room(b, room))
			return -1;
		to = varint_put(b->p + b->n, p->pair[i].key - before);
		before = p->pair[i].key;
		for (size_t k = 0; k < p->width; k++)
			to = varint_put(to, v[k]);
		b->n = (size_t)(to - b->p);
	}
	return 0;
}

static int read_slot(struct worker *w, size_t k, size_t i, struct err *err)
{
	const struct profile *p = w->s->p;
	const struct tally *t = p->tally[k];
	const struct merge_map *m = &p->map[k];
	const struct part_slot *slot = &t->part[i];
	struct varint_reader in = {0};

	if (slot->bytes_n == 0)
		return 0;
	in.p = spill_read(&t->parts, slot->bytes_at, slot->bytes_n, &w->spilled);
	if (!in.p)
		return err_set(err, err_kind_of(errno, ERR_INDEX), 0,
			       "cannot read back a temporary file: %s", strerror(errno));
	in.end = in.p + slot->bytes_n;
	if (read_piece(&in, &w->fns, m->fn, m->event, slot->events, 0) ||
	    read_piece(&in, &w->edges, m->edge, m->event, slot->events, 1))
		return no_memory(err);
	return 0;
}

static int encode_part(struct worker *w, struct unit *u, size_t part)
{
	struct parts *s = w->s;
	struct profile *p = s->p;

	w->fns.n = w->fns.nval = w->edges.n = w->edges.nval = 0;
	do
		if (read_slot(w, s->slots[part].k, s->slots[part].i, &u->err))
			return (int)u->err.kind;
	while (profile_next_slot(p, &s->slots[part]));
	if (order_piece(&w->fns) || order_piece(&w->edges) ||
	    encode_piece(&u->bytes, &w->fns) || encode_piece(&u->bytes, &w->edges))
		return no_memory(&u->err);
	for (size_t i = 0; i < w->fns.n; i++)
		for (size_t e = 0; e < p->nevent; e++) {
			uint64_t *sum = &s->self[e * p->npart + part];

			*sum = add(*sum,
				   w->fns.val[w->fns.pair[i].value * w->fns.width + e]);
		}
	s->functions[part] = w->fns.n;
	return 0;
}

static size_t unit_end(const struct parts *s, size_t item)
{
	size_t end = (item + 1) * UNIT_PARTS;

	return end < s->p->npart ? end : s->p->npart;
}

static int encode_unit(void *worker, void *slot, size_t item)
{
	struct worker *w = worker;
	struct unit *u = slot;

	u->bytes.n = 0;
	for (size_t part = item * UNIT_PARTS; part < unit_end(w->s, item); part++) {
		if (encode_part(w, u, part))
			return (int)u->err.kind;
		u->end[part % UNIT_PARTS] = u->bytes.n;
	}
	return 0;
}

static int write_unit(void *arg, void *slot, size_t item, int failed)
{
	struct parts *s = arg;
	const struct unit *u = slot;
	size_t begin = 0;

	if (failed) {
		*s->err = u->err;
		return failed;
	}
	if (s->cancel && atomic_load_explicit(s->cancel, memory_order_relaxed))
		return err_set(s->err, ERR_CANCEL, 0, "interrupted");
	for (size_t part = item * UNIT_PARTS; part < unit_end(s, item); part++) {
		size_t end = u->end[part % UNIT_PARTS];

		if (bytes_append(&s->cost.buf, u->bytes.p + begin, end - begin))
			return no_memory(s->err);
		if (packer_end_row(&s->cost, &s->at[part], s->err))
			return (int)s->err->kind;
		begin = end;
	}
	return 0;
}

static void free_workers(struct worker *worker, unsigned n, struct unit *unit,
			 size_t nunits)
{
	for (unsigned i = 0; worker && i < n; i++) {
		free(worker[i].fns.pair);
		free(worker[i].fns.val);
		free(worker[i].edges.pair);
		free(worker[i].edges.val);
		free(worker[i].spilled.p);
	}
	for (size_t i = 0; unit && i < nunits; i++)
		free(unit[i].bytes.p);
	free(worker);
	free(unit);
}

static int save_costs(struct parts *s, unsigned jobs)
{
	const struct profile *p = s->p;
	struct ordered o = {.items = (p->npart + UNIT_PARTS - 1) / UNIT_PARTS,
			    .nslots = 2 * (size_t)jobs,
			    .slot_size = sizeof(struct unit),
			    .nworkers = jobs,
			    .make = encode_unit,
			    .take = write_unit,
			    .arg = s};
	struct unit *unit = calloc(o.nslots, sizeof(*unit));
	struct worker *worker = calloc(jobs, sizeof(*worker));
	void **each = calloc(jobs, sizeof(*each));
	int rc;

	s->slots = profile_part_slots(s->p);
	rc = unit && worker && each && s->slots ? 0 : no_memory(s->err);
	for (unsigned i = 0; !rc && i < jobs; i++) {
		worker[i].s = s;
		worker[i].fns.width = p->nevent ? p->nevent : 1;
		worker[i].edges.width = p->nevent + 1;
		each[i] = &worker[i];
	}
	o.slots = unit;
	o.worker = each;
	rc = rc || ordered_run(&o) || packer_flush(&s->cost, s->err) ||
	     store_writer_column(s->w, TABLE_PART_AT, 0, s->at, p->npart, s->err);
	free_workers(worker, jobs, unit, o.nslots);
	free(each);
	free(s->slots);
	return rc ? (int)s->err->kind : 0;
}

static int save_heads(struct parts *s)
{
	struct packer pack = {.w = s->w, .table = TABLE_PART};
	struct coder c = {.to = &pack.buf};
	int rc = 0;

	for (size_t i = 0; !rc && i < s->p->npart; i++) {
		part_head_code(&c, &s->p->part[i], &s->functions[i]);
		pack.rows++;
		if (c.failed)
			rc = no_memory(s->err);
		else if (pack.rows == PART_ROWS)
			rc = packer_flush(&pack, s->err);
	}
	rc = rc || packer_flush(&pack, s->err);
	packer_free(&pack);
	return rc;
}

static int save_sums(struct parts *s)
{
	struct profile *p = s->p;
	uint64_t *col = malloc((p->npart + 1) * sizeof(*col));
	int rc = col ? 0 : no_memory(s->err);

	for (size_t e = 0; !rc && e < p->nevent; e++) {
		rc = store_writer_column(s->w, TABLE_PART_SELF, (uint32_t)e,
					 s->self + e * p->npart, p->npart, s->err);
		for (size_t i = 0; i < p->npart; i++)
			col[i] = p->part[i].totals ? p->part[i].totals[e] : 0;
		rc = rc || store_writer_column(s->w, TABLE_PART_TOTALS, (uint32_t)e, col,
					       p->npart, s->err);
		for (size_t i = 0; i < p->npart; i++)
			col[i] = p->part[i].summary ? p->part[i].summary[e] : 0;
		rc = rc || store_writer_column(s->w, TABLE_PART_SUMMARY, (uint32_t)e, col,
					       p->npart, s->err);
	}
	free(col);
	return rc;
}

int save_parts(struct profile *p, struct store_writer *w, const uint64_t *total,
	       unsigned jobs, const atomic_int *cancel, struct err *err)
{
	struct parts s = {.p = p, .w = w, .cancel = cancel, .err = err};
	int rc;

	s.cost = (struct packer){.w = w, .table = TABLE_PART_COST};
	s.at = calloc(p->npart + 1, sizeof(*s.at));
	s.functions = calloc(p->npart + 1, sizeof(*s.functions));
	s.self = calloc(p->npart * p->nevent + 1, sizeof(*s.self));
	rc = s.at && s.functions && s.self ? 0 : no_memory(err);
	if (!rc && p->npart == 1) {
		for (size_t e = 0; e < p->nevent; e++)
			s.self[e] = total[e];
		s.functions[0] = p->nfn;
	} else if (!rc) {
		rc = save_costs(&s, jobs);
	}
	rc = rc || save_heads(&s) || save_sums(&s) ||
	     (p->npart > 1 && part_names_save(p, w, cancel, err));
	packer_free(&s.cost);
	void *const arrays[] = {s.at, s.functions, s.self};

	for (size_t i = 0; i < sizeof(arrays) / sizeof(arrays[0]); i++)
		free(arrays[i]);
	return rc ? (int)err->kind : 0;
}
