/*
 * hold.h - under --safe and --mcp the kernel lets this process do only what it needs:
 * the table is in engine/files/confine.h.
 */
#ifndef QUERN_HOLD_H
#define QUERN_HOLD_H

struct options;

/* From now on, for good; nothing without --safe or --mcp.  A note says what this kernel, or
 * this build, cannot do. */
void hold(const struct options *o);

#endif
