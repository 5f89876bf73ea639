/*
 * graph_inlined.c - see graph_inlined.h.
 *
 * The functions of the graph below keep their ids; inlined code follows, callers first.
 * A cost of inlined code is known for the whole graph.  When the stage is asked for the
 * cost of some parts only (flow_parts.h), each part is divided like the whole.
 */
#include "engine/inline/graph_inlined.h"

#include <string.h>

#include "engine/flow/flow.h"
#include "engine/graph/graph_build.h"
#include "index/base/need.h"
#include "index/base/cost.h"
#include "index/base/err.h"

struct inlined_stage {
	const struct graph_inlines *in;
	uint32_t below;	   /* functions */
	uint32_t events;   /* recorded */
	uint32_t *outer;   /* [codes]: the function below that it is part of */
	uint32_t *of_code; /* [codes]: the edge into it */
	uint32_t *of_call; /* [calls]: its edge */
	uint8_t *
		takes_rest; /* [calls]: the last one that takes from its edge below, which
				is gone */
};

/* ---- costs ---- */

/* Costs of the graph below that are handed on to inlined code. */
struct handing {
	const int64_t *whole, *now; /* of the whole graph; of the part at hand */
	int64_t *left;
	double *passed; /* the cost of the whole that was handed on; NULL: the part at
			   hand is the whole */
	bool negative;	/* some costs are: then one need not be a part of the other */
};

static int64_t whole_units(double part, double of_whole)
{
	return cost_round(part * of_whole);
}

/* Take `want` of the whole, or as much of the part at hand as is its share. */
static int64_t hand_on(struct handing *h, uint32_t i, int64_t want)
{
	int64_t got = want;

	if (h->passed && h->now[i] != h->whole[i]) {
		const double share =
			h->whole[i] ? (double)h->now[i] / (double)h->whole[i] : 0;
		const int64_t before = whole_units(share, h->passed[i]);

		h->passed[i] += (double)want;
		got = whole_units(share, h->passed[i]) - before;
	}
	if (!h->negative && got > h->left[i])
		got = h->left[i];
	cost_subtract(&h->left[i], got);
	return got;
}

/* What enters inlined code is what it spends: its own, and what it calls. */
static void enter_codes(const struct graph *g, const struct inlined_stage *s,
			const int64_t *self, int64_t *edge)
{
	for (uint32_t k = s->in->codes; k-- > 0;) {
		const uint32_t f = s->below + k;
		int64_t sum = self[f];

		for (uint32_t i = g->shape.out_first[f]; i < g->shape.out_first[f + 1];
		     i++)
			cost_add(&sum, edge[i]);
		edge[s->of_code[k]] = sum;
	}
}

/* The calls that are left to functions below are their first edges. */
static void keep_calls(const struct graph *g, const struct inlined_stage *s,
		       const struct flow_input *below, const int64_t *left, int64_t *edge)
{
	for (uint32_t f = 0; f < s->below; f++) {
		uint32_t to = g->shape.out_first[f];

		for (uint32_t i = below->out_first[f]; i < below->out_first[f + 1]; i++)
			if (!s->in->gone[i])
				edge[to++] = left[i];
	}
}

static void inlined_fill(struct graph *g, uint32_t e, const struct flow_input *below,
			 struct arena *scratch, int64_t *self, int64_t *edge)
{
	const struct inlined_stage *s = g->stage;
	int64_t *left = NEED_ARRAY(scratch, int64_t, (size_t)below->edges + 1);
	double *passed = NULL;
	struct flow_input whole;
	struct handing own, calls;
	const bool negative = store_info(g->st)->negative;

	graph_flow_input(g->below, e, &whole);
	if (below->self != whole.self)
		passed = NEED_ARRAY(scratch, double,
				    (size_t)below->edges + below->functions + 1);
	memcpy(self, below->self, below->functions * sizeof(*self));
	memcpy(left, below->incl, below->edges * sizeof(*left));
	own = (struct handing){whole.self, below->self, self, passed, negative};
	calls = (struct handing){whole.incl, below->incl, left,
				 passed ? passed + below->functions : NULL, negative};
	for (uint32_t k = 0; k < s->in->codes; k++) {
		self[s->below + k] = hand_on(
			&own, s->outer[k],
			store_event_of(g->st, e, s->in->self + (size_t)k * s->events));
		graph_poll(g, k);
	}
	for (uint32_t c = 0; c < s->in->calls; c++) {
		const uint32_t i = s->in->call[c].edge;

		edge[s->of_call[c]] = hand_on(
			&calls, i,
			store_event_of(g->st, e, s->in->cost + (size_t)c * s->events));
		if (s->takes_rest[c]) {
			cost_add(&edge[s->of_call[c]], left[i]);
			left[i] = 0;
		}
		graph_poll(g, c);
	}
	keep_calls(g, s, below, left, edge);
	enter_codes(g, s, self, edge);
}

/* ---- edges ---- */

struct wiring {
	struct graph_draft *d;
	struct inlined_stage *s;
	struct flow_input shape; /* of the graph below */
	uint64_t *calls;	 /* [edges below]: left to the caller */
	uint32_t *first, *inner; /* code inlined into function f of the draft:
				    inner[first[f]] up to inner[first[f + 1]] */
	uint32_t call;		 /* the next one */
};

static uint32_t wire(struct wiring *w, uint32_t from, uint32_t to, uint64_t calls)
{
	struct graph_draft *d = w->d;

	d->caller[d->edges] = from;
	d->callee[d->edges] = to;
	d->calls[d->edges] = calls;
	return d->edges++;
}

static void wire_inner(struct wiring *w, uint32_t f)
{
	for (uint32_t i = w->first[f]; i < w->first[f + 1]; i++)
		w->s->of_code[w->inner[i]] = wire(w, f, w->s->below + w->inner[i], 0);
}

static void wire_function(struct wiring *w, uint32_t f)
{
	const struct graph_inlines *in = w->s->in;

	for (uint32_t i = w->shape.out_first[f]; i < w->shape.out_first[f + 1]; i++)
		if (!in->gone[i])
			wire(w, f, w->shape.callee[i], w->calls[i]);
	wire_inner(w, f);
}

static void wire_code(struct wiring *w, uint32_t k)
{
	const struct graph_inlines *in = w->s->in;

	for (; w->call < in->calls && in->call[w->call].code == k; w->call++) {
		const struct inlined_call *c = &in->call[w->call];

		w->s->of_call[w->call] =
			wire(w, w->s->below + k, w->shape.callee[c->edge], c->calls);
	}
	wire_inner(w, w->s->below + k);
}

/* Calls move from the function to the code that makes them. */
static void move_calls(struct wiring *w, uint32_t *last)
{
	const struct graph_inlines *in = w->s->in;

	memcpy(w->calls, w->shape.calls, w->shape.edges * sizeof(*w->calls));
	for (uint32_t c = 0; c < in->calls; c++) {
		const uint32_t i = in->call[c].edge;

		w->calls[i] -=
			in->call[c].calls < w->calls[i] ? in->call[c].calls : w->calls[i];
		last[i] = c;
	}
	for (uint32_t c = 0; c < in->calls; c++)
		w->s->takes_rest[c] =
			in->gone[in->call[c].edge] && last[in->call[c].edge] == c;
}

static void wire_all(struct wiring *w, struct arena *scratch)
{
	const struct graph_inlines *in = w->s->in;
	const uint32_t edges = w->shape.edges;
	uint32_t *into = NEED_ARRAY(scratch, uint32_t, (size_t)in->codes + 1);
	uint32_t *last = NEED_ARRAY(scratch, uint32_t, (size_t)edges + 1);

	w->calls = NEED_ARRAY(scratch, uint64_t, (size_t)edges + 1);
	for (uint32_t k = 0; k < in->codes; k++)
		into[k] = in->code[k].into;
	graph_members(scratch, into, in->codes, w->d->functions, &w->first, &w->inner);
	move_calls(w, last);
	for (uint32_t f = 0; f < w->s->below; f++)
		wire_function(w, f);
	for (uint32_t k = 0; k < in->codes; k++)
		wire_code(w, k);
}

static void make_edges(struct graph_draft *d, struct inlined_stage *s)
{
	const struct graph_inlines *in = s->in;
	struct graph *b = d->below;
	const size_t edges = (size_t)b->edges + in->calls + in->codes;
	struct wiring w = {.d = d, .s = s};
	struct arena *scratch;

	s->of_code = NEED_ARRAY(b->a, uint32_t, (size_t)in->codes + 1);
	s->of_call = NEED_ARRAY(b->a, uint32_t, (size_t)in->calls + 1);
	s->takes_rest = NEED_ARRAY(b->a, uint8_t, (size_t)in->calls + 1);
	if (edges >= GRAPH_NO_FILE)
		need_fail(ERR_LIMIT, "inlined functions make too many calls");
	graph_shape(b, &w.shape);
	graph_draft_edges(d, edges);
	scratch = need_scratch(b->a);
	wire_all(&w, scratch);
	scratch_free(scratch);
}

/* ---- functions ---- */

static void make_functions(struct graph_draft *d, struct inlined_stage *s)
{
	struct graph *b = d->below;
	const size_t n = (size_t)b->functions + s->in->codes;

	if (n >= GRAPH_NO_FILE)
		need_fail(ERR_LIMIT, "too many inlined functions");
	d->functions = (uint32_t)n;
	d->map = NEED_ARRAY(b->a, uint32_t, (size_t)b->functions + 1);
	d->first = NEED_ARRAY(b->a, uint32_t, n + 1);
	d->name = NEED_ARRAY(b->a, struct str, n + 1);
	s->outer = NEED_ARRAY(b->a, uint32_t, (size_t)s->in->codes + 1);
	for (uint32_t f = 0; f < b->functions; f++)
		d->map[f] = d->first[f] = f;
	for (uint32_t k = 0; k < s->in->codes; k++) {
		const struct inlined_code *c = &s->in->code[k];

		s->outer[k] = c->into < b->functions ? c->into
						     : s->outer[c->into - b->functions];
		d->first[b->functions + k] = s->outer[k];
		d->name[b->functions + k] = s->in->fn[c->fn].name;
	}
}

/* Give inlined code numbers and files of its own, and functions the place where they are. */
static void identify(struct graph *g, const struct inlined_stage *s)
{
	const struct graph_inlines *in = s->in;
	const uint32_t stored = store_info(g->st)->functions;
	const size_t n = (size_t)g->functions + 1;
	uint32_t *map = NEED_ARRAY(g->a, uint32_t, (size_t)stored + in->fns + 1);
	uint32_t *number = NEED_ARRAY(g->a, uint32_t, n);
	uint32_t *same = NEED_ARRAY(g->a, uint32_t, n);
	file_id *file = NEED_ARRAY(g->a, file_id, n);
	uint64_t *line = NEED_ARRAY(g->a, uint64_t, n);
	uint8_t *mixed = NEED_ARRAY(g->a, uint8_t, n);

	memcpy(map, g->map, stored * sizeof(*map));
	memcpy(line, in->line, s->below * sizeof(*line));
	for (uint32_t f = 0; f < s->below; f++) {
		number[f] = graph_id(g, f);
		same[f] = f;
		file[f] = in->file[f];
	}
	for (uint32_t k = in->codes; k-- > 0;) {
		const uint32_t f = s->below + k;

		number[f] = stored + in->code[k].fn;
		map[number[f]] = f;
		same[f] = GRAPH_NONE;
		file[f] = in->fn[in->code[k].fn].file;
		mixed[f] = GRAPH_INLINED;
	}
	g->inlined.extra = in->fns;
	g->map = map;
	g->inlined.number = number;
	g->inlined.same = same;
	g->inlined.file = file;
	g->inlined.line = line;
	g->mixed = mixed;
}

void graph_inlined(struct graph *g, const struct graph_inlines *in, struct graph **out)
{
	struct graph_draft d = {.below = g, .adds = true};
	struct inlined_stage *s = NEED_NEW(g->a, struct inlined_stage);

	s->in = in;
	s->below = g->functions;
	s->events = store_info(g->st)->events;
	make_functions(&d, s);
	make_edges(&d, s);
	graph_build(&d, out);
	identify(*out, s);
	(*out)->stage = s;
	(*out)->fill = inlined_fill;
}
