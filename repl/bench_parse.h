/*
 * bench_parse.h - how fast is a profile read on this machine (quern --bench-parse)?
 *
 * Reading is scan, decode and tally of the whole text; nothing is stored.  Every run maps
 * the file anew, as indexing does.  Beside it stands a pass that only counts newlines and,
 * when asked, the real `wc -l`: the ratio to it is what can be compared between machines.
 * The ways take turns, so that a slow moment of the machine hits them all; on a busy one
 * the ratio of processor times says more, of one thread.
 */
#ifndef QUERN_BENCH_PARSE_H
#define QUERN_BENCH_PARSE_H

#include <stdbool.h>

#include "index/base/err.h"

struct bench_parse_opts {
	unsigned runs; /* of each way; the median is shown */
	unsigned jobs; /* threads of the parallel way; 0: one per core */
	bool paths;    /* each instruction set of scan.h too */
	bool stages;   /* the first steps alone: separators, decoded lines */
	bool wc;       /* run `wc -l` */
	bool tsv;      /* for programs: way, median, min, max ns, bytes, lines, CPU ns */
};

/* Measure the file at path and print a table to fd.  ERR_PROFILE when it cannot be read,
 * ERR_OUTPUT when the table cannot be written. */
int bench_parse(const char *path, const struct bench_parse_opts *opts, int fd,
		struct err *err);

#endif
