/* free.c - a program without libc, so that its profiles hold nothing but these functions:
 * recursion, a cycle of three, inlined code from a header, two functions of one name,
 * calls through a pointer, conditional jumps. */
#include "free.h"

static long seed = 12345;

static __attribute__((noinline)) long next(void)
{
	seed = (seed * 1103515245 + 12345) & 0x7fffffff;
	return seed >> 8;
}

__attribute__((noinline)) long fib(long n)
{
	return n < 2 ? n : fib(n - 1) + fib(n - 2);
}

__attribute__((noinline)) long a(long n)
{
	return n <= 0 ? 0 : 1 + b(n - 1);
}

__attribute__((noinline)) long c(long n)
{
	return n % 7 == 0 ? next() & 1 : a(n - 2);
}

static __attribute__((noinline)) long same(long *v)
{
	long sum = 0;

	for (long i = 0; i < SIZE; i++)
		sum += mix(v[i], i);
	return sum;
}

static __attribute__((noinline)) long sorted(long *v)
{
	long moves = 0;

	for (long i = 1; i < SIZE; i++)
		for (long k = i; k > 0 && v[k] < v[k - 1]; k--, moves++) {
			long t = v[k];

			v[k] = v[k - 1];
			v[k - 1] = t;
		}
	return moves;
}

/* A call of the system that takes and changes nothing: getuid(). */
static __attribute__((noinline)) long user(void)
{
	long id;

	__asm__ volatile("syscall" : "=a"(id) : "a"(102L) : "rcx", "r11", "memory");
	return id;
}

long work(void)
{
	static long v[SIZE];
	long (*todo[])(long *) = {same, sorted, other, same};
	long sum = 0;

	for (long i = 0; i < SIZE; i++)
		v[i] = next();
	for (unsigned i = 0; i < sizeof(todo) / sizeof(todo[0]); i++)
		sum += todo[i](v);
	return sum + (user() & 0) + fib(9) + a(25) + c(12);
}

void _start(void)
{
	long status = work() + work();

	__asm__ volatile("andq $-16, %%rsp\n\tsyscall" ::"a"(231L), "D"(status & 0));
	__builtin_unreachable();
}
