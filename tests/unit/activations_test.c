/*
 * activations_test.c - blocks that come again and again, as in a profile where each is an
 * activation, against the simple reader (tests/support/naive.h): replay.h follows them.
 *
 *	activations_test [EVERY]
 *
 * Each is read with every instruction set, by two threads in stretches, and packed.
 */
#include <stdlib.h>
#include <string.h>

#include "index/base/hash.h"
#include "index/base/out.h"
#include "tests/support/naive.h"
#include "tests/support/tap.h"

#define LONG \
	"a/name/that/is/said/in/full/each/time/and/is/longer/than/most/" /* 63 bytes */

static bool agree(const char *text, size_t n, const char **how, char *why, size_t size)
{
	const struct naive_named_way ways[] = {
		{"in two stretches", {.jobs = 2, .stretch = n / 2 + 1}},
		{"in seven stretches", {.jobs = 2, .stretch = n / 7 + 1}},
		{"in short stretches", {.jobs = 2, .stretch = 700}},
		{"packed", {.jobs = 1, .members = 2, .pack = PACK_GZIP}},
	};

	return naive_agrees_each(text, n, ways, COUNT(ways), how, why, size);
}

/* Blocks that are activations; in one of them one number is near 2^64, and what follows passes
 * it: the sum of a line, of a function or of a call. */
static void write_nearly_full(struct out *o, unsigned place, bool part)
{
	static const char *const full = "18446744073709551000";

	out_c(o, "events: Ir Dr\nfl=(1) a.c\nfn=(1) f\n1 2 3\nfl=(1)\nfn=(2) g\n1 2 3\n");
	for (unsigned i = 0; i < 300; i++) {
		const char *number[7] = {"11", "12", "7", "13", "14", "15", "16"};

		if (i == 20)
			out_c(o, "# no line of a block\n");
		if (i == 100) {
			if (place < COUNT(number))
				number[place] = full;
			else /* the function's other line */
				out_printf(o, "\nfl=(1)\nfn=(1)\n2 %s %s\n",
					   place % 2 ? full : "0",
					   place % 2 ? "0" : full);
		}
		if (i == 150 && part)
			out_c(o, "part: 2\nfl=(1)\nfn=(1)\n1 2 3\n");
		out_printf(
			o,
			"\nfl=(1)\nfn=(1)\n16 %s %s\ncfl=(1)\ncfn=(2)\ncalls=%s 0 0\n17 %s %s\n"
			"\nfl=(1)\nfn=(2)\n18 %s %s\n",
			number[0], number[1], number[2], number[3], number[4], number[5],
			number[6]);
	}
	out_printf(o, "#%*s\n", 1100, "room to look ahead");
}

/* Blocks that come again and again, with other costs each time. */
static void run_blocks(unsigned every)
{
	static const char *const blocks[] = {
		/* a call is its first */
		"\nfn=(1)\ncfn=(2)\ncalls=1 0 0\n16 @ 2\n17 @ 4\n\nfn=(2)\n18 5 6\n",
		/* names are said each time */
		"\nfl=(1) a.c\nfn=(1) f\n16 @ 2\ncfl=(1) a.c\ncfn=(2) g\ncalls=3 0 0\n17 @ 4\n"
		"\nfl=(1)\nfn=(2) g\n18 5 6\n",
		/* heads in files and objects that differ */
		"\nfl=(2) b.c\nfn=(3)\n15 1 @\n\nfn=(1)\n16 @ 2\n\nfl=(1)\nfn=(1)\n17 3 4\n",
		"\nob=(2) o\nfn=(4) k\n16 @ 2\n\nfn=(4)\n16 @ 2\n\nfn=(5) m\n17 @ 4\n"
		"\nob=(1) p\nfn=(1)\n17 @ 4\n\nfn=(1)\n17 @ 4\n\nfn=(2)\n18 5 6\n",
		"\nob=(2) o\nfl=(1)\nfn=(1)\n16 @ 2\n\nfl=(1)\nfn=(3)\n17 @ 4\n\nfl=(1)\nfn=(3) h\n17 @ 4\n",
		/* calls differ in their number */
		"\nfn=(1)\n16 1 2\ncfn=(2)\ncalls=@ 0 0\n17 @ 4\n\nfn=(2)\n18 5 6\n",
		/* and are no plain number one time */
		"\nfn=(1)\n16 1 2\ncfn=(2) g\ncalls=%@ 0 0\n17 @ 4\n\nfn=(2)\n18 5 6\n",
		/* one cost, three, none */
		"\nfn=(1)\n16 @\n17 @ 4\n18\n\nfn=(2)\n18 5 6\n+1 5\n",
		/* positions as they are often in parts */
		"\nfn=(1)\n16 @ 4\n+2 @ 5\n* 1 1\n-3 2 2\n\nfn=(2)\n18 5 6\n",
		/* parts that say no file at first */
		"part: 3\nfn=(3)\n1 2 3\n\nfl=(1)\nfn=(1)\n16 @ 2\n\nfn=(2)\n 18 5 6\n\nfl=(1)\nfn=(1)\n16 "
		"@ 3\n\nfl=(1)\nfn=(1)\n16 @ 3\n",
		/* ids that are redefined */
		"\nfn=(1) f@\n16 @ 4\n\nfn=(1) f\n16 3 4\n",
		"\nfn=(1) %f\n16 @ 4\ncfn=(2) %g\ncalls=1 0 0\n16 3 4\n",
		"\nfl=(1) a.c\nfn=(1) %f\n16 @ 4\n\nfl=(2) b.c\nfn=(1) f\n16 @ 4\n\nfl=(1)\nfn=(1)\n17 1 1\n",
		/* what is between costs, and no blank one time */
		"\nfn=(1)\n16 @&2\n17 3&@\n\nfn=(2)\n18 5&6&\n",
		"\nfn=(1)\r\n16 @&2\r\n17 3&@\r\n\r\nfn=(2)\r\n18 5&6\r\n",
		/* names without ids */
		"\nfl=a.c\nfn=f\n16 @ 2\ncfl=a.c\ncfn=g\ncalls=3 0 0\n17 @ 4\n\nfl=a.c\nfn=g\n18 5 6\n",
		"\nob=o\nfl=b.c\nfn=k\n16 @ 2\nfi=c.h\n3 @ 1\nfe=b.c\n\nob=p\nfl=b.c\nfn=k\n16 @ 2\n"
		"\nfl=c.h\nfn=k\n16 @ 3\n",
		"\nfl=a.c\nfn=(anonymous)\n16 @ 2\n\nfn=(3x)\n17 @ 4\n\nfl=\nfn=\n18 1 @\n\nfl= a.c\nfn= f \n"
		"19 @ 3\n",
		/* beside those that have one, and longer than a link's text */
		"\nfl=a.c\nfn=f\n16 @ 2\n\nfl=(1)\nfn=(1)\n16 @ 3\n\nfl=(1)\nfn=f\n17 @ 3\n\nfl=a.c\nfn=(1)\n"
		"18 @ 3\n\nfl=a.c\nfn=(1) f\n18 @ 3\n",
		"\nfl=" LONG "\nfn=" LONG LONG "\n16 @ 2\ncfl=" LONG "\ncfn=" LONG
		"f\ncalls=@ 0 0\n17 @ 4\n"
		"\nfl=" LONG "\nfn=" LONG "f\n16 @ 2\n",
		"\nfl=" LONG "\nfn=" LONG LONG LONG LONG
		"\n16 @ 2\ncfn=" LONG LONG LONG LONG "\ncalls=@ 0 0\n"
		"17 @ 4\n",
		/* behind names that are said again, before the line that it belongs to: nothing */
		"\nfn=(1)\n16 @ 2\njfi=(4) b.h\njump=15 7\n  \n17 \n18 @ 1\njfi=(4) b.h\njump=15 "
		"7\n  \n19 \n20 @ 1\n",
		"\nfn=(1)\n16 @ 2\njfi=(4) b.h\njump=15 7\n# 1\n17 \n18 @ 1\njfi=(4) b.h\njump=15 "
		"7\n# 1\n19 \n20 @ 1\n",
		"\nfn=(1)\n16 @ 2\njfi=(4) b.h\njump=15 7\n\r\n17 \n18 @ 1\njfi=(4) b.h\njump=15 "
		"7\n\r\n19 \n20 @ 1\n",
		"\nfn=(1)\n16 @ 2\ncfn=(2) g\ncalls=3 0\n \t\n17 @ 1\n18 @ 1\ncfn=(2) g\ncalls=3 0\n "
		"\t\n19 @ 4\n",
		/* other ends of lines */
		"\r\nfl=(1)\r\nfn=(1)\r\n16 @ 2\r\n17 @ 2\r\n18 @ 2 \r\ncfn=(2)\r\ncalls=@ 0 0\r\n17 @ 4\r\n"
		"\r\nfn=(2)\r\n18 5 6\r\n",
		"\nfl=(1) \nfn=(1) \n16 @ 2 \n17 @ \n18 @ 2  \ncfn=(2) \ncalls=@ 0 0 \n17 @\r4 \n\n \nfn=(2)\t\n18 5 6\n",
		"\n# a line\nfl= (1)\nfn= (1)\n16 @ 2\n17\t@ 4\n18  @ 4\n 19 @ 4\n\nfn=(2)\n18 0x5 6\n",
	};
	static const char *const events[] = {"Ir Dr", "Ir", "Ir Dr Dw"};

	for (size_t i = 0; i < COUNT(blocks) * COUNT(events); i += every) {
		const char *block = blocks[i / COUNT(events)], *how = "";
		char why[1400] = "";
		struct out o;

		out_mem(&o);
		out_printf(
			&o,
			"events: %s\nob=(1) p\nfl=(1) a.c\nfn=(1) f\n1 2 3\nfn=(2) g\n1 2 "
			"3\nfn=(3) h\n1 2\n",
			events[i % COUNT(events)]);
		for (unsigned k = 0; k < 400; k++) {
			for (const char *c = block; *c; c++)
				if (*c == '%') /* before a number */
					out_c(&o, k == 200 ? "+" : k == 250 ? "0x" : "");
				else if (*c == '&') /* between numbers */
					out_c(&o, k == 200   ? "\r"
						  : k == 250 ? "\t"
						  : k == 300 ? " \r"
							     : " ");
				else if (*c == '@')
					out_u64(&o, (k + (uint64_t)(c - block)) % 131);
				else
					out_char(&o, *c);
			/* The past is followed from the next line on. */
			if (k == 20)
				out_c(&o, "# no line of a block\n");
			if (k == 300)
				out_c(&o, "part: 2\nfl=(1)\nfn=(3)\n1 2 3\n");
		}
		out_printf(&o, "#%*s\nodd\n", 1100, "room to look ahead");
		ok(agree(o.buf, o.n, &how, why, sizeof(why)), "blocks %zu, %s: %s %s",
		   i / COUNT(events), events[i % COUNT(events)], how, why);
		out_close(&o);
	}
}

/* "(2) (1)'2" is said again behind the name that it refers to: the same name, or another one. */
static void run_references(void)
{
	static const char *const texts[] = {
		"events: Ir Dr\ncfn=(1) main\nfl=(4) h\nfn=(7) b.h\nfn=(6) a.c\n0x401031 35 17\n"
		"cfn=(2) (1)'2\ncfn=(1) main\ncfn=(2) (1)'2\ncfn=(3) (2)'(1)\ncfn=(2) (1)'2\n",
		"events: Ir Dr\ncfn=(1) main\nfl=(4) h\nfn=(7) b.h\nfn=(6) a.c\n0x401031 35 17\n"
		"cfn=(2) (1)'2\ncfn=(1) other\ncfn=(2) (1)'2\n",
		/* an id above those of the table, met once more by the loop of new lines */
		"positions: instr\nevents: Ir\nfl=(4) h\nfn=(7) b.h\n1 2\ncfn=(1363965) f178\n"
		"calls=1 1\n2 3\ncfn=(1363965) f888\ncalls=1 1\n2 3\ncfn=(1363965)\ncalls=1 1\n2 3\n"
		"#                                                                                      "
		"                                                                                      "
		"                                                                                      "
		"                                                                                      "
		"                                                                                      "
		"                                                                                      "
		"                                                                                      \n",
		"events: Ir Dr\nfl=(4) h\nfn=(7) b.h\nfn=(6) a.c\n0x401031 35 17\n"
		"cfn=(2) (1)'2\ncfn=(1) main\ncfn=(2) (1)'2\n",
	};

	for (size_t i = 0; i < COUNT(texts); i++) {
		const size_t n = strlen(texts[i]);
		size_t wrong = 0;
		char why[1400] = "";

		for (size_t stretch = 0; stretch <= n && !wrong; stretch++) {
			wrong = naive_agree(texts[i], n, stretch, why, sizeof(why))
					? 0
					: stretch + 1;
		}
		is_u64(wrong, 0, "references, %zu: %s", i, why);
	}
}

/* Each part says some names again, other ones than the part before, and other counts of calls. */
static void write_named(struct out *o, unsigned events, uint64_t seed)
{
	out_c(o, "events:");
	for (unsigned e = 0; e < events; e++)
		out_printf(o, " e%u", e);
	for (unsigned part = 0; part < 300; part++) {
		out_printf(o, "\npart: %u\n\nob=(1) x\nfl=(1) a.c\nfn=(1) f\n1 2\n",
			   part + 1);
		for (unsigned i = 2; i < 12; i++) {
			const uint64_t h = hash_mix(seed + part * 64 + i);
			const bool first = part == 0;

			out_printf(o, "cob=(%u)", i % 2 + 2);
			out_printf(o, first || h & 1 ? " lib%u\n" : "\n", i % 2);
			out_printf(o, "cfi=(%u)", i);
			out_printf(o, first || h & 2 ? " %u.c\n" : "\n", i);
			out_printf(o, "cfn=(%u)", i);
			out_printf(o, first || h & 4 ? " g%u\n" : "\n", i);
			out_printf(o, "calls=%u 1\n%u %u\n", h & 8 ? 2 : 6, i,
				   (unsigned)(h >> 8 & 7));
		}
	}
	out_c(o, "\n");
}

/* o's text is read as the simple reader does; what it is, and which.  o is closed. */
static void is_read(struct out *o, const char *what, unsigned i)
{
	const char *how = "";
	char why[1400] = "";

	ok(agree(o->buf, o->n, &how, why, sizeof(why)), "%s, %u: %s %s", what, i, how,
	   why);
	out_close(o);
}

static void run_named(unsigned every)
{
	for (unsigned i = 0; i < 30; i += every) {
		struct out o;

		out_mem(&o);
		write_named(&o, i % 3 + 1, i);
		is_read(&o, "names said again", i);
	}
}

static void run_nearly_full(unsigned every)
{
	for (unsigned i = 0; i < 18; i += every) {
		struct out o;

		out_mem(&o);
		write_nearly_full(&o, i / 2, i % 2);
		is_read(&o,
			i % 2 ? "activations beyond 2^64, in two parts"
			      : "activations beyond 2^64",
			i / 2);
	}
}

int main(int argc, char **argv)
{
	unsigned every = argc > 1 ? (unsigned)strtoul(argv[1], NULL, 0) : 1;

	run_references();
	run_blocks(every);
	run_named(every);
	run_nearly_full(every);
	return done_testing();
}
