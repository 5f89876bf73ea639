/*
 * linked.c - a file for each profile of a set, and the page that links them; see linked.h.
 *
 * The table is kept while the members are told, and written behind the last one: a page that is
 * there has all its links.
 */
#include "repl/app/linked.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "engine/lang/result.h"
#include "index/base/err.h"
#include "index/base/out.h"
#include "repl/app/app.h"
#include "repl/app/target.h"
#include "repl/formats/renderers.h"
#include "repl/term/emit.h"

struct linked {
	char *dir;
	struct out rows;
	size_t n;
};

bool linked_is_one(const struct result *r, struct str file)
{
	return r->member.n && str_ends(file, STR("/"));
}

/* "007-decode-large.html": what no shell, system or page takes for something else. */
static void put_file(struct out *o, size_t n, struct str member, const char *extension)
{
	enum { LONGEST = 100 };

	out_printf(o, "%03zu-", n);
	for (size_t i = 0; i < member.n && i < LONGEST; i++) {
		const char c = member.p[i];
		const bool plain = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') ||
				   (c >= '0' && c <= '9') || c == '_' || c == '.';

		out_char(o, plain ? c : '-');
	}
	out_printf(o, ".%s", extension);
}

static void put_number(struct out *o, int64_t n)
{
	out_printf(o, "<td>%s", GROUPED_SIGNED(n));
}

static void put_row(struct linked *p, const struct result *r, struct str file)
{
	const struct headline *h = r->headline;
	struct out *o = &p->rows;

	emit_xml(o, "<tr><td><a href=\"", file, "\">");
	emit_xml(o, "", r->member, "</a>");
	put_number(o, r->total);
	if (h) {
		put_number(o, h->total[1]);
		put_number(o, h->total[0] - h->total[1]);
		emit_xml(o, "<td>", h->cause, "");
	}
	out_c(o, "\n");
}

static struct linked *linked_of(struct app *app, char *dir, struct err *err)
{
	struct linked *p = app->linked;

	if (!p && !(p = app->linked = calloc(1, sizeof(*p))))
		err_no_memory(err, NULL);
	if (!p || p->dir) {
		free(dir);
		return p;
	}
	p->dir = dir;
	out_mem(&p->rows);
	return p;
}

char *linked_path(struct app *app, const struct result *r, const struct format_row *f,
		  struct str file, struct err *err)
{
	char *dir = app_expand(file), *path = NULL;
	struct out name;
	struct linked *p;

	if (!dir || !(p = linked_of(app, dir, err))) {
		err_no_memory(err, NULL);
		return NULL;
	}
	if (mkdir(p->dir, 0777) < 0 && errno != EEXIST) {
		err_set(err, ERR_OUTPUT, 0, "%s: %s", p->dir, strerror(errno));
		return NULL;
	}
	out_mem(&name);
	put_file(&name, ++p->n, r->member, f->extension);
	put_row(p, r, out_text(&name));
	if (name.failed ||
	    asprintf(&path, "%s%.*s", p->dir, STR_ARG(out_text(&name))) < 0) {
		path = NULL;
		err_no_memory(err, NULL);
	}
	out_close(&name);
	return path;
}

static int write_table(const struct app *app, struct err *err)
{
	const struct linked *p = app->linked;
	struct target t = {.fd = -1};
	char *path = NULL;
	struct out o;

	if (p->rows.failed || asprintf(&path, "%sindex.html", p->dir) < 0)
		return err_no_memory(err, NULL);
	if (!target_open(&t, path, err)) {
		out_fd(&o, t.fd);
		out_printf(&o,
			   "<!DOCTYPE html>\n<meta charset=\"utf-8\"><title>quern: %s "
			   "profiles</title>\n<style>body{font:14px sans-serif}"
			   "td{padding:1px 1em;text-align:right}td:first-child,"
			   "td:nth-child(5){text-align:left}</style>\n<table>\n",
			   GROUPED(p->n));
		out_bytes(&o, p->rows.buf, p->rows.n);
		out_c(&o, "</table>\n");
		if (out_close(&o))
			err_set(err, ERR_OUTPUT, 0, "%s: %s", path, strerror(errno));
		if (err->kind)
			target_abandon(&t);
		else if (!target_commit(&t, err))
			app_note(app, "wrote %s profiles to %s", GROUPED(p->n), path);
	}
	free(path);
	return err->kind;
}

int linked_finish(struct app *app, struct err *err)
{
	if (app->linked && app->linked->dir && !err->kind)
		write_table(app, err);
	linked_free(app);
	return err->kind;
}

void linked_free(struct app *app)
{
	if (app->linked && app->linked->dir)
		out_close(&app->linked->rows);
	if (app->linked)
		free(app->linked->dir);
	free(app->linked);
	app->linked = NULL;
}
