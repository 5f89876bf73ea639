/*
 * emit.h - the one gate for every name that leaves the program.
 *
 * Names come from profiles, and profiles may come from anybody.  A name may contain
 * escape sequences, bytes of no encoding, quotes, the formula of a spreadsheet.  Each
 * form makes them harmless for its readers; the machine formats also keep every byte
 * recoverable:
 *
 *   text   one `\xNN` for each byte of a control character (C0, DEL, C1), of a
 *          bidirectional control or line separator, and for each byte that is not UTF-8.
 *          For people: it cannot be undone safely.
 *   json   a string in quotes.  Controls are \uNNNN.
 *   csv    a field of RFC 4180.  A leading `'` keeps a spreadsheet from taking
 *          `= + - @` for a formula: remove one `'` from a field that starts with
 *          one or more `'` and then one of those four.  The raw forms have no guard.
 *   tsv    a field without tab or newline, guarded in the same way
 *   md     text with the punctuation of Markdown escaped; md_code: between ticks, and
 *          md_cell: between ticks in a table, where `|` needs a backslash even so
 *   xml    text for content and attributes
 *   github text for a workflow command of GitHub Actions: `%`, CR and LF as %25, %0D
 *          and %0A; in the value of a property also `:` and `,`.  Only a sentence of ours
 *          has such an end of line: names in it are text already.
 *   dot    a quoted string
 *   frame  a frame of a folded stack: text, with `;` as `:`
 *
 * The marked form.  Some names cannot be written as they are: in json, names that are not
 * UTF-8; in csv and tsv, names with anything that text would escape.  They are written as
 * `\x:` and then their bytes, where `\xNN` is a byte and `\\` a backslash.  A name that
 * itself starts with `\x:` is marked, too.  So a reader needs one rule: undo the marked
 * form after `\x:`, take everything else literally.
 */
#ifndef QUERN_EMIT_H
#define QUERN_EMIT_H

#include "index/base/str.h"

struct out;

enum emit_form {
	EMIT_TEXT,
	EMIT_ASCII, /* text for a terminal that knows only ASCII: all other bytes are
		       escaped */
	EMIT_JSON,
	EMIT_CSV,
	EMIT_CSV_RAW,
	EMIT_TSV,
	EMIT_TSV_RAW,
	EMIT_MD,
	EMIT_MD_CODE,
	EMIT_MD_CELL,
	EMIT_XML,
	EMIT_GITHUB,
	EMIT_GITHUB_VALUE,
	EMIT_DOT,
	EMIT_FRAME,
};

/*
 * GitHub's runner obeys "##[error]text" anywhere in a line of its job's output, and "::error::text"
 * after leading blanks.  After emit_for_runner() no name can write either: `[` and `:` become
 * `\x5B` and `\x3A` of text, \u005b of json and of the marked form.
 */
void emit_for_runner(void);
/* A name as it is, for a format that has no escapes; but not on standard output to a runner. */
void emit_raw(struct out *o, struct str name);
void emit_name(struct out *o, enum emit_form form, struct str name);
/* A name in XML between two pieces of it. */
void emit_xml(struct out *o, const char *before, struct str s, const char *after);
/* The name itself, or, if it is not UTF-8 or begins as one, its marked form: in o, which is
 * out_mem() and loses what it had.  For readers that take names in binary. */
struct str emit_utf8(struct out *o, struct str name);
/* Write the character (or stray byte) at name.p[at] as text.  Returns its bytes;
 * *columns: its columns.  form is EMIT_TEXT or EMIT_ASCII. */
size_t emit_unit(enum emit_form form, struct str name, size_t at, size_t *columns);
/* The bytes of text for one line of so many columns: up to a blank, or behind a "::", or what
 * there is room for. */
size_t emit_line(enum emit_form form, struct str text, size_t columns);
/* Columns of the whole name as text. */
size_t emit_width(enum emit_form form, struct str name);

#endif
