/*
 * replay.c - take text that was met before; see replay.h.
 *
 * The text behind an entry is compared with the link that came next the last time, and then
 * with the entry's links, each in one go.  A link's text ends where the costs begin; the text of
 * a call has the number of calls in its middle.  The head of a block ("fl=(12)\nfn=(34)\n") is
 * read where it is not the one that came the last time, because any function may come next.
 *
 * The loop is replay_loop.inc with its parts, compiled once per instruction set and number of
 * columns; this file has what the sets share, the little that differs between them, and the
 * choice.
 */
#include "index/fast/replay.h"

#include <stdlib.h>
#include <string.h>

#include "index/base/vec.h"
#include "index/base/isa.h"
#include "index/fast/replay_in.h"
#include "index/fast/simd.h"

enum { COSTS_MAX = 64 }; /* columns a profile may have to be replayed */

void replay_free(struct replay *r)
{
	free(r->link);
	free(r->link_more);
	free(r->past);
	free(r->step);
	free(r->head);
	free(r->plain);
	memset(r, 0, sizeof(*r));
}

/* ---- what a matched line says ---- */

struct line {
	const char *end;   /* behind its newline */
	const char *costs; /* where they begin */
	uint64_t count;	   /* of a call; times a jump was executed */
	uint64_t taken;	   /* of a conditional jump */
	uint32_t newlines; /* in front of the link's text */
	unsigned n;	   /* costs, where there may be more than two */
	uint64_t cost[2];  /* up to two of them, which stay in registers */
};

/* Any costs, at most ncols of them; the end of the line, or NULL.  A blank and a CR may stand
 * before that. */
static __attribute__((noinline)) const char *read_costs(const char *p, uint32_t ncols,
							uint64_t *cost, unsigned *count)
{
	for (unsigned n = 0; n < ncols; n++) {
		if (!digits_number(&p, &cost[n]))
			return NULL;
		if (*p == ' ' && *++p > '\r')
			continue;
		if (*p == '\r')
			p++;
		if (*p != '\n')
			return NULL;
		*count = n + 1;
		return p + 1;
	}
	return NULL;
}

/* Costs that are not there count as 0 where they are added without looking. */
static HOT bool other_costs(const char *p, uint32_t ncols, struct line *l, uint64_t *many)
{
	unsigned n = 0;

	l->end = read_costs(p, ncols, many, &n);
	l->n = n;
	l->cost[0] = many[0];
	l->cost[1] = n > 1 ? many[1] : 0;
	return l->end != NULL;
}

/* Add the costs of a line: straight code where the profile has one or two columns. */
static HOT void add_costs(struct tally *t, uint64_t *sum, const struct line *l,
			  uint32_t ncols, const uint64_t *many)
{
	if (ncols > 2) {
		tally_add_costs(t, sum, many, l->n);
		return;
	}
	tally_add(t, &sum[0], l->cost[0]);
	if (ncols == 2)
		tally_add(t, &sum[1], l->cost[1]);
}

/* k is a LINK_JUMP: of jcnd=. */
static HOT bool is_conditional(const struct link *k)
{
	return k->text[k->before - JUMP_WORD + 1] == 'c';
}

/* The text at p begins with k's up to the counts, behind the first byte. */
static HOT bool jump_begins(const struct link *k, const char *p)
{
	unsigned n = k->before - 1u; /* at least 4 */

	for (p++; n > 8; p += 8, n -= 8)
		if (load8(p) != load8(k->text + k->before - n))
			return false;
	return (load8(p) ^ load8(k->text + k->before - n)) << (64 - 8 * n) == 0;
}

/* "jump=" N or "jcnd=" N/N, as the caller saw, and the rest up to the end of the line where it
 * is; the end, or NULL. */
static __attribute__((noinline)) const char *
match_jump(const struct link *k, const char *p, uint64_t *count, uint64_t *taken)
{
	const char *rest = k->text + k->before;
	unsigned n = k->len - k->before;

	p += k->before;
	if (is_conditional(k) && (!digits_number(&p, taken) || *p++ != '/'))
		return NULL;
	if (!digits_number(&p, count) || memcmp(p, rest, n) != 0 || p[n] != '\n')
		return NULL;
	if (!is_conditional(k))
		*taken = *count;
	return p + n + 1;
}

/* A cost of up to 7 digits and the newline, or 6 and a blank or CR and the newline, behind it. */
struct last_cost {
	uint64_t text; /* the first byte lowest */
	uint64_t mask; /* its bits */
	unsigned size; /* bytes */
	uint64_t v;
};

static const struct last_cost no_cost = {'0' | '\n' << 8, 0xffff, 2, 0}; /* "0\n" */

/* False when there is none at p. */
static HOT bool read_cost(const char *p, struct last_cost *cost)
{
	const uint64_t text = load8(p);
	const unsigned n = leading_digits(text);

	if (n - 1 <= 6 && p[n] == '\n') {
		*cost = (struct last_cost){text, UINT64_MAX >> (56 - 8 * n), n + 1,
					   digits_at(p, n)};
		return true;
	}
	if (n - 1 > 5 || (p[n] != '\r' && p[n] != ' ') || p[n + 1] != '\n')
		return false;
	*cost = (struct last_cost){text, UINT64_MAX >> (48 - 8 * n), n + 2,
				   digits_at(p, n)};
	return true;
}

/* The cost of a line of one column is the last one. */
static HOT void keep_cost(const struct line *l, struct last_cost *cost)
{
	const size_t size = (size_t)(l->end - l->costs);

	if (size <= 8)
		*cost = (struct last_cost){load8(l->costs), UINT64_MAX >> (64 - 8 * size),
					   (unsigned)size, l->cost[0]};
}

/* Where there are more columns: the first number of a line before, its digits alone. */
static const struct last_cost no_first = {.mask = UINT64_MAX};

static HOT void keep_first(const char *p, struct last_cost *first)
{
	const uint64_t text = load8(p);
	const unsigned n = leading_digits(text);

	if (n)
		*first = (struct last_cost){text, UINT64_MAX >> (64 - 8 * n), n,
					    digits_at(p, n)};
}

/* ---- the heads of blocks ---- */

/* A head as it stands in the text, each number where its digits begin. */
struct head_text {
	uint32_t ob, fl; /* slots in force; fl: where fl_at is NULL */
	const char *fl_at, *fn_at;
	uint64_t fl_digits, fn_digits;
	const char *said; /* where the function's name is, NULL: it is not said */
};

/* The head without that name; its bytes.  0: it is longer than any that a link may have. */
static size_t head_unsaid(const char *p, const struct head_text *text,
			  char plain[LINK_WIDE])
{
	const size_t n = (size_t)(text->said - p);

	if (n > LINK_WIDE)
		return 0;
	memcpy(plain, p, n);
	plain[n - 1] = '\n';
	return n;
}

/* The slot of the id in a line like "ob=(3)\n" at *p, which moves behind it; 0: it is not one
 * met before, or another line. */
static __attribute__((noinline)) uint32_t slot_at(const struct names *names,
						  const char *word, const char **p)
{
	const char *q = *p + 4;
	uint64_t id;

	if (memcmp(*p, word, 4) != 0 || !digits_number(&q, &id) ||
	    memcmp(q, ")\n", 2) != 0 || id >= names->by_id_n)
		return 0;
	*p = q + 2;
	return names->by_id[id];
}

/* Look a head up by its names and remember it at *h; NULL when it is not one met before. */
static __attribute__((noinline)) const struct head *
find_head(const struct tally *t, const struct head_text *text, struct head *h)
{
	const struct names *fns = &t->names[SPACE_FN], *files = &t->names[SPACE_FILE];
	const char *fl_at = text->fl_at, *fn_at = text->fn_at;
	uint32_t fl = text->fl;
	uint64_t id;

	if (fl_at) {
		if (!digits_number(&fl_at, &id) || *fl_at != ')' || id >= files->by_id_n)
			return NULL;
		fl = files->by_id[id];
	}
	if (!digits_number(&fn_at, &id) || *fn_at != ')' || id >= fns->by_id_n)
		return NULL;
	if (!replay_block(t, text->ob, fl, fns->by_id[id], h))
		return NULL;
	h->fn_digits = text->fn_digits;
	h->fl_digits = text->fl_digits;
	return h;
}

static HOT const struct head *head_of(const struct replay *r, const struct tally *t,
				      const struct head_text *text)
{
	struct head *h =
		&r->head[text->fn_digits * 0x9e3779b97f4a7c15 >> (64 - HEAD_BITS)];

	if (__builtin_expect(
		    h->fn_digits == text->fn_digits && h->fl_digits == text->fl_digits &&
			    h->ob == text->ob && (text->fl_at || h->fl == text->fl),
		    1))
		return h;
	return find_head(t, text, h);
}

/* k, a LINK_LONG, is at *p, which moves to the costs. */
static __attribute__((noinline)) bool match_long(const struct link *k, const char **p,
						 uint64_t *count)
{
	const char *text = link_text_of(k), *q = *p;
	size_t n = k->len;

	*count = k->count;
	if (k->flags & LINK_CALL) {
		if (memcmp(q, text, k->before) != 0)
			return false;
		q += k->before;
		if (!digits_number(&q, count))
			return false;
		n -= (size_t)k->before + k->digits;
		text += k->before + k->digits;
	}
	if (memcmp(q, text, n) != 0)
		return false;
	*p = q + n;
	return true;
}

/* True when k's head, which is text here, means k's function here, too. */
static HOT bool head_fits(const struct tally *t, const struct link *k)
{
	const struct fn_slot *f = &t->fn[k->from];

	return t->has_fl && f->ob == t->ob &&
	       (k->flags & LINK_FL || f->fl == t->fn[t->cur_fn].fl);
}

/* The place behind that where link i was taken last; `other` when that was written over. */
static HOT uint32_t behind_last(const struct replay *r, uint32_t i, uint32_t other)
{
	const uint32_t at = r->link_more[i].seen;

	return r->past[at] == i ? past_next(r, at) : other;
}

/* So many links were taken, of which so many as the past says, and so many steps or the like. */
static void choose_to_follow(struct replay *r, uint64_t links, uint64_t hits,
			     uint64_t steps)
{
	enum { ASKED = 1 << 14, TRIED_AGAIN = 1 << 17 };
	bool blocks;

	r->blocks += links;
	r->steps += steps;
	if (r->blocks + r->steps > 1 << 12) {
		r->blocks /= 2;
		r->steps /= 2;
	}
	blocks = r->steps < 2 * r->blocks;
	r->links += links;
	r->hits += hits;
	if (r->links >= (r->misleads ? TRIED_AGAIN : ASKED)) {
		r->misleads = !r->misleads && r->follow && r->hits < r->links / 3 * 2;
		r->links = r->hits = 0;
	}
	r->follow = blocks && !r->misleads;
}

/* ---- the loop, per instruction set ---- */

static int no_memory(struct err *err)
{
	return err_set(err, ERR_LIMIT, 0, "out of memory while tallying");
}

/*
 * differ(p, k)		bit i: byte i of the text at p is not that of k (i < LINK_TEXT;
 *			what is above means nothing)
 * same_rest(k, p)	the text at p begins with that of k behind its counts
 * step_fits(s, p)	the text at p begins with that of s
 * closing(p)		bit i: byte i of the 32 at p is ')'; two bits above are set
 */
static HOT uint64_t differ_portable(const char *p, const struct link *k)
{
	for (unsigned i = 0; i < 48; i += 8) {
		uint64_t x = load8(p + i) ^ load8(k->text + i);

		if (x) /* the bits above the first are not looked at */
			return UINT64_MAX << (i + ((unsigned)__builtin_ctzll(x) >> 3));
	}
	return 0;
}

static HOT bool same_rest_portable(const struct link *k, const char *p)
{
	const unsigned at = k->before + k->digits;

	return memcmp(p, link_text_of(k) + at, k->len - at) == 0;
}

static HOT bool step_fits_portable(const struct step *s, const char *p)
{
	uint64_t low = load8(p) ^ load8(s->text),
		 high = load8(p + 8) ^ load8(s->text + 8);

	return s->len > 8 ? (low | high << (128 - 8 * s->len)) == 0
			  : s->len && low << (64 - 8 * s->len) == 0;
}

static HOT uint64_t closing_portable(const char *p)
{
	uint64_t m = (uint64_t)3 << 32;

	for (unsigned i = 0; i < 32; i++)
		m |= (uint64_t)(p[i] == ')') << i;
	return m;
}

#define ISA(name) name##_portable
#define ISA_TARGET
#include "index/fast/replay_loop.inc"
#undef ISA
#undef ISA_TARGET

#if SIMD_X86
static AVX2_HOT uint64_t differ_avx2(const char *p, const struct link *k)
{
	__m256i a = _mm256_loadu_si256((const __m256i *)(const void *)p);
	__m256i b = _mm256_loadu_si256((const __m256i *)(const void *)k->text);
	__m128i c = _mm_loadu_si128((const __m128i *)(const void *)(p + 32));
	__m128i d = _mm_loadu_si128((const __m128i *)(const void *)(k->text + 32));

	return ~((uint64_t)(uint32_t)_mm256_movemask_epi8(_mm256_cmpeq_epi8(a, b)) |
		 (uint64_t)(uint32_t)_mm_movemask_epi8(_mm_cmpeq_epi8(c, d)) << 32);
}

static AVX2_HOT uint64_t closing_avx2(const char *p)
{
	__m256i v = _mm256_loadu_si256((const __m256i *)(const void *)p);

	v = _mm256_cmpeq_epi8(v, _mm256_set1_epi8(')'));
	return (uint32_t)_mm256_movemask_epi8(v) | (uint64_t)3 << 32;
}

static AVX2_HOT bool step_fits_avx2(const struct step *s, const char *p)
{
	__m128i a = _mm_loadu_si128((const __m128i *)(const void *)p);
	__m128i b = _mm_load_si128((const __m128i *)(const void *)s);
	const unsigned same = (unsigned)_mm_movemask_epi8(_mm_cmpeq_epi8(a, b));

	return (same | s->other) == 0xffff;
}

static AVX2_HOT bool same_rest_avx2(const struct link *k, const char *p)
{
	const unsigned at = k->before + k->digits;

	return differ_avx2(p - at, k) >> at << (64 - (k->len - at)) == 0;
}

#define ISA(name) name##_avx2
#define ISA_TARGET __attribute__((target(AVX2)))
#include "index/fast/replay_loop.inc"
#undef ISA
#undef ISA_TARGET
#endif

/* By instruction set; of 1, 2 and any number of columns. */
static replay_fn *const runs[ISAS][3] = {
#if SIMD_X86
	[ISA_AVX2] = {run1_avx2, run2_avx2, run_any_avx2},
#endif
	[ISA_PORTABLE] = {run1_portable, run2_portable, run_any_portable},
};

static replay_fn *choose(const struct tally *t)
{
	return runs[isa()][t->ncol < 3 ? t->ncol - 1 : 2];
}

/* Up to two costs are added in place, so they must be the events of these numbers. */
static bool in_place(const struct tally *t)
{
	return t->col_is_event || t->ncol > 2;
}

/* ---- entering and leaving the loop ---- */

int replay_room(struct replay *r)
{
	if (!r->head)
		r->head = calloc((size_t)1 << HEAD_BITS, sizeof(*r->head));
	if (!r->plain)
		r->plain = calloc(1, sizeof(*r->plain));
	if (!r->past) {
		r->past_size = PAST_LEAST;
		while (r->past_size < PAST_MOST && r->past_size <= r->past_most / 2)
			r->past_size *= 2;
		/* Behind them is none, which a link that was not taken yet was taken last. */
		r->past = calloc((size_t)r->past_size + PAST_AHEAD + 1, sizeof(*r->past));
	}
	return r->head && r->plain && r->past ? 0 : -1;
}

static void forget(struct replay *r)
{
	r->n = 0;
	r->full = false;
	if (r->step)
		memset(r->step, 0, r->step_cap * sizeof(*r->step));
	if (r->head)
		memset(r->head, 0, sizeof(*r->head) << HEAD_BITS);
	if (r->past)
		memset(r->past, 0,
		       (r->past_round ? r->past_size : r->past_n) * sizeof(*r->past));
	r->past_n = r->past_at = 0;
	r->past_round = r->follow = r->misleads = false;
	r->blocks = r->steps = r->links = r->hits = 0;
}

static bool usable(struct replay *r, const struct tally *t, const struct decode *d)
{
	if (!replay_settled(t, d) || t->ob_moved || t->pending != PENDING_NONE ||
	    t->has_cfi || t->has_cob || t->has_jfi || t->has_jfn || t->ncol == 0 ||
	    t->ncol > COSTS_MAX || !in_place(t) || t->ncol != d->ncols ||
	    d->sub[0] == SUB_BB || (d->nsub > 1 && d->sub[1] == SUB_BB))
		return false;
	if (r->meaning != t->meaning || !r->run) {
		r->meaning = t->meaning;
		r->nsub = d->nsub;
		memcpy(r->sub, d->sub, sizeof(r->sub));
		r->run = choose(t);
		forget(r);
	}
	/* The loop does not look whether an entry is too new to have a link. */
	return r->n > 0 && !replay_room(r) &&
	       !vec_reserve(&r->step, &r->step_cap, t->nentry, sizeof(*r->step));
}

const char *replay_run(struct replay *r, struct tally *t, struct decode *d, const char *p,
		       const char *end, struct err *err)
{
	const uint64_t before = t->cost_lines;
	const char *start = p;

	if (!usable(r, t, d))
		return p;
	r->base = 0;
	p = r->run(r, t, p, end, err);
	if (p > start) {
		const bool head = tally_is_head(t, t->cur);
		const uint32_t base = head ? r->base : t->cur;
		const struct entry *e = &t->entry[base];
		const struct fn_slot *f = &t->fn[t->cur_fn];
		const uint64_t known = t->cost_lines - before;

		r->idle -= r->idle < known ? r->idle : known;
		t->fl = f->fl;
		t->fn_name = f->fn;
		t->file = t->base_file = head ? f->fl : e->file;
		t->text_bytes += (uint64_t)(p - start);
		if (base && d->sub[0] == SUB_INSTR)
			d->base[SUB_INSTR] = e->instr;
		if (base && d->sub[d->nsub - 1] == SUB_LINE)
			d->base[SUB_LINE] = e->line;
	}
	return p;
}
