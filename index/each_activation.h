/*
 * each_activation.h - the activations of a profile that has a block for each (Xdebug's).
 *
 * The index has contexts, which are sums.  Single activations are read from the profile
 * again (contexts/activations.h).
 */
#ifndef QUERN_EACH_ACTIVATION_H
#define QUERN_EACH_ACTIVATION_H

#include "index/build.h"
#include "index/contexts/activations.h"

/* From the last to the first, of all files; in the numbers of st, whose tree is whole
 * (store_tree()).  take and poll end the reading if they return an error kind.  Costs
 * are of recorded events.  ERR_PROFILE: the profile came through a pipe, is gone or has
 * changed; ERR_LIMIT: opts->mem is too little. */
struct each_activation {
	activation_take *take;
	void *arg;
	int (*poll)(void *arg, struct err *err); /* every few thousand activations */
	void *poll_arg;
};
int each_activation(struct store *st, const struct build_opts *opts,
		    const struct each_activation *each, struct err *err);

#endif
