/*
 * roots.h - open files that a profile or its debug information names.
 *
 * A profile may come from anybody, and so may the paths in it.  A path is looked up below
 * each root, a directory that the user chose, and cannot leave it, neither by `..` nor by a
 * symbolic link.  Without --safe an absolute path is then followed as it stands, as gdb and
 * perf do, if the file belongs to the user or to root.  Only regular files are read: no FIFO
 * blocks the reader, no device reacts to being opened, nothing of /proc or /sys is shown.
 */
#ifndef QUERN_ROOTS_H
#define QUERN_ROOTS_H

#include "index/base/str.h"

struct arena;
struct err;
struct roots;

struct roots_file {
	int fd; /* the caller closes it */
	uint64_t size, mtime_ns;
	struct str path; /* the path opened; in the arena */
};

enum { ROOTS_TEXT_MAX = 32 << 20 }; /* bytes of a source file */

int roots_new(struct roots **out, struct err *err);
void roots_free(struct roots *r);
/*
 * Add a root.  moved: the tree may be at another path than at compile time, so
 * /build/x/src/a.c is also looked up as x/src/a.c, src/a.c and a.c.  ERR_USAGE if dir is
 * no directory.
 */
int roots_add(struct roots *r, const char *dir, bool moved, struct err *err);
/* From now on absolute paths are also followed as they stand. */
void roots_follow(struct roots *r);
/* The directory of the i-th root as it was given; NULL: there are no more. */
const char *roots_name(const struct roots *r, size_t i);
/* The i-th root, opened by O_PATH; -1: there are no more. */
int roots_dir(const struct roots *r, size_t i);
/* Open the file that a profile calls path.  On false *why is the reason (a constant). */
bool roots_open(const struct roots *r, struct str path, struct arena *a,
		struct roots_file *out, const char **why);
/* Find a file below the roots without opening it: out->fd is -1. */
bool roots_look(const struct roots *r, struct str path, struct arena *a,
		struct roots_file *out, const char **why);
/* Read a whole source file into the arena. */
bool roots_read(const struct roots *r, struct str path, struct arena *a, struct str *text,
		struct roots_file *out, const char **why);

#endif
