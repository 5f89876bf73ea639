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
	if (strchr("0123456789+-*", line.p[0] ? line.p[0] : 'x')) {
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
	struct fn cut = c->to;

	cut.name.n = str_find(cut.name, ' ');
	if (facts_find(&s->bodies, facts_key(a, "f", c->to)) ||
	    facts_find(&s->bodies, facts_key(a, "f", cut)) || unclear(s, c->to))
		return;
	c->v[0] = 0; /* the calls are counted already */
	naive_count_cost(s, c->part, c->to, c->to.file, 0, 0, c->v);
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
	naive_begin_part(&s);
	each_line(&s, text, n, false);
	naive_drop(&s);
	naive_end_lone(&s);
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
