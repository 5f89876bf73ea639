/*
 * graph_cache.c - see graph_cache.h.
 *
 * The stages run in the arena of the entry: so sets, names and notes live as long as the
 * graph.
 */
#include "engine/gstages/graph_cache.h"

#include <stdlib.h>

#include "engine/graph/graph.h"
#include "engine/gstages/gstage.h"
#include "engine/rows/exec.h"
#include "index/base/arena.h"
#include "index/base/err_struct.h"
#include "index/base/need.h"

enum { GRAPHS = 4 };
#define MOST_BYTES \
	((size_t)256 << 20) /* of all graphs between two questions, but the last */
#define ROOM_BYTES ((size_t)64 << 20) /* of the others while a new one is made */

struct kept_graph {
	const struct store *store; /* NULL: free */
	struct arena arena;
	struct str key;
	struct graph *g;
	const uint8_t *parts;
	struct exec_texts notes;
	uint64_t used; /* the clock of the cache at the last use */
};

struct graph_cache {
	uint64_t clock;
	struct kept_graph kept[GRAPHS];
};

struct graph_cache *graph_cache_new(void)
{
	return calloc(1, sizeof(struct graph_cache));
}

static void forget_graph(struct kept_graph *k)
{
	arena_free(&k->arena);
	*k = (struct kept_graph){0};
}

void graph_cache_free(struct graph_cache *c)
{
	for (size_t i = 0; c && i < GRAPHS; i++)
		forget_graph(&c->kept[i]);
	free(c);
}

void graph_cache_drop(struct graph_cache *c, const struct store *st)
{
	for (size_t i = 0; i < GRAPHS; i++)
		if (c->kept[i].store == st)
			forget_graph(&c->kept[i]);
}

/* An entry that is free or was used longest ago. */
static struct kept_graph *oldest_graph(struct graph_cache *c, bool in_use)
{
	struct kept_graph *k = NULL;

	for (size_t i = 0; i < GRAPHS; i++) {
		struct kept_graph *t = &c->kept[i];

		if ((!in_use || t->store) && (!k || t->used < k->used))
			k = t;
	}
	return k;
}

/* last: the graph that was used last stays, however large, for the next question. */
static void trim_to(struct graph_cache *c, size_t bytes, bool last)
{
	size_t sum = 0;

	for (size_t i = 0; i < GRAPHS; i++)
		sum += c->kept[i].arena.used;
	while (sum > bytes) {
		struct kept_graph *k = oldest_graph(c, true);

		if (!k || (last && k->used == c->clock))
			return;
		sum -= k->arena.used;
		forget_graph(k);
	}
}

void graph_cache_trim(struct graph_cache *c)
{
	for (size_t i = 0; i < GRAPHS; i++)
		if (!c->kept[i].store)
			forget_graph(&c->kept[i]); /* it was not finished */
	trim_to(c, MOST_BYTES, true);
}

static struct kept_graph *find_graph(struct graph_cache *c, const struct store *st,
				     struct str key)
{
	for (size_t i = 0; i < GRAPHS; i++)
		if (c->kept[i].store == st && str_eq(c->kept[i].key, key))
			return &c->kept[i];
	return NULL;
}

/* `store` is set only when the graph is complete: else graph_cache_trim() frees the arena. */
static void make_graph(struct kept_graph *k, struct exec *x, const struct gstage *first,
		       struct str text, struct str key)
{
	struct exec maker = *x; /* in the arena of the entry, with its notes */

	forget_graph(k);
	arena_init(&k->arena, x->a->cap ? x->a->cap - x->a->used : 0);
	maker.a = &k->arena;
	maker.notes = &k->notes;
	maker.lasting = NULL;
	k->key = need_str(maker.a, key);
	graph_plain(x->g->st, x->open->flows, maker.a, x->open->cancel, &maker.g);
	exec_gstages(&maker, first, text);
	x->absent = maker.absent;
	k->g = maker.g;
	k->parts = maker.parts;
	k->store = x->g->st;
}

void graph_cache_gstages(struct graph_cache *c, struct exec *x,
			 const struct gstage *first, struct str text, struct str key)
{
	struct kept_graph *k = find_graph(c, x->g->st, key);

	if (!k) {
		trim_to(c, ROOM_BYTES, false);
		k = oldest_graph(c, false);
		make_graph(k, x, first, text, key);
	}
	k->used = ++c->clock;
	k->arena.cap = x->a->cap;
	k->arena.refused = false;
	x->g = k->g;
	x->parts = k->parts;
	x->gstages = first;
	x->stage_sets = NULL;
	for (size_t i = 0; i < k->notes.n; i++)
		exec_note(x, k->notes.at[i]);
}
