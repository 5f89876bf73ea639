/* program.h - the start of a process and the program in it, as far as a profile tells. */
#ifndef QUERN_PROGRAM_H
#define QUERN_PROGRAM_H

struct exec;
struct fn_set;

/* Add to a set of x->g: the functions of the dynamic linker, without that which goes on to
 * the program. */
void exec_add_start(struct exec *x, struct fn_set *set);
/* The functions of the object that the command starts. */
void exec_add_program(struct exec *x, struct fn_set *set);

#endif
