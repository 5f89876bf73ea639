/* isa.c - see isa.h. */
#include "index/base/isa.h"

#include <stdatomic.h>
#include <stdbool.h>
#include <string.h>

static const char *const names[ISAS + 1] = {"avx2", "portable"};
static atomic_int chosen = ISAS; /* none yet */

static bool isa_has(enum isa i)
{
#if ISA_X86
	if (i == ISA_AVX2)
		return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("bmi2");
#endif
	return i == ISA_PORTABLE;
}

static void isa_choose(enum isa i)
{
	atomic_store_explicit(&chosen, (int)i, memory_order_relaxed);
}

enum isa isa(void)
{
	const int i = atomic_load_explicit(&chosen, memory_order_relaxed);

	if (i == ISAS)
		isa_choose(isa_has(ISA_AVX2) ? ISA_AVX2 : ISA_PORTABLE);
	return (enum isa)atomic_load_explicit(&chosen, memory_order_relaxed);
}

const char *isa_name(void)
{
	return names[isa()];
}

const char *const *isa_names(void)
{
	return names + !isa_has(ISA_AVX2);
}

int isa_force(const char *name)
{
	for (int i = 0; i < ISAS; i++)
		if (strcmp(names[i], name) == 0 && isa_has((enum isa)i)) {
			isa_choose((enum isa)i);
			return 0;
		}
	return -1;
}
