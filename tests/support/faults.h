/*
 * faults.h - builds of which one call fails: what tests/unit/fault*_test.c share.
 *
 * The stack of each allocation, system call and look at the clock is kept while something is
 * done (crash/fault.c, preloaded); then it is done again for each stack that is new, and that
 * call fails.  A fault is a text of crash/fault.c: "mem:7:12".  Nothing here prints: what is
 * wrong is returned.
 */
#ifndef QUERN_TESTS_FAULTS_H
#define QUERN_TESTS_FAULTS_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "index/build.h"

struct out;
struct session;

enum {
	FAULTS_ROOM = 1 << 20, /* stacks that are kept */
	FAULTS_FILES = 8
};

/* Start the program again with fault.so, unless it is there; false: this variant has none.
 * Then make a directory of our own, which is removed at the end. */
bool faults_begin(char **argv);
void faults_end(void);

/* Of crash/fault.c; NULL: no fault. */
extern void (*faults_arm)(const char *fault);
/* Keep the stacks of a class of calls in hash[n]; with NULL stop and say how many there were. */
extern unsigned long (*faults_record)(char class, uint64_t *hash, size_t n);
extern long (*faults_live)(void); /* allocations not given back */
extern atomic_int faults_cancel;  /* of every build; the fault "stop" sets it */

/* ---- files of the directory ---- */

extern char faults_dir[200]; /* its path */

struct file {
	char *p; /* for free() */
	size_t n;
};

const char *faults_path(const char *name); /* lasts for a dozen calls */
void faults_put(const char *name, const void *p, size_t n);
struct file faults_get(const char *path); /* any path, as of the next */
void faults_copy(const char *path, const char *name);
void faults_empty(void);
unsigned faults_files(void); /* how many there are */
int faults_next_fd(void);    /* the lowest that is free */

/* ---- builds ---- */

struct scene {
	const char *name;
	void (*prepare)(int arg); /* before each try; files are in the directory */
	int arg;
	const char *file[FAULTS_FILES]; /* there, NULL-terminated; NULL: "p" */
	struct build_opts opts;
	const char *index;     /* there; NULL: none is kept */
	unsigned leaves;       /* files there afterwards, when it works */
	const char *mapped[3]; /* there, NULL-terminated: what may shrink meanwhile */
	bool quiet;	       /* there would be too much to ask */
};

/* Index, open, ask everything; answers appended to *to unless NULL.  Only the indexing is
 * armed. */
int faults_build(const struct scene *s, const char *fault, struct out *to,
		 struct err *err);
/* Build with the fault: NULL when the answers are as wanted, or there is an error in words,
 * and nothing is left behind; else what is wrong, until the next call. */
const char *faults_check(const struct scene *s, const char *fault,
			 const struct out *want);
/* The k-th calls, from 1, whose stacks were not seen before, or not since `anew`; *n of them,
 * for free(). */
unsigned long *faults_stacks(const uint64_t *hash, unsigned long calls, bool anew,
			     size_t *n);
/* With time enough on the slowest of machines, and little beside the hours of "clk". */
struct session *faults_session(struct store *st);

/* ---- inputs: each empties the directory first ---- */

void faults_fixture(int which); /* "p": 0 with jumps, 1 of parts, 2 an odd one */
void faults_spilled(int arg);	/* "p": more than little memory holds */
void faults_packed(int how);	/* the same, packed by an enum pack */
void faults_threads(int arg);	/* "t-01" to "t-05" */

#endif
