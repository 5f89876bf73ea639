/*
 * linked.h - an answer of each profile of a set as a file of its own, `> DIR/`, and the page
 * DIR/index.html with a table that links them.
 */
#ifndef QUERN_LINKED_H
#define QUERN_LINKED_H

#include "index/base/str.h"

struct err;
struct format_row;
struct result;

/* Is it an answer of one of them, for a file below a folder? */
bool linked_is_one(const struct result *r, struct str file);
/* The path of its file below dir/, to be freed; the folder is made.  NULL: err is set.  It gets its
 * row in the table, *to. */
struct linked;
char *linked_path(struct linked **to, const struct result *r, const struct format_row *f,
		  const char *dir, struct err *err);
/* Write the table, if there is one and no error, and free it.  What was written, in words, to be
 * freed; or NULL. */
char *linked_finish(struct linked **of, struct err *err);
void linked_free(struct linked **of);

#endif
