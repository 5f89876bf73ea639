/* check_test.c - names are looked up and typed without any profile. */
#include "engine/check/check.h"

#include "engine/check/check_in.h"
#include "engine/lang/ast.h"
#include "index/base/arena.h"
#include "index/base/err_struct.h"
#include "index/base/err_kind.h"
#include "tests/support/tap.h"

static const struct unit units[3];
static const struct str events[] = {{"Ir", 2}, {"Dr", 2}, {"D1mr", 4}};
static const struct str profiles[] = {{"new", 3}, {"base", 4}};
static const struct parse_value lets[] = {
	{{"Miss", 4}, {"D1mr / Dr", 9}, true, 0},
	{{"Loop", 4}, {"Loop + 1", 8}, true, 0},
	{{"hot", 3}, {"main", 4}, false, 0},
};
static const struct check_env env = {
	.events = events,
	.units = units,
	.nevents = 3,
	.profiles = profiles,
	.nprofiles = 2,
	.event_scope = "this profile",
	.limits = {.text_bytes = 64 << 10, .nesting = 200, .values = lets, .nvalues = 3},
};

static const struct {
	const char *text;
	uint64_t event;	   /* of unqualified costs */
	const char *error; /* NULL: none */
} table[] = {
	{"top", 0, NULL},
	{"top by D1mr", 2, NULL},
	{"top by incl.D1mr", 0, NULL},
	{"top by Miss", 0, NULL},
	{"functions | sort Dr", 1, NULL},
	{"functions | where self > 1 | sort Dr", 0, NULL},
	{"functions by D1mr | where self > incl.Ir", 2, NULL},
	{"callers of x by Dr", 1, NULL},
	{"functions | sort incl.Miss", 0, NULL},
	{"functions | where self > 5% and self% < 9", 0, NULL},
	{"functions | where fn in $hot", 0, NULL},
	{"functions | group by file: sum(self) as s, count | sort s | where count > 1", 0,
	 NULL},
	{"functions | group by file | sort self | where calls > 1", 0, NULL},
	{"functions | add x = self / 2 | sort x | where x > 1.5", 0, NULL},
	{"functions | count | where count > 1", 0, NULL},
	{"functions vs base | sort delta | where delta% > 5 or base = 0", 0, NULL},
	{"functions vs base | where base.D1mr > delta.Dr", 0, NULL},
	{"top by Dmr", 0, "no event 'Dmr'; this profile has Ir Dr D1mr"},
	{"functions | sort Loop", 0, "'Loop' is defined by itself"},
	{"functions | count | where self > 1", 0, "no column 'self'; there are: count"},
	{"functions | where fn in $cold", 0, "nothing is called $cold"},
	{"functions of $cold", 0, "nothing is called $cold"},
	{"functions vs bass", 0,
	 "no profile is open under the name 'bass'; open: new base"},
	{"path from a to b vs base", 0, "'path' cannot be compared with another profile"},
	{"functions | where delta > 1", 0,
	 "no column 'delta'; there are: id self self% cum% incl incl% calls fn file:line file "
	 "line obj cycle recursive contribution incoming short lo hi estimated inexact class dir "
	 "layer fn_id passed passed_most usual slowest calls_only"},
	{"functions | where calls > 5%", 0, "a percentage compares with a cost column"},
	{"functions | group by file: avg(fn)", 0,
	 "a number is wanted here; this is text"},
	{"functions | sort fn + 1", 0, "a number is wanted here; this is text"},
	{"functions | where not self", 0, "a condition is wanted here; this is a number"},
	{"_ | take 1", 0, "there is no result yet for '_'"},
};

/* What was said first stays, with its place: want of memory is no error of the query. */
static void test_first_error(void)
{
	struct err err = {.kind = ERR_LIMIT, .text = "out of memory"};
	struct schema s = {.env = &env, .err = &err};

	check_wrong(&s, (struct span){9, 4}, "no column");
	is_u64((uint64_t)err.kind, ERR_LIMIT, "an error behind want of memory");
	ok(strcmp(err.text, "out of memory") == 0 && err.len == 0, "  which stays");
}

int main(void)
{
	test_first_error();
	for (size_t i = 0; i < COUNT(table); i++) {
		struct arena a;
		struct err err = {0};
		struct stmt *s = NULL;
		uint32_t event = 99;

		arena_init(&a, 1 << 20);
		if (!parse_text(str_c(table[i].text), &env.limits, &a, &s, &err) &&
		    !check_query(&env, &s->query, &a, &event, &err))
			is_u64(event, table[i].event, "event of %s", table[i].text);
		is_str(err.kind ? err.text : NULL, table[i].error, "%s", table[i].text);
		arena_free(&a);
	}
	return done_testing();
}
