/*
 * report_source.c - the source of the functions that a report lists; see report.h.
 *
 * Functions come in the order of what they spend themselves, in the event of the query,
 * until the page is full.
 */
#include "engine/graph/graph.h"
#include "engine/query.h"
#include "index/base/err.h"
#include "repl/pictures/report_in.h"

#include <inttypes.h>
#include <stdlib.h>

#include "repl/pictures/frames.h"
#include "repl/render/render.h"

enum {
	AHEAD = 256,	   /* functions whose inlined code is looked up together */
	LEAST_ROOM = 1024, /* less is not worth another function */
};

/* What the listings share, and the memory of one at a time. */
struct listings {
	struct text_file *files,
		*objects; /* objects: of the functions looked ahead for */
	struct arena texts, code, one, base;
};

static struct listing new_listing(const struct report *p, struct listings *all,
				  bool instrs)
{
	struct store *st = p->side[0].g->st;

	return (struct listing){.st = st,
				.events = store_info(st)->events,
				.event = p->rd->r->event_id,
				.instrs = instrs,
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

/* The same of the base, if it has the function. */
static void take_base(struct report *p, struct listings *all, uint32_t f,
		      const struct listing *here)
{
	const struct side *d = &p->side[1];
	const uint32_t e = p->sides > 1 ? d->event[p->rd->r->event_id] : GRAPH_NONE;
	const struct line_side side[2] = {{.g = p->side[0].g, .fn = f},
					  {.g = d->g, .fn = p->fn[f].in[1]}};
	struct text_file *files = NULL;
	struct source_data data = {
		.g = d->g, .event = d->event, .events = p->events, .place = d->place};
	struct listing l = {.event = e, .files = &files, .texts = &all->base};

	arena_reset(&all->base);
	if (e == GRAPH_NONE || side[1].fn == GRAPH_NONE || !d->g->detail)
		return;
	l.st = d->g->st;
	l.events = store_info(l.st)->events;
	render_asks(p->rd);
	if (session_listing(p->rd->session, d->g, &side[1].fn, 1, false, &l, &all->base,
			    p->rd->err))
		return;
	out_mem(&data.o);
	source_data_put_base(p->rd, &data, here, &l, lines_moved(side));
	out_bytes(&p->source.o, data.o.buf, data.o.n);
	out_close(&data.o);
}

enum taken { TAKEN, NO_ROOM, NO_TEXT };

/* Take the lines, or the instructions, of a function. */
static enum taken take_listing(struct report *p, struct listings *all, uint32_t f,
			       bool instrs)
{
	struct listing l = new_listing(p, all, instrs);
	const size_t before = p->source.o.n;
	const uint64_t out = p->source.lines_out;

	render_asks(p->rd);
	arena_reset(&all->one);
	if (session_listing(p->rd->session, p->side[0].g, &f, 1, false, &l, &all->one,
			    p->rd->err) ||
	    (!p->rd->r->listing && !has_text(&l)))
		return NO_TEXT;
	out_printf(&p->source.o, "%c%" PRIu32 "\n", instrs ? '%' : '@',
		   p->side[0].place[f]);
	if (source_data_put(p->rd, &p->source, &l)) {
		if (!instrs && out == p->source.lines_out)
			take_base(p, all, f, &l);
		return TAKEN;
	}
	p->source.o.n = before;
	return NO_ROOM;
}

static void take_function(struct report *p, struct listings *all, uint32_t f)
{
	const enum taken source = take_listing(p, all, f, false);
	const enum taken code =
		p->with_asm && !p->rd->err->kind ? take_listing(p, all, f, true) : source;

	if (source == TAKEN || code == TAKEN)
		p->sourced++;
	else if (source == NO_TEXT && code == NO_TEXT)
		p->textless++;
}

static int take_functions(struct report *p, struct listings *all,
			  const struct spent *rank)
{
	const bool ahead = store_info(p->side[0].g->st)->has_instr && !all->objects;
	const struct source_data *d = &p->source;

	for (uint32_t i = 0; i < p->listed && d->o.n + LEAST_ROOM < d->budget; i++) {
		const uint32_t left = p->listed - i;

		if (ahead && i % AHEAD == 0 &&
		    look_ahead(p, all, rank + i, left < AHEAD ? left : AHEAD))
			break;
		take_function(p, all, rank[i].fn);
		if (p->rd->err->kind || render_cancelled(p->rd, i))
			break;
	}
	return p->rd->err->kind;
}

int report_take_source(struct report *p)
{
	struct listings all = {0};
	struct spent *rank = NULL;
	const size_t cap = p->side[0].g->a->cap;

	p->source.place = p->side[0].place;
	p->source.event = p->side[0].event;
	p->source.events = p->events;
	p->with_asm &= store_info(p->side[0].g->st)->has_instr;
	if (!p->side[0].g->detail || !p->rd->session)
		return 0;
	p->listed = report_rank(p, true, &rank);
	if (!rank)
		return p->rd->err->kind;
	arena_init(&all.texts, cap);
	arena_init(&all.code, cap);
	arena_init(&all.one, cap);
	arena_init(&all.base, cap);
	if (p->rd->r->listing && p->rd->r->listing->instrs) /* they were read for it */
		all.objects = *p->rd->r->listing->files;
	take_functions(p, &all, rank);
	arena_free(&all.base);
	arena_free(&all.one);
	arena_free(&all.code);
	arena_free(&all.texts);
	free(rank);
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
