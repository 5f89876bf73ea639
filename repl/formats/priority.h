/* priority.h - which columns of a table a narrow screen keeps, and which say nothing. */
#ifndef QUERN_PRIORITY_H
#define QUERN_PRIORITY_H

#include "repl/render/cell.h"

struct result;

/* Columns up to this one say something even if all their cells are the same: the
 * subject, what the query made, and the change in a comparison. */
enum { PRIORITY_KEPT = 2 };

/* 0: the subject of the rows, kept longest; the larger, the sooner the column goes. */
unsigned priority_of(const struct result *r, const struct shown *s);
/* Does column `which` of n say nothing that a footer cannot?  All its cells are empty or
 * have the same value, or it repeats a column of higher priority.  Then write why: "all
 * 0", "= incl".  Of a single row only emptiness is nothing. */
bool priority_says_nothing(const struct look *look, const struct shown *cols, size_t n,
			   size_t which, size_t rows, struct out *why);

#endif
