/* doubt.c - the kinds of doubts, and those of one profile; see doubt.h. */
#include "engine/rows/doubt.h"

#include "engine/rows/exec.h"
#include "index/base/arena.h"
#include "index/base/err_struct.h"
#include "index/store/store.h"

const struct doubt_kind doubt_kinds[DOUBTS] = {
	[DOUBT_CUT] = {"cut", "a profile whose end is missing"},
	[DOUBT_ODD] = {"odd", "costs of skipped or mended lines, or that do not fit in 64 bits"},
	[DOUBT_TOTALS] = {"totals", "a profile whose lines do not add up to its totals"},
	[DOUBT_INDEX] = {"index", "an index that stands for the profile asked"},
	[DOUBT_RUNS] = {"runs", "sums of more runs on one side than on the other"},
	[DOUBT_FORMULA] = {"formula", "a derived event with another formula in the base"},
	[DOUBT_INLINED] = {"inlined", "names of inlined code on one side only"},
	[DOUBT_PARTS] = {"parts", "parts or threads that only one side has"},
	[DOUBT_PAIRED] = {"paired", "little cost in functions that both sides have"},
	[DOUBT_UNSURE] = {"unsure",
			  "numbered functions (lambdas, closures, clones) whose "
			  "pairs are not certain"},
	[DOUBT_GONE] = {"gone", "a benchmark that only the base has"},
	[DOUBT_EMPTY] = {"empty",
			 "a gate without `expect`, or that no benchmark is asked"},
};

int exec_doubt(struct exec *x, enum doubt kind, struct str why)
{
	struct str *at = &x->doubts->why[kind];

	if (!why.p)
		return arena_full(x->a, x->err);
	if (at->n && str_eq(*at, why))
		return 0;
	if (!at->n)
		*at = why;
	return exec_note(x, why);
}

int exec_doubt_quietly(struct exec *x, enum doubt kind, struct str why)
{
	if (!why.p)
		return arena_full(x->a, x->err);
	if (!x->doubts->why[kind].n)
		x->doubts->why[kind] = why;
	return 0;
}

static int doubt_totals(struct exec *x, struct store *st, struct str name)
{
	struct store_totals is;
	struct store_event ev;

	store_totals(st, &is);
	if (!is.written || is.agree)
		return 0;
	store_event(st, is.event, &ev);
	return exec_doubt_quietly(
		x, DOUBT_TOTALS,
		arena_printf(x->a, "%.*s: its %s %s %.*s, its lines add up to %s",
			     STR_ARG(name), is.summary ? "summary: says" : "totals: say",
			     GROUPED_SIGNED(is.sum), STR_ARG(ev.name),
			     GROUPED_SIGNED(store_total(st, is.event))));
}

int exec_doubt_profile(struct exec *x, struct store *st, struct str name)
{
	struct store_diag odd;
	uint64_t n;

	if (store_info(st)->truncated)
		return exec_doubt_quietly(
			x, DOUBT_CUT,
			arena_printf(x->a,
				     "%.*s is cut off: its end is missing, the costs are "
				     "of what is there",
				     STR_ARG(name)));
	if ((n = store_odd_costs(st, &odd)) > 0 &&
	    exec_doubt_quietly(
		    x, DOUBT_ODD,
		    arena_printf(x->a,
				 "%.*s: %s line%s with costs skipped or mended: "
				 "%.*s (line %llu)",
				 STR_ARG(name), GROUPED(n), n == 1 ? "" : "s",
				 STR_ARG(odd.kind), (unsigned long long)odd.line)))
		return x->err->kind;
	return doubt_totals(x, st, name);
}

enum doubt exec_doubted(const struct exec *x)
{
	enum doubt kind = 0;

	while (kind < DOUBTS &&
	       (!x->doubts->why[kind].n || x->open->accepted & 1u << kind))
		kind++;
	return kind;
}
