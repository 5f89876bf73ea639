/* naive_test.c - the index against a second, simple reader of the format (tests/naive.h). */
#include <dirent.h>
#include <stdlib.h>
#include <sys/stat.h>

#include "tests/naive.h"
#include "tests/tap.h"

/* Texts that were once read wrongly. */
static const struct {
	const char *name, *text;
} cases[] = {
	{"the least profile", "events: Ir\nfn=f\n1 5\n"},
	{"a cost line before any fn=",
	 "events: Ir\n1 5\nfn=f\n2 6\n"},
	{"a later part with more events",
	 "events: Ir\nfn=f\n1 5\npart: 2\nevents: Ir Dr\nfn=f\n1 5 6\ncfn=g\n"
	 "calls=1 2\n2 7 8\n"},
	{"a CR among the events",
	 "events: Ir \r Dr\nfn=f\n1 5 6 7\n"},
	{"a cost line before events:",
	 "fn=f\n1 5\nevents: Ir\nfn=g\n1 6\n"},
	{"an empty section before one with events",
	 "events: Ir\nfn=f\n1 5\n==== NEW PROFILING FILE ====\nfn=g\n1 6\n"},
};

static void run_cases(void)
{
	char why[1400];

	for (size_t i = 0; i < COUNT(cases); i++)
		if (!ok(naive_agree(cases[i].text, strlen(cases[i].text), why, sizeof(why)), "%s",
			cases[i].name))
			printf("# %s\n", why);
}

static char *read_file(const char *path, size_t *n)
{
	FILE *f = fopen(path, "r");
	struct stat sb;
	char *p;

	if (!f || fstat(fileno(f), &sb) || !(p = malloc((size_t)sb.st_size + 1)) ||
	    fread(p, 1, (size_t)sb.st_size, f) != (size_t)sb.st_size)
		abort();
	fclose(f);
	*n = (size_t)sb.st_size;
	return p;
}

static int compare_names(const void *a, const void *b)
{
	return strcmp(*(char *const *)a, *(char *const *)b);
}

static void run_fixtures(const char *where)
{
	char *names[200], path[512], why[1400], *text;
	struct dirent *e;
	DIR *d = opendir(where);
	size_t n = 0, size;

	while (d && (e = readdir(d)) && n < COUNT(names))
		if (e->d_name[0] != '.' && !strstr(e->d_name, "README") &&
		    !strstr(e->d_name, ".json") && !strstr(e->d_name, ".quern"))
			names[n++] = strdup(e->d_name);
	if (d)
		closedir(d);
	if (n == 0)
		skip("the fixtures are not below the current directory");
	else
		qsort(names, n, sizeof(*names), compare_names);
	for (size_t i = 0; i < n; i++) {
		snprintf(path, sizeof(path), "%s/%s", where, names[i]);
		text = read_file(path, &size);
		if (!ok(naive_agree(text, size, why, sizeof(why)), "%s", path))
			printf("# %s\n", why);
		free(text);
		free(names[i]);
	}
}

int main(void)
{
	run_cases();
	run_fixtures("tests/fixtures/quirks");
	run_fixtures("tests/fixtures/small");
	return done_testing();
}
