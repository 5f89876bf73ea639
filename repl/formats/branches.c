/* branches.c - draw the levels of a tree; see branches.h. */
#include "repl/formats/branches.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "engine/lang/col_type.h"
#include "engine/lang/result.h"
#include "repl/term/number.h"

bool branches_has(const struct result *r)
{
	return r->depth_col >= 0 && r->cols[r->depth_col].type != COL_STR;
}

static uint64_t depth_of(const struct branches *b, size_t row)
{
	uint64_t depth = b->r->cols[b->r->depth_col].u[row];

	return b->depth ? b->depth[row] : depth - b->root;
}

/* Find the depth of each row among the rows that stages left.  If rows do not come
 * after the rows they lie on (they were sorted), no branches are drawn. */
static void find_depths(struct branches *b, uint32_t *open)
{
	const uint32_t *on = b->r->on;
	size_t n = 0;

	for (size_t row = 0; row < b->rows; row++) {
		while (n && on[row] != open[n - 1])
			n--;
		if (!n && on[row] != RESULT_NONE) {
			memset(b->depth, 0, b->rows * sizeof(*b->depth));
			return;
		}
		b->depth[row] = (uint32_t)n;
		open[n++] = (uint32_t)row;
	}
}

/* From the last row up: a row is the last of its siblings if no row of its depth was
 * met since the last row of a smaller depth. */
static void find_last_siblings(struct branches *b)
{
	bool met[BRANCHES_MOST + 1] = {false};

	b->root = UINT64_MAX;
	for (size_t row = 0; row < b->rows; row++) {
		uint64_t depth = b->r->cols[b->r->depth_col].u[row];

		b->root = depth < b->root ? depth : b->root;
	}
	for (size_t row = b->rows; row-- > 0;) {
		uint64_t d = depth_of(b, row);

		if (d > BRANCHES_MOST)
			continue;
		b->last[row] = !met[d];
		met[d] = true;
		memset(met + d + 1, 0, BRANCHES_MOST - d);
	}
}

int branches_init(struct branches *b, const struct result *r, size_t rows, size_t levels)
{
	uint32_t *open = r->on ? calloc(rows + 1, sizeof(*open)) : NULL;

	*b = (struct branches){
		.r = r,
		.rows = rows,
		.levels = levels < BRANCHES_MOST ? levels : BRANCHES_MOST,
		.last = calloc(rows + 1, 1),
		.depth = r->on ? calloc(rows + 1, sizeof(*b->depth)) : NULL,
	};
	if (!b->last || (r->on && (!b->depth || !open))) {
		free(open);
		return -1;
	}
	if (open)
		find_depths(b, open);
	free(open);
	find_last_siblings(b);
	return 0;
}

void branches_free(struct branches *b)
{
	free(b->last);
	free(b->depth);
}

size_t branches_put(struct branches *b, struct out *o, size_t row, bool utf8)
{
	static const char *const lines[2][4] = {
		{"|  ", "   ", "|- ", "`- "},
		{"\xe2\x94\x82  ", "   ", "\xe2\x94\x9c\xe2\x94\x80 ",
		 "\xe2\x94\x94\xe2\x94\x80 "},
	};
	const char *const *line = lines[utf8];
	uint64_t d = depth_of(b, row), drawn = d < b->levels ? d : b->levels;
	char deeper[NUMBER_MAX];
	size_t n = drawn * 3;

	if (d <= b->levels && d > 0 && o)
		b->more[d - 1] = !b->last[row];
	for (uint64_t i = 0; o && i + 1 < drawn; i++)
		out_c(o, line[b->more[i] ? 0 : 1]);
	if (o && drawn)
		out_c(o, line[d <= b->levels && b->last[row] ? 3 : 2]);
	if (d > b->levels) {
		n += (size_t)snprintf(deeper, sizeof(deeper), "+%" PRIu64 " ",
				      d - b->levels);
		if (o)
			out_c(o, deeper);
	}
	return n;
}
