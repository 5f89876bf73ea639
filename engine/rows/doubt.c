/* doubt.c - the kinds of doubts, and those of one profile; see doubt.h. */
#include "engine/rows/doubt.h"

#include <stdio.h>
#include <string.h>

#include "engine/graph/graph.h"
#include "engine/rows/exec.h"
#include "index/base/arena.h"
#include "index/base/cost.h"
#include "index/base/err_struct.h"
#include "index/base/need.h"
#include "index/store/store.h"

const struct doubt_kind doubt_kinds[DOUBTS] = {
	[DOUBT_CUT] = {"cut", "a profile whose end is missing"},
	[DOUBT_ODD] = {"odd",
		       "costs of skipped or mended lines, or that do not fit in 64 bits"},
	[DOUBT_TOTALS] = {"totals", "a profile whose lines do not add up to its totals"},
	[DOUBT_EDGES] = {"edges",
			 "calls from the C library's memcpy, malloc into the program"},
	[DOUBT_INDEX] = {"index", "an index that stands for the profile asked"},
	[DOUBT_ITSELF] = {"itself", "a base that is the profile asked"},
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

void exec_doubt(struct exec *x, enum doubt kind, struct str why)
{
	struct str *at = &x->doubts->why[kind];

	if (!why.p)
		need_memory(x->a);
	if (at->n && str_eq(*at, why))
		return;
	if (!at->n)
		*at = why;
	exec_note(x, why);
}

void exec_doubt_quietly(struct exec *x, enum doubt kind, struct str why)
{
	if (!why.p)
		need_memory(x->a);
	if (!x->doubts->why[kind].n)
		x->doubts->why[kind] = why;
}

void exec_doubt_sum(struct exec *x)
{
	exec_doubt(x, DOUBT_ODD,
		   STR("a sum does not fit in 64 bits: it stands at the largest number, "
		       "and changes of it are not seen"));
}

void exec_doubt_total(struct exec *x, const struct graph *g, uint32_t event)
{
	if (x->doubts &&
	    (cost_is_end(graph_whole(g, event)) || cost_is_end(graph_left(g, event))))
		exec_doubt_sum(x);
}

static void doubt_totals(struct exec *x, struct store *st, struct str name)
{
	struct store_totals is;
	struct store_event ev;

	store_totals(st, &is);
	if (!is.written || is.agree)
		return;
	store_event(st, is.event, &ev);
	exec_doubt_quietly(
		x, DOUBT_TOTALS,
		arena_printf(x->a, "%.*s: its %s %s %.*s, its lines add up to %s",
			     STR_ARG(name), is.summary ? "summary: says" : "totals: say",
			     GROUPED_SIGNED(is.sum), STR_ARG(ev.name),
			     GROUPED_SIGNED(store_total(st, is.event))));
}

/* ---- calls that are returns ---- */

/* Is it of the C library, the loader, or an allocator in place of its own? */
static bool is_libc(struct str obj)
{
	static const char *const begins[] = {"libc.",	    "libc-",	  "ld-",
					     "ld.",	    "libpthread", "libjemalloc",
					     "libtcmalloc", "libmimalloc"};
	const struct str base = str_basename(obj);

	for (size_t i = 0; i < sizeof(begins) / sizeof(*begins); i++)
		if (str_starts(base, str_c(begins[i])))
			return true;
	return false;
}

struct inverted {
	int64_t cost;
	int64_t most; /* of one call, and its ends */
	struct str caller, callee;
};

/* The calls of f into other objects than the C library. */
static void add_calls_out(struct store *st, fn_id f, struct inverted *is)
{
	edge_id first;
	uint32_t n;

	if (!is_libc(store_fn_obj(st, f)))
		return;
	store_callees(st, f, &first, &n);
	for (edge_id e = first; e < first + n; e++) {
		const fn_id to = store_edge_callee(st, e);
		const struct str obj = store_fn_obj(st, to);
		const int64_t cost = store_edge_incl(st, e, 0);

		if (is_libc(obj) || str_eq(obj, STR("???")) || cost <= 0 ||
		    str_find_str(obj, STR("vgpreload")) < obj.n)
			continue;
		cost_add(&is->cost, cost);
		if (cost <= is->most)
			continue;
		is->most = cost;
		is->caller = store_fn_alone(st, f);
		is->callee = store_fn_alone(st, to);
	}
}

/* Functions whose name is `name`, or begins so and goes on with one of `on`. */
static void add_named(struct store *st, struct str name, const char *on,
		      struct inverted *is)
{
	const uint32_t names = store_info(st)->names;

	for (name_id id = store_name_lower(st, name); id < names; id++) {
		const struct str s = store_name(st, id);
		fn_id first;
		uint32_t n;

		if (!str_starts(s, name))
			break;
		if (s.n > name.n && !strchr(on, s.p[name.n]))
			continue;
		store_fns_of_name(st, id, &first, &n);
		for (fn_id f = first; f < first + n; f++)
			add_calls_out(st, f, is);
	}
}

bool doubt_edges(struct store *st, char text[DOUBT_TEXT])
{
	static const char *const leaves[] = {
		"malloc",    "free",	  "calloc",    "realloc",   "_int_malloc",
		"_int_free", "memcpy",	  "memset",    "memmove",   "memcmp",
		"strlen",    "strcmp",	  "strcpy",    "strncmp",   "strchr",
		"__memcpy",  "__memset",  "__memmove", "__memcmp",  "__strlen",
		"__strcmp",  "__strcpy",  "__strncmp", "__strchr",  "memchr",
		"__memchr",  "je_malloc", "je_free",   "tc_malloc", "tc_free",
		"mi_malloc", "mi_free"};
	struct inverted is = {0};
	struct store_event ev;
	int64_t total;

	if (!store_counts_zeros(st) || !store_info(st)->events)
		return false;
	for (size_t i = 0; i < sizeof(leaves) / sizeof(*leaves); i++)
		add_named(st, str_c(leaves[i]), leaves[i][0] == '_' ? "_@'" : "@'", &is);
	store_event(st, 0, &ev);
	total = store_total(st, 0);
	if (!is.cost || is.cost < total / 1000)
		return false;
	snprintf(
		text, DOUBT_TEXT,
		"returns were taken for calls: %s %.*s (%.1f %%) are in calls of the "
		"program by the C library (%.*s calls %.*s), as callgrind on AArch64 did",
		GROUPED(is.cost), (int)(ev.name.n & 31), ev.name.p,
		100.0 * (double)is.cost / (double)(total ? total : 1),
		(int)(is.caller.n < 40 ? is.caller.n : 40), is.caller.p,
		(int)(is.callee.n < 40 ? is.callee.n : 40), is.callee.p);
	return true;
}

static void doubt_calls(struct exec *x, struct store *st, struct str name)
{
	char text[DOUBT_TEXT];

	if (doubt_edges(st, text))
		exec_doubt_quietly(x, DOUBT_EDGES,
				   arena_printf(x->a, "%.*s: %s", STR_ARG(name), text));
}

void exec_doubt_profile(struct exec *x, struct store *st, struct str name)
{
	struct store_diag odd;
	uint64_t n;

	if (store_info(st)->truncated) {
		exec_doubt_quietly(
			x, DOUBT_CUT,
			arena_printf(x->a,
				     "%.*s is cut off: its end is missing, the costs are "
				     "of what is there",
				     STR_ARG(name)));
		return;
	}
	if ((n = store_odd_costs(st, &odd)) > 0)
		exec_doubt_quietly(
			x, DOUBT_ODD,
			arena_printf(x->a,
				     "%.*s: %s line%s with costs skipped or mended: "
				     "%.*s (line %llu)",
				     STR_ARG(name), GROUPED(n), n == 1 ? "" : "s",
				     STR_ARG(odd.kind), (unsigned long long)odd.line));
	doubt_totals(x, st, name);
	doubt_calls(x, st, name);
}

enum doubt exec_doubted(const struct exec *x)
{
	enum doubt kind = 0;

	while (kind < DOUBTS &&
	       (!x->doubts->why[kind].n || x->open->accepted & 1u << kind))
		kind++;
	return kind;
}
