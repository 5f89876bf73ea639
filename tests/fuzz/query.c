/*
 * query.c - fuzz the query language: any bytes are a query to a small profile.
 *
 * Whatever is asked, the answer is rows or a named error whose place lies in the text.
 */
#include "engine/query.h"

#include <stdio.h>
#include <stdlib.h>

#include "index/build.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static struct session *session;

static void start(void)
{
	struct build_opts opts = {.no_write = true};
	struct build_report report = {0};
	struct session_limits limits = {.seconds = 4, .arena_bytes = 256 << 20};
	struct err err = {0};
	struct store *st;

	if (build_open("tests/fixtures/small/mutual-default.out", &opts, &st, &report,
		       &err) ||
	    session_new(&session, &err) || session_add(session, STR("base"), st, &err)) {
		fprintf(stderr, "%s\n", err.text);
		abort();
	}
	session_set_limits(session, &limits);
}

static int sink(void *arg, const struct result *r, struct err *err)
{
	(void)arg, (void)err;
	for (size_t c = 0; c < r->ncols; c++)
		if (r->rows && !r->cols[c].u)
			abort();
	return 0;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct str text = {(const char *)data, size}, out;
	struct query_context context;
	struct err err = {0};
	struct arena a;

	if (!session)
		start();
	arena_init(&a, 0);
	query_run(session, text, &a, sink, NULL, &err);
	if (err.kind == ERR_QUERY && (err.at > size || !err.text[0]))
		abort();
	err_clear(&err);
	query_explain(session, text, &a, &out, &err);
	query_incomplete(text);
	query_context(session, text, &context);
	if (context.word_at > size)
		abort();
	arena_free(&a);
	return 0;
}
