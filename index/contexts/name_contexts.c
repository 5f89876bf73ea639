/*
 * name_contexts.c - split names where the calls bear it out; see name_contexts.h.
 *
 * Each "'" of a name is a place where it could be split, one bit of a mask.  One pass over
 * all calls keeps the bits that every call into the function allows.
 */
#include "index/contexts/name_contexts.h"

#include <stdlib.h>
#include <string.h>

#include "index/base/bisect.h"
#include "index/base/sort.h"

enum {
	PLACES = 32,  /* "'" of a name that are looked at */
	BEFORE = 128, /* names before f'10 among which f'9 is sought */
};

/* What the calls say of a recorded function whose name has "'". */
struct name_places {
	uint32_t may;	 /* bit i: every call allows a split at the i-th "'" */
	uint32_t caller; /* some call is from the caller named there, or another level */
	bool called;
};

struct splitting {
	const struct named_calls *in;
	struct name_contexts *c;
	struct name_places *at; /* per function */
	uint8_t *recursive;	/* per function: calls itself */
	uint8_t *quoted;	/* per function: its name has "'" */
	struct sort_pair *order;
	struct str *name; /* own names, and */
	uint32_t *fn;	  /* functions, of names that are split */
	size_t nsplit;
};

static struct str name_of(const struct named_calls *in, size_t f)
{
	return in->name[in->fn_name[f]];
}

static struct str up_to(struct str s, size_t n)
{
	return (struct str){s.p, n < s.n ? n : s.n};
}

/* The text up to the first "'". */
static struct str segment(struct str s)
{
	return up_to(s, str_find(s, '\''));
}

uint32_t name_context_level(struct str after, struct str *callers)
{
	uint64_t level;
	struct str first;

	*callers = str_from(after, 1);
	first = segment(*callers);
	if (!first.n || first.p[0] < '1' || first.p[0] > '9' || !str_u64(first, &level) ||
	    level < 2 || level > UINT32_MAX)
		return 1;
	*callers = str_from(*callers, first.n + 1);
	return (uint32_t)level;
}

/* The i-th place of the name from `from` on: the byte of the "'"; name.n: none. */
static size_t next_place(struct str name, size_t from)
{
	return from < name.n ? from + str_find(str_from(name, from), '\'') : name.n;
}

/* ---- what calls say ---- */

/* Whether `from` is the same function with the same callers as `to` is, if that is split at
 * `place`, but of another level. */
static bool other_level(struct str from, struct str to, size_t place, struct str callers)
{
	struct str of_from;

	if (!str_starts(from, up_to(to, place + 1)) || str_eq(from, to))
		return false;
	name_context_level(str_from(from, place), &of_from);
	return str_eq(of_from, callers);
}

/* A call from a function with the name `from` to one with the name `to`. */
static void look_at_call(struct name_places *at, struct str from, struct str to)
{
	size_t place = next_place(to, 1);

	at->called = true;
	for (unsigned i = 0; i < PLACES && place < to.n;
	     i++, place = next_place(to, place + 1)) {
		const uint32_t bit = (uint32_t)1 << i;
		struct str callers;

		name_context_level(str_from(to, place), &callers);
		if (!callers.n)
			continue;
		if (str_eq(segment(callers), segment(from)) ||
		    other_level(from, to, place, callers))
			at->caller |= bit;
		else if (!str_eq(segment(to), segment(from)))
			at->may &= ~bit;
	}
}

static void look_at_calls(struct splitting *s)
{
	const struct named_calls *in = s->in;

	for (size_t f = 0; f < in->nfn; f++) {
		const uint32_t *g = in->callee + in->out_first[f];
		const uint32_t *const end = in->callee + in->out_first[f + 1];

		for (; g < end; g++) {
			if (__builtin_expect(*g == f, 0))
				s->recursive[f] = 1;
			if (__builtin_expect(s->quoted[*g], 0))
				look_at_call(&s->at[*g], name_of(in, f), name_of(in, *g));
		}
	}
}

/* ---- where a name is split ---- */

/* The number of a name; nname: there is none. */
static size_t find_name(const struct named_calls *in, struct str name)
{
	struct bisect b = bisect_in(0, in->nname);

	while (bisect_next(&b))
		bisect_step(&b, str_cmp(in->name[b.mid], name) < 0);
	return b.lo < in->nname && str_eq(in->name[b.lo], name) ? b.lo : in->nname;
}

/* The function of that name in the file and object of f; nfn: there is none. */
static size_t find_function(const struct named_calls *in, size_t name, size_t f)
{
	const uint32_t want[] = {(uint32_t)name, in->fn_file[f], in->fn_obj[f]};
	struct bisect b = bisect_in(0, name < in->nname ? in->nfn : 0);

	while (bisect_next(&b)) {
		const uint32_t got[] = {in->fn_name[b.mid], in->fn_file[b.mid],
					in->fn_obj[b.mid]};
		const int i = got[0] != want[0] ? 0 : got[1] != want[1] ? 1 : 2;

		bisect_step(&b, got[i] < want[i]);
	}
	return b.lo < in->nfn && name < in->nname && in->fn_name[b.lo] == name &&
			       in->fn_file[b.lo] == want[1] && in->fn_obj[b.lo] == want[2]
		       ? b.lo
		       : in->nfn;
}

/* Whether a level below this one is there, and level 1, if it is, does not call
 * itself.  place: of the "'". */
static bool has_levels(const struct splitting *s, size_t f, size_t place, uint32_t level)
{
	const struct named_calls *in = s->in;
	const struct str name = name_of(in, f);
	const size_t first = find_function(in, find_name(in, up_to(name, place)), f);

	if (first < in->nfn)
		return !s->recursive[first];
	/* f'9 is there, f'10 is looked at: the name before it in the table. */
	for (size_t g = f; level > 2 && g-- > 0 && f - g <= BEFORE;) {
		struct str callers;
		const struct str other = name_of(in, g);

		if (!str_starts(other, up_to(name, place + 1)))
			break;
		if (name_context_level(str_from(other, place), &callers) == level - 1 &&
		    !callers.n)
			return true;
	}
	return false;
}

/* How long the own name of f is. */
static size_t own_name(const struct splitting *s, size_t f)
{
	const struct str name = name_of(s->in, f);
	const struct name_places *at = &s->at[f];
	size_t place = next_place(name, 1);

	for (unsigned i = 0; i < PLACES && place < name.n;
	     i++, place = next_place(name, place + 1)) {
		struct str callers;
		const uint32_t level =
			name_context_level(str_from(name, place), &callers);

		if (callers.n ? at->may & at->caller & (uint32_t)1 << i
			      : level > 1 && at->called && has_levels(s, f, place, level))
			return place;
	}
	return name.n;
}

/* ---- functions with their contexts ---- */

static struct str base_of(const struct splitting *s, size_t f)
{
	return up_to(name_of(s->in, f), s->c->base[f]);
}

/* order[0..n): contexts of functions with one name.  Those of one file and object are of
 * one function: that without a context, else the first of them. */
static int join_named(struct splitting *s, const uint32_t *fn, struct sort_pair *order,
		      size_t n)
{
	const struct named_calls *in = s->in;
	struct name_contexts *c = s->c;
	const struct str base = base_of(s, fn[order->value]);
	const size_t name = find_name(in, base);

	for (size_t i = 0; i < n; i++) {
		const uint32_t f = fn[order[i].value];

		order[i] = (struct sort_pair){
			(uint64_t)in->fn_file[f] << 32 | in->fn_obj[f], f};
	}
	if (sort_pairs(order, n))
		return -1;
	for (size_t i = 0; i < n; i++) {
		const uint32_t f = order[i].value;
		const size_t plain = find_function(in, name, f);

		if (plain < in->nfn && c->base[plain] == base.n)
			c->of[f] = (uint32_t)plain;
		else if (i && order[i].key == order[i - 1].key)
			c->of[f] = c->of[order[i - 1].value];
	}
	return 0;
}

/* order[0..n): contexts of one name, of which none is of level 1: M.loop'2'g is no level of
 * M.loop.  Then the number is part of the name. */
static bool lengthen(struct splitting *s, const uint32_t *fn,
		     const struct sort_pair *order, size_t n)
{
	const struct str base = base_of(s, fn[order->value]);

	for (size_t i = 0; i < n; i++) {
		struct str callers;

		if (name_context_level(
			    str_from(name_of(s->in, fn[order[i].value]), base.n),
			    &callers) == 1 ||
		    !callers.n)
			return false;
	}
	if (find_name(s->in, base) < s->in->nname)
		return false;
	for (size_t i = 0; i < n; i++) {
		const uint32_t f = fn[order[i].value];

		s->c->base[f] = (uint32_t)next_place(name_of(s->in, f), base.n + 1);
		s->name[order[i].value] = base_of(s, f);
	}
	return true;
}

/* The contexts from `from` on that have the same name; where they end. */
static size_t same_name(const struct splitting *s, size_t from)
{
	size_t to = from + 1;

	while (to < s->nsplit &&
	       str_eq(s->name[s->order[to].value], s->name[s->order[from].value]))
		to++;
	return to;
}

static int sort_names(struct splitting *s)
{
	bool changed = false;

	do {
		if (sort_strings(s->name, s->nsplit, s->order))
			return -1;
		changed = false;
		for (size_t from = 0, to; from < s->nsplit; from = to) {
			to = same_name(s, from);
			changed |= lengthen(s, s->fn, s->order + from, to - from);
		}
	} while (changed);
	return 0;
}

/* Let all contexts of a function have the least of them as c->of[]. */
static int join_contexts(struct splitting *s)
{
	const struct named_calls *in = s->in;
	struct str *const name = s->name = malloc((s->nsplit + 1) * sizeof(*name));
	uint32_t *const fn = s->fn = malloc((s->nsplit + 1) * sizeof(*fn));
	size_t n = 0;
	int rc = name && fn ? 0 : -1;

	for (size_t f = 0; !rc && f < in->nfn; f++)
		if (s->c->base[f] < name_of(in, f).n) {
			name[n] = base_of(s, f);
			fn[n++] = (uint32_t)f;
		}
	rc = rc || sort_names(s) ? -1 : 0;
	for (size_t from = 0, to; !rc && from < n; from = to) {
		to = same_name(s, from);
		rc = join_named(s, fn, s->order + from, to - from);
	}
	return rc;
}

/* From the least of each function's contexts to dense numbers, and their lists. */
static int number_functions(struct splitting *s)
{
	struct name_contexts *c = s->c;
	const size_t nfn = s->in->nfn;

	for (size_t f = 0; f < nfn; f++)
		c->n += c->of[f] == f;
	c->first = calloc(c->n + 2, sizeof(*c->first));
	c->fn = malloc((nfn + 1) * sizeof(*c->fn));
	if (!c->first || !c->fn)
		return -1;
	for (size_t f = 0, n = 0; f < nfn; f++)
		s->at[f].may = c->of[f] == f ? (uint32_t)n++ : 0;
	for (size_t f = 0; f < nfn; f++)
		c->of[f] = s->at[c->of[f]].may;
	for (size_t f = 0; f < nfn; f++)
		c->first[c->of[f] + 1]++;
	for (size_t i = 1; i <= c->n; i++)
		c->first[i] += c->first[i - 1];
	for (size_t f = 0; f < nfn; f++)
		c->fn[c->first[c->of[f]]++] = (uint32_t)f;
	memmove(c->first + 1, c->first, c->n * sizeof(*c->first));
	c->first[0] = 0;
	return 0;
}

static uint32_t level_of(const struct splitting *s, uint32_t f)
{
	const struct str after = str_from(name_of(s->in, f), s->c->base[f]);
	struct str callers;

	return after.n ? name_context_level(after, &callers) : 1;
}

/* Mark the levels that are not the least of their function's. */
static int mark_again(struct splitting *s)
{
	struct name_contexts *c = s->c;

	if (!(c->again = calloc(s->in->nfn + 1, 1)))
		return -1;
	for (size_t k = 0; k < c->n; k++) {
		uint32_t least = UINT32_MAX;

		for (uint32_t i = c->first[k]; i < c->first[k + 1]; i++) {
			const uint32_t level = level_of(s, c->fn[i]);

			least = level < least ? level : least;
		}
		for (uint32_t i = c->first[k];
		     c->first[k + 1] - c->first[k] > 1 && i < c->first[k + 1]; i++)
			c->again[c->fn[i]] = level_of(s, c->fn[i]) > least;
	}
	return 0;
}

static int find_all(struct splitting *s)
{
	const struct named_calls *in = s->in;
	struct name_contexts *c = s->c;
	size_t quoted = 0;

	s->quoted = malloc(in->nfn + 1);
	if (!s->quoted)
		return -1;
	for (size_t f = 0; f < in->nfn; f++) {
		const struct str name = name_of(in, f);

		s->quoted[f] = memchr(name.p, '\'', name.n) != NULL;
		quoted += s->quoted[f];
	}
	if (!quoted)
		return 0;
	s->at = malloc((in->nfn + 1) * sizeof(*s->at));
	s->recursive = calloc(in->nfn + 1, 1);
	s->order = malloc((quoted + 1) * sizeof(*s->order));
	c->of = malloc((in->nfn + 1) * sizeof(*c->of));
	c->base = malloc((in->nfn + 1) * sizeof(*c->base));
	if (!s->at || !s->recursive || !s->order || !c->of || !c->base)
		return -1;
	for (size_t f = 0; f < in->nfn; f++)
		s->at[f] = (struct name_places){.may = UINT32_MAX};
	look_at_calls(s);
	for (size_t f = 0; f < in->nfn; f++) {
		const size_t all = name_of(in, f).n;
		const size_t n = s->at[f].called ? own_name(s, f) : all;

		c->of[f] = (uint32_t)f;
		c->base[f] = (uint32_t)n;
		s->nsplit += n < all;
	}
	return s->nsplit ? join_contexts(s) || number_functions(s) || mark_again(s) : 0;
}

/* Free what only the search needs. */
static void name_contexts_settle(struct name_contexts *c)
{
	struct splitting *s = c->splitting;

	if (!s)
		return;
	free(s->at);
	free(s->recursive);
	free(s->quoted);
	free(s->order);
	free(s->name);
	free(s->fn);
	free(s);
	c->splitting = NULL;
}

int name_contexts_find(struct name_contexts *c, const struct named_calls *calls)
{
	struct splitting *s = c->splitting = calloc(1, sizeof(*s));

	if (!s)
		return -1;
	s->in = calls;
	s->c = c;
	if (find_all(s))
		return -1;
	if (!c->n)
		name_contexts_free(c);
	name_contexts_settle(c);
	return 0;
}

void name_contexts_free(struct name_contexts *c)
{
	name_contexts_settle(c);
	free(c->of);
	free(c->base);
	free(c->first);
	free(c->fn);
	free(c->again);
	*c = (struct name_contexts){0};
}
