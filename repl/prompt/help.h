/* help.h - .help: the language by topic, each with a grammar line and examples. */
#ifndef QUERN_HELP_H
#define QUERN_HELP_H

#include "index/base/out.h"
#include "index/base/str.h"

struct help_topic {
	const char *name, *form, *text; /* form NULL: see the command */
	const char *examples[3];	/* a test runs them; may end early with NULL */
};

/* NULL past the end. */
const struct help_topic *help_at(size_t i);
/* Text and examples of a dot-command, by its name without the dot; NULL: there are
 * none. */
const struct help_topic *help_of_command(const char *name);
void help_overview(struct out *o);
/* Print a topic; dot-commands are topics, too, with or without the dot.  false:
 * unknown topic. */
bool help_print(struct out *o, struct str topic);

#endif
