/*
 * screen.h - stdin, stdout and stderr: is each a terminal, how wide, which characters,
 * with colours or not.
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
	size_t columns, rows; /* of the terminal; 0: not a terminal */
};

/* Sets the locale's character type.  auto: depends on NO_COLOR, TERM=dumb and
 * isatty(). */
void screen_init(struct screen *s, enum colour_when when);
/* Read columns and rows again (after a resize). */
void screen_measure(struct screen *s);
/* Is the terminal of standard input no larger than an editor can hold in memory?  Its size is
 * what somebody set: 65,535 lines of 65,535 columns are 5 GB. */
bool screen_fits_editor(void);

#endif
