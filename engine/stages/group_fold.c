/*
 * group_fold.c - the values of many rows as one for each group; see group_in.h.
 *
 * A window of rows is folded at a time.  Sums of costs have a loop of their own: each row
 * counts, and none is absent or estimated.
 */
#include "engine/rows/window.h"
#include "engine/stages/eval.h"
#include "engine/stages/group_in.h"
#include "index/base/cost.h"
#include "index/base/err_struct.h"

/* ---- one column ---- */

#define ADD_FLOAT(to, v) (*(to) += (v))
/* Fold v into *to. */
#define FOLD_VALUE(name, type, add)                                                \
	static void name(enum fold f, type *to, type v)                            \
	{                                                                          \
		if (f == FOLD_SUM)                                                 \
			add(to, v);                                                \
		else if ((f == FOLD_MIN && v < *to) || (f == FOLD_MAX && v > *to)) \
			*to = v;                                                   \
	}
FOLD_VALUE(fold_u, uint64_t, count_add)
FOLD_VALUE(fold_i, int64_t, cost_add)
FOLD_VALUE(fold_f, double, ADD_FLOAT)

static void fold_cell(enum fold f, const struct table_col *c, size_t i,
		      struct table_col *out, size_t g, bool first)
{
	if (col_is_f(c->type) && first)
		out->f[g] = c->f[i];
	else if (col_is_f(c->type))
		fold_f(f, &out->f[g], c->f[i]);
	else if (col_is_signed(c->type) && first)
		out->i[g] = c->i[i];
	else if (col_is_signed(c->type))
		fold_i(f, &out->i[g], c->i[i]);
	else if (first)
		out->u[g] = c->u[i];
	else
		fold_u(f, &out->u[g], c->u[i]);
}

/* A fold over all rows. */
struct group_folding {
	const struct groups *g;
	enum fold f;
	uint8_t last; /* the last kind of rows that is counted */
	struct table_col *out;
	uint8_t *seen;	/* [groups]: 1, or FULL */
	uint8_t *lacks; /* [groups]: 1: some cell is absent */
	uint64_t *size; /* [groups]: cells that are present; NULL: not asked */
};

/* A sum that does not fit stays at the end, whatever follows. */
enum { FULL = 2 };

static void add_to_sum(struct group_folding *d, uint32_t g, int64_t v)
{
	if (d->seen[g] != FULL)
		d->seen[g] = cost_add(&d->out->i[g], v) ? FULL : 1;
}

/* Sums of costs, if each row counts. */
static bool fold_sums(struct group_folding *d, const struct table_col *c,
		      const uint32_t *of, size_t n)
{
	if (d->f != FOLD_SUM || !col_is_signed(c->type) || c->absent || c->estimated ||
	    d->g->left_out || d->size)
		return false;
	for (size_t i = 0; i < n; i++)
		add_to_sum(d, d->g->n == 1 ? 0 : of[i], c->i[i]);
	return true;
}

static void fold_rows(struct window *w, struct group_folding *d,
		      const struct table_col *c)
{
	const uint32_t *of = d->g->of + w->first;
	const uint8_t *left_out =
		d->f == FOLD_SUM && d->g->left_out ? d->g->left_out + w->first : NULL;

	if (fold_sums(d, c, of, w->t.n))
		return;
	for (size_t i = 0; i < w->t.n; i++) {
		if (left_out && left_out[i] > d->last)
			continue;
		if (group_absent(c, i)) {
			d->lacks[of[i]] = 1;
			continue;
		}
		if (d->f == FOLD_SUM && col_is_signed(c->type)) {
			add_to_sum(d, of[i], c->i[i]);
		} else {
			fold_cell(d->f, c, i, d->out, of[i], !d->seen[of[i]]);
			d->seen[of[i]] = 1;
		}
		if (d->size)
			d->size[of[i]]++;
		if (c->estimated && c->estimated[i]) {
			if (!d->out->estimated)
				d->out->estimated =
					EXEC_ARRAY(w->stmt, uint8_t, d->g->n + 1);
			d->out->estimated[of[i]] = 1;
		}
	}
}

void groups_fold(struct exec *x, struct table *t, const struct groups *g, enum fold f,
		 struct expr *e, uint64_t *size, struct table_col *out)
{
	const struct col_def *def = e->op == EX_COL ? e->col->def : NULL;
	struct group_folding d = {.g = g,
				  .f = f,
				  .last = def && def->flags & AT_TOP ? COUNTED
								     : COUNTED_PART,
				  .out = out,
				  .seen = EXEC_ARRAY(x, uint8_t, g->n + 1),
				  .lacks = EXEC_ARRAY(x, uint8_t, g->n + 1),
				  .size = size};
	struct table_col v;
	struct window w;
	/* A sum of calls is not known where some were not counted. */
	const bool counts = f == FOLD_SUM && !size && e->type == COL_COUNT && t->g &&
			    !store_counts_all(t->g->st);
	bool all = true;

	window_open(x, t, &w);
	while (window_next(&w)) {
		eval_values(&w, e, &v);
		fold_rows(&w, &d, &v);
	}
	window_close(&w);
	for (size_t k = 0; k < g->n; k++) {
		d.seen[k] = !d.seen[k] || (counts && d.lacks[k]);
		all &= !d.seen[k];
	}
	out->absent = all ? NULL : d.seen;
	table_doubt_full(x, out, g->n);
}

void groups_fold_into(struct exec *x, struct table *t, const struct groups *g,
		      enum fold f, const struct expr *e, struct str name,
		      struct table *out, struct table_col **c)
{
	struct expr *open = NULL;

	eval_open(x, t, e, &open);
	table_append(out, name, e->type, c);
	(*c)->unit = open->op == EX_COL ? open->col->unit : e->unit;
	if (open->op == EX_COL)
		(*c)->event = open->col->event;
	groups_fold(x, t, g, f, open, NULL, *c);
	eval_close(x, open, false);
}

/* ---- rows that are parts of others ---- */

/* Does the group contain a row that r is a part of?  at[ref]: its index + 1 in the
 * table. */
static bool is_inside(const struct table *t, const struct groups *g, const uint32_t *at,
		      uint32_t r, uint32_t group)
{
	uint32_t up = t->part_of(t, r);

	for (; up < ROW_UNCOUNTED; up = t->part_of(t, up))
		if (at[up] && g->of[at[up] - 1] == group)
			return true;
	return false;
}

void groups_leave_out_parts(struct exec *x, struct table *t, struct groups *g)
{
	uint32_t most = 0, *at, left = 0;

	if (!t->part_of)
		return;
	table_refs(t);
	for (size_t i = 0; i < t->n; i++)
		most = t->ref[i] > most ? t->ref[i] : most;
	at = EXEC_ARRAY(x, uint32_t, (size_t)most + 1);
	g->left_out = EXEC_ARRAY(x, uint8_t, t->n + 1);
	for (size_t i = 0; i < t->n; i++)
		at[t->ref[i]] = (uint32_t)i + 1;
	for (size_t i = 0; i < t->n; i++) {
		uint32_t up = t->part_of(t, t->ref[i]);

		if (up == ROW_UNCOUNTED || is_inside(t, g, at, t->ref[i], g->of[i]))
			g->left_out[i] = LEFT_OUT;
		else if (up != ROW_WHOLE)
			g->left_out[i] = COUNTED_PART;
		left += g->left_out[i] == LEFT_OUT;
		exec_poll(x);
	}
	if (left)
		exec_notef(x,
			   "%s row%s in no sum: recursive, or a part of a row "
			   "above",
			   GROUPED(left), left == 1 ? " is" : "s are");
}
