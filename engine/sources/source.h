/* source.h - the tables of the sources, and the functions that they share. */
#ifndef QUERN_SOURCE_H
#define QUERN_SOURCE_H

#include "engine/rows/table.h"

extern const struct source_def source_functions, source_find, source_files,
	source_objects, source_dirs, source_classes, source_cycles; /* source_fn.c */
extern const struct source_def source_calls, source_callers, source_callees,
	source_calltree;			/* source_edge.c */
extern const struct source_def source_contexts; /* source_contexts.c */
extern const struct source_def source_lines, source_instrs, source_callsites,
	source_jumps;					  /* source_line.c */
extern const struct source_def source_inlined;		  /* source_inlined.c */
extern const struct source_def source_activations;	  /* source_activations.c */
extern const struct source_def source_timeline;		  /* source_timeline.c */
extern const struct source_def source_source, source_asm; /* source_listing.c */
extern const struct source_def source_path, source_cost;  /* source_path.c */
extern const struct source_def source_causes;		  /* source_causes.c */
extern const struct source_def source_info, source_info_fn, source_info_vs, source_events,
	source_profiles;		   /* source_info.c */
extern const struct source_def source_why; /* source_why.c */
extern const struct source_def source_parts, source_parts_of,
	source_threads; /* source_parts.c */

struct flow_parts;
struct fn_set;
struct path_tree_query;
struct source;
struct span;
struct stacks;

/* The flow of g; the flow of a whole profile is cached by the session. */
void exec_flow(struct exec *x, struct graph *g, uint32_t event, const struct flow **out);
/* Note what calls of the call tree have no block, or were given one of several. */
void exec_note_tree(struct exec *x);
/* Note that so many negative costs count as 0. */
void exec_note_negative(struct exec *x, uint32_t n);
/* The flows of the parts of g; *out is NULL if there is one, or none are to be used. */
void exec_parts(struct exec *x, struct graph *g, const struct flow *whole,
		struct flow_parts **out);
/* If x->g is of some parts of a profile that knows its stacks: read theirs, for all that the
 * source tells of functions.  A note if they cannot be read: then these are estimates. */
void exec_part_stacks(struct exec *x, const struct source *s);
/* Where the stacks are known that the functions of x->g are on: these stacks. */
void exec_stacks(struct exec *x, struct stacks *out, bool *known);
/* The tree of a query on x->g, estimated by parts.  If x->g merges functions, the
 * estimate comes first, then the folding. */
void exec_tree(struct exec *x, struct path_tree_query *q, struct path_tree *tree);
/* Make the members of a set the rows. */
void refs_of_set(struct exec *x, struct table *t, const struct source_def *def,
		 struct graph *g, const struct fn_set *set);
/* Fail: the profile has no such thing, which callgrind records with the option. */
_Noreturn void source_lacks(struct exec *x, struct span at, const char *what,
			    const char *option);
/* How often function f ran: its calls, or once if nothing calls it. */
uint64_t fn_activations(const struct graph *g, uint32_t f);
uint32_t row_is_fn(const struct table *t, uint32_t ref);
/* The subject of a row: its function, if it has one. */
void fn_subject(const struct table *t, uint32_t ref, struct row_subject *out);

#endif
