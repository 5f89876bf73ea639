/*
 * verify.h - is the index of a profile sound?  Nothing is built or changed.
 */
#ifndef QUERN_VERIFY_H
#define QUERN_VERIFY_H

#include "index/build.h"
#include "index/file/source.h"

struct verified {
	char index[4200]; /* its path */
	struct store_verified checked;
	bool have_profile; /* and so `fresh` means something */
	enum freshness fresh;
};

/* path is a profile or an index; of opts, index_path, trust and cancel count.  ERR_PROFILE: it
 * is neither; ERR_INDEX: there is no index, or it is damaged, with the way to make one. */
int verify_index(const char *path, const struct build_opts *opts, struct verified *out,
		 struct err *err);

#endif
