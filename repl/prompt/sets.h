/* sets.h - a value of --set that no query uses is a slip, which could switch a gate off. */
#ifndef QUERN_SETS_H
#define QUERN_SETS_H

struct app;
struct err;

/* Is each used by some query that the command line runs?  ERR_USAGE if not.  Values for a prompt,
 * or a script on standard input, are not looked at. */
int sets_check(struct app *app, struct err *err);

#endif
