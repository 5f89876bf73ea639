/*
 * render_md.c - a table in Markdown, to paste into a review.
 *
 *	**2.32 M -> 2.37 M Ir (+2.2 %)**
 *
 *	- 12 grew by 52,100: _int_malloc +50,090 (+22,665.2%), ...
 *	- 2 shrank by 2,100: memcpy -2,000 (-12.1%), free -100 (-1.1%)
 *
 *	`functions vs base | sort delta | take 2` (new.out vs base)
 *
 *	| # | self | fn | base | delta | delta% |
 *	|---:|---:|---|---:|---:|---:|
 *	| 12 | 50,311 | `_int_malloc` | 221 | +50,090 | +22,665% |
 *
 *	2 of 21 functions
 *
 * The columns and numbers are those of the table for people.  Text of the profile is in
 * ticks, where a reviewer's page takes nothing for markup, a link or a person.
 */
#include "index/base/err.h"
#include "repl/render/render.h"

#include "repl/formats/branches.h"
#include "repl/render/said.h"
#include "repl/render/headline.h"
#include "repl/term/number.h"

struct page {
	struct render *rd;
	struct said said;
	struct branches branches;
	bool tree;
	struct out cell;
};

/* Blanks in a row would become one; those that do not break stay. */
static void put_branches(struct page *p, size_t row)
{
	p->cell.n = 0;
	branches_put(&p->branches, &p->cell, row, true);
	for (size_t i = 0; i < p->cell.n; i++)
		if (p->cell.buf[i] == ' ')
			out_c(p->rd->o, "\xc2\xa0");
		else
			out_char(p->rd->o, p->cell.buf[i]);
}

/* `change` is a word of ours; other text is from the profile. */
static bool is_code(const struct shown *s, size_t row)
{
	return s->text && !render_absent(s->c, row) && !str_eq(s->c->name, STR("change"));
}

static void put_md_cell(struct page *p, const struct shown *s, size_t row)
{
	if (s->tree && p->tree)
		put_branches(p, row);
	p->cell.n = 0;
	said_cell(&p->said, &p->cell, s, row);
	emit_name(p->rd->o, is_code(s, row) ? EMIT_MD_CELL : EMIT_MD,
		  str_trim(out_text(&p->cell)));
}

static void put_rule(struct page *p)
{
	for (size_t i = 0; i < p->said.n; i++)
		out_c(p->rd->o, p->said.cols[i].text ? "|---" : "|---:");
	out_c(p->rd->o, "|\n");
}

static void md_put_titles(struct page *p)
{
	static const struct look whole = {.utf8 = true};

	for (size_t i = 0; i < p->said.n; i++) {
		p->cell.n = 0;
		cell_title(&p->cell, &whole, &p->said.cols[i], SAID_WIDEST);
		out_c(p->rd->o, i ? " | " : "| ");
		emit_name(p->rd->o, EMIT_MD, out_text(&p->cell));
	}
	out_c(p->rd->o, " |\n");
}

static int md_put_rows(struct page *p)
{
	for (size_t row = 0; row < p->rd->r->rows; row++) {
		if (render_cancelled(p->rd, row))
			return p->rd->err->kind;
		for (size_t i = 0; i < p->said.n; i++) {
			out_c(p->rd->o, i ? " | " : "| ");
			put_md_cell(p, &p->said.cols[i], row);
		}
		out_c(p->rd->o, " |\n");
	}
	return 0;
}

/* One subject: a line for each column. */
static int put_card(struct page *p)
{
	for (size_t row = 0; row < p->rd->r->rows; row++) {
		if (render_cancelled(p->rd, row))
			return p->rd->err->kind;
		out_c(p->rd->o, row ? "\n| | |\n|---|---|\n" : "| | |\n|---|---|\n");
		for (size_t i = 0; i < p->said.n; i++) {
			struct shown whole = p->said.cols[i];

			whole.grouped = true;
			out_c(p->rd->o, "| ");
			emit_name(p->rd->o, EMIT_MD, whole.c->name);
			out_c(p->rd->o, " | ");
			put_md_cell(p, &whole, row);
			out_c(p->rd->o, " |\n");
		}
	}
	return 0;
}

static void put_code(struct page *p, struct str text)
{
	emit_name(p->rd->o, EMIT_MD_CODE, text);
}

/* The first line stands out, the others are a list. */
static void md_put_headline(struct page *p)
{
	bool list = false;

	for (size_t i = 0; i < HEADLINE_LINES; i++) {
		p->cell.n = 0;
		if (!headline_put(&p->cell, EMIT_MD, p->rd->r, i))
			continue;
		out_c(p->rd->o, i ? "- " : "**");
		out_str(p->rd->o, out_text(&p->cell));
		out_c(p->rd->o, i ? "\n" : "**\n\n");
		list |= i > 0;
	}
	if (list)
		out_char(p->rd->o, '\n');
}

/* What was asked, of which profiles, and what 100 % are. */
static void put_caption(struct page *p)
{
	const struct result *r = p->rd->r;
	char total[NUMBER_MAX];

	md_put_headline(p);
	p->cell.n = 0;
	said_query(&p->cell, r);
	put_code(p, out_text(&p->cell));
	out_c(p->rd->o, " (");
	put_code(p, r->profile);
	if (r->base.n) {
		out_c(p->rd->o, " vs ");
		put_code(p, r->base);
	}
	if (r->event.n && !r->headline && !r->members) {
		out_c(p->rd->o, ", ");
		number_cost(total, r->unit, r->total);
		out_printf(p->rd->o, "%s%.*s ", r->total_about ? "\\~" : "",
			   STR_ARG(str_trim(str_c(total))));
		emit_name(p->rd->o, EMIT_MD, result_title(r));
	}
	out_c(p->rd->o, ")\n");
	for (size_t i = 0; i < r->nfilters; i++) {
		out_c(p->rd->o, i ? " " : "\nfilters: ");
		put_code(p, r->filters[i]);
	}
	out_c(p->rd->o, r->nfilters ? "\n\n" : "\n");
}

static void put_line(struct page *p, struct str text)
{
	if (p->rd->r->rows)
		out_char(p->rd->o, '\n');
	emit_name(p->rd->o, EMIT_MD, text);
	out_char(p->rd->o, '\n');
}

static void put_end(struct page *p)
{
	const struct result *r = p->rd->r;
	uint64_t all = r->rows_before > r->rows ? r->rows_before : r->rows;
	char left[200];

	if (r->footer.n)
		put_line(p, r->footer);
	if (p->rd->left.rows) {
		render_left_out(p->rd, left, sizeof(left));
		put_line(p, str_c(left));
	} else if (!r->footer.n && all > r->rows) {
		out_printf(p->rd->o, "\nshowing %s of %s\n", GROUPED(r->rows),
			   GROUPED(all));
	}
	if (r->truncated)
		put_line(p, STR("incomplete: a limit cut these rows"));
}

int render_md(struct render *rd)
{
	const struct result *r = rd->r;
	struct page p = {.rd = rd, .tree = !r->card && branches_has(r)};

	out_mem(&p.cell);
	if (said_init(&p.said, rd, p.tree) == 0 && p.tree &&
	    branches_init(&p.branches, r, r->rows, SIZE_MAX))
		err_no_memory(rd->err, "while the answer was written");
	if (!rd->err->kind) {
		put_caption(&p);
		if (r->card) {
			put_card(&p);
		} else if (r->rows) {
			md_put_titles(&p);
			put_rule(&p);
			md_put_rows(&p);
		} else if (!r->footer.n) {
			out_c(rd->o, "no rows\n");
		}
		put_end(&p);
	}
	out_close_into(rd->o, &p.cell);
	branches_free(&p.branches);
	said_free(&p.said);
	return rd->err->kind;
}
