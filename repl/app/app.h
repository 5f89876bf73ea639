/*
 * app.h - one run of the program: its profiles and settings, and the output of its
 * answers.
 */
#ifndef QUERN_APP_H
#define QUERN_APP_H

#include <stdatomic.h>

#include "index/base/arena.h"
#include "repl/app/gate.h"
#include "repl/formats/suite.h"
#include "repl/render/render.h"
#include "repl/term/screen.h"
#include "repl/term/talk.h"
#include "repl/app/target.h"

struct build_progress;
struct folder;
struct options;
struct progress;
struct record;
struct roots;
struct store;

struct opened {
	char *name, *path;
	struct store *store;
};

struct paths {
	char **at;
	size_t n, cap;
};

struct sets {
	bool *used;	  /* of each --set: by a script; NULL: none has run */
	char params[200]; /* of the scripts, a blank before each */
};

struct app {
	const struct options *opts;
	struct screen screen;
	struct session *session;
	struct roots *sources, *objects; /* where text may be read */
	struct opened *profiles;	 /* queries ask the first one */
	size_t nprofiles, profiles_cap;
	struct arena arena; /* of the current query */
	/* settings of the dot-commands: */
	enum format format; /* FORMAT_NONE: depends on the result */
	bool exact, wide, timer, no_pager, no_demangle;
	enum with_source source; /* of reports */
	char *pager;		 /* command; NULL: from the environment */
	struct target output;	 /* .output FILE; fd -1: standard output */
	char *last;		 /* text of the last query, for .edit and .save */
	size_t due;		 /* statements that share what is left of the budget */
	char *offer;	     /* at the prompt: the query that the hint of an error is */
	struct paths places; /* questions, for .back */
	bool interactive, quit, used; /* .use has chosen the profile that is asked */
	struct out
		*answers; /* answers go here, not to standard output; NULL: they do not */
	/* How far indexing is; NULL: a bar on the terminal shows it. */
	void (*progress)(void *arg, const struct build_progress *state);
	void *progress_arg;
	struct progress *again; /* the bar of a query that reads a profile again */
	bool closed;		/* the reader of our stdout is gone: write nothing more */
	unsigned nested;	/* depth of scripts in scripts */
	uint64_t headline;	/* of the last comparison of the script; 0: none */
	struct gate gate;
	/* JUnit documents, written when the run or .output ends: */
	struct suite report; /* on standard output */
	struct suite filed;  /* in the file of .output */
	size_t failures;     /* statements and commands that failed */
	uint64_t started_ns; /* of the current statement, for its time */
	uint64_t paged_ns;   /* the part of the time of a query that a pager took */
	bool held;	     /* the kernel keeps --safe: hold.h */
	bool trusted;	     /* runs the user's own init file: --safe does not apply */
	bool said_hidden;    /* which of two queries of one name is run */
	struct sets sets;
	struct linked
		*linked; /* of an answer that is written for each of them; or NULL */
	struct folder *folder; /* the profiles that queries ask; or NULL: folder.h */
	char *base_name;
	bool telling; /* of the member that is opened */
	bool sought;  /* the newest profile of the folder */
	/* Of the first profile, if `quern record` made it. */
	const struct record *record;
};

/* Set by SIGINT: stops queries, indexing and output. */
extern atomic_int app_cancel;

int app_init(struct app *app, const struct options *opts, struct err *err);
void app_free(struct app *app);
/* Open a profile of n files, and index it if needed.  name NULL: use its own name.
 * Errors are shown.  0 or the kind. */
int app_open(struct app *app, const char *name, const char *const *path, size_t n);
/* Ask all profiles of a folder, which app_free() frees; name: of a base, in `vs`.  Errors are
 * shown.  0 or the kind. */
int app_open_folder(struct app *app, struct folder *folder, char *name);
/* The error of a command that needs an open profile. */
int app_none_open(struct err *err);
/* The offset of PROFILE in NAME=PROFILE; 0, so no name, if a file with the whole text
 * as its name exists. */
size_t app_split_name(const char *arg);
/* Show C++ and Rust names demangled, in every profile. */
void app_demangle(struct app *app, bool on);
int app_close(struct app *app, const char *name, struct err *err);
/* Look for source and objects below dir, too, by the ends of their paths. */
int app_add_root(struct app *app, const char *dir, struct err *err);
/* Run statements: write the answers, show errors with their place.  0 or the kind; with
 * --keep-going also 0 after an error, which is then counted. */
int app_run(struct app *app, struct str text, const struct origin *from);
/* An error that has been shown: count it.  Returns the kind to stop with, or 0: go on. */
int app_failed(struct app *app, const struct err *err, struct str text,
	       const struct origin *from);
/* Show an error that has no place in a query. */
void app_fail(const struct app *app, const struct err *err, const char *subject);
/* A note, unless --quiet.  One that changes what an answer means is said by talk(). */
void app_note(const struct app *app, const char *fmt, ...)
	__attribute__((format(printf, 2, 3)));
bool app_is_folder(const char *path);
/* Add a copy; 0 or the kind.  inputs_free() frees them. */
int app_add_path(struct paths *p, const char *path, struct err *err);
/* "$XDG_x/quern/NAME" or "~/DEFAULT/quern/NAME"; free it.  NULL: there is no home. */
char *app_path(const char *variable, const char *fallback, const char *name);
/* Expand the "~/" in "~/x" or "NAME=~/x" to the home directory; free the result.
 * NULL: out of memory. */
char *app_expand(struct str path);
/* Read a file of at most 16 MiB; free the text. */
int app_read_file(const char *path, struct str *text, struct err *err);

#endif
