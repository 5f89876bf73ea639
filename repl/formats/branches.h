/* branches.h - the lines before the names of a tree. */
#ifndef QUERN_BRANCHES_H
#define QUERN_BRANCHES_H

#include "index/base/out.h"

struct result;

enum { BRANCHES_MOST = 32 }; /* levels; deeper rows show their depth as a number */

struct branches {
	const struct result *r;
	size_t rows;
	size_t levels;		  /* branches drawn at most */
	uint8_t *last;		  /* per row: it is the last of its siblings */
	bool more[BRANCHES_MOST]; /* while writing: siblings follow at this level */
	uint64_t root;		  /* depth of the outermost rows */
	uint32_t *depth;	  /* per row; NULL: as in the rows */
};

/* Has the result a depth? */
bool branches_has(const struct result *r);
/* For the first `rows` rows of r, drawn to at most so many levels.  -1: out of memory.
 * branches_free() also after that. */
int branches_init(struct branches *b, const struct result *r, size_t rows, size_t levels);
void branches_free(struct branches *b);
/* Write the branches of a row (one after the other from the first); returns their
 * columns.  o NULL: only measure. */
size_t branches_put(struct branches *b, struct out *o, size_t row, bool utf8);

#endif
