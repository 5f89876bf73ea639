/* source.c - functions shared by the sources; see source.h. */
#include "engine/sources/source.h"

#include <string.h>

#include "engine/rows/exec.h"

struct str arena_join(struct arena *a, const struct str *piece, size_t n)
{
	size_t size = n, at = 0;
	char *p;

	for (size_t i = 0; i < n; i++) {
		if (!piece[i].p)
			return piece[i];
		size += piece[i].n;
	}
	if (!(p = arena_alloc(a, size)))
		return (struct str){NULL, 0};
	for (size_t i = 0; i < n; i++) {
		if (piece[i].n)
			memcpy(p + at, piece[i].p, piece[i].n);
		at += piece[i].n + 1;
	}
	return (struct str){p, size};
}

int exec_flow(struct exec *x, struct graph *g, uint32_t event, const struct flow **out)
{
	if (g->plain) {
		if (flow_of(x->flows, g->st, event, x->cancel, out, x->err))
			return x->err->kind;
	} else if (graph_flow(g, event, out, x->err)) {
		return x->err->kind;
	}
	if (!(*out)->nodd || g->estimated)
		return 0;
	return exec_note(
		x, arena_printf(x->a,
				"%s function%s cost less than the calls into them say: "
				"estimates are scaled to add up, without bounds",
				GROUPED((*out)->nodd), (*out)->nodd == 1 ? "" : "s"));
}
