/*
 * progress.h - a bar on stderr while a profile is indexed, when stderr is a terminal.
 */
#ifndef QUERN_PROGRESS_H
#define QUERN_PROGRESS_H

#include <stdint.h>

#include "repl/term/screen.h"

struct build_progress;

struct progress {
	const char *name; /* of the profile */
	const struct screen *screen;
	uint64_t start_ns;
	bool drawn;
};

uint64_t progress_now_ns(void);
void progress_start(struct progress *p, const char *name, const struct screen *screen);
/* Callback for build_opts.progress; its argument is a struct progress. */
void progress_show(void *progress, const struct build_progress *state);
void progress_end(struct progress *p); /* wipe the line */

#endif
