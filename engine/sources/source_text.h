/*
 * source_text.h - the text beside costs: source lines, and instructions by objdump.
 */
#ifndef QUERN_SOURCE_TEXT_H
#define QUERN_SOURCE_TEXT_H

#include "engine/rows/exec.h"
#include "engine/names/roots.h"

/* A line of a file (pos: its number) or an instruction (pos: its address). */
struct text_line {
	uint64_t pos;
	struct str text; /* tabs expanded, without the line's end */
};

/* A file's lines, or why there are none. */
struct text_file {
	file_id file;
	struct text_line *line; /* [n], by pos; NULL: not readable */
	size_t n;
	const char *why; /* when not readable */
	struct str path; /* that was read */
	bool newer;	 /* than the profile */
	struct text_file *next;
};

/* The file's lines, read once per list.  Only a full arena is an error. */
int text_of_file(struct exec *x, struct text_file **list, file_id file,
		 struct text_file **out);
/* Written after the profile. */
bool text_newer(const struct store *st, uint64_t mtime_ns);
int text_note_newer(struct exec *x, const struct text_file *f);
/* The text of a line; empty when it is not known. */
struct str text_at(const struct text_file *f, uint64_t pos);

/* Addresses first..last of an object, appended to f->line.  When objdump cannot help,
 * f->why says so. */
int disassemble(struct exec *x, const struct roots_file *object, uint64_t first,
		uint64_t last, struct text_file *f, size_t *cap);

/* One text without tabs and line end, in the arena; p is NULL when that is full. */
struct str text_clean(struct arena *a, struct str s);

#endif
