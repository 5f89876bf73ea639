/* source_parts.c - parts, threads (the parts of one pid and thread), parts of f. */

#include "engine/rows/exec.h"
#include "engine/rows/exec_set.h"
#include "engine/sources/source.h"

#define COUNT(a) (sizeof(a) / sizeof((a)[0]))
#define BOTH (SHOW_M | SHOW_T)

/* ---- parts, and threads: parts of one (pid, thread) ---- */

struct thread {
	uint32_t first, parts; /* one of its parts, and how many there are */
};

static uint32_t part_at(const struct table *t, uint32_t r)
{
	return t->src == &source_threads ? ((const struct thread *)t->data)[r].first : r;
}

static struct store_part part_of_row(const struct table *t, uint32_t r)
{
	struct store_part p;

	store_part(t->g->st, part_at(t, r), &p);
	return p;
}

#define PART_U(name)                                                               \
	static uint64_t part_##name(const struct table *t, uint32_t r, uint32_t e) \
	{                                                                          \
		(void)e;                                                           \
		return part_of_row(t, r).name;                                     \
	}
#define PART_S(name)                                                     \
	static struct str part_##name(const struct table *t, uint32_t r) \
	{                                                                \
		return part_of_row(t, r).name;                           \
	}
PART_U(part)
PART_U(pid)
PART_U(thread)
PART_U(functions)
PART_S(trigger)
PART_S(time_range)
PART_S(desc)

static struct str part_file(const struct table *t, uint32_t r)
{
	return str_from(store_input_path(t->g->st, part_of_row(t, r).file), t->path_from);
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
static int parts_init(struct exec *x, struct table *t, const struct source_def *src)
{
	uint32_t files;

	if (table_init(x, t, src, x->g, store_info(x->g->st)->parts))
		return x->err->kind;
	store_inputs(x->g->st, &files);
	t->path_from = shared_path(x->g->st, files);
	for (size_t i = 0; i < t->ncols; i++)
		if (t->cols[i]->def->s == part_file)
			t->cols[i]->table = files > 1;
	return 0;
}

/* Is this one of the parts chosen by `part` and `thread`? */
static bool in_force(const struct exec *x, uint32_t part)
{
	return !x->parts || x->parts[part];
}

static int keep_in_force(struct exec *x, struct table *t)
{
	uint32_t *keep = EXEC_ARRAY(x, uint32_t, t->n + 1);
	size_t n = 0;

	if (!keep)
		return x->err->kind;
	for (uint32_t p = 0; p < t->n; p++)
		if (in_force(x, p))
			keep[n++] = p;
	t->rows_before = n;
	return n < t->n ? table_select(t, keep, n) : 0;
}

static uint64_t part_self(const struct table *t, uint32_t r, uint32_t e)
{
	uint64_t sum = 0;
	struct store_part first = part_of_row(t, r);

	if (t->src != &source_threads)
		return store_part_self(t->g->st, r, e);
	for (uint32_t p = 0; p < store_info(t->g->st)->parts; p++) {
		struct store_part other;

		store_part(t->g->st, p, &other);
		if (in_force(t->x, p) && other.pid == first.pid &&
		    other.thread == first.thread &&
		    __builtin_add_overflow(sum, store_part_self(t->g->st, p, e), &sum))
			return UINT64_MAX;
	}
	return sum;
}

static uint64_t part_row(const struct table *t, uint32_t r, uint32_t e)
{
	(void)e;
	return t->src == &source_threads ? ((const struct thread *)t->data)[r].parts
					 : (uint64_t)r + 1;
}

static const struct col_def part_cols[] = {
	{"part", COL_ID, BOTH, .u = part_part},
	{"pid", COL_ID, BOTH, .u = part_pid},
	{"thread", COL_ID, BOTH, .u = part_thread},
	{"self", COL_COST, BOTH | PER_EVENT | ADDS_UP, .u = part_self},
	{"self%", COL_PERCENT, SHOW_T | PER_EVENT | OF_TOTAL | HAS_BAR, .u = NULL},
	{"trigger", COL_STR, BOTH, .s = part_trigger},
	{"time_range", COL_STR, BOTH, .s = part_time_range},
	{"desc", COL_STR, SHOW_M, .s = part_desc},
	{"functions", COL_COUNT, SHOW_M | SHOW_T, .u = part_functions},
	{"file", COL_FILE, BOTH, .s = part_file},
	{"row", COL_COUNT, 0, .u = part_row},
};
static const struct col_def thread_cols[] = {
	{"part", COL_ID, SHOW_M, .u = part_part},
	{"pid", COL_ID, BOTH, .u = part_pid},
	{"thread", COL_ID, BOTH, .u = part_thread},
	{"self", COL_COST, BOTH | PER_EVENT | ADDS_UP, .u = part_self},
	{"self%", COL_PERCENT, SHOW_T | PER_EVENT | OF_TOTAL | HAS_BAR, .u = NULL},
	{"trigger", COL_STR, SHOW_M, .s = part_trigger},
	{"time_range", COL_STR, SHOW_M, .s = part_time_range},
	{"desc", COL_STR, SHOW_M, .s = part_desc},
	{"parts", COL_COUNT, SHOW_M | SHOW_T, .u = part_row},
};

static int parts_open(struct exec *x, const struct source *s, struct table *t)
{
	(void)s;
	return parts_init(x, t, &source_parts) || keep_in_force(x, t) ? x->err->kind : 0;
}

static int threads_open(struct exec *x, const struct source *s, struct table *t)
{
	uint32_t parts = store_info(x->g->st)->parts, n = 0;
	struct thread *rows = EXEC_ARRAY(x, struct thread, (size_t)parts + 1);

	(void)s;
	if (!rows)
		return x->err->kind;
	for (uint32_t p = 0; p < parts; p++) {
		struct store_part a, b;
		uint32_t i = 0;

		if (!in_force(x, p))
			continue;
		store_part(x->g->st, p, &a);
		for (; i < n; i++) {
			store_part(x->g->st, rows[i].first, &b);
			if (a.pid == b.pid && a.thread == b.thread)
				break;
			if (exec_poll(x))
				return x->err->kind;
		}
		if (i == n)
			rows[n++].first = p;
		rows[i].parts++;
	}
	t->data = rows;
	return table_init(x, t, &source_threads, x->g, n);
}

/* A part is known by its trigger or, without one, by its description, since a program that
 * dumps a part per benchmark names the benchmark there.  Parts that are called alike, and
 * two sets of parts of one profile, are compared in their order. */
static void part_subject(const struct table *t, uint32_t r, struct row_subject *out)
{
	const struct store_part p = part_of_row(t, r);

	if (t->x->other->st == t->g->st)
		return;
	if (t->src == &source_threads)
		out->line = p.thread;
	else
		out->name = p.trigger.n ? p.trigger : p.desc;
}

const struct source_def source_parts = {
	"parts", "parts",    "self", part_cols,	   COUNT(part_cols),
	false,	 parts_open, NULL,   part_subject,
};
const struct source_def source_threads = {
	"threads", "threads",	 "self", thread_cols,  COUNT(thread_cols),
	false,	   threads_open, NULL,	 part_subject,
};

/* ---- parts of f: a set's cost over the parts, its calls as `functions` counts them ---- */

struct part_of_set {
	uint64_t *self, *incoming; /* [parts * events] */
	uint64_t *calls;	   /* [parts] */
	uint32_t events;
	uint64_t most; /* the largest self cost of the shown event */
};

static uint64_t set_self(const struct table *t, uint32_t r, uint32_t e)
{
	const struct part_of_set *s = t->data;

	return store_event_of(t->g->st, e, s->self + (size_t)r * s->events);
}

static uint64_t set_incoming(const struct table *t, uint32_t r, uint32_t e)
{
	const struct part_of_set *s = t->data;

	return store_event_of(t->g->st, e, s->incoming + (size_t)r * s->events);
}

static uint64_t set_calls(const struct table *t, uint32_t r, uint32_t e)
{
	(void)e;
	return ((const struct part_of_set *)t->data)->calls[r];
}

/* A bar of one of eight heights per part, the costliest part the highest. */
static struct str set_spark(const struct table *t, uint32_t r)
{
	static const char *const block[] = {
		"\xe2\x96\x81", "\xe2\x96\x82", "\xe2\x96\x83", "\xe2\x96\x84",
		"\xe2\x96\x85", "\xe2\x96\x86", "\xe2\x96\x87", "\xe2\x96\x88"};
	const struct part_of_set *s = t->data;
	uint64_t now = set_self(t, r, t->event);
	double share = s->most ? 8.0 * (double)now / (double)s->most : 0;

	return now == 0 ? (struct str){"", 0}
			: str_c(block[share >= 7 ? 7 : (size_t)share]);
}

static const struct col_def part_of_cols[] = {
	{"part", COL_ID, BOTH, .u = part_part},
	{"pid", COL_ID, BOTH, .u = part_pid},
	{"thread", COL_ID, BOTH, .u = part_thread},
	{"self", COL_COST, BOTH | PER_EVENT | ADDS_UP, .u = set_self},
	{"incoming", COL_COST, BOTH | PER_EVENT | ADDS_UP, .u = set_incoming},
	{"calls", COL_COUNT, BOTH | ADDS_UP, .u = set_calls},
	{"spark", COL_STR, SHOW_T, .s = set_spark},
	{"trigger", COL_STR, BOTH, .s = part_trigger},
	{"time_range", COL_STR, BOTH, .s = part_time_range},
	{"desc", COL_STR, SHOW_M, .s = part_desc},
	{"file", COL_FILE, BOTH, .s = part_file},
	{"row", COL_COUNT, 0, .u = part_row},
};

static bool is_member(const struct graph *g, const struct fn_set *set, uint32_t f)
{
	uint32_t here = graph_of_store(g, f);

	return here != GRAPH_NONE && fnset_has(set, here);
}

static void add_costs(uint64_t *to, const uint64_t *from, uint32_t n)
{
	for (uint32_t e = 0; e < n; e++)
		if (__builtin_add_overflow(to[e], from[e], &to[e]))
			to[e] = UINT64_MAX;
}

static int add_part_of_set(struct exec *x, const struct fn_set *set, uint32_t p,
			   struct part_of_set *s, struct arena *scratch)
{
	struct store *st = x->g->st;
	uint32_t events = s->events, *id;
	uint64_t *costs, *calls;
	size_t n;

	arena_reset(scratch);
	if (store_part_functions(st, p, scratch, &id, &costs, &n, x->err))
		return x->err->kind;
	for (size_t i = 0; i < n; i++)
		if (is_member(x->g, set, id[i]))
			add_costs(s->self + (size_t)p * events, costs + i * events,
				  events);
	if (store_part_edges(st, p, scratch, &id, &calls, &costs, &n, x->err))
		return x->err->kind;
	for (size_t i = 0; i < n; i++) {
		struct store_edge edge;

		store_edge(st, id[i], &edge);
		if (!is_member(x->g, set, edge.callee))
			continue;
		if (__builtin_add_overflow(s->calls[p], calls[i], &s->calls[p]))
			s->calls[p] = UINT64_MAX;
		add_costs(s->incoming + (size_t)p * events, costs + i * events, events);
	}
	return exec_stop(x);
}

static int parts_of_open(struct exec *x, const struct source *src, struct table *t)
{
	const struct store_info *si = store_info(x->g->st);
	struct part_of_set *s = EXEC_ARRAY(x, struct part_of_set, 1);
	struct arena scratch;
	struct fn_set *set;
	int rc = 0;

	if (!s || exec_set(x, src->of, &set))
		return x->err->kind;
	s->events = si->events;
	s->self = EXEC_ARRAY(x, uint64_t, (size_t)si->parts * si->events + 1);
	s->incoming = EXEC_ARRAY(x, uint64_t, (size_t)si->parts * si->events + 1);
	s->calls = EXEC_ARRAY(x, uint64_t, (size_t)si->parts + 1);
	if (!s->self || !s->incoming || !s->calls)
		return x->err->kind;
	t->data = s;
	if (parts_init(x, t, &source_parts_of))
		return x->err->kind;
	arena_init(&scratch, x->a->cap);
	for (uint32_t p = 0; p < si->parts && !rc; p++)
		rc = in_force(x, p) ? add_part_of_set(x, set, p, s, &scratch) : 0;
	arena_free(&scratch);
	for (uint32_t p = 0; p < si->parts && !rc; p++) {
		uint64_t now = set_self(t, p, t->event);

		s->most = now > s->most ? now : s->most;
	}
	return rc ? rc : keep_in_force(x, t);
}

const struct source_def source_parts_of = {
	"parts", "parts",	"self", part_of_cols, COUNT(part_of_cols),
	false,	 parts_of_open, NULL,	part_subject,
};
