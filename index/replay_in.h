/*
 * replay_in.h - the inside of struct replay, for replay.c and replay_learn.c.
 */
#ifndef QUERN_REPLAY_IN_H
#define QUERN_REPLAY_IN_H

#include <stdbool.h>
#include <string.h>

#include "index/replay.h"

#define HOT inline __attribute__((always_inline))

/* ---- numbers ---- */

static inline uint64_t load8(const char *p)
{
	uint64_t v;

	memcpy(&v, p, 8);
#if __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
	v = __builtin_bswap64(v);
#endif
	return v;
}

/* The number whose digits are the 8 bytes of v, each 0 to 9. */
static HOT uint64_t eight_digits(uint64_t v)
{
	v = v * 10 + (v >> 8);
	return (((v & 0x000000ff000000ff) * 0x000f424000000064) +
		(((v >> 16) & 0x000000ff000000ff) * 0x0000271000000001)) >> 32;
}

/* The number of the n digits at p, n 1 to 8. */
static HOT uint64_t digits_at(const char *p, unsigned n)
{
	return eight_digits((load8(p) ^ 0x3030303030303030) << (64 - 8 * n));
}

/* The n bytes at p as they are, n 1 to 8: other bytes give another value. */
static HOT uint64_t bytes_at(const char *p, unsigned n)
{
	return load8(p) << (64 - 8 * n);
}

/* Digits at the start of the 8 bytes v. */
static inline unsigned leading_digits(uint64_t v)
{
	uint64_t other = ((v + 0x4646464646464646) | (v - 0x3030303030303030)) &
			 0x8080808080808080;

	return other ? (unsigned)__builtin_ctzll(other) >> 3 : 8;
}

/* 1 to 15 digits at *p, which moves behind them; false when there are none or more. */
static inline bool replay_number(const char **p, uint64_t *out)
{
	static const uint64_t power[8] = {1, 10, 100, 1000, 10000, 100000, 1000000, 10000000};
	unsigned n = leading_digits(load8(*p));

	if (n == 0)
		return false;
	*out = digits_at(*p, n);
	*p += n;
	if (n < 8)
		return true;
	n = leading_digits(load8(*p));
	if (n == 8)
		return false;
	if (n)
		*out = *out * power[n] + digits_at(*p, n);
	*p += n;
	return true;
}

/* ---- links ---- */

enum {
	LINK_TEXT = 44,
	LINK_WIDE = LINK_TEXT + 64,	/* bytes of text a link of two may have */
	LINK_AT = 20,			/* where a link's text begins in it */
	JUMP_MARK = 1,
	NEWLINES_MAX = 15,		/* in a link's text: 4 bits */
};

enum link_flag {		/* none of them: a cost line of the same block */
	LINK_NEWLINES = NEWLINES_MAX,
	LINK_LONG = 16,		/* more than LINK_TEXT bytes: it goes on in the next link's place */
	LINK_CALL = 32,
	LINK_JUMP = 64,
	LINK_HEAD = 128,	/* begins with the head of a block */
};

/* A text that followed an entry, and the entry it led to.  Link 0 is none: a LINK_JUMP
 * that fits nothing. */
struct link {
	uint32_t to;		/* entry */
	uint32_t alt;		/* another link of the same entry; 0: none */
	uint32_t val;		/* of `to` */
	uint32_t count;		/* of a call, as the text has it */
	uint8_t len;		/* bytes of text, up to the costs */
	uint8_t before, digits;	/* of a call or jump: where its counts stand in the text;
				   digits of a cost line: those of its cost, last time */
	uint8_t flags;		/* newlines in the text, and: */
	char text[LINK_TEXT];	/* of a jump: JUMP_MARK for its 'j', so that it matches nothing */
};
_Static_assert(sizeof(struct link) == 64 && offsetof(struct link, text) == LINK_AT,
	       "a link is a cache line, compared as one");

/* Room to make one in. */
struct wide_link {
	struct link link;
	char more[LINK_WIDE - LINK_TEXT];
};

/* All LINK_WIDE bytes of it. */
static inline char *link_text(struct link *k)
{
	return (char *)k + LINK_AT;
}

static inline const char *link_text_of(const struct link *k)
{
	return (const char *)k + LINK_AT;
}

/* What a block's head "fl=(12)\nfn=(34)\n" means, found by the digits of its fn=. */
struct head {
	uint64_t fn_digits, fl_digits;	/* as read; fl: 0 where the head has none */
	uint32_t ob, fl;		/* slots in force */
	uint32_t f;			/* function slot */
	uint32_t entry;			/* its head */
};
enum { HEAD_BITS = 14 };	/* heads remembered: 2^ these, one per hash */

/* Positions and file are those of the entry before: not so behind a line that belongs to a
 * calls= or jump= which was not counted. */
static inline bool replay_settled(const struct tally *t, const struct decode *d)
{
	const struct entry *e = &t->entry[t->cur];

	return t->cur_fn != UINT32_MAX && e->file == t->file &&
	       e->instr == d->base[SUB_INSTR] && e->line == d->base[SUB_LINE];
}

/* Make r's tables and scratch; 0, or -1 when memory is out. */
int replay_room(struct replay *r);

/*
 * Every part says a name once more where it first comes, "cfn=(12) malloc", and then the
 * text is another one than a link's.  This is the text without such names, through the first
 * line that has no name.
 */
enum { PLAIN_TEXT = 256, PLAIN_BEHIND = 128 };
struct plain {
	char bytes[LINK_AT + PLAIN_TEXT + PLAIN_BEHIND];	/* the text begins at LINK_AT */
	size_t n;		/* bytes of it */
	const char *end;	/* of the lines that it stands for */
};

/* The lines at p; false when there are others, or a name is not the one that is known.  Lines
 * may go on PLAIN_BEHIND bytes behind end. */
bool replay_without_names(const struct tally *t, const char *p, const char *end,
			  struct plain *plain);

static inline struct str replay_plain(const struct plain *plain)
{
	return (struct str){plain->bytes + LINK_AT, plain->n};
}

/* Put a copy of new (a wide_link where its text is long) in front of the links of an entry, maybe in the place of the one that
 * was used longest ago.  0, or -1 when memory is out. */
int replay_link(struct replay *r, uint32_t entry, const struct link *new);

#endif
