/*
 * store_recognise.c - is a file a quern index?  See store.h.
 *
 * Other programs use LMDB, too, so LMDB's magic is not enough.  Every value of an index
 * has pages of its own (store_pages.c), and the first of them begins with
 *
 *	page number u64 | pad u16 | flags u16, those of such a page | pages u32 | VALUE_MAGIC
 *
 * No text has a page number that fits its place there, and no other database has
 * VALUE_MAGIC.
 */
#include <sys/stat.h>
#include <unistd.h>

#include "index/format/tables.h"
#include "index/store/store.h"
#include "index/store/store_pages.h"

enum {
	LMDB_MAGIC = 0xbeefc0de,
	META_MAGIC = 16, /* offset of the magic in the first page */
	META_PAGE = 40,	 /* offset of the page size */
	META_LAST = 136, /* offset of the last page's number */
	FLAGS = 10,
	IS_OVERFLOW = 4,
	VALUE = 16, /* offset of the value in its page */
	PAGE_LEAST = 4096,
	PAGE_MOST = 65536,
	FIRST_PAGES = 64, /* of a whole index; one of them has a value */
};

/* Bytes searched for a value if the beginning is lost. */
static const uint64_t SEARCHED = 64 << 20;

static bool has_value(int fd, uint64_t at)
{
	unsigned char page[VALUE + 4];
	uint64_t pgno;

	if (pread(fd, page, sizeof(page), (off_t)at) != (ssize_t)sizeof(page) ||
	    lmdb_number(page + FLAGS, 2) != IS_OVERFLOW ||
	    lmdb_number(page + VALUE, 4) != VALUE_MAGIC)
		return false;
	pgno = lmdb_number(page, 8);
	for (uint64_t size = PAGE_LEAST; size <= PAGE_MOST; size *= 2)
		if (at % size == 0 && pgno == at / size)
			return true;
	return false;
}

/* Whether there is a value in the bytes before `upto`. */
static bool any_value(int fd, uint64_t upto)
{
	struct stat sb;

	if (fstat(fd, &sb))
		return false;
	for (uint64_t at = 0; at < upto && at < (uint64_t)sb.st_size; at += PAGE_LEAST)
		if (has_value(fd, at))
			return true;
	return false;
}

bool store_is_lmdb(int fd)
{
	unsigned char magic[4];

	return pread(fd, magic, sizeof(magic), META_MAGIC) == (ssize_t)sizeof(magic) &&
	       lmdb_number(magic, 4) == LMDB_MAGIC;
}

bool store_recognise(int fd)
{
	return store_is_lmdb(fd) && any_value(fd, FIRST_PAGES * (uint64_t)PAGE_MOST);
}

/* The first page promises more pages than the file has, so no program can read the
 * database. */
static bool cut_off(int fd)
{
	unsigned char meta[META_LAST + 8];
	struct stat sb;
	uint64_t page;

	if (fstat(fd, &sb) || pread(fd, meta, sizeof(meta), 0) != (ssize_t)sizeof(meta))
		return false;
	page = lmdb_number(meta + META_PAGE, 4);
	return page && lmdb_number(meta + META_LAST, 8) >= (uint64_t)sb.st_size / page;
}

bool store_replaceable(int fd, bool named)
{
	struct stat sb;

	return (fstat(fd, &sb) == 0 && sb.st_size == 0) || any_value(fd, SEARCHED) ||
	       (named && store_is_lmdb(fd) && cut_off(fd));
}
