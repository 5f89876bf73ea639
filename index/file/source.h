/*
 * source.h - the profile as a file: its identity, and whether it changed.
 *
 * A regular file is mapped.  Identity and content hash are those of the file's own bytes,
 * packed or not (unpack.h), so we know whether an index is fresh without unpacking.  A
 * pipe ("-" is standard input) can be read once and never counts as unchanged.
 */
#ifndef QUERN_FILE_SOURCE_H
#define QUERN_FILE_SOURCE_H

#include "index/base/map.h"
#include "index/format/meta_code.h"
#include "index/file/unpack.h"

struct source_file {
	int fd;
	struct map map;		   /* the text; empty if the file is packed or a pipe */
	struct map packed;	   /* the file, if it is packed */
	struct source_id id;	   /* hash is 0 until source_hash() */
	char *path;		   /* absolute path */
	const char *name;	   /* as given, or "standard input" */
	const struct codec *codec; /* NULL: plain text */
	bool pipe;		   /* has no map and no path */
	bool part;		   /* of a file: fd is a copy of its text (part_text.h) */
};

/* Open and map a file.  If it is over a MiB and was written just now, wait until a
 * further write would change its times (a tick, or 2 s if times are in seconds).
 * ERR_PROFILE: missing, empty, a directory, a device, being written; ERR_LIMIT: memory
 * is out. */
int source_open(const char *path, struct source_file *s, struct err *err);
/* The inode that stands for a part of a file: other parts of it have others. */
uint64_t source_part_inode(uint64_t inode, struct str part);
void source_close(struct source_file *s);
/* Copy a source that is not open and not a pipe.  -1: memory is out. */
int source_copy(const struct source_file *s, struct source_file *copy);
/* In a set, only one file is open at a time: close it, open it again.  ERR_PROFILE: it
 * has changed. */
void source_release(struct source_file *s);
int source_reopen(struct source_file *s, struct err *err);
/* Are they one file, or the same part of one? */
bool source_same_file(const char *a, const char *b);
/* Guess from its first bytes what a file that is no profile contains ("a PNG image",
 * "binary data"), or NULL; *hint: what to do then, or NULL. */
const char *source_nature(struct str head, const char **hint);
/* ERR_PROFILE if size or times have changed since source_open(). */
int source_unchanged(const struct source_file *s, struct err *err);
enum freshness {
	SOURCE_SAME,	/* size, times and inode are those recorded */
	SOURCE_TOUCHED, /* only times or inode differ: the content is the same */
	SOURCE_CHANGED,
};
/* Compare with what an index recorded.  Reads the whole file only if it must. */
enum freshness source_compare(struct source_file *s, const struct source_id *recorded);

#endif
