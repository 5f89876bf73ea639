/*
 * renderers.h - the formats: a renderer each, found in one table.
 *
 * A new format is an entry of that table; pictures and profiles are such entries, too.
 */
#ifndef QUERN_RENDERERS_H
#define QUERN_RENDERERS_H

#include "repl/render/render.h"

struct renderer {
	enum format format;
	bool binary; /* holds raw bytes: never written to a terminal */
	bool pages;  /* takes row after row, so that not all need be held */
	int (*render)(struct render *rd);
	const char *what; /* one line for .help */
};

/* NULL: this build has none for the format. */
const struct renderer *render_find(enum format format);
/* The i-th of the table; NULL past the end. */
const struct renderer *render_at(size_t i);
/* What a result is shown as when nobody asked for a format. */
enum format render_default(const struct result *r);

#endif
