/* backwards.c - blocks from the last to the first; see backwards.h. */
#include "index/contexts/backwards.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "index/base/err.h"

enum { WINDOW = 1 << 20 }; /* bytes of records that are read at once */

struct backwards {
	const struct context_stretch *s; /* the stretch at hand */
	uint64_t base;			 /* of its first block, in the file */
	size_t events;			 /* costs of a record */
	size_t change;			 /* of s->log->events[]: the next one before */
	int64_t *self;			 /* that block.self points to: */
	size_t nself;			 /* events of the profile */
	struct block_back block;
	block_back_take *take;
	void *arg;
	struct err *err;
};

/* Records before block `number` of the stretch may have other costs. */
static void events_before(struct backwards *b, uint64_t number)
{
	const struct block_log *log = b->s->log;

	while (b->change && log->events[b->change - 1].from > number)
		b->change--;
	b->events = b->change ? log->events[b->change - 1].events : 0;
	memset(b->self, 0, b->nself * sizeof(*b->self));
}

/* Take the record that ends at p; its start, or NULL. */
static inline const unsigned char *take_record(struct backwards *b,
					       const unsigned char *p)
{
	struct block_back *const block = &b->block;
	const uint64_t number = --block->number - b->base;
	uint64_t head, cost;

	if (b->change && b->s->log->events[b->change - 1].from > number)
		events_before(b, number);
	p = block_log_number(p, &head);
	block->wants = head & 3;
	if (block->wants == 3) {
		p = block_log_number(p, &block->wants);
		block->wants += 3;
	}
	block->fn = b->s->fn[head >> 2];
	for (size_t e = 0; e < b->events; e++) {
		p = block_log_number(p, &cost);
		b->self[b->s->event[e]] = (int64_t)varint_unzigzag(0, cost);
	}
	return b->take(b->arg, block) ? NULL : p;
}

/* Take the records of p[0..n) from the end, and those that begin before `most` bytes only
 * if `all`; *left: the bytes that are left. */
static int take_records(struct backwards *b, const unsigned char *p, uint64_t n,
			size_t most, bool all, uint64_t *left)
{
	const unsigned char *at = n ? p + n : p;

	while (at > p && (all || (size_t)(at - p) >= most))
		if (!(at = take_record(b, at)))
			return b->err->kind;
	*left = (uint64_t)(at - p);
	return 0;
}

static int take_stretch(struct backwards *b, const atomic_int *cancel)
{
	const struct block_log *log = b->s->log;
	const struct spill *records = &log->records;
	const size_t most = block_log_most(b->events);
	struct bytes scratch = {0};
	uint64_t at = records->spilled, left = 0;
	int rc;

	/* Whole records are in memory and in the file. */
	rc = take_records(b, records->buf.p, records->buf.n, 0, true, &left);
	while (!rc && at) {
		const uint64_t n = at < WINDOW ? at : WINDOW;
		const unsigned char *p = spill_read(records, at - n, n, &scratch);

		if (!p)
			rc = err_set(b->err, ERR_INDEX, 0,
				     "cannot read a temporary file in %s: %s",
				     records->dir, strerror(errno));
		else
			rc = take_records(b, p, n, most, n == at, &left);
		at = at - n + left;
		if (!rc && cancel && atomic_load(cancel))
			rc = err_set(b->err, ERR_CANCEL, 0, "interrupted");
	}
	free(scratch.p);
	return rc;
}

int backwards_read(const struct context_stretch *s, size_t n, uint64_t blocks,
		   size_t events, block_back_take *take, void *arg,
		   const atomic_int *cancel, struct err *err)
{
	struct backwards b = {.self = malloc((events + 1) * sizeof(*b.self)),
			      .nself = events,
			      .block.number = blocks,
			      .take = take,
			      .arg = arg,
			      .err = err};
	int rc = b.self ? 0 : err_no_memory(err, "while building the call tree");

	b.block.self = b.self;
	while (n-- > 0 && !rc) {
		b.s = &s[n];
		b.base = b.block.number - s[n].log->blocks;
		b.change = s[n].log->nevents;
		events_before(&b, UINT64_MAX);
		rc = take_stretch(&b, cancel);
	}
	free(b.self);
	return rc;
}
