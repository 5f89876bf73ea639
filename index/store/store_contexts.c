/* store_contexts.c - read the call tree of an index; see store.h. */
#include "index/store/store_in.h"

void store_tree(const struct store *st, struct store_tree *out)
{
	const struct tree_facts *t = &st->meta.tree;

	*out = (struct store_tree){
		.whole = t->kind == TREE_WHOLE,
		.contexts = (uint32_t)t->contexts,
		.activations = t->blocks,
		.lost = t->lost,
		.line = t->line,
		.file = (uint32_t)t->file,
		.why = !t->lost	 ? STR("")
		       : t->many ? STR("its calls= is not 1")
				 : STR("no block before it is the one it calls"),
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

void store_context_children(struct store *st, context_id c, context_id *first,
			    uint32_t *n)
{
	const uint32_t all = (uint32_t)st->meta.tree.contexts;
	const uint64_t of = c == NO_CONTEXT ? 0 : (uint64_t)c + 1;

	/* A context stands behind its caller. */
	*first = store_lower_row(st, TABLE_CONTEXT_PARENT, of < all ? (uint32_t)of : all,
				 all, of);
	*n = store_lower_row(st, TABLE_CONTEXT_PARENT, *first, all, of + 1) - *first;
}

void store_contexts(struct store *st, fn_id f, uint32_t *first, uint32_t *n)
{
	const uint32_t all = (uint32_t)st->meta.tree.contexts;
	uint32_t from, to;

	*first = *n = 0;
	if (!all)
		return;
	from = store_row_u32(st, TABLE_CONTEXT_FIRST, 0, f);
	to = store_row_u32(st, TABLE_CONTEXT_FIRST, 0, (uint64_t)f + 1);
	if (from > to || to > all) {
		store_damaged(st, TABLE_CONTEXT_FIRST, f / BLOCK_ROWS,
			      "a span is out of range");
		return;
	}
	*first = from;
	*n = to - from;
}

context_id store_context_of(struct store *st, uint32_t i)
{
	return store_row_id(st, TABLE_CONTEXT_OF, 0, i, st->meta.tree.contexts);
}
