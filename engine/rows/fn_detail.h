/*
 * fn_detail.h - cost lines, call sites and jumps of a function as the graph stages leave them:
 * the index's, or after `part` and `thread` those of the parts, read again from the profile.
 */
#ifndef QUERN_FN_DETAIL_H
#define QUERN_FN_DETAIL_H

#include "engine/rows/exec.h"

/* The parts read last, kept by the session: asked for again they cost nothing. */
struct part_cache;
struct part_cache *part_cache_new(void); /* NULL: out of memory */
void part_cache_free(struct part_cache *c);
void part_cache_drop(struct part_cache *c, const struct store *st);

/* As store_lines() and its kin. */
int fn_lines(struct exec *x, fn_id f, struct arena *a, struct store_line **rows,
	     uint64_t **costs, size_t *n);
int fn_sites(struct exec *x, fn_id f, struct arena *a, struct store_site **rows,
	     uint64_t **costs, size_t *n);
int fn_jumps(struct exec *x, fn_id f, struct arena *a, struct store_jump **rows,
	     size_t *n);

/* Single lines have costs in x->g; otherwise ERR_QUERY says so of source s, of that name. */
int fn_detail_check(struct exec *x, const struct source *s, const char *name);

#endif
