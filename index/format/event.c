/* event.c - the known events and their units; see event.h. */
#include "index/format/event.h"

#include <math.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#define NS 1
#define US 1000
#define MS 1000000
#define S 1000000000ull

/* Events by the end of their name, or of their long name, as the producer writes it. */
static const struct {
	const char *name;      /* the end of the name; NULL: any */
	const char *long_name; /* the end of the long name; NULL: any */
	enum unit_kind kind;
	uint64_t scale;
} known[] = {
	/* Xdebug: https://xdebug.org/docs/profiler */
	{"Time_(10ns)", NULL, UNIT_TIME, 10 * NS},
	{"Memory_(bytes)", NULL, UNIT_BYTES, 1},
	/* pyprof2calltree: "event: ns : Nanoseconds" */
	{"ns", "Nanoseconds", UNIT_TIME, NS},
	/* Callgrind --collect-systime */
	{"sysTime", "(elapsed ms)", UNIT_TIME, MS},
	{"sysTime", "(elapsed us)", UNIT_TIME, US},
	{"sysTime", "(elapsed ns)", UNIT_TIME, NS},
	{"sysCpuTime", "(system cpu ns)", UNIT_TIME, NS},
	/* Valgrind's --xtree-memory and --xtree-leak */
	{NULL, " Bytes", UNIT_BYTES, 1},
	{NULL, " Bytes (direct plus indirect)", UNIT_BYTES, 1},
	{NULL, " Bytes (subset of DB)", UNIT_BYTES, 1},
	/* pprof -callgrind: TYPE(UNIT); its kB, MB and GB are powers of two */
	{"(ns)", NULL, UNIT_TIME, NS},
	{"(us)", NULL, UNIT_TIME, US},
	{"(ms)", NULL, UNIT_TIME, MS},
	{"(s)", NULL, UNIT_TIME, S},
	{"(B)", NULL, UNIT_BYTES, 1},
	{"(kB)", NULL, UNIT_BYTES, 1 << 10},
	{"(MB)", NULL, UNIT_BYTES, 1 << 20},
	{"(GB)", NULL, UNIT_BYTES, 1 << 30},
};

/* "k", "M" and "G" alone are factors of plain numbers. */
static const struct {
	const char *word;
	enum unit_kind kind;
	uint64_t scale;
} words[] = {
	{"ns", UNIT_TIME, NS},		{"us", UNIT_TIME, US},
	{"ms", UNIT_TIME, MS},		{"s", UNIT_TIME, S},
	{"min", UNIT_TIME, 60 * S},	{"B", UNIT_BYTES, 1},
	{"kB", UNIT_BYTES, 1000},	{"MB", UNIT_BYTES, 1000000},
	{"GB", UNIT_BYTES, 1000000000}, {"KiB", UNIT_BYTES, 1 << 10},
	{"MiB", UNIT_BYTES, 1 << 20},	{"GiB", UNIT_BYTES, 1 << 30},
};

static bool ends_so(struct str s, const char *end)
{
	return !end || str_ends(s, str_c(end));
}

struct unit event_unit(struct str name, struct str long_name)
{
	for (size_t i = 0; i < sizeof(known) / sizeof(*known); i++)
		if (ends_so(name, known[i].name) &&
		    ends_so(long_name, known[i].long_name))
			return (struct unit){known[i].kind, known[i].scale};
	return (struct unit){UNIT_NONE, 1};
}

struct unit unit_of_word(struct str word)
{
	for (size_t i = 0; i < sizeof(words) / sizeof(*words); i++)
		if (str_eq(word, str_c(words[i].word)))
			return (struct unit){words[i].kind, words[i].scale};
	return (struct unit){UNIT_NONE, 1};
}

const char *unit_name(struct unit u)
{
	return u.kind == UNIT_TIME ? "ns" : u.kind == UNIT_BYTES ? "bytes" : "";
}

struct str event_title(struct str name, struct unit u)
{
	size_t n = str_find(name, '(');

	if (u.kind == UNIT_NONE)
		return name;
	if (n < name.n && n > 0 && name.p[n - 1] == '_')
		n--;
	if (n == 0 || str_eq(name, STR("ns")))
		return STR("time");
	return (struct str){name.p, n};
}

static void put_scaled(char *buf, double x, const char *unit)
{
	snprintf(buf, UNIT_TEXT_MAX, "%.*f %s",
		 x < 9.995   ? 2
		 : x < 99.95 ? 1
			     : 0,
		 x, unit);
}

/* A unit is `step` times the one before it; the last one may have any number. */
static void put_in_units(char *buf, double x, double step, const char *const *units,
			 int last)
{
	int unit = 0;

	for (; unit < last && x >= step - 0.5; unit++)
		x /= step;
	if (x >= 999.5 && x < 1.8e19) {
		str_grouped((uint64_t)(x + 0.5), buf);
		snprintf(buf + strlen(buf), UNIT_TEXT_MAX - strlen(buf), " %s",
			 units[unit]);
	} else if (unit == 0 && x < 999.5 && !(x > floor(x))) {
		snprintf(buf, UNIT_TEXT_MAX, "%.0f %s", x, units[0]);
	} else {
		put_scaled(buf, x, units[unit]);
	}
}

void unit_text(char *buf, struct unit u, double costs)
{
	static const char *const times[] = {"ns", "us", "ms", "s"};
	static const char *const sizes[] = {"B", "KiB", "MiB", "GiB", "TiB"};

	if (!(costs > 0))
		snprintf(buf, UNIT_TEXT_MAX, u.kind == UNIT_TIME ? "0 s" : "0 B");
	else if (u.kind == UNIT_TIME)
		put_in_units(buf, costs * (double)u.scale, 1000, times, 3);
	else
		put_in_units(buf, costs * (double)u.scale, 1024, sizes, 4);
}

void unit_whole(char *buf, struct unit u, uint64_t costs)
{
	if (u.kind)
		unit_text(buf, u, (double)costs);
	else
		str_grouped(costs, buf);
}
