/*
 * params.h - queries with holes: `${FUNC}` in a kept query, `FUNC=malloc` after .run.
 */
#ifndef QUERN_PARAMS_H
#define QUERN_PARAMS_H

#include "index/base/err.h"
#include "index/base/out.h"
#include "index/base/str.h"

/* Write text with every ${NAME} replaced; given is "NAME=VALUE NAME="a b" ...".  ERR_QUERY:
 * a hole without a value, a value without a hole. */
int params_fill(struct out *o, struct str text, struct str given, struct err *err);

#endif
