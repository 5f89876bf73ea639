/*
 * isa.h - which instruction set the loops over text use.
 *
 * They are compiled for each set; the best that the machine has is chosen when it is first asked
 * for.  All sets give the same answers.
 */
#ifndef QUERN_ISA_H
#define QUERN_ISA_H

enum isa { ISA_AVX2, ISA_PORTABLE, ISAS };

enum isa isa(void);
const char *isa_name(void); /* "avx2", "portable" */

/* Those that the machine has, best first, NULL at the end; and a way to choose one for tests and
 * benches: 0, or -1 when the machine has none of that name. */
const char *const *isa_names(void);
int isa_force(const char *name);

#endif
