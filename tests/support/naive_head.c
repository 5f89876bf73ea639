/*
 * naive_head.c - the simple reader: pieces of a line, names, parts and header lines.
 */
#include "tests/support/naive_in.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

enum { NAMES_WITH_BLANKS = 64 };

/* ---- pieces of a line ---- */

static bool blank(char c)
{
	return c == ' ' || c == '\t';
}

struct str naive_word(struct str *s)
{
	struct str w;
	size_t n = 0;

	while (s->n && blank(*s->p))
		*s = str_from(*s, 1);
	while (n < s->n && !blank(s->p[n]))
		n++;
	w = (struct str){s->p, n};
	*s = str_from(*s, n);
	return w;
}

bool naive_after(struct str line, const char *prefix, struct str *rest)
{
	if (!str_starts(line, str_c(prefix)))
		return false;
	*rest = str_from(line, strlen(prefix));
	return true;
}

static unsigned digit(char c)
{
	if (c >= '0' && c <= '9')
		return (unsigned)(c - '0');
	c |= 0x20;
	return c >= 'a' && c <= 'f' ? (unsigned)(c - 'a') + 10 : 99;
}

bool naive_number(struct str s, uint64_t *out, bool *over)
{
	unsigned base = 10;
	bool big = false;

	*out = 0;
	if (s.n > 2 && s.p[0] == '0' && (s.p[1] | 0x20) == 'x') {
		base = 16;
		s = str_from(s, 2);
	}
	for (size_t i = 0; i < s.n; i++) {
		if (digit(s.p[i]) >= base)
			return false;
		big |= __builtin_mul_overflow(*out, (uint64_t)base, out);
		big |= __builtin_add_overflow(*out, (uint64_t)digit(s.p[i]), out);
	}
	if (big)
		*out = UINT64_MAX;
	*over |= big;
	return s.n > 0;
}

/* "12", "+3", "-3", "*", and of a range ("1-3", "4+2", "1:3") the start. */
static bool position(struct str w, uint64_t base, uint64_t *out, bool *clamped)
{
	char sign = w.p[0];
	uint64_t v, end;
	bool over = false;
	size_t n = 0;

	*out = base;
	if (w.n == 1 && sign == '*')
		return true;
	if (w.n == 1 && sign == '?')
		*out = 0;
	if (w.n == 1 && sign == '?')
		return true;
	if (sign == '+' || sign == '-')
		w = str_from(w, 1);
	while (n < w.n && !strchr("+-:", w.p[n] ? w.p[n] : 'x'))
		n++;
	if (n < w.n && !naive_number(str_from(w, n + 1), &end, &over))
		return false;
	over = false;
	w.n = n;
	if (!naive_number(w, &v, &over))
		return false;
	if (sign == '-') {
		over |= v > base;
		*out = v > base ? 0 : base - v;
	} else {
		*out = facts_sum(sign == '+' ? base : 0, v, &over);
	}
	*clamped |= over;
	return true;
}

static bool hex(struct str w)
{
	return w.n > 2 && w.p[0] == '0' && (w.p[1] == 'x' || w.p[1] == 'X');
}

bool naive_positions(const struct naive_state *s, struct str *rest, uint64_t at[SUBS_N],
		     bool *clamped)
{
	/* "line instr", but an address comes first: orbuculum's are the other way round. */
	struct str ahead = *rest, first = naive_word(&ahead);
	const bool turned = s->nsub == 2 && s->sub[0] == LINE && s->sub[1] == INSTR &&
			    hex(first) && !hex(naive_word(&ahead));

	memcpy(at, s->base, sizeof(s->base));
	for (unsigned i = 0; i < s->nsub; i++) {
		struct str w = naive_word(rest);
		unsigned k = s->sub[turned ? 1 - i : i];
		bool skipped = false;

		if (w.n &&
		    !position(w, s->base[k], &at[k], k == OTHER ? &skipped : clamped))
			return false;
	}
	return true;
}

/* ---- names ---- */

static struct fact *id_fact(struct naive_state *s, enum space space, uint64_t id)
{
	return facts_find(&s->names, facts_key(&s->line, "uu", (uint64_t)space, id));
}

/* The text that an id has now; "(id)" when it has none. */
static struct str id_text(struct naive_state *s, enum space space, uint64_t id)
{
	struct fact *f = id_fact(s, space, id);

	if (f)
		return s->text[f - s->names.at];
	s->r->odd = true;
	return arena_printf(&s->r->arena, "(%" PRIu64 ")", id);
}

/* Length of "(digits)" at the start of t, or 0. */
static size_t reference(struct str t, uint64_t *id)
{
	size_t n = str_find(t, ')');
	bool over = false;

	if (n == t.n || n < 2 || t.p[0] != '(' || digit(t.p[1]) > 9 ||
	    (n > 2 && (t.p[2] | 0x20) == 'x'))
		return 0;
	return naive_number((struct str){t.p + 1, n - 1}, id, &over) && !over ? n + 1 : 0;
}

/* "(3)'2'(1)": a reference, then pieces of ' and digits or a reference. */
static bool made_of_references(struct str t)
{
	uint64_t id;
	size_t n = reference(t, &id), pieces = 0;

	for (t = str_from(t, n); n && t.n; pieces++) {
		if (t.p[0] != '\'')
			return false;
		t = str_from(t, 1);
		n = reference(t, &id);
		if (!n)
			while (n < t.n && digit(t.p[n]) <= 9)
				n++;
		t = str_from(t, n);
	}
	return n && pieces;
}

static struct str expand(struct naive_state *s, enum space space, struct str t)
{
	char *buf = facts_sure(malloc(EXPANDED_LIMIT));
	struct str out = t;
	bool fits = true;
	size_t n = 0;
	uint64_t id;

	/* An id that nobody knows is odd in a name that is too long, too. */
	while (t.n) {
		size_t len = reference(t, &id);
		struct str piece = len ? id_text(s, space, id) : (struct str){t.p, 1};

		fits = fits && piece.n <= EXPANDED_LIMIT - n;
		if (fits) {
			memcpy(buf + n, piece.p, piece.n);
			n += piece.n;
		}
		t = str_from(t, len ? len : 1);
	}
	if (fits)
		out = arena_str(&s->r->arena, (struct str){buf, n});
	free(buf);
	return out;
}

struct str naive_name(struct naive_state *s, enum space space, struct str v)
{
	uint64_t id;
	size_t n;
	struct str text;
	struct fact *f;

	v = str_trim(v);
	n = reference(v, &id);
	text = str_trim(str_from(v, n));

	if (v.n == 0)
		return STR("???");
	if (n == 0 || (n < v.n && !blank(v.p[n])))
		return v;
	if (text.n == 0)
		return id_text(s, space, id);
	if (space == FN && made_of_references(text))
		text = expand(s, space, text);
	f = id_fact(s, space, id);
	if (!f) {
		f = facts_at(&s->names, facts_key(&s->line, "uu", (uint64_t)space, id));
		facts_grow(&s->text, &s->text_cap, s->names.n, sizeof(*s->text));
	} else if (!str_eq(s->text[f - s->names.at], text)) {
		s->r->odd = true;
	}
	s->text[f - s->names.at] = text;
	return text;
}

/* ---- parts and headers ---- */

/* Calls without calls= are calls if the part, or the text, ends without any calls=. */
void naive_end_lone(struct naive_state *s)
{
	for (size_t i = 0; i < s->nlone; i++) {
		facts_grow(&s->call, &s->call_cap, s->ncall + 1, sizeof(*s->call));
		s->call[s->ncall++] = s->lone[i];
	}
	s->nlone = 0;
}

void naive_end_sums(struct naive_state *s)
{
	struct str v = s->totals.p ? s->totals : s->summary, w;

	s->parts_summed += v.p != NULL;
	for (uint32_t i = 0; v.p && i < s->ncol && (w = naive_word(&v)).n; i++) {
		const bool minus = w.n > 1 && w.p[0] == '-';
		bool over = false;
		uint64_t x;

		if (!naive_number(str_from(w, minus), &x, &over) || over)
			continue;
		if (minus)
			x = x > INT64_MAX ? (uint64_t)INT64_MIN : 0 - x;
		s->sums_of[s->col[i]] = (int64_t)facts_cost_sum(
			(uint64_t)s->sums_of[s->col[i]], x, &over);
	}
	s->totals = s->summary = (struct str){NULL, 0};
}

void naive_begin_part(struct naive_state *s)
{
	naive_end_lone(s);
	naive_end_sums(s);
	s->part_calls = s->cfn_waits = s->fl_said = s->has_own = false;
	s->r->npart++;
	s->any_callgrind |= s->callgrind; /* of the part before */
	memset(s->base, 0, sizeof(s->base));
	s->before = 0;
	s->no_addresses |= s->r->npart > 1 && !s->by_address;
	s->in_body = s->after_totals = s->said = s->in_block = false;
	s->has_ob = s->has_fl = s->has_file = s->has_fn = s->has_cfn = false;
	s->inlined = STR("");
	s->has_cfi = s->has_cob = s->has_jfi = s->has_jfn = false;
	s->ob = s->fl = s->file = s->base_file = s->fn = STR("???");
}

void naive_new_file(struct naive_state *s)
{
	if (s->said)
		naive_begin_part(s);
	facts_free(&s->names);
	s->names = (struct facts){.arena = &s->r->arena, .width = 1};
	memset(s->base, 0, sizeof(s->base));
	s->nsub = 1;
	s->sub[0] = LINE;
	s->ncol = 0;
	s->no_addresses = true;
	s->by_address = false;
	s->before = 0;
	s->callgrind = s->begins = s->xdebug = s->logs = false;
	s->in_body = s->after_totals = false;
}

static uint32_t event_number(struct naive_state *s, struct str e)
{
	for (size_t i = 0; i < s->r->nevent; i++)
		if (str_eq(s->event[i], e))
			return (uint32_t)i;
	facts_grow(&s->event, &s->event_cap, s->r->nevent + 1, sizeof(*s->event));
	s->event[s->r->nevent] = e;
	return (uint32_t)s->r->nevent++;
}

void naive_know_blanks(struct naive_state *s, struct str v)
{
	const struct str name = str_trim((struct str){v.p, str_find(v, ':')});

	if (str_find(name, ' ') == name.n || str_find(name, '=') < name.n)
		return;
	for (size_t i = 0; i < s->nblanks; i++)
		if (str_eq(s->blanks[i], name))
			return;
	if (s->nblanks == NAMES_WITH_BLANKS)
		return;
	facts_grow(&s->blanks, &s->blanks_cap, s->nblanks + 1, sizeof(*s->blanks));
	s->blanks[s->nblanks++] = name;
}

static struct str event_name(struct naive_state *s, struct str *v)
{
	const struct str line = str_trim(*v);
	struct str name = {NULL, 0};
	char *one;

	for (size_t i = 0; i < s->nblanks; i++) {
		const struct str b = s->blanks[i];

		if (b.n > name.n && str_starts(line, b) &&
		    (line.n == b.n || line.p[b.n] == ' '))
			name = b;
	}
	if (!name.n)
		return naive_word(v);
	*v = str_from(line, name.n);
	one = facts_sure(arena_alloc(&s->r->arena, name.n));
	for (size_t k = 0; k < name.n; k++)
		one[k] = name.p[k] == ' ' ? '_' : name.p[k];
	return (struct str){one, name.n};
}

void naive_read_events(struct naive_state *s, struct str v)
{
	struct str w;

	s->any_events = true;
	s->time_unit = 0;
	for (s->ncol = 0; (w = event_name(s, &v)).n && s->ncol < COLUMNS_MAX; s->ncol++) {
		uint32_t e = event_number(s, w);

		for (uint32_t i = 0; i < s->ncol; i++)
			s->r->odd |= s->col[i] == e;
		s->col[s->ncol] = e;
		if (s->xdebug &&
		    (str_eq(w, STR("Time_(10ns)")) || str_eq(w, STR("Time")))) {
			s->time_col = s->ncol;
			s->time_unit = 10;
		}
	}
	s->r->odd |= w.n > 0;
}

/* A word that is not known, or comes again, is a position whose values are skipped. */
static void read_positions(struct naive_state *s, struct str v)
{
	static const char *const names[] = {"instr", "bb", "line"};
	unsigned sub[WORDS_N], n = 0;
	struct str w;

	for (; (w = naive_word(&v)).n && n < WORDS_N; n++) {
		sub[n] = 0;
		while (sub[n] < OTHER && !str_eq(w, str_c(names[sub[n]])))
			sub[n]++;
		if (str_eq(w, STR("addr")))
			sub[n] = INSTR;
		for (unsigned i = 0; i < n; i++)
			if (sub[i] == sub[n])
				sub[n] = OTHER;
		s->r->odd |= sub[n] == OTHER;
	}
	if (n == 0 || w.n) {
		s->r->odd = true;
		return;
	}
	memcpy(s->sub, sub, n * sizeof(*sub));
	s->nsub = n;
}

/* Keys whose value is a number, or one per event. */
static bool is_number(const char *name)
{
	return strchr("st", name[0]) || strncmp(name, "pid", 3) == 0 ||
	       strncmp(name, "part", 4) == 0;
}

static bool is_sums(const char *name)
{
	return strncmp(name, "summary", 7) == 0 || strncmp(name, "totals", 6) == 0;
}

bool naive_header_line(struct naive_state *s, struct str line)
{
	static const struct {
		const char *name;
		bool begins, after_totals;
	} keys[] = {
		{"version:", true, true},    {"creator:", true, false},
		{"pid:", true, false},	     {"part:", true, true},
		{"thread:", true, false},    {"positions:", true, false},
		{"events:", true, false},    {"cmd:", false, false},
		{"desc:", false, false},     {"event:", false, false},
		{"summary:", false, false},  {"totals:", false, false},
		{"summary ", false, false},  {"totals ", false, false},
		{"summary\t", false, false}, {"totals\t", false, false},
	};
	size_t k = 0;
	uint64_t n;
	bool over = false;
	struct str v;

	while (k < sizeof(keys) / sizeof(*keys) && !naive_after(line, keys[k].name, &v))
		k++;
	if (k == sizeof(keys) / sizeof(*keys))
		return false;
	if ((keys[k].begins && s->in_body) || (keys[k].after_totals && s->after_totals))
		naive_begin_part(s);
	v = str_trim(v);
	s->said = true;
	s->r->unsure |= str_starts(line, STR("event:"));
	for (struct str rest = v, w;
	     is_number(keys[k].name) && (w = naive_word(&rest)).n;)
		s->r->unsure |= !naive_number(w, &n, &over) || over ||
				(rest.n && !is_sums(keys[k].name));
	s->after_totals |= keys[k].name[0] == 't' && keys[k].name[1] == 'o';
	if (str_starts(line, STR("creator:"))) {
		s->callgrind = str_starts(v, STR("callgrind-"));
		s->xdebug = str_starts(v, STR("xdebug 3"));
		s->logs = str_starts(v, STR("xdebug"));
		s->begins = s->callgrind || str_eq(v, STR("quern"));
		s->no_addresses |= v.n > 0;
		s->by_address = false;
	}
	s->logs |= str_starts(line, STR("version:")) && str_eq(v, STR("0.9.6"));
	if (str_starts(line, STR("event:")))
		naive_know_blanks(s, v);
	if (str_starts(line, STR("events:"))) {
		naive_read_events(s, v);
		s->by_address = false;
		for (unsigned i = 0; i < s->nsub; i++)
			s->by_address |= s->sub[i] == INSTR && !s->no_addresses &&
					 str_ends(v, STR(")"));
	}
	if (str_starts(line, STR("positions:")))
		read_positions(s, v);
	if (str_starts(line, STR("summary")))
		s->summary = v.n ? v : STR(" ");
	if (str_starts(line, STR("totals")))
		s->totals = v.n ? v : STR(" ");
	if (str_starts(line, STR("desc:")) && str_starts(v, STR("Files compared:")))
		s->difference = true;
	for (struct str w; str_starts(line, STR("summary")) && (w = naive_word(&v)).n;)
		s->difference |= w.p[0] == '-' && !s->logs;
	return true;
}
