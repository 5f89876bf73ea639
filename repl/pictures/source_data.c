/*
 * source_data.c - listings as data of a page; see report_in.h.
 *
 * All rows of a listing are written to memory first.  If they are too many, whole lines
 * are chosen, each with its calls and jumps, costliest first: never a part of a line.
 */
#include "repl/pictures/report_in.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "engine/graph/graph.h"
#include "engine/names/name.h"
#include "index/base/arena.h"
#include "index/base/cost.h"
#include "index/base/err.h"
#include "index/base/order.h"
#include "repl/render/render.h"
#include "repl/term/emit.h"

enum {
	GAPS_BYTES = 80, /* of two lines that say how many are left out */
	SHOWN_FILES = 4, /* are listed without a click */
};

/* A line, with its calls and jumps: some rows of the listing. */
struct source_line {
	size_t row, end;
	size_t file, mark; /* the rows that say its file, and whether it is inlined */
	int64_t cost;
};

struct source_rows {
	struct render *rd;
	const struct listing *l;
	struct out o; /* memory: all rows */
	size_t *at;   /* [rows + 1]: where each begins there */
	bool *keep;   /* [rows] */
	struct source_line *line;
	size_t n;
	struct arena names; /* of one name at a time */
};

/* ---- rows ---- */

static void put_pos(struct out *o, const struct listing *l, uint64_t pos)
{
	if (pos)
		out_printf(o, l->instrs ? "%" PRIx64 : "%" PRIu64, pos);
}

static int64_t cost_in(const struct source_data *d, const struct listing *l,
		       const struct listing_place *at, uint32_t e)
{
	return d->event[e] == GRAPH_NONE ? 0 : listing_cost(l, at, d->event[e]);
}

static void put_row_costs(const struct source_data *d, struct out *o,
			  const struct listing *l, const struct listing_place *at)
{
	uint32_t n = at ? d->events : 0;

	while (n && !cost_in(d, l, at, n - 1))
		n--;
	for (uint32_t e = 0; e < n; e++) {
		out_c(o, e ? " " : "");
		out_i64(o, cost_in(d, l, at, e));
	}
}

static void put_line(const struct source_data *d, struct out *o, const struct listing *l,
		     const struct listing_row *r)
{
	out_char(o, 'L');
	put_pos(o, l, r->pos);
	out_char(o, '\t');
	put_row_costs(d, o, l, r->at);
	emit_xml(o, "\t", r->text, "");
	if (!l->instrs || !r->at || !r->at->line)
		return;
	emit_xml(o, "\t", str_basename(store_file(l->st, r->at->file)), "");
	out_printf(o, ":%" PRIu64, r->at->line);
}

/* A place in this listing: "group:pos"; nothing if it has no such group. */
static void put_target(struct out *o, const struct listing *l, uint32_t group,
		       uint64_t pos)
{
	size_t g = 0;

	while (g < l->ngroups && l->group[g].id != group)
		g++;
	if (g == l->ngroups)
		return;
	out_printf(o, "%zu:", g);
	put_pos(o, l, pos);
}

/* A name and, if it is another, the one without parameters and namespaces. */
static void put_names(struct source_rows *p, struct str name)
{
	struct str brief;

	emit_name(&p->o, EMIT_XML, name);
	arena_reset(&p->names);
	brief = name_short(name, &p->names);
	if (!brief.p && name.n)
		p->o.failed = ENOMEM;
	if (!brief.p || str_eq(brief, name))
		return;
	emit_xml(&p->o, "\t", brief, "");
}

static void put_call_row(const struct source_data *d, struct source_rows *p,
			 const struct listing_row *r)
{
	struct out *o = &p->o;
	const struct listing_place *at = r->at;
	const bool call = r->kind == LISTING_CALL;
	const uint32_t f = call ? graph_of_store(d->g, (fn_id)at->other) : GRAPH_NONE;
	const uint32_t place = f == GRAPH_NONE ? f : d->place[f];

	out_char(o, 'C');
	put_pos(o, p->l, r->pos);
	out_char(o, '\t');
	if (place != GRAPH_NONE)
		out_u64(o, place);
	out_char(o, '\t');
	out_i64(o, !call ? -1 : at->calls == CALLS_UNKNOWN ? -2 : (int64_t)at->calls);
	out_char(o, '\t');
	put_row_costs(d, o, p->l, at);
	if (place != GRAPH_NONE)
		return;
	out_char(o, '\t');
	put_names(p, r->name);
}

static void put_jump_row(struct out *o, const struct listing *l,
			 const struct listing_row *r)
{
	out_char(o, 'J');
	put_pos(o, l, r->pos);
	out_char(o, '\t');
	put_target(o, l, l->instrs ? r->group : r->at->to_file, r->at->other);
	emit_xml(o, "\t", r->text, "");
}

static void put_file_row(struct out *o, const struct listing *l,
			 const struct listing_group *g, size_t n)
{
	const struct str known =
		l->instrs ? store_obj(l->st, g->id) : store_file(l->st, g->id);

	out_printf(o, "F%d\t", l->instrs || g->own);
	emit_xml(o, "", g->text->line ? g->text->path : known, "\t");
	emit_name(o, EMIT_XML, str_c(g->text->line ? "" : g->text->why));
	out_printf(o, "\t%d\t%zu", g->text->line && g->text->newer, n);
}

static void put_source_row(const struct source_data *d, struct source_rows *p,
			   const struct listing_group *g, const struct listing_row *r)
{
	struct out *o = &p->o;

	switch (r->kind) {
	case LISTING_FILE: put_file_row(o, p->l, g, (size_t)(g - p->l->group)); break;
	case LISTING_LINE: put_line(d, o, p->l, r); break;
	case LISTING_CALL: put_call_row(d, p, r); break;
	case LISTING_JUMP: put_jump_row(o, p->l, r); break;
	case LISTING_GAP: emit_xml(o, "G", r->text, ""); break;
	case LISTING_INLINED:
		out_c(o, r->at ? "" : "I");
		if (r->at)
			put_call_row(d, p, r);
		else
			put_names(p, r->name);
		break;
	}
	out_char(o, '\n');
}

/* ---- those that fit ---- */

/* Write all rows to memory, and find the lines. */
static void write_rows(const struct source_data *d, struct source_rows *p)
{
	const struct listing *l = p->l;
	const struct listing_group *g = l->group;
	size_t file = 0, mark = 0;

	for (size_t i = 0; i < l->nrows && !render_cancelled(p->rd, i); i++) {
		const struct listing_row *r = &l->row[i];
		struct source_line *line;

		g += i == g->first + g->n;
		put_source_row(d, p, g, r);
		p->at[i + 1] = p->o.n;
		if (r->kind == LISTING_FILE)
			file = mark = i;
		else if (r->kind == LISTING_INLINED && !r->at)
			mark = i;
		else if (r->kind == LISTING_LINE)
			p->line[p->n++] = (struct source_line){i, i, file, mark, 0};
		if (r->kind != LISTING_LINE && !r->at)
			continue;
		line = &p->line[p->n - 1];
		line->end = i + 1;
		if (r->at && r->kind != LISTING_JUMP)
			cost_add(&line->cost, listing_cost(l, r->at, l->event));
	}
}

static int costlier(const void *a, const void *b)
{
	const struct source_line *x = a, *y = b;
	const int c = cost_order(y->cost, x->cost);

	return c ? c : order_u64(x->row, y->row);
}

/* Keep all rows, or the costliest lines that fit, each with its file and mark. */
static void choose_lines(const struct source_data *d, struct source_rows *p)
{
	size_t room = d->budget > d->o.n ? d->budget - d->o.n : 0;

	if (p->o.n <= room)
		memset(p->keep, true, p->l->nrows);
	else
		qsort(p->line, p->n, sizeof(*p->line), costlier);
	for (size_t i = 0; p->o.n > room && i < p->n && !render_cancelled(p->rd, i);
	     i++) {
		const struct source_line *x = &p->line[i];
		const size_t from[] = {x->file, x->mark, x->row};
		const size_t end[] = {x->file + 1, x->mark + 1, x->end};
		size_t bytes = GAPS_BYTES;

		for (int k = 0; k < 3; k++)
			bytes += p->keep[from[k]] ? 0 : p->at[end[k]] - p->at[from[k]];
		if (bytes > room)
			continue;
		room -= bytes;
		for (int k = 0; k < 3; k++)
			memset(p->keep + from[k], true, end[k] - from[k]);
	}
}

/* ---- what is taken ---- */

static void put_left_out(struct source_data *d, const struct listing *l, size_t lines)
{
	if (lines)
		out_printf(&d->o, "G... %s %s%s left out\n", GROUPED(lines),
			   l->instrs ? "instruction" : "line", lines == 1 ? "" : "s");
}

/* Take what is kept of a group, and say how many lines are left out between; returns the
 * lines taken. */
static size_t take_group(struct source_data *d, const struct source_rows *p,
			 const struct listing_group *g)
{
	size_t lines = 0, out = 0;

	for (size_t i = g->first; i < g->first + g->n && !render_cancelled(p->rd, i);
	     i++) {
		const bool line = p->l->row[i].kind == LISTING_LINE;

		if (!p->keep[i]) {
			out += line;
			continue;
		}
		put_left_out(d, p->l, out);
		out = 0;
		lines += line;
		out_bytes(&d->o, p->o.buf + p->at[i], p->at[i + 1] - p->at[i]);
	}
	if (lines)
		put_left_out(d, p->l, out);
	return lines;
}

/* The file here that group g of the base is. */
static size_t same_group(const struct listing *here, const struct listing *l,
			 const struct listing_group *g)
{
	size_t n = 0;

	while (n < here->ngroups && !(g->own && here->group[n].own) &&
	       !str_eq(store_file(here->st, here->group[n].id), store_file(l->st, g->id)))
		n++;
	return n < here->ngroups ? n : n + (size_t)(g - l->group);
}

/* Is it a line here that is left out? */
static bool is_left_out(const struct source_rows *p, size_t group, uint64_t pos)
{
	const struct listing_group *g;

	if (group >= p->l->ngroups)
		return false;
	g = &p->l->group[group];
	for (size_t i = g->first; i < g->first + g->n; i++)
		if (p->l->row[i].kind == LISTING_LINE && p->l->row[i].pos == pos)
			return !p->keep[i];
	return false;
}

/* The lines of the base that have costs, where they lie here. */
static void take_base(struct source_data *d, const struct source_rows *here,
		      const struct source_base *b)
{
	struct source_rows p = {.rd = here->rd, .l = &b->l};

	out_mem(&p.o);
	arena_init(&p.names, 0);
	for (const struct listing_group *g = p.l->group; g < p.l->group + p.l->ngroups;
	     g++) {
		const size_t n = same_group(here->l, p.l, g);

		if (n >= here->l->ngroups) {
			put_file_row(&p.o, p.l, g, n);
			out_char(&p.o, '\n');
		}
		for (size_t i = g->first;
		     i < g->first + g->n && !render_cancelled(p.rd, i); i++) {
			struct listing_row r = p.l->row[i];

			/* Of what is gone there is no other text. */
			r.text = here->l->nrows ? STR("") : r.text;
			r.pos += g->own ? b->moved : 0;
			if (!r.at || r.kind == LISTING_JUMP ||
			    is_left_out(here, n, r.pos))
				continue;
			out_printf(&p.o, "B%zu\t", n);
			put_source_row(b->d, &p, g, &r);
		}
	}
	out_bytes(&d->o, p.o.buf, p.o.n);
	d->o.failed = d->o.failed ? d->o.failed : p.o.failed;
	out_close(&p.o);
	arena_free(&p.names);
}

static int take_rows(struct source_data *d, struct source_rows *p,
		     const struct source_base *base, size_t *taken)
{
	const struct listing *l = p->l;

	p->at = calloc(l->nrows + 1, sizeof(*p->at));
	p->keep = calloc(l->nrows + 1, sizeof(*p->keep));
	p->line = calloc(l->nrows + 1, sizeof(*p->line));
	if (!p->at || !p->keep || !p->line)
		return -1;
	write_rows(d, p);
	if (p->rd->err->kind)
		return 0;
	choose_lines(d, p);
	for (size_t i = 0; i < l->ngroups; i++) {
		const struct text_file *text = l->group[i].text;
		const size_t lines = take_group(d, p, &l->group[i]);

		*taken += lines;
		if (!text->line || !lines)
			continue;
		d->lines[l->instrs] += lines;
		if (strset_copy(&d->files, text->path) == HASH_NONE)
			return -1;
	}
	d->lines_out += p->n - *taken;
	if (base && (*taken || !l->nrows))
		take_base(d, p, base);
	return 0;
}

size_t source_data_put(struct render *rd, struct source_data *d, const struct listing *l,
		       const struct source_base *base)
{
	struct source_rows p = {.rd = rd, .l = l};
	size_t taken = 0;

	out_mem(&p.o);
	arena_init(&p.names, 0);
	if (take_rows(d, &p, base, &taken) || p.o.failed || d->o.failed)
		err_no_memory(rd->err, "for the source of a page");
	out_close(&p.o);
	arena_free(&p.names);
	free(p.at);
	free(p.keep);
	free(p.line);
	return taken;
}

/* ---- the page ---- */

void source_data_text(char *buf, size_t size, const struct source_data *d)
{
	static const char *const what[] = {"line", "instruction"};
	const size_t *n = d->lines;
	int at;

	if (!d->files.n) {
		snprintf(buf, size, "the page holds no source: %s",
			 d->g->detail ? "no file was found; see --source-root"
				      : "lines have no costs after these stages");
		return;
	}
	at = snprintf(buf, size, "the page holds text of %s file%s:", GROUPED(d->files.n),
		      d->files.n == 1 ? "" : "s");
	for (int k = 0; k < 2; k++)
		if (n[k])
			at += snprintf(buf + at, size - (size_t)at, "%s %s %s%s",
				       k && n[0] ? " and" : "", GROUPED(n[k]), what[k],
				       n[k] == 1 ? "" : "s");
	if (d->lines_out)
		snprintf(buf + at, size - (size_t)at,
			 ". Left out: %s of the cheapest lines", GROUPED(d->lines_out));
}

void source_data_say(struct out *o, const struct source_data *d)
{
	char text[200];

	source_data_text(text, sizeof(text), d);
	if (d->files.n)
		out_printf(o,
			   "<details id=\"held\"%s><summary>T%s"
			   "</summary>\n<ul></ul></details>\n",
			   d->files.n <= SHOWN_FILES ? " open" : "", text + 1);
	else
		out_printf(o, "<p>T%s.</p>\n", text + 1);
}
