/* confine.c - drop what is not needed, by Landlock and seccomp; see confine.h. */
#include "engine/files/confine.h"

#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>
#ifdef HAVE_SECCOMP
#include <seccomp.h>
#endif

#include "engine/files/roots.h"

/* ---- files: Landlock ---- */

/* As in linux/landlock.h, which is older or missing on some systems. */
#ifndef SYS_landlock_create_ruleset
#define SYS_landlock_create_ruleset 444
#define SYS_landlock_add_rule 445
#define SYS_landlock_restrict_self 446
#endif
enum { ASK_VERSION = 1, PATH_BENEATH = 1 };

struct ruleset {
	uint64_t files, net, scoped;
};

struct __attribute__((packed)) beneath {
	uint64_t rights;
	int32_t fd;
};

enum { /* versions that added something */
       WITH_REFER = 2,
       WITH_TRUNCATE = 3,
       WITH_NET = 4,
       WITH_SCOPE = 6,
};

#define RIGHT(bit) ((uint64_t)1 << (bit))
#define FIRST_ALL (RIGHT(13) - 1)
#define WRITE_FILE RIGHT(1)
#define READ_FILE RIGHT(2)
#define READ_DIR RIGHT(3)
#define REMOVE_FILE RIGHT(5)
#define MAKE_REG RIGHT(8)
#define REFER RIGHT(13)
#define TRUNCATE RIGHT(14)
#define NET_ALL (RIGHT(2) - 1)	 /* bind, connect */
#define SCOPE_ALL (RIGHT(2) - 1) /* abstract Unix sockets, signals */

static const uint64_t reading = READ_FILE | READ_DIR,
		      index_files = WRITE_FILE | MAKE_REG | REMOVE_FILE | TRUNCATE;

struct fence {
	int fd; /* -1: the kernel has no Landlock */
	uint64_t handled;
};

static struct fence fence_new(bool and_reading)
{
	const long abi = syscall(SYS_landlock_create_ruleset, NULL, 0, ASK_VERSION);
	struct ruleset r = {.files = FIRST_ALL};

	if (abi < 1)
		return (struct fence){.fd = -1};
	r.files |= abi >= WITH_REFER ? REFER : 0;
	r.files |= abi >= WITH_TRUNCATE ? TRUNCATE : 0;
	r.net = abi >= WITH_NET ? NET_ALL : 0;
	r.scoped = abi >= WITH_SCOPE ? SCOPE_ALL : 0;
	if (!and_reading)
		r.files &= ~reading;
	return (struct fence){.fd = (int)syscall(SYS_landlock_create_ruleset, &r,
						 abi >= WITH_SCOPE ? sizeof(r)
						 : abi >= WITH_NET
							 ? sizeof(r) - sizeof(r.scoped)
							 : sizeof(r.files),
						 0),
			      .handled = r.files};
}

/* Allow something below a directory, or with a file. */
static void fence_allow(const struct fence *f, int fd, uint64_t rights)
{
	const struct beneath below = {rights & f->handled, fd};

	if (f->fd >= 0 && fd >= 0)
		syscall(SYS_landlock_add_rule, f->fd, PATH_BENEATH, &below, 0);
}

static void fence_allow_path(const struct fence *f, const char *path, uint64_t rights)
{
	const int fd = open(path, O_PATH | O_CLOEXEC);

	fence_allow(f, fd, rights);
	if (fd >= 0)
		close(fd);
}

/* From now on.  Returns whether it is so. */
static bool fence_close(const struct fence *f)
{
	bool done;

	if (f->fd < 0)
		return false;
	done = syscall(SYS_landlock_restrict_self, f->fd, 0) == 0;
	close(f->fd);
	return done;
}

/* ---- calls: seccomp ---- */

#ifdef HAVE_SECCOMP

/* Leaks are found by a process that traces this one. */
#ifndef __has_feature
#define __has_feature(f) 0
#endif
#if defined(__SANITIZE_ADDRESS__) || __has_feature(address_sanitizer)
enum { TRACED = true };
#else
enum { TRACED = false };
#endif

#define CALL(name) SCMP_SYS(name)

/* Never needed. */
static const int dropped[] = {
	CALL(execve),
	CALL(execveat),
	CALL(socket),
	CALL(socketpair),
	CALL(connect),
	CALL(bind),
	CALL(listen),
	CALL(accept),
	CALL(accept4),
	CALL(sendto),
	CALL(sendmsg),
	CALL(sendmmsg),
	CALL(process_vm_readv),
	CALL(process_vm_writev),
	CALL(pidfd_getfd),
	CALL(mount),
	CALL(umount2),
	CALL(pivot_root),
	CALL(chroot),
	CALL(setns),
	CALL(unshare),
	CALL(move_mount),
	CALL(open_tree),
	CALL(fsopen),
	CALL(bpf),
	CALL(perf_event_open),
	CALL(userfaultfd),
	CALL(io_uring_setup),
	CALL(open_by_handle_at),
	CALL(fanotify_init),
	CALL(add_key),
	CALL(request_key),
	CALL(keyctl),
	CALL(init_module),
	CALL(finit_module),
	CALL(kexec_load),
	CALL(kexec_file_load),
	CALL(reboot),
	CALL(swapon),
	CALL(swapoff),
	CALL(acct),
	CALL(quotactl),
	CALL(settimeofday),
	CALL(clock_settime),
	CALL(sethostname),
	CALL(chmod),
	CALL(fchmodat),
	CALL(chown),
	CALL(fchown),
	CALL(lchown),
	CALL(fchownat),
	CALL(setxattr),
	CALL(lsetxattr),
	CALL(fsetxattr),
	CALL(removexattr),
	CALL(lremovexattr),
	CALL(fremovexattr),
	CALL(utime),
	CALL(utimes),
	CALL(utimensat),
	CALL(futimesat),
};

/* Not needed by the child. */
static const int dropped_by_child[] = {
	CALL(unlink),	  CALL(unlinkat),
	CALL(rename),	  CALL(renameat),
	CALL(renameat2),  CALL(mkdir),
	CALL(mkdirat),	  CALL(rmdir),
	CALL(mknod),	  CALL(mknodat),
	CALL(link),	  CALL(linkat),
	CALL(symlink),	  CALL(symlinkat),
	CALL(truncate),	  CALL(ftruncate),
	CALL(fallocate),  CALL(fchmod),
	CALL(creat),	  CALL(fork),
	CALL(vfork),	  CALL(kill),
	CALL(tkill),	  CALL(memfd_create),
	CALL(pidfd_open), CALL(pidfd_send_signal),
	CALL(ioctl),
};

static bool drop(scmp_filter_ctx to, const int *call, size_t n)
{
	for (size_t i = 0; i < n; i++)
		if (seccomp_rule_add(to, SCMP_ACT_ERRNO(EPERM), call[i], 0))
			return false;
	return true;
}

static bool drop_flag(scmp_filter_ctx to, int call, unsigned arg, uint64_t mask,
		      uint64_t is)
{
	return seccomp_rule_add(to, SCMP_ACT_ERRNO(EPERM), call, 1,
				SCMP_CMP64(arg, SCMP_CMP_MASKED_EQ, mask, is)) == 0;
}

/* open() and openat() for more than reading. */
static bool drop_writing(scmp_filter_ctx to)
{
	static const struct {
		uint64_t mask, is;
	} flag[] = {{O_ACCMODE, O_WRONLY},
		    {O_ACCMODE, O_RDWR},
		    {O_CREAT, O_CREAT},
		    {O_TRUNC, O_TRUNC}};

	for (size_t i = 0; i < sizeof(flag) / sizeof(*flag); i++)
		if (!drop_flag(to, CALL(open), 1, flag[i].mask, flag[i].is) ||
		    !drop_flag(to, CALL(openat), 2, flag[i].mask, flag[i].is))
			return false;
	return true;
}

/* What openat2() and clone3() are asked for is in memory, where no filter looks.  Whoever
 * finds that there is none has another way. */
static bool drop_unseen(scmp_filter_ctx to, int call)
{
	return seccomp_rule_add(to, SCMP_ACT_ERRNO(ENOSYS), call, 0) == 0;
}

static bool drop_for_child(scmp_filter_ctx to, bool fenced)
{
	return drop(to, dropped_by_child,
		    sizeof(dropped_by_child) / sizeof(*dropped_by_child)) &&
	       drop_writing(to) && drop_flag(to, CALL(clone), 0, CLONE_THREAD, 0) &&
	       drop_unseen(to, CALL(clone3)) &&
	       (fenced || drop_unseen(to, CALL(openat2)));
}

static bool drop_calls(bool child, bool fenced)
{
	const int trace = CALL(ptrace);
	scmp_filter_ctx to = seccomp_init(SCMP_ACT_ALLOW);
	bool done = to && drop(to, dropped, sizeof(dropped) / sizeof(*dropped)) &&
		    (TRACED || drop(to, &trace, 1)) &&
		    (!child || drop_for_child(to, fenced)) && seccomp_load(to) == 0;

	seccomp_release(to);
	return done;
}

#else

static bool drop_calls(bool child, bool fenced)
{
	(void)child, (void)fenced;
	return false;
}

#endif

/* ---- both ---- */

static unsigned confine(const struct fence *f, bool child)
{
	bool files, calls;

	if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0))
		return 0;
#ifdef QUERN_COVERAGE /* a process writes its counts at its end */
	fence_allow_path(f, "/", f->handled);
	child = false;
#endif
	files = fence_close(f);
	calls = drop_calls(child, files);
	return (files ? CONFINED_FILES : 0) | (calls ? CONFINED_CALLS : 0);
}

unsigned confine_writes(const char *const *folder, size_t n)
{
	static const char *const devices[] = {"/dev/tty", "/dev/null"};
	const struct fence f = fence_new(false);

	for (size_t i = 0; i < n; i++)
		fence_allow_path(&f, folder[i], index_files);
	for (size_t i = 0; i < sizeof(devices) / sizeof(*devices); i++)
		fence_allow_path(&f, devices[i], WRITE_FILE);
	return confine(&f, false);
}

unsigned confine_child(const struct roots *roots, struct str object)
{
	const struct fence f = fence_new(true);
	char dir[4096];

	object.n -= str_after_slash(object).n;
	if (object.n && object.n < sizeof(dir)) {
		memcpy(dir, object.p, object.n);
		dir[object.n] = '\0';
		fence_allow_path(&f, dir, reading);
	}

	for (size_t i = 0; roots_dir(roots, i) >= 0; i++)
		fence_allow(&f, roots_dir(roots, i), reading);
	return confine(&f, true);
}
