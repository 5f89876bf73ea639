/*
 * apart.c - cut names where they differ; see apart.h.
 *
 * Names that fit_put() cuts to the same text form a group.  The group is sorted, so the
 * byte at which a name differs from all others is where it differs from one of its two
 * neighbours.  Of the name of a function the brackets that the byte is not in are emptied.
 * If that is too wide, its last component stays whole: the cut is made in the classes before
 * it, or in the parameters after it.  Else a few columns around the byte stay.
 *
 *	…::vector<int…>::_M_realloc_insert<…>(…)
 *	void std::vector<int, s…_M_realloc_insert
 *	sort<__gnu_…r<int*, std::vector<int,…
 *
 * If names are still the same text, their last components are given up; after that they are
 * counted: "(2)".
 */
#include "repl/formats/apart.h"

#include <stdio.h>
#include <stdlib.h>

#include "engine/names/name.h"
#include "index/base/arena.h"
#include "index/base/order.h"
#include "index/base/out.h"

enum { LEAST = 16 }; /* columns for what differs, beside a last component */
enum { SHORT = 8 };  /* bytes after it that stay, too */
enum { AROUND = 6 }; /* columns kept from the byte on, and a third of them before it */

struct twin {
	uint64_t hash; /* of the text as cut */
	struct apart *name;
};

static uint64_t hash_cut(struct out *scrap, const struct apart *x, enum emit_form form,
			 enum fit_kind kind)
{
	scrap->n = 0;
	if (x->cut.p)
		return str_hash(x->cut);
	fit_put(scrap, form, kind, x->whole, x->width);
	return str_hash(out_text(scrap));
}

static int by_twin(const void *a, const void *b)
{
	const struct twin *x = a, *y = b;
	const int c = order_u64(x->hash, y->hash);

	return c ? c : str_cmp(x->name->whole, y->name->whole);
}

/* The end of the group of one cut text that starts at twin[i]. */
static size_t group_end(const struct twin *twin, size_t n, size_t i)
{
	size_t end = i + 1;

	while (end < n && twin[end].hash == twin[i].hash)
		end++;
	return end;
}

static bool same_name(const struct twin *a, const struct twin *b)
{
	return str_eq(a->name->whole, b->name->whole);
}

/* Where the name differs from those next to it in the group [from, end). */
static size_t place_of_difference(const struct twin *twin, size_t from, size_t end,
				  size_t i)
{
	size_t before = i, after = i + 1, at = 0, other;

	while (before > from && same_name(&twin[before - 1], &twin[i]))
		before--;
	while (after < end && same_name(&twin[after], &twin[i]))
		after++;
	if (before > from)
		at = str_common(twin[i].name->whole, twin[before - 1].name->whole);
	if (after < end) {
		other = str_common(twin[i].name->whole, twin[after].name->whole);
		at = other > at ? other : at;
	}
	return at;
}

static int keep_text(struct apart *x, const struct out *text, struct arena *a)
{
	x->cut = arena_str(a, out_text(text));
	return x->cut.p && !text->failed ? 0 : -1;
}

/* Cut the name x so that the byte `at` and its last component stay.  False: there is no
 * room for both. */
static bool cut_beside_last(struct out *text, enum emit_form form, const struct apart *x,
			    size_t at)
{
	struct str last = name_last(x->whole);
	const size_t from = (size_t)(last.p - x->whole.p);
	size_t end = from + last.n, width;

	if (at < from && x->whole.n - end <= SHORT)
		end = x->whole.n;
	last.n = end - from;
	width = emit_width(form, last);
	if (!last.n || width + LEAST > x->width)
		return false;
	if (at >= from && at < end)
		return false;
	if (at >= end) {
		fit_put(text, form, FIT_TEXT, last, width);
		fit_around(text, form, str_from(x->whole, end), at - end, AROUND,
			   x->width - width);
		return true;
	}
	fit_around(text, form, (struct str){x->whole.p, from}, at, AROUND,
		   x->width - width);
	fit_put(text, form, FIT_TEXT, last, width);
	return true;
}

/* Cut the groups; *more: how many names were. */
static int cut_groups(struct twin *twin, size_t n, enum emit_form form,
		      enum fit_kind kind, struct arena *a, size_t *more)
{
	struct out text;
	int failed = 0;

	*more = 0;
	out_mem(&text);
	for (size_t i = 0, end; i < n && !failed; i = end) {
		end = group_end(twin, n, i);
		if (same_name(&twin[i], &twin[end - 1]))
			continue;
		for (size_t k = i; k < end && !failed; k++) {
			struct apart *x = twin[k].name;

			const size_t at = place_of_difference(twin, i, end, k);

			text.n = 0;
			if (kind != FIT_NAME ||
			    (!fit_place(&text, form, x->whole, at, x->width) &&
			     !cut_beside_last(&text, form, x, at)))
				fit_around(&text, form, x->whole, at, AROUND, x->width);
			failed = keep_text(x, &text, a);
			++*more;
		}
	}
	out_close(&text);
	return failed;
}

/* Count the names that are still the same text. */
static int count_groups(struct twin *twin, size_t n, enum emit_form form, struct arena *a)
{
	struct out text;
	char number[32];
	int failed = 0;

	out_mem(&text);
	for (size_t i = 0, end; i < n && !failed; i = end) {
		size_t count = 1;

		end = group_end(twin, n, i);
		for (size_t k = i + 1; k < end && !failed; k++) {
			struct apart *x = twin[k].name;
			size_t taken;

			count += !same_name(&twin[k], &twin[k - 1]);
			if (count == 1)
				continue;
			taken = (size_t)snprintf(number, sizeof(number), "(%zu)", count);
			text.n = 0;
			if (x->width > taken)
				fit_put(&text, form, FIT_TEXT, x->whole,
					x->width - taken);
			out_c(&text, number);
			failed = keep_text(x, &text, a);
		}
	}
	out_close(&text);
	return failed;
}

/* The names that are cut, sorted by the text that they are cut to. */
static size_t find_twins(struct twin *twin, struct apart *names, size_t n,
			 enum emit_form form, enum fit_kind kind)
{
	struct out scrap;
	size_t found = 0;

	out_mem(&scrap);
	for (size_t i = 0; i < n; i++) {
		struct apart *x = &names[i];

		if (!x->whole.p || emit_width(form, x->whole) <= x->width)
			continue;
		twin[found++] = (struct twin){hash_cut(&scrap, x, form, kind), x};
	}
	out_close(&scrap);
	if (found)
		qsort(twin, found, sizeof(*twin), by_twin);
	return found;
}

int apart_cut(struct apart *names, size_t n, enum emit_form form, enum fit_kind kind,
	      struct arena *a)
{
	struct twin *twin = calloc(n + 1, sizeof(*twin));
	size_t found, more = 0;
	int failed;

	if (!twin)
		return -1;
	found = find_twins(twin, names, n, form, kind);
	failed = cut_groups(twin, found, form, kind, a, &more);
	if (!failed && more && kind == FIT_NAME) {
		found = find_twins(twin, names, n, form, kind);
		failed = cut_groups(twin, found, form, FIT_TEXT, a, &more);
	}
	if (!failed && more) {
		found = find_twins(twin, names, n, form, kind);
		failed = count_groups(twin, found, form, a);
	}
	free(twin);
	return failed;
}
