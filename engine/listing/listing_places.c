/*
 * listing_places.c - the places of a listing, collected from its functions; see listing.h.
 */
#include <stdlib.h>

#include "engine/graph/graph.h"
#include "engine/names/fnset.h"
#include "engine/rows/exec.h"
#include "engine/rows/fn_detail.h"
#include "engine/rows/place_set.h"
#include "engine/listing/listing.h"
#include "index/base/arena.h"
#include "index/base/err_struct.h"
#include "index/base/order.h"
#include "index/base/cost.h"
#include "index/base/need.h"

static struct listing_place *new_at(struct exec *x, struct listing *l,
				    const int64_t *costs)
{
	size_t at = l->ncosts;

	exec_grow(x, &l->place, &l->places_cap, l->nplaces, l->nplaces + 1,
		  sizeof(*l->place));
	exec_grow(x, &l->costs, &l->costs_cap, at, at + l->events, sizeof(*l->costs));
	for (uint32_t e = 0; e < l->events; e++)
		l->costs[at + e] = costs ? costs[e] : 0;
	l->ncosts += l->events;
	l->place[l->nplaces] = (struct listing_place){.costs = at};
	return &l->place[l->nplaces++];
}

static void place_entry(struct listing *l, struct listing_place *at, fn_id f,
			file_id file, uint64_t line, uint64_t instr)
{
	struct str name;

	at->inlined = file;
	store_inlined(l->st, file, &file, &name);
	at->group = l->instrs ? store_fn_obj_id(l->st, f) : file;
	at->pos = l->instrs ? instr : line;
	at->fn = f;
	at->file = file;
	at->line = line;
	at->instr = instr;
}

static void add_jumps(struct exec *x, struct listing *l, fn_id f, struct arena *scratch)
{
	struct store_jump *jump = NULL;
	size_t n = 0;

	fn_jumps(x, f, scratch, &jump, &n);
	for (size_t i = 0; i < n; i++) {
		struct listing_place *at = new_at(x, l, NULL);
		struct str name;
		file_id to;

		store_inlined(l->st, jump[i].to_file, &to, &name);
		place_entry(l, at, f, jump[i].file, jump[i].line, jump[i].instr);
		at->kind = LISTING_JUMP;
		at->other = l->instrs ? jump[i].to_instr : jump[i].to_line;
		at->to_file = to;
		at->conditional = jump[i].conditional;
		at->executed = jump[i].executed;
		at->calls = jump[i].taken;
	}
}

/* What is hidden behind calls belongs to the lines that make them. */
static void add_hidden(struct exec *x, struct listing *l, fn_id f, struct arena *scratch)
{
	struct store_line *line = NULL;
	int64_t *cost = NULL;
	uint8_t *about = NULL;
	size_t n = 0;

	fn_hidden_lines(x, f, scratch, &line, &cost, &about, &n);
	for (size_t i = 0; i < n; i++) {
		struct listing_place *at = new_at(x, l, cost + i * l->events);

		at->kind = LISTING_LINE;
		at->about = about[i];
		place_entry(l, at, f, line[i].file, line[i].line, line[i].instr);
	}
}

static void add_places(struct exec *x, struct listing *l, fn_id f, struct arena *scratch)
{
	struct store_line *line = NULL;
	struct store_site *site = NULL;
	int64_t *self = NULL, *incl = NULL;
	uint8_t *about = NULL;
	size_t nl = 0, ns = 0;
	struct listing_place *at;

	fn_inlined_lines(x, f, scratch, &line, &self, &nl);
	fn_sites(x, f, scratch, &site, &incl, &about, &ns);
	for (size_t i = 0; i < nl; i++) {
		at = new_at(x, l, self + i * l->events);
		at->kind = LISTING_LINE;
		at->about = fn_detail_shared(x, f, GRAPH_SELF);
		place_entry(l, at, f, line[i].file, line[i].line, line[i].instr);
	}
	for (size_t i = 0; i < ns; i++) {
		at = new_at(x, l, incl + i * l->events);
		at->kind = LISTING_CALL;
		at->other = site[i].callee;
		at->calls = graph_site_calls(x->g, site[i].calls);
		at->about = (about && about[i]) ||
			    fn_detail_shared(x, site[i].callee, GRAPH_INCL);
		place_entry(l, at, f, site[i].file, site[i].line, site[i].instr);
	}
	add_hidden(x, l, f, scratch);
	if (!l->bare)
		add_jumps(x, l, f, scratch);
}

static int by_place(const void *pa, const void *pb)
{
	const struct listing_place *a = pa, *b = pb;
	int c = order_u64(a->group, b->group);

	c = c ? c : order_u64(a->pos, b->pos);
	c = c ? c : order_u64(a->kind, b->kind);
	c = c ? c : order_u64(a->other, b->other);
	c = c ? c : order_u64(b->conditional, a->conditional);
	c = c ? c : order_u64(a->to_file, b->to_file);
	return c ? c : str_cmp(a->name, b->name);
}

/* Merge entries of the same place, kind and callee. */
static void merge(struct listing *l)
{
	size_t n = 0;

	if (l->nplaces)
		qsort(l->place, l->nplaces, sizeof(*l->place), by_place);
	for (size_t i = 0; i < l->nplaces; i++) {
		struct listing_place *last = n ? &l->place[n - 1] : NULL;

		if (!last || by_place(last, &l->place[i])) {
			l->place[n++] = l->place[i];
			continue;
		}
		/* An address is one of its function. */
		if (l->place[i].fn < last->fn ||
		    (l->place[i].fn == last->fn && l->place[i].instr < last->instr)) {
			last->fn = l->place[i].fn;
			last->instr = l->place[i].instr;
		}
		if (l->place[i].inlined > last->inlined)
			last->inlined = l->place[i].inlined;
		last->about |= l->place[i].about;
		count_add(&last->calls, l->place[i].calls);
		count_add(&last->executed, l->place[i].executed);
		for (uint32_t e = 0; e < l->events; e++)
			cost_add(&l->costs[last->costs + e],
				 l->costs[l->place[i].costs + e]);
	}
	l->nplaces = n;
}

static bool is_wanted(const struct exec *x, const struct listing *l,
		      const struct listing_place *at)
{
	return !l->only || place_set_has(l->only, graph_of_store(x->g, at->fn), at->file);
}

/* A function without a wanted line is left out; of the others all places are needed to
 * find the lines that call inlined code. */
static void add_function(struct exec *x, void *arg, const struct fn_members *of,
			 struct arena *scratch)
{
	struct listing *l = arg;

	for (uint32_t k = 0; k < of->n; k++) {
		const size_t from = l->nplaces, costs = l->ncosts;
		size_t i = from;

		add_places(x, l, of->fn[k], scratch);
		l->own[store_fn_file_id(l->st, of->fn[k])] |= !l->only;
		while (i < l->nplaces && !is_wanted(x, l, &l->place[i]))
			i++;
		if (i < l->nplaces)
			continue;
		l->nplaces = from;
		l->ncosts = costs;
	}
	exec_poll_now(x);
}

/* Leave the wanted places. */
static void drop_others(const struct exec *x, struct listing *l)
{
	size_t n = 0;

	for (size_t i = 0; i < l->nplaces; i++) {
		if (!is_wanted(x, l, &l->place[i]))
			continue;
		l->own[l->place[i].file] |= place_set_names(l->only, l->place[i].file);
		l->place[n++] = l->place[i];
	}
	l->nplaces = n;
}

void listing_gather(struct exec *x, struct listing *l, const struct fn_set *set)
{
	l->own = EXEC_ARRAY(x, bool, (size_t)store_info(l->st)->files + 1);
	fn_detail_each(x, set, add_function, l);
}

enum { OWN_FILES = 8 };

/* Where a function's own lines are: one file, or more by #include in its body. */
struct own_files {
	file_id file[OWN_FILES];
	size_t n;
};

/* Those of the places at[0..n) of one function.  callgrind names the file of its first
 * instruction, which may be inlined. */
static struct own_files find_own(const struct listing *l, const struct listing_place *at,
				 size_t n)
{
	const struct inline_frame *f;
	struct own_files own = {.n = 0};

	for (size_t i = 0; i < n && own.n < OWN_FILES; i++) {
		size_t k = 0;

		while (k < own.n && own.file[k] != at[i].file)
			k++;
		if (k == own.n &&
		    !inlining_at(l->in, at[i].fn, at[i].inlined, at[i].instr, &f))
			own.file[own.n++] = at[i].file;
	}
	return own;
}

/* The file at a path of debug information; if the profile spells it differently, the only
 * own one with its base name.  False: none is known. */
static bool file_at(const struct listing *l, const struct own_files *own, struct str path,
		    file_id *out)
{
	size_t same = 0;

	*out = store_file_lower(l->st, path);
	if (*out < store_info(l->st)->files && str_eq(store_file(l->st, *out), path))
		return true;
	for (size_t k = 0; k < own->n; k++) {
		if (!str_eq(str_basename(store_file(l->st, own->file[k])),
			    str_basename(path)))
			continue;
		*out = own->file[k];
		same++;
	}
	return same == 1;
}

/* If `at` is in inlined code, give its cost to the function's own line that called this
 * code, too. */
static void roll_up(struct exec *x, struct listing *l, struct listing_place at,
		    const struct own_files *own)
{
	const struct inline_frame *f;
	struct listing_place *to;
	file_id file;

	inlining_at(l->in, at.fn, at.inlined, at.instr, &f);
	while (f && f->outer)
		f = f->outer;
	if (!f || !f->line || !file_at(l, own, f->file, &file))
		return;
	to = new_at(x, l, l->costs + at.costs);
	place_entry(l, to, at.fn, file, f->line, 0);
	to->kind = LISTING_INLINED;
	to->name = f->name;
}

void listing_merge(struct exec *x, struct listing *l)
{
	const size_t n = l->instrs ? 0 : l->nplaces;

	for (size_t i = 0, to; i < n; i = to) {
		struct own_files own;

		for (to = i + 1; to < n && l->place[to].fn == l->place[i].fn;)
			to++;
		own = find_own(l, l->place + i, to - i);
		for (; i < to; i++)
			if (l->place[i].kind != LISTING_JUMP)
				roll_up(x, l, l->place[i], &own);
	}
	if (l->only)
		drop_others(x, l);
	merge(l);
}

/* ---- groups: the functions' own files, then the costliest ---- */

static int by_weight(const void *pa, const void *pb)
{
	const struct listing_group *a = pa, *b = pb;
	int c = order_u64(b->own, a->own);

	c = c ? c : cost_order(b->self, a->self);
	return c ? c : order_u64(a->id, b->id);
}

int64_t listing_cost(const struct listing *l, const struct listing_place *at, uint32_t e)
{
	return store_event_of(l->st, e, l->costs + at->costs);
}

/* Is the group a file of the functions themselves?  Without addresses that is where one
 * begins; with them, a file that has code which is not inlined. */
static bool is_own(const struct listing *l, const struct listing_group *g)
{
	const struct inline_frame *frame;

	if (l->own[g->id] && (l->only || !store_info(l->st)->has_instr))
		return true;
	if (!store_info(l->st)->has_instr)
		return false;
	for (size_t i = g->first_place; i < g->first_place + g->places; i++) {
		const struct listing_place *at = &l->place[i];

		if (at->kind == LISTING_INLINED ||
		    !inlining_at(l->in, at->fn, at->inlined, at->instr, &frame))
			return true;
	}
	return false;
}

void listing_groups(struct exec *x, struct listing *l)
{
	struct listing_group *g = EXEC_ARRAY(x, struct listing_group, l->nplaces + 1);
	size_t n = 0;

	l->group = g;
	for (size_t i = 0; i < l->nplaces; i++) {
		const struct listing_place *at = &l->place[i];

		if (n == 0 || g[n - 1].id != at->group)
			g[n++] =
				(struct listing_group){.id = at->group, .first_place = i};
		g[n - 1].places++;
		if (at->kind == LISTING_LINE)
			cost_add(&g[n - 1].self, listing_cost(l, at, l->event));
	}
	l->ngroups = n;
	for (size_t i = 0; i < n && !l->instrs; i++)
		g[i].own = is_own(l, &g[i]);
	if (n)
		qsort(g, n, sizeof(*g), by_weight);
}
