/*
 * habits.h - what users of other tools type first, and the query here that does it.
 */
#ifndef QUERN_HABITS_H
#define QUERN_HABITS_H

#include "index/base/str.h"

enum { HABIT_MAX = 320 };

/* A row of habits.txt. */
struct habit {
	const char *word;
	const char *with, *alone; /* NULL: the same as the other */
};

/* Its tables, {0} at the end: words for which others are right here, statements, stages,
 * dot-commands of other shells, and what "top" ranks or ranks by. */
extern const struct habit habit_words[], habit_queries[], habit_stages[],
	habit_commands[], habit_ranks[];

/* Is the text a query?  The parser knows. */
typedef bool habit_reads(struct str query);

/* The query that does what the statement does in another tool: "source of main" for "list
 * main".  It parses, says `parses`, unless it is a command or a key.  buf holds HABIT_MAX bytes; NULL:
 * none is known. */
const char *habit_query(struct str statement, habit_reads *parses, char *buf);
/* The same for a stage: "where fn ~ /main/" for "grep main". */
const char *habit_stage(struct str stage, habit_reads *parses, char *buf);
/* The query of parts or threads that is meant: "thread 1 | functions vs thread 2" for
 * "thread 1 vs 2", "part 1-4 | top" for "parts 1..4 | top"; else as habit_query(). */
const char *habit_portion(struct str statement, habit_reads *parses, char *buf);
/* The words behind "top N" for a word of other tools: "by incl" for "cum", "dirs" for
 * "directories"; NULL: none is known. */
const char *habit_top(struct str word);
/* The query that ranks by what the words say: `top by Bcm / Bc` for "mispredictions"; NULL: none
 * is known. */
const char *habit_rate(struct str words);
/* The command of quern that does what another shell's dot-command does: "info" for
 * "dbinfo"; NULL: there is none. */
const char *habit_command(struct str name);

#endif
