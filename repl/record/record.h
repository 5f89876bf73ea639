/*
 * record.h - quern record: run a program under callgrind, or PHP under Xdebug, with the
 * options that answers want, and ask its profile.
 *
 *	quern record [-o FILE] [WORD]... [OPTION]... -- PROGRAM [ARG]...
 *
 * Words stand for options of valgrind; OPTION is any other of quern, for the questions.  It
 * runs a program, so it is an option of the command line alone: no query, no client of MCP
 * has it, and --safe refuses it.
 */
#ifndef QUERN_RECORD_H
#define QUERN_RECORD_H

#include "index/base/arena.h"

struct app;

struct record {
	int status; /* of the program; or our own, if it did not run */
	int argc;   /* `quern FILE OPTION...`: how the profile is asked */
	char **argv;
	/* --stacks: it ran twice; of the plain profile, of the first run: */
	bool stacks;
	uint64_t plain_bytes;
	int64_t plain_total;
	double plain_proven;
	struct arena arena; /* has all that argv points to */
};

bool record_asked(int argc, char **argv);
/* Do as the command line says; what goes wrong is shown.  False: there is nothing to ask. */
bool record_run(struct record *r, int argc, char **argv);
/* Say what the profile, the first of app, tells of its recording, app->record. */
void record_say(struct app *app);
void record_free(struct record *r);

#endif
