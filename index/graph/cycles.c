/*
 * cycles.c - Tarjan's components without recursion; see cycles.h.
 *
 * A component is complete when the search leaves its root, and by then every component
 * that it calls is complete.  So completed components, in reverse, are callers first.
 */
#include "index/graph/cycles.h"

#include <stdlib.h>

#include "index/base/order.h"

struct cycle_search {
	const uint32_t *out_first, *callee;
	uint32_t *number;	/* 1 + order of discovery; 0: not visited */
	uint32_t *low;		/* lowest number reachable */
	uint32_t *next;		/* next edge to follow */
	uint32_t *stack, *path; /* open functions; the current call chain */
	size_t nstack, npath;
	uint32_t found;
	struct cycles *c;
	size_t done; /* functions in complete components */
};

static void enter(struct cycle_search *s, uint32_t f)
{
	s->number[f] = s->low[f] = ++s->found;
	s->next[f] = s->out_first[f];
	s->stack[s->nstack++] = f;
	s->path[s->npath++] = f;
}

/* Complete the component of root f: all functions on the stack from f up. */
static void complete(struct cycle_search *s, uint32_t f)
{
	uint32_t g;

	do {
		g = s->stack[--s->nstack];
		s->c->component[g] = (uint32_t)s->c->n;
		s->low[g] = UINT32_MAX; /* complete: ignored from now on */
		s->c->topo[s->done++] = g;
	} while (g != f);
	s->c->n++;
}

static void follow(struct cycle_search *s, uint32_t root)
{
	enter(s, root);
	while (s->npath) {
		uint32_t f = s->path[s->npath - 1];

		if (s->next[f] < s->out_first[f + 1]) {
			uint32_t g = s->callee[s->next[f]++];

			if (!s->number[g])
				enter(s, g);
			else if (s->low[g] != UINT32_MAX && s->number[g] < s->low[f])
				s->low[f] = s->number[g];
			continue;
		}
		uint32_t low = s->low[f];

		s->npath--;
		if (low == s->number[f])
			complete(s, f);
		else if (s->npath && low < s->low[s->path[s->npath - 1]])
			s->low[s->path[s->npath - 1]] = low;
	}
}

/* Nothing calls the component completed last: reverse the order, so callers come
 * first. */
static void reverse(struct cycles *c, size_t nfn)
{
	for (size_t i = 0; i < nfn / 2; i++) {
		uint32_t f = c->topo[i];

		c->topo[i] = c->topo[nfn - 1 - i];
		c->topo[nfn - 1 - i] = f;
	}
	for (size_t i = 0; i < nfn; i++)
		c->component[i] = (uint32_t)c->n - 1 - c->component[i];
	for (size_t i = 0; i < nfn; i++)
		c->first[c->component[c->topo[i]] + 1] = (uint32_t)i + 1;
	for (size_t k = 0; k < c->n; k++)
		qsort(c->topo + c->first[k], c->first[k + 1] - c->first[k],
		      sizeof(uint32_t), compare_u32);
}

int cycles_find(size_t nfn, const uint32_t *out_first, const uint32_t *callee,
		struct cycles *out)
{
	size_t bytes = (nfn + 2) * sizeof(uint32_t);
	struct cycles c = {.component = malloc(bytes), .topo = malloc(bytes)};
	struct cycle_search s = {.out_first = out_first, .callee = callee, .c = &c};
	int rc = -1;

	s.number = calloc(nfn + 1, sizeof(uint32_t));
	s.low = malloc(bytes);
	s.next = malloc(bytes);
	s.stack = malloc(bytes);
	s.path = malloc(bytes);
	if (!c.component || !c.topo || !s.number || !s.low || !s.next || !s.stack ||
	    !s.path)
		goto out;
	for (uint32_t f = 0; f < nfn; f++)
		if (!s.number[f])
			follow(&s, f);
	c.first = calloc(c.n + 2, sizeof(uint32_t));
	if (!c.first)
		goto out;
	reverse(&c, nfn);
	*out = c;
	c = (struct cycles){0};
	rc = 0;
out:
	cycles_free(&c);
	free(s.number);
	free(s.low);
	free(s.next);
	free(s.stack);
	free(s.path);
	return rc;
}

void cycles_free(struct cycles *c)
{
	free(c->component);
	free(c->topo);
	free(c->first);
	*c = (struct cycles){0};
}
