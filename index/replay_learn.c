/*
 * replay_learn.c - learn a link from what decode and tally did; see replay.h.
 *
 * What a text means depends on what is said nowhere in it: the names that ids stand for, the
 * columns, the positions (tally.meaning counts their changes, and then all links go), the
 * position and file of the entry before (so links hang on that entry), the object (the
 * function's own), and a cfn= from further up (such texts are not learnt).
 */
#include <string.h>

#include "index/base/vec.h"
#include "index/replay_in.h"

enum {
	LINKS_MAX = 1 << 20, /* 64 MiB; further ones take the place of others */
	WAYS = 16,	     /* texts remembered behind one entry */
};

struct replay_before replay_note(const struct tally *t, const struct decode *d)
{
	bool plain = t->pending == PENDING_NONE && !t->has_cfi && !t->has_cob &&
		     !t->has_jfi && !t->has_jfn && !t->ob_moved;

	return (struct replay_before){t->cur_fn, t->cur, plain, replay_settled(t, d)};
}

/* Behind the positions of a line, each followed by one blank: where its costs begin; NULL
 * when it is too odd. */
static const char *costs_of(const struct decode *d, const char *line, const char *end)
{
	for (unsigned i = 0; i < d->nsub; i++) {
		const char *from = line;

		while (line < end && (unsigned char)*line > ' ')
			line++;
		if (line == from || line == end || *line != ' ')
			return NULL;
		line++;
	}
	return line < end && *line >= '0' && *line <= '9' ? line : NULL;
}

/* Behind fn= the base is another function's: only absolute positions mean the same.  The
 * line is one whose costs_of() were found. */
static bool absolute(const struct decode *d, const char *line)
{
	for (unsigned i = 0; i < d->nsub; i++) {
		if (*line < '0' || *line > '9')
			return false;
		while (*line != ' ')
			line++;
		line++;
	}
	return true;
}

/* Fill k's text (a wide_link's) from p up to the costs; false when it does not fit. */
static bool set_text(struct link *k, const char *p, const char *costs, const char *count)
{
	const char *rest = count;
	uint64_t n = 0;

	if (costs - p > LINK_WIDE || (count && count - p > LINK_TEXT))
		return false;
	if (count) {
		while (*rest >= '0' && *rest <= '9' && n < UINT32_MAX)
			n = n * 10 + (uint64_t)(*rest++ - '0');
		if (n > UINT32_MAX || rest == count || (*rest != ' ' && *rest != '\n'))
			return false; /* 0x1f, say */
		k->before = (uint8_t)(count - p);
		k->digits = (uint8_t)(rest - count);
		k->count = (uint32_t)n;
		k->flags |= LINK_CALL;
	}
	k->len = (uint8_t)(costs - p);
	if (k->len > LINK_TEXT)
		k->flags |= LINK_LONG;
	memcpy(link_text(k), p, k->len);
	return true;
}

/* Links that k takes the place of. */
static size_t width(const struct link *k)
{
	return k->flags & LINK_LONG ? 2 : 1;
}

/* Make link 0.  0, or -1 when memory is out. */
static int make_none(struct replay *r)
{
	if (r->n)
		return 0;
	/* One more: compares read a little behind the text. */
	if (vec_reserve_lines(&r->link, &r->cap, 2, sizeof(*r->link)))
		return -1;
	r->link[r->n++] = (struct link){.flags = LINK_JUMP, .text = {JUMP_MARK}};
	return 0;
}

int replay_link(struct replay *r, uint32_t entry, const struct link *new)
{
	uint32_t i, *at;
	const size_t most = r->most ? r->most : LINKS_MAX;
	size_t n = 0, wide = width(new);
	unsigned more = r->heads_help;
	bool head = false;

	if (vec_reserve(&r->step, &r->step_cap, (size_t)entry + 1, sizeof(*r->step)))
		return -1;
	/* A head takes the place of a head where there are as many as find() looks at; others
	 * that of the one used longest ago. */
	at = &r->step[entry].first;
	for (; *at && r->link[*at].alt; n++) {
		head = (r->link[*at].flags & new->flags &LINK_HEAD) && more-- == 0;
		if (head)
			break;
		at = &r->link[*at].alt;
	}
	i = *at;
	if (i && (head || n + 1 >= WAYS || r->n + wide > most)) {
		*at = r->link[i].alt;
		if (width(&r->link[i]) < wide)
			i = 0;
	} else {
		i = 0;
	}
	if (!i) {
		if (r->n + wide > most) {
			r->full = true;
			return 0;
		}
		if (make_none(r) || vec_reserve_lines(&r->link, &r->cap, r->n + wide + 1,
						      sizeof(*r->link)))
			return -1;
		i = (uint32_t)r->n;
		r->n += wide;
	}
	memcpy(&r->link[i], new, wide * sizeof(*new));
	r->link[i].alt = r->step[entry].first;
	r->step[entry].first = i;
	return 0;
}

/* ---- texts without names ---- */

/* Length of "fn=" at p and the space of its names; 0 for what no link begins with. */
static size_t spec_at(const char *p, enum name_space *space)
{
	static const struct {
		char text[5];
		uint8_t n, space;
	} specs[] = {
		{"fn=(", 3, SPACE_FN},	 {"cfn=", 4, SPACE_FN},	  {"fl=(", 3, SPACE_FILE},
		{"fi=(", 3, SPACE_FILE}, {"fe=(", 3, SPACE_FILE}, {"cfi=", 4, SPACE_FILE},
		{"cfl=", 4, SPACE_FILE}, {"cob=", 4, SPACE_OBJ},  {"ob=(", 3, SPACE_OBJ},
	};

	for (size_t i = 0; i < sizeof(specs) / sizeof(specs[0]); i++)
		if (memcmp(p, specs[i].text, 4) == 0) {
			*space = (enum name_space)specs[i].space;
			return specs[i].n;
		}
	return 0;
}

/* Behind the name at p, up to a newline, where it is the one that is known for id; or NULL.
 * Blanks around it would not be the name's. */
static const char *behind_known(const struct tally *t, enum name_space space, uint64_t id,
				const char *p, const char *stop)
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

/* Bytes of the line p[0..n) that say no name: all but " malloc", which must be the name that
 * is known.  0: the line is something else. */
static size_t unnamed(const struct tally *t, const char *p, size_t n)
{
	enum name_space space;
	size_t skip = n > 5 ? spec_at(p, &space) : 0, digits;
	const char *q = p + skip + 1;
	uint64_t id;

	if (!skip || p[skip] != '(' || !digits_number(&q, &id) || *q != ')')
		return n > 6 && memcmp(p, "calls=", 6) == 0 ? n : 0;
	digits = (size_t)(q + 1 - p);
	if (digits == n)
		return n;
	return q[1] == ' ' && behind_known(t, space, id, q + 2, p + n + 1) ? digits : 0;
}

/* Behind the name that is said at p and not in the line that ends at text[n], "cfn=(12)",
 * where it is the one that is known; or NULL. */
static const char *behind_name(const struct tally *t, const char *text, size_t n,
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
	return behind_known(t, space, id, p + 1, stop);
}

const char *replay_named(const struct tally *t, const struct link *k, const char *p,
			 const char *end, uint64_t *count)
{
	const char *text = link_text_of(k), *behind;
	unsigned i = 0; /* bytes of text that were compared */
	bool counted = !(k->flags & LINK_CALL);

	/* p + i is what text + i is compared with. */
	for (;;) {
		uint64_t differ = load8(p + i) ^ load8(text + i);
		unsigned same = differ ? (unsigned)__builtin_ctzll(differ) >> 3 : 8;

		i += same;
		if (i >= k->len)
			return p + k->len;
		if (same == 8)
			continue;
		if (!counted && i >= k->before && i <= (unsigned)k->before + k->digits) {
			behind = p + k->before;
			if (!digits_number(&behind, count))
				return NULL;
			i = (unsigned)k->before + k->digits;
			counted = true;
		} else {
			behind = behind_name(t, text, i, p + i, end + PLAIN_BEHIND);
			if (!behind)
				return NULL;
		}
		p = behind - i;
	}
}

bool replay_without_names(const struct tally *t, const char *p, const char *end,
			  struct plain *plain)
{
	const char *stop = end + PLAIN_BEHIND, *nl;
	char *out = plain->bytes + PLAIN_AT, *room = out + PLAIN_TEXT;

	for (;; p = nl + 1) {
		size_t n;

		nl = memchr(p, '\n', (size_t)(stop - p));
		if (!nl || (size_t)(nl - p) >= (size_t)(room - out))
			return false;
		n = (size_t)(nl - p);
		if (n && (*p < 'a' || *p > 'z'))
			break;
		if (n && !(n = unnamed(t, p, n)))
			return false;
		memcpy(out, p, n);
		out += n;
		*out++ = '\n';
	}
	memcpy(out, p, (size_t)(nl + 1 - p));
	plain->n = (size_t)(out + (nl + 1 - p) - plain->bytes - PLAIN_AT);
	plain->end = nl + 1;
	return true;
}

/* ---- learning ---- */

/* The rows of one entry: [fl= fn=] or [fi=], [cob= cfi= cfn= calls=], its line. */
static bool plain_rows(const struct batch *b, bool *block, const struct row **calls)
{
	bool fl = false, cfn = false, called = false;

	*block = false;
	*calls = NULL;
	for (size_t i = 0; i + 1 < b->n; i++) {
		const struct row *r = &b->row[i];

		switch ((enum row_kind)r->kind) {
		case ROW_FN: *block = true; break;
		case ROW_FL: fl = true; break;
		case ROW_FI: break;
		case ROW_CFN: cfn = called = true; break;
		case ROW_CFI:
		case ROW_COB: called = true; break;
		case ROW_CALLS:
			/* Anything between it and its line: the call was dropped. */
			if (i + 2 != b->n)
				return false;
			*calls = r;
			break;
		default: return false;
		}
	}
	/* cfi= and its like without calls= are for a later call, fl= without fn= for a later
	 * block. */
	return (*calls ? cfn : !called) && (!fl || *block);
}

/* A jump and its line, "jump=12 +20 0 \n* 0 \n", from the start of b on: k's text. */
static bool set_jump_text(struct link *k, const struct batch *b)
{
	const char *p = b->text, *digits = p + 5, *rest = digits;
	const char *slash = NULL;
	bool cond = b->row[0].kind == ROW_JCND;

	if (b->n != 2 || b->row[0].at != 0 || b->row[1].nc != 0 || b->bytes < 8 ||
	    b->bytes - 1 > LINK_TEXT ||
	    (b->row[0].kind != ROW_JUMP && b->row[0].kind != ROW_JCND))
		return false;
	k->flags |= LINK_JUMP;
	while ((*rest >= '0' && *rest <= '9') || (*rest == '/' && cond && !slash)) {
		if (*rest == '/')
			slash = rest;
		rest++;
	}
	/* Both counts are plain numbers, and a blank follows. */
	if (memcmp(p, cond ? "jcnd=" : "jump=", 5) != 0 || *rest != ' ' ||
	    rest == digits || (cond && (!slash || slash == digits || slash + 1 == rest)))
		return false;
	k->before = JUMP_BEFORE;
	k->digits = (uint8_t)(rest - digits);
	k->len = (uint8_t)(b->bytes - 1);
	memcpy(k->text, p, k->len);
	k->text[0] = JUMP_MARK;
	return true;
}

/* True when k, of `entry`, is kept as a step; no link is needed then.  *rc: 0, or -1 when
 * memory is out. */
static bool keep_step(struct replay *r, uint32_t entry, const struct link *k,
		      const struct tally *t, int *rc)
{
	struct step *step;

	*rc = 0;
	/* A head's line is looked up as a link, too (look() in replay_loop.inc). */
	if (t->ncol != 1 || k->to != entry + 1 || k->len > STEP_TEXT || k->flags != 1)
		return false;
	*rc = make_none(r) || vec_reserve(&r->step, &r->step_cap, (size_t)entry + 1,
					  sizeof(*r->step))
		      ? -1
		      : 0;
	step = &r->step[entry];
	if (*rc || step->len)
		return *rc != 0;
	memcpy(step->text, k->text, STEP_TEXT);
	step->len = k->len;
	return t->entry[entry].what != ENTRY_HEAD;
}

/* Link `entry` to the tally's current one by k; text is its text with the costs. */
static int keep_link(struct replay *r, uint32_t entry, struct link *k,
		     const struct tally *t, struct str text, struct err *err)
{
	const char *end = text.p + text.n;
	unsigned newlines = 0;
	int rc;

	for (const char *p = text.p; (p = memchr(p, '\n', (size_t)(end - p))); p++)
		newlines++;
	if (newlines > NEWLINES_MAX)
		return 0;
	k->flags |= (uint8_t)newlines;
	k->to = t->cur;
	k->val = t->entry[t->cur].val;
	if (!keep_step(r, entry, k, t, &rc))
		rc = replay_link(r, entry, k);
	if (rc)
		return err_set(err, ERR_LIMIT, 0, "out of memory while tallying");
	return 0;
}

/* The text that a link of these rows would have: from the start, or, at a block, from behind
 * its fn= line; no names in it.  n 0: it cannot have one. */
static struct str text_of(const struct batch *b, bool block, const struct tally *t,
			  struct plain *plain)
{
	const char *from = b->text, *end = b->text + b->bytes;
	bool named = false;
	size_t i = 0;

	if (block) {
		for (i = b->n - 1; b->row[i].kind != ROW_FN; i--)
			if (b->row[i].kind == ROW_FL)
				return STR("");
		from = memchr(b->text + b->row[i].at, '\n', b->bytes - b->row[i].at);
		from++;
		i++;
	}
	for (; i < b->n; i++)
		named |= b->row[i].kind != ROW_COST && (b->row[i].flags & NAME_TEXT);
	if (!named)
		return (struct str){from, (size_t)(end - from)};
	return replay_without_names(t, from, end, plain) ? replay_plain(plain) : STR("");
}

/* Where the last line of text begins, which ends with a newline. */
static const char *last_line(struct str text)
{
	const char *nl = text.n > 1 ? memrchr(text.p, '\n', text.n - 1) : NULL;

	return nl ? nl + 1 : text.p;
}

int replay_learn(struct replay *r, const struct replay_before *before,
		 const struct tally *t, const struct decode *d, const struct batch *b,
		 struct err *err)
{
	const struct row *last = b->n ? &b->row[b->n - 1] : NULL, *calls;
	const char *line, *costs, *count = NULL;
	struct wide_link made = {0};
	struct link *const k = &made.link;
	struct str text;
	bool block;

	if (!last || last->kind != ROW_COST || t->cur_fn == UINT32_MAX || t->in_once ||
	    !before->plain || r->meaning != t->meaning)
		return 0;
	if (before->fn == t->cur_fn && before->settled && set_jump_text(k, b))
		return keep_link(r, before->entry, k, t, (struct str){b->text, b->bytes},
				 err);
	if (last->nc == 0 || !plain_rows(b, &block, &calls) || replay_room(r))
		return 0;
	if (!block && (before->fn != t->cur_fn || !before->settled))
		return 0;
	text = text_of(b, block, t, r->plain);
	line = last_line(text);
	costs = text.n ? costs_of(d, line, text.p + text.n) : NULL;
	/* A block's link hangs on its head, where the positions before are another one's. */
	if (!costs || (block && !absolute(d, line)))
		return 0;
	if (calls) {
		count = last_line((struct str){text.p, (size_t)(line - text.p)}) + 6;
		if (count >= line || memcmp(count - 6, "calls=", 6) != 0)
			return 0;
	}
	if (!set_text(k, text.p, costs, count))
		return 0;
	return keep_link(r, block ? t->fn[t->cur_fn].head : before->entry, k, t, text,
			 err);
}
