/* opened.h - the graph stages that open some calls of a run: activation, slowest, usual,
 * between. */
#ifndef QUERN_OPENED_H
#define QUERN_OPENED_H

struct exec;
struct gstage;

/* Make x->g, which is plain or of some parts, the graph of what the stages open: calls, a span
 * of the run, or what of the calls lies in it.  Either may be NULL. */
void exec_opened(struct exec *x, const struct gstage *calls, const struct gstage *span);

#endif
