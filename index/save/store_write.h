/*
 * store_write.h - write the values of a new index into a fresh LMDB file.
 *
 * The writer works on a file that nobody reads yet; publishing it (sync, rename) is the
 * caller's business (build.c).  A transaction is committed every few MiB, so memory stays
 * small however large the index is.
 */
#ifndef QUERN_STORE_WRITE_H
#define QUERN_STORE_WRITE_H

#include <stddef.h>
#include <stdint.h>

#include "index/base/err.h"
#include "index/format/key.h"
#include "index/base/bytes.h"

struct store_writer;

/* fd is of an existing, empty file that was made at path; map_bytes is an upper bound of the
 * index's size. */
int store_writer_open(const char *path, int fd, uint64_t map_bytes,
		      struct store_writer **out, struct err *err);
/* One value.  ERR_INDEX with the cause (full disk, quota, i/o) in words. */
int store_writer_put(struct store_writer *w, enum table t, uint32_t event, uint32_t block,
		     uint32_t rows, const void *payload, uint64_t bytes, struct err *err);
/* A whole column from memory, cut into blocks; rows are table_width(t) bytes wide. */
int store_writer_column(struct store_writer *w, enum table t, uint32_t event,
			const void *rows, uint64_t n, struct err *err);
/* Commit and write everything to the disk. */
int store_writer_finish(struct store_writer *w, struct err *err);
void store_writer_close(struct store_writer *w); /* NULL is nothing */

/* Packed detail: runs of bytes, one per row (function or part), many to a value. */
struct packer {
	struct store_writer *w;
	enum table table;
	uint32_t block, rows;
	struct bytes buf; /* append a row's bytes here */
	size_t row_at;	  /* where the row at hand begins */
};
/* The row in buf is complete: *at is its place (block << 32 | byte). */
int packer_end_row(struct packer *p, uint64_t *at, struct err *err);
int packer_flush(struct packer *p, struct err *err);
void packer_free(struct packer *p);

#endif
