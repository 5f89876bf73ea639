/*
 * save_parts.c - write headers, totals and costs of the parts.
 *
 * A part's costs were encoded with its tally's slots (part_code.h); here slots become the
 * profile's ids.  The numbers are copied, unless a part is in two stretches or two slots
 * are one function: then they are added.  In a profile of one part, the part's costs are
 * the whole's and are not written.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "index/base/cost.h"
#include "index/base/err.h"
#include "index/base/ordered.h"
#include "index/base/sized.h"
#include "index/base/varint.h"
#include "index/base/vec.h"
#include "index/contexts/name_contexts.h"
#include "index/save/save.h"

/* The functions of a part, or its edges. */
struct rows {
	uint64_t *val; /* rows of `width` numbers, in order of appearance */
	size_t n, cap; /* number of rows; capacity in numbers */
	uint32_t *id;  /* id of each row */
	size_t id_cap;
	size_t width;
	uint64_t *lost; /* a row for slots without an id */
	uint32_t *seen; /* per id: worker.now of the last part with it, */
	uint32_t *row;	/* and its row in that part */
};

struct part_saving {
	struct profile *p;
	struct store_writer *w;
	const atomic_int *cancel;
	struct err *err;
	struct part_slots *slots; /* per part */
	const struct name_contexts *groups;
	struct packer cost;
	uint64_t *at;  /* per part */
	int64_t *self; /* [event][part] */
	size_t unit_parts;
	bool calls_only; /* some function has no block (profile.h) */
};

/* The state of a thread. */
struct part_worker {
	struct part_saving *s;
	struct rows fns, edges;
	uint32_t now;	      /* counts parts, and each restart of a part */
	uint32_t *counted;    /* per function: now of the last part that counts it */
	struct bytes spilled; /* scratch */
};

/* Consecutive parts to encode together: fewer if there are few parts, so that each
 * thread gets some, or if they are large. */
enum {
	UNIT_PARTS = 64,
	UNIT_BYTES = 256 << 10, /* about; larger parts are a unit each */
	UNITS_PER_JOB = 8,
	SLOTS_PER_JOB = 8, /* units in work, */
	SLOTS_LEAST = 2,   /* but at least so many if they are large */
};
struct part_unit {
	struct bytes bytes;
	size_t end[UNIT_PARTS];
	struct err err;
};

static int make_rows(struct rows *p, size_t nid, size_t width)
{
	p->width = width;
	p->seen = calloc(nid + 1, sizeof(*p->seen));
	p->row = malloc((nid + 1) * sizeof(*p->row));
	p->lost = calloc(width + 1, sizeof(*p->lost));
	return p->seen && p->row && p->lost ? 0 : -1;
}

static void free_rows(struct rows *p)
{
	free(p->val);
	free(p->id);
	free(p->lost);
	free(p->seen);
	free(p->row);
}

/* ---- as it is but for the ids ---- */

/*
 * Copy rows of slots as rows of ids, which are then in *ids.  Returns 1; 0 if a slot has
 * no id or an id that was seen; -1 if memory is out.
 */
static int copy_rows(struct varint_reader *in, struct bytes *b, const uint32_t *id_map,
		     struct rows *ids, uint32_t now)
{
	const uint64_t n = varint_get(in);
	uint64_t slot = 0, bytes;

	if (vec_reserve(&ids->id, &ids->id_cap, n, sizeof(*ids->id)))
		return -1;
	for (ids->n = 0; ids->n < n; ids->n++) {
		uint32_t id;

		slot = varint_unzigzag(slot, varint_get_flat(in));
		id = id_map[slot];
		if (id == NO_ID || ids->seen[id] == now)
			return 0;
		ids->seen[id] = now;
		ids->id[ids->n] = id;
	}
	bytes = varint_get(in);
	if (part_put_ids(b, ids->id, n) || bytes_put(b, bytes) ||
	    bytes_append(b, in->p, bytes))
		return -1;
	in->p += bytes;
	return 1;
}

static bool same_events(const struct profile *p, const struct merge_map *m, size_t nevent)
{
	for (size_t e = 0; e < nevent; e++)
		if (m->event[e] != e)
			return false;
	return nevent == p->nevent;
}

/* Copy a part whose only bytes are at `in`, with nevent events; returns like
 * copy_rows(). */
static int copy_part(struct part_worker *w, struct varint_reader *in,
		     const struct merge_map *m, size_t nevent, struct bytes *b,
		     size_t part)
{
	const struct part_saving *s = w->s;
	const struct profile *p = s->p;
	const size_t begin = b->n;
	int rc;

	if (!same_events(p, m, nevent))
		return 0;
	w->now++;
	rc = copy_rows(in, b, m->fn, &w->fns, w->now);
	if (rc > 0)
		rc = copy_rows(in, b, m->edge, &w->edges, w->now);
	if (rc > 0)
		for (size_t e = 0; e < nevent; e++)
			s->self[e * p->npart + part] = (int64_t)sized_get(in);
	else
		b->n = begin;
	return rc;
}

/* ---- added up ---- */

/* The row of id, added if new; NULL if memory is out. */
static uint64_t *save_parts_row_of(struct rows *p, uint32_t id, uint32_t now)
{
	if (p->seen[id] != now) {
		if (vec_reserve(&p->val, &p->cap, (p->n + 1) * p->width,
				sizeof(*p->val)) ||
		    vec_reserve(&p->id, &p->id_cap, p->n + 1, sizeof(*p->id)))
			return NULL;
		p->id[p->n] = id;
		memset(p->val + p->n * p->width, 0, p->width * sizeof(*p->val));
		p->row[id] = (uint32_t)p->n++;
		p->seen[id] = now;
	}
	return p->val + p->row[id] * p->width;
}

/* Read rows of `fixed` numbers and nevent costs, and add them to the rows in *to. */
static int add_rows(struct varint_reader *in, struct rows *to, uint32_t now,
		    const uint32_t *id_map, const uint32_t *event_map, size_t nevent,
		    size_t fixed)
{
	const uint64_t n = varint_get(in);
	struct varint_reader ids = *in;
	uint64_t slot = 0;

	for (uint64_t i = 0; i < n; i++)
		varint_get(in);
	varint_get(in);
	for (uint64_t i = 0; i < n; i++) {
		uint64_t *v;
		uint32_t id;

		slot = varint_unzigzag(slot, varint_get(&ids));
		id = id_map[slot];
		v = id == NO_ID ? to->lost : save_parts_row_of(to, id, now);
		if (!v)
			return -1;
		for (size_t k = 0; k < fixed; k++)
			count_add(&v[k], sized_get(in));
		for (size_t e = 0; e < nevent; e++)
			cost_add_bits(&v[fixed + event_map[e]], sized_get(in));
	}
	return 0;
}

static int save_parts_put_rows(struct bytes *b, const struct rows *p)
{
	const struct part_rows rows = {p->id, p->n, p->width, p->val, PART_IN_TURN};

	return part_put_rows(b, &rows);
}

/* Write the sums of a part. */
static int put_part(struct part_worker *w, struct bytes *b, size_t part)
{
	const struct part_saving *s = w->s;
	const struct profile *p = s->p;

	for (size_t i = 0; i < w->fns.n; i++)
		for (size_t e = 0; e < p->nevent; e++) {
			int64_t *sum = &s->self[e * p->npart + part];

			cost_add(sum, (int64_t)w->fns.val[i * w->fns.width + e]);
		}
	return save_parts_put_rows(b, &w->fns) || save_parts_put_rows(b, &w->edges) ? -1
										    : 0;
}

/* ---- parts ---- */

/* Open the bytes of a slot; NULL for an empty one.  Returns 0, or sets *err. */
static int open_slot(struct part_worker *w, struct part_slots at,
		     struct varint_reader *in, struct err *err)
{
	const struct tally *t = w->s->p->tally[at.k];
	const struct part_slot *slot = tally_part(t, at.i);

	*in = (struct varint_reader){0};
	if (slot->bytes_n == 0)
		return 0;
	in->p = spill_read(&t->parts.costs, slot->bytes_at, slot->bytes_n, &w->spilled);
	if (!in->p)
		return err_set(err, err_kind_of(errno, ERR_INDEX), 0,
			       "cannot read back a temporary file: %s", strerror(errno));
	in->end = in->p + slot->bytes_n;
	return 0;
}

static int add_slot(struct part_worker *w, struct part_slots at, struct err *err)
{
	const struct merge_map *m = &w->s->p->map[at.k];
	const size_t nevent = tally_part(w->s->p->tally[at.k], at.i)->events;
	struct varint_reader in;

	if (open_slot(w, at, &in, err))
		return err->kind;
	if (in.p && (add_rows(&in, &w->fns, w->now, m->fn, m->event, nevent, 0) ||
		     add_rows(&in, &w->edges, w->now, m->edge, m->event, nevent, 1)))
		return err_no_memory(err, "while writing the parts");
	return 0;
}

/* What flows in the part into functions without a block is their self cost. */
static int add_calls_only(struct part_worker *w)
{
	const struct profile *p = w->s->p;

	for (size_t i = 0; i < w->edges.n; i++) {
		const uint32_t f = p->callee[w->edges.id[i]];
		const uint64_t *cost = w->edges.val + i * w->edges.width + 1;
		uint64_t *self;

		if (!p->calls_only[f])
			continue;
		self = save_parts_row_of(&w->fns, f, w->now);
		if (!self)
			return -1;
		for (size_t e = 0; e < p->nevent; e++)
			cost_add_bits(&self[e], cost[e]);
	}
	return 0;
}

/* Whether the function with context f is not counted in this part yet: then it is now. */
static bool counts(struct part_worker *w, uint32_t f)
{
	const struct name_contexts *groups = w->s->groups;
	uint32_t *counted = &w->counted[groups->n ? groups->of[f] : f];
	const bool first = *counted != w->now;

	*counted = w->now;
	return first;
}

/* Count functions with cost or calls in the part: a callee's cost may be in other
 * parts. */
static uint64_t count_functions(struct part_worker *w)
{
	uint64_t n = 0;

	for (size_t i = 0; i < w->fns.n; i++)
		n += counts(w, w->fns.id[i]);
	for (size_t i = 0; i < w->edges.n; i++)
		n += counts(w, w->s->p->callee[w->edges.id[i]]);
	return n;
}

static int encode_part(struct part_worker *w, struct part_unit *u, size_t part)
{
	struct part_saving *s = w->s;
	const struct part_slots first = s->slots[part];
	struct part_slots at = first;
	int rc = 0;

	if (!s->calls_only && !profile_next_slot(s->p, &at)) {
		struct varint_reader in;

		if (open_slot(w, first, &in, &u->err))
			return u->err.kind;
		if (in.p)
			rc = copy_part(w, &in, &s->p->map[first.k],
				       tally_part(s->p->tally[first.k], first.i)->events,
				       &u->bytes, part);
	}
	if (rc == 0) {
		w->now++;
		w->fns.n = w->edges.n = 0;
		at = first;
		do
			if (add_slot(w, at, &u->err))
				return u->err.kind;
		while (profile_next_slot(s->p, &at));
		if (s->calls_only)
			rc = add_calls_only(w);
		rc = rc ? rc : put_part(w, &u->bytes, part);
	}
	if (rc < 0)
		return err_no_memory(&u->err, "while writing the parts");
	s->p->part[part].functions = count_functions(w);
	return 0;
}

static size_t unit_end(const struct part_saving *s, size_t item)
{
	size_t end = (item + 1) * s->unit_parts;

	return end < s->p->npart ? end : s->p->npart;
}

/* A worker encoding a unit. */
struct encoding {
	struct part_worker *worker;
	struct part_unit *unit;
	size_t item;
};

static int encode_guarded(void *arg)
{
	const struct encoding *now = arg;
	struct part_worker *w = now->worker;
	struct part_unit *u = now->unit;
	const size_t item = now->item;

	u->bytes.n = 0;
	for (size_t part = item * w->s->unit_parts; part < unit_end(w->s, item); part++) {
		if (encode_part(w, u, part))
			return u->err.kind;
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
	struct part_saving *s = arg;
	const struct part_unit *u = slot;
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
			return err_no_memory(s->err, "while writing the parts");
		if (packer_end_row(&s->cost, &s->at[part], s->err))
			return s->err->kind;
		begin = end;
	}
	return 0;
}

static void free_workers(struct part_worker *worker, unsigned n, struct part_unit *unit,
			 size_t nunits)
{
	for (unsigned i = 0; worker && i < n; i++) {
		free_rows(&worker[i].fns);
		free_rows(&worker[i].edges);
		free(worker[i].counted);
		free(worker[i].spilled.p);
	}
	for (size_t i = 0; unit && i < nunits; i++)
		free(unit[i].bytes.p);
	free(worker);
	free(unit);
}

/* Bytes of a part, estimated. */
static uint64_t part_bytes(const struct profile *p)
{
	uint64_t all = 0;

	for (size_t k = 0; k < p->ntally; k++)
		all += spill_at(&p->tally[k]->parts.costs);
	return all / (p->npart + 1) + 1;
}

static size_t save_parts_least(size_t a, size_t b)
{
	return a < b ? a : b;
}

static int save_costs(struct part_saving *s, unsigned jobs)
{
	const struct profile *p = s->p;
	const uint64_t bytes = part_bytes(p);
	const size_t some =
		save_parts_least(p->npart / (UNITS_PER_JOB * jobs),
				 save_parts_least(UNIT_PARTS, UNIT_BYTES / bytes));
	const size_t parts = some ? some : 1;
	const size_t slots = bytes * parts > UNIT_BYTES ? SLOTS_LEAST : SLOTS_PER_JOB;
	struct ordered o = {.items = (p->npart + parts - 1) / parts,
			    .nslots = slots * jobs,
			    .slot_size = sizeof(struct part_unit),
			    .nworkers = jobs,
			    .make = encode_unit,
			    .take = write_unit,
			    .arg = s};
	struct part_unit *unit = calloc(o.nslots, sizeof(*unit));
	struct part_worker *worker = calloc(jobs, sizeof(*worker));
	void **each = calloc(jobs, sizeof(*each));
	int rc;

	s->unit_parts = parts;
	for (size_t f = 0; f < p->nfn; f++)
		s->calls_only |= p->calls_only[f];
	s->slots = profile_part_slots(s->p);
	for (size_t k = 0; k < p->ntally; k++)
		spill_map(&p->tally[k]->parts.costs);
	rc = unit && worker && each && s->slots
		     ? 0
		     : err_no_memory(s->err, "while writing the parts");
	for (unsigned i = 0; !rc && i < jobs; i++) {
		worker[i].s = s;
		worker[i].counted = calloc(p->nfn + 1, sizeof(*worker[i].counted));
		if (!worker[i].counted || make_rows(&worker[i].fns, p->nfn, p->nevent) ||
		    make_rows(&worker[i].edges, p->nedge, p->nevent + 1))
			rc = err_no_memory(s->err, "while writing the parts");
		each[i] = &worker[i];
	}
	o.slots = unit;
	o.worker = each;
	rc = rc || ordered_run(&o) || packer_flush(&s->cost, s->err) ||
	     store_writer_column(s->w, TABLE_PART_AT, 0, s->at, p->npart, s->err);
	free_workers(worker, jobs, unit, o.nslots);
	free(each);
	free(s->slots);
	return rc ? s->err->kind : 0;
}

static int save_heads(struct part_saving *s)
{
	struct packer pack = {.w = s->w, .table = TABLE_PART};
	struct coder c = {.to = &pack.buf};
	int rc = 0;

	for (size_t i = 0; !rc && i < s->p->npart; i++) {
		part_head_code(&c, &s->p->part[i]);
		pack.rows++;
		if (c.failed)
			rc = err_no_memory(s->err, "while writing the parts");
		else if (pack.rows == PART_ROWS)
			rc = packer_flush(&pack, s->err);
	}
	rc = rc || packer_flush(&pack, s->err);
	packer_free(&pack);
	return rc;
}

static int save_sums(struct part_saving *s)
{
	struct profile *p = s->p;
	int64_t *col = malloc((p->npart + 1) * sizeof(*col));
	int rc = col ? 0 : err_no_memory(s->err, "while writing the parts");

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

int save_parts(struct profile *p, struct store_writer *w, const int64_t *total,
	       const struct name_contexts *groups, unsigned jobs,
	       const atomic_int *cancel, struct err *err)
{
	struct part_saving s = {
		.p = p, .w = w, .groups = groups, .cancel = cancel, .err = err};
	int rc;

	s.cost = (struct packer){.w = w, .table = TABLE_PART_COST};
	s.at = calloc(p->npart + 1, sizeof(*s.at));
	s.self = calloc(p->npart * p->nevent + 1, sizeof(*s.self));
	rc = s.at && s.self ? 0 : err_no_memory(err, "while writing the parts");
	if (!rc && p->npart == 1) {
		for (size_t e = 0; e < p->nevent; e++)
			s.self[e] = total[e];
		p->part[0].functions = groups->n ? groups->n : p->nfn;
	} else if (!rc) {
		rc = save_costs(&s, jobs);
	}
	rc = rc || save_heads(&s) || save_sums(&s) ||
	     (p->npart > 1 && save_names(p, w, cancel, err));
	packer_free(&s.cost);
	free(s.at);
	free(s.self);
	return rc ? err->kind : 0;
}
