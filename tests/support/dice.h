/* dice.h - numbers by chance, the same in every run: splitmix64's steps, mixed by hash.h. */
#ifndef QUERN_DICE_H
#define QUERN_DICE_H

#include <stdint.h>

#include "index/base/hash.h"

static uint64_t dice_state = 1;

static inline uint64_t dice_u64(void)
{
	dice_state += 0x9e3779b97f4a7c15;
	return hash_mix(dice_state);
}

/* Below n, which is not 0. */
static inline unsigned dice_below(unsigned n)
{
	return (unsigned)(dice_u64() % n);
}

#endif
