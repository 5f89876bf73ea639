/* err_test.c - the first error wins, whole: kind, place, sentence and hint. */
#include "index/base/err.h"

#include <errno.h>

#include "tests/support/tap.h"

static void test_first_wins(void)
{
	struct err err = {0};

	is_u64((uint64_t)err_set(&err, ERR_QUERY, 7, "no event '%s'", "D1Mr"), ERR_QUERY,
	       "set");
	is_u64((uint64_t)err_set(&err, ERR_LIMIT, 9, "later"), ERR_QUERY,
	       "the first kind stays");
	is_u64((uint64_t)err_hint(&err, "a hint of the later one"), ERR_QUERY,
	       "hint's kind");
	is_str(err.text, "no event 'D1Mr'", "the first sentence stays");
	is_u64(err.at, 7, "the first place stays");
	is_str(err.hint, "", "a hint for an error that lost is dropped");

	err_clear(&err);
	is_u64(err.kind, ERR_NONE, "cleared");
	err_set(&err, ERR_QUERY, 0, "no event");
	err_hint(&err, "did you mean '%s'?", "D1mr");
	err_hint(&err, "another");
	err_set(&err, ERR_LIMIT, 0, "later");
	is_str(err.hint, "did you mean 'D1mr'?", "the first hint stays");
	err_clear(&err);
	err_set(&err, ERR_LIMIT, 0, "new");
	err_hint(&err, "new hint");
	is_str(err.hint, "new hint", "a cleared error takes a new hint");
}

static void test_long(void)
{
	struct err err = {0};

	err_set(&err, ERR_PROFILE, 0, "%05000d: the reason.", 1);
	is_u64(strlen(err.text), sizeof(err.text) - 1, "a long sentence is cut");
	is_str(err.text + sizeof(err.text) - 8, "reason.", "in the middle");
	err_hint(&err, "%05000d", 1);
	is_u64(strlen(err.hint), sizeof(err.hint) - 1, "a long hint is cut");
}

static void test_no_memory(void)
{
	struct err err = {0};

	is_u64((uint64_t)err_no_memory(&err, NULL), ERR_LIMIT, "no memory: a limit");
	is_str(err.text, "out of memory", "without what was done");
	err_clear(&err);
	err_no_memory(&err, "while reading");
	is_str(err.text, "out of memory while reading", "with what was done");
}

static void test_status(void)
{
	static const struct {
		int kind;
		int want;
	} cases[] = {
		{ERR_NONE, 0},	 {ERR_USAGE, 2},    {ERR_QUERY, 1},  {ERR_PROFILE, 3},
		{ERR_EXPECT, 4}, {ERR_INDEX, 5},    {ERR_LOCKED, 5}, {ERR_STALE, 5},
		{ERR_LIMIT, 6},	 {ERR_CANCEL, 130}, {ERR_OUTPUT, 1},
	};

	for (size_t i = 0; i < COUNT(cases); i++)
		is_u64((uint64_t)err_exit_status(cases[i].kind), (uint64_t)cases[i].want,
		       "exit status of kind %d", (int)cases[i].kind);
}

static void test_errno(void)
{
	is_u64(err_kind_of(ENOMEM, ERR_PROFILE), ERR_LIMIT, "want of memory is a limit");
	is_u64(err_kind_of(ENOENT, ERR_PROFILE), ERR_PROFILE,
	       "a missing file is what it was");
	is_u64(err_kind_of(0, ERR_INDEX), ERR_INDEX, "no errno: as it was");
}

int main(void)
{
	test_first_wins();
	test_long();
	test_no_memory();
	test_status();
	test_errno();
	return done_testing();
}
