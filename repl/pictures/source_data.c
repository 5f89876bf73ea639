/*
 * source_data.c - listings as data of a page; see source_data.h.
 *
 * All rows of a listing are written to memory first.  If they are too many, whole lines
 * are chosen, each with its calls and jumps, costliest first: never a part of a line.
 */
#include "repl/pictures/source_data.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "engine/graph/graph.h"
#include "engine/names/name.h"
#include "engine/query.h"
#include "index/base/arena.h"
#include "index/base/cost.h"
#include "index/base/err.h"
#include "index/base/order.h"
#include "index/base/vec.h"
#include "repl/term/emit.h"

enum {
	GAP_BYTES = 60,	 /* of a line that says how many are left out */
	SHOWN_FILES = 4, /* are listed without a click */
	HELD_BYTES = 90, /* of what says that a file is held, beside its path */
};

static size_t min_of(size_t a, size_t b)
{
	return a < b ? a : b;
}

/* A line with its calls and jumps; or any other row. */
struct source_piece {
	size_t row, n;	/* rows of the listing */
	size_t at, end; /* bytes of the rows written */
	size_t above;	/* bytes of the rows that say its file, and that it is inlined */
	int64_t cost;
	bool keep;
};

struct pieces {
	const struct listing *l;
	struct out rows; /* memory */
	struct source_piece *piece;
	size_t n, cap;
	struct arena names; /* of one name at a time */
	uint32_t *first; /* [store functions]: its first place in the listing, from 1 */
};

/* ---- rows ---- */

static void put_pos(struct out *o, const struct listing *l, uint64_t pos)
{
	if (pos)
		out_printf(o, l->instrs ? "%" PRIx64 : "%" PRIu64, pos);
}

static void put_row_costs(struct out *o, const struct listing *l,
			  const struct listing_place *at)
{
	uint32_t n = at ? store_info(l->st)->all_events : 0;

	while (n && !listing_cost(l, at, n - 1))
		n--;
	for (uint32_t e = 0; e < n; e++) {
		out_c(o, e ? " " : "");
		out_i64(o, listing_cost(l, at, e));
	}
}

static void put_line(struct out *o, const struct listing *l, const struct listing_row *r)
{
	out_char(o, 'L');
	put_pos(o, l, r->pos);
	out_char(o, '\t');
	put_row_costs(o, l, r->at);
	out_char(o, '\t');
	emit_name(o, EMIT_XML, r->text);
	if (!l->instrs || !r->at || !r->at->line)
		return;
	out_char(o, '\t');
	emit_name(o, EMIT_XML, str_basename(store_file(l->st, r->at->file)));
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

/* Where the callee begins. */
static void put_begin(struct out *o, const struct pieces *p, fn_id callee)
{
	const struct listing_place *at;

	if (!p->first[callee])
		return;
	at = &p->l->place[p->first[callee] - 1];
	put_target(o, p->l, at->group, at->pos);
}

/* A name and, if it is another, the one without parameters and namespaces. */
static void put_names(struct pieces *p, struct str name)
{
	struct str brief;

	emit_name(&p->rows, EMIT_XML, name);
	arena_reset(&p->names);
	brief = name_short(name, &p->names);
	if (!brief.p && name.n)
		p->rows.failed = ENOMEM;
	if (!brief.p || str_eq(brief, name))
		return;
	out_char(&p->rows, '\t');
	emit_name(&p->rows, EMIT_XML, brief);
}

static void put_call_row(const struct source_data *d, struct pieces *p,
			 const struct listing_row *r)
{
	struct out *o = &p->rows;
	const struct listing_place *at = r->at;
	const uint32_t f = graph_of_store(d->g, (fn_id)at->other);

	out_char(o, 'C');
	put_pos(o, p->l, r->pos);
	out_char(o, '\t');
	if (!d->place)
		put_begin(o, p, (fn_id)at->other);
	else if (f != GRAPH_NONE && d->place[f] != GRAPH_NONE)
		out_u64(o, d->place[f]);
	out_char(o, '\t');
	out_u64(o, at->calls);
	out_char(o, '\t');
	put_row_costs(o, p->l, at);
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
	out_char(o, '\t');
	emit_name(o, EMIT_XML, r->text);
}

static void put_file_row(struct out *o, const struct listing *l,
			 const struct listing_group *g)
{
	const struct str known =
		l->instrs ? store_obj(l->st, g->id) : store_file(l->st, g->id);

	out_printf(o, "F%d\t", l->instrs || g->own);
	emit_name(o, EMIT_XML, g->text->line ? g->text->path : known);
	out_char(o, '\t');
	emit_name(o, EMIT_XML, str_c(g->text->line ? "" : g->text->why));
	out_printf(o, "\t%d\t%zu", g->text->line && g->text->newer,
		   (size_t)(g - l->group));
}

static void put_source_row(const struct source_data *d, struct pieces *p,
			   const struct listing_group *g, const struct listing_row *r)
{
	struct out *o = &p->rows;

	switch (r->kind) {
	case LISTING_FILE: put_file_row(o, p->l, g); break;
	case LISTING_LINE: put_line(o, p->l, r); break;
	case LISTING_CALL: put_call_row(d, p, r); break;
	case LISTING_JUMP: put_jump_row(o, p->l, r); break;
	case LISTING_GAP:
		out_char(o, 'G');
		emit_name(o, EMIT_XML, r->text);
		break;
	case LISTING_INLINED:
		out_char(o, 'I');
		put_names(p, r->name);
		break;
	}
	out_char(o, '\n');
}

/* ---- pieces ---- */

static int find_first_places(struct pieces *p)
{
	const struct listing *l = p->l;

	p->first = calloc((size_t)store_info(l->st)->functions + 1, sizeof(*p->first));
	if (!p->first)
		return -1;
	for (size_t i = 0; i < l->nplaces; i++) {
		const struct listing_place *at = &l->place[i];

		if (at->kind == LISTING_LINE && !p->first[at->fn] &&
		    (l->instrs || at->group == store_fn_file_id(l->st, at->fn)))
			p->first[at->fn] = (uint32_t)i + 1;
	}
	return 0;
}

static bool is_part_of_line(const struct listing_row *r)
{
	return r->kind == LISTING_CALL || r->kind == LISTING_JUMP;
}

/* Write the rows of a group, and note where each piece is. */
static int put_pieces(const struct source_data *d, struct pieces *p,
		      const struct listing_group *g)
{
	const struct listing *l = p->l;
	size_t file = 0, mark = 0;

	for (size_t i = g->first; i < g->first + g->n; i++) {
		const struct listing_row *r = &l->row[i];
		struct source_piece *piece;
		const size_t at = p->rows.n;

		put_source_row(d, p, g, r);
		if (r->kind == LISTING_FILE)
			file = p->rows.n - at;
		else if (r->kind == LISTING_INLINED)
			mark = p->rows.n - at;
		if (!p->n || !is_part_of_line(r)) {
			if (vec_reserve(&p->piece, &p->cap, p->n + 1, sizeof(*piece)))
				return -1;
			p->piece[p->n++] = (struct source_piece){
				.row = i, .at = at, .above = file + mark};
		}
		piece = &p->piece[p->n - 1];
		piece->n++;
		piece->end = p->rows.n;
		if (r->at && r->kind != LISTING_JUMP)
			cost_add(&piece->cost, listing_cost(l, r->at, l->event));
	}
	return 0;
}

static enum listing_kind kind_of(const struct pieces *p, size_t i)
{
	return p->l->row[p->piece[i].row].kind;
}

static int costlier(const void *a, const void *b)
{
	const struct source_piece *x = *(const struct source_piece *const *)a,
				  *y = *(const struct source_piece *const *)b;
	const int c = cost_order(y->cost, x->cost);

	return c ? c : order_u64(x->row, y->row);
}

/* Keep the costliest lines that fit. */
static int choose_lines(struct pieces *p, size_t room)
{
	struct source_piece **by_cost = malloc((p->n + 1) * sizeof(*by_cost));
	size_t n = 0;

	if (!by_cost)
		return -1;
	for (size_t i = 0; i < p->n; i++)
		if (kind_of(p, i) == LISTING_LINE)
			by_cost[n++] = &p->piece[i];
	qsort(by_cost, n, sizeof(struct source_piece *), costlier);
	for (size_t i = 0; i < n; i++) {
		struct source_piece *c = by_cost[i];
		const size_t bytes = c->end - c->at + c->above + GAP_BYTES;

		if ((c->keep = bytes <= room))
			room -= bytes;
	}
	free(by_cost);
	return 0;
}

/* ---- what is taken ---- */

static struct str held_path(const struct source_held *h)
{
	return (struct str){h->path, h->path_bytes};
}

static int hold(struct source_data *d, const struct listing *l, const struct text_file *f,
		size_t lines)
{
	size_t i = 0;

	if (!f->line || !lines)
		return 0;
	while (i < d->nheld && (d->held[i].instrs != l->instrs ||
				!str_eq(held_path(&d->held[i]), f->path)))
		i++;
	if (i == d->nheld) {
		if (vec_reserve(&d->held, &d->held_cap, i + 1, sizeof(*d->held)))
			return -1;
		d->held[i] = (struct source_held){.path = strndup(f->path.p, f->path.n),
						  .path_bytes = f->path.n,
						  .instrs = l->instrs,
						  .newer = f->newer};
		if (!d->held[i].path)
			return -1;
		d->nheld++;
		d->budget -= min_of(d->budget, f->path.n + HELD_BYTES);
	}
	d->held[i].lines += lines;
	return 0;
}

static void put_left_out(struct source_data *d, const struct listing *l, size_t lines)
{
	if (lines)
		out_printf(&d->o, "G... %s %s%s left out\n", GROUPED(lines),
			   l->instrs ? "instruction" : "line", lines == 1 ? "" : "s");
	d->lines_out += lines;
}

static void copy_piece(struct source_data *d, const struct pieces *p,
		       const struct source_piece *c)
{
	if (c)
		out_bytes(&d->o, p->rows.buf + c->at, c->end - c->at);
}

/* Copy what is kept, each with its file and with what says whether it is inlined; say how
 * many lines are left out. */
static void copy_kept(struct source_data *d, const struct pieces *p)
{
	const struct source_piece *file = NULL, *mark = NULL;
	size_t out = 0;

	for (size_t i = 0; i < p->n; i++) {
		const struct source_piece *c = &p->piece[i];
		const enum listing_kind kind = kind_of(p, i);

		if (kind == LISTING_FILE) {
			if (file)
				d->lines_out += out;
			else
				put_left_out(d, p->l, out);
			out = 0;
			file = c;
			mark = NULL;
		} else if (kind == LISTING_INLINED) {
			mark = c;
		} else if (kind == LISTING_LINE && !c->keep) {
			out++;
		} else if (c->keep) {
			copy_piece(d, p, file);
			put_left_out(d, p->l, out);
			copy_piece(d, p, mark);
			copy_piece(d, p, c);
			file = mark = NULL;
			out = 0;
		}
	}
	if (file)
		d->lines_out += out;
	else
		put_left_out(d, p->l, out);
}

/* Count the lines kept of each file. */
static int hold_files(struct source_data *d, const struct pieces *p, size_t *taken)
{
	size_t group = 0, lines = 0;

	for (size_t i = 0; i < p->n; i++) {
		lines += kind_of(p, i) == LISTING_LINE && p->piece[i].keep;
		if (i + 1 < p->n && kind_of(p, i + 1) != LISTING_FILE)
			continue;
		if (hold(d, p->l, p->l->group[group++].text, lines))
			return -1;
		*taken += lines;
		lines = 0;
	}
	return 0;
}

static int take_pieces(struct source_data *d, struct pieces *p, size_t *taken)
{
	const size_t room = d->budget > d->o.n ? d->budget - d->o.n : 0;

	if (!d->place && find_first_places(p))
		return -1;
	for (size_t i = 0; i < p->l->ngroups; i++)
		if (put_pieces(d, p, &p->l->group[i]))
			return -1;
	if (p->rows.n > room) {
		if (choose_lines(p, room))
			return -1;
		copy_kept(d, p);
	} else {
		for (size_t i = 0; i < p->n; i++)
			p->piece[i].keep = true;
		out_bytes(&d->o, p->rows.buf, p->rows.n);
	}
	return hold_files(d, p, taken);
}

size_t source_data_put(struct source_data *d, const struct listing *l, struct err *err)
{
	struct pieces p = {.l = l};
	size_t taken = 0;

	out_mem(&p.rows);
	arena_init(&p.names, 0);
	if (take_pieces(d, &p, &taken) || p.rows.failed || d->o.failed)
		err_no_memory(err, "for the source of a page");
	out_close(&p.rows);
	arena_free(&p.names);
	free(p.piece);
	free(p.first);
	return taken;
}

/* ---- the page ---- */

void source_data_write(struct out *o, const struct source_data *d)
{
	out_c(o, "<pre id=\"d-source\" hidden>\n");
	out_bytes(o, d->o.buf, d->o.n);
	out_c(o, "</pre>\n");
}

/* "82 lines", "48 lines and 22,327 instructions" */
static void put_amount(char *buf, size_t size, const struct source_data *d)
{
	size_t n[2] = {0};

	for (size_t i = 0; i < d->nheld; i++)
		n[d->held[i].instrs] += d->held[i].lines;
	if (n[0] && n[1])
		snprintf(buf, size, "%s line%s and %s instruction%s", GROUPED(n[0]),
			 n[0] == 1 ? "" : "s", GROUPED(n[1]), n[1] == 1 ? "" : "s");
	else
		snprintf(buf, size, "%s %s%s", GROUPED(n[0] + n[1]),
			 n[1] ? "instruction" : "line", n[0] + n[1] == 1 ? "" : "s");
}

void source_data_say(struct out *o, const struct source_data *d)
{
	char amount[80];

	if (!d->nheld) {
		out_c(o, "<p>This page holds no text of any file.</p>\n");
		return;
	}
	put_amount(amount, sizeof(amount), d);
	out_printf(o,
		   "<details id=\"held\"%s><summary>This page holds text of %s file%s:"
		   " %s</summary>\n<ul>\n",
		   d->nheld <= SHOWN_FILES ? " open" : "", GROUPED(d->nheld),
		   d->nheld == 1 ? "" : "s", amount);
	for (size_t i = 0; i < d->nheld; i++) {
		const struct source_held *h = &d->held[i];

		out_c(o, "<li><code>");
		emit_name(o, EMIT_XML, held_path(h));
		out_printf(o, "</code>: %s %s%s%s</li>\n", GROUPED(h->lines),
			   h->instrs ? "instruction" : "line", h->lines == 1 ? "" : "s",
			   h->newer ? "; it is newer than the profile" : "");
	}
	out_c(o, "</ul></details>\n");
}

void source_data_note(char *buf, size_t size, const struct source_data *d)
{
	char amount[80];

	put_amount(amount, sizeof(amount), d);
	if (d->nheld)
		snprintf(buf, size, "the page holds text of %s file%s: %s",
			 GROUPED(d->nheld), d->nheld == 1 ? "" : "s", amount);
	else
		snprintf(buf, size, "the page holds no source: %s",
			 d->g->detail ? "no file was found; see --source-root"
				      : "lines have no costs after these stages");
}

void source_data_init(struct source_data *d, struct graph *g, size_t budget)
{
	d->g = g;
	d->budget = budget;
	out_mem(&d->o);
}

void source_data_free(struct source_data *d)
{
	for (size_t i = 0; i < d->nheld; i++)
		free(d->held[i].path);
	out_close(&d->o);
	free(d->held);
}
