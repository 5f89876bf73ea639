/* source_parts.c - parts, threads (the parts of one pid and thread), parts of f. */

#include "engine/lang/ast.h"
#include "engine/lang/keywords.h"
#include "engine/names/fnset.h"
#include "engine/path/path.h"
#include "engine/rows/exec.h"
#include "engine/rows/exec_set.h"
#include "engine/rows/store_set.h"
#include "engine/gstages/gstage.h"
#include "engine/sources/getters.h"
#include "engine/sources/source.h"
#include "index/base/need.h"
#include "index/base/cost.h"
#include "index/base/err_struct.h"

/* ---- parts, and threads: parts of one (pid, thread) ---- */

struct part_rows {
	struct thread {
		uint32_t first, parts; /* one of its parts, and how many there are */
	} * thread;
	/* What stages leave, or NULL: [all events][parts]; and of how many functions */
	int64_t **left;
	uint32_t *functions;
};

static uint32_t part_at(const struct table *t, uint32_t r)
{
	return t->src == &source_threads
		       ? ((const struct part_rows *)t->data)->thread[r].first
		       : r;
}

static struct part part_of_row(const struct table *t, uint32_t r)
{
	struct part p;

	store_part(t->g->st, part_at(t, r), &p);
	return p;
}

static const void *part_struct(const struct table *t, uint32_t r, struct row_room *room)
{
	_Static_assert(sizeof(struct part) <= sizeof(*room), "it is made there");

	store_part(t->g->st, part_at(t, r), (struct part *)(void *)room);
	return room;
}

struct str part_file(const struct table *t, uint32_t r)
{
	return str_from(store_input_path(t->g->st, part_of_row(t, r).file), t->path_from);
}

struct str part_description(const struct table *t, uint32_t r)
{
	const struct str s = part_of_row(t, r).desc;
	char *p = arena_alloc(t->x->a, 2 * s.n + 1);
	size_t n = 0;

	for (size_t i = 0; p && i < s.n; i++) {
		p[n++] = s.p[i] == '\n' ? ';' : s.p[i];
		if (s.p[i] == '\n')
			p[n++] = ' ';
	}
	return p ? (struct str){p, n} : STR("");
}

/* The length of the directory that the paths of all files share. */
static size_t shared_path(const struct store *st, uint32_t files)
{
	struct str first = store_input_path(st, 0);
	size_t n = first.n;

	for (uint32_t i = 1; i < files; i++) {
		struct str s = store_input_path(st, i);
		size_t k = 0;

		while (k < n && k < s.n && s.p[k] == first.p[k])
			k++;
		n = k;
	}
	while (n && first.p[n - 1] != '/')
		n--;
	return n;
}

/* Parts with their files; people see the files if there are several. */
static void parts_init(struct exec *x, struct table *t, const struct source_def *src)
{
	uint32_t files;

	table_init(x, t, src, x->g, store_info(x->g->st)->parts);
	store_inputs(x->g->st, &files);
	t->path_from = shared_path(x->g->st, files);
	if (files > 1)
		table_show(t, STR("file"));
}

/* Is this one of the parts chosen by `part` and `thread`? */
static bool in_force(const struct exec *x, uint32_t part)
{
	return !x->parts || x->parts[part];
}

static void keep_in_force(struct exec *x, struct table *t)
{
	uint32_t *keep = EXEC_ARRAY(x, uint32_t, t->n + 1);
	size_t n = 0;

	for (uint32_t p = 0; p < t->n; p++)
		if (in_force(x, p))
			keep[n++] = p;
	t->rows_before = n;
	if (n < t->n)
		table_select(t, keep, n);
}

/* What the stages leave of a part is what they would leave of it alone. */
static void part_left(struct exec *x, struct part_rows *d, uint32_t part, uint32_t e)
{
	struct graph *g = x->g;
	struct arena *a = need_scratch(x->a);

	if (graph_part_count(g) > 1 || g->contexts)
		exec_gstages_of_part(x, part, a, &g);
	graph_event(g, e);
	d->left[e][part] = graph_left(g, e);
	d->functions[part] = g->functions;
	scratch_free(a);
}

void parts_prepare(const struct table *t, uint32_t e)
{
	struct exec *x = t->x;
	struct part_rows *d = t->data;
	const struct store_info *si = store_info(t->g->st);

	if (!gstages_divide(x->gstages) || (d->left && d->left[e]))
		return;
	if (!d->left) {
		d->left = EXEC_ARRAY(x, int64_t *, si->all_events);
		d->functions = EXEC_ARRAY(x, uint32_t, si->parts);
	}
	d->left[e] = EXEC_ARRAY(x, int64_t, si->parts);
	for (uint32_t p = 0; p < si->parts; p++)
		if (in_force(x, p))
			part_left(x, d, p, e);
}

bool part_estimated(const struct table *t, uint32_t r UNUSED, uint32_t e UNUSED)
{
	return gstages_divide(t->x->gstages) && t->g->marks.estimated;
}

uint64_t part_self(const struct table *t, uint32_t r, uint32_t e)
{
	const struct part_rows *d = t->data;

	return d->left ? d->left[e][r] : store_part_self(t->g->st, r, e);
}

uint64_t part_functions(const struct table *t, uint32_t r, uint32_t e UNUSED)
{
	const struct part_rows *d = t->data;

	return d->functions ? d->functions[r] : part_of_row(t, r).functions;
}

uint64_t thread_self(const struct table *t, uint32_t r, uint32_t e)
{
	const struct part first = part_of_row(t, r);
	int64_t sum = 0;

	for (uint32_t p = 0; p < store_info(t->g->st)->parts; p++) {
		struct part other;

		store_part(t->g->st, p, &other);
		if (in_force(t->x, p) && other.pid == first.pid &&
		    other.thread == first.thread)
			cost_add(&sum, part_self(t, p, e));
	}
	return sum;
}

uint64_t thread_parts(const struct table *t, uint32_t r, uint32_t e UNUSED)
{
	return ((const struct part_rows *)t->data)->thread[r].parts;
}

static const struct listed part_list[] = {
	{"part", BOTH, 1},
	{"pid", BOTH, 11},
	{"thread", BOTH, 6},
	{"self", BOTH, 2},
	{"self%", SHOW_T | HAS_BAR, 3},
	{"trigger", BOTH, 7},
	{"time_range", BOTH, 8},
	{"desc", SHOW_M, 0},
	{"functions", BOTH, 9},
	{"file", SHOW_M, 12},
	{"row", 0, 0},
	{"description", 0, 0},
	{"has_totals", 0, 0},
};
static const struct listed thread_list[] = {
	{"part", SHOW_M, 0},
	{"pid", BOTH, 5},
	{"thread", BOTH, 1},
	{"self", BOTH, 2},
	{"self%", SHOW_T | HAS_BAR, 3},
	{"trigger", SHOW_M, 0},
	{"time_range", SHOW_M, 0},
	{"desc", SHOW_M, 0},
	{"parts", BOTH, 4},
};

static void parts_open(struct exec *x, const struct source *s UNUSED, struct table *t)
{
	t->data = EXEC_ARRAY(x, struct part_rows, 1);
	parts_init(x, t, &source_parts);
	keep_in_force(x, t);
}

/* The threads of the parts in force; rows: [parts + 1]. */
static void find_threads(struct exec *x, struct thread *rows, uint32_t *n)
{
	for (uint32_t p = *n = 0; p < store_info(x->g->st)->parts; p++) {
		struct part a, b;
		uint32_t i = 0;

		if (!in_force(x, p))
			continue;
		store_part(x->g->st, p, &a);
		for (; i < *n; i++) {
			store_part(x->g->st, rows[i].first, &b);
			if (a.pid == b.pid && a.thread == b.thread)
				break;
			exec_poll(x);
		}
		if (i == *n)
			rows[(*n)++].first = p;
		rows[i].parts++;
	}
}

static void threads_open(struct exec *x, const struct source *s UNUSED, struct table *t)
{
	struct thread *rows =
		EXEC_ARRAY(x, struct thread, (size_t)store_info(x->g->st)->parts + 1);
	struct part_rows *d = EXEC_ARRAY(x, struct part_rows, 1);
	uint32_t n;

	find_threads(x, rows, &n);
	d->thread = rows;
	t->data = d;
	table_init(x, t, &source_threads, x->g, n);
}

uint64_t info_threads(const struct table *t, uint32_t r UNUSED, uint32_t e UNUSED)
{
	struct thread *rows =
		EXEC_ARRAY(t->x, struct thread, (size_t)store_info(t->g->st)->parts + 1);
	uint32_t n = 0;

	find_threads(t->x, rows, &n);
	return n;
}

/* A part is known by its trigger or, without one, by its description, since a program that
 * dumps a part per benchmark names the benchmark there.  Parts that are called alike, and
 * two sets of parts of one profile, are compared in their order. */
static void part_subject(const struct table *t, uint32_t r, struct row_subject *out)
{
	const struct part p = part_of_row(t, r);

	if (t->x->other->st == t->g->st)
		return;
	if (t->src == &source_threads)
		out->line = p.thread;
	else
		out->name = p.trigger.n ? p.trigger : p.desc;
}

const struct source_def source_parts = {
	.few_calls = true,
	.name = "parts",
	.rows = "parts",
	.primary = "self",
	.of = ROWS_PART,
	COLUMNS(part_list),
	.open = parts_open,
	.subject = part_subject,
	.row = part_struct,
};
const struct source_def source_threads = {
	.few_calls = true,
	.name = "threads",
	.rows = "threads",
	.primary = "self",
	.of = ROWS_THREAD,
	COLUMNS(thread_list),
	.open = threads_open,
	.subject = part_subject,
	.row = part_struct,
};

/* ---- parts of f: a set's cost over the parts, its calls as `functions` counts them ---- */

struct part_of_set {
	int64_t *self, *incoming; /* [parts * events] */
	uint64_t *calls;	  /* [parts] */
	uint32_t events;
	int64_t most; /* the largest self cost of the shown event */
	/* What stages leave: [all events][2 * parts], self and incoming; or NULL. */
	int64_t **left;
	struct fn_set *of_store;
	bool sure; /* the stages change no self cost of the set */
};

uint64_t set_self(const struct table *t, uint32_t r, uint32_t e)
{
	const struct part_of_set *s = t->data;

	return s->left ? s->left[e][2 * r]
		       : store_event_of(t->g->st, e, s->self + (size_t)r * s->events);
}

uint64_t set_incoming(const struct table *t, uint32_t r, uint32_t e)
{
	const struct part_of_set *s = t->data;

	return s->left ? s->left[e][2 * r + 1]
		       : store_event_of(t->g->st, e, s->incoming + (size_t)r * s->events);
}

uint64_t set_calls(const struct table *t, uint32_t r, uint32_t e UNUSED)
{
	return ((const struct part_of_set *)t->data)->calls[r];
}

bool set_not_counted(const struct table *t, uint32_t r)
{
	return !store_counts_calls(t->g->st) || set_calls(t, r, 0) == CALLS_UNKNOWN;
}

/* A bar of one of eight heights per part, the costliest part the highest. */
struct str set_spark(const struct table *t, uint32_t r)
{
	static const char *const block[] = {
		"\xe2\x96\x81", "\xe2\x96\x82", "\xe2\x96\x83", "\xe2\x96\x84",
		"\xe2\x96\x85", "\xe2\x96\x86", "\xe2\x96\x87", "\xe2\x96\x88"};
	const struct part_of_set *s = t->data;
	const int64_t now = (int64_t)set_self(t, r, t->event);
	double share = s->most ? 8.0 * (double)now / (double)s->most : 0;

	return now <= 0 ? (struct str){"", 0}
			: str_c(block[share >= 7 ? 7 : (size_t)share]);
}

static const struct listed part_of_list[] = {
	{"part", BOTH, 1},     {"pid", BOTH, 11},     {"thread", BOTH, 6},
	{"self", BOTH, 2},     {"incoming", BOTH, 4}, {"calls", BOTH, 5},
	{"spark", SHOW_T, 10}, {"trigger", BOTH, 7},  {"time_range", BOTH, 8},
	{"desc", SHOW_M, 0},   {"file", SHOW_M, 12},  {"row", 0, 0},
};

bool set_estimated(const struct table *t, uint32_t r UNUSED, uint32_t e UNUSED)
{
	return ((const struct part_of_set *)t->data)->left && t->g->marks.estimated;
}

bool set_self_estimated(const struct table *t, uint32_t r, uint32_t e)
{
	return set_estimated(t, r, e) && !((const struct part_of_set *)t->data)->sure;
}

static void set_left(struct exec *x, struct part_of_set *s, uint32_t part, uint32_t e)
{
	int64_t *self = &s->left[e][2 * part];
	struct exec one = *x;
	struct fn_set *set;
	struct arena *a;

	a = need_scratch(x->a);
	one.a = a;
	s->calls[part] = 0;
	exec_gstages_of_part(x, part, a, &one.g);
	graph_event(one.g, e);
	exec_set_of_store(&one, s->of_store, &set);
	for (uint32_t f = fnset_next(set, 0); f != FNSET_NONE;
	     f = fnset_next(set, f + 1)) {
		cost_add(&self[0], graph_self(one.g, f, e));
		cost_add(&self[1], graph_incoming(one.g, f, e));
		count_add(&s->calls[part], graph_calls_counted(one.g, f)
						   ? graph_calls(one.g, f)
						   : CALLS_UNKNOWN);
	}
	scratch_free(a);
}

void set_prepare(const struct table *t, uint32_t e)
{
	struct part_of_set *s = t->data;
	const uint32_t parts = store_info(t->g->st)->parts;

	if (!s->left || s->left[e])
		return;
	s->left[e] = EXEC_ARRAY(t->x, int64_t, 2 * (size_t)parts);
	for (uint32_t p = 0; p < parts; p++)
		if (in_force(t->x, p))
			set_left(t->x, s, p, e);
}

/* Parts after stages that divide costs: each as the stages leave it alone. */
static void open_left(struct exec *x, const struct fn_set *set, struct table *t)
{
	struct part_of_set *s = t->data;

	s->left = EXEC_ARRAY(x, int64_t *, store_info(x->g->st)->all_events);
	exec_set_to_store(x, set, &s->of_store);
	s->sure = true;
	for (uint32_t f = fnset_next(set, 0); f != FNSET_NONE; f = fnset_next(set, f + 1))
		s->sure &= graph_is_sure(x->g, f, GRAPH_SELF);
	set_prepare(t, t->event);
}

static bool is_member(const struct graph *g, const struct fn_set *set, uint32_t f)
{
	uint32_t here = graph_of_store(g, f);

	return here != GRAPH_NONE && fnset_has(set, here);
}

static void add_part_of_set(struct exec *x, const struct fn_set *set, uint32_t p,
			    struct part_of_set *s, struct arena *scratch)
{
	struct store *st = x->g->st;
	uint32_t events = s->events, *id;
	uint64_t *calls;
	int64_t *costs;
	size_t n;

	arena_reset(scratch);
	need(store_part_functions(st, p, scratch, &id, &costs, &n, x->err), x->err);
	for (size_t i = 0; i < n; i++)
		if (is_member(x->g, set, id[i]))
			cost_add_each(s->self + (size_t)p * events, costs + i * events,
				      events);
	need(store_part_edges(st, p, scratch, &id, &calls, &costs, &n, x->err), x->err);
	for (size_t i = 0; i < n; i++) {
		struct store_edge edge;

		store_edge(st, id[i], &edge);
		if (!is_member(x->g, set, edge.callee))
			continue;
		graph_add_calls(x->g, &s->calls[p], calls[i]);
		cost_add_each(s->incoming + (size_t)p * events, costs + i * events,
			      events);
	}
	exec_poll_now(x);
}

static void parts_of_open(struct exec *x, const struct source *src, struct table *t)
{
	const struct store_info *si = store_info(x->g->st);
	struct part_of_set *s = EXEC_ARRAY(x, struct part_of_set, 1);
	struct arena *scratch;
	struct fn_set *set;

	exec_set(x, src->of, &set);
	s->events = si->events;
	s->self = EXEC_ARRAY(x, int64_t, (size_t)si->parts * si->events + 1);
	s->incoming = EXEC_ARRAY(x, int64_t, (size_t)si->parts * si->events + 1);
	s->calls = EXEC_ARRAY(x, uint64_t, (size_t)si->parts + 1);
	t->data = s;
	parts_init(x, t, &source_parts_of);
	scratch = need_scratch(x->a);
	if (gstages_divide(x->gstages))
		open_left(x, set, t);
	for (uint32_t p = 0; p < si->parts && !s->left; p++)
		if (in_force(x, p))
			add_part_of_set(x, set, p, s, scratch);
	for (uint32_t i = 0; i < store_roots(x->g->st) && !s->left; i++) {
		const struct store_root root = store_root(x->g->st, i);

		if (in_force(x, root.part) && is_member(x->g, set, root.fn))
			count_add(&s->calls[root.part], root.calls);
	}
	scratch_free(scratch);
	for (uint32_t p = 0; p < si->parts; p++) {
		const int64_t now = (int64_t)set_self(t, p, t->event);

		s->most = now > s->most ? now : s->most;
	}
	keep_in_force(x, t);
}

const struct source_def source_parts_of = {
	.name = "parts",
	.rows = "parts",
	.primary = "self",
	.of = ROWS_PART_OF,
	COLUMNS(part_of_list),
	.open = parts_of_open,
	.subject = part_subject,
	.row = part_struct,
};
