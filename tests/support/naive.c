/*
 * naive.c - the simple reader; see naive.h.  The rules are those of the format, in the order
 * in which a line is looked at; where a rule is surprising it is said so.
 *
 *	naive_head.c	pieces of a line, names, parts and header lines
 *	naive_body.c	lines of costs, calls and jumps
 *	naive.c		all lines; what can only be told at the end: callees, functions
 *			without a block, targets of jumps
 */
#include "tests/support/naive_in.h"

#include <stdlib.h>
#include <string.h>

static void one_line(struct naive_state *s, struct str line)
{
	arena_reset(&s->line);
	line = str_trim(line); /* the CR of a CRLF too */
	if (line.n == 0 || line.p[0] == '#')
		return;
	if (strchr("0123456789+-*", line.p[0] ? line.p[0] : 'x') ||
	    str_starts(line, STR("? ")) || str_starts(line, STR("?\t"))) {
		naive_cost_line(s, line);
		return;
	}
	naive_drop(s);
	if (naive_spec_line(s, line) || naive_header_line(s, line))
		return;
	if (str_starts(line, STR("==== NEW PROFILING FILE")))
		naive_new_file(s);
	else
		s->r->odd = true;
}

/* Events of all parts are counted first, so that every fact has room for them. */
static void each_line(struct naive_state *s, const char *p, size_t n, bool events_only)
{
	s->nblanks = 0;
	for (struct str rest = {p, n}; rest.n;) {
		size_t end = str_find(rest, '\n');
		struct str line = str_trim((struct str){rest.p, end}), v;

		if (!events_only)
			one_line(s, line);
		else if (naive_after(line, "event:", &v))
			naive_know_blanks(s, v);
		else if (naive_after(line, "events:", &v))
			naive_read_events(s, str_trim(v));
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

static bool is_digits(struct str s)
{
	uint64_t n;
	bool over = false;

	return naive_number(s, &n, &over) && !over;
}

/* The bytes behind the last c of s; s.n: it has none. */
static size_t behind_last(struct str s, char c)
{
	size_t n = s.n;

	while (n && s.p[n - 1] != c)
		n--;
	return n ? n : s.n;
}

/* "f [2/3]": f; else empty. */
static struct str without_number(struct str name)
{
	const size_t at = behind_last(name, '[');
	const struct str in = str_from(name, at);
	const size_t slash = str_find(in, '/');

	if (!at || name.p[at - 1] != '[' || (at > 1 && name.p[at - 2] != ' ') ||
	    slash == in.n || !str_ends(in, STR("]")) ||
	    !is_digits((struct str){in.p, slash}) ||
	    !is_digits((struct str){in.p + slash + 1, in.n - slash - 2}))
		return STR("");
	return at == 1 ? STR("???") : str_trim((struct str){name.p, at - 1});
}

/* "m:f:1": m:f/1; else empty. */
static struct str with_arity(struct naive_state *s, struct str name)
{
	const size_t at = behind_last(name, ':');
	char *p;

	if (name.n > 512 || !is_digits(str_from(name, at)))
		return STR("");
	p = facts_sure(arena_alloc(&s->r->arena, name.n));
	memcpy(p, name.p, name.n);
	p[at - 1] = '/';
	return (struct str){p, name.n};
}

/* The function with a block of this name in the file of f: in its object, or in the only one. */
static bool only_block(struct naive_state *s, struct fn f, struct str name,
		       struct fn *out)
{
	size_t n = 0;

	if (!name.n)
		return false;
	for (size_t i = 0; i < s->nbody; i++) {
		const struct fn *b = &s->body[i];

		if (!str_eq(b->name, name) || !str_eq(b->file, f.file))
			continue;
		*out = *b;
		if (str_eq(b->obj, f.obj))
			return true;
		n++;
	}
	return n == 1;
}

/* Where other producers than callgrind write a callee in another way than its block. */
static struct fn other_callee(struct naive_state *s, struct fn f)
{
	struct fn found = f;

	if (s->any_callgrind || facts_find(&s->bodies, facts_key(&s->line, "f", f)))
		return f;
	if ((!s->any_cob && only_block(s, f, f.name, &found)) ||
	    only_block(s, f, without_number(f.name), &found) ||
	    only_block(s, f, with_arity(s, f.name), &found))
		return found;
	return f;
}

/* The only function of these names in the file of f, or of none, with a line at the address;
 * any: or any without a name. */
static bool only_at(const struct naive_state *s, struct fn f, uint64_t at,
		    const struct str name[3], bool any, struct fn *out)
{
	size_t n = 0;

	for (size_t i = 0; at && i < s->nlines; i++) {
		const struct fn *b = &s->lines[i].of;
		const bool nameless = str_eq(b->name, STR("???"));
		bool fits = any && nameless;

		for (int k = 0; k < 3; k++)
			fits |= name[k].n && str_eq(name[k], b->name) &&
				(nameless || str_eq(b->file, f.file));
		if (s->lines[i].at != at || !fits)
			continue;
		n += !n || !str_eq(b->obj, out->obj) || !str_eq(b->file, out->file) ||
		     !str_eq(b->name, out->name);
		*out = *b;
	}
	return n == 1;
}

/* A callee that the address of its call tells apart. */
static bool callee_at(struct naive_state *s, const struct call *c, struct fn *out)
{
	const struct fn f = c->to;
	struct str name[] = {f.name, without_number(f.name), with_arity(s, f.name)};

	if (!c->by_address || s->any_callgrind)
		return false;
	if (name[1].n)
		name[0].n = 0;
	else if (!str_eq(f.name, STR("???")) &&
		 facts_find(&s->bodies, facts_key(&s->line, "f", f)))
		return false;
	for (int any = 0; any < 2; any++) {
		for (int k = 0; k < 2; k++)
			if (only_at(s, f, c->to_at[k], name, any, out))
				return true;
		for (int k = 0; k < 3; k++)
			if (only_block(s, f, name[k], out))
				return true;
	}
	return false;
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

/* Functions, and what the calls say of one event. */
struct flow {
	struct facts by; /* "f" -> one of the n functions */
	struct fn *fn;
	size_t n, cap, nentered;
	int64_t *net; /* without a block: what flows in; else cost and calls, less that */
	int64_t *entered; /* of those with a block, descending */
	bool *alone;	  /* has no block, nor one whose name google-pprof has cut */
	bool *own;	  /* and so has a cost of its own */
	int64_t lines, flows;
};

static bool is_alone(struct naive_state *s, struct fn f)
{
	struct fn cut = f;

	cut.name.n = str_find(cut.name, ' ');
	return !facts_find(&s->bodies, facts_key(&s->line, "f", f)) &&
	       !facts_find(&s->bodies, facts_key(&s->line, "f", cut)) && !unclear(s, f);
}

/* The number of f, which is new or not. */
static size_t number(struct naive_state *s, struct flow *w, struct fn f)
{
	size_t i = (size_t)(facts_at(&w->by, facts_key(&s->line, "f", f)) - w->by.at);

	if (i == w->n) {
		facts_grow(&w->fn, &w->cap, ++w->n, sizeof(*w->fn));
		w->fn[i] = f;
	}
	return i;
}

static int falling(const void *a, const void *b)
{
	const int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;

	return (x < y) - (x > y);
}

static int64_t plus(int64_t a, int64_t b)
{
	bool over = false;

	return (int64_t)facts_cost_sum((uint64_t)a, (uint64_t)b, &over);
}

static int64_t minus(int64_t a, int64_t b)
{
	const __int128 d = (__int128)a - b;

	return d > INT64_MAX ? INT64_MAX : d < INT64_MIN ? INT64_MIN : (int64_t)d;
}

/* Follow event e. */
static void follow(struct naive_state *s, struct flow *w, size_t e)
{
	memset(w->net, 0, w->n * sizeof(*w->net));
	w->lines = w->flows = 0;
	w->nentered = 0;
	for (size_t i = 0; i < s->ncall; i++) {
		const struct call *c = &s->call[i];
		const size_t from = number(s, w, c->from), to = number(s, w, c->to);
		const int64_t v = (int64_t)c->v[1 + e];

		arena_reset(&s->line);
		if (from == to)
			continue;
		w->net[to] = w->alone[to] ? plus(w->net[to], v) : minus(w->net[to], v);
		w->net[from] = plus(w->net[from], v);
	}
	for (size_t i = 0; i < w->n; i++) {
		const struct fact *f =
			facts_find(&s->r->facts, facts_key(&s->line, "Ff", w->fn[i]));
		const int64_t self = f ? (int64_t)f->v[1 + e] : 0;

		if (w->alone[i]) {
			w->flows = plus(w->flows, w->net[i]);
			continue;
		}
		w->lines = plus(w->lines, self);
		w->entered[w->nentered++] = plus(w->net[i], self);
	}
	qsort(w->entered, w->nentered, sizeof(*w->entered), falling);
}

/* The sums that all parts say, which are at hand in columns of the last events:. */
static bool said(const struct naive_state *s, const struct flow *w, size_t e,
		 int64_t *sum)
{
	const int64_t most = plus(w->lines, w->flows);

	*sum = s->sums_of[e];
	return s->parts_summed == s->r->npart && *sum >= minus(w->lines, most / 64) &&
	       *sum <= plus(most, most / 64);
}

/* How much of what flows into functions without a block the lines lack. */
static int64_t lacking(const struct naive_state *s, const struct flow *w, size_t e)
{
	int64_t sum;

	if (said(s, w, e, &sum))
		return minus(sum, w->lines);
	if (w->nentered && w->entered[0] > w->lines)
		return minus(w->entered[0], w->lines);
	sum = 0;
	for (size_t i = 0; i < w->nentered && sum < w->lines; i++)
		sum = plus(sum, w->entered[i]);
	return minus(sum, w->lines) > w->lines / 64 ? w->flows : 0;
}

/* Another function than the root is entered with v: it may be what this one calls. */
static bool passes_on(const struct flow *w, int64_t v)
{
	for (size_t i = 1; i < w->nentered; i++)
		if (w->entered[i] == v)
			return true;
	return false;
}

static void choose_own(struct naive_state *s, struct flow *w)
{
	size_t e = 0;
	int64_t want, rest = 0;

	do
		follow(s, w, e);
	while (!w->flows && ++e < s->r->nevent);
	memcpy(w->own, w->alone, w->n * sizeof(*w->own));
	if (!w->flows)
		return;
	want = lacking(s, w, e);
	for (size_t i = 0; i < w->n; i++)
		if (w->alone[i] && !passes_on(w, w->net[i]))
			rest = plus(rest, w->net[i]);
	for (size_t i = 0; i < w->n; i++)
		w->own[i] = w->alone[i] && (rest == want ? !passes_on(w, w->net[i])
							 : want > w->flows / 2);
}

/* A function without a block has the costs of the calls into it, at line 0 of its file, if
 * the lines lack them. */
static void count_calls_only(struct naive_state *s)
{
	struct arena *a = &s->line;
	struct flow w = {.by = {.arena = &s->r->arena, .width = 1}};

	for (size_t i = 0; i < s->nbody; i++)
		number(s, &w, s->body[i]);
	for (size_t i = 0; i < s->ncall; i++) {
		arena_reset(a);
		number(s, &w, s->call[i].to);
	}
	w.net = facts_sure(calloc(w.n + 1, sizeof(*w.net)));
	w.entered = facts_sure(calloc(w.n + 1, sizeof(*w.entered)));
	w.alone = facts_sure(calloc(w.n + 1, 1));
	w.own = facts_sure(calloc(w.n + 1, 1));
	for (size_t i = 0; i < w.n; i++) {
		arena_reset(a);
		w.alone[i] = is_alone(s, w.fn[i]);
	}
	if (s->r->nevent)
		choose_own(s, &w);
	for (size_t i = 0; i < s->ncall; i++) {
		struct call *c = &s->call[i];

		arena_reset(a);
		c->v[0] = 0; /* the calls are counted already */
		if (w.own[number(s, &w, c->to)])
			naive_count_cost(s, c->part, c->to, c->to.file, 0, 0, c->v);
	}
	facts_free(&w.by);
	free(w.fn);
	free(w.net);
	free(w.entered);
	free(w.alone);
	free(w.own);
}

static void settle(struct naive_state *s)
{
	struct facts *t = &s->r->facts;
	struct arena *a = &s->line;
	bool *odd = &s->r->odd;

	for (size_t i = 0; i < s->ncall; i++) {
		struct call *c = &s->call[i];
		struct fn to;

		arena_reset(a);
		if (!callee_at(s, c, &to))
			to = other_callee(s, callee(s, c));
		c->to = to;
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
	if (!s->any_callgrind)
		count_calls_only(s);
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

/* gzip, bzip2, xz, zstd */
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
	s.sums_of = facts_sure(calloc(r->nevent + 1, sizeof(*s.sums_of)));
	naive_begin_part(&s);
	each_line(&s, text, n, false);
	naive_drop(&s);
	naive_end_lone(&s);
	naive_end_sums(&s);
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
	else if (s.unread > s.read && s.fractions)
		r->refused = "costs with fractions";
	else if (s.unread && !s.read)
		r->refused = "no cost line can be read";
	facts_free(&s.names);
	facts_free(&s.bodies);
	arena_free(&s.line);
	free(s.event);
	free(s.blanks);
	free(s.text);
	free(s.call);
	free(s.body);
	free(s.sums_of);
	free(s.jumps);
	free(s.lone);
	free(s.lines);
}

void naive_free(struct naive *r)
{
	facts_free(&r->facts);
	arena_free(&r->arena);
}
