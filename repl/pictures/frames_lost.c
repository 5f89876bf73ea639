/*
 * frames_lost.c - functions whose frames are not as wide together as their exact cost.
 *
 * A tree of estimates shares each function's cost among its callers and keeps what the law
 * of sums asks for; where stacks come back through others it can lose a function whose
 * inclusive cost is exactly known.  What is drawn of a function are its frames that lie on
 * no other one of it.
 */
#include <stdio.h>
#include <stdlib.h>

#include "engine/query.h"
#include "engine/graph/graph.h"
#include "engine/lang/result.h"
#include "engine/path/path.h"
#include "index/base/cost.h"
#include "index/base/err.h"
#include "repl/pictures/frames.h"
#include "repl/render/render.h"
#include "repl/term/number.h"

enum { LITTLE = 100 }; /* a difference of 1/100 of all is not told */

static uint64_t apart(uint64_t a, uint64_t b)
{
	return a > b ? a - b : b - a;
}

static uint64_t exact_of(const struct result *r, uint32_t fn)
{
	const int64_t incl = graph_incl(r->graph, fn, r->event_id);

	return incl > 0 ? (uint64_t)incl : 0;
}

/* Keep drawn[fn] only where it is another cost than the exact one. */
static void find_worst(const struct result *r, struct frames *f)
{
	uint64_t most = 0;

	for (uint32_t fn = 0; fn < r->graph->functions; fn++) {
		const uint64_t off = graph_incl_estimated(r->graph, fn)
					     ? 0
					     : apart(f->drawn[fn], exact_of(r, fn));

		/* What the query leaves out is not lost. */
		if (off <= f->sum[0] / LITTLE + f->left_out) {
			f->drawn[fn] = FRAMES_AS_EXACT;
			continue;
		}
		f->lost++;
		if (off > most) {
			most = off;
			f->most_lost = fn;
		}
	}
}

int frames_find_lost(struct render *rd, struct frames *f)
{
	const struct result *r = rd->r;

	/* A tree of all stacks, which no stage changed. */
	if (!f->estimated || f->sides != 1 || !r->paths || r->upward || r->top.name.n)
		return 0;
	if (session_graph_event(r->graph, r->event_id, rd->err))
		return rd->err->kind;
	f->drawn = calloc((size_t)r->graph->functions + 1, sizeof(*f->drawn));
	if (!f->drawn)
		return err_no_memory(rd->err, NULL);
	for (size_t i = 0; i < f->n && !render_cancelled(rd, i); i++) {
		const struct frame *x = &f->all[i];

		if (x->fn < r->graph->functions && !x->times)
			cost_add_bits(&f->drawn[x->fn], x->value[0]);
	}
	find_worst(r, f);
	return rd->err->kind;
}

bool frames_lost_text(const struct result *r, const struct frames *f, uint32_t fn,
		      char *buf, size_t size)
{
	char drawn[NUMBER_MAX], exact[NUMBER_MAX];

	if (!f->drawn || fn >= r->graph->functions || f->drawn[fn] == FRAMES_AS_EXACT)
		return false;
	number_percent(drawn, 100.0 * (double)f->drawn[fn] / (double)f->sum[0]);
	number_percent(exact, 100.0 * (double)exact_of(r, fn) / (double)f->sum[0]);
	snprintf(buf, size, "drawn %s, exactly %s: the estimate %s", drawn, exact,
		 f->drawn[fn] < exact_of(r, fn) ? "loses its stacks"
						: "puts it on stacks of others");
	return true;
}
