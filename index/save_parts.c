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
#include "index/base/sized.h"
#include "index/base/varint.h"
#include "index/base/vec.h"
#include "index/part_names.h"
#include "index/save.h"

/* A part's functions, or its edges. */
struct piece {
	uint64_t *val; /* rows of width numbers, as they were met */
	size_t n, cap; /* rows; numbers */
	uint32_t *id;  /* of each row */
	size_t id_cap;
	size_t width;
	uint64_t *lost;	      /* a row for what has no id */
	uint32_t *row;	      /* per id: its row, from 1 on; 0: none */
	uint64_t *set, *sets; /* bit i: id i has a row; set[i] is not 0 */
	size_t nsets;
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
	size_t unit_parts;
};

/* On each thread. */
struct worker {
	struct parts *s;
	struct piece fns, edges;
	/* Per function: the last part, + 1, in which it only was called. */
	uint32_t *called_in;
	struct bytes spilled; /* scratch */
};

/* Some parts next to each other, encoded: few where there are few, so that each thread has
 * some to do, or where they are large. */
enum {
	UNIT_PARTS = 64,
	UNIT_BYTES = 256 << 10, /* about; parts of more are a unit each */
	UNITS_PER_JOB = 8,
	SLOTS_PER_JOB = 8, /* units at hand, */
	SLOTS_LEAST = 2,   /* and so many where they are large */
};
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

static int make_piece(struct piece *p, size_t nid, size_t width)
{
	const size_t words = nid / 64 + 1;

	p->width = width;
	p->nsets = words / 64 + 1;
	p->row = calloc(nid + 1, sizeof(*p->row));
	p->set = calloc(p->nsets * 64, sizeof(*p->set));
	p->sets = calloc(p->nsets, sizeof(*p->sets));
	p->lost = calloc(width, sizeof(*p->lost));
	return p->row && p->set && p->sets && p->lost ? 0 : -1;
}

static void free_piece(struct piece *p)
{
	free(p->val);
	free(p->id);
	free(p->lost);
	free(p->row);
	free(p->set);
	free(p->sets);
}

/* The row of id; NULL when memory is out. */
static uint64_t *row_of(struct piece *p, uint32_t id)
{
	if (p->row[id] == 0) {
		if (vec_reserve(&p->val, &p->cap, (p->n + 1) * p->width,
				sizeof(*p->val)) ||
		    vec_reserve(&p->id, &p->id_cap, p->n + 1, sizeof(*p->id)))
			return NULL;
		p->id[p->n] = id;
		memset(p->val + p->n * p->width, 0, p->width * sizeof(*p->val));
		p->row[id] = (uint32_t)++p->n;
		p->set[id / 64] |= (uint64_t)1 << id % 64;
		p->sets[id / 4096] |= (uint64_t)1 << id / 64 % 64;
	}
	return p->val + (p->row[id] - 1) * p->width;
}

/* Read entries of width numbers (the first `fixed` as they are, then events) and add them to
 * what is there. */
static int read_piece(struct varint_reader *in, struct piece *to, const uint32_t *id_map,
		      const uint32_t *event_map, size_t nevent, size_t fixed)
{
	uint64_t n = sized_get(in);

	for (uint64_t i = 0; i < n && !in->bad; i++) {
		uint32_t id = id_map[sized_get(in)];
		uint64_t *v = id == NO_ID ? to->lost : row_of(to, id);

		if (!v)
			return -1;
		for (size_t k = 0; k < fixed; k++)
			v[k] = add(v[k], sized_get(in));
		for (size_t e = 0; e < nevent; e++) {
			uint64_t *sum = &v[fixed + event_map[e]];

			*sum = add(*sum, sized_get(in));
		}
	}
	return 0;
}

static void put_row(struct bytes *b, const struct piece *p, uint64_t id, uint64_t *before)
{
	const uint64_t *v = p->val + (p->row[id] - 1) * p->width;
	unsigned char *to = varint_put_flat(b->p + b->n, id - *before);

	for (size_t k = 0; k < p->width; k++)
		to = varint_put_flat(to, v[k]);
	b->n = (size_t)(to - b->p);
	*before = id;
}

/* The rows by ascending id; none are left. */
static int encode_piece(struct bytes *b, struct piece *p)
{
	const size_t room = (p->width + 1) * VARINT_MAX;
	uint64_t before = 0;

	if (bytes_put(b, p->n))
		return -1;
	for (size_t i = 0; i < p->nsets; i++)
		for (; p->sets[i]; p->sets[i] &= p->sets[i] - 1) {
			const size_t k = i * 64 + (size_t)__builtin_ctzll(p->sets[i]);

			for (; p->set[k]; p->set[k] &= p->set[k] - 1) {
				const size_t id =
					k * 64 + (size_t)__builtin_ctzll(p->set[k]);

				if (b->cap - b->n < room && bytes_room(b, room))
					return -1;
				put_row(b, p, id, &before);
				p->row[id] = 0;
			}
		}
	p->n = 0;
	return 0;
}

static int read_slot(struct worker *w, size_t k, size_t i, struct err *err)
{
	const struct profile *p = w->s->p;
	const struct tally *t = p->tally[k];
	const struct merge_map *m = &p->map[k];
	const struct part_slot *slot = tally_part(t, i);
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

/* Functions with cost or calls in the part: a callee's cost may be in other parts. */
static uint64_t count_functions(struct worker *w, size_t part)
{
	const uint32_t *callee = w->s->p->callee, now = (uint32_t)part + 1;
	uint64_t n = w->fns.n;

	for (size_t i = 0; i < w->edges.n; i++) {
		const uint32_t f = callee[w->edges.id[i]];

		n += !w->fns.row[f] && w->called_in[f] != now;
		w->called_in[f] = now;
	}
	return n;
}

static int encode_part(struct worker *w, struct unit *u, size_t part)
{
	struct parts *s = w->s;
	struct profile *p = s->p;

	do
		if (read_slot(w, s->slots[part].k, s->slots[part].i, &u->err))
			return (int)u->err.kind;
	while (profile_next_slot(p, &s->slots[part]));
	s->functions[part] = count_functions(w, part);
	for (size_t i = 0; i < w->fns.n; i++)
		for (size_t e = 0; e < p->nevent; e++) {
			uint64_t *sum = &s->self[e * p->npart + part];

			*sum = add(*sum, w->fns.val[i * w->fns.width + e]);
		}
	if (encode_piece(&u->bytes, &w->fns) || encode_piece(&u->bytes, &w->edges))
		return no_memory(&u->err);
	return 0;
}

static size_t unit_end(const struct parts *s, size_t item)
{
	size_t end = (item + 1) * s->unit_parts;

	return end < s->p->npart ? end : s->p->npart;
}

/* A unit, encoded by a worker. */
struct encoding {
	struct worker *worker;
	struct unit *unit;
	size_t item;
};

static int encode_guarded(void *arg)
{
	const struct encoding *now = arg;
	struct worker *w = now->worker;
	struct unit *u = now->unit;
	const size_t item = now->item;

	u->bytes.n = 0;
	for (size_t part = item * w->s->unit_parts; part < unit_end(w->s, item); part++) {
		if (encode_part(w, u, part))
			return (int)u->err.kind;
		u->end[part % w->s->unit_parts] = u->bytes.n;
	}
	return 0;
}

static int encode_unit(void *worker, void *slot, size_t item)
{
	struct encoding now = {worker, slot, item};

	return map_guard(encode_guarded, &now, ERR_INDEX, &now.unit->err);
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
	for (size_t part = item * s->unit_parts; part < unit_end(s, item); part++) {
		size_t end = u->end[part % s->unit_parts];

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
		free_piece(&worker[i].fns);
		free_piece(&worker[i].edges);
		free(worker[i].called_in);
		free(worker[i].spilled.p);
	}
	for (size_t i = 0; unit && i < nunits; i++)
		free(unit[i].bytes.p);
	free(worker);
	free(unit);
}

/* Bytes of a part, about. */
static uint64_t part_bytes(const struct profile *p)
{
	uint64_t all = 0;

	for (size_t k = 0; k < p->ntally; k++)
		all += spill_at(&p->tally[k]->parts);
	return all / (p->npart + 1) + 1;
}

static size_t least(size_t a, size_t b)
{
	return a < b ? a : b;
}

static int save_costs(struct parts *s, unsigned jobs)
{
	const struct profile *p = s->p;
	const uint64_t bytes = part_bytes(p);
	const size_t some = least(p->npart / (UNITS_PER_JOB * jobs),
				  least(UNIT_PARTS, UNIT_BYTES / bytes));
	const size_t parts = some ? some : 1;
	const size_t slots = bytes * parts > UNIT_BYTES ? SLOTS_LEAST : SLOTS_PER_JOB;
	struct ordered o = {.items = (p->npart + parts - 1) / parts,
			    .nslots = slots * jobs,
			    .slot_size = sizeof(struct unit),
			    .nworkers = jobs,
			    .make = encode_unit,
			    .take = write_unit,
			    .arg = s};
	struct unit *unit = calloc(o.nslots, sizeof(*unit));
	struct worker *worker = calloc(jobs, sizeof(*worker));
	void **each = calloc(jobs, sizeof(*each));
	int rc;

	s->unit_parts = parts;
	s->slots = profile_part_slots(s->p);
	for (size_t k = 0; k < p->ntally; k++)
		spill_map(&p->tally[k]->parts);
	rc = unit && worker && each && s->slots ? 0 : no_memory(s->err);
	for (unsigned i = 0; !rc && i < jobs; i++) {
		worker[i].s = s;
		if (make_piece(&worker[i].fns, p->nfn, p->nevent ? p->nevent : 1) ||
		    make_piece(&worker[i].edges, p->nedge, p->nevent + 1) ||
		    !(worker[i].called_in =
			      calloc(p->nfn + 1, sizeof(*worker[i].called_in))))
			rc = no_memory(s->err);
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
