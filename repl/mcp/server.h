/*
 * server.h - the protocol of MCP without its clock and threads: what comes in, which calls
 * wait, what goes out.
 *
 * A message is a line of JSON, which jansson reads and writes.  Calls are answered in
 * their order, one runs at a time.
 */
#ifndef QUERN_SERVER_H
#define QUERN_SERVER_H

#include "repl/mcp/tools.h"

struct json_t; /* of jansson.h, which not every build has */

enum { CALLS_MOST = 64, MESSAGE_MOST = 1 << 20 /* bytes; of more nothing is kept */ };

struct server_call {
	struct tool_call does;
	struct json_t *id;
	struct json_t *token; /* of progress; NULL: not wanted */
	bool cancelled;
};

struct server {
	struct out *to;	    /* the client; never flushed here */
	atomic_int *cancel; /* set to 1 to stop the running call */
	char *line;	    /* what has come of a message */
	size_t length, cap;
	bool skipping;			      /* the rest of one that is too long */
	bool no_memory;			      /* an answer is missing: end */
	struct server_call *call[CALLS_MOST]; /* in their order */
	size_t n;
	bool running; /* call[0] is */
};

/* Take n bytes from the client: answer what can be answered at once, keep the calls. */
void server_feed(struct server *s, const char *p, size_t n);
/* The next call, which now runs; NULL: none waits, or one runs. */
struct tool_call *server_start(struct server *s);
/* Tell the client of the running call how far it is, if it wants to know. */
void server_progress(struct server *s, double seconds);
void server_done(struct server *s); /* answer the running call, which has ended */
void server_free(struct server *s);

#endif
