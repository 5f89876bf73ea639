/*
 * output.c - choose format and place of an answer, and write it; see output.h.
 *
 * The format is, in this order: `as F`, the extension of the file, .mode or --format, the
 * default of the result.  The place is: `!  COMMAND`, `> FILE`, .output, standard
 * output.  Standard output goes through a pager if both ends are terminals and the answer
 * is longer than the screen.  If the reader leaves (EPIPE), the output ends quietly.
 * Later statements still run, because an `expect` may decide the exit status.
 */
#include "repl/app/output.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "engine/query.h"
#include "index/base/cancel.h"
#include "index/base/err.h"
#include "index/base/out.h"
#include "repl/app/app.h"
#include "repl/app/budget.h"
#include "repl/app/child.h"
#include "repl/app/options.h"
#include "repl/app/linked.h"
#include "repl/app/progress.h"
#include "repl/app/target.h"
#include "repl/formats/suite.h"
#include "repl/render/render.h"
#include "repl/formats/renderers.h"
#include "repl/term/talk.h"

struct place {
	int fd;
	const char *name;     /* for messages */
	struct target target; /* fd -1: none */
	off_t whole;	      /* with .output: its length before this answer */
	struct child child;
	char *command; /* of the child, or NULL */
	bool screen;   /* a terminal shows it */
	bool pager;
	uint64_t opened_ns;	   /* of the pager */
	const struct result *rows; /* all of them are written; or NULL */
};

/* ---- format ---- */

static bool plain_extension(struct str file)
{
	struct str base = str_after_slash(file);
	size_t dot = base.n;

	while (dot > 0 && base.p[dot - 1] != '.')
		dot--;
	base = str_from(base, dot);
	return dot <= 1 || str_eq(base, STR("txt")) || str_eq(base, STR("log"));
}

static const struct format_row *choose_format(const struct app *app,
					      const struct result *r, struct str file,
					      struct err *err)
{
	enum format f = r->format;

	if (f == FORMAT_NONE && file.n && !str_starts(file, STR("/dev/"))) {
		f = format_of_file(file);
		if (f == FORMAT_NONE && !plain_extension(file)) {
			err_set(err, ERR_QUERY, 0, "no format goes with the name '%.*s'",
				STR_ARG(file));
			if (str_ends(file, STR(".sql")) || str_ends(file, STR(".db")) ||
			    str_ends(file, STR(".sqlite"))) {
				err_hint(err,
					 ".export x.db writes all tables as a database");
				return NULL;
			}
			err_hint(err, "end it in .csv .json .md .html .svg or .txt, or"
				      " say `as FORMAT`; .help formats lists them");
			return NULL;
		}
	}
	if (f == FORMAT_NONE && linked_is_one(r, file))
		f = FORMAT_HTML;
	if (f == FORMAT_NONE)
		f = app->format;
	if (f == FORMAT_NONE)
		f = render_default(r);
	return &formats[f];
}

/* Does a row lie on another one? */
static bool has_levels(const struct result *r)
{
	bool levels = r->tree;

	for (size_t i = 0; i < r->ncols; i++)
		levels |= str_eq(r->cols[i].name, STR("depth")) ||
			  str_eq(r->cols[i].name, STR("step"));
	return levels;
}

/* A flame graph of rows side by side would look like one of a tree. */
static int check_tree(const struct result *r, const struct format_row *f, struct err *err)
{
	if (!(f->traits & FORMAT_TREE_ONLY) || has_levels(r))
		return 0;
	err_set(err, ERR_QUERY, 0, "a flame graph needs a tree, and '%s' is none",
		r->source);
	return err_hint(err, "calltree from main | as svg");
}

/* A picture, a report or a profile is of one profile; the list of all is a page, too. */
static int check_one(const struct result *r, const struct format_row *f, struct err *err)
{
	if (!r->members || f->format < FORMAT_SVG ||
	    (f->format == FORMAT_HTML && str_eq(str_c(r->source), STR("profiles"))))
		return 0;
	err_set(err, ERR_QUERY, 0, "%s is of one profile, and this answer is of %s",
		f->name, GROUPED(r->nmembers));
	return err_hint(err,
			"in NAME | ... is of one; > DIR/ makes one of each; csv, json "
			"and md have all");
}

/* ---- place ---- */

static bool in_path(const char *program)
{
	const char *dir = getenv("PATH");
	char file[4200];

	for (size_t n; dir && *dir; dir += n + (dir[n] == ':')) {
		n = strcspn(dir, ":");
		snprintf(file, sizeof(file), "%.*s/%s", (int)(n < 4096 ? n : 4096), dir,
			 program);
		if (access(file, X_OK) == 0)
			return true;
	}
	return false;
}

static const char *pager_command(const struct app *app)
{
	const char *c = app->pager;

	if (!c)
		c = getenv("QUERN_PAGER");
	if (!c)
		c = getenv("PAGER");
	if (!c)
		c = in_path("less") ? "less -SRX" : "";
	return c;
}

/* The default pager may not be installed; then the answer is cut to the screen
 * instead. */
static bool wants_pager(const struct app *app, size_t lines)
{
	const char *command = pager_command(app);

	return app->screen.in && app->screen.out && !app->no_pager && !app->opts->safe &&
	       *command && strcmp(command, "cat") != 0 && lines + 1 > app->screen.rows;
}

static int open_child(struct place *p, char *command, struct err *err)
{
	p->command = command;
	p->name = command;
	if (!command)
		return err_no_memory(err, NULL);
	if (child_start(&p->child, command, 0, err)) {
		free(p->command);
		p->command = NULL;
		return err->kind;
	}
	p->fd = p->child.fd;
	return 0;
}

static int output_open_file(struct place *p, char *path, struct err *err)
{
	if (!path)
		return err_no_memory(err, NULL);
	target_open(&p->target, path, err);
	free(path);
	p->fd = p->target.fd;
	p->name = p->target.path;
	return err->kind;
}

static int output_refuse(struct err *err)
{
	return err_set(err, ERR_QUERY, 0,
		       "--safe: no files are written and no commands run");
}

static int open_place(struct app *app, struct str file, struct str shell, size_t lines,
		      struct place *p, struct err *err)
{
	*p = (struct place){
		.fd = STDOUT_FILENO, .name = "standard output", .target.fd = -1};
	if ((file.n || shell.n) && app->opts->safe)
		return output_refuse(err);
	if (shell.n)
		return open_child(p, strndup(shell.p, shell.n), err);
	if (file.n)
		return output_open_file(p, app_expand(file), err);
	if (app->output.fd >= 0) {
		p->fd = app->output.fd;
		p->name = app->output.path;
		p->whole = target_whole(&app->output);
		return 0;
	}
	p->screen = app->screen.out;
	if (wants_pager(app, lines)) {
		p->pager = true;
		p->opened_ns = progress_now_ns();
		/* Without "R" a $PAGER of plain `less` shows colours as ESC[1m. */
		setenv("LESS", "RSX", 0);
		return open_child(p, strdup(pager_command(app)), err);
	}
	return 0;
}

static struct look look_of(const struct app *app, const struct place *p)
{
	const struct screen *s = &app->screen;
	struct look l = {.raw = app->opts->raw,
			 .wide = app->wide,
			 .exact = app->exact,
			 .close = app->answers,
			 .utf8 = s->utf8};

	if (app->answers)
		l.said = out_text(app->answers);
	if (p->fd == STDOUT_FILENO || p->pager)
		l.colour = s->colour_out;
	if (!p->screen) {
		l.utf8 = true; /* files are always UTF-8 */
		return l;
	}
	l.columns = s->columns;
	/* At the prompt the first rows of an answer matter most. */
	if (!p->pager && app->interactive && s->in)
		l.rows = s->rows > 8 ? s->rows - 5 : 3;
	return l;
}

/* Say what was written: a file that appears without a word is not looked for. */
static void output_commit(struct app *app, struct place *p, struct err *err)
{
	char *path = strdup(p->target.path);

	if (target_commit(&p->target, err) || app->linked)
		; /* said of all */
	else if (path && p->rows)
		app_note(app, "wrote %s rows to %s", GROUPED(p->rows->rows), path);
	else if (!err->kind && path)
		app_note(app, "wrote %s", path);
	free(path);
}

/* Keep the output or drop it.  failed: the errno of out. */
static int close_place(struct app *app, struct place *p, int failed, struct err *err)
{
	struct err late = {0};
	bool left = failed == EPIPE;

	if (left && p->fd == STDOUT_FILENO)
		app->closed = true;
	if (failed == ENOMEM)
		err_no_memory(err, "while the answer was written");
	else if (failed && !left)
		err_set(err, ERR_OUTPUT, 0, "%s: %s", p->name, strerror(failed));
	if (err->kind && app->output.fd >= 0 && p->fd == app->output.fd)
		target_take_back(&app->output, p->whole);
	if (p->target.fd >= 0) {
		if (err->kind)
			target_abandon(&p->target);
		else
			output_commit(app, p, err);
	}
	if (p->command) {
		child_wait(&p->child, p->command, &late);
		/* Ctrl-C in a pager is for the pager.  A pager that failed may have
		 * shown nothing. */
		if (p->pager) {
			app->paged_ns += progress_now_ns() - p->opened_ns;
			atomic_store(&app_cancel, 0);
			if (late.kind)
				talk("quern: the pager %s; `.pager off` does without one",
				     late.text);
		} else if (late.kind)
			err_set(err, late.kind, 0, "%s", late.text);
		free(p->command);
	}
	return err->kind;
}

/* ---- the three entries ---- */

struct rendering {
	struct app *app;
	const struct format_row *f;
	struct suite *suite; /* add the result to it; NULL: call f */
	struct look look;
	struct render rd;
	struct cancel cancel;
};

static int render_guarded(void *arg)
{
	struct rendering *g = arg;

	const bool table = g->f->format == FORMAT_TABLE || g->f->format == FORMAT_TREE;

	if (!(g->f->traits & FORMAT_PAGES) &&
	    (table ? result_shown : result_whole)(g->rd.r, g->rd.err))
		return g->rd.err->kind;
	if (g->suite)
		suite_result(g->suite, &g->rd);
	else
		renderers[g->f->format](&g->rd);
	return g->rd.err->kind;
}

static struct rendering rendering_of(struct app *app, const struct result *r,
				     const struct format_row *f, const struct place *p)
{
	return (struct rendering){app, f, NULL, look_of(app, p), {.r = r}, {0}};
}

/* Render under guard: after a fault in the index the caller still closes files and
 * children. */
static int render(struct rendering *g, struct out *o, struct err *err)
{
	const unsigned lost = out_lost();

	g->rd.o = o;
	g->rd.look = &g->look;
	g->rd.session = g->app->session;
	g->cancel = session_answering(g->app->session);
	g->rd.cancel = &g->cancel;
	if (o)
		o->due = &g->cancel.deadline_ns;
	g->rd.err = err;
	g->rd.source = g->app->source;
	g->rd.took_ns = progress_now_ns() - g->app->started_ns;
	g->rd.note[0] = '\0';
	session_guard(render_guarded, g, err);
	if (o)
		o->due = NULL;
	session_set_due(g->app->session, 0);
	if (out_lost() != lost)
		err_no_memory(err, "while the answer was written");
	return err->kind;
}

/* The number of lines that s takes on the screen, with long lines wrapped. */
static size_t lines_of(const struct app *app, struct str s)
{
	size_t lines = 0, columns = app->screen.columns ? app->screen.columns : 80;

	for (size_t n; s.n; s = str_from(s, n + 1), lines++) {
		n = str_find(s, '\n');
		if (n)
			lines += (emit_width(EMIT_TEXT, (struct str){s.p, n}) - 1) /
				 columns;
	}
	return lines;
}

/* The number of lines of an answer.  With more rows than the screen it is not
 * measured: they may be too many to keep in memory. */
static size_t lines_needed(struct app *app, const struct result *r,
			   const struct format_row *f, struct err *err)
{
	const struct place screen = {.fd = -1, .screen = true}; /* without colour */
	struct rendering g = rendering_of(app, r, f, &screen);
	struct out o;
	size_t lines = r->rows;

	if (f->traits &
	    FORMAT_BINARY) /* it never goes to a terminal, so not to a pager */
		return 0;
	if (!app->screen.in || !app->screen.out || r->rows > app->screen.rows)
		return lines;
	out_mem(&o);
	render(&g, &o, err);
	lines = lines_of(app, out_text(&o));
	out_close(&o);
	return lines;
}

/* ---- within a budget ---- */

static int render_part(void *arg, const struct result *r, const struct left_out *left,
		       struct out *o, struct err *err)
{
	struct rendering *g = arg;

	g->rd.r = r;
	g->rd.left = *left;
	return render(g, o, err);
}

/* The bytes that the answer may still have: all answers to a program are one, and those that
 * are due share what is left. */
static size_t budget_room(const struct app *app)
{
	const size_t all = (size_t)app->opts->budget;
	/* An eighth is for notes and errors. */
	const size_t used = app->answers ? app->answers->n + all / 8 : 0;

	return all > used ? (all - used) / (app->answers && app->due ? app->due : 1) : 0;
}

/* Returns the errno of the output, as write_result(). */
static int write_budgeted(struct rendering *g, const struct place *p, struct err *err)
{
	struct app *app = g->app;
	struct out o, to;
	int failed = 0;

	out_mem(&o);
	budget_write(g->rd.r, g->f, budget_room(app), render_part, g, &o, err);
	session_check(app->session, err);
	if (!err->kind && app->answers) {
		out_c(app->answers, app->answers->n ? "\n" : "");
		out_str(app->answers, out_text(&o));
	} else if (!err->kind) {
		out_fd(&to, p->fd);
		out_str(&to, out_text(&o));
		failed = out_close(&to);
	}
	out_close(&o);
	return failed;
}

/* Returns the errno of the output, 0 if all was written.  err is for the renderer. */
static int write_result(struct app *app, const struct result *r,
			const struct format_row *f, const struct place *p,
			struct err *err)
{
	struct rendering g = rendering_of(app, r, f, p);
	struct out o;
	int failed;

	if (app->opts->budget && (p->pager || p->fd == STDOUT_FILENO)) {
		failed = write_budgeted(&g, p, err);
	} else {
		out_fd(&o, p->fd);
		render(&g, &o, err);
		/* Some formats read more of the index. */
		session_check(app->session, err);
		failed = out_close(&o);
	}
	if (!err->kind && g.rd.note[0] && (g.rd.left.rows || !app->opts->quiet))
		talk("note: %s", g.rd.note);
	return failed;
}

/* ---- documents of several answers ---- */

static struct suite *suite_of(struct app *app)
{
	return app->output.fd >= 0 ? &app->filed : &app->report;
}

/* Answers of one place are one document.  At the prompt each is shown at once. */
static bool is_collected(const struct app *app, const struct format_row *f,
			 struct str file, struct str shell)
{
	return f->format == FORMAT_JUNIT && !file.n && !shell.n && !app->answers &&
	       (app->output.fd >= 0 || !app->interactive);
}

static int collect(struct app *app, const struct result *r, const struct format_row *f,
		   struct err *err)
{
	const struct place nowhere = {.fd = -1};
	struct rendering g = rendering_of(app, r, f, &nowhere);

	g.suite = suite_of(app);
	render(&g, NULL, err);
	return session_check(app->session, err);
}

static int write_suite(struct app *app, struct suite *s, struct err *err)
{
	bool wanted = s->wanted && !(app->closed && s == &app->report);
	struct place p = {
		.fd = STDOUT_FILENO, .name = "standard output", .target.fd = -1};
	const size_t room =
		app->opts->budget && s == &app->report ? budget_room(app) : SIZE_MAX;
	struct out o, to;

	if (s == &app->filed && app->output.fd >= 0)
		p = (struct place){.fd = app->output.fd,
				   .name = app->output.path,
				   .whole = target_whole(&app->output),
				   .target.fd = -1};
	if (!wanted) {
		suite_free(s);
		return 0;
	}
	out_mem(&o);
	suite_write(s, &o);
	out_fd(&to, p.fd);
	/* It cannot be cut. */
	if (o.n > room)
		budget_too_long(o.n, room, FORMAT_JUNIT, err);
	else
		out_str(&to, out_text(&o));
	out_close_into(&to, &o);
	return close_place(app, &p, out_close(&to), err);
}

int output_finish(struct app *app, struct err *err)
{
	write_suite(app, &app->filed, err);
	return write_suite(app, &app->report, err);
}

static void say_github(struct app *app, const struct err *err, struct str text,
		       const struct origin *from)
{
	size_t at = err->at <= text.n ? (size_t)err->at : 0, line = from ? from->line : 1;
	struct str file = str_c(from && from->file ? from->file : "");
	struct err ignored = {0};
	struct place p;
	struct out o;

	for (size_t i = 0; i < at; i++)
		line += text.p[i] == '\n';
	if (open_place(app, STR(""), STR(""), 1, &p, &ignored))
		return;
	out_fd(&o, p.fd);
	render_github_error(&o, err, file, line);
	close_place(app, &p, out_close(&o), &ignored);
}

void output_failure(struct app *app, const struct err *err, struct str text,
		    struct str statement, const struct origin *from)
{
	static const struct err unsaid = {.text = "it failed: see the messages"};
	struct suite *s = suite_of(app);

	if (app->interactive || app->closed || err->kind == ERR_EXPECT)
		return;
	if (!err->text[0])
		err = &unsaid;
	suite_error(s, err, statement, progress_now_ns() - app->started_ns);
	s->wanted |= app->format == FORMAT_JUNIT;
	if (app->format == FORMAT_GITHUB)
		say_github(app, err, text, from);
}

bool output_for_people(const struct app *app)
{
	return (app->format == FORMAT_NONE || app->format == FORMAT_TABLE ||
		app->format == FORMAT_TREE) &&
	       app->output.fd < 0;
}

static bool lists_rows(const struct format_row *f)
{
	return f->format == FORMAT_CSV || f->format == FORMAT_TSV ||
	       f->format == FORMAT_JSON || f->format == FORMAT_NDJSON;
}

int output_result(struct app *app, const struct result *r, struct err *err)
{
	const struct format_row *f;
	struct str file = r->file;
	struct place p;
	char *page = NULL;
	int failed = 0;

	f = choose_format(app, r,
			  file.n || !app->output.path ? file : str_c(app->output.path),
			  err);
	if (!f || check_one(r, f, err) || check_tree(r, f, err))
		return err->kind;
	if (is_collected(app, f, file, r->shell))
		return collect(app, r, f, err);
	if (linked_is_one(r, file)) {
		char *dir = app_expand(file);

		page = dir ? linked_path(&app->linked, r, f, dir, err) : NULL;
		free(dir);
		if (!page)
			return err_no_memory(err, NULL);
		file = str_c(page);
	}
	if (open_place(app, file, r->shell, lines_needed(app, r, f, err), &p, err) == 0) {
		if ((f->traits & FORMAT_BINARY) &&
		    (p.pager || app->answers || isatty(p.fd)))
			err_set(err, ERR_QUERY, 0,
				"%s is not for a %s: write it to a file with `> FILE`",
				f->name, app->answers ? "program that asks" : "terminal");
		else if (!(app->closed && p.fd == STDOUT_FILENO))
			failed = write_result(app, r, f, &p, err);
		p.rows = lists_rows(f) ? r : NULL;
		close_place(app, &p, failed, err);
	}
	free(page);
	/* Its rows are elsewhere, but the report of a run has every query. */
	if (!err->kind && app->format == FORMAT_JUNIT && !app->interactive)
		collect(app, r, &formats[FORMAT_JUNIT], err);
	return err->kind;
}

/* Write lines, at most `room` bytes of them. */
static void put_text(struct out *o, struct str text, size_t room)
{
	static const char more[] = "[there is more]\n";
	struct out line;

	out_mem(&line);
	for (size_t n; text.n; text = str_from(text, n + 1)) {
		n = str_find(text, '\n');
		line.n = 0;
		emit_name(&line, EMIT_TEXT, (struct str){text.p, n});
		out_char(&line, '\n');
		if (line.n + sizeof(more) > room) {
			out_c(o, more);
			break;
		}
		out_bytes(o, line.buf, line.n);
		room -= line.n;
	}
	out_close_into(o, &line);
}

int output_text(struct app *app, struct str text, struct err *err)
{
	struct place p;
	struct out o;

	if (app->closed)
		return 0;
	if (app->answers) {
		put_text(app->answers, text, budget_room(app));
		return 0;
	}
	if (open_place(app, STR(""), STR(""), lines_of(app, text), &p, err))
		return err->kind;
	out_fd(&o, p.fd);
	put_text(&o, text, SIZE_MAX);
	return close_place(app, &p, out_close(&o), err);
}

int output_list(struct app *app, struct out *list, struct err *err)
{
	output_text(app, out_text(list), err);
	out_close(list);
	return err->kind;
}

int output_redirect(struct app *app, const char *path, struct err *err)
{
	struct target t = {.fd = -1};

	if (path && app->opts->safe)
		return output_refuse(err);
	if (path && target_open(&t, path, err))
		return err->kind;
	if (app->output.fd >= 0) {
		write_suite(app, &app->filed, err);
		target_commit(&app->output, err);
	}
	app->output = t;
	return err->kind;
}
