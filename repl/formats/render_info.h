/* render_info.h - the card of a function: its costs, callers and callees. */
#ifndef QUERN_RENDER_INFO_H
#define QUERN_RENDER_INFO_H

#include "engine/lang/result.h"

struct render;

/* Is the result `info f` of one profile, with nothing left out? */
bool render_info_fits(const struct result *r);
int render_info(struct render *rd);

#endif
