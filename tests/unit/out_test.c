/* out_test.c - what is written arrives, whole and in order; a failure is kept. */
#include "index/base/out.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <unistd.h>

#include "tests/support/tap.h"

enum { BUFFER = 64 << 10 };

static char big[5 * BUFFER];

/* One of everything. */
static void write_some(struct out *o)
{
	out_c(o, "a");
	out_str(o, STR("b\0c"));
	out_str(o, (struct str){NULL, 0});
	out_char(o, ';');
	out_fill(o, '-', 3);
	out_u64(o, 0);
	out_u64(o, UINT64_MAX);
	out_printf(o, "%s=%d", "x", 7);
	out_printf(o, "%s", "");
}

static const char some[] = "ab\0c;---018446744073709551615x=7";

static void test_memory(void)
{
	struct out o;

	out_mem(&o);
	write_some(&o);
	ok(o.n == sizeof(some) - 1 && memcmp(o.buf, some, o.n) == 0, "memory: bytes");
	is_u64(o.written, sizeof(some) - 1, "memory: counted");
	is_u64((uint64_t)out_flush(&o), 0, "memory: flush does nothing");
	is_u64(o.n, sizeof(some) - 1, "memory: and keeps everything");
	out_bytes(&o, big, sizeof(big));
	ok(o.n == sizeof(some) - 1 + sizeof(big) &&
		   memcmp(o.buf + o.n - sizeof(big), big, sizeof(big)) == 0,
	   "memory: grows");
	is_u64((uint64_t)out_close(&o), 0, "memory: close");
	ok(!o.buf && o.n == 0, "memory: freed");
	out_mem(&o);
	is_u64((uint64_t)out_close(&o), 0, "memory: closed without a byte");
}

/* The bytes of fd from its start; the caller frees. */
static char *read_back(int fd, size_t *n)
{
	off_t size = lseek(fd, 0, SEEK_END);
	char *p = malloc((size_t)size + 1);

	*n = (size_t)pread(fd, p, (size_t)size, 0);
	return p;
}

static void test_file(void)
{
	static const struct {
		const char *name;
		size_t piece, pieces;
	} cases[] = {
		{"one byte", 1, 1},
		{"a byte at a time past the buffer", 1, BUFFER + 10},
		{"exactly the buffer", BUFFER, 1},
		{"one less than the buffer, twice", BUFFER - 1, 2},
		{"pieces that straddle", 1000, 300},
		{"more than the buffer at once", 2 * BUFFER + 1, 2},
	};

	for (size_t i = 0; i < COUNT(cases); i++) {
		char name[] = "/tmp/out_test.XXXXXX";
		int fd = mkstemp(name);
		size_t n, want = cases[i].piece * cases[i].pieces, wrong = 0;
		struct out o;
		char *back;

		unlink(name);
		out_fd(&o, fd);
		for (size_t j = 0; j < cases[i].pieces; j++)
			out_bytes(&o, big + j % 7, cases[i].piece);
		is_u64((uint64_t)out_close(&o), 0, "%s: close", cases[i].name);
		is_u64(o.written, want, "%s: counted", cases[i].name);
		back = read_back(fd, &n);
		is_u64(n, want, "%s: length", cases[i].name);
		for (size_t j = 0; j < n; j++)
			wrong += back[j] !=
				 big[j / cases[i].piece % 7 + j % cases[i].piece];
		is_u64(wrong, 0, "%s: bytes", cases[i].name);
		free(back);
		close(fd);
	}
}

static void test_printf_larger_than_buffer(void)
{
	char name[] = "/tmp/out_test.XXXXXX";
	int fd = mkstemp(name);
	struct out o;
	size_t n;
	char *back;

	unlink(name);
	out_fd(&o, fd);
	out_c(&o, "x");
	out_printf(&o, "%0*d", 3 * BUFFER, 5);
	write_some(&o);
	is_u64((uint64_t)out_close(&o), 0, "printf past the buffer: close");
	back = read_back(fd, &n);
	ok(n == 1 + 3 * BUFFER + sizeof(some) - 1 && back[3 * BUFFER] == '5' &&
		   memcmp(back + 1 + 3 * BUFFER, some, sizeof(some) - 1) == 0,
	   "printf past the buffer: bytes");
	free(back);
	close(fd);
}

static void test_failures(void)
{
	int full = open("/dev/full", O_WRONLY), pair[2];
	struct out o;

	if (full < 0) {
		skip("no /dev/full here");
	} else {
		out_fd(&o, full);
		write_some(&o);
		is_u64((uint64_t)out_flush(&o), ENOSPC,
		       "a full device is seen at the flush");
		write_some(&o);
		is_u64(o.written, sizeof(some) - 1, "what comes after is dropped");
		out_bytes(&o, big, sizeof(big));
		is_u64(o.written, sizeof(some) - 1, "large pieces too");
		is_u64((uint64_t)out_close(&o), ENOSPC, "and close says so again");
		close(full);
	}

	signal(SIGPIPE, SIG_IGN);
	ok(pipe(pair) == 0, "a pipe");
	close(pair[0]);
	out_fd(&o, pair[1]);
	out_bytes(&o, big, sizeof(big));
	is_u64((uint64_t)o.failed, EPIPE, "a closed pipe is seen by a large write");
	is_u64((uint64_t)out_close(&o), EPIPE, "and by close");
	close(pair[1]);

	out_fd(&o, 999);
	is_u64((uint64_t)out_close(&o), 0, "no bytes, no failure");
}

int main(void)
{
	for (size_t i = 0; i < sizeof(big); i++)
		big[i] = (char)(i * 31 >> 3);
	test_memory();
	test_file();
	test_printf_larger_than_buffer();
	test_failures();
	return done_testing();
}
