/*
 * store_write.h - write the values of a new index into a fresh LMDB file.
 *
 * Nobody reads the file while it is written; the caller publishes it (build.c).  A
 * transaction is committed every few MiB, so memory stays small for any index.
 */
#ifndef QUERN_STORE_WRITE_H
#define QUERN_STORE_WRITE_H

#include "index/format/tables.h"
#include "index/base/bytes.h"

struct err;
struct store_writer;

/* fd is an existing, empty file at path; map_bytes is an upper bound for the index's
 * size. */
int store_writer_open(const char *path, int fd, uint64_t map_bytes,
		      struct store_writer **out, struct err *err);
/* Write a value.  ERR_INDEX with the cause in words (full disk, quota, i/o). */
int store_writer_put(struct store_writer *w, enum index_table t, uint32_t event,
		     uint32_t block, uint32_t rows, const void *payload, uint64_t bytes,
		     struct err *err);
/* Write a whole column, cut into blocks; rows are table_width(t) bytes wide. */
int store_writer_column(struct store_writer *w, enum index_table t, uint32_t event,
			const void *rows, uint64_t n, struct err *err);
/* Write rows that are `width` bytes wide, 4 or 8. */
int store_writer_rows(struct store_writer *w, enum index_table t, uint32_t event,
		      const void *rows, unsigned width, uint64_t n, struct err *err);
/* Commit everything.  A file that gets a name is synced before (publish.h); of one without,
 * nobody waits for the disk. */
int store_writer_finish(struct store_writer *w, struct err *err);
void store_writer_close(struct store_writer *w); /* w may be NULL */

/* Packed detail: strings of bytes, one per row (function or part), many to a value. */
struct packer {
	struct store_writer *w;
	enum index_table table;
	uint32_t block, rows;
	struct bytes buf; /* append the row's bytes here */
	size_t row_at;	  /* start of the current row */
};
/* End the row in buf; *at: its place (tables.h). */
int packer_end_row(struct packer *p, uint64_t *at, struct err *err);
int packer_flush(struct packer *p, struct err *err);
void packer_free(struct packer *p);

#endif
