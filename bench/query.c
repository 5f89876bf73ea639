/*
 * query.c - how long queries take inside the program: bench/query --help.
 *
 * The profile is opened (and indexed, when it is not) unmeasured.  A query is text to
 * result, as at the prompt but for rendering; its first run is shown apart, because the
 * index is not in memory then or its blocks have not been checked.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "engine/lang/result.h"
#include "engine/query.h"
#include "index/base/arena.h"
#include "index/base/err_struct.h"
#include "index/base/err_kind.h"
#include "index/base/order.h"
#include "index/build.h"
#include "repl/term/talk.h"

static const char help[] =
	"usage: query [OPTION]... PROFILE QUERY...\n"
	"  --index PATH  of the profile (beside it)\n"
	"  --base FILE   a second profile, named base\n"
	"  --runs N      of each query, behind the first (5)\n"
	"  --cpu         processor time, not wall time\n"
	"  --tsv         query, rows, first, median, least and most ns\n";

struct run {
	const char *index, *base;
	unsigned runs;
	bool tsv, cpu;
	struct arena arena;
	struct session *session;
	uint64_t rows;
	uint64_t *ns;
};

static uint64_t now_ns(const struct run *run)
{
	struct timespec t;

	clock_gettime(run->cpu ? CLOCK_PROCESS_CPUTIME_ID : CLOCK_MONOTONIC, &t);
	return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
}

static int count_rows(void *arg, const struct result *r, struct err *err)
{
	struct run *run = arg;

	(void)err;
	run->rows += r->rows;
	return 0;
}

static int once(struct run *run, struct str text, uint64_t *ns, struct err *err)
{
	uint64_t start = now_ns(run);
	int rc;

	run->rows = 0;
	rc = query_run(run->session, text, &run->arena, count_rows, run, err);
	arena_reset(&run->arena);
	*ns = now_ns(run) - start;
	return rc;
}

static int measure(struct run *run, const char *text, struct err *err)
{
	uint64_t first;

	if (once(run, str_c(text), &first, err))
		return err->kind;
	for (unsigned i = 0; i < run->runs; i++)
		if (once(run, str_c(text), &run->ns[i], err))
			return err->kind;
	qsort(run->ns, run->runs, sizeof(*run->ns), compare_u64);
	if (run->tsv)
		printf("%s\t%" PRIu64 "\t%" PRIu64 "\t%" PRIu64 "\t%" PRIu64 "\t%" PRIu64
		       "\n",
		       text, run->rows, first, run->ns[run->runs / 2], run->ns[0],
		       run->ns[run->runs - 1]);
	else
		printf("%10.3f ms  (%.3f .. %.3f, first %.3f)  %" PRIu64 " rows  %s\n",
		       (double)run->ns[run->runs / 2] / 1e6, (double)run->ns[0] / 1e6,
		       (double)run->ns[run->runs - 1] / 1e6, (double)first / 1e6,
		       run->rows, text);
	return 0;
}

static int read_options(struct run *run, int argc, char **argv)
{
	int i;

	for (i = 1; i < argc && argv[i][0] == '-'; i++) {
		if (strcmp(argv[i], "--index") == 0 && i + 1 < argc)
			run->index = argv[++i];
		else if (strcmp(argv[i], "--base") == 0 && i + 1 < argc)
			run->base = argv[++i];
		else if (strcmp(argv[i], "--runs") == 0 && i + 1 < argc)
			run->runs = (unsigned)strtoul(argv[++i], NULL, 10);
		else if (strcmp(argv[i], "--cpu") == 0)
			run->cpu = true;
		else if (strcmp(argv[i], "--tsv") == 0)
			run->tsv = true;
		else
			return 0;
	}
	return i + 1 < argc && run->runs > 0 && run->runs < 100000 ? i : 0;
}

static int measure_all(struct run *run, const char *profile, char **query,
		       struct err *err)
{
	const struct build_opts opts = {.index_path = run->index};
	const struct session_limits limits = {.arena_bytes = (uint64_t)1 << 30};
	struct build_report report;
	struct store *st = NULL, *base = NULL;

	if (build_open(profile, &opts, &st, &report, err))
		return err->kind;
	if (run->base &&
	    build_open(run->base, &(struct build_opts){0}, &base, &report, err))
		goto out;
	arena_init(&run->arena, (size_t)1 << 30);
	if (!session_new(&run->session, err) &&
	    !session_add(run->session, STR("bench"), st, err) &&
	    !(base && session_add(run->session, STR("base"), base, err))) {
		session_set_limits(run->session, &limits);
		for (; *query && !err->kind; query++)
			measure(run, *query, err);
	}
	session_free(run->session);
	arena_free(&run->arena);
out:
	store_close(base);
	store_close(st);
	return err->kind;
}

int main(int argc, char **argv)
{
	struct run run = {.runs = 5};
	struct err err = {0};
	int i = read_options(&run, argc, argv);

	if (i == 0) {
		fputs(help, stderr);
		return 2;
	}
	run.ns = calloc(run.runs, sizeof(*run.ns));
	if (!run.ns || measure_all(&run, argv[i], argv + i + 1, &err))
		talk_failure(&err, argv[i], false);
	free(run.ns);
	return err_exit_status(err.kind);
}
