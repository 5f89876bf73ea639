/* copy_lines.c - cost lines from pieces to the index; see copy_lines.h. */
#include "index/detail/copy_lines.h"

#include <stdlib.h>
#include <string.h>

#include "index/base/vec.h"
#include "index/detail/detail_run.h"
#include "index/tally/tally.h"

enum {
	FILES_MAX = 64,	      /* of a function, to be looked through */
	MARK_ROWS = 8,	      /* rows between marks, at least */
	MOVES = 4,	      /* lines that may be taken back for each line there is, */
	MOVES_FREE = 1 << 10, /* and so many without asking */
	/* Bytes of a row at most but for its costs, and 8 that are stored. */
	ROW_ROOM = 4 * VARINT_MAX + 8,
	/* Copied before there is room for more; of many events. */
	COPY_ROWS = 256,
	WIDE_ROWS = 16,
};

struct copy_mark {
	size_t at; /* bytes of out */
	size_t rows;
	uint64_t instr, line; /* of the row that ends there */
	size_t cost_at, cost_n;
};

struct copy_tail {
	uint64_t instr, line;
	size_t at, n; /* of its costs, in copied.taken */
};

void copied_lines_init(struct copied_lines *c, struct detail_shape shape)
{
	*c = (struct copied_lines){.shape = shape};
}

void copied_lines_free(struct copied_lines *c)
{
	for (size_t i = 0; i < c->used; i++) {
		free(c->file[i].out.p);
		free(c->file[i].mark);
	}
	free(c->file);
	free(c->tail);
	free(c->taken.p);
}

void copied_lines_clear(struct copied_lines *c)
{
	c->nfile = c->at = c->ntail = c->tail_at = c->moved = 0;
}

/* Bytes of a row of any number of events, with tag and positions, and 8 more. */
static inline size_t wide_room(const struct copied_lines *c)
{
	return (costs_numbers(c->shape.events) + 3) * VARINT_MAX + 8;
}

static bool after(const struct copy_file *f, uint64_t instr, uint64_t line)
{
	return f->rows == 0 || instr > f->instr || (instr == f->instr && line > f->line);
}

/* What the last row cost. */
static struct coded last_cost(const struct copy_file *f)
{
	return (struct coded){f->out.p + f->cost_at, f->cost_n};
}

/* A row at the end. */
static int append(const struct copied_lines *c, struct copy_file *f, uint64_t instr,
		  uint64_t line, struct coded cost)
{
	unsigned char *p, *head;

	if (bytes_room(&f->out, ROW_ROOM + cost.n))
		return -1;
	head = f->out.p + f->out.n;
	p = detail_put_place(head, c->shape, instr - f->instr,
			     varint_zigzag(f->line, line));
	if (f->rows && coded_alike(last_cost(f), cost)) {
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

/* Both, which are costs of all events. */
static struct coded add_coded(struct copied_lines *c, struct coded a, struct coded b)
{
	struct varint_reader x = {a.p, a.p + a.n, false}, y = {b.p, b.p + b.n, false};
	const uint32_t n = c->shape.events;
	uint64_t sum[COPY_EVENTS], more[COPY_EVENTS];

	if (n == 1) {
		*sum = detail_add(varint_get(&x), varint_get(&y), &c->full);
		return (struct coded){c->both,
				      (size_t)(varint_put(c->both, *sum) - c->both)};
	}
	costs_get(&x, sum, n);
	costs_get(&y, more, n);
	for (uint32_t i = 0; i < n; i++)
		sum[i] = detail_add(sum[i], more[i], &c->full);
	return (struct coded){c->both, (size_t)(costs_put(c->both, sum, n) - c->both)};
}

/* The tail's rows that come before a line, or all; the one at that line goes, and *cost gets its
 * own. */
static int put_tail(struct copied_lines *c, struct copy_file *f, bool all, uint64_t instr,
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
		rc = append(c, f, t->instr, t->line, own);
	}
	return rc;
}

/* Move *row, behind which the row at its end begins, to that. */
static inline void next_row(const struct copied_lines *c, const struct copy_file *f,
			    struct copy_mark *row)
{
	const bool both = c->shape.instr && c->shape.line;
	const unsigned char *end = f->out.p + f->out.n;
	struct varint_reader in = {f->out.p + row->at, end, false};
	const unsigned head = *in.p++;
	const uint64_t first =
		head >> HEAD_PLACE < HEAD_FAR ? head >> HEAD_PLACE : varint_get(&in);

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

/* That row is the last. */
static void to_mark(struct copy_file *f, const struct copy_mark *m)
{
	f->out.n = m->at;
	f->rows = m->rows;
	f->instr = m->instr;
	f->line = m->line;
	f->cost_at = m->cost_at;
	f->cost_n = m->cost_n;
}

/* The rows from a line on become the tail: that there is none is known. */
static enum copy take_back(struct copied_lines *c, struct copy_file *f, uint64_t instr,
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
		return COPY_ODD;
	f->next_mark = (f->nmark ? f->mark[f->nmark - 1].rows : 0) + MARK_ROWS;
	to_mark(f, &m);
	return COPY_DONE;
}

/* The last row is one to find others from. */
static __attribute__((noinline)) int new_mark(struct copy_file *f)
{
	if (vec_reserve(&f->mark, &f->mark_cap, f->nmark + 1, sizeof(*f->mark)))
		return -1;
	f->mark[f->nmark++] = (struct copy_mark){f->out.n, f->rows,    f->instr,
						 f->line,  f->cost_at, f->cost_n};
	f->next_mark = f->rows + MARK_ROWS;
	return 0;
}

/* The same, now and then. */
static inline int mark(struct copy_file *f)
{
	return f->rows < f->next_mark ? 0 : new_mark(f);
}

/* A row anywhere. */
static enum copy add(struct copied_lines *c, struct copy_file *f, uint64_t instr,
		     uint64_t line, struct coded cost)
{
	if (!after(f, instr, line)) {
		enum copy rc;

		if (put_tail(c, f, true, 0, 0, NULL))
			return COPY_NO_MEMORY;
		rc = take_back(c, f, instr, line);
		if (rc)
			return rc;
	}
	if (put_tail(c, f, false, instr, line, &cost) ||
	    append(c, f, instr, line, cost) || mark(f))
		return COPY_NO_MEMORY;
	return COPY_DONE;
}

/* The file, which becomes that at hand. */
static enum copy move_to(struct copied_lines *c, uint32_t file)
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
		return COPY_ODD;
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

/* Ones for the low n of 8 bytes, n not 0. */
static inline uint64_t low_bytes(size_t n)
{
	return UINT64_MAX >> (64 - 8 * n);
}

/*
 * Rows at *from, each a step of less than 32 behind the one before (16 lines of code, where there is no
 * other position), in the same line and of the same costs, up to four at once, to out, of which *rows
 * are copied; how far they go together.
 *
 *	piece	tag d1 tag d2 tag d3 tag d4	each d twice the step
 *	index	h1 h2 h3 h4
 */
static inline __attribute__((always_inline)) uint64_t
copy_likes(const unsigned char **from, const unsigned char *end, unsigned char *out,
	   size_t *rows, bool instrs, bool lines)
{
	const uint64_t lanes = 0x0001000100010001;
	const uint64_t tag = instrs ? ONCE_INSTR : ONCE_LINE;
	const uint64_t small = instrs ? 0xc1ff : 0xe1ff;
	const uint64_t head = HEAD_COSTS | (instrs && lines ? HEAD_LINE : 0);
	const unsigned char *p = *from;
	uint64_t steps = 0;
	size_t n = 0;

	for (unsigned some = 4; some == 4 && n < COPY_ROWS && end - p >= 8;
	     n += some, p += 2 * (size_t)some) {
		const uint64_t w = load8((const char *)p);
		const uint64_t other = (w & small * lanes) ^ tag * lanes;
		uint64_t x = (instrs ? w >> 7 : w >> 6) & 0x7c * lanes;
		uint64_t step = w >> 9 & 0x1f * lanes;

		if (other) {
			some = (unsigned)__builtin_ctzll(other) / 16;
			step &= ((uint64_t)1 << 16 * some) - 1;
		}
		steps += step * lanes >> 48;
		x |= head * lanes;
		x = (x | x >> 8) & 0x0000ffff0000ffff;
		store8(out + n, x | x >> 16);
	}
	*from = p;
	*rows = n;
	return steps;
}

/*
 * Rows of small differences, each behind the one before, which is the last of f and cost what the
 * last cost line did: as long as there are such, and there is room in out.  *at follows, and *least,
 * the lowest line less 1.
 */
static inline __attribute__((always_inline)) const unsigned char *
copy_some(struct copy_file *f, const unsigned char *p, const unsigned char *end,
	  struct copy_place *at, uint64_t *least, bool instrs, bool lines, uint32_t ncost)
{
	const unsigned tag_costs = ncost << ONCE_COSTS, both = instrs && lines;
	unsigned char *out = f->out.p + f->out.n;
	uint64_t instr = at->instr, line = at->line, low = *least;
	/* The costs of the row before. */
	uint64_t before = f->cost_n <= 6 ? load8((const char *)f->out.p + f->cost_at) &
						   low_bytes(f->cost_n)
					 : UINT64_MAX;
	size_t rows = 0;

	while (rows < COPY_ROWS && end - p >= 8) {
		const uint64_t w = load8((const char *)p);
		const unsigned tag = w & 0xff,
			       said = tag & ~(unsigned)(ONCE_INSTR | ONCE_LINE);
		const unsigned a = w >> 8 & 0xff, b = w >> 16 & 0xff;
		unsigned first = instrs ? a >> 1 : a, change = 0, n = 2, size = 1;
		uint64_t x;

		/* Most are. */
		if (tag == (instrs ? ONCE_INSTR : ONCE_LINE)) {
			size_t likes;
			const uint64_t steps =
				copy_likes(&p, end, out, &likes, instrs, lines);

			if (likes) {
				out += likes;
				rows += likes;
				if (instrs) {
					instr += steps;
				} else {
					const uint64_t least_line = line + (a >> 1) - 1;

					low = least_line < low ? least_line : low;
					line += steps;
				}
				continue;
			}
		}
		if ((said != 0 && said != tag_costs) || a & 0x81)
			break;
		if (instrs && (tag & ONCE_INSTR)) {
			if (tag & ONCE_LINE) {
				if (!lines || b >= 0x80)
					break;
				change = b;
				n = 3;
			}
		} else if (lines && tag == (said | ONCE_LINE)) {
			change = a;
			first = instrs ? 0 : a;
		} else {
			break;
		}
		if (first >= HEAD_FAR)
			break;
		x = first << HEAD_PLACE;
		if (both && change) {
			x |= (uint64_t)change << 8;
			size = 2;
		} else if (both) {
			x |= HEAD_LINE;
		}
		if (said) {
			/* Among the bytes that were loaded. */
			uint64_t cost = w >> 8 * n, last = ~cost & 0x8080808080;
			unsigned bytes;

			if (ncost == 2)
				last &= last - 1;
			if (__builtin_expect(!last, 0))
				break;
			bytes = ((unsigned)__builtin_ctzll(last) >> 3) + 1;
			cost &= low_bytes(bytes);
			at->cost = (struct coded){p + n, bytes};
			n += bytes;
			if (cost == before) {
				x |= HEAD_COSTS;
			} else {
				x |= cost << 8 * size;
				f->cost_at = (size_t)(out + size - f->out.p);
				f->cost_n = bytes;
				size += bytes;
				before = cost;
			}
		} else {
			x |= HEAD_COSTS;
		}
		if (instrs)
			instr += first;
		if (change) {
			line = varint_unzigzag(line, change);
			low = line - 1 < low ? line - 1 : low;
		}
		store8(out, x);
		out += size;
		p += n;
		rows++;
	}
	f->out.n = (size_t)(out - f->out.p);
	f->rows += rows;
	f->instr = at->instr = instr;
	f->line = at->line = line;
	*least = low;
	return p;
}

/* Not inlined, the loops want the registers for themselves. */
static __attribute__((noinline)) const unsigned char *
copy_rows(const struct copied_lines *c, struct copy_file *f,
	  const struct varint_reader *in, struct copy_place *at, uint64_t *least)
{
	const bool instr = c->shape.instr, line = c->shape.line;
	const unsigned char *p = in->p, *end = in->end;

	if (c->shape.events == 2)
		return !line	? copy_some(f, p, end, at, least, true, false, 2)
		       : !instr ? copy_some(f, p, end, at, least, false, true, 2)
				: copy_some(f, p, end, at, least, true, true, 2);
	return !line	? copy_some(f, p, end, at, least, true, false, 1)
	       : !instr ? copy_some(f, p, end, at, least, false, true, 1)
			: copy_some(f, p, end, at, least, true, true, 1);
}

/* The same as copy_rows(), of more events than are plain, where the tag has two bytes. */
static __attribute__((noinline)) const unsigned char *
copy_wide(const struct copied_lines *c, struct copy_file *f,
	  const struct varint_reader *in, struct copy_place *at, uint64_t *least)
{
	const bool instrs = c->shape.instr, lines = c->shape.line;
	const unsigned tag = (c->shape.events << ONCE_COSTS & 0x7f) | 0x80 |
			     c->shape.events << ONCE_COSTS >> 7 << 8;
	const ptrdiff_t room = (ptrdiff_t)wide_room(c);
	const unsigned char *p = in->p;
	unsigned char *out = f->out.p + f->out.n, *head;

	for (size_t rows = 0; rows < WIDE_ROWS && in->end - p >= room; rows++) {
		const unsigned kind = load2((const char *)p) ^ tag;
		const unsigned char *q = p + 2, *end;
		uint64_t instr = at->instr, line = at->line, mask;

		/* Behind the row before, with differences of one byte. */
		if (!kind || (kind & ~(unsigned)(ONCE_INSTR | ONCE_LINE)) ||
		    ((kind & ONCE_INSTR) && !instrs) || ((kind & ONCE_LINE) && !lines) ||
		    (*q & 0x81) || (kind == (ONCE_INSTR | ONCE_LINE) && q[1] >= 0x80))
			break;
		instr += kind & ONCE_INSTR ? *q++ >> 1 : 0;
		if (kind & ONCE_LINE)
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
		if (coded_alike(at->cost, last_cost(f))) {
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

/* Rows behind the last of the file at hand, if that is where *at is. */
static enum copy copy_on(struct copied_lines *c, struct varint_reader *in,
			 struct copy_place *at, uint32_t own, uint64_t *first_line)
{
	const bool wide = c->shape.events > COSTS_PLAIN;
	uint64_t least = *first_line - 1;
	struct copy_file *f;

	if (c->at >= c->nfile || c->tail_at < c->ntail)
		return COPY_DONE;
	f = &c->file[c->at];
	if (f->file != at->file || f->instr != at->instr || f->line != at->line ||
	    f->rows == 0)
		return COPY_DONE;
	/* Rows that say no costs are copied as they are. */
	if (!wide && !coded_alike(last_cost(f), at->cost))
		return COPY_DONE;
	if (bytes_room(&f->out,
		       wide ? WIDE_ROWS * wide_room(c) : 2 * COPY_ROWS * 8 + ROW_ROOM))
		return COPY_NO_MEMORY;
	in->p = wide ? copy_wide(c, f, in, at, &least) : copy_rows(c, f, in, at, &least);
	if (at->file == own)
		*first_line = least + 1;
	return mark(f) ? COPY_NO_MEMORY : COPY_DONE;
}

/* The costs of a row that says n, fewer than there are events. */
static __attribute__((noinline)) enum copy few_costs(struct copied_lines *c,
						     struct varint_reader *in, uint64_t n,
						     struct coded *cost)
{
	uint64_t all[COPY_EVENTS] = {0};

	if (n > c->shape.events)
		return COPY_ODD;
	costs_get(in, all, (uint32_t)n);
	cost->p = c->single;
	cost->n = (size_t)(costs_put(c->single, all, c->shape.events) - c->single);
	return COPY_DONE;
}

/* n: as the row says, 0: as before. */
static inline enum copy get_costs(struct copied_lines *c, struct varint_reader *in,
				  uint64_t n, struct coded *cost)
{
	if (n == 0 && cost->p)
		return COPY_DONE;
	if (!copy_alike(&c->shape, n))
		return few_costs(c, in, n, cost);
	cost->p = in->p;
	in->p = copy_past_costs(&c->shape, in->p, in->end);
	if (!in->p)
		return COPY_ODD;
	cost->n = (size_t)(in->p - cost->p);
	return COPY_DONE;
}

enum copy copy_lines(struct copied_lines *c, struct varint_reader *in,
		     struct copy_place *at, const struct copy_of *of,
		     uint64_t *first_line)
{
	for (;;) {
		enum copy rc = copy_on(c, in, at, of->own, first_line);
		uint64_t tag;

		if (rc || in->p >= in->end || (*in->p & ONCE_KIND) != ENTRY_COST)
			return rc;
		tag = copy_get(in);
		copy_get_place(in, tag, at, of);
		rc = get_costs(c, in, tag >> ONCE_COSTS, &at->cost);
		if (rc || in->bad || !copy_fits(&c->shape, at))
			return COPY_ODD;
		rc = move_to(c, at->file);
		rc = rc ? rc : add(c, &c->file[c->at], at->instr, at->line, at->cost);
		if (rc)
			return rc;
		if (at->file == of->own && at->line - 1 < *first_line - 1)
			*first_line = at->line;
	}
}

static int by_file(const void *a, const void *b)
{
	const struct copy_file *const *x = a, *const *y = b;

	return (*x)->file < (*y)->file ? -1 : (*x)->file > (*y)->file;
}

int copied_lines_encode(struct copied_lines *c, struct bytes *b, uint64_t *n)
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
