/*
 * script.c - fuzz scripts of statements and dot-commands, under --safe: any bytes are one.
 *
 * The folder has the profile p.out with its index, and a file SECRET that no option names.
 * Whatever the script is, no file is made, changed or removed, SECRET is not shown, and what is
 * written has no control byte but ends of lines (of csv: CR LF) and tabs.
 */
#include <dirent.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "index/base/err_struct.h"
#include "repl/app/app.h"
#include "repl/app/options.h"
#include "repl/prompt/script.h"
#include "tests/support/fuzzing.h"

#define SECRET "5ecret that n0body asked for"

enum { FILES = 16 };

struct file {
	char name[256];
	struct stat is;
};

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

static void same_files(const struct file *was, size_t n)
{
	struct file is[FILES];

	if (look(is) != n)
		fuzz_fail("a file was made or removed");
	for (size_t i = 0; i < n; i++)
		if (strcmp(was[i].name, is[i].name) ||
		    was[i].is.st_ino != is[i].is.st_ino ||
		    was[i].is.st_size != is[i].is.st_size ||
		    memcmp(&was[i].is.st_ctim, &is[i].is.st_ctim,
			   sizeof(is[i].is.st_ctim)))
			fuzz_fail("%s was changed", is[i].name);
}

static void check(int fd, struct str script)
{
	static char text[1 << 20];
	const ssize_t n = pread(fd, text, sizeof(text), 0);

	if (n < 0 || memmem(text, (size_t)n, SECRET, strlen(SECRET)))
		fuzz_fail("%.*s shows a file that was not named", (int)script.n,
			  script.p);
	for (ssize_t i = 0; i < n; i++) {
		const unsigned char c = (unsigned char)text[i];

		if ((c < ' ' && !memchr("\n\t\r", c, 3)) || c == 0x7f)
			fuzz_fail("%.*s writes byte 0x%02x", (int)script.n, script.p, c);
	}
}

/* Answers and messages go to fd. */
static void run(struct str script, int fd)
{
	static const struct options opts = {.safe = true,
					    .no_init = true,
					    .quiet = true,
					    .keep_going = true,
					    .colour = COLOUR_NEVER};
	static const char *const profile[] = {"p.out"};
	struct app app = {.output.fd = -1};
	struct err err = {0};
	int saved[2];

	for (int i = 0; i < 2; i++) {
		saved[i] = dup(STDOUT_FILENO + i);
		dup2(fd, STDOUT_FILENO + i);
	}
	if (app_init(&app, &opts, &err) || app_open(&app, NULL, profile, 1))
		fuzz_fail("p.out is not opened: %s", err.text);
	script_run(&app, script, (struct origin){.line = 1});
	app_free(&app);
	for (int i = 0; i < 2; i++) {
		dup2(saved[i], STDOUT_FILENO + i);
		close(saved[i]);
	}
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	const struct str script = {(const char *)data, size};
	/* Whoever replays reads its files by relative paths. */
	const int before = open(".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	struct file was[FILES];
	const int fd = memfd_create("out", MFD_CLOEXEC);
	size_t n;

	if (before < 0 || fd < 0 || chdir(fuzz_directory()))
		fuzz_fail("no directory");
	if (access("SECRET", F_OK)) {
		write_file("SECRET", SECRET "\n");
		write_file("p.out",
			   "events: Ir Dr\nfl=SECRET\nfn=main\n1 10 1\ncfn=f\ncalls=2 3\n"
			   "2 7 7\nfl=b.c\nfn=f\n3 5 5\ncfn=f\ncalls=1 3\n4 2 2\nfn=10\n"
			   "5 100 0\nfn=caf\xe9\x1b[2J\n6 10 9\n");
	}
	run(STR(""), fd); /* writes the index, once */
	n = look(was);
	fuzz_begin();
	run(script, fd);
	fuzz_end();
	check(fd, script);
	close(fd);
	same_files(was, n);
	if (fchdir(before))
		fuzz_fail("no way back");
	close(before);
	return 0;
}
