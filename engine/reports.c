/*
 * reports.c - trees and listings for a page that is written after the answer: they are asked
 * of its graph, without a statement, and nobody reads their notes.
 */
#include "engine/statement.h"

#include "engine/files/roots.h"
#include "engine/graph/graph.h"
#include "engine/listing/listing.h"
#include "engine/names/fnset.h"
#include "engine/path/path.h"
#include "engine/sources/source.h"
#include "index/base/err.h"

static struct exec *of_graph(struct session *s, struct graph *g, struct arena *a,
			     struct err *err, struct statement *run)
{
	statement_begin(s, STR(""), a, err, run);
	run->x.g = g;
	return &run->x;
}

int session_program_tree(struct session *s, struct graph *g, uint32_t event,
			 bool unparted, uint32_t rows, struct arena *a,
			 struct path_tree *out, struct err *err)
{
	struct statement run;
	struct exec *x = of_graph(s, g, a, err, &run);
	struct path_tree_query q = {.of = TREE_PROGRAM, .rows = rows};

	x->event = event;
	x->unparted = unparted;
	return graph_event(g, event, err) || exec_tree(x, &q, out) ? err->kind : 0;
}

int session_listing(struct session *s, struct graph *g, const uint32_t *f, size_t n,
		    bool ahead, struct listing *l, struct arena *a, struct err *err)
{
	struct statement run;
	struct exec *x = of_graph(s, g, a, err, &run);
	struct fn_set *set = fnset_new(a, g->functions);

	if (!set)
		return arena_full(a, err);
	for (size_t i = 0; i < n; i++)
		fnset_add(set, f[i]);
	if (l->instrs && s->safe)
		return err_set(err, ERR_QUERY, 0, "objdump is not run under --safe");
	x->parts = g->parts;
	if (ahead ? listing_ahead(x, l, set) : listing_fill(x, l, set))
		return err->kind;
	/* A file that did not fit is no file without text. */
	return a->refused || l->texts->refused ? arena_full(a, err) : 0;
}

bool session_has_text(const struct session *s, struct str path, struct arena *a)
{
	struct roots_file file;
	const char *why;

	return s->roots && roots_look(s->roots, path, a, &file, &why);
}
