/* header.h - the meaning of header lines: derived events and parts (PROFILE.md section
 * 2). */
#ifndef QUERN_HEADER_H
#define QUERN_HEADER_H

#include "index/merge/profile.h"

/* Call after the recorded events are numbered: adds the derived events after them. */
int header_events(struct profile *p, struct err *err);
/* Call after header_events(): makes the parts. */
int header_parts(struct profile *p, struct err *err);

#endif
