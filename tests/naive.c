/*
 * naive.c - the simple reader; see naive.h.  The rules are those of the format, in the order
 * in which a line is looked at; where a rule is surprising it is said so.
 */
#include "index/part_lines.h"
#include "tests/naive.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "index/base/vec.h"

enum space { OBJ, FILES, FN, SPACES_N };
enum { INSTR, BB, LINE, SUBS_N };
enum wait { NOTHING, A_CALL, A_BAD_CALL, A_JUMP, A_BAD_JUMP };
enum { COLUMNS_MAX = 4096, EXPANDED_LIMIT = 64 << 10, AGAIN = 3 };

struct fn {
	struct str obj, file, name;
};

struct call {
	struct fn from, to;
	bool defaulted; /* the callee's file was not written */
	struct str file;
	uint64_t instr, line, part, *v;
};

struct jump {
	struct fn from;
	struct str file, to_file;
	uint64_t at[4], conditional; /* instr and line, of the source and the target */
	uint64_t part;
	uint64_t executed, taken;
};

struct naive_state {
	struct naive *r;
	struct facts names,
		bodies; /* "space id" -> text; "obj name" -> functions with a body */
	struct str *event, *text; /* text: of names.at[i] */
	size_t event_cap, text_cap;
	uint32_t col[COLUMNS_MAX], ncol;
	unsigned sub[SUBS_N], nsub;
	uint64_t base[SUBS_N];
	bool in_body, after_totals, said;
	bool has_ob, has_fl, has_file, has_fn, has_cfn, has_cfi, has_cob, has_jfi;
	struct str ob, fl, file, fn, cfn, cfi, cob, jfi;
	bool in_block; /* cur is the function of the lines that follow */
	struct fn cur;
	enum wait wait;
	struct jump jump;
	uint64_t count, all; /* all: of every number, to see what might overflow */
	struct call *call;
	struct jump *jumps;
	size_t ncall, call_cap, njump, jump_cap;
	bool negative, difference, unread, read, early, any_events;
};

/* ---- facts ---- */

static void *sure(void *p)
{
	if (!p)
		abort();
	return p;
}

static void grow(void *pp, size_t *cap, size_t need, size_t size)
{
	if (vec_reserve(pp, cap, need, size))
		abort();
}

/* A key: 's' a string, 'f' a function, 'u' a number, other letters stand for themselves. */
static struct str key(struct arena *a, const char *shape, ...)
{
	char *buf = NULL;
	size_t n = 0, cap = 0;
	struct str out;
	va_list ap;

	va_start(ap, shape);
	for (const char *c = shape; *c; c++) {
		struct str s[3] = {{c, 1}};
		size_t parts = 1;
		char number[24];

		if (*c == 's') {
			s[0] = va_arg(ap, struct str);
		} else if (*c == 'f') {
			struct fn f = va_arg(ap, struct fn);

			s[0] = f.obj;
			s[1] = f.file;
			s[2] = f.name;
			parts = 3;
		} else if (*c == 'u') {
			snprintf(number, sizeof(number), "%" PRIu64,
				 va_arg(ap, uint64_t));
			s[0] = str_c(number);
		}
		for (size_t i = 0; i < parts; i++) {
			grow(&buf, &cap, n + s[i].n + 1, 1);
			if (s[i].n)
				memcpy(buf + n, s[i].p, s[i].n);
			n += s[i].n;
			buf[n++] = '\n'; /* in no name */
		}
	}
	va_end(ap);
	out = arena_str(a, (struct str){buf, n});
	sure((void *)(uintptr_t)out.p);
	free(buf);
	return out;
}

/* The key of the same thing inside one part. */
static struct str in_part(struct arena *a, uint64_t part, struct str k)
{
	struct str p = key(a, "Pu", part);
	char *buf = sure(arena_alloc(a, p.n + k.n));

	memcpy(buf, p.p, p.n);
	memcpy(buf + p.n, k.p, k.n);
	return (struct str){buf, p.n + k.n};
}

static struct fact *find(const struct facts *t, struct str k)
{
	uint32_t h = (uint32_t)str_hash(k), probe = hash_start(&t->by, h), i;

	while ((i = hash_next(&t->by, h, &probe)) != HASH_NONE)
		if (str_eq(t->at[i].key, k))
			return &t->at[i];
	return NULL;
}

static struct fact *fact(struct facts *t, struct str k)
{
	struct fact *f = find(t, k);

	if (f)
		return f;
	grow(&t->at, &t->cap, t->n + 1, sizeof(*t->at));
	t->at[t->n] = (struct fact){k, sure(ARENA_ARRAY(t->arena, uint64_t, t->width))};
	if (hash_add(&t->by, (uint32_t)str_hash(k), (uint32_t)t->n))
		abort();
	return &t->at[t->n++];
}

static uint64_t add(uint64_t a, uint64_t b, bool *over)
{
	*over |= a > UINT64_MAX - b;
	return a > UINT64_MAX - b ? UINT64_MAX : a + b;
}

static void count(struct facts *t, struct str k, const uint64_t *v, bool *over)
{
	struct fact *f = fact(t, k);

	for (size_t i = 0; i < t->width; i++)
		f->v[i] = add(f->v[i], v[i], over);
}

static void facts_free(struct facts *t)
{
	free(t->at);
	hash_free(&t->by);
}

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
		*out = add(sign == '+' ? base : 0, v, &over);
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

		if (w.n && !position(w, s->base[s->sub[i]], &at[s->sub[i]], clamped))
			return false;
	}
	return true;
}

/* ---- names ---- */

static struct fact *id_fact(struct naive_state *s, enum space space, uint64_t id)
{
	return find(&s->names, key(&s->r->arena, "uu", (uint64_t)space, id));
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
	char *buf = sure(malloc(EXPANDED_LIMIT));
	struct str out = t;
	size_t n = 0;
	uint64_t id;

	while (t.n) {
		size_t len = reference(t, &id);
		struct str piece = len ? id_text(s, space, id) : (struct str){t.p, 1};

		if (piece.n > EXPANDED_LIMIT - n) {
			free(buf);
			return out;
		}
		memcpy(buf + n, piece.p, piece.n);
		n += piece.n;
		t = str_from(t, len ? len : 1);
	}
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
		f = fact(&s->names, key(&s->r->arena, "uu", (uint64_t)space, id));
		grow(&s->text, &s->text_cap, s->names.n, sizeof(*s->text));
	} else if (!str_eq(s->text[f - s->names.at], text)) {
		s->r->odd = true;
	}
	s->text[f - s->names.at] = text;
	return text;
}

/* ---- parts and headers ---- */

static void begin_part(struct naive_state *s)
{
	s->r->npart++;
	memset(s->base, 0, sizeof(s->base));
	s->in_body = s->after_totals = s->said = s->in_block = false;
	s->has_ob = s->has_fl = s->has_file = s->has_fn = s->has_cfn = false;
	s->has_cfi = s->has_cob = s->has_jfi = false;
	s->ob = s->fl = s->file = s->fn = STR("???");
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
	s->in_body = s->after_totals = false;
}

static uint32_t event_number(struct naive_state *s, struct str e)
{
	for (size_t i = 0; i < s->r->nevent; i++)
		if (str_eq(s->event[i], e))
			return (uint32_t)i;
	grow(&s->event, &s->event_cap, s->r->nevent + 1, sizeof(*s->event));
	s->event[s->r->nevent] = e;
	return (uint32_t)s->r->nevent++;
}

static void read_events(struct naive_state *s, struct str v)
{
	struct str w;

	s->any_events = true;
	for (s->ncol = 0; (w = word(&v)).n && s->ncol < COLUMNS_MAX; s->ncol++) {
		uint32_t e = event_number(s, w);

		for (uint32_t i = 0; i < s->ncol; i++)
			s->r->odd |= s->col[i] == e;
		s->col[s->ncol] = e;
	}
	s->r->odd |= w.n > 0;
}

static void read_positions(struct naive_state *s, struct str v)
{
	static const char *const names[] = {"instr", "bb", "line"};
	unsigned sub[SUBS_N], n = 0, k = 0;
	struct str w;

	for (; (w = word(&v)).n; sub[n++] = k++) {
		while (k < SUBS_N && !str_eq(w, str_c(names[k])))
			k++;
		if (k == SUBS_N)
			break;
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
	struct arena *a = &s->r->arena;

	if (find(&s->bodies, key(a, "f", f)))
		return;
	fact(&s->bodies, key(a, "f", f));
	fact(&s->bodies, key(a, "ss", f.obj, f.name))->v[0]++;
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
		s->has_jfi = false;
	s->r->odd |= s->wait != NOTHING;
	s->wait = NOTHING;
}

static void take_call(struct naive_state *s, uint64_t instr, uint64_t line, uint64_t *v)
{
	struct call *c;

	grow(&s->call, &s->call_cap, s->ncall + 1, sizeof(*s->call));
	c = &s->call[s->ncall++];
	*c = (struct call){
		current(s),
		{s->has_cob ? s->cob : s->ob, s->has_cfi ? s->cfi : s->file, s->cfn},
		!s->has_cfi,
		s->file,
		instr,
		line,
		s->r->npart - 1,
		v};
	has_body(s, c->from);
	end_call(s);
}

static void take_jump(struct naive_state *s, uint64_t instr, uint64_t line)
{
	struct jump *j = &s->jump;

	grow(&s->jumps, &s->jump_cap, s->njump + 1, sizeof(*s->jumps));
	j->from = current(s);
	j->file = s->file;
	j->to_file = s->has_jfi ? s->jfi : s->file;
	j->at[0] = instr;
	j->at[1] = line;
	j->part = s->r->npart - 1;
	s->jumps[s->njump++] = *j;
	s->has_jfi = false;
}

static void take_cost(struct naive_state *s, uint64_t instr, uint64_t line, uint64_t *v)
{
	struct fn f = current(s);
	struct arena *a = &s->r->arena;
	bool *odd = &s->r->odd;
	uint64_t part = s->r->npart - 1;

	has_body(s, f);
	count(&s->r->facts, key(a, "Lfsuu", f, s->file, instr, line), v, odd);
	count(&s->r->facts, key(a, "PuLfsuu", part, f, s->file, instr, line), v, odd);
	count(&s->r->facts, key(a, "Ff", f), v, odd);
	count(&s->r->facts, key(a, "Pu", part), v, odd);
	count(&s->r->facts, key(a, "Puf", part, f), v, odd);
	count(&s->r->facts, key(a, "T"), v, odd);
}

static void cost_line(struct naive_state *s, struct str line)
{
	uint64_t at[SUBS_N],
		*v = sure(ARENA_ARRAY(&s->r->arena, uint64_t, s->r->facts.width));
	bool clamped = false, over = false, bad, negative = false;
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
		bool minus = w.p[0] == '-';
		uint64_t x = 0;

		if (!str_eq(w, STR(".")))
			bad = !number(str_from(w, minus), &x, &over);
		negative |= minus && x;
		if (n < s->ncol && !minus)
			v[1 + s->col[n]] = add(v[1 + s->col[n]], x, &over);
	}
	s->r->odd |= bad || clamped || over || negative || n > s->ncol;
	s->negative |= negative && !bad;
	s->unread |= bad;
	if (bad) {
		drop(s);
		return;
	}
	memcpy(s->base, at, sizeof(at));
	s->read = true;
	if (s->wait == A_CALL)
		v[0] = s->count;
	for (size_t i = 0; i <= s->r->nevent; i++)
		s->all = add(s->all, v[i], &s->r->unsure);
	if (s->wait == A_CALL)
		take_call(s, at[INSTR], at[LINE], v);
	else if (s->wait == A_JUMP)
		take_jump(s, at[INSTR], at[LINE]);
	else if (s->wait == NOTHING)
		take_cost(s, at[INSTR], at[LINE], v);
	else if (s->wait == A_BAD_CALL)
		end_call(s);
	else
		s->has_jfi = false;
	s->wait = NOTHING;
}

static void calls_line(struct naive_state *s, struct str v)
{
	uint64_t at[SUBS_N];
	bool over = false, clamped = false;

	s->wait = A_CALL;
	if (!number(word(&v), &s->count, &over) || !positions(s, &v, at, &clamped)) {
		s->r->odd = true;
		s->wait = A_BAD_CALL;
	} else if (!s->has_cfn) {
		s->r->odd = true;
		s->wait = A_BAD_CALL;
		end_call(s);
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
		s->in_block = s->has_jfi = false;
		end_call(s);
	} else if (after(line, "fl=", &v)) {
		s->fl = s->file = name(s, FILES, v);
		s->fn = STR("???");
		s->has_fl = true;
		s->in_block = false;
	} else if (after(line, "fi=", &v) || after(line, "fe=", &v)) {
		s->file = name(s, FILES, v);
	} else if (after(line, "ob=", &v)) {
		s->ob = name(s, OBJ, v);
	} else if (after(line, "cfn=", &v)) {
		s->cfn = name(s, FN, v);
		s->has_cfn = true;
	} else if (after(line, "cfi=", &v) || after(line, "cfl=", &v)) {
		s->cfi = name(s, FILES, v);
		s->has_cfi = true;
	} else if (after(line, "cob=", &v)) {
		s->cob = name(s, OBJ, v);
		s->has_cob = true;
	} else if (after(line, "jfi=", &v)) {
		s->jfi = name(s, FILES, v);
		s->has_jfi = true;
	} else if (after(line, "jfn=", &v)) {
		name(s, FN, v);
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
	for (struct str rest = {p, n}; rest.n;) {
		size_t end = str_find(rest, '\n');
		struct str line = str_trim((struct str){rest.p, end}), v;

		if (!events_only)
			one_line(s, line);
		else if (after(line, "events:", &v))
			read_events(s, str_trim(v));
		rest = str_from(rest, end + 1);
	}
}

/* A callee of a file that was only a default, and that has no such function: the only one of
 * that name in the object, if there is one. */
static struct fn callee(struct naive_state *s, const struct call *c)
{
	struct arena *a = &s->r->arena;
	struct fact *same = find(&s->bodies, key(a, "ss", c->to.obj, c->to.name));
	struct str ends = key(a, "s", c->to.name), starts = key(a, "s", c->to.obj);

	if (!c->defaulted || find(&s->bodies, key(a, "f", c->to)) || !same ||
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

static void settle(struct naive_state *s)
{
	struct facts *t = &s->r->facts;
	struct arena *a = &s->r->arena;
	bool *odd = &s->r->odd;

	for (size_t i = 0; i < s->ncall; i++) {
		struct call *c = &s->call[i];
		struct fn to = callee(s, c);

		fact(t, key(a, "Ff", c->from));
		fact(t, key(a, "Ff", to));
		count(t, key(a, "Eff", c->from, to), c->v, odd);
		count(t, key(a, "Effsuu", c->from, to, c->file, c->instr, c->line), c->v,
		      odd);
		count(t, key(a, "Puff", c->part, c->from, to), c->v, odd);
		count(t,
		      key(a, "PuEffsuu", c->part, c->from, to, c->file, c->instr,
			  c->line),
		      c->v, odd);
	}
	for (size_t i = 0; i < s->njump; i++) {
		struct jump *j = &s->jumps[i];
		struct fact *f;

		if (!find(t, key(a, "Ff", j->from)))
			continue;
		for (int k = 0; k < 2; k++) {
			struct str to =
				key(a, "Jfsuusuuu", j->from, j->file, j->at[0], j->at[1],
				    j->to_file, j->at[2], j->at[3], j->conditional);

			f = fact(t, k ? in_part(a, j->part, to) : to);
			f->v[0] = add(f->v[0], j->executed, odd);
			f->v[1] = add(f->v[1], j->taken, odd);
		}
	}
	fact(t, key(a, "T"));
	for (size_t i = 0; i < t->n; i++)
		s->r->nfn += t->at[i].key.p[0] == 'F';
	for (size_t i = 0; i < s->r->nevent; i++)
		fact(t, key(a, "Vus", (uint64_t)i, s->event[i]));
}

/* gzip, bzip2, xz, zstd */
static bool packed(struct str s)
{
	return str_starts(s, STR("\x1f\x8b")) || str_starts(s, STR("BZh")) ||
	       str_starts(s, STR("\xfd"
				 "7zXZ\0")) ||
	       str_starts(s, STR("\x28\xb5\x2f\xfd"));
}

void naive_read(struct naive *r, const char *text, size_t n)
{
	struct naive_state s = {.r = r, .nsub = 1, .sub = {LINE}};

	*r = (struct naive){.npart = 0};
	arena_init(&r->arena, 0);
	s.names = s.bodies = (struct facts){.arena = &r->arena, .width = 1};
	each_line(&s, text, n, true);
	r->facts = (struct facts){.arena = &r->arena, .width = r->nevent + 2};
	r->odd = s.any_events = false;
	s.ncol = 0;
	begin_part(&s);
	each_line(&s, text, n, false);
	drop(&s);
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
	free(s.event);
	free(s.text);
	free(s.call);
	free(s.jumps);
}

void naive_free(struct naive *r)
{
	facts_free(&r->facts);
	arena_free(&r->arena);
}

/* ---- the same facts, from a store ---- */

struct telling {
	struct facts *t;
	struct store *st;
	const struct store_info *info;
	struct arena *a;
	struct err err;
	struct part_lines *lines; /* of `part` alone; NULL: of the whole */
	uint64_t part;
};

static struct fn stored_fn(struct telling *x, fn_id f)
{
	return (struct fn){store_fn_obj(x->st, f), store_fn_file(x->st, f),
			   store_fn_name(x->st, f)};
}

static void tell(struct telling *x, struct str k, uint64_t calls, const uint64_t *cost)
{
	uint64_t *v = fact(x->t, k)->v;
	bool over = false;

	v[0] = add(v[0], calls, &over);
	for (uint32_t e = 0; cost && e < x->info->events; e++)
		v[1 + e] = add(v[1 + e], cost[e], &over);
}

static struct str here(struct telling *x, struct str k)
{
	return x->lines ? in_part(x->a, x->part, k) : k;
}

static void tell_lines(struct telling *x, fn_id f, struct fn fn)
{
	struct store_line *line;
	uint64_t *cost;
	size_t n;

	if (x->lines ? part_lines(x->lines, f, x->a, &line, &cost, &n, &x->err)
		     : store_lines(x->st, f, x->a, &line, &cost, &n, &x->err))
		return;
	for (size_t i = 0; i < n; i++)
		tell(x,
		     here(x, key(x->a, "Lfsuu", fn, store_file(x->st, line[i].file),
				 line[i].instr, line[i].line)),
		     0, cost + i * x->info->events);
}

static void tell_sites(struct telling *x, fn_id f, struct fn fn)
{
	struct store_site *site;
	uint64_t *cost;
	size_t n;

	if (x->lines ? part_sites(x->lines, f, x->a, &site, &cost, &n, &x->err)
		     : store_sites(x->st, f, x->a, &site, &cost, &n, &x->err))
		return;
	for (size_t i = 0; i < n; i++)
		tell(x,
		     here(x, key(x->a, "Effsuu", fn, stored_fn(x, site[i].callee),
				 store_file(x->st, site[i].file), site[i].instr,
				 site[i].line)),
		     site[i].calls, cost + i * x->info->events);
}

static void tell_jumps(struct telling *x, fn_id f, struct fn fn)
{
	struct store_jump *jump;
	size_t n;

	if (x->lines ? part_jumps(x->lines, f, x->a, &jump, &n, &x->err)
		     : store_jumps(x->st, f, x->a, &jump, &n, &x->err))
		return;
	for (size_t i = 0; i < n; i++) {
		const struct store_jump *j = &jump[i];
		struct str k =
			here(x, key(x->a, "Jfsuusuuu", fn, store_file(x->st, j->file),
				    j->instr, j->line, store_file(x->st, j->to_file),
				    j->to_instr, j->to_line, (uint64_t)j->conditional));
		uint64_t *v = fact(x->t, k)->v;
		bool over = false;

		v[0] = add(v[0], j->executed, &over);
		v[1] = add(v[1], j->taken, &over);
	}
}

static void tell_function(struct telling *x, fn_id f)
{
	struct fn fn = stored_fn(x, f);
	uint64_t *self = sure(ARENA_ARRAY(x->a, uint64_t, x->info->events + 1u));

	for (uint32_t e = 0; !x->lines && e < x->info->events; e++)
		self[e] = store_fn_self(x->st, f, e);
	if (!x->lines)
		tell(x, key(x->a, "Ff", fn), 0, self);
	tell_lines(x, f, fn);
	tell_sites(x, f, fn);
	tell_jumps(x, f, fn);
}

/* Reading every one of many parts again would take most of the time. */
static bool is_read_again(uint64_t part, uint64_t parts)
{
	return parts <= AGAIN || part % (parts / AGAIN) == 0;
}

/* Line detail of each part, read again from the profile. */
static void tell_parts_again(struct telling *x)
{
	uint8_t *mark = sure(ARENA_ARRAY(x->a, uint8_t, x->info->parts + 1u));

	for (uint32_t p = 0; p < x->info->parts && !x->err.kind; p++) {
		if (!is_read_again(p, x->info->parts))
			continue;
		mark[p] = 1;
		x->part = p;
		if (!part_lines_read(x->st, mark, NULL, NULL, &x->lines, &x->err))
			for (fn_id f = 0; f < x->info->functions; f++)
				tell_function(x, f);
		part_lines_free(x->lines);
		x->lines = NULL;
		mark[p] = 0;
	}
}

static void tell_edge(struct telling *x, edge_id id)
{
	uint64_t *cost = sure(ARENA_ARRAY(x->a, uint64_t, x->info->events + 1u));
	struct store_edge edge;

	store_edge(x->st, id, &edge);
	for (uint32_t e = 0; e < x->info->events; e++)
		cost[e] = store_edge_incl(x->st, id, e);
	tell(x, key(x->a, "Eff", stored_fn(x, edge.caller), stored_fn(x, edge.callee)),
	     edge.calls, cost);
}

static void tell_part(struct telling *x, uint32_t p)
{
	uint64_t *cost, *calls,
		*self = sure(ARENA_ARRAY(x->a, uint64_t, x->info->events + 1u));
	fn_id *fns;
	edge_id *edges;
	size_t n;

	for (uint32_t e = 0; e < x->info->events; e++)
		self[e] = store_part_self(x->st, p, e);
	tell(x, key(x->a, "Pu", (uint64_t)p), 0, self);
	if (store_part_functions(x->st, p, x->a, &fns, &cost, &n, &x->err))
		return;
	for (size_t i = 0; i < n; i++)
		tell(x, key(x->a, "Puf", (uint64_t)p, stored_fn(x, fns[i])), 0,
		     cost + i * x->info->events);
	if (store_part_edges(x->st, p, x->a, &edges, &calls, &cost, &n, &x->err))
		return;
	for (size_t i = 0; i < n; i++) {
		struct store_edge edge;

		store_edge(x->st, edges[i], &edge);
		tell(x,
		     key(x->a, "Puff", (uint64_t)p, stored_fn(x, edge.caller),
			 stored_fn(x, edge.callee)),
		     calls[i], cost + i * x->info->events);
	}
}

static void tell_all(struct telling *x)
{
	uint64_t *total = sure(ARENA_ARRAY(x->a, uint64_t, x->info->events + 1u));

	for (uint32_t e = 0; e < x->info->events; e++) {
		struct store_event event;

		store_event(x->st, e, &event);
		fact(x->t, key(x->a, "Vus", (uint64_t)e, event.name));
		total[e] = store_total(x->st, e);
	}
	tell(x, key(x->a, "T"), 0, total);
	for (fn_id f = 0; f < x->info->functions; f++)
		tell_function(x, f);
	for (edge_id e = 0; e < x->info->edges; e++)
		tell_edge(x, e);
	for (uint32_t p = 0; p < x->info->parts; p++)
		tell_part(x, p);
	tell_parts_again(x);
}

/* Line detail of a part that tell_parts_again() left out. */
static bool is_left_out(struct str k, uint64_t parts)
{
	uint64_t part;
	size_t n;

	if (k.p[0] != 'P')
		return false;
	k = str_from(k, 2);
	n = str_find(k, '\n');
	return n + 2 < k.n && strchr("LEJ", k.p[n + 1]) && k.p[n + 2] == '\n' &&
	       str_u64((struct str){k.p, n}, &part) && !is_read_again(part, parts);
}

/* The first fact of a that b has not, or has otherwise.  A part's zeros may be missing. */
static const struct fact *first_missing(const struct facts *a, const struct facts *b,
					uint64_t parts)
{
	for (size_t i = 0; i < a->n; i++) {
		if (is_left_out(a->at[i].key, parts))
			continue;
		const struct fact *f = &a->at[i], *g = find(b, f->key);
		bool zeros = f->key.p[0] == 'P', same = g != NULL;

		for (size_t k = 0; k < a->width; k++) {
			zeros &= f->v[k] == 0;
			same = same && f->v[k] == g->v[k];
		}
		if (!same && (g || !zeros))
			return f;
	}
	return NULL;
}

static void describe(const struct naive *r, const struct facts *told,
		     const struct fact *f, char *why, size_t size)
{
	const struct fact *both[2] = {find(&r->facts, f->key), find(told, f->key)};
	size_t n = 0;

	for (size_t i = 0; i < f->key.n && n + 5 < size / 2; i++) {
		unsigned char c = (unsigned char)f->key.p[i];

		n += (size_t)snprintf(why + n, size - n,
				      c == '\n'		  ? "|"
				      : c < 32 || c > 126 ? "\\x%02x"
							  : "%c",
				      c);
	}
	for (int k = 0; k < 2; k++) {
		n += (size_t)snprintf(why + n, size - n, k ? " store:" : " naive:");
		for (size_t i = 0; both[k] && i < r->facts.width && n + 24 < size; i++)
			n += (size_t)snprintf(why + n, size - n, " %" PRIu64,
					      both[k]->v[i]);
	}
}

bool naive_compare(const struct naive *r, struct store *st, char *why, size_t size)
{
	const struct store_info *info = store_info(st);
	struct arena arena;
	struct facts told = {.arena = &arena, .width = r->facts.width};
	struct telling x = {.t = &told, .st = st, .info = info, .a = &arena};
	const struct fact *f = NULL;

	arena_init(&arena, 0);
	snprintf(why, size,
		 "events: naive %zu, store %" PRIu32 "; parts: %zu, %" PRIu32
		 "; diagnostics: %s, %" PRIu64 "; functions: %zu, %" PRIu32,
		 r->nevent, info->events, r->npart, info->parts, r->odd ? "yes" : "no",
		 info->diagnostics, r->nfn, info->functions);
	if (info->events != r->nevent || info->parts != r->npart ||
	    (r->odd != (info->diagnostics > 0) && !r->unsure))
		return false;
	tell_all(&x);
	f = first_missing(&r->facts, &told, r->npart);
	if (!f)
		f = first_missing(&told, &r->facts, r->npart);
	if (f)
		describe(r, &told, f, why, size);
	else if (store_check(st, &x.err))
		snprintf(why, size, "%s", x.err.text);
	facts_free(&told);
	arena_free(&arena);
	return !f && !x.err.kind;
}
