/* runs_test.c - which files are one run, which are several, and which are refused. */
#include <fcntl.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "index/base/err_struct.h"
#include "index/base/err_kind.h"
#include "index/build.h"
#include "tests/support/tap.h"

enum { FILES = 4 };

#define CALLGRIND "version: 1\ncreator: callgrind-3.19.0\npositions: line\n"
#define APP CALLGRIND "cmd: ./app -x\n"
#define XDEBUG "version: 1\ncreator: xdebug 3.2.0 (PHP 8.2.35)\ncmd: /a.php\npart: 1\n"
#define IR "events: Ir\nfn=f\n1 1\n"

static const struct {
	const char *what;
	struct file {
		const char *name, *text;
	} file[FILES];
	const char *note;  /* its beginning; "" for one run */
	const char *error; /* the beginning of the refusal instead */
} cases[] = {
	{"dumps of a run",
	 {{"r.out", APP "pid: 7\npart: 3\n" IR},
	  {"r.out.1", APP "pid: 7\npart: 1\n" IR},
	  {"r.out.2", APP "pid: 7\npart: 2\n" IR}},
	 "",
	 NULL},
	{"threads of a run",
	 {{"r-01", APP "pid: 7\npart: 1\nthread: 1\n" IR},
	  {"r-02", APP "pid: 7\npart: 1\nthread: 2\n" IR}},
	 "",
	 NULL},
	{"a dump that names no tool",
	 {{"r.1", APP "pid: 7\npart: 1\n" IR},
	  {"r.2", "cmd: ./app -x\npid: 7\npart: 2\n" IR}},
	 "",
	 NULL},
	{"two runs",
	 {{"old", APP "pid: 7\npart: 1\n" IR}, {"new", APP "pid: 8\npart: 1\n" IR}},
	 "old and new are of 2 runs, or processes, of ./app: their costs are added up. If "
	 "that is meant: --merge. To compare them: quern new base=old -c 'functions vs "
	 "base'",
	 NULL},
	{"of other arguments",
	 {{"old", APP "pid: 7\n" IR}, {"new", CALLGRIND "cmd: ./app -y\npid: 8\n" IR}},
	 "old and new are of 2 runs, or processes, of ./app:",
	 NULL},
	{"by two versions of the tool",
	 {{"old", APP "pid: 7\n" IR},
	  {"new", "creator: callgrind-3.22.0\ncmd: ./app\npid: 8\n" IR}},
	 "old and new are of 2 runs,",
	 NULL},
	{"with dumps",
	 {{"a", APP "pid: 9\npart: 2\n" IR},
	  {"a.1", APP "pid: 9\npart: 1\n" IR},
	  {"b", APP "pid: 8\npart: 1\n" IR}},
	 "these 3 files are of 2 runs, or processes, of ./app: their costs are added up. "
	 "If that is meant: --merge. To compare them: quern b base=a base=a.1 -c 'functions "
	 "vs base'",
	 NULL},
	{"many runs",
	 {{"a", APP "pid: 9\n" IR},
	  {"b", APP "pid: 8\n" IR},
	  {"c", APP "pid: 3\n" IR},
	  {"d", APP "pid: 4\n" IR}},
	 "these 4 files are of 4 runs, or processes, of ./app: their costs are added up. "
	 "If that is meant: --merge. To compare the last with the first: quern d base=a -c",
	 NULL},
	{"names that a shell would change",
	 {{"it's", APP "pid: 7\n" IR}, {"a b", APP "pid: 8\n" IR}},
	 "it's and a b are of 2 runs, or processes, of ./app: their costs are added up. If "
	 "that is meant: --merge. To compare them: quern 'a b' base='it'\\''s' -c",
	 NULL},
	{"cachegrind files",
	 {{"a", "desc: I1 cache: x\ncmd: ./app\n" IR}, {"b", "cmd: ./app\n" IR}},
	 "a and b are of 2 runs, or processes, of ./app:",
	 NULL},
	{"requests of Xdebug",
	 {{"a", XDEBUG IR}, {"b", XDEBUG IR}},
	 "a and b are of 2 runs, or processes, of /a.php:",
	 NULL},
	{"appended by Xdebug",
	 {{"a", XDEBUG IR "==== NEW PROFILING FILE ==============\n" XDEBUG IR}},
	 "",
	 NULL},
	{"parts without a pid",
	 {{"a", "cmd: x\npart: 1\n" IR}, {"b", "cmd: x\npart: 2\n" IR}},
	 "",
	 NULL},
	{"nothing in the header",
	 {{"a", IR}, {"b", IR}},
	 "a and b are 2 profiles: their costs are added up.",
	 NULL},
	{"threads of ruby-prof", {{"p.out.12", IR}, {"p.out.12-8", IR}}, "", NULL},
	{"two of its runs",
	 {{"p.out.12", IR}, {"p.out.12-8", IR}, {"p.out.13", IR}},
	 "these 3 files are 2 profiles: their costs are added up. If that is meant: "
	 "--merge. To compare them: quern p.out.13 base=p.out.12 base=p.out.12-8 -c",
	 NULL},
	{"callgrind and cachegrind",
	 {{"a", APP "pid: 7\npart: 1\n" IR}, {"b", "desc: I1 cache:\ncmd: ./app\n" IR}},
	 NULL,
	 "b is written by cachegrind, a by callgrind: both count Ir of ./app, which would "
	 "be counted twice"},
	{"cachegrind with other events besides",
	 {{"a", APP "pid: 7\npart: 1\n" IR},
	  {"b", "cmd: ./app\nevents: Bc Ir\nfn=f\n1 1\n"}},
	 NULL,
	 "b is written by cachegrind, a by callgrind: both count Ir"},
	{"two tools that name themselves",
	 {{"a", APP "pid: 7\n" IR}, {"b", "creator: conv-2\ncmd: ./app\npid: 8\n" IR}},
	 NULL,
	 "a is written by callgrind, b by conv: both count Ir of ./app"},
	{"callgrind and cachegrind of two programs",
	 {{"a", APP "pid: 7\n" IR}, {"b", "cmd: ./b\n" IR}},
	 NULL,
	 "b is of the program ./b, a of ./app"},
	{"a file that does not tell its program",
	 {{"a", APP "pid: 7\n" IR}, {"b", "creator: conv-2\n" IR}},
	 "a and b are 2 profiles:",
	 NULL},
};

static bool begins(const char *s, const char *with)
{
	return with && strncmp(s, with, *with ? strlen(with) : 1) == 0;
}

static void check_note(const char *what, const char *how, const char *got,
		       const char *want)
{
	if (!ok(*want ? begins(got, want) : !*got, "%s: %s", what, how))
		fprintf(stderr, "#    got %s\n#   want %s\n", got, want);
}

/* Open the files n at a time: built, then up to date, then with --merge. */
static void check(size_t c)
{
	const char *path[FILES], *what = cases[c].what;
	struct build_opts opts = {.index_path = "runs.quern"};
	struct build_report r;
	struct store *st = NULL;
	size_t n = 0;

	for (; n < FILES && cases[c].file[n].name; n++) {
		const char *text = cases[c].file[n].text;
		int fd;

		path[n] = cases[c].file[n].name;
		fd = open(path[n], O_WRONLY | O_CREAT | O_TRUNC, 0644);
		if (fd < 0 || write(fd, text, strlen(text)) < 0 || close(fd))
			abort();
	}
	for (int turn = 0; turn < 3; turn++) {
		const char *const how[] = {"built", "up to date", "merged before"};
		struct err err = {0};

		if (turn == 2) { /* an index that --merge made changes nothing */
			opts.rebuild = opts.merge = true;
			if (!ok(!build_open_set(path, n, &opts, &st, &r, &err) &&
					!*r.runs,
				"%s: nothing is said with --merge", what))
				fprintf(stderr, "# %s%s\n", err.text, r.runs);
			store_close(st);
			opts.rebuild = opts.merge = false;
		}
		st = NULL;
		build_open_set(path, n, &opts, &st, &r, &err);
		if (cases[c].error) {
			if (!ok(err.kind == ERR_PROFILE && !st &&
					begins(err.text, cases[c].error),
				"%s: refused, %s", what, how[turn]))
				fprintf(stderr, "#    got %s\n", err.text);
		} else if (ok(st && !err.kind, "%s: opened, %s", what, how[turn])) {
			check_note(what, how[turn], r.runs, cases[c].note);
		}
		store_close(st);
	}
	unlink("runs.quern");
	for (size_t i = 0; i < n; i++)
		unlink(path[i]);
}

int main(void)
{
	char dir[] = "/tmp/runs_test.XXXXXX";

	if (!mkdtemp(dir) || chdir(dir))
		abort();
	for (size_t c = 0; c < COUNT(cases); c++)
		check(c);
	unlink("runs.quern.lock");
	if (chdir("/") || rmdir(dir))
		fprintf(stderr, "# %s stays\n", dir);
	return done_testing();
}
