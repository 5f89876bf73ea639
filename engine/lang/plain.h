/* plain.h - a question in plain words as queries. */
#ifndef QUERN_PLAIN_H
#define QUERN_PLAIN_H

#include "engine/lang/habits.h"

/* Write the n-th query that the words may mean into buf, of HABIT_MAX bytes: false, there is no
 * such.  Without one of its words it would be another query, unless the word says nothing, or
 * what the query has anyway: [said] of habits.txt. */
bool plain_query(struct str words, size_t n, char *buf);

#endif
