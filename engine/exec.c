/*
 * exec.c - what all sources share: sets of functions, flows, limits; and their dispatch.
 */
#include "engine/exec.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

#include "engine/fn_detail.h"
#include "engine/match.h"
#include "engine/source.h"

int exec_stop(struct exec *x)
{
	struct timespec now;

	if (x->cancel && atomic_load_explicit(x->cancel, memory_order_relaxed))
		return err_set(x->err, ERR_CANCEL, 0, "interrupted");
	if (!x->deadline_ns)
		return 0;
	clock_gettime(CLOCK_MONOTONIC, &now);
	if ((uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec < x->deadline_ns)
		return 0;
	err_set(x->err, ERR_LIMIT, 0, "the query took longer than its limit of %u s",
		x->seconds);
	return err_hint(x->err, "ask for less, or raise it: --limit seconds=%u",
			x->seconds * 10);
}

void *exec_alloc(struct exec *x, size_t n, size_t size)
{
	void *p = arena_array(x->a, n, size);

	if (!p)
		arena_full(x->a, x->err);
	return p;
}

int exec_grow(struct exec *x, void *pp, size_t *cap, size_t used, size_t need,
	      size_t size)
{
	size_t n = *cap ? *cap * 2 : 256;
	void *old, *p;

	if (need <= *cap)
		return 0;
	if (n < need)
		n = need;
	memcpy(&old, pp, sizeof(old));
	if (!(p = exec_alloc(x, n, size)))
		return (int)x->err->kind;
	if (used)
		memcpy(p, old, used * size);
	memcpy(pp, &p, sizeof(p));
	*cap = n;
	return 0;
}

int exec_note(struct exec *x, struct str text)
{
	if (!text.p)
		return arena_full(x->a, x->err);
	if (x->nnotes == x->notes_cap) {
		size_t cap = x->notes_cap ? x->notes_cap * 2 : 8;
		struct str *n = EXEC_ARRAY(x, struct str, cap);

		if (!n)
			return (int)x->err->kind;
		if (x->nnotes)
			memcpy(n, x->notes, x->nnotes * sizeof(*n));
		x->notes = n;
		x->notes_cap = cap;
	}
	x->notes[x->nnotes++] = text;
	return 0;
}

int exec_fail(struct exec *x, struct span at, const char *fmt, ...)
{
	char text[sizeof(x->err->text)];
	va_list ap;

	if (x->err->kind)
		return (int)x->err->kind;
	va_start(ap, fmt);
	vsnprintf(text, sizeof(text), fmt, ap);
	va_end(ap);
	err_set(x->err, ERR_QUERY, at.at, "%s", text);
	x->err->len = (uint32_t)(at.len ? at.len : 1);
	return ERR_QUERY;
}

int exec_rows(struct exec *x, uint64_t n)
{
	if (n <= x->row_limit)
		return 0;
	err_set(x->err, ERR_LIMIT, 0, "more than %llu rows",
		(unsigned long long)x->row_limit);
	return err_hint(x->err,
			"narrow the query with 'of', or raise it: --limit rows=%llu",
			10 * (unsigned long long)x->row_limit);
}

struct str arena_join(struct arena *a, const struct str *piece, size_t n)
{
	size_t size = n, at = 0;
	char *p;

	for (size_t i = 0; i < n; i++) {
		if (!piece[i].p)
			return piece[i];
		size += piece[i].n;
	}
	if (!(p = arena_alloc(a, size)))
		return (struct str){NULL, 0};
	for (size_t i = 0; i < n; i++) {
		if (piece[i].n)
			memcpy(p + at, piece[i].p, piece[i].n);
		at += piece[i].n + 1;
	}
	return (struct str){p, size};
}

/* ---- sets ---- */

static struct fn_set *new_set(struct exec *x, uint32_t functions)
{
	struct fn_set *s = fnset_new(x->a, functions);

	if (!s)
		arena_full(x->a, x->err);
	return s;
}

static struct match_atom match_of(const struct set *s)
{
	static const enum match_field field[] = {
		[FIELD_FN] = MATCH_FN,	  [FIELD_FILE] = MATCH_FILE,
		[FIELD_OBJ] = MATCH_OBJ,  [FIELD_CLASS] = MATCH_CLASS,
		[FIELD_CYCLE] = MATCH_FN, [FIELD_LINE] = MATCH_FN,
	};
	static const enum match_form form[] = {
		[FORM_BARE] = MATCH_BARE,
		[FORM_EXACT] = MATCH_EXACT,
		[FORM_REGEX] = MATCH_REGEX,
		[FORM_NUMBER] = MATCH_ID,
	};

	return (struct match_atom){.field = field[s->field],
				   .form = form[s->form],
				   .text = s->text,
				   .nocase = s->caseless,
				   .at = s->text_span.at,
				   .len = (uint32_t)s->text_span.len};
}

/* Functions of the store to functions of the graph. */
static int to_graph(struct exec *x, const struct fn_set *of_store, struct fn_set **out)
{
	struct fn_set *s;

	if (x->g->plain) {
		*out = fnset_copy(x->a, of_store);
		return *out ? 0 : arena_full(x->a, x->err);
	}
	if (!(s = new_set(x, x->g->functions)))
		return (int)x->err->kind;
	for (uint32_t f = fnset_next(of_store, 0); f != FNSET_NONE;
	     f = fnset_next(of_store, f + 1))
		if (x->g->map[f] != GRAPH_NONE)
			fnset_add(s, x->g->map[f]);
	*out = s;
	return 0;
}

/* Names that graph stages made: collapse ... as NAME. */
static int add_renamed(struct exec *x, const struct match_atom *atom, struct fn_set *s,
		       uint32_t *found)
{
	struct match *m = NULL;
	int rc;

	if (x->g->plain || atom->field != MATCH_FN || atom->form == MATCH_ID)
		return 0;
	rc = match_new(atom, x->a, &m, x->err);
	for (uint32_t f = 0; f < x->g->functions && !rc; f++) {
		int hit = x->g->name[f].p ? match_name(m, x->g->name[f], x->err) : 0;

		rc = hit < 0 ? (int)x->err->kind : exec_poll(x);
		if (hit > 0) {
			fnset_add(s, f);
			(*found)++;
		}
	}
	match_free(m);
	return rc;
}

static int number_of(struct exec *x, const struct set *s, uint64_t *out)
{
	if (str_u64(s->text, out))
		return 0;
	return exec_fail(x, s->text_span, "a number is wanted here");
}

static int cycle_set(struct exec *x, const struct set *s, struct fn_set **out)
{
	uint64_t c;

	if (number_of(x, s, &c))
		return err_hint(x->err, "write cycle:1; 'cycles' lists them");
	if (c == 0 || c > x->g->cycles) {
		exec_fail(x, s->span, "no cycle %llu; this graph has %u",
			  (unsigned long long)c, x->g->cycles);
		return err_hint(x->err, "'cycles' lists them");
	}
	if (!(*out = new_set(x, x->g->functions)))
		return (int)x->err->kind;
	for (uint32_t f = 0; f < x->g->functions; f++)
		if (graph_cycle(x->g, f) == c)
			fnset_add(*out, f);
	return 0;
}

/* line:FILE:N or line:N - functions with cost on that line. */
struct line_wanted {
	struct str file;
	uint64_t line;
};

static int has_line(struct exec *x, fn_id f, const struct line_wanted *w,
		    struct arena *scratch, bool *hit)
{
	struct store_line *rows;
	uint64_t *costs;
	size_t n;

	*hit = false;
	arena_reset(scratch);
	if (fn_lines(x, f, scratch, &rows, &costs, &n))
		return (int)x->err->kind;
	for (size_t i = 0; i < n && !*hit; i++) {
		struct str file = store_file(x->g->st, rows[i].file);

		*hit = rows[i].line == w->line && (!w->file.n || str_eq(file, w->file) ||
						   str_eq(str_basename(file), w->file));
	}
	return exec_poll_now(x);
}

static int line_set(struct exec *x, const struct set *s, struct fn_set **out)
{
	struct line_wanted w = {.file = s->text};
	struct str digits = s->text;
	struct fn_set *set = new_set(x, store_info(x->g->st)->functions);
	struct arena scratch;
	bool hit = false;
	int rc = 0;

	for (size_t i = s->text.n; i > 0 && digits.n == s->text.n; i--)
		if (s->text.p[i - 1] == ':')
			digits = str_from(s->text, i);
	w.file.n = digits.n == s->text.n ? 0 : s->text.n - digits.n - 1;
	if (!set || s->form == FORM_REGEX || !str_u64(digits, &w.line)) {
		exec_fail(x, s->span, "'line:' needs a line number");
		return err_hint(x->err, "write line:120 or line:parser.c:120");
	}
	arena_init(&scratch, x->a->cap);
	for (fn_id f = 0; f < set->functions && !rc; f++) {
		rc = has_line(x, f, &w, &scratch, &hit);
		if (!rc && hit)
			fnset_add(set, f);
	}
	arena_free(&scratch);
	return rc ? rc : to_graph(x, set, out);
}

static int note_matches(struct exec *x, const struct set *s, uint32_t names, uint32_t n)
{
	if (s->form != FORM_BARE || s->field != FIELD_FN || n < 2)
		return 0;
	if (names > 1 && names != n)
		return exec_note(x, arena_printf(x->a,
						 "%.*s matched %u functions (%u names)",
						 STR_ARG(s->text), n, names));
	return exec_note(
		x, arena_printf(x->a, "%.*s matched %u functions", STR_ARG(s->text), n));
}

static int name_set(struct exec *x, const struct set *s, struct fn_set **out)
{
	struct match_atom atom = match_of(s);
	struct match_found found;
	uint32_t n;

	if (match_find(x->g->st, &atom, x->cancel, x->a, &found, x->err) ||
	    to_graph(x, found.fns, out))
		return (int)x->err->kind;
	n = fnset_count(*out);
	if (add_renamed(x, &atom, *out, &n))
		return (int)x->err->kind;
	if (n == 0 && found.functions && !x->may_match_nothing) {
		exec_fail(x, s->span, "the graph stages left nothing of %s%.*s",
			  s->form == FORM_NUMBER ? "#" : "", STR_ARG(s->text));
		return err_hint(x->err,
				x->parts
					? "it has no cost in these parts, or is hidden, "
					  "cut or part of another function now"
					: "it is hidden, cut or part of another function "
					  "now");
	}
	if (n == 0 && !x->may_match_nothing)
		return match_none(x->g->st, &atom, x->event, x->cancel, x->err);
	return note_matches(x, s, found.names, n);
}

static int var_set(struct exec *x, const struct set *s, struct fn_set **out)
{
	enum { DEEPEST = 200 };
	/* check.c found it, and a session drops none. */
	const struct check_let *let = check_let_find(x->env, s->text, true);
	struct set *parsed = NULL;
	struct err inner = {0};
	struct err *outer = x->err;
	int rc;

	if (x->vars >= DEEPEST) {
		err_set(x->err, ERR_LIMIT, s->span.at,
			"$%.*s stands for sets that are more than %d deep",
			STR_ARG(s->text), DEEPEST);
		x->err->len = (uint32_t)s->span.len;
		return err_hint(x->err, "define it by names, not by $other");
	}
	x->vars++;
	x->err = &inner;
	rc = parse_set_text(let->text, &x->env->limits, x->a, &parsed, &inner) ||
	     exec_set(x, parsed, out);
	x->err = outer;
	x->vars--;
	if (!rc)
		return 0;
	/* Its places are in the let's text: point at the variable. */
	if (inner.kind == ERR_LIMIT)
		err_set(outer, inner.kind, s->span.at, "%s", inner.text);
	else
		err_set(outer, inner.kind, s->span.at, "in $%.*s: %s", STR_ARG(s->text),
			inner.text);
	outer->len = (uint32_t)s->span.len;
	return inner.hint[0] ? err_hint(outer, "%s", inner.hint) : (int)outer->kind;
}

int exec_set(struct exec *x, const struct set *s, struct fn_set **out)
{
	struct fn_set *b;

	/* A variable stands for its text, so a few lines can mean millions of sets. */
	if (exec_poll_now(x))
		return (int)x->err->kind;
	switch (s->op) {
	case SET_ATOM:
		return s->field == FIELD_CYCLE	? cycle_set(x, s, out)
		       : s->field == FIELD_LINE ? line_set(x, s, out)
						: name_set(x, s, out);
	case SET_VAR: return var_set(x, s, out);
	case SET_NOT:
		if (exec_set(x, s->a, out))
			return (int)x->err->kind;
		fnset_not(*out);
		return 0;
	case SET_AND:
	case SET_OR:
		if (exec_set(x, s->a, out) || exec_set(x, s->b, &b))
			return (int)x->err->kind;
		if (s->op == SET_AND)
			fnset_and(*out, b);
		else
			fnset_or(*out, b);
		return 0;
	}
	return 0;
}

int exec_flow(struct exec *x, struct graph *g, uint32_t event, const struct flow **out)
{
	struct flow_input in;
	struct flow *flow;

	if (g->plain)
		return flow_of(x->flows, g->st, event, x->cancel, out, x->err);
	graph_flow_input(g, event, &in);
	if (flow_build(&in, x->a, x->cancel, &flow, x->err))
		return (int)x->err->kind;
	*out = flow;
	return 0;
}

/* ---- sources ---- */

static int last_open(struct exec *x, const struct source *s, struct table *t)
{
	const struct result *r = x->last; /* check.c saw that there is one */

	(void)s;
	if (table_init(x, t, NULL, x->g, r->rows))
		return (int)x->err->kind;
	for (size_t i = 0; i < r->ncols; i++) {
		const struct column *from = &r->cols[i];
		struct table_col *c;
		size_t w = col_width(from->type);

		if (table_append(t, from->name, from->type, &c))
			return (int)x->err->kind;
		memcpy(c->p, from->u, r->rows * w);
		c->event = from->event;
		c->machine = from->machine;
		c->table = from->table;
		c->bar = from->bar;
		c->adds_up = from->type == COL_COST || from->type == COL_COUNT;
		if (from->estimated &&
		    !(c->estimated = EXEC_ARRAY(x, uint8_t, r->rows + 1)))
			return (int)x->err->kind;
		if (from->absent && !(c->absent = EXEC_ARRAY(x, uint8_t, r->rows + 1)))
			return (int)x->err->kind;
		if (from->estimated)
			memcpy(c->estimated, from->estimated, r->rows);
		if (from->absent)
			memcpy(c->absent, from->absent, r->rows);
	}
	t->card = r->card;
	return 0;
}

static const struct source_def last = {.name = "_", .primary = "self", .open = last_open};

static const struct source_def *const defs[SOURCES] = {
	[S_FUNCTIONS] = &source_functions,
	[S_FILES] = &source_files,
	[S_OBJECTS] = &source_objects,
	[S_DIRS] = &source_dirs,
	[S_CLASSES] = &source_classes,
	[S_LINES] = &source_lines,
	[S_INSTRS] = &source_instrs,
	[S_CALLS] = &source_calls,
	[S_CALLSITES] = &source_callsites,
	[S_JUMPS] = &source_jumps,
	[S_CYCLES] = &source_cycles,
	[S_PARTS] = &source_parts,
	[S_THREADS] = &source_threads,
	[S_EVENTS] = &source_events,
	[S_PROFILES] = &source_profiles,
	[S_CALLERS] = &source_callers,
	[S_CALLEES] = &source_callees,
	[S_CALLTREE] = &source_calltree,
	[S_PATH] = &source_path,
	[S_COST] = &source_cost,
	[S_SOURCE] = &source_source,
	[S_ASM] = &source_asm,
	[S_FIND] = &source_find,
	[S_INFO] = &source_info,
	[S_LAST] = &last,
};

const struct source_def *source_def(enum source_kind kind)
{
	return defs[kind];
}

const struct source_def *source_def_of(const struct source *s)
{
	return s->kind == S_INFO && s->of    ? &source_info_fn
	       : s->kind == S_PARTS && s->of ? &source_parts_of
					     : source_def(s->kind);
}

/* Without a stage that makes its own order, the costliest rows come first. */
static bool wants_order(const struct table *t, const struct tstage *next)
{
	if (!t->src || !t->src->sorted || t->ordered)
		return false;
	for (; next; next = next->next) {
		if (next->kind == T_SORT || next->kind == T_SUM || next->kind == T_COUNT)
			return false;
		if (next->kind != T_WHERE && next->kind != T_ADD)
			return true;
	}
	return true;
}

/* Sources have the costs of the query's event. */
int exec_source(struct exec *x, const struct source *s, struct table *t,
		const struct tstage *next)
{
	const struct source_def *def = source_def_of(s);

	if (graph_event(x->g, x->event, x->err))
		return (int)x->err->kind;
	if (s->vs.n ? exec_vs(x, s, t) : def->open(x, s, t))
		return (int)x->err->kind;
	if (!wants_order(t, next))
		return 0;
	return exec_sort(x, t, NULL,
			 next && next->kind == T_TAKE && next->n < t->n ? (size_t)next->n
									: t->n);
}
