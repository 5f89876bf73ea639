/*
 * graph.h - the profile after the graph stages.
 *
 * Without stages a graph is a thin cover of the store.  Every stage makes a new graph
 * from the one below: it merges or drops functions, and their edges follow.  Costs are
 * computed per event when first asked for.  Ids are dense in each graph and in the order
 * of the store.  A graph lives in the arena of the query.
 */
#ifndef QUERN_GRAPH_H
#define QUERN_GRAPH_H

#include "index/contexts/span.h"
#include "index/graph/inclusive.h"
#include "index/store/store.h"

#define GRAPH_NONE UINT32_MAX
#define GRAPH_NO_FILE (UINT32_MAX - 1) /* the file is not known */

struct flow;
struct flow_cache;
struct flow_input;
struct fn_hidden;
struct graph_costs; /* columns of one event */

enum graph_by {
	GRAPH_BY_FILE,
	GRAPH_BY_OBJECT,
	GRAPH_BY_DIR,
	GRAPH_BY_CLASS,
	GRAPH_BY_LAYER, /* the object if several are named, else name_layer() */
	GRAPH_BYS,
};
struct graph_sums; /* sums over the calls of each function, of one event */

enum graph_mixed {
	GRAPH_FILES = 1,   /* from several files */
	GRAPH_OBJECTS = 2, /* from several objects */
	GRAPH_NAMED = 4,   /* a group with a name of its own */
	GRAPH_INLINED = 8, /* inlined code (graph_inlined.h), in no group with a name */
};

/* Costs that a stage left as they were, though it attributed others. */
enum graph_sure {
	GRAPH_SELF = 1,
	GRAPH_INCL = 2,
};

/* Bounds of costs in a span of the run, of this event. */
struct graph_span {
	uint32_t event;
	struct run_span of;
	int64_t length; /* of all parts: the most that anything costs there */
	/* [functions of the store]: inclusive; self; calls that have something there; enum
	 * graph_sure, or-ed */
	const int64_t *lo, *hi, *self_lo, *self_hi;
	const uint64_t *calls;
	const uint8_t *sure;
	const int64_t *context_lo; /* [contexts of run.tree]: inclusive */
};

/* The blocks of single activations. */
struct part_blocks;
struct graph_opened {
	const struct part_blocks *at; /* ascending */
	size_t n;
	const uint64_t
		*block; /* of the activations that were asked for, in the profile */
	size_t nblocks;
};

/* The part of the run that a graph holds. */
struct graph_run {
	const struct graph *whole; /* the parts that are 100 %; NULL: the store */
	const uint8_t *parts;	   /* the parts of the store in this graph; NULL: all */
	const struct graph_opened *opened; /* its blocks are these; or NULL */
	struct graph_spread *spread;   /* of the costs of calls (sources/call_spread.c) */
	const struct graph_span *span; /* of such a span; or NULL */
	struct graph *tree; /* of the parts alone: the graph of their contexts, once
			       graph_part_tree() made it */
};

/* The estimates among its numbers. */
struct graph_marks {
	bool estimated;		  /* some stage attributed costs, but for these: */
	const uint8_t *sure;	  /* [functions]: enum graph_sure, or-ed; NULL: none */
	const uint8_t *sure_call; /* [edges]; NULL: none */
	const uint8_t *entered;	  /* [functions]: what enters one is sure, and is less
				      than below; NULL: of none */
	bool thins;		  /* its functions and calls are some of those below, with
				      some of their cost */
	bool some_calls;	  /* this stage leaves a share of the cost of calls, and
				      does not know of how many of them */
	bool shares;		  /* this stage estimates costs: it is more exact part
				      by part */
};

/* Inlined functions; or unset.  Their numbers follow those of the store: map[] has `extra`
 * more, and several functions may have one number. */
struct graph_inlined {
	uint32_t extra;
	const uint32_t *number; /* [functions]: that users see */
	const file_id
		*file; /* [functions]: of inlined code, or GRAPH_NO_FILE; of a function
				that begins with inlined code; GRAPH_NONE: that of its
				origin */
	const uint64_t *line;	/* [functions]: where file[] is one; 0: not known */
	const uint32_t *same;	/* [functions]: the function below with the same
				   inclusive cost, or GRAPH_NONE; or NULL */
	const uint32_t *before; /* [functions]: where same[] has none, the function of
				   `joined` with that cost; or NULL */
};

/* How a graph merges functions of the one below. */
struct graph_merge {
	const uint32_t *group; /* [functions below]: function here; NULL: nothing is
				  merged */
	const uint8_t *again;  /* [functions below]: only entered while its group is on
				  the stack: f'2 in a group that has f */
	const uint8_t *added;  /* [functions]: its inclusive cost is the sum of those of
				  its functions below that are not again[] */
	/* Of function k: member[member_first[k]] .. [k + 1], functions below.  NULL: its
	 * functions are no contexts of one. */
	const uint32_t *member_first, *member;
	struct graph *apart; /* before graph_join(); or NULL */
	struct graph_late
		*late; /* not NULL: graph_need_calls() will set the members that are
				    about calls, and `again`, `added` */
};

/* Who calls whom, how often. */
struct graph_calls {
	const uint32_t *out_first, *callee, *caller; /* as store_column */
	const uint32_t *in_first, *in_edge, *cycle, *topo;
	const uint8_t *nests;  /* [functions]: may be on the stack twice (inclusive.h) */
	const uint64_t *calls; /* [edges] */
	const uint64_t *fn_calls; /* [functions] */
};

struct graph {
	struct store *st;
	struct arena *a;
	const struct cancel *cancel; /* may be NULL */
	struct flow_cache *cache; /* of a plain graph: it has the pairs (pairs.h) of the
					store; may be NULL */
	uint32_t functions, edges, cycles;
	bool plain;    /* the store itself; the members below are unset */
	bool recorded; /* as recorded: contexts are not joined to functions */
	bool of_whole; /* 100 % is the whole profile, whatever the stages leave */
	bool drops;    /* this stage is `ignore`: what it leaves is 100 % */
	bool detail;   /* lines and call sites of the store still hold */
	bool ran;      /* functions have their own numbers of calls: those of their
			  edges are shares */
	bool hides;    /* they do with what is hidden behind calls (rows/fn_hidden.h) */
	struct graph_run run;
	struct graph_marks marks;
	/* Structure. */
	struct graph *below;
	struct graph *joined; /* graph_joined_below() */
	const uint32_t *from; /* [functions]: the first function below */
	const uint32_t *map; /* [store functions + extra]: function here, or GRAPH_NONE */
	uint32_t
		contexts; /* its vertices are made of so many contexts (graph_contexts.c),
				and map[] is by context; 0: of functions */
	const fn_id *origin; /* [functions]: the store's function with its file, object */
	const struct str *name; /* [functions]: p NULL: the name of its origin; or NULL:
				   all have the names of their origins */
	const uint8_t *mixed;	/* [functions]: enum graph_mixed, or-ed; or NULL */
	struct graph_inlined inlined;
	struct graph_merge merge;
	struct graph_calls shape;
	struct graph_costs **costs;  /* [all events], or NULL: not computed yet */
	struct graph_sums *sums;     /* [all events]: see graph_sum_calls(); or NULL */
	const struct flow **flows;   /* [all events]: as costs */
	struct graph *by[GRAPH_BYS]; /* of graph_collapse_by(), so far */
	/* How this stage computes the costs of an event from those of the graph below.
	 * self[] and edge[] start as zeros; temporary memory comes from scratch. */
	void (*fill)(struct graph *g, uint32_t e, const struct flow_input *below,
		     struct arena *scratch, int64_t *self, int64_t *edge);
	void *stage;
	const struct fn_hidden *hidden; /* once it was asked for; or NULL */
};

/* The graph of the store itself: nothing is read or copied.  cache may be NULL. */
void graph_plain(struct store *st, struct flow_cache *cache, struct arena *a,
		 const struct cancel *cancel, struct graph **out);
/* Join calls, if that is left to do (graph_join()), before members of g that are about calls
 * are read.  The functions below do so for themselves; when it fails, a function has no calls
 * for them, and store_check() or the next poll says why. */
void graph_need_calls(const struct graph *g);
/* Compute the columns of event e.  The getters below need it, except for a plain
 * graph. */
void graph_event(struct graph *g, uint32_t e);

/* The number that users see: that of the store's function, or of an inlined one. */
uint32_t graph_id(const struct graph *g, uint32_t f);
/* All of them are lower. */
uint32_t graph_numbers(const struct graph *g);
/* The store's function that gives f its object, and its file unless it is inlined. */
fn_id graph_origin(const struct graph *g, uint32_t f);
/* The name that a stage gave to f; its p is NULL if f has the name of its origin. */
struct str graph_own_name(const struct graph *g, uint32_t f);
struct str graph_name(const struct graph *g, uint32_t f);
/* Without the mark of an inlined function. */
struct str graph_plain_name(const struct graph *g, uint32_t f);
/* Is the name that of a file or an object?  After "collapse by file", and for inlined code of
 * which nothing else is known. */
bool graph_is_place(const struct graph *g, uint32_t f);
/* As name_short(); a name that a stage gave stays whole. */
struct str graph_short_name(const struct graph *g, uint32_t f, struct arena *a);
/* As name_class(); empty: none. */
struct str graph_class(const struct graph *g, uint32_t f);
struct str graph_file(const struct graph *g, uint32_t f);
/* Has it another file than its origin? */
bool graph_is_placed(const struct graph *g, uint32_t f);
/* A file of the store or, for inlined code, GRAPH_NO_FILE; of several, any of them. */
file_id graph_file_id(const struct graph *g, uint32_t f);
struct str graph_obj(const struct graph *g, uint32_t f);
uint64_t graph_line(const struct graph *g, uint32_t f);
uint32_t graph_cycle(const struct graph *g, uint32_t f);
/* Inlined code is entered without a call: nobody counted how often, and this is 0. */
uint64_t graph_calls(const struct graph *g, uint32_t f);
bool graph_calls_known(const struct graph *g, uint32_t f);
/* Was each call of f counted?  Of other producers than callgrind, a call that was counted 0
 * times was not. */
bool graph_calls_counted(const struct graph *g, uint32_t f);
/* Is a call that is counted 0 times none?  It is in a span of the run: it began before. */
bool graph_counts_zeros(const struct graph *g);
/* Was each call counted?  A call that has a count in the whole profile may have none in a part. */
bool graph_counts_all(const struct graph *g);
/* The calls of a call site, as the store has them; CALLS_UNKNOWN: nobody counted. */
uint64_t graph_site_calls(const struct graph *g, uint64_t calls);
/* Add the calls of an edge to those of others.  With one that nobody counted, their number is
 * not known: it is 0 after graph_end_calls(). */
void graph_add_calls(const struct graph *g, uint64_t *sum, uint64_t calls);
void graph_end_calls(const struct graph *g, uint64_t *sum);
/* Has a stage, or one before it, some_calls? */
bool graph_some_calls(const struct graph *g);
int64_t graph_self(const struct graph *g, uint32_t f, uint32_t e);
int64_t graph_incl(const struct graph *g, uint32_t f, uint32_t e);
bool graph_is(const struct graph *g, uint32_t f, enum graph_mixed what);
bool graph_nests(const struct graph *g, uint32_t f);
/* Is that cost of f what the profile says of f, whatever stages there are?  An inclusive
 * cost may still be an estimate of the profile: graph_incl_estimated(). */
bool graph_is_sure(const struct graph *g, uint32_t f, enum graph_sure cost);
bool graph_call_is_sure(const struct graph *g, uint32_t edge);
/* Its self cost is that of the calls into it: the profile has no lines of it. */
bool graph_calls_only(const struct graph *g, uint32_t f);
/* store_fn_bare() */
bool graph_bare(const struct graph *g, uint32_t f);
bool graph_calls_itself(const struct graph *g, uint32_t f);
/* The inclusive cost is an estimate, not the profile's own number. */
bool graph_incl_estimated(const struct graph *g, uint32_t f);
/* The least and the most it can be; lo == hi if it is no estimate. */
void graph_incl_bounds(const struct graph *g, uint32_t f, uint32_t e, int64_t *lo,
		       int64_t *hi);
/* Is it marked ~: shared out by a stage, or an estimate whose bounds differ? */
bool graph_incl_is_about(const struct graph *g, uint32_t f, uint32_t e);
/* (*out)[f]: the largest cost that can be spent while f is on the stack; INT64_MAX: any, as
 * some costs are negative.  It holds after stages that estimate, too: they remove costs,
 * and functions from stacks, but add none. */
void graph_most(struct graph *g, uint32_t e, struct arena *a, int64_t **out);
/* The cost through f, with its calls of itself (flow.h); *root: the part that no call
 * brought. */
int64_t graph_through(const struct graph *g, uint32_t f, uint32_t e, int64_t *root);
/* Self and the calls that leave f's cycle; all calls into f, each nested one again. */
int64_t graph_contribution(const struct graph *g, uint32_t f, uint32_t e);
int64_t graph_incoming(const struct graph *g, uint32_t f, uint32_t e);
/* Compute both for all functions, in one pass over the edges, before many are asked
 * for. */
void graph_sum_calls(struct graph *g, uint32_t e);
/* The span of the run that g is of, below its stages; NULL: none. */
const struct graph_span *graph_span_of(const struct graph *g);
/* How many parts of the store are in the graph. */
uint32_t graph_part_count(const struct graph *g);
/* 100 %: the whole, less what `ignore` drops, after graph_event(). */
int64_t graph_total(const struct graph *g, uint32_t e);
/* The whole profile, or the chosen parts. */
int64_t graph_whole(const struct graph *g, uint32_t e);
/* The most that anything costs: the whole or, in a span, its length; what calls have of that
 * is an estimate, and so is what all that are opened have. */
int64_t graph_limit(const struct graph *g, uint32_t e);
/* What the stages leave of it: the self costs of all functions. */
int64_t graph_left(const struct graph *g, uint32_t e);
/* Is that an estimate, of g or of a graph below where a stage drops cost? */
bool graph_left_is_about(const struct graph *g);
/* Is 100 % an estimate: what `ignore` leaves? */
bool graph_total_is_about(const struct graph *g);
void graph_edge(const struct graph *g, uint32_t edge, struct store_edge *out);
/* One of its members alone. */
uint32_t graph_edge_caller(const struct graph *g, uint32_t edge);
uint32_t graph_edge_callee(const struct graph *g, uint32_t edge);
uint64_t graph_edge_calls(const struct graph *g, uint32_t edge);
bool graph_edge_in_cycle(const struct graph *g, uint32_t edge);
int64_t graph_edge_incl(const struct graph *g, uint32_t edge, uint32_t e);
void graph_callees(const struct graph *g, uint32_t f, uint32_t *first, uint32_t *n);
/* The call from one function to another, or GRAPH_NONE. */
uint32_t graph_edge_between(const struct graph *g, uint32_t from, uint32_t to);
uint32_t graph_caller_count(const struct graph *g, uint32_t f);
uint32_t graph_caller(const struct graph *g, uint32_t f, uint32_t i);
/* Is f what the store has a group for: no stage's group, and no inlined code? */
bool graph_in_group(const struct graph *g, uint32_t f);
/* No stage changed the graph: it is the store, or only has contexts joined to functions. */
bool graph_as_stored(const struct graph *g);
/* The functions of graph_apart() that f is: its contexts, or itself. */
uint32_t graph_members_count(const struct graph *g, uint32_t f);
uint32_t graph_member(const struct graph *g, uint32_t f, uint32_t i);
/* The function with that number, or GRAPH_NONE. */
uint32_t graph_of_store(const struct graph *g, fn_id f);
/* List the functions of each group, without those in GRAPH_NONE: member[first[k]] up to
 * member[first[k + 1]]. */
void graph_members(struct arena *a, const uint32_t *group, uint32_t functions,
		   uint32_t groups, uint32_t **first, uint32_t **member);

int64_t graph_cycle_self(const struct graph *g, uint32_t cycle, uint32_t e);
int64_t graph_cycle_incl(const struct graph *g, uint32_t cycle, uint32_t e);
/* The arrays of event e for flow_build(), after graph_event(). */
void graph_flow_input(const struct graph *g, uint32_t e, struct flow_input *out);
/* The flow of event e of a stage's graph, after graph_event(). */
void graph_flow(struct graph *g, uint32_t e, const struct flow **out);
/* Give fl, a flow of g, pairs in arena a like those of the store, unless a stage has merged
 * or hidden functions. */
void graph_pairs(const struct graph *g, struct flow *fl, struct arena *a);
/* The arrays of calls alone, without self and incl; graph_event() is not needed. */
void graph_shape(const struct graph *g, struct flow_input *out);

/* g is the store, which has the call tree (store.h, contexts). */
bool graph_has_contexts(const struct graph *g);
/* Each call of the call tree has its block; also if there is no tree. */
bool graph_tree_sure(const struct graph *g);
/* Are the stacks known that the functions of g are on?  Then graph_stacks() has them. */
bool graph_stacks_known(const struct graph *g);

#endif
