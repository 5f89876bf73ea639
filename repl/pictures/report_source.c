/*
 * report_source.c - the source of the functions that a report lists; see report.h.
 *
 * Functions come in the order of what they spend themselves, in the event of the query,
 * until the page is full.
 */
#include "repl/pictures/report_in.h"

#include <stdlib.h>

#include "repl/term/number.h"

enum {
	AHEAD = 256,	   /* functions whose inlined code is looked up together */
	LEAST_ROOM = 1024, /* less is not worth another function */
};

struct spent {
	uint32_t fn; /* of the graph */
	uint64_t self;
};

static int by_self(const void *a, const void *b)
{
	const struct spent *x = a, *y = b;

	if (x->self != y->self)
		return x->self < y->self ? 1 : -1;
	return (x->fn > y->fn) - (x->fn < y->fn);
}

static int rank_listed(struct report *p, struct spent **out)
{
	struct spent *rank = malloc(((size_t)p->all + 1) * sizeof(*rank));

	if (!rank)
		return err_no_memory(p->rd->err, "for a report");
	for (uint32_t i = 0; i < p->all; i++) {
		const uint32_t f = p->fn[i].in[0];

		if (f != GRAPH_NONE && p->row[i] && p->place[i] != GRAPH_NONE)
			rank[p->listed++] = (struct spent){
				f, graph_self(p->side[0].g, f, p->rd->r->event_id)};
	}
	qsort(rank, p->listed, sizeof(*rank), by_self);
	*out = rank;
	return 0;
}

/* What the listings share, and the memory of one at a time. */
struct listings {
	struct text_file *files;
	struct arena texts, one;
};

static struct listing new_listing(const struct report *p, struct listings *all)
{
	struct store *st = p->side[0].g->st;

	return (struct listing){.st = st,
				.events = store_info(st)->events,
				.event = p->rd->r->event_id,
				.files = &all->files,
				.texts = &all->texts};
}

static int look_ahead(struct report *p, struct listings *all, const struct spent *rank,
		      uint32_t n)
{
	struct listing l = new_listing(p, all);
	uint32_t f[AHEAD];

	for (uint32_t i = 0; i < n; i++)
		f[i] = rank[i].fn;
	l.texts = NULL;
	arena_reset(&all->one);
	return session_listing(p->rd->session, p->side[0].g, f, n, &l, &all->one,
			       p->rd->err);
}

static bool has_text(const struct listing *l)
{
	for (size_t i = 0; i < l->ngroups; i++)
		if (l->group[i].text->line)
			return true;
	return false;
}

static int take_function(struct report *p, struct listings *all, uint32_t f)
{
	struct listing l = new_listing(p, all);
	const size_t before = p->source.o.n;

	arena_reset(&all->one);
	if (session_listing(p->rd->session, p->side[0].g, &f, 1, &l, &all->one,
			    p->rd->err))
		return (int)p->rd->err->kind;
	if (!has_text(&l)) {
		p->textless++;
		return 0;
	}
	out_printf(&p->source.o, "@%u\n", p->side[0].place[f]);
	if (source_data_put(&p->source, &l, p->rd->err))
		p->sourced++;
	else
		p->source.o.n = before;
	return (int)p->rd->err->kind;
}

static int take_functions(struct report *p, struct listings *all,
			  const struct spent *rank)
{
	const bool instrs = store_info(p->side[0].g->st)->has_instr;
	const struct source_data *d = &p->source;

	for (uint32_t i = 0; i < p->listed && d->o.n + LEAST_ROOM < d->budget; i++) {
		const uint32_t left = p->listed - i;

		if (instrs && i % AHEAD == 0 &&
		    look_ahead(p, all, rank + i, left < AHEAD ? left : AHEAD))
			return (int)p->rd->err->kind;
		if (take_function(p, all, rank[i].fn) || render_cancelled(p->rd, i))
			return (int)p->rd->err->kind;
	}
	return 0;
}

int report_take_source(struct report *p, size_t budget)
{
	struct listings all = {0};
	struct spent *rank = NULL;

	p->source.budget = budget;
	p->source.place = p->side[0].place;
	if (!p->side[0].g->detail || !p->rd->session)
		return 0;
	if (rank_listed(p, &rank))
		return (int)p->rd->err->kind;
	arena_init(&all.texts, p->side[0].g->a->cap);
	arena_init(&all.one, p->side[0].g->a->cap);
	take_functions(p, &all, rank);
	arena_free(&all.one);
	arena_free(&all.texts);
	free(rank);
	return (int)p->rd->err->kind;
}

void report_say_source(struct report *p)
{
	const uint32_t out = p->listed - p->sourced - p->textless;

	if (!p->side[0].g->detail)
		out_c(p->o, "<p>No source: lines have no costs of their own after these"
			    " stages.</p>\n");
	else if (out)
		out_printf(p->o,
			   "<p>Left out: the source of the %s cheapest of %s listed"
			   " functions.</p>\n",
			   GROUPED(out), GROUPED(p->listed));
	if (p->textless)
		out_printf(p->o,
			   "<p>No file was found for the source of %s of %s listed"
			   " functions.</p>\n",
			   GROUPED(p->textless), GROUPED(p->listed));
	if (p->source.lines_out)
		out_printf(p->o, "<p>Left out: %s of the cheapest lines.</p>\n",
			   GROUPED(p->source.lines_out));
	source_data_say(p->o, &p->source);
}
