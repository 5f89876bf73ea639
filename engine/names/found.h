/*
 * found.h - the functions of the patterns that were looked for last.
 *
 * A pattern is compared with all names of a profile; queries that ship ask the same ones, such
 * as those of $start, again and again.
 */
#ifndef QUERN_FOUND_H
#define QUERN_FOUND_H

#include "engine/names/match.h"
#include "index/base/arena.h"

struct found_cache {
	struct found_kept {
		const struct store *store; /* NULL: free */
		bool demangled;		   /* the names were */
		struct match_atom atom;
		struct match_found found;
		struct arena arena;
	} kept[8];
	unsigned next;
};

/* match_find(), or what it found the last time; *out is in the arena. */
int found_find(struct found_cache *c, struct store *st, const struct match_atom *atom,
	       const struct cancel *cancel, struct arena *a, struct match_found *out,
	       struct err *err);
/* Forget those of a store; NULL: of all. */
void found_drop(struct found_cache *c, const struct store *st);

#endif
