/*
 * decode.h - lines of text to rows.
 *
 * The decoder knows lines and positions, but no functions: it resolves relative positions
 * (PROFILE.md section 3), splits the header from the body, and hands over batches of
 * rows.  It allocates nothing and keeps no text: names and header values are views of the
 * block, valid until the next decode_block().
 */
#ifndef QUERN_DECODE_H
#define QUERN_DECODE_H

#include "index/base/str.h"

enum line_kind {
	LINE_COST, /* a = instr, b = line, nc costs */
	/* Names: a = id if flags & NAME_ID, text p/len if flags & NAME_TEXT. */
	LINE_FN,
	LINE_FL,
	LINE_FI, /* also fe= */
	LINE_OB,
	LINE_CFN,
	LINE_CFI, /* also cfl= */
	LINE_COB,
	LINE_JFI,
	LINE_JFN,
	LINE_INLINED, /* cfni= */
	/* a = count, b = line of the target, 0 = unknown; its line follows as a LINE_COST */
	LINE_CALLS,
	LINE_CALLS_BAD, /* unreadable calls=: the line that follows is dropped */
	LINE_JUMP,	/* a = executed; costs[0], [1] = target instr, line */
	LINE_JCND,	/* a = executed, b = taken; costs as above */
	LINE_JUMP_BAD,
	LINE_PART, /* a part begins; its keys follow */
	LINE_FILE, /* "==== NEW PROFILING FILE": new part, all names forgotten */
	LINE_KEY,  /* a = enum header_key, text = its value */
	LINE_ODD,  /* a diagnostic: a = enum odd, text = the line */
};

/* row.flags of a name (neither: it is empty), and of a cost line. */
enum { NAME_ID = 1, NAME_TEXT = 2, COST_NEGATIVE = 4, COST_EXTRA = 8 };

enum header_key {
	KEY_VERSION,
	KEY_CREATOR,
	KEY_PID,
	KEY_CMD,
	KEY_PART,
	KEY_THREAD,
	KEY_DESC,
	KEY_POSITIONS,
	KEY_EVENTS,
	KEY_EVENT,
	KEY_SUMMARY,
	KEY_TOTALS,
	KEYS, /* how many there are */
};

/* The kinds of diagnostics (store.h). */
enum odd {
	ODD_UNKNOWN_LINE,
	ODD_FIELD,
	ODD_EXTRA_COSTS,
	ODD_NEGATIVE_COST,
	ODD_POSITION,
	ODD_NUMBER_RANGE,
	ODD_CALL_NO_CFN,
	ODD_CALL_NO_LINE,
	ODD_CALL_FIELD,
	ODD_JUMP_NO_LINE,
	ODD_JUMP_FIELD,
	ODD_DEVELOPER_LINE,
	ODD_NO_EVENTS,
	ODD_HEADER_VALUE,
	ODD_EVENT_TWICE,
	ODD_EVENT_FORMULA,
	ODD_ID_REDEFINED,
	ODD_ID_UNDEFINED,
	ODD_SUM_OVERFLOW,
	ODD_POSITION_WORD,
	ODD_CFN_ALONE,
	ODD_NO_COST,
	ODD_KINDS
};
const char *odd_name(enum odd k);
/* Are costs lost, or others than written?  text: the line. */
bool odd_costs(enum odd k, struct str text);

/* Parse the value of "fn=" and its like: "(12) text", "(12)", "text" or nothing.
 * Returns row.flags. */
uint8_t decode_name(struct str value, uint64_t *id, struct str *text);

/*
 * Whether the `creator:` is callgrind.  It prints the line of a call or jump, and an fi=
 * or fe= before that line, relative to the last cost line, and only a cost line becomes
 * the last one (fprint_jcc() and fprint_fcost() in its dump.c).  So a call or jump does
 * not change base and file; with other producers it does.
 */
bool decode_apart(struct str creator);
/* Whether this creator: writes as the target of a call where the callee begins: callgrind
 * (the position of its first instruction), and quern. */
bool decode_begins(struct str creator);

struct row {
	uint8_t kind, flags;
	uint16_t nc;   /* number of its costs in the batch */
	uint32_t at;   /* offset of its line in the block */
	uint32_t cost; /* index of its first cost in batch.cost */
	uint32_t len;  /* of the text */
	uint64_t a;
	union {
		uint64_t b;
		const char *p; /* text */
	};
};

enum {
	EVENTS_MAX = 4096,	 /* most costs of a line; further ones are not read */
	DECODE_BYTES = 16 << 10, /* of text, unless one line is longer */
	/* At most a row per byte ("-9\n": a cost line and two diagnostics). */
	BATCH_ROWS = DECODE_BYTES,
	BATCH_COSTS = DECODE_BYTES + 64,
};

struct batch {
	size_t n, ncost;
	size_t bytes;	  /* bytes of text decoded */
	size_t newlines;  /* newlines in that text */
	const char *text; /* start of that text */
	struct row row[BATCH_ROWS];
	uint64_t cost[BATCH_COSTS];
};

/* The positions of a line.  SUB_OTHER: any that is not known; its values are skipped. */
enum { SUB_INSTR, SUB_BB, SUB_LINE, SUB_OTHER, SUBS, POSITIONS_MAX = 32 };

/* What a positions: line declares. */
struct positions_line {
	uint8_t n, sub[POSITIONS_MAX]; /* 0: it cannot be read */
	bool known;		       /* all of its words are */
	bool has_instr, has_line;
};
struct positions_line decode_positions(struct str value);

struct decode {
	/* what the part declares */
	uint8_t nsub;		    /* number of subpositions, 1..POSITIONS_MAX */
	uint8_t sub[POSITIONS_MAX]; /* which ones, in order */
	bool usual;		    /* they are instr, line or both, in this order */
	/* Xdebug 3 divides a negative time as if it were unsigned: (2^64 - n) / unit. */
	bool xdebug;
	uint32_t time_col;  /* of it, */
	uint64_t time_unit; /* and its unit in nanoseconds; 0: there is none */
	uint32_t ncols;	    /* most costs of a line (events:); 0: no events: yet */
	/* the base, the address of the cost line before it, and where in the part we are */
	uint64_t base[SUBS], before;
	bool apart;	/* decode_apart() of the part's creator */
	bool of_record; /* the last row was a calls= or jump=; its line comes next */
	bool of_jump;	/* it was a jump= */
	bool cuts_zeros; /* decode_begins() of the part's creator, which leaves out costs of 0 */
	bool by_address; /* calls tell callees apart by address (PROFILE.md section 6) */
	bool no_addresses; /* none of the rest of the file does */
	bool in_body;	   /* this part has a body line */
	bool after_totals;
};

void decode_init(struct decode *d);

/*
 * Decode whole lines of p[0..n) into b: at most DECODE_BYTES, unless one line is
 * longer.  `last`: p + n is the end of the input, so a line without newline counts.  b->bytes
 * is 0 if p has no whole line.
 */
void decode_block(struct decode *d, const char *p, size_t n, bool last, struct batch *b);

/* Decode up to the first cost line; for replay.h. */
void decode_entry(struct decode *d, const char *p, size_t n, bool last, struct batch *b);

#endif
