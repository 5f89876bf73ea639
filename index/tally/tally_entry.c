/*
 * tally_entry.c - the entries of a function: find or add one, and make them of a packed
 * piece.
 *
 * Each entry remembers its successor (tally.c).  Only when a block leaves that order are
 * the entries of its function hashed, by position, file and kind.
 */
#include <errno.h>
#include <string.h>

#include "index/base/vec.h"
#include "index/tally/tally_in.h"

/* Backward steps in position among a million lines; with more, the lines count as
 * repeated. */
enum {
	REPEATS = 16,
	LINES_IN_PIECE = 3, /* per 8 bytes, estimated */
};

/* Add an entry with n numbers, zeroed; 0 if memory is out. */
static uint32_t new_entry(struct tally *t, uint32_t fn, size_t n)
{
	uint32_t i = (uint32_t)t->entries.n;

	if (t->entries.n >= NONE || t->entries.nval + n >= NONE ||
	    vec_reserve_raw(&t->entries.at, &t->entries.cap, t->entries.n + 1,
			    sizeof(*t->entries.at)) ||
	    vec_reserve_raw(&t->entries.fn, &t->entries.fn_cap, t->entries.n + 1,
			    sizeof(*t->entries.fn)) ||
	    vec_reserve_raw(&t->entries.val, &t->entries.val_cap, t->entries.nval + n,
			    sizeof(*t->entries.val)))
		return 0;
	t->entries.at[i] = (struct entry){.val = (uint32_t)t->entries.nval};
	t->entries.fn[i] = fn;
	for (size_t k = 0; k < n; k++)
		t->entries.val[t->entries.nval + k] = 0;
	t->entries.nval += n;
	t->entries.n++;
	return i;
}

static uint32_t entry_hash(uint32_t fn, const struct tally_key *k)
{
	return tally_hash(k->instr + ((uint64_t)k->kind_callee << 32),
			  k->line + ((uint64_t)k->file << 32), fn);
}

static uint32_t find_entry(const struct tally *t, uint32_t fn, const struct tally_key *k)
{
	uint32_t h = entry_hash(fn, k), probe = hash_start(&t->entries.by, h), i;

	while ((i = hash_next(&t->entries.by, h, &probe)) != HASH_NONE)
		if (t->entries.fn[i] == fn && tally_same_entry(t, i, k))
			return i;
	return 0;
}

static struct tally_key tally_entry_key_of(const struct tally *t, uint32_t i)
{
	const struct entry *e = &t->entries.at[i];
	bool jump =
		e->kind_callee != ENTRY_HEAD && ENTRY_KIND(e->kind_callee) >= ENTRY_JUMP;

	return (struct tally_key){e->instr, e->line, e->file, e->kind_callee,
				  jump ? t->entries.val + e->val : NULL};
}

/* Put the entries of f, so far one run in text order, into the hash. */
static int index_fn(struct tally *t, uint32_t f)
{
	for (uint32_t i = t->entries.at[t->fns.at[f].head].next; i;
	     i = t->entries.at[i].next) {
		struct tally_key k = tally_entry_key_of(t, i);

		if (!find_entry(t, f, &k) &&
		    hash_add(&t->entries.by, entry_hash(f, &k), i))
			return -1;
	}
	t->fns.at[f].indexed = true;
	return 0;
}

/* Add an entry with key k after `before`; 0 if memory is out. */
static uint32_t append_entry(struct tally *t, uint32_t fn, uint32_t before,
			     const struct tally_key *k)
{
	uint32_t i = new_entry(t, fn, tally_values(t, k->kind_callee));

	if (!i)
		return 0;
	t->entries.at[i].instr = k->instr;
	t->entries.at[i].line = k->line;
	t->entries.at[i].file = k->file;
	t->entries.at[i].kind_callee = k->kind_callee;
	if (k->to)
		memcpy(t->entries.val + t->entries.at[i].val, k->to,
		       3 * sizeof(uint64_t));
	if (ENTRY_KIND(k->kind_callee) == ENTRY_CALL)
		t->entries.val[t->entries.at[i].val] = NONE; /* edge slot unknown */
	t->entries.at[before].next = i;
	return i;
}

/* Pack the further lines of the current block.  Returns 0 and sets pieces.open unless
 * memory is out. */
static uint32_t begin_packing(struct tally *t)
{
	t->pieces.no_room += t->fns.at[t->now.fn].piece_n;
	t->pieces.open = !tally_begin_piece(t, t->now.fn);
	return 0;
}

/* The entry after `before` was not the predicted one: find or add it.  0 if memory is
 * out or there is no *room for another. */
static uint32_t find_or_make(struct tally *t, uint32_t before, const struct tally_key *k,
			     bool *room)
{
	uint32_t i;

	*room = true;
	if (!t->fns.at[t->now.fn].indexed && index_fn(t, t->now.fn))
		return 0;
	i = find_entry(t, t->now.fn, k);
	if (i) {
		t->entries.at[before].next = i;
		return i;
	}
	*room = tally_entry_room(t, ENTRY_BYTES + tally_values(t, k->kind_callee) *
							  sizeof(*t->entries.val));
	if (!*room)
		return 0;
	i = append_entry(t, t->now.fn, before, k);
	if (i && hash_add(&t->entries.by, entry_hash(t->now.fn, k), i))
		return 0;
	return i;
}

uint32_t tally_other_entry(struct tally *t, const struct tally_key *k)
{
	bool room;
	const uint32_t i = find_or_make(t, t->now.entry, k, &room);

	return room ? i : begin_packing(t);
}

uint32_t tally_line_entry(struct tally *t, uint32_t before, uint32_t file, uint64_t instr,
			  uint64_t line)
{
	const struct tally_key k = {.instr = instr, .line = line, .file = file};
	const uint32_t i = t->entries.at[before].next;
	bool room;

	return i && tally_same_entry(t, i, &k) ? i : find_or_make(t, before, &k, &room);
}

/* ---- pieces ---- */

/* Open the last piece of f.  *in is at its first line; *before and *at tell where the
 * piece before is.  -1: see spill_failed. */
static int open_piece(struct tally *t, uint32_t f, struct varint_reader *in,
		      uint64_t *before, uint64_t *at)
{
	const struct fn_slot *s = &t->fns.at[f];
	const unsigned char *p = spill_bytes(&t->pieces.packed, s->piece_at, s->piece_n);

	if (!p) {
		t->spill_failed = errno;
		return -1;
	}
	*in = (struct varint_reader){p, p + s->piece_n, false};
	*at = s->piece_at;
	*before = piece_before(in, at);
	return 0;
}

int tally_unpack_piece(struct tally *t, uint32_t f, uint32_t *last)
{
	struct piece_row r = {0};
	struct varint_reader in;
	uint32_t at = new_entry(t, f, 0);
	uint64_t before, before_at;

	if (!at || open_piece(t, f, &in, &before, &before_at))
		return -1;
	t->entries.at[at].kind_callee = ENTRY_HEAD;
	t->fns.at[f].head = at;
	while (piece_get(&in, &r, t->pieces.cost)) {
		const uint64_t to[3] = {r.to[0], r.to[1],
					piece_goes_to(t->fns.at[f].fn, r.file, r.to[2])};
		struct tally_key k = {
			r.instr, r.line, r.file,
			ENTRY_KIND_CALLEE(r.kind, r.kind == ENTRY_CALL
							  ? t->edges.at[r.edge].callee
							  : 0),
			r.kind >= ENTRY_JUMP ? to : NULL};
		uint64_t *v;

		at = append_entry(t, f, at, &k);
		if (!at)
			return -1;
		v = t->entries.val + t->entries.at[at].val;
		if (r.kind == ENTRY_CALL) {
			/* The edge already has this cost; it was added when the line
			 * was read. */
			v[0] = r.edge;
			v += 2 + t->events.n;
			*v++ = r.count;
		} else if (r.kind != ENTRY_COST) {
			v[3] = r.count;
			v[4] = r.taken;
		}
		memcpy(v, t->pieces.cost, r.ncost * sizeof(*v));
	}
	if (t->fns.at[f].pieces_n < UINT32_MAX)
		t->fns.at[f].pieces_n -= t->fns.at[f].piece_n;
	t->fns.at[f].piece_at = before_at;
	t->fns.at[f].piece_n = (uint32_t)before;
	*last = at;
	return 0;
}

bool tally_piece_has_room(const struct tally *t, uint64_t bytes)
{
	return tally_entry_room(
		t, bytes * LINES_IN_PIECE / 8 *
			   (ENTRY_BYTES + t->events.n * sizeof(*t->entries.val)));
}

bool tally_all_different(struct tally *t, uint32_t f)
{
	struct piece_row r = {0}, line = {0};
	struct varint_reader in;
	uint64_t before, at;
	unsigned back = 0;

	if (open_piece(t, f, &in, &before, &at))
		return true;
	while (back <= REPEATS && piece_get(&in, &r, t->pieces.cost)) {
		if (r.instr != line.instr)
			back += r.instr < line.instr;
		else if (r.line != line.line)
			back += r.line < line.line;
		else
			back += r.kind == line.kind && r.file == line.file;
		line = r;
	}
	return back <= REPEATS;
}
