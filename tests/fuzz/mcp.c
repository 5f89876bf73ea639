/*
 * mcp.c - fuzz what a client of --mcp sends: any bytes, in pieces of any length.
 *
 * The first byte is the length of the pieces.  Between two of them a call that waits may
 * run: its answer is made up, since queries have a target of their own (query.c).  All
 * that goes to the client is read back: lines, each a message of JSON-RPC.
 */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "engine/query.h"
#include "tests/support/fuzzing.h"

#ifdef HAVE_JANSSON

#include <jansson.h>

#include "repl/mcp/server.h"

static void check(bool holds, const char *what, struct str line)
{
	if (holds)
		return;
	fprintf(stderr, "%s: %.*s\n", what, (int)line.n, line.p);
	abort();
}

static void check_line(struct str line)
{
	json_t *m = json_loadb(line.p, line.n, JSON_REJECT_DUPLICATES, NULL);
	const char *version = json_string_value(json_object_get(m, "jsonrpc"));
	const bool result = json_object_get(m, "result") != NULL;
	const bool error = json_object_get(m, "error") != NULL;
	const json_t *id = json_object_get(m, "id");

	check(json_is_object(m), "no JSON", line);
	check(version && strcmp(version, "2.0") == 0, "no version", line);
	if (json_object_get(m, "method"))
		check(!id && !result && !error, "no notification", line);
	else
		check(id && result != error && (error || !json_is_null(id)), "no answer",
		      line);
	json_decref(m);
}

static void check_output(struct str all)
{
	for (size_t n; all.n; all = str_from(all, n + 1)) {
		n = str_find(all, '\n');
		check(n < all.n, "no end of line", all);
		check_line((struct str){all.p, n});
	}
}

static void run_waiting(struct server *s)
{
	struct tool_call *c = server_start(s);

	if (!c)
		return;
	server_progress(s, 0);
	out_c(&c->answers, c->query);
	c->failed = strlen(c->query) % 2;
	atomic_store(&c->total, strlen(c->query) % 3);
	server_progress(s, 1);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static atomic_int cancel;
	struct out to;
	struct server s = {.to = &to, .cancel = &cancel};
	const size_t piece = size ? data[0] + 1u : 1;

	json_object_seed(1);
	out_mem(&to);
	for (size_t at = 1, n; at < size; at += n) {
		n = size - at < piece ? size - at : piece;
		server_feed(&s, (const char *)data + at, n);
		if (s.running && data[at] % 2)
			server_done(&s);
		run_waiting(&s);
	}
	while (s.n) {
		run_waiting(&s);
		server_done(&s);
	}
	server_free(&s);
	check_output((struct str){to.n ? to.buf : "", to.n});
	out_close(&to);
	return 0;
}

#else

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	(void)data, (void)size;
	return 0;
}

#endif
