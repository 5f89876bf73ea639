/*
 * group_in.h - the groups of `group by` and `sum` while their rows are folded.
 *
 * group_keys.c finds the group of each row, and the order of the groups; group_fold.c
 * folds the values of the rows into one for each group; group_rank.c finds the one of a
 * rank, as the median; group.c does what a query asks.
 * All arrays are of the statement's arena.  0 or the kind of the error in x->err.
 */
#ifndef QUERN_GROUP_IN_H
#define QUERN_GROUP_IN_H

#include "engine/lang/keywords.h"
#include "engine/rows/table.h"
#include "index/base/hash.h"

enum { KEYS = 16 };
/* Is a row counted?  COUNTED_PART: not in columns with AT_TOP. */
enum { COUNTED, COUNTED_PART, LEFT_OUT };
enum fold { FOLD_SUM, FOLD_MIN, FOLD_MAX };

struct groups {
	uint32_t *of;	/* [rows]: group */
	uint64_t *size; /* [groups]: rows */
	size_t n, size_cap;
	uint8_t *left_out; /* [rows]: enum; NULL: none is left out */
};

/* The groups' values of one key. */
struct group_key {
	struct expr *e;
	const struct table_col *now; /* of the rows in the window */
	struct table_col v;	     /* [groups] */
	size_t cap, absent_cap;
};

/* The groups by their keys.  It grows with the groups, not with the rows: few groups stay
 * in the cache. */
struct group_keys {
	struct group_key key[KEYS];
	size_t nkeys;
	struct hash by;
	/* With one key, a dictionary's: [dict_size()]: group + 1; or NULL */
	uint32_t *of_code;
};

static inline bool group_absent(const struct table_col *c, size_t i)
{
	return c->absent && c->absent[i];
}

/* Number the groups in the order of their first rows; their keys are left in b.  The
 * caller closes b->key[].e, also after an error. */
void groups_number(struct exec *x, struct table *t, const struct expr *keys,
		   struct group_keys *b, struct groups *g);
/* Order groups that are equal in what orders them: as if the rows had been sorted by cost
 * before, by the costliest row of each, descending; then by that row.  *order:
 * [groups]. */
void groups_order(struct exec *x, struct table *t, const struct groups *g,
		  uint32_t **order);

/* Count the cost of a row once: by itself, or in the row of its group that contains
 * it.  A note says how many rows are in no sum. */
void groups_leave_out_parts(struct exec *x, struct table *t, struct groups *g);
/* Fold the values of e, which is open, into out: [groups], zeros.  Skip absent cells; a
 * group with only absent cells is absent.  size: [groups], cells that are present; NULL:
 * not asked. */
void groups_fold(struct exec *x, struct table *t, const struct groups *g, enum fold f,
		 struct expr *e, uint64_t *size, struct table_col *out);
/* Append a column with the fold of e, which is bound or not. */
void groups_fold_into(struct exec *x, struct table *t, const struct groups *g,
		      enum fold f, const struct expr *e, struct str name,
		      struct table *out, struct table_col **c);

/* Append a column with the median, or another rank, of the values of e in each group. */
void groups_rank_into(struct exec *x, struct table *t, const struct groups *g,
		      enum aggregate agg, const struct expr *e, struct str name,
		      struct table *out);

#endif
