/* busy.c - half a second of work in a few functions, and some memory that stays. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { ROWS = 20000, KEPT = 100 };

static __attribute__((noinline)) long fib(long n)
{
	return n < 2 ? n : fib(n - 1) + fib(n - 2);
}

static int compare(const void *a, const void *b)
{
	return strcmp(*(char *const *)a, *(char *const *)b);
}

static char *row(long i)
{
	char text[64];

	snprintf(text, sizeof(text), "%08ld of a row", i * 7919 % ROWS);
	return strdup(text);
}

static __attribute__((noinline)) long sorting(void)
{
	char **v = malloc(ROWS * sizeof(*v));
	long sum;

	for (long i = 0; i < ROWS; i++)
		v[i] = row(i);
	qsort(v, ROWS, sizeof(*v), compare);
	sum = v[0][0];
	for (long i = 0; i < ROWS; i++)
		free(v[i]);
	free(v);
	return sum;
}

static char *kept[KEPT];

static __attribute__((noinline)) void keep(void)
{
	for (long i = 0; i < KEPT; i++)
		kept[i] = memset(malloc(100000), 'x', 100000);
}

int main(void)
{
	long sum = 0;

	for (int i = 0; i < 20; i++)
		sum += fib(27) + sorting();
	keep();
	return (int)(sum & 0);
}
