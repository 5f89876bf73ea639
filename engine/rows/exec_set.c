/* exec_set.c - find the functions that a set names; see exec_set.h. */
#include "engine/rows/exec_set.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "engine/lang/check_names.h"
#include "engine/lang/common_sets.h"
#include "engine/lang/keywords.h"
#include "engine/graph/graph_stage.h"
#include "engine/names/fnset.h"
#include "engine/rows/exec.h"
#include "engine/rows/fn_detail.h"
#include "engine/graph/graph.h"
#include "engine/lang/token.h"
#include "engine/names/match.h"
#include "engine/names/name.h"
#include "index/base/arena.h"
#include "index/base/cost.h"
#include "index/base/count.h"
#include "index/base/err.h"

static struct fn_set *new_set(struct exec *x, uint32_t functions)
{
	struct fn_set *s = fnset_new(x->a, functions);

	if (!s)
		arena_full(x->a, x->err);
	return s;
}

static struct match_atom match_of(const struct exec *x, const struct set *s)
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
				   .recorded = x->g->recorded,
				   .at = s->text_span.at,
				   .len = (uint32_t)s->text_span.len};
}

/* Add the vertices of functions of the store.  A function has one vertex, or one for each
 * of its contexts. */
static void add_vertices(const struct graph *g, const struct fn_set *of_store,
			 struct fn_set *s)
{
	const uint32_t *fn = g->contexts ? graph_context_functions(g) : NULL;

	for (uint32_t c = 0; c < g->contexts; c++)
		if (g->map[c] != GRAPH_NONE && fnset_has(of_store, fn[c]))
			fnset_add(s, g->map[c]);
	for (uint32_t f = g->contexts ? FNSET_NONE : fnset_next(of_store, 0);
	     f != FNSET_NONE; f = fnset_next(of_store, f + 1))
		if (g->map[f] != GRAPH_NONE)
			fnset_add(s, g->map[f]);
}

/* How many functions of the graph are in a set: contexts count by their function. */
static uint32_t count_functions(const struct fn_set *s, const struct match_found *found)
{
	const uint32_t n = fnset_count(s);

	return n < found->functions ? n : found->functions;
}

int exec_set_to_store(struct exec *x, const struct fn_set *set, struct fn_set **out)
{
	const struct graph *g = x->g;
	const uint32_t *fn = g->contexts ? graph_context_functions(g) : NULL;
	const uint32_t n = store_info(g->st)->functions;

	if (!(*out = new_set(x, n)))
		return x->err->kind;
	for (uint32_t i = 0; i < (fn ? g->contexts : n); i++) {
		const uint32_t here = graph_of_store(g, i);

		if (here != GRAPH_NONE && fnset_has(set, here))
			fnset_add(*out, fn ? fn[i] : i);
	}
	return 0;
}

int exec_set_of_store(struct exec *x, const struct fn_set *of_store, struct fn_set **out)
{
	struct fn_set *s;

	if (x->g->plain) {
		*out = fnset_copy(x->a, of_store);
		return *out ? 0 : arena_full(x->a, x->err);
	}
	if (!(s = new_set(x, x->g->functions)))
		return x->err->kind;
	add_vertices(x->g, of_store, s);
	*out = s;
	return 0;
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
 * functions have files and classes of their own, too. */
static int add_renamed(struct exec *x, const struct match_atom *atom, struct fn_set *s,
		       uint32_t *found)
{
	struct match *m = NULL;
	int rc;

	if (x->g->plain || atom->form == MATCH_ID ||
	    (atom->field != MATCH_FN && !x->g->extra))
		return 0;
	rc = match_new(atom, x->a, &m, x->err);
	for (uint32_t f = 0; f < x->g->functions && !rc; f++) {
		struct str own = graph_own_name(x->g, f);
		int hit = 0;

		if (graph_is(x->g, f, GRAPH_INLINED))
			hit = match_inlined(x, atom, m, f);
		else if (own.p && atom->field == MATCH_FN)
			hit = match_name_as(m, own, reading_of(x->g, f), x->err);
		rc = hit < 0 ? x->err->kind : exec_poll(x);
		if (hit > 0) {
			fnset_add(s, f);
			/* Places of an inlined function are one function. */
			*found += !x->g->extra || x->g->map[graph_id(x->g, f)] == f;
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
	struct graph *g = x->g; /* whose functions are in cycles */
	uint64_t c;

	if (number_of(x, s, &c))
		return err_hint(x->err, "write cycle:1; 'cycles' lists them");
	if (!g->apart && !g->contexts && graph_join(g, &g, x->err))
		return x->err->kind;
	if (c == 0 || c > g->cycles) {
		exec_fail(x, s->span, "no cycle %llu; this graph has %u",
			  (unsigned long long)c, g->cycles);
		return err_hint(x->err, "'cycles' lists them");
	}
	if (!(*out = new_set(x, x->g->functions)))
		return x->err->kind;
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
	return exec_poll_now(x);
}

static int note_matches(struct exec *x, const struct set *s, uint32_t names, uint32_t n)
{
	if (s->form != FORM_BARE || s->field != FIELD_FN || n < 2)
		return 0;
	if (names > 1 && names != n)
		return exec_hint(
			x, arena_printf(x->a, "%.*s matched %s functions (%s names)",
					STR_ARG(s->text), GROUPED(n), GROUPED(names)));
	return exec_hint(x, arena_printf(x->a, "%.*s matched %s functions",
					 STR_ARG(s->text), GROUPED(n)));
}

/* "*Preg*" is compared with the last part of names: say how many have it before that. */
static int note_in_class(struct exec *x, const struct set *s, struct match_atom atom,
			 const struct fn_set *has)
{
	struct match_found found;
	uint32_t n = 0;

	if (x->whole || s->form != FORM_BARE || s->field != FIELD_FN || s->text.n < 2 ||
	    s->text.p[0] != '*')
		return 0;
	atom.field = MATCH_CLASS;
	if (match_find(x->g->st, &atom, x->open->cancel, x->a, &found, x->err))
		return x->err->kind;
	for (uint32_t f = fnset_next(found.fns, 0); f != FNSET_NONE;
	     f = fnset_next(found.fns, f + 1))
		n += !fnset_has(has, f);
	return n ? exec_hint(x, arena_printf(x->a,
					     "%u more ha%s it in the name of the class: "
					     "class:%.*s",
					     n, n == 1 ? "s" : "ve", STR_ARG(s->text)))
		 : 0;
}

/* Report that s matches nothing.  Special hints if another form matches: "mem*" in
 * quotes is a name with a star. */
static int no_such_name(struct exec *x, const struct set *s,
			const struct match_atom *atom)
{
	struct match_atom bare = *atom;
	struct match_found found;

	if (!store_info(x->g->st)->functions)
		return exec_fail(x, s->span, "this profile has no functions");
	if (s->form == FORM_EXACT && memchr(s->text.p, '*', s->text.n)) {
		bare.form = MATCH_BARE;
		if (match_find(x->g->st, &bare, x->open->cancel, x->a, &found, x->err))
			return x->err->kind;
		if (fnset_count(found.fns)) {
			exec_fail(x, s->span, "no function has the name '%.*s'",
				  STR_ARG(s->text));
			return err_hint(
				x->err,
				"in quotes a * is no wildcard; without them it is");
		}
	}
	match_none(x->g->st, atom, x->event, x->open->cancel, x->err);
	return verb_find(s->text) && s->form == FORM_BARE
		       ? err_hint(x->err, "for all of them: %.*s", STR_ARG(s->text))
		       : x->err->kind;
}

/* ---- the two sides of `vs` ---- */

static bool same_text(const struct set *a, const struct set *b)
{
	return a->form == b->form && a->field == b->field && str_eq(a->text, b->text);
}

static bool in_base(const struct exec *x)
{
	return x->other && x->other->is_base;
}

/* Does the base have what matches nothing in the first profile? */
static bool base_has(const struct exec *x, const struct set *s)
{
	const struct exec_found *found = x->other ? x->other->found : NULL;

	for (size_t i = 0; found && i < found->n; i++)
		if (same_text(found->at[i], s))
			return true;
	return false;
}

/* Record that n functions of the base match s. */
static int note_found(struct exec *x, const struct set *s, uint32_t n)
{
	struct exec_found *to = x->other->found;

	if (n == 0)
		return 0;
	if (exec_grow(x, &to->at, &to->cap, to->n, to->n + 1, sizeof(*to->at)))
		return x->err->kind;
	to->at[to->n++] = s;
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
	struct fn_set *set = new_set(x, store_info(x->g->st)->functions);
	struct arena scratch;
	bool hit = false;
	uint32_t n;
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
	if (rc || exec_set_of_store(x, set, out))
		return x->err->kind;
	n = fnset_count(*out);
	if (in_base(x))
		return note_found(x, s, n);
	if (n || base_has(x, s) || x->of_part)
		return 0;
	x->absent = true;
	return no_such_line(x, s, set);
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
static int add_paired(struct exec *x, const struct match_atom *atom, struct fn_set *s,
		      bool *any)
{
	const struct exec_other *other = x->other;
	struct match_found found;

	if (!other || (atom->form == MATCH_ID && !other->is_base))
		return 0;
	if (match_find(other->st, atom, x->open->cancel, x->a, &found, x->err))
		return x->err->kind;
	*any |= found.functions > 0;
	for (uint32_t f = fnset_next(found.fns, 0); f != FNSET_NONE;
	     f = fnset_next(found.fns, f + 1))
		if (other->same[f] != UINT32_MAX)
			add_contexts(x, other->same[f], s);
	return 0;
}

/* One note has all of these names: it goes on with ", strlen __strlen_avx2". */
static int note_also(struct exec *x, struct str typed, struct str name, struct str own)
{
	static const char alone[] = "; alone: ";

	for (size_t i = 0; i < x->notes->n; i++) {
		struct str *note = &x->notes->at[i];
		const size_t n = str_find_str(*note, str_c(alone));

		if (n == note->n)
			continue;
		*note = arena_printf(x->a, "%.*s, %.*s %.*s%.*s", (int)n, note->p,
				     STR_ARG(typed), STR_ARG(name),
				     STR_ARG(str_from(*note, n)));
		return note->p ? 0 : arena_full(x->a, x->err);
	}
	return exec_note(x,
			 arena_printf(x->a, "%.*s is also %.*s%s\"%.*s\"", STR_ARG(typed),
				      STR_ARG(name), alone, STR_ARG(own)));
}

/* memcpy is also __memcpy_avx_unaligned_erms, which the loader chooses for the processor and
 * which does the work. */
static int add_chosen(struct exec *x, const struct match_atom *atom,
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
		return 0;
	start = arena_printf(x->a, "__%.*s_", STR_ARG(atom->text));
	if (!start.p)
		return arena_full(x->a, x->err);
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
		if (!in_base(x) && str_find_str(x->text, name) == x->text.n &&
		    note_also(x, atom->text, name, own))
			return x->err->kind;
	}
	return 0;
}

/* The functions of the store that match; *any: in one of the profiles of `vs` some do. */
static int find_atom(struct exec *x, const struct match_atom *atom,
		     struct match_found *found, bool *any)
{
	*found = (struct match_found){0};
	if (atom->form == MATCH_ID && in_base(x)) {
		found->fns = new_set(x, store_info(x->g->st)->functions);
		if (!found->fns)
			return x->err->kind;
	} else if (match_find(x->g->st, atom, x->open->cancel, x->a, found, x->err) ||
		   add_chosen(x, atom, found)) {
		return x->err->kind;
	}
	*any = found->functions > 0;
	return add_paired(x, atom, found->fns, any);
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

static int note_parts(struct exec *x, const struct set *s, bool nocase,
		      const struct fn_set *found)
{
	const struct str name = {s->text.p, s->text.n < 80 ? s->text.n : 80};
	const uint32_t n = fnset_count(found);
	static const struct {
		const char *what, *where;
	} fields[] = {
		[FIELD_FN] = {"function", "the name"},
		[FIELD_FILE] = {"file", "the path of the file"},
		[FIELD_OBJ] = {"object", "the path of the object"},
		[FIELD_CLASS] = {"class", "the name of the class"},
	};

	if (in_base(x))
		return 0;
	if (n == 1 && s->field == FIELD_FN)
		return exec_note(
			x, arena_printf(x->a, "no function is called %.*s: taken is %.*s",
					STR_ARG(name),
					STR_ARG(graph_short_name(
						x->g, fnset_next(found, 0), x->a))));
	return exec_note(
		x, arena_printf(x->a,
				"no %s is called %.*s: taken %s %u function%s with "
				"it in %s%s%.*s",
				fields[s->field].what, STR_ARG(name),
				n == 1 ? "is" : "are", n, n == 1 ? "" : "s",
				fields[s->field].where, nocase ? ", in another case" : "",
				STR_ARG(names_of(x, found))));
}

/* std::vector: a class's name is no function's, and its methods are meant; the text is in
 * template arguments of others, too. */
static int find_class(struct exec *x, const struct set *s, struct match_atom atom,
		      struct match_found *found, struct fn_set **out, uint32_t *n)
{
	bool any;

	if (s->field != FIELD_FN || !name_class(s->text).n)
		return 0;
	atom.field = MATCH_CLASS;
	if (find_atom(x, &atom, found, &any) || exec_set_of_store(x, found->fns, out))
		return x->err->kind;
	*n = count_functions(*out, found);
	if (add_renamed(x, &atom, *out, n))
		return x->err->kind;
	if (!*n || in_base(x))
		return 0;
	return exec_note(
		x, arena_printf(
			   x->a,
			   "%.*s is a class: taken %s its %s function%s, as class:%.*s%s",
			   STR_ARG(s->text), *n == 1 ? "is" : "are", GROUPED(*n),
			   *n == 1 ? "" : "s", STR_ARG(s->text),
			   !x->g->extra && store_info(x->g->st)->has_instr
				   ? "; with inlined | ... adds inlined ones"
				   : ""));
}

/* No whole name matches: take the n functions that have the text in their names. */
static int find_parts(struct exec *x, const struct set *s, struct match_atom *atom,
		      struct match_found *found, struct fn_set **out, uint32_t *n)
{
	bool any = false;

	if (x->whole || s->form != FORM_BARE || str_starts(s->text, STR("::")))
		return 0;
	if (find_class(x, s, *atom, found, out, n))
		return x->err->kind;
	atom->part = true;
	if (*n)
		return 0;
	for (int i = 0; i < 2 && !any; i++) {
		atom->nocase = i;
		if (find_atom(x, atom, found, &any) ||
		    exec_set_of_store(x, found->fns, out))
			return x->err->kind;
		*n = count_functions(*out, found);
		if (add_renamed(x, atom, *out, n))
			return x->err->kind;
		any |= *n > 0;
	}
	atom->part = any;
	if (any && x->part && s->field == FIELD_FN)
		*x->part = s->text;
	return any ? note_parts(x, s, atom->nocase, *out) : 0;
}

static int none_left(struct exec *x, const struct set *s)
{
	exec_fail(x, s->span, "the graph stages left nothing of %s%.*s",
		  s->form == FORM_NUMBER ? "#" : "", STR_ARG(s->text));
	return err_hint(x->err,
			x->parts ? "it has no cost in these parts, or is hidden, "
				   "cut or part of another function now"
				 : "it is hidden, cut or part of another function now");
}

/* #N of an inlined function: past the numbers of the store. */
static int inlined_set(struct exec *x, const struct set *s, struct fn_set **out)
{
	uint64_t n;

	*out = NULL;
	if (s->form != FORM_NUMBER || !x->g->extra || !str_u64(s->text, &n) ||
	    n < store_info(x->g->st)->functions)
		return 0;
	if (n >= graph_numbers(x->g))
		return exec_fail(x, s->span,
				 "there is no function #%.*s; the last is #%u",
				 STR_ARG(s->text), graph_numbers(x->g) - 1);
	if (!(*out = new_set(x, x->g->functions)))
		return x->err->kind;
	for (uint32_t f = 0; f < x->g->functions; f++)
		if (graph_id(x->g, f) == n)
			fnset_add(*out, f);
	return fnset_count(*out) ? 0 : none_left(x, s);
}

/* The name is that of a context, and a row is a function. */
static int note_context(struct exec *x, const char *number, struct str name,
			struct str function)
{
	return exec_note(x, arena_printf(x->a,
					 "%s%.*s is a context of %.*s and stands for "
					 "it here; 'contexts | ...' has each",
					 number, STR_ARG(name), STR_ARG(function)));
}

int exec_context_name(struct exec *x, const struct graph *g, struct str *name)
{
	const struct match_atom atom = {
		.field = MATCH_FN, .form = MATCH_EXACT, .text = *name};
	struct match_found found;
	struct str function;

	if (g->recorded || !store_any_grouped(g->st) || str_find(*name, '\'') == name->n)
		return 0;
	if (match_find(g->st, &atom, x->open->cancel, x->a, &found, x->err))
		return x->err->kind;
	if (!found.contexts)
		return 0;
	function = store_fn_alone(g->st, fnset_next(found.fns, 0));
	if (note_context(x, "", *name, function))
		return x->err->kind;
	*name = function;
	return 0;
}

/* /std::vector</ has the functions with such an argument, too. */
static int note_arguments(struct exec *x, const struct set *s)
{
	size_t n = str_starts(s->text, STR("^"));
	const size_t from = n;

	if (s->form != FORM_REGEX || s->field != FIELD_FN || in_base(x))
		return 0;
	while (n < s->text.n && (token_is_word_byte(s->text.p[n]) || s->text.p[n] == ':'))
		n++;
	if (n == from || n >= s->text.n || s->text.p[n] != '<')
		return 0;
	return exec_note(x,
			 arena_printf(x->a,
				      "arguments of templates match, too; functions of "
				      "the class: class:%.*s",
				      (int)(n - from), s->text.p + from));
}

/* cost of class:std::vector: most of a class may be inlined code. */
static int note_inlined(struct exec *x, const struct set *s)
{
	return s->field == FIELD_CLASS && !x->g->extra && !in_base(x) &&
			       store_info(x->g->st)->has_instr
		       ? exec_hint(x, STR("inlined functions of a class count in their "
					  "callers: with inlined | ... has them"))
		       : 0;
}

static int name_set(struct exec *x, const struct set *s, struct fn_set **out)
{
	struct match_atom atom = match_of(x, s);
	struct match_found found;
	uint32_t n;
	bool any;

	if (inlined_set(x, s, out) || *out)
		return x->err->kind;
	if (find_atom(x, &atom, &found, &any) || exec_set_of_store(x, found.fns, out))
		return x->err->kind;
	n = count_functions(*out, &found);
	if (found.contexts && !in_base(x) &&
	    note_context(x, s->form == FORM_NUMBER ? "#" : "", s->text,
			 store_fn_alone(x->g->st, fnset_next(found.fns, 0))))
		return x->err->kind;
	if (add_renamed(x, &atom, *out, &n))
		return x->err->kind;
	if (n && (note_arguments(x, s) || note_inlined(x, s)))
		return x->err->kind;
	if (!any && n == 0 && find_parts(x, s, &atom, &found, out, &n))
		return x->err->kind;
	if (in_base(x) && note_found(x, s, n))
		return x->err->kind;
	if (n == 0 && (in_base(x) || base_has(x, s) || x->of_part))
		return 0;
	if (n == 0) {
		x->absent = true;
		return found.functions ? none_left(x, s) : no_such_name(x, s, &atom);
	}
	if (atom.part || in_base(x))
		return atom.part ? 0 : note_matches(x, s, found.names, n);
	return note_in_class(x, s, atom, found.fns) || note_matches(x, s, found.names, n)
		       ? x->err->kind
		       : 0;
}

/* No function is in a set that is always there: tell what it is about. */
static int none_in_common(struct exec *x, const struct set *s)
{
	const struct parse_value *v;
	const char *about = "";

	for (size_t i = 0; (v = common_set_at(i, &about)); i++)
		if (str_eq(v->name, s->text))
			break;
	exec_fail(x, s->span, "this profile has no function of $%.*s (%s)",
		  STR_ARG(s->text), about);
	return err_hint(x->err,
			"`.sets %.*s` shows the names; `let $%.*s = ...` makes your own",
			STR_ARG(s->text), STR_ARG(s->text));
}

/* Add the closures that begin on a line of f that calls `callee`. */
static int add_closures(struct exec *x, fn_id f, fn_id callee, struct arena *scratch,
			struct fn_set *found)
{
	struct store *st = x->g->st;
	struct store_site *site;
	int64_t *costs;
	size_t n;

	arena_reset(scratch);
	if (fn_sites(x, f, scratch, &site, &costs, &n))
		return x->err->kind;
	for (size_t i = 0; i < n; i++) {
		struct str name;

		if (site[i].callee != callee)
			continue;
		name = arena_printf(scratch, "{closure:%.*s:%" PRIu64 "-",
				    STR_ARG(store_file(st, site[i].file)), site[i].line);
		if (!name.p)
			return arena_full(scratch, x->err);
		for (fn_id g = 0; g < store_info(st)->functions; g++) {
			const struct str shown = store_fn_shown(st, g);

			if (str_find_str(shown, name) < shown.n)
				fnset_add(found, g);
			if (g % 65536 == 0 && exec_poll_now(x))
				return x->err->kind;
		}
	}
	return 0;
}

/* Add PHP's class loaders that are closures.  The name of a closure only says where it
 * begins: here that is the line which calls spl_autoload_register(). */
static int add_loaders(struct exec *x, struct fn_set *set)
{
	struct store *st = x->g->st;
	const uint32_t n = store_info(st)->functions;
	struct fn_set *found = new_set(x, n), *here = NULL;
	struct arena scratch;

	if (!found)
		return x->err->kind;
	arena_init(&scratch, x->a->cap);
	for (fn_id f = 0; f < n && !x->err->kind; f++) {
		if (!str_ends(store_fn_shown(st, f), STR("spl_autoload_register")))
			continue;
		for (uint32_t i = 0; i < store_caller_count(st, f) && !x->err->kind; i++)
			add_closures(x, store_edge_caller(st, store_caller(st, f, i)), f,
				     &scratch, found);
	}
	arena_free(&scratch);
	if (x->err->kind || exec_set_of_store(x, found, &here))
		return x->err->kind;
	fnset_or(set, here);
	return 0;
}

static int var_set(struct exec *x, const struct set *s, struct fn_set **out)
{
	enum { DEEPEST = 200 };
	/* Not NULL: check.c found it, and a session drops none. */
	const struct check_let *let = check_let_find(x->env, s->text, true);
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
	in.common = common_set_is(let->text);
	rc = parse_set_text(let->text, &x->env->limits, x->a, &parsed, &inner);
	if (inner.kind == ERR_QUERY) { /* a whole name: operator new(unsigned long) */
		err_clear(&inner);
		rc = (parsed = EXEC_ARRAY(x, struct set, 1)) ? 0 : inner.kind;
		if (parsed)
			*parsed = (struct set){
				.op = SET_ATOM, .form = FORM_EXACT, .text = let->text};
	}
	rc = rc ? rc : exec_set(&in, parsed, out);
	x->absent = in.absent;
	if (!rc)
		return in.common && str_eq(s->text, STR("autoload"))
			       ? add_loaders(x, *out)
			       : 0;
	/* Its position is in the text of the let: point at the variable. */
	if (in.common && x->absent)
		return none_in_common(x, s);
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
	return exec_note(x, arena_printf(x->a, "%s: the others are taken",
					 lacks_a ? no_a.text : no_b.text));
}

static int and_set(struct exec *x, const struct set *s, struct fn_set **out)
{
	struct fn_set *b;
	bool both;

	if (exec_set(x, s->a, out) || exec_set(x, s->b, &b))
		return x->err->kind;
	both = fnset_count(*out) && fnset_count(b);
	fnset_and(*out, b);
	return both && !fnset_count(*out) && !x->other && !x->of_part
		       ? exec_note(x,
				   STR("no function is in both sets of `and`; `or` takes "
				       "those of either"))
		       : 0;
}

int exec_set(struct exec *x, const struct set *s, struct fn_set **out)
{
	/* Variables contain variables: a few lines can mean millions of sets. */
	if (exec_poll_now(x))
		return x->err->kind;
	switch (s->op) {
	case SET_ATOM:
		return s->field == FIELD_CYCLE	? cycle_set(x, s, out)
		       : s->field == FIELD_LINE ? line_set(x, s, out)
						: name_set(x, s, out);
	case SET_VAR: return var_set(x, s, out);
	case SET_NOT:
		if (exec_set(x, s->a, out))
			return x->err->kind;
		fnset_not(*out);
		return 0;
	case SET_OR: return or_set(x, s, out);
	case SET_AND: return and_set(x, s, out);
	}
	return 0;
}
