/* verify.h - is the index of a profile sound?  Nothing is built or changed. */
#ifndef QUERN_VERIFY_H
#define QUERN_VERIFY_H

#include "index/file/source.h"
#include "index/store/store.h"

struct build_opts;

struct verified {
	char index[4200]; /* path of the index */
	struct store_verified checked;
	bool have_profile; /* the profile was found: `fresh` is valid */
	enum freshness fresh;
};

/* path is a profile or an index.  Of opts, only index_path, trust and cancel are used.
 * ERR_PROFILE: path is neither; ERR_INDEX: there is no index, or it is damaged; the
 * hint tells how to make one. */
int verify_index(const char *path, const struct build_opts *opts, struct verified *out,
		 struct err *err);

#endif
