/* cell.h - one cell of a table for people: short numbers, shortened names, colours. */
#ifndef QUERN_CELL_H
#define QUERN_CELL_H

#include "repl/render/fit.h"

struct column;
struct look;
struct unit;

/* A column as shown.  A file column followed by a line column is one column:
 * file:line. */
struct shown {
	const struct column *c;
	const struct column *line; /* of file:line, or NULL */
	struct str event;	   /* that a bare `self` is of; empty: the first */
	bool text;		   /* left-aligned, may be shortened */
	unsigned priority;	   /* of priority.h */
	bool exact;		   /* all digits, even of costs with a unit */
	bool grouped;		   /* numbers as 812,345; otherwise three digits and a
				      unit */
	bool tree;		   /* names have tree branches */
	bool sign;		   /* percentages above 0 have a "+" */
	bool base_name;		   /* of files: without directories */
	const struct str *cut;	   /* per row, or NULL: of apart.h */
	struct str rest;	   /* of a sentence, for the next line */
	size_t width;		   /* screen columns given to it */
	size_t natural;		   /* screen columns of its widest cell or its title */
};

enum { CELL_LINE_MAX = 24 }; /* bytes of ":12", with the NUL */

enum paint {
	PAINT_NONE,
	PAINT_HEAD,
	PAINT_DIM,
	PAINT_HOT,
	PAINT_WARM,
	PAINT_GOOD,
	PAINT_BAR,
	PAINT_NOTE
};

/* The escape sequence that starts p ("" without colours); PAINT_NONE ends it. */
const char *cell_paint(const struct look *look, enum paint p);
enum emit_form cell_form(const struct look *look);
/* Write the cell in at most width screen columns; returns how many it took. */
size_t cell_put(struct out *o, const struct look *look, const struct shown *s, size_t row,
		size_t width);
/* Is it "malloc.c:3451" in one column? */
bool cell_is_place(const struct column *c);
struct unit cell_unit(const struct column *c, size_t row);
/* As a cell has it: exact, grouped are those of struct shown. */
void cell_cost(char *buf, struct unit u, int64_t v, bool exact, bool grouped);
/* The text of a cell of text, what follows it (":12", in room) and how it is cut. */
struct str cell_text(const struct shown *s, size_t row, char *room, enum fit_kind *kind);
enum paint cell_colour(const struct shown *s, size_t row);
/* The title: "#" for id, "file:line", ... */
size_t cell_title(struct out *o, const struct look *look, const struct shown *s,
		  size_t width);
/* Write text on lines of so many columns; 0: on one. */
void cell_lines(struct out *o, const struct look *look, enum paint paint, struct str text,
		size_t columns);
/* Draw part of whole as a bar of at most width screen columns, in eighths of a block
 * if UTF-8. */
void cell_bar(struct out *o, const struct look *look, double part, double whole,
	      size_t width);

#endif
