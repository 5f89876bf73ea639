/* any_profile.h - profiles by chance, mostly well formed, with every oddity now and then. */
#ifndef QUERN_ANY_PROFILE_H
#define QUERN_ANY_PROFILE_H

#include "index/base/out.h"

/* The profile of a seed; of seed 0 the next one.  file: its place, from 1, among the files of
 * a set, or 0.  Close it. */
struct out any_profile(uint64_t seed, unsigned file);

#endif
