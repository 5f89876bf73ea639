/*
 * scan.h - find the separators of a block of text.
 *
 * A separator is any byte <= ' ': blanks, tabs, newlines, CR, and control bytes (which
 * may be part of a name; whoever reads a name looks for '\n').
 */
#ifndef QUERN_SCAN_H
#define QUERN_SCAN_H

#include <stddef.h>
#include <stdint.h>

enum {
	SCAN_BLOCK = 16 << 10,	     /* most bytes per call: offsets fit in 16 bits */
	SCAN_ROOM = SCAN_BLOCK + 64, /* elements that pos must have */
};

/* Write the offsets of the separators of p[0..n) to pos, ascending.  Returns their
 * number.  Never reads past p + n. */
size_t scan_block(const char *p, size_t n, uint16_t *pos);

/* The same by an instruction set (scan_loops.c, isa.h). */
size_t scan_block_avx2(const char *p, size_t n, uint16_t *pos);
size_t scan_block_portable(const char *p, size_t n, uint16_t *pos);

#endif
