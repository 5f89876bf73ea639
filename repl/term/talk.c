/* talk.c - write notes and errors; see talk.h. */
#include "repl/term/talk.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "index/base/err_struct.h"
#include "index/base/err_kind.h"
#include "index/base/out.h"
#include "repl/term/emit.h"

enum { LONGEST = 100 }; /* columns of query text shown without a screen */

static _Thread_local struct out *heard; /* NULL: stderr */

void talk_to(struct out *o)
{
	heard = o;
}

static void begin(struct out *o)
{
	if (heard)
		out_mem(o);
	else
		out_fd(o, STDERR_FILENO);
}

static void end(struct out *o)
{
	if (heard)
		out_bytes(heard, o->buf, o->n);
	out_close(o);
}

/* The columns of the terminal; 0 if stderr is no terminal. */
static size_t columns_of_stderr(void)
{
	struct winsize w;

	return !heard && isatty(STDERR_FILENO) &&
			       ioctl(STDERR_FILENO, TIOCGWINSZ, &w) == 0
		       ? w.ws_col
		       : 0;
}

/* On a terminal, wrap a long line at blanks; the first line has `used` columns taken.  A word
 * longer than a line gets its own line. */
static void put_wrapped(struct out *o, struct str line, size_t used, const char *indent)
{
	const size_t columns = columns_of_stderr();

	for (size_t n;; used = strlen(indent)) {
		n = emit_line(EMIT_TEXT, line, columns > 20 ? columns - used : SIZE_MAX);
		if (n < line.n && line.p[n] != ' ')
			n += str_find(str_from(line, n), ' ');
		emit_name(o, EMIT_TEXT, (struct str){line.p, n});
		out_char(o, '\n');
		if (n == line.n)
			return;
		line = str_from(line, n + 1);
		out_c(o, indent);
	}
}

void talk(const char *fmt, ...)
{
	char text[4096];
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(text, sizeof(text), fmt, ap);
	va_end(ap);
	talk_note(text);
}

void talk_note(const char *text)
{
	struct out o;

	begin(&o);
	put_wrapped(&o, str_c(text), 0, "");
	end(&o);
}

/* An interrupt is what the user wanted, not an error. */
static void put_error(struct out *o, const struct err *err, const char *text, bool colour)
{
	bool named = err->kind != ERR_CANCEL;

	if (named)
		out_c(o, colour ? "\033[1;31merror:\033[0m " : "error: ");
	put_wrapped(o, str_c(text), named ? 7 : 0, "  ");
}

/* A hint, for who is heard in the way that is open to them: a client of MCP names no file and
 * gives no option. */
static const char *open_way(const char *hint)
{
	static const struct {
		const char *word, *instead;
	} ways[] = {
		{".open ",
		 "only profiles that are open are asked: the tool profiles lists them"},
		{"quern ",
		 "only profiles that are open are compared: functions vs NAME; the "
		 "tool profiles lists them"},
		{".event ", "by EVENT, or the argument event"},
		{"--set ", "let $NAME = VALUE; and the query"},
		{"--budget",
		 "ask for less: | take 20, | show fn, self; or the argument budget"},
		{"--limit", "ask for less: of X, depth 3, min 1%"},
	};

	for (size_t i = 0; heard && i < sizeof(ways) / sizeof(*ways); i++)
		if (strstr(hint, ways[i].word) && !strstr(hint, "quern record"))
			return ways[i].instead;
	return hint;
}

static void put_hint(struct out *o, const struct err *err, bool colour)
{
	if (!err->hint[0])
		return;
	out_c(o, colour ? "  \033[1mhint:\033[0m " : "  hint: ");
	put_wrapped(o, str_c(open_way(err->hint)), 8, "        ");
}

/* The line of text with byte `at`; *in_line: the offset of `at` in it. */
static struct str line_of(struct str text, size_t at, size_t *line, size_t *in_line)
{
	size_t start = 0;

	*line = 0;
	for (size_t i = 0; i < at; i++)
		if (text.p[i] == '\n') {
			start = i + 1;
			++*line;
		}
	*in_line = at - start;
	text = str_from(text, start);
	text.n = str_find(text, '\n');
	return text;
}

static size_t characters(struct str s)
{
	size_t count = 0, columns;

	for (size_t i = 0; i < s.n; count++)
		i += emit_unit(EMIT_TEXT, s, i, &columns);
	return count;
}

/* Cut a long line around [at, at + len); *cut: the number of bytes cut at its start. */
static struct str window(struct str line, size_t at, size_t len, size_t columns,
			 size_t *cut)
{
	const struct str before = {line.p, at};
	size_t shown, ahead = emit_width(EMIT_TEXT, before), w;

	for (*cut = 0; ahead > columns / 2; ahead -= w)
		*cut += emit_unit(EMIT_TEXT, before, *cut, &w);
	line = str_from(line, *cut);
	for (size_t i = 0, width = 0; i < line.n; i += shown) {
		shown = emit_unit(EMIT_TEXT, line, i, &w);
		width += w;
		if (width > columns && i > at - *cut &&
		    (i > at - *cut + len || width > 2 * columns))
			return (struct str){line.p, i};
	}
	return line;
}

/* A tab is shown as one blank, so that the caret is under its text. */
static void put_caret(struct out *o, struct str line, size_t at, size_t len,
		      size_t columns, bool colour)
{
	size_t cut, under;
	struct str shown = window(line, at, len, columns, &cut);
	const char *dots = cut ? "..." : "";
	const bool ends = cut + shown.n == line.n;
	struct out text;

	out_mem(&text);
	for (size_t i = 0; i < shown.n; i++)
		out_char(&text, shown.p[i] == '\t' ? ' ' : shown.p[i]);
	shown = out_text(&text);
	at -= cut;
	if (at > shown.n)
		at = shown.n;
	if (len > shown.n - at)
		len = shown.n - at;
	under = emit_width(EMIT_TEXT, (struct str){shown.p + at, len});
	out_printf(o, "  %s", dots);
	emit_name(o, EMIT_TEXT, shown);
	out_c(o, ends ? "\n  " : "...\n  ");
	out_fill(o, ' ', strlen(dots) + emit_width(EMIT_TEXT, (struct str){shown.p, at}));
	out_c(o, colour ? "\033[1;32m^" : "^");
	out_fill(o, '~', under ? under - 1 : 0);
	out_c(o, colour ? "\033[0m\n" : "\n");
	out_close(&text);
}

/* Only errors in a query have a place in its text. */
static bool has_place(const struct err *err, struct str text)
{
	switch (err->kind) {
	case ERR_QUERY:
	case ERR_EXPECT:
	case ERR_LIMIT:
	case ERR_USAGE:
	case ERR_OUTPUT: return text.n && err->at <= text.n && (err->len || err->at);
	default: return false;
	}
}

void talk_place(struct out *o, const struct err *err, struct str text,
		const struct origin *from)
{
	size_t line = 0, at = 0;
	struct str source = {"", 0};

	if (has_place(err, text))
		source = line_of(text, (size_t)err->at, &line, &at);
	if (from && from->file)
		emit_name(o, EMIT_TEXT, str_c(from->file));
	else if (from && from->command)
		out_printf(o, "-c %zu", from->command);
	else
		out_c(o, "typed");
	out_printf(o, ":%zu:%zu", (from ? from->line : 1) + line,
		   characters((struct str){source.p, at}) + 1);
}

void talk_error(const struct err *err, struct str text, const struct origin *from,
		size_t columns, bool colour)
{
	size_t line = 0, at = 0;
	bool place = has_place(err, text);
	struct str source = {"", 0};
	struct out o;

	if (place)
		source = line_of(text, (size_t)err->at, &line, &at);
	begin(&o);
	if (from && from->file) {
		talk_place(&o, err, text, from);
		out_c(&o, ": ");
	}
	put_error(&o, err, err->text, colour);
	if (place)
		put_caret(&o, source, at, err->len, columns > 20 ? columns - 10 : LONGEST,
			  colour);
	put_hint(&o, err, colour);
	end(&o);
}

void talk_failure(const struct err *err, const char *subject, bool colour)
{
	struct out o;
	char text[sizeof(err->text) + 4200];
	bool named = !subject || strstr(err->text, subject) != NULL;

	if (err->kind == ERR_PROFILE && err->at && subject)
		snprintf(text, sizeof(text), "%s:%llu: %s", subject,
			 (unsigned long long)err->at, err->text);
	else
		snprintf(text, sizeof(text), "%s%s%s", named ? "" : subject,
			 named ? "" : ": ", err->text);
	begin(&o);
	put_error(&o, err, text, colour);
	put_hint(&o, err, colour);
	end(&o);
}
