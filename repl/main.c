/*
 * main.c - quern: ask questions of Callgrind-format profiles.
 *
 * Each folder has a README.md with a map of its rooms.  An include may only point from
 * left to right and, within a folder, from an upper room to a lower one
 * (tests/check-layers):
 *
 *	repl/   -->	engine/  -->	index/  -->	index/base/
 *	a user's	a query to	a profile	strings, errors,
 *	line to		rows		to an index	memory, threads
 *	an answer
 */
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "index/base/err.h"
#include "index/base/out.h"
#include "index/build.h"
#include "index/verify.h"
#include "repl/app/app.h"
#include "repl/app/guide.h"
#include "repl/app/hold.h"
#include "repl/bench_parse.h"
#include "repl/mcp/mcp.h"
#include "repl/record/record.h"
#include "repl/term/emit.h"
#include "repl/term/number.h"
#include "repl/prompt/opening.h"
#include "repl/app/options.h"
#include "repl/app/output.h"
#include "repl/app/version.h"
#include "repl/prompt/script.h"
#include "repl/prompt/sets.h"
#include "repl/prompt/shell.h"

/* Ctrl-C sets app_cancel, which all work polls.  If the first one is still unnoticed
 * at the second, the program ends at once, unless there is a prompt to return to. */
static volatile sig_atomic_t at_prompt;

static void on_interrupt(int sig)
{
	(void)sig;
	if (atomic_exchange(&app_cancel, 1) && !at_prompt)
		_exit(130);
}

static void catch_signals(void)
{
	struct sigaction interrupt = {.sa_handler = on_interrupt};
	struct sigaction ignore = {.sa_handler = SIG_IGN}, before;
	struct sigaction usual = {.sa_handler = SIG_DFL};

	/* With nohup or in the background SIGINT stays ignored. */
	if (sigaction(SIGINT, NULL, &before) == 0 && before.sa_handler != SIG_IGN)
		sigaction(SIGINT, &interrupt, NULL);
	sigaction(SIGPIPE, &ignore, NULL);
	sigaction(SIGXFSZ, &ignore, NULL);
	/* If SIGCHLD is ignored, wait() cannot tell how a child ended. */
	sigaction(SIGCHLD, &usual, NULL);
}

/* The user's own settings. */
static char *init_path(void)
{
	return app_path("XDG_CONFIG_HOME", ".config", "init");
}

/* Are there settings that will run?  They may do more than --safe. */
static bool has_init(const struct options *o)
{
	char *path = o->no_init || o->mcp ? NULL : init_path();
	const bool there = path && access(path, F_OK) == 0;

	free(path);
	return there;
}

/* Run ~/.config/quern/init. */
static void run_init(struct app *app)
{
	char *path = init_path();
	struct err err = {0};
	struct stat st;

	app->trusted = true;
	if (path && access(path, R_OK) == 0 && stat(path, &st) == 0) {
		/* Opening a FIFO could block forever. */
		if (S_ISREG(st.st_mode) || S_ISCHR(st.st_mode)) {
			script_file(app, path);
		} else {
			err_set(&err, ERR_QUERY, 0, "%s: not a regular file; not read",
				path);
			app_fail(app, &err, NULL);
		}
	}
	app->trusted = false;
	if (app->opts->format != FORMAT_NONE)
		app->format = app->opts->format;
	free(path);
	if (!app->held)
		hold(app->opts);
}

/* Show err, or that standard output could not be written. */
static void report_failure(int failed, struct err *err)
{
	if (failed)
		err_set(err, ERR_OUTPUT, 0, "standard output: %s", strerror(failed));
	if (err->kind)
		talk_failure(err, NULL, false);
}

/* --verify: opens no profile for queries, keeps no index. */
static int verify(const struct options *o)
{
	const struct build_opts opts = {.index_path = o->index,
					.trust = o->trust,
					.cancel = &app_cancel,
					.jobs = o->jobs,
					.mem = o->mem,
					.only_named = o->safe};
	struct err err = {0};
	struct verified v;
	struct out out;

	out_fd(&out, STDOUT_FILENO);
	for (size_t i = 0; i < o->nprofiles; i++) {
		if (verify_index(o->profiles[i], &opts, &v, &err))
			break;
		emit_name(&out, EMIT_TEXT, str_c(v.index));
		out_printf(
			&out,
			": sound\n  checked: %s values in %s pages with their checksums; %s "
			"names, files, objects;\n  %s cost lines, call sites, jumps; ids\n",
			GROUPED(v.checked.values), GROUPED(v.checked.pages),
			GROUPED(v.checked.strings), GROUPED(v.checked.detail));
		out_printf(&out,
			   v.compared ? "  built again from the profile: the same%s\n"
				      : "  no more could be checked: %s\n",
			   v.why);
	}
	report_failure(out_close(&out), &err);
	return err_exit_status(err.kind);
}

/* The profile came from standard input: read queries from the terminal. */
static int take_terminal(struct app *app)
{
	struct err err = {0};
	int fd = isatty(STDOUT_FILENO) ? open("/dev/tty", O_RDWR | O_CLOEXEC) : -1;

	if (fd < 0 || dup2(fd, STDIN_FILENO) < 0) {
		err_set(&err, ERR_USAGE, 0,
			"standard input is the profile, so queries cannot be read from it");
		err_hint(&err, "give them by -c or -f");
		app_fail(app, &err, NULL);
	}
	if (fd >= 0)
		close(fd);
	screen_init(&app->screen, app->opts->colour);
	return err.kind;
}

/* The last words of --keep-going.  Returns the kind that decides the status. */
static int close_gate(struct app *app, int kind)
{
	if (!app->gate.on)
		return kind;
	gate_say(&app->gate, app->opts->quiet);
	return gate_worse(kind, app->gate.worst) ? kind : (int)app->gate.worst;
}

static int prompt(struct app *app)
{
	at_prompt = 1;
	return shell_run(app);
}

/* After all queries: the values that none of them uses, then the last words of the gate. */
static int end_run(struct app *app, int kind)
{
	struct err err = {0};

	if (!kind && !app->quit && sets_check(app, &err)) {
		app_fail(app, &err, NULL);
		output_failure(app, &err, STR(""), STR(""), NULL);
		kind = (int)err.kind;
	}
	err_clear(&err);
	if (!app->quit && session_unread(app->session, &err)) {
		app_fail(app, &err, NULL);
		output_failure(app, &err, STR(""), STR(""), NULL);
		kind = gate_worse(kind, err.kind) ? kind : (int)err.kind;
	}
	return err_exit_status(close_gate(app, kind));
}

static int run_input(struct app *app)
{
	const struct gate_before before = script_before(app);
	const int kind = script_file(app, "-");

	return kind ? kind : script_gates(app, "stdin", before);
}

/* Returns the exit status. */
static int main_run(struct app *app)
{
	const struct options *o = app->opts;
	struct err err = {0};
	int kind = 0;

	kind = opening_run(app, o->profiles, o->nprofiles);
	if (!kind && !o->no_init)
		run_init(app); /* its lets may be the event */
	if (!kind && o->event && session_set_event(app->session, str_c(o->event), &err)) {
		app_fail(app, &err, "--event");
		kind = err.kind;
	}
	if (kind)
		return err_exit_status(kind);
	if (app->record)
		record_say(app);
	if (app->record && !o->ntasks && !(app->screen.in && app->screen.out))
		return 0;
	if (!o->ntasks && options_stdin_profile(o) && take_terminal(app))
		return err_exit_status(ERR_USAGE);
	if (!o->ntasks && app->screen.in && !opening_newest(app, STR("")))
		return prompt(app);
	if (o->keep_going)
		gate_start(&app->gate);
	return end_run(app, o->ntasks ? script_tasks(app) : run_input(app));
}

/* Commit the file of .output at the end.  After a failure without any output the old
 * file stays. */
static int close_output(struct app *app, int status)
{
	struct err err = {0};

	/* Like every other error, this is worse than an expectation that fails. */
	if (output_finish(app, &err)) {
		app_fail(app, &err, NULL);
		status = status && status != err_exit_status(ERR_EXPECT)
				 ? status
				 : err_exit_status(err.kind);
		err_clear(&err);
	}
	if (app->output.fd < 0)
		return status;
	if (status && target_whole(&app->output) == 0)
		target_abandon(&app->output);
	else if (target_commit(&app->output, &err))
		app_fail(app, &err, ".output");
	return status ? status : err_exit_status(err.kind);
}

/* text NULL: the text of --help. */
static int say_text(const char *text, bool all)
{
	struct err err = {0};
	struct out o;

	out_fd(&o, STDOUT_FILENO);
	if (text)
		out_c(&o, text);
	else
		options_help(&o, all);
	report_failure(out_close(&o), &err);
	return err_exit_status(err.kind);
}

/* --bench-parse: measures profiles, opens none for queries. */
static int bench(const struct options *o)
{
	const struct bench_parse_opts b = {
		.runs = 9, .jobs = (unsigned)o->jobs, .json = o->format == FORMAT_JSON};
	struct err err = {0};

	for (size_t i = 0; i < o->nprofiles && !err.kind; i++)
		if (bench_parse(o->profiles[i], &b, STDOUT_FILENO, &err))
			talk_failure(&err, o->profiles[i], false);
	return err_exit_status(err.kind);
}

/* A runner may read what is said, even of wrong options. */
static void mind_runner(int argc, char **argv)
{
	bool runner = getenv("GITHUB_ACTIONS") != NULL;

	for (int i = 1; i < argc; i++)
		runner |= strcmp(argv[i], "github") == 0 ||
			  strcmp(argv[i], "--format=github") == 0;
	if (runner)
		emit_for_runner();
}

/* quern help TOPIC: its .help. */
static void take_topic(int *argc, char **argv, char **topic)
{
	if (*argc == 3 && strcmp(argv[1], "help") == 0 && access("help", F_OK) < 0 &&
	    asprintf(topic, ".help %s", argv[2]) > 0) {
		argv[1] = *topic;
		argv[ *argc = 2] = NULL;
	}
}

int main(int argc, char **argv)
{
	char *topic = NULL;
	struct options opts;
	struct record record = {0};
	struct app app = {.output.fd = -1};
	struct err err = {0};
	int status;

	catch_signals();
	mind_runner(argc, argv);
	take_topic(&argc, argv, &topic);
	if (record_asked(argc, argv)) {
		if (!record_run(&record, argc, argv)) {
			record_free(&record);
			return record.status;
		}
		argc = record.argc;
		argv = record.argv;
		app.record = &record;
	}
	if (options_read(&opts, argc, argv, &err)) {
		talk_failure(&err, NULL, false);
		status = err_exit_status(err.kind);
		options_free(&opts);
		free(topic);
		return status;
	}
	app.held = !has_init(&opts);
	if (app.held)
		hold(&opts);
	if (opts.help) {
		status = say_text(NULL,
				  opts.nprofiles && strcmp(opts.profiles[0], "all") == 0);
	} else if (opts.version) {
		status = say_text(version_text, false);
	} else if (opts.guide) {
		status = say_text(guide_md, false);
	} else if (opts.mcp) {
		status = mcp_run(&opts);
	} else if (opts.verify) {
		status = verify(&opts);
	} else if (opts.bench_parse) {
		status = bench(&opts);
	} else if (app_init(&app, &opts, &err)) {
		talk_failure(&err, NULL, false);
		status = err_exit_status(err.kind);
		app_free(&app);
	} else {
		status = main_run(&app);
		status = close_output(&app, status);
		app_free(&app);
	}
	options_free(&opts);
	record_free(&record);
	free(topic);
	return record.status ? record.status : status;
}
