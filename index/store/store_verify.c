/*
 * store_verify.c - check an index by itself, or against another one; see store.h.
 *
 * Checksums show that the bytes are those that were written; every id is in range, every row
 * can be read, no block is missing.  Whether they are the right bytes, the profile knows: its
 * index is made again and compared, value by value (index/verify.c).
 */
#include <errno.h>
#include <lmdb.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "index/base/bytes.h"
#include "index/base/err.h"
#include "index/base/hash.h"
#include "index/base/map.h"
#include "index/base/order.h"
#include "index/base/vec.h"
#include "index/store/part_names.h"
#include "index/store/store_in.h"

struct verify {
	struct store *st;
	const struct store_info *in;
	const atomic_int *cancel;
	struct store_verified *out;
	struct arena a; /* for one function or part */
	struct err *err;
};

static int verify_wrong(struct verify *v, enum index_table t, uint64_t row,
			const char *what)
{
	store_damaged(v->st, t, (uint32_t)(row / BLOCK_ROWS), what);
	return store_check(v->st, v->err);
}

/* Whether to stop: damage was found, or the user cancelled. */
static int verify_stopped(struct verify *v)
{
	if (v->cancel && atomic_load_explicit(v->cancel, memory_order_relaxed))
		return err_set(v->err, ERR_CANCEL, 0, "interrupted");
	return v->st->damage.kind ? store_check(v->st, v->err) : v->err->kind;
}

/* ---- values ---- */

/* A lack of memory or the like is not damage. */
static int lmdb_failed(struct verify *v, int rc)
{
	if (rc != ENOMEM)
		return verify_wrong(v, TABLE_META, 0, mdb_strerror(rc));
	store_short(v->st);
	return store_check(v->st, v->err);
}

/* Add a value to the digest; its checksum includes its place. */
static void digest(struct verify *v, enum index_table t, const MDB_val *value)
{
	struct value_header h;

	if (t == TABLE_META || value->mv_size < sizeof(h))
		return;
	memcpy(&h, value->mv_data, sizeof(h));
	v->out->digest = hash_mix(v->out->digest ^ h.check);
}

/* Each value belongs to a table, is whole, and has the right checksum. */
static int every_value(struct verify *v)
{
	struct store *st = v->st;
	MDB_cursor *cursor;
	MDB_val k, val;
	int rc = mdb_cursor_open(st->txn, st->dbi, &cursor);

	if (rc)
		return lmdb_failed(v, rc);
	while (!verify_stopped(v) && !(rc = mdb_cursor_get(cursor, &k, &val, MDB_NEXT))) {
		const unsigned char *key = k.mv_data;
		unsigned t = k.mv_size == 8 ? (unsigned)(key[0] << 8 | key[1]) : 0;
		uint32_t block, rows;
		uint64_t bytes;

		if (t == 0 || t >= INDEX_TABLES) {
			verify_wrong(v, TABLE_META, 0, "there is a value of no table");
			break;
		}
		block = (uint32_t)key[4] << 24 | (uint32_t)key[5] << 16 |
			(uint32_t)key[6] << 8 | key[7];
		store_block(st, (enum index_table)t, (uint32_t)(key[2] << 8 | key[3]),
			    block, &rows, &bytes);
		digest(v, (enum index_table)t, &val);
		v->out->values++;
	}
	mdb_cursor_close(cursor);
	if (rc && rc != MDB_NOTFOUND)
		return lmdb_failed(v, rc);
	return verify_stopped(v);
}

/* Ids are dense: no block of a column may be missing. */
static int no_value_missing(struct verify *v)
{
	struct store *st = v->st;

	for (int t = TABLE_OBJ; t < INDEX_TABLES; t++) {
		uint64_t per =
			table_width((enum index_table)t) ? BLOCK_ROWS : STRING_ROWS;
		uint64_t n = store_rows_of(st, (enum index_table)t);

		for (uint32_t e = 0; e < store_events_of(st, (enum index_table)t); e++)
			for (uint64_t at = 0; at < n && !st->damage.kind; at += per) {
				uint32_t rows;
				uint64_t bytes;

				store_block(st, (enum index_table)t, e,
					    (uint32_t)(at / per), &rows, &bytes);
			}
	}
	return verify_stopped(v);
}

/* Reading a column checks that its ids are in range, and edges within their callers. */
static int id_columns(struct verify *v)
{
	for (enum index_table t = TABLE_OBJ; t < INDEX_TABLES; t++)
		if (table_width(t) == sizeof(uint32_t) && !table_has_events(t) &&
		    !store_u32(v->st, t))
			return store_check(v->st, v->err);
	return 0;
}

/* ---- texts and rows ---- */

static int texts(struct verify *v)
{
	struct str name;
	file_id of;

	for (uint32_t i = 0; i < v->in->names; i++)
		store_name(v->st, i);
	for (uint32_t i = 0; i < v->in->files + v->in->inlined; i++)
		store_file(v->st, i);
	for (uint32_t i = 0; i < v->in->objects; i++)
		store_obj(v->st, i);
	for (uint32_t i = 0; i < v->in->inlined; i++)
		store_inlined(v->st, v->in->files + i, &of, &name);
	for (uint32_t i = 0; i < store_diag_count(v->st); i++)
		store_diag(v->st, i, &(struct store_diag){0});
	v->out->strings = v->in->names + v->in->files + v->in->inlined + v->in->objects;
	return verify_stopped(v);
}

static int rows_of(struct verify *v, fn_id f)
{
	struct store_line *line;
	struct store_site *site;
	struct store_jump *jump;
	int64_t *cost;
	size_t n[3];

	arena_reset(&v->a);
	if (store_inlined_lines(v->st, f, &v->a, &line, &cost, &n[0], v->err) ||
	    store_sites(v->st, f, &v->a, &site, &cost, &n[1], v->err) ||
	    store_jumps(v->st, f, &v->a, &jump, &n[2], v->err))
		return v->err->kind;
	v->out->detail += n[0] + n[1] + n[2];
	return verify_stopped(v);
}

static int detail(struct verify *v)
{
	for (fn_id f = 0; f < v->in->functions; f++)
		if (rows_of(v, f))
			return v->err->kind;
	if (v->out->detail != v->in->lines + v->in->callsites + v->in->jumps)
		return verify_wrong(v, TABLE_META, 0,
				    "its counts are not those of the rows");
	return 0;
}

static int parts(struct verify *v)
{
	struct part head;
	uint64_t *calls;
	int64_t *cost;
	fn_id *fns;
	edge_id *edge;
	size_t n;

	for (uint32_t p = 0; p < v->in->parts; p++) {
		arena_reset(&v->a);
		store_part(v->st, p, &head);
		if (store_part_functions(v->st, p, &v->a, &fns, &cost, &n, v->err) ||
		    store_part_edges(v->st, p, &v->a, &edge, &calls, &cost, &n, v->err) ||
		    (v->in->parts > 1 && part_names_load(v->st, p, NULL, v->err)) ||
		    verify_stopped(v))
			return v->err->kind;
	}
	return 0;
}

static int verify_guarded(void *arg)
{
	struct verify *v = arg;

	return every_value(v) || no_value_missing(v) || texts(v) || id_columns(v) ||
			       detail(v) || parts(v)
		       ? v->err->kind
		       : store_check(v->st, v->err);
}

int store_verify(struct store *st, const atomic_int *cancel, struct store_verified *out,
		 struct err *err)
{
	const bool as_recorded = st->as_recorded;
	struct verify v = {st, store_info(st), cancel, out, .err = err};

	*out = (struct store_verified){.pages = st->size /
						(uint64_t)sysconf(_SC_PAGESIZE)};
	st->as_recorded = true; /* names are sorted as recorded */
	arena_init(&v.a, 0);
	if (map_guard(verify_guarded, &v, ERR_INDEX, err) == ERR_INDEX)
		err_hint(err, "rebuild it: run quern with --rebuild");
	arena_free(&v.a);
	st->as_recorded = as_recorded;
	return err->kind;
}

/* ---- two indexes ---- */

struct both {
	struct store *st[2]; /* [0]: the one to check */
	MDB_cursor *cursor[2];
	struct names names[2][SPACES]; /* what ids mean at the part at hand */
	struct part_place *order;
	struct err *err;
};

static bool same_bytes(const MDB_val *a, const MDB_val *b)
{
	return a->mv_size == b->mv_size &&
	       memcmp(a->mv_data, b->mv_data, a->mv_size) == 0;
}

/* Which files, and when, is not compared. */
static bool same_meta(struct both *b)
{
	struct meta of[2] = {b->st[0]->meta, b->st[1]->meta};
	struct bytes text[2] = {{0}, {0}};
	bool same = true;

	of[1].file = of[0].file;
	of[1].files = of[0].files;
	of[1].profile = of[0].profile;
	of[1].built_s = of[0].built_s;
	for (int i = 0; i < 2; i++) {
		struct coder c = {.to = &text[i]};

		meta_code(&c, &of[i]);
		if (c.failed)
			err_no_memory(b->err, "to compare the index");
	}
	if (!b->err->kind)
		same = text[0].n == text[1].n &&
		       memcmp(text[0].p, text[1].p, text[0].n) == 0;
	free(text[0].p);
	free(text[1].p);
	return same;
}

static enum index_table table_of(const MDB_val *key)
{
	const unsigned char *k = key->mv_data;

	return (enum index_table)(k[0] << 8 | k[1]);
}

static int differs(struct both *b, enum index_table t)
{
	err_set(b->err, ERR_INDEX, 0,
		"the index %s is damaged: its table '%s' is not what the profile gives",
		b->st[0]->path, table_name(t));
	return err_hint(b->err, "rebuild it: run quern with --rebuild");
}

/* Which names parts define depends on the memory there was (a stretch that is read anew may
 * repeat some), so what they mean is compared (same_part_names()). */
static int next_value(MDB_cursor *cursor, MDB_val *key, MDB_val *value)
{
	int rc;

	do
		rc = mdb_cursor_get(cursor, key, value, MDB_NEXT);
	while (!rc && (table_of(key) == TABLE_PART_NAMES ||
		       table_of(key) == TABLE_PART_NAMES_AT));
	return rc;
}

/* A part in the order of its file, in which ids get their meaning. */
struct part_place {
	uint32_t file, part;
	uint64_t offset;
};

static int by_place(const void *a, const void *b)
{
	const struct part_place *x = a, *y = b;
	const int c = order_u64(x->file, y->file);

	return c ? c : order_u64(x->offset, y->offset);
}

static bool same_text(const struct names names[2], uint64_t id)
{
	const uint32_t slot[2] = {names_find(&names[0], id), names_find(&names[1], id)};

	return slot[0] && slot[1] &&
	       str_eq(names[0].slot[slot[0]].text, names[1].slot[slot[1]].text);
}

/* Whether the ids that one of the indexes defines in a part mean the same in both. */
static int same_definitions(struct both *b, uint32_t part, int side, bool *same)
{
	struct varint_reader in;

	if (part_names_open(b->st[side], part, &in, b->err))
		return b->err->kind;
	varint_get(&in);
	for (int i = 0; i < SPACES; i++) {
		const struct names names[2] = {b->names[0][i], b->names[1][i]};
		uint64_t id = 0;

		for (uint64_t n = varint_get(&in); n && !in.bad; n--) {
			id = varint_unzigzag(id, varint_get(&in));
			varint_get(&in);
			*same = *same && same_text(names, id);
		}
	}
	return 0;
}

static int same_part_names(struct both *b)
{
	const uint32_t parts = b->st[0]->info.parts;
	bool same = true;

	b->order = vec_block(((size_t)parts + 1) * sizeof(*b->order));
	if (!b->order)
		return err_no_memory(b->err, "to compare the index");
	for (uint32_t i = 0; i < parts; i++) {
		struct part p;

		store_part(b->st[0], i, &p);
		b->order[i] = (struct part_place){p.file, i, p.offset};
	}
	qsort(b->order, parts, sizeof(*b->order), by_place);
	for (uint32_t i = 0; parts > 1 && i < parts && same; i++) {
		const uint32_t part = b->order[i].part;
		bool anew[2];

		for (int k = 0; k < 2; k++)
			if (part_names_anew(b->st[k], part, &anew[k], b->err) ||
			    part_names_load(b->st[k], part, b->names[k], b->err))
				return b->err->kind;
		same = anew[0] == anew[1];
		if (same_definitions(b, part, 0, &same) ||
		    same_definitions(b, part, 1, &same))
			return b->err->kind;
	}
	return same ? 0 : differs(b, TABLE_PART_NAMES);
}

static int same_guarded(void *arg)
{
	struct both *b = arg;
	MDB_val key[2], value[2];
	int rc[2] = {0, 0};

	for (;;) {
		for (int i = 0; i < 2; i++)
			rc[i] = next_value(b->cursor[i], &key[i], &value[i]);
		if (rc[0] || rc[1])
			break;
		if (!same_bytes(&key[0], &key[1]) ||
		    (table_of(&key[0]) == TABLE_META ? !same_meta(b)
						     : !same_bytes(&value[0], &value[1])))
			return differs(b, table_of(&key[0]));
	}
	if (rc[0] != rc[1])
		return differs(b, table_of(&key[rc[0] != 0]));
	return b->err->kind ? b->err->kind : same_part_names(b);
}

int store_same(struct store *st, struct store *again, struct err *err)
{
	struct both b = {.st = {st, again}, .err = err};
	int rc = mdb_cursor_open(st->txn, st->dbi, &b.cursor[0]);

	for (int i = 0; i < 2 * SPACES; i++)
		rc = rc ? rc : names_init(&b.names[i / SPACES][i % SPACES], NULL);
	if (!rc)
		rc = mdb_cursor_open(again->txn, again->dbi, &b.cursor[1]);
	if (rc)
		err_no_memory(err, "to compare the index");
	else
		map_guard(same_guarded, &b, ERR_INDEX, err);
	for (int i = 0; i < 2; i++)
		if (b.cursor[i])
			mdb_cursor_close(b.cursor[i]);
	for (int i = 0; i < 2 * SPACES; i++)
		names_free(&b.names[i / SPACES][i % SPACES]);
	free(b.order);
	return err->kind;
}
