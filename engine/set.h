/*
 * set.h - a statement asked of a set of profiles: one table of the rows of all.
 *
 * Members are opened one after the other, so memory follows the rows, not the profiles.  Of each
 * member the source runs, and the stages up to the last `each`; its rows go into one table, with
 * the name of the member in the column `profile`.  The other stages see that table.
 *
 * Every row is one that the member alone has, and each row of a member is there.
 */
#ifndef QUERN_SET_H
#define QUERN_SET_H

#include "engine/query.h"

struct arena;
struct query;
struct result;
struct statement;
struct stmt;
struct table;
struct tstage;

/* The member that `in NAME` asks, open; *plain: the statement is one of a single profile. */
int set_open_named(struct session *s, struct query *q, bool *plain, struct err *err);

/* How a set gives a statement to single members: as trees are told. */
typedef int set_one(void *arg, struct str member);

/* Ask all: the rows are in run->t, and run is of a member that has some.  q is parsed from text,
 * and has the stages that are left. */
int set_ask(struct session *s, struct query *q, size_t at, struct str text,
	    struct arena *a, struct statement *run, struct err *err);
/* The rows if functions with an uncertain partner had none.  Returns 0. */
void set_ask_again(const struct statement *run, struct table *t);
/* Tell each member apart under its name. */
int set_each(struct session *s, const struct query *q, set_one *one, void *arg,
	     struct err *err);
bool set_tells_apart(const struct session *s, const struct query *q);
/* ERR_EXPECT if a member is doubted. */
int set_doubted(struct statement *run, const struct tstage *expect);
/* Rows that break an `expect` if functions with an uncertain partner had none: their members are
 * doubted. */
void set_unsure(struct statement *run, const struct table *t);
/* Remember whose rows are left, and who is doubted: they break an `expect`. */
void set_broken(struct statement *run);
/* What the answer says of its members. */
void set_result(struct statement *run, struct result *r);

#endif
