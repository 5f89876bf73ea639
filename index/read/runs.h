/*
 * runs.h - how many runs of a program the files of a profile are.
 *
 * The dumps and threads of a process bear its pid, so files with one pid are one run.  Two
 * runs, or two processes of one run, differ in it; nothing in a profile tells which of
 * both it is.  Files without a pid are one run if the numbers of their parts and threads
 * tell them apart, or their names do as ruby-prof's (NAME.PID, NAME.PID-THREAD).
 */
#ifndef QUERN_RUNS_H
#define QUERN_RUNS_H

#include "index/read/input.h"

struct store;

/*
 * If the files that `st` was made of are more than one run, write a sentence about it to
 * `note`, with the command that compares two of them; else an empty one.  in: the files
 * as they are named now, or those of an index (its own names are shown then).  ERR_LIMIT:
 * memory is out; ERR_INDEX: the index changed meanwhile.
 */
int runs_note(const struct inputs *in, struct store *st, char *note, size_t size,
	      struct err *err);

#endif
