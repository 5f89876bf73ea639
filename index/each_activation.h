/*
 * each_activation.h - the activations of a profile that has a block for each (Xdebug's).
 *
 * The index has contexts, which are sums.  Single activations are read from the profile
 * again (contexts/activations.h).  Its blocks are kept, so that they can be gone through
 * several times: from a gigabyte of text some hundred megabytes at most, mostly in a
 * temporary file.
 */
#ifndef QUERN_EACH_ACTIVATION_H
#define QUERN_EACH_ACTIVATION_H

#include "index/build.h"
#include "index/contexts/activations.h"

struct blocks;

/* The blocks of st, whose tree is whole (store_tree()).  ERR_PROFILE: the profile came
 * through a pipe, is gone or has changed; ERR_LIMIT: opts->mem is too little. */
int blocks_read(struct store *st, const struct build_opts *opts, struct blocks **out,
		struct err *err);
void blocks_free(struct blocks *b); /* may be NULL */

/* From the last to the first, of all files; in the numbers of st.  take, open and poll end the
 * reading if they return an error kind.  Costs are of recorded events. */
int each_activation(struct blocks *b, const struct activation_asked *asked,
		    struct err *err);

#endif
