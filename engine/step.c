/*
 * step.c - from the last answer to the question that goes on from one of its rows.
 *
 *	top			down 2: callees of "work"	up: callers of "work"
 *	activations of work	down 3: activation 3 of work | callsites of "work" | sort incl
 *	lines of work		down 1: callsites of "work" | where line = 7 | sort incl
 *	files			down 1: functions of file:"/src/a.c"
 *
 * The new question has the graph stages of the old one, and its `vs`.  A function that calls
 * nothing has only lines, and so has an activation that spends most of its cost itself.
 */
#include <string.h>

#include "engine/lang/ast.h"
#include "engine/lang/parse.h"
#include "engine/lang/result.h"
#include "engine/lang/keywords.h"
#include "engine/query.h"
#include "engine/session.h"
#include "index/base/arena.h"
#include "index/base/err.h"
#include "index/base/need.h"
#include "index/base/out.h"

struct step {
	struct session *s;
	bool down;
	uint64_t row;
	struct arena *a;
	struct str *text;
	struct err *err;
	const struct result *last;
	const struct query *q; /* of the last answer */
	struct out o;
};

static const struct column *step_column(const struct result *r, const char *name)
{
	for (size_t i = 0; i < r->ncols; i++)
		if (str_eq(r->cols[i].name, str_c(name)))
			return &r->cols[i];
	return NULL;
}

/* The first of these columns that the answer has; `id` is at the same place of ids. */
static const struct column *first_column(const struct result *r, const char *const *names,
					 size_t *at)
{
	const struct column *c = NULL;

	for (*at = 0; names[*at] && !(c = step_column(r, names[*at])); (*at)++)
		;
	return c;
}

static void put_quoted(struct out *o, struct str text)
{
	out_char(o, '"');
	for (size_t i = 0; i < text.n; i++) {
		if (text.p[i] == '"' || text.p[i] == '\\')
			out_char(o, '\\');
		out_char(o, text.p[i]);
	}
	out_char(o, '"');
}

/* How many functions have a name as it is shown; *one: one of them. */
static uint32_t functions_named(struct store *st, struct str name, fn_id *one)
{
	uint32_t n = 0;

	for (fn_id f = 0; f < store_info(st)->functions; f++)
		if (str_eq(store_fn_shown(st, f), name)) {
			*one = f;
			n++;
		}
	return n;
}

/* The graph stages of the last question. */
static void put_stages(struct step *t)
{
	const struct gstage *g = t->q->gstages;
	const size_t at = g ? g->span.at : 0;

	if (!g)
		return;
	while (g->next)
		g = g->next;
	out_bytes(&t->o, t->last->query.p + at, g->span.at + g->span.len - at);
	out_c(&t->o, " | ");
}

/* The activation of a row, unless one is open. */
static bool put_activation(struct step *t, size_t row)
{
	const struct column *number = step_column(t->last, "number");

	if (t->q->source.kind != S_ACTIVATIONS || !number)
		return false;
	for (const struct gstage *g = t->q->gstages; g; g = g->next)
		if (gstage_opens(g) && g->kind != G_BETWEEN)
			return true;
	out_printf(&t->o, "activation %llu of ", (unsigned long long)number->u[row]);
	if (t->q->source.of)
		out_bytes(&t->o, t->last->query.p + t->q->source.of->span.at,
			  t->q->source.of->span.len);
	else
		out_c(&t->o, "/./");
	out_c(&t->o, " | ");
	return true;
}

/* Does an activation spend most of its cost itself? */
static bool spends_itself(const struct step *t, size_t row)
{
	const struct column *self = step_column(t->last, "self"),
			    *incl = step_column(t->last, "incl");

	return self && incl && (int64_t)self->u[row] > (int64_t)incl->u[row] / 4 * 3;
}

static void put_vs(struct step *t)
{
	const struct source *s = &t->q->source;

	if (!s->vs.n)
		return;
	out_c(&t->o, " vs ");
	out_bytes(&t->o, t->last->query.p + s->vs_span.at, s->vs_span.len);
}

/* Of a function: what it calls or who calls it. */
static void put_function(struct step *t, struct str name, const struct column *id,
			 size_t row)
{
	struct store *st = t->s->stores[0];
	const enum source_kind kind = t->q->source.kind;
	const struct column *line = step_column(t->last, "line");
	const bool numbered = id && !(id->absent && id->absent[row]) &&
			      id->u[row] < store_info(st)->functions;
	fn_id fn = numbered ? (fn_id)id->u[row] : 0, other;
	const uint32_t named = functions_named(st, name, numbered ? &other : &fn);
	const bool opened = t->down && put_activation(t, row);
	const bool sites = opened || kind == S_CALLSITES || kind == S_LINES;
	edge_id first;
	uint32_t calls = 1;

	if (numbered || named == 1)
		store_callees(st, fn, &first, &calls);
	if (opened && spends_itself(t, row))
		calls = 0;
	out_c(&t->o, !t->down ? "callers of "
		     : !calls ? "lines of "
		     : sites  ? "callsites of "
			      : "callees of ");
	if (numbered && named != 1)
		out_printf(&t->o, "#%u", fn);
	else
		put_quoted(&t->o, name);
	put_vs(t);
	if (t->down && calls && sites && kind == S_LINES && line)
		out_printf(&t->o, " | where line = %llu",
			   (unsigned long long)line->u[row]);
	if (t->down && calls && sites)
		out_c(&t->o, " | sort incl");
}

/* Of files and their kin: the functions in it. */
static bool put_group(struct step *t, size_t row)
{
	static const char *const field[SOURCES] = {[S_FILES] = "file:",
						   [S_OBJECTS] = "obj:",
						   [S_DIRS] = "dir:",
						   [S_CLASSES] = "class:"};
	const char *of = field[t->q->source.kind];
	const struct column *name = step_column(t->last, "name");

	if (!of || !name || !t->down)
		return false;
	out_printf(&t->o, "functions of %s", of);
	put_quoted(&t->o, name->s[row]);
	put_vs(t);
	return true;
}

static void from_row(struct step *t)
{
	static const char *const down[] = {"callee", "fn", NULL},
				 *const up[] = {"caller", "fn", NULL},
				 *const down_id[] = {"callee_id", "id"},
				 *const up_id[] = {"caller_id", "id"};
	const size_t row = (size_t)t->row - 1;
	const struct column *name;
	size_t at;

	if (t->row > t->last->rows) {
		err_set(t->err, ERR_QUERY, 0, "the last answer has %s row%s",
			GROUPED(t->last->rows), t->last->rows == 1 ? "" : "s");
		return;
	}
	put_stages(t);
	if (put_group(t, row))
		return;
	name = first_column(t->last, t->down ? down : up, &at);
	if (!name || (name->absent && name->absent[row]) || !name->s[row].n)
		err_set(t->err, ERR_QUERY, 0, "row %s is of no function",
			GROUPED(t->row));
	else
		put_function(t, name->s[row],
			     step_column(t->last, t->down ? down_id[at] : up_id[at]),
			     row);
}

/* up, without a row: who calls what the last question was about. */
static void from_place(struct step *t)
{
	const struct set *of = t->q->source.of ? t->q->source.of : t->q->source.from;

	if (!of) {
		err_set(t->err, ERR_QUERY, 0, "the last question was about no function");
		err_hint(t->err, "up 3 asks the callers of row 3");
		return;
	}
	put_stages(t);
	out_c(&t->o, "callers of ");
	out_bytes(&t->o, t->last->query.p + of->span.at, of->span.len);
	put_vs(t);
}

static int step_guarded(void *arg)
{
	struct step *t = arg;
	const struct parse_limits l = session_parse_limits(t->s);
	struct stmt *st;

	if (parse_text(t->last->query, &l, t->a, &st, t->err))
		return t->err->kind;
	t->q = &st->query;
	if (t->row)
		from_row(t);
	else
		from_place(t);
	if (!t->err->kind && t->o.failed)
		return err_no_memory(t->err, NULL);
	if (!t->err->kind)
		*t->text = need_str(t->a, out_text(&t->o));
	return t->err->kind;
}

int query_step(struct session *s, bool down, uint64_t row, struct arena *a,
	       struct str *text, struct err *err)
{
	struct step t = {.s = s,
			 .down = down,
			 .row = row,
			 .a = a,
			 .text = text,
			 .err = err,
			 .last = s->last};

	if (!s->last || !s->n) {
		err_set(err, ERR_QUERY, 0, "there is no answer to go on from");
		return err_hint(err, "ask first: top");
	}
	out_mem(&t.o);
	if (!session_query_scope(s, t.last->query, err))
		session_guard(step_guarded, &t, err);
	out_close(&t.o);
	session_scope_end(s);
	return err->kind;
}

struct str query_last(const struct session *s)
{
	return s->last ? s->last->query : STR("");
}
