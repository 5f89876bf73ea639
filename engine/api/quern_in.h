/* quern_in.h - shared by quern.c (profiles) and quern_answer.c (answers). */
#ifndef QUERN_QUERN_IN_H
#define QUERN_QUERN_IN_H

#include "engine/api/quern.h"
#include "engine/lang/col_type.h"

struct err;
struct session;
struct store;

struct quern_profile {
	struct session *session;
	struct store **opened; /* of the session */
	size_t n, cap;
	size_t users; /* the caller's handle, if still open, and answers */
	uint64_t memory;
};

/* The host may have set any locale, and numbers of queries are read and written in that
 * of C.  Both belong to the thread. */
void *api_enter(void);
void api_leave(void *before);

/* Fill in the caller's error (or NULL).  Returns the status. */
int api_tell(const struct err *err, quern_error *to);
/* One user less: the last one frees the profile. */
void api_drop(struct quern_profile *p);

#endif
