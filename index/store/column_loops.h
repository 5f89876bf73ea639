/* column_loops.h - the loops over the numbers and texts of a block, for each instruction
 * set. */
#ifndef QUERN_COLUMN_LOOPS_H
#define QUERN_COLUMN_LOOPS_H

#include <stddef.h>
#include <stdint.h>

struct column_loops {
	/* Make numbers of width 1, 2, 4 or 8 bytes 64-bit ones. */
	void (*widen)(uint64_t *to, const void *from, size_t n, unsigned width);
	/* As memmem(), for a text that is rare in many bytes; m > 0. */
	const char *(*find)(const char *p, size_t n, const char *text, size_t m);
};
extern const struct column_loops column_loops_avx2, column_loops_portable;
const struct column_loops *column_loops(void);

#endif
