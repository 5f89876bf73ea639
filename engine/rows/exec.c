/* exec.c - the memory, limits and notes of a running statement; see exec.h. */
#include "engine/rows/exec.h"

#include "engine/lang/ast.h"
#include "index/base/arena.h"
#include "index/base/cancel.h"
#include "index/base/err.h"
#include "index/base/need.h"

void exec_poll_now(struct exec *x)
{
	need(cancel_poll(x->open->cancel, x->err), x->err);
}

void *exec_alloc(struct exec *x, size_t n, size_t size)
{
	void *p = arena_array(x->a, n, size);

	need(p ? 0 : arena_full(x->a, x->err), x->err);
	return p;
}

void exec_grow(struct exec *x, void *pp, size_t *cap, size_t used, size_t wanted,
	       size_t size)
{
	if (arena_grow(x->a, pp, cap, used, wanted, size))
		need(arena_full(x->a, x->err), x->err);
}

/* Rows may each have the same to say. */
static void add_text(struct exec *x, struct str text, struct exec_texts *to)
{
	struct arena *a = x->lasting ? x->lasting : x->a;

	for (size_t i = 0; i < to->n && text.p; i++)
		if (str_eq(to->at[i], text))
			return;
	if (x->lasting && text.p)
		text = arena_str(a, text);
	if (!text.p ||
	    arena_grow(a, &to->at, &to->cap, to->n, to->n + 1, sizeof(*to->at)))
		need(arena_full(a, x->err), x->err);
	to->at[to->n++] = text;
}

void exec_note(struct exec *x, struct str text)
{
	add_text(x, text, x->notes);
}

void exec_hint(struct exec *x, struct str text)
{
	add_text(x, text, x->hints);
}

struct str exec_text(const struct exec *x, struct span s)
{
	return s.len && s.at + s.len <= x->text.n ? (struct str){x->text.p + s.at, s.len}
						  : STR("(set)");
}

void exec_rows(struct exec *x, uint64_t n)
{
	if (n <= x->open->row_limit)
		return;
	err_set(x->err, ERR_LIMIT, 0, "more than %s rows", GROUPED(x->open->row_limit));
	err_hint(x->err, "narrow the query with 'of', or raise it: --limit rows=%llu",
		 10 * (unsigned long long)x->open->row_limit);
	map_leave(x->err);
}
