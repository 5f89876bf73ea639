/*
 * help.h - .help: the language by topic, each with its grammar line and examples.
 */
#ifndef QUERN_HELP_H
#define QUERN_HELP_H

#include "index/base/out.h"
#include "index/base/str.h"

struct help_topic {
	const char *name, *form, *text; /* form NULL: the command has it */
	const char *examples[3];	/* run by a test; NULL ends them early */
};

/* NULL past the end. */
const struct help_topic *help_at(size_t i);
/* Text and examples of a dot-command, named without its dot; NULL: there is none. */
const struct help_topic *help_of_command(const char *name);
void help_overview(struct out *o);
/* false: no such topic (dot-commands are topics too, with or without the dot). */
bool help_print(struct out *o, struct str topic);

#endif
