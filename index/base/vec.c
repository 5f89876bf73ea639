/* vec.c - growing arrays; see vec.h. */
#include "index/base/vec.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

int vec_reserve(void *pp, size_t *cap, size_t need, size_t size)
{
	size_t n = *cap, bytes;
	char *p;

	if (need <= n)
		return 0;
	n = n ? n + n / 2 + 16 : 16;
	if (n < need)
		n = need;
	if (__builtin_mul_overflow(n, size, &bytes))
		return -1;
	memcpy(&p, pp, sizeof(p));
	p = realloc(p, bytes);
	if (!p)
		return -1;
	memset(p + *cap * size, 0, bytes - *cap * size);
	memcpy(pp, &p, sizeof(p));
	*cap = n;
	return 0;
}
