/*
 * naive.c - the simple reader; see naive.h.  The rules are those of the format, in the order
 * in which a line is looked at; where a rule is surprising it is said so.
 */
#include "tests/support/naive.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "engine/lang/format.h"

enum space { OBJ, FILES, FN, SPACES_N };
enum { INSTR, BB, LINE, OTHER, SUBS_N, WORDS_N = 32 };
enum wait { NOTHING, A_CALL, A_BAD_CALL, A_JUMP, A_BAD_JUMP };
enum { COLUMNS_MAX = 4096, EXPANDED_LIMIT = 64 << 10 };

struct call {
	struct fn from, to;
	bool defaulted; /* the callee's file was not written */
	struct str file;
	uint64_t instr, line, part, *v;
	uint64_t to_line;   /* where the callee is entered; 0: unknown */
	struct str inlined; /* of a call without calls= */
};

struct jump {
	struct fn from;
	struct str file, to_file, to_name;
	uint64_t at[4], conditional; /* instr and line, of the source and the target */
	uint64_t part;
	uint64_t executed, taken;
};

struct naive_state {
	struct naive *r;
	struct arena line; /* keys and costs of the line at hand */
	struct facts names,
		bodies; /* "space id" -> text; "obj name" -> functions with a body */
	struct str *event, *text; /* text: of names.at[i] */
	struct str *blanks;	  /* names of events with blanks */
	size_t event_cap, text_cap, nblanks, blanks_cap;
	uint32_t col[COLUMNS_MAX], ncol;
	unsigned sub[WORDS_N], nsub;
	uint64_t base[SUBS_N];
	bool xdebug; /* 3 or later: a negative time is divided as if it were unsigned */
	uint64_t time_col, time_unit; /* nanoseconds; 0: there is none */
	bool any_callgrind;
	bool callgrind; /* a call or jump leaves base and file as they were */
	bool begins;	/* the target of a call is where the callee begins */
	bool in_body, after_totals, said;
	bool has_ob, has_fl, has_file, has_fn, has_cfn, has_cfi, has_cob, has_jfi,
		has_jfn;
	struct str base_file; /* of the last cost line, or of fn= */
	struct str ob, fl, file, fn, cfn, cfi, cob, jfi, jfn, inlined;
	bool in_block; /* cur is the function of the lines that follow */
	struct fn cur;
	enum wait wait;
	struct jump jump;
	uint64_t to_line;	  /* of a calls= that waits for its line */
	uint64_t count, all;	  /* all: of every number, to see what might overflow */
	bool fn_waits, cfn_waits; /* fn= has no line yet; cfn= has no calls= yet */
	bool part_calls;	  /* the part has a calls= */
	struct call *call, *lone; /* lone: of cfn= without calls= */
	size_t nlone, lone_cap;
	struct jump *jumps;
	size_t ncall, call_cap, njump, jump_cap;
	bool negative, difference, unread, read, early, any_events;
};

/* ---- pieces of a line ---- */

static bool blank(char c)
{
	return c == ' ' || c == '\t';
}

static struct str word(struct str *s)
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

static bool after(struct str line, const char *prefix, struct str *rest)
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

/* Decimal or 0x; a number above 2^64-1 is that, and *over. */
static bool number(struct str s, uint64_t *out, bool *over)
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
	if (sign == '+' || sign == '-')
		w = str_from(w, 1);
	while (n < w.n && !strchr("+-:", w.p[n] ? w.p[n] : 'x'))
		n++;
	if (n < w.n && !number(str_from(w, n + 1), &end, &over))
		return false;
	over = false;
	w.n = n;
	if (!number(w, &v, &over))
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

/* The declared positions; those that are missing stay at the base. */
static bool positions(const struct naive_state *s, struct str *rest, uint64_t at[SUBS_N],
		      bool *clamped)
{
	memcpy(at, s->base, sizeof(s->base));
	for (unsigned i = 0; i < s->nsub; i++) {
		struct str w = word(rest);
		unsigned k = s->sub[i];
		bool skipped;

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
	return number((struct str){t.p + 1, n - 1}, id, &over) && !over ? n + 1 : 0;
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

/* "(12) name", "(12)", "name" or nothing. */
static struct str name(struct naive_state *s, enum space space, struct str v)
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

static void end_lone(struct naive_state *s);

static void begin_part(struct naive_state *s)
{
	end_lone(s);
	s->part_calls = s->fn_waits = s->cfn_waits = false;
	s->r->npart++;
	s->any_callgrind |= s->callgrind; /* of the part before */
	memset(s->base, 0, sizeof(s->base));
	s->in_body = s->after_totals = s->said = s->in_block = false;
	s->has_ob = s->has_fl = s->has_file = s->has_fn = s->has_cfn = false;
	s->inlined = STR("");
	s->has_cfi = s->has_cob = s->has_jfi = s->has_jfn = false;
	s->ob = s->fl = s->file = s->base_file = s->fn = STR("???");
}

static void new_file(struct naive_state *s)
{
	if (s->said)
		begin_part(s);
	facts_free(&s->names);
	s->names = (struct facts){.arena = &s->r->arena, .width = 1};
	memset(s->base, 0, sizeof(s->base));
	s->nsub = 1;
	s->sub[0] = LINE;
	s->ncol = 0;
	s->callgrind = s->begins = s->xdebug = false;
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

/* The names of event: lines with blanks in them, which are one event with _ for blanks. */
static void know_blanks(struct naive_state *s, struct str v)
{
	const struct str name = str_trim((struct str){v.p, str_find(v, ':')});

	if (str_find(name, ' ') == name.n || str_find(name, '=') < name.n)
		return;
	facts_grow(&s->blanks, &s->blanks_cap, s->nblanks + 1, sizeof(*s->blanks));
	s->blanks[s->nblanks++] = name;
}

static struct str event_name(struct naive_state *s, struct str *v)
{
	const struct str line = str_trim(*v);

	for (size_t i = 0; i < s->nblanks; i++) {
		const struct str name = s->blanks[i];
		char *one;

		if (!str_starts(line, name) || (line.n > name.n && line.p[name.n] != ' '))
			continue;
		*v = str_from(line, name.n);
		one = facts_sure(arena_alloc(&s->r->arena, name.n));
		for (size_t k = 0; k < name.n; k++)
			one[k] = name.p[k] == ' ' ? '_' : name.p[k];
		return (struct str){one, name.n};
	}
	return word(v);
}

static void read_events(struct naive_state *s, struct str v)
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

	for (; (w = word(&v)).n && n < WORDS_N; n++) {
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

static bool header_line(struct naive_state *s, struct str line)
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

	while (k < sizeof(keys) / sizeof(*keys) && !after(line, keys[k].name, &v))
		k++;
	if (k == sizeof(keys) / sizeof(*keys))
		return false;
	if ((keys[k].begins && s->in_body) || (keys[k].after_totals && s->after_totals))
		begin_part(s);
	v = str_trim(v);
	s->said = true;
	s->r->unsure |= str_starts(line, STR("event:"));
	for (struct str rest = v, w; is_number(keys[k].name) && (w = word(&rest)).n;)
		s->r->unsure |= !number(w, &n, &over) || over ||
				(rest.n && !is_sums(keys[k].name));
	s->after_totals |= keys[k].name[0] == 't' && keys[k].name[1] == 'o';
	if (str_starts(line, STR("creator:")))
		s->callgrind = str_starts(v, STR("callgrind-"));
	if (str_starts(line, STR("creator:")))
		s->xdebug = str_starts(v, STR("xdebug 3"));
	if (str_starts(line, STR("creator:")))
		s->begins = s->callgrind || str_eq(v, STR("quern"));
	if (str_starts(line, STR("event:")))
		know_blanks(s, v);
	if (str_starts(line, STR("events:")))
		read_events(s, v);
	if (str_starts(line, STR("positions:")))
		read_positions(s, v);
	if (str_starts(line, STR("desc:")) && str_starts(v, STR("Files compared:")))
		s->difference = true;
	for (struct str w; str_starts(line, STR("summary")) && (w = word(&v)).n;)
		s->difference |= w.p[0] == '-';
	return true;
}

/* ---- the body ---- */

static struct fn current(struct naive_state *s)
{
	if (!s->in_block)
		s->cur = (struct fn){s->ob, s->has_fl ? s->fl : s->file, s->fn};
	s->in_block = true;
	return s->cur;
}

static void has_body(struct naive_state *s, struct fn f)
{
	struct arena *a = &s->line;

	if (facts_find(&s->bodies, facts_key(a, "f", f)))
		return;
	facts_at(&s->bodies, facts_key(a, "f", f));
	facts_at(&s->bodies, facts_key(a, "ss", f.obj, f.name))->v[0]++;
}

static void end_call(struct naive_state *s)
{
	s->has_cfi = s->has_cob = false;
}

/* Something that is not the line which a calls= or jump= waits for. */
static void drop(struct naive_state *s)
{
	if (s->wait == A_CALL || s->wait == A_BAD_CALL)
		end_call(s);
	if (s->wait == A_JUMP || s->wait == A_BAD_JUMP)
		s->has_jfi = s->has_jfn = false;
	s->r->odd |= s->wait != NOTHING;
	if (s->wait != NOTHING)
		s->file = s->base_file;
	s->wait = NOTHING;
}

static void take_call(struct naive_state *s, uint64_t instr, uint64_t line,
		      const uint64_t *v)
{
	struct call *c;

	facts_grow(&s->call, &s->call_cap, s->ncall + 1, sizeof(*s->call));
	c = &s->call[s->ncall++];
	*c = (struct call){
		current(s),
		{s->has_cob ? s->cob : s->ob, s->has_cfi ? s->cfi : s->base_file, s->cfn},
		!s->has_cfi,
		s->file,
		instr,
		line,
		s->r->npart - 1,
		facts_sure(ARENA_ARRAY(&s->r->arena, uint64_t, s->r->facts.width)),
		s->begins && s->to_line <= UINT32_MAX ? s->to_line : 0,
		STR("")};
	memcpy(c->v, v, s->r->facts.width * sizeof(*v));
	has_body(s, c->from);
	end_call(s);
}

/* A cfn= and a cost line without calls=: a call in a part that has no calls= at all. */
static void take_lone(struct naive_state *s, uint64_t instr, uint64_t line,
		      const uint64_t *v)
{
	const size_t n = s->ncall;

	take_call(s, instr, line, v);
	s->call[n].inlined = s->inlined;
	s->call[n].to_line = 0;
	facts_grow(&s->lone, &s->lone_cap, s->nlone + 1, sizeof(*s->lone));
	s->lone[s->nlone++] = s->call[n];
	s->ncall = n;
}

static void end_lone(struct naive_state *s)
{
	for (size_t i = 0; i < s->nlone; i++) {
		facts_grow(&s->call, &s->call_cap, s->ncall + 1, sizeof(*s->call));
		s->call[s->ncall++] = s->lone[i];
	}
	s->nlone = 0;
}

static void take_jump(struct naive_state *s, uint64_t instr, uint64_t line)
{
	struct jump *j = &s->jump;

	facts_grow(&s->jumps, &s->jump_cap, s->njump + 1, sizeof(*s->jumps));
	j->from = current(s);
	j->file = s->file;
	j->to_file = s->has_jfi ? s->jfi : s->base_file;
	j->to_name = s->has_jfn ? s->jfn : j->from.name;
	j->at[0] = instr;
	j->at[1] = line;
	j->part = s->r->npart - 1;
	s->jumps[s->njump++] = *j;
	s->has_jfi = s->has_jfn = false;
}

/* As an index has it. */
static struct str inlined_file(struct arena *a, struct str file, struct str name)
{
	char *p = arena_alloc(a, file.n + name.n + 2);

	if (!p)
		abort();
	p[0] = '\n';
	if (file.n)
		memcpy(p + 1, file.p, file.n);
	p[1 + file.n] = '\n';
	memcpy(p + 2 + file.n, name.p, name.n);
	return (struct str){p, file.n + name.n + 2};
}

static void take_cost(struct naive_state *s, uint64_t instr, uint64_t line, uint64_t *v)
{
	struct fn f = current(s);
	struct arena *a = &s->line;
	bool *odd = &s->r->odd;
	uint64_t part = s->r->npart - 1;
	struct str file = s->file;

	if (s->inlined.n)
		file = inlined_file(a, file, s->inlined);
	has_body(s, f);
	facts_count(&s->r->facts, facts_key(a, "Lfsuu", f, file, instr, line), v, odd);
	facts_count(&s->r->facts, facts_key(a, "PuLfsuu", part, f, file, instr, line), v,
		    odd);
	facts_count(&s->r->facts, facts_key(a, "Ff", f), v, odd);
	facts_count(&s->r->facts, facts_key(a, "Pu", part), v, odd);
	facts_count(&s->r->facts, facts_key(a, "Puf", part, f), v, odd);
	facts_count(&s->r->facts, facts_key(a, "T"), v, odd);
}

/* The part has a calls=: those without one are cost lines. */
static void drop_lone(struct naive_state *s)
{
	const struct fn cur = s->cur;
	const bool in_block = s->in_block;
	const struct str file = s->file, inlined = s->inlined;

	s->part_calls = true;
	s->r->odd |= s->nlone > 0;
	for (size_t i = 0; i < s->nlone; i++) {
		struct call *c = &s->lone[i];

		s->in_block = true;
		s->cur = c->from;
		s->file = c->file;
		s->inlined = c->inlined;
		take_cost(s, c->instr, c->line, c->v);
	}
	s->nlone = 0;
	s->cur = cur;
	s->in_block = in_block;
	s->file = file;
	s->inlined = inlined;
}

/* The bits of the cost w, of column n; false if it is none. */
static bool cost_of(const struct naive_state *s, struct str w, uint32_t n, uint64_t *out,
		    bool *over)
{
	const bool minus = w.p[0] == '-';
	uint64_t x = 0;
	bool big = false;

	*out = 0;
	if (str_eq(w, STR(".")))
		return true;
	if (!number(str_from(w, minus), &x, &big))
		return false;
	*over |= big || (minus && x > (uint64_t)1 << 63);
	if (minus)
		*out = x > (uint64_t)1 << 63 ? (uint64_t)1 << 63 : 0 - x;
	else if (big)
		*out = INT64_MAX;
	else if (s->time_unit && n == s->time_col &&
		 x >= ((uint64_t)1 << 63) / s->time_unit &&
		 x <= UINT64_MAX / s->time_unit)
		*out = x - UINT64_MAX / s->time_unit; /* (2^64 - n) / unit */
	else
		*out = x; /* or 2^64 - n */
	return true;
}

static void cost_line(struct naive_state *s, struct str line)
{
	uint64_t at[SUBS_N],
		*v = facts_sure(ARENA_ARRAY(&s->line, uint64_t, s->r->facts.width));
	bool clamped = false, over = false, bad, negative = false, lone;
	struct str rest = line, w;
	uint32_t n = 0;

	s->in_body = true;
	if (s->ncol == 0) {
		s->early |= !s->any_events;
		s->r->odd = true;
		drop(s);
		return;
	}
	bad = !positions(s, &rest, at, &clamped);
	for (; !bad && (w = word(&rest)).n; n++) {
		uint64_t x;

		bad = !cost_of(s, w, n, &x, &over);
		negative |= !bad && x >> 63;
		if (s->callgrind && x >> 63)
			x = 0;
		if (n < s->ncol)
			v[1 + s->col[n]] = facts_cost_sum(v[1 + s->col[n]], x, &over);
	}
	s->r->odd |= bad || clamped || over || (negative && s->callgrind) || n > s->ncol;
	s->negative |= negative && !bad;
	s->unread |= bad;
	if (bad) {
		drop(s);
		return;
	}
	if (s->wait == NOTHING || !s->callgrind)
		memcpy(s->base, at, sizeof(at));
	lone = s->wait == NOTHING && s->cfn_waits && !s->part_calls;
	if (s->wait == NOTHING && s->cfn_waits && s->part_calls) {
		s->r->odd = true;
		end_call(s);
	}
	if (s->wait == NOTHING)
		s->cfn_waits = false;
	if (s->wait == NOTHING && !lone)
		s->base_file = s->file;
	if (s->wait != A_BAD_CALL && s->wait != A_BAD_JUMP)
		s->fn_waits = false;
	s->read = true;
	if (s->wait == A_CALL)
		v[0] = s->count;
	for (size_t i = 0; i <= s->r->nevent; i++)
		s->all = facts_sum(s->all, i && v[i] >> 63 ? 0 - v[i] : v[i],
				   &s->r->unsure);
	s->r->unsure |= s->all > INT64_MAX;
	s->r->mixed = s->negative && s->all > INT64_MAX;
	if (lone)
		take_lone(s, at[INSTR], at[LINE], v);
	else if (s->wait == A_CALL)
		take_call(s, at[INSTR], at[LINE], v);
	else if (s->wait == A_JUMP)
		take_jump(s, at[INSTR], at[LINE]);
	else if (s->wait == NOTHING)
		take_cost(s, at[INSTR], at[LINE], v);
	else if (s->wait == A_BAD_CALL)
		end_call(s);
	else
		s->has_jfi = s->has_jfn = false;
	s->file = s->base_file;
	s->wait = NOTHING;
}

static void calls_line(struct naive_state *s, struct str v)
{
	uint64_t at[SUBS_N];
	bool over = false, clamped = false;
	struct str words = v;
	unsigned n = 0;

	while (word(&words).n)
		n++;
	drop_lone(s);
	s->cfn_waits = false;
	s->wait = A_CALL;
	s->to_line = 0;
	if (!number(word(&v), &s->count, &over) || !positions(s, &v, at, &clamped)) {
		s->r->odd = true;
		s->wait = A_BAD_CALL;
	} else if (!s->has_cfn) {
		s->r->odd = true;
		s->wait = A_BAD_CALL;
		end_call(s);
	} else if (n > s->nsub) {
		s->to_line = at[LINE];
	}
	s->r->odd |= over;
}

static void jump_line(struct naive_state *s, struct str v, bool conditional)
{
	struct str w = word(&v);
	size_t slash = conditional ? str_find(w, '/') : w.n;
	struct jump *j = &s->jump;
	uint64_t at[SUBS_N];
	bool over = false, ok;

	if (slash < w.n) /* taken/executed */
		ok = number((struct str){w.p, slash}, &j->taken, &over) &&
		     number(str_from(w, slash + 1), &j->executed, &over);
	else
		ok = number(w, &j->executed, &over) &&
		     (!conditional || number(word(&v), &j->taken, &over));
	if (!conditional)
		j->taken = j->executed;
	ok = ok && positions(s, &v, at, &over);
	s->wait = ok ? A_JUMP : A_BAD_JUMP;
	s->r->odd |= !ok;
	j->conditional = conditional;
	if (ok) {
		j->at[2] = at[INSTR];
		j->at[3] = at[LINE];
	}
}

static bool spec_line(struct naive_state *s, struct str line)
{
	struct str v;

	if (after(line, "fn=", &v)) {
		s->fn = name(s, FN, v);
		if (s->has_fl)
			s->file = s->fl;
		s->base_file = s->file;
		s->in_block = s->has_jfi = s->has_jfn = false;
		s->inlined = STR("");
		s->fn_waits = true;
		s->cfn_waits = false;
		end_call(s);
	} else if (after(line, "fl=", &v)) {
		s->fl = s->file = s->base_file = name(s, FILES, v);
		if (!s->fn_waits)
			s->fn = STR("???");
		s->cfn_waits = false;
		s->has_fl = true;
		s->in_block = false;
		s->inlined = STR("");
	} else if (after(line, "fi=", &v) || after(line, "fe=", &v)) {
		s->file = name(s, FILES, v);
		if (!s->callgrind)
			s->base_file = s->file;
	} else if (after(line, "ob=", &v)) {
		s->ob = name(s, OBJ, v);
	} else if (after(line, "cfn=", &v)) {
		s->cfn = name(s, FN, v);
		s->has_cfn = s->cfn_waits = true;
	} else if (after(line, "cfi=", &v) || after(line, "cfl=", &v)) {
		s->cfi = name(s, FILES, v);
		s->has_cfi = true;
	} else if (after(line, "cob=", &v)) {
		s->cob = name(s, OBJ, v);
		s->has_cob = true;
	} else if (after(line, "cfni=", &v)) {
		s->inlined = name(s, FN, v);
		if (str_eq(s->inlined, STR("???")))
			s->inlined = STR("");
	} else if (after(line, "jfi=", &v)) {
		s->jfi = name(s, FILES, v);
		s->has_jfi = true;
	} else if (after(line, "jfn=", &v)) {
		s->jfn = name(s, FN, v);
		s->has_jfn = true;
	} else if (after(line, "calls=", &v) || after(line, "rcalls=", &v)) {
		calls_line(s, v);
	} else if (after(line, "jump=", &v)) {
		jump_line(s, v, false);
	} else if (after(line, "jcnd=", &v)) {
		jump_line(s, v, true);
	} else {
		return false;
	}
	s->in_body = s->said = true;
	return true;
}

static void one_line(struct naive_state *s, struct str line)
{
	arena_reset(&s->line);
	line = str_trim(line); /* the CR of a CRLF too */
	if (line.n == 0 || line.p[0] == '#')
		return;
	if (strchr("0123456789+-*", line.p[0] ? line.p[0] : 'x')) {
		cost_line(s, line);
		return;
	}
	drop(s);
	if (spec_line(s, line) || header_line(s, line))
		return;
	if (str_starts(line, STR("==== NEW PROFILING FILE")))
		new_file(s);
	else
		s->r->odd = true;
}

/* ---- the whole ---- */

/* Events of all parts are counted first, so that every fact has room for them. */
static void each_line(struct naive_state *s, const char *p, size_t n, bool events_only)
{
	s->nblanks = 0;
	for (struct str rest = {p, n}; rest.n;) {
		size_t end = str_find(rest, '\n');
		struct str line = str_trim((struct str){rest.p, end}), v;

		if (!events_only)
			one_line(s, line);
		else if (after(line, "event:", &v))
			know_blanks(s, v);
		else if (after(line, "events:", &v))
			read_events(s, str_trim(v));
		rest = str_from(rest, end + 1);
	}
}

/* A callee of a file that was only a default, and that has no such function: the only one of
 * that name in the object, if there is one. */
static struct fn callee(struct naive_state *s, const struct call *c)
{
	struct arena *a = &s->line;
	struct fact *same =
		facts_find(&s->bodies, facts_key(a, "ss", c->to.obj, c->to.name));
	struct str ends = facts_key(a, "s", c->to.name),
		   starts = facts_key(a, "s", c->to.obj);

	if (!c->defaulted || facts_find(&s->bodies, facts_key(a, "f", c->to)) || !same ||
	    same->v[0] != 1)
		return c->to;
	for (size_t i = 0; i < s->bodies.n; i++) {
		struct str k = s->bodies.at[i].key;

		if (!s->bodies.at[i].v[0] && str_starts(k, starts) && str_ends(k, ends) &&
		    k.n > starts.n + ends.n) {
			struct str file = {k.p + starts.n, k.n - starts.n - ends.n - 1};

			if (str_find(file, '\n') == file.n)
				return (struct fn){c->to.obj, file, c->to.name};
		}
	}
	return c->to;
}

/* The name of the function that a jump goes to: there may be none of that in the object. */
static struct str jump_target(struct naive_state *s, const struct jump *j)
{
	struct str key = facts_key(&s->line, "ss", j->from.obj, j->to_name);

	if (facts_find(&s->bodies, key) ||
	    facts_find(&s->bodies, facts_key(&s->line, "Nss", j->from.obj, j->to_name)))
		return j->to_name;
	return j->from.name;
}

/* Whether a call whose file was not written goes to this function, which has no block, and
 * could go to one of several that have. */
static bool unclear(struct naive_state *s, struct fn f)
{
	const struct fact *same =
		facts_find(&s->bodies, facts_key(&s->line, "ss", f.obj, f.name));

	for (size_t i = 0; same && same->v[0] > 1 && i < s->ncall; i++)
		if (s->call[i].defaulted &&
		    str_eq(facts_key(&s->line, "f", s->call[i].to),
			   facts_key(&s->line, "f", f)))
			return true;
	return false;
}

/* A function without a block has the costs of the calls into it, at line 0 of its file. */
static void count_calls_only(struct naive_state *s, const struct call *c)
{
	struct arena *a = &s->line;
	uint64_t none = 0;
	bool *odd = &s->r->odd;

	struct fn cut = c->to;

	cut.name.n = str_find(cut.name, ' ');
	if (facts_find(&s->bodies, facts_key(a, "f", c->to)) ||
	    facts_find(&s->bodies, facts_key(a, "f", cut)) || unclear(s, c->to))
		return;
	c->v[0] = 0; /* the calls are counted already */
	facts_count(&s->r->facts, facts_key(a, "Lfsuu", c->to, c->to.file, none, none),
		    c->v, odd);
	facts_count(&s->r->facts,
		    facts_key(a, "PuLfsuu", c->part, c->to, c->to.file, none, none), c->v,
		    odd);
	facts_count(&s->r->facts, facts_key(a, "Ff", c->to), c->v, odd);
	facts_count(&s->r->facts, facts_key(a, "Pu", c->part), c->v, odd);
	facts_count(&s->r->facts, facts_key(a, "Puf", c->part, c->to), c->v, odd);
	facts_count(&s->r->facts, facts_key(a, "T"), c->v, odd);
}

static void settle(struct naive_state *s)
{
	struct facts *t = &s->r->facts;
	struct arena *a = &s->line;
	bool *odd = &s->r->odd;

	for (size_t i = 0; i < s->ncall; i++) {
		struct call *c = &s->call[i];
		struct fn to = c->to = callee(s, c);

		arena_reset(a);
		facts_at(t, facts_key(a, "Ff", c->from));
		facts_at(t, facts_key(a, "Ff", to));
		if (c->to_line) {
			struct fact *f = facts_at(t, facts_key(a, "Bf", to));

			if (!f->v[0] || c->to_line < f->v[0])
				f->v[0] = c->to_line;
		}
		facts_count(t, facts_key(a, "Eff", c->from, to), c->v, odd);
		facts_count(
			t,
			facts_key(a, "Effsuu", c->from, to, c->file, c->instr, c->line),
			c->v, odd);
		facts_count(t, facts_key(a, "Puff", c->part, c->from, to), c->v, odd);
		facts_count(t,
			    facts_key(a, "PuEffsuu", c->part, c->from, to, c->file,
				      c->instr, c->line),
			    c->v, odd);
	}
	for (size_t i = 0; i < s->ncall && !s->any_callgrind; i++) {
		arena_reset(a);
		count_calls_only(s, &s->call[i]);
	}
	for (size_t i = 0; i < s->ncall; i++) {
		struct call *c = &s->call[i];

		arena_reset(a);
		facts_at(&s->bodies, facts_key(a, "Nss", c->from.obj, c->from.name));
		facts_at(&s->bodies, facts_key(a, "Nss", c->to.obj, c->to.name));
	}
	for (size_t i = 0; i < s->njump; i++) {
		struct jump *j = &s->jumps[i];
		struct fact *f;

		arena_reset(a);
		if (!facts_find(t, facts_key(a, "Ff", j->from)))
			continue;
		for (int k = 0; k < 2; k++) {
			struct str to =
				facts_key(a, "Jfsuussuuu", j->from, j->file, j->at[0],
					  j->at[1], j->to_file, jump_target(s, j),
					  j->at[2], j->at[3], j->conditional);

			f = facts_at(t, k ? facts_in_part(a, j->part, to) : to);
			f->v[0] = facts_sum(f->v[0], j->executed, odd);
			f->v[1] = facts_sum(f->v[1], j->taken, odd);
		}
	}
	facts_at(t, facts_key(a, "T"));
	for (size_t i = 0; i < t->n; i++)
		s->r->nfn += t->at[i].key.p[0] == 'F';
	for (size_t i = 0; i < s->r->nevent; i++)
		facts_at(t, facts_key(a, "Vus", (uint64_t)i, s->event[i]));
}

/* gzip, bzip2, xz, zstd, lz4 */
static bool packed(struct str s)
{
	return str_starts(s, STR("\x1f\x8b")) || str_starts(s, STR("BZh")) ||
	       str_starts(s, STR("\xfd"
				 "7zXZ\0")) ||
	       str_starts(s, STR("\x28\xb5\x2f\xfd")) ||
	       str_starts(s, STR("\x04\x22\x4d\x18"));
}

void naive_read(struct naive *r, const char *text, size_t n)
{
	struct naive_state s = {.r = r, .nsub = 1, .sub = {LINE}};

	*r = (struct naive){.npart = 0};
	arena_init(&r->arena, 0);
	arena_init(&s.line, 0);
	s.names = s.bodies = (struct facts){.arena = &r->arena, .width = 1};
	each_line(&s, text, n, true);
	r->facts = (struct facts){.arena = &r->arena, .width = r->nevent + 2};
	r->odd = s.any_events = false;
	s.ncol = 0;
	begin_part(&s);
	each_line(&s, text, n, false);
	drop(&s);
	end_lone(&s);
	s.any_callgrind |= s.callgrind;
	settle(&s);
	if (n == 0)
		r->refused = "empty";
	else if (packed((struct str){text, n}))
		r->refused = "compressed";
	else if (r->nevent == 0 || s.early)
		r->refused = "no events: before the first cost line";
	else if (s.negative && s.difference)
		r->refused = "a difference";
	else if (s.unread && !s.read)
		r->refused = "no cost line can be read";
	facts_free(&s.names);
	facts_free(&s.bodies);
	arena_free(&s.line);
	free(s.event);
	free(s.blanks);
	free(s.text);
	free(s.call);
	free(s.jumps);
	free(s.lone);
}

void naive_free(struct naive *r)
{
	facts_free(&r->facts);
	arena_free(&r->arena);
}
