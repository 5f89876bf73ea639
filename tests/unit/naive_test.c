/* naive_test.c - the index against a second, simple reader of the format (tests/support/naive.h). */
#include <dirent.h>
#include <stdlib.h>
#include <sys/stat.h>

#include "index/base/out.h"
#include "index/base/isa.h"
#include "tests/support/naive.h"
#include "tests/support/tap.h"

/* clang-format off */
/* Texts that were once read wrongly. */
static const struct {
	const char *name, *text;
} cases[] = {
	{"the least profile", "events: Ir\nfn=f\n1 5\n"},
	{"a cost line before any fn=",
	 "events: Ir\n1 5\nfn=f\n2 6\n"},
	{"a later part with more events",
	 "events: Ir\nfn=f\n1 5\npart: 2\nevents: Ir Dr\nfn=f\n1 5 6\ncfn=g\n"
	 "calls=1 2\n2 7 8\n"},
	{"a CR among the events",
	 "events: Ir \r Dr\nfn=f\n1 5 6 7\n"},
	{"a negative sum behind a tab", "events: Ir Dr\nfn=f\n1 5 -2\nsummary: 5\t-2\n"},
	{"a cost line before events:",
	 "fn=f\n1 5\nevents: Ir\nfn=g\n1 6\n"},
	{"an empty section before one with events",
	 "events: Ir\nfn=f\n1 5\n==== NEW PROFILING FILE ====\nfn=g\n1 6\n"},
	{"positions: with a word that is none",
	 "positions: instr line\nevents: Ir\nfn=f\n1 2 5\npositions: instr foo\n"
	 "events: Ir\nfn=f\n3 4 6\n"},
	{"positions: that cannot be read at all",
	 "positions: foo\nevents: Ir\nfn=f\n7 5\n"},
	{"positions: with nothing behind it",
	 "positions: instr line\npositions:\nevents: Ir\nfn=f\n7 5 1\n"},
	{"jumps of a part before one with five events",
	 "events: A B\nfn=f\njcnd=3/16 5\n1\n1 1\njump=7 2\n9\npart: 2\n"
	 "events: A B C D E\nfn=f\n1 1\n"},
	{"two blanks before an unreadable target",
	 "events: Ir\nfn=f\n1 5\ncfn=g\ncalls=2  5y\n6 7\nfn=h\n1 1\n"},
	{"cfi= before an unreadable calls=",
	 "events: Ir\nfl=a\nfn=f\ncfi=b\ncob=o\ncfn=g\ncalls=x\n6 7\ncalls=1 5\n6 8\n"},
	{"cfi= before a jump that is dropped",
	 "events: Ir\nfl=a\nfn=f\ncfi=b\ncfn=g\njump=1 5\ncalls=1 5\n6 8\n"},
	{"fewer costs behind fi=",
	 "positions: instr line\nevents: A B\nfl=(1) a\nfn=(1) f\n0x1 1 5 6\n+1 * 5 6\n"
	 "fi=(2) b\n+1 * 4 3\nfi=(1)\n+1 * 7\n+1 * 7\n+1 * 7\n"},
	{"jumps to other functions of the file",
	 "events: A\nfl=(1) a\nfn=(1) f\ncfn=(2) g\ncalls=1 1\n1 1\njfn=(2)\njump=5 7\n3\n"
	 "jump=5 7\n3\njfi=(1)\njfn=(2)\njump=5 7\n3\n"},
	{"jfi= before an unreadable jump=",
	 "events: Ir\nfl=a\nfn=f\n1 1\njfi=b\njump=x\n2\njump=1 5\n3\n"},
	{"a name made of references whose part before had none of them",
	 "fn=(4) (2)'2\nfn=(2) f\nevents: Ir\nfn=(4) (2)'2\n2 7\n"},
	{"an append marker after a bare fn=",
	 "fn=(1) f\n==== NEW PROFILING FILE ====\nevents: Ir\nfn=(1)\n1 5\n"},
	{"an append marker after comments",
	 "# x\n\n==== NEW PROFILING FILE ====\nevents: Ir\nfn=(1)\n1 5\n"},
	{"an append marker after an event:",
	 "event: X = Ir\n==== NEW PROFILING FILE ====\nevents: Ir\nfn=f\n1 5\n"},
	{"references in names",
	 "events: Ir\nfn=(1) f\n1 1\nfn=(2) g\n1 2\nfn=(3) (1)'2'(2)\n1 4\n"
	 "fn=(4) (3)'(3)\n1 8\n"},
	{"references that change their meaning",
	 "events: Ir\nfn=(1) f\nfn=(2) (1)'2\n1 1\nfn=(1) g\nfn=(2)\n1 2\n"
	 "fn=(2) (1)'2\n1 4\n"},
	{"a file and a plain name that look like references",
	 "events: Ir\nfl=(2) a\nfn=(2) f\nfl=(3) (2)'2\nfn=(2)'2\n1 1\n"},
	{"a reference to itself, and one unknown",
	 "events: Ir\nfn=(1) (1)'2\n1 1\nfn=(4) (5)'(6)\n1 2\n"},
	{"a total that overflows over functions",
	 "events: Ir\nfn=f\n1 9223372036854775807\n2 9223372036854775807\nfn=g\n1 2\n"},
	{"an inclusive cost that overflows",
	 "events: Ir\nfn=f\n1 2\ncfn=g\ncalls=1 1\n1 9223372036854775807\n"
	 "cfn=g\ncalls=1 1\n1 9223372036854775807\nfn=g\n1 1\n"},
	{"costs below zero without a sign",
	 "events: Ir\nfn=f\n1 9223372036854775808\ncfn=g\ncalls=1 1\n1 18446744073709551615\n"
	 "fn=g\n1 0x8000000000000000\n2 5\n"},
	{"a reference to itself in a call that is odd",
	 "events: Ir\n1 5\ncfn=(1) (6)'(1)\ncalls=5 40\n +3 .\n"},
	{"a jump whose counts overflow in a block",
	 "events: Ir\nfn=f\njump=0xffffffffffffffff 5\n3\njump=1 5\n3\n1 1\n"},
	{"a jump whose counts overflow over blocks",
	 "events: Ir\nfn=f\n1 1\njump=0xffffffffffffffff 5\n3\nfn=g\n1 1\nfn=f\n1 1\n"
	 "jump=1 5\n3\n"},
	{"CRLF everywhere",
	 "events: Ir\r\nfl=(1) a\r\nfn=(1) f\r\n1 5\r\n\r\ncfn=(1)\r\ncalls=1 2\r\n"
	 "2 3\r\n"},
	{"a block that begins with an unreadable line",
	 "events: Ir Dr\n0xd8b 5 17\nfl=(3)\nfn=(4)\n56 9 -\n* 6 10\nfn=f\n7 1.5\n"
	 "+1 2\n"},
	{"a swallowed call moves the base",
	 "positions: instr line\nevents: Ir\nfn=f\n7 7 1\ncalls=7 1 2\n100 200 9\n"
	 "7 +4 2\nfn=f\n7 7 1\ncalls=7 1 2\n100 300 9\n7 +4 2\n"},
	{"a call without cfn= two stretches on",
	 "events: Ir\nfl=a.c\nfn=f\n1 5\nfn=g\n2 7\nfn=h\n3 8\nfn=i\n4 1\n"
	 "calls=2 5\n2 20\n"},
};
/* clang-format on */

/* Comments for loops that stop some bytes before the end. */
static void write_room(struct out *o)
{
	for (unsigned k = 0; k < 60; k++)
		out_c(o, "# room to look ahead\n");
}

/* Each as it is and with room behind it. */
static void run_cases(void)
{
	static const size_t stretches[] = {0, 1, 16, 40};
	char why[1400];

	for (size_t i = 0; i < COUNT(cases); i++) {
		size_t n = strlen(cases[i].text);
		struct out o;

		out_mem(&o);
		out_c(&o, cases[i].text);
		write_room(&o);
		for (size_t k = 0; k < 2 * COUNT(stretches); k++)
			if (!naive_agree(o.buf, k % 2 ? o.n : n, stretches[k / 2], why,
					 sizeof(why))) {
				ok(false, "%s, stretch %zu%s", cases[i].name,
				   stretches[k / 2], k % 2 ? ", with room" : "");
				fprintf(stderr, "# %s\n", why);
			}
		out_close(&o);
	}
	ok(true, "%zu texts that were once read wrongly", COUNT(cases));
}

/* Files that are one profile. */
static void run_sets(void)
{
	static const struct {
		const char *name, *file[3];
	} sets[] = {
		{"the first part is the second of its file",
		 {"pid: 12\npart: 1\nevents: Ir\nfn=m\n1 1\n",
		  "pid: 12\npart: 2\nevents: Ir\nfn=f\n1 5\npart: 0\nfn=g\n+1 52\n",
		  "pid: 12\npart: 3\nevents: Ir\n"}},
		{"a jump of a function that only the last file has",
		 {"pid: 12\npart: 1\nevents: Ir\n",
		  "pid: 12\npart: 2\nevents: Ir\nfn=f\njump=5 7\n6\n",
		  "pid: 12\npart: 3\nevents: Ir\nfn=f\n1 1\n"}},
	};
	const struct naive_way way = {.jobs = 1};
	char why[1400];

	for (size_t i = 0; i < COUNT(sets); i++)
		for (size_t before = 0; before < 3; before++) {
			const struct str file[] = {str_c(sets[i].file[0]),
						   str_c(sets[i].file[1]),
						   str_c(sets[i].file[2])};

			if (!ok(naive_set_agrees(file, 3, before, &way, why, sizeof(why)),
				"%s, %zu of 3 indexed before", sets[i].name, before))
				fprintf(stderr, "# %s\n", why);
		}
}

/* The columns of a part are other events than those of the part before, again and again. */
static void run_columns(void)
{
	static const char *const events[] = {"Ir",    "Dr", "Ir Dr",
					     "Dr Ir", "Dw", "Dw Dr Ir"};
	char why[1400];

	for (size_t i = 0; i < COUNT(events); i++)
		for (size_t k = 0; k < COUNT(events); k++) {
			struct out o;

			out_mem(&o);
			out_c(&o, "events: Ir Dr Dw\nfl=(1) a.c\nfn=(1) f\nfn=(2) g\n");
			for (unsigned part = 1; part < 8; part++) {
				out_printf(&o, "part: %u\nevents: %s\nfl=(1)\n", part,
					   events[part % 2 ? i : k]);
				for (unsigned line = 1; line < 60; line++) {
					if (line % 10 == 1)
						out_printf(&o, "fn=(%u)\n",
							   1 + line / 10 % 2);
					out_printf(&o, "%u %u %u\n", line, part, line);
				}
			}
			if (!ok(naive_agree(o.buf, o.n, 0, why, sizeof(why)),
				"parts of events '%s' and '%s'", events[i], events[k]))
				fprintf(stderr, "# %s\n", why);
			out_close(&o);
		}
}

/* Jumps and calls that are executed as often as the line before or nearly so, in parts that know
 * them; where they go is another place now and then. */
static void run_as_often(void)
{
	static const char *const counts[] = {"7",  "70",      "77",	 "770",
					     "07", "7777777", "77777777"};
	char why[1400];

	for (size_t events = 1; events < 4; events++) {
		struct out o;

		out_mem(&o);
		out_printf(&o, "positions: instr line\nevents: %s\n",
			   &"A B C"[6 - 2 * events]);
		out_c(&o, "fl=(1) a.c\nfn=(1) f\n0x1 1 1\nfn=(2) g\n0x9 1 1\n");
		for (unsigned part = 2; part < 60; part++) {
			out_printf(&o, "part: %u\nfl=(1)\nfn=(1)\n0x10 1 5\n", part);
			for (unsigned i = 0; i < 12; i++) {
				const char *cost = counts[(part / 7 + i) % COUNT(counts)];
				const char *often =
					counts[(part / 7 + i + (part % 5 == i % 5)) %
					       COUNT(counts)];
				const char *taken = counts[(part + i) % COUNT(counts)];
				const unsigned to = part % 11 == i ? 3 : 40;

				out_printf(&o, "+2 0 %s\n+3 0 %s\n", cost, cost);
				/* Into another file or function: its name is said again, or
				 * only now and then. */
				if (i % 3 < 2 && i > 5)
					out_printf(&o, "jfi=(1%u)%s\n",
						   i + (part % 13 == i),
						   part % 4 ? " somewhere/else.c" : "");
				if (i % 3 < 2 && i > 8)
					out_printf(&o, "jfn=(2)%s\n",
						   part % 3 ? "" : " g");
				if (i % 3 == 0)
					out_printf(&o, "jcnd=%s/%s +%u 0 \n* 0 \n", taken,
						   often, to);
				else if (i % 3 == 1)
					out_printf(&o, "jump=%s +%u 0 \n* 0 \n", often,
						   to);
				else
					out_printf(&o,
						   "cfn=(2)\ncalls=%s 0x9 0 \n* 0 %s\n",
						   often, taken);
				out_printf(&o, "+4 0 %s\n", cost);
			}
			out_printf(&o, "fn=(2)\n0x9 1 %u\n", part);
		}
		if (!ok(naive_agree(o.buf, o.n, 0, why, sizeof(why)),
			"executed as often as the line before, %zu events", events))
			fprintf(stderr, "# %s\n", why);
		out_close(&o);
	}
}

static unsigned long long digits_of(unsigned n)
{
	unsigned long long v = 0;

	for (unsigned i = 1; i <= n; i++)
		v = v * 10 + i % 10;
	return v;
}

#define LONG_40 "std::map<std::pair<int,long>,std::less> "
#define LONG_200 LONG_40 LONG_40 LONG_40 LONG_40 LONG_40
#define ZEROS_40 "0000000000000000000000000000000000000000"
#define LONG LONG_200 LONG_200 "end"

/* Texts that mean something else when they are taken for what they were the last time. */
static void run_again(void)
{
	static const struct {
		const char *name, *head, *text, *last;
	} texts[] = {
		{"two blanks between positions", "positions: instr line\nevents: A B\n",
		 "fn=(1) f\n1 1 2\n7  5 9\n", "fn=(1)\n1 1 2\n7  46 9\n"},
		{"fl= without fn=", "events: A\n1 5\nfl=\n2 5\n3 5\n",
		 "events: A\n1 5\nfl=\n2 5\n3 5\n",
		 "events: A\n1 5\nfl=\n2 5\nfe=(1) x\nfn=(1) f\n1 5\n"},
		{"sums near 2^64", "positions: instr line\nevents: A\n",
		 "fn=(1) f\n1 1 5\n+1 * 807\n+1 * 807\n+1 * 807\n",
		 "fn=(1)\n1 1 5\n+1 * 807\n+1 * 18446744073709551000\n"},
		{"costs alike", "positions: instr line\nevents: A\n",
		 "fn=(1) f\n1 1 7654321\n+1 * 7654321\n+1 * 7654321\n+1 +10000000 7654321\n"
		 "+1 +100000000 7654321\n+1 +1000000000 7654321\n+1 * 7654321\n+1 * 87654321\n"
		 "+1 * 87654321\n+1 * 0\n+1 * 0\n+1 * 00\n+1 *\n+1 * 0\n+1 * \n+1 * 1\n",
		 "fn=(1)\n1 1 7654321\n+1 * 7654321\n+1 * 765432\n+1 +10000000 765432\n"
		 "+1 +100000000 76543211\n+1 +1000000000 76543211\n+1 * 7654321 1\n"
		 "+1 * 7654321x\n+1 * 7654321 \n+1 * 0\n"},
		{"a jump that is none", "events: A\n",
		 "fn=(1) f\n1 5\njump=3 7\n2\njcnd=1/2 5\n3\n4 5\n",
		 "fn=(1)\n1 5\njcnd=3/4 7\n2\njump=2 5\n3\n4 5\n"},
		{"a jump that ends early", "events: A\n",
		 "fn=(1) f\n1 5\njcnd=1/2 5\n3\n4 5\njump=9 9\n8\n",
		 "fn=(1)\n1 5\njcnd=1 2 5\n3\n4 5\njump=x 9\n8\n"},
		{"a jump that is a cost", "events: A\n",
		 "fn=(1) f\n1 5\njump=3 7\n2\n4 5\n",
		 "fn=(1)\n1 5\n3 7\n2\n4 5\njumpy\n"},
		{"many empty lines", "events: A\n",
		 "fl=(1) a\nfn=(1) f\n1 5\n2 5\n3 6\nfe=(1)\n\nfn=(2) g\n1 2\n\n",
		 "fl=(1)\nfn=(1)\n1 5\n2 5\n3 6\nfe=(1)\n\n\n\n\n\n\n\n\n\n\n\nfn=(2)\n1 2\n"
		 "\n\n\n\n\n\n\n\n\n\n\n\n"},
		{"a blank behind calls=", "events: A\n",
		 "fn=(1) f\n1 5\ncfn=(2) g\ncalls=1 5\n6 7\n2 5\n",
		 "fn=(1)\n1 5\ncfn=(2)\ncalls=1 5 \n6 7\n2 5\n"},
		{"a name that goes on", "events: A\nfl=a\n",
		 "fn=f\n1 5\ncfn=g\ncalls=1 5\n6 7\nfn=h\n2 5\n",
		 "fn=f\n1 5\ncfn=g h\ncalls=1 5\n6 7\nfn=h i\n2 5\n"},
		{"a line of another file", "events: A\n",
		 "fl=(1) a\nfn=(1) f\n1 5\n+1 6\nfi=(2) b\n+1 7\nfe=(1)\n+1 8\n",
		 "fl=(1)\nfn=(1)\n1 5\n+1 6\n+1 7\nfi=(2)\n+1 7\n"},
		{"a line that another function has", "events: A\nfl=(1) a\n",
		 "fn=(1) f\n10 1\n20 1\nfn=(2) g\n10 1\n20 1\n",
		 "fn=(1)\n10 1\n20 1\n30 1\nfn=(2)\n10 1\n20 1\n30 1\n+5 1\n10 1\n"},
		{"positions at 2^64", "positions: instr line\nevents: A\n",
		 "fn=(1) f\n0xfffffffffffffffe 1 5\n+1 * 5\n",
		 "fn=(1)\n0xfffffffffffffffe 1 5\n+1 * 5\n+1 * 6\n+9 +1 7\n"},
		{"a jump into another file", "events: A\n",
		 "fl=(1) a\nfn=(1) f\n1 5\njfi=(2) b\njump=3 7\n2\njfi=(2) b\njcnd=1/2 5\n3\n4 5\n",
		 "fl=(1)\nfn=(1)\n1 5\njfi=(1)\njump=3 7\n2\njfi=(2)\njump=2 5\n3\n4 5\n"},
		{"jfi= that has another line behind it", "events: A\n",
		 "fl=(1) a\nfn=(1) f\n1 5\njfi=(2) b\njump=3 7\n2\n4 5\njump=3 9\n5\n4 5\n",
		 "fl=(1)\nfn=(1)\n1 5\njfi=(2) b\n4 5\njump=3 9\n5\njfi=(2)\njfn=(1)\njump=3 7\n2\n"
		 "jump=3 7\n2\nfi=(2)\njump=3 7\n2\n"},
		{"a conditional jump that is none", "events: A\n",
		 "fl=(1) a\nfn=(1) f\n1 5\njump=3 7\n2\njfi=(2) b\njump=3 8\n2\n4 5\n",
		 "fl=(1)\nfn=(1)\n1 5\njcnd=3 7\n2\njfi=(2)\njcnd=3 8\n2\n4 5\n"},
		{"jumps of long texts", "events: A\nfl=a\n",
		 "fn=f\n1 5\njfi=" LONG_40 "\njump=3 7\n2\njump=3 " ZEROS_40 "7\n2\n"
		 "jfi=" LONG "\njump=3 7\n2\n4 5\n",
		 "fn=f\n1 5\njfi=" LONG_40 "\njump=3 8\n2\njump=3 " ZEROS_40 "8\n2\n"
		 "jfi=" LONG "x\njump=3 7\n2\n4 5\n"},
		{"a jump into a file of a function's name", "events: A\n",
		 "fl=(1) a\nfn=(1) f\n1 5\njfi=(2) b\njfn=(2) g\njump=3 7\n2\n4 5\n"
		 "1 5\njfi=(2)\njfn=(2)\njump=3 7\n2\n4 5\n",
		 "fl=(1)\nfn=(1)\n1 5\njfi=(2) g\njfn=(2) b\njump=3 7\n2\n4 5\n"},
		{"a jump of NULs", "positions: instr line\nevents: A\n",
		 "fn=(1) f\n1 1 0\n+1 * 0\n+1 * 0\n",
		 "fn=(1)\n1 1 0\n+1 * 0\nj\1\1\1\0013 \n+1 * 0\n"},
		{"jfi= behind a blank", "events: A\n",
		 "fl=(1) a\nfn=(1) f\n1 5\n jfi=(2) b\njump=3 7\n2\n jfi=(2)\njump=3 7\n2\n4 5\n",
		 "fl=(1)\nfn=(1)\n1 5\n jfi=(2) b\njump=3 7\n2\njjfi=(2)\njump=3 7\n2\n4 5\n"},
		{"a jump into a file, with many zeros", "events: A\n",
		 "fl=(1) a\nfn=(1) f\n1 5\njfi=(0000000000000002)\njfn=(2)\njump=3 000000000000007\n"
		 "2\n4 5\n",
		 "fl=(1)\nfn=(1)\n1 5\njfi=(0000000000000002)\njfn=(2)\njump=3 000000000000008\n"
		 "2\n4 5\n"},
		{"a line of a file, with many zeros", "events: A\n",
		 "fl=(1) a\nfn=(1) f\n1 5\nfi=(00000000000000000000000000000000000002)\n+3 5\n4 5\n",
		 "fl=(1)\nfn=(1)\n1 5\nfi=(00000000000000000000000000000000000002)\n+7 5\n4 5\n"},
		{"a line of a file that is not met", "events: A\n",
		 "fl=(1) a\nfi=(2) b\nfn=(1) f\n1 5\n3 5\nfi=(2)\n+1 5\nfe=(1)\n4 5\n",
		 "fl=(1)\nfn=(1)\n1 5\nfi=(3)\n+1 5\nfe=(2)\n4 5\nfi=(2)x\n+1 5\nfi=(1)\n* 5\n3 5\n"},
		{"a jump whose file is another one then", "events: A\n",
		 "fl=(1) a\nfn=(1) f\n1 5\njfi=(2) b\njump=3 7\n2\n4 5\n",
		 "fl=(1)\nfn=(1)\n1 5\njfi=(2) c\njump=3 7\n2\n4 5\n"},
		{"a long name", "events: A\n",
		 "fl=(1) a\nfn=(1) f\n1 5\ncfi=(2) b\ncfn=(2) " LONG
		 "\ncalls=1 5\n6 7\n2 5\n"
		 "fn=(2) " LONG "\n7 5\n+1 5\n",
		 "fl=(1)\nfn=(1)\n1 5\ncfi=(2)\ncfn=(2) " LONG "x\ncalls=1 5\n6 7\n2 5\n"
		 "fn=(2) " LONG "\n7 5\n+1 5\n"},
		{"a NUL for a cost", "positions: instr line\nevents: A\n",
		 "fn=(1) f\n1 1 0\n+1 * 0\n+1 * 0\n", "fn=(1)\n1 1 0\n+1 * \1\n+1 * 0\n"},
	};
	char why[1400];

	for (size_t i = 0; i < COUNT(texts); i++) {
		struct out o;

		out_mem(&o);
		out_c(&o, texts[i].head);
		for (unsigned k = 0; k < 600; k++)
			out_c(&o, k % 300 == 299 ? texts[i].last : texts[i].text);
		write_room(&o);
		/* What no text in C can have. */
		for (size_t k = 0; k < o.n; k++)
			if (o.buf[k] == 1)
				o.buf[k] = 0;
		if (!ok(naive_agree(o.buf, o.n, 0, why, sizeof(why)), "%s",
			texts[i].name))
			fprintf(stderr, "# %s\n", why);
		out_close(&o);
	}
}

/* Lines whose last number ends before, at and behind the 32nd byte, where loops look at so
 * many at once. */
static void run_widths(size_t every)
{
	static const char *const shapes[] = {"positions: line\nevents: Ir\n",
					     "positions: line\nevents: Ir Dr\n",
					     "positions: instr line\nevents: Ir\n",
					     "positions: instr line\nevents: Ir Dr\n"};
	char why[1400];

	for (size_t i = 0; i < COUNT(shapes); i++) {
		unsigned numbers = (i & 1) + (i >> 1) + 2, bad = 0;
		struct out o;

		for (size_t w = 0; w < 256; w += every) {
			size_t rest = w;

			out_mem(&o);
			out_printf(&o, "%sfl=(1) a\nfn=(1) f\n", shapes[i]);
			for (unsigned k = 0; k < 100; k++, rest = w) {
				for (unsigned j = 0; j < numbers; j++, rest /= 4)
					out_printf(&o, j ? " %llu" : "%llu",
						   digits_of(6 + rest % 4));
				out_c(&o, "\n");
			}
			write_room(&o);
			if (!naive_agree(o.buf, o.n, 0, why, sizeof(why)) && bad++ < 3)
				fprintf(stderr, "# %s\n", why);
			out_close(&o);
		}
		is_u64(bad, 0, "numbers of 6 to 9 digits, %s",
		       i & 1 ? "two costs" : "one cost");
	}
}

/* The next of a row of numbers, below n. */
static unsigned next_below(uint64_t *state, unsigned n)
{
	*state = *state * 6364136223846793005u + 1442695040888963407u;
	return (unsigned)(*state >> 33) % n;
}

/* First blocks whose lines mostly say what the one before said, and then nearly that. */
static void write_alike(struct out *o, uint64_t seed, unsigned positions, unsigned costs)
{
	/* clang-format off */
	static const char *const first[] = {
		"+3", "+4", "+7", "+9", "+1", "+12", "+63", "+64", "+0", "+05", "+100",
		"-1", "*", "7", "0x40", "0x", "0x000000000000000000020",
		"+9999999", "4611686018427387904"};
	static const char *const second[] = {"0",   "*",   "+1", "-1", "12",
					     "+63", "+64", "00", "0x3"};
	static const char *const cost[] = {
		"1", "7", "77", "1234", "99999", "1234567", "12345678", "268435456", "0",
		"07", "4611686018427387904", "18446744073709551615"};
	static const char *const others[] = {
		"fi=(2) b\n",	"fe=(1)\n",	   "fi=(2)\n",
		"fe=(3)  c \n", "fi=(2) other\n",  "\n",
		"# remark\n",	"jump=2 +3 0\n",   "jcnd=1/2 +3 0 \n",
		"cfn=(2) g\n",	"cfn=(7) h \n",	   "cfn=(8)\ti\n",
		"cob=(1) o\n",	"cfi=(2)\n",	   "cfn=(3000000000) z\n",
		"fi=(2)\n",	"fe=(1)\n",	   "jfi=(2)\njcnd=1/2 7 0\n",
		"fi=(99)\n",	"fi=(1)x\n",	   "jfn=(2)\njump=5 7 0\n",
		"jfi=(2)\njfn=(2)\njump=5 +3 * \n",
		"cfn=(2) g2\n", "cfn=(9) (2)'2\n", "calls=2 +3 0\n"};
	/* clang-format on */
	unsigned at[4] = {0};

	for (unsigned i = 0; i < 400; i++) {
		if (next_below(&seed, 60) == 0)
			out_printf(o, "fn=(%u)%s\n", 20 + i, i % 3 ? " f" : "");
		if (next_below(&seed, 7) == 0)
			out_c(o, others[next_below(&seed, COUNT(others))]);
		/* Of the first ones more often. */
		at[0] = next_below(&seed, 1 + next_below(&seed, COUNT(first)));
		if (next_below(&seed, 4) == 0)
			at[1] = next_below(&seed, 1 + next_below(&seed, COUNT(second)));
		for (unsigned k = 2; k < 4; k++)
			if (next_below(&seed, 4) == 0)
				at[k] = next_below(&seed,
						   1 + next_below(&seed, COUNT(cost)));
		out_printf(o, "%s%s%s", first[at[0]], positions > 1 ? " " : "",
			   positions > 1 ? second[at[1]] : "");
		for (unsigned k = 0; k < costs; k++)
			out_printf(o, " %s", cost[at[2 + k]]);
		out_c(o, next_below(&seed, 50)	? "\n"
			 : next_below(&seed, 2) ? " \n"
						: "\r\n");
	}
}

static void run_alike(size_t every)
{
	static const char *const shapes[] = {"positions: line\nevents: Ir\n",
					     "positions: line\nevents: Ir Dr\n",
					     "positions: instr line\nevents: Ir\n",
					     "positions: instr line\nevents: Ir Dr\n",
					     "positions: instr\nevents: Ir\n"};
	static const unsigned positions[] = {1, 1, 2, 2, 1}, costs[] = {1, 2, 1, 2, 1};
	const char *const *paths = isa_names();
	char why[1400];

	for (size_t i = 0; i < COUNT(shapes); i++) {
		unsigned bad = 0, path = 0;

		for (uint64_t seed = 0; seed < 200; seed += every) {
			struct out o;

			isa_force(paths[path]);
			path = paths[path + 1] ? path + 1 : 0;
			out_mem(&o);
			out_printf(&o, "%sfl=(1) a\nfn=(1) f\n100 %s0 1\n", shapes[i],
				   positions[i] > 1 ? "0 " : "");
			write_alike(&o, (tap_seed(0) * 200 + seed) * 977 + i,
				    positions[i], costs[i]);
			write_room(&o);
			if (!naive_agree(o.buf, o.n, seed % 5 ? 0 : 1001, why,
					 sizeof(why)) &&
			    bad++ < 3)
				fprintf(stderr, "# seed %u: %s\n", (unsigned)seed, why);
			out_close(&o);
		}
		is_u64(bad, 0, "lines like the one before, %u positions, %u costs",
		       positions[i], costs[i]);
	}
	isa_force(paths[0]);
}

static char *read_file(const char *path, size_t *n)
{
	FILE *f = fopen(path, "r");
	struct stat sb;
	char *p;

	if (!f || fstat(fileno(f), &sb) || !(p = malloc((size_t)sb.st_size + 1)) ||
	    fread(p, 1, (size_t)sb.st_size, f) != (size_t)sb.st_size)
		abort();
	fclose(f);
	*n = (size_t)sb.st_size;
	return p;
}

static int compare_names(const void *a, const void *b)
{
	return strcmp(*(char *const *)a, *(char *const *)b);
}

/* One file in `every`. */
static void run_fixtures(const char *where, size_t every)
{
	char *names[200], path[512], why[1400], *text;
	struct dirent *e;
	DIR *d = opendir(where);
	size_t n = 0, size;

	while (d && (e = readdir(d)) && n < COUNT(names))
		if (e->d_name[0] != '.' && !strstr(e->d_name, "README") &&
		    !strstr(e->d_name, ".json") && !strstr(e->d_name, ".quern"))
			names[n++] = strdup(e->d_name);
	if (d)
		closedir(d);
	if (n == 0)
		skip("the fixtures are not below the current directory");
	else
		qsort(names, n, sizeof(*names), compare_names);
	for (size_t i = 0; i < n; i += every) {
		snprintf(path, sizeof(path), "%s/%s", where, names[i]);
		text = read_file(path, &size);
		if (!ok(naive_agree(text, size, 0, why, sizeof(why)), "%s", path))
			fprintf(stderr, "# %s\n", why);
		if (!ok(naive_agree(text, size, 3000, why, sizeof(why)),
			"%s in stretches", path))
			fprintf(stderr, "# %s\n", why);
		free(text);
	}
	for (size_t i = 0; i < n; i++)
		free(names[i]);
}

/* EVERY: try one fixture or width in so many, under valgrind. */
int main(int argc, char **argv)
{
	size_t every = argc > 1 ? strtoull(argv[1], NULL, 10) : 1;

	run_cases();
	run_sets();
	run_columns();
	run_as_often();
	run_again();
	run_widths(every);
	run_alike(every);
	run_fixtures("tests/fixtures/quirks", every);
	run_fixtures("tests/fixtures/small", every);
	return done_testing();
}
