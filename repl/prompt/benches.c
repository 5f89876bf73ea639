/*
 * benches.c - find the benchmarks of a folder, and ask each of them; see benches.h.
 *
 * The files of a folder come from fts(3) in the order of their names.  Each tells by its
 * name which benchmark it belongs to, and on which side; all others are passed over.  Links
 * are followed: a folder may be a link to a cache.  What may be a profile and cannot be
 * looked at is an error, or a gate would hold without it.
 */
#include "repl/prompt/benches.h"

#include <errno.h>
#include <fts.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "engine/lang/token.h"
#include "index/base/err.h"
#include "index/base/vec.h"
#include "index/read/input.h"
#include "repl/app/output.h"
#include "repl/prompt/library.h"
#include "repl/prompt/script.h"

enum side { NOW, OLD, BASE, SIDES }; /* .out, .out.old, .out.base@NAME */

struct bench {
	char *name; /* below the folder; empty: the folder itself */
	struct paths of[SIDES];
	bool empty; /* its profile is */
};

struct benches {
	const char *folder;
	bool is_base;	     /* an index may stand for a profile */
	char root[PATH_MAX]; /* the same, resolved */
	struct bench *at;
	size_t n, cap;
};

bool benches_asked(const struct options *o)
{
	return o->nprofiles > 0 && app_is_folder(o->profiles[0]);
}

/* ---- which files ---- */

/* Cut ".zst" and the like off. */
static void cut_packed(struct str *name)
{
	static const struct str packed[] = {STR(".zst"), STR(".gz"), STR(".xz"),
					    STR(".bz2"), STR(".lz4")};

	for (size_t i = 0; i < sizeof(packed) / sizeof(packed[0]); i++)
		if (str_ends(*name, packed[i])) {
			name->n -= packed[i].n;
			return;
		}
}

/* Cut the side off the name of a file; false: it is no profile's. */
static bool cut_side(struct str *name, enum side *side)
{
	const struct str out = STR(".out"), old = STR(".out.old"),
			 base = STR(".out.base@");
	size_t at;

	cut_packed(name);
	at = str_find_str(*name, base);
	*side = str_ends(*name, old) ? OLD : at < name->n ? BASE : NOW;
	if (*side == NOW && !str_ends(*name, out))
		return false;
	name->n = *side == BASE ? at : name->n - (*side == OLD ? old.n : out.n);
	return name->n > 0;
}

static bool is_number(struct str s)
{
	uint64_t v;

	return s.n && s.p[0] >= '0' && s.p[0] <= '9' && str_u64(s, &v);
}

/* Is it callgrind.FOLDER, or callgrind.FOLDER.PID.t1.p2? */
static bool is_of_folder(struct str name, struct str folder)
{
	const struct str tool = STR("callgrind.");

	if (!str_starts(name, tool))
		return false;
	name = str_from(name, tool.n);
	return str_starts(name, folder) &&
	       (name.n == folder.n || name.p[folder.n] == '.');
}

static struct bench *bench_of(struct benches *b, struct str name, struct err *err)
{
	for (size_t i = b->n; i > 0; i--)
		if (str_eq(str_c(b->at[i - 1].name), name))
			return &b->at[i - 1];
	if (vec_reserve(&b->at, &b->cap, b->n + 1, sizeof(*b->at)) ||
	    !(b->at[b->n].name = strndup(name.p, name.n))) {
		err_no_memory(err, NULL);
		return NULL;
	}
	return &b->at[b->n++];
}

/* A profile comes before its index: an index is taken only if nothing is there, and only for a
 * base.  What stands for this run could be of the run before. */
static int add_file(struct benches *b, struct str bench, enum side side, bool index,
		    const char *path, struct err *err)
{
	struct bench *of = bench_of(b, bench, err);
	struct paths *f = of ? &of->of[side] : NULL;

	if (!f || (index && (f->n || (side == NOW && !b->is_base))))
		return err->kind;
	return app_add_path(f, path, err);
}

/* Cut ".quern" off the name of an index. */
static bool cut_index(struct str *name)
{
	const struct str set = STR(".set.quern"), one = STR(".quern");
	const bool is = str_ends(*name, one);

	if (is)
		name->n -= str_ends(*name, set) ? set.n : one.n;
	return is;
}

static int add_empty(struct benches *b, struct str bench, enum side side, struct err *err)
{
	struct bench *of = bench_of(b, bench, err);

	if (of)
		of->empty |= side == NOW;
	return err->kind;
}

/* Take the regular file of e if it is a profile, or an index of one that is not there.
 * Empty profiles named by their process are of those that ended before they were counted; any
 * other is of a benchmark that failed. */
static int take(struct benches *b, const FTSENT *e, struct err *err)
{
	struct str name = str_c(e->fts_name), path = str_c(e->fts_path), dir, rest;
	const bool index = cut_index(&name), empty = e->fts_statp->st_size == 0;
	enum side side;

	if (!cut_side(&name, &side) || (empty && (index || is_number(name))))
		return 0;
	dir = (struct str){path.p, path.n - str_c(e->fts_name).n - 1};
	rest = str_from(dir, strlen(b->folder));
	while (rest.n && rest.p[0] == '/')
		rest = str_from(rest, 1);
	if (!is_number(name) &&
	    !is_of_folder(name, str_basename(rest.n ? rest : str_c(b->root)))) {
		if (side == NOW && !index && str_starts(name, STR("callgrind.")))
			talk("quern: %s: of no benchmark, its folder has another name; "
			     "not asked",
			     e->fts_path);
		return 0;
	}
	return empty ? add_empty(b, rest, side, err)
		     : add_file(b, rest, side, index, e->fts_path, err);
}

/* Why e cannot be looked at; NULL: it can, or need not.  A link that leads nowhere may have been a
 * folder of benchmarks; that of an editor, .#NAME, was none. */
static const char *why_not(const FTSENT *e)
{
	struct str name = str_c(e->fts_name);
	enum side side;

	switch (e->fts_info) {
	case FTS_DNR:
	case FTS_ERR:
	case FTS_NS: return strerror(e->fts_errno);
	case FTS_SLNONE:
		return str_starts(name, STR(".#")) ? NULL : "a link that leads nowhere";
	case FTS_DEFAULT: return cut_side(&name, &side) ? "no regular file" : NULL;
	default: return NULL;
	}
}

static int by_file_name(const FTSENT **a, const FTSENT **b)
{
	return strcmp((*a)->fts_name, (*b)->fts_name);
}

static int find(struct benches *b, const char *folder, struct err *err)
{
	char *const paths[] = {(char *)(uintptr_t)folder, NULL};
	FTS *tree;
	FTSENT *e;
	int rc = 0;

	b->folder = folder;
	if (!realpath(folder, b->root) ||
	    !(tree = fts_open(paths, FTS_LOGICAL | FTS_NOCHDIR, by_file_name)))
		return err_set(err, ERR_PROFILE, 0, "%s: %s", folder, strerror(errno));
	while (!rc && (errno = 0, e = fts_read(tree))) {
		const char *why = why_not(e);

		if (why)
			rc = err_set(err, ERR_PROFILE, 0, "%s: %s", e->fts_path, why);
		else if (atomic_load(&app_cancel))
			rc = err_set(err, ERR_CANCEL, 0, "interrupted");
		else if (e->fts_info == FTS_F)
			rc = take(b, e, err);
	}
	if (!rc && errno)
		rc = err_set(err, ERR_PROFILE, 0, "%s: %s", folder, strerror(errno));
	fts_close(tree);
	if (!rc && !b->n) {
		err_set(err, ERR_PROFILE, 0,
			"%s: a directory without profiles of gungraun or CodSpeed",
			folder);
		err_hint(err,
			 "they are callgrind.BENCH.out in a folder BENCH, or PID.out; "
			 "name other profiles one by one");
	}
	return err->kind;
}

static void benches_free(struct benches *b)
{
	for (size_t i = 0; i < b->n; i++) {
		for (int side = 0; side < SIDES; side++)
			inputs_free(b->at[i].of[side].at, b->at[i].of[side].n);
		free(b->at[i].name);
	}
	free(b->at);
}

/* ---- which belong together ---- */

/* The files of before: of the run before, else of a baseline. */
static const struct paths *before(const struct bench *b)
{
	return b->of[OLD].n ? &b->of[OLD] : &b->of[BASE];
}

struct asked {
	struct benches now, base;
	bool two;	  /* the base is a folder of its own */
	const char *name; /* of the base, for `vs` */
	char *base_name;  /* malloc'd */
};

/* The base of a benchmark; n is 0 if there is none. */
static const struct paths *base_of(const struct asked *a, const struct bench *b)
{
	static const struct paths none;

	if (!a->two)
		return before(b);
	/* Folders of one benchmark each need not have one name. */
	if (a->now.n == 1 && a->base.n == 1)
		return &a->base.at[0].of[NOW];
	for (size_t i = 0; i < a->base.n; i++)
		if (strcmp(a->base.at[i].name, b->name) == 0)
			return &a->base.at[i].of[NOW];
	return &none;
}

static const char *shown_name(const struct asked *a, const struct bench *b)
{
	return b->name[0] ? b->name : str_basename(str_c(a->now.root)).p;
}

/* Read the arguments: FOLDER, or FOLDER and NAME=FOLDER. */
static int read_arguments(struct app *app, struct asked *a, struct err *err)
{
	const struct options *o = app->opts;
	const char *second = o->nprofiles > 1 ? o->profiles[1] : NULL;
	size_t at = second ? app_split_name(second) : 0;

	a->name = "base";
	if (o->nprofiles > 2 || (second && (!at || !app_is_folder(second + at)))) {
		err_set(err, ERR_USAGE, 0,
			"beside a folder of benchmarks only NAME=FOLDER can be open");
		return err_hint(err, "quern FOLDER base=FOLDER -c 'functions vs base'");
	}
	if (o->index)
		return err_set(
			err, ERR_USAGE, 0,
			"--index names one index, but a folder of benchmarks is given");
	if (find(&a->now, o->profiles[0], err))
		return err->kind;
	if (!second)
		return 0;
	a->two = true;
	a->base.is_base = true;
	a->name = a->base_name = strndup(second, at - 1);
	if (!a->name)
		return err_no_memory(err, NULL);
	return find(&a->base, second + at, err);
}

/* ---- asking ---- */

static int open_files(struct app *app, const char *name, const struct paths *f)
{
	return app_open(app, name, (const char *const *)f->at, f->n);
}

static void close_all(struct app *app)
{
	struct err ignored = {0};

	while (app->nprofiles)
		if (app_close(app, NULL, &ignored))
			break;
}

static void worse(int *worst, int kind)
{
	if (gate_worse(kind, *worst))
		*worst = kind;
}

static int run_tasks(struct app *app, struct str script)
{
	struct err err = {0};

	if (app->opts->event &&
	    (session_share_costs(app->session, &err) || /* lets of the init file */
	     session_set_event(app->session, str_c(app->opts->event), &err))) {
		app_fail(app, &err, "--event");
		return err.kind;
	}
	return app->opts->ntasks
		       ? script_tasks(app)
		       : script_run(app, script,
				    (struct origin){.file = "stdin", .line = 1});
}

static void name_bench(struct app *app, const char *name)
{
	app->bench = app->report.bench = app->filed.bench = name;
}

/* Ask one benchmark.  Its profile is a profile of its own, not one with the name of a
 * file. */
static int ask(struct app *app, const struct asked *a, const struct bench *b,
	       struct str script)
{
	const struct paths *base = base_of(a, b);
	const char *name = shown_name(a, b);
	int kind;

	talk("quern: benchmark %s", name);
	name_bench(app, name);
	kind = open_files(app, name, &b->of[NOW]);
	if (!kind && base->n)
		kind = open_files(app, a->name, base);
	if (!kind)
		kind = run_tasks(app, script);
	close_all(app);
	name_bench(app, NULL);
	return kind;
}

static bool says_vs(struct str text)
{
	struct token t;

	for (size_t at = 0;; at = t.at + (t.len ? t.len : 1)) {
		t = token_at(text, at, PLACE_WORD);
		if (t.kind == TOK_END || token_is(&t, "vs"))
			return t.kind != TOK_END;
	}
}

/* A script that cannot be read is an error later. */
static bool file_compares(struct app *app, const char *path)
{
	struct str script = {NULL, 0};
	struct err ignored = {0};
	const bool vs =
		library_text(app, path, NULL, &script, &ignored) == 0 && says_vs(script);

	free((void *)(uintptr_t)script.p);
	return vs;
}

/* Does the text of -c compare, or the query that it runs? */
static bool command_compares(struct app *app, struct str text)
{
	const struct str run = STR(".run "), all = str_trim(text),
			 name = str_trim(str_from(all, run.n));
	char *word = str_starts(all, run) ? strndup(name.p, str_find(name, ' ')) : NULL;
	const bool vs = says_vs(text) || (word && file_compares(app, word));

	free(word);
	return vs;
}

/* Does any query compare?  Standard input can be read only once. */
static bool tasks_compare(struct app *app, struct str script)
{
	const struct options *o = app->opts;
	bool vs = says_vs(script);

	for (size_t i = 0; i < o->ntasks && !vs; i++)
		vs = !o->tasks[i].file ? command_compares(app, str_c(o->tasks[i].text))
				       : strcmp(o->tasks[i].text, "-") != 0 &&
						 file_compares(app, o->tasks[i].text);
	return vs;
}

/* An error about a benchmark that cannot be asked. */
static int no_profile(struct app *app, const char *name, const char *why, bool gone)
{
	const struct origin at = {.file = name, .line = 1};
	struct err err = {0};

	err_set(&err, ERR_PROFILE, 0, "benchmark %s: %s", name, why);
	if (gone)
		err_hint(&err, "--accept gone: if it was removed on purpose");
	app_fail(app, &err, NULL);
	output_failure(app, &err, STR(""), str_c(name), &at);
	return app_failed(app, &err, STR(""), &at);
}

static int only_in_base(struct app *app, const char *name, bool compares)
{
	if (compares && !session_accepts(app->session, "gone"))
		return no_profile(app, name, "only in the base, this run left no profile",
				  true);
	talk("quern: benchmark %s: only in the base, not asked", name);
	return 0;
}

/* Where some have both sides, what lacks one cannot be compared.  Tell of it; *kind: it is an
 * error. */
static bool is_left_out(struct app *app, const struct asked *a, const struct bench *b,
			bool compares, int *kind)
{
	const bool now = b->of[NOW].n, base = base_of(a, b)->n;

	*kind = 0;
	if (b->empty)
		*kind = no_profile(app, shown_name(a, b), "its profile is empty", false);
	else if (!now && !base)
		*kind = no_profile(app, shown_name(a, b),
				   "an index, but no profile is there", false);
	else if (!now)
		*kind = only_in_base(app, shown_name(a, b), compares);
	else if (compares && !base)
		talk("quern: benchmark %s: new, no base to compare with; not asked",
		     shown_name(a, b));
	return b->empty || !now || (compares && !base);
}

static int say_gone(struct app *app, const struct asked *a, bool compares)
{
	int worst = 0;

	for (size_t i = 0; i < a->base.n && a->now.n + a->base.n > 2; i++) {
		bool found = false;

		for (size_t k = 0; k < a->now.n && !found; k++)
			found = strcmp(a->now.at[k].name, a->base.at[i].name) == 0;
		if (!found)
			worse(&worst, only_in_base(app, a->base.at[i].name, compares));
	}
	return worst;
}

static int no_base(const struct app *app, const struct asked *a)
{
	struct err err = {0};

	err_set(&err, ERR_QUERY, 0, "%s: no benchmark has a base to compare with",
		a->now.folder);
	err_hint(&err, "gungraun keeps the run before as .out.old; or name a folder: "
		       "base=FOLDER");
	app_fail(app, &err, NULL);
	return err.kind;
}

static int none_asked(struct app *app, const struct asked *a)
{
	struct err err = {0};

	err_set(&err, ERR_QUERY, 0, "%s: no benchmark was asked", a->now.folder);
	err_hint(&err, "--accept empty: if that is right");
	app_fail(app, &err, NULL);
	return err.kind;
}

static int ask_all(struct app *app, const struct asked *a, struct str script)
{
	const bool compares = tasks_compare(app, script);
	bool any = false, asked = false;
	int worst = 0, kind;

	for (size_t i = 0; i < a->now.n; i++)
		any |= base_of(a, &a->now.at[i])->n > 0;
	if (compares && !any)
		return no_base(app, a);
	for (size_t i = 0; i < a->now.n && !app->quit && !atomic_load(&app_cancel); i++) {
		if (!is_left_out(app, a, &a->now.at[i], compares, &kind)) {
			asked = true;
			kind = ask(app, a, &a->now.at[i], script);
		}
		worse(&worst, kind);
	}
	if (!app->quit)
		worse(&worst, say_gone(app, a, compares));
	if (!asked && !worst && !app->gate.worst &&
	    !session_accepts(app->session, "empty"))
		worst = none_asked(app, a);
	return atomic_load(&app_cancel) ? ERR_CANCEL : worst;
}

/* At the prompt: one benchmark with its base, or all of them by name. */
static int open_all(struct app *app, const struct asked *a)
{
	const bool one = a->now.n == 1;
	int kind = 0;

	for (size_t i = 0; !kind && i < a->now.n; i++) {
		const struct bench *b = &a->now.at[i];
		const struct paths *base = base_of(a, b);
		char *old = NULL;

		if (asprintf(&old, "%s.old", shown_name(a, b)) < 0)
			return ERR_LIMIT;
		if (b->of[NOW].n)
			kind = open_files(app, shown_name(a, b), &b->of[NOW]);
		if (!kind && base->n)
			kind = open_files(app, one ? a->name : old, base);
		free(old);
	}
	return kind;
}

int benches_run(struct app *app, int (*prompt)(struct app *app))
{
	const bool at_prompt = !app->opts->ntasks && app->screen.in;
	struct str script = {NULL, 0};
	struct asked a = {.two = false};
	struct err err = {0};
	int kind = read_arguments(app, &a, &err);

	/* Processes of one run may be of several programs. */
	app->merge = true;
	if (!kind && !at_prompt && !app->opts->ntasks)
		kind = app_read_file("-", &script, &err);
	if (kind)
		app_fail(app, &err, NULL);
	else if (!at_prompt)
		kind = ask_all(app, &a, script);
	else if ((kind = open_all(app, &a)) == 0)
		kind = prompt(app);
	free((void *)(uintptr_t)script.p);
	free(a.base_name);
	benches_free(&a.now);
	benches_free(&a.base);
	return kind;
}
