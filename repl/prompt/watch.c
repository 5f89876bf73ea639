/*
 * watch.c - follow a run; see watch.h.
 *
 *	part 3 of process 4711: 5,271,234 Ir (dump by client request)
 *	part 2: 5.06 M -> part 3: 5.27 M Ir (+4.2 %)
 *	   delta    self    base  fn    file:line
 *	+200,000  1.20 M  1.00 M  work  w.c:12
 *
 * inotify wakes us.  Then the names, sizes and times of the files are compared: they must
 * be equal twice before a file is read, so that no file is read while it is written.
 * Without inotify, we look once a second.
 */
#include "repl/prompt/watch.h"

#include <errno.h>
#include <inttypes.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/inotify.h>
#include <sys/stat.h>
#include <unistd.h>

#include "engine/query.h"
#include "index/base/err.h"
#include "index/base/out.h"
#include "index/read/input.h"
#include "index/store/publish.h"
#include "index/store/store.h"
#include "repl/app/options.h"
#include "repl/app/output.h"
#include "repl/prompt/script.h"
#include "index/base/cost.h"

enum { REST_MS = 200, LOOK_MS = 1000 };

/* ---- the files, as they are seen ---- */

struct sight {
	char **path;
	size_t n;
	uint64_t hash; /* of their names, sizes and times */
};

static void sight_free(struct sight *s)
{
	inputs_free(s->path, s->n);
	*s = (struct sight){0};
}

/* List the files of base that are not empty.  Finding none is no error. */
static int sight_take(struct sight *s, const char *base, struct err *err)
{
	struct err none = {0};
	struct out seen;
	size_t n;

	*s = (struct sight){0};
	if (inputs_find(base, &s->path, &n, &none))
		return none.kind == ERR_LIMIT
			       ? err_set(err, ERR_LIMIT, 0, "%s", none.text)
			       : 0;
	out_mem(&seen);
	for (size_t i = 0; i < n; i++) {
		struct stat st;

		if (stat(s->path[i], &st) || st.st_size == 0) {
			free(s->path[i]);
			continue;
		}
		out_printf(&seen, "%s %ju %jd %jd.%09ld %jd.%09ld\n", s->path[i],
			   (uintmax_t)st.st_ino, (intmax_t)st.st_size,
			   (intmax_t)st.st_mtim.tv_sec, st.st_mtim.tv_nsec,
			   (intmax_t)st.st_ctim.tv_sec, st.st_ctim.tv_nsec);
		s->path[s->n++] = s->path[i];
	}
	s->hash = str_hash(out_text(&seen));
	return out_close(&seen) ? err_no_memory(err, NULL) : 0;
}

static bool same_sight(const struct sight *a, const struct sight *b)
{
	return a->n == b->n && a->hash == b->hash;
}

/* ---- what changed ---- */

struct dump { /* the parts of all threads at one time */
	uint64_t pid, part;
	uint32_t first, n; /* of the parts of the store */
};

/* List the dumps of the profile in order; d has room for as many as there are parts. */
static void list_dumps(struct store *st, struct dump *d, size_t *n)
{
	uint32_t parts = store_info(st)->parts;

	*n = 0;
	for (uint32_t i = 0; i < parts; i++) {
		struct part p;

		store_part(st, i, &p);
		if (*n && d[*n - 1].pid == p.pid && d[*n - 1].part == p.part)
			d[*n - 1].n++;
		else
			d[(*n)++] = (struct dump){p.pid, p.part, i, 1};
	}
}

static int64_t dump_total(struct store *st, const struct dump *d, uint32_t e)
{
	int64_t sum = 0;

	for (uint32_t p = d->first; p < d->first + d->n; p++)
		cost_add(&sum, store_part_self(st, p, e));
	return sum;
}

/* "part 3 of process 4711 (2 threads): 5,271,234 Ir (why)" */
static void put_dump_head(struct out *o, struct store *st, const struct dump *d,
			  uint32_t e)
{
	struct store_event event;
	struct part part;

	store_event(st, e, &event);
	store_part(st, d->first, &part);
	out_printf(o, "part %" PRIu64, d->part);
	if (d->pid)
		out_printf(o, " of process %" PRIu64, d->pid);
	if (d->n > 1)
		out_printf(o, " (%u threads)", d->n);
	out_printf(o, ": %s ", GROUPED_SIGNED(dump_total(st, d, e)));
	out_str(o, event.name);
	if (part.trigger.n)
		out_printf(o, " (%.*s)", STR_ARG(part.trigger));
}

/* ---- the loop ---- */

struct watch {
	struct app *app;
	const char *base;
	struct sight shown;
	struct dump *known; /* dumps already shown */
	size_t nknown;
	pid_t pid;   /* of the process that writes them; 0: unknown */
	bool alive;  /* it was alive */
	int unshown; /* kind of the error that kept the last files from being shown */
	int notify;  /* -1: no inotify */
	struct err err;
};

static bool is_known(const struct watch *w, const struct dump *d)
{
	for (size_t i = 0; i < w->nknown; i++)
		if (w->known[i].pid == d->pid && w->known[i].part == d->part)
			return w->known[i].n == d->n;
	return false;
}

/* The heads of the dumps are read under guard. */
struct heads {
	struct store *st;
	uint32_t event;
	struct dump *dump;
	size_t n;
	const struct dump *asked; /* NULL: list the dumps */
	struct out *head;
	struct err *err;
};

static int read_guarded(void *arg)
{
	struct heads *h = arg;

	if (h->asked)
		put_dump_head(h->head, h->st, h->asked, h->event);
	else
		list_dumps(h->st, h->dump, &h->n);
	return store_check(h->st, h->err);
}

/* The functions of the dump whose costs grew most since the one before, which may be NULL. */
static int show_dump(struct watch *w, struct heads *h, const struct dump *d,
		     const struct dump *before)
{
	struct app *app = w->app;
	struct out head, query;
	int kind;

	out_mem(&head);
	out_mem(&query);
	h->asked = d;
	h->head = &head;
	out_printf(&query, "part %" PRIu64 " | ", d->part);
	if (before)
		out_printf(
			&query,
			"functions vs part %" PRIu64
			" | where delta != 0 | take 10 | show delta, self, base, fn, file, "
			"line",
			before->part);
	else
		out_c(&query, "top 10");
	kind = session_guard(read_guarded, h, &w->err);
	if (!kind)
		kind = output_text(app, out_text(&head), &w->err);
	if (!kind)
		kind = app_run(app, out_text(&query), NULL);
	out_close(&head);
	out_close(&query);
	return kind;
}

/* Show each new dump, but at first only the last: there may be many. */
static int show_changes(struct watch *w, struct store *st)
{
	const struct str name = session_event(w->app->session);
	struct heads h = {.st = st,
			  .event = name.n ? store_event_find(st, name) : 0,
			  .err = &w->err};
	int rc;

	h.dump = calloc((size_t)store_info(st)->parts + 1, sizeof(*h.dump));
	rc = h.dump ? session_guard(read_guarded, &h, &w->err)
		    : err_no_memory(&w->err, NULL);
	for (size_t i = w->known || !h.n ? 0 : h.n - 1; !rc && i < h.n; i++) {
		const struct dump *d = &h.dump[i];

		if (!is_known(w, d))
			rc = show_dump(w, &h, d, i && d[-1].pid == d->pid ? d - 1 : NULL);
	}
	free(w->known);
	w->known = h.dump;
	w->nknown = h.n;
	if (h.n && h.dump[h.n - 1].pid && h.dump[h.n - 1].pid < INT32_MAX)
		w->pid = (pid_t)h.dump[h.n - 1].pid;
	return rc;
}

static int show_new(struct watch *w, const struct sight *s)
{
	struct app *app = w->app;
	int kind = 0;

	if (app->nprofiles)
		kind = app_close(app, NULL, &w->err);
	if (!kind)
		kind = app_open(app, NULL, (const char *const *)s->path, s->n);
	w->unshown = kind;
	if (kind == ERR_PROFILE) /* already shown; the next dump may be better */
		return 0;
	if (kind)
		return kind;
	return app->opts->ntasks ? script_tasks(app)
				 : show_changes(w, app->profiles[0].store);
}

/* Wait for ms milliseconds, or until the directory changes. */
static void wait_for(struct watch *w, int ms)
{
	struct pollfd p = {.fd = w->notify, .events = POLLIN};
	char events[4096];

	if (poll(&p, w->notify >= 0, ms) > 0)
		while (read(w->notify, events, sizeof(events)) > 0)
			;
}

/* Was the process that writes the files there, and is it gone? */
static bool has_ended(struct watch *w)
{
	bool gone = w->pid > 0 && kill(w->pid, 0) && errno == ESRCH;

	w->alive |= w->pid > 0 && !gone;
	return gone && w->alive;
}

static int follow_run(struct watch *w)
{
	struct sight before = {0}, now;
	bool ended = false;
	int rc = 0;

	while (!rc && !atomic_load(&app_cancel)) {
		bool gone = has_ended(w), rest;

		rc = sight_take(&now, w->base, &w->err);
		rest = same_sight(&now, &before);
		sight_free(&before);
		before = now;
		if (rc)
			break;
		if (rest && now.n && !same_sight(&now, &w->shown)) {
			rc = show_new(w, &now);
			sight_free(&w->shown);
			w->shown = now;
			before = (struct sight){0};
		} else if (rest && gone) {
			/* Once more: its last file may be as new as its end, and a
			 * file that could not be read may be complete now. */
			if (ended)
				break;
			ended = true;
			if (w->unshown)
				sight_free(&w->shown);
		}
		if (rest && !gone)
			wait_for(w, LOOK_MS);
		poll(NULL, 0, REST_MS); /* the event may be one of several */
	}
	sight_free(&before);
	return rc;
}

/* "callgrind.out.4711" is of process 4711. */
static pid_t pid_of(const char *base)
{
	size_t n = strlen(base), at = n;
	uint64_t pid;

	while (at && base[at - 1] >= '0' && base[at - 1] <= '9')
		at--;
	if (at == n || !at || base[at - 1] != '.' ||
	    !str_u64((struct str){base + at, n - at}, &pid) || pid >= INT32_MAX)
		return 0;
	return (pid_t)pid;
}

int watch_run(struct app *app, const char *base)
{
	struct watch w = {.app = app, .base = base, .pid = pid_of(base)};
	char dir[INDEX_PATH_MAX];
	int rc;

	publish_directory(base, dir);
	w.notify = inotify_init1(IN_CLOEXEC | IN_NONBLOCK);
	if (w.notify >= 0)
		inotify_add_watch(w.notify, dir,
				  IN_CLOSE_WRITE | IN_MODIFY | IN_CREATE | IN_MOVED_TO);
	if (access(dir, R_OK))
		err_set(&w.err, ERR_PROFILE, 0, "%s: %s", dir, strerror(errno));
	else
		app_note(app, "quern: waiting for dumps of %s; Ctrl-C leaves", base);
	rc = w.err.kind ? w.err.kind : follow_run(&w);
	if (w.err.kind)
		app_fail(app, &w.err, NULL);
	else if (!rc && !atomic_load(&app_cancel))
		app_note(app, "quern: process %ld has ended", (long)w.pid);
	if (!rc)
		rc = atomic_load(&app_cancel) ? (int)ERR_CANCEL : w.unshown;
	if (w.notify >= 0)
		close(w.notify);
	sight_free(&w.shown);
	free(w.known);
	return rc;
}
