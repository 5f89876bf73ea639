/* server.c - messages of JSON-RPC 2.0 and of MCP; see server.h. */
#ifdef HAVE_JANSSON

#include "repl/mcp/server.h"

#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "index/base/vec.h"
#include "repl/app/budget.h"
#include "engine/api/quern.h"

enum {
	PARSE = -32700,
	INVALID = -32600,
	NO_METHOD = -32601,
	PARAMS = -32602,
	BUSY = -32000
};

/* jansson loses a byte that it reads, or a key that it writes, if it has no memory for it, and goes
 * on: so each refusal is kept.  JSON is of one thread. */
static bool refused;

static void *take_memory(size_t n)
{
	void *p = malloc(n);

	refused |= !p;
	return p;
}

static void watch_memory(void)
{
	json_set_alloc_funcs(take_memory, free);
	refused = false;
}

/* NULL: it is not JSON, or memory was refused. */
static json_t *load(const char *text, size_t n, json_error_t *why)
{
	json_t *m;

	watch_memory();
	m = json_loadb(text, n, JSON_DECODE_ANY, why);
	if (!refused)
		return m;
	json_decref(m);
	return NULL;
}

/* Write a message as one line; it is consumed.  NULL: memory was out. */
static void put_message(struct server *s, json_t *message)
{
	char *line;

	watch_memory();
	line = message ? json_dumps(message, JSON_COMPACT) : NULL;
	if (refused) {
		free(line);
		line = NULL;
	}
	if (line) {
		out_c(s->to, line);
		out_char(s->to, '\n');
	}
	s->no_memory |= !line;
	free(line);
	json_decref(message);
}

/* id NULL: it is not known. */
static void put_error(struct server *s, json_t *id, int code, const char *text)
{
	put_message(s, json_pack("{s:s, s:O?, s:{s:i, s:s}}", "jsonrpc", "2.0", "id", id,
				 "error", "code", code, "message", text));
}

/* The result is consumed. */
static void put_result(struct server *s, json_t *id, json_t *result)
{
	put_message(s, json_pack("{s:s, s:O, s:o}", "jsonrpc", "2.0", "id", id, "result",
				 result));
}

static void initialize(struct server *s, json_t *id, json_t *params)
{
	/* The newest first: it is what a client of an unknown version gets. */
	static const char *const versions[] = {"2025-11-25", "2025-06-18", "2025-03-26",
					       "2024-11-05"};
	const char *want = json_string_value(json_object_get(params, "protocolVersion"));
	size_t i = sizeof(versions) / sizeof(versions[0]);

	while (i-- > 1 && (!want || strcmp(want, versions[i]) != 0))
		;
	put_result(s, id,
		   json_pack("{s:s, s:{s:{}}, s:{s:s, s:s}, s:s}", "protocolVersion",
			     versions[i], "capabilities", "tools", "serverInfo", "name",
			     "quern", "version", QUERN_VERSION, "instructions",
			     "Call the tool `guide` once, then ask with `query`."));
}

/* ---- the results of calls ---- */

/* Every format that goes here escapes what is not UTF-8, so only memory is out if this fails. */
static bool add_text(json_t *content, const struct out *o)
{
	json_t *text = json_stringn(o->n ? o->buf : "", o->n);

	return json_array_append_new(content, json_pack("{s:s, s:o}", "type", "text",
							"text", text)) == 0;
}

static void put_answer(struct server *s, json_t *id, const struct tool_call *c)
{
	json_t *content = json_array();

	if (c->answers.failed || c->said.failed ||
	    (c->answers.n && !add_text(content, &c->answers)) ||
	    ((c->said.n || !c->answers.n) && !add_text(content, &c->said)))
		put_error(s, id, BUSY, "out of memory");
	else
		put_result(s, id,
			   json_pack("{s:O, s:b}", "content", content, "isError",
				     (int)c->failed));
	json_decref(content);
}

/* A mistake that the model can mend is an answer, not an error of the protocol. */
static void refuse(struct server *s, json_t *id, const char *text)
{
	struct tool_call c = {.failed = true};

	out_mem(&c.answers);
	out_mem(&c.said);
	out_c(&c.said, text);
	put_answer(s, id, &c);
	tool_free(&c);
}

/* ---- calls ---- */

static void forget_call(struct server *s, size_t i)
{
	struct server_call *c = s->call[i];

	tool_free(&c->does);
	json_decref(c->id);
	json_decref(c->token);
	free(c);
	s->n--;
	memmove(&s->call[i], &s->call[i + 1], (s->n - i) * sizeof(s->call[0]));
}

static struct server_call *add_call(struct server *s, json_t *id, const char *query)
{
	struct server_call *c = s->n < CALLS_MOST ? calloc(1, sizeof(*c)) : NULL;

	if (c && !(c->does.query = strdup(query ? query : ""))) {
		free(c);
		c = NULL;
	}
	if (!c) {
		put_error(s, id, BUSY, "too many calls wait, or memory is out");
		return NULL;
	}
	out_mem(&c->does.answers);
	out_mem(&c->does.said);
	c->id = json_incref(id);
	return s->call[s->n++] = c;
}

/* The copy that a call owns of an argument that is a text; NULL: there is none. */
static char *text_of(json_t *arguments, const char *name)
{
	const char *text = json_string_value(json_object_get(arguments, name));

	return text ? strdup(text) : NULL;
}

/* A mistake in the arguments of `query`; NULL: none. */
static const char *wrong_argument(json_t *arguments)
{
	json_t *format = json_object_get(arguments, "format");
	json_t *budget = json_object_get(arguments, "budget");
	const char *as = json_string_value(format), *key;
	json_t *value;

	if (!json_is_string(json_object_get(arguments, "query")))
		return "error: `query` is a text, such as \"top 20\"\n";
	if (format && !json_is_null(format) &&
	    format_of_name(str_c(as ? as : "")) == FORMAT_NONE)
		return "error: `format` is one of table csv tsv json ndjson md\n";
	if (budget && (json_integer_value(budget) < BUDGET_LEAST ||
		       json_integer_value(budget) > BUDGET_MOST))
		return "error: `budget` is a number of bytes, 1024 to 67108864\n";
	json_object_foreach(arguments, key, value) if (
		str_place("query format budget event profile", str_c(key)) < 0 ||
		(strcmp(key, "budget") != 0 && !json_is_string(value) &&
		 !json_is_null(
			 value))) return "error: the arguments are query, format, event, profile, all texts, "
					 "and budget\n";
	return NULL;
}

static void call_tool(struct server *s, json_t *id, json_t *params)
{
	const char *name = json_string_value(json_object_get(params, "name"));
	json_t *arguments = json_object_get(params, "arguments");
	const char *as = json_string_value(json_object_get(arguments, "format"));
	const enum tool tool = tool_of_name(name ? name : "");
	const char *wrong = tool == TOOL_QUERY ? wrong_argument(arguments) : NULL;
	struct server_call *c = NULL;

	if (tool == TOOL_NONE)
		put_error(s, id, PARAMS, "there is no such tool");
	else if (wrong)
		refuse(s, id, wrong);
	else
		c = add_call(s, id,
			     json_string_value(json_object_get(arguments, "query")));
	if (!c)
		return;
	c->does.tool = tool;
	c->does.format = as ? format_of_name(str_c(as)) : FORMAT_NONE;
	c->does.event = text_of(arguments, "event");
	c->does.profile = text_of(arguments, "profile");
	c->does.budget =
		(uint64_t)json_integer_value(json_object_get(arguments, "budget"));
	c->token = json_incref(
		json_object_get(json_object_get(params, "_meta"), "progressToken"));
}

static void cancel_call(struct server *s, json_t *id)
{
	size_t i = 0;

	while (i < s->n && !json_equal(s->call[i]->id, id))
		i++;
	if (i == s->n)
		return;
	if (i || !s->running) {
		forget_call(s, i);
		return;
	}
	s->call[0]->cancelled = true;
	atomic_store(s->cancel, 1);
}

/* ---- messages ---- */

/* Notifications need no answer, not even unknown ones. */
static void take_request(struct server *s, json_t *id, const char *method, json_t *params)
{
	if (!id && strcmp(method, "notifications/cancelled") == 0)
		cancel_call(s, json_object_get(params, "requestId"));
	else if (!id)
		return;
	else if (strcmp(method, "initialize") == 0)
		initialize(s, id, params);
	else if (strcmp(method, "ping") == 0)
		put_result(s, id, json_object());
	else if (strcmp(method, "tools/list") == 0)
		put_result(s, id, load(tools_json, strlen(tools_json), NULL));
	else if (strcmp(method, "tools/call") == 0)
		call_tool(s, id, params);
	else
		put_error(s, id, NO_METHOD, "there is no such method");
}

static void take_message(struct server *s, json_t *m)
{
	json_t *id = json_object_get(m, "id");
	const char *method = json_string_value(json_object_get(m, "method"));
	const char *version = json_string_value(json_object_get(m, "jsonrpc"));

	if (json_is_array(m))
		put_error(s, NULL, INVALID, "batches are not supported");
	else if (!version || strcmp(version, "2.0") != 0)
		put_error(s, NULL, INVALID, "not a message of JSON-RPC 2.0");
	else if (id && !json_is_string(id) && !json_is_integer(id))
		put_error(s, NULL, INVALID, "an id is a string or a whole number");
	else if (method)
		take_request(s, id, method, json_object_get(m, "params"));
	else if (!json_object_get(m, "result") && !json_object_get(m, "error"))
		put_error(s, id, INVALID, "no method");
}

static void take_line(struct server *s)
{
	json_error_t why;
	char text[60];
	json_t *m;

	if (!s->length || strspn(s->line, " \t\r") == s->length)
		return;
	m = load(s->line, s->length, &why);
	if (m) {
		take_message(s, m);
		json_decref(m);
		return;
	}
	if (refused) {
		s->no_memory = true;
		return;
	}
	snprintf(text, sizeof(text), "not JSON, at byte %d", why.position);
	put_error(s, NULL, PARSE, text);
}

/* Keep n bytes of a line, and a NUL after them; false: the line is not taken. */
static bool keep(struct server *s, const char *p, size_t n)
{
	if (n > MESSAGE_MOST - s->length) {
		put_error(s, NULL, PARSE, "a message of more than 1 MiB");
		return false;
	}
	if (vec_reserve(&s->line, &s->cap, s->length + n + 1, 1)) {
		s->no_memory = true;
		return false;
	}
	memcpy(s->line + s->length, p, n);
	s->length += n;
	s->line[s->length] = '\0';
	return true;
}

void server_feed(struct server *s, const char *p, size_t n)
{
	for (const char *end; n; n -= (size_t)(end - p), p = end) {
		const char *newline = memchr(p, '\n', n);
		const size_t length = newline ? (size_t)(newline - p) : n;

		end = p + length + (newline != NULL);
		s->skipping = s->skipping || !keep(s, p, length);
		if (newline && !s->skipping)
			take_line(s);
		if (newline || s->skipping)
			s->length = 0;
		if (newline)
			s->skipping = false;
	}
}

struct tool_call *server_start(struct server *s)
{
	if (s->running || !s->n)
		return NULL;
	s->running = true;
	atomic_store(s->cancel, 0);
	return &s->call[0]->does;
}

void server_progress(struct server *s, double seconds)
{
	struct server_call *c = s->running ? s->call[0] : NULL;
	char text[60] = "answering";
	double total;

	if (!c || !c->token || c->cancelled)
		return;
	total = (double)atomic_load(&c->does.total);
	if (total > 0)
		snprintf(text, sizeof(text), "reading the profile: %.0f %%",
			 100.0 * (double)atomic_load(&c->does.read) / total);
	put_message(s,
		    json_pack("{s:s, s:s, s:{s:O, s:f, s:s}}", "jsonrpc", "2.0", "method",
			      "notifications/progress", "params", "progressToken",
			      c->token, "progress", seconds, "message", text));
}

void server_done(struct server *s)
{
	if (!s->call[0]->cancelled)
		put_answer(s, s->call[0]->id, &s->call[0]->does);
	forget_call(s, 0);
	s->running = false;
}

void server_free(struct server *s)
{
	while (s->n)
		forget_call(s, 0);
	free(s->line);
}

#endif
