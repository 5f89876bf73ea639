/* window.c - a table, a window of rows at a time; see window.h. */
#include "engine/rows/window.h"

#include "engine/rows/row_loops.h"
#include "index/base/err_struct.h"
#include "index/base/isa.h"
#include "index/base/need.h"

const struct row_loops *row_loops(void)
{
#if ISA_X86
	if (isa() == ISA_AVX2)
		return &row_loops_avx2;
#endif
	return &row_loops_portable;
}

void window_open(struct exec *x, const struct table *t, struct window *w)
{
	*w = (struct window){.x = *x, .stmt = x, .of = t};
	w->x.a = w->a = need_scratch(x->a);
	w->x.lasting = x->lasting ? x->lasting : x->a;
	w->col = EXEC_ARRAY(x, struct table_col, t->ncols + 1);
	for (size_t i = 0; i < t->ncols; i++)
		t->cols[i]->slot = i;
}

bool window_next(struct window *w)
{
	const struct table *t = w->of;

	w->first = w->next;
	w->next += WINDOW;
	if (w->first >= t->n)
		return false;
	exec_poll_now(w->stmt);
	arena_reset(w->a);
	w->decided = NULL;
	w->t = *t;
	w->t.x = &w->x;
	w->t.all = t->n;
	w->t.n = t->n - w->first < WINDOW ? t->n - w->first : WINDOW;
	if (t->ref)
		w->t.ref = t->ref + w->first;
	else
		w->t.first = t->first + w->first;
	for (size_t i = 0; i < t->ncols; i++)
		w->col[i].filled = false;
	return true;
}

void window_skip(struct window *w, size_t row)
{
	const size_t window = row - row % WINDOW;

	w->next = window > w->next ? window : w->next;
}

const struct table_col *window_col(struct window *w, const struct table_col *c)
{
	struct table_col *out = &w->col[c->slot];

	if (out->filled)
		return out;
	*out = *c;
	if (c->filled) {
		out->p = (char *)c->p + w->first * col_width(c);
		out->estimated = c->estimated ? c->estimated + w->first : NULL;
		out->absent = c->absent ? c->absent + w->first : NULL;
		return out;
	}
	table_prepare(w->of, c);
	if (has_codes(&w->t, c->def))
		out->dict = c->def->get.dict;
	table_fill_into(&w->t, out, exec_alloc(&w->x, w->t.n, col_width(out)));
	return out;
}

struct str window_keep(struct window *w, struct str s)
{
	return arena_holds(w->a, s.p) ? need_str(w->stmt->a, s) : s;
}

void window_close(struct window *w)
{
	scratch_free(w->a);
}
