/*
 * profile.h - a whole profile: made by merge.h from the tallies, written by save.h.
 *
 * Everything has its final, dense number (store.h).  Cost lines, call sites, jumps and
 * the costs of parts stay in the tallies; the maps translate their numbers while the
 * index is written.
 */
#ifndef QUERN_PROFILE_H
#define QUERN_PROFILE_H

#include "index/base/cost.h"
#include "index/base/arena.h"
#include "index/base/hash.h"
#include "index/base/str.h"
#include "index/contexts/contexts.h"
#include "index/format/parts.h"
#include "index/tally/tally.h"

/* From a tally's slots to the profile's ids; NO_ID if there is no id. */
#define NO_ID UINT32_MAX
struct merge_map {
	uint32_t *name[SPACES]; /* per name slot */
	uint32_t *fn;		/* per function slot */
	uint32_t *edge;		/* per edge slot; a part of profile.edge_of */
	uint32_t *event;	/* per event */
	uint32_t *part;		/* per part slot */
	uint64_t offset, lines; /* bytes and lines of its file before the stretch */
};

struct odd_count {
	enum odd kind;
	uint64_t count;
	size_t first, n; /* its lines in profile.odd */
};

/* A column of sums, of 4 bytes each if all of them fit. */
struct profile_sums {
	void *sum;
	bool wide; /* 8 bytes each */
};

static inline uint64_t profile_sum(const struct profile_sums *s, size_t i)
{
	return s->wide ? ((const uint64_t *)s->sum)[i] : ((const uint32_t *)s->sum)[i];
}

/* Row i of a column of costs. */
static inline int64_t profile_cost(const struct profile_sums *s, size_t i)
{
	return (int64_t)profile_sum(s, i);
}

struct profile {
	struct arena arena;
	struct str *name[SPACES]; /* sorted bytewise */
	size_t nname[SPACES];
	size_t npair; /* the last names of files: with an inlined function */

	struct event *event;
	size_t nevent,
		nall_events; /* recorded events; with the derived ones after them */
	size_t event_cap;
	struct hash event_by; /* name -> event */

	size_t nfn;
	uint32_t *fn_name, *fn_file, *fn_obj;
	uint32_t *fn_begin; /* fn_slot.begin */
	bool *calls_only;   /* it has no block: self is what flows in, at line 0 */
	bool *bare; /* it has no block, and no self: its inclusive cost is what flows in */
	bool any_bare;
	int64_t *self; /* nevent costs per function */

	size_t nedge;
	uint32_t *callee;
	struct profile_sums calls, *edge_cost; /* per edge; costs per event */
	uint32_t *edge_of;		       /* per edge of all tallies */
	uint32_t *out_first;		       /* nfn + 1: first edge of each caller */

	struct part *part;
	size_t npart;

	struct contexts contexts;
	struct tree_facts tree;

	struct odd_line *odd; /* sorted by kind, file, line */
	size_t nodd;
	struct odd_count odds[ODD_KINDS];
	size_t nodds;

	size_t nfile;
	uint64_t loose;	       /* callees: see meta_code.h */
	uint64_t lines, bytes; /* of all input files */
	bool has_line, has_instr, saturated, negative, uncounted;

	struct merge_map *map; /* one per tally */
	struct tally *const *tally;
	size_t ntally;
};

void profile_free(struct profile *p);
/* A sum that does not fit is cut, and the index says that some were. */
static inline void profile_add_cost(struct profile *p, int64_t *sum, int64_t v)
{
	p->saturated |= cost_add(sum, v);
}
/* The sums of a tally may be freed when they are in p, unless an index is among the
 * tallies: then all may be merged again without it. */
bool profile_may_forget(const struct profile *p);

/* The number of an event; HASH_NONE if no event has that name. */
uint32_t profile_event(const struct profile *p, struct str name);
/* Append an event, whose name is new, to `n` events.  Returns 0, or -1 if memory is
 * out. */
int profile_add_event(struct profile *p, size_t n, const struct event *event);

/* Add a diagnostic found by the merge; line counts from the start of tally k. */
int profile_odd(struct profile *p, size_t k, enum odd kind, uint64_t line,
		struct str text, struct err *err);
/* The first slot of each part; the part's other slots follow in text order.  The
 * caller frees the result; NULL if memory is out. */
struct part_slots {
	uint32_t k, i; /* a tally and a slot in it */
};
struct part_slots *profile_part_slots(const struct profile *p);
/* Move to the next slot; false if that belongs to another part. */
bool profile_next_slot(const struct profile *p, struct part_slots *at);
/* Where the blocks of each part begin, of the file of tallies k..end.  The caller frees
 * the result; NULL if memory is out. */
struct activation_part *profile_block_parts(const struct profile *p, size_t k, size_t end,
					    size_t *n);
/* Whether stretch k is the first of its file. */
bool profile_begins_file(const struct profile *p, size_t k);

#endif
