/*
 * verify.h - is the index of a profile what the profile gives?
 *
 * How a profile is read does not change its index.  So it is built again, as a temporary file,
 * and compared value by value.  Without its profile, an index is only read: checksums, ids.  Where
 * none is kept, as of small profiles, one is made for the check.
 */
#ifndef QUERN_VERIFY_H
#define QUERN_VERIFY_H

#include "index/file/source.h"
#include "index/store/store.h"

struct build_opts;

struct verified {
	char index[4200]; /* path of the index */
	struct store_verified checked;
	bool compared; /* with one built again */
	char why[300]; /* why not: one sentence */
};

/* path is a profile or an index; only_named: the files that an index names are not read.
 * ERR_PROFILE: path is neither; ERR_INDEX: the index that opts name is not there, or it is damaged;
 * the hint tells how to make one. */
int verify_index(const char *path, const struct build_opts *opts, struct verified *out,
		 struct err *err);

#endif
