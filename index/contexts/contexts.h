/*
 * contexts.h - the call tree of an Xdebug profile: functions with the stacks they are on.
 *
 * A context is a function together with the context that called it, so each is one stack
 * from a root down.  The tree is made of the blocks that block_log.h kept, from the last
 * to the first, by the claims of claims.h:
 *
 *	main(work, work)	wants two		context main
 *	work(strlen)		the 2nd of main, wants 1	main;work
 *	strlen			of work			main;work;strlen
 *	work(strlen)		the 1st of main		main;work	again: added
 *	...
 *
 * The costs of a context are sums of the own costs of its blocks.  Trees of all parts and
 * files are added.  Contexts do not depend on what they were made of: by level, in a
 * level by parent, and then by function.
 */
#ifndef QUERN_CONTEXTS_H
#define QUERN_CONTEXTS_H

#include "index/contexts/activations.h"

/* How often a function that nothing calls ran in a part. */
struct context_root {
	uint32_t part, fn;
	uint64_t calls;
};

/* References to contexts count from 1; 0: none, the parent of a root. */
struct contexts {
	size_t n, events;
	uint32_t *parent; /* a reference; ascending after contexts_order() */
	uint32_t *fn;
	uint64_t *calls; /* activations */
	int64_t *self;	 /* events per context */
	bool full;	 /* a sum did not fit */
	/* At the last visit: the child that came first, and the one that came after this
	 * one.  Programs repeat themselves, so these are tried first. */
	uint32_t *first, *next;
	size_t parent_cap, fn_cap, calls_cap, self_cap, first_cap, next_cap;
	uint32_t *cell;		   /* hash of (parent, fn): references */
	size_t cells;		   /* 0 or a power of 2 */
	uint64_t most;		   /* bytes that may be taken */
	struct context_root *root; /* by part and function after contexts_order() */
	size_t nroot, root_cap, nsorted;
};

void contexts_init(struct contexts *c, size_t events, uint64_t most);
void contexts_free(struct contexts *c);
/* The context of fn under `parent`, added if it is new; 0, with *err set: memory is
 * out. */
uint32_t contexts_of(struct contexts *c, uint32_t parent, uint32_t fn, struct err *err);
/* Add calls of a root; -1 if memory is out. */
int contexts_root(struct contexts *c, const struct context_root *root);
/* Add the blocks of one file, and its roots if `parts` is not NULL.  Returns 0, or an error
 * kind. */
int contexts_add(struct contexts *c, const struct context_stretch *s, size_t n,
		 struct claims *claims, const struct activation_part *parts,
		 size_t nparts, const atomic_int *cancel, struct err *err);
/* Put the contexts of nfn functions in their order. */
int contexts_order(struct contexts *c, size_t nfn, struct err *err);

#endif
