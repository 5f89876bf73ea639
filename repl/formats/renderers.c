/* renderers.c - the functions of engine/lang/format.h; see renderers.h. */
#include "repl/formats/renderers.h"

#define FUNCTION(number, name, extension, function, traits, what) \
	[FORMAT_##number] = function,
int (*const renderers[FORMAT_END])(struct render *rd) = {FORMATS(FUNCTION)};

enum format render_default(const struct result *r)
{
	return r->depth_col >= 0 ? FORMAT_TREE : FORMAT_TABLE;
}
