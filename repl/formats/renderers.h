/* renderers.h - the function of each format, found in one table. */
#ifndef QUERN_RENDERERS_H
#define QUERN_RENDERERS_H

#include "repl/render/render.h"

/* By enum format, but for FORMAT_NONE. */
extern int (*const renderers[FORMAT_END])(struct render *rd);

/* The format of a result if the user chose none. */
enum format render_default(const struct result *r);

#endif
