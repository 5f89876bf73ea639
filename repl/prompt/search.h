/*
 * search.h - Ctrl-R: search the history while typing.
 *
 * Ctrl-R goes to the next older entry that has the text, Enter runs what is shown, Ctrl-G
 * and Ctrl-C give up, and every other key edits it.
 */
#ifndef QUERN_SEARCH_H
#define QUERN_SEARCH_H

#include <histedit.h>
#include <stdbool.h>

struct search_state {
	char text[128];
	size_t n;
	bool on, found;
	size_t rows;		/* lines of the screen above the cursor */
	size_t prompt, columns; /* width of the prompt drawn last, and of the screen */
};

/* Run the search.  The prompt has to show s while s->on, and to tell s->prompt.  Returns
 * what a function of the editor returns. */
unsigned char search_history(EditLine *el, History *h, struct search_state *s);

#endif
