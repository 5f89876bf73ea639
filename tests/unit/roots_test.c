/*
 * roots_test.c - a profile names files; none outside the source roots is opened.
 *
 * Every path is tried twice: as the kernel resolves it (openat2), and without that call, one
 * directory after the other; then no symbolic link is followed, so the reason may be another.
 */
#include "engine/files/roots.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/filter.h>
#include <linux/openat2.h>
#include <linux/seccomp.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

#include "index/base/arena.h"
#include "index/base/err_struct.h"
#include "index/base/err_kind.h"
#include "tests/support/tap.h"

static char top[64], root[128];

/* Which call of fstat() fails, from 1; 0: none. */
static unsigned fstat_fails;

int fstat(int fd, struct stat *st)
{
	if (fstat_fails && --fstat_fails == 0) {
		errno = EIO;
		return -1;
	}
	return fstatat(fd, "", st, AT_EMPTY_PATH);
}

static void put(const char *name, const char *text)
{
	char path[256];
	FILE *f;

	snprintf(path, sizeof(path), "%s/%s", top, name);
	f = fopen(path, "w");
	if (!f || fputs(text, f) < 0 || fclose(f))
		abort();
}

static void point(const char *to, const char *name)
{
	char path[256];

	snprintf(path, sizeof(path), "%s/%s", top, name);
	if (symlink(to, path))
		abort();
}

static void directory(const char *name)
{
	char path[256];

	snprintf(path, sizeof(path), "%s/%s", top, name);
	if (mkdir(path, 0700))
		abort();
}

static void listen_at(const char *name)
{
	struct sockaddr_un at = {.sun_family = AF_UNIX};
	int fd = socket(AF_UNIX, SOCK_STREAM, 0);

	snprintf(at.sun_path, sizeof(at.sun_path), "%s/%s", top, name);
	if (fd < 0 || bind(fd, (struct sockaddr *)&at, sizeof(at)))
		abort();
	close(fd);
}

static void make_tree(void)
{
	char path[256];

	snprintf(top, sizeof(top), "/tmp/quern-roots-XXXXXX");
	if (!mkdtemp(top))
		abort();
	snprintf(root, sizeof(root), "%s/root", top);
	directory("root");
	directory("root/sub");
	directory("rootother");
	put("secret.c", "secret\n");
	put("rootother/x.c", "secret\n");
	put("root/a.c", "inside\n");
	put("root/sub/b.c", "inside\n");
	put("root/ blanks and\ttabs .c", "inside\n");
	put("root/\xff\xfe.c", "inside\n");
	put("root/new\nline.c", "inside\n");
	put("root/-rf", "inside\n");
	put("root/empty.c", "");
	point("a.c", "root/link-inside.c");
	point("../secret.c", "root/link-up.c");
	point("sub/../../secret.c", "root/link-through.c");
	point("/etc/passwd", "root/link-absolute.c");
	point("..", "root/up");
	point("/", "root/slash");
	point("/proc/self/environ", "root/link-proc.c");
	point("/proc/self/fd/0", "root/link-fd.c");
	point("loop-b", "root/loop-a");
	point("loop-a", "root/loop-b");
	point("/dev/zero", "root/link-zero.c");
	point("nowhere.c", "root/dangling.c");
	snprintf(path, sizeof(path), "%s/root/fifo.c", top);
	if (mkfifo(path, 0600))
		abort();
	listen_at("root/socket.c");
	snprintf(path, sizeof(path), "%s/root/huge.c", top);
	if (mknod(path, S_IFREG | 0600, 0) || truncate(path, (off_t)1 << 40))
		abort();
	/* Only root may make one; elsewhere the name is not there. */
	snprintf(path, sizeof(path), "%s/root/device.c", top);
	(void)!mknod(path, S_IFCHR | 0600, (1 << 8) | 5);
}

static void remove_tree(void)
{
	char command[128];

	snprintf(command, sizeof(command), "rm -rf '%s'", top);
	if (system(command))
		fprintf(stderr, "# %s was left\n", top);
}

/* %s is the directory that the root lies in. */
static const struct {
	const char *path;
	size_t n;	  /* bytes; 0: to the NUL */
	const char *want; /* the text, or the reason in part */
	bool moved;	  /* also looked for by its last parts */
	bool links;	  /* cannot be read by hand, and need not */
} cases[] = {
	{.path = "a.c", .want = "inside"},
	{.path = "sub/b.c", .want = "inside"},
	{.path = "./sub/./b.c", .want = "inside"},
	{.path = "sub//b.c", .want = "inside"},
	{.path = "sub/../a.c", .want = "inside", .links = true},
	{.path = "link-inside.c", .want = "inside", .links = true},
	{.path = "%s/root/a.c", .want = "inside"},
	{.path = "%s/root//a.c", .want = "inside"},
	{.path = " blanks and\ttabs .c", .want = "inside"},
	{.path = "\xff\xfe.c", .want = "inside"},
	{.path = "new\nline.c", .want = "inside"},
	{.path = "-rf", .want = "inside"},
	{.path = "empty.c", .want = ""},
	{.path = "/build/x/sub/b.c", .want = "inside", .moved = true},
	{.path = "/build/x/sub/b.c", .want = "not found"},
	{.path = "/build/root/../../secret.c",
	 .want = "leaves the source root",
	 .moved = true},
	{.path = "../secret.c", .want = "leaves the source root"},
	{.path = "sub/../../secret.c", .want = "leaves the source root"},
	{.path = "%s/root/../secret.c", .want = "leaves the source root"},
	{.path = "%s/rootother/x.c", .want = "not found"},
	{.path = "%s/secret.c", .want = "not found"},
	{.path = "link-up.c", .want = "leaves the source root"},
	{.path = "link-through.c", .want = "leaves the source root"},
	{.path = "link-absolute.c", .want = "leaves the source root"},
	{.path = "up/secret.c", .want = "leaves the source root"},
	{.path = "slash/etc/passwd", .want = "leaves the source root"},
	{.path = "link-proc.c", .want = "leaves the source root"},
	{.path = "link-fd.c", .want = "leaves the source root"},
	{.path = "link-zero.c", .want = "leaves the source root"},
	{.path = "loop-a", .want = "leaves the source root"},
	{.path = "dangling.c", .want = "not found"},
	{.path = "/etc/passwd", .want = "not found"},
	{.path = "/etc/passwd", .want = "not found", .moved = true},
	{.path = "/proc/self/mem", .want = "not found"},
	{.path = "/dev/zero", .want = "not found"},
	{.path = "fifo.c", .want = "not a regular file"},
	{.path = "socket.c", .want = "not a regular file"},
	{.path = "sub", .want = "not a regular file"},
	{.path = ".", .want = "not a regular file"},
	{.path = "..", .want = "leaves the source root"},
	{.path = "huge.c", .want = "larger than 32 MiB"},
	{.path = "device.c", .want = "not "},
	{.path = "a.c/", .want = "not found"},
	{.path = "a.c/b.c", .want = "not found"},
	{.path = "a.c\0../secret.c", .n = 15, .want = "not found"},
	{.path = "\0", .n = 1, .want = "not found"},
	{.path = "", .want = "not known"},
	{.path = "???", .want = "not known"},
	{.path = "/", .want = "not found"},
	{.path = "//", .want = "not found"},
	{.path = "%s/root/", .want = "not found"},
	{.path = "%s/root", .want = "not found"},
};

static void try_case(const struct roots *r, size_t i, const char *how, bool by_hand)
{
	struct roots_file file = {.fd = -1};
	struct str path, text = {NULL, 0};
	struct arena a;
	char full[256];
	const char *why;

	snprintf(full, sizeof(full), cases[i].path[0] == '%' ? "%s%s" : "%.0s%s", top,
		 cases[i].path + (cases[i].path[0] == '%' ? 2 : 0));
	path = cases[i].n ? (struct str){cases[i].path, cases[i].n} : str_c(full);
	arena_init(&a, 0);
	if (roots_read(r, path, &a, &text, &file, &why))
		ok(str_starts(text, str_c(cases[i].want)) &&
			   !strstr(cases[i].want, "not "),
		   "%s: %s is read", how, cases[i].path);
	else if (!ok(cases[i].want[0] && (by_hand || strstr(why, cases[i].want)) &&
			     strcmp(cases[i].want, "inside") != 0,
		     "%s: %s%s: %s", how, cases[i].path, cases[i].moved ? " (moved)" : "",
		     why))
		fprintf(stderr, "# wanted %s\n", cases[i].want);
	arena_free(&a);
}

static void try_all(const char *how, bool by_hand)
{
	struct err err = {0};

	for (size_t i = 0; i < COUNT(cases); i++) {
		struct roots *r;

		if (by_hand && cases[i].links)
			continue;
		if (roots_new(&r, &err) || roots_add(r, root, cases[i].moved, &err))
			abort();
		try_case(r, i, how, by_hand);
		roots_free(r);
	}
}

static void try_long(void)
{
	static char path[70000];
	struct roots_file file;
	struct roots *r;
	struct arena a;
	struct err err = {0};
	const char *why;

	if (roots_new(&r, &err) || roots_add(r, root, true, &err))
		abort();
	arena_init(&a, 0);
	for (size_t n = 4000; n < sizeof(path); n = n < 5000 ? n + 50 : n * 2) {
		bool found;

		for (size_t i = 0; i < n; i++)
			path[i] = i % 2 ? '/' : '.';
		found = roots_open(r, (struct str){path, n}, &a, &file, &why);
		ok(!found, "a path of %zu bytes: %s", n, why);
	}
	is_u64((uint64_t)roots_add(r, "/tmp/no/such/root", false, &err), ERR_USAGE,
	       "a root that is not there");
	arena_free(&a);
	roots_free(r);
}

static int next_fd(void)
{
	int fd = open("/", O_PATH | O_CLOEXEC);

	close(fd);
	return fd;
}

/* What the machine cannot do is not said of the file. */
static void try_failing(void)
{
	const struct {
		unsigned fstat_fails;
		size_t bytes; /* of the arena */
		bool no_fd;
		const char *why;
	} failing[] = {
		{0, 0, false, NULL},
		{1, 0, false, strerror(EIO)},
		{2, 0, false, strerror(EIO)},
		{0, 0, true, strerror(EMFILE)},
		{0, 4, false, "no memory for it"},
		{0, 16, false, "no memory for it"},
	};
	struct rlimit few, was;
	struct err err = {0};
	struct roots *r;
	int fd;

	if (roots_new(&r, &err) || roots_add(r, root, false, &err) ||
	    getrlimit(RLIMIT_NOFILE, &was))
		abort();
	fd = next_fd();
	few = (struct rlimit){(rlim_t)fd, was.rlim_max};
	for (size_t i = 0; i < COUNT(failing); i++) {
		struct roots_file file = {.fd = -1};
		const char *why = NULL;
		struct arena a;

		arena_init(&a, failing[i].bytes);
		fstat_fails = failing[i].fstat_fails;
		if (failing[i].no_fd)
			setrlimit(RLIMIT_NOFILE, &few);
		if (roots_open(r, STR("sub/b.c"), &a, &file, &why))
			close(file.fd);
		setrlimit(RLIMIT_NOFILE, &was);
		is_str(why, failing[i].why, "sub/b.c when it cannot be opened");
		is_u64((uint64_t)next_fd(), (uint64_t)fd, "  no descriptor is lost");
		arena_free(&a);
	}
	roots_free(r);
}

/* From here on the kernel has no openat2. */
static bool forbid_openat2(void)
{
	struct sock_filter filter[] = {
		BPF_STMT(BPF_LD | BPF_W | BPF_ABS, 0),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_openat2, 0, 1),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | ENOSYS),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
	};
	struct sock_fprog program = {COUNT(filter), filter};

	return prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0 &&
	       prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program) == 0;
}

/* Kernels before 5.6 have none, some sandboxes forbid it, valgrind does not know it. */
static bool has_openat2(void)
{
	struct open_how how = {.flags = O_PATH | O_CLOEXEC};
	long fd = syscall(SYS_openat2, AT_FDCWD, "/", &how, sizeof(how));

	if (fd >= 0)
		close((int)fd);
	return fd >= 0 || (errno != ENOSYS && errno != EPERM);
}

int main(void)
{
	make_tree();
	atexit(remove_tree);
	if (has_openat2())
		try_all("openat2", false);
	else
		skip("there is no openat2 here");
	if (has_openat2() && !forbid_openat2())
		skip("seccomp is not allowed here: openat2 was not taken away");
	else
		try_all("by hand", true);
	try_long();
	try_failing();
	return done_testing();
}
