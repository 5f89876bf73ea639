/*
 * budget.h - an answer of at most so many bytes (--budget), for readers who pay for each.
 *
 * Formats of rows are cut between two rows, and say how many rows and how much cost were
 * left out.  A picture, a profile or one function's card is whole or an error.
 */
#ifndef QUERN_BUDGET_H
#define QUERN_BUDGET_H

#include "repl/formats/renderers.h"

/* The least and the most that --budget takes, in bytes. */
enum { BUDGET_LEAST = 1 << 10, BUDGET_MOST = 64 << 20 };

/* Write r, an answer or a part of one, into o, which is empty; left says what is not in
 * r.  0 or the kind. */
typedef int budget_writer(void *arg, const struct result *r, const struct left_out *left,
			  struct out *o, struct err *err);

/* Write as many whole rows of r as fit into `bytes`, to o, which is empty and in memory.
 * ERR_LIMIT if not even one row fits, or if the format cannot be cut. */
int budget_write(const struct result *r, const struct format_row *f, size_t bytes,
		 budget_writer *w, void *arg, struct out *o, struct err *err);

/* The error of an answer of so many bytes in a format that cannot be cut. */
int budget_too_long(size_t bytes, size_t room, enum format format, struct err *err);

#endif
