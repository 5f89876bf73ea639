/*
 * simulate.h - random programs whose true stacks are known, and the profiles of them.
 *
 * A program is a list of activations in the order of their calls.  Each spends some cost
 * itself, in one part or in several (a dump while it runs).  Its profile is what callgrind
 * would write, or Xdebug: self costs, and calls with what they cost, added up at every return.
 * What the stacks were is not in it; the functions below know, for queries to be compared with.
 *
 * Costs are in units of the profile; of a rounded one true to half a unit.
 */
#ifndef QUERN_TESTS_SIMULATE_H
#define QUERN_TESTS_SIMULATE_H

#include <stdbool.h>
#include <stdint.h>

struct out;

enum {
	SIMULATE_CALLS = 500,
	SIMULATE_FUNCTIONS = 16,
	SIMULATE_LEVELS = 3,
	SIMULATE_INLINED = 4,
	SIMULATE_NAMES = SIMULATE_FUNCTIONS * SIMULATE_LEVELS + SIMULATE_INLINED,
	SIMULATE_PARTS = 4,
	SIMULATE_THREADS = 3,
	SIMULATE_EVENTS = 3,
	SIMULATE_GROUPS = 4, /* at most: files, objects, classes */
	SIMULATE_TEXT = 24,
	SIMULATE_CALLERS = 3,
	SIMULATE_CONTEXT_TEXT = SIMULATE_TEXT * (1 + SIMULATE_CALLERS),
};
#define SIMULATE_NONE UINT32_MAX

enum simulate_recursion {
	RECURSION_NONE,
	RECURSION_DIRECT,
	RECURSION_MUTUAL,   /* among three neighbours */
	RECURSION_CALLBACK, /* a library calls back what uses it */
	RECURSION_ANY,
	RECURSIONS,
};

/* Names, one bit each: of function f and level k (from 1) number f * levels + k - 1; code
 * that is inlined, "h0.h (inl)", follows. */
typedef uint64_t simulate_set;

struct simulated {
	uint64_t seed;
	uint32_t functions, levels, inlined, names, parts, threads;
	enum simulate_recursion recursion;
	uint32_t
		events; /* asked is the first one; of the others, each function spends a multiple */
	bool deep;     /* stacks are */
	bool habits;   /* what is called depends on the callers, too */
	bool separate; /* threads have parts of their own */
	bool rounded; /* as Xdebug does: a block, and rounded costs, for each activation */
	bool compressed, cut;
	uint32_t callers; /* names of the profile say so many callers; 0: none */

	char text[SIMULATE_NAMES][SIMULATE_TEXT]; /* of a name: "Alpha::f4'2" */
	uint32_t calls;				  /* activations */
	uint32_t hidden;			  /* that a stage took out */
	uint32_t name[SIMULATE_CALLS],
		parent[SIMULATE_CALLS]; /* SIMULATE_NONE at a root */
	/* What the profile has in place of the name: the name, with callers. */
	uint32_t contexts, context[SIMULATE_CALLS];
	uint32_t context_name[SIMULATE_NAMES + SIMULATE_CALLS];
	char context_text[SIMULATE_NAMES + SIMULATE_CALLS][SIMULATE_CONTEXT_TEXT];
	uint32_t thread[SIMULATE_CALLS],
		entered[SIMULATE_CALLS];	       /* in which part, from 0 */
	uint64_t self[SIMULATE_CALLS][SIMULATE_PARTS]; /* in fractions of a unit */
	uint64_t incl[SIMULATE_CALLS][SIMULATE_PARTS];
	uint64_t asked[SIMULATE_CALLS]; /* self, of the parts and threads asked about */
};

/* The same program for the same seed; asked about as a whole. */
void simulate(struct simulated *s, uint64_t seed);
/* The profile, at the end of o. */
void simulate_write(const struct simulated *s, struct out *o);
/* Forget the levels: from now on names are those of functions. */
void simulate_fold(struct simulated *s);
/* Ask about one part or thread only (from 0; SIMULATE_NONE: all). */
void simulate_ask(struct simulated *s, uint32_t part, uint32_t thread);

/* SIMULATE_NONE when the program has none such. */
uint32_t simulate_find(const struct simulated *s, const char *name);

enum simulate_group { GROUP_FILE, GROUP_OBJECT, GROUP_CLASS, GROUP_FUNCTION };
/* All names of functions of the group that has this name. */
simulate_set simulate_group(const struct simulated *s, enum simulate_group kind,
			    const char *name);

/* ---- the truth: every unit of cost once ---- */

uint64_t simulate_self(const struct simulated *s, simulate_set of);
/* What is spent while any of them is on the stack. */
uint64_t simulate_incl(const struct simulated *s, simulate_set of);

/* What is spent while a function of `of` is on the stack below one of `under` (0: at any
 * place), with one of `via` between the two (0: none is needed) and none of `avoiding`
 * between them.  The two ends count as between. */
struct simulate_cost {
	simulate_set of, under, via, avoiding;
};
uint64_t simulate_cost(const struct simulated *s, const struct simulate_cost *q);

/* [names]: how many calls of `of` from outside of it are made while each is on the stack. */
void simulate_causes(const struct simulated *s, simulate_set of, uint64_t *causes);

/* What a function costs if the stacks with one of `of` are all (focus), or none (ignore), or
 * if these functions are not on the stacks (hide). */
enum simulate_filter { FILTER_FOCUS, FILTER_IGNORE, FILTER_HIDE, FILTER_KINDS };
/* The program as such a stage shows it. */
void simulate_stage(struct simulated *s, enum simulate_filter how, simulate_set of);
uint64_t simulate_filtered(const struct simulated *s, enum simulate_filter how,
			   simulate_set of, uint32_t name, bool incl);

/* What is spent on stacks that begin with this chain.  The chain starts at the outermost
 * function of `from`; if `from` is 0, at the root of the stack. */
uint64_t simulate_chain(const struct simulated *s, const uint32_t *chain, uint32_t n,
			simulate_set from);
/* What is spent on stacks where the chain follows the outermost functions of `from`:
 * chain[0] is the first function outside `from` that one of them calls. */
uint64_t simulate_left(const struct simulated *s, const uint32_t *chain, uint32_t n,
		       simulate_set from);
/* What is spent while `of` is on the stack, called by chain[0], which was called by
 * chain[1] and so on; of several `of` the innermost, with those right above it. */
uint64_t simulate_callers(const struct simulated *s, const uint32_t *chain, uint32_t n,
			  uint32_t of);
/* The cost of all stacks whose root is this name: `root` in flow.h. */
uint64_t simulate_root(const struct simulated *s, uint32_t name);
/* By how many units rounding may have changed the sums at these names; 0: not rounded. */
uint64_t simulate_slack(const struct simulated *s, simulate_set at);

#endif
