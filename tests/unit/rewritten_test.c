/*
 * rewritten_test.c - a profile is overwritten while it is read: the reading must end, and
 * report the change.
 *
 * The callback for the reader's progress overwrites the file in place.  After that, a
 * stretch may end inside a line, lines may be of another kind, and the times of the file
 * may be the same as before.
 */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "index/base/err_kind.h"
#include "index/base/map.h"
#include "index/base/out.h"
#include "index/build.h"
#include "index/lines/decode.h"
#include "index/part_lines.h"
#include "index/read/stretch_in.h"
#include "tests/support/tap.h"

enum { LINES = 6000, SECONDS = 120 };

static void bail(const char *why)
{
	printf("Bail out! %s\n", why);
	exit(1);
}

static char path[] = "/tmp/quern-rewritten.XXXXXX";

/* Functions whose lines come again, so that all ways to read are taken. */
static struct out profile(void)
{
	struct out o;

	out_mem(&o);
	out_c(&o, "# callgrind format\nversion: 1\npositions: line\nevents: Ir Dr\n\n");
	for (int i = 0; i < LINES; i++)
		out_printf(&o, "fn=(%d) f%d\n%d %d 7\n+1 %d\n+2 3 1\n", i % 700 + 1,
			   i % 700, i % 90 + 1, i, i % 7);
	return o;
}

struct writing {
	int fd;
	const char *with; /* again and again; NULL: cut off, then as long as before */
	size_t n;	  /* bytes of the file */
	uint64_t before;  /* bytes read until then */
	bool done;
};

static void write_all(int fd, const char *p, size_t n)
{
	if (pwrite(fd, p, n, 0) != (ssize_t)n)
		bail("cannot write");
}

static void write_now(void *arg, uint64_t done)
{
	struct writing *w = arg;
	char *text;

	if (w->done || done < w->before)
		return;
	w->done = true;
	if (!w->with) {
		if (ftruncate(w->fd, (off_t)w->n / 4) || ftruncate(w->fd, (off_t)w->n))
			bail("cannot cut off");
		return;
	}
	text = malloc(w->n);
	if (!text)
		bail("no memory");
	for (size_t i = 0, len = strlen(w->with); i < w->n; i++)
		text[i] = w->with[i % len];
	write_all(w->fd, text, w->n);
	free(text);
}

static void read_while_written(const char *name, const char *with, size_t stretch,
			       unsigned jobs, bool mapped)
{
	struct out o = profile();
	struct writing w = {.with = with, .n = o.n, .before = o.n / 3};
	struct stretch_opts opts = {.jobs = jobs,
				    .stretch = stretch,
				    .at_once = 4096,
				    .give = 2000,
				    .hash = true,
				    .progress = write_now,
				    .arg = &w};
	struct stretches s;
	struct err err = {0};
	struct map m;
	int rc;

	w.fd = open(path, O_RDWR | O_TRUNC);
	if (w.fd < 0)
		bail("cannot open");
	write_all(w.fd, o.buf, o.n);
	if (map_open(&m, w.fd, o.n, path, &err))
		bail(err.text);
	opts.fd = mapped ? 0 : w.fd;
	end_after(SECONDS);
	rc = stretches_read(&s, m.p, m.n, &opts, &err);
	end_after(0);
	/* If the new text has whole lines to the end, reading may succeed: input.c compares
	 * the times of the file.  Only one of two threads calls the callback; the other one
	 * may have read everything before. */
	ok((w.done || jobs > 1) && (rc == 0 || strstr(err.text, "changed")),
	   "%s, stretches of %zu, %u threads%s: %s", name, stretch, jobs,
	   mapped ? ", mapped" : "", rc ? err.text : "read");
	stretches_free(&s);
	map_close(&m);
	close(w.fd);
	out_close(&o);
}

/* The place to cut is looked for in 64 MiB: a function's line may begin in them and end behind, and
 * nothing behind the text is readable. */
static void cut_at_the_limit(void)
{
	const size_t search = 64 << 20, n = search + 8192;
	char *text = mmap(NULL, n + 4096, PROT_READ | PROT_WRITE,
			  MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	struct decode *d = calloc(1, sizeof(*d));
	struct reading r = {.text = text, .n = n, .head_decode = d};

	if (text == MAP_FAILED || !d || mprotect(text + n, 4096, PROT_NONE))
		bail("no memory");
	d->nsub = 1;
	memset(text, 'x', n);
	memcpy(text + search - 10, "\nfn=", 4);
	memcpy(text + search + 100, "\nno cost line\n", 14);
	is_u64(stretch_find_cut(&r, 1, n), n, "no place to cut at the end of the search");
	munmap(text, n + 4096);
	free(d);
}

/* ---- parts that are read again ---- */

static int write_at_look(void *arg, struct err *err)
{
	(void)err;
	write_now(arg, UINT64_MAX);
	return 0;
}

/* A file of long ago, so that whoever writes to it changes its time. */
static void write_old(int fd, const struct out *o)
{
	const struct timespec old[2] = {{.tv_sec = 1000000000}, {.tv_sec = 1000000000}};

	if (ftruncate(fd, 0))
		bail("cannot cut off");
	write_all(fd, o->buf, o->n);
	if (futimens(fd, old))
		bail("cannot set its times");
}

static struct store *index_parts(int fd, const struct out *o)
{
	struct build_opts opts = {.no_write = true, .jobs = 1, .mem = 1 << 30};
	struct build_report report = {0};
	struct err err = {0};
	struct store *st = NULL;

	write_old(fd, o);
	if (build_open(path, &opts, &st, &report, &err))
		bail(err.text);
	return st;
}

static void parts_while_written(const char *name, const char *with, size_t piece)
{
	static const uint8_t both[] = {1, 1};
	struct out o = profile(), again = profile();
	struct writing w = {.with = with};
	const struct part_lines_opts opts = {
		.poll = write_at_look, .arg = &w, .at_once = piece};
	struct part_lines *lines = NULL;
	struct err err = {0};
	struct store *st;

	out_c(&o, "part: 2\n");
	out_bytes(&o, again.buf, again.n);
	out_close(&again);
	w.n = o.n;
	w.fd = open(path, O_RDWR);
	if (w.fd < 0)
		bail("cannot open");
	st = index_parts(w.fd, &o);
	end_after(SECONDS);
	is_u64((uint64_t)part_lines_read(st, both, &opts, &lines, &err), ERR_PROFILE,
	       "%s, parts in pieces of %zu", name, piece);
	end_after(0);
	ok(w.done && !lines && strstr(err.text, "changed"), "  is said: %s", err.text);
	store_close(st);
	close(w.fd);
	out_close(&o);
}

/* A line longer than a piece; one that is longer than the indexer lets pass without more memory. */
static void long_lines(void)
{
	static const struct {
		size_t blanks;
		int want;
	} cases[] = {{100, 0}, {100000, 0}, {40 << 20, ERR_LIMIT}};
	static const uint8_t both[] = {1, 1};
	int fd = open(path, O_RDWR);

	if (fd < 0)
		bail("cannot open");
	for (size_t i = 0; i < COUNT(cases); i++) {
		const struct part_lines_opts opts = {.at_once = 64};
		struct part_lines *lines = NULL;
		struct store_line *row = NULL;
		int64_t *cost = NULL;
		struct err err = {0};
		struct store *st;
		struct arena a;
		struct out o;
		size_t n = 0;

		out_mem(&o);
		out_c(&o, "events: Ir\npart: 1\nfn=f\n1 1\npart: 2\nfn=f\n2");
		for (size_t k = 0; k < cases[i].blanks; k++)
			out_char(&o, ' ');
		out_c(&o, "5\n3 7\n");
		st = index_parts(fd, &o);
		is_u64((uint64_t)part_lines_read(st, both, &opts, &lines, &err),
		       (uint64_t)cases[i].want, "a line of %zu blanks %s",
		       cases[i].blanks, err.text);
		arena_init(&a, 0);
		if (lines && ok(!part_lines(lines, 0, &a, &row, &cost, &n, &err), "rows"))
			ok(n == 3 && cost[0] == 1 && cost[1] == 5 && cost[2] == 7,
			   "  all its lines");
		arena_free(&a);
		part_lines_free(lines);
		store_close(st);
		out_close(&o);
	}
	close(fd);
}

int main(void)
{
	static const struct {
		const char *name, *with;
	} cases[] = {{"no line ends", "x"},
		     {"a cost line without end", "1 "},
		     {"functions without end", "fn=(1) f0 fn=(2) "},
		     {"control bytes", "\1"},
		     {"lines of other lengths", "fn=(1) f0\n1 1 1\n+3 1 1\n*"},
		     {"jumps", "jump=1 1\n1 1 1\n"},
		     {"calls", "cfn=(1)\ncalls=1 1\n"},
		     {"empty lines", "\n"},
		     {"cut off for a moment", NULL}};
	static const size_t sizes[] = {0, 5000, 50000};
	int fd = mkstemp(path);

	if (fd < 0)
		bail("no temporary file");
	close(fd);
	for (size_t i = 0; i < COUNT(cases); i++)
		for (size_t k = 0; k < COUNT(sizes); k++)
			for (unsigned jobs = 1; jobs <= 2; jobs++) {
				read_while_written(cases[i].name, cases[i].with, sizes[k],
						   jobs, false);
				/* A map is for who knows that nobody writes meanwhile. */
				if (jobs == 1)
					read_while_written(cases[i].name, cases[i].with,
							   sizes[k], jobs, true);
			}
	for (size_t i = 0; i < COUNT(cases); i++)
		for (size_t k = 100; k <= 100000; k *= 1000)
			parts_while_written(cases[i].name, cases[i].with, k);
	long_lines();
	unlink(path);
	cut_at_the_limit();
	return done_testing();
}
