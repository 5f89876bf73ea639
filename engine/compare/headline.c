/*
 * headline.c - the result of a comparison in three lines: the totals, what grew and what
 * shrank.
 *
 * It is about the functions of both graphs and their own costs, whatever the source and
 * the table stages list.  So what grew less what shrank is the change of the total.
 */
#include <inttypes.h>
#include <math.h>

#include "engine/compare/vs.h"
#include "engine/compare/vs_in.h"
#include "engine/graph/graph.h"
#include "engine/lang/check_names.h"
#include "engine/lang/result.h"
#include "engine/rows/exec.h"
#include "index/base/arena.h"
#include "index/base/cost.h"
#include "index/base/err_struct.h"
#include "index/base/need.h"

/* Functions of one side, and what each costs on the other. */
struct weighed {
	const struct graph *g;
	const int64_t *other; /* [functions of g]; NULL: nothing */
	const bool *skip;     /* [functions of g]; NULL: none */
	bool base;	      /* g is the base's */
};

/* Keep the largest changes, the largest first. */
static struct changed_fn *place_for(struct changed *c, int64_t by)
{
	size_t at = c->named;

	while (at && cost_size(by) > cost_size(c->most[at - 1].now - c->most[at - 1].was))
		at--;
	if (at == HEADLINE_NAMED)
		return NULL;
	c->named += c->named < HEADLINE_NAMED;
	for (size_t i = c->named - 1; i > at; i--)
		c->most[i] = c->most[i - 1];
	return &c->most[at];
}

/* Count and rank the functions of one side that changed: h->changed[0] grew, [1] shrank. */
static void weigh(const struct weighed *w, uint32_t e, struct headline *h)
{
	for (uint32_t f = 0; f < w->g->functions; f++) {
		const int64_t own = graph_self(w->g, f, e);
		const int64_t other = w->other ? w->other[f] : 0;
		const int64_t now = w->base ? other : own, was = w->base ? own : other;
		struct changed *c = &h->changed[now < was];
		struct changed_fn *to;

		if (now == was || (w->skip && w->skip[f]))
			continue;
		c->functions++;
		cost_add(&c->by, cost_difference(now, was));
		if ((to = place_for(c, cost_difference(now, was))))
			*to = (struct changed_fn){
				.g = w->g, .fn = f, .now = now, .was = was};
	}
}

static void name_them(struct exec *x, struct headline *h)
{
	for (int s = 0; s < 2; s++)
		for (size_t i = 0; i < h->changed[s].named; i++) {
			struct changed_fn *c = &h->changed[s].most[i];

			c->name = graph_short_name(c->g, c->fn, x->a);
			if (!c->name.p)
				need_memory(x->a);
		}
}

/* Once over the functions here, with what the same ones cost in the base; then over
 * those that only the base has. */
static void find_changed(struct exec *x, const struct exec *base, const uint32_t *same,
			 struct headline *h)
{
	int64_t *was = EXEC_ARRAY(x, int64_t, (size_t)x->g->functions + 1);
	bool *both = EXEC_ARRAY(x, bool, (size_t)base->g->functions + 1);

	for (uint32_t b = 0; b < base->g->functions; b++)
		if ((both[b] = same[b] != RESULT_NONE))
			cost_add(&was[same[b]], graph_self(base->g, b, base->event));
	weigh(&(struct weighed){x->g, was, NULL, false}, x->event, h);
	weigh(&(struct weighed){base->g, NULL, both, true}, base->event, h);
	name_them(x, h);
}

/* ---- other events ---- */

/* An event of both sides. */
struct other {
	struct str name;
	int64_t now, was;
	double by; /* percent */
};

static void read_other(struct exec *x, struct vs *v, uint32_t e, struct other *out)
{
	struct exec *base = &v->base;
	const uint32_t b = vs_base_event(v, e);

	*out = (struct other){0};
	if (b == GRAPH_NONE)
		return;
	graph_event(x->g, e);
	graph_event(base->g, b);
	out->name = check_event_word(x->env, e);
	out->now = graph_left(x->g, e);
	out->was = graph_left(base->g, b);
	out->by = vs_percent((double)out->now - (double)out->was, (double)out->was);
}

/* Did it get worse, while `asked` did not so?  A hundred misses more of a million instructions
 * are nothing, and time differs from run to run. */
static bool is_worse(const struct exec *x, uint32_t e, const struct other *o,
		     const struct other *asked)
{
	static const double least = 1, least_time = 10, little = 1e-5;
	const bool time = x->env->units[e].kind == UNIT_TIME,
		   counts = x->env->units[e].kind == UNIT_NONE;
	const uint32_t ir = check_find_event(x->env, STR("Ir"));

	if (!(o->by >= (time ? least_time : least)) ||
	    !(o->by > (asked->by > 0 ? asked->by : 0) + least))
		return false;
	return !counts || ir >= x->env->nevents ||
	       (double)o->now - (double)o->was >=
		       little * (double)store_total(x->g->st, ir);
}

/* Keep the MOST that changed most, the most first. */
static size_t add_other(struct other *at, size_t n, size_t most, const struct other *o)
{
	size_t i = n < most ? n : most - 1;

	if (n == most && !(fabs(o->by) > fabs(at[i].by)))
		return n;
	for (; i && fabs(o->by) > fabs(at[i - 1].by); i--)
		at[i] = at[i - 1];
	at[i] = *o;
	return n < most ? n + 1 : n;
}

struct str vs_other_events(struct exec *x, struct vs *v, struct str name, bool all)
{
	enum { MOST = 3, LARGE = 1 << 16 }; /* functions that stages made */
	static const double least = 1;
	const struct str of = !name.n || str_eq(name, STR("base")) ? STR("") : name;
	struct other at[MOST], asked, o;
	struct str text = STR("");
	size_t n = 0;

	if (!x->g->plain && x->g->functions > LARGE)
		return text;
	read_other(x, v, x->event, &asked);
	for (uint32_t e = 0; e < store_info(x->g->st)->events; e++) {
		read_other(x, v, e, &o);
		if (o.name.n && (all ? fabs(o.by) >= least : is_worse(x, e, &o, &asked)))
			n = add_other(at, n, MOST, &o);
	}
	for (size_t i = 0; i < n; i++)
		text = at[i].was ? arena_printf(x->a, "%.*s%s%.*s %+.1f %%",
						STR_ARG(text), i ? ", " : "",
						STR_ARG(at[i].name), at[i].by)
				 : arena_printf(x->a, "%.*s%s%.*s 0 -> %" PRId64,
						STR_ARG(text), i ? ", " : "",
						STR_ARG(at[i].name), at[i].now);
	return !n ? text
		  : arena_printf(x->a, "%.*s: why%s%.*s by %.*s", STR_ARG(text),
				 of.n ? " vs " : "", STR_ARG(of), STR_ARG(at[0].name));
}

void exec_vs_headline(struct exec *x, struct vs *v, bool totals, struct headline **out)
{
	struct headline *h = *out = EXEC_ARRAY(x, struct headline, 1);
	struct exec *base;
	const uint32_t *same[2];

	graph_event(x->g, x->event);
	vs_both(x, v, &base, same);
	h->total[0] = totals ? graph_left(x->g, x->event) : graph_total(x->g, x->event);
	h->total[1] = totals ? graph_left(base->g, base->event)
			     : graph_total(base->g, base->event);
	if (!totals)
		find_changed(x, base, same[1], h);
}
