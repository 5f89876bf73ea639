/* output.h - write an answer to the screen, a pager, a file, or the input of a
 * command. */
#ifndef QUERN_OUTPUT_H
#define QUERN_OUTPUT_H

#include <stdbool.h>

struct app;
struct err;
struct out;
struct origin;
struct result;
struct str;

/* Write r in the format and to the place that its statement or the settings choose. */
int output_result(struct app *app, const struct result *r, struct err *err);
/* Write plain text to the same place: .explain, .help. */
int output_text(struct app *app, struct str text, struct err *err);
/* Write what is in memory, which is freed. */
int output_list(struct app *app, struct out *list, struct err *err);
/* Report a statement or command that failed, of a text that may have several, if the format of the
 * run has errors: junit, github.  An expectation that fails has a result instead. */
void output_failure(struct app *app, const struct err *err, struct str text,
		    struct str statement, const struct origin *from);
/* Do answers go to people, unless their query says otherwise? */
bool output_for_people(const struct app *app);
/* At the end: write what was kept for then. */
int output_finish(struct app *app, struct err *err);
/* .output: write later answers to the file at path; NULL: to standard output again. */
int output_redirect(struct app *app, const char *path, struct err *err);

#endif
