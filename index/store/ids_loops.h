/* ids_loops.h - the loops of store_ids.c over the numbers of a block, for each
 * instruction set. */
#ifndef QUERN_IDS_LOOPS_H
#define QUERN_IDS_LOOPS_H

#include <stdbool.h>
#include <stdint.h>

struct ids_loops {
	uint32_t (*largest)(const uint32_t *p, uint64_t n); /* 0 if n is 0 */
	bool (*ascending)(const uint32_t *p, uint64_t n);   /* equal ones may follow */
};
extern const struct ids_loops ids_loops_avx2, ids_loops_portable;

#endif
