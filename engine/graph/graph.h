/*
 * graph.h - the profile as the graph stages left it.
 *
 * Without stages a graph is a thin cover of the store.  Every stage makes a new graph from
 * the one below: functions are merged or dropped, edges follow, costs are computed per event
 * when first asked for.  Ids are dense in each graph and ordered as in the store.  A graph
 * lives in the query's arena.
 */
#ifndef QUERN_GRAPH_H
#define QUERN_GRAPH_H

#include "index/base/cancel.h"
#include "engine/flow/flow.h"
#include "engine/names/fnset.h"
#include "index/base/arena.h"
#include "index/base/err.h"
#include "index/store/store.h"

#define GRAPH_NONE UINT32_MAX

struct graph_costs; /* columns of one event */

enum graph_mixed {
	GRAPH_FILES = 1,   /* of several files */
	GRAPH_OBJECTS = 2, /* of several objects */
	GRAPH_NAMED = 4,   /* a group with a name of its own */
};

struct graph {
	struct store *st;
	struct arena *a;
	const struct cancel *cancel; /* may be NULL */
	uint32_t functions, edges, cycles;
	bool plain;		   /* the store itself; the members below are unset */
	const struct graph *whole; /* the parts that are 100 %; NULL: the store */
	const uint8_t *parts;	   /* those of the store that it is of; NULL: all */
	bool estimated;		   /* some stage attributed costs */
	bool shares;		   /* this stage did: part by part it knows more */
	bool detail;		   /* lines and call sites of the store still hold */
	/* Structure. */
	struct graph *below;
	const uint32_t *map; /* [store functions]: function here, or GRAPH_NONE */
	const fn_id
		*origin; /* [functions]: the store's function that gives file, object */
	const struct str *name; /* [functions]: p NULL: that of origin */
	const uint8_t *mixed;	/* [functions]: enum graph_mixed, or-ed; or NULL */
	const uint8_t *nests;	/* [functions]: may be on the stack twice (inclusive.h) */
	/* Of a graph that merges functions of the one below: */
	const uint32_t
		*group;	      /* [functions below]: function here; NULL: it merges none */
	const uint8_t *again; /* [functions below]: entered only while its group is on the
				  stack: f'2 in a group that has f */
	const uint32_t *only; /* [functions]: the function below by which alone it is
				  entered, once; or GRAPH_NONE */
	const uint32_t *out_first, *callee, *caller; /* as store_column */
	const uint32_t *in_first, *in_edge, *cycle, *topo;
	const uint64_t *calls;	    /* [edges] */
	const uint64_t *fn_calls;   /* [functions] */
	struct graph_costs **costs; /* [all events], or NULL: not computed yet */
	/* How this stage gets an event's costs from those of the graph below; self[] and
	 * edge[] come cleared, what is needed on the way goes to scratch. */
	int (*fill)(struct graph *g, uint32_t e, const struct flow_input *below,
		    struct arena *scratch, uint64_t *self, uint64_t *edge,
		    struct err *err);
	void *stage;
};

int graph_plain(struct store *st, struct arena *a, const struct cancel *cancel,
		struct graph **out, struct err *err);
/* Compute the columns of event e; the getters below need it (a plain graph does not). */
int graph_event(struct graph *g, uint32_t e, struct err *err);

/* The number users see: of the store's function that f stands for. */
uint32_t graph_id(const struct graph *g, uint32_t f);
struct str graph_name(const struct graph *g, uint32_t f);
struct str graph_file(const struct graph *g, uint32_t f);
struct str graph_obj(const struct graph *g, uint32_t f);
uint64_t graph_line(const struct graph *g, uint32_t f);
uint32_t graph_cycle(const struct graph *g, uint32_t f);
uint64_t graph_calls(const struct graph *g, uint32_t f);
uint64_t graph_self(const struct graph *g, uint32_t f, uint32_t e);
uint64_t graph_incl(const struct graph *g, uint32_t f, uint32_t e);
bool graph_is(const struct graph *g, uint32_t f, enum graph_mixed what);
bool graph_nests(const struct graph *g, uint32_t f);
/* The inclusive cost is an estimate, not the profile's own number. */
bool graph_incl_estimated(const struct graph *g, uint32_t f);
/* And what it is at least and at most; lo == hi where it is none. */
void graph_incl_bounds(const struct graph *g, uint32_t f, uint32_t e, uint64_t *lo,
		       uint64_t *hi);
/* What passes f, its calls of itself too (flow.h), and what of that no call brought. */
uint64_t graph_through(const struct graph *g, uint32_t f, uint32_t e, uint64_t *root);
/* Self and the calls that leave f's cycle; all calls into f, nested ones each time. */
uint64_t graph_contribution(const struct graph *g, uint32_t f, uint32_t e);
uint64_t graph_incoming(const struct graph *g, uint32_t f, uint32_t e);
uint64_t graph_total(const struct graph *g, uint32_t e);
void graph_edge(const struct graph *g, uint32_t edge, struct store_edge *out);
uint64_t graph_edge_incl(const struct graph *g, uint32_t edge, uint32_t e);
void graph_callees(const struct graph *g, uint32_t f, uint32_t *first, uint32_t *n);
uint32_t graph_caller_count(const struct graph *g, uint32_t f);
uint32_t graph_caller(const struct graph *g, uint32_t f, uint32_t i);
uint32_t graph_of_store(const struct graph *g, fn_id f);

/* The sum of two costs, saturated. */
static inline uint64_t graph_add(uint64_t a, uint64_t b)
{
	return a > UINT64_MAX - b ? UINT64_MAX : a + b;
}

uint64_t graph_cycle_self(const struct graph *g, uint32_t cycle, uint32_t e);
uint64_t graph_cycle_incl(const struct graph *g, uint32_t cycle, uint32_t e);
/* Arrays for flow_build(), of an event that graph_event() has got. */
int graph_flow_input(const struct graph *g, uint32_t e, struct flow_input *out,
		     struct err *err);
/* The same of a stage's graph but self and incl, which no event needs to be got for. */
void graph_shape(const struct graph *g, struct flow_input *out);

#endif
