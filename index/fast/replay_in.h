/*
 * replay_in.h - the inside of struct replay: links, steps, the past, and heads of blocks.
 *
 * The loops (replay_loops.c) compare text with links and steps.  replay_learn.c makes
 * links of lines that decode and tally took, replay_links.c keeps them, replay_names.c
 * compares texts in which names are written again.
 */
#ifndef QUERN_REPLAY_IN_H
#define QUERN_REPLAY_IN_H

#include "index/lines/digits.h"
#include "index/fast/replay.h"
#include "index/tally/tally_write.h"

enum {
	LINK_TEXT = 44,
	LINK_WIDE = LINK_TEXT + 3 * 64, /* bytes of text of a link in four places */
	LINK_AT = 20,			/* where a link's text begins in it */
	JUMP_MARK = 1,
	JUMP_WORD = 5,	  /* bytes of "jump=" or "jcnd=" */
	NEWLINES_MAX = 7, /* in a link's text: 3 bits */
};

/* The link of a cost line of the same block has only a number of newlines. */
enum link_flag {
	LINK_NEWLINES = NEWLINES_MAX,
	LINK_FL = 8,	/* has fl= in its head */
	LINK_LONG = 16, /* its text takes the places of the next links, too */
	LINK_CALL = 32,
	LINK_JUMP = 64,
	LINK_HEAD = 128, /* begins with the head of a block */
};

/* A text that followed an entry, and the entry that it led to.  Link 0, a LINK_JUMP, fits
 * no text. */
struct text_link {
	uint32_t from;	/* entry that the text followed; LINK_HEAD: function slot */
	uint32_t to;	/* entry */
	uint32_t val;	/* index of the numbers of `to` in tally.entries.val */
	uint32_t count; /* of a call, as the text has it */
	uint8_t len;	/* bytes of text, up to the costs */
	/* Of a call or jump: where the count begins in the text, and its digits; of a
	 * jump the text has no counts. */
	uint8_t before, digits;
	uint8_t flags; /* newlines in the text, and enum link_flag */
	/* Of a jump it begins with JUMP_MARK, not 'j', so that a plain compare never
	 * fits. */
	char text[LINK_TEXT];
};
_Static_assert(sizeof(struct text_link) == 64 &&
		       offsetof(struct text_link, text) == LINK_AT,
	       "a link is a cache line, compared as one");

struct link_more {
	uint32_t alt;	/* another link of the same entry; 0: none */
	uint32_t seen;	/* place in the past where it was taken last */
	uint32_t as[2]; /* links made of it (enum link_as), or 0 */
};
enum link_as {
	LINK_WHOLE, /* with the head of a block before it */
	LINK_NAMED, /* with names that are written again */
};

/*
 * A cost line that leads from an entry to the one numbered next, as most do, and the
 * links for other texts.  An unused step is all zeros: len 0, and no cost can be read
 * after it.
 */
enum { STEP_TEXT = 9 };
struct text_step {
	char text[STEP_TEXT]; /* up to the costs */
	uint8_t len;
	uint16_t other; /* bit i: byte i is not in the text */
	uint32_t first; /* link of the entry, 0: no link */
};
_Static_assert(sizeof(struct text_step) == 16, "a step is compared as one");

/*
 * The past: a ring of the links taken lately.  The link that came after this one the last
 * time is expected again, and so on, until another link comes; then the reading goes on
 * after the place where that link was taken last.  Compressors find a match so (LZ77).
 * Where a block is an activation the past is right for 97 of 100 links (Xdebug); the
 * first link of an entry is right for 82, because it does not depend on the lines before
 * the entry.
 */
enum {
	PAST_LEAST = 1 << 10,
	PAST_MOST = 1 << 20, /* 4 MiB */
	PAST_AHEAD = 8,	     /* links whose data is prefetched */
};

static inline uint32_t past_next(const struct replay *r, uint32_t at)
{
	return at + 1 == r->past_size ? 0 : at + 1;
}

/* Write down that link i was taken. */
static inline void replay_took(struct replay *r, uint32_t i)
{
	r->ring[r->past_n] = i;
	r->link_more[i].seen = r->past_n;
	r->past_n = past_next(r, r->past_n);
	r->past_round |= r->past_n == 0;
}

/* Room to make a link of any length. */
struct wide_link {
	struct text_link link;
	char more[LINK_WIDE - LINK_TEXT];
};

/* The link's text, LINK_WIDE bytes in a wide_link. */
static inline char *link_text(struct text_link *k)
{
	return (char *)k + LINK_AT;
}

static inline const char *link_text_of(const struct text_link *k)
{
	return (const char *)k + LINK_AT;
}

/* The meaning of a block's head "fl=(12)\nfn=(34)\n", found by the digits of fn=. */
struct head {
	uint64_t fn_digits, fl_digits; /* bytes_at() of the ids; fl: 0 without fl= */
	uint32_t ob, fl;	       /* slots in force */
	uint32_t f;		       /* function slot */
	uint32_t entry;		       /* its head */
};
enum { HEAD_BITS = 14 }; /* 2^HEAD_BITS heads are remembered, one per hash */

/* A head as it stands in the text. */
struct head_text {
	uint32_t ob, fl; /* slots in force before the head; ob: or its own */
	const char *fl_at,
		*fn_at; /* where the digits of the ids begin; fl_at NULL: no fl= */
	uint64_t fl_digits, fn_digits; /* bytes_at() of them */
	const char *name;	       /* the function's name; NULL: it is not written */
};

/* Look the head up by its names, and remember it at *h; NULL when its function was not
 * met before or has no entries. */
const struct head *replay_find_head(const struct tally *t, const struct head_text *text,
				    struct head *h);

/* Copy the head at p without the function's name, which it has, to `plain`; its bytes, or
 * 0 when it is longer than a link can be. */
size_t replay_unnamed_head(const char *p, const struct head_text *text,
			   char plain[LINK_WIDE]);

/* Set *h, but for the digits, to the function of the name slot fn in the object and file
 * of these name slots; false when it was not met before, or has no entries. */
static inline bool replay_block(const struct tally *t, uint32_t ob, uint32_t fl,
				uint32_t fn, struct head *h)
{
	const uint32_t f = t->names[SPACE_FN].use[fn].block;
	const struct fn_slot *at;

	if (!fn || !fl || f == UINT32_MAX)
		return false;
	at = &t->fns.at[f];
	if (at->ob != ob || at->fl != fl || !at->head)
		return false;
	*h = (struct head){.ob = ob, .fl = fl, .f = f, .entry = at->head};
	return true;
}

/* True when the file and the base of positions are those of the entry t->now.entry.  They
 * are not after the line of a calls= or jump= that was not counted, or that left the base
 * where it was (decode_apart()).  A head has the file of its function, and no base: only
 * absolute positions follow it. */
static inline bool replay_settled(const struct tally *t, const struct decode *d)
{
	const struct entry *e = &t->entries.at[t->now.entry];
	const bool head = tally_is_head(t, t->now.entry);
	uint32_t file;

	if (t->now.fn == UINT32_MAX)
		return false;
	file = head ? t->fns.at[t->now.fn].fl : e->file;
	return file == t->now.file && file == t->now.base_file &&
	       (head || (e->instr == d->base[SUB_INSTR] && e->line == d->base[SUB_LINE]));
}

/* Make r's tables and scratch; false when memory is out. */
bool replay_room(struct replay *r);

/*
 * Read a block's head at *p, which moves to its end, in an unusual form: names without
 * ids, or CR before newlines.  False: a name is written again, a name or the function was
 * not met before, or something else is there.  Lines may end up to PLAIN_AFTER bytes
 * after end.
 */
bool replay_read_head(const struct tally *t, const char **p, const char *end,
		      uint32_t *newlines, bool *fl, struct head *head);

/*
 * Every part writes a name again where it is first used, "cfn=(12) malloc", and so the
 * text differs from a link's.  This is the text without such names, through the first
 * line that has none.
 */
enum {
	PLAIN_TEXT = 256,
	PLAIN_AFTER = 128,
	/* A compare may begin as many bytes earlier as a link's start and 7 digits of a
	 * count take. */
	PLAIN_AT = LINK_AT + 12,
};
struct plain {
	char bytes[PLAIN_AT + PLAIN_TEXT + PLAIN_AFTER]; /* the text begins at PLAIN_AT */
	size_t n;					 /* bytes of it */
	const char *end; /* end of the lines that it was made of */
};

/*
 * Compare the text at p with k's, but for names that are written again and the count of a
 * call.  Where the costs begin, or NULL when they differ.  Lines may end up to
 * PLAIN_AFTER bytes after end.
 */
const char *replay_named(const struct tally *t, const struct text_link *k, const char *p,
			 const char *end, uint64_t *count);

/* The start of the line after " malloc\n" at p, if that is the name of the function whose
 * id has its digits at `id`; or NULL.  Lines may end up to PLAIN_AFTER bytes after
 * end. */
const char *replay_name_end(const struct tally *t, const char *id, const char *p,
			    const char *end);

/* Fill *plain from the lines at p; false when a name is not the known one, or the lines
 * are others.  Lines may end up to PLAIN_AFTER bytes after end. */
bool replay_without_names(const struct tally *t, const char *p, const char *end,
			  struct plain *plain);

static inline struct str replay_plain(const struct plain *plain)
{
	return (struct str){plain->bytes + PLAIN_AT, plain->n};
}

/* Make link 0 if it is not made yet; false when memory is out. */
bool replay_make_link_0(struct replay *r);

struct positions {
	uint64_t instr, line;
	uint32_t file;	   /* slot */
	unsigned newlines; /* in the text */
};

/*
 * The loop learns cost lines itself by these three functions.  All other lines are learnt
 * from the result of decode and tally.  cur is the entry before the line, and not a head.
 */

/* Make steps of the cost lines from p on that are the entries after cur in their order
 * and have no step yet; false when there is no such line.  The tally's columns are all
 * events. */
bool replay_learn_steps(struct replay *r, const struct tally *t, uint32_t cur,
			const char *p, const char *end);

/* Read the positions of the cost line at p, which follows entry cur, and fi= or fe=
 * before it, into *at; where the costs begin, or NULL when the line is not learnt
 * here. */
const char *replay_positions(const struct replay *r, const struct tally *t, uint32_t cur,
			     const char *p, struct positions *at);
/* Learn that line, whose costs can be read; false when there is no room, or memory is
 * out. */
bool replay_learn_line(struct replay *r, struct tally *t, uint32_t cur, const char *p,
		       const char *costs, const struct positions *at);

/* Make a copy of `new`, a wide_link if its text is long, the first link of its entry
 * new->from; maybe it takes the place of the one used longest ago.  *i: its number, 0
 * when there is no room.  False: memory is out. */
bool replay_link(struct replay *r, const struct text_link *new, uint32_t *i);

/* True when the text of k, a LINK_LONG, is at *p, but for the count of a call; *p moves
 * to the costs. */
bool replay_match_long(const struct text_link *k, const char **p, uint64_t *count);

/*
 * Links made of link i, which only the past leads to; each takes the place of the one
 * that was made of i the last time.  The result is the new link, or 0: there can be none,
 * or *err says that memory is out.
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

/* A loop took so many links, of which `hits` came as they came the last time, and so many
 * lines by steps: decides whether the past is followed. */
void replay_count(struct replay *r, uint64_t links, uint64_t hits, uint64_t steps);

#endif
