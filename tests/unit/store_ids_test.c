/*
 * store_ids_test.c - what is wrong with a block of ids, of columns of several blocks.
 *
 * Blocks are met in any order; the rows of all of them together must ascend.
 */
#include "index/store/store_in.h"
#include "tests/support/tap.h"

enum { EDGES = 1000000, BLOCKS = 4 };

/* As many functions as three blocks have rows, and a few more. */
static struct store st = {.meta = {.functions = 3 * BLOCK_ROWS + 4,
				   .edges = EDGES,
				   .strings = {1, 1, 1000}}};

static uint32_t row[BLOCKS * BLOCK_ROWS];

static uint32_t rows_of(uint32_t block)
{
	return block < 3 ? BLOCK_ROWS : 5;
}

/* First edges that ascend evenly. */
static void fill(void)
{
	const uint64_t n = st.meta.functions;

	for (uint64_t f = 0; f <= n; f++)
		row[f] = (uint32_t)(f * EDGES / n);
}

/* The first damage when the blocks are met in this order; NULL: none. */
static const char *meet(enum index_table t, const char *order)
{
	struct block at[BLOCKS] = {{0}};
	struct blocks met = {.at = at};

	for (; *order; order++) {
		uint32_t block = (uint32_t)(*order - '0'), n = rows_of(block);
		const uint32_t *p = row + (size_t)block * BLOCK_ROWS;
		const char *wrong = store_block_wrong(&st, t, &met, block, p, n);

		if (wrong)
			return wrong;
		at[block] = (struct block){
			.p = p, .rows = n, .first = p[0], .last = p[n - 1]};
		met.n = met.n > block + 1 ? met.n : block + 1;
	}
	return NULL;
}

#define SPAN "a span is out of range"
#define COVER "the spans do not cover the edges"

static const struct {
	const char *name;
	uint32_t at, to; /* this row becomes that */
	const char *order, *said;
} spans[] = {
	{"sound", 0, 0, "0123", NULL},
	{"sound, from the last", 0, 0, "3210", NULL},
	{"sound, from the middle", 0, 0, "2013", NULL},
	{"the first is not 0", 0, 1, "1230", COVER},
	{"the last is not all", 3 * BLOCK_ROWS + 4, EDGES - 1, "0123", COVER},
	{"beyond all", 3 * BLOCK_ROWS + 4, EDGES + 1, "0123", SPAN},
	{"falls in a block", 77777, 0, "0123", SPAN},
	{"falls in a block's first rows", 65537, 0, "1", SPAN},
	{"falls in a block's last rows", 65535, 0, "0", SPAN},
	{"not met", 77777, 0, "023", NULL},
	{"falls between two blocks", 65536, 0, "01", SPAN},
	{"the same, the second one first", 65536, 0, "10", SPAN},
	{"below a block that was not the last", 131071, 999970, "013", NULL},
	{"the same, and the next is met", 131071, 999970, "0132", SPAN},
	{"the same, from the other side", 131071, 999970, "0231", SPAN},
};

static const struct {
	enum index_table t;
	uint32_t at, to;
	const char *said;
} ids[] = {
	{TABLE_FN_NAME, 65535, 999, NULL},
	{TABLE_FN_NAME, 65535, 1000, "an id is out of range"},
	{TABLE_FN_NAME, 9, 1, "the functions are not in order"},
	{TABLE_FN_FILE, 65535, 1, "an id is out of range"},
	{TABLE_FN_CYCLE, 65535, 1, "an id is out of range"},
	{TABLE_EDGE_CALLEE, 511, 3 * BLOCK_ROWS + 3, NULL},
	{TABLE_EDGE_CALLEE, 511, 3 * BLOCK_ROWS + 4, "an id is out of range"},
	{TABLE_EDGE_CALLEE, 65535, UINT32_MAX, "an id is out of range"},
	{TABLE_IN_EDGE, 1, EDGES, "an id is out of range"},
	{TABLE_EDGE_CALLER, 65534, 1, "the edges are not in order"},
};

int main(void)
{
	for (size_t i = 0; i < COUNT(spans); i++) {
		fill();
		row[spans[i].at] = spans[i].to;
		is_str(meet(TABLE_OUT_FIRST, spans[i].order), spans[i].said, "%s",
		       spans[i].name);
	}
	for (size_t i = 0; i < COUNT(ids); i++) {
		memset(row, 0, sizeof(row));
		row[ids[i].at] = ids[i].to;
		is_str(meet(ids[i].t, "0"), ids[i].said, "%s: %u", table_name(ids[i].t),
		       ids[i].to);
	}
	return done_testing();
}
