/* source.c - the profile as a file; see source.h. */
#include "index/source.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <xxhash.h>

static const struct {
	const char *magic, *name, *unpack;
	size_t n;
} packed[] = {
	{"\x1f\x8b", "gzip", "gzip -dk", 2},
	{"BZh", "bzip2", "bzip2 -dk", 3},
	{"\xfd" "7zXZ\0", "xz", "xz -dk", 6},
	{"\x28\xb5\x2f\xfd", "zstd", "zstd -d", 4},
};

static int refuse_packed(const struct source *s, struct err *err)
{
	char head[8] = {0};
	ssize_t n = pread(s->fd, head, sizeof(head), 0);

	for (size_t i = 0; i < sizeof(packed) / sizeof(packed[0]); i++)
		if (n >= (ssize_t)packed[i].n && memcmp(head, packed[i].magic, packed[i].n) == 0) {
			err_set(err, ERR_PROFILE, 0, "%s: compressed with %s", s->name,
				packed[i].name);
			return err_hint(err, "unpack it first: %s %s", packed[i].unpack, s->name);
		}
	return 0;
}

static const struct {
	const char *magic, *nature;
	size_t n;
} natures[] = {
	{"\x7f" "ELF", "a program or library", 4},
	{"\x89PNG", "a PNG image", 4},
	{"PERFILE2", "a file of perf record", 8},
	{"gmon", "a file of gprof", 4},
	{"%PDF", "a PDF document", 4},
	{"PK\3\4", "a zip archive", 4},
	{"{", "JSON", 1},
	{"<", "XML or HTML", 1},
};

const char *source_nature(const struct source *s)
{
	size_t head = s->map.n < 4096 ? s->map.n : 4096;

	for (size_t i = 0; i < sizeof(natures) / sizeof(natures[0]); i++)
		if (head >= natures[i].n && memcmp(s->map.p, natures[i].magic, natures[i].n) == 0)
			return natures[i].nature;
	return head && memchr(s->map.p, 0, head) ? "binary data" : NULL;
}

static uint64_t nanoseconds(const struct timespec *t)
{
	return (uint64_t)t->tv_sec * 1000000000u + (uint64_t)t->tv_nsec;
}

static void identify(struct source_id *id, const struct stat *sb)
{
	id->dev = sb->st_dev;
	id->inode = sb->st_ino;
	id->size = (uint64_t)sb->st_size;
	id->mtime_ns = nanoseconds(&sb->st_mtim);
	id->ctime_ns = nanoseconds(&sb->st_ctim);
}

int source_open(const char *path, struct source *s, struct err *err)
{
	struct stat sb;

	*s = (struct source){.name = path};
	/* O_NONBLOCK: a FIFO must not hang us before we can refuse it. */
	s->fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
	if (s->fd < 0 || fstat(s->fd, &sb)) {
		err_set(err, ERR_PROFILE, 0, "%s: %s", path, strerror(errno));
		goto fail;
	}
	if (!S_ISREG(sb.st_mode)) {
		err_set(err, ERR_PROFILE, 0, "%s: %s, not a profile", path,
			S_ISDIR(sb.st_mode) ? "a directory" : "not a regular file");
		goto fail;
	}
	if (sb.st_size == 0) {
		err_set(err, ERR_PROFILE, 0, "%s: empty file (0 bytes)", path);
		err_hint(err, "callgrind leaves one beside the files of --separate-threads: "
			      "open those, %s-01 and so on", path);
		goto fail;
	}
	if (refuse_packed(s, err))
		goto fail;
	identify(&s->id, &sb);
	s->path = realpath(path, NULL);
	if (!s->path) {
		err_set(err, ERR_PROFILE, 0, "%s: %s", path, strerror(errno));
		goto fail;
	}
	s->id.path = str_c(s->path);
	if (map_open(&s->map, s->fd, s->id.size, path, err))
		goto fail;
	return 0;
fail:
	source_close(s);
	return (int)err->kind;
}

void source_close(struct source *s)
{
	map_close(&s->map);
	if (s->fd >= 0)
		close(s->fd);
	free(s->path);
	*s = (struct source){.fd = -1};
}

int source_unchanged(const struct source *s, struct err *err)
{
	struct source_id now = {0};
	struct stat sb;

	if (fstat(s->fd, &sb))
		return err_set(err, ERR_PROFILE, 0, "%s: %s", s->name, strerror(errno));
	identify(&now, &sb);
	if (now.size == s->id.size && now.mtime_ns == s->id.mtime_ns)
		return 0;
	err_set(err, ERR_PROFILE, 0, "%s: changed while it was read", s->name);
	return err_hint(err, "wait until the program that writes it is done, then try again");
}

uint64_t source_hash_piece(const char *p, size_t n)
{
	return XXH3_64bits(p, n);
}

uint64_t source_hash_all(const uint64_t *piece, size_t n)
{
	return XXH3_64bits(piece, n * sizeof(*piece));
}

static int hash_file(void *arg)
{
	struct source *s = arg;
	size_t pieces = (s->map.n + HASH_PIECE - 1) / HASH_PIECE;
	uint64_t *piece = malloc((pieces + 1) * sizeof(*piece));

	if (!piece)
		return -1;
	for (size_t i = 0; i < pieces; i++) {
		size_t at = i * (size_t)HASH_PIECE, n = s->map.n - at;

		piece[i] = source_hash_piece(s->map.p + at, n < HASH_PIECE ? n : HASH_PIECE);
	}
	s->id.hash = source_hash_all(piece, pieces);
	free(piece);
	return 0;
}

enum freshness source_compare(struct source *s, const struct source_id *recorded)
{
	const struct source_id *id = &s->id;
	struct err err = {0};

	if (id->size != recorded->size)
		return SOURCE_CHANGED;
	if (str_eq(id->path, recorded->path) && id->dev == recorded->dev &&
	    id->inode == recorded->inode && id->mtime_ns == recorded->mtime_ns &&
	    id->ctime_ns == recorded->ctime_ns)
		return SOURCE_SAME;
	if (map_guard(hash_file, s, ERR_PROFILE, &err))
		return SOURCE_CHANGED;
	return id->hash == recorded->hash ? SOURCE_TOUCHED : SOURCE_CHANGED;
}
