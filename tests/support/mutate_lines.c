/* mutate_lines.c - see mutate_lines.h. */
#include "tests/support/mutate_lines.h"

#include <stdbool.h>
#include <string.h>

#include "index/base/hash.h"

/* clang-format off */
static const char *const lines[] = {
#include "tests/support/mutate_lines_words.inc"
};
/* clang-format on */

static uint64_t state;

static size_t below(size_t n)
{
	state += 0x9e3779b97f4a7c15;
	return n ? (size_t)(hash_mix(state) % n) : 0;
}

/* The line around a place: its start, and its end behind the newline. */
static size_t line_at(const uint8_t *data, size_t size, size_t at, size_t *end)
{
	const uint8_t *newline = memchr(data + at, '\n', size - at);

	*end = newline ? (size_t)(newline - data) + 1 : size;
	while (at > 0 && data[at - 1] != '\n')
		at--;
	return at;
}

/* Replace data[from..to) by n bytes, which are not in data. */
static size_t replace(uint8_t *data, size_t size, size_t max, size_t from, size_t to,
		      const void *p, size_t n)
{
	if (size - (to - from) + n > max)
		return size;
	memmove(data + from + n, data + to, size - to);
	memcpy(data + from, p, n);
	return size - (to - from) + n;
}

/* Some lines, one after the other, to a place of their own; now and then many times. */
static size_t copy_lines(uint8_t *data, size_t size, size_t max, size_t at)
{
	size_t times = below(4) ? 1 : 1 + below(60);
	static uint8_t copy[64 << 10];
	size_t end, from = line_at(data, size, below(size), &end);

	for (size_t more = below(4) ? below(4) : below(40); more && end < size; more--)
		line_at(data, size, end, &end);
	if (end - from > sizeof(copy))
		return size;
	memcpy(copy, data + from, end - from);
	while (times--)
		size = replace(data, size, max, at, at, copy, end - from);
	return size;
}

/* A comment that loops for usual lines can look ahead in (ROOM of stretch.c). */
static size_t put_room(uint8_t *data, size_t size, size_t max, size_t at)
{
	static char room[1101];

	memset(room, '#', sizeof(room) - 1);
	room[sizeof(room) - 1] = '\n';
	return replace(data, size, max, at, at, room, sizeof(room));
}

/* All lines end with CR LF, or none does. */
static size_t other_ends(uint8_t *data, size_t size, size_t max)
{
	bool are = size > 1 && memchr(data, '\r', size);

	for (size_t i = size; i-- > 0;) {
		bool cr = i > 0 && data[i - 1] == '\r';

		if (data[i] == '\n' && are && cr)
			size = replace(data, size, max, i - 1, i, "", 0);
		else if (data[i] == '\n' && !are)
			size = replace(data, size, max, i, i, "\r", 1);
	}
	return size;
}

/* What is before a place, or behind it, is gone. */
static size_t cut(uint8_t *data, size_t size, size_t at)
{
	return below(3) ? at + 1 : replace(data, size, size, 0, at, "", 0);
}

/* The number at or after a place becomes another one. */
static size_t new_number(uint8_t *data, size_t size, size_t max, size_t at)
{
	static const char *const numbers[] = {
		"0",
		"1",
		"2",
		"7",
		"-1",
		"+1",
		"*",
		"+0",
		"-0",
		"0x10",
		"4294967295",
		"4294967296",
		"18446744073709551615",
		"18446744073709551616",
		"65536",
		".",
		"9223372036854775808",
		"1-3",
		"1:3",
		"1+2",
		"0xffffffffffffffff",
		"00",
		"+0x8",
		"99999999",
		"123456789",
		"18446744073709551000",
		"0x4010a8",
	};
	const char *n = numbers[below(sizeof(numbers) / sizeof(numbers[0]))];
	size_t to;

	while (at < size && (data[at] < '0' || data[at] > '9'))
		at++;
	for (to = at; to < size && data[to] >= '0' && data[to] <= '9';)
		to++;
	return to == at ? size : replace(data, size, max, at, to, n, strlen(n));
}

static size_t mutate_once(uint8_t *data, size_t size, size_t max)
{
	size_t end, at = line_at(data, size, below(size), &end);
	const char *line = lines[below(sizeof(lines) / sizeof(lines[0]))];

	switch (below(40)) {
	case 0: return other_ends(data, size, max);
	case 1: return cut(data, size, below(size));
	case 2: return put_room(data, size, max, below(2) ? at : size);
	default: break;
	}
	switch (below(6)) {
	case 0: return replace(data, size, max, at, end, "", 0);
	case 1: return replace(data, size, max, at, end, line, strlen(line));
	case 2:
	case 3: return replace(data, size, max, at, at, line, strlen(line));
	case 4: return copy_lines(data, size, max, at);
	default: return new_number(data, size, max, at);
	}
}

size_t mutate_lines(uint8_t *data, size_t size, size_t max, unsigned seed)
{
	state = seed;
	for (size_t times = 1 + below(3); size && times; times--)
		size = mutate_once(data, size, max);
	return size;
}
