/* target.c - write a temporary file and rename it; see target.h. */
#include "repl/app/target.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "index/base/err.h"
#include "index/base/os.h"
#include "index/store/publish.h"

enum { TRIES = 100 };

static int target_failed(const struct target *t, struct err *err)
{
	return err_set(err, err_kind_of(errno, ERR_OUTPUT), 0, "%s: %s", t->path,
		       strerror(errno));
}

static mode_t default_mode(void)
{
	mode_t mask = umask(022);

	umask(mask);
	return 0666 & ~mask;
}

static int open_temp(struct target *t, mode_t mode)
{
	size_t n = strlen(t->path) + 40;

	publish_sweep(t->path, publish_remove);
	t->temp = malloc(n);
	for (int i = 0; t->temp && t->fd < 0 && i < TRIES; i++) {
		snprintf(t->temp, n, "%s.tmp.%ld.%d", t->path, (long)getpid(), i);
		t->fd = open(t->temp,
			     O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);
		if (t->fd < 0 && errno != EEXIST)
			break;
	}
	if (t->fd < 0) {
		free(t->temp);
		t->temp = NULL;
		return -1;
	}
	return fchmod(t->fd, mode);
}

int target_open(struct target *t, const char *path, struct err *err)
{
	struct stat st;
	mode_t mode = default_mode();
	bool there = stat(path, &st) == 0;

	*t = (struct target){.fd = -1};
	t->path = there ? realpath(path, NULL) : strdup(path);
	if (!t->path)
		return err_set(err, err_kind_of(errno, ERR_OUTPUT), 0, "%s: %s", path,
			       strerror(errno));
	if (there && !S_ISREG(st.st_mode))
		t->fd = open(t->path, O_WRONLY | O_CLOEXEC | O_NOCTTY);
	if (there && !S_ISREG(st.st_mode)
		    ? t->fd >= 0
		    : open_temp(t, there ? st.st_mode & 0777 : mode) == 0)
		return 0;
	target_failed(t, err);
	target_abandon(t);
	return err->kind;
}

off_t target_whole(const struct target *t)
{
	return t->temp ? lseek(t->fd, 0, SEEK_CUR) : 0;
}

void target_take_back(struct target *t, off_t whole)
{
	if (t->temp && (whole < 0 || ftruncate(t->fd, whole) < 0 ||
			lseek(t->fd, whole, SEEK_SET) < 0))
		t->torn = true;
}

int target_commit(struct target *t, struct err *err)
{
	int fd = t->fd;

	t->fd = -1;
	if (t->torn) {
		err_set(err, ERR_OUTPUT, 0,
			"%s: not written: the last answer in it is cut", t->path);
		close(fd);
	} else if (!t->temp) {
		if (close(fd) < 0)
			target_failed(t, err);
	} else if (fsync(fd) < 0) {
		target_failed(t, err);
		close(fd);
	} else if (close(fd) < 0 || os_rename(t->temp, t->path, t->is_new) < 0) {
		target_failed(t, err);
	} else {
		free(t->temp);
		t->temp = NULL;
	}
	target_abandon(t);
	return err->kind;
}

void target_abandon(struct target *t)
{
	if (t->fd >= 0)
		close(t->fd);
	if (t->temp)
		unlink(t->temp);
	free(t->temp);
	free(t->path);
	*t = (struct target){.fd = -1};
}
