/* heap.c - blocks that are freed, kept, and lost, by several ways. */
#include <stdlib.h>

static void *kept[8];

static void *get(size_t n)
{
	return malloc(n);
}

static void lose(int n)
{
	if (n > 0)
		lose(n - 1);
	void **first = get(16);
	*first = get(100);
}

static void keep(void)
{
	for (int i = 0; i < 8; i++)
		kept[i] = get((size_t)(10 + i));
}

int main(void)
{
	for (int i = 0; i < 20; i++)
		free(get(1000));
	keep();
	lose(4);
	kept[0] = realloc(kept[0], 500);
	return 0;
}
