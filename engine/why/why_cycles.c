/*
 * why_cycles.c - strongly connected components (Tarjan 1972), without recursion: a profile
 * may have a chain of a million calls.
 */
#include "engine/why/why_in.h"

#include <string.h>

#include "engine/rows/exec.h"
#include "index/base/arena.h"
#include "index/base/err_struct.h"

struct visit {
	uint32_t f, next; /* callees seen so far */
};

struct search {
	uint32_t *index, *low; /* 0: not visited */
	uint32_t *stack;
	struct visit *path;
	uint32_t visited, on_stack, deep, members;
};

static void enter(struct search *s, uint32_t f)
{
	s->index[f] = s->low[f] = ++s->visited;
	s->stack[s->on_stack++] = f;
	s->path[s->deep++] = (struct visit){f, 0};
}

/* All callees of the deepest function were seen. */
static void leave(struct search *s, uint32_t *unit, uint32_t *units, uint32_t *member)
{
	const uint32_t f = s->path[--s->deep].f;

	if (s->low[f] == s->index[f]) {
		uint32_t last;

		do {
			last = s->stack[--s->on_stack];
			unit[last] = *units;
			member[s->members++] = last;
		} while (last != f);
		++*units;
	}
	if (s->deep) {
		const uint32_t up = s->path[s->deep - 1].f;

		if (s->low[f] < s->low[up])
			s->low[up] = s->low[f];
	}
}

int why_components(struct exec *x, uint32_t n, why_next *next, const void *arg,
		   uint32_t *unit, uint32_t *units, uint32_t *member)
{
	struct arena scratch;
	struct search s;
	int rc = 0;

	arena_init(&scratch, x->a->cap);
	s = (struct search){.index = ARENA_ARRAY(&scratch, uint32_t, n),
			    .low = ARENA_ARRAY(&scratch, uint32_t, n),
			    .stack = ARENA_ARRAY(&scratch, uint32_t, n),
			    .path = ARENA_ARRAY(&scratch, struct visit, n)};
	*units = 0;
	if (!s.index || !s.low || !s.stack || !s.path)
		rc = arena_full(&scratch, x->err);
	memset(unit, 0xff, n * sizeof(*unit));
	for (uint32_t f = 0; !rc && f < n; f++) {
		if (!s.index[f])
			enter(&s, f);
		while (s.deep && !rc) {
			struct visit *v = &s.path[s.deep - 1];
			const uint32_t to = next(arg, v->f, v->next++);

			if (to == WHY_NONE)
				leave(&s, unit, units, member);
			else if (!s.index[to])
				enter(&s, to);
			else if (unit[to] == WHY_NONE && s.index[to] < s.low[v->f])
				s.low[v->f] = s.index[to];
			rc = exec_poll(x);
		}
	}
	arena_free(&scratch);
	return rc;
}
