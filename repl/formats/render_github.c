/*
 * render_github.c - workflow commands of GitHub Actions, which become annotations.
 *
 *	::error file=src/a.c,line=12,title=expected no rows%2C found 1::work (a.c:12): delta +40
 *
 * Rows that break an `expect` are errors, rows of a query without one are notices, and an
 * `expect` that holds is no news.  The source is
 * https://docs.github.com/actions/reference/workflow-commands-for-github-actions, and for
 * the escapes command.ts of actions/toolkit.  The runner takes a command only at the start
 * of a line, up to the next `::`; a name can bring in neither, see emit.h.
 */
#include "index/base/err_struct.h"
#include "index/base/out.h"
#include "repl/render/render.h"

#include <stdlib.h>
#include <unistd.h>

#include "repl/render/said.h"
#include "repl/render/headline.h"

/* The rest of path if it lies below dir; else empty. */
static struct str below(struct str path, const char *dir)
{
	struct str base = str_c(dir ? dir : "");

	while (base.n && base.p[base.n - 1] == '/')
		base.n--;
	if (!base.n || !str_starts(path, base) || path.n <= base.n + 1 ||
	    path.p[base.n] != '/')
		return STR("");
	path = str_from(path, base.n);
	while (path.n && path.p[0] == '/')
		path = str_from(path, 1);
	return path;
}

/* A path as the repository has it, or as it is. */
static struct str in_workspace(struct str path)
{
	char here[4096];
	struct str rest = below(path, getenv("GITHUB_WORKSPACE"));

	if (!rest.n && getcwd(here, sizeof(here)))
		rest = below(path, here);
	return rest.n ? rest : path;
}

/* A line's end in a name is shown, and not brought to life by the runner. */
static void put_property(struct out *o, const char *before, struct str value)
{
	struct out text;

	out_mem(&text);
	emit_name(&text, EMIT_TEXT, value);
	out_c(o, before);
	emit_name(o, EMIT_GITHUB_VALUE, out_text(&text));
	out_close_into(o, &text);
}

static void put_command(struct out *o, bool error, struct str file, uint64_t line,
			struct str title, const struct out *message)
{
	out_c(o, error ? "::error " : "::notice ");
	if (file.n)
		put_property(o, "file=", in_workspace(file));
	if (file.n && line)
		out_printf(o, ",line=%llu", (unsigned long long)line);
	put_property(o, file.n ? ",title=" : "title=", title);
	out_c(o, "::");
	emit_name(o, EMIT_GITHUB, out_text(message));
	out_char(o, '\n');
	if (message->failed)
		o->failed = message->failed;
}

static const struct column *file_column(const struct result *r)
{
	const struct column *c = result_col(r, STR("file"));

	for (size_t i = 0; !c && i < r->ncols; i++)
		if (r->cols[i].type == COL_FILE)
			c = &r->cols[i];
	return c && c->type == COL_FILE ? c : NULL;
}

static struct str file_of(const struct column *c, size_t row)
{
	if (!c || render_absent(c, row) || str_eq(c->s[row], STR("???")))
		return STR("");
	return c->s[row];
}

static uint64_t line_of(const struct column *c, size_t row)
{
	return c && c->type == COL_LINE && !render_absent(c, row) ? c->u[row] : 0;
}

/* One annotation for the whole comparison, at the line of its cause; others: what holds of one event
 * may have cost another. */
static void github_put_headline(struct render *rd, bool others)
{
	const struct result *r = rd->r;
	const struct headline *h = r->headline;
	struct out message, title;

	if (!h)
		return;
	out_mem(&message);
	out_mem(&title);
	if (others)
		emit_name(&message, EMIT_TEXT, h->others);
	for (size_t i = 0; i < HEADLINE_LINES && !others; i++)
		if (headline_put(&message, EMIT_TEXT, r, i))
			out_char(&message, '\n');
	out_printf(&title, "%.*s vs %.*s", STR_ARG(r->profile), STR_ARG(r->base));
	message.n -= !others && message.n;
	if (message.n)
		put_command(rd->o, false, others ? STR("") : h->file,
			    others ? 0 : h->line, out_text(&title), &message);
	out_close(&message);
	out_close(&title);
}

static void github_put_rows(struct render *rd, struct said *said, struct str title)
{
	const struct result *r = rd->r;
	const struct column *file = file_column(r), *line = result_col(r, STR("line"));
	const struct column *profile = r->members ? result_col(r, STR("profile")) : NULL;
	struct out message, of;

	out_mem(&message);
	out_mem(&of);
	for (size_t row = 0; row < r->rows && !r->doubted && !render_cancelled(rd, row);
	     row++) {
		message.n = 0;
		said_row(said, &message, row);
		of.n = 0;
		if (profile)
			out_printf(&of, "%.*s: ", STR_ARG(profile->s[row]));
		out_str(&of, title);
		put_command(rd->o, r->why.n > 0, file_of(file, row), line_of(line, row),
			    out_text(&of), &message);
	}
	if (rd->left.rows) {
		char left[200];

		message.n = 0;
		render_left_out(rd, left, sizeof(left));
		out_c(&message, left);
		put_command(rd->o, false, STR(""), 0, title, &message);
	}
	/* Members that are doubted, each for itself. */
	for (size_t i = 0; i < r->nbroken; i++) {
		if (!r->broken[i].why.n)
			continue;
		of.n = message.n = 0;
		out_printf(&of, "%.*s: %.*s", STR_ARG(r->broken[i].profile),
			   STR_ARG(r->broken[i].why));
		said_query(&message, r);
		put_command(rd->o, true, STR(""), 0, out_text(&of), &message);
	}
	/* `expect some`: nothing is there to be shown. */
	if (r->why.n && (!r->rows || r->doubted) && !r->nbroken) {
		said_query(&message, r);
		put_command(rd->o, true, STR(""), 0, title, &message);
	}
	out_close(&of);
	out_close(&message);
}

int render_github(struct render *rd)
{
	const struct result *r = rd->r;
	const struct str what = r->why.n ? r->why : str_c(r->source);
	struct said said;
	struct out title;

	if (r->expects && !r->why.n) {
		github_put_headline(rd, true);
		return 0;
	}
	github_put_headline(rd, false);
	out_mem(&title);
	out_str(&title, what);
	if (said_init(&said, rd, false) == 0)
		github_put_rows(rd, &said, out_text(&title));
	said_free(&said);
	out_close(&title);
	return rd->err->kind;
}

void render_github_error(struct out *o, const struct err *err, struct str file,
			 size_t line)
{
	struct out message;

	out_mem(&message);
	said_lines(&message, EMIT_TEXT, str_c(err->text));
	if (err->hint[0]) {
		out_char(&message, '\n');
		said_lines(&message, EMIT_TEXT, str_c(err->hint));
	}
	put_command(o, true, file, line, STR("not answered"), &message);
	out_close(&message);
}
