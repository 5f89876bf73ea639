/* one_profile.c - see one_profile.h. */
#include "tests/support/one_profile.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "index/base/err.h"

char dir[64], profile[128], index_path[160];

void write_file(const char *path, const void *p, size_t n)
{
	int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC, 0644);

	if (fd < 0 || write(fd, p, n) != (ssize_t)n || close(fd))
		abort();
}

struct store *open_profile(const struct build_opts *opts, struct build_report *report)
{
	struct err err = {0};
	struct store *st = NULL;

	if (build_open(profile, opts, &st, report, &err)) {
		fprintf(stderr, "# %s\n", err.text);
		return NULL;
	}
	return st;
}

void one_profile_begin(void)
{
	snprintf(dir, sizeof(dir), "%s/quern-store-XXXXXX",
		 access("/dev/shm", W_OK) ? "/tmp" : "/dev/shm");
	if (!mkdtemp(dir))
		abort();
	snprintf(profile, sizeof(profile), "%s/profile", dir);
	snprintf(index_path, sizeof(index_path), "%s/index", dir);
}

void one_profile_end(void)
{
	char command[100];

	snprintf(command, sizeof(command), "rm -rf '%s'", dir);
	if (system(command))
		fprintf(stderr, "# %s is left\n", dir);
}
