/*
 * screen.h - what stdin, stdout and stderr are: terminals or not, how wide, which
 * characters, colours or none.
 */
#ifndef QUERN_SCREEN_H
#define QUERN_SCREEN_H

#include <stdbool.h>
#include <stddef.h>

enum colour_when { COLOUR_AUTO, COLOUR_ALWAYS, COLOUR_NEVER };

struct screen {
	bool in, out, err; /* is a terminal */
	bool utf8;	   /* the locale's encoding */
	bool colour_out, colour_err;
	size_t columns, rows; /* of the terminal; 0 when there is none */
};

/* Sets the locale's character type; auto heeds NO_COLOR, TERM=dumb and isatty. */
void screen_init(struct screen *s, enum colour_when when);
/* Read columns and rows again (after a resize). */
void screen_measure(struct screen *s);

#endif
