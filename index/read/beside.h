/*
 * beside.h - the dumps of a run that lie beside one of them and were not named.
 *
 * Callgrind writes the dumps and threads of a run as NAME.1, NAME.2-01 and so on; the last
 * one is NAME.  Somebody who opens only NAME sees a part of the run.
 *
 * The work is bounded: the first 10,000 entries of the directory, and the headers of 64
 * files in it (of 4 packed ones).  Only regular files are opened.
 */
#ifndef QUERN_BESIDE_H
#define QUERN_BESIDE_H

#include "index/base/str.h"

struct store;

struct beside {
	size_t n;	 /* dumps of the run that the profile does not contain */
	bool more;	 /* there may be more than n */
	bool mixed;	 /* other files have such names, too: of other runs, or copies */
	struct str base; /* all of their names begin with it; a view of path */
};

/* Look beside the file at `path`, of which st is the index.  Files that cannot be read are
 * no dumps of the run. */
void beside_find(const char *path, struct store *st, struct beside *out);

#endif
