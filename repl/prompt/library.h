/*
 * library.h - queries that are kept in files: in the current directory, the user's own, and
 * those that ship.
 *
 * The user's are in ~/.config/quern/queries.  Those that ship are found from the program:
 * in ../share/quern/queries of its directory, or in repl/queries of the tree that it was
 * built in.  A file NAME.q is also found by NAME.  Its first line is a comment that says
 * what it answers; ${PARAMETER:=VALUE} in it are its parameters.  Under --safe only
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

struct library_query {
	char *name; /* without ".q" */
	char *path;
	bool ships;
	struct str text; /* malloc'd; empty if the file cannot be read */
};

#define LIBRARY_SHIPS "quern:"

/* Are the queries that ship installed beside the program? */
bool library_installed(void);
/* Find the file that .run NAME means; free it.  NULL: nothing has that name, or memory is
 * out.  *ships: it ships. */
char *library_find(struct app *app, struct str name, bool *ships);
/* The text of the file that -f names, or of the query that ships, and its name for messages,
 * unless name is NULL; free both.  One that ships is known by its name, wherever it is
 * installed. */
int library_text(struct app *app, const char *path, char **name, struct str *text,
		 struct err *err);
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
