/* report_in.h - the inside of report.c, report_choose.c and report_data.c. */
#ifndef QUERN_REPORT_IN_H
#define QUERN_REPORT_IN_H

#include "index/base/arena.h"
#include "repl/pictures/source_data.h"

struct render;

enum { REPORT_PARTS = 500 }; /* most bars of a timeline */

/* A profile: this one, or the base. */
struct side {
	struct graph *g;
	uint32_t *event; /* [events]: its number there, or GRAPH_NONE */
	int64_t *total;	 /* [events] */
	uint32_t *place; /* [functions]: line of d-functions, or GRAPH_NONE */
};

/* A function or a call in both; GRAPH_NONE: not there. */
struct matched {
	uint32_t in[2];
};

struct call {
	uint32_t from, to; /* lines of d-functions */
	struct matched edge;
	double weight;
};

struct report {
	struct render *rd;
	struct out *o;
	struct side side[2];
	unsigned sides; /* 2: of two profiles */
	uint32_t events;
	uint32_t *row;	    /* [all]: 1 + row of the answer; 0: none */
	struct matched *fn; /* [all]: the functions of this profile, and then those
				 that are gone */
	uint32_t all;
	uint32_t *place;    /* [all]: line of d-functions, or GRAPH_NONE */
	struct call *calls; /* [between]: of functions in the report, the costliest first;
			       then [ncalls] in order */
	struct strset strings; /* files and objects: lines of d-strings */
	uint32_t nfunctions, between, ncalls;
	struct arena names;	       /* of one name at a time */
	struct arena arrays;	       /* all of these, and of the sides */
	double most_left;	       /* the largest share of a call that was left out */
	size_t head;		       /* bytes of the page before */
	const struct listing *listing; /* the page has this alone; or NULL */
	bool with_source, with_asm;
	struct source_data source;
	uint32_t listed;   /* functions of this profile in the answer */
	uint32_t sourced;  /* so many of them have source in the page */
	uint32_t textless; /* so many have none: no file was found */
};

/* report_choose.c: match the functions and calls of both sides, and choose what goes in. */
int report_choose(struct report *p);
void report_forget(struct report *p);
/* The share of a side's event, and a cost of a function; 0 if it is not there. */
double report_share(const struct report *p, unsigned s, uint32_t e, int64_t cost);
int64_t report_fn_cost(const struct report *p, unsigned s, uint32_t f, uint32_t e,
		       bool self);
int64_t report_call_cost(const struct report *p, unsigned s, uint32_t edge, uint32_t e);
/* The functions of this profile that are in the page, the costliest first: of those that
 * the answer has (listed) what they spend themselves, or of all what they cost with calls.
 * Returns how many; the caller frees *out.  NULL: out of memory. */
struct spent {
	uint32_t fn; /* of the graph */
	int64_t cost;
};
void report_sort(struct spent *rank, size_t n);
uint32_t report_rank(struct report *p, bool listed, struct spent **out);
/* report_data.c */
int report_put_data(struct report *p);
void report_put_events(struct report *p);
/* report_source.c: the source of the listed functions, costliest first. */
int report_take_source(struct report *p);
void report_say_source(struct report *p);

#endif
