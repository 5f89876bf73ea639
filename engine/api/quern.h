/*
 * quern.h - libquern: ask questions of Callgrind-format profiles from a program.
 *
 *	quern_error err;
 *	quern_profile *p = quern_open("callgrind.out.1", NULL, &err);
 *	quern_answer *a = p ? quern_query(p, "functions | take 10 | show fn, self", &err) : NULL;
 *	for (size_t row = 0, n; a && (n = quern_load(a, row, &err)) > 0; row += n)
 *		for (size_t i = 0; i < n; i++)
 *			... quern_texts(a, 0)[i], quern_ints(a, 1)[i] ...
 *	quern_free(a);
 *	quern_close(p);
 *
 * quern_open() makes the index of a profile, or opens the one that is there.  A query is
 * a line of the language (LANGUAGE.md); its answer is a table, with the columns and rows
 * that the program writes with `as json`.
 *
 * Threads: a profile, with its answers, is used by one thread at a time.  Different
 * profiles are independent, even of one file; only quern_open() waits for that of another
 * thread.  After fork() the child leaves the parent's profiles alone; it opens its own, if
 * no other thread was inside the library when it was made.
 *
 * Memory: what a function returns belongs to the profile or answer that it was asked of.
 * Values of rows live until the next quern_load() or quern_free() of their answer, columns
 * and notes until quern_free().
 *
 * Versions: a program is built for one version of the library.  Another one may have other
 * functions and members; where that is so, the number in libquern.so.2 is another.
 *
 * Errors: the caller's quern_error is filled in whenever a function fails, and cleared
 * when it does not; it may be NULL.  The library writes nothing to standard output or
 * standard error, ends no process, starts no program, and reads no files but profiles,
 * indexes and what quern keeps beside these.  It handles SIGBUS and SIGSEGV of its own maps,
 * as other processes may cut files; a fault elsewhere goes to the handler that was there
 * before.  While a mangled name takes long to demangle it uses SIGVTALRM, and while it makes
 * an index the process leaves no core files.
 */
#ifndef QUERN_H
#define QUERN_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif
#ifdef __GNUC__
#pragma GCC visibility push(default)
#endif

#define QUERN_VERSION "0.3.0"

/* The version of the library that runs. */
const char *quern_version(void);

/* The exit statuses of the program. */
enum quern_status {
	QUERN_OK = 0,
	QUERN_WRONG_QUERY = 1, /* or nothing has the name that it asks for */
	QUERN_WRONG_USE = 2,   /* an option or argument */
	QUERN_NO_PROFILE = 3,  /* it cannot be read, or is none */
	QUERN_EXPECTED = 4,    /* an `expect` does not hold */
	QUERN_NO_INDEX = 5,    /* it cannot be made, is damaged, locked or refused */
	QUERN_LIMIT = 6,       /* of time, rows, memory */
	QUERN_INTERRUPTED = 130,
};

typedef struct quern_error {
	int status;    /* enum quern_status */
	size_t at;     /* the wrong bytes of the query: from here ... */
	size_t length; /* ... so many; 0: the error has no place */
	char message[600];
	char hint[400]; /* what to do instead; may be empty */
} quern_error;

enum {
	QUERN_NO_WRITE = 1, /* keep no index on disk */
	/* Fail with QUERN_NO_INDEX unless the index is up to date; profiles of less than 4 MB
	 * need none. */
	QUERN_NO_BUILD = 2,
	QUERN_MERGE = 4,     /* the files may be of several runs or programs */
	QUERN_TRUST = 8,     /* accept an index that other users could have written */
	QUERN_RAW_NAMES = 16 /* do not demangle */
};

/* Begin with {sizeof(quern_options)}, by which another version is refused; what is 0 is as
 * usual. */
typedef struct quern_options {
	size_t size;
	const char
		*index;	  /* its path; usually PROFILE.quern, or in the cache directory */
	unsigned flags;	  /* QUERN_NO_WRITE ... */
	unsigned threads; /* that make an index; usually one for each core */
	unsigned seconds; /* for a query; usually 60 */
	uint64_t rows;	  /* of a table; usually 10 million */
	uint64_t memory;  /* bytes of an answer; usually 2 GiB */
	/* Not 0: stop making the index, or the query, with QUERN_INTERRUPTED.  Another
	 * thread or a signal handler may set it (atomically); it lives as long as the
	 * profile. */
	const int *cancel;
} quern_options;

typedef struct quern_profile quern_profile;
typedef struct quern_answer quern_answer;

/* A path may be a pattern, "callgrind.out.4711*": all these files are one profile.  Only
 * regular files are read.  NULL: failed. */
quern_profile *quern_open(const char *path, const quern_options *options,
			  quern_error *err);
/* Open one more, which queries reach as `in NAME` and `vs NAME`.  The limits of queries stay
 * those of quern_open().  0, or the status. */
int quern_add(quern_profile *p, const char *name, const char *path,
	      const quern_options *options, quern_error *err);
/* The profile lives until its last answer is freed.  NULL is fine. */
void quern_close(quern_profile *p);

/* Run a query, after any `let` before it.  NULL: failed; a profile or query that is NULL
 * is an error, too.  If an `expect` does not hold,
 * there is an answer, the rows that break it, and err->status is QUERN_EXPECTED. */
quern_answer *quern_query(quern_profile *p, const char *text, quern_error *err);
void quern_free(quern_answer *a); /* NULL is fine */
/* The functions that read an answer take NULL: an answer without columns and rows. */

enum quern_type { QUERN_UINT, QUERN_INT, QUERN_REAL, QUERN_TEXT, QUERN_BOOL };

typedef struct quern_column {
	const char *name; /* "self", "incl.D1mr", "self%" */
	int type;	  /* enum quern_type */
	const char *unit; /* "ns", "bytes", "%", or the event that a cost counts; or "" */
	uint64_t scale;	  /* so many units are 1; e.g. 10 of a cost in 10 ns */
} quern_column;

uint64_t quern_rows(const quern_answer *a);
size_t quern_columns(const quern_answer *a);
const quern_column *quern_column_at(const quern_answer *a, size_t column);
/* Notes about the answer ("showing 1 path; there are more"); NULL: there are no more. */
const char *quern_note(const quern_answer *a, size_t i);

/* Load rows from `row` on.  Returns how many: all others of most answers, some of a very
 * large one.  0: there are no more, or reading failed (err->status). */
size_t quern_load(quern_answer *a, uint64_t row, quern_error *err);

/* Text is bytes of any encoding, mostly UTF-8, and does not end in 0. */
typedef struct quern_text {
	const char *bytes;
	size_t length;
} quern_text;

/* The values of a column in the rows loaded; NULL: its type is another. */
const uint64_t *quern_uints(const quern_answer *a, size_t column);
const int64_t *quern_ints(const quern_answer *a, size_t column);
/* May be infinite: the change from 0 in percent. */
const double *quern_reals(const quern_answer *a, size_t column);
const quern_text *quern_texts(const quern_answer *a, size_t column);
const uint8_t *quern_bools(const quern_answer *a, size_t column);
/* Not 0 for each value that is unknown (null), or an estimate; NULL: none is. */
const uint8_t *quern_absent(const quern_answer *a, size_t column);
const uint8_t *quern_estimated(const quern_answer *a, size_t column);

#ifdef __GNUC__
#pragma GCC visibility pop
#endif
#ifdef __cplusplus
}
#endif

#endif
