/*
 * first.c - lines of first blocks; see first.h.
 *
 *	+5 3 210\n	the blanks of 32 bytes are found at once, the numbers that end
 *	  ^ ^   ^	at them are converted side by side (simd.h), and the line
 *			becomes a row of a few bytes after the others (piece.h)
 *
 * Most lines repeat, after a small "+5", the text of the line before, or all of it but
 * the cost:
 *
 *	+4 0 210\n	the text from the first blank on is compared as a whole, and the
 *	  ^		row is two bytes
 *
 * first_loops.c has the loops: one for each instruction set, number of positions and
 * number of columns.  A line that does not fit the loop, for example one with a number of
 * more than 8 digits, is read by first_lines.c.
 */
#include "index/fast/first.h"

#include "index/base/isa.h"
#include "index/fast/first_in.h"

static const struct first_loops *const loops[ISAS] = {
#if ISA_X86
	[ISA_AVX2] = &first_loops_avx2,
#endif
	[ISA_PORTABLE] = &first_loops_portable,
};

bool first_ready(const struct tally *t, const struct decode *d)
{
	return t->now.fn != UINT32_MAX && t->pieces.open &&
	       t->now.inlined == NAME_ABSENT && d->usual && !tally_is_waiting(t) &&
	       t->events.ncol - 1 < FIRST_COLUMNS && t->events.ncol == d->ncols &&
	       t->events.col_is_event;
}

const char *first_run(struct tally *t, struct decode *d, const char *p, const char *end)
{
	const char *start = p;

	if (t->now.pending != PENDING_NONE || t->now.has_jfi || t->now.has_jfn)
		return p;
	p = loops[isa()]->run[d->nsub - 1][d->ncols < 3 ? d->ncols - 1 : 2](t, d, p, end);
	t->text_bytes += (uint64_t)(p - start);
	return p;
}
