/* params.h - parameters of queries: `${FUNC}` in a saved query, `FUNC=malloc` after
 * .run. */
#ifndef QUERN_PARAMS_H
#define QUERN_PARAMS_H

#include "index/base/err.h"
#include "index/base/out.h"
#include "index/base/str.h"

/* Write text with every ${NAME} replaced; given is "NAME=VALUE NAME="a b" ...".
 * ERR_QUERY: a parameter without a value, or a value without a parameter. */
int params_fill(struct out *o, struct str text, struct str given, struct err *err);

#endif
