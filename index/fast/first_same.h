/*
 * first_same.h - runs of lines that repeat the line before after a small step ("+5").
 *
 * struct same (first_in.h) is a guess about the text of the next line.  After each cost
 * line guess_same() makes it; same_lines() takes lines as long as the guess is right.
 */
#ifndef QUERN_FIRST_SAME_H
#define QUERN_FIRST_SAME_H

#include "index/fast/first_in.h"

/* What a loop keeps to itself while it runs: first_loops.c copies it from the tally and
 * back. */
struct first {
	uint64_t at[2];	    /* the base of relative positions, in the order of the file */
	bool apart;	    /* a call or jump leaves the base where it is */
	uint64_t before[2]; /* instr and line of the row before */
	uint64_t run[2];    /* self cost of the block so far */
	uint64_t rows, most; /* rows packed, and how many may be */
	uint64_t costs;	     /* rows that are cost lines */
	uint64_t lines;	     /* lines of text besides those cost lines */
	uint64_t to;	     /* target of the last jump: pieces.last.to[2] */
	unsigned char *out;  /* end of the packed rows */
};

/* Bytes before the costs in struct same: " * ", " 0 " or " ". */
static HOT unsigned same_front(unsigned nsub)
{
	return nsub == 2 ? 3 : 1;
}

/* Ones for the first n of 16 bytes: [n][0] has the first 8 bytes. */
#define LOW(n) ((n) < 8 ? ((uint64_t)1 << 8 * ((n)&7)) - 1 : UINT64_MAX)
#define LOW_BYTES(n)                             \
	{                                        \
		LOW(n), (n) > 8 ? LOW((n)-8) : 0 \
	}
static const uint64_t low[17][2] = {
	LOW_BYTES(0),  LOW_BYTES(1),  LOW_BYTES(2),  LOW_BYTES(3),  LOW_BYTES(4),
	LOW_BYTES(5),  LOW_BYTES(6),  LOW_BYTES(7),  LOW_BYTES(8),  LOW_BYTES(9),
	LOW_BYTES(10), LOW_BYTES(11), LOW_BYTES(12), LOW_BYTES(13), LOW_BYTES(14),
	LOW_BYTES(15), LOW_BYTES(16),
};
#undef LOW_BYTES
#undef LOW

/* Ones for the first n of 8 bytes. */
static HOT uint64_t low_bytes(unsigned n)
{
	return low[n][0];
}

/* Guess that the next line costs what the n bytes at p say, the newline included. */
static HOT void same_costs(struct same *s, const char *p, unsigned n, unsigned nsub)
{
	const unsigned front = same_front(nsub), shift = 8 * front;
	const uint64_t a = load8(p), b = load8(p + 8);
	const uint64_t blank = nsub == 1 ? ' ' : s->no_line ? 0x203020 : 0x202a20;

	s->n = front + n;
	s->keep[0] = low[s->n][0];
	s->keep[1] = low[s->n][1];
	s->text[0] = (a << shift | blank) & s->keep[0];
	s->text[1] = (a >> (64 - shift) | b << shift) & s->keep[1];
}

/* A cost line was taken, with the costs p[0..end), newline included.  Make the guess for
 * the next line.  known: the line of code was not 0. */
static HOT void guess_same(struct same *s, const char *p, const char *end, unsigned nsub,
			   bool instr, bool known)
{
	const uint64_t n = (uint64_t)(end - p);

	s->n = 0;
	s->has_cost = true;
	if (n > 16 - same_front(nsub))
		return;
	s->no_line = nsub == 2 && !known;
	same_costs(s, p, (unsigned)n, nsub);
	s->place = nsub == 2 || instr ? PIECE_INSTR : PIECE_LINE;
}

/* True when the guess is right for a text of more than 8 bytes. */
static HOT bool says_same(struct same s, const char *blank)
{
	const uint64_t a = (load8(blank) & s.keep[0]) ^ s.text[0];
	const uint64_t b = (load8(blank + 8) & s.keep[1]) ^ s.text[1];

	return (a | b) == 0;
}

/* Sums of costs below 2^62 can take all lines of a piece without a check: 2^20 lines of at
 * most 2^42, none negative. */
static HOT bool far_from_full(uint64_t a, uint64_t b)
{
	const int64_t full = (int64_t)1 << 62;

	return (int64_t)a < full && (int64_t)b < full;
}

/* Take lines "+5" with the guessed text from *text on, at most `most` of them; how many
 * there were.  wide: the guess has more than 8 bytes. */
static HOT uint64_t same_text(struct first *f, const struct same s, const char **text,
			      const char *end, uint64_t most, bool wide)
{
	const unsigned size = 2 + s.n;
	const char *p = *text;
	unsigned char *out = f->out;
	uint64_t n = 0, more = 0;

	for (; p < end && n < most; n++) {
		/* The low byte is 0 after a '+', the next one is the digit less 1. */
		const unsigned d = load2(p) - ('1' << 8 | '+');

		if ((uint16_t)(d << 8 | (d >> 8 & 0xff)) > 8 ||
		    (wide ? !says_same(s, p + 2)
			  : (load8(p + 2) & s.keep[0]) != s.text[0]))
			break;
		out[0] = (unsigned char)s.place;
		out[1] = (unsigned char)((d >> 8) * 2 + 2);
		out += 2;
		p += size;
		more += d;
	}
	f->out = out;
	f->at[0] += (more >> 8) + n;
	*text = p;
	return n;
}

/* Take a line of one cost, "+5" or "+12" and the guessed text but for the cost; its end,
 * or NULL when it is another one. */
static HOT const char *other_cost(struct first *f, struct same *s, const char *p,
				  unsigned nsub)
{
	const unsigned front = same_front(nsub);
	const char *q = p + 2, *c;
	unsigned d = (unsigned char)p[1] - '0', e = (unsigned char)*q - '0', n;
	unsigned char *out = f->out;
	uint64_t cost;

	if (*p != '+' || d > 9)
		return NULL;
	if (e <= 9) {
		d = d * 10 + e;
		q++;
	}
	/* A step of up to 63 is one byte of a row. */
	if (d - 1 > 62 || ((load8(q) ^ s->text[0]) & low_bytes(front)))
		return NULL;
	c = q + front;
	n = leading_digits(load8(c));
	if (n - 1 > 6 || c[n] != '\n')
		return NULL;
	cost = digits_at(c, n);
	out[1] = (unsigned char)(d << 1);
	if (cost == s->cost[0]) {
		out[0] = (unsigned char)s->place;
		f->out = out + 2;
	} else {
		out[0] = (unsigned char)(s->place | 1 << PIECE_COSTS);
		f->out = varint_put_flat(out + 2, cost);
		s->cost[0] = cost;
		same_costs(s, c, n + 1, nsub);
	}
	f->at[0] += d;
	return c + n + 1;
}

#endif
