/*
 * part_lines.c - read the text of some parts again; see part_lines.h.
 *
 * One tally takes the text of part after part.  Before each part it gets the state in
 * which that part begins: the name ids that earlier parts defined (part_names.h), and
 * creator, columns and positions as header lines made here.  The tally's slots are then
 * translated into the store's ids, so that detail.c can pack rows as it does for the
 * index, and store_detail.c read them:
 *
 *	slot -> string (merge_names) -> name, file, object id -> function id -> edge id
 */
#include "index/part_lines.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "index/base/cost.h"
#include "index/base/file.h"
#include "index/base/map.h"
#include "index/base/out.h"
#include "index/base/vec.h"
#include "index/lines/decode.h"
#include "index/detail/detail.h"
#include "index/file/feed.h"
#include "index/merge/merge.h"
#include "index/merge/merge_contexts.h"
#include "index/merge/merge_names.h"
#include "index/format/meta_code.h"
#include "index/store/part_names.h"
#include "index/file/source.h"
#include "index/span_lines.h"
#include "index/store/store_in.h"
#include "index/base/bisect.h"
#include "index/base/err.h"

enum {
	AT_ONCE = 1 << 20, /* bytes of a plain file read at once */
	LINE = 32 << 20,   /* most bytes of a line */
	HEADER = 64,	   /* bytes of the made header lines without their values */
};

struct part_lines {
	struct store *st;
	struct tally tally;
	struct tally *tallies[1];
	struct profile p; /* the tally in the store's ids */
	struct merge_map map;
	struct detail *detail;
	struct bytes packed; /* scratch: the rows asked for */
};

struct parts_reading {
	struct part_lines *to;
	struct source_file source; /* the file of the current part */
	uint32_t file; /* its number in the index; UINT32_MAX: no file is open */
	char *path;
	struct feed *feed; /* of a packed file: its unpacker */
	struct feed_block block;
	uint64_t block_at; /* bytes of text before the block */
	char *copy;	   /* of a plain file: the piece at hand */
	size_t copy_cap;
	const uint8_t *parts;
	const struct part_lines_opts *opts;
	struct arena arena;		/* the made header lines */
	uint32_t part;			/* at hand */
	uint64_t next;			/* number in the part of the block that follows */
	const struct part_blocks *some; /* of opts->blocks: the next of this part */
	bool begins;		 /* no cost or call of the block at hand was read yet */
	bool left_out;		 /* it is none of them */
	struct span_lines *span; /* NULL: there is none */
	struct decode decode;
	struct batch batch;
	struct err *err;
};

/* ---- the text ---- */

static int not_as_indexed(const char *name, const char *what, struct err *err)
{
	err_set(err, ERR_PROFILE, 0, "%s: %s", name, what);
	return err_hint(err,
			"lines of single parts are read from the profile; open it again "
			"and it is indexed anew");
}

static void close_file(struct parts_reading *r)
{
	feed_close(r->feed);
	r->feed = NULL;
	source_close(&r->source);
	free(r->path);
	r->path = NULL;
	r->file = UINT32_MAX;
}

/* Open the path that the index records. */
static int open_recorded(struct parts_reading *r, const struct source_id *recorded)
{
	struct err err = {0};

	r->path = strndup(recorded->path.p, recorded->path.n);
	if (!r->path)
		return err_no_memory(r->err, "while reading parts of the profile");
	if (source_open(r->path, &r->source, &err)) {
		err_set(r->err, err.kind, 0, "%s", err.text);
		if (err.kind != ERR_PROFILE)
			return err.kind;
		return err_hint(r->err,
				"lines of single parts are read from the profile, which "
				"is not where it was indexed");
	}
	return source_compare(&r->source, recorded) == SOURCE_CHANGED
		       ? not_as_indexed(r->path, "changed since it was indexed", r->err)
		       : 0;
}

/* Open the file if the user named it; false: it is none of those. */
static bool open_named(struct parts_reading *r, const struct source_id *recorded,
		       bool *changed)
{
	const struct store *st = r->to->st;

	for (size_t i = 0; i < st->nnamed; i++) {
		struct err ignored = {0};

		if (source_open(st->named[i], &r->source, &ignored))
			continue;
		if (source_compare(&r->source, recorded) != SOURCE_CHANGED)
			return true;
		*changed |= str_eq(r->source.id.path, recorded->path);
		source_close(&r->source);
	}
	return false;
}

/* Open the file where the user named it, or else where it was indexed. --safe forbids the
 * latter, since an index could record any path. */
static int open_again(struct parts_reading *r, const struct source_id *recorded)
{
	bool changed = false;

	if (open_named(r, recorded, &changed))
		return 0;
	if (!r->to->st->only_named)
		return open_recorded(r, recorded);
	if (changed)
		return not_as_indexed("the profile", "changed since it was indexed",
				      r->err);
	err_set(r->err, ERR_PROFILE, 0,
		"--safe: the index was made from a file that is not named here");
	return err_hint(
		r->err,
		"lines of single parts are read from the profile: open that, not its "
		"index, or leave out --safe");
}

/* Open a file of the profile; an error if it has changed since it was indexed. */
static int part_lines_open_file(struct parts_reading *r, uint32_t file)
{
	uint32_t n;
	const struct source_id *recorded = &store_inputs(r->to->st, &n)[file].id;

	if (r->file == file)
		return 0;
	if (r->file != UINT32_MAX && source_unchanged(&r->source, r->err))
		return r->err->kind;
	close_file(r);
	if (recorded->path.n == 0 || recorded->path.p[0] != '/') {
		err_set(r->err, ERR_PROFILE, 0, "the profile came through a pipe");
		return err_hint(r->err,
				"lines of single parts are read from the profile again: "
				"keep it in a file");
	}
	if (open_again(r, recorded))
		return r->err->kind;
	r->file = file;
	return 0;
}

/* Are there blocks of this part that are still to come? */
static bool any_left(const struct parts_reading *r, uint32_t part)
{
	const struct part_blocks *all = r->opts->blocks;

	return !all || (r->some < all + r->opts->nblocks && r->some->part == part);
}

/* A block begins with its first cost or call: is it one of those that are asked for? */
static void begin_block(struct parts_reading *r)
{
	const struct part_blocks *end = r->opts->blocks + r->opts->nblocks;
	const uint64_t n = r->next++;

	r->begins = false;
	while (r->some < end && r->some->part == r->part && n >= r->some->to)
		r->some++;
	r->left_out = !any_left(r, r->part) || n < r->some->from;
}

/* Leave out the costs of other blocks, but not the names that they give. */
static void leave_out(struct parts_reading *r)
{
	struct batch *b = &r->batch;
	size_t n = 0;

	for (size_t i = 0; i < b->n; i++) {
		const struct row *row = &b->row[i];
		const bool inside =
			row->kind == LINE_COST ||
			(row->kind >= LINE_CALLS && row->kind <= LINE_JUMP_BAD);

		r->begins |= row->kind == LINE_FN;
		if (inside && r->begins)
			begin_block(r);
		if (!inside || !r->left_out)
			b->row[n++] = *row;
	}
	b->n = n;
}

/* Tally the whole lines of a block.  *used: their bytes. */
static int take_lines(struct parts_reading *r, const char *p, size_t n, bool last,
		      size_t *used)
{
	r->to->tally.diag.counted_in = NULL; /* it points into the block before */
	for (*used = 0; *used < n; *used += r->batch.bytes) {
		decode_block(&r->decode, p + *used, n - *used, last, &r->batch);
		if (r->batch.bytes == 0)
			break;
		if (r->opts->blocks && !r->span)
			leave_out(r);
		if (r->span ? span_lines_batch(r->span, &r->to->tally, &r->batch, r->err)
			    : tally_batch(&r->to->tally, &r->batch, r->err))
			return r->err->kind;
	}
	return r->opts->poll && r->opts->poll(r->opts->arg, r->err) ? r->err->kind : 0;
}

static int no_line(struct parts_reading *r)
{
	return err_set(r->err, ERR_LIMIT, 0, "%s: a line of more than %d MiB",
		       r->source.name, LINE >> 20);
}

/* Read n bytes of the file into the buffer. */
static int read_at(struct parts_reading *r, uint64_t at, size_t n)
{
	if (vec_reserve_raw(&r->copy, &r->copy_cap, n, 1))
		return err_no_memory(r->err, "while reading parts of the profile");
	if (file_read(r->source.fd, r->copy, n, at))
		return not_as_indexed(r->source.name, "changed while it was read",
				      r->err);
	return 0;
}

/*
 * Read a part of a plain file piece by piece; a line cut by the end of a piece is read
 * again with the next one.  The decoder gets a copy, never the map: it looks at a byte
 * more than once, and in the map another program could change it in between.
 */
static int take_plain(struct parts_reading *r, const struct part *part)
{
	const uint64_t size = r->source.map.n;
	size_t most = r->opts->at_once ? r->opts->at_once : AT_ONCE, n, used;

	if (part->offset > size || part->bytes > size - part->offset)
		return not_as_indexed(r->source.name, "is shorter than its index says",
				      r->err);
	for (uint64_t at = 0; at < part->bytes && any_left(r, r->part); at += used) {
		const uint64_t rest = part->bytes - at;

		n = rest < most ? (size_t)rest : most;
		if (read_at(r, part->offset + at, n) ||
		    take_lines(r, r->copy, n, n == rest, &used))
			return r->err->kind;
		if (used == 0 && n == rest)
			break;
		if (used == 0 && most >= LINE)
			return no_line(r);
		if (used == 0)
			most *= 2;
	}
	return 0;
}

static int next_block(struct parts_reading *r, size_t keep)
{
	if (r->block.last)
		return not_as_indexed(r->source.name, "is shorter than its index says",
				      r->err);
	r->block_at += r->block.n - keep;
	return feed_next(r->feed, keep, &r->block, r->err);
}

/* A part of a packed file.  The text before the part is unpacked too, but parts in
 * order continue where the last one ended. */
static int take_packed(struct parts_reading *r, const struct part *part)
{
	const struct feed_opts how = {.name = r->source.name};
	uint64_t end = part->offset + part->bytes;
	size_t used = 0, from, to;

	if (!part->bytes)
		return 0;
	if (r->feed && r->block_at > part->offset) {
		feed_close(r->feed);
		r->feed = NULL;
	}
	if (!r->feed) {
		r->block = (struct feed_block){0};
		r->block_at = 0;
		if (lseek(r->source.fd, 0, SEEK_SET) < 0 ||
		    feed_open(&r->feed, r->source.fd, &how, r->err))
			return err_set(r->err, ERR_PROFILE, 0, "%s: cannot be read",
				       r->source.name);
	}
	while (r->block_at + r->block.n <= part->offset)
		if (next_block(r, 0))
			return r->err->kind;
	from = (size_t)(part->offset - r->block_at);
	for (;;) {
		bool last = end - r->block_at <= r->block.n;

		to = last ? (size_t)(end - r->block_at) : r->block.n;
		if (take_lines(r, r->block.p + from, to - from, last, &used))
			return r->err->kind;
		if (last || !any_left(r, r->part))
			return 0;
		if (next_block(r, r->block.n - (from + used)))
			return r->err->kind;
		from = 0;
	}
}

/* The part before this one in the same file; NO_ID if it is the first. */
static uint32_t part_before(struct parts_reading *r, uint32_t part)
{
	struct part at, p;
	uint64_t best = 0;
	uint32_t before = NO_ID, files;

	store_inputs(r->to->st, &files);
	if (files == 1)
		return part ? part - 1 : NO_ID;
	store_part(r->to->st, part, &at);
	for (uint32_t i = 0; i < store_info(r->to->st)->parts; i++) {
		store_part(r->to->st, i, &p);
		if (p.file == at.file && p.offset < at.offset &&
		    (before == NO_ID || p.offset > best)) {
			before = i;
			best = p.offset;
		}
	}
	return before;
}

/*
 * Load the names that earlier parts of the file defined, in file order.  *known: in a
 * profile of one file, the number of parts whose names are loaded already.
 */
static int know_names(struct parts_reading *r, uint32_t part, uint32_t *known)
{
	struct store *st = r->to->st;
	struct names *names = r->to->tally.names;
	uint32_t files, before, *chain;
	size_t n = 0;
	int rc = 0;

	store_inputs(st, &files);
	if (files == 1) {
		for (; !rc && *known < part; (*known)++)
			rc = part_names_load(st, *known, names, r->err);
		*known = part + 1;
		return rc;
	}
	for (int i = 0; i < SPACES; i++)
		names_restart(&names[i]);
	chain = malloc(((size_t)store_info(st)->parts + 1) * sizeof(*chain));
	if (!chain)
		return err_no_memory(r->err, "while reading parts of the profile");
	for (before = part_before(r, part); before != NO_ID;
	     before = part_before(r, before))
		chain[n++] = before;
	while (!rc && n--)
		rc = part_names_load(st, chain[n], names, r->err);
	free(chain);
	return rc;
}

/* Repeat creator, columns and positions of the part before. */
static int take_header(struct parts_reading *r, uint32_t before)
{
	struct str in, out = {NULL, 0};
	struct part p;
	size_t used;
	char *text;

	store_part(r->to->st, before, &p);
	arena_reset(&r->arena);
	text = arena_alloc(&r->arena, p.creator.n + p.positions.n + p.events.n + HEADER);
	if (!text)
		return arena_full(&r->arena, r->err);
	out.p = text;
	const struct {
		struct str key, value;
	} line[] = {{STR("creator: "), p.creator},
		    {STR("positions: "), p.positions},
		    {STR("events: "), p.events}};

	for (size_t i = 0; i < sizeof(line) / sizeof(line[0]); i++) {
		if (!line[i].value.n)
			continue;
		for (int k = 0; k < 2; k++) {
			in = k ? line[i].value : line[i].key;
			memcpy(text + out.n, in.p, in.n);
			out.n += in.n;
		}
		text[out.n++] = '\n';
	}
	return take_lines(r, out.p, out.n, true, &used);
}

/* The names of events that earlier lines of the part's file gave. */
static void know_events(struct parts_reading *r, const struct part *p)
{
	const struct input_file *f = &r->to->st->meta.file[p->file];
	struct tally *t = &r->to->tally;

	for (uint64_t i = 0; i < f->formulas && f->formula[i].at < p->offset; i++)
		tally_know_spaced(t, f->formula[i].text);
}

/* known: see know_names(). */
static int take_part(struct parts_reading *r, uint32_t part, uint32_t *known)
{
	struct tally *t = &r->to->tally;
	struct store *st = r->to->st;
	struct part p;
	uint32_t part_in_front;
	bool anew;

	store_part(st, part, &p);
	if (part_lines_open_file(r, p.file) || part_names_anew(st, part, &anew, r->err))
		return r->err->kind;
	t->names[SPACE_FN].references = false; /* the index has expanded them */
	if (know_names(r, part, known))
		return r->err->kind;
	t->names[SPACE_FN].references = true;
	if (anew)
		for (int i = 0; i < SPACES; i++)
			names_restart(&t->names[i]);
	tally_restart(t);
	decode_init(&r->decode);
	t->events.nspaced = 0; /* the columns that the index keeps are words */
	part_in_front = anew ? NO_ID : part_before(r, part);
	if (part_in_front != NO_ID && take_header(r, part_in_front))
		return r->err->kind;
	know_events(r, &p);
	tally_restart(t);
	if (r->span && span_lines_part(r->span, part, r->err))
		return r->err->kind;
	r->part = part;
	r->next = 0;
	r->begins = true;
	for (r->some = r->opts->blocks; r->some && !any_left(r, part) &&
					r->some < r->opts->blocks + r->opts->nblocks;)
		r->some++;
	return r->source.codec ? take_packed(r, &p) : take_plain(r, &p);
}

static int read_guarded(void *arg)
{
	struct parts_reading *r = arg;
	uint32_t known = 0;

	decode_init(&r->decode);
	for (uint32_t p = 0; p < store_info(r->to->st)->parts; p++) {
		if (!r->parts[p])
			continue;
		if (take_part(r, p, &known) ||
		    (r->span && span_lines_end(r->span, r->err)) ||
		    tally_end_waits(&r->to->tally, r->err))
			return r->err->kind;
		if (tally_log_part(&r->to->tally))
			return err_no_memory(r->err,
					     "while reading parts of the profile");
	}
	if (tally_end(&r->to->tally, TALLY_ONE_PART, (struct str){"", 0}, r->err) ||
	    merge_names(&r->to->p, false, r->err))
		return r->err->kind;
	return 0;
}

/* ---- into the store's ids ---- */

static int unknown(struct store *st, struct str name, struct err *err)
{
	err_set(err, ERR_INDEX, 0,
		"%.*s: the index does not know '%.*s', which one of the parts has",
		STR_ARG(store_info(st)->profile), STR_ARG(str_cut(name, 200)));
	return err_hint(err,
			"the profile was replaced by another of its size and times: "
			"rebuild with quern --rebuild '%.*s'",
			STR_ARG(store_info(st)->profile));
}

static uint32_t string_in(struct store *st, enum name_space space, struct str s)
{
	const bool pair = space == SPACE_FILE && s.n && s.p[0] == '\n';
	uint32_t i = pair		   ? store_inlined_lower(st, s)
		     : space == SPACE_OBJ  ? store_obj_lower(st, s)
		     : space == SPACE_FILE ? store_file_lower(st, s)
					   : store_name_lower(st, s);
	const uint32_t n[SPACES] = {st->info.objects,
				    st->info.files + (pair ? st->info.inlined : 0),
				    st->info.names};

	if (i >= n[space])
		return NO_ID;
	return str_eq(space == SPACE_OBJ    ? store_obj(st, i)
		      : space == SPACE_FILE ? store_file(st, i)
					    : store_name(st, i),
		      s)
		       ? i
		       : NO_ID;
}

static int map_strings(struct part_lines *to, enum name_space space, struct err *err)
{
	struct profile *p = &to->p;
	uint32_t *id = malloc((p->nname[space] + 1) * sizeof(*id));

	if (!id)
		return err_no_memory(err, "while reading parts of the profile");
	for (size_t i = 0; i < p->nname[space]; i++) {
		id[i] = string_in(to->st, space, p->name[space][i]);
		if (id[i] == NO_ID) {
			free(id);
			return unknown(to->st, p->name[space][i], err);
		}
	}
	for (size_t i = 0; i < to->tally.names[space].n; i++)
		to->map.name[space][i] = id[to->map.name[space][i]];
	free(id);
	return 0;
}

/* The function of an identity; NO_ID if the store has none.  A callee with a default
 * file and no block of its own is the only function of that name in its object that
 * has a block (merge.c). */
static uint32_t function_of(struct store *st, uint32_t name, uint32_t file, uint32_t obj,
			    bool defaulted)
{
	uint32_t first, n, bodies = 0, only = NO_ID, exact = NO_ID;

	store_fns_of_name(st, name, &first, &n);
	for (uint32_t f = first; f < first + n; f++) {
		if (store_fn_obj_id(st, f) != obj)
			continue;
		if (store_fn_file_id(st, f) == file)
			exact = f;
		if (!defaulted || !store_fn_body(st, f))
			continue;
		if (exact == f)
			return f;
		only = f;
		bodies++;
	}
	return bodies == 1 ? only : exact;
}

/* The function to which the calls of another name, or of another object, went. */
static uint32_t function_elsewhere(struct store *st, uint32_t name, uint32_t file,
				   uint32_t obj)
{
	struct str names[BLOCK_NAMES];
	char buf[ARITY_NAME];

	merge_block_names(store_name(st, name), names, buf);
	for (int i = 0; i < BLOCK_NAMES; i++) {
		const uint32_t id =
			names[i].n ? string_in(st, SPACE_FN, names[i]) : NO_ID;
		uint32_t first = 0, n = 0, found = NO_ID, bodies = 0;

		if (id != NO_ID)
			store_fns_of_name(st, id, &first, &n);
		for (uint32_t f = first; f < first + n; f++) {
			if (store_fn_file_id(st, f) != file || !store_fn_body(st, f))
				continue;
			if (store_fn_obj_id(st, f) == obj)
				return f;
			found = f;
			bodies++;
		}
		if (bodies == 1)
			return found;
	}
	return NO_ID;
}

static bool has_line_at(struct store *st, fn_id f, const struct call_target *to,
			struct arena *a)
{
	struct store_line *line;
	int64_t *costs;
	struct err err = {0};
	size_t n;
	bool found = false;

	arena_reset(a);
	if (store_lines(st, f, a, &line, &costs, &n, &err))
		return false;
	for (size_t i = 0; i < n && !found; i++)
		found = line[i].instr == to->at[0] || line[i].instr == to->at[1];
	return found;
}

/* The callee of a function, in the store, that a slot with a target means: of a name that its
 * block may have, and if several have one, with a line at the target.  NO_ID: none. */
static uint32_t function_at(struct part_lines *to, uint32_t caller,
			    const struct fn_slot *f, struct arena *a)
{
	struct store *st = to->st;
	const struct call_target *target = &to->tally.fns.target[f->target - 1];
	const uint32_t *first = store_u32(st, TABLE_OUT_FIRST),
		       *callee = store_u32(st, TABLE_EDGE_CALLEE);
	struct str names[BLOCK_NAMES];
	char buf[ARITY_NAME];
	uint32_t found = NO_ID, at = NO_ID;
	size_t n = 0;

	merge_block_names(store_name(st, to->map.name[SPACE_FN][f->fn]), names, buf);
	for (uint32_t e = first[caller]; e < first[caller + 1]; e++) {
		const struct str name = store_name(st, store_fn_name_id(st, callee[e]));
		bool fits = str_eq(name, STR("???"));

		for (int k = 0; k < BLOCK_NAMES; k++)
			fits |= names[k].n && str_eq(name, names[k]);
		if (!fits)
			continue;
		found = callee[e];
		n++;
		if (at == NO_ID && has_line_at(st, callee[e], target, a))
			at = callee[e];
	}
	return n == 1 ? found : at;
}

static int map_functions(struct part_lines *to, struct arena *a, struct err *err)
{
	const struct tally *t = &to->tally;
	struct merge_map *m = &to->map;

	m->fn = malloc((t->fns.n + 1) * sizeof(*m->fn));
	if (!m->fn)
		return err_no_memory(err, "while reading parts of the profile");
	for (size_t i = 0; i < t->fns.n; i++) {
		const struct fn_slot *f = &t->fns.at[i];

		m->fn[i] = function_of(to->st, m->name[SPACE_FN][f->fn],
				       m->name[SPACE_FILE][f->fl],
				       m->name[SPACE_OBJ][f->ob], f->defaulted);
		if (m->fn[i] == NO_ID &&
		    f->has_lines) /* an error: its lines would be lost */
			return unknown(to->st,
				       store_name(to->st, m->name[SPACE_FN][f->fn]), err);
	}
	for (size_t i = 0; i < t->edges.n; i++) {
		const uint32_t end[] = {t->edges.at[i].caller, t->edges.at[i].callee};
		const struct fn_slot *f = &t->fns.at[end[1]];

		if (f->target && m->fn[end[0]] != NO_ID) {
			const uint32_t at = function_at(to, m->fn[end[0]], f, a);

			m->fn[end[1]] = at == NO_ID ? m->fn[end[1]] : at;
		}
		/* Only a callee: a function that just jumps is none. */
		if (m->fn[end[1]] == NO_ID)
			m->fn[end[1]] = function_elsewhere(
				to->st, m->name[SPACE_FN][f->fn],
				m->name[SPACE_FILE][f->fl], m->name[SPACE_OBJ][f->ob]);
		for (int k = 0; k < 2; k++)
			if (m->fn[end[k]] == NO_ID)
				return unknown(
					to->st,
					store_name(
						to->st,
						m->name[SPACE_FN][t->fns.at[end[k]].fn]),
					err);
	}
	return 0;
}

/* Search the caller's edges, sorted by callee; p->nedge: not found. */
static uint32_t edge_of(const struct profile *p, uint32_t caller, uint32_t callee)
{
	const uint32_t end = p->out_first[caller + 1];
	struct bisect b = bisect_in(p->out_first[caller], end);

	while (bisect_next(&b))
		bisect_step(&b, p->callee[b.mid] < callee);
	return (uint32_t)(b.lo < end && p->callee[b.lo] == callee ? b.lo : p->nedge);
}

static int map_edges(struct part_lines *to, struct err *err)
{
	const struct tally *t = &to->tally;
	struct merge_map *m = &to->map;

	m->edge = malloc((t->edges.n + 1) * sizeof(*m->edge));
	if (!m->edge)
		return err_no_memory(err, "while reading parts of the profile");
	for (size_t i = 0; i < t->edges.n; i++) {
		m->edge[i] = edge_of(&to->p, m->fn[t->edges.at[i].caller],
				     m->fn[t->edges.at[i].callee]);
		if (m->edge[i] == to->p.nedge)
			return unknown(
				to->st,
				store_name(to->st,
					   m->name[SPACE_FN]
						  [t->fns.at[t->edges.at[i].callee].fn]),
				err);
	}
	return 0;
}

static int map_events(struct part_lines *to, struct err *err)
{
	const struct tally *t = &to->tally;

	to->map.event = malloc((t->events.n + 1) * sizeof(*to->map.event));
	if (!to->map.event)
		return err_no_memory(err, "while reading parts of the profile");
	for (size_t i = 0; i < t->events.n; i++) {
		to->map.event[i] = store_event_find(to->st, t->events.name[i]);
		if (to->map.event[i] >= to->st->info.events)
			return unknown(to->st, t->events.name[i], err);
	}
	return 0;
}

/* A column of the store, for struct profile, which does not write to it. */
static uint32_t *part_lines_column(struct store *st, enum index_table c)
{
	return (uint32_t *)(uintptr_t)store_u32(st, c);
}

static int translate(struct part_lines *to, struct err *err)
{
	struct store *st = to->st;
	struct profile *p = &to->p;
	struct arena lines;
	int rc;

	for (int i = 0; i < SPACES; i++)
		if (map_strings(to, (enum name_space)i, err))
			return err->kind;
	arena_init(&lines, 0);
	rc = map_events(to, err) || map_functions(to, &lines, err);
	arena_free(&lines);
	if (rc)
		return err->kind;
	p->nevent = st->info.events;
	p->nfn = st->info.functions;
	p->nedge = st->info.edges;
	p->has_instr = st->info.has_instr;
	p->has_line = st->info.has_line;
	p->fn_name = part_lines_column(st, TABLE_FN_NAME);
	p->fn_file = part_lines_column(st, TABLE_FN_FILE);
	p->fn_obj = part_lines_column(st, TABLE_FN_OBJ);
	p->out_first = part_lines_column(st, TABLE_OUT_FIRST);
	p->callee = part_lines_column(st, TABLE_EDGE_CALLEE);
	return store_check(st, err) || map_edges(to, err) ||
			       detail_new(p, 0, &to->detail, err)
		       ? err->kind
		       : 0;
}

/* ---- reading ---- */

void part_lines_free(struct part_lines *to)
{
	if (!to)
		return;
	detail_free(to->detail);
	free(to->packed.p);
	contexts_free(&to->p.contexts);
	for (int i = 0; i < SPACES; i++) {
		free(to->map.name[i]);
		free(to->p.name[i]);
	}
	free(to->map.fn);
	free(to->map.edge);
	free(to->map.event);
	free(to->p.odd); /* already counted by the index */
	arena_free(&to->p.arena);
	tally_free(&to->tally);
	free(to);
}

static int begin_reading(struct part_lines *to, struct store *st, struct err *err)
{
	to->st = st;
	to->tallies[0] = &to->tally;
	to->p.map = &to->map;
	to->p.tally = to->tallies;
	to->p.ntally = 1;
	arena_init(&to->p.arena, 0);
	/* Names are copied: the map is closed before they are read. */
	return tally_init(&to->tally, false, false, err);
}

int part_lines_read(struct store *st, const uint8_t *parts,
		    const struct part_lines_opts *opts, struct part_lines **out,
		    struct err *err)
{
	struct part_lines *to = calloc(1, sizeof(*to));
	struct parts_reading *r = calloc(1, sizeof(*r));
	int rc;

	if (!to || !r) {
		free(to);
		free(r);
		return err_no_memory(err, "while reading parts of the profile");
	}
	/* No struct assignment: clang -O1 would write the batch (640 KiB), too. */
	r->to = to;
	r->parts = parts;
	r->opts = opts;
	r->err = err;
	r->source.fd = -1;
	r->file = UINT32_MAX;
	arena_init(&r->arena, 0);
	rc = begin_reading(to, st, err) ||
	     (opts->span && span_lines_new(st, opts, &r->span, err)) ||
	     map_guard(read_guarded, r, ERR_PROFILE, err) ||
	     (r->file != UINT32_MAX && source_unchanged(&r->source, err)) ||
	     translate(to, err);
	close_file(r);
	arena_free(&r->arena);
	free(r->copy);
	span_lines_free(r->span);
	free(r);
	if (rc) {
		part_lines_free(to);
		return err->kind;
	}
	*out = to;
	return 0;
}

/* ---- rows ---- */

static int pack(struct part_lines *p, fn_id f, enum detail_kind kind, struct err *err)
{
	return detail_pack_kind(p->detail, f, kind, &p->packed)
		       ? err_no_memory(err, "while reading parts of the profile")
		       : 0;
}

/* A function without a block has the costs of the calls into it, at line 0 of its file. */
static int line_of_calls(struct part_lines *p, fn_id f, struct arena *a,
			 struct store_line **rows, int64_t **costs, size_t *n,
			 struct err *err)
{
	const struct tally *t = &p->tally;

	*n = 0;
	*rows = ARENA_NEW(a, struct store_line);
	*costs = ARENA_ARRAY(a, int64_t, p->p.nevent + 1);
	if (!*rows || !*costs)
		return arena_full(a, err);
	**rows = (struct store_line){.file = p->p.fn_file[f]};
	for (size_t i = 0; i < t->edges.n; i++) {
		const size_t at = i * (t->events.n + 1) + 1;

		if (p->map.fn[t->edges.at[i].callee] != f)
			continue;
		*n = 1;
		for (size_t e = 0; e < t->events.n; e++) {
			cost_add(&(*costs)[p->map.event[e]],
				 t->edges.narrow ? t->edges.narrow[at + e]
						 : (int64_t)t->edges.sum[at + e]);
		}
	}
	return 0;
}

int part_inlined_lines(struct part_lines *p, fn_id f, struct arena *a,
		       struct store_line **rows, int64_t **costs, size_t *n,
		       struct err *err)
{
	if (store_fn_calls_only(p->st, f))
		return line_of_calls(p, f, a, rows, costs, n, err);
	return pack(p, f, DETAIL_LINES, err) || store_lines_of(p->st, f, &p->packed, a,
							       rows, costs, n, err)
		       ? err->kind
		       : 0;
}

int part_lines(struct part_lines *p, fn_id f, struct arena *a, struct store_line **rows,
	       int64_t **costs, size_t *n, struct err *err)
{
	return part_inlined_lines(p, f, a, rows, costs, n, err) ||
			       store_plain_lines(p->st, a, rows, costs, n, err)
		       ? err->kind
		       : 0;
}

int part_sites(struct part_lines *p, fn_id f, struct arena *a, struct store_site **rows,
	       int64_t **costs, size_t *n, struct err *err)
{
	return pack(p, f, DETAIL_SITES, err) || store_sites_of(p->st, f, &p->packed, a,
							       rows, costs, n, err)
		       ? err->kind
		       : 0;
}

int part_jumps(struct part_lines *p, fn_id f, struct arena *a, struct store_jump **rows,
	       size_t *n, struct err *err)
{
	return pack(p, f, DETAIL_JUMPS, err) ||
			       store_jumps_of(p->st, f, &p->packed, a, rows, n, err)
		       ? err->kind
		       : 0;
}

/* ---- the call tree ---- */

int part_contexts(struct part_lines *to, uint64_t most, struct part_contexts *out,
		  struct err *err)
{
	struct profile *p = &to->p;
	const struct contexts *c = &p->contexts;

	*out = (struct part_contexts){0};
	if (!p->tree.contexts) {
		p->nname[SPACE_FN] = to->st->info.names; /* what names are mapped to */
		if (merge_contexts(p, most, NULL, err))
			return err->kind;
	}
	if (p->tree.contexts)
		*out = (struct part_contexts){(uint32_t)c->n, c->parent, c->fn, c->calls,
					      c->self};
	return 0;
}
