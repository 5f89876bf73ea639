/*
 * bench_parse.h - how fast this machine reads a profile (quern --bench-parse).
 *
 * Reading is decode and tally of the whole text, unpacked if it must be; nothing is
 * stored.  Every run opens the file anew, as indexing does.  Then the whole index is made, in a
 * file that is gone afterwards.  All add up the same costs.  Beside it stand `wc -l` and
 * `cat`, or the tool that unpacks the file: compare the ratio to the first of them between
 * machines.  The ways take turns, so that a slow moment of the machine affects them all.  On
 * a busy machine, compare what is done in a second of processor time.
 */
#ifndef QUERN_BENCH_PARSE_H
#define QUERN_BENCH_PARSE_H

#include <stdbool.h>
#include <stddef.h>

struct err;

struct bench_parse_opts {
	unsigned runs; /* of each way; the table shows the median */
	unsigned jobs; /* threads of the parallel way; 0: one per core */
	bool paths;    /* also each instruction set of isa.h */
	void (*stage)(const char *text, size_t n); /* also this, on all text; or NULL */
	const char *stage_name;
	bool json; /* an object for each file, on a line of its own, in place of tables */
};

/* Measure the file at path and print to fd.  ERR_PROFILE: it cannot be read; ERR_OUTPUT: the
 * figures cannot be written. */
int bench_parse(const char *path, const struct bench_parse_opts *opts, int fd,
		struct err *err);

#endif
