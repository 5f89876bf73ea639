/* facts.c - see facts.h. */
#include "tests/support/facts.h"

#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "index/base/arena.h"
#include "index/base/vec.h"

void *facts_sure(void *p)
{
	if (!p)
		abort();
	return p;
}

void facts_grow(void *pp, size_t *cap, size_t need, size_t size)
{
	if (vec_reserve(pp, cap, need, size))
		abort();
}

/* ---- keys ----
 *
 * Every cost line makes half a dozen, so a key is put together without a copy on the way.
 */

enum { PIECES = 32, DIGITS = 20 };

struct pieces {
	struct str at[PIECES];
	char digits[PIECES][DIGITS];
	size_t n, bytes;
};

static void add_piece(struct pieces *p, struct str s)
{
	if (p->n == PIECES)
		abort();
	p->at[p->n++] = s;
	p->bytes += s.n + 1;
}

static void add_number(struct pieces *p, uint64_t v)
{
	char *end = p->digits[p->n % PIECES] + DIGITS, *c = end;

	do
		*--c = (char)('0' + v % 10);
	while (v /= 10);
	add_piece(p, (struct str){c, (size_t)(end - c)});
}

struct str facts_key(struct arena *a, const char *shape, ...)
{
	struct pieces p;
	char *key, *to;
	va_list ap;

	p.n = p.bytes = 0;
	va_start(ap, shape);
	for (const char *c = shape; *c; c++) {
		if (*c == 's') {
			add_piece(&p, va_arg(ap, struct str));
		} else if (*c == 'f') {
			struct fn f = va_arg(ap, struct fn);

			add_piece(&p, f.obj);
			add_piece(&p, f.file);
			add_piece(&p, f.name);
		} else if (*c == 'u') {
			add_number(&p, va_arg(ap, uint64_t));
		} else {
			add_piece(&p, (struct str){c, 1});
		}
	}
	va_end(ap);
	key = to = facts_sure(arena_alloc(a, p.bytes));
	for (size_t i = 0; i < p.n; i++) {
		if (p.at[i].n)
			memcpy(to, p.at[i].p, p.at[i].n);
		to += p.at[i].n;
		*to++ = '\n'; /* in no name */
	}
	return (struct str){key, p.bytes};
}

struct str facts_in_part(struct arena *a, uint64_t part, struct str k)
{
	struct str p = facts_key(a, "Pu", part);
	char *buf = facts_sure(arena_alloc(a, p.n + k.n));

	memcpy(buf, p.p, p.n);
	memcpy(buf + p.n, k.p, k.n);
	return (struct str){buf, p.n + k.n};
}

static struct fact *find(const struct facts *t, struct str k, uint32_t h)
{
	uint32_t probe = hash_start(&t->by, h), i;

	while ((i = hash_next(&t->by, h, &probe)) != HASH_NONE)
		if (str_eq(t->at[i].key, k))
			return &t->at[i];
	return NULL;
}

struct fact *facts_find(const struct facts *t, struct str k)
{
	return find(t, k, (uint32_t)str_hash(k));
}

struct fact *facts_at(struct facts *t, struct str k)
{
	uint32_t h = (uint32_t)str_hash(k);
	struct fact *f = find(t, k, h);

	if (f)
		return f;
	facts_grow(&t->at, &t->cap, t->n + 1, sizeof(*t->at));
	k = arena_str(t->arena, k);
	facts_sure((void *)(uintptr_t)k.p);
	t->at[t->n] =
		(struct fact){k, facts_sure(ARENA_ARRAY(t->arena, uint64_t, t->width))};
	if (hash_add(&t->by, h, (uint32_t)t->n))
		abort();
	return &t->at[t->n++];
}

uint64_t facts_sum(uint64_t a, uint64_t b, bool *over)
{
	*over |= a > UINT64_MAX - b;
	return a > UINT64_MAX - b ? UINT64_MAX : a + b;
}

uint64_t facts_cost_sum(uint64_t a, uint64_t b, bool *over)
{
	const __int128 sum = (__int128)(int64_t)a + (int64_t)b;

	*over |= sum > INT64_MAX || sum < INT64_MIN;
	return (uint64_t)(sum > INT64_MAX   ? INT64_MAX
			  : sum < INT64_MIN ? INT64_MIN
					    : (int64_t)sum);
}

void facts_count(struct facts *t, struct str k, const uint64_t *v, bool *over)
{
	struct fact *f = facts_at(t, k);
	bool unknown = false;

	f->v[0] = facts_sum(f->v[0], v[0], &unknown);
	for (size_t i = 1; i < t->width; i++)
		f->v[i] = facts_cost_sum(f->v[i], v[i], over);
}

void facts_free(struct facts *t)
{
	free(t->at);
	hash_free(&t->by);
}
