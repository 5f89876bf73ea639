/*
 * roots_test.c - what may be opened below a source root, by the kernel's own resolution
 * (openat2) and by the walk that stands in for it on older kernels and in sandboxes.
 *
 * The call is taken away by a seccomp filter in a child, so the same binary is tested.
 */
#include "engine/roots.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <stddef.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "tests/tap.h"

static const struct {
	const char *path;
	bool kernel, walk; /* opened? */
	const char *why;
} cases[] = {
	{"a.c", true, true, NULL},
	{"sub/b.c", true, true, NULL},
	{"./sub//b.c", true, true, NULL},
	{"gone.c", false, false, "not found below the source roots"},
	{"sub/../a.c", true, false, NULL}, /* the walk refuses every ".." */
	{"../secret", false, false, "its path leaves the source root"},
	{"sub/../../secret", false, false, "its path leaves the source root"},
	{"out.c", false, false, "its path leaves the source root"},
	{"outdir/secret", false, false, "its path leaves the source root"},
	{"in.c", true, false, NULL}, /* a link that stays below; the walk follows none */
	{"fifo.c", false, false, "not a regular file"},
	{"sub", false, false, "not a regular file"},
	{"/etc/passwd", false, false, "not found below the source roots"},
	{"", false, false, "its name is not known"},
};

static bool take_away(int error)
{
	struct sock_filter f[] = {
		BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_openat2, 0, 1),
		BPF_STMT(BPF_RET | BPF_K,
			 SECCOMP_RET_ERRNO | ((unsigned)error & SECCOMP_RET_DATA)),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
	};
	struct sock_fprog program = {COUNT(f), f};

	return prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0 &&
	       prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program) == 0;
}

static void try_all(const char *mode, bool walk)
{
	struct roots *r;
	struct err err = {0};
	struct arena a;

	arena_init(&a, 1 << 20);
	if (roots_new(&r, &err) || roots_add(r, "root", false, &err)) {
		ok(false, "%s: %s", mode, err.text);
		return;
	}
	for (size_t i = 0; i < COUNT(cases); i++) {
		struct roots_file file = {.fd = -1};
		const char *why = NULL;
		bool want = walk ? cases[i].walk : cases[i].kernel;
		bool got = roots_open(r, str_c(cases[i].path), &a, &file, &why);

		is_u64(got, want, "%s: '%s'", mode, cases[i].path);
		if (got)
			close(file.fd);
		else if (cases[i].why && !walk)
			is_str(why, cases[i].why, "  why");
		else
			ok(why != NULL, "  and it is said why");
	}
	roots_free(r);
	arena_free(&a);
}

static void make(const char *path, const char *text)
{
	int fd = open(path, O_WRONLY | O_CREAT | O_EXCL, 0644);

	if (fd < 0 || write(fd, text, strlen(text)) < 0)
		ok(false, "%s: %s", path, strerror(errno));
	if (fd >= 0)
		close(fd);
}

static void make_tree(void)
{
	if (mkdir("root", 0755) || mkdir("root/sub", 0755) || mkdir("outside", 0755) ||
	    symlink("../secret", "root/out.c") || symlink("../outside", "root/outdir") ||
	    symlink("sub/b.c", "root/in.c") || mkfifo("root/fifo.c", 0644))
		ok(false, "the tree: %s", strerror(errno));
	make("secret", "secret\n");
	make("outside/secret", "secret\n");
	make("root/a.c", "a\n");
	make("root/sub/b.c", "b\n");
}

static void remove_tree(const char *dir)
{
	static const char *const all[] = {
		"root/out.c",	  "root/outdir",  "root/in.c", "root/fifo.c",
		"root/a.c",	  "root/sub/b.c", "root/sub",  "root",
		"outside/secret", "outside",	  "secret",
	};

	for (size_t i = 0; i < COUNT(all); i++)
		remove(all[i]);
	if (chdir("/") == 0)
		rmdir(dir);
}

/* In a child: a filter stays for good.  Only its exit status counts, for the lines of TAP
 * are the parent's; run with QUERN_TEST_CHILD=1 to see its own. */
static void without_openat2(const char *mode, int error)
{
	pid_t pid;
	int status = 0;

	fflush(stdout);
	pid = fork();
	if (pid == 0) {
		unsigned before = tap_failed;

		if (!take_away(error))
			_exit(77);
		if (!getenv("QUERN_TEST_CHILD") && !freopen("/dev/null", "w", stdout))
			_exit(2);
		try_all(mode, true);
		fflush(stdout);
		_exit(tap_failed != before);
	}
	while (pid > 0 && waitpid(pid, &status, 0) < 0 && errno == EINTR)
		;
	if (WIFEXITED(status) && WEXITSTATUS(status) == 77)
		ok(true, "%s # SKIP seccomp filters are not allowed here", mode);
	else
		is_u64((uint64_t)status, 0, "%s: as said in the table", mode);
}

int main(void)
{
	char dir[] = "/tmp/quern-roots-XXXXXX";

	if (!mkdtemp(dir) || chdir(dir)) {
		ok(false, "%s: %s", dir, strerror(errno));
		return done_testing();
	}
	make_tree();
	try_all("openat2", false);
	without_openat2("ENOSYS", ENOSYS);
	without_openat2("EPERM", EPERM);
	remove_tree(dir);
	return done_testing();
}
