/*
 * replay_in.h - the inside of struct replay, for replay.c and replay_learn.c.
 */
#ifndef QUERN_REPLAY_IN_H
#define QUERN_REPLAY_IN_H

#include <stdbool.h>

#include "index/lines/digits.h"
#include "index/fast/replay.h"

enum {
	LINK_TEXT = 44,
	LINK_WIDE = LINK_TEXT + 3 * 64, /* bytes of text a link of four may have */
	LINK_AT = 20,			/* where a link's text begins in it */
	JUMP_MARK = 1,
	JUMP_WORD = 5,	  /* bytes of "jump=" or "jcnd=" */
	NEWLINES_MAX = 7, /* in a link's text: 3 bits */
};

/* None of them: a cost line of the same block. */
enum link_flag {
	LINK_NEWLINES = NEWLINES_MAX,
	LINK_FL = 8,	/* says fl= in its head */
	LINK_LONG = 16, /* its text goes on in the places of the next links */
	LINK_CALL = 32,
	LINK_JUMP = 64,
	LINK_HEAD = 128, /* begins with the head of a block */
};

/* A text that followed an entry, and the entry it led to.  Link 0 is none: a LINK_JUMP
 * that fits nothing. */
struct link {
	uint32_t from;	/* entry that the text followed; with a head: function slot */
	uint32_t to;	/* entry */
	uint32_t val;	/* of `to` */
	uint32_t count; /* of a call, as the text has it */
	uint8_t len;	/* bytes of text, up to the costs */
	/* Of a call or jump: where its counts stand in the text, which has a call's only. */
	uint8_t before, digits;
	uint8_t flags; /* newlines in the text, and enum link_flag */
	/* Of a jump: JUMP_MARK for its 'j', so that it matches nothing. */
	char text[LINK_TEXT];
};
_Static_assert(sizeof(struct link) == 64 && offsetof(struct link, text) == LINK_AT,
	       "a link is a cache line, compared as one");

struct link_more {
	uint32_t alt;	/* another link of the same entry; 0: none */
	uint32_t seen;	/* where in the past it was taken last */
	uint32_t as[2]; /* links that it was made into (enum link_as), or 0 */
};
enum link_as {
	LINK_WHOLE, /* with the head that it follows */
	LINK_NAMED, /* with names that are said again */
};

/*
 * What is behind an entry: a cost line that leads to the entry numbered next, as most do, and
 * the links of other texts.  Where there is none it is zeros, which fit at most text that begins
 * with them, and no cost.
 */
enum { STEP_TEXT = 9 };
struct step {
	char text[STEP_TEXT]; /* up to the costs */
	uint8_t len;
	uint16_t other; /* bit i: byte i is not of the text */
	uint32_t first; /* link, 0: none */
};
_Static_assert(sizeof(struct step) == 16, "a step is compared as one");

/*
 * The links taken lately, a ring.  What came behind a link the last time comes behind it again,
 * and so on, until something else comes; then we go on behind the place where that came last.
 * This is how compressors find a match (LZ77), and where a block is an activation it is right
 * far more often (97 of 100 links of an Xdebug profile) than what came behind an entry last
 * (82), because it knows from how far away we come.
 */
enum {
	PAST_LEAST = 1 << 10,
	PAST_MOST = 1 << 20, /* 4 MiB */
	PAST_AHEAD = 8,	     /* links fetched ahead */
};

static inline uint32_t past_next(const struct replay *r, uint32_t at)
{
	return at + 1 == r->past_size ? 0 : at + 1;
}

/* Write down that link i was taken. */
static inline void replay_took(struct replay *r, uint32_t i)
{
	r->past[r->past_n] = i;
	r->link_more[i].seen = r->past_n;
	r->past_n = past_next(r, r->past_n);
	r->past_round |= r->past_n == 0;
}

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
	uint64_t fn_digits, fl_digits; /* as read; fl: 0 where the head has none */
	uint32_t ob, fl;	       /* slots in force */
	uint32_t f;		       /* function slot */
	uint32_t entry;		       /* its head */
};
enum { HEAD_BITS = 14 }; /* heads remembered: 2^ these, one per hash */

/* A head as it stands in the text. */
struct head_text {
	uint32_t ob, fl; /* slots in force before the head; ob: or its own */
	const char *fl_at,
		*fn_at; /* where the digits of the ids begin; fl_at NULL: no fl= */
	uint64_t fl_digits, fn_digits; /* bytes_at() of them */
	const char *said;	       /* the function's name; NULL: it is not written */
};

/* Look the head up by its names, and remember it at *h; NULL when its function was not met before or
 * has no entries. */
const struct head *replay_find_head(const struct tally *t, const struct head_text *text,
				    struct head *h);

/* The slot of the id in a line like "ob=(3)\n" at *p, which moves to the next line; word is "ob=(".
 * 0: the id was not met before, or another line is there. */
uint32_t replay_slot_at(const struct names *names, const char *word, const char **p);

/* Copy the head at p without the function's name, which it has, to `plain`; its bytes, or 0 when it is
 * longer than a link can be. */
size_t replay_unsaid(const char *p, const struct head_text *text, char plain[LINK_WIDE]);

/* The block of the function with that name there, when it was met before and its entries are
 * kept; *h gets no digits. */
static inline bool replay_block(const struct tally *t, uint32_t ob, uint32_t fl,
				uint32_t fn, struct head *h)
{
	const struct name_fn *u = &t->names[SPACE_FN].use[fn].block;

	if (!fn || !fl || u->fn == UINT32_MAX || u->ob != ob || u->fl != fl ||
	    !t->fn[u->fn].head)
		return false;
	*h = (struct head){.ob = ob, .fl = fl, .f = u->fn, .entry = t->fn[u->fn].head};
	return true;
}

/* The base is the entry before: not so behind a line that belongs to a calls= or jump= which was not
 * counted, or (decode_apart()) left the base where it was.  Of a head: its file is that of the
 * function, and only absolute positions follow it. */
static inline bool replay_settled(const struct tally *t, const struct decode *d)
{
	const struct entry *e = &t->entry[t->cur];
	const bool head = tally_is_head(t, t->cur);
	uint32_t file;

	if (t->cur_fn == UINT32_MAX)
		return false;
	file = head ? t->fn[t->cur_fn].fl : e->file;
	return file == t->file && file == t->base_file &&
	       (head || (e->instr == d->base[SUB_INSTR] && e->line == d->base[SUB_LINE]));
}

/* Make r's tables and scratch; 0, or -1 when memory is out. */
int replay_room(struct replay *r);

/*
 * A block's head at *p, which moves behind it, in any form but names that are said again: names
 * without ids, CR before the newlines.  False: something else, or a name or function that was not
 * met before.  Lines may go on PLAIN_BEHIND bytes behind end.
 */
bool replay_read_head(const struct tally *t, const char **p, const char *end,
		      uint32_t *newlines, bool *fl, struct head *head);

/*
 * Every part says a name once more where it first comes, "cfn=(12) malloc", and then the
 * text is another one than a link's.  This is the text without such names, through the first
 * line that has no name.
 */
enum {
	PLAIN_TEXT = 256,
	PLAIN_BEHIND = 128,
	/* A link is compared from its start, where its count may have 7 digits more. */
	PLAIN_AT = LINK_AT + 12,
};
struct plain {
	char bytes[PLAIN_AT + PLAIN_TEXT +
		   PLAIN_BEHIND]; /* the text begins at PLAIN_AT */
	size_t n;		  /* bytes of it */
	const char *end;	  /* of the lines that it stands for */
};

/*
 * The text at p is that of k, but for names that are said again and the count of a call: where
 * its costs begin, or NULL.  Lines may go on PLAIN_BEHIND bytes behind end.
 */
const char *replay_named(const struct tally *t, const struct link *k, const char *p,
			 const char *end, uint64_t *count);

/* Behind the line that says " malloc" at p where that is what the id of an fn= is known to mean; or
 * NULL.  Lines may go on PLAIN_BEHIND bytes behind end. */
const char *replay_said(const struct tally *t, const char *id, const char *p,
			const char *end);

/* The lines at p; false when there are others, or a name is not the one that is known.  Lines
 * may go on PLAIN_BEHIND bytes behind end. */
bool replay_without_names(const struct tally *t, const char *p, const char *end,
			  struct plain *plain);

static inline struct str replay_plain(const struct plain *plain)
{
	return (struct str){plain->bytes + PLAIN_AT, plain->n};
}

/* Make link 0; false when memory is out. */
bool replay_none(struct replay *r);

/*
 * Cost lines are learnt where they stand, others from what decode and tally did.  cur is an entry
 * that the loop came to, which is never a head.
 */
struct positions {
	uint64_t instr, line;
	uint32_t file;	   /* slot */
	unsigned newlines; /* in the text */
};

/* Make steps of the cost lines at p, as far as they are the entries behind cur in their order, whose
 * texts are not known yet; false when there is none.  The tally's columns are all events. */
bool replay_learn_steps(struct replay *r, const struct tally *t, uint32_t cur,
			const char *p, const char *end);

/* Behind the positions of the cost line at p, which follows entry cur and may have fi= or fe= in front,
 * and these; NULL: they are none that are learnt here. */
const char *replay_positions(const struct replay *r, const struct tally *t, uint32_t cur,
			     const char *p, struct positions *at);
/* Learn that line, whose costs are at `costs` and can be read; false when it cannot be. */
bool replay_learn_line(struct replay *r, struct tally *t, uint32_t cur, const char *p,
		       const char *costs, const struct positions *at);

/* Put a copy of new (a wide_link where its text is long) in front of the links of its entry
 * `from`, maybe in the place of the one that was used longest ago.  Its number, 0 when there is
 * no room; false when memory is out. */
bool replay_link(struct replay *r, const struct link *new, uint32_t *i);

/*
 * Links made of link i, which only the past leads to; each takes the place of the one that was made of
 * i the last time.  The result is the new link, or 0: there can be none, or *err says that memory
 * is out.
 *
 *	_head	the head, and the text of i after it; it may follow any entry
 *	_named	the text p[0..costs): that of i with names
 */
struct block_head {
	const char *p, *end;
	uint32_t newlines; /* in it */
	bool fl;	   /* it has fl= */
	uint32_t f;	   /* function slot */
};
uint32_t replay_link_head(struct replay *r, const struct block_head *head, uint32_t i,
			  struct err *err);
uint32_t replay_link_named(struct replay *r, const char *p, const char *costs, uint32_t i,
			   struct err *err);

/* ---- the loops ---- */

enum { REPLAY_COLUMNS = 64 }; /* columns that a profile replayed here may have */

/* The loops of one instruction set: for one column, for two, for any number. */
struct replay_loops {
	replay_fn *run[3];
};
extern const struct replay_loops replay_loops_avx2, replay_loops_portable;

int replay_no_memory(struct err *err);

/* A loop took so many links, of which `hits` came as they came the last time, and so many lines by
 * steps: decides whether the past is followed. */
void replay_count(struct replay *r, uint64_t links, uint64_t hits, uint64_t steps);

#endif
