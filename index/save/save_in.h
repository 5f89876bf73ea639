/* save_in.h - the inside of save.c, save_costs.c and save_groups.c. */
#ifndef QUERN_SAVE_IN_H
#define QUERN_SAVE_IN_H

#include <pthread.h>

#include "index/base/err.h"
#include "index/base/sort.h"
#include "index/contexts/name_contexts.h"
#include "index/graph/cycles.h"
#include "index/graph/joined.h"
#include "index/save/save.h"

struct save {
	struct profile *p;
	struct store_writer *w;
	struct meta *meta;
	const atomic_int *cancel;
	struct err *err;
	struct cycles c;
	uint32_t *cycle; /* per function: 0, or its cycle from 1 */
	uint32_t ncycles;
	uint32_t *cycle_first, *member; /* ncycles + 1; the functions in cycles */
	uint32_t nmember;
	uint8_t *in_cycle;	  /* per function */
	uint8_t *nests;		  /* per function: may nest in itself */
	uint32_t nnests;	  /* how many may */
	struct arena arena;	  /* for `returning` */
	struct incl_known *known; /* scratch, one per function, if any may nest, */
	int64_t *flowing;	  /* and one per cycle */
	int64_t *col, *leaving;	  /* scratch, one per function */
	int64_t *by_component;	  /* scratch, one per component; of cycles only */
	size_t summed;		  /* 1 + the event that `leaving` is of; 0: none */
	struct sort_pair *pair;	  /* scratch, one per function or edge */
	struct name_contexts groups;
	struct joined joined; /* if there are groups */
	size_t event;	      /* of which its costs are */
	/* state of save_graph() */
	bool aside, ready; /* prepare() runs in `thread`; it has finished */
	pthread_t thread;
	atomic_bool prepared;
	struct err aside_err;	 /* the thread's error */
	size_t next, next_event; /* the next table of the graph to write, and its event */
};

static inline int save_stopped(const struct save *s)
{
	if (s->cancel && atomic_load_explicit(s->cancel, memory_order_relaxed))
		return err_set(s->err, ERR_CANCEL, 0, "interrupted");
	return 0;
}

static inline int save_column(struct save *s, enum index_table t, size_t event,
			      const void *rows, size_t n)
{
	return store_writer_column(s->w, t, (uint32_t)event, rows, n, s->err) ||
	       save_stopped(s);
}

/* ---- save_costs.c ---- */
/* leaving[f]: self + edges of f that leave its component.  by_component: their sums, of
 * cycles. */
void save_sum_components(struct save *s, size_t event);
/* Find and write who may nest in itself. */
int save_nesting(struct save *s);
/* Write the costs of an event, of functions, cycles and edges. */
int save_event(struct save *s, size_t event);
/* Write the sums of edges and free them. */
int save_sums_of_edges(struct save *s, enum index_table t, size_t event,
		       struct profile_sums *sums);

/* ---- save_groups.c: functions whose contexts are joined ---- */
/* Was it written by callgrind, or exported from its data? */
bool save_by_callgrind(const struct profile *p);
/* Find the groups of functions by their names, and write them. */
int save_groups(struct save *s);
/* What is known of them, once it is known who may nest. */
int save_joined(struct save *s);
/* col[]: the inclusive costs of functions. */
int save_joined_costs(struct save *s, size_t event);

#endif
