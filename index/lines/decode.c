/*
 * decode.c - blocks of lines to rows, usual lines fast; see decode.h.
 *
 * scan_block() gives the offsets of all separators, so a line is a run of them:
 *
 *	+ 2   *   6 8 4 \n f n = ( 5 6 2 ) \n
 *	    ^   ^       ^                  ^	pos[k], pos[k+1], ...
 *
 * The fast paths below take the lines that producers write by the million: a cost line of
 * plain numbers, "fn=(12)" and its like, "calls=1 0 0", the blank line.  A fast path
 * either takes a line exactly as decode_line() would, or leaves it to that, which knows
 * every rule of PROFILE.md.  Numbers are converted 8 digits at a time without
 * a branch on their length.
 */
#include "index/lines/decode.h"

#include <string.h>

#include "index/lines/decode_in.h"
#include "index/lines/digits.h"

/* ---- numbers ---- */

/* The n (0..8) decimal digits that end at `end`; sets bits of *bad if a byte is no
 * digit. */
static inline uint64_t digits8(const char *end, size_t n, uint64_t *bad)
{
	uint64_t v = (load8(end - 8) ^ 0x3030303030303030) & digits_keep[n];

	*bad |= (v | (v + 0x0606060606060606)) & 0xf0f0f0f0f0f0f0f0;
	return eight_digits(v);
}

/* Up to 16 digits; longer numbers set *bad. */
static inline uint64_t digits(const char *from, const char *end, uint64_t *bad)
{
	size_t n = (size_t)(end - from);

	if (__builtin_expect(n <= 8, 1))
		return digits8(end, n, bad);
	if (n > 16) {
		*bad = 1;
		return 0;
	}
	return digits8(end - 8, n - 8, bad) * 100000000 + digits8(end, 8, bad);
}

/* ---- usual lines ---- */

/* Classes of a subposition's first byte. */
enum { S_DIGIT = 1, S_PLUS = 2, S_MINUS = 4, S_STAR = 8, S_HEX = 16 };
static const uint8_t first_of[256] = {
	['0'] = S_DIGIT, ['1'] = S_DIGIT, ['2'] = S_DIGIT, ['3'] = S_DIGIT,
	['4'] = S_DIGIT, ['5'] = S_DIGIT, ['6'] = S_DIGIT, ['7'] = S_DIGIT,
	['8'] = S_DIGIT, ['9'] = S_DIGIT, ['+'] = S_PLUS,  ['-'] = S_MINUS,
	['*'] = S_STAR,
};

/* "12", "+3", "-3", "*", "0x1f"; sets *bad for anything else. */
static inline uint64_t fast_sub(const char *from, const char *end, uint64_t base,
				uint64_t *bad)
{
	uint8_t first = first_of[(unsigned char)*from];
	bool relative = first & (S_PLUS | S_MINUS | S_STAR);
	uint64_t v, from_base = relative ? base : 0;

	if (__builtin_expect(end - from > 2 && from[0] == '0' && (from[1] | 0x20) == 'x',
			     0))
		return hex_number(from + 2, end, bad);
	from += relative;
	/* '*' has no digits, all others have at least one. */
	*bad |= (uint64_t)(first == 0) | (uint64_t)((first == S_STAR) != (from == end));
	v = digits(from, end, bad);
	*bad |= (uint64_t)(first == S_MINUS && v > from_base) |
		(uint64_t)(first == S_PLUS && v > UINT64_MAX - from_base);
	return first == S_MINUS ? from_base - v : from_base + v;
}

/* Whether the separator at end is a CR before a newline; a block ends with a newline. */
static inline bool ends_in_cr(const char *end)
{
	return __builtin_expect(*end == '\r' && end[1] == '\n', 0);
}

struct cursor {
	const char *text;    /* start of the block */
	const uint16_t *pos; /* the next separator */
};

/* The positions of the line at *from; *from moves to the costs, NULL when the line ends
 * before. */
static inline __attribute__((always_inline)) const uint16_t *
fast_positions(const struct decode *d, const struct cursor *c, const char **from,
	       unsigned nsub, uint64_t *at, uint64_t *bad)
{
	const uint16_t *pos = c->pos;

	for (unsigned i = 0; i < nsub; i++) {
		const char *end = c->text + *pos;

		while (__builtin_expect(*from == end && is_blank(*end), 0)) {
			*from = end + 1;
			end = c->text + *++pos;
		}
		at[i] = fast_sub(*from, end, d->base[d->sub[i]], bad);
		if (*end == '\n') {
			*bad |= i + 1u < nsub;
			*from = NULL;
			return pos;
		}
		*bad |= !is_blank(*end);
		*from = end + 1;
		pos++;
	}
	return pos;
}

/* Read the costs from `from` to the newline, at most ncols: *n of them, *all the bits of
 * all of them.  The place of the newline; with *bad set, the line is another one. */
static inline __attribute__((always_inline)) const uint16_t *
fast_costs(const struct cursor *c, const uint16_t *pos, const char *from, uint32_t ncols,
	   uint64_t *cost, uint32_t *n, uint64_t *all, uint64_t *bad)
{
	for (;; pos++) {
		const char *end = c->text + *pos;

		if (from == end)
			; /* several blanks in a row, or blanks before the newline */
		else if (__builtin_expect(*n < ncols, 1))
			*all |= cost[(*n)++] = digits(from, end, bad);
		else
			*bad = 1;
		if (*end == '\n')
			return pos;
		if (ends_in_cr(end))
			return pos + 1;
		*bad |= !is_blank(*end);
		if (__builtin_expect(*bad != 0, 0))
			return pos;
		from = end + 1;
	}
}

/* Take a cost line at c with nsub positions.  If false, only the scratch costs have
 * changed. */
static inline __attribute__((always_inline)) bool
cost_line(struct decode *d, struct batch *b, struct cursor *c, const char *line,
	  unsigned nsub)
{
	const char *from = line;
	uint64_t at[SUBS], was[SUBS], bad = 0, costs = 0;
	uint32_t n = 0;
	const uint16_t *pos = fast_positions(d, c, &from, nsub, at, &bad);

	if (from)
		pos = fast_costs(c, pos, from, d->ncols, &b->cost[b->ncost], &n, &costs,
				 &bad);
	if (__builtin_expect(bad != 0 || maybe_negative(d, costs), 0))
		return false;
	const bool moves = moves_base(d, b);
	struct row *r = push(b, ROW_COST, line);

	memcpy(was, d->base, sizeof(was));
	for (unsigned i = 0; i < nsub; i++)
		d->base[d->sub[i]] = at[i];
	r->a = d->base[SUB_INSTR];
	r->b = d->base[SUB_LINE];
	if (__builtin_expect(!moves, 0))
		memcpy(d->base, was, sizeof(was));
	r->nc = (uint16_t)n;
	b->ncost += n;
	c->pos = pos + 1;
	return true;
}

/* Separate code for each common number of positions. */
static inline bool fast_cost(struct decode *d, struct batch *b, struct cursor *c,
			     const char *line)
{
	switch (d->nsub) {
	case 1: return cost_line(d, b, c, line, 1);
	case 2: return cost_line(d, b, c, line, 2);
	case 3: return cost_line(d, b, c, line, 3);
	default: return false;
	}
}

/* "jump=12 target" and "jcnd=3/12 target" with plain positions; a blank may follow. */
static inline bool fast_jump(struct decode *d, struct batch *b, struct cursor *c,
			     const char *line, bool conditional)
{
	const uint16_t *pos = c->pos;
	const char *from = line + 5, *end = c->text + *pos, *slash;
	uint64_t bad = 0, executed, taken = 0, at[SUBS] = {0};

	at[SUB_INSTR] = d->base[SUB_INSTR];
	at[SUB_LINE] = d->base[SUB_LINE];
	if (conditional) {
		slash = memchr(from, '/', (size_t)(end - from));
		if (!slash || slash == from)
			return false;
		taken = digits(from, slash, &bad);
		from = slash + 1;
	}
	if (from == end)
		return false;
	executed = digits(from, end, &bad);
	for (unsigned i = 0; i < d->nsub; i++) {
		unsigned k = d->sub[i];

		if (*end != ' ')
			return false;
		from = end + 1;
		end = c->text + *++pos;
		at[k] = fast_sub(from, end, d->base[k], &bad);
	}
	if (*end == ' ' && (unsigned char)end[1] <= ' ')
		end = c->text + *++pos;
	if (ends_in_cr(end))
		end = c->text + *++pos;
	if (*end != '\n' || bad)
		return false;
	struct row *r = push(b, conditional ? ROW_JCND : ROW_JUMP, line);

	r->a = executed;
	r->b = conditional ? taken : executed;
	r->nc = 2;
	b->cost[b->ncost++] = at[SUB_INSTR];
	b->cost[b->ncost++] = at[SUB_LINE];
	c->pos = pos + 1;
	return true;
}

/* "fn=(12)\n" and its like; the id is at `skip`. */
static inline bool fast_name(struct batch *b, struct cursor *c, const char *line,
			     size_t skip, enum row_kind kind)
{
	const char *end = c->text + c->pos[0], *from = line + skip;
	uint64_t bad = 0, id;

	if ((*end != '\n' && !ends_in_cr(end)) || end - from < 2 || end[-1] != ')' ||
	    end - from > 9)
		return false;
	id = digits8(end - 1, (size_t)(end - 1 - from), &bad);
	if (__builtin_expect(bad != 0, 0))
		return false;
	struct row *r = push(b, kind, line);

	r->flags = NAME_ID;
	r->a = id;
	c->pos += *end == '\n' ? 1 : 2;
	return true;
}

/* "calls=12 ..." followed by plain numbers: the target, of which the line is kept. */
static inline bool fast_calls(struct decode *d, struct batch *b, struct cursor *c,
			      const char *line)
{
	const uint16_t *pos = c->pos;
	const char *from = line + 6, *end = c->text + *pos;
	uint64_t bad = 0, count, to = 0;
	unsigned n = 0;

	if (end == from)
		return false;
	count = digits(from, end, &bad);
	while (*end != '\n') {
		if (ends_in_cr(end)) {
			pos++;
			break;
		}
		bad |= !is_blank(*end);
		from = end + 1;
		end = c->text + *++pos;
		if (from == end) /* one or two blanks before the newline */
			bad |= *end != '\n';
		else if (n < d->nsub) {
			const unsigned k = d->sub[n++];
			const uint64_t at = fast_sub(from, end, d->base[k], &bad);

			to = k == SUB_LINE ? at : to;
		}
		if (bad)
			return false;
	}
	if (bad)
		return false;
	struct row *r = push(b, ROW_CALLS, line);

	r->a = count;
	r->b = n == d->nsub ? to : 0;
	c->pos = pos + 1;
	return true;
}

#define WORD4(a, b, c, d)                                                   \
	((uint32_t)(unsigned char)(a) | (uint32_t)(unsigned char)(b) << 8 | \
	 (uint32_t)(unsigned char)(c) << 16 | (uint32_t)(unsigned char)(d) << 24)

/* Lines that begin with a letter; 8 bytes at line are readable. */
static inline bool fast_word(struct decode *d, struct batch *b, struct cursor *c,
			     const char *line)
{
	switch (load4(line)) {
	case WORD4('f', 'n', '=', '('):
		d->in_body = true;
		return fast_name(b, c, line, 4, ROW_FN);
	case WORD4('f', 'l', '=', '('):
		d->in_body = true;
		return fast_name(b, c, line, 4, ROW_FL);
	case WORD4('f', 'i', '=', '('):
	case WORD4('f', 'e', '=', '('):
		d->in_body = true;
		return fast_name(b, c, line, 4, ROW_FI);
	case WORD4('c', 'f', 'n', '='):
		return line[4] == '(' && fast_name(b, c, line, 5, ROW_CFN);
	case WORD4('c', 'f', 'i', '='):
	case WORD4('c', 'f', 'l', '='):
		return line[4] == '(' && fast_name(b, c, line, 5, ROW_CFI);
	case WORD4('c', 'o', 'b', '='):
		return line[4] == '(' && fast_name(b, c, line, 5, ROW_COB);
	case WORD4('j', 'u', 'm', 'p'):
		return line[4] == '=' && fast_jump(d, b, c, line, false);
	case WORD4('j', 'c', 'n', 'd'):
		return line[4] == '=' && fast_jump(d, b, c, line, true);
	case WORD4('c', 'a', 'l', 'l'):
		return line[4] == 's' && line[5] == '=' && fast_calls(d, b, c, line);
	default: return false;
	}
}

/* Decode p[0..n), which ends with a newline: every fast path stops at one.  `one`:
 * stop after the first cost line. */
static inline void decode_lines(struct decode *d, struct batch *b, const char *p,
				size_t n, size_t before, bool one)
{
	struct cursor c = {.text = p, .pos = d->pos};
	const char *line = p, *stop = p + n;
	bool done = false;

	for (; line < stop && !done; b->newlines++) {
		unsigned char first = (unsigned char)*line;
		bool taken = false;

		if (first == '\n') {
			c.pos++;
			line++;
			continue;
		}
		if (d->in_body && (size_t)(line - p) + before >= 8 && stop - line >= 8) {
			if (first_of[first])
				taken = d->ncols && fast_cost(d, b, &c, line);
			else
				taken = fast_word(d, b, &c, line);
		}
		if (!taken) {
			while (p[*c.pos] != '\n')
				c.pos++;
			decode_line(d, b,
				    (struct str){line, (size_t)(p + *c.pos - line)});
			c.pos++;
		}
		line = p + c.pos[-1] + 1;
		done = one && b->n && b->row[b->n - 1].kind == ROW_COST;
	}
	b->bytes = (size_t)(line - p);
}

/* A line longer than a block, or a last line without newline. */
static void lone_line(struct decode *d, struct batch *b, const char *p, size_t n,
		      bool newline)
{
	decode_line(d, b, (struct str){p, n});
	b->newlines = newline;
	b->bytes = n + newline;
}

static void begin_batch(struct batch *b, const char *p)
{
	b->n = b->ncost = b->newlines = b->bytes = 0;
	b->text = p;
}

static void end_batch(struct decode *d, const struct batch *b)
{
	if (b->n)
		d->of_record = waits_for_line(&b->row[b->n - 1]);
}

void decode_block(struct decode *d, const char *p, size_t n, size_t before, bool last,
		  struct batch *b)
{
	size_t window = n < SCAN_BLOCK ? n : SCAN_BLOCK;
	const char *end = window ? memrchr(p, '\n', window) : NULL;

	begin_batch(b, p);
	if (end) {
		window = (size_t)(end - p) + 1;
		scan_block(p, window, d->pos);
		decode_lines(d, b, p, window, before, false);
	} else {
		if (n > window)
			end = memchr(p + window, '\n', n - window);
		if (end)
			lone_line(d, b, p, (size_t)(end - p), true);
		else if (last && n)
			lone_line(d, b, p, n, false);
	}
	end_batch(d, b);
}

/* The end of the first cost line of p[0..n), or of the last line; NULL: no line ends
 * there. */
static const char *entry_end(const char *p, size_t n)
{
	const char *stop = p + n, *end = NULL;
	bool cost = false;

	while (p < stop && !cost) {
		cost = first_of[(unsigned char)*p];
		p = memchr(p, '\n', (size_t)(stop - p));
		if (!p)
			break;
		end = ++p;
	}
	return end;
}

void decode_entry(struct decode *d, const char *p, size_t n, size_t before, bool last,
		  struct batch *b)
{
	const char *end = entry_end(p, n < SCAN_BLOCK ? n : SCAN_BLOCK);

	if (!end) {
		decode_block(d, p, n, before, last, b);
		return;
	}
	begin_batch(b, p);
	scan_block(p, (size_t)(end - p), d->pos);
	decode_lines(d, b, p, (size_t)(end - p), before, true);
	end_batch(d, b);
}
