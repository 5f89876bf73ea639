/* event.c - the known events and their units; see event.h. */
#include "index/format/event.h"

#include <math.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

#include "index/base/arena.h"

#define NS 1
#define US 1000
#define MS 1000000
#define S 1000000000ull

/* Units as producers write them: "Time_(10ns)", "in microseconds".  pprof's kB, MB and GB
 * are powers of two. */
static const struct {
	const char *word;
	enum unit_kind kind;
	uint64_t scale;
} written[] = {
	{"ns", UNIT_TIME, NS},		{"us", UNIT_TIME, US},
	{"\xc2\xb5s", UNIT_TIME, US}, /* micro sign */
	{"\xce\xbcs", UNIT_TIME, US}, /* Greek mu */
	{"ms", UNIT_TIME, MS},		{"s", UNIT_TIME, S},
	{"nanos", UNIT_TIME, NS},	{"nsec", UNIT_TIME, NS},
	{"nanosecond", UNIT_TIME, NS},	{"nanoseconds", UNIT_TIME, NS},
	{"micros", UNIT_TIME, US},	{"usec", UNIT_TIME, US},
	{"microsecond", UNIT_TIME, US}, {"microseconds", UNIT_TIME, US},
	{"millis", UNIT_TIME, MS},	{"msec", UNIT_TIME, MS},
	{"millisecond", UNIT_TIME, MS}, {"milliseconds", UNIT_TIME, MS},
	{"sec", UNIT_TIME, S},		{"secs", UNIT_TIME, S},
	{"second", UNIT_TIME, S},	{"seconds", UNIT_TIME, S},
	{"B", UNIT_BYTES, 1},		{"bytes", UNIT_BYTES, 1},
	{"kB", UNIT_BYTES, 1 << 10},	{"KB", UNIT_BYTES, 1 << 10},
	{"MB", UNIT_BYTES, 1 << 20},	{"GB", UNIT_BYTES, 1 << 30},
	{"KiB", UNIT_BYTES, 1 << 10},	{"MiB", UNIT_BYTES, 1 << 20},
	{"GiB", UNIT_BYTES, 1 << 30},
};

/* Events by their name, the end of their long name, or the producer and its version; NULL
 * and 0: any.  PROFILE.md section 10 has the sources. */
static const struct {
	const char *name, *long_name, *creator;
	uint64_t from, below; /* major versions */
	enum unit_kind kind;
	uint64_t scale;
} known[] = {
	{"Time", NULL, "xdebug", 0, 3, UNIT_TIME, US},
	{"Time", NULL, "xdebug", 3, 0, UNIT_TIME, 10 * NS},
	{"Memory", NULL, "xdebug", 0, 0, UNIT_BYTES, 1},
	{"Time", NULL, "xhprof", 0, 0, UNIT_TIME, US},
	{"Cpu", NULL, "xhprof", 0, 0, UNIT_TIME, US},
	{"MemUse", NULL, "xhprof", 0, 0, UNIT_BYTES, 1},
	{"Ticks", NULL, "yappi", 0, 0, UNIT_TIME, US},
	{"Time", NULL, "dotnet-trace", 0, 0, UNIT_TIME, US},
	{"wall_time", NULL, NULL, 0, 0, UNIT_TIME, US},
	{"process_time", NULL, NULL, 0, 0, UNIT_TIME, US},
	{"Wall_Time", "Wall Time", NULL, 0, 0, UNIT_TIME, US},
	{"CPU_Time", "CPU Time", NULL, 0, 0, UNIT_TIME, US},
	{"Idle_Time", "Idle Time", NULL, 0, 0, UNIT_TIME, US},
	{"ZE_memory", NULL, NULL, 0, 0, UNIT_BYTES, 1},
	{"MemorySize", NULL, NULL, 0, 0, UNIT_BYTES, 1},
	{"sysTime", "(elapsed ms)", NULL, 0, 0, UNIT_TIME, MS},
	{"sysTime", "(elapsed us)", NULL, 0, 0, UNIT_TIME, US},
	{"sysTime", "(elapsed ns)", NULL, 0, 0, UNIT_TIME, NS},
	{"sysCpuTime", "(system cpu ns)", NULL, 0, 0, UNIT_TIME, NS},
	{NULL, " Bytes", NULL, 0, 0, UNIT_BYTES, 1},
	{NULL, " Bytes (direct plus indirect)", NULL, 0, 0, UNIT_BYTES, 1},
	{NULL, " Bytes (subset of DB)", NULL, 0, 0, UNIT_BYTES, 1},
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

static const struct unit no_unit = {UNIT_NONE, 1};

static struct unit written_unit(struct str word)
{
	for (size_t i = 0; i < sizeof(written) / sizeof(*written); i++)
		if (str_eq(word, str_c(written[i].word)) ||
		    (written[i].kind == UNIT_TIME && word.n == strlen(written[i].word) &&
		     strncasecmp(word.p, written[i].word, word.n) == 0))
			return (struct unit){written[i].kind, written[i].scale};
	return no_unit;
}

/* The start of "us" in "Time_us"; name.n: it ends in no unit of time. */
static size_t unit_behind(struct str name)
{
	size_t at = name.n;

	while (at && name.p[at - 1] != '_')
		at--;
	return at > 1 && written_unit(str_from(name, at)).kind == UNIT_TIME ? at : name.n;
}

size_t event_unit_start(struct str name)
{
	size_t n = name.n;

	if (str_ends(name, STR(")")))
		n = str_find(name, '(');
	else if (str_ends(name, STR("]")))
		n = str_find(name, '[');
	else if (unit_behind(name) < name.n)
		return unit_behind(name) - 1;
	if (n + 2 >= name.n)
		return name.n;
	return n > 1 && name.p[n - 1] == '_' ? n - 1 : n;
}

struct unit unit_of_text(struct str s)
{
	size_t digits = 0;
	uint64_t times = 1;
	struct unit u;

	while (digits < s.n && s.p[digits] >= '0' && s.p[digits] <= '9')
		digits++;
	u = written_unit(str_from(s, digits));
	if (!u.kind || (digits && !str_u64((struct str){s.p, digits}, &times)) ||
	    !times || times > MS)
		return no_unit;
	u.scale *= times;
	return u;
}

/* "Time_(10ns)", "cpu(ms)", "Memory_(bytes)", "Time[ns]" */
static struct unit unit_in_name(struct str name)
{
	size_t from = name.n;

	if (!str_ends(name, STR(")")) && !str_ends(name, STR("]")))
		return no_unit;
	name.n--;
	while (from && name.p[from - 1] != (name.p[name.n] == ')' ? '(' : '['))
		from--;
	return from ? unit_of_text(str_from(name, from)) : no_unit;
}

/* "Microseconds Spent Total", "Ns", "Time_us": a word that stands alone, at the end or the
 * start.  A unit of one letter may be something else. */
static struct unit unit_in_word(struct str name, struct str long_name)
{
	const struct str first = {long_name.p, str_find(long_name, ' ')};
	struct unit u = name.n > 1 ? written_unit(name) : no_unit;

	if (u.kind != UNIT_TIME)
		u = written_unit(str_from(name, unit_behind(name)));
	if (u.kind != UNIT_TIME && first.n > 3)
		u = written_unit(first);
	return u.kind == UNIT_TIME ? u : no_unit;
}

/* "Active time in microseconds", "Wait time in microseconds (scheduled out)", "Time [us]".
 * One letter may mean anything. */
static struct unit unit_in_long_name(struct str s)
{
	const struct unit last =
		s.n > 3 && memchr("([", s.p[s.n - 3], 2) ? no_unit : unit_in_name(s);
	struct unit u;

	for (size_t at; (at = str_find_str(s, STR(" in "))) < s.n;) {
		struct str word;
		size_t n = 0;

		s = str_from(s, at + 4);
		while (n < s.n && s.p[n] != ' ' && s.p[n] != ',' && s.p[n] != ')')
			n++;
		word = (struct str){s.p, n};
		u = written_unit(word);
		if (u.kind && n > 1)
			return u;
	}
	return last;
}

/* Whether the producer is this one, of a major version from `from` on and below `below`:
 * "xdebug 2.9.8". */
static bool is_creator(struct str creator, const char *name, uint64_t from,
		       uint64_t below)
{
	const size_t n = strlen(name);
	uint64_t version = 0;
	size_t digits = 0;
	struct str rest;

	if (creator.n < n || strncasecmp(creator.p, name, n) != 0)
		return false;
	if (!from && !below)
		return true;
	rest = str_from(creator, n < creator.n ? n + 1 : n);
	while (digits < rest.n && rest.p[digits] >= '0' && rest.p[digits] <= '9')
		digits++;
	return str_u64((struct str){rest.p, digits}, &version) && version >= from &&
	       (!below || version < below);
}

struct unit event_unit(struct str name, struct str long_name, struct str creator)
{
	struct unit u = unit_in_name(name);

	if (u.kind)
		return u;
	for (size_t i = 0; i < sizeof(known) / sizeof(*known); i++)
		if ((!known[i].name || str_eq(name, str_c(known[i].name))) &&
		    (!known[i].long_name ||
		     str_ends(long_name, str_c(known[i].long_name))) &&
		    (!known[i].creator || is_creator(creator, known[i].creator,
						     known[i].from, known[i].below)))
			return (struct unit){known[i].kind, known[i].scale};
	u = unit_in_word(name, long_name);
	return u.kind ? u : unit_in_long_name(long_name);
}

struct str event_word(struct arena *a, struct str name)
{
	size_t at = str_find(name, ' ');
	char *to;

	if (at == name.n || !(to = arena_alloc(a, name.n)))
		return at == name.n ? name : (struct str){NULL, 0};
	memcpy(to, name.p, name.n);
	for (; at < name.n; at++)
		if (to[at] == ' ')
			to[at] = '_';
	return (struct str){to, name.n};
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
	const size_t n = event_unit_start(name);

	if (u.kind == UNIT_NONE)
		return name;
	if (n == 0 || (u.kind == UNIT_TIME && written_unit(name).kind))
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

void unit_whole(char *buf, struct unit u, int64_t costs)
{
	if (!u.kind) {
		str_grouped_signed(costs, buf);
		return;
	}
	buf[0] = '-';
	unit_text(buf + (costs < 0), u, fabs((double)costs));
}
