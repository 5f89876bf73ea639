/*
 * quern_answer.c - libquern: answers; see quern.h.
 *
 * An answer owns the arena of its query.  Its rows are there, or, if they are very many,
 * they are read a page at a time.  Texts are copied out of the index while a fault in it is
 * an error, so that the caller reads memory that no other process can change.
 */
#include <stdlib.h>
#include <string.h>

#include "engine/api/quern_in.h"
#include "engine/graph/graph.h"
#include "engine/lang/result.h"
#include "engine/query.h"
#include "index/base/arena.h"
#include "index/base/err.h"

_Static_assert(sizeof(quern_text) == sizeof(struct str) &&
		       offsetof(quern_text, length) == offsetof(struct str, n),
	       "texts are given as they are");
_Static_assert(sizeof(bool) == 1, "so are truth values");

struct answer_column {
	quern_column is;
	size_t at; /* its column in the result */
	const struct str *texts;
};

struct quern_answer {
	struct quern_profile *profile;
	struct arena arena; /* of the query */
	struct arena texts; /* of the page that is loaded */
	struct err err;	    /* of the query, as long as pages are read */
	const struct result *r;
	struct answer_column *col;
	size_t ncols;
	const char **notes;
	size_t first; /* of the rows loaded, in the columns of r */
	/* what is being loaded */
	uint64_t row;
	size_t n;
};

/* ---- columns ---- */

static enum quern_type api_type(enum col_type type)
{
	switch (type) {
	case COL_COST:
	case COL_DELTA: return QUERN_INT;
	case COL_PERCENT:
	case COL_RATIO: return QUERN_REAL;
	case COL_STR:
	case COL_NAME:
	case COL_FILE:
	case COL_OBJ: return QUERN_TEXT;
	case COL_BOOL: return QUERN_BOOL;
	default: return QUERN_UINT;
	}
}

/* A copy that ends in 0; NULL: the arena is full. */
static const char *zero_ended(struct arena *a, struct str s)
{
	char *p = arena_alloc(a, s.n + 1);

	if (p && s.n)
		memcpy(p, s.p, s.n);
	return p;
}

static struct str unit_of(const struct quern_answer *a, const struct column *c)
{
	if (c->type == COL_PERCENT)
		return STR("%");
	if (c->unit.kind)
		return str_c(unit_name(c->unit));
	if ((c->type == COL_COST || c->type == COL_DELTA) && !c->row_unit) {
		struct store_event e = {0};

		store_event(session_profile(a->profile->session, 0), c->event, &e);
		return e.name;
	}
	return STR("");
}

static int list_columns(struct quern_answer *a, const struct result *r)
{
	a->col = ARENA_ARRAY(&a->arena, struct answer_column, r->ncols + 1);
	for (size_t i = 0; a->col && i < r->ncols; i++) {
		const struct column *c = &r->cols[i];
		struct answer_column *to = &a->col[a->ncols];

		if (!c->machine)
			continue;
		to->at = i;
		to->is.type = api_type(c->type);
		to->is.scale = c->unit.kind ? c->unit.scale : 1;
		to->is.name = zero_ended(&a->arena, c->name);
		to->is.unit = zero_ended(&a->arena, unit_of(a, c));
		if (!to->is.name || !to->is.unit)
			return arena_full(&a->arena, &a->err);
		a->ncols++;
	}
	a->notes = ARENA_ARRAY(&a->arena, const char *, r->nnotes + 1);
	for (size_t i = 0; a->notes && i < r->nnotes; i++)
		a->notes[i] = zero_ended(&a->arena, r->notes[i]);
	return a->col && a->notes ? 0 : arena_full(&a->arena, &a->err);
}

/* ---- rows ---- */

static bool same_text(struct str a, struct str b)
{
	return a.p == b.p && a.n == b.n;
}

/* Copy n texts, those that are repeated in adjacent rows once. */
static int copy_texts(struct quern_answer *a, struct answer_column *c,
		      const struct str *s, size_t n, struct arena *to)
{
	struct str *out = ARENA_ARRAY(to, struct str, n + 1);
	size_t bytes = 0;
	char *p;

	for (size_t i = 0; i < n; i++)
		bytes += i && same_text(s[i], s[i - 1]) ? 0 : s[i].n;
	if (!out || !(p = arena_alloc(to, bytes + 1)))
		return arena_full(to, &a->err);
	for (size_t i = 0; i < n; i++) {
		if (i && same_text(s[i], s[i - 1])) {
			out[i] = out[i - 1];
			continue;
		}
		out[i] = (struct str){p, s[i].n};
		if (s[i].n)
			memcpy(p, s[i].p, s[i].n);
		p += s[i].n;
	}
	c->texts = out;
	return 0;
}

/* Load the page of row a->row, or the rest of rows that are all there. */
static int load_guarded(void *arg)
{
	struct quern_answer *a = arg;
	const struct result *r = a->r;

	if (result_row(r, (size_t)a->row, &a->first, &a->err))
		return a->err.kind;
	a->n = (r->pages ? r->held : r->rows) - a->first;
	if (!r->pages)
		return 0;
	arena_reset(&a->texts);
	for (size_t i = 0; i < a->ncols && !a->err.kind; i++)
		if (a->col[i].is.type == QUERN_TEXT)
			copy_texts(a, &a->col[i], r->cols[a->col[i].at].s + a->first,
				   a->n, &a->texts);
	return a->err.kind;
}

size_t quern_load(quern_answer *a, uint64_t row, quern_error *to)
{
	struct err none = {0};
	void *before;

	if (!a) {
		err_set(&none, ERR_USAGE, ERR_NOWHERE, "no answer is given");
		api_tell(&none, to);
		return 0;
	}
	a->n = 0;
	if (row >= a->r->rows || a->err.kind) {
		api_tell(&a->err, to);
		return 0;
	}
	a->row = row;
	before = api_enter();
	if (session_guard(load_guarded, a, &a->err))
		a->n = 0;
	api_leave(before);
	api_tell(&a->err, to);
	return a->n;
}

/* ---- the query ---- */

static int take_result(void *arg, const struct result *r, struct err *err)
{
	struct quern_answer *a = arg;

	if (a->r) {
		err_set(err, ERR_QUERY, ERR_NOWHERE, "this is more than one query");
		return err_hint(err, "ask one after the other");
	}
	/* The graph of stages may be gone before the answer is. */
	if ((r->pages && !(r->graph && r->graph->plain) && result_whole(r, err)) ||
	    list_columns(a, r))
		return err->kind;
	for (size_t i = 0; !r->pages && i < a->ncols && !err->kind; i++)
		if (a->col[i].is.type == QUERN_TEXT)
			copy_texts(a, &a->col[i], r->cols[a->col[i].at].s, r->rows,
				   &a->arena);
	a->r = r;
	return err->kind;
}

static int run_text(struct quern_answer *a, const char *text)
{
	struct str s = {zero_ended(&a->arena, str_c(text)), text ? strlen(text) : 0};

	if (!s.p)
		return arena_full(&a->arena, &a->err);
	query_run(a->profile->session, s, &a->arena, take_result, a, &a->err);
	if (!a->err.kind && !a->r) {
		err_set(&a->err, ERR_QUERY, ERR_NOWHERE, "there is no query");
		err_hint(&a->err, "e.g. functions | take 10");
	}
	return a->err.kind;
}

quern_answer *quern_query(quern_profile *p, const char *text, quern_error *to)
{
	void *before = api_enter();
	quern_answer *a = calloc(1, sizeof(*a));
	struct err err = {0};

	if (!p || !text)
		err_set(&err, ERR_USAGE, ERR_NOWHERE, "no %s is given",
			p ? "query" : "profile");
	else if (!a)
		err_no_memory(&err, NULL);
	if (err.kind) {
		free(a);
		api_leave(before);
		api_tell(&err, to);
		return NULL;
	}
	p->users++;
	a->profile = p;
	arena_init(&a->arena, p->memory);
	arena_init(&a->texts, p->memory);
	run_text(a, text);
	api_leave(before);
	api_tell(&a->err, to);
	if (a->err.kind && (a->err.kind != ERR_EXPECT || !a->r)) {
		quern_free(a);
		return NULL;
	}
	err_clear(&a->err); /* of `expect`: the rows can be read */
	return a;
}

void quern_free(quern_answer *a)
{
	if (!a)
		return;
	arena_free(&a->arena);
	arena_free(&a->texts);
	api_drop(a->profile);
	free(a);
}

/* ---- what it holds ---- */

uint64_t quern_rows(const quern_answer *a)
{
	return a ? a->r->rows : 0;
}

size_t quern_columns(const quern_answer *a)
{
	return a ? a->ncols : 0;
}

const quern_column *quern_column_at(const quern_answer *a, size_t column)
{
	return a && column < a->ncols ? &a->col[column].is : NULL;
}

const char *quern_note(const quern_answer *a, size_t i)
{
	return a && i < a->r->nnotes ? a->notes[i] : NULL;
}

/* A column of the result, whatever its type; NULL if it has no such column, or no rows are
 * loaded. */
static const struct column *any_values(const quern_answer *a, size_t column)
{
	return a && a->n && column < a->ncols ? &a->r->cols[a->col[column].at] : NULL;
}

/* The column of the result; NULL: its type is another. */
static const struct column *values(const quern_answer *a, size_t column,
				   enum quern_type type)
{
	const struct column *c = any_values(a, column);

	return c && a->col[column].is.type == (int)type ? c : NULL;
}

const uint64_t *quern_uints(const quern_answer *a, size_t column)
{
	const struct column *c = values(a, column, QUERN_UINT);

	return c ? c->u + a->first : NULL;
}

const int64_t *quern_ints(const quern_answer *a, size_t column)
{
	const struct column *c = values(a, column, QUERN_INT);

	return c ? c->i + a->first : NULL;
}

const double *quern_reals(const quern_answer *a, size_t column)
{
	const struct column *c = values(a, column, QUERN_REAL);

	return c ? c->f + a->first : NULL;
}

const quern_text *quern_texts(const quern_answer *a, size_t column)
{
	const struct column *c = values(a, column, QUERN_TEXT);

	/* Those of a page begin with its first row that was asked for. */
	return c ? (const quern_text *)(const void *)(a->col[column].texts +
						      (a->r->pages ? 0 : a->first))
		 : NULL;
}

const uint8_t *quern_bools(const quern_answer *a, size_t column)
{
	const struct column *c = values(a, column, QUERN_BOOL);

	return c ? (const uint8_t *)(const void *)(c->b + a->first) : NULL;
}

const uint8_t *quern_absent(const quern_answer *a, size_t column)
{
	const struct column *c = any_values(a, column);

	return c && c->absent ? c->absent + a->first : NULL;
}

const uint8_t *quern_estimated(const quern_answer *a, size_t column)
{
	const struct column *c = any_values(a, column);

	return c && c->estimated ? c->estimated + a->first : NULL;
}
