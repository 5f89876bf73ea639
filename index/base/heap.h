/*
 * heap.h - a binary heap in an array: the one that goes first is at place 0.
 *
 * HEAP(NAME, T, C, FIRST) makes two functions.  NAME_push(h, n, x, c) adds x to the n of h,
 * which has room; NAME_pop(h, n, c) removes the first of n + 1 and returns it.  FIRST(c,
 * &a, &b): does a go before b?
 */
#ifndef QUERN_HEAP_H
#define QUERN_HEAP_H

#include <stddef.h>

#define HEAP(NAME, T, C, FIRST)                                                 \
	static void NAME##_push(T *h, size_t i, T x, C c)                       \
	{                                                                       \
		for (; i > 0 && FIRST(c, &x, &h[(i - 1) / 2]); i = (i - 1) / 2) \
			h[i] = h[(i - 1) / 2];                                  \
		h[i] = x;                                                       \
	}                                                                       \
	static T NAME##_pop(T *h, size_t n, C c)                                \
	{                                                                       \
		const T top = h[0], last = h[n];                                \
		size_t i = 0;                                                   \
                                                                                \
		for (size_t k; (k = 2 * i + 1) < n; i = k) {                    \
			k += k + 1 < n && FIRST(c, &h[k + 1], &h[k]);           \
			if (!FIRST(c, &h[k], &last))                            \
				break;                                          \
			h[i] = h[k];                                            \
		}                                                               \
		h[i] = last;                                                    \
		return top;                                                     \
	}

#endif
