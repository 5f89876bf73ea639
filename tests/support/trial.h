/*
 * trial.h - one random program and the questions about it, for simulate_test.c.
 *
 * A trial has the program (simulate.h), whose stacks are known, and a session with its
 * profile.  Each check has a tally of what was compared, and what failed.
 */
#ifndef QUERN_TESTS_TRIAL_H
#define QUERN_TESTS_TRIAL_H

#include "index/base/out.h"
#include "tests/support/simulate.h"

struct session;

enum check {
	SELF,
	LAW,
	INCL,
	LEVELS,
	GROUPS,
	WHOLE_TREE,
	SUMS,
	TREES,
	CALLERS,
	UNDER,
	CAUSES,
	PATHS,
	FILTERS,
	SURE,
	STAGED,
	CUT_OFF,
	CHECKS,
};

struct tally {
	const char *what;
	uint64_t checked, failed, unbounded, exact;
};
extern struct tally tally[CHECKS];
extern uint64_t chains; /* compared so far */

enum { ROWS = 1000, COMPARED = 24, TEXT = 600 };

struct row {
	char name[64];
	uint32_t fn; /* number of the name in the program, SIMULATE_NONE: none of them */
	uint64_t depth, id, calls, self, incl, est, lo, hi, path, step, caller, callee;
	bool estimated, exact, recursive, bounded, guessed; /* guessed: self */
};

struct answer {
	struct row *row;
	size_t n, room;
};

struct trial {
	struct simulated s;
	struct session *session;
	struct out text;       /* the profile */
	const char *stage;     /* in front of every query */
	bool folded;	       /* rows are functions of several contexts */
	uint64_t state, total; /* total: self of all functions, by the index */
	uint64_t id[SIMULATE_NAMES], spent[SIMULATE_NAMES];
	bool listed[SIMULATE_NAMES]; /* the profile has it */
	bool staged; /* what is asked follows a stage: sums of rounded self costs */
	char query[TEXT];
	struct answer rows;
};

/* A number below n, from the seed of the program. */
uint32_t below(struct trial *t, uint32_t n);
/* Count a check.  If it fails, say how, and keep the profile in $KEEP; returns `well`. */
__attribute__((format(printf, 4, 5))) bool expect(struct trial *t, enum check c,
						  bool well, const char *fmt, ...);
/* Ask a query behind the stage: t->rows.  Was it answered?  It must be, but for CHECKS. */
__attribute__((format(printf, 3, 4))) bool ask(struct trial *t, enum check c,
					       const char *fmt, ...);
bool contains(simulate_set set, uint32_t name);
/* One to `most` functions of the profile, as a set of the language. */
simulate_set some(struct trial *t, uint32_t most, char *text, size_t size);
/* lo <= truth <= hi, and so for what is shown; what is no estimate is true. */
void within(struct trial *t, enum check c, const struct row *r, uint64_t shown,
	    uint64_t truth, simulate_set at, bool estimated, const char *what);

/* ---- trial_trees.c: trees, paths and costs of one function under another ---- */

/* Frames spend what their functions do, but for what is in no row. */
void check_sums(struct trial *t, enum check c, const struct answer *a);
void check_trees(struct trial *t);
void check_under(struct trial *t);
void check_causes(struct trial *t);
void check_paths(struct trial *t);

#endif
