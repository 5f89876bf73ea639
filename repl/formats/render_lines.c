/*
 * render_lines.c - formats for programs: csv, tsv, json, ndjson.
 *
 * Names are whole, numbers are plain digits, and the machine columns are in their order.
 * Numbers are those of the profile; csv and tsv have no other place for their unit than the
 * heading: self_10ns.  An unknown cell is empty, or null in JSON.
 */
#include "index/base/err.h"
#include "index/base/out.h"
#include "repl/render/render.h"

#include <stdlib.h>

#include "repl/term/number.h"

enum { AHEAD = 8 }; /* rows */

struct lines {
	enum emit_form form;
	const char *before, *between, *after, *none; /* around and between cells */
	const char *empty;			     /* a row without cells */
	bool keys;     /* each cell after its name: an object of JSON */
	bool database; /* an unknown number is 0, a text empty; in csv true is 1 */
};

/* A column of the result, and what is written before each cell. */
struct lines_cell {
	const struct column *c;
	struct str before;
	enum { CELL_TEXT, CELL_DIGITS, CELL_FLAG, CELL_OTHER } kind;
};

struct lines_plan {
	const struct lines *l;
	const struct lines_column *col;
	struct lines_column *own; /* malloc'd */
	struct lines_cell *cell;
	size_t ncols, n;
	struct str last; /* after the last cell */
	struct out text; /* of the befores */
};

/* "ns", "10ns", "us", "B", "KiB": of what a number with scale 1 is one. */
static void put_unit(struct out *o, struct unit u)
{
	static const struct {
		enum unit_kind kind;
		uint64_t scale;
		const char *word;
	} units[] = {{UNIT_TIME, 1000000000, "s"}, {UNIT_TIME, 1000000, "ms"},
		     {UNIT_TIME, 1000, "us"},	   {UNIT_TIME, 1, "ns"},
		     {UNIT_BYTES, 1 << 30, "GiB"}, {UNIT_BYTES, 1 << 20, "MiB"},
		     {UNIT_BYTES, 1 << 10, "KiB"}, {UNIT_BYTES, 1, "B"}};
	size_t i = 0;

	while (units[i].kind != u.kind || u.scale % units[i].scale)
		i++;
	if (u.scale > units[i].scale)
		out_u64(o, u.scale / units[i].scale);
	out_c(o, units[i].word);
}

/* A heading: self_10ns; json has the unit in its meta data. */
static void put_name(struct out *o, const struct lines_plan *p, size_t i)
{
	const struct column *c = p->l->form == EMIT_JSON ? NULL : p->col[i].c;
	const struct str name = p->col[i].name;
	struct out with;
	int failed;

	if (!c || c->row_unit || !c->unit.kind ||
	    event_unit(name, STR(""), STR("")).kind ||
	    (c->type != COL_COST && c->type != COL_DELTA && c->type != COL_RATIO)) {
		emit_name(o, p->l->form, name);
		return;
	}
	out_mem(&with);
	out_str(&with, name);
	out_char(&with, '_');
	put_unit(&with, c->unit);
	emit_name(o, p->l->form, out_text(&with));
	failed = out_close(&with);
	if (failed)
		o->failed = failed;
}

/* Columns with one value for all rows are a part of what is before the next cell. */
static void plan_befores(struct lines_plan *p)
{
	size_t at = 0;
	const char *text;

	p->n = 0;
	for (size_t i = 0; i < p->ncols; i++) {
		out_c(&p->text, i ? p->l->between : p->l->before);
		if (p->l->keys) {
			emit_name(&p->text, EMIT_JSON, p->col[i].name);
			out_char(&p->text, ':');
		}
		if (!p->col[i].c && p->col[i].known)
			emit_name(&p->text, p->l->form, p->col[i].text);
		else if (!p->col[i].c)
			out_c(&p->text, p->l->none);
		else {
			p->cell[p->n++].before.n = p->text.n - at;
			at = p->text.n;
		}
	}
	text = p->text.n ? p->text.buf : "";
	p->last = (struct str){text + at, p->text.n - at};
	for (size_t i = 0, from = 0; i < p->n; from += p->cell[i++].before.n)
		p->cell[i].before.p = text + from;
}

static void plan_cell(const struct lines *l, struct lines_cell *cell,
		      const struct column *c)
{
	cell->c = c;
	cell->kind = render_is_text(c)				      ? CELL_TEXT
		     : render_is_digits(c)			      ? CELL_DIGITS
		     : l->database && !l->keys && c->type == COL_BOOL ? CELL_FLAG
								      : CELL_OTHER;
}

/* col NULL: the columns of machine formats. */
static int lines_plan(struct render *rd, const struct lines *l,
		      const struct lines_column *col, size_t ncols, struct lines_plan *p)
{
	const struct result *r = rd->r;
	size_t at;

	*p = (struct lines_plan){.l = l, .col = col, .ncols = ncols};
	out_mem(&p->text);
	/* A damaged index is reported before anything is written. */
	if (r->rows && result_row(r, 0, &at, rd->err))
		return rd->err->kind;
	if (!col)
		p->col = p->own = calloc(r->ncols + 1, sizeof(*p->own));
	for (size_t i = 0; p->own && i < r->ncols; i++)
		if (r->cols[i].machine)
			p->own[p->ncols++] = (struct lines_column){
				.name = r->cols[i].name, .c = &r->cols[i]};
	p->cell = calloc(p->ncols + 1, sizeof(*p->cell));
	if (!p->cell || !p->col)
		return err_no_memory(rd->err, NULL);
	for (size_t i = 0; i < p->ncols; i++)
		if (p->col[i].c)
			plan_cell(l, &p->cell[p->n++], p->col[i].c);
	plan_befores(p);
	if (p->text.failed) {
		p->n = p->ncols = 0;
		return err_no_memory(rd->err, NULL);
	}
	return 0;
}

static void lines_end(struct lines_plan *p)
{
	free(p->cell);
	free(p->own);
	out_close(&p->text);
}

static void put_header(struct render *rd, const struct lines_plan *p)
{
	for (size_t i = 0; i < p->ncols; i++) {
		out_c(rd->o, i ? p->l->between : p->l->before);
		put_name(rd->o, p, i);
	}
	out_c(rd->o, p->ncols ? p->l->after : p->l->empty);
}

/* Names of rows of a sorted table are anywhere in the index. */
static void prefetch_names(const struct lines_plan *p, size_t row)
{
	for (size_t i = 0; i < p->n; i++)
		if (p->cell[i].kind == CELL_TEXT)
			__builtin_prefetch(p->cell[i].c->s[row].p);
}

static void put_lines_row(struct render *rd, const struct lines_plan *p, size_t row)
{
	for (size_t i = 0; i < p->n; i++) {
		const struct column *c = p->cell[i].c;

		out_str(rd->o, p->cell[i].before);
		if (!p->l->database && render_absent(c, row))
			out_c(rd->o, p->l->none);
		else if (p->cell[i].kind == CELL_TEXT)
			emit_name(rd->o, p->l->form, c->s[row]);
		else if (p->cell[i].kind == CELL_DIGITS)
			out_u64(rd->o, c->u[row]);
		else if (p->cell[i].kind == CELL_FLAG)
			out_char(rd->o, c->b[row] ? '1' : '0');
		else
			render_plain(rd->o, c, row, p->l->none);
	}
	out_str(rd->o, p->last);
	out_c(rd->o, p->ncols ? p->l->after : p->l->empty);
}

struct lines_rows {
	struct render *rd;
	const struct lines_plan *p;
	const char *sep;
};

static int put_each_row(void *arg)
{
	const struct lines_rows *l = arg;
	struct render *rd = l->rd;

	for (size_t row = 0, at; row < rd->r->rows; row++) {
		if (render_cancelled(rd, row) || result_row(rd->r, row, &at, rd->err))
			return rd->err->kind;
		out_c(rd->o, row ? l->sep : "");
		if (at + AHEAD < (rd->r->pages ? rd->r->held : rd->r->rows))
			prefetch_names(l->p, at + AHEAD);
		put_lines_row(rd, l->p, at);
	}
	return 0;
}

/* Write all rows, with `sep` before each but the first. */
static int put_lines_rows(struct render *rd, const struct lines_plan *p, const char *sep)
{
	struct lines_rows l = {rd, p, sep};

	return result_ahead(rd->r, put_each_row, &l, rd->err);
}

static int render_fields(struct render *rd, enum emit_form form, const char *between,
			 const char *after)
{
	const struct lines l = {.form = form,
				.before = "",
				.between = between,
				.after = after,
				.none = "",
				.empty = after};
	struct lines_plan p;

	if (lines_plan(rd, &l, NULL, 0, &p) == 0) {
		put_header(rd, &p);
		put_lines_rows(rd, &p, "");
		/* Their readers take every line for a row. */
		if (rd->left.rows)
			render_left_out(rd, rd->note, sizeof(rd->note));
	}
	lines_end(&p);
	return rd->err->kind;
}

int render_csv(struct render *rd)
{
	return render_fields(rd, rd->look->raw ? EMIT_CSV_RAW : EMIT_CSV, ",", "\n");
}

int render_tsv(struct render *rd)
{
	return render_fields(rd, rd->look->raw ? EMIT_TSV_RAW : EMIT_TSV, "\t", "\n");
}

/* ---- JSON ---- */

static void put_key(struct render *rd, const char *key, struct str value)
{
	out_printf(rd->o, "\"%s\":", key);
	emit_name(rd->o, EMIT_JSON, value);
	out_char(rd->o, ',');
}

static void put_names(struct out *o, const char *key, const struct str *names, size_t n)
{
	out_printf(o, ",\"%s\":[", key);
	for (size_t i = 0; i < n; i++) {
		out_c(o, i ? "," : "");
		emit_name(o, EMIT_JSON, names[i]);
	}
	out_char(o, ']');
}

/* Of a comparison: percent of the cost of both profiles that can be compared. */
static void put_paired(struct render *rd)
{
	char buf[NUMBER_MAX];

	put_key(rd, "base", rd->r->base);
	if (rd->r->paired[0] < 0)
		return;
	number_exact(buf, rd->r->paired[0]);
	out_printf(rd->o, "\"paired\":[%s,", buf);
	number_exact(buf, rd->r->paired[1]);
	out_printf(rd->o, "%s],", buf);
}

/* "left_out":{"rows":588,"column":"self","cost":402166} */
static void put_left_out(struct render *rd)
{
	const struct left_out *l = &rd->left;

	out_c(rd->o, "\"left_out\":{\"rows\":");
	out_u64(rd->o, l->rows);
	if (l->cost) {
		out_c(rd->o, ",\"column\":");
		emit_name(rd->o, EMIT_JSON, l->cost->name);
		out_c(rd->o, ",\"cost\":");
		out_i64(rd->o, l->sum);
	}
	out_char(rd->o, '}');
}

static void put_meta(struct render *rd)
{
	const struct result *r = rd->r;

	out_c(rd->o, "{\"meta\":{");
	put_key(rd, "query", r->query);
	put_key(rd, "event", r->event);
	if (r->unit.kind) {
		put_key(rd, "unit", str_c(unit_name(r->unit)));
		out_c(rd->o, "\"scale\":");
		out_u64(rd->o, r->unit.scale);
		out_char(rd->o, ',');
	}
	out_c(rd->o, "\"total\":");
	out_i64(rd->o, r->total);
	out_c(rd->o, r->total_about ? ",\"total_estimated\":true," : ",");
	put_key(rd, "profile", r->profile);
	if (r->proven.n)
		put_key(rd, "proven", r->proven);
	if (r->base.n)
		put_paired(rd);
	out_printf(rd->o, "\"truncated\":%s,\"matched\":",
		   r->truncated || rd->left.rows ? "true" : "false");
	out_u64(rd->o, r->rows_before > r->rows ? r->rows_before : r->rows);
	if (rd->left.rows) {
		out_char(rd->o, ',');
		put_left_out(rd);
	}
	put_names(rd->o, "filters", r->filters, r->nfilters);
	put_names(rd->o, "notes", r->notes, r->nnotes);
	out_c(rd->o, "},\n");
}

int render_json(struct render *rd)
{
	static const struct lines l = {.form = EMIT_JSON,
				       .before = "[",
				       .between = ",",
				       .after = "]",
				       .none = "null",
				       .empty = "[]"};
	struct lines_plan p;

	if (lines_plan(rd, &l, NULL, 0, &p) == 0) {
		put_meta(rd);
		out_c(rd->o, "\"columns\":");
		put_header(rd, &p);
		out_c(rd->o, rd->r->rows ? ",\n\"rows\":[\n" : ",\n\"rows\":[");
		put_lines_rows(rd, &p, ",\n");
		out_c(rd->o, "]}\n");
	}
	lines_end(&p);
	return rd->err->kind;
}

int render_ndjson(struct render *rd)
{
	static const struct lines l = {.form = EMIT_JSON,
				       .before = "{",
				       .between = ",",
				       .after = "}\n",
				       .none = "null",
				       .empty = "{}\n",
				       .keys = true};
	struct lines_plan p;

	if (lines_plan(rd, &l, NULL, 0, &p) == 0 && put_lines_rows(rd, &p, "") == 0 &&
	    rd->left.rows) {
		out_char(rd->o, '{');
		put_left_out(rd);
		out_c(rd->o, "}\n");
	}
	lines_end(&p);
	return rd->err->kind;
}

/* ---- for databases ---- */

int render_database(struct render *rd, bool json, bool header,
		    const struct lines_column *col, size_t n)
{
	static const struct lines csv = {.form = EMIT_CSV_RAW,
					 .before = "",
					 .between = ",",
					 .after = "\n",
					 .none = "",
					 .database = true};
	static const struct lines ndjson = {.form = EMIT_JSON,
					    .before = "{",
					    .between = ",",
					    .after = "}\n",
					    .none = "null",
					    .keys = true,
					    .database = true};
	struct lines_plan p;

	if (lines_plan(rd, json ? &ndjson : &csv, col, n, &p) == 0) {
		if (header && !json)
			put_header(rd, &p);
		put_lines_rows(rd, &p, "");
	}
	lines_end(&p);
	return rd->err->kind;
}
