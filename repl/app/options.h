/*
 * options.h - the command line.
 */
#ifndef QUERN_OPTIONS_H
#define QUERN_OPTIONS_H

#include "engine/lang/format.h"
#include "engine/query.h"
#include "repl/term/screen.h"

struct out;

/* A script to run before, or instead of, reading stdin, in the order given. */
struct task {
	bool file; /* -f FILE; else -c QUERY */
	const char *text;
};

/* An option that may be given many times. */
enum given_as {
	GIVEN_RENAME, /* "s/RE/TO/" */
	GIVEN_ROOT,
	GIVEN_ACCEPT, /* "WORD,..." */
	GIVEN_LIMIT,  /* "NAME=N" */
	GIVEN_SET,    /* "NAME=VALUE" */
	GIVEN_UNIT,   /* "EVENT=UNIT" */
};

struct given {
	enum given_as as;
	const char *text;
};

struct options {
	const char **profiles; /* PROFILE or NAME=PROFILE */
	size_t nprofiles;
	struct task *tasks;
	char *unquoted; /* the task that is joined from words */
	size_t ntasks;
	enum format format; /* FORMAT_NONE: depends on the result */
	const char *event, *index;
	struct given *given;
	size_t ngiven;
	uint64_t jobs;	 /* at most 1,024; 0: one per core */
	uint64_t mem;	 /* bytes; 0: the default */
	uint64_t budget; /* most bytes of an answer; 0: any */
	bool rebuild, no_index_write, no_wait, trust, safe, quiet, no_init, raw, verify;
	bool bench_parse, wide, no_demangle, keep_going, with_source, with_asm;
	bool merge, mcp, rooted; /* rooted: --source-root is given */
	bool help, version, guide;
	enum colour_when colour;
};

/* Read the command line.  Strings are views of argv; options_free() frees the arrays.
 * ERR_USAGE names the mistake. */
int options_read(struct options *o, int argc, char **argv, struct err *err);
void options_free(struct options *o);
/* Is "-" one of the profiles? */
bool options_stdin_profile(const struct options *o);
/* Write the text of --help; all: with the options that few need. */
void options_help(struct out *o, bool all);
/* Is --name an option?  Several are commands of the prompt, too. */
bool options_have(const char *name);
/* Parse "512M", "1.5G" or "4096", where k, M ... are powers of `unit`; false: anything else. */
bool options_size(const char *text, unsigned unit, uint64_t *size);

#endif
