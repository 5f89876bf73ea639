/*
 * export_write.c - rows as CSV, NDJSON or of a database, and the schema; see
 * export.h.
 *
 * csv and ndjson are those of answers (render_database()).  Types and meaning of columns are
 * those of the registry.
 */
#include <inttypes.h>
#include <string.h>

#include "engine/api/quern.h"
#include "engine/session.h"
#include "engine/sources/columns.h"
#include "index/base/err.h"
#include "repl/app/app.h"
#include "repl/export/export_db.h"
#include "repl/export/export_in.h"
#include "repl/render/render.h"

/* The name of a cost column, self_Ir.  The caller escapes it for its reader. */
static struct str cost_name(const struct export *x, const struct export_column *c,
			    size_t e, struct arena *a)
{
	return arena_printf(a, "%.*s_%s", STR_ARG(c->name), x->events[e].column);
}

bool export_has(const struct export *x, size_t event)
{
	return x->local[event] < store_info(x->st)->events;
}

size_t export_columns(const struct export *x)
{
	const char *list = x->table->columns;
	struct export_column c;
	size_t n = 2;

	while (export_next(&list, &c))
		n += c.cost ? x->nevents : 1;
	return n;
}

const char *export_extension(const struct export *x)
{
	return x->format == EXPORT_CSV ? ".csv" : ".ndjson";
}

/* ---- rows ---- */

struct putting {
	struct export *x;
	struct render *rd;
	const struct lines_column *col;
	size_t n;
};

static void bind(struct export_db *db, const struct lines_column *col, size_t row)
{
	const struct column *c = col->c;

	if (!c)
		col->known ? export_db_text(db, col->text) : export_db_null(db);
	else if (render_is_text(c))
		export_db_text(db, c->s[row]);
	else if (c->type == COL_BOOL)
		export_db_number(db, c->b[row]);
	else if (col_is_signed(c->type))
		export_db_cost(db, c->i[row]);
	else if (c->type == COL_RATIO) /* the number of the part */
		export_db_number(db, (uint64_t)c->f[row]);
	else
		export_db_number(db, c->u[row]);
}

static int put_db_rows(void *arg)
{
	const struct putting *p = arg;
	const struct result *r = p->rd->r;
	struct err *err = p->rd->err;

	for (size_t row = 0, at; row < r->rows; row++) {
		if (render_cancelled(p->rd, row) || result_row(r, row, &at, err))
			return err->kind;
		for (size_t i = 0; i < p->n; i++)
			bind(p->x->db, &p->col[i], at);
		if (export_db_row(p->x->db, err))
			return err->kind;
	}
	return 0;
}

/* The columns of the table: the profile, its run, those of the result, and events that the profile
 * does not have: their costs are unknown, not 0. */
static void add_columns(const struct export *x, const struct result *r, struct arena *a,
			struct lines_column *col)
{
	const char *list = x->table->columns;
	const struct column *next = r->cols;
	struct export_column c;

	*col++ = (struct lines_column){STR("profile"), NULL, x->profile, true};
	*col++ = (struct lines_column){STR("run"), NULL, str_c(x->run), true};
	while (export_next(&list, &c)) {
		if (!c.cost)
			*col++ = (struct lines_column){.name = c.name, .c = next++};
		for (size_t e = 0; c.cost && e < x->nevents; e++)
			*col++ = (struct lines_column){.name = cost_name(x, &c, e, a),
						       .c = export_has(x, e) ? next++
									     : NULL};
	}
}

int export_put(struct export *x, const struct result *r)
{
	static const struct look look = {.raw = true};
	struct render rd = {.o = &x->out,
			    .r = r,
			    .look = &look,
			    .cancel = &x->asked->cancel,
			    .err = x->err};
	struct putting p = {x, &rd, NULL, export_columns(x)};
	struct lines_column *col;
	struct arena a;

	arena_init(&a, 0);
	col = ARENA_ARRAY(&a, struct lines_column, p.n);
	p.col = col;
	if (!col)
		err_no_memory(x->err, NULL);
	else {
		add_columns(x, r, &a, col);
		if (x->db)
			result_ahead(r, put_db_rows, &p, x->err);
		else
			render_database(&rd, x->format == EXPORT_NDJSON, !x->headed, col,
					p.n);
	}
	arena_free(&a);
	x->headed = true;
	x->rows += r->rows;
	x->written += r->rows;
	if (!x->err->kind && !x->db && x->out.failed)
		err_set(x->err, ERR_OUTPUT, 0, "%s%s: %s", x->table->name,
			export_extension(x), strerror(x->out.failed));
	return x->err->kind;
}

/* ---- what the schema says of a column ---- */

/* Which each table has first. */
static const struct export_column profile_column = {.name = STR("profile")},
				  run_column = {.name = STR("run")};

/* NULL: of those. */
static const struct column_row *registered(const struct export_column *c)
{
	const struct column_row *row;

	for (size_t i = 0; (row = column_at(i)); i++)
		if (c->from.n && row->help && str_eq(c->from, str_c(row->name)))
			break;
	return row;
}

enum { TYPE_TEXT, TYPE_UINT, TYPE_BOOL, TYPE_INT };

static int type_of(const struct column_row *row)
{
	const struct column c = {.type = row ? row->type : COL_STR};

	return render_is_text(&c)      ? TYPE_TEXT
	       : c.type == COL_BOOL    ? TYPE_BOOL
	       : col_is_signed(c.type) ? TYPE_INT
				       : TYPE_UINT;
}

/* Call f for every column as written: once per event for a cost, with e = nevents for
 * others. */
static void each_column(struct export *x, const struct export_table *t,
			void (*f)(struct export *x, const struct export_column *c,
				  size_t e))
{
	const char *list = t->columns;
	struct export_column c;

	f(x, &profile_column, x->nevents);
	f(x, &run_column, x->nevents);
	while (export_next(&list, &c))
		for (size_t e = c.cost ? 0 : x->nevents; e < x->nevents + !c.cost; e++)
			f(x, &c, e);
}

static struct str name_of(const struct export *x, const struct export_column *c, size_t e,
			  struct arena *a)
{
	arena_reset(a);
	return e < x->nevents ? cost_name(x, c, e, a) : c->name;
}

/* ---- schema.json ---- */

static const char *const type_names[] = {"text", "uint64", "boolean", "int64"};

static void json_pair(struct export *x, const char *key, struct str value)
{
	out_printf(&x->out, ", \"%s\": ", key);
	emit_name(&x->out, EMIT_JSON, value);
}

static void json_unit(struct export *x, const struct column_row *row, size_t e)
{
	const enum col_type type = row ? row->type : COL_STR;

	if (e < x->nevents) {
		const struct unit u = x->events[e].unit;

		json_pair(x, "unit", u.kind ? str_c(unit_name(u)) : x->events[e].name);
		if (u.kind)
			out_printf(&x->out, ", \"scale\": %" PRIu64, u.scale);
		json_pair(x, "event", x->events[e].name);
		out_c(&x->out, ", \"nullable\": true");
	} else if (type == COL_COST) {
		json_pair(x, "unit", STR("the event"));
	} else if (type == COL_LINE || type == COL_ADDR) {
		json_pair(x, "unit", type == COL_LINE ? STR("line") : STR("address"));
	}
}

static void json_column(struct export *x, const struct export_column *c, size_t e)
{
	const struct column_row *row = registered(c);

	out_c(&x->out,
	      c == &profile_column ? "\n        {\"name\": " : ",\n        {\"name\": ");
	emit_name(&x->out, EMIT_JSON, name_of(x, c, e, &x->arena));
	json_pair(x, "type", str_c(type_names[type_of(row)]));
	json_unit(x, row, e);
	json_pair(x, "about",
		  row ? str_c(row->help)
		  : c == &run_column
			  ? STR("the profile: no other has it, of whatever name")
			  : STR("name of the profile, as `quern NAME=FILE` gave it"));
	out_char(&x->out, '}');
}

static void json_key(struct export *x, const struct export_table *t)
{
	const char *list = t->columns, *sep = "";
	struct export_column c;

	out_c(&x->out, "      \"key\": [\"run\"");
	while (export_next(&list, &c))
		if (c.key)
			out_printf(&x->out, ", \"%.*s\"", STR_ARG(c.name));
	out_c(&x->out, "],\n      \"references\": [");
	for (list = t->columns; export_next(&list, &c);)
		if (c.to.n) {
			out_printf(&x->out,
				   "%s{\"columns\": [\"run\", \"%.*s\"], \"table\": "
				   "\"%.*s\", \"key\": [\"run\", \"id\"]}",
				   sep, STR_ARG(c.name), STR_ARG(c.to));
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

static void sql_column(struct export *x, const struct export_column *c, size_t e)
{
	out_c(&x->out, c == &profile_column ? "\n\t" : ",\n\t");
	sql_name(x, name_of(x, c, e, &x->arena));
	out_printf(&x->out, " %s", sql_types[type_of(registered(c))]);
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
