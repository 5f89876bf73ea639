/*
 * scan.h - find the separators of a block of text.
 *
 * A separator is any byte <= ' ': blanks, tabs, newlines, CR, and control bytes (which may
 * stand in names; whoever reads a name looks for '\n').
 */
#ifndef QUERN_SCAN_H
#define QUERN_SCAN_H

#include <stddef.h>
#include <stdint.h>

enum {
	SCAN_BLOCK = 16 << 10,	     /* bytes a call takes at most: offsets fit 16 bits */
	SCAN_ROOM = SCAN_BLOCK + 64, /* entries that pos must have room for */
};

/* Offsets of the separators of p[0..n), ascending, into pos; returns how many there are.
 * Never reads past p + n. */
size_t scan_block(const char *p, size_t n, uint16_t *pos);

#endif
