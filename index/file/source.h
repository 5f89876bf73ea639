/*
 * source.h - the profile as a file: what it is, whether it changed.
 *
 * A regular file is mapped.  Identity and content hash are those of the file as it lies
 * there, packed or not (unpack.h), so whether an index is fresh is known without unpacking.
 * A pipe ("-" is standard input) can be read once and is never the same again.
 */
#ifndef QUERN_FILE_SOURCE_H
#define QUERN_FILE_SOURCE_H

#include <stdbool.h>

#include "index/base/err.h"
#include "index/base/map.h"
#include "index/format/meta_code.h"
#include "index/file/unpack.h"

struct source {
	int fd;
	struct map map;		   /* the text; empty when it is packed or a pipe */
	struct map packed;	   /* the file, when it is */
	struct source_id id;	   /* hash is 0 until source_hash() */
	char *path;		   /* absolute */
	const char *name;	   /* as given, or "standard input" */
	const struct codec *codec; /* packed so; NULL: text */
	bool pipe;		   /* no map, no path */
};

/* Open and map; beyond a MiB it waits while what is written now could not be told from what was
 * (a tick, or 2 s where times are in seconds).  ERR_PROFILE: missing, empty, a directory, a device,
 * being written; ERR_LIMIT: no memory. */
int source_open(const char *path, struct source *s, struct err *err);
void source_close(struct source *s);
/* The same one, which is not open; not of a pipe.  -1: no memory. */
int source_copy(const struct source *s, struct source *copy);
/* Of a set, files are open one at a time.  ERR_PROFILE: it is not the same any more. */
void source_release(struct source *s);
int source_reopen(struct source *s, struct err *err);
/* What text that is no profile seems to be by its first bytes ("a PNG image", "binary
 * data"), or NULL; *hint: what to do then, or NULL. */
const char *source_nature(struct str head, const char **hint);
/* ERR_PROFILE when size or times are not what they were at source_open(). */
int source_unchanged(const struct source *s, struct err *err);
/*
 * The hash of the content: XXH3-64 of the XXH3-64 of every piece of HASH_PIECE bytes, so
 * that pieces can be hashed by whoever has them at hand.
 */
enum { HASH_PIECE = 1 << 20 };
uint64_t source_hash_piece(const char *p, size_t n);
/* The same of a piece that is at hand bit by bit, and then of the next one. */
struct source_hash;
struct source_hash *source_hash_new(void); /* NULL: no memory */
void source_hash_free(struct source_hash *h);
void source_hash_add(struct source_hash *h, const char *p, size_t n);
uint64_t source_hash_end(struct source_hash *h);
uint64_t source_hash_all(const uint64_t *piece, size_t n);

enum freshness {
	SOURCE_SAME,	/* size, times and place are as indexed */
	SOURCE_TOUCHED, /* only times or place differ: the content is the same */
	SOURCE_CHANGED,
};
/* Compares with what an index recorded; reads the whole file only when it must. */
enum freshness source_compare(struct source *s, const struct source_id *recorded);

#endif
