/* source.c - the profile as a file; see source.h. */
#include "index/file/source.h"

#include "index/base/err.h"
#include "index/base/hash.h"
#include "index/base/os.h"
#include "index/file/part_text.h"
#include "index/file/source_hash.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

enum { TICK_NS = 1000 * 1000, CHANGES_MAX = 8 };
static const uint64_t SECOND_NS = 1000 * 1000 * 1000;

static const struct {
	const char *magic, *nature, *hint;
	size_t n, at;
} natures[] = {
	{"\177ELF", "a program or library", NULL, 4, 0},
	{"\x89PNG", "a PNG image", NULL, 4, 0},
	{"PERFILE2", "a file of perf record", NULL, 8, 0},
	{"gmon", "a file of gprof", NULL, 4, 0},
	{"%PDF", "a PDF document", NULL, 4, 0},
	{"PK\3\4", "a zip archive", "take the profile out of it: unzip", 4, 0},
	{"7z\xbc\xaf", "a 7-Zip archive", "take the profile out of it: 7z x", 4, 0},
	{"Rar!", "a RAR archive", "take the profile out of it: unrar x", 4, 0},
	{"ustar", "a tar archive", "take the profiles out of it, tar xf, and open those",
	 5, 257},
	{"\xde\xc0\xef\xbe", "an LMDB database that quern did not make", NULL, 4, 16},
	{"\x1f\x9d", "compressed by compress", "unpack it first: uncompress", 2, 0},
	{"\x04\x22\x4d\x18", "compressed by lz4", "unpack it first: lz4 -d", 4, 0},
	{"]\0\0", "compressed by lzma", "unpack it first: unlzma", 3, 0},
	{"{", "JSON", NULL, 1, 0},
	{"<", "XML or HTML", NULL, 1, 0},
};

const char *source_nature(struct str head, const char **hint)
{
	*hint = NULL;
	for (size_t i = 0; i < sizeof(natures) / sizeof(natures[0]); i++)
		if (head.n >= natures[i].at + natures[i].n &&
		    memcmp(head.p + natures[i].at, natures[i].magic, natures[i].n) == 0) {
			*hint = natures[i].hint;
			return natures[i].nature;
		}
	if (unpack_recognise(head.p, head.n)) {
		*hint = "it is packed twice: unpack it once by hand";
		return "still compressed when unpacked";
	}
	return head.n && memchr(head.p, 0, head.n) ? "binary data" : NULL;
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

static int cannot_open(const char *name, struct err *err)
{
	return err_set(err, err_kind_of(errno, ERR_PROFILE), 0, "%s: %s", name,
		       strerror(errno));
}

static int source_changed(const struct source_file *s, struct err *err)
{
	err_set(err, ERR_PROFILE, 0, "%s: changed while it was read", s->name);
	return err_hint(err,
			"wait until the program that writes it is done, then try again");
}

/* *mark: the '#' of FILE#NAME, of which FILE is opened; else NULL. */
static int open_fd(struct source_file *s, const char *path, const char **mark)
{
	/* O_NONBLOCK: opening a device must not hang us before we can refuse it. */
	const int flags = O_RDONLY | O_CLOEXEC | O_NONBLOCK;
	char *file;
	int fd;

	*mark = NULL;
	if (strcmp(path, "-") == 0) {
		s->name = "standard input";
		return fcntl(STDIN_FILENO, F_DUPFD_CLOEXEC, 3);
	}
	if ((fd = open(path, flags)) >= 0 || !(*mark = part_text_mark(path)))
		return fd;
	if ((file = strndup(path, (size_t)(*mark - path))))
		fd = open(file, flags);
	free(file);
	return fd;
}

/* Take the text of FILE#NAME in place of that of the file.  It is a copy, so it changes no more. */
static int cut_part(struct source_file *s, const char *path, const char *mark,
		    struct err *err)
{
	const struct str name = str_c(mark + 1);
	char *file = strndup(path, (size_t)(mark - path)), *real = NULL;
	struct stat sb;
	int fd;

	if (!file)
		return err_no_memory(err, "while opening profiles");
	if (!part_text_cut(s->fd, file, name, &fd, err)) {
		source_unchanged(s, err);
		close(s->fd);
		s->fd = fd;
		s->part = true;
	}
	if (!err->kind && !(real = realpath(file, NULL)))
		cannot_open(s->name, err);
	if (!err->kind && asprintf(&s->path, "%s%s", real, mark) < 0) {
		s->path = NULL;
		err_no_memory(err, "while opening profiles");
	}
	free(real);
	free(file);
	if (err->kind)
		return err->kind;
	if (fstat(fd, &sb))
		return cannot_open(s->name, err);
	s->id.path = str_c(s->path);
	s->id.size = (uint64_t)sb.st_size;
	s->id.inode = source_part_inode(s->id.inode, name);
	return map_open(&s->map, fd, s->id.size, s->name, err);
}

static int not_regular(struct source_file *s, const struct stat *sb, struct err *err)
{
	if (!S_ISFIFO(sb->st_mode) && !(S_ISSOCK(sb->st_mode) && s->pipe))
		return err_set(err, ERR_PROFILE, 0, "%s: %s, not a profile", s->name,
			       S_ISDIR(sb->st_mode) ? "a directory"
						    : "not a regular file");
	s->pipe = true;
	return 0;
}

static int empty(const struct source_file *s, struct err *err)
{
	const char *slash = strrchr(s->name, '/');

	err_set(err, ERR_PROFILE, 0, "%s: empty file (0 bytes)", s->name);
	if (!strncmp(slash ? slash + 1 : s->name, "cachegrind.out", 14))
		return err_hint(err, "Xdebug and Cachegrind write such a file when what "
				     "they measure ends: was the request or the program "
				     "killed, or is it still running?");
	return err_hint(err,
			"callgrind leaves one beside the files of --separate-threads: "
			"open all of them, quern %s*; a program that calls exec needs "
			"--trace-children=yes",
			s->name);
}

static int map_file(struct source_file *s, const char *path, struct err *err)
{
	char head[UNPACK_HEAD];
	ssize_t n;

	while ((n = pread(s->fd, head, sizeof(head), 0)) < 0)
		if (errno != EINTR)
			return cannot_open(s->name, err);
	s->codec = unpack_recognise(head, (size_t)n);
	s->path = realpath(path, NULL);
	if (!s->path)
		return cannot_open(s->name, err);
	s->id.path = str_c(s->path);
	return map_open(s->codec ? &s->packed : &s->map, s->fd, s->id.size, s->name, err);
}

/*
 * Wait until a further write would change the file's times.
 *
 * Times are as coarse as the file system's clock: a tick of the machine's or, if the time
 * has no fraction, a second (two on FAT).  A second write within that time would leave
 * them the same.  A small file is not waited for, as the wait could be most of the work:
 * its time of change is not recorded, so its content alone identifies it.
 */
static int let_rest(const struct source_file *s, struct stat *sb, struct err *err)
{
	for (int changes = 0; changes < CHANGES_MAX;) {
		uint64_t stamp = nanoseconds(&sb->st_ctim), over = stamp + 1, now, left;
		struct timespec t;

		if (stamp % SECOND_NS == 0)
			over = stamp + 2 * SECOND_NS;
		os_file_clock(&t);
		now = nanoseconds(&t);
		/* A time in the future comes from a clock that was set back. */
		if (now >= over || stamp > now + SECOND_NS)
			return 0;
		if (sb->st_size <= HASH_CHUNK) {
			sb->st_ctim = (struct timespec){0};
			return 0;
		}
		left = over - now + TICK_NS;
		t = (struct timespec){(time_t)(left / SECOND_NS),
				      (long)(left % SECOND_NS)};
		nanosleep(&t, NULL);
		if (fstat(s->fd, sb))
			return cannot_open(s->name, err);
		changes += nanoseconds(&sb->st_ctim) != stamp;
	}
	return source_changed(s, err);
}

static int open_named(const char *path, const char *name, struct source_file *s,
		      struct err *err)
{
	const char *mark;
	struct stat sb;
	int rc;

	*s = (struct source_file){.name = name,
				  .map.p = "",
				  .packed.p = "",
				  .pipe = strcmp(path, "-") == 0};
	s->id.path = STR("-");
	s->fd = open_fd(s, path, &mark);
	if (s->fd < 0 || fstat(s->fd, &sb))
		rc = cannot_open(s->name, err);
	else if (!S_ISREG(sb.st_mode))
		rc = not_regular(s, &sb, err);
	else if (s->pipe)
		rc = 0;
	else if (let_rest(s, &sb, err))
		rc = err->kind;
	else if (sb.st_size == 0)
		rc = empty(s, err);
	else {
		identify(&s->id, &sb);
		rc = mark ? cut_part(s, path, mark, err) : map_file(s, path, err);
	}
	if (rc)
		source_close(s);
	return rc;
}

uint64_t source_part_inode(uint64_t inode, struct str part)
{
	return hash_mix(inode ^ str_hash(part));
}

int source_open(const char *path, struct source_file *s, struct err *err)
{
	return open_named(path, path, s, err);
}

void source_release(struct source_file *s)
{
	map_close(&s->map);
	map_close(&s->packed);
	if (s->fd >= 0)
		close(s->fd);
	s->fd = -1;
}

void source_close(struct source_file *s)
{
	source_release(s);
	free(s->path);
	*s = (struct source_file){.fd = -1};
}

int source_copy(const struct source_file *s, struct source_file *copy)
{
	*copy = (struct source_file){.fd = -1,
				     .map.p = "",
				     .packed.p = "",
				     .id = s->id,
				     .path = strdup(s->path),
				     .name = s->name,
				     .codec = s->codec};
	copy->id.path = str_c(copy->path ? copy->path : "");
	return copy->path ? 0 : -1;
}

static bool same_times(const struct source_id *a, const struct source_id *b)
{
	return a->size == b->size && a->mtime_ns == b->mtime_ns;
}

int source_reopen(struct source_file *s, struct err *err)
{
	struct source_file now;

	if (open_named(s->path, s->name, &now, err))
		return err->kind;
	if (!same_times(&now.id, &s->id)) {
		source_close(&now);
		return source_changed(s, err);
	}
	source_close(s);
	*s = now;
	return 0;
}

int source_unchanged(const struct source_file *s, struct err *err)
{
	struct source_id now = {0};
	struct stat sb;

	if (s->pipe || s->part)
		return 0;
	if (fstat(s->fd, &sb))
		return cannot_open(s->name, err);
	identify(&now, &sb);
	return same_times(&now, &s->id) ? 0 : source_changed(s, err);
}

struct hashing {
	struct source_file *s;
	uint64_t *hash; /* of each chunk */
};

static int hash_chunks(void *arg)
{
	struct hashing *h = arg;
	const struct map *m = h->s->codec ? &h->s->packed : &h->s->map;
	size_t n = 0;

	for (size_t at = 0; at < m->n; at += HASH_CHUNK)
		h->hash[n++] = source_hash_chunk(
			m->p + at, m->n - at < HASH_CHUNK ? m->n - at : HASH_CHUNK);
	h->s->id.hash = source_hash_all(h->hash, n);
	return 0;
}

/* A file of one chunk needs no memory: otherwise being out of memory would look like a
 * change. */
static int hash_file(struct source_file *s, struct err *err)
{
	const size_t bytes = s->codec ? s->packed.n : s->map.n;
	uint64_t one = 0;
	struct hashing h = {.s = s, .hash = &one};
	int rc = -1;

	if (bytes > HASH_CHUNK)
		h.hash = malloc((bytes / HASH_CHUNK + 1) * sizeof(*h.hash));
	if (h.hash)
		rc = map_guard(hash_chunks, &h, ERR_PROFILE, err);
	if (h.hash != &one)
		free(h.hash);
	return rc;
}

bool source_same_file(const char *a, const char *b)
{
	struct source_file x, y;
	struct err ignored = {0};
	bool same;

	if (source_open(a, &x, &ignored))
		return false;
	same = !source_open(b, &y, &ignored) && x.id.dev == y.id.dev &&
	       x.id.inode == y.id.inode;
	source_close(&x);
	source_close(&y);
	return same;
}

enum freshness source_compare(struct source_file *s, const struct source_id *recorded)
{
	const struct source_id *id = &s->id;
	struct err err = {0};

	if (s->pipe || id->size != recorded->size)
		return SOURCE_CHANGED;
	if (str_eq(id->path, recorded->path) && id->dev == recorded->dev &&
	    id->inode == recorded->inode && id->mtime_ns == recorded->mtime_ns &&
	    id->ctime_ns && id->ctime_ns == recorded->ctime_ns)
		return SOURCE_SAME;
	if ((s->fd < 0 && source_reopen(s, &err)) || hash_file(s, &err))
		return SOURCE_CHANGED;
	return id->hash == recorded->hash ? SOURCE_TOUCHED : SOURCE_CHANGED;
}
