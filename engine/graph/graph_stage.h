/*
 * graph_stage.h - graphs out of graphs: collapse, hide, focus, parts.
 */
#ifndef QUERN_GRAPH_STAGE_H
#define QUERN_GRAPH_STAGE_H

#include "engine/graph/graph.h"

enum graph_by { GRAPH_BY_FILE, GRAPH_BY_OBJECT, GRAPH_BY_DIR, GRAPH_BY_CLASS };

/* Functions of one file (object, ...) become one, with its name.  Exact. */
int graph_collapse_by(struct graph *g, enum graph_by by, struct graph **out,
		      struct err *err);
/* The group of each function of the graph below (after a collapse). */
const uint32_t *graph_groups(const struct graph *g);
/* The members of set become one function of that name.  Exact. */
int graph_collapse(struct graph *g, const struct fn_set *set, struct str name,
		   struct graph **out, struct err *err);
/* f'2, f'3 become f.  Exact. */
int graph_norec(struct graph *g, struct graph **out, struct err *err);
/* Members of set vanish; their cost goes to their callers in proportion. */
int graph_hide(struct graph *g, const struct fn_set *set, struct graph **out,
	       struct err *err);
/* Only (focus) or all but (ignore) the cost that passes through set, in proportion. */
int graph_focus(struct graph *g, const struct fn_set *set, bool ignore,
		struct graph **out, struct err *err);
/* The cost of some parts: exact.  parts[i] != 0: part i counts. */
int graph_parts(struct graph *g, const uint8_t *parts, struct graph **out,
		struct err *err);

#endif
