/*
 * header.h - what header lines mean: derived events and parts (PROFILE.md section 2).
 */
#ifndef QUERN_HEADER_H
#define QUERN_HEADER_H

#include "index/merge/profile.h"

/* Once the recorded events are numbered: the derived ones behind them. */
int header_events(struct profile *p, struct err *err);
/* Once they are: the parts. */
int header_parts(struct profile *p, struct err *err);

#endif
