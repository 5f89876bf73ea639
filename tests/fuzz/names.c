/*
 * names.c - fuzz what becomes of names: any bytes as names, through every output format.
 *
 * An input is a byte that chooses the shape of an answer and then names, each behind its
 * length.  Two ways are taken:
 *
 *	by hand		a result whose query, profile, event, filters and cells are these
 *			names, rendered in every format; what was written is read back
 *			(parse_back.h): every name is whole and in its place, nothing else is
 *	a profile	whose functions, files, objects and header lines are these names, indexed,
 *			answered, and written as callgrind, which is then indexed again: the same
 *			functions (names_profile.c)
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "engine/names/name.h"
#include "index/base/err_struct.h"
#include "index/base/out.h"
#include "repl/render/render.h"
#include "repl/formats/renderers.h"
#include "tests/fuzz/names_in.h"

enum { TEXTS = 4 };

static bool read_input(struct input *in, const uint8_t *data, size_t size)
{
	if (size < 2)
		return false;
	in->shape = data[0];
	for (size_t at = 1; at < size && in->n < NAMES; in->n++) {
		size_t length = data[at++];

		length = length < size - at ? length : size - at;
		in->name[in->n] = (struct str){(const char *)data + at, length};
		at += length;
	}
	return true;
}

/* ---- a result by hand ---- */

struct made {
	const struct input *in;
	struct result r;
	struct column cols[9];
	struct str text[TEXTS][NAMES], filters[2], notes[1];
	uint64_t id[NAMES], depth[NAMES], incl[NAMES], calls[NAMES];
	double percent[NAMES];
	uint8_t estimated[NAMES];
	bool tree;
};

static void make_cells(struct made *m, const struct input *in)
{
	for (size_t i = 0; i < in->n; i++) {
		m->id[i] = i * 7;
		m->depth[i] = m->tree ? i % 5 : 0;
		m->incl[i] = (uint64_t)1000 << (in->n - i);
		m->calls[i] = i;
		m->percent[i] = 100.0 / (double)(i + 1);
		m->estimated[i] = i % 3 == 1;
		for (size_t k = 0; k < TEXTS; k++)
			m->text[k][i] = in->name[(i + k) % in->n];
	}
}

static void make_result(struct made *m, const struct input *in)
{
	const struct column cols[] = {
		{.name = STR("id"),
		 .type = COL_ID,
		 .machine = true,
		 .table = true,
		 .u = m->id},
		{.name = STR("depth"), .type = COL_COUNT, .machine = true, .u = m->depth},
		{.name = STR("incl"),
		 .type = COL_COST,
		 .machine = true,
		 .table = true,
		 .u = m->incl,
		 .estimated = m->estimated},
		{.name = STR("incl%"),
		 .type = COL_PERCENT,
		 .machine = true,
		 .table = true,
		 .bar = true,
		 .f = m->percent},
		{.name = STR("calls"),
		 .type = COL_COUNT,
		 .machine = true,
		 .table = true,
		 .u = m->calls},
		{.name = STR("fn"),
		 .type = COL_NAME,
		 .machine = true,
		 .table = true,
		 .s = m->text[0]},
		{.name = STR("file"),
		 .type = COL_FILE,
		 .machine = true,
		 .table = true,
		 .s = m->text[1]},
		{.name = STR("obj"),
		 .type = COL_OBJ,
		 .machine = true,
		 .table = true,
		 .s = m->text[2]},
		{.name = STR("note"),
		 .type = COL_STR,
		 .machine = true,
		 .table = true,
		 .s = m->text[3]},
	};

	*m = (struct made){.in = in, .tree = in->shape & 1};
	make_cells(m, in);
	memcpy(m->cols, cols, sizeof(cols));
	m->filters[0] = in->name[0];
	m->filters[1] = in->name[in->n - 1];
	m->r = (struct result){
		.source = m->tree ? "calltree" : "functions",
		.query = in->name[in->n - 1],
		.profile = in->name[in->n / 2],
		.event = in->name[0],
		.total = 123456,
		.cols = m->cols,
		.ncols = 9,
		.rows = in->n,
		.rows_before = in->n,
		.filters = m->filters,
		.nfilters = in->shape & 2 ? 2 : 0,
		.footer = in->name[in->n / 3],
		.depth_col = m->tree ? 1 : -1,
		.card = in->shape & 4 && in->n == 1,
		.why = in->shape & 32 ? in->name[0] : STR(""),
	};
}

/* ---- laws ---- */

static struct str decoded(struct back *b, struct str s, bool guarded)
{
	struct str out;

	if (!back_unmark(b, guarded ? back_unguard(s) : s, &out))
		fuzz_fail("%s", b->why);
	return out;
}

/* The last cells of an output are those of the result, row by row. */
static void same_cells(struct back *b, const struct made *m, size_t columns, size_t first,
		       bool guarded, const char *format)
{
	size_t rows = m->r.rows, at = b->n - rows * columns;

	if (b->n < rows * columns)
		fuzz_fail("%s: %zu texts, not %zu", format, b->n, rows * columns);
	for (size_t i = 0; i < rows; i++, at += columns)
		for (size_t k = 0; k < TEXTS; k++)
			if (!str_eq(decoded(b, b->text[at + first + k], guarded),
				    m->text[k][i]))
				fuzz_fail("%s: row %zu, text %zu is another one: %.*s",
					  format, i, k, STR_ARG(b->text[at + first + k]));
}

/* The name as plain text, as the law of emit.h has it; what XML cannot hold in it as bytes. */
static struct str as_text(struct back *b, struct str name)
{
	struct str copy;
	struct out o;

	out_mem(&o);
	emit_name(&o, EMIT_TEXT, name);
	copy = arena_str(&b->arena, (struct str){o.n ? o.buf : "", o.n});
	out_close(&o);
	return copy;
}

static bool has_text(const struct back *b, struct str s)
{
	for (size_t i = 0; i < b->n; i++)
		if (str_eq(b->text[i], s))
			return true;
	return false;
}

static bool not_in_xml(struct str s)
{
	return str_find_str(s, STR("\xef\xbf\xbe")) < s.n ||
	       str_find_str(s, STR("\xef\xbf\xbf")) < s.n;
}

static void same_names(struct back *b, const struct made *m, const char *format, bool xml)
{
	for (size_t i = 0; i < m->r.rows; i++) {
		struct str want = as_text(b, m->text[0][i]);

		if (!has_text(b, want) && !(xml && not_in_xml(want)))
			fuzz_fail("%s: '%.*s' is missing", format, STR_ARG(want));
	}
}

static size_t count(struct str s, char c)
{
	size_t n = 0;

	for (size_t i = 0; i < s.n; i++)
		n += s.p[i] == c;
	return n;
}

static void law_table(struct back *b, struct str s, const struct made *m)
{
	enum { NARROW = 10, ESCAPED = 4, COLUMN = 64 };
	size_t most = m->r.rows + 4; /* filters, titles, footer, columns left out */
	size_t text = m->r.footer.n * ESCAPED + m->r.ncols * COLUMN;

	/* These break where the screen ends, at a blank if there is one. */
	for (size_t i = 0; i < m->r.nfilters; i++)
		text += m->r.filters[i].n * ESCAPED;
	most += text / NARROW;

	if (back_clean(b, s, "\n") &&
	    count(s, '\n') > (m->r.card ? m->r.ncols + 1 : most))
		fuzz_fail("a table of %zu rows has %zu lines:\n%.*s", m->r.rows,
			  count(s, '\n'), STR_ARG(s));
}

static void law_csv(struct back *b, struct str s, const struct made *m)
{
	if (back_clean(b, s, "\r\n") && back_csv(b, s, m->r.ncols))
		same_cells(b, m, m->r.ncols, 5, true, "csv");
	for (size_t i = m->r.ncols; i < b->n; i++)
		if (b->text[i].n && strchr("=+-@", b->text[i].p[0]) && b->text[i].p[0])
			fuzz_fail("csv: a formula: %.*s", STR_ARG(b->text[i]));
}

static void law_tsv(struct back *b, struct str s, const struct made *m)
{
	if (back_clean(b, s, "\t\n") && back_tsv(b, s, m->r.ncols))
		same_cells(b, m, m->r.ncols, 5, true, "tsv");
}

static void law_json(struct back *b, struct str s, const struct made *m)
{
	if (back_clean(b, s, "\n") && back_json(b, s))
		same_cells(b, m, TEXTS, 0, false, "json");
}

/* The end of the code that starts with the ticks at p. */
static const char *code_end(const char *p, const char *end, bool row)
{
	size_t ticks = 0, run = 0;

	for (; p < end && *p == '`'; p++)
		ticks++;
	for (; p < end; p++) {
		run = *p == '`' ? run + 1 : 0;
		if (row && *p == '|' && p[-1] != '\\')
			fuzz_fail("md: the end of a cell in code");
		if (run == ticks && (p + 1 == end || p[1] != '`'))
			return p + 1;
	}
	fuzz_fail("md: code without end");
	return end;
}

/* The cells' ends of a line.  Names are in code, or every byte that means something is
 * escaped. */
static size_t md_line(const char *p, const char *end)
{
	bool row = p < end && *p == '|';
	size_t bars = 0;

	while (p < end) {
		if (*p == '`') {
			p = code_end(p, end, row);
			continue;
		}
		if (*p == '<' || *p == '[' || *p == '*')
			fuzz_fail("md: a bare '%c'", *p);
		bars += *p == '|';
		p += *p == '\\' ? 2 : 1;
	}
	return bars;
}

/* One table; every line of it has every cell, whatever a reader takes for the end of one. */
static void law_md(struct back *b, struct str s, const struct made *m)
{
	size_t cells = m->r.card ? 3 : 9, rows = 0; /* the tree hides its depth */

	if (!back_clean(b, s, "\n"))
		return;
	for (size_t n; s.n; s = str_from(s, n + 1)) {
		size_t bars;

		n = str_find(s, '\n');
		bars = md_line(s.p, s.p + n);
		if (bars && bars != cells)
			fuzz_fail("md: a line of %zu cells, not %zu", bars, cells);
		rows += bars > 0;
	}
	if (rows != (m->r.card ? 8 : m->r.rows) + 2)
		fuzz_fail("md: %zu lines of a table", rows);
}

/* ---- workflow commands ---- */

static struct str unescape_command(struct back *b, struct str s)
{
	static const char *const escapes[] = {"%25", "%",   "%0D", "\r",  "%0A",
					      "\n",  "%3A", ":",   "%2C", ","};
	struct str copy;
	struct out o;

	out_mem(&o);
	for (size_t i = 0; i < s.n; i++) {
		size_t k = 0;

		if (s.p[i] != '%') {
			out_char(&o, s.p[i]);
			continue;
		}
		while (k < 10 && !str_starts(str_from(s, i), str_c(escapes[k])))
			k += 2;
		if (k >= 10)
			fuzz_fail("github: a %% that escapes nothing");
		out_c(&o, escapes[k + 1]);
		i += 2;
	}
	copy = arena_str(&b->arena, (struct str){o.n ? o.buf : "", o.n});
	out_close(&o);
	return copy;
}

/* "::error file=F,title=T::MESSAGE" of a row, and nothing more. */
static void one_command(struct back *b, struct str s, const struct made *m, size_t row)
{
	bool broken = m->r.why.n > 0;
	struct str head = broken ? STR("::error ") : STR("::notice "), file = STR("");
	struct str want = as_text(b, m->text[1][row]);
	size_t end;

	if (!str_starts(s, head))
		fuzz_fail("github: a line that is no command: %.*s", STR_ARG(s));
	s = str_from(s, head.n);
	end = str_find_str(s, STR("::"));
	for (struct str p = {s.p, end}; p.n;) {
		size_t n = str_find(p, ',');
		struct str one = {p.p, n};

		if (str_starts(one, STR("file=")))
			file = unescape_command(b, str_from(one, 5));
		else if (!str_starts(one, STR("title=")) || n < p.n)
			fuzz_fail("github: a property: %.*s", STR_ARG(one));
		if (str_find(one, ':') < n)
			fuzz_fail("github: a bare colon");
		p = str_from(p, n + 1);
	}
	if (str_eq(want, STR("???")))
		want = STR("");
	if (!str_eq(file, want) && !str_ends(want, file))
		fuzz_fail("github: the file is '%.*s', not '%.*s'", STR_ARG(file),
			  STR_ARG(want));
	unescape_command(b, str_from(s, end));
}

static void law_github(struct back *b, struct str s, const struct made *m)
{
	size_t row = 0;

	if (!back_clean(b, s, "\n"))
		return;
	for (size_t n; s.n; s = str_from(s, n + 1), row++) {
		n = str_find(s, '\n');
		if (row < m->r.rows)
			one_command(b, (struct str){s.p, n}, m, row);
	}
	if (row != m->r.rows)
		fuzz_fail("github: %zu commands of %zu rows", row, m->r.rows);
}

/* ---- reports of tests ---- */

static void law_junit(struct back *b, struct str s, const struct made *m)
{
	static const char *const elements[] = {"<testsuites", "<testsuite", "<testcase",
					       NULL};
	const char *last = m->r.why.n ? "<failure" : "<system-out";
	struct str head = STR("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n");
	size_t n = 0;

	if (!str_starts(s, head))
		fuzz_fail("junit: it begins otherwise");
	if (!back_clean(b, s, "\n") || !back_page(b, str_from(s, head.n)))
		return;
	for (size_t i = 0; i < b->n; i++) {
		if (b->text[i].p[0] != '<')
			continue;
		if (n > 3 || !str_eq(b->text[i], str_c(n == 3 ? last : elements[n])))
			fuzz_fail("junit: element %zu is %.*s", n, STR_ARG(b->text[i]));
		n++;
	}
	if (n != 4)
		fuzz_fail("junit: %zu elements", n);
}

/* ---- pages ----
 *
 * The law of HTML and SVG: a page is written twice, with the names of the input and with
 * harmless ones, where equal names stay equal and empty names stay empty.  If the harmless
 * names in the second page are replaced by those of the input, it must equal the first.
 * So no name adds or removes an element, an attribute or a script, and every name is
 * complete and in its place.
 */

/* How a page of harmless names calls name i. */
struct str names_harmless(size_t i)
{
	static char name[NAMES][32];

	snprintf(name[i], sizeof(name[i]), "zq%02zuqz", i);
	return str_c(name[i]);
}

static void make_harmless(struct input *out, const struct input *in)
{
	*out = *in;
	for (size_t i = 0; i < in->n; i++) {
		size_t k = 0;

		while (!str_eq(in->name[k], in->name[i]))
			k++;
		if (in->name[i].n)
			out->name[i] = names_harmless(k);
	}
}

/* The name as text of XML, which has no U+FFFE and no U+FFFF. */
struct str names_in_xml(struct back *b, struct str name)
{
	struct str copy, s = as_text(b, name);
	struct out o;

	out_mem(&o);
	for (size_t i = 0; i < s.n; i++) {
		if (not_in_xml((struct str){s.p + i, s.n - i < 3 ? s.n - i : 3})) {
			out_c(&o, s.p[i + 2] == '\xbe' ? "\\xEF\\xBF\\xBE"
						       : "\\xEF\\xBF\\xBF");
			i += 2;
		} else {
			out_char(&o, s.p[i]);
		}
	}
	copy = arena_str(&b->arena, (struct str){o.n ? o.buf : "", o.n});
	out_close(&o);
	return copy;
}

/* A text of the page of harmless names, with the names exchanged. */
static struct str exchanged(struct back *b, struct str s, const struct str *names)
{
	struct str copy;
	struct out o;

	/* Most of a page is scripts and styles. */
	if (str_find_str(s, STR("zq")) == s.n)
		return s;
	out_mem(&o);
	for (size_t i = 0; i < s.n; i++) {
		if (i + 6 > s.n || memcmp(s.p + i, "zq", 2) != 0 ||
		    memcmp(s.p + i + 4, "qz", 2) != 0) {
			out_char(&o, s.p[i]);
			continue;
		}
		out_str(&o,
			names_in_xml(b,
				     names[(s.p[i + 2] - '0') * 10 + s.p[i + 3] - '0']));
		i += 5;
	}
	copy = arena_str(&b->arena, (struct str){o.n ? o.buf : "", o.n});
	out_close(&o);
	return copy;
}

/* What a frame has room for: pieces of the name, in order. */
static bool has_pieces(struct str name, struct str s)
{
	const struct str dots = STR("\xe2\x80\xa6");

	for (;;) {
		size_t n = str_find_str(s, dots);
		struct str piece = {s.p, n};
		size_t at = str_find_str(name, piece);

		if (n && at >= name.n)
			return false;
		if (n >= s.n)
			return true;
		name = n ? str_from(name, at + n) : name;
		s = str_from(s, n + dots.n);
	}
}

static bool is_colour(struct str s)
{
	unsigned v[3];
	char text[32], back[32];

	snprintf(text, sizeof(text), "%.*s", STR_ARG(s));
	if (sscanf(text, "=hsl(%3u %3u%% %3u%%)", &v[0], &v[1], &v[2]) != 3)
		return false;
	snprintf(back, sizeof(back), "=hsl(%u %u%% %u%%)", v[0], v[1], v[2]);
	return strcmp(text, back) == 0;
}

/* The hue and lightness that a style sheet makes a colour of. */
static bool is_shade(struct str s)
{
	unsigned hue;
	int lighter;
	char text[32], back[32];

	snprintf(text, sizeof(text), "%.*s", STR_ARG(s));
	if (sscanf(text, "=--h:%3u;--d:%3d%%", &hue, &lighter) != 2)
		return false;
	snprintf(back, sizeof(back), "=--h:%u;--d:%d%%", hue, lighter);
	return strcmp(text, back) == 0;
}

/* A chain of short names, of which the middle may be left out, or pieces of them. */
static bool is_chain(struct back *b, struct str s, const struct str *names)
{
	const struct str mark = STR(" \xe2\x80\xba "), again = STR(" \xe2\x86\xbb");

	for (;;) {
		const size_t n = str_find_str(s, mark);
		struct str part = {s.p, n < s.n ? n : s.n};
		bool ok;

		if (str_ends(part, again))
			part.n -= again.n;
		ok = str_eq(part, STR("\xe2\x80\xa6"));
		for (size_t i = 0; i < NAMES && !ok; i++)
			ok = has_pieces(names_in_xml(b, name_short(names[i], &b->arena)),
					part);
		if (!ok || n >= s.n)
			return ok;
		s = str_from(s, n + mark.n);
	}
}

/* The short name of one of the names, or nothing if it is the same. */
static bool is_brief(struct back *b, struct str s, const struct str *names)
{
	s = str_from(s, 1);
	for (size_t i = 0; i < NAMES && s.n; i++) {
		struct str brief = name_short(names[i], &b->arena);

		if (str_eq(s, names_in_xml(b, brief)))
			return true;
	}
	return s.n == 0 || is_chain(b, s, names);
}

/* Of the name that is the title of its frame, or of the short name of that; behind the mark of an
 * estimate. */
static bool is_label(struct back *b, struct str s, struct str title,
		     const struct str *names)
{
	if (str_starts(s, STR("~")) && is_label(b, str_from(s, 1), title, names))
		return true;
	if (has_pieces(title, s))
		return true;
	for (size_t i = 0; i < NAMES; i++)
		if (names[i].n && str_eq(names_in_xml(b, names[i]), title) &&
		    has_pieces(names_in_xml(b, name_short(names[i], &b->arena)), s))
			return true;
	return is_chain(b, s, names);
}

/* Where the reader of a page is. */
struct place {
	struct str element, title; /* the last that began; the text of the last <title> */
	bool frame;		   /* in a frame of a flame graph */
};

static void go_on(struct place *at, struct str s)
{
	if (s.p[0] == '<')
		at->element = str_from(s, 1);
	if (s.p[0] == '"' && str_eq(at->element, STR("title")))
		at->title = (struct str){s.p + 1, str_find(s, '\n') - 1};
	if (s.p[0] == '<' && str_eq(s, STR("<g")))
		at->frame = true;
	if (s.p[0] == '/' && str_eq(s, STR("/g")))
		at->frame = false;
	if (s.p[0] == '/')
		at->element = STR("");
}

/* Is this what stands where the page of harmless names has `want`? */
static bool same_text(struct back *b, const struct place *at, struct str got,
		      struct str want, const struct str *names)
{
	if (got.p[0] != want.p[0])
		return false;
	if (str_starts(want, STR("=hsl(")))
		return is_colour(got);
	if (str_starts(want, STR("=--h:")))
		return is_shade(got);
	if (str_eq(want, STR("=")) && at->frame)
		return is_brief(b, got, names);
	if (at->frame && got.p[0] == '"' && str_eq(at->element, STR("text")))
		return is_label(b, str_from(got, 1), at->title, names);
	return str_eq(got, exchanged(b, want, names));
}

void names_same_page(struct back *b, const struct back *want, const struct str *names,
		     bool (*skip)(const struct back *b, size_t i), const char *format)
{
	struct place at = {0};

	for (size_t i = 0; i < b->n && i < want->n; i++) {
		if (!(skip && skip(b, i)) &&
		    !same_text(b, &at, b->text[i], want->text[i], names))
			fuzz_fail("%s: text %zu is '%.*s', of harmless names '%.*s'",
				  format, i, STR_ARG(b->text[i]), STR_ARG(want->text[i]));
		go_on(&at, b->text[i]);
	}
	if (b->n != want->n)
		fuzz_fail("%s: %zu texts, of harmless names %zu", format, b->n, want->n);
}

void names_draw(struct out *o, struct result *r, enum format format)
{
	static const struct look look;
	struct err err = {0};
	struct render rd = {.o = o, .r = r, .look = &look, .err = &err};

	out_mem(o);
	if (renderers[format](&rd) != 0)
		fuzz_fail("%s: %s", formats[format].name, err.text);
}

/* A cell with a short name has the whole one as its title: take that as its text. */
static void whole_names(struct back *b)
{
	size_t n = 0;

	for (size_t i = 0; i < b->n; i++) {
		if (str_eq(b->text[i], STR("@title")) && i + 2 < b->n) {
			b->text[n++] = arena_printf(&b->arena, "\"%.*s",
						    STR_ARG(str_from(b->text[i + 1], 1)));
			i += 2;
		} else {
			b->text[n++] = b->text[i];
		}
	}
	b->n = n;
}

static void law_page(struct back *b, struct str s, const struct made *m,
		     enum format format)
{
	struct input in;
	struct made twin;
	struct back want;
	struct out o;

	if (!back_clean(b, s, "\t\n") || !back_page(b, s))
		return;
	whole_names(b);
	make_harmless(&in, m->in);
	make_result(&twin, &in);
	names_draw(&o, &twin.r, format);
	back_init(&want);
	if (!back_page(&want, (struct str){o.buf, o.n}))
		fuzz_fail("%s of harmless names: %s", formats[format].name, want.why);
	names_same_page(b, &want, m->in->name, NULL, formats[format].name);
	back_free(&want);
	out_close(&o);
}

static void law_html(struct back *b, struct str s, const struct made *m)
{
	law_page(b, s, m, FORMAT_HTML);
}

static void law_svg(struct back *b, struct str s, const struct made *m)
{
	law_page(b, s, m, FORMAT_SVG);
}

static void law_dot(struct back *b, struct str s, const struct made *m)
{
	if (back_clean(b, s, "\t\n") && back_dot(b, s) && b->n &&
	    !str_eq(b->text[0], as_text(b, m->r.query)))
		fuzz_fail("dot: the title is '%.*s'", STR_ARG(b->text[0]));
}

static void law_folded(struct back *b, struct str s, const struct made *m)
{
	size_t frames = 0, want = 0;

	if (!back_clean(b, s, "\n") || !back_folded(b, s))
		return;
	frames = b->n;
	for (size_t i = 0; i < m->r.rows && !m->tree; i++)
		want++;
	if (!m->tree && frames != want)
		fuzz_fail("folded: %zu frames, not %zu", frames, want);
}

static void law_pprof(struct back *b, struct str s, const struct made *m)
{
	if (back_pprof(b, s))
		same_names(b, m, "pprof", false);
}

static bool has_estimate(const struct back *b, struct str s)
{
	for (size_t i = 0; i < b->n; i++)
		if (str_starts(b->text[i], STR("~")) &&
		    str_eq(str_from(b->text[i], 1), s))
			return true;
	return false;
}

static void law_speedscope(struct back *b, struct str s, const struct made *m)
{
	if (!back_clean(b, s, "\n") || !back_json(b, s))
		return;
	/* "~f" is an estimate of f. */
	for (size_t i = 0; i < b->n; i++)
		b->text[i] = decoded(b, b->text[i], false);
	for (size_t i = 0; i < m->r.rows; i++)
		if (!has_text(b, m->text[0][i]) && !has_estimate(b, m->text[0][i]))
			fuzz_fail("speedscope: '%.*s' is missing",
				  STR_ARG(m->text[0][i]));
}

static const struct {
	enum format format;
	void (*law)(struct back *b, struct str s, const struct made *m);
} laws[] = {
	{FORMAT_TABLE, law_table},
	{FORMAT_TREE, law_table},
	{FORMAT_CSV, law_csv},
	{FORMAT_TSV, law_tsv},
	{FORMAT_JSON, law_json},
	{FORMAT_NDJSON, law_json},
	{FORMAT_MD, law_md},
	{FORMAT_GITHUB, law_github},
	{FORMAT_JUNIT, law_junit},
	{FORMAT_HTML, law_html},
	{FORMAT_SVG, law_svg},
	{FORMAT_DOT, law_dot},
	{FORMAT_FOLDED, law_folded},
	{FORMAT_PPROF, law_pprof},
	{FORMAT_SPEEDSCOPE, law_speedscope},
};

static void check_format(const struct made *m, size_t i, unsigned shape)
{
	const struct look look = {.columns = shape & 8 ? 20 + shape / 2 : 0,
				  .utf8 = shape & 16};
	struct err err = {0};
	struct back b;
	struct out o;
	struct render rd = {.o = &o, .r = &m->r, .look = &look, .err = &err};

	out_mem(&o);
	back_init(&b);
	if (renderers[laws[i].format](&rd) && !err.text[0])
		fuzz_fail("%s: an error without words", formats[laws[i].format].name);
	if (!err.kind)
		laws[i].law(&b, (struct str){o.n ? o.buf : "", o.n}, m);
	if (b.why[0])
		fuzz_fail("%s: %s\n%.*s", formats[laws[i].format].name, b.why,
			  (int)(o.n < 3000 ? o.n : 3000), o.buf);
	back_free(&b);
	out_close(&o);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct input in = {0};
	struct made m;

	if (!read_input(&in, data, size))
		return 0;
	fuzz_begin();
	make_result(&m, &in);
	if (in.shape % 8 == 7)
		names_check_profile(&in);
	else
		for (size_t i = 0; i < sizeof(laws) / sizeof(laws[0]); i++)
			check_format(&m, i, in.shape);
	fuzz_end();
	return 0;
}
