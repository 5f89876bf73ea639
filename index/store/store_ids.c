/*
 * store_ids.c - check the numbers of an index that are used as array indices, once, when
 * their block is read; see store_in.h.
 *
 * A checksum shows that the bytes have not changed since they were written, but anyone
 * can write an index with right checksums.  So in each u32 column
 *
 *	ids	are below the number of rows of the table that they refer to
 *	firsts	ascend from 0 to the number of rows of the table that they divide: then two
 *		functions, or cycles, never share a row, and no sum over rows exceeds the total
 *
 * Two whole columns that both store who calls whom must agree: algorithms count by one
 * and fill arrays by the other.
 *
 * Blocks are read in any order.  Each is compared with the nearest blocks read before it,
 * so all rows read so far ascend.
 */
#include <stdlib.h>

#include "index/format/column_loops.h"
#include "index/store/store_in.h"

struct rule {
	uint64_t below;
	const char *order; /* the damage if rows do not ascend; NULL: any order */
	const char *
		ends; /* the damage if the first row is not 0 or the last not below - 1 */
};

static struct rule rule_of(const struct store *st, enum index_table t)
{
	static const char span[] = "a span is out of range";
	const struct meta *m = &st->meta;

	switch (t) {
	case TABLE_FN_NAME:
		return (struct rule){m->strings[SPACE_FN],
				     "the functions are not in order", NULL};
	case TABLE_FN_FILE:
		return (struct rule){m->strings[SPACE_FILE] - m->pairs, NULL, NULL};
	case TABLE_FN_OBJ: return (struct rule){m->strings[SPACE_OBJ], NULL, NULL};
	case TABLE_FN_CYCLE: return (struct rule){m->cycles + 1, NULL, NULL};
	case TABLE_FN_CALLED: return (struct rule){FN_CALLED_VALUES, NULL, NULL};
	case TABLE_OUT_FIRST:
	case TABLE_IN_FIRST:
		return (struct rule){m->edges + 1, span,
				     "the spans do not cover the edges"};
	case TABLE_EDGE_CALLER:
		return (struct rule){m->functions, "the edges are not in order", NULL};
	case TABLE_IN_EDGE: return (struct rule){m->edges, NULL, NULL};
	case TABLE_CYCLE_FIRST:
		return (struct rule){m->cycle_members + 1, span,
				     "the spans do not cover the members"};
	case TABLE_CONTEXT_PARENT:
		return (struct rule){m->tree.contexts, "the contexts are not in order",
				     NULL};
	case TABLE_ROOT_PART:
		return (struct rule){m->parts, "the roots are not in order", NULL};
	case TABLE_GROUP_OF: return (struct rule){m->groups, NULL, NULL};
	case TABLE_GROUP_NAME: return (struct rule){UINT32_MAX, NULL, NULL};
	case TABLE_GROUP_FIRST:
		return (struct rule){m->functions + 1, span,
				     "the spans do not cover the functions"};
	case TABLE_GROUP_CYCLE: return (struct rule){m->group_cycles + 1, NULL, NULL};
	case TABLE_GROUP_KNOWN: return (struct rule){2, NULL, NULL};
	default: /* ranks, order, callees, members */
		return (struct rule){m->functions, NULL, NULL};
	}
}

/* Whether the rows of this block lie between those of the nearest blocks read before. */
static bool in_place(const struct blocks *met, uint32_t block, const uint32_t *p,
		     uint32_t rows)
{
	for (uint32_t i = block < met->n ? block : met->n; i-- > 0;)
		if (met->at[i].p) {
			if (met->at[i].last > p[0])
				return false;
			break;
		}
	for (uint32_t i = block + 1; i < met->n; i++)
		if (met->at[i].p)
			return p[rows - 1] <= met->at[i].first;
	return true;
}

const char *store_ids_wrong(const struct store *st, enum index_table t, uint64_t row,
			    const uint32_t *p, uint64_t n)
{
	const struct rule r = rule_of(st, t);

	if (n == 0)
		return NULL;
	if (r.order && !column_loops()->ascending(p, n))
		return r.order;
	if ((r.order ? p[n - 1] : column_loops()->largest(p, n)) >= r.below)
		return r.ends ? r.order : "an id is out of range";
	if (r.ends && ((row == 0 && p[0] != 0) ||
		       (row + n == store_rows_of(st, t) && p[n - 1] != r.below - 1)))
		return r.ends;
	return NULL;
}

const char *store_block_wrong(const struct store *st, enum index_table t,
			      const struct blocks *met, uint32_t block, const uint32_t *p,
			      uint32_t rows)
{
	const char *wrong = store_ids_wrong(st, t, (uint64_t)block * BLOCK_ROWS, p, rows);
	const char *order = rule_of(st, t).order;

	return wrong || !order || in_place(met, block, p, rows) ? wrong : order;
}

/* ---- whole columns, without a branch per function: spans are short ---- */

static bool outside(const uint32_t *first, uint32_t f, uint32_t i)
{
	return (i < first[f]) | (i >= first[f + 1]);
}

const char *store_callers_wrong(const struct store *st, const uint32_t *first,
				const uint32_t *caller)
{
	uint32_t wrong = 0;

	for (uint32_t e = 0; e < st->info.edges; e++)
		wrong |= outside(first, caller[e], e);
	return wrong ? "the edges are not in order" : NULL;
}

/* Each span ascends: only the first row of a span may be below the row before. */
const char *store_callees_wrong(const struct store *st, const uint32_t *first,
				const uint32_t *callee)
{
	uint32_t falls = 0, between = 0;

	for (uint32_t i = 1; i < st->info.edges; i++)
		falls += callee[i] <= callee[i - 1];
	for (uint32_t f = 0; f < st->info.functions; f++) {
		const uint32_t i = first[f], before = i ? i - 1 : 0;

		between += (i < first[f + 1]) & (i > 0) & (callee[i] <= callee[before]);
	}
	return falls == between ? NULL : "the edges are not in order";
}

const char *store_parents_wrong(const uint32_t *parent, uint64_t n)
{
	uint32_t wrong = 0;

	for (uint64_t i = 0; i < n; i++)
		wrong |= parent[i] > i;
	return wrong ? "a context stands before its caller" : NULL;
}

bool store_each_once(struct store *st, const uint32_t *p, size_t n)
{
	uint64_t *met = calloc(n / 64 + 1, sizeof(*met));
	size_t count = 0;

	if (!met) {
		store_short(st);
		return true;
	}
	for (size_t i = 0; i < n; i++)
		met[p[i] / 64] |= (uint64_t)1 << p[i] % 64;
	for (size_t i = 0; i <= n / 64; i++)
		count += (size_t)__builtin_popcountll(met[i]);
	free(met);
	return count == n;
}
