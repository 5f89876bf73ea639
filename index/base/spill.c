/*
 * spill.c - a buffer that moves to a file when it grows large; see spill.h.
 *
 *	offset 0 ......... spilled ......... spill_at()
 *	       | the file  |      buf        |
 */
#include "index/base/spill.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "index/base/err_struct.h"
#include "index/base/file.h"
#include "index/base/os.h"

enum { STEP = 1 << 20 }; /* bytes to buffer once there is a file */

void spill_init(struct spill *o, size_t limit, const char *dir)
{
	*o = (struct spill){.fd = -1, .limit = limit, .dir = dir};
}

void spill_free(struct spill *o)
{
	map_close(&o->map);
	if (o->fd >= 0)
		close(o->fd);
	free(o->buf.p);
	free(o->scratch.p);
	spill_init(o, 0, NULL);
}

/* A file without a name; where there is none it is unlinked at once. */
static int open_unlinked(const char *dir)
{
	int fd = os_nameless(AT_FDCWD, dir);
	char path[PATH_MAX + 40];

	if (fd >= 0 || (errno != EOPNOTSUPP && errno != EISDIR && errno != EINVAL))
		return fd;
	snprintf(path, sizeof(path), "%.*s/quern.tmp.%ld.XXXXXX", PATH_MAX, dir,
		 (long)getpid());
	fd = mkostemp(path, O_CLOEXEC);
	if (fd >= 0)
		unlink(path);
	return fd;
}

int spill_write(struct spill *o)
{
	const unsigned char *p = o->buf.p;
	size_t left = o->buf.n;

	if (!o->limit || !o->dir || left < o->limit)
		return 0;
	if (o->fd < 0 && (o->fd = open_unlinked(o->dir)) < 0)
		return errno;
	while (left) {
		ssize_t w =
			pwrite(o->fd, p, left, (off_t)(o->spilled + (o->buf.n - left)));

		if (w < 0 && errno != EINTR)
			return errno;
		if (w > 0) {
			p += w;
			left -= (size_t)w;
		}
	}
	o->spilled += o->buf.n;
	o->buf.n = 0;
	if (o->limit > STEP) {
		o->limit = STEP;
		free(o->buf.p);
		o->buf = (struct bytes){0};
	}
	return 0;
}

const unsigned char *spill_read(const struct spill *o, uint64_t at, uint64_t n,
				struct bytes *scratch)
{
	if (at >= o->spilled)
		return o->buf.p + (at - o->spilled);
	if (at + n <= o->map.n)
		return (const unsigned char *)o->map.p + at;
	scratch->n = 0;
	if (bytes_room(scratch, (size_t)n)) {
		errno = ENOMEM;
		return NULL;
	}
	if (file_read(o->fd, scratch->p, (size_t)n, at))
		return NULL;
	return scratch->p;
}

void spill_map(struct spill *o)
{
	struct err ignored = {0};

	if (o->spilled > o->map.n) {
		map_close(&o->map);
		map_open(&o->map, o->fd, o->spilled, "a temporary file", &ignored);
	}
}

const unsigned char *spill_bytes(struct spill *o, uint64_t at, uint64_t n)
{
	return spill_read(o, at, n, &o->scratch);
}
