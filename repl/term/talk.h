/*
 * talk.h - all messages to the user, on stderr: notes, and errors with a caret.
 *
 * Messages contain names from profiles and bytes from queries, so all of it goes through
 * emit_name().
 */
#ifndef QUERN_TALK_H
#define QUERN_TALK_H

#include "index/base/str.h"

struct err;
struct out;

/* Messages of this thread go to o from now on; NULL: to stderr again. */
void talk_to(struct out *o);
/* One line; a newline in it, which only a name can have, is escaped. */
void talk(const char *fmt, ...) __attribute__((format(printf, 1, 2)));

/* One line, whatever the text is: the name of a file may contain a newline. */
void talk_note(const char *text);

/* The origin of a piece of query text. */
struct origin {
	const char *file; /* NULL: typed or -c; errors name no file */
	size_t line;	  /* of the first line of the text, from 1 */
	size_t command;	  /* the number of the -c, from 1; 0: no -c */
};

/* Write where in text err is: "gate.q:3:29", "-c 2:1:29"; from may be NULL. */
void talk_place(struct out *o, const struct err *err, struct str text,
		const struct origin *from);

/*
 * error: no event 'D1Mr'; this profile has Ir Dr Dw D1mr
 *	  top by D1Mr
 *	         ^~~~
 *	  hint: did you mean 'D1mr'?
 *
 * text is what err->at points into; from may be NULL.  columns: of the screen; 0:
 * unknown.
 */
void talk_error(const struct err *err, struct str text, const struct origin *from,
		size_t columns, bool colour);
/* Report a failure without a query: `subject` (a file) comes before the message. */
void talk_failure(const struct err *err, const char *subject, bool colour);

#endif
