/*
 * emit.c - escaping; see emit.h.
 *
 * A name is cut into units: a UTF-8 character, or one byte that is not part of one.  Each
 * form maps a unit to bytes, and adds the delimiters of the whole.  Most names are plain
 * ASCII, which every form writes as it is: special[] names the other bytes, and runs of
 * plain ones are not cut.
 */
#include "repl/term/emit.h"

#include <string.h>
#include <unistd.h>

#include "index/base/out.h"
#include "repl/term/utf8.h"

struct unit {
	const char *p;
	size_t n; /* bytes */
	uint32_t cp;
	bool valid;
};

typedef void unit_writer(struct out *o, const struct unit *u);

static struct unit unit_at_byte(struct str s, size_t at)
{
	struct unit u = {.p = s.p + at};

	u.n = utf8_next(s, at, &u.cp);
	u.valid = u.n > 0;
	if (!u.valid) {
		u.n = 1;
		u.cp = (unsigned char)s.p[at];
	}
	return u;
}

static bool printable(const struct unit *u)
{
	return u->valid && !utf8_unsafe(u->cp);
}

static void hex_bytes(struct out *o, const char *p, size_t n)
{
	static const char digits[] = "0123456789ABCDEF";

	for (size_t i = 0; i < n; i++) {
		unsigned char b = (unsigned char)p[i];
		char x[] = {'\\', 'x', digits[b >> 4], digits[b & 15]};

		out_bytes(o, x, sizeof(x));
	}
}

static void text_unit(struct out *o, const struct unit *u)
{
	if (printable(u))
		out_bytes(o, u->p, u->n);
	else
		hex_bytes(o, u->p, u->n);
}

static void ascii_unit(struct out *o, const struct unit *u)
{
	if (printable(u) && u->cp < 0x80)
		out_bytes(o, u->p, u->n);
	else
		hex_bytes(o, u->p, u->n);
}

static void json_unit(struct out *o, const struct unit *u)
{
	static const char plain[] = "\b\f\n\r\t\"\\", letter[] = "bfnrt\"\\";
	const char *short_form = u->cp && u->cp < 0x80 ? strchr(plain, (int)u->cp) : NULL;

	if (short_form) {
		out_char(o, '\\');
		out_char(o, letter[short_form - plain]);
	} else if (utf8_unsafe(u->cp)) {
		out_printf(o, "\\u%04x", (unsigned)u->cp);
	} else {
		out_bytes(o, u->p, u->n);
	}
}

static void csv_unit(struct out *o, const struct unit *u)
{
	if (u->cp == '"')
		out_char(o, '"');
	out_bytes(o, u->p, u->n);
}

static void plain_unit(struct out *o, const struct unit *u)
{
	out_bytes(o, u->p, u->n);
}

static void md_unit(struct out *o, const struct unit *u)
{
	if (u->cp < 0x80 && strchr("\\`*_[]<>#|~&!$", (int)u->cp) && u->cp)
		out_char(o, '\\');
	text_unit(o, u);
}

static void md_cell_unit(struct out *o, const struct unit *u)
{
	if (u->cp == '|')
		out_char(o, '\\');
	text_unit(o, u);
}

static void xml_unit(struct out *o, const struct unit *u)
{
	switch (u->cp) {
	case '&': out_c(o, "&amp;"); break;
	case '<': out_c(o, "&lt;"); break;
	case '>': out_c(o, "&gt;"); break;
	case '"': out_c(o, "&quot;"); break;
	case '\'': out_c(o, "&#39;"); break;
	case 0xfffe:
	case 0xffff: hex_bytes(o, u->p, u->n); break; /* not characters of XML */
	default: text_unit(o, u);
	}
}

static void dot_unit(struct out *o, const struct unit *u)
{
	if (u->cp == '"' || u->cp == '\\')
		out_char(o, '\\');
	if (printable(u)) {
		out_bytes(o, u->p, u->n);
		return;
	}
	for (size_t i = 0; i < u->n; i++) {
		out_char(o, '\\');
		hex_bytes(o, u->p + i, 1);
	}
}

static void frame_unit(struct out *o, const struct unit *u)
{
	if (u->cp == ';')
		out_char(o, ':');
	else
		text_unit(o, u);
}

static void github_unit(struct out *o, const struct unit *u)
{
	if (u->cp < 0x80 && u->cp && strchr("%\r\n", (int)u->cp))
		out_printf(o, "%%%02X", (unsigned)u->cp);
	else
		text_unit(o, u);
}

static void github_value_unit(struct out *o, const struct unit *u)
{
	if (u->cp == ':' || u->cp == ',')
		out_printf(o, "%%%02X", (unsigned)u->cp);
	else
		github_unit(o, u);
}

/* ---- plain bytes ---- */

enum {
	IN_TEXT = 1,
	IN_JSON = 2,
	IN_FIELD = 4, /* csv, tsv */
	IN_MD = 8,
	IN_XML = 16,
	IN_DOT = 32,
	IN_FRAME = 64,
	IN_GITHUB = 128,
	IN_ALL = 255,
};

/* The forms that do not write a byte as it is. */
static const uint8_t special[256] = {
	[0 ... 31] = IN_ALL,
	['!'] = IN_MD,
	['"'] = IN_JSON | IN_FIELD | IN_XML | IN_DOT,
	['#'] = IN_MD,
	['$'] = IN_MD,
	['%'] = IN_GITHUB,
	['&'] = IN_MD | IN_XML,
	['\''] = IN_XML,
	['*'] = IN_MD,
	[','] = IN_FIELD | IN_GITHUB,
	[':'] = IN_GITHUB,
	[';'] = IN_FRAME,
	['<'] = IN_MD | IN_XML,
	['>'] = IN_MD | IN_XML,
	['['] = IN_MD,
	['\\'] = IN_JSON | IN_FIELD | IN_MD | IN_DOT,
	[']'] = IN_MD,
	['_'] = IN_MD,
	['`'] = IN_MD,
	['|'] = IN_MD,
	['~'] = IN_MD,
	[127 ... 255] = IN_ALL,
};

/* Where the run of plain bytes from `at` on ends. */
static size_t plain_end(struct str s, size_t at, unsigned form)
{
	while (at < s.n && !(special[(unsigned char)s.p[at]] & form))
		at++;
	return at;
}

static void each_unit(struct out *o, struct str s, unsigned form, unit_writer *write)
{
	for (size_t i = 0; i < s.n;) {
		const size_t end = plain_end(s, i, form);
		struct unit u;

		out_bytes(o, s.p + i, end - i);
		if ((i = end) == s.n)
			return;
		u = unit_at_byte(s, i);
		write(o, &u);
		i += u.n;
	}
}

/* More ticks than there are in a row in the text; blanks where it begins or ends with
 * one, of which Markdown takes one off. */
static void md_code(struct out *o, struct str s, unit_writer *write)
{
	bool pad = s.n && (s.p[0] == '`' || s.p[s.n - 1] == '`' ||
			   (s.p[0] == ' ' && s.p[s.n - 1] == ' '));
	size_t most = 0;

	for (size_t i = 0, run = 0; i < s.n; i++) {
		run = s.p[i] == '`' ? run + 1 : 0;
		most = run > most ? run : most;
	}
	if (!s.n)
		return;
	out_fill(o, '`', most + 1);
	out_c(o, pad ? " " : "");
	each_unit(o, s, IN_MD, write);
	out_c(o, pad ? " " : "");
	out_fill(o, '`', most + 1);
}

/* ---- for a runner ---- */

static bool guarded;

void emit_for_runner(void)
{
	guarded = true;
}

/* The bracket of "##[error]" is at byte i. */
static bool is_command(struct str s, size_t i)
{
	return s.p[i] == '[' && i > 1 && s.p[i - 1] == '#' && s.p[i - 2] == '#';
}

/* The colon that makes a command of a line that begins with the name; s.n: there is none. */
static size_t line_command(struct str s)
{
	size_t i = 0;

	while (i < s.n && (unsigned char)s.p[i] <= ' ')
		i++;
	return i + 1 < s.n && s.p[i] == ':' && s.p[i + 1] == ':' ? i : s.n;
}

static bool forges(struct str s)
{
	return line_command(s) < s.n || str_find_str(s, STR("##[")) < s.n;
}

/* s with the bytes of commands as \xNN, in out_mem. */
static struct str harmless(struct out *o, struct str s)
{
	const size_t colon = line_command(s);

	for (size_t i = 0; i < s.n; i++)
		if (i == colon || is_command(s, i))
			hex_bytes(o, s.p + i, 1);
		else
			out_char(o, s.p[i]);
	return out_text(o);
}

void emit_raw(struct out *o, struct str s)
{
	struct out safe;

	if (!guarded || o->fd != STDOUT_FILENO || !forges(s)) {
		out_str(o, s);
		return;
	}
	out_mem(&safe);
	out_str(o, harmless(&safe, s));
	out_close_into(o, &safe);
}

/* ---- the marked form ---- */

static bool all_printable(struct str s)
{
	for (size_t i = plain_end(s, 0, IN_TEXT); i < s.n; i = plain_end(s, i, IN_TEXT)) {
		struct unit u = unit_at_byte(s, i);

		if (!printable(&u))
			return false;
		i += u.n;
	}
	return true;
}

static bool starts_marked(struct str s)
{
	return str_starts(s, STR("\\x:"));
}

/* The name after the mark, in out_mem; the form then writes it as text. */
static struct str marked(struct out *o, struct str s)
{
	out_c(o, "\\x:");
	for (size_t i = 0; i < s.n;) {
		struct unit u = unit_at_byte(s, i);

		if (u.cp == '\\')
			out_c(o, "\\\\");
		else if (guarded && is_command(s, i))
			hex_bytes(o, u.p, u.n);
		else
			text_unit(o, &u);
		i += u.n;
	}
	return out_text(o);
}

static void json_units(struct out *o, struct str s)
{
	size_t from = 0;

	for (size_t i = 0; guarded && i < s.n; i++)
		if (is_command(s, i)) {
			each_unit(o, (struct str){s.p + from, i - from}, IN_JSON,
				  json_unit);
			out_c(o, "\\u005b");
			from = i + 1;
		}
	each_unit(o, str_from(s, from), IN_JSON, json_unit);
}

static bool looks_like_formula(struct str s)
{
	size_t i = 0;

	while (i < s.n && s.p[i] == '\'')
		i++;
	return i < s.n &&
	       (s.p[i] == '=' || s.p[i] == '+' || s.p[i] == '-' || s.p[i] == '@');
}

/* plain: it has no special byte. */
static void emit_value(struct out *o, enum emit_form form, struct str s, bool plain)
{
	const bool csv = form == EMIT_CSV || form == EMIT_CSV_RAW,
		   json = form == EMIT_JSON;
	const bool raw = json || form == EMIT_CSV_RAW || form == EMIT_TSV_RAW;
	const bool quote =
		json ||
		(csv && (s.n == 0 || s.p[0] == ' ' || s.p[s.n - 1] == ' ' ||
			 (!plain && (str_find(s, '"') < s.n || str_find(s, ',') < s.n))));

	if (quote)
		out_char(o, '"');
	if (!raw && looks_like_formula(s))
		out_char(o, '\'');
	if (plain && !guarded)
		out_str(o, s);
	else if (json)
		json_units(o, s);
	else
		each_unit(o, s, IN_FIELD, csv ? csv_unit : plain_unit);
	if (quote)
		out_char(o, '"');
}

/* Write a name as a string of JSON or a field, in the marked form if it must be. */
static void emit_marked(struct out *o, enum emit_form form, struct str s)
{
	const bool field = form != EMIT_JSON;
	const bool plain = plain_end(s, 0, field ? IN_FIELD : IN_JSON) == s.n;
	struct out mark;

	if (!(field && guarded && forges(s)) &&
	    (plain ||
	     (!starts_marked(s) && (field ? all_printable(s) : utf8_valid(s))))) {
		emit_value(o, form, s, plain);
		return;
	}
	out_mem(&mark);
	emit_value(o, form, marked(&mark, s), false);
	out_close_into(o, &mark);
}

static void emit_plain(struct out *o, enum emit_form form, struct str s)
{
	switch (form) {
	case EMIT_JSON:
	case EMIT_CSV:
	case EMIT_CSV_RAW:
	case EMIT_TSV:
	case EMIT_TSV_RAW: emit_marked(o, form, s); break;
	case EMIT_GITHUB: each_unit(o, s, IN_GITHUB, github_unit); break;
	case EMIT_GITHUB_VALUE: each_unit(o, s, IN_GITHUB, github_value_unit); break;
	case EMIT_MD_CODE: md_code(o, s, text_unit); break;
	case EMIT_MD_CELL: md_code(o, s, md_cell_unit); break;
	case EMIT_TEXT: each_unit(o, s, IN_TEXT, text_unit); break;
	case EMIT_ASCII: each_unit(o, s, IN_TEXT, ascii_unit); break;
	case EMIT_MD: each_unit(o, s, IN_MD, md_unit); break;
	case EMIT_XML: each_unit(o, s, IN_XML, xml_unit); break;
	case EMIT_FRAME: each_unit(o, s, IN_FRAME, frame_unit); break;
	case EMIT_DOT:
		out_char(o, '"');
		each_unit(o, s, IN_DOT, dot_unit);
		out_char(o, '"');
	}
}

void emit_name(struct out *o, enum emit_form form, struct str s)
{
	struct out safe;

	if (!guarded || (form >= EMIT_JSON && form <= EMIT_TSV_RAW) ||
	    form == EMIT_GITHUB || form == EMIT_GITHUB_VALUE || !forges(s)) {
		emit_plain(o, form, s);
		return;
	}
	out_mem(&safe);
	emit_plain(o, form, harmless(&safe, s));
	out_close_into(o, &safe);
}

void emit_xml(struct out *o, const char *before, struct str s, const char *after)
{
	out_c(o, before);
	emit_name(o, EMIT_XML, s);
	out_c(o, after);
}

struct str emit_utf8(struct out *o, struct str s)
{
	if (plain_end(s, 0, IN_JSON) == s.n || (!starts_marked(s) && utf8_valid(s)))
		return s;
	o->n = 0;
	return marked(o, s);
}

size_t emit_unit(enum emit_form form, struct str s, size_t at, size_t *columns)
{
	struct unit u = unit_at_byte(s, at);
	bool as_is = printable(&u) && (form == EMIT_TEXT || u.cp < 0x80);

	*columns = as_is ? utf8_width(u.cp) : 4 * u.n;
	return u.n;
}

size_t emit_width(enum emit_form form, struct str s)
{
	size_t sum = 0, columns;

	for (size_t i = 0; i < s.n; sum += columns) {
		const size_t end = plain_end(s, i, IN_TEXT);

		sum += end - i;
		if ((i = end) == s.n)
			break;
		i += emit_unit(form, s, i, &columns);
	}
	return sum;
}

size_t emit_line(enum emit_form form, struct str text, size_t columns)
{
	size_t i = 0, n, width, taken = 0, end = 0, scope = 0;

	for (; i < text.n; i += n, taken += width) {
		n = emit_unit(form, text, i, &width);
		if (text.p[i] == ' ' && i)
			end = i;
		if (taken + width > columns)
			return end ? end : scope ? scope : i ? i : n;
		if (text.p[i] == ':' && i && text.p[i - 1] == ':')
			scope = i + 1;
	}
	return text.n;
}
