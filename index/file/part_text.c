/*
 * part_text.c - cut a profile by the names of its parts; see part_text.h.
 *
 *	HEADER | part: 1, desc: Trigger: NAME, events:, costs | part: 2 ...
 *
 * A file is read once for all of its parts: where they are is kept, and what a packed one holds.
 */
#include "index/file/part_text.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "index/base/arena.h"
#include "index/base/err.h"
#include "index/base/os.h"
#include "index/file/feed.h"
#include "index/file/unpack.h"

enum { BLOCK = 256 << 10, FILES = 16 };
static const uint64_t MOST = 1 << 30, KEPT = 64 << 20;

struct range {
	struct str name; /* empty: it has none */
	uint64_t from, to;
};

/* The parts of a file. */
struct parts {
	struct stat of;
	struct range *at;
	size_t n, cap;
	uint64_t head; /* bytes before them */
	int text;      /* what a packed file holds, in memory; -1: the file is plain */
	bool kept;
	struct arena a; /* all of the above */
};

static struct {
	pthread_mutex_t lock;
	struct parts file[FILES];
	size_t next;
} known = {.lock = PTHREAD_MUTEX_INITIALIZER};

/* ---- where the parts are ---- */

struct cutting {
	struct parts *p;
	uint64_t at;  /* bytes of text so far */
	bool in_head; /* of a part: its name may come */
	struct err *err;
};

static int write_all(int fd, const char *p, size_t n, struct err *err)
{
	for (ssize_t done; n; p += done, n -= (size_t)done)
		if ((done = write(fd, p, n)) < 0)
			return err_set(err, ERR_LIMIT, 0, "a part in memory: %s",
				       strerror(errno));
	return 0;
}

/* The text before the first benchmark says "Metadata: ". */
static int take_name(struct cutting *c, struct str line)
{
	static const struct str begin = STR("desc: Trigger: Client Request: ");
	const struct str name = str_trim(str_from(line, begin.n));
	struct range *part = &c->p->at[c->p->n - 1];

	if (!str_starts(line, begin) || !name.n || str_starts(name, STR("Metadata: ")) ||
	    memchr(name.p, 0, name.n))
		return 0;
	part->name = arena_str(&c->p->a, name);
	return part->name.p ? 0 : err_no_memory(c->err, "while reading");
}

/* line: with its end. */
static int take_line(struct cutting *c, struct str line)
{
	struct parts *p = c->p;

	if (str_starts(line, STR("part:"))) {
		if (arena_grow(&p->a, &p->at, &p->cap, p->n, p->n + 1, sizeof(*p->at)))
			return err_no_memory(c->err, "while reading");
		p->at[p->n++] = (struct range){.name = {"", 0}, .from = c->at};
		p->head = p->n == 1 ? c->at : p->head;
		c->in_head = true;
	}
	c->at += line.n;
	if (p->n)
		p->at[p->n - 1].to = c->at;
	if (c->in_head && !p->at[p->n - 1].name.n &&
	    take_name(c, (struct str){line.p, str_find(line, '\n')}))
		return c->err->kind;
	if (str_starts(line, STR("events:")))
		c->in_head = false;
	return 0;
}

static int take_all(struct cutting *c, struct feed *feed)
{
	struct feed_block b = {0};
	size_t left = 0;

	do {
		if (feed_next(feed, left, &b, c->err) ||
		    (c->p->text >= 0 &&
		     write_all(c->p->text, b.p + left, b.n - left, c->err)))
			return c->err->kind;
		if (c->p->text >= 0 && c->at > MOST)
			return err_set(c->err, ERR_LIMIT, 0,
				       "more than 1 GiB of parts when unpacked");
		for (left = b.n; left > 0;) {
			const char *p = b.p + b.n - left, *end = memchr(p, '\n', left);
			const size_t n = end ? (size_t)(end - p) + 1 : left;

			if (!end && !b.last)
				break;
			if (take_line(c, (struct str){p, n}))
				return c->err->kind;
			left -= n;
		}
	} while (!b.last);
	return 0;
}

static int read_parts(struct parts *p, int fd, const char *file, const atomic_int *cancel,
		      struct err *err)
{
	const struct feed_opts how = {.name = file, .block = BLOCK, .cancel = cancel};
	struct cutting c = {.p = p, .err = err};
	char head[UNPACK_HEAD];
	struct feed *feed;
	const ssize_t n = pread(fd, head, sizeof(head), 0);

	if (n > 0 && unpack_recognise(head, (size_t)n) &&
	    (p->text = os_file_in_memory()) < 0)
		return err_set(err, ERR_LIMIT, 0, "%s: %s", file, strerror(errno));
	if (!feed_open(&feed, fd, &how, err)) {
		take_all(&c, feed);
		feed_close(feed);
	}
	p->kept = !err->kind && (p->text < 0 || c.at <= KEPT);
	return err->kind;
}

/* ---- files that were read ---- */

static void forget(struct parts *p)
{
	if (p->text >= 0)
		close(p->text);
	arena_free(&p->a);
	*p = (struct parts){.text = -1};
}

static bool is_of(const struct parts *p, const struct stat *sb)
{
	return p->kept && p->of.st_dev == sb->st_dev && p->of.st_ino == sb->st_ino &&
	       p->of.st_size == sb->st_size &&
	       p->of.st_mtim.tv_sec == sb->st_mtim.tv_sec &&
	       p->of.st_mtim.tv_nsec == sb->st_mtim.tv_nsec &&
	       p->of.st_ctim.tv_sec == sb->st_ctim.tv_sec &&
	       p->of.st_ctim.tv_nsec == sb->st_ctim.tv_nsec;
}

/* The parts of fd, which is `file`; NULL is an error.  Others wait until it is given back. */
static struct parts *take_parts(int fd, const char *file, const atomic_int *cancel,
				struct err *err)
{
	struct parts *p = NULL;
	struct stat sb;

	if (fstat(fd, &sb)) {
		err_set(err, ERR_PROFILE, 0, "%s: %s", file, strerror(errno));
		return NULL;
	}
	pthread_mutex_lock(&known.lock);
	for (size_t i = 0; i < FILES && !p; i++)
		p = is_of(&known.file[i], &sb) ? &known.file[i] : NULL;
	if (p)
		return p;
	p = &known.file[known.next++ % FILES];
	if (p->kept)
		forget(p);
	*p = (struct parts){.of = sb, .text = -1};
	arena_init(&p->a, 0);
	if (!read_parts(p, fd, file, cancel, err))
		return p;
	forget(p);
	pthread_mutex_unlock(&known.lock);
	return NULL;
}

static void give_back(struct parts *p)
{
	if (!p->kept)
		forget(p);
	pthread_mutex_unlock(&known.lock);
}

int part_text_each(const char *path, part_text_use *use, void *arg,
		   const atomic_int *cancel, struct err *err)
{
	const int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
	struct parts *p;

	if (fd < 0)
		return err_set(err, ERR_PROFILE, 0, "%s: %s", path, strerror(errno));
	if ((p = take_parts(fd, path, cancel, err))) {
		for (size_t i = 0; i < p->n && !err->kind; i++)
			use(arg, p->at[i].name, err);
		give_back(p);
	}
	close(fd);
	return err->kind;
}

const char *part_text_mark(const char *path)
{
	for (const char *mark = path; (mark = strchr(mark, '#')); mark++) {
		char *file = strndup(path, (size_t)(mark - path));
		struct stat sb;
		const bool is = file && !stat(file, &sb) && S_ISREG(sb.st_mode);

		free(file);
		if (is && mark[1])
			return mark;
	}
	return NULL;
}

/* Copy the bytes from..to of fd. */
static int copy(int to, int fd, uint64_t from, uint64_t end, struct err *err)
{
	char piece[64 << 10];
	ssize_t n;

	for (; from < end; from += (uint64_t)n) {
		n = pread(fd, piece,
			  end - from < sizeof(piece) ? (size_t)(end - from)
						     : sizeof(piece),
			  (off_t)from);
		if (n <= 0)
			return err_set(err, ERR_PROFILE, 0,
				       "its part changed while it was read");
		if (write_all(to, piece, (size_t)n, err))
			return err->kind;
	}
	return 0;
}

int part_text_cut(int fd, const char *file, struct str name, int *out, struct err *err)
{
	struct parts *p = take_parts(fd, file, NULL, err);
	bool found = false;

	*out = -1;
	if (!p)
		return err->kind;
	if (p->text >= 0)
		fd = p->text;
	for (size_t i = 0; i < p->n && !err->kind; i++) {
		const struct range *part = &p->at[i];

		if (!str_eq(part->name, name))
			continue;
		if (!found && (*out = os_file_in_memory()) < 0)
			err_set(err, ERR_LIMIT, 0, "%s: %s", file, strerror(errno));
		else if (found || !copy(*out, fd, 0, p->head, err))
			copy(*out, fd, part->from, part->to, err);
		found = true;
	}
	give_back(p);
	if (!found) {
		err_set(err, ERR_PROFILE, 0, "%s: no part is called '%.*s'", file,
			STR_ARG(name));
		err_hint(err, "quern FILE -c parts lists them");
	}
	if (err->kind && *out >= 0)
		close(*out);
	return err->kind;
}
