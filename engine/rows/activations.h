/* activations.h - read a profile again for its single activations. */
#ifndef QUERN_ACTIVATIONS_READ_H
#define QUERN_ACTIVATIONS_READ_H

struct activation_asked;
struct exec;
struct source;
struct span;

/* An error, at the span, unless the profile has activations. */
void exec_has_tree(struct exec *x, struct span at);
/* Tell of activations (index/contexts/activations.h), without poll.  Those of a profile are
 * read once in a session. */
int exec_activations(struct exec *x, const struct activation_asked *asked);
/* How their blocks claim each other, read forwards (index/each_activation.h); free it. */
struct blocks_forward;
void exec_forward(struct exec *x, struct blocks_forward **out);

#endif
