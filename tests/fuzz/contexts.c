/*
 * contexts.c - fuzz the call tree of Xdebug's profiles: it is that of a simple reader.
 *
 * An input is a script: how to read, then blocks.  A block claims some of those that are
 * left, as Xdebug would write it; one in some is then changed, so that the file contradicts
 * itself: another function, count or cost, a call less, two blocks in turn, the same twice,
 * a new part.  Whatever it says, both readers find the same stacks and lost calls.
 */
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "index/base/err_struct.h"
#include "index/base/out.h"
#include "index/build.h"
#include "tests/support/blocks.h"
#include "tests/support/derived.h"
#include "tests/support/fuzzing.h"

enum { MOST = 160 }; /* blocks: the simple reader is slow */

static struct made made;

static void sum_up(struct block *b)
{
	b->cost = b->own[0];
	for (unsigned i = 0; i < b->ncall; i++)
		b->cost += b->call[i].cost;
}

/* Change the last block, by one of the ways that files go wrong. */
static void change(struct fuzz_bytes *in)
{
	struct block *b = &made.block[made.n - 1];
	struct call *call = b->ncall ? &b->call[fuzz_take(in, 1) % b->ncall] : NULL;
	struct block was = *b;

	switch (fuzz_take(in, 1) % 8) {
	case 0: b->fn = (unsigned)fuzz_take(in, 1) % NAMES; break;
	case 1: b->ncall -= b->ncall > 0; break;
	case 2:
		if (call)
			call->count = (unsigned)fuzz_take(in, 1) % 3;
		break;
	case 3:
		if (call)
			call->fn = (unsigned)fuzz_take(in, 1) % NAMES;
		break;
	case 4:
		if (call)
			call->cost = fuzz_take(in, 4);
		break;
	case 5:
		if (made.n > 1 && b[-1].part == b->part) {
			*b = b[-1];
			b[-1] = was;
		}
		break;
	case 6:
		if (made.n < MOST)
			made.block[made.n++] = was;
		break;
	default: b->part++; break;
	}
	sum_up(b);
}

/* Add a block that claims the last ones of `left`. */
static void add_block(struct fuzz_bytes *in, int *left, int *n)
{
	const unsigned head = (unsigned)fuzz_take(in, 1), k = head / NAMES % 8;
	const unsigned part = made.n ? made.block[made.n - 1].part : 0;
	struct block b = {.fn = head % NAMES, .part = part, .parent = -1};

	b.own[0] = fuzz_take(in, head & 128 ? 4 : 1);
	b.own[1] = fuzz_take(in, 1);
	for (int i = *n > (int)k ? *n - (int)k : 0; i < *n; i++) {
		const struct block *of = &made.block[left[i]];

		b.call[b.ncall++] = (struct call){of->fn, 1, of->cost + (head >> 7)};
	}
	*n -= (int)b.ncall;
	sum_up(&b);
	left[(*n)++] = made.n;
	made.block[made.n++] = b;
}

static void make(struct fuzz_bytes *in)
{
	int left[BLOCKS], n = 0;

	made.n = 0;
	while (in->n && made.n < MOST) {
		const unsigned part = made.n ? made.block[made.n - 1].part : 0;

		add_block(in, left, &n);
		if (fuzz_take(in, 1) >= 0xe0)
			change(in);
		if (made.block[made.n - 1].part != part)
			n = 0; /* what is left is of the part before */
	}
}

static void compare(const struct build_opts *opts, const char *path, uint64_t lost)
{
	struct err err = {0};
	struct build_report report;
	struct store_verified checked;
	struct store *st = NULL;
	struct out said;

	out_mem(&said);
	if (build_open_set(&path, 1, opts, &st, &report, &err))
		fuzz_fail("it is not read: %s", err.text);
	blocks_say(&said, st);
	if (derived_verify(st, &checked, &err))
		fuzz_fail("the index is not sound: %s", err.text);
	store_close(st);
	if (!blocks_are(&made, lost, &said))
		fuzz_fail("another tree, of %d blocks, %ju calls lost:\n%.*s", made.n,
			  (uintmax_t)lost, (int)(said.n < 2000 ? said.n : 2000),
			  said.buf);
	out_close(&said);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct fuzz_bytes in = {data, size};
	const unsigned how = (unsigned)fuzz_take(&in, 1);
	const struct build_opts opts = {.no_write = true,
					.rebuild = true,
					.jobs = 1 + how % 3,
					.stretch = how & 16 ? 64u << (how >> 5) : 0,
					.mem = how & 8 ? 15 : 0};
	static char path[200];
	FILE *f;

	make(&in);
	if (!made.n)
		return 0;
	if (!path[0])
		snprintf(path, sizeof(path), "%s/p.xd", fuzz_directory());
	if (!(f = fopen(path, "w")))
		abort();
	blocks_write(&made, f);
	fclose(f);
	compare(&opts, path, blocks_kept(&made));
	return 0;
}
