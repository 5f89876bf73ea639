/* vs_paired.c - say how much of both profiles can be compared, and what cannot. */
#include <math.h>

#include "engine/flow/flow.h"
#include "engine/path/path.h"
#include "engine/sources/source.h"
#include "engine/sources/sources.h"
#include "engine/compare/vs_in.h"
#include "engine/rows/doubt.h"
#include "index/base/err.h"
#include "index/base/hash.h"
#include "index/base/need.h"

/* Percent of the store's self cost in functions that the other one has, too; of the number
 * of functions if they cost nothing. */
static double paired_share(struct store *st, const uint32_t *other, uint32_t e)
{
	const int64_t *self = store_costs(st, TABLE_FN_SELF, e);
	const uint32_t n = store_info(st)->functions;
	double all = 0, paired = 0, known = 0;

	for (uint32_t f = 0; self && f < n; f++) {
		all += (double)self[f];
		paired += other[f] == PAIR_NONE ? 0 : (double)self[f];
		known += other[f] != PAIR_NONE;
	}
	return all > 0 ? 100.0 * paired / all : n ? 100.0 * known / n : 0;
}

/* "app-1.1 was app-1.0, libc.so.6 was libc-2.31.so": the objects whose base names differ. */
static struct str renamed_objects(struct exec *x, const struct vs *v)
{
	enum { NAMED = 2 };
	struct store *a = x->g->st, *b = v->base.g->st;
	const uint32_t here = store_info(a)->objects, there = store_info(b)->objects;
	/* [number]: 1 + the object of the base */
	uint32_t *of = EXEC_ARRAY(x, uint32_t, (size_t)here + there + 1);
	struct str text = {of ? "" : NULL, 0};
	unsigned n = 0;

	for (obj_id p = there; of && p-- > 0;)
		of[v->pairing->obj[1][p]] = p + 1;
	for (obj_id o = 0; of && o < here; o++) {
		const uint32_t p = of[v->pairing->obj[0][o]];
		struct str now, was;

		if (!p)
			continue;
		now = str_basename(store_obj(a, o));
		was = str_basename(store_obj(b, p - 1));
		if (!str_eq(now, was) && n++ < NAMED && text.p)
			text = arena_printf(x->a, "%.*s%s%.*s was %.*s", STR_ARG(text),
					    n > 1 ? ", " : "", STR_ARG(now),
					    STR_ARG(was));
	}
	if (n > NAMED && text.p)
		text = arena_printf(x->a, "%.*s and %u more", STR_ARG(text), n - NAMED);
	return text;
}

/* How many functions of a side are addresses and have no partner; *share: their part of
 * the self cost of all, in percent. */
static uint32_t nameless(struct store *st, const uint32_t *other, uint32_t e,
			 double *share)
{
	const int64_t *self = store_costs(st, TABLE_FN_SELF, e);
	double sum = 0, all = 0;
	uint32_t n = 0;

	for (uint32_t f = 0; self && f < store_info(st)->functions; f++) {
		uint64_t at;
		struct str name;

		all += (double)self[f];
		if (other[f] != PAIR_NONE)
			continue;
		name = store_fn_shown(st, f);
		if (str_starts(name, STR("0x")) && str_u64(name, &at)) {
			sum += (double)self[f];
			n++;
		}
	}
	*share = all > 0 ? 100 * sum / all : 0;
	return n;
}

/* Where both sides have them, no row of one is new, or gone, for sure. */
static void note_nameless(struct exec *x, const struct vs *v)
{
	static const double little = 1; /* percent */
	const struct exec *b = &v->base;
	double share[2];
	const uint32_t n = nameless(x->g->st, v->pairing->of[0], x->event, &share[0]),
		       m = nameless(b->g->st, v->pairing->of[1], b->event, &share[1]);

	if (!n || !m || fmax(share[0], share[1]) < little)
		return;
	exec_notef(x,
		   "which is which of %u functions without names here and %u in "
		   "the base is not known; in one row for each object: functions "
		   "vs base | where fn ~ /^0x/ | group by obj: sum(self), "
		   "sum(base), sum(delta)",
		   n, m);
}

/* Say in the footer how much of each side has a partner, and in a loud note if it is
 * less than half: then most rows are new or gone, and the comparison says little. */
void vs_measure_paired(struct exec *x, const struct source *s, const struct vs *v,
		       struct table *t)
{
	enum { LITTLE = 50 };
	const struct exec *b = &v->base;
	const struct pairing *p = v->pairing;
	const bool empty[2] = {!p->functions[0], !p->functions[1]};
	double *share = t->paired.percent;

	/* Parts of one profile have the same functions. */
	if (x->g->st == b->g->st)
		return;
	/* Events and sets of functions are compared as they are, but not with nothing. */
	if ((empty[0] && empty[1]) ||
	    (empty[0] == empty[1] &&
	     (v->a.src == &source_events || v->a.src == &source_cost)))
		return;
	t->paired.known = true;
	t->paired.renamed = renamed_objects(x, v);
	if (!t->paired.renamed.p)
		need_memory(x->a);
	if ((v->a.src == &source_functions || v->a.src == &source_find))
		note_nameless(x, v);
	share[0] = paired_share(x->g->st, p->of[0], x->event);
	share[1] = paired_share(b->g->st, p->of[1], b->event);
	if (fmin(share[0], share[1]) >= LITTLE)
		return;
	exec_notef(x,
		   "only %.1f %% of this profile's %.*s and %.1f %% of that of "
		   "%.*s is in functions that both have: the rest is new or gone "
		   "(.help vs)",
		   share[0], STR_ARG(x->env->events[x->event]), share[1], STR_ARG(s->vs));
}
