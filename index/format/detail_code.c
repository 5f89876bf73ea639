/* detail_code.c - pack and unpack detail; see detail_code.h. */
#include "index/format/detail_code.h"

#include <string.h>

#include "index/format/cost_code.h"

/* Most bytes of a row. */
static inline size_t row_room(uint32_t events)
{
	return (DETAIL_NUMBERS + costs_numbers(events)) * VARINT_MAX;
}

int detail_write_group(struct detail_writer *w, uint32_t file, uint64_t rows)
{
	struct bytes *b = w->b;
	unsigned char *p;

	if (b->cap - b->n < 2 * VARINT_MAX && bytes_room(b, 2 * VARINT_MAX))
		return -1;
	p = varint_put(b->p + b->n, varint_zigzag(w->file, file));
	p = varint_put(p, rows);
	b->n = (size_t)(p - b->p);
	w->file = file;
	w->instr = w->line = 0;
	w->costs = false;
	return 0;
}

static unsigned char *put_jump(unsigned char *p, const struct detail_row *r)
{
	if (r->edge & JUMP_OTHER_FN)
		p = varint_put(p, r->to_fn);
	if (r->edge & JUMP_OTHER_FILE)
		p = varint_put(p, r->to_file);
	p = varint_put(p, varint_zigzag(r->instr, r->to_instr));
	p = varint_put(p, varint_zigzag(r->line, r->to_line));
	p = varint_put(p, r->calls);
	return r->edge & JUMP_CONDITIONAL ? varint_put(p, r->taken) : p;
}

/* Write a cost line, without its costs if the row before has the same. */
static unsigned char *put_row(struct detail_writer *w, unsigned char *head,
			      const struct detail_row *r)
{
	unsigned char *costs = detail_put_place(head, *w->shape, r->instr - w->instr,
						varint_zigzag(w->line, r->line));
	unsigned char *p = costs_put(costs, r->cost, w->shape->events);
	const size_t n = (size_t)(p - costs);

	if (w->costs && n == w->cost_n && memcmp(w->b->p + w->cost_at, costs, n) == 0) {
		*head |= HEAD_COSTS;
		return costs;
	}
	w->cost_at = (size_t)(costs - w->b->p);
	w->cost_n = n;
	w->costs = true;
	return p;
}

/* Write to p what follows the edge or flags of a call site or jump; returns the end.
 * There must be room for DETAIL_NUMBERS numbers and the costs. */
static unsigned char *detail_put_rest(unsigned char *p, enum detail_kind kind,
				      const struct detail_row *r, uint32_t events)
{
	if (kind == DETAIL_JUMPS)
		return put_jump(p, r);
	p = varint_put(p, r->calls);
	return costs_put(p, r->cost, events);
}

/* Write a call site or a jump. */
static unsigned char *put_ref(const struct detail_writer *w, unsigned char *p,
			      const struct detail_row *r)
{
	if (w->shape->instr)
		p = varint_put(p, r->instr - w->instr);
	if (w->shape->line)
		p = varint_put(p, varint_zigzag(w->line, r->line));
	if (w->kind == DETAIL_SITES)
		p = varint_put(p, detail_edge_code(r->edge, r->alone));
	else
		p = varint_put(p, r->edge);
	if (w->kind == DETAIL_SITES && r->alone)
		return p;
	return detail_put_rest(p, w->kind, r, w->shape->events);
}

static inline int write_row(struct detail_writer *w, const struct detail_row *r)
{
	const size_t room = row_room(w->shape->events);
	struct bytes *b = w->b;
	unsigned char *p;

	if (b->cap - b->n < room && bytes_room(b, room))
		return -1;
	p = b->p + b->n;
	p = w->kind == DETAIL_LINES ? put_row(w, p, r) : put_ref(w, p, r);
	w->instr = r->instr;
	w->line = r->line;
	b->n = (size_t)(p - b->p);
	return 0;
}

int detail_write_row(struct detail_writer *w, const struct detail_row *r)
{
	return write_row(w, r);
}

int detail_encode(struct bytes *b, enum detail_kind kind, const struct detail_shape *s,
		  const struct detail_row *rows, size_t n)
{
	struct detail_writer w = {.b = b, .kind = kind, .shape = s};

	if (bytes_put(b, n))
		return -1;
	for (size_t i = 0, end = 0; i < n; i++) {
		if (i == end) {
			while (end < n && rows[end].file == rows[i].file)
				end++;
			if (detail_write_group(&w, rows[i].file, end - i))
				return -1;
		}
		if (write_row(&w, &rows[i]))
			return -1;
	}
	return 0;
}

int detail_encode_lines(struct bytes *b, const struct detail_shape *s,
			const struct detail_key *key, size_t n, const uint64_t *cost)
{
	struct detail_writer w = {.b = b, .kind = DETAIL_LINES, .shape = s};
	struct detail_row row = {0};

	if (bytes_put(b, n))
		return -1;
	for (size_t i = 0, end = 0; i < n; i++) {
		if (i == end) {
			while (end < n && key[end].file == key[i].file)
				end++;
			if (detail_write_group(&w, key[i].file, end - i))
				return -1;
		}
		row.instr = key[i].instr;
		row.line = key[i].line;
		row.cost = cost + (size_t)key[i].row * s->events;
		if (write_row(&w, &row))
			return -1;
	}
	return 0;
}

uint64_t detail_begin(struct detail_reader *r, enum detail_kind kind,
		      const struct detail_shape *s, const unsigned char *p,
		      const unsigned char *end)
{
	uint64_t n;

	*r = (struct detail_reader){
		.in = {.p = p, .end = end}, .kind = kind, .shape = *s};
	n = varint_get(&r->in);
	/* A row has at least one byte, so a larger number is damage: do not allocate for
	 * it. */
	if (n > (uint64_t)(end - p))
		r->in.bad = true;
	return r->in.bad ? 0 : n;
}

static void next_jump(struct detail_reader *r)
{
	struct detail_row *row = &r->row;

	row->to_fn = row->edge & JUMP_OTHER_FN ? (uint32_t)varint_get(&r->in) : 0;
	row->to_file = row->edge & JUMP_OTHER_FILE ? (uint32_t)varint_get(&r->in) : 0;
	row->to_instr = varint_unzigzag(row->instr, varint_get(&r->in));
	row->to_line = varint_unzigzag(row->line, varint_get(&r->in));
	row->calls = varint_get(&r->in);
	row->taken = row->edge & JUMP_CONDITIONAL ? varint_get(&r->in) : row->calls;
}

/* Read a cost line; a head that no row can have is damage. */
static void detail_code_next_line(struct detail_reader *r, uint64_t *cost)
{
	const bool instr = r->shape.instr, line = r->shape.line, both = instr && line;
	const size_t n = r->shape.events * sizeof(*cost);
	struct detail_row *row = &r->row;
	uint64_t first, head = 0;

	if (r->in.p < r->in.end)
		head = *r->in.p++;
	else
		varint_none(&r->in);
	if (((head & HEAD_COSTS) && !r->before) || ((head & HEAD_LINE) && !both) ||
	    (head >> HEAD_SHIFT && !instr && !line)) {
		head = 0;
		varint_none(&r->in);
	}
	first = head >> HEAD_SHIFT;
	if (first == HEAD_FAR)
		first = varint_get(&r->in);
	if (instr)
		row->instr += first;
	else
		row->line = varint_unzigzag(row->line, first);
	if (both && !(head & HEAD_LINE))
		row->line = varint_unzigzag(row->line, varint_get(&r->in));
	if (!(head & HEAD_COSTS))
		costs_get(&r->in, cost, r->shape.events);
	else if (r->before != cost && n)
		memcpy(cost, r->before, n);
	r->before = cost;
}

/* Read what follows the edge or flags of a call site or jump, whose place and edge are in
 * r->row. */
static void detail_get_rest(struct detail_reader *r, uint64_t *cost)
{
	if (r->kind == DETAIL_JUMPS) {
		next_jump(r);
		return;
	}
	r->row.calls = varint_get(&r->in);
	costs_get(&r->in, cost, r->shape.events);
}

void detail_next(struct detail_reader *r, uint64_t *cost)
{
	struct detail_row *row = &r->row;
	uint64_t edge;

	if (r->left_in_group == 0) {
		row->file = (uint32_t)varint_unzigzag(row->file, varint_get(&r->in));
		r->left_in_group = varint_get(&r->in);
		row->instr = row->line = 0;
		r->before = NULL;
	}
	r->left_in_group--;
	if (r->kind == DETAIL_LINES) {
		detail_code_next_line(r, cost);
		return;
	}
	if (r->shape.instr)
		row->instr += varint_get(&r->in);
	if (r->shape.line)
		row->line = varint_unzigzag(row->line, varint_get(&r->in));
	if (r->kind == DETAIL_JUMPS) {
		row->edge = (uint32_t)varint_get(&r->in);
		detail_get_rest(r, cost);
		return;
	}
	edge = varint_get(&r->in);
	row->edge = (uint32_t)(edge >> 1);
	row->alone = edge & 1;
	if (!row->alone) {
		detail_get_rest(r, cost);
		return;
	}
	row->calls = 0;
	memset(cost, 0, r->shape.events * sizeof(*cost));
}
