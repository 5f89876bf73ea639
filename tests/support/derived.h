/*
 * derived.h - does all that an index derives (order, ranks, sums, inclusive costs, cycles,
 * groups, contexts) follow from what it records?  It is derived here a second time.
 */
#ifndef QUERN_TESTS_DERIVED_H
#define QUERN_TESTS_DERIVED_H

#include "index/store/store.h"

/* store_verify(), then this.  ERR_INDEX names the first difference. */
int derived_verify(struct store *st, struct store_verified *out, struct err *err);

#endif
