/*
 * replay.h - take text that was met before without decoding it again.
 *
 * A profile repeats itself: a function's lines come again in every part and every
 * activation, and after one line nearly always the same text follows but for the costs.
 * So behind an entry (tally.h) we remember the texts that followed it and the entries they
 * led to:
 *
 *	entry "+2 * 684"  --[ "cfn=(75)\ncalls=" N " 0 0\n374 " ]-->  entry call g at 374
 *	                  --[ "+3 +1 " ]-->                           entry line 12
 *
 * When the text at hand begins with one of them, only the numbers are read: a compare
 * and an add.  Everything else is left to decode.h and tally.h, which give the same
 * result; a link is only learnt from what they did.
 */
#ifndef QUERN_REPLAY_H
#define QUERN_REPLAY_H

#include <stddef.h>
#include <stdint.h>

#include "index/lines/decode.h"
#include "index/tally/tally.h"

struct link;
struct link_more;
struct step;
struct head;
struct plain;

/* The loop of an instruction set and a number of columns. */
struct replay;
typedef const char *replay_fn(struct replay *r, struct tally *t, const char *p,
			      const char *end, struct err *err);

enum { REPLAY_IDLE = 64 };

struct replay {
	replay_fn *run;	   /* NULL: not chosen yet */
	struct link *link; /* link 0 is none */
	struct link_more *link_more;
	size_t n, cap, more_cap;
	size_t most;	   /* links; 0: a million */
	struct step *step; /* per entry: what is behind it */
	size_t step_cap;
	uint32_t *past;	    /* links in the order they were taken (replay_in.h) */
	uint32_t past_size; /* a power of 2 */
	size_t past_most;   /* places it may have, about */
	uint32_t past_n;    /* where the next one goes */
	uint32_t past_at;   /* where the one is that should come next */
	bool past_round;    /* all of it was written */
	/* The past is followed where most links are not steps or the like (elsewhere the one used
	 * last is right as often, and nearer), and while two of three links come as it says. */
	uint64_t blocks, steps; /* links, and steps or the like, lately */
	uint64_t links;		/* since that was asked last, */
	uint64_t hits;		/* and those of them that came as the past says */
	bool follow, misleads;
	uint32_t
		base; /* the loop stopped behind a head: the entry that is the base, 0: as before */
	bool full; /* no room for more links: new text is not learnt */
	/* Lines that were not known and taught nothing, less those that were known. */
	uint64_t idle;
	uint32_t meaning;	 /* of the tally when the links were learnt, and */
	uint8_t nsub, sub[SUBS]; /* the positions of a line */
	struct head *head;	 /* by hash of the digits of fn= */
	struct plain *plain;	 /* scratch */
};

void replay_free(struct replay *r);

/*
 * Take lines from p as far as the links go, at most to end; returns where it stopped: the
 * start of a line.  32 bytes in front of p and 512 behind end, and 16 for each column, are
 * readable.  d and t are as if they had taken the lines themselves.
 */
const char *replay_run(struct replay *r, struct tally *t, struct decode *d, const char *p,
		       const char *end, struct err *err);

/* Nothing was known lately, nor could be learnt: a block of text is better decoded at once.  The
 * line behind it is to be asked for again. */
static inline bool replay_idle(struct replay *r)
{
	if (!r->full && r->idle <= REPLAY_IDLE)
		return false;
	r->idle = REPLAY_IDLE;
	return true;
}

/* True when the next lines are worth a try, so decode_entry() should be used behind it. */
static inline bool replay_ready(const struct tally *t)
{
	return t->cur_fn != UINT32_MAX && !t->in_once;
}

/* Where we were before a batch of decode_entry(), and learning from it afterwards. */
struct replay_before {
	uint32_t fn, entry;
	bool plain;   /* nothing was pending that the text does not say */
	bool settled; /* positions and file were the entry's */
};
struct replay_before replay_note(const struct tally *t, const struct decode *d);
int replay_learn(struct replay *r, const struct replay_before *before,
		 const struct tally *t, const struct decode *d, const struct batch *b,
		 struct err *err);

#endif
