/*
 * utf8.h - characters of byte strings, and the columns they take on a terminal.
 *
 * Names are bytes of any encoding, so nothing here depends on the locale: the tables are
 * our own, and a byte that is not UTF-8 is simply said to be none.
 */
#ifndef QUERN_UTF8_H
#define QUERN_UTF8_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "index/base/str.h"

/* Bytes of the character at s.p[at] (1..4) and its code point, or 0: not UTF-8 there
 * (overlong forms, surrogates and cut sequences are not). */
size_t utf8_next(struct str s, size_t at, uint32_t *cp);
bool utf8_valid(struct str s);
/* Columns of a printable character: 0 (combining), 1, or 2 (wide). */
unsigned utf8_width(uint32_t cp);
/* Characters that must not reach a terminal as they are: C0, DEL, C1, those that reorder
 * text (bidirectional controls) and the two that end a line. */
bool utf8_unsafe(uint32_t cp);

#endif
