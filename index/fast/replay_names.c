/*
 * replay_names.c - texts with names: written again after an id, or without any id; see
 * replay_in.h.
 *
 * In: text with names.  Out: its meaning, or the same text without the names, if each
 * name is the one that is known for its id; otherwise nothing: decode and tally read such
 * text.
 */
#include <string.h>

#include "index/fast/replay_in.h"

/* The length of "fn=" or the like at p, and the space of its names; 0: no link has such a
 * line. */
static size_t spec_at(const char *p, enum name_space *space)
{
	static const struct {
		char text[5];
		uint8_t n, space;
	} specs[] = {
		{"fn=(", 3, SPACE_FN},	 {"cfn=", 4, SPACE_FN},	  {"fl=(", 3, SPACE_FILE},
		{"fi=(", 3, SPACE_FILE}, {"fe=(", 3, SPACE_FILE}, {"cfi=", 4, SPACE_FILE},
		{"cfl=", 4, SPACE_FILE}, {"cob=", 4, SPACE_OBJ},  {"ob=(", 3, SPACE_OBJ},
		{"jfi=", 4, SPACE_FILE}, {"jfn=", 4, SPACE_FN},
	};

	for (size_t i = 0; i < sizeof(specs) / sizeof(specs[0]); i++)
		if (memcmp(p, specs[i].text, 4) == 0) {
			*space = (enum name_space)specs[i].space;
			return specs[i].n;
		}
	return 0;
}

/* The newline after the name at p, if it is the one that is known for id; or NULL.
 * Blanks around it would not be a part of the name. */
static const char *known_name_end(const struct tally *t, enum name_space space,
				  uint64_t id, const char *p, const char *stop)
{
	const struct names *names = &t->names[space];
	const uint32_t slot = names_defined(names, id);
	const struct str known = slot ? names->slot[slot].text : (struct str){0};

	if (known.n == 0 || known.n >= (size_t)(stop - p) || p[known.n] != '\n' ||
	    memcmp(p, known.p, known.n) != 0)
		return NULL;
	return (unsigned char)*p > ' ' && (unsigned char)p[known.n - 1] > ' '
		       ? p + known.n
		       : NULL;
}

/* The length of the line p[0..n) without a name: " malloc" at its end must be the known
 * one.  0: the line is something else. */
static size_t unnamed(const struct tally *t, const char *p, size_t n)
{
	enum name_space space;
	size_t skip = n > 5 ? spec_at(p, &space) : 0, digits;
	const char *q = p + skip + 1;
	uint64_t id;

	if (!skip || p[skip] != '(' || !digits_number(&q, &id) || *q != ')')
		return n > 6 && (memcmp(p, "calls=", 6) == 0 ||
				 memcmp(p, "jump=", 5) == 0 || memcmp(p, "jcnd=", 5) == 0)
			       ? n
			       : 0;
	digits = (size_t)(q + 1 - p);
	if (digits == n)
		return n;
	return q[1] == ' ' && known_name_end(t, space, id, q + 2, p + n + 1) ? digits : 0;
}

/* Text p goes on with a name where the line that ends at text[n], "cfn=(12)", does not:
 * the end of that name, if it is the known one; or NULL. */
static const char *named_line_end(const struct tally *t, const char *text, size_t n,
				  const char *p, const char *stop)
{
	enum name_space space = SPACE_FN;
	const char *line = text + n, *q;
	uint64_t id;

	if (*p != ' ' || text[n] != '\n')
		return NULL;
	while (line > text && line[-1] != '\n')
		line--;
	q = line + spec_at(line, &space) + 1;
	if (q == line + 1 || !digits_number(&q, &id) || *q != ')' || q + 1 != text + n)
		return NULL;
	return known_name_end(t, space, id, p + 1, stop);
}

const char *replay_name_end(const struct tally *t, const char *id, const char *p,
			    const char *end)
{
	const char *q = id;
	uint64_t n;

	if (*p != ' ' || !digits_number(&q, &n) || q + 1 != p)
		return NULL;
	q = known_name_end(t, SPACE_FN, n, p + 1, end + PLAIN_AFTER);
	return q ? q + 1 : NULL;
}

const char *replay_named(const struct tally *t, const struct text_link *k, const char *p,
			 const char *end, uint64_t *count)
{
	const char *text = link_text_of(k), *after;
	unsigned i = 0; /* bytes of text that were compared */
	bool counted = !(k->flags & LINK_CALL);

	/* p + i is compared with text + i. */
	for (;;) {
		uint64_t differ = load8(p + i) ^ load8(text + i);
		unsigned same = differ ? (unsigned)__builtin_ctzll(differ) >> 3 : 8;

		i += same;
		if (i >= k->len)
			return p + k->len;
		if (same == 8)
			continue;
		if (!counted && i >= k->before && i <= (unsigned)k->before + k->digits) {
			after = p + k->before;
			if (!digits_number(&after, count))
				return NULL;
			i = (unsigned)k->before + k->digits;
			counted = true;
		} else {
			after = named_line_end(t, text, i, p + i, end + PLAIN_AFTER);
			if (!after)
				return NULL;
		}
		p = after - i;
	}
}

/* True when the line p[0..n) begins with a position: it is not empty, a comment or a CR
 * alone. */
static bool begins_with_position(const char *p, size_t n)
{
	while (n && (*p == ' ' || *p == '\t')) {
		p++;
		n--;
	}
	return n && ((*p >= '0' && *p <= '9') || (*p >= '*' && *p <= '-'));
}

bool replay_without_names(const struct tally *t, const char *p, const char *end,
			  struct plain *plain)
{
	const char *stop = end + PLAIN_AFTER, *nl;
	char *out = plain->bytes + PLAIN_AT, *room = out + PLAIN_TEXT;
	bool last = false;

	for (; !last; p = nl + 1) {
		size_t n;

		nl = memchr(p, '\n', (size_t)(stop - p));
		if (!nl)
			return false;
		n = (size_t)(nl - p);
		last = n && (*p < 'a' || *p > 'z');
		if (n && !last && !(n = unnamed(t, p, n)))
			return false;
		if (last && !begins_with_position(p, n))
			return false;
		if (n >= (size_t)(room - out))
			return false;
		memcpy(out, p, n);
		out += n;
		*out++ = '\n';
	}
	plain->n = (size_t)(out - plain->bytes - PLAIN_AT);
	plain->end = nl + 1;
	return true;
}

/* ---- heads ---- */

/* The slot of the id whose digits are at p; 0: it was not met before. */
static uint32_t slot_at(const struct names *names, const char *p)
{
	uint64_t id;

	return digits_number(&p, &id) && *p == ')' && id < names->by_id_n
		       ? names->by_id[id]
		       : 0;
}

const struct head *replay_find_head(const struct tally *t, const struct head_text *text,
				    struct head *h)
{
	const uint32_t fl =
		text->fl_at ? slot_at(&t->names[SPACE_FILE], text->fl_at) : text->fl;

	if (!replay_block(t, text->ob, fl, slot_at(&t->names[SPACE_FN], text->fn_at), h))
		return NULL;
	h->fn_digits = text->fn_digits;
	h->fl_digits = text->fl_digits;
	return h;
}

size_t replay_unnamed_head(const char *p, const struct head_text *text,
			   char plain[LINK_WIDE])
{
	const size_t n = (size_t)(text->name - p);

	if (n > LINK_WIDE)
		return 0;
	memcpy(plain, p, n);
	plain[n - 1] = '\n';
	return n;
}

/* The slot of the name in the value of a line; 0: it was not met, or is written again. */
static uint32_t slot_of(const struct names *names, struct str value)
{
	struct str text;
	uint64_t id;

	switch (decode_name(value, &id, &text)) {
	case NAME_ID: return names_find(names, id);
	case NAME_TEXT: return names_find_text(names, text);
	default: return 0;
	}
}

/* True when the line at p is "fn=(12) name", as most lines that come here are. */
static bool named_again(const char *p)
{
	if (p[2] != '=' || p[3] != '(')
		return false;
	p += 4 + leading_digits(load8(p + 4));
	return *p == ')' && p[1] == ' ';
}

bool replay_read_head(const struct tally *t, const char **p, const char *end,
		      uint32_t *newlines, bool *fl, struct head *head)
{
	const char *stop = end + PLAIN_AFTER, *nl, *line = *p;
	uint32_t slot, file = t->fns.at[t->now.fn].fl, ob = t->now.ob;

	*fl = false;
	for (*newlines = 1; *newlines <= 8; ++*newlines, line = nl + 1) {
		struct str s;

		if (named_again(line))
			return false;
		nl = memchr(line, '\n', (size_t)(stop - line));
		if (!nl)
			return false;
		s = (struct str){line, (size_t)(nl - line)};
		if (s.n == 0 || (s.n == 1 && *line == '\r'))
			continue;
		if (s.n < 3 || line[2] != '=')
			return false;
		if (memcmp(line, "fn", 2) == 0)
			break;
		if (memcmp(line, "fl", 2) == 0) {
			slot = file = slot_of(&t->names[SPACE_FILE], str_from(s, 3));
			*fl = true;
		} else if (memcmp(line, "fe", 2) == 0) {
			slot = slot_of(&t->names[SPACE_FILE], str_from(s, 3));
		} else if (memcmp(line, "ob", 2) == 0) {
			slot = ob = slot_of(&t->names[SPACE_OBJ], str_from(s, 3));
		} else {
			return false;
		}
		if (!slot)
			return false;
	}
	if (*newlines > 8)
		return false;
	slot = slot_of(&t->names[SPACE_FN],
		       (struct str){line + 3, (size_t)(nl - line - 3)});
	if (!replay_block(t, ob, file, slot, head))
		return false;
	*p = nl + 1;
	return true;
}
