/* scan.c - choose the loop of an instruction set; see scan.h. */
#include "index/lines/scan.h"

#include "index/base/isa.h"

size_t scan_block(const char *p, size_t n, uint16_t *pos)
{
#if ISA_X86
	if (isa() == ISA_AVX2)
		return scan_block_avx2(p, n, pos);
#endif
	return scan_block_portable(p, n, pos);
}
