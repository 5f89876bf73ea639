/* refuse.h - what is no profile, or no set of profiles, and how that is said. */
#ifndef QUERN_REFUSE_H
#define QUERN_REFUSE_H

#include "index/read/input.h"
#include "index/merge/profile.h"

/* One file, when it has been read. */
int refuse_file(const struct input *in, struct err *err);
/* Files that are of different programs, or hold the same dump twice. */
int refuse_set(const struct inputs *in, const struct profile *p, struct err *err);
/* The file ends early: its last line has no end, or callgrind did not come to "totals:". */
bool input_truncated(const struct input *in);

#endif
