/* event_test.c - which events have a unit, and how their costs are written. */
#include "index/format/event.h"

#include "tests/support/tap.h"

static void test_known(void)
{
	static const struct {
		const char *name, *long_name;
		enum unit_kind kind;
		uint64_t scale;
		const char *title, *creator;
	} t[] = {
		{"Time_(10ns)", "", UNIT_TIME, 10, "Time", ""},
		{"Memory_(bytes)", "", UNIT_BYTES, 1, "Memory", ""},
		{"ns", "Nanoseconds", UNIT_TIME, 1, "time", ""},
		{"ns", "", UNIT_TIME, 1, "time", ""},
		{"us", "", UNIT_TIME, 1000, "time", ""},
		{"Time_(\xc2\xb5s)", "", UNIT_TIME, 1000, "Time", ""},
		{"Memory_Size_(bytes)", "", UNIT_BYTES, 1, "Memory_Size", ""},
		{"MemorySize", "", UNIT_BYTES, 1, "MemorySize", ""},
		{"BlocksCount", "", UNIT_NONE, 1, "BlocksCount", ""},
		{"T_(0ns)", "", UNIT_NONE, 1, "T_(0ns)", ""},
		{"T_(99999999999999999999ns)", "", UNIT_NONE, 1,
		 "T_(99999999999999999999ns)", ""},
		{"ns)", "", UNIT_NONE, 1, "ns)", ""},
		{"()", "", UNIT_NONE, 1, "()", ""},
		{"Total", "Total time in microseconds", UNIT_TIME, 1000, "Total", ""},
		{"Wait", "Wait time in microseconds (scheduled out)", UNIT_TIME, 1000,
		 "Wait", ""},
		{"WaitCount", "Number of times the process was scheduled out", UNIT_NONE,
		 1, "WaitCount", ""},
		{"X", "what happens in s and in B", UNIT_NONE, 1, "X", ""},
		{"Time", "", UNIT_NONE, 1, "Time", ""},
		{"Time", "", UNIT_TIME, 1000, "Time", "xdebug 2.9.8"},
		{"Time", "", UNIT_TIME, 1000, "Time", "Xdebug 1.3.0"},
		{"Time", "", UNIT_TIME, 10, "Time", "xdebug 3.0.4 (PHP 8.0.3)"},
		{"Memory", "", UNIT_BYTES, 1, "Memory", "xdebug 2.9.8"},
		{"Time", "", UNIT_TIME, 1000, "Time", "xhprof"},
		{"Cpu", "", UNIT_TIME, 1000, "Cpu", "xhprof"},
		{"MemUse", "", UNIT_BYTES, 1, "MemUse", "xhprof"},
		{"Ticks", "", UNIT_TIME, 1000, "Ticks", "yappi"},
		{"cpu(ms)", "", UNIT_TIME, 1000000, "cpu", ""},
		{"Wall_Time", "Wall Time", UNIT_TIME, 1000, "Wall_Time", ""},
		{"Wall_Time", "", UNIT_NONE, 1, "Wall_Time", ""},
		{"Time[ns]", "", UNIT_TIME, 1, "Time", ""},
		{"Time_[10us]", "", UNIT_TIME, 10000, "Time", ""},
		{"a[0]", "", UNIT_NONE, 1, "a[0]", ""},
		{"Wall", "Wall time [ms]", UNIT_TIME, 1000000, "Wall", ""},
		{"Wall", "Wall time (us)", UNIT_TIME, 1000, "Wall", ""},
		{"Call", "Call(s)", UNIT_NONE, 1, "Call", ""},
		{"alloc_space(kB)", "", UNIT_BYTES, 1024, "alloc_space", ""},
		{"inuse_objects(count)", "", UNIT_NONE, 1, "inuse_objects(count)", ""},
		{"curB", "currently allocated Bytes", UNIT_BYTES, 1, "curB", ""},
		{"curBk", "currently allocated Blocks", UNIT_NONE, 1, "curBk", ""},
		{"DB", "Definitely lost Bytes (direct plus indirect)", UNIT_BYTES, 1,
		 "DB", ""},
		{"sysTime", "sysTime (elapsed ms)", UNIT_TIME, 1000000, "sysTime", ""},
		{"sysTime", "", UNIT_NONE, 1, "sysTime", ""},
		{"Ir", "Instruction Fetch", UNIT_NONE, 1, "Ir", ""},
		{"Ticks", "", UNIT_NONE, 1, "Ticks", ""},
		{"", "", UNIT_NONE, 1, "", ""},
	};

	for (size_t i = 0; i < sizeof(t) / sizeof(*t); i++) {
		struct unit u = event_unit(str_c(t[i].name), str_c(t[i].long_name),
					   str_c(t[i].creator));

		ok(u.kind == t[i].kind && u.scale == t[i].scale, "'%s', '%s'", t[i].name,
		   t[i].long_name);
		ok(str_eq(event_title(str_c(t[i].name), u), str_c(t[i].title)),
		   "'%s' is shown as '%s'", t[i].name, t[i].title);
	}
}

static void test_text(void)
{
	static const struct {
		enum unit_kind kind;
		uint64_t scale;
		double costs;
		const char *text;
	} t[] = {
		{UNIT_TIME, 10, 0, "0 s"},
		{UNIT_TIME, 10, 1, "10 ns"},
		{UNIT_TIME, 10, 99, "990 ns"},
		{UNIT_TIME, 10, 100, "1.00 us"},
		{UNIT_TIME, 1, 999499, "999 us"},
		{UNIT_TIME, 1, 999500, "1.00 ms"},
		{UNIT_TIME, 10, 301800000, "3.02 s"},
		{UNIT_TIME, 1000000, 4000000, "4,000 s"},
		{UNIT_TIME, 1, 0.5, "0.50 ns"},
		{UNIT_BYTES, 1, 1023, "1,023 B"},
		{UNIT_BYTES, 1, 1024, "1.00 KiB"},
		{UNIT_BYTES, 1, 1572864, "1.50 MiB"},
		{UNIT_BYTES, 1, 1e18, "909,495 TiB"},
	};

	for (size_t i = 0; i < sizeof(t) / sizeof(*t); i++) {
		char buf[UNIT_TEXT_MAX];

		unit_text(buf, (struct unit){t[i].kind, t[i].scale}, t[i].costs);
		is_str(buf, t[i].text, "%g x %llu", t[i].costs,
		       (unsigned long long)t[i].scale);
	}
}

int main(void)
{
	static const struct unit none = {UNIT_NONE, 1};
	char buf[UNIT_TEXT_MAX];

	test_known();
	test_text();
	unit_whole(buf, none, 5271234);
	is_str(buf, "5,271,234", "a count has all digits");
	ok(unit_of_word(STR("MiB")).scale == 1 << 20 && !unit_of_word(STR("M")).kind &&
		   !unit_of_word(STR("sec")).kind,
	   "units of queries");
	return done_testing();
}
