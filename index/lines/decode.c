/*
 * decode.c - blocks of text, line by line, to rows; see decode.h.
 *
 * It is the slow reader: what producers write by the million, fast/ takes before it.
 */
#include "index/lines/decode.h"

#include <string.h>

#include "index/lines/decode_in.h"

/* Decode the lines of p[0..n), which ends with a newline.  `one`: stop after the first
 * cost line, readable or not. */
static void decode_lines(struct decode *d, struct batch *b, const char *p, size_t n,
			 bool one)
{
	const char *line = p, *stop = p + n;
	bool done = false;

	while (line < stop && !done) {
		const char *end = memchr(line, '\n', (size_t)(stop - line));

		decode_line(d, b, (struct str){line, (size_t)(end - line)});
		done = one && (begins_cost(*line) ||
			       (b->n && b->row[b->n - 1].kind == LINE_COST));
		b->newlines++;
		line = end + 1;
	}
	b->bytes = (size_t)(line - p);
}

static void decode(struct decode *d, const char *p, size_t n, bool last, struct batch *b,
		   bool one)
{
	size_t window = n < DECODE_BYTES ? n : DECODE_BYTES;
	const char *end = window ? memrchr(p, '\n', window) : NULL;

	b->n = b->ncost = b->newlines = b->bytes = 0;
	b->text = p;
	if (!end && n > window) /* a line longer than a block */
		end = memchr(p + window, '\n', n - window);
	if (end) {
		decode_lines(d, b, p, (size_t)(end - p) + 1, one);
	} else if (last && n) {
		decode_line(d, b, (struct str){p, n});
		b->bytes = n;
	}
	if (b->n)
		d->of_record = waits_for_line(&b->row[b->n - 1]);
	if (b->n)
		d->of_jump = is_of_jump(&b->row[b->n - 1]);
}

void decode_block(struct decode *d, const char *p, size_t n, bool last, struct batch *b)
{
	decode(d, p, n, last, b, false);
}

void decode_entry(struct decode *d, const char *p, size_t n, bool last, struct batch *b)
{
	decode(d, p, n, last, b, true);
}
