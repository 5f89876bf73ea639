/*
 * stacks.c - stacks of frames, and their lines; see frames.h.
 *
 * The own cost of a frame is divided among the lines of its function in proportion to
 * what each costs in all of them.  A part has at least LEAST of the whole, or is all that is
 * left of the frame.  It goes to a line that has not got all that is due to it so far; of
 * these, to the one that would be the first to have got LEAST too little.  So the lines of a
 * function add up, to within LEAST, and there are at most 1 / LEAST more parts than frames.
 * Two heaps find that line: of those that wait until something is due, and of the others.
 *
 * A call is at a line if the profile has it at that line alone.
 */
#include <math.h>
#include <stdlib.h>

#include "engine/graph/graph.h"
#include "engine/lang/result.h"
#include "engine/path/path.h"
#include "index/base/bisect.h"
#include "index/base/err.h"
#include "index/base/hash.h"
#include "index/base/heap.h"
#include "index/base/order.h"
#include "index/base/sort.h"
#include "index/base/vec.h"
#include "repl/pictures/frames.h"
#include "repl/render/render.h"

#define LEAST 1e-4 /* of the whole */

/* A line by the cost of frames, so far, at which something is due to it, or at which it would
 * have got too little. */
struct turn {
	double at;
	uint32_t row;
};

static bool earlier(const void *unused, const struct turn *a, const struct turn *b)
{
	(void)unused;
	return a->at < b->at || (a->at == b->at && a->row < b->row);
}
HEAP(turn, struct turn, const void *, earlier)

struct lines_builder {
	struct render *rd;
	const struct result *r;
	const struct frames *f;
	struct stacks *to;
	struct err *err;
	struct line_cost *row;	    /* of one function */
	size_t n, cap, read;	    /* read: with those without a cost */
	double sum, dealt;	    /* of its rows; of its frames so far */
	struct turn *waiting, *due; /* [n]: heaps of its rows */
	size_t nwaiting, ndue, waiting_cap, due_cap;
	size_t places_cap, stacks_cap;
	struct hash by; /* places */
};

/* ---- what the profile has ---- */

static int by_place(const void *pa, const void *pb)
{
	const struct line_cost *a = pa, *b = pb;
	int c = order_u64(a->callee, b->callee);

	c = c ? c : order_u64(a->file, b->file);
	return c ? c : order_u64(a->line, b->line);
}

static int add_row(struct lines_builder *b, struct line_cost x, const int64_t *costs)
{
	if (render_cancelled(b->rd, b->read++))
		return b->err->kind;
	x.cost = (double)store_event_of(b->r->graph->st, b->r->event_id, costs);
	if (x.cost <= 0)
		return 0;
	if (vec_reserve(&b->row, &b->cap, b->n + 1, sizeof(*b->row)))
		return err_no_memory(b->err, NULL);
	b->row[b->n++] = x;
	return 0;
}

static int add_line(void *arg, const struct store_line *row, const int64_t *costs,
		    struct err *err)
{
	(void)err; /* b->err */
	return add_row(arg, (struct line_cost){.file = row->file, .line = row->line},
		       costs);
}

static int add_site(void *arg, const struct store_site *row, const int64_t *costs,
		    struct err *err)
{
	struct lines_builder *b = arg;
	const uint32_t callee = graph_of_store(b->r->graph, row->callee);

	(void)err;
	return add_row(b,
		       (struct line_cost){
			       .callee = callee, .file = row->file, .line = row->line},
		       costs);
}

static void merge_rows(struct lines_builder *b)
{
	size_t n = 0;

	if (b->n)
		qsort(b->row, b->n, sizeof(*b->row), by_place);
	for (size_t i = 0; i < b->n && !render_cancelled(b->rd, i); i++)
		if (n && !by_place(&b->row[n - 1], &b->row[i])) {
			b->row[n - 1].cost += b->row[i].cost;
		} else {
			b->row[n++] = b->row[i];
		}
	b->n = n;
}

/* The lines, or the calls, of function fn: each place once. */
static int read_rows(struct lines_builder *b, uint32_t fn, bool sites)
{
	struct graph *g = b->r->graph;

	b->n = 0;
	for (uint32_t i = 0; i < graph_members_count(g, fn); i++) {
		const fn_id f = graph_member(g, fn, i);

		if (sites ? store_each_site(g->st, f, add_site, b, b->err)
			  : store_each_line(g->st, f, add_line, b, b->err))
			return b->err->kind;
	}
	merge_rows(b);
	return b->err->kind;
}

/* ---- places ---- */

struct str stack_file(const struct result *r, const struct frames *f,
		      const struct stack_place *x)
{
	uint32_t fn = f->all[x->frame].fn;
	const struct graph *g =
		r->graph && fn != RESULT_NONE ? frame_graph(r, &fn) : NULL;
	struct str file = STR("???");

	if (x->line)
		file = store_file(g->st, x->file);
	else if (g && !graph_is(g, fn, GRAPH_FILES))
		file = graph_file(g, fn);
	return str_eq(file, STR("???")) ? STR("") : file;
}

static bool same_place(const struct frames *f, const struct stack_place *a,
		       const struct stack_place *b)
{
	const struct frame *x = &f->all[a->frame], *y = &f->all[b->frame];

	return x->fn == y->fn && a->line == b->line && a->file == b->file &&
	       (x->fn != RESULT_NONE || str_eq(x->name, y->name));
}

/* The number of a place of frame i's function; line: NULL: all of it.  0 if out of
 * memory. */
static uint32_t place_of(struct lines_builder *b, size_t i, const struct line_cost *line)
{
	const struct frame *f = &b->f->all[i];
	struct stacks *to = b->to;
	struct stack_place x = {.frame = (uint32_t)i};
	uint32_t h, probe, k;

	if (line && !line->line)
		return to->own[i];
	if (line) {
		x.whole = to->own[i];
		x.line = line->line;
		x.file = line->file;
	} else {
		x.whole = (uint32_t)to->places;
	}
	h = (uint32_t)(hash_mix((x.line << 32 ^ f->fn) + x.file) ^
		       (f->fn == RESULT_NONE ? str_hash(f->name) : 0));
	probe = hash_start(&b->by, h);
	while ((k = hash_next(&b->by, h, &probe)) != HASH_NONE)
		if (same_place(b->f, &to->place[k], &x))
			return k;
	if (vec_reserve(&to->place, &b->places_cap, to->places + 1, sizeof(*to->place)) ||
	    hash_add(&b->by, h, (uint32_t)to->places)) {
		err_no_memory(b->err, NULL);
		return 0;
	}
	to->place[to->places] = x;
	return (uint32_t)to->places++;
}

/* ---- own cost ---- */

static int put_stack(struct lines_builder *b, size_t i, uint32_t place, uint64_t cost)
{
	struct stacks *to = b->to;

	if (b->err->kind ||
	    vec_reserve(&to->all, &b->stacks_cap, to->n + 1, sizeof(*to->all)))
		return err_no_memory(b->err, NULL);
	to->all[to->n++] =
		(struct stack){(uint32_t)i, place, {cost, b->f->all[i].self[1]}};
	return 0;
}

static double least_part(const struct lines_builder *b)
{
	return fmax(1, LEAST * (double)b->f->sum[0]);
}

static double due_to(const struct lines_builder *b, const struct line_cost *x)
{
	return b->dealt * x->cost / b->sum - x->got;
}

/* Nothing was dealt to the rows yet: all wait. */
static int begin_to_share(struct lines_builder *b)
{
	b->sum = b->dealt = 0;
	b->nwaiting = b->ndue = 0;
	if (vec_reserve(&b->waiting, &b->waiting_cap, b->n + 1, sizeof(*b->waiting)) ||
	    vec_reserve(&b->due, &b->due_cap, b->n + 1, sizeof(*b->due)))
		return err_no_memory(b->err, NULL);
	for (; b->nwaiting < b->n; b->nwaiting++) {
		b->sum += b->row[b->nwaiting].cost;
		b->waiting[b->nwaiting] = (struct turn){0, (uint32_t)b->nwaiting};
	}
	return 0;
}

static void take_turn(struct lines_builder *b, uint32_t row, bool due)
{
	const struct line_cost *x = &b->row[row];
	const double lacks = due ? least_part(b) : 0;
	const struct turn turn = {(x->got + lacks) * b->sum / x->cost, row};

	if (due)
		turn_push(b->due, b->ndue++, turn, NULL);
	else
		turn_push(b->waiting, b->nwaiting++, turn, NULL);
}

static uint32_t next_row(struct lines_builder *b)
{
	while (b->nwaiting && b->waiting[0].at < b->dealt)
		take_turn(b, turn_pop(b->waiting, --b->nwaiting, NULL).row, true);
	return b->ndue ? turn_pop(b->due, --b->ndue, NULL).row
		       : turn_pop(b->waiting, --b->nwaiting, NULL).row;
}

/* Share out what frame i spends to the rows. */
static int share_out(struct lines_builder *b, size_t i)
{
	uint64_t left = b->f->all[i].self[0], cost;

	b->dealt += (double)left;
	for (; left && b->n; left -= cost) {
		const uint32_t k = next_row(b);
		const double due = fmax(due_to(b, &b->row[k]), least_part(b));

		cost = due < (double)left ? (uint64_t)due : left;
		b->row[k].got += (double)cost;
		take_turn(b, k, due_to(b, &b->row[k]) > 0);
		if (put_stack(b, i, place_of(b, i, &b->row[k]), cost))
			return b->err->kind;
	}
	return left ? put_stack(b, i, b->to->own[i], left) : 0;
}

/* ---- all frames ---- */

/* Frames by the function of each, or by that of the frame below; *n of them. */
static struct sort_pair *by_function(struct lines_builder *b, bool below, size_t *n)
{
	const struct frames *f = b->f;
	struct sort_pair *order = calloc(f->n + 1, sizeof(*order));

	*n = 0;
	for (size_t i = 0; order && i < f->n && !render_cancelled(b->rd, i); i++) {
		const size_t of = below ? f->all[i].parent : i;

		if (of == FRAME_NONE || f->all[of].fn == RESULT_NONE ||
		    f->all[i].fn == RESULT_NONE || (!below && !f->all[i].self[0]))
			continue;
		order[(*n)++] = (struct sort_pair){f->all[of].fn, (uint32_t)i};
	}
	if (!order || sort_pairs(order, *n)) {
		free(order);
		err_no_memory(b->err, NULL);
		return NULL;
	}
	return order;
}

/* The place of the call of frame i, if it is the only one of its function in the rows. */
static uint32_t only_call(struct lines_builder *b, size_t i)
{
	const uint32_t callee = b->f->all[i].fn, on = (uint32_t)b->f->all[i].parent;
	struct bisect at = bisect_in(0, b->n);

	while (bisect_next(&at))
		bisect_step(&at, b->row[at.mid].callee < callee);
	if (at.lo == b->n || b->row[at.lo].callee != callee ||
	    (at.lo + 1 < b->n && b->row[at.lo + 1].callee == callee))
		return b->to->own[on];
	return place_of(b, on, &b->row[at.lo]);
}

/* Share out the own cost of all frames, or find where they are called. */
static int add_lines(struct lines_builder *b, bool sites)
{
	size_t n;
	struct sort_pair *order = by_function(b, sites, &n);

	for (size_t k = 0; order && !b->err->kind && k < n && !render_cancelled(b->rd, k);
	     k++) {
		const uint32_t i = order[k].value;

		if ((!k || order[k].key != order[k - 1].key) &&
		    (read_rows(b, (uint32_t)order[k].key, sites) ||
		     (!sites && begin_to_share(b))))
			break;
		if (sites)
			b->to->site[i] = only_call(b, i);
		else
			share_out(b, i);
	}
	free(order);
	return b->err->kind;
}

static bool have_lines(const struct result *r)
{
	return r->graph && r->graph->detail && graph_as_stored(r->graph) && !r->base.n &&
	       r->tree && !r->upward && !frames_in_time(r);
}

static int by_frame(const void *a, const void *b)
{
	const struct stack *x = a, *y = b;
	const int c = order_u64(x->frame, y->frame);

	return c ? c : order_u64(x->place, y->place);
}

static int find_places(struct lines_builder *b)
{
	struct stacks *to = b->to;

	to->own = calloc(b->f->n + 1, sizeof(*to->own));
	to->site = calloc(b->f->n + 1, sizeof(*to->site));
	if (!to->own || !to->site)
		return err_no_memory(b->err, NULL);
	for (size_t i = 0; i < b->f->n && !render_cancelled(b->rd, i); i++) {
		const size_t on = b->f->all[i].parent;

		to->own[i] = place_of(b, i, NULL);
		to->site[i] = on == FRAME_NONE ? 0 : to->own[on];
	}
	return b->err->kind;
}

int stacks_of(struct render *rd, const struct frames *f, bool lines, struct stacks *out)
{
	struct lines_builder b = {
		.rd = rd, .r = rd->r, .f = f, .to = out, .err = rd->err};

	*out = (struct stacks){0};
	lines = lines && have_lines(rd->r);
	if (!find_places(&b) && lines && !add_lines(&b, false))
		add_lines(&b, true);
	for (size_t i = 0; !b.err->kind && i < f->n && !render_cancelled(rd, i); i++)
		if ((!lines || f->all[i].fn == RESULT_NONE) &&
		    (f->all[i].self[0] || f->all[i].self[1]))
			put_stack(&b, i, out->own[i], f->all[i].self[0]);
	if (lines && out->n)
		qsort(out->all, out->n, sizeof(*out->all), by_frame);
	hash_free(&b.by);
	free(b.row);
	free(b.waiting);
	free(b.due);
	return b.err->kind;
}

const char *stacks_unit(struct unit u, const char *other)
{
	return u.kind == UNIT_TIME    ? "nanoseconds"
	       : u.kind == UNIT_BYTES ? "bytes"
				      : other;
}

uint64_t stacks_value(struct unit u, uint64_t costs)
{
	uint64_t value;

	if (!u.kind)
		return costs;
	return __builtin_mul_overflow(costs, u.scale, &value) || value > INT64_MAX
		       ? INT64_MAX
		       : value;
}

void stacks_free(struct stacks *s)
{
	free(s->all);
	free(s->place);
	free(s->own);
	free(s->site);
	*s = (struct stacks){0};
}
