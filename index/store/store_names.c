/*
 * store_names.c - strings of an index, one, many, or all that contain a text.
 *
 * A value has the strings of STRING_ROWS rows, one after the other, after their offsets.
 * So a text is looked for in a value at once, not in each name.
 */
#include <stdlib.h>
#include <string.h>

#include "index/base/bisect.h"
#include "index/format/column_loops.h"
#include "index/store/demangle.h"
#include "index/store/store_in.h"

/* A value of strings; p NULL: it is damaged. */
struct strings {
	const char *p;
	uint64_t bytes;
	uint32_t rows, block;
};

static struct strings strings_of(struct store *st, enum index_table t, uint32_t block)
{
	struct strings s = {.block = block};

	s.p = store_block(st, t, 0, block, &s.rows, &s.bytes);
	return s;
}

static struct str string_in(struct store *st, enum index_table t, const struct strings *s,
			    uint32_t i)
{
	const volatile uint32_t *offset = (const volatile void *)s->p;
	uint32_t from, to;

	if (!s->p || i >= s->rows)
		return STR("???");
	/* Read once, then check: the file may have been written to since. */
	from = offset[i];
	to = offset[i + 1];
	if (from > to || to > s->bytes) {
		store_damaged(st, t, s->block, "a string is out of range");
		return STR("???");
	}
	return (struct str){s->p + from, (size_t)(to - from)};
}

/* The string in a row of a table of strings. */
static struct str store_string(struct store *st, enum index_table t, uint64_t row)
{
	const struct strings s = strings_of(st, t, (uint32_t)(row / STRING_ROWS));

	return string_in(st, t, &s, (uint32_t)(row % STRING_ROWS));
}

/* Of the rows [lo, hi), which are sorted. */
static uint32_t column_lower(struct store *st, enum index_table t, uint32_t lo,
			     uint32_t hi, struct str s)
{
	struct bisect b = bisect_in(lo, hi);

	while (bisect_next(&b))
		bisect_step(&b, str_cmp(store_string(st, t, b.mid), s) < 0);
	return (uint32_t)b.lo;
}

struct str store_name(struct store *st, name_id n)
{
	return store_string(st, TABLE_NAME, n);
}

struct str store_file(struct store *st, file_id f)
{
	return store_string(st, TABLE_FILE, f);
}

struct str store_obj(struct store *st, obj_id o)
{
	return store_string(st, TABLE_OBJ, o);
}

name_id store_name_lower(struct store *st, struct str s)
{
	return column_lower(st, TABLE_NAME, 0, st->info.names, s);
}

file_id store_file_lower(struct store *st, struct str s)
{
	return column_lower(st, TABLE_FILE, 0, st->info.files, s);
}

file_id store_inlined_lower(struct store *st, struct str s)
{
	return column_lower(st, TABLE_FILE, st->info.files,
			    st->info.files + st->info.inlined, s);
}

/* "\nFILE\nNAME" */
bool store_inlined(struct store *st, file_id file, file_id *of, struct str *name)
{
	struct str s, path;

	*of = file;
	*name = STR("");
	if (file < st->info.files)
		return false;
	s = str_from(store_file(st, file), 1);
	path = (struct str){s.p, str_find(s, '\n')};
	*name = str_from(s, path.n < s.n ? path.n + 1 : s.n);
	*of = store_file_lower(st, path);
	if (*of < st->info.files && str_eq(store_file(st, *of), path))
		return true;
	store_damaged(st, TABLE_FILE, file / STRING_ROWS, "an inlined file is unknown");
	*of = 0;
	return false;
}

obj_id store_obj_lower(struct store *st, struct str s)
{
	return column_lower(st, TABLE_OBJ, 0, st->info.objects, s);
}

/* ---- names as shown ---- */

void store_demangle(struct store *st, bool on)
{
	st->as_recorded = !on;
}

bool store_demangles(const struct store *st)
{
	return !st->as_recorded;
}

static struct str shown(struct store *st, name_id n, struct str name)
{
	if (st->as_recorded || st->mangled < 0 || !demangle_wanted(name) ||
	    n >= st->info.names)
		return name;
	if (!st->shown &&
	    !(st->shown = calloc((size_t)st->info.names, sizeof(*st->shown))))
		return name;
	if (!st->shown[n].p)
		st->shown[n] = demangle(name, &st->demangling, &st->demangled);
	return st->shown[n];
}

struct str store_shown(struct store *st, name_id n)
{
	return shown(st, n, store_name(st, n));
}

void store_shown_names(struct store *st, const name_id *name, size_t n, struct str *out)
{
	struct strings s = {.block = UINT32_MAX};

	for (size_t i = 0; i < n; i++) {
		if (name[i] / STRING_ROWS != s.block)
			s = strings_of(st, TABLE_NAME, name[i] / STRING_ROWS);
		out[i] = string_in(st, TABLE_NAME, &s, name[i] % STRING_ROWS);
		__builtin_prefetch(out[i].p);
	}
	for (size_t i = 0; i < n && !st->as_recorded; i++)
		out[i] = shown(st, name[i], out[i]);
}

/* ---- those of functions ---- */

struct str store_fn_shown(struct store *st, fn_id f)
{
	return store_shown(st, store_fn_name_id(st, f));
}

struct str store_fn_name(struct store *st, fn_id f)
{
	return store_name(st, store_fn_name_id(st, f));
}

struct str store_fn_file(struct store *st, fn_id f)
{
	return store_file(st, store_fn_file_id(st, f));
}

struct str store_fn_obj(struct store *st, fn_id f)
{
	return store_obj(st, store_fn_obj_id(st, f));
}

/* ---- names with a text ---- */

/* The first string from *i on that ends after `at`, and its number.  False: the strings
 * are damaged by now. */
static bool string_after(struct store *st, const struct strings *s, const char *at,
			 uint32_t *i, struct str *name)
{
	for (;; ++*i) {
		*name = string_in(st, TABLE_NAME, s, *i);
		if (st->damage.kind)
			return false;
		if (*i + 1 == s->rows || name->p + name->n > at)
			return true;
	}
}

name_id store_names_with(struct store *st, struct str text, bool nocase, name_id first,
			 uint8_t *has)
{
	const char *(*find)(const char *p, size_t n, const char *text, size_t m) =
		nocase ? column_loops()->find_nocase : column_loops()->find;
	const struct strings s = strings_of(st, TABLE_NAME, first / STRING_ROWS);
	const name_id names = st->info.names, here = s.block * STRING_ROWS;
	const char *p, *end, *hit;
	struct str name;
	uint32_t i = 0;

	if (!s.p)
		return names;
	p = s.p + ((uint64_t)s.rows + 1) * sizeof(uint32_t); /* after the offsets */
	end = s.p + s.bytes;
	while (p < end && (hit = find(p, (size_t)(end - p), text.p, text.n))) {
		if (!string_after(st, &s, hit, &i, &name))
			return names;
		p = hit + 1;
		/* A hit may reach into the next name. */
		if (hit >= name.p && hit + text.n <= name.p + name.n &&
		    here + i < names) {
			has[here + i] = 1;
			p = name.p + name.n;
		}
	}
	return names - here > STRING_ROWS ? here + STRING_ROWS : names;
}

/* ---- is any name mangled? ---- */

/* Names are sorted, so those that begin mangled are found by their prefixes; others
 * ("f'_Z1gv") have it after a quote. */
static bool find_mangled(struct store *st)
{
	static const char *const starts[] = {"_R", "_Z",  "__Z", "caml", "$s",
					     "$S", "_$s", "_$S", "_T"};
	static const char *const after[] = {"'_", "'caml"};
	uint8_t *has = calloc((size_t)st->info.names + 1, 1);
	bool any = !has; /* rather slower than wrong */

	for (size_t i = 0; !any && i < sizeof(starts) / sizeof(starts[0]); i++) {
		name_id n = store_name_lower(st, str_c(starts[i]));

		any = n < st->info.names &&
		      str_starts(store_name(st, n), str_c(starts[i]));
	}
	for (name_id n = 0; !any && n < st->info.names;)
		n = store_names_with(st, STR("'"), false, n, has);
	for (name_id n = 0; !any && n < st->info.names; n++)
		for (size_t i = 0; has[n] && i < sizeof(after) / sizeof(after[0]); i++) {
			const struct str name = store_name(st, n);

			any |= str_find_str(name, str_c(after[i])) < name.n &&
			       demangle_wanted(name);
		}
	free(has);
	return any;
}

bool store_any_mangled(struct store *st)
{
	if (!st->mangled)
		st->mangled = find_mangled(st) ? 1 : -1;
	return st->mangled > 0 && !st->as_recorded;
}
