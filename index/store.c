/*
 * store.c - open an index and read its columns; see store.h.
 *
 * The file is mapped by LMDB (read only, no lock file: a published index is never written
 * again) and one read transaction lasts as long as the store, so a view of a page is valid
 * until store_close().  LMDB has no checksums of its own: before a file is handed to it its
 * tree is looked through (store_pages.h), and every block is checked when it is first
 * read.  Damage reads as zeros and is remembered.
 */
#include "index/store.h"

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
#include "index/base/vec.h"
#include "index/store_pages.h"
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

static uint32_t events_of(const struct store *st, enum table t)
{
	return has_events(t) ? st->info.events : 1;
}

/* Slots of st->blocks[t]: derived events have no blocks, but a computed column. */
static uint32_t slots_of(const struct store *st, enum table t)
{
	return has_events(t) ? st->info.all_events : 1;
}

/* Rows of a column as the meta value has them; packed tables have none. */
static uint64_t rows_of(const struct store *st, enum table t)
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

static const struct value_header *fetch(struct store *st, enum table t, uint32_t event,
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
	uint64_t per = width ? BLOCK_ROWS : STRING_ROWS, rows = rows_of(st, t);
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

static struct blocks *blocks_of(struct store *st, enum table t, uint32_t event)
{
	if (t >= TABLES || event >= slots_of(st, t))
		return NULL;
	if (!st->blocks[t])
		st->blocks[t] = calloc(slots_of(st, t), sizeof(*st->blocks[t]));
	return st->blocks[t] ? &st->blocks[t][event] : NULL;
}

const void *store_block(struct store *st, enum table t, uint32_t event, uint32_t block,
			uint32_t *rows, uint64_t *bytes)
{
	struct blocks *b = blocks_of(st, t, event);
	const struct value_header *h;

	if (b && block < b->n && b->at[block]) {
		h = b->at[block];
	} else {
		size_t n = b ? b->n : 0;

		if (!b || event >= events_of(st, t) ||
		    (block >= n &&
		     vec_reserve(&b->at, &n, (size_t)block + 1, sizeof(*b->at)))) {
			store_damaged(st, t, block, "no such block, or no memory for it");
			return NULL;
		}
		b->n = (uint32_t)n;
		h = fetch(st, t, event, block);
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

/* A u32 that is an id below n; anything else is damage. */
static uint32_t row_id(struct store *st, enum table t, uint32_t event, uint64_t row, uint64_t n)
{
	uint32_t id = store_row_u32(st, t, event, row);

	if (id >= n) {
		store_damaged(st, t, (uint32_t)(row / BLOCK_ROWS), "an id is out of range");
		return 0;
	}
	return id;
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

/* ---- opening ---- */

static int not_an_index(const char *path, const char *why, struct err *err)
{
	err_set(err, ERR_INDEX, 0, "the index %s is damaged: %s", path, why);
	return err_hint(err, "rebuild it: run quern with --rebuild");
}

static int check_owner(const char *path, const struct stat *sb, bool trust, struct err *err)
{
	if (!S_ISREG(sb->st_mode))
		return err_set(err, ERR_INDEX, 0, "the index %s is not a regular file", path);
	if (trust || ((sb->st_uid == geteuid() || sb->st_uid == 0) &&
		      !(sb->st_mode & (S_IWGRP | S_IWOTH))))
		return 0;
	err_set(err, ERR_INDEX, 0, "the index %s could have been written by others", path);
	return err_hint(err, "use another one with --index PATH, or trust it with --trust");
}

/* Find where LMDB mapped the file, so that a fault there becomes an error. */
static void watch(struct store *st, const void *inside, uint64_t size)
{
	FILE *maps = fopen("/proc/self/maps", "re");
	char line[512];
	uintptr_t from, to, at = (uintptr_t)inside;

	while (maps && fgets(line, sizeof(line), maps))
		if (sscanf(line, "%" SCNxPTR "-%" SCNxPTR, &from, &to) == 2 && at >= from &&
		    at < to)
			st->watched = map_watch((const void *)from, (size_t)size, "the index");
	if (maps)
		fclose(maps);
}

static int open_env(struct store *st, uint64_t size, struct err *err)
{
	const unsigned flags = MDB_NOSUBDIR | MDB_RDONLY | MDB_NOLOCK | MDB_NOTLS;
	char same[64];
	int rc = mdb_env_create(&st->env);

	/* The file that was checked, even if the path means another one by now. */
	snprintf(same, sizeof(same), "/proc/self/fd/%d", st->fd);
	if (!rc)
		rc = mdb_env_set_mapsize(st->env, (size_t)size);
	if (!rc)
		rc = mdb_env_open(st->env, access(same, R_OK) ? st->path : same, flags, 0);
	if (!rc)
		rc = mdb_txn_begin(st->env, NULL, MDB_RDONLY, &st->txn);
	if (!rc)
		rc = mdb_dbi_open(st->txn, NULL, 0, &st->dbi);
	if (rc)
		return not_an_index(st->path, mdb_strerror(rc), err);
	return 0;
}

static int read_meta(struct store *st, uint64_t size, struct err *err)
{
	const struct value_header *h = fetch(st, TABLE_META, 0, 0);
	struct meta *m = &st->meta;
	struct varint_reader in;
	struct coder c = {.from = &in, .arena = &st->arena};

	if (!h)
		return store_check(st, err);
	watch(st, h, size);
	if (h->rows != INDEX_VERSION)
		return err_set(err, ERR_STALE, 0, "the index is of another version of quern");
	in = (struct varint_reader){(const unsigned char *)(h + 1),
				    (const unsigned char *)(h + 1) + h->bytes, false};
	meta_code(&c, m);
	if (c.failed || m->functions > UINT32_MAX - 1 || m->edges > UINT32_MAX - 1 ||
	    m->parts > UINT32_MAX || m->cycles > m->functions || m->events > m->all_events ||
	    m->all_events > UINT16_MAX)
		return not_an_index(st->path, "its meta value cannot be read", err);
	st->info = (struct store_info){
		.events = (uint32_t)m->events, .all_events = (uint32_t)m->all_events,
		.functions = (uint32_t)m->functions, .edges = (uint32_t)m->edges,
		.cycles = (uint32_t)m->cycles, .parts = (uint32_t)m->parts,
		.names = (uint32_t)m->strings[SPACE_FN],
		.files = (uint32_t)m->strings[SPACE_FILE],
		.objects = (uint32_t)m->strings[SPACE_OBJ],
		.lines = m->lines, .callsites = m->sites, .jumps = m->jumps,
		.diagnostics = m->diagnostics, .input_bytes = m->input_bytes,
		.input_lines = m->input_lines, .has_line = m->has_line,
		.has_instr = m->has_instr, .saturated = m->saturated,
		.truncated = m->truncated, .profile = m->profile, .creator = m->creator,
		.cmd = m->cmd, .built_s = m->built_s, .index_bytes = size,
	};
	return 0;
}

struct opening {
	struct store *st;
	uint64_t size;
	struct err *err;
};

static int open_guarded(void *arg)
{
	struct opening *o = arg;

	return open_env(o->st, o->size, o->err) || read_meta(o->st, o->size, o->err);
}

int store_open(const char *path, bool trust, struct store **out, struct err *err)
{
	struct store *st = calloc(1, sizeof(*st));
	struct opening o = {st, 0, err};
	struct stat sb;

	if (!st || !(st->path = strdup(path))) {
		free(st);
		return err_set(err, ERR_LIMIT, 0, "out of memory");
	}
	arena_init(&st->arena, 0);
	st->fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
	if (st->fd < 0 || fstat(st->fd, &sb)) {
		err_set(err, ERR_INDEX, 0, "cannot open the index %s: %s", path, strerror(errno));
		goto fail;
	}
	o.size = (uint64_t)sb.st_size;
	if (check_owner(path, &sb, trust, err) || store_pages_check(st->fd, path, o.size, err) ||
	    map_guard(open_guarded, &o, ERR_INDEX, err))
		goto fail;
	*out = st;
	return 0;
fail:
	store_close(st);
	return (int)err->kind;
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
	for (int t = 0; t < TABLES; t++) {
		uint32_t n = st->blocks[t] ? slots_of(st, (enum table)t) : 0;

		for (uint32_t e = 0; e < n; e++) {
			free(st->blocks[t][e].at);
			free(st->blocks[t][e].whole);
		}
		free(st->blocks[t]);
	}
	free(st->diag);
	free(st->part);
	arena_free(&st->arena);
	free(st->path);
	free(st);
}

const struct store_info *store_info(const struct store *st)
{
	return &st->info;
}

const struct source_id *store_source(const struct store *st)
{
	return &st->meta.source;
}

/* ---- events ---- */

void store_event(const struct store *st, uint32_t e, struct store_event *out)
{
	const struct event *ev = &st->meta.event[e];

	*out = (struct store_event){ev->name, ev->long_name, ev->formula, ev->builtin};
}

uint32_t store_event_find(const struct store *st, struct str name)
{
	uint32_t e = 0;

	while (e < st->info.all_events && !str_eq(st->meta.event[e].name, name))
		e++;
	return e;
}

static uint64_t clamp(__int128 sum)
{
	return sum < 0 ? 0 : sum > (__int128)UINT64_MAX ? UINT64_MAX : (uint64_t)sum;
}

uint64_t store_event_of(const struct store *st, uint32_t e, const uint64_t *recorded)
{
	const int64_t *coef = st->meta.event[e].coef;
	__int128 sum = 0;

	if (!coef)
		return recorded[e];
	for (uint32_t i = 0; i < st->info.events; i++)
		sum += (__int128)coef[i] * recorded[i];
	return clamp(sum);
}

/* Event e of a row of a table with a column per recorded event. */
static uint64_t cost_at(struct store *st, enum table t, uint32_t e, uint64_t row)
{
	const int64_t *coef;
	__int128 sum = 0;

	if (e < st->info.events)
		return store_row_u64(st, t, e, row);
	if (e >= st->info.all_events)
		return 0;
	coef = st->meta.event[e].coef;
	for (uint32_t i = 0; i < st->info.events; i++)
		if (coef[i])
			sum += (__int128)coef[i] * store_row_u64(st, t, i, row);
	return clamp(sum);
}

uint64_t store_total(const struct store *st, uint32_t e)
{
	return store_event_of(st, e, st->meta.total);
}

/* ---- strings ---- */

static struct str string_at(struct store *st, enum table t, uint64_t row)
{
	uint32_t rows, i = (uint32_t)(row % STRING_ROWS);
	uint64_t bytes;
	const char *p = store_block(st, t, 0, (uint32_t)(row / STRING_ROWS), &rows, &bytes);
	const uint64_t *offset = (const void *)p;

	if (!p || i >= rows)
		return STR("???");
	return (struct str){p + offset[i], (size_t)(offset[i + 1] - offset[i])};
}

static uint32_t lower(struct store *st, enum table t, uint32_t n, struct str s)
{
	uint32_t lo = 0, hi = n;

	while (lo < hi) {
		uint32_t mid = lo + (hi - lo) / 2;

		if (str_cmp(string_at(st, t, mid), s) < 0)
			lo = mid + 1;
		else
			hi = mid;
	}
	return lo;
}

struct str store_name(struct store *st, name_id n)
{
	return string_at(st, TABLE_NAME, n);
}

struct str store_file(struct store *st, file_id f)
{
	return string_at(st, TABLE_FILE, f);
}

struct str store_obj(struct store *st, obj_id o)
{
	return string_at(st, TABLE_OBJ, o);
}

name_id store_name_lower(struct store *st, struct str s)
{
	return lower(st, TABLE_NAME, st->info.names, s);
}

file_id store_file_lower(struct store *st, struct str s)
{
	return lower(st, TABLE_FILE, st->info.files, s);
}

obj_id store_obj_lower(struct store *st, struct str s)
{
	return lower(st, TABLE_OBJ, st->info.objects, s);
}

/* ---- functions ---- */

name_id store_fn_name_id(struct store *st, fn_id f)
{
	return row_id(st, TABLE_FN_NAME, 0, f, st->info.names);
}

file_id store_fn_file_id(struct store *st, fn_id f)
{
	return row_id(st, TABLE_FN_FILE, 0, f, st->info.files);
}

obj_id store_fn_obj_id(struct store *st, fn_id f)
{
	return row_id(st, TABLE_FN_OBJ, 0, f, st->info.objects);
}

struct str store_fn_name(struct store *st, fn_id f)
{
	return store_name(st, store_fn_name_id(st, f));
}

struct str store_fn_file(struct store *st, fn_id f)
{
	return store_file(st, store_fn_file_id(st, f));
}

struct str store_fn_obj(struct store *st, fn_id f)
{
	return store_obj(st, store_fn_obj_id(st, f));
}

uint64_t store_fn_line(struct store *st, fn_id f)
{
	return store_row_u64(st, TABLE_FN_LINE, 0, f);
}

uint32_t store_fn_cycle(struct store *st, fn_id f)
{
	return row_id(st, TABLE_FN_CYCLE, 0, f, (uint64_t)st->info.cycles + 1);
}

uint64_t store_fn_calls(struct store *st, fn_id f)
{
	return store_row_u64(st, TABLE_FN_CALLS, 0, f);
}

uint64_t store_fn_self(struct store *st, fn_id f, uint32_t e)
{
	return cost_at(st, TABLE_FN_SELF, e, f);
}

uint64_t store_fn_incl(struct store *st, fn_id f, uint32_t e)
{
	return cost_at(st, TABLE_FN_INCL, e, f);
}

uint64_t store_fn_contribution(struct store *st, fn_id f, uint32_t e)
{
	uint32_t cycle = store_fn_cycle(st, f), lo, hi;

	if (!cycle)
		return store_fn_incl(st, f, e);
	lo = store_row_u32(st, TABLE_CYCLE_FIRST, 0, cycle - 1);
	hi = store_row_u32(st, TABLE_CYCLE_FIRST, 0, cycle);
	while (lo < hi) {
		uint32_t mid = lo + (hi - lo) / 2;

		if (store_row_u32(st, TABLE_CYCLE_MEMBER, 0, mid) < f)
			lo = mid + 1;
		else
			hi = mid;
	}
	return cost_at(st, TABLE_CYCLE_CONTRIBUTION, e, lo);
}

uint64_t store_fn_incoming(struct store *st, fn_id f, uint32_t e)
{
	uint64_t sum = 0;
	uint32_t n = store_caller_count(st, f);

	for (uint32_t i = 0; i < n; i++) {
		edge_id id = store_caller(st, f, i);
		struct store_edge edge;

		store_edge(st, id, &edge);
		if (!edge.in_cycle && __builtin_add_overflow(sum, store_edge_incl(st, id, e), &sum))
			return UINT64_MAX;
	}
	return sum;
}

fn_id store_rank_self(struct store *st, uint32_t e, uint32_t i)
{
	return row_id(st, TABLE_RANK_SELF, e, i, st->info.functions);
}

fn_id store_rank_incl(struct store *st, uint32_t e, uint32_t i)
{
	return row_id(st, TABLE_RANK_INCL, e, i, st->info.functions);
}

static fn_id first_of_name(struct store *st, uint64_t name)
{
	uint32_t lo = 0, hi = st->info.functions;

	while (lo < hi) {
		uint32_t mid = lo + (hi - lo) / 2;

		if (store_row_u32(st, TABLE_FN_NAME, 0, mid) < name)
			lo = mid + 1;
		else
			hi = mid;
	}
	return lo;
}

void store_fns_of_name(struct store *st, name_id name, fn_id *first, uint32_t *n)
{
	*first = first_of_name(st, name);
	*n = first_of_name(st, (uint64_t)name + 1) - *first;
}

/* ---- edges ---- */

void store_edge(struct store *st, edge_id id, struct store_edge *out)
{
	uint32_t cycle;

	out->caller = row_id(st, TABLE_EDGE_CALLER, 0, id, st->info.functions);
	out->callee = row_id(st, TABLE_EDGE_CALLEE, 0, id, st->info.functions);
	out->calls = store_row_u64(st, TABLE_EDGE_CALLS, 0, id);
	out->recursive = out->caller == out->callee;
	cycle = store_fn_cycle(st, out->caller);
	out->in_cycle = out->recursive ||
			(cycle && cycle == store_fn_cycle(st, out->callee));
}

uint64_t store_edge_incl(struct store *st, edge_id id, uint32_t e)
{
	return cost_at(st, TABLE_EDGE_INCL, e, id);
}

static uint32_t span(struct store *st, enum table t, fn_id f, uint32_t *first)
{
	uint32_t from = store_row_u32(st, t, 0, f), to = store_row_u32(st, t, 0, (uint64_t)f + 1);

	if (from > to || to > st->info.edges) {
		store_damaged(st, t, f / BLOCK_ROWS, "a span is out of range");
		from = to = 0;
	}
	*first = from;
	return to - from;
}

void store_callees(struct store *st, fn_id f, edge_id *first, uint32_t *n)
{
	*n = span(st, TABLE_OUT_FIRST, f, first);
}

uint32_t store_caller_count(struct store *st, fn_id f)
{
	uint32_t first;

	return span(st, TABLE_IN_FIRST, f, &first);
}

edge_id store_caller(struct store *st, fn_id f, uint32_t i)
{
	uint32_t first, n = span(st, TABLE_IN_FIRST, f, &first);

	return i < n ? row_id(st, TABLE_IN_EDGE, 0, (uint64_t)first + i, st->info.edges) : 0;
}

/* ---- whole columns ---- */

static const enum table column_table[] = {
	[STORE_OUT_FIRST] = TABLE_OUT_FIRST, [STORE_EDGE_CALLEE] = TABLE_EDGE_CALLEE,
	[STORE_EDGE_CALLER] = TABLE_EDGE_CALLER, [STORE_EDGE_CALLS] = TABLE_EDGE_CALLS,
	[STORE_EDGE_INCL] = TABLE_EDGE_INCL, [STORE_IN_FIRST] = TABLE_IN_FIRST,
	[STORE_IN_EDGE] = TABLE_IN_EDGE, [STORE_FN_NAME] = TABLE_FN_NAME,
	[STORE_FN_FILE] = TABLE_FN_FILE, [STORE_FN_OBJ] = TABLE_FN_OBJ,
	[STORE_FN_CYCLE] = TABLE_FN_CYCLE, [STORE_FN_CALLS] = TABLE_FN_CALLS,
	[STORE_FN_SELF] = TABLE_FN_SELF, [STORE_FN_INCL] = TABLE_FN_INCL,
	[STORE_TOPO] = TABLE_TOPO,
};

/* What the u32 of a table must be below, and whether they ascend. */
static uint64_t limit_of(const struct store *st, enum table t, bool *ascends)
{
	*ascends = t == TABLE_OUT_FIRST || t == TABLE_IN_FIRST;
	switch (t) {
	case TABLE_OUT_FIRST:
	case TABLE_IN_FIRST:
		return (uint64_t)st->info.edges + 1;
	case TABLE_IN_EDGE:
		return st->info.edges;
	case TABLE_FN_NAME:
		return st->info.names;
	case TABLE_FN_FILE:
		return st->info.files;
	case TABLE_FN_OBJ:
		return st->info.objects;
	case TABLE_FN_CYCLE:
		return (uint64_t)st->info.cycles + 1;
	default:
		return st->info.functions;
	}
}

/* Algorithms index with these without looking: check them once. */
static void check_ids(struct store *st, enum table t, const uint32_t *p, uint64_t n)
{
	bool ascends;
	uint64_t limit = limit_of(st, t, &ascends);

	for (uint64_t i = 0; i < n; i++)
		if (p[i] >= limit || (ascends && i && p[i] < p[i - 1])) {
			store_damaged(st, t, (uint32_t)(i / BLOCK_ROWS), "an id is out of range");
			return;
		}
	if (ascends && n && (p[0] != 0 || p[n - 1] != st->info.edges))
		store_damaged(st, t, 0, "the spans do not cover the edges");
}

static const void *whole(struct store *st, enum table t, uint32_t event)
{
	struct blocks *b = blocks_of(st, t, event);
	uint64_t n = rows_of(st, t), width = table_width(t);
	char *p;

	if (!b)
		return NULL;
	if (b->whole)
		return b->whole;
	p = calloc((size_t)n + 1, (size_t)width);
	if (!p) {
		store_damaged(st, t, 0, "no memory to hold it");
		return NULL;
	}
	for (uint64_t at = 0; at < n; at += BLOCK_ROWS) {
		uint32_t rows;
		uint64_t bytes;
		const void *from = store_block(st, t, event, (uint32_t)(at / BLOCK_ROWS), &rows,
					       &bytes);

		if (from)
			memcpy(p + at * width, from, (size_t)bytes);
	}
	if (width == 4)
		check_ids(st, t, (const uint32_t *)(const void *)p, n);
	if (st->damage.kind) {
		free(p);
		return NULL;
	}
	b->whole = p;
	return p;
}

const uint32_t *store_u32(struct store *st, enum store_column c)
{
	return whole(st, column_table[c], 0);
}

/* The column of a derived event, computed once. */
static const uint64_t *derived(struct store *st, enum table t, uint32_t e)
{
	struct blocks *b = blocks_of(st, t, e);
	uint64_t n = rows_of(st, t);
	uint64_t *p;

	if (!b || b->whole)
		return b ? b->whole : NULL;
	p = malloc(((size_t)n + 1) * sizeof(*p));
	if (!p) {
		store_damaged(st, t, 0, "no memory to hold it");
		return NULL;
	}
	for (uint64_t i = 0; i < n; i++)
		p[i] = cost_at(st, t, e, i);
	b->whole = p;
	return p;
}

const uint64_t *store_u64(struct store *st, enum store_column c, uint32_t e)
{
	enum table t = column_table[c];

	return e < events_of(st, t) ? whole(st, t, e) : derived(st, t, e);
}

/* ---- cycles ---- */

void store_cycle(struct store *st, uint32_t cycle, struct store_cycle *out)
{
	const uint32_t *first = whole(st, TABLE_CYCLE_FIRST, 0);
	const uint32_t *member = whole(st, TABLE_CYCLE_MEMBER, 0);

	*out = (struct store_cycle){0};
	if (!first || !member || cycle == 0 || cycle > st->info.cycles)
		return;
	if (first[cycle - 1] > first[cycle] || first[cycle] > st->meta.cycle_members) {
		store_damaged(st, TABLE_CYCLE_FIRST, 0, "a span is out of range");
		return;
	}
	out->members = member + first[cycle - 1];
	out->functions = first[cycle] - first[cycle - 1];
}

uint64_t store_cycle_self(struct store *st, uint32_t cycle, uint32_t e)
{
	return cycle ? cost_at(st, TABLE_CYCLE_SELF, e, cycle - 1) : 0;
}

uint64_t store_cycle_incl(struct store *st, uint32_t cycle, uint32_t e)
{
	return cycle ? cost_at(st, TABLE_CYCLE_INCL, e, cycle - 1) : 0;
}

uint64_t store_part_self(struct store *st, uint32_t p, uint32_t e)
{
	return cost_at(st, TABLE_PART_SELF, e, p);
}

uint64_t store_part_totals(struct store *st, uint32_t p, uint32_t e)
{
	return cost_at(st, TABLE_PART_TOTALS, e, p);
}

uint64_t store_part_summary(struct store *st, uint32_t p, uint32_t e)
{
	return cost_at(st, TABLE_PART_SUMMARY, e, p);
}

struct detail_shape store_shape(const struct store *st)
{
	return (struct detail_shape){st->info.events, st->info.has_instr, st->info.has_line};
}

/* ---- verify ---- */

int store_verify(struct store *st, struct err *err)
{
	MDB_cursor *cursor;
	MDB_val k, v;
	int rc = mdb_cursor_open(st->txn, st->dbi, &cursor);

	while (!rc && !st->damage.kind && !(rc = mdb_cursor_get(cursor, &k, &v, MDB_NEXT))) {
		const unsigned char *key = k.mv_data;
		enum table t;
		uint32_t event, block, rows;
		uint64_t bytes;

		if (k.mv_size != 8 || (t = (enum table)(key[0] << 8 | key[1])) >= TABLES || !t) {
			rc = MDB_CORRUPTED;
			break;
		}
		event = (uint32_t)(key[2] << 8 | key[3]);
		block = (uint32_t)key[4] << 24 | (uint32_t)key[5] << 16 |
			(uint32_t)key[6] << 8 | key[7];
		store_block(st, t, event, block, &rows, &bytes);
	}
	mdb_cursor_close(cursor);
	if (rc && rc != MDB_NOTFOUND)
		return not_an_index(st->path, mdb_strerror(rc), err);
	/* Nothing may be missing either: touch the first row of every column's blocks. */
	for (int t = TABLE_OBJ; t < TABLES; t++) {
		uint64_t per = table_width((enum table)t) ? BLOCK_ROWS : STRING_ROWS;
		uint64_t n = rows_of(st, (enum table)t);

		for (uint32_t e = 0; e < events_of(st, (enum table)t); e++)
			for (uint64_t at = 0; at < n && !st->damage.kind; at += per) {
				uint32_t rows;
				uint64_t bytes;

				store_block(st, (enum table)t, e, (uint32_t)(at / per), &rows,
					    &bytes);
			}
	}
	return store_check(st, err);
}
