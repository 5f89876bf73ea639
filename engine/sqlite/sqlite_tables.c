/*
 * sqlite_tables.c - the tables of the extension; see sqlite_in.h.
 *
 * SQLite wants the columns of a table-valued function before it is told the profile, so
 * those of the sources are listed here.  They are the columns of `as json`, in its order,
 * and then the numbers of functions, to join tables by (tests/e2e/sqlite.t compares).
 */
#include "engine/sqlite/sqlite_in.h"

#define NUMBER "INTEGER", NULL, COL_NUMBER
#define SOMETIMES "INTEGER", NULL, COL_NUMBER | COL_GAPS
#define COST "INTEGER", NULL, COL_NUMBER | COL_EVENT
#define WORD "TEXT", NULL, COL_WORD
#define TRUTH "INTEGER", NULL, 0
#define ANY_TEXT "TEXT", NULL, 0

static const struct vtab_column functions[] = {
	{"id", NUMBER},	      {"self", COST},
	{"incl", COST},	      {"calls", NUMBER},
	{"fn", WORD},	      {"file", WORD},
	{"line", SOMETIMES},  {"obj", WORD},
	{"cycle", SOMETIMES}, {"contribution", NUMBER},
	{"incoming", NUMBER}, {"short", ANY_TEXT},
	{"lo", SOMETIMES},    {"hi", SOMETIMES},
	{"estimated", TRUTH}, {0},
};

static const struct vtab_column calls[] = {
	{"caller_id", NUMBER}, {"callee_id", NUMBER},
	{"calls", NUMBER},     {"incl", COST},
	{"caller", WORD},      {"callee", WORD},
	{"caller_file", WORD}, {"callee_file", WORD},
	{"recursive", TRUTH},  {0},
};

static const struct vtab_column lines[] = {
	{"file", WORD},	    {"line", SOMETIMES}, {"self", COST},    {"calls_out", NUMBER},
	{"incl_out", COST}, {"fn", WORD},	 {"fn_id", NUMBER}, {0},
};

static const struct vtab_column callsites[] = {
	{"caller", WORD},	  {"callee", WORD},
	{"file", WORD},		  {"line", SOMETIMES},
	{"instr", SOMETIMES},	  {"calls", NUMBER},
	{"incl", COST},		  {"caller_id", NUMBER},
	{"callee_id", SOMETIMES}, {0},
};

static const struct vtab_column parts[] = {
	{"part", NUMBER},   {"pid", NUMBER},
	{"thread", NUMBER}, {"self", COST},
	{"trigger", WORD},  {"time_range", WORD},
	{"desc", ANY_TEXT}, {"functions", NUMBER},
	{"file", WORD},	    {0},
};

static const struct vtab_column events[] = {
	{"name", WORD}, {"long", WORD}, {"formula", WORD}, {"total", NUMBER}, {0},
};

const struct vtab_source vtab_sources[VTAB_SOURCES] = {
	{.table = "quern_functions",
	 .source = "functions",
	 .cols = functions,
	 .of = "id"},
	{.table = "quern_edges",
	 .source = "calls",
	 .cols = calls,
	 .from = "caller_id",
	 .to = "callee_id"},
	{.table = "quern_lines", .source = "lines", .cols = lines, .of = "fn_id"},
	{.table = "quern_callsites",
	 .source = "callsites",
	 .cols = callsites,
	 .from = "caller_id",
	 .to = "callee_id"},
	{.table = "quern_parts", .source = "parts", .cols = parts},
	{.table = "quern_events", .source = "events", .cols = events},
};
