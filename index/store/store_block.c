/*
 * store_block.c - the blocks of an index: found by key, checked when first read, kept.
 *
 * A block is sound if its header repeats its key, its checksum holds, it has as many rows
 * as meta requires, and its ids are in range (store_ids.c).  A damaged block reads as
 * zeros; the store keeps the first damage, and store_check() reports it before an answer
 * is shown.
 */
#include <inttypes.h>
#include <lmdb.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "index/base/err.h"
#include "index/base/map.h"
#include "index/base/need.h"
#include "index/base/vec.h"
#include "index/format/column_code.h"
#include "index/store/store_in.h"

/* ---- damage ---- */

void store_damaged(struct store *st, enum index_table t, uint32_t block, const char *what)
{
	if (st->damage.kind)
		return;
	err_set(&st->damage, ERR_INDEX, 0,
		"the index %s is damaged: %s block %" PRIu32 ": %s", st->path,
		table_name(t), block, what);
	err_hint(&st->damage, "rebuild it: run quern with --rebuild");
}

void store_short(struct store *st)
{
	if (st->damage.kind)
		return;
	err_set(&st->damage, ERR_LIMIT, 0, "out of memory to read the index %s",
		st->path);
}

void *store_load(struct store *st, size_t n, size_t width)
{
	free(st->loading);
	st->loading = calloc(n, width);
	vec_huge_pages(st->loading, n * width);
	if (!st->loading)
		store_short(st);
	return st->loading;
}

void *store_loaded(struct store *st)
{
	void *p = st->loading;

	st->loading = NULL;
	return p;
}

/* Nobody should write to a published index; detect it if somebody does. */
static void look_at_file(struct store *st)
{
	struct stat sb;

	if (st->damage.kind || fstat(st->fd, &sb) ||
	    ((uint64_t)sb.st_size == st->size && sb.st_mtim.tv_sec == st->mtime.tv_sec &&
	     sb.st_mtim.tv_nsec == st->mtime.tv_nsec))
		return;
	err_set(&st->damage, ERR_INDEX, 0,
		"the index %s is damaged: it was written to while it "
		"was in use",
		st->path);
	err_hint(&st->damage, "rebuild it: run quern with --rebuild");
}

int store_check(struct store *st, struct err *err)
{
	look_at_file(st);
	if (st->damage.kind && !err->kind)
		*err = st->damage;
	if (st->damage.kind == ERR_LIMIT)
		err_clear(&st->damage);
	return err->kind;
}

void store_sound(struct store *st)
{
	struct err err = {0};

	need(store_check(st, &err), &err);
}

/* ---- blocks ---- */

uint32_t store_events_of(const struct store *st, enum index_table t)
{
	return table_has_events(t) ? st->info.events : 1;
}

/* A derived event has no blocks, but a computed column. */
uint32_t store_slots_of(const struct store *st, enum index_table t)
{
	return table_has_events(t) ? st->info.all_events : 1;
}

uint64_t store_rows_of(const struct store *st, enum index_table t)
{
	const struct meta *m = &st->meta;

	switch (t) {
	case TABLE_OBJ:
	case TABLE_FILE:
	case TABLE_NAME: return m->strings[t - TABLE_OBJ + SPACE_OBJ];
	case TABLE_OUT_FIRST:
	case TABLE_IN_FIRST: return m->functions + 1;
	case TABLE_EDGE_CALLER:
	case TABLE_EDGE_CALLEE:
	case TABLE_IN_EDGE:
	case TABLE_EDGE_CALLS:
	case TABLE_EDGE_INCL: return m->edges;
	case TABLE_CYCLE_FIRST: return m->cycles + 1;
	case TABLE_CYCLE_MEMBER:
	case TABLE_CYCLE_NESTS: return m->cycle_members;
	case TABLE_CYCLE_SELF:
	case TABLE_CYCLE_INCL: return m->cycles;
	case TABLE_PART_SELF:
	case TABLE_PART_TOTALS:
	case TABLE_PART_SUMMARY: return m->parts;
	case TABLE_CONTEXT_PARENT:
	case TABLE_CONTEXT_FN:
	case TABLE_CONTEXT_CALLS:
	case TABLE_CONTEXT_SELF:
	case TABLE_CONTEXT_INCL: return m->tree.contexts;
	case TABLE_ROOT_PART:
	case TABLE_ROOT_FN:
	case TABLE_ROOT_CALLS: return m->tree.roots;
	case TABLE_GROUP_OF:
	case TABLE_GROUP_NAME:
	case TABLE_GROUP_FN: return m->groups ? m->functions : 0;
	case TABLE_GROUP_FIRST: return m->groups ? m->groups + 1 : 0;
	case TABLE_GROUP_CYCLE:
	case TABLE_GROUP_KNOWN:
	case TABLE_GROUP_INCL: return m->groups;
	case TABLE_PART_AT:
	case TABLE_PART_NAMES_AT: return m->parts > 1 ? m->parts : 0;
	default: return table_width(t) ? m->functions : 0;
	}
}

static bool inside_map(const struct store *st, const MDB_val *v)
{
	const char *p = v->mv_data;

	return !st->map || (p >= st->map && v->mv_size <= st->size &&
			    (size_t)(p - st->map) <= st->size - v->mv_size);
}

/* Copy the header before checking it: the file must not change in between. */
static const void *fetch(struct store *st, enum index_table t, uint32_t event,
			 uint32_t block, struct value_header *head)
{
	unsigned char key[8];
	MDB_val k = {sizeof(key), key}, v;
	int rc;

	key_pack(key, t, event, block);
	rc = mdb_get(st->txn, st->dbi, &k, &v);
	if (rc) {
		store_damaged(st, t, block,
			      rc == MDB_NOTFOUND ? "missing" : mdb_strerror(rc));
		return NULL;
	}
	if (v.mv_size < sizeof(*head) || ((uintptr_t)v.mv_data & 7) ||
	    !inside_map(st, &v)) {
		store_damaged(st, t, block, "its header is wrong");
		return NULL;
	}
	memcpy(head, v.mv_data, sizeof(*head));
	if (head->magic != VALUE_MAGIC || head->table != t || head->event != event ||
	    head->block != block || head->bytes > v.mv_size - sizeof(*head)) {
		store_damaged(st, t, block, "its header is wrong");
		return NULL;
	}
	if (head->check != value_check(head, (char *)v.mv_data + sizeof(*head))) {
		store_damaged(st, t, block, "its checksum is wrong");
		return NULL;
	}
	return (char *)v.mv_data + sizeof(*head);
}

const void *store_value(struct store *st, enum index_table t, uint32_t event,
			uint32_t block, struct value_header *head)
{
	const void *p;

	/* LMDB follows the pages, which may have changed since they were checked. */
	map_wild(st->path);
	p = fetch(st, t, event, block, head);
	map_wild(NULL);
	return p;
}

static bool strings_fit(const struct value_header *h, const uint32_t *offset)
{
	uint64_t least = ((uint64_t)h->rows + 1) * sizeof(*offset);

	if (h->bytes < least || offset[0] != least || offset[h->rows] != h->bytes)
		return false;
	for (uint32_t i = 0; i < h->rows; i++)
		if (offset[i] > offset[i + 1])
			return false;
	return true;
}

/* Whether a block of a column or of strings has as many rows as meta requires, and its
 * payload at p holds them. */
static bool rows_fit(const struct store *st, enum index_table t,
		     const struct value_header *h, const void *p)
{
	unsigned width = table_width(t);
	uint64_t per = width ? BLOCK_ROWS : STRING_ROWS, rows = store_rows_of(st, t);
	uint64_t before = h->block * per, want;

	if (!width && t != TABLE_OBJ && t != TABLE_FILE && t != TABLE_NAME)
		return true;
	if (before >= rows)
		return false;
	want = rows - before < per ? rows - before : per;
	if (h->rows != want)
		return false;
	return width ? column_sound(p, h->bytes, h->rows) : strings_fit(h, p);
}

struct blocks *store_blocks(struct store *st, enum index_table t, uint32_t event)
{
	if (t >= INDEX_TABLES || event >= store_slots_of(st, t))
		return NULL;
	if (!st->blocks[t] &&
	    (st->blocks[t] = calloc(store_slots_of(st, t), sizeof(*st->blocks[t]))))
		st->slots[t] = store_slots_of(st, t);
	if (!st->blocks[t])
		store_short(st);
	return st->blocks[t] ? &st->blocks[t][event] : NULL;
}

bool store_forget_event(struct store *st, uint32_t e)
{
	for (enum index_table t = 0; t < INDEX_TABLES; t++) {
		const uint32_t n = store_slots_of(st, t);
		struct blocks *b;

		if (!table_has_events(t) || !st->blocks[t])
			continue;
		if (st->slots[t] < n) {
			if (!(b = realloc(st->blocks[t], n * sizeof(*b)))) {
				st->added--;
				st->meta.all_events = --st->info.all_events;
				return false;
			}
			memset(b + st->slots[t], 0, (n - st->slots[t]) * sizeof(*b));
			st->blocks[t] = b;
			st->slots[t] = n;
		}
		free(st->blocks[t][e].whole);
		st->blocks[t][e].whole = NULL;
	}
	return true;
}

/* Check the ids of a block of a u32 column and note its ends. */
static bool ids_meet(struct store *st, enum index_table t, const struct blocks *met,
		     uint32_t block, struct block *b)
{
	const char *wrong = "an id is out of range";

	if (!st->ids && !(st->ids = malloc(BLOCK_ROWS * sizeof(*st->ids)))) {
		store_short(st);
		return false;
	}
	if (column_unpack(st->ids, sizeof(*st->ids), b->p, b->bytes, b->rows))
		wrong = store_block_wrong(st, t, met, block, st->ids, b->rows);
	if (wrong)
		store_damaged(st, t, block, wrong);
	b->first = st->ids[0];
	b->last = st->ids[b->rows - 1];
	return !wrong;
}

/* Find, check and keep a block. */
static bool block_meet(struct store *st, enum index_table t, uint32_t event,
		       uint32_t block, struct blocks *b)
{
	size_t n = b->n;
	struct value_header head;
	struct block new;
	const void *p;

	/* Every value has pages of its own, so a file has fewer blocks than this. */
	if (event >= store_events_of(st, t) || block >= st->size / VALUE_MIN) {
		store_damaged(st, t, block, "no such block");
		return false;
	}
	p = store_value(st, t, event, block, &head);
	if (!p)
		return false;
	if (!rows_fit(st, t, &head, p)) {
		store_damaged(st, t, block, "it does not have the rows it should");
		return false;
	}
	new = (struct block){.p = p, .bytes = head.bytes, .rows = head.rows};
	if (table_width(t) == sizeof(uint32_t) && !ids_meet(st, t, b, block, &new))
		return false;
	if (block >= n && vec_reserve(&b->at, &n, (size_t)block + 1, sizeof(*b->at))) {
		store_short(st);
		return false;
	}
	b->n = (uint32_t)n;
	b->at[block] = new;
	return true;
}

const struct block *store_meet(struct store *st, enum index_table t, uint32_t event,
			       uint32_t block)
{
	struct blocks *b = store_blocks(st, t, event);

	if (!b) {
		store_damaged(st, t, block, "no such block");
		return NULL;
	}
	if ((block >= b->n || !b->at[block].p) && !block_meet(st, t, event, block, b))
		return NULL;
	return &b->at[block];
}

const void *store_block(struct store *st, enum index_table t, uint32_t event,
			uint32_t block, uint32_t *rows, uint64_t *bytes)
{
	const struct block *b = store_met(st, t, event, block);

	if (!b)
		return NULL;
	*rows = b->rows;
	*bytes = b->bytes;
	return b->p;
}

const unsigned char *store_packed(struct store *st, enum index_table t, uint64_t place,
				  const unsigned char **end)
{
	uint32_t rows;
	uint64_t bytes, at = place % PACK_BYTES, block = place / PACK_BYTES;
	const unsigned char *p;

	if (block > UINT32_MAX) {
		store_damaged(st, t, 0, "a place is out of range");
		*end = NULL;
		return NULL;
	}
	p = store_block(st, t, 0, (uint32_t)block, &rows, &bytes);
	if (p && at >= bytes) {
		store_damaged(st, t, (uint32_t)block, "a place is out of range");
		p = NULL;
	}
	*end = p ? p + bytes : NULL;
	return p ? p + at : NULL;
}
