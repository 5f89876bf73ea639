/*
 * export_table.c - the tables of .export.  A new one is a row here.
 *
 * Names, order and meaning of the columns are a contract: they are in schema.json, and
 * other programs read them.  A new column goes last, before the costs.  A column whose
 * meaning changes gets another name.
 *
 * Every table begins with the profile and its run, so that files of several exports can be read
 * as one: profiles may have the same name, no two have the same run.  What may have millions of rows is asked of some functions or one part at a time: in
 * one answer all of them would be in memory.
 */
#include "index/base/count.h"
#include "repl/export/export_in.h"

static bool has_contexts(struct store *st)
{
	struct store_tree tree;

	store_tree(st, &tree);
	return tree.contexts > 0 || store_any_grouped(st);
}

/* clang-format off */
const struct export_table export_tables[] = {
	{"profiles", "one row for each profile", .query = "info",
	 .columns = "path=profile creator cmd functions edges cycles parts input_bytes "
		    "input_lines diagnostics truncated saturated indexed_at=built_unix_s"},
	{"events", "what was counted", .query = "events",
	 .columns = "event!=name number=id long_name=long formula recorded total"},
	{"functions", "one row for each function", .query = "functions | sort id asc",
	 .columns = "id! fn file obj line cycle calls self. estimated=inexact incl."},
	{"edges", "who calls whom", .query = "calls | sort caller_id asc",
	 .columns = "caller!=caller_id>functions callee!=callee_id>functions calls "
		    "recursive=itself in_cycle=recursive incl."},
	{"contexts",
	 "the call tree, or the contexts in names, if there are; they add up to functions",
	 .query = "contexts | sort row asc", .has = has_contexts,
	 .columns = "id!=row under depth function=fn_id>functions calls name=fn self. incl."},
	{"lines", "cost lines; they add up to the self costs of functions",
	 .portions = OF_FUNCTIONS, .query = "lines | where has_self",
	 .addressed = "instrs | where has_self",
	 .columns = "function!=fn_id>functions file! line! instr! self."},
	{"callsites", "the lines that call; they add up to edges",
	 .portions = OF_FUNCTIONS, .query = "callsites",
	 .columns = "caller!=caller_id>functions callee!=callee_id>functions file! line! "
		    "instr! calls incl."},
	{"parts", "dumps and threads within a profile", .query = "parts",
	 .columns = "id!=row part pid thread trigger time_range description functions "
		    "has_totals self."},
	{"part_functions", "functions in each part; they add up to functions", true,
	 .portions = OF_PARTS, .query = "functions | sort id asc",
	 .columns = "part!=row>parts function!=fn_id>functions self."},
	{"part_edges", "edges in each part; they add up to edges", true,
	 .portions = OF_PARTS, .query = "calls | sort caller_id asc",
	 .columns = "part!=row>parts caller!=caller_id>functions "
		    "callee!=callee_id>functions calls incl."},
};
/* clang-format on */
const size_t export_tables_n = COUNT(export_tables);
_Static_assert(COUNT(export_tables) <= EXPORT_TABLES, "there is room for it");

/* What stands behind a mark; *s: what stands before it. */
static struct str cut(struct str *s, char mark)
{
	const size_t n = str_find(*s, mark);
	const struct str rest = n < s->n ? str_from(*s, n + 1) : STR("");

	s->n = n;
	return rest;
}

bool export_next(const char **list, struct export_column *c)
{
	const struct str rest = str_trim(str_c(*list));
	struct str word = rest;

	cut(&word, ' ');
	*list = word.p + word.n;
	*c = (struct export_column){.cost = word.n && word.p[word.n - 1] == '.'};
	word.n -= c->cost;
	c->to = cut(&word, '>');
	c->from = cut(&word, '=');
	c->key = word.n && word.p[word.n - 1] == '!';
	word.n -= c->key;
	c->name = word;
	c->from = c->from.n ? c->from : word;
	return word.n > 0;
}
