/* app.c - profiles, settings and queries of one run; see app.h. */
#include "repl/app/app.h"

#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "engine/files/roots.h"
#include "index/base/err.h"
#include "index/base/map.h"
#include "index/base/vec.h"
#include "index/build.h"
#include "index/read/beside.h"
#include "index/read/folder.h"
#include "repl/app/limit.h"
#include "repl/app/options.h"
#include "repl/term/emit.h"
#include "repl/term/number.h"
#include "repl/app/output.h"
#include "repl/app/linked.h"
#include "repl/app/progress.h"
#include "repl/render/headline.h"

enum { SCRIPT_MAX = 16 << 20, SOON_NS = 500000000 };
static const size_t ARENA_DEFAULT = (size_t)512 << 20;

atomic_int app_cancel;

/* A root that nobody named may be missing; only a lack of memory is an error. */
static int add_default_root(struct roots *r, const char *dir, struct err *err)
{
	struct err why = {0};

	if (roots_add(r, dir, false, &why) == ERR_LIMIT)
		*err = why;
	return err->kind;
}

int app_add_root(struct app *app, const char *dir, struct err *err)
{
	return roots_add(app->sources, dir, true, err) ||
			       roots_add(app->objects, dir, true, err)
		       ? err->kind
		       : 0;
}

/* Text is read below --source-root, by default below the current directory and those of
 * the profiles; objects may also be where the system keeps them.  Then a path is followed as
 * it stands.  --safe, which --mcp implies, has only the roots that are named, because a
 * profile could name any file. */
static int set_roots(struct app *app, struct err *err)
{
	static const char *const system[] = {"/usr", "/lib", "/lib64", "/bin", "/sbin"};
	const struct options *o = app->opts;

	if (roots_new(&app->sources, err) || roots_new(&app->objects, err))
		return err->kind;
	for (size_t i = 0; i < o->ngiven; i++)
		if (o->given[i].as == GIVEN_ROOT &&
		    app_add_root(app, o->given[i].text, err))
			return err->kind;
	if (!o->rooted && !o->safe &&
	    (add_default_root(app->sources, ".", err) ||
	     add_default_root(app->objects, ".", err)))
		return err->kind;
	for (size_t i = 0; i < sizeof(system) / sizeof(system[0]); i++)
		if (add_default_root(app->objects, system[i], err))
			return err->kind;
	if (!o->safe) {
		roots_follow(app->sources);
		roots_follow(app->objects);
	}
	session_set_roots(app->session, app->sources, app->objects);
	return 0;
}

/* Text is also read below the directory of the profile. */
static int add_profile_root(struct app *app, const char *path, struct err *err)
{
	const size_t n = strlen(path) - str_after_slash(str_c(path)).n;
	char *dir;

	if (app->opts->rooted || app->opts->safe || !n)
		return 0;
	if (!(dir = strndup(path, n)))
		return err_no_memory(err, NULL);
	if (!add_default_root(app->sources, dir, err))
		add_default_root(app->objects, dir, err);
	free(dir);
	return err->kind;
}

/* A query reads a profile again; state NULL: it has. */
static void tell_again(void *arg, const struct build_progress *state)
{
	struct app *app = arg;

	if (app->progress) {
		app->progress(app->progress_arg,
			      state ? state : &(struct build_progress){0});
	} else if (state && !app->opts->quiet) {
		if (!app->again && (app->again = malloc(sizeof(*app->again))))
			progress_start(app->again, app->profiles[0].path, &app->screen);
		if (app->again)
			progress_show(app->again, state);
	} else if (app->again) {
		progress_end(app->again);
		free(app->again);
		app->again = NULL;
	}
}

static int take_set(struct session *s, struct str set, struct err *err)
{
	const size_t eq = str_find(set, '=');

	if (eq == set.n)
		return err_set(err, ERR_USAGE, 0, "--set takes NAME=VALUE, not '%.*s'",
			       STR_ARG(set));
	return session_set_value(s, (struct str){set.p, eq}, str_from(set, eq + 1), err);
}

static int take_given(struct app *app, const struct given *g, struct err *err)
{
	const struct str text = str_c(g->text);

	switch (g->as) {
	case GIVEN_ROOT: return 0; /* set_roots() */
	case GIVEN_ACCEPT: return session_accept(app->session, text, err);
	case GIVEN_LIMIT: return limit_set(app, text, err);
	case GIVEN_SET: return take_set(app->session, text, err);
	case GIVEN_UNIT: return session_set_unit(app->session, text, err);
	case GIVEN_RENAME: return session_rename(app->session, text, err);
	}
	return 0;
}

int app_init(struct app *app, const struct options *opts, struct err *err)
{
	struct session_limits limits = {.arena_bytes =
						opts->mem ? opts->mem : ARENA_DEFAULT};

	*app = (struct app){.opts = opts,
			    .held = app->held,
			    .record = app->record,
			    .format = opts->format,
			    .wide = opts->wide,
			    .no_demangle = opts->no_demangle,
			    .source = opts->with_asm	  ? SOURCE_ASM
				      : opts->with_source ? SOURCE_ON
							  : SOURCE_OFF,
			    .output.fd = -1};
	screen_init(&app->screen, opts->colour);
	arena_init(&app->arena, (size_t)limits.arena_bytes);
	if (session_new(&app->session, err))
		return err->kind;
	session_set_cancel(app->session, &app_cancel);
	session_set_limits(app->session, &limits);
	session_set_safe(app->session, opts->safe);
	session_set_reading(app->session,
			    &(struct session_reading){.mem = opts->mem,
						      .jobs = (unsigned)opts->jobs,
						      .progress = tell_again,
						      .arg = app});
	for (size_t i = 0; i < opts->ngiven; i++)
		if (take_given(app, &opts->given[i], err))
			return err->kind;
	return set_roots(app, err);
}

void app_free(struct app *app)
{
	session_free(app->session);
	for (size_t i = 0; i < app->nprofiles; i++) {
		store_close(app->profiles[i].store);
		free(app->profiles[i].name);
		free(app->profiles[i].path);
	}
	free(app->profiles);
	roots_free(app->sources);
	roots_free(app->objects);
	arena_free(&app->arena);
	target_abandon(&app->output);
	gate_free(&app->gate);
	suite_free(&app->report);
	suite_free(&app->filed);
	free(app->sets.used);
	free(app->base_name);
	folder_free(app->folder);
	for (size_t i = 0; i < app->places.n; i++)
		free(app->places.at[i]);
	free(app->places.at);
	free(app->last);
	free(app->offer);
	free(app->pager);
}

void app_demangle(struct app *app, bool on)
{
	app->no_demangle = !on;
	for (size_t i = 0; i < app->nprofiles; i++)
		store_demangle(app->profiles[i].store, on);
}

void app_fail(const struct app *app, const struct err *err, const char *subject)
{
	talk_failure(err, subject, app->screen.colour_err);
}

void app_note(const struct app *app, const char *fmt, ...)
{
	char text[4096];
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(text, sizeof(text), fmt, ap);
	va_end(ap);
	if (!app->opts->quiet)
		talk_note(text);
}

char *app_path(const char *variable, const char *fallback, const char *name)
{
	const char *base = getenv(variable), *home = getenv("HOME");
	char *path = NULL;
	int n;

	if (base && base[0] == '/')
		n = asprintf(&path, "%s/quern/%s", base, name);
	else if (home && *home)
		n = asprintf(&path, "%s/%s/quern/%s", home, fallback, name);
	else
		return NULL;
	return n < 0 ? NULL : path;
}

char *app_expand(struct str path)
{
	const char *home = getenv("HOME");
	size_t at = str_starts(path, STR("~/")) ? 0 : str_find_str(path, STR("=~/")) + 1;
	char *out = NULL;

	if (!home || at >= path.n || !str_starts(str_from(path, at), STR("~/")))
		return strndup(path.p, path.n);
	if (asprintf(&out, "%.*s%s%.*s", (int)at, path.p, home, (int)(path.n - at - 1),
		     path.p + at + 1) < 0)
		return NULL;
	return out;
}

int app_read_file(const char *path, struct str *text, struct err *err)
{
	bool own = strcmp(path, "-") != 0;
	int fd = own ? open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY) : STDIN_FILENO;
	char *buf = NULL;
	size_t n = 0, cap = 0;
	ssize_t got = 1;

	while (fd >= 0 && got > 0 && n < SCRIPT_MAX) {
		if (vec_reserve(&buf, &cap, n + 65536, 1)) {
			errno = ENOMEM;
			got = -1;
			break;
		}
		got = read(fd, buf + n, cap - n);
		if (got < 0 && errno == EINTR && !atomic_load(&app_cancel))
			got = 1;
		else if (got > 0)
			n += (size_t)got;
	}
	if (fd < 0 || got < 0)
		err_set(err, errno == EINTR ? ERR_CANCEL : err_kind_of(errno, ERR_QUERY),
			0, "%s: %s", path, strerror(errno));
	else if (n >= SCRIPT_MAX)
		err_set(err, ERR_LIMIT, 0, "%s: more than 16 MiB of script", path);
	if (own && fd >= 0)
		close(fd);
	if (err->kind)
		free(buf);
	else
		*text = (struct str){buf ? buf : calloc(1, 1), n};
	return err->kind;
}

bool app_is_folder(const char *path)
{
	struct stat st;

	return stat(path, &st) == 0 && S_ISDIR(st.st_mode);
}

int app_add_path(struct paths *p, const char *path, struct err *err)
{
	if (vec_reserve(&p->at, &p->cap, p->n + 1, sizeof(*p->at)) ||
	    !(p->at[p->n] = strdup(path)))
		return err_no_memory(err, NULL);
	p->n++;
	return 0;
}

/* ---- profiles ---- */

static bool is_open(const struct app *app, const char *name)
{
	for (size_t i = 0; i < app->nprofiles; i++)
		if (strcmp(app->profiles[i].name, name) == 0)
			return true;
	return false;
}

size_t app_split_name(const char *arg)
{
	size_t n = strcspn(arg, "=");
	bool plain = n > 0 && arg[n] &&
		     n == strspn(arg, "abcdefghijklmnopqrstuvwxyz_-"
				      "ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789");

	return plain && access(arg, F_OK) < 0 ? n + 1 : 0;
}

/* The name of a profile without a name: its base name, or its path if the base name is
 * taken. */
static char *unnamed(const struct app *app, const char *path)
{
	const char *base = str_after_slash(str_c(path)).p;

	return strdup(is_open(app, base) ? path : base);
}

/* The facts of a profile that was opened.  Its index may be gone already: the first query
 * reports it. */
struct told {
	struct store *st;
	struct store_totals totals;
	bool blocks, ran; /* "Basic block 0 - 31001"; some were executed */
};

static void read_ran(struct told *of)
{
	uint64_t from, to;

	for (uint32_t i = 0; i < store_info(of->st)->parts; i++)
		if (store_part_blocks(of->st, i, &from, &to)) {
			of->blocks = true;
			of->ran |= to > from;
		}
}

static int read_told(void *arg)
{
	struct told *of = arg;

	store_totals(of->st, &of->totals);
	if (!store_info(of->st)->functions)
		read_ran(of);
	return 0;
}

/* Check the totals: lines of a profile that was just indexed. */
static void say_totals(const struct store_totals *is, const char *path, struct store *st)
{
	struct store_event ev;

	if (!is->written || is->agree)
		return;
	store_event(st, is->event, &ev);
	talk("quern: %s: its %s %s %.*s, its lines add up to %s, which is 100 %%", path,
	     is->summary ? "summary: says" : "totals: say", GROUPED_SIGNED(is->sum),
	     STR_ARG(ev.name), GROUPED_SIGNED(store_total(st, is->event)));
}

/* A hint for a profile without any cost. */
static const char *why_empty(const struct told *of)
{
	const struct str creator = store_info(of->st)->creator;

	if (str_starts(creator, STR("xdebug")))
		return "Xdebug writes a function when it returns: was the request killed, "
		       "or is it still running? A .gz that was not closed ends early, too";
	if (creator.n && !str_starts(creator, STR("callgrind")))
		return "Its producer wrote a header and no cost: did the program end, and "
		       "was something measured?";
	if (!of->blocks)
		return "If the command starts other programs (a script, exec): callgrind "
		       "--trace-children=yes";
	return of->ran ? "The program ran while nothing was collected: does "
			 "--toggle-collect name a function that was called, and does "
			 "something turn on what --collect-atstart=no turned off?"
		       : "Nothing was executed under callgrind's eyes: does something turn "
			 "on what --instr-atstart=no turned off? If the command starts "
			 "other programs (a script, exec): callgrind --trace-children=yes";
}

static void say_opened(const struct app *app, const char *path, struct store *st,
		       const struct build_report *report)
{
	char took[NUMBER_MAX], bytes[NUMBER_MAX], files[60] = "";
	struct told told = {.st = st};
	struct err err = {0};
	uint32_t n;

	if (map_guard(read_told, &told, ERR_INDEX, &err))
		told = (struct told){.st = st};

	number_seconds(took, report->took_ns);
	number_bytes(bytes, store_info(st)->input_bytes);
	store_inputs(st, &n);
	if (n > 1 && report->how == BUILD_STALE && report->read < n)
		snprintf(files, sizeof(files), "%s files, %s of them read, ", GROUPED(n),
			 GROUPED(report->read));
	else if (n > 1)
		snprintf(files, sizeof(files), "%s files, ", GROUPED(n));
	if (report->note[0] && report->how != BUILD_FRESH)
		app_note(app, "quern: %s", report->note);
	if (report->why[0] && report->how != BUILD_FRESH)
		app_note(app, "quern: %s", report->why);
	if (report->how == BUILD_AS_IS)
		app_note(app, "quern: %s: an index, not compared with its profile, %s%s",
			 path, files, took);
	else if (report->how == BUILD_READ ||
		 (report->how == BUILD_FRESH && report->took_ns < SOON_NS))
		; /* nothing to say */
	else if (report->how == BUILD_FRESH)
		app_note(app, "quern: %s: %sindex up to date, %s", path, files, took);
	else
		app_note(app, "quern: %s: %sindexed %s in %s", path, files, bytes, took);
	if (store_info(st)->truncated)
		talk("quern: %s: cut off: its end is missing, the costs are of what is there",
		     path);
	if (report->runs[0])
		talk("quern: %s", report->runs);
	if (!store_info(st)->functions)
		talk("quern: %s: no function has any cost. %s", path, why_empty(&told));
	if (report->how == BUILD_FRESH || report->how == BUILD_AS_IS)
		return;
	if (store_info(st)->diagnostics)
		app_note(app,
			 "quern: %s: odd lines, skipped or mended: %s; `info` shows them",
			 path, GROUPED(store_info(st)->diagnostics));
	if (!store_info(st)->truncated)
		say_totals(&told.totals, path, st);
}

/* Tell that the profile is one dump of a run whose other dumps lie beside it. */
static void say_beside(const struct app *app, const char *path, struct store *st)
{
	struct beside b;

	beside_find(path, st, &b);
	if (!b.n)
		return;
	app_note(app, "quern: %s: %s%s more dump%s of this run lie%s beside it%s%.*s%s",
		 path, b.more ? "at least " : "", GROUPED(b.n), b.n == 1 ? "" : "s",
		 b.n == 1 ? "s" : "",
		 b.mixed ? ", among other files of such names: name them as well"
			 : ": quern ",
		 b.mixed ? 0 : (int)b.base.n, b.base.p, b.mixed ? "" : "* reads all");
}

struct noting {
	const struct app *app;
	struct progress *bar;
};

/* Wipe the progress bar first; it is drawn again below the note. */
static void note(void *arg, const char *text)
{
	const struct noting *n = arg;

	progress_end(n->bar);
	app_note(n->app, "quern: %s: %s", n->bar->name, text);
}

static int build(struct app *app, const char *const *path, size_t n, struct store **st,
		 struct build_report *report, struct err *err)
{
	const struct options *o = app->opts;
	struct progress bar;
	struct noting noting = {app, &bar};
	struct build_opts how = {
		.index_path = o->index,
		.rebuild = o->rebuild,
		.no_write = o->no_index_write,
		.small = BUILD_SMALL,
		.no_wait = o->no_wait,
		.merge = o->merge || app->folder,
		.regular = app->folder != NULL,
		.trust = o->trust,
		.only_named = o->safe,
		.jobs = (unsigned)o->jobs,
		.mem = o->mem,
		.cancel = &app_cancel,
		.progress = app->progress ? app->progress
			    : o->quiet	  ? NULL
					  : progress_show,
		.progress_arg = app->progress ? app->progress_arg : &bar,
		.note = note,
		.note_arg = &noting,
	};

	progress_start(&bar, path[0], &app->screen);
	build_open_set(path, n, &how, st, report, err);
	progress_end(&bar);
	return err->kind;
}

/* Ctrl-C while the index was made: it appears whole or not at all. */
static void hint_cancelled(const struct app *app, const char *const *path, size_t n,
			   struct err *err)
{
	char *index = NULL;

	if (n == 1 && !app->opts->index && asprintf(&index, "%s.quern", path[0]) < 0)
		index = NULL;
	if (access(index ? index : app->opts->index ? app->opts->index : "", F_OK) == 0)
		err_hint(err,
			 "the index of before is unchanged; the new one was not kept");
	else
		err_hint(err,
			 "no index was written; the next time it is made from the start");
	free(index);
}

int app_open(struct app *app, const char *name, const char *const *path, size_t n)
{
	const struct build_report fresh = {.how = BUILD_FRESH};
	struct err err = {0};
	struct build_report report = {0};
	struct opened p = {0};

	if (vec_reserve(&app->profiles, &app->profiles_cap, app->nprofiles + 1,
			sizeof(p)))
		err_no_memory(&err, NULL);
	if (!err.kind)
		build(app, path, n, &p.store, &report, &err);
	if (!err.kind) {
		const char *label = store_info(p.store)->profile.p;

		p.path = n == 1 ? strdup(path[0])
				: strndup(label, store_info(p.store)->profile.n);
		p.name = !p.path ? NULL : name ? strdup(name) : unnamed(app, p.path);
		if (!p.name)
			err_no_memory(&err, NULL);
	}
	if (!err.kind)
		store_demangle(p.store, !app->no_demangle);
	if (!err.kind && !add_profile_root(app, p.path, &err))
		session_add(app->session, str_c(p.name), p.store, &err);
	if (!err.kind) {
		app->profiles[app->nprofiles++] = p;
		if (report.how == BUILD_AS_IS)
			session_as_index(app->session);
		/* A lack of memory will be told by the first query. */
		if (!app->opts->no_index_write &&
		    !(app->folder && report.how == BUILD_READ))
			session_keep_inlines(app->session, report.index, app->opts->trust,
					     &err);
		err_clear(&err);
		/* Of a member of a folder, only what is wrong with it. */
		if (!app->folder || app->telling)
			say_opened(app, p.path, p.store, app->folder ? &fresh : &report);
		/* --safe reads nothing that is not named, not even a directory. */
		if (n == 1 && report.how != BUILD_AS_IS && !app->opts->safe &&
		    !app->opts->quiet && !app->folder)
			say_beside(app, p.path, p.store);
		return 0;
	}
	if (err.kind == ERR_CANCEL)
		hint_cancelled(app, path, n, &err);
	app_fail(app, &err, n == 1 ? path[0] : NULL);
	store_close(p.store);
	free(p.name);
	free(p.path);
	return err.kind;
}

/* ---- a folder ---- */

static const char usual_base[] = "base";

/* A member, with its base.  What is wrong with it is said once. */
static int open_member(void *arg, size_t member, struct err *err)
{
	struct app *app = arg;
	struct folder_member *m = &app->folder->at[member];
	const char *base = app->base_name ? app->base_name : usual_base;
	int kind;

	app->telling = !m->told;
	m->told = true;
	/* A member may be called as its base is. */
	kind = app_open(app, strcmp(m->name.p, base) ? m->name.p : m->now.at[0],
			m->now.at, m->now.n);
	if (!kind && m->base.n)
		kind = app_open(app, base, m->base.at, m->base.n);
	return kind ? err_set(err, kind, ERR_NOWHERE, "%s cannot be read", m->name.p) : 0;
}

static void close_member(void *arg)
{
	struct app *app = arg;
	struct err ignored = {0};

	while (app->nprofiles && !app_close(app, NULL, &ignored))
		;
}

/* Nothing that may be a profile is passed over in silence, or a gate would hold without it. */
static void say_folder(const struct app *app, const struct folder *f, const char *of)
{
	enum { SAID = 5 };
	const size_t n = f->n - f->gone;
	const struct {
		size_t n;
		const char *what;
	} left[] = {{f->others, "other file"},
		    {f->again, "duplicate"},
		    {f->unnamed, "unnamed part"}};
	char text[200] = "";

	for (size_t i = 0; i < f->nproblems && i < SAID; i++)
		talk("quern: %s", f->problem[i].p);
	if (f->nproblems > SAID)
		talk("quern: and %s more that cannot be looked at",
		     GROUPED(f->nproblems - SAID));
	for (size_t i = 0, at = 0; i < sizeof(left) / sizeof(*left); i++)
		if (left[i].n)
			at += (size_t)snprintf(
				text + at, sizeof(text) - at, "%s%s %s%s",
				at ? ", " : "; left out: ", GROUPED(left[i].n),
				left[i].what, left[i].n == 1 ? "" : "s");
	app_note(app, "quern: %s%s profile%s%s", of, GROUPED(n), n == 1 ? "" : "s", text);
}

int app_open_folder(struct app *app, struct folder *folder, char *name)
{
	struct session_members of = {.folder = folder,
				     .base = str_c(name ? name : usual_base),
				     .open = open_member,
				     .close = close_member,
				     .arg = app};
	struct err err = {0};

	app->folder = folder;
	app->base_name = name;
	say_folder(app, folder, "");
	if (folder->bases)
		say_folder(app, folder->bases, "base: ");
	if (session_set_members(app->session, &of, &err) ||
	    session_any_open(app->session, &err))
		app_fail(app, &err, NULL);
	return err.kind;
}

int app_none_open(struct err *err)
{
	err_set(err, ERR_QUERY, 0, "no profile is open");
	return err_hint(err, ".open PROFILE");
}

int app_close(struct app *app, const char *name, struct err *err)
{
	size_t i = 0;

	if (!app->nprofiles)
		return app_none_open(err);
	while (i < app->nprofiles && name && strcmp(app->profiles[i].name, name) != 0)
		i++;
	if (i == app->nprofiles) {
		err_set(err, ERR_QUERY, 0, "no profile '%s' is open", name);
		return err_hint(err, ".profiles lists them");
	}
	if (session_remove(app->session, str_c(app->profiles[i].name), err))
		return err->kind;
	store_close(app->profiles[i].store);
	free(app->profiles[i].name);
	free(app->profiles[i].path);
	app->nprofiles--;
	memmove(&app->profiles[i], &app->profiles[i + 1],
		(app->nprofiles - i) * sizeof(app->profiles[0]));
	return 0;
}

/* ---- queries ---- */

/* Has the script said it before, to the same readers?  A report of tests has each case for
 * itself, so have files. */
static bool says_headline_again(struct app *app, const struct result *r)
{
	const uint64_t before = app->headline;
	struct out text;

	if (!r->headline || r->file.n || r->shell.n || !app->nested ||
	    app->format == FORMAT_JUNIT)
		return false;
	out_mem(&text);
	for (size_t i = 0; i < HEADLINE_LINES; i++)
		headline_put(&text, EMIT_TEXT, r, i);
	app->headline = str_hash(out_text(&text));
	out_close(&text);
	return app->headline == before;
}

/* Formats that have no headline have the other events among the notes. */
static bool note_others(struct app *app, struct result *r)
{
	const enum format f = r->format != FORMAT_NONE ? r->format : app->format;
	struct str *notes;

	if (!r->headline || !r->headline->others.n ||
	    (f != FORMAT_CSV && f != FORMAT_TSV && f != FORMAT_JSON &&
	     f != FORMAT_NDJSON))
		return true;
	if (!(notes = ARENA_ARRAY(&app->arena, struct str, r->nnotes + 1)))
		return false;
	notes[0] = r->headline->others;
	for (size_t i = 0; i < r->nnotes; i++)
		notes[i + 1] = r->notes[i];
	r->notes = notes;
	r->nnotes++;
	return true;
}

static int answer(void *arg, const struct result *r, struct err *err)
{
	struct app *app = arg;
	struct result again = *r;

	if (!note_others(app, &again))
		return arena_full(&app->arena, err);
	r = &again;
	if (says_headline_again(app, r)) {
		again.headline = NULL;
		r = &again;
	}
	if (app->format == FORMAT_GITHUB || r->format == FORMAT_GITHUB)
		emit_for_runner();
	for (size_t i = 0; i < r->nnotes; i++)
		if (i + r->nhints < r->nnotes || !app->opts->quiet)
			talk("note: %.*s", STR_ARG(r->notes[i]));
	if (output_result(app, r, err))
		return err->kind;
	app->due -= app->due > 0;
	app->started_ns = progress_now_ns();
	if (r->truncated) {
		/* Most formats cannot contain such a note. */
		err_set(err, ERR_LIMIT, 0,
			"the answer is incomplete: a limit cut the rows it is made from");
		return err_hint(err,
				"ask for less: `depth 5`, `min 1%%`, a smaller `max`");
	}
	gate_members(&app->gate, r);
	app->gate.hold += r->expects && !r->why.n;
	return 0;
}

int app_failed(struct app *app, const struct err *err, struct str text,
	       const struct origin *from)
{
	app->failures++;
	if (!app->gate.on)
		return err->kind;
	gate_error(&app->gate, err, text, from);
	return err->kind == ERR_CANCEL ? ERR_CANCEL : 0;
}

/* Where a person types, the query of a hint stands at the prompt, as one line; but not a name that
 * the editor would take for keys. */
static void offer_hint(struct app *app, struct str text, const struct err *err)
{
	const struct str query = query_hinted(text, err, &app->arena);
	struct out shown;

	if (!app->interactive || app->nested || !query.n ||
	    !(app->offer = strndup(query.p, query.n)))
		return;
	for (char *p = app->offer; (p = strpbrk(p, "\t\r\n"));)
		*p = ' ';
	out_mem(&shown);
	emit_name(&shown, app->screen.utf8 ? EMIT_TEXT : EMIT_ASCII, str_c(app->offer));
	if (!str_eq(out_text(&shown), str_c(app->offer))) {
		free(app->offer);
		app->offer = NULL;
	}
	out_close(&shown);
}

/* Run the statements in bytes at .. end of text. */
static int run_statements(struct app *app, struct str text, size_t at, size_t end,
			  const struct origin *from)
{
	struct str piece = {text.p + at, end - at};
	struct err err = {0};
	char *wrote;

	arena_reset(&app->arena);
	app->started_ns = progress_now_ns();
	session_for_people(app->session, output_for_people(app));
	query_run(app->session, piece, &app->arena, answer, app, &err);
	if ((wrote = linked_finish(&app->linked, &err)))
		app_note(app, "%s", wrote);
	free(wrote);
	if (err.kind) {
		if (err.at != ERR_NOWHERE && (err.at || err.len))
			err.at += at;
		talk_error(&err, text, from, app->screen.columns, app->screen.colour_err);
		offer_hint(app, text, &err);
		output_failure(app, &err, text, piece, from);
		return app_failed(app, &err, text, from);
	}
	return 0;
}

int app_run(struct app *app, struct str text, const struct origin *from)
{
	uint64_t start = progress_now_ns();
	char took[NUMBER_MAX];
	int kind = 0;

	app->paged_ns = 0;
	app->due = 0;
	for (size_t at = 0, end; (end = query_statement(text, at)) > at; at = end)
		app->due++;
	/* Leading blanks stay: errors count columns. */
	while (text.n && strchr(" \t\r\n", text.p[text.n - 1]) && text.p[text.n - 1])
		text.n--;
	if (!text.n)
		return 0;
	if (!app->gate.on)
		kind = run_statements(app, text, 0, text.n, from);
	for (size_t at = 0, end; app->gate.on && at < text.n && !kind; at = end) {
		end = query_statement(text, at);
		if (end <= at)
			break;
		kind = run_statements(app, text, at, end, from);
	}
	number_seconds(took, progress_now_ns() - start - app->paged_ns);
	if (app->timer)
		talk("%s", took);
	return kind;
}
