/*
 * forged.c - fuzz the reading of an index whose checksums are right: a sound one is changed
 * number by number, opened, asked, verified and added to (forger.h).
 */
#include "engine/query.h"
#include "tests/support/forger.h"
#include "tests/support/fuzzing.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	forger_begin();
	fuzz_begin();
	forger_run(data, size);
	fuzz_end();
	return 0;
}
