/*
 * doubt.h - why the rows of an answer may not mean what they seem to.
 *
 * A profile may be less than it looks like (cut off), and two profiles may not be alike
 * (sums of another number of runs).  Each such finding is a doubt of one kind.  It is a
 * note, and an `expect` fails with the same sentence unless the kind is accepted by its
 * word (--accept).
 */
#ifndef QUERN_DOUBT_H
#define QUERN_DOUBT_H

#include "index/base/str.h"

struct exec;
struct graph;
struct store;

enum doubt {
	/* of one profile */
	DOUBT_CUT,
	DOUBT_ODD,
	DOUBT_TOTALS,
	DOUBT_EDGES,
	DOUBT_INDEX,
	/* of a comparison */
	DOUBT_ITSELF,
	DOUBT_RUNS,
	DOUBT_FORMULA,
	DOUBT_INLINED,
	DOUBT_PARTS,
	DOUBT_PAIRED,
	DOUBT_UNSURE,
	/* of a gate: the program finds it, not a statement */
	DOUBT_GONE,
	DOUBT_EMPTY,
	DOUBTS
};

struct doubt_kind {
	const char *word; /* for --accept */
	const char *help; /* what is accepted */
};
extern const struct doubt_kind doubt_kinds[DOUBTS];

/* The doubts about a statement: sentences in the arena of the query, or empty. */
struct doubts {
	struct str why[DOUBTS];
};

/* Keep a doubt if it is the first of its kind, and add a note. why.p is NULL if memory is
 * out. */
void exec_doubt(struct exec *x, enum doubt kind, struct str why);
/* Keep a doubt without adding a note. */
void exec_doubt_quietly(struct exec *x, enum doubt kind, struct str why);
/* A sum does not fit in 64 bits: say so. */
void exec_doubt_sum(struct exec *x);
/* If all that an event costs does not, shares and comparisons are wrong. */
void exec_doubt_total(struct exec *x, const struct graph *g, uint32_t event);
/* Keep the doubts about a profile.  They make no notes: the program told them when it
 * opened the profile. */
void exec_doubt_profile(struct exec *x, struct store *st, struct str name);
enum { DOUBT_TEXT = 256 };
/* callgrind on AArch64 took some returns for calls: functions of the C library that call
 * nothing, as memcpy, seem to call the program.  In words, with the cost on such calls;
 * false: there are none. */
bool doubt_edges(struct store *st, char text[DOUBT_TEXT]);
/* The first doubt that is not accepted; DOUBTS: there is none. */
enum doubt exec_doubted(const struct exec *x);

#endif
