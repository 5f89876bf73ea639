/* inline_code.c - see inline_code.h. */
#include "engine/inline/inline_code.h"

#include <stdlib.h>

int inline_text_put(struct bytes *out, struct str s)
{
	return bytes_put(out, s.n) || bytes_append(out, (const unsigned char *)s.p, s.n);
}

struct str inline_text_get(struct varint_reader *in)
{
	const uint64_t n = varint_get(in);
	struct str s = {(const char *)in->p, (size_t)n};

	if (n > (uint64_t)(in->end - in->p)) {
		varint_none(in);
		return STR("");
	}
	in->p += n;
	return s;
}

/* ---- writing ---- */

/* Number the frames that are the innermost one of an address, and those around them:
 * to[i] is 1 + the new index; 0: left out.  Returns their number. */
static size_t number_used(const struct inline_code *c, uint32_t *to)
{
	size_t n = 0;

	for (size_t i = 0; i < c->n; i++)
		if (c->at[i].found >= FOUND_FRAME)
			to[c->at[i].found - FOUND_FRAME] = 1;
	for (size_t i = c->frames; i-- > 0;)
		if (to[i] && c->frame[i].outer)
			to[c->frame[i].outer - 1] = 1;
	for (size_t i = 0; i < c->frames; i++)
		if (to[i])
			to[i] = (uint32_t)++n;
	return n;
}

static int put_frames(const struct inline_code *c, const uint32_t *to, size_t used,
		      struct bytes *out)
{
	if (bytes_put(out, used))
		return -1;
	for (size_t i = 0; i < c->frames; i++) {
		const struct inline_link *f = &c->frame[i];

		if (to[i] && (bytes_put(out, f->name) || bytes_put(out, f->file) ||
			      bytes_put(out, f->line) ||
			      bytes_put(out, f->outer ? to[f->outer - 1] : 0)))
			return -1;
	}
	return 0;
}

static int put_places(const struct inline_code *c, const uint32_t *to, struct bytes *out)
{
	uint64_t address = 0, last = 0;

	if (bytes_put(out, c->n))
		return -1;
	for (size_t i = 0; i < c->n; i++) {
		uint64_t found = c->at[i].found;

		if (found >= FOUND_FRAME)
			found = FOUND_FRAME + to[found - FOUND_FRAME] - 1;
		found = found << 1 | c->at[i].other;
		if (bytes_put(out, c->at[i].address - address) ||
		    bytes_put(out, varint_zigzag(last, found)))
			return -1;
		address = c->at[i].address;
		last = found;
	}
	return 0;
}

int inline_code_put(const struct inline_code *c, struct bytes *out)
{
	uint32_t *to = calloc(c->frames + 1, sizeof(*to));
	int rc = -1;

	if (to && !bytes_put(out, c->agree) && !bytes_put(out, c->differ) &&
	    !bytes_put(out, c->texts)) {
		const size_t used = number_used(c, to);

		rc = 0;
		for (size_t i = 0; i < c->texts && !rc; i++)
			rc = inline_text_put(out, c->text[i]);
		rc = rc || put_frames(c, to, used, out) || put_places(c, to, out) ? -1
										  : 0;
	}
	free(to);
	return rc;
}

/* ---- reading ---- */

/* A number of things that take at least a byte each. */
static size_t get_count(struct varint_reader *in)
{
	const uint64_t n = varint_get(in);

	return n <= (uint64_t)(in->end - in->p) && n < UINT32_MAX - FOUND_FRAME
		       ? (size_t)n
		       : (size_t)varint_none(in);
}

static uint32_t get_below(struct varint_reader *in, uint64_t limit)
{
	const uint64_t v = varint_get(in);

	return (uint32_t)(v < limit ? v : varint_none(in));
}

static int get_frames(struct inline_code *c, struct varint_reader *in, struct arena *a)
{
	c->frames = get_count(in);
	if (!(c->frame = ARENA_ARRAY(a, struct inline_link, c->frames + 1)))
		return -1;
	for (size_t i = 0; i < c->frames && !in->bad; i++) {
		c->frame[i].name = get_below(in, c->texts);
		c->frame[i].file = get_below(in, c->texts);
		c->frame[i].line = varint_get(in);
		c->frame[i].outer = get_below(in, i + 1);
	}
	return 0;
}

static int get_places(struct inline_code *c, struct varint_reader *in, struct arena *a)
{
	uint64_t address = 0, last = 0;

	c->n = get_count(in);
	if (!(c->at = ARENA_ARRAY(a, struct inline_place, c->n + 1)))
		return -1;
	for (size_t i = 0; i < c->n && !in->bad; i++) {
		const uint64_t next = varint_get(in);

		if (i && (!next || next > UINT64_MAX - address))
			varint_none(in);
		address += next;
		last = varint_unzigzag(last, varint_get(in));
		if (last >> 1 >= FOUND_FRAME + c->frames)
			varint_none(in);
		c->at[i] =
			(struct inline_place){address, (uint32_t)(last >> 1), last & 1};
	}
	return 0;
}

int inline_code_get(struct inline_code *c, struct varint_reader *in, struct arena *a)
{
	*c = (struct inline_code){0};
	c->agree = varint_get(in);
	c->differ = varint_get(in);
	if (c->agree > UINT32_MAX || c->differ > UINT32_MAX)
		varint_none(in);
	c->texts = get_count(in);
	if (!(c->text = ARENA_ARRAY(a, struct str, c->texts + 1)))
		return -1;
	for (size_t i = 0; i < c->texts && !in->bad; i++)
		c->text[i] = inline_text_get(in);
	return get_frames(c, in, a) || get_places(c, in, a) ? -1 : 0;
}
