/* inlines_file.c - see inlines_file.h. */
#include "engine/inline/inlines_file.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "engine/inline/inline_code.h"
#include "index/base/err_struct.h"
#include "index/store/publish.h"

#define MAGIC "quern inlines 3\n"
enum {
	OURS = sizeof("quern inlines ") - 1,
	WORD = sizeof(MAGIC) - 1,
	HEAD = WORD + 8, /* with the checksum */
};
#define LARGEST ((off_t)4 << 30)

/* ---- reading ---- */

/* Open the file; -1: there is none that may be used. */
static int open_kept(const char *path, bool trust, size_t *size)
{
	const int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOFOLLOW);
	struct stat sb;

	if (fd < 0)
		return -1;
	if (fstat(fd, &sb) == 0 && S_ISREG(sb.st_mode) && sb.st_size >= HEAD &&
	    sb.st_size < LARGEST &&
	    (trust || ((sb.st_uid == geteuid() || sb.st_uid == 0) &&
		       !(sb.st_mode & (S_IWGRP | S_IWOTH))))) {
		*size = (size_t)sb.st_size;
		return fd;
	}
	close(fd);
	return -1;
}

static bool read_whole(int fd, unsigned char *p, size_t size)
{
	for (size_t n = 0; n < size;) {
		const ssize_t got = read(fd, p + n, size - n);

		if (got <= 0 && !(got < 0 && errno == EINTR))
			return false;
		n += got > 0 ? (size_t)got : 0;
	}
	return true;
}

static struct kept_object *get_objects(struct varint_reader *in, struct arena *a,
				       size_t *n)
{
	const uint64_t objects = varint_get(in);
	struct kept_object *o =
		objects <= (uint64_t)(in->end - in->p)
			? ARENA_ARRAY(a, struct kept_object, (size_t)objects + 1)
			: NULL;

	for (uint64_t i = 0; o && i < objects; i++) {
		o[i].name = inline_text_get(in);
		o[i].size = varint_get(in);
		o[i].mtime_ns = varint_get(in);
		o[i].build_id = inline_text_get(in);
		o[i].none = varint_get(in) != 0;
		o[i].code = inline_text_get(in);
	}
	if (!o || in->bad)
		return NULL;
	*n = (size_t)objects;
	return o;
}

struct kept_object *inlines_file_read(const char *path, bool trust, uint64_t stamp,
				      struct arena *a, size_t *n)
{
	struct kept_object *o = NULL;
	unsigned char *p;
	size_t size = 0;
	uint64_t sum;
	const int fd = open_kept(path, trust, &size);

	*n = 0;
	if (fd < 0)
		return NULL;
	p = arena_alloc(a, size);
	if (p && read_whole(fd, p, size) && memcmp(p, MAGIC, WORD) == 0) {
		struct varint_reader in = {p + HEAD, p + size, false};

		memcpy(&sum, p + WORD, sizeof(sum));
		if (sum == str_hash((struct str){(char *)p + HEAD, size - HEAD}) &&
		    varint_get(&in) == stamp)
			o = get_objects(&in, a, n);
	}
	close(fd);
	return o;
}

/* ---- writing ---- */

/* Whether nothing is at path, or a file of ours, maybe of another version. */
static bool may_replace(const char *path)
{
	const int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOFOLLOW);
	char word[OURS];
	struct stat sb;
	bool ours;

	if (fd < 0)
		return errno == ENOENT;
	ours = fstat(fd, &sb) == 0 && S_ISREG(sb.st_mode) &&
	       (sb.st_size == 0 ||
		(pread(fd, word, OURS, 0) == OURS && memcmp(word, MAGIC, OURS) == 0));
	close(fd);
	return ours;
}

static int put_objects(struct bytes *b, uint64_t stamp, const struct kept_object *o,
		       size_t n)
{
	static const unsigned char no_sum[8];
	uint64_t sum;

	if (bytes_append(b, (const unsigned char *)MAGIC, WORD) ||
	    bytes_append(b, no_sum, sizeof(no_sum)) || bytes_put(b, stamp) ||
	    bytes_put(b, n))
		return -1;
	for (size_t i = 0; i < n; i++)
		if (inline_text_put(b, o[i].name) || bytes_put(b, o[i].size) ||
		    bytes_put(b, o[i].mtime_ns) || inline_text_put(b, o[i].build_id) ||
		    bytes_put(b, o[i].none) || inline_text_put(b, o[i].code))
			return -1;
	sum = str_hash((struct str){(const char *)b->p + HEAD, b->n - HEAD});
	memcpy(b->p + WORD, &sum, sizeof(sum));
	return 0;
}

static bool write_whole(int fd, const struct bytes *b)
{
	for (size_t n = 0; n < b->n;) {
		const ssize_t put = write(fd, b->p + n, b->n - n);

		if (put < 0 && errno != EINTR)
			return false;
		n += put > 0 ? (size_t)put : 0;
	}
	return true;
}

void inlines_file_write(const char *path, uint64_t stamp, const struct kept_object *o,
			size_t n)
{
	const struct publish_wait wait = {.no_wait = true};
	struct err ignored = {0};
	struct bytes b = {0};
	struct publish p;

	if (publish_writable(path) && may_replace(path) &&
	    !put_objects(&b, stamp, o, n)) {
		if (!publish_begin(&p, path, &wait, &ignored) &&
		    write_whole(p.temp_fd, &b))
			publish_commit(&p, &ignored);
		publish_end(&p);
	}
	free(b.p);
}
