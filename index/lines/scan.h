/*
 * scan.h - find the separators of a block of text.
 *
 * A separator is any byte <= ' ': blanks, tabs, newlines, CR, and control bytes (which may
 * stand in names; whoever reads a name looks for '\n').  The widest instruction set of
 * the machine is chosen at run time; every path gives the same answer.
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

/* The instruction sets this machine can run, widest first ("avx512", "avx2", "sse2",
 * "portable"), and the way to force one (tests, benches): returns 0, or -1 when the machine
 * cannot. */
const char *const *scan_paths(void);
int scan_force(const char *path);
const char *scan_path(void); /* the one in use */

#endif
