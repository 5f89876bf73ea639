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

/* Code without an object: stubs between libraries, or any. */
static bool is_unknown(struct str object)
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

/* [functions]: of an object that is a run-time library; *of NULL: there is no such object. */
static int functions_of(struct why *w, unsigned side, struct arena *scratch, bool **of)
{
	const struct graph *g = w->g[side];
	const uint32_t objects = store_info(g->st)->objects;
	bool *object = ARENA_ARRAY(scratch, bool, (size_t)objects + 1), any = false;

	*of = NULL;
	if (!object)
		return arena_full(scratch, w->run[HERE]->err);
	for (uint32_t o = 0; o < objects; o++) {
		any |= object[o] = is_runtime(store_obj(g->st, o));
		object[o] |= is_unknown(store_obj(g->st, o));
	}
	if (!any)
		return 0;
	if (!(*of = EXEC_ARRAY(w->run[HERE], bool, (size_t)g->functions + 1)))
		return w->run[HERE]->err->kind;
	for (uint32_t f = 0; f < g->functions; f++)
		(*of)[f] = object[store_fn_obj_id(g->st, graph_origin(g, f))];
	return 0;
}

static bool only_libraries_call(const struct why *w, unsigned side, uint32_t fn)
{
	const struct graph *g = w->g[side];

	for (uint32_t i = 0; i < graph_caller_count(g, fn); i++)
		if (!is_runtime(
			    graph_obj(g, graph_edge_caller(g, graph_caller(g, fn, i)))))
			return false;
	return true;
}

/* On each side that has it: a function of a library, called by another one, that calls no
 * other functions. */
static bool stays(const struct why *w, uint32_t f)
{
	for (unsigned s = 0; s < SIDES; s++) {
		const uint32_t fn = w->fn[s][f];
		uint32_t first, n;

		if (fn == WHY_NONE)
			continue;
		if (!w->library[s][fn] || !graph_caller_count(w->g[s], fn) ||
		    (is_unknown(graph_obj(w->g[s], fn)) &&
		     !only_libraries_call(w, s, fn)))
			return false;
		graph_callees(w->g[s], fn, &first, &n);
		for (uint32_t e = first; e < first + n; e++)
			if (!w->library[s][graph_edge_callee(w->g[s], e)])
				return false;
	}
	return true;
}

static void drop(struct why *w, uint32_t f)
{
	for (unsigned s = 0; s < SIDES; s++)
		if (w->fn[s][f] != WHY_NONE)
			w->library[s][w->fn[s][f]] = false;
}

static bool is_asked(const struct why *w, unsigned side, const struct fn_set *asked)
{
	for (uint32_t f = asked ? fnset_next(asked, 0) : FNSET_NONE; f != FNSET_NONE;
	     f = fnset_next(asked, f + 1))
		if (w->library[side][f])
			return true;
	return false;
}

int why_libraries(struct why *w, struct arena *scratch)
{
	struct exec *x = w->run[HERE];
	uint32_t *of = ARENA_ARRAY(scratch, uint32_t, w->n), n = 0;
	bool asked = false;

	if (!of)
		return arena_full(scratch, x->err);
	for (unsigned s = 0; s < SIDES; s++)
		if (functions_of(w, s, scratch, &w->library[s]))
			return x->err->kind;
	for (unsigned s = 0; s < SIDES && w->library[BASE] && w->library[HERE]; s++)
		asked |= is_asked(w, s, w->under[s]) || is_asked(w, s, w->only[s]);
	if (!w->library[BASE] || !w->library[HERE] || asked) {
		w->library[BASE] = w->library[HERE] = NULL;
		return 0;
	}
	for (uint32_t f = 0; f < w->root; f++) {
		bool is = false;

		for (unsigned s = 0; s < SIDES; s++)
			is |= w->fn[s][f] != WHY_NONE && w->library[s][w->fn[s][f]];
		of[n] = f;
		n += is;
	}
	for (uint32_t all = n + 1; all > n;) {
		all = n;
		n = 0;
		for (uint32_t i = 0; i < all; i++) {
			const uint32_t f = of[i];

			if (stays(w, f))
				of[n++] = f;
			else
				drop(w, f);
		}
		if (exec_poll_now(x))
			return x->err->kind;
	}
	return 0;
}

bool why_is_library(const struct why *w, uint32_t f)
{
	const unsigned side = f < w->root && w->fn[HERE][f] != WHY_NONE ? HERE : BASE;

	return f < w->root && w->library[side] && w->library[side][w->fn[side][f]];
}

double why_library_cost(const struct why *w, unsigned side, uint32_t fn)
{
	const struct graph *g = w->g[side];
	const uint32_t n = graph_caller_count(g, fn);
	double sum = 0;

	for (uint32_t i = 0; i < n; i++) {
		const uint32_t e = graph_caller(g, fn, i);

		if (!w->library[side][graph_edge_caller(g, e)])
			sum += (double)graph_edge_incl(g, e, w->event[side]);
	}
	return sum;
}

double why_library_rest(const struct why *w, unsigned side)
{
	const struct graph *g = w->g[side];
	double sum = 0;

	for (uint32_t f = 0; w->library[side] && f < g->functions; f++)
		if (w->library[side][f])
			sum += (double)graph_self(g, f, w->event[side]) -
			       why_library_cost(w, side, f);
	return sum;
}

bool why_allocates(const struct why *w, uint32_t f, bool *releases)
{
	static const struct str names[] = {
		STR("free"),	 STR("operator delete"), STR("malloc"),
		STR("calloc"),	 STR("realloc"),	 STR("operator new"),
		STR("memalign"), STR("aligned_alloc"),	 STR("posix_memalign"),
	};
	const unsigned side = w->fn[HERE][f] != WHY_NONE ? HERE : BASE;
	const struct str name = graph_name(w->g[side], w->fn[side][f]);

	for (size_t i = 0; i < COUNT(names); i++)
		if (str_eq(name, names[i]) ||
		    (str_starts(name, names[i]) && name.p[names[i].n] == '(') ||
		    (str_starts(name, names[i]) && name.p[names[i].n] == '[')) {
			*releases = i < 2;
			return true;
		}
	return false;
}
