/*
 * inlines_file.h - the inlined calls that were read from objects, kept beside the index.
 *
 *	PROFILE.quern.inlines	"quern inlines 3\n", a checksum of the rest, what it is of
 *				(a stamp of the profile), and for each object: name, size,
 *				time, build-id, whether there is none, inline_code.h
 *
 * It saves time only: a file that is damaged, not ours, or of another profile, is as good as
 * none, and so is a directory that cannot be written to.
 */
#ifndef QUERN_INLINES_FILE_H
#define QUERN_INLINES_FILE_H

#include "index/base/str.h"

struct arena;

struct kept_object {
	struct str name; /* in the profile */
	uint64_t size, mtime_ns;
	struct str build_id; /* may be empty */
	bool none; /* it has no debug information; the texts of code are where it looked */
	struct str code;
};

/* What the file at path keeps for the profile with this stamp; *n: of how many objects, 0
 * if there is no such file.  In the arena.  trust: even if others could have written it. */
struct kept_object *inlines_file_read(const char *path, bool trust, uint64_t stamp,
				      struct arena *a, size_t *n);
/* Put a new file in its place, if it is ours, or none is there. */
void inlines_file_write(const char *path, uint64_t stamp, const struct kept_object *o,
			size_t n);

#endif
