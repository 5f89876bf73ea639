/*
 * tally_head.c - diagnostics, header lines, and the state that a later stretch assumes.
 */
#include "index/base/err.h"
#include "index/tally/tally.h"

#include <stdlib.h>
#include <string.h>

#include "index/base/vec.h"
#include "index/format/event.h"
#include "index/tally/tally_in.h"

enum {
	TEXT_MAX = 200, /* bytes kept of a diagnostic's line */
};

/* ---- diagnostics ---- */

/* Count the newlines in p[0..n), eight bytes at a time. */
static uint64_t count_newlines(const char *p, size_t n)
{
	const uint64_t low7 = 0x7f7f7f7f7f7f7f7f;
	uint64_t lines = 0;
	size_t i = 0;

	for (; i + 8 <= n; i += 8) {
		uint64_t v;

		memcpy(&v, p + i, 8);
		v ^= 0x0a0a0a0a0a0a0a0a;
		v = ~(((v & low7) + low7) | v | low7) >> 7;
		lines += (v * 0x0101010101010101) >> 56;
	}
	for (; i < n; i++)
		lines += p[i] == '\n';
	return lines;
}

/* The number of r's line.  Lines are counted when one is asked for, from the last one
 * asked for; t->lines is the batch's first. */
uint64_t tally_line_of(struct tally *t, const struct batch *b, const struct row *r)
{
	if (t->diag.counted_in != b->text || t->diag.counted > r->at) {
		t->diag.counted_in = b->text;
		t->diag.counted = 0;
		t->diag.counted_lines = 0;
	}
	t->diag.counted_lines +=
		count_newlines(b->text + t->diag.counted, r->at - t->diag.counted);
	t->diag.counted = r->at;
	return t->lines + 1 + t->diag.counted_lines;
}

int tally_add_odd(struct tally *t, enum odd kind, uint64_t line, struct str text,
		  struct err *err)
{
	if (++t->diag.odds[kind] > ODD_KEPT)
		return 0;
	if (vec_reserve(&t->diag.odd, &t->diag.odd_cap, t->diag.nodd + 1,
			sizeof(*t->diag.odd)))
		return tally_no_memory(err);
	text = arena_str(&t->arena, str_cut(text, TEXT_MAX));
	if (!text.p)
		return tally_no_memory(err);
	t->diag.odd[t->diag.nodd++] =
		(struct odd_line){.kind = kind, .line = line, .text = text};
	return 0;
}

struct str tally_row_line(const struct batch *b, const struct row *r)
{
	struct str s = {b->text + r->at, b->bytes - r->at};

	s.n = str_find(s, '\n');
	return str_trim(s);
}

int tally_row_odd(struct tally *t, const struct batch *b, const struct row *r,
		  enum odd kind, struct err *err)
{
	return tally_add_odd(t, kind, tally_line_of(t, b, r), tally_row_line(b, r), err);
}

/* ---- header lines ---- */

int tally_room_for_sums(struct tally *t)
{
	const size_t n = t->fns.n * t->events.n, nedge = t->edges.n * (1 + t->events.n);

	return vec_reserve(&t->fns.self, &t->fns.self_cap, n, sizeof(*t->fns.self)) ||
			       vec_reserve(&t->edges.sum, &t->edges.sum_cap, nedge,
					   sizeof(*t->edges.sum))
		       ? -1
		       : 0;
}

/* The numbers of all entries, in a new array with room for t->nevent costs each in place
 * of `from`; entries get their place there.  NULL if memory is out. */
static uint64_t *wide_values(struct tally *t, size_t from, size_t *n, size_t *cap)
{
	const size_t to = t->events.n;
	uint64_t *val = NULL;

	*n = *cap = 0;
	if (vec_reserve(&val, cap, 1, 8))
		return NULL;
	for (size_t i = 1; i < t->entries.n; i++) {
		struct entry *e = &t->entries.at[i];
		/* Entries without numbers have no array. */
		const uint64_t *old = t->entries.val ? t->entries.val + e->val : val;
		const size_t room = e->kind_callee == ENTRY_HEAD
					    ? 0
					    : tally_values(t, e->kind_callee);

		if (vec_reserve(&val, cap, *n + room, 8)) {
			free(val);
			return NULL;
		}
		if (e->kind_callee != ENTRY_HEAD &&
		    ENTRY_KIND(e->kind_callee) == ENTRY_CALL) {
			/* With this part's sums: part_lines_read.c ends no part. */
			memcpy(val + *n, old, (from + 2) * 8);
			memcpy(val + *n + 2 + to, old + 2 + from, (from + 1) * 8);
		} else if (e->kind_callee != ENTRY_HEAD) {
			memcpy(val + *n, old,
			       (ENTRY_KIND(e->kind_callee) == ENTRY_COST ? from : room) *
				       8);
		}
		e->val = (uint32_t)*n;
		*n += room;
	}
	return val;
}

/* Sums of n things, `from` numbers each, in a new array with `to` each; NULL if memory is
 * out. */
static uint64_t *wide_sums(const uint64_t *sum, size_t n, size_t from, size_t to)
{
	uint64_t *wide = calloc(n * to + 1, 8);

	for (size_t i = 0; wide && i < n; i++)
		memcpy(wide + i * to, sum + i * from, from * 8);
	return wide;
}

/* Entries, functions and edges have nevent costs each: a new event in a later part moves
 * them all. */
static int tally_head_widen(struct tally *t, size_t from, struct err *err)
{
	const size_t to = t->events.n, n = t->fns.n, nedge = t->edges.n;
	uint64_t *val = NULL, *self = NULL, *edge = NULL;
	size_t nval = 0, cap = 0;
	int rc;

	t->events.n = from;
	rc = tally_room_for_sums(t);
	t->events.n = to;
	if (rc || !(self = wide_sums(t->fns.self, n, from, to)) ||
	    !(edge = wide_sums(t->edges.sum, nedge, from + 1, to + 1)) ||
	    !(val = wide_values(t, from, &nval, &cap))) {
		free(self);
		free(edge);
		return tally_no_memory(err);
	}
	free(t->entries.val);
	free(t->fns.self);
	free(t->edges.sum);
	free(t->fns.part_self);
	free(t->edges.part);
	t->entries.val = val;
	t->entries.nval = nval;
	t->entries.val_cap = cap;
	for (size_t i = 0; i < t->parts.ntouched_site; i++)
		t->parts.touched_site[i].val =
			t->entries.at[t->parts.touched_site[i].entry].val;
	t->fns.self = self;
	t->fns.self_cap = n * to;
	t->edges.sum = edge;
	t->edges.sum_cap = nedge * (to + 1);
	t->fns.part_self = t->edges.part = NULL;
	t->fns.part_self_cap = t->edges.part_cap = 0;
	if (vec_reserve(&t->fns.part_self, &t->fns.part_self_cap, n * to, 8) ||
	    vec_reserve(&t->edges.part, &t->edges.part_cap, nedge * (to + 1), 8))
		return tally_no_memory(err);
	return 0;
}

/* Make room for the costs of a line. */
static int room_for_line(struct tally *t)
{
	const size_t n = t->events.n;

	return vec_reserve(&t->now.run, &t->now.run_cap, n, sizeof(*t->now.run)) ||
	       vec_reserve(&t->pieces.cost, &t->pieces.cost_cap, n,
			   sizeof(*t->pieces.cost));
}

static uint32_t event_number(struct tally *t, struct str name)
{
	const uint32_t h = (uint32_t)str_hash(name);
	uint32_t probe = hash_start(&t->events.by, h), i;

	while ((i = hash_next(&t->events.by, h, &probe)) != HASH_NONE)
		if (str_eq(t->events.name[i], name))
			return i;
	name = arena_str(&t->arena, name);
	if (!name.p ||
	    vec_reserve(&t->events.name, &t->events.cap, t->events.n + 1,
			sizeof(*t->events.name)) ||
	    hash_add(&t->events.by, h, (uint32_t)t->events.n))
		return NONE;
	t->events.name[t->events.n] = name;
	return (uint32_t)t->events.n++;
}

int tally_too_many_events(struct err *err)
{
	err_set(err, ERR_LIMIT, 0, "the profile has more than %d different events",
		EVENTS_MAX);
	return err_hint(err, "no producer is known to write so many; is it a profile?");
}

void tally_know_spaced(struct tally *t, struct str event)
{
	const struct str name = str_trim((struct str){event.p, str_find(event, ':')});
	struct tally_events *to = &t->events;

	if (str_find(name, ' ') == name.n || str_find(name, '=') < name.n)
		return;
	for (size_t i = 0; i < to->nspaced; i++)
		if (str_eq(to->spaced[i], name))
			return;
	if (to->nspaced < SPACED_MAX)
		to->spaced[to->nspaced++] = name;
}

/* The next event of an events: line: the longest known name with blanks, or a word. */
static struct str next_event(const struct tally *t, struct str *s)
{
	const struct str line = str_trim(*s);
	size_t n = 0;

	for (size_t i = 0; i < t->events.nspaced; i++) {
		const struct str name = t->events.spaced[i];

		if (name.n > n && str_starts(line, name) &&
		    (line.n == name.n || line.p[name.n] == ' '))
			n = name.n;
	}
	if (!n)
		return str_word(s);
	*s = str_from(line, n);
	return (struct str){line.p, n};
}

static bool has_negative(struct str numbers)
{
	struct str f;

	while ((f = str_word(&numbers)).n)
		if (f.p[0] == '-')
			return true;
	return false;
}

/* col_of[] is never cleared: an entry counts only if col[] agrees. */
static bool is_column(const struct tally *t, uint32_t event)
{
	const uint32_t at = t->events.col_of[event];

	return at < t->events.ncol && t->events.col[at] == event;
}

/* Read an events: line: map columns to events. */
static int row_events(struct tally *t, const struct batch *b, const struct row *r,
		      struct str value, struct err *err)
{
	size_t before = t->events.n, ncol = t->events.ncol;
	struct str f;
	bool same = true;

	t->events.ncol = 0;
	t->events.col_is_event = true;
	if (before > EVENTS_MAX)
		return tally_too_many_events(err);
	while ((f = next_event(t, &value)).n && t->events.ncol < EVENTS_MAX) {
		const struct str word = event_word(&t->arena, f);
		uint32_t e = word.p ? event_number(t, word) : NONE;

		if (e == NONE ||
		    vec_reserve(&t->events.col, &t->events.col_cap, t->events.ncol + 1,
				sizeof(*t->events.col)) ||
		    vec_reserve(&t->events.col_of, &t->events.col_of_cap, t->events.n,
				sizeof(*t->events.col_of)))
			return tally_no_memory(err);
		if (is_column(t, e) && tally_row_odd(t, b, r, ODD_EVENT_TWICE, err))
			return err->kind;
		t->events.col_is_event &= e == t->events.ncol;
		same &= t->events.ncol < ncol && t->events.col[t->events.ncol] == e;
		t->events.col_of[e] = (uint32_t)t->events.ncol;
		t->events.col[t->events.ncol++] = e;
	}
	if (!same || t->events.ncol != ncol)
		t->now.meaning++;
	if (f.n && tally_row_odd(t, b, r, ODD_HEADER_VALUE, err))
		return err->kind;
	if (t->events.n > before) {
		if (room_for_line(t))
			return tally_no_memory(err);
		if (t->fns.n || t->edges.n || t->entries.n > 1)
			return tally_head_widen(t, before, err);
	}
	return 0;
}

/* The events of the columns, each one word. */
static struct str columns(struct tally *t)
{
	size_t n = 1;
	char *text, *end;

	for (size_t i = 0; i < t->events.ncol; i++)
		n += t->events.name[t->events.col[i]].n + 1;
	text = end = arena_alloc(&t->arena, n);
	for (size_t i = 0; text && i < t->events.ncol; i++) {
		const struct str name = t->events.name[t->events.col[i]];

		if (i)
			*end++ = ' ';
		memcpy(end, name.p, name.n);
		end += name.n;
	}
	return (struct str){text, (size_t)(end - text)};
}

/* Append a desc: line.  The room doubles, so many lines take linear time. */
static int append_desc(struct tally *t, struct part_slot *p, struct str value)
{
	struct str *desc = &p->value[KEY_DESC];
	size_t need = desc->n + 1 + value.n;
	char *room;

	if (need > p->desc_room) {
		room = arena_alloc(&t->arena, 2 * need);
		if (!room)
			return -1;
		memcpy(room, desc->p, desc->n);
		desc->p = room;
		p->desc_room = 2 * need;
	} else {
		room = (char *)(uintptr_t)desc->p; /* allocated here before */
	}
	room[desc->n] = '\n';
	if (value.n)
		memcpy(room + desc->n + 1, value.p, value.n);
	desc->n = need;
	return 0;
}

int tally_row_key(struct tally *t, const struct batch *b, const struct row *r,
		  struct err *err)
{
	struct part_slot *p = tally_part(t, t->parts.n - 1);
	struct str value = {r->p, r->len}, *old = &p->value[r->a];

	if (r->a == KEY_EVENT) {
		if (vec_reserve(&t->events.formula, &t->events.formula_cap,
				t->events.nformula + 1, sizeof(*t->events.formula)))
			return tally_no_memory(err);
		value = arena_str(&t->arena, value);
		if (!value.p)
			return tally_no_memory(err);
		t->events.formula[t->events.nformula++] =
			(struct formula){.text = value,
					 .line = tally_line_of(t, b, r),
					 .at = t->text_bytes + r->at};
		tally_know_spaced(t, value);
		return 0;
	}
	if (r->a == KEY_EVENTS && row_events(t, b, r, value, err))
		return err->kind;
	if (r->a == KEY_DESC && str_starts(value, STR("Files compared:")))
		t->difference = true;
	/* A run of PHP may free more memory than it takes. */
	if (r->a == KEY_SUMMARY && has_negative(value) && !t->log.on)
		t->difference = true;
	if (r->a == KEY_CREATOR && (t->now.apart != decode_apart(value) ||
				    t->now.begins != decode_begins(value))) {
		t->now.meaning++;
		t->now.apart = decode_apart(value);
		t->now.begins = decode_begins(value);
	}
	if (r->a == KEY_CREATOR)
		t->log.on = block_log_created(value);
	if (r->a == KEY_VERSION && block_log_versioned(value))
		t->log.on = true;
	if (r->a == KEY_POSITIONS && !str_eq(value, t->now.positions)) {
		t->now.meaning++;
		t->now.positions = arena_str(&t->arena, value);
	}
	p->line[r->a] = tally_line_of(t, b, r);
	if (r->a == KEY_DESC && old->n)
		return append_desc(t, p, value) ? tally_no_memory(err) : 0;
	*old = r->a == KEY_EVENTS ? columns(t) : arena_str(&t->arena, value);
	return old->p ? 0 : tally_no_memory(err);
}

int tally_assume(struct tally *t, const struct tally *head, struct err *err)
{
	for (size_t i = 0; i < head->events.n; i++)
		if (event_number(t, head->events.name[i]) == NONE)
			return tally_no_memory(err);
	if (room_for_line(t) || vec_reserve(&t->events.col, &t->events.col_cap,
					    head->events.ncol, sizeof(*t->events.col)))
		return tally_no_memory(err);
	for (size_t i = 0; i < head->events.ncol; i++)
		t->events.col[i] = head->events.col[i];
	t->events.ncol = head->events.ncol;
	t->events.col_is_event = head->events.col_is_event;
	t->now.positions = t->assumed.positions =
		arena_str(&t->arena, head->now.positions);
	t->now.apart = t->assumed.apart = head->now.apart;
	t->now.begins = t->assumed.begins = head->now.begins;
	t->log.on = t->assumed.logs = head->log.on;
	t->assumed.ncol = 0;
	if (!t->now.positions.p ||
	    vec_reserve(&t->assumed.col, &t->assumed.ncol, head->events.ncol,
			sizeof(*t->assumed.col)))
		return tally_no_memory(err);
	for (size_t i = 0; i < head->events.ncol; i++)
		t->assumed.col[i] = head->events.col[i];
	t->assumed.ncol = head->events.ncol;
	memcpy(t->events.spaced, head->events.spaced, sizeof(t->events.spaced));
	t->events.nspaced = t->assumed.nspaced = head->events.nspaced;
	return 0;
}

/* Whether the columns at the end of a, by name, are those that b assumed. */
static bool same_columns(const struct tally *a, const struct tally *b)
{
	if (a->events.ncol != b->assumed.ncol)
		return false;
	for (size_t i = 0; i < a->events.ncol; i++)
		if (!str_eq(a->events.name[a->events.col[i]],
			    b->events.name[b->assumed.col[i]]))
			return false;
	return true;
}

/* Whether a calls= of b depends on a cfn= before b. */
static bool calls_entry_cfn(const struct tally *b)
{
	for (size_t i = 0; i < b->fns.n; i++)
		if (b->fns.at[i].fn == NAME_ENTRY)
			return true;
	return false;
}

bool tally_follows(const struct tally *a, const struct tally *b)
{
	/* A cfn= that a itself only assumed is not known. */
	bool has_cfn = a->now.has_cfn && a->now.cfn != NAME_ENTRY;

	/* Lines that waited at the end of a may be something else, with b behind them. */
	if (a->waits.left || (b->waits.needed && (!a->waits.calls || a->waits.assumed)))
		return false;
	return a->now.has_fl && (has_cfn || !calls_entry_cfn(b)) && same_columns(a, b) &&
	       a->events.nspaced == b->assumed.nspaced &&
	       str_eq(a->now.positions, b->assumed.positions) &&
	       a->now.apart == b->assumed.apart && a->now.begins == b->assumed.begins &&
	       a->log.on == b->assumed.logs;
}
