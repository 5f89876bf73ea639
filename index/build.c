/*
 * build.c - from a profile to an open index; see build.h.
 *
 *	source -> decode -> tally -> merge -> save -> publish -> store
 *
 * A mapped profile that shrinks ends build_guarded() by a jump from wherever it is, so
 * struct build owns everything that must be freed.
 *
 * Many files are read in batches.  Each batch is merged with the index of the batches
 * before it, so memory is bounded by what differs between the files, not by their number.
 */
#include "index/build.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <time.h>
#include <unistd.h>

#include "index/base/err.h"
#include "index/base/vec.h"
#include "index/read/input.h"
#include "index/merge/merge.h"
#include "index/merge/merge_contexts.h"
#include "index/store/publish.h"
#include "index/store/store_in.h"
#include "index/read/refuse.h"
#include "index/read/runs.h"
#include "index/merge/reuse.h"
#include "index/save/save.h"
#include "index/save/store_write.h"

enum {
	PROGRESS_NS = 100 * 1000 * 1000,
	IDLE_S = 10, /* a lock's holder may idle so long before we report it */
	MACHINE_SHARE = 6,
	HELD_LEAST = 64 << 20,
	ROOM_FROM = 2 << 20, /* bytes of an array from which on it has room ahead */
	KEPT_MAP = 32 << 20, /* malloc's own threshold by then */
	/* Files read at once.  Each takes memory and maybe descriptors.  Small files
	 * may be more, until they have BATCH_BYTES together. */
	BATCH = 64,
	BATCH_MOST = 1024,
	BATCH_BYTES = 32 << 20,
	UNPACKED = 32, /* text bytes per byte of a packed file, estimated */
};

struct build {
	struct inputs in;
	const struct build_opts *opts;
	struct store *old;	     /* an index of all files but the new ones; or NULL */
	struct tally kept;	     /* the contents of `old` */
	_Atomic uint64_t kept_bytes; /* held by the files being read (stretch.h) */
	bool whole;		     /* the files cannot be read in batches */
	bool small;		     /* no index is kept; see build.h */
	struct tally **tally;	     /* of all inputs, in file order */
	size_t ntally;
	struct profile profile;
	struct store_writer *writer;
	struct publish publish;
	char spill_dir[INDEX_PATH_MAX]; /* the tallies point to it until they are freed */
	struct publish *held; /* holds the lock; a batch uses that of the whole set */
	unsigned idle_told_s; /* report the lock's holder once it has idled so long */
	uint64_t total;	      /* bytes of all files; threads that read open these again */
	uint64_t read_before; /* bytes of the files read so far */
	uint64_t reported_ns;
	struct err *err;
};

static uint64_t build_now_ns(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
}

static uint64_t input_bytes(const struct build *b)
{
	uint64_t n = 0;

	for (size_t i = 0; i < b->in.n; i++)
		n += b->in.at[i].source.id.size;
	return n;
}

static uint64_t text_bytes(const struct source_file *s)
{
	return s->codec ? s->id.size * UNPACKED : s->id.size;
}

static bool is_small(const struct build *b, const struct build_report *r)
{
	uint64_t n = 0;

	for (size_t i = 0; i < b->in.n; i++)
		n += text_bytes(&b->in.at[i].source);
	return n < b->opts->small && !b->in.at[0].source.pipe && !b->opts->index_path &&
	       r->how == BUILD_NEW;
}

static void report(struct build *b, uint64_t done, const char *stage, bool now)
{
	struct build_progress p = {done, 0, stage};
	uint64_t t;

	if (b->held)
		publish_tell(b->held, done);
	if (!b->opts->progress)
		return;
	t = build_now_ns();
	if (!now && t - b->reported_ns < PROGRESS_NS)
		return;
	p.total = b->total;
	b->reported_ns = t;
	b->opts->progress(b->opts->progress_arg, &p);
}

/* ---- reading ---- */

static void build_told(void *arg, uint64_t done)
{
	struct build *b = arg;

	report(b, b->read_before + done, "reading", false);
}

static int list_tallies(struct build *b)
{
	size_t n = 0;

	for (size_t i = 0; i < b->in.n; i++)
		n += b->in.at[i].stretches.n;
	b->tally = malloc((n + 2) * sizeof(struct tally *));
	if (!b->tally)
		return err_no_memory(b->err, "while reading");
	b->ntally = 0;
	if (b->old)
		b->tally[b->ntally++] = &b->kept;
	for (size_t i = 0; i < b->in.n; i++) {
		const struct stretches *s = &b->in.at[i].stretches;

		/* A file that the old index covers has no tallies. */
		for (size_t k = 0; k < s->n; k++)
			b->tally[b->ntally++] = s->tally[k];
	}
	return 0;
}

/* Turn the old index into a tally. */
static int take_old(struct build *b)
{
	uint64_t mem = b->opts->mem ? b->opts->mem : STRETCH_MEM;
	uint32_t n, *now;
	const struct input_file *recorded = store_inputs(b->old, &n);
	int rc;

	now = calloc((size_t)n + 1, sizeof(*now));
	if (!now)
		return err_no_memory(b->err, "while reading");
	if (inputs_map(&b->in, recorded, n, now))
		rc = err_no_memory(b->err, "while reading");
	else
		rc = reuse_index(&b->kept, b->old, now, (size_t)(mem / 5), b->spill_dir,
				 b->err);
	free(now);
	return rc;
}

/* Bytes for data that cannot be spilled.  Its lookup tables and the merge double or
 * triple them; without --mem the sum stays below half of the machine's memory. */
static uint64_t may_hold(const struct build *b)
{
	const long pages = sysconf(_SC_PHYS_PAGES), page = sysconf(_SC_PAGESIZE);
	uint64_t most = b->opts->mem;

	if (!most && pages > 0 && page > 0)
		most = (uint64_t)pages * (uint64_t)page / MACHINE_SHARE;
	return most > HELD_LEAST ? most : HELD_LEAST;
}

static size_t unread(const struct build *b)
{
	size_t n = 0;

	for (size_t i = 0; i < b->in.n; i++)
		n += !b->in.at[i].file.id.size;
	return n;
}

static int read_inputs(struct build *b)
{
	const struct stretch_opts o = {.jobs = b->small ? 1 : b->opts->jobs,
				       .at_once = b->opts->at_once,
				       .stretch = b->opts->stretch,
				       .give = b->opts->give,
				       .hash = true,
				       .mem = b->opts->mem,
				       .share = (unsigned)unread(b),
				       .held = &b->kept_bytes,
				       .held_most = may_hold(b),
				       .spill_dir = b->spill_dir,
				       .cancel = b->opts->cancel,
				       .progress = build_told,
				       .arg = b};

	publish_directory(b->publish.temp, b->spill_dir);
	b->read_before = 0;
	atomic_store(&b->kept_bytes, 0);
	if (b->in.n > 1 && inputs_read_small(&b->in, &o, b->err))
		return b->err->kind;
	for (size_t i = 0; i < b->in.n; i++) {
		struct input *in = &b->in.at[i];

		if (!in->file.id.size && input_read(in, &o, b->in.n == 1, b->err))
			return b->err->kind;
		b->read_before += in->source.id.size;
	}
	inputs_order(&b->in);
	return b->old && take_old(b) ? b->err->kind : list_tallies(b);
}

/* Merge all tallies. */
static int merge_tallies(struct build *b)
{
	struct str events = inputs_events(&b->in);

	if (!events.p)
		return err_no_memory(b->err, "while reading");
	merge(&b->profile, b->tally, b->ntally, events, b->opts->cancel, b->err);
	free((void *)(uintptr_t)events.p);
	return b->err->kind;
}

static int merge_all(struct build *b)
{
	return merge_tallies(b) || merge_contexts(&b->profile, may_hold(b),
						  b->opts->cancel, b->err)
		       ? b->err->kind
		       : 0;
}

/* Merging into an old index is exact only if that index kept every diagnostic line and
 * no sum saturated. */
static bool old_tells_all(const struct build *b)
{
	const struct profile *p = &b->profile;

	for (size_t i = 0; i < p->nodds; i++)
		if (p->odds[i].count > ODD_KEPT)
			return false;
	return !p->saturated;
}

static void forget_old(struct build *b)
{
	profile_free(&b->profile);
	if (b->kept.parts.chunk[0])
		tally_free(&b->kept);
	free(b->tally);
	b->tally = NULL;
	for (size_t i = 0; i < b->in.n; i++)
		if (!b->in.at[i].read)
			input_forget(&b->in.at[i]);
	store_close(b->old);
	b->old = NULL;
}

/* Read and merge the files; with an old index only the new files are read. */
static int read_profile(struct build *b)
{
	int rc = read_inputs(b) || merge_all(b);

	if (!rc && b->old && !old_tells_all(b)) {
		forget_old(b);
		rc = read_inputs(b) || merge_all(b);
	}
	return rc ? b->err->kind : 0;
}

/* ---- writing ---- */

static int write_index(struct build *b)
{
	struct meta meta = {.files = b->in.n, .profile = str_c(b->in.label)};
	const struct save_opts opts = {b->opts->run, b->opts->jobs, b->opts->mem,
				       b->opts->cancel};
	uint64_t map_bytes = ((uint64_t)1 << 30) + b->profile.bytes * 4;

	meta.file = ARENA_ARRAY(&b->profile.arena, struct input_file, b->in.n);
	if (!meta.file)
		return err_no_memory(b->err, "while writing the index");
	for (size_t i = 0; i < b->in.n; i++) {
		const struct input *in = &b->in.at[i];

		meta.file[i] = in->file;
		meta.file[i].id = in->source.id;
		meta.file[i].id.hash = in->file.id.hash;
		meta.truncated |= meta.file[i].truncated;
	}
	report(b, b->total, "writing", true);
	if (store_writer_open(b->publish.temp, b->publish.temp_fd, map_bytes, &b->writer,
			      b->err) ||
	    save_profile(&b->profile, b->writer, &meta, &opts, b->err) ||
	    store_writer_finish(b->writer, b->err))
		return b->err->kind;
	return b->in.n == 1 ? source_unchanged(&b->in.at[0].source, b->err) : 0;
}

static int build_guarded(void *arg)
{
	struct build *b = arg;

	/* One profile alone may use address space freely, unless memory is short. */
	const bool roomy = b->in.n == 1 && !stretch_cramped(b->opts->mem);

	vec_policy(VEC_OWN_MAP, roomy ? VEC_ROOM : ROOM_FROM);
	if (read_profile(b))
		return b->err->kind;
	if (!b->opts->merge && refuse_set(&b->in, &b->profile, b->err))
		return b->err->kind;
	return write_index(b);
}

static void build_free(struct build *b)
{
	store_writer_close(b->writer);
	profile_free(&b->profile);
	free(b->tally);
	if (b->kept.parts.chunk[0])
		tally_free(&b->kept);
}

/* Report a wait; the note about an idle holder is repeated after twice the time. */
static void waits(void *arg, const char *lock, const char *who, unsigned idle_s)
{
	struct build *b = arg;
	char text[INDEX_PATH_MAX + 100];

	report(b, 0, "waiting for another quern that indexes", true);
	if (idle_s < b->idle_told_s || !b->opts->note)
		return;
	b->idle_told_s = idle_s * 2;
	snprintf(text, sizeof(text),
		 "waiting for %s, which holds %s and has got no further for %u s", who,
		 lock, idle_s);
	b->opts->note(b->opts->note_arg, text);
}

static int begin_publishing(struct build *b, const char *index)
{
	const struct publish_wait w = {.no_wait = b->opts->no_wait,
				       .in_memory = b->small,
				       .cancel = b->opts->cancel,
				       .waits = waits,
				       .arg = b};

	b->idle_told_s = IDLE_S;
	if (!b->held)
		b->held = &b->publish;
	return publish_begin(&b->publish, index, &w, b->err);
}

/* Turn core dumps off: a profile is private.  Returns the old limit. */
static struct rlimit no_core(void)
{
	struct rlimit before = {RLIM_INFINITY, RLIM_INFINITY}, none;

	getrlimit(RLIMIT_CORE, &before);
	none = before;
	none.rlim_cur = 0;
	setrlimit(RLIMIT_CORE, &none);
	return before;
}

/* Refuse an index path that is one of the profile's own files. */
static int replaces(struct build *b, const char *index)
{
	for (size_t i = 0; i < b->in.n; i++) {
		struct source_file *s = &b->in.at[i].source;
		int rc;

		if (s->fd < 0 && source_reopen(s, b->err))
			return b->err->kind;
		rc = publish_replaces(index, s->fd, b->err);
		if (b->in.n > 1)
			source_release(s);
		if (rc)
			return rc;
	}
	return 0;
}

static enum freshness build_compare(struct build *b, const struct store *st, size_t *new,
				    struct build_report *r)
{
	uint32_t n;
	const struct input_file *recorded = store_inputs(st, &n);

	return inputs_compare(&b->in, recorded, n, new, r->why, sizeof(r->why));
}

/* Check a set whose index is up to date. */
static int refuse_fresh(struct build *b, struct store *st)
{
	return b->opts->merge ? 0 : refuse_indexed(&b->in, st, b->err);
}

static int build_fold(struct build *b);

static int build_index(struct build *b, const char *index, struct store **out)
{
	const struct build_opts *o = b->opts;
	struct rlimit core;
	int rc;

	b->total = input_bytes(b);
	if (index && replaces(b, index))
		return b->err->kind;
	if (begin_publishing(b, index)) {
		publish_end(&b->publish);
		return b->err->kind;
	}
	/* Another process may have built the index while we waited for the lock. */
	if (index && !o->rebuild && !b->in.at[0].source.pipe) {
		struct build_report ignored;
		struct err none = {0};
		size_t new;

		if (!store_open(index, o->trust, out, &none)) {
			if (build_compare(b, *out, &new, &ignored) != SOURCE_CHANGED) {
				publish_end(&b->publish);
				return refuse_fresh(b, *out);
			}
			store_close(*out);
			*out = NULL;
		}
	}
	core = no_core();
	rc = build_fold(b);
	if (!rc)
		rc = map_guard(build_guarded, b, ERR_PROFILE, b->err);
	vec_policy(KEPT_MAP, ROOM_FROM);
	setrlimit(RLIMIT_CORE, &core);
	build_free(b);
	/* Another process may have put a file there meanwhile. */
	if (!rc && index)
		rc = publish_replaces(index, -1, b->err);
	if (!rc && index)
		rc = publish_commit(&b->publish, b->err);
	if (!rc)
		rc = store_open(index ? index : publish_opens(&b->publish), true, out,
				b->err);
	publish_end(&b->publish);
	return rc ? b->err->kind : 0;
}

/* Index the first `some` files, with the old index, in a temporary index; it becomes
 * b->old. */
static int fold_some(struct build *b, size_t some)
{
	struct build_opts opts = *b->opts;
	struct build sub = {.opts = &opts, .old = b->old, .held = b->held, .err = b->err};
	const struct input_file *recorded;
	struct store *st = NULL;
	uint32_t nrecorded = 0;
	int rc;

	opts.merge = true; /* the whole set is checked at the end */
	b->old = NULL;
	rc = inputs_some(&sub.in, &b->in, some, b->err);
	if (!rc) {
		rc = build_index(&sub, NULL, &st);
		inputs_close(&sub.in);
	}
	store_close(sub.old);
	if (rc)
		return rc;
	for (size_t i = 0; i < b->in.n; i++)
		b->in.at[i].file = (struct input_file){0};
	if (!reuse_possible(st)) {
		b->whole = true;
		store_close(st);
		return 0;
	}
	b->old = st;
	recorded = store_inputs(st, &nrecorded);
	return inputs_recall(&b->in, recorded, nrecorded)
		       ? err_no_memory(b->err, "while reading")
		       : 0;
}

/* How many of the unread files to read in this batch. */
static size_t batch(const struct build *b)
{
	uint64_t bytes = 0;
	size_t n = 0;

	for (size_t i = 0; i < b->in.n && n < BATCH_MOST; i++) {
		const struct source_file *s = &b->in.at[i].source;

		if (b->in.at[i].file.id.size)
			continue;
		bytes += text_bytes(s);
		if (n >= BATCH && (stretch_cramped(b->opts->mem) || bytes > BATCH_BYTES))
			break;
		n++;
	}
	return n;
}

static int build_fold(struct build *b)
{
	for (;;) {
		const size_t n = batch(b);
		int rc;

		if (b->whole || n == unread(b))
			return 0;
		rc = fold_some(b, n);
		if (rc)
			return rc;
	}
}

/* ---- which index ---- */

/* Open an existing index if it is up to date; r->how tells why it is not. */
static bool open_fresh(struct build *b, const char *path, struct store **out,
		       struct build_report *r)
{
	struct err err = {0};
	size_t new;

	if (access(path, F_OK))
		return false;
	if (store_open(path, b->opts->trust, out, &err)) {
		r->how = err.kind == ERR_STALE ? BUILD_STALE : BUILD_DAMAGED;
		snprintf(r->why, sizeof(r->why), "%.390s", err.text);
		return false;
	}
	if (build_compare(b, *out, &new, r) == SOURCE_CHANGED) {
		uint32_t n;
		const struct input_file *recorded = store_inputs(*out, &n);

		r->how = BUILD_STALE;
		/* If memory for inputs_recall() is out, all files are read again. */
		if (new && !b->old && reuse_possible(*out) &&
		    !inputs_recall(&b->in, recorded, n))
			b->old = *out;
		else
			store_close(*out);
		*out = NULL;
		return false;
	}
	r->how = BUILD_FRESH;
	snprintf(r->index, sizeof(r->index), "%.4199s", path);
	return true;
}

/* The first place that is writable; if no place is, the last one, for the error to
 * name. */
static const char *writable_place(const struct build *b, char path[INDEX_PATH_MAX])
{
	char other[INDEX_PATH_MAX];

	if (b->opts->no_write)
		return NULL;
	if (b->opts->index_path)
		return b->opts->index_path;
	if (b->in.at[0].source.pipe || !publish_place(b->in.place, 0, path))
		return NULL;
	if (!publish_writable(path) && publish_place(b->in.place, 1, other) &&
	    publish_writable(other))
		memcpy(path, other, INDEX_PATH_MAX);
	return path;
}

/* Refuse to build, and tell why it would be needed. */
static int refuse_build(struct build *b, const struct build_report *r)
{
	err_set(b->err, ERR_STALE, ERR_NOWHERE, "%s has no index that is up to date%s%s",
		b->in.label, r->why[0] ? ": " : "", r->why);
	return err_hint(b->err, "run quern on it once, or allow to make the index");
}

static int open_or_build(struct build *b, struct store **out, struct build_report *r)
{
	char path[INDEX_PATH_MAX];
	const char *index;

	if (b->in.at[0].source.pipe) {
		r->how = BUILD_NEW;
	} else if (b->opts->rebuild) {
		r->how = BUILD_FORCED;
	} else if (b->opts->index_path) {
		if (open_fresh(b, b->opts->index_path, out, r))
			return refuse_fresh(b, *out);
	} else {
		for (unsigned i = 0; publish_place(b->in.place, i, path); i++)
			if (open_fresh(b, path, out, r))
				return refuse_fresh(b, *out);
	}
	b->small = is_small(b, r);
	if (b->small)
		r->how = BUILD_READ;
	if (b->opts->no_build && !b->small)
		return refuse_build(b, r);
	for (size_t i = 0; i < b->in.n; i++)
		r->read += !b->in.at[i].file.id.size;
	index = b->small ? NULL : writable_place(b, path);
	if (index ||
	    (b->small && !b->opts->no_write && publish_place(b->in.place, 1, path)))
		snprintf(r->index, sizeof(r->index), "%.4199s", index ? index : path);
	return build_index(b, index, out);
}

/* The profile given is an index: open it, even if the profile has changed since. */
static int open_index(struct build *b, struct store **out, struct build_report *r)
{
	const char *name = b->in.at[0].source.name;
	const struct input_file *recorded;
	uint32_t n;

	if (b->opts->rebuild) {
		err_set(b->err, ERR_USAGE, 0,
			"%s is an index: it cannot be made from itself", name);
		return err_hint(b->err, "give the profile");
	}
	if (store_open(name, b->opts->trust, out, b->err))
		return b->err->kind;
	r->how = BUILD_AS_IS;
	snprintf(r->index, sizeof(r->index), "%.4199s", name);
	recorded = store_inputs(*out, &n);
	for (uint32_t i = 0; i < n && !b->opts->only_named && !r->why[0]; i++) {
		char path[INDEX_PATH_MAX];
		struct source_file now;
		struct err none = {0};

		snprintf(path, sizeof(path), "%.*s", STR_ARG(recorded[i].id.path));
		if (path[0] != '/' || source_open(path, &now, &none))
			continue;
		if (source_compare(&now, &recorded[i].id) == SOURCE_CHANGED)
			snprintf(r->why, sizeof(r->why),
				 "%.150s has changed since it was indexed", path);
		source_close(&now);
	}
	return 0;
}

/* ERR_PROFILE: a pipe, where none may keep us waiting; a member of a folder may have become one. */
static int open_inputs(struct build *b, const char *const *path, size_t n)
{
	const struct source_file *first;

	if (inputs_open(&b->in, path, n, b->err))
		return b->err->kind;
	first = &b->in.at[0].source;
	if (first->pipe && b->opts->regular) {
		err_set(b->err, ERR_PROFILE, 0, "%s: not a regular file", first->name);
		inputs_close(&b->in);
	}
	return b->err->kind;
}

int build_open_set(const char *const *path, size_t n, const struct build_opts *opts,
		   struct store **out, struct build_report *report_out, struct err *err)
{
	struct build b = {.opts = opts, .err = err};
	uint64_t start = build_now_ns();
	const struct source_file *first;
	struct store *st = NULL;
	int rc;

	*report_out = (struct build_report){.how = BUILD_NEW};
	if (open_inputs(&b, path, n))
		return err->kind;
	first = &b.in.at[0].source;
	memcpy(report_out->note, b.in.note, sizeof(b.in.note));
	if (b.in.n == 1 && !first->pipe && store_recognise(first->fd))
		rc = open_index(&b, &st, report_out);
	else
		rc = open_or_build(&b, &st, report_out);
	if (!rc && (opts->only_named || report_out->how != BUILD_AS_IS))
		rc = store_named(st, path, n, opts->only_named, err);
	if (!rc && !opts->merge)
		rc = runs_note(&b.in, st, report_out->runs, sizeof(report_out->runs),
			       err);
	inputs_close(&b.in);
	store_close(b.old);
	if (rc)
		store_close(st);
	else
		*out = st;
	report_out->took_ns = build_now_ns() - start;
	return rc;
}

/* ---- reading again ---- */

struct rereading {
	struct build b;
	build_use *use; /* may be NULL */
	void *arg;
};

static int again_guarded(void *arg)
{
	struct rereading *a = arg;

	if (read_inputs(&a->b) || merge_tallies(&a->b))
		return a->b.err->kind;
	return a->use ? a->use(a->arg, &a->b.profile, a->b.err) : 0;
}

static int read_again(struct rereading *a, const struct store *st)
{
	struct build *b = &a->b;
	struct build_report r = {0};
	struct rlimit core;
	size_t new;

	if (b->in.n == 1 && store_recognise(b->in.at[0].source.fd)) {
		err_set(b->err, ERR_PROFILE, 0,
			"--safe: the index was made from a file that is not named here");
		return err_hint(b->err, "open the profile, not its index, or leave out "
					"--safe");
	}
	if (build_compare(b, st, &new, &r) == SOURCE_CHANGED) {
		err_set(b->err, ERR_PROFILE, 0, "%s has changed since it was indexed",
			b->in.label);
		return err_hint(b->err, "open it again and it is indexed anew");
	}
	core = no_core();
	map_guard(again_guarded, a, ERR_PROFILE, b->err);
	vec_policy(KEPT_MAP, ROOM_FROM);
	setrlimit(RLIMIT_CORE, &core);
	return b->err->kind;
}

/* The paths of the files: those that the index recorded, since the user named no others. */
static char **recorded_paths(const struct store *st, const char *what, uint32_t *n,
			     struct err *err)
{
	const struct input_file *recorded = store_inputs(st, n);
	char **path = calloc((size_t)*n + 1, sizeof(*path));

	if (!path)
		err_no_memory(err, "while opening profiles");
	for (uint32_t i = 0; !err->kind && i < *n; i++) {
		const struct str p = recorded[i].id.path;

		if (!p.n || p.p[0] != '/') {
			err_set(err, ERR_PROFILE, 0, "the profile came through a pipe");
			err_hint(err,
				 "%s are read from the profile again: keep it in a "
				 "file",
				 what);
		} else if (!(path[i] = strndup(p.p, p.n))) {
			err_no_memory(err, "while opening profiles");
		}
	}
	return path;
}

struct build_kept {
	struct rereading a;
	struct build_opts opts;
};

void build_kept_free(struct build_kept *k)
{
	if (!k)
		return;
	build_free(&k->a.b);
	inputs_close(&k->a.b.in);
	free(k);
}

int build_keep(struct store *st, const struct build_opts *opts, const char *what,
	       struct build_kept **out, struct profile **p, struct err *err)
{
	struct build_kept *k = calloc(1, sizeof(*k));
	const char *tmp = getenv("TMPDIR");
	uint32_t n = 0;
	char **path = k ? recorded_paths(st, what, &n, err) : NULL;
	const char *const *const names =
		st->named ? st->named : (const char *const *)path;

	if (!k)
		return err_no_memory(err, "while opening profiles");
	k->opts = *opts;
	k->a.b.opts = &k->opts;
	k->a.b.err = err;
	snprintf(k->a.b.publish.temp, sizeof(k->a.b.publish.temp), "%.4000s/quern",
		 tmp && tmp[0] == '/' ? tmp : "/tmp");
	if (!err->kind &&
	    !inputs_open(&k->a.b.in, names, st->named ? st->nnamed : n, err))
		read_again(&k->a, st);
	else if (err->kind == ERR_PROFILE && !err->hint[0])
		err_hint(err, "%s are read from the profile again", what);
	for (uint32_t i = 0; path && i < n; i++)
		free(path[i]);
	free(path);
	if (err->kind) {
		build_kept_free(k);
		return err->kind;
	}
	k->opts.cancel = NULL; /* what reads is the caller's */
	k->opts.progress = NULL;
	k->a.b.err = NULL;
	*p = &k->a.b.profile;
	*out = k;
	return 0;
}

int build_look(const char *const *path, size_t n, const struct build_opts *opts,
	       build_use *use, void *arg, bool *truncated, struct err *err)
{
	struct rereading a = {.b = {.opts = opts, .err = err}, .use = use, .arg = arg};
	struct build *b = &a.b;

	snprintf(b->publish.temp, sizeof(b->publish.temp), "/tmp/quern");
	if (open_inputs(b, path, n))
		return err->kind;
	if (store_recognise(b->in.at[0].source.fd))
		err_set(err, ERR_PROFILE, 0, "%s is an index", path[0]);
	else
		map_guard(again_guarded, &a, ERR_PROFILE, err);
	for (size_t i = 0; i < b->in.n; i++)
		*truncated |= b->in.at[i].file.truncated;
	build_free(b);
	inputs_close(&b->in);
	return err->kind;
}

int build_open(const char *profile, const struct build_opts *opts, struct store **out,
	       struct build_report *report_out, struct err *err)
{
	return build_open_set(&profile, 1, opts, out, report_out, err);
}
