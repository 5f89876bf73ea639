/*
 * costs.c - a cost with a name: a `let` that is a sum of events is an event from then on.
 *
 * It becomes a derived event of the stores themselves, as those that profiles define, so
 * all that takes an event takes it.  A profile that lacks one of its events does not have
 * it.  The let stays in the session, for profiles that are opened later.
 */
#include <math.h>

#include "engine/flow/flow.h"
#include "engine/gstages/graph_cache.h"
#include "engine/lang/ast.h"
#include "engine/rows/part_cache.h"
#include "engine/lang/parse.h"
#include "engine/session.h"
#include "engine/sources/sources.h"
#include "index/base/arena.h"
#include "index/base/err.h"
#include "index/base/need.h"

/* A number, or a sum of recorded events each so many times. */
struct sum {
	bool is_number;
	double number;
	double *of; /* [recorded events] */
};

static struct sum no_sum(void)
{
	return (struct sum){0};
}

/* a + k * b; either may be a number. */
static struct sum add_sum(struct arena *a, uint32_t events, struct sum x, struct sum y,
			  double k)
{
	struct sum out = {.of = ARENA_ARRAY(a, double, (size_t)events + 1)};

	if (x.is_number && y.is_number)
		return (struct sum){true, x.number + k * y.number, NULL};
	if (!x.of || !y.of || !out.of)
		return no_sum();
	for (uint32_t e = 0; e < events; e++)
		out.of[e] = x.of[e] + k * y.of[e];
	return out;
}

static struct sum scale(struct arena *a, uint32_t events, struct sum x, double k)
{
	struct sum none = {.of = ARENA_ARRAY(a, double, (size_t)events + 1)};

	if (x.is_number)
		return (struct sum){true, x.number * k, NULL};
	return add_sum(a, events, none, x, k);
}

static struct sum event_sum(const struct check_env *env, struct store *st,
			    const struct expr *e, struct arena *a)
{
	const uint32_t event = check_find_event(env, e->text);
	const uint32_t events = store_info(st)->events;
	struct sum out = {.of = ARENA_ARRAY(a, double, (size_t)events + 1)};

	if (e->event.n || e->percent || event >= env->nevents || !out.of)
		return no_sum();
	for (uint32_t i = 0; i < events; i++)
		out.of[i] = (double)store_event_coef(st, event, i);
	return out;
}

/* No sum: of and is_number are unset. */
static struct sum sum_of(const struct check_env *env, struct store *st,
			 const struct expr *e, struct arena *a)
{
	const uint32_t events = store_info(st)->events;
	struct sum x, y;

	switch (e->op) {
	case EX_NUMBER:
		return e->percent || e->unit.kind ? no_sum()
						  : (struct sum){true, e->number, NULL};
	case EX_COL: return event_sum(env, st, e, a);
	case EX_NEG: return scale(a, events, sum_of(env, st, e->a, a), -1);
	case EX_ADD:
	case EX_SUB:
	case EX_MUL: break;
	default: return no_sum();
	}
	x = sum_of(env, st, e->a, a);
	y = sum_of(env, st, e->b, a);
	if (e->op != EX_MUL)
		return add_sum(a, events, x, y, e->op == EX_ADD ? 1 : -1);
	return x.is_number   ? scale(a, events, y, x.number)
	       : y.is_number ? scale(a, events, x, y.number)
			     : no_sum();
}

/* As whole numbers that counts of an event are multiplied by. */
static bool whole_sum(struct sum sum, uint32_t events, int64_t *coef)
{
	const double most = 1e15;
	bool any = false;

	for (uint32_t e = 0; sum.of && e < events; e++) {
		if (fabs(sum.of[e]) > most || sum.of[e] != floor(sum.of[e]))
			return false;
		coef[e] = (int64_t)sum.of[e];
		any |= coef[e] != 0;
	}
	return any;
}

/* Make it an event of profile p, if it is a sum of its events. */
static int define(struct session *s, size_t p, struct str name, const struct expr *e,
		  struct str formula, struct arena *a, bool *is_cost, struct err *err)
{
	struct store *st = s->stores[p];
	const uint32_t events = store_info(st)->events;
	const uint32_t old = store_event_find(st, name);
	int64_t *coef = NEED_ARRAY(a, int64_t, (size_t)events + 1);
	struct check_env env;

	*is_cost = false;
	need(session_env(s, p, a, &env, err), err);
	if ((old < store_info(st)->all_events && !store_event_is_added(st, old)) ||
	    source_col(source_def(S_FUNCTIONS), name) ||
	    !whole_sum(sum_of(&env, st, e, a), events, coef))
		return 0;
	*is_cost = true;
	graph_cache_drop(s->graphs, st);
	flow_cache_drop(s->flows, st);
	part_cache_drop(s->part_cache, st);
	formula = check_with_values(&env, formula, a);
	return store_define_event(st, name, formula, coef, err);
}

int session_let_cost(struct session *s, const struct let *let, struct arena *a,
		     bool *is_cost, struct err *err)
{
	bool other;

	*is_cost = false;
	for (size_t i = 0; let->expr && !let->value && !err->kind && i < s->n; i++)
		define(s, i, let->name, let->expr, let->text, a, i ? &other : is_cost,
		       err);
	return err->kind;
}

struct sharing {
	struct session *s;
	struct arena a;
	struct err *err;
};

static int share_guarded(void *arg)
{
	struct sharing *to = arg;
	struct session *s = to->s;
	const struct parse_limits limits = session_parse_limits(s);

	for (size_t i = 0; s->costs_due && i < s->nlets; i++) {
		struct let let = {.name = s->lets[i].name,
				  .text = s->lets[i].text,
				  .value = !s->lets[i].formula};
		struct err unsaid = {0};
		bool is_cost;

		if (!let.value &&
		    !parse_expr_text(let.text, &limits, &to->a, &let.expr, &unsaid) &&
		    session_let_cost(s, &let, &to->a, &is_cost, to->err))
			break;
	}
	return 0;
}

int session_share_costs(struct session *s, struct err *err)
{
	struct sharing to = {.s = s, .err = err};

	arena_init(&to.a, s->limits.arena_bytes);
	session_guard(share_guarded, &to, err);
	s->costs_due = false;
	arena_free(&to.a);
	return err->kind;
}
