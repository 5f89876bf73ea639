/*
 * emit.h - the one gate for every name that leaves the program.
 *
 * Names come from a profile, that is from anybody: they may hold escape sequences, bytes
 * of no encoding, quotes, a spreadsheet's formula.  Each form makes them harmless where
 * they go and, in the machine formats, keeps them whole:
 *
 *   text   one `\xNN` for each byte of a control character (C0, DEL, C1), of a
 *          bidirectional control or line separator, and for each byte that is not UTF-8.
 *          For people: not meant to be undone.
 *   json   a string in quotes.  Controls are \uNNNN.
 *   csv    a field of RFC 4180.  A leading `'` keeps a spreadsheet from taking
 *          `= + - @` for a formula: remove one `'` from a field that starts with
 *          one or more `'` and then one of those four.  The raw forms have no guard.
 *   tsv    a field without tab or newline, guarded in the same way
 *   md     text with the punctuation of Markdown escaped
 *   xml    text for content and attributes
 *   dot    a quoted string
 *   frame  a frame of a folded stack: text, with `;` as `:`
 *
 * The marked form.  A name that cannot be written as it is - in json: not UTF-8; in csv
 * and tsv: holding anything that text would escape - is written as `\x:` and then its
 * bytes, where `\xNN` is a byte and `\\` a backslash.  A name that itself starts with
 * `\x:` is marked too, so a reader needs one rule: undo what starts with `\x:`, take
 * everything else as it stands.
 */
#ifndef QUERN_EMIT_H
#define QUERN_EMIT_H

#include <stddef.h>

#include "index/base/out.h"
#include "index/base/str.h"

enum emit_form {
	EMIT_TEXT,
	EMIT_ASCII, /* text for a terminal that knows only ASCII: no other byte as it is */
	EMIT_JSON,
	EMIT_CSV,
	EMIT_CSV_RAW,
	EMIT_TSV,
	EMIT_TSV_RAW,
	EMIT_MD,
	EMIT_XML,
	EMIT_DOT,
	EMIT_FRAME,
};

void emit_name(struct out *o, enum emit_form form, struct str name);
/* The character (or stray byte) at name.p[at] as text: its bytes, and in *columns the
 * columns it takes.  form is EMIT_TEXT or EMIT_ASCII. */
size_t emit_unit(enum emit_form form, struct str name, size_t at, size_t *columns);
/* Columns of the whole name as text. */
size_t emit_width(enum emit_form form, struct str name);

#endif
