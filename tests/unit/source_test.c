/* source_test.c - what is opened as a profile, and what is refused in which words. */
#include <fcntl.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "index/base/err.h"
#include "index/file/source.h"
#include "index/file/source_hash.h"
#include "tests/support/tap.h"

static char dir[64], path[128];

static void write_file(const char *p, size_t n)
{
	int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC, 0644);

	if (fd < 0 || write(fd, p, n) != (ssize_t)n || close(fd))
		abort();
}

static void refused(const char *name, const char *why)
{
	struct source_file s;
	struct err err = {0};

	is_u64((uint64_t)source_open(path, &s, &err), ERR_PROFILE, "%s: refused", name);
	if (!ok(strstr(err.text, why) != NULL, "%s: %s", name, why))
		fprintf(stderr, "# %s\n", err.text);
}

#define BYTES(lit) lit, sizeof(lit) - 1
static const struct {
	const char *name, *bytes;
	size_t n;
	const char *why;
} files[] = {
	{"empty", BYTES(""), "empty"},
};

static const struct {
	const char *bytes;
	size_t n;
	const char *codec;
} packed[] = {
	{BYTES("\x1f\x8b\x08\0\0\0\0\0\0\0"), "gzip"},
	{BYTES("BZh91AY&SY"), "bzip2"},
	{BYTES("\3757zXZ\0\0\4"), "xz"},
	{BYTES("\x28\xb5\x2f\xfd\x24\0"), "zstd"},
	{BYTES("\x5c\x2a\x4d\x18\x04\0"), "zstd"}, /* a skippable frame: pzstd */
	{BYTES("\x04\x22\x4d\x18\x64\x40"), NULL},
	{BYTES("\x1f"), NULL},
	{BYTES("\3757zX"), NULL},
	{BYTES("events: Ir\n"), NULL},
};

static void test_packed(void)
{
	for (size_t i = 0; i < COUNT(packed); i++) {
		struct source_file s;
		struct err err = {0};

		write_file(packed[i].bytes, packed[i].n);
		if (!ok(!source_open(path, &s, &err), "packed file %zu is opened", i))
			continue;
		is_str(s.codec ? unpack_name(s.codec) : "text",
		       packed[i].codec ? packed[i].codec : "text", "and recognised");
		is_u64(packed[i].codec ? s.packed.n : s.map.n, packed[i].n,
		       "and mapped as it is");
		is_u64(packed[i].codec ? s.map.n : 0, 0, "not as text");
		source_close(&s);
	}
}

static void test_refused(void)
{
	for (size_t i = 0; i < COUNT(files); i++) {
		write_file(files[i].bytes, files[i].n);
		refused(files[i].name, files[i].why);
	}
	unlink(path);
	refused("missing", "No such file");
	mkdir(path, 0700);
	refused("a directory", "a directory");
	rmdir(path);
	if (mkfifo(path, 0600) == 0) {
		struct source_file s;
		struct err err = {0};

		ok(!source_open(path, &s, &err) && s.pipe,
		   "a FIFO, without waiting for a writer");
		source_close(&s);
	}
	unlink(path);
	if (symlink("/dev/zero", path) == 0)
		refused("a device", "not a regular file");
	unlink(path);
}

/* Let the moment be over in which a file was written. */
static void rest(void)
{
	nanosleep(&(struct timespec){.tv_nsec = 30 * 1000 * 1000}, NULL);
}

static void test_compare(void)
{
	struct source_file s;
	struct source_id then, moving;
	struct err err = {0};
	struct timespec t[2] = {{.tv_sec = 5}, {.tv_sec = 5}};
	char kept[200];

	write_file(BYTES("events: Ir\n"));
	rest();
	if (!ok(!source_open(path, &s, &err), "a profile"))
		return;
	then = s.id;
	snprintf(kept, sizeof(kept), "%.*s", STR_ARG(s.id.path));
	then.path = str_c(kept);
	then.hash = source_hash_all((uint64_t[]){source_hash_chunk(s.map.p, s.map.n)}, 1);
	moving = then;
	is_u64(s.map.n, 11, "its bytes");
	ok(kept[0] == '/', "its path is absolute");
	is_u64(source_compare(&s, &then), SOURCE_SAME, "same");
	s.id.ctime_ns = moving.ctime_ns = 0;
	is_u64(source_compare(&s, &moving), SOURCE_TOUCHED,
	       "indexed and asked as it was written: its content says");
	moving.hash++;
	is_u64(source_compare(&s, &moving), SOURCE_CHANGED, "and that it is another");
	ok(!source_unchanged(&s, &err), "unchanged");
	utimensat(AT_FDCWD, path, t, 0);
	ok(source_unchanged(&s, &err) == ERR_PROFILE,
	   "its time changed while it was read");
	source_close(&s);

	err_clear(&err);
	if (source_open(path, &s, &err))
		abort();
	is_u64(source_compare(&s, &then), SOURCE_TOUCHED,
	       "touched: the content is the same");
	source_close(&s);
	write_file(BYTES("events: Dr\n"));
	if (source_open(path, &s, &err))
		abort();
	is_u64(source_compare(&s, &then), SOURCE_CHANGED,
	       "other content of the same size");
	source_close(&s);
	write_file(BYTES("events: Ir\n\n"));
	if (source_open(path, &s, &err))
		abort();
	is_u64(source_compare(&s, &then), SOURCE_CHANGED, "longer");
	source_close(&s);
	unlink(path);
}

static int read_first(void *arg)
{
	const volatile char *p = ((struct source_file *)arg)->map.p;

	return p[0] == 'x';
}

/* Of a set, each is opened again to be read: what goes wrong then has its name. */
static void test_reopened(void)
{
	char want[200];
	struct source_file s;
	struct err err = {0};

	write_file("events: Ir\n", 11);
	is_u64((uint64_t)source_open(path, &s, &err), 0, "a file is opened");
	source_release(&s);
	is_u64((uint64_t)source_reopen(&s, &err), 0, "and again");
	ok(truncate(path, 0) == 0, "it shrinks");
	is_u64((uint64_t)map_guard(read_first, &s, ERR_PROFILE, &err), ERR_PROFILE,
	       "that is an error");
	snprintf(want, sizeof(want), "%s changed or shrank while it was read", path);
	is_str(err.text, want, "by its name");
	source_close(&s);
	err_clear(&err);
	write_file("events: Ir\n", 11);
	is_u64((uint64_t)source_open(path, &s, &err), 0, "another is opened");
	source_release(&s);
	unlink(path);
	is_u64((uint64_t)source_reopen(&s, &err), ERR_PROFILE, "it is gone");
	ok(strstr(err.text, path) != NULL, "also by its name: %s", err.text);
	source_close(&s);
}

int main(void)
{
	snprintf(dir, sizeof(dir), "%s/quern-source-XXXXXX",
		 access("/dev/shm", W_OK) ? "/tmp" : "/dev/shm");
	if (!mkdtemp(dir))
		abort();
	snprintf(path, sizeof(path), "%s/p", dir);
	test_refused();
	test_packed();
	test_compare();
	test_reopened();
	rmdir(dir);
	return done_testing();
}
