/* each_activation.c - from the files of a profile to its activations; see
 * each_activation.h. */
#include "index/each_activation.h"

#include <stdlib.h>

#include "index/base/err.h"
#include "index/merge/profile.h"

enum {
	POLL = 1 << 14,	  /* activations between looks whether to stop */
	OPEN = 256 << 20, /* bytes that open ones may take */
};

struct reading {
	struct store *st;
	const struct build_opts *opts;
	const struct each_activation *each;
	uint32_t ticks;
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

static int take(void *arg, const struct activation *a)
{
	struct reading *r = arg;

	if (++r->ticks % POLL == 0 && r->each->poll &&
	    r->each->poll(r->each->poll_arg, r->err))
		return r->err->kind;
	return r->each->take(r->each->arg, a);
}

/* The parts that begin in stretches s[0..n) of a file, the first of them k in the profile. */
static struct activation_part *list_parts(const struct profile *p, size_t k, size_t end,
					  size_t *n)
{
	struct activation_part *parts;
	uint64_t blocks = 0;
	size_t most = 1;

	for (size_t i = k; i < end; i++)
		most += p->tally[i]->parts.n;
	parts = calloc(most, sizeof(*parts));
	*n = 0;
	for (size_t i = k; parts && i < end; i++) {
		struct tally *t = p->tally[i];

		for (size_t s = 0; s < t->parts.n; s++) {
			const struct part_slot *slot = tally_part(t, s);

			if (slot->begins || !*n)
				parts[(*n)++] = (struct activation_part){
					blocks + slot->blocks_at, p->map[i].part[s]};
		}
		blocks += t->log.blocks;
	}
	return parts;
}

/* Stretches k..end are of one file. */
static int read_file(struct reading *r, const struct profile *p, size_t k, size_t end)
{
	struct context_stretch *s = calloc(end - k, sizeof(*s));
	struct claims claims = {0};
	const uint64_t most = r->opts->mem > OPEN ? r->opts->mem : OPEN;
	struct activations of = {.s = s,
				 .n = end - k,
				 .events = p->nevent,
				 .claims = &claims,
				 .take = take,
				 .arg = r,
				 .most = most,
				 .cancel = r->opts->cancel};
	struct activation_part *parts = list_parts(p, k, end, &of.nparts);

	of.parts = parts;
	if (!s || !parts)
		err_no_memory(r->err, "while reading activations");
	for (size_t i = k; s && i < end; i++)
		s[i - k] = (struct context_stretch){
			&p->tally[i]->log, p->map[i].name[SPACE_FN], p->map[i].fn,
			p->map[i].event, p->map[i].lines};
	if (!r->err->kind &&
	    !claims_resolve(&claims, s, end - k, most, r->opts->cancel, r->err))
		activations_each(&of, r->err);
	claims_free(&claims);
	free(parts);
	free(s);
	return r->err->kind;
}

static int use(void *arg, struct profile *p, struct err *err)
{
	struct reading *r = arg;
	size_t k, end;

	if (!is_of(r->st, p)) {
		err_set(err, ERR_PROFILE, 0,
			"the profile was replaced by another of its size and times");
		return err_hint(err, "index it again: --rebuild");
	}
	for (end = p->ntally; end && !err->kind; end = k) {
		for (k = end - 1; k && !profile_begins_file(p, k); k--)
			;
		read_file(r, p, k, end);
	}
	return err->kind;
}

int each_activation(struct store *st, const struct build_opts *opts,
		    const struct each_activation *each, struct err *err)
{
	struct reading r = {.st = st, .opts = opts, .each = each, .err = err};

	return build_again(st, opts, "activations", use, &r, err);
}
