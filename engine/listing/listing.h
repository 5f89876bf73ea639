/*
 * listing.h - the text of functions with its costs: lines of files, or instructions of
 * objects.
 *
 * Both work alike.  Places (a line of a file, an instruction of an object) are in order,
 * each with the cost spent there, and after it an entry per callee and jump.  Text without
 * cost is shown for a few lines around; the rest is a gap.
 *
 *     group   file: inlined files are groups of their own   |  object
 *     pos     line                                          |  address
 *
 * Where inlined code begins and ends (inlined.h), a row says so.  Where debug information
 * tells which line of a function's own file called it, that line has what it costs, too.
 */
#ifndef QUERN_LISTING_H
#define QUERN_LISTING_H

#include "engine/inline/inlined.h"
#include "engine/listing/source_text.h"

struct fn_set;
struct place_set;

enum listing_kind {
	LISTING_FILE,
	LISTING_LINE,
	LISTING_CALL,
	LISTING_JUMP,
	LISTING_GAP,
	LISTING_INLINED,
};

/* A cost, call, jump or inlined call at a place; sorted by group, pos, kind, other,
 * name. */
struct listing_place {
	uint32_t group;
	enum listing_kind kind;	  /* LISTING_LINE, _CALL, _JUMP, _INLINED */
	uint64_t pos, other;	  /* callee; address or line jumped to */
	struct str name;	  /* of inlined code */
	file_id to_file;	  /* of the line jumped to */
	uint64_t calls, executed; /* calls: CALLS_UNKNOWN: nobody counted */
	bool conditional;
	bool about; /* its costs have a share, of a call hidden in part or in a span */
	fn_id fn;
	file_id file, inlined; /* the same with a name, as in store_inlined_lines() */
	uint64_t line, instr;
	size_t costs; /* index in listing.costs of its self or inclusive costs */
};

struct listing_row {
	enum listing_kind kind;
	const struct listing_place *at; /* NULL: text only */
	uint32_t group;			/* file or object */
	uint64_t pos;			/* 0: none */
	struct str text;
	struct str name; /* of the callee, or of the inlined function; else empty */
};

/* Rows first..first + n - 1: a LISTING_FILE, then its lines. */
struct listing_group {
	uint32_t id; /* file or object */
	bool own;    /* belongs to a function that is listed */
	int64_t self;
	size_t first_place, places;
	size_t first, n;
	struct text_file *text;
};

struct listing {
	struct store *st;
	uint32_t events, event;
	bool instrs; /* instructions, not lines */
	bool bare;   /* only costs and calls: no text or debug information is read */
	struct place_set *only;	  /* only these lines; NULL: all of the functions */
	struct text_file **files; /* read so far; objects: by listing_ahead() */
	struct arena *texts;	  /* where they are */
	struct listing_place *place;
	size_t nplaces, places_cap;
	int64_t *costs;
	size_t ncosts, costs_cap;
	struct listing_row *row;
	size_t nrows, rows_cap;
	struct listing_group *group; /* own files first, then by cost */
	size_t ngroups;
	bool *own; /* [files]: a function that is listed begins there */
	struct inlining *in;
	const struct inline_frame *mark; /* that of the row before */
};

/* Fill in the listing of the functions of x->g in a set (NULL: all); st, events, event,
 * instrs, only, files and texts are set.  Notes say what has no text. */
void listing_fill(struct exec *x, struct listing *l, const struct fn_set *set);
/* Look up what is inlined in the functions of a set, and disassemble them, so that their
 * listings need not do it one by one. */
void listing_ahead(struct exec *x, struct listing *l, const struct fn_set *set);
/* The cost of a place in any event of the store. */
int64_t listing_cost(const struct listing *l, const struct listing_place *at, uint32_t e);
/* listing_places.c: the places of the functions; with the inlined calls, merged and in order;
 * then their groups. */
void listing_gather(struct exec *x, struct listing *l, const struct fn_set *set);
void listing_merge(struct exec *x, struct listing *l);
void listing_groups(struct exec *x, struct listing *l);

#endif
