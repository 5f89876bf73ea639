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

#include "index/base/sort.h"
#include "index/base/varint.h"
#include "index/base/vec.h"
#include "index/part_names.h"
#include "index/save.h"

struct piece {			/* of a part: id and numbers */
	struct sort_pair *pair;	/* key: id, value: place in val */
	size_t n, cap;
	uint64_t *val;
	size_t nval, val_cap;
	size_t width;		/* numbers per id */
};

struct parts {
	struct profile *p;
	struct store_writer *w;
	const atomic_int *cancel;
	struct err *err;
	struct piece fns, edges;
	struct packer cost;
	uint64_t *at, *functions;	/* per part */
	uint64_t *self;			/* per event and part */
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

	for (uint64_t i = 0; i < n && !in->bad; i++) {
		uint32_t id = id_map[varint_get(in)];
		uint64_t *v;

		if (vec_reserve(&to->pair, &to->cap, to->n + 1, sizeof(*to->pair)) ||
		    vec_reserve(&to->val, &to->val_cap, to->nval + to->width, sizeof(*to->val)))
			return -1;
		v = to->val + to->nval;
		memset(v, 0, to->width * sizeof(*v));
		for (size_t k = 0; k < fixed; k++)
			v[k] = varint_get(in);
		for (size_t e = 0; e < nevent; e++)
			v[fixed + event_map[e]] = varint_get(in);
		if (id == NO_ID)
			continue;
		to->pair[to->n++] = (struct sort_pair){id, (uint32_t)(to->nval / to->width)};
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
	uint64_t before = 0;

	if (bytes_put(b, p->n))
		return -1;
	for (size_t i = 0; i < p->n; i++) {
		const uint64_t *v = p->val + p->pair[i].value * p->width;

		if (bytes_put(b, p->pair[i].key - before))
			return -1;
		before = p->pair[i].key;
		for (size_t k = 0; k < p->width; k++)
			if (bytes_put(b, v[k]))
				return -1;
	}
	return 0;
}

static int read_slot(struct parts *s, size_t k, size_t i)
{
	struct tally *t = s->p->tally[k];
	const struct merge_map *m = &s->p->map[k];
	const struct part_slot *slot = &t->part[i];
	struct varint_reader in = {0};

	if (slot->bytes_n == 0)
		return 0;
	in.p = spill_bytes(&t->parts, slot->bytes_at, slot->bytes_n);
	if (!in.p)
		return err_set(s->err, err_kind_of(errno, ERR_INDEX), 0,
			       "cannot read back a temporary file: %s", strerror(errno));
	in.end = in.p + slot->bytes_n;
	return read_piece(&in, &s->fns, m->fn, m->event, slot->events, 0) ||
	       read_piece(&in, &s->edges, m->edge, m->event, slot->events, 1);
}

static int end_part(struct parts *s, size_t part)
{
	struct profile *p = s->p;

	if (order_piece(&s->fns) || order_piece(&s->edges) ||
	    encode_piece(&s->cost.buf, &s->fns) || encode_piece(&s->cost.buf, &s->edges))
		return no_memory(s->err);
	for (size_t i = 0; i < s->fns.n; i++)
		for (size_t e = 0; e < p->nevent; e++) {
			uint64_t *sum = &s->self[e * p->npart + part];

			*sum = add(*sum, s->fns.val[s->fns.pair[i].value * s->fns.width + e]);
		}
	s->functions[part] = s->fns.n;
	s->fns.n = s->fns.nval = s->edges.n = s->edges.nval = 0;
	return packer_end_row(&s->cost, &s->at[part], s->err);
}

static int save_costs(struct parts *s)
{
	struct profile *p = s->p;
	struct part_slots *at = profile_part_slots(p);
	int rc = at ? 0 : no_memory(s->err);

	for (uint32_t part = 0; !rc && part < p->npart; part++) {
		do
			if (read_slot(s, at[part].k, at[part].i))
				rc = no_memory(s->err);
		while (!rc && profile_next_slot(p, &at[part]));
		rc = rc || end_part(s, part);
		if (!rc && s->cancel && *s->cancel)
			rc = err_set(s->err, ERR_CANCEL, 0, "interrupted");
	}
	free(at);
	return rc || packer_flush(&s->cost, s->err) ||
	       store_writer_column(s->w, TABLE_PART_AT, 0, s->at, p->npart, s->err);
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
	       const atomic_int *cancel, struct err *err)
{
	struct parts s = {.p = p, .w = w, .cancel = cancel, .err = err};
	int rc;

	s.fns.width = p->nevent ? p->nevent : 1;
	s.edges.width = p->nevent + 1;
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
		rc = save_costs(&s);
	}
	rc = rc || save_heads(&s) || save_sums(&s) ||
	     (p->npart > 1 && part_names_save(p, w, cancel, err));
	packer_free(&s.cost);
	void *const arrays[] = {s.at, s.functions, s.self, s.fns.pair, s.fns.val, s.edges.pair,
				s.edges.val};

	for (size_t i = 0; i < sizeof(arrays) / sizeof(arrays[0]); i++)
		free(arrays[i]);
	return rc ? (int)err->kind : 0;
}
