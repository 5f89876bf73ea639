/*
 * store_column.c - the columns of an index: events, functions, edges, cycles, parts.
 *
 * A row is looked up in its block (store_block.c).  Derived events are computed from the
 * recorded ones.  An algorithm over a whole column gets it as one array (store_u32,
 * store_u64, store_costs).  Ids were checked with their block (store_ids.c).
 */
#include <string.h>

#include "index/base/bisect.h"
#include "index/base/cost.h"
#include "index/base/err.h"
#include "index/format/column_code.h"
#include "index/store/store_in.h"

uint64_t store_come_near(struct store *st, enum index_table t, uint32_t event,
			 uint64_t row)
{
	const struct block *at = store_met(st, t, event, row / BLOCK_ROWS);
	struct blocks *b = at ? &st->blocks[t][event] : NULL;
	const uint32_t i = row % BLOCK_ROWS, from = i - i % GROUP_ROWS;
	const uint64_t group = 1 + row / GROUP_ROWS;

	if (!b || i >= at->rows)
		return 0;
	if (b->near != group) {
		b->near = group;
		b->unpacked = false;
		return column_row(at->p, at->bytes, at->rows, i);
	}
	memset(b->row, 0, sizeof(b->row));
	b->unpacked = true;
	column_read(b->row, sizeof(*b->row), at->p, at->bytes, at->rows, from,
		    at->rows - from < GROUP_ROWS ? at->rows - from : GROUP_ROWS);
	return b->row[row % GROUP_ROWS];
}

uint32_t store_row_id(struct store *st, enum index_table t, uint32_t event, uint64_t row,
		      uint64_t n)
{
	uint32_t id = store_row_u32(st, t, event, row);

	if (id >= n) {
		store_damaged(st, t, (uint32_t)(row / BLOCK_ROWS),
			      "an id is out of range");
		return 0;
	}
	return id;
}

/* ---- events ---- */

void store_event(const struct store *st, uint32_t e, struct store_event *out)
{
	const struct event *ev = &st->meta.event[e];

	*out = (struct store_event){ev->name, ev->long_name, ev->formula, ev->builtin};
}

uint32_t store_event_find(const struct store *st, struct str name)
{
	uint32_t e = 0;

	while (e < st->info.all_events && !str_eq(st->meta.event[e].name, name))
		e++;
	return e;
}

/* A sum of events, each so many times.  An end stands for all beyond it: its sums are at an end. */
struct sum {
	__int128 of;
	int64_t end; /* 0: at none */
};

static void sum_add(struct sum *s, int64_t times, int64_t v)
{
	if (times && !s->end &&
	    (cost_is_end(v) ||
	     __builtin_add_overflow(s->of, (__int128)times * v, &s->of)))
		s->end = (times < 0) == (v < 0) ? INT64_MAX : INT64_MIN;
}

static int64_t sum_cost(const struct sum *s)
{
	return s->end		   ? s->end
	       : s->of < INT64_MIN ? INT64_MIN
	       : s->of > INT64_MAX ? INT64_MAX
				   : (int64_t)s->of;
}

int64_t store_event_coef(const struct store *st, uint32_t e, uint32_t i)
{
	const int64_t *coef = st->meta.event[e].coef;

	return coef ? coef[i] : e == i;
}

bool store_event_is_added(const struct store *st, uint32_t e)
{
	return e < st->info.all_events && e >= st->info.all_events - st->added;
}

/* Room for one event more. */
static bool grow_events(struct store *st)
{
	const uint32_t n = st->info.all_events;
	struct event *event = ARENA_ARRAY(&st->arena, struct event, (size_t)n + 1);

	if (!event)
		return false;
	memcpy(event, st->meta.event, n * sizeof(*event));
	st->meta.event = event;
	st->meta.all_events = st->info.all_events = n + 1;
	st->added++;
	return true;
}

int store_define_event(struct store *st, struct str name, struct str formula,
		       const int64_t *coef, struct err *err)
{
	const size_t n = st->info.events;
	const uint32_t e = store_event_find(st, name);
	struct event made = {.name = arena_str(&st->arena, name),
			     .formula = arena_str(&st->arena, formula),
			     .coef = ARENA_ARRAY(&st->arena, int64_t, n + 1)};

	if (e < st->info.all_events && !store_event_is_added(st, e))
		return 0;
	if (!made.name.p || !made.formula.p || !made.coef ||
	    (e == st->info.all_events && !grow_events(st)))
		return err_no_memory(err, NULL);
	memcpy(made.coef, coef, n * sizeof(*coef));
	st->meta.event[e] = made;
	return store_forget_event(st, e) ? 0 : err_no_memory(err, NULL);
}

int64_t store_event_of(const struct store *st, uint32_t e, const int64_t *recorded)
{
	const int64_t *coef = st->meta.event[e].coef;
	struct sum sum = {0};

	if (!coef)
		return recorded[e];
	for (uint32_t i = 0; i < st->info.events; i++)
		sum_add(&sum, coef[i], recorded[i]);
	return sum_cost(&sum);
}

int64_t store_cost_at(struct store *st, enum index_table t, uint32_t e, uint64_t row)
{
	const int64_t *coef;
	struct sum sum = {0};

	if (e < st->info.events)
		return (int64_t)store_row_u64(st, t, e, row);
	if (e >= st->info.all_events)
		return 0;
	coef = st->meta.event[e].coef;
	for (uint32_t i = 0; i < st->info.events; i++)
		if (coef[i])
			sum_add(&sum, coef[i], (int64_t)store_row_u64(st, t, i, row));
	return sum_cost(&sum);
}

int64_t store_total(const struct store *st, uint32_t e)
{
	return store_event_of(st, e, st->meta.total);
}

/* ---- functions ---- */

name_id store_fn_name_id(struct store *st, fn_id f)
{
	return store_row_id(st, TABLE_FN_NAME, 0, f, st->info.names);
}

file_id store_fn_file_id(struct store *st, fn_id f)
{
	return store_row_id(st, TABLE_FN_FILE, 0, f, st->info.files);
}

obj_id store_fn_obj_id(struct store *st, fn_id f)
{
	return store_row_id(st, TABLE_FN_OBJ, 0, f, st->info.objects);
}

uint64_t store_fn_line(struct store *st, fn_id f)
{
	return store_row_u64(st, TABLE_FN_LINE, 0, f);
}

static uint32_t fn_called(struct store *st, fn_id f)
{
	return store_row_id(st, TABLE_FN_CALLED, 0, f, FN_CALLED_VALUES);
}

uint32_t store_fn_begin(struct store *st, fn_id f)
{
	const uint64_t line = store_fn_line(st, f);

	return fn_called(st, f) & FN_BEGINS && line <= UINT32_MAX ? (uint32_t)line : 0;
}

bool store_fn_calls_only(struct store *st, fn_id f)
{
	return fn_called(st, f) & FN_CALLS_ONLY;
}

bool store_fn_bare(struct store *st, fn_id f)
{
	return fn_called(st, f) & FN_BARE;
}

uint32_t store_fn_cycle(struct store *st, fn_id f)
{
	return store_row_id(st, TABLE_FN_CYCLE, 0, f, (uint64_t)st->info.cycles + 1);
}

uint64_t store_fn_calls(struct store *st, fn_id f)
{
	return store_row_u64(st, TABLE_FN_CALLS, 0, f);
}

int64_t store_fn_self(struct store *st, fn_id f, uint32_t e)
{
	return store_cost_at(st, TABLE_FN_SELF, e, f);
}

int64_t store_fn_incl(struct store *st, fn_id f, uint32_t e)
{
	return store_cost_at(st, TABLE_FN_INCL, e, f);
}

/* The first row in lo..hi of an ascending u32 column that is at least v; hi if there is
 * none. */
static uint32_t store_lower_row(struct store *st, enum index_table t, uint32_t lo,
				uint32_t hi, uint64_t v)
{
	struct bisect b = bisect_in(lo, hi);

	while (bisect_next(&b))
		bisect_step(&b, store_row_u32(st, t, 0, (uint32_t)b.mid) < v);
	return (uint32_t)b.lo;
}

bool store_fn_nests(struct store *st, fn_id f)
{
	uint32_t cycle = store_fn_cycle(st, f), lo, hi, at;

	if (!cycle)
		return false;
	lo = store_row_u32(st, TABLE_CYCLE_FIRST, 0, cycle - 1);
	hi = store_row_u32(st, TABLE_CYCLE_FIRST, 0, cycle);
	at = store_lower_row(st, TABLE_CYCLE_MEMBER, lo, hi, f);
	if (at >= hi || store_row_u32(st, TABLE_CYCLE_MEMBER, 0, at) != f) {
		store_damaged(st, TABLE_CYCLE_MEMBER, at / BLOCK_ROWS,
			      "a member is missing");
		return false;
	}
	return store_row_u64(st, TABLE_CYCLE_NESTS, 0, at) != 0;
}

fn_id store_rank_self(struct store *st, uint32_t e, uint32_t i)
{
	return store_row_id(st, TABLE_RANK_SELF, e, i, st->info.functions);
}

fn_id store_rank_incl(struct store *st, uint32_t e, uint32_t i)
{
	return store_row_id(st, TABLE_RANK_INCL, e, i, st->info.functions);
}

void store_fns_of_name(struct store *st, name_id name, fn_id *first, uint32_t *n)
{
	uint32_t functions = st->info.functions;

	*first = (fn_id)store_lower_row(st, TABLE_FN_NAME, 0, functions, name);
	/* From there: rows that are out of order do not make it negative. */
	*n = (uint32_t)store_lower_row(st, TABLE_FN_NAME, *first, functions,
				       (uint64_t)name + 1) -
	     *first;
}

/* ---- edges ---- */

fn_id store_edge_caller(struct store *st, edge_id id)
{
	return store_row_id(st, TABLE_EDGE_CALLER, 0, id, st->info.functions);
}

fn_id store_edge_callee(struct store *st, edge_id id)
{
	return store_row_id(st, TABLE_EDGE_CALLEE, 0, id, st->info.functions);
}

uint64_t store_edge_calls(struct store *st, edge_id id)
{
	return store_row_u64(st, TABLE_EDGE_CALLS, 0, id);
}

void store_edge(struct store *st, edge_id id, struct store_edge *out)
{
	uint32_t cycle;

	out->caller = store_edge_caller(st, id);
	out->callee = store_edge_callee(st, id);
	out->calls = store_edge_calls(st, id);
	out->recursive = out->caller == out->callee;
	cycle = store_fn_cycle(st, out->caller);
	out->in_cycle =
		out->recursive || (cycle && cycle == store_fn_cycle(st, out->callee));
}

int64_t store_edge_incl(struct store *st, edge_id id, uint32_t e)
{
	return store_cost_at(st, TABLE_EDGE_INCL, e, id);
}

static uint32_t span(struct store *st, enum index_table t, fn_id f, uint32_t *first)
{
	uint32_t from = (uint32_t)store_near_u64(st, t, 0, f),
		 to = (uint32_t)store_near_u64(st, t, 0, (uint64_t)f + 1);

	if (from > to || to > st->info.edges) {
		store_damaged(st, t, f / BLOCK_ROWS, "a span is out of range");
		from = to = 0;
	}
	*first = from;
	return to - from;
}

void store_callees(struct store *st, fn_id f, edge_id *first, uint32_t *n)
{
	*n = span(st, TABLE_OUT_FIRST, f, first);
}

bool store_calls_itself(struct store *st, fn_id f)
{
	uint32_t first, n = span(st, TABLE_OUT_FIRST, f, &first);

	for (uint32_t i = 0; i < n; i++)
		if (store_near_u64(st, TABLE_EDGE_CALLEE, 0, (uint64_t)first + i) == f)
			return true;
	return false;
}

uint32_t store_caller_count(struct store *st, fn_id f)
{
	uint32_t first;

	return span(st, TABLE_IN_FIRST, f, &first);
}

edge_id store_caller(struct store *st, fn_id f, uint32_t i)
{
	uint32_t first, n = span(st, TABLE_IN_FIRST, f, &first);

	return i < n ? store_row_id(st, TABLE_IN_EDGE, 0, (uint64_t)first + i,
				    st->info.edges)
		     : 0;
}

/* ---- whole columns ---- */

static const void *column_whole(struct store *st, enum index_table t, uint32_t event);

/* Edges must agree with their spans, so read the spans first: one column is read at a
 * time. */
static bool have_spans(struct store *st, enum index_table t)
{
	return (t != TABLE_EDGE_CALLER && t != TABLE_EDGE_CALLEE) ||
	       column_whole(st, TABLE_OUT_FIRST, 0);
}

/* Groups are numbered by their first function. */
static bool in_order(const uint32_t *group, uint64_t n, uint64_t groups)
{
	uint64_t met = 0;

	for (uint64_t f = 0; f < n && group[f] <= met; f++)
		met += group[f] == met;
	return met == groups;
}

/* Check n ids again: NULL, or what is wrong.  The file may have been written to since its
 * blocks were checked. */
static const char *ids_wrong(struct store *st, enum index_table t, const uint32_t *p,
			     uint64_t n)
{
	const char *wrong = store_ids_wrong(st, t, 0, p, n);

	if (wrong)
		return wrong;
	switch (t) {
	case TABLE_EDGE_CALLER:
		return store_callers_wrong(st, column_whole(st, TABLE_OUT_FIRST, 0), p);
	case TABLE_EDGE_CALLEE:
		return store_callees_wrong(st, column_whole(st, TABLE_OUT_FIRST, 0), p);
	case TABLE_CONTEXT_PARENT: return store_parents_wrong(p, n);
	case TABLE_IN_EDGE:
		return store_each_once(st, p, (size_t)n) ? NULL
							 : "an edge is there twice";
	case TABLE_GROUP_OF:
		return in_order(p, n, st->meta.groups) ? NULL
						       : "the groups are not in order";
	case TABLE_GROUP_FN:
	case TABLE_TOPO:
		return store_each_once(st, p, (size_t)n) ? NULL
							 : "a function is there twice";
	default: return NULL;
	}
}

static const void *column_whole(struct store *st, enum index_table t, uint32_t event)
{
	struct blocks *b = store_blocks(st, t, event);
	uint64_t n = store_rows_of(st, t), width = table_width(t);
	const char *wrong;
	char *p;

	if (!b)
		return NULL;
	if (b->whole)
		return b->whole;
	if (!have_spans(st, t))
		return NULL;
	p = store_load(st, (size_t)n + 1, (size_t)width);
	if (!p)
		return NULL;
	for (uint64_t at = 0; at < n; at += BLOCK_ROWS) {
		uint32_t rows;
		uint64_t bytes;
		const void *from = store_block(st, t, event, (uint32_t)(at / BLOCK_ROWS),
					       &rows, &bytes);

		if (from &&
		    !column_unpack(p + at * width, (unsigned)width, from, bytes, rows))
			store_damaged(st, t, (uint32_t)(at / BLOCK_ROWS),
				      "a row is out of range");
	}
	/* Check the copy: the file may have been written to since its blocks were
	 * checked. */
	if (width == 4 && !st->damage.kind &&
	    (wrong = ids_wrong(st, t, (const void *)p, n)))
		store_damaged(st, t, 0, wrong);
	if (st->damage.kind)
		return NULL;
	return b->whole = store_loaded(st);
}

const uint32_t *store_u32(struct store *st, enum index_table t)
{
	return column_whole(st, t, 0);
}

/* Compute the column of a derived event, once. */
static const int64_t *derived(struct store *st, enum index_table t, uint32_t e)
{
	struct blocks *b = store_blocks(st, t, e);
	uint64_t n = store_rows_of(st, t);
	int64_t *p;

	if (!b || b->whole)
		return b ? b->whole : NULL;
	p = store_load(st, (size_t)n + 1, sizeof(*p));
	if (!p)
		return NULL;
	for (uint64_t i = 0; i < n; i++)
		p[i] = store_cost_at(st, t, e, i);
	return st->damage.kind ? NULL : (b->whole = store_loaded(st));
}

const uint64_t *store_u64(struct store *st, enum index_table t)
{
	return column_whole(st, t, 0);
}

const int64_t *store_costs(struct store *st, enum index_table t, uint32_t e)
{
	return e < store_events_of(st, t) ? column_whole(st, t, e) : derived(st, t, e);
}

/* ---- some rows of a column ---- */

/* Read consecutive rows, u32 or u64. */
static void read_span(struct store *st, enum index_table t, uint32_t e, uint64_t first,
		      size_t n, void *out)
{
	const size_t size = table_width(t);

	for (size_t i = 0, some; i < n; i += some, first += some) {
		const struct block *b = store_met(st, t, e, first / BLOCK_ROWS);
		const size_t at = first % BLOCK_ROWS, left = BLOCK_ROWS - at;
		char *to = (char *)out + i * size;

		some = n - i < left ? n - i : left;
		if (b && at + some <= b->rows) {
			if (column_read(to, (unsigned)size, b->p, b->bytes, b->rows,
					(uint32_t)at, (uint32_t)some))
				continue;
			store_damaged(st, t, (uint32_t)(first / BLOCK_ROWS),
				      "a row is out of range");
		}
		memset(to, 0, some * size);
	}
}

/* How many of row[0..n-1] from the first on are in its group of packed rows. */
static size_t rows_together(const uint32_t *row, size_t n)
{
	const uint32_t group = row[0] / GROUP_ROWS;
	size_t i = 1;

	while (i < n && row[i] / GROUP_ROWS == group)
		i++;
	return i;
}

/* Unpack the group of a row into out if many rows of it are asked for. */
static bool read_group(struct store *st, enum index_table t, uint32_t e, uint32_t row,
		       size_t asked, void *out)
{
	enum { MANY = 8 };
	const uint64_t rows = store_rows_of(st, t), first = row - row % GROUP_ROWS;

	if (asked < MANY || row >= rows)
		return false;
	read_span(st, t, e, first,
		  rows - first < GROUP_ROWS ? (size_t)(rows - first) : GROUP_ROWS, out);
	return true;
}

void store_read_u32(struct store *st, enum index_table t, const uint32_t *row,
		    uint64_t first, size_t n, uint32_t *out)
{
	uint32_t group[GROUP_ROWS] = {0};

	if (!row) {
		read_span(st, t, 0, first, n, out);
		return;
	}
	for (size_t i = 0, some; i < n; i += some) {
		bool all;

		some = rows_together(row + i, n - i);
		all = read_group(st, t, 0, row[i], some, group);
		for (size_t k = i; k < i + some; k++)
			out[k] = all ? group[row[k] % GROUP_ROWS]
				     : store_row_u32(st, t, 0, row[k]);
	}
}

/* Read rows of a column of a recorded event. */
static void read_rows(struct store *st, enum index_table t, uint32_t e,
		      const uint32_t *row, size_t n, uint64_t *out)
{
	uint64_t group[GROUP_ROWS] = {0};

	for (size_t i = 0, some; i < n; i += some) {
		bool all;

		some = rows_together(row + i, n - i);
		all = read_group(st, t, e, row[i], some, group);
		for (size_t k = i; k < i + some; k++)
			out[k] = all ? group[row[k] % GROUP_ROWS]
				     : store_row_u64(st, t, e, row[k]);
	}
}

void store_read_u64(struct store *st, enum index_table t, const uint32_t *row,
		    uint64_t first, size_t n, uint64_t *out)
{
	if (row)
		read_rows(st, t, 0, row, n, out);
	else
		read_span(st, t, 0, first, n, out);
}

void store_read_costs(struct store *st, enum index_table t, uint32_t e,
		      const uint32_t *row, uint64_t first, size_t n, int64_t *out)
{
	if (e >= store_events_of(st, t))
		for (size_t i = 0; i < n; i++)
			out[i] = store_cost_at(st, t, e, row ? row[i] : first + i);
	else if (row)
		read_rows(st, t, e, row, n, (uint64_t *)out);
	else
		read_span(st, t, e, first, n, out);
}

/* A group with a negative cost has the largest unsigned numbers, so it is not skipped. */
uint64_t store_seek(struct store *st, enum index_table t, uint32_t e, uint64_t first,
		    int64_t least)
{
	const uint64_t rows = store_rows_of(st, t);

	if (least <= 0 || e >= store_events_of(st, t))
		return first;
	while (first < rows) {
		const struct block *b = store_met(st, t, e, first / BLOCK_ROWS);
		const volatile uint64_t *head = b ? b->p : NULL;
		uint32_t group = first % BLOCK_ROWS / GROUP_ROWS;

		if (!b)
			return rows;
		for (; group < column_groups(b->rows); group++) {
			if (column_most(head[group]) >= (uint64_t)least)
				return first;
			first += GROUP_ROWS - first % GROUP_ROWS;
		}
	}
	return rows;
}

/* ---- cycles ---- */

void store_cycle(struct store *st, uint32_t cycle, struct store_cycle *out)
{
	const uint32_t *first = column_whole(st, TABLE_CYCLE_FIRST, 0);
	const uint32_t *member = column_whole(st, TABLE_CYCLE_MEMBER, 0);

	*out = (struct store_cycle){0};
	if (!first || !member || cycle == 0 || cycle > st->info.cycles)
		return;
	out->members = member + first[cycle - 1];
	out->functions = first[cycle] - first[cycle - 1];
}

int64_t store_cycle_self(struct store *st, uint32_t cycle, uint32_t e)
{
	return cycle ? store_cost_at(st, TABLE_CYCLE_SELF, e, cycle - 1) : 0;
}

int64_t store_cycle_incl(struct store *st, uint32_t cycle, uint32_t e)
{
	return cycle ? store_cost_at(st, TABLE_CYCLE_INCL, e, cycle - 1) : 0;
}

int64_t store_part_self(struct store *st, uint32_t p, uint32_t e)
{
	return store_cost_at(st, TABLE_PART_SELF, e, p);
}

int64_t store_part_totals(struct store *st, uint32_t p, uint32_t e)
{
	return store_cost_at(st, TABLE_PART_TOTALS, e, p);
}

int64_t store_part_summary(struct store *st, uint32_t p, uint32_t e)
{
	return store_cost_at(st, TABLE_PART_SUMMARY, e, p);
}

void store_totals(struct store *st, struct store_totals *out)
{
	int64_t (*const written)(struct store *, uint32_t, uint32_t) =
		st->meta.totals ? store_part_totals : store_part_summary;

	/* Do not read part headers for this: there may be many. */
	*out = (struct store_totals){.written = st->meta.totals || st->meta.summaries,
				     .agree = true,
				     .summary = !st->meta.totals};
	for (uint32_t e = 0; out->written && out->agree && e < st->info.events; e++) {
		out->event = e;
		out->sum = 0;
		for (uint32_t p = 0; p < st->info.parts; p++)
			cost_add(&out->sum, written(st, p, e));
		out->agree = out->sum == store_total(st, e);
	}
}

struct detail_shape store_shape(const struct store *st)
{
	return (struct detail_shape){st->info.events, st->info.has_instr,
				     st->info.has_line};
}

bool store_grows(const struct store *st, uint32_t e)
{
	struct store_event ev;

	if (!str_starts(store_info(st)->creator, STR("xdebug")) ||
	    e >= store_info(st)->events)
		return false;
	store_event(st, e, &ev);
	return str_starts(ev.name, STR("Memory"));
}
