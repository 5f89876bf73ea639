/*
 * first_in.h - the inside of first: where the reading is, and the numbers of a line.
 *
 * first_loops.c has the loops over the usual lines, compiled once per instruction set;
 * first_lines.c reads any other line, one number after the other; first.c chooses the
 * loop.  All share struct first_place, which the loop fills before it calls
 * first_lines.c.
 */
#ifndef QUERN_FIRST_IN_H
#define QUERN_FIRST_IN_H

#include "index/fast/first.h"
#include "index/tally/tally_write.h"
#include "index/fast/numbers.h"

enum { FIRST_COLUMNS = 32 }; /* columns that a profile read here may have */

/*
 * A guess about the next line: if its first position is a small step ("+5"), the rest of
 * it is probably this text.  Most lines are in the same line of code as the line before,
 * and cost as much.
 */
struct same {
	uint64_t text[2]; /* from the blank after the step to the newline */
	uint64_t keep[2]; /* ones for the bytes of the text */
	unsigned n;	  /* bytes of the text; 0: no guess */
	unsigned place;	  /* which positions change: PIECE_INSTR or PIECE_LINE */
	bool no_line;	  /* the line of code is written as 0, not as "*" */
	bool has_cost;	  /* cost[] has the costs of the last cost line of the piece */
	uint64_t cost[2];
};

/* Where the reading is. */
struct first_place {
	uint64_t at[SUBS]; /* the base of relative positions, by enum sub */
	/* instr and line of the row before: rows are packed as differences. */
	uint64_t before[2];
	struct same same;
};

/* The loops of one instruction set: [positions - 1][columns - 1], the last for three
 * columns and more.  Arguments and result are those of first_run(). */
typedef const char *first_loop(struct tally *t, struct decode *d, const char *p,
			       const char *end);
struct first_loops {
	first_loop *run[2][3];
};
extern const struct first_loops first_loops_avx2, first_loops_portable;

/* ---- lines that a loop leaves (first_lines.c) ---- */

/*
 * Each takes the line or lines at p when they are of its kind.  The result is the end of
 * what was taken; NULL, with nothing changed, when something else is there.  NULL with
 * t->no_memory set ends the reading: a row is half added then.
 *
 *	_cost_line	"+3 12 67\n", numbers of any length, CR excluded
 *	_head		"\nfn=(12) name\n" before a cost line, of a function without entries
 *	_file		"fi=(12) name\n", "fe=(12) name\n"
 *	_call		"cob=(3)\ncfi=(4)\ncfn=(5)\ncalls=1 +3 0\n+2 0 67\n"; cob= and cfi= are
 *			optional, and so is cfn= if a line before has it
 */
const char *first_cost_line(struct tally *t, const struct decode *d,
			    struct first_place *pl, const char *p);
const char *first_head(struct tally *t, const struct decode *d, struct first_place *pl,
		       const char *p, const char *end);
const char *first_file(struct tally *t, const char *p, const char *end);
const char *first_call(struct tally *t, const struct decode *d, struct first_place *pl,
		       const char *p, const char *end);

/* "jfi=(3)\njfn=(4)\n" before a jump, one of the two or both, at *p, which moves to their
 * end.  *to is the target as piece_target() has it; *lines grows by the number of lines.
 * False: a name is not known, or something else is there. */
bool first_jump_target(const struct tally *t, const char **p, uint64_t *to,
		       uint64_t *lines);

/* ---- numbers ---- */

/* " +3 0\n" after the count of a call: where the callee was entered; *to is the last
 * position.  The start of the next line, or NULL. */
static HOT const char *first_call_target(const char *p, const uint64_t *base,
					 unsigned nsub, uint64_t *to)
{
#pragma GCC unroll 2
	for (unsigned i = 0; i < nsub; i++) {
		struct number x;

		if (*p != ' ')
			return NULL;
		x = number_position(p + 1, base[i]);
		p = x.end;
		if (!p)
			return NULL;
		*to = x.v;
	}
	p += *p == ' ';
	return *p == '\n' ? p + 1 : NULL;
}

/* Name slots of the next callee's object and file; 0: its header lines do not name it. */
static inline void first_set_called(struct tally *t, uint32_t cob, uint32_t cfi)
{
	if (cob) {
		t->now.cob = cob;
		t->now.has_cob = t->says_callee_obj = true;
	}
	if (cfi) {
		t->now.cfi = cfi;
		t->now.has_cfi = true;
	}
}

#endif
