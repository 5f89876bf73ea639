/*
 * store_pages.c - see store_pages.h.
 *
 * LMDB 0.9 on a 64-bit machine, little endian:
 *
 *	page   number u64 | pad u16 | flags u16 | lower u16, upper u16 (or pages u32) | ...
 *	meta   page header | magic u32 | version u32 | address u64 | map size u64 |
 *	       tree of free pages, tree of values: 48 bytes each | last page u64 | txn u64
 *	tree   pad u32 (first tree: page size) | flags u16 | depth u16 | 4 counts | root u64
 *	branch, leaf   header | u16 offset of each node, up to lower | ... nodes from upper
 *	node   lo u16 | hi u16 | flags u16 | key size u16 | key | data
 *
 * In a branch, lo, hi and flags of a node are its child; in a leaf, lo and hi are its
 * data size.  Every value of an index is longer than LMDB keeps in a leaf (VALUE_MIN), so
 * each leaf node has the number of the first of the pages that hold its value.
 */
#include "index/store/store_pages.h"

#include <errno.h>
#include <stddef.h>
#include <stdlib.h>
#include <unistd.h>

#include "index/base/err.h"

enum {
	MAGIC = 0xbeefc0de,
	VERSION = 1,
	HEADER = 16,
	NODE = 8,
	KEY = 8,
	TREE = 48,
	META_TREES = HEADER + 24,
	META_BYTES = META_TREES + 2 * TREE + 16,
	IS_BRANCH = 1,
	IS_LEAF = 2,
	IS_OVERFLOW = 4,
	IS_META = 8,  /* page flags */
	BIG_DATA = 1, /* node flag */
	DEEPEST = 16,
};

struct page_walk {
	int fd;
	uint64_t page;	 /* bytes of a page */
	uint64_t last;	 /* number of the last page */
	uint64_t visits; /* pages that may still be visited: a tree has no more */
	unsigned char least[KEY]; /* least value of the next key */
	bool no_memory;
	int error; /* errno of a read that failed */
};

static bool read_at(struct page_walk *w, uint64_t page, void *to, size_t n)
{
	ssize_t got;

	do
		got = pread(w->fd, to, n, (off_t)(page * w->page));
	while (got < 0 && errno == EINTR);
	if (got < 0)
		w->error = errno;
	return got == (ssize_t)n;
}

/* Whether a value of `size` bytes can be in the pages from `first` on. */
static bool value_fits(struct page_walk *w, uint64_t first, uint64_t size)
{
	uint64_t pages = (HEADER + size + w->page - 1) / w->page;
	unsigned char head[HEADER];

	return first > 1 && first <= w->last && pages <= w->last - first + 1 &&
	       read_at(w, first, head, sizeof(head)) && lmdb_number(head, 8) == first &&
	       lmdb_number(head + 10, 2) == IS_OVERFLOW &&
	       lmdb_number(head + 12, 4) == pages;
}

/* Keys must ascend over the whole tree, or a search would miss some. */
static bool next_key(struct page_walk *w, const unsigned char *key, bool leaf)
{
	if (memcmp(key, w->least, KEY) < 0)
		return false;
	memcpy(w->least, key, KEY);
	for (int i = KEY - 1; leaf && i >= 0 && ++w->least[i] == 0; i--)
		;
	return true;
}

static bool leaf_node(struct page_walk *w, const unsigned char *node,
		      const unsigned char *end)
{
	return end - node >= NODE + KEY + 8 && lmdb_number(node + 4, 2) == BIG_DATA &&
	       lmdb_number(node + 6, 2) == KEY && next_key(w, node + NODE, true) &&
	       value_fits(w, lmdb_number(node + NODE + KEY, 8), lmdb_number(node, 4));
}

static bool tree_fits(struct page_walk *w, uint64_t at, unsigned depth);

/* The first node of a branch has no key; each other has the first key of its child. */
static bool branch_node(struct page_walk *w, const unsigned char *node,
			const unsigned char *end, bool first, unsigned depth)
{
	if (!first && (end - node < NODE + KEY || lmdb_number(node + 6, 2) != KEY ||
		       !next_key(w, node + NODE, false)))
		return false;
	return tree_fits(w, lmdb_number(node, 6), depth - 1);
}

static bool nodes_fit(struct page_walk *w, const unsigned char *page, unsigned depth)
{
	uint64_t lower = lmdb_number(page + 12, 2), upper = lmdb_number(page + 14, 2);
	bool branch = lmdb_number(page + 10, 2) == IS_BRANCH;

	if (lower <= HEADER || lower % 2 || lower > upper || upper > w->page)
		return false;
	for (uint64_t i = HEADER; i < lower; i += 2) {
		uint64_t offset = lmdb_number(page + i, 2);

		if (offset < upper || offset % 2 || offset > w->page - NODE)
			return false;
		if (!(branch ? branch_node(w, page + offset, page + w->page, i == HEADER,
					   depth)
			     : leaf_node(w, page + offset, page + w->page)))
			return false;
	}
	return true;
}

/* depth: levels from here down; leaves are 1. */
static bool tree_fits(struct page_walk *w, uint64_t at, unsigned depth)
{
	unsigned char *page;
	bool fits;

	if (at < 2 || at > w->last || depth == 0 || w->visits-- == 0)
		return false;
	page = malloc(w->page);
	w->no_memory |= !page;
	fits = page && read_at(w, at, page, w->page) && lmdb_number(page, 8) == at &&
	       lmdb_number(page + 10, 2) == (depth > 1 ? IS_BRANCH : IS_LEAF) &&
	       nodes_fit(w, page, depth);
	free(page);
	return fits;
}

/* A failed read or lack of memory is not damage. */
static int page_damaged(const struct page_walk *w, const char *path, const char *why,
			struct err *err)
{
	if (w->no_memory)
		return err_set(err, ERR_LIMIT, 0, "out of memory to open the index %s",
			       path);
	if (w->error)
		return err_set(err, ERR_INDEX, 0, "cannot read the index %s: %s", path,
			       strerror(w->error));
	err_set(err, ERR_INDEX, 0, "the index %s is damaged: %s", path, why);
	return err_hint(err, "rebuild it: run quern with --rebuild");
}

int store_pages_check(int fd, const char *path, uint64_t size, struct err *err)
{
	struct page_walk w = {.fd = fd, .page = (uint64_t)sysconf(_SC_PAGESIZE)};
	unsigned char meta[2][META_BYTES];
	const unsigned char *tree;

	for (int i = 0; i < 2; i++) {
		const unsigned char *m = meta[i];

		if (!read_at(&w, (uint64_t)i, meta[i], META_BYTES))
			return page_damaged(&w, path, "it is too short", err);
		if (!(lmdb_number(m + 10, 2) & IS_META) ||
		    lmdb_number(m + HEADER, 4) != MAGIC ||
		    lmdb_number(m + HEADER + 4, 4) != VERSION)
			return page_damaged(
				&w, path, "it does not begin as an LMDB file does", err);
		if (lmdb_number(m + META_TREES, 4) != w.page)
			return page_damaged(&w, path,
					    "its pages are not of this machine's size",
					    err);
	}
	/* Like LMDB, use the newer one. */
	const unsigned char *m = meta[lmdb_number(meta[1] + META_BYTES - 8, 8) >
				      lmdb_number(meta[0] + META_BYTES - 8, 8)];

	w.last = lmdb_number(m + META_BYTES - 16, 8);
	if (size % w.page || w.last >= size / w.page)
		return page_damaged(&w, path, "it is shorter than it says", err);
	w.visits = w.last;
	tree = m + META_TREES + TREE;
	if (lmdb_number(tree + 4, 2) != 0 || lmdb_number(tree + 6, 2) > DEEPEST ||
	    !tree_fits(&w, lmdb_number(tree + 40, 8), (unsigned)lmdb_number(tree + 6, 2)))
		return page_damaged(&w, path, "its tree of values is broken", err);
	return 0;
}
