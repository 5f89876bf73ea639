/* help.h - .help: the language by topic, each with a grammar line and examples. */
#ifndef QUERN_HELP_H
#define QUERN_HELP_H

#include "index/base/str.h"

struct out;

struct help_topic {
	const char *name, *form, *text; /* form: of a topic */
	const char *examples;		/* a line each; a test runs them */
	const char *also;		/* other words for it, with blanks between */
};

/* The records of help.txt: topics, then commands, which have their dot; {0} at the end. */
extern const struct help_topic help_texts[];

/* A topic of the language; NULL past the end. */
const struct help_topic *help_at(size_t i);
/* The topics that are lists: columns, formats ...; NULL past the end. */
const char *help_list(size_t i);
void help_overview(struct out *o);
/* Print a topic; dot-commands are topics, too, with or without the dot.  false:
 * unknown topic. */
bool help_print(struct out *o, struct str topic);
/* The lines of a text on a screen of so many columns: folded at blanks. */
void help_fold(struct out *o, struct str text, size_t columns);

#endif
