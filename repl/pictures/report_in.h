/*
 * report_in.h - the inside of report.c, report_choose.c, report_data.c and source_data.c.
 *
 * Listings are data of a page, for its script: the element d-source, a line per row:
 *
 *	@n		the listing of line n of d-functions begins; %n: that of its
 *			instructions
 *	F own TAB path TAB why TAB newer TAB n	a file, or an object; own: 1, of the function
 *			itself; why: it has no text; newer: 1, than the profile; n: its
 *			number in "group:pos"
 *	L pos TAB costs TAB text [TAB file:line]	a line, or an instruction
 *	C pos TAB to TAB calls TAB costs [TAB callee [TAB short]]	a call from there; calls -1:
 *			inlined; -2: not counted.  to: line of d-functions, or empty: then it has a name
 *	J pos TAB to TAB text	a jump from there.  to: "group:pos"; maybe empty
 *	G text		text that is not there
 *	I name [TAB short]	code inlined from that function begins; empty: it ends
 *	Bn TAB row	an L or C of the base, in file n
 *
 * Costs are per event, without zeros at the end.
 */
#ifndef QUERN_REPORT_IN_H
#define QUERN_REPORT_IN_H

#include "engine/listing/listing.h"
#include "index/base/arena.h"
#include "index/base/out.h"
#include "index/base/strset.h"

struct graph;
struct result;
struct render;

enum { REPORT_PARTS = 500 }; /* most bars of a timeline */

struct source_data {
	struct graph *g;
	const uint32_t *event; /* [events of the page]: its number in g, or GRAPH_NONE */
	uint32_t events;
	struct out o;	       /* lines of d-source */
	size_t budget;	       /* most bytes of it */
	const uint32_t *place; /* [functions of g]: line of d-functions */
	struct strset files;   /* whose text the page holds; and objects */
	size_t lines[2];       /* so many; [1]: instructions */
	uint64_t lines_out;    /* left out: the budget is used up */
};

/* Append a listing: all of it, or its costliest lines that fit, with those of the base that have
 * costs.  Returns the lines taken. */
struct source_base {
	struct listing l;
	const struct source_data *d; /* its graph, events and places */
	uint64_t moved; /* lines of its own file are so much further down here */
};
size_t source_data_put(struct render *rd, struct source_data *d, const struct listing *l,
		       const struct source_base *base /* or NULL */);
/* How much it is; the script lists the files. */
void source_data_say(struct out *o, const struct source_data *d);
/* "the page holds text of 3 files: 48 lines and 22,327 instructions" */
void source_data_text(char *buf, size_t size, const struct source_data *d);

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
	struct arena names;  /* of one name at a time */
	struct arena arrays; /* all of these, and of the sides */
	double most_left;    /* the largest share of a call that was left out */
	size_t head;	     /* bytes of the page before */
	bool answer;	     /* it is the page of another answer: report_shows() */
	uint32_t open;	     /* the function that it opens at, or RESULT_NONE */
	bool with_source, with_asm;
	struct source_data source;
	uint32_t listed;   /* functions of this profile in the answer */
	uint32_t sourced;  /* so many of them have source in the page */
	uint32_t textless; /* so many have none: no file was found */
};

/* report_choose.c: match the functions and calls of both sides, and choose what goes in. */
bool report_is_run(const struct result *r); /* a timeline */
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
