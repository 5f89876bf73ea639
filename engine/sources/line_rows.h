/*
 * line_rows.h - the rows of lines, instrs, callsites and jumps, before they are a table.
 */
#ifndef QUERN_LINE_ROWS_H
#define QUERN_LINE_ROWS_H

#include "engine/lang/ast.h"
#include "index/store/store.h"

struct exec;
struct fn_set;
struct inlining;
struct place_set;
struct text_file;

/* A line or an instruction of a function, or a call site. */
struct place {
	uint32_t of;  /* a function of the store; of a call site an edge of it */
	file_id file; /* maybe with a name, as in store_inlined_lines(); plain_file() */
	uint64_t line, instr;
	uint64_t calls; /* from here; CALLS_UNKNOWN: some were not counted */
	bool has_self;	/* there are cost lines, not calls alone */
	bool about; /* its cost is a share, of a call that is hidden in part or in a span */
	bool alone;   /* no other line of the function has cost lines */
	bool bounded; /* it is of one function of the store */
};

struct jump {
	fn_id fn;
	uint32_t to; /* its end in the graph, or GRAPH_NONE */
	struct store_jump j;
};

struct line_rows {
	struct store *st;
	enum source_kind kind;
	uint32_t events;
	struct place *places;
	struct jump *jumps;
	size_t n, cap;
	size_t keep; /* if not 0, only the costliest rows are kept, so many at least */
	uint64_t dropped; /* rows left out by `keep` */
	/* Of each place self and incl, [events] each; of a call site incl alone. */
	int64_t *costs;
	size_t costs_cap;
	struct fn_set *to; /* of call sites: only calls to these; NULL: all */
	const struct fn_set
		*calls;		 /* of call sites: only those of these edges; NULL: all */
	struct place_set *only;	 /* of lines and instrs: only these; NULL: all */
	struct inlining *in;	 /* made when a column needs it */
	struct text_file **text; /* [places], for `lines of`; NULL: not read */
};

/* The file of a place without the name of an inlined function. */
file_id plain_file(const struct line_rows *d, file_id file);
/* Fill in the rows of the functions in set (NULL: all), in the order of functions and
 * places.  d->st, kind, events, keep, to and only are set. */
void line_rows(struct exec *x, struct line_rows *d, const struct fn_set *set);

#endif
