/*
 * names_profile.c - names in a profile: its report, and what callgrind's format keeps of it.
 *
 * The names of the input become functions, files, objects and header lines.  The report is
 * compared with one of harmless names; the profile that quern writes has the same tables.
 */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "engine/graph/graph.h"
#include "engine/names/name.h"
#include "engine/query.h"
#include "index/base/err_struct.h"
#include "index/base/out.h"
#include "index/build.h"
#include "repl/render/render.h"
#include "repl/formats/renderers.h"
#include "tests/fuzz/names_in.h"

static void put_line(struct out *o, const char *key, size_t id, struct str name)
{
	out_c(o, key);
	if (id)
		out_printf(o, "(%zu) ", id);
	for (size_t i = 0; i < name.n; i++)
		if (name.p[i] != '\n')
			out_char(o, name.p[i]);
	out_c(o, "\n");
}

static void put_profile(struct out *o, const struct input *in)
{
	out_c(o, "version: 1\ncreator: x\n");
	put_line(o, "cmd: x --", 0, in->name[0]); /* the head has the program */
	put_line(o, "part: 1\ndesc: Trigger: ", 0, in->name[in->n - 1]);
	out_c(o, "event: Ir : ");
	put_line(o, "", 0, in->name[in->n / 2]);
	out_c(o, "events: Ir\n");
	for (size_t i = 0; i < in->n; i++) {
		put_line(o, "ob=", i + 1, in->name[(i + 1) % in->n]);
		put_line(o, "fl=", i + 1, in->name[(i + 2) % in->n]);
		put_line(o, "fn=", i + 1, in->name[i]);
		out_printf(o, "%zu %zu\n", i + 1, 1000 * i + 500);
		if (i)
			out_printf(
				o,
				"cob=(%zu)\ncfi=(%zu)\ncfn=(%zu)\ncalls=2 1\n%zu 100\n",
				i, i, i, i + 1);
	}
	put_line(o, "part: 2\ndesc: Trigger: ", 0, in->name[in->n / 2]);
	out_c(o, "events: Ir\nfn=(1)\n1 1\n");
}

static struct store *index_of(const char *p, size_t n)
{
	struct build_opts opts = {.no_write = true, .jobs = 1};
	struct build_report report;
	struct store *st = NULL;
	struct err err = {0};
	char path[128];
	int fd;

	snprintf(path, sizeof(path), "%s/names", fuzz_directory());
	fd = open(path, O_WRONLY | O_CREAT | O_TRUNC, 0600);
	if (fd < 0 || write(fd, p, n) != (ssize_t)n || close(fd))
		fuzz_fail("cannot write %s", path);
	if (build_open(path, &opts, &st, &report, &err))
		fuzz_fail("%s", err.text);
	unlink(path);
	return st;
}

static struct out answer(struct store *st, const char *query, enum format format)
{
	struct session *s = fuzz_session(st);
	struct out o;

	out_mem(&o);
	if (!s || fuzz_ask(s, str_c(query), format, &o))
		fuzz_fail("'%s' is not answered", query);
	session_free(s);
	return o;
}

/* ---- the report ----
 *
 * The page's data are lines of text in elements of their own (repl/pictures/report.c).
 */

static bool is_data(const struct back *b, size_t i)
{
	return i > 4 && b->text[i].p[0] == '"' &&
	       str_eq(b->text[i - 1], STR("@hidden")) &&
	       str_eq(b->text[i - 4], STR("<pre"));
}

/* The lines of element `id`, each with its end. */
static struct str data_of(const struct back *b, const char *id)
{
	for (size_t i = 0; i < b->n; i++)
		if (is_data(b, i) && str_eq(str_from(b->text[i - 2], 1), str_c(id)))
			return str_from(b->text[i], 2);
	fuzz_fail("html: no data %s", id);
}

static struct str next_line(struct str *lines, const char *what)
{
	size_t n = str_find(*lines, '\n');
	struct str line = {lines->p, n};

	if (n >= lines->n)
		fuzz_fail("html: too few lines of %s", what);
	*lines = str_from(*lines, n + 1);
	return line;
}

static struct str line_number(struct str lines, uint64_t n, const char *what)
{
	while (n--)
		next_line(&lines, what);
	return next_line(&lines, what);
}

/* What stands before the next `end`; *s: what is behind it. */
static struct str cut(struct str *s, char end)
{
	size_t n = str_find(*s, end);
	struct str head = {s->p, n};

	*s = str_from(*s, n < s->n ? n + 1 : n);
	return head;
}

static void same_name(struct back *b, struct str got, struct str name, const char *what)
{
	if (!str_eq(got, names_in_xml(b, name)))
		fuzz_fail("html: a %s is '%.*s', not '%.*s'", what, STR_ARG(got),
			  STR_ARG(names_in_xml(b, name)));
}

/* Nothing if it is the name. */
static void is_short_name(struct back *b, struct str got, struct str name)
{
	struct str brief = name_short(name, &b->arena);

	if (str_eq(brief, name))
		brief = STR("");
	same_name(b, got, brief, "short name");
}

static void law_functions(struct back *b, const struct graph *g)
{
	struct str lines = data_of(b, "d-functions"), strings = data_of(b, "d-strings");

	for (uint32_t f = 0; f < g->functions; f++) {
		struct str line = next_line(&lines, "functions");
		uint64_t v[5];

		same_name(b, cut(&line, '\t'), graph_name(g, f), "function");
		is_short_name(b, cut(&line, '\t'), graph_name(g, f));
		for (int i = 0; i < 5; i++) {
			const struct str at = cut(&line, ' ');

			/* Calls are -1 where there are none at all. */
			if (!str_u64(at, &v[i]) && (i != 1 || !str_eq(at, STR("-1"))))
				fuzz_fail("html: no number behind function %u", f);
		}
		if (v[0] != graph_id(g, f))
			fuzz_fail("html: function %u has another id", f);
		same_name(b, line_number(strings, v[3], "strings"), graph_file(g, f),
			  "file");
		same_name(b, line_number(strings, v[4], "strings"), graph_obj(g, f),
			  "object");
	}
	if (lines.n)
		fuzz_fail("html: lines of functions that are none");
}

static void law_headers(struct back *b, struct store *st)
{
	struct str lines = data_of(b, "d-events"), line = next_line(&lines, "events");
	struct str parts = data_of(b, "d-parts");
	struct store_event event;

	store_event(st, 0, &event);
	same_name(b, cut(&line, '\t'), event.name, "event");
	same_name(b, cut(&line, '\t'),
		  event_title(event.name, event_unit(event.name, event.long_name,
						     store_info(st)->creator)),
		  "shown event");
	same_name(b, cut(&line, '\t'), event.long_name, "long name");
	if (lines.n)
		fuzz_fail("html: lines of events that are none");
	for (uint32_t i = 0; i < store_info(st)->parts; i++) {
		struct part part;
		char head[40];
		struct str what;

		store_part(st, i, &part);
		line = next_line(&parts, "parts");
		what = cut(&line, '\t');
		snprintf(head, sizeof(head), "part %u%s", i + 1,
			 part.trigger.n ? ", " : "");
		if (!str_starts(what, str_c(head)))
			fuzz_fail("html: a part is '%.*s'", STR_ARG(what));
		same_name(b, str_from(what, strlen(head)), part.trigger, "trigger");
	}
	if (parts.n)
		fuzz_fail("html: lines of parts that are none");
}

static struct store *index_of_input(const struct input *in)
{
	struct store *st;
	struct out o;

	out_mem(&o);
	put_profile(&o, in);
	st = index_of(o.buf, o.n);
	out_close(&o);
	return st;
}

/* The report of a profile of n harmless names. */
static const struct back *harmless_report(size_t n)
{
	static struct back pages[NAMES + 1];
	struct back *page = &pages[n];
	struct input in = {.n = n};
	struct store *st;
	struct out o;

	if (page->n)
		return page;
	for (size_t i = 0; i < in.n; i++)
		in.name[i] = names_harmless(i);
	st = index_of_input(&in);
	o = answer(st, "functions", FORMAT_HTML);
	back_init(page);
	if (!back_page(page, (struct str){o.buf, o.n}))
		fuzz_fail("html of harmless names: %s", page->why);
	out_close(&o);
	store_close(st);
	return page;
}

struct reported {
	struct store *st;
	const struct back *want;
};

static int law_report(void *arg, const struct result *r, struct err *err)
{
	const struct reported *of = arg;
	struct store *st = of->st;
	struct str cmd = str_from(store_info(st)->cmd, strlen("x --"));
	struct result copy = *r;
	struct out o;
	struct back b;

	(void)err;
	names_draw(&o, &copy, FORMAT_HTML);
	back_init(&b);
	if (!back_clean(&b, (struct str){o.buf, o.n}, "\t\n") ||
	    !back_page(&b, (struct str){o.buf, o.n}))
		fuzz_fail("html: %s", b.why);
	names_same_page(&b, of->want, &cmd, is_data, "html");
	law_functions(&b, r->graph);
	law_headers(&b, st);
	back_free(&b);
	out_close(&o);
	return 0;
}

static void check_report(struct store *st, size_t n)
{
	struct reported of = {st, harmless_report(n)};
	struct session *s = fuzz_session(st);
	struct store_event event;
	struct err err = {0};
	struct arena a;

	/* A name with a unit in it ("Bytes") gives costs that unit, so the page has other texts. */
	store_event(st, 0, &event);
	if (event_unit(event.name, event.long_name, store_info(st)->creator).kind) {
		session_free(s);
		return;
	}
	arena_init(&a, 0);
	if (query_run(s, STR("functions"), &a, law_report, &of, &err))
		fuzz_fail("%s", err.text);
	arena_free(&a);
	session_free(s);
}

void names_check_profile(const struct input *in)
{
	static const char *const queries[] = {"functions", "calls", "events", "lines"};
	struct store *first = index_of_input(in), *second;
	struct out o, again;

	check_report(first, in->n);
	o = answer(first, "functions", FORMAT_CALLGRIND);
	second = index_of(o.buf, o.n);
	for (size_t i = 0; i < sizeof(queries) / sizeof(queries[0]); i++) {
		struct out was = answer(first, queries[i], FORMAT_NDJSON);

		again = answer(second, queries[i], FORMAT_NDJSON);
		if (was.n != again.n || (was.n && memcmp(was.buf, again.buf, was.n) != 0))
			fuzz_fail(
				"callgrind: %s are other ones:\n%.*s\nwritten as\n%.*s\nwere\n%.*s",
				queries[i], (int)again.n, again.buf, (int)o.n, o.buf,
				(int)was.n, was.buf);
		out_close(&was);
		out_close(&again);
	}
	out_close(&o);
	store_close(first);
	store_close(second);
}
