/*
 * dumps.c - a program that is dumped while its calls are open, again and again: from a leaf,
 * within recursion and a cycle, behind inlined code of a header, in loops.  Then a call's line
 * comes without a cost line of its place in front.  Without libc, so that every run is the same.
 */
#include "dumps.h"

/* Not zero: valgrind reads no debug information where nothing is to be written. */
static long count = 1;

static __attribute__((noinline)) void dump(void)
{
	if (++count % 13 == 0)
		CALLGRIND_DUMP_STATS;
}

__attribute__((noinline)) long leaf(long n)
{
	dump();
	for (long i = 0; i < n; i++)
		count += i & 1;
	return count;
}

__attribute__((noinline)) long deep(long n)
{
	if (n < 2)
		return leaf(n);
	return twice(n) + leaf(n) + step(n);
}

__attribute__((noinline)) long even(long n)
{
	return n <= 0 ? leaf(1) : odd(n - 1) + (n > 4 ? deep(2) : 0);
}

__attribute__((noinline)) long odd(long n)
{
	return n <= 0 ? 0 : even(n - 1);
}

static __attribute__((noinline)) long work(void)
{
	long sum = 0;

	for (long i = 0; i < 4; i++) {
		sum += step(i);
		sum += deep(i);
		if (i & 1)
			CALLGRIND_DUMP_STATS;
		sum += leaf(2);
	}
	return sum;
}

void _start(void)
{
	long status = work() + deep(5);

	__asm__ volatile("andq $-16, %%rsp\n\tsyscall" ::"a"(231L), "D"(status & 0));
	__builtin_unreachable();
}
