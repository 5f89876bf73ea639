/*
 * render_junit.c - a report of tests, as JUnit writes it; see suite.h.
 *
 *	<testsuites tests="2" failures="1" errors="0" time="0.012">
 *	  <testsuite name="quern" tests="2" failures="1" errors="0" skipped="0" time="0.012">
 *	    <testcase name="functions | where ..." classname="quern" time="0.004">
 *	      <failure message="expected no rows, found 1" type="expect">work: ...</failure>
 *
 * No standard describes it.  This is the part of Jenkins' schema
 * (github.com/jenkinsci/xunit-plugin, junit-10.xsd) that GitLab reads, too.
 */
#include "index/base/err_struct.h"
#include "repl/formats/suite.h"

#include "repl/render/said.h"
#include "repl/render/headline.h"
#include "repl/render/render.h"

enum { ROWS_SAID = 100 };

void suite_free(struct suite *s)
{
	if (s->open)
		out_close(&s->cases);
	*s = (struct suite){0};
}

static void put_attribute(struct out *o, const char *name, struct str value)
{
	out_printf(o, " %s=\"", name);
	emit_name(o, EMIT_XML, value);
	out_char(o, '"');
}

static void put_time(struct out *o, uint64_t ns)
{
	out_printf(o, " time=\"%llu.%03llu\"", (unsigned long long)(ns / 1000000000),
		   (unsigned long long)(ns / 1000000 % 1000));
}

static void put_case(struct out *o, struct str name, const char *bench, uint64_t ns)
{
	out_c(o, "    <testcase");
	put_attribute(o, "name", name);
	put_attribute(o, "classname", str_c(bench ? bench : "quern"));
	put_time(o, ns);
	out_c(o, ">\n");
}

/* A line for each of the first rows. */
static int junit_put_rows(struct render *rd, struct out *o)
{
	const size_t all = rd->r->doubted ? 0 : rd->r->rows;
	const size_t n = all < ROWS_SAID ? all : ROWS_SAID;
	struct said said;
	struct out line;

	out_mem(&line);
	if (said_init(&said, rd, false) == 0) {
		for (size_t row = 0; row < n && !render_cancelled(rd, row); row++) {
			line.n = 0;
			said_row(&said, &line, row);
			out_char(o, '\n');
			emit_name(o, EMIT_XML, out_text(&line));
		}
		if (all > n)
			out_printf(o, "\nand %s more", GROUPED(all - n));
		out_char(o, '\n');
	}
	said_free(&said);
	out_close(&line);
	return rd->err->kind;
}

static int put_result(struct render *rd, struct out *o)
{
	const struct result *r = rd->r;
	const char *tag = r->why.n ? "failure" : "system-out";
	struct out name;

	out_mem(&name);
	said_query(&name, r);
	put_case(o, out_text(&name), rd->look->bench, rd->took_ns);
	out_close(&name);
	if (r->rows || r->why.n || r->headline) {
		out_printf(o, "      <%s", tag);
		if (r->why.n)
			put_attribute(o, "message", r->why);
		out_c(o, r->why.n ? " type=\"expect\">" : ">");
		for (size_t i = 0, n = o->n; i < HEADLINE_LINES; i++, n = o->n) {
			out_char(o, '\n');
			if (!headline_put(o, EMIT_XML, r, i))
				o->n = n;
		}
		junit_put_rows(rd, o);
		out_printf(o, "</%s>\n", tag);
	}
	out_c(o, "    </testcase>\n");
	return rd->err->kind;
}

static void open_cases(struct suite *s)
{
	if (!s->open)
		out_mem(&s->cases);
	s->open = true;
}

int suite_result(struct suite *s, struct render *rd)
{
	size_t before;

	open_cases(s);
	before = s->cases.n;
	if (put_result(rd, &s->cases)) {
		s->cases.n = before;
		return rd->err->kind;
	}
	s->wanted = true;
	s->tests++;
	s->failures += rd->r->why.n > 0;
	s->took_ns += rd->took_ns;
	return 0;
}

void suite_error(struct suite *s, const struct err *err, struct str text, uint64_t ns)
{
	struct result named = {.query = text};
	struct out name, *o = &s->cases;

	open_cases(s);
	out_mem(&name);
	said_query(&name, &named);
	put_case(o, out_text(&name), s->bench, ns);
	out_close(&name);
	out_c(o, "      <error");
	put_attribute(o, "message", str_c(err->text));
	out_c(o, " type=\"error\">");
	said_lines(o, EMIT_XML, str_c(err->text));
	if (err->hint[0]) {
		out_c(o, "\nhint: ");
		said_lines(o, EMIT_XML, str_c(err->hint));
	}
	out_c(o, "</error>\n    </testcase>\n");
	s->tests++;
	s->errors++;
	s->took_ns += ns;
}

static void put_counts(struct out *o, const struct suite *s, const char *skipped)
{
	out_printf(o, " tests=\"%zu\" failures=\"%zu\" errors=\"%zu\"%s", s->tests,
		   s->failures, s->errors, skipped);
	put_time(o, s->took_ns);
	out_c(o, ">\n");
}

void suite_write(struct suite *s, struct out *o)
{
	out_c(o, "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites");
	put_counts(o, s, "");
	out_c(o, "  <testsuite name=\"quern\"");
	put_counts(o, s, " skipped=\"0\"");
	if (s->open)
		out_bytes(o, s->cases.buf, s->cases.n);
	if (s->open && s->cases.failed)
		o->failed = s->cases.failed;
	out_c(o, "  </testsuite>\n</testsuites>\n");
	suite_free(s);
}

int render_junit(struct render *rd)
{
	struct suite s = {0};

	if (suite_result(&s, rd) == 0)
		suite_write(&s, rd->o);
	suite_free(&s);
	return rd->err->kind;
}
