/*
 * replay_find.h - search the link whose text is at hand, when it is not the expected one.
 *
 * find() tries the links of an entry.  look() is for the rest: a block begins ("fl=(12)\n
 * fn=(34)\n"), or a name is written again ("cfn=(12) malloc").  A link that is found so
 * is joined with the head, or with the names, to a new link, which fits at once the next
 * time.
 *
 * Included by replay_loops.c, which is compiled once per instruction set.
 */
#ifndef QUERN_REPLAY_FIND_H
#define QUERN_REPLAY_FIND_H

#include <string.h>

#include "index/base/err_struct.h"
#include "index/fast/replay_match.h"

/* The link of `entry` that fits the text at p; it becomes the entry's first.  0: there is
 * no such link. */
static HOT uint32_t find(const struct replay_fixed in, uint32_t entry, const char *p,
			 struct line *l)
{
	struct replay *r = in.r;
	const uint32_t first = r->step[entry].first;
	uint32_t i = first, before = 0;

	for (; i; before = i, i = r->link_more[i].alt) {
		if (match(in, &r->link[i], p, l))
			break;
		/* A head, most likely: no link of an entry begins with one. */
		if ((unsigned char)*p <= '\r')
			return 0;
	}
	if (i != first && i) {
		r->link_more[before].alt = r->link_more[i].alt;
		r->link_more[i].alt = first;
		r->step[entry].first = i;
	}
	return i;
}

/* A search by look(). */
struct look {
	const char *p;	/* the text at hand */
	const char *at; /* the text that is searched for: p, or the same without names */
	bool named;	/* p has a name that `at`, or the head in a link, lacks */
	bool again;	/* the link found has that name, too */
	/* The block that begins at `at`: */
	const struct head *block; /* NULL: none */
	const char *from;	  /* end of its head */
	bool fl;		  /* its head has fl= */
	struct head_text text;	  /* the numbers of a usual head, */
	struct head other;	  /* or the meaning of another one: block == &other */
};

/* Find a link of entry cur that fits the text at s->p without the names that are written
 * again ("cfn=(12) malloc").  The expected link is tried first, if it is one of cur's.
 * If a link has a copy with names, and the text as it is fits this copy, the result is
 * the copy, and s->again is set.  0: no link fits. */
static HOT uint32_t find_named(const struct replay_fixed in, uint32_t cur, struct look *s,
			       struct line *l)
{
	const struct replay *r = in.r;
	const char *const p = s->p;
	uint32_t i = r->follow ? r->ring[r->past_at] : 0;

	if ((unsigned char)*p < 'a')
		return 0;
	if (r->link[i].flags & LINK_HEAD || r->link[i].from != cur)
		i = r->step[cur].first;
	for (; i; i = r->link_more[i].alt) {
		const struct text_link *k = &r->link[i];
		const uint32_t made = r->link_more[i].as[LINK_NAMED];
		const char *from;

		if (k->flags & (LINK_JUMP | LINK_HEAD) || *p != *link_text_of(k))
			continue;
		s->again = made && match(in, &r->link[made], p, l);
		if (s->again)
			return made;
		l->count = k->count;
		from = replay_named(in.t, k, p, in.end, &l->count);
		if (from && costs(in, from, l))
			return i;
	}
	return 0;
}

/* ---- the head of a block ---- */

/* Read the lines before the names of a head at *p, which moves to the names: "fe=(3)\n",
 * which ends an inlined function's lines and means nothing here, empty lines, "ob=(5)\n",
 * all optional.  False: they are not known, or too many. */
static HOT bool head_begins(const struct tally *t, const char **p, uint32_t *newlines,
			    struct head_text *text)
{
	const char *q = *p;

	if (memcmp(q, "fe=(", 4) == 0) {
		q += 4;
		if (!number_name(&t->names[SPACE_FILE], &q))
			return false;
		++*newlines;
	}
	while (*q == '\n') {
		q++;
		if (++*newlines > 8)
			return false;
	}
	if (memcmp(q, "ob=(", 4) == 0) {
		q += 4;
		text->ob = number_name(&t->names[SPACE_OBJ], &q);
		if (!text->ob)
			return false;
		++*newlines;
	}
	*p = q;
	return true;
}

/* Read "fl=(12)\nfn=(34)" or "fn=(34)" at q; the end, or NULL. */
static HOT const char *head_names(const char *q, struct head_text *text)
{
	uint64_t m = closing(q);
	const unsigned a = (unsigned)__builtin_ctzll(m);
	const char *fn;
	unsigned b;

	if (memcmp(q, "fl=(", 4) != 0) {
		if (memcmp(q, "fn=(", 4) != 0 || a - 5 > 7)
			return NULL;
		text->fn_at = q + 4;
		text->fn_digits = bytes_at(q + 4, a - 4);
		return q + a + 1;
	}
	m &= m - 1;
	b = (unsigned)__builtin_ctzll(m);
	fn = q + a + 6;
	if (memcmp(fn - 6, ")\nfn=(", 6) != 0 || a - 5 > 7 || b - a - 7 > 7)
		return NULL;
	text->fl_at = q + 4;
	text->fn_at = fn;
	text->fl_digits = bytes_at(q + 4, a - 4);
	text->fn_digits = bytes_at(fn, b - a - 6);
	return q + b + 1;
}

/*
 * Read a usual head, "\nfl=(12)\nfn=(34)\n", of ids that were met before, at s->at: sets
 * s->text, s->from, s->fl and the number of newlines.  The name of the function may
 * follow, if it is the one that is known.  False: another head, or something else.
 */
static HOT bool read_usual_head(const struct replay_fixed in, struct look *s,
				uint32_t *newlines)
{
	const struct tally *t = in.t;
	struct head_text *text = &s->text;
	const char *p = s->at;

	*text = (struct head_text){.ob = t->now.ob, .fl = t->fns.at[t->now.fn].fl};
	*newlines = 1;
	if (!head_begins(t, &p, newlines, text) || !(p = head_names(p, text)))
		return false;
	s->fl = text->fl_at != NULL;
	*newlines += s->fl;
	if (*p != '\n') {
		text->name = p + 1;
		p = replay_name_end(t, text->fn_at, p, in.end);
		if (!p)
			return false;
		p--;
	}
	s->from = p + 1;
	return true;
}

/* The meaning of the head, which is remembered by the digits of its fn=; NULL: its
 * function was not met before, or has no entries. */
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
	return replay_find_head(t, text, h);
}

/* The block that begins at s->at, into *s; l->newlines are those of its head. */
static HOT void find_block(const struct replay_fixed in, struct look *s, struct line *l)
{
	s->block = NULL;
	if (read_usual_head(in, s, &l->newlines)) {
		s->block = head_of(in.r, in.t, &s->text);
		return;
	}
	s->from = s->at;
	/* Names are not written again there: replay_read_head() takes none of those. */
	if (s->at == s->p &&
	    replay_read_head(in.t, &s->from, in.end, &l->newlines, &s->fl, &s->other))
		s->block = &s->other;
}

/* Enter the block that begins at s->at; link i fits its first line.  Make a link of the
 * block's head and of i, and return it; return i if there can be no such link. */
static uint32_t enter_block(const struct replay_fixed in, struct look *s, uint32_t i,
			    struct line *l)
{
	struct block_head head = {s->at, s->from, l->newlines, s->fl, s->block->f};
	char plain[LINK_WIDE];
	uint32_t made = 0;

	if (s->block != &s->other && s->text.name) {
		head.p = plain;
		head.end = plain + replay_unnamed_head(s->at, &s->text, plain);
		s->named = true;
	}
	/* head_fits() compares the object, so ob= is not in a link. */
	if (head.end != head.p && !memchr(s->at, 'o', 3))
		made = replay_link_head(in.r, &head, i, in.err);
	if (!in.err->kind && tally_next_block(in.t, s->block->f, in.ncols))
		replay_no_memory(in.err);
	if (!made)
		return i;
	l->newlines = 0;
	return made;
}

/* ---- both ---- */

/* The link that fits the text at s->at, as it is or after the head of a block, which is
 * entered; 0: there is no such link. */
static HOT uint32_t look_at(const struct replay_fixed in, uint32_t cur, struct look *s,
			    struct line *l)
{
	const char *const at = s->at;
	uint32_t i = at == s->p ? find_named(in, cur, s, l) : find(in, cur, at, l);

	l->newlines = 0;
	s->block = NULL;
	s->named = at != s->p;
	if (i || !in.t->now.has_fl ||
	    (*at != '\n' && *at != '\r' && *at != 'f' && *at != 'o'))
		return i;
	find_block(in, s, l);
	i = s->block ? find(in, s->block->entry, s->from, l) : 0;
	return i ? enter_block(in, s, i, l) : 0;
}

/* Link i fits s->at, which may be a copy without names.  Make *l point into the text at
 * hand, copy i with the names of that text, and return the copy; return i if none is
 * made. */
static HOT uint32_t with_names(const struct replay_fixed in, const struct look *s,
			       uint32_t i, struct line *l)
{
	const bool jump = in.r->link[i].flags & LINK_JUMP;
	uint32_t made = 0;

	if (s->at != s->p) {
		if (!jump)
			l->costs = in.r->plain->end - (l->end - l->costs);
		l->end = in.r->plain->end;
	}
	/* After a head that is not in the link the text is not found by the link's
	 * entry. */
	if (!l->newlines && (s->named || !s->block) && !s->again && !jump)
		made = replay_link_named(in.r, s->p, l->costs, i, in.err);
	return made ? made : i;
}

/* No link of entry cur fits the text at p as it is: maybe a block begins, which is
 * entered then, or names are written again.  The link that fits, and the line's numbers
 * in *l; 0: no link fits, or *in.err says that memory is out. */
static __attribute__((noinline)) uint32_t look(const struct replay_fixed in, uint32_t cur,
					       const char *p, struct line *l)
{
	struct look s = {.p = p, .at = p};

	for (;;) {
		uint32_t i = look_at(in, cur, &s, l);

		if (i && !in.err->kind)
			i = with_names(in, &s, i, l);
		if (in.err->kind)
			return 0;
		if (i || s.at != p || !replay_without_names(in.t, p, in.end, in.r->plain))
			return i;
		s.at = replay_plain(in.r->plain).p;
	}
}

#endif
