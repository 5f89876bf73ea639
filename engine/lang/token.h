/*
 * token.h - the tokens of a query, one at a time.
 *
 * The meaning of a byte depends on its place: "/" divides, opens a regular expression or
 * is part of a name.  So the parser passes the kind of place, and tokens are read on
 * demand without a buffer.  A token is a view of the text.
 */
#ifndef QUERN_TOKEN_H
#define QUERN_TOKEN_H

#include "index/base/str.h"
#include "index/format/event.h"

enum token_place {
	PLACE_WORD,    /* keywords, columns, operators */
	PLACE_OPERAND, /* the start of an operand: "/" opens a regular expression */
	PLACE_NAME,    /* the start of a function name */
};

/* Single bytes stand for themselves: '|' ';' ',' '(' ')' '=' '<' '>' ... */
enum token_kind {
	TOK_END = 0,
	TOK_NEWLINE = '\n',
	TOK_WORD = 256, /* text: a keyword, a column (with .EVENT and %), a name */
	TOK_FIELD,	/* text: "file" of "file:"; whole: its number in token_fields[] */
	TOK_NUMBER,
	TOK_STRING, /* text: between the quotes, still escaped */
	TOK_REGEX,  /* text: between the slashes */
	TOK_NE,
	TOK_LE,
	TOK_GE,
	TOK_NOT_MATCH,
	TOK_ARROW,
	TOK_EQEQ,
	TOK_ANDAND,
	TOK_OROR,
	TOK_LTGT, /* habits of other languages */
	TOK_BAD,  /* `why` is the reason */
};

struct token {
	int kind;	/* enum token_kind or a byte */
	size_t at, len; /* bytes of the text */
	struct str text;
	double number;	/* with k, M, G applied; of "5%" 5 */
	uint64_t whole; /* the same number if it is whole */
	bool integral, percent;
	struct unit unit;	/* of "10ms": number is in nanoseconds or bytes */
	bool caseless;		/* TOK_REGEX with i */
	const char *why, *hint; /* TOK_BAD */
};

/* The token at byte `at`, or after the blanks and comments there. */
struct token token_at(struct str text, size_t at, enum token_place place);
/* ${NAME:=TEXT}: NAME stands for TEXT unless it has a value.  TEXT ends at the "}" that
 * closes it, so braces inside it come in pairs. */
struct token_default {
	struct str name, text;
	size_t end; /* of the query: after the "}" */
};
/* Is it at byte `at`, which is the "$"? */
bool token_default(struct str text, size_t at, struct token_default *out);
/* Skip blanks, comments and newlines, to the next statement. */
size_t token_skip_lines(struct str text, size_t at);
/* Skip blanks and comments inside a statement: stop before an empty line, which ends it. */
size_t token_go_on(struct str text, size_t at);
/* Is the text this word, which is in lower case, in any case? */
bool token_same(struct str text, const char *word);
bool token_is(const struct token *t, const char *word);
/* Are its letters all lower or all upper case?  Where a name may stand, `Max` is a name,
 * and `max` and `MAX` are keywords. */
bool token_one_case(struct str text);
bool token_name_byte(char c);
bool token_is_word_byte(char c);

#endif
