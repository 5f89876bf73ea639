/*
 * search.c - Ctrl-R; see search.h.
 *
 * libedit has such a search, but there the keys that end it (the arrows, End) leave parts of
 * themselves in the line, and a text that was not found once is not looked for again.  Here
 * a key that ends the search is given back to the editor.
 */
#include "repl/prompt/search.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <wchar.h>

enum { CTRL_C = 3, CTRL_G = 7, CTRL_H = 8, CTRL_R = 18, DELETE = 127 };

/* The number of the first entry from `from` on, older or newer, that has the text and is
 * not `shown`; -1: there is none.  0 is the newest. */
static int find_entry(History *h, const char *text, int from, const char *shown,
		      char **entry)
{
	HistEvent ev;
	int i = 0;

	for (int rc = history(h, &ev, H_FIRST); rc >= 0;
	     rc = history(h, &ev, H_NEXT), i++) {
		if (i < from || !strstr(ev.str, text) ||
		    (shown && strcmp(ev.str, shown) == 0))
			continue;
		free(*entry);
		*entry = strdup(ev.str);
		return *entry ? i : -1;
	}
	return -1;
}

static void set_line(EditLine *el, const char *text)
{
	const LineInfo *line = el_line(el);

	el_cursor(el, (int)(line->lastchar - line->cursor));
	line = el_line(el);
	el_deletestr(el, (int)(line->cursor - line->buffer));
	if (*text)
		el_insertstr(el, text);
}

/* Add a character to the text, or take the last one off. */
static void type(struct search_state *s, wchar_t c)
{
	char bytes[MB_LEN_MAX];
	int n;

	if (c == CTRL_H || c == DELETE) {
		while (s->n && ((unsigned char)s->text[s->n - 1] & 0xc0) == 0x80)
			s->n--;
		s->n -= s->n > 0;
	} else if ((n = wctomb(bytes, c)) > 0 && s->n + (size_t)n < sizeof(s->text)) {
		memcpy(s->text + s->n, bytes, (size_t)n);
		s->n += (size_t)n;
	}
	s->text[s->n] = '\0';
}

static bool ends_search(wchar_t c)
{
	return c < ' ' && c != CTRL_H && c != CTRL_R;
}

/* The lines of the screen above the cursor that prompt and line take. */
static size_t rows_above(EditLine *el, const struct search_state *s)
{
	const LineInfo *line = el_line(el);
	size_t width = s->prompt, rows = 0;

	for (const char *p = line->buffer; p < line->cursor; p++) {
		width += ((unsigned char)*p & 0xc0) != 0x80;
		if (*p == '\n' || width >= s->columns) {
			rows++;
			width = 0;
		}
	}
	return rows;
}

/* The prompt changes, which the editor does not expect: wipe all that it drew. */
static void redraw(EditLine *el, struct search_state *s)
{
	char wipe[40];
	int n;

	n = s->rows ? snprintf(wipe, sizeof(wipe), "\r\033[%zuA\033[J", s->rows)
		    : snprintf(wipe, sizeof(wipe), "\r\033[J");
	if (write(STDOUT_FILENO, wipe, (size_t)n) == n)
		el_set(el, EL_REFRESH);
	s->rows = rows_above(el, s);
}

/* Search until a key ends it, which is returned; -1: no key could be read. */
static int search_keys(EditLine *el, History *h, struct search_state *s)
{
	char *shown = NULL;
	int at = 0, next;
	wchar_t c;

	for (;;) {
		redraw(el, s);
		if (el_wgetc(el, &c) != 1) {
			c = -1;
			break;
		}
		if (ends_search(c))
			break;
		if (c == CTRL_R) {
			next = find_entry(h, s->text, at, shown, &shown);
		} else {
			type(s, c);
			next = find_entry(h, s->text, 0, NULL, &shown);
		}
		s->found = next >= 0;
		at = s->found ? next : at;
		if (s->found)
			set_line(el, shown);
	}
	free(shown);
	return (int)c;
}

unsigned char search_history(EditLine *el, History *h, struct search_state *s)
{
	const LineInfo *line = el_line(el);
	char *before = strndup(line->buffer, (size_t)(line->lastchar - line->buffer));
	char key[2] = "";
	int c;

	if (!h || !before) {
		free(before);
		return CC_ERROR;
	}
	s->n = 0;
	s->text[0] = '\0';
	s->rows = rows_above(el, s);
	s->on = s->found = true;
	c = search_keys(el, h, s);
	s->on = false;
	redraw(el, s);
	if (c == CTRL_G || c == CTRL_C)
		set_line(el, before);
	free(before);
	if (c < 0)
		return CC_EOF;
	if (c != CTRL_G && c != CTRL_C) {
		key[0] = c == '\r' ? '\n' : (char)c;
		el_push(el, key);
	}
	return CC_REFRESH;
}
