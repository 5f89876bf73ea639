/* screen.c - inspect the terminals; see screen.h. */
#include "repl/term/screen.h"

#include <langinfo.h>
#include <limits.h>
#include <locale.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "index/base/count.h"

static bool colour(enum colour_when when, bool terminal)
{
	const char *no = getenv("NO_COLOR"), *term = getenv("TERM");

	if (when != COLOUR_AUTO)
		return when == COLOUR_ALWAYS;
	return terminal && !(no && *no) && term && strcmp(term, "dumb") != 0;
}

/* What the environment says of a root without locales, as that of a container. */
static bool asks_utf8(void)
{
	const char *const names[] = {"LC_ALL", "LC_CTYPE", "LANG"}, *value = NULL;

	for (size_t i = 0; i < COUNT(names) && !(value && *value); i++)
		value = getenv(names[i]);
	return value && (strcasestr(value, ".UTF-8") || strcasestr(value, ".UTF8"));
}

void screen_init(struct screen *s, enum colour_when when)
{
	const bool found = setlocale(LC_CTYPE, "") ||
			   (asks_utf8() && setlocale(LC_CTYPE, "C.UTF-8"));

	s->utf8 = found ? strcmp(nl_langinfo(CODESET), "UTF-8") == 0 : asks_utf8();
	s->in = isatty(STDIN_FILENO);
	s->out = isatty(STDOUT_FILENO);
	s->err = isatty(STDERR_FILENO);
	s->colour_out = colour(when, s->out);
	s->colour_err = colour(when, s->err);
	screen_measure(s);
}

void screen_measure(struct screen *s)
{
	struct winsize w = {0};
	int fd = s->out ? STDOUT_FILENO : STDERR_FILENO;

	s->columns = s->rows = 0;
	if (!s->out && !s->err)
		return;
	if (ioctl(fd, TIOCGWINSZ, &w) == 0) {
		s->columns = w.ws_col;
		s->rows = w.ws_row;
	}
	/* A serial line does not know its size. */
	if (!s->columns)
		s->columns = 80;
	if (!s->rows)
		s->rows = 24;
}

bool screen_fits_editor(void)
{
	enum { CELLS = 1 << 20 };
	struct winsize w = {0};

	return ioctl(STDIN_FILENO, TIOCGWINSZ, &w) != 0 ||
	       (uint32_t)w.ws_row * w.ws_col <= CELLS;
}

/* Is there a file of terminfo below folder for it? */
static bool has_entry(const char *folder, const char *term)
{
	char path[PATH_MAX];
	const int n =
		folder ? snprintf(path, sizeof(path), "%s/%c/%s", folder, *term, term)
		       : 0;

	return n > 0 && (size_t)n < sizeof(path) && access(path, F_OK) == 0;
}

void screen_give_entry(void)
{
	static const char *const folders[] = {"/etc/terminfo", "/lib/terminfo",
					      "/usr/share/terminfo", "/usr/lib/terminfo"};
	const char *const term = getenv("TERM"), *home = getenv("HOME");
	char own[PATH_MAX];
	bool found;

	if (!term || !*term || getenv("TERMINFO") || getenv("TERMINFO_DIRS") ||
	    !*terminal_entry)
		return;
	snprintf(own, sizeof(own), "%s/.terminfo", home ? home : "");
	found = has_entry(own, term);
	for (size_t i = 0; i < COUNT(folders); i++)
		found |= has_entry(folders[i], term);
	if (!found)
		setenv("TERMINFO", terminal_entry, 1);
}
