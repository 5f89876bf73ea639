/*
 * statement.h - one statement that runs, for the files of this room.
 *
 *     statement_graph()   checks it and makes the graphs that its source sees
 *     statement_rows()    runs the source and the stages
 *     statement_result()  makes the result
 *
 * Each returns 0 or the kind of error, with the err of statement_begin() set.
 */
#ifndef QUERN_STATEMENT_H
#define QUERN_STATEMENT_H

#include "engine/lang/ast.h"
#include "engine/lang/result.h"
#include "engine/rows/doubt.h"
#include "engine/rows/exec.h"
#include "engine/rows/table.h"
#include "engine/session.h"

/* A statement that runs.  It is in the arena of the query: a result of many rows reads
 * them from the table when it is asked for them. */
struct statement {
	struct exec_open open;
	struct check_env env;
	size_t profile;		      /* the one it asks */
	const struct gstage *gstages; /* in force, then its own */
	bool *idle; /* of each filter in force: it changes nothing here */
	struct exec_texts notes, hints; /* of x */
	struct doubts doubts;		/* of x */
	struct str accepted;		/* which rows an `expect` left out; or empty */
	bool unsure;			/* an `expect` hangs on DOUBT_UNSURE */
	struct str part;		/* of x */
	struct exec x;
	struct vs *vs;	      /* NULL: one profile */
	struct set_rows *set; /* whose rows are in t, of many profiles; or NULL */
	struct table t;
	struct result r;
};

/* Fill in *run with what the session has open.  No query runs yet. */
void statement_begin(struct session *s, struct str text, struct arena *a, struct err *err,
		     struct statement *run);
/* Check the query and make the graph that its source will see. */
int statement_graph(struct session *s, struct query *q, struct str text, struct arena *a,
		    struct statement *run, struct err *err);
/* Make the graphs of both profiles, or of the only one. */
void statement_sides(struct session *s, const struct query *q, struct statement *run);
/* `why` tells contexts apart, which know more of what a change is below. */
void statement_contexts(struct statement *run, const struct gstage *first);
/* Run the source and the stages.  `expect` comes last and leaves the rows that fail
 * it; *failed: how, if it does. */
int statement_rows(const struct session *s, struct statement *run, const struct query *q,
		   struct err *failed);
/* Doubt profiles that are cut, odd or only an index. */
int statement_doubts(const struct session *s, struct statement *run,
		     const struct query *q);
int statement_result(struct session *s, struct statement *run, const struct stmt *st);

#endif
