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
	bool utf8;	   /* the encoding of the locale, or what the environment asks */
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

/* An entry of terminfo for the terminals of today, as TERMINFO may hold it (terminal.ti). */
extern const char terminal_entry[];
/* Where no file of terminfo knows TERM, let TERMINFO be that. */
void screen_give_entry(void);

#endif
