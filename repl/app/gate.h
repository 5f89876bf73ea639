/*
 * gate.h - --keep-going: count which expectations hold, for the last line and the status.
 *
 * A statement that could not be answered is no expectation that holds, so it is counted
 * apart, and its error is worse than an expectation that fails.
 */
#ifndef QUERN_GATE_H
#define QUERN_GATE_H

#include "index/base/out.h"
#include "repl/term/talk.h"

struct result;

struct gate {
	bool on;
	size_t hold, fail, unanswered; /* expectations; other statements and commands */
	int worst;		       /* decides the exit status */
	struct out failed, wrong;      /* places of the first of them */
	struct out broken;	       /* the profiles of the last answer that broke it */
};

void gate_start(struct gate *g);
void gate_free(struct gate *g);
/* Of a set of profiles: an error that follows is of these. */
void gate_members(struct gate *g, const struct result *r);
/* Count an error of the statement or command in text; `from` may be NULL. */
void gate_error(struct gate *g, const struct err *err, struct str text,
		const struct origin *from);
/* "3 expectations: 2 hold, 1 fails (gate.q:3:29)", on stderr.  quiet: only if something
 * is wrong. */
void gate_say(const struct gate *g, bool quiet);
/* Is an error of kind a worse than one of kind b?  An expectation that fails is the
 * least; of other errors, the exit statuses decide. */
bool gate_worse(int a, int b);

#endif
