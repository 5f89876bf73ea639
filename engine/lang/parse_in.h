/* parse_in.h - the state of the parser, shared by parse*.c. */
#ifndef QUERN_PARSE_IN_H
#define QUERN_PARSE_IN_H

#include "engine/lang/expected.h"
#include "engine/lang/parse.h"
#include "engine/lang/token.h"

struct parser {
	struct str text;
	size_t pos;
	unsigned nest, nesting;	    /* current depth, and its limit */
	unsigned joined, operators; /* operators of this expression or set, and their
				       limit */
	unsigned open; /* brackets of this statement that are not closed yet */
	bool arrow;    /* in path A -> B, where "->" ends a name */
	bool at_end;   /* the token seen last is the end of the text */
	bool joins;    /* the token before is "|" or ",": the next line goes on */
	struct parse_limits limits; /* its values are those of the lets of this text: */
	struct parse_value *own;
	size_t own_cap;
	struct query_context *expected; /* filled in where the text ends; or NULL */
	unsigned unwanted;		/* WANT_X that it does not take here */
	bool aggregates;		/* columns are in aggregates here */
	struct arena *a;
	struct err *err;
};

/* Does the text parse?  Values of any name are known.  A habit_reads. */
bool parse_reads(void *unused, struct str query);
/* The next token.  Newlines inside brackets, after "|" and "," are skipped. */
struct token parse_peek(struct parser *p, enum token_place place);
/* The token t, or the end of the text: a word that ends it is still being typed if
 * `expected` is to be known. */
struct token parse_typed(struct parser *p, struct token t);
void parse_eat(struct parser *p, const struct token *t);
/* If the token seen last is the end of the text: such names, or this word, may stand
 * there. */
void parse_want(struct parser *p, unsigned want);
void parse_want_word(struct parser *p, const char *word);
bool parse_accept(struct parser *p, int kind);
bool parse_accept_word(struct parser *p, const char *word);
/* Report at a token, where reading ends; parse_wrong() goes on, to need_hint(). */
#define parse_fail(p, ...) span_fail((p)->err, __VA_ARGS__)
#define parse_wrong(p, ...) span_wrong((p)->err, __VA_ARGS__)
/* For TOK_BAD and habits of other languages. */
_Noreturn void parse_bad(struct parser *p, const struct token *t);
struct span token_span(const struct token *t);
struct span span_to(size_t at, const struct parser *p); /* from at to the last byte
							   consumed */
void parse_joined(struct parser *p, struct span at, unsigned most); /* count one more
								      operator */
void *parse_new(struct parser *p, size_t size);
#define PARSE_NEW(p, T) ((T *)parse_new((p), sizeof(T)))
void parse_nest(struct parser *p, struct span at); /* enter one more level */
/* ---- values: $NAME or ${NAME} (parse_value.c) ---- */
void parse_keep_value(struct parser *p, struct str name, struct str text);
struct str parse_value_name(struct parser *p, const struct token *dollar);
struct expr *parse_value_expr(struct parser *p, const struct token *dollar);
/* The text of the value that $ names; empty if no values are known here. */
struct str parse_value_text(struct parser *p, const struct token *dollar);
/* The next token, or the number that a value at this place is. */
struct token parse_number(struct parser *p);
/* Insert the values of ${NAME} in a quoted text.  Unknown ones stay as they are. */
void parse_fill(struct parser *p, struct str *text);

void parse_unescape(struct parser *p, const struct token *t, struct str *out);

/* The lowest binding power for an expression: BP_NO_COMPARE leaves ">" for the output
 * file. */
enum { BP_ANY = 0, BP_NO_COMPARE = 35 };
struct expr *parse_expr(struct parser *p, int bp);
struct set *parse_set(struct parser *p, const char *after);
/* want: the names that Tab offers there. */
struct str parse_name(struct parser *p, unsigned want, const char *what);

#endif
