/*
 * eval.c - expressions over the rows of a table: bound to its columns, and computed a
 * window at a time (eval_window.c); see eval.h.
 */
#include "engine/stages/eval.h"

#include <string.h>

#include "engine/lang/check_names.h"
#include "engine/names/match.h"
#include "engine/rows/exec_set.h"
#include "engine/rows/exec_name.h"
#include "engine/rows/window.h"
#include "engine/rows/row_loops.h"
#include "index/base/err_struct.h"
#include "index/base/need.h"

void eval_column(struct table *t, const struct expr *e, struct table_col **out)
{
	struct table_col *c;

	if (!e->event.n) {
		table_find(t, e->text, e->ev, e->percent, out);
		return;
	}
	table_add(t, e->text, e->ev, e->percent, &c);
	/* Two columns of one name would be one key in a JSON object. */
	if (table_taken(t, c->name))
		c->name = arena_printf(t->x->a, "%s.%.*s%s", c->def->name,
				       STR_ARG(t->x->env->events[e->ev]),
				       e->percent ? "%" : "");
	if (!c->name.p)
		need_memory(t->x->a);
	*out = c;
}

/* ---- binding ---- */

static struct expr *bind_list(struct exec *x, struct table *t, const struct expr *e);

static struct expr *bind(struct exec *x, struct table *t, const struct expr *e)
{
	struct table_col *c = e ? e->col : NULL;
	struct expr *n;

	if (!e)
		return NULL;
	if (e->op == EX_COL && e->let)
		return bind(x, t, e->let);
	if (e->op == EX_COL && !c)
		eval_column(t, e, &c);
	n = EXEC_ARRAY(x, struct expr, 1);
	*n = *e;
	n->next = NULL;
	n->col = c;
	n->a = e->op == EX_CALL ? bind_list(x, t, e->a) : bind(x, t, e->a);
	n->b = e->op == EX_IN ? bind_list(x, t, e->b) : bind(x, t, e->b);
	return n;
}

static struct expr *bind_list(struct exec *x, struct table *t, const struct expr *e)
{
	struct expr *first = NULL, **end = &first;

	for (; e && (*end = bind(x, t, e)); e = e->next)
		end = &(*end)->next;
	return first;
}

/* Replace columns that are ratios by their expressions, which are bound already. */
static void open_ratios(struct expr **e)
{
	if (!*e)
		return;
	if ((*e)->op == EX_COL && (*e)->col->ratio) {
		*e = (*e)->col->ratio;
		return;
	}
	open_ratios(&(*e)->a);
	open_ratios(&(*e)->b);
}

void eval_bind(struct exec *x, struct table *t, const struct expr *e, struct expr **out)
{
	*out = bind(x, t, e);
	open_ratios(out);
}

/* How often a cost is a factor, less how often it is a divisor. */
static int power_of(const struct expr *e)
{
	if (!e || e->op == EX_NUMBER)
		return 0;
	if (e->op == EX_COL)
		return 1;
	const int a = power_of(e->a), b = power_of(e->b);

	switch (e->op) {
	case EX_MUL: return a + b;
	case EX_DIV: return a - b;
	default: return a > b ? a : b;
	}
}

bool eval_is_quotient(const struct expr *e)
{
	return power_of(e) < 1;
}

/* ---- opening ---- */

static void open_set(struct exec *x, struct expr *e)
{
	const struct set var = {.op = SET_VAR, .span = e->b->span, .text = e->b->text};
	struct fn_set *set;

	exec_set(x, &var, &set);
	e->set = set;
}

/* Compile re for e. */
static void open_regex(struct exec *x, struct expr *e, const struct expr *re)
{
	const struct match_atom atom = {.form = MATCH_REGEX,
					.text = re->text,
					.nocase = re->caseless,
					.at = re->span.at + 1,
					.len = (uint32_t)re->text.n};

	need(match_new(&atom, x->a, &e->match, x->err), x->err);
}

/* Is e a question about the text of a column alone? */
static bool asks_text(const struct expr *e)
{
	return e->a && e->a->op == EX_COL && e->b &&
	       (e->b->op == EX_TEXT || e->b->op == EX_REGEX) && e->op != EX_IN;
}

/* Which names do not have what a match asks for, or do?  Found in all names at once. */
static void know_names(struct exec *x, struct store *st, struct expr *e)
{
	const uint32_t n = store_info(st)->names;
	bool all = e->b->op == EX_TEXT;
	const struct str needle = all ? e->b->text : match_needle(e->match, &all);

	if (!needle.n && !(e->match && match_begins(e->match, st, e->known)))
		return;
	for (name_id name = 0; needle.n && name < n;) {
		name = store_names_with(st, needle, false, name, e->known);
		exec_poll_now(x);
	}
	for (uint32_t i = 0; i < n; i++)
		e->known[i] = !e->known[i]
				      ? (e->op == EX_MATCH ? KNOWN_FALSE : KNOWN_TRUE)
			      : !all		  ? KNOWN_NOT
			      : e->op == EX_MATCH ? KNOWN_TRUE
						  : KNOWN_FALSE;
}

/* Prepare e, a question about a text: a dictionary's texts are asked about once. */
static void open_known(struct exec *x, struct table *t, struct expr *e)
{
	const struct table_col *c = e->a->col;
	enum { FEW = 16 };
	uint32_t size;
	enum dict d;

	if (!c->dict && (c->filled || !has_codes(t, c->def)))
		return;
	d = c->dict ? c->dict : c->def->get.dict;
	size = dict_size(t->g->st, d);
	e->known = EXEC_ARRAY(x, uint8_t, (size_t)size + 1);
	if (d == DICT_NAME && (e->op == EX_MATCH || e->op == EX_NOT_MATCH) &&
	    t->n > size / FEW) {
		know_names(x, t->g->st, e);
		return;
	}
}

/* Texts that a name is compared with: that of a context means its function. */
static void open_texts(struct exec *x, struct table *t, struct expr *e)
{
	if (!e->a || e->a->op != EX_COL || e->a->col->type != COL_NAME || !t->g)
		return;
	for (struct expr *b = e->b; b; b = b->next)
		if (b->op == EX_TEXT)
			exec_context_name(x, t->g, &b->text);
}

static void open_node(struct exec *x, struct table *t, struct expr *e)
{
	if (!e)
		return;
	/* The columns of a comparison of two profiles come from both. */
	if (e->op == EX_COL) {
		if (t->vs || !t->g)
			table_fill(t, e->col);
		return;
	}
	if (e->op == EX_IN && e->b && e->b->op == EX_VAR) {
		open_set(x, e);
		return;
	}
	if ((e->op == EX_MATCH || e->op == EX_NOT_MATCH) && e->b->op == EX_REGEX)
		open_regex(x, e, e->b);
	if (e->op == EX_CALL && e->a && e->a->next)
		open_regex(x, e, e->a->next);
	open_texts(x, t, e);
	if (asks_text(e))
		open_known(x, t, e);
	open_node(x, t, e->a);
	for (struct expr *b = e->b; b; b = b->next)
		open_node(x, t, b);
}

void eval_open(struct exec *x, struct table *t, const struct expr *e, struct expr **out)
{
	*out = bind(x, t, e);
	open_node(x, t, *out);
}

static bool looks_like_regex(struct str s)
{
	return s.n > 1 && (s.p[0] == '^' || s.p[s.n - 1] == '$' ||
			   str_find_str(s, STR(".*")) < s.n ||
			   str_find_str(s, STR("\\b")) < s.n || str_find(s, '|') < s.n);
}

/* Note a text that looks like a pattern: "^mem" finds nothing, and `expect none` would
 * always pass. */
static void note_text(struct exec *x, struct str text)
{
	const struct match_atom atom = {.form = MATCH_REGEX, .text = text};
	struct match *m = NULL;
	struct err wrong = {0};

	if (match_new(&atom, x->a, &m, &wrong)) {
		exec_notef(x, "\"%.*s\" is text and was not found; %s", STR_ARG(text),
			   wrong.text);
		return;
	}
	match_free(m);
	exec_notef(x,
		   "\"%.*s\" is text and was not found; a regular expression "
		   "stands in slashes: /%.*s/",
		   STR_ARG(text), STR_ARG(text));
}

/* Free the regular expressions; tell of texts that no row had. */
static void close_node(struct exec *x, struct expr *e, bool any_rows)
{
	if (!e)
		return;
	match_free(e->match);
	e->match = NULL;
	if ((e->op == EX_MATCH || e->op == EX_NOT_MATCH) && e->b && e->b->op == EX_TEXT &&
	    !e->found && any_rows && looks_like_regex(e->b->text))
		note_text(x, e->b->text);
	close_node(x, e->a, any_rows);
	for (struct expr *b = e->b; b; b = b->next)
		close_node(x, b, any_rows);
}

void eval_close(struct exec *x, struct expr *e, bool any_rows)
{
	close_node(x, e, any_rows);
}

/* ---- whole columns ---- */

static void keep_flags(struct window *w, const uint8_t *from, uint8_t **to)
{
	if (!from)
		return;
	if (!*to)
		*to = EXEC_ARRAY(w->stmt, uint8_t, w->of->n);
	memcpy(*to + w->first, from, w->t.n);
}

/* Copy the values of a window into the whole column. */
static void keep_values(struct window *w, const struct table_col *v,
			struct table_col *out)
{
	const size_t width = col_width(out);

	if (col_is_text(out->type))
		for (size_t i = 0; i < w->t.n; i++)
			out->s[w->first + i] = window_keep(w, col_text(&w->t, v, i));
	else
		memcpy((char *)out->p + w->first * width, v->p, w->t.n * width);
	keep_flags(w, v->absent, &out->absent);
	keep_flags(w, v->estimated, &out->estimated);
}

static void eval_whole(struct exec *x, struct table *t, struct expr *e,
		       struct table_col *out)
{
	struct window w;
	struct table_col v;

	*out = (struct table_col){
		.type = e->type, .event = t->event, .unit = e->unit, .filled = true};
	out->p = exec_alloc(x, t->n ? t->n : 1, col_width(out));
	window_open(x, t, &w);
	while (window_next(&w)) {
		eval_values(&w, e, &v);
		keep_values(&w, &v, out);
	}
	window_close(&w);
}

void eval(struct exec *x, struct table *t, const struct expr *e, struct table_col *out)
{
	struct expr *open = NULL;

	eval_open(x, t, e, &open);
	if (open->op != EX_COL) {
		eval_whole(x, t, open, out);
	} else {
		table_fill(t, open->col);
		*out = *open->col;
	}
	eval_close(x, open, t->n > 0);
}

void eval_rows(struct exec *x, struct table *t, const struct expr *e, uint32_t **rows,
	       size_t *n)
{
	struct expr *open = NULL;
	struct window w;
	struct table_col v;
	size_t cap = 0;

	*rows = NULL;
	*n = 0;
	eval_open(x, t, e, &open);
	window_open(x, t, &w);
	while (window_next(&w)) {
		eval_values(&w, open, &v);
		exec_grow(x, rows, &cap, *n, *n + w.t.n, sizeof(**rows));
		*n += row_loops()->list_rows(v.b, w.t.n, (uint32_t)w.first, *rows + *n);
	}
	window_close(&w);
	eval_close(x, open, t->n > 0);
}
