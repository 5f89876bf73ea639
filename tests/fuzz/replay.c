/*
 * replay.c - run a fuzz target on files instead of a fuzzer's inputs, as a test.
 *
 *	build/release/fuzz/query			every file of tests/corpus/query
 *	build/release/fuzz/query FILE|DIRECTORY...	these
 *
 * A case that fails aborts; its name was printed before.
 */
#include <dirent.h>
#include <errno.h>
#include <stdlib.h>
#include <sys/stat.h>

#include "engine/query.h"
#include "tests/support/fuzzing.h"
#include "tests/support/tap.h"

static void run_file(const char *path)
{
	FILE *f = fopen(path, "r");
	struct stat sb;
	uint8_t *p;

	if (!f || fstat(fileno(f), &sb) || !(p = malloc((size_t)sb.st_size + 1)) ||
	    fread(p, 1, (size_t)sb.st_size, f) != (size_t)sb.st_size) {
		ok(false, "%s: %s", path, strerror(errno));
		exit(1);
	}
	fclose(f);
	printf("# %s\n", path);
	fflush(stdout);
	LLVMFuzzerTestOneInput(p, (size_t)sb.st_size);
	free(p);
}

static size_t run(const char *path)
{
	struct dirent **entry;
	char file[4096];
	int n = scandir(path, &entry, NULL, alphasort);
	size_t files = 0;

	if (n < 0) {
		run_file(path);
		return 1;
	}
	for (int i = 0; i < n; i++) {
		snprintf(file, sizeof(file), "%s/%s", path, entry[i]->d_name);
		if (entry[i]->d_name[0] != '.')
			files += run(file);
		free(entry[i]);
	}
	free(entry);
	return files;
}

int main(int argc, char **argv)
{
	const char *name = strrchr(argv[0], '/');
	char corpus[4096];

	snprintf(corpus, sizeof(corpus), "tests/corpus/%s", name ? name + 1 : argv[0]);
	for (int i = 1; i < argc; i++)
		ok(run(argv[i]) > 0, "%s", argv[i]);
	if (argc < 2)
		ok(run(corpus) > 0, "%s", corpus);
	return done_testing();
}
