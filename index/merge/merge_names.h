/*
 * merge_names.h - ids to strings: p->name and the name maps of p->map.
 */
#ifndef QUERN_MERGE_NAMES_H
#define QUERN_MERGE_NAMES_H

#include "index/merge/profile.h"

int merge_names(struct profile *p, struct err *err);

#endif
