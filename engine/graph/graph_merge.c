/*
 * graph_merge.c - merge functions, all exact: collapse.
 *
 * Costs are summed over the map; a call inside a group becomes a recursive call of the
 * group.
 *
 *	below	a -> b -> c	a -> c		map: a 0, b 1, c 1
 *	here	A -> B (a -> b and a -> c)	B -> B (b -> c)
 *
 * Edges have to be in the order of callers and callees.  Groups are made in that order, so
 * only the callees of one group are sorted at a time.
 */
#include <stdlib.h>
#include <string.h>

#include "engine/flow/flow.h"
#include "engine/graph/graph_build.h"
#include "engine/graph/graph_stage.h"
#include "engine/names/fnset.h"
#include "engine/names/name.h"
#include "index/base/need.h"
#include "index/base/cost.h"
#include "index/base/err_struct.h"
#include "index/base/hash.h"
#include "index/base/order.h"

struct merge {
	const uint32_t *map, *edge; /* below -> here */
};

/* ---- costs ---- */

/* All costs of a group are sums: those of the whole profile are as exact as those part by part. */
static void merge_fill(struct graph *g, uint32_t e, const struct flow_input *below,
		       struct arena *scratch, int64_t *self, int64_t *edge)
{
	const struct merge *m = g->stage;

	(void)e;
	(void)scratch;
	for (uint32_t f = 0; f < below->functions; f++) {
		cost_add(&self[m->map[f]], below->self[f]);
		graph_poll(g, f);
	}
	for (uint32_t i = 0; i < below->edges; i++) {
		cost_add(&edge[m->edge[i]], below->incl[i]);
		graph_poll(g, i);
	}
}

/* ---- functions of a graph below ---- */

/* Through all stages from base up to g; *again if some stage has f as a level of recursion
 * that is entered inside its group. */
uint32_t graph_merged(const struct graph *g, const struct graph *base, uint32_t f,
		      bool *again)
{
	if (g == base)
		return f;
	if (g->below != base)
		f = graph_merged(g->below, base, f, again);
	*again |= g->merge.again[f];
	return g->merge.group[f];
}

/* Used to follow paths: these run in the graph where contexts are apart, but sets are of
 * the functions that the user sees. */
void graph_members_of(const struct graph *g, const struct graph *base,
		      const struct fn_set *set, bool entered, struct arena *a,
		      const struct fn_set **out)
{
	struct fn_set *s;

	*out = set;
	if (!set || g == base)
		return;
	s = fnset_new(a, base->functions);
	for (uint32_t f = 0; f < base->functions; f++) {
		bool again = false;

		if (fnset_has(set, graph_merged(g, base, f, &again)) &&
		    !(entered && again))
			fnset_add(s, f);
		graph_poll(base, f);
	}
	*out = s;
}

/* ---- edges ---- */

/* The groups that the current one calls, each once. */
struct called {
	uint32_t *group, n;
	uint64_t *met;	/* [groups / 64 + 1]: bits */
	uint32_t *edge; /* [groups]: the number of the edge */
	uint32_t words;
};

/* Sort the groups called.  Of many, read the bits in order; of few, insert one by one, which
 * calls no function for each comparison. */
static void sort_called(struct called *c)
{
	enum { FEW = 24 };
	uint32_t n = 0;

	if (c->n > FEW && c->n > c->words / 16) {
		for (uint32_t w = 0; w < c->words; w++)
			for (uint64_t bits = c->met[w]; bits; bits &= bits - 1)
				c->group[n++] = w * 64 + (uint32_t)__builtin_ctzll(bits);
		return;
	}
	if (c->n > FEW) {
		qsort(c->group, c->n, sizeof(*c->group), compare_u32);
		return;
	}
	for (uint32_t i = 1; i < c->n; i++) {
		uint32_t k = c->group[i], at = i;

		for (; at > 0 && c->group[at - 1] > k; at--)
			c->group[at] = c->group[at - 1];
		c->group[at] = k;
	}
}

/* Find the groups that the members call.  A bit for each group tells whether it was met; at
 * the end only those bits are cleared, for the next group. */
static void find_called(const struct graph_draft *d, const struct flow_input *in,
			const uint32_t *member, uint32_t n, struct called *c)
{
	c->n = 0;
	for (uint32_t m = 0; m < n; m++) {
		uint32_t f = member[m];

		for (uint32_t i = in->out_first[f]; i < in->out_first[f + 1]; i++) {
			uint32_t to = d->map[in->callee[i]];

			if (c->met[to / 64] >> to % 64 & 1)
				continue;
			c->met[to / 64] |= (uint64_t)1 << to % 64;
			c->group[c->n++] = to;
		}
	}
	sort_called(c);
	for (uint32_t i = 0; i < c->n; i++)
		c->met[c->group[i] / 64] &= ~((uint64_t)1 << c->group[i] % 64);
}

/* The edges of group k, and in edge[] their number for each edge below.  First the edges are made
 * in the order of callees, then the calls below are added to them. */
static void add_called(struct graph_draft *d, const struct flow_input *in, uint32_t k,
		       const uint32_t *member, uint32_t n, struct called *c,
		       uint32_t *edge)
{
	find_called(d, in, member, n, c);
	for (uint32_t i = 0; i < c->n; i++) {
		c->edge[c->group[i]] = d->edges;
		d->caller[d->edges] = k;
		d->callee[d->edges++] = c->group[i];
	}
	for (uint32_t m = 0; m < n; m++) {
		uint32_t f = member[m];

		for (uint32_t i = in->out_first[f]; i < in->out_first[f + 1]; i++) {
			uint32_t e = c->edge[d->map[in->callee[i]]];

			edge[i] = e;
			graph_add_calls(d->below, &d->calls[e], in->calls[i]);
		}
	}
	for (uint32_t i = 0; i < c->n; i++)
		graph_end_calls(d->below, &d->calls[c->edge[c->group[i]]]);
}

/* Merge the edges of each group.  (*edge)[i]: the number that edge i below gets. */
static void merge_edges(struct graph_draft *d, uint32_t **edge)
{
	struct graph *b = d->below;
	size_t n = (size_t)d->functions + 1;
	struct called c = {.group = NEED_ARRAY(b->a, uint32_t, n),
			   .met = NEED_ARRAY(b->a, uint64_t, n / 64 + 1),
			   .edge = NEED_ARRAY(b->a, uint32_t, n),
			   .words = (uint32_t)(n / 64 + 1)};
	uint32_t *first, *member;
	struct flow_input in;

	*edge = NEED_ARRAY(b->a, uint32_t, (size_t)b->edges + 1);
	graph_shape(b, &in);
	graph_draft_edges(d, b->edges);
	graph_members(b->a, d->map, b->functions, d->functions, &first, &member);
	for (uint32_t k = 0; k < d->functions; k++) {
		add_called(d, &in, k, member + first[k], first[k + 1] - first[k], &c,
			   *edge);
		graph_poll(b, k);
	}
}

/* ---- places: files and objects by number ---- */

/* The file (or object) of each function by its number in the store.  Several, and none,
 * are the files of these names, or numbers past all files. */
struct merged_places {
	const struct graph *g;
	const uint32_t *column;
	enum graph_mixed mixed;
	uint32_t several, unknown;
};

/* The file (or object) of that name; or `none`. */
static uint32_t place_named(struct store *st, bool file, struct str name, uint32_t none)
{
	const uint32_t n = file ? store_info(st)->files : store_info(st)->objects;
	const uint32_t i = file ? store_file_lower(st, name) : store_obj_lower(st, name);

	return i < n && str_eq(file ? store_file(st, i) : store_obj(st, i), name) ? i
										  : none;
}

static void open_places(const struct graph *g, enum graph_mixed mixed,
			struct merged_places *p)
{
	const struct store_info *si = store_info(g->st);
	bool files = mixed == GRAPH_FILES;
	uint32_t n = files ? si->files : si->objects;

	*p = (struct merged_places){.g = g, .mixed = mixed};
	p->column = store_u32(g->st, files ? TABLE_FN_FILE : TABLE_FN_OBJ);
	p->several = place_named(g->st, files, STR("(several)"), n);
	p->unknown = place_named(g->st, files, STR("???"), n + 1);
	store_sound(g->st);
}

/* Groups of several files, and inlined code of unknown files, have the numbers of struct
 * places. */
static uint32_t place_of(const struct merged_places *p, uint32_t f)
{
	const struct graph *g = p->g;

	if (graph_is(g, f, p->mixed))
		return p->several;
	if (p->mixed == GRAPH_FILES && g->inlined.file &&
	    g->inlined.file[f] != GRAPH_NONE)
		return g->inlined.file[f] == GRAPH_NO_FILE ? p->unknown
							   : g->inlined.file[f];
	return p->column[graph_origin(g, f)];
}

/* Mark the groups that hold several files or objects.  named: a group with a name in d
 * is named for itself, not for one of its functions. */
static void find_mixed(const struct graph_draft *d, bool named, struct graph *g)
{
	const struct graph *b = d->below;
	uint8_t *mixed = NEED_ARRAY(g->a, uint8_t, (size_t)g->functions + 1);
	struct merged_places file, obj;

	open_places(b, GRAPH_FILES, &file);
	open_places(b, GRAPH_OBJECTS, &obj);
	for (uint32_t f = 0; f < b->functions; f++) {
		uint32_t one = d->first[d->map[f]];

		if (one == f) {
			mixed[d->map[f]] |= !b->plain && b->mixed ? b->mixed[f] : 0;
			continue;
		}
		if (place_of(&file, f) != place_of(&file, one))
			mixed[d->map[f]] |= GRAPH_FILES;
		if (place_of(&obj, f) != place_of(&obj, one))
			mixed[d->map[f]] |= GRAPH_OBJECTS;
	}
	for (uint32_t f = 0; named && d->name && f < g->functions; f++)
		if (d->name[f].p)
			mixed[f] = (uint8_t)((mixed[f] & ~GRAPH_INLINED) | GRAPH_NAMED);
	g->mixed = mixed;
}

/* ---- recursion levels ---- */

enum { SEVERAL = UINT32_MAX };

/*
 * again[f]: f is a level of recursion that is only entered while a lower one is on the
 * stack, and these are all in the same group.
 *
 *	main -> f -> f'2 -> f'3		f'2 and f'3 are entered inside f
 *
 * So the inclusive cost of the group is that of f alone: with f'2 and f'3 it would count
 * up to three times.  If f and f'2 are in different groups, each counts.
 */
static void find_levels(struct graph_draft *d)
{
	struct graph *b = d->below;
	uint8_t *again = NEED_ARRAY(b->a, uint8_t, (size_t)b->functions + 1);
	uint32_t *level, *least, *at;

	d->again = again;
	if (!store_any_grouped(b->st))
		return;
	level = NEED_ARRAY(b->a, uint32_t, (size_t)b->functions + 1);
	least = NEED_ARRAY(b->a, uint32_t, (size_t)store_info(b->st)->groups + 1);
	at = NEED_ARRAY(b->a, uint32_t, (size_t)store_info(b->st)->groups + 1);
	/* A group that a stage makes has contexts, but is not a context itself. */
	for (fn_id fn = 0; fn < store_info(b->st)->functions; fn++) {
		const group_id of = store_group_of(b->st, fn);
		const uint32_t f = graph_of_store(b, fn);
		struct str callers;
		uint32_t at_level;

		if (f == GRAPH_NONE || d->map[f] == GRAPH_NONE)
			continue;
		at_level = store_fn_context(b->st, fn, &callers);
		if (graph_in_group(b, f) && (!level[f] || at_level < level[f]))
			level[f] = at_level;
		if (!least[of] || at_level < least[of]) {
			least[of] = at_level;
			at[of] = d->map[f];
		} else if (at_level == least[of] && at[of] != d->map[f]) {
			at[of] = SEVERAL;
		}
		graph_poll(b, fn);
	}
	for (uint32_t f = 0; f < b->functions; f++) {
		const group_id of = store_group_of(b->st, graph_origin(b, f));

		again[f] = level[f] > least[of] && at[of] == d->map[f];
	}
	store_sound(b->st);
}

/* The bounds of a group that may nest (inclusive.h) are proven for costs that are not negative.
 * Of others its inclusive cost is an estimate without bounds. */
static void doubt_negative(struct graph *g)
{
	uint8_t *sure, *call;
	bool any = false;

	if (!store_info(g->st)->negative || g->marks.estimated ||
	    graph_stacks_known(g->below))
		return;
	sure = NEED_ARRAY(g->a, uint8_t, (size_t)g->functions + 1);
	call = NEED_ARRAY(g->a, uint8_t, (size_t)g->edges + 1);
	for (uint32_t k = 0; k < g->functions; k++) {
		const bool nests = graph_incl_estimated(g, k);

		sure[k] = nests ? GRAPH_SELF : GRAPH_SELF | GRAPH_INCL;
		any |= nests;
	}
	if (!any)
		return;
	memset(call, 1, g->edges);
	g->marks.sure = sure;
	g->marks.sure_call = call;
	g->marks.estimated = true;
}

/* A function that is merged with no other costs what it did. */
static const uint32_t *find_same(const struct graph_draft *d)
{
	const struct graph *b = d->below;
	uint32_t *same = NEED_ARRAY(b->a, uint32_t, (size_t)d->functions + 1);

	for (uint32_t f = 0; f < b->functions; f++)
		same[d->map[f]] = d->first[d->map[f]] == f ? f : GRAPH_NONE;
	return same;
}

void graph_merge(struct graph_draft *d, bool named, struct graph **out)
{
	struct merge *m = NEED_NEW(d->below->a, struct merge);
	uint32_t *edge;
	struct graph *g;

	find_levels(d);
	if (!d->below->contexts)
		d->same = find_same(d);
	merge_edges(d, &edge);
	graph_build(d, &g);
	find_mixed(d, named, g);
	doubt_negative(g);
	m->map = d->map;
	m->edge = edge;
	g->stage = m;
	g->fill = merge_fill;
	g->detail = d->below->detail;
	g->hides = d->below->hides;
	*out = g;
}

const uint32_t *graph_merged_edges(const struct graph *g)
{
	return ((const struct merge *)g->stage)->edge;
}

const uint32_t *graph_groups(const struct graph *g)
{
	return ((const struct merge *)g->stage)->map;
}

void graph_collapse(struct graph *g, const struct fn_set *set, struct str name,
		    struct graph **out)
{
	struct graph_draft d;
	uint32_t group = GRAPH_NONE;

	graph_draft(g, &d);
	d.name = NEED_ARRAY(g->a, struct str, (size_t)g->functions + 1);
	for (uint32_t f = 0; f < g->functions; f++) {
		const bool in = fnset_has(set, f);

		if (in && group == GRAPH_NONE) {
			group = d.functions;
			d.name[group] = name;
		}
		graph_draft_join(&d, f, in ? group : d.functions);
	}
	graph_merge(&d, true, out);
}

/* ---- groups by a string ---- */

/* The inverse of place_of(): texts that are no place of the store have numbers behind all
 * places. */
static struct str place_text(const struct merged_places *p, uint32_t place)
{
	const struct store_info *si = store_info(p->g->st);

	if (p->mixed == GRAPH_FILES && place < si->files)
		return store_file(p->g->st, place);
	if (p->mixed == GRAPH_OBJECTS && place < si->objects)
		return store_obj(p->g->st, place);
	return place == p->unknown ? STR("???") : STR("(several)");
}

struct str graph_dir_of(struct str file)
{
	size_t n = file.n - str_basename(file).n;

	if (n == 0)
		return str_eq(file, STR("???")) ? file : STR(".");
	/* "/" and "C:\" stay as they are. */
	return (struct str){file.p, n > 1 && !(n == 3 && file.p[1] == ':') ? n - 1 : n};
}

struct str graph_class_shown(const struct graph *g, uint32_t f)
{
	struct str c = graph_class(g, f);

	return c.n ? c : STR("(no class)");
}

/* Texts by the order in which they are met, in the graph's arena. */
struct texts {
	struct str *text; /* [functions] */
	uint32_t n;
	struct hash by;
};

static uint32_t number_text(struct texts *t, struct str text)
{
	const uint32_t h = (uint32_t)str_hash(text);
	uint32_t probe = hash_start(&t->by, h), i;

	while ((i = hash_next(&t->by, h, &probe)) != HASH_NONE)
		if (str_eq(t->text[i], text))
			return i;
	if (hash_add(&t->by, h, t->n))
		need_memory(t->by.arena);
	t->text[t->n] = text;
	return t->n++;
}

/* Each place has the group of its text: find the text once. */
static void group_by_place(struct graph *g, struct graph_draft *d, enum graph_by by,
			   struct texts *t)
{
	const struct store_info *si = store_info(g->st);
	struct merged_places p;
	uint32_t *group;

	open_places(g, by == GRAPH_BY_OBJECT ? GRAPH_OBJECTS : GRAPH_FILES, &p);
	group = NEED_ARRAY(g->a, uint32_t,
			   (size_t)(si->files > si->objects ? si->files : si->objects) +
				   2);
	for (uint32_t f = 0; f < g->functions; f++) {
		uint32_t at = place_of(&p, f);

		if (!group[at]) {
			struct str text = place_text(&p, at);

			group[at] =
				1 + number_text(t, by == GRAPH_BY_DIR ? graph_dir_of(text)
								      : text);
		}
		graph_draft_join(d, f, group[at] - 1);
		graph_poll(g, f);
	}
	store_sound(g->st);
}

static void group_by_name(struct graph *g, struct graph_draft *d, enum graph_by by,
			  struct texts *t)
{
	for (uint32_t f = 0; f < g->functions; f++) {
		const uint32_t group = number_text(
			t, by == GRAPH_BY_CLASS
				   ? graph_class_shown(g, f)
				   : name_layer(graph_name(g, f), graph_file(g, f)));

		graph_draft_join(d, f, group);
		graph_poll(g, f);
	}
}

uint32_t graph_names_objects(const struct graph *g)
{
	uint32_t n = 0;

	for (obj_id o = 0; o < store_info(g->st)->objects; o++)
		n += !str_starts(store_obj(g->st, o), STR("???"));
	return n;
}

struct str graph_layer(const struct graph *g, uint32_t f)
{
	return graph_names_objects(g) > 1
		       ? graph_obj(g, f)
		       : name_layer(graph_name(g, f), graph_file(g, f));
}

void graph_collapse_by(struct graph *g, enum graph_by by, struct graph **out)
{
	struct graph_draft d;
	struct texts t = {.by.arena = g->a};

	if (by == GRAPH_BY_LAYER && graph_names_objects(g) > 1)
		by = GRAPH_BY_OBJECT;
	*out = g->by[by];
	if (*out)
		return;
	graph_draft(g, &d);
	t.text = NEED_ARRAY(g->a, struct str, (size_t)g->functions + 1);
	if (by == GRAPH_BY_CLASS || by == GRAPH_BY_LAYER)
		group_by_name(g, &d, by, &t);
	else
		group_by_place(g, &d, by, &t);
	d.name = t.text;
	graph_merge(&d, true, out);
	g->by[by] = *out;
}
