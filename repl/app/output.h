/*
 * output.h - where an answer goes: the screen, a pager, a file, a command's input.
 */
#ifndef QUERN_OUTPUT_H
#define QUERN_OUTPUT_H

#include "repl/app/app.h"

/* Write r where its statement or the settings say, in the format they say. */
int output_result(struct app *app, const struct result *r, struct err *err);
/* Plain text to the same place: .explain, .help. */
int output_text(struct app *app, struct str text, struct err *err);
/* .output: from now on to the file at path; NULL: back to standard output. */
int output_redirect(struct app *app, const char *path, struct err *err);

#endif
