/*
 * mcp.h - quern --mcp: a server of the Model Context Protocol on stdin and stdout.
 *
 * https://modelcontextprotocol.io/specification: versions 2024-11-05 to 2025-11-25.  The
 * profiles are those of the command line; a client can name no file, write none, and run
 * no command.
 */
#ifndef QUERN_MCP_H
#define QUERN_MCP_H

struct options;

/* Serve until stdin ends.  Returns the exit status; without jansson at build time an
 * error. */
int mcp_run(const struct options *o);

#endif
