/*
 * store_read.h - the inside of struct store, for the sources store*.c.
 */
#ifndef QUERN_STORE_READ_H
#define QUERN_STORE_READ_H

#include <time.h>

#include "index/format/detail_code.h"
#include "index/format/key.h"
#include "index/format/meta_code.h"
#include "index/base/bytes.h"
#include "index/format/part_code.h"
#include "index/store/store.h"

/* A checked value.  Its extent is kept here: what the file says may change under us. */
struct block {
	const void *p; /* NULL: not met yet */
	uint64_t bytes;
	uint32_t rows;
};

/* One column or packed table of one event: its blocks as they are met. */
struct blocks {
	struct block *at;
	uint32_t n, cap; /* blocks a column of these rows has */
	uint64_t rows;
	void *whole; /* contiguous copy of a column of several blocks */
};

enum { DEMANGLED_MAX = 512 << 20 }; /* bytes of names: those beyond stay as they are */

struct store {
	struct MDB_env *env;
	struct MDB_txn *txn;
	unsigned dbi;
	int fd;
	uint64_t size; /* of the file when it was opened */
	struct timespec mtime;
	char *path;
	struct arena arena; /* meta, part headers, diagnostics */
	struct meta meta;
	struct store_info info;
	struct blocks *blocks[TABLES]; /* per event, where the table has events */
	struct store_part *part;       /* decoded when first asked for */
	struct diag *diag;
	uint32_t ndiag;
	void *loading;	   /* what is being decoded for one of these */
	const char *map;   /* where LMDB has the file; NULL: not known yet */
	struct str *shown; /* [names]: demangled; p NULL: not yet.  NULL: none is */
	struct arena demangled;
	uint64_t demangling; /* ns for names that take long: demangle.h */
	bool as_recorded;    /* names are shown so */
	unsigned watched;    /* map_watch slot */
	struct err damage;   /* the first; kind 0: none; ERR_LIMIT: of memory */
};

/* Events a table has blocks for (1 where it has no events), and with derived ones. */
uint32_t store_events_of(const struct store *st, enum table t);
uint32_t store_slots_of(const struct store *st, enum table t);
/* Rows of a column as the meta value has them; 0 for packed tables. */
uint64_t store_rows_of(const struct store *st, enum table t);
/* The blocks of a column as they were met; NULL: no such column, or no memory. */
struct blocks *store_blocks(struct store *st, enum table t, uint32_t event);
/* A value's payload, its header and checksum looked at; NULL (and damage kept) otherwise. */
const void *store_value(struct store *st, enum table t, uint32_t event, uint32_t block,
			struct value_header *head);
/* The payload of a block, its rows and bytes; NULL (and damage kept) when it is not sound. */
const void *store_block(struct store *st, enum table t, uint32_t event, uint32_t block,
			uint32_t *rows, uint64_t *bytes);
/* Zeros for n rows, to be taken with store_loaded() when they are complete.  Until then they are
 * the store's, in which a fault may end the reading.  NULL (and that is kept): no memory. */
void *store_load(struct store *st, size_t n, size_t width);
void *store_loaded(struct store *st);
/* Remember that memory was out: until store_check() has said so. */
void store_short(struct store *st);
/* Remember damage; what names the thing. */
void store_damaged(struct store *st, enum table t, uint32_t block, const char *what);
/* A column of u32 from its row `row` on: NULL, or what is wrong with n rows of it as ids. */
const char *store_ids_wrong(const struct store *st, enum table t, uint64_t row,
			    const uint32_t *p, uint64_t n);
/* The same of a block that is to join those that were met. */
const char *store_block_wrong(const struct store *st, enum table t,
			      const struct blocks *met, uint32_t block, const uint32_t *p,
			      uint32_t rows);
/* The same of whole columns, whose ids are in range: callers are those whose span an edge is in,
 * callees ascend in each span. */
const char *store_callers_wrong(const struct store *st, const uint32_t *first,
				const uint32_t *caller);
const char *store_callees_wrong(const struct store *st, const uint32_t *first,
				const uint32_t *callee);
/* Each number below n is there, once; also true, and that is kept, without memory to see it. */
bool store_each_once(struct store *st, const uint32_t *p, size_t n);
/* The packed bytes from a place (block << 32 | byte) to the end of its block. */
const unsigned char *store_packed(struct store *st, enum table t, uint64_t place,
				  const unsigned char **end);
/* Bytes of each row of a column of u64 (key.h): 1, 2, 4 or 8; 0: of none. */
unsigned store_width(uint32_t rows, uint64_t bytes);
uint64_t store_row_u64(struct store *st, enum table t, uint32_t event, uint64_t row);
uint32_t store_row_u32(struct store *st, enum table t, uint32_t event, uint64_t row);
/* A u32 that is an id below n.  It was when its block was met; the file may have been written to
 * since. */
uint32_t store_row_id(struct store *st, enum table t, uint32_t event, uint64_t row,
		      uint64_t n);
struct detail_shape store_shape(const struct store *st);
/* What part p cost, of a profile of several, its numbers in turn; fns or edges may be NULL. */
int store_part_rows(struct store *st, uint32_t p, struct arena *a, struct part_rows *fns,
		    struct part_rows *edges, struct err *err);

#endif
