/*
 * parse_stage.c - graph stages and table stages.
 */
#include "engine/lang/parse_stage.h"

#include <string.h>

#include "engine/lang/keywords.h"
#include "index/base/need.h"

bool parse_is_gstage(const struct parser *p, const struct token *t)
{
	const struct stage_word *w = t->kind == TOK_WORD ? stage_find(t->text) : NULL;
	struct token next;

	if (w && w->graph && w->kind >= G_ACTIVATION) {
		next = token_at(p->text, t->at + t->len, PLACE_WORD);
		return next.kind == TOK_NUMBER || next.kind == '$' ||
		       token_is(&next, w->kind == G_BETWEEN ? "part" : "activations") ||
		       (w->kind == G_BETWEEN && token_is(&next, "thread"));
	}
	if (!w || !w->graph || w->kind != G_CONTEXTS)
		return w && w->graph;
	/* Without another source behind it, it is one. */
	next = token_at(p->text, t->at + t->len, PLACE_WORD);
	if (next.kind != '|')
		return false;
	next = token_at(p->text, next.at + next.len, PLACE_WORD);
	w = next.kind == TOK_WORD ? stage_find(next.text) : NULL;
	return next.kind != TOK_END && (!w || w->graph);
}

/* ---- graph stages ---- */

static void g_collapse(struct parser *p, struct gstage *g)
{
	static const char *const by[] = {"file", "object", "class", "dir", "layer"};
	struct token t;
	struct str text;

	if (!parse_accept_word(p, "by")) {
		g->set = parse_set(p, "collapse");
		if (parse_accept_word(p, "as"))
			g->name = parse_name(p, 0, "a name");
		return;
	}
	g->kind = G_COLLAPSE_BY;
	t = parse_peek(p, PLACE_WORD);
	text = t.kind == TOK_WORD ? t.text : STR("-");
	if (t.kind == '$')
		text = parse_value_text(p, &t);
	if (token_same(text, "obj") || !text.n) /* as in obj:libc.so.6 */
		text = str_c(by[1]);
	for (size_t i = 0; i < sizeof(by) / sizeof(*by); i++) {
		parse_want_word(p, by[i]);
		if (token_same(text, by[i])) {
			g->name = str_c(by[i]);
			if (t.kind != '$')
				parse_eat(p, &t);
			return;
		}
	}
	parse_wrong(p, t.kind == '$' ? span_to(t.at, p) : token_span(&t),
		    "'collapse by' needs file, object, class, dir or layer");
	need_hint(p->err, "for a set of functions: collapse SET as NAME");
}

static void g_cut(struct parser *p, struct gstage *g)
{
	struct token t = parse_number(p);

	if (t.kind != TOK_NUMBER || !t.percent || t.number > 100) {
		parse_wrong(p, token_span(&t), "'cut' needs a percentage");
		need_hint(p->err, "cut 1%% hides functions below 1 %% inclusive");
	}
	parse_eat(p, &t);
	g->percent = t.number;
}

/* 3, or 3-7 */
static void number_range(struct parser *p, const char *word, struct number_range *r)
{
	size_t at = parse_peek(p, PLACE_WORD).at;

	r->last = r->first = parse_count(p, word, "");
	if (!parse_accept(p, '-'))
		return;
	r->last = parse_count(p, "-", "");
	if (r->last < r->first)
		parse_fail(p, span_to(at, p),
			   "this range is empty: the smaller number comes first");
}

static void g_numbers(struct parser *p, struct gstage *g, const char *word)
{
	enum { MOST = 4096 };

	g->numbers = parse_new(p, MOST * sizeof(*g->numbers));
	do {
		if (g->nnumbers == MOST)
			parse_fail(p, g->span, "more than %d %ss", MOST, word);
		number_range(p, word, &g->numbers[g->nnumbers++]);
	} while (parse_accept(p, ','));
}

static void g_inlined(struct parser *p)
{
	struct token t = parse_peek(p, PLACE_WORD);

	if (parse_accept_word(p, "inlined"))
		return;
	parse_wrong(p, token_span(&t), "'inlined' is missing after 'with'");
	need_hint(p->err, "with inlined | top");
}

/* Of which function: activation 3 of X */
static void g_of(struct parser *p, struct gstage *g, const char *word)
{
	struct token t = parse_peek(p, PLACE_WORD);

	if (!parse_accept_word(p, "of")) {
		parse_wrong(p, token_span(&t), "'of' is missing: '%s' is of a function",
			    word);
		need_hint(p->err, "%s", stage_find(str_c(word))->form);
	}
	g->set = parse_set(p, "of");
}

/* between part 3 and part 9: part 3-9.  False: it is not of parts. */
static bool g_between_parts(struct parser *p, struct gstage *g)
{
	const struct token first = parse_peek(p, PLACE_WORD);
	const bool thread = token_is(&first, "thread");
	const char *word = thread ? "thread" : "part";
	struct number_range *r;

	if (!thread && !token_is(&first, "part"))
		return false;
	g->kind = thread ? G_THREAD : G_PART;
	g->numbers = r = PARSE_NEW(p, struct number_range);
	g->nnumbers = 1;
	parse_eat(p, &first);
	r->first = parse_count(p, word, "");
	if (!parse_accept_word(p, "and"))
		parse_fail(p, g->span, "'and' is missing");
	parse_accept_word(p, word);
	r->last = parse_count(p, word, "");
	if (r->last < r->first)
		parse_fail(p, g->span,
			   "this range is empty: the smaller number comes first");
	return true;
}

/* between 5ms and 7ms */
static void g_between(struct parser *p, struct gstage *g)
{
	if (g_between_parts(p, g))
		return;
	for (int i = 0; i < 2; i++) {
		struct token t = parse_peek(p, PLACE_WORD);

		if (i && !parse_accept_word(p, "and")) {
			parse_wrong(p, token_span(&t), "'and' is missing");
			need_hint(p->err, "between 5ms and 7ms | ...");
		}
		t = parse_number(p);
		if (t.kind != TOK_NUMBER) {
			parse_wrong(p, token_span(&t), "'between' needs two times");
			need_hint(p->err,
				  "between 5ms and 7ms, or between 10%% and 20%%");
		}
		parse_eat(p, &t);
		g->end[i] =
			(struct gstage_end){t.number, t.percent, t.unit, token_span(&t)};
	}
}

/* slowest 3 activations of X, usual activations of X */
static void g_slowest(struct parser *p, struct gstage *g, const char *word)
{
	struct token t = parse_peek(p, PLACE_WORD);

	g->n = 1;
	if (t.kind == TOK_NUMBER || t.kind == '$')
		g->n = parse_count(p, word, "");
	t = parse_peek(p, PLACE_WORD);
	if (!parse_accept_word(p, "activations")) {
		parse_wrong(p, token_span(&t), "'activations' is missing");
		need_hint(p->err, "%s 3 activations of X | ...", word);
	}
	g_of(p, g, word);
}

struct gstage *parse_gstage(struct parser *p)
{
	struct token t = parse_peek(p, PLACE_WORD);
	const struct stage_word *w = stage_find(t.text);
	struct gstage *g = PARSE_NEW(p, struct gstage);

	g->kind = (enum gstage_kind)w->kind;
	g->span = token_span(&t);
	parse_eat(p, &t);
	switch (g->kind) {
	case G_FOCUS:
	case G_IGNORE:
	case G_HIDE: g->set = parse_set(p, w->word); break;
	case G_COLLAPSE:
	case G_COLLAPSE_BY: g_collapse(p, g); break;
	case G_CONTEXTS:
	case G_WHOLE: break;
	case G_INLINED: g_inlined(p); break;
	case G_CUT: g_cut(p, g); break;
	case G_IN: g->name = parse_name(p, WANT_PROFILE, "a profile's name"); break;
	case G_PART:
	case G_THREAD: g_numbers(p, g, w->word); break;
	case G_ACTIVATION:
		g_numbers(p, g, w->word);
		g_of(p, g, w->word);
		break;
	case G_SLOWEST:
	case G_USUAL: g_slowest(p, g, w->word); break;
	case G_BETWEEN: g_between(p, g); break;
	}
	g->span = span_to(t.at, p);
	return g;
}

/* ---- table stages ---- */

/* After "as": a word, or any text in quotes. */
static void column_name(struct parser *p, struct expr *e)
{
	struct token t = parse_peek(p, PLACE_WORD);

	if (t.kind != TOK_WORD && t.kind != TOK_STRING)
		parse_fail(p, token_span(&t), "a column's name is missing after 'as'");
	parse_eat(p, &t);
	e->named = true;
	e->as = t.text;
	if (t.kind == TOK_STRING)
		parse_unescape(p, &t, &e->as);
}

/* If e is followed by the ":" of "file:line", a table heading for two columns, consume
 * the ":" and return true. */
static bool then_line(struct parser *p, const struct expr *e)
{
	struct token colon = parse_peek(p, PLACE_WORD), line;

	if (e->op != EX_COL || !str_eq(e->text, STR("file")) || e->percent ||
	    e->event.n || colon.kind != ':' || colon.at != p->pos)
		return false;
	line = token_at(p->text, colon.at + colon.len, PLACE_WORD);
	if (!token_is(&line, "line") || line.at != colon.at + colon.len)
		return false;
	parse_eat(p, &colon);
	return true;
}

/* `sort -calls`: most tools mean the most first, the sign says the fewest. */
static void refuse_sign(struct parser *p, const struct expr *key)
{
	if (key->op != EX_NEG || key->a->op != EX_COL)
		return;
	parse_wrong(p, key->span, "numbers are sorted from large to small as they are");
	need_hint(p->err, "sort %.*s has the most first, sort %.*s asc the fewest",
		  STR_ARG(key->a->as), STR_ARG(key->a->as));
}

static void comma_exprs(struct parser *p, int bp, bool keys, struct expr **out)
{
	struct expr **tail = out, *file = NULL;

	do {
		*tail = parse_expr(p, bp);
		if (then_line(p, *tail)) {
			file = *tail;
			tail = &file->next;
			*tail = parse_expr(p, bp);
		}
		if (keys && parse_accept_word(p, "asc"))
			(*tail)->asc = (*tail)->written = true;
		else if (keys && parse_accept_word(p, "desc"))
			(*tail)->written = true;
		else if (keys && file)
			(*tail)->asc = (*tail)->written = true;
		else if (keys)
			refuse_sign(p, *tail);
		else if (!keys && parse_accept_word(p, "as"))
			column_name(p, *tail);
		if (file) {
			file->asc = (*tail)->asc;
			file->written = true;
		}
		file = NULL;
		tail = &(*tail)->next;
	} while (parse_accept(p, ','));
}

static void t_add(struct parser *p, struct tstage *s)
{
	struct token t = parse_peek(p, PLACE_WORD), eq;

	if (t.kind != TOK_WORD) {
		parse_wrong(p, token_span(&t), "'add' needs a name for the new column");
		need_hint(p->err, "add per_call = incl / calls");
	}
	parse_eat(p, &t);
	s->name = t.text;
	eq = parse_peek(p, PLACE_WORD);
	if (eq.kind == TOK_EQEQ)
		parse_bad(p, &eq);
	if (eq.kind != '=') {
		parse_wrong(p, token_span(&eq), "'=' is missing after the column's name");
		need_hint(p->err, "add per_call = incl / calls");
	}
	parse_eat(p, &eq);
	s->exprs = parse_expr(p, BP_NO_COMPARE);
}

static void t_group(struct parser *p, struct tstage *s)
{
	if (!parse_accept_word(p, "by")) {
		struct token t = parse_peek(p, PLACE_WORD);

		parse_wrong(p, token_span(&t), "'by' is missing after 'group'");
		need_hint(p->err, "group by file: sum(self)");
	}
	comma_exprs(p, BP_NO_COMPARE, false, &s->exprs);
	s->each = parse_accept_word(p, "each");
	if (!parse_accept(p, ':'))
		return;
	p->aggregates = true;
	comma_exprs(p, BP_NO_COMPARE, false, &s->aggs);
	p->aggregates = false;
}

static void t_as(struct parser *p, struct tstage *s)
{
	struct token t = parse_peek(p, PLACE_WORD);
	char list[300];

	parse_want(p, WANT_FORMAT);
	s->format = t.kind == TOK_WORD ? format_of_name(t.text) : FORMAT_NONE;
	if (s->format == FORMAT_NONE) {
		parse_wrong(p, token_span(&t), "'as' needs a format");
		need_hint(p->err, "%s", format_list(list, sizeof(list)));
	}
	parse_eat(p, &t);
}

static void t_expect(struct parser *p, struct tstage *s)
{
	if (parse_accept_word(p, "none"))
		s->name = STR("none");
	else if (parse_accept_word(p, "some"))
		s->name = STR("some");
	else
		s->exprs = parse_expr(p, BP_ANY);
}

_Noreturn static void wrong_stage(struct parser *p, const struct token *t)
{
	static const char stages[] = "where, sort, take, skip, show, add, group by, sum, "
				     "count, as, expect";
	const struct stage_word *w = t->kind == TOK_WORD ? stage_find(t->text) : NULL;
	const char *near;

	if (t->kind == TOK_BAD)
		parse_bad(p, t);
	if (w && w->graph) {
		parse_wrong(p, token_span(t),
			    "'%s' changes the graph: it must stand before the source",
			    w->word);
		need_hint(p->err, "%s | functions | ...", w->form);
	}
	if (t->kind != TOK_WORD) {
		parse_wrong(p, token_span(t), "a stage is missing after '|'");
		need_hint(p->err, "%s", stages);
	}
	if (verb_find(t->text) && !str_eq(t->text, STR("_"))) {
		parse_wrong(p, token_span(t),
			    "a query has one source; '%.*s' is a second",
			    STR_ARG(t->text));
		need_hint(p->err, token_is(t, "top")
					  ? "rows of this table: sort self | take 10"
					  : "end the first query with ';'");
	}
	parse_wrong(p, token_span(t), "no table stage is called '%.*s'",
		    STR_ARG(t->text));
	if (is_aggregate(t->text))
		need_hint(p->err, "group by \"all\": %.*s(self)", STR_ARG(t->text));
	near = nearest_stage(t->text);
	if (near)
		need_hint(p->err, "did you mean '%s'?", near);
	need_hint(p->err, "%s", stages);
}

struct tstage *parse_tstage(struct parser *p)
{
	struct token t = parse_peek(p, PLACE_WORD);
	/* Who knows SQL types "limit". */
	const struct str word = token_is(&t, "limit") ? STR("take") : t.text;
	const struct stage_word *w = t.kind == TOK_WORD ? stage_find(word) : NULL;
	struct tstage *s;

	parse_want(p, WANT_STAGE);
	if (!w || w->graph)
		wrong_stage(p, &t);
	s = PARSE_NEW(p, struct tstage);
	s->kind = (enum tstage_kind)w->kind;
	parse_eat(p, &t);
	switch (s->kind) {
	case T_WHERE: s->exprs = parse_expr(p, BP_ANY); break;
	case T_SORT:
		parse_accept_word(p, "by");
		comma_exprs(p, BP_NO_COMPARE, true, &s->exprs);
		break;
	case T_TAKE:
	case T_SKIP:
		s->n = parse_count(p, w->word, "");
		s->each = parse_accept_word(p, "each");
		break;
	case T_SHOW: comma_exprs(p, BP_NO_COMPARE, false, &s->exprs); break;
	case T_ADD: t_add(p, s); break;
	case T_GROUP: t_group(p, s); break;
	case T_SUM:
	case T_COUNT: s->each = parse_accept_word(p, "each"); break;
	case T_AS: t_as(p, s); break;
	case T_EXPECT: t_expect(p, s); break;
	}
	s->span = span_to(t.at, p);
	return s;
}
