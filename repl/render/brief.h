/*
 * brief.h - short names of the functions of an answer: vector::push_back, without
 * parameters and template arguments.  A short name that several functions of the answer
 * share says nothing: these have their whole names.
 */
#ifndef QUERN_BRIEF_H
#define QUERN_BRIEF_H

#include "index/base/arena.h"

struct column;
struct render;
struct result;

struct brief {
	struct render *rd;
	struct arena a; /* of one name */
	uint64_t *same; /* hashes of short names that stand for several functions */
	size_t nsame;
};

/* 0 or the kind; brief_free() also after an error. */
int brief_init(struct brief *b, struct render *rd);
void brief_free(struct brief *b);
/* The name of a row of c, which is not absent there; until the next call. */
struct str brief_of(struct brief *b, const struct column *c, size_t row);
/* The short name of any function of r; the whole one if a is full, or if a stage gave it. */
struct str brief_name(const struct result *r, struct str name, struct arena *a);

#endif
