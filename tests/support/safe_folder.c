/* safe_folder.c - see safe_folder.h. */
#include "tests/support/safe_folder.h"

#include <dirent.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "index/base/err_struct.h"
#include "repl/app/app.h"
#include "repl/app/options.h"
#include "tests/support/fuzzing.h"

#define SECRET "5ecret that n0body asked for"

enum { FILES = 16 };

struct file {
	char name[256];
	struct stat is;
};

static struct file was[FILES];
static size_t files;
static int before = -1; /* whoever replays reads its files by relative paths */

static void write_file(const char *path, const char *text)
{
	const int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);

	if (fd < 0 || write(fd, text, strlen(text)) < 0)
		fuzz_fail("cannot write %s", path);
	close(fd);
}

static int by_name(const void *a, const void *b)
{
	return strcmp(((const struct file *)a)->name, ((const struct file *)b)->name);
}

static size_t look(struct file *f)
{
	DIR *d = opendir(".");
	struct dirent *e;
	size_t n = 0;

	while (d && (e = readdir(d))) {
		if (strcmp(e->d_name, "..") == 0) /* others work there */
			continue;
		if (n == FILES)
			fuzz_fail("many files, the last of them %s", e->d_name);
		snprintf(f[n].name, sizeof(f[n].name), "%s", e->d_name);
		if (lstat(e->d_name, &f[n++].is))
			fuzz_fail("%s is gone", e->d_name);
	}
	closedir(d);
	qsort(f, n, sizeof(*f), by_name);
	return n;
}

bool safe_folder_told(const void *input, size_t n)
{
	return memmem(input, n, SECRET, strlen(SECRET)) != NULL;
}

void safe_folder_open(struct app *app)
{
	static const struct options opts = {.safe = true,
					    .no_init = true,
					    .quiet = true,
					    .keep_going = true,
					    .colour = COLOUR_NEVER};
	static const char *const profile[] = {"p.out"};
	struct err err = {0};

	*app = (struct app){.output.fd = -1};
	if (app_init(app, &opts, &err) || app_open(app, NULL, profile, 1))
		fuzz_fail("p.out is not opened: %s", err.text);
}

void safe_folder_enter(void)
{
	struct app app;

	before = open(".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (before < 0 || chdir(fuzz_directory()))
		fuzz_fail("no directory");
	if (access("SECRET", F_OK)) {
		write_file("SECRET", SECRET "\n");
		write_file(
			"p.out",
			"events: Ir Dr\nfl=SECRET\nfn=main\n1 10 1\ncfn=f\ncalls=2 3\n"
			"2 7 7\nfl=b.c\nfn=f\n3 5 5\ncfn=f\ncalls=1 3\n4 2 2\nfn=10\n"
			"5 100 0\nfn=caf\xe9\x1b[2J\n6 10 9\nfn=t\x1b]0;x\x07\xc2\x9b\n7 1 1\n");
		safe_folder_open(&app); /* writes the index */
		app_free(&app);
	}
	files = look(was);
}

void safe_folder_leave(const char *written, size_t n)
{
	struct file is[FILES];

	if (safe_folder_told(written, n))
		fuzz_fail("a file that was not named is shown: %.*s", (int)n, written);
	if (look(is) != files)
		fuzz_fail("a file was made or removed");
	for (size_t i = 0; i < files; i++)
		if (strcmp(was[i].name, is[i].name) ||
		    was[i].is.st_ino != is[i].is.st_ino ||
		    was[i].is.st_size != is[i].is.st_size ||
		    memcmp(&was[i].is.st_ctim, &is[i].is.st_ctim,
			   sizeof(is[i].is.st_ctim)))
			fuzz_fail("%s was changed", is[i].name);
	if (fchdir(before))
		fuzz_fail("no way back");
	close(before);
}
