/*
 * stacks.c - choose the callers to record; see stacks.h.
 *
 * How much a file grows with one caller in each name can be told from a plain profile:
 *
 *	names	f becomes f'g for each edge g -> f
 *	lines	those of f are written once for each caller, but one that seldom calls runs
 *		few of them: exp(entropy of the calls into f) times, and .7 of that
 *
 * The n-th caller adds n^.27 of that.  On SQLite, Perl, Lua, cc1 and a C++ program this was
 * within 15 % of the files with N = 1 to 4.  At some threefold, trees of SQLite were 88 %
 * right with N = 3 and 79 % with functions apart, of Lua 86 and 60 %, of Perl (N = 2) the same;
 * of C++, whose names are long, 82 % with N = 1 and 93 % with 100 functions.
 *
 * A function is as ambiguous as its flow of cost times the lesser of two entropies: of its
 * callers, and of its callees and itself.
 */
#include "repl/record/stacks.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "engine/flow/flow.h"
#include "engine/path/path.h"
#include "index/base/arena.h"
#include "index/base/err.h"
#include "index/base/order.h"
#include "index/base/map.h"
#include "index/base/err_kind.h"

static const double LINES = .7, FURTHER = .27, OVER = .75;
enum { MOST_CALLERS = 64, FUNCTIONS = 50, NAMES_MAX = 512 << 10 };

/* The entropy of some shares, from their sum and that of share * log(share). */
struct entropy {
	double sum, logs;
};

static void entropy_add(struct entropy *e, double share)
{
	if (share > 0) {
		e->sum += share;
		e->logs += share * log(share);
	}
}

static double entropy_of(const struct entropy *e)
{
	return e->sum > 0 ? log(e->sum) - e->logs / e->sum : 0;
}

/* ---- how the file grows ---- */

/* What one caller in each name adds to a file of size 1. */
static double growth(struct store *st, const struct flow_input *in)
{
	double names = 0, lines = 0, all = 0;

	for (uint32_t f = 0; f < in->functions; f++) {
		const double own = (double)store_fn_name(st, f).n,
			     rows = 2 + in->out_first[f + 1] - in->out_first[f];
		struct entropy calls = {0};

		all += rows;
		if (in->in_first[f] == in->in_first[f + 1])
			continue;
		names -= own + 8;
		for (uint32_t i = in->in_first[f]; i < in->in_first[f + 1]; i++) {
			const uint32_t e = in->in_edge[i];

			names += own + 9 + (double)store_fn_name(st, in->caller[e]).n;
			entropy_add(&calls, (double)in->calls[e]);
		}
		lines += (exp(entropy_of(&calls)) - 1) * rows;
	}
	return names / (double)store_info(st)->input_bytes +
	       (all > 0 ? LINES * lines / all : 0);
}

static unsigned callers_for(double times, double growth)
{
	double size = 1;
	unsigned n = 0;

	while (n < MOST_CALLERS && (size += growth * pow(n + 1, FURTHER)) <= times + OVER)
		n++;
	return n;
}

/* ---- which functions are ambiguous ---- */

struct ranked {
	struct entropy callers, callees; /* of all levels of recursion */
	double score;
	group_id group;
};

static void add_function(const struct flow_input *in, fn_id f, struct ranked *r)
{
	for (uint32_t i = in->in_first[f]; i < in->in_first[f + 1]; i++)
		entropy_add(&r->callers, (double)in->incl[in->in_edge[i]]);
	for (uint32_t e = in->out_first[f]; e < in->out_first[f + 1]; e++)
		entropy_add(&r->callees, (double)in->incl[e]);
	entropy_add(&r->callees, (double)in->self[f]);
}

static int by_score(const void *x, const void *y)
{
	const struct ranked *a = x, *b = y;

	return a->score < b->score   ? 1
	       : a->score > b->score ? -1
				     : order_u64(a->group, b->group);
}

static int by_name(const void *x, const void *y)
{
	return str_cmp(*(const struct str *)x, *(const struct str *)y);
}

static int choose(struct store *st, const struct flow_input *in, size_t most,
		  struct arena *a, struct stacks_plan *plan, struct err *err)
{
	const uint32_t groups = store_info(st)->groups;
	struct ranked *r = ARENA_ARRAY(a, struct ranked, (size_t)groups + 1);
	size_t bytes = 0;

	plan->apart = ARENA_ARRAY(a, struct str, most + 1);
	if (!r || !plan->apart)
		return arena_full(a, err);
	for (fn_id f = 0; f < in->functions; f++)
		add_function(in, f, &r[store_group_of(st, f)]);
	for (group_id g = 0; g < groups; g++) {
		r[g].group = g;
		r[g].score = r[g].callees.sum *
			     fmin(entropy_of(&r[g].callers), entropy_of(&r[g].callees));
	}
	qsort(r, groups, sizeof(*r), by_score);
	for (group_id g = 0; g < groups && plan->n < most && r[g].score > 0; g++) {
		const struct str name = store_group_name(st, r[g].group);

		if (!memchr(name.p, '\0', name.n) && (bytes += name.n) <= NAMES_MAX)
			plan->apart[plan->n++] = arena_str(a, name);
	}
	qsort(plan->apart, plan->n, sizeof(*plan->apart), by_name);
	return a->refused ? arena_full(a, err) : 0;
}

struct asking {
	struct store *st;
	struct arena *a;
	double times;
	struct stacks_plan *plan;
	double share;
	struct err *err;
};

static int plan_guarded(void *arg)
{
	struct asking *k = arg;
	struct stacks_plan *plan = k->plan;
	struct flow_input in;

	flow_input_of(k->st, 0, &in);
	plan->callers = callers_for(k->times, growth(k->st, &in));
	if (plan->callers >= 2)
		return 0;
	plan->callers = 0;
	return choose(k->st, &in, (size_t)(FUNCTIONS * (k->times - 1)) + 1, k->a, plan,
		      k->err);
}

int stacks_plan(struct store *st, double times, struct arena *a, struct stacks_plan *plan,
		struct err *err)
{
	struct asking k = {.st = st, .a = a, .times = times, .plan = plan, .err = err};

	*plan = (struct stacks_plan){0};
	return map_guard(plan_guarded, &k, ERR_INDEX, err);
}

/* ---- what is proven ---- */

static int prove_guarded(void *arg)
{
	const struct path_tree_query q = {.of = TREE_PROGRAM, .rows = 1};
	struct asking *k = arg;
	struct path_tree t;
	struct flow_input in;
	struct flow *fl;

	flow_input_of(k->st, 0, &in);
	flow_build(&in, k->a, NULL, &fl);
	path_tree(fl, &q, k->a, NULL, &t);
	k->share = t.proven;
	return 0;
}

int stacks_proven(struct store *st, struct arena *a, double *share, struct err *err)
{
	struct asking k = {.st = st, .a = a, .err = err};

	if (map_guard(prove_guarded, &k, ERR_INDEX, err))
		return err->kind;
	*share = k.share;
	return 0;
}
