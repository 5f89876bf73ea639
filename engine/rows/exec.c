/* exec.c - the memory, limits and notes of a running statement; see exec.h. */
#include "engine/rows/exec.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

int exec_stop(struct exec *x)
{
	return cancel_poll(x->cancel, x->err);
}

void *exec_alloc(struct exec *x, size_t n, size_t size)
{
	void *p = arena_array(x->a, n, size);

	if (!p)
		arena_full(x->a, x->err);
	return p;
}

int exec_grow(struct exec *x, void *pp, size_t *cap, size_t used, size_t need,
	      size_t size)
{
	size_t n = *cap ? *cap * 2 : 256;
	void *old, *p;

	if (need <= *cap)
		return 0;
	if (n < need)
		n = need;
	memcpy(&old, pp, sizeof(old));
	if (!(p = exec_alloc(x, n, size)))
		return x->err->kind;
	if (used)
		memcpy(p, old, used * size);
	memcpy(pp, &p, sizeof(p));
	*cap = n;
	return 0;
}

static int add_note(struct exec *x, struct str text, struct str **list, size_t *n,
		    size_t *cap)
{
	if (!text.p)
		return arena_full(x->a, x->err);
	if (*n == *cap) {
		size_t more = *cap ? *cap * 2 : 8;
		struct str *longer = EXEC_ARRAY(x, struct str, more);

		if (!longer)
			return x->err->kind;
		if (*n)
			memcpy(longer, *list, *n * sizeof(*longer));
		*list = longer;
		*cap = more;
	}
	(*list)[(*n)++] = text;
	return 0;
}

int exec_note(struct exec *x, struct str text)
{
	return add_note(x, text, &x->notes, &x->nnotes, &x->notes_cap);
}

int exec_hint(struct exec *x, struct str text)
{
	return add_note(x, text, &x->hints, &x->nhints, &x->hints_cap);
}

int exec_fail(struct exec *x, struct span at, const char *fmt, ...)
{
	char text[sizeof(x->err->text)];
	va_list ap;

	if (x->err->kind)
		return x->err->kind;
	va_start(ap, fmt);
	vsnprintf(text, sizeof(text), fmt, ap);
	va_end(ap);
	err_set(x->err, ERR_QUERY, at.at, "%s", text);
	x->err->len = (uint32_t)(at.len ? at.len : 1);
	return ERR_QUERY;
}

int exec_rows(struct exec *x, uint64_t n)
{
	if (n <= x->row_limit)
		return 0;
	err_set(x->err, ERR_LIMIT, 0, "more than %s rows", GROUPED(x->row_limit));
	return err_hint(x->err,
			"narrow the query with 'of', or raise it: --limit rows=%llu",
			10 * (unsigned long long)x->row_limit);
}
