/*
 * input.h - the files that one profile is read from: one, or the dump and thread files of a
 * run, or what several processes of one program left.
 *
 * A set is known by its files, whatever their order on the command line.  Empty files (which
 * --separate-threads leaves), indexes and files given twice are left out.
 */
#ifndef QUERN_INPUT_H
#define QUERN_INPUT_H

#include <stdbool.h>
#include <stddef.h>

#include "index/base/err.h"
#include "index/base/str.h"
#include "index/file/feed.h"
#include "index/format/meta_code.h"
#include "index/file/source.h"
#include "index/read/stretch.h"

struct input {
	struct source source; /* open only while it is read, when there are several */
	struct stretches stretches;
	char *head; /* of the text, while it is read */
	size_t nhead;
	char end;		/* its last byte */
	struct input_file file; /* what the index keeps of it */
	bool read;		/* its text; else file is a view of an older index */
};

struct inputs {
	struct input *at; /* by path; in the order of the parts once they are read */
	size_t n;
	char *label;	/* how messages and the index name them all */
	char *place;	/* the index is this and ".quern" */
	char note[300]; /* what was left out, or empty */
};

/* ERR_PROFILE when one cannot be opened, or none is left. */
int inputs_open(struct inputs *in, const char *const *path, size_t n, struct err *err);
/* Those of `of` that inputs_recall() knew, which have to outlive them, and `more` of the others; none
 * is opened. */
int inputs_some(struct inputs *in, const struct inputs *of, size_t more, struct err *err);
void inputs_close(struct inputs *in);

/*
 * Read the text of one into its stretches.  ERR_PROFILE: changed meanwhile, damaged, or it
 * is no profile (refuse.h).
 */
int input_read(struct input *in, const struct stretch_opts *opts, bool alone,
	       struct err *err);
/*
 * Read those that are not worth several threads each, a file on each thread, unless it is one
 * alone; the others are still to be read.
 */
int inputs_read_small(struct inputs *in, const struct stretch_opts *opts,
		      struct err *err);
/* Order what was read by (pid, part, thread) of the first part, then by name. */
void inputs_order(struct inputs *in);
/* Let those of recorded[0..n) be as an index had them: they need not be read.  -1: no memory. */
int inputs_recall(struct inputs *in, const struct input_file *recorded, size_t n);
/* now[i]: which of them, as they are ordered, recorded[i] is.  -1: no memory. */
int inputs_map(const struct inputs *in, const struct input_file *recorded, size_t n,
	       uint32_t *now);
/* The events of all, in the order of the files, blanks between; p is to be freed, NULL: no
 * memory.  Like other names they may hold NULs. */
struct str inputs_events(const struct inputs *in);

/* Are they what was recorded?  *new: how many files were added to it, the rest being the
 * same.  why: one sentence when they are not the same. */
enum freshness inputs_compare(struct inputs *in, const struct input_file *recorded,
			      size_t n, size_t *new, char *why, size_t size);

/*
 * The suffix that callgrind puts behind the name of a dump or thread file, or none at all:
 * ".2" "-01" ".2-01", each also packed (".2.gz").
 */
bool input_is_dump_suffix(struct str s);
/* A name by which a packed file goes: x.gz. */
bool input_is_packed_name(struct str s);
/* All files of a run: base, base.1, base-01 and so on, sorted; to be freed by inputs_free(). */
int inputs_find(const char *base, char ***path, size_t *n, struct err *err);
void inputs_free(char **path, size_t n);

#endif
