/*
 * part_lines_ids.c - what a tally of some parts has, in the ids of the store:
 *
 *	slot -> string (merge_names) -> name, file, object id -> function id -> edge id
 */
#include "index/part_lines_in.h"

#include <stdlib.h>

#include "index/base/bisect.h"
#include "index/base/err.h"
#include "index/store/store_in.h"

static int unknown(struct store *st, struct str name, struct err *err)
{
	err_set(err, ERR_INDEX, 0,
		"%.*s: the index does not know '%.*s', which one of the parts has",
		STR_ARG(store_info(st)->profile), STR_ARG(str_cut(name, 200)));
	return err_hint(err,
			"the profile was replaced by another of its size and times: "
			"rebuild with quern --rebuild '%.*s'",
			STR_ARG(store_info(st)->profile));
}

static uint32_t string_in(struct store *st, enum name_space space, struct str s)
{
	const bool pair = space == SPACE_FILE && s.n && s.p[0] == '\n';
	uint32_t i = pair		   ? store_inlined_lower(st, s)
		     : space == SPACE_OBJ  ? store_obj_lower(st, s)
		     : space == SPACE_FILE ? store_file_lower(st, s)
					   : store_name_lower(st, s);
	const uint32_t n[SPACES] = {st->info.objects,
				    st->info.files + (pair ? st->info.inlined : 0),
				    st->info.names};

	if (i >= n[space])
		return NO_ID;
	return str_eq(space == SPACE_OBJ    ? store_obj(st, i)
		      : space == SPACE_FILE ? store_file(st, i)
					    : store_name(st, i),
		      s)
		       ? i
		       : NO_ID;
}

static int map_strings(struct part_lines *to, enum name_space space, struct err *err)
{
	struct profile *p = &to->p;
	uint32_t *id = malloc((p->nname[space] + 1) * sizeof(*id));

	if (!id)
		return err_no_memory(err, "while reading parts of the profile");
	for (size_t i = 0; i < p->nname[space]; i++) {
		id[i] = string_in(to->st, space, p->name[space][i]);
		if (id[i] == NO_ID) {
			free(id);
			return unknown(to->st, p->name[space][i], err);
		}
	}
	for (size_t i = 0; i < to->tally.names[space].n; i++)
		to->map.name[space][i] = id[to->map.name[space][i]];
	free(id);
	return 0;
}

/* The function of an identity; NO_ID if the store has none.  A callee with a default
 * file and no block of its own is the only function of that name in its object that
 * has a block (merge.c). */
static uint32_t function_of(struct store *st, uint32_t name, uint32_t file, uint32_t obj,
			    bool defaulted)
{
	uint32_t first, n, bodies = 0, only = NO_ID, exact = NO_ID;

	store_fns_of_name(st, name, &first, &n);
	for (uint32_t f = first; f < first + n; f++) {
		if (store_fn_obj_id(st, f) != obj)
			continue;
		if (store_fn_file_id(st, f) == file)
			exact = f;
		if (!defaulted || !store_fn_body(st, f))
			continue;
		if (exact == f)
			return f;
		only = f;
		bodies++;
	}
	return bodies == 1 ? only : exact;
}

/* The function to which the calls of another name, or of another object, went. */
static uint32_t function_elsewhere(struct store *st, uint32_t name, uint32_t file,
				   uint32_t obj)
{
	struct str names[BLOCK_NAMES];
	char buf[ARITY_NAME];

	merge_block_names(store_name(st, name), names, buf);
	for (int i = 0; i < BLOCK_NAMES; i++) {
		const uint32_t id =
			names[i].n ? string_in(st, SPACE_FN, names[i]) : NO_ID;
		uint32_t first = 0, n = 0, found = NO_ID, bodies = 0;

		if (id != NO_ID)
			store_fns_of_name(st, id, &first, &n);
		for (uint32_t f = first; f < first + n; f++) {
			if (store_fn_file_id(st, f) != file || !store_fn_body(st, f))
				continue;
			if (store_fn_obj_id(st, f) == obj)
				return f;
			found = f;
			bodies++;
		}
		if (bodies == 1)
			return found;
	}
	return NO_ID;
}

static bool has_line_at(struct store *st, fn_id f, const struct call_target *to,
			struct arena *a)
{
	struct store_line *line;
	int64_t *costs;
	struct err err = {0};
	size_t n;
	bool found = false;

	arena_reset(a);
	if (store_lines(st, f, a, &line, &costs, &n, &err))
		return false;
	for (size_t i = 0; i < n && !found; i++)
		found = line[i].instr == to->at[0] || line[i].instr == to->at[1];
	return found;
}

/* The callee of a function, in the store, that a slot with a target means: of a name that its
 * block may have, and if several have one, with a line at the target.  NO_ID: none. */
static uint32_t function_at(struct part_lines *to, uint32_t caller,
			    const struct fn_slot *f, struct arena *a)
{
	struct store *st = to->st;
	const struct call_target *target = &to->tally.fns.target[f->target - 1];
	const uint32_t *first = store_u32(st, TABLE_OUT_FIRST),
		       *callee = store_u32(st, TABLE_EDGE_CALLEE);
	struct str names[BLOCK_NAMES];
	char buf[ARITY_NAME];
	uint32_t found = NO_ID, at = NO_ID;
	size_t n = 0;

	merge_block_names(store_name(st, to->map.name[SPACE_FN][f->fn]), names, buf);
	for (uint32_t e = first[caller]; e < first[caller + 1]; e++) {
		const struct str name = store_name(st, store_fn_name_id(st, callee[e]));
		bool fits = str_eq(name, STR("???"));

		for (int k = 0; k < BLOCK_NAMES; k++)
			fits |= names[k].n && str_eq(name, names[k]);
		if (!fits)
			continue;
		found = callee[e];
		n++;
		if (at == NO_ID && has_line_at(st, callee[e], target, a))
			at = callee[e];
	}
	return n == 1 ? found : at;
}

static int map_functions(struct part_lines *to, struct arena *a, struct err *err)
{
	const struct tally *t = &to->tally;
	struct merge_map *m = &to->map;

	m->fn = malloc((t->fns.n + 1) * sizeof(*m->fn));
	if (!m->fn)
		return err_no_memory(err, "while reading parts of the profile");
	for (size_t i = 0; i < t->fns.n; i++) {
		const struct fn_slot *f = &t->fns.at[i];

		m->fn[i] = function_of(to->st, m->name[SPACE_FN][f->fn],
				       m->name[SPACE_FILE][f->fl],
				       m->name[SPACE_OBJ][f->ob], f->defaulted);
		if (m->fn[i] == NO_ID &&
		    f->has_lines) /* an error: its lines would be lost */
			return unknown(to->st,
				       store_name(to->st, m->name[SPACE_FN][f->fn]), err);
	}
	for (size_t i = 0; i < t->edges.n; i++) {
		const uint32_t end[] = {t->edges.at[i].caller, t->edges.at[i].callee};
		const struct fn_slot *f = &t->fns.at[end[1]];

		if (f->target && m->fn[end[0]] != NO_ID) {
			const uint32_t at = function_at(to, m->fn[end[0]], f, a);

			m->fn[end[1]] = at == NO_ID ? m->fn[end[1]] : at;
		}
		/* Jumps alone do not name another function: only callees are looked for elsewhere. */
		if (m->fn[end[1]] == NO_ID)
			m->fn[end[1]] = function_elsewhere(
				to->st, m->name[SPACE_FN][f->fn],
				m->name[SPACE_FILE][f->fl], m->name[SPACE_OBJ][f->ob]);
		for (int k = 0; k < 2; k++)
			if (m->fn[end[k]] == NO_ID)
				return unknown(
					to->st,
					store_name(
						to->st,
						m->name[SPACE_FN][t->fns.at[end[k]].fn]),
					err);
	}
	return 0;
}

/* Search the caller's edges, sorted by callee; p->nedge: not found. */
static uint32_t edge_of(const struct profile *p, uint32_t caller, uint32_t callee)
{
	const uint32_t end = p->out_first[caller + 1];
	struct bisect b = bisect_in(p->out_first[caller], end);

	while (bisect_next(&b))
		bisect_step(&b, p->callee[b.mid] < callee);
	return (uint32_t)(b.lo < end && p->callee[b.lo] == callee ? b.lo : p->nedge);
}

static int map_edges(struct part_lines *to, struct err *err)
{
	const struct tally *t = &to->tally;
	struct merge_map *m = &to->map;

	m->edge = malloc((t->edges.n + 1) * sizeof(*m->edge));
	if (!m->edge)
		return err_no_memory(err, "while reading parts of the profile");
	for (size_t i = 0; i < t->edges.n; i++) {
		m->edge[i] = edge_of(&to->p, m->fn[t->edges.at[i].caller],
				     m->fn[t->edges.at[i].callee]);
		if (m->edge[i] == to->p.nedge)
			return unknown(
				to->st,
				store_name(to->st,
					   m->name[SPACE_FN]
						  [t->fns.at[t->edges.at[i].callee].fn]),
				err);
	}
	return 0;
}

static int map_events(struct part_lines *to, struct err *err)
{
	const struct tally *t = &to->tally;

	to->map.event = malloc((t->events.n + 1) * sizeof(*to->map.event));
	if (!to->map.event)
		return err_no_memory(err, "while reading parts of the profile");
	for (size_t i = 0; i < t->events.n; i++) {
		to->map.event[i] = store_event_find(to->st, t->events.name[i]);
		if (to->map.event[i] >= to->st->info.events)
			return unknown(to->st, t->events.name[i], err);
	}
	return 0;
}

/* A column of the store, for struct profile, which does not write to it. */
static uint32_t *part_lines_column(struct store *st, enum index_table c)
{
	return (uint32_t *)(uintptr_t)store_u32(st, c);
}

int part_lines_map(struct part_lines *to, struct err *err)
{
	struct store *st = to->st;
	struct profile *p = &to->p;
	struct arena lines;
	int rc;

	for (int i = 0; i < SPACES; i++)
		if (map_strings(to, (enum name_space)i, err))
			return err->kind;
	arena_init(&lines, 0);
	rc = map_events(to, err) || map_functions(to, &lines, err);
	arena_free(&lines);
	if (rc)
		return err->kind;
	p->nevent = st->info.events;
	p->nfn = st->info.functions;
	p->nedge = st->info.edges;
	p->has_instr = st->info.has_instr;
	p->has_line = st->info.has_line;
	p->fn_name = part_lines_column(st, TABLE_FN_NAME);
	p->fn_file = part_lines_column(st, TABLE_FN_FILE);
	p->fn_obj = part_lines_column(st, TABLE_FN_OBJ);
	p->out_first = part_lines_column(st, TABLE_OUT_FIRST);
	p->callee = part_lines_column(st, TABLE_EDGE_CALLEE);
	return store_check(st, err) || map_edges(to, err) ||
			       detail_new(p, 0, &to->detail, err)
		       ? err->kind
		       : 0;
}
