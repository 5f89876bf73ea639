/*
 * store_write.c - bulk writing with LMDB; see store_write.h.
 *
 * MDB_WRITEMAP is never used: with it, a full disk is a SIGBUS.  Without it, a full disk
 * is EIO or ENOSPC from a commit, and statvfs() tells which.
 */
#include "index/save/store_write.h"

#include <errno.h>
#include <lmdb.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include "index/base/err.h"
#include "index/base/os.h"
#include "index/format/column_code.h"

enum {
	COMMIT_BYTES = 2 << 20, /* bytes per commit, written in the background */
	MAP_LEAST = 1 << 20,
};

struct store_writer {
	MDB_env *env;
	MDB_txn *txn;
	MDB_dbi dbi;
	uint64_t pending; /* bytes since the last commit */
	uint64_t bytes;
	int fd;		  /* the file, borrowed */
	bool cramped;	  /* the map is smaller than was asked for */
	uint64_t *packed; /* scratch: a block of a column */
	char *path;
};

/* LMDB reports EIO or ENOSPC for any short write, whatever its cause. */
static bool at_file_limit(const struct store_writer *w)
{
	struct rlimit limit;

	return getrlimit(RLIMIT_FSIZE, &limit) == 0 && limit.rlim_cur != RLIM_INFINITY &&
	       w->bytes + COMMIT_BYTES > limit.rlim_cur;
}

static int failed(const struct store_writer *w, int rc, const char *what, struct err *err)
{
	struct statvfs fs;

	bool has_room = fstatvfs(w->fd, &fs) == 0 && fs.f_bavail > 0;
	bool limited = rc == EFBIG ||
		       ((rc == EIO || rc == ENOSPC) && has_room && at_file_limit(w));

	if (!limited && (rc == ENOSPC || rc == EDQUOT || (rc == EIO && !has_room))) {
		err_set(err, ERR_INDEX, 0, "cannot write the index %s: %s", w->path,
			rc == EDQUOT ? "your disk quota is used up" : "the disk is full");
		return err_hint(
			err, "free some space, or put the index elsewhere: --index PATH");
	}
	if (limited) {
		err_set(err, ERR_INDEX, 0,
			"cannot write the index %s: it is larger than a file may be",
			w->path);
		return err_hint(err, "raise the limit: ulimit -f unlimited");
	}
	if (rc == ENOMEM || (rc == MDB_MAP_FULL && w->cramped)) {
		err_set(err, ERR_LIMIT, 0, "out of memory while writing the index %s",
			w->path);
		return rc == ENOMEM
			       ? err->kind
			       : err_hint(err, "raise the limit on addresses, ulimit -v");
	}
	if (rc == MDB_MAP_FULL)
		return err_set(
			err, ERR_INDEX, 0,
			"cannot write the index %s: it is larger than was reckoned",
			w->path);
	return err_set(err, ERR_INDEX, 0, "cannot %s the index %s: %s", what, w->path,
		       mdb_strerror(rc));
}

/* LMDB takes a path; check that it leads to the file that was made, not to another
 * one. */
static int open_env(struct store_writer *w, const char *path, int fd)
{
	const unsigned flags = MDB_NOSUBDIR | MDB_NOLOCK | MDB_NOSYNC | MDB_NOTLS;
	struct stat made, opened;
	char same[OS_PATH];
	int rc, env_fd;

	rc = mdb_env_open(w->env, os_path_of(fd, W_OK, same) ? same : path, flags, 0600);
	if (!rc)
		rc = mdb_env_get_fd(w->env, &env_fd);
	if (!rc && (fstat(fd, &made) || fstat(env_fd, &opened)))
		rc = errno;
	if (!rc && (made.st_ino != opened.st_ino || made.st_dev != opened.st_dev))
		rc = ESTALE;
	return rc;
}

/* The map takes address space more than memory and is large enough for any index.  If
 * address space is limited, try smaller ones. */
static int open_mapped(struct store_writer *w, const char *path, uint64_t map_bytes)
{
	for (;; map_bytes /= 2) {
		int rc = mdb_env_create(&w->env);

		if (!rc)
			rc = mdb_env_set_mapsize(w->env, (size_t)map_bytes);
		if (!rc)
			rc = open_env(w, path, w->fd);
		if (rc != ENOMEM || map_bytes / 2 < MAP_LEAST)
			return rc;
		if (w->env)
			mdb_env_close(w->env);
		w->env = NULL;
		w->cramped = true;
	}
}

int store_writer_open(const char *path, int fd, uint64_t map_bytes,
		      struct store_writer **out, struct err *err)
{
	struct store_writer *w = calloc(1, sizeof(*w));
	int rc;

	if (!w || !(w->path = strdup(path))) {
		free(w);
		return err_set(err, ERR_LIMIT, 0, "out of memory");
	}
	w->fd = fd;
	rc = open_mapped(w, path, map_bytes);
	if (!rc)
		rc = mdb_txn_begin(w->env, NULL, 0, &w->txn);
	if (!rc)
		rc = mdb_dbi_open(w->txn, NULL, 0, &w->dbi);
	if (rc) {
		failed(w, rc, "create", err);
		store_writer_close(w);
		return err->kind;
	}
	*out = w;
	return 0;
}

static int commit(struct store_writer *w, struct err *err)
{
	int rc = mdb_txn_commit(w->txn);

	w->txn = NULL;
	w->pending = 0;
	/* Start writing to the disk while the next values are made; the sync of
	 * publish_commit() reports errors. */
	os_write_soon(w->fd);
	if (!rc)
		rc = mdb_txn_begin(w->env, NULL, 0, &w->txn);
	return rc ? failed(w, rc, "write", err) : 0;
}

int store_writer_put(struct store_writer *w, enum index_table t, uint32_t event,
		     uint32_t block, uint32_t rows, const void *payload, uint64_t bytes,
		     struct err *err)
{
	struct value_header h = {.magic = VALUE_MAGIC,
				 .table = (uint16_t)t,
				 .event = (uint16_t)event,
				 .block = block,
				 .rows = rows,
				 .bytes = bytes};
	size_t size = sizeof(h) + (size_t)bytes;
	unsigned char key[8];
	MDB_val k = {sizeof(key), key}, v;
	int rc;

	if (size < VALUE_MIN)
		size = VALUE_MIN;
	if (size > UINT32_MAX)
		return err_set(err, ERR_LIMIT, 0, "too many %s in one block (%llu bytes)",
			       table_name(t), (unsigned long long)bytes);
	h.check = value_check(&h, payload);
	key_pack(key, t, event, block);
	v.mv_size = size;
	v.mv_data = NULL;
	rc = mdb_put(w->txn, w->dbi, &k, &v, MDB_RESERVE);
	if (rc)
		return failed(w, rc, "write", err);
	memcpy(v.mv_data, &h, sizeof(h));
	if (bytes)
		memcpy((char *)v.mv_data + sizeof(h), payload, (size_t)bytes);
	memset((char *)v.mv_data + sizeof(h) + bytes, 0,
	       size - sizeof(h) - (size_t)bytes);
	w->bytes += bytes;
	w->pending += size;
	return w->pending >= COMMIT_BYTES ? commit(w, err) : 0;
}

int store_writer_column(struct store_writer *w, enum index_table t, uint32_t event,
			const void *rows, uint64_t n, struct err *err)
{
	return store_writer_rows(w, t, event, rows, table_width(t), n, err);
}

int store_writer_rows(struct store_writer *w, enum index_table t, uint32_t event,
		      const void *rows, unsigned width, uint64_t n, struct err *err)
{
	const char *p = rows;

	if (!w->packed && !(w->packed = malloc(column_room(BLOCK_ROWS))))
		return failed(w, ENOMEM, "write", err);
	for (uint64_t at = 0, block = 0; at < n; at += BLOCK_ROWS, block++) {
		const uint64_t take = n - at < BLOCK_ROWS ? n - at : BLOCK_ROWS;
		const size_t bytes =
			column_pack(w->packed, p + at * width, width, (uint32_t)take);

		if (store_writer_put(w, t, event, (uint32_t)block, (uint32_t)take,
				     w->packed, bytes, err))
			return err->kind;
	}
	return 0;
}

/* Allocated but unused pages at the end may not have been written.  Readers compare
 * the file's size with the number of its last page. */
static int extend(struct store_writer *w)
{
	MDB_envinfo info;
	MDB_stat stat;
	struct stat sb;
	off_t size;
	int fd, rc = mdb_env_get_fd(w->env, &fd);

	if (rc || (rc = mdb_env_info(w->env, &info)) ||
	    (rc = mdb_env_stat(w->env, &stat)))
		return rc;
	size = (off_t)((info.me_last_pgno + 1) * stat.ms_psize);
	if (fstat(fd, &sb) || (sb.st_size < size && ftruncate(fd, size)))
		return errno;
	return 0;
}

int store_writer_finish(struct store_writer *w, struct err *err)
{
	int rc = mdb_txn_commit(w->txn);

	w->txn = NULL;
	if (!rc)
		rc = extend(w);
	return rc ? failed(w, rc, "write", err) : 0;
}

void store_writer_close(struct store_writer *w)
{
	if (!w)
		return;
	if (w->txn)
		mdb_txn_abort(w->txn);
	if (w->env)
		mdb_env_close(w->env);
	free(w->packed);
	free(w->path);
	free(w);
}

int packer_end_row(struct packer *p, uint64_t *at, struct err *err)
{
	*at = (uint64_t)p->block * PACK_BYTES + p->row_at;
	p->rows++;
	p->row_at = p->buf.n;
	return p->buf.n >= PACK_BYTES ? packer_flush(p, err) : 0;
}

int packer_flush(struct packer *p, struct err *err)
{
	if (p->rows == 0)
		return 0;
	if (store_writer_put(p->w, p->table, 0, p->block, p->rows, p->buf.p, p->buf.n,
			     err))
		return err->kind;
	p->block++;
	p->rows = 0;
	p->buf.n = p->row_at = 0;
	return 0;
}

void packer_free(struct packer *p)
{
	free(p->buf.p);
	p->buf = (struct bytes){0};
}
