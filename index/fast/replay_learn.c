/*
 * replay_learn.c - learn a link from what decode and tally did; see replay.h.
 *
 * In: a batch of rows that decode and tally took, and the state before it.  Out: a link
 * from the entry before to the entry that the tally is at, or nothing.
 *
 * A link may be used only where its text means the same again.  That depends on more than
 * the text:
 *
 *	names of ids, columns, positions	tally.now.meaning counts their changes, which drop all links
 *	the base of positions			a link is tried only after its entry, which has that base;
 *						it leads to an entry that has the base of the next line
 *	the object				is that of the function
 *	a cfn= before the text			such texts are not learnt
 */
#include <string.h>

#include "index/base/vec.h"
#include "index/fast/numbers.h"
#include "index/fast/replay_in.h"

struct replay_before replay_note(const struct tally *t, const struct decode *d)
{
	bool plain = t->now.pending == PENDING_NONE && !t->now.has_cfi &&
		     !t->now.has_cob && !t->now.has_jfi && !t->now.has_jfn &&
		     !t->now.moved && t->now.inlined == NAME_ABSENT;

	return (struct replay_before){t->now.fn, t->now.entry, plain,
				      replay_settled(t, d)};
}

/* Where the costs of the line begin, after its positions, each followed by one blank;
 * NULL when the line has another form.  *absolute: no position is relative to the line
 * before. */
static const char *costs_of(const struct decode *d, const char *line, const char *end,
			    bool *absolute)
{
	*absolute = true;
	for (unsigned i = 0; i < d->nsub; i++) {
		const char *from = line;

		*absolute &= *line >= '0' && *line <= '9';
		while (line < end && (unsigned char)*line > ' ')
			line++;
		if (line == from || line == end || *line != ' ')
			return NULL;
		line++;
	}
	return line < end && *line >= '0' && *line <= '9' ? line : NULL;
}

/* Whether all positions of the target of a call are absolute: " 0x10 12" after the count. */
static bool absolute_target(const char *count)
{
	for (; *count != '\n'; count++)
		if (*count == ' ' && strchr("+-*", count[1]))
			return false;
	return true;
}

/* Set the text of k, a wide_link, to p[0..costs); count: where the count of a call is, or
 * NULL.  False: the text is too long, or the count is not a plain number. */
static bool set_text(struct text_link *k, const char *p, const char *costs,
		     const char *count)
{
	const char *rest = count;
	uint64_t n = 0;

	if (costs - p > LINK_WIDE)
		return false;
	if (count) {
		if (!digits_number(&rest, &n) || n > UINT32_MAX ||
		    (*rest != ' ' && *rest != '\n'))
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

/* True when the rows are those of one entry: [fl= fn=] or [fi=], [cob= cfi= cfn= calls=],
 * its line.  *block: with fn=.  *calls: the row of calls=, or NULL. */
static bool plain_rows(const struct batch *b, bool *block, const struct row **calls)
{
	bool fl = false, cfn = false, called = false;

	*block = false;
	*calls = NULL;
	for (size_t i = 0; i + 1 < b->n; i++) {
		const struct row *r = &b->row[i];

		switch ((enum line_kind)r->kind) {
		case LINE_FN: *block = true; break;
		case LINE_FL: fl = true; break;
		case LINE_FI: break;
		case LINE_CFN: cfn = called = true; break;
		case LINE_CFI:
		case LINE_COB: called = true; break;
		case LINE_CALLS:
			/* Something is between it and its line: the call was dropped. */
			if (i + 2 != b->n)
				return false;
			*calls = r;
			break;
		default: return false;
		}
	}
	/* cfi= and its like without calls= are for a later call, fl= without fn= for a
	 * later block. */
	return (*calls ? cfn : !called) && (!fl || *block);
}

/* Where the last line of the text begins; the text ends with a newline. */
static const char *last_line(struct str text)
{
	const char *nl = text.n > 1 ? memrchr(text.p, '\n', text.n - 1) : NULL;

	return nl ? nl + 1 : text.p;
}

/* True when the rows are those of a jump and its line, and maybe jfi= and jfn= before
 * it. */
static bool jump_rows(const struct batch *b)
{
	const struct row *jump = b->n < 2 ? NULL : &b->row[b->n - 2];

	if (!jump || jump[1].nc != 0 ||
	    (jump->kind != LINE_JUMP && jump->kind != LINE_JCND))
		return false;
	for (const struct row *r = b->row; r < jump; r++)
		if (r->kind != LINE_JFI && r->kind != LINE_JFN)
			return false;
	return true;
}

/* Set the text of k to that of such rows, "jfi=(3)\njump=12 +20 0 \n* 0 \n", without the
 * counts; false when it has another form. */
static bool set_jump_text(struct text_link *k, struct str text)
{
	const char *end = text.p + text.n - 1, *line = last_line(text), *slash = NULL;
	const char *jump = last_line((struct str){text.p, (size_t)(line - text.p)});
	const char *digits = jump + JUMP_WORD, *rest = digits;
	const size_t before = (size_t)(digits - text.p);
	size_t n;
	bool cond;

	if (digits >= line || before > LINK_TEXT || *text.p != 'j')
		return false;
	cond = memcmp(jump, "jcnd=", JUMP_WORD) == 0;
	if (!cond && memcmp(jump, "jump=", JUMP_WORD) != 0)
		return false;
	while ((*rest >= '0' && *rest <= '9') || (*rest == '/' && cond && !slash)) {
		if (*rest == '/')
			slash = rest;
		rest++;
	}
	/* Both counts are plain numbers, and a blank follows. */
	n = (size_t)(end - rest);
	if (*rest != ' ' || rest == digits || before + n > LINK_TEXT ||
	    (cond && (!slash || slash == digits || slash + 1 == rest)))
		return false;
	k->flags |= LINK_JUMP;
	k->before = (uint8_t)before;
	k->len = (uint8_t)(before + n);
	memcpy(k->text, text.p, before);
	memcpy(k->text + before, rest, n);
	k->text[0] = JUMP_MARK;
	return true;
}

static inline void set_step(struct text_step *step, const char *p, size_t n)
{
	memcpy(step->text, p, STEP_TEXT);
	step->len = (uint8_t)n;
	step->other = (uint16_t)(0xffffu << n);
}

/* Keep k as a step if it can be one (*kept): then no link is needed.  False when memory
 * is out. */
static bool keep_step(struct replay *r, const struct text_link *k, const struct tally *t,
		      bool *kept)
{
	struct text_step *step;

	*kept = false;
	/* While the past is followed, lines of several columns are all links.  The first
	 * line of a block must be a link: others are made of it (replay_link_head()). */
	if ((t->events.ncol > 1 && r->follow) || k->to != k->from + 1 ||
	    k->len > STEP_TEXT || k->flags != 1 /* one newline, no flag */ ||
	    t->entries.at[k->from].kind_callee == ENTRY_HEAD)
		return true;
	if (!replay_make_link_0(r) ||
	    vec_reserve(&r->step, &r->step_cap, (size_t)k->from + 1, sizeof(*r->step)))
		return false;
	step = &r->step[k->from];
	if (step->len)
		return true;
	set_step(step, k->text, k->len);
	r->idle = 0;
	*kept = true;
	return true;
}

const char *replay_positions(const struct replay *r, const struct tally *t, uint32_t cur,
			     const char *p, struct positions *at)
{
	const struct entry *e = &t->entries.at[cur];
	const char *const from = p;

	*at = (struct positions){e->instr, e->line, e->file, 1};
	if (*p == 'f') {
		if (memcmp(p, "fi=(", 4) != 0 && memcmp(p, "fe=(", 4) != 0)
			return NULL;
		p += 4;
		at->file = number_name(&t->names[SPACE_FILE], &p);
		at->newlines = 2;
		if (!at->file)
			return NULL;
	}
	for (unsigned i = 0; i < r->nsub; i++)
		if (!number_take(&p, r->sub[i] == SUB_INSTR ? &at->instr : &at->line))
			return NULL;
	return *p >= '0' && *p <= '9' && p - from <= LINK_TEXT ? p : NULL;
}

/* The start of the line after the one with the costs at p, which are not read. */
static inline const char *replay_learn_next_line(const char *p, const char *end)
{
	const unsigned n = leading_digits(load8(p));

	if (p[n] == '\n')
		return p + n + 1;
	p = p < end ? memchr(p, '\n', (size_t)(end - p)) : NULL;
	return p ? p + 1 : end;
}

bool replay_learn_steps(struct replay *r, const struct tally *t, uint32_t cur,
			const char *p, const char *end)
{
	const uint32_t first = cur;

	while (p < end && cur + 1 < t->entries.n) {
		const struct entry *e = &t->entries.at[cur];
		struct positions at;
		const char *costs;

		if (e->next != cur + 1 || r->step[cur].len ||
		    e[1].kind_callee != ENTRY_KIND_CALLEE(ENTRY_COST, 0) ||
		    e[1].file != e->file)
			break;
		costs = replay_positions(r, t, cur, p, &at);
		if (!costs || costs - p > STEP_TEXT || at.newlines > 1 ||
		    at.instr != e[1].instr || at.line != e[1].line)
			break;
		set_step(&r->step[cur], p, (size_t)(costs - p));
		p = replay_learn_next_line(costs, end);
		cur++;
	}
	if (cur == first)
		return false;
	r->idle = 0;
	return true;
}

bool replay_learn_line(struct replay *r, struct tally *t, uint32_t cur, const char *p,
		       const char *costs, const struct positions *at)
{
	const size_t n = (size_t)(costs - p);
	struct text_link k = {
		.from = cur, .len = (uint8_t)n, .flags = (uint8_t)at->newlines};
	uint32_t i = 0;

	k.to = tally_line_entry(t, cur, at->file, at->instr, at->line);
	if (!k.to || vec_reserve(&r->step, &r->step_cap, t->entries.n, sizeof(*r->step)))
		return false;
	if (k.to == cur + 1 && n <= STEP_TEXT && at->newlines == 1 && !r->step[cur].len) {
		set_step(&r->step[cur], p, n);
	} else {
		k.val = t->entries.at[k.to].val;
		memcpy(k.text, p, n);
		if (!replay_link(r, &k, &i) || !i)
			return false;
	}
	r->idle = 0;
	return true;
}

/* Link `entry` to the tally's current one by k, whose text is `text` with the costs. */
static int keep_link(struct replay *r, uint32_t entry, struct text_link *k,
		     const struct tally *t, struct str text, struct err *err)
{
	const char *end = text.p + text.n;
	unsigned newlines = 0;
	uint32_t i = 0;
	bool kept;

	for (const char *p = text.p; (p = memchr(p, '\n', (size_t)(end - p))); p++)
		newlines++;
	if (newlines > NEWLINES_MAX)
		return 0;
	k->flags |= (uint8_t)newlines;
	k->from = entry;
	/* After a call that left the base, the tally is at the head again: the call is
	 * its next entry. */
	k->to = tally_is_head(t, t->now.entry) ? t->entries.at[t->now.entry].next
					       : t->now.entry;
	k->val = t->entries.at[k->to].val;
	if (!keep_step(r, k, t, &kept) || (!kept && !replay_link(r, k, &i)))
		return replay_no_memory(err);
	if (i && r->follow)
		replay_took(r, i);
	return 0;
}

/* The text of a link for these rows: all of it, or the part after the fn= line of a
 * block; names that are written again are left out.  Empty: there can be no link. */
static struct str replay_learn_text_of(const struct batch *b, bool block,
				       const struct tally *t, struct plain *plain)
{
	const char *from = b->text, *end = b->text + b->bytes;
	bool named = false;
	size_t i = 0;

	if (block) {
		for (i = b->n - 1; b->row[i].kind != LINE_FN; i--)
			if (b->row[i].kind == LINE_FL)
				return STR("");
		from = memchr(b->text + b->row[i].at, '\n', b->bytes - b->row[i].at);
		from++;
		i++;
	}
	for (; i < b->n; i++)
		named |= b->row[i].kind != LINE_COST &&
			 b->row[i].flags == (NAME_ID | NAME_TEXT);
	if (!named)
		return (struct str){from, (size_t)(end - from)};
	return replay_without_names(t, from, end, plain) ? replay_plain(plain) : STR("");
}

int replay_learn(struct replay *r, const struct replay_before *before,
		 const struct tally *t, const struct decode *d, const struct batch *b,
		 struct err *err)
{
	const struct row *last = b->n ? &b->row[b->n - 1] : NULL, *calls;
	const char *line, *costs, *count = NULL;
	struct wide_link made = {0};
	struct text_link *const k = &made.link;
	struct str text;
	bool block, head, absolute;

	r->idle++;
	if (!last || last->kind != LINE_COST || t->now.fn == UINT32_MAX ||
	    t->pieces.open || !before->plain || r->meaning != t->now.meaning ||
	    !replay_settled(t, d))
		return 0;
	head = tally_is_head(t, before->entry);
	if (before->fn == t->now.fn && before->settled && !head && jump_rows(b)) {
		text = replay_room(r) ? replay_learn_text_of(b, false, t, r->plain)
				      : STR("");
		return text.n && set_jump_text(k, text)
			       ? keep_link(r, before->entry, k, t, text, err)
			       : 0;
	}
	if (last->nc == 0 || !plain_rows(b, &block, &calls) || !replay_room(r))
		return 0;
	if (!block && (before->fn != t->now.fn || !before->settled))
		return 0;
	text = replay_learn_text_of(b, block, t, r->plain);
	line = last_line(text);
	costs = text.n ? costs_of(d, line, text.p + text.n, &absolute) : NULL;
	/* The first link of a block belongs to its head; the base there is another
	 * function's, so that relative positions would not mean the same again. */
	if (!costs || ((block || head) && !absolute))
		return 0;
	if (calls) {
		count = last_line((struct str){text.p, (size_t)(line - text.p)}) + 6;
		if (count >= line || memcmp(count - 6, "calls=", 6) != 0)
			return 0;
		if ((block || head) && t->now.begins && !absolute_target(count))
			return 0;
	}
	if (!set_text(k, text.p, costs, count))
		return 0;
	return keep_link(r, block ? t->fns.at[t->now.fn].head : before->entry, k, t, text,
			 err);
}
