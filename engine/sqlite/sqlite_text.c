/*
 * sqlite_text.c - names that are not UTF-8; see sqlite_in.h.
 *
 * Hosts take text for UTF-8, Python's module fails on anything else.  Such a name is given
 * in the marked form of the machine formats (repl/term/emit.h).
 */
#include <string.h>

#include "engine/sqlite/sqlite_in.h"

/* The length of the character at p (1..4) and its code point; 0: it is not UTF-8. */
static size_t character(const unsigned char *p, size_t n, uint32_t *cp)
{
	static const uint32_t least[] = {0, 0, 0x80, 0x800, 0x10000};
	const size_t len = p[0] < 0x80	 ? 1
			   : p[0] < 0xc2 ? 0
			   : p[0] < 0xe0 ? 2
			   : p[0] < 0xf0 ? 3
			   : p[0] < 0xf5 ? 4
					 : 0;

	if (len > n)
		return 0;
	*cp = len == 1 ? p[0] : p[0] & (0x7fu >> len);
	for (size_t i = 1; i < len; i++) {
		if ((p[i] & 0xc0) != 0x80)
			return 0;
		*cp = *cp << 6 | (p[i] & 0x3f);
	}
	return *cp < least[len] || *cp > 0x10ffff || (*cp >= 0xd800 && *cp < 0xe000)
		       ? 0
		       : len;
}

static bool is_ascii(const char *p, size_t n)
{
	uint64_t eight, any = 0;

	for (; n >= sizeof(eight); p += sizeof(eight), n -= sizeof(eight)) {
		memcpy(&eight, p, sizeof(eight));
		any |= eight;
	}
	for (; n; p++, n--)
		any |= (unsigned char)*p;
	return !(any & 0x8080808080808080u);
}

bool text_is_plain(quern_text t)
{
	uint32_t cp;

	if (t.length >= 3 && memcmp(t.bytes, "\\x:", 3) == 0)
		return false;
	if (is_ascii(t.bytes, t.length))
		return true;
	for (size_t i = 0, n; i < t.length; i += n)
		if (!(n = character((const unsigned char *)t.bytes + i, t.length - i,
				    &cp)))
			return false;
	return true;
}

/* Controls, and what reorders text: the same as in the machine formats. */
static bool is_unsafe(uint32_t cp)
{
	return cp < 0x20 || (cp >= 0x7f && cp < 0xa0) || cp == 0x61c ||
	       (cp >= 0x200e && cp <= 0x200f) || (cp >= 0x2028 && cp <= 0x202e) ||
	       (cp >= 0x2066 && cp <= 0x2069);
}

char *text_mark(quern_text t, size_t *n)
{
	sqlite3_str *s = sqlite3_str_new(NULL);

	sqlite3_str_appendall(s, "\\x:");
	for (size_t i = 0, len; i < t.length; i += len) {
		uint32_t cp = 0;

		len = character((const unsigned char *)t.bytes + i, t.length - i, &cp);
		if (len == 1 && cp == '\\')
			sqlite3_str_appendall(s, "\\\\");
		else if (len && !is_unsafe(cp))
			sqlite3_str_append(s, t.bytes + i, (int)len);
		else
			for (size_t k = 0; k < (len ? len : 1); k++)
				sqlite3_str_appendf(s, "\\x%02X",
						    (unsigned char)t.bytes[i + k]);
		len = len ? len : 1;
	}
	*n = (size_t)sqlite3_str_length(s);
	return sqlite3_str_finish(s);
}
