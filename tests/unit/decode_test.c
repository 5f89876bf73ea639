/*
 * decode_test.c - each rule of lines, positions and costs; and that the fast paths, which
 * take only the usual lines, say what the slow one says.
 *
 * Rows are written as text, one word or two each:
 *
 *	cost instr:line c c c    fn=(12) fn=text fn=(12)text fn=    calls=n    jump=n>instr:line
 *	jcnd=taken/executed>instr:line    part    file    key:value    odd:kind    bad-calls ...
 */
#include <stdlib.h>

#include "index/base/out.h"
#include "index/lines/decode.h"
#include "tests/support/dice.h"
#include "tests/support/tap.h"

/* ---- rows as text ---- */

static const char *const kinds[] = {
	[LINE_FN] = "fn",	 [LINE_FL] = "fl",   [LINE_FI] = "fi",
	[LINE_OB] = "ob",	 [LINE_CFN] = "cfn", [LINE_CFI] = "cfi",
	[LINE_COB] = "cob",	 [LINE_JFI] = "jfi", [LINE_JFN] = "jfn",
	[LINE_INLINED] = "cfni",
};

static const char *const keys[] = {
	"version", "creator",	"pid",	  "cmd",   "part",    "thread",
	"desc",	   "positions", "events", "event", "summary", "totals",
};
_Static_assert(sizeof(keys) / sizeof(keys[0]) == KEYS, "a name for each header key");

static void tell_name(struct out *o, const struct row *r)
{
	out_printf(o, "%s=", kinds[r->kind]);
	if (r->flags & NAME_ID)
		out_printf(o, "(%" PRIu64 ")", r->a);
	if (r->flags & NAME_TEXT)
		out_str(o, (struct str){r->p, r->len});
}

static void tell_row(struct out *o, const struct batch *b, const struct row *r)
{
	const uint64_t *cost = &b->cost[r->cost];

	switch ((enum line_kind)r->kind) {
	case LINE_COST:
		out_printf(o, "cost %" PRIu64 ":%" PRIu64, r->a, r->b);
		for (unsigned i = 0; i < r->nc; i++)
			out_printf(o, " %" PRId64, (int64_t)cost[i]);
		break;
	case LINE_CALLS: out_printf(o, "calls=%" PRIu64, r->a); break;
	case LINE_CALLS_BAD: out_c(o, "bad-calls"); break;
	case LINE_JUMP:
		out_printf(o, "jump=%" PRIu64 ">%" PRIu64 ":%" PRIu64, r->a, cost[0],
			   cost[1]);
		break;
	case LINE_JCND:
		out_printf(o, "jcnd=%" PRIu64 "/%" PRIu64 ">%" PRIu64 ":%" PRIu64, r->b,
			   r->a, cost[0], cost[1]);
		break;
	case LINE_JUMP_BAD: out_c(o, "bad-jump"); break;
	case LINE_PART: out_c(o, "part"); break;
	case LINE_FILE: out_c(o, "file"); break;
	case LINE_KEY:
		out_printf(o, "%s:", keys[r->a]);
		out_str(o, (struct str){r->p, r->len});
		break;
	case LINE_ODD: out_printf(o, "odd:%" PRIu64, r->a); break;
	default: tell_name(o, r); break;
	}
}

static struct batch batch;

/* All rows of text, " | " between; entries: by decode_entry(), which stops at each. */
static char *rows_of(const char *text, size_t n, bool entries, size_t *lines)
{
	static struct decode d;
	char *padded = malloc(n + 128), *p = padded + 64;
	size_t at = 0, newlines = 0;
	struct out o;

	if (!padded)
		abort();
	memset(padded, 'x', n + 128);
	memcpy(p, text, n);
	out_mem(&o);
	decode_init(&d);
	while (at < n) {
		(entries ? decode_entry : decode_block)(&d, p + at, n - at, true, &batch);
		if (batch.bytes == 0)
			abort();
		for (size_t i = 0; i < batch.n; i++) {
			if (o.n)
				out_c(&o, " | ");
			tell_row(&o, &batch, &batch.row[i]);
		}
		at += batch.bytes;
		newlines += batch.newlines;
	}
	if (lines)
		*lines = newlines;
	out_char(&o, '\0');
	free(padded);
	return o.buf;
}

/* ---- rules ---- */

#define H "events: A B\n"
#define HR "events:A B | "
#define HI "positions: instr line\nevents: A\n"
#define HIR "positions:instr line | events:A | "
#define BIG "18446744073709551615"

/* clang-format off */
static const struct {
	const char *name, *text, *rows;
} rules[] = {
	/* 1. lines */
	{"a last line without newline", H "1 2", HR "cost 0:1 2"},
	{"CRLF", "events: A B\r\nfn=f\r\n1 2\r\n", HR "fn=f | cost 0:1 2"},
	{"blanks and tabs around and between", "  " H "\t 1\t2   3 \n", HR "cost 0:1 2 3"},
	{"comments and blank lines", "# x\n\n" H " \n#y\n1 2\n", HR "cost 0:1 2"},
	{"a comment between calls= and its line", H "calls=1 2\n# x\n\n3 4\n", HR "calls=1 | cost 0:3 4"},
	{"unknown lines", H "what\nfoo=1\n", HR "odd:0 | odd:0"},
	{"developer lines", H "rec=1\nfrfn=(2)\nbb=1\nln=4\n", HR "odd:11 | odd:11 | odd:11 | odd:11"},
	{"names of inlined functions", H "cfni=f\n1 2\ncfni=???\n", HR "cfni=f | cost 0:1 2 | cfni=???"},
	{"a cost line before events:", "1 2\n", "odd:12"},
	{"hexadecimal numbers", H "0x1f 0xA 0XfF\n", HR "cost 0:31 10 255"},
	{"0x alone is no number", H "0x 1\n1 0x\n", HR "odd:1 | odd:1"},
	{"a long decimal number", H "1 1234567890123456789 1\n", HR "cost 0:1 1234567890123456789 1"},
	{"leading zeros", H "007 000000000000000000000005\n", HR "cost 0:7 5"},
	{"hexadecimal with leading zeros", H "1 0x000000000000000000ff\n", HR "cost 0:1 255"},
	{"a position of 2^64-1", H BIG " 1\n", HR "cost 0:" BIG " 1"},
	{"costs of 2^63 and above are negative", H "1 9223372036854775807 9223372036854775808\n1 " BIG "\n",
	 HR "cost 0:1 9223372036854775807 -9223372036854775808 | cost 0:1 -1"},
	{"but in callgrind's own files, artifacts", "creator: callgrind-3.19.0\nevents: Ir Dr\n1 -2 5\n1 " BIG "\n",
	 "creator:callgrind-3.19.0 | events:Ir Dr | cost 0:1 0 5 | odd:3 | cost 0:1 0 | odd:3"},
	{"the least cost", H "1 -9223372036854775808 -9223372036854775809\n1 -99999999999999999999\n",
	 HR "cost 0:1 -9223372036854775808 -9223372036854775808 | odd:5 | cost 0:1 -9223372036854775808 | odd:5"},
	{"Xdebug divides a negative time as if it were unsigned",
	 "creator: xdebug 3.2.0\nevents: Time_(10ns) Memory_(bytes)\nfn=f\n1 1844674407370955130 5\n1 922337203685477580 5\n1 922337203685477579 922337203685477580\n",
	 "creator:xdebug 3.2.0 | events:Time_(10ns) Memory_(bytes) | fn=f | cost 0:1 -31 5 | cost 0:1 -922337203685477581 5 | cost 0:1 922337203685477579 922337203685477580"},
	{"in microseconds, too",
	 "creator: xdebug 3.0.4\nevents: M Time_(\xc2\xb5s)\nfn=f\n1 5 9223372036854775\n1 9223372036854775 9223372036854774\n",
	 "creator:xdebug 3.0.4 | events:M Time_(\xc2\xb5s) | fn=f | cost 0:1 5 -9223372036854776 | cost 0:1 9223372036854775 9223372036854774"},
	{"version 2 does not divide", "creator: xdebug 2.9.8\nevents: Time\nfn=f\n1 1844674407370955130\n",
	 "creator:xdebug 2.9.8 | events:Time | fn=f | cost 0:1 1844674407370955130"},
	{"a cost of 2^64", H "1 18446744073709551616\n", HR "cost 0:1 9223372036854775807 | odd:5"},
	/* 2. header and parts */
	{"all keys", "version: 1\ncreator: c\npid: 1\ncmd: x y\npart: 1\nthread: 2\ndesc:\n",
	 "version:1 | creator:c | pid:1 | cmd:x y | part:1 | thread:2 | desc:"},
	{"summary and totals without a colon", "summary 1 2\ntotals\t3\n", "summary:1 2 | totals:3"},
	{"other keys need one", "version 1\n", "odd:0"},
	{"no part without a body", H "part: 2\nevents: A\n", HR "part:2 | events:A"},
	{"a part after a body line", H "1 2\nevents: A\n1 2\n", HR "cost 0:1 2 | part | events:A | cost 0:1 2"},
	{"desc, cmd, event, summary begin none", H "1 2\ndesc: x\ncmd: y\nevent: E\nsummary: 1\n",
	 HR "cost 0:1 2 | desc:x | cmd:y | event:E | summary:1"},
	{"version after totals begins one", H "totals: 1\nversion: 1\n", HR "totals:1 | part | version:1"},
	{"pid after totals does not", H "totals: 1\npid: 1\n", HR "totals:1 | pid:1"},
	{"a new part resets the base", H "9 1\npart: 2\n+1 1\n", HR "cost 0:9 1 | part | part:2 | cost 0:1 1"},
	{"a name makes a body", H "fn=f\npid: 1\n", HR "fn=f | part | pid:1"},
	{"an append marker forgets columns", H "1 2\n==== NEW PROFILING FILE ====\n1 2\n",
	 HR "cost 0:1 2 | file | odd:12"},
	{"and positions", HI "1 2 3\n==== NEW PROFILING FILE ====\n" H "1 2 3\n",
	 HIR "cost 1:2 3 | file | " HR "cost 0:1 2 3"},
	{"no positions at all", "positions:\n" H "1 2\n", "odd:13 | " HR "cost 0:1 2"},
	/* 3. positions */
	{"instr and line", HI "0x10 2 3\n+4 -1 5\n* * 6\n", HIR "cost 16:2 3 | cost 20:1 5 | cost 20:1 6"},
	{"instr, bb and line", "positions: instr bb line\nevents: A\n1 2 3 4\n+1 +1 +1 1\n",
	 "positions:instr bb line | events:A | cost 1:3 4 | cost 2:4 1"},
	{"relative across names", H "5 1\nfn=f\nfl=a\nob=o\n+2 1\n",
	 HR "cost 0:5 1 | fn=f | fl=a | ob=o | cost 0:7 1"},
	{"targets do not move the base", H "5 1\ncalls=1 +90\n+1 2\njump=3 +50\n+1\n*\n",
	 HR "cost 0:5 1 | calls=1 | cost 0:6 2 | jump=3>0:56 | cost 0:7 | cost 0:7"},
	{"decimal offsets after hex", HI "0x10 1 1\n+16 * 1\n+0x10 * 1\n", HIR "cost 16:1 1 | cost 32:1 1 | cost 48:1 1"},
	{"ranges", H "1-3 1\n4+2 1\n1:3 1\n+1-9 1\n", HR "cost 0:1 1 | cost 0:4 1 | cost 0:1 1 | cost 0:2 1"},
	{"broken ranges", H "1- 1\n-1- 1\n1-x 1\n1--2 1\n", HR "odd:1 | odd:1 | odd:1 | odd:1"},
	{"below zero", H "3 1\n-4 1\n", HR "cost 0:3 1 | cost 0:0 1 | odd:4"},
	{"above 2^64-1", H BIG " 1\n+1 1\n", HR "cost 0:" BIG " 1 | cost 0:" BIG " 1 | odd:4"},
	{"a target is clamped in silence", H "calls=1 -1\n1 2\njump=1 -1\n1\n",
	 HR "calls=1 | cost 0:1 2 | jump=1>0:0 | cost 0:1"},
	{"positions in another order", "positions: line instr\nevents: A\nfn=f\n1 2 3\n+1 +5 4\n",
	 "positions:line instr | events:A | fn=f | cost 2:1 3 | cost 7:2 4"},
	{"addr is instr", "positions: addr line\nevents: A\nfn=f\n0x10 1 5\n+4 +1 7\n",
	 "positions:addr line | events:A | fn=f | cost 16:1 5 | cost 20:2 7"},
	{"a word that is not known is a position, too", "positions: memAddr line x\nevents: A\nfn=f\n0x10 1 5 7\n-99 +1 * 8\n+1 +1 + 9\n",
	 "odd:19 | positions:memAddr line x | events:A | fn=f | cost 0:1 7 | cost 0:2 8 | odd:1"},
	{"so is one that comes again", "positions: line line\nevents: A\n1 2 3\n", "odd:19 | positions:line line | events:A | cost 0:1 3"},
	{"and any number of them", "positions: a b line c d\nevents: A\nfn=f\n1 2 3 4 5 6\n+1 +1 +1 +1 +1 6\n",
	 "odd:19 | positions:a b line c d | events:A | fn=f | cost 0:3 6 | cost 0:4 6"},
	{"missing positions keep the base", HI "7 8 1\n9\n", HIR "cost 7:8 1 | cost 9:8 | odd:21"},
	{"more and fewer positions of calls=", H "calls=1 0 0\n1 1\ncalls=1\n1 1\n", HR "calls=1 | cost 0:1 1 | calls=1 | cost 0:1 1"},
	{"an odd field skips the line, base and all", H "3 1\n9 x\n+1 1\n", HR "cost 0:3 1 | odd:1 | cost 0:4 1"},
	{"a sign alone", H "+ 1\n- 1\n*1 1\n", HR "odd:1 | odd:1 | odd:1"},
	/* 4. costs */
	{"missing costs and a bare position", H "1 2\n3\n", HR "cost 0:1 2 | cost 0:3"},
	{"extra costs", H "1 2 3 4 5\n", HR "cost 0:1 2 3 | odd:2"},
	{"an extra cost that is none", H "1 2 3 x\n", HR "odd:1"},
	{"a dot", H "1 . 2\n", HR "cost 0:1 0 2"},
	{"negative costs", H "1 -2 -0\n", HR "cost 0:1 -2 0"},
	{"a fraction", H "1 2.5\n", HR "odd:1"},
	/* 5. names */
	{"ids", H "fn=(12)\nfn=(0)\nfn=(12345678)\nfn=(123456789)\n", HR "fn=(12) | fn=(0) | fn=(12345678) | fn=(123456789)"},
	{"definitions", H "fl=(1) a.c\nfi=( 1)\nfe=(2)\tb c \n", HR "fl=(1)a.c | fi=( 1) | fi=(2)b c"},
	{"names that look like ids", H "fn=(below main)\nfn=(1)x\nfn=()\nfn=(1\nfn=(99999999999999999999)\n",
	 HR "fn=(below main) | fn=(1)x | fn=() | fn=(1 | fn=(99999999999999999999)"},
	{"no name", H "fn=\ncfi= \t\n", HR "fn= | cfi="},
	{"all specs", H "ob=a\ncob=b\nfl=c\nfi=d\nfe=e\ncfi=f\ncfl=g\nfn=h\ncfn=i\njfi=j\njfn=k\n",
	 HR "ob=a | cob=b | fl=c | fi=d | fi=e | cfi=f | cfi=g | fn=h | cfn=i | jfi=j | jfn=k"},
	{"blanks in front of a name", H "fn= \t(3) \n", HR "fn=(3)"},
	/* 6. calls and jumps */
	{"rcalls", H "rcalls=3 1\n1 1\n", HR "calls=3 | cost 0:1 1"},
	{"calls= that cannot be read", H "calls=x\ncalls=\ncalls=1 y\ncalls=1  5y\n",
	 HR "odd:8 | bad-calls | odd:8 | bad-calls | odd:8 | bad-calls | odd:8 | bad-calls"},
	{"hexadecimal calls", H "calls=0x10 0x20\n", HR "calls=16"},
	{"jumps", H "jump=3 7\njcnd=1/4 7\njcnd=4 1 7\n", HR "jump=3>0:7 | jcnd=1/4>0:7 | jcnd=1/4>0:7"},
	{"jumps that cannot be read", H "jump=x\njcnd=1/\njcnd=1\n", HR "odd:10 | bad-jump | odd:10 | bad-jump | odd:10 | bad-jump"},
};
/* clang-format on */

static void test_rules(void)
{
	for (size_t i = 0; i < COUNT(rules); i++)
		for (int entries = 0; entries < 2; entries++) {
			char *rows = rows_of(rules[i].text, strlen(rules[i].text),
					     entries, NULL);

			is_str(rows, rules[i].rows, "%s%s", rules[i].name,
			       entries ? ", entry by entry" : "");
			free(rows);
		}
}

/* ---- fast and slow ---- */

/* A field that the fast paths may take, or nearly. */
static void some_field(struct out *o)
{
	static const char *const odd[] = {
		"+",
		"-",
		"*",
		"*1",
		"0x",
		"0x1g",
		"0X1F",
		"1-3",
		".",
		"-5",
		"x",
		"1x",
		"0x12345678",
		"12345678",
		"123456789",
		"1234567812345678",
		"12345678123456781",
		"+0x1",
		"0",
		"0xfffffffffffffffff",
		"00000000000000000001",
		"+99999999999999999999",
		"\x01",
		"1\r",
		"",
		"/",
		":",
		"1:",
		";1",
	};

	switch (dice_below(6)) {
	case 0: out_c(o, odd[dice_below(COUNT(odd))]); break;
	case 1: out_printf(o, "+%u", dice_below(50)); break;
	case 2: out_printf(o, "0x%x", dice_below(100000)); break;
	default: out_printf(o, "%u", dice_below(dice_below(3) ? 100 : 200000000)); break;
	}
}

/* What stands between the fields of most lines of a text, and at their ends. */
static const char *between = " ", *ends = "\n";

static void other_blanks(void)
{
	static const char *const some[] = {" ", " ", "\t", "  ", " \t ", "\r"};
	static const char *const end[] = {"\n",	   "\n",    "\r\n", " \n",
					  " \r\n", "\r \n", "\t\n"};

	between = some[dice_below(COUNT(some))];
	ends = end[dice_below(COUNT(end))];
}

static void some_line(struct out *o)
{
	static const char *const words[] = {
		"fn=(",	 "fl=(",  "fi=(",   "fe=(",  "ob=(",  "cfn=(", "cfi=(",
		"cfl=(", "cob=(", "calls=", "calls", "jump=", "jcnd=", "fn=",
		"",	 "",	  "",	    "",	     "",
	};
	const char *word = words[dice_below(COUNT(words))];
	unsigned fields = dice_below(6);

	out_c(o, word);
	for (unsigned i = 0; i < fields; i++) {
		if (i)
			out_c(o, dice_below(20) ? between : "  ");
		some_field(o);
		if (i == 0 && word[0] && dice_below(3))
			out_c(o, ")");
	}
	if (dice_below(30) == 0)
		out_c(o, dice_below(2) ? " " : "\t");
	if (dice_below(40) == 0)
		out_c(o, "\r");
	out_c(o, ends);
}

/* The same lines with a blank in front: no fast path takes those. */
static struct out slow_twin(const struct out *fast)
{
	struct out o;

	out_mem(&o);
	out_c(&o, " ");
	for (size_t i = 0; i < fast->n; i++) {
		out_char(&o, fast->buf[i]);
		if (fast->buf[i] == '\n' && i + 1 < fast->n)
			out_c(&o, " ");
	}
	return o;
}

static void test_fast(void)
{
	static const char *const heads[] = {
		"events: A\nfn=f\n",
		"events: A B C\nfn=f\n",
		"positions: instr line\nevents: A\nfn=f\n",
		"positions: instr bb line\nevents: A B\nfn=f\n",
		"fn=f\n",
	};
	unsigned failed = 0;

	for (unsigned i = 0; i < 6000; i++) {
		size_t lines[4];
		char *rows[4];
		struct out fast, slow;

		other_blanks();
		out_mem(&fast);
		out_c(&fast, heads[dice_below(COUNT(heads))]);
		for (unsigned k = dice_below(i % 100 ? 12 : 3000); k; k--)
			some_line(&fast);
		if (dice_below(4) == 0)
			fast.n--;
		slow = slow_twin(&fast);
		for (int entries = 0; entries < 2; entries++) {
			rows[entries] =
				rows_of(fast.buf, fast.n, entries, &lines[entries]);
			rows[2 + entries] =
				rows_of(slow.buf, slow.n, entries, &lines[2 + entries]);
		}
		for (int k = 1; k < 4; k++)
			if ((strcmp(rows[0], rows[k]) != 0 || lines[0] != lines[k]) &&
			    failed++ < 3)
				fprintf(stderr,
					"# text %u\n# %.300s\n# %.300s\n# %.300s\n", i,
					fast.buf, rows[0], rows[k]);
		for (int k = 0; k < 4; k++)
			free(rows[k]);
		out_close(&fast);
		out_close(&slow);
	}
	is_u64(failed, 0, "6000 texts: fast, slow and entry by entry are the same");
}

/* Lines longer than a block, blocks without a newline, and batches at their limits. */
static void test_blocks(void)
{
	struct out o;
	char *rows;
	size_t lines;

	out_mem(&o);
	out_c(&o, "events: A\nfn=");
	out_fill(&o, 'x', 3 * DECODE_BYTES);
	out_c(&o, "\n1 2\n");
	rows = rows_of(o.buf, o.n, false, &lines);
	is_u64(strlen(rows), strlen("events:A | fn= | cost 0:1 2") + 3 * DECODE_BYTES,
	       "a long name");
	is_u64(lines, 3, "its lines");
	free(rows);
	o.n = 0;
	out_c(&o, "events: A\n");
	for (int i = 0; i < 2 * DECODE_BYTES; i++)
		out_c(&o, "-9\n");
	rows = rows_of(o.buf, o.n, false, &lines);
	is_u64(lines, 2 * DECODE_BYTES + 1, "as many rows as a block can hold");
	free(rows);
	o.n = 0;
	out_c(&o, "events:");
	for (int i = 0; i < 5000; i++)
		out_printf(&o, " e%d", i);
	out_c(&o, "\n1");
	for (int i = 0; i < 5000; i++)
		out_c(&o, " 7");
	rows = rows_of(o.buf, o.n, false, NULL);
	ok(strstr(rows, "| odd:2") != NULL, "more columns than a line may have");
	free(rows);
	out_close(&o);
}

int main(void)
{
	test_rules();
	test_fast();
	test_blocks();
	return done_testing();
}
