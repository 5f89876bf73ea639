/*
 * library.h - queries that are kept in files: in the current directory, the user's own, and
 * those that ship.
 *
 * The user's are in ~/.config/quern/queries.  Those that ship are repl/queries, in the
 * program (SConstruct).  A file NAME.q is also found by NAME.  Its first line is a comment that
 * says what it answers; ${PARAMETER:=VALUE} in it are its parameters.  Under --safe only
 * queries that ship are found.
 *
 * quern:NAME is the query that ships, which no file can hide.  NAME is the user's own of that
 * name, or else that; a file of the name in this directory is passed over, with a message.
 */
#ifndef QUERN_LIBRARY_H
#define QUERN_LIBRARY_H

#include "engine/lang/token.h"

struct app;
struct err;
struct out;

/* Sorted by name; the last has none. */
struct library_shipped {
	const char *name, *text;
};
extern const struct library_shipped library_ships[];

#define LIBRARY_SHIPS "quern:"

/* What a name means: one of both, or neither. */
struct library_found {
	const struct library_shipped *ships;
	char *path; /* of a file; free it */
};
/* Find what .run NAME means.  false: nothing has that name, or memory is out. */
bool library_find(struct app *app, struct str name, struct library_found *out);
/* Its text, and its name for messages unless name is NULL; free both. */
int library_read(const struct library_found *f, char **name, struct str *text,
		 struct err *err);
/* The same of the file that -f names, or of the query that ships. */
int library_text(struct app *app, const char *path, char **name, struct str *text,
		 struct err *err);

struct library_query {
	char *name; /* without ".q" */
	bool ships;
	struct str text; /* malloc'd; empty if the file cannot be read */
};
struct library {
	struct library_query *at;
	size_t n, cap;
};

/* The user's queries and those that ship, sorted by name; of one name the user's.  Free
 * l, also after an error. */
int library_list(const struct app *app, struct library *l, struct err *err);
void library_free(struct library *l);
/* The next parameter of a query from byte *at, which moves behind it; a name counts once.
 * false: there is none left. */
bool library_param(struct str text, size_t *at, struct token_default *out);
/* .queries: one line for each query with the word in its name, line or parameters.
 * Returns how many. */
size_t library_print(const struct library *l, struct str word, struct out *o);

#endif
