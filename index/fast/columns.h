/*
 * columns.h - find the costs of a line with many columns, most of them 0, at once.
 *
 *	"12 0 0 345 0\n"	text	up to 64 bytes; one bit per byte of it in each mask
 *	  | | |   | |		ends	a blank or the newline after each number
 *	|     |			others	where a number other than 0 begins
 *	10010			mask	the same per column: here bits 0 and 3
 *
 * Only the numbers in `others` are then read.  Used by the loops of first and replay.
 */
#ifndef QUERN_COLUMNS_H
#define QUERN_COLUMNS_H

#include "index/fast/simd.h"

struct columns {
	const char *text, *end; /* end: after the newline */
	uint64_t ends;
	uint64_t others;
	uint64_t mask;
};

/* Find up to `most` numbers of up to 8 digits in the line at p, with one blank between
 * them, within 64 bytes; false when the line is another one. */
static HOT bool find_columns(struct columns *c, const char *p, unsigned most)
{
	uint64_t line, ends, first, bad;
	struct marks m;

	simd_marks(p, &m);
	if (!m.newlines)
		return false;
	line = m.newlines ^ (m.newlines - 1);
	ends = m.blanks | m.newlines;
	first = (ends << 1 | 1) & line;
	c->others = first & ~(m.zeros & ends >> 1);
	/* Refused: a byte that is neither a digit nor a blank, a blank where a number
	 * should begin, a number like "01", */
	bad = (line & ~(ends | m.digits)) | (first & ends) | (c->others & m.zeros);
	/* and nine digits in a row. */
	m.digits &= line;
	m.digits &= m.digits >> 1;
	m.digits &= m.digits >> 2;
	bad |= m.digits & m.digits >> 4 & m.digits >> 5;
	if (bad || (unsigned)__builtin_popcountll(first) > most)
		return false;
	c->text = p;
	c->end = p + __builtin_ctzll(m.newlines) + 1;
	c->ends = ends;
	c->mask = simd_squeeze(c->others, first);
	return true;
}

/* The number that begins at byte `at` of the text, a bit of `others`. */
static HOT uint64_t column_at(const struct columns *c, unsigned at)
{
	return digits_at(c->text + at, (unsigned)__builtin_ctzll(c->ends >> at));
}

#endif
