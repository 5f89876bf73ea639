/*
 * said.h - names and rows in words, for those who read them away from the terminal: in a
 * review, an annotation, a report of tests.
 *
 * All text is escaped as by EMIT_TEXT; the caller adds what its format wants.
 */
#ifndef QUERN_SAID_H
#define QUERN_SAID_H

#include "repl/render/brief.h"
#include "repl/render/cell.h"

struct result;

enum { SAID_WIDEST = 100 }; /* columns of a name */

struct said {
	struct render *rd;
	struct shown *cols; /* as in a table */
	size_t n;
	struct brief brief;
};

/* tree: see columns_choose().  0 or the kind; said_free() also after an error. */
int said_init(struct said *s, struct render *rd, bool tree);
void said_free(struct said *s);
/* The text of one cell: short names, numbers with their sign. */
void said_cell(struct said *s, struct out *o, const struct shown *c, size_t row);
/* "malloc (malloc.c:1338): delta +50,090 (+22,665%), base 221, self 50,311 (2.17%)" */
void said_row(struct said *s, struct out *o, size_t row);
/* A message of several lines, each escaped. */
void said_lines(struct out *o, enum emit_form form, struct str text);
/* The query on one line, cut to a length that people read. */
void said_query(struct out *o, const struct result *r);

#endif
