/* screen.c - inspect the terminals; see screen.h. */
#include "repl/term/screen.h"

#include <langinfo.h>
#include <locale.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

static bool colour(enum colour_when when, bool terminal)
{
	const char *no = getenv("NO_COLOR"), *term = getenv("TERM");

	if (when != COLOUR_AUTO)
		return when == COLOUR_ALWAYS;
	return terminal && !(no && *no) && term && strcmp(term, "dumb") != 0;
}

void screen_init(struct screen *s, enum colour_when when)
{
	setlocale(LC_CTYPE, "");
	s->utf8 = strcmp(nl_langinfo(CODESET), "UTF-8") == 0;
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
