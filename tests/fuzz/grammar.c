/*
 * grammar.c - fuzz queries that parse: bytes choose productions of the language's grammar.
 *
 * The first byte chooses the profile and the format of the answers, as in query.c, the others
 * what is asked (support/grammar.h).  A word list gets few texts past the parser; here nearly all
 * of them come to what is checked and run: rows, or a named error whose place lies in the text.
 *
 *	QUERN_SHOW=1 build/release/fuzz/grammar FILE	the text of FILE, and the kind of error
 */
#include <stdio.h>
#include <stdlib.h>

#include "engine/query.h"
#include "index/base/out.h"
#include "tests/support/fuzzing.h"
#include "tests/support/grammar.h"

static struct fuzz_profile profiles[] = {
	{.name = "tmpl-cachebranch.out"},	{.name = "lua-instr-jumps.out"},
	{.name = "thr-septhreads-combine.out"}, {.name = "mutual-recs3.out"},
	{.name = "xdebug-small.out"},
};
enum { PROFILES = sizeof(profiles) / sizeof(profiles[0]) };

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	bool shown = getenv("QUERN_SHOW") != NULL;
	unsigned format;
	struct out o;
	int kind;

	if (size == 0)
		return 0;
	format = data[0] / PROFILES; /* mostly none: to write is what takes longest */
	out_mem(&o);
	grammar_text(data + 1, size - 1, &o);
	if (shown)
		printf("%.*s\n", (int)o.n, o.buf);
	fflush(stdout);
	kind = fuzz_text(&profiles[data[0] % PROFILES], (struct str){o.buf, o.n},
			 format >= FORMAT_END ? FORMAT_NONE : (enum format)format);
	if (shown)
		printf("# error %d\n", kind);
	out_close(&o);
	return 0;
}
