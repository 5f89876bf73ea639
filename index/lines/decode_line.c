/*
 * decode_line.c - any line to rows, by the rules of PROFILE.md.
 *
 * It reads one field after the other, and every oddity of a line becomes a row of its
 * own: a diagnostic.
 */
#include <string.h>

#include "index/base/cost.h"
#include "index/format/event.h"
#include "index/lines/decode_in.h"

const char *odd_name(enum odd k)
{
	static const char *const names[ODD_KINDS] = {
		[ODD_UNKNOWN_LINE] = "unknown line, skipped",
		[ODD_FIELD] = "line with a field that is not a number, skipped",
		[ODD_EXTRA_COSTS] = "more costs than events, the extra ones ignored",
		[ODD_NEGATIVE_COST] = "negative cost, counted as 0",
		[ODD_POSITION] = "position below zero or above 2^64-1, clamped",
		[ODD_NUMBER_RANGE] = "number that does not fit in 64 bits, clamped",
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
		[ODD_SUM_OVERFLOW] = "sum that does not fit in 64 bits, clamped",
		[ODD_POSITION_WORD] =
			"positions: has a word that is not known, its values skipped",
		[ODD_CFN_ALONE] = "cfn= without calls=, ignored",
		[ODD_NO_COST] = "cost line without a cost",
	};

	return names[k];
}

/* An unknown line may be a cost line that was damaged. */
static bool has_digit(struct str text)
{
	for (size_t i = 0; i < text.n; i++)
		if (text.p[i] >= '0' && text.p[i] <= '9')
			return true;
	return false;
}

bool odd_costs(enum odd k, struct str text)
{
	switch (k) {
	case ODD_UNKNOWN_LINE: return has_digit(text);
	case ODD_FIELD:
	case ODD_EXTRA_COSTS:
	case ODD_NEGATIVE_COST:
	case ODD_NUMBER_RANGE:
	case ODD_CALL_NO_CFN:
	case ODD_CALL_NO_LINE:
	case ODD_CALL_FIELD:
	case ODD_NO_EVENTS:
	case ODD_EVENT_TWICE:
	case ODD_SUM_OVERFLOW: return true;
	default: return false;
	}
}

bool decode_apart(struct str creator)
{
	return str_starts(creator, STR("callgrind-"));
}

bool decode_begins(struct str creator)
{
	return decode_apart(creator) || str_eq(creator, STR("quern"));
}

void decode_init(struct decode *d)
{
	*d = (struct decode){0};
	d->nsub = 1;
	d->sub[0] = SUB_LINE;
	d->usual = true;
}

static struct row *push(struct batch *b, enum line_kind kind, const char *line)
{
	struct row *r = &b->row[b->n++];

	r->kind = (uint8_t)kind;
	r->flags = 0;
	r->nc = 0;
	r->at = (uint32_t)(line - b->text);
	r->cost = (uint32_t)b->ncost;
	return r;
}

/* ---- numbers and fields ---- */

enum num { NUM_OK, NUM_BAD, NUM_RANGE };

static bool is_blank(char c)
{
	return c == ' ' || c == '\t';
}

/* Any unsigned number of the format: decimal or 0x, of any length. */
static enum num whole_number(struct str s, uint64_t *out)
{
	enum { SAFE = 19 }; /* so many decimal digits are below 2^64 */
	const bool hex = s.n > 2 && s.p[0] == '0' && (s.p[1] | 0x20) == 'x';
	uint64_t v = 0;
	size_t n = 0;

	if (s.n == 0)
		return NUM_BAD;
	while (n < s.n && n < SAFE && s.p[n] >= '0' && s.p[n] <= '9')
		v = v * 10 + (uint64_t)(s.p[n++] - '0');
	if (n == s.n) {
		*out = v;
		return NUM_OK;
	}
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

static void push_text(struct batch *b, enum line_kind kind, uint64_t a, const char *line,
		      struct str text)
{
	struct row *r = push(b, kind, line);

	r->a = a;
	r->p = text.p;
	r->len = text.n > UINT32_MAX ? UINT32_MAX : (uint32_t)text.n;
}

static void odd(struct batch *b, enum odd k, struct str line)
{
	push_text(b, LINE_ODD, k, line.p, line);
}

/* The next field of s, without blanks and tabs; n is 0 at the end. */
static struct str decode_line_field(struct str *s)
{
	const char *p = s->p, *const end = s->n ? p + s->n : p, *from; /* p may be NULL */

	while (p < end && is_blank(*p))
		p++;
	for (from = p; p < end && !is_blank(*p); p++)
		;
	*s = (struct str){p, (size_t)(end - p)};
	return (struct str){from, (size_t)(p - from)};
}

struct decode_line_place {
	uint64_t at[SUBS];
	bool whole; /* none was missing */
	bool clamped;
};

/* A subposition: "?", "*", "12", "0x1f", "+3", "-3", and the ranges "1-3", "4+2", "1:3". */
static enum num subposition(struct str f, uint64_t base, uint64_t *out, bool *clamped)
{
	char sign = f.p[0];
	size_t n;
	uint64_t v;
	enum num rc;

	if (f.n == 1 && (sign == '*' || sign == '?')) {
		*out = sign == '*' ? base : 0;
		return NUM_OK;
	}
	if (sign == '+' || sign == '-')
		f = str_from(f, 1);
	for (n = 0; n < f.n && f.p[n] != '-' && f.p[n] != '+' && f.p[n] != ':'; n++)
		;
	if (n < f.n) {
		uint64_t end;

		if (whole_number(str_from(f, n + 1), &end) == NUM_BAD)
			return NUM_BAD;
		f.n = n;
	}
	rc = whole_number(f, &v);
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

static bool is_hex(struct str s)
{
	return s.n > 2 && s.p[0] == '0' && (s.p[1] | 0x20) == 'x';
}

/* Old versions of orbuculum declare "line instr" and write the address first. */
static bool address_first(const struct decode *d, struct str s)
{
	return d->nsub == 2 && d->sub[0] == SUB_LINE && d->sub[1] == SUB_INSTR &&
	       is_hex(decode_line_field(&s)) && !is_hex(decode_line_field(&s));
}

/* All declared subpositions of s; a missing one keeps the base. */
static enum num decode_line_place(const struct decode *d, struct str *s,
				  struct decode_line_place *pl)
{
	const unsigned turned = address_first(d, *s);

	pl->clamped = false;
	pl->whole = true;
	memcpy(pl->at, d->base, sizeof(pl->at));
	for (unsigned i = 0; i < d->nsub; i++) {
		const unsigned k = d->sub[i ^ turned];
		struct str f = decode_line_field(s);
		bool skipped = false;

		if (f.n == 0) {
			pl->whole = false;
			return NUM_OK;
		}
		if (subposition(f, d->base[k], &pl->at[k],
				k == SUB_OTHER ? &skipped : &pl->clamped))
			return NUM_BAD;
	}
	return NUM_OK;
}

/* A number after a minus, as the bits of a negative cost. */
static enum num below_zero(struct str f, uint64_t *out)
{
	const uint64_t least = (uint64_t)INT64_MIN;
	const enum num rc = whole_number(f, out);
	const bool far = *out > least;

	*out = far ? least : 0 - *out;
	return rc == NUM_OK && far ? NUM_RANGE : rc;
}

/* Xdebug's time of -n nanoseconds is (2^64 - n) / unit. */
static bool wrapped_time(const struct decode *d, uint32_t col, uint64_t cost)
{
	return d->time_unit && col == d->time_col &&
	       cost >= ((uint64_t)1 << 63) / d->time_unit &&
	       cost <= UINT64_MAX / d->time_unit;
}

/* The bits of a cost of column col: a number, "." for 0, "-n", or -n as 2^64 - n. */
static enum num cost(const struct decode *d, struct str f, uint32_t col, uint64_t *out)
{
	enum num rc;

	*out = 0;
	if (f.n == 1 && f.p[0] == '.')
		return NUM_OK;
	if (f.n > 1 && f.p[0] == '-')
		return below_zero(str_from(f, 1), out);
	rc = whole_number(f, out);
	if (rc == NUM_RANGE)
		*out = INT64_MAX;
	else if (wrapped_time(d, col, *out))
		*out -= UINT64_MAX / d->time_unit;
	return rc;
}

/* Whether the next line of positions and costs is that of a jump, which has no cost. */
static bool after_jump(const struct decode *d, const struct batch *b)
{
	return b->n ? is_of_jump(&b->row[b->n - 1]) : d->of_jump;
}

/* Whether the next line of positions and costs is that of a call or jump. */
static bool after_record(const struct decode *d, const struct batch *b)
{
	return b->n ? waits_for_line(&b->row[b->n - 1]) : d->of_record;
}

static void take_cost(struct decode *d, struct batch *b, struct str line)
{
	struct str s = line, f;
	struct decode_line_place pl;
	uint64_t v;
	uint32_t n = 0;
	bool negative = false, range = false, extra = false;
	const bool of_record = after_record(d, b), jumps = after_jump(d, b);

	d->in_body = true;
	if (d->ncols == 0) {
		odd(b, ODD_NO_EVENTS, line);
		return;
	}
	if (decode_line_place(d, &s, &pl)) {
		odd(b, ODD_FIELD, line);
		return;
	}
	while ((f = decode_line_field(&s)).n) {
		enum num rc = cost(d, f, n, &v);

		if (rc == NUM_BAD) {
			odd(b, ODD_FIELD, line);
			return;
		}
		range |= rc == NUM_RANGE;
		extra |= n >= d->ncols;
		negative |= (int64_t)v < 0;
		/* callgrind's own: a call that was open when its counters were reset. */
		if (d->apart && (int64_t)v < 0)
			v = 0;
		if (n < d->ncols)
			b->cost[b->ncost + n++] = v;
	}
	struct row *r = push(b, LINE_COST, line.p);

	if (!of_record)
		d->before = d->base[SUB_INSTR];
	if (!of_record || !d->apart)
		memcpy(d->base, pl.at, sizeof(d->base));
	r->a = pl.at[SUB_INSTR];
	r->b = pl.at[SUB_LINE];
	r->nc = (uint16_t)n;
	r->flags = (negative && !d->apart ? COST_NEGATIVE : 0) | (extra ? COST_EXTRA : 0);
	b->ncost += n;
	if (n == 0 && d->ncols == 1 && !jumps && !d->cuts_zeros)
		odd(b, ODD_NO_COST, line);
	if (extra)
		odd(b, ODD_EXTRA_COSTS, line);
	if (negative && d->apart)
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

static void take_name(struct batch *b, enum line_kind kind, struct str line,
		      struct str value)
{
	struct row *r = push(b, kind, line.p);
	struct str text;

	r->flags |= decode_name(value, &r->a, &text);
	r->p = text.p;
	r->len = (uint32_t)text.n;
}

static struct str digits_of(struct str *s)
{
	size_t n = 0;

	while (n < s->n && s->p[n] >= '0' && s->p[n] <= '9')
		n++;
	*s = str_from(*s, n);
	return (struct str){s->p - n, n};
}

/* "?", "-1", "0.5", "1e+06": what is written where nobody counted. */
static bool is_uncounted(struct str f)
{
	if (str_eq(f, STR("?")))
		return true;
	if (f.n && f.p[0] == '-')
		f = str_from(f, 1);
	if (digits_of(&f).n == 0)
		return false;
	if (f.n && f.p[0] == '.') {
		f = str_from(f, 1);
		digits_of(&f);
	}
	if (f.n && (f.p[0] | 0x20) == 'e') {
		f = str_from(f, 1 + (f.n > 1 && (f.p[1] == '-' || f.p[1] == '+')));
		return digits_of(&f).n && !f.n;
	}
	return !f.n;
}

/* The addresses that the target s of a call may have, as costs of the row: pprof's is
 * relative to the cost line before the last one, others' to the last. */
static void push_target(struct decode *d, struct batch *b, struct row *r, struct str s)
{
	const uint64_t base = d->base[SUB_INSTR];
	struct decode_line_place pl;

	for (; r->nc < 2; r->nc++) {
		struct str rest = s;

		d->base[SUB_INSTR] = r->nc ? base : d->before;
		decode_line_place(d, &rest, &pl);
		b->cost[b->ncost++] = pl.at[SUB_INSTR];
	}
}

static void take_calls(struct decode *d, struct batch *b, struct str line, struct str s)
{
	struct str f = decode_line_field(&s);
	const struct str target = s;
	struct decode_line_place pl;
	uint64_t count;
	enum num rc = whole_number(f, &count);

	if (rc == NUM_BAD && is_uncounted(f)) {
		rc = NUM_OK;
		count = CALLS_UNKNOWN;
	}
	if (rc == NUM_BAD || decode_line_place(d, &s, &pl)) {
		odd(b, ODD_CALL_FIELD, line);
		push(b, LINE_CALLS_BAD, line.p);
		return;
	}
	if (rc == NUM_RANGE)
		odd(b, ODD_NUMBER_RANGE, line);
	struct row *r = push(b, LINE_CALLS, line.p);

	r->a = count;
	r->b = pl.whole ? pl.at[SUB_LINE] : 0;
	if (d->by_address)
		push_target(d, b, r, target);
}

/* "jump=count target"; "jcnd=taken/executed target" or "jcnd=executed taken target". */
static void take_jump(struct decode *d, struct batch *b, struct str line, struct str s,
		      bool conditional)
{
	struct str f = decode_line_field(&s);
	size_t slash = str_find(f, '/');
	uint64_t executed, taken;
	struct decode_line_place pl;
	bool bad;

	if (!conditional) {
		bad = whole_number(f, &executed) == NUM_BAD;
		taken = executed;
	} else if (slash < f.n) {
		bad = whole_number((struct str){f.p, slash}, &taken) == NUM_BAD ||
		      whole_number(str_from(f, slash + 1), &executed) == NUM_BAD;
	} else {
		bad = whole_number(f, &executed) == NUM_BAD ||
		      whole_number(decode_line_field(&s), &taken) == NUM_BAD;
	}
	if (bad || decode_line_place(d, &s, &pl)) {
		odd(b, ODD_JUMP_FIELD, line);
		push(b, LINE_JUMP_BAD, line.p);
		return;
	}
	struct row *r = push(b, conditional ? LINE_JCND : LINE_JUMP, line.p);

	r->a = executed;
	r->b = taken;
	r->nc = 2;
	b->cost[b->ncost++] = pl.at[SUB_INSTR];
	b->cost[b->ncost++] = pl.at[SUB_LINE];
}

/* A header line after body lines starts a part. */
static void begin_part(struct decode *d, struct batch *b, const char *line)
{
	push(b, LINE_PART, line);
	memset(d->base, 0, sizeof(d->base));
	d->before = 0;
	d->no_addresses |= !d->by_address;
	d->in_body = d->after_totals = false;
}

static unsigned position_of(struct str word)
{
	static const struct {
		const char *word;
		uint8_t sub;
	} words[] = {{"instr", SUB_INSTR},
		     {"addr", SUB_INSTR},
		     {"bb", SUB_BB},
		     {"line", SUB_LINE}};

	for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++)
		if (str_eq(word, str_c(words[i].word)))
			return words[i].sub;
	return SUB_OTHER;
}

struct positions_line decode_positions(struct str value)
{
	struct positions_line p = {.known = true};
	bool met[SUBS] = {false};
	struct str f;

	while ((f = decode_line_field(&value)).n) {
		unsigned k = position_of(f);

		if (p.n == POSITIONS_MAX)
			return (struct positions_line){0};
		if (met[k])
			k = SUB_OTHER;
		met[k] = true;
		p.sub[p.n++] = (uint8_t)k;
		p.known &= k != SUB_OTHER;
	}
	p.has_instr = met[SUB_INSTR];
	p.has_line = met[SUB_LINE];
	return p;
}

/* False if it cannot be read; the positions declared before stay in force. */
static bool read_positions(struct decode *d, struct batch *b, struct str line,
			   struct str s)
{
	const struct positions_line p = decode_positions(s);

	if (p.n == 0) {
		odd(b, ODD_HEADER_VALUE, line);
		return false;
	}
	if (!p.known)
		odd(b, ODD_POSITION_WORD, line);
	memcpy(d->sub, p.sub, p.n);
	d->nsub = p.n;
	d->usual = p.sub[0] == SUB_INSTR ? p.n == 1 || (p.n == 2 && p.sub[1] == SUB_LINE)
					 : p.n == 1 && p.sub[0] == SUB_LINE;
	return true;
}

static const struct known_key {
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

/* The columns of an events: line. */
static void read_columns(struct decode *d, struct str s)
{
	struct str f;

	d->time_unit = 0;
	for (d->ncols = 0; (f = decode_line_field(&s)).n && d->ncols < EVENTS_MAX;
	     d->ncols++) {
		const struct unit u = event_unit(f, STR(""), STR("xdebug 3"));

		if (!d->xdebug || u.kind != UNIT_TIME || u.scale < 10 || u.scale > 1000)
			continue;
		d->time_col = d->ncols;
		d->time_unit = u.scale;
	}
}

/* pprof writes no creator:, addresses, and the unit of its event: "cpu(ms)". */
static bool is_by_address(const struct decode *d, struct str events)
{
	bool instr = false;

	for (unsigned i = 0; i < d->nsub; i++)
		instr |= d->sub[i] == SUB_INSTR;
	return instr && !d->no_addresses && str_ends(events, STR(")"));
}

/* Xdebug 2 does not divide. */
static bool divides_time(struct str creator)
{
	return str_starts(creator, STR("xdebug ")) &&
	       !str_starts(creator, STR("xdebug 1.")) &&
	       !str_starts(creator, STR("xdebug 2."));
}

/* Whether line is a header line; the colon after summary and totals may be missing. */
static bool take_key(struct decode *d, struct batch *b, struct str line)
{
	const struct known_key *k = keys, *end = keys + sizeof(keys) / sizeof(keys[0]);
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
	if (k->key == KEY_CREATOR)
		d->cuts_zeros = decode_begins(value);
	if (k->key == KEY_CREATOR)
		d->xdebug = divides_time(value);
	if (k->key == KEY_POSITIONS && !read_positions(d, b, line, value))
		return true;
	if (k->key == KEY_EVENTS)
		read_columns(d, value);
	d->no_addresses |= k->key == KEY_CREATOR && value.n;
	if (k->key == KEY_EVENTS || k->key == KEY_CREATOR)
		d->by_address = is_by_address(d, k->key == KEY_EVENTS ? value : STR(""));
	d->after_totals |= k->key == KEY_TOTALS;
	push_text(b, LINE_KEY, (uint64_t)k->key, line.p, value);
	return true;
}

static const struct spec {
	struct str name;
	enum line_kind kind;
} specs[] = {
	{STR("fn="), LINE_FN},	 {STR("fl="), LINE_FL},	  {STR("fi="), LINE_FI},
	{STR("fe="), LINE_FI},	 {STR("ob="), LINE_OB},	  {STR("cfn="), LINE_CFN},
	{STR("cfi="), LINE_CFI}, {STR("cfl="), LINE_CFI}, {STR("cob="), LINE_COB},
	{STR("jfi="), LINE_JFI}, {STR("jfn="), LINE_JFN}, {STR("cfni="), LINE_INLINED},
};

static bool take_spec(struct decode *d, struct batch *b, struct str line)
{
	if ((*line.p == 'c' && str_starts(line, STR("calls="))) ||
	    (*line.p == 'r' && str_starts(line, STR("rcalls=")))) {
		d->in_body = true;
		take_calls(d, b, line, str_from(line, line.p[0] == 'r' ? 7 : 6));
		return true;
	}
	if (*line.p == 'j' &&
	    (str_starts(line, STR("jump=")) || str_starts(line, STR("jcnd=")))) {
		d->in_body = true;
		take_jump(d, b, line, str_from(line, 5), line.p[1] == 'c');
		return true;
	}
	for (size_t i = 0; i < sizeof(specs) / sizeof(specs[0]); i++)
		if (*line.p == *specs[i].name.p && str_starts(line, specs[i].name)) {
			d->in_body = true;
			take_name(b, specs[i].kind, line,
				  str_from(line, specs[i].name.n));
			return true;
		}
	return false;
}

static bool developer_line(struct str s)
{
	return str_starts(s, STR("rec=")) || str_starts(s, STR("frfn=")) ||
	       str_starts(s, STR("bb=")) || str_starts(s, STR("ln="));
}

void decode_line(struct decode *d, struct batch *b, struct str line)
{
	line = str_trim(line);
	if (line.n == 0 || line.p[0] == '#')
		return;
	if (begins_cost(line.p[0]) ||
	    (line.p[0] == '?' && line.n > 1 && is_blank(line.p[1]))) {
		take_cost(d, b, line);
		return;
	}
	if (take_spec(d, b, line) || take_key(d, b, line))
		return;
	if (str_starts(line, STR("==== NEW PROFILING FILE"))) {
		decode_init(d);
		d->no_addresses = true;
		push(b, LINE_FILE, line.p);
		return;
	}
	odd(b, developer_line(line) ? ODD_DEVELOPER_LINE : ODD_UNKNOWN_LINE, line);
}
