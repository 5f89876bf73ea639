/*
 * render_lines.c - formats for programs: csv, tsv, json, ndjson.
 *
 * Names are whole, numbers are plain digits, and the machine columns are in their order.
 * An unknown cell is empty, or null in JSON.
 */
#include "repl/render/render.h"

#include "repl/term/number.h"

struct lines {
	enum emit_form form;
	const char *before, *between, *after, *none; /* around and between cells */
};

static void put_lines_cell(struct render *rd, const struct lines *l,
			   const struct column *c, size_t row)
{
	if (!render_is_text(c))
		render_plain(rd->o, c, row, l->none);
	else if (render_absent(c, row))
		out_c(rd->o, l->none);
	else
		emit_name(rd->o, l->form, c->s[row]);
}

static void put_header(struct render *rd, const struct lines *l)
{
	const char *sep = l->before;

	for (size_t i = 0; i < rd->r->ncols; i++) {
		if (!rd->r->cols[i].machine)
			continue;
		out_c(rd->o, sep);
		emit_name(rd->o, l->form, rd->r->cols[i].name);
		sep = l->between;
	}
	out_c(rd->o, l->after);
}

static void put_lines_row(struct render *rd, const struct lines *l, size_t row)
{
	const char *sep = l->before;

	for (size_t i = 0; i < rd->r->ncols; i++) {
		if (!rd->r->cols[i].machine)
			continue;
		out_c(rd->o, sep);
		put_lines_cell(rd, l, &rd->r->cols[i], row);
		sep = l->between;
	}
	out_c(rd->o, l->after);
}

static int put_lines_rows(struct render *rd, const struct lines *l)
{
	for (size_t row = 0, at; row < rd->r->rows; row++) {
		if (render_cancelled(rd, row) || result_row(rd->r, row, &at, rd->err))
			return (int)rd->err->kind;
		put_lines_row(rd, l, at);
	}
	return 0;
}

int render_csv(struct render *rd)
{
	struct lines l = {rd->look->raw ? EMIT_CSV_RAW : EMIT_CSV, "", ",", "\r\n", ""};

	put_header(rd, &l);
	return put_lines_rows(rd, &l);
}

int render_tsv(struct render *rd)
{
	struct lines l = {rd->look->raw ? EMIT_TSV_RAW : EMIT_TSV, "", "\t", "\n", ""};

	put_header(rd, &l);
	return put_lines_rows(rd, &l);
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
	number_exact(buf, rd->r->paired[0]);
	out_printf(rd->o, "\"paired\":[%s,", buf);
	number_exact(buf, rd->r->paired[1]);
	out_printf(rd->o, "%s],", buf);
}

static void put_meta(struct render *rd)
{
	const struct result *r = rd->r;

	out_c(rd->o, "{\"meta\":{");
	put_key(rd, "query", r->query);
	put_key(rd, "event", r->event);
	out_c(rd->o, "\"total\":");
	out_u64(rd->o, r->total);
	out_char(rd->o, ',');
	put_key(rd, "profile", r->profile);
	if (r->base.n && r->paired[0] >= 0)
		put_paired(rd);
	out_printf(rd->o,
		   "\"truncated\":%s,\"matched\":", r->truncated ? "true" : "false");
	out_u64(rd->o, r->rows_before > r->rows ? r->rows_before : r->rows);
	put_names(rd->o, "filters", r->filters, r->nfilters);
	put_names(rd->o, "notes", r->notes, r->nnotes);
	out_c(rd->o, "},\n");
}

int render_json(struct render *rd)
{
	static const struct lines header = {EMIT_JSON, "[", ",", "]", "null"};
	size_t machine = 0;

	for (size_t i = 0; i < rd->r->ncols; i++)
		machine += rd->r->cols[i].machine;
	put_meta(rd);
	out_c(rd->o, "\"columns\":");
	if (machine)
		put_header(rd, &header);
	else
		out_c(rd->o, "[]");
	out_c(rd->o, ",\n\"rows\":[");
	for (size_t row = 0, at; row < rd->r->rows; row++) {
		if (render_cancelled(rd, row) || result_row(rd->r, row, &at, rd->err))
			return (int)rd->err->kind;
		out_c(rd->o, row ? ",\n" : "\n");
		if (machine)
			put_lines_row(rd, &header, at);
		else
			out_c(rd->o, "[]");
	}
	out_c(rd->o, "]}\n");
	return 0;
}

static void put_object(struct render *rd, size_t row)
{
	static const struct lines l = {EMIT_JSON, "", "", "", "null"};
	const char *sep = "{";

	for (size_t i = 0; i < rd->r->ncols; i++) {
		const struct column *c = &rd->r->cols[i];

		if (!c->machine)
			continue;
		out_c(rd->o, sep);
		emit_name(rd->o, EMIT_JSON, c->name);
		out_char(rd->o, ':');
		put_lines_cell(rd, &l, c, row);
		sep = ",";
	}
	out_c(rd->o, sep[0] == '{' ? "{}\n" : "}\n");
}

int render_ndjson(struct render *rd)
{
	for (size_t row = 0, at; row < rd->r->rows; row++) {
		if (render_cancelled(rd, row) || result_row(rd->r, row, &at, rd->err))
			return (int)rd->err->kind;
		put_object(rd, at);
	}
	return 0;
}
