/*
 * replay_match.h - compare the text at hand with one link, in one go.
 *
 *	text	"cfn=(75)\ncalls=12 0 0\n374 1067\n"
 *	link	"cfn=(75)\ncalls=3 0 0\n374 "		a call's count may be another one,
 *						costs are read after the link's text
 *
 * Included by replay_loops.c, which is compiled once per instruction set.
 */
#ifndef QUERN_REPLAY_MATCH_H
#define QUERN_REPLAY_MATCH_H

#include <string.h>

#include "index/fast/columns.h"
#include "index/fast/replay_line.h"

/* Constants of a loop; functions take it by value, which keeps its members in
 * registers. */
struct replay_fixed {
	struct replay *r;
	struct tally *t;
	const char *end; /* of the text */
	uint32_t ncols;	 /* columns of a line */
	uint64_t *many;	 /* receives the costs of three columns or more */
	struct err *err;
	bool follow;	 /* links are tried as they came the last time (replay_in.h) */
	bool follow_two; /* by follow_past() */
	bool heads;	 /* so are those that begin a block, at least */
	bool steps;	 /* steps of several columns are taken */
	bool apart;	 /* a call leaves the base where it is */
	uint32_t call_values; /* numbers of a call's entry */
};

/* ---- compares of an instruction set ---- */

/*
 *	differ(p, k)	bit i: byte i of the text at p is not that of k (i < LINK_TEXT; higher
 *			bits mean nothing)
 *	same_rest(k, p)	the text at p begins with that of k after its counts
 *	step_fits(s, p)	the text at p begins with that of s
 *	closing(p)	bit i: byte i of the 32 at p is ')'; two bits above are set
 */
#ifdef SIMD_AVX2
static HOT uint64_t differ(const char *p, const struct text_link *k)
{
	__m256i a = _mm256_loadu_si256((const __m256i *)(const void *)p);
	__m256i b = _mm256_loadu_si256((const __m256i *)(const void *)k->text);
	__m128i c = _mm_loadu_si128((const __m128i *)(const void *)(p + 32));
	__m128i d = _mm_loadu_si128((const __m128i *)(const void *)(k->text + 32));

	return ~((uint64_t)(uint32_t)_mm256_movemask_epi8(_mm256_cmpeq_epi8(a, b)) |
		 (uint64_t)(uint32_t)_mm_movemask_epi8(_mm_cmpeq_epi8(c, d)) << 32);
}

static HOT uint64_t closing(const char *p)
{
	__m256i v = _mm256_loadu_si256((const __m256i *)(const void *)p);

	v = _mm256_cmpeq_epi8(v, _mm256_set1_epi8(')'));
	return (uint32_t)_mm256_movemask_epi8(v) | (uint64_t)3 << 32;
}

static HOT bool step_fits(const struct text_step *s, const char *p)
{
	__m128i a = _mm_loadu_si128((const __m128i *)(const void *)p);
	__m128i b = _mm_load_si128((const __m128i *)(const void *)s);
	const unsigned same = (unsigned)_mm_movemask_epi8(_mm_cmpeq_epi8(a, b));

	return (same | s->other) == 0xffff;
}

static HOT bool same_rest(const struct text_link *k, const char *p)
{
	const unsigned at = k->before + k->digits;

	return differ(p - at, k) >> at << (64 - (k->len - at)) == 0;
}
#else
static HOT uint64_t differ(const char *p, const struct text_link *k)
{
	for (unsigned i = 0; i < 48; i += 8) {
		uint64_t x = load8(p + i) ^ load8(k->text + i);

		if (x) /* no caller looks at the bits above the first */
			return UINT64_MAX << (i + ((unsigned)__builtin_ctzll(x) >> 3));
	}
	return 0;
}

static HOT uint64_t closing(const char *p)
{
	uint64_t m = (uint64_t)3 << 32;

	for (unsigned i = 0; i < 32; i++)
		m |= (uint64_t)(p[i] == ')') << i;
	return m;
}

static HOT bool step_fits(const struct text_step *s, const char *p)
{
	uint64_t low = load8(p) ^ load8(s->text),
		 high = load8(p + 8) ^ load8(s->text + 8);

	return s->len > 8 ? (low | high << (128 - 8 * s->len)) == 0
			  : s->len && low << (64 - 8 * s->len) == 0;
}

static HOT bool same_rest(const struct text_link *k, const char *p)
{
	const unsigned at = k->before + k->digits;

	return memcmp(p, link_text_of(k) + at, k->len - at) == 0;
}
#endif

/* True when k's text, which is no longer than LINK_TEXT, is at p. */
static HOT bool text_fits(const char *p, const struct text_link *k)
{
	return (differ(p, k) & (((uint64_t)1 << k->len) - 1)) == 0;
}

/* ---- costs ---- */

/* Read the costs of three columns or more at p, up to the last that is not 0. */
static HOT bool many_costs(const struct replay_fixed in, const char *p, struct line *l)
{
	struct columns c;
	uint64_t mask;

	if (!find_columns(&c, p, in.ncols))
		return any_costs(p, in.ncols, l, in.many);
	mask = c.mask;
	l->end = c.end;
	l->n = mask ? 64 - (unsigned)__builtin_clzll(mask) : 0;
	for (unsigned i = 0; i < l->n; i++)
		in.many[i] = 0;
	for (uint64_t from = c.others; from; from &= from - 1, mask &= mask - 1)
		in.many[__builtin_ctzll(mask)] =
			column_at(&c, (unsigned)__builtin_ctzll(from));
	return true;
}

/* Read the costs at p. */
static HOT bool costs(const struct replay_fixed in, const char *p, struct line *l)
{
	uint64_t m = simd_nondigits(p);
	unsigned a = (unsigned)__builtin_ctzll(m), b;

	l->costs = p;
	if (in.ncols > 2)
		return many_costs(in, p, l);
	if (a - 1 > 7 || (in.ncols == 1 && p[a] != '\n'))
		return any_costs(p, in.ncols, l, in.many);
	if (in.ncols == 1) {
		l->end = p + a + 1;
		l->cost[0] = digits_at(p, a);
		return true;
	}
	m &= m - 1;
	b = (unsigned)__builtin_ctzll(m);
	if (__builtin_expect(p[a] != ' ' || p[b] != '\n' || b - a - 2 > 7, 0))
		return any_costs(p, in.ncols, l, in.many);
	l->end = p + b + 1;
	simd_two(p, a, p + a + 1, b - a - 1, l->cost);
	return true;
}

/* ---- links ---- */

/* The text at *p differs from k's: true when k is a call and only its count is another
 * one; *p moves to the costs. */
static HOT bool match_count(const struct text_link *k, uint64_t differs, const char **p,
			    struct line *l)
{
	const char *q = *p + k->before;
	unsigned n = (unsigned)__builtin_ctzll(simd_nondigits(q));

	if (!(k->flags & LINK_CALL) || (differs & (((uint64_t)1 << k->before) - 1)) ||
	    n - 1 > 7 || !same_rest(k, q + n))
		return false;
	l->count = digits_at(q, n);
	*p += k->len - k->digits + n;
	return true;
}

/* The counts of a jump at q: sets l->count and l->taken.  Their bytes, 0 when a number is
 * too long or missing.  last: the cost of the line before, which is most often the count,
 * too; or NULL. */
static HOT unsigned jump_counts(const char *q, bool conditional,
				const struct last_cost *last, struct line *l)
{
	uint64_t m = simd_nondigits(q), both[2];
	const unsigned a = (unsigned)__builtin_ctzll(m);
	const char *times = conditional ? q + a + 1 : q;
	unsigned b;

	/* The digits of the cost are compared, without the byte that ends it. */
	if (last && !((load8(times) ^ last->text) & (last->mask >> 8)) &&
	    times[last->size - 1] == ' ' &&
	    (!conditional || (a - 1 <= 7 && q[a] == '/'))) {
		l->count = last->v;
		l->taken = conditional ? digits_at(q, a) : last->v;
		return (unsigned)(times - q) + last->size - 1;
	}
	if (!conditional) {
		if (a - 1 > 7)
			return 0;
		l->taken = l->count = digits_at(q, a);
		return a;
	}
	m &= m - 1;
	b = (unsigned)__builtin_ctzll(m);
	if (a - 1 > 7 || q[a] != '/' || b - a - 2 > 7)
		return 0;
	simd_two(q, a, q + a + 1, b - a - 1, both);
	l->taken = both[0];
	l->count = both[1];
	return b;
}

/* The end of the line when the text of k, a LINK_JUMP, is at p, but for its counts; or
 * NULL.  last: as for jump_counts(). */
static HOT const char *match_jump(const struct text_link *k, const char *p,
				  const struct last_cost *last, struct line *l)
{
	unsigned n;

	if (*p != 'j' || !jump_begins(k, p))
		return NULL;
	n = jump_counts(p + k->before, is_conditional(k), last, l);
	if (!n || !same_rest(k, p + k->before + n))
		return NULL;
	p += k->len + n;
	return *p == '\n' ? p + 1 : NULL;
}

/* True when k's text is at p, but for a call's count, and costs that can be read are
 * after it. */
static HOT bool match(const struct replay_fixed in, const struct text_link *k,
		      const char *p, struct line *l)
{
	uint64_t differs;

	if (k->flags & LINK_JUMP) {
		l->end = match_jump(k, p, NULL, l);
		return l->end != NULL;
	}
	if (__builtin_expect(k->flags & LINK_LONG, 0))
		return replay_match_long(k, &p, &l->count) && costs(in, p, l);
	differs = differ(p, k);
	if (__builtin_expect((differs & (((uint64_t)1 << k->len) - 1)) == 0, 1)) {
		p += k->len;
		l->count = k->count;
	} else if (!match_count(k, differs, &p, l)) {
		return false;
	}
	return costs(in, p, l);
}

#endif
