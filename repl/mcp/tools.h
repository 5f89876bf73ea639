/*
 * tools.h - the tools that a client may call: query, guide and profiles.
 *
 * A call is prepared by one thread and run by another, which alone touches it meanwhile.
 */
#ifndef QUERN_TOOLS_H
#define QUERN_TOOLS_H

#include <stdatomic.h>

#include "engine/lang/format.h"
#include "index/base/out.h"

struct options;

enum tool { TOOL_QUERY, TOOL_GUIDE, TOOL_PROFILES, TOOL_NONE };

struct tool_call {
	enum tool tool;
	char *query; /* malloc'd */
	enum format format;
	char *event,
		*profile; /* malloc'd: the event of costs, the profile asked; or NULL */
	uint64_t budget;  /* bytes; 0: that of the session */
	/* What comes of it: the answers, and what there is to say about them. */
	struct out answers, said;
	bool failed;
	_Atomic uint64_t read, total; /* bytes of a profile that is indexed; 0: none is */
};

extern const char tools_json[]; /* repl/mcp/tools.json: what tools/list answers */

enum tool tool_of_name(const char *name);
/* Run a prepared call; app_cancel stops it. */
void tool_run(struct tool_call *c, const struct options *o);
void tool_free(struct tool_call *c);

#endif
