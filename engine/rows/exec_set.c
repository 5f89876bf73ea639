/* exec_set.c - find the functions that a set names; see exec_set.h.  One name: exec_name.c. */
#include "engine/rows/exec_set.h"
#include "engine/rows/store_set.h"

#include <inttypes.h>
#include <stdio.h>

#include "engine/lang/check_names.h"
#include "engine/lang/common_sets.h"
#include "engine/lang/keywords.h"
#include "engine/graph/graph_stage.h"
#include "engine/names/fnset.h"
#include "engine/rows/exec.h"
#include "engine/rows/fn_detail.h"
#include "engine/rows/loaders.h"
#include "engine/rows/program.h"
#include "engine/graph/graph.h"
#include "engine/names/match.h"
#include "engine/names/name.h"
#include "index/base/need.h"
#include "index/base/err.h"
#include "engine/rows/exec_name.h"

static int number_of(struct exec *x, const struct set *s, uint64_t *out)
{
	if (str_u64(s->text, out))
		return 0;
	return exec_fail(x, s->text_span, "a number is wanted here");
}

static int cycle_set(struct exec *x, const struct set *s, struct fn_set **out)
{
	struct graph *g = x->g; /* whose functions are in cycles */
	uint64_t c;

	if (number_of(x, s, &c))
		return err_hint(x->err, "write cycle:1; 'cycles' lists them");
	if (!g->apart && !g->contexts)
		graph_join(g, &g);
	if (c == 0 || c > g->cycles) {
		exec_fail(x, s->span, "no cycle %llu; this graph has %u",
			  (unsigned long long)c, g->cycles);
		return err_hint(x->err, "'cycles' lists them");
	}
	*out = exec_new_set(x, x->g->functions);
	for (uint32_t f = 0; f < x->g->functions; f++)
		if (graph_cycle(g, g == x->g ? f : g->group[f]) == c)
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
	int64_t *costs;
	size_t n;

	*hit = false;
	arena_reset(scratch);
	if (fn_lines(x, f, scratch, &rows, &costs, &n))
		return x->err->kind;
	for (size_t i = 0; i < n && !*hit; i++) {
		struct str file = store_file(x->g->st, rows[i].file);

		*hit = rows[i].line == w->line && (!w->file.n || str_eq(file, w->file) ||
						   str_eq(str_basename(file), w->file));
	}
	exec_poll_now(x);
	return 0;
}

static int no_such_line(struct exec *x, const struct set *s, const struct fn_set *all)
{
	if (fnset_count(all))
		return exec_fail(x, s->span, "the graph stages left nothing of line:%.*s",
				 STR_ARG(s->text));
	exec_fail(x, s->span, "no function has cost on line %.*s", STR_ARG(s->text));
	return err_hint(x->err, "`lines` lists those that have");
}

static int line_set(struct exec *x, const struct set *s, struct fn_set **out)
{
	struct line_wanted w = {.file = s->text};
	struct str digits = s->text;
	struct fn_set *set = exec_new_set(x, store_info(x->g->st)->functions);
	struct arena *scratch;
	bool hit = false;
	uint32_t n;
	int rc = 0;

	for (size_t i = s->text.n; i > 0 && digits.n == s->text.n; i--)
		if (s->text.p[i - 1] == ':')
			digits = str_from(s->text, i);
	w.file.n = digits.n == s->text.n ? 0 : s->text.n - digits.n - 1;
	if (!set || s->form == MATCH_REGEX || !str_u64(digits, &w.line)) {
		exec_fail(x, s->span, "'line:' needs a line number");
		return err_hint(x->err, "write line:120 or line:parser.c:120");
	}
	scratch = need_scratch(x->a);
	for (fn_id f = 0; f < set->functions && !rc; f++) {
		rc = has_line(x, f, &w, scratch, &hit);
		if (!rc && hit)
			fnset_add(set, f);
	}
	scratch_free(scratch);
	if (rc)
		return x->err->kind;
	exec_set_of_store(x, set, out);
	n = fnset_count(*out);
	if (exec_in_base(x)) {
		exec_note_found(x, s, n);
		return 0;
	}
	if (n || exec_base_has(x, s) || x->of_part)
		return 0;
	x->absent = true;
	return no_such_line(x, s, set);
}

/* No function is in a set that is always there: tell what it is about. */
static int none_in_common(struct exec *x, const struct set *s)
{
	const struct common_set *common = common_sets;

	while (common->about && !str_eq(common->value.name, s->text))
		common++;
	exec_fail(x, s->span, "this profile has no function of $%.*s (%s)",
		  STR_ARG(s->text), common->about);
	return err_hint(x->err,
			"`.sets %.*s` shows the names; `let $%.*s = ...` makes your own",
			STR_ARG(s->text), STR_ARG(s->text));
}

/* Sets that are always there and have functions that no name tells. */
static int add_more(struct exec *x, struct str name, struct fn_set *set)
{
	static const struct {
		const char *name;
		int (*add)(struct exec *x, struct fn_set *set);
	} more[] = {
		{"autoload", exec_add_loaders},
		{"start", exec_add_start},
		{"program", exec_add_program},
	};

	for (size_t i = 0; i < sizeof(more) / sizeof(*more); i++)
		if (str_eq(name, str_c(more[i].name)))
			return more[i].add(x, set);
	return 0;
}

static int var_set(struct exec *x, const struct set *s, struct fn_set **out)
{
	enum { DEEPEST = 200 };
	/* Not NULL: check.c found it, and a session drops none. */
	const struct parse_value *let = parse_find_value(&x->env->limits, s->text, false);
	struct set *parsed = NULL;
	struct err inner = {0};
	struct exec in = *x; /* inside the set that the variable is */
	int rc;

	if (x->vars >= DEEPEST) {
		err_set(x->err, ERR_LIMIT, s->span.at,
			"$%.*s stands for sets that are more than %d deep",
			STR_ARG(s->text), DEEPEST);
		x->err->len = (uint32_t)s->span.len;
		return err_hint(x->err, "define it by names, not by $other");
	}
	in.vars++;
	in.err = &inner;
	in.common = let == common_set_find(s->text);
	rc = parse_set_text(let->text, &x->env->limits, x->a, &parsed, &inner);
	if (inner.kind == ERR_QUERY) { /* a whole name: operator new(unsigned long) */
		err_clear(&inner);
		rc = (parsed = EXEC_ARRAY(x, struct set, 1)) ? 0 : inner.kind;
		if (parsed)
			*parsed = (struct set){
				.op = SET_ATOM, .form = MATCH_EXACT, .text = let->text};
	}
	rc = rc ? rc : exec_set(&in, parsed, out);
	x->absent = in.absent;
	if (in.common && (!rc || x->absent)) {
		if (rc && !(*out = exec_new_set(x, x->g->functions)))
			return x->err->kind;
		if (add_more(x, s->text, *out))
			return x->err->kind;
		x->absent &= !fnset_count(*out);
		return x->absent ? none_in_common(x, s) : 0;
	}
	/* Its position is in the text of the let: point at the variable. */
	if (inner.kind == ERR_LIMIT)
		err_set(x->err, inner.kind, s->span.at, "%s", inner.text);
	else
		err_set(x->err, inner.kind, s->span.at, "in $%.*s = %.*s: %s",
			STR_ARG(s->text), STR_ARG(let->text), inner.text);
	x->err->len = (uint32_t)s->span.len;
	return inner.hint[0] ? err_hint(x->err, "%s", inner.hint) : x->err->kind;
}

/* One side of `or`; *absent: nothing has that name. */
static int either_side(struct exec *x, const struct set *s, struct fn_set **out,
		       bool *absent, struct err *err)
{
	struct exec side = *x;

	side.err = err;
	side.absent = false;
	exec_set(&side, s, out);
	*absent = err->kind && side.absent;
	if (err->kind && !*absent)
		*x->err = *err;
	return x->err->kind;
}

/* Of several names that are joined by `or` some may be absent, but not all. */
static int or_set(struct exec *x, const struct set *s, struct fn_set **out)
{
	struct err no_a = {0}, no_b = {0};
	struct fn_set *a = NULL, *b = NULL;
	bool lacks_a, lacks_b;

	if (either_side(x, s->a, &a, &lacks_a, &no_a) ||
	    either_side(x, s->b, &b, &lacks_b, &no_b))
		return x->err->kind;
	x->absent = lacks_a && lacks_b;
	if (x->absent) {
		*x->err = no_a;
		return (int)no_a.kind;
	}
	*out = lacks_a ? b : a;
	if (!lacks_a && !lacks_b)
		fnset_or(*out, b);
	if ((!lacks_a && !lacks_b) || x->common)
		return 0;
	exec_notef(x, "%s: the others are taken", lacks_a ? no_a.text : no_b.text);
	return 0;
}

/* All that is not: of a set that is always there and has no function here, all. */
static int not_set(struct exec *x, const struct set *s, struct fn_set **out)
{
	const bool common = s->a->op == SET_VAR &&
			    common_set_find(s->a->text) ==
				    parse_find_value(&x->env->limits, s->a->text, false);
	struct err none = {0};
	bool absent = false;

	if (common ? either_side(x, s->a, out, &absent, &none) : exec_set(x, s->a, out))
		return x->err->kind;
	if (absent && !(*out = exec_new_set(x, x->g->functions)))
		return x->err->kind;
	fnset_not(*out);
	return 0;
}

static int and_set(struct exec *x, const struct set *s, struct fn_set **out)
{
	struct fn_set *b;
	bool both;

	if (exec_set(x, s->a, out) || exec_set(x, s->b, &b))
		return x->err->kind;
	both = fnset_count(*out) && fnset_count(b);
	fnset_and(*out, b);
	if (both && !fnset_count(*out) && !x->other && !x->of_part)
		exec_note(x, STR("no function is in both sets of `and`; `or` takes "
				 "those of either"));
	return 0;
}

int exec_set(struct exec *x, const struct set *s, struct fn_set **out)
{
	/* Variables contain variables: a few lines can mean millions of sets. */
	exec_poll_now(x);
	switch (s->op) {
	case SET_ATOM:
		return s->field == MATCH_CYCLE	? cycle_set(x, s, out)
		       : s->field == MATCH_LINE ? line_set(x, s, out)
						: exec_name_set(x, s, out);
	case SET_VAR: return var_set(x, s, out);
	case SET_NOT: return not_set(x, s, out);
	case SET_OR: return or_set(x, s, out);
	case SET_AND: return and_set(x, s, out);
	}
	return 0;
}
