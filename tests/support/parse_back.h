/*
 * parse_back.h - read what the output formats wrote, strictly, knowing nothing of repl/.
 *
 * Each reader takes a whole output and returns false, with the reason in back->why, unless it is
 * exactly the format: nothing half quoted, nothing of a name outside its place.  What stood
 * in places for text is in back->text, decoded, in order.
 */
#ifndef QUERN_TESTS_PARSE_BACK_H
#define QUERN_TESTS_PARSE_BACK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "index/base/arena.h"
#include "index/base/str.h"

struct back {
	struct arena arena;
	struct str *text;
	size_t n, cap;
	char *scratch;
	char why[200];
};

void back_init(struct back *b);
void back_free(struct back *b);

/* UTF-8 without control characters (but those in allowed, as C string), C1, DEL, and without the
 * characters that change the direction of text or separate lines. */
bool back_clean(struct back *b, struct str s, const char *allowed);
/* RFC 4180, rows of `columns` fields, a newline at the end of each. */
bool back_csv(struct back *b, struct str s, size_t columns);
bool back_tsv(struct back *b, struct str s, size_t columns);
/* RFC 8259, any number of values.  text: strings that are no keys. */
bool back_json(struct back *b, struct str s);
/* XML or HTML: elements that end where they should, quoted attributes, entities of ours, no
 * other byte that means something.  text: everything in order, each behind a letter: < and an
 * element, @ an attribute, = its value, / the end of an element, " what stands between two
 * tags (empty or not), ! what a script or style holds. */
bool back_page(struct back *b, struct str s);
/* Graphviz: words, numbers, punctuation and quoted strings.  text: the strings. */
bool back_dot(struct back *b, struct str s);
/* gzip of stored blocks around a protocol buffer.  text: fields 6 of the outermost message. */
bool back_pprof(struct back *b, struct str s);
/* "frame;frame number": text: all frames; depth[i] of n: frames of line i. */
bool back_folded(struct back *b, struct str s);

/* repl/term/emit.h: undo the guard against formulas; undo the marked form. */
struct str back_unguard(struct str s);
bool back_unmark(struct back *b, struct str s, struct str *out);

#endif
