/* command_scripts.c - dot-commands about scripts, shipped queries, sets; see command_in.h. */
#include "repl/prompt/command_in.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "engine/lang/common_sets.h"
#include "index/base/err.h"
#include "repl/app/child.h"
#include "repl/app/options.h"
#include "repl/app/output.h"
#include "repl/prompt/library.h"
#include "repl/prompt/sets.h"
#include "repl/prompt/script.h"
#include "repl/term/emit.h"

int command_read(struct app *app, struct str rest, struct err *err)
{
	char *path = command_file(command_word(&rest), err);

	if (path && !*path)
		err_set(err, ERR_USAGE, 0, ".read needs a FILE");
	else if (path)
		err->kind = script_file(app, path);
	free(path);
	return err->kind;
}

static int write_text(const char *path, struct str text, struct err *err)
{
	struct target t;
	struct out o;
	int failed;

	if (target_open(&t, path, err))
		return err->kind;
	out_fd(&o, t.fd);
	out_str(&o, text);
	out_char(&o, '\n');
	failed = out_close(&o);
	if (!failed)
		return target_commit(&t, err);
	target_abandon(&t);
	return err_set(err, ERR_OUTPUT, 0, "%s: %s", path, strerror(failed));
}

int command_save(struct app *app, struct str rest, struct err *err)
{
	char *path = command_file(command_word(&rest), err);
	struct str text = rest.n ? rest : str_c(app->last);

	if (path && !*path)
		err_set(err, ERR_USAGE, 0, ".save needs a FILE");
	else if (path && !text.n) {
		err_set(err, ERR_QUERY, 0, "nothing to save: no query was typed yet");
		err_hint(err, ".save FILE QUERY");
	} else if (path && !write_text(path, text, err))
		app_note(app, "wrote %s: .run %s asks it", path, path);
	free(path);
	return err->kind;
}

static int not_found(const struct app *app, struct str name, struct err *err)
{
	if (!name.n)
		return err_set(err, ERR_USAGE, 0, ".run needs a FILE [NAME=VALUE]...");
	if (app->opts->safe && !app->trusted) {
		err_set(err, ERR_QUERY, 0, "--safe: no query that ships is called '%.*s'",
			STR_ARG(name));
		return err_hint(err, ".queries lists them; other files are not read");
	}
	err_set(err, ERR_QUERY, 0, "%.*s: no such file, and no query has that name",
		STR_ARG(name));
	return err_hint(err, ".queries lists those that ship and yours");
}

/* Find what .run names.  Without such a query or file, set err and return false. */
static bool find_script(struct app *app, struct str name, struct library_found *out,
			struct err *err)
{
	if (library_find(app, name, out))
		return true;
	if (name.n && !str_starts(name, STR(LIBRARY_SHIPS)) &&
	    (!app->opts->safe || app->trusted)) {
		out->path = command_file(name, err);
		if (!out->path || access(out->path, F_OK) == 0)
			return out->path;
		free(out->path);
	}
	not_found(app, name, err);
	return false;
}

int command_script(struct app *app, struct str rest, struct err *err)
{
	struct str word = command_word(&rest), text = {NULL, 0};
	struct library_found f;
	char *name = NULL;

	if (!find_script(app, word, &f, err))
		return err->kind;
	session_scope(app->session);
	if (library_read(&f, &name, &text, err) == 0)
		sets_given(app->session, text, rest, err);
	if (!err->kind)
		err->kind =
			script_run(app, text, (struct origin){.file = name, .line = 1});
	session_scope_end(app->session);
	free((void *)(uintptr_t)text.p);
	free(name);
	free(f.path);
	return err->kind;
}

int command_queries(struct app *app, struct str rest, struct err *err)
{
	struct library l;
	struct out list;

	out_mem(&list);
	if (library_list(app, &l, err))
		; /* that is the error */
	else if (library_print(&l, rest, &list))
		output_text(app, out_text(&list), err);
	else if (rest.n)
		err_set(err, ERR_QUERY, 0, "no query is about '%.*s'", STR_ARG(rest));
	out_close(&list);
	library_free(&l);
	return err->kind;
}

/* One line for a set, and its text if it is asked for. */
static void put_set(struct out *o, struct str name, const char *about, struct str text,
		    bool whole)
{
	out_c(o, "$");
	emit_name(o, EMIT_TEXT, name);
	out_fill(o, ' ', name.n < 10 ? 10 - name.n : 1);
	if (about)
		out_c(o, about);
	if (about && whole)
		out_printf(o, "\n%10s", "");
	if (!about || whole) {
		out_c(o, about ? " = " : "= ");
		emit_name(o, EMIT_TEXT, text);
	}
	out_char(o, '\n');
}

int command_sets(struct app *app, struct str rest, struct err *err)
{
	struct str name, text;
	struct out list;

	if (str_starts(rest, STR("$")))
		rest = str_from(rest, 1);
	out_mem(&list);
	for (size_t i = 0; session_let_at(app->session, i, &name, &text); i++)
		if (!rest.n || str_eq(rest, name))
			put_set(&list, name, NULL, text, true);
	for (const struct common_set *s = common_sets; s->about; s++)
		if ((!rest.n || str_eq(rest, s->value.name)) &&
		    !session_has_let(app->session, s->value.name))
			put_set(&list, s->value.name, s->about, s->value.text,
				rest.n > 0);
	if (list.n)
		output_text(app, out_text(&list), err);
	else
		err_set(err, ERR_QUERY, 0, "nothing is called $%.*s", STR_ARG(rest));
	out_close(&list);
	return err->kind;
}

/* The command that edits the file, with path in quotes, since TMPDIR may contain
 * anything.  NULL: out of memory. */
static char *edit_command(const char *path)
{
	const char *editor = getenv("VISUAL") ? getenv("VISUAL") : getenv("EDITOR");
	char *quoted = malloc(4 * strlen(path) + 1), *p = quoted, *command = NULL;

	if (!quoted)
		return NULL;
	for (; *path; path++) {
		if (*path == '\'')
			p = stpcpy(p, "'\\'");
		*p++ = *path;
	}
	*p = '\0';
	if (asprintf(&command, "%s '%s'", editor ? editor : "vi", quoted) < 0)
		command = NULL;
	free(quoted);
	return command;
}

/* Use a temporary file of our own: others may write to the directory. */
static int edit_file(char *path, struct str text, struct str *edited, struct err *err)
{
	int fd = mkstemps(path, 2);
	char *command = NULL;
	struct child c;

	if (fd < 0)
		return err_set(err, ERR_OUTPUT, 0, "%s: %s", path, strerror(errno));
	if (write(fd, text.p, text.n) != (ssize_t)text.n)
		err_set(err, ERR_OUTPUT, 0, "%s: %s", path, strerror(errno));
	close(fd);
	if (!err->kind && !(command = edit_command(path)))
		err_no_memory(err, NULL);
	if (!err->kind && child_start(&c, command, 1, err) == 0)
		child_wait(&c, command, err);
	atomic_store(&app_cancel, 0);
	if (!err->kind)
		app_read_file(path, edited, err);
	unlink(path);
	free(command);
	return err->kind;
}

int command_edit(struct app *app, struct str rest, struct err *err)
{
	struct str text = rest.n ? rest : str_c(app->last), edited = {NULL, 0};
	const char *tmp = getenv("TMPDIR");
	char *path;

	if (!app->interactive)
		return err_set(err, ERR_USAGE, 0, ".edit is for the prompt");
	if (asprintf(&path, "%s/quern.XXXXXX.q", tmp && *tmp ? tmp : "/tmp") < 0)
		return err_no_memory(err, NULL);
	if (edit_file(path, text, &edited, err) == 0) {
		talk("%.*s", STR_ARG(str_trim(edited)));
		err->kind = script_run(app, edited, (struct origin){.line = 1});
	}
	free((void *)(uintptr_t)edited.p);
	free(path);
	return err->kind;
}
