/*
 * query.c - fuzz the query language: any bytes are a query to a real profile.
 *
 * The first byte chooses among profiles of callgrind (plain; jumps and instructions; parts of
 * several threads; recursion) and Xdebug, and the format of the answers.  Whatever is asked, the
 * answer is rows or a named error whose place lies in the text; the text can be explained and
 * completed.
 */
#include "engine/query.h"
#include "tests/support/fuzzing.h"

static struct fuzz_profile profiles[] = {
	{.name = "mutual-default.out"},		{.name = "lua-instr-jumps.out"},
	{.name = "thr-septhreads-combine.out"}, {.name = "mutual-recs3.out"},
	{.name = "xdebug-small.out"},
};
enum { PROFILES = sizeof(profiles) / sizeof(profiles[0]) };

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	if (size == 0)
		return 0;
	fuzz_text(&profiles[data[0] % PROFILES],
		  (struct str){(const char *)data + 1, size - 1},
		  (enum format)(data[0] / PROFILES % FORMAT_END));
	return 0;
}
