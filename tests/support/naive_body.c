/*
 * naive_body.c - the simple reader: lines of costs, calls and jumps, and whose they are.
 */
#include "tests/support/naive_in.h"

#include <stdlib.h>
#include <string.h>

static struct fn current(struct naive_state *s)
{
	if (!s->in_block)
		s->cur = (struct fn){s->ob,
				     s->has_own	 ? s->own
				     : s->has_fl ? s->fl
						 : s->file,
				     s->fn};
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
	facts_grow(&s->body, &s->body_cap, s->nbody + 1, sizeof(*s->body));
	s->body[s->nbody++] = f;
}

static void end_call(struct naive_state *s)
{
	s->has_cfi = s->has_cob = false;
}

void naive_drop(struct naive_state *s)
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
		{s->to_at[0], s->to_at[1]},
		s->by_address && !s->has_cob,
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
	s->call[n].by_address = false;
	facts_grow(&s->lone, &s->lone_cap, s->nlone + 1, sizeof(*s->lone));
	s->lone[s->nlone++] = s->call[n];
	s->ncall = n;
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

void naive_count_cost(struct naive_state *s, uint64_t part, struct fn f, struct str file,
		      uint64_t instr, uint64_t line, const uint64_t *v)
{
	struct facts *t = &s->r->facts;
	struct arena *a = &s->line;
	bool *odd = &s->r->odd;

	facts_count(t, facts_key(a, "Lfsuu", f, file, instr, line), v, odd);
	facts_count(t, facts_key(a, "PuLfsuu", part, f, file, instr, line), v, odd);
	facts_count(t, facts_key(a, "Ff", f), v, odd);
	facts_count(t, facts_key(a, "Pu", part), v, odd);
	facts_count(t, facts_key(a, "Puf", part, f), v, odd);
	facts_count(t, facts_key(a, "T"), v, odd);
}

static void take_cost(struct naive_state *s, uint64_t instr, uint64_t line, uint64_t *v)
{
	struct fn f = current(s);
	struct str file = s->file;

	if (s->inlined.n)
		file = inlined_file(&s->line, file, s->inlined);
	has_body(s, f);
	facts_grow(&s->lines, &s->lines_cap, s->nlines + 1, sizeof(*s->lines));
	s->lines[s->nlines++] = (struct line_at){f, instr};
	naive_count_cost(s, s->r->npart - 1, f, file, instr, line, v);
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
	if (!naive_number(str_from(w, minus), &x, &big))
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

static bool has_fraction(struct str line)
{
	for (size_t i = 0; i + 2 < line.n; i++)
		if (line.p[i + 1] == '.' &&
		    strchr("0123456789", line.p[i] ? line.p[i] : 'x') &&
		    strchr("0123456789", line.p[i + 2] ? line.p[i + 2] : 'x'))
			return true;
	return false;
}

void naive_cost_line(struct naive_state *s, struct str line)
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
		naive_drop(s);
		return;
	}
	bad = !naive_positions(s, &rest, at, &clamped);
	for (; !bad && (w = naive_word(&rest)).n; n++) {
		uint64_t x;

		bad = !cost_of(s, w, n, &x, &over);
		negative |= !bad && x >> 63;
		if (s->callgrind && x >> 63)
			x = 0;
		if (n < s->ncol)
			v[1 + s->col[n]] = facts_cost_sum(v[1 + s->col[n]], x, &over);
	}
	s->r->odd |= !bad && n == 0 && s->ncol == 1 && !s->begins && s->wait != A_JUMP &&
		     s->wait != A_BAD_JUMP;
	s->r->odd |= bad || clamped || over || (negative && s->callgrind) || n > s->ncol;
	s->negative |= negative && !bad;
	if (bad && !s->unread++)
		s->fractions = has_fraction(str_cut(line, 200));
	if (bad) {
		naive_drop(s);
		return;
	}
	if (s->wait == NOTHING)
		s->before = s->base[INSTR];
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
	s->fl_said = false;
	s->read++;
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

/* Whether nobody counted: "?", a number below 0, or with a fraction or an exponent. */
static bool unknown_count(struct str w)
{
	char text[64], *end;

	if (w.n >= sizeof(text) || w.n == 0)
		return false;
	memcpy(text, w.p, w.n);
	text[w.n] = 0;
	if (strcmp(text, "?") == 0)
		return true;
	if (strspn(text, "0123456789.eE+-") != w.n ||
	    !strchr("0123456789", text[text[0] == '-'] ? text[text[0] == '-'] : 'x'))
		return false;
	strtod(text, &end);
	return *end == 0;
}

static void calls_line(struct naive_state *s, struct str v)
{
	uint64_t at[SUBS_N];
	bool over = false, clamped = false;
	struct str words = v;
	unsigned n = 0;

	while (naive_word(&words).n)
		n++;
	drop_lone(s);
	s->cfn_waits = false;
	s->wait = A_CALL;
	s->to_line = 0;
	struct str count = naive_word(&v);
	bool known = naive_number(count, &s->count, &over);

	for (int k = 0; k < 2; k++) {
		const uint64_t base = s->base[INSTR];
		struct str target = v;

		s->base[INSTR] = k ? base : s->before;
		naive_positions(s, &target, at, &clamped);
		s->base[INSTR] = base;
		s->to_at[k] = at[INSTR];
	}

	if (!known)
		s->count = UINT64_MAX;
	if ((!known && !unknown_count(count)) || !naive_positions(s, &v, at, &clamped)) {
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
	struct str w = naive_word(&v);
	size_t slash = conditional ? str_find(w, '/') : w.n;
	struct jump *j = &s->jump;
	uint64_t at[SUBS_N];
	bool over = false, ok;

	if (slash < w.n) /* taken/executed */
		ok = naive_number((struct str){w.p, slash}, &j->taken, &over) &&
		     naive_number(str_from(w, slash + 1), &j->executed, &over);
	else
		ok = naive_number(w, &j->executed, &over) &&
		     (!conditional || naive_number(naive_word(&v), &j->taken, &over));
	if (!conditional)
		j->taken = j->executed;
	ok = ok && naive_positions(s, &v, at, &over);
	s->wait = ok ? A_JUMP : A_BAD_JUMP;
	s->r->odd |= !ok;
	j->conditional = conditional;
	if (ok) {
		j->at[2] = at[INSTR];
		j->at[3] = at[LINE];
	}
}

bool naive_spec_line(struct naive_state *s, struct str line)
{
	struct str v;

	if (naive_after(line, "fn=", &v)) {
		s->fn = naive_name(s, FN, v);
		s->has_fn = true;
		s->has_own = s->fl_said;
		s->own = s->fl;
		if (s->has_fl)
			s->file = s->fl;
		s->base_file = s->file;
		s->in_block = s->has_jfi = s->has_jfn = false;
		s->inlined = STR("");
		s->cfn_waits = false;
		end_call(s);
	} else if (naive_after(line, "fl=", &v)) {
		s->fl = s->file = s->base_file = naive_name(s, FILES, v);
		s->cfn_waits = false;
		s->has_fl = s->fl_said = true;
		s->in_block = s->in_block && s->has_fn;
		s->inlined = STR("");
	} else if (naive_after(line, "fi=", &v) || naive_after(line, "fe=", &v)) {
		s->file = naive_name(s, FILES, v);
		if (!s->callgrind)
			s->base_file = s->file;
	} else if (naive_after(line, "ob=", &v)) {
		s->ob = naive_name(s, OBJ, v);
	} else if (naive_after(line, "cfn=", &v)) {
		s->cfn = naive_name(s, FN, v);
		s->has_cfn = s->cfn_waits = true;
	} else if (naive_after(line, "cfi=", &v) || naive_after(line, "cfl=", &v)) {
		s->cfi = naive_name(s, FILES, v);
		s->has_cfi = true;
	} else if (naive_after(line, "cob=", &v)) {
		s->cob = naive_name(s, OBJ, v);
		s->has_cob = s->any_cob = true;
	} else if (naive_after(line, "cfni=", &v)) {
		s->inlined = naive_name(s, FN, v);
		if (str_eq(s->inlined, STR("???")))
			s->inlined = STR("");
	} else if (naive_after(line, "jfi=", &v)) {
		s->jfi = naive_name(s, FILES, v);
		s->has_jfi = true;
	} else if (naive_after(line, "jfn=", &v)) {
		s->jfn = naive_name(s, FN, v);
		s->has_jfn = true;
	} else if (naive_after(line, "calls=", &v) || naive_after(line, "rcalls=", &v)) {
		calls_line(s, v);
	} else if (naive_after(line, "jump=", &v)) {
		jump_line(s, v, false);
	} else if (naive_after(line, "jcnd=", &v)) {
		jump_line(s, v, true);
	} else {
		return false;
	}
	s->in_body = s->said = true;
	return true;
}
