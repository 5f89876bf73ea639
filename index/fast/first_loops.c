/*
 * first_loops.c - the loops over the lines of a first block; compiled once per
 * instruction set.
 *
 * In: text at p, and the tally, whose piece (piece.h) gets a row for each line.  Out:
 * where the loop stopped; the tally is as if decode and tally had taken the lines.  The
 * loop stops before a line that it cannot take, with nothing of that line added.
 *
 * Positions and columns are constants in each of the six loops at the end, so the
 * compiler makes straight code of every step.  A step takes struct first_fixed, by value,
 * for them; what changes is in struct first (first_same.h).
 */
#include "index/fast/first_in.h"

#include <string.h>

#include "index/fast/columns.h"
#include "index/fast/first_same.h"

/* Constants of a loop. */
struct first_fixed {
	struct tally *t;
	struct same *same;
	unsigned nsub;	/* positions of a line, 1 or 2 */
	unsigned ncols; /* columns */
	bool wide;	/* three columns or more */
	bool instr;	/* the first position is an instruction's */
};

/* ---- rows ---- */

/* A tag of up to 14 bits, in two bytes. */
static HOT unsigned char *put_wide_tag(unsigned char *out, unsigned tag)
{
	out[0] = (unsigned char)(tag | 0x80);
	out[1] = (unsigned char)(tag >> 7);
	return out + 2;
}

/* Begin a row at f->out: the tag, a file slot when it changes (else 0), and the positions
 * `at`.  wide: the tag may be above 127.  The end of what was written. */
static HOT unsigned char *put_place(const struct first_fixed l, struct first *f,
				    unsigned tag, uint32_t file, const uint64_t *at,
				    bool wide)
{
	const uint64_t a = l.nsub == 2 || l.instr ? at[0] : f->before[0];
	const uint64_t b = l.nsub == 2 ? at[1] : l.instr ? f->before[1] : at[0];
	const uint64_t di = varint_zigzag(f->before[0], a);
	const uint64_t dl = varint_zigzag(f->before[1], b);
	unsigned char *out = f->out;

	tag |= (file ? PIECE_FILE : 0) | (di ? PIECE_INSTR : 0) | (dl ? PIECE_LINE : 0);
	if (wide)
		out = put_wide_tag(out, tag);
	else
		*out++ = (unsigned char)tag;
	if (file)
		out = varint_put_flat(out, file);
	out = piece_put_change(out, di);
	out = piece_put_change(out, dl);
	f->before[0] = a;
	f->before[1] = b;
	if (!f->apart || (tag & PIECE_KIND) == ENTRY_COST)
		for (unsigned i = 0; i < l.nsub; i++)
			f->at[i] = at[i];
	f->rows++;
	return out;
}

/* The costs of a line. */
struct costs {
	struct columns columns; /* wide */
	uint64_t cost[2];	/* else */
	uint32_t n;		/* else: how many; wide: all columns */
};

/* Read the costs at p; the end of the line, or NULL. */
static HOT const char *read_costs(const struct first_fixed l, const char *p,
				  struct costs *c)
{
	c->n = l.ncols;
	if (l.wide)
		return find_columns(&c->columns, p, l.ncols) ? c->columns.end : NULL;
	return number_costs(p, l.ncols, c->cost, &c->n);
}

/* Pack the columns that are not 0 after a mask of them, and add each to its sum; the
 * end. */
static HOT unsigned char *put_columns(struct tally *t, unsigned char *out, uint64_t *sum,
				      const struct columns *c)
{
	uint64_t mask = c->mask;

	out = varint_put_flat(out, mask);
	for (uint64_t from = c->others; from; from &= from - 1, mask &= mask - 1) {
		const uint64_t v = column_at(c, (unsigned)__builtin_ctzll(from));

		tally_add_cost(t, &sum[__builtin_ctzll(mask)], v);
		out = varint_put_flat(out, v);
	}
	return out;
}

/* ---- positions ---- */

/* Read positions number `from` to `to` (excluded) at p, each followed by one blank; their
 * end, or NULL. */
static HOT const char *read_places(const struct first *f, const char *p, uint64_t *at,
				   unsigned from, unsigned to)
{
#pragma GCC unroll 2
	for (unsigned i = from; i < to; i++) {
		at[i] = f->at[i];
		if (!number_take(&p, &at[i]))
			return NULL;
	}
	return p;
}

/* Read all positions, most often "+5 ", or "+5 0 " where no line of code is known. */
static HOT const char *read_usual_places(const struct first_fixed l,
					 const struct first *f, const char *p,
					 uint64_t *at)
{
	const uint64_t w = load8(p);
	const unsigned d = (unsigned)(w >> 8 & 0xff) - '0';
	unsigned from = 0;

	if ((w & 0xff00ff) == (' ' << 16 | '+') && d <= 9 && f->at[0] >> 63 == 0) {
		at[0] = f->at[0] + d;
		if (l.nsub == 1)
			return p + 3;
		if ((w >> 24 & 0xffff) == (' ' << 8 | '0')) {
			at[1] = 0;
			return p + 5;
		}
		p += 3;
		from = 1;
	}
	return read_places(f, p, at, from, l.nsub);
}

/* ---- cost lines of one or two columns ---- */

/* The numbers of a cost line: first where they are, then their values. */
struct numbers {
	const char *end[4]; /* after the digits */
	unsigned n[4];	    /* digits */
	unsigned kind[2];   /* of positions: NUMBER_RELATIVE ... */
	/* Value of the first position, if it is hexadecimal; n[0] is 0 then. */
	uint64_t hex;
	uint64_t bad; /* not 0: the line is another one */
	uint64_t v[4];
};

/* Find position i, from `from` to x->end[i]. */
static HOT void cut_position(const struct first_fixed l, struct numbers *x, unsigned i,
			     const char *from)
{
	const char *end = x->end[i];

	if (i == 0 && (l.nsub == 2 || l.instr) && load2(from) == ('x' << 8 | '0')) {
		x->n[0] -= 2;
		x->bad |= (x->n[0] - 1) & ~7u;
		x->hex = hex_before(end, x->n[0] <= 8 ? x->n[0] : 0, &x->bad);
		x->n[0] = 0;
		return;
	}
	x->kind[i] = number_kind[(unsigned char)*from];
	x->n[i] -= x->kind[i] & NUMBER_RELATIVE;
	/* '*' has no digits, any other position 1 to 8. */
	x->bad |= x->kind[i] & NUMBER_SAME ? x->n[i] : (x->n[i] - 1) & ~7u;
}

/* Find the positions and costs of the line at p, which must have all columns and end
 * within 32 bytes; the end of the line, which means something only if x->bad is 0. */
static HOT const char *cut_line(const struct first_fixed l, struct numbers *x,
				const char *p)
{
	uint64_t nl, m = simd_blanks(p, &nl);
	const char *from = p;

#pragma GCC unroll 4
	for (unsigned i = 0; i < l.nsub + l.ncols; i++) {
		const unsigned at = (unsigned)__builtin_ctzll(m);

		x->end[i] = p + at;
		x->n[i] = (unsigned)(x->end[i] - from);
		if (i < l.nsub)
			cut_position(l, x, i, from);
		else
			x->bad |= (x->n[i] - 1) & ~7u;
		/* The first newline ends the last number. */
		if (i + 1 == l.nsub + l.ncols)
			x->bad |= at ^ (unsigned)__builtin_ctzll(nl);
		m &= m - 1;
		from = x->end[i] + 1;
	}
	return from;
}

/* Take a cost line of all columns within 32 bytes; its end, or NULL with nothing
 * changed. */
static HOT const char *short_line(const struct first_fixed l, struct first *f,
				  const char *p)
{
	struct same *same = l.same;
	struct numbers x = {.end = {p, p, p, p}};
	bool like = same->has_cost;
	uint64_t at[2];
	unsigned char *out;

	const char *next = cut_line(l, &x, p);
	if (__builtin_expect(x.bad != 0, 0) || !simd_four(x.end, x.n, x.v))
		return NULL;
#pragma GCC unroll 2
	for (unsigned i = 0; i < l.nsub; i++) {
		const uint64_t base = x.kind[i] & NUMBER_RELATIVE ? f->at[i] : 0;

		at[i] = x.kind[i] & NUMBER_MINUS ? base - x.v[i] : base + x.v[i];
		if (i == 0)
			at[i] += x.hex;
		x.bad |= base | at[i];
	}
	if (__builtin_expect(x.bad >> 63 != 0, 0)) /* a position below 0, or near 2^64 */
		return NULL;
	for (unsigned i = 0; i < l.ncols; i++)
		like &= same->cost[i] == x.v[l.nsub + i];
	out = put_place(l, f, (like ? 0 : l.ncols << PIECE_COSTS) | ENTRY_COST, 0, at,
			false);
	for (unsigned i = 0; !like && i < l.ncols; i++) {
		same->cost[i] = x.v[l.nsub + i];
		out = varint_put_flat(out, x.v[l.nsub + i]);
	}
	f->out = out;
	guess_same(same, x.end[l.nsub - 1] + 1, next, l.nsub, l.instr,
		   at[1] || x.kind[1] & NUMBER_SAME);
	return next;
}

/* Take lines as guessed.  Not inlined: its loop needs the registers. */
static __attribute__((noinline)) uint64_t same_lines(struct first *f,
						     const struct same *s,
						     const char **text, const char *end,
						     uint64_t most)
{
	return s->n <= 8 ? same_text(f, *s, text, end, most, false)
			 : same_text(f, *s, text, end, most, true);
}

/* Take lines from *p on as long as they repeat the line before, or all of it but its one
 * cost. */
static HOT void repeated_lines(const struct first_fixed l, struct first *f,
			       const char **p, const char *end)
{
	struct same *s = l.same;
	uint64_t some;
	const char *q;

	while (*p < end && **p == '+' && f->rows < f->most &&
	       far_from_full(f->run[0], f->run[1])) {
		some = same_lines(f, s, p, end, f->most - f->rows);
		f->rows += some;
		f->costs += some;
		for (unsigned i = 0; i < l.ncols; i++)
			f->run[i] += some * s->cost[i];
		if (l.ncols == 2 || *p >= end || **p != '+' || f->rows == f->most)
			break;
		q = other_cost(f, s, *p, l.nsub);
		if (!q)
			break;
		*p = q;
		f->run[0] += s->cost[0];
		f->rows++;
		f->costs++;
	}
	if (l.nsub == 2) {
		f->before[0] = f->at[0];
		f->before[1] = f->at[1];
	} else {
		f->before[l.instr ? 0 : 1] = f->at[0];
	}
}

/* Drop the guess if the base is no longer where the row before is, or a position might
 * pass 2^64. */
static HOT void check_guess(const struct first_fixed l, const struct first *f)
{
	const bool moved = l.nsub == 1 ? f->at[0] != f->before[l.instr ? 0 : 1]
				       : f->at[0] != f->before[0] ||
						 f->at[1] != f->before[1] ||
						 (l.same->no_line && f->at[1]);

	if (moved || (f->at[0] | (l.nsub == 2 ? f->at[1] : 0)) >> 62)
		l.same->n = 0;
}

/* Take cost lines from p on, one or more; where they end, or NULL with nothing
 * changed. */
static HOT const char *cost_lines(const struct first_fixed l, struct first *f,
				  const char *p, const char *end)
{
	const char *const start = p;

	if (l.same->n) {
		repeated_lines(l, f, &p, end);
		if (p >= end || f->rows == f->most || (unsigned char)*p > '9')
			return p;
	}
	const char *next = short_line(l, f, p);

	if (!next)
		return p > start ? p : NULL;
	f->costs++;
	for (unsigned i = 0; i < l.ncols; i++)
		tally_add_cost(l.t, &f->run[i], l.same->cost[i]);
	return next;
}

/* ---- other lines ---- */

/* Take a cost line of three columns or more; its end, or NULL with nothing changed. */
static HOT const char *wide_line(const struct first_fixed l, struct first *f,
				 const char *p)
{
	struct columns c;
	uint64_t at[2];
	unsigned char *out;

	p = read_usual_places(l, f, p, at);
	if (!p || !find_columns(&c, p, l.ncols))
		return NULL;
	out = put_place(l, f, l.ncols << PIECE_COSTS | ENTRY_COST, 0, at, true);
	f->out = put_columns(l.t, out, l.t->now.run, &c);
	f->costs++;
	return c.end;
}

struct first_jump {
	uint64_t count, taken; /* taken: of a conditional one */
	bool cond;
	uint64_t target;       /* function and file, as piece_target() has them */
	uint64_t to[2], at[2]; /* positions of the target and of the jump */
	uint64_t lines;	       /* of text */
};

/* Does the text at p begin with this word?  Of a known length: compares of 4 and 1 bytes. */
#define BEGINS(p, word) (memcmp((p), (word), sizeof(word) - 1) == 0)

/* Read "jump=12 +3 0 \n* 0 \n" or "jcnd=3/12 ...", maybe after jfi= and jfn=; its end, or
 * NULL. */
static HOT const char *read_jump(const struct first_fixed l, const struct first *f,
				 const char *p, struct first_jump *j)
{
	j->lines = 2;
	j->target = 0;
	if (p[1] == 'f' && !first_jump_target(l.t, &p, &j->target, &j->lines))
		return NULL;
	j->cond = p[1] == 'c';
	if (j->cond ? !BEGINS(p, "jcnd=") : !BEGINS(p, "jump="))
		return NULL;
	p += 5;
	if (j->cond && (!digits_number(&p, &j->taken) || *p++ != '/'))
		return NULL;
	if (!digits_number(&p, &j->count) || *p++ != ' ')
		return NULL;
	p = read_places(f, p, j->to, 0, 1);
	if (!p)
		return NULL;
	/* No line of code is known, and the jump is where the line before is. */
	if (l.nsub == 2 && BEGINS(p, "0 \n* 0 \n")) {
		j->to[1] = j->at[1] = 0;
		j->at[0] = f->at[0];
		return p + 8;
	}
	p = read_places(f, p, j->to, 1, l.nsub);
	if (!p || *p++ != '\n')
		return NULL;
	p = read_places(f, p, j->at, 0, l.nsub);
	return p && *p == '\n' ? p + 1 : NULL;
}

/* Take a jump; its end, or NULL with nothing changed. */
static HOT const char *jump(const struct first_fixed l, struct first *f, const char *p)
{
	struct first_jump j;
	unsigned char *out;
	bool far;

	p = read_jump(l, f, p, &j);
	if (!p)
		return NULL;
	far = f->to != j.target;
	out = put_place(l, f, (j.cond ? ENTRY_JCND : ENTRY_JUMP) | (far ? PIECE_TO : 0),
			0, j.at, false);
	out = varint_put_flat(
		out, l.nsub == 2 || l.instr ? varint_zigzag(f->before[0], j.to[0]) : 0);
	out = varint_put_flat(out, l.nsub == 2 || !l.instr
					   ? varint_zigzag(f->before[1], j.to[l.nsub - 1])
					   : 0);
	if (far) {
		out = varint_put_flat(out, j.target >> 32);
		out = varint_put_flat(out, j.target & UINT32_MAX);
		f->to = j.target;
	}
	out = varint_put_flat(out, j.count);
	if (j.cond)
		out = varint_put_flat(out, j.taken);
	f->out = out;
	f->lines += j.lines;
	return p;
}

/* Pack a cost line of the file `slot` at the positions `at`, and add its costs to the
 * block. */
static HOT void put_file_costs(const struct first_fixed l, struct first *f,
			       const struct costs *c, const uint64_t *at, uint32_t slot)
{
	struct tally *t = l.t;
	struct same *same = l.same;
	bool like = false;
	unsigned char *out;

	if (!l.wide && c->n == l.ncols && same->has_cost)
		like = same->cost[0] == c->cost[0] &&
		       (c->n == 1 || same->cost[1] == c->cost[1]);
	out = put_place(l, f, (like ? 0 : c->n << PIECE_COSTS) | ENTRY_COST,
			slot != t->now.file ? slot : 0, at, l.wide);
	if (l.wide)
		out = put_columns(t, out, t->now.run, &c->columns);
	for (unsigned i = 0; !l.wide && i < c->n; i++) {
		tally_add_cost(t, &f->run[i], c->cost[i]);
		same->cost[i] = c->cost[i];
		if (!like)
			out = varint_put_flat(out, c->cost[i]);
	}
	f->out = out;
}

/* Take "fi=(12)\n" or "fe=(12)\n" of a known file and the cost line after it; the end, or
 * NULL with nothing changed. */
static HOT const char *file_and_line(const struct first_fixed l, struct first *f,
				     const char *p)
{
	struct tally *t = l.t;
	struct same *same = l.same;
	uint64_t at[2];
	struct costs c;
	uint32_t slot;
	const char *end;

	if ((p[1] != 'i' && p[1] != 'e') || load2(p + 2) != ('(' << 8 | '='))
		return NULL;
	p += 4;
	slot = number_name(&t->names[SPACE_FILE], &p);
	if (!slot || !(p = read_usual_places(l, f, p, at)))
		return NULL;
	end = read_costs(l, p, &c);
	if (!end)
		return NULL;
	put_file_costs(l, f, &c, at, slot);
	same->n = 0;
	same->has_cost = !l.wide && c.n == l.ncols;
	if (same->has_cost && (l.nsub == 2 || l.instr))
		guess_same(same, p, end, l.nsub, l.instr, at[l.nsub - 1]);
	t->now.file = t->now.base_file = t->pieces.last.file = slot;
	f->costs++;
	f->lines++;
	return end;
}

/* ---- calls ---- */

struct first_call {
	uint32_t cob, cfi, cfn; /* name slots; cob, cfi: 0 if not written */
	uint64_t count;
	uint64_t at[2]; /* positions of the call */
	uint64_t to;	/* line of its target; 0: unknown */
	struct costs costs;
	uint64_t lines; /* of text */
};

/* Read "cob=(3)\ncfi=(4)\ncfn=(5)\n" at p, the first two optional, of known names; its
 * end, or NULL. */
static HOT const char *read_callee(const struct first_fixed l, const char *p,
				   struct first_call *c)
{
	const struct names *names = l.t->names;

	c->cob = c->cfi = 0;
	c->lines = 3;
	if (BEGINS(p, "cob=(")) {
		p += 5;
		c->cob = number_name(&names[SPACE_OBJ], &p);
		if (!c->cob)
			return NULL;
		c->lines++;
	}
	if (BEGINS(p, "cfi=(") || BEGINS(p, "cfl=(")) {
		p += 5;
		c->cfi = number_name(&names[SPACE_FILE], &p);
		if (!c->cfi)
			return NULL;
		c->lines++;
	}
	if (!BEGINS(p, "cfn=("))
		return NULL;
	p += 5;
	c->cfn = number_name(&names[SPACE_FN], &p);
	return c->cfn ? p : NULL;
}

/* Read "calls=1 +3 0\n* 0 67\n" at p; its end, or NULL. */
static HOT const char *read_calls(const struct first_fixed l, const struct first *f,
				  const char *p, struct first_call *c)
{
	struct number to;

	if (!BEGINS(p, "calls="))
		return NULL;
	p += 6;
	if (!digits_number(&p, &c->count))
		return NULL;
	if (*p != ' ')
		return NULL;
	to = number_position(p + 1, f->at[0]);
	p = to.end;
	if (!p)
		return NULL;
	c->to = l.nsub == 2 || l.instr ? 0 : to.v;
	/* No line of code is known, and the call is where the line before is. */
	if (l.nsub == 2 && BEGINS(p, " 0 \n* 0 ")) {
		c->at[0] = f->at[0];
		c->at[1] = 0;
		p += 8;
	} else if (!(p = first_call_target(p, f->at + 1, l.nsub - 1, &c->to)) ||
		   !(p = read_places(f, p, c->at, 0, l.nsub))) {
		return NULL;
	}
	return read_costs(l, p, &c->costs);
}

/* Take a call; its end, or NULL: with nothing changed, or with t->no_memory set. */
static HOT const char *call(const struct first_fixed l, struct first *f, const char *p)
{
	struct tally *t = l.t;
	const struct costs *costs;
	struct first_call c;
	unsigned char *out;
	uint32_t edge;
	uint64_t *sum, first;

	p = read_callee(l, p, &c);
	if (!p || !(p = read_calls(l, f, p, &c)))
		return NULL;
	first_set_called(t, c.cob, c.cfi);
	sum = tally_call(t, c.cfn, c.to, &edge);
	if (!sum) {
		t->no_memory = true;
		return NULL;
	}
	costs = &c.costs;
	count_add(sum, c.count);
	first = sum[1];
	out = put_place(l, f, costs->n << PIECE_COSTS | ENTRY_CALL, 0, c.at, l.wide);
	out = varint_put_flat(out, edge);
	out = varint_put_flat(out, c.count);
	if (l.wide)
		out = put_columns(t, out, sum + 1, &costs->columns);
	for (unsigned i = 0; !l.wide && i < costs->n; i++) {
		tally_add_cost(t, sum + 1 + i, costs->cost[i]);
		out = varint_put_flat(out, costs->cost[i]);
	}
	/* first_ready() saw that column 0 is event 0: sum[1] - first is this call's
	 * cost. */
	if (tally_activates(t, t->edges.at[edge].callee, c.count, sum[1] - first)) {
		t->no_memory = true;
		return NULL;
	}
	f->out = out;
	f->lines += c.lines;
	return p;
}

/* ---- the loop ---- */

/* Take what begins at p; where that ends, or NULL. */
static HOT const char *take_line(const struct first_fixed l, struct first *f,
				 const char *p, const char *end)
{
	if ((unsigned char)*p <= '9')
		return l.wide ? wide_line(l, f, p) : cost_lines(l, f, p, end);
	if (*p == 'j') {
		p = jump(l, f, p);
		check_guess(l, f);
		return p;
	}
	if (*p == 'f')
		return file_and_line(l, f, p);
	if (*p == 'c') {
		p = call(l, f, p);
		check_guess(l, f);
		return p;
	}
	return NULL;
}

/* The loop's state, from the tally's. */
static HOT struct first take_state(const struct first_fixed l, const struct decode *d,
				   const struct first_place *pl)
{
	const struct tally *t = l.t;
	const struct bytes *b = &t->pieces.packed.buf;
	const uint64_t room = (b->cap - b->n) / piece_room(l.ncols);
	const uint64_t left = PIECE_ROWS - 1 - t->pieces.rows;
	struct first f = {
		.before = {pl->before[0], pl->before[1]},
		.run = {t->now.run[0], !l.wide && l.ncols == 2 ? t->now.run[1] : 0},
		.apart = t->now.apart,
		.most = left < room ? left : room,
		.to = t->pieces.last.to[2],
		.out = b->p + b->n};

	for (unsigned i = 0; i < l.nsub; i++)
		f.at[i] = pl->at[d->sub[i]];
	return f;
}

/* And back. */
static HOT void give_state(const struct first_fixed l, const struct first *f,
			   const struct decode *d, struct first_place *pl)
{
	struct tally *t = l.t;

	t->pieces.packed.buf.n = (size_t)(f->out - t->pieces.packed.buf.p);
	for (unsigned i = 0; i < l.nsub; i++)
		pl->at[d->sub[i]] = f->at[i];
	pl->before[0] = t->pieces.last.instr = f->before[0];
	pl->before[1] = t->pieces.last.line = f->before[1];
	t->pieces.last.to[2] = f->to;
	t->pieces.last.cost_known = l.ncols == 1 && l.same->has_cost;
	t->pieces.last.cost = l.same->cost[0];
	for (unsigned i = 0; !l.wide && i < l.ncols; i++)
		t->now.run[i] = f->run[i];
	t->pieces.rows += (uint32_t)f->rows;
	t->now.ran |= f->costs > 0;
	t->fns.at[t->now.fn].has_lines |= f->costs > 0;
	t->lines += f->costs + f->lines;
	t->cost_lines += f->rows;
}

/* Take cost lines, jumps, calls and changes of the file from p on, up to a line that is
 * something else; where it stopped. */
static HOT const char *usual_lines(const struct first_fixed l, const struct decode *d,
				   struct first_place *pl, const char *p, const char *end)
{
	struct first f = take_state(l, d, pl);

	check_guess(l, &f);
	while (p < end && f.rows < f.most) {
		const char *q = take_line(l, &f, p, end);

		if (!q)
			break;
		p = q;
	}
	give_state(l, &f, d, pl);
	return p;
}

/* Take the one line at p that usual_lines() left; its end, or NULL. */
static const char *other_line(struct tally *t, const struct decode *d,
			      struct first_place *pl, const char *p, const char *end)
{
	if (*p == 'c')
		return first_call(t, d, pl, p, end);
	if (*p == '\n' || (*p == 'f' && p[1] == 'n'))
		return first_head(t, d, pl, p, end);
	if (*p == 'f')
		return first_file(t, p, end);
	if ((*p >= '0' && *p <= '9') || (*p >= '*' && *p <= '-'))
		return first_cost_line(t, d, pl, p);
	return NULL;
}

/* first_run() for nsub positions and `narrow` columns, 1 or 2; 0: more. */
static HOT const char *first_loops_take_all(struct tally *t, struct decode *d,
					    const char *p, const char *end, unsigned nsub,
					    unsigned narrow)
{
	struct first_place pl = {
		.before = {t->pieces.last.instr, t->pieces.last.line},
		.same = {.has_cost = narrow == 1 && t->pieces.last.cost_known,
			 .cost = {t->pieces.last.cost}}};
	const struct first_fixed l = {t,	   &pl.same,
				      nsub,	   narrow ? narrow : d->ncols,
				      narrow == 0, d->sub[0] == SUB_INSTR};

	memcpy(pl.at, d->base, sizeof(pl.at));
	while (p < end && t->pieces.open) {
		const char *q = p;

		if (bytes_room(&t->pieces.packed.buf, piece_room(d->ncols)))
			break;
		/* The loop takes neither heads nor lines of another file than the row
		 * before. */
		if ((*p <= '9' || *p == 'j' || *p == 'c' || *p == 'f') &&
		    t->now.file == t->pieces.last.file && t->now.file == t->now.base_file)
			q = usual_lines(l, d, &pl, p, end);
		if (q == p && t->pieces.rows < PIECE_ROWS - 1)
			q = other_line(t, d, &pl, p, end);
		if (!q || q == p)
			break;
		p = q;
		if (t->pieces.rows == 0) { /* another piece begins */
			pl.same.n = 0;
			pl.same.has_cost = false;
		}
	}
	memcpy(d->base, pl.at, sizeof(pl.at));
	return p;
}

static const char *run11(struct tally *t, struct decode *d, const char *p,
			 const char *end)
{
	return first_loops_take_all(t, d, p, end, 1, 1);
}

static const char *run12(struct tally *t, struct decode *d, const char *p,
			 const char *end)
{
	return first_loops_take_all(t, d, p, end, 1, 2);
}

static const char *run1n(struct tally *t, struct decode *d, const char *p,
			 const char *end)
{
	return first_loops_take_all(t, d, p, end, 1, 0);
}

static const char *run21(struct tally *t, struct decode *d, const char *p,
			 const char *end)
{
	return first_loops_take_all(t, d, p, end, 2, 1);
}

static const char *run22(struct tally *t, struct decode *d, const char *p,
			 const char *end)
{
	return first_loops_take_all(t, d, p, end, 2, 2);
}

static const char *run2n(struct tally *t, struct decode *d, const char *p,
			 const char *end)
{
	return first_loops_take_all(t, d, p, end, 2, 0);
}

#ifdef SIMD_AVX2
const struct first_loops first_loops_avx2 = {
#else
const struct first_loops first_loops_portable = {
#endif
	.run = {{run11, run12, run1n}, {run21, run22, run2n}}};
