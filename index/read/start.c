/* start.c - the start of a file, and its header lines; see start.h. */
#include "index/read/start.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "index/base/err_struct.h"
#include "index/file/unpack.h"

enum {
	PIECE = 64 << 10, /* bytes of a packed file that are read at once */
	PIECES = 16,
	UNPACK_MEM = 64 << 20,
};

/* Read up to n bytes; fewer at the end of the file, or after an error. */
static size_t read_some(int fd, char *to, size_t n)
{
	size_t got = 0;
	ssize_t r;

	while (got < n && (r = read(fd, to + got, n - got)) > 0)
		got += (size_t)r;
	return got;
}

static void unpack_start(struct file_start *s, int fd, const struct codec *codec)
{
	struct err ignored = {0};
	struct unpack *u;
	char piece[PIECE];

	s->packed = true;
	s->n = 0;
	if (lseek(fd, 0, SEEK_SET) || unpack_open(&u, codec, UNPACK_MEM, &ignored))
		return;
	for (int i = 0; i < PIECES && s->n < START_TEXT; i++) {
		size_t n = read_some(fd, piece, sizeof(piece));
		struct unpack_io io = {.out = s->text + s->n, .nout = START_TEXT - s->n};

		io.in = piece;
		io.nin = n;
		if (!n || unpack_step(u, &io, &ignored))
			break;
		s->n = START_TEXT - io.nout;
	}
	unpack_close(u);
}

bool start_read(struct file_start *s, int dir, const char *name)
{
	const struct codec *codec;
	struct stat sb;
	int fd, why;

	errno = 0;
	if (fstatat(dir, name, &sb, 0) || !S_ISREG(sb.st_mode))
		return false;
	/* O_NONBLOCK: it may have become a FIFO meanwhile. */
	fd = openat(dir, name, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
	if (fd < 0)
		return false;
	s->packed = false;
	s->n = !fstat(fd, &sb) && S_ISREG(sb.st_mode) ? read_some(fd, s->text, START_TEXT)
						      : 0;
	why = errno;
	codec = unpack_recognise(s->text, s->n);
	if (codec)
		unpack_start(s, fd, codec);
	close(fd);
	errno = why;
	return s->n > 0;
}

/* The value of a line "key: value"; p NULL: it is none. */
static struct str value_of(struct str line, struct str key)
{
	return str_starts(line, key) ? str_trim(str_from(line, key.n))
				     : (struct str){NULL, 0};
}

/* Is it a header line, or may it stand between them?  *known: it is one. */
static bool take_line(struct start_header *h, struct str line, bool *known)
{
	static const struct str others[] = {STR("version:"), STR("desc:"), STR("target:"),
					    STR("positions:"), STR("event:")};
	const struct {
		struct str key;
		uint64_t *to;
	} numbers[] = {{STR("pid:"), &h->pid},
		       {STR("part:"), &h->part},
		       {STR("thread:"), &h->thread}};
	const struct {
		struct str key;
		struct str *to;
	} texts[] = {{STR("cmd:"), &h->cmd}, {STR("creator:"), &h->creator}};
	struct str value;

	*known = true;
	for (size_t i = 0; i < sizeof(numbers) / sizeof(numbers[0]); i++)
		if ((value = value_of(line, numbers[i].key)).p)
			return str_u64(value, numbers[i].to);
	for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++)
		if ((value = value_of(line, texts[i].key)).p) {
			*texts[i].to = value;
			return true;
		}
	for (size_t i = 0; i < sizeof(others) / sizeof(others[0]); i++)
		if (str_starts(line, others[i]))
			return true;
	value = value_of(line, STR("events:"));
	h->whole = value.n > 0;
	*known = h->whole;
	return h->whole || !line.n || line.p[0] == '#';
}

struct start_header start_header(const struct file_start *s)
{
	enum { FEW = 2 }; /* lines that other texts may begin with, too */
	struct start_header h = {.cmd = {"", 0}};
	struct str text = {s->text, s->n};
	size_t n, lines = 0;
	bool known;

	while (!h.whole && text.n) {
		n = str_find(text, '\n');
		if (!take_line(&h, str_trim((struct str){text.p, n}), &known))
			break;
		lines += known;
		text = str_from(text, n + 1);
	}
	h.profile = h.whole || (!text.n && lines >= FEW);
	return h;
}
