/* help.c - the topics; see help.h. */
#include "repl/help.h"

#include <stdbool.h>

#include "repl/command.h"
#include "repl/render.h"

static const struct help_topic topics[] = {
	{"top",
	 "top [N] [UNIT] [of SET] [by EXPR]",
	 "The most expensive functions (or files, objects, classes, lines ...): self and\n"
	 "inclusive cost.  It is short for `functions | sort X | take N`.",
	 {"top", "top 5 by incl", "top 3 files"}},
	{"functions",
	 "functions|files|objects|dirs|classes|lines|instrs|calls|callsites|jumps|\n"
	 "cycles|parts|threads|events|profiles [of SET]",
	 "All rows of one kind, to be shaped by the stages after `|`.",
	 {"functions | where calls > 10 | sort incl / calls | take 5", "events",
	  "parts"}},
	{"callers",
	 "callers of SET [depth N|all] [min PERCENT] [by COL]",
	 "Who calls it, how often, at what cost.  Level 1 is measured; deeper levels are\n"
	 "estimates, marked ~.  `callers of (A, B)`: calls into the set from outside it.",
	 {"callers of main", NULL, NULL}},
	{"callees",
	 "callees of SET [depth N|all] [min PERCENT] [by COL]",
	 "What it calls, how often, at what cost.",
	 {"callees of main", "callees of main depth 3", NULL}},
	{"calltree",
	 "calltree from|to SET [depth N] [min PERCENT] [avoiding SET]",
	 "The tree of calls that starts (or ends) in SET.",
	 {"calltree from main depth 4 min 1%", NULL, NULL}},
	{"path",
	 "[shortest|hottest|widest|all] [N] path from SET to SET [via SET] [avoiding SET]\n"
	 "[max N] [min PERCENT]",
	 "Ways through the graph.  `est` is what proportional attribution gives the path, `lo`\n"
	 "and `hi` are proven bounds; lo = hi means measured.",
	 {"hottest 3 paths from main to malloc", NULL, NULL}},
	{"cost",
	 "cost of SET [under SET] [via SET] [avoiding SET]",
	 "How much of a function's cost is spent below another, with bounds.",
	 {"cost of malloc under main", NULL, NULL}},
	{"lines",
	 "lines of SET; instrs of SET; jumps of SET",
	 "Costs per source line, inlined files too; per instruction, jumps, where the profile\n"
	 "has them (callgrind --dump-instr=yes --collect-jumps=yes).",
	 {"lines of main | take 5", NULL, NULL}},
	{"source",
	 "source of SET",
	 "The text with what each line cost, inlined files after it, and below a line what it\n"
	 "called.  Files are read only below --source-root DIR, by default the current\n"
	 "directory; at the prompt also below the profile's directory.",
	 {"source of main", "source of main | where kind = \"call\" | sort incl", NULL}},
	{"asm",
	 "asm of SET",
	 "Instructions, by objdump, with costs, calls and jumps, where the profile has\n"
	 "addresses (callgrind --dump-instr=yes --collect-jumps=yes).  The object is read below\n"
	 "a source root or the system's directories; never under --safe.",
	 {NULL, NULL, NULL}},
	{"find",
	 "find SET",
	 "Functions by name, hottest first.",
	 {"find /ma/ | take 5", NULL, NULL}},
	{"info",
	 "info [SET]",
	 "One card about a function, or about the profile.",
	 {"info", "info main", NULL}},
	{"vs",
	 "SOURCE vs PROFILE",
	 "Compare with another open profile (`.open base=old.out`): base, self, delta, delta %.\n"
	 "`functions vs base | where delta% > 5 | expect none` is a gate: exit status 4.",
	 {NULL, NULL, NULL}},
	{"where",
	 "| where EXPR",
	 "Keep the rows for which it holds: = != < <= > >= ~ !~ and or not.",
	 {"functions | where self > 1k and fn ~ /a/ | take 3", NULL, NULL}},
	{"sort",
	 "| sort EXPR [asc|desc], ...",
	 "Descending unless said.",
	 {"functions | sort calls, fn asc | take 3", NULL, NULL}},
	{"take",
	 "| take N; | skip N",
	 "The first rows; all but the first.",
	 {"functions | sort self | skip 2 | take 2", NULL, NULL}},
	{"show",
	 "| show EXPR, ...; | add NAME = EXPR",
	 "Choose the columns; add one.  `self.EVENT` and `incl%` work everywhere.",
	 {"functions | add each = incl / calls | show fn, calls, each | take 3", NULL,
	  NULL}},
	{"group",
	 "| group by COL, ... [: AGG, ...]; | sum; | count",
	 "Fold rows.",
	 {"functions | group by obj", "functions | count", NULL}},
	{"expect",
	 "| expect none|some|EXPR",
	 "Fail (exit status 4, after printing the rows) when it does not hold.",
	 {"functions | where calls < 0 | expect none", NULL, NULL}},
	{"filters",
	 "focus|ignore|hide SET | ...; collapse SET [as NAME];\n"
	 "collapse by file|object|class|dir; norec; cut PERCENT; in PROFILE; part N; thread N",
	 "Graph stages stand before the source and change the graph it sees.  .push keeps one\n"
	 "in force, .pop drops it.",
	 {"hide main | top 3", "collapse by file | top 3", NULL}},
	{"names",
	 "name; \"exact name\"; /regex/; file:NAME obj:NAME class:NAME; #N",
	 "A bare name ignores parameters, templates and leading namespaces; * stands for any\n"
	 "text; several names: a or b, (a, b), not a.  #N is the number in column #.",
	 {"find main", "find /^ma/", "functions of file:* | take 2"}},
	{"let",
	 "let NAME = EXPR; let $NAME = SET",
	 "Name a derived event or ratio, or a set.",
	 {"let $hot = main; callees of $hot", NULL, NULL}},
	{"output",
	 "QUERY > FILE; QUERY ! COMMAND; QUERY | as FORMAT",
	 "The extension of FILE picks the format; `as` overrides.  .mode, .once and .output\n"
	 "set it for more than one answer.",
	 {"top 3 | as csv", NULL, NULL}},
	{"export",
	 ".export DIRECTORY [csv|ndjson] [TABLE ...]",
	 "Tables of all open profiles for a database: profiles events functions edges lines\n"
	 "callsites parts; when named, also part_functions and part_edges.  schema.json has\n"
	 "columns, types, units and keys, schema.sql the CREATE TABLEs.  The directory must\n"
	 "not be there, or be empty; it appears whole or not at all.",
	 {NULL, NULL, NULL}},
};

static const char overview[] =
	"A query reads left to right:   graph stages | source | table stages > file\n"
	"\n"
	"  top                                     the ten most expensive functions\n"
	"  callers of malloc                       who calls it, at what cost\n"
	"  hottest 3 paths from main to malloc     how the program gets there\n"
	"  functions | where calls > 1000 | sort incl / calls\n"
	"  top 20 > costs.csv                      also .json .md ...\n"
	"\n"
	"Tab completes, Ctrl-R searches the history, Ctrl-C stops a query, Ctrl-D leaves.\n"
	"\n"
	"Topics (.help TOPIC):\n";

const struct help_topic *help_at(size_t i)
{
	return i < sizeof(topics) / sizeof(topics[0]) ? &topics[i] : NULL;
}

void help_overview(struct out *o)
{
	const struct help_topic *t;
	const struct command *c;
	size_t column = 0;

	out_c(o, overview);
	for (size_t i = 0; (t = help_at(i)); i++) {
		size_t n = str_c(t->name).n;

		out_c(o, column ? " " : "  ");
		out_c(o, t->name);
		column += n + 1;
		if (column > 68) {
			out_char(o, '\n');
			column = 0;
		}
	}
	out_c(o, " formats\n\nCommands:\n");
	for (size_t i = 0; (c = command_at(i)); i++) {
		size_t n = str_c(c->name).n + str_c(c->form).n;

		out_printf(o, "  .%s %s", c->name, c->form);
		out_fill(o, ' ', n < 30 ? 30 - n : 1);
		out_printf(o, "%s\n", c->what);
	}
}

static void indented(struct out *o, const char *text)
{
	out_c(o, "  ");
	for (; *text; text++) {
		out_char(o, *text);
		if (*text == '\n')
			out_c(o, "  ");
	}
	out_char(o, '\n');
}

static void print_topic(struct out *o, const struct help_topic *t)
{
	indented(o, t->form);
	out_char(o, '\n');
	indented(o, t->text);
	for (size_t i = 0; i < 3 && t->examples[i]; i++)
		out_printf(o, "%s    %s\n", i ? "" : "\n", t->examples[i]);
}

static void print_formats(struct out *o)
{
	const struct renderer *r;

	for (size_t i = 0; (r = render_at(i)); i++)
		out_printf(o, "  %-12s %s\n", format_name(r->format), r->what);
}

static const struct help_topic *find(struct str topic)
{
	const struct help_topic *t;

	for (size_t i = 0; (t = help_at(i)); i++)
		if (str_eq(topic, str_c(t->name)))
			return t;
	/* A word of the grammar line: `jumps`, `hottest`, `collapse`. */
	for (size_t i = 0; (t = help_at(i)); i++) {
		struct str form = str_c(t->form);
		size_t at = str_find_str(form, topic);

		if (topic.n > 2 && at < form.n)
			return t;
	}
	return NULL;
}

bool help_print(struct out *o, struct str topic)
{
	bool dot = topic.n && topic.p[0] == '.';
	const struct help_topic *t = dot ? NULL : find(topic);
	const struct command *c;

	if (str_eq(topic, STR("formats"))) {
		print_formats(o);
		return true;
	}
	if (t) {
		print_topic(o, t);
		return true;
	}
	c = command_find(str_from(topic, dot));
	if (!c)
		return false;
	out_printf(o, "  .%s %s\n\n  %s\n", c->name, c->form, c->what);
	return true;
}
