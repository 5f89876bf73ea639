/*
 * input.h - the files of one profile: one file, the dump and thread files of a run, or
 * the files that several processes of one program left.
 *
 * A set is identified by its files, in any order on the command line.  Empty files (which
 * --separate-threads leaves), indexes and files given twice are left out.
 */
#ifndef QUERN_INPUT_H
#define QUERN_INPUT_H

#include "index/base/str.h"
#include "index/file/feed.h"
#include "index/format/meta_code.h"
#include "index/file/source.h"
#include "index/read/stretch.h"

struct input {
	struct source_file source; /* in a set, open only while it is read */
	struct stretches stretches;
	char *head; /* the start of its text, while it is read */
	size_t nhead;
	char end;		/* its last byte */
	struct input_file file; /* its entry in the index */
	bool read;    /* its text was read; else `file` is a view of an older index */
	size_t given; /* its place among the paths of inputs_open() */
};

struct inputs {
	struct input *at; /* sorted by path; once read, in the order of the parts */
	size_t n;
	char *label;	/* the name of the set, for messages and the index */
	char *place;	/* the path of the index without ".quern" */
	char note[300]; /* which files were left out, or empty */
};

/* ERR_PROFILE if a file cannot be opened, or none is left. */
int inputs_open(struct inputs *in, const char *const *path, size_t n, struct err *err);
/* Take from `of` the files that inputs_recall() found, and `more` of the others; opens
 * none. `of` must outlive `in`. */
int inputs_some(struct inputs *in, const struct inputs *of, size_t more, struct err *err);
void inputs_close(struct inputs *in);

/*
 * Read the text of one file into its stretches.  alone: it is not in a set.  ERR_PROFILE:
 * it changed, is damaged, or is not a profile (refuse.h).
 */
int input_read(struct input *in, const struct stretch_opts *opts, bool alone,
	       struct err *err);
/*
 * Read the small files of a set, one file per thread; large files, or a single small one,
 * are left for input_read().
 */
int inputs_read_small(struct inputs *in, const struct stretch_opts *opts,
		      struct err *err);
/* Forget what is known of it, to read it. */
void input_forget(struct input *in);
/* The order of their first parts by (pid, part, thread). */
int input_order(const struct input_file *a, const struct input_file *b);
/* Sort the files read by (pid, part, thread) of their first part, then by name. */
void inputs_order(struct inputs *in);
/* Take over the files that an index recorded: they need not be read.  -1: memory is
 * out. */
int inputs_recall(struct inputs *in, const struct input_file *recorded, size_t n);
/* now[i]: the current index of recorded[i] in `in`.  -1: memory is out. */
int inputs_map(const struct inputs *in, const struct input_file *recorded, size_t n,
	       uint32_t *now);
/* The events of all files in their order, with blanks between; the caller frees p.
 * NULL: memory is out.  Names may hold NULs. */
struct str inputs_events(const struct inputs *in);

/* The first event of b that a has, too; n is 0 if there is no such event. */
struct str input_common_event(struct str a, struct str b);

/* Compare with the recorded files.  *new: how many files are new, if all recorded ones
 * are the same. why: one sentence if they are not. */
enum freshness inputs_compare(struct inputs *in, const struct input_file *recorded,
			      size_t n, size_t *new, char *why, size_t size);

/*
 * Whether s is a suffix that callgrind adds to the name of a dump or thread file, or is
 * empty: ".2" "-01" ".2-01", each also packed (".2.gz").
 */
bool input_is_dump_suffix(struct str s);
/* Cut "c123" off the end of s if it has at least `least` digits; else s. */
struct str input_without_number(struct str s, char c, size_t least);
/* The program in the text of a "cmd:" line, without its arguments. */
struct str input_program(struct str cmd);
void inputs_free(char **path, size_t n);

#endif
