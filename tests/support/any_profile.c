/*
 * any_profile.c - profiles by chance: a small grammar with every oddity of the format; see
 * any_profile.h.
 *
 * What a profile is like is chosen first (struct writer), then each line.  Lines, blocks of
 * activations and whole parts come again, with other digits, as producers repeat themselves.
 */
#include "tests/support/any_profile.h"

#include <stdlib.h>
#include <string.h>

#include "index/base/isa.h"
#include "tests/support/dice.h"

static const char *pick(const char *const *from, size_t n)
{
	return from[dice_below((unsigned)n)];
}
#define PICK(...)                                \
	pick((const char *const[]){__VA_ARGS__}, \
	     sizeof((const char *const[]){__VA_ARGS__}) / sizeof(const char *))

enum { NAMES = 300, SPECS = 3 };

struct writer {
	struct out o;
	unsigned odd; /* one line in so many is odd; 0: none */
	unsigned nsub, ncols, names;
	unsigned file; /* of a set, which is in this order; 0: none */
	bool crlf, compressed, jumps, repeats, room;
	bool hex;	  /* positions are addresses */
	bool huge;	  /* costs whose sums do not fit */
	bool long_blocks; /* fn= is rare */
	bool whole;	  /* callees are said with their file */
	bool lone;	  /* calls without calls= */
	bool any_fl;	  /* fl= inside of functions, as KLEE writes it */
	bool endless;	  /* lines longer than the room in front of a block (feed.c) */
	uint64_t first_id;
	bool defined[SPECS][NAMES];
};

static bool odd_now(const struct writer *w)
{
	return w->odd && one_in(w->odd);
}

static void end_line(struct writer *w)
{
	if (odd_now(w))
		out_c(&w->o, PICK(" ", "\t", "  \t"));
	out_c(&w->o, w->crlf ? "\r\n" : "\n");
	if (odd_now(w))
		out_c(&w->o, PICK("\n", "# comment\n", "\t# another\n", "  \n", "\r\n"));
}

static void begin_line(struct writer *w)
{
	if (odd_now(w))
		out_c(&w->o, PICK(" ", "\t", "  "));
}

/* The loops for usual lines end some 1,000 bytes before a text does, or a stretch (ROOM
 * of stretch.c): without this behind a line, small texts would never see them. */
static void write_room(struct writer *w)
{
	out_printf(&w->o, "#%*s\n", 1040 + (int)dice_below(400), "room to look ahead");
}

/* Around 64 KiB, and more than one block of 16 KiB. */
static int long_line(void)
{
	return one_in(3) ? 65536 - 100 + (int)dice_below(200)
			 : 20000 + (int)dice_below(300000);
}

static void write_number(struct writer *w)
{
	if (odd_now(w)) {
		out_c(&w->o, PICK("0", "0x1f", "0XFF", "00012", "18446744073709551615",
				  "99999999999999999999", "12345678901234567",
				  "1234567812345678", "0xffffffffffffffff",
				  "0x10000000000000000", "123456789"));
		return;
	}
	if (w->huge && one_in(8))
		out_c(&w->o, PICK("9223372036854775808", "18446744073709551615",
				  "18446744073709551000", "4611686018427387904"));
	else if (one_in(50))
		out_u64(&w->o, dice_u64() >> 8 >> dice_below(56));
	else
		out_u64(&w->o, dice_below(one_in(4) ? 100000000 : 20));
}

static void write_position(struct writer *w)
{
	switch (dice_below(w->odd ? 8 : 4)) {
	case 0:
	case 1:
		if (w->hex)
			out_printf(&w->o, "0x%" PRIx64,
				   ((uint64_t)0x401000 << (one_in(9) ? 24 : 0)) +
					   dice_below(60));
		else
			out_printf(&w->o, "%u", dice_below(60));
		break;
	case 2: out_printf(&w->o, "+%u", dice_below(9)); break;
	case 3: out_c(&w->o, "*"); break;
	case 4: out_printf(&w->o, "-%u", dice_below(9)); break;
	case 5: out_printf(&w->o, "0x%x", dice_below(4000)); break;
	case 6: out_printf(&w->o, "+0x%x", dice_below(40)); break;
	default:
		out_c(&w->o,
		      odd_now(w) ? PICK("1-3", "4+2", "1:3", "+1-3", "-999999", "*5", "-",
					"+", "0x", "1-", "3x", "18446744073709551615",
					"+*", "-1", "+18446744073709551615", "?", "??",
					"99999999999999999999")
				 : "7");
		break;
	}
}

static void write_cost_line(struct writer *w)
{
	unsigned subs = w->nsub, costs = w->ncols;

	if (one_in(5))
		costs = dice_below(w->ncols + 1);
	if (odd_now(w))
		costs = w->ncols + 1 + dice_below(2);
	if (odd_now(w))
		subs = 1 + dice_below(subs);
	begin_line(w);
	for (unsigned i = 0; i < subs; i++) {
		if (i)
			out_c(&w->o, odd_now(w) ? PICK("\t", "  ", " \t") : " ");
		write_position(w);
	}
	for (unsigned i = 0; subs == w->nsub && i < costs; i++) {
		if (w->endless && one_in(20))
			out_printf(&w->o, "%*s", long_line(), "");
		out_c(&w->o, odd_now(w) ? PICK("\t", "  ") : " ");
		if (odd_now(w))
			out_c(&w->o, PICK(".", "-3", "-0", "-", "x", "1.5",
					  "-99999999999999999999"));
		else
			write_number(w);
	}
	end_line(w);
}

/* The table of a spec: "fn=", "cob=", "jfi=". */
static unsigned table_of(const char *spec)
{
	spec += spec[2] != '=';
	return spec[0] == 'o' ? 0 : spec[1] == 'n' ? 1 : 2;
}

/* One of few names, so that they come again; the three tables share the words. */
static void write_name(struct writer *w, const char *spec)
{
	static const char *const names[] = {"main", "f", "g", "h", "R", "a.c", "b.h"};
	static const char *const odd[] = {
		"(below main)",
		"(root)",
		"a b  c",
		"f=1,2",
		"(anonymous namespace)::f(int)",
		"\xc3\xa9",
		"\x01\x02",
		"(7)",
		"(8) x",
		"(1)x",
		"()",
		"(",
		"(12",
		"f'2",
		"(3)'2",
		"(1)'2'(2)",
		"'(1)",
		"(18446744073709551616)",
		"(99999999)",
		"???",
		"\xff\xfe",
	};
	unsigned i = dice_below(w->names);

	begin_line(w);
	out_c(&w->o, spec);
	if (odd_now(w))
		out_c(&w->o, PICK(" ", "\t"));
	if (w->compressed) {
		bool *defined = &w->defined[table_of(spec)][i];
		uint64_t id = odd_now(w) ? dice_below(30) : w->first_id + i;
		bool known = *defined;

		out_printf(&w->o, odd_now(w) ? "(%03" PRIu64 ")" : "(%" PRIu64 ")", id);
		*defined = true;
		if ((known && !one_in(w->odd ? 3 : 9)) || odd_now(w)) {
			end_line(w);
			return;
		}
		out_c(&w->o, odd_now(w) ? PICK("\t", "  ", "") : " ");
	}
	if (w->compressed && one_in(20))
		out_printf(&w->o, one_in(2) ? "(%" PRIu64 ")'2" : "(%" PRIu64 ")'(1)",
			   w->first_id + dice_below(7));
	else if (w->endless && one_in(9))
		out_printf(&w->o, "f%0*u", long_line(), i);
	else if (!odd_now(w) && i < COUNT(names))
		out_c(&w->o, names[i]);
	else if (!odd_now(w))
		/* of 2 to 6,000 bytes: links hold 40 and 104 of a line, names go on */
		out_printf(&w->o, "f%0*u", i % 16 ? 1 : 1 << i % 13, i);
	else if (one_in(8))
		out_bytes(&w->o, "nul\0nul", 7);
	else if (!one_in(8))
		out_c(&w->o, odd[dice_below(COUNT(odd))]);
	end_line(w);
}

static void write_call(struct writer *w)
{
	unsigned order = dice_below(3);

	if (order == 0 && one_in(3))
		write_name(w, "cob=");
	if (w->whole || one_in(3))
		write_name(w, PICK("cfi=", "cfl="));
	if (!odd_now(w))
		write_name(w, "cfn=");
	if (order == 1 && one_in(3))
		write_name(w, "cob=");
	if (order == 2 && one_in(3))
		write_name(w, "cfi=");
	if (w->lone || odd_now(w)) {
		write_cost_line(w);
		return;
	}
	begin_line(w);
	out_c(&w->o, odd_now(w) ? "rcalls=" : "calls=");
	if (odd_now(w))
		out_c(&w->o,
		      PICK("-1", "?", "0.5", "-12", "1e+06", "-", "1.e", "1.2.3", "??"));
	else if (one_in(6))
		out_c(&w->o, "0");
	else
		write_number(w);
	for (unsigned i = 0; i < w->nsub && !odd_now(w); i++) {
		out_c(&w->o, odd_now(w) ? "  " : " ");
		write_position(w);
	}
	if (odd_now(w))
		out_c(&w->o, PICK(" 0", " 0 0", " x", "y", " -1"));
	end_line(w);
	if (odd_now(w))
		write_name(w, PICK("fn=", "cfn=", "fi=", "fl="));
	if (!odd_now(w))
		write_cost_line(w);
}

/* A position for each that is declared, each with a blank before or behind it. */
static void write_places(struct writer *w)
{
	bool before = w->o.buf[w->o.n - 1] != '\n', behind = !before && one_in(2);

	for (unsigned i = 0; i < w->nsub; i++) {
		if (before || (i && !behind))
			out_c(&w->o, " ");
		write_position(w);
		if (behind)
			out_c(&w->o, " ");
	}
}

static void write_jump(struct writer *w)
{
	bool conditional = one_in(2);

	if (one_in(4))
		write_name(w, "jfi=");
	if (one_in(4))
		write_name(w, "jfn=");
	begin_line(w);
	out_c(&w->o, conditional ? "jcnd=" : "jump=");
	write_number(w);
	if (conditional) {
		out_c(&w->o, one_in(3) ? " " : "/");
		write_number(w);
	}
	write_places(w);
	end_line(w);
	if (odd_now(w))
		return;
	if (odd_now(w)) {
		write_cost_line(w);
		return;
	}
	begin_line(w);
	write_places(w);
	end_line(w);
}

static void write_positions(struct writer *w)
{
	static const struct {
		const char *text;
		unsigned n;
	} all[] = {{"line", 1},		 {"instr", 1},
		   {"instr line", 2},	 {"bb line", 2},
		   {"instr bb line", 3}, {"instr bb", 2},
		   {"addr line", 2},	 {"line instr", 2},
		   {"memAddr line", 2},	 {"instr memAddr line", 3},
		   {"line x y instr", 4}};
	unsigned i = dice_below(COUNT(all));

	if (odd_now(w)) {
		out_c(&w->o, PICK("positions: foo\n", "positions:\n", "positions: addr\n",
				  "positions: instr foo\n", "positions: line line\n"));
		return;
	}
	w->nsub = all[i].n;
	out_printf(&w->o, "positions: %s\n", all[i].text);
}

static void write_events(struct writer *w)
{
	unsigned n = 1 + dice_below(one_in(4) ? 9 : 3);

	out_c(&w->o, "events:");
	for (unsigned i = 0; i < n; i++)
		out_printf(&w->o, " %s",
			   odd_now(w) ? PICK("Ir", "x", "\r", "Ir\rDr")
				      : ((const char *const[]){
						"Ir", "Dr", "Dw", "I1mr", "D1mr", "D1mw",
						"ILmr", "DLmr", "DLmw", "Bc",
						"Bcm"})[(i + (one_in(6) ? 1 : 0)) % 11]);
	w->ncols = n;
	end_line(w);
}

static void write_header(struct writer *w, bool first)
{
	if (first || one_in(4))
		out_c(&w->o, "# callgrind format\nversion: 1\n");
	if (first || one_in(4))
		out_printf(&w->o, "creator: %s\npid: 12\ncmd:  ./x\n",
			   one_in(3) ? "yappi" : "callgrind-3.19.0");
	if (w->file)
		out_printf(&w->o, "part: %u\n", w->file);
	else if (!first || one_in(2))
		out_printf(&w->o, "part: %u\n", dice_below(9));
	if (one_in(4))
		out_c(&w->o, "desc: I1 cache: \ndesc: Trigger: Program termination\n");
	if (w->endless && one_in(4))
		out_printf(&w->o, "#%*s\n", long_line(), "far");
	if (first || one_in(3))
		write_positions(w);
	if (one_in(6))
		out_c(&w->o, "event: X = Ir + 2 Dr : Sum\n");
	if (first || one_in(2))
		write_events(w);
	if (one_in(3))
		out_c(&w->o, PICK("summary: 1 2\n", "summary 4\n", "totals: 5\n",
				  "summary: -1\n"));
}

/* Instructions of a basic block: all cost the same. */
static void write_basic_block(struct writer *w)
{
	unsigned digits = 1 + dice_below(one_in(4) ? 20 : 4);
	char cost[21] = "";

	for (unsigned i = 0; i < digits; i++)
		cost[i] = (char)('0' + (one_in(2) ? 0 : dice_below(10)));
	for (unsigned n = 2 + dice_below(12); n; n--) {
		if (odd_now(w))
			write_cost_line(w);
		for (unsigned i = 0; i < w->nsub; i++) {
			write_position(w);
			out_c(&w->o, " ");
		}
		out_c(&w->o, cost);
		end_line(w);
	}
}

static void write_line(struct writer *w)
{
	switch (dice_below(w->odd ? 24 : 20)) {
	case 0:
	case 1: write_basic_block(w); break;
	default: write_cost_line(w); break;
	case 8:
	case 9:
	case 10:
		if (w->long_blocks && !one_in(20))
			break;
		if (w->room && one_in(3))
			write_room(w);
		if (one_in(3))
			write_name(w, "fl=");
		write_name(w, "fn=");
		if (w->any_fl && one_in(9))
			write_name(w, "fl=");
		break;
	case 11: write_name(w, w->any_fl ? "fl=" : PICK("fi=", "fe=")); break;
	case 12: write_name(w, "ob="); break;
	case 13:
	case 14:
	case 15: write_call(w); break;
	case 16:
		if (w->jumps)
			write_jump(w);
		break;
	case 17:
		if (one_in(6))
			write_header(w, false);
		break;
	case 18:
		if (one_in(20))
			out_c(&w->o, "totals: 12\n");
		break;
	case 20:
		out_c(&w->o, PICK("what is this\n", "rec=1\n", "fn = f\n", "FN=f\n",
				  "bb=3\n", "cfni=f\n", "cfni=f\n", "cfni=g h\n",
				  "cfni=(3)\n", "cfni=???\n", "frfn=(1)\n", "ln=3\n",
				  ".\n", "\001\n", "fn\n", "events\n", "jfi=\n", "cob=\n",
				  "fl=\n", "ob=\n", "cfi=\n", "cfn=\n"));
		break;
	case 21:
		if (one_in(10)) {
			out_c(&w->o, "==== NEW PROFILING FILE ====\n");
			w->nsub = 1;
			memset(w->defined, 0, sizeof(w->defined));
			if (!one_in(4))
				write_header(w, true);
		}
		break;
	case 22:
		if (one_in(6))
			out_c(&w->o, PICK("desc: Files compared: a b\n", "thread: 2\n",
					  "version: 1\n", "totals: 1\npart: 3\n",
					  "pid:1\n", "positions: line\n"));
		break;
	}
}

/* All digits of all last numbers become the same one. */
static void cost_alike(char *p, size_t n)
{
	char digit = (char)('1' + dice_below(9));

	for (size_t i = n; i-- > 0;) {
		if (p[i] != '\n')
			continue;
		for (; i > 0 && p[i - 1] >= '0' && p[i - 1] <= '9'; i--)
			p[i - 1] = digit;
	}
}

/* Bytes [at, at + n) come again so many times. */
static void write_again(struct out *o, size_t at, size_t n, unsigned times)
{
	for (; times; times--)
		for (size_t i = 0; i < n; i++)
			out_char(o, o->buf[at + i]);
	if (o->n && o->buf[o->n - 1] != '\n')
		out_c(o, "\n");
}

/* One digit in `every` becomes another one. */
static void new_digits(char *p, size_t n, unsigned every)
{
	for (size_t i = 0; i < n; i++)
		if (p[i] >= '1' && p[i] <= '9' && one_in(every))
			p[i] = (char)('0' + dice_below(10));
}

/* What was written before comes again, with other numbers: an activation. */
static void repeat(struct writer *w)
{
	size_t n = 1 + dice_below(one_in(3) ? 4000 : 300), at, from = w->o.n;

	if (w->o.n < 60)
		return;
	n = n < w->o.n ? n : w->o.n - 1;
	at = dice_below((unsigned)(w->o.n - n));
	while (at && w->o.buf[at - 1] != '\n')
		at--;
	write_again(&w->o, at, n, 1 + dice_below(n < 300 && one_in(9) ? 60 : 4));
	if (one_in(2))
		cost_alike(w->o.buf + from, w->o.n - from);
	new_digits(w->o.buf + from, w->o.n - from, 40);
}

/* ---- blocks that are activations (Xdebug), in an order that comes again ---- */

enum { BLOCKS = 8, PHRASES = 4, PHRASE = 10 };

struct blocks {
	size_t at[BLOCKS], n[BLOCKS]; /* of the text */
	unsigned phrase[PHRASES][PHRASE];
};

static void write_block(struct writer *w)
{
	if (!one_in(4))
		out_c(&w->o, "\n");
	if (one_in(12))
		write_name(w, "ob=");
	if (!one_in(5))
		write_name(w, "fl=");
	write_name(w, "fn=");
	if (odd_now(w))
		write_name(w, "fl=");
	if (!one_in(5))
		write_cost_line(w);
	for (unsigned n = dice_below(5); n; n--) {
		if (one_in(6))
			write_cost_line(w);
		if (!one_in(8)) {
			if (!one_in(4))
				write_name(w, "cfl=");
			write_name(w, "cfn=");
			out_c(&w->o, "calls=1 0 0\n");
			write_cost_line(w);
		} else {
			write_call(w);
		}
	}
}

/* The line p[0..n), but its costs, the last numbers of a line of costs, are others. */
static void write_line_again(struct writer *w, const char *p, size_t n)
{
	size_t keep = n;

	if (n && (*p == '+' || *p == '*' || (*p >= '0' && *p <= '9')))
		for (unsigned i = 0; i < w->ncols && keep; i++)
			while (keep && p[--keep] != ' ')
				;
	for (size_t i = 0; i < keep; i++)
		out_char(&w->o, p[i]);
	if (keep && keep < n)
		for (unsigned i = 0; i < w->ncols; i++) {
			out_c(&w->o, " ");
			if (one_in(w->huge ? 20 : 200))
				write_number(w);
			else
				out_u64(&w->o,
					dice_u64() >> (one_in(9) ? 30 + dice_below(34)
								 : 54 + dice_below(10)));
		}
	out_c(&w->o, "\n");
}

static void write_block_again(struct writer *w, size_t at, size_t n)
{
	size_t end = at + n;

	while (at < end) {
		size_t line = at;

		while (at < end && w->o.buf[at] != '\n')
			at++;
		/* The text moves as it grows. */
		char *copy = strndup(w->o.buf + line, at - line);

		if (!copy)
			abort();
		write_line_again(w, copy, strlen(copy));
		free(copy);
		at++;
	}
}

static void write_activations(struct writer *w)
{
	struct blocks b;

	for (unsigned i = 0; i < BLOCKS; i++) {
		b.at[i] = w->o.n;
		write_block(w);
		b.n[i] = w->o.n - b.at[i];
	}
	for (unsigned i = 0; i < PHRASES * PHRASE; i++)
		b.phrase[i / PHRASE][i % PHRASE] = dice_below(BLOCKS);
	for (unsigned n = 3 + dice_below(40); n && w->o.n < 60000; n--) {
		const unsigned *phrase = b.phrase[dice_below(PHRASES)];

		for (unsigned i = 0; i < PHRASE; i++) {
			unsigned k = one_in(40) ? dice_below(BLOCKS) : phrase[i];

			write_block_again(w, b.at[k], b.n[k]);
			if (one_in(60))
				write_line(w);
		}
	}
}

/* All of it comes again, as further parts, mostly with other costs. */
static void repeat_parts(struct writer *w)
{
	size_t n = w->o.n, most = 60000 / (n + 1);

	for (unsigned parts = 1 + dice_below(most < 6 ? (unsigned)most + 1 : 6); parts;
	     parts--) {
		size_t from = w->o.n;

		write_again(&w->o, 0, n, 1);
		if (!one_in(4))
			new_digits(w->o.buf + from, w->o.n - from, 10 + dice_below(400));
	}
}

static void begin_profile(struct writer *w, unsigned file)
{
	*w = (struct writer){.odd = one_in(3) ? 0 : 1 + dice_below(one_in(3) ? 400 : 40),
			     .nsub = 1,
			     .ncols = 1,
			     .names = one_in(4) ? NAMES : 7,
			     .file = file,
			     .crlf = one_in(6),
			     .compressed = !one_in(3),
			     .jumps = one_in(2),
			     .repeats = one_in(2),
			     .room = !one_in(3),
			     .hex = one_in(3),
			     .huge = one_in(12),
			     .long_blocks = one_in(4),
			     .endless = one_in(100),
			     .lone = one_in(20),
			     .any_fl = one_in(8),
			     .first_id = one_in(6) ? dice_u64() >> dice_below(64) : 1};
	/* Files can be added to an index that says all there is to say. */
	if (file && !one_in(3)) {
		w->odd = one_in(2) ? 0 : 300;
		w->huge = false;
		w->whole = true;
		w->names = 7;
	}
	out_mem(&w->o);
}

static void write_profile(struct writer *w)
{
	unsigned lines;

	lines = dice_below(one_in(40) && !w->endless ? 3000 : 60);
	if (w->odd && !w->file && one_in(30))
		write_line(w);
	write_header(w, true);
	if (one_in(6)) {
		if (one_in(2)) {
			out_c(&w->o, "events: Ir Dr\n");
			w->ncols = 2;
		}
		write_activations(w);
	}
	for (unsigned i = 0; i < lines; i++) {
		write_line(w);
		if (w->repeats && one_in(12) && w->o.n < 30000)
			repeat(w);
	}
	if (one_in(8))
		repeat_parts(w);
	if (w->odd && one_in(5) && w->o.n)
		w->o.n -= 1 + dice_below(w->o.n < 9 ? 1 : 8);
	else if (w->room)
		write_room(w);
}

struct out any_profile(uint64_t seed, unsigned file)
{
	struct writer w;

	if (seed)
		dice_state = seed;
	begin_profile(&w, file);
	write_profile(&w);
	return w.o;
}
