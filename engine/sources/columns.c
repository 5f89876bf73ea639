/*
 * columns.c - the registry: everything that there is to say of a column, once.
 *
 *	{"calls", COL_COUNT, "how often it is called",
 *	 GET({ROWS_FN, ADDS_UP | KNOWN_PLAIN, .graph_u = graph_calls, ...},        of a function, by graph.h
 *	     {ROWS_CONTEXT, ADDS_UP, .u = context_calls},   of a context, by a getter
 *	     {ROWS_SITE, ADDS_UP, AT(place, calls)},        of a call site, a member of its row
 *
 * The name, the type, what `.help columns` says, and for each kind of row the getter and
 * whether the column adds up or has NAME.EVENT.  Which sources have it, who sees it, and how
 * long a narrow screen keeps it is said in the lists of the sources.
 *
 * A column whose rows lead to a function needs no getter but that of ROWS_FN: `fn` of a
 * line, of a step, of a row of a tree.  BY_CALLER, BY_CALLEE: of that end of a call.
 *
 * The order is that of `.help columns`.  If a name has two types there are two rows.
 */
#include "engine/sources/columns.h"

#include <string.h>

#include "engine/graph/graph_cycles.h"
#include "engine/graph/graph_stage.h"
#include "engine/listing/listing.h"
#include "engine/path/causes.h"
#include "engine/sources/getters.h"
#include "engine/sources/line_rows.h"
#include "engine/sources/members.h"
#include "engine/sources/source.h"
#include "engine/sources/source_activations.h"
#include "engine/sources/why_row.h"

#define GET(...)                                     \
	.get = (const struct getter[]){__VA_ARGS__}, \
	.n = sizeof((const struct getter[]){__VA_ARGS__}) / sizeof(struct getter)

/* The name, and the file, of a function; a source may have two functions in a row. */
#define NAME_OF_FN                                                                    \
	{                                                                             \
		ROWS_FN, .graph_s = graph_name, .texts = fn_names, .dict = DICT_NAME, \
			 .codes = 1 + TABLE_FN_NAME                                   \
	}
#define FILE_OF_FN                                                 \
	{                                                          \
		ROWS_FN, .graph_s = graph_file, .dict = DICT_FILE, \
			 .codes = 1 + TABLE_FN_FILE                \
	}

/* clang-format off */
static const struct column_row registry[] = {
{"number", COL_ID, "which of these activations, in the order of their starts",
 GET({ROWS_ACTIVATION, AT(activation_row, number)})},
{"start", COL_COST, "cost before it; of its callers' own cost, what is known of",
 GET({ROWS_ACTIVATION, PER_EVENT, .u = activation_start,
      .estimated = activation_may_start_later},
     {ROWS_MOMENT, AT(moment, start), .estimated = moment_may_start_later})},
{"id", COL_ID, "number of the function, for #N; in tables the column #",
 GET({ROWS_FN, .graph_n = graph_id},
     {ROWS_CYCLE, .u = row_number},
     {ROWS_EVENT, .u = event_number},
     {ROWS_CONTEXT, .u = context_id_of},
     {ROWS_MOMENT, .u = moment_id, .absent = moment_merged})},
{"under", COL_ID, "number of the context, or row of the tree, above it",
 GET({ROWS_CONTEXT, ABSENT_0, .u = context_under},
     {ROWS_TREE, OF_ROWS | ABSENT_0, .u = tree_under})},
{"fn", COL_NAME, "name of the function",
 GET(NAME_OF_FN,
     {ROWS_MOMENT, .s = moment_name},
     {ROWS_INLINED, ABSENT_0, AT(inlined_row, name)},
     {ROWS_WHY, ABSENT_0, AT(why_row, fn)})},
{"name", COL_FILE, "name of the file, object, directory, class, event or profile",
 GET({ROWS_GROUP, .graph_s = graph_name})},
{"name", COL_STR, NULL,
 GET({ROWS_EVENT, NAMES_EVENT, AT(store_event, name)},
     {ROWS_PROFILE, .s = profile_name})},
{"short", COL_NAME, "its name without parameters and template arguments",
 GET({ROWS_FN, .s = fn_short, .texts = fn_shorts})},
{"self", COL_COST, "cost of its own lines",
 GET({ROWS_FN, PER_EVENT | ADDS_UP, .graph_cost = graph_self, .estimated = fn_self_estimated,
      .exact = graph_exact, .stored = 1 + TABLE_FN_SELF},
     {ROWS_GROUP, PER_EVENT | ADDS_UP, .graph_cost = graph_self, .estimated = fn_self_estimated},
     {ROWS_CYCLE, PER_EVENT | ADDS_UP, .u = cycle_self, .estimated = stages_estimate},
     {ROWS_CONTEXT, PER_EVENT | ADDS_UP, .u = context_self,
      .estimated = context_self_estimated, .prepare = prepare_contexts},
     {ROWS_PLACE, PER_EVENT | ADDS_UP, .u = place_self, .estimated = place_about,
      .exact = place_exact},
     {ROWS_INLINED, PER_EVENT | ADDS_UP, .u = inlined_self},
     {ROWS_LISTING, PER_EVENT | ADDS_UP, .u = listing_self, .estimated = listing_about,
      .exact = place_exact, .absent = listing_no_self},
     {ROWS_TREE, COSTLY, .u = tree_self, .estimated = tree_is_estimated, .absent = tree_inner},
     {ROWS_COST, AT(cost, self), .estimated = stages_estimate},
     {ROWS_ACTIVATION, PER_EVENT | ADDS_UP, .u = activation_self, .estimated = activation_about},
     {ROWS_MOMENT, AT(moment, self), .absent = moment_merged},
     {ROWS_PART, PER_EVENT | ADDS_UP, .u = part_self, .estimated = part_estimated,
      .prepare = parts_prepare},
     {ROWS_PART_OF, PER_EVENT | ADDS_UP, .u = set_self,
      .estimated = set_self_estimated, .prepare = set_prepare},
     {ROWS_THREAD, PER_EVENT | ADDS_UP, .u = thread_self, .estimated = part_estimated,
      .prepare = parts_prepare})},
{"self%", COL_PERCENT, "self as a share of the whole profile",
 .flags = PER_EVENT | OF_TOTAL},
{"cum%", COL_PERCENT, "self% of this row and all rows above it",
 .flags = IS_CUM},
{"incl", COL_COST, "cost with all that it calls; of a call: cost inside it",
 GET({ROWS_FN, PER_EVENT, .graph_cost = graph_incl, .estimated = fn_incl_estimated,
      .exact = fn_exact, .stored = 1 + TABLE_FN_INCL},
     {ROWS_GROUP, PER_EVENT, .graph_cost = graph_incl, .estimated = fn_incl_estimated},
     {ROWS_CYCLE, PER_EVENT, .u = cycle_incl, .estimated = stages_estimate},
     {ROWS_CONTEXT, PER_EVENT, .u = context_incl, .estimated = context_incl_estimated,
      .prepare = prepare_contexts},
     {ROWS_CALL, PER_EVENT, .graph_cost = graph_edge_incl, .estimated = call_estimated,
      .exact = graph_exact, .stored = 1 + TABLE_EDGE_INCL},
     {ROWS_SITE, PER_EVENT, .u = site_incl, .estimated = place_about,
      .exact = place_exact},
     {ROWS_LISTING, PER_EVENT, .u = listing_incl, .estimated = listing_about,
      .exact = place_exact, .absent = listing_no_incl},
     {ROWS_TREE, ADDS_UP | AT_TOP, AT(path_tree_row, incl), .estimated = stages_estimate},
     {ROWS_STEP, AT(step, s.incl), .estimated = stages_estimate},
     {ROWS_COST, AT(cost, incl), .estimated = cost_incl_estimated},
     {ROWS_ACTIVATION, PER_EVENT, .u = activation_incl, .estimated = activation_about},
     {ROWS_MOMENT, ADDS_UP | AT_TOP, AT(moment, incl)})},
{"incl%", COL_PERCENT, "incl as a share of the whole profile",
 .flags = PER_EVENT | OF_TOTAL},
{"calls", COL_COUNT, "how often it is called; of an activation: how often it calls",
 GET({ROWS_FN, ADDS_UP | KNOWN_PLAIN, .graph_u = graph_calls, .absent = fn_not_called,
      .present = calls_present, .stored = 1 + TABLE_FN_CALLS},
     {ROWS_GROUP, .graph_u = graph_calls, .absent = fn_not_called},
     {ROWS_CARD, .graph_u = graph_calls, .absent = fn_not_called},
     {ROWS_CYCLE, AT(graph_cycle, calls), .absent = calls_unknown},
     {ROWS_CONTEXT, ADDS_UP, .u = context_calls, .absent = context_not_called},
     {ROWS_CALL, ADDS_UP | KNOWN_PLAIN, .graph_u = call_count, .absent = call_not_counted,
      .present = calls_present, .stored = 1 + TABLE_EDGE_CALLS},
     {ROWS_SITE, ADDS_UP, AT(place, calls), .absent = place_not_counted},
     {ROWS_LISTING, .u = listing_calls, .absent = listing_no_calls},
     {ROWS_TREE, ADDS_UP | AT_TOP, AT(path_tree_row, calls), .absent = tree_not_called},
     {ROWS_STEP, AT(step, s.calls), .absent = step_not_called},
     {ROWS_PART_OF, ADDS_UP, .u = set_calls, .absent = set_not_counted},
     {ROWS_ACTIVATION, ADDS_UP, AT(activation_row, calls)},
     {ROWS_MOMENT, ADDS_UP | AT_TOP, AT(moment, calls)},
     {ROWS_TOTALS, .u = total_calls, .absent = calls_unknown},
     {ROWS_COST, AT(cost, calls.lo), .absent = cost_calls_not_known},
     {ROWS_CAUSE, .u = cause_calls, .estimated = cause_estimated,
      .absent = calls_unknown})},
{"calls_lo", COL_COUNT, "at least so many calls",
 GET({ROWS_COST, AT(cost, calls.lo), .absent = cost_no_calls})},
{"calls_hi", COL_COUNT, "at most so many calls",
 GET({ROWS_COST, AT(cost, calls.hi), .absent = cost_no_calls})},
{"file", COL_FILE, "source file",
 GET(FILE_OF_FN,
     {ROWS_MOMENT, .s = moment_file, .absent = moment_merged},
     {ROWS_PLACE, .number = place_file, .dict = DICT_FILE},
     {ROWS_SITE, .number = place_file, .dict = DICT_FILE},
     {ROWS_JUMP, .number = jump_file, .dict = DICT_FILE},
     {ROWS_INLINED, .number = inlined_file, .dict = DICT_FILE},
     {ROWS_LISTING, .s = listing_file},
     {ROWS_WHY, ABSENT_0, AT(why_row, file)},
     {ROWS_PART, .s = part_file})},
{"line", COL_LINE, "where the function begins, or the line of this row",
 GET({ROWS_FN, ABSENT_0, .graph_u = graph_line, .stored = 1 + TABLE_FN_LINE},
     {ROWS_PLACE, ABSENT_0, AT(place, line)},
     {ROWS_SITE, ABSENT_0, AT(place, line)},
     {ROWS_JUMP, AT(jump, j.line)},
     {ROWS_LISTING, ABSENT_0, .u = listing_line},
     {ROWS_WHY, ABSENT_0, AT(why_row, line)})},
{"file:line", COL_STR, "both, as one column of tables",
 GET({ROWS_FN, .s = fn_place},
     {ROWS_WHY, .s = why_file_line})},
{"dir", COL_FILE, "directory of the source file",
 GET({ROWS_FN, .s = fn_dir},
     {ROWS_PLACE, .s = place_dir})},
{"obj", COL_OBJ, "program or library",
 GET({ROWS_FN, .graph_s = graph_obj, .dict = DICT_OBJ, .codes = 1 + TABLE_FN_OBJ},
     {ROWS_LISTING, .s = listing_obj})},
{"class", COL_NAME, "class or namespace: the name without its last part",
 GET({ROWS_FN, .graph_s = graph_class_shown})},
{"layer", COL_NAME, "as of `collapse by layer`: object, package, module, or file",
 GET({ROWS_FN, .graph_s = graph_layer})},
{"cycle", COL_ID, "number of the cycle that it belongs to",
 GET({ROWS_FN, ABSENT_0, .graph_n = graph_cycle})},
{"functions", COL_COUNT, "how many functions the group, cycle, part or profile has",
 GET({ROWS_GROUP, ADDS_UP, .u = group_functions},
     {ROWS_CYCLE, ADDS_UP, AT(graph_cycle, functions)},
     {ROWS_PART, .u = part_functions, .prepare = parts_prepare},
     {ROWS_PROFILE, AT(store_info, groups)},
     {ROWS_INFO, .u = info_functions},
     {ROWS_TOTALS, AT(store_info, groups)})},
{"contribution", COL_COST, "incl minus what its recursive calls count twice",
 GET({ROWS_FN, PER_EVENT, .graph_cost = graph_contribution, .estimated = stages_estimate,
      .exact = graph_exact, .prepare = fn_prepare_sums},
     {ROWS_CARD, PER_EVENT, .graph_cost = graph_contribution})},
{"incoming", COL_COST, "cost that calls from other functions bring",
 GET({ROWS_FN, PER_EVENT, .graph_cost = graph_incoming, .estimated = stages_estimate,
      .exact = graph_exact, .prepare = fn_prepare_sums},
     {ROWS_CARD, PER_EVENT, .graph_cost = graph_incoming},
     {ROWS_PART_OF, PER_EVENT | ADDS_UP, .u = set_incoming, .estimated = set_estimated,
       .prepare = set_prepare})},
{"lo", COL_COUNT, "least that the estimate can be",
 GET({ROWS_CAUSE, AT(cause, lo)})},
{"hi", COL_COUNT, "most that the estimate can be",
 GET({ROWS_CAUSE, AT(cause, hi)})},
{"lo", COL_COST, NULL,
 GET({ROWS_FN, PER_EVENT | IF_EXACT, .u = fn_incl_lo, .absent = fn_no_bounds,
      .exact = fn_exact, .present = fn_exact, .stored = 1 + TABLE_FN_INCL},
     {ROWS_GROUP, PER_EVENT, .u = fn_incl_lo, .absent = fn_no_bounds},
     {ROWS_CARD, PER_EVENT, .u = fn_incl_lo, .absent = fn_incl_exact},
     {ROWS_TREE, AT(path_tree_row, cost.lo), .absent = tree_unbounded},
     {ROWS_STEP, AT(step, s.cost.lo), .absent = step_unbounded},
     {ROWS_WHY, AT(why_row, lo)},
     {ROWS_PLACE, .u = place_lo, .absent = place_unbounded},
     {ROWS_ACTIVATION, AT(activation_row, lo), .absent = activation_unbounded},
     {ROWS_COST, AT(cost, b.lo), .absent = cost_unbounded})},
{"hi", COL_COST, NULL,
 GET({ROWS_FN, PER_EVENT | IF_EXACT, .u = fn_incl_hi, .absent = fn_no_bounds,
      .exact = fn_exact, .present = fn_exact, .stored = 1 + TABLE_FN_INCL},
     {ROWS_GROUP, PER_EVENT, .u = fn_incl_hi, .absent = fn_no_bounds},
     {ROWS_CARD, PER_EVENT, .u = fn_incl_hi, .absent = fn_incl_exact},
     {ROWS_TREE, AT(path_tree_row, cost.hi), .absent = tree_unbounded},
     {ROWS_STEP, AT(step, s.cost.hi), .absent = step_unbounded},
     {ROWS_WHY, AT(why_row, hi)},
     {ROWS_PLACE, .u = place_hi, .absent = place_unbounded},
     {ROWS_ACTIVATION, AT(activation_row, hi), .absent = activation_unbounded},
     {ROWS_COST, AT(cost, b.hi), .absent = cost_unbounded})},
{"estimated", COL_BOOL, "true: the cost is an estimate, ~ in tables",
 GET({ROWS_FN, PER_EVENT, .b = fn_is_estimated},
     {ROWS_TREE, .b = tree_is_estimated},
     {ROWS_CONTEXT, PER_EVENT, .b = context_incl_estimated},
     {ROWS_STEP, .b = step_estimated},
     {ROWS_COST, .b = cost_incl_fuzzy},
     {ROWS_CAUSE, .b = cause_estimated},
     {ROWS_CALL, .b = call_estimated},
     {ROWS_ACTIVATION, .b = activation_about},
     {ROWS_PLACE, .b = place_about},
     {ROWS_SITE, .b = place_about},
     {ROWS_LISTING, .b = listing_about})},
{"inexact", COL_BOOL, "true: incl of some event is an estimate",
 GET({ROWS_FN, .b = fn_is_inexact})},
{"exact", COL_BOOL, "true: est is exact",
 GET({ROWS_COST, .b = cost_exact})},
{"est", COL_COST, "estimated cost on this chain of calls",
 GET({ROWS_TREE, ADDS_UP, AT(path_tree_row, est), .estimated = tree_is_estimated,
      .absent = tree_inner},
     {ROWS_STEP, .u = step_est, .estimated = step_estimated},
     {ROWS_COST, .u = cost_est, .estimated = cost_estimated})},
{"est%", COL_PERCENT, "est as a share of the whole profile",
 GET({ROWS_STEP, .f = step_share, .estimated = step_estimated, .absent = step_no_share},
     {ROWS_COST, .f = cost_share, .estimated = cost_estimated, .absent = step_no_share})},
{"share%", COL_PERCENT, "est as a share of the tree's top; of causes: of all calls; of a cycle: of its cuts",
 GET({ROWS_TREE, .f = tree_share, .estimated = tree_is_estimated, .absent = tree_no_share},
     {ROWS_CYCLE, .f = cycle_cut_share, .absent = cycle_not_opened},
     {ROWS_CAUSE, .f = cause_share, .estimated = cause_estimated,
      .absent = calls_unknown},
     {ROWS_WHY, ADDS_UP, .f = why_share, .absent = why_no_share})},
{"incl/call", COL_RATIO, "incl divided by calls",
 GET({ROWS_TREE, IS_COST, .f = tree_per_call, .estimated = stages_estimate,
      .absent = tree_no_calls})},
{"depth", COL_COUNT, "level in the tree, from 1",
 GET({ROWS_TREE, AT(path_tree_row, depth)},
     {ROWS_CONTEXT, ABSENT_0, .u = context_depth},
     {ROWS_ACTIVATION, AT(activation_row, depth)},
     {ROWS_MOMENT, AT(moment, depth)})},
{"calls_only", COL_BOOL, "no line of it is known: self is the cost of the calls into it",
 GET({ROWS_FN, .graph_b = graph_calls_only})},
{"usual", COL_COST, "the median of what its calls include (Xdebug)",
 GET({ROWS_FN, PER_EVENT, .u = fn_usual, .prepare = prepare_spread})},
{"slowest", COL_COST, "the most that one of its calls includes (Xdebug)",
 GET({ROWS_FN, PER_EVENT, .u = fn_slowest, .prepare = prepare_spread})},
{"recursive", COL_BOOL, "calls itself, or is in a cycle; in trees: on its own path",
 GET({ROWS_FN, .b = fn_recursive},
     {ROWS_CALL, .graph_b = graph_edge_in_cycle},
     {ROWS_SITE, .b = site_recursive},
     {ROWS_TREE, AT(path_tree_row, recursive)})},
{"itself", COL_BOOL, "true: caller and callee are one function",
 GET({ROWS_CALL, .b = call_of_itself})},
{"path", COL_COUNT, "number of the path; of a profile: its file",
 GET({ROWS_STEP, AT(step, path)})},
{"path", COL_FILE, NULL,
 GET({ROWS_PROFILE, AT(store_info, profile)})},
{"step", COL_COUNT, "step of the path, from 0",
 GET({ROWS_STEP, AT(step, step)})},
{"caller", COL_NAME, "function that calls", BY_CALLER,
 GET(NAME_OF_FN,
     {ROWS_SITE, .s = site_caller, .number = site_caller_name, .dict = DICT_NAME},
     {ROWS_ACTIVATION, .s = activation_caller, .absent = activation_is_root})},
{"callee", COL_NAME, "function that is called", BY_CALLEE,
 GET(NAME_OF_FN,
     {ROWS_SITE, .s = site_callee, .number = site_callee_name, .dict = DICT_NAME},
     {ROWS_LISTING, .s = listing_callee, .absent = listing_no_incl},
     {ROWS_WHY, ABSENT_0, AT(why_row, callee)})},
{"caller_id", COL_ID, "its number", BY_CALLER,
 GET({ROWS_FN, .graph_n = graph_id},
     {ROWS_ACTIVATION, .u = activation_caller_id, .absent = activation_is_root})},
{"fn_id", COL_ID, "number of the function",
 GET({ROWS_FN, .graph_n = graph_id},
     {ROWS_CONTEXT, .u = context_fn_id})},
{"callee_id", COL_ID, "its number", BY_CALLEE,
 GET({ROWS_FN, .graph_n = graph_id},
     {ROWS_SITE, .u = site_callee_id, .absent = site_no_callee})},
{"caller_file", COL_FILE, "its file", BY_CALLER,
 GET(FILE_OF_FN)},
{"callee_file", COL_FILE, "its file", BY_CALLEE,
 GET(FILE_OF_FN)},
{"caller_calls", COL_COUNT, "how often the caller is called; 1 if nothing calls it",
 BY_CALLER,
 GET({ROWS_FN, .graph_u = fn_activations, .absent = fn_not_called})},
{"callers", COL_COUNT, "how many functions call it",
 GET({ROWS_FN, .graph_n = graph_caller_count})},
{"callees", COL_COUNT, "how many functions it calls",
 GET({ROWS_FN, .u = fn_callees})},
{"passed", COL_COST, "part of incl in callees that it calls at most 20 times a run, without recursion",
 GET({ROWS_FN, PER_EVENT, .u = fn_passed, .absent = calls_unknown})},
{"passed_most", COL_COST, "most that is passed to one callee that it calls once a run",
 GET({ROWS_FN, PER_EVENT, .u = fn_passed_most, .absent = calls_unknown})},
{"callsites", COL_COUNT, "how many places call",
 GET({ROWS_INFO, AT(store_info, callsites)})},
{"calls_out", COL_COUNT, "calls that this line makes",
 GET({ROWS_PLACE, ADDS_UP, AT(place, calls), .absent = place_not_counted})},
{"incl_out", COL_COST, "cost of the calls that this line makes",
 GET({ROWS_PLACE, PER_EVENT, .u = place_incl, .estimated = place_about,
      .exact = place_exact})},
{"instr", COL_ADDR, "address of the instruction",
 GET({ROWS_PLACE, AT(place, instr)},
     {ROWS_SITE, AT(place, instr), .absent = detail_no_instr},
     {ROWS_JUMP, AT(jump, j.instr), .absent = detail_no_instr},
     {ROWS_LISTING, ABSENT_0, AT(listing_row, pos)})},
{"into", COL_NAME, "function that holds the inlined code",
 GET(NAME_OF_FN)},
{"inlined", COL_STR, "function, or file, that the code is inlined from",
 GET({ROWS_PLACE, .s = place_inlined, .absent = place_not_inlined,
      .prepare = prepare_inlined})},
{"inlined_at", COL_STR, "where each inlined function was called",
 GET({ROWS_PLACE, .s = place_inlined_at, .absent = place_not_in_calls,
      .prepare = prepare_inlined})},
{"text", COL_STR, "text of the line, or the instruction",
 GET({ROWS_PLACE, .s = place_text},
     {ROWS_LISTING, AT(listing_row, text)})},
{"kind", COL_STR, "of a listing: file, line, call, jump, gap or inlined; of why: the kind of cause",
 GET({ROWS_LISTING, .s = listing_kind},
     {ROWS_WHY, AT(why_row, kind)})},
{"why", COL_STR, "what changed, as a sentence",
 GET({ROWS_WHY, IS_SENTENCE, AT(why_row, text)})},
{"from", COL_RATIO, "calls, or own cost, of one run of the function in the base",
 GET({ROWS_WHY, .f = why_from, .absent = why_no_rates})},
{"to", COL_RATIO, "the same in this profile",
 GET({ROWS_WHY, .f = why_to, .absent = why_no_rates})},
{"from/call", COL_RATIO, "from: the numbers are per call of the function",
 GET({ROWS_WHY, .f = why_from, .absent = why_no_rates})},
{"to/call", COL_RATIO, "to, likewise", GET({ROWS_WHY, .f = why_to, .absent = why_no_rates})},
{"below", COL_NAME, "the change is only where this function is above",
 GET({ROWS_WHY, ABSENT_0, AT(why_row, below)})},
{"context", COL_STR, "the stack with most of the change, if the profile knows stacks",
 GET({ROWS_WHY, ABSENT_0 | HAS_CALLS, AT(why_row, context)})},
{"to_fn", COL_NAME, "function that the jump goes to",
 GET({ROWS_JUMP, .s = jump_to_name})},
{"to_file", COL_FILE, "file that the jump goes to",
 GET({ROWS_JUMP, .number = jump_to_file, .dict = DICT_FILE})},
{"to_line", COL_LINE, "line that the jump goes to",
 GET({ROWS_JUMP, AT(jump, j.to_line)})},
{"to_instr", COL_ADDR, "address that the jump goes to",
 GET({ROWS_JUMP, AT(jump, j.to_instr), .absent = detail_no_instr})},
{"conditional", COL_BOOL, "true: a conditional jump",
 GET({ROWS_JUMP, AT(jump, j.conditional)})},
{"executed", COL_COUNT, "how often the jump was reached",
 GET({ROWS_JUMP, ADDS_UP, AT(jump, j.executed)})},
{"taken", COL_COUNT, "how often it was taken",
 GET({ROWS_JUMP, ADDS_UP, AT(jump, j.taken)})},
{"entry", COL_NAME, "function by which most calls enter the cycle",
 GET(NAME_OF_FN)},
{"entries", COL_COUNT, "how many functions are called from outside",
 GET({ROWS_CYCLE, AT(graph_cycle, entries)})},
{"costliest", COL_STR, "most expensive call inside the cycle",
 GET({ROWS_CYCLE, HAS_CALLS, .s = cycle_costliest})},
{"cuts", COL_COUNT, "how many calls to remove to open the cycle",
 GET({ROWS_CYCLE, .u = cycle_cuts, .absent = cycle_not_opened})},
{"cut", COL_STR, "those calls",
 GET({ROWS_CYCLE, HAS_CALLS, .s = cycle_cut})},
{"part", COL_ID, "number of the dump",
 GET({ROWS_PART, AT(part, part)},
     {ROWS_ACTIVATION, .u = activation_part})},
{"pid", COL_ID, "number of the process",
 GET({ROWS_PART, AT(part, pid)})},
{"thread", COL_ID, "number of the thread",
 GET({ROWS_PART, AT(part, thread)})},
{"parts", COL_COUNT, "how many dumps",
 GET({ROWS_THREAD, .u = thread_parts},
     {ROWS_INFO, .u = info_parts})},
{"threads", COL_COUNT, "how many threads",
 GET({ROWS_INFO, .u = info_threads})},
{"trigger", COL_STR, "why the dump was written",
 GET({ROWS_PART, AT(part, trigger)})},
{"time_range", COL_STR, "basic blocks that it covers",
 GET({ROWS_PART, AT(part, time_range)})},
{"desc", COL_STR, "other desc: lines of the profile",
 GET({ROWS_PART, AT(part, desc)})},
{"description", COL_STR, "desc in one line, `; ` between its lines",
 GET({ROWS_PART, .s = part_description})},
{"has_self", COL_BOOL, "true: cost lines are there, not only calls",
 GET({ROWS_PLACE, AT(place, has_self)})},
{"has_totals", COL_BOOL, "true: the producer wrote a totals: line for it",
 GET({ROWS_PART, AT(part, has_totals)})},
{"spark", COL_STR, "a bar for each part",
 GET({ROWS_PART_OF, .s = set_spark})},
{"row", COL_COUNT, "row of the part or context in the profile; of a tree: its row, from 1",
 GET({ROWS_PART, .u = row_number},
     {ROWS_CONTEXT, .u = row_number},
     {ROWS_TREE, OF_ROWS, .u = row_number})},
{"event", COL_STR, "event of costs that name none",
 GET({ROWS_PROFILE, NAMES_EVENT, .s = profile_first_event},
     {ROWS_TOTALS, .s = total_event})},
{"long", COL_STR, "long name of the event",
 GET({ROWS_EVENT, AT(store_event, long_name)})},
{"formula", COL_STR, "how a derived event is computed",
 GET({ROWS_EVENT, AT(store_event, formula)})},
{"recorded", COL_BOOL, "true: the profile has the event; false: it is computed",
 GET({ROWS_EVENT, .b = event_recorded})},
{"total", COL_COST, "cost of the whole profile",
 GET({ROWS_EVENT, .u = event_total, .estimated = stages_estimate},
     {ROWS_PROFILE, .u = profile_total},
     {ROWS_INFO, PER_EVENT, .u = info_total, .estimated = stages_estimate},
     {ROWS_TOTALS, PER_EVENT, .u = info_total, .estimated = stages_estimate})},
{"peak", COL_COST, "most memory that the run had at one time, as Xdebug's summary: says",
 .flags = OF_BYTES | ABSENT_0, GET({ROWS_INFO, PER_EVENT, .u = info_peak})},
{"base", COL_COST, "the same cost in the other profile (vs)",
 .flags = PER_EVENT | ADDS_UP},
{"delta", COL_DELTA, "cost here minus base",
 GET({ROWS_JOINED, PER_EVENT | ADDS_UP, .u = NULL}, /* computed by vs_cols.c */
     {ROWS_WHY, ADDS_UP, AT(why_row, delta)})},
{"delta%", COL_PERCENT, "delta as a share of base",
 .flags = OF_TOTAL},
{"unsure", COL_BOOL, "true: whether it is paired with the right one is not certain",
 .flags = 0},
{"growth", COL_DELTA, "as delta; growth% is a share of the base's total",
 .flags = PER_EVENT},
{"total_delta", COL_DELTA, "the change of the whole, in every row",
 .flags = PER_EVENT},
{"base_calls", COL_COUNT, "how often it is called in the other profile",
 .flags = ADDS_UP | AT_TOP},
{"calls_delta", COL_DELTA, "calls minus base_calls",
 .flags = IN_COUNTS | ADDS_UP | AT_TOP},
{"base_incl", COL_COST, "inclusive cost in the other profile",
 .flags = PER_EVENT},
{"delta_incl", COL_DELTA, "incl minus base_incl",
 .flags = PER_EVENT},
{"change", COL_STR, "new, gone or renamed", .flags = 0},
{"was", COL_NAME, "its name in the other profile, if renamed", .flags = 0},
{"rule", COL_STR, "rule by which the two names are paired", .flags = 0},
{"least", COL_COST, "least of the runs on this side",
 .flags = OF_RUN | PER_EVENT},
{"median", COL_COST, "median of the runs on this side",
 .flags = OF_RUN | PER_EVENT},
{"most", COL_COST, "most of the runs on this side",
 .flags = OF_RUN | PER_EVENT},
{"base_least", COL_COST, "least of the runs of the base",
 .flags = OF_RUN | PER_EVENT},
{"base_median", COL_COST, "median of the runs of the base",
 .flags = OF_RUN | PER_EVENT},
{"base_most", COL_COST, "most of the runs of the base",
 .flags = OF_RUN | PER_EVENT},
{"noise", COL_BOOL, "true: the runs differ more than the two sides",
 .flags = OF_RUN | PER_EVENT},
{"profile", COL_FILE, "file of the profile",
 GET({ROWS_INFO, AT(store_info, profile)})},
{"creator", COL_STR, "tool that wrote it",
 GET({ROWS_INFO, AT(store_info, creator)})},
{"cmd", COL_STR, "command that was profiled",
 GET({ROWS_INFO, AT(store_info, cmd)})},
{"positions", COL_STR, "line, or instr and line",
 GET({ROWS_INFO, .s = info_positions})},
{"edges", COL_COUNT, "how many pairs of caller and callee",
 GET({ROWS_INFO, .u = info_edges})},
{"cycles", COL_COUNT, "how many cycles",
 GET({ROWS_INFO, .u = info_cycles})},
{"names", COL_COUNT, "how many names",
 GET({ROWS_INFO, AT(store_info, names)})},
{"files", COL_COUNT, "how many files",
 GET({ROWS_INFO, AT(store_info, files)})},
{"objects", COL_COUNT, "how many programs and libraries",
 GET({ROWS_INFO, AT(store_info, objects)})},
{"lines", COL_COUNT, "how many lines with cost",
 GET({ROWS_INLINED, ADDS_UP, AT(inlined_row, lines)},
     {ROWS_INFO, AT(store_info, lines)})},
{"jumps", COL_COUNT, "how many jumps",
 GET({ROWS_INFO, AT(store_info, jumps)})},
{"totals", COL_STR, "what the totals: lines of the profile say",
 GET({ROWS_INFO, .s = info_totals})},
{"truncated", COL_BOOL, "true: the end of the profile is missing",
 GET({ROWS_INFO, AT(store_info, truncated)})},
{"saturated", COL_BOOL, "true: a cost is too large to count",
 GET({ROWS_INFO, AT(store_info, saturated)})},
{"diagnostics", COL_COUNT, "how many odd lines were skipped or mended",
 GET({ROWS_INFO, AT(store_info, diagnostics)})},
{"input_bytes", COL_COUNT, "size of the profile",
 GET({ROWS_INFO, AT(store_info, input_bytes)})},
{"input_lines", COL_COUNT, "its number of lines",
 GET({ROWS_INFO, AT(store_info, input_lines)})},
{"index_bytes", COL_COUNT, "size of the index",
 GET({ROWS_INFO, AT(store_info, index_bytes)})},
{"built", COL_STR, "when the index was made",
 GET({ROWS_INFO, .s = info_built})},
{"built_unix_s", COL_COUNT, "the same in seconds since 1970",
 GET({ROWS_INFO, AT(store_info, built_s)})},
};
/* clang-format on */

enum { ROWS = sizeof(registry) / sizeof(registry[0]) };

/* The columns that a comparison adds to those of a source: formulas in vs_cols.c. */
static const struct listed joined[VS_COLS] = {
	{"base", BOTH, 0},     {"delta", BOTH, 0},   {"delta%", BOTH, 0},
	{"change", BOTH, 0},   {"was", BOTH, 0},     {"rule", SHOW_M, 0},
	{"unsure", SHOW_T, 0}, {"growth", 0, 0},     {"total_delta", 0, 0},
	{"base_incl", 0, 0},   {"delta_incl", 0, 0}, {"base_calls", 0, 0},
	{"calls_delta", 0, 0}, {"least", 0, 0},	     {"median", SHOW_T, 0},
	{"most", 0, 0},	       {"base_least", 0, 0}, {"base_median", SHOW_T, 0},
	{"base_most", 0, 0},   {"noise", SHOW_T, 0},
};
struct col_def vs_cols[VS_COLS];

const struct column_row *column_at(size_t i)
{
	return i < ROWS ? &registry[i] : NULL;
}

const char *column_help(struct str name)
{
	for (size_t i = 0; i < ROWS; i++)
		if (registry[i].help && str_eq(name, str_c(registry[i].name)))
			return registry[i].help;
	return NULL;
}

/* ---- from lists of names to columns ---- */

static const struct getter *getter_of(const struct column_row *r, enum rows_of of)
{
	for (size_t i = 0; i < r->n; i++)
		if (r->get[i].of == of)
			return &r->get[i];
	return NULL;
}

/* Rows that are a kind of other rows have their columns, too. */
static enum rows_of more_general(enum rows_of of)
{
	return of == ROWS_PART_OF || of == ROWS_THREAD ? ROWS_PART : ROWS_FN;
}

/* The function of the rows of src that a getter of functions takes. */
static struct link link_of(const struct source_def *src, enum which_fn by)
{
	return by == BY_CALLER	      ? src->caller
	       : by == BY_CALLEE      ? src->callee
	       : src->of <= ROWS_CARD ? (struct link){0} /* they are functions */
				      : (struct link){src->fn, 0};
}

/* Shorter ways read the functions of all rows in one go. */
static void forget_shorter_ways(struct col_def *d)
{
	d->get.stored = 0;
	d->get.texts = NULL;
	if (!d->link.stored)
		d->get.dict = DICT_NONE;
}

/* Make *d a column of src by row r of the registry; false: there is no getter for it. */
static bool resolve(const struct source_def *src, const struct column_row *r,
		    struct col_def *d)
{
	const struct getter *g = getter_of(r, src->of);

	if (!g)
		g = getter_of(r, more_general(src->of));
	if (!g && r->n)
		return false; /* without getters it is computed from other columns */
	if (g)
		d->get = *g;
	if (g && g->of == ROWS_FN) {
		d->link = link_of(src, r->by);
		if (!d->link.fn && (r->by != BY_FN || src->of > ROWS_CARD))
			return false;
	}
	if (d->link.fn)
		forget_shorter_ways(d);
	d->type = r->type;
	d->flags |= r->flags | d->get.flags;
	return true;
}

static bool same_name(const char *a, const char *b)
{
	return a[0] == b[0] && strcmp(a, b) == 0;
}

/* Lists and the registry have much the same order: begin behind the row found last, *at. */
static bool resolve_listed(const struct source_def *src, const struct listed *l,
			   struct col_def *d, size_t *at)
{
	for (size_t k = 0; k < ROWS; k++) {
		*at = *at + 1 < ROWS ? *at + 1 : 0;
		if (!same_name(registry[*at].name, l->name))
			continue;
		*d = (struct col_def){l->name, .flags = l->flags, .place = l->place};
		if (resolve(src, &registry[*at], d))
			return true;
	}
	return false;
}

size_t columns_resolve(const struct source_def *src)
{
	size_t unknown = 0, at = ROWS - 1;

	for (size_t i = 0; i < src->ncols; i++)
		unknown += !resolve_listed(src, &src->list[i], &src->cols[i], &at);
	return unknown;
}

size_t columns_resolve_joined(void)
{
	const struct source_def any = {
		.of = ROWS_JOINED, .list = joined, .cols = vs_cols, .ncols = VS_COLS};

	return columns_resolve(&any);
}
