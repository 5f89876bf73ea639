/*
 * isa.h - which instruction set the loops over text use.
 *
 * The files *_loops.c are compiled once per set; each object exports one table of
 * functions or one function, first_loops_avx2 for example.  The best set of the machine
 * is chosen at the first call of isa().  All sets give the same results.
 */
#ifndef QUERN_ISA_H
#define QUERN_ISA_H

/* Best first. */
enum isa { ISA_AVX2, ISA_PORTABLE, ISAS };

/* The program has the tables *_avx2 (SConstruct compiles them where this is 1). */
#ifdef __x86_64__
#define ISA_X86 1
#else
#define ISA_X86 0
#endif

enum isa isa(void);
const char *isa_name(void); /* "avx2", "portable" */

/* The names of the sets that the machine has, best first, NULL at the end. */
const char *const *isa_names(void);
/* Choose a set by its name, for tests and benches; 0, or -1 when the machine does not
 * have it. */
int isa_force(const char *name);

#endif
