/*
 * parts.h - what a whole profile (profile.h) and its index (meta_code.h) have alike:
 * events, formulas, parts, and three tables of names.
 */
#ifndef QUERN_PARTS_H
#define QUERN_PARTS_H

#include "index/base/str.h"

/* The tables of names, each with ids of its own (PROFILE.md section 5). */
enum name_space { SPACE_OBJ, SPACE_FILE, SPACE_FN, SPACES };

/* A line `event:`. */
struct formula {
	struct str text;
	uint64_t line, at; /* from the start of the file, in lines and in bytes */
	uint32_t file;	   /* of a formula that an index has kept (reuse.h) */
};

struct event { /* recorded ones first, then the derived */
	struct str name, long_name, formula;
	bool builtin;
	int64_t *coef; /* of the recorded events; NULL for a recorded one */
};

/* The call tree of a profile whose blocks are activations (contexts.h). */
enum tree_kind {
	TREE_NONE,  /* some blocks, or all, are no activations */
	TREE_WHOLE, /* contexts have all costs of the profile */
	TREE_REFUSED, /* too many calls of some file found no block, or contexts lack costs */
};

struct tree_facts {
	uint64_t kind, contexts;
	uint64_t roots;		   /* functions of each part that nothing calls */
	uint64_t blocks;	   /* activations */
	uint64_t unsure;	   /* calls that several blocks fit */
	uint64_t lost;		   /* calls that found no block; of the first: */
	uint64_t file, line, many; /* its block's first cost; 1: it is calls=N, not 1 */
};

struct part {
	uint64_t part, pid, thread;			    /* as written; 0 if absent */
	struct str creator, cmd, trigger, time_range, desc; /* desc: all desc: lines */
	struct str positions, events;			    /* as written or inherited */
	uint32_t file;		/* that it stands in: 0 unless the profile is a set */
	uint64_t offset, bytes; /* in that file */
	uint64_t functions;	/* in an index: those with cost or calls in this part */
	bool has_totals, has_summary;
	int64_t *totals, *summary; /* E each, in the profile's events; NULL: absent */
};

/* Cachegrind writes cmd:, but none of creator:, pid:, part: and positions:. */
static inline bool part_is_cachegrind(const struct part *p)
{
	return p->cmd.n && !p->creator.n && !p->pid && !p->part && !p->thread &&
	       !p->positions.n;
}

#endif
