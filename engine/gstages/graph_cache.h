/*
 * graph_cache.h - the graphs of the last graph stages.
 *
 * Questions often come with the same graph stages.  Their graph, with the costs and flows
 * computed so far, is kept in an arena of its own, as long as all of them together do not
 * take too much memory; the last one in any case.
 */
#ifndef QUERN_GRAPH_CACHE_H
#define QUERN_GRAPH_CACHE_H

struct exec;
struct graph_cache;
struct gstage;
struct store;
struct str;

struct graph_cache *graph_cache_new(void);    /* NULL: memory is out */
void graph_cache_free(struct graph_cache *c); /* NULL is fine */
/* Drop the graphs of a store before store_close(). */
void graph_cache_drop(struct graph_cache *c, const struct store *st);
/* Drop the graphs that were used longest ago, until the others are small enough, or one. */
void graph_cache_trim(struct graph_cache *c);

/* exec_gstages() on the plain graph x->g.  key: all that the graph depends on beside the
 * store: the text of the stages, what the names in them stand for, the event. */
void graph_cache_gstages(struct graph_cache *c, struct exec *x,
			 const struct gstage *first, struct str text, struct str key);

#endif
