/*
 * habits.h - what is typed in plain words, or in those of another tool, and the query here that
 * does it.
 */
#ifndef QUERN_HABITS_H
#define QUERN_HABITS_H

#include "index/base/str.h"

enum { HABIT_MAX = 320 };

/* A row of habits.txt. */
struct habit {
	const char *word, *form;
};

/* Its tables, {0} at the end. */
extern const struct habit habit_sql[], habit_rewrites[], habit_words[], habit_verbs[],
	habit_said[], habit_commands[];

/* Is the text a query? */
typedef bool habit_reads(void *arg, struct str query);

/* The query that does what the statement says in plain words or does in another tool: "source of
 * main" for "list main", or "for example: " and a query, if it lacks a name.  `reads` accepts the
 * query, unless it is a command or a key.  buf holds HABIT_MAX bytes; NULL: none is known. */
const char *habit_query(struct str typed, habit_reads *reads, void *arg, char *buf);
/* The bytes of "for example: "; 0: the query does what was typed. */
size_t habit_lead(const char *said);
/* Is it a command or a key, and no query? */
bool habit_is_command(struct str form);
/* The command of quern that does what another shell's dot-command does: "info" for
 * "dbinfo"; NULL: there is none. */
const char *habit_command(struct str name);

#endif
