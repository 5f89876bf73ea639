/*
 * forging_test.c - forged indexes (tests/support/forger.h), each asked in a process of its own, so that
 * a signal or a hang is seen.
 *
 *	forging_test [EVERY]		some hundred, or a part of those, 1 / EVERY, as TAP
 *	forging_test SEED FROM N	tries FROM .. FROM+N-1; one line per failure, then "done"
 *	forging_test script SEED I	the script of a try, for tests/corpus/forged
 */
#include <signal.h>
#include <stdlib.h>
#include <sys/wait.h>

#include "tests/support/forger.h"
#include "tests/support/tap.h"

enum { HUNG = 20, COMMIT = 400 };

static void make_script(uint64_t seed, uint64_t i, uint8_t script[FORGER_SCRIPT])
{
	uint64_t state = (seed * 0x9e3779b97f4a7c15 + i * 0xbf58476d1ce4e5b9) | 1;

	for (int k = -8; k < FORGER_SCRIPT; k++) {
		state ^= state << 13;
		state ^= state >> 7;
		state ^= state << 17;
		if (k >= 0)
			script[k] = (uint8_t)(state >> 32);
	}
}

/* NULL, or what went wrong. */
static const char *try_one(uint64_t seed, uint64_t i)
{
	static char what[100];
	uint8_t script[FORGER_SCRIPT];
	pid_t child;
	int status;

	make_script(seed, i, script);
	fflush(stdout);
	child = fork();
	if (child == 0) {
		end_after(HUNG);
		forger_run(script, sizeof(script));
		_exit(0);
	}
	if (child < 0 || waitpid(child, &status, 0) != child)
		abort();
	if (WIFEXITED(status) && WEXITSTATUS(status) == 0)
		return NULL;
	snprintf(what, sizeof(what), "try %" PRIu64 ": %s %d", i,
		 WIFSIGNALED(status) ? "signal" : "status",
		 WIFSIGNALED(status) ? WTERMSIG(status) : WEXITSTATUS(status));
	return what;
}

static uint64_t number(const char *text)
{
	return strtoull(text, NULL, 10);
}

static int torture(uint64_t seed, uint64_t from, uint64_t n)
{
	for (uint64_t i = from; i < from + n; i++) {
		const char *what = try_one(seed, i);

		if (what)
			puts(what);
	}
	puts("done");
	return 0;
}

int main(int argc, char **argv)
{
	unsigned every = argc == 2 ? (unsigned)atoi(argv[1]) : 1, bad = 0;
	uint8_t script[FORGER_SCRIPT];

	if (every == 0 || argc > 4) {
		fprintf(stderr, "usage: forging_test [EVERY]\n");
		return 2;
	}
	if (argc == 4 && strcmp(argv[1], "script") == 0) {
		make_script(number(argv[2]), number(argv[3]), script);
		fwrite(script, 1, sizeof(script), stdout);
		return 0;
	}
	forger_begin();
	if (argc == 4)
		return torture(number(argv[1]), number(argv[2]), number(argv[3]));
	for (unsigned i = 0; i < COMMIT / every; i++) {
		const char *what = try_one(tap_seed(1), i);

		bad += what != NULL;
		if (what && bad < 6)
			fprintf(stderr, "# %s\n", what);
	}
	is_u64(bad, 0, "%u forged indexes are asked, verified and added to",
	       COMMIT / every);
	return done_testing();
}
