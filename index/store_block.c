/*
 * store_block.c - the blocks of an index: found by key, checked when first read, kept.
 *
 * A block is sound when its value says which block it is, its checksum holds and it has the
 * rows that the meta value promises.  Anything else is damage: it reads as zeros, the first
 * of it is remembered, and store_check() says so before an answer leaves the program.
 */
#include <inttypes.h>
#include <lmdb.h>
#include <stdlib.h>

#include "index/base/vec.h"
#include "index/store_read.h"

/* ---- damage ---- */

void store_damaged(struct store *st, enum table t, uint32_t block, const char *what)
{
	if (st->damage.kind)
		return;
	err_set(&st->damage, ERR_INDEX, 0, "the index %s is damaged: %s block %" PRIu32 ": %s",
		st->path, table_name(t), block, what);
	err_hint(&st->damage, "rebuild it: run quern with --rebuild");
}

int store_check(const struct store *st, struct err *err)
{
	if (st->damage.kind && !err->kind)
		*err = st->damage;
	return (int)err->kind;
}

/* ---- blocks ---- */

static bool has_events(enum table t)
{
	switch (t) {
	case TABLE_FN_SELF:
	case TABLE_FN_INCL:
	case TABLE_RANK_SELF:
	case TABLE_RANK_INCL:
	case TABLE_EDGE_INCL:
	case TABLE_CYCLE_CONTRIBUTION:
	case TABLE_CYCLE_SELF:
	case TABLE_CYCLE_INCL:
	case TABLE_PART_SELF:
	case TABLE_PART_TOTALS:
	case TABLE_PART_SUMMARY:
		return true;
	default:
		return false;
	}
}

uint32_t store_events_of(const struct store *st, enum table t)
{
	return has_events(t) ? st->info.events : 1;
}

/* Derived events have no blocks, but a computed column. */
uint32_t store_slots_of(const struct store *st, enum table t)
{
	return has_events(t) ? st->info.all_events : 1;
}

uint64_t store_rows_of(const struct store *st, enum table t)
{
	const struct meta *m = &st->meta;

	switch (t) {
	case TABLE_OBJ:
	case TABLE_FILE:
	case TABLE_NAME:
		return m->strings[t - TABLE_OBJ + SPACE_OBJ];
	case TABLE_OUT_FIRST:
	case TABLE_IN_FIRST:
		return m->functions + 1;
	case TABLE_EDGE_CALLER:
	case TABLE_EDGE_CALLEE:
	case TABLE_IN_EDGE:
	case TABLE_EDGE_CALLS:
	case TABLE_EDGE_INCL:
		return m->edges;
	case TABLE_CYCLE_FIRST:
		return m->cycles + 1;
	case TABLE_CYCLE_MEMBER:
	case TABLE_CYCLE_CONTRIBUTION:
		return m->cycle_members;
	case TABLE_CYCLE_SELF:
	case TABLE_CYCLE_INCL:
		return m->cycles;
	case TABLE_PART_SELF:
	case TABLE_PART_TOTALS:
	case TABLE_PART_SUMMARY:
		return m->parts;
	case TABLE_PART_AT:
	case TABLE_PART_NAMES_AT:
		return m->parts > 1 ? m->parts : 0;
	default:
		return table_width(t) ? m->functions : 0;
	}
}

const struct value_header *store_value(struct store *st, enum table t, uint32_t event,
					uint32_t block)
{
	unsigned char key[8];
	MDB_val k = {sizeof(key), key}, v;
	const struct value_header *h;
	int rc;

	key_pack(key, t, event, block);
	rc = mdb_get(st->txn, st->dbi, &k, &v);
	if (rc) {
		store_damaged(st, t, block, rc == MDB_NOTFOUND ? "missing" : mdb_strerror(rc));
		return NULL;
	}
	h = v.mv_data;
	if (v.mv_size < sizeof(*h) || ((uintptr_t)h & 7) || h->magic != VALUE_MAGIC ||
	    h->table != t || h->event != event || h->block != block ||
	    h->bytes > v.mv_size - sizeof(*h)) {
		store_damaged(st, t, block, "its header is wrong");
		return NULL;
	}
	if (h->check != value_check(h, h + 1)) {
		store_damaged(st, t, block, "its checksum is wrong");
		return NULL;
	}
	return h;
}

/* A block of a column or of strings has the rows that the meta value promises. */
static bool rows_fit(const struct store *st, enum table t, const struct value_header *h)
{
	unsigned width = table_width(t);
	uint64_t per = width ? BLOCK_ROWS : STRING_ROWS, rows = store_rows_of(st, t);
	uint64_t before = h->block * per, want;

	if (!width && t != TABLE_OBJ && t != TABLE_FILE && t != TABLE_NAME)
		return true;
	if (before >= rows)
		return false;
	want = rows - before < per ? rows - before : per;
	return h->rows == want && (!width || h->bytes == want * width);
}

static bool strings_fit(const struct value_header *h)
{
	const uint64_t *offset = (const void *)(h + 1);
	uint64_t least = ((uint64_t)h->rows + 1) * sizeof(*offset);

	if (h->bytes < least || offset[0] != least || offset[h->rows] != h->bytes)
		return false;
	for (uint32_t i = 0; i < h->rows; i++)
		if (offset[i] > offset[i + 1])
			return false;
	return true;
}

struct blocks *store_blocks(struct store *st, enum table t, uint32_t event)
{
	if (t >= TABLES || event >= store_slots_of(st, t))
		return NULL;
	if (!st->blocks[t])
		st->blocks[t] = calloc(store_slots_of(st, t), sizeof(*st->blocks[t]));
	return st->blocks[t] ? &st->blocks[t][event] : NULL;
}

const void *store_block(struct store *st, enum table t, uint32_t event, uint32_t block,
			uint32_t *rows, uint64_t *bytes)
{
	struct blocks *b = store_blocks(st, t, event);
	const struct value_header *h;

	if (b && block < b->n && b->at[block]) {
		h = b->at[block];
	} else {
		size_t n = b ? b->n : 0;

		/* Every value has pages of its own, so a file has fewer than this. */
		if (!b || event >= store_events_of(st, t) ||
		    block >= st->info.index_bytes / VALUE_MIN ||
		    (block >= n &&
		     vec_reserve(&b->at, &n, (size_t)block + 1, sizeof(*b->at)))) {
			store_damaged(st, t, block, "no such block, or no memory for it");
			return NULL;
		}
		b->n = (uint32_t)n;
		h = store_value(st, t, event, block);
		if (!h)
			return NULL;
		if (!rows_fit(st, t, h) ||
		    (t >= TABLE_OBJ && t <= TABLE_NAME && !strings_fit(h))) {
			store_damaged(st, t, block, "it does not have the rows it should");
			return NULL;
		}
		b->at[block] = h;
	}
	*rows = h->rows;
	*bytes = h->bytes;
	return h + 1;
}

uint64_t store_row_u64(struct store *st, enum table t, uint32_t event, uint64_t row)
{
	uint32_t rows;
	uint64_t bytes;
	const uint64_t *p = store_block(st, t, event, (uint32_t)(row / BLOCK_ROWS), &rows, &bytes);

	return p && row % BLOCK_ROWS < rows ? p[row % BLOCK_ROWS] : 0;
}

uint32_t store_row_u32(struct store *st, enum table t, uint32_t event, uint64_t row)
{
	uint32_t rows;
	uint64_t bytes;
	const uint32_t *p = store_block(st, t, event, (uint32_t)(row / BLOCK_ROWS), &rows, &bytes);

	return p && row % BLOCK_ROWS < rows ? p[row % BLOCK_ROWS] : 0;
}

const unsigned char *store_packed(struct store *st, enum table t, uint64_t place,
				  const unsigned char **end)
{
	uint32_t rows;
	uint64_t bytes, at = place & UINT32_MAX;
	const unsigned char *p = store_block(st, t, 0, (uint32_t)(place >> 32), &rows, &bytes);

	if (p && at >= bytes) {
		store_damaged(st, t, (uint32_t)(place >> 32), "a place is out of range");
		p = NULL;
	}
	*end = p ? p + bytes : NULL;
	return p ? p + at : NULL;
}
