/* save.h - write a merged profile to a new index: inclusive costs, ranks, the call
 * graph in both directions, packed detail, parts. */
#ifndef QUERN_SAVE_H
#define QUERN_SAVE_H

#include <stdatomic.h>

#include "index/base/ordered.h"
#include "index/merge/profile.h"
#include "index/format/meta_code.h"
#include "index/save/store_write.h"

struct name_contexts;
struct save_opts {
	size_t run;    /* see detail.h */
	unsigned jobs; /* threads, 0: one per core */
	uint64_t mem;  /* bytes to work in; 0: 256 MiB */
	const atomic_int *cancel;
};

/* meta has files, profile and truncated set; the rest is set here.  ERR_LIMIT also if
 * the lines of one function take more than an eighth of the memory (at least 4 MiB). */
int save_profile(struct profile *p, struct store_writer *w, struct meta *meta,
		 const struct save_opts *opts, struct err *err);

/* save_detail.c: write its tables, set their counts in meta and the functions' first
 * lines. others() writes other tables while threads pack (ordered.h). */
typedef int save_others(void *arg, bool wait, enum ordered_left *left);
int save_detail(const struct profile *p, struct store_writer *w, struct meta *meta,
		const struct save_opts *opts, save_others *others, void *arg,
		struct err *err);

/* save_names.c: write the definitions of every part, if p has several (part_names.h). */
int save_names(const struct profile *p, struct store_writer *w, const atomic_int *cancel,
	       struct err *err);

/* save_contexts.c: col[functions]: the inclusive costs of an event, by the stacks that the
 * profile knows. */
int contexts_inclusive(const struct contexts *c, size_t event, size_t nfn, int64_t *col,
		       struct arena *a, struct err *err);
/* Write the contexts; *saturated is set if a sum is. */
int save_contexts(const struct contexts *c, struct store_writer *w, bool *saturated,
		  struct err *err);

/* save_parts.c: groups are what people ask about; of what it finds, parts count those. */
int save_parts(struct profile *p, struct store_writer *w, const int64_t *total,
	       const struct name_contexts *groups, unsigned jobs,
	       const atomic_int *cancel, struct err *err);

#endif
