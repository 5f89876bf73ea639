/*
 * copy_lines.c - copy cost lines from pieces to the index; see copy_lines.h.
 *
 * There is a buffer for each file of the function, since the index has its rows by file.
 * Three loops copy rows, each for what the one before it stops at:
 *
 *	copy_repeats()	the line and the costs of the row before, four rows at once
 *	copy_some()	a row in 8 bytes, one after the other (copy_wide(): many events)
 *	add_line()	any row, also one that goes back
 *
 * Going back needs the rows before, which are packed as differences and can only be read
 * forward.  So every MARK_ROWS rows a mark keeps the state after a row; reading starts at
 * the last mark before the place:
 *
 *	out	1 2 3 4 5 6 7 8 | 9 10 11 12 13 14 15 16 | 17 18
 *	line		 14	         ^ the mark after 8: read 9 to 13, take back 14 to 18
 */
#include "index/detail/copy_lines.h"

#include <stdlib.h>

#include "index/base/cost.h"
#include "index/base/order.h"
#include "index/base/vec.h"
#include "index/tally/tally.h"

enum {
	FILES_MAX = 64,	      /* of a function; they are searched one by one */
	MARK_ROWS = 8,	      /* least number of rows between marks */
	MOVES = 4,	      /* rows that may be taken back, for each row written, */
	MOVES_FREE = 1 << 10, /* and these in any case */
	/* Most bytes of a row without its costs, and 8 for a store of 8 bytes. */
	ROW_ROOM = 4 * VARINT_MAX + 8,
	/* Rows for which room is made at once; WIDE: rows of three events and more. */
	COPY_ROWS = 256,
	WIDE_ROWS = 16,
	MOST_STEP = 64, /* of a row that copy_some() or copy_wide() copies */
};

/* A place in copy_file.out where a row ends. */
struct copy_mark {
	size_t at; /* bytes of out */
	size_t rows;
	uint64_t instr, line; /* of the row that ends there */
	size_t cost_at, cost_n;
};

/* A row that was taken back. */
struct copy_tail {
	uint64_t instr, line;
	size_t at, n; /* of its costs, in copy_lines.taken */
};

void copy_lines_init(struct copy_lines *c, struct detail_shape shape)
{
	*c = (struct copy_lines){.shape = shape};
}

void copy_lines_free(struct copy_lines *c)
{
	for (size_t i = 0; i < c->used; i++) {
		free(c->file[i].out.p);
		free(c->file[i].mark);
	}
	free(c->file);
	free(c->tail);
	free(c->taken.p);
}

void copy_lines_clear(struct copy_lines *c)
{
	c->nfile = c->at = c->ntail = c->tail_at = c->moved = 0;
}

/* Most bytes of a row with its tag and positions, and 8 for a store of 8 bytes. */
static inline size_t wide_room(const struct copy_lines *c)
{
	return (costs_numbers(c->shape.events) + 3) * VARINT_MAX + 8;
}

static bool copy_lines_after(const struct copy_file *f, uint64_t instr, uint64_t line)
{
	return f->rows == 0 || instr > f->instr || (instr == f->instr && line > f->line);
}

/* The costs of the last row. */
static struct coded last_cost(const struct copy_file *f)
{
	return (struct coded){f->out.p + f->cost_at, f->cost_n};
}

/* Write a row after the last one.  0, or -1 when memory is out. */
static int copy_lines_append(const struct copy_lines *c, struct copy_file *f,
			     uint64_t instr, uint64_t line, struct coded cost)
{
	unsigned char *p, *head;

	if (bytes_room(&f->out, ROW_ROOM + cost.n))
		return -1;
	head = f->out.p + f->out.n;
	p = detail_put_place(head, c->shape, instr - f->instr,
			     varint_zigzag(f->line, line));
	if (f->rows && coded_equal(last_cost(f), cost)) {
		*head |= HEAD_COSTS;
	} else {
		f->cost_at = (size_t)(p - f->out.p);
		f->cost_n = cost.n;
		p = coded_put(p, cost);
	}
	f->out.n = (size_t)(p - f->out.p);
	f->instr = instr;
	f->line = line;
	f->rows++;
	return 0;
}

/* The sum of a and b, which have the costs of all events; it is in c->both. */
static struct coded add_coded(struct copy_lines *c, struct coded a, struct coded b)
{
	struct varint_reader x = {a.p, a.p + a.n, false}, y = {b.p, b.p + b.n, false};
	const uint32_t n = c->shape.events;
	uint64_t sum[COPY_EVENTS], more[COPY_EVENTS];

	if (n == 1) {
		*sum = varint_get(&x);
		c->full |= cost_add_bits(sum, varint_get(&y));
		return (struct coded){c->both,
				      (size_t)(varint_put(c->both, *sum) - c->both)};
	}
	costs_get(&x, sum, n);
	costs_get(&y, more, n);
	for (uint32_t i = 0; i < n; i++)
		c->full |= cost_add_bits(&sum[i], more[i]);
	return (struct coded){c->both, (size_t)(costs_put(c->both, sum, n) - c->both)};
}

/* Write the rows of the tail that come before a place, or all of them.  A row at that
 * place is removed from the tail and its costs are added to *cost. */
static int put_tail(struct copy_lines *c, struct copy_file *f, bool all, uint64_t instr,
		    uint64_t line, struct coded *cost)
{
	int rc = 0;

	while (!rc && c->tail_at < c->ntail) {
		const struct copy_tail *t = &c->tail[c->tail_at];
		const struct coded own = {c->taken.p + t->at, t->n};

		if (!all && (t->instr > instr || (t->instr == instr && t->line > line)))
			break;
		c->tail_at++;
		if (!all && t->instr == instr && t->line == line) {
			*cost = add_coded(c, own, *cost);
			break;
		}
		rc = copy_lines_append(c, f, t->instr, t->line, own);
	}
	return rc;
}

/* Move *row from the end of one row to the end of the next. */
static inline void next_row(const struct copy_lines *c, const struct copy_file *f,
			    struct copy_mark *row)
{
	const bool both = c->shape.instr && c->shape.line;
	const unsigned char *end = f->out.p + f->out.n;
	struct varint_reader in = {f->out.p + row->at, end, false};
	const unsigned head = *in.p++;
	const uint64_t first =
		head >> HEAD_SHIFT < HEAD_FAR ? head >> HEAD_SHIFT : varint_get(&in);

	if (c->shape.instr)
		row->instr += first;
	else
		row->line = varint_unzigzag(row->line, first);
	if (both && !(head & HEAD_LINE))
		row->line = varint_unzigzag(row->line, varint_get(&in));
	if (!(head & HEAD_COSTS)) {
		row->cost_at = (size_t)(in.p - f->out.p);
		in.p = copy_past_costs(&c->shape, in.p, end);
		row->cost_n = (size_t)(in.p - f->out.p) - row->cost_at;
	}
	row->at = (size_t)(in.p - f->out.p);
	row->rows++;
}

/* Make the row that ends at m the last one: what follows in out is overwritten. */
static void to_mark(struct copy_file *f, const struct copy_mark *m)
{
	f->out.n = m->at;
	f->rows = m->rows;
	f->instr = m->instr;
	f->line = m->line;
	f->cost_at = m->cost_at;
	f->cost_n = m->cost_n;
}

/* Move the rows from a place on to the tail, which is empty. */
static enum copied take_back(struct copy_lines *c, struct copy_file *f, uint64_t instr,
			     uint64_t line)
{
	struct copy_mark m = {0};

	while (f->nmark) {
		m = f->mark[f->nmark - 1];
		if (m.instr < instr || (m.instr == instr && m.line < line))
			break;
		m = (struct copy_mark){0};
		f->nmark--;
	}
	c->ntail = c->tail_at = c->taken.n = 0;
	for (struct copy_mark row = m; row.at < f->out.n;) {
		next_row(c, f, &row);
		if (c->ntail == 0 &&
		    (row.instr < instr || (row.instr == instr && row.line < line))) {
			m = row;
			continue;
		}
		if (vec_reserve_raw(&c->tail, &c->tail_cap, c->ntail + 1,
				    sizeof(*c->tail)))
			return COPY_NO_MEMORY;
		c->tail[c->ntail++] =
			(struct copy_tail){row.instr, row.line, c->taken.n, row.cost_n};
		if (bytes_room(&c->taken, row.cost_n))
			return COPY_NO_MEMORY;
		coded_put(c->taken.p + c->taken.n,
			  (struct coded){f->out.p + row.cost_at, row.cost_n});
		c->taken.n += row.cost_n;
	}
	c->moved += c->ntail;
	if (c->moved > MOVES_FREE + MOVES * f->rows)
		return COPY_NOT;
	f->next_mark = (f->nmark ? f->mark[f->nmark - 1].rows : 0) + MARK_ROWS;
	to_mark(f, &m);
	return COPY_DONE;
}

/* Put a mark after the last row.  0, or -1 when memory is out. */
static __attribute__((noinline)) int new_mark(struct copy_file *f)
{
	if (vec_reserve(&f->mark, &f->mark_cap, f->nmark + 1, sizeof(*f->mark)))
		return -1;
	f->mark[f->nmark++] = (struct copy_mark){f->out.n, f->rows,    f->instr,
						 f->line,  f->cost_at, f->cost_n};
	f->next_mark = f->rows + MARK_ROWS;
	return 0;
}

/* Make a mark if the last one is far enough away. */
static inline int mark(struct copy_file *f)
{
	return f->rows < f->next_mark ? 0 : new_mark(f);
}

/* Write a row at its place in order. */
static enum copied add_line(struct copy_lines *c, struct copy_file *f, uint64_t instr,
			    uint64_t line, struct coded cost)
{
	if (!copy_lines_after(f, instr, line)) {
		enum copied rc;

		if (put_tail(c, f, true, 0, 0, NULL))
			return COPY_NO_MEMORY;
		rc = take_back(c, f, instr, line);
		if (rc)
			return rc;
	}
	if (put_tail(c, f, false, instr, line, &cost) ||
	    copy_lines_append(c, f, instr, line, cost) || mark(f))
		return COPY_NO_MEMORY;
	return COPY_DONE;
}

/* Make c->at the given file. */
static enum copied move_to(struct copy_lines *c, uint32_t file)
{
	struct copy_file *f;

	if (c->at < c->nfile && c->file[c->at].file == file)
		return COPY_DONE;
	if (c->nfile && put_tail(c, &c->file[c->at], true, 0, 0, NULL))
		return COPY_NO_MEMORY;
	for (c->at = 0; c->at < c->nfile; c->at++)
		if (c->file[c->at].file == file)
			return COPY_DONE;
	if (c->nfile == FILES_MAX)
		return COPY_NOT;
	if (c->nfile == c->used) {
		if (vec_reserve(&c->file, &c->file_cap, c->used + 1, sizeof(*c->file)))
			return COPY_NO_MEMORY;
		c->used++;
	}
	f = &c->file[c->nfile++];
	f->file = file;
	f->nmark = 0;
	f->next_mark = MARK_ROWS;
	to_mark(f, &(struct copy_mark){0});
	return COPY_DONE;
}

/* May a position grow by all rows of one call without passing 2^64 - 1? */
static inline bool can_step(uint64_t position)
{
	return position <= UINT64_MAX - (uint64_t)2 * COPY_ROWS * MOST_STEP;
}

/* A mask of the low n of 8 bytes; n is not 0. */
static inline uint64_t byte_mask(size_t n)
{
	return UINT64_MAX >> (64 - 8 * n);
}

/* A profile's shape, a constant in each copy of copy_some(). */
struct copy_kind {
	bool instrs, lines;
	unsigned events;
};

/* The state of copy_some(), which is in registers there. */
struct copy_loop {
	const unsigned char *p, *end; /* of the piece */
	unsigned char *out;	      /* end of f->out */
	size_t rows;		      /* copied so far */
	uint64_t instr, line;	      /* of the last row */
	uint64_t least;		      /* lowest line, less 1 */
	uint64_t cost; /* the bytes of the last row's costs; UINT64_MAX: more than 6 */
	struct copy_file *f;
	struct copy_place *at;
};

/* A row that fits in 8 bytes of the piece. */
struct small_row {
	uint64_t word;	 /* the 8 bytes */
	unsigned n;	 /* bytes of tag and positions, then of the whole row */
	unsigned first;	 /* the first position, as in the index, */
	unsigned change; /* and zz(line) */
	unsigned costs;	 /* bytes of costs; 0: those of the row before */
	uint64_t cost;	 /* these bytes */
};

#define COPY_STEP static inline __attribute__((always_inline))

/*
 * Copy rows that have the line (if the profile has instructions) and the costs of the row
 * before, and whose first position is less than 32 above it (16 where that is the line):
 * four at once, up to the first other row.  Returns whether there was one.
 *
 *	piece	tag d1 tag d2 tag d3 tag d4	each d is twice the step
 *	index	h1 h2 h3 h4
 */
COPY_STEP bool copy_repeats(struct copy_loop *l, struct copy_kind k)
{
	const uint64_t lanes = 0x0001000100010001;
	const uint64_t tag = k.instrs ? PIECE_INSTR : PIECE_LINE;
	/* Of two bytes: the tag, the sign of d, and the bits of a step too large. */
	const uint64_t small = k.instrs ? 0xc1ff : 0xe1ff;
	const uint64_t head = HEAD_COSTS | (k.instrs && k.lines ? HEAD_LINE : 0);
	const uint64_t first_less_1 = l->line + (l->p[1] >> 1) - 1;
	uint64_t steps = 0;
	size_t n = 0;

	for (unsigned some = 4; some == 4 && n < COPY_ROWS && l->end - l->p >= 8;
	     n += some, l->p += 2 * (size_t)some) {
		const uint64_t w = load8((const char *)l->p);
		const uint64_t other = (w & small * lanes) ^ tag * lanes;
		uint64_t x = (k.instrs ? w >> 7 : w >> 6) & 0x7c * lanes;
		uint64_t step = w >> 9 & 0x1f * lanes;

		if (other) {
			some = (unsigned)__builtin_ctzll(other) / 16;
			step &= ((uint64_t)1 << 16 * some) - 1;
		}
		steps += step * lanes >> 48;
		x |= head * lanes;
		x = (x | x >> 8) & 0x0000ffff0000ffff;
		store8(l->out + n, x | x >> 16);
	}
	l->out += n;
	l->rows += n;
	if (k.instrs)
		l->instr += steps;
	else
		l->line += steps;
	if (!k.instrs && n)
		l->least = first_less_1 < l->least ? first_less_1 : l->least;
	return n != 0;
}

/* Read tag and positions; `line` is of the row before.  False: the row is another kind's
 * or lacks costs, a position has two bytes, or the first one goes back or does not fit into
 * the head. */
COPY_STEP bool get_small_place(struct small_row *r, uint64_t line, struct copy_kind k)
{
	const unsigned tag = r->word & 0xff;
	const unsigned costs = tag & ~(unsigned)(PIECE_INSTR | PIECE_LINE);
	const unsigned a = r->word >> 8 & 0xff, b = r->word >> 16 & 0xff;

	if ((costs != 0 && costs != k.events << PIECE_COSTS) || a & 0x81)
		return false;
	r->costs = costs;
	r->first = k.instrs ? a >> 1 : a;
	r->change = 0;
	r->n = 2;
	if (k.instrs && (tag & PIECE_INSTR)) {
		if (tag & PIECE_LINE) {
			if (!k.lines || b >= 0x80)
				return false;
			r->change = b;
			r->n = 3;
		}
	} else if (k.lines && tag == (costs | PIECE_LINE) &&
		   (!k.instrs || can_step(line))) {
		r->change = a;
		r->first = k.instrs ? 0 : a;
	} else {
		return false;
	}
	return r->first < HEAD_FAR;
}

/* Read the costs.  False: they are not whole in the 8 bytes. */
COPY_STEP bool get_small_costs(struct small_row *r, struct copy_kind k)
{
	const uint64_t cost = r->word >> 8 * r->n;
	uint64_t last = ~cost & 0x8080808080;

	if (k.events == 2)
		last &= last - 1;
	if (__builtin_expect(!last, 0))
		return false;
	r->costs = ((unsigned)__builtin_ctzll(last) >> 3) + 1;
	r->cost = cost & byte_mask(r->costs);
	return true;
}

/* Write the row, its costs only if they are others than before. */
COPY_STEP void put_small_row(struct copy_loop *l, const struct small_row *r,
			     struct copy_kind k)
{
	const bool both = k.instrs && k.lines;
	uint64_t x = r->first << HEAD_SHIFT;
	unsigned size = 1;

	if (both && r->change) {
		x |= (uint64_t)r->change << 8;
		size = 2;
	} else if (both) {
		x |= HEAD_LINE;
	}
	if (r->costs)
		l->at->cost = (struct coded){l->p + r->n, r->costs};
	if (!r->costs || r->cost == l->cost) {
		x |= HEAD_COSTS;
	} else {
		x |= r->cost << 8 * size;
		l->f->cost_at = (size_t)(l->out + size - l->f->out.p);
		l->f->cost_n = r->costs;
		l->cost = r->cost;
		size += r->costs;
	}
	store8(l->out, x);
	l->out += size;
	l->p += r->n + r->costs;
	l->rows++;
	if (k.instrs)
		l->instr += r->first;
	if (r->change) {
		l->line = varint_unzigzag(l->line, r->change);
		l->least = l->line - 1 < l->least ? l->line - 1 : l->least;
	}
}

/* Copy rows while they are small, each after the one before. */
COPY_STEP void copy_some(struct copy_loop *loop, struct copy_kind k)
{
	struct copy_loop l = *loop;

	while (l.rows < COPY_ROWS && l.end - l.p >= 8) {
		struct small_row r = {.word = load8((const char *)l.p)};

		/* Nine of ten rows repeat line and costs of the row before. */
		if ((r.word & 0xff) == (k.instrs ? PIECE_INSTR : PIECE_LINE) &&
		    copy_repeats(&l, k))
			continue;
		if (!get_small_place(&r, l.line, k) ||
		    (r.costs && !get_small_costs(&r, k)))
			break;
		put_small_row(&l, &r, k);
	}
	*loop = l;
}

/* Choose the loop for the positions that the profile has. */
COPY_STEP void copy_shape(struct copy_loop *l, bool instr, bool line, unsigned events)
{
	if (!line)
		copy_some(l, (struct copy_kind){true, false, events});
	else if (!instr)
		copy_some(l, (struct copy_kind){false, true, events});
	else
		copy_some(l, (struct copy_kind){true, true, events});
}

/*
 * Copy rows of one or two events while they are small.  The row before them is the last
 * of f and has the costs of the last cost line.  There is room in f->out.  *at is the row
 * before, then the last one copied; *least follows.  Not inlined: the loops need all
 * registers.
 */
static __attribute__((noinline)) const unsigned char *
copy_rows(const struct copy_lines *c, struct copy_file *f, const struct varint_reader *in,
	  struct copy_place *at, uint64_t *least)
{
	const bool instr = c->shape.instr, line = c->shape.line;
	struct copy_loop l = {.p = in->p,
			      .end = in->end,
			      .out = f->out.p + f->out.n,
			      .instr = at->instr,
			      .line = at->line,
			      .least = *least,
			      .cost = UINT64_MAX,
			      .f = f,
			      .at = at};

	if (f->cost_n <= 6)
		l.cost =
			load8((const char *)f->out.p + f->cost_at) & byte_mask(f->cost_n);
	if (c->shape.events == 2)
		copy_shape(&l, instr, line, 2);
	else
		copy_shape(&l, instr, line, 1);
	f->out.n = (size_t)(l.out - f->out.p);
	f->rows += l.rows;
	f->instr = at->instr = l.instr;
	f->line = at->line = l.line;
	*least = l.least;
	return l.p;
}

/* copy_rows() for more events than COSTS_PLAIN, where the tag has two bytes. */
static __attribute__((noinline)) const unsigned char *
copy_wide(const struct copy_lines *c, struct copy_file *f, const struct varint_reader *in,
	  struct copy_place *at, uint64_t *least)
{
	const bool instrs = c->shape.instr, lines = c->shape.line;
	const unsigned tag = (c->shape.events << PIECE_COSTS & 0x7f) | 0x80 |
			     c->shape.events << PIECE_COSTS >> 7 << 8;
	const ptrdiff_t room = (ptrdiff_t)wide_room(c);
	const unsigned char *p = in->p;
	unsigned char *out = f->out.p + f->out.n, *head;

	for (size_t rows = 0; rows < WIDE_ROWS && in->end - p >= room; rows++) {
		const unsigned kind = load2((const char *)p) ^ tag;
		const unsigned char *q = p + 2, *end;
		uint64_t instr = at->instr, line = at->line, mask;

		/* Stop at a row that goes back or has a difference of two bytes. */
		if (!kind || (kind & ~(unsigned)(PIECE_INSTR | PIECE_LINE)) ||
		    ((kind & PIECE_INSTR) && !instrs) ||
		    ((kind & PIECE_LINE) && !lines) || (*q & 0x81) ||
		    (kind & PIECE_LINE &&
		     (kind & PIECE_INSTR ? q[1] >= 0x80 : !can_step(line))))
			break;
		instr += kind & PIECE_INSTR ? *q++ >> 1 : 0;
		if (kind & PIECE_LINE)
			line = varint_unzigzag(line, *q++);
		mask = *q & 0x7f;
		end = q + 1;
		if (*q >= 0x80) {
			if (q[1] >= 0x80)
				break;
			mask |= (uint64_t)q[1] << 7;
			end++;
		}
		end = copy_past_numbers(end, in->end, copy_ones(mask));
		at->cost = (struct coded){q, (size_t)(end - q)};
		head = out;
		out = detail_put_place(out, c->shape, instr - at->instr,
				       varint_zigzag(at->line, line));
		if (coded_equal(at->cost, last_cost(f))) {
			*head |= HEAD_COSTS;
		} else {
			f->cost_at = (size_t)(out - f->out.p);
			f->cost_n = at->cost.n;
			for (ptrdiff_t i = 0; i < end - q; i += 8)
				store8(out + i, load8((const char *)q + i));
			out += end - q;
		}
		p = end;
		at->instr = instr;
		if (line != at->line)
			*least = line - 1 < *least ? line - 1 : *least;
		at->line = line;
		f->rows++;
	}
	f->out.n = (size_t)(out - f->out.p);
	f->instr = at->instr;
	f->line = at->line;
	return p;
}

/* Copy rows after the last one of the file c->at, if that is the row before. */
static enum copied copy_on(struct copy_lines *c, struct varint_reader *in,
			   struct copy_place *at, uint32_t own, uint64_t *first_line)
{
	const bool wide = c->shape.events > COSTS_PLAIN;
	uint64_t least = *first_line - 1;
	struct copy_file *f;

	if (c->at >= c->nfile || c->tail_at < c->ntail)
		return COPY_DONE;
	f = &c->file[c->at];
	if (f->file != at->file || f->instr != at->instr || f->line != at->line ||
	    f->rows == 0 || !can_step(f->instr | f->line))
		return COPY_DONE;
	/* Rows without costs are copied as they are, so the costs before must be the
	 * same. */
	if (!wide && !coded_equal(last_cost(f), at->cost))
		return COPY_DONE;
	if (bytes_room(&f->out,
		       wide ? WIDE_ROWS * wide_room(c) : 2 * COPY_ROWS * 8 + ROW_ROOM))
		return COPY_NO_MEMORY;
	in->p = wide ? copy_wide(c, f, in, at, &least) : copy_rows(c, f, in, at, &least);
	if (at->file == own)
		*first_line = least + 1;
	return mark(f) ? COPY_NO_MEMORY : COPY_DONE;
}

/* Read n costs; 0: those of the cost line before. */
static inline enum copied get_costs(struct copy_lines *c, struct varint_reader *in,
				    uint64_t n, struct coded *cost)
{
	if (n == 0 && cost->p)
		return COPY_DONE;
	if (!copy_same_form(&c->shape, n))
		return COPY_NOT;
	cost->p = in->p;
	in->p = copy_past_costs(&c->shape, in->p, in->end);
	if (!in->p)
		return COPY_NOT;
	cost->n = (size_t)(in->p - cost->p);
	return COPY_DONE;
}

enum copied copy_lines_take(struct copy_lines *c, struct varint_reader *in,
			    struct copy_place *at, const uint32_t *files, uint32_t own,
			    uint64_t *first_line)
{
	for (;;) {
		enum copied rc = copy_on(c, in, at, own, first_line);
		uint64_t tag;

		if (rc || in->p >= in->end || (*in->p & PIECE_KIND) != ENTRY_COST)
			return rc;
		tag = varint_get(in);
		copy_get_place(in, tag, at, files);
		rc = get_costs(c, in, tag >> PIECE_COSTS, &at->cost);
		if (rc || in->bad || !copy_fits(&c->shape, at))
			return COPY_NOT;
		rc = move_to(c, at->file);
		rc = rc ? rc
			: add_line(c, &c->file[c->at], at->instr, at->line, at->cost);
		if (rc)
			return rc;
		if (at->file == own && line_below(at->line, *first_line))
			*first_line = at->line;
	}
}

static int by_file(const void *a, const void *b)
{
	const struct copy_file *const *x = a, *const *y = b;

	return order_u64((*x)->file, (*y)->file);
}

int copy_lines_encode(struct copy_lines *c, struct bytes *b, uint64_t *n)
{
	struct detail_writer w = {.b = b, .kind = DETAIL_LINES, .shape = &c->shape};
	const struct copy_file *file[FILES_MAX];
	int rc = 0;

	if (c->nfile)
		rc = put_tail(c, &c->file[c->at], true, 0, 0, NULL);
	*n = 0;
	for (size_t i = 0; i < c->nfile; i++) {
		file[i] = &c->file[i];
		*n += file[i]->rows;
	}
	if (c->nfile > 1)
		qsort(file, c->nfile, sizeof(*file), by_file);
	if (rc || bytes_put(b, *n))
		return -1;
	for (size_t i = 0; i < c->nfile; i++)
		if (detail_write_group(&w, file[i]->file, file[i]->rows) ||
		    bytes_append(b, file[i]->out.p, file[i]->out.n))
			return -1;
	return 0;
}
