/*
 * vs.c - run one source on two profiles and join the rows that mean the same.
 *
 * Functions are the same if (base name of the object, file, name) are equal.  A row that
 * only one side has is kept; its costs on the other side are 0.  The columns are those of
 * the first profile plus, for the primary cost of the source (self of functions):
 *	base	cost in the other profile	delta	first - base
 *	delta%	delta in percent of base; absent if base is 0
 *	change	"new" (not in the base), "gone" (only in the base), or empty
 * and, on request, base_incl and delta_incl: the same of inclusive costs.
 */
#include "engine/stages/vs.h"

#include <string.h>

#include "engine/lang/check_names.h"
#include "engine/rows/exec.h"
#include "engine/stages/gstage.h"
#include "engine/names/moved.h"
#include "engine/sources/source.h"
#include "engine/sources/sources.h"

struct vs {
	struct exec base_exec;
	struct check_env env;
	struct table a, b;
	/* [joined rows]: row of a, of b, or GRAPH_NONE.  Those of a come first, in
	 * order. */
	uint32_t *ia, *ib;
	uint32_t *of_base; /* [rows of b]: joined row */
};

const struct col_def vs_cols[VS_COLS] = {
	{"base", COL_COST, SHOW_M | SHOW_T | PER_EVENT | ADDS_UP, .u = NULL},
	{"delta", COL_DELTA, SHOW_M | SHOW_T | PER_EVENT | ADDS_UP, .u = NULL},
	{"delta%", COL_PERCENT, SHOW_M | SHOW_T | OF_TOTAL, .u = NULL},
	{"change", COL_STR, SHOW_M | SHOW_T, .s = NULL},
	{"base_incl", COL_COST, PER_EVENT, .u = NULL},
	{"delta_incl", COL_DELTA, PER_EVENT, .u = NULL},
};
enum { IS_BASE, IS_DELTA, IS_CHANGE = 3, IS_BASE_INCL, IS_DELTA_INCL };

size_t vs_col_count(const struct source_def *src)
{
	return source_col(src, STR("incl")) ? VS_COLS : IS_BASE_INCL;
}

const struct col_def *vs_col(const struct source_def *src, struct str name)
{
	for (size_t i = 0; i < vs_col_count(src); i++)
		if (!(vs_cols[i].flags & OF_TOTAL) &&
		    str_eq(name, str_c(vs_cols[i].name)))
			return &vs_cols[i];
	return NULL;
}

static uint32_t joined_fn(const struct table *t, uint32_t ref)
{
	const struct table *a = &t->vs->a;
	uint32_t r = t->vs->ia[ref];

	return r == GRAPH_NONE ? GRAPH_NONE : t->src->fn(a, row_ref(a, r));
}

/* The rows of a tree are parts of others, on either side. */
static uint32_t joined_part_of(const struct table *t, uint32_t ref)
{
	const struct vs *v = t->vs;
	uint32_t up;

	if (v->ia[ref] != GRAPH_NONE)
		return v->a.part_of(&v->a, v->ia[ref]);
	up = v->b.part_of(&v->b, v->ib[ref]);
	return up < ROW_UNCOUNTED ? v->of_base[up] : up;
}

/* ---- columns ---- */

static uint32_t base_event(const struct vs *v, uint32_t e)
{
	struct str name = v->a.x->env->events[e];

	for (size_t i = 0; i < v->env.nevents; i++)
		if (str_eq(v->env.events[i], name))
			return (uint32_t)i;
	return GRAPH_NONE;
}

/* A column of one side; *out is NULL if that side does not have the event. */
static int side(struct vs *v, bool base, struct str name, uint32_t event, bool percent,
		struct table_col **out)
{
	uint32_t e = base ? base_event(v, event) : event;

	*out = NULL;
	return e == GRAPH_NONE
		       ? 0
		       : table_column(base ? &v->b : &v->a, name, e, percent, out);
}

static uint64_t cell_u(const struct table_col *c, uint32_t row)
{
	return c && row != GRAPH_NONE ? c->u[row] : 0;
}

static bool guessed(const struct table_col *c, uint32_t row)
{
	return c && row != GRAPH_NONE && c->estimated && c->estimated[row];
}

static void fill_change(struct table *t, struct table_col *c)
{
	for (size_t i = 0; i < t->n; i++) {
		uint32_t r = row_ref(t, i);

		c->s[i] = t->vs->ib[r] == GRAPH_NONE   ? STR("new")
			  : t->vs->ia[r] == GRAPH_NONE ? STR("gone")
						       : (struct str){"", 0};
	}
}

/* base% is relative to the total of the base. */
static void fill_base(struct table *t, struct table_col *c, const struct table_col *b)
{
	for (size_t i = 0; i < t->n; i++) {
		uint32_t rb = t->vs->ib[row_ref(t, i)];

		if (c->percent)
			c->f[i] = b && rb != GRAPH_NONE ? b->f[rb] : 0;
		else
			c->u[i] = cell_u(b, rb);
		c->estimated[i] = guessed(b, rb);
	}
}

/* Saturated like sums: a cost of 2^64 - 1 must not look like a decrease. */
static int64_t difference(uint64_t now, uint64_t was)
{
	if (now >= was)
		return now - was > INT64_MAX ? INT64_MAX : (int64_t)(now - was);
	return was - now > INT64_MAX ? INT64_MIN : -(int64_t)(was - now);
}

static void fill_delta(struct table *t, struct table_col *c, const struct table_col *a,
		       const struct table_col *b)
{
	for (size_t i = 0; i < t->n; i++) {
		uint32_t r = row_ref(t, i), ra = t->vs->ia[r], rb = t->vs->ib[r];
		uint64_t now = cell_u(a, ra), was = cell_u(b, rb);

		if (!c->percent)
			c->i[i] = difference(now, was);
		else if (was)
			c->f[i] = 100.0 * ((double)now - (double)was) / (double)was;
		else
			c->absent[i] = 1;
		c->estimated[i] = guessed(a, ra) || guessed(b, rb);
	}
}

static int fill_vs(struct table *t, struct table_col *c)
{
	ptrdiff_t which = c->def - vs_cols;
	bool base = which == IS_BASE || which == IS_BASE_INCL;
	struct str of = which >= IS_BASE_INCL ? STR("incl") : str_c(t->src->primary);
	struct table_col *a = NULL, *b;

	if (which == IS_CHANGE) {
		fill_change(t, c);
		return 0;
	}
	/* A missing row cost 0; the cost of an event that was not recorded is unknown. */
	if (base_event(t->vs, c->event) == GRAPH_NONE) {
		err_set(t->x->err, ERR_QUERY, 0, "the base has no event '%.*s'",
			STR_ARG(t->x->env->events[c->event]));
		return err_hint(t->x->err, "compare an event that both profiles have");
	}
	if ((!base && side(t->vs, false, of, c->event, false, &a)) ||
	    side(t->vs, true, of, c->event, base && c->percent, &b))
		return (int)t->x->err->kind;
	if (base)
		fill_base(t, c, b);
	else
		fill_delta(t, c, a, b);
	return 0;
}

/* Is it a cost?  Other numbers are depths and the like, except on a card. */
static bool is_cost(const struct table *t, const struct table_col *c)
{
	return c->type == COL_COST || c->type == COL_PERCENT ||
	       (c->def->flags & (PER_EVENT | ADDS_UP)) ||
	       (c->type == COL_COUNT && t->src == &source_info_fn);
}

/* Take values from a, or else text from b.  Costs missing in a are 0.  A number (#12)
 * from b is absent: in a it would be another row. */
static int fill_side(struct table *t, struct table_col *c)
{
	struct vs *v = t->vs;
	struct table_col *a, *b = NULL;
	size_t w = col_width(c->type);

	if (side(v, false, str_c(c->def->name), c->event, c->percent, &a) ||
	    side(v, true, str_c(c->def->name), c->event, c->percent, &b))
		return (int)t->x->err->kind;
	for (size_t i = 0; i < t->n; i++) {
		uint32_t r = row_ref(t, i), ra = v->ia[r], rb = v->ib[r];
		struct table_col *from = ra != GRAPH_NONE ? a : b;
		uint32_t row = ra != GRAPH_NONE ? ra : rb;
		bool cost = from == b && is_cost(t, c);

		if (from == b && (c->type == COL_ID || c->type == COL_RATIO))
			c->absent[i] = 1;
		if (cost || !from || c->absent[i])
			continue;
		memcpy((char *)c->p + i * w, (const char *)from->p + row * w, w);
		if (from->estimated)
			c->estimated[i] = from->estimated[row];
		if (from->absent)
			c->absent[i] = from->absent[row];
		if (exec_poll(t->x))
			return (int)t->x->err->kind;
	}
	return 0;
}

static int vs_fill(struct table *t, struct table_col *c)
{
	c->p = exec_alloc(t->x, t->n ? t->n : 1, col_width(c->type));
	c->estimated = EXEC_ARRAY(t->x, uint8_t, t->n + 1);
	c->absent = EXEC_ARRAY(t->x, uint8_t, t->n + 1);
	if (!c->p || !c->estimated || !c->absent)
		return (int)t->x->err->kind;
	if (c->def >= vs_cols && c->def < vs_cols + VS_COLS ? fill_vs(t, c)
							    : fill_side(t, c))
		return (int)t->x->err->kind;
	c->filled = true;
	return 0;
}

/* ---- the join ---- */

static struct str key_of(const struct table *t, size_t row)
{
	return t->src->key(t, row_ref(t, row), t->x->a);
}

typedef struct str row_key(const struct table *t, size_t row);

/* Rows of the base by key; rows with equal keys are taken in order. */
struct base_rows {
	row_key *key_of;
	size_t cap;
	uint32_t *slot; /* [cap]: row + 1 */
	struct str *key;
	uint8_t *used;
};

/* used: rows already taken; NULL: none. */
static int index_base(struct exec *x, struct vs *v, row_key *of, const uint8_t *used,
		      struct base_rows *b)
{
	*b = (struct base_rows){.key_of = of, .cap = 16};
	while (b->cap < 2 * v->b.n + 2)
		b->cap *= 2;
	b->slot = EXEC_ARRAY(x, uint32_t, b->cap);
	b->key = EXEC_ARRAY(x, struct str, v->b.n + 1);
	b->used = EXEC_ARRAY(x, uint8_t, v->b.n + 1);
	if (!b->slot || !b->key || !b->used)
		return (int)x->err->kind;
	for (size_t i = 0; i < v->b.n; i++) {
		size_t h;

		if (used && used[i])
			continue;
		b->key[i] = of(&v->b, i);
		if (!b->key[i].p)
			return arena_full(x->a, x->err);
		for (h = (size_t)str_hash(b->key[i]); b->slot[h & (b->cap - 1)]; h++)
			;
		b->slot[h & (b->cap - 1)] = (uint32_t)i + 1;
		if (exec_poll(x))
			return (int)x->err->kind;
	}
	return 0;
}

/* Take the row of the base that matches row i of a; GRAPH_NONE if there is no such
 * row. */
static int take_base(struct exec *x, struct vs *v, struct base_rows *b, size_t i,
		     uint32_t *out)
{
	struct str k = b->key_of(&v->a, i);

	*out = GRAPH_NONE;
	if (!k.p)
		return arena_full(x->a, x->err);
	for (size_t h = (size_t)str_hash(k); b->slot[h & (b->cap - 1)]; h++) {
		uint32_t r = b->slot[h & (b->cap - 1)] - 1;

		if (!b->used[r] && str_eq(b->key[r], k)) {
			*out = r;
			b->used[r] = 1;
			break;
		}
	}
	return exec_poll(x);
}

static int join_rows(struct exec *x, struct vs *v, struct base_rows *b, size_t *rows)
{
	size_t n = 0;

	v->ia = EXEC_ARRAY(x, uint32_t, v->a.n + v->b.n + 1);
	v->ib = EXEC_ARRAY(x, uint32_t, v->a.n + v->b.n + 1);
	v->of_base = EXEC_ARRAY(x, uint32_t, v->b.n + 1);
	if (!v->ia || !v->ib || !v->of_base || index_base(x, v, key_of, NULL, b))
		return (int)x->err->kind;
	for (size_t i = 0; i < v->a.n; i++, n++) {
		v->ia[n] = (uint32_t)i;
		if (take_base(x, v, b, i, &v->ib[n]))
			return (int)x->err->kind;
		if (v->ib[n] != GRAPH_NONE)
			v->of_base[v->ib[n]] = (uint32_t)n;
	}
	for (size_t r = 0; r < v->b.n; r++)
		if (!b->used[r]) {
			v->of_base[r] = (uint32_t)n;
			v->ia[n] = GRAPH_NONE;
			v->ib[n++] = (uint32_t)r;
		}
	*rows = n;
	return 0;
}

/* ---- a tree that moved ---- */

/* As fn_key(), without the directory of the file. */
static struct str moved_key(const struct table *t, size_t row)
{
	uint32_t f = row_ref(t, row);

	return arena_join(t->x->a,
			  (struct str[]){str_basename(graph_obj(t->g, f)),
					 str_basename(graph_file(t->g, f)),
					 graph_name(t->g, f)},
			  3);
}

/* If most functions that only one side has differ only in their directory, say so in a
 * note. */
static int note_moved(struct exec *x, struct vs *v, const struct base_rows *joined_rows)
{
	struct str from = {"", 0}, to = from;
	struct base_rows b;
	size_t alone = 0, moved = 0;
	uint32_t r;

	if (v->a.src->key != fn_key || index_base(x, v, moved_key, joined_rows->used, &b))
		return (int)x->err->kind;
	for (size_t i = 0; i < v->a.n; i++) {
		if (v->ib[i] != GRAPH_NONE)
			continue;
		alone++;
		if (take_base(x, v, &b, i, &r))
			return (int)x->err->kind;
		if (r == GRAPH_NONE)
			continue;
		if (moved++ == 0 &&
		    moved_guess(graph_file(v->a.g, row_ref(&v->a, i)),
				graph_file(v->b.g, row_ref(&v->b, r)), &from, &to))
			moved--;
	}
	if (moved == 0 || 2 * moved < alone)
		return 0;
	return exec_note(
		x, arena_printf(x->a,
				"%zu functions differ only in the directory of their "
				"file; try --strip-prefix %.*s=%.*s",
				moved, STR_ARG(from), STR_ARG(to)));
}

/* ---- the other side ---- */

static int base_events(struct exec *x, struct vs *v, struct store *st)
{
	uint32_t n = store_info(st)->all_events;
	struct str *names = EXEC_ARRAY(x, struct str, (size_t)n + 1);

	if (!names)
		return (int)x->err->kind;
	for (uint32_t e = 0; e < n; e++) {
		struct store_event ev;

		store_event(st, e, &ev);
		names[e] = ev.name;
	}
	v->env = *x->env;
	v->env.events = names;
	v->env.nevents = n;
	return 0;
}

int exec_vs_base(struct exec *x, const struct source *s)
{
	struct vs *v = EXEC_ARRAY(x, struct vs, 1);
	size_t p = check_profile(x->env, s->vs, s->vs_span, x->err);
	struct exec *b;
	uint32_t e;

	if (!v || p == x->env->nprofiles || base_events(x, v, x->stores[p]))
		return (int)x->err->kind;
	b = &v->base_exec;
	*b = *x;
	b->env = &v->env;
	b->parts = NULL;
	b->notes = NULL;
	b->nnotes = b->notes_cap = 0;
	b->first = x;
	v->a.x = x;
	e = base_event(v, x->event);
	if (e == GRAPH_NONE) {
		exec_fail(x, s->vs_span, "'%.*s' has no event '%.*s'", STR_ARG(s->vs),
			  STR_ARG(x->env->events[x->event]));
		return err_hint(x->err,
				"choose an event that both profiles have with 'by'");
	}
	b->event = e;
	if (graph_plain(x->stores[p], x->a, x->cancel, &b->g, x->err) ||
	    exec_gstages(b, x->gstages, x->text) || graph_event(b->g, e, x->err))
		return (int)x->err->kind;
	x->vs = v;
	x->base = b;
	return 0;
}

static const struct joined joined = {.col = vs_col, .fill = vs_fill, .fn = joined_fn};

/* Keep the notes of the base that the first profile does not repeat. */
static int note_base(struct exec *x, const struct source *s, const struct vs *v)
{
	const size_t own = x->nnotes;

	for (size_t i = 0; i < v->base_exec.nnotes; i++) {
		const struct str text = v->base_exec.notes[i];
		size_t k = 0;

		while (k < own && !str_eq(x->notes[k], text))
			k++;
		if (k == own && exec_note(x, arena_printf(x->a, "%.*s: %.*s",
							  STR_ARG(s->vs), STR_ARG(text))))
			return (int)x->err->kind;
	}
	return 0;
}

/* Show the columns that the source itself added, as `info f` does. */
static int show_as(struct table *t, const struct table *a)
{
	for (size_t i = 0; i < a->ncols; i++) {
		const struct table_col *from = a->cols[i];
		struct table_col *c;

		if (!from->machine && !from->table)
			continue;
		if (table_column(t, str_c(from->def->name), from->event, from->percent,
				 &c))
			return (int)t->x->err->kind;
		c->name = from->name;
		c->machine = from->machine;
		c->table = from->table;
	}
	return 0;
}

static int show_vs(struct table *t)
{
	for (size_t i = 0; i < vs_col_count(t->src); i++) {
		bool percent = vs_cols[i].flags & OF_TOTAL;
		struct str name = str_c(vs_cols[i].name);
		struct table_col *c;

		if (!(vs_cols[i].flags & SHOW_M) && t->src != &source_info_fn)
			continue;
		name.n -= percent;
		if (table_column(t, name, t->event, percent, &c))
			return (int)t->x->err->kind;
		c->machine = c->table = true;
		c->bar = percent;
	}
	return 0;
}

int exec_vs(struct exec *x, const struct source *s, struct table *t)
{
	struct vs *v = x->vs;
	struct exec *base = &v->base_exec;
	struct base_rows b;
	size_t rows = 0;
	int rc;

	base->nfound = 0; /* the graph stages recorded some */
	if (sources_open(base, s, &v->b) || store_check(base->g->st, x->err))
		return (int)x->err->kind;
	rc = sources_open(x, s, &v->a);
	x->base = NULL;
	if (rc || join_rows(x, v, &b, &rows) || note_base(x, s, v) ||
	    note_moved(x, v, &b))
		return (int)x->err->kind;
	t->vs = v;
	t->joined = &joined;
	if (table_init(x, t, v->a.src, x->g, rows) || show_as(t, &v->a))
		return (int)x->err->kind;
	t->ordered = v->a.ordered;
	t->part_of = v->a.part_of ? joined_part_of : NULL;
	t->card = v->a.card;
	t->truncated = v->a.truncated || v->b.truncated;
	return show_vs(t);
}
