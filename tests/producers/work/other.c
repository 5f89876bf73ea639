/* other.c - the second file: a static function of the same name as one in free.c. */
#include "free.h"

static __attribute__((noinline)) long same(long x)
{
	return mix(x, 1) % 10;
}

__attribute__((noinline)) long b(long n)
{
	return n < 3 ? same(n) : c(n - 1);
}

long other(long *v)
{
	long sum = 0;

	for (long i = 0; i < SIZE; i++)
		sum += same(v[i]);
	return sum;
}
