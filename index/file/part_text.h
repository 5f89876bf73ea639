/*
 * part_text.h - the parts of a profile that have a name, each as a profile of its own.
 *
 * Whoever dumps a profile for each benchmark names it: "desc: Trigger: Client Request: NAME".
 * FILE#NAME is the text of FILE up to its first part, and that of all parts of the name.
 * Callgrind gives the names of functions and files anew in each.
 */
#ifndef QUERN_FILE_PART_TEXT_H
#define QUERN_FILE_PART_TEXT_H

#include <stdatomic.h>
#include <stdint.h>

#include "index/base/str.h"

struct err;

/* A part ends; without a name, name.n is 0. */
typedef int part_text_use(void *arg, struct str name, struct err *err);
/* Call use() for each part of a file, packed or not.  It must not come back here. */
int part_text_each(const char *path, part_text_use *use, void *arg,
		   const atomic_int *cancel, struct err *err);

/* The '#' of FILE#NAME, where FILE is a regular file; NULL: path is none. */
const char *part_text_mark(const char *path);
/* *out: a file without a name that holds the text of FILE#NAME; fd: FILE.  ERR_PROFILE: it has no
 * such part; ERR_LIMIT: more than 1 GiB when unpacked. */
int part_text_cut(int fd, const char *file, struct str name, int *out, struct err *err);

#endif
