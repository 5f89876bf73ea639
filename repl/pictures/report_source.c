/*
 * report_source.c - the source of the functions that a report lists; see report.h.
 *
 * Functions come in the order of what they spend themselves, in the event of the query,
 * until the page is full.  Of the others that cost most it has the lines without their text, as
 * far as there is room.
 */
#include "engine/graph/graph.h"
#include "engine/query.h"
#include "index/base/err.h"
#include "repl/pictures/report_in.h"

#include <inttypes.h>
#include <stdlib.h>

#include "repl/render/render.h"

enum {
	AHEAD = 256,		/* functions whose inlined code is looked up together */
	LEAST_ROOM = 1024,	/* less is not worth another function */
	LINE_BYTES = 160 << 10, /* most of lines without text */
	FUNCTION_PART = 8, /* of these, most of one function: a long one leaves room */
};

/* What the listings share, and the memory of one at a time. */
struct listings {
	struct text_file *files, *base_files,
		*objects; /* objects: of the functions looked ahead for */
	struct arena texts, code, one;
	bool bare;
	bool *done; /* [functions] */
};

static struct listing new_listing(const struct report *p, struct listings *all,
				  bool instrs)
{
	struct store *st = p->side[0].g->st;

	return (struct listing){.st = st,
				.events = store_info(st)->events,
				.event = p->rd->r->event_id,
				.instrs = instrs,
				.bare = all->bare,
				.files = instrs ? &all->objects : &all->files,
				.texts = instrs ? &all->code : &all->texts};
}

static int look_ahead(struct report *p, struct listings *all, const struct spent *rank,
		      uint32_t n)
{
	struct listing l = new_listing(p, all, p->with_asm);
	uint32_t f[AHEAD];

	for (uint32_t i = 0; i < n; i++)
		f[i] = rank[i].fn;
	render_asks(p->rd);
	arena_reset(&all->one);
	arena_reset(&all->code);
	all->objects = NULL;
	return session_listing(p->rd->session, p->side[0].g, f, n, true, &l, &all->one,
			       p->rd->err);
}

static bool has_text(const struct listing *l)
{
	for (size_t i = 0; i < l->ngroups; i++)
		if (l->group[i].text->line)
			return true;
	return false;
}

/* The lines of function g of the base, as far further down here; false: there are none. */
static bool list_base(struct report *p, struct listings *all, uint32_t g, uint64_t moved,
		      struct source_data *d, struct source_base *base)
{
	const struct side *side = &p->side[1];
	struct listing *l = &base->l;

	if (g == GRAPH_NONE || !side->g->detail)
		return false;
	*d = (struct source_data){.g = side->g,
				  .event = side->event,
				  .events = p->events,
				  .place = side->place};
	base->d = d;
	base->moved = moved;
	*l = (struct listing){.st = side->g->st,
			      .bare = all->bare,
			      .files = &all->base_files,
			      .texts = &all->texts};
	l->events = store_info(l->st)->events;
	render_asks(p->rd);
	return !session_listing(p->rd->session, side->g, &g, 1, false, l, &all->one,
				p->rd->err);
}

/* The lines of f in the base. */
static bool find_base(struct report *p, struct listings *all, uint32_t f,
		      struct source_data *d, struct source_base *base)
{
	const uint32_t g = p->sides > 1 ? p->fn[f].in[1] : GRAPH_NONE;
	const uint64_t was = g == GRAPH_NONE ? 0 : graph_line(p->side[1].g, g),
		       is = graph_line(p->side[0].g, f);

	return list_base(p, all, g, is && was ? is - was : 0, d, base);
}

/* The functions that are gone have the lines of the base, the costliest first. */
static void take_gone(struct report *p, struct listings *all, size_t budget)
{
	const uint32_t here = p->side[0].g->functions, e = p->rd->r->event_id;
	struct spent *rank = ARENA_ARRAY(&p->arrays, struct spent, (size_t)p->all + 1);
	struct out *o = &p->source.o;
	const size_t part = o->n + LINE_BYTES, most = part < budget ? part : budget;
	uint32_t n = 0;

	for (uint32_t i = here; rank && i < p->all && !render_cancelled(p->rd, i); i++)
		if (p->place[i] != GRAPH_NONE)
			rank[n++] = (struct spent){
				i, report_fn_cost(p, 1, p->fn[i].in[1], e, true)};
	if (n)
		report_sort(rank, n);
	for (uint32_t i = 0; i < n && o->n < most; i++) {
		struct listing none = new_listing(p, all, false);
		struct source_data d;
		struct source_base base;
		const size_t before = o->n;

		arena_reset(&all->one);
		if (!list_base(p, all, p->fn[rank[i].fn].in[1], 0, &d, &base))
			continue;
		out_printf(o, "@%" PRIu32 "\n", p->place[rank[i].fn]);
		source_data_put(p->rd, &p->source, &none, &base);
		if (p->rd->err->kind || o->n > most)
			o->n = before;
	}
	p->source.budget = budget;
}

enum taken { TAKEN, NO_ROOM, NO_TEXT };

/* Take the lines, or the instructions, of a function. */
static enum taken take_listing(struct report *p, struct listings *all, uint32_t f,
			       bool instrs)
{
	struct listing l = new_listing(p, all, instrs);
	const size_t before = p->source.o.n;
	struct source_data d;
	struct source_base base;
	bool both;

	render_asks(p->rd);
	arena_reset(&all->one);
	if (session_listing(p->rd->session, p->side[0].g, &f, 1, false, &l, &all->one,
			    p->rd->err) ||
	    (!all->bare && !p->rd->r->listing && !has_text(&l)))
		return NO_TEXT;
	out_printf(&p->source.o, "%c%" PRIu32 "\n", instrs ? '%' : '@',
		   p->side[0].place[f]);
	both = !instrs && find_base(p, all, f, &d, &base);
	if (source_data_put(p->rd, &p->source, &l, both ? &base : NULL))
		return TAKEN;
	p->source.o.n = before;
	return NO_ROOM;
}

static void take_function(struct report *p, struct listings *all, uint32_t f)
{
	const bool instrs = p->with_asm && !all->bare;
	const enum taken source = take_listing(p, all, f, false);
	const enum taken code =
		instrs && !p->rd->err->kind ? take_listing(p, all, f, true) : source;

	all->done[f] = source == TAKEN || code == TAKEN;
	if (all->bare)
		return;
	p->sourced += all->done[f];
	p->textless += source == NO_TEXT && code == NO_TEXT;
}

static void take_functions(struct report *p, struct listings *all,
			   const struct spent *rank, uint32_t n)
{
	const bool ahead =
		!all->bare && store_info(p->side[0].g->st)->has_instr && !all->objects;
	struct source_data *d = &p->source;
	size_t most = d->budget;

	if (all->bare && most > d->o.n + LINE_BYTES)
		most = d->o.n + LINE_BYTES;
	for (uint32_t i = 0; i < n && d->o.n + LEAST_ROOM < most; i++) {
		const uint32_t left = n - i;
		const size_t part = d->o.n + LINE_BYTES / FUNCTION_PART;

		d->budget = all->bare && part < most ? part : most;
		if (ahead && i % AHEAD == 0 &&
		    look_ahead(p, all, rank + i, left < AHEAD ? left : AHEAD))
			break;
		if (!all->done[rank[i].fn])
			take_function(p, all, rank[i].fn);
		if (p->rd->err->kind || render_cancelled(p->rd, i))
			break;
	}
}

int report_take_source(struct report *p)
{
	const size_t cap = p->side[0].g->a->cap;
	struct listings all = {.done = ARENA_ARRAY(&p->arrays, bool,
						   (size_t)p->side[0].g->functions + 1)};

	const size_t budget = p->source.budget;

	p->source.place = p->side[0].place;
	p->source.event = p->side[0].event;
	p->source.events = p->events;
	p->with_asm &= store_info(p->side[0].g->st)->has_instr;
	if (!p->side[0].g->detail || !p->rd->session)
		return 0;
	if (!all.done)
		return err_no_memory(p->rd->err, "for a report");
	arena_init(&all.texts, cap);
	arena_init(&all.code, cap);
	arena_init(&all.one, cap);
	if (p->rd->r->listing && p->rd->r->listing->instrs) /* they were read for it */
		all.objects = *p->rd->r->listing->files;
	for (int bare = !p->with_source; bare < 2 && !p->rd->err->kind; bare++) {
		struct spent *rank;
		const uint32_t n = report_rank(p, !bare, &rank);

		all.bare = bare;
		all.files = all.base_files = NULL;
		p->listed = bare ? p->listed : n;
		if (rank)
			take_functions(p, &all, rank, n);
		free(rank);
		if (bare == !p->with_source && p->sides > 1)
			take_gone(p, &all, budget);
	}
	arena_free(&all.one);
	arena_free(&all.code);
	arena_free(&all.texts);
	return p->rd->err->kind;
}

void report_say_source(struct report *p)
{
	if (!p->side[0].g->detail)
		out_c(p->o, "<p>No source: lines have no costs of their own after these"
			    " stages.</p>\n");
	if (p->textless)
		out_printf(p->o,
			   "<p>No file was found for the source of %s of %s listed"
			   " functions.</p>\n",
			   GROUPED(p->textless), GROUPED(p->listed));
	if (p->rd->source == SOURCE_ASM && !p->with_asm)
		out_printf(p->o,
			   "<p>No instructions: the profile has no addresses%s.</p>\n",
			   store_is_callgrind(p->side[0].g->st)
				   ? " (callgrind --dump-instr=yes)"
				   : "");
	source_data_say(p->o, &p->source);
}
