/*
 * replay_links.c - keep links, compare long ones, and make links of links; see
 * replay_in.h.
 */
#include <string.h>

#include "index/base/vec.h"
#include "index/fast/replay_in.h"

enum {
	LINKS_MAX =
		1
		<< 20, /* places of 64 bytes; then an entry's last link gives way, or none */
	WAYS = 128,    /* links of one entry */
	ASKED = 4,     /* so many of them are compared with a new one */
};

/* How many places k takes. */
static size_t width(const struct text_link *k)
{
	return 1 + ((size_t)k->len + 63 - LINK_TEXT) / 64;
}

bool replay_make_link_0(struct replay *r)
{
	if (r->n)
		return true;
	/* One place more: compares read a little after the text. */
	if (!replay_room(r) ||
	    vec_reserve_lines(&r->link, &r->cap, 2, sizeof(*r->link)) ||
	    vec_reserve(&r->link_more, &r->more_cap, 1, sizeof(*r->link_more)))
		return false;
	/* No text fits: a digit cannot follow a count. */
	r->link[r->n++] = (struct text_link){.from = UINT32_MAX,
					     .len = JUMP_WORD + 1,
					     .before = JUMP_WORD,
					     .flags = LINK_JUMP,
					     .text = {JUMP_MARK, [JUMP_WORD] = '0'}};
	r->link_more[0] = (struct link_more){.seen = r->past_size};
	return true;
}

static size_t replay_links_most(const struct replay *r)
{
	return r->most ? r->most : LINKS_MAX;
}

/* The number of a new link with so many places; 0 when memory is out. */
static uint32_t new_link(struct replay *r, size_t wide)
{
	const size_t i = r->n;

	if (vec_reserve_lines(&r->link, &r->cap, i + wide + 1, sizeof(*r->link)) ||
	    vec_reserve(&r->link_more, &r->more_cap, i + wide, sizeof(*r->link_more)))
		return 0;
	r->n += wide;
	r->link_more[i] = (struct link_more){0};
	return (uint32_t)i;
}

static bool same_link(const struct text_link *a, const struct text_link *b)
{
	return a->to == b->to && a->len == b->len &&
	       memcmp(link_text_of(a), link_text_of(b), a->len) == 0;
}

bool replay_link(struct replay *r, const struct text_link *new, uint32_t *made)
{
	uint32_t i = 0, *at, *last = NULL;
	size_t n = 0, wide = width(new);
	bool room;

	*made = 0;
	if (!replay_make_link_0(r) ||
	    vec_reserve(&r->step, &r->step_cap, (size_t) new->from + 1, sizeof(*r->step)))
		return false;
	room = r->n + wide <= replay_links_most(r);
	for (at = &r->step[new->from].first; *at; at = &r->link_more[*at].alt, n++) {
		/* A text that the loop does not find, after an unusual head for example,
		 * is learnt again. */
		if (n < ASKED && same_link(&r->link[*at], new)) {
			*made = *at;
			return true;
		}
		last = at;
	}
	if (last && (n >= WAYS || !room)) {
		i = *last;
		*last = 0;
		if (width(&r->link[i]) < wide)
			i = 0;
	}
	if (!i && !room) {
		r->full = true;
		return true;
	}
	if (!i && !(i = new_link(r, wide)))
		return false;
	r->idle = 0;
	memcpy(&r->link[i], new, wide * sizeof(*new));
	r->link_more[i].alt = r->step[new->from].first;
	r->link_more[i].seen = r->past_size;
	*made = r->step[new->from].first = i;
	return true;
}

bool replay_match_long(const struct text_link *k, const char **p, uint64_t *count)
{
	const char *text = link_text_of(k), *q = *p;
	size_t n = k->len;

	*count = k->count;
	if (k->flags & LINK_CALL) {
		if (memcmp(q, text, k->before) != 0)
			return false;
		q += k->before;
		if (!digits_number(&q, count))
			return false;
		n -= (size_t)k->before + k->digits;
		text += k->before + k->digits;
	}
	if (memcmp(q, text, n) != 0)
		return false;
	*p = q + n;
	return true;
}

/* Keep a copy of `new`, which was made of link `of`, in the place of the one made of it
 * the last time.  Its number, or 0: no room, or *err says that memory is out. */
static uint32_t keep_made(struct replay *r, const struct text_link *new, uint32_t of,
			  enum link_as as, struct err *err)
{
	uint32_t i = r->link_more[of].as[as];
	const size_t wide = width(new);

	if (!i || width(&r->link[i]) < wide) {
		if (r->n + wide > replay_links_most(r))
			return 0;
		i = new_link(r, wide);
		if (!i) {
			replay_no_memory(err);
			return 0;
		}
		r->link_more[of].as[as] = i;
	}
	memcpy(&r->link[i], new, wide * sizeof(*new));
	r->link_more[i].seen = r->past_size;
	return i;
}

/* True when link i's text is that of a, n bytes, and then b, m bytes. */
static bool text_is(const struct replay *r, uint32_t i, const char *a, size_t n,
		    const char *b, size_t m)
{
	const char *text = link_text_of(&r->link[i]);

	return i && r->link[i].len == n + m && memcmp(text, a, n) == 0 &&
	       memcmp(text + n, b, m) == 0;
}

uint32_t replay_link_head(struct replay *r, const struct block_head *head, uint32_t i,
			  struct err *err)
{
	const struct text_link *k = &r->link[i];
	const uint32_t made = r->link_more[i].as[LINK_WHOLE];
	const size_t n = (size_t)(head->end - head->p);
	const uint32_t newlines = head->newlines + (k->flags & LINK_NEWLINES);
	struct wide_link new = {.link = *k};

	if (text_is(r, made, head->p, n, link_text_of(k), k->len))
		return made;
	if (n + k->len > LINK_WIDE || newlines > NEWLINES_MAX || (k->flags & LINK_JUMP))
		return 0;
	memcpy(link_text(&new.link), head->p, n);
	memcpy(link_text(&new.link) + n, link_text_of(k), k->len);
	new.link.from = head->f;
	new.link.len = (uint8_t)(n + k->len);
	new.link.before = (uint8_t)(n + k->before);
	new.link.flags = (uint8_t)(LINK_HEAD | (head->fl ? LINK_FL : 0) |
				   (k->flags & LINK_CALL) | newlines);
	if (new.link.len > LINK_TEXT)
		new.link.flags |= LINK_LONG;
	return keep_made(r, &new.link, i, LINK_WHOLE, err);
}

uint32_t replay_link_named(struct replay *r, const char *p, const char *costs, uint32_t i,
			   struct err *err)
{
	const uint32_t made = r->link_more[i].as[LINK_NAMED];
	const size_t n = (size_t)(costs - p);
	struct wide_link new = {.link = r->link[i]};
	const char *count, *rest;
	uint64_t calls;

	if (text_is(r, made, p, n, "", 0))
		return made;
	if (n > LINK_WIDE)
		return 0;
	memcpy(link_text(&new.link), p, n);
	new.link.len = (uint8_t)n;
	new.link.flags |= LINK_LONG;
	if (new.link.flags & LINK_CALL) {
		count = memmem(p, n, "\ncalls=", 7);
		if (!count)
			return 0;
		rest = count += 7;
		/* The count of this text, which need not be that of link i. */
		if (!digits_number(&rest, &calls) || calls > UINT32_MAX)
			return 0;
		new.link.before = (uint8_t)(count - p);
		new.link.digits = (uint8_t)(rest - count);
		new.link.count = (uint32_t)calls;
	}
	return keep_made(r, &new.link, i, LINK_NAMED, err);
}
