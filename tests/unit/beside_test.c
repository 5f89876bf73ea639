/* beside_test.c - which dumps of a run lie beside the one that was opened. */
#include <fcntl.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "index/base/err_struct.h"
#include "index/build.h"
#include "index/read/beside.h"
#include "tests/support/tap.h"

enum { FILES = 5 };

#define HEAD "version: 1\ncreator: callgrind-3.19.0\n"
#define RUN HEAD "pid: 7\ncmd:  ./app -x\n"
#define IR "events: Ir\nfn=f\n1 1\n"

static const struct {
	const char *what;
	struct file {
		const char *name, *text; /* text NULL: a FIFO */
	} file[FILES];			 /* the first is opened */
	size_t n;
	bool more, mixed;
} cases[] = {
	{"alone", {{"r.out", RUN "part: 1\n" IR}}, 0, false, false},
	{"dumps",
	 {{"r.out", RUN "part: 3\n" IR},
	  {"r.out.1", RUN "part: 1\n" IR},
	  {"r.out.2", RUN "part: 2\n" IR}},
	 2,
	 false,
	 false},
	{"threads",
	 {{"r.out", RUN "part: 1\nthread: 1\n" IR},
	  {"r.out-02", RUN "part: 1\nthread: 2\n" IR},
	  {"r.out.2-01", RUN "part: 2\nthread: 1\n" IR}},
	 2,
	 false,
	 false},
	{"names of other files",
	 {{"r.out", RUN "part: 1\n" IR},
	  {"r.out.1x", RUN "part: 2\n" IR},
	  {"r.out2", RUN "part: 3\n" IR},
	  {"s.out.1", RUN "part: 4\n" IR},
	  {"r.out-1", RUN "part: 5\n" IR}},
	 0,
	 false,
	 false},
	{"a dump does not look for the others",
	 {{"r.out.1", RUN "part: 1\n" IR}, {"r.out.2", RUN "part: 2\n" IR}},
	 0,
	 false,
	 false},
	{"another process",
	 {{"r.out", RUN "part: 1\n" IR},
	  {"r.out.1", HEAD "pid: 8\ncmd: ./app -x\npart: 2\n" IR}},
	 0,
	 false,
	 true},
	{"another command",
	 {{"r.out", RUN "part: 1\n" IR},
	  {"r.out.1", HEAD "pid: 7\ncmd: ./app\npart: 2\n" IR}},
	 0,
	 false,
	 true},
	{"some of the run, some of one before it",
	 {{"r.out", RUN "part: 2\n" IR},
	  {"r.out.1", RUN "part: 1\n" IR},
	  {"r.out.2", HEAD "pid: 5\ncmd: ./app -x\npart: 2\n" IR}},
	 1,
	 false,
	 true},
	{"a copy",
	 {{"r.out", RUN "part: 1\n" IR}, {"r.out.1", RUN "part: 1\n" IR}},
	 0,
	 false,
	 true},
	{"dumps that the file contains",
	 {{"r.out", RUN "part: 1\n" IR "part: 2\n" IR},
	  {"r.out.1", RUN "part: 2\n" IR},
	  {"r.out.2", RUN "part: 3\n" IR}},
	 1,
	 false,
	 true},
	{"without a pid",
	 {{"r.out", "cmd: a\npart: 1\n" IR}, {"r.out.1", "cmd: a\npart: 2\n" IR}},
	 0,
	 false,
	 false},
	{"no profile",
	 {{"r.out", RUN "part: 1\n" IR},
	  {"r.out.1", RUN "part: 2\n"},
	  {"r.out.2", "pid: x\n" IR},
	  {"r.out.3", "events"}},
	 0,
	 false,
	 true},
	{"an empty file and a FIFO",
	 {{"r.out", RUN "part: 1\n" IR}, {"r.out.1", ""}, {"r.out.2", NULL}},
	 0,
	 false,
	 false},
};

static void write_file(const char *name, const char *text)
{
	int fd;

	if (!text) {
		if (mkfifo(name, 0600))
			abort();
		return;
	}
	fd = open(name, O_WRONLY | O_CREAT | O_TRUNC, 0644);
	if (fd < 0 || write(fd, text, strlen(text)) < 0 || close(fd))
		abort();
}

static void look(const char *name, struct beside *b)
{
	struct build_opts opts = {.no_write = true};
	struct build_report r;
	struct store *st = NULL;
	struct err err = {0};

	*b = (struct beside){0};
	if (!ok(!build_open(name, &opts, &st, &r, &err), "%s is opened", name))
		fprintf(stderr, "# %s\n", err.text);
	else
		beside_find(name, st, b);
	store_close(st);
}

static void check(size_t c)
{
	const char *what = cases[c].what;
	struct beside b;

	for (size_t i = 0; i < FILES && cases[c].file[i].name; i++)
		write_file(cases[c].file[i].name, cases[c].file[i].text);
	look(cases[c].file[0].name, &b);
	is_u64(b.n, cases[c].n, "%s: the number", what);
	ok(b.more == cases[c].more && b.mixed == cases[c].mixed, "%s: more %d, mixed %d",
	   what, b.more, b.mixed);
	for (size_t i = 0; i < FILES && cases[c].file[i].name; i++)
		unlink(cases[c].file[i].name);
}

/* More dumps than headers that are read, then more entries than are listed. */
static void check_many(void)
{
	enum { DUMPS = 200, ENTRIES = 10100 };
	char name[40], text[200];
	struct beside b;

	write_file("r.out", RUN "part: 1000\n" IR);
	for (int i = 1; i <= DUMPS; i++) {
		snprintf(name, sizeof(name), "r.out.%d", i);
		snprintf(text, sizeof(text), RUN "part: %d\n" IR, i);
		write_file(name, text);
	}
	look("r.out", &b);
	ok(b.n == DUMPS && !b.more && !b.mixed, "many dumps are counted: %zu", b.n);
	for (int i = 0; i < ENTRIES; i++) {
		snprintf(name, sizeof(name), "other-%d", i);
		write_file(name, "");
	}
	look("r.out", &b);
	ok((b.n <= DUMPS && b.more) || !b.n, "a huge directory is not read to its end");
	for (int i = 0; i < ENTRIES; i++) {
		snprintf(name, sizeof(name), "other-%d", i);
		unlink(name);
	}
	for (int i = 1; i <= DUMPS; i++) {
		snprintf(name, sizeof(name), "r.out.%d", i);
		unlink(name);
	}
	unlink("r.out");
}

int main(void)
{
	char dir[] = "/tmp/beside_test.XXXXXX";

	if (!mkdtemp(dir) || chdir(dir))
		abort();
	for (size_t c = 0; c < COUNT(cases); c++)
		check(c);
	check_many();
	if (chdir("/") || rmdir(dir))
		fprintf(stderr, "# %s stays\n", dir);
	return done_testing();
}
