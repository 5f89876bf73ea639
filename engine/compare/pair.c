/*
 * pair.c - pair the functions of two profiles; see pair.h.
 *
 *	places	objects and files that are the same		(pair_place.c)
 *	numbered	closures and lambdas of one file: all at once, in their order
 *	equal	object, file and name are the same
 *	rules	one rule for names after the other, then several together
 *	no file	the same without the file, for names that need none
 *	calls	of several that only a hash tells apart, such as instances of a Rust
 *		generic: those with the same callers and callees
 *	address	functions without names of one object, if those of one side are all among
 *		those of the other, moved by one distance
 *
 * Each pass sorts the functions that are left by a hash of what must be equal.  A run of
 * equal hashes with one function of each side is a pair if the texts are equal, too.
 */
#include "engine/compare/pair.h"

#include <stdlib.h>
#include <string.h>

#include "engine/compare/pair_in.h"
#include "index/base/err.h"
#include "index/base/err_kind.h"
#include "index/base/order.h"
#include "index/base/vec.h"
#include "index/store/store.h"

/* CHANGED_ADDRESS: beside the rules of variant.h. */
enum { NUMBERED = VARIANT_LINE | VARIANT_LAMBDA, CHANGED_ADDRESS = 32 };

struct pass {
	unsigned rules; /* enum variant_rule */
	bool numbered;	/* only names with numbers, all of a file at once */
	bool no_file;	/* files may differ, if the name needs none */
	bool calls;	/* what is paired of their callers and callees must be equal */
	bool in_turn;	/* of several that are equal, the first with the first */
};

/* ---- a pair ---- */

static uint32_t obj_of(const struct pairs *w, uint32_t v)
{
	return w->p->obj[pair_side(v)][w->obj[pair_side(v)][pair_fn(v)]];
}

static uint32_t file_of(const struct pairs *w, uint32_t v)
{
	return w->p->file[pair_side(v)][w->file[pair_side(v)][pair_fn(v)]];
}

static struct str shown_name(const struct pairs *w, unsigned s, uint32_t f)
{
	return (w->first[s] ? store_fn_alone : store_fn_shown)(w->st[s], f);
}

/* The rules that made two functions the same, beside those that changed their names. */
static unsigned other_rules(const struct pairs *w, uint32_t a, uint32_t b)
{
	const uint32_t oa = w->obj[0][pair_fn(a)], ob = w->obj[1][pair_fn(b)];
	const uint32_t fa = w->file[0][pair_fn(a)], fb = w->file[1][pair_fn(b)];
	unsigned rules = 0;

	if ((w->rules->objects.n || w->objects.of[0][oa] != w->objects.of[1][ob]) &&
	    !str_eq(str_basename(store_obj(w->st[0], oa)),
		    str_basename(store_obj(w->st[1], ob))))
		rules |= PAIR_OBJECT;
	if (w->files.of[0][fa] != w->files.of[1][fb])
		rules |= PAIR_FILE;
	if ((w->rules->names.n || w->included.n) &&
	    str_eq(pair_text(w, a), pair_text(w, b)) &&
	    !str_eq(shown_name(w, 0, pair_fn(a)), shown_name(w, 1, pair_fn(b))))
		rules |= pair_included(pair_text(w, a)).n ? PAIR_FILE : PAIR_RENAME;
	return rules;
}

static unsigned name_rules(unsigned changed)
{
	return (changed & (VARIANT_CLONE | VARIANT_CLONE_NUMBER) ? PAIR_CLONE : 0u) |
	       (changed & VARIANT_HASH ? PAIR_HASH : 0u) |
	       (changed & VARIANT_LINE ? PAIR_LINE : 0u) |
	       (changed & VARIANT_LAMBDA ? PAIR_LAMBDA : 0u) |
	       (changed & CHANGED_ADDRESS ? PAIR_ADDRESS : 0u);
}

/* changed: the rules that changed one of the names. */
static void make_pair(struct pairs *w, uint32_t a, uint32_t b, unsigned changed)
{
	struct pairing *p = w->p;
	unsigned rules = other_rules(w, a, b);

	if (!str_eq(pair_text(w, a), pair_text(w, b)))
		rules |= name_rules(changed);
	p->of[0][pair_fn(a)] = pair_fn(b);
	p->of[1][pair_fn(b)] = pair_fn(a);
	p->rules[pair_fn(a)] = (uint8_t)rules;
	w->made++;
}

/* ---- single functions ---- */

static bool is_letter(struct str s, size_t i)
{
	return i < s.n && ((s.p[i] >= 'a' && s.p[i] <= 'z') ||
			   (s.p[i] >= 'A' && s.p[i] <= 'Z') || s.p[i] == '_');
}

/* Is the word at byte i, and nothing more? */
static bool is_word_at(struct str name, size_t i, struct str word)
{
	return str_starts(str_from(name, i), word) && !is_letter(name, i + word.n) &&
	       (i == 0 || !is_letter(name, i - 1));
}

/*
 * Can only one function of an object have this name?  A::f, of a class or namespace, but
 * not a static f(std::string) nor its lambda f(int)::{lambda()#1}: what counts is before
 * the parameters and after the return type.
 */
static bool is_qualified(struct str name)
{
	size_t i = str_starts(name, STR("{closure:")) ? STR("{closure:").n : 0;
	unsigned depth = 0;
	bool qualified = false;

	if (str_find_str(name, STR("(anonymous")) < name.n ||
	    str_find_str(name, STR("@anonymous")) < name.n)
		return false;
	for (; i < name.n; i++) {
		const char c = name.p[i], next = i + 1 < name.n ? name.p[i + 1] : '\0';

		if (c == '-' && next == '>') {
			qualified |= depth == 0;
			i++;
		} else if (c == '<' || c == '{' || c == '[' || (c == '(' && depth)) {
			depth++;
		} else if (depth && (c == '>' || c == '}' || c == ']' || c == ')')) {
			depth--;
		} else if (depth) {
			continue;
		} else if (c == '(' ||
			   (c == 'o' && is_word_at(name, i, STR("operator")))) {
			break;
		} else if (c == ' ') {
			qualified &= next == '[' || next == '(';
		} else if (c == 'd' && is_word_at(name, i, STR("decltype"))) {
			while (i + 1 < name.n && name.p[i + 1] != '(')
				i++;
			depth += i + 1 < name.n;
			i++;
		} else {
			qualified |= c == ':' && next == ':';
		}
	}
	return qualified;
}

static bool has_no_file(const struct pairs *w, uint32_t v)
{
	return str_eq(store_fn_file(w->st[pair_side(v)], pair_fn(v)), STR("???"));
}

/* The file of a function is that of its first instruction, which may be inlined code. */
static bool begins_in_header(const struct pairs *w, uint32_t v)
{
	const struct str file = store_fn_file(w->st[pair_side(v)], pair_fn(v));

	return str_starts(file, STR("/usr/include/")) ||
	       str_starts(file, STR("/usr/local/include/"));
}

static bool fits_without_file(const struct pairs *w, uint32_t a, uint32_t b)
{
	return is_qualified(pair_text(w, a)) || str_eq(pair_text(w, a), STR("main")) ||
	       has_no_file(w, a) || has_no_file(w, b) || begins_in_header(w, a) ||
	       begins_in_header(w, b);
}

/* Different parts of a function are not the same: f.part.0 and f.cold. */
static bool parts_differ(const struct variant *a, const struct variant *b)
{
	return (a->part || a->cold) && (b->part || b->cold) &&
	       (a->part != b->part || a->cold != b->cold);
}

static int pair_two(struct pairs *w, const struct pass *pass, uint32_t a, uint32_t b)
{
	struct variant va, vb;

	if (pair_variant(w, a, pass->rules, 0, &va) ||
	    pair_variant(w, b, pass->rules, 1, &vb))
		return w->err->kind;
	if (!str_eq(va.text, vb.text) || obj_of(w, a) != obj_of(w, b) ||
	    (!pass->no_file && file_of(w, a) != file_of(w, b)) ||
	    (pass->no_file && !fits_without_file(w, a, b)) || parts_differ(&va, &vb) ||
	    (pair_is_address(va.text) && other_rules(w, a, b) & PAIR_OBJECT))
		return 0;
	make_pair(w, a, b, va.changed | vb.changed);
	return 0;
}

/* ---- numbered functions: closures and lambdas of one file ---- */

struct numbered {
	uint32_t fn;
	struct variant name; /* without text */
};

static int cmp_numbered(const void *a, const void *b)
{
	return variant_cmp(&((const struct numbered *)a)->name,
			   &((const struct numbered *)b)->name);
}

/* Pair functions with equal numbers and extents.  Returns how many were paired. */
static size_t pair_equal(struct pairs *w, const struct numbered *a, size_t na,
			 const struct numbered *b, size_t nb, bool make)
{
	size_t n = 0;

	for (size_t i = 0, j = 0; i < na && j < nb;) {
		int c = variant_cmp(&a[i].name, &b[j].name);

		if (c == 0 && a[i].name.extent == b[j].name.extent) {
			if (make)
				make_pair(w, a[i].fn, b[j].fn,
					  a[i].name.changed | b[j].name.changed);
			n++;
		}
		i += c <= 0;
		j += c >= 0;
	}
	return n;
}

/* Where each of the few is among the many, by its extent; *unique: nowhere else. */
static bool embed(const struct numbered *few, size_t n, const struct numbered *many,
		  size_t m, uint32_t *at)
{
	size_t j = 0;

	for (size_t i = 0; i < n; i++, j++) {
		while (j < m && many[j].name.extent != few[i].name.extent)
			j++;
		if (j == m)
			return false;
		at[i] = (uint32_t)j;
	}
	/* From the end; if that is the same, there is no other way. */
	j = m;
	for (size_t i = n; i > 0; i--) {
		do
			j--;
		while (many[j].name.extent != few[i - 1].name.extent);
		if (at[i - 1] != j)
			return false;
	}
	return true;
}

/* In their order: the few are where `at` says among the many. */
static void pair_embedded(struct pairs *w, const struct numbered *a, size_t na,
			  const struct numbered *b, size_t nb, const uint32_t *at)
{
	for (size_t i = 0; i < na && i < nb; i++) {
		const size_t ia = na < nb ? i : at[i], ib = na < nb ? at[i] : i;

		make_pair(w, a[ia].fn, b[ib].fn, a[ia].name.changed | b[ib].name.changed);
	}
}

static void doubt_all(struct pairs *w, const struct numbered *all, size_t n)
{
	for (size_t i = 0; i < n; i++)
		w->p->unsure[pair_side(all[i].fn)][pair_fn(all[i].fn)] = 1;
}

/* Pair lambdas with equal numbers, and closures up to the first one whose lines differ. */
static void pair_begun(struct pairs *w, const struct numbered *a, size_t na,
		       const struct numbered *b, size_t nb, bool lines)
{
	size_t n = 0;

	while (n < na && n < nb && variant_cmp(&a[n].name, &b[n].name) == 0 &&
	       a[n].name.extent == b[n].name.extent)
		n++;
	pair_equal(w, a, lines ? n : na, b, lines ? n : nb, true);
}

/*
 * Pair functions of one file and name: a of side 0, b of side 1.  If both sides have the same
 * numbers and extents, equal ones are the same function.  If not, code may have been inserted
 * above, so lines mean nothing, but extents do: if the fewer ones fit among the others in only
 * one way that keeps their order, this is it.  If not, no pair is certain: equally many are
 * paired in their order, and lambdas by their numbers.
 */
static int pair_in_order(struct pairs *w, struct numbered *a, size_t na,
			 struct numbered *b, size_t nb)
{
	const size_t least = na < nb ? na : nb;
	const bool lines = a[0].name.changed & VARIANT_LINE && !a[0].name.more;
	uint32_t *at = ARENA_ARRAY(&w->scratch, uint32_t, least + 1);

	if (!at)
		return pair_no_memory(w);
	qsort(a, na, sizeof(*a), cmp_numbered);
	qsort(b, nb, sizeof(*b), cmp_numbered);
	if (na == nb && pair_equal(w, a, na, b, nb, false) == na) {
		pair_equal(w, a, na, b, nb, true);
	} else if (na == 1 && nb == 1) {
		make_pair(w, a->fn, b->fn, a->name.changed | b->name.changed);
	} else if (lines && embed(na < nb ? a : b, least, na < nb ? b : a,
				  na < nb ? nb : na, at)) {
		pair_embedded(w, a, na, b, nb, at);
	} else {
		doubt_all(w, a, na);
		doubt_all(w, b, nb);
		for (size_t i = 0; i < least; i++)
			at[i] = (uint32_t)i;
		if (lines && na == nb)
			pair_embedded(w, a, na, b, nb, at);
		else
			pair_begun(w, a, na, b, nb, lines);
	}
	return 0;
}

static int pair_numbered(struct pairs *w, const struct pass *pass,
			 const struct sort_pair *run, size_t na, size_t n)
{
	struct numbered *all = ARENA_ARRAY(&w->scratch, struct numbered, n);
	const struct bytes *first = &w->buffer[0];
	int rc;

	if (!all)
		return pair_no_memory(w);
	for (size_t i = 0; i < n; i++) {
		const uint32_t fn = run[i].value;
		struct str text;

		all[i].fn = fn;
		if (pair_variant(w, fn, pass->rules, i ? 1 : 0, &all[i].name))
			return w->err->kind;
		text = (struct str){(const char *)first->p, first->n};
		if (!str_eq(all[i].name.text, text) ||
		    obj_of(w, fn) != obj_of(w, run[0].value) ||
		    file_of(w, fn) != file_of(w, run[0].value))
			return 0; /* only their hashes are equal */
	}
	rc = pair_in_order(w, all, na, all + na, n - na);
	arena_reset(&w->scratch);
	return rc;
}

/* ---- passes ---- */

/* The first context of its function stands for all. */
static bool is_first(const struct pairs *w, unsigned s, uint32_t f)
{
	return !w->first[s] || w->first[s][f] == f;
}

static bool is_left(const struct pairs *w, const struct pass *pass, unsigned s,
		    uint32_t f)
{
	const bool numbered = w->changes[s][w->name[s][f]] & PAIR_NUMBERED;

	return w->p->of[s][f] == PAIR_NONE && is_first(w, s, f) &&
	       (pass->numbered ? numbered
			       : !numbered || (pass->rules & NUMBERED) == NUMBERED);
}

static int read_calls(struct pairs *w, unsigned s)
{
	struct store *st = w->st[s];
	struct pair_calls *c = &w->calls[s];

	if (c->caller)
		return 0;
	*c = (struct pair_calls){
		store_u32(st, STORE_OUT_FIRST),	  store_u32(st, STORE_EDGE_CALLEE),
		store_u32(st, STORE_IN_FIRST),	  store_u32(st, STORE_IN_EDGE),
		store_u32(st, STORE_EDGE_CALLER),
	};
	if (c->out_first && c->callee && c->in_first && c->in_edge && c->caller)
		return 0;
	return store_check(st, w->err) ? w->err->kind : pair_no_memory(w);
}

/* A function for the other side to know it by: paired, of side 0; PAIR_NONE: it is not. */
static uint32_t known_as(const struct pairs *w, unsigned s, uint32_t g)
{
	const uint32_t first = w->first[s] ? w->first[s][g] : g;

	return w->p->of[s][first] == PAIR_NONE ? PAIR_NONE
	       : s			       ? w->p->of[s][first]
					       : first;
}

/* A hash of the callers and callees that are paired, in any order; 0: there are none. */
static uint64_t hash_calls(const struct pairs *w, unsigned s, uint32_t f)
{
	const struct pair_calls *c = &w->calls[s];
	uint64_t h = 0;
	uint32_t g;

	for (uint32_t e = c->out_first[f]; e < c->out_first[f + 1]; e++)
		if ((g = known_as(w, s, c->callee[e])) != PAIR_NONE)
			h += hash_mix(2 * (uint64_t)g + 1);
	for (uint32_t k = c->in_first[f]; k < c->in_first[f + 1]; k++)
		if ((g = known_as(w, s, c->caller[c->in_edge[k]])) != PAIR_NONE)
			h += hash_mix(2 * (uint64_t)g + 2);
	return h;
}

static int hash_left(struct pairs *w, const struct pass *pass, struct sort_pair *left,
		     size_t *n)
{
	*n = 0;
	if (pass->calls && (read_calls(w, 0) || read_calls(w, 1)))
		return w->err->kind;
	for (unsigned s = 0; s < 2; s++)
		for (uint32_t f = 0; f < w->p->functions[s]; f++) {
			const uint32_t v = f | (s ? PAIR_SIDE_1 : 0);
			struct variant name;
			uint64_t h, calls = 0;

			if (!is_left(w, pass, s, f) ||
			    (pass->calls && !(calls = hash_calls(w, s, f))))
				continue;
			if (pair_look(w, 0))
				return w->err->kind;
			h = w->hash[s][w->name[s][f]];
			if (pass->rules & w->changes[s][w->name[s][f]]) {
				if (pair_variant(w, v, pass->rules, 0, &name))
					return w->err->kind;
				h = str_hash(name.text);
			}
			h ^= hash_mix((uint64_t)obj_of(w, v) << 32 |
				      (pass->no_file ? 0 : file_of(w, v)));
			h = hash_mix(h + calls);
			left[(*n)++] = (struct sort_pair){h, v};
		}
	return sort_pairs(left, *n) ? pair_no_memory(w) : 0;
}

static size_t left_count(const struct pairs *w, const struct pass *pass)
{
	size_t n[2] = {0, 0};

	if (w->made >= w->p->functions[0] || w->made >= w->p->functions[1])
		return 0;
	for (unsigned s = 0; s < 2; s++)
		for (uint32_t f = 0; f < w->p->functions[s]; f++)
			n[s] += is_left(w, pass, s, f);
	return n[0] && n[1] ? n[0] + n[1] : 0;
}

static int pair_in_turn(struct pairs *w, const struct pass *pass,
			const struct sort_pair *run, size_t na, size_t n)
{
	for (size_t i = 0; i < na && na + i < n; i++)
		if (pair_two(w, pass, run[i].value, run[na + i].value))
			return w->err->kind;
	return 0;
}

/* Of one function of each side, in the order of side 0: equal profiles are alike in their
 * order, so their texts are read in a row. */
static int pair_singles(struct pairs *w, const struct pass *pass, struct sort_pair *two,
			size_t n)
{
	if (sort_pairs(two, n))
		return pair_no_memory(w);
	for (size_t i = 0; i < n; i++)
		if (pair_two(w, pass, (uint32_t)two[i].key, two[i].value))
			return w->err->kind;
	return 0;
}

static int run_pass(struct pairs *w, const struct pass *pass)
{
	size_t n = left_count(w, pass), na, j, singles = 0;
	struct sort_pair *left;
	int rc = 0;

	if (n == 0)
		return 0;
	left = malloc(n * sizeof(*left));
	if (!left || hash_left(w, pass, left, &n)) {
		free(left);
		return left ? w->err->kind : pair_no_memory(w);
	}
	for (size_t i = 0; i < n && !rc; i = j) {
		/* The sort is stable, so side 0 comes first. */
		for (j = i, na = 0; j < n && left[j].key == left[i].key; j++)
			na += pair_side(left[j].value) == 0;
		if (na == 0 || na == j - i)
			continue;
		if (pass->numbered)
			rc = pair_numbered(w, pass, &left[i], na, j - i);
		else if (pass->in_turn)
			rc = pair_in_turn(w, pass, &left[i], na, j - i);
		else if (na == 1 && j == i + 2)
			left[singles++] =
				(struct sort_pair){left[i].value, left[i + 1].value};
	}
	if (!rc)
		rc = pair_singles(w, pass, left, singles);
	free(left);
	return rc;
}

/* ---- what is not certain ---- */

/* Equal names were paired before, also if they have numbers.  If the clones of one
 * function do not have the same numbers on both sides, it is not certain which clone is
 * which. */
static bool are_clones_sure(const struct pairs *w, const struct sort_pair *run, size_t n)
{
	bool same = true;

	for (size_t i = 0; i < n && same; i++) {
		const unsigned s = pair_side(run[i].value);
		const uint32_t f = pair_fn(run[i].value), other = w->p->of[s][f];

		same = other != PAIR_NONE &&
		       str_eq(w->text[s][w->name[s][f]], w->text[!s][w->name[!s][other]]);
	}
	return same || n <= 2;
}

/* Functions of both sides that differ in a hash alone, and nothing says which is which. */
static void doubt_left(struct pairs *w, const struct sort_pair *run, size_t n)
{
	size_t left[2] = {0, 0};

	for (int mark = 0; mark < 2 && (!mark || (left[0] && left[1])); mark++)
		for (size_t i = 0; i < n; i++) {
			const unsigned s = pair_side(run[i].value);
			const uint32_t f = pair_fn(run[i].value);

			if (w->p->of[s][f] != PAIR_NONE)
				continue;
			left[s]++;
			w->p->unsure[s][f] |= (uint8_t)mark;
		}
}

/* The functions that are one without what `rules` take away, clones or hashes. */
static int doubt_alike(struct pairs *w, unsigned rules)
{
	size_t n = 0, cap = 0;
	struct sort_pair *all = NULL;
	int rc = 0;

	for (unsigned s = 0; s < 2 && !rc; s++)
		for (uint32_t f = 0; f < w->p->functions[s] && !rc; f++) {
			const uint32_t v = f | (s ? PAIR_SIDE_1 : 0);
			struct variant name;

			if (!is_first(w, s, f) || !(w->changes[s][w->name[s][f]] & rules))
				continue;
			if (pair_variant(w, v, rules, 0, &name))
				rc = w->err->kind;
			else if (!(name.changed & rules))
				continue;
			else if (vec_reserve(&all, &cap, n + 1, sizeof(*all)))
				rc = pair_no_memory(w);
			else
				all[n++] = (struct sort_pair){
					str_hash(name.text) ^
						hash_mix((uint64_t)obj_of(w, v) << 32 |
							 file_of(w, v)),
					v};
		}
	if (!rc && sort_pairs(all, n))
		rc = pair_no_memory(w);
	for (size_t i = 0, j; i < n && !rc; i = j) {
		for (j = i + 1; j < n && all[j].key == all[i].key; j++)
			;
		if (rules & VARIANT_HASH)
			doubt_left(w, &all[i], j - i);
		else if (!are_clones_sure(w, &all[i], j - i))
			for (size_t k = i; k < j; k++)
				w->p->unsure[pair_side(all[k].value)]
					    [pair_fn(all[k].value)] = 1;
	}
	free(all);
	return rc;
}

/* ---- functions without names ---- */

struct address {
	uint64_t place; /* object << 1 | side */
	uint64_t at;
	uint32_t v;
};

static int by_place(const void *pa, const void *pb)
{
	const struct address *a = pa, *b = pb;
	const int c = order_u64(a->place, b->place);

	return c ? c : order_u64(a->at, b->at);
}

static bool is_address(const struct pairs *w, unsigned s, uint32_t f)
{
	return w->p->of[s][f] == PAIR_NONE && is_first(w, s, f) &&
	       pair_is_address(w->text[s][w->name[s][f]]) &&
	       !str_eq(store_obj(w->st[s], w->obj[s][f]), STR("???"));
}

static int list_addresses(struct pairs *w, struct address **all, size_t *n)
{
	for (int fill = 0; fill < 2; fill++) {
		*all = fill ? ARENA_ARRAY(&w->scratch, struct address, *n + 1) : NULL;
		if (fill && !*all)
			return pair_no_memory(w);
		*n = 0;
		for (unsigned s = 0; s < 2; s++)
			for (uint32_t f = 0; f < w->p->functions[s]; f++) {
				const uint32_t v = f | (s ? PAIR_SIDE_1 : 0);
				struct address *to = fill ? &(*all)[*n] : NULL;

				if (!is_address(w, s, f))
					continue;
				++*n;
				if (!to)
					continue;
				to->place = (uint64_t)obj_of(w, v) << 1 | s;
				to->v = v;
				str_u64(pair_text(w, v), &to->at);
			}
	}
	if (*n)
		qsort(*all, *n, sizeof(**all), by_place);
	return 0;
}

/* Are all of the few, moved by one distance, among the many?  With `make`: pair them. */
static bool fits_moved(struct pairs *w, const struct address *few, size_t n,
		       const struct address *many, size_t m, size_t first, bool make)
{
	const uint64_t by = many[first].at - few->at;

	for (size_t i = 0, j = first; i < n; i++) {
		while (j < m && many[j].at < few[i].at + by)
			j++;
		if (j == m || many[j].at != few[i].at + by)
			return false;
		if (make)
			make_pair(w, pair_side(few[i].v) ? many[j].v : few[i].v,
				  pair_side(few[i].v) ? few[i].v : many[j].v,
				  CHANGED_ADDRESS);
	}
	return true;
}

/* Of one object.  Two are enough if the other side has no more. */
static void pair_moved(struct pairs *w, const struct address *few, size_t n,
		       const struct address *many, size_t m)
{
	enum { MOST = 10000, LEAST = 4 };
	size_t fit = 0, fits = 0;

	if (n < (n == m ? 2 : LEAST) || n > MOST || m > MOST)
		return;
	for (size_t i = 0; i + n <= m && fits < 2; i++)
		if (fits_moved(w, few, n, many, m, i, false)) {
			fit = i;
			fits++;
		}
	if (fits == 1)
		fits_moved(w, few, n, many, m, fit, true);
}

static int pair_addresses(struct pairs *w)
{
	struct address *all = NULL;
	size_t n = 0;
	const int rc = list_addresses(w, &all, &n);

	for (size_t i = 0, j, k; !rc && i < n; i = k) {
		for (j = i; j < n && all[j].place == (all[i].place & ~UINT64_C(1)); j++)
			;
		for (k = j; k < n && all[k].place == (all[i].place | 1); k++)
			;
		if (j - i <= k - j)
			pair_moved(w, &all[i], j - i, &all[j], k - j);
		else
			pair_moved(w, &all[j], k - j, &all[i], j - i);
	}
	arena_reset(&w->scratch);
	return rc;
}

static int run_passes(struct pairs *w)
{
	enum { ROUNDS = 8 };
	static const struct pass equal = {.rules = 0, .in_turn = true};
	static const struct pass calls = {.rules = VARIANT_ALL & ~VARIANT_CLONE,
					  .calls = true};
	static const struct pass passes[] = {
		{.rules = NUMBERED, .numbered = true},
		{.rules = 0},
		{.rules = 0, .calls = true},
		{.rules = 0, .in_turn = true},
		{.rules = VARIANT_CLONE_NUMBER},
		{.rules = VARIANT_HASH},
		{.rules = VARIANT_CLONE},
		{.rules = VARIANT_CLONE_NUMBER | VARIANT_HASH},
		{.rules = VARIANT_ALL & ~VARIANT_CLONE, .numbered = true},
		{.rules = VARIANT_ALL & ~VARIANT_CLONE},
		{.rules = VARIANT_ALL},
		{.rules = 0, .no_file = true},
		{.rules = VARIANT_CLONE_NUMBER, .no_file = true},
		{.rules = VARIANT_HASH, .no_file = true},
		{.rules = VARIANT_ALL & ~VARIANT_CLONE, .no_file = true},
		{.rules = VARIANT_ALL, .no_file = true},
	};
	size_t before;

	if (w->rules->exact)
		return run_pass(w, &equal);
	for (size_t i = 0; i < sizeof(passes) / sizeof(passes[0]); i++)
		if (run_pass(w, &passes[i]))
			return w->err->kind;
	for (int round = 0; round < ROUNDS; round++) {
		before = w->made;
		if (run_pass(w, &calls))
			return w->err->kind;
		if (w->made == before)
			break;
	}
	return pair_addresses(w) || doubt_alike(w, VARIANT_CLONE_NUMBER) ||
			       doubt_alike(w, VARIANT_HASH)
		       ? w->err->kind
		       : 0;
}

/* ---- names ---- */

/* Contexts of one function are one: the first of them stands for all. */
static int read_groups(struct pairs *w, unsigned s)
{
	struct store *st = w->st[s];
	const uint32_t n = store_info(st)->functions;
	uint32_t *first = ARENA_ARRAY(&w->names, uint32_t, (size_t)n + 1);

	if (!first)
		return pair_no_memory(w);
	if (!(w->name[s] = store_u32(st, STORE_GROUP_OF)))
		return store_check(st, w->err) ? w->err->kind : pair_no_memory(w);
	for (uint32_t f = 0; f < n; f++)
		first[f] = store_group_fn(st, w->name[s][f], 0);
	w->first[s] = first;
	return store_check(st, w->err);
}

static struct str name_to_pair(const struct pairs *w, unsigned s, uint32_t i)
{
	return w->first[s] ? store_fn_alone(w->st[s], store_group_fn(w->st[s], i, 0))
			   : store_shown(w->st[s], i);
}

static int read_name(struct pairs *w, unsigned s, uint32_t i)
{
	const struct pair_rules *rules = w->rules;
	const struct str shown = name_to_pair(w, s, i);
	struct variant name;

	/* A regular expression may take long, however short the name is. */
	if (pair_look(w, rules->names.n ? SIZE_MAX / 2 : shown.n))
		return w->err->kind;
	if (rename_apply(&rules->names, shown, &w->p->a, &w->text[s][i], w->err))
		return w->p->a.refused ? pair_no_memory(w) : w->err->kind;
	if (pair_add_included(w, s, i))
		return w->err->kind;
	if (rules->exact)
		return 0;
	if (variant_of(w->text[s][i], VARIANT_ALL, &w->buffer[0], &name))
		return pair_no_memory(w);
	w->changes[s][i] =
		(uint8_t)(name.changed |
			  (name.changed & VARIANT_CLONE ? VARIANT_CLONE_NUMBER : 0) |
			  (name.numbers ? PAIR_NUMBERED : 0));
	return 0;
}

static int read_names(struct pairs *w, unsigned s)
{
	struct store *st = w->st[s];
	const bool groups = !w->recorded && store_any_grouped(st);
	const uint32_t n = groups ? store_info(st)->groups : store_info(st)->names;

	w->name[s] = store_u32(st, STORE_FN_NAME);
	w->file[s] = store_u32(st, STORE_FN_FILE);
	w->obj[s] = store_u32(st, STORE_FN_OBJ);
	w->names_n[s] = n;
	w->text[s] = ARENA_ARRAY(&w->names, struct str, (size_t)n + 1);
	w->hash[s] = ARENA_ARRAY(&w->names, uint64_t, (size_t)n + 1);
	w->changes[s] = ARENA_ARRAY(&w->names, uint8_t, (size_t)n + 1);
	if (!w->name[s] || !w->file[s] || !w->obj[s])
		return store_check(st, w->err) ? w->err->kind : pair_no_memory(w);
	if (!w->text[s] || !w->hash[s] || !w->changes[s])
		return pair_no_memory(w);
	if (groups && read_groups(w, s))
		return w->err->kind;
	for (uint32_t i = 0; i < n; i++)
		if (read_name(w, s, i))
			return w->err->kind;
	return 0;
}

static int hash_names(struct pairs *w)
{
	for (unsigned s = 0; s < 2; s++)
		for (uint32_t i = 0; i < w->names_n[s]; i++)
			w->hash[s][i] = str_hash(w->text[s][i]);
	return 0;
}

/* All contexts are paired as the first is. */
static void pair_contexts(const struct pairs *w)
{
	const struct pairing *p = w->p;

	for (unsigned s = 0; s < 2; s++)
		for (uint32_t f = 0; w->first[s] && f < p->functions[s]; f++) {
			p->of[s][f] = p->of[s][w->first[s][f]];
			p->unsure[s][f] = p->unsure[s][w->first[s][f]];
			if (s == 0)
				p->rules[f] = p->rules[w->first[s][f]];
		}
}

static int pair_stores(struct pairs *w)
{
	struct pairing *p = w->p;

	p->recorded = w->recorded;
	for (unsigned s = 0; s < 2; s++) {
		p->st[s] = w->st[s];
		p->functions[s] = store_info(w->st[s])->functions;
		p->of[s] = ARENA_ARRAY(&p->a, uint32_t, (size_t)p->functions[s] + 1);
		if (!p->of[s])
			return pair_no_memory(w);
		memset(p->of[s], 0xff, p->functions[s] * sizeof(*p->of[s]));
		p->unsure[s] = ARENA_ARRAY(&p->a, uint8_t, (size_t)p->functions[s] + 1);
		if (!p->unsure[s])
			return pair_no_memory(w);
	}
	p->rules = ARENA_ARRAY(&p->a, uint8_t, (size_t)p->functions[0] + 1);
	if (!p->rules)
		return pair_no_memory(w);
	if (read_names(w, 0) || read_names(w, 1) || pair_same_included(w) ||
	    hash_names(w) || pair_places(w) || run_passes(w))
		return w->err->kind;
	pair_contexts(w);
	return 0;
}

/* Divide the bytes that a comparison may take: what is kept, the names, and the arrays that
 * are sorted are known; of what is left, places get half, texts and groups a quarter each. */
static int share_memory(struct pairs *w)
{
	enum { PLACE = 128 }; /* struct places, and the arrays of a vote */
	size_t kept = 4096, names = 4096, sorted = 0, left;

	for (unsigned s = 0; s < 2; s++) {
		const struct store_info *info = store_info(w->st[s]);
		const size_t n = info->functions, places = info->objects + info->files;
		const size_t texts =
			info->names > info->groups ? info->names : info->groups;

		kept += n * (sizeof(*w->p->of[s]) + sizeof(*w->p->unsure[s]) +
			     sizeof(*w->p->rules)) +
			2 * places * sizeof(*w->p->obj[s]);
		names += n * sizeof(*w->first[s]) +
			 texts * (sizeof(*w->text[s]) + sizeof(*w->hash[s]) +
				  sizeof(*w->changes[s]));
		sorted += n * 2 * sizeof(struct sort_pair);
	}
	left = w->bytes > kept + names + sorted ? w->bytes - kept - names - sorted : 0;
	if (w->bytes && !left) {
		err_set(w->err, ERR_LIMIT, 0,
			"out of memory: comparing so many functions takes %zu MiB (the "
			"limit is %zu MiB)",
			(kept + names + sorted + ((1 << 20) - 1)) >> 20, w->bytes >> 20);
		return err_hint(w->err, "raise the limit with --mem");
	}
	arena_init(&w->p->a, w->bytes ? kept + left / 4 : 0);
	arena_init(&w->names, w->bytes ? names : 0);
	arena_init(&w->scratch, w->bytes ? left / 4 + 1 : 0);
	w->places_left = w->bytes ? left / 2 / PLACE : SIZE_MAX;
	return 0;
}

static void pair_free(struct pairing *p)
{
	arena_free(&p->a);
	free(p);
}

static int pair_new(struct store *const st[2], const struct pair_rules *rules,
		    bool recorded, size_t bytes, const struct cancel *cancel,
		    struct pairing **out, struct err *err)
{
	struct pairs w = {.st = {st[0], st[1]},
			  .rules = rules,
			  .recorded = recorded,
			  .bytes = bytes,
			  .cancel = cancel,
			  .err = err};
	int rc;

	w.p = calloc(1, sizeof(*w.p));
	if (!w.p)
		return err_no_memory(err, "while comparing");
	rc = share_memory(&w) || pair_stores(&w) ? err->kind : 0;
	for (unsigned s = 0; s < 2; s++)
		free(w.buffer[s].p);
	pair_places_free(&w);
	arena_free(&w.names);
	arena_free(&w.scratch);
	if (rc)
		pair_free(w.p);
	else
		*out = w.p;
	return rc;
}

struct str pair_rule_names(unsigned rules, struct arena *a)
{
	static const char *const names[PAIR_RULES] = {
		"object", "file", "clone", "hash", "line", "lambda", "rename", "address"};
	struct str text = {"", 0};

	for (unsigned i = 0; i < PAIR_RULES && text.p; i++)
		if (rules & 1u << i)
			text = arena_printf(a, "%.*s%s%s", STR_ARG(text),
					    text.n ? ", " : "", names[i]);
	return text;
}

/* ---- kept ---- */

int pair_cached(struct pair_cache *c, struct store *const st[2], bool recorded, bool more,
		size_t bytes, const struct cancel *cancel, const struct pairing **out,
		struct err *err)
{
	struct pairing **at = &c->pairing, *p = *at;

	while (p && (p->st[0] != st[0] || p->st[1] != st[1] || p->recorded != recorded))
		p = more ? *(at = &p->next) : NULL;
	if (!p) {
		if (!more)
			pair_forget(c);
		if (pair_new(st, &c->rules, recorded, bytes, cancel, &p, err))
			return err->kind;
		*at = p;
	}
	*out = p;
	return 0;
}

void pair_forget(struct pair_cache *c)
{
	for (struct pairing *p = c->pairing, *next; p; p = next) {
		next = p->next;
		pair_free(p);
	}
	c->pairing = NULL;
}

void pair_cache_free(struct pair_cache *c)
{
	pair_forget(c);
	moved_clear(&c->rules.files);
	moved_clear(&c->rules.objects);
	rename_clear(&c->rules.names);
}
