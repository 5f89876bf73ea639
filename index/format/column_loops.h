/* column_loops.h - the loops over the rows and texts of a block, for each instruction
 * set. */
#ifndef QUERN_COLUMN_LOOPS_H
#define QUERN_COLUMN_LOOPS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct column_loops {
	/* The least and the largest of 64 rows. */
	void (*bounds)(const uint64_t *row, uint64_t *least, uint64_t *most);
	/* Subtract base from 64 rows, and pack the low `width` bits of each, 1 to 64, into
	 * `width` words.  Overwrites the rows. */
	void (*pack)(uint64_t *word, uint64_t *row, uint64_t base, unsigned width);
	/* The reverse. */
	void (*unpack)(uint64_t *row, const uint64_t *word, uint64_t base,
		       unsigned width);
	uint32_t (*largest)(const uint32_t *p, uint64_t n); /* 0 if n is 0 */
	bool (*ascending)(const uint32_t *p, uint64_t n);   /* equal ones may follow */
	/* As memmem(), for a text that is rare in many bytes; m > 0. */
	const char *(*find)(const char *p, size_t n, const char *text, size_t m);
	/* The same in any case; the text has no capitals. */
	const char *(*find_nocase)(const char *p, size_t n, const char *text, size_t m);
};
extern const struct column_loops column_loops_avx2, column_loops_portable;
const struct column_loops *column_loops(void);

#endif
