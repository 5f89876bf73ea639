/*
 * part_text.c - cut a profile by the names of its parts; see part_text.h.
 *
 *	HEADER | part: 1, desc: Trigger: NAME, events:, costs | part: 2 ...
 *
 * What a part is called stands in its head: until then its lines are held.
 */
#include "index/file/part_text.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "index/base/bytes.h"
#include "index/base/err.h"
#include "index/base/os.h"
#include "index/file/feed.h"

enum { BLOCK = 256 << 10, MOST = 1 << 30 };

struct cutting {
	struct str wanted;  /* empty: parts are only told */
	part_text_use *use; /* or NULL */
	void *arg;
	struct bytes text; /* kept, then the head of the part at hand */
	size_t kept;
	struct bytes name;
	uint64_t part; /* bytes of the part at hand so far; 0: of none */
	bool in_head, keeps, found;
	struct err *err;
};

static int append(struct cutting *c, struct bytes *to, struct str s)
{
	if (to->n + s.n > MOST)
		return err_set(c->err, ERR_LIMIT, 0, "parts of more than 1 GiB");
	return bytes_append(to, (const unsigned char *)s.p, s.n)
		       ? err_no_memory(c->err, "while reading")
		       : 0;
}

static int end_part(struct cutting *c)
{
	const struct str name = {(const char *)c->name.p, c->name.n};

	if (c->keeps)
		c->kept = c->text.n;
	c->text.n = c->kept;
	return c->part && c->use ? c->use(c->arg, name, c->part, c->err) : 0;
}

static int begin_part(struct cutting *c)
{
	if (!c->part) /* the header is kept */
		c->keeps = true;
	if (end_part(c))
		return c->err->kind;
	c->name.n = c->part = 0;
	c->in_head = true;
	c->keeps = false;
	return 0;
}

/* What comes before the first benchmark says "Metadata: ". */
static int take_name(struct cutting *c, struct str line)
{
	static const struct str begin = STR("desc: Trigger: Client Request: ");
	const struct str name = str_trim(str_from(line, begin.n));

	if (!str_starts(line, begin) || !name.n || str_starts(name, STR("Metadata: ")) ||
	    memchr(name.p, 0, name.n))
		return 0;
	c->keeps = c->wanted.n && str_eq(name, c->wanted);
	c->found |= c->keeps;
	return append(c, &c->name, name);
}

/* line: with its end. */
static int take_line(struct cutting *c, struct str line)
{
	if (str_starts(line, STR("part:")) && begin_part(c))
		return c->err->kind;
	c->part += c->in_head || c->part ? line.n : 0;
	if (c->in_head && !c->name.n &&
	    take_name(c, (struct str){line.p, str_find(line, '\n')}))
		return c->err->kind;
	if (str_starts(line, STR("events:")))
		c->in_head = false;
	return c->wanted.n && (c->keeps || c->in_head || !c->part)
		       ? append(c, &c->text, line)
		       : 0;
}

static int take_all(struct cutting *c, struct feed *feed)
{
	struct feed_block b = {0};
	size_t left = 0;

	do {
		if (feed_next(feed, left, &b, c->err))
			return c->err->kind;
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
	return end_part(c);
}

static int cut(struct cutting *c, int fd, const char *file, const atomic_int *cancel)
{
	const struct feed_opts how = {.name = file, .block = BLOCK, .cancel = cancel};
	struct feed *feed;

	if (!feed_open(&feed, fd, &how, c->err)) {
		take_all(c, feed);
		feed_close(feed);
	}
	free(c->name.p);
	return c->err->kind;
}

int part_text_each(const char *path, part_text_use *use, void *arg,
		   const atomic_int *cancel, struct err *err)
{
	struct cutting c = {.use = use, .arg = arg, .err = err};
	const int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);

	if (fd < 0)
		return err_set(err, ERR_PROFILE, 0, "%s: %s", path, strerror(errno));
	cut(&c, fd, path, cancel);
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

static int write_all(int fd, struct str s)
{
	for (ssize_t n; s.n; s = str_from(s, (size_t)n))
		if ((n = write(fd, s.p, s.n)) < 0)
			return -1;
	return 0;
}

int part_text_cut(int fd, const char *file, struct str name, int *out, struct err *err)
{
	struct cutting c = {.wanted = name, .err = err};

	*out = -1;
	if (!cut(&c, fd, file, NULL) && !c.found) {
		err_set(err, ERR_PROFILE, 0, "%s: no part is called '%.*s'", file,
			STR_ARG(name));
		err_hint(err, "quern FILE -c parts lists them");
	}
	if (!err->kind &&
	    ((*out = os_file_in_memory()) < 0 ||
	     write_all(*out, (struct str){(const char *)c.text.p, c.kept}))) {
		err_set(err, ERR_LIMIT, 0, "%s: %s", file, strerror(errno));
		if (*out >= 0)
			close(*out);
	}
	free(c.text.p);
	return err->kind;
}
