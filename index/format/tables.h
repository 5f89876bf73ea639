/*
 * tables.h - the bytes of the index file: tables, keys, value headers (index/FORMAT.md).
 *
 * One LMDB database, few and large values.  A key is 8 bytes, big endian, so that LMDB's
 * byte order is (table, event, block):
 *
 *	table u16 | event u16 | block u32
 *
 * A value is a header of 32 bytes and its payload; numbers are little endian.  Values are
 * padded so that LMDB gives each its own pages: a payload then begins on a 16-byte
 * boundary and is read in place.
 */
#ifndef QUERN_TABLES_H
#define QUERN_TABLES_H

#include <stdbool.h>
#include <stdint.h>

enum {
	INDEX_VERSION = 25,	/* of everything below; another one is stale */
	BLOCK_ROWS = 64 << 10,	/* rows of a column in one value */
	STRING_ROWS = 1024,	/* strings in one value */
	PACK_BYTES = 256 << 10, /* packed detail: a value is ended when it is this long */
	PART_ROWS = 256,	/* part headers in one value */
	VALUE_MIN = 2112, /* bytes: above LMDB's limit for values inside a leaf page */
};

/* A row of TABLE_FN_CALLED. */
enum fn_called {
	FN_BEGINS = 1, /* calls say at which line it begins */
	FN_CALLS_ONLY =
		2,   /* it has no block: its self cost is that of the calls into it */
	FN_BARE = 4, /* the same, but it has none: its inclusive cost is that */
	FN_CALLED_VALUES = 8,
};

enum index_table {
	TABLE_META = 1, /* one value: counts, identity of the source, events, totals;
				   its rows are INDEX_VERSION */
	TABLE_DIAG,	/* one value: diagnostics */
	TABLE_OBJ,
	TABLE_FILE,
	TABLE_NAME, /* strings: u32 offset[rows + 1], bytes */
	TABLE_FN_NAME,
	TABLE_FN_FILE,
	TABLE_FN_OBJ,
	TABLE_FN_CYCLE, /* u32[functions] */
	TABLE_FN_LINE,
	TABLE_FN_CALLS, /* u64[functions] */
	TABLE_FN_SELF,
	TABLE_FN_INCL, /* u64[functions], per event */
	TABLE_RANK_SELF,
	TABLE_RANK_INCL, /* u32[functions], per event: ids, descending */
	TABLE_TOPO,	 /* u32[functions]: callers first; a cycle's members together */
	TABLE_OUT_FIRST,
	TABLE_IN_FIRST, /* u32[functions + 1]: into edges, into IN_EDGE */
	TABLE_EDGE_CALLER,
	TABLE_EDGE_CALLEE,
	TABLE_IN_EDGE,	    /* u32[edges]; the last: ids by callee, then caller */
	TABLE_EDGE_CALLS,   /* u64[edges] */
	TABLE_EDGE_INCL,    /* u64[edges], per event */
	TABLE_CYCLE_FIRST,  /* u32[cycles + 1]: into CYCLE_MEMBER */
	TABLE_CYCLE_MEMBER, /* u32[members], ascending in each cycle */
	TABLE_CYCLE_NESTS,  /* u64[members]: 1 of those that may nest in itself */
	TABLE_CYCLE_SELF,
	TABLE_CYCLE_INCL, /* u64[cycles], per event */
	TABLE_LINES_AT,
	TABLE_SITES_AT,
	TABLE_JUMPS_AT, /* u64[functions]: places, block * PACK_BYTES + byte */
	TABLE_LINES,
	TABLE_SITES,
	TABLE_JUMPS, /* packed, detail_code.h */
	TABLE_PART,  /* part headers, packed */
	TABLE_PART_SELF,
	TABLE_PART_TOTALS,
	TABLE_PART_SUMMARY,  /* u64[parts], per event */
	TABLE_PART_AT,	     /* u64[parts]: places */
	TABLE_PART_COST,     /* packed, part_code.h */
	TABLE_PART_NAMES_AT, /* u64[parts]: places */
	TABLE_PART_NAMES,    /* packed, part_names.h */
	TABLE_FN_CALLED,     /* u32[functions]: what calls tell of it: enum fn_called */
	TABLE_CONTEXT_PARENT, /* u32[contexts]: 1 + the context that called it; 0: a root */
	TABLE_CONTEXT_FN,
	TABLE_CONTEXT_CALLS, /* u64[contexts] */
	TABLE_CONTEXT_SELF,
	TABLE_CONTEXT_INCL, /* u64[contexts], per event */
	TABLE_GROUP_OF,	    /* u32[functions], if there are groups: the function's */
	TABLE_GROUP_NAME,   /* u32[functions], the same: bytes of its own name */
	TABLE_GROUP_FIRST,  /* u32[groups + 1], the same: into .._FN */
	TABLE_GROUP_FN,	    /* u32[functions], the same: by group, ascending */
	TABLE_GROUP_CYCLE,  /* u32[groups], the same */
	TABLE_GROUP_KNOWN, /* u32[groups], the same: 1: .._INCL has its cost (joined.h) */
	TABLE_GROUP_INCL,  /* u64[groups], the same, per event */
	TABLE_ROOT_PART,   /* u32[roots]: ascending, then by function */
	TABLE_ROOT_FN,	   /* u32[roots] */
	TABLE_ROOT_CALLS,  /* u64[roots]: how often it ran in the part, uncalled */
	INDEX_TABLES,
};

#define VALUE_MAGIC 0x4e525551u /* "QURN" */

struct value_header {
	uint32_t magic;
	uint16_t table, event;
	uint32_t block;
	uint32_t rows;
	uint64_t bytes; /* of payload; padding follows */
	uint64_t check; /* XXH3-64 of the payload, seeded with that of the header
				   with check = 0 */
};

/* Width of a row of a column in memory, or 0 for tables that are not columns.  In a value
 * rows are packed (column_code.h). */
unsigned table_width(enum index_table t);
bool table_has_events(enum index_table t); /* it has a column for each event */
const char *table_name(enum index_table t);
void key_pack(unsigned char out[8], enum index_table t, uint32_t event, uint32_t block);
uint64_t value_check(const struct value_header *h, const void *payload);

#endif
