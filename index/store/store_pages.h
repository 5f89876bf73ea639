/*
 * store_pages.h - check the pages of an index before LMDB maps it.
 *
 * LMDB trusts its file: a wrong page number or node offset is a wild read, and a failed
 * assertion ends the process.  The tree of an index is a handful of pages (values have
 * their own pages and checks), so all of it is checked first.
 */
#ifndef QUERN_STORE_PAGES_H
#define QUERN_STORE_PAGES_H

#include <stdint.h>
#include <string.h>

struct err;

/* The number of `bytes` bytes at p, as LMDB writes it: in the order of the machine. */
static inline uint64_t lmdb_number(const unsigned char *p, unsigned bytes)
{
	uint64_t v = 0;

	memcpy(&v, p, bytes);
	return v;
}

/* ERR_INDEX if the file of `size` bytes is not a whole LMDB file as store_write.h
 * makes it; path is for the message. */
int store_pages_check(int fd, const char *path, uint64_t size, struct err *err);

#endif
