/*
 * store_detail.c - cost lines, call sites, jumps, parts and diagnostics of an index.
 *
 * Packed bytes were checked with their block; their numbers are checked again when they
 * are used, so that a wrong file cannot make a reader index out of range.
 */
#include <stdlib.h>
#include <string.h>

#include "index/base/err_kind.h"
#include "index/base/sized.h"
#include "index/store/store_in.h"
#include "index/lines/decode.h"
#include "index/base/order.h"
#include "index/base/cost.h"

static int damaged(struct store *st, enum index_table t, const char *what,
		   struct err *err)
{
	store_damaged(st, t, 0, what);
	return store_check(st, err);
}

/* Open the packed rows of a function, of the index if `from` is NULL; *n: how many there
 * are. */
static int open_detail(struct store *st, fn_id f, enum detail_kind kind,
		       const struct bytes *from, struct detail_reader *r, uint64_t *n,
		       struct err *err)
{
	static const enum index_table of[][2] = {{TABLE_LINES, TABLE_LINES_AT},
						 {TABLE_SITES, TABLE_SITES_AT},
						 {TABLE_JUMPS, TABLE_JUMPS_AT}};
	struct detail_shape shape = store_shape(st);
	const unsigned char *p = from ? from->p : NULL, *end = from ? p + from->n : NULL;

	if (!from)
		p = store_packed(st, of[kind][0], store_near_u64(st, of[kind][1], 0, f),
				 &end);
	if (!p)
		return store_check(st, err);
	*n = detail_begin(r, kind, &shape, p, end);
	return r->in.bad ? damaged(st, of[kind][0], "its numbers cannot be read", err)
			 : 0;
}

static int detail_next_line(struct store *st, struct detail_reader *r,
			    struct store_line *row, int64_t *costs, struct err *err)
{
	detail_next(r, (uint64_t *)costs);
	*row = (struct store_line){r->row.file, r->row.line, r->row.instr};
	if (r->in.bad || row->file >= st->info.files + st->info.inlined)
		return damaged(st, TABLE_LINES, "a cost line is out of range", err);
	return 0;
}

bool store_fn_body(struct store *st, fn_id f)
{
	struct detail_shape shape = store_shape(st);
	struct detail_reader r;
	const unsigned char *end, *p;
	edge_id first;
	uint32_t edges;

	store_callees(st, f, &first, &edges);
	if (edges)
		return true;
	if (store_fn_calls_only(st, f))
		return false;
	p = store_packed(st, TABLE_LINES, store_row_u64(st, TABLE_LINES_AT, 0, f), &end);
	return p && detail_begin(&r, DETAIL_LINES, &shape, p, end) > 0;
}

int store_lines_of(struct store *st, fn_id f, const struct bytes *from, struct arena *a,
		   struct store_line **rows, int64_t **costs, size_t *n, struct err *err)
{
	uint32_t events = st->info.events;
	struct detail_reader r;
	struct store_line *row;
	uint64_t count;
	int64_t *cost;

	if (open_detail(st, f, DETAIL_LINES, from, &r, &count, err))
		return err->kind;
	cost = arena_array(a, (size_t)count * events + 1, sizeof(*cost));
	row = cost ? ARENA_ARRAY(a, struct store_line, (size_t)count + 1) : NULL;
	if (!row)
		return arena_full(a, err);
	for (uint64_t i = 0; i < count; i++)
		if (detail_next_line(st, &r, &row[i], cost + i * events, err))
			return err->kind;
	*rows = row;
	*costs = cost;
	*n = (size_t)count;
	return 0;
}

int store_inlined_lines(struct store *st, fn_id f, struct arena *a,
			struct store_line **rows, int64_t **costs, size_t *n,
			struct err *err)
{
	return store_lines_of(st, f, NULL, a, rows, costs, n, err);
}

static int by_line_place(const void *pa, const void *pb)
{
	const struct store_line *a = *(struct store_line *const *)pa,
				*b = *(struct store_line *const *)pb;
	int c = order_u64(a->file, b->file);

	c = c ? c : order_u64(a->instr, b->instr);
	return c ? c : order_u64(a->line, b->line);
}

int store_plain_lines(struct store *st, struct arena *a, struct store_line **rows,
		      int64_t **costs, size_t *n, struct err *err)
{
	const uint32_t events = st->info.events;
	struct store_line **order, *row;
	int64_t *cost;
	struct str name;
	size_t k = 0;

	if (!st->info.inlined)
		return 0;
	order = ARENA_ARRAY(a, struct store_line *, *n + 1);
	row = ARENA_ARRAY(a, struct store_line, *n + 1);
	cost = arena_array(a, *n * events + 1, sizeof(*cost));
	if (!order || !row || !cost)
		return arena_full(a, err);
	for (size_t i = 0; i < *n; i++) {
		order[i] = &(*rows)[i];
		store_inlined(st, order[i]->file, &order[i]->file, &name);
	}
	if (*n)
		qsort(order, *n, sizeof(struct store_line *), by_line_place);
	for (size_t i = 0; i < *n; i++) {
		const int64_t *from = *costs + (size_t)(order[i] - *rows) * events;

		if (!k || by_line_place(&order[i - 1], &order[i]))
			row[k++] = *order[i];
		cost_add_each(cost + (k - 1) * events, from, events);
	}
	*rows = row;
	*costs = cost;
	*n = k;
	return store_check(st, err);
}

int store_lines(struct store *st, fn_id f, struct arena *a, struct store_line **rows,
		int64_t **costs, size_t *n, struct err *err)
{
	return store_inlined_lines(st, f, a, rows, costs, n, err) ||
			       store_plain_lines(st, a, rows, costs, n, err)
		       ? err->kind
		       : 0;
}

/* The rows of a function with inlined ones must be sorted first. */
static int each_plain_line(struct store *st, fn_id f, store_each_line_fn *each, void *arg,
			   struct err *err)
{
	struct store_line *row = NULL;
	int64_t *costs = NULL;
	struct arena a;
	size_t n = 0;

	arena_init(&a, 0);
	if (!store_lines(st, f, &a, &row, &costs, &n, err))
		for (size_t i = 0; i < n; i++)
			if (each(arg, &row[i], costs + i * st->info.events, err))
				break;
	arena_free(&a);
	return err->kind;
}

int store_each_line(struct store *st, fn_id f, store_each_line_fn *each, void *arg,
		    struct err *err)
{
	int64_t costs[EVENTS_MAX];
	uint64_t n = 0;
	struct store_line row;
	struct detail_reader r;

	if (st->info.inlined)
		return each_plain_line(st, f, each, arg, err);
	if (open_detail(st, f, DETAIL_LINES, NULL, &r, &n, err) == 0)
		for (; n && detail_next_line(st, &r, &row, costs, err) == 0 &&
		       each(arg, &row, costs, err) == 0;
		     n--)
			;
	return err->kind;
}

int store_open_sites(struct store *st, fn_id f, struct detail_reader *r, uint64_t *n,
		     struct err *err)
{
	return open_detail(st, f, DETAIL_SITES, NULL, r, n, err);
}

int store_bad_site(struct store *st, struct err *err)
{
	return damaged(st, TABLE_SITES, "a call site is out of range", err);
}

/* first, edges: those of the caller (store_callees()). */
static int next_site(struct store *st, struct detail_reader *r, edge_id first,
		     uint32_t edges, struct store_site *row, int64_t *costs,
		     struct err *err)
{
	const struct detail_row *d = &r->row;
	uint64_t callee;
	uint32_t edge;

	detail_next(r, (uint64_t *)costs);
	edge = first + d->edge;
	callee = store_near_u64(st, TABLE_EDGE_CALLEE, 0, edge);
	if (r->in.bad || d->file >= st->info.files || d->edge >= edges ||
	    callee >= st->info.functions)
		return store_bad_site(st, err);
	*row = (struct store_site){.edge = edge,
				   .file = d->file,
				   .line = d->line,
				   .instr = d->instr,
				   .calls = d->calls == CALLS_UNKNOWN ? 0 : d->calls,
				   .callee = (fn_id)callee};
	if (!d->alone)
		return 0;
	row->calls = store_near_u64(st, TABLE_EDGE_CALLS, 0, edge);
	for (uint32_t e = 0; e < st->info.events; e++)
		costs[e] = (int64_t)store_near_u64(st, TABLE_EDGE_INCL, e, edge);
	return 0;
}

int store_sites_of(struct store *st, fn_id f, const struct bytes *from, struct arena *a,
		   struct store_site **rows, int64_t **costs, size_t *n, struct err *err)
{
	uint32_t events = st->info.events, edges;
	struct detail_reader r;
	struct store_site *row;
	uint64_t count;
	int64_t *cost;
	edge_id first;

	store_callees(st, f, &first, &edges);
	if (open_detail(st, f, DETAIL_SITES, from, &r, &count, err))
		return err->kind;
	cost = arena_array(a, (size_t)count * events + 1, sizeof(*cost));
	row = cost ? ARENA_ARRAY(a, struct store_site, (size_t)count + 1) : NULL;
	if (!row)
		return arena_full(a, err);
	for (uint64_t i = 0; i < count; i++)
		if (next_site(st, &r, first, edges, &row[i], cost + i * events, err))
			return err->kind;
	*rows = row;
	*costs = cost;
	*n = (size_t)count;
	return 0;
}

int store_sites(struct store *st, fn_id f, struct arena *a, struct store_site **rows,
		int64_t **costs, size_t *n, struct err *err)
{
	return store_sites_of(st, f, NULL, a, rows, costs, n, err);
}

int store_each_site(struct store *st, fn_id f, store_each_site_fn *each, void *arg,
		    struct err *err)
{
	int64_t costs[EVENTS_MAX];
	uint64_t n = 0;
	struct store_site row;
	struct detail_reader r;
	edge_id first;
	uint32_t edges;

	store_callees(st, f, &first, &edges);
	if (store_open_sites(st, f, &r, &n, err) == 0)
		for (; n && next_site(st, &r, first, edges, &row, costs, err) == 0 &&
		       each(arg, &row, costs, err) == 0;
		     n--)
			;
	return err->kind;
}

int store_jumps_of(struct store *st, fn_id f, const struct bytes *from, struct arena *a,
		   struct store_jump **rows, size_t *n, struct err *err)
{
	struct detail_reader r;
	struct store_jump *row;
	uint64_t count;

	if (open_detail(st, f, DETAIL_JUMPS, from, &r, &count, err))
		return err->kind;
	row = ARENA_ARRAY(a, struct store_jump, (size_t)count + 1);
	if (!row)
		return arena_full(a, err);
	for (uint64_t i = 0; i < count; i++) {
		const struct detail_row *d = &r.row;

		detail_next(&r, NULL);
		row[i] = (struct store_jump){
			.to_fn = d->edge & JUMP_OTHER_FN ? d->to_fn : f,
			.file = d->file,
			.to_file = d->edge & JUMP_OTHER_FILE ? d->to_file : d->file,
			.line = d->line,
			.instr = d->instr,
			.to_line = d->to_line,
			.to_instr = d->to_instr,
			.conditional = d->edge & JUMP_CONDITIONAL,
			.executed = d->calls,
			.taken = d->taken};
		if (r.in.bad || row[i].file >= st->info.files ||
		    row[i].to_file >= st->info.files ||
		    row[i].to_fn >= st->info.functions)
			return damaged(st, TABLE_JUMPS, "a jump is out of range", err);
	}
	*rows = row;
	*n = (size_t)count;
	return 0;
}

int store_jumps(struct store *st, fn_id f, struct arena *a, struct store_jump **rows,
		size_t *n, struct err *err)
{
	return store_jumps_of(st, f, NULL, a, rows, n, err);
}

/* ---- parts ---- */

/* Whether a part's file exists and has its text. */
static bool part_fits(const struct store *st, const struct part *p)
{
	const struct input_file *f;

	if (p->file >= st->meta.files)
		return false;
	f = &st->meta.file[p->file];
	return p->offset <= f->bytes && p->bytes <= f->bytes - p->offset;
}

static void load_parts(struct store *st)
{
	uint32_t n = st->info.parts;
	struct part *part = store_load(st, (size_t)n + 1, sizeof(*part));

	if (!part)
		return;
	for (uint32_t i = 0; i < n; i += PART_ROWS) {
		uint32_t rows;
		uint64_t bytes;
		const unsigned char *p =
			store_block(st, TABLE_PART, 0, i / PART_ROWS, &rows, &bytes);
		struct varint_reader in = {p, p ? p + bytes : NULL, false};
		struct coder c = {.from = &in, .arena = &st->arena};

		for (uint32_t k = 0; p && k < PART_ROWS && i + k < n && !c.failed; k++) {
			part_head_code(&c, &part[i + k]);
			if (!c.failed && !part_fits(st, &part[i + k]))
				c.failed = in.bad = true;
			/* A wrong number makes the whole row read as zeros. */
			if (c.failed)
				part[i + k] = (struct part){0};
		}
		if (c.failed && in.bad)
			store_damaged(st, TABLE_PART, i / PART_ROWS, "it cannot be read");
		/* Zeros caused by a lack of memory must not be cached. */
		if ((c.failed && !in.bad) || (!p && st->damage.kind == ERR_LIMIT)) {
			store_short(st);
			return;
		}
	}
	st->part = store_loaded(st);
}

void store_part(struct store *st, uint32_t p, struct part *out)
{
	if (!st->part)
		load_parts(st);
	*out = st->part && p < st->info.parts ? st->part[p] : (struct part){0};
}

bool store_peak(struct store *st, uint32_t e, int64_t *out)
{
	bool any = false;

	for (uint32_t p = 0; store_grows(st, e) && p < store_info(st)->parts; p++) {
		struct part part;
		int64_t peak;

		store_part(st, p, &part);
		if (!part.has_summary)
			continue;
		peak = store_part_summary(st, p, e);
		*out = any && *out > peak ? *out : peak;
		any = true;
	}
	return any;
}

bool store_part_blocks(struct store *st, uint32_t p, uint64_t *from, uint64_t *to)
{
	const struct str head = STR("Basic block "), between = STR(" - ");
	struct part part;
	struct str first, rest;

	store_part(st, p, &part);
	if (!str_starts(part.time_range, head))
		return false;
	first = str_from(part.time_range, head.n);
	rest = str_from(first, str_find_str(first, between));
	first.n -= rest.n;
	return str_u64(first, from) && str_u64(str_from(rest, between.n), to);
}

static int bad_part(struct store *st, struct err *err)
{
	return damaged(st, TABLE_PART_COST, "its numbers cannot be read", err);
}

/* Read rows with ids below limit; rows NULL: skip them. */
static int read_rows(struct store *st, struct varint_reader *in, uint32_t limit,
		     size_t width, struct arena *a, struct part_rows *rows,
		     struct err *err)
{
	const uint64_t n = varint_get(in);
	struct varint_reader numbers;
	uint64_t id = 0, bytes, *to;
	uint32_t *ids;

	/* Ids and numbers take at least a byte each. */
	if (in->bad || n > limit || n > (uint64_t)(in->end - in->p) / (width + 1))
		return bad_part(st, err);
	ids = rows ? ARENA_ARRAY(a, uint32_t, n + 1) : NULL;
	to = rows ? arena_array(a, n * width + 1, sizeof(*to)) : NULL;
	if (rows && (!ids || !to))
		return arena_full(a, err);
	for (uint64_t i = 0; i < n; i++) {
		id = varint_unzigzag(id, varint_get_flat(in));
		if (id >= limit || in->bad)
			return damaged(st, TABLE_PART_COST, "an id is out of range", err);
		if (rows)
			ids[i] = (uint32_t)id;
	}
	bytes = varint_get(in);
	if (in->bad || bytes > (size_t)(in->end - in->p))
		return bad_part(st, err);
	numbers = (struct varint_reader){in->p, in->p + bytes, false};
	in->p = numbers.end;
	if (!rows)
		return 0;
	for (uint64_t i = 0; i < n * width; i++)
		to[i] = sized_get(&numbers);
	*rows = (struct part_rows){ids, (size_t)n, width, to, PART_IN_TURN};
	return numbers.bad || numbers.p != numbers.end ? bad_part(st, err) : 0;
}

int store_part_rows(struct store *st, uint32_t p, struct arena *a, struct part_rows *fns,
		    struct part_rows *edges, struct err *err)
{
	const size_t events = st->info.events;
	const unsigned char *end, *at;
	struct varint_reader in;

	at = store_packed(st, TABLE_PART_COST, store_row_u64(st, TABLE_PART_AT, 0, p),
			  &end);
	if (!at)
		return store_check(st, err);
	in = (struct varint_reader){at, end, false};
	if (read_rows(st, &in, st->info.functions, events, a, fns, err))
		return err->kind;
	return edges ? read_rows(st, &in, st->info.edges, events + 1, a, edges, err) : 0;
}

/* A profile of one part: the part is the whole. */
static int all_functions(struct store *st, struct arena *a, fn_id **fns, int64_t **costs,
			 size_t *n, struct err *err)
{
	uint32_t events = st->info.events;

	*n = st->info.functions;
	*fns = ARENA_ARRAY(a, fn_id, *n + 1);
	*costs = arena_array(a, *n * events + 1, sizeof(**costs));
	if (!*fns || !*costs)
		return arena_full(a, err);
	for (uint32_t f = 0; f < *n; f++) {
		(*fns)[f] = f;
		for (uint32_t e = 0; e < events; e++)
			(*costs)[(size_t)f * events + e] = store_fn_self(st, f, e);
	}
	return store_check(st, err);
}

int store_part_functions(struct store *st, uint32_t p, struct arena *a, fn_id **fns,
			 int64_t **costs, size_t *n, struct err *err)
{
	struct part_rows rows;

	if (st->info.parts == 1)
		return all_functions(st, a, fns, costs, n, err);
	if (store_part_rows(st, p, a, &rows, NULL, err))
		return err->kind;
	*fns = rows.id;
	*costs = (int64_t *)rows.numbers;
	*n = rows.n;
	return 0;
}

static int all_edges(struct store *st, struct arena *a, edge_id **edges, uint64_t **calls,
		     int64_t **costs, size_t *n, struct err *err)
{
	uint32_t events = st->info.events;

	*n = st->info.edges;
	*edges = ARENA_ARRAY(a, edge_id, *n + 1);
	*calls = ARENA_ARRAY(a, uint64_t, *n + 1);
	*costs = arena_array(a, *n * events + 1, sizeof(**costs));
	if (!*edges || !*calls || !*costs)
		return arena_full(a, err);
	for (uint32_t i = 0; i < *n; i++) {
		(*edges)[i] = i;
		(*calls)[i] = store_row_u64(st, TABLE_EDGE_CALLS, 0, i);
		for (uint32_t e = 0; e < events; e++)
			(*costs)[(size_t)i * events + e] = store_edge_incl(st, i, e);
	}
	return store_check(st, err);
}

int store_part_edges(struct store *st, uint32_t p, struct arena *a, edge_id **edges,
		     uint64_t **calls, int64_t **costs, size_t *n, struct err *err)
{
	size_t events = st->info.events;
	struct part_rows rows;

	if (st->info.parts == 1)
		return all_edges(st, a, edges, calls, costs, n, err);
	if (store_part_rows(st, p, a, NULL, &rows, err))
		return err->kind;
	*edges = rows.id;
	*n = rows.n;
	*calls = ARENA_ARRAY(a, uint64_t, *n + 1);
	*costs = arena_array(a, *n * events + 1, sizeof(**costs));
	if (!*calls || !*costs)
		return arena_full(a, err);
	for (size_t i = 0; i < *n; i++) {
		const uint64_t *v = rows.numbers + i * rows.width;

		(*calls)[i] = v[0];
		memcpy(*costs + i * events, v + 1, events * sizeof(**costs));
	}
	return 0;
}

/* ---- diagnostics ---- */

static void load_diags(struct store *st)
{
	uint32_t rows;
	uint64_t bytes;
	const unsigned char *p = store_block(st, TABLE_DIAG, 0, 0, &rows, &bytes);
	struct varint_reader in = {p, p ? p + bytes : NULL, false};
	struct coder c = {.from = &in, .arena = &st->arena};
	struct diag *diag;

	if (!p || rows > bytes)
		return;
	diag = store_load(st, (size_t)rows + 1, sizeof(*diag));
	if (!diag)
		return;
	for (uint32_t i = 0; i < rows; i++) {
		diag_code(&c, &diag[i]);
		if (c.failed || diag[i].kind >= ODD_KINDS ||
		    diag[i].file >= st->meta.files) {
			if (c.failed && !in.bad)
				store_short(st);
			else
				store_damaged(st, TABLE_DIAG, 0, "it cannot be read");
			return;
		}
	}
	st->diag = store_loaded(st);
	st->ndiag = rows;
}

uint32_t store_diag_count(struct store *st)
{
	if (!st->diag)
		load_diags(st);
	return st->ndiag;
}

void store_diag(struct store *st, uint32_t i, struct store_diag *out)
{
	*out = (struct store_diag){0};
	if (i >= store_diag_count(st))
		return;
	const struct diag *d = &st->diag[i];

	*out = (struct store_diag){str_c(odd_name((enum odd)d->kind)), d->count, d->line,
				   (uint32_t)d->file, d->text};
}

uint64_t store_odd_costs(struct store *st, struct store_diag *first)
{
	bool counted[ODD_KINDS] = {false};
	uint64_t n = 0;

	for (uint32_t i = 0; i < store_diag_count(st); i++) {
		const struct diag *d = &st->diag[i];

		if (counted[d->kind] || !odd_costs((enum odd)d->kind, d->text))
			continue;
		counted[d->kind] = true;
		if (!n)
			store_diag(st, i, first);
		n += d->count;
	}
	return n;
}
