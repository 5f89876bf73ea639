/*
 * renderers.h - the formats: a renderer each, found in one table.
 *
 * A new format is a new row of that table, even for pictures and profiles.
 */
#ifndef QUERN_RENDERERS_H
#define QUERN_RENDERERS_H

#include "repl/render/render.h"

struct renderer {
	enum format format;
	bool binary; /* has raw bytes: never written to a terminal */
	bool pages;  /* takes one row after the other, or loads the columns that it
			reads: not all of an answer is in memory */
	int (*render)(struct render *rd);
	const char *what; /* one line for .help */
};

/* NULL: this build has no renderer for the format. */
const struct renderer *render_find(enum format format);
/* The i-th row of the table; NULL after the last. */
const struct renderer *render_at(size_t i);
/* The format of a result if the user chose none. */
enum format render_default(const struct result *r);

#endif
