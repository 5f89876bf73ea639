/*
 * name_skip.h - where a piece of a name ends: a bracket, an operator, clones, what follows
 * parameters.  Each looks ahead from byte i and changes nothing.
 */
#ifndef QUERN_NAME_SKIP_H
#define QUERN_NAME_SKIP_H

#include <string.h>

#include "index/base/str.h"

#define NPOS ((size_t)-1)

/* A name of 64 KiB may be all brackets or operators.  Give up on them, rather than scan it
 * again or use a stack frame for each. */
enum { MAX_OPEN = 8, MAX_DEPTH = 8, MAX_OPERATORS = 32 };

static inline bool name_is_ident(char c)
{
	return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') ||
	       (c >= '0' && c <= '9') || c == '_' || c == '$' || (unsigned char)c >= 0x80;
}

static inline bool name_is_digit(char c)
{
	return c >= '0' && c <= '9';
}

static inline char name_at(struct str s, size_t i)
{
	return i < s.n ? s.p[i] : '\0';
}

static inline bool name_here(struct str s, size_t i, const char *lit)
{
	size_t n = strlen(lit);

	return i <= s.n && s.n - i >= n && memcmp(s.p + i, lit, n) == 0;
}

/* Is the word "operator" at i? */
bool name_is_operator(struct str s, size_t i);
/* Skip past the '>' that closes the '<' at i, or return NPOS.  "->", "operator<" and
 * the inside of other brackets do not count.  inside: so many operators' names. */
size_t name_skip_angle(struct str s, size_t i, unsigned inside);
/* Skip past "operator<<", "operator new[]", "operator std::string" at i. */
size_t name_skip_operator(struct str s, size_t i, unsigned inside);
/* Skip past the bracket at i.  One that never closes is an ordinary byte; *open counts
 * these. */
size_t name_skip_bracket(struct str s, size_t i, unsigned *open);
/* Past "'lambda'" (clang) or "'Elixir.Enum'" at i. */
size_t name_skip_quoted(struct str s, size_t i);
/* Is the quote at i the start of "'2"?  Others begin a component or follow a blank. */
bool name_is_recursion(struct str s, size_t i);
/* Where the last parameter list of a C++ signature begins; 0 if s is no signature, as a path. */
size_t name_find_params(struct str s);
/* Is the blank at i the one before X in "vtable for X", "virtual thunk to X"? */
bool name_ends_special(struct str s, size_t i);
/* The end of " [clone .part.0] [clone .cold]" at i, or i. */
size_t name_skip_clones(struct str s, size_t i);
/* The end of " const" at i, after parameters; or i. */
size_t name_skip_qualifier(struct str s, size_t i);

#endif
