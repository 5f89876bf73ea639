/*
 * table_test.c - what table.c says when it is asked for what it does not have.  A query cannot:
 * check.c looks columns up before; but it reckons with columns of its own.
 */
#include "engine/rows/table.h"

#include "engine/check/check.h"
#include "engine/rows/exec.h"
#include "index/base/arena.h"
#include "index/base/err_struct.h"
#include "index/base/err_kind.h"
#include "index/base/map.h"
#include "tests/support/tap.h"

struct asked {
	struct table *t;
	struct table_col *c;
};

static int ask(void *arg)
{
	struct asked *to = arg;

	table_column(to->t, STR("nosuch"), 0, false, &to->c);
	return 0;
}

static void test_no_column(void)
{
	struct err err = {0};
	struct check_env env = {0};
	struct arena a;
	const struct exec_open open = {0};
	struct exec x = {.a = &a, .err = &err, .open = &open, .env = &env};
	struct table t = {.x = &x};
	struct asked to = {.t = &t};

	arena_init(&a, 0);
	is_u64((uint64_t)map_guard(ask, &to, ERR_INDEX, &err), ERR_QUERY,
	       "a column that is not there");
	is_str(err.text, "this table has no column 'nosuch'", "  is named");
	ok(!to.c && t.ncols == 0, "  and is not made");
	arena_free(&a);
}

int main(void)
{
	test_no_column();
	return done_testing();
}
