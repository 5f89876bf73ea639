/* command_in.h - what the files of dot-commands share; the table of them is in command.c. */
#ifndef QUERN_COMMAND_IN_H
#define QUERN_COMMAND_IN_H

#include "repl/app/app.h"

/* Cut the first word off *rest; "..." holds a word with blanks. */
struct str command_word(struct str *rest);
/* A word as the path of a file; free it.  NULL: memory is out. */
char *command_file(struct str word, struct err *err);

/* .read .save .run .queries .sets .edit */
int command_read(struct app *app, struct str rest, struct err *err);
int command_save(struct app *app, struct str rest, struct err *err);
int command_script(struct app *app, struct str rest, struct err *err);
int command_queries(struct app *app, struct str rest, struct err *err);
int command_sets(struct app *app, struct str rest, struct err *err);
int command_edit(struct app *app, struct str rest, struct err *err);

/* .down .up .back */
int command_down(struct app *app, struct str rest, struct err *err);
int command_up(struct app *app, struct str rest, struct err *err);
int command_back(struct app *app, struct str rest, struct err *err);

/* .overview */
int command_overview(struct app *app, struct str rest, struct err *err);

#endif
