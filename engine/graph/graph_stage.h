/* graph_stage.h - the graph stages: collapse, hide, focus and ignore, parts. */
#ifndef QUERN_GRAPH_STAGE_H
#define QUERN_GRAPH_STAGE_H

#include "engine/graph/graph.h"

struct fn_set;

/* How many objects the profile names. */
uint32_t graph_names_objects(const struct graph *g);
/* Merge the functions of each file (object, ...) into one with its name.  Exact.  The
 * graph is made once, and kept with g. */
void graph_collapse_by(struct graph *g, enum graph_by by, struct graph **out);
/* The names of the groups by directory and by class. */
struct str graph_dir_of(struct str file);
struct str graph_class_shown(const struct graph *g, uint32_t f);
struct str graph_layer(const struct graph *g, uint32_t f);
/* The group of each function of the graph below (after a collapse). */
const uint32_t *graph_groups(const struct graph *g);
/* Merge the members of set into one function of that name.  Exact. */
void graph_collapse(struct graph *g, const struct fn_set *set, struct str name,
		    struct graph **out);
/* Remove the members of set; their cost goes to their callers in proportion. */
void graph_hide(struct graph *g, const struct fn_set *set, struct graph **out);
/* Keep the cost that passes through set (focus), or all other cost (ignore), in
 * proportion. */
void graph_focus(struct graph *g, const struct fn_set *set, bool ignore,
		 struct graph **out);
/* Keep the cost of the parts with parts[i] != 0.  Exact. */
void graph_parts(struct graph *g, const uint8_t *parts, struct graph **out);
/* Make the graph of some activations of g, a plain graph, from their contexts.  It knows all
 * stacks and is exact.  opened: the blocks of the activations, whose roots were called; NULL: a
 * span, whose roots are those of the run. */
struct part_contexts;
void graph_activations(struct graph *g, const struct part_contexts *from,
		       const struct graph_opened *opened, struct graph **out);
/* Such a graph is of a span of the run. */
void graph_span(struct graph *g, const struct graph_span *span);
/* [edges of such a graph]: the edge of the store. */
const uint32_t *graph_part_edges(const struct graph *g);
/* Join the places of each inlined function (inline/graph_inlined.h), or the contexts of each
 * function; *out may be g.  Exact.  Call graph_need_calls() before members of *out are read that
 * are about calls. */
void graph_join(struct graph *g, struct graph **out);
/* The graph that paths should follow: before they were joined. */
struct graph *graph_apart(struct graph *g);

/* The functions of base, a graph below g, that those of set are made of; entered: only those
 * by which they are entered, which are never below the others on a stack. */
void graph_members_of(const struct graph *g, const struct graph *base,
		      const struct fn_set *set, bool entered, struct arena *a,
		      const struct fn_set **out);
/* The function of g that f, of a graph below, is part of; *again: it is only entered while
 * that is on the stack. */
uint32_t graph_merged(const struct graph *g, const struct graph *base, uint32_t f,
		      bool *again);

/* ---- graph_contexts.c ---- */
struct stacks;
struct part_contexts;
/* The graph of the contexts of the whole profile. */
void graph_contexts(struct graph *below, struct graph **out);
/* Make g->tree for a graph of some parts, from their call tree (part_lines.h), which is
 * copied; NULL: of all parts.  From then on the inclusive costs of g are those of its stacks,
 * so call it before graph_event(). */
void graph_part_tree(struct graph *g, const struct part_contexts *from);
/* [contexts of g]: the function of the store that a context is of. */
const uint32_t *graph_context_functions(const struct graph *g);
/* The stacks that the functions of g are on, in the arena; *known: false if stages made them
 * estimates after all.  Call graph_event() before. */
void graph_stacks(struct graph *g, uint32_t event, struct arena *a, struct stacks *out,
		  bool *known);

#endif
