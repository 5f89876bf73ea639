/*
 * why_library.c - what run-time libraries do is caused by their callers; see why.h.
 *
 * An edit of a program does not change libc.  If free() costs more, and is called as often,
 * then it gets other blocks; that malloc_consolidate() runs for the first time is no cause.
 * So a function of such a library is told by its calls alone: all that is in it belongs to
 * them, and a row has both how often they are made and what they cost.
 *
 *	load -> operator new -> malloc -> sysmalloc	model: load -> operator new
 *
 * A library function that comes to call code of the program, such as qsort(), is one like
 * others.
 */
#include "engine/why/why_in.h"

#include "engine/graph/graph.h"
#include "engine/names/fnset.h"
#include "engine/rows/exec.h"
#include "index/base/arena.h"
#include "index/base/count.h"
#include "index/base/err_struct.h"
#include "index/base/need.h"

/* Code without an object: stubs between libraries, or any. */
bool why_is_unknown(struct str object)
{
	return !object.n || str_eq(object, STR("???"));
}

static bool is_runtime(struct str object)
{
	static const struct str names[] = {
		STR("libc.so"),	   STR("libc-2."),	STR("libm.so"), STR("libm-2."),
		STR("libpthread"), STR("ld-linux"),	STR("ld-2."),	STR("ld-musl-"),
		STR("libc.musl-"), STR("libstdc++.so"), STR("libc++"),	STR("libgcc_s"),
		STR("libsystem_"),
	};
	const struct str base = str_basename(object);

	for (size_t i = 0; i < COUNT(names); i++)
		if (str_starts(base, names[i]))
			return true;
	return false;
}

/* Mark the vertices of objects that are run-time libraries; *any: there are some. */
static void mark_objects(struct why *w, unsigned side, struct arena *scratch, bool *any)
{
	const struct graph *g = w->g[side];
	const uint32_t objects = store_info(g->st)->objects;
	bool *object = NEED_ARRAY(scratch, bool, (size_t)objects + 1);

	for (uint32_t o = 0; o < objects; o++) {
		*any |= object[o] = is_runtime(store_obj(g->st, o));
		object[o] |= why_is_unknown(store_obj(g->st, o));
	}
	for (uint32_t f = 0; *any && f < g->functions; f++)
		w->library[w->same[side][f]] |=
			object[store_fn_obj_id(g->st, graph_origin(g, f))];
}

bool why_in_set(const struct why *w, struct fn_set *const set[SIDES], uint32_t f)
{
	bool is = false;

	for (unsigned s = 0; s < SIDES && set[s]; s++)
		is |= w->fn[s][f] != WHY_NONE && fnset_has(set[s], w->fn[s][f]);
	return is;
}

static bool only_libraries_call(const struct graph *g, uint32_t fn)
{
	for (uint32_t i = 0; i < graph_caller_count(g, fn); i++)
		if (!is_runtime(
			    graph_obj(g, graph_edge_caller(g, graph_caller(g, fn, i)))))
			return false;
	return true;
}

/* On each side that has it: a function of a library, called by another one, that calls no
 * other functions; nor is it asked about. */
static bool stays_library(const struct why *w, uint32_t f)
{
	for (unsigned s = 0; s < SIDES; s++) {
		const struct graph *g = w->g[s];
		const uint32_t fn = w->fn[s][f];
		uint32_t first, n;

		if (fn == WHY_NONE)
			continue;
		if (!graph_caller_count(g, fn) ||
		    !(is_runtime(graph_obj(g, fn)) ||
		      (why_is_unknown(graph_obj(g, fn)) && only_libraries_call(g, fn))))
			return false;
		graph_callees(g, fn, &first, &n);
		for (uint32_t e = first; e < first + n; e++)
			if (!w->library[w->same[s][graph_edge_callee(g, e)]])
				return false;
	}
	return true;
}

void why_libraries(struct why *w, struct arena *scratch)
{
	struct exec *x = w->run[HERE];
	bool any = false, more = true;

	w->library = EXEC_ARRAY(x, bool, w->n);
	mark_objects(w, BASE, scratch, &any);
	mark_objects(w, HERE, scratch, &any);
	for (uint32_t f = 0; any && f < w->root; f++)
		any = !w->library[f] ||
		      !(why_in_set(w, w->under, f) || why_in_set(w, w->only, f));
	if (!any)
		w->library = NULL;
	while (any && more) {
		more = false;
		for (uint32_t f = 0; f < w->root; f++)
			if (w->library[f] && !stays_library(w, f)) {
				w->library[f] = false;
				more = true;
			}
		exec_poll_now(x);
	}
}

bool why_is_library(const struct why *w, uint32_t f)
{
	const unsigned side = f < w->root && w->fn[HERE][f] != WHY_NONE ? HERE : BASE;

	return w->library && f < w->root && w->library[w->same[side][w->fn[side][f]]];
}

double why_library_cost(const struct why *w, unsigned side, uint32_t fn)
{
	const struct graph *g = w->g[side];
	const uint32_t n = graph_caller_count(g, fn);
	double sum = 0;

	for (uint32_t i = 0; i < n; i++) {
		const uint32_t e = graph_caller(g, fn, i);

		if (!w->library[w->same[side][graph_edge_caller(g, e)]])
			sum += (double)graph_edge_incl(g, e, w->event[side]);
	}
	return sum;
}

double why_library_rest(const struct why *w, unsigned side)
{
	const struct graph *g = w->g[side];
	double sum = 0;

	for (uint32_t f = 0; w->library && f < g->functions; f++)
		if (w->library[w->same[side][f]])
			sum += (double)graph_self(g, f, w->event[side]) -
			       why_library_cost(w, side, f);
	return sum;
}

bool why_allocates(const struct why *w, uint32_t f, bool *releases)
{
	static const struct str names[] = {
		STR("free"),	     STR("operator delete"), STR("malloc"),
		STR("operator new"), STR("calloc"),	     STR("aligned_alloc"),
		STR("memalign"),     STR("posix_memalign"),  STR("realloc"),
	};
	const unsigned side = w->fn[HERE][f] != WHY_NONE ? HERE : BASE;
	struct str name = graph_name(w->g[side], w->fn[side][f]);

	name.n = str_find(name, '(');
	name.n = str_find(name, '[');
	for (size_t i = 0; i < COUNT(names); i++)
		if (str_eq(name, names[i])) {
			*releases = i < 2;
			return true;
		}
	return false;
}
