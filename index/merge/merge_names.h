/*
 * merge_names.h - ids to strings: p->name and the name maps of p->map.
 */
#ifndef QUERN_MERGE_NAMES_H
#define QUERN_MERGE_NAMES_H

#include "index/merge/profile.h"

/* once: nobody needs the names of the tallies again, so they are freed. */
int merge_names(struct profile *p, bool once, struct err *err);

#endif
