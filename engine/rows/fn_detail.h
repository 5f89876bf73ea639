/*
 * fn_detail.h - cost lines, call sites and jumps of a function after the graph stages:
 * from the index or, after `part` and `thread`, from the parts, read again from the
 * profile.  The call tree of parts is read from there, too.
 */
#ifndef QUERN_FN_DETAIL_H
#define QUERN_FN_DETAIL_H

#include "engine/graph/graph.h"
#include "index/store/store.h"

struct exec;
struct fn_set;
struct source;

/* Like store_lines(), store_sites(), store_jumps(). */
void fn_lines(struct exec *x, fn_id f, struct arena *a, struct store_line **rows,
	      int64_t **costs, size_t *n);
/* With the names of inlined functions, as store_inlined_lines(). */
void fn_inlined_lines(struct exec *x, fn_id f, struct arena *a, struct store_line **rows,
		      int64_t **costs, size_t *n);
/* about: NULL, or after hide which are estimates, as in fn_hidden_lines(); else it is NULL. */
void fn_sites(struct exec *x, fn_id f, struct arena *a, struct store_site **rows,
	      int64_t **costs, uint8_t **about, size_t *n);
void fn_jumps(struct exec *x, fn_id f, struct arena *a, struct store_jump **rows,
	      size_t *n);

/* After hide: what is hidden behind the calls of f, in the order of their lines; about[i]: it
 * is a share of the call.  fn_sites() has what is left of calls then. */
void fn_hidden_lines(struct exec *x, fn_id f, struct arena *a, struct store_line **rows,
		     int64_t **costs, uint8_t **about, size_t *n);

/* In a span of the run: may this cost of a function of the store lie elsewhere in part? */
bool fn_detail_shared(const struct exec *x, fn_id f, enum graph_sure cost);

/* The functions of the store that one of the graph is made of. */
struct fn_members {
	const fn_id *fn;
	uint32_t n;
	bool merged; /* some function of the graph is made of several */
};
typedef void fn_detail_take(struct exec *x, void *arg, const struct fn_members *of,
			    struct arena *scratch);
/* Call take() for each function of x->g in the set (NULL: all); scratch is empty then. */
void fn_detail_each(struct exec *x, const struct fn_set *set, fn_detail_take *take,
		    void *arg);

/* For a graph of some parts: make g->tree, the graph of their contexts, if the profile
 * has a call tree.  If the profile cannot be read again, there is a note instead. */
void fn_part_tree(struct exec *x, struct graph *g);

/* ERR_QUERY if single lines have no costs in x->g.  It points at source s and names
 * it.  After hide lines have what is hidden behind them, but a call that leads to others has
 * no single callee. */
void fn_detail_check(struct exec *x, const struct source *s, const char *name);

#endif
