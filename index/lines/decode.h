/*
 * decode.h - lines of text to rows.
 *
 * The decoder knows lines and positions and nothing of functions: it resolves relative
 * positions (PROFILE.md section 3), splits the header from the body, and hands over batches
 * of rows.  It allocates nothing and keeps no text: names and header values are views into
 * the block, valid until the next decode_block().
 */
#ifndef QUERN_DECODE_H
#define QUERN_DECODE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "index/base/str.h"
#include "index/lines/scan.h"

enum row_kind {
	ROW_COST, /* a = instr, b = line; costs: nc of them */
	/* Names: a = id when flags & NAME_ID, text p/len when flags & NAME_TEXT. */
	ROW_FN,
	ROW_FL,
	ROW_FI,
	ROW_OB, /* fe= is ROW_FI */
	ROW_CFN,
	ROW_CFI,
	ROW_COB, /* cfl= is ROW_CFI */
	ROW_JFI,
	ROW_JFN,
	ROW_CALLS,     /* a = count (its line follows as ROW_COST) */
	ROW_CALLS_BAD, /* unreadable calls=: its line is to be dropped */
	ROW_JUMP,      /* a = executed; costs[0], [1] = target instr, line */
	ROW_JCND,      /* a = executed, b = taken; costs as above */
	ROW_JUMP_BAD,
	ROW_PART, /* a new part begins here; the part's keys follow */
	ROW_FILE, /* "==== NEW PROFILING FILE": new part, new names */
	ROW_KEY,  /* a = enum header_key, text = its value */
	ROW_ODD,  /* a = enum odd, text = the line: a diagnostic */
};

enum { NAME_ID = 1, NAME_TEXT = 2 }; /* row.flags; neither: an empty name */

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
};

/* What is odd about a line: the kinds of diagnostics (store.h). */
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
	ODD_KINDS
};
const char *odd_name(enum odd k);

/* What stands behind "fn=" and its like, "(12) text", "(12)", "text" or nothing: row.flags. */
uint8_t decode_name(struct str value, uint64_t *id, struct str *text);

/*
 * True of callgrind's own files, by their creator: value.  It prints the line of a call or a jump,
 * and the fi= or fe= in front of it, as what differs from the last cost line, and only a cost line
 * becomes the last one (fprint_jcc() and fprint_fcost() of its dump.c).  So a call or jump leaves the
 * base and the file as they were; for other producers the lines behind it start from there.
 */
bool decode_apart(struct str creator);

struct row {
	uint8_t kind, flags;
	uint16_t nc;   /* costs that follow in the batch */
	uint32_t at;   /* byte of its line in the block */
	uint32_t cost; /* index of the first in batch.cost */
	uint32_t len;  /* of the text */
	uint64_t a;
	union {
		uint64_t b;
		const char *p; /* text */
	};
};

enum {
	EVENTS_MAX = 4096, /* costs a line may have; more events: are not read */
	/* At most two rows for three bytes ("-9\n": a cost line and its diagnostic). */
	BATCH_ROWS = SCAN_BLOCK,
	BATCH_COSTS = SCAN_BLOCK + 64,
};

struct batch {
	size_t n, ncost;
	size_t bytes;	  /* text consumed */
	size_t newlines;  /* in that text */
	const char *text; /* where it begins */
	struct row row[BATCH_ROWS];
	uint64_t cost[BATCH_COSTS];
};

/* The positions of a line, in file order. */
enum { SUB_INSTR, SUB_BB, SUB_LINE, SUBS };

struct decode {
	/* the part's word */
	uint8_t nsub;	   /* declared subpositions, 1..3 */
	uint8_t sub[SUBS]; /* which, in order */
	uint32_t ncols;	   /* costs a line may have (events: line); 0: none yet */
	/* the base, and where in a part we are */
	uint64_t base[SUBS];
	bool apart;	/* decode_apart(), of the part's creator */
	bool of_record; /* a calls= or jump= was the row before; its line comes next */
	bool in_body;	/* a body line was seen in this part */
	bool after_totals;
	uint32_t line_fields; /* body lines that could be read, saturating: 0 = none */
	uint16_t pos[SCAN_ROOM];
};

void decode_init(struct decode *d);

/*
 * Decode whole lines from p[0..n) into b, at most SCAN_BLOCK bytes of them unless one line
 * is longer.  `last`: p + n is the end of the input, so a line without newline counts.
 * `before` bytes in front of p are readable (numbers are loaded 8 bytes at a time).
 * b->bytes is 0 when there is no whole line and more text is needed.
 */
void decode_block(struct decode *d, const char *p, size_t n, size_t before, bool last,
		  struct batch *b);

/* The same, but stop behind the first cost line: a few lines, for replay.h. */
void decode_entry(struct decode *d, const char *p, size_t n, size_t before, bool last,
		  struct batch *b);

#endif
