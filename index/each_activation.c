/* each_activation.c - from the files of a profile to its activations; see
 * each_activation.h. */
#include "index/each_activation.h"

#include <stdlib.h>

#include "index/base/cost.h"
#include "index/base/err.h"
#include "index/base/map.h"
#include "index/base/vec.h"
#include "index/contexts/backwards.h"
#include "index/merge/profile.h"

enum {
	OPEN = 256 << 20, /* bytes that open activations may take */
	POLL = 1 << 14,	  /* blocks between looks whether to stop */
};

struct blocks {
	struct build_kept *kept;
	struct profile *p;
	uint64_t most; /* bytes that open activations may take */
};

struct reading {
	struct blocks *b;
	const struct activation_asked *asked;
	struct blocks_forward *forward; /* NULL: tell of those that are asked for */
	struct err *err;
};

/* The numbers of a profile depend on its text alone.  So if they differ, the text has
 * changed, though its size and times are the same. */
static bool is_of(struct store *st, const struct profile *p)
{
	const struct store_info *i = store_info(st);
	bool same = p->nfn == i->functions && p->nevent == i->events &&
		    p->npart == i->parts && p->nname[SPACE_FN] == i->names;

	for (uint32_t n = 0; same && n < p->nname[SPACE_FN]; n++)
		same = str_eq(p->name[SPACE_FN][n], store_name(st, n));
	for (fn_id f = 0; same && f < p->nfn; f++)
		same = p->fn_name[f] == store_fn_name_id(st, f) &&
		       p->fn_file[f] == store_fn_file_id(st, f) &&
		       p->fn_obj[f] == store_fn_obj_id(st, f);
	return same;
}

/* ---- forwards ---- */

struct forward_file {
	struct claims claims;
	uint8_t *few;
	struct sort_pair *many;
	size_t nmany, many_cap;
};

struct blocks_forward {
	struct forward_file *file;
	size_t nfiles, file_cap;
	struct part_claims *part; /* [nparts] */
	uint64_t most;
};

/* A file of it, being read. */
struct forward_reading {
	struct forward_file *file;
	struct part_claims *part;	    /* of all parts */
	const struct activation_part *from; /* the part of the block at hand */
	const struct activation_part *first;
	const struct activation_asked *asked;
	struct err *err;
};

static int take_calls(void *arg, const struct block_back *block)
{
	struct forward_reading *r = arg;
	struct forward_file *f = r->file;

	if (block->number % POLL == 0 && r->asked->poll &&
	    r->asked->poll(r->asked->poll_arg, r->err))
		return r->err->kind;
	while (block->number < r->from->first && r->from > r->first)
		r->from--;
	cost_add(&r->part[r->from->part].own, *block->self);
	f->few[block->number] =
		block->wants < MANY_CALLS ? (uint8_t)block->wants : MANY_CALLS;
	if (block->wants < MANY_CALLS)
		return 0;
	if (vec_reserve_raw(&f->many, &f->many_cap, f->nmany + 1, sizeof(*f->many)))
		return err_no_memory(r->err, "while reading activations");
	f->many[f->nmany++] = (struct sort_pair){block->number, (uint32_t)block->wants};
	return 0;
}

static int read_forward(struct reading *r, const struct activations *of)
{
	struct blocks_forward *all = r->forward;
	struct forward_file *f;
	struct forward_reading to = {.part = all->part,
				     .from = of->parts + of->nparts - 1,
				     .first = of->parts,
				     .asked = r->asked,
				     .err = r->err};

	if (vec_reserve(&all->file, &all->file_cap, all->nfiles + 1, sizeof(*all->file)))
		return err_no_memory(r->err, "while reading activations");
	to.file = f = &all->file[all->nfiles++];
	f->claims = *of->claims;
	*of->claims = (struct claims){0};
	if (!(f->few = malloc((size_t)f->claims.blocks + 1)))
		return err_no_memory(r->err, "while reading activations");
	if (backwards_read(of->s, of->n, f->claims.blocks, of->events, take_calls, &to,
			   NULL, r->err))
		return r->err->kind;
	for (size_t i = 0; i < of->nparts; i++) {
		struct part_claims *p = &all->part[of->parts[i].part];

		p->first = of->parts[i].first;
		p->file = all->nfiles - 1;
	}
	return 0;
}

void blocks_forward_free(struct blocks_forward *f)
{
	for (size_t i = 0; f && i < f->nfiles; i++) {
		claims_free(&f->file[i].claims);
		free(f->file[i].few);
		free(f->file[i].many);
	}
	if (f) {
		free(f->file);
		free(f->part);
	}
	free(f);
}

uint64_t blocks_most(const struct blocks_forward *f)
{
	return f->most;
}

struct part_claims blocks_part(const struct blocks_forward *f, uint32_t part)
{
	struct part_claims p = f->part[part];
	const struct forward_file *file = &f->file[p.file];

	p.claims = &file->claims;
	p.few = file->few;
	p.many = file->many;
	p.nmany = file->nmany;
	return p;
}

/* ---- backwards ---- */

/* Stretches k..end are of one file, whose blocks begin with number `first`. */
static int read_file(struct reading *r, size_t k, size_t end, uint64_t first)
{
	const struct profile *p = r->b->p;
	struct context_stretch *s = calloc(end - k, sizeof(*s));
	struct claims claims = {0};
	struct activations of = {.s = s,
				 .n = end - k,
				 .events = p->nevent,
				 .claims = &claims,
				 .asked = r->asked,
				 .first = first,
				 .most = r->b->most};
	struct activation_part *parts = profile_block_parts(p, k, end, &of.nparts);

	of.parts = parts;
	if (!s || !parts)
		err_no_memory(r->err, "while reading activations");
	for (size_t i = k; s && i < end; i++)
		s[i - k] = (struct context_stretch){
			&p->tally[i]->log, p->map[i].name[SPACE_FN], p->map[i].fn,
			p->map[i].event, p->map[i].lines};
	if (!r->err->kind &&
	    !claims_resolve(&claims, s, end - k, r->b->most, NULL, r->err)) {
		if (r->forward)
			read_forward(r, &of);
		else
			activations_each(&of, r->err);
	}
	claims_free(&claims);
	free(parts);
	free(s);
	return r->err->kind;
}

static int read_guarded(void *arg)
{
	struct reading *r = arg;
	const struct profile *p = r->b->p;
	uint64_t first = 0;
	size_t k, end;

	for (size_t i = 0; i < p->ntally; i++)
		first += p->tally[i]->log.blocks;
	for (end = p->ntally; end && !r->err->kind; end = k) {
		k = end;
		do
			first -= p->tally[--k]->log.blocks;
		while (k && !profile_begins_file(p, k));
		read_file(r, k, end, first);
	}
	return r->err->kind;
}

int each_activation(struct blocks *b, const struct activation_asked *asked,
		    struct err *err)
{
	struct reading r = {.b = b, .asked = asked, .err = err};

	return map_guard(read_guarded, &r, ERR_INDEX, err);
}

int blocks_forward(struct blocks *b, const struct activation_asked *asked,
		   struct blocks_forward **out, struct err *err)
{
	struct blocks_forward *f = calloc(1, sizeof(*f));
	struct reading r = {.b = b, .asked = asked, .forward = f, .err = err};

	if (!f || !(f->part = calloc(b->p->npart + 1, sizeof(*f->part)))) {
		free(f);
		return err_no_memory(err, "while reading activations");
	}
	f->most = b->most;
	if (map_guard(read_guarded, &r, ERR_INDEX, err)) {
		blocks_forward_free(f);
		return err->kind;
	}
	*out = f;
	return 0;
}

int blocks_read(struct store *st, const struct build_opts *opts, struct blocks **out,
		struct err *err)
{
	struct blocks *b = calloc(1, sizeof(*b));

	if (!b)
		return err_no_memory(err, "while reading activations");
	b->most = opts->mem > OPEN ? opts->mem : OPEN;
	if (!build_keep(st, opts, "activations", &b->kept, &b->p, err) &&
	    !is_of(st, b->p)) {
		err_set(err, ERR_PROFILE, 0,
			"the profile was replaced by another of its size and times");
		err_hint(err, "index it again: --rebuild");
	}
	if (!err->kind)
		*out = b;
	else
		blocks_free(b);
	return err->kind;
}

void blocks_free(struct blocks *b)
{
	if (b)
		build_kept_free(b->kept);
	free(b);
}
