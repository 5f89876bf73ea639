/*
 * places.c - down, up and back: from an answer to the next question.
 *
 * The questions that had an answer are one list.  `down 3` and `up` ask a new one, which they
 * print, so that it can be written into a script; `back` asks the one before the last again,
 * and forgets the last.
 */
#include "repl/prompt/command_in.h"
#include "repl/prompt/command.h"

#include <stdlib.h>
#include <string.h>

#include "engine/query.h"
#include "index/base/err.h"
#include "index/base/vec.h"
#include "repl/term/talk.h"

enum { MOST = 1000 };

void places_note(struct app *app)
{
	const struct str last = query_last(app->session);
	struct paths *p = &app->places;
	struct err none = {0};
	char *text;

	if (!last.n || (p->n && str_eq(str_c(p->at[p->n - 1]), last)) ||
	    !(text = strndup(last.p, last.n)))
		return;
	if (p->n == MOST) {
		free(p->at[0]);
		memmove(p->at, p->at + 1, --p->n * sizeof(*p->at));
	}
	app_add_path(p, text, &none);
	free(text);
}

static int ask(struct app *app, struct str text)
{
	const int kind = (talk("%.*s", STR_ARG(text)), app_run(app, text, NULL));

	if (!kind)
		places_note(app);
	return kind;
}

static int step(struct app *app, bool down, struct str rest, struct err *err)
{
	const struct str word = command_word(&rest);
	struct str text = {NULL, 0};
	uint64_t row = down;
	char *copy;

	if (word.n && (!str_u64(word, &row) || !row || rest.n))
		return err_set(err, ERR_USAGE, 0, "%s takes the number of a row",
			       down ? "down" : "up");
	if (!app->nprofiles)
		return app_none_open(err);
	arena_reset(&app->arena);
	if (query_step(app->session, down, row, &app->arena, &text, err))
		return err->kind;
	if (!(copy = strndup(text.p, text.n)))
		return err_no_memory(err, NULL);
	err->kind = ask(app, str_c(copy));
	free(copy);
	return err->kind;
}

int command_down(struct app *app, struct str rest, struct err *err)
{
	return step(app, true, rest, err);
}

int command_up(struct app *app, struct str rest, struct err *err)
{
	return step(app, false, rest, err);
}

int command_back(struct app *app, struct str rest, struct err *err)
{
	struct paths *p = &app->places;

	if (rest.n)
		return err_set(err, ERR_USAGE, 0, "back takes no words");
	if (p->n < 2)
		return err_set(err, ERR_QUERY, 0, "there is no question before");
	free(p->at[--p->n]);
	return err->kind = ask(app, str_c(p->at[p->n - 1]));
}
