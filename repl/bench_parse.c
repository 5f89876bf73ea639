/* bench_parse.c - read a profile several times; see bench_parse.h. */
#include "repl/bench_parse.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <math.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "index/base/err.h"
#include "index/base/map.h"
#include "index/base/os.h"
#include "index/base/out.h"
#include "index/base/vec.h"
#include "index/build.h"
#include "index/file/feed.h"
#include "index/base/isa.h"
#include "index/file/source.h"
#include "index/read/stretch.h"
#include "repl/app/app.h"
#include "repl/app/version.h"
#include "repl/term/emit.h"
#include "repl/term/number.h"
#include "index/base/order.h"

enum { WAYS = 16, RUNS = 1001 };

extern char **environ;

enum what { WAY_TOOL, WAY_NEWLINES, WAY_STAGE, WAY_PARSE, WAY_INDEX };

struct way {
	char name[40]; /* of WAY_TOOL the program and its option: "wc -l" */
	enum what what;
	bool missing; /* the tool is not installed */
	unsigned jobs;
	const char *path; /* instruction set, see isa.h */
	uint64_t *ns;	  /* of each run; sorted at the end */
	uint64_t *order;  /* the same in the order of runs */
	uint64_t *cpu;	  /* processor time of each run, all threads */
	uint64_t cycles;  /* of the run with the fewest; 0: the machine does not tell */
	bool sums;	  /* it adds costs up: */
	int64_t sum;	  /* of the first event, all functions */
};

struct bench {
	const char *file;
	const struct bench_parse_opts *opts;
	unsigned runs;
	struct way way[WAYS];
	size_t nway;
	uint64_t packed;	      /* bytes of the file, if it is packed */
	uint64_t bytes, lines, costs; /* of the text; costs: its cost lines */
	struct source_file source;
	struct stretches stretches;
	const struct way *now; /* the current one */
	int cycles;	       /* where they are counted (os.h); or -1 */
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

static uint64_t count_cycles(const struct bench *b)
{
	uint64_t n = 0;

	return b->cycles >= 0 && read(b->cycles, &n, sizeof(n)) == sizeof(n) ? n : 0;
}

/* ---- the ways ---- */

/* Run "wc -l FILE", "cat FILE", "gzip -dc FILE". */
static int run_tool(struct bench *b, struct way *w)
{
	char name[sizeof(w->name)], *option, *file = strdup(b->file);
	char *argv[] = {name, (char[]){"--"}, file, NULL, NULL};
	posix_spawn_file_actions_t quiet;
	int status = 0, failed;
	pid_t pid;

	memcpy(name, w->name, sizeof(name));
	if ((option = strchr(name, ' '))) {
		*option++ = '\0';
		memmove(argv + 2, argv + 1, 2 * sizeof(*argv));
		argv[1] = option;
	}
	posix_spawn_file_actions_init(&quiet);
	posix_spawn_file_actions_addopen(&quiet, 1, "/dev/null", O_WRONLY, 0);
	failed = posix_spawnp(&pid, name, &quiet, NULL, argv, environ);
	posix_spawn_file_actions_destroy(&quiet);
	free(file);
	w->missing = failed == ENOENT;
	if (failed)
		return w->missing ? 0
				  : err_set(b->err, ERR_USAGE, 0, "%s: %s", name,
					    strerror(failed));
	while (waitpid(pid, &status, 0) < 0 && errno == EINTR)
		continue;
	return status ? err_set(b->err, ERR_PROFILE, 0, "%s: %s failed", b->file, w->name)
		      : 0;
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
		b->opts->stage(m->p, m->n);
	return atomic_load(&app_cancel) ? err_set(b->err, ERR_CANCEL, 0, "interrupted")
					: 0;
}

/* A packed file or a pipe: it is unpacked by a thread of its own. */
static int parse_feed(struct bench *b)
{
	const struct feed_opts how = {.name = b->file, .cancel = &app_cancel};
	const struct stretch_opts o = {.jobs = b->now->jobs, .cancel = &app_cancel};
	struct feed *feed;

	if (feed_open(&feed, b->source.fd, &how, b->err))
		return b->err->kind;
	stretches_feed(&b->stretches, feed, &o, b->err);
	feed_close(feed);
	return b->err->kind;
}

static int run_opened(struct bench *b)
{
	if (source_open(b->file, &b->source, b->err))
		return b->err->kind;
	if (b->source.codec)
		return parse_feed(b);
	b->bytes = b->source.map.n;
	return map_guard(guarded, b, ERR_PROFILE, b->err);
}

/* The whole index, in a file that is gone when it is closed. */
static int run_index(struct bench *b, struct way *w)
{
	const struct build_opts o = {.no_write = true,
				     .rebuild = true,
				     .only_named = true,
				     .jobs = w->jobs,
				     .cancel = &app_cancel};
	struct build_report report;
	struct store *st;

	if (build_open(b->file, &o, &st, &report, b->err))
		return b->err->kind;
	w->sum = store_total(st, 0);
	store_close(st);
	return 0;
}

/* Of the first event. */
static int64_t sum_costs(const struct tally *t)
{
	uint64_t sum = 0;

	for (size_t f = 0; t->events.n && f < t->fns.n; f++)
		sum += t->fns.self[f * t->events.n];
	return (int64_t)sum;
}

/* What was read: of a packed file nothing else tells. */
static void count_read(struct bench *b, struct way *w)
{
	w->sum = 0;
	b->bytes = b->lines = b->costs = 0;
	for (size_t i = 0; i < b->stretches.n; i++) {
		b->bytes += b->stretches.tally[i]->text_bytes;
		b->lines += b->stretches.tally[i]->lines;
		b->costs += b->stretches.tally[i]->cost_lines;
		w->sum += sum_costs(b->stretches.tally[i]);
	}
}

static int run_way(struct bench *b, struct way *w, unsigned run)
{
	uint64_t start, cpu, cycles = count_cycles(b);
	int rc;

	if (w->path)
		isa_force(w->path);
	b->now = w;
	cpu = bench_parse_cpu_ns();
	start = bench_parse_now_ns(CLOCK_MONOTONIC);
	rc = w->what == WAY_TOOL    ? run_tool(b, w)
	     : w->what == WAY_INDEX ? run_index(b, w)
				    : run_opened(b);
	w->ns[run] = bench_parse_now_ns(CLOCK_MONOTONIC) - start;
	w->cpu[run] = bench_parse_cpu_ns() - cpu;
	cycles = count_cycles(b) - cycles;
	w->cycles = w->cycles && w->cycles < cycles ? w->cycles : cycles;
	if (w->what != WAY_TOOL && w->what != WAY_INDEX)
		source_close(&b->source);
	if (w->what == WAY_PARSE) {
		if (!rc)
			count_read(b, w);
		stretches_free(&b->stretches);
	}
	return rc;
}

static int add_way(struct bench *b, enum what what, unsigned jobs, const char *path,
		   const char *name)
{
	struct way *w = &b->way[b->nway];

	if (b->nway == WAYS)
		return 0;
	*w = (struct way){.what = what,
			  .jobs = jobs,
			  .path = path,
			  .sums = what == WAY_PARSE || what == WAY_INDEX};
	snprintf(w->name, sizeof(w->name), "%s", name);
	w->ns = calloc(b->runs, sizeof(*w->ns) * 3);
	w->cpu = w->ns ? w->ns + b->runs : NULL;
	w->order = w->ns ? w->cpu + b->runs : NULL;
	if (!w->ns)
		return err_no_memory(b->err, NULL);
	b->nway++;
	return 0;
}

static void add_index(struct bench *b, unsigned jobs)
{
	char name[40];

	snprintf(name, sizeof(name), "the index, %u thread%s", jobs, &"s"[jobs == 1]);
	add_way(b, WAY_INDEX, jobs, isa_names()[0], name);
}

static void add_plain(struct bench *b, unsigned jobs)
{
	const char *const *paths = isa_names();
	char name[40];

	add_way(b, WAY_TOOL, 0, NULL, "wc -l");
	add_way(b, WAY_TOOL, 0, NULL, "cat");
	add_way(b, WAY_NEWLINES, 0, NULL, "count newlines");
	if (b->opts->stage)
		add_way(b, WAY_STAGE, 1, paths[0], b->opts->stage_name);
	add_way(b, WAY_PARSE, 1, paths[0], "parse, 1 thread");
	snprintf(name, sizeof(name), "parse, %u threads", jobs);
	if (jobs > 1)
		add_way(b, WAY_PARSE, jobs, paths[0], name);
	add_index(b, jobs);
	for (size_t i = 1; b->opts->paths && paths[i]; i++) {
		snprintf(name, sizeof(name), "parse, 1 thread, %s", paths[i]);
		add_way(b, WAY_PARSE, 1, paths[i], name);
	}
}

/* Look at the file, and choose the ways. */
static int add_ways(struct bench *b)
{
	const long cores = sysconf(_SC_NPROCESSORS_ONLN);
	const unsigned jobs = b->opts->jobs ? b->opts->jobs
			      : cores > 1   ? (unsigned)cores
					    : 1;
	char tool[40];

	if (source_open(b->file, &b->source, b->err))
		return b->err->kind;
	if (b->source.pipe) {
		err_set(b->err, ERR_PROFILE, 0, "%s: it can be read only once", b->file);
		err_hint(b->err, "--bench-parse wants a file");
	} else if (b->source.codec) {
		snprintf(tool, sizeof(tool), "%s -dc", unpack_name(b->source.codec));
		add_way(b, WAY_TOOL, 0, NULL, tool);
		if (strcmp(tool, "gzip -dc") == 0)
			add_way(b, WAY_TOOL, 0, NULL, "igzip -dc");
		add_way(b, WAY_TOOL, 0, NULL, "cat");
		add_way(b, WAY_PARSE, 1, isa_names()[0], "unpack and parse");
		add_index(b, jobs);
	} else {
		add_plain(b, jobs);
	}
	b->packed = b->source.codec ? b->source.packed.n : 0;
	source_close(&b->source);
	return b->err->kind;
}

/* ---- the table ---- */

static void sort_runs(const struct bench *b, struct way *w)
{
	memcpy(w->order, w->ns, b->runs * sizeof(*w->ns));
	qsort(w->ns, b->runs, sizeof(*w->ns), compare_u64);
	qsort(w->cpu, b->runs, sizeof(*w->cpu), compare_u64);
}

/* Things in a second; none are counted in no time. */
static double rate(uint64_t things, uint64_t ns)
{
	return ns ? (double)things * 1e9 / (double)ns : 0;
}

static void print_row(const struct bench *b, const struct way *w, struct out *o)
{
	const uint64_t mid = w->ns[b->runs / 2], cpu = w->cpu[b->runs / 2];
	const uint64_t unit = b->way[0].ns[b->runs / 2], least = b->way[0].ns[0];

	if (w->missing) {
		out_printf(o, "%-25s not installed\n", w->name);
		return;
	}
	out_printf(o, "%-25s %7.3f s %7.3f .. %-7.3f %5.2f %8.1f %8.1f %8.2f", w->name,
		   (double)mid / 1e9, (double)w->ns[0] / 1e9,
		   (double)w->ns[b->runs - 1] / 1e9, rate(b->bytes, mid) / 1e9,
		   rate(b->lines, mid) / 1e6, rate(b->costs, mid) / 1e6,
		   rate(b->bytes, cpu) / 1e9);
	if (b->way[0].missing)
		out_printf(o, " %7s %7s", "-", "-");
	else
		out_printf(o, " %7.2f %7.2f", unit ? (double)mid / (double)unit : 0,
			   least ? (double)w->ns[0] / (double)least : 0);
	if (w->cycles)
		out_printf(o, " %7.2f", (double)b->bytes / (double)w->cycles);
	out_char(o, '\n');
}

/* Ways that add up the same costs have done the same work. */
static void print_sum(const struct bench *b, struct out *o)
{
	const struct way *first = NULL;
	bool same = true;

	for (size_t i = 0; i < b->nway; i++) {
		if (!b->way[i].sums)
			continue;
		first = first ? first : &b->way[i];
		same &= b->way[i].sum == first->sum;
	}
	if (first && same)
		out_printf(o,
			   "each parse and the index add up to the same: %" PRId64 "\n",
			   first->sum);
	else if (first)
		out_c(o, "not all ways add up to the same: the sums are in json\n");
}

/* Medians of such runs say little. */
static void print_doubts(const struct bench *b, struct out *o)
{
	enum { SMALL = 10000000 };
	double worst = 1;

	for (size_t i = 0; i < b->nway; i++) {
		const struct way *w = &b->way[i];

		if (!w->missing && w->ns[0])
			worst = fmax(worst,
				     (double)w->ns[b->runs / 2] / (double)w->ns[0]);
	}
	if (worst > 1.2)
		out_printf(o,
			   "noisy: a median is %.2f times the shortest run: look at the "
			   "ratios of these\n",
			   worst);
	if (b->bytes < SMALL)
		out_c(o, "the file is small: to start a program or a thread takes a part "
			 "of these times\n");
}

static void print_table(const struct bench *b, struct out *o)
{
	char bytes[NUMBER_MAX], packed[NUMBER_MAX], lines[NUMBER_MAX], costs[NUMBER_MAX];

	number_bytes(bytes, b->bytes);
	number_bytes(packed, b->packed);
	str_grouped(b->lines, lines);
	str_grouped(b->costs, costs);
	emit_name(o, EMIT_TEXT, str_c(b->file));
	out_printf(o, ": %s%s%s, %s lines, %s of costs; median of %u, least .. most\n",
		   b->packed ? packed : "", b->packed ? " packed, " : "", bytes, lines,
		   costs, b->runs);
	out_printf(o, "%-25s %9s %18s %5s %8s %8s %8s   x %s, of shortest%s\n",
		   isa_names()[0], "", "", "GB/s", "Mlines/s", "Mcosts/s", "GB/CPU s",
		   b->way[0].name, b->way[0].cycles ? ", B/cycle" : "");
	for (size_t i = 0; i < b->nway; i++)
		print_row(b, &b->way[i], o);
	print_sum(b, o);
	print_doubts(b, o);
}

static void put_machine(struct out *o)
{
	char name[OS_NAME];
	double load = 0;

	os_processor(name);
	(void)getloadavg(&load, 1);
	out_c(o, ",\"processor\":");
	emit_name(o, EMIT_JSON, str_c(name));
	out_printf(o, ",\"load\":%.2f,\"version\":", load);
	emit_name(o, EMIT_JSON, (struct str){version_text, strcspn(version_text, "\n")});
}

/* Each run is there, so that two machines can be compared by more than medians. */
static void print_json(const struct bench *b, struct out *o)
{
	out_c(o, "{\"file\":");
	emit_name(o, EMIT_JSON, str_c(b->file));
	out_printf(o,
		   ",\"bytes\":%" PRIu64 ",\"packed_bytes\":%" PRIu64
		   ",\"lines\":%" PRIu64 ",\"cost_lines\":%" PRIu64 ",\"isa\":\"%s\"",
		   b->bytes, b->packed, b->lines, b->costs, isa_names()[0]);
	put_machine(o);
	out_c(o, ",\"ways\":[");
	for (size_t i = 0, written = 0; i < b->nway; i++) {
		const struct way *w = &b->way[i];
		const uint64_t mid = w->ns[b->runs / 2];

		if (w->missing)
			continue;
		out_printf(o,
			   "%s{\"way\":\"%s\",\"threads\":%u,\"median_ns\":%" PRIu64
			   ",\"cpu_ns\":%" PRIu64 ",\"bytes_per_s\":%.0f,"
			   "\"lines_per_s\":%.0f,\"cost_lines_per_s\":%.0f,\"cycles\":",
			   written++ ? "," : "", w->name, w->jobs ? w->jobs : 1, mid,
			   w->cpu[b->runs / 2], rate(b->bytes, mid), rate(b->lines, mid),
			   rate(b->costs, mid));
		if (w->cycles)
			out_printf(o, "%" PRIu64 ",\"bytes_per_cycle\":%.3f", w->cycles,
				   (double)b->bytes / (double)w->cycles);
		else
			out_c(o, "null,\"bytes_per_cycle\":null");
		if (w->sums)
			out_printf(o, ",\"cost_sum\":%" PRId64, w->sum);
		out_c(o, ",\"ns\":[");
		for (unsigned r = 0; r < b->runs; r++)
			out_printf(o, "%s%" PRIu64, r ? "," : "", w->ns[r]);
		out_c(o, "],\"ns_in_order\":[");
		for (unsigned r = 0; r < b->runs; r++)
			out_printf(o, "%s%" PRIu64, r ? "," : "", w->order[r]);
		out_c(o, "]}");
	}
	out_c(o, "]}\n");
}

static int print(const struct bench *b, int fd)
{
	struct out o;
	int failed;

	out_fd(&o, fd);
	if (b->opts->json)
		print_json(b, &o);
	else
		print_table(b, &o);
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

	b.cycles = os_cycles();
	b.runs = opts->runs < 1 ? 1 : opts->runs > RUNS ? RUNS : opts->runs;
	add_ways(&b);
	/* Run once unmeasured, so that the file is in memory. */
	if (!err->kind)
		run_way(&b, &b.way[b.nway - 1], 0);
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
	if (b.cycles >= 0)
		close(b.cycles);
	return err->kind;
}
