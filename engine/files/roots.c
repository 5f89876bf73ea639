/*
 * roots.c - open files below roots only; see roots.h.
 *
 * The kernel resolves a path below a root (os_open_below()).  If it cannot, the
 * directories are opened one after the other, and symbolic links are refused.  A file is
 * inspected through O_PATH before it is opened for reading, so that opening has no side
 * effect.  A path that is followed as it stands has the directory AT_FDCWD.
 */
#include "engine/files/roots.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "index/base/arena.h"
#include "index/base/err.h"
#include "index/base/os.h"

struct root {
	int fd; /* O_PATH */
	bool moved;
	char *real, *given; /* absolute; as the user wrote it */
};

struct roots {
	struct root *root;
	size_t n;
	bool follow;
};

static const char no_memory[] = "no memory for it";

int roots_new(struct roots **out, struct err *err)
{
	*out = calloc(1, sizeof(**out));
	return *out ? 0 : err_no_memory(err, NULL);
}

void roots_free(struct roots *r)
{
	for (size_t i = 0; r && i < r->n; i++) {
		close(r->root[i].fd);
		free(r->root[i].real);
		free(r->root[i].given);
	}
	if (r)
		free(r->root);
	free(r);
}

int roots_add(struct roots *r, const char *dir, bool moved, struct err *err)
{
	struct root *more = realloc(r->root, (r->n + 1) * sizeof(*more));
	struct root *new;
	bool memory;

	if (!more)
		return err_no_memory(err, NULL);
	r->root = more;
	new = &more[r->n];
	new->fd = open(dir, O_PATH | O_DIRECTORY | O_CLOEXEC);
	if (new->fd < 0)
		return err_set(err, ERR_USAGE, 0, "source root %s: %s", dir,
			       strerror(errno));
	new->moved = moved;
	new->given = strdup(dir);
	errno = 0;
	new->real = realpath(dir, NULL);
	if (new->real &&new->given) {
		r->n++;
		return 0;
	}
	memory = !new->given || errno == ENOMEM;
	free(new->real);
	free(new->given);
	close(new->fd);
	if (memory)
		return err_no_memory(err, NULL);
	return err_set(err, ERR_USAGE, 0, "source root %s: cannot be resolved", dir);
}

void roots_follow(struct roots *r)
{
	r->follow = true;
}

const char *roots_name(const struct roots *r, size_t i)
{
	return i < r->n ? r->root[i].given : NULL;
}

int roots_dir(const struct roots *r, size_t i)
{
	return r && i < r->n ? r->root[i].fd : -1;
}

/* ---- one path ---- */

/* For kernels before 5.6, and for sandboxes that forbid openat2. */
static int walk_path(int dir, char *path, int flags)
{
	int fd = fcntl(dir, F_DUPFD_CLOEXEC, 0), next, why;

	for (char *part = path, *end; fd >= 0; part = end + 1) {
		end = strchr(part, '/');
		/* An empty part or "." stays in the directory. */
		if (end && (end == part || (end == part + 1 && *part == '.')))
			continue;
		if (end)
			*end = '\0';
		if (strcmp(part, "..") == 0) {
			next = -1;
			errno = EXDEV;
		} else {
			next = openat(fd, *part ? part : ".",
				      end ? O_PATH | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC
					  : flags | O_NOFOLLOW);
		}
		why = errno;
		close(fd);
		errno = why;
		fd = next;
		if (!end)
			break;
		*end = '/';
	}
	return fd;
}

static int open_path(int dir, char *path, int flags)
{
	const int fd = os_open_below(dir, path, flags | O_CLOEXEC);

	if (fd < 0 && (errno == ENOSYS || errno == EPERM))
		return dir == AT_FDCWD ? open(path, flags | O_CLOEXEC)
				       : walk_path(dir, path, flags | O_CLOEXEC);
	return fd;
}

/* The message for a failed call.  A file that does not exist may be below another
 * root. */
static const char *reason(int error, const char *not_there)
{
	switch (error) {
	case EXDEV:
	case ELOOP: return "its path leaves the source root";
	case EACCES: return "permission denied";
	case ENOENT:
	case ENOTDIR:
	case ENAMETOOLONG: return not_there;
	default: return strerror(error);
	}
}

/* Why a path is not followed to this file; NULL: it may be. */
static const char *not_ours(int fd, const struct stat *st)
{
	if (st->st_uid != geteuid() && st->st_uid != 0)
		return "it belongs to another user";
	return os_made_up(fd) ? "the kernel makes it" : NULL;
}

static bool open_regular(int dir, char *path, bool look, struct roots_file *out,
			 const char **why)
{
	static const char changed[] = "it changed while it was opened";
	struct stat seen, st;
	const char *no = NULL;
	int fd = open_path(dir, path, O_PATH), failed;

	if (fd < 0) {
		*why = dir == AT_FDCWD && errno == ELOOP ? "not a regular file"
							 : reason(errno, *why);
		return false;
	}
	failed = fstat(fd, &seen) < 0 ? errno : 0;
	if (!failed && dir == AT_FDCWD)
		no = not_ours(fd, &seen);
	close(fd);
	if (failed || !S_ISREG(seen.st_mode) || no) {
		*why = failed			? strerror(failed)
		       : !S_ISREG(seen.st_mode) ? "not a regular file"
						: no;
		return false;
	}
	st = seen;
	fd = look ? -1 : open_path(dir, path, O_RDONLY | O_NONBLOCK | O_NOCTTY);
	failed = !look && (fd < 0 || fstat(fd, &st) < 0) ? errno : 0;
	if (failed || st.st_dev != seen.st_dev || st.st_ino != seen.st_ino) {
		*why = failed ? reason(failed, changed) : changed;
		if (fd >= 0)
			close(fd);
		return false;
	}
	out->fd = fd;
	out->size = (uint64_t)st.st_size;
	out->mtime_ns =
		(uint64_t)st.st_mtim.tv_sec * 1000000000u + (uint64_t)st.st_mtim.tv_nsec;
	return true;
}

/* ---- what a profile's path may be below a root ---- */

/* The rest of an absolute path after dir; p is NULL if it is not below dir. */
static struct str behind(struct str path, const char *dir)
{
	struct str d = str_c(dir);

	while (d.n > 0 && d.p[d.n - 1] == '/')
		d.n--;
	if (path.n <= d.n + 1 || !str_starts(path, d) || path.p[d.n] != '/')
		return (struct str){NULL, 0};
	return str_from(path, d.n + 1);
}

/* r NULL: the path as it stands. */
static bool try_path(const struct root *r, struct str rest, bool look, struct arena *a,
		     struct roots_file *out, const char **why)
{
	char *path;

	while (r && rest.n && rest.p[0] == '/')
		rest = str_from(rest, 1);
	if (!rest.n || rest.n >= 4096 || memchr(rest.p, 0, rest.n))
		return false;
	if (!(path = arena_alloc(a, rest.n + 1))) {
		*why = no_memory;
		return false;
	}
	memcpy(path, rest.p, rest.n);
	if (!open_regular(r ? r->fd : AT_FDCWD, path, look, out, why))
		return false;
	out->path =
		!r ? (struct str){path, rest.n}
		   : arena_printf(a, "%s%s%.*s", r->real,
				  strcmp(r->real, "/") == 0 ? "" : "/", STR_ARG(rest));
	if (out->path.p)
		return true;
	*why = no_memory;
	if (!look)
		close(out->fd);
	return false;
}

static bool try_root(const struct root *r, struct str path, bool look, struct arena *a,
		     struct roots_file *out, const char **why)
{
	struct str rest = path;

	if (path.p[0] == '/') {
		rest = behind(path, r->real);
		if (!rest.p)
			rest = behind(path, r->given);
	}
	if (rest.p && try_path(r, rest, look, a, out, why))
		return true;
	for (rest = path; r->moved && rest.n;) {
		size_t slash = str_find(rest, '/');

		if (slash >= rest.n)
			break;
		rest = str_from(rest, slash + 1);
		if (try_path(r, rest, look, a, out, why))
			return true;
	}
	return false;
}

static bool open_below(const struct roots *r, struct str path, bool look, struct arena *a,
		       struct roots_file *out, const char **why)
{
	bool as_it_stands;

	if (!r || !path.n || str_eq(path, STR("???"))) {
		*why = "its name is not known";
		return false;
	}
	as_it_stands = r->follow && path.p[0] == '/';
	*why = as_it_stands ? "not found there, nor below the source roots"
			    : "not found below the source roots";
	for (size_t i = 0; i < r->n; i++)
		if (try_root(&r->root[i], path, look, a, out, why)) {
			*why = NULL;
			return true;
		}
	if (!as_it_stands || !try_path(NULL, path, look, a, out, why))
		return false;
	*why = NULL;
	return true;
}

bool roots_open(const struct roots *r, struct str path, struct arena *a,
		struct roots_file *out, const char **why)
{
	return open_below(r, path, false, a, out, why);
}

bool roots_look(const struct roots *r, struct str path, struct arena *a,
		struct roots_file *out, const char **why)
{
	return open_below(r, path, true, a, out, why);
}

bool roots_read(const struct roots *r, struct str path, struct arena *a, struct str *text,
		struct roots_file *out, const char **why)
{
	size_t n = 0;
	ssize_t got = 1;
	char *p;

	if (!roots_open(r, path, a, out, why))
		return false;
	p = out->size <= ROOTS_TEXT_MAX ? arena_alloc(a, (size_t)out->size + 1) : NULL;
	*why = out->size > ROOTS_TEXT_MAX ? "larger than 32 MiB" : no_memory;
	while (p && n < out->size && got > 0) {
		got = read(out->fd, p + n, (size_t)out->size - n);
		if (got > 0)
			n += (size_t)got;
	}
	close(out->fd);
	out->fd = -1;
	if (got < 0)
		*why = strerror(errno);
	if (!p || got < 0)
		return false;
	*text = (struct str){p, n};
	*why = NULL;
	return true;
}
