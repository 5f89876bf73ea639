/* fnset.c - sets of functions as bits; see fnset.h. */
#include "engine/names/fnset.h"

#include <string.h>

#include "index/base/need.h"

static size_t words(uint32_t functions)
{
	return ((size_t)functions + 63) / 64;
}

/* The bits of the last word that belong to functions. */
static uint64_t last_mask(uint32_t functions)
{
	return functions % 64 ? (1ull << functions % 64) - 1 : UINT64_MAX;
}

struct fn_set *fnset_new(struct arena *a, uint32_t functions)
{
	struct fn_set *s = NEED_NEW(a, struct fn_set);

	s->bits = NEED_ARRAY(a, uint64_t, words(functions) + 1);
	s->functions = functions;
	return s;
}

struct fn_set *fnset_copy(struct arena *a, const struct fn_set *s)
{
	struct fn_set *t = fnset_new(a, s->functions);

	fnset_become(t, s);
	return t;
}

void fnset_become(struct fn_set *s, const struct fn_set *t)
{
	memcpy(s->bits, t->bits, words(s->functions) * sizeof(*s->bits));
}

void fnset_add(struct fn_set *s, uint32_t fn)
{
	if (fn < s->functions)
		s->bits[fn / 64] |= 1ull << fn % 64;
}

void fnset_remove(struct fn_set *s, uint32_t fn)
{
	if (fn < s->functions)
		s->bits[fn / 64] &= ~(1ull << fn % 64);
}

void fnset_add_run(struct fn_set *s, uint32_t first, uint32_t n)
{
	for (uint32_t i = 0; i < n; i++)
		fnset_add(s, first + i);
}

bool fnset_has(const struct fn_set *s, uint32_t fn)
{
	return fn < s->functions && s->bits[fn / 64] >> fn % 64 & 1;
}

uint32_t fnset_count(const struct fn_set *s)
{
	uint32_t n = 0;

	for (size_t i = 0; i < words(s->functions); i++)
		n += (uint32_t)__builtin_popcountll(s->bits[i]);
	return n;
}

uint32_t fnset_next(const struct fn_set *s, uint32_t fn)
{
	size_t i = fn / 64;
	uint64_t w;

	if (fn >= s->functions)
		return FNSET_NONE;
	w = s->bits[i] & UINT64_MAX << fn % 64;
	while (!w) {
		if (++i >= words(s->functions))
			return FNSET_NONE;
		w = s->bits[i];
	}
	return (uint32_t)(i * 64) + (uint32_t)__builtin_ctzll(w);
}

bool fnset_same(const struct fn_set *s, const struct fn_set *t)
{
	return s && t ? s->functions == t->functions &&
				!memcmp(s->bits, t->bits,
					words(s->functions) * sizeof(*s->bits))
		      : s == t;
}

void fnset_and(struct fn_set *s, const struct fn_set *t)
{
	for (size_t i = 0; i < words(s->functions); i++)
		s->bits[i] &= t->bits[i];
}

void fnset_or(struct fn_set *s, const struct fn_set *t)
{
	for (size_t i = 0; i < words(s->functions); i++)
		s->bits[i] |= t->bits[i];
}

void fnset_not(struct fn_set *s)
{
	size_t n = words(s->functions);

	for (size_t i = 0; i < n; i++)
		s->bits[i] = ~s->bits[i];
	if (n)
		s->bits[n - 1] &= last_mask(s->functions);
}
