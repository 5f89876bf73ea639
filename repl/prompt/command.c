/* command.c - the table of dot-commands and their work; see command.h. */
#include "repl/prompt/command.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "engine/files/roots.h"
#include "engine/lang/habits.h"
#include "engine/lang/keywords.h"
#include "index/base/err.h"
#include "index/store/store.h"
#include "repl/app/options.h"
#include "repl/export/export.h"
#include "repl/export/export_db.h"
#include "repl/prompt/command_in.h"
#include "repl/prompt/help.h"
#include "repl/app/limit.h"
#include "repl/term/number.h"
#include "repl/prompt/opening.h"
#include "repl/app/output.h"

static char *c_string(struct str s, struct err *err)
{
	char *c = strndup(s.p, s.n);

	if (!c)
		err_no_memory(err, NULL);
	return c;
}

char *command_file(struct str s, struct err *err)
{
	char *path = app_expand(s);

	if (!path)
		err_no_memory(err, NULL);
	return path;
}

struct str command_word(struct str *rest)
{
	struct str s = str_trim(*rest), w;
	size_t n;

	if (s.n && s.p[0] == '"') {
		s = str_from(s, 1);
		n = str_find(s, '"');
	} else {
		for (n = 0; n < s.n && s.p[n] != ' ' && s.p[n] != '\t'; n++)
			;
	}
	w = (struct str){s.p, n};
	*rest = str_trim(str_from(s, n + (n < s.n && s.p[n] == '"')));
	return w;
}

/* ---- settings ---- */

/* The place of the setting among its words, 0 if it is not one of them; the error
 * begins with `what`. */
static int setting(struct str rest, const char *words, const char *what, struct err *err)
{
	const int place = str_place(words, rest);

	if (place < 0)
		err_set(err, ERR_USAGE, 0, "%s, not '%.*s'", what, STR_ARG(rest));
	return place < 0 ? 0 : place;
}

static bool on_off(struct str rest, struct err *err)
{
	return setting(rest, "off on", "it is on or off", err);
}

static int do_timer(struct app *app, struct str rest, struct err *err)
{
	const bool on = rest.n ? on_off(rest, err) : !app->timer;

	if (!err->kind)
		app->timer = on;
	if (!rest.n)
		talk("timer is %s", on ? "on" : "off");
	return err->kind;
}

static int do_pager(struct app *app, struct str rest, struct err *err)
{
	const int on = str_place("off on", rest);

	if (!rest.n) {
		talk("pager is %s", app->no_pager ? "off" : "on");
	} else if (on >= 0) {
		app->no_pager = !on;
	} else if (app->opts->safe) {
		err_set(err, ERR_QUERY, 0, "--safe: no commands are run");
	} else {
		free(app->pager);
		app->pager = c_string(rest, err);
		app->no_pager = false;
	}
	return err->kind;
}

static int do_mode(struct app *app, struct str rest, struct err *err)
{
	struct str name = command_word(&rest);
	enum format f = format_of_name(name);

	if (!name.n) {
		talk("mode is %s%s%s", app->format ? formats[app->format].name : "auto",
		     app->exact ? " exact" : "", app->wide ? " wide" : "");
		return 0;
	}
	if (!f && str_place("auto exact wide", name) < 0) {
		err_set(err, ERR_USAGE, 0, "there is no format '%.*s'", STR_ARG(name));
		err->len = (uint32_t)name.n;
		return err_hint(err,
				".help formats lists them; `auto` suits each answer");
	}
	if (rest.n && str_place("exact wide", rest) < 0) {
		err_set(err, ERR_USAGE, 0, "a format is not followed by '%.*s'",
			STR_ARG(rest));
		return err_hint(err, ".mode FORMAT exact shows every digit, wide every"
				     " name");
	}
	if (f == FORMAT_GITHUB)
		emit_for_runner();
	app->exact = str_eq(name, STR("exact")) || str_eq(rest, STR("exact"));
	app->wide = str_eq(name, STR("wide")) || str_eq(rest, STR("wide"));
	app->format = f;
	return 0;
}

static int do_demangle(struct app *app, struct str rest, struct err *err)
{
	const bool on = rest.n && on_off(rest, err);

	if (!rest.n)
		talk("demangle is %s", app->no_demangle ? "off" : "on");
	else if (!err->kind)
		app_demangle(app, on);
	return err->kind;
}

static int do_with_source(struct app *app, struct str rest, struct err *err)
{
	static const char *const names[] = {"off", "on", "asm"};
	const int is =
		rest.n ? setting(rest, "off on asm", "it is on, off or asm", err) : 0;

	if (!rest.n)
		talk("with-source is %s", names[app->source]);
	else if (!err->kind)
		app->source = (enum with_source)is;
	return err->kind;
}

static int do_source_root(struct app *app, struct str rest, struct err *err)
{
	char *dir;
	struct out list;

	if (rest.n) {
		if ((dir = command_file(command_word(&rest), err)))
			app_add_root(app, dir, err);
		free(dir);
		return err->kind;
	}
	out_mem(&list);
	for (size_t i = 0; roots_name(app->sources, i); i++) {
		emit_name(&list, EMIT_TEXT, str_c(roots_name(app->sources, i)));
		out_char(&list, '\n');
	}
	return output_list(app, &list, err);
}

static int do_rename(struct app *app, struct str rest, struct err *err)
{
	struct str rule;

	if (str_eq(rest, STR("off")))
		session_rename_none(app->session);
	else if (rest.n)
		return session_rename(app->session, rest, err);
	for (size_t i = 0; !rest.n && (rule = session_renames(app->session, i)).p; i++)
		talk("%.*s", STR_ARG(rule));
	return 0;
}

static int do_limit(struct app *app, struct str rest, struct err *err)
{
	struct out list;

	if (rest.n && app->opts->safe && !app->trusted)
		return err_set(err, ERR_QUERY, 0, "--safe: the limits stay as they are");
	if (rest.n)
		return limit_set(app, rest, err);
	out_mem(&list);
	limit_list(app, &list);
	return output_list(app, &list, err);
}

static int do_event(struct app *app, struct str rest, struct err *err)
{
	const struct str event = str_trim(rest);
	struct out list;
	struct store *st;
	uint32_t n;

	if (event.n)
		return session_set_event(app->session, event, err);
	if (!app->nprofiles)
		return app_none_open(err);
	st = session_profile(app->session, 0);
	n = store_info(st)->all_events;
	out_mem(&list);
	for (uint32_t e = 0; e < n; e++) {
		struct store_event ev;

		store_event(st, e, &ev);
		out_printf(&list, "%c %-10.*s %24s  %.*s%s%.*s\n",
			   str_eq(ev.name, session_event(app->session)) ? '*' : ' ',
			   STR_ARG(ev.name), GROUPED_SIGNED(store_total(st, e)),
			   STR_ARG(ev.long_name), ev.formula.n ? " = " : "",
			   STR_ARG(ev.formula));
	}
	return output_list(app, &list, err);
}

/* ---- profiles ---- */

/* Make it the first, which queries ask. */
static int do_use(struct app *app, struct str rest, struct err *err)
{
	const struct str name = command_word(&rest);
	const struct opened first =
		app->nprofiles ? app->profiles[0] : (struct opened){0};
	size_t i = 0;

	if (!app->nprofiles)
		return app_none_open(err);
	if (!name.n || session_use(app->session, name, err)) {
		err_set(err, ERR_USAGE, 0, ".use needs the NAME of a profile");
		return err_hint(err, ".profiles lists them");
	}
	while (!str_eq(str_c(app->profiles[i].name), name))
		i++;
	app->profiles[0] = app->profiles[i];
	app->profiles[i] = first;
	app->used = true;
	return 0;
}

static int do_open(struct app *app, struct str rest, struct err *err)
{
	char *path = command_file(command_word(&rest), err);
	const size_t before = app->nprofiles;
	int kind = err->kind;

	if (path && !*path)
		kind = err_set(err, ERR_USAGE, 0,
			       ".open needs a PROFILE or NAME=PROFILE");
	else if (path && (kind = opening_run(app, (const char *const *)&path, 1)))
		err->kind = kind; /* opening_run() has shown the reason */
	else if (before && app->nprofiles > before)
		app_note(
			app,
			"open as %s: in %s | top, functions vs %s; use %s: queries ask it",
			app->profiles[before].name, app->profiles[before].name,
			app->profiles[before].name, app->profiles[before].name);
	free(path);
	return kind;
}

static int do_close(struct app *app, struct str rest, struct err *err)
{
	char *name = c_string(command_word(&rest), err);

	if (name)
		app_close(app, *name ? name : NULL, err);
	free(name);
	return err->kind;
}

/* A newline in a name must not look like the end of a line. */
static void put_field(struct out *o, const char *before, const char *name, int width)
{
	const struct str s = str_c(name);

	out_c(o, before);
	emit_name(o, EMIT_TEXT, s);
	for (size_t n = emit_width(EMIT_TEXT, s); n < (size_t)width; n++)
		out_char(o, ' ');
}

static int do_profiles(struct app *app, struct str rest, struct err *err)
{
	struct out list;
	int widest = 16;

	(void)rest;
	out_mem(&list);
	for (size_t i = 0; i < app->nprofiles; i++)
		if (strlen(app->profiles[i].name) < 60 &&
		    (int)strlen(app->profiles[i].name) > widest)
			widest = (int)strlen(app->profiles[i].name);
	for (size_t i = 0; i < app->nprofiles; i++) {
		const struct store_info *info = store_info(app->profiles[i].store);
		char bytes[NUMBER_MAX];

		number_bytes(bytes, info->input_bytes);
		put_field(&list, i ? "  " : "* ", app->profiles[i].name, widest);
		out_printf(&list, " %10s %12s functions", bytes, GROUPED(info->groups));
		put_field(&list, "  ", app->profiles[i].path, 0);
		out_char(&list, '\n');
	}
	if (app->nprofiles)
		output_text(app, out_text(&list), err);
	else
		talk("no profile is open");
	out_close(&list);
	return err->kind;
}

/* ---- filters ---- */

static int do_push(struct app *app, struct str rest, struct err *err)
{
	if (!rest.n)
		return err_set(err, ERR_USAGE, 0,
			       ".push needs a graph stage: focus handle");
	return session_push(app->session, rest, err);
}

static int do_pop(struct app *app, struct str rest, struct err *err)
{
	if (str_eq(rest, STR("all"))) {
		while (session_filters(app->session) && !session_pop(app->session, err))
			;
		return err->kind;
	}
	return session_pop(app->session, err);
}

static int do_filters(struct app *app, struct str rest, struct err *err)
{
	size_t n = session_filters(app->session);

	(void)rest;
	(void)err;
	if (!n)
		talk("there are no filters");
	for (size_t i = 0; i < n; i++)
		talk("%zu  %.*s", i + 1, STR_ARG(session_filter(app->session, i)));
	return 0;
}

/* ---- output ---- */

static int do_output(struct app *app, struct str rest, struct err *err)
{
	char *path = command_file(command_word(&rest), err);

	if (path)
		output_redirect(app, *path ? path : NULL, err);
	free(path);
	return err->kind;
}

/* Is it the name of a file, where an export is a directory? */
static bool is_file_name(struct str path)
{
	static const char *const ends[] = {".sql", ".csv", ".tsv", ".json", ".ndjson"};

	for (size_t i = 0; i < sizeof(ends) / sizeof(ends[0]); i++)
		if (str_ends(path, str_c(ends[i])))
			return true;
	return false;
}

/* .export DIR [csv|ndjson] [TABLE...], or .export FILE.db [TABLE...] */
static int do_export(struct app *app, struct str rest, struct err *err)
{
	char *dir = c_string(command_word(&rest), err);
	struct str tables = rest, format = command_word(&rest);
	enum export_format as =
		str_eq(format, STR("ndjson")) ? EXPORT_NDJSON : EXPORT_CSV;

	if (as == EXPORT_NDJSON || str_eq(format, STR("csv")))
		tables = rest;
	else if (dir && export_db_named(str_c(dir)))
		as = EXPORT_DB;
	else if (app->format == FORMAT_NDJSON)
		as = EXPORT_NDJSON;
	if (dir && !*dir)
		err_set(err, ERR_USAGE, 0, ".export needs a DIRECTORY or FILE.db");
	else if (dir && is_file_name(str_c(dir))) {
		err_set(err, ERR_USAGE, 0, "an export is a directory, or a FILE.db: '%s'",
			dir);
		err_hint(err, "%s",
			 str_ends(str_c(dir), STR(".sql"))
				 ? ".export x.db, and outside: sqlite3 x.db .dump"
				 : "one answer in a file: functions > x.csv");
	} else if (dir && !app->nprofiles)
		app_none_open(err);
	else if (dir && session_filters(app->session)) {
		err_set(err, ERR_QUERY, 0,
			"an export is of whole profiles, and there are filters");
		err_hint(err, "`.pop all` first");
	} else if (dir) {
		export_run(app, dir, as, tables, err);
	}
	free(dir);
	return err->kind;
}

static int do_explain(struct app *app, struct str rest, struct err *err)
{
	struct str text = {"", 0};

	if (!rest.n)
		return err_set(err, ERR_USAGE, 0, ".explain needs a query");
	if (!app->nprofiles)
		return app_none_open(err);
	arena_reset(&app->arena);
	if (query_explain(app->session, rest, &app->arena, &text, err))
		return err->kind;
	if (text.n && text.p[text.n - 1] == '\n')
		text.n--;
	return output_text(app, text, err);
}

static int do_help(struct app *app, struct str rest, struct err *err)
{
	struct out o, folded;

	out_mem(&o);
	out_mem(&folded);
	if (!rest.n)
		help_overview(&o);
	else if (!help_print(&o, rest))
		err_set(err, ERR_USAGE, 0,
			"there is no help on '%.*s'; .help lists the topics",
			STR_ARG(rest));
	help_fold(&folded, out_text(&o),
		  app->screen.columns ? app->screen.columns : SIZE_MAX);
	if (!err->kind && folded.n)
		output_text(app, (struct str){folded.buf, folded.n - 1}, err);
	out_close(&folded);
	out_close(&o);
	return err->kind;
}

static int do_quit(struct app *app, struct str rest, struct err *err)
{
	(void)rest;
	(void)err;
	app->quit = true;
	return 0;
}

/* ---- the table ---- */

static const char writes[] = "--safe: no files are written and no commands run";
static const char reads[] = "--safe: only files that the command line names are read";

static const struct command commands[] = {
	{"help", "[TOPIC]", "the topics; grammar and examples of one", ARG_TOPIC, do_help,
	 NULL},
	{"overview", "", "what stands out, with the query that shows it", ARG_NONE,
	 command_overview, NULL},
	{"open", "[NAME=]PROFILE", "open one more profile", ARG_FILE, do_open, reads},
	{"use", "NAME", "queries ask this profile", ARG_PROFILE, do_use, NULL},
	{"close", "[NAME]", "close a profile; the first when none is named", ARG_PROFILE,
	 do_close, NULL},
	{"profiles", "", "those open; queries ask the one with *", ARG_NONE, do_profiles,
	 NULL},
	{"event", "[EVENT]", "the event of costs that name none; the list", ARG_EVENT,
	 do_event, NULL},
	{"mode", "[FORMAT] [exact|wide]", "of answers; exact: all digits, wide: names",
	 ARG_FORMAT, do_mode, NULL},
	{"output", "[FILE]", "answers go to FILE; alone: to the screen", ARG_FILE,
	 do_output, writes},
	{"export", "DIR|FILE.db [csv|ndjson] [TABLE...]",
	 "all tables as files, or as a database", ARG_FILE, do_export, writes},
	{"pager", "[on|off|COMMAND]", "long answers go through it", ARG_SWITCH, do_pager,
	 NULL},
	{"timer", "[on|off]", "say how long each query took", ARG_SWITCH, do_timer, NULL},
	{"limit", "[NAME N]", "of a query: rows, seconds, memory, ...", ARG_NONE,
	 do_limit, NULL},
	{"rename", "[s/RE/TO/|off]", "`vs`: compare names after this", ARG_NONE,
	 do_rename, NULL},
	{"demangle", "[on|off]", "show C++ and Rust names as in the source", ARG_SWITCH,
	 do_demangle, NULL},
	{"source-root", "[DIR]", "look for source and objects below DIR, too", ARG_FILE,
	 do_source_root, reads},
	{"with-source", "[on|off|asm]", "reports hold the source of their functions",
	 ARG_SWITCH, do_with_source, NULL},
	{"read", "FILE", "run a script", ARG_FILE, command_read, reads},
	{"edit", "[QUERY]", "edit the last query in $EDITOR, then run it", ARG_QUERY,
	 command_edit, writes},
	{"explain", "QUERY", "what it expands to, what estimates rest on", ARG_QUERY,
	 do_explain, NULL},
	{"push", "GSTAGE", "filter all queries that follow", ARG_QUERY, do_push, NULL},
	{"pop", "[all]", "drop the last one", ARG_NONE, do_pop, NULL},
	{"filters", "", "those that .push made", ARG_NONE, do_filters, NULL},
	{"save", "FILE [QUERY]", "keep the last query", ARG_FILE, command_save, writes},
	{"run", "FILE [NAME=VALUE]...", "run a query of a file, or that ships",
	 ARG_SCRIPT, command_script, NULL},
	{"queries", "[WORD]", "those that ship and yours, parameters", ARG_NONE,
	 command_queries, NULL},
	{"sets", "[NAME]", "sets that are always there, and yours", ARG_NONE,
	 command_sets, NULL},
	{"down", "[ROW]", "what the function of a row of the last answer calls", ARG_NONE,
	 command_down, NULL},
	{"up", "[ROW]", "who calls it, or what the last question was about", ARG_NONE,
	 command_up, NULL},
	{"back", "", "the question before", ARG_NONE, command_back, NULL},
	{"quit", "", "leave (also Ctrl-D)", ARG_NONE, do_quit, NULL},
};

const struct command *command_at(size_t i)
{
	return i < sizeof(commands) / sizeof(commands[0]) ? &commands[i] : NULL;
}

const struct command *command_find(struct str name)
{
	const struct command *c, *found = NULL;

	for (size_t i = 0; (c = command_at(i)); i++) {
		if (str_eq(str_c(c->name), name))
			return c;
		if (name.n && str_starts(str_c(c->name), name)) {
			if (found)
				return NULL;
			found = c;
		}
	}
	return str_eq(name, STR("exit")) ? command_find(STR("quit")) : found;
}

static int unknown_command(char sign, struct str name, struct err *err)
{
	const char *ours = habit_command(name);
	const struct command *c;

	err_set(err, ERR_USAGE, 0, "there is no command '%c%.*s'", sign, STR_ARG(name));
	err->len = (uint32_t)name.n + 1;
	if (ours)
		return err_hint(err, "here that is: %s", ours);
	for (size_t i = 0; (c = command_at(i)); i++)
		if (str_distance(name, str_c(c->name), 2) <= 2)
			return err_hint(err, "did you mean '.%s'?", c->name);
	return err_hint(err, ".help lists them");
}

bool command_refused(const struct app *app, const struct command *c)
{
	return c->unsafe && app->opts->safe && !app->trusted;
}

/* Of a folder one profile is open at a time: what it says of that is not said of all. */
static bool of_one(const struct command *c)
{
	static const char names[] = "overview export open use close profiles";

	return str_place(names, str_c(c->name)) >= 0;
}

int command_run(struct app *app, struct str line, const struct origin *from)
{
	struct str rest = str_from(line, 1), name;
	const struct command *c;
	struct err err = {0};
	unsigned lost = out_lost();
	size_t failures = app->failures;

	name = command_word(&rest);
	/* psql: only \\q is the same here */
	c = line.p[0] == '.' ? command_find(name) : NULL;
	if (str_eq(line, STR("\\q")))
		c = command_find(STR("quit"));
	if (!c)
		unknown_command(line.p[0], name, &err);
	else if (command_refused(app, c))
		err_set(&err, ERR_QUERY, 0, "%s", c->unsafe);
	else if (app->folder && of_one(c)) {
		err_set(&err, ERR_QUERY, 0,
			".%s is of single profiles, and a folder is open: open "
			"one of them",
			c->name);
		err_hint(&err,
			 "in NAME | overview is of one, or open its file: profiles | "
			 "show path");
	} else
		c->run(app, rest, &err);
	if (out_lost() != lost)
		err_no_memory(&err, NULL);
	/* The text for the engine starts after the command: its offsets count from
	 * rest. */
	if (c && err.kind &&
	    (c->arg == ARG_QUERY || c->arg == ARG_EVENT || c->arg == ARG_FORMAT) &&
	    (err.at || err.len))
		err.at += (uint64_t)(rest.p - line.p);
	if (err.kind && err.text[0])
		talk_error(&err, line, from, app->screen.columns, app->screen.colour_err);
	/* A script has counted its own errors. */
	if (!err.kind || app->failures != failures)
		return err.kind;
	output_failure(app, &err, line, line, from);
	return app_failed(app, &err, line, from);
}
