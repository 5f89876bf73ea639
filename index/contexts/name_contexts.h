/*
 * name_contexts.h - the contexts that callgrind writes into names.
 *
 *	f'2		the second level of recursion of f (--separate-recs)
 *	f'g'h		f called from g, which h called (--separate-callers)
 *	f'2'g'h		both
 *
 * OCaml, Haskell, Ada and Rust have "'" in names of their own.  So a name is split only
 * where the calls in the profile bear it out:
 *
 *	callers		each call of f'g'h comes from a function whose name begins with g,
 *			or from f itself, since a recursive call does not change the callers
 *	a level		f, or the level below, is there and does not call itself; f'2 is called.
 *			Of f'2'g'h: a context of f of level 1 is there
 *
 * A name with several "'" is split at the first one for which this holds.
 */
#ifndef QUERN_NAME_CONTEXTS_H
#define QUERN_NAME_CONTEXTS_H

#include "index/base/str.h"

/* The recorded functions, by name, file and object; names are bytewise. */
struct named_calls {
	size_t nfn, nname;
	const struct str *name; /* by name id */
	const uint32_t *fn_name, *fn_file, *fn_obj;
	const uint32_t *out_first, *callee; /* callees of f: out_first[f] .. [f + 1] */
};

struct name_contexts {
	size_t n;	 /* functions that people ask about; 0: each is recorded once */
	uint32_t *of;	 /* per recorded function: which it is */
	uint32_t *base;	 /* its name is so many bytes of the recorded one */
	uint32_t *first; /* n + 1: into fn */
	uint32_t *fn;	 /* recorded functions by which they are, ascending */
	uint8_t *again;	 /* per recorded function: its level is above the least of its
			    function's contexts, so it only runs inside one of these */
	struct splitting *splitting; /* of a search that a fault in a name ended */
};

/* c is all zeros.  Names may fault, so c owns all memory meanwhile.  Returns 0, or -1 if
 * memory is out; call name_contexts_free() in any case. */
int name_contexts_find(struct name_contexts *c, const struct named_calls *calls);
void name_contexts_free(struct name_contexts *c);

/* The level in the text after a function's own name, "'2'g'h" or "'g'h" or nothing: 1 if
 * it has none; *callers: "g'h". */
uint32_t name_context_level(struct str after, struct str *callers);

#endif
