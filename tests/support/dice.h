/* dice.h - numbers by chance, the same in every run with one SEED (tap.h): splitmix64's steps,
 * mixed by hash.h. */
#ifndef QUERN_DICE_H
#define QUERN_DICE_H

#include <stdbool.h>
#include <stdint.h>

#include "index/base/hash.h"
#include "tests/support/tap.h"

static uint64_t dice_state; /* 0: not begun */

static inline uint64_t dice_u64(void)
{
	if (dice_state == 0)
		dice_state = tap_seed(1);
	dice_state += 0x9e3779b97f4a7c15;
	return hash_mix(dice_state);
}

/* Below n, which is not 0. */
static inline unsigned dice_below(unsigned n)
{
	return (unsigned)(dice_u64() % n);
}

static inline bool one_in(unsigned n)
{
	return dice_below(n) == 0;
}

#endif
