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

/*
 * How the blocks of a part claim each other, read forwards: the calls of a block are the last
 * ones that no call has claimed, in their order; where they are not, claims has them, and the
 * numbers of blocks there are those of the file.
 */
struct part_claims {
	uint64_t first;	    /* number of its first block in the file */
	int64_t own;	    /* what its blocks spend, of the first event */
	size_t file;	    /* of blocks_forward */
	const uint8_t *few; /* [blocks of the file]: calls of one; MANY_CALLS: as in */
	const struct sort_pair *many; /* key: a block; value: its calls; descending */
	size_t nmany;
	const struct claims *claims; /* of the file */
};
#define MANY_CALLS 255
struct blocks_forward;
/* asked: its poll, which ends the reading. */
int blocks_forward(struct blocks *b, const struct activation_asked *asked,
		   struct blocks_forward **out, struct err *err);
void blocks_forward_free(struct blocks_forward *f);   /* may be NULL */
uint64_t blocks_most(const struct blocks_forward *f); /* bytes that open calls may take */
struct part_claims blocks_part(const struct blocks_forward *f, uint32_t part);

/* From the last to the first, of all files; in the numbers of st.  take, open and poll end the
 * reading if they return an error kind.  Costs are of recorded events. */
int each_activation(struct blocks *b, const struct activation_asked *asked,
		    struct err *err);

#endif
