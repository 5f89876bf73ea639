/*
 * source.h - the profile as a file: what it is, where its index goes, whether it changed.
 */
#ifndef QUERN_SOURCE_H
#define QUERN_SOURCE_H

#include <stdbool.h>

#include "index/base/err.h"
#include "index/base/map.h"
#include "index/meta_code.h"

struct source {
	int fd;
	struct map map;
	struct source_id id;	/* hash is 0 until source_hash() */
	char *path;		/* absolute */
	const char *name;	/* as given */
};

/* Open and map.  ERR_PROFILE: missing, empty, a directory, a device, compressed. */
int source_open(const char *path, struct source *s, struct err *err);
void source_close(struct source *s);
/* What a file that is no profile seems to be ("a PNG image", "binary data"), or NULL. */
const char *source_nature(const struct source *s);
/* ERR_PROFILE when size or times are not what they were at source_open(). */
int source_unchanged(const struct source *s, struct err *err);
/*
 * The hash of the content: XXH3-64 of the XXH3-64 of every piece of HASH_PIECE bytes, so
 * that pieces can be hashed by whoever has them at hand.
 */
enum { HASH_PIECE = 1 << 20 };
uint64_t source_hash_piece(const char *p, size_t n);
uint64_t source_hash_all(const uint64_t *piece, size_t n);

enum freshness {
	SOURCE_SAME,		/* size, times and place are as indexed */
	SOURCE_TOUCHED,		/* only times or place differ: the content is the same */
	SOURCE_CHANGED,
};
/* Compares with what an index recorded; reads the whole file only when it must. */
enum freshness source_compare(struct source *s, const struct source_id *recorded);

#endif
