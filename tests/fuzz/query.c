/*
 * query.c - fuzz the query language: any bytes are a query to a real profile.
 *
 * The first byte chooses among profiles of callgrind (plain; jumps and instructions; parts of
 * several threads; recursion) and Xdebug, and the format of the answers.  Whatever is asked, the
 * answer is rows or a named error whose place lies in the text; the text can be explained and
 * completed.
 */
#include "engine/query.h"

#include <stdio.h>

#include "index/build.h"
#include "tests/support/fuzzing.h"

static const char *const profiles[] = {
	"mutual-default.out", "lua-instr-jumps.out", "thr-septhreads-combine.out",
	"mutual-recs3.out",   "xdebug-small.out",
};
enum { PROFILES = sizeof(profiles) / sizeof(profiles[0]) };

static struct store *open_profile(const char *name)
{
	struct build_opts opts = {.no_write = true, .jobs = 1};
	struct build_report report = {0};
	struct err err = {0};
	struct store *st;
	char path[200];

	fuzz_directory();
	snprintf(path, sizeof(path), "tests/fixtures/small/%s", name);
	if (build_open(path, &opts, &st, &report, &err))
		fuzz_fail("%s", err.text);
	return st;
}

/* Of this input alone: lets and the last answer, `_`, stay in a session. */
static struct session *session_of(unsigned i)
{
	static struct store *open[PROFILES], *other;
	struct session *s;
	struct err err = {0};

	if (!other)
		other = open_profile("mutual-callers3.out");
	if (!open[i])
		open[i] = open_profile(profiles[i]);
	s = fuzz_session(open[i]);
	session_set_safe(s, true);
	if (session_add(s, STR("other"), other, &err))
		fuzz_fail("%s", err.text);
	return s;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct query_context context;
	struct session *s;
	struct err err = {0};
	struct str text, out, *names;
	struct arena a;
	size_t n;

	if (size == 0)
		return 0;
	s = session_of(data[0] % PROFILES);
	text = (struct str){(const char *)data + 1, size - 1};
	fuzz_begin();
	fuzz_ask(s, text, (enum format)(data[0] / PROFILES % (FORMAT_PPROF + 1)), NULL);
	arena_init(&a, 0);
	query_explain(s, text, &a, &out, &err);
	if (err.kind == ERR_QUERY && (err.at > text.n || !err.text[0]))
		fuzz_fail("explained with an error at byte %zu", (size_t)err.at);
	query_incomplete(text);
	query_context(s, text, &context);
	if (context.word_at > text.n)
		fuzz_fail("the word starts at byte %zu of %zu", context.word_at, text.n);
	err = (struct err){0};
	query_complete_function(s, str_from(text, context.word_at), 10, &a, &names, &n,
				&err);
	arena_free(&a);
	session_free(s);
	fuzz_end();
	return 0;
}
