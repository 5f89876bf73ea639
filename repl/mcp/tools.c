/*
 * tools.c - run the tools; see tools.h.
 *
 * Every call opens the profiles anew: that takes milliseconds when the index is up to date,
 * an index of a profile that was written again is made anew, and nothing that one call sets
 * is left for the next.
 */
#include "repl/mcp/tools.h"

#include <stdlib.h>
#include <string.h>

#include "index/base/err.h"
#include "index/build.h"
#include "repl/app/app.h"
#include "repl/app/guide.h"
#include "repl/app/options.h"
#include "repl/prompt/opening.h"
#include "repl/prompt/script.h"

enum tool tool_of_name(const char *name)
{
	const int tool = str_place("query guide profiles", str_c(name));

	return tool < 0 ? TOOL_NONE : (enum tool)tool;
}

void tool_free(struct tool_call *c)
{
	out_close(&c->answers);
	out_close(&c->said);
	free(c->query);
	free(c->event);
	free(c->profile);
}

static void show_progress(void *call, const struct build_progress *state)
{
	struct tool_call *c = call;

	atomic_store(&c->total, state->total);
	atomic_store(&c->read, state->done);
}

/* Without blanks and empty lines at both ends. */
static struct str trim_lines(struct str s)
{
	for (s = str_trim(s); s.n && s.p[0] == '\n';)
		s = str_trim(str_from(s, 1));
	while (s.n && s.p[s.n - 1] == '\n')
		s = str_trim((struct str){s.p, s.n - 1});
	return s;
}

/* A query, or one of the commands that only read. */
static int ask_text(struct app *app, struct str text)
{
	static const char reads[] =
		".run .queries .sets .explain .help .overview overview";
	const struct str line = trim_lines(text);
	const struct str word = {line.p, strcspn(line.p, " \t\n")};

	struct err err = {0};

	if (str_place(reads, word) >= 0 && str_find(line, '\n') == line.n)
		return script_entry(app, line, NULL);
	if (!word.n || word.p[0] != '.')
		return app_run(app, text, NULL);
	err_set(&err, ERR_QUERY, 0, "%.*s is not for clients, which set and open nothing",
		STR_ARG(word));
	err_hint(&err, "ask it in a query: top by Dr, in NAME | top; a call alone: %s",
		 reads);
	app_fail(app, &err, NULL);
	return err.kind;
}

static int ask(struct tool_call *c, struct app *app)
{
	static const char about[] = "profiles; events";
	const struct options *o = app->opts;
	struct err err = {0};
	int kind;

	app->screen = (struct screen){.utf8 = true};
	app->answers = &c->answers;
	app->progress = show_progress;
	app->progress_arg = c;
	kind = opening_run(app, o->profiles, o->nprofiles);
	atomic_store(&c->total, 0);
	if (!kind && c->profile && session_use(app->session, str_c(c->profile), &err)) {
		app_fail(app, &err, "profile");
		kind = err.kind;
	}
	if (!kind && o->event && session_set_event(app->session, str_c(o->event), &err)) {
		app_fail(app, &err, "--event");
		kind = err.kind;
	}
	return kind ? kind
		    : ask_text(app, str_c(c->tool == TOOL_QUERY ? c->query : about));
}

/* Both together have at most `most` bytes.  The error is the last that was said: earlier
 * lines go. */
static void cut_said(struct tool_call *c, size_t most)
{
	const size_t room = most > c->answers.n ? most - c->answers.n : 0;
	const struct str all = out_text(&c->said);
	struct str last;

	if (all.n <= room)
		return;
	last = str_from(all, all.n - room);
	last = str_from(last, str_find(last, '\n') + 1);
	memmove(c->said.buf, last.p, last.n);
	c->said.n = last.n;
}

void tool_run(struct tool_call *c, const struct options *o)
{
	struct options mine = *o;
	struct app app = {.output.fd = -1};
	struct err err = {0};

	out_mem(&c->answers);
	out_mem(&c->said);
	if (c->tool == TOOL_GUIDE) {
		out_c(&c->answers, guide_md);
		return;
	}
	talk_to(&c->said);
	mine.safe = true;
	if (c->format != FORMAT_NONE)
		mine.format = c->format;
	mine.event = c->event ? c->event : mine.event;
	mine.budget = c->budget ? c->budget : mine.budget;
	if (app_init(&app, &mine, &err))
		app_fail(&app, &err, NULL);
	c->failed = err.kind || ask(c, &app);
	app_free(&app);
	talk_to(NULL);
	cut_said(c, (size_t)mine.budget);
}
