/*
 * decode.c - lines to rows; see decode.h.
 *
 * scan_block() gives the offsets of all separators, so a line is a run of them:
 *
 *	+ 2   *   6 8 4 \n f n = ( 5 6 2 ) \n
 *	    ^   ^       ^                  ^	pos[k], pos[k+1], ...
 *
 * The fast paths below take the lines that producers write by the million: a cost line of
 * plain numbers, "fn=(12)" and its like, "calls=1 0 0", the blank line.  A fast path
 * either takes a line exactly as the slow path would, or leaves it to the slow path,
 * which knows every rule of PROFILE.md.  Numbers are converted 8 digits at a time without
 * a branch on their length.
 */
#include "index/lines/decode.h"

#include <string.h>

#include "index/lines/digits.h"

const char *odd_name(enum odd k)
{
	static const char *const names[ODD_KINDS] = {
		[ODD_UNKNOWN_LINE] = "unknown line, skipped",
		[ODD_FIELD] = "line with a field that is not a number, skipped",
		[ODD_EXTRA_COSTS] = "more costs than events, the extra ones ignored",
		[ODD_NEGATIVE_COST] = "negative cost, counted as 0",
		[ODD_POSITION] = "position below zero or above 2^64-1, clamped",
		[ODD_NUMBER_RANGE] = "number above 2^64-1, clamped",
		[ODD_CALL_NO_CFN] = "calls= without cfn=, its cost skipped",
		[ODD_CALL_NO_LINE] = "calls= without its cost line, dropped",
		[ODD_CALL_FIELD] = "calls= that cannot be read, its cost skipped",
		[ODD_JUMP_NO_LINE] = "jump= without its source line, dropped",
		[ODD_JUMP_FIELD] = "jump= that cannot be read, its source line skipped",
		[ODD_DEVELOPER_LINE] =
			"callgrind developer line (rec= frfn= bb= ln=), skipped",
		[ODD_NO_EVENTS] = "cost line in a section without events:, skipped",
		[ODD_HEADER_VALUE] = "header line that cannot be read",
		[ODD_EVENT_TWICE] = "event named twice, its columns are added",
		[ODD_EVENT_FORMULA] =
			"derived event that cannot be computed, or subtracts",
		[ODD_ID_REDEFINED] = "name id redefined to another name",
		[ODD_ID_UNDEFINED] = "name id used before it is defined",
		[ODD_SUM_OVERFLOW] = "sum above 2^64-1, clamped",
	};

	return names[k];
}

bool decode_apart(struct str creator)
{
	return str_starts(creator, STR("callgrind-"));
}

void decode_init(struct decode *d)
{
	memset(d, 0, offsetof(struct decode, pos));
	d->nsub = 1;
	d->sub[0] = SUB_LINE;
}

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

enum num { NUM_OK, NUM_BAD, NUM_RANGE };

/* Any unsigned number of the format: decimal or 0x, of any length. */
static enum num number(struct str s, uint64_t *out)
{
	bool hex = s.n > 2 && s.p[0] == '0' && (s.p[1] | 0x20) == 'x';

	if (s.n == 0)
		return NUM_BAD;
	for (size_t i = hex ? 2 : 0; i < s.n; i++) {
		unsigned char c = (unsigned char)s.p[i];

		if (!(c >= '0' && c <= '9') &&
		    !(hex && (c | 0x20) >= 'a' && (c | 0x20) <= 'f'))
			return NUM_BAD;
	}
	if (str_u64(s, out))
		return NUM_OK;
	*out = UINT64_MAX;
	return NUM_RANGE;
}

/* ---- rows ---- */

static inline struct row *push(struct batch *b, enum row_kind kind, const char *line)
{
	struct row *r = &b->row[b->n++];

	r->kind = (uint8_t)kind;
	r->flags = 0;
	r->nc = 0;
	r->at = (uint32_t)(line - b->text);
	r->cost = (uint32_t)b->ncost;
	return r;
}

static void push_text(struct batch *b, enum row_kind kind, uint64_t a, const char *line,
		      struct str text)
{
	struct row *r = push(b, kind, line);

	r->a = a;
	r->p = text.p;
	r->len = text.n > UINT32_MAX ? UINT32_MAX : (uint32_t)text.n;
}

static void odd(struct batch *b, enum odd k, struct str line)
{
	push_text(b, ROW_ODD, k, line.p, line);
}

/* ---- the slow path: one line, any line ---- */

static bool is_blank(char c)
{
	return c == ' ' || c == '\t';
}

/* The next field of s, without blanks and tabs; n is 0 at the end. */
static struct str field(struct str *s)
{
	struct str f;
	size_t n = 0;

	while (s->n && is_blank(s->p[0]))
		*s = str_from(*s, 1);
	while (n < s->n && !is_blank(s->p[n]))
		n++;
	f = (struct str){s->p, n};
	*s = str_from(*s, n);
	return f;
}

struct place {
	uint64_t at[SUBS];
	bool clamped;
};

/* A subposition: "*", "12", "0x1f", "+3", "-3", and the ranges "1-3", "4+2", "1:3". */
static enum num subposition(struct str f, uint64_t base, uint64_t *out, bool *clamped)
{
	char sign = f.p[0];
	size_t n;
	uint64_t v;
	enum num rc;

	if (f.n == 1 && sign == '*') {
		*out = base;
		return NUM_OK;
	}
	if (sign == '+' || sign == '-')
		f = str_from(f, 1);
	for (n = 0; n < f.n && f.p[n] != '-' && f.p[n] != '+' && f.p[n] != ':'; n++)
		;
	if (n < f.n) {
		uint64_t end;

		if (number(str_from(f, n + 1), &end) == NUM_BAD)
			return NUM_BAD;
		f.n = n;
	}
	rc = number(f, &v);
	if (rc == NUM_BAD)
		return rc;
	if (rc == NUM_RANGE)
		*clamped = true;
	if (sign == '+' && __builtin_add_overflow(base, v, &v)) {
		v = UINT64_MAX;
		*clamped = true;
	} else if (sign == '-') {
		*clamped |= v > base;
		v = v > base ? 0 : base - v;
	}
	*out = v;
	return NUM_OK;
}

/* All declared subpositions of s; a missing one keeps the base. */
static enum num place(const struct decode *d, struct str *s, struct place *pl)
{
	pl->clamped = false;
	memcpy(pl->at, d->base, sizeof(pl->at));
	for (unsigned i = 0; i < d->nsub; i++) {
		struct str f = field(s);

		if (f.n == 0)
			return NUM_OK;
		if (subposition(f, d->base[d->sub[i]], &pl->at[d->sub[i]], &pl->clamped))
			return NUM_BAD;
	}
	return NUM_OK;
}

/* A negative cost written as 2^64 - n: callgrind does so for a call that was open when
 * its counters were reset. */
static bool wrapped(uint64_t cost)
{
	return cost >> 63;
}

/* Whether the row is a calls= or jump=, whose line follows. */
static inline bool waits_for_line(const struct row *r)
{
	return r->kind >= ROW_CALLS && r->kind <= ROW_JUMP_BAD;
}

/* Whether the next line of positions and costs moves the base. */
static inline bool moves_base(const struct decode *d, const struct batch *b)
{
	if (__builtin_expect(!d->apart, 0))
		return true;
	return b->n ? !waits_for_line(&b->row[b->n - 1]) : !d->of_record;
}

/* One cost: a number, "." for 0, or a negative number, which counts as 0. */
static enum num cost(struct str f, uint64_t *out, bool *negative)
{
	enum num rc;

	if (f.n == 1 && f.p[0] == '.') {
		*out = 0;
		return NUM_OK;
	}
	if (f.n > 1 && f.p[0] == '-') {
		rc = number(str_from(f, 1), out);
		*negative |= *out > 0;
		*out = 0;
		return rc == NUM_RANGE ? NUM_OK : rc;
	}
	rc = number(f, out);
	if (rc == NUM_OK && wrapped(*out)) {
		*negative = true;
		*out = 0;
	}
	return rc;
}

static void slow_cost(struct decode *d, struct batch *b, struct str line)
{
	struct str s = line, f;
	struct place pl;
	uint64_t v;
	uint32_t n = 0;
	bool negative = false, range = false, extra = false;
	const bool moves = moves_base(d, b);

	d->in_body = true;
	if (d->ncols == 0) {
		odd(b, ODD_NO_EVENTS, line);
		return;
	}
	if (place(d, &s, &pl)) {
		odd(b, ODD_FIELD, line);
		return;
	}
	while ((f = field(&s)).n) {
		enum num rc = cost(f, &v, &negative);

		if (rc == NUM_BAD) {
			odd(b, ODD_FIELD, line);
			return;
		}
		range |= rc == NUM_RANGE;
		extra |= n >= d->ncols;
		if (n < d->ncols)
			b->cost[b->ncost + n++] = v;
	}
	struct row *r = push(b, ROW_COST, line.p);

	if (moves)
		memcpy(d->base, pl.at, sizeof(d->base));
	r->a = pl.at[SUB_INSTR];
	r->b = pl.at[SUB_LINE];
	r->nc = (uint16_t)n;
	b->ncost += n;
	if (extra)
		odd(b, ODD_EXTRA_COSTS, line);
	if (negative)
		odd(b, ODD_NEGATIVE_COST, line);
	if (range)
		odd(b, ODD_NUMBER_RANGE, line);
	if (pl.clamped)
		odd(b, ODD_POSITION, line);
}

uint8_t decode_name(struct str value, uint64_t *id, struct str *text)
{
	struct str v = str_trim(value);
	uint8_t flags = 0;
	size_t n = 1;

	*id = 0;
	if (v.n > 2 && v.p[0] == '(') {
		while (n < v.n && v.p[n] >= '0' && v.p[n] <= '9')
			n++;
		if (n > 1 && n < v.n && v.p[n] == ')' &&
		    (n + 1 == v.n || is_blank(v.p[n + 1])) &&
		    str_u64((struct str){v.p + 1, n - 1}, id)) {
			flags |= NAME_ID;
			v = str_trim(str_from(v, n + 1));
		}
	}
	if (v.n > UINT32_MAX)
		v.n = UINT32_MAX;
	*text = v;
	return v.n ? flags | NAME_TEXT : flags;
}

static void slow_name(struct batch *b, enum row_kind kind, struct str line,
		      struct str value)
{
	struct row *r = push(b, kind, line.p);
	struct str text;

	r->flags |= decode_name(value, &r->a, &text);
	r->p = text.p;
	r->len = (uint32_t)text.n;
}

static void slow_calls(struct decode *d, struct batch *b, struct str line, struct str s)
{
	struct str f = field(&s);
	struct place pl;
	uint64_t count;
	enum num rc = number(f, &count);

	if (rc == NUM_BAD || place(d, &s, &pl)) {
		odd(b, ODD_CALL_FIELD, line);
		push(b, ROW_CALLS_BAD, line.p);
		return;
	}
	if (rc == NUM_RANGE)
		odd(b, ODD_NUMBER_RANGE, line);
	push(b, ROW_CALLS, line.p)->a = count;
}

/* "jump=count target"; "jcnd=taken/executed target" or "jcnd=executed taken target". */
static void slow_jump(struct decode *d, struct batch *b, struct str line, struct str s,
		      bool conditional)
{
	struct str f = field(&s);
	size_t slash = str_find(f, '/');
	uint64_t executed, taken;
	struct place pl;
	bool bad;

	if (!conditional) {
		bad = number(f, &executed) == NUM_BAD;
		taken = executed;
	} else if (slash < f.n) {
		bad = number((struct str){f.p, slash}, &taken) == NUM_BAD ||
		      number(str_from(f, slash + 1), &executed) == NUM_BAD;
	} else {
		bad = number(f, &executed) == NUM_BAD ||
		      number(field(&s), &taken) == NUM_BAD;
	}
	if (bad || place(d, &s, &pl)) {
		odd(b, ODD_JUMP_FIELD, line);
		push(b, ROW_JUMP_BAD, line.p);
		return;
	}
	struct row *r = push(b, conditional ? ROW_JCND : ROW_JUMP, line.p);

	r->a = executed;
	r->b = taken;
	r->nc = 2;
	b->cost[b->ncost++] = pl.at[SUB_INSTR];
	b->cost[b->ncost++] = pl.at[SUB_LINE];
}

/* A header line after body lines starts a part. */
static void begin_part(struct decode *d, struct batch *b, const char *line)
{
	push(b, ROW_PART, line);
	memset(d->base, 0, sizeof(d->base));
	d->in_body = d->after_totals = false;
}

/* False if it cannot be read; the positions declared before stay in force. */
static bool read_positions(struct decode *d, struct batch *b, struct str line,
			   struct str s)
{
	static const char *const names[SUBS] = {"instr", "bb", "line"};
	uint8_t sub[SUBS], n = 0;
	struct str f;

	while ((f = field(&s)).n) {
		unsigned k =
			n ? sub[n - 1] + 1u : 0; /* in this order, each at most once */

		while (k < SUBS && !str_eq(f, str_c(names[k])))
			k++;
		if (k == SUBS) {
			n = 0;
			break;
		}
		sub[n++] = (uint8_t)k;
	}
	if (n == 0) {
		odd(b, ODD_HEADER_VALUE, line);
		return false;
	}
	memcpy(d->sub, sub, n);
	d->nsub = n;
	return true;
}

static const struct key {
	struct str name;
	enum header_key key;
	bool begins;	   /* starts a part after body lines */
	bool after_totals; /* starts a part after totals: */
} keys[] = {
	{STR("version"), KEY_VERSION, true, true},
	{STR("creator"), KEY_CREATOR, true, false},
	{STR("pid"), KEY_PID, true, false},
	{STR("cmd"), KEY_CMD, false, false},
	{STR("part"), KEY_PART, true, true},
	{STR("thread"), KEY_THREAD, true, false},
	{STR("desc"), KEY_DESC, false, false},
	{STR("positions"), KEY_POSITIONS, true, false},
	{STR("events"), KEY_EVENTS, true, false},
	{STR("event"), KEY_EVENT, false, false},
	{STR("summary"), KEY_SUMMARY, false, false},
	{STR("totals"), KEY_TOTALS, false, false},
};

/* Whether line is a header line; the colon after summary and totals may be missing. */
static bool slow_key(struct decode *d, struct batch *b, struct str line)
{
	const struct key *k = keys, *end = keys + sizeof(keys) / sizeof(keys[0]);
	struct str value = {0};

	for (; k < end; k++) {
		if (*line.p != *k->name.p || !str_starts(line, k->name))
			continue;
		value = str_from(line, k->name.n);
		if (value.n && value.p[0] == ':') {
			value = str_trim(str_from(value, 1));
			break;
		}
		if ((k->key == KEY_SUMMARY || k->key == KEY_TOTALS) && value.n &&
		    is_blank(value.p[0])) {
			value = str_trim(value);
			break;
		}
	}
	if (k == end)
		return false;
	if ((k->begins && d->in_body) || (k->after_totals && d->after_totals))
		begin_part(d, b, line.p);
	if (k->key == KEY_CREATOR)
		d->apart = decode_apart(value);
	if (k->key == KEY_POSITIONS && !read_positions(d, b, line, value))
		return true;
	if (k->key == KEY_EVENTS) {
		struct str s = value;

		for (d->ncols = 0; field(&s).n && d->ncols < EVENTS_MAX; d->ncols++)
			;
	}
	d->after_totals |= k->key == KEY_TOTALS;
	push_text(b, ROW_KEY, (uint64_t)k->key, line.p, value);
	return true;
}

static const struct spec {
	struct str name;
	enum row_kind kind;
} specs[] = {
	{STR("fn="), ROW_FN},	{STR("fl="), ROW_FL},	{STR("fi="), ROW_FI},
	{STR("fe="), ROW_FI},	{STR("ob="), ROW_OB},	{STR("cfn="), ROW_CFN},
	{STR("cfi="), ROW_CFI}, {STR("cfl="), ROW_CFI}, {STR("cob="), ROW_COB},
	{STR("jfi="), ROW_JFI}, {STR("jfn="), ROW_JFN},
};

static bool slow_spec(struct decode *d, struct batch *b, struct str line)
{
	for (size_t i = 0; i < sizeof(specs) / sizeof(specs[0]); i++)
		if (*line.p == *specs[i].name.p && str_starts(line, specs[i].name)) {
			d->in_body = true;
			slow_name(b, specs[i].kind, line,
				  str_from(line, specs[i].name.n));
			return true;
		}
	if ((*line.p == 'c' && str_starts(line, STR("calls="))) ||
	    (*line.p == 'r' && str_starts(line, STR("rcalls=")))) {
		d->in_body = true;
		slow_calls(d, b, line, str_from(line, line.p[0] == 'r' ? 7 : 6));
		return true;
	}
	if (*line.p == 'j' &&
	    (str_starts(line, STR("jump=")) || str_starts(line, STR("jcnd=")))) {
		d->in_body = true;
		slow_jump(d, b, line, str_from(line, 5), line.p[1] == 'c');
		return true;
	}
	return false;
}

static bool developer_line(struct str s)
{
	return str_starts(s, STR("rec=")) || str_starts(s, STR("frfn=")) ||
	       str_starts(s, STR("bb=")) || str_starts(s, STR("ln="));
}

static __attribute__((noinline)) void slow_line(struct decode *d, struct batch *b,
						struct str line)
{
	line = str_trim(line);
	if (line.n == 0 || line.p[0] == '#')
		return;
	char c = line.p[0];

	if ((c >= '0' && c <= '9') || c == '+' || c == '-' || c == '*') {
		slow_cost(d, b, line);
		return;
	}
	if (slow_spec(d, b, line) || slow_key(d, b, line))
		return;
	if (str_starts(line, STR("==== NEW PROFILING FILE"))) {
		decode_init(d);
		push(b, ROW_FILE, line.p);
		return;
	}
	odd(b, developer_line(line) ? ODD_DEVELOPER_LINE : ODD_UNKNOWN_LINE, line);
}

/* ---- the fast paths ---- */

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

/* Take a cost line at c with nsub positions.  If false, only the scratch costs have
 * changed. */
static inline __attribute__((always_inline)) bool
cost_line(struct decode *d, struct batch *b, struct cursor *c, const char *line,
	  unsigned nsub)
{
	const uint16_t *pos = c->pos;
	const char *from = line;
	uint64_t at[SUBS], bad = 0, costs = 0, *out = &b->cost[b->ncost];
	uint32_t n = 0, ncols = d->ncols;

	for (unsigned i = 0; i < nsub; i++) {
		const char *end = c->text + *pos;

		while (__builtin_expect(from == end && is_blank(*end), 0)) {
			from = end + 1;
			end = c->text + *++pos;
		}
		at[i] = fast_sub(from, end, d->base[d->sub[i]], &bad);
		if (*end == '\n') {
			bad |= i + 1u < nsub;
			goto done;
		}
		bad |= !is_blank(*end);
		from = end + 1;
		pos++;
	}
	for (;;) {
		const char *end = c->text + *pos;

		if (from == end)
			; /* several blanks in a row, or blanks before the newline */
		else if (__builtin_expect(n < ncols, 1))
			costs |= out[n++] = digits(from, end, &bad);
		else
			bad = 1;
		if (*end == '\n')
			break;
		if (ends_in_cr(end)) {
			pos++;
			break;
		}
		bad |= !is_blank(*end);
		if (__builtin_expect(bad != 0, 0))
			return false;
		from = end + 1;
		pos++;
	}
done:
	if (__builtin_expect(bad != 0 || wrapped(costs), 0))
		return false;
	const bool moves = moves_base(d, b);
	struct row *r = push(b, ROW_COST, line);
	uint64_t was[SUBS];

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
	default: return cost_line(d, b, c, line, 3);
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

/* "calls=12 ..." followed by plain numbers; the target is not kept. */
static inline bool fast_calls(struct decode *d, struct batch *b, struct cursor *c,
			      const char *line)
{
	const uint16_t *pos = c->pos;
	const char *from = line + 6, *end = c->text + *pos;
	uint64_t bad = 0, count;

	if (end == from)
		return false;
	count = digits(from, end, &bad);
	for (unsigned i = 0; *end != '\n'; i++) {
		if (ends_in_cr(end)) {
			pos++;
			break;
		}
		bad |= !is_blank(*end);
		from = end + 1;
		end = c->text + *++pos;
		if (from == end) /* one or two blanks before the newline */
			bad |= *end != '\n';
		else if (i < d->nsub)
			(void)fast_sub(from, end, UINT64_MAX / 2, &bad);
		if (bad)
			return false;
	}
	if (bad)
		return false;
	push(b, ROW_CALLS, line)->a = count;
	c->pos = pos + 1;
	return true;
}

#define WORD4(a, b, c, d)                                                   \
	((uint32_t)(unsigned char)(a) | (uint32_t)(unsigned char)(b) << 8 | \
	 (uint32_t)(unsigned char)(c) << 16 | (uint32_t)(unsigned char)(d) << 24)

static inline uint32_t load4(const char *p)
{
	uint32_t v;

	memcpy(&v, p, 4);
#if __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
	v = __builtin_bswap32(v);
#endif
	return v;
}

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
			slow_line(d, b, (struct str){line, (size_t)(p + *c.pos - line)});
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
	slow_line(d, b, (struct str){p, n});
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
