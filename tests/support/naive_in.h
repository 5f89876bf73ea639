/*
 * naive_in.h - the inside of naive.c: what the lines before say about the next one.
 */
#ifndef QUERN_TESTS_NAIVE_IN_H
#define QUERN_TESTS_NAIVE_IN_H

#include "tests/support/naive.h"

enum space { OBJ, FILES, FN, SPACES_N };
enum { INSTR, BB, LINE, OTHER, SUBS_N, WORDS_N = 32 };
enum wait { NOTHING, A_CALL, A_BAD_CALL, A_JUMP, A_BAD_JUMP };
enum { COLUMNS_MAX = 4096, EXPANDED_LIMIT = 64 << 10 };

struct call {
	struct fn from, to;
	bool defaulted; /* the callee's file was not written */
	struct str file;
	uint64_t instr, line, part, *v;
	uint64_t to_line;   /* where the callee is entered; 0: unknown */
	uint64_t to_at[2];  /* its address, by pprof's base and by the format's */
	bool by_address;    /* which tells callees apart */
	struct str inlined; /* of a call without calls= */
};

struct jump {
	struct fn from;
	struct str file, to_file, to_name;
	uint64_t at[4], conditional; /* instr and line, of the source and the target */
	uint64_t part;
	uint64_t executed, taken;
};

struct naive_state {
	struct naive *r;
	struct arena line; /* keys and costs of the line at hand */
	struct fn *body;   /* functions with a block */
	size_t nbody, body_cap;
	bool any_cob;
	struct str totals, summary; /* of the part at hand; p NULL: it has none */
	int64_t *sums_of;	    /* per event: what parts said */
	size_t parts_summed;
	struct facts names,
		bodies; /* "space id" -> text; "obj name" -> functions with a body */
	struct str *event, *text; /* text: of names.at[i] */
	struct str *blanks;	  /* names of events with blanks */
	size_t event_cap, text_cap, nblanks, blanks_cap;
	uint32_t col[COLUMNS_MAX], ncol;
	unsigned sub[WORDS_N], nsub;
	uint64_t base[SUBS_N],
		before; /* before: the address of the cost line before it */
	bool by_address, no_addresses;
	uint64_t to_at[2];
	struct line_at {
		struct fn of;
		uint64_t at;
	} * lines; /* cost lines */
	size_t nlines, lines_cap;
	bool xdebug; /* 3 or later: a negative time is divided as if it were unsigned */
	bool logs;   /* of each call: the file at hand is PHP's */
	uint64_t time_col, time_unit; /* nanoseconds; 0: there is none */
	bool any_callgrind;
	bool callgrind; /* a call or jump leaves base and file as they were */
	bool begins;	/* the target of a call is where the callee begins */
	bool in_body, after_totals, said;
	bool has_ob, has_fl, has_file, has_fn, has_cfn, has_cfi, has_cob, has_jfi,
		has_jfn;
	struct str base_file; /* of the last cost line, or of fn= */
	struct str ob, fl, file, fn, cfn, cfi, cob, jfi, jfn, inlined;
	bool in_block; /* cur is the function of the lines that follow */
	struct fn cur;
	enum wait wait;
	struct jump jump;
	uint64_t to_line;    /* of a calls= that waits for its line */
	uint64_t count, all; /* all: of every number, to see what might overflow */
	bool cfn_waits;	     /* it has no calls= yet */
	bool fl_said;	     /* an fl= since the last line of costs */
	bool has_own;	     /* the function at hand had its file before fn=: own */
	struct str own;
	bool part_calls;	  /* the part has a calls= */
	struct call *call, *lone; /* lone: of cfn= without calls= */
	size_t nlone, lone_cap;
	struct jump *jumps;
	size_t ncall, call_cap, njump, jump_cap;
	bool negative, difference, early, any_events;
	uint64_t unread, read; /* lines of costs */
	bool fractions;	       /* the first that could not be read has a fraction */
};

/* ---- naive_head.c: pieces of a line, names, parts and header lines ---- */

/* Take the next word from *s; it is empty at the end. */
struct str naive_word(struct str *s);
/* Does the line begin with the prefix?  *rest is what follows. */
bool naive_after(struct str line, const char *prefix, struct str *rest);
/* Read decimal digits or 0x.  A number above 2^64-1 is that, and *over. */
bool naive_number(struct str s, uint64_t *out, bool *over);
/* Read the declared positions; those that are missing stay at the base. */
bool naive_positions(const struct naive_state *s, struct str *rest, uint64_t at[SUBS_N],
		     bool *clamped);
/* The text of "(12) name", "(12)", "name" or nothing. */
struct str naive_name(struct naive_state *s, enum space space, struct str v);
void naive_begin_part(struct naive_state *s);
void naive_new_file(struct naive_state *s);
/* Note the name of an event: line that has blanks in it. */
void naive_know_blanks(struct naive_state *s, struct str v);
void naive_read_events(struct naive_state *s, struct str v);
bool naive_header_line(struct naive_state *s, struct str line);
void naive_end_lone(struct naive_state *s);
/* A part ends: take what it says it costs. */
void naive_end_sums(struct naive_state *s);

/* ---- naive_body.c: lines of costs, calls, jumps and position specs ---- */

/* A line that is not the one for which a calls= or jump= waits. */
void naive_drop(struct naive_state *s);
void naive_cost_line(struct naive_state *s, struct str line);
bool naive_spec_line(struct naive_state *s, struct str line);
/* Count the cost of a line of f in all that it is a part of. */
void naive_count_cost(struct naive_state *s, uint64_t part, struct fn f, struct str file,
		      uint64_t instr, uint64_t line, const uint64_t *v);

#endif
