/*
 * grammar.h - queries made by the grammar of engine/LANGUAGE.md.
 *
 * Each byte chooses a production, an operator or a word; when no bytes are left, the first of
 * the choices is taken, which always ends.  So any bytes are a text that parses, but for one
 * in some sixteen, which has a byte or a piece changed afterwards.  Columns are mostly those of the
 * source, and types mostly fit.
 */
#ifndef QUERN_TESTS_GRAMMAR_H
#define QUERN_TESTS_GRAMMAR_H

#include <stddef.h>
#include <stdint.h>

struct out;

enum { GRAMMAR_STATEMENTS = 3 }; /* of one text, at most */

/* Append the text that n bytes at p choose; *o was begun by out_mem(). */
void grammar_text(const uint8_t *p, size_t n, struct out *o);

#endif
