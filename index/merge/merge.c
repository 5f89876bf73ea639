/*
 * merge.c - strings to functions and their sums; see merge.h.
 *
 * 1. Every name slot gets its string (merge_names.c).
 * 2. Functions are the distinct (object, file, name) that have lines or are called.  A
 *    callee whose file is only assumed, and that has no lines there, is the function of that
 *    name with lines in that object, if there is only one (PROFILE.md section 6).
 * 3. Edges are sorted by (caller, callee) and equal ones added (merge_edges.c).
 *
 * Each stretch has a tally of its own, so one function has a slot in several of them:
 *
 *	tally 0: slot 0 main, 1 f	tally 1: slot 0 g, 1 f
 *	identities (by name, file, object):  f  g  main
 *	map[0].fn = {2, 0}		map[1].fn = {1, 0}
 *
 * The maps stay until the index is written: lines, call sites and parts are not merged
 * here, but read from the tallies through them.
 *
 * Tallies are large, and each step reads them in another order than they are in.  So the
 * steps sort small keys rather than slots, prefetch, and free what no later step needs.
 */
#include "index/merge/merge.h"

#include <stdlib.h>
#include <string.h>

#include "index/base/bisect.h"
#include "index/base/err.h"
#include "index/base/order.h"
#include "index/base/sort.h"
#include "index/base/vec.h"
#include "index/merge/header.h"
#include "index/merge/merge_addresses.h"
#include "index/merge/merge_calls.h"
#include "index/merge/merge_edges.h"
#include "index/merge/merge_names.h"
#include "index/merge/reuse.h"

static int interrupted(const atomic_int *cancel, struct err *err)
{
	if (cancel && atomic_load_explicit(cancel, memory_order_relaxed))
		return err_set(err, ERR_CANCEL, 0, "interrupted");
	return 0;
}

/* Prefetch for the round FETCH rounds later, when each round reads far from the
 * others. */
enum { FETCH = 16 };

/* ---- functions ---- */

/* A distinct (object, file, name) of the tallies. */
struct identity {
	uint32_t name, file, obj;
	bool has_lines; /* has a block with cost lines or calls */
	bool called;	/* is a callee with its file written */
	bool defaulted; /* is a callee with a default file */
	bool unclear;	/* has no lines; its calls may go to one of several that have */
	uint32_t as;	/* identity that its calls with a default file go to, */
	uint32_t said;	/* and those with a written one */
	uint32_t id;	/* final function id, or NO_ID */
};

struct identities {
	struct identity *at; /* sorted by name, file, object */
	size_t n;
	uint32_t **slot; /* per tally and function slot: identity index */
	/* scratch: slots of all tallies, sorted; value: a slot, counted from the first
	 * tally on */
	struct sort_pair *order;
	size_t nuse;
	uint32_t *first; /* per tally: its first slot, so counted */
	bool *met;	 /* scratch: the slots of one tally that are called */
};

/* Sort the slots of all tallies by name and file.  Few functions have both alike, and
 * number_objects() orders those. */
static int sort_slots(const struct profile *p, struct identities *ids)
{
	for (size_t k = 0; k < p->ntally; k++)
		ids->nuse += p->tally[k]->fns.n;
	ids->order = vec_block((ids->nuse + 1) * sizeof(*ids->order));
	ids->at = vec_block((ids->nuse + 1) * sizeof(*ids->at));
	ids->first = calloc(p->ntally + 1, sizeof(*ids->first));
	if (!ids->order || !ids->at || !ids->first || ids->nuse >= NO_ID)
		return -1;
	ids->nuse = 0;
	for (size_t k = 0; k < p->ntally; k++) {
		const struct tally *t = p->tally[k];
		const struct merge_map *m = &p->map[k];

		ids->slot[k] = vec_block((t->fns.n + 1) * sizeof(**ids->slot));
		if (!ids->slot[k])
			return -1;
		for (size_t i = 0; i < t->fns.n; i++, ids->nuse++) {
			const struct fn_slot *f = &t->fns.at[i];

			ids->order[ids->nuse] = (struct sort_pair){
				(uint64_t)m->name[SPACE_FN][f->fn] << 32 |
					m->name[SPACE_FILE][f->fl],
				(uint32_t)ids->nuse};
		}
		ids->first[k + 1] = (uint32_t)ids->nuse;
	}
	return sort_pairs(ids->order, ids->nuse);
}

/* The tally of a slot, counted from the first tally on. */
static size_t tally_of(const struct profile *p, const struct identities *ids,
		       uint32_t slot)
{
	struct bisect b = bisect_in(1, p->ntally);

	while (bisect_next(&b))
		bisect_step(&b, ids->first[b.mid] <= slot);
	return b.lo - 1;
}

static const struct fn_slot *
slot_of(const struct profile *p, const struct identities *ids, uint32_t slot, size_t *k)
{
	*k = tally_of(p, ids, slot);
	return &p->tally[*k]->fns.at[slot - ids->first[*k]];
}

/* Make the identities of n slots with one name and file: one per object. */
static int number_objects(const struct profile *p, struct identities *ids,
			  struct sort_pair *order, size_t n)
{
	const uint64_t key = order->key;
	bool one = true;
	size_t k;

	for (size_t i = 0; i < n; i++) {
		const struct fn_slot *f = slot_of(p, ids, order[i].value, &k);

		order[i].key = p->map[k].name[SPACE_OBJ][f->ob];
		one = one && order[i].key == order->key;
	}
	if (!one && sort_pairs(order, n))
		return -1;
	for (size_t i = 0; i < n; i++) {
		const struct fn_slot *f = slot_of(p, ids, order[i].value, &k);

		if (i == 0 || order[i].key != order[i - 1].key) {
			ids->at[ids->n] = (struct identity){.name = (uint32_t)(key >> 32),
							    .file = (uint32_t)key,
							    .obj = (uint32_t)order[i].key,
							    .as = (uint32_t)ids->n,
							    .said = (uint32_t)ids->n,
							    .id = NO_ID};
			ids->n++;
		}
		ids->at[ids->n - 1].has_lines |= f->has_lines;
		ids->slot[k][order[i].value - ids->first[k]] = (uint32_t)ids->n - 1;
	}
	return 0;
}

/* Mark the identities that are called.  A slot knows whether its file was written or a
 * default; slots of two tallies may differ in that, and be one identity. */
static int note_calls(const struct profile *p, struct identities *ids)
{
	for (size_t k = 0; k < p->ntally; k++) {
		const struct tally *t = p->tally[k];

		free(ids->met);
		ids->met = calloc(t->fns.n + 1, sizeof(*ids->met));
		if (!ids->met)
			return -1;
		for (size_t i = 0; i < t->edges.n; i++)
			ids->met[t->edges.at[i].callee] = true;
		for (size_t i = 0; i < t->fns.n; i++) {
			struct identity *at = &ids->at[ids->slot[k][i]];

			at->called |= ids->met[i] && !t->fns.at[i].defaulted;
			at->defaulted |= ids->met[i] && t->fns.at[i].defaulted;
		}
	}
	return 0;
}

/* After the sort slots with one name and file are neighbours: each run of them becomes an
 * identity for each object. */
static int collect_identities(const struct profile *p, struct identities *ids)
{
	size_t next, k;

	if (sort_slots(p, ids))
		return -1;
	for (size_t from = 0; from < ids->nuse; from = next) {
		const uint64_t key = ids->order[from].key;

		if (from + FETCH < ids->nuse)
			__builtin_prefetch(
				slot_of(p, ids, ids->order[from + FETCH].value, &k));
		for (next = from + 1; next < ids->nuse && ids->order[next].key == key;
		     next++)
			;
		if (number_objects(p, ids, ids->order + from, next - from))
			return -1;
	}
	free(ids->order);
	ids->order = NULL;
	return 0;
}

/* Per object: its functions of the current name that have lines. */
struct candidates {
	size_t of; /* 1 + index of the current name's first identity */
	uint32_t n, last;
};

/*
 * Redirect callees with a default file and no lines to the object's only function of
 * that name with lines, if there is exactly one.  Returns the number of such callees,
 * redirected or not.
 *
 *	fl=a.c  fn=main  cfn=f		no cfi=: the file of f is a.c by default
 *	fl=b.c  fn=f  7 100		the only f with lines: main calls this one
 *
 * With a second f, in c.c, nothing tells which one is called: f in a.c stays a function
 * of its own, and is unclear.
 */
static uint64_t redirect_defaulted(struct identities *ids, struct candidates *in)
{
	uint64_t loose = 0;

	for (size_t from = 0, to; from < ids->n; from = to) {
		bool wanted = false;

		for (to = from; to < ids->n && ids->at[to].name == ids->at[from].name;
		     to++)
			wanted |= ids->at[to].defaulted && !ids->at[to].has_lines;
		for (size_t i = from; wanted && i < to; i++) {
			struct candidates *b = &in[ids->at[i].obj];

			if (b->of != from + 1)
				*b = (struct candidates){.of = from + 1};
			b->n += ids->at[i].has_lines;
			if (ids->at[i].has_lines)
				b->last = (uint32_t)i;
		}
		for (size_t i = from; wanted && i < to; i++) {
			struct identity *g = &ids->at[i];

			if (!g->defaulted || g->has_lines)
				continue;
			loose++;
			if (in[g->obj].n == 1)
				g->as = in[g->obj].last;
			g->unclear = in[g->obj].n > 1;
		}
	}
	return loose;
}

/* ---- callees whose block has another name, or is in another object ---- */

/* callgrind says of each callee which object it is in, and writes a block for each function
 * that has a cost. */
static bool any_by_callgrind(const struct profile *p)
{
	for (size_t k = 0; k < p->ntally; k++) {
		const struct tally *t = p->tally[k];

		for (size_t i = 0; i < t->parts.n; i++)
			if (decode_apart(t->kept ? t->kept->part[i].creator
						 : tally_part(t, i)->value[KEY_CREATOR]))
				return true;
	}
	return false;
}

static bool any_object_said(const struct profile *p)
{
	for (size_t k = 0; k < p->ntally; k++)
		if (p->tally[k]->says_callee_obj)
			return true;
	return false;
}

/* "f [2/3]", "[2/3]": pprof counts callees of one name, or of none, but not their blocks.  The
 * name of the block. */
static struct str uncounted(struct str s)
{
	size_t open = s.n;
	uint64_t v;

	while (open && s.p[open - 1] != '[')
		open--;
	if (!open || (open > 1 && s.p[open - 2] != ' ') || s.p[s.n - 1] != ']')
		return s;
	const struct str in = {s.p + open, s.n - open - 1};
	const size_t slash = str_find(in, '/');

	if (slash == in.n || !str_u64((struct str){in.p, slash}, &v) ||
	    !str_u64(str_from(in, slash + 1), &v))
		return s;
	return open == 1 ? STR("???") : str_trim((struct str){s.p, open - 1});
}

/* "m:f:1": ErlTrace's callee, whose block is "m:f/1".  The name of the block, in buf. */
static struct str with_slash(struct str s, char buf[ARITY_NAME])
{
	size_t colon = s.n;
	uint64_t v;

	while (colon && s.p[colon - 1] != ':')
		colon--;
	if (!colon || s.n > ARITY_NAME || !str_u64(str_from(s, colon), &v))
		return s;
	memcpy(buf, s.p, s.n);
	buf[colon - 1] = '/';
	return (struct str){buf, s.n};
}

void merge_block_names(struct str name, struct str to[BLOCK_NAMES], char buf[ARITY_NAME])
{
	to[0] = name;
	to[1] = uncounted(name);
	to[2] = with_slash(name, buf);
	for (int i = 1; i < BLOCK_NAMES; i++)
		if (str_eq(to[i], name))
			to[i].n = 0;
}

/* The first identity whose name is not below s; n: all are. */
static size_t first_of_name(const struct profile *p, const struct identities *ids,
			    struct str s)
{
	struct bisect b = bisect_in(0, ids->n);

	while (bisect_next(&b))
		bisect_step(&b, str_cmp(p->name[SPACE_FN][ids->at[b.mid].name], s) < 0);
	return b.lo;
}

/* The block for the calls of g: of this name, in the file and, if there is one, the object
 * of g, or else in the only other object; g itself if there is none. */
static uint32_t block_named(const struct profile *p, const struct identities *ids,
			    uint32_t g, struct str name)
{
	const struct identity *of = &ids->at[g];
	uint32_t found = g;
	size_t n = 0;

	for (size_t i = first_of_name(p, ids, name);
	     i < ids->n && str_eq(p->name[SPACE_FN][ids->at[i].name], name); i++) {
		if (!ids->at[i].has_lines || ids->at[i].file != of->file)
			continue;
		if (ids->at[i].obj == of->obj)
			return (uint32_t)i;
		found = (uint32_t)i;
		n++;
	}
	return n == 1 ? found : g;
}

/* Producers that do not say the object of a callee mean the function in any. */
static void redirect_split(struct profile *p, struct identities *ids)
{
	const bool said = any_object_said(p);
	char buf[ARITY_NAME];

	if (any_by_callgrind(p))
		return;
	for (uint32_t i = 0; i < ids->n; i++) {
		struct identity *g = &ids->at[i];
		struct str other[BLOCK_NAMES];

		if (g->has_lines || (!g->called && (!g->defaulted || g->as != i)))
			continue;
		merge_block_names(p->name[SPACE_FN][g->name], other, buf);
		for (size_t k = said; k < BLOCK_NAMES && g->said == i; k++)
			if (other[k].n)
				g->said = block_named(p, ids, i, other[k]);
		if (g->as == i)
			g->as = g->said;
		p->loose += g->said != i;
	}
}

static bool has_no_name(const struct profile *p, const struct identity *f)
{
	return str_eq(p->name[SPACE_FN][f->name], STR("???"));
}

/* The names of the block of g, which is called; without its own if pprof counts it. */
static void names_of_callee(const struct profile *p, const struct identity *g,
			    struct str name[BLOCK_NAMES], char buf[ARITY_NAME])
{
	merge_block_names(p->name[SPACE_FN][g->name], name, buf);
	if (name[1].n)
		name[0].n = 0;
}

/* The only block with a cost line at the address that may be that of g: it has one of these
 * names, or (any) none at all; g if there is none, or several. */
static uint32_t block_at(const struct profile *p, const struct identities *ids,
			 const struct block_addresses *b, uint64_t at, uint32_t g,
			 const struct str name[BLOCK_NAMES], bool any)
{
	uint32_t found = g;
	size_t n = 0;

	for (size_t i = merge_first_at(b, at); at && i < b->n && b->line[i].at == at;
	     i++) {
		const uint32_t of = ids->slot[b->line[i].tally][b->line[i].slot];
		const struct identity *f = &ids->at[of];
		bool fits = any && has_no_name(p, f);

		for (int k = 0; k < BLOCK_NAMES && !fits; k++)
			fits = name[k].n && str_eq(p->name[SPACE_FN][f->name], name[k]) &&
			       (has_no_name(p, f) || f->file == ids->at[g].file);
		n += fits && (!n || of != found);
		found = fits ? of : found;
	}
	return n == 1 ? found : g;
}

/* The identity that is called as g, at a target. */
static uint32_t called_at(const struct profile *p, const struct identities *ids,
			  const struct block_addresses *b, const struct call_target *to,
			  uint32_t g)
{
	struct str name[BLOCK_NAMES];
	char buf[ARITY_NAME];
	uint32_t f = g;

	names_of_callee(p, &ids->at[g], name, buf);
	if (ids->at[g].has_lines && name[0].n && !has_no_name(p, &ids->at[g]))
		return g;
	for (int any = 0; any < 2 && f == g; any++) {
		for (int k = 0; k < 2 && f == g; k++)
			f = block_at(p, ids, b, to->at[k], g, name, any);
		for (int k = 0; k < BLOCK_NAMES && f == g; k++)
			f = name[k].n ? block_named(p, ids, g, name[k]) : g;
	}
	return f;
}

/* Callees that their calls' addresses tell apart. */
static int redirect_by_address(struct profile *p, struct identities *ids)
{
	struct block_addresses b = {0};
	const bool none = any_by_callgrind(p);
	int rc = merge_addresses(p, &b);

	for (size_t k = 0; !rc && !none && k < p->ntally; k++) {
		const struct tally_fns *fns = &p->tally[k]->fns;

		for (size_t i = 0; fns->ntarget && i < fns->n; i++) {
			uint32_t *g = &ids->slot[k][i];

			if (!fns->at[i].target)
				continue;
			*g = called_at(p, ids, &b, &fns->target[fns->at[i].target - 1],
				       *g);
			p->loose++;
		}
	}
	free(b.line);
	return rc;
}

/* A function has lines, or is called.  A callee whose calls all went to another function is
 * no function of its own. */
static int number_functions(struct profile *p, struct identities *ids)
{
	struct candidates *in = calloc(p->nname[SPACE_OBJ] + 1, sizeof(*in));

	if (!in)
		return -1;
	p->loose += redirect_defaulted(ids, in);
	free(in);
	redirect_split(p, ids);
	p->fn_name = vec_block((ids->n + 1) * sizeof(uint32_t));
	p->fn_file = vec_block((ids->n + 1) * sizeof(uint32_t));
	p->fn_obj = vec_block((ids->n + 1) * sizeof(uint32_t));
	p->calls_only = calloc(ids->n + 1, sizeof(*p->calls_only));
	p->bare = calloc(ids->n + 1, sizeof(*p->bare));
	if (!p->fn_name || !p->fn_file || !p->fn_obj || !p->calls_only || !p->bare)
		return -1;
	for (size_t i = 0; i < ids->n; i++) {
		struct identity *f = &ids->at[i];

		if (!f->has_lines && !(f->called && f->said == i) &&
		    !(f->defaulted && f->as == i))
			continue;
		p->fn_name[p->nfn] = f->name;
		p->fn_file[p->nfn] = f->file;
		p->fn_obj[p->nfn] = f->obj;
		p->calls_only[p->nfn] = !f->has_lines && !f->unclear;
		p->bare[p->nfn] = !f->has_lines;
		f->id = (uint32_t)p->nfn++;
	}
	return 0;
}

/* Is there one part only, and nothing to merge again?  Its costs are those of the whole. */
static bool one_part(const struct profile *p)
{
	size_t n = 0;

	for (size_t k = 0; profile_may_forget(p) && k < p->ntally; k++)
		n += p->tally[k]->parts.n - !tally_part(p->tally[k], 0)->begins;
	return n == 1;
}

/* Encode the costs of parts that stretches left for later, or free all. */
static int settle_parts(struct profile *p, struct err *err)
{
	const bool one = one_part(p);

	for (size_t k = 0; k < p->ntally; k++)
		if (one)
			tally_forget(p->tally[k], TALLY_PART_COSTS, 0);
		else if (tally_encode_later(p->tally[k], err))
			return err->kind;
	return 0;
}

/* Lower *at to `line` if that is known and lower. */
static void lower_begin(uint32_t *at, uint32_t line)
{
	if (line_below(line, *at))
		*at = line;
}

static int map_functions(struct profile *p, struct identities *ids)
{
	p->self = calloc(p->nfn * p->nevent + 1, sizeof(*p->self));
	p->fn_begin = calloc(p->nfn + 1, sizeof(*p->fn_begin));
	if (!p->self || !p->fn_begin)
		return -1;
	for (size_t k = 0; k < p->ntally; k++) {
		const struct tally *t = p->tally[k];
		struct merge_map *m = &p->map[k];

		m->fn = vec_block((t->fns.n + 1) * sizeof(*m->fn));
		if (!m->fn)
			return -1;
		for (size_t i = 0; i < t->fns.n; i++) {
			const struct identity *f = &ids->at[ids->slot[k][i]];

			if (i + FETCH < t->fns.n)
				__builtin_prefetch(&ids->at[ids->slot[k][i + FETCH]]);
			f = &ids->at[t->fns.at[i].defaulted ? f->as : f->said];
			m->fn[i] = f->id;
			/* Its jumps are lost here, but further files could give it an
			 * id. */
			p->loose += f->id == NO_ID;
			if (f->id != NO_ID)
				lower_begin(&p->fn_begin[f->id], t->fns.at[i].begin);
			for (size_t e = 0; f->id != NO_ID && e < t->events.n; e++)
				profile_add_cost(
					p, &p->self[f->id * p->nevent + m->event[e]],
					(int64_t)t->fns.self[i * t->events.n + e]);
		}
		if (profile_may_forget(p))
			tally_forget(p->tally[k], TALLY_SELF, 0);
	}
	return 0;
}

static int join_functions(struct profile *p, struct err *err)
{
	struct identities ids = {.slot = calloc(p->ntally, sizeof(*ids.slot))};
	int rc = !ids.slot || collect_identities(p, &ids) ||
		 redirect_by_address(p, &ids) || note_calls(p, &ids) ||
		 number_functions(p, &ids) || map_functions(p, &ids);

	for (size_t k = 0; ids.slot && k < p->ntally; k++)
		free(ids.slot[k]);
	free(ids.slot);
	free(ids.order);
	free(ids.first);
	free(ids.at);
	free(ids.met);
	return rc ? err_no_memory(err, "while merging") : 0;
}

/* ---- events and diagnostics ---- */

/* The number of a recorded event, added if new; HASH_NONE if memory is out. */
static uint32_t event_number(struct profile *p, struct str name)
{
	const uint32_t e = profile_event(p, name);

	if (e != HASH_NONE)
		return e;
	return profile_add_event(p, p->nevent, &(struct event){.name = name})
		       ? HASH_NONE
		       : (uint32_t)p->nevent++;
}

static int join_events(struct profile *p, struct str order, struct err *err)
{
	while (order.n) {
		size_t n = str_find(order, ' ');
		struct str name = arena_str(&p->arena, (struct str){order.p, n});

		if (!name.p || event_number(p, name) == HASH_NONE)
			return err_no_memory(err, "while merging");
		order = str_from(order, n + 1);
	}
	for (size_t k = 0; k < p->ntally; k++) {
		const struct tally *t = p->tally[k];
		uint32_t *map = p->map[k].event =
			malloc((t->events.n + 1) * sizeof(*map));

		if (!map)
			return err_no_memory(err, "while merging");
		for (size_t i = 0; i < t->events.n; i++) {
			map[i] = event_number(p, t->events.name[i]);
			if (map[i] == HASH_NONE)
				return err_no_memory(err, "while merging");
			if (p->nevent > EVENTS_MAX)
				return tally_too_many_events(err);
		}
	}
	p->nall_events = p->nevent;
	return 0;
}

static int compare_odd(const void *a, const void *b)
{
	const struct odd_line *x = a, *y = b;
	int c = order_u64(x->kind, y->kind);

	c = c ? c : order_u64(x->file, y->file);
	c = c ? c : order_u64(x->line, y->line);
	return c ? c : str_cmp(x->text, y->text);
}

/* Take diagnostic lines that an index kept; they know their files. */
static int kept_odds(struct profile *p, const struct kept *kept, struct err *err)
{
	size_t cap = p->nodd;

	if (vec_reserve(&p->odd, &cap, p->nodd + kept->nodd, sizeof(*p->odd)))
		return err_no_memory(err, "while merging");
	for (size_t i = 0; i < kept->nodd; i++) {
		struct odd_count *c = &p->odds[kept->odd[i].kind];

		p->odd[p->nodd++] = kept->odd[i];
		c->count++;
		c->n++;
	}
	return 0;
}

static int join_odds(struct profile *p, struct err *err)
{
	for (size_t k = 0; k < p->ntally; k++) {
		const struct tally *t = p->tally[k];

		if (t->kept && kept_odds(p, t->kept, err))
			return err->kind;
		for (size_t i = 0; i < t->diag.nodd; i++)
			if (profile_odd(p, k, t->diag.odd[i].kind, t->diag.odd[i].line,
					t->diag.odd[i].text, err))
				return err->kind;
		/* profile_odd() counts the lines kept; add those that were only
		 * counted. */
		for (int i = 0; i < ODD_KINDS; i++)
			if (t->diag.odds[i] > ODD_KEPT)
				p->odds[i].count += t->diag.odds[i] - ODD_KEPT;
		if (t->diag.odds[ODD_SUM_OVERFLOW])
			p->saturated = true;
		p->negative |= t->negative;
	}
	return 0;
}

/* Sort diagnostics by kind and line; count each kind and find its first line. */
static void order_odds(struct profile *p)
{
	size_t at = 0;

	if (p->nodd)
		qsort(p->odd, p->nodd, sizeof(*p->odd), compare_odd);
	if (p->saturated && !p->odds[ODD_SUM_OVERFLOW].count)
		p->odds[ODD_SUM_OVERFLOW].count = 1;
	for (int i = 0; i < ODD_KINDS; i++) {
		struct odd_count c = p->odds[i];

		c.kind = (enum odd)i;
		c.first = at;
		at += c.n;
		if (c.count)
			p->odds[p->nodds++] = c;
	}
}

int merge(struct profile *p, struct tally *const *tally, size_t n, struct str events,
	  const atomic_int *cancel, struct err *err)
{
	memset(p, 0, sizeof(*p));
	arena_init(&p->arena, 0);
	p->tally = tally;
	p->ntally = n;
	p->map = calloc(n, sizeof(*p->map));
	if (!p->map)
		return err_no_memory(err, "while merging");
	for (size_t k = 0; k < n; k++) {
		if (profile_begins_file(p, k)) {
			p->nfile++;
		} else {
			p->map[k].offset =
				p->map[k - 1].offset + tally[k - 1]->text_bytes;
			p->map[k].lines = p->map[k - 1].lines + tally[k - 1]->lines;
		}
		p->bytes += tally[k]->text_bytes;
		p->lines += tally[k]->lines;
	}
	/* With several parts the names of the tallies are needed later; with one part
	 * merge_names() frees them. */
	if (settle_parts(p, err) || merge_names(p, one_part(p), err) ||
	    interrupted(cancel, err) || join_events(p, events, err) ||
	    join_functions(p, err) || interrupted(cancel, err) || merge_edges(p, err) ||
	    join_odds(p, err) || header_events(p, err) || header_parts(p, err))
		return err->kind;
	if (merge_calls_only(p, any_by_callgrind(p)))
		return err_no_memory(err, "while merging");
	order_odds(p);
	return interrupted(cancel, err);
}
