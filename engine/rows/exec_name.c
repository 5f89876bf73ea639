/*
 * exec_name.c - find the functions that one name means; see exec_name.h.
 *
 *	malloc		functions of this name, and what the loader chose for it
 *	std::vector	no function: the methods of the class
 *	allo		no name: the functions that have it in their names
 *
 * In a comparison a name may be one that only the other profile has: both sides take the
 * functions that are paired with it.
 */
#include "engine/rows/exec_name.h"

#include "engine/rows/store_set.h"

#include <stdio.h>
#include <string.h>

#include "engine/lang/check_names.h"
#include "engine/lang/common_sets.h"
#include "engine/lang/keywords.h"
#include "engine/names/found.h"
#include "engine/names/fnset.h"
#include "engine/rows/exec.h"
#include "engine/rows/fn_detail.h"
#include "engine/graph/graph.h"
#include "engine/lang/token.h"
#include "engine/names/match.h"
#include "engine/names/name.h"
#include "index/base/arena.h"
#include "index/base/count.h"
#include "index/base/err.h"
#include "index/base/need.h"

static bool same_text(const struct set *a, const struct set *b)
{
	return a->form == b->form && a->field == b->field && str_eq(a->text, b->text);
}

bool exec_base_has(const struct exec *x, const struct set *s)
{
	const struct exec_found *found = x->other ? x->other->found : NULL;

	for (size_t i = 0; found && i < found->n; i++)
		if (same_text(found->at[i], s))
			return true;
	return false;
}

void exec_note_found(struct exec *x, const struct set *s, uint32_t n)
{
	struct exec_found *to = x->other->found;

	if (n == 0)
		return;
	exec_grow(x, &to->at, &to->cap, to->n, to->n + 1, sizeof(*to->at));
	to->at[to->n++] = s;
}

static struct match_atom match_of(const struct exec *x, const struct set *s)
{
	struct match_atom atom = set_atom(s);

	atom.recorded = x->g->recorded;
	return atom;
}

/* How many functions of the graph are in a set: contexts count by their function. */
static uint32_t count_functions(const struct fn_set *s, const struct match_found *found)
{
	const uint32_t n = fnset_count(s);

	return n < found->functions ? n : found->functions;
}

static enum name_reading reading_of(const struct graph *g, uint32_t f)
{
	return graph_is_place(g, f) ? NAME_PATH : NAME_USUAL;
}

/* Does an inlined function match?  Its name does with and without the mark. */
static int match_inlined(struct exec *x, const struct match_atom *atom, struct match *m,
			 uint32_t f)
{
	struct str text = atom->field == MATCH_FILE  ? graph_file(x->g, f)
			  : atom->field == MATCH_OBJ ? graph_obj(x->g, f)
						     : graph_plain_name(x->g, f);
	const enum name_reading how = reading_of(x->g, f);
	int hit = match_name_as(m, text, how, x->err);

	return hit || atom->field != MATCH_FN
		       ? hit
		       : match_name_as(m, graph_name(x->g, f), how, x->err);
}

/* Add groups with a matching name that a stage gave: collapse ... as NAME.  Inlined
 * functions have files and classes of their own, too, and functions that begin with inlined
 * code are in another file than that of the store. */
static void add_renamed(struct exec *x, const struct match_atom *atom, struct fn_set *s,
			uint32_t *found)
{
	struct match *m = NULL;

	if (x->g->plain || atom->form == MATCH_ID ||
	    (atom->field != MATCH_FN && !x->g->inlined.extra))
		return;
	need(match_new(atom, x->a, &m, x->err), x->err);
	for (uint32_t f = 0; f < x->g->functions; f++) {
		struct str own = graph_own_name(x->g, f);
		const bool placed = atom->field == MATCH_FILE && graph_is_placed(x->g, f);
		int hit = 0;

		if (placed)
			fnset_remove(s, f);
		if (placed || graph_is(x->g, f, GRAPH_INLINED))
			hit = match_inlined(x, atom, m, f);
		else if (own.p && atom->field == MATCH_FN)
			hit = match_name_as(m, own, reading_of(x->g, f), x->err);
		need(hit < 0, x->err);
		exec_poll(x);
		if (hit > 0) {
			fnset_add(s, f);
			/* Places of an inlined function are one function. */
			*found +=
				!x->g->inlined.extra || x->g->map[graph_id(x->g, f)] == f;
		}
	}
	match_free(m);
	if (*found > fnset_count(s))
		*found = fnset_count(s);
}

static void note_matches(struct exec *x, const struct set *s, uint32_t names, uint32_t n)
{
	if (s->form != MATCH_BARE || s->field != MATCH_FN || n < 2)
		return;
	if (names > 1 && names != n) {
		exec_hintf(x, "%.*s matched %s functions (%s names)", STR_ARG(s->text),
			   GROUPED(n), GROUPED(names));
		return;
	}
	exec_hintf(x, "%.*s matched %s functions", STR_ARG(s->text), GROUPED(n));
}

/* The functions of the store that match, or what was found for the same before. */
static void find_form(struct exec *x, const struct match_atom *atom,
		      struct match_found *found)
{
	need(found_find(x->open->found, x->g->st, atom, x->open->cancel, x->a, found,
			x->err),
	     x->err);
}

/* Does the name stand for no more than the last part of a longer one? */
static bool is_last_part(const struct exec *x, struct str name, const struct fn_set *has)
{
	const uint32_t f = fnset_next(has, 0);

	return f != FNSET_NONE && str_find(name, ':') == name.n &&
	       !str_starts(store_fn_alone(x->g->st, f), name);
}

/* "*Preg*" and a constructor's name are compared with the last part of names: say how many have
 * it before that. */
static void note_in_class(struct exec *x, const struct set *s, struct match_atom atom,
			  const struct fn_set *has)
{
	struct match_found found;
	uint32_t n = 0;

	if (x->whole || s->form != MATCH_BARE || s->field != MATCH_FN || s->text.n < 2 ||
	    (s->text.p[0] != '*' && !is_last_part(x, s->text, has)))
		return;
	atom.field = MATCH_CLASS;
	find_form(x, &atom, &found);
	for (uint32_t f = fnset_next(found.fns, 0); f != FNSET_NONE;
	     f = fnset_next(found.fns, f + 1))
		n += !fnset_has(has, f);
	if (n)
		exec_hintf(x, "%u more ha%s it in the name of the class: class:%.*s", n,
			   n == 1 ? "s" : "ve", STR_ARG(s->text));
}

/* How many functions another form of the name has. */
static uint32_t found_as(struct exec *x, struct match_atom atom)
{
	struct match_found found;

	find_form(x, &atom, &found);
	return fnset_count(found.fns);
}

/* "operator new*" as a regular expression, from the start of names; or anywhere in them. */
static struct str as_regex(struct exec *x, struct str text, bool anywhere)
{
	char *to = EXEC_ARRAY(x, char, 2 * text.n + 2);
	size_t n = 0;

	if (!anywhere)
		to[n++] = '^';
	for (size_t i = 0; i < text.n; i++) {
		if (text.p[i] == '*' && i + 1 == text.n)
			break;
		if (text.p[i] == '*')
			to[n++] = '.';
		else if (strchr("\\^$.[]|()?+{}/", text.p[i]))
			to[n++] = '\\';
		to[n++] = text.p[i];
	}
	return (struct str){to, n};
}

/* The form that has functions where the name in quotes has none: without quotes, as a pattern,
 * or as a part of names; empty: none has. */
static struct str unquoted(struct exec *x, const struct match_atom *atom)
{
	const struct token word = token_at(atom->text, 0, PLACE_NAME);
	static const char *const fields[] = {[MATCH_FN] = "",
					     [MATCH_FILE] = "file:",
					     [MATCH_OBJ] = "obj:",
					     [MATCH_CLASS] = "class:"};
	const bool starred = memchr(atom->text.p, '*', atom->text.n) != NULL;
	const char *field = fields[atom->field];
	struct match_atom as = *atom;

	as.form = MATCH_BARE;
	if (word.kind == TOK_WORD && word.len == atom->text.n && found_as(x, as))
		return need_printf(x->a, "%s%.*s", field, STR_ARG(atom->text));
	as.field = MATCH_CLASS;
	if (!*field && word.len == atom->text.n && found_as(x, as))
		return need_printf(x->a, "class:%.*s", STR_ARG(atom->text));
	as.field = atom->field;
	as.form = MATCH_REGEX;
	as.text = as_regex(x, atom->text, !starred);
	return found_as(x, as) ? need_printf(x->a, "%s/%.*s/", field, STR_ARG(as.text))
			       : STR("");
}

/* Report that s matches nothing, with what another form of it would match. */
_Noreturn static void no_such_name(struct exec *x, const struct set *s,
				   const struct match_atom *atom)
{
	const bool exact = s->form == MATCH_EXACT && s->text.n;
	const bool starred = exact && memchr(s->text.p, '*', s->text.n);
	const struct str form = exact ? unquoted(x, atom) : STR("");

	if (!store_info(x->g->st)->functions)
		exec_fail(x, s->span, "this profile has no functions");
	if (form.n && starred)
		exec_wrong(x, s->span,
			   "nothing has the name '%.*s': in quotes a * is no wildcard",
			   STR_ARG(s->text));
	else
		match_none(x->g->st, atom, x->event, x->open->cancel, x->err);
	if (form.n && !x->err->hint[0])
		need_hint(x->err, "did you mean '%.*s'?", STR_ARG(form));
	if (s->form == MATCH_BARE && s->field == MATCH_FN &&
	    str_starts(s->text, STR("/")))
		need_hint(x->err, "functions of such files: file:%.*s", STR_ARG(s->text));
	if (verb_find(s->text) && s->form == MATCH_BARE)
		need_hint(x->err, "for all of them: %.*s", STR_ARG(s->text));
	map_leave(x->err);
}

static void add_contexts(const struct exec *x, fn_id f, struct fn_set *s)
{
	struct store *st = x->g->st;
	const group_id g = store_group_of(st, f);
	const uint32_t n = x->g->recorded ? 1 : store_group_size(st, g);

	for (uint32_t i = 0; i < n; i++)
		fnset_add(s, x->g->recorded ? f : store_group_fn(st, g, i));
}

/* Add the functions that are the same as those which the other profile has under this
 * name.  #12 is a number in the first profile only. */
static void add_paired(struct exec *x, const struct match_atom *atom, struct fn_set *s,
		       bool *any)
{
	const struct exec_other *other = x->other;
	struct match_found found;

	if (!other || (atom->form == MATCH_ID && !other->is_base))
		return;
	need(match_find(other->st, atom, x->open->cancel, x->a, &found, x->err), x->err);
	*any |= found.functions > 0;
	for (uint32_t f = fnset_next(found.fns, 0); f != FNSET_NONE;
	     f = fnset_next(found.fns, f + 1))
		if (other->same[f] != UINT32_MAX)
			add_contexts(x, other->same[f], s);
}

/* One note has all of these names: it goes on with ", strlen __strlen_avx2". */
static void note_also(struct exec *x, struct str typed, struct str name, struct str own)
{
	static const char alone[] = "; alone: ";

	for (size_t i = 0; i < x->notes->n; i++) {
		struct str *note = &x->notes->at[i];
		const size_t n = str_find_str(*note, str_c(alone));

		if (n == note->n)
			continue;
		*note = need_printf(x->a, "%.*s, %.*s %.*s%.*s", (int)n, note->p,
				    STR_ARG(typed), STR_ARG(name),
				    STR_ARG(str_from(*note, n)));
		return;
	}
	exec_notef(x, "%.*s is also %.*s%s\"%.*s\"", STR_ARG(typed), STR_ARG(name), alone,
		   STR_ARG(own));
}

/* memcpy is also __memcpy_avx_unaligned_erms, which the loader chooses for the processor and
 * which does the work. */
static void add_chosen(struct exec *x, const struct match_atom *atom,
		       struct match_found *found)
{
	static const char *const made_for[] = {"avx",	  "evex", "sse", "ssse",
					       "erms",	  "neon", "sve", "unaligned",
					       "generic", "power"};
	const bool bare = atom->form == MATCH_BARE && atom->field == MATCH_FN;
	uint32_t names = store_info(x->g->st)->names, n;
	struct str start, own, name, noted = {0};
	fn_id first;

	if (!bare || atom->part || !found->functions)
		return;
	start = need_printf(x->a, "__%.*s_", STR_ARG(atom->text));
	own = store_fn_alone(x->g->st, fnset_next(found->fns, 0));
	for (name_id i = store_name_lower(x->g->st, start);
	     i < names && str_starts(name = store_name(x->g->st, i), start); i++) {
		bool is = false;

		for (size_t k = 0; k < COUNT(made_for); k++)
			is |= str_starts(str_from(name, start.n), str_c(made_for[k]));
		store_fns_of_name(x->g->st, i, &first, &n);
		if (!is || !n || fnset_has(found->fns, first))
			continue;
		fnset_add_run(found->fns, first, n);
		found->functions += n;
		found->names++;
		/* Contexts of --separate-callers are of one function: memcpy'main. */
		name.n = str_find(name, '\'');
		if (str_eq(name, noted))
			continue;
		noted = name;
		if (!exec_in_base(x) && str_find_str(x->text, name) == x->text.n)
			note_also(x, atom->text, name, own);
	}
}

/* The functions of the store that match; *any: in one of the profiles of `vs` some do. */
/* class:Twig* has what class:Twig has, too. */
static void add_bare_class(struct exec *x, struct match_atom atom,
			   struct match_found *found)
{
	struct match_found more;

	if (atom.field != MATCH_CLASS || atom.form != MATCH_BARE ||
	    !str_ends(atom.text, STR("*")) ||
	    str_find(atom.text, '*') + 1 != atom.text.n || atom.text.n < 2)
		return;
	atom.text.n--;
	if (!token_is_word_byte(atom.text.p[atom.text.n - 1]))
		return;
	find_form(x, &atom, &more);
	atom.part = !more.functions;
	if (atom.part)
		find_form(x, &atom, &more);
	fnset_or(found->fns, more.fns);
	found->functions = fnset_count(found->fns);
}

static void find_atom(struct exec *x, const struct match_atom *atom,
		      struct match_found *found, bool *any)
{
	*found = (struct match_found){0};
	if (atom->form == MATCH_ID && exec_in_base(x)) {
		found->fns = exec_new_set(x, store_info(x->g->st)->functions);
	} else {
		find_form(x, atom, found);
		add_bare_class(x, *atom, found);
		add_chosen(x, atom, found);
	}
	*any = found->functions > 0;
	add_paired(x, atom, found->fns, any);
}

/* ": parse, parse_line": the different names of at most three functions. */
static struct str names_of(struct exec *x, const struct fn_set *found)
{
	struct str all = STR(""), last = STR("");

	if (fnset_count(found) > 3)
		return all;
	for (uint32_t f = fnset_next(found, 0); f != FNSET_NONE;
	     f = fnset_next(found, f + 1)) {
		const struct str name = graph_short_name(x->g, f, x->a);

		if (!str_eq(name, last))
			all = arena_printf(x->a, "%.*s%s%.*s", STR_ARG(all),
					   all.n ? ", " : ": ", STR_ARG(name));
		last = name;
	}
	return all;
}

/* "; the object is obj:libc.so.6", if one is called so. */
static struct str object_of(struct exec *x, const struct set *s)
{
	struct store *st = x->g->st;

	for (uint32_t i = 0; s->field == MATCH_FN && i < store_info(st)->objects; i++)
		if (name_is_base(store_obj(st, i), s->text))
			return need_printf(x->a, "; the object is obj:%.*s",
					   STR_ARG(str_basename(store_obj(st, i))));
	return STR("");
}

/* "; 64 more in another case: /btree/i" */
static struct str other_case(struct exec *x, const struct set *s, uint32_t n)
{
	struct match_atom atom = match_of(x, s);
	uint32_t all;

	if (s->field != MATCH_FN || s->form != MATCH_BARE ||
	    str_find(s->text, '*') < s->text.n)
		return STR("");
	atom.part = atom.nocase = true;
	all = found_as(x, atom);
	if (all <= n)
		return STR("");
	return need_printf(x->a, "; %u more in another case: /%.*s/i", all - n,
			   STR_ARG(as_regex(x, s->text, true)));
}

static void note_parts(struct exec *x, const struct set *s, bool nocase,
		       const struct fn_set *found, uint32_t n)
{
	const struct str name = {s->text.p, s->text.n < 80 ? s->text.n : 80};
	static const struct {
		const char *what, *where;
	} fields[] = {
		[MATCH_FN] = {"function", "the name"},
		[MATCH_FILE] = {"file", "the path of the file"},
		[MATCH_OBJ] = {"object", "the path of the object"},
		[MATCH_CLASS] = {"class", "the name of the class"},
	};

	if (exec_in_base(x))
		return;
	if (n == 1 && s->field == MATCH_FN) {
		exec_notef(x, "no function is called %.*s: taken is %.*s%.*s%.*s",
			   STR_ARG(name),
			   STR_ARG(graph_short_name(x->g, fnset_next(found, 0), x->a)),
			   STR_ARG(nocase ? STR("") : other_case(x, s, n)),
			   STR_ARG(object_of(x, s)));
		return;
	}
	exec_notef(x,
		   "no %s is called %.*s: taken %s %u function%s with it in "
		   "%s%s%.*s%.*s%.*s",
		   fields[s->field].what, STR_ARG(name), n == 1 ? "is" : "are", n,
		   n == 1 ? "" : "s", fields[s->field].where,
		   nocase ? ", in another case" : "", STR_ARG(names_of(x, found)),
		   STR_ARG(nocase ? STR("") : other_case(x, s, n)),
		   STR_ARG(object_of(x, s)));
}

/* std::vector: a class's name is no function's, and its methods are meant; the text is in
 * template arguments of others, too. */
static void find_class(struct exec *x, const struct set *s, struct match_atom atom,
		       struct match_found *found, struct fn_set **out, uint32_t *n)
{
	bool any;

	if (s->field != MATCH_FN || !name_class(s->text).n)
		return;
	atom.field = MATCH_CLASS;
	find_atom(x, &atom, found, &any);
	exec_set_of_store(x, found->fns, out);
	*n = count_functions(*out, found);
	add_renamed(x, &atom, *out, n);
	if (!*n || exec_in_base(x))
		return;
	exec_notef(x, "%.*s is a class: taken %s its %s function%s, as class:%.*s%s",
		   STR_ARG(s->text), *n == 1 ? "is" : "are", GROUPED(*n),
		   *n == 1 ? "" : "s", STR_ARG(s->text),
		   !x->g->inlined.extra && store_info(x->g->st)->has_instr
			   ? "; with inlined | ... adds inlined ones"
			   : "");
}

/* No whole name matches: take the n functions that have the text in their names. */
static void find_parts(struct exec *x, const struct set *s, struct match_atom *atom,
		       struct match_found *found, struct fn_set **out, uint32_t *n)
{
	bool any = false;

	if (x->whole || s->form != MATCH_BARE || str_starts(s->text, STR("::")))
		return;
	find_class(x, s, *atom, found, out, n);
	atom->part = true;
	if (*n)
		return;
	/* PHP's closures have their place in the name: {closure:FILE:6-17}. */
	if (str_starts(s->text, STR("{")) && str_ends(s->text, STR("}")))
		atom->text.n--;
	for (int i = 0; i < 2 && !any; i++) {
		atom->nocase = i;
		find_atom(x, atom, found, &any);
		exec_set_of_store(x, found->fns, out);
		*n = count_functions(*out, found);
		add_renamed(x, atom, *out, n);
		any |= *n > 0;
	}
	atom->part = any;
	if (!any)
		atom->text = s->text;
	if (any && x->part && s->field == MATCH_FN)
		*x->part = s->text;
	if (any)
		note_parts(x, s, atom->nocase, *out, *n);
}

_Noreturn static void none_left(struct exec *x, const struct set *s)
{
	exec_wrong(x, s->span, "the graph stages left nothing of %s%.*s",
		   s->form == MATCH_ID ? "#" : "", STR_ARG(s->text));
	need_hint(x->err, x->parts ? "it has no cost in these parts, or is hidden, "
				     "cut or part of another function now"
				   : "it is hidden, cut or part of another function now");
}

/* #N of an inlined function: past the numbers of the store. */
static bool inlined_set(struct exec *x, const struct set *s, struct fn_set **out)
{
	uint64_t n;

	if (s->form != MATCH_ID || !x->g->inlined.extra || !str_u64(s->text, &n) ||
	    n < store_info(x->g->st)->functions)
		return false;
	if (n >= graph_numbers(x->g))
		exec_fail(x, s->span, "there is no function #%.*s; the last is #%u",
			  STR_ARG(s->text), graph_numbers(x->g) - 1);
	*out = exec_new_set(x, x->g->functions);
	for (uint32_t f = 0; f < x->g->functions; f++)
		if (graph_id(x->g, f) == n)
			fnset_add(*out, f);
	if (!fnset_count(*out))
		none_left(x, s);
	return true;
}

/* The name is that of a context, and a row is a function. */
static void note_context(struct exec *x, const char *number, struct str name,
			 struct str function)
{
	exec_notef(x,
		   "%s%.*s is a context of %.*s and stands for it here; 'contexts "
		   "| ...' has each",
		   number, STR_ARG(name), STR_ARG(function));
}

void exec_context_name(struct exec *x, const struct graph *g, struct str *name)
{
	const struct match_atom atom = {
		.field = MATCH_FN, .form = MATCH_EXACT, .text = *name};
	struct match_found found;
	struct str function;

	if (g->recorded || !store_any_grouped(g->st) || str_find(*name, '\'') == name->n)
		return;
	need(match_find(g->st, &atom, x->open->cancel, x->a, &found, x->err), x->err);
	if (!found.contexts)
		return;
	function = store_fn_alone(g->st, fnset_next(found.fns, 0));
	note_context(x, "", *name, function);
	*name = function;
}

/* /std::vector</ has the functions with such an argument, too. */
static void note_arguments(struct exec *x, const struct set *s)
{
	size_t n = str_starts(s->text, STR("^"));
	const size_t from = n;

	if (s->form != MATCH_REGEX || s->field != MATCH_FN || exec_in_base(x))
		return;
	while (n < s->text.n && (token_is_word_byte(s->text.p[n]) || s->text.p[n] == ':'))
		n++;
	if (n == from || n >= s->text.n || s->text.p[n] != '<')
		return;
	exec_notef(x,
		   "arguments of templates match, too; functions of the class: "
		   "class:%.*s",
		   (int)(n - from), s->text.p + from);
}

/* cost of class:std::vector: most of a class may be inlined code. */
static void note_inlined(struct exec *x, const struct set *s)
{
	if (s->field == MATCH_CLASS && !x->g->inlined.extra && !exec_in_base(x) &&
	    store_info(x->g->st)->has_instr)
		exec_hint(x, STR("inlined functions of a class count in their "
				 "callers: with inlined | ... has them"));
}

void exec_name_set(struct exec *x, const struct set *s, struct fn_set **out)
{
	struct match_atom atom = match_of(x, s);
	struct match_found found;
	uint32_t n;
	bool any;

	if (inlined_set(x, s, out))
		return;
	find_atom(x, &atom, &found, &any);
	exec_set_of_store(x, found.fns, out);
	n = count_functions(*out, &found);
	if (found.contexts && !exec_in_base(x))
		note_context(x, s->form == MATCH_ID ? "#" : "", s->text,
			     store_fn_alone(x->g->st, fnset_next(found.fns, 0)));
	add_renamed(x, &atom, *out, &n);
	if (n) {
		note_arguments(x, s);
		note_inlined(x, s);
	}
	if (!any && n == 0)
		find_parts(x, s, &atom, &found, out, &n);
	if (exec_in_base(x))
		exec_note_found(x, s, n);
	if (n == 0 && (exec_in_base(x) || exec_base_has(x, s) || x->of_part))
		return;
	if (n == 0) {
		x->absent = true;
		if (found.functions)
			none_left(x, s);
		no_such_name(x, s, &atom);
	}
	if (atom.part || exec_in_base(x)) {
		if (!atom.part)
			note_matches(x, s, found.names, n);
		return;
	}
	note_in_class(x, s, atom, found.fns);
	note_matches(x, s, found.names, n);
}
