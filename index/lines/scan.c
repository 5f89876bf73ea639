/*
 * scan.c - separators of a block; see scan.h.
 *
 * 64 bytes at a time become a 64-bit mask (bit i: byte i <= ' '), and the mask becomes
 * 16-bit offsets, eight stores a round whatever the count, so that there is no branch on
 * the number of separators.  The end of a block is copied to a padded buffer.
 */
#include "index/lines/scan.h"

#include <string.h>

#include "index/lines/digits.h"

enum { PIECE = 64 };

static inline uint16_t *peel(uint16_t *pos, uint64_t mask, size_t base)
{
	uint16_t *end = pos + __builtin_popcountll(mask);

	for (; mask; pos += 8)
		for (int i = 0; i < 8; i++) {
			pos[i] = (uint16_t)(base +
					    (mask ? (size_t)__builtin_ctzll(mask) : 0));
			mask &= mask - 1;
		}
	return end;
}

static uint16_t *piece(const char *p, size_t base, uint16_t *pos)
{
	const uint64_t low7 = 0x7f7f7f7f7f7f7f7f, ones = 0x0101010101010101;
	uint64_t mask = 0;

	for (unsigned i = 0; i < PIECE; i += 8) {
		uint64_t v = load8(p + i);
		/* High bit set where the byte is > ' ' (low 7 bits > 32, or bit 7). */
		uint64_t le = ~((((v & low7) + 0x5f * ones) | v)) & 0x8080808080808080;

		/* Gather the high bits of 8 bytes into 8 bits. */
		mask |= (((le >> 7) * 0x0102040810204080) >> 56) << i;
	}
	return peel(pos, mask, base);
}

size_t scan_block(const char *p, size_t n, uint16_t *pos)
{
	char last[PIECE];
	uint16_t *at = pos;
	size_t i = 0;

	for (; i + PIECE <= n; i += PIECE)
		at = piece(p + i, i, at);
	if (i < n) {
		memset(last, 'x', sizeof(last));
		memcpy(last, p + i, n - i);
		at = piece(last, i, at);
	}
	return (size_t)(at - pos);
}
