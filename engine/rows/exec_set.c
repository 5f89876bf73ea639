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

static void cycle_set(struct exec *x, const struct set *s, struct fn_set **out)
{
	struct graph *g = x->g; /* whose functions are in cycles */
	uint64_t c;

	if (!str_u64(s->text, &c)) {
		exec_wrong(x, s->text_span, "a number is wanted here");
		need_hint(x->err, "write cycle:1; 'cycles' lists them");
	}
	if (!g->merge.apart && !g->contexts)
		graph_join(g, &g);
	if (c == 0 || c > g->cycles) {
		exec_wrong(x, s->span, "no cycle %llu; this graph has %u",
			   (unsigned long long)c, g->cycles);
		need_hint(x->err, "'cycles' lists them");
	}
	*out = exec_new_set(x, x->g->functions);
	for (uint32_t f = 0; f < x->g->functions; f++)
		if (graph_cycle(g, g == x->g ? f : g->merge.group[f]) == c)
			fnset_add(*out, f);
}

/* line:FILE:N or line:N - functions with cost on that line. */
struct line_wanted {
	struct str file;
	uint64_t line;
};

static bool has_line(struct exec *x, fn_id f, const struct line_wanted *w,
		     struct arena *scratch)
{
	struct store_line *rows;
	int64_t *costs;
	size_t n;
	bool hit = false;

	arena_reset(scratch);
	fn_lines(x, f, scratch, &rows, &costs, &n);
	for (size_t i = 0; i < n && !hit; i++) {
		struct str file = store_file(x->g->st, rows[i].file);

		hit = rows[i].line == w->line && (!w->file.n || str_eq(file, w->file) ||
						  str_eq(str_basename(file), w->file));
	}
	exec_poll_now(x);
	return hit;
}

_Noreturn static void no_such_line(struct exec *x, const struct set *s,
				   const struct fn_set *all)
{
	if (fnset_count(all))
		exec_fail(x, s->span, "the graph stages left nothing of line:%.*s",
			  STR_ARG(s->text));
	exec_wrong(x, s->span, "no function has cost on line %.*s", STR_ARG(s->text));
	need_hint(x->err, "`lines` lists those that have");
}

static void line_set(struct exec *x, const struct set *s, struct fn_set **out)
{
	struct line_wanted w = {.file = s->text};
	struct str digits = s->text;
	struct fn_set *set = exec_new_set(x, store_info(x->g->st)->functions);
	struct arena *scratch;
	uint32_t n;

	for (size_t i = s->text.n; i > 0 && digits.n == s->text.n; i--)
		if (s->text.p[i - 1] == ':')
			digits = str_from(s->text, i);
	w.file.n = digits.n == s->text.n ? 0 : s->text.n - digits.n - 1;
	if (s->form == MATCH_REGEX || !str_u64(digits, &w.line)) {
		exec_wrong(x, s->span, "'line:' needs a line number");
		need_hint(x->err, "write line:120 or line:parser.c:120");
	}
	scratch = need_scratch(x->a);
	for (fn_id f = 0; f < set->functions; f++)
		if (has_line(x, f, &w, scratch))
			fnset_add(set, f);
	scratch_free(scratch);
	exec_set_of_store(x, set, out);
	n = fnset_count(*out);
	if (exec_in_base(x)) {
		exec_note_found(x, s, n);
		return;
	}
	if (n || exec_base_has(x, s) || x->of_part)
		return;
	x->absent = true;
	no_such_line(x, s, set);
}

/* No function is in a set that is always there: tell what it is about. */
_Noreturn static void none_in_common(struct exec *x, const struct set *s)
{
	const struct common_set *common = common_sets;

	while (common->about && !str_eq(common->value.name, s->text))
		common++;
	exec_wrong(x, s->span, "this profile has no function of $%.*s (%s)",
		   STR_ARG(s->text), common->about);
	need_hint(x->err,
		  "`.sets %.*s` shows the names; `let $%.*s = ...` makes your own",
		  STR_ARG(s->text), STR_ARG(s->text));
}

/* Sets that are always there and have functions that no name tells. */
static void add_more(struct exec *x, struct str name, struct fn_set *set)
{
	static const struct {
		const char *name;
		void (*add)(struct exec *x, struct fn_set *set);
	} more[] = {
		{"autoload", exec_add_loaders},
		{"start", exec_add_start},
		{"program", exec_add_program},
	};

	for (size_t i = 0; i < sizeof(more) / sizeof(*more); i++)
		if (str_eq(name, str_c(more[i].name)))
			more[i].add(x, set);
}

struct tried {
	struct exec *x;
	const struct set *s;
	struct fn_set **out;
};

static int find_guarded(void *arg)
{
	const struct tried *t = arg;

	exec_set(t->x, t->s, t->out);
	return 0;
}

/* False: why not is in err, and in x->absent whether nothing has the name. */
static bool found_set(struct exec *x, const struct set *s, struct fn_set **out,
		      struct err *err)
{
	x->err = err;
	x->absent = false;
	return !map_guard(find_guarded, &(struct tried){x, s, out}, ERR_INDEX, err);
}

/* What the variable stands for. */
static bool found_meaning(struct exec *x, const struct parse_value *let,
			  struct fn_set **out, struct err *err)
{
	struct set *parsed = NULL;

	if (parse_set_text(let->text, &x->env->limits, x->a, &parsed, err)) {
		if (err->kind != ERR_QUERY)
			return false;
		err_clear(err); /* a whole name: operator new(unsigned long) */
		parsed = EXEC_ARRAY(x, struct set, 1);
		*parsed = (struct set){
			.op = SET_ATOM, .form = MATCH_EXACT, .text = let->text};
	}
	return found_set(x, parsed, out, err);
}

static void var_set(struct exec *x, const struct set *s, struct fn_set **out)
{
	enum { DEEPEST = 200 };
	/* Not NULL: check.c found it, and a session drops none. */
	const struct parse_value *let = parse_find_value(&x->env->limits, s->text, false);
	struct err inner = {0};
	struct exec in = *x; /* inside the set that the variable is */
	bool found;

	if (x->vars >= DEEPEST) {
		err_set(x->err, ERR_LIMIT, s->span.at,
			"$%.*s stands for sets that are more than %d deep",
			STR_ARG(s->text), DEEPEST);
		x->err->len = (uint32_t)s->span.len;
		need_hint(x->err, "define it by names, not by $other");
	}
	in.vars++;
	in.common = let == common_set_find(s->text);
	found = found_meaning(&in, let, out, &inner);
	x->absent = !found && in.absent;
	if (in.common && (found || x->absent)) {
		if (!found)
			*out = exec_new_set(x, x->g->functions);
		add_more(x, s->text, *out);
		x->absent &= !fnset_count(*out);
		if (x->absent)
			none_in_common(x, s);
		return;
	}
	if (found)
		return;
	/* Its position is in the text of the let: point at the variable. */
	if (inner.kind == ERR_LIMIT)
		err_set(x->err, inner.kind, s->span.at, "%s", inner.text);
	else
		err_set(x->err, inner.kind, s->span.at, "in $%.*s = %.*s: %s",
			STR_ARG(s->text), STR_ARG(let->text), inner.text);
	x->err->len = (uint32_t)s->span.len;
	need_hint(x->err, "%s", inner.hint);
}

/* One side of `or`; false: nothing has that name. */
static bool found_side(struct exec *x, const struct set *s, struct fn_set **out,
		       struct err *err)
{
	struct exec side = *x;
	const bool found = found_set(&side, s, out, err);

	need(!found && !side.absent, err);
	return found;
}

/* Of several names that are joined by `or` some may be absent, but not all.  They may be
 * thousands: their tree, which is deep on its left side, is taken from below. */
static void or_set(struct exec *x, const struct set *s, struct fn_set **out)
{
	const struct set **side, *first = s;
	size_t n = 0;
	struct err no_a = {0};
	bool lacks_a;

	for (; first->op == SET_OR; first = first->a)
		n++;
	side = EXEC_ARRAY(x, const struct set *, n);
	for (size_t i = n; i > 0; i--, s = s->a)
		side[i - 1] = s->b;
	lacks_a = !found_side(x, first, out, &no_a);
	for (size_t i = 0; i < n; i++) {
		struct err no_b = {0};
		struct fn_set *b = NULL;
		const bool lacks_b = !found_side(x, side[i], &b, &no_b);

		if (!lacks_a && !lacks_b)
			fnset_or(*out, b);
		else if (lacks_a && !lacks_b)
			*out = b;
		if (lacks_a != lacks_b && !x->common)
			exec_notef(x, "%s: the others are taken",
				   lacks_a ? no_a.text : no_b.text);
		lacks_a &= lacks_b;
	}
	x->absent = lacks_a;
	need(lacks_a, &no_a);
}

/* All that is not: of a set that is always there and has no function here, all. */
static void not_set(struct exec *x, const struct set *s, struct fn_set **out)
{
	const bool common = s->a->op == SET_VAR &&
			    common_set_find(s->a->text) ==
				    parse_find_value(&x->env->limits, s->a->text, false);
	struct err none = {0};

	if (!common)
		exec_set(x, s->a, out);
	else if (!found_side(x, s->a, out, &none))
		*out = exec_new_set(x, x->g->functions);
	fnset_not(*out);
}

static void and_set(struct exec *x, const struct set *s, struct fn_set **out)
{
	struct fn_set *b;
	bool both;

	exec_set(x, s->a, out);
	exec_set(x, s->b, &b);
	both = fnset_count(*out) && fnset_count(b);
	fnset_and(*out, b);
	if (both && !fnset_count(*out) && !x->other && !x->of_part)
		exec_note(x, STR("no function is in both sets of `and`; `or` takes "
				 "those of either"));
}

void exec_set(struct exec *x, const struct set *s, struct fn_set **out)
{
	/* Variables contain variables: a few lines can mean millions of sets. */
	exec_poll_now(x);
	switch (s->op) {
	case SET_ATOM:
		if (s->field == MATCH_CYCLE)
			cycle_set(x, s, out);
		else if (s->field == MATCH_LINE)
			line_set(x, s, out);
		else
			exec_name_set(x, s, out);
		break;
	case SET_VAR: var_set(x, s, out); break;
	case SET_NOT: not_set(x, s, out); break;
	case SET_OR: or_set(x, s, out); break;
	case SET_AND: and_set(x, s, out); break;
	}
}
