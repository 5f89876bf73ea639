/*
 * render.h - results as bytes: one function per format.
 *
 * Renderers only write to an out; output.h decides where it leads.
 */
#ifndef QUERN_RENDER_H
#define QUERN_RENDER_H

#include "engine/lang/result.h"
#include "repl/term/emit.h"

struct cancel;
struct session;

/* The look of tables; machine formats use only `raw`. */
struct look {
	size_t columns; /* of the screen; 0: shorten nothing, draw no bars */
	size_t rows;	/* at most this many of a table; 0: all */
	bool utf8;	/* blocks and tree lines instead of ASCII */
	bool colour;
	bool raw;   /* csv and tsv: no guard against formulas */
	bool wide;  /* a table shortens no name and hides no column */
	bool exact; /* 5,271,234 instead of 5.27 M */
	bool close; /* for a program: nothing is aligned, columns that say nothing go */
	struct str said; /* to the program before this answer; the head of a comparison once */
};

/* The rows of an answer that --budget leaves out. */
struct left_out {
	uint64_t rows; /* 0: none */
	bool cheapest; /* of a tree, and not the last ones */
	/* A cost of these rows that can be added up; NULL: no column has one.  A tree's
	 * are counted without those on another row that is left out. */
	const struct column *cost;
	int64_t sum;
};

/* A report holds no text of its functions, their source, or also their instructions. */
enum with_source { SOURCE_OFF, SOURCE_ON, SOURCE_ASM };

struct render {
	struct out *o;
	const struct result *r;
	const struct look *look;
	struct session *session;     /* for exporters; may be NULL */
	const struct cancel *cancel; /* may be NULL */
	struct err *err;
	uint64_t took_ns; /* the query, so far */
	enum with_source source;
	struct left_out left;
	char note[400]; /* what the page leaves out, also for stderr; or empty */
};

/* The functions of the formats: render_csv(), render_svg() ... */
#define RENDER(number, name, extension, function, traits, what) \
	int function(struct render *rd);
FORMATS(RENDER)
#undef RENDER
int render_card(struct render *rd);

/* A column of a table for databases: of the result or, if c is NULL, the same text in all
 * rows, which may be unknown. */
struct lines_column {
	struct str name;
	const struct column *c;
	struct str text;
	bool known;
};
/* Rows as csv or ndjson with these columns: without a guard against formulas; unknown
 * numbers are 0, texts empty. */
int render_database(struct render *rd, bool json, bool header,
		    const struct lines_column *col, size_t n);

/* The error of a query that has no result, as a workflow command of GitHub.  file: the
 * script, or empty. */
void render_github_error(struct out *o, const struct err *err, struct str file,
			 size_t line);

/* Every loop over rows, functions, lines or frames polls this with the number of the row:
 * ERR_CANCEL after the user interrupts, ERR_LIMIT when the time of the query is over. */
int render_cancelled(struct render *rd, size_t row);
/* Before something long is asked of the session: it has the time that is left. */
void render_asks(struct render *rd);
/* Say how much a budget leaves out, in at most `size` bytes, without an end of line. */
void render_left_out(const struct render *rd, char *buf, size_t size);
/* Refuse an answer about two profiles. */
int render_one_profile(struct render *rd, const char *format, const char *hint);
/* Write a number in plain digits; `none` if the cell is absent. */
void render_plain(struct out *o, const struct column *c, size_t row, const char *none);
bool render_is_text(const struct column *c);
/* Are its cells written as those of u? */
bool render_is_digits(const struct column *c);
static inline bool render_absent(const struct column *c, size_t row)
{
	return c->absent && c->absent[row];
}

#endif
