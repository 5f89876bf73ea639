/* save_groups.c - functions with their contexts, as names tell them (name_contexts.h). */
#include "index/save/save_in.h"

#include <stdlib.h>

#include "index/base/map.h"

/* ---- contexts in names ---- */

bool save_by_callgrind(const struct profile *p)
{
	struct str creator, desc, names = STR("Contexts: in names");

	if (!p->npart)
		return false;
	creator = p->part[0].creator;
	desc = p->part[0].desc;
	return str_starts(creator, STR("callgrind")) ||
	       (str_eq(creator, STR("quern")) && str_find_str(desc, names) < desc.n);
}

static int find_groups(void *arg)
{
	struct save *s = arg;
	const struct profile *p = s->p;
	const struct named_calls calls = {
		.nfn = p->nfn,
		.nname = p->nname[SPACE_FN],
		.name = p->name[SPACE_FN],
		.fn_name = p->fn_name,
		.fn_file = p->fn_file,
		.fn_obj = p->fn_obj,
		.out_first = p->out_first,
		.callee = p->callee,
	};

	return name_contexts_find(&s->groups, &calls)
		       ? err_no_memory(s->err, "while writing the index")
		       : 0;
}

int save_groups(struct save *s)
{
	const struct name_contexts *g = &s->groups;
	const size_t n = s->p->nfn;

	if (save_by_callgrind(s->p) && map_guard(find_groups, s, ERR_PROFILE, s->err))
		return s->err->kind;
	s->meta->groups = g->n;
	if (!g->n)
		return 0;
	return save_column(s, TABLE_GROUP_OF, 0, g->of, n) ||
	       save_column(s, TABLE_GROUP_NAME, 0, g->base, n) ||
	       save_column(s, TABLE_GROUP_FIRST, 0, g->first, g->n + 1) ||
	       save_column(s, TABLE_GROUP_FN, 0, g->fn, n);
}

/* ---- functions whose contexts are joined ---- */

static int64_t self_of(const void *of, uint32_t f)
{
	const struct save *s = of;

	return s->p->self[f * s->p->nevent + s->event];
}

static int64_t edge_of(const void *of, uint32_t i)
{
	const struct save *s = of;

	return profile_cost(&s->p->edge_cost[s->event], i);
}

static int64_t incl_of(const void *of, uint32_t f)
{
	const struct save *s = of;

	return s->col[f];
}

static struct joined_costs costs_of_event(struct save *s, size_t event)
{
	s->event = event;
	return (struct joined_costs){s, self_of, edge_of, incl_of};
}

int save_joined(struct save *s)
{
	const struct profile *p = s->p;
	const struct name_contexts *g = &s->groups;
	const struct joined_costs costs = costs_of_event(s, 0);

	if (!g->n)
		return 0;
	s->joined = (struct joined){.functions = (uint32_t)p->nfn,
				    .groups = (uint32_t)g->n,
				    .out_first = p->out_first,
				    .callee = p->callee,
				    .of = g->of,
				    .first = g->first,
				    .fn = g->fn,
				    .again = g->again,
				    .nests = s->nests,
				    .levels = s->meta->levels};
	if (joined_find(&s->joined, p->nevent ? &costs : NULL))
		return err_no_memory(s->err, "while writing the index");
	s->meta->group_edges = s->joined.edges;
	s->meta->group_cycles = s->joined.cycles;
	return save_column(s, TABLE_GROUP_CYCLE, 0, s->joined.cycle, g->n) ||
	       save_column(s, TABLE_GROUP_KNOWN, 0, s->joined.known, g->n);
}

int save_joined_costs(struct save *s, size_t event)
{
	const struct joined_costs costs = costs_of_event(s, event);
	const size_t n = s->groups.n;
	int64_t *incl;
	int rc;

	if (!n)
		return 0;
	if (!(incl = calloc(n, sizeof(*incl))))
		return err_no_memory(s->err, "while writing the index");
	for (uint32_t g = 0; g < n; g++)
		if (s->joined.known[g])
			incl[g] = joined_incl(&s->joined, g, &costs);
	rc = save_column(s, TABLE_GROUP_INCL, event, incl, n);
	free(incl);
	return rc;
}
