/* said.c - cells and rows in words; see said.h. */
#include "repl/render/said.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "engine/lang/col_type.h"
#include "engine/lang/format.h"
#include "index/base/err.h"
#include "index/base/out.h"
#include "repl/render/columns.h"
#include "repl/render/fit.h"
#include "repl/render/render.h"

enum {
	QUERY_WIDEST = 200,
	WHOLE_WIDEST = 300,
};

static const char doing[] = "while the answer was written";

int said_init(struct said *s, struct render *rd, bool tree)
{
	const struct result *r = rd->r;

	*s = (struct said){.rd = rd, .cols = calloc(r->ncols + 1, sizeof(*s->cols))};
	if (!s->cols)
		return err_no_memory(rd->err, doing);
	s->n = columns_choose(r, r->rows, tree, rd->look->exact, s->cols);
	for (size_t i = 0; i < s->n; i++)
		s->cols[i].sign = str_starts(s->cols[i].c->name, STR("delta"));
	return brief_init(&s->brief, rd);
}

void said_free(struct said *s)
{
	brief_free(&s->brief);
	free(s->cols);
}

static void put_said_name(struct said *s, struct out *o, const struct column *c,
			  size_t row)
{
	const struct str name = brief_of(&s->brief, c, row);

	fit_put(o, EMIT_TEXT, FIT_NAME, name,
		str_eq(name, c->s[row]) ? WHOLE_WIDEST : SAID_WIDEST);
}

void said_cell(struct said *s, struct out *o, const struct shown *c, size_t row)
{
	static const struct look whole = {.utf8 = true};

	if (c->c->type == COL_NAME && !render_absent(c->c, row))
		put_said_name(s, o, c->c, row);
	else
		cell_put(o, &whole, c, row, SAID_WIDEST);
}

/* ---- rows ---- */

static bool is_place(const struct shown *c)
{
	return c->line || cell_is_place(c->c);
}

static bool has_value(const struct shown *s, size_t row)
{
	const struct column *c = s->c;

	if (render_absent(c, row))
		return false;
	if (s->text)
		return c->s[row].n > 0;
	if (c->type == COL_PERCENT || c->type == COL_RATIO)
		return isfinite(c->f[row]);
	return c->type != COL_BOOL || c->b[row];
}

/* The percentage of a number: the column with its name and "%". */
static const struct shown *share_of(const struct said *s, const struct shown *of)
{
	struct str name = of->c->name;

	for (size_t i = 0; i < s->n; i++) {
		const struct column *c = s->cols[i].c;

		if (c->type == COL_PERCENT && c->name.n == name.n + 1 &&
		    str_starts(c->name, name))
			return &s->cols[i];
	}
	return NULL;
}

static bool is_share(const struct said *s, const struct shown *percent)
{
	for (size_t i = 0; i < s->n; i++)
		if (!s->cols[i].text && share_of(s, &s->cols[i]) == percent)
			return true;
	return false;
}

/* The columns that a comparison is about come first. */
enum turn { TURN_DELTA, TURN_BASE, TURN_REST, TURNS, NEVER };

static enum turn turn_of(const struct said *s, const struct shown *c,
			 const struct shown *subject)
{
	switch (c->c->type) {
	case COL_NAME:
	case COL_ID: return NEVER;
	case COL_DELTA: return TURN_DELTA;
	case COL_PERCENT:
		if (is_share(s, c) || str_eq(c->c->name, STR("cum%")))
			return NEVER;
		break;
	default: break;
	}
	if (c == subject || is_place(c) ||
	    (s->rd->r->expects && str_eq(c->c->name, STR("profile"))))
		return NEVER; /* the case, or the title, has the name of the profile */
	return str_starts(c->c->name, STR("base")) ? TURN_BASE : TURN_REST;
}

static void put_value(struct said *s, struct out *o, const struct shown *c, size_t row,
		      const char *before)
{
	const struct shown *share = c->text ? NULL : share_of(s, c);
	struct shown grouped = *c;
	struct str name = c->c->name;

	grouped.grouped = true;
	if (c->c->type == COL_PERCENT && str_ends(name, STR("%")))
		name.n--;
	out_c(o, before);
	emit_name(o, EMIT_TEXT, name);
	if (c->c->type == COL_BOOL)
		return;
	out_char(o, ' ');
	said_cell(s, o, &grouped, row);
	if (share && has_value(share, row)) {
		out_c(o, " (");
		said_cell(s, o, share, row);
		out_char(o, ')');
	}
}

/* "main", "main -> malloc"; else the first text, which is then *subject; else what was
 * asked: "cost of main". */
static bool put_subject(struct said *s, struct out *o, size_t row,
			const struct shown **subject)
{
	bool named = false;

	*subject = NULL;
	for (size_t i = 0; i < s->n; i++) {
		if (s->cols[i].c->type != COL_NAME || !has_value(&s->cols[i], row))
			continue;
		out_c(o, named ? " -> " : "");
		said_cell(s, o, &s->cols[i], row);
		named = true;
	}
	for (size_t i = 0; i < s->n && !named; i++) {
		if (!s->cols[i].text || !has_value(&s->cols[i], row))
			continue;
		*subject = &s->cols[i];
		said_cell(s, o, *subject, row);
		named = true;
	}
	for (size_t i = 0; i < s->n && named; i++)
		if (is_place(&s->cols[i]) && &s->cols[i] != *subject &&
		    has_value(&s->cols[i], row)) {
			out_c(o, " (");
			said_cell(s, o, &s->cols[i], row);
			out_char(o, ')');
		}
	if (!named && s->n)
		said_query(o, s->rd->r);
	return named || s->n;
}

void said_row(struct said *s, struct out *o, size_t row)
{
	const struct shown *subject;
	const char *before = put_subject(s, o, row, &subject) ? ": " : "";

	for (enum turn turn = 0; turn < TURNS; turn++)
		for (size_t i = 0; i < s->n; i++)
			if (turn_of(s, &s->cols[i], subject) == turn &&
			    has_value(&s->cols[i], row)) {
				put_value(s, o, &s->cols[i], row, before);
				before = ", ";
			}
}

/* The query without its last stage, if that is `as FORMAT`: what was asked, not how it is
 * written. */
static struct str without_format(struct str query)
{
	size_t n = query.n;
	struct str last;

	while (n > 0 && query.p[n - 1] != '|')
		n--;
	last = str_trim(str_from(query, n));
	if (!n || !str_starts(last, STR("as ")) ||
	    format_of_name(str_trim(str_from(last, 3))) == FORMAT_NONE)
		return query;
	return str_trim((struct str){query.p, n - 1});
}

void said_query(struct out *o, const struct result *r)
{
	struct str query = without_format(r->query);
	struct out line;
	bool blank = false;

	out_mem(&line);
	for (size_t i = 0; i < query.n; i++) {
		if (strchr(" \t\r\n", query.p[i]) && query.p[i]) {
			blank = true;
			continue;
		}
		if (blank)
			out_char(&line, ' ');
		blank = false;
		out_char(&line, query.p[i]);
	}
	fit_put(o, EMIT_TEXT, FIT_TEXT, out_text(&line), QUERY_WIDEST);
	out_close(&line);
}

void said_lines(struct out *o, enum emit_form form, struct str text)
{
	for (;;) {
		size_t n = str_find(text, '\n');

		emit_name(o, form, (struct str){text.p, n});
		if (n == text.n)
			return;
		out_char(o, '\n');
		text = str_from(text, n + 1);
	}
}
