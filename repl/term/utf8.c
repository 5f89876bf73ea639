/*
 * utf8.c - decoding and widths by utf8proc; see utf8.h.
 *
 * utf8proc gives no column to spacing marks (category Mc), which terminals give one.
 */
#include "repl/term/utf8.h"

#include <utf8proc.h>

unsigned utf8_width(uint32_t cp)
{
	const utf8proc_int32_t c = (utf8proc_int32_t)cp;

	if (cp < 0x300)
		return cp >= 0x20;
	if (utf8proc_category(c) == UTF8PROC_CATEGORY_MC)
		return 1;
	return (unsigned)utf8proc_charwidth(c);
}

bool utf8_unsafe(uint32_t cp)
{
	return cp < 0x20 || (cp >= 0x7f && cp < 0xa0) || cp == 0x61c || cp == 0x200e ||
	       cp == 0x200f || (cp >= 0x2028 && cp <= 0x202e) ||
	       (cp >= 0x2066 && cp <= 0x2069);
}

size_t utf8_next(struct str s, size_t at, uint32_t *cp)
{
	const utf8proc_uint8_t *p = (const utf8proc_uint8_t *)s.p + at;
	utf8proc_int32_t c;
	utf8proc_ssize_t n;

	if (*p < 0x80) {
		*cp = *p;
		return 1;
	}
	n = utf8proc_iterate(p, (utf8proc_ssize_t)(s.n - at), &c);
	if (n <= 0)
		return 0;
	*cp = (uint32_t)c;
	return (size_t)n;
}

bool utf8_valid(struct str s)
{
	uint32_t cp;

	for (size_t i = 0, n; i < s.n; i += n)
		if (!(n = utf8_next(s, i, &cp)))
			return false;
	return true;
}
