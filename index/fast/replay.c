/*
 * replay.c - take text that was met before; see replay.h.
 *
 * The text after an entry is compared with the link that came next the last time, and
 * then with the entry's links, each in one go.  A link's text ends where the costs begin;
 * the text of a call has the number of calls in its middle.  The head of a block
 * ("fl=(12)\nfn=(34)\n") is read unless it is the one that came the last time, because
 * any function may come next.
 *
 * replay_loops.c has the loops: one for each instruction set and number of columns.  This
 * file chooses the loop, and sets and gets the state around it.
 */
#include "index/fast/replay.h"

#include <stdlib.h>
#include <string.h>

#include "index/base/err.h"
#include "index/base/isa.h"
#include "index/base/vec.h"
#include "index/fast/replay_in.h"

static const struct replay_loops *const loops[ISAS] = {
#if ISA_X86
	[ISA_AVX2] = &replay_loops_avx2,
#endif
	[ISA_PORTABLE] = &replay_loops_portable,
};

void replay_free(struct replay *r)
{
	free(r->link);
	free(r->link_more);
	free(r->ring);
	free(r->step);
	free(r->head);
	free(r->plain);
	memset(r, 0, sizeof(*r));
}

int replay_no_memory(struct err *err)
{
	return err_set(err, ERR_LIMIT, 0, "out of memory while tallying");
}

/* ---- following the past ---- */

void replay_count(struct replay *r, uint64_t links, uint64_t hits, uint64_t steps)
{
	enum { ASKED = 1 << 14, TRIED_AGAIN = 1 << 17 };
	bool enough_links;

	r->recent_links += links;
	r->recent_steps += steps;
	if (r->recent_links + r->recent_steps > 1 << 12) {
		r->recent_links /= 2;
		r->recent_steps /= 2;
	}
	enough_links = r->recent_steps < 2 * r->recent_links;
	r->links += links;
	r->hits += hits;
	if (r->links >= (r->misleads ? TRIED_AGAIN : ASKED)) {
		r->misleads = !r->misleads && r->follow && r->hits < r->links / 3 * 2;
		r->links = r->hits = 0;
	}
	r->follow = enough_links && !r->misleads;
}

/* Does the loop add each cost to its own event?  Loops of one or two columns take column i
 * for event i. */
static bool in_place(const struct tally *t)
{
	return t->events.col_is_event || t->events.ncol > 2;
}

/* ---- entering and leaving the loop ---- */

bool replay_room(struct replay *r)
{
	if (!r->head)
		r->head = calloc((size_t)1 << HEAD_BITS, sizeof(*r->head));
	if (!r->plain)
		r->plain = calloc(1, sizeof(*r->plain));
	if (!r->ring) {
		r->past_size = PAST_LEAST;
		while (r->past_size < PAST_MOST && r->past_size <= r->past_most / 2)
			r->past_size *= 2;
		/* The places after the ring are never written and hold link 0.  `seen` of
		 * a link that was not taken yet is the first of these places. */
		r->ring = calloc((size_t)r->past_size + PAST_AHEAD + 1, sizeof(*r->ring));
	}
	return r->head && r->plain && r->ring;
}

static void forget(struct replay *r)
{
	r->n = 0;
	r->full = false;
	if (r->step)
		memset(r->step, 0, r->step_cap * sizeof(*r->step));
	if (r->head)
		memset(r->head, 0, sizeof(*r->head) << HEAD_BITS);
	if (r->ring)
		memset(r->ring, 0,
		       (r->past_round ? r->past_size : r->past_n) * sizeof(*r->ring));
	r->past_n = r->past_at = 0;
	r->past_round = r->follow = r->misleads = false;
	r->recent_links = r->recent_steps = r->links = r->hits = 0;
}

static bool usable(struct replay *r, const struct tally *t, const struct decode *d)
{
	if (!replay_settled(t, d) || t->now.moved || t->now.inlined != NAME_ABSENT ||
	    t->now.pending != PENDING_NONE || t->now.has_cfi || t->now.has_cob ||
	    t->now.has_jfi || t->now.has_jfn || t->events.ncol == 0 ||
	    t->events.ncol > REPLAY_COLUMNS || !in_place(t) ||
	    t->events.ncol != d->ncols || !d->usual || tally_is_waiting(t))
		return false;
	if (r->meaning != t->now.meaning || !r->run) {
		r->meaning = t->now.meaning;
		r->nsub = d->nsub;
		memcpy(r->sub, d->sub, sizeof(r->sub));
		r->run = loops[isa()]->run[t->events.ncol < 3 ? t->events.ncol - 1 : 2];
		forget(r);
	}
	/* The loop does not look whether an entry is too new to have a link. */
	return r->n > 0 && replay_room(r) &&
	       !vec_reserve(&r->step, &r->step_cap, t->entries.n, sizeof(*r->step));
}

const char *replay_run(struct replay *r, struct tally *t, struct decode *d, const char *p,
		       const char *end, struct err *err)
{
	const uint64_t before = t->cost_lines;
	const char *start = p;

	if (!usable(r, t, d))
		return p;
	r->base = 0;
	p = r->run(r, t, p, end, err);
	if (p > start) {
		const bool head = tally_is_head(t, t->now.entry);
		const uint32_t base = head ? r->base : t->now.entry;
		const struct entry *e = &t->entries.at[base];
		const struct fn_slot *f = &t->fns.at[t->now.fn];
		const uint64_t known = t->cost_lines - before;

		r->idle -= r->idle < known ? r->idle : known;
		t->now.fl = f->fl;
		t->now.fn_name = f->fn;
		t->now.file = t->now.base_file = head ? f->fl : e->file;
		t->text_bytes += (uint64_t)(p - start);
		if (base && d->sub[0] == SUB_INSTR)
			d->base[SUB_INSTR] = e->instr;
		if (base && d->sub[d->nsub - 1] == SUB_LINE)
			d->base[SUB_LINE] = e->line;
	}
	return p;
}
