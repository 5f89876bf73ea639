/* feed_test.c - text from a thread: how Ctrl-C ends it. */
#include <dirent.h>
#include <fcntl.h>
#include <time.h>

#include "index/base/err_struct.h"
#include "index/base/err_kind.h"
#include "index/file/feed.h"
#include "tests/support/tap.h"

static unsigned threads(void)
{
	DIR *d = opendir("/proc/self/task");
	unsigned n = 0;

	while (d && readdir(d))
		n++;
	if (d)
		closedir(d);
	return n;
}

/* The thread sees it and ends before anybody waits for a block: its error is no file's. */
static void test_cancelled_first(void)
{
	static const struct timespec ms = {.tv_nsec = 1000000};
	atomic_int cancel = 1;
	const struct feed_opts opts = {.name = "profile.gz", .cancel = &cancel};
	unsigned before = threads();
	struct feed *f = NULL;
	struct feed_block b;
	struct err err = {0};
	int fd = open("/dev/zero", O_RDONLY);

	if (!ok(!feed_open(&f, fd, &opts, &err), "a feed %s", err.text))
		return;
	for (int i = 0; threads() > before && i < 60000; i++)
		nanosleep(&ms, NULL);
	is_u64((uint64_t)feed_next(f, 0, &b, &err), ERR_CANCEL,
	       "its thread is cancelled");
	ok(!strstr(err.text, opts.name), "  which names no file: %s", err.text);
	feed_close(f);
	close(fd);
}

int main(void)
{
	test_cancelled_first();
	return done_testing();
}
