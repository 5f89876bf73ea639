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
#include "index/base/cost.h"
#include "index/base/err.h"
#include "index/base/need.h"
#include "index/graph/stacks.h"

static struct exec *of_graph(struct session *s, struct graph *g, struct arena *a,
			     struct err *err, struct statement *run)
{
	statement_begin(s, STR(""), a, err, run);
	run->x.g = g;
	return &run->x;
}

/* A question of a page, and its answer. */
struct asking {
	struct graph *g;
	uint32_t event;
	struct exec *x;
	struct path_tree_query q;
	struct path_tree *tree;
	const struct path_tree *grown;
	struct path_left_out *out;
	struct listing *l;
	int64_t **shares;
	const uint32_t *f; /* [n] */
	size_t n;
	bool ahead;
	struct err *err;
};

static int ask_event(void *arg)
{
	struct asking *a = arg;

	graph_event(a->g, a->event);
	return 0;
}

int session_graph_event(struct graph *g, uint32_t event, struct err *err)
{
	return session_guard(ask_event,
			     &(struct asking){.g = g, .event = event, .err = err}, err);
}

static int ask_calls(void *arg)
{
	struct asking *a = arg;

	graph_need_calls(a->g);
	return 0;
}

int session_graph_calls(struct graph *g, struct err *err)
{
	return session_guard(ask_calls, &(struct asking){.g = g, .err = err}, err);
}

static int ask_left_out(void *arg)
{
	struct asking *a = arg;

	path_tree_left_out(a->grown, a->out);
	return 0;
}

int session_left_out(const struct path_tree *t, struct path_left_out *out,
		     struct err *err)
{
	return session_guard(ask_left_out,
			     &(struct asking){.grown = t, .out = out, .err = err}, err);
}

static int ask_tree(void *arg)
{
	struct asking *a = arg;

	graph_event(a->g, a->event);
	exec_tree(a->x, &a->q, a->tree);
	return 0;
}

static int run_tree(struct session *s, struct asking *ask, bool unparted, struct arena *a)
{
	struct statement run;

	ask->x = of_graph(s, ask->g, a, ask->err, &run);
	ask->x->event = ask->event;
	ask->x->unparted = unparted;
	return session_guard(ask_tree, ask, ask->err);
}

int session_program_tree(struct session *s, struct graph *g, uint32_t event,
			 bool unparted, uint32_t rows, struct arena *a,
			 struct path_tree *out, struct err *err)
{
	struct asking ask = {.g = g,
			     .event = event,
			     .q = {.of = TREE_PROGRAM, .rows = rows},
			     .tree = out,
			     .err = err};

	return run_tree(s, &ask, unparted, a);
}

int session_near(struct session *s, struct graph *g, uint32_t event, bool unparted,
		 uint32_t f, bool up, struct arena *a, struct path_tree *out,
		 struct err *err)
{
	struct fn_set *one = fnset_new(a, g->functions);
	struct asking ask = {.g = g,
			     .event = event,
			     .q = {.of = TREE_CALLS, .set = one, .up = up, .depth = 1},
			     .tree = out,
			     .err = err};

	if (!one)
		return arena_full(a, err);
	fnset_add(one, f);
	return run_tree(s, &ask, unparted, a);
}

static int ask_shares(void *arg)
{
	struct asking *ask = arg;
	struct exec *x = ask->x;
	struct stacks s;
	bool known;

	exec_stacks(x, &s, &known);
	if (!known)
		return 0;
	for (int up = 0; up < 2; up++)
		ask->shares[up] = NEED_ARRAY(x->a, int64_t, (size_t)ask->g->edges + 1);
	int64_t *of[2] = {NEED_ARRAY(x->a, int64_t, (size_t)s.n + 1),
			  NEED_ARRAY(x->a, int64_t, (size_t)s.n + 1)};
	if (stacks_shares(&s, of[1], of[0], x->a, x->open->cancel, x->err))
		return x->err->kind;
	for (uint32_t v = 0; v < s.n; v++) {
		const uint32_t edge =
			!of[0][v] && !of[1][v] ? GRAPH_NONE
			: s.caller[v] == UINT32_MAX
				? GRAPH_NONE
				: graph_edge_between(ask->g, s.fn[s.caller[v]], s.fn[v]);

		for (int up = 0; up < 2 && edge != GRAPH_NONE; up++)
			cost_add(&ask->shares[up][edge], of[up][v]);
	}
	return 0;
}

int session_shares(struct session *s, struct graph *g, uint32_t event, struct arena *a,
		   int64_t *shares[2], struct err *err)
{
	struct statement run;
	struct asking ask = {.g = g, .shares = shares, .err = err};

	shares[0] = shares[1] = NULL;
	ask.x = of_graph(s, g, a, err, &run);
	ask.x->event = event;
	return session_guard(ask_shares, &ask, err);
}

static int ask_listing(void *arg)
{
	struct asking *a = arg;
	struct fn_set *set = fnset_new(a->x->a, a->g->functions);

	a->x->by_file |= a->l->bare;
	for (size_t i = 0; i < a->n; i++)
		fnset_add(set, a->f[i]);
	(a->ahead ? listing_ahead : listing_fill)(a->x, a->l, set);
	return 0;
}

int session_listing(struct session *s, struct graph *g, const uint32_t *f, size_t n,
		    bool ahead, struct listing *l, struct arena *a, struct err *err)
{
	struct statement run;
	struct asking ask = {.g = g,
			     .x = of_graph(s, g, a, err, &run),
			     .l = l,
			     .f = f,
			     .n = n,
			     .ahead = ahead,
			     .err = err};

	if (l->instrs && s->safe)
		return err_set(err, ERR_QUERY, 0, "objdump is not run under --safe");
	ask.x->parts = g->run.parts;
	if (session_guard(ask_listing, &ask, err))
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
