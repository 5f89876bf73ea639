/*
 * columns_test.c - cost lines of many events, against the simple reader (tests/naive.h).
 *
 * Lines of up to 64 bytes of costs are taken at once (first.c): so there are lines of each length
 * around that, numbers of any length, and what is no number, in each column.
 */
#include "index/base/out.h"
#include "tests/naive.h"
#include "tests/tap.h"

static const struct naive_named_way ways[] = {
	{"two threads, stretches of 200 bytes", {.jobs = 2, .stretch = 200}},
	{"packed", {.jobs = 2, .members = 3, .pack = PACK_ZSTD}},
};

static void begin(struct out *o, unsigned events, bool instr)
{
	out_printf(o, "positions:%s line\nevents:", instr ? " instr" : "");
	for (unsigned e = 0; e < events; e++)
		out_printf(o, " e%u", e);
	out_c(o, "\nfl=a.c\nfn=g\n");
	out_printf(o, "%s3 4\nfn=f\n%s10 7\n", instr ? "0x10 " : "",
		   instr ? "0x20 " : "");
}

/* Positions as they are written, the last with a blank behind it. */
static const char *place(bool instr, unsigned i)
{
	static const char *const both[] = {"+3 0 ",   "+3 0 ", "+1 +2 ",  "+9 * ",
					   "0x90 0 ", "* 0 ",  "+12 -1 ", "-2 0 ",
					   "+0 0 ",   "+1 7 "};
	static const char *const one[] = {"+3 ", "+1 ", "+12 ", "* ",
					  "-1 ", "90 ", "+0 "};

	return instr ? both[i % COUNT(both)] : one[i % COUNT(one)];
}

static void is_agreed(const struct out *o, const char *what, unsigned n)
{
	char why[1400] = "";
	const char *how = "";

	ok(naive_agrees_each(o->buf, o->n, ways, COUNT(ways), &how, why, sizeof(why)),
	   "%s, %u: %s: %s", what, n, how, why);
}

/* One field that is different in each column. */
static void run_fields(unsigned events, bool instr)
{
	static const char *const field[] = {
		"0",
		"1",
		"00",
		"01",
		"12345678",
		"123456789",
		"0123456789",
		"18446744073709551615",
		"0x1f",
		"",
		" ",
		"\t",
		"-1",
		"+1",
		"1a",
		":",
		"/",
		"12345:78",
		"184467440737095516150",
	};
	unsigned line = 0;

	for (size_t i = 0; i < COUNT(field); i++) {
		struct out o;

		out_mem(&o);
		begin(&o, events, instr);
		for (unsigned at = 0; at < events + 2; at++) {
			out_c(&o, place(instr, line++));
			for (unsigned e = 0; e < at; e++)
				out_printf(&o, "%u ", e % 3 * 7);
			out_c(&o, field[i]);
			for (unsigned e = at + 1; e < events && line % 2; e++)
				out_printf(&o, " %u", e % 2);
			out_c(&o, line % 5 ? "\n" : " \n");
			out_printf(&o, "%s5 1 1\n", place(instr, line++));
		}
		is_agreed(&o, field[i], events);
		out_close(&o);
	}
}

/* Lines and calls of every number of bytes. */
static void run_lengths(unsigned events, bool instr)
{
	struct out o;

	out_mem(&o);
	begin(&o, events, instr);
	for (unsigned n = 1; n < 100; n++)
		for (unsigned one = 0; one < 3; one++) {
			const unsigned digits = 1 + (n + one) % 9;
			unsigned left = n, columns = 0;

			if (n % 4 == one)
				out_printf(&o, "cfn=g\ncalls=%u 3%s\n", n,
					   instr ? " 3" : "");
			out_c(&o, place(instr, n * 3 + one));
			while (left && ++columns <= events) {
				const unsigned most = left < digits ? left : digits;
				const unsigned some = one == 1 && most > 1 ? 1 : most;

				if (columns > 1)
					out_c(&o, " ");
				for (unsigned i = 0; i < some; i++)
					out_printf(&o, "%u",
						   some == 1 ? (n + columns) % 3
							     : (i + columns) % 9 + 1);
				left -= some;
			}
			out_c(&o, "\n");
		}
	is_agreed(&o, "lines of each length", events);
	out_close(&o);
}

int main(void)
{
	static const unsigned events[] = {3, 13, 30, 33};

	for (size_t i = 0; i < COUNT(events); i++)
		for (int instr = 0; instr < 2; instr++) {
			run_fields(events[i], instr);
			run_lengths(events[i], instr);
		}
	return done_testing();
}
