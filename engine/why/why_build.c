/*
 * why_build.c - was one of the profiles built with other flags? see why.h.
 *
 * An edit changes some functions.  Another compiler, -O2 in place of -O1, or no inlining
 * changes most functions of an object in what they spend in one run, or takes the code of
 * callees out of their callers; and there are functions that one side has alone.
 */
#include "engine/why/why_in.h"

#include <math.h>

#include "engine/compare/vs.h"
#include "engine/graph/graph.h"
#include "engine/rows/exec.h"
#include "index/base/err_struct.h"

struct object {
	uint32_t one, both, changed; /* functions */
};

static struct object *object_of(const struct why *w, struct object *all, unsigned side,
				uint32_t fn)
{
	const struct graph *g = w->g[side];

	return &all[vs_object_number(w->vs, side == BASE,
				     store_fn_obj_id(g->st, graph_origin(g, fn)))];
}

/* Instructions, if they are known, in one run. */
static double self_of(const struct why *w, unsigned side, uint32_t f)
{
	const uint32_t fn = w->fn[side][f],
		       e = w->work[side] == WHY_NONE ? w->event[side] : w->work[side];

	return why_per_run((double)graph_self(w->g[side], fn, e),
			   fmax(1, (double)graph_calls(w->g[side], fn)));
}

static void count_function(const struct why *w, struct object *all, uint32_t f)
{
	static const double near = 1e-3;
	const unsigned side = w->fn[HERE][f] != WHY_NONE;
	struct object *o = object_of(w, all, side, w->fn[side][f]);
	double was, now;

	if (w->fn[!side][f] == WHY_NONE) {
		o->one += !why_paired(w, f);
		return;
	}
	was = self_of(w, BASE, f);
	now = self_of(w, HERE, f);
	o->changed += fabs(now - was) > near * fmax(now, was);
}

/* Do most functions of an object spend other costs in one run? */
static void most_changed(struct why *w, bool *most)
{
	enum { LEAST_ONE = 3, LEAST_BOTH = 10 };
	struct exec *x = w->run[HERE];
	const uint32_t objects =
		store_info(w->g[BASE]->st)->objects + store_info(w->g[HERE]->st)->objects;
	struct object *all = EXEC_ARRAY(x, struct object, (size_t)objects + 1);

	for (uint32_t f = 0; f < w->root; f++)
		if (!w->caller[f])
			count_function(w, all, f);
	for (uint32_t fn = 0; fn < w->g[HERE]->functions; fn++)
		object_of(w, all, HERE, fn)->both +=
			vs_paired(w->vs, 0, graph_origin(w->g[HERE], fn));
	for (uint32_t i = 0; i < objects; i++)
		*most |= all[i].one >= LEAST_ONE && all[i].both >= LEAST_BOTH &&
			 all[i].changed > all[i].both / 2;
	exec_poll_now(x);
}

void why_other_build(struct why *w, const struct why_cause *c, size_t n, bool *other)
{
	size_t inlined = 0, others = 0;

	for (size_t i = 0; i < n; i++) {
		const uint32_t to = c[i].callee;

		if (why_inlined(w, &c[i]))
			inlined++;
		else
			others += to != WHY_NONE && (w->fn[BASE][to] == WHY_NONE ||
						     w->fn[HERE][to] == WHY_NONE);
	}
	*other = inlined > 2 && inlined > others / 2;
	if (*other || !w->spliced || w->noisy || w->several)
		return;
	most_changed(w, other);
}
