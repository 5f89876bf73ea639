/*
 * tap.h - the whole test library: TAP on stdout, read by prove; why a check failed on
 * stderr, which prove shows.
 *
 *	for (size_t i = 0; i < COUNT(cases); i++)
 *		is_u64(f(cases[i].in), cases[i].want, "%s", cases[i].name);
 *	return done_testing();
 *
 * No plan is needed; a program that dies before done_testing() has none and so fails.
 * The checks return whether they passed.  One program, one thread.
 */
#ifndef QUERN_TAP_H
#define QUERN_TAP_H

#include <errno.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/time.h>
#include <unistd.h>

#include "index/base/count.h"

#define TAP_PRINTF(fmt, rest) __attribute__((format(printf, fmt, rest)))

static unsigned tap_run, tap_failed;

TAP_PRINTF(2, 0)
static inline bool tap_line(bool pass, const char *fmt, va_list ap)
{
	va_list again;

	va_copy(again, ap);
	printf("%sok %u - ", pass ? "" : "not ", ++tap_run);
	vprintf(fmt, ap);
	putchar('\n');
	fflush(stdout);
	if (!pass) {
		tap_failed++;
		fprintf(stderr, "# %s: not ok %u - ", program_invocation_short_name,
			tap_run);
		vfprintf(stderr, fmt, again);
		fputc('\n', stderr);
	}
	va_end(again);
	return pass;
}

#define TAP_CHECK(pass)            \
	va_list ap;                \
	bool passed = (pass);      \
	va_start(ap, fmt);         \
	tap_line(passed, fmt, ap); \
	va_end(ap)

TAP_PRINTF(2, 3)
static inline bool ok(bool cond, const char *fmt, ...)
{
	TAP_CHECK(cond);
	return passed;
}

TAP_PRINTF(3, 4)
static inline bool is_u64(uint64_t got, uint64_t want, const char *fmt, ...)
{
	TAP_CHECK(got == want);
	if (!passed)
		fprintf(stderr, "#      got %" PRIu64 "\n#     want %" PRIu64 "\n", got,
			want);
	return passed;
}

/* NULL is a value of its own: it equals only NULL. */
TAP_PRINTF(3, 4)
static inline bool is_str(const char *got, const char *want, const char *fmt, ...)
{
	TAP_CHECK(got && want ? strcmp(got, want) == 0 : got == want);
	if (!passed)
		fprintf(stderr, "#      got \"%s\"\n#     want \"%s\"\n",
			got ? got : "(NULL)", want ? want : "(NULL)");
	return passed;
}

/* One skipped check; why names what is missing. */
static inline void skip(const char *why)
{
	FILE *f = getenv("QUERN_SKIPPED") ? fopen(getenv("QUERN_SKIPPED"), "a") : NULL;

	if (f) {
		fprintf(f, "%s: %s\n", program_invocation_short_name, why);
		fclose(f);
	}
	printf("ok %u # SKIP %s\n", ++tap_run, why);
}

/* Where inputs by chance begin: SEED= of the environment, or the usual number. */
static inline uint64_t tap_seed(uint64_t usual)
{
	const char *seed = getenv("SEED");

	return seed && *seed ? strtoull(seed, NULL, 0) : usual;
}

static inline int done_testing(void)
{
	const char *seed = getenv("SEED");

	printf("1..%u\n", tap_run);
	if (tap_failed)
		fprintf(stderr, "# %s: %u of %u failed, SEED %s\n",
			program_invocation_short_name, tap_failed, tap_run,
			seed && *seed ? seed : "is the usual one");
	return tap_failed || tap_run == 0;
}

/*
 * For a child that may hang: end it after so many seconds of its own, for the machine may
 * stand still meanwhile; or later, when it waits for ever.  0: let it be.
 */
static inline void end_after(unsigned seconds)
{
	const struct itimerval own = {.it_value = {.tv_sec = seconds}};

	setitimer(ITIMER_PROF, &own, NULL);
	alarm(30 * seconds);
}

#endif
