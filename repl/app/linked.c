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

char *linked_path(struct linked **to, const struct result *r, const struct format_row *f,
		  const char *dir, struct err *err)
{
	struct linked *p = *to;
	char *path = NULL;
	struct out name;

	if (!p && (p = *to = calloc(1, sizeof(*p))))
		out_mem(&p->rows);
	if (!p || (!p->dir && !(p->dir = strdup(dir)))) {
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

static void write_table(const struct linked *p, char **said, struct err *err)
{
	struct target t = {.fd = -1};
	char *path = NULL;
	struct out o;

	if (p->rows.failed || asprintf(&path, "%sindex.html", p->dir) < 0) {
		err_no_memory(err, NULL);
		return;
	}
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
		else if (!target_commit(&t, err) &&
			 asprintf(said, "wrote %s profiles to %s", GROUPED(p->n), path) <
				 0)
			*said = NULL;
	}
	free(path);
}

char *linked_finish(struct linked **of, struct err *err)
{
	char *said = NULL;

	if (*of && (*of)->dir && !err->kind)
		write_table(*of, &said, err);
	linked_free(of);
	return said;
}

void linked_free(struct linked **of)
{
	if (!*of)
		return;
	out_close(&(*of)->rows);
	free((*of)->dir);
	free(*of);
	*of = NULL;
}
