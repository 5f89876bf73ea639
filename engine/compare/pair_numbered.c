/*
 * pair_numbered.c - pair the closures and lambdas of one file, all at once, in their order.
 *
 * The number of a closure is the line where it begins, its extent the lines that it spans.
 * Lines move when code is inserted above, extents do not:
 *
 *	here	:3-9 (6)   :12-13 (1)		few
 *	base	:5-11 (6)  :13-20 (7)  :22-23 (1)	many: 6, 1 fits in one way
 */
#include <stdlib.h>

#include "engine/compare/pair_in.h"
#include "index/base/err.h"

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
static size_t pair_equal(struct pairer *w, const struct numbered *a, size_t na,
			 const struct numbered *b, size_t nb, bool make)
{
	size_t n = 0;

	for (size_t i = 0, j = 0; i < na && j < nb;) {
		int c = variant_cmp(&a[i].name, &b[j].name);

		if (c == 0 && a[i].name.extent == b[j].name.extent) {
			if (make)
				pair_make(w, a[i].fn, b[j].fn,
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
static void pair_embedded(struct pairer *w, const struct numbered *a, size_t na,
			  const struct numbered *b, size_t nb, const uint32_t *at)
{
	for (size_t i = 0; i < na && i < nb; i++) {
		const size_t ia = na < nb ? i : at[i], ib = na < nb ? at[i] : i;

		pair_make(w, a[ia].fn, b[ib].fn, a[ia].name.changed | b[ib].name.changed);
	}
}

static void doubt_all(struct pairer *w, const struct numbered *all, size_t n)
{
	for (size_t i = 0; i < n; i++)
		w->p->unsure[pair_side(all[i].fn)][pair_fn(all[i].fn)] = 1;
}

/* Pair lambdas with equal numbers, and closures up to the first one whose lines differ. */
static void pair_begun(struct pairer *w, const struct numbered *a, size_t na,
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
static int pair_in_order(struct pairer *w, struct numbered *a, size_t na,
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
		pair_make(w, a->fn, b->fn, a->name.changed | b->name.changed);
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

int pair_numbered(struct pairer *w, const struct pass *pass, const struct sort_pair *run,
		  size_t na, size_t n)
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
		    !pair_objects_fit(w, pass, run[0].value, fn) ||
		    pair_file(w, fn) != pair_file(w, run[0].value))
			return 0; /* only their hashes are equal */
	}
	rc = pair_in_order(w, all, na, all + na, n - na);
	arena_reset(&w->scratch);
	return rc;
}
