/*
 * publish.c - temporary file, lock and rename; see publish.h.
 *
 *	INDEX.lock			locked by the builder, removed at the end
 *	INDEX.tmp.PID.RANDOM		written and synced, then renamed to
 *	INDEX				always a whole index, old or new
 */
#include "index/store/publish.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "index/base/err.h"
#include "index/base/str.h"
#include "index/store/store.h"

#define SUFFIX ".quern"
/* The longest suffix of a temporary file. */
#define LONGEST_TEMP ".tmp.4294967295.ffffffff"

enum { LOCK_TEXT = 320, WHO = 40 };
enum { CACHED_NAME = NAME_MAX - 16 - sizeof("-" SUFFIX LONGEST_TEMP) };

static bool publish_fits(int n)
{
	return n > 0 && n < INDEX_PATH_MAX;
}

static bool cache_place(const char *profile, char path[INDEX_PATH_MAX])
{
	const char *cache = getenv("XDG_CACHE_HOME"), *home = getenv("HOME");
	struct str base = str_basename(str_c(profile));
	uint64_t h = str_hash(str_c(profile));
	const bool named = cache && cache[0] == '/';

	if (base.n > CACHED_NAME)
		base.n = CACHED_NAME;
	return (named || (home && home[0] == '/')) &&
	       publish_fits(snprintf(
		       path, INDEX_PATH_MAX, "%s%s/quern/%016" PRIx64 "-%.*s" SUFFIX,
		       named ? cache : home, named ? "" : "/.cache", h, STR_ARG(base)));
}

bool publish_place(const char *profile, unsigned i, char path[INDEX_PATH_MAX])
{
	if (i == 0)
		return publish_fits(snprintf(path, INDEX_PATH_MAX, "%s" SUFFIX, profile));
	return i == 1 && cache_place(profile, path);
}

static bool same_file(int fd, const struct stat *there)
{
	struct stat sb;

	return fd >= 0 && fstat(fd, &sb) == 0 && sb.st_ino == there->st_ino &&
	       sb.st_dev == there->st_dev;
}

int publish_replaces(const char *path, int profile_fd, struct err *err)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
	bool named = str_ends(str_c(path), STR(SUFFIX));
	struct stat there = {0};

	/* Another indexer may publish its file after the open. */
	if (fd < 0 && (errno == ENOENT || lstat(path, &there) || S_ISLNK(there.st_mode)))
		return 0;
	if (fd < 0)
		err_set(err, ERR_INDEX, 0,
			"%s is there and cannot be looked at: it was left as it is",
			path);
	else if (fstat(fd, &there))
		err_set(err, ERR_INDEX, 0, "%s: %s", path, strerror(errno));
	else if (same_file(profile_fd, &there))
		err_set(err, ERR_INDEX, 0, "the index cannot be %s: that is the profile",
			path);
	else if (!S_ISREG(there.st_mode) || !store_replaceable(fd, named))
		err_set(err, ERR_INDEX, 0, "%s is there and is %s: it was left as it is",
			path,
			S_ISREG(there.st_mode) && store_is_lmdb(fd)
				? "an LMDB database of another program"
				: "not an index");
	if (fd >= 0)
		close(fd);
	return err_hint(err, "move it away, or name another file with --index PATH");
}

void publish_directory(const char *path, char dir[INDEX_PATH_MAX])
{
	const char *slash = strrchr(path, '/');

	if (!slash)
		snprintf(dir, INDEX_PATH_MAX, ".");
	else
		snprintf(dir, INDEX_PATH_MAX, "%.*s",
			 (int)(slash == path ? 1 : slash - path), path);
}

static void make_directories(char *dir)
{
	for (char *p = dir + 1; *p; p++)
		if (*p == '/') {
			*p = '\0';
			mkdir(dir, 0700);
			*p = '/';
		}
	mkdir(dir, 0700);
}

/* In a shared directory (/tmp) nobody can replace another user's file, and the owner
 * of the lock file could hold the lock for ever. */
static bool in_the_way(const char *path, const char *dir)
{
	char lock[INDEX_PATH_MAX];
	struct stat of_dir, there;
	uid_t me = geteuid();

	if (me == 0 || stat(dir, &of_dir))
		return false;
	if (publish_fits(snprintf(lock, sizeof(lock), "%s.lock", path)) &&
	    lstat(lock, &there) == 0 && there.st_uid != me)
		return true;
	return of_dir.st_mode & S_ISVTX && of_dir.st_uid != me &&
	       lstat(path, &there) == 0 && there.st_uid != me;
}

bool publish_writable(const char *path)
{
	char dir[INDEX_PATH_MAX];

	if (str_basename(str_c(path)).n + strlen(LONGEST_TEMP) > NAME_MAX)
		return false;
	publish_directory(path, dir);
	if (access(dir, F_OK) && strstr(dir, "/quern"))
		make_directories(dir);
	return access(dir, W_OK | X_OK) == 0 && !in_the_way(path, dir);
}

/* ---- lock ---- */

static int cannot(const char *path, struct err *err)
{
	char dir[INDEX_PATH_MAX];
	int why = errno;

	publish_directory(path, dir);
	if (why == ENOENT && access(dir, F_OK))
		err_set(err, ERR_INDEX, 0,
			"cannot write the index: there is no directory %s", dir);
	else if (why == EACCES &&
		 faccessat(AT_FDCWD, path, F_OK, AT_SYMLINK_NOFOLLOW) == 0)
		err_set(err, ERR_INDEX, 0, "cannot write the index: %s is another user's",
			path);
	else if (why == ENOSPC || why == EDQUOT)
		err_set(err, ERR_INDEX, 0, "cannot write the index %s: %s", path,
			why == EDQUOT ? "your disk quota is used up"
				      : "the disk is full");
	else if (why == EACCES || why == EROFS)
		err_set(err, ERR_INDEX, 0, "cannot write the index: the directory %s: %s",
			dir, strerror(why));
	else
		err_set(err, err_kind_of(why, ERR_INDEX), 0, "cannot write %s: %s", path,
			strerror(why));
	return err_hint(err,
			"put the index elsewhere with --index PATH, or keep none with "
			"--no-index-write");
}

/* Open the directory once: all files of a build are in it, even if the path later
 * changes. */
static int open_directory(struct publish *p, const char *path, struct err *err)
{
	char dir[INDEX_PATH_MAX];

	publish_directory(path, dir);
	p->dir_fd = open(dir, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	return p->dir_fd < 0 ? cannot(path, err) : 0;
}

static const char *in_directory(const char *path)
{
	return str_basename(str_c(path)).p;
}

/*
 * The holder writes into the lock file, one line each:
 *
 *	quern 4711
 *	1048576			bytes read
 *	p.out.quern.tmp.4711.0a1b2c3d
 *
 * An empty file is from an older quern, or its holder has just taken the lock.
 */
static const struct str lock_word = {"quern ", 6};

void publish_tell(struct publish *p, uint64_t done)
{
	struct timespec now;
	char text[LOCK_TEXT];
	int n;

	/* While we wait, another process holds the lock. */
	if (p->lock_fd < 0 || !p->temp[0])
		return;
	clock_gettime(CLOCK_MONOTONIC, &now);
	if (done && now.tv_sec == p->told_s)
		return;
	p->told_s = now.tv_sec;
	n = snprintf(text, sizeof(text), "%s%ld\n%" PRIu64 "\n%.255s\n", lock_word.p,
		     (long)getpid(), done, in_directory(p->temp));
	/* If this write fails, writing the index will report it. */
	if (pwrite(p->lock_fd, text, (size_t)n, 0) == n && ftruncate(p->lock_fd, n))
		p->told_s = 0;
}

/* Another holder of the lock, and the state of its work. */
struct holder {
	long pid; /* 0: unknown */
	char text[LOCK_TEXT];
	off_t written; /* size of its temporary file */
};

static void look_at_holder(const struct publish *p, struct holder *h)
{
	ssize_t n = pread(p->lock_fd, h->text, sizeof(h->text) - 1, 0);
	struct str rest = {h->text, n > 0 ? (size_t)n : 0};
	struct stat temp;

	h->text[rest.n] = '\0';
	h->pid = str_starts(rest, lock_word) ? strtol(rest.p + lock_word.n, NULL, 10) : 0;
	for (int i = 0; i < 2; i++)
		rest = str_from(rest, str_find(rest, '\n') + 1);
	rest.n = str_find(rest, '\n');
	h->written = 0;
	if (rest.n && !memchr(rest.p, '/', rest.n)) {
		h->text[rest.p + rest.n - h->text] = '\0';
		if (fstatat(p->dir_fd, rest.p, &temp, AT_SYMLINK_NOFOLLOW) == 0)
			h->written = temp.st_size + temp.st_blocks;
		h->text[rest.p + rest.n - h->text] = '\n';
	}
}

/* "process 4711", or a phrase for an unknown holder. */
static const char *who(const struct holder *h, char buf[WHO])
{
	snprintf(buf, WHO, h->pid > 0 ? "process %ld" : "another process", h->pid);
	return buf;
}

/* Wait for the lock on the open file. */
static int publish_hold(struct publish *p, const struct publish_wait *w, struct err *err)
{
	const struct timespec pause = {.tv_nsec = 20 * 1000 * 1000};
	struct holder now = {0}, before;
	struct timespec t;
	time_t looked = 0, moved = 0;
	char buf[WHO];

	while (flock(p->lock_fd, LOCK_EX | LOCK_NB)) {
		if (errno != EWOULDBLOCK && errno != EINTR)
			return cannot(p->lock, err);
		clock_gettime(CLOCK_MONOTONIC, &t);
		if (t.tv_sec != looked) {
			before = now;
			look_at_holder(p, &now);
			if (!looked || strcmp(before.text, now.text) != 0 ||
			    before.written != now.written)
				moved = t.tv_sec;
			looked = t.tv_sec;
			if (!w->no_wait && w->waits)
				w->waits(w->arg, p->lock, who(&now, buf),
					 (unsigned)(t.tv_sec - moved));
		}
		if (w->no_wait) {
			err_set(err, ERR_LOCKED, 0, "%s is building %s", who(&now, buf),
				p->index);
			return err_hint(err, "leave out --no-wait to wait for it");
		}
		if (w->cancel && *w->cancel)
			return err_set(err, ERR_CANCEL, 0,
				       "interrupted while waiting for %s, which holds %s",
				       who(&now, buf), p->lock);
		nanosleep(&pause, NULL);
	}
	return 0;
}

/* Whether the lock file belongs to another program: "yarn.lock". */
static bool is_foreign(int fd)
{
	char text[8];
	ssize_t n = pread(fd, text, sizeof(text), 0);

	return n > 0 && !str_starts((struct str){text, (size_t)n}, lock_word);
}

/* Take the lock.  Its last holder may have removed the file, so check that it is still
 * there. */
static int take_lock(struct publish *p, const struct publish_wait *w, struct err *err)
{
	const int flags = O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW;
	const char *name = in_directory(p->lock);

	while (!err->kind) {
		struct stat held = {0}, there;

		p->lock_fd = openat(p->dir_fd, name, flags, 0600);
		if (p->lock_fd < 0)
			return cannot(p->lock, err);
		if (fstat(p->lock_fd, &held) ||
		    (geteuid() && held.st_uid && held.st_uid != geteuid())) {
			if (held.st_nlink)
				errno = EACCES;
			cannot(p->lock, err);
		} else if (is_foreign(p->lock_fd)) {
			err_set(err, ERR_INDEX, 0,
				"%s is there and is not quern's: it was left as it is",
				p->lock);
			err_hint(err, "name another index with --index PATH");
		} else if (!publish_hold(p, w, err) &&
			   fstatat(p->dir_fd, name, &there, AT_SYMLINK_NOFOLLOW) == 0 &&
			   same_file(p->lock_fd, &there)) {
			return 0;
		}
		/* Only the holder of the lock removes its file. */
		close(p->lock_fd);
		p->lock_fd = -1;
	}
	return err->kind;
}

/* ---- temporary files ---- */

/* Whether name is "BASE.tmp.PID.NUMBER" of a process that has ended. */
static bool is_leftover(const char *name, struct str base)
{
	struct str rest = str_from(str_c(name), base.n);
	char *end;
	long pid;

	if (!str_starts(str_c(name), base) || !str_starts(rest, STR(".tmp.")))
		return false;
	pid = strtol(rest.p + 5, &end, 10);
	return pid > 0 && *end == '.' && end[1] &&
	       strspn(end + 1, "0123456789abcdef") == strlen(end + 1) &&
	       kill((pid_t)pid, 0) && errno == ESRCH;
}

void publish_sweep(const char *path, void (*remove)(int dir, const char *name))
{
	char dir[INDEX_PATH_MAX];
	struct str base = str_basename(str_c(path));
	DIR *d;
	struct dirent *e;

	publish_directory(path, dir);
	d = opendir(dir);
	while (d && (e = readdir(d)))
		if (is_leftover(e->d_name, base))
			remove(dirfd(d), e->d_name);
	if (d)
		closedir(d);
}

void publish_remove(int dir, const char *name)
{
	unlinkat(dir, name, 0);
}

static int make_temp(struct publish *p, const char *stem, struct err *err)
{
	const int flags = O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW;
	uint32_t r = 0;

	for (int tries = 0; tries < 100; tries++) {
		if (getentropy(&r, sizeof(r)))
			r = (uint32_t)tries + (uint32_t)time(NULL);
		snprintf(p->temp, sizeof(p->temp), "%s.tmp.%ld.%08" PRIx32, stem,
			 (long)getpid(), r);
		p->temp_fd = openat(p->dir_fd, in_directory(p->temp), flags, 0600);
		if (p->temp_fd >= 0)
			return 0;
		if (errno != EEXIST)
			break;
	}
	cannot(p->temp, err);
	p->temp[0] = '\0';
	return err->kind;
}

static bool make_in_memory(struct publish *p, const char *stem)
{
	p->temp_fd = os_file_in_memory();
	p->nameless = p->temp_fd >= 0 && os_path_of(p->temp_fd, W_OK, p->opens);
	if (p->nameless)
		snprintf(p->temp, sizeof(p->temp), "%s", stem);
	else if (p->temp_fd >= 0)
		close(p->temp_fd);
	return p->nameless;
}

/* Make a file without a name, if the system can. */
static int make_nameless(struct publish *p, const char *stem, struct err *err)
{
	p->temp_fd = os_nameless(p->dir_fd, ".");
	if (p->temp_fd < 0 && make_temp(p, stem, err))
		return err->kind;
	if (os_path_of(p->temp_fd, W_OK, p->opens)) {
		p->nameless =
			!p->temp[0] || unlinkat(p->dir_fd, in_directory(p->temp), 0) == 0;
	} else if (!p->temp[0]) { /* no /proc: LMDB needs a name */
		close(p->temp_fd);
		return make_temp(p, stem, err);
	}
	if (!p->temp[0])
		snprintf(p->temp, sizeof(p->temp), "%s", stem);
	return 0;
}

const char *publish_opens(const struct publish *p)
{
	return p->nameless ? p->opens : p->temp;
}

int publish_begin(struct publish *p, const char *index, const struct publish_wait *w,
		  struct err *err)
{
	const char *tmp = getenv("TMPDIR");
	char stem[INDEX_PATH_MAX];

	memset(p, 0, sizeof(*p));
	p->dir_fd = p->lock_fd = p->temp_fd = -1;
	if (!index) {
		if (snprintf(stem, sizeof(stem), "%s/quern",
			     tmp && tmp[0] == '/' ? tmp : "/tmp") >= PATH_MAX)
			err_set(err, ERR_INDEX, 0, "TMPDIR is too long");
		else if (w->in_memory && make_in_memory(p, stem))
			return 0;
		else if (!open_directory(p, stem, err))
			make_nameless(p, stem, err);
		/* A temporary index needs TMPDIR, not --index. */
		err->hint[0] = '\0';
		return err->kind ? err_hint(err, "name another directory with TMPDIR")
				 : 0;
	}
	/* So short that suffixes of lock and temporary file fit. */
	if (strlen(index) >= PATH_MAX) {
		err_set(err, ERR_INDEX, 0, "the path of the index is too long, %zu bytes",
			strlen(index));
		return err_hint(err, "name a shorter one with --index PATH");
	}
	snprintf(p->index, sizeof(p->index), "%s", index);
	snprintf(p->lock, sizeof(p->lock), "%s.lock", index);
	if (open_directory(p, index, err) || take_lock(p, w, err))
		return err->kind;
	publish_sweep(index, publish_remove);
	if (make_temp(p, index, err))
		return err->kind;
	publish_tell(p, 0);
	return 0;
}

int publish_commit(struct publish *p, struct err *err)
{
	if (fsync(p->temp_fd) || fchmod(p->temp_fd, 0444) ||
	    renameat(p->dir_fd, in_directory(p->temp), p->dir_fd, in_directory(p->index)))
		return cannot(p->index, err);
	p->temp[0] = '\0';
	return fsync(p->dir_fd) ? cannot(p->index, err) : 0;
}

void publish_end(struct publish *p)
{
	if (p->temp[0] && p->dir_fd >= 0 && !p->nameless)
		unlinkat(p->dir_fd, in_directory(p->temp), 0);
	if (p->temp_fd >= 0)
		close(p->temp_fd);
	if (p->lock_fd >= 0) {
		unlinkat(p->dir_fd, in_directory(p->lock), 0);
		close(p->lock_fd);
	}
	if (p->dir_fd >= 0)
		close(p->dir_fd);
	p->temp[0] = '\0';
	p->temp_fd = p->lock_fd = p->dir_fd = -1;
}
