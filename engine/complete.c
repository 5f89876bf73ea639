/*
 * complete.c - completion of the end of an unfinished query; see query.h.
 *
 * The parser reads the text up to the word that is still being typed, and each place that
 * meets the end notes what it would take: parse_want() of parse_in.h.  After a mistake it
 * goes on with the next stage.
 */
#include <stdlib.h>
#include <string.h>

#include "engine/query.h"
#include "engine/session.h"
#include "engine/lang/token.h"
#include "engine/sources/columns.h"
#include "engine/sources/sources.h"
#include "engine/compare/vs.h"
#include "engine/lang/habits.h"
#include "engine/lang/keywords.h"
#include "engine/lang/parse_in.h"
#include "engine/lang/result.h"
#include "index/base/err_struct.h"

/* ---- what may come next ---- */

static const struct parse_limits any_text = {
	.text_bytes = SIZE_MAX, .nesting = 200, .any_value = true};

void query_context(struct session *s, struct str text, struct query_context *out)
{
	struct query_context c = {0};
	struct arena a;
	size_t n = 0;

	(void)s;
	arena_init(&a, 64 << 20);
	parse_expected(text, &any_text, &a, &c);
	arena_free(&a);
	if (c.want & WANT_VALUE)
		c.want = WANT_VALUE;
	if (c.quoted)
		c.want &= ~(unsigned)WANT_KEYWORD;
	/* Not every source can be compared. */
	for (size_t i = 0; i < c.nkeywords; i++)
		if (!c.source || !str_eq(str_c(c.keywords[i]), STR("vs")) ||
		    source_def(c.source->kind)->subject)
			c.keywords[n++] = c.keywords[i];
	c.keywords[c.nkeywords = n] = NULL;
	*out = c;
}

size_t query_columns(const struct verb *v, bool vs, const char **names, size_t max)
{
	const enum source_kind kind = v ? v->kind : S_FUNCTIONS;
	const struct source_def *def = kind == S_LAST ? NULL : source_def(kind);
	const struct col_def *d;
	size_t n = 0;

	for (size_t i = 0; def && i < def->ncols && n < max; i++)
		names[n++] = def->cols[i].name;
	for (size_t i = 0;
	     def && def->subject && vs && n < max && (d = vs_col_at(def, i)); i++)
		names[n++] = d->name;
	return n;
}

bool query_column_at(size_t i, const char **name, const char **means)
{
	const struct column_row *row = column_at(i);

	if (row) {
		*name = row->name;
		*means = row->help;
	}
	return row != NULL;
}

const char *query_column_means(struct str name)
{
	return column_help(name);
}

unsigned query_column_place(const struct result *r, struct str name)
{
	for (size_t i = 0; r->of && i < r->of->ncols; i++) {
		const struct listed *l = &r->of->list[i];

		if (str_eq(name, str_c(l->flags & WITH_LINE ? "file:line" : l->name)))
			return l->place;
	}
	return 0;
}

/* ---- is there more to come ---- */

size_t query_statement(struct str text, size_t at)
{
	struct stmt *st;
	struct arena a;
	struct err err = {0};

	arena_init(&a, 64 << 20);
	parse_next(text, &at, &any_text, &a, &st, &err);
	arena_free(&a);
	/* With the comment behind it: in "sort #" it is what was meant. */
	const struct token end = token_at(text, at, PLACE_WORD);
	return end.kind == TOK_NEWLINE || end.kind == TOK_END ? end.at : at;
}

bool query_reads(struct str text)
{
	struct token t = token_at(text, 0, PLACE_WORD);
	struct stmt *st = NULL;
	struct err err = {0};
	struct arena a;
	char form[HABIT_MAX];
	bool reads;

	arena_init(&a, 64 << 20);
	reads = parse_text(text, &any_text, &a, &st, &err) == 0 && st;
	/* A name alone may be a file that is missing; a wrong query is one if it begins like
	 * one and goes on. */
	if (reads)
		reads = st->is_let || !st->query.source.lone || st->query.tstages ||
			st->query.gstages;
	else
		reads = t.kind == TOK_WORD && t.len < text.n && text.p[t.len] == ' ' &&
			(verb_find(t.text) || stage_find(t.text) ||
			 token_at(text, t.len, PLACE_WORD).kind == TOK_ARROW ||
			 (!memchr(t.text.p, '.', t.text.n) &&
			  habit_query(text, parse_reads, NULL, form)));
	arena_free(&a);
	return reads;
}

const char *query_meant(struct str words, char *buf)
{
	const bool reads =
		words.n < HABIT_MAX && query_reads(words) && parse_reads(NULL, words);
	const char *said = NULL;

	/* `top by object` reads as a query, too, but ranks by no number. */
	if (!reads || str_starts(words, STR("top")))
		said = habit_query(words, parse_reads, NULL, buf);
	if (said && !habit_lead(said) && !str_starts(str_c(said), STR("the key")))
		return said;
	if (!reads)
		return NULL;
	memcpy(buf, words.p, words.n);
	buf[words.n] = '\0';
	return buf;
}

bool query_incomplete(struct str text)
{
	struct str s = text;
	struct arena a;
	bool more;

	while (s.n && strchr(" \t\r\n", s.p[s.n - 1]) && s.p[s.n - 1])
		s.n--;
	if (s.n && s.p[s.n - 1] == '\\')
		return true;
	arena_init(&a, 64 << 20);
	more = parse_goes_on(s, &any_text, &a);
	arena_free(&a);
	return more;
}

/* ---- function names ---- */

struct best {
	name_id name;
	int64_t cost;
};

static bool complete_fits(struct str name, struct str prefix)
{
	struct str rest = name;

	if (str_starts(name, prefix))
		return true;
	for (;;) {
		size_t i = str_find(rest, ':');

		if (i + 1 >= rest.n)
			return false;
		rest = str_from(rest, i + 1);
		if (rest.p[0] == ':') {
			rest = str_from(rest, 1);
			if (str_starts(rest, prefix))
				return true;
		}
	}
}

/* f'2 and f'g are contexts of f, and no names of functions. */
static bool names_context(struct store *st, name_id n)
{
	fn_id first;
	uint32_t count;

	if (!store_any_grouped(st))
		return false;
	store_fns_of_name(st, n, &first, &count);
	return count && !str_eq(store_fn_alone(st, first), store_shown(st, n));
}

static int64_t cost_of_name(struct store *st, name_id n, uint32_t e)
{
	fn_id first;
	uint32_t count;
	int64_t most = INT64_MIN;

	store_fns_of_name(st, n, &first, &count);
	for (uint32_t i = 0; i < count; i++) {
		int64_t c = store_fn_incl(st, first + i, e);

		if (c > most)
			most = c;
	}
	return most;
}

/* Insert in order of cost; the list is short, the cheapest drops out. */
static void offer_name(struct best *b, size_t *n, size_t max, name_id name, int64_t cost)
{
	size_t i = *n;

	if (*n == max && cost <= b[max - 1].cost)
		return;
	if (*n < max)
		(*n)++;
	else
		i--;
	for (; i > 0 && b[i - 1].cost < cost; i--)
		b[i] = b[i - 1];
	b[i] = (struct best){name, cost};
}

static bool is_found(const struct best *b, size_t n, name_id name)
{
	for (size_t i = 0; i < n; i++)
		if (b[i].name == name)
			return true;
	return false;
}

/* Among the costliest functions, as the index has them in order: if there are enough, no
 * other has to be looked at. */
static bool costliest_names(struct store *st, struct str prefix, uint32_t e,
			    struct best *b, size_t *n, size_t max)
{
	enum { MANY = 20000 };
	const struct store_info *i = store_info(st);
	const uint32_t some = i->functions < MANY ? i->functions : MANY;

	for (uint32_t k = 0; e < i->events && k < some && *n < max; k++) {
		const fn_id f = store_rank_incl(st, e, k);
		const name_id name = store_fn_name_id(st, f);

		if (complete_fits(store_shown(st, name), prefix) &&
		    !is_found(b, *n, name) && !names_context(st, name))
			b[(*n)++] = (struct best){name, store_fn_incl(st, f, e)};
	}
	return *n == max || (e < i->events && some == i->functions);
}

/* The names that contain the prefix, a byte each; NULL: any name may fit. */
static uint8_t *names_to_look_at(struct store *st, struct str prefix)
{
	const uint32_t names = store_info(st)->names;
	uint8_t *has =
		prefix.n && !store_any_mangled(st) ? calloc((size_t)names + 1, 1) : NULL;

	for (name_id i = 0; has && i < names;)
		i = store_names_with(st, prefix, false, i, has);
	return has;
}

static void search_names(struct store *st, struct str prefix, uint32_t e, struct best *b,
			 size_t *n, size_t max)
{
	enum { BUDGET_NS = 100000000 };
	const uint32_t names = store_info(st)->names;
	const uint64_t start = cancel_now_ns();
	uint8_t *has;

	if (costliest_names(st, prefix, e, b, n, max))
		return;
	*n = 0;
	has = names_to_look_at(st, prefix);
	for (name_id i = 0; i < names; i++) {
		if ((i & 4095) == 4095 && cancel_now_ns() - start > BUDGET_NS)
			break;
		if ((!has || has[i]) && complete_fits(store_shown(st, i), prefix) &&
		    !names_context(st, i))
			offer_name(b, n, max, i, cost_of_name(st, i, e));
	}
	free(has);
}

int query_complete_function(struct session *s, struct str prefix, size_t max,
			    struct arena *a, struct str **names, size_t *n,
			    struct err *err)
{
	struct best *b = ARENA_ARRAY(a, struct best, max + 1);
	struct check_env env;
	size_t k = 0;

	*n = 0;
	if (s->n == 0 || max == 0)
		return 0;
	if (session_env(s, 0, a, &env, err))
		return err->kind;
	*names = ARENA_ARRAY(a, struct str, max + 1);
	if (!b || !*names)
		return arena_full(a, err);
	search_names(s->stores[0], prefix, env.event, b, &k, max);
	for (size_t i = 0; i < k; i++) {
		(*names)[i] = arena_str(a, store_shown(s->stores[0], b[i].name));
		if (!(*names)[i].p)
			return arena_full(a, err);
	}
	*n = k;
	return store_check(s->stores[0], err);
}
