enum { SIZE = 40 };
long a(long n), b(long n), c(long n), other(long *v);

static inline __attribute__((always_inline)) long mix(long x, long i)
{
	x ^= x >> 3;
	return i % 3 ? x * 5 : x + i;
}
