/*
 * start.h - the start of a file: is it a profile, and of which run?
 *
 * Only regular files are opened; of a packed one the first text is unpacked.
 */
#ifndef QUERN_START_H
#define QUERN_START_H

#include "index/base/str.h"

enum { START_TEXT = 16 << 10 };

struct file_start {
	char text[START_TEXT];
	size_t n;
	bool packed;
};

/* What the header lines of a text say; views of it. */
struct start_header {
	uint64_t pid, part, thread;
	struct str cmd, creator;
	bool whole;   /* up to its events: line */
	bool profile; /* it begins as a profile does, maybe one that is cut in its header */
};

/* false: with errno, it cannot be read; else it is empty, or not a regular file. */
bool start_read(struct file_start *s, int dir, const char *name);
struct start_header start_header(const struct file_start *s);

#endif
