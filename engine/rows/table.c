/* table.c - columns over row references, filled when needed; see table.h. */
#include "engine/rows/table.h"

#include <string.h>

#include "engine/lang/check_names.h"
#include "engine/rows/doubt.h"
#include "engine/rows/exec.h"
#include "index/base/arena.h"
#include "index/base/err.h"
#include "index/base/need.h"

bool col_is_f(enum col_type t)
{
	return t == COL_PERCENT || t == COL_RATIO;
}

bool col_is_text(enum col_type t)
{
	return t == COL_STR || t == COL_NAME || t == COL_FILE || t == COL_OBJ;
}

size_t type_width(enum col_type t)
{
	return col_is_text(t) ? sizeof(struct str) : t == COL_BOOL ? sizeof(bool) : 8;
}

size_t col_width(const struct table_col *c)
{
	return c->dict ? sizeof(*c->code) : type_width(c->type);
}

struct str dict_text(struct store *st, enum dict d, uint32_t code)
{
	return d == DICT_FILE  ? store_file(st, code)
	       : d == DICT_OBJ ? store_obj(st, code)
			       : store_name(st, code);
}

uint32_t dict_size(struct store *st, enum dict d)
{
	return d == DICT_FILE  ? store_info(st)->files
	       : d == DICT_OBJ ? store_info(st)->objects
			       : store_info(st)->names;
}

/* Functions that a stage merged may be of several files: "(several)" has no number. */
bool has_codes(const struct table *t, const struct col_def *d)
{
	/* To find out whether a name is mangled takes a look at all of them. */
	enum { FEW = 1024 };

	return d && d->get.dict && !t->vs && t->g->plain &&
	       (d->get.dict != DICT_NAME ||
		((t->all ? t->all : t->n) > FEW && !store_any_mangled(t->g->st)));
}

static struct table_col *new_col(struct table *t)
{
	struct table_col *c;

	exec_grow(t->x, &t->cols, &t->cap, t->ncols, t->ncols + 1, sizeof(*t->cols));
	c = EXEC_ARRAY(t->x, struct table_col, 1);
	t->cols[t->ncols++] = c;
	return c;
}

const struct col_def *source_col(const struct source_def *src, struct str name)
{
	for (size_t i = 0; src && i < src->ncols; i++)
		if (str_eq(str_c(src->cols[i].name), name))
			return &src->cols[i];
	return NULL;
}

const struct col_def *source_names_event(const struct source_def *src)
{
	for (size_t i = 0; src && i < src->ncols; i++)
		if (src->cols[i].flags & NAMES_EVENT)
			return &src->cols[i];
	return NULL;
}

bool source_of_costs(const struct source_def *src)
{
	return !source_names_event(src) && (!src || src->of != ROWS_CAUSE);
}

static const struct col_def *find_def(const struct table *t, struct str name)
{
	const struct col_def *d = t->vs && t->src ? t->joined->col(t->src, name) : NULL;

	return d ? d : source_col(t->src, name);
}

struct unit source_unit(const struct check_env *env, const struct source_def *src,
			const struct col_def *d, uint32_t event)
{
	bool cost = d->type == COL_COST || d->type == COL_DELTA || d->flags & IS_COST;

	return cost && !(d->flags & IN_COUNTS) && event < env->nevents &&
			       source_of_costs(src)
		       ? env->units[event]
		       : (struct unit){0};
}

static void add_def(struct table *t, const struct col_def *d)
{
	struct table_col *c = new_col(t);
	struct str name = str_c(d->name);

	c->name = name;
	c->def = d;
	c->type = d->type;
	c->event = t->event;
	c->unit = source_unit(t->x->env, t->src, d, c->event);
	c->machine = d->flags & SHOW_M;
	c->table = d->flags & SHOW_T;
	c->bar = d->flags & HAS_BAR;
	c->calls = d->flags & HAS_CALLS;
	c->sentence = d->flags & IS_SENTENCE;
	c->adds_up = d->flags & ADDS_UP;
	if (d->flags & OF_TOTAL) {
		c->def = source_col(t->src, (struct str){name.p, name.n - 1});
		c->percent = true;
	}
}

void table_init(struct exec *x, struct table *t, const struct source_def *src,
		struct graph *g, size_t n)
{
	t->x = x;
	t->src = src;
	t->g = g;
	t->n = n;
	t->rows_before = n;
	t->event = x->event;
	for (size_t i = 0; src && i < src->ncols; i++)
		if (src->cols[i].flags & (SHOW_M | SHOW_T))
			add_def(t, &src->cols[i]);
	exec_rows(x, n);
}

void table_refs(struct table *t)
{
	if (t->ref)
		return;
	t->ref = EXEC_ARRAY(t->x, uint32_t, t->n ? t->n : 1);
	for (size_t i = 0; i < t->n; i++)
		t->ref[i] = (uint32_t)i;
	t->first = 0;
}

uint32_t table_fn(const struct table *t, size_t row)
{
	uint32_t ref = row_ref(t, row);

	return t->vs ? t->joined->fn(t, ref) : t->src->fn(t, ref);
}

uint32_t table_end(const struct table *t, uint32_t ref, unsigned end)
{
	const struct source_def *s = t->src;

	return s->caller.fn ? (end ? s->callee : s->caller).fn(t, ref)
	       : s->fn	    ? s->fn(t, ref)
			    : GRAPH_NONE;
}

/* ---- cells ---- */

/* Rows whose functions are looked up together.  Those that follow each other are often of one
 * function, the caller of calls: what a getter makes of it is used again. */
enum { TOGETHER = 64 };

static size_t together(const struct table *t, size_t i)
{
	return t->n - i < TOGETHER ? t->n - i : TOGETHER;
}

/* What the getter of a column takes for row `ref`: the row, or its function. */
static inline uint32_t of_row(const struct table *t, const struct col_def *d,
			      uint32_t ref)
{
	return d->link.fn ? d->link.fn(t, ref) : ref;
}

static const void *member_of_row(const struct table *t, const struct col_def *d,
				 uint32_t ref, struct row_room *room)
{
	const char *row = t->src->row_size
				  ? (const char *)t->rows + ref * t->src->row_size
				  : t->src->row(t, ref, room);

	return row + d->get.at.at;
}

static uint64_t member_number(const struct table *t, const struct col_def *d,
			      uint32_t ref)
{
	struct row_room room;
	const void *p = member_of_row(t, d, ref, &room);

	switch (d->get.at.size) {
	case sizeof(uint64_t): return *(const uint64_t *)p;
	case sizeof(uint32_t): return *(const uint32_t *)p;
	default: return *(const bool *)p;
	}
}

/* The same for the n rows of t from row i on. */
static void of_rows(const struct table *t, const struct col_def *d, size_t i, size_t n,
		    uint32_t *at)
{
	const bool stored = d->link.stored && t->g->plain && !t->vs;

	if (stored)
		store_read_u32(t->g->st, d->link.stored - 1, t->ref ? t->ref + i : NULL,
			       t->first + i, n, at);
	for (size_t k = 0; k < n; k++)
		if (!stored || at[k] >= t->g->functions)
			at[k] = of_row(t, d, row_ref(t, i + k));
}

static inline uint64_t number_of(const struct table *t, const struct col_def *d,
				 uint32_t at, uint32_t event)
{
	const struct getter *g = &d->get;

	return g->u	       ? g->u(t, at, event)
	       : g->graph_u    ? g->graph_u(t->g, at)
	       : g->graph_cost ? (uint64_t)g->graph_cost(t->g, at, event)
	       : g->graph_n    ? g->graph_n(t->g, at)
	       : g->graph_b    ? g->graph_b(t->g, at)
	       : g->b	       ? g->b(t, at, event)
			       : member_number(t, d, at);
}

static inline uint64_t number_in(const struct table *t, const struct col_def *d,
				 uint32_t ref, uint32_t event)
{
	return number_of(t, d, of_row(t, d, ref), event);
}

struct str column_text(const struct table *t, const struct col_def *d, uint32_t ref)
{
	const uint32_t at = of_row(t, d, ref);
	struct row_room room;

	if (d->get.s)
		return d->get.s(t, at);
	if (d->get.graph_s)
		return d->get.graph_s(t->g, at);
	if (d->get.number)
		return dict_text(t->g->st, d->get.dict, d->get.number(t, at));
	return *(const struct str *)member_of_row(t, d, at, &room);
}

/* The event that a column's cells are of, and judged by. */
static uint32_t event_of(const struct table *t, const struct table_col *c)
{
	return c->def->flags & PER_EVENT ? c->event : t->event;
}

/* Set estimated[i] for the rows of t that are; *any: one is. */
static void find_estimated(const struct table *t, const struct col_def *d, uint32_t event,
			   uint8_t *estimated, bool *any)
{
	*any = false;
	for (size_t i = 0; i < t->n; i++) {
		estimated[i] = d->get.estimated(t, of_row(t, d, row_ref(t, i)), event);
		*any |= estimated[i];
	}
}

static bool is_zero(const struct table_col *c, size_t i)
{
	return c->dict ? false : col_is_text(c->type) ? !c->s[i].n : !c->u[i];
}

static void find_absent(const struct table *t, const struct table_col *c, uint8_t *absent,
			bool *any)
{
	const struct col_def *d = c->def;
	uint32_t at[TOGETHER];

	*any = false;
	for (size_t i = 0; i < t->n; i++) {
		const size_t k = i % TOGETHER;

		if (d->get.absent && !k)
			of_rows(t, d, i, together(t, i), at);
		absent[i] = !d->get.absent	      ? is_zero(c, i)
			    : k && at[k] == at[k - 1] ? absent[i - 1]
						      : d->get.absent(t, at[k]);
		*any |= absent[i];
	}
}

/* Flags of the rows: `estimated` and `absent`, NULL where no row has one. */
static void fill_flags(struct table *t, struct table_col *c)
{
	const struct getter *g = &c->def->get;
	uint8_t *flags;
	bool any;

	c->estimated = NULL;
	if (g->estimated && !(g->exact && g->exact(t))) {
		flags = EXEC_ARRAY(t->x, uint8_t, t->n + 1);
		find_estimated(t, c->def, event_of(t, c), flags, &any);
		c->estimated = any ? flags : NULL;
	}
	if ((g->absent || c->def->flags & ABSENT_0) && !c->absent &&
	    !(g->present && g->present(t))) {
		flags = EXEC_ARRAY(t->x, uint8_t, t->n + 1);
		find_absent(t, c, flags, &any);
		c->absent = any ? flags : NULL;
	}
}

static void fill_percent(struct table *t, struct table_col *c)
{
	double total = (double)graph_total(t->g, c->event);
	const bool calls = t->src->of == ROWS_CALL;

	exec_doubt_total(t->x, t->g, c->event);
	if (!(total > 0) || calls) {
		c->absent = EXEC_ARRAY(t->x, uint8_t, t->n ? t->n : 1);
		memset(c->absent, !(total > 0), t->n);
	}
	if (!(total > 0))
		return;
	for (size_t i = 0; i < t->n; i++) {
		uint64_t u = number_in(t, c->def, row_ref(t, i), c->event);

		c->f[i] = col_is_signed(c->def->type) ? 100.0 * (double)(int64_t)u / total
						      : 100.0 * (double)u / total;
		/* Nested calls count again: that is no share. */
		if (calls)
			c->absent[i] = c->f[i] > 100;
		exec_poll(t->x);
	}
}

/* The numbers of the texts of all rows in their dictionary. */
static void fill_codes(const struct table *t, const struct col_def *d, uint32_t *out)
{
	struct store *st = t->g->st;
	const uint32_t *of = t->ref;
	size_t first = t->first;

	if (d->get.number) {
		for (size_t i = 0; i < t->n; i++)
			out[i] = d->get.number(t, row_ref(t, i));
		return;
	}
	if (d->link.stored) {
		store_read_u32(st, d->link.stored - 1, of, first, t->n, out);
		of = out;
		first = 0;
	}
	store_read_u32(st, d->get.codes - 1, of, first, t->n, out);
}

static void read_stored(const struct table *t, struct table_col *c)
{
	const enum index_table from = (enum index_table)(c->def->get.stored - 1);

	if (c->def->get.flags & PER_EVENT)
		store_read_costs(t->g->st, from, c->event, t->ref, t->first, t->n, c->i);
	else
		store_read_u64(t->g->st, from, t->ref, t->first, t->n, c->u);
}

/* Read the values from a column of the store. */
static bool fill_stored(struct table *t, struct table_col *c)
{
	const struct getter *g = &c->def->get;

	if (c->dict)
		fill_codes(t, c->def, c->code);
	else if (g->texts && t->g->plain && !t->vs)
		g->texts(t, c->s);
	else if (g->stored && t->g->plain && !t->vs &&
		 (!(g->flags & IF_EXACT) || g->exact(t)))
		read_stored(t, c);
	else
		return false;
	return true;
}

static void fill_values(struct table *t, struct table_col *c)
{
	const struct col_def *d = c->def;
	uint32_t at[TOGETHER];

	if (fill_stored(t, c)) {
		exec_poll_now(t->x);
		return;
	}
	for (size_t i = 0; i < t->n; i++) {
		const size_t k = i % TOGETHER;

		exec_poll(t->x);
		if (col_is_text(c->type)) {
			c->s[i] = column_text(t, d, row_ref(t, i));
			continue;
		}
		if (!k)
			of_rows(t, d, i, together(t, i), at);
		if (d->get.f)
			c->f[i] = d->get.f(t, at[k], c->event);
		else if (d->type == COL_BOOL)
			c->b[i] = number_of(t, d, at[k], c->event);
		else
			c->u[i] = k && at[k] == at[k - 1]
					  ? c->u[i - 1]
					  : number_of(t, d, at[k], c->event);
	}
}

/* Make the costs that a column's cells are made of: of its event, and of the table's, which tells
 * whether a cell is absent. */
static void column_costs(const struct table *t, const struct table_col *c)
{
	if (!t->g)
		return;
	graph_event(t->g, event_of(t, c));
	graph_event(t->g, t->event);
}

void table_prepare(const struct table *t, const struct table_col *c)
{
	if (!c->def || !c->def->get.prepare)
		return;
	column_costs(t, c);
	c->def->get.prepare(t, event_of(t, c));
}

void table_doubt_full(struct exec *x, const struct table_col *c, size_t n)
{
	const bool count = c->type == COL_COUNT;
	bool full = false;

	if (!x->doubts || (!count && c->type != COL_COST && c->type != COL_DELTA))
		return;
	for (size_t i = 0; i < n; i++)
		full |= (!c->absent || !c->absent[i]) &&
			(count ? c->u[i] == UINT64_MAX
			       : (c->i[i] == INT64_MAX || c->i[i] == INT64_MIN));
	if (full)
		exec_doubt_sum(x);
}

void table_fill_into(struct table *t, struct table_col *c, void *buf)
{
	column_costs(t, c);
	c->dict = has_codes(t, c->def) ? c->def->get.dict : DICT_NONE;
	c->p = buf;
	c->estimated = c->absent = NULL;
	if (c->percent)
		fill_percent(t, c);
	else
		fill_values(t, c);
	fill_flags(t, c);
	/* Building a name may have been refused memory. */
	if (t->x->a->refused)
		need_memory(t->x->a);
	c->filled = true;
	table_doubt_full(t->x, c, t->n);
}

void table_fill(struct table *t, struct table_col *c)
{
	if (c->filled || !c->def || c->def->flags & IS_CUM)
		return;
	if (t->set)
		need_fail(ERR_QUERY, "of a set of profiles '%s' is not known here",
			  c->def->name);
	if (t->vs) {
		t->joined->fill(t, c);
		return;
	}
	c->dict = has_codes(t, c->def) ? c->def->get.dict : DICT_NONE;
	table_prepare(t, c);
	table_fill_into(t, c, exec_alloc(t->x, t->n ? t->n : 1, col_width(c)));
}

void table_texts(struct table *t, struct table_col *c)
{
	struct str *s;

	if (!c->dict)
		return;
	s = EXEC_ARRAY(t->x, struct str, t->n ? t->n : 1);
	for (size_t i = 0; i < t->n; i++)
		s[i] = col_text(t, c, i);
	c->s = s;
	c->dict = DICT_NONE;
}

static bool same_event(const struct table_col *c, uint32_t event)
{
	return !c->def || !(c->def->flags & PER_EVENT) || c->event == event;
}

/* A computed column has its full name, "x" or "self%". */
static bool table_is_col(const struct table_col *c, struct str base, uint32_t event,
			 bool percent)
{
	if (!c->def)
		return str_eq(c->name, base) && !percent;
	return str_eq(str_c(c->def->name), base) && c->percent == percent &&
	       same_event(c, event);
}

/* The newest column comes first: `add` may reuse a name. */
static struct table_col *find_col(struct table *t, struct str base, uint32_t event,
				  bool percent, bool computed)
{
	for (size_t i = t->ncols; i > 0; i--)
		if ((t->cols[i - 1]->def == NULL) == computed &&
		    table_is_col(t->cols[i - 1], base, event, percent))
			return t->cols[i - 1];
	return NULL;
}

void table_add(struct table *t, struct str base, uint32_t event, bool percent,
	       struct table_col **out)
{
	struct table_col *c = find_col(t, base, event, percent, false);
	const struct col_def *d;

	if (!c && (d = find_def(t, base))) {
		struct str ev =
			event < t->x->env->nevents ? t->x->env->events[event] : STR("?");

		c = new_col(t);
		c->def = d;
		c->event = event;
		c->unit = source_unit(t->x->env, t->src, d, event);
		c->percent = percent;
		c->type = percent ? COL_PERCENT : d->type;
		c->adds_up = d->flags & ADDS_UP;
		c->name = event == t->event || !(d->flags & PER_EVENT)
				  ? need_printf(t->x->a, "%s%s", d->name,
						percent ? "%" : "")
				  : need_printf(t->x->a, "%s.%.*s%s", d->name,
						STR_ARG(ev), percent ? "%" : "");
	}
	if (!c)
		need_fail(ERR_QUERY, "this table has no column '%.*s'", STR_ARG(base));
	*out = c;
}

void table_own(struct table *t, struct str base, uint32_t event, bool percent,
	       struct table_col **out)
{
	table_add(t, base, event, percent, out);
	table_fill(t, *out);
}

void table_show(struct table *t, struct str name)
{
	struct table_col *c;

	table_add(t, name, t->event, false, &c);
	c->table = true;
}

void table_tell(struct table *t, struct str name)
{
	struct table_col *c;

	table_add(t, name, t->event, false, &c);
	c->machine = true;
}

bool table_taken(const struct table *t, struct str name)
{
	for (size_t i = 0; i < t->ncols; i++)
		if (!t->cols[i]->def && str_eq(t->cols[i]->name, name))
			return true;
	return false;
}

/* Same order as in check_expr.c: columns that stages added come first. */
void table_find(struct table *t, struct str base, uint32_t event, bool percent,
		struct table_col **out)
{
	*out = find_col(t, base, event, percent, true);
	if (!*out)
		table_add(t, base, event, percent, out);
}

void table_column(struct table *t, struct str base, uint32_t event, bool percent,
		  struct table_col **out)
{
	table_find(t, base, event, percent, out);
	table_fill(t, *out);
}

void table_adopt(struct table *t, struct str name, const struct table_col *v,
		 struct table_col **out)
{
	struct table_col *c = new_col(t);

	*c = (struct table_col){
		.name = name,
		.type = v->type,
		.event = v->event,
		.unit = v->unit,
		.machine = true,
		.table = true,
		.filled = true,
		.dict = v->dict,
		.p = v->p,
		.estimated = v->estimated,
		.absent = v->absent,
	};
	*out = c;
}

void table_append(struct table *t, struct str name, enum col_type type,
		  struct table_col **out)
{
	struct table_col v = {.type = type, .event = t->event};

	v.p = exec_alloc(t->x, t->n ? t->n : 1, col_width(&v));
	table_adopt(t, name, &v, out);
}

static void gather_values(struct table *t, void **p, size_t width, const uint32_t *keep,
			  size_t n)
{
	char *to = exec_alloc(t->x, n ? n : 1, width);
	const char *from = *p;

	for (size_t i = 0; i < n; i++)
		memcpy(to + i * width, from + keep[i] * width, width);
	*p = to;
}

static void gather_flags(struct table *t, uint8_t **p, const uint32_t *keep, size_t n)
{
	void *v = *p;

	if (!v)
		return;
	gather_values(t, &v, 1, keep, n);
	*p = v;
}

void table_select(struct table *t, const uint32_t *keep, size_t n)
{
	uint32_t *ref = EXEC_ARRAY(t->x, uint32_t, n ? n : 1);

	for (size_t i = 0; i < n; i++)
		ref[i] = row_ref(t, keep[i]);
	for (size_t k = 0; k < t->ncols; k++) {
		struct table_col *c = t->cols[k];

		if (c->filled) {
			gather_values(t, &c->p, col_width(c), keep, n);
			gather_flags(t, &c->estimated, keep, n);
			gather_flags(t, &c->absent, keep, n);
		}
		exec_poll(t->x);
	}
	t->ref = ref;
	t->n = n;
}
