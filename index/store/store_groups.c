/* store_groups.c - functions without the contexts in their names; see store.h. */
#include <stdlib.h>

#include "index/contexts/name_contexts.h"
#include "index/store/demangle.h"
#include "index/store/store_in.h"

bool store_any_grouped(const struct store *st)
{
	return st->meta.groups > 0;
}

group_id store_group_of(struct store *st, fn_id f)
{
	return st->meta.groups ? store_row_id(st, TABLE_GROUP_OF, 0, f, st->meta.groups)
			       : f;
}

/* Its rows in the table of members; their number. */
static uint32_t members(struct store *st, group_id g, uint32_t *first)
{
	const uint32_t from = store_row_u32(st, TABLE_GROUP_FIRST, 0, g),
		       to = store_row_u32(st, TABLE_GROUP_FIRST, 0, (uint64_t)g + 1);

	*first = from;
	if (from < to && to <= st->info.functions)
		return to - from;
	store_damaged(st, TABLE_GROUP_FIRST, g / BLOCK_ROWS, "a span is out of range");
	*first = 0;
	return 1;
}

uint32_t store_group_size(struct store *st, group_id g)
{
	uint32_t first;

	return st->meta.groups ? members(st, g, &first) : 1;
}

fn_id store_group_fn(struct store *st, group_id g, uint32_t i)
{
	uint32_t first;

	if (!st->meta.groups)
		return g;
	return i < members(st, g, &first)
		       ? store_row_id(st, TABLE_GROUP_FN, 0, (uint64_t)first + i,
				      st->info.functions)
		       : 0;
}

/* The name of f, cut after its own name; *after: the rest. */
static struct str own_name(struct store *st, fn_id f, struct str *after)
{
	struct str name = store_fn_name(st, f);
	size_t n = name.n;

	if (st->meta.groups)
		n = store_row_u32(st, TABLE_GROUP_NAME, 0, f);
	if (n > name.n) {
		store_damaged(st, TABLE_GROUP_NAME, f / BLOCK_ROWS,
			      "a name is shorter than that");
		n = name.n;
	}
	*after = str_from(name, n);
	name.n = n;
	return name;
}

struct str store_group_name(struct store *st, group_id g)
{
	struct str after;

	return own_name(st, store_group_fn(st, g, 0), &after);
}

struct str store_fn_alone(struct store *st, fn_id f)
{
	struct str after, name;
	group_id g;

	if (!st->meta.groups)
		return store_fn_shown(st, f);
	name = own_name(st, f, &after);
	if (st->as_recorded || !demangle_wanted(name))
		return name;
	if (!st->alone && !(st->alone = calloc(st->meta.groups, sizeof(*st->alone))))
		return name;
	g = store_group_of(st, f);
	if (!st->alone[g].p)
		st->alone[g] = demangle(name, &st->demangling, &st->demangled);
	return st->alone[g];
}

bool store_levels(const struct store *st)
{
	return st->meta.levels;
}

uint32_t store_fn_context(struct store *st, fn_id f, struct str *callers)
{
	struct str after;

	*callers = STR("");
	own_name(st, f, &after);
	return after.n ? name_context_level(after, callers) : 1;
}

int64_t store_group_incl(struct store *st, group_id g, uint32_t e)
{
	return store_cost_at(st, TABLE_GROUP_INCL, e, g);
}
