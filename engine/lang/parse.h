/*
 * parse.h - text to statements (grammar: LANGUAGE.md).
 *
 * Only words are checked here.  check.h finds out whether an event, a column or a profile
 * exists.
 */
#ifndef QUERN_PARSE_H
#define QUERN_PARSE_H

#include "engine/lang/ast.h"

struct arena;
struct query_context;

/* `let`: $NAME stands for this text, or, of a formula, NAME. */
struct parse_value {
	struct str name, text;
	bool formula;
	unsigned scope; /* in a session (values.c) */
};

struct parse_limits {
	size_t text_bytes;
	unsigned nesting;
	unsigned operators; /* of one expression or set; 0: parse_operators() */
	const struct parse_value *values; /* [nvalues]: of one name the last holds */
	size_t nvalues;
	bool any_value; /* the values are not known here: every $NAME is right */
	unsigned deep;	/* of values inside values */
	const struct parse_limits *outer; /* whose values hold, too; or NULL */
};

/* Find the value or formula of that name, the common sets last; NULL: nothing has it. */
const struct parse_value *parse_find_value(const struct parse_limits *l, struct str name,
					   bool formula);
/* Report that no value is called $name. */
_Noreturn void parse_no_value(struct err *err, struct str name, struct span at);

/* "a + b + c" is a tree as high as the number of its operators, and functions recurse
 * over it.  Returns how many operators are safe with the stack of this process. */
unsigned parse_operators(void);

/* The statements of text, in the arena.  ERR_QUERY with err->at and err->len in text.
 * An empty text has no statement. */
int parse_text(struct str text, const struct parse_limits *l, struct arena *a,
	       struct stmt **out, struct err *err);
/* One statement: of the text from *pos, which moves behind it, also if it is wrong.
 * *out NULL: there was none left. */
int parse_next(struct str text, size_t *pos, const struct parse_limits *l,
	       struct arena *a, struct stmt **out, struct err *err);
/* Parse one graph stage, one expression or one set.  The session keeps their
 * text. */
int parse_gstage_text(struct str text, const struct parse_limits *l, struct arena *a,
		      struct gstage **out, struct err *err);
int parse_expr_text(struct str text, const struct parse_limits *l, struct arena *a,
		    struct expr **out, struct err *err);
int parse_set_text(struct str text, const struct parse_limits *l, struct arena *a,
		   struct set **out, struct err *err);
/* The expression is the text of a value: let errors point at where that is used. */
void parse_move(struct expr *e, struct span at);
/* Does the text end inside brackets, or after "|" or ","? */
bool parse_goes_on(struct str text, const struct parse_limits *l, struct arena *a);
/* Collect in *out, which is all 0, what may stand where the text ends.  The word that ends
 * there is still being typed. */
void parse_expected(struct str text, const struct parse_limits *l, struct arena *a,
		    struct query_context *out);
/* Report that the lone name of a source is neither a function nor a word. */
int parse_lone_unknown(struct str text, const struct source *s, struct err *err);

#endif
