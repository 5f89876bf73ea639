/* refuse.h - report files that are no profile, or no set of profiles. */
#ifndef QUERN_REFUSE_H
#define QUERN_REFUSE_H

#include "index/read/input.h"
#include "index/merge/profile.h"

/* Check a file after it was read. */
int refuse_file(const struct input *in, struct err *err);
/* Check that the files are of one program, and that none of them is the same dump
 * twice. */
int refuse_set(const struct inputs *in, const struct profile *p, struct err *err);
/* The file ends early: its last line has no newline, or it is callgrind's and has no
 * "totals:". */
bool input_truncated(const struct input *in);

#endif
