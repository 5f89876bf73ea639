/* facts.c - see facts.h. */
#include "tests/facts.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

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

struct str facts_key(struct arena *a, const char *shape, ...)
{
	char *buf = NULL;
	size_t n = 0, cap = 0;
	struct str out;
	va_list ap;

	va_start(ap, shape);
	for (const char *c = shape; *c; c++) {
		struct str s[3] = {{c, 1}};
		size_t parts = 1;
		char number[24];

		if (*c == 's') {
			s[0] = va_arg(ap, struct str);
		} else if (*c == 'f') {
			struct fn f = va_arg(ap, struct fn);

			s[0] = f.obj;
			s[1] = f.file;
			s[2] = f.name;
			parts = 3;
		} else if (*c == 'u') {
			snprintf(number, sizeof(number), "%" PRIu64,
				 va_arg(ap, uint64_t));
			s[0] = str_c(number);
		}
		for (size_t i = 0; i < parts; i++) {
			facts_grow(&buf, &cap, n + s[i].n + 1, 1);
			if (s[i].n)
				memcpy(buf + n, s[i].p, s[i].n);
			n += s[i].n;
			buf[n++] = '\n'; /* in no name */
		}
	}
	va_end(ap);
	out = arena_str(a, (struct str){buf, n});
	facts_sure((void *)(uintptr_t)out.p);
	free(buf);
	return out;
}

struct str facts_in_part(struct arena *a, uint64_t part, struct str k)
{
	struct str p = facts_key(a, "Pu", part);
	char *buf = facts_sure(arena_alloc(a, p.n + k.n));

	memcpy(buf, p.p, p.n);
	memcpy(buf + p.n, k.p, k.n);
	return (struct str){buf, p.n + k.n};
}

struct fact *facts_find(const struct facts *t, struct str k)
{
	uint32_t h = (uint32_t)str_hash(k), probe = hash_start(&t->by, h), i;

	while ((i = hash_next(&t->by, h, &probe)) != HASH_NONE)
		if (str_eq(t->at[i].key, k))
			return &t->at[i];
	return NULL;
}

struct fact *facts_at(struct facts *t, struct str k)
{
	struct fact *f = facts_find(t, k);

	if (f)
		return f;
	facts_grow(&t->at, &t->cap, t->n + 1, sizeof(*t->at));
	t->at[t->n] =
		(struct fact){k, facts_sure(ARENA_ARRAY(t->arena, uint64_t, t->width))};
	if (hash_add(&t->by, (uint32_t)str_hash(k), (uint32_t)t->n))
		abort();
	return &t->at[t->n++];
}

uint64_t facts_sum(uint64_t a, uint64_t b, bool *over)
{
	*over |= a > UINT64_MAX - b;
	return a > UINT64_MAX - b ? UINT64_MAX : a + b;
}

void facts_count(struct facts *t, struct str k, const uint64_t *v, bool *over)
{
	struct fact *f = facts_at(t, k);

	for (size_t i = 0; i < t->width; i++)
		f->v[i] = facts_sum(f->v[i], v[i], over);
}

void facts_free(struct facts *t)
{
	free(t->at);
	hash_free(&t->by);
}
