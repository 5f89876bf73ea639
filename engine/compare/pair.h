/*
 * pair.h - which functions of two profiles are the same.
 *
 * Functions are the same if the base name of their object, their file and their name are
 * equal.  For those that only one profile has, rules are tried, each alone first:
 *
 *	object	its file is called otherwise: app-1.0 and app-1.1, libc-2.31.so and
 *		libc.so.6, or an executable with mostly the same functions; or it is not known
 *		on one side
 *	file	the end of the path is the same, or mostly the same functions are in it; a
 *		qualified name (A::f), one without a file or that begins with inlined code
 *		of the system's headers needs only its object
 *	clone, hash, line, lambda	see variant.h
 *	address	all functions without names of an object, moved by one distance
 *
 * A rule pairs two functions only if nothing else on either side fits.  Closures and
 * lambdas are numbered: those of one file are paired in their order if that is certain.
 */
#ifndef QUERN_PAIR_H
#define QUERN_PAIR_H

#include "engine/compare/rename.h"
#include "index/base/arena.h"

struct cancel;
struct err;
struct store;

#define PAIR_NONE UINT32_MAX

enum pair_rule {
	PAIR_OBJECT = 1,
	PAIR_FILE = 2,
	PAIR_CLONE = 4,
	PAIR_HASH = 8,
	PAIR_LINE = 16,
	PAIR_LAMBDA = 32,
	PAIR_RENAME = 64, /* the user said so */
	PAIR_ADDRESS = 128,
	PAIR_RULES = 8, /* how many there are */
};

struct pairing {
	/* [functions of side 0, 1]: the same function on the other side, or PAIR_NONE */
	uint32_t *of[2];
	uint8_t *rules; /* [functions of side 0]: enum pair_rule, or-ed */
	/* [functions of side 0, 1]: 1 if the name has a number, and it is not certain
	 * which function of the other side it is */
	uint8_t *unsure[2];
	/* [objects], [files]: a number; equal numbers are the same object or file */
	uint32_t *obj[2], *file[2];
	uint32_t functions[2];
	struct store *st[2];
	bool recorded;
	struct arena a; /* has all of this */
};

/* The last pairing that was asked for, and the rules it was made by. */
struct pair_cache {
	struct renames rules; /* of the user; after a change: pair_forget() */
	struct pairing *pairing;
};
/* Pair the functions of two stores; of one with itself, all are paired.  The pairing is kept
 * until the next one.  recorded: each context for itself (store.h,
 * groups); else all contexts of a function have the first one of the other side.  At most
 * `bytes` of memory, 0: no limit.  ERR_LIMIT, ERR_CANCEL, or ERR_QUERY if a --rename gives
 * up. */
int pair_cached(struct pair_cache *c, struct store *const st[2], bool recorded,
		size_t bytes, const struct cancel *cancel, const struct pairing **out,
		struct err *err);
void pair_forget(struct pair_cache *c);
void pair_cache_free(struct pair_cache *c);
/* "object, hash": the names of the rules; in the arena, p NULL: it is full. */
struct str pair_rule_names(unsigned rules, struct arena *a);

#endif
