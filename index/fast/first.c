/*
 * first.c - lines of first blocks; see first.h.
 *
 *	+ 5   3   2 1 0 \n	the blanks of 32 bytes are found at once, the numbers that
 *	    ^   ^       ^	end at them are converted side by side (simd.h), and the
 *				line is a few bytes behind the others (once.h)
 *
 * Most lines say behind a small "+5" what the line before said, or that but for the cost:
 *
 *	+ 4   0   2 1 0 \n	the text from the first blank on is compared as one, and the
 *	    ^			line is two bytes
 *
 * first_loop.inc has the loop, compiled per instruction set and shape of line.  What does not
 * fit it, such as numbers of more than 8 digits, is read one number after the other.
 */
#include "index/fast/first.h"

#include <string.h>

#include "index/base/isa.h"
#include "index/fast/simd.h"

/* Columns that are read here. */
enum { COLS_MAX = 32 };

/* What the next line may say behind its first position, if it is a small step: that it is in the
 * same line of code, as most are, and costs as much. */
struct same {
	uint64_t text[2]; /* from the blank up to the newline */
	uint64_t keep[2]; /* ones for its bytes */
	unsigned n;	  /* of them; 0: it may not */
	unsigned place;	  /* what its tag says of positions */
	bool unknown;	  /* the line of code is 0, and not "*" */
	bool known;	  /* the last cost line of the piece cost this */
	uint64_t cost[2];
};

/* Bytes in front of the costs: " * ", " 0 " or " ". */
static HOT unsigned same_front(unsigned nsub)
{
	return nsub == 2 ? 3 : 1;
}

/* The loop's view of where we are. */
struct place {
	uint64_t at[SUBS];  /* the base of relative positions */
	uint64_t before[2]; /* instr and line of the row before, for packing */
	struct same same;
};

/* What the first byte of a position says. */
enum { FIRST_RELATIVE = 1, FIRST_MINUS = 2, FIRST_SAME = 4 };
static const uint8_t first_kind[256] = {
	/* others must be digits: four() looks */
	['+'] = FIRST_RELATIVE,
	['-'] = FIRST_RELATIVE | FIRST_MINUS,
	['*'] = FIRST_RELATIVE | FIRST_SAME,
};

/* The row is half added: what reads it again would add it twice, so this is the end. */
static const char *no_memory(struct tally *t)
{
	t->no_memory = true;
	return NULL;
}

/* ---- one number after the other ---- */

/* A number and where it ends; NULL: there is none. */
struct number {
	const char *end;
	uint64_t v;
};
static const struct number no_number;

/* "1f", with a blank behind it. */
static struct number hex_position(const char *p)
{
	const uint64_t blanks = 0x2020202020202020;
	const char *q = p;
	uint64_t bad = 0;

	for (unsigned i = 0; i < 3; i++, q += 8) {
		uint64_t blank = zero_bytes(load8(q) ^ blanks), v;

		if (!blank)
			continue;
		q += __builtin_ctzll(blank) >> 3;
		v = hex_number(p, q, &bad);
		return bad ? no_number : (struct number){q, v};
	}
	return no_number;
}

/* One that is no small decimal number. */
static __attribute__((noinline)) struct number other_position(const char *p,
							      uint64_t base)
{
	const char c = *p;
	uint64_t v;

	if (c == '0' && p[1] == 'x')
		return hex_position(p + 2);
	p += c == '+' || c == '-';
	if (!digits_number(&p, &v) || (c == '+' && __builtin_add_overflow(base, v, &v)) ||
	    (c == '-' && __builtin_sub_overflow(base, v, &v)))
		return no_number;
	return (struct number){p, v};
}

/* "12", "+3", "-3", "*", "0x1f". */
static HOT struct number position(const char *p, uint64_t base)
{
	const unsigned kind = first_kind[(unsigned char)*p];
	const char *q = p + (kind != 0);
	uint64_t v, to;
	unsigned n;

	if (kind & FIRST_SAME)
		return (struct number){q, base};
	if (*q == '0' && !kind) {
		uint64_t bad = 0;

		/* The line of code of which no line is known. */
		if (q[1] == ' ')
			return (struct number){q + 1, 0};
		q += 2;
		v = zero_bytes(load8(q) ^ 0x2020202020202020);
		n = v ? (unsigned)__builtin_ctzll(v) >> 3 : 8;
		v = hex_before(q + n, n, &bad);
		if (__builtin_expect(q[-1] != 'x' || q[n] != ' ' || n == 0 || bad, 0))
			return other_position(p, base);
		return (struct number){q + n, v};
	}
	n = leading_digits(load8(q));
	if (__builtin_expect(n - 1 > 6, 0))
		return other_position(p, base);
	v = digits_at(q, n);
	to = (kind ? base : 0) + (kind & FIRST_MINUS ? 0 - v : v);
	/* Neither below 0 nor near 2^64. */
	if (kind && (base | to) >> 63)
		return no_number;
	return (struct number){q + n, to};
}

/* The nsub positions at p, with one blank behind each; their end, or NULL. */
static HOT const char *positions(const char *p, const struct decode *d,
				 const uint64_t *base, uint64_t *out)
{
	memcpy(out, base, SUBS * sizeof(*out));
	for (unsigned i = 0; i < d->nsub; i++) {
		const struct number at = position(p, base[d->sub[i]]);

		if (!at.end || *at.end != ' ')
			return NULL;
		out[d->sub[i]] = at.v;
		p = at.end + 1;
	}
	return p;
}

/* The costs, ncols at most, up to the end of the line. */
static HOT bool costs(const char **p, unsigned ncols, uint64_t *cost, uint32_t *n)
{
	*n = 0;
	do
		if (*n == ncols || !digits_number(p, &cost[(*n)++]))
			return false;
	while (*(*p)++ == ' ');
	return (*p)[-1] == '\n';
}

/* The row is at `at`, and so is the base of the next one, if it `moves`. */
static void place(struct place *pl, struct once_row *r, const uint64_t *at,
		  const struct tally *t, bool moves)
{
	if (moves)
		memcpy(pl->at, at, sizeof(pl->at));
	r->file = t->file;
	r->instr = pl->before[0] = at[SUB_INSTR];
	r->line = pl->before[1] = at[SUB_LINE];
}

/* Any cost line of plain numbers; its end, or NULL with nothing changed. */
static __attribute__((noinline)) const char *
other_line(struct tally *t, const struct decode *d, struct place *pl, const char *p)
{
	uint64_t at[SUBS], cost[COLS_MAX];
	uint32_t n;
	struct once_row r = {.kind = ENTRY_COST};

	p = positions(p, d, pl->at, at);
	if (!p || !costs(&p, d->ncols, cost, &n))
		return NULL;
	r.ncost = n;
	tally_add_costs(t, t->run, cost, n);
	t->ran = true;
	t->fn[t->cur_fn].body = true;
	t->lines++;
	t->cost_lines++;
	pl->same.n = 0;
	pl->same.known = false;
	place(pl, &r, at, t, true);
	t->base_file = t->file;
	return tally_add_once(t, &r, cost) ? no_memory(t) : p;
}

/* ---- names ---- */

enum { /* other names and ids are left to decode.h */
       NAME_BYTES = 4096,
       NEW_IDS = 1 << 22,
};

/* The newline behind a name at p that has no blanks around it, or NULL. */
static const char *name_end(const char *p, const char *end)
{
	const char *nl;

	if (end <= p || (unsigned char)*p <= ' ')
		return NULL;
	nl = memchr(p, '\n', end - p < NAME_BYTES ? (size_t)(end - p) : NAME_BYTES);
	return nl && (unsigned char)nl[-1] > ' ' ? nl : NULL;
}

/* "malloc\n" at *p, without an id: the slot, or 0 when it is something else. */
static uint32_t plain_name(struct names *names, const char **p, const char *end)
{
	const char *from = *p, *nl = name_end(from, end);
	uint32_t slot;

	if (!nl)
		return 0;
	*p = nl + 1;
	slot = names_text(names, (struct str){from, (size_t)(nl - from)}, 0);
	return slot == UINT32_MAX ? 0 : slot;
}

/* "(12)\n" or "(12) malloc\n" at *p, on the line-th line at hand: the slot of its name, or 0 when
 * it is something else, or not what the id is known to mean; *p moves behind it. */
static uint32_t name_at(struct tally *t, enum name_space space, const char **p,
			const char *end, unsigned line)
{
	struct names *names = &t->names[space];
	enum name_event event = NAME_OK;
	const char *q = *p + 1, *nl;
	uint32_t slot;
	uint64_t id;

	if (**p != '(')
		return plain_name(names, p, end);
	if (!digits_number(&q, &id) || *q != ')' || id >= NEW_IDS)
		return 0;
	if (q[1] == '\n') {
		slot = names_id(names, id, t->lines + line);
		*p = q + 2;
		return slot == UINT32_MAX ? 0 : slot;
	}
	slot = names_find(names, id);
	nl = q[1] == ' ' ? name_end(q + 2, end) : NULL;
	if (!nl)
		return 0;
	struct str text = {q + 2, (size_t)(nl - (q + 2))};

	if (slot)
		slot = names_known(names, id, text);
	else if (space != SPACE_FN || !names_has_parts(text))
		slot = names_define(names, id, text, t->lines + line, &event);
	if (!slot || slot == UINT32_MAX)
		/* What is said again does nothing; but "(1) (1)'2" is another name then. */
		return 0;
	*p = nl + 1;
	return slot;
}

/* "\nfn=(12) name\n" where a cost line follows, of a function that has no entries: that line, or
 * NULL with nothing changed. */
static __attribute__((noinline)) const char *head(struct tally *t, const struct decode *d,
						  struct place *pl, const char *p,
						  const char *end)
{
	const unsigned lines = 1 + (*p == '\n');
	uint64_t at[SUBS], cost[COLS_MAX];
	uint32_t n, name;
	bool begun;

	p += *p == '\n';
	if (memcmp(p, "fn=", 3) != 0)
		return NULL;
	p += 3;
	name = name_at(t, SPACE_FN, &p, end, lines);
	if (!name || p >= end)
		return NULL;
	const char *line = positions(p, d, pl->at, at);

	if (!line || !costs(&line, d->ncols, cost, &n))
		return NULL;
	if (tally_new_block(t, name, &begun))
		return no_memory(t);
	if (!begun)
		return NULL;
	t->lines += lines;
	pl->before[0] = pl->before[1] = 0;
	return p;
}

/* "fi=(12)\n", "fe=(12)\n"; the end, or NULL with nothing changed. */
static __attribute__((noinline)) const char *file(struct tally *t, const char *p,
						  const char *end)
{
	uint32_t slot;

	if ((p[1] != 'i' && p[1] != 'e') || p[2] != '=')
		return NULL;
	p += 3;
	slot = name_at(t, SPACE_FILE, &p, end, 1);
	if (!slot)
		return NULL;
	tally_set_file(t, slot);
	t->lines++;
	return p;
}

/* What stands in front of a calls= line. */
struct callee {
	uint32_t cob, cfi, cfn; /* slots; 0: not said */
	unsigned lines;
};

/* False when it is something else. */
static bool callee(struct tally *t, const char **p, const char *end, struct callee *c)
{
	*c = (struct callee){0};
	for (; (*p)[0] == 'c' && (*p)[1] != 'a'; c->lines++) {
		const char *line = *p;
		enum name_space space = SPACE_FILE;
		uint32_t *to = &c->cfi;

		if (memcmp(line, "cfn=", 4) == 0) {
			to = &c->cfn;
			space = SPACE_FN;
		} else if (memcmp(line, "cob=", 4) == 0) {
			to = &c->cob;
			space = SPACE_OBJ;
		} else if (memcmp(line, "cfi=", 4) != 0 && memcmp(line, "cfl=", 4) != 0) {
			return false;
		}
		*p += 4;
		*to = name_at(t, space, p, end, c->lines + 1);
		if (!*to)
			return false;
	}
	return c->cfn || t->has_cfn;
}

/* " +3 0\n" behind the count of a call: where the callee begins, of which nothing is kept; the
 * line behind it, or NULL. */
static HOT const char *target(const char *p, const uint64_t *base, unsigned nsub)
{
#pragma GCC unroll 2
	for (unsigned i = 0; i < nsub; i++) {
		if (*p != ' ')
			return NULL;
		p = position(p + 1, base[i]).end;
		if (!p)
			return NULL;
	}
	p += *p == ' ';
	return *p == '\n' ? p + 1 : NULL;
}

/* "cob=(3)\ncfi=(4)\ncfn=(5)\ncalls=1 +3 0\n+2 0 67\n", the first three or not; the end, or
 * NULL with nothing changed. */
static __attribute__((noinline)) const char *call(struct tally *t, const struct decode *d,
						  struct place *pl, const char *p,
						  const char *end)
{
	const uint64_t base[2] = {pl->at[d->sub[0]], pl->at[d->sub[d->nsub - 1]]};
	uint64_t at[SUBS], cost[COLS_MAX];
	struct once_row r = {.kind = ENTRY_CALL};
	struct callee c;
	uint32_t n;

	if (!callee(t, &p, end, &c) || memcmp(p, "calls=", 6) != 0)
		return NULL;
	p += 6;
	if (!digits_number(&p, &r.count))
		return NULL;
	p = target(p, base, d->nsub);
	if (!p || !(p = positions(p, d, pl->at, at)) || !costs(&p, d->ncols, cost, &n))
		return NULL;
	r.ncost = n;
	if (c.cob) {
		t->cob = c.cob;
		t->has_cob = true;
	}
	if (c.cfi) {
		t->cfi = c.cfi;
		t->has_cfi = true;
	}
	if (c.cfn) {
		t->cfn = c.cfn;
		t->has_cfn = true;
	}
	t->lines += c.lines + 2;
	place(pl, &r, at, t, !t->apart);
	t->file = t->base_file;
	return tally_once_call(t, &r, cost) ? no_memory(t) : p;
}

/* The slot of the id at *p in "12)\n", which moves behind it; 0: it is not one met before, or
 * something else. */
static HOT uint32_t known(const struct names *names, const char **p)
{
	const char *q = *p;
	uint64_t id;

	if (!digits_number(&q, &id) || load2(q) != ('\n' << 8 | ')') ||
	    id >= names->by_id_n)
		return 0;
	*p = q + 2;
	return names->by_id[id];
}

/* "jfi=(3)\njfn=(4)\n" in front of a jump, one of them or both; where it goes (once_to()), and so
 * many more lines.  False when it is something else, or not known. */
static __attribute__((noinline)) bool jump_target(const struct tally *t, const char **p,
						  uint64_t *to, uint64_t *lines)
{
	uint32_t file = t->base_file, fn = t->fn_name;

	for (; (*p)[0] == 'j' && (*p)[1] == 'f'; ++*lines) {
		const bool into_fn = (*p)[2] == 'n';
		uint32_t slot;

		if ((!into_fn && (*p)[2] != 'i') || load2(*p + 3) != ('(' << 8 | '='))
			return false;
		*p += 5;
		slot = known(&t->names[into_fn ? SPACE_FN : SPACE_FILE], p);
		if (!slot)
			return false;
		*(into_fn ? &fn : &file) = slot;
	}
	*to = once_to(t->fn_name, t->file, (uint64_t)fn << 32 | file);
	return true;
}

/* ---- lines like the one before ---- */

/* What the loop keeps by itself. */
struct first {
	uint64_t at[2];	     /* the base, in the order of the file */
	bool apart;	     /* a call or jump leaves it where it is */
	uint64_t before[2];  /* instr and line of the row before */
	uint64_t run[2];     /* self cost of the block so far */
	uint64_t rows, most; /* packed, and how many may be */
	uint64_t costs;	     /* of them: cost lines */
	uint64_t lines;	     /* of text, but those */
	uint64_t to;	     /* as once_row.to[2] */
	unsigned char *out;
};

/* Ones for the low n of 16 bytes; the first 8 are [0]. */
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

/* Of 8. */
static HOT uint64_t low_bytes(unsigned n)
{
	return low[n][0];
}

/* The next line may cost what is said at p, n bytes up to and with the newline; nsub positions. */
static HOT void keep_text(struct same *s, const char *p, unsigned n, unsigned nsub)
{
	const unsigned front = same_front(nsub), shift = 8 * front;
	const uint64_t a = load8(p), b = load8(p + 8);
	const uint64_t blank = nsub == 1 ? ' ' : s->unknown ? 0x203020 : 0x202a20;

	s->n = front + n;
	s->keep[0] = low[s->n][0];
	s->keep[1] = low[s->n][1];
	s->text[0] = (a << shift | blank) & s->keep[0];
	s->text[1] = (a >> (64 - shift) | b << shift) & s->keep[1];
}

static HOT bool says_same(struct same s, const char *blank)
{
	const uint64_t a = (load8(blank) & s.keep[0]) ^ s.text[0];
	const uint64_t b = (load8(blank + 8) & s.keep[1]) ^ s.text[1];

	return (a | b) == 0;
}

/* Sums may be added without looking: there are 2^20 lines and 2^42 a line. */
static HOT bool far_from_full(uint64_t a, uint64_t b)
{
	return (a | b) >> 62 == 0;
}

/* Lines "+5" and what was said before; how many.  wide: that has more than 8 bytes. */
static HOT uint64_t same_text(struct first *f, const struct same s, const char **text,
			      const char *end, uint64_t most, bool wide)
{
	const unsigned size = 2 + s.n;
	const char *p = *text;
	unsigned char *out = f->out;
	uint64_t n = 0, more = 0;

	for (; p < end && n < most; n++) {
		/* The digit less 1 above a 0, when it is one and the sign is in front of it. */
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

/* Not inlined: its loop wants the registers for itself. */
static __attribute__((noinline)) uint64_t same_lines(struct first *f,
						     const struct same *s,
						     const char **text, const char *end,
						     uint64_t most)
{
	return s->n <= 8 ? same_text(f, *s, text, end, most, false)
			 : same_text(f, *s, text, end, most, true);
}

/* A line of one cost, "+5" or "+12" and what was said before but for the cost; its end, or NULL. */
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
	/* Its difference is one byte. */
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
		out[0] = (unsigned char)(s->place | 1 << ONCE_COSTS);
		f->out = varint_put_flat(out + 2, cost);
		s->cost[0] = cost;
		keep_text(s, c, n + 1, nsub);
	}
	f->at[0] += d;
	return c + n + 1;
}

/* The costs at p[0..n), newline and all, are those of a line, and may be those of the next one.
 * `known`: it is of a line of code that is known. */
static HOT void expect(struct same *s, const char *p, const char *end, unsigned nsub,
		       bool instr, bool known)
{
	const uint64_t n = (uint64_t)(end - p);

	s->n = 0;
	s->known = true;
	if (n > 16 - same_front(nsub))
		return;
	s->unknown = nsub == 2 && !known;
	keep_text(s, p, (unsigned)n, nsub);
	s->place = nsub == 2 || instr ? ONCE_INSTR : ONCE_LINE;
}

/* The positions from `from` on at p, with one blank behind each; their end, or NULL. */
static HOT const char *places(const struct first *f, const char *p, uint64_t *at,
			      unsigned from, unsigned nsub)
{
#pragma GCC unroll 2
	for (unsigned i = from; i < nsub; i++) {
		const struct number to = position(p, f->at[i]);

		if (!to.end || *to.end != ' ')
			return NULL;
		at[i] = to.v;
		p = to.end + 1;
	}
	return p;
}

/* All of them, most often "+5 " or "+5 0 ", where no line of code is known. */
static HOT const char *next_places(const struct first *f, const char *p, uint64_t *at,
				   unsigned nsub)
{
	const uint64_t w = load8(p);
	const unsigned d = (unsigned)(w >> 8 & 0xff) - '0';
	unsigned from = 0;

	if ((w & 0xff00ff) == (' ' << 16 | '+') && d <= 9 && f->at[0] >> 63 == 0) {
		at[0] = f->at[0] + d;
		if (nsub == 1)
			return p + 3;
		if ((w >> 24 & 0xffff) == (' ' << 8 | '0')) {
			at[1] = 0;
			return p + 5;
		}
		p += 3;
		from = 1;
	}
	return places(f, p, at, from, nsub);
}

/* A tag that may be large, in two bytes. */
static HOT unsigned char *put_tag(unsigned char *out, unsigned tag)
{
	out[0] = (unsigned char)(tag | 0x80);
	out[1] = (unsigned char)(tag >> 7);
	return out + 2;
}

/* ---- the loop ---- */

#define ISA(name) name##_portable
#define ISA_TARGET
#include "index/fast/first_loop.inc"
#undef ISA
#undef ISA_TARGET

#if SIMD_X86
#define ISA(name) name##_avx2
#define ISA_TARGET __attribute__((target(AVX2)))
#include "index/fast/first_loop.inc"
#undef ISA
#undef ISA_TARGET
#endif

typedef const char *run_fn(struct tally *t, struct decode *d, const char *p,
			   const char *end);

/* By instruction set; [positions - 1][costs - 1, three and more]. */
static run_fn *const runs[ISAS][2][3] = {
#if SIMD_X86
	[ISA_AVX2] = {{first11_avx2, first12_avx2, first1n_avx2},
		      {first21_avx2, first22_avx2, first2n_avx2}},
#endif
	[ISA_PORTABLE] = {{first11_portable, first12_portable, first1n_portable},
			  {first21_portable, first22_portable, first2n_portable}},
};

bool first_ready(const struct tally *t, const struct decode *d)
{
	return t->cur_fn != UINT32_MAX && t->in_once && d->nsub <= 2 &&
	       d->sub[0] != SUB_BB && d->sub[d->nsub - 1] != SUB_BB &&
	       t->ncol - 1 < COLS_MAX && t->ncol == d->ncols && t->col_is_event;
}

const char *first_run(struct tally *t, struct decode *d, const char *p, const char *end)
{
	const char *start = p;

	if (t->pending != PENDING_NONE || t->has_jfi || t->has_jfn)
		return p;
	p = runs[isa()][d->nsub - 1][d->ncols < 3 ? d->ncols - 1 : 2](t, d, p, end);
	t->text_bytes += (uint64_t)(p - start);
	return p;
}
