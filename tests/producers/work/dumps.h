/* Code that dumps.c inlines: calls from it stand behind an fi= of this file. */
#include <valgrind/callgrind.h>

long deep(long n), leaf(long n), even(long n), odd(long n);

static inline __attribute__((always_inline)) long step(long n)
{
	long sum = leaf(n);

	if (n % 5 == 0)
		CALLGRIND_DUMP_STATS;
	sum += leaf(n + 1);
	return sum + even(n % 7);
}

static inline __attribute__((always_inline)) long twice(long n)
{
	return deep(n - 1) + deep(n - 2);
}
