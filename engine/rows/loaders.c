/*
 * loaders.c - the functions of PHP that load classes; see loaders.h.
 *
 * PHP calls whatever spl_autoload_register() was given when a class is used first.  The
 * profile has the place of that call, and who requires files:
 *
 *	a closure	that begins or ends at the place, or stands near it in its file; any
 *			closure of a file autoload.php
 *	a method	of the class that registers, which requires files itself or by others
 *			of the class
 *	any other	function that requires files of classes, each of them once: their names
 *			begin with a capital, or all that runs of them are methods
 *
 * And class_exists() and the like call nothing but loaders.
 */
#include "engine/rows/loaders.h"

#include <ctype.h>

#include "engine/graph/graph.h"
#include "engine/names/fnset.h"
#include "engine/names/name.h"
#include "engine/rows/exec.h"
#include "engine/rows/fn_detail.h"
#include "engine/rows/store_set.h"
#include "index/base/arena.h"
#include "index/base/cost.h"
#include "index/base/err_struct.h"
#include "index/base/need.h"

enum { REACH = 8 }; /* lines from the call to a closure that is its argument */

enum fact { REQUIRES = 1, OF_CLASSES = 2, LEADS = 4 };
enum holds { METHODS = 1, OTHERS = 2 };

struct loading {
	struct exec *x;
	struct store *st;
	uint32_t n;	/* functions */
	uint8_t *facts; /* of each */
	uint8_t *holds; /* [files]: functions that run there; enum holds, or-ed */
	struct fn_set *found, *requires;
	uint32_t unknown;
	struct arena *scratch;
};

static bool one_of(struct str s, const char *const *of, size_t n)
{
	for (size_t i = 0; i < n; i++)
		if (str_eq(s, str_c(of[i])))
			return true;
	return false;
}

/* Files of classes begin with a capital letter: Repo.php, Foo_Bar.class.php. */
static bool is_class_file(struct str include)
{
	const struct str base = str_basename(include);

	return base.n && isupper((unsigned char)base.p[0]);
}

static bool is_internal(struct str name)
{
	return str_starts(name, STR("php::"));
}

/* The lines of "{closure:FILE:6-192}"; false: it is none. */
static bool is_closure(struct str name, struct str *file, uint64_t *from, uint64_t *to)
{
	const struct str mark = STR("{closure:");
	const size_t at = str_find_str(name, mark);
	struct str s, lines;

	if (at == name.n || name.p[name.n - 1] != '}')
		return false;
	s = str_from(name, at + mark.n);
	s.n--;
	lines = s;
	for (size_t i = s.n; i > 0 && lines.n == s.n; i--)
		if (s.p[i - 1] == ':')
			lines = str_from(s, i);
	if (lines.n == s.n)
		return false;
	*file = (struct str){s.p, s.n - lines.n - 1};
	return str_u64((struct str){lines.p, str_find(lines, '-')}, from) &&
	       str_u64(str_from(lines, str_find(lines, '-') + 1), to);
}

/* ---- facts ---- */

static void note_files(struct loading *l)
{
	for (fn_id f = 0; f < l->n; f++) {
		const struct str name = store_fn_shown(l->st, f);
		const bool method = str_find_str(name, STR("->")) < name.n ||
				    str_find_str(name, STR("::")) < name.n;

		if (!name_included(name).n)
			l->holds[store_fn_file_id(l->st, f)] |= method ? METHODS : OTHERS;
	}
}

static void note_requires(struct loading *l, fn_id f)
{
	edge_id first;
	uint32_t n;
	bool classes = true;

	store_callees(l->st, f, &first, &n);
	for (uint32_t i = 0; i < n; i++) {
		const fn_id callee = store_edge_callee(l->st, first + i);
		const struct str name = store_fn_shown(l->st, callee);

		if (!name_included(name).n)
			continue;
		l->facts[f] |= REQUIRES | LEADS;
		classes &= (is_class_file(name) ||
			    l->holds[store_fn_file_id(l->st, callee)] == METHODS) &&
			   store_fn_calls(l->st, callee) <= 1;
	}
	if (l->facts[f] & REQUIRES)
		fnset_add(l->requires, f);
	if (classes && l->facts[f] & REQUIRES)
		l->facts[f] |= OF_CLASSES;
}

/* A method that calls one of its class that leads to a file does so, too. */
static bool lead_on(struct loading *l)
{
	bool more = false;

	for (fn_id f = 0; f < l->n; f++) {
		const struct str of = name_class(store_fn_shown(l->st, f));
		edge_id first;
		uint32_t n;

		store_callees(l->st, f, &first, &n);
		for (uint32_t i = 0; of.n && i < n && !(l->facts[f] & LEADS); i++) {
			const fn_id callee = store_edge_callee(l->st, first + i);

			if (l->facts[callee] & LEADS &&
			    str_eq(name_class(store_fn_shown(l->st, callee)), of)) {
				l->facts[f] |= LEADS;
				more = true;
			}
		}
	}
	return more;
}

/* ---- what one call registered ---- */

/* Add the closures of the file that are the argument of the call in this line. */
static bool add_closures(struct loading *l, struct str file, uint64_t line)
{
	fn_id nearest = l->n; /* none */
	uint64_t away = REACH + 1;
	bool any = false;

	for (fn_id f = 0; f < l->n; f++) {
		struct str of;
		uint64_t from, to;

		if (!is_closure(store_fn_shown(l->st, f), &of, &from, &to) ||
		    !str_eq(of, file))
			continue;
		if (from <= line + 1 && line <= to + 1) {
			fnset_add(l->found, f);
			any = true;
		} else if (l->facts[f] & REQUIRES && to < line) {
			fnset_add(l->found, f); /* $f = function... before it */
			any = true;
		} else if (from > line && from - line < away) {
			nearest = f;
			away = from - line;
		}
	}
	if (!any && nearest < l->n) {
		fnset_add(l->found, nearest);
		any = true;
	}
	return any;
}

/* Add methods of the class of a function that lead to files. */
static bool add_methods(struct loading *l, fn_id registers)
{
	const struct str of = name_class(store_fn_shown(l->st, registers));
	bool any = false;

	for (fn_id f = 0; of.n && f < l->n; f++)
		if (f != registers && l->facts[f] & LEADS &&
		    str_eq(name_class(store_fn_shown(l->st, f)), of)) {
			fnset_add(l->found, f);
			any = true;
		}
	return any;
}

/* Add functions that require files of classes, and methods that call them. */
static bool add_others(struct loading *l)
{
	bool any = false;

	for (fn_id f = 0; f < l->n; f++) {
		const struct str name = store_fn_shown(l->st, f);
		bool here = str_eq(name, STR("php::spl_autoload")) || /* PHP's own */
			    (l->facts[f] & OF_CLASSES && !name_included(name).n &&
			     !is_internal(name) && !str_eq(name, STR("{main}")));

		if (here) {
			fnset_add(l->found, f);
			add_methods(l, f);
		}
		any |= here;
	}
	return any;
}

/* The loaders that f registers by calling `callee`. */
static void add_registered(struct loading *l, fn_id f, fn_id callee)
{
	struct store_site *site;
	int64_t *costs;
	size_t n;

	arena_reset(l->scratch);
	fn_sites(l->x, f, l->scratch, &site, &costs, NULL, &n);
	for (size_t i = 0; i < n; i++)
		if (site[i].callee == callee &&
		    !add_closures(l, store_file(l->st, site[i].file), site[i].line) &&
		    !add_methods(l, f) && !add_others(l))
			l->unknown++;
	exec_poll_now(l->x);
}

/* ---- without a call ---- */

static void add_called(struct loading *l, fn_id asks)
{
	edge_id first;
	uint32_t n;

	store_callees(l->st, asks, &first, &n);
	for (uint32_t i = 0; i < n; i++)
		fnset_add(l->found, store_edge_callee(l->st, first + i));
}

static void add_known(struct loading *l, fn_id f)
{
	static const char *const ask[] = {
		"php::class_exists",   "php::interface_exists",	 "php::trait_exists",
		"php::enum_exists",    "php::spl_autoload_call", "php::is_a",
		"php::is_subclass_of", "php::class_implements",	 "php::class_parents"};
	const struct str name = store_fn_shown(l->st, f);
	struct str file;
	uint64_t from, to;

	if (one_of(name, ask, sizeof(ask) / sizeof(ask[0])))
		add_called(l, f);
	if (is_closure(name, &file, &from, &to) &&
	    str_eq(str_basename(file), STR("autoload.php")))
		fnset_add(l->found, f);
	if (!is_internal(name) || !str_ends(name, STR("::spl_autoload_register")))
		return;
	for (uint32_t i = 0; i < store_caller_count(l->st, f); i++)
		add_registered(l, store_edge_caller(l->st, store_caller(l->st, f, i)), f);
}

/* ---- all ---- */

/* What else may have compiled files. */
static void find_more(struct loading *l, const struct fn_set *set)
{
	struct exec *x = l->x;
	struct fn_set *here = NULL;

	if (!x->more)
		return;
	*x->more = (struct loaders_more){.unknown = l->unknown};
	exec_set_of_store(x, l->requires, &here);
	graph_event(x->g, x->event);
	for (uint32_t f = fnset_next(here, 0); f != FNSET_NONE;
	     f = fnset_next(here, f + 1)) {
		if (fnset_has(set, f))
			continue;
		x->more->functions++;
		cost_add(&x->more->cost, graph_self(x->g, f, x->event));
	}
}

static void find_loaders(struct loading *l, struct fn_set *set)
{
	struct fn_set *here = NULL;

	note_files(l);
	for (fn_id f = 0; f < l->n; f++)
		note_requires(l, f);
	while (lead_on(l))
		exec_poll_now(l->x);
	for (fn_id f = 0; f < l->n; f++)
		add_known(l, f);
	exec_set_of_store(l->x, l->found, &here);
	fnset_or(set, here);
	find_more(l, set);
}

/* Has PHP any of the functions?  Names are sorted as they were recorded. */
static bool is_php(struct store *st)
{
	static const struct str starts[] = {STR("php::"), STR("include"), STR("require")};
	const uint32_t names = store_info(st)->names;

	for (size_t i = 0; i < sizeof(starts) / sizeof(starts[0]); i++)
		for (name_id n = store_name_lower(st, starts[i]);
		     n < names && str_starts(store_name(st, n), starts[i]); n++)
			if (is_internal(store_name(st, n)) ||
			    name_included(store_name(st, n)).n)
				return true;
	return false;
}

void exec_add_loaders(struct exec *x, struct fn_set *set)
{
	struct store *st = x->g->st;
	struct loading l = {.x = x, .st = st, .n = store_info(st)->functions};

	if (!is_php(st))
		return;
	l.facts = EXEC_ARRAY(x, uint8_t, l.n + 1);
	l.holds = EXEC_ARRAY(x, uint8_t, (size_t)store_info(st)->files + 1);
	l.found = exec_new_set(x, l.n);
	l.requires = exec_new_set(x, l.n);
	l.scratch = need_scratch(x->a);
	find_loaders(&l, set);
	scratch_free(l.scratch);
}
