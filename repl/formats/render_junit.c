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

static void put_case(struct out *o, struct str name, struct str class, uint64_t ns)
{
	out_c(o, "    <testcase");
	put_attribute(o, "name", name);
	put_attribute(o, "classname", class.n ? class : STR("quern"));
	put_time(o, ns);
	out_c(o, ">\n");
}

/* A line for each of the first rows; of a profile of a set: of its rows. */
static int junit_put_rows(struct render *rd, struct out *o, const struct column *profile,
			  struct str of)
{
	const size_t all = rd->r->doubted ? 0 : rd->r->rows;
	size_t n = 0;
	struct said said;
	struct out line;

	out_mem(&line);
	if (said_init(&said, rd, false) == 0) {
		for (size_t row = 0; row < all && !render_cancelled(rd, row); row++) {
			if ((profile && !str_eq(profile->s[row], of)) || n++ >= ROWS_SAID)
				continue;
			line.n = 0;
			said_row(&said, &line, row);
			out_char(o, '\n');
			emit_name(o, EMIT_XML, out_text(&line));
		}
		if (n > ROWS_SAID)
			out_printf(o, "\nand %s more", GROUPED(n - ROWS_SAID));
		out_char(o, '\n');
	}
	said_free(&said);
	out_close(&line);
	return rd->err->kind;
}

/* why: it fails, by its rows unless it is doubted; empty: it passes */
static int put_one(struct render *rd, struct out *o, const struct column *profile,
		   struct str of, struct str why, bool doubted)
{
	const struct result *r = rd->r;
	const bool fails = why.n > 0, rows = profile ? fails && !doubted : r->rows > 0;
	const char *tag = fails ? "failure" : "system-out";
	struct out name;

	out_mem(&name);
	said_query(&name, r);
	put_case(o, out_text(&name), of, rd->took_ns);
	out_close(&name);
	if (rows || fails || r->headline) {
		out_printf(o, "      <%s", tag);
		if (fails)
			put_attribute(o, "message", why);
		out_c(o, fails ? " type=\"expect\">" : ">");
		for (size_t i = 0, n = o->n; i < HEADLINE_LINES; i++, n = o->n) {
			out_char(o, '\n');
			if (!headline_put(o, EMIT_XML, r, i))
				o->n = n;
		}
		if (!doubted)
			junit_put_rows(rd, o, profile, of);
		out_printf(o, "</%s>\n", tag);
	}
	out_c(o, "    </testcase>\n");
	return rd->err->kind;
}

/* How the member fails; its doubt is its own. */
static struct str why_broken(const struct result *r, struct str member, bool *doubted)
{
	for (size_t i = 0; i < r->nbroken; i++)
		if (str_eq(r->broken[i].profile, member)) {
			*doubted = r->broken[i].why.n > 0;
			return *doubted ? r->broken[i].why : r->why;
		}
	return STR("");
}

/* Without the names of those that break it, the case is that of all. */
static int put_cases(struct suite *s, struct render *rd)
{
	const struct result *r = rd->r;
	const struct column *profile = result_col(r, STR("profile"));

	if (!r->expects || !r->members || (r->why.n && !r->nbroken)) {
		s->tests++;
		s->failures += r->why.n > 0;
		return put_one(rd, &s->cases, NULL, STR(""), r->why, false);
	}
	for (size_t i = 0; i < r->nmembers; i++) {
		bool doubted = false;
		const struct str why = why_broken(r, r->members[i], &doubted);

		s->tests++;
		s->failures += why.n > 0;
		if (put_one(rd, &s->cases, profile, r->members[i], why, doubted))
			return rd->err->kind;
	}
	return 0;
}

static void open_cases(struct suite *s)
{
	if (!s->open)
		out_mem(&s->cases);
	s->open = true;
}

int suite_result(struct suite *s, struct render *rd)
{
	size_t bytes, tests, failures;

	open_cases(s);
	bytes = s->cases.n;
	tests = s->tests;
	failures = s->failures;
	if (put_cases(s, rd)) {
		s->cases.n = bytes;
		s->tests = tests;
		s->failures = failures;
		return rd->err->kind;
	}
	s->wanted = true;
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
	put_case(o, out_text(&name), STR(""), ns);
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
