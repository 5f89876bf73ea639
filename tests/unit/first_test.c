/*
 * first_test.c - first blocks of functions in all their forms, against the simple reader
 * (tests/support/naive.h): first.h takes them straight from the text.
 *
 *	first_test [SEED [N]]
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "index/base/err_struct.h"
#include "index/base/hash.h"
#include "index/base/out.h"
#include "index/store/store.h"
#include "tests/support/derived.h"
#include "tests/support/naive.h"
#include "tests/support/tap.h"

enum { IDS = 40, FAR_IDS = 8 };

static uint64_t state;
static bool named[3][IDS]; /* files, functions, objects */
static unsigned nsub, ncols;
static bool instr;     /* the only position is one */
static bool plain;     /* names have no ids */
static char rest[600]; /* of the last run's lines, behind their first position */

static unsigned pick(unsigned n)
{
	state = hash_mix(state + 0x9e3779b97f4a7c15);
	return (unsigned)(state % n);
}

#define ONE_OF(...)                               \
	((const char *const[]){__VA_ARGS__}[pick( \
		sizeof((const char *const[]){__VA_ARGS__}) / sizeof(char *))])

/* "(12) f12", or "(12)" when that was said; without ids "f12". */
static void put_name(struct out *o, unsigned space, unsigned id)
{
	/* Some ids are far from the others. */
	const unsigned number = id < IDS - FAR_IDS ? id : 16000 + 700 * id;

	if (pick(40) < (plain ? 39 : 1)) {
		out_printf(
			o, "%c%u%s\n", "afo"[space], number,
			ONE_OF("", "", "", "", "", " b", " ", "\r", "'2", " (7)", "\t"));
		return;
	}
	out_printf(o, "(%u)", number);
	if (!named[space][id] || pick(30) == 0)
		out_printf(o, " %c%u%s", "afo"[space], number, pick(60) ? "" : "'2");
	named[space][id] = true;
	out_c(o, "\n");
}

static const char *first_position(void)
{
	return ONE_OF("+1", "+3", "+9", "+10", "+62", "+63", "+64", "+200", "*", "-2",
		      "+0", "0x401000", "0x7fff5fbff8c0", "4096", "+3", "+4", "+5",
		      "0xAbCdEf", "0xfffffff0", "0x0");
}

static const char *second_position(void)
{
	return ONE_OF("0", "0", "0", "*", "+0", "+1", "+3", "-1", "7", "70", "1234567");
}

static const char *cost(void)
{
	return ONE_OF("1", "1", "1", "2", "9", "10", "99", "127", "128", "130", "1000",
		      "99999", "0", "0", "0", "99999", "999991", "12345678",
		      "1234567890123");
}

static void put_positions(struct out *o)
{
	out_c(o, nsub == 2 || instr ? first_position() : second_position());
	if (nsub == 2)
		out_printf(o, " %s", second_position());
}

/* Most profiles of many columns have few of them in a line. */
static unsigned some_columns(void)
{
	return ncols > 2 && pick(4) ? 1 + pick(ncols) : ncols;
}

static void put_costs(struct out *o)
{
	for (unsigned i = 0, n = some_columns(); i < n; i++)
		if (i == 0 || pick(20))
			out_printf(o, " %s", cost());
	out_c(o, pick(80) ? "\n" : " \n");
}

/* Lines like each other, and often like those of the run before. */
static void put_run(struct out *o)
{
	const unsigned n = 1 + pick(6);
	int at = 0;

	if (!rest[0] || pick(2)) {
		if (nsub == 2)
			at = snprintf(rest, sizeof(rest), " %s", second_position());
		for (unsigned i = 0, k = some_columns(); i < k; i++)
			at += snprintf(rest + at, sizeof(rest) - (size_t)at, " %s",
				       cost());
	}
	for (unsigned i = 0; i < n; i++)
		out_printf(o, "+%u%s\n", 1 + pick(pick(4) ? 9 : 70), rest);
	if (pick(60) == 0)
		out_printf(o, "%s%s\n", ONE_OF("+:", "+/", "-3", "* 3"), rest);
}

static void put_jump(struct out *o)
{
	if (pick(3) == 0) {
		out_c(o, "jfi=");
		put_name(o, 0, pick(6));
	}
	if (pick(8) == 0) {
		out_c(o, "jfn=");
		put_name(o, 1, pick(IDS));
	}
	if (pick(60) == 0)
		put_run(o);
	if (pick(3))
		out_printf(o, "jcnd=%s/%s ", cost(), cost());
	else
		out_printf(o, "jump=%s ", cost());
	put_positions(o);
	out_c(o, pick(40) ? " \n" : "\n");
	if (nsub == 2 && pick(2))
		out_c(o, "* 0 \n");
	else {
		put_positions(o);
		out_c(o, " \n");
	}
}

static void put_call(struct out *o)
{
	if (pick(5) == 0) {
		out_c(o, "cob=");
		put_name(o, 2, pick(4));
	}
	if (pick(4) == 0) {
		out_c(o, ONE_OF("cfi=", "cfl="));
		put_name(o, 0, pick(6));
	}
	/* Between what is said of a callee and the callee. */
	if (pick(12) == 0)
		put_run(o);
	if (pick(40)) {
		out_c(o, "cfn=");
		put_name(o, 1, pick(IDS));
	}
	out_printf(o, "calls=%s ", pick(80) ? cost() : "x");
	put_positions(o);
	out_c(o, pick(10) ? " \n" : "\n");
	if (pick(60) == 0)
		return;
	if (nsub == 2 && pick(2))
		out_c(o, ONE_OF("* 0", "* *"));
	else
		put_positions(o);
	put_costs(o);
}

static void put_head(struct out *o)
{
	if (pick(4))
		out_c(o, "\n");
	if (pick(8) == 0) {
		out_c(o, "fl=");
		put_name(o, 0, pick(6));
	}
	out_c(o, "fn=");
	put_name(o, 1, pick(IDS));
	switch (pick(12)) {
	case 0: put_call(o); break;
	case 1: put_head(o); break;
	case 2: out_c(o, "12 abc\n"); break;
	case 3: put_jump(o); break;
	default:
		out_c(o, pick(4) ? "0x40" : "+");
		out_printf(o, "%u%s%s", 1 + pick(9), nsub == 2 ? " " : "",
			   nsub == 2 ? second_position() : "");
		put_costs(o);
	}
}

static void put_profile(struct out *o)
{
	const unsigned n = 60 + pick(200);

	memset(named, 0, sizeof(named));
	rest[0] = '\0';
	nsub = 1 + (pick(3) > 0);
	instr = pick(2);
	plain = pick(4) == 0;
	ncols = (const unsigned[]){1, 1, 1, 2, 2, 3, 9, 13, 32, 33}[pick(10)];
	out_printf(o, "positions:%s%s\nevents: Ir", nsub == 2 || instr ? " instr" : "",
		   nsub == 2 || !instr ? " line" : "");
	for (unsigned i = 1; i < ncols; i++)
		out_printf(o, " E%u", i);
	out_printf(o, "\nob=(1) o1\nfl=(1) a1\nfn=(1) f1\n");
	named[0][1] = named[1][1] = named[2][1] = true;
	for (unsigned i = 0; i < n; i++) {
		const unsigned what = pick(100);

		if (pick(4) == 0) {
			out_c(o, ONE_OF("fi=", "fe="));
			put_name(o, 0, pick(6));
		}
		if (what < 40)
			put_run(o);
		else if (what < 50) {
			put_positions(o);
			put_costs(o);
		} else if (what < 65)
			put_jump(o);
		else if (what < 82)
			put_call(o);
		else if (what < 95)
			put_head(o);
		else if (what < 98) {
			out_c(o, ONE_OF("fi=", "fe="));
			put_name(o, 0, pick(6));
		} else
			out_c(o, ONE_OF("# a comment\n", "odd\n", "ob=(1)\n", "jfi=(1)\n",
					"part: 2\n"));
	}
	out_printf(o, "#%*s\n", 1200, "room to look ahead");
}

/* One more name whose id is far from the others makes an array of all below. */
static void put_far_ids(struct out *o)
{
	out_c(o, "positions: line\nevents: Ir\nfl=(1) a\nfn=(0) f\n1 1\ncfn=(20000) far\n"
		 "calls=1 1\n2 5\nfn= plain\n1 2\nfn=(0)\n3 4\n");
	for (unsigned i = 1; i < 700; i++)
		out_printf(o, "cfn=(%u) g%u\ncalls=1 1\n+1 %u\n", i, i, i);
	out_c(o, "cfn=(20001) farther\ncalls=1 1\n+1 7\ncfn=(20000)\ncalls=1 1\n+1 9\n"
		 "cfn=(0)\ncalls=2 1\n+1 11\nfn=(20000)\n1 3\n");
	out_printf(o, "#%*s\n", 1200, "room to look ahead");
}

/* Its rows are in order, too. */
static void check_order(void *arg, struct store *st)
{
	struct store_verified checked;
	struct err err = {0};

	*(bool *)arg &= !derived_verify(st, &checked, &err);
}

/* Ids that are used and never defined: where they were met first, as text. */
static void list_odd(void *arg, struct store *st)
{
	struct store_diag odd;
	struct out *o = arg;

	for (uint32_t i = 0; i < store_diag_count(st); i++) {
		store_diag(st, i, &odd);
		out_printf(o, "%.*s %" PRIu64 ";", (int)odd.text.n, odd.text.p, odd.line);
	}
}

static void test_undefined(void)
{
	static const char text[] =
		"events: Ir\nfl=(1) a\nfn=(1) main\n16 1\n+1 2\n+1 2\ncfn=(77)\ncalls=1 5\n"
		"+1 9\n+2 3\nfi=(78)\n+1 1\n\nfn=(79)\n3 1\n";
	struct naive_way way = {.jobs = 1, .then = list_odd};
	char why[1400] = "";
	struct out o, got;

	out_mem(&got);
	out_mem(&o);
	out_printf(&o, "%s#%*s\n", text, 1200, "room to look ahead");
	way.arg = &got;
	ok(naive_agree_by(o.buf, o.n, &way, why, sizeof(why)), "ids without a name: %s",
	   why);
	out_char(&got, '\0');
	is_str(got.buf, "(77) 7;(78) 11;(79) 14;", "each on the line where it was met");
	out_close(&o);
	out_close(&got);
}

static bool agree(const char *text, size_t n, const char **how, char *why, size_t size)
{
	bool sound = true;
	const struct naive_named_way ways[] = {
		{"in order", {.jobs = 1, .then = check_order, .arg = &sound}},
		{"in two stretches", {.jobs = 2, .stretch = n / 2 + 1}},
		{"in short stretches",
		 {.jobs = 2, .stretch = 900, .then = check_order, .arg = &sound}},
	};

	return naive_agrees_each(text, n, ways, COUNT(ways), how, why, size) && sound;
}

int main(int argc, char **argv)
{
	const uint64_t seed =
		argc > 1 ? strtoull(argv[1], NULL, 0) : tap_seed(0) * 1000000 + 1;
	const uint64_t n = argc > 2		     ? strtoull(argv[2], NULL, 0)
			   : getenv("QUERN_TORTURE") ? 2000
						     : 150;
	uint64_t wrong = 0;
	const char *how = "";
	char why[1400] = "";
	struct out o;

	for (uint64_t i = seed; i < seed + n; i++) {
		out_mem(&o);
		state = hash_mix(i);
		put_profile(&o);
		if (!agree(o.buf, o.n, &how, why, sizeof(why)) && wrong++ < 3)
			fprintf(stderr, "# profile %" PRIu64 ", %s: %s\n", i, how, why);
		out_close(&o);
	}
	is_u64(wrong, 0, "%" PRIu64 " profiles of first blocks", n);
	out_mem(&o);
	put_far_ids(&o);
	ok(agree(o.buf, o.n, &how, why, sizeof(why)), "ids far apart: %s %s", how, why);
	out_close(&o);
	test_undefined();
	return done_testing();
}
