/*
 * build.c - from a profile to an open index; see build.h.
 *
 *	source -> scan, decode -> tally -> merge -> save -> publish -> store
 *
 * Everything a build owns hangs on struct build, because a fault in the mapped profile (it
 * shrank) leaves build_guarded() from wherever it is.
 */
#include "index/build.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <time.h>
#include <unistd.h>

#include "index/merge.h"
#include "index/publish.h"
#include "index/save.h"
#include "index/source.h"
#include "index/store_write.h"
#include "index/stretch.h"

enum { PROGRESS_NS = 100 * 1000 * 1000 };

struct build {
	struct source source;
	const struct build_opts *opts;
	struct stretches stretches;
	struct profile profile;
	struct store_writer *writer;
	struct publish publish;
	uint64_t reported_ns;
	struct err *err;
};

static uint64_t now_ns(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
}

static void report(struct build *b, uint64_t done, const char *stage, bool now)
{
	struct build_progress p = {done, b->source.id.size, stage};
	uint64_t t;

	if (!b->opts->progress)
		return;
	t = now_ns();
	if (!now && t - b->reported_ns < PROGRESS_NS)
		return;
	b->reported_ns = t;
	b->opts->progress(b->opts->progress_arg, &p);
}

/* ---- reading ---- */

static void told(void *arg, uint64_t done)
{
	report(arg, done, "reading", false);
}

static int read_text(struct build *b)
{
	const struct map *m = &b->source.map;
	char dir[INDEX_PATH_MAX];
	const struct stretch_opts o = {.jobs = b->opts->jobs, .stretch = b->opts->stretch,
				       .hash = true, .mem = b->opts->mem,
				       .spill_dir = dir,
				       .cancel = b->opts->cancel, .progress = told, .arg = b};

	publish_directory(b->publish.temp, dir);
	if (stretches_read(&b->stretches, m->p, m->n, &o, b->err))
		return (int)b->err->kind;
	b->source.id.hash = source_hash_all(b->stretches.piece, b->stretches.npiece);
	return 0;
}

/* ---- what is refused ---- */

static const char no_profile[] =
	"such files begin with lines like \"events: Ir\" and \"fn=main\"; valgrind "
	"--tool=callgrind and PHP Xdebug write them";

/* A header that breaks off before its "events:" line. */
static bool header_only(const struct profile *p)
{
	for (size_t k = 0; k < p->ntally; k++)
		for (size_t i = 0; i < p->tally[k]->npart; i++)
			if (p->tally[k]->part[i].line[KEY_VERSION] ||
			    p->tally[k]->part[i].line[KEY_CREATOR])
				return true;
	return false;
}

static int no_events(const struct build *b)
{
	const struct profile *p = &b->profile;
	const char *name = b->source.name, *nature = source_nature(&b->source);

	if (nature) {
		err_set(b->err, ERR_PROFILE, 0, "%s: %s, not a Callgrind-format profile", name,
			nature);
		return err_hint(b->err, "%s", no_profile);
	}
	for (size_t i = 0; i < p->nodds; i++)
		if (p->odds[i].kind == ODD_NO_EVENTS) {
			err_set(b->err, ERR_PROFILE, 0,
				"%s:%" PRIu64 ": a cost line before any \"events:\" line", name,
				p->odd[p->odds[i].first].line);
			return err_hint(b->err, "this is not a Callgrind-format profile, or its "
						"header is missing");
		}
	if (header_only(p)) {
		err_set(b->err, ERR_PROFILE, 0,
			"%s: cut off in its header: there is no \"events:\" line", name);
		return err_hint(b->err, "copy it again, or wait until the program that writes it "
					"is done");
	}
	err_set(b->err, ERR_PROFILE, 0, "%s: not a Callgrind-format profile: no \"events:\" line",
		name);
	return err_hint(b->err, "%s", no_profile);
}

/* A cost line that stands before the first "events:" of the whole file. */
static bool costs_before_events(const struct profile *p)
{
	uint64_t events = 0;
	size_t k, i;

	for (k = 0; !events && k < p->ntally; k++)
		for (i = 0; !events && i < p->tally[k]->npart; i++)
			if (p->tally[k]->part[i].line[KEY_EVENTS])
				events = p->map[k].lines + p->tally[k]->part[i].line[KEY_EVENTS];
	for (i = 0; i < p->nodds; i++)
		if (p->odds[i].kind == ODD_NO_EVENTS)
			return p->odd[p->odds[i].first].line < events;
	return false;
}

static int check_profile(const struct build *b)
{
	const struct profile *p = &b->profile;
	uint64_t negative = 0, unreadable = 0, readable = 0;
	bool difference = false;

	for (size_t k = 0; k < p->ntally; k++) {
		difference |= p->tally[k]->difference;
		negative += p->tally[k]->odds[ODD_NEGATIVE_COST];
		unreadable += p->tally[k]->odds[ODD_FIELD];
		readable += p->tally[k]->cost_lines;
	}
	if (p->nevent == 0 || costs_before_events(p))
		return no_events(b);
	if (difference && negative) {
		err_set(b->err, ERR_PROFILE, 0,
			"%s: a difference of two profiles (its costs are negative)",
			b->source.name);
		return err_hint(b->err, "open the two profiles and compare them with `vs`: "
					"quern new.out base=old.out -c 'functions vs base'");
	}
	if (readable == 0 && unreadable) {
		err_set(b->err, ERR_PROFILE, 0, "%s: none of its %" PRIu64
			" cost lines can be read", b->source.name, unreadable);
		return err_hint(b->err, "the first: line %" PRIu64, p->odd[p->odds[0].first].line);
	}
	return 0;
}

/*
 * Cut off: callgrind did not come to its "totals:", or the last line has no end.  Some
 * producers (yappi) never end it; theirs at least ends in a number.
 */
static bool truncated(const struct build *b)
{
	const struct map *m = &b->source.map;
	const struct profile *p = &b->profile;
	const struct part *last = &p->part[p->npart - 1];
	bool callgrind = str_starts(last->creator, STR("callgrind"));
	char end = m->p[m->n - 1];

	if (end != '\n' && (end < '0' || end > '9' || callgrind ||
			    str_starts(last->creator, STR("xdebug"))))
		return true;
	return callgrind && !last->has_totals;
}

/* ---- writing ---- */

static int write_index(struct build *b)
{
	struct meta meta = {.source = b->source.id, .profile = str_c(b->source.name),
			    .truncated = truncated(b)};
	uint64_t map_bytes = ((uint64_t)1 << 30) + b->source.id.size * 4;

	report(b, b->source.id.size, "writing", true);
	if (store_writer_open(b->publish.temp, b->publish.temp_fd, map_bytes, &b->writer, b->err) ||
	    save_profile(&b->profile, b->writer, &meta, b->opts->cancel, b->err) ||
	    store_writer_finish(b->writer, b->err))
		return (int)b->err->kind;
	return source_unchanged(&b->source, b->err);
}

static int build_guarded(void *arg)
{
	struct build *b = arg;

	if (read_text(b) || merge(&b->profile, b->stretches.tally, b->stretches.n,
				  b->opts->cancel, b->err) || check_profile(b))
		return (int)b->err->kind;
	return write_index(b);
}

static void build_free(struct build *b)
{
	store_writer_close(b->writer);
	profile_free(&b->profile);
	stretches_free(&b->stretches);
}

/* A wait is said before it begins: it can be long. */
static int begin_publishing(struct build *b, const char *index)
{
	const struct build_opts *o = b->opts;

	if (!publish_begin(&b->publish, index, true, o->cancel, b->err))
		return 0;
	if (b->err->kind != ERR_LOCKED || o->no_wait)
		return (int)b->err->kind;
	publish_end(&b->publish);
	err_clear(b->err);
	report(b, 0, "waiting for another quern that indexes", true);
	return publish_begin(&b->publish, index, false, o->cancel, b->err);
}

/* What a profile holds is nobody else's: no copy of it in a core file.  The limit before. */
static struct rlimit no_core(void)
{
	struct rlimit before = {RLIM_INFINITY, RLIM_INFINITY}, none;

	getrlimit(RLIMIT_CORE, &before);
	none = before;
	none.rlim_cur = 0;
	setrlimit(RLIMIT_CORE, &none);
	return before;
}

/* Build the index at `index` (NULL: a temporary one) and open it. */
static int build_index(struct build *b, const char *index, struct store **out)
{
	const struct build_opts *o = b->opts;
	struct rlimit core;
	int rc;

	if (index && publish_replaces(index, b->source.fd, b->err))
		return (int)b->err->kind;
	if (begin_publishing(b, index)) {
		publish_end(&b->publish);
		return (int)b->err->kind;
	}
	/* Somebody else may have built it while we waited for the lock. */
	if (index && !o->rebuild) {
		struct err none = {0};

		if (!store_open(index, o->trust, out, &none)) {
			if (source_compare(&b->source, store_source(*out)) != SOURCE_CHANGED) {
				publish_end(&b->publish);
				return 0;
			}
			store_close(*out);
			*out = NULL;
		}
	}
	core = no_core();
	rc = map_guard(build_guarded, b, ERR_PROFILE, b->err);
	setrlimit(RLIMIT_CORE, &core);
	build_free(b);
	if (!rc && index)
		rc = publish_commit(&b->publish, b->err);
	if (!rc)
		rc = store_open(index ? index : publish_opens(&b->publish), true, out, b->err);
	publish_end(&b->publish);
	return rc ? (int)b->err->kind : 0;
}

/* ---- which index ---- */

static void say_changed(const struct build *b, const char *index, struct str indexed,
			struct build_report *r)
{
	if (str_eq(indexed, b->source.id.path))
		snprintf(r->why, sizeof(r->why), "the profile has changed since it was indexed");
	else
		snprintf(r->why, sizeof(r->why),
			 "the index %.150s was of another profile, %.*s: it is replaced", index,
			 (int)(indexed.n < 150 ? indexed.n : 150), indexed.p);
}

/* Open an index that is there and of this profile; *how says why not. */
static bool open_fresh(struct build *b, const char *path, struct store **out,
		       struct build_report *r)
{
	struct err err = {0};

	if (access(path, F_OK))
		return false;
	if (store_open(path, b->opts->trust, out, &err)) {
		r->how = err.kind == ERR_STALE ? BUILD_STALE : BUILD_DAMAGED;
		snprintf(r->why, sizeof(r->why), "%.390s", err.text);
		return false;
	}
	switch (source_compare(&b->source, store_source(*out))) {
	case SOURCE_SAME:
		break;
	case SOURCE_TOUCHED:
		snprintf(r->why, sizeof(r->why),
			 "the profile's times changed, its content did not");
		break;
	case SOURCE_CHANGED:
		r->how = BUILD_STALE;
		say_changed(b, path, store_source(*out)->path, r);
		store_close(*out);
		*out = NULL;
		return false;
	}
	r->how = BUILD_FRESH;
	snprintf(r->index, sizeof(r->index), "%.4199s", path);
	return true;
}

/* The first place where an index can be written; the last one when there is none, so that
 * the error names it. */
static const char *writable_place(const struct build *b, char path[INDEX_PATH_MAX])
{
	char other[INDEX_PATH_MAX];

	if (b->opts->no_write)
		return NULL;
	if (b->opts->index_path)
		return b->opts->index_path;
	if (!publish_place(b->source.path, 0, path))
		return NULL;
	if (!publish_writable(path) && publish_place(b->source.path, 1, other) &&
	    publish_writable(other))
		memcpy(path, other, INDEX_PATH_MAX);
	return path;
}

static int open_or_build(struct build *b, struct store **out, struct build_report *r)
{
	char path[INDEX_PATH_MAX];
	const char *index;

	if (b->opts->rebuild) {
		r->how = BUILD_FORCED;
	} else if (b->opts->index_path) {
		if (open_fresh(b, b->opts->index_path, out, r))
			return 0;
	} else {
		for (unsigned i = 0; publish_place(b->source.path, i, path); i++)
			if (open_fresh(b, path, out, r))
				return 0;
	}
	index = writable_place(b, path);
	if (index)
		snprintf(r->index, sizeof(r->index), "%.4199s", index);
	return build_index(b, index, out);
}

int build_open(const char *profile, const struct build_opts *opts, struct store **out,
	       struct build_report *report_out, struct err *err)
{
	struct build b = {.opts = opts, .err = err};
	uint64_t start = now_ns();
	int rc;

	*report_out = (struct build_report){.how = BUILD_NEW};
	if (source_open(profile, &b.source, err))
		return (int)err->kind;
	rc = open_or_build(&b, out, report_out);
	source_close(&b.source);
	report_out->took_ns = now_ns() - start;
	return rc;
}
