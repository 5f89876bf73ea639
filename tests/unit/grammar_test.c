/* grammar_test.c - the texts that the fuzzer's grammar makes do parse, and reach all of it. */
#include "index/base/arena.h"
#include "index/base/err_struct.h"
#include "index/base/out.h"
#include "tests/support/grammar.h"

#include <stdlib.h>

#include "engine/lang/parse.h"
#include "engine/lang/keywords.h"
#include "tests/support/dice.h"
#include "tests/support/tap.h"

enum { TEXTS = 4000, BYTES = 120, SHOWN = 3 };

/* Verbs and stages by kind, in any text. */
static bool source_met[64], stage_met[64], gstage_met[64];

static void meet(const struct stmt *s)
{
	for (; s; s = s->next) {
		if (s->is_let)
			continue;
		source_met[s->query.source.kind] = true;
		for (const struct tstage *t = s->query.tstages; t; t = t->next)
			stage_met[t->kind] = true;
		for (const struct gstage *g = s->query.gstages; g; g = g->next)
			gstage_met[g->kind] = true;
	}
}

static bool parses(struct str text, unsigned *shown)
{
	static const struct parse_limits limits = {.text_bytes = 64 << 10,
						   .nesting = 200};
	struct stmt *stmt = NULL;
	struct err err = {0};
	struct arena a;
	bool parsed;

	arena_init(&a, 0);
	parsed = parse_text(text, &limits, &a, &stmt, &err) == 0;
	if (parsed)
		meet(stmt);
	else if ((*shown)++ < SHOWN)
		printf("# %s: %.*s\n", err.text, (int)str_find(text, '\n'), text.p);
	arena_free(&a);
	return parsed;
}

static void most_parse(void)
{
	unsigned parsed = 0, shown = 0;
	uint8_t bytes[BYTES];
	struct out o;

	for (unsigned i = 0; i < TEXTS; i++) {
		size_t n = 1 + dice_below(BYTES);

		for (size_t k = 0; k < n; k++)
			bytes[k] = (uint8_t)dice_below(256);
		out_mem(&o);
		grammar_text(bytes, n, &o);
		parsed += parses((struct str){o.buf, o.n}, &shown);
		out_close(&o);
	}
	printf("# %u of %u texts parse\n", parsed, (unsigned)TEXTS);
	ok(parsed >= TEXTS / 100 * 80, "at least 80 of 100 texts parse");
	ok(parsed < TEXTS, "some do not");
}

static void all_met(void)
{
	for (size_t i = 0; i < verbs_n; i++)
		ok(source_met[verbs[i].kind], "a source: %s", verbs[i].word);
	for (size_t i = 0; i < stage_words_n; i++)
		ok((stage_words[i].graph ? gstage_met : stage_met)[stage_words[i].kind],
		   "a stage: %s", stage_words[i].word);
}

static void no_bytes(void)
{
	unsigned shown = 0;
	struct out o;

	out_mem(&o);
	grammar_text(NULL, 0, &o);
	ok(o.n && parses((struct str){o.buf, o.n}, &shown), "no bytes are a query, too");
	out_close(&o);
}

int main(void)
{
	no_bytes();
	most_parse();
	all_met();
	return done_testing();
}
