/* widen_loops.h - numbers of a block, kept in few bytes, as 64-bit ones; for each
 * instruction set. */
#ifndef QUERN_WIDEN_LOOPS_H
#define QUERN_WIDEN_LOOPS_H

#include <stddef.h>
#include <stdint.h>

struct widen_loops {
	/* width: 1, 2, 4 or 8 bytes */
	void (*widen)(uint64_t *to, const void *from, size_t n, unsigned width);
};
extern const struct widen_loops widen_loops_avx2, widen_loops_portable;

#endif
