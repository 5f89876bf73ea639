/* store_contexts.c - read the call tree of an index; see store.h. */
#include "index/store/store_in.h"

void store_tree(const struct store *st, struct store_tree *out)
{
	const struct tree_facts *t = &st->meta.tree;

	*out = (struct store_tree){
		.whole = t->kind == TREE_WHOLE,
		.contexts = (uint32_t)t->contexts,
		.activations = t->blocks,
		.unsure = t->unsure,
		.lost = t->lost,
		.line = t->line,
		.file = (uint32_t)t->file,
		.why = t->lost && t->many ? STR("its calls= is not 1")
		       : t->lost	  ? STR("no block before it is the one it calls")
		       : t->kind == TREE_REFUSED
			       ? STR("a function has a cost that is in no block of it")
			       : STR(""),
	};
}

context_id store_context_parent(struct store *st, context_id c)
{
	const uint32_t parent = store_row_u32(st, TABLE_CONTEXT_PARENT, 0, c);

	if (parent <= c)
		return parent ? parent - 1 : NO_CONTEXT;
	store_damaged(st, TABLE_CONTEXT_PARENT, c / BLOCK_ROWS,
		      "a context stands before its caller");
	return NO_CONTEXT;
}

fn_id store_context_fn(struct store *st, context_id c)
{
	return store_row_id(st, TABLE_CONTEXT_FN, 0, c, st->info.functions);
}

uint64_t store_context_calls(struct store *st, context_id c)
{
	return store_row_u64(st, TABLE_CONTEXT_CALLS, 0, c);
}

int64_t store_context_self(struct store *st, context_id c, uint32_t e)
{
	return store_cost_at(st, TABLE_CONTEXT_SELF, e, c);
}

int64_t store_context_incl(struct store *st, context_id c, uint32_t e)
{
	return store_cost_at(st, TABLE_CONTEXT_INCL, e, c);
}

uint32_t store_roots(const struct store *st)
{
	return (uint32_t)st->meta.tree.roots;
}

struct store_root store_root(struct store *st, uint32_t i)
{
	return (struct store_root){
		store_row_id(st, TABLE_ROOT_PART, 0, i, (uint32_t)st->meta.parts),
		store_row_id(st, TABLE_ROOT_FN, 0, i, st->info.functions),
		store_row_u64(st, TABLE_ROOT_CALLS, 0, i)};
}
