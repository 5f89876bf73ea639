/* stretch_cut.c - where a text is cut into stretches; see stretch.h. */
#include "index/base/err.h"
#include "index/read/stretch_in.h"

#include <stdlib.h>
#include <string.h>

#include "index/base/file.h"
#include "index/base/map.h"
#include "index/lines/decode.h"

enum {
	LEAST = 4 << 20,   /* least bytes that are worth a thread */
	SEARCH = 64 << 20, /* most bytes searched for a place to cut */
	HEADER = 1 << 20,  /* bytes enough for any sensible header */
	PAD = 64,	   /* readable bytes after them */
};

/* Skip decimal digits, or 0x and hex digits; NULL if there are none. */
static const char *skip_number(const char *p, const char *stop)
{
	const char *from = p;
	bool hex = stop - p > 2 && p[0] == '0' && p[1] == 'x';

	if (hex)
		from = p += 2;
	while (p < stop && ((*p >= '0' && *p <= '9') || (hex && *p >= 'a' && *p <= 'f')))
		p++;
	return p > from ? p : NULL;
}

/*
 * Whether the line at p has nsub absolute positions, costs, and nothing else.  A line
 * that cannot be read would leave the base to the line before it.
 */
static bool absolute_line(const char *p, const char *stop, unsigned nsub)
{
	for (unsigned i = 0;; i++) {
		p = skip_number(p, stop);
		if (!p || p >= stop)
			return false;
		if (*p == '\n' || (*p == '\r' && stop - p > 1 && p[1] == '\n'))
			return i + 1 >= nsub;
		if (*p++ != ' ')
			return false;
	}
}

size_t stretch_find_cut(const struct reading *r, size_t from, size_t to)
{
	const char *p = r->text + from - 1, *stop = r->text + to;
	const char *limit = stop - p > SEARCH ? p + SEARCH : stop;

	if (r->head_decode->by_address) /* targets depend on the block before */
		return to;
	/* A long line may end after the limit. */
	while (p < limit && (p = memmem(p, (size_t)(limit - p), "\nfn=", 4))) {
		const char *line = memchr(p + 1, '\n', (size_t)(stop - (p + 1)));

		if (!line)
			break;
		if (absolute_line(line + 1, stop, r->head_decode->nsub))
			return (size_t)(p + 1 - r->text);
		p = line;
	}
	return to;
}

/* Read the header for positions and events; without both there is only one stretch. */
static int read_head(struct reading *r, struct err *err)
{
	size_t n = r->n < HEADER ? r->n : HEADER, at = 0;
	const char *text = r->text;
	struct batch *b;
	int rc;

	/* A copy, for the reason given in stretch_text.c. */
	if (r->opts->fd) {
		r->head_text = calloc(1, n + PAD);
		if (!r->head_text)
			return err_no_memory(err, "while reading");
		if (file_read(r->opts->fd, r->head_text, n, 0))
			return stretch_changed(err);
		text = r->head_text;
	}
	r->head_batch = b = malloc(sizeof(*b));
	r->head_decode = malloc(sizeof(*r->head_decode));
	if (!b || !r->head_decode || !(r->head = malloc(sizeof(*r->head))))
		return err_no_memory(err, "while reading");
	decode_init(r->head_decode);
	rc = tally_init(r->head, false, true, err);
	while (!rc && at < n && !r->head_decode->in_body) {
		decode_entry(r->head_decode, text + at, n - at, n == r->n, b);
		rc = tally_batch(r->head, b, err);
		at += b->bytes;
		if (b->bytes == 0)
			break;
	}
	return rc;
}

void stretch_free_head(struct reading *r)
{
	if (r->head)
		tally_free(r->head);
	free(r->head);
	free(r->head_decode);
	free(r->head_batch);
	free(r->head_text);
	r->head_text = NULL;
	r->head = NULL;
	r->head_decode = NULL;
	r->head_batch = NULL;
}

static int cut_guarded(void *arg)
{
	struct reading *r = arg;
	struct err *err = &r->err;
	size_t size = r->opts->stretch, from = 0;

	if (!size) {
		size = r->n / r->jobs + 1;
		size = size > LEAST ? size : LEAST;
	}
	if (r->jobs > 1 || r->opts->stretch) {
		if (read_head(r, err))
			return err->kind;
		while (r->head_decode->in_body && r->head->events.ncol &&
		       r->n - from > size) {
			size_t to = stretch_find_cut(r, from + size, r->n);

			if (to == r->n)
				break;
			if (stretch_add(r, from, to))
				return err_no_memory(err, "while reading");
			from = to;
		}
	}
	return stretch_add(r, from, r->n) ? err_no_memory(err, "while reading") : 0;
}

int stretch_cut(struct reading *r, struct err *err)
{
	int rc = map_guard(cut_guarded, r, ERR_PROFILE, &r->err);

	if (rc)
		*err = r->err;
	return rc;
}
