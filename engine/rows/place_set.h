/*
 * place_set.h - the lines that a set means: those of its functions, but file:F means the
 * lines in F, whatever function they are of.
 *
 * A function has lines of several files where it has inlined code, and its own file is that
 * of its first instruction, which may be inlined: so the functions of a file do not have
 * its lines.
 */
#ifndef QUERN_PLACE_SET_H
#define QUERN_PLACE_SET_H

#include "index/store/store.h"

struct exec;
struct fn_set;
struct place_set;
struct set;

/* Resolve a set as exec_set() does, with its notes and errors.  *places is NULL if the set
 * has no file:, and *fns are its functions then; else *fns is NULL. */
void exec_place_set(struct exec *x, const struct set *s, struct fn_set **fns,
		    struct place_set **places);
/* Is a line in the set?  f: its function in x->g; file: without the name of inlined code. */
bool place_set_has(const struct place_set *p, uint32_t f, file_id file);
/* Is the file one that the set names, wherever in it? */
bool place_set_names(const struct place_set *p, file_id file);

#endif
