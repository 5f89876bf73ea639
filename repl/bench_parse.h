/*
 * bench_parse.h - how fast this machine reads a profile (quern --bench-parse).
 *
 * Reading is scan, decode and tally of the whole text; nothing is stored.  Every run maps
 * the file anew, as indexing does.  For comparison there is a pass that only counts
 * newlines and, on request, the real `wc -l`: compare the ratio to it between machines.
 * The ways take turns, so that a slow moment of the machine affects them all.  On a busy
 * machine, compare the processor times of one thread.
 */
#ifndef QUERN_BENCH_PARSE_H
#define QUERN_BENCH_PARSE_H

#include <stdbool.h>

struct err;

struct bench_parse_opts {
	unsigned runs; /* of each way; the table shows the median */
	unsigned jobs; /* threads of the parallel way; 0: one per core */
	bool paths;    /* also each instruction set of scan.h */
	bool stages;   /* also the first steps alone: separators, decoded lines */
	bool wc;       /* run `wc -l` */
	bool tsv;      /* for programs: way, median, min, max ns, bytes, lines, CPU ns */
};

/* Measure the file at path and print a table to fd.  ERR_PROFILE: it cannot be read;
 * ERR_OUTPUT: the table cannot be written. */
int bench_parse(const char *path, const struct bench_parse_opts *opts, int fd,
		struct err *err);

#endif
