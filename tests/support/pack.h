/*
 * pack.h - text as a member of a packed file, in every format that quern unpacks.
 */
#ifndef QUERN_TESTS_PACK_H
#define QUERN_TESTS_PACK_H

#include <stddef.h>

enum pack { PACK_GZIP, PACK_BZIP2, PACK_XZ, PACK_ZSTD, PACKS };

/* One member that holds p[0..n), of *packed bytes, to be freed; level 0 or 1 where there are
 * levels.  Whatever follows it in a file is a member more.  Dies when it cannot. */
char *pack_text(enum pack how, int level, const char *p, size_t n, size_t *packed);
const char *pack_name(enum pack how);

#endif
