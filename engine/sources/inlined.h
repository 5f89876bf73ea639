/* inlined.h - which lines of a function are inlined code. */
#ifndef QUERN_INLINED_H
#define QUERN_INLINED_H

#include "index/store/store.h"

/* Whether a line of f in `file` is inlined from there; false if f's own file is not
 * known. */
bool inlined_line(struct store *st, fn_id f, file_id file);
/* The self cost of functions, in `event`, that lies in inlined lines.  False: they have
 * too many lines to read for a footer. */
bool inlined_share(struct store *st, const fn_id *f, size_t n, uint32_t event,
		   uint64_t *sum);

#endif
