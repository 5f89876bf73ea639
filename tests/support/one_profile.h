/* one_profile.h - a profile in a folder of its own, and its index, for unit tests. */
#ifndef QUERN_TESTS_ONE_PROFILE_H
#define QUERN_TESTS_ONE_PROFILE_H

#include "index/build.h"

extern char dir[64], profile[128], index_path[160];

/* Make the folder; remove it with all that is in it. */
void one_profile_begin(void);
void one_profile_end(void);
void write_file(const char *path, const void *p, size_t n);
/* NULL: it cannot be read, which is said. */
struct store *open_profile(const struct build_opts *opts, struct build_report *report);

#endif
