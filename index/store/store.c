/*
 * store.c - open and close an index; see store.h.  store_verify.c checks all of it.
 *
 * LMDB maps the file (read only, no lock file: a published index is never written again),
 * and one read transaction lasts as long as the store, so a view of a page is valid until
 * store_close().  LMDB has no checksums: the tree of a file is checked before LMDB opens
 * it (store_pages.h), and every block when it is first read (store_block.c).
 */
#include "index/store/store.h"
#include "index/base/err.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <lmdb.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "index/base/map.h"
#include "index/base/os.h"
#include "index/store/store_pages.h"
#include "index/store/store_in.h"
#include "index/lines/decode.h"

/* ---- opening ---- */

static int not_an_index(const char *path, const char *why, struct err *err)
{
	err_set(err, ERR_INDEX, 0, "the index %s is damaged: %s", path, why);
	return err_hint(err, "rebuild it: run quern with --rebuild");
}

/* A lack of memory or the like is not damage. */
static int cannot_open(const char *path, int rc, struct err *err)
{
	if (rc == ENOMEM)
		return err_set(err, ERR_LIMIT, 0, "out of memory to open the index %s",
			       path);
	if (rc > 0 && rc != EINVAL)
		return err_set(err, ERR_INDEX, 0, "cannot open the index %s: %s", path,
			       strerror(rc));
	return not_an_index(path, mdb_strerror(rc), err);
}

static int check_owner(const char *path, const struct stat *sb, bool trust,
		       struct err *err)
{
	if (!S_ISREG(sb->st_mode))
		return err_set(err, ERR_INDEX, 0, "the index %s is not a regular file",
			       path);
	if (trust || ((sb->st_uid == geteuid() || sb->st_uid == 0) &&
		      !(sb->st_mode & (S_IWGRP | S_IWOTH))))
		return 0;
	err_set(err, ERR_INDEX, 0, "the index %s could have been written by others",
		path);
	return err_hint(err,
			"use another one with --index PATH, or trust it with --trust");
}

/* Find where LMDB mapped the file, so that a fault there becomes an error.  Without
 * /proc, watch as many bytes as the file has before and after `inside`. */
static void store_watch(struct store *st, const char *inside)
{
	st->map = os_map_of(inside);
	st->watched =
		st->map ? map_watch(st->map, (size_t)st->size, st->path)
			: map_watch(inside - st->size, 2 * (size_t)st->size, st->path);
}

/* LMDB would abort(): a page contradicts the tree. */
static void on_assert(MDB_env *env, const char *what)
{
	(void)what;
	map_fail(mdb_env_get_userctx(env));
}

/* LMDB opened a path; it must be the file that was checked. */
static int check_same_file(const struct store *st, struct err *err)
{
	struct stat ours, theirs;
	int fd, rc = mdb_env_get_fd(st->env, &fd);

	if (rc || fstat(fd, &theirs) || fstat(st->fd, &ours))
		return cannot_open(st->path, rc ? rc : errno, err);
	return ours.st_ino == theirs.st_ino && ours.st_dev == theirs.st_dev
		       ? 0
		       : not_an_index(st->path, "it was replaced while it was opened",
				      err);
}

static int open_env(struct store *st, struct err *err)
{
	const unsigned flags = MDB_NOSUBDIR | MDB_RDONLY | MDB_NOLOCK | MDB_NOTLS;
	char same[OS_PATH];
	int rc = mdb_env_create(&st->env);

	/* Open the checked file, even if the path now leads to another one. */
	if (!rc)
		rc = mdb_env_set_mapsize(st->env, (size_t)st->size);
	if (!rc)
		rc = mdb_env_set_userctx(st->env, st->path);
	if (!rc)
		rc = mdb_env_set_assert(st->env, on_assert);
	/* LMDB reads from its map, which is not watched yet. */
	map_wild(st->path);
	if (!rc)
		rc = mdb_env_open(st->env,
				  os_path_of(st->fd, R_OK, same) ? same : st->path, flags,
				  0);
	if (!rc && check_same_file(st, err)) {
		map_wild(NULL);
		return err->kind;
	}
	if (!rc)
		rc = mdb_txn_begin(st->env, NULL, MDB_RDONLY, &st->txn);
	if (!rc)
		rc = mdb_dbi_open(st->txn, NULL, 0, &st->dbi);
	map_wild(NULL);
	return rc ? cannot_open(st->path, rc, err) : 0;
}

/* Whether counts fit the size of the file: each row takes some bytes, so what is
 * allocated is in proportion to the file.  An id needs a table with a row.  Contexts take
 * least: 64 of them, which no two share both caller and function, have at least 6 bits each
 * for these, and 6 for their place by function. */
static bool counts_fit(const struct meta *m, uint64_t size)
{
	const uint64_t *strings = m->strings;
	const uint64_t most = size / sizeof(uint32_t) < UINT32_MAX - 1
				      ? size / sizeof(uint32_t)
				      : UINT32_MAX - 1;

	if (m->functions > most || m->edges > most || m->parts > most ||
	    m->cycles > m->functions || m->cycle_members > m->functions ||
	    m->tree.contexts > size || m->tree.contexts >= UINT32_MAX - 1 ||
	    m->tree.roots > size || m->tree.roots > UINT32_MAX ||
	    m->tree.kind > TREE_REFUSED || m->tree.file >= m->files ||
	    m->groups > m->functions || m->group_cycles > m->groups ||
	    m->group_edges > m->edges ||
	    ((m->tree.contexts || m->tree.roots) &&
	     (m->tree.kind != TREE_WHOLE || !m->functions)))
		return false;
	for (int i = 0; i < SPACES; i++)
		if (strings[i] > most || (m->functions && !strings[i]))
			return false;
	return m->functions || !m->edges;
}

/* Bytes and lines of the profile are the sums of its files'. */
static bool text_adds_up(const struct meta *m)
{
	uint64_t bytes = 0, lines = 0;

	for (uint64_t i = 0; i < m->files; i++) {
		bytes += m->file[i].bytes;
		lines += m->file[i].lines;
	}
	return bytes == m->input_bytes && lines == m->input_lines;
}

static int read_meta(struct store *st, struct err *err)
{
	struct value_header head;
	const unsigned char *p = store_value(st, TABLE_META, 0, 0, &head);
	struct meta *m = &st->meta;
	struct varint_reader in;
	struct coder c = {.from = &in, .arena = &st->arena};

	if (!p)
		return store_check(st, err);
	store_watch(st, (const char *)p);
	if (!st->watched)
		return cannot_open(st->path, ENOMEM, err);
	if (head.rows != INDEX_VERSION)
		return err_set(err, ERR_STALE, 0,
			       "the index is of another version of quern");
	in = (struct varint_reader){p, p + head.bytes, false};
	meta_code(&c, m);
	if (c.failed && !in.bad)
		return cannot_open(st->path, ENOMEM, err);
	if (c.failed || !counts_fit(m, st->size) || !text_adds_up(m) ||
	    m->events > m->all_events || m->events == 0 || m->events > EVENTS_MAX ||
	    m->all_events > UINT16_MAX || m->pairs > m->strings[SPACE_FILE] ||
	    (m->functions && m->pairs == m->strings[SPACE_FILE]))
		return not_an_index(st->path, "its meta value cannot be read", err);
	st->info = (struct store_info){
		.events = (uint32_t)m->events,
		.all_events = (uint32_t)m->all_events,
		.functions = (uint32_t)m->functions,
		.groups = (uint32_t)(m->groups ? m->groups : m->functions),
		.group_edges = (uint32_t)(m->groups ? m->group_edges : m->edges),
		.group_cycles = (uint32_t)(m->groups ? m->group_cycles : m->cycles),
		.edges = (uint32_t)m->edges,
		.cycles = (uint32_t)m->cycles,
		.parts = (uint32_t)m->parts,
		.names = (uint32_t)m->strings[SPACE_FN],
		.files = (uint32_t)(m->strings[SPACE_FILE] - m->pairs),
		.inlined = (uint32_t)m->pairs,
		.objects = (uint32_t)m->strings[SPACE_OBJ],
		.lines = m->lines,
		.callsites = m->sites,
		.jumps = m->jumps,
		.diagnostics = m->diagnostics,
		.input_bytes = m->input_bytes,
		.input_lines = m->input_lines,
		.has_line = m->has_line,
		.has_instr = m->has_instr,
		.saturated = m->saturated,
		.negative = m->negative,
		.truncated = m->truncated,
		.profile = m->profile,
		.creator = m->creator,
		.cmd = m->cmd,
		.built_s = m->built_s,
		.index_bytes = st->size,
	};
	return 0;
}

struct store_opening {
	struct store *st;
	struct err *err;
};

static int open_guarded(void *arg)
{
	struct store_opening *o = arg;

	return open_env(o->st, o->err) || read_meta(o->st, o->err);
}

int store_open(const char *path, bool trust, struct store **out, struct err *err)
{
	struct store *st = calloc(1, sizeof(*st));
	struct store_opening o = {st, err};
	struct stat sb;

	if (!st || !(st->path = strdup(path))) {
		free(st);
		return err_set(err, ERR_LIMIT, 0, "out of memory");
	}
	arena_init(&st->arena, 0);
	arena_init(&st->demangled, DEMANGLED_MAX);
	st->fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
	if (st->fd < 0 || fstat(st->fd, &sb)) {
		err_set(err, err_kind_of(errno, ERR_INDEX), 0,
			"cannot open the index %s: %s", path, strerror(errno));
		goto fail;
	}
	st->size = (uint64_t)sb.st_size;
	st->mtime = sb.st_mtim;
	if (check_owner(path, &sb, trust, err) ||
	    store_pages_check(st->fd, path, st->size, err) ||
	    map_guard(open_guarded, &o, ERR_INDEX, err))
		goto fail;
	*out = st;
	return 0;
fail:
	store_close(st);
	return err->kind;
}

int store_named(struct store *st, const char *const *path, size_t n, bool only,
		struct err *err)
{
	st->only_named = only;
	st->named = ARENA_ARRAY(&st->arena, const char *, n + 1);
	if (!st->named)
		return arena_full(&st->arena, err);
	for (st->nnamed = 0; st->nnamed < n; st->nnamed++) {
		struct str copy = arena_str(&st->arena, str_c(path[st->nnamed]));

		if (!copy.p)
			return arena_full(&st->arena, err);
		st->named[st->nnamed] = copy.p;
	}
	return 0;
}

void store_close(struct store *st)
{
	if (!st)
		return;
	map_unwatch(st->watched);
	if (st->txn)
		mdb_txn_abort(st->txn);
	if (st->env)
		mdb_env_close(st->env);
	if (st->fd >= 0)
		close(st->fd);
	for (int t = 0; t < INDEX_TABLES; t++) {
		uint32_t n = st->blocks[t] ? store_slots_of(st, (enum index_table)t) : 0;

		for (uint32_t e = 0; e < n; e++) {
			free(st->blocks[t][e].at);
			free(st->blocks[t][e].whole);
		}
		free(st->blocks[t]);
	}
	free(st->loading);
	free(st->ids);
	free(st->diag);
	free(st->part);
	free(st->shown);
	free(st->alone);
	arena_free(&st->demangled);
	arena_free(&st->arena);
	free(st->path);
	free(st);
}

const struct store_info *store_info(const struct store *st)
{
	return &st->info;
}

const struct input_file *store_inputs(const struct store *st, uint32_t *n)
{
	*n = (uint32_t)st->meta.files;
	return st->meta.file;
}

struct str store_input_path(const struct store *st, uint32_t i)
{
	return i < st->meta.files ? st->meta.file[i].id.path : (struct str){"", 0};
}

const struct source_id *store_source(const struct store *st)
{
	return &st->meta.file[0].id;
}
