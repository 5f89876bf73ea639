/*
 * part_lines_read.c - tally the text of some parts again; see part_lines.h.
 *
 * One tally takes the text of part after part.  Before each part it gets the state in
 * which that part begins: the name ids that earlier parts defined (part_names.h), and
 * creator, columns and positions as header lines made here.
 */
#include "index/part_lines_in.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "index/base/err.h"
#include "index/base/file.h"
#include "index/base/map.h"
#include "index/base/vec.h"
#include "index/file/feed.h"
#include "index/file/source.h"
#include "index/format/meta_code.h"
#include "index/lines/decode.h"
#include "index/merge/merge_names.h"
#include "index/span_lines.h"
#include "index/store/part_names.h"
#include "index/store/store_in.h"

enum {
	AT_ONCE = 1 << 20, /* bytes of a plain file read at once */
	LINE = 32 << 20,   /* most bytes of a line */
	HEADER = 64,	   /* bytes of the made header lines without their values */
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
	bool left_out;		 /* the block at hand is not in `some` */
	struct span_lines *span; /* NULL: no span is asked for */
	struct decode decode;
	struct batch batch;
	struct err *err;
};

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

/* Open the file if the user named it; false: the user did not. */
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

int part_lines_tally(struct part_lines *to, const uint8_t *parts,
		     const struct part_lines_opts *opts, struct err *err)
{
	struct parts_reading *r = calloc(1, sizeof(*r));
	int rc;

	if (!r)
		return err_no_memory(err, "while reading parts of the profile");
	/* No struct assignment: clang -O1 would write the batch (640 KiB), too. */
	r->to = to;
	r->parts = parts;
	r->opts = opts;
	r->err = err;
	r->source.fd = -1;
	r->file = UINT32_MAX;
	arena_init(&r->arena, 0);
	rc = (opts->span && span_lines_new(to->st, opts, &r->span, err)) ||
	     map_guard(read_guarded, r, ERR_PROFILE, err) ||
	     (r->file != UINT32_MAX && source_unchanged(&r->source, err));
	close_file(r);
	arena_free(&r->arena);
	free(r->copy);
	span_lines_free(r->span);
	free(r);
	return rc ? err->kind : 0;
}
