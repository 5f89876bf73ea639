/*
 * sqlite_tables.c - the tables of the extension; see sqlite_in.h.
 *
 * SQLite wants the columns of a table-valued function before it is told the profile: libquern
 * lists those of a source.  A table has the columns of `as json`, in its order, and then the
 * numbers of functions, to join tables by (tests/e2e/sqlite.t compares).
 */
#include "engine/sqlite/sqlite_in.h"

#include <string.h>

static const struct vtab_source sources[VTAB_SOURCES] = {
	{.table = "quern_functions", .source = "functions", .of = "id"},
	{.table = "quern_edges",
	 .source = "calls",
	 .from = "caller_id",
	 .to = "callee_id"},
	{.table = "quern_contexts", .source = "contexts", .of = "fn_id"},
	{.table = "quern_lines", .source = "lines", .of = "fn_id"},
	{.table = "quern_callsites",
	 .source = "callsites",
	 .from = "caller_id",
	 .to = "callee_id"},
	{.table = "quern_parts", .source = "parts"},
	{.table = "quern_events", .source = "events"},
};

struct vtab_column vtab_column_of(const char *name, int type, bool gaps)
{
	struct vtab_column c = {.name = name, .type = "INTEGER"};

	if (type == QUERN_TEXT) {
		c.type = "TEXT";
		c.flags = COL_WORD;
	} else if (type == QUERN_REAL) {
		c.type = "REAL";
	} else if (type == QUERN_UINT || type == QUERN_INT) {
		c.flags = COL_NUMBER | (gaps ? COL_GAPS : 0);
	}
	return c;
}

static bool is_number_of_fn(const struct vtab_source *s, const char *name)
{
	const char *const of[] = {s->of, s->from, s->to};

	for (size_t i = 0; i < sizeof(of) / sizeof(of[0]); i++)
		if (of[i] && strcmp(of[i], name) == 0)
			return true;
	return false;
}

/* Costs that people see have a column for each event, if the table is created. */
static unsigned cost_flag(const quern_source_column *c)
{
	const unsigned cost = QUERN_PER_EVENT | QUERN_IN_TABLES;

	return c->type == QUERN_INT && (c->flags & cost) == cost ? COL_EVENT : 0;
}

/* Add the columns of answers or, after them, those that only a query shows. */
static void add_columns(struct vtab_source *s, bool shown)
{
	quern_source_column c;

	for (size_t i = 0; quern_source_column_at(s->source, i, &c); i++) {
		const bool in = c.flags & QUERN_IN_ANSWERS;

		if (in != shown || (!in && !is_number_of_fn(s, c.name)) ||
		    s->n == VTAB_COLUMNS)
			continue;
		s->cols[s->n] = vtab_column_of(c.name, c.type, c.flags & QUERN_GAPS);
		s->cols[s->n++].flags |= cost_flag(&c);
	}
}

void vtab_sources(struct vtab_source out[VTAB_SOURCES])
{
	memcpy(out, sources, sizeof(sources));
	for (int i = 0; i < VTAB_SOURCES; i++) {
		add_columns(&out[i], true);
		add_columns(&out[i], false);
	}
}
