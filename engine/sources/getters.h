/*
 * getters.h - the functions that the registry (columns.c) takes the values of columns from.
 *
 * A value that is a member of the struct of its row needs none: AT() in the registry.  Nor
 * does one that a function of graph.h returns.
 */
#ifndef QUERN_GETTERS_H
#define QUERN_GETTERS_H

#include "engine/rows/table.h"

/* Of a cost: the bits of an int64_t. */
typedef uint64_t get_number(const struct table *t, uint32_t ref, uint32_t event);
typedef double get_real(const struct table *t, uint32_t ref, uint32_t event);
typedef struct str get_text(const struct table *t, uint32_t ref);
typedef void get_texts(const struct table *t, struct str *out);
typedef uint32_t get_code(const struct table *t, uint32_t ref); /* of a dictionary */
typedef bool get_bool(const struct table *t, uint32_t ref, uint32_t event);
typedef bool get_absent(const struct table *t, uint32_t ref);
typedef bool holds(const struct table *t); /* of all rows */
typedef void prepare(const struct table *t, uint32_t event);

/* getters.c: of rows; of functions of the graph, whatever the rows are; and of calls */
get_number row_number, fn_incl_lo, fn_incl_hi, fn_callees, fn_passed, fn_passed_most;
get_text fn_short, fn_dir, fn_place;
get_texts fn_names, fn_shorts;
get_bool stages_estimate, fn_self_estimated, fn_incl_estimated, fn_is_estimated,
	fn_is_inexact, fn_recursive;
get_absent fn_not_called, fn_no_bounds, fn_incl_exact, context_not_called,
	set_not_counted;
holds fn_exact, graph_exact, calls_present;
get_absent calls_unknown, place_not_counted;
prepare fn_prepare_sums;
get_bool call_estimated, call_of_itself;
get_absent call_not_counted;
uint64_t call_count(const struct graph *g, uint32_t edge);

/* source_fn.c: groups, cycles */
get_number group_functions, cycle_self, cycle_incl, cycle_cuts;
get_real cycle_cut_share;
get_text cycle_costliest, cycle_cut;
get_absent cycle_not_opened;

/* source_edge.c: trees */
get_number tree_self, tree_under;
get_real tree_share, tree_per_call;
get_bool tree_is_estimated;
get_absent tree_inner, tree_no_share, tree_unbounded, tree_no_calls, tree_not_called;

/* source_contexts.c */
get_number context_id_of, context_fn_id, context_under, context_depth, context_calls,
	context_self, context_incl;
get_bool context_self_estimated, context_incl_estimated;
prepare prepare_contexts;

/* call_spread.c */
get_number fn_usual, fn_slowest;
prepare prepare_spread;

/* source_line.c: places, call sites, jumps */
get_number place_self, place_incl, site_incl, site_callee_id;
get_text place_dir, place_text, place_inlined, place_inlined_at, site_caller, site_callee,
	jump_to_name;
get_bool place_about, site_recursive;
get_absent place_unbounded;
get_number place_lo, place_hi;
holds place_exact;
get_code place_file, site_caller_name, site_callee_name, jump_file, jump_to_file;
get_absent place_not_inlined, place_not_in_calls, site_no_callee, detail_no_instr;
prepare prepare_inlined;

/* source_activations.c */
get_number activation_start, activation_self, activation_incl, activation_caller_id,
	activation_part;
get_text activation_caller;
get_bool activation_may_start_later, activation_about;
get_absent activation_is_root, activation_unbounded;

/* source_timeline.c */
get_number moment_id;
get_text moment_name, moment_file;
get_bool moment_may_start_later;
get_absent moment_merged;

/* source_inlined.c */
get_number inlined_self;
get_code inlined_file;

/* source_listing.c */
get_number listing_self, listing_incl, listing_calls, listing_line;
get_text listing_kind, listing_file, listing_obj, listing_callee;
get_bool listing_about;
get_absent listing_no_self, listing_no_incl, listing_no_calls;

/* source_path.c: steps of paths, cost */
get_number step_est, cost_est;
get_real step_share, cost_share;
get_absent step_no_share, cost_no_calls, cost_calls_not_known;
get_bool step_estimated, cost_estimated, cost_exact, cost_incl_estimated, cost_incl_fuzzy;

/* source_causes.c */
get_number cause_calls;
get_real cause_share;
get_bool cause_estimated;
get_absent step_unbounded, step_not_called, cost_unbounded;

/* source_parts.c: parts, parts of f, threads */
get_number part_self, set_self, set_incoming, set_calls, thread_self, thread_parts,
	part_functions;
get_bool part_estimated, set_estimated, set_self_estimated;
prepare parts_prepare, set_prepare;
get_text part_file, part_description, set_spark;

/* source_info.c: the profile, its events, all profiles */
get_number total_calls, info_total, info_peak, info_parts, info_threads, info_functions,
	info_edges, info_cycles, event_number, event_total, profile_total;
get_bool event_recorded;
get_text info_positions, info_totals, info_built, total_event, profile_name,
	profile_first_event;

/* source_why.c */
double why_share(const struct table *t, uint32_t r, uint32_t e);
bool why_no_share(const struct table *t, uint32_t r);
double why_from(const struct table *t, uint32_t r, uint32_t e);
double why_to(const struct table *t, uint32_t r, uint32_t e);
bool why_no_rates(const struct table *t, uint32_t r);
struct str why_file_line(const struct table *t, uint32_t r);

#endif
