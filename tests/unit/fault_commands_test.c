/*
 * fault_commands_test.c - every place of a dot-command that allocates, refused once, and from
 * there on.
 *
 * What comes out is the right answer or an error in words.  fault_asking_test.c does it to
 * queries.
 */
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "index/base/err.h"
#include "index/base/out.h"
#include "repl/app/app.h"
#include "repl/app/options.h"
#include "repl/prompt/script.h"
#include "tests/support/faults.h"
#include "tests/support/fuzzing.h"
#include "tests/support/tap.h"

static uint64_t hash[FAULTS_ROOM];
static unsigned long calls;

/* The answer of a script; not 0: it failed, or a note says what memory was not there for.
 * Without a fault stacks are kept. */
static int ask(const char *script, const char *fault, struct out *answer)
{
	static const struct options opts = {
		.no_init = true, .keep_going = true, .colour = COLOUR_NEVER};
	const char *profile[] = {faults_path("p")};
	const int fd = memfd_create("answer", MFD_CLOEXEC), saved = dup(STDOUT_FILENO);
	struct app app = {.output.fd = -1};
	struct err err = {0};
	struct out said;
	char piece[4096];
	ssize_t n;
	int kind;

	fflush(stdout);
	dup2(fd, STDOUT_FILENO);
	out_mem(answer);
	out_mem(&said);
	talk_to(&said);
	if (app_init(&app, &opts, &err) || app_open(&app, "p", profile, 1))
		fuzz_fail("p is not opened: %s", err.text);
	faults_arm(fault);
	if (!fault)
		faults_record('m', hash, FAULTS_ROOM);
	kind = script_run(&app, str_c(script), (struct origin){.line = 1});
	kind = kind ? kind
		    : app.failures || str_find_str(out_text(&said),
						   STR("out of memory")) < said.n;
	if (!fault)
		calls = faults_record('m', NULL, 0);
	faults_arm(NULL);
	app_free(&app);
	talk_to(NULL);
	dup2(saved, STDOUT_FILENO);
	close(saved);
	for (off_t at = 0; (n = pread(fd, piece, sizeof(piece), at)) > 0; at += n)
		out_bytes(answer, piece, (size_t)n);
	close(fd);
	out_close(&said);
	return kind;
}

/* With `on`, all that follow are refused, too. */
static bool holds(const char *script, unsigned long k, const char *on,
		  const struct out *right)
{
	struct out answer;
	char fault[40];
	bool well;

	snprintf(fault, sizeof(fault), "mem:%lu%s:12", k, on);
	well = ask(script, fault, &answer) || str_eq(out_text(&answer), out_text(right));
	if (!well)
		ok(false, "%s: %s: another answer\n%.*s", script, fault,
		   STR_ARG(out_text(&answer)));
	out_close(&answer);
	return well;
}

static void refuse_each(const char *script)
{
	struct out right;
	unsigned long *k;
	bool well = true;
	size_t n;
	int kind;

	kind = ask(script, NULL, &right);
	k = faults_stacks(hash, calls, true, &n);
	is_u64((uint64_t)kind, 0, "%s", script);
	for (size_t i = 0; i < n; i++)
		well = holds(script, k[i], "", &right) &&
		       holds(script, k[i], "+", &right) && well;
	ok(well && n, "  %zu allocations, each refused", n);
	free(k);
	out_close(&right);
}

int main(int argc, char **argv)
{
	static const char *const scripts[] = {
		".help",	  ".help .open", ".help columns callers",
		".overview",	  ".profiles",	 ".event",
		".explain top 5", ".mode",	 ".queries",
		".filters",	  ".sets",	 ".push hide main\n.filters\n.pop",
	};

	if (!faults_begin(argv)) {
		skip("no fault.so in this variant");
		return done_testing();
	}
	faults_fixture(0);
	for (size_t i = 0; i < sizeof(scripts) / sizeof(scripts[0]); i++)
		if (argc < 2 || strstr(scripts[i], argv[1]))
			refuse_each(scripts[i]);
	faults_end();
	return done_testing();
}
