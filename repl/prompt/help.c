/* help.c - the help topics; see help.h. */
#include "repl/prompt/help.h"

#include <stdbool.h>
#include <string.h>

#include "engine/query.h"
#include "repl/prompt/command.h"

static const struct help_topic topics[] = {
	{"top", "top [N] [UNIT] [of SET] [by EXPR]",
	 "The most expensive functions (or files, objects, classes, lines ...): self\n"
	 "and inclusive cost.  It is short for `functions | sort X | take N`.",
	 "top\n"
	 "top 5 by incl\n"
	 "top 3 files"},
	{"functions",
	 "functions|files|objects|dirs|classes|lines|instrs|inlined|calls|callsites|\n"
	 "jumps|cycles|parts|threads|events|profiles [of SET]",
	 "All rows of one kind, for the stages after `|`.  `calls` and `callsites` also\n"
	 "take `from SET` and `to SET`.",
	 "functions | where calls > 10 | sort incl / calls | take 5\n"
	 "events\n"
	 "parts\n"
	 "threads\n"
	 "thread 0 | top 5"},
	{"callers", "callers of SET [depth N|all] [min PERCENT] [max N] [by COL]",
	 "Who calls it, how often, at what cost.  `incl` is recorded for the call,\n"
	 "`est` what of it came this way: ~ marks estimates.  `callers of (A, B)`:\n"
	 "calls into the set.",
	 "callers of main"},
	{"callees", "callees of SET [depth N|all] [min PERCENT] [max N] [by COL]",
	 "What it calls, how often, at what cost.",
	 "callees of main\n"
	 "callees of main depth 3"},
	{"calltree",
	 "calltree [from|to SET] [depth N] [min PERCENT] [max N] [avoiding SET]",
	 "The tree of calls that starts (or ends) in SET; alone, the whole program.  It\n"
	 "lists the rows that hold most of the cost, 40,000 unless max says otherwise.",
	 "calltree from main depth 4 min 1%"},
	{"path",
	 "[shortest|hottest|widest|all] [N] path|paths from SET to SET [via SET]\n"
	 "[avoiding SET] [max N] [min PERCENT]",
	 "Ways through the graph.  `est` is the path's share of the recorded calls,\n"
	 "`lo` and `hi` are proven bounds; lo = hi means measured.",
	 "hottest 3 paths from main to malloc"},
	{"cost", "cost of SET [under SET] [via SET] [avoiding SET]",
	 "How much of a function's cost is spent below another, with bounds.",
	 "cost of malloc under main"},
	{"causes", "causes of SET [by EVENT]",
	 "How many calls of SET each function causes, by itself or by what it calls,\n"
	 "with bounds.  Calls inside SET do not count.",
	 "causes of malloc | take 5"},
	{"lines", "lines of SET; instrs of SET; jumps of SET",
	 "Costs per source line, inlined files too; per instruction, jumps, where the\n"
	 "profile has them (callgrind --dump-instr=yes --collect-jumps=yes).",
	 "lines of main | take 5"},
	{"inlined", "inlined [of SET]",
	 "Code that is inlined into functions; its costs are part of their self costs.\n"
	 "Names come from the debug information of the objects, if the profile has\n"
	 "addresses (callgrind --dump-instr=yes), or from the profile (CodSpeed's\n"
	 "callgrind); else the file of a cost line tells where it is inlined from.",
	 "top inlined\n"
	 "inlined of main"},
	{"source", "source of SET",
	 "The text with what each line cost, inlined files after it, and below a line\n"
	 "its calls and jumps.  Files are read where the profile says, if they are yours\n"
	 "or root's, or below --source-root DIR (under --safe only there).  Lines of\n"
	 "file:x.c that other functions inlined: lines | where file ~ /x[.]c$/.",
	 "source of main\n"
	 "source of main | where kind = \"call\" | sort incl"},
	{"asm", "asm of SET",
	 "Instructions, by objdump, with costs, calls and jumps, where the profile has\n"
	 "addresses (callgrind --dump-instr=yes --collect-jumps=yes).  The object is\n"
	 "found as source is; never under --safe.",
	 "asm of main\n"
	 "asm of main | where self > 0 | take 10"},
	{"contexts", "contexts [of SET]",
	 "Functions with the stacks that they are on, where the profile knows them\n"
	 "(Xdebug's): `under` is the # of the caller, the costs are exact.  Elsewhere each\n"
	 "function as recorded.",
	 "contexts | take 5\n"
	 "contexts of main"},
	{"activations", "activations [of SET] [by EVENT]",
	 "Each call of it, where the profile is Xdebug's: `start` is what was spent\n"
	 "before, of the request; ~: what its callers spend themselves may come first.\n"
	 "The profile is read again.  For the usual one and the slow ones:\n"
	 "group by fn: count, median(incl), p99(incl), max(incl)",
	 "activations of main | sort incl | take 3"},
	{"why", "why [of SET] [under SET] [vs PROFILE] [by EVENT] [max N]",
	 "Why two profiles differ: what is called more often, newly or no longer, and what\n"
	 "costs more in itself, with the line.  The rows add up to the difference.  `from`\n"
	 "and `to` are calls, or own cost, of one run of the function.  Without `vs`, if\n"
	 "two profiles are open, against the second.  `under` a function: it and all below;\n"
	 "`of` it: what it does itself, and calls of it.",
	 "why vs base\n"
	 "why under main\n"
	 "why vs base max 20"},
	{"timeline", "timeline [min N] [by EVENT]",
	 "The calls of an Xdebug profile from left to right, as a picture or a page:\n"
	 "> run.svg, > run.html, as speedscope.  Short calls beside each other are one\n"
	 "frame, (12 calls): those below min, 0.3 px of a picture unless you say so.\n"
	 "What a call spends itself is at its end: the file does not say when.",
	 "timeline min 1%"},
	{"find", "find SET",
	 "Functions by name, hottest first.  If no whole name fits, those with the text\n"
	 "in their names, in every set; a note says so.  A name alone is `info NAME`.",
	 "find /ma/ | take 5"},
	{"info", "info [SET]", "One card about a function, or about the profile.",
	 "info\n"
	 "info main"},
	{"vs", "SOURCE vs PROFILE{, PROFILE}",
	 "Compare with another open profile (`.open base=old.out`): base, self, delta,\n"
	 "delta %; of functions, top, find, files, objects, classes, dirs, cycles,\n"
	 "calls, callers, callees, calltree, lines, events, parts, threads, `cost of`,\n"
	 "`info` and `info SET`.  In a table with no order of its own the largest\n"
	 "growth stands first and the largest drop last: `sort delta asc` turns it\n"
	 "round, `sort abs(delta)` puts the largest change first.  `top N` takes the\n"
	 "rows with the largest self, as without vs.  change: new here, or gone (only\n"
	 "the base has the row). Of `vs A, B, C` A is the base, B and C have a column.\n"
	 "Functions are paired by object, file and name, others\n"
	 "by rules (change: renamed, .help pair). `sort delta_incl` for inclusive\n"
	 "costs, `info vs base` for the change of the whole. `functions vs base >\n"
	 "r.html` is a report, `calltree vs base > x.svg` a flame graph coloured by\n"
	 "what changed. `functions vs base | where delta% > 5 | expect none` is a gate:\n"
	 "exit status 4; delta% of a new function is infinite.  `part 3 | functions vs\n"
	 "part 2` compares parts of a profile, `functions vs part 2` all of it with one\n"
	 "part. If a side is several runs: least, median, most, base_median ... of one\n"
	 "run, and noise.",
	 "functions vs base | sort delta | take 5\n"
	 "callers of main vs base\n"
	 "functions vs base | where not noise"},
	{"where", "| where EXPR",
	 "Keep the rows for which it holds: = != < <= > >= ~ !~ and or not.",
	 "functions | where self > 1k and fn ~ /a/ | take 3"},
	{"sort", "| sort EXPR [asc|desc], ...",
	 "Numbers descend, text ascends, unless you say asc or desc.",
	 "functions | sort calls, fn asc | take 3"},
	{"_", "_ [| STAGE ...]",
	 "The last answer, for more stages.  A query that fails does not change it.",
	 "top 20; _ | where calls > 10 | take 3"},
	{"take", "| take N; | skip N", "The first rows; all but the first.",
	 "functions | sort self | skip 2 | take 2"},
	{"show", "| show EXPR, ...; | add NAME = EXPR",
	 "Choose the columns; add one.  `self.EVENT` and `incl%` work everywhere.",
	 "functions | add each = incl / calls | show fn, calls, each | take 3"},
	{"group", "| group by COL, ... [: AGG, ...]; | sum; | count",
	 "Fold rows that are equal in COL.  AGG is count, sum(COL), min(COL), max(COL),\n"
	 "avg(COL), median(COL), p90(COL), p99(COL) or a ratio (D1mr / Dr); without any:\n"
	 "count and the sums of the costs.  p90 is the least value that 90 % of the rows\n"
	 "do not exceed.  `sum` and `count` fold all rows into one; `group by \"all\": count,\n"
	 "sum(self)` does both.  Groups with the largest first AGG come first; without\n"
	 "AGG, those that cost most.",
	 "functions | group by obj\n"
	 "functions | group by obj: sum(self), count, max(self)\n"
	 "functions | group by replace(fn, /<.*/, \"<>\") as name: sum(self), count"},
	{"expect", "| expect none|some|EXPR",
	 "Fail (exit status 4, after printing the rows) when it does not hold.  With\n"
	 "--keep-going the other queries run, too, and a last line counts.  `as github`\n"
	 "and `as junit` are for CI jobs.",
	 "functions | where calls < 0 | expect none"},
	{"filters",
	 "focus|ignore|hide SET | ...; collapse SET [as NAME];\n"
	 "collapse by file|object|class|dir; contexts; norec; whole; with inlined;\n"
	 "cut PERCENT; in PROFILE; part 2-5,9; thread N",
	 "Graph stages stand before the source and change the graph it sees: focus\n"
	 "keeps what passes through SET, ignore drops it, and what is left is 100 %\n"
	 "(whole: shares of the whole profile), hide charges it to its callers,\n"
	 "collapse makes it one, contexts makes a row of each context (f'2, f'caller),\n"
	 "with inlined makes functions of inlined code, cut drops what costs less.\n"
	 ".push filters all queries that follow, until .pop.",
	 "hide malloc | top 3\n"
	 "norec | top 3\n"
	 "with inlined | top 3\n"
	 "focus main | cut 1% | callees of main"},
	{"names", "name; \"exact name\"; /regex/; file:NAME obj:NAME class:NAME; #N",
	 "A bare name ignores parameters, templates, leading namespaces, __cxx11 and\n"
	 "the like, and suffixes of clones and versions (.part.0, @@GLIBC_2.34); *\n"
	 "stands for any text; several names: a or b, (a, b), not a.  #N is the number\n"
	 "in column #.",
	 "find main\n"
	 "find /^ma/\n"
	 "functions of file:* | take 2"},
	{"let", "let NAME = EXPR; let $NAME = SET or VALUE",
	 "NAME is a derived event or ratio.  $NAME is a set, a number or an expression,\n"
	 "and can stand wherever its value can; ${NAME} is the same and also stands\n"
	 "inside quotes and file names.  ${NAME:=VALUE} is VALUE unless NAME has a\n"
	 "value: a parameter of a script. --set NAME=VALUE and .run FILE NAME=VALUE set\n"
	 "it, too.  .sets lists sets that are always there, such as $alloc.",
	 "let $hot = main; callees of $hot\n"
	 "let $pct = 5%; functions | where self > $pct"},
	{"output", "QUERY > FILE; QUERY ! COMMAND; QUERY | as FORMAT",
	 "The extension of FILE picks the format; `as` overrides.  .mode, .once and\n"
	 ".output set it for more than one answer.  `functions > report.html` is a\n"
	 "report for a browser, with --with-source holds the source of its functions;\n"
	 "`source of f > f.html` is a page, `calltree from main > flame.svg` a flame\n"
	 "graph; `as md` is for a review, `as github` and `as junit` for CI jobs; .help\n"
	 "formats lists all.",
	 "top 3 | as csv\n"
	 "top 3 | as md\n"
	 "calltree from main depth 2 | as folded"},
	{"reading", "what columns and signs of an answer mean",
	 "self        what a function cost itself; all self add up to the total\n"
	 "incl        self and all that it called; of recursion the outermost call\n"
	 "%           of the profile; share% of what the last line of the table says\n"
	 "cum%        self% of this row and all rows above\n"
	 "calls       how often it was called; of a row below another, from there\n"
	 "est         the part of incl that came along this way.  ~: an estimate, since\n"
	 "            the profile counts calls, not stacks; it lies in lo to hi\n"
	 "#           the number of a function: `info #17`\n"
	 "cycle       the number of a group of functions that call each other:\n"
	 "            `cycles`.  recursive: it calls itself, or is in a cycle\n"
	 "f'2, f'g    f in its second level of recursion, f called by g: only in\n"
	 "            `contexts`; elsewhere f is one row\n"
	 "...         here something is left out: --wide shows all of a name\n"
	 "-           nothing is recorded, or the question has no answer here\n"
	 "???         the profile does not know the file or object\n"
	 "[libc.so.6] no file is known: the object\n"
	 ".help columns has every column.",
	 "top 3\n"
	 "callers of main"},
	{"record", "quern record [--stacks] -- PROGRAM [ARG]...; or by hand:",
	 "the usual questions    valgrind --tool=callgrind ./app   (built with -g)\n"
	 "instrs, asm, inlined   --dump-instr=yes\n"
	 "jumps                  --collect-jumps=yes\n"
	 "cache misses           --cache-sim=yes\n"
	 "mispredicted branches  --branch-sim=yes\n"
	 "threads                --separate-threads=yes --combine-dumps=yes\n"
	 "stacks                 --separate-callers=3\n"
	 "stretches, as parts    --dump-every-bb=10000000 --combine-dumps=yes\n"
	 "calls of f, as parts   --dump-before=f --combine-dumps=yes\n"
	 "what f does, alone     --toggle-collect=f\n"
	 "system calls           --collect-systime=nsec\n"
	 "child processes        --trace-children=yes --callgrind-out-file=out.%p\n"
	 "a server, as it runs   quern --watch callgrind.out.PID;\n"
	 "                       callgrind_control --dump PID\n"
	 "PHP with Xdebug 3      XDEBUG_MODE=profile \\\n"
	 "                       XDEBUG_CONFIG=start_with_request=yes php x.php\n"
	 "a request of PHP       php.ini: xdebug.mode=profile,\n"
	 "                       xdebug.start_with_request=trigger;\n"
	 "                       XDEBUG_TRIGGER=1 in the URL\n"
	 "Rust's gungraun        cargo bench; quern target/gungraun\n"
	 "CodSpeed               quern FOLDER, where its runner keeps profiles\n"
	 "Go                     go tool pprof -callgrind ./app cpu.prof >app.out\n"
	 "C++ with gperftools    google-pprof --callgrind ./app cpu.prof >app.out\n"
	 "Python                 python3 -m cProfile -o x.pstats x.py;\n"
	 "                       pyprof2calltree -i x.pstats -o app.out\n"
	 "Perl                   perl -d:NYTProf x.pl; nytprofcg --out app.out\n"
	 "Ruby                   ruby-prof -p call_tree -f FOLDER x.rb; quern FOLDER/*",
	 "events\n"
	 "parts"},
};

static const char overview[] =
	"A query reads left to right:   graph stages | source | table stages > file\n"
	"\n"
	"  top                                 the ten most expensive functions\n"
	"  malloc                              all about one function\n"
	"  callers of malloc                   who calls it, at what cost\n"
	"  path from main to malloc            how the program gets there\n"
	"  functions | where calls > 1000 | sort incl / calls\n"
	"  calltree > flame.svg                also .html .csv .json .md ...\n"
	"\n"
	"What self, incl, est, ~ and '2 mean is one screen: .help reading\n"
	"Tab completes, Ctrl-R searches the history, Ctrl-C stops a query, Ctrl-D leaves.\n"
	"\n"
	"Topics (.help TOPIC):\n";

/* Topics that are lists made from tables. */
static const char *const lists[] = {"sources", "columns", "formats", "accept",
				    "commands"};

const struct help_topic *help_at(size_t i)
{
	return i < sizeof(topics) / sizeof(topics[0]) ? &topics[i] : NULL;
}

const char *help_list(size_t i)
{
	return i < sizeof(lists) / sizeof(lists[0]) ? lists[i] : NULL;
}

/* Put a word in lines of 78 columns. */
static void put_word(struct out *o, size_t *column, const char *dot, const char *word)
{
	size_t n = str_c(dot).n + str_c(word).n + 1;

	if (*column && *column + n > 76) {
		out_char(o, '\n');
		*column = 0;
	}
	out_printf(o, "%s%s%s", *column ? " " : "  ", dot, word);
	*column += n;
}

void help_overview(struct out *o)
{
	const struct help_topic *t;
	const struct command *c;
	size_t column = 0;

	out_c(o, overview);
	for (size_t i = 0; (t = help_at(i)); i++)
		put_word(o, &column, "", t->name);
	for (size_t i = 0; help_list(i); i++)
		put_word(o, &column, "", help_list(i));
	out_c(o, "\nCommands (.help commands):\n");
	column = 0;
	for (size_t i = 0; (c = command_at(i)); i++)
		put_word(o, &column, ".", c->name);
	out_char(o, '\n');
}

static void print_commands(struct out *o)
{
	const struct command *c;

	for (size_t i = 0; (c = command_at(i)); i++) {
		size_t n = str_c(c->name).n + str_c(c->form).n;

		out_printf(o, "  .%s %s", c->name, c->form);
		out_fill(o, ' ', n < 30 ? 30 - n : 1);
		out_printf(o, "%s\n", c->what);
	}
}

static void indented(struct out *o, const char *before, const char *text)
{
	out_c(o, before);
	for (; *text; text++) {
		out_char(o, *text);
		if (*text == '\n')
			out_c(o, before);
	}
	out_char(o, '\n');
}

static void print_text(struct out *o, const char *text, const char *examples)
{
	indented(o, "  ", text);
	out_char(o, '\n');
	indented(o, "    ", examples);
}

static void print_formats(struct out *o)
{
	for (size_t f = FORMAT_NONE + 1; f < FORMAT_END; f++)
		out_printf(o, "  %-12s %s\n", formats[f].name, formats[f].what);
}

static void print_accept(struct out *o)
{
	const char *word, *help;

	out_c(o,
	      "  --accept WORD,...\n\n  An `expect` about one of these fails unless its word is "
	      "given:\n\n");
	for (size_t i = 0; session_accept_at(i, &word, &help); i++)
		out_printf(o, "  %-12s %s\n", word, help);
}

static bool letter(struct str s, size_t i)
{
	return i < s.n && ((s.p[i] >= 'a' && s.p[i] <= 'z') || s.p[i] == '_');
}

static bool has_word(struct str form, struct str word)
{
	for (size_t i = 0; i + word.n <= form.n; i++)
		if (str_starts(str_from(form, i), word) && !(i && letter(form, i - 1)) &&
		    !letter(form, i + word.n))
			return true;
	return false;
}

static const struct help_topic *find_topic(struct str topic)
{
	const struct help_topic *t;

	for (size_t i = 0; (t = help_at(i)); i++)
		if (str_eq(topic, str_c(t->name)))
			return t;
	/* Find a word in the grammar lines: `jumps`, `hottest`, `collapse`. */
	for (size_t i = 0; topic.n && (t = help_at(i)); i++)
		if (has_word(str_c(t->form), topic))
			return t;
	/* Or in the texts, from the last: `reading` says what `~` is, `record` how to
	 * see cache misses. */
	for (size_t i = sizeof(topics) / sizeof(topics[0]); topic.n && i-- > 0;)
		if (has_word(str_c(topics[i].text), topic))
			return &topics[i];
	return NULL;
}

static void print_command(struct out *o, const struct command *c)
{
	out_printf(o, "  .%s%s%s\n\n  %s\n", c->name, c->form[0] ? " " : "", c->form,
		   c->what);
	print_text(o, c->text, c->examples);
}

bool help_print(struct out *o, struct str topic)
{
	bool dot = topic.n && topic.p[0] == '.';
	const struct help_topic *t = dot ? NULL : find_topic(topic);
	const char *means = query_column_means(topic);
	const struct command *c;

	if (str_eq(topic, STR("formats"))) {
		print_formats(o);
		return true;
	}
	if (str_eq(topic, STR("accept"))) {
		print_accept(o);
		return true;
	}
	if (str_eq(topic, STR("commands"))) {
		print_commands(o);
		return true;
	}
	if (str_eq(topic, STR("sources"))) {
		help_sources(o);
		return true;
	}
	if (str_starts(topic, STR("columns")) &&
	    help_columns(o, str_trim(str_from(topic, strlen("columns")))))
		return true;
	if (means)
		out_printf(o, "  column %.*s: %s\n\n", STR_ARG(topic), means);
	if (t) {
		indented(o, "  ", t->form);
		out_char(o, '\n');
		print_text(o, t->text, t->examples);
		return true;
	}
	c = command_find(str_from(topic, dot));
	if (!c)
		return false;
	print_command(o, c);
	return true;
}

/* Where the text of a line stands that begins with a word and a gap; else where it begins. */
static size_t hang_of(struct str line, size_t columns)
{
	size_t begin = 0, i;

	while (begin < line.n && line.p[begin] == ' ')
		begin++;
	for (i = begin; i + 2 < line.n && i < columns / 2; i++)
		if (i && line.p[i - 1] != '.' && line.p[i] == ' ' &&
		    line.p[i + 1] == ' ' && line.p[i + 2] != ' ')
			return i + 2;
	return begin;
}

void help_fold(struct out *o, struct str text, size_t columns)
{
	while (text.n) {
		struct str line = {text.p, str_find(text, '\n')};
		const size_t hang = hang_of(line, columns);
		size_t room = columns, least = hang, n;

		text = str_from(text, line.n + (line.n < text.n));
		while (line.n > room) {
			for (n = room; n > least && line.p[n] != ' ';)
				n--;
			if (n == least)
				break;
			out_str(o, (struct str){line.p, n});
			out_char(o, '\n');
			out_fill(o, ' ', hang);
			line = str_from(line, n + 1);
			room = columns - hang;
			least = 0;
		}
		out_str(o, line);
		out_char(o, '\n');
	}
}
