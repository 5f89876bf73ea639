/*
 * watch.c - follow a run; see watch.h.
 *
 *	part 3 of process 4711: 5,271,234 Ir, +212,000 since part 2 (dump by client request)
 *	      delta       self     before  function  place
 *	   +200,000  1,200,000  1,000,000  work      w.c:12
 *
 * inotify wakes us.  Then the names, sizes and times of the files are compared: they must
 * be equal twice before a file is read, so that no file is read while it is written.
 * Without inotify, we look once a second.
 */
#include "repl/prompt/watch.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
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
#include "repl/render/fit.h"
#include "repl/term/number.h"
#include "repl/prompt/script.h"
#include "index/base/order.h"
#include "index/base/cost.h"

enum { REST_MS = 200, LOOK_MS = 1000, ROWS = 10 };

/* ---- the files, as they are seen ---- */

struct seen_file {
	char *path;
	uint64_t inode, size, mtime_ns, ctime_ns;
};

struct sight {
	struct seen_file *file;
	size_t n;
};

static void sight_free(struct sight *s)
{
	for (size_t i = 0; i < s->n; i++)
		free(s->file[i].path);
	free(s->file);
	*s = (struct sight){0};
}

static uint64_t nanoseconds(const struct timespec *t)
{
	return (uint64_t)t->tv_sec * 1000000000u + (uint64_t)t->tv_nsec;
}

/* List the files of base that are not empty.  Finding none is no error. */
static int sight_take(struct sight *s, const char *base, struct err *err)
{
	struct err none = {0};
	char **path;
	size_t n;

	*s = (struct sight){0};
	if (inputs_find(base, &path, &n, &none))
		return none.kind == ERR_LIMIT
			       ? err_set(err, ERR_LIMIT, 0, "%s", none.text)
			       : 0;
	s->file = calloc(n + 1, sizeof(*s->file));
	for (size_t i = 0; s->file && i < n; i++) {
		struct stat st;

		if (stat(path[i], &st) || st.st_size == 0)
			continue;
		s->file[s->n++] = (struct seen_file){
			path[i], st.st_ino, (uint64_t)st.st_size,
			nanoseconds(&st.st_mtim), nanoseconds(&st.st_ctim)};
		path[i] = NULL;
	}
	inputs_free(path, n);
	return s->file ? 0 : err_no_memory(err, NULL);
}

static bool same_sight(const struct sight *a, const struct sight *b)
{
	if (a->n != b->n)
		return false;
	for (size_t i = 0; i < a->n; i++)
		if (a->file[i].inode != b->file[i].inode ||
		    a->file[i].size != b->file[i].size ||
		    a->file[i].mtime_ns != b->file[i].mtime_ns ||
		    a->file[i].ctime_ns != b->file[i].ctime_ns ||
		    strcmp(a->file[i].path, b->file[i].path) != 0)
			return false;
	return true;
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

/* Add event e of every function in a dump to self[]. */
static int add_dump(struct app *app, struct store *st, const struct dump *d, uint32_t e,
		    int64_t *self, struct err *err)
{
	uint32_t events = store_info(st)->events;

	for (uint32_t p = d->first; p < d->first + d->n; p++) {
		int64_t *costs;
		fn_id *fns;
		size_t n;

		arena_reset(&app->arena);
		if (store_part_functions(st, p, &app->arena, &fns, &costs, &n, err))
			return err->kind;
		for (size_t i = 0; i < n; i++)
			cost_add(&self[fns[i]],
				 store_event_of(st, e, costs + i * events));
	}
	return 0;
}

static int64_t dump_total(struct store *st, const struct dump *d, uint32_t e)
{
	int64_t sum = 0;

	for (uint32_t p = d->first; p < d->first + d->n; p++)
		cost_add(&sum, store_part_self(st, p, e));
	return sum;
}

struct change {
	fn_id fn;
	int64_t now, before, size; /* size: absolute difference */
};

static int compare_changes(const void *a, const void *b)
{
	const struct change *x = a, *y = b;
	const int c = cost_order(y->size, x->size);

	return c ? c : order_u64(x->fn, y->fn);
}

static int64_t change_size(int64_t now, int64_t before)
{
	return now > before ? cost_difference(now, before) : cost_difference(before, now);
}

static void put_delta(char buf[NUMBER_MAX + 1], int64_t now, int64_t before)
{
	buf[0] = now == before ? ' ' : now > before ? '+' : '-';
	number_grouped_signed(buf + 1, change_size(now, before));
}

static void put_change(struct app *app, struct out *o, struct store *st,
		       const struct change *c)
{
	enum emit_form form =
		app->screen.out && !app->screen.utf8 ? EMIT_ASCII : EMIT_TEXT;
	char delta[NUMBER_MAX + 1], now[NUMBER_MAX], before[NUMBER_MAX];
	size_t columns = app->screen.columns, width = SIZE_MAX;

	put_delta(delta, c->now, c->before);
	number_grouped_signed(now, c->now);
	number_grouped_signed(before, c->before);
	out_printf(o, "%15s  %15s  %15s  ", delta, now, before);
	if (app->screen.out && columns > 80)
		width = columns - 75;
	else if (app->screen.out)
		width = 24;
	fit_put(o, form, FIT_NAME, store_fn_name(st, c->fn), width);
	out_c(o, "  ");
	fit_put(o, form, FIT_PATH, str_basename(store_fn_file(st, c->fn)),
		app->screen.out ? 18 : SIZE_MAX);
	if (store_fn_line(st, c->fn)) {
		out_char(o, ':');
		out_u64(o, store_fn_line(st, c->fn));
	}
	out_char(o, '\n');
}

/* "part 3 of process 4711 (2 threads): 5,271,234 Ir, +212,000 since part 2 (why)" */
static void put_dump_head(struct out *o, struct store *st, const struct dump *d,
			  const struct dump *before, uint32_t e)
{
	char now[NUMBER_MAX], delta[NUMBER_MAX + 1];
	const int64_t total = dump_total(st, d, e);
	struct store_event event;
	struct part part;

	store_event(st, e, &event);
	store_part(st, d->first, &part);
	number_grouped_signed(now, total);
	out_printf(o, "part %llu", (unsigned long long)d->part);
	if (d->pid)
		out_printf(o, " of process %llu", (unsigned long long)d->pid);
	if (d->n > 1)
		out_printf(o, " (%u threads)", d->n);
	out_printf(o, ": %s ", now);
	emit_name(o, EMIT_TEXT, event.name);
	if (before) {
		put_delta(delta, total, dump_total(st, before, e));
		out_printf(o, ", %s since part %llu", delta[0] == ' ' ? delta + 1 : delta,
			   (unsigned long long)before->part);
	}
	if (part.trigger.n) {
		out_c(o, " (");
		emit_name(o, EMIT_TEXT, part.trigger);
		out_char(o, ')');
	}
	out_char(o, '\n');
}

/* What to show of a store; freed outside of the guard. */
struct showing {
	struct app *app;
	struct store *st;
	struct out *out;
	uint32_t event;
	struct dump *dump;
	size_t n;
	int64_t *sums; /* per function: now, then before */
	struct change *change;
	struct err *err;
};

/* Write the functions whose costs changed most since the dump `before`, which may be
 * NULL. */
static int put_changes(struct showing *s, const struct dump *d, const struct dump *before)
{
	size_t n = store_info(s->st)->functions, rows = 0;
	int64_t *now = s->sums, *was = now + n;
	struct change *c = s->change;

	memset(now, 0, 2 * n * sizeof(*now));
	if (add_dump(s->app, s->st, d, s->event, now, s->err) ||
	    (before && add_dump(s->app, s->st, before, s->event, was, s->err)) ||
	    store_check(s->st, s->err))
		return s->err->kind;
	for (fn_id f = 0; f < n; f++)
		if (now[f] != was[f])
			c[rows++] = (struct change){f, now[f], was[f],
						    change_size(now[f], was[f])};
	qsort(c, rows, sizeof(*c), compare_changes);
	out_printf(s->out, "%15s  %15s  %15s  function\n", "delta", "self", "before");
	for (size_t i = 0; i < rows && i < ROWS; i++)
		put_change(s->app, s->out, s->st, &c[i]);
	if (rows > ROWS)
		out_printf(s->out, "%d of %s functions that changed\n", ROWS,
			   GROUPED(rows));
	return 0;
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

struct shown {
	struct watch *watch;
	struct showing *showing;
};

/* Show each new dump, but at first only the last: there may be many. */
static int show_guarded(void *arg)
{
	const struct shown *of = arg;
	const struct watch *w = of->watch;
	struct showing *s = of->showing;
	int rc = 0;

	list_dumps(s->st, s->dump, &s->n);
	for (size_t i = w->known || !s->n ? 0 : s->n - 1; !rc && i < s->n; i++) {
		const struct dump *d = &s->dump[i];
		const struct dump *before = i && d[-1].pid == d->pid ? d - 1 : NULL;

		if (is_known(w, d) || s->event >= store_info(s->st)->all_events)
			continue;
		put_dump_head(s->out, s->st, d, before, s->event);
		rc = put_changes(s, d, before);
	}
	return rc ? rc : store_check(s->st, s->err);
}

static int show_changes(struct watch *w, struct store *st)
{
	const struct store_info *in = store_info(st);
	struct str name = session_event(w->app->session);
	struct out o;
	struct showing s = {.app = w->app, .st = st, .out = &o, .err = &w->err};
	int failed, rc;

	s.dump = calloc((size_t)in->parts + 1, sizeof(*s.dump));
	s.sums = calloc(2 * (size_t)in->functions + 1, sizeof(*s.sums));
	s.change = calloc((size_t)in->functions + 1, sizeof(*s.change));
	out_fd(&o, STDOUT_FILENO);
	if (!s.dump || !s.sums || !s.change) {
		rc = err_no_memory(&w->err, NULL);
	} else {
		s.event = name.n ? store_event_find(st, name) : 0;
		rc = session_guard(show_guarded, &(struct shown){w, &s}, &w->err);
	}
	failed = out_close(&o);
	free(s.sums);
	free(s.change);
	free(w->known);
	w->known = s.dump;
	w->nknown = s.dump ? s.n : 0;
	if (s.n && s.dump[s.n - 1].pid && s.dump[s.n - 1].pid < INT32_MAX)
		w->pid = (pid_t)s.dump[s.n - 1].pid;
	if (!rc && failed)
		rc = err_set(&w->err, ERR_OUTPUT, 0, "standard output: %s",
			     strerror(failed));
	return rc;
}

static int show_new(struct watch *w, const struct sight *s)
{
	const char **path = calloc(s->n + 1, sizeof(*path));
	struct app *app = w->app;
	int kind = path ? 0 : err_no_memory(&w->err, NULL);

	for (size_t i = 0; path && i < s->n; i++)
		path[i] = s->file[i].path;
	if (!kind && app->nprofiles)
		kind = app_close(app, NULL, &w->err);
	if (!kind)
		kind = app_open(app, NULL, path, s->n);
	free(path);
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
