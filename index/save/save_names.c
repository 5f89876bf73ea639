/*
 * save_names.c - write the meaning of ids at the start of parts (part_names.h).
 *
 * For each part in profile order: the name slots that it defined in its tally or, if the
 * tally was made from an index, the definitions that the index has.
 */
#include <stdlib.h>

#include "index/base/err.h"
#include "index/base/map.h"
#include "index/base/varint.h"
#include "index/store/part_names.h"
#include "index/merge/reuse.h"
#include "index/save/save.h"

struct definitions { /* for one part and name space */
	struct bytes bytes;
	uint64_t n, id; /* their number; the id of the last one */
};

/* All allocations are here: an index that shrinks ends save_all() by a jump. */
struct saving {
	const struct profile *p;
	struct packer pack;
	struct part_slots *slots; /* per part */
	uint64_t *at;		  /* per part */
	struct definitions of[SPACES];
	bool anew;
	const atomic_int *cancel;
	struct err *err;
};

/* Collect the slots that tally k made in its i-th part. */
static int collect(struct saving *s, size_t k, size_t i, enum name_space space)
{
	const struct tally *t = s->p->tally[k];
	const struct names *names = &t->names[space];
	struct definitions *d = &s->of[space];
	size_t from = tally_part(t, i)->names_at[space];
	size_t to = i + 1 < t->parts.n ? tally_part(t, i + 1)->names_at[space] : names->n;

	for (size_t n = from > NAME_FIRST ? from : NAME_FIRST; n < to; n++) {
		const struct name_slot *slot = &names->slot[n];

		if (slot->kind != NAME_DEFINED || slot->repeats)
			continue;
		if (bytes_put(&d->bytes, varint_zigzag(d->id, slot->id)) ||
		    bytes_put(&d->bytes, s->p->map[k].name[space][n]))
			return err_no_memory(s->err, "while writing the names of parts");
		d->id = slot->id;
		d->n++;
	}
	return 0;
}

static int end_part(struct saving *s, size_t part)
{
	struct bytes *to = &s->pack.buf;

	if (bytes_put(to, s->anew))
		return err_no_memory(s->err, "while writing the names of parts");
	for (int i = 0; i < SPACES; i++) {
		struct definitions *d = &s->of[i];

		if (bytes_put(to, d->n) || bytes_room(to, d->bytes.n + 1))
			return err_no_memory(s->err, "while writing the names of parts");
		for (size_t n = 0; n < d->bytes.n; n++)
			to->p[to->n++] = d->bytes.p[n];
		d->bytes.n = 0;
		d->n = d->id = 0;
	}
	s->anew = false;
	return packer_end_row(&s->pack, &s->at[part], s->err);
}

/* Collect the definitions that an index has for its part i, in tally k. */
static int collect_kept(struct saving *s, size_t k, uint32_t i)
{
	struct store *st = s->p->tally[k]->kept->st;
	struct varint_reader in;

	if (part_names_open(st, i, &in, s->err))
		return s->err->kind;
	s->anew |= varint_get(&in) != 0;
	for (int space = 0; space < SPACES; space++) {
		struct definitions *d = &s->of[space];
		uint64_t n = varint_get(&in), id = 0;

		while (n-- && !in.bad) {
			uint64_t string;

			id = varint_unzigzag(id, varint_get(&in));
			string = NAME_FIRST + varint_get(&in);
			if (in.bad || string >= s->p->tally[k]->names[space].n)
				return part_names_damaged(st, s->err);
			if (bytes_put(&d->bytes, varint_zigzag(d->id, id)) ||
			    bytes_put(&d->bytes, s->p->map[k].name[space][string]))
				return err_no_memory(s->err,
						     "while writing the names of parts");
			d->id = id;
			d->n++;
		}
	}
	return in.bad ? part_names_damaged(st, s->err) : 0;
}

static int collect_slot(struct saving *s, const struct part_slots *at)
{
	const struct profile *p = s->p;

	if (p->tally[at->k]->kept)
		return collect_kept(s, at->k, at->i);
	s->anew |= tally_part(p->tally[at->k], at->i)->new_file ||
		   (p->nfile > 1 && at->i == 0 && profile_begins_file(p, at->k));
	for (int space = 0; space < SPACES; space++)
		if (collect(s, at->k, at->i, (enum name_space)space))
			return s->err->kind;
	return 0;
}

static int save_all(void *arg)
{
	struct saving *s = arg;
	const struct profile *p = s->p;
	int rc = s->slots ? 0 : err_no_memory(s->err, "while writing the names of parts");

	for (size_t part = 0; !rc && part < p->npart; part++) {
		do
			rc = collect_slot(s, &s->slots[part]);
		while (!rc && profile_next_slot(p, &s->slots[part]));
		rc = rc || end_part(s, part);
		if (!rc && s->cancel &&
		    atomic_load_explicit(s->cancel, memory_order_relaxed))
			rc = err_set(s->err, ERR_CANCEL, 0, "interrupted");
	}
	return rc || packer_flush(&s->pack, s->err) ||
	       store_writer_column(s->pack.w, TABLE_PART_NAMES_AT, 0, s->at, p->npart,
				   s->err);
}

int save_names(const struct profile *p, struct store_writer *w, const atomic_int *cancel,
	       struct err *err)
{
	struct saving s = {
		.p = p, .slots = profile_part_slots(p), .cancel = cancel, .err = err};
	int rc;

	s.pack = (struct packer){.w = w, .table = TABLE_PART_NAMES};
	s.at = calloc(p->npart + 1, sizeof(*s.at));
	rc = s.at ? map_guard(save_all, &s, ERR_INDEX, err)
		  : err_no_memory(err, "while writing the names of parts");
	for (int i = 0; i < SPACES; i++)
		free(s.of[i].bytes.p);
	free(s.at);
	free(s.slots);
	packer_free(&s.pack);
	return rc ? err->kind : 0;
}
