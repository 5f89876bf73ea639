/* source_text.h - text shown with costs: source lines, and instructions by objdump. */
#ifndef QUERN_SOURCE_TEXT_H
#define QUERN_SOURCE_TEXT_H

#include "index/store/store.h"

struct exec;
struct roots_file;

/* A line of a file (pos: its number) or an instruction (pos: its address). */
struct text_line {
	uint64_t pos;
	struct str text; /* tabs expanded, without the newline */
};

/* The lines of a file, or why they cannot be read. */
struct text_file {
	file_id file;
	struct text_line *line; /* [n], by pos; NULL: cannot be read */
	size_t n;
	const char *why; /* if it cannot be read */
	struct str path; /* the file that was read */
	bool newer;	 /* written after the profile */
	bool counted;	 /* by text_missing() */
	struct text_file *next;
};

/* Files of an answer that have no text; the list is "" before the first. */
struct texts_missing {
	size_t n;
	struct str list; /* the names of the first */
	const char *why; /* of the last */
};
/* Count a file that has no text, and note all of them, of so many, at once. */
void text_missing(struct exec *x, struct texts_missing *m, struct text_file *f,
		  struct str name);
struct str text_missing_note(struct exec *x, const struct texts_missing *m, size_t of);

/* The lines of the file, read once per list.  Only a full arena is an error. */
void text_of_file(struct exec *x, struct text_file **list, file_id file,
		  struct text_file **out);
/* Was the file written after the profile? */
bool text_newer(const struct store *st, uint64_t mtime_ns);
void text_note_newer(struct exec *x, const struct text_file *f);
/* The text of a line; empty if unknown. */
struct str text_at(const struct text_file *f, uint64_t pos);

/* Addresses first..last of an object. */
struct text_range {
	uint64_t first, last;
};
/* Append the instructions in the n ranges, ascending, to f->line.  If objdump cannot do
 * it, f->why says why.  It is started once for ranges that are not far apart. */
int disassemble(struct exec *x, const struct roots_file *object,
		const struct text_range *range, size_t n, struct text_file *f,
		size_t *cap);

/* Copy s into the arena without tabs and newline; p is NULL: the arena is full. */
struct str text_clean(struct arena *a, struct str s);

#endif
