/*
 * part_lines.c - read the text of some parts again; see part_lines.h.
 *
 * The text is tallied (part_lines_read.c), and the tally's slots are translated into the store's
 * ids (part_lines_ids.c), so that detail.c can pack rows as it does for the index, and
 * store_detail.c read them.
 */
#include "index/part_lines.h"

#include <stdlib.h>

#include "index/base/cost.h"
#include "index/base/err.h"
#include "index/merge/merge_contexts.h"
#include "index/part_lines_in.h"
#include "index/store/store_in.h"

void part_lines_free(struct part_lines *to)
{
	if (!to)
		return;
	detail_free(to->detail);
	free(to->packed.p);
	contexts_free(&to->p.contexts);
	for (int i = 0; i < SPACES; i++) {
		free(to->map.name[i]);
		free(to->p.name[i]);
	}
	free(to->map.fn);
	free(to->map.edge);
	free(to->map.event);
	free(to->p.odd); /* already counted by the index */
	arena_free(&to->p.arena);
	tally_free(&to->tally);
	free(to);
}

int part_lines_read(struct store *st, const uint8_t *parts,
		    const struct part_lines_opts *opts, struct part_lines **out,
		    struct err *err)
{
	struct part_lines *to = calloc(1, sizeof(*to));

	if (!to)
		return err_no_memory(err, "while reading parts of the profile");
	to->st = st;
	to->tallies[0] = &to->tally;
	to->p.map = &to->map;
	to->p.tally = to->tallies;
	to->p.ntally = 1;
	arena_init(&to->p.arena, 0);
	/* Names are copied: the map is closed before they are read. */
	if (tally_init(&to->tally, false, false, err) ||
	    part_lines_tally(to, parts, opts, err) || part_lines_map(to, err)) {
		part_lines_free(to);
		return err->kind;
	}
	*out = to;
	return 0;
}

/* ---- rows ---- */

static int pack(struct part_lines *p, fn_id f, enum detail_kind kind, struct err *err)
{
	return detail_pack_kind(p->detail, f, kind, &p->packed)
		       ? err_no_memory(err, "while reading parts of the profile")
		       : 0;
}

/* A function without a block has the costs of the calls into it, at line 0 of its file. */
static int line_of_calls(struct part_lines *p, fn_id f, struct arena *a,
			 struct store_line **rows, int64_t **costs, size_t *n,
			 struct err *err)
{
	const struct tally *t = &p->tally;

	*n = 0;
	*rows = ARENA_NEW(a, struct store_line);
	*costs = ARENA_ARRAY(a, int64_t, p->p.nevent + 1);
	if (!*rows || !*costs)
		return arena_full(a, err);
	**rows = (struct store_line){.file = p->p.fn_file[f]};
	for (size_t i = 0; i < t->edges.n; i++) {
		const size_t at = i * (t->events.n + 1) + 1;

		if (p->map.fn[t->edges.at[i].callee] != f)
			continue;
		*n = 1;
		for (size_t e = 0; e < t->events.n; e++) {
			cost_add(&(*costs)[p->map.event[e]],
				 t->edges.narrow ? t->edges.narrow[at + e]
						 : (int64_t)t->edges.sum[at + e]);
		}
	}
	return 0;
}

int part_inlined_lines(struct part_lines *p, fn_id f, struct arena *a,
		       struct store_line **rows, int64_t **costs, size_t *n,
		       struct err *err)
{
	if (store_fn_calls_only(p->st, f))
		return line_of_calls(p, f, a, rows, costs, n, err);
	return pack(p, f, DETAIL_LINES, err) || store_lines_of(p->st, f, &p->packed, a,
							       rows, costs, n, err)
		       ? err->kind
		       : 0;
}

int part_lines(struct part_lines *p, fn_id f, struct arena *a, struct store_line **rows,
	       int64_t **costs, size_t *n, struct err *err)
{
	return part_inlined_lines(p, f, a, rows, costs, n, err) ||
			       store_plain_lines(p->st, a, rows, costs, n, err)
		       ? err->kind
		       : 0;
}

int part_sites(struct part_lines *p, fn_id f, struct arena *a, struct store_site **rows,
	       int64_t **costs, size_t *n, struct err *err)
{
	return pack(p, f, DETAIL_SITES, err) || store_sites_of(p->st, f, &p->packed, a,
							       rows, costs, n, err)
		       ? err->kind
		       : 0;
}

int part_jumps(struct part_lines *p, fn_id f, struct arena *a, struct store_jump **rows,
	       size_t *n, struct err *err)
{
	return pack(p, f, DETAIL_JUMPS, err) ||
			       store_jumps_of(p->st, f, &p->packed, a, rows, n, err)
		       ? err->kind
		       : 0;
}

/* ---- the call tree ---- */

int part_contexts(struct part_lines *to, uint64_t most, struct part_contexts *out,
		  struct err *err)
{
	struct profile *p = &to->p;
	const struct contexts *c = &p->contexts;

	*out = (struct part_contexts){0};
	if (!p->tree.contexts) {
		p->nname[SPACE_FN] = to->st->info.names; /* what names are mapped to */
		if (merge_contexts(p, most, NULL, err))
			return err->kind;
	}
	if (p->tree.contexts)
		*out = (struct part_contexts){(uint32_t)c->n, c->parent, c->fn, c->calls,
					      c->self};
	return 0;
}
