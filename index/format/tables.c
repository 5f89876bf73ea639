/* tables.c - keys and checks of the index file; see tables.h. */
#include "index/format/tables.h"

#include <xxhash.h>

_Static_assert(sizeof(struct value_header) == 32,
	       "the header is part of the file format");
#if __BYTE_ORDER__ != __ORDER_LITTLE_ENDIAN__
#error "the index is little endian and used in place"
#endif

static const struct {
	const char *name;
	unsigned width;
	bool events;
} tables[INDEX_TABLES] = {
	[TABLE_META] = {"meta", 0, false},
	[TABLE_DIAG] = {"diagnostics", 0, false},
	[TABLE_OBJ] = {"objects", 0, false},
	[TABLE_FILE] = {"files", 0, false},
	[TABLE_NAME] = {"names", 0, false},
	[TABLE_FN_NAME] = {"function names", 4, false},
	[TABLE_FN_FILE] = {"function files", 4, false},
	[TABLE_FN_OBJ] = {"function objects", 4, false},
	[TABLE_FN_CYCLE] = {"function cycles", 4, false},
	[TABLE_FN_LINE] = {"function lines", 8, false},
	[TABLE_FN_CALLS] = {"function calls", 8, false},
	[TABLE_FN_SELF] = {"self cost", 8, true},
	[TABLE_FN_INCL] = {"inclusive cost", 8, true},
	[TABLE_RANK_SELF] = {"rank by self cost", 4, true},
	[TABLE_RANK_INCL] = {"rank by inclusive cost", 4, true},
	[TABLE_TOPO] = {"topological order", 4, false},
	[TABLE_OUT_FIRST] = {"callees", 4, false},
	[TABLE_IN_FIRST] = {"callers", 4, false},
	[TABLE_EDGE_CALLER] = {"edge callers", 4, false},
	[TABLE_EDGE_CALLEE] = {"edge callees", 4, false},
	[TABLE_IN_EDGE] = {"incoming edges", 4, false},
	[TABLE_EDGE_CALLS] = {"edge calls", 8, false},
	[TABLE_EDGE_INCL] = {"edge cost", 8, true},
	[TABLE_CYCLE_FIRST] = {"cycles", 4, false},
	[TABLE_CYCLE_MEMBER] = {"cycle members", 4, false},
	[TABLE_CYCLE_NESTS] = {"cycle members that nest", 8, false},
	[TABLE_CYCLE_SELF] = {"cycle self cost", 8, true},
	[TABLE_CYCLE_INCL] = {"cycle inclusive cost", 8, true},
	[TABLE_LINES_AT] = {"places of cost lines", 8, false},
	[TABLE_SITES_AT] = {"places of call sites", 8, false},
	[TABLE_JUMPS_AT] = {"places of jumps", 8, false},
	[TABLE_LINES] = {"cost lines", 0, false},
	[TABLE_SITES] = {"call sites", 0, false},
	[TABLE_JUMPS] = {"jumps", 0, false},
	[TABLE_PART] = {"parts", 0, false},
	[TABLE_PART_SELF] = {"part self cost", 8, true},
	[TABLE_PART_TOTALS] = {"part totals", 8, true},
	[TABLE_PART_SUMMARY] = {"part summaries", 8, true},
	[TABLE_PART_AT] = {"places of part costs", 8, false},
	[TABLE_PART_COST] = {"part costs", 0, false},
	[TABLE_PART_NAMES_AT] = {"places of part names", 8, false},
	[TABLE_PART_NAMES] = {"part names", 0, false},
	[TABLE_FN_CALLED] = {"functions whose line is of calls", 4, false},
	[TABLE_CONTEXT_PARENT] = {"context callers", 4, false},
	[TABLE_CONTEXT_FN] = {"context functions", 4, false},
	[TABLE_CONTEXT_CALLS] = {"context calls", 8, false},
	[TABLE_CONTEXT_SELF] = {"context self cost", 8, true},
	[TABLE_CONTEXT_INCL] = {"context inclusive cost", 8, true},
	[TABLE_GROUP_OF] = {"groups of functions", 4, false},
	[TABLE_GROUP_NAME] = {"own names of functions", 4, false},
	[TABLE_GROUP_FIRST] = {"spans of groups", 4, false},
	[TABLE_GROUP_FN] = {"functions of groups", 4, false},
	[TABLE_GROUP_CYCLE] = {"cycles of groups", 4, false},
	[TABLE_GROUP_KNOWN] = {"groups of known cost", 4, false},
	[TABLE_GROUP_INCL] = {"inclusive cost of groups", 8, true},
	[TABLE_ROOT_PART] = {"parts of roots", 4, false},
	[TABLE_ROOT_FN] = {"functions of roots", 4, false},
	[TABLE_ROOT_CALLS] = {"calls of roots", 8, false},
};

unsigned table_width(enum index_table t)
{
	return tables[t].width;
}

bool table_has_events(enum index_table t)
{
	return tables[t].events;
}

const char *table_name(enum index_table t)
{
	return t < INDEX_TABLES && tables[t].name ? tables[t].name : "unknown table";
}

void key_pack(unsigned char out[8], enum index_table t, uint32_t event, uint32_t block)
{
	out[0] = (unsigned char)(t >> 8);
	out[1] = (unsigned char)t;
	out[2] = (unsigned char)(event >> 8);
	out[3] = (unsigned char)event;
	for (int i = 0; i < 4; i++)
		out[4 + i] = (unsigned char)(block >> (24 - 8 * i));
}

uint64_t value_check(const struct value_header *h, const void *payload)
{
	struct value_header blank = *h;

	blank.check = 0;
	return XXH3_64bits_withSeed(payload, (size_t)h->bytes,
				    XXH3_64bits(&blank, sizeof(blank)));
}
