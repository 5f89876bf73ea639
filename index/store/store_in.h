/* store_in.h - internals of struct store, shared by store*.c. */
#ifndef QUERN_STORE_IN_H
#define QUERN_STORE_IN_H

#include <time.h>

#include "index/base/arena.h"
#include "index/base/err_struct.h"
#include "index/format/column_code.h"
#include "index/format/detail_code.h"
#include "index/format/tables.h"
#include "index/format/meta_code.h"
#include "index/base/bytes.h"
#include "index/format/part_code.h"
#include "index/store/store.h"

/* A checked value.  Its extent is kept here, as the file may change. */
struct block {
	const void *p; /* NULL: not read yet */
	uint64_t bytes;
	uint32_t rows;
	uint32_t first, last; /* of a u32 column: its first and last row */
};

/* The blocks read so far of one column or packed table of one event. */
struct blocks {
	struct block *at;
	uint32_t n, cap; /* number of blocks; room in at[] */
	uint64_t rows;
	void *whole; /* contiguous copy of a column with several blocks */
	/* The group of rows that was asked last (store_near_u64()): 1 + its number; its rows,
	 * if it was asked twice. */
	uint64_t near;
	bool unpacked;
	uint64_t row[GROUP_ROWS];
};

enum {
	DEMANGLED_MAX = 512 << 20
}; /* bytes of demangled names; further names stay mangled */

struct store {
	struct MDB_env *env;
	struct MDB_txn *txn;
	unsigned dbi;
	int fd;
	uint64_t size; /* of the file at store_open() */
	struct timespec mtime;
	char *path;
	const char **named; /* files that the user named; NULL: only the index */
	size_t nnamed;
	bool only_named;    /* read the profile again from no others */
	struct arena arena; /* holds meta, part headers, diagnostics */
	struct meta meta;
	struct store_info info;
	struct blocks *blocks[INDEX_TABLES]; /* per event, where the table has events */
	uint32_t slots[INDEX_TABLES];	     /* their number; 0: not allocated yet */
	struct part *part;		     /* decoded when first used */
	struct diag *diag;
	uint32_t ndiag;
	void *loading;	   /* being decoded, see store_load() */
	uint32_t *ids;	   /* scratch: the rows of a block */
	const char *map;   /* where LMDB mapped the file; NULL: not known yet */
	struct str *shown; /* [names]: demangled; p NULL: not yet; NULL: none so far */
	struct str *alone; /* [groups]: the same without contexts */
	struct arena demangled;
	uint64_t demangling; /* ns spent on slow names (demangle.h) */
	uint32_t added;	     /* events by store_define_event(), the last ones */
	bool as_recorded;    /* do not demangle names */
	uint64_t places[2];  /* 1 + store_places(); 0: not counted yet */
	const struct unit_rules *units; /* of the user; NULL: none */
	int counts;			/* calls: 1: counted; -1: not; 0: not known yet */
	int counts_all;			/* each of them: the same */
	int mangled;	   /* 1: some name is mangled; -1: none is; 0: not known yet */
	unsigned watched;  /* map_watch slot */
	struct err damage; /* the first damage; ERR_LIMIT: memory was out; kind 0: none */
};

/* The number of events that a table has blocks for (1 if it has no events); with
 * derived events. */
uint32_t store_events_of(const struct store *st, enum index_table t);
uint32_t store_slots_of(const struct store *st, enum index_table t);
/* The number of rows of a column by meta; 0 for packed tables. */
uint64_t store_rows_of(const struct store *st, enum index_table t);
/* The blocks of a column; NULL: no such column, or memory is out. */
struct blocks *store_blocks(struct store *st, enum index_table t, uint32_t event);
/* Event e is new or another: forget its computed columns, make room for them; false: memory
 * is out. */
bool store_forget_event(struct store *st, uint32_t e);
/* A value's payload, with header and checksum checked; NULL (and damage kept)
 * otherwise. */
const void *store_value(struct store *st, enum index_table t, uint32_t event,
			uint32_t block, struct value_header *head);
/* The payload of a block with its rows and bytes; NULL (and damage kept) if it is not
 * sound. */
const void *store_block(struct store *st, enum index_table t, uint32_t event,
			uint32_t block, uint32_t *rows, uint64_t *bytes);
/* Zeros for n rows.  A fault while they are filled in leaves them owned by the store;
 * take them with store_loaded() when they are complete.  NULL (and that is kept):
 * memory is out. */
void *store_load(struct store *st, size_t n, size_t width);
void *store_loaded(struct store *st);
/* Remember damage; `what` names it. */
void store_damaged(struct store *st, enum index_table t, uint32_t block,
		   const char *what);
/* Check n rows from `row` on of a u32 column as ids: NULL, or what is wrong. */
const char *store_ids_wrong(const struct store *st, enum index_table t, uint64_t row,
			    const uint32_t *p, uint64_t n);
/* What is wrong with the rows of a block, compared with the blocks read before; or NULL. */
const char *store_block_wrong(const struct store *st, enum index_table t,
			      const struct blocks *met, uint32_t block, const uint32_t *p,
			      uint32_t rows);
/* What is wrong with whole columns whose ids are in range; or NULL: each edge is in the span of its caller,
 * and callees ascend in each span. */
const char *store_callers_wrong(const struct store *st, const uint32_t *first,
				const uint32_t *caller);
const char *store_callees_wrong(const struct store *st, const uint32_t *first,
				const uint32_t *callee);
/* Whether each number below n occurs once; also true if memory is out. */
bool store_each_once(struct store *st, const uint32_t *p, size_t n);
/* The packed bytes from a place (tables.h); *end: the end of its block. */
const unsigned char *store_packed(struct store *st, enum index_table t, uint64_t place,
				  const unsigned char **end);
/* A block as one value; NULL if it is not sound. */
const struct block *store_meet(struct store *st, enum index_table t, uint32_t event,
			       uint32_t block);
uint64_t store_come_near(struct store *st, enum index_table t, uint32_t event,
			 uint64_t row);
/* Without a call if the block was read before. */
static inline const struct block *store_met(struct store *st, enum index_table t,
					    uint32_t event, uint64_t block)
{
	const struct blocks *b = event < st->slots[t] ? &st->blocks[t][event] : NULL;

	return b && block < b->n && b->at[block].p
		       ? &b->at[block]
		       : store_meet(st, t, event, (uint32_t)block);
}
/* A row of a column; 0 (and damage kept) if its block is not sound. */
static inline uint64_t store_row_u64(struct store *st, enum index_table t, uint32_t event,
				     uint64_t row)
{
	const struct block *b = store_met(st, t, event, row / BLOCK_ROWS);
	const uint32_t i = row % BLOCK_ROWS;

	return b && i < b->rows ? column_row(b->p, b->bytes, b->rows, i) : 0;
}
/* A row, for readers that go through them in order: a group that is asked twice is
 * unpacked, and its other rows are at hand. */
static inline uint64_t store_near_u64(struct store *st, enum index_table t,
				      uint32_t event, uint64_t row)
{
	const struct blocks *b = event < st->slots[t] ? &st->blocks[t][event] : NULL;

	return b && b->near == 1 + row / GROUP_ROWS && b->unpacked
		       ? b->row[row % GROUP_ROWS]
		       : store_come_near(st, t, event, row);
}
static inline uint32_t store_row_u32(struct store *st, enum index_table t, uint32_t event,
				     uint64_t row)
{
	return (uint32_t)store_row_u64(st, t, event, row);
}
/* A u32 id; 0 with damage kept unless it is below n.  It was when its block was checked,
 * but the file may have been written to since. */
uint32_t store_row_id(struct store *st, enum index_table t, uint32_t event, uint64_t row,
		      uint64_t n);
/* Open the call sites of f as packed rows; *n: how many there are. */
int store_open_sites(struct store *st, fn_id f, struct detail_reader *r, uint64_t *n,
		     struct err *err);
int store_bad_site(struct store *st, struct err *err);
/* store_inlined_lines(), store_sites() and store_jumps() of rows that detail_pack_kind()
 * packed; from NULL: of the index. */
int store_lines_of(struct store *st, fn_id f, const struct bytes *from, struct arena *a,
		   struct store_line **rows, int64_t **costs, size_t *n, struct err *err);
int store_sites_of(struct store *st, fn_id f, const struct bytes *from, struct arena *a,
		   struct store_site **rows, int64_t **costs, size_t *n, struct err *err);
int store_jumps_of(struct store *st, fn_id f, const struct bytes *from, struct arena *a,
		   struct store_jump **rows, size_t *n, struct err *err);
/* Event e in a row of a table with a column per recorded event. */
int64_t store_cost_at(struct store *st, enum index_table t, uint32_t e, uint64_t row);
/* Whether each context stands behind its caller, and children are in order. */
const char *store_parents_wrong(const uint32_t *parent, uint64_t n);
struct detail_shape store_shape(const struct store *st);
/* The rows of part p in a profile of several parts; fns or edges may be NULL. */
int store_part_rows(struct store *st, uint32_t p, struct arena *a, struct part_rows *fns,
		    struct part_rows *edges, struct err *err);

#endif
