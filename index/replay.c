/*
 * replay.c - take text that was met before; see replay.h.
 *
 * A link's text is compared 8 bytes at a time, which is one compare for most lines.  It ends
 * where the costs begin; the text of a call has the number of calls in its middle.  What a
 * text means depends on what is said nowhere in it: the names that ids stand for, the
 * columns, the positions (tally.meaning counts their changes, and then all links go), the
 * position and file of the entry before (so links hang on that entry), the object (the
 * function's own), and a cfn= from further up (such texts are not learnt).
 */
#include "index/replay.h"

#include <stdlib.h>
#include <string.h>
#if defined(__SSE2__)
#include <emmintrin.h>
#endif

#include "index/base/vec.h"

enum {
	TEXT = 44,
	LINKS_MAX = 1 << 20,	/* 64 MiB */
	WAYS = 4,		/* texts remembered behind one entry */
	NEWLINES_MAX = 31,	/* in a link's text: 5 bits */
	COSTS_MAX = 64,		/* columns a profile may have to be replayed */
};

struct link {
	uint32_t to;		/* entry */
	uint32_t alt;		/* another link of the same entry; 0: none */
	uint32_t val;		/* of `to` */
	uint32_t count;		/* of a call, as the text has it */
	uint8_t len;		/* bytes of text, up to the costs */
	uint8_t before, digits;	/* of a call or jump: where its counts stand in the text */
	uint8_t newlines : 5, call : 1, jump : 1, jcnd : 1;
	char text[TEXT];
};
_Static_assert(sizeof(struct link) == 64, "a link is a cache line");

void replay_free(struct replay *r)
{
	free(r->link);
	free(r->first);
	memset(r, 0, sizeof(*r));
}

/* The loop is one piece of straight code per number of columns. */
#define HOT inline __attribute__((always_inline))

/* ---- numbers ---- */

static inline uint64_t load8(const char *p)
{
	uint64_t v;

	memcpy(&v, p, 8);
#if __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
	v = __builtin_bswap64(v);
#endif
	return v;
}

static inline uint64_t eight_digits(uint64_t v)
{
	v = v * 10 + (v >> 8);
	return (((v & 0x000000ff000000ff) * 0x000f424000000064) +
		(((v >> 16) & 0x000000ff000000ff) * 0x0000271000000001)) >> 32;
}

/* Digits at the start of the 8 bytes v. */
static inline unsigned leading_digits(uint64_t v)
{
	uint64_t other = ((v + 0x4646464646464646) | (v - 0x3030303030303030)) &
			 0x8080808080808080;

	return other ? (unsigned)__builtin_ctzll(other) >> 3 : 8;
}

/* 1 to 15 digits at *p, which moves behind them; false when there are none or more. */
static inline bool number(const char **p, uint64_t *out)
{
	uint64_t v = load8(*p);
	unsigned n = leading_digits(v);

	if (__builtin_expect(n == 0, 0))
		return false;
	if (__builtin_expect(n < 8, 1)) {
		*out = eight_digits((v ^ 0x3030303030303030) << (64 - 8 * n));
		*p += n;
		return true;
	}
	uint64_t high = eight_digits(v ^ 0x3030303030303030);

	v = load8(*p + 8);
	n = leading_digits(v);
	if (n == 8)
		return false;
	*p += 8 + n;
	if (n == 0) {
		*out = high;
		return true;
	}
	static const uint64_t power[8] = {1, 10, 100, 1000, 10000, 100000, 1000000, 10000000};

	*out = high * power[n] + eight_digits((v ^ 0x3030303030303030) << (64 - 8 * n));
	return true;
}

/* ---- matching ---- */

/* Bit i: byte i of p and text is the same, for the first 48 (text may be followed by
 * anything, but must be followed). */
#if defined(__SSE2__)
static HOT uint64_t same_bytes(const char *p, const char *text)
{
	uint64_t m = 0;

#pragma GCC unroll 3
	for (unsigned i = 0; i < 48; i += 16) {
		__m128i a = _mm_loadu_si128((const __m128i *)(const void *)(p + i));
		__m128i b = _mm_loadu_si128((const __m128i *)(const void *)(text + i));

		m |= (uint64_t)(unsigned)_mm_movemask_epi8(_mm_cmpeq_epi8(a, b)) << i;
	}
	return m;
}
#else
static HOT uint64_t same_bytes(const char *p, const char *text)
{
	for (unsigned i = 0; i < 48; i += 8) {
		uint64_t x = load8(p + i) ^ load8(text + i);

		if (x)
			return ((uint64_t)1 << (i + ((unsigned)__builtin_ctzll(x) >> 3))) - 1;
	}
	return ((uint64_t)1 << 48) - 1;
}
#endif

/* What a matched line says. */
struct line {
	const char *end;	/* behind its newline */
	uint64_t count;		/* of a call; times a jump was executed */
	uint64_t taken;		/* of a conditional jump */
	uint64_t *cost;
	unsigned n;
};

/* The digits p[0..n), n 1 to 8; 8 bytes in front of p are readable. */
static HOT bool digits_to(const char *p, unsigned n, uint64_t *out)
{
	uint64_t v;

	if (n - 1 > 7)
		return false;
	v = (load8(p + n - 8) ^ 0x3030303030303030) >> (64 - 8 * n) << (64 - 8 * n);
	*out = eight_digits(v);
	return ((v | (v + 0x0606060606060606)) & 0xf0f0f0f0f0f0f0f0) == 0;
}

#if defined(__SSE2__)
/* Bit i: byte i of the 16 at p is a separator. */
static inline unsigned separators16(const char *p)
{
	const __m128i blank = _mm_set1_epi8(' ');
	__m128i v = _mm_loadu_si128((const __m128i *)(const void *)p);

	return (unsigned)_mm_movemask_epi8(_mm_cmpeq_epi8(_mm_max_epu8(v, blank), blank));
}

/*
 * One or two costs whose newline is within 16 bytes: their ends are found side by side, so
 * that the second number does not wait for the first.
 */
static HOT bool read_short(const char *p, uint32_t ncols, struct line *l)
{
	unsigned m = separators16(p), first, second;

	if (!m)
		return false;
	first = (unsigned)__builtin_ctz(m);
	if (p[first] == '\n') {
		l->n = 1;
		l->end = p + first + 1;
		return digits_to(p, first, &l->cost[0]);
	}
	m &= m - 1;
	if (!m || ncols < 2 || p[first] != ' ')
		return false;
	second = (unsigned)__builtin_ctz(m);
	l->n = 2;
	l->end = p + second + 1;
	return p[second] == '\n' && digits_to(p, first, &l->cost[0]) &&
	       digits_to(p + first + 1, second - first - 1, &l->cost[1]);
}
#else
static HOT bool read_short(const char *p, uint32_t ncols, struct line *l)
{
	(void)p;
	(void)ncols;
	(void)l;
	return false;
}
#endif

static HOT bool read_costs(const char *p, uint32_t ncols, struct line *l)
{
	if (ncols <= 2 && __builtin_expect(read_short(p, ncols, l), 1))
		return true;
	for (unsigned n = 0; n < ncols; n++) {
		if (!number(&p, &l->cost[n]))
			return false;
		if (*p == '\n') {
			l->n = n + 1;
			l->end = p + 1;
			return true;
		}
		if (*p++ != ' ')
			return false;
	}
	return false;
}

/* A call whose count is another one than in the text. */
static bool match_count(const struct link *k, const char **p, struct line *l)
{
	const char *q = *p + k->before, *rest = k->text + k->before + k->digits;
	unsigned n = k->len - k->before - k->digits;

	if (!number(&q, &l->count) || memcmp(q, rest, n) != 0)
		return false;
	*p = q + n;
	return true;
}

/* "jump=" N or "jcnd=" N/N, and the rest up to the end of the line where it is. */
static bool match_jump(const struct link *k, const char *p, struct line *l)
{
	const char *rest = k->text + k->before + k->digits;
	unsigned n = k->len - k->before - k->digits;

	p += k->before;
	if (k->jcnd && (!number(&p, &l->taken) || *p++ != '/'))
		return false;
	if (!number(&p, &l->count) || memcmp(p, rest, n) != 0 || p[n] != '\n')
		return false;
	if (!k->jcnd)
		l->taken = l->count;
	l->end = p + n + 1;
	return true;
}

static HOT bool match(const struct link *k, const char *p, uint32_t ncols, struct line *l)
{
	const uint64_t same = same_bytes(p, k->text);
	const uint64_t all = ((uint64_t)1 << k->len) - 1;

	if (__builtin_expect(k->jump, 0))
		return (same & 0x1f) == 0x1f && match_jump(k, p, l);
	if (__builtin_expect((same & all) == all, 1)) {
		p += k->len;
		l->count = k->count;
	} else {
		const uint64_t some = ((uint64_t)1 << k->before) - 1;

		if (!k->call || (same & some) != some || !match_count(k, &p, l))
			return false;
	}
	return read_costs(p, ncols, l);
}

static HOT const struct link *find(const struct replay *r, uint32_t entry, const char *p,
				      uint32_t ncols, struct line *l)
{
	for (uint32_t i = r->first[entry]; i; i = r->link[i].alt)
		if (match(&r->link[i], p, ncols, l))
			return &r->link[i];
	return NULL;
}

/* ---- running ---- */

static HOT int take(struct tally *t, const struct link *k, const struct line *l)
{
	uint32_t fn;

	t->cur = k->to;
	t->lines += k->newlines;
	t->cost_lines++;
	if (k->call) {
		fn = ENTRY_CALLEE(t->entry[k->to].what);
		t->cfn = t->fn[fn].fn;
		t->has_cfn = true;
		return tally_add_call(t, k->to, l->count, l->cost, l->n);
	}
	if (__builtin_expect(k->jump, 0)) {
		tally_add(t, &t->val[k->val + 3], l->count);
		tally_add(t, &t->val[k->val + 4], l->taken);
		return 0;
	}
	tally_add_costs(t, &t->val[k->val], l->cost, l->n);
	tally_add_costs(t, t->run, l->cost, l->n);
	t->ran = true;
	return 0;
}

/* Where the digits of "fl=(12)\n" and "fn=(34)\n" at p stand; false when it is not that. */
#if defined(__SSE2__)
static HOT bool head_digits(const char *p, bool fl, const char **a, unsigned *na, const char **b,
			    unsigned *nb)
{
	const __m128i close = _mm_set1_epi8(')');
	uint64_t m = 0;

	for (unsigned i = 0; i < 32; i += 16) {
		__m128i v = _mm_loadu_si128((const __m128i *)(const void *)(p + i));

		m |= (uint64_t)(unsigned)_mm_movemask_epi8(_mm_cmpeq_epi8(v, close)) << i;
	}
	*a = p + 4;
	*na = 0;
	if (fl) {
		if (!m)
			return false;
		*na = (unsigned)__builtin_ctzll(m) - 4;
		m &= m - 1;
		p = *a + *na + 2;
		if (p[-1] != '\n')
			return false;
	}
	if (!m)
		return false;
	*b = p + 4;
	*nb = (unsigned)((fl ? *a - 4 : p) + __builtin_ctzll(m) - *b);
	return *na <= 8 && *nb - 1 <= 7 && memcmp(p, "fn=(", 4) == 0 && (*b)[*nb + 1] == '\n';
}
#else
static HOT bool head_digits(const char *p, bool fl, const char **a, unsigned *na, const char **b,
			    unsigned *nb)
{
	const char *end;

	*a = p + 4;
	*na = 0;
	if (fl) {
		end = memchr(*a, ')', 9);
		if (!end || end[1] != '\n')
			return false;
		*na = (unsigned)(end - *a);
		p = end + 2;
	}
	*b = p + 4;
	end = memchr(*b, ')', 9);
	if (!end || end[1] != '\n' || memcmp(p, "fn=(", 4) != 0)
		return false;
	*nb = (unsigned)(end - *b);
	return *nb > 0;
}
#endif

static HOT uint32_t slot_of(const struct names *names, const char *p, unsigned n)
{
	uint64_t id;

	return digits_to(p, n, &id) && id < names->by_id_n ? names->by_id[id] : 0;
}

/*
 * A block's head, "\nfl=(12)\nfn=(34)\n" with fl= left out or not, of a function met before,
 * and its first line.  Returns the end of that line, or NULL with nothing changed.
 */
static HOT const char *head(const struct replay *r, struct tally *t, const char *p,
			    uint32_t ncols, struct line *l, struct err *err)
{
	const struct name_use *u;
	const struct link *k;
	const char *a, *b;
	unsigned na, nb;
	uint32_t fl = t->fl, fn, newlines = 1, at;
	bool has_fl;

	while (*p == '\n') {
		p++;
		if (++newlines > 8)
			return NULL;
	}
	has_fl = p[1] == 'l';
	if (has_fl ? memcmp(p, "fl=(", 4) != 0 : !t->has_fl)
		return NULL;
	if (!head_digits(p, has_fl, &a, &na, &b, &nb))
		return NULL;
	fn = slot_of(&t->names[SPACE_FN], b, nb);
	if (has_fl) {
		fl = slot_of(&t->names[SPACE_FILE], a, na);
		newlines++;
	}
	if (!fn || !fl)
		return NULL;
	u = &t->names[SPACE_FN].slot[fn].block;
	if (u->fn == UINT32_MAX || u->ob != t->ob || u->fl != fl)
		return NULL;
	at = t->fn[u->fn].head;
	if (!at || at >= r->first_cap)
		return NULL;
	k = find(r, at, b + nb + 2, ncols, l);
	if (!k)
		return NULL;
	tally_leave_fn(t);
	t->fl = t->file = fl;
	t->has_fl = true;
	t->fn_name = fn;
	t->has_cob = t->has_cfi = t->has_jfi = t->has_jfn = false;
	t->lines += newlines;
	if (tally_enter_fn(t) || take(t, k, l)) {
		err_set(err, ERR_LIMIT, 0, "out of memory while tallying");
		return NULL;
	}
	t->fn[t->cur_fn].body = true;
	return l->end;
}

/* Positions and file are those of the entry before: not so behind a line that belongs to a
 * calls= or jump= which was not counted. */
static bool settled(const struct tally *t, const struct decode *d)
{
	const struct entry *e = &t->entry[t->cur];

	return t->cur_fn != UINT32_MAX && e->file == t->file &&
	       e->instr == d->base[SUB_INSTR] && e->line == d->base[SUB_LINE];
}

static bool usable(struct replay *r, const struct tally *t, const struct decode *d)
{
	if (!settled(t, d) || t->ob_moved || t->pending != PENDING_NONE || t->has_cfi || t->has_cob ||
	    t->has_jfi || t->has_jfn || t->ncol > COSTS_MAX || t->ncol != d->ncols ||
	    d->sub[0] == SUB_BB || (d->nsub > 1 && d->sub[1] == SUB_BB))
		return false;
	if (r->meaning != t->meaning) {
		r->meaning = t->meaning;
		r->n = 0;
		if (r->first)
			memset(r->first, 0, r->first_cap * sizeof(*r->first));
	}
	return r->n > 0;
}

/* The loop, once per usual number of columns so that each has straight code. */
static HOT const char *
run(struct replay *r, struct tally *t, const char *p, const char *end, uint32_t ncols,
    struct err *err)
{
	uint64_t cost[COSTS_MAX];
	struct line l = {.cost = cost};

	while (p < end) {
		if (*p != '\n') {
			const struct link *k =
				t->cur < r->first_cap ? find(r, t->cur, p, ncols, &l) : NULL;

			if (__builtin_expect(k != NULL, 1)) {
				if (take(t, k, &l)) {
					err_set(err, ERR_LIMIT, 0,
						"out of memory while tallying");
					return p;
				}
				p = l.end;
				continue;
			}
			if (*p != 'f')
				break;
		}
		const char *q = head(r, t, p, ncols, &l, err);

		if (!q)
			break;
		p = q;
	}
	return p;
}

static __attribute__((noinline)) const char *run_any(struct replay *r, struct tally *t,
						     const char *p, const char *end,
						     struct err *err)
{
	return run(r, t, p, end, (uint32_t)t->ncol, err);
}

const char *replay_run(struct replay *r, struct tally *t, struct decode *d, const char *p,
		       const char *end, struct err *err)
{
	const char *start = p;

	if (!usable(r, t, d))
		return p;
	if (t->ncol == 1)
		p = run(r, t, p, end, 1, err);
	else if (t->ncol == 2)
		p = run(r, t, p, end, 2, err);
	else
		p = run_any(r, t, p, end, err);
	if (p > start) {
		const struct entry *e = &t->entry[t->cur];

		t->file = e->file;
		t->text_bytes += (uint64_t)(p - start);
		if (d->sub[0] == SUB_INSTR)
			d->base[SUB_INSTR] = e->instr;
		if (d->sub[d->nsub - 1] == SUB_LINE)
			d->base[SUB_LINE] = e->line;
	}
	return p;
}

/* ---- learning ---- */

struct replay_before replay_note(const struct tally *t, const struct decode *d)
{
	bool plain = t->pending == PENDING_NONE && !t->has_cfi && !t->has_cob && !t->has_jfi &&
		     !t->has_jfn && !t->ob_moved;

	return (struct replay_before){t->cur_fn, t->cur, plain, settled(t, d)};
}

/* Behind the positions of a line, each followed by one blank: where its costs begin; NULL
 * when it is too odd. */
static const char *costs_of(const struct decode *d, const char *line, const char *end)
{
	for (unsigned i = 0; i < d->nsub; i++) {
		while (line < end && (unsigned char)*line > ' ')
			line++;
		if (line == end || *line != ' ')
			return NULL;
		line++;
	}
	return line < end && *line >= '0' && *line <= '9' ? line : NULL;
}

/* Behind fn= the base is another function's: only absolute positions mean the same.  The
 * line is one whose costs_of() were found. */
static bool absolute(const struct decode *d, const char *line)
{
	for (unsigned i = 0; i < d->nsub; i++) {
		if (*line < '0' || *line > '9')
			return false;
		while (*line != ' ')
			line++;
		line++;
	}
	return true;
}

/* Fill k's text from p up to the costs; false when it does not fit. */
static bool set_text(struct link *k, const char *p, const char *costs, const char *count)
{
	const char *rest = count;
	uint64_t n = 0;

	if (costs - p > TEXT)
		return false;
	if (count) {
		while (*rest >= '0' && *rest <= '9' && n < UINT32_MAX)
			n = n * 10 + (uint64_t)(*rest++ - '0');
		if (n > UINT32_MAX || rest == count || (*rest != ' ' && *rest != '\n'))
			return false;	/* 0x1f, say */
		k->before = (uint8_t)(count - p);
		k->digits = (uint8_t)(rest - count);
		k->count = (uint32_t)n;
		k->call = true;
	}
	k->len = (uint8_t)(costs - p);
	memcpy(k->text, p, k->len);
	return true;
}

static int add_link(struct replay *r, uint32_t from, const struct link *new)
{
	uint32_t i, n = 0, last = 0;

	if (vec_reserve(&r->first, &r->first_cap, (size_t)from + 1, sizeof(*r->first)))
		return -1;
	for (i = r->first[from]; i; i = r->link[i].alt, n++)
		last = i;
	if (n >= WAYS) {
		/* All ways are taken: one of them is told anew, in turn. */
		i = r->first[from];
		for (n = r->turn++ % WAYS; n > 0; n--)
			i = r->link[i].alt;
		uint32_t alt = r->link[i].alt;

		r->link[i] = *new;
		r->link[i].alt = alt;
		return 0;
	}
	if (r->n == 0)
		r->n = 1;
	if (r->n >= LINKS_MAX)
		return 0;
	/* One more: compares read a little behind the text. */
	if (vec_reserve_raw(&r->link, &r->cap, r->n + 2, sizeof(*r->link)))
		return -1;
	i = (uint32_t)r->n++;
	r->link[i] = *new;
	r->link[i].alt = 0;
	if (last)
		r->link[last].alt = i;
	else
		r->first[from] = i;
	return 0;
}

/* The rows of one entry: [fl= fn=] or [fi=], [cob= cfi= cfn= calls=], its line. */
static bool plain_rows(const struct batch *b, bool *block, const struct row **calls)
{
	bool cfn = false, called = false;

	*block = false;
	*calls = NULL;
	for (size_t i = 0; i + 1 < b->n; i++) {
		const struct row *r = &b->row[i];

		switch ((enum row_kind)r->kind) {
		case ROW_FN:
			*block = true;
			break;
		case ROW_FL:
		case ROW_FI:
			break;
		case ROW_CFN:
			cfn = called = true;
			break;
		case ROW_CFI:
		case ROW_COB:
			called = true;
			break;
		case ROW_CALLS:
			/* Anything between it and its line: the call was dropped. */
			if (i + 2 != b->n)
				return false;
			*calls = r;
			break;
		default:
			return false;
		}
	}
	/* cfi= and its like without calls= are for a later call. */
	return *calls ? cfn : !called;
}

/* A jump and its line, "jump=12 +20 0 \n* 0 \n", from the start of b on: k's text. */
static bool set_jump_text(struct link *k, const struct batch *b)
{
	const char *p = b->text, *digits = p + 5, *rest = digits;
	const char *slash = NULL;

	if (b->n != 2 || b->row[0].at != 0 || b->row[1].nc != 0 || b->bytes < 8 ||
	    b->bytes - 1 > TEXT || (b->row[0].kind != ROW_JUMP && b->row[0].kind != ROW_JCND))
		return false;
	k->jump = true;
	k->jcnd = b->row[0].kind == ROW_JCND;
	while ((*rest >= '0' && *rest <= '9') || (*rest == '/' && k->jcnd && !slash)) {
		if (*rest == '/')
			slash = rest;
		rest++;
	}
	/* Both counts are plain numbers, and a blank follows. */
	if (memcmp(p, k->jcnd ? "jcnd=" : "jump=", 5) != 0 || *rest != ' ' || rest == digits ||
	    (k->jcnd && (!slash || slash == digits || slash + 1 == rest)))
		return false;
	k->before = 5;
	k->digits = (uint8_t)(rest - digits);
	k->len = (uint8_t)(b->bytes - 1);
	memcpy(k->text, p, k->len);
	return true;
}

/* Link `entry` to the tally's current one by k, whose text begins at `from`. */
static int keep_link(struct replay *r, uint32_t entry, struct link *k, const struct tally *t,
		     const char *from, const struct batch *b, struct err *err)
{
	const char *end = b->text + b->bytes;
	unsigned newlines = 0;

	for (const char *p = from; (p = memchr(p, '\n', (size_t)(end - p))); p++)
		newlines++;
	if (newlines > NEWLINES_MAX)
		return 0;
	k->newlines = newlines & NEWLINES_MAX;
	k->to = t->cur;
	k->val = t->entry[t->cur].val;
	if (add_link(r, entry, k))
		return err_set(err, ERR_LIMIT, 0, "out of memory while tallying");
	return 0;
}

int replay_learn(struct replay *r, const struct replay_before *before, const struct tally *t,
		 const struct decode *d, const struct batch *b, struct err *err)
{
	const struct row *last = b->n ? &b->row[b->n - 1] : NULL, *calls;
	const char *from = b->text, *line, *costs, *count = NULL;
	uint32_t entry = before->entry;
	struct link k = {0};
	bool block;

	if (!last || last->kind != ROW_COST || t->cur_fn == UINT32_MAX || t->in_once ||
	    !before->plain || r->meaning != t->meaning)
		return 0;
	if (before->fn == t->cur_fn && before->settled && set_jump_text(&k, b))
		return keep_link(r, entry, &k, t, b->text, b, err);
	if (last->nc == 0 || !plain_rows(b, &block, &calls))
		return 0;
	line = b->text + last->at;
	costs = costs_of(d, line, b->text + b->bytes);
	if (!costs)
		return 0;
	if (block) {
		/* The link hangs on the block's head and begins behind the fn= line. */
		size_t i = b->n - 1;

		while (b->row[i].kind != ROW_FN)
			i--;
		if (i + 2 != b->n || !absolute(d, line))
			return 0;
		from = memchr(b->text + b->row[i].at, '\n', b->bytes - b->row[i].at);
		from++;
		entry = t->fn[t->cur_fn].head;
	} else if (before->fn != t->cur_fn || !before->settled) {
		return 0;
	}
	if (calls)
		count = b->text + calls->at + 6;
	if (calls && memcmp(count - 6, "calls=", 6) != 0)
		return 0;
	if (!set_text(&k, from, costs, count))
		return 0;
	return keep_link(r, entry, &k, t, from, b, err);
}
