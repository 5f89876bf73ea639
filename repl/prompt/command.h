/* command.h - dot-commands: they control the shell; queries are for the engine. */
#ifndef QUERN_COMMAND_H
#define QUERN_COMMAND_H

#include "repl/app/app.h"

/* The kind of an argument, for Tab. */
enum command_arg {
	ARG_NONE,
	ARG_FILE,
	ARG_SCRIPT, /* a file, or a saved query */
	ARG_FORMAT,
	ARG_EVENT,
	ARG_PROFILE,
	ARG_TOPIC,
	ARG_QUERY,
	ARG_SWITCH
};

struct command {
	const char *name; /* without the dot */
	const char *form; /* its arguments */
	const char *
		what; /* one line of .help commands; help.txt has the rest.  NULL: hidden */
	enum command_arg arg;
	/* rest: the trimmed text after the name. */
	int (*run)(struct app *app, struct str rest, struct err *err);
	const char *unsafe; /* why --safe refuses it; NULL: allowed */
};

/* Run a line that starts with the dot; errors are shown.  0 or the kind. */
int command_run(struct app *app, struct str line, const struct origin *from);
bool command_refused(const struct app *app, const struct command *c); /* by --safe */
/* The i-th command; NULL past the end. */
const struct command *command_at(size_t i);
/* By name or by a unique start of it; NULL: none. */
const struct command *command_find(struct str name);

/* The last question had an answer: .back leads to it. */
void places_note(struct app *app);

#endif
