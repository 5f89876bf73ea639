/* exec_name.h - find the functions that one name of a set means. */
#ifndef QUERN_EXEC_NAME_H
#define QUERN_EXEC_NAME_H

#include "engine/rows/exec.h"

struct fn_set;
struct graph;
struct set;

/* The functions of x->g that the name s means.  Notes say what was taken if it is no whole
 * name of one function.  ERR_QUERY, and x->absent: no function is meant. */
void exec_name_set(struct exec *x, const struct set *s, struct fn_set **out);

/* Does x run on the base of a comparison? */
static inline bool exec_in_base(const struct exec *x)
{
	return x->other && x->other->is_base;
}

/* Does the base have what matches nothing in the first profile? */
bool exec_base_has(const struct exec *x, const struct set *s);
/* Record that n functions of the base match s. */
void exec_note_found(struct exec *x, const struct set *s, uint32_t n);

/* If *name is that of a context, and rows of g are functions: make it the name of the
 * function, with a note. */
void exec_context_name(struct exec *x, const struct graph *g, struct str *name);

#endif
