/* params.h - values for a script: after `.run FILE FUNC=malloc`, $FUNC in it is malloc. */
#ifndef QUERN_PARAMS_H
#define QUERN_PARAMS_H

#include "index/base/str.h"

struct err;
struct session;

/* Set the values of given, "NAME=VALUE NAME="a b" ...", for the script.  ERR_QUERY: the
 * script has no $NAME. */
int params_set(struct session *s, struct str script, struct str given, struct err *err);
/* Does the script have $NAME or ${NAME}? */
bool params_used(struct str script, struct str name);
/* Take the first word, with its quotes, off *rest. */
struct str params_word(struct str *rest);

#endif
