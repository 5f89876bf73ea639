/* script.c - split scripts into entries and run them; see script.h. */
#include "repl/prompt/script.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "engine/lang/habits.h"
#include "engine/lang/keywords.h"
#include "engine/lang/token.h"
#include "engine/query.h"
#include "index/base/err.h"
#include "repl/app/options.h"
#include "repl/app/output.h"
#include "repl/prompt/command.h"
#include "repl/prompt/command_in.h"
#include "repl/prompt/library.h"
#include "repl/prompt/opening.h"
#include "repl/prompt/sets.h"
#include "repl/term/talk.h"

enum { NESTED_MAX = 16 };

/* Words that every shell has as commands work here, too. */
static bool is_word_of_shells(struct str entry)
{
	return str_eq(entry, STR("?")) || str_eq(entry, STR("help")) ||
	       (str_starts(entry, STR("help ")) && entry.n < 60 &&
		str_find(entry, '\n') == entry.n) ||
	       str_eq(entry, STR("quit")) || str_eq(entry, STR("exit")) ||
	       (str_starts(entry, STR("use ")) && entry.n < 60 &&
		str_find(entry, '\n') == entry.n) ||
	       str_eq(entry, STR("overview")) ||
	       (str_starts(entry, STR("overview ")) && entry.n < 60);
}

/* The text behind "in NAME |"; *name: empty, nothing of this kind stands before it. */
static struct str behind_in(struct str entry, struct token *name)
{
	const struct token in = token_at(entry, 0, PLACE_WORD);
	struct token bar;

	*name = token_at(entry, in.at + in.len, PLACE_NAME);
	bar = token_at(entry, name->at + name->len, PLACE_WORD);
	if (str_eq(in.text, STR("in")) && bar.kind == '|')
		return str_trim(str_from(entry, bar.at + 1));
	name->text = STR("");
	return entry;
}

/* in NAME | overview: of one profile of a folder. */
static int of_member(struct app *app, struct token name, struct str command,
		     struct str entry, const struct origin *from)
{
	struct folder *const all = app->folder;
	struct err err = {0};
	int kind = session_only(app->session, name.text, &err);

	if (kind) {
		err.at = name.at;
		err.len = (uint32_t)name.len;
		talk_error(&err, entry, from, app->screen.columns,
			   app->screen.colour_err);
		output_failure(app, &err, entry, entry, from);
		return app_failed(app, &err, entry, from);
	}
	app->folder = NULL;
	kind = script_entry(app, command, from);
	app->folder = all;
	session_all(app->session);
	return kind;
}

/* At the prompt: down 3, or 3; up; back. */
static bool is_step(struct str entry)
{
	struct str rest = entry;
	const struct str word = command_word(&rest);
	uint64_t row;

	return entry.n < 30 && ((str_eq(word, STR("back")) && !rest.n) ||
				((str_eq(word, STR("down")) || str_eq(word, STR("up"))) &&
				 (!rest.n || str_u64(rest, &row))) ||
				(str_u64(word, &row) && !rest.n));
}

/* A query that ships, without .run? */
static bool is_shipped(struct app *app, struct str word)
{
	struct library_found f;

	for (size_t i = 0; i < word.n; i++)
		if (!(word.p[i] >= 'a' && word.p[i] <= 'z') && word.p[i] != '-')
			return false;
	library_find(app, word, &f);
	free(f.path);
	return f.ships;
}

/* A query with a dot before it, which is no command's name: ".info". */
static bool is_dotted_query(struct str entry)
{
	struct str name;

	if (!entry.n || (entry.p[0] != '.' && entry.p[0] != '\\'))
		return false;
	name = token_at(entry, 1, PLACE_WORD).text;
	return verb_find(name) && !habit_command(name) && !command_find(name);
}

int script_entry(struct app *app, struct str text, const struct origin *from)
{
	struct str trimmed = str_trim(text), behind;
	struct token name;
	char dotted[64];
	int rc;

	behind = behind_in(trimmed, &name);
	if (app->folder && name.text.n && is_word_of_shells(behind))
		return of_member(app, name, behind, trimmed, from);

	if (str_starts(trimmed, STR("overview")) && opening_newest(app, trimmed))
		return ERR_PROFILE;
	if (is_word_of_shells(trimmed) || (app->interactive && is_step(trimmed))) {
		const bool row = trimmed.p[0] >= '0' && trimmed.p[0] <= '9';

		snprintf(dotted, sizeof(dotted), ".%s%.*s", row ? "down " : "",
			 (int)trimmed.n, trimmed.p);
		return command_run(
			app, str_eq(trimmed, STR("?")) ? STR(".help") : str_c(dotted),
			from);
	}
	if (is_dotted_query(trimmed))
		return app_run(app, str_from(trimmed, 1), from);
	/* "\q": the commands of psql */
	if (trimmed.n && (trimmed.p[0] == '.' || trimmed.p[0] == '\\'))
		return command_run(app, trimmed, from);
	if (opening_newest(app, text))
		return ERR_PROFILE;
	rc = app_run(app, text, from);
	if (!rc)
		places_note(app);
	if (rc && is_shipped(app, trimmed))
		talk("  hint: it is a query that ships: .run %.*s", STR_ARG(trimmed));
	return rc;
}

/* The end of the command, or of a word that is one, which begins at `at`: a ";" that is followed
 * by a blank, or the end of the line.  `at`: it is a query.  A pager is a line for the shell. */
static size_t command_end(struct str text, size_t at)
{
	const struct str line = {text.p + at, str_find(str_from(text, at), '\n')};
	const bool dotted = line.n && (line.p[0] == '.' || line.p[0] == '\\');
	struct token name;
	size_t n = 0;

	for (bool quoted = false; n < line.n; n++) {
		quoted ^= line.p[n] == '"';
		if (!quoted && line.p[n] == ';' &&
		    (n + 1 == line.n || strchr(" \t\r", line.p[n + 1])))
			break;
	}
	if (dotted && str_starts(line, STR(".pager")))
		n = line.n;
	return dotted || is_word_of_shells(
				 behind_in(str_trim((struct str){line.p, n}), &name))
		       ? at + n
		       : at;
}

/* The length of the first entry of text: one command, or whole statements up to one or to the end
 * of a line; *lines: how many lines end in it or behind it. */
static size_t entry_length(struct str text, size_t *lines)
{
	size_t n = 0;

	for (;;) {
		struct token t = token_at(text, n, PLACE_WORD);
		size_t end = t.at + 1, command = command_end(text, t.at);

		if (command > t.at) {
			n = n ? t.at - 1 : command;
			break;
		}
		n = t.at;
		if (t.kind == TOK_NEWLINE || t.kind == TOK_END)
			break;
		if (t.kind != ';')
			end = query_statement(text, n);
		n = end > n ? end : n + str_find(str_from(text, n), '\n');
	}
	*lines = n >= text.n || text.p[n] == '\n';
	for (size_t i = 0; i < n; i++)
		*lines += text.p[i] == '\n';
	return n;
}

/* Limit the depth, whether .read, .run or .edit starts the next script. */
static bool too_deep(const struct app *app, struct err *err)
{
	if (app->nested < NESTED_MAX)
		return false;
	err_set(err, ERR_LIMIT, 0, "scripts are nested more than %d deep", NESTED_MAX);
	return true;
}

int script_run(struct app *app, struct str text, struct origin at)
{
	struct err err = {0};
	size_t lines;
	int kind = 0;

	if (too_deep(app, &err)) {
		app_fail(app, &err, at.file);
		output_failure(app, &err, text, STR(""), &at);
		return app_failed(app, &err, text, &at);
	}
	session_scope(app->session);
	if (session_defaults(app->session, text, &err)) {
		session_scope_end(app->session);
		app_fail(app, &err, at.file);
		return err.kind;
	}
	sets_see(app, text);
	app->nested++;
	app->headline = 0;
	if (str_starts(text, STR("#!"))) {
		text = str_from(text, str_find(text, '\n') + 1);
		at.line = 2;
	}
	while (text.n && !kind && !app->quit) {
		size_t n = entry_length(text, &lines);
		struct str entry = {text.p, n};

		if (str_trim(entry).n)
			kind = script_entry(app, entry, &at);
		at.line += lines;
		text = str_from(text, n + 1);
	}
	app->nested--;
	session_scope_end(app->session);
	return kind;
}

int script_file(struct app *app, const char *path)
{
	const char *name = strcmp(path, "-") == 0 ? "stdin" : path;
	struct err err = {0};
	struct str text = {"", 0};
	int kind;

	if (app_read_file(path, &text, &err)) {
		app_fail(app, &err, path);
		return err.kind;
	}
	kind = script_run(app, text, (struct origin){.file = name, .line = 1});
	free((void *)(uintptr_t)text.p);
	return kind;
}

struct gate_before script_before(const struct app *app)
{
	return (struct gate_before){app->gate.hold, app->failures};
}

static bool is_gate(const struct app *app, const char *name)
{
	return app->gate.on || app->format == FORMAT_JUNIT ||
	       app->format == FORMAT_GITHUB ||
	       str_starts(str_basename(str_c(name)), STR("gate-"));
}

int script_gates(struct app *app, const char *name, struct gate_before before)
{
	const struct origin at = {.file = name, .line = 1};
	struct err err = {0};

	if (!is_gate(app, name) || app->gate.hold != before.hold ||
	    app->failures != before.failures || session_accepts(app->session, "empty"))
		return 0;
	err_set(&err, ERR_USAGE, 0, "%s: no `expect` was asked: this gates nothing",
		name);
	err_hint(&err, "--accept empty: if that is right");
	app_fail(app, &err, NULL);
	output_failure(app, &err, STR(""), str_c(name), &at);
	return app_failed(app, &err, STR(""), &at);
}

/* A file that cannot be read is an error of the command line. */
static int file_task(struct app *app, const char *path)
{
	const struct origin at = {.file = path, .line = 1};
	const struct gate_before before = script_before(app);
	size_t failures = app->failures;
	struct str text = {NULL, 0};
	struct err err = {0};
	char *name = NULL;

	if (library_text(app, path, &name, &text, &err))
		app_fail(app, &err, NULL);
	else
		err.kind =
			script_run(app, text, (struct origin){.file = name, .line = 1});
	if (!err.kind)
		err.kind = script_gates(app, name, before);
	free(name);
	free((void *)(uintptr_t)text.p);
	if (!err.kind || app->failures != failures)
		return err.kind;
	output_failure(app, &err, STR(""), str_c(path), &at);
	return app_failed(app, &err, STR(""), &at);
}

/* One query or command, which no other text is read by. */
static bool is_one(struct str text)
{
	return !str_starts(text, STR(".")) && !str_starts(text, STR("\\")) &&
	       str_find(text, ';') == text.n && str_find(text, '\n') == text.n;
}

int script_tasks(struct app *app)
{
	const struct options *o = app->opts;
	size_t commands = 0;
	int kind = 0;

	for (size_t i = 0; i < o->ntasks && !kind && !app->quit; i++) {
		if (i + 1 == o->ntasks && !o->tasks[i].file &&
		    is_one(str_trim(str_c(o->tasks[i].text))))
			session_ends(app->session);
		if (o->tasks[i].file)
			kind = file_task(app, o->tasks[i].text);
		else
			kind = script_run(
				app, str_c(o->tasks[i].text),
				(struct origin){.line = 1, .command = ++commands});
	}
	return kind;
}
