/*
 * help_columns.c - what each column means, for .help columns; see help.h.
 *
 * A column is named once: it means the same in every table that has it.
 */
#include "repl/prompt/help.h"

#include "engine/lang/keywords.h"
#include "engine/query.h"

static const struct {
	const char *name, *means;
} columns[] = {
	{"id", "number of the function, for #N; in tables the column #"},
	{"fn", "name of the function"},
	{"name", "name of the file, object, directory, class, event or profile"},
	{"short", "its name without parameters and template arguments"},
	{"self", "cost of its own lines"},
	{"self%", "self as a share of the whole profile"},
	{"cum%", "self% of this row and all rows above it"},
	{"incl", "cost with all that it calls; of a call: cost inside it"},
	{"incl%", "incl as a share of the whole profile"},
	{"calls", "how often it is called"},
	{"file", "source file"},
	{"line", "where the function begins, or the line of this row"},
	{"file:line", "both, as one column of tables"},
	{"dir", "directory of the source file"},
	{"obj", "program or library"},
	{"class", "class or namespace: the name without its last part"},
	{"cycle", "number of the cycle that it belongs to"},
	{"functions", "how many functions the group, cycle, part or profile has"},
	{"contribution", "incl minus what its recursive calls count twice"},
	{"incoming", "cost that calls from other functions bring"},
	{"lo", "least that the estimate can be"},
	{"hi", "most that the estimate can be"},
	{"estimated", "true: the cost is an estimate, ~ in tables"},
	{"exact", "true: est is exact"},
	{"est", "estimated cost on this chain of calls"},
	{"est%", "est as a share of the whole profile"},
	{"share%", "est as a share of the tree's top; of a cycle: of its cuts"},
	{"incl/call", "incl divided by calls"},
	{"depth", "level in the tree, from 1"},
	{"recursive", "calls itself, or is in a cycle; in trees: on its own path"},
	{"path", "number of the path; of a profile: its file"},
	{"step", "step of the path, from 0"},
	{"caller", "function that calls"},
	{"callee", "function that is called"},
	{"caller_id", "its number"},
	{"fn_id", "number of the function"},
	{"callee_id", "its number"},
	{"caller_file", "its file"},
	{"callee_file", "its file"},
	{"caller_calls", "how often the caller is called; 1 if nothing calls it"},
	{"callers", "how many functions call it"},
	{"callees", "how many functions it calls"},
	{"callsites", "how many places call"},
	{"calls_out", "calls that this line makes"},
	{"incl_out", "cost of the calls that this line makes"},
	{"instr", "address of the instruction"},
	{"into", "function that holds the inlined code"},
	{"inlined", "function, or file, that the code is inlined from"},
	{"inlined_at", "where each inlined function was called"},
	{"text", "text of the line, or the instruction"},
	{"kind", "file, line, call, jump, gap or inlined"},
	{"to_fn", "function that the jump goes to"},
	{"to_file", "file that the jump goes to"},
	{"to_line", "line that the jump goes to"},
	{"to_instr", "address that the jump goes to"},
	{"conditional", "true: a conditional jump"},
	{"executed", "how often the jump was reached"},
	{"taken", "how often it was taken"},
	{"entry", "function by which most calls enter the cycle"},
	{"entries", "how many functions are called from outside"},
	{"costliest", "most expensive call inside the cycle"},
	{"cuts", "how many calls to remove to open the cycle"},
	{"cut", "those calls"},
	{"part", "number of the dump"},
	{"pid", "number of the process"},
	{"thread", "number of the thread"},
	{"parts", "how many dumps"},
	{"trigger", "why the dump was written"},
	{"time_range", "basic blocks that it covers"},
	{"desc", "other desc: lines of the profile"},
	{"spark", "a bar for each part"},
	{"row", "row of the part in the profile"},
	{"event", "event of costs that name none"},
	{"long", "long name of the event"},
	{"formula", "how a derived event is computed"},
	{"total", "cost of the whole profile"},
	{"base", "the same cost in the other profile (vs)"},
	{"delta", "cost here minus base"},
	{"delta%", "delta as a share of base"},
	{"base_incl", "inclusive cost in the other profile"},
	{"delta_incl", "incl minus base_incl"},
	{"change", "new, gone or renamed"},
	{"was", "its name in the other profile, if renamed"},
	{"rule", "rule by which the two names are paired"},
	{"least", "least of the runs on this side"},
	{"median", "median of the runs on this side"},
	{"most", "most of the runs on this side"},
	{"base_least", "least of the runs of the base"},
	{"base_median", "median of the runs of the base"},
	{"base_most", "most of the runs of the base"},
	{"noise", "true: the runs differ more than the two sides"},
	{"profile", "file of the profile"},
	{"creator", "tool that wrote it"},
	{"cmd", "command that was profiled"},
	{"positions", "line, or instr and line"},
	{"edges", "how many pairs of caller and callee"},
	{"cycles", "how many cycles"},
	{"names", "how many names"},
	{"files", "how many files"},
	{"objects", "how many programs and libraries"},
	{"lines", "how many lines with cost"},
	{"jumps", "how many jumps"},
	{"totals", "what the totals: lines of the profile say"},
	{"truncated", "true: the end of the profile is missing"},
	{"saturated", "true: a cost is too large to count"},
	{"diagnostics", "how many odd lines were skipped or mended"},
	{"input_bytes", "size of the profile"},
	{"input_lines", "its number of lines"},
	{"index_bytes", "size of the index"},
	{"built", "when the index was made"},
	{"built_unix_s", "the same in seconds since 1970"},
};

const char *help_column(struct str name)
{
	for (size_t i = 0; i < sizeof(columns) / sizeof(columns[0]); i++)
		if (str_eq(name, str_c(columns[i].name)))
			return columns[i].means;
	return NULL;
}

static void put_columns(struct out *o, const char *const *names, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		const char *means = help_column(str_c(names[i]));

		out_printf(o, "  %-13s %s\n", names[i], means ? means : "?");
	}
}

static void put_all(struct out *o)
{
	for (size_t i = 0; i < sizeof(columns) / sizeof(columns[0]); i++)
		out_printf(o, "  %-13s %s\n", columns[i].name, columns[i].means);
	out_c(o, "\n  self.EVENT and incl.EVENT are those of another event.\n"
		 "  .help columns callers: only those of one source.\n");
}

bool help_columns(struct out *o, struct str of)
{
	enum { MOST = 64 };
	const char *names[MOST];
	const struct verb *v = verb_find(of);

	if (of.n && !v)
		return false;
	if (v)
		put_columns(o, names, query_columns(v, true, names, MOST));
	else
		put_all(o);
	return true;
}

void help_sources(struct out *o)
{
	for (size_t i = 0; i < verbs_n; i++)
		if (verbs[i].word[0] != '_')
			out_printf(o, "  %s\n", verbs[i].form);
	out_c(o, "\n  .help columns SOURCE lists the columns of one.\n");
}
