/*
 * graph_merge.c - stages that merge functions, all exact: collapse, norec.
 *
 * Costs are summed over the map; a call inside a group becomes a recursive call of the
 * group.
 */
#include <string.h>

#include "engine/graph/graph_build.h"
#include "engine/graph/graph_stage.h"
#include "engine/names/name.h"
#include "index/graph/inclusive.h"

struct merge {
	const uint32_t *map, *edge; /* below -> here */
};

static int merge_fill(struct graph *g, uint32_t e, const struct flow_input *below,
		      struct arena *scratch, uint64_t *self, uint64_t *edge,
		      struct err *err)
{
	const struct merge *m = g->stage;

	(void)e;
	(void)scratch;
	for (uint32_t f = 0; f < below->functions; f++) {
		self[m->map[f]] = graph_add(self[m->map[f]], below->self[f]);
		if (graph_poll(g, f, err))
			return (int)err->kind;
	}
	for (uint32_t i = 0; i < below->edges; i++) {
		edge[m->edge[i]] = graph_add(edge[m->edge[i]], below->incl[i]);
		if (graph_poll(g, i, err))
			return (int)err->kind;
	}
	return 0;
}

static int all_edges(struct graph_draft *d, struct err *err)
{
	struct graph *b = d->below;
	size_t n = (size_t)b->edges + 1;

	d->caller = ARENA_ARRAY(b->a, uint32_t, n);
	d->callee = ARENA_ARRAY(b->a, uint32_t, n);
	d->calls = ARENA_ARRAY(b->a, uint64_t, n);
	if (!d->caller || !d->callee || !d->calls)
		return arena_full(b->a, err);
	for (uint32_t i = 0; i < b->edges; i++) {
		struct store_edge e;

		graph_edge(b, i, &e);
		d->caller[i] = d->map[e.caller];
		d->callee[i] = d->map[e.callee];
		d->calls[i] = e.calls;
		if (graph_poll(b, i, err))
			return (int)err->kind;
	}
	d->edges = b->edges;
	return 0;
}

/* Mark the groups that hold several files or objects.  named: a group with a name in d
 * is named for itself, not for one of its functions. */
static int find_mixed(const struct graph_draft *d, bool named, struct graph *g,
		      struct err *err)
{
	const struct graph *b = d->below;
	uint8_t *mixed = ARENA_ARRAY(g->a, uint8_t, (size_t)g->functions + 1);

	if (!mixed)
		return arena_full(g->a, err);
	for (uint32_t f = 0; f < b->functions; f++) {
		uint32_t one = d->first[d->map[f]];

		if (one == f)
			mixed[d->map[f]] |= !b->plain && b->mixed ? b->mixed[f] : 0;
		if (!str_eq(graph_file(b, f), graph_file(b, one)))
			mixed[d->map[f]] |= GRAPH_FILES;
		if (!str_eq(graph_obj(b, f), graph_obj(b, one)))
			mixed[d->map[f]] |= GRAPH_OBJECTS;
	}
	for (uint32_t f = 0; named && f < g->functions; f++)
		if (d->name[f].p)
			mixed[f] |= GRAPH_NAMED;
	g->mixed = mixed;
	return 0;
}

/* The key of f'2 is f with the same file and object. */
static struct str norec_key(const struct graph *g, uint32_t f, struct arena *a)
{
	struct str name = name_without_level(graph_name(g, f), a);
	struct str file = graph_file(g, f), obj = graph_obj(g, f);
	size_t n = name.n + file.n + obj.n + 2;
	char *p = arena_alloc(a, n);

	if (!p || !name.p)
		return (struct str){NULL, 0};
	memcpy(p, name.p, name.n);
	memcpy(p + name.n + 1, file.p, file.n);
	memcpy(p + name.n + file.n + 2, obj.p, obj.n);
	return (struct str){p, n};
}

/* again[f]: f is a recursion level of another function in the same group. */
static int find_levels(struct graph_draft *d, struct err *err)
{
	struct graph *b = d->below;
	uint8_t *again = ARENA_ARRAY(b->a, uint8_t, (size_t)b->functions + 1);
	uint32_t *slot;
	struct str *keys;
	size_t cap = 16;
	bool any = false;

	if (!again)
		return arena_full(b->a, err);
	d->again = again;
	for (uint32_t f = 0; f < b->functions && !any; f++)
		any = name_level(graph_name(b, f)) > 1;
	if (!any)
		return 0;
	while (cap < 2 * (size_t)b->functions + 2)
		cap *= 2;
	slot = ARENA_ARRAY(b->a, uint32_t, cap);
	keys = ARENA_ARRAY(b->a, struct str, (size_t)b->functions + 1);
	if (!slot || !keys)
		return arena_full(b->a, err);
	/* Level 1 comes first; slot[] holds function + 1. */
	for (int level = 1; level <= 2; level++)
		for (uint32_t f = 0; f < b->functions; f++) {
			bool deep = name_level(graph_name(b, f)) > 1;
			size_t h;

			if (graph_poll(b, f, err))
				return (int)err->kind;
			if (deep != (level == 2))
				continue;
			keys[f] = norec_key(b, f, b->a);
			if (!keys[f].p)
				return arena_full(b->a, err);
			h = (size_t)str_hash(keys[f]) & (cap - 1);
			while (slot[h] && !str_eq(keys[slot[h] - 1], keys[f]))
				h = (h + 1) & (cap - 1);
			if (level == 1)
				slot[h] = f + 1;
			else
				again[f] = slot[h] && d->map[slot[h] - 1] == d->map[f];
		}
	return 0;
}

static int make_merged(struct graph_draft *d, bool named, struct graph **out,
		       struct err *err)
{
	struct merge *m = ARENA_NEW(d->below->a, struct merge);
	uint32_t *edge;
	struct graph *g;

	if (!m)
		return arena_full(d->below->a, err);
	if (find_levels(d, err) || all_edges(d, err) || graph_build(d, &g, &edge, err) ||
	    find_mixed(d, named, g, err))
		return (int)err->kind;
	m->map = d->map;
	m->edge = edge;
	g->stage = m;
	g->fill = merge_fill;
	g->detail = d->below->detail;
	*out = g;
	return 0;
}

const uint32_t *graph_groups(const struct graph *g)
{
	return ((const struct merge *)g->stage)->map;
}

static int draft(struct graph *g, struct graph_draft *d, struct err *err)
{
	*d = (struct graph_draft){.below = g};
	d->map = ARENA_ARRAY(g->a, uint32_t, (size_t)g->functions + 1);
	d->first = ARENA_ARRAY(g->a, uint32_t, (size_t)g->functions + 1);
	d->name = ARENA_ARRAY(g->a, struct str, (size_t)g->functions + 1);
	return d->map && d->first && d->name ? 0 : arena_full(g->a, err);
}

int graph_collapse(struct graph *g, const struct fn_set *set, struct str name,
		   struct graph **out, struct err *err)
{
	struct graph_draft d;
	uint32_t group = GRAPH_NONE;

	if (draft(g, &d, err))
		return (int)err->kind;
	for (uint32_t f = 0; f < g->functions; f++) {
		bool in = fnset_has(set, f);

		if (in && group != GRAPH_NONE) {
			d.map[f] = group;
			continue;
		}
		if (in) {
			group = d.functions;
			d.name[group] = name;
		}
		d.first[d.functions] = f;
		d.map[f] = d.functions++;
	}
	return make_merged(&d, true, out, err);
}

/* ---- groups by a string ---- */

typedef struct str key_of(const struct graph *g, uint32_t f, struct arena *a);

static struct str file_key(const struct graph *g, uint32_t f, struct arena *a)
{
	(void)a;
	return graph_file(g, f);
}

static struct str obj_key(const struct graph *g, uint32_t f, struct arena *a)
{
	(void)a;
	return graph_obj(g, f);
}

static struct str dir_key(const struct graph *g, uint32_t f, struct arena *a)
{
	struct str file = graph_file(g, f);
	size_t n = file.n - str_basename(file).n;

	(void)a;
	if (n == 0)
		return str_eq(file, STR("???")) ? file : STR(".");
	return (struct str){file.p, n > 1 ? n - 1 : n};
}

static struct str class_key(const struct graph *g, uint32_t f, struct arena *a)
{
	struct str c = name_class(graph_name(g, f));

	(void)a;
	return c.n ? c : STR("(no class)");
}

/* Find the group of key, or add it at the end; slot[] holds group + 1. */
static uint32_t group_of_key(struct graph_draft *d, uint32_t *slot, size_t cap,
			     struct str key, struct str *keys, uint32_t f)
{
	size_t h = (size_t)str_hash(key);

	while (slot[h & (cap - 1)] && !str_eq(keys[slot[h & (cap - 1)] - 1], key))
		h++;
	if (!slot[h & (cap - 1)]) {
		keys[d->functions] = key;
		d->first[d->functions] = f;
		slot[h & (cap - 1)] = ++d->functions;
	}
	return slot[h & (cap - 1)] - 1;
}

static int group_by(struct graph *g, struct graph_draft *d, key_of *key,
		    struct str **keys, struct err *err)
{
	size_t cap = 16;
	uint32_t *slot;

	while (cap < 2 * (size_t)g->functions + 2)
		cap *= 2;
	slot = ARENA_ARRAY(g->a, uint32_t, cap);
	*keys = ARENA_ARRAY(g->a, struct str, (size_t)g->functions + 1);
	if (!slot || !*keys || draft(g, d, err))
		return arena_full(g->a, err);
	for (uint32_t f = 0; f < g->functions; f++) {
		struct str k = key(g, f, g->a);

		if (!k.p)
			return arena_full(g->a, err);
		d->map[f] = group_of_key(d, slot, cap, k, *keys, f);
		if (graph_poll(g, f, err))
			return (int)err->kind;
	}
	return 0;
}

int graph_collapse_by(struct graph *g, enum graph_by by, struct graph **out,
		      struct err *err)
{
	static key_of *const key[] = {
		[GRAPH_BY_FILE] = file_key,
		[GRAPH_BY_OBJECT] = obj_key,
		[GRAPH_BY_DIR] = dir_key,
		[GRAPH_BY_CLASS] = class_key,
	};
	struct graph_draft d;
	struct str *keys;

	if (group_by(g, &d, key[by], &keys, err))
		return (int)err->kind;
	d.name = keys;
	return make_merged(&d, true, out, err);
}

int graph_norec(struct graph *g, struct graph **out, struct err *err)
{
	struct graph_draft d;
	struct str *keys;

	if (group_by(g, &d, norec_key, &keys, err))
		return (int)err->kind;
	for (uint32_t f = 0; f < d.functions; f++) {
		struct str name = graph_name(g, d.first[f]),
			   cut = name_without_level(name, g->a);

		if (!cut.p)
			return arena_full(g->a, err);

		/* Most groups keep their name: only a level without level 1 needs a
		 * new one. */
		if (cut.n != name.n)
			d.name[f] = cut;
	}
	return make_merged(&d, false, out, err);
}
