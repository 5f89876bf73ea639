/*
 * replay.h - take text that was met before without decoding it again.
 *
 * A profile repeats itself: the lines of a function come again in every part and every
 * activation, and after one line nearly always the same text follows but for the costs.
 * So each entry (tally.h) has links: the texts that followed it, and the entries that
 * they led to:
 *
 *	entry "+2 * 684"  --[ "cfn=(75)\ncalls=" N " 0 0\n374 " ]-->  entry call g at 374
 *	                  --[ "+3 +1 " ]-->                           entry line 12
 *
 * When the text at hand begins with that of a link, only the numbers are read: a compare
 * and an add.  Every other line is left to decode.h and tally.h, and a link is learnt
 * from the result.  The tally is the same whether a line is taken here or there.
 */
#ifndef QUERN_REPLAY_H
#define QUERN_REPLAY_H

#include "index/lines/decode.h"
#include "index/tally/tally.h"

struct text_link;
struct link_more;
struct text_step;
struct head;
struct plain;

/* The loop of an instruction set and a number of columns. */
struct replay;
typedef const char *replay_fn(struct replay *r, struct tally *t, const char *p,
			      const char *end, struct err *err);

enum { REPLAY_IDLE = 64 };

struct replay {
	replay_fn *run;		/* NULL: not chosen yet */
	struct text_link *link; /* link 0 fits no text */
	struct link_more *link_more;
	size_t n, cap, more_cap;
	size_t most;		/* places for links, of 64 bytes; 0: a million */
	struct text_step *step; /* per entry: the line that follows it */
	size_t step_cap;
	uint32_t *ring;	    /* links in the order they were taken (replay_in.h) */
	uint32_t past_size; /* a power of 2 */
	size_t past_most;   /* its size at most, about */
	uint32_t past_n;    /* place of the next one */
	uint32_t past_at;   /* place of the link that should come next */
	bool past_round;    /* every place of it was written */
	/* The past is followed while more than a third of what is taken is links (else the
	 * link used last is right as often, and nearer in memory), and while it is right
	 * for two links of three. */
	uint64_t recent_links, recent_steps; /* links, and lines taken by steps, lately */
	uint64_t links;			     /* since this was last decided, */
	uint64_t hits;			     /* and those that the past was right for */
	bool follow, misleads;
	/* If the loop stopped after a head: the entry whose positions are the base; 0: the
	 * base did not change. */
	uint32_t base;
	bool full; /* links have no room: new text is not learnt */
	/* Lines that no link fitted and that taught none, less those that a link
	 * fitted. */
	uint64_t idle;
	uint32_t meaning;     /* tally.now.meaning when the links were learnt */
	uint8_t nsub, sub[2]; /* the positions of a line then */
	struct head *head;    /* by hash of the digits of fn= */
	struct plain *plain;  /* scratch */
};

void replay_free(struct replay *r);

/*
 * Take lines from p on as far as the links go, at most to end; returns where it stopped:
 * the start of a line.  Readable: 32 bytes before p; 512 + 16 * columns after end.  d and
 * t are as if they had taken the lines themselves.
 */
const char *replay_run(struct replay *r, struct tally *t, struct decode *d, const char *p,
		       const char *end, struct err *err);

/* Ask when replay_run() took nothing: true if links have no room, or fitted too few lines
 * lately.  The caller then decodes a whole block of text, and tries replay_run() at the
 * line after it. */
static inline bool replay_idle(struct replay *r)
{
	if (!r->full && r->idle <= REPLAY_IDLE)
		return false;
	r->idle = REPLAY_IDLE;
	return true;
}

/* True when replay_run() may take the next lines; the caller uses decode_entry() after
 * it, so that it learns. */
static inline bool replay_ready(const struct tally *t)
{
	return t->now.fn != UINT32_MAX && !t->pieces.open;
}

/* The state before a batch of decode_entry() is noted, and after it a link is learnt from
 * the batch. */
struct replay_before {
	uint32_t fn, entry;
	bool plain;   /* the batch's text alone says what its lines mean */
	bool settled; /* replay_settled() */
};
struct replay_before replay_note(const struct tally *t, const struct decode *d);
int replay_learn(struct replay *r, const struct replay_before *before,
		 const struct tally *t, const struct decode *d, const struct batch *b,
		 struct err *err);

#endif
