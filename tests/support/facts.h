/*
 * facts.h - what a profile says as one table: a key that spells out what is counted, and its
 * numbers.  Two readers of a profile agree when their tables are equal (naive.h).
 *
 * Whoever is out of memory here dies: this is for tests.
 */
#ifndef QUERN_TESTS_FACTS_H
#define QUERN_TESTS_FACTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "index/base/hash.h"
#include "index/base/str.h"

struct arena;

struct fn {
	struct str obj, file, name;
};

struct fact {
	struct str key;
	uint64_t *v; /* count, then the bits of one cost per event; both saturate */
};

struct facts {
	struct arena *arena;
	struct fact *at;
	size_t n, cap, width; /* numbers of a fact */
	struct hash by;
};

void *facts_sure(void *p);
/* vec_reserve(). */
void facts_grow(void *pp, size_t *cap, size_t need, size_t size);

/* A key: 's' a string, 'f' a function, 'u' a number, other letters stand for themselves. */
struct str facts_key(struct arena *a, const char *shape, ...);
/* The key of the same thing inside one part. */
struct str facts_in_part(struct arena *a, uint64_t part, struct str k);

struct fact *facts_find(const struct facts *t, struct str k); /* NULL: there is none */
/* Made when there is none, with a copy of the key. */
struct fact *facts_at(struct facts *t, struct str k);
/* a + b, saturated; *over: it was. */
uint64_t facts_sum(uint64_t a, uint64_t b, bool *over);
uint64_t facts_cost_sum(uint64_t a, uint64_t b, bool *over); /* of the bits of costs */
/* Add v[t->width] to a fact. */
void facts_count(struct facts *t, struct str k, const uint64_t *v, bool *over);
void facts_free(struct facts *t);

#endif
