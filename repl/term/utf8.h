/*
 * utf8.h - characters of byte strings, and the columns they take on a terminal.
 *
 * Names are bytes of any encoding, so nothing here depends on the locale, and bytes that
 * are not UTF-8 are reported as such.
 */
#ifndef QUERN_UTF8_H
#define QUERN_UTF8_H

#include "index/base/str.h"

/* The length of the character at s.p[at] (1..4) and its code point; 0: not UTF-8 (also
 * overlong forms, surrogates and cut sequences). */
size_t utf8_next(struct str s, size_t at, uint32_t *cp);
bool utf8_valid(struct str s);
/* Columns of a printable character: 0 (combining), 1, or 2 (wide). */
unsigned utf8_width(uint32_t cp);
/* Must the character not reach a terminal as it is?  C0, DEL, C1, characters that
 * reorder text (bidirectional controls), and the two line separators. */
bool utf8_unsafe(uint32_t cp);

#endif
