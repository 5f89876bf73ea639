/* vec.c - growing arrays; see vec.h. */
#include "index/base/vec.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

int vec_reserve(void *pp, size_t *cap, size_t need, size_t size)
{
	size_t n = *cap, bytes;
	char *p, *grown;

	if (need <= n)
		return 0;
	n = n ? n + n / 2 + 16 : 16;
	if (n < need)
		n = need;
	if (__builtin_mul_overflow(n, size, &bytes))
		return -1;
	memcpy(&p, pp, sizeof(p));
	grown = realloc(p, bytes);
	if (!grown)
		return -1;
	memset(grown + *cap * size, 0, bytes - *cap * size);
	memcpy(pp, &grown, sizeof(grown));
	*cap = n;
	return 0; /* cppcheck-suppress memleak ; *pp holds it now */
}
