/*
 * profile_fuzz.c - any bytes as a profile: refused or indexed, and then as the naive reader
 * has it (tests/naive.h).
 */
#include <stdio.h>
#include <stdlib.h>

#include "tests/naive.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	char why[1400];

	if (size > 16 << 10)
		return -1;
	/* The input decides, so that a case that failed fails again. */
	if (!naive_agree((const char *)data, size, size % 3 ? 0 : 16 + size % 97, why,
			 sizeof(why))) {
		fprintf(stderr, "%s\n", why);
		abort();
	}
	return 0;
}
