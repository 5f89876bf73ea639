/*
 * record.c - the command line of `quern record`, its recipes and files; see record.h.
 *
 * callgrind writes BASE.PID, since a child without exec writes a profile of its own:
 * BASE is FILE, or callgrind.out.  When all has ended, BASE.PID becomes FILE, if one is
 * named.  If we are killed, what there is stands in BASE.PID.
 */
#include "repl/record/record.h"

#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "engine/query.h"
#include "index/base/err.h"
#include "index/base/map.h"
#include "index/base/out.h"
#include "index/build.h"
#include "index/store/store.h"
#include "repl/app/app.h"
#include "repl/app/options.h"
#include "repl/record/process.h"
#include "repl/record/stacks.h"
#include "repl/term/emit.h"
#include "repl/term/talk.h"

enum { MEMORY = 1 << 30 };

static const char usage[] =
	"usage: quern record [-o FILE] [WORD]... [OPTION]... -- PROGRAM [ARG]...\n"
	"\n"
	"Run PROGRAM under callgrind, which takes some fifty times as long, and ask its profile:\n"
	"at the prompt, or what -c and -f say.  OPTION is any other of quern.  The exit status is\n"
	"that of PROGRAM, 128 + N if signal N ended it; if it is 0, that of the questions.  If\n"
	"PROGRAM is php, Xdebug writes the profile.\n"
	"\n";

static const struct word {
	const char *name, *value, *help;
	const char *options[3]; /* of valgrind */
} words[] = {
	{"-o", "FILE", "the profile; without it callgrind.out.PID", {NULL}},
	{"--lines",
	 NULL,
	 "lines, instructions and jumps, for source, asm and inlined",
	 {"--dump-instr=yes", "--collect-jumps=yes"}},
	{"--cache",
	 NULL,
	 "cache misses, mispredicted branches; twice as slow",
	 {"--cache-sim=yes", "--branch-sim=yes"}},
	{"--threads",
	 NULL,
	 "each thread apart: `threads`, `thread N | ...`",
	 {"--separate-threads=yes", "--combine-dumps=yes"}},
	{"--stacks",
	 NULL,
	 "run it twice, the second time with the callers that tell most of its\n"
	 "stacks: trees, flame graphs and paths come near the truth",
	 {NULL}},
	{"--size", "NX", "with --stacks: the file may be N times as large (3x)", {NULL}},
	{"--dry-run", NULL, "print the command, run nothing", {NULL}},
};
enum { OUTPUT, LINES, CACHE, THREADS, STACKS, SIZE, DRY, WORDS };

struct recording {
	const char *value[WORDS]; /* "": given, without a value; NULL: not given */
	char **program;
	size_t nprogram;
	struct options options; /* of the questions */
	bool php;
	const char *base; /* callgrind writes BASE.PID */
	double times;
	struct stacks_plan plan;
	struct process ran;
	struct arena *a;
	struct err *err;
};

/* ---- the command line ---- */

static int double_dash(int argc, char **argv)
{
	for (int i = 2; i < argc; i++)
		if (strcmp(argv[i], "--") == 0)
			return i;
	return 0;
}

bool record_asked(int argc, char **argv)
{
	return argc > 1 && strcmp(argv[1], "record") == 0 &&
	       (double_dash(argc, argv) || access(argv[1], F_OK) < 0);
}

static void help(void)
{
	struct out o;

	out_fd(&o, STDOUT_FILENO);
	out_c(&o, usage);
	for (const struct word *w = words; w < words + WORDS; w++) {
		const char *value = w->value ? w->value : "";

		out_printf(&o, "  %s %s", w->name, value);
		out_fill(&o, ' ', 14 - strlen(w->name) - strlen(value));
		for (const char *p = w->help; *p; p++) {
			out_char(&o, *p);
			if (*p == '\n')
				out_fill(&o, ' ', 17);
		}
		out_char(&o, '\n');
	}
	out_close(&o);
}

/* Take argv[*i] and its value if it is an option of `quern record`; 0 if it is not. */
static int take_word(struct recording *w, char **argv, int *i, int end)
{
	for (int k = 0; k < WORDS; k++) {
		const size_t n = strlen(words[k].name);
		const bool joined = words[k].value && (k == OUTPUT || argv[*i][n] == '=');

		if (strncmp(argv[*i], words[k].name, n) != 0 || (argv[*i][n] && !joined))
			continue;
		if (!words[k].value)
			w->value[k] = "";
		else if (argv[*i][n])
			w->value[k] = argv[*i] + n + (k != OUTPUT);
		else if (++*i < end)
			w->value[k] = argv[*i];
		else
			err_set(w->err, ERR_USAGE, 0, "%s needs a value", words[k].name);
		return 1;
	}
	return 0;
}

static int check_words(struct recording *w)
{
	const struct options *o = &w->options;
	const char *size = w->value[SIZE] ? w->value[SIZE] : "3x";
	char *end;

	w->times = strtod(size, &end);
	if (o->safe || o->mcp)
		return err_set(w->err, ERR_USAGE, 0,
			       "record runs a program: not under %s",
			       o->safe ? "--safe" : "--mcp");
	if ((strcmp(end, "x") != 0 && *end) || !(w->times >= 1 && w->times <= 1000))
		return err_set(w->err, ERR_USAGE, 0, "--size takes 1x to 1000x, not '%s'",
			       size);
	if (w->value[SIZE] && !w->value[STACKS])
		return err_set(w->err, ERR_USAGE, 0, "--size is for --stacks");
	return 0;
}

/* Text that lives as long as the record; NULL if memory is out. */
#define text(a, ...) ((char *)(uintptr_t)arena_printf((a), __VA_ARGS__).p)

/* ---- files ---- */

/* Is FILE new, empty, or a profile?  Nothing else is replaced. */
static int check_output(struct recording *w)
{
	char head[4096] = "";
	struct stat st;
	int fd = -1;

	if (lstat(w->base, &st) < 0) {
		if (errno != ENOENT)
			err_set(w->err, ERR_OUTPUT, 0, "%s: %s", w->base,
				strerror(errno));
		return w->err->kind;
	}
	if (!S_ISREG(st.st_mode))
		err_set(w->err, ERR_OUTPUT, 0, "%s: not a regular file", w->base);
	else if ((fd = open(w->base, O_RDONLY | O_NOFOLLOW | O_CLOEXEC)) < 0 ||
		 read(fd, head, sizeof(head) - 1) < 0)
		err_set(w->err, ERR_OUTPUT, 0, "%s: %s", w->base, strerror(errno));
	else if (st.st_size && !strstr(head, "events:"))
		err_set(w->err, ERR_OUTPUT, 0,
			"%s: there is a file that is no profile; it is not replaced",
			w->base);
	if (fd >= 0)
		close(fd);
	return w->err->kind;
}

static bool is_php(const char *program)
{
	const struct str name = str_after_slash(str_c(program));

	return str_starts(name, STR("php")) &&
	       !name.p[3 + strspn(name.p + 3, "0123456789.")];
}

/* ---- recipes ---- */

struct recipe {
	char **argv, *env[3];
	size_t n;
};

/* A file name in a pattern of valgrind or Xdebug, where %p is the process. */
static const char *pattern(struct arena *a, const char *path)
{
	size_t n = 0;
	char *out = ARENA_ARRAY(a, char, 2 * strlen(path) + 4);

	if (!out)
		return "";
	for (; *path; path++) {
		if (*path == '%')
			out[n++] = '%';
		out[n++] = *path;
	}
	memcpy(out + n, ".%p", 4);
	return out;
}

static void add(struct recipe *r, const char *arg)
{
	r->argv[r->n++] = (char *)(uintptr_t)arg;
}

static void add_callgrind(struct recording *w, struct recipe *r)
{
	add(r, "valgrind");
	add(r, "--tool=callgrind");
	add(r, "-q");
	for (const struct word *k = words; k < words + WORDS; k++)
		for (size_t i = 0; w->value[k - words] && k->options[i]; i++)
			add(r, k->options[i]);
	if (w->plan.callers)
		add(r, text(w->a, "--separate-callers=%u", w->plan.callers));
	for (size_t i = 0; i < w->plan.n; i++)
		add(r, text(w->a, "--separate-callers%d=%s", STACKS_CALLERS,
			    w->plan.apart[i].p));
	add(r, text(w->a, "--callgrind-out-file=%s", pattern(w->a, w->base)));
	add(r, "--");
}

/* Xdebug's options by the environment, which has blanks between them. */
static int add_xdebug(struct recording *w, struct recipe *r)
{
	const struct str name = str_after_slash(str_c(w->base));
	const int n = (int)(strlen(w->base) - name.n);

	r->env[0] = text(w->a, "XDEBUG_MODE=profile");
	r->env[1] = text(w->a,
			 "XDEBUG_CONFIG=start_with_request=yes output_dir=%.*s "
			 "profiler_output_name=%s use_compression=0",
			 n ? n : 1, n ? w->base : ".", pattern(w->a, name.p));
	return strpbrk(w->base, " \t\n")
		       ? err_set(w->err, ERR_OUTPUT, 0,
				 "%s: Xdebug takes no path with blanks", w->base)
		       : 0;
}

static int recipe_of(struct recording *w, struct recipe *r)
{
	*r = (struct recipe){
		.argv = ARENA_ARRAY(w->a, char *, w->plan.n + w->nprogram + 20)};
	if (!r->argv)
		return arena_full(w->a, w->err);
	if (!w->php)
		add_callgrind(w, r);
	else if (add_xdebug(w, r))
		return w->err->kind;
	for (size_t i = 0; i < w->nprogram; i++)
		add(r, w->program[i]);
	r->argv[r->n] = NULL;
	return w->a->refused ? arena_full(w->a, w->err) : 0;
}

/* As a shell takes it, in printable ASCII. */
static void put_quoted(struct out *o, struct str s)
{
	static const char plain[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
				    "0123456789_-+=:,./@%^";
	struct out q;

	out_mem(&q);
	for (size_t i = 0; i < s.n; i++)
		if (s.p[i] < ' ' || s.p[i] > '~')
			out_printf(&q, "\\x%02x", (unsigned char)s.p[i]);
		else
			out_printf(&q, strchr("'\\", s.p[i]) ? "\\%c" : "%c", s.p[i]);
	if (s.n && strspn(s.p, plain) >= s.n) {
		emit_name(o, EMIT_TEXT, out_text(&q));
	} else {
		out_c(o, q.n > s.n ? "$'" : "'");
		emit_name(o, EMIT_TEXT, out_text(&q));
		out_char(o, '\'');
	}
	out_close(&q);
}

static void put_recipe(int fd, const struct recipe *r)
{
	struct out o;

	out_fd(&o, fd);
	for (char *const *e = r->env; *e; e++) {
		const size_t n = strcspn(*e, "=") + 1;

		out_str(&o, (struct str){*e, n});
		put_quoted(&o, str_from(str_c(*e), n));
		out_char(&o, ' ');
	}
	for (size_t i = 0; i < r->n; i++) {
		if (i)
			out_char(&o, ' ');
		put_quoted(&o, str_c(r->argv[i]));
	}
	out_char(&o, '\n');
	out_close(&o);
}

/* ---- running ---- */

static void say_end(const struct recording *w)
{
	if (w->ran.signal)
		talk("quern: %s: ended by signal %d (%s)", w->program[0], w->ran.signal,
		     strsignal(w->ran.signal));
	else if (w->ran.status)
		talk("quern: %s: exit status %d", w->program[0], w->ran.status);
}

/* Its file; NULL: there is none, or it is empty.  Xdebug may pack it, whatever it was told. */
static const char *written(struct recording *w)
{
	static const char *const ends[] = {"", ".gz"};
	struct stat st;

	for (int i = 0; i < (w->php ? 2 : 1); i++) {
		const char *path =
			text(w->a, "%s.%ld%s", w->base, (long)w->ran.pid, ends[i]);

		if (path && stat(path, &st) == 0 && st.st_size > 0)
			return path;
		if (path)
			unlink(path);
	}
	return NULL;
}

/* Returns where the profile of this run is; NULL: there is none, as of a dry run. */
static const char *run_once(struct recording *w)
{
	struct recipe r;
	const char *path;

	if (recipe_of(w, &r))
		return NULL;
	if (w->value[DRY] || !w->options.quiet)
		put_recipe(w->value[DRY] ? STDOUT_FILENO : STDERR_FILENO, &r);
	if (w->value[DRY])
		return NULL;
	if (process_run(r.argv, r.env, w->base, &w->ran, w->err)) {
		if (!w->php && w->err->kind == ERR_USAGE)
			err_hint(w->err, "install it: apt install valgrind");
		return NULL;
	}
	say_end(w);
	if ((path = written(w)))
		return path;
	err_set(w->err, ERR_PROFILE, 0, "%s: %s wrote no profile", w->program[0],
		w->php ? "Xdebug" : "callgrind");
	err_hint(
		w->err,
		w->php ? "`php -m` lists Xdebug if it is loaded"
		       : "was it killed, is the disk full, or did it run another program in "
			 "its place (exec)?  Then record that one");
	return NULL;
}

/* The plan for the second run, and what that is compared with, from the first profile. */
static int plan_from(struct recording *w, const char *plain, struct record *r)
{
	const struct build_opts opts = {.no_write = true, .cancel = &app_cancel};
	struct build_report report;
	struct store *st;

	if (build_open(plain, &opts, &st, &report, w->err))
		return w->err->kind;
	r->plain_bytes = store_info(st)->input_bytes;
	r->plain_total = store_total(st, 0);
	if (!stacks_proven(st, w->a, &r->plain_proven, w->err))
		stacks_plan(st, w->times, w->a, &w->plan, w->err);
	store_close(st);
	return w->err->kind;
}

/* Run it again, with stacks.  Where that fails the plain profile is left. */
static const char *run_again(struct recording *w, struct record *r, const char *plain)
{
	const struct process first = w->ran;
	const char *path;

	if (first.signal)
		return plain;
	if (plan_from(w, plain, r))
		return NULL;
	path = run_once(w);
	if (path && w->ran.status != first.status)
		talk("quern: it ended otherwise when it ran again: %d, then %d",
		     first.status, w->ran.status);
	w->ran = first;
	r->stacks = path != NULL;
	if (path)
		unlink(plain);
	return path ? path : plain;
}

/* Run it as often as is asked for.  Returns where the profile is; NULL: nowhere. */
static const char *record(struct recording *w, struct record *r)
{
	const off_t input = lseek(STDIN_FILENO, 0, SEEK_CUR);
	const char *path = run_once(w);

	if (path && w->value[STACKS] && !w->php) {
		if (input >= 0)
			lseek(STDIN_FILENO, input, SEEK_SET);
		path = run_again(w, r, path);
	}
	if (!path || !w->value[OUTPUT])
		return path;
	if (rename(path, w->base) == 0)
		return w->base;
	err_set(w->err, ERR_OUTPUT, 0, "%s: %s; the profile is %s", w->base,
		strerror(errno), path);
	return NULL;
}

static int read_words(struct recording *w, struct record *r, int argc, char **argv)
{
	const int dash = double_dash(argc, argv), end = dash ? dash : argc;

	r->argv = ARENA_ARRAY(w->a, char *, (size_t)argc + 2);
	if (!r->argv)
		return arena_full(w->a, w->err);
	r->argv[r->argc++] = argv[0];
	r->argv[r->argc++] = (char *)(uintptr_t) "./callgrind.out";
	for (int i = 2; i < end && !w->err->kind; i++)
		if (!take_word(w, argv, &i, end))
			r->argv[r->argc++] = argv[i];
	if (options_read(&w->options, r->argc, r->argv, w->err) || w->options.help ||
	    check_words(w))
		return w->err->kind;
	w->program = argv + end + 1;
	w->nprogram = dash ? (size_t)(argc - end - 1) : 0;
	if (!w->nprogram) {
		err_set(w->err, ERR_USAGE, 0, "record needs a program after --");
		err_hint(w->err, "quern record --stacks -- ./prog --its-options");
	}
	return w->err->kind;
}

/* What records it, and the file. */
static int prepare(struct recording *w)
{
	const char *name = w->value[OUTPUT];

	w->php = is_php(w->program[0]);
	if (w->php && (w->value[CACHE] || w->value[THREADS]))
		return err_set(w->err, ERR_USAGE, 0, "%s is not for PHP",
			       words[w->value[CACHE] ? CACHE : THREADS].name);
	if (!name)
		w->base = w->php ? "cachegrind.out" : "callgrind.out";
	/* Neither an option nor NAME=PROFILE. */
	else if ((w->base = text(w->a, "%s%s", *name == '/' ? "" : "./", name)))
		check_output(w);
	return w->err->kind;
}

bool record_run(struct record *r, int argc, char **argv)
{
	struct err err = {0};
	struct recording w = {.a = &r->arena, .err = &err};
	const char *path = NULL;

	arena_init(&r->arena, MEMORY);
	if (!read_words(&w, r, argc, argv) && w.options.help)
		help();
	else if (!err.kind && !prepare(&w))
		path = record(&w, r);
	if (path)
		r->argv[1] = (char *)(uintptr_t)path;
	if (err.kind)
		talk_failure(&err, NULL, false);
	r->status = w.ran.status ? w.ran.status : err_exit_status(err.kind);
	options_free(&w.options);
	return path != NULL;
}

/* ---- afterwards ---- */

/* Does the profile have calls that start a process?  Names may have a version. */
static bool starts_others(struct store *st)
{
	static const char *const names[] = {"fork", "vfork", "posix_spawn",
					    "posix_spawnp"};

	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		const name_id n = store_name_lower(st, str_c(names[i]));
		struct str is = STR("");

		if (n < store_info(st)->names)
			is = store_name(st, n);
		is.n = str_find(is, '@');
		if (str_eq(is, str_c(names[i])))
			return true;
	}
	return false;
}

static void say_stacks(const struct app *app, const struct record *r, struct store *st)
{
	const double size = (double)store_info(st)->input_bytes;
	struct err err = {0};
	struct arena a;
	double proven;

	arena_init(&a, MEMORY);
	if (!stacks_proven(st, &a, &proven, &err))
		app_note(
			app,
			"quern: %.1f times the plain profile; %.1f %% of the cost is on proven "
			"stacks, plainly %.1f %%",
			size / (double)r->plain_bytes, floor(1000 * proven) / 10,
			floor(1000 * r->plain_proven) / 10);
	arena_free(&a);
	if (store_total(st, 0) != r->plain_total)
		app_note(app,
			 "quern: the two runs differ: %s and %s %.*s; the profile is the "
			 "second.  Was its input read by the first?",
			 GROUPED_SIGNED(r->plain_total),
			 GROUPED_SIGNED(store_total(st, 0)),
			 STR_ARG(session_event(app->session)));
}

static int say(void *arg)
{
	const struct app *app = arg;
	struct store *st = app->profiles[0].store;

	if (starts_others(st))
		app_note(
			app,
			"quern: %s: it started other processes, which are not in it; one "
			"that runs no other program has its own profile, by its number",
			app->profiles[0].path);
	if (app->record->stacks)
		say_stacks(app, app->record, st);
	return 0;
}

void record_say(struct app *app)
{
	map_guard(say, app, ERR_INDEX, &(struct err){0});
}

void record_free(struct record *r)
{
	arena_free(&r->arena);
}
