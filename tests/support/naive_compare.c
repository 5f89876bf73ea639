/* naive_compare.c - the facts of naive.h as a store has them, and whether they are the same. */
#include "index/base/err_struct.h"
#include "tests/support/naive.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "index/part_lines.h"

enum { AGAIN = 3 }; /* parts that are read again, of many */

struct telling {
	struct facts *t;
	struct store *st;
	const struct store_info *info;
	struct arena *a;
	struct err err;
	struct part_lines *lines; /* of `part` alone; NULL: of the whole */
	uint64_t part;
	uint64_t *number; /* of parts, as they stand in their files */
};

/* In a set parts are in the order of processes and dumps, which the simple reader does not
 * know. */
static void number_parts(struct telling *x)
{
	const uint32_t n = x->info->parts;
	struct part *part = facts_sure(ARENA_ARRAY(x->a, struct part, n + 1u));

	x->number = facts_sure(ARENA_ARRAY(x->a, uint64_t, n + 1u));
	for (uint32_t p = 0; p < n; p++)
		store_part(x->st, p, &part[p]);
	for (uint32_t p = 0; p < n; p++)
		for (uint32_t q = 0; q < n; q++)
			x->number[p] += part[q].file < part[p].file ||
					(part[q].file == part[p].file &&
					 part[q].offset < part[p].offset);
}

static struct fn stored_fn(struct telling *x, fn_id f)
{
	return (struct fn){store_fn_obj(x->st, f), store_fn_file(x->st, f),
			   store_fn_name(x->st, f)};
}

static void tell(struct telling *x, struct str k, uint64_t calls, const int64_t *cost)
{
	uint64_t *v = facts_at(x->t, k)->v;
	bool over = false;

	v[0] = facts_sum(v[0], calls, &over);
	for (uint32_t e = 0; cost && e < x->info->events; e++)
		v[1 + e] = facts_cost_sum(v[1 + e], (uint64_t)cost[e], &over);
}

static struct str here(struct telling *x, struct str k)
{
	return x->lines ? facts_in_part(x->a, x->part, k) : k;
}

static void tell_lines(struct telling *x, fn_id f, struct fn fn)
{
	struct store_line *line;
	int64_t *cost;
	size_t n;

	if (x->lines ? part_inlined_lines(x->lines, f, x->a, &line, &cost, &n, &x->err)
		     : store_inlined_lines(x->st, f, x->a, &line, &cost, &n, &x->err))
		return;
	for (size_t i = 0; i < n; i++)
		tell(x,
		     here(x, facts_key(x->a, "Lfsuu", fn, store_file(x->st, line[i].file),
				       line[i].instr, line[i].line)),
		     0, cost + i * x->info->events);
}

static void tell_sites(struct telling *x, fn_id f, struct fn fn)
{
	struct store_site *site;
	int64_t *cost;
	size_t n;

	if (x->lines ? part_sites(x->lines, f, x->a, &site, &cost, &n, &x->err)
		     : store_sites(x->st, f, x->a, &site, &cost, &n, &x->err))
		return;
	for (size_t i = 0; i < n; i++)
		tell(x,
		     here(x, facts_key(x->a, "Effsuu", fn, stored_fn(x, site[i].callee),
				       store_file(x->st, site[i].file), site[i].instr,
				       site[i].line)),
		     site[i].calls, cost + i * x->info->events);
}

static void tell_jumps(struct telling *x, fn_id f, struct fn fn)
{
	struct store_jump *jump;
	size_t n;

	if (x->lines ? part_jumps(x->lines, f, x->a, &jump, &n, &x->err)
		     : store_jumps(x->st, f, x->a, &jump, &n, &x->err))
		return;
	for (size_t i = 0; i < n; i++) {
		const struct store_jump *j = &jump[i];
		struct str k = here(
			x, facts_key(x->a, "Jfsuussuuu", fn, store_file(x->st, j->file),
				     j->instr, j->line, store_file(x->st, j->to_file),
				     store_fn_name(x->st, j->to_fn), j->to_instr,
				     j->to_line, (uint64_t)j->conditional));
		uint64_t *v = facts_at(x->t, k)->v;
		bool over = false;

		v[0] = facts_sum(v[0], j->executed, &over);
		v[1] = facts_sum(v[1], j->taken, &over);
	}
}

static void tell_function(struct telling *x, fn_id f)
{
	struct fn fn = stored_fn(x, f);
	int64_t *self = facts_sure(ARENA_ARRAY(x->a, int64_t, x->info->events + 1u));

	for (uint32_t e = 0; !x->lines && e < x->info->events; e++)
		self[e] = store_fn_self(x->st, f, e);
	if (!x->lines)
		tell(x, facts_key(x->a, "Ff", fn), 0, self);
	if (!x->lines && store_fn_begin(x->st, f))
		tell(x, facts_key(x->a, "Bf", fn), store_fn_begin(x->st, f), NULL);
	tell_lines(x, f, fn);
	tell_sites(x, f, fn);
	tell_jumps(x, f, fn);
}

/* Reading every one of many parts again would take most of the time. */
static bool is_read_again(uint64_t part, uint64_t parts)
{
	return parts <= AGAIN || part % (parts / AGAIN) == 0;
}

/* Line detail of each part, read again from the profile. */
static void tell_parts_again(struct telling *x)
{
	const struct part_lines_opts opts = {.at_once = 300}; /* many, and cut lines */
	uint8_t *mark = facts_sure(ARENA_ARRAY(x->a, uint8_t, x->info->parts + 1u));

	for (uint32_t p = 0; p < x->info->parts && !x->err.kind; p++) {
		x->part = x->number[p];
		if (!is_read_again(x->part, x->info->parts))
			continue;
		mark[p] = 1;
		if (!part_lines_read(x->st, mark, &opts, &x->lines, &x->err))
			for (fn_id f = 0; f < x->info->functions; f++)
				tell_function(x, f);
		part_lines_free(x->lines);
		x->lines = NULL;
		mark[p] = 0;
	}
}

static void tell_edge(struct telling *x, edge_id id)
{
	int64_t *cost = facts_sure(ARENA_ARRAY(x->a, int64_t, x->info->events + 1u));
	struct store_edge edge;

	store_edge(x->st, id, &edge);
	for (uint32_t e = 0; e < x->info->events; e++)
		cost[e] = store_edge_incl(x->st, id, e);
	tell(x,
	     facts_key(x->a, "Eff", stored_fn(x, edge.caller), stored_fn(x, edge.callee)),
	     edge.calls, cost);
}

static void tell_part(struct telling *x, uint32_t p)
{
	int64_t *cost,
		*self = facts_sure(ARENA_ARRAY(x->a, int64_t, x->info->events + 1u));
	uint64_t *calls;
	fn_id *fns;
	edge_id *edges;
	size_t n;

	for (uint32_t e = 0; e < x->info->events; e++)
		self[e] = store_part_self(x->st, p, e);
	tell(x, facts_key(x->a, "Pu", x->number[p]), 0, self);
	if (store_part_functions(x->st, p, x->a, &fns, &cost, &n, &x->err))
		return;
	for (size_t i = 0; i < n; i++)
		tell(x, facts_key(x->a, "Puf", x->number[p], stored_fn(x, fns[i])), 0,
		     cost + i * x->info->events);
	if (store_part_edges(x->st, p, x->a, &edges, &calls, &cost, &n, &x->err))
		return;
	for (size_t i = 0; i < n; i++) {
		struct store_edge edge;

		store_edge(x->st, edges[i], &edge);
		tell(x,
		     facts_key(x->a, "Puff", x->number[p], stored_fn(x, edge.caller),
			       stored_fn(x, edge.callee)),
		     calls[i], cost + i * x->info->events);
	}
}

static void tell_all(struct telling *x)
{
	int64_t *total = facts_sure(ARENA_ARRAY(x->a, int64_t, x->info->events + 1u));

	for (uint32_t e = 0; e < x->info->events; e++) {
		struct store_event event;

		store_event(x->st, e, &event);
		facts_at(x->t, facts_key(x->a, "Vus", (uint64_t)e, event.name));
		total[e] = store_total(x->st, e);
	}
	tell(x, facts_key(x->a, "T"), 0, total);
	number_parts(x);
	for (fn_id f = 0; f < x->info->functions; f++)
		tell_function(x, f);
	for (edge_id e = 0; e < x->info->edges; e++)
		tell_edge(x, e);
	for (uint32_t p = 0; p < x->info->parts; p++)
		tell_part(x, p);
	tell_parts_again(x);
}

/* Line detail of a part that tell_parts_again() left out. */
static bool is_left_out(struct str k, uint64_t parts)
{
	uint64_t part;
	size_t n;

	if (k.p[0] != 'P')
		return false;
	k = str_from(k, 2);
	n = str_find(k, '\n');
	return n + 2 < k.n && strchr("LEJ", k.p[n + 1]) && k.p[n + 2] == '\n' &&
	       str_u64((struct str){k.p, n}, &part) && !is_read_again(part, parts);
}

/* Calls that nobody counted are 0 in columns, and the largest number in parts. */
static uint64_t value_of(const struct fact *f, size_t k)
{
	return k || f->v[k] != UINT64_MAX ? f->v[k] : 0;
}

/* The first fact of a that b has not, or has otherwise.  A part's zeros may be missing. */
static const struct fact *first_missing(const struct facts *a, const struct facts *b,
					uint64_t parts)
{
	for (size_t i = 0; i < a->n; i++) {
		if (is_left_out(a->at[i].key, parts))
			continue;
		const struct fact *f = &a->at[i], *g = facts_find(b, f->key);
		bool zeros = f->key.p[0] == 'P', same = g != NULL;

		for (size_t k = 0; k < a->width; k++) {
			zeros &= f->v[k] == 0;
			same = same && value_of(f, k) == value_of(g, k);
		}
		if (!same && (g || !zeros))
			return f;
	}
	return NULL;
}

static void describe(const struct naive *r, const struct facts *told,
		     const struct fact *f, char *why, size_t size)
{
	const struct fact *both[2] = {facts_find(&r->facts, f->key),
				      facts_find(told, f->key)};
	size_t n = 0;

	for (size_t i = 0; i < f->key.n && n + 5 < size / 2; i++) {
		unsigned char c = (unsigned char)f->key.p[i];

		n += (size_t)snprintf(why + n, size - n,
				      c == '\n'		  ? "|"
				      : c < 32 || c > 126 ? "\\x%02x"
							  : "%c",
				      c);
	}
	for (int k = 0; k < 2; k++) {
		n += (size_t)snprintf(why + n, size - n, k ? " store:" : " naive:");
		for (size_t i = 0; both[k] && i < r->facts.width && n + 24 < size; i++)
			n += (size_t)snprintf(why + n, size - n, " %" PRIu64,
					      both[k]->v[i]);
	}
}

bool naive_compare(const struct naive *r, struct store *st, char *why, size_t size)
{
	const struct store_info *info = store_info(st);
	struct arena arena;
	struct facts told = {.arena = &arena, .width = r->facts.width};
	struct telling x = {.t = &told, .st = st, .info = info, .a = &arena};
	const struct fact *f = NULL;

	arena_init(&arena, 0);
	snprintf(why, size,
		 "events: naive %zu, store %" PRIu32 "; parts: %zu, %" PRIu32
		 "; diagnostics: %s, %" PRIu64 "; functions: %zu, %" PRIu32,
		 r->nevent, info->events, r->npart, info->parts, r->odd ? "yes" : "no",
		 info->diagnostics, r->nfn, info->functions);
	if (info->events != r->nevent || info->parts != r->npart ||
	    (r->odd != (info->diagnostics > 0) && !r->unsure))
		return false;
	tell_all(&x);
	if (!x.err.kind && !store_check(st, &x.err) && !r->mixed) {
		f = first_missing(&r->facts, &told, r->npart);
		if (!f)
			f = first_missing(&told, &r->facts, r->npart);
	}
	if (f)
		describe(r, &told, f, why, size);
	else if (x.err.kind)
		snprintf(why, size, "%s", x.err.text);
	facts_free(&told);
	arena_free(&arena);
	return !f && !x.err.kind;
}
