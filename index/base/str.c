/* str.c - string views; see str.h. */
#include "index/base/str.h"

#include <stdio.h>
#include <string.h>
#include <xxhash.h>

struct str str_c(const char *c)
{
	return c ? (struct str){c, strlen(c)} : (struct str){"", 0};
}

bool str_eq(struct str a, struct str b)
{
	return a.n == b.n && (a.n == 0 || memcmp(a.p, b.p, a.n) == 0);
}

int str_cmp(struct str a, struct str b)
{
	size_t n = a.n < b.n ? a.n : b.n;
	int c = n ? memcmp(a.p, b.p, n) : 0;

	return c ? c : (a.n > b.n) - (a.n < b.n);
}

bool str_starts(struct str s, struct str prefix)
{
	return s.n >= prefix.n && str_eq((struct str){s.p, prefix.n}, prefix);
}

struct str str_word(struct str *s)
{
	struct str w = *s;
	size_t n = 0;

	while (w.n && (w.p[0] == ' ' || w.p[0] == '\t'))
		w = str_from(w, 1);
	while (n < w.n && w.p[n] != ' ' && w.p[n] != '\t')
		n++;
	*s = str_from(w, n);
	return (struct str){w.p, n};
}

bool str_ends(struct str s, struct str suffix)
{
	return s.n >= suffix.n && str_eq(str_from(s, s.n - suffix.n), suffix);
}

static bool is_blank(char c)
{
	return c == ' ' || c == '\t' || c == '\r';
}

struct str str_trim(struct str s)
{
	while (s.n && is_blank(s.p[0])) {
		s.p++;
		s.n--;
	}
	while (s.n && is_blank(s.p[s.n - 1]))
		s.n--;
	return s;
}

struct str str_cut(struct str s, size_t n)
{
	if (n >= s.n)
		return s;
	while (n > 0 && (s.p[n] & 0xc0) == 0x80)
		n--;
	return (struct str){s.p, n};
}

struct str str_from(struct str s, size_t at)
{
	if (s.n == 0)
		return s; /* NULL + 0 is undefined */
	if (at > s.n)
		at = s.n;
	return (struct str){s.p + at, s.n - at};
}

size_t str_find(struct str s, char c)
{
	const char *hit = s.n ? memchr(s.p, c, s.n) : NULL;

	return hit ? (size_t)(hit - s.p) : s.n;
}

size_t str_find_str(struct str s, struct str needle)
{
	const char *hit;

	if (needle.n == 0)
		return 0;
	hit = s.n ? memmem(s.p, s.n, needle.p, needle.n)
		  : NULL; /* in O(s.n + needle.n) */
	return hit ? (size_t)(hit - s.p) : s.n;
}

uint64_t str_hash(struct str s)
{
	return XXH3_64bits(s.p, s.n);
}

void str_hash128(struct str s, uint64_t hash[2])
{
	const XXH128_hash_t h = XXH3_128bits(s.p, s.n);

	hash[0] = h.low64;
	hash[1] = h.high64;
}

struct str str_after_slash(struct str path)
{
	for (size_t i = path.n; i > 0; i--)
		if (path.p[i - 1] == '/')
			return str_from(path, i);
	return path;
}

bool str_is_windows(struct str s)
{
	const bool drive = s.n > 2 && s.p[1] == ':' && (s.p[0] | 32) >= 'a' &&
			   (s.p[0] | 32) <= 'z' && (s.p[2] == '\\' || s.p[2] == '/');

	return drive || str_starts(s, STR("\\\\")) ||
	       (str_find(s, '\\') < s.n && str_find(s, '/') == s.n);
}

struct str str_basename(struct str path)
{
	const struct str base = str_after_slash(path);

	if (str_find(base, '\\') == base.n || !str_is_windows(path))
		return base;
	for (size_t i = path.n; i > 0; i--)
		if (path.p[i - 1] == '/' || path.p[i - 1] == '\\')
			return str_from(path, i);
	return path;
}

/* Optimal string alignment distance; three rows are enough for transpositions. */
unsigned str_distance(struct str a, struct str b, unsigned max)
{
	enum { LONGEST = 128 };
	unsigned row[3][LONGEST + 1];

	if (a.n > LONGEST || b.n > LONGEST)
		return max + 1;
	if ((a.n > b.n ? a.n - b.n : b.n - a.n) > max)
		return max + 1;
	for (size_t j = 0; j <= b.n; j++)
		row[0][j] = (unsigned)j;
	for (size_t i = 1; i <= a.n; i++) {
		unsigned *cur = row[i % 3], *prev = row[(i + 2) % 3],
			 *prev2 = row[(i + 1) % 3];
		unsigned best = cur[0] = (unsigned)i;

		for (size_t j = 1; j <= b.n; j++) {
			unsigned d = prev[j - 1] + (a.p[i - 1] != b.p[j - 1]);

			if (prev[j] + 1 < d)
				d = prev[j] + 1;
			if (cur[j - 1] + 1 < d)
				d = cur[j - 1] + 1;
			if (i > 1 && j > 1 && a.p[i - 1] == b.p[j - 2] &&
			    a.p[i - 2] == b.p[j - 1] && prev2[j - 2] + 1 < d)
				d = prev2[j - 2] + 1;
			cur[j] = d;
			if (d < best)
				best = d;
		}
		if (best > max)
			return max + 1;
	}
	unsigned d = row[a.n % 3][b.n];
	return d > max ? max + 1 : d;
}

bool str_u64(struct str s, uint64_t *out)
{
	uint64_t v = 0, base = 10;

	if (s.n > 2 && s.p[0] == '0' && (s.p[1] == 'x' || s.p[1] == 'X')) {
		base = 16;
		s = str_from(s, 2);
	}
	if (s.n == 0)
		return false;
	for (size_t i = 0; i < s.n; i++) {
		char c = s.p[i];
		uint64_t d = c >= '0' && c <= '9'   ? (uint64_t)(c - '0')
			     : c >= 'a' && c <= 'f' ? (uint64_t)(c - 'a') + 10
			     : c >= 'A' && c <= 'F' ? (uint64_t)(c - 'A') + 10
						    : 16;

		if (d >= base || __builtin_mul_overflow(v, base, &v) ||
		    __builtin_add_overflow(v, d, &v))
			return false;
	}
	*out = v;
	return true;
}

size_t str_common(struct str a, struct str b)
{
	size_t n = 0;

	while (n < a.n && n < b.n && a.p[n] == b.p[n])
		n++;
	return str_cut(a, n).n;
}

int str_place(const char *list, struct str word)
{
	int place = 0;

	for (const char *p = list; *p; place++) {
		size_t n = strcspn(p, " ");

		if (str_eq(word, (struct str){p, n}))
			return place;
		p += n + (p[n] == ' ');
	}
	return -1;
}

const char *str_grouped(uint64_t v, char out[32])
{
	char digits[32];
	int n = snprintf(digits, sizeof(digits), "%llu", (unsigned long long)v), k = 0;

	for (int i = 0; i < n; i++) {
		if (i && (n - i) % 3 == 0)
			out[k++] = ',';
		out[k++] = digits[i];
	}
	out[k] = '\0';
	return out;
}

const char *str_grouped_signed(int64_t v, char out[32])
{
	out[0] = '-';
	str_grouped(v < 0 ? 0 - (uint64_t)v : (uint64_t)v, out + (v < 0));
	return out;
}
