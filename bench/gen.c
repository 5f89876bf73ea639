/*
 * gen.c - write a Callgrind-format profile of a given shape: bench/gen --help.
 *
 * The same options give the same bytes.  gen.h says what else is where.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "bench/gen.h"
#include "repl/app/options.h"

_Noreturn void die(const char *what, const char *why)
{
	fprintf(stderr, "gen: %s: %s\n", what, why);
	exit(1);
}

static const char help[] =
	"usage: gen [OPTION]... > FILE\n"
	"  --bytes SIZE       about so large: 256M, 4.5G (16M)\n"
	"  --functions N      each with a name of its own (10000)\n"
	"  --edges N          calls per function, to as many others (4)\n"
	"  --parts N          as the size asks, some 24 lines per function and part\n"
	"  --events N         1 to 64 (1; xdebug 2)\n"
	"  --positions WHICH  line, or \"instr line\" (line)\n"
	"  --jumps            jumps too\n"
	"  --name-bytes N     length of a function's name (as it comes)\n"
	"  --files N          source files (a fortieth of the functions)\n"
	"  --names WHICH      ids, or full: written out each time (ids)\n"
	"  --ends WHICH       lf, or crlf (lf)\n"
	"  --style STYLE      callgrind, or xdebug: a block per activation (callgrind)\n"
	"  --seed N           another profile of the same shape (1)\n"
	"  -o FILE            instead of standard output\n";

static _Noreturn void usage(const char *what, const char *value)
{
	fprintf(stderr, "gen: %s '%s'; gen --help\n", what, value);
	exit(2);
}

static uint64_t number(const char *name, const char *value, uint64_t least, uint64_t most)
{
	uint64_t v;

	if (!options_size(value, 1024, &v) || v < least || v > most)
		usage(name, value);
	return v;
}

static void is_default(const char *name, const char *value)
{
	static const char *const usual[][2] = {{"--positions", "line"},
					       {"--style", "callgrind"},
					       {"--names", "ids"},
					       {"--ends", "lf"}};

	for (size_t i = 0; i < sizeof(usual) / sizeof(usual[0]); i++)
		if (strcmp(name, usual[i][0]) == 0 && strcmp(value, usual[i][1]) == 0)
			return;
	usage(name, value);
}

static void set(struct shape *s, const char *name, const char *value)
{
	const struct {
		const char *name;
		uint64_t *to, least, most;
	} numbers[] = {
		{"--bytes", &s->bytes, 1, (uint64_t)1 << 44},
		{"--size", &s->bytes, 1, (uint64_t)1 << 44},
		{"--functions", &s->functions, 2, 100000000},
		{"--edges", &s->edges, 1, 60},
		{"--edges-per-function", &s->edges, 1, 60},
		{"--parts", &s->parts, 1, 100000000},
		{"--events", &s->events, 1, EVENTS},
		{"--name-bytes", &s->name_bytes, 0, 1 << 16},
		{"--files", &s->files, 1, 100000000},
		{"--seed", &s->seed, 0, UINT64_MAX},
	};

	for (size_t i = 0; i < sizeof(numbers) / sizeof(numbers[0]); i++)
		if (strcmp(name, numbers[i].name) == 0) {
			*numbers[i].to =
				number(name, value, numbers[i].least, numbers[i].most);
			return;
		}
	if (strcmp(name, "--positions") == 0 && strcmp(value, "instr line") == 0)
		s->instr = true;
	else if (strcmp(name, "--style") == 0 && strcmp(value, "xdebug") == 0)
		s->xdebug = true;
	else if (strcmp(name, "--names") == 0 && strcmp(value, "full") == 0)
		s->full = true;
	else if (strcmp(name, "--ends") == 0 && strcmp(value, "crlf") == 0)
		s->crlf = true;
	else if (strcmp(name, "-o") == 0)
		s->path = value;
	else
		is_default(name, value);
}

static void read_options(struct shape *s, int argc, char **argv)
{
	*s = (struct shape){.bytes = 16 << 20, .functions = 10000, .edges = 4, .seed = 1};
	for (int i = 1; i < argc; i++) {
		if (strcmp(argv[i], "--help") == 0) {
			fputs(help, stdout);
			exit(0);
		}
		if (strcmp(argv[i], "--jumps") == 0)
			s->jumps = true;
		else if (i + 1 < argc)
			set(s, argv[i], argv[i + 1]), i++;
		else
			usage("what is", argv[i]);
	}
	if (s->events == 0)
		s->events = s->xdebug ? 2 : 1;
	if (s->files == 0)
		s->files = s->functions / 40 + 1;
	s->files = min(s->files, s->functions);
}

static void *array(uint64_t n, size_t size)
{
	void *p = calloc(n + 1, size);

	if (!p)
		die("functions", "out of memory");
	return p;
}

int main(int argc, char **argv)
{
	struct gen g = {.fd = STDOUT_FILENO};
	uint64_t size;

	read_options(&g.s, argc, argv);
	if (g.s.path)
		g.fd = open(g.s.path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
	if (g.fd < 0)
		die(g.s.path, strerror(errno));
	size = ROOM + LINE_ROOM * 2 + g.s.name_bytes + 4096;
	g.buf = g.p = array(size, 1);
	g.ends = array(size, 2);
	g.fn_named = array(g.s.functions, sizeof(*g.fn_named));
	g.file_named = array(g.s.files, sizeof(*g.file_named));
	g.obj_named = array(g.s.files, sizeof(*g.obj_named));
	g.left = array(g.s.functions * g.s.events, sizeof(*g.left));
	g.callers = array(g.s.functions, sizeof(*g.callers));
	g.callee = array(g.s.functions * g.s.edges, sizeof(*g.callee));
	g.end = g.s.functions;
	make_graph(&g);
	(g.s.xdebug ? put_xdebug : put_callgrind)(&g);
	flush(&g);
	if (g.s.path && close(g.fd))
		die(g.s.path, strerror(errno));
	free(g.buf);
	free(g.ends);
	free(g.fn_named);
	free(g.file_named);
	free(g.obj_named);
	free(g.left);
	free(g.callers);
	free(g.callee);
	free(g.made);
	free(g.made_cost);
	return 0;
}
