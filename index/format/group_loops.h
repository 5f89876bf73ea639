/* group_loops.h - the loops of column_code.c over the rows of a group, for each
 * instruction set. */
#ifndef QUERN_GROUP_LOOPS_H
#define QUERN_GROUP_LOOPS_H

#include <stdint.h>

struct group_loops {
	/* The least and the largest of 64 rows. */
	void (*bounds)(const uint64_t *row, uint64_t *least, uint64_t *most);
	/* Pack 64 rows less base, of which `width` bits, 1 to 64, may be set, into `width`
	 * words.  Overwrites the rows. */
	void (*pack)(uint64_t *word, uint64_t *row, uint64_t base, unsigned width);
	/* The reverse. */
	void (*unpack)(uint64_t *row, const uint64_t *word, uint64_t base,
		       unsigned width);
};
extern const struct group_loops group_loops_avx2, group_loops_portable;

#endif
