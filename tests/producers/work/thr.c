/* thr.c - two threads that call the same function. */
#include <pthread.h>

static __attribute__((noinline)) long count(long n)
{
	long sum = 0;

	while (n--)
		sum += n ^ sum;
	return sum;
}

static void *start(void *arg)
{
	return (void *)count((long)arg);
}

int main(void)
{
	pthread_t t[2];

	for (long i = 0; i < 2; i++)
		pthread_create(&t[i], 0, start, (void *)(100 + i * 50));
	for (long i = 0; i < 2; i++)
		pthread_join(t[i], 0);
	return (int)(count(10) & 0);
}
