/*
 * activations.h - each activation of a file: when it began, what it cost, who called it.
 *
 * The blocks are read backwards (backwards.h).  An activation is complete when all that it
 * called are, so its inclusive costs are sums of the blocks' own costs, and what was spent
 * from its start to the end of its part is what has been read of the part by then:
 *
 *	text	strlen  work(strlen)  strlen  work(strlen)  main(work, work)
 *	read	  6         5           4         3             2 1		<---
 *	done	main, work, strlen, work, strlen	in the reverse of this order
 *
 * The file does not say when between its calls an activation spends its own cost.  Here it
 * does so after them, so each begins when those before it have returned.  So a start is
 * the least that it can be, and what its callers spend themselves may come before it.
 */
#ifndef QUERN_ACTIVATIONS_H
#define QUERN_ACTIVATIONS_H

#include "index/contexts/claims.h"

#define NO_CALLER UINT32_MAX

struct activation_part { /* blocks of a part, from this one on */
	uint64_t first;	 /* in the file */
	uint32_t part;	 /* the profile's */
};

struct activation {
	uint64_t block;	     /* its number in the profile, from 0, */
	uint64_t in_part;    /* and in its part */
	uint32_t fn, caller; /* the profile's; NO_CALLER: it is a root */
	uint32_t part;	     /* the profile's */
	uint32_t depth;	     /* activations on its stack, itself too */
	/* Numbers of this one and its caller among those that are not complete, from 1; 0:
	 * no caller.  They are used again. */
	uint32_t open, caller_open;
	bool inside;	/* of `below`: so is its caller */
	uint64_t calls; /* activations that it called */
	/* Of each event; after: all from its start to the end of its part.  When it opens,
	 * incl is self, and `after` goes from where it begins to spend that. */
	const int64_t *self, *incl, *after;
};

/* Activations come in the reverse of the order in which they began.  0, or an error kind
 * with *err set, which ends the reading. */
typedef int activation_take(void *arg, const struct activation *a);

/*
 * A span of a part, in the first event: what is not told of.  Activations that begin in the
 * last `late` of it have nothing in the span, nor have those before the span by more than
 * what all that are open spend themselves: before its last `early`.
 */
struct activation_span {
	int64_t late, early;
};

/* Which activations are told of, and how. */
struct activation_asked {
	activation_take *take; /* when it is complete; may be NULL */
	const uint8_t *of;     /* [functions]: of these; NULL: all */
	bool uncosted;	       /* take has no costs, open no `after` */
	activation_take *open; /* before those that it calls; may be NULL */
	/* Of these blocks, ascending, and all below them, and no further; NULL: all. */
	const uint64_t *below;
	size_t nbelow;
	/* Or of the blocks of `of` that this picks, by their part; *left: so many more. */
	bool (*pick)(void *arg, uint32_t part);
	const uint64_t *left;
	/* [parts]: of the first event, in which `after` is alone then; NULL: all. */
	const struct activation_span *span;
	void *arg;
	int (*poll)(void *arg, struct err *err); /* every few thousand blocks; or NULL */
	void *poll_arg;
};

struct activations {
	const struct context_stretch *s; /* of one file */
	size_t n, events;
	struct claims *claims;
	const struct activation_part *parts; /* ascending; from block 0 on */
	size_t nparts;
	const struct activation_asked *asked;
	uint64_t first; /* number of the first block in the profile */
	uint64_t most;	/* bytes that open activations may take */
};

/* Returns 0, or an error kind. */
int activations_each(const struct activations *of, struct err *err);

#endif
