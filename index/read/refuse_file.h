/* refuse_file.h - report a file that is no profile. */
#ifndef QUERN_REFUSE_FILE_H
#define QUERN_REFUSE_FILE_H

#include "index/read/input.h"

/* Check a file after it was read. */
int refuse_file(const struct input *in, struct err *err);
/* The file ends early: its last line has no newline, or it is callgrind's and has no
 * "totals:". */
bool input_truncated(const struct input *in);

#endif
