/*
 * export_file.c - rows as CSV (RFC 4180), NDJSON or of a database, and the schema; see
 * export.h.
 *
 * Text goes through emit.h, but without the guard against spreadsheets: the readers are
 * databases, which join tables by names.
 */
#include "index/base/err.h"
#include "repl/app/app.h"
#include "repl/export/export_in.h"

#include <inttypes.h>
#include <string.h>

#include "repl/export/export_db.h"
#include "repl/term/emit.h"
#include "engine/api/quern.h"

static const struct export_column *column(const struct export *x)
{
	return &x->table->columns[x->column];
}

/* The name of a cost column, self_Ir.  The caller escapes it for its reader. */
static struct str cost_name(const struct export *x, const struct export_column *c,
			    size_t e, struct arena *a)
{
	return arena_printf(a, "%s_%s", c->name, x->events[e].column);
}

static void put_escaped(struct export *x, struct out *o, struct str s)
{
	emit_name(o, x->format == EXPORT_CSV ? EMIT_CSV_RAW : EMIT_JSON, s);
}

/* Write the separator, and for NDJSON the key, before the next value. */
static void start_cell(struct export *x)
{
	const struct export_column *c = column(x);
	bool first = x->column == 0;

	if (x->format == EXPORT_CSV) {
		if (!first)
			out_char(&x->out, ',');
		return;
	}
	out_char(&x->out, first ? '{' : ',');
	out_char(&x->out, '"');
	out_c(&x->out, c->name);
	if (c->flags & EXPORT_COST) {
		out_char(&x->out, '_');
		out_c(&x->out, x->events[x->event].column);
	}
	out_c(&x->out, "\":");
}

static struct out *next_cell(struct export *x)
{
	start_cell(x);
	x->column++;
	return &x->out;
}

void export_text(struct export *x, struct str s)
{
	if (x->db)
		export_db_text(x->db, s);
	else
		put_escaped(x, next_cell(x), s);
}

/* Adjacent lines often have the same file: escape its name only once. */
void export_name(struct export *x, struct str s)
{
	struct str *text = &x->kept[x->column].text;
	struct out *cell = &x->kept[x->column].cell;

	if (x->db) {
		export_db_text(x->db, s);
		return;
	}
	if (!x->kept[x->column].has || s.p != text->p || s.n != text->n) {
		cell->n = 0;
		put_escaped(x, cell, s);
		*text = s;
		x->kept[x->column].has = true;
		if (cell->failed)
			x->out.failed = cell->failed;
	}
	out_bytes(next_cell(x), cell->buf, cell->n);
}

void export_number(struct export *x, uint64_t n)
{
	if (x->db)
		export_db_number(x->db, n);
	else
		out_u64(next_cell(x), n);
}

void export_cost(struct export *x, int64_t cost)
{
	if (x->db)
		export_db_cost(x->db, cost);
	else
		out_i64(next_cell(x), cost);
}

void export_bool(struct export *x, bool b)
{
	if (x->db || x->format == EXPORT_CSV)
		export_number(x, b);
	else
		out_c(next_cell(x), b ? "true" : "false");
}

/* The cost of an event that this profile does not have is unknown, not 0. */
void export_costs(struct export *x, const int64_t *costs)
{
	for (x->event = 0; x->event < x->nevents; x->event++) {
		uint32_t e = x->local[x->event];
		const bool has = e < store_info(x->st)->events;

		if (x->db) {
			has ? export_db_cost(x->db, costs[e]) : export_db_null(x->db);
			continue;
		}
		start_cell(x);
		if (has)
			out_i64(&x->out, costs[e]);
		else if (x->format == EXPORT_NDJSON)
			out_c(&x->out, "null");
	}
	x->column++;
}

void export_row_start(struct export *x)
{
	x->column = 0;
	export_name(x, x->profile);
}

int export_row_end(struct export *x)
{
	if (x->db && export_db_row(x->db, x->err))
		return x->err->kind;
	if (!x->db)
		out_c(&x->out, x->format == EXPORT_CSV ? "\r\n" : "}\n");
	x->written++;
	if (++x->rows % EXPORT_POLL || x->err->kind)
		return x->err->kind;
	if (atomic_load(&app_cancel))
		return err_set(x->err, ERR_CANCEL, 0, "interrupted");
	if (!x->db && x->out.failed)
		return err_set(x->err, ERR_OUTPUT, 0, "%s%s: %s", x->table->name,
			       export_extension(x), strerror(x->out.failed));
	return store_check(x->st, x->err);
}

const char *export_extension(const struct export *x)
{
	return x->format == EXPORT_CSV ? ".csv" : ".ndjson";
}

/* ---- names of columns ---- */

/* Call f for every column as written: once per event for a cost, with e = nevents for
 * others. */
static void each_column(struct export *x, const struct export_table *t,
			void (*f)(struct export *x, const struct export_column *c,
				  size_t e, bool first))
{
	for (const struct export_column *c = t->columns; c->name; c++)
		for (size_t e = 0; e < (c->flags & EXPORT_COST ? x->nevents : 1); e++)
			f(x, c, c->flags & EXPORT_COST ? e : x->nevents,
			  c == t->columns && e == 0);
}

static void header_cell(struct export *x, const struct export_column *c, size_t e,
			bool first)
{
	if (!first)
		out_char(&x->out, ',');
	arena_reset(&x->arena);
	emit_name(&x->out, EMIT_CSV_RAW,
		  e < x->nevents ? cost_name(x, c, e, &x->arena) : str_c(c->name));
}

size_t export_columns(const struct export *x)
{
	size_t n = 0;

	for (const struct export_column *c = x->table->columns; c->name; c++)
		n += c->flags & EXPORT_COST ? x->nevents : 1;
	return n;
}

void export_header(struct export *x)
{
	if (x->format != EXPORT_CSV)
		return;
	each_column(x, x->table, header_cell);
	out_c(&x->out, "\r\n");
}

/* ---- schema.json ---- */

static const char *const type_names[] = {"text", "uint64", "boolean", "int64"};

static void json_pair(struct export *x, const char *key, struct str value)
{
	out_printf(&x->out, ", \"%s\": ", key);
	emit_name(&x->out, EMIT_JSON, value);
}

static void json_column(struct export *x, const struct export_column *c, size_t e,
			bool first)
{
	arena_reset(&x->arena);
	out_c(&x->out, first ? "\n        {\"name\": " : ",\n        {\"name\": ");
	emit_name(&x->out, EMIT_JSON,
		  e < x->nevents ? cost_name(x, c, e, &x->arena) : str_c(c->name));
	json_pair(x, "type", str_c(type_names[c->type]));
	if (e < x->nevents) {
		const struct unit u = x->events[e].unit;

		json_pair(x, "unit", u.kind ? str_c(unit_name(u)) : x->events[e].name);
		if (u.kind)
			out_printf(&x->out, ", \"scale\": %" PRIu64, u.scale);
		json_pair(x, "event", x->events[e].name);
		out_c(&x->out, ", \"nullable\": true");
	} else if (c->unit) {
		json_pair(x, "unit", str_c(c->unit));
	}
	json_pair(x, "about", str_c(c->about));
	out_char(&x->out, '}');
}

static void json_key(struct export *x, const struct export_table *t)
{
	const char *sep = "";

	out_c(&x->out, "      \"key\": [");
	for (const struct export_column *c = t->columns; c->name; c++)
		if (c->flags & EXPORT_KEY) {
			out_printf(&x->out, "%s\"%s\"", sep, c->name);
			sep = ", ";
		}
	out_c(&x->out, "],\n      \"references\": [");
	sep = "";
	for (const struct export_key *k = t->keys; k && k->columns; k++) {
		out_printf(&x->out,
			   "%s{\"columns\": [\"profile\", \"%s\"], \"table\": \"%s\", "
			   "\"key\": [\"profile\", \"id\"]}",
			   sep, k->columns, k->table);
		sep = ", ";
	}
	out_c(&x->out, "],\n");
}

static void json_table(struct export *x, const struct export_table *t, uint64_t rows)
{
	out_printf(&x->out,
		   "    {\"name\": \"%s\", \"file\": \"%s%s\", \"rows\": %" PRIu64,
		   t->name, t->name, export_extension(x), rows);
	json_pair(x, "about", str_c(t->about));
	out_c(&x->out, ",\n");
	json_key(x, t);
	out_c(&x->out, "      \"columns\": [");
	each_column(x, t, json_column);
	out_c(&x->out, "]}");
}

void export_schema_json(struct export *x, const bool *chosen, const uint64_t *rows)
{
	const char *sep = "\n";

	out_printf(
		&x->out,
		"{\"format\": \"quern-export\", \"version\": 1, \"quern\": \"%s\",\n"
		"  \"encoding\": \"%s\",\n"
		"  \"text\": \"a value that starts with \\\\x: holds bytes: \\\\xNN is one, "
		"\\\\\\\\ a backslash, all else itself\",\n  \"tables\": [",
		QUERN_VERSION, export_extension(x) + 1);
	for (size_t t = 0; t < export_tables_n; t++) {
		if (!chosen[t])
			continue;
		out_c(&x->out, sep);
		json_table(x, &export_tables[t], rows[t]);
		sep = ",\n";
	}
	out_c(&x->out, "\n  ]\n}\n");
}

/* ---- schema.sql: what SQLite and DuckDB both take ---- */

static const char *const sql_types[] = {"TEXT", "UBIGINT", "BOOLEAN", "BIGINT"};

static void sql_name(struct export *x, struct str s)
{
	out_char(&x->out, '"');
	for (size_t i = 0; i < s.n; i++) {
		if (s.p[i] == '"')
			out_char(&x->out, '"');
		out_char(&x->out, s.p[i]);
	}
	out_char(&x->out, '"');
}

static void sql_column(struct export *x, const struct export_column *c, size_t e,
		       bool first)
{
	arena_reset(&x->arena);
	out_c(&x->out, first ? "\n\t" : ",\n\t");
	sql_name(x, e < x->nevents ? cost_name(x, c, e, &x->arena) : str_c(c->name));
	out_printf(&x->out, " %s", sql_types[c->type]);
}

void export_schema_sql(struct export *x, const bool *chosen)
{
	for (size_t t = 0; t < export_tables_n; t++) {
		if (!chosen[t])
			continue;
		out_printf(&x->out, "CREATE TABLE IF NOT EXISTS %s (",
			   export_tables[t].name);
		each_column(x, &export_tables[t], sql_column);
		out_c(&x->out, "\n);\n");
	}
}
