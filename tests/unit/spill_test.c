/*
 * spill_test.c - bytes that go to a temporary file and come back, where the system will not.
 *
 * openat(), pread() and pwrite() stand here in libc's place and do what a case says.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "engine/query.h"
#include "index/base/err_struct.h"
#include "index/base/err_kind.h"
#include "index/base/spill.h"
#include "tests/support/fuzzing.h"
#include "tests/support/tap.h"

static struct faults {
	int no_tmpfile;		   /* errno of O_TMPFILE; 0: it works */
	int write_once, read_once; /* errno of the next call */
	int write_fails, read_fails;
	bool torn; /* a byte at a time */
	bool ends; /* the file is shorter than it was */
} now;

int openat(int dir, const char *path, int flags, ...)
{
	if ((flags & O_TMPFILE) == O_TMPFILE && now.no_tmpfile) {
		errno = now.no_tmpfile;
		return -1;
	}
	return (int)syscall(SYS_openat, dir, path, flags, 0600);
}

static bool refused(int *once, int always)
{
	errno = *once ? *once : always;
	*once = 0;
	return errno != 0;
}

ssize_t pwrite(int fd, const void *p, size_t n, off_t at)
{
	if (refused(&now.write_once, now.write_fails))
		return -1;
	return syscall(SYS_pwrite64, fd, p, now.torn ? 1 : n, at);
}

ssize_t pread(int fd, void *p, size_t n, off_t at)
{
	if (now.ends)
		return 0;
	if (refused(&now.read_once, now.read_fails))
		return -1;
	return syscall(SYS_pread64, fd, p, now.torn ? 1 : n, at);
}

enum { BYTES = 1000 };

/* Bytes in two writes and some that stay; all of them come back.  The errno of what failed. */
static int there_and_back(const char *dir)
{
	struct spill s;
	int failed = 0;

	spill_init(&s, 100, dir);
	for (unsigned i = 0; i < BYTES && !failed; i++) {
		if (bytes_put(&s.buf, i % 128))
			fuzz_fail("out of memory");
		if (i == 299 || i == 799)
			failed = spill_write(&s);
	}
	if (!failed && spill_at(&s) != BYTES)
		fuzz_fail("%u bytes are %u", BYTES, (unsigned)spill_at(&s));
	for (unsigned at = 0; at < BYTES && !failed; at += 100) {
		const unsigned char *p = spill_bytes(&s, at, 100);

		failed = p ? 0 : errno;
		for (unsigned k = 0; p && k < 100; k++)
			if (p[k] != (at + k) % 128)
				fuzz_fail("byte %u is %u", at + k, p[k]);
	}
	spill_free(&s);
	return failed;
}

static const struct {
	const char *name;
	struct faults how;
	const char *dir; /* NULL: one that is there */
	int want;
} cases[] = {
	{"all is well", {0}, NULL, 0},
	{"no O_TMPFILE", {.no_tmpfile = EOPNOTSUPP}, NULL, 0},
	{"an old kernel", {.no_tmpfile = EISDIR}, NULL, 0},
	{"O_TMPFILE is not allowed", {.no_tmpfile = EACCES}, NULL, EACCES},
	{"no O_TMPFILE, no directory", {.no_tmpfile = EOPNOTSUPP}, "/nowhere", ENOENT},
	{"no directory", {0}, "/nowhere", ENOENT},
	{"a file as directory", {0}, "/dev/null", ENOTDIR},
	{"a byte at a time", {.torn = true}, NULL, 0},
	{"write: interrupted", {.write_once = EINTR}, NULL, 0},
	{"write: the disk is full", {.write_fails = ENOSPC}, NULL, ENOSPC},
	{"read: interrupted", {.read_once = EINTR}, NULL, 0},
	{"read: an i/o error", {.read_fails = EIO}, NULL, EIO},
	{"read: the file is shorter", {.ends = true}, NULL, EIO},
};

/* Add up BYTES bytes, read where they are mapped. */
static int add_up(void *arg)
{
	struct spill *s = arg;
	unsigned sum = 0;

	for (unsigned at = 0; at < BYTES; at += 100) {
		const unsigned char *p = spill_bytes(s, at, 100);

		for (unsigned k = 0; p && k < 100; k++)
			sum += p[k] == (at + k) % 128;
	}
	return sum == BYTES ? 0 : -1;
}

static void test_map(const char *dir)
{
	struct err err = {0};
	struct spill s;
	int failed = 0;

	spill_init(&s, 100, dir);
	spill_map(&s);
	ok(s.map.n == 0, "nothing was written: no map");
	for (unsigned i = 0; i < BYTES; i++) {
		failed |= bytes_put(&s.buf, i % 128);
		if (i == 299 || i == 799)
			failed |= spill_write(&s);
		if (i == 299)
			spill_map(&s);
	}
	ok(!failed && s.map.n == 300, "a map of what was written");
	ok(map_guard(add_up, &s, ERR_INDEX, &err) == 0, "what came later is read, too");
	spill_map(&s);
	now.read_fails = EIO;
	ok(s.map.n == 800 && map_guard(add_up, &s, ERR_INDEX, &err) == 0,
	   "the whole file is mapped: no read()");
	now = (struct faults){0};
	ok(ftruncate(s.fd, 0) == 0 &&
		   map_guard(add_up, &s, ERR_INDEX, &err) == (int)ERR_INDEX,
	   "the file is shorter: %s", err.text);
	spill_free(&s);
}

int main(void)
{
	const char *dir = fuzz_directory();

	for (size_t i = 0; i < COUNT(cases); i++) {
		now = cases[i].how;
		is_u64((uint64_t)there_and_back(cases[i].dir ? cases[i].dir : dir),
		       (uint64_t)cases[i].want, "%s", cases[i].name);
	}
	now = (struct faults){0};
	test_map(dir);
	ok(rmdir(dir) == 0, "no file is left");
	return done_testing();
}
