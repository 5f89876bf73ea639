/*
 * set_why.c - the causes of many comparisons as one list; see set.h.
 *
 * Causes are equal if their sentence, function and line are, whatever they cost.  What the rows
 * of a profile do not say of its difference is its rest, so that the rows of the list add up to
 * the difference of all.
 */
#include <stdlib.h>
#include <string.h>

#include "engine/rows/exec.h"
#include "engine/rows/set_columns.h"
#include "engine/set_in.h"
#include "engine/statement.h"
#include "index/base/cost.h"
#include "index/base/need.h"
#include "index/base/order.h"
#include "index/read/folder.h"

struct cause {
	struct str why;
	size_t first; /* a row of it */
	uint64_t profiles;
	int64_t delta, least, most;
	size_t bytes; /* of the names */
	char *names, *to;
	uint32_t last; /* the member that was added last, plus one */
	bool rest;
};

struct causes {
	struct set_rows *all;
	struct strset keys;
	struct cause *at;
	size_t n, cap;
	uint32_t *of; /* [rows]: its cause */
	const struct table_col *profile, *delta, *why, *kind, *fn, *callee, *file, *line;
};

/* The difference that the rows should add up to. */
static bool total_delta(const struct session *s, const struct statement *run,
			const struct query *q, int64_t *out)
{
	const struct str event = run->x.env->events[run->x.event];
	int64_t total[2] = {0, 0};

	if (q->gstages || s->nfilters || q->source.of || q->source.under || s->n < 2)
		return false;
	for (size_t side = 0; side < 2; side++)
		for (uint32_t e = 0; e < store_info(s->stores[side])->all_events; e++) {
			struct store_event ev;

			store_event(s->stores[side], e, &ev);
			if (str_eq(ev.name, event))
				total[side] = store_total(s->stores[side], e);
		}
	*out = cost_difference(total[0], total[1]);
	return true;
}

void set_add_rest(struct asking *k, const struct query *q)
{
	const struct table *t = &k->run->t;
	struct set_rows *all = k->all;
	int64_t left;

	if (!total_delta(k->s, k->run, q, &left))
		return;
	for (size_t i = 0; i < t->n; i++)
		cost_subtract(&left, set_column(t, "delta")->i[i]);
	if (!left)
		return;
	if (arena_grow(all->a, &all->left, &all->left_cap, all->nleft, all->nleft + 1,
		       sizeof(*all->left)))
		need_memory(all->a);
	all->left[all->nleft++] =
		(struct set_left){str_c(set_member(k->s, k->member)->name), left};
}

/* Rests, and what is noise, are one row each: their sentences hold numbers. */
static struct str key_of(const struct causes *c, size_t row)
{
	const struct str kind = c->kind->s[row];

	if (str_eq(kind, STR("rest")) || str_eq(kind, STR("noise")))
		return kind;
	return need_printf(c->all->a, "%.*s\n%.*s\n%.*s\n%llu", STR_ARG(c->why->s[row]),
			   STR_ARG(c->fn->s[row]), STR_ARG(c->file->s[row]),
			   (unsigned long long)c->line->u[row]);
}

static struct cause *cause_of(struct causes *c, struct str key, size_t row)
{
	const uint32_t at = strset_copy(&c->keys, key);

	if (at == HASH_NONE)
		need_memory_for("while causes were joined");
	if (at < c->n)
		return &c->at[at];
	if (arena_grow(c->all->a, &c->at, &c->cap, c->n, c->n + 1, sizeof(*c->at)))
		need_memory(c->all->a);
	c->at[c->n++] = (struct cause){.first = row, .rest = str_eq(key, STR("rest"))};
	return &c->at[at];
}

static void add_to_cause(struct cause *c, struct str profile, int64_t delta)
{
	c->least = !c->profiles || delta < c->least ? delta : c->least;
	c->most = !c->profiles || delta > c->most ? delta : c->most;
	cost_add(&c->delta, delta);
	c->profiles++;
	c->bytes += profile.n + 2;
}

static void add_name(struct causes *c, struct cause *to, struct str name)
{
	if (!to->names)
		to->names = to->to = need_array(c->all->a, to->bytes + 1, 1);
	else
		to->to = (char *)memcpy(to->to, ", ", 2) + 2;
	memcpy(to->to, name.p, name.n);
	to->to += name.n;
}

static void join(struct causes *c)
{
	const size_t n = c->all->t.n;
	struct cause *rest = NULL;

	c->of = need_array(c->all->a, n + 1, sizeof(*c->of));
	for (size_t i = 0; i < n; i++) {
		struct cause *to = cause_of(c, key_of(c, i), i);

		c->of[i] = (uint32_t)(to - c->at);
		to->why = c->why->s[i];
		add_to_cause(to, c->profile->s[i], c->delta->i[i]);
	}
	for (size_t i = 0; i < c->all->nleft; i++) {
		rest = cause_of(c, STR("rest"), SIZE_MAX);
		add_to_cause(rest, c->all->left[i].profile, c->all->left[i].delta);
	}
	for (size_t i = 0; i < n; i++)
		add_name(c, &c->at[c->of[i]], c->profile->s[i]);
	for (size_t i = 0; i < c->all->nleft; i++)
		add_name(c, rest, c->all->left[i].profile);
}

/* By how many and how much; the rest comes last. */
static int by_weight(const void *pa, const void *pb)
{
	const struct cause *a = pa, *b = pb;
	int c = a->rest - b->rest;

	c = c ? c : order_u64(b->profiles, a->profiles);
	c = c ? c
	      : order_u64((uint64_t)cost_size(b->delta), (uint64_t)cost_size(a->delta));
	return c ? c : str_cmp(a->why, b->why);
}

static void put_cause(const struct causes *c, struct table *t, size_t i,
		      const struct cause *of)
{
	const bool known = of->first != SIZE_MAX && !of->rest;

	set_column(t, "profiles")->u[i] = of->profiles;
	set_column(t, "delta")->i[i] = of->delta;
	set_column(t, "least")->i[i] = of->least;
	set_column(t, "most")->i[i] = of->most;
	set_column(t, "names")->s[i] =
		of->names ? (struct str){of->names, (size_t)(of->to - of->names)}
			  : STR("");
	set_column(t, "kind")->s[i] = of->rest ? STR("rest") : c->kind->s[of->first];
	set_column(t, "why")->s[i] = of->rest ? STR("the rest") : of->why;
	set_column(t, "fn")->s[i] = known ? c->fn->s[of->first] : STR("");
	set_column(t, "callee")->s[i] = known ? c->callee->s[of->first] : STR("");
	set_column(t, "file")->s[i] = known ? c->file->s[of->first] : STR("");
	set_column(t, "line")->u[i] = known ? c->line->u[of->first] : 0;
	set_column(t, "line")->absent[i] = !set_column(t, "line")->u[i];
	set_column(t, "file")->absent[i] = !set_column(t, "file")->s[i].n;
}

void set_join_causes(struct set_rows *all, struct table *t)
{
	struct causes c = {.all = all};
	const bool any = all->t.n > 0;

	if (any) {
		c.profile = set_column(&all->t, "profile");
		c.delta = set_column(&all->t, "delta");
		c.why = set_column(&all->t, "why");
		c.kind = set_column(&all->t, "kind");
		c.fn = set_column(&all->t, "fn");
		c.callee = set_column(&all->t, "callee");
		c.file = set_column(&all->t, "file");
		c.line = set_column(&all->t, "line");
	}
	join(&c);
	if (c.n)
		qsort(c.at, c.n, sizeof(*c.at), by_weight);
	t->src = NULL;
	t->n = t->rows_before = c.n;
	t->cols = NULL;
	t->ncols = t->cap = 0;
	set_append(t, S_WHY, true);
	for (size_t i = 0; i < c.n; i++)
		put_cause(&c, t, i, &c.at[i]);
	strset_free(&c.keys);
}
