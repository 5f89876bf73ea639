/* copy.c - copy the rows of a piece to the index; see copy.h. */
#include "index/detail/copy.h"

void copied_init(struct copied *c, struct detail_shape shape)
{
	copied_lines_init(&c->lines, shape);
	copied_refs_init(&c->refs, shape);
}

void copied_free(struct copied *c)
{
	copied_lines_free(&c->lines);
	copied_refs_free(&c->refs);
}

bool copied_full(const struct copied *c)
{
	return c->lines.full || c->refs.full;
}

enum copy copy_piece(struct copied *c, struct varint_reader *in, const struct copy_of *of,
		     uint64_t *first_line)
{
	struct copy_place at = {.file = of->file[0]};
	enum copy rc;

	copied_lines_clear(&c->lines);
	copied_refs_clear(&c->refs);
	*first_line = 0;
	do {
		rc = copy_lines(&c->lines, in, &at, of, first_line);
		if (!rc && in->p < in->end)
			rc = copy_ref(&c->refs, in, copy_get(in), &at, of);
	} while (!rc && in->p < in->end);
	if (!rc && in->bad)
		return COPY_NOT;
	rc = rc ? rc : copied_refs_order(&c->refs, DETAIL_SITES);
	return rc ? rc : copied_refs_order(&c->refs, DETAIL_JUMPS);
}

int copied_encode(struct copied *c, enum detail_kind kind, struct bytes *b, uint64_t *n)
{
	return kind == DETAIL_LINES ? copied_lines_encode(&c->lines, b, n)
				    : copied_refs_encode(&c->refs, kind, b, n);
}
