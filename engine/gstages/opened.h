/* opened.h - the graph stages that open some calls of a run: activation, slowest, usual,
 * between. */
#ifndef QUERN_OPENED_H
#define QUERN_OPENED_H

struct exec;
struct gstage;

/* Make x->g, which is plain or of some parts, the graph of what the stage opens. */
void exec_opened(struct exec *x, const struct gstage *g);

#endif
