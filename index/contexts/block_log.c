/* block_log.c - the blocks of a stretch; see block_log.h. */
#include "index/contexts/block_log.h"

#include <stdlib.h>
#include <string.h>

#include "index/base/vec.h"

enum {
	LEFT_MOST = 1 << 20, /* blocks on the stack; then they move to the seams */
};

bool block_log_created(struct str creator)
{
	return str_starts(creator, STR("xdebug"));
}

/* Xdebug before 2.3 says this version, and no creator. */
bool block_log_versioned(struct str version)
{
	return str_eq(version, STR("0.9.6"));
}

void block_log_init(struct block_log *l)
{
	*l = (struct block_log){.part_at = UINT64_MAX};
	spill_init(&l->records, 0, NULL);
	spill_init(&l->seams, 0, NULL);
}

void block_log_free(struct block_log *l)
{
	free(l->before);
	free(l->call);
	free(l->left);
	free(l->events);
	spill_free(&l->records);
	spill_free(&l->seams);
	block_log_init(l);
}

uint64_t block_log_held(const struct block_log *l)
{
	return l->call_cap * sizeof(*l->call) + l->left_cap * sizeof(*l->left);
}

static __attribute__((noinline)) unsigned char *put_back_long(unsigned char *p,
							      uint64_t v)
{
	unsigned char forwards[VARINT_MAX];
	const unsigned char *end = varint_put(forwards, v);

	while (end > forwards)
		*p++ = *--end;
	return p;
}

/* Append v so that it is read from its end: the bytes of a varint in reverse.  8 bytes at
 * p must be writable. */
static inline unsigned char *put_back(unsigned char *p, uint64_t v)
{
	unsigned n;
	uint32_t word;

	if (v < 0x80) {
		*p = (unsigned char)v;
		return p + 1;
	}
	if (__builtin_expect(v >> 28 != 0, 0))
		return put_back_long(p, v);
	word = varint_word(v, &n);
	word = __builtin_bswap32(word) >> (32 - 8 * n);
	memcpy(p, &word, sizeof(word));
	return p + n;
}

/* Move what was written to its file if it is over the limit. */
static inline int spilled(struct block_log *l, struct spill *s)
{
	const int failed = s->limit && s->buf.n >= s->limit ? spill_write(s) : 0;

	if (failed)
		l->failed = failed;
	return 0;
}

/* ---- seams ---- */

static inline unsigned char *put_number(struct block_log *l, unsigned char *p,
					uint64_t number)
{
	p = varint_put(p, number - l->seam_number);
	l->seam_number = number;
	return p;
}

/* The blocks on the stack may be claimed by calls of the seams. */
static int leave(struct block_log *l)
{
	struct bytes *b = &l->seams.buf;
	unsigned char *p;

	if (!l->nleft)
		return 0;
	if (bytes_room(b, (4 * l->nleft + 1) * VARINT_MAX))
		return -1;
	p = varint_put(b->p + b->n, (uint64_t)l->nleft << 2 | SEAM_LEFT);
	for (size_t i = 0; i < l->nleft; i++) {
		p = put_number(l, p, l->left[i].number);
		p = varint_put(p, l->left[i].name);
		p = varint_put(p, l->left[i].calls);
		p = varint_put(p, varint_zigzag(0, l->left[i].cost));
	}
	b->n = (size_t)(p - b->p);
	l->nleft = 0;
	return spilled(l, &l->seams);
}

/* The calls of the block at hand. */
static int put_calls(struct block_log *l, enum seam kind)
{
	const size_t n = l->ncall;
	struct bytes *b = &l->seams.buf;
	unsigned char *p;

	if (bytes_room(b, (2 * n + 3) * VARINT_MAX))
		return -1;
	p = varint_put(b->p + b->n, (uint64_t)n << 2 | kind);
	p = put_number(l, p, l->blocks - 1);
	p = varint_put(p, l->line);
	for (size_t i = 0; i < n; i++) {
		p = varint_put(p, (uint64_t)l->call[i].name << 1 | l->call[i].once);
		p = varint_put(p, varint_zigzag(0, l->call[i].cost));
	}
	b->n = (size_t)(p - b->p);
	return spilled(l, &l->seams);
}

/* ---- blocks ---- */

/* Records from this block on have so many costs. */
static __attribute__((noinline)) int note_events(struct block_log *l, size_t events)
{
	if (vec_reserve(&l->events, &l->events_cap, l->nevents + 1, sizeof(*l->events)))
		return -1;
	l->events[l->nevents++] = (struct block_events){l->blocks - 1, events};
	return 0;
}

/* Write the record of the block at hand, which claims n blocks. */
static inline int put_record(struct block_log *l, uint64_t n, const uint64_t *self,
			     size_t events)
{
	struct bytes *b = &l->records.buf;
	unsigned char *p;

	if (bytes_room(b, block_log_most(events) + VARINT_MAX))
		return -1;
	p = b->p + b->n;
	for (size_t e = events; e-- > 0;)
		p = put_back(p, varint_zigzag(l->before[e], self[e]));
	if (n >= 3)
		p = put_back(p, n - 3);
	p = put_back(p, (uint64_t)l->fn << 2 | (n < 3 ? n : 3));
	b->n = (size_t)(p - b->p);
	return spilled(l, &l->records);
}

/* The block at hand ends; self[]: the costs of its function. */
static inline __attribute__((always_inline)) int
end(struct block_log *l, const uint64_t *self, size_t events, size_t column, bool last)
{
	const size_t calls = l->ncall;
	uint64_t cost = events ? self[column] - l->before[column] : 0;
	bool row = !last && calls <= l->nleft;

	for (size_t i = 0; i < calls; i++)
		cost += l->call[i].cost;
	for (size_t i = 0; row && i < calls; i++)
		row = block_fits(&l->call[calls - 1 - i], &l->left[l->nleft - 1 - i]);
	if (row)
		l->nleft -= calls;
	if (!l->nevents || l->events[l->nevents - 1].events != events)
		if (note_events(l, events))
			return -1;
	if (put_record(l, row ? calls : 0, self, events))
		return -1;
	if (!row && (leave(l) || put_calls(l, last ? SEAM_LAST : SEAM_BLOCK)))
		return -1;
	if (l->nleft >= LEFT_MOST && leave(l))
		return -1;
	if (vec_reserve_raw(&l->left, &l->left_cap, l->nleft + 1, sizeof(*l->left)))
		return -1;
	l->left[l->nleft++] =
		(struct block_left){l->name, (uint32_t)calls, l->blocks - 1, cost};
	l->open = false;
	return 0;
}

static inline int begin(struct block_log *l, uint32_t fn, uint32_t name,
			const uint64_t *self, size_t events)
{
	if (vec_reserve(&l->before, &l->before_cap, events, sizeof(*l->before)))
		return -1;
	for (size_t e = 0; e < events; e++)
		l->before[e] = self[e];
	l->open = true;
	l->fn = fn;
	l->name = name;
	l->line = 0;
	l->ncall = 0;
	l->blocks++;
	return 0;
}

int block_log_next(struct block_log *l, uint32_t fn, uint32_t name, const uint64_t *self,
		   size_t events, size_t column)
{
	const uint64_t *ended = self + l->fn * events;

	return (l->open && end(l, ended, events, column, false)) ||
			       begin(l, fn, name, self + fn * events, events)
		       ? -1
		       : 0;
}

int block_log_last(struct block_log *l, const uint64_t *self, size_t events,
		   size_t column)
{
	return l->open ? end(l, self + l->fn * events, events, column, true) : 0;
}

int block_log_part(struct block_log *l)
{
	if (!l->on && !l->blocks)
		return 0;
	if (l->part_at == UINT64_MAX)
		l->part_at = l->blocks;
	l->nleft = 0; /* no block of another part claims them */
	return bytes_put(&l->seams.buf, SEAM_PART);
}

int block_log_finish(struct block_log *l)
{
	if (leave(l))
		return -1;
	free(l->before);
	free(l->call);
	free(l->left);
	l->before = NULL;
	l->call = NULL;
	l->left = NULL;
	l->before_cap = l->call_cap = l->left_cap = 0;
	return 0;
}

int block_log_more(struct block_log *l)
{
	return vec_reserve_raw(&l->call, &l->call_cap, l->ncall + 1, sizeof(*l->call));
}
