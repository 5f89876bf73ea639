/*
 * stretch_text.c - the text at hand, and its hash; see stretch_in.h.
 *
 *	file	|...........|=========at_hand========|..............|
 *		from	    read |----- to read ---->		    to
 *
 * Reading a file piece by piece into the same buffer takes half the time of mapping and
 * unmapping its pages, and the piece is then in the core's cache.
 */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "index/base/err.h"
#include "index/base/file.h"
#include "index/base/vec.h"
#include "index/file/source.h"
#include "index/file/source_hash.h"
#include "index/read/stretch_in.h"

int stretch_changed(struct err *err)
{
	return err_set(err, ERR_PROFILE, 0, "the profile changed while it was read");
}

enum {
	AT_ONCE = 256 << 10, /* bytes read at once */
	BEFORE = 64,	     /* readable bytes before and after */
	BEHIND = 64,
	LINE_SHARE = 8,	      /* share of the memory for one line */
	LINE_LEAST = 2 << 20, /* and its least bytes, as in feed.c */
};

/* Text is gathered until a line ends; without newlines that must not be the whole
 * file. */
static int no_line(const struct stretch *s, struct err *err)
{
	const uint64_t mem = s->reading->opts->mem;
	const uint64_t share = (mem ? mem : STRETCH_MEM) / LINE_SHARE;
	const uint64_t most = share > LINE_LEAST ? share : LINE_LEAST;

	if (s->at_once <= 2 * most)
		return 0;
	err_set(err, ERR_LIMIT, 0, "a line of more than %" PRIu64 " MiB", most >> 20);
	return err_hint(err, "no profile has such lines; if this one does, raise --mem");
}

/* From now on, use the map. */
static void use_map(struct stretch *s)
{
	free(s->copy);
	s->copy = NULL;
	s->at_hand = (struct text_window){s->reading->text, 0, s->to};
}

/* Load the text at `at` into the buffer.  The decoder reads bytes more than once, and
 * in a map another process could change them in between. */
static int text_copy(struct stretch *s, size_t at)
{
	const size_t n = least(s->at_once, s->to - at);

	if (vec_reserve_raw(&s->copy, &s->copy_cap, BEFORE + n + BEHIND, 1))
		return err_no_memory(&s->err, "while reading");
	if (file_read(s->reading->opts->fd, s->copy + BEFORE, n, at))
		return stretch_changed(&s->err);
	memset(s->copy + BEFORE + n, 0, BEHIND);
	s->at_hand = (struct text_window){s->copy + BEFORE, at, at + n};
	s->tally.diag.counted_in = NULL; /* it points into the old text */
	return 0;
}

void stretch_text_upto(struct stretch *s, size_t upto)
{
	const struct reading *r = s->reading;

	while (s->hash && s->hashed < upto) {
		const size_t chunk = s->hashed / HASH_CHUNK;
		const size_t end = least(upto, (chunk + 1) * HASH_CHUNK);

		source_hash_add(s->hash, stretch_text(s, s->hashed), end - s->hashed);
		s->hashed = end;
		if (end % HASH_CHUNK == 0 || end == r->n)
			r->s->chunk_hash[chunk] = source_hash_end(s->hash);
	}
}

int stretch_text_begin(struct stretch *s)
{
	const struct stretch_opts *o = s->reading->opts;

	if (o->hash && !(s->hash = source_hash_new()))
		return err_no_memory(&s->err, "while reading");
	s->hashed = (s->from + HASH_CHUNK - 1) / HASH_CHUNK * HASH_CHUNK;
	s->at_once = o->at_once ? o->at_once : AT_ONCE;
	if (o->fd)
		return text_copy(s, s->from);
	use_map(s);
	return 0;
}

int stretch_text_more(struct stretch *s, size_t at, bool longer)
{
	/* Another thread may have been given the rest. */
	s->at_hand.to = least(s->at_hand.to, s->to);
	if (!stretch_wants_text(s, at) && !(longer && s->copy && s->at_hand.to < s->to))
		return 0;
	stretch_text_upto(s, at);
	s->at_once *= longer ? 2 : 1;
	return longer && no_line(s, &s->err) ? s->err.kind : text_copy(s, at);
}

void stretch_text_end(struct stretch *s)
{
	const size_t n = s->reading->n;

	stretch_text_upto(s, s->to);
	/* Continue the hash of the last chunk that began in the buffer. */
	use_map(s);
	if (s->hashed % HASH_CHUNK)
		stretch_text_upto(s, least(n, (s->hashed / HASH_CHUNK + 1) * HASH_CHUNK));
}

void stretch_text_free(struct stretch *s)
{
	free(s->copy);
	source_hash_free(s->hash);
	s->copy = NULL;
	s->hash = NULL;
}
