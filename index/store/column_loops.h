/* column_loops.h - the loops over the texts of a block, for each instruction set. */
#ifndef QUERN_COLUMN_LOOPS_H
#define QUERN_COLUMN_LOOPS_H

#include <stddef.h>

struct column_loops {
	/* As memmem(), for a text that is rare in many bytes; m > 0. */
	const char *(*find)(const char *p, size_t n, const char *text, size_t m);
};
extern const struct column_loops column_loops_avx2, column_loops_portable;
const struct column_loops *column_loops(void);

#endif
