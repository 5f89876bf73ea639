/* parse_back.c - see parse_back.h. */
#include "tests/support/parse_back.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <zlib.h>

#include "engine/lang/format.h"
#include "index/base/vec.h"

void back_init(struct back *b)
{
	*b = (struct back){0};
	arena_init(&b->arena, 0);
}

void back_free(struct back *b)
{
	free(b->text);
	arena_free(&b->arena);
}

__attribute__((format(printf, 2, 3))) static bool wrong(struct back *b, const char *fmt,
							...)
{
	va_list ap;

	if (b->why[0])
		return false;
	va_start(ap, fmt);
	vsnprintf(b->why, sizeof(b->why), fmt, ap);
	va_end(ap);
	return false;
}

static void keep(struct back *b, const char *p, size_t n)
{
	struct str copy = arena_str(&b->arena, (struct str){p, n});

	if (!copy.p || vec_reserve(&b->text, &b->cap, b->n + 1, sizeof(*b->text)))
		abort();
	b->text[b->n++] = copy;
}

/* Whatever is decoded of s fits. */
static void begin(struct back *b, struct str s)
{
	b->scratch = arena_alloc(&b->arena, s.n + 8);
	if (!b->scratch)
		abort();
}

/* ---- characters ---- */

/* The character at p, its bytes in *n; UINT32_MAX when it is not UTF-8. */
static uint32_t character(const char *p, const char *end, size_t *n)
{
	unsigned char c = (unsigned char)*p;
	uint32_t cp = c < 0x80 ? c : c < 0xe0 ? c & 31u : c < 0xf0 ? c & 15u : c & 7u;
	static const uint32_t least[] = {0, 0, 0x80, 0x800, 0x10000};

	*n = c < 0x80 ? 1 : c < 0xc2 ? 0 : c < 0xe0 ? 2 : c < 0xf0 ? 3 : c < 0xf5 ? 4 : 0;
	if (*n == 0 || *n > (size_t)(end - p))
		return UINT32_MAX;
	for (size_t i = 1; i < *n; i++) {
		if ((p[i] & 0xc0) != 0x80)
			return UINT32_MAX;
		cp = cp << 6 | (p[i] & 63u);
	}
	return cp < least[*n] || cp > 0x10ffff || (cp >= 0xd800 && cp < 0xe000)
		       ? UINT32_MAX
		       : cp;
}

static bool reorders(uint32_t cp)
{
	return cp == 0x61c || cp == 0x200e || cp == 0x200f ||
	       (cp >= 0x2028 && cp <= 0x202e) || (cp >= 0x2066 && cp <= 0x2069);
}

bool back_clean(struct back *b, struct str s, const char *allowed)
{
	for (size_t i = 0, n = 1; i < s.n; i += n) {
		uint32_t cp;

		for (n = 1; i < s.n && s.p[i] >= ' ' && s.p[i] <= '~';)
			i++;
		if (i == s.n)
			break;
		cp = character(s.p + i, s.p + s.n, &n);
		if (cp == UINT32_MAX)
			return wrong(b, "byte %zu is not UTF-8", i);
		if (cp != 0 && cp < 128 && strchr(allowed, (int)cp))
			continue;
		if (cp < 32 || (cp >= 127 && cp < 160) || reorders(cp))
			return wrong(b, "U+%04X at byte %zu", (unsigned)cp, i);
	}
	return true;
}

/* ---- guard and mark ---- */

struct str back_unguard(struct str s)
{
	size_t i = 0;

	while (i < s.n && s.p[i] == '\'')
		i++;
	return i > 0 && i < s.n && strchr("=+-@", s.p[i]) && s.p[i] ? str_from(s, 1) : s;
}

static int hex(char c)
{
	return c >= '0' && c <= '9' ? c - '0' : c >= 'A' && c <= 'F' ? c - 'A' + 10 : -1;
}

bool back_unmark(struct back *b, struct str s, struct str *out)
{
	char *p;
	size_t n = 0;

	*out = s;
	if (!str_starts(s, STR("\\x:")))
		return true;
	p = arena_alloc(&b->arena, s.n + 1);
	if (!p)
		abort();
	for (size_t i = 3; i < s.n; i++) {
		if (s.p[i] != '\\') {
			p[n++] = s.p[i];
		} else if (i + 1 < s.n && s.p[i + 1] == '\\') {
			p[n++] = s.p[++i];
		} else if (i + 3 < s.n && s.p[i + 1] == 'x' && hex(s.p[i + 2]) >= 0 &&
			   hex(s.p[i + 3]) >= 0) {
			p[n++] = (char)(hex(s.p[i + 2]) * 16 + hex(s.p[i + 3]));
			i += 3;
		} else {
			return wrong(b, "a marked name with a stray backslash");
		}
	}
	*out = (struct str){p, n};
	return true;
}

/* ---- separated values ---- */

static bool quoted_field(struct back *b, struct str s, size_t *at)
{
	char *p = b->scratch;
	size_t n = 0, i = *at + 1;

	for (; i < s.n && (s.p[i] != '"' || (i + 1 < s.n && s.p[i + 1] == '"')); i++) {
		i += s.p[i] == '"';
		p[n++] = s.p[i];
	}
	if (i >= s.n)
		return wrong(b, "a quoted field without end at byte %zu", *at);
	keep(b, p, n);
	*at = i + 1;
	return true;
}

bool back_csv(struct back *b, struct str s, size_t columns)
{
	size_t fields = 0;

	begin(b, s);
	for (size_t at = 0; at < s.n;) {
		size_t from = at;

		if (s.p[at] == '"') {
			if (!quoted_field(b, s, &at))
				return false;
		} else {
			while (at < s.n && !strchr("\",\r\n", s.p[at]))
				at++;
			keep(b, s.p + from, at - from);
		}
		fields++;
		if (at < s.n && s.p[at] == ',' && fields < columns) {
			at++;
		} else if (at < s.n && s.p[at] == '\n' && fields == columns) {
			at++;
			fields = 0;
		} else {
			return wrong(b, "field %zu ends wrongly at byte %zu", fields, at);
		}
	}
	return fields == 0 || wrong(b, "the last line has %zu fields", fields);
}

bool back_tsv(struct back *b, struct str s, size_t columns)
{
	size_t fields = 0;

	for (size_t at = 0, from = 0; at < s.n; at++) {
		if (s.p[at] != '\t' && s.p[at] != '\n')
			continue;
		keep(b, s.p + from, at - from);
		from = at + 1;
		fields++;
		if ((s.p[at] == '\n') != (fields == columns))
			return wrong(b, "field %zu ends wrongly at byte %zu", fields, at);
		fields %= columns;
	}
	return (s.n == 0 || s.p[s.n - 1] == '\n') || wrong(b, "no newline at the end");
}

/* ---- JSON ---- */

struct json {
	struct back *b;
	struct str s;
	size_t at;
	unsigned depth;
};

static bool json_value(struct json *j);

static void blanks(struct json *j)
{
	while (j->at < j->s.n && strchr(" \t\r\n", j->s.p[j->at]) && j->s.p[j->at])
		j->at++;
}

static bool next_is(struct json *j, char c)
{
	blanks(j);
	if (j->at >= j->s.n || j->s.p[j->at] != c)
		return false;
	j->at++;
	return true;
}

static size_t put_utf8(char *p, uint32_t cp)
{
	if (cp < 0x80) {
		p[0] = (char)cp;
		return 1;
	}
	if (cp < 0x800) {
		p[0] = (char)(0xc0 | cp >> 6);
		p[1] = (char)(0x80 | (cp & 63));
		return 2;
	}
	p[0] = (char)(0xe0 | cp >> 12);
	p[1] = (char)(0x80 | (cp >> 6 & 63));
	p[2] = (char)(0x80 | (cp & 63));
	return 3;
}

/* \uNNNN; surrogates are not needed for what has to be escaped. */
static bool unicode(struct json *j, char *p, size_t *n)
{
	uint32_t cp = 0;

	for (int i = 0; i < 4; i++, j->at++) {
		char c = j->at < j->s.n ? j->s.p[j->at] : '\0';
		int digit = hex(c >= 'a' && c <= 'f' ? (char)(c - 32) : c);

		if (digit < 0)
			return wrong(j->b, "\\u with '%c' at byte %zu", c, j->at);
		cp = cp * 16 + (uint32_t)digit;
	}
	if (cp >= 0xd800 && cp < 0xe000)
		return wrong(j->b, "a surrogate at byte %zu", j->at);
	*n += put_utf8(p + *n, cp);
	return true;
}

static bool escape(struct json *j, char *p, size_t *n)
{
	static const char letter[] = "\"\\/bfnrt", byte[] = "\"\\/\b\f\n\r\t";
	char c = j->at < j->s.n ? j->s.p[j->at++] : '\0';
	const char *found = c ? strchr(letter, c) : NULL;

	if (c == 'u')
		return unicode(j, p, n);
	if (!found)
		return wrong(j->b, "an escape '%c' at byte %zu", c, j->at);
	p[(*n)++] = byte[found - letter];
	return true;
}

static bool json_string(struct json *j, bool key)
{
	char *p = j->b->scratch;
	size_t n = 0;

	if (!next_is(j, '"'))
		return wrong(j->b, "no string at byte %zu", j->at);
	while (j->at < j->s.n && j->s.p[j->at] != '"') {
		char c = j->s.p[j->at++];

		if ((unsigned char)c < 32)
			return wrong(j->b, "a raw control byte at %zu", j->at);
		if (c != '\\')
			p[n++] = c;
		else if (!escape(j, p, &n))
			return false;
	}
	if (!next_is(j, '"'))
		return wrong(j->b, "a string without end");
	if (!key)
		keep(j->b, p, n);
	return true;
}

static bool json_list(struct json *j, char end, bool keys)
{
	if (j->depth++ > 100)
		return wrong(j->b, "too deep");
	if (next_is(j, end)) {
		j->depth--;
		return true;
	}
	do {
		if (keys && (!json_string(j, true) || !next_is(j, ':')))
			return wrong(j->b, "no key at byte %zu", j->at);
		if (!json_value(j))
			return false;
	} while (next_is(j, ','));
	j->depth--;
	return next_is(j, end) || wrong(j->b, "no %c at byte %zu", end, j->at);
}

/* -?(0|[1-9][0-9]*)(.[0-9]+)?([eE][+-]?[0-9]+)? */
static bool json_number(struct json *j)
{
	char buf[64];
	size_t n = strspn(j->s.p + j->at, "-+.eE0123456789");
	const char *p = buf;

	if (n == 0 || n >= sizeof(buf))
		return wrong(j->b, "no value at byte %zu", j->at);
	memcpy(buf, j->s.p + j->at, n);
	buf[n] = '\0';
	j->at += n;
	p += *p == '-';
	if (*p == '0' && p[1] >= '0' && p[1] <= '9')
		return wrong(j->b, "a number with a leading 0");
	n = strspn(p, "0123456789");
	p += n;
	if (n && *p == '.') {
		n = strspn(p + 1, "0123456789");
		p += 1 + n;
	}
	if (n && (*p == 'e' || *p == 'E')) {
		p++;
		p += *p == '-' || *p == '+';
		n = strspn(p, "0123456789");
		p += n;
	}
	return (n && !*p) || wrong(j->b, "a number like %s", buf);
}

static bool json_value(struct json *j)
{
	static const char *const words[] = {"true", "false", "null"};

	if (next_is(j, '{'))
		return json_list(j, '}', true);
	if (next_is(j, '['))
		return json_list(j, ']', false);
	if (j->at < j->s.n && j->s.p[j->at] == '"')
		return json_string(j, false);
	for (int i = 0; i < 3; i++)
		if (str_starts(str_from(j->s, j->at), str_c(words[i]))) {
			j->at += strlen(words[i]);
			return true;
		}
	return json_number(j);
}

bool back_json(struct back *b, struct str s)
{
	/* A copy, for strspn() needs an end. */
	struct json j = {.b = b, .s = arena_str(&b->arena, s)};

	if (!j.s.p)
		abort();
	begin(b, s);
	for (blanks(&j); j.at < s.n; blanks(&j))
		if (!json_value(&j))
			return false;
	return true;
}

/* ---- XML and HTML ---- */

static const struct {
	const char *entity, *text;
} entities[] = {
	{"&amp;", "&"},
	{"&lt;", "<"},
	{"&gt;", ">"},
	{"&quot;", "\""},
	{"&#39;", "'"},
	{"&middot;", "\xc2\xb7"},
	{"&nbsp;", "\xc2\xa0"},
	{"&uarr;", "\xe2\x86\x91"},
	{"&darr;", "\xe2\x86\x93"},
};

struct page {
	struct back *b;
	struct str s;
	size_t at;
	struct str open[64]; /* elements without their end so far */
	size_t depth;
};

static bool name_byte(char c)
{
	return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') ||
	       (c >= '0' && c <= '9') || (c && strchr("-_!?:", c));
}

static struct str page_name(struct page *g)
{
	size_t from = g->at;

	while (g->at < g->s.n && name_byte(g->s.p[g->at]))
		g->at++;
	return (struct str){g->s.p + from, g->at - from};
}

/* A text of the page behind a letter for what it is. */
static void page_keep(struct page *g, char what, struct str s)
{
	char *p = g->b->scratch;

	/* s may lie there, one byte further. */
	memmove(p + 1, s.p, s.n);
	p[0] = what;
	keep(g->b, p, s.n + 1);
}

/* Text or the value of an attribute, to the byte `end`. */
static bool page_text(struct page *g, char what, char end)
{
	struct str s = g->s;
	char *p = g->b->scratch + 1;
	size_t n = 0;

	while (g->at < s.n && s.p[g->at] != end) {
		size_t i = 0, known = sizeof(entities) / sizeof(entities[0]);
		char c = s.p[g->at];

		/* A quote would do no harm in a text, but what writes texts writes values, too. */
		if (c == '<' || c == '>' || c == '"')
			return wrong(g->b, "a raw %c at byte %zu", c, g->at);
		if (c != '&') {
			p[n++] = c;
			g->at++;
			continue;
		}
		while (i < known &&
		       !str_starts(str_from(s, g->at), str_c(entities[i].entity)))
			i++;
		if (i == known)
			return wrong(g->b, "a raw & at byte %zu", g->at);
		memcpy(p + n, entities[i].text, strlen(entities[i].text));
		n += strlen(entities[i].text);
		g->at += strlen(entities[i].entity);
	}
	page_keep(g, what, (struct str){p, n});
	return true;
}

/* To the '>' of a tag; *ends: it is "/>" or "?>". */
static bool page_attributes(struct page *g, bool *ends)
{
	struct str s = g->s, name;

	for (;;) {
		bool blank = false;

		for (; g->at < s.n && (s.p[g->at] == ' ' || s.p[g->at] == '\n'); g->at++)
			blank = true;
		*ends = g->at < s.n && (s.p[g->at] == '/' || s.p[g->at] == '?');
		g->at += *ends;
		if (g->at < s.n && s.p[g->at] == '>') {
			g->at++;
			return true;
		}
		name = page_name(g);
		if (name.n == 0 || !blank || *ends)
			return wrong(g->b, "no attribute at byte %zu", g->at);
		page_keep(g, '@', name);
		if (g->at >= s.n || s.p[g->at] != '=')
			continue;
		g->at += 2;
		if (g->at > s.n || s.p[g->at - 1] != '"')
			return wrong(g->b, "a value without quotes at byte %zu", g->at);
		if (!page_text(g, '=', '"'))
			return false;
		if (g->at++ >= s.n)
			return wrong(g->b, "a value without its end");
	}
}

/* What a script or a style holds: a browser looks for nothing but its end. */
static bool page_raw(struct page *g, struct str name)
{
	char end[16];
	size_t n;

	snprintf(end, sizeof(end), "</%.*s>", STR_ARG(name));
	n = str_find_str(str_from(g->s, g->at), str_c(end));
	if (g->at + n >= g->s.n)
		return wrong(g->b, "no %s", end);
	page_keep(g, '!', (struct str){g->s.p + g->at, n});
	g->at += n;
	return true;
}

static bool one_of(struct str name, const char *const *list)
{
	for (; *list; list++)
		if (str_eq(name, str_c(*list)))
			return true;
	return false;
}

static bool page_end(struct page *g)
{
	struct str name;

	g->at++;
	name = page_name(g);
	if (!g->depth || !str_eq(name, g->open[g->depth - 1]))
		return wrong(g->b, "</%.*s> ends nothing at byte %zu", STR_ARG(name),
			     g->at);
	if (g->at >= g->s.n || g->s.p[g->at++] != '>')
		return wrong(g->b, "an end without its > at byte %zu", g->at);
	g->depth--;
	page_keep(g, '/', name);
	return true;
}

static bool page_tag(struct page *g)
{
	static const char *const empty[] = {"!DOCTYPE", "?xml", "meta", "br",
					    "input",	"col",	NULL};
	static const char *const raw[] = {"script", "style", NULL};
	struct str name;
	bool ends;

	if (++g->at < g->s.n && g->s.p[g->at] == '/')
		return page_end(g);
	name = page_name(g);
	if (name.n == 0)
		return wrong(g->b, "a < without an element at byte %zu", g->at);
	page_keep(g, '<', name);
	if (!page_attributes(g, &ends))
		return false;
	if (ends)
		page_keep(g, '/', name);
	if (ends || one_of(name, empty))
		return true;
	if (g->depth == sizeof(g->open) / sizeof(g->open[0]))
		return wrong(g->b, "elements nested too deep at byte %zu", g->at);
	g->open[g->depth++] = name;
	return !one_of(name, raw) || page_raw(g, name);
}

bool back_page(struct back *b, struct str s)
{
	struct page g = {.b = b, .s = s};

	begin(b, s);
	while (g.at < s.n) {
		if (s.p[g.at] == '<' ? !page_tag(&g) : !page_text(&g, '"', '<'))
			return false;
		/* Between two tags is a text, if an empty one. */
		if (g.at < s.n && s.p[g.at] == '<' && b->text[b->n - 1].p[0] != '"')
			page_keep(&g, '"', (struct str){"", 0});
	}
	return g.depth == 0 ||
	       wrong(b, "<%.*s> has no end", STR_ARG(g.open[g.depth - 1]));
}

/* ---- Graphviz ---- */

bool back_dot(struct back *b, struct str s)
{
	begin(b, s);
	for (size_t at = 0; at < s.n; at++) {
		char *p = b->scratch;
		size_t n = 0;

		if (s.p[at] != '"') {
			if (!name_byte(s.p[at]) && !strchr(" \t\n{}[];,=.>-", s.p[at]))
				return wrong(b, "'%c' outside a string at byte %zu",
					     s.p[at], at);
			continue;
		}
		for (at++; at < s.n && s.p[at] != '"'; at++) {
			if (s.p[at] == '\\' &&
			    (at + 1 >= s.n || !strchr("\\\"n", s.p[at + 1])))
				return wrong(b, "an escape at byte %zu", at);
			p[n++] = s.p[at] == '\\' ? s.p[++at] == 'n' ? '\n' : s.p[at]
						 : s.p[at];
		}
		if (at >= s.n)
			return wrong(b, "a string without end");
		keep(b, p, n);
	}
	return true;
}

/* ---- pprof ---- */

static bool varint(struct str s, size_t *at, uint64_t *v)
{
	*v = 0;
	for (unsigned shift = 0; *at < s.n && shift < 64; shift += 7) {
		unsigned char c = (unsigned char)s.p[(*at)++];

		*v |= (uint64_t)(c & 127) << shift;
		if (c < 128)
			return true;
	}
	return false;
}

/* Fields to the end; strings are kept of the outermost message. */
static bool message(struct back *b, struct str s, unsigned depth)
{
	for (size_t at = 0; at < s.n;) {
		uint64_t key, n;
		struct str inner;

		if (!varint(s, &at, &key) || !varint(s, &at, &n) || (key & 7) % 2 != 0)
			return wrong(b, "no field at byte %zu of a message", at);
		if ((key & 7) == 0)
			continue;
		if (n > s.n - at)
			return wrong(b, "a field is longer than its message");
		inner = (struct str){s.p + at, (size_t)n};
		at += (size_t)n;
		if (depth == 0 && key >> 3 == 6)
			keep(b, inner.p, inner.n);
		else if ((depth == 0 && key >> 3 != 2 && !message(b, inner, 1)))
			return false;
	}
	return true;
}

/* Of a gzip file the text in the arena; p NULL: it is none, or not whole. */
static struct str unzip(struct back *b, struct str s)
{
	struct str none = {NULL, 0}, text;
	z_stream z = {.next_in = (unsigned char *)(uintptr_t)s.p,
		      .avail_in = (unsigned)s.n};
	uint32_t size;
	char *p;
	int rc;

	if (s.n < 18 || memcmp(s.p, "\x1f\x8b\x08", 3) != 0)
		return none;
	memcpy(&size, s.p + s.n - 4, sizeof(size));
	if (!(p = arena_alloc(&b->arena, (size_t)size + 1)) ||
	    inflateInit2(&z, MAX_WBITS + 16) != Z_OK)
		return none;
	z.next_out = (unsigned char *)p;
	z.avail_out = size;
	rc = inflate(&z, Z_FINISH);
	text = (struct str){p, size};
	inflateEnd(&z);
	return rc == Z_STREAM_END && !z.avail_in && !z.avail_out ? text : none;
}

bool back_pprof(struct back *b, struct str s)
{
	struct str text;

	begin(b, s);
	text = unzip(b, s);
	if (!text.p)
		return wrong(b, "it is no whole gzip file");
	return message(b, text, 0);
}

/* ---- folded stacks ---- */

bool back_folded(struct back *b, struct str s)
{
	for (size_t at = 0; at < s.n;) {
		size_t end = at + str_find(str_from(s, at), '\n'), number = end;

		if (end >= s.n)
			return wrong(b, "the last line has no end");
		while (number > at && s.p[number - 1] >= '0' && s.p[number - 1] <= '9')
			number--;
		if (number == end || number == at || s.p[number - 1] != ' ')
			return wrong(b, "a line without its number at byte %zu", at);
		for (size_t i = at, from = at; i < number; i++)
			if (s.p[i] == ';' || i + 1 == number) {
				keep(b, s.p + from, i - from);
				from = i + 1;
			}
		at = end + 1;
	}
	return true;
}
