/* faults.c - see faults.h. */
#include "tests/support/faults.h"

#include <dirent.h>
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "engine/query.h"
#include "index/base/count.h"
#include "index/base/err_struct.h"
#include "index/base/err_kind.h"
#include "index/base/out.h"
#include "tests/support/fuzzing.h"
#include "tests/support/pack.h"

void (*faults_arm)(const char *);
unsigned long (*faults_record)(char class, uint64_t *hash, size_t n);
long (*faults_live)(void);
atomic_int faults_cancel;

char faults_dir[200];

/* Again with fault.so before libc, which stands beside this program. */
static bool preload(char **argv)
{
	char so[4096];
	int n = (int)(strrchr(argv[0], '/') ? strrchr(argv[0], '/') - argv[0] : 0);

	snprintf(so, sizeof(so), "%.*s/fault.so", n, n ? argv[0] : ".");
	if (getenv("FAULT_TEST") || access(so, R_OK))
		return false;
	setenv("FAULT_TEST", "1", 1);
	setenv("LD_PRELOAD", so, 1);
	execv(argv[0], argv);
	fuzz_fail("cannot start %s again", argv[0]);
}

bool faults_begin(char **argv)
{
	void (*flag)(atomic_int *);

	*(void **)&faults_arm = dlsym(RTLD_DEFAULT, "fault_arm");
	*(void **)&faults_record = dlsym(RTLD_DEFAULT, "fault_record");
	*(void **)&faults_live = dlsym(RTLD_DEFAULT, "fault_live");
	*(void **)&flag = dlsym(RTLD_DEFAULT, "fault_flag");
	if (!faults_arm || !faults_record || !faults_live || !flag)
		return preload(argv);
	flag(&faults_cancel);
	snprintf(faults_dir, sizeof(faults_dir), "%s/work", fuzz_directory());
	mkdir(faults_dir, 0700);
	return true;
}

void faults_end(void)
{
	faults_empty();
	rmdir(faults_dir);
}

/* ---- files ---- */

const char *faults_path(const char *name)
{
	static char path[FAULTS_FILES + 4][300];
	static unsigned next;
	char *p = path[next++ % (FAULTS_FILES + 4)];

	snprintf(p, sizeof(path[0]), "%s/%s", faults_dir, name);
	return p;
}

void faults_put(const char *name, const void *p, size_t n)
{
	const char *path = faults_path(name);
	int fd;

	unlink(path);
	fd = open(path, O_WRONLY | O_CREAT | O_TRUNC, 0644);
	if (fd < 0 || write(fd, p, n) != (ssize_t)n || close(fd))
		fuzz_fail("cannot write %s: %s", path, strerror(errno));
}

struct file faults_get(const char *path)
{
	struct file f = {malloc(8 << 20), 0};
	int fd = open(path, O_RDONLY);
	ssize_t n = fd < 0 || !f.p ? -1 : read(fd, f.p, 8 << 20);

	if (n < 0 || close(fd))
		fuzz_fail("cannot read %s: %s", path, strerror(errno));
	f.n = (size_t)n;
	return f;
}

void faults_copy(const char *from, const char *name)
{
	struct file f = faults_get(from);

	faults_put(name, f.p, f.n);
	free(f.p);
}

void faults_empty(void)
{
	DIR *d = opendir(faults_dir);
	struct dirent *e;

	while (d && (e = readdir(d)))
		if (e->d_name[0] != '.')
			unlinkat(dirfd(d), e->d_name, 0);
	if (d)
		closedir(d);
}

unsigned faults_files(void)
{
	DIR *d = opendir(faults_dir);
	struct dirent *e;
	unsigned n = 0;

	while (d && (e = readdir(d)))
		n += e->d_name[0] != '.';
	if (d)
		closedir(d);
	return n;
}

/* ---- builds ---- */

static const char *const asked[] = {
	"functions | show fn, file, obj, line, self, incl, calls",
	"calls",
	"lines",
	"inlined",
	"callsites",
	"jumps",
	"instrs",
	"cycles",
	"events",
	"parts",
	"part 1 | functions",
	"part 2 | lines",
	"part 2 | callsites",
	"part 2 | jumps",
	"info main"};

struct session *faults_session(struct store *st)
{
	const struct session_limits limits = {
		.seconds = 3600, .rows = 20000, .arena_bytes = 64 << 20};
	struct session *s = fuzz_session(st);

	if (!s)
		fuzz_fail("no session");
	session_set_limits(s, &limits);
	return s;
}

int faults_build(const struct scene *s, const char *fault, struct out *to,
		 struct err *err)
{
	struct build_opts opts = s->opts;
	struct build_report report;
	struct store *st = NULL;
	const char *path[FAULTS_FILES];
	struct session *session;
	size_t n = 0;
	int rc;

	for (; n < FAULTS_FILES && (s->file[n] || n == 0); n++)
		path[n] = faults_path(s->file[n] ? s->file[n] : "p");
	opts.no_write = !s->index;
	opts.index_path = s->index ? faults_path(s->index) : NULL;
	opts.jobs = 1;
	opts.cancel = &faults_cancel;
	atomic_store(&faults_cancel, 0);
	faults_arm(fault);
	rc = n == 1 ? build_open(path[0], &opts, &st, &report, err)
		    : build_open_set(path, n, &opts, &st, &report, err);
	if (fault)
		faults_arm(NULL);
	if (rc)
		return rc;
	session = faults_session(st);
	for (size_t i = 0; to && !s->quiet && i < COUNT(asked); i++)
		fuzz_ask(session, str_c(asked[i]), FORMAT_CSV, to);
	session_free(session);
	store_close(st);
	return 0;
}

int faults_next_fd(void)
{
	int fd = open("/dev/null", O_RDONLY);

	close(fd);
	return fd;
}

static char what[1000]; /* is wrong; "": nothing */

/* The first counts. */
__attribute__((format(printf, 3, 4))) static void
wrong(const struct scene *s, const char *fault, const char *fmt, ...)
{
	size_t n;
	va_list ap;

	if (what[0])
		return;
	n = (size_t)snprintf(what, sizeof(what), "%.200s, %.300s: ", s->name, fault);
	va_start(ap, fmt);
	vsnprintf(what + n, sizeof(what) - n, fmt, ap);
	va_end(ap);
}

static void judge(const struct scene *s, const char *fault, int rc, const struct err *err)
{
	bool of_memory = fault[0] == 'm';

	if (!err->text[0] || rc != err->kind)
		wrong(s, fault, "status %d, kind %d, '%s'", rc, err->kind, err->text);
	if (of_memory && rc != ERR_LIMIT && rc != ERR_INDEX && rc != ERR_PROFILE)
		wrong(s, fault, "status %d for want of memory: %s", rc, err->text);
	if (of_memory && strstr(err->text, "damaged"))
		wrong(s, fault, "called damage: %s", err->text);
}

const char *faults_check(const struct scene *s, const char *fault, const struct out *want)
{
	struct err err = {0};
	struct out got;
	unsigned files, left = 0;
	long before;
	int fd, rc;

	what[0] = 0;
	s->prepare(s->arg);
	files = faults_files();
	out_mem(&got);
	fd = faults_next_fd();
	before = faults_live();
	rc = faults_build(s, fault, &got, &err);
	if (rc)
		judge(s, fault, rc, &err);
	else if (got.n != want->n || memcmp(got.buf, want->buf, got.n) != 0)
		wrong(s, fault, "another answer, %zu bytes of %zu", got.n, want->n);
	out_close(&got);
	if (faults_live() != before)
		wrong(s, fault, "%ld allocations are lost: %s", faults_live() - before,
		      err.text);
	if (faults_next_fd() != fd)
		wrong(s, fault, "a descriptor is lost");
	/* What failed may be an unlink(), or two: of the new index, and of the old one. */
	if (fault[0] == 's')
		left = strchr(fault, '+') ? 2 : 1;
	if (faults_files() > (s->leaves > files ? s->leaves : files) + left)
		wrong(s, fault, "%u files instead of %u", faults_files(), files);
	return what[0] ? what : NULL;
}

unsigned long *faults_stacks(const uint64_t *hash, unsigned long calls, bool anew,
			     size_t *n)
{
	static uint64_t seen[1 << 16];
	unsigned long *k = malloc((calls + 1) * sizeof(*k));

	if (anew || getenv("QUERN_TORTURE"))
		memset(seen, 0, sizeof(seen));
	*n = 0;
	for (unsigned long i = 0; i < calls; i++) {
		size_t at = hash[i] % COUNT(seen);

		while (seen[at] && seen[at] != hash[i])
			at = (at + 1) % COUNT(seen);
		if (!seen[at])
			k[(*n)++] = i + 1;
		seen[at] = hash[i];
	}
	return k;
}

/* ---- inputs ---- */

void faults_fixture(int which)
{
	static const char *const fixture[] = {"small/mutual-instr-jumps.out",
					      "small/thr-septhreads-combine-bb.out",
					      "quirks/z_mut.cg"};
	char path[200];

	faults_empty();
	snprintf(path, sizeof(path), "tests/fixtures/%s", fixture[which]);
	faults_copy(path, "p");
}

static size_t repeated(char *p, size_t cap)
{
	size_t n = (size_t)snprintf(p, cap, "events: Ir Dr\nevent: Sum = Ir + Dr\n");

	for (int part = 1; part <= 12; part++) {
		n += (size_t)snprintf(p + n, cap - n, "\npart: %d\n", part);
		for (int fn = 1; fn <= 12; fn++) {
			n += (size_t)snprintf(p + n, cap - n,
					      part == 1 ? "\nfl=(1) f.c\nfn=(%d) name%d\n"
							: "\nfl=(1)\nfn=(%d)\n",
					      fn, fn);
			for (int i = 1; i < 20; i++)
				n += (size_t)snprintf(
					p + n, cap - n,
					i % 7 ? "+%d %d 1\n"
					      : "cfn=(5)\ncalls=%d 1\n+1 %d 7\n",
					i % 3 + 1, part * i);
		}
	}
	return n;
}

static char text[1 << 17];

void faults_spilled(int arg)
{
	(void)arg;
	faults_empty();
	faults_put("p", text, repeated(text, sizeof(text)));
}

void faults_packed(int how)
{
	size_t n = repeated(text, sizeof(text)), size;
	char *p = pack_text((enum pack)how, 1, text, n, &size);

	faults_empty();
	faults_put("p", p, size);
	free(p);
}

void faults_threads(int arg)
{
	(void)arg;
	faults_empty();
	for (int i = 1; i <= 5; i++) {
		char from[100], to[20];

		snprintf(from, sizeof(from),
			 "tests/fixtures/small/thr-septhreads.out-0%d", i);
		snprintf(to, sizeof(to), "t-0%d", i);
		faults_copy(from, to);
	}
}
