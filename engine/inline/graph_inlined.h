/*
 * graph_inlined.h - a stage: inlined functions become functions of the graph.
 *
 *	main.c: F	10	F	10 --> a (inl)	3 --> b (inl)	4
 *	a.h, in F	 3			|
 *	b.h, in a in F	 4	and a call of g from the lines of a:
 *	g		 5			+-------> g	5
 *
 * Every place where code is inlined is a function of its own: it is entered from one
 * function only, so trees below it are exact.  Its self cost is taken from that of the
 * function which the profile names, and so are the calls made from its lines; all sums
 * stay the same.  At the end of the stages graph_join_inlined() makes one function of all
 * places with one number.
 */
#ifndef QUERN_GRAPH_INLINED_H
#define QUERN_GRAPH_INLINED_H

#include "index/base/str.h"
#include "index/store/store.h"

struct err;
struct graph;

struct inlined_fn {
	struct str name; /* as shown: "max (inl)" */
	file_id file;	 /* or GRAPH_NO_FILE */
};

struct inlined_code {
	uint32_t into; /* a function of the graph, or its functions + code before this */
	uint32_t fn;
};

struct inlined_call {
	uint32_t code;
	uint32_t edge; /* of the graph: the call as recorded */
	uint64_t calls;
};

struct graph_inlines {
	struct inlined_fn *fn;	   /* [fns] */
	struct inlined_code *code; /* [codes] */
	int64_t *self;		   /* [codes * recorded events] */
	struct inlined_call *call; /* [calls], by code, then edge: each pair once */
	int64_t *cost;		   /* [calls * recorded events] */
	uint32_t fns, codes, calls;
	file_id *file;	/* [functions of the graph]: where it is, if its first instruction
			   is inlined; GRAPH_NONE: as recorded */
	uint64_t *line; /* there */
	const uint8_t
		*gone; /* [edges of the graph]: no such call is left to the caller */
};

/* g: the store, or parts of it.  `in` must live as long as the graph. */
void graph_inlined(struct graph *g, const struct graph_inlines *in, struct graph **out);

#endif
