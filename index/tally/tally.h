/*
 * tally.h - fold rows into functions, cost lines, call sites, edges, jumps and parts.
 *
 * A tally covers one stretch of the text.  It speaks of names by the file's own ids
 * (names.h), so stretches can be tallied independently and joined afterwards in file order
 * (merge.h).  All sums are exact; one that would pass 2^64-1 stays there and is reported.
 */
#ifndef QUERN_TALLY_H
#define QUERN_TALLY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "index/base/arena.h"
#include "index/base/err.h"
#include "index/base/hash.h"
#include "index/base/str.h"
#include "index/lines/decode.h"
#include "index/tally/names.h"
#include "index/tally/once.h"
#include "index/format/part_code.h"
#include "index/format/parts.h"
#include "index/base/spill.h"

enum {
	ONCE_MAX = 1 << 20, /* lines of a piece (once.h) at most */
	/* What an entry takes without its numbers, about: entry, entry_fn, entry_by here, and
	 * step of replay.h. */
	ENTRY_BYTES = 68,
};

/* One thing inside a function: a cost line, a call site or a jump.  Entries of a function
 * are linked in the order the text last had them (`next` is a prediction, not a list). */
enum entry_kind { ENTRY_COST, ENTRY_CALL, ENTRY_JUMP, ENTRY_JCND };

struct entry {
	uint64_t instr, line;
	uint32_t file; /* slot */
	uint32_t what; /* kind << 30 | callee (function slot) of a call */
	uint32_t next; /* the entry that followed last time; 0: none yet */
	uint32_t val;  /* index of its numbers in tally.val */
};
/* Its numbers, E = events of the tally:
 *   cost line   E costs
 *   call site   stamp << 32 | edge slot; calls, E costs in this part; calls, E costs before
 *   jump        to_instr, to_line, to_fn name slot << 32 | to_file slot, executed, taken */
enum { JUMP_VALUES = 5 };
#define ENTRY_WHAT(kind, callee) ((uint32_t)(kind) << 30 | (callee))
#define ENTRY_KIND(what) ((enum entry_kind)((what) >> 30))
#define ENTRY_CALLEE(what) ((what)&0x3fffffff)
/* The entry that stands before a function's first (no numbers). */
#define ENTRY_HEAD 0x3fffffffu

struct fn_slot {
	uint32_t ob, fl, fn; /* name slots */
	bool defaulted;	  /* a callee whose file was not written (PROFILE.md section 6) */
	bool body;	  /* has a cost line or a call of its own */
	bool indexed;	  /* its entries are in tally.entry_by */
	bool again;	  /* its block has ended at least once */
	uint32_t head;	  /* entry index; 0: it has no entries */
	uint32_t stamp;	  /* part that touched it last, + 1 */
	uint64_t once_at; /* its last piece in tally.once (once.h), */
	uint32_t once_n;  /* bytes of it; 0: none */
	uint32_t once_all; /* bytes of all its pieces, UINT32_MAX at most */
	/* The last edge to it that was made or looked for; its caller, UINT32_MAX: none. */
	uint32_t edge_in, edge_from;
	/* 0: it calls nothing yet; UINT32_MAX: its edges are in edge_by; else they stand
	 * together, the first at edge_out - 1. */
	uint32_t edge_out;
};

struct edge_slot {
	uint32_t caller, callee; /* function slots */
	uint32_t stamp;
};

/* What a part's header lines say, as text; merge.c reads them. */
struct part_slot {
	bool begins;	 /* starts in this stretch (only the first slot may not) */
	bool new_file;	 /* after "NEW PROFILING FILE" */
	uint64_t offset; /* bytes from the start of the stretch */
	struct str value[KEY_TOTALS + 1]; /* desc: all of them, '\n' between */
	uint64_t line[KEY_TOTALS + 1];
	size_t desc_room; /* bytes that value[KEY_DESC] may have where it is; 0: its own */
	uint64_t bytes_at, bytes_n; /* of its costs in tally.parts (part_code.h) */
	size_t events; /* costs of each function there: later parts may have more */
	uint32_t names_at[SPACES]; /* name slots made before it */
};

/* Slots stay where they are: chunk i has room for 2^i of them. */
enum { PART_CHUNKS = 33 };

struct odd_line {
	enum odd kind;
	uint32_t file;	 /* set by the merge */
	uint64_t line;	 /* from the start of the stretch, 1 the first */
	struct str text; /* cut at 200 bytes */
};
enum { ODD_KEPT = 20 }; /* lines kept of each kind */

enum pending {
	PENDING_NONE,
	PENDING_CALL,
	PENDING_SKIP,
	PENDING_JUMP,
	PENDING_JUMP_SKIP
};

struct tally {
	uint32_t of_file; /* of a set, that the stretch is of; 0 when there is one */
	const struct kept *kept; /* NULL, but where it was an index (retally.h) */
	struct arena arena;	 /* texts */
	struct names names[SPACES];
	struct str *event; /* union of the events: lines, first appearance */
	size_t nevent, event_cap;
	struct hash event_by; /* name -> event; empty where it was an index */
	uint32_t *col;	      /* event of each column of the current part */
	uint32_t *col_of;     /* per event: its column, if col[] agrees */
	size_t ncol, col_cap, col_of_cap;
	bool col_is_event; /* col[i] == i for all */

	struct fn_slot *fn;
	size_t nfn, fn_cap;
	struct hash fn_by;
	uint64_t *self; /* E per function: before this part; room when one has ended */
	uint64_t *part_self; /* E per function: in this part */
	size_t self_cap, part_self_cap;

	struct entry *entry;
	uint32_t *entry_fn; /* function slot of each */
	size_t nentry, entry_cap, entry_fn_cap;
	struct hash entry_by;
	uint64_t *val;
	size_t nval, val_cap;

	size_t entry_room;  /* bytes that entries may take, about; 0: any number */
	uint64_t no_room;   /* bytes of pieces that are none for want of room */
	struct spill once;  /* lines that are no entries (once.h) */
	struct spill parts; /* costs of ended parts (part_code.h) */

	struct edge_slot *edge;
	size_t nedge, edge_cap;
	uint32_t edge_expected; /* the one behind that which was asked for last */
	uint32_t edge_caller;	/* makes its first edges; UINT32_MAX: none does */
	struct hash edge_by;	/* but those that stand together */
	/* calls, E costs: before this part (room as for self), in it */
	uint64_t *edge_sum, *edge_part;
	size_t edge_sum_cap, edge_part_cap;

	struct part_slot *part[PART_CHUNKS]; /* tally_part() */
	size_t npart;
	uint32_t *touched_fn, *touched_edge; /* in this part */
	struct touched_site {
		uint32_t entry, val;
	} * touched_site;
	size_t ntouched_fn, touched_fn_cap, ntouched_site, touched_site_cap,
		ntouched_edge, touched_edge_cap;

	struct formula *formula;
	size_t nformula, formula_cap;
	struct odd_line *odd;
	size_t nodd, odd_cap;
	uint64_t odds[ODD_KINDS];
	uint64_t lines, text_bytes; /* tallied so far */
	const char *counted_in;	    /* batch text in which lines were counted last, */
	uint32_t counted;	    /* up to this byte, */
	uint64_t counted_lines;	    /* so many */
	uint64_t cost_lines;	    /* that could be read */
	bool difference;	    /* a difference file: negative costs by design */

	/* Where we are in the text. */
	uint32_t ob, fl, file, fn_name; /* name slots; fl NAME_ABSENT and !has_fl: none */
	bool has_fl;
	uint32_t
		base_file; /* of the last cost line, or of fn=: in it calls find their callees, and
			       it holds again behind a call or jump */
	bool apart, assumed_apart; /* decode_apart(), tally_assume() */
	bool said;		   /* a header line or a name in this part */
	uint32_t cob, cfi, cfn, jfi, jfn;
	bool has_cob, has_cfi, has_cfn, has_jfi, has_jfn;
	uint32_t cur_fn; /* function slot, or UINT32_MAX until a line needs it */
	uint32_t
		cur; /* entry before the next one; the block's head, when it is no base of it */
	int spill_failed;	  /* errno: pieces or costs could not be written away */
	bool in_once;		  /* the lines of this block go to `once` */
	uint32_t once_rows;	  /* lines of the piece at hand */
	struct once_row once_row; /* the last of them */
	uint64_t *once_cost;	  /* scratch: E costs */
	size_t once_cost_cap;
	uint64_t *run; /* E: self cost of this block not yet in part_self */
	size_t run_cap;
	bool no_memory; /* first_run() had none */
	bool ran;
	uint32_t meaning; /* counts what can change what a text means: names redefined,
				   columns, positions */
	struct str positions;	      /* the last positions: value */
	struct str assumed_positions; /* tally_assume() */
	uint32_t *assumed_col;
	size_t assumed_cols;
	bool ob_moved; /* ob= inside the current block */
	enum pending pending;
	uint64_t pending_a, pending_b, pending_instr, pending_line;
	bool pending_jcnd;
};

static inline bool tally_is_head(const struct tally *t, uint32_t entry)
{
	return t->entry[entry].what == ENTRY_HEAD;
}

/* Bytes of what is never written away: names, functions, edges, parts and what headers say. */
uint64_t tally_held(const struct tally *t);

/* How many numbers an entry has. */
static inline size_t tally_values(const struct tally *t, uint32_t what)
{
	switch (ENTRY_KIND(what)) {
	case ENTRY_COST: return t->nevent;
	case ENTRY_CALL: return 3 + 2 * t->nevent;
	default: return JUMP_VALUES;
	}
}

/* The entry of a cost line at these positions, in that file (a slot), which follows the entry
 * `before` in the current block; made when it is new.  0: memory is out, or there is no room. */
uint32_t tally_line_entry(struct tally *t, uint32_t before, uint32_t file, uint64_t instr,
			  uint64_t line);
/* Pack a line of the piece at hand; r->ncost costs in the file's columns.  0, or -1 when memory is
 * out. */
int tally_add_once(struct tally *t, struct once_row *r, const uint64_t *cost);
/* The same for a call, to what cob=, cfi= and cfn= in t say; r->edge is set. */
int tally_once_call(struct tally *t, struct once_row *r, const uint64_t *cost);
/* A call of the block at hand to "cfn=" with the name slot cfn: the edge's slot, and its calls and
 * E costs, to be added to; NULL when memory is out. */
uint64_t *tally_call(struct tally *t, uint32_t cfn, uint32_t *edge);
/* "fn=" with the name slot `name`, and a line of costs: *begun when that function has no entries
 * yet, and is entered (its second block is no more in_once); else nothing is changed.  0, or -1
 * when memory is out. */
int tally_new_block(struct tally *t, uint32_t name, bool *begun);
/* A piece of f's lines begins; 0, or -1 when memory is out.  It ends; t->spill_failed when it
 * could not be written away. */
int tally_begin_piece(struct tally *t, uint32_t f);
void tally_end_piece(struct tally *t, uint32_t f);
/* The function or the call site (an entry, whose numbers are at `val`) is met in this part for the
 * first time.  0, or -1 when memory is out. */
int tally_touch_fn(struct tally *t, uint32_t f);
int tally_touch_site(struct tally *t, uint32_t entry, uint32_t val);

static inline void tally_add(struct tally *t, uint64_t *sum, uint64_t v)
{
	if (__builtin_expect(__builtin_add_overflow(*sum, v, sum), 0)) {
		*sum = UINT64_MAX;
		/* Not how often: who adds what first depends on the threads. */
		t->odds[ODD_SUM_OVERFLOW] = 1;
	}
}

static inline void tally_add_costs(struct tally *t, uint64_t *sum, const uint64_t *cost,
				   unsigned n)
{
	if (__builtin_expect(t->col_is_event, 1)) {
		for (unsigned i = 0; i < n; i++)
			tally_add(t, &sum[i], cost[i]);
	} else {
		for (unsigned i = 0; i < n; i++)
			tally_add(t, &sum[t->col[i]], cost[i]);
	}
}

/* Add calls to the call site `entry`, whose numbers are at `val`; the costs follow two
 * behind.  0, or -1 when memory is out. */
static inline int tally_add_calls(struct tally *t, uint32_t entry, uint32_t val,
				  uint64_t count)
{
	uint64_t *v = &t->val[val];

	if (__builtin_expect(v[0] >> 32 != t->npart, 0) &&
	    tally_touch_site(t, entry, val))
		return -1;
	tally_add(t, &v[1], count);
	return 0;
}

/* "fi=" or "fe=" with the name slot `file`. */
static inline void tally_set_file(struct tally *t, uint32_t file)
{
	t->file = file;
	if (!t->apart)
		t->base_file = file;
}

/* The self cost of the block so far goes to the function. */
static inline void tally_end_run(struct tally *t)
{
	uint64_t *self = t->part_self + (size_t)t->cur_fn * t->nevent;

	for (size_t e = 0; t->ran && e < t->nevent; e++) {
		tally_add(t, &self[e], t->run[e]);
		t->run[e] = 0;
	}
	t->ran = false;
}

static inline struct part_slot *tally_part(const struct tally *t, size_t i)
{
	const unsigned chunk = 63u ^ (unsigned)__builtin_clzll((uint64_t)i + 1);

	return &t->part[chunk][i + 1 - ((size_t)1 << chunk)];
}

/* One more part, zeroed; NULL when memory is out. */
struct part_slot *tally_new_part(struct tally *t);

/* The block ends. */
static inline void tally_end_block(struct tally *t)
{
	tally_end_run(t);
	t->fn[t->cur_fn].again = true;
}

/* A block of f begins behind one that has no self cost left. */
static inline void tally_enter(struct tally *t, uint32_t f)
{
	t->fn[t->cur_fn].again = true;
	t->cur_fn = f;
	t->ob = t->fn[f].ob;
	t->fn[f].body = true;
}

/* The block ends, and another one of f begins, which has a head; `cur` is the caller's to
 * set.  0, or -1 when memory is out.  ncols: of the block's lines, each an event; other
 * numbers than 1 and 2 mean any. */
static inline __attribute__((always_inline)) int
tally_next_block(struct tally *t, uint32_t f, uint32_t ncols)
{
	if (ncols <= 2 && t->nevent == ncols) {
		uint64_t *self = t->part_self + (size_t)t->cur_fn * ncols;

		for (uint32_t e = 0; e < ncols; e++) {
			tally_add(t, &self[e], t->run[e]);
			t->run[e] = 0;
		}
		t->ran = false;
	} else {
		tally_end_run(t);
	}
	tally_enter(t, f);
	return t->fn[f].stamp == t->npart ? 0 : tally_touch_fn(t, f);
}

/* entry_state: false at the start of a file, true when the text before is unknown.  When
 * `keep` the text outlives the tally and names are views into it. */
int tally_init(struct tally *t, bool entry_state, bool keep, struct err *err);
void tally_free(struct tally *t);
int tally_too_many_events(struct err *err); /* more than EVENTS_MAX in all parts */
int tally_batch(struct tally *t, const struct batch *b, struct err *err);
/* Other text follows, as it is where a part begins: nothing is in force but the ids.  The
 * part stays the same for what is counted. */
void tally_restart(struct tally *t);
/* The stretch ends; `encode` its last part's costs too (a file of several parts).  next_line
 * is the first of the next stretch, empty at the end of the file. */
int tally_end(struct tally *t, bool encode, struct str next_line, struct err *err);

/* Begin a later stretch with the events and columns that head, which has read the file's
 * header, ended with. */
int tally_assume(struct tally *t, const struct tally *head, struct err *err);
/* True when b, which follows a in the file, assumed what a really ended with. */
bool tally_follows(const struct tally *a, const struct tally *b);

/* Give it back when it is merged; nedge stays. */
enum tally_what { TALLY_SELF, TALLY_EDGES, TALLY_EDGE_SUMS };
void tally_forget(struct tally *t, enum tally_what what);

#endif
