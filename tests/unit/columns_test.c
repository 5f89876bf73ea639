/*
 * columns_test.c - cost lines of many events, against the simple reader (tests/support/naive.h).
 *
 * Lines of up to 64 bytes of costs are taken at once (columns.h): so there are lines of each
 * length around that, numbers of any length, and what is no number, in each column.
 */
#include "index/base/out.h"
#include "tests/support/naive.h"
#include "tests/support/tap.h"

static const struct naive_named_way ways[] = {
	{"two threads, stretches of 200 bytes", {.jobs = 2, .stretch = 200}},
	{"packed", {.jobs = 2, .members = 3, .pack = PACK_ZSTD}},
};

/* First and last lines are read in another way: there are some in front and behind. */
static void plain_lines(struct out *o, bool instr)
{
	for (unsigned i = 0; i < 500; i++)
		out_printf(o, "%s1 0 %u\n", instr ? "+2 0 " : "+2 ", i % 5);
}

static void begin(struct out *o, unsigned events, bool instr)
{
	out_mem(o);
	out_printf(o, "positions:%s line\nevents:", instr ? " instr" : "");
	for (unsigned e = 0; e < events; e++)
		out_printf(o, " e%u", e);
	out_c(o, "\nfl=a.c\nfn=g\n");
	out_printf(o, "%s3 4\nfn=f\n%s10 7\n", instr ? "0x10 " : "",
		   instr ? "0x20 " : "");
	plain_lines(o, instr);
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

static void end(struct out *o, bool instr, const char *what, unsigned events)
{
	char why[1400] = "";
	const char *how = "";

	out_c(o, instr ? "0x20 5 1 1\n" : "5 1 1\n");
	plain_lines(o, instr);
	ok(naive_agrees_each(o->buf, o->n, ways, COUNT(ways), &how, why, sizeof(why)),
	   "%s, %u events: %s: %s", what, events, how, why);
	out_close(o);
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
		end(&o, instr, field[i], events);
	}
}

/* Positions that are no small step further, or no positions. */
static void run_places(unsigned events)
{
	static const char *const places[] = {
		"+: 0",
		"+/ 0",
		"+ 0",
		"+1  0",
		"+1\t0",
		"+1 00",
		"+1 0x1",
		"-1 0",
		"18446744073709551612 5",
		"+3 0",
		"+1 0",
		"18446744073709551612 5",
		"+9 +1",
		"0x7ffffffffffffffe 3",
		"+1 0",
		"+1 0",
		"+9 0",
		"5 18446744073709551615",
		"+1 +1",
		"+1 0",
	};
	struct out o;

	begin(&o, events, true);
	for (unsigned i = 0; i < COUNT(places); i++)
		out_printf(&o, "%s %u 0 2\n+2 0 0 %u\n", places[i], i, i * 7);
	out_c(&o, "18446744073709551612 5 1\n");
	for (unsigned i = 0; i < 100; i++)
		out_c(&o, "+0 0 0 1\n");
	out_c(&o, "+9 0 0 1\n+1 0 0 2\n");
	end(&o, true, "places", events);
}

/* Blocks that come again with other costs, each part with its columns in another order or not: they
 * are known by their text (replay.h). */
static void run_again(unsigned events, bool instr, bool other_order)
{
	struct out o;

	begin(&o, events, instr);
	for (unsigned part = 0; part < 8; part++) {
		out_printf(&o, "part: %u\nevents:", part + 2);
		for (unsigned e = 0; e < events; e++)
			out_printf(&o, " e%u", other_order ? events - 1 - e : e);
		out_c(&o, "\n");
		for (unsigned block = 0; block < 5; block++) {
			out_printf(&o, "\nfl=a.c\nfn=h%u\n%s9 1\n", block,
				   instr ? "0x400 " : "");
			for (unsigned i = 0; i < 60; i++) {
				const unsigned columns = (part + i * i) % events + 1;

				out_c(&o, instr ? "+3 0" : i % 7 ? "+2" : "+15");
				for (unsigned e = 0; e < columns; e++)
					out_printf(&o, " %llu",
						   (i + e) % 3 ? (part * 37ull +
								  e) << (i * part % 40)
							       : 0ull);
				out_c(&o, "\n");
				if (i % 9 == 8)
					out_printf(&o, "cfn=g\ncalls=%u 3%s\n%s 5 %u\n",
						   part, instr ? " 3" : "",
						   instr ? "+1 0" : "+1", block);
			}
		}
	}
	out_c(&o, "part: 99\nfl=a.c\nfn=f\n");
	end(&o, instr, other_order ? "again, in another order" : "again", events);
}

/* Costs that are the same number in two columns, zeros between them, or nearly so: again and again
 * with another number, that of the line before or not. */
static void run_alike(unsigned events, bool instr)
{
	struct out o;

	begin(&o, events, instr);
	for (unsigned part = 0; part < 9; part++) {
		out_printf(&o, "part: %u\nfl=a.c\nfn=h\n%s9 1\n", part + 2,
			   instr ? "0x400 " : "");
		for (unsigned i = 0; i < 200; i++) {
			const unsigned digits = (part * 2 + i / 20) % 9 + 1;
			const unsigned zeros = (i / 6 + part / 2) % (events + 2);
			const char *number = &"987654321"[9 - digits];

			out_printf(&o, "%s %s", instr ? "+3 0" : "+2", number);
			for (unsigned e = 0; i % 6 && e < zeros; e++)
				out_c(&o, i % 61 ? " 0" : " 00");
			if (i % 6 > 1)
				out_printf(&o, " %s", number);
			out_c(&o, i % 6 == 3   ? " 7"
				  : i % 6 == 4 ? "7"
				  : i % 6 == 5 ? " "
					       : "");
			out_c(&o, "\n");
		}
		/* Sums of 2^64 and more.  Of such a profile no cost is compared (naive.h, mixed),
		 * so with addresses all sums fit. */
		for (unsigned i = 0; i < 6; i++)
			out_printf(&o, "%s 5 %llu %u\n", instr ? "+1 0" : "+1",
				   part < 2 && !instr ? 1ull << 63 : 5, i);
	}
	end(&o, instr, "alike", events);
}

/* Lines and calls of every number of bytes. */
static void run_lengths(unsigned events, bool instr)
{
	struct out o;

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
	end(&o, instr, "lines of each length", events);
}

int main(void)
{
	static const unsigned events[] = {2, 3, 13, 30, 33};

	for (size_t i = 0; i < COUNT(events); i++) {
		run_places(events[i]);
		for (int instr = 0; instr < 2; instr++) {
			run_fields(events[i], instr);
			run_lengths(events[i], instr);
			run_again(events[i], instr, false);
			run_again(events[i], instr, true);
			run_alike(events[i], instr);
		}
	}
	return done_testing();
}
