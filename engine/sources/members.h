/*
 * members.h - the structs of rows of which columns are members (AT() in columns.c), where no
 * other header has them.
 */
#ifndef QUERN_SOURCE_MEMBERS_H
#define QUERN_SOURCE_MEMBERS_H

#include "engine/path/path.h"
#include "engine/sources/cost_calls.h"
#include "index/store/store.h"

/* A step of a path. */
struct step {
	uint32_t path, step;
	struct path_step s;
};

/* The cost of a set under another. */
struct cost {
	struct path_bounds b;
	struct path_bounds whole; /* of the set, from anywhere */
	int64_t self, incl;
	struct call_bounds calls;
	bool more; /* others may be of the set: their calls are not counted */
};

/* Code that is inlined from one place into one function. */
struct inlined_row {
	fn_id into; /* of the store */
	file_id file;
	uint32_t number; /* of the name; NO_NAME: not known */
	struct str name;
	uint64_t lines; /* self[events] are in inlined_rows.costs */
};

#endif
