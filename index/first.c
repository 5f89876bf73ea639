/*
 * first.c - lines of first blocks; see first.h.
 *
 *	+ 5   3   2 1 0 \n	the blanks of 32 bytes are found at once, the numbers that
 *	    ^   ^       ^	end at them are converted side by side (simd.h), and the
 *				line is a few bytes behind the others (once.h)
 *
 * first_loop.inc has the loop, compiled per instruction set and shape of line.  What does not
 * fit it, such as 0x numbers, is read one number after the other.
 */
#include "index/first.h"

#include <string.h>

#include "index/simd.h"

/* The loop's view of where we are. */
struct place {
	uint64_t at[SUBS];  /* the base of relative positions */
	uint64_t before[2]; /* instr and line of the row before, for packing */
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

static bool hex_number(const char **p, uint64_t *out)
{
	const char *q = *p;
	uint64_t v = 0;

	for (;; q++) {
		unsigned d = (unsigned char)*q - '0';

		if (d > 9) {
			d = ((unsigned char)*q | 0x20u) - 'a';
			if (d > 5)
				break;
			d += 10;
		}
		v = v << 4 | d;
	}
	if (q == *p || q - *p > 16)
		return false;
	*p = q;
	*out = v;
	return true;
}

/* "12", "+3", "-3", "*", "0x1f". */
static bool position(const char **p, uint64_t base, uint64_t *out)
{
	char c = **p;
	uint64_t v;

	if (c == '*') {
		++*p;
		*out = base;
		return true;
	}
	if (c == '0' && (*p)[1] == 'x') {
		*p += 2;
		return hex_number(p, out);
	}
	*p += c == '+' || c == '-';
	if (!digits_number(p, &v))
		return false;
	if (c == '+')
		return !__builtin_add_overflow(base, v, out);
	if (c == '-')
		return !__builtin_sub_overflow(base, v, out);
	*out = v;
	return true;
}

/* The positions at *p, with one blank behind each. */
static bool positions(const char **p, const struct decode *d, const uint64_t *base,
		      uint64_t *out)
{
	memcpy(out, base, SUBS * sizeof(*out));
	for (unsigned i = 0; i < d->nsub; i++)
		if (!position(p, base[d->sub[i]], &out[d->sub[i]]) || *(*p)++ != ' ')
			return false;
	return true;
}

/* The costs up to the end of the line. */
static bool costs(const char **p, const struct decode *d, uint64_t *cost, uint32_t *n)
{
	*n = 0;
	do
		if (*n == d->ncols || !digits_number(p, &cost[(*n)++]))
			return false;
	while (*(*p)++ == ' ');
	return (*p)[-1] == '\n';
}

/* The row is at `at`, and so is the base of the next one. */
static void place(struct place *pl, struct once_row *r, const uint64_t *at,
		  const struct tally *t)
{
	memcpy(pl->at, at, sizeof(pl->at));
	r->file = t->file;
	r->instr = pl->before[0] = at[SUB_INSTR];
	r->line = pl->before[1] = at[SUB_LINE];
}

/* Any cost line of plain numbers; its end, or NULL with nothing changed. */
static __attribute__((noinline)) const char *
other_line(struct tally *t, const struct decode *d, struct place *pl, const char *p)
{
	uint64_t at[SUBS], cost[2];
	uint32_t n;
	struct once_row r = {.kind = ENTRY_COST};

	if (!positions(&p, d, pl->at, at) || !costs(&p, d, cost, &n))
		return NULL;
	r.ncost = n;
	tally_add_costs(t, t->run, cost, n);
	t->ran = true;
	t->fn[t->cur_fn].body = true;
	t->lines++;
	t->cost_lines++;
	place(pl, &r, at, t);
	return tally_add_once(t, &r, cost) ? no_memory(t) : p;
}

/* "jump=12 +3 0 \n* 0 \n" or "jcnd=3/12 ..."; the end, or NULL with nothing changed. */
static __attribute__((noinline)) const char *jump(struct tally *t, const struct decode *d,
						  struct place *pl, const char *p)
{
	bool cond = memcmp(p, "jcnd=", 5) == 0;
	uint64_t to[SUBS], at[SUBS];
	struct once_row r = {.kind = cond ? ENTRY_JCND : ENTRY_JUMP};

	if (!cond && memcmp(p, "jump=", 5) != 0)
		return NULL;
	p += 5;
	if (cond && (!digits_number(&p, &r.taken) || *p++ != '/'))
		return NULL;
	if (!digits_number(&p, &r.count) || *p++ != ' ' ||
	    !positions(&p, d, pl->at, to) || *p++ != '\n' ||
	    !positions(&p, d, pl->at, at) || *p++ != '\n')
		return NULL;
	if (!cond)
		r.taken = r.count;
	r.to[0] = to[SUB_INSTR];
	r.to[1] = to[SUB_LINE];
	r.to[2] = (uint64_t)t->fn_name << 32 | t->file;
	t->lines += 2;
	t->cost_lines++;
	place(pl, &r, at, t);
	return tally_add_once(t, &r, NULL) ? no_memory(t) : p;
}

/* "cfn=(12)\n" and its like: the slot of its name, or 0; *p moves behind it. */
static uint32_t name_at(const struct tally *t, enum name_space space, const char **p)
{
	const struct names *names = &t->names[space];
	const char *q = *p + 5;
	uint64_t id;

	if ((*p)[4] != '(' || !digits_number(&q, &id) || q[0] != ')' || q[1] != '\n' ||
	    id >= names->by_id_n)
		return 0;
	*p = q + 2;
	return names->by_id[id];
}

/* What stands in front of a calls= line. */
struct callee {
	uint32_t cob, cfi, cfn; /* slots; 0: not said */
	unsigned lines;
};

/* False when it is something else. */
static bool callee(const struct tally *t, const char **p, struct callee *c)
{
	*c = (struct callee){0};
	for (; (*p)[0] == 'c' && (*p)[1] != 'a'; c->lines++) {
		uint32_t *to;

		if (memcmp(*p, "cfn=", 4) == 0)
			*(to = &c->cfn) = name_at(t, SPACE_FN, p);
		else if (memcmp(*p, "cfi=", 4) == 0 || memcmp(*p, "cfl=", 4) == 0)
			*(to = &c->cfi) = name_at(t, SPACE_FILE, p);
		else if (memcmp(*p, "cob=", 4) == 0)
			*(to = &c->cob) = name_at(t, SPACE_OBJ, p);
		else
			return false;
		if (!*to)
			return false;
	}
	return c->cfn || t->has_cfn;
}

/* "cob=(3)\ncfi=(4)\ncfn=(5)\ncalls=1 +3 0\n+2 0 67\n", the first three or not; the end, or
 * NULL with nothing changed. */
static __attribute__((noinline)) const char *call(struct tally *t, const struct decode *d,
						  struct place *pl, const char *p)
{
	uint64_t to, at[SUBS], cost[2];
	struct once_row r = {.kind = ENTRY_CALL};
	struct callee c;
	uint32_t n;

	if (!callee(t, &p, &c) || memcmp(p, "calls=", 6) != 0)
		return NULL;
	p += 6;
	if (!digits_number(&p, &r.count))
		return NULL;
	for (unsigned i = 0; i < d->nsub; i++)
		if (*p++ != ' ' || !position(&p, pl->at[d->sub[i]], &to))
			return NULL;
	p += *p == ' ';
	if (*p++ != '\n' || !positions(&p, d, pl->at, at) || !costs(&p, d, cost, &n))
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
	place(pl, &r, at, t);
	return tally_once_call(t, &r, cost) ? no_memory(t) : p;
}

/* ---- the loop ---- */

#define ISA(name) name##_portable
#define ISA_TARGET
#include "index/first_loop.inc"
#undef ISA
#undef ISA_TARGET

#if SIMD_X86
#define ISA(name) name##_sse2
#define ISA_TARGET
#include "index/first_loop.inc"
#undef ISA
#undef ISA_TARGET

#define ISA(name) name##_avx2
#define ISA_TARGET __attribute__((target(AVX2)))
#include "index/first_loop.inc"
#undef ISA
#undef ISA_TARGET
#endif

typedef const char *run_fn(struct tally *t, struct decode *d, const char *p,
			   const char *end);

/* By scan_path(); [positions - 1][costs - 1].  AVX-512 would add nothing here. */
static const struct path {
	const char *name;
	run_fn *run[2][2];
} paths[] = {
#if SIMD_X86
	{"avx512", {{first11_avx2, first12_avx2}, {first21_avx2, first22_avx2}}},
	{"avx2", {{first11_avx2, first12_avx2}, {first21_avx2, first22_avx2}}},
	{"sse2", {{first11_sse2, first12_sse2}, {first21_sse2, first22_sse2}}},
#endif
	{"portable",
	 {{first11_portable, first12_portable}, {first21_portable, first22_portable}}},
};

bool first_ready(const struct tally *t, const struct decode *d)
{
	return t->cur_fn != UINT32_MAX && t->in_once && d->nsub <= 2 &&
	       d->sub[0] != SUB_BB && d->sub[d->nsub - 1] != SUB_BB && t->ncol - 1 < 2 &&
	       t->ncol == d->ncols && t->col_is_event;
}

const char *first_run(struct tally *t, struct decode *d, const char *p, const char *end)
{
	const struct path *path = paths;
	const char *name = scan_path(), *start = p;

	if (t->pending != PENDING_NONE || t->has_jfi || t->has_jfn)
		return p;
	while (strcmp(path->name, name) != 0)
		path++;
	p = path->run[d->nsub - 1][d->ncols - 1](t, d, p, end);
	t->text_bytes += (uint64_t)(p - start);
	return p;
}
