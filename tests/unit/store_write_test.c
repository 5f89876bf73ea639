/* store_write_test.c - columns larger than what is kept between commits, and than there is room for. */
#include "index/base/err_struct.h"
#include "index/base/err_kind.h"
#include "index/save/store_write.h"

#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "index/base/hash.h"
#include "index/store/store_pages.h"
#include "tests/support/tap.h"

static char index_path[64];

/* Columns of so many rows, into a file that may have so many bytes. */
static int write_columns(uint64_t rows, uint64_t map_bytes, uint64_t *size,
			 struct err *err)
{
	uint64_t *column = calloc(rows, sizeof(*column));
	int fd = open(index_path, O_RDWR | O_CREAT | O_TRUNC, 0600);
	struct store_writer *w = NULL;
	struct err pages = {0};
	struct stat sb;

	if (!column || fd < 0)
		abort();
	for (uint64_t i = 0; i < rows; i++)
		column[i] = hash_mix(i + 1); /* no width below 64 will do */
	if (!store_writer_open(index_path, fd, map_bytes, &w, err) &&
	    !store_writer_column(w, TABLE_FN_SELF, 0, column, rows, err))
		store_writer_finish(w, err);
	store_writer_close(w);
	fstat(fd, &sb);
	*size = (uint64_t)sb.st_size;
	if (!err->kind)
		is_u64((uint64_t)store_pages_check(fd, index_path, *size, &pages), 0,
		       "%llu rows: a whole file", (unsigned long long)rows);
	close(fd);
	unlink(index_path);
	free(column);
	return err->kind;
}

int main(void)
{
	enum { MANY = 5 << 20 }; /* twice what is kept between commits */
	struct err err = {0}, full = {0}, none = {0};
	uint64_t size;

	snprintf(index_path, sizeof(index_path), "%s/quern-write-%ld",
		 access("/dev/shm", W_OK) ? "/tmp" : "/dev/shm", (long)getpid());
	ok(!write_columns(MANY, (uint64_t)1 << 30, &size, &err) && size > MANY * 8,
	   "%d rows are written: %s", MANY, err.text);
	is_u64((uint64_t)write_columns(MANY, 1 << 20, &size, &full), ERR_INDEX,
	       "more than was reckoned");
	ok(strstr(full.text, "larger than was reckoned") != NULL, "is said: %s",
	   full.text);
	is_u64((uint64_t)write_columns(MANY, 24 << 20, &size, &none), ERR_INDEX,
	       "more than was reckoned, after a commit: %s", none.text);
	unlink(index_path);
	return done_testing();
}
