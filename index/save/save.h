/*
 * save.h - a merged profile into the tables of a new index: inclusive costs, ranks, the call
 * graph both ways, packed detail, parts.
 */
#ifndef QUERN_SAVE_H
#define QUERN_SAVE_H

#include <stdatomic.h>

#include "index/base/err.h"
#include "index/base/ordered.h"
#include "index/merge/profile.h"
#include "index/format/meta_code.h"
#include "index/save/store_write.h"

struct save_opts {
	size_t run;    /* as in detail.h */
	unsigned jobs; /* threads, 0: one per core */
	uint64_t mem;  /* bytes to work in, 0: 256 MiB */
	const atomic_int *cancel;
};

/* meta comes with files, profile and truncated filled in; the rest is set here.  ERR_LIMIT, too: the
 * lines of one function take more than an eighth of the memory (4 MiB at least). */
int save_profile(struct profile *p, struct store_writer *w, struct meta *meta,
		 const struct save_opts *opts, struct err *err);

/* save_detail.c: its tables, their numbers in meta, and the functions' first lines; others()
 * writes other tables while these are packed, as ordered.h has it. */
typedef int save_others(void *arg, bool wait, enum ordered_left *left);
int save_detail(const struct profile *p, struct store_writer *w, struct meta *meta,
		const struct save_opts *opts, save_others *others, void *arg,
		struct err *err);

/* save_names.c: the definitions of every part of p, which has several (part_names.h). */
int save_names(const struct profile *p, struct store_writer *w, const atomic_int *cancel,
	       struct err *err);

/* save_parts.c */
int save_parts(struct profile *p, struct store_writer *w, const uint64_t *total,
	       unsigned jobs, const atomic_int *cancel, struct err *err);

#endif
