/* copy.c - copy the rows of a piece to the index; see copy.h.  The rows of all kinds are mixed
 * in a piece; cost lines go to one half of struct copy, call sites and jumps to the other,
 * each up to a row that is not its own. */
#include "index/detail/copy.h"

void copy_init(struct copy *c, struct detail_shape shape)
{
	copy_lines_init(&c->lines, shape);
	copy_sites_init(&c->sites, shape);
}

void copy_free(struct copy *c)
{
	copy_lines_free(&c->lines);
	copy_sites_free(&c->sites);
}

bool copy_full(const struct copy *c)
{
	return c->lines.full || c->sites.full;
}

enum copied copy_piece(struct copy *c, struct varint_reader *in, const struct copy_of *of,
		       uint64_t *first_line)
{
	struct copy_place at = {.file = of->file[0]};
	enum copied rc;

	copy_lines_clear(&c->lines);
	copy_sites_clear(&c->sites);
	*first_line = 0;
	do {
		rc = copy_lines_take(&c->lines, in, &at, of, first_line);
		if (!rc && in->p < in->end)
			rc = copy_sites_take(&c->sites, in, copy_get(in), &at, of);
	} while (!rc && in->p < in->end);
	if (!rc && in->bad)
		return COPY_NOT;
	rc = rc ? rc : copy_sites_order(&c->sites, DETAIL_SITES);
	return rc ? rc : copy_sites_order(&c->sites, DETAIL_JUMPS);
}

int copy_encode(struct copy *c, enum detail_kind kind, struct bytes *b, uint64_t *n)
{
	return kind == DETAIL_LINES ? copy_lines_encode(&c->lines, b, n)
				    : copy_sites_encode(&c->sites, kind, b, n);
}
