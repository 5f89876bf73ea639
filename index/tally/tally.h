/*
 * tally.h - fold rows into functions, cost lines, call sites, edges, jumps and parts.
 *
 * A tally covers one stretch of the text.  It knows names by the file's own ids
 * (names.h), so stretches are tallied independently and merged in file order (merge.h).
 * All sums are exact; a sum that does not fit in 64 bits stays at the end and is reported.
 */
#ifndef QUERN_TALLY_H
#define QUERN_TALLY_H

#include "index/base/arena.h"
#include "index/base/hash.h"
#include "index/base/order.h"
#include "index/base/str.h"
#include "index/contexts/block_log.h"
#include "index/lines/decode.h"
#include "index/tally/names.h"
#include "index/tally/piece.h"
#include "index/format/part_code.h"
#include "index/format/parts.h"
#include "index/base/spill.h"
#include "index/base/cost.h"

struct kept;

enum {
	PIECE_ROWS = 1 << 20, /* most lines of a piece (piece.h) */
	/* Bytes of an entry without its numbers, estimated: entry, entry_fn, entry_by,
	 * and a step of replay.h. */
	ENTRY_BYTES = 68,
};

/* A line of a function: a cost line, a call site or a jump.  `next` predicts the entry
 * that follows in the text; it is not a list of all entries. */
enum entry_kind { ENTRY_COST, ENTRY_CALL, ENTRY_JUMP, ENTRY_JCND };

struct entry {
	uint64_t instr, line;
	uint32_t file;	      /* name slot */
	uint32_t kind_callee; /* kind << 30 | callee (function slot) of a call */
	uint32_t next;	      /* the entry that followed last time; 0: none yet */
	uint32_t val;	      /* index of its numbers in tally.entries.val */
};
/* Its numbers, E = events of the tally:
 *   cost line   E costs
 *   call site   stamp << 32 | edge slot;
 *               calls, E costs in this part; calls, E costs in earlier parts
 *   jump        to_instr, to_line, to_fn name slot << 32 | to_file slot, executed,
 *               taken */
enum { JUMP_VALUES = 5 };
#define ENTRY_KIND_CALLEE(kind, callee) ((uint32_t)(kind) << 30 | (callee))
#define ENTRY_KIND(kind_callee) ((enum entry_kind)((kind_callee) >> 30))
#define ENTRY_CALLEE(kind_callee) ((kind_callee)&0x3fffffff)
/* The entry before a function's first one; it has no numbers. */
#define ENTRY_HEAD 0x3fffffffu

struct fn_slot {
	uint32_t ob, fl, fn; /* name slots */
	bool defaulted;	     /* a callee with a default file (PROFILE.md section 6) */
	bool has_lines;	     /* has a cost line or a call of its own */
	bool indexed;	     /* its entries are in tally.entries.by */
	bool ended;	     /* at least one of its blocks has ended */
	uint32_t head;	     /* entry index; 0: no entries */
	uint32_t stamp;	     /* 1 + the last part that touched it */
	uint64_t piece_at;   /* its last piece in tally.pieces (piece.h) */
	uint32_t piece_n;    /* bytes of that piece; 0: no piece */
	uint32_t pieces_n;   /* bytes of all its pieces, at most UINT32_MAX */
	/* The edge to it that was used last, and its caller; UINT32_MAX: none. */
	uint32_t edge_in, edge_from;
	/* 0: it calls nothing yet; UINT32_MAX: its edges are in edges.by; else they are
	 * consecutive, the first at edge_out - 1. */
	uint32_t edge_out;
	uint32_t begin; /* the lowest line at which it is called; 0: none is known */
	/* Of a callee that its calls' address tells apart: 1 + index into fns.target. */
	uint32_t target;
};

/* The address that a call goes to: by pprof's base, by the format's. */
struct call_target {
	uint64_t at[2];
};

struct edge_slot {
	uint32_t caller, callee; /* function slots */
	uint32_t stamp;
};

/* The header lines of a part as text; merge/header.c reads them. */
struct part_slot {
	bool begins;		/* starts in this stretch; only the first slot may not */
	bool new_file;		/* follows "NEW PROFILING FILE" */
	uint64_t offset;	/* bytes from the start of the stretch */
	struct str value[KEYS]; /* desc: all lines, joined by '\n' */
	uint64_t line[KEYS];
	size_t desc_room;	    /* bytes allocated for value[KEY_DESC]; 0: a view */
	uint64_t bytes_at, bytes_n; /* its costs in tally.parts.costs (part_code.h) */
	size_t events; /* costs of each of its functions: later parts may have more */
	uint32_t names_at[SPACES]; /* number of name slots made before it */
	uint64_t blocks_at;	   /* blocks of tally.log before it */
};

/* Slots never move: chunk i has room for 2^i of them. */
enum { PART_CHUNKS = 33 };

struct odd_line {
	enum odd kind;
	uint32_t file;	 /* set by the merge */
	uint64_t line;	 /* from the start of the stretch, 1 the first */
	struct str text; /* cut at 200 bytes */
};
enum { SPACED_MAX = 64 }; /* names of events with blanks that are known */
enum { ODD_KEPT = 20 };	  /* lines kept of each kind */

enum pending {
	PENDING_NONE,
	PENDING_CALL,
	PENDING_SKIP,
	PENDING_JUMP,
	PENDING_JUMP_SKIP
};

/*
 * ---- the parts of a tally, each with its owner: the file that makes room in it ----
 *
 * first and replay write `now`, the numbers of entries and functions, the counts of
 * lines, and (first) rows of the piece at hand.  Everything else they do through the
 * functions below.
 */

/* Events, and the columns of cost lines (tally_head.c). */
struct tally_events {
	struct str *name; /* union of all events: lines, in order of appearance */
	size_t n, cap;
	struct hash by;	  /* name -> event; empty in a tally made from an index */
	uint32_t *col;	  /* event of each column of the current part */
	uint32_t *col_of; /* per event: its column, if col[] agrees */
	size_t ncol, col_cap, col_of_cap;
	bool col_is_event; /* col[i] == i for all */
	struct formula *formula;
	size_t nformula, formula_cap;
	/* Names with blanks of event: lines so far, each once (PHP's SPX: "Wall Time"). */
	struct str spaced[SPACED_MAX];
	size_t nspaced;
};

/* Functions (tally.c). */
struct tally_fns {
	struct fn_slot *at;
	size_t n, cap;
	struct hash by;	     /* object, file, name -> slot, but the first of each name */
	uint64_t *self;	     /* E per function: in earlier parts, if any */
	uint64_t *part_self; /* E per function: in this part */
	size_t self_cap, part_self_cap;
	struct call_target *target;
	size_t ntarget, target_cap;
};

/* Cost lines, call sites and jumps that are found again (tally_entry.c). */
struct tally_entries {
	struct entry *at;
	uint32_t *fn; /* function slot of each */
	size_t n, cap, fn_cap;
	struct hash by;
	uint64_t *val; /* their numbers, see struct entry */
	size_t nval, val_cap;
	size_t room; /* bytes that all may take, about; 0: no limit */
};

/* Lines that are packed as pieces (tally_piece.c, piece.h). */
struct tally_pieces {
	struct spill packed;
	bool open;	       /* pack the lines of this block */
	uint32_t rows;	       /* lines of the current piece */
	struct piece_row last; /* the last of them */
	uint64_t *cost;	       /* scratch: E costs */
	size_t cost_cap;
	uint64_t no_room; /* bytes of pieces packed for want of room */
};

/* Edges (tally_part.c). */
struct tally_edges {
	struct edge_slot *at;
	size_t n, cap;
	uint32_t expected; /* follows the edge that was used last */
	uint32_t caller;   /* a function making its first edges; UINT32_MAX: none */
	struct hash by;	   /* without edges that are consecutive */
	/* calls, E costs per edge: in earlier parts, if any; in this part */
	uint64_t *sum, *part;
	size_t sum_cap, part_cap;
	/* After the end, in place of `sum`, if all sums fit in 4 bytes. */
	uint32_t *narrow;
};

/* Parts, and what the current one touched (tally_part.c). */
struct tally_parts {
	struct part_slot *chunk[PART_CHUNKS]; /* tally_part() */
	size_t n;
	bool used;	    /* this part has a header line or a name */
	bool later;	    /* the costs of the only part are not encoded yet */
	struct spill costs; /* of ended parts (part_code.h) */
	uint32_t *touched_fn;
	/* In the order in which they were touched.  None and nin_turn: the edges 0, 1 and
	 * so on, as in a first part. */
	uint32_t *touched_edge, nin_turn;
	struct touched_site {
		uint32_t entry, val;
	} * touched_site;
	size_t ntouched_fn, touched_fn_cap, ntouched_site, touched_site_cap,
		ntouched_edge, touched_edge_cap;
};

/* What the lines so far say of the next one (tally.c; first and replay move it, too). */
struct tally_now {
	uint32_t ob, fl, file, fn_name; /* name slots; fl NAME_ABSENT and !has_fl: none */
	bool has_fl;
	/* File of the last cost line or fn=: callees default to it, and it is restored
	 * after a call or jump. */
	uint32_t base_file;
	bool apart;  /* see decode_apart() */
	bool begins; /* see decode_begins() */
	bool moved;  /* the current block has an ob= or fl= */
	uint32_t cob, cfi, cfn, jfi, jfn;
	bool has_cob, has_cfi, has_cfn, has_jfi, has_jfn;
	bool fn_waits;	 /* a fn= has no line yet: an fl= is its file, */
	uint32_t own_fl; /* unless this one was written before it; UINT32_MAX: none was */
	uint64_t fl_at;	 /* cost lines before the last fl= */
	bool has_fn;	 /* the part has a fn= */
	bool cfn_waits;	 /* a cfn= has no calls= yet */
	uint32_t inlined; /* name slot of cfni=; NAME_ABSENT: the function itself */
	uint32_t fn;	  /* function slot; UINT32_MAX until a line needs it */
	/* The entry before the next line; the block's head if that entry does not set
	 * the base. */
	uint32_t entry;
	uint64_t *run; /* E: self cost of this block, not yet in part_self */
	size_t run_cap;
	bool ran; /* run[] is not all zeros */
	/* Counts changes to the meaning of text: redefined names, columns, positions. */
	uint32_t meaning;
	struct str positions; /* value of the last positions: line */
	enum pending pending;
	uint64_t pending_a, pending_b, pending_instr, pending_line;
	bool pending_jcnd, pending_has_to;
	struct call_target pending_to;
};

/*
 * A cfn= and a cost line without calls= is a call in MALT's files, which have no calls= at
 * all, and is ignored in others.  So such lines wait for the first calls= or the end of
 * the part (tally_waits.c).
 */
struct tally_waits {
	struct waiting_call *at;
	size_t n, cap;
	uint64_t *cost; /* of all of them */
	size_t ncost, cost_cap;
	size_t touched; /* edges and call sites when the part began */
	bool calls;	/* the part has a calls= */
	bool assumed;	/* that is assumed: the part began before this stretch */
	bool needed;	/* what was assumed was needed */
	bool left;	/* the stretch ended while some waited */
};

/* What a later stretch began with (tally_assume()). */
struct tally_assumed {
	bool apart, begins, logs;
	struct str positions;
	uint32_t *col;
	size_t ncol, nspaced;
};

/* Lines that were left out or changed (tally_head.c). */
struct tally_diag {
	struct odd_line *odd;
	size_t nodd, odd_cap;
	uint64_t odds[ODD_KINDS];
	const char *counted_in; /* the batch text whose lines were counted last, */
	uint32_t counted;	/* up to this byte */
	uint64_t counted_lines; /* newlines up to there */
};

struct tally {
	uint32_t of_file;	 /* the file of a set; 0 for a single file */
	const struct kept *kept; /* set if the tally was made from an index (reuse.h) */
	uint64_t lines, text_bytes; /* tallied so far */
	uint64_t cost_lines;	    /* cost lines that could be read */
	bool difference;	    /* a difference file: has negative costs by design */
	bool negative;		    /* some cost is */
	bool says_callee_obj;	    /* some cob= is written */
	bool no_memory;		    /* memory was out in first_run() */
	int spill_failed;	    /* errno of a failed write of pieces or costs */
	struct tally_now now;
	struct tally_entries entries;
	struct tally_fns fns;
	struct tally_edges edges;
	struct tally_events events;
	struct tally_pieces pieces;
	struct tally_parts parts;
	struct tally_diag diag;
	struct tally_waits waits;
	struct tally_assumed assumed;
	struct block_log log; /* its blocks, where each is an activation */
	struct names names[SPACES];
	struct arena arena; /* holds texts */
};

/* Whether a line waits for another one that only decode and tally take. */
static inline bool tally_is_waiting(const struct tally *t)
{
	return t->now.cfn_waits || t->waits.n;
}

static inline bool tally_is_head(const struct tally *t, uint32_t entry)
{
	return t->entries.at[entry].kind_callee == ENTRY_HEAD;
}

/* Bytes of data that is never spilled: names, functions, edges, parts, headers. */
uint64_t tally_held(const struct tally *t);

/* The number of an entry's numbers. */
static inline size_t tally_values(const struct tally *t, uint32_t kind_callee)
{
	switch (ENTRY_KIND(kind_callee)) {
	case ENTRY_COST: return t->events.n;
	case ENTRY_CALL: return 3 + 2 * t->events.n;
	default: return JUMP_VALUES;
	}
}

static inline struct part_slot *tally_part(const struct tally *t, size_t i)
{
	const unsigned chunk = 63u ^ (unsigned)__builtin_clzll((uint64_t)i + 1);

	return &t->parts.chunk[chunk][i + 1 - ((size_t)1 << chunk)];
}

/* entry_state: true for a stretch that begins inside the file.  keep: the text
 * outlives the tally, so names are views of it. */
int tally_init(struct tally *t, bool entry_state, bool keep, struct err *err);
void tally_free(struct tally *t);
int tally_too_many_events(struct err *err); /* a file has more than EVENTS_MAX */
int tally_batch(struct tally *t, const struct batch *b, struct err *err);
/* The text of another part follows: forget all state but the ids.  Costs still count
 * for the same part. */
void tally_restart(struct tally *t);
/* End the last block of a part that further parts will be added to; 0, or -1 if memory is
 * out. */
int tally_log_part(struct tally *t);
/* Before that: lines that wait for a calls= are calls (struct tally_waits). */
int tally_end_waits(struct tally *t, struct err *err);
/* Whether the file has one part: yes; a stretch of it cannot tell, so the costs of a part
 * alone are encoded later, if at all; no. */
enum tally_parts_of { TALLY_ONE_PART, TALLY_MAYBE_PARTS, TALLY_PARTS };
/* End the stretch.  The costs of its last part are encoded, unless the file has no other.
 * next_line: the first line of the next stretch, empty at the end of the file. */
int tally_end(struct tally *t, enum tally_parts_of parts, struct str next_line,
	      struct err *err);
/* Set edges.narrow, if all sums fit. */
void tally_narrow_edges(struct tally *t);
/* Append the costs of p to those of ended parts; sets spill_failed if they could not be
 * written.  Returns 0, or -1 if memory is out. */
int tally_put_part(struct tally *t, struct part_slot *p, const struct part_rows *fns,
		   const struct part_rows *edges);
/* Encode the costs of the only part of a stretch, if that was left for later. */
int tally_encode_later(struct tally *t, struct err *err);

/* If the name in "Wall Time : Wall Time", the value of an event: line, has a blank, events: lines
 * from here on have it as one column.  The text is not copied. */
void tally_know_spaced(struct tally *t, struct str event);
/* Begin a later stretch with the events and columns at the end of head, which has read
 * the header. */
int tally_assume(struct tally *t, const struct tally *head, struct err *err);
/* Whether b, the stretch after a, assumed the state that a ended with. */
bool tally_follows(const struct tally *a, const struct tally *b);

/* Free an array after it was merged; the numbers of names and edges are kept. */
enum tally_what {
	TALLY_NAMES,
	TALLY_SELF,
	TALLY_EDGES,
	TALLY_EDGE_SUMS,
	TALLY_PART_COSTS
};
void tally_forget(struct tally *t, enum tally_what what, int space); /* of names */

#endif
