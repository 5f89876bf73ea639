/*
 * roots.h - files that a profile names, opened only below directories the user chose.
 *
 * A profile comes from anybody, and so do the paths in it.  A path is looked up below each
 * root and can leave none of them, neither by `..` nor by a symbolic link.  Only regular
 * files are read: no FIFO waits for a writer, no device acts on being opened.
 */
#ifndef QUERN_ROOTS_H
#define QUERN_ROOTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "index/base/arena.h"
#include "index/base/err.h"
#include "index/base/str.h"

struct roots;

struct roots_file {
	int fd; /* the caller closes it */
	uint64_t size, mtime_ns;
	struct str path; /* that was opened; in the arena */
};

enum { ROOTS_TEXT_MAX = 32 << 20 }; /* bytes of a source file */

int roots_new(struct roots **out, struct err *err);
void roots_free(struct roots *r);
/*
 * Look below dir, too.  moved: a tree that may lie elsewhere than when it was compiled, so
 * /build/x/src/a.c is also looked for as x/src/a.c, src/a.c and a.c.  ERR_USAGE when dir
 * is no directory.
 */
int roots_add(struct roots *r, const char *dir, bool moved, struct err *err);
/* The file that a profile calls path.  On false *why says what is the matter (a constant). */
bool roots_open(const struct roots *r, struct str path, struct arena *a,
		struct roots_file *out, const char **why);
/* All of a source file, in the arena. */
bool roots_read(const struct roots *r, struct str path, struct arena *a, struct str *text,
		struct roots_file *out, const char **why);

#endif
