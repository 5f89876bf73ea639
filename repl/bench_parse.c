/* bench_parse.c - read a profile several times; see bench_parse.h. */
#include "repl/bench_parse.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "engine/query.h"
#include "index/base/err.h"
#include "index/base/err_kind.h"
#include "index/base/map.h"
#include "index/base/out.h"
#include "index/base/vec.h"
#include "index/lines/decode.h"
#include "index/base/isa.h"
#include "index/lines/scan.h"
#include "index/file/source.h"
#include "index/read/stretch.h"
#include "repl/app/app.h"
#include "repl/term/number.h"
#include "index/base/order.h"

enum { WAYS = 16, RUNS = 1001 };

extern char **environ;

enum what { WAY_WC, WAY_NEWLINES, WAY_SCAN, WAY_DECODE, WAY_PARSE };

struct way {
	char name[40];
	enum what what;
	unsigned jobs;
	const char *path; /* instruction set, see scan.h */
	uint64_t *ns;	  /* of each run; sorted at the end */
	uint64_t *cpu;	  /* processor time of each run, all threads */
};

struct bench {
	const char *file;
	const struct bench_parse_opts *opts;
	unsigned runs;
	struct way way[WAYS];
	size_t nway;
	uint64_t bytes, lines;
	struct source_file source;
	struct stretches stretches;
	struct decode
		*decode; /* results of the first steps; kept after a fault in the map */
	struct batch *batch;
	const struct way *now; /* the current one */
	struct err *err;
};

static uint64_t bench_parse_now_ns(clockid_t clock)
{
	struct timespec t;

	clock_gettime(clock, &t);
	return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
}

/* Of this process and its finished children. */
static uint64_t bench_parse_cpu_ns(void)
{
	struct rusage r;

	getrusage(RUSAGE_CHILDREN, &r);
	return bench_parse_now_ns(CLOCK_PROCESS_CPUTIME_ID) +
	       (uint64_t)(r.ru_utime.tv_sec + r.ru_stime.tv_sec) * 1000000000u +
	       (uint64_t)(r.ru_utime.tv_usec + r.ru_stime.tv_usec) * 1000u;
}

/* ---- the ways ---- */

static int run_wc(struct bench *b)
{
	char *argv[] = {(char[]){"wc"}, (char[]){"-l"}, (char[]){"--"}, strdup(b->file),
			NULL};
	posix_spawn_file_actions_t quiet;
	int status = 0, failed;
	pid_t pid;

	posix_spawn_file_actions_init(&quiet);
	posix_spawn_file_actions_addopen(&quiet, 1, "/dev/null", O_WRONLY, 0);
	failed = posix_spawnp(&pid, "wc", &quiet, NULL, argv, environ);
	posix_spawn_file_actions_destroy(&quiet);
	free(argv[3]);
	if (failed)
		return err_set(b->err, ERR_USAGE, 0, "wc: %s", strerror(failed));
	while (waitpid(pid, &status, 0) < 0 && errno == EINTR)
		continue;
	if (status)
		return err_set(b->err, ERR_USAGE, 0, "wc -l failed");
	return 0;
}

/* Bytes of a vector are compared at once; each counter is emptied before it can
 * overflow. */
typedef unsigned char lanes __attribute__((vector_size(16)));

static uint64_t count_newlines(const char *p, size_t n)
{
	const char *end = p + n;
	uint64_t lines = 0;

	while ((size_t)(end - p) >= sizeof(lanes)) {
		lanes sum = {0}, v;

		for (int i = 0; i < 255 && (size_t)(end - p) >= sizeof(v);
		     i++, p += sizeof(v)) {
			memcpy(&v, p, sizeof(v));
			sum -= (lanes)(v == '\n');
		}
		for (size_t i = 0; i < sizeof(sum); i++)
			lines += sum[i];
	}
	for (; p < end; p++)
		lines += *p == '\n';
	return lines;
}

/* Find the separators of all text, or decode its lines, and use nothing of it. */
static void decode_only(struct bench *b, const char *p, size_t n)
{
	struct decode *d = b->decode;
	size_t at = 0;

	decode_init(d);
	while (at < n && !atomic_load_explicit(&app_cancel, memory_order_relaxed)) {
		const size_t take = n - at < SCAN_BLOCK ? n - at : SCAN_BLOCK;

		if (b->now->what == WAY_SCAN) {
			scan_block(p + at, take, d->pos);
			at += take;
		} else {
			decode_block(d, p + at, n - at, at, true, b->batch);
			at += b->batch->bytes;
		}
	}
}

/* All that reads the map: the file may shrink. */
static int guarded(void *arg)
{
	struct bench *b = arg;
	const struct map *m = &b->source.map;
	const struct stretch_opts o = {
		.jobs = b->now->jobs, .fd = b->source.fd, .cancel = &app_cancel};

	vec_policy(VEC_OWN_MAP, VEC_ROOM);
	if (b->now->what == WAY_PARSE)
		return stretches_read(&b->stretches, m->p, m->n, &o, b->err);
	if (b->now->what == WAY_NEWLINES)
		b->lines = count_newlines(m->p, m->n);
	else
		decode_only(b, m->p, m->n);
	return atomic_load(&app_cancel) ? err_set(b->err, ERR_CANCEL, 0, "interrupted")
					: 0;
}

static int run_mapped(struct bench *b)
{
	if (source_open(b->file, &b->source, b->err))
		return b->err->kind;
	if (b->source.codec || b->source.pipe)
		return err_set(b->err, ERR_PROFILE, 0,
			       "%s: --bench-parse wants plain text in a file", b->file);
	b->bytes = b->source.map.n;
	map_guard(guarded, b, ERR_PROFILE, b->err);
	return b->err->kind;
}

static int run_way(struct bench *b, struct way *w, unsigned run)
{
	uint64_t start, cpu;
	int rc;

	if (w->path)
		isa_force(w->path);
	b->now = w;
	cpu = bench_parse_cpu_ns();
	start = bench_parse_now_ns(CLOCK_MONOTONIC);
	rc = w->what == WAY_WC ? run_wc(b) : run_mapped(b);
	w->ns[run] = bench_parse_now_ns(CLOCK_MONOTONIC) - start;
	w->cpu[run] = bench_parse_cpu_ns() - cpu;
	if (w->what != WAY_WC)
		source_close(&b->source);
	if (w->what == WAY_PARSE)
		stretches_free(&b->stretches);
	return rc;
}

static int add_way(struct bench *b, enum what what, unsigned jobs, const char *path,
		   const char *name)
{
	struct way *w = &b->way[b->nway];

	if (b->nway == WAYS)
		return 0;
	*w = (struct way){.what = what, .jobs = jobs, .path = path};
	snprintf(w->name, sizeof(w->name), "%s", name);
	w->ns = calloc(b->runs, sizeof(*w->ns) * 2);
	w->cpu = w->ns ? w->ns + b->runs : NULL;
	if (!w->ns)
		return err_no_memory(b->err, NULL);
	b->nway++;
	return 0;
}

static void add_ways(struct bench *b)
{
	const char *const *paths = isa_names();
	long cores = sysconf(_SC_NPROCESSORS_ONLN);
	unsigned jobs = b->opts->jobs;
	char name[40];

	if (jobs == 0)
		jobs = cores > 1 ? (unsigned)cores : 1;
	if (b->opts->wc)
		add_way(b, WAY_WC, 0, NULL, "wc -l");
	add_way(b, WAY_NEWLINES, 0, NULL, "count newlines");
	if (b->opts->stages) {
		add_way(b, WAY_SCAN, 1, paths[0], "find separators");
		add_way(b, WAY_DECODE, 1, paths[0], "decode, keep nothing");
	}
	add_way(b, WAY_PARSE, 1, paths[0], "parse, 1 thread");
	snprintf(name, sizeof(name), "parse, %u threads", jobs);
	if (jobs > 1)
		add_way(b, WAY_PARSE, jobs, paths[0], name);
	for (size_t i = 1; b->opts->paths && paths[i]; i++) {
		snprintf(name, sizeof(name), "parse, 1 thread, %s", paths[i]);
		add_way(b, WAY_PARSE, 1, paths[i], name);
	}
}

/* ---- the table ---- */

static void sort_runs(const struct bench *b, struct way *w)
{
	qsort(w->ns, b->runs, sizeof(*w->ns), compare_u64);
	qsort(w->cpu, b->runs, sizeof(*w->cpu), compare_u64);
}

static void print_way(const struct bench *b, const struct way *w, struct out *o)
{
	const struct way *unit = &b->way[0];
	uint64_t mid = w->ns[b->runs / 2], least = w->ns[0], most = w->ns[b->runs - 1];
	uint64_t cpu = w->cpu[b->runs / 2];
	double s = (double)mid / 1e9, lines = b->lines ? (double)b->lines : 1;

	if (b->opts->tsv) {
		out_printf(o, "%s\t%" PRIu64 "\t%" PRIu64 "\t%" PRIu64, w->name, mid,
			   least, most);
		out_printf(o, "\t%" PRIu64 "\t%" PRIu64 "\t%" PRIu64 "\n", b->bytes,
			   b->lines, cpu);
		return;
	}
	out_printf(o, "%-25s %7.3f s %7.3f .. %-7.3f %5.2f %8.1f %7.2f %7.2f %6.2f\n",
		   w->name, s, (double)least / 1e9, (double)most / 1e9,
		   (double)b->bytes / 1e9 / s, lines / 1e6 / s, (double)mid / lines,
		   (double)mid / (double)unit->ns[b->runs / 2],
		   (double)cpu / (double)unit->cpu[b->runs / 2]);
}

static void print_ways(const struct bench *b, struct out *o)
{
	char bytes[NUMBER_MAX], lines[NUMBER_MAX];

	number_bytes(bytes, b->bytes);
	number_grouped(lines, b->lines);
	if (!b->opts->tsv) {
		out_printf(o, "%s: %s, %s lines; median of %u, least .. most; scan %s\n",
			   b->file, bytes, lines, b->runs, isa_names()[0]);
		out_printf(o, "%-25s %9s %18s %5s %8s %7s %7s %6s\n", "", "", "", "GB/s",
			   "Mlines/s", "ns/line", b->opts->wc ? "x wc -l" : "x count",
			   "CPU x");
	}
	for (size_t i = 0; i < b->nway; i++)
		print_way(b, &b->way[i], o);
}

static int print(const struct bench *b, int fd)
{
	struct out o;
	int failed;

	out_fd(&o, fd);
	print_ways(b, &o);
	failed = out_close(&o);
	if (failed)
		return err_set(b->err, ERR_OUTPUT, 0, "standard output: %s",
			       strerror(failed));
	return 0;
}

int bench_parse(const char *path, const struct bench_parse_opts *opts, int fd,
		struct err *err)
{
	struct bench b = {.file = path, .opts = opts, .err = err};

	b.runs = opts->runs < 1 ? 1 : opts->runs > RUNS ? RUNS : opts->runs;
	if (opts->stages) {
		b.decode = malloc(sizeof(*b.decode));
		b.batch = malloc(sizeof(*b.batch));
		if (!b.decode || !b.batch)
			err_no_memory(err, NULL);
	}
	add_ways(&b);
	/* Run once unmeasured, so that the file is in memory. */
	for (size_t i = 0; i < b.nway && !err->kind; i++)
		if (b.way[i].what == WAY_NEWLINES)
			run_way(&b, &b.way[i], 0);
	for (unsigned run = 0; run < b.runs && !err->kind; run++)
		for (size_t i = 0; i < b.nway && !err->kind; i++)
			run_way(&b, &b.way[i], run);
	for (size_t i = 0; i < b.nway && !err->kind; i++)
		sort_runs(&b, &b.way[i]);
	if (!err->kind)
		print(&b, fd);
	isa_force(isa_names()[0]);
	for (size_t i = 0; i < b.nway; i++)
		free(b.way[i].ns);
	free(b.decode);
	free(b.batch);
	return err->kind;
}
