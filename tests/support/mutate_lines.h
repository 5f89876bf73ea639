/*
 * mutate_lines.h - change a profile by lines, for a line is what the format is made of.
 *
 * Lines go, come again elsewhere, even many times, become lines of mutate_lines_words.inc, or
 * get another number.  Now and then all get other ends, the text is cut, or gets some room.
 */
#ifndef QUERN_TESTS_MUTATE_LINES_H
#define QUERN_TESTS_MUTATE_LINES_H

#include <stddef.h>
#include <stdint.h>

/* The new size, at most max; what is done follows from the seed. */
size_t mutate_lines(uint8_t *data, size_t size, size_t max, unsigned seed);

#endif
