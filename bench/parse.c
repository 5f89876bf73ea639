/* parse.c - parse throughput of profiles, every way: bench/parse --help. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "index/base/err_struct.h"
#include "index/base/err_kind.h"
#include "index/lines/decode.h"
#include "repl/bench_parse.h"
#include "repl/term/talk.h"

static const char help[] = "usage: parse [OPTION]... FILE...\n"
			   "  --runs N    of each way; the median is shown (5)\n"
			   "  --jobs N    threads of the parallel way (one per core)\n"
			   "  --no-paths  not the narrower instruction sets\n"
			   "  --stages    the first step alone too: lines decoded\n"
			   "  --json      each run of each way, in ns\n";

/* Decode the lines of all text, and use nothing of it. */
static void decode_only(const char *p, size_t n)
{
	static struct decode d;
	static struct batch batch;

	decode_init(&d);
	for (size_t at = 0; at < n; at += batch.bytes)
		decode_block(&d, p + at, n - at, true, &batch);
}

static int read_options(struct bench_parse_opts *o, int argc, char **argv)
{
	int i;

	for (i = 1; i < argc && argv[i][0] == '-'; i++) {
		if (strcmp(argv[i], "--runs") == 0 && i + 1 < argc)
			o->runs = (unsigned)strtoul(argv[++i], NULL, 10);
		else if (strcmp(argv[i], "--jobs") == 0 && i + 1 < argc)
			o->jobs = (unsigned)strtoul(argv[++i], NULL, 10);
		else if (strcmp(argv[i], "--no-paths") == 0)
			o->paths = false;
		else if (strcmp(argv[i], "--stages") == 0)
			o->stage = decode_only;
		else if (strcmp(argv[i], "--json") == 0)
			o->json = true;
		else
			return 0;
	}
	return i < argc ? i : 0;
}

int main(int argc, char **argv)
{
	struct bench_parse_opts o = {
		.runs = 5, .paths = true, .stage_name = "decode, keep nothing"};
	int i = read_options(&o, argc, argv);

	if (i == 0) {
		fputs(help, stderr);
		return 2;
	}
	for (; i < argc; i++) {
		struct err err = {0};

		if (bench_parse(argv[i], &o, STDOUT_FILENO, &err)) {
			talk_failure(&err, argv[i], false);
			return err_exit_status(err.kind);
		}
	}
	return 0;
}
