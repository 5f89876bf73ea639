/*
 * fuzzing.h - what the fuzz targets of tests/fuzz/ share.
 *
 * A target is one source that defines LLVMFuzzerTestOneInput().  libFuzzer (scons fuzz),
 * AFL++ (scons fuzz VARIANT=afl) and tests/fuzz/replay.c, which is plain C and runs the inputs
 * of tests/corpus/TARGET in every variant, call it.  What an input is made into depends
 * on its bytes alone, so that one that failed fails again.
 */
#ifndef QUERN_TESTS_FUZZING_H
#define QUERN_TESTS_FUZZING_H

#include <stddef.h>
#include <stdint.h>

#include "engine/lang/format.h"

struct out;
struct session;
struct store;

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
/* Called instead of libFuzzer's own mutations, which it may use (NULL elsewhere). */
size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t max, unsigned seed);
__attribute__((weak)) size_t LLVMFuzzerMutate(uint8_t *data, size_t size, size_t max);

/* The bytes of an input that are left. */
struct fuzz_bytes {
	const uint8_t *p;
	size_t n;
};
/* Take so many of them, 8 at most, as a number; missing ones are 0. */
uint64_t fuzz_take(struct fuzz_bytes *b, size_t bytes);

/* Say what is wrong and abort. */
__attribute__((format(printf, 1, 2), noreturn)) void fuzz_fail(const char *fmt, ...);
/* In fuzzing builds, fail when the work between the two took more than a few seconds of
 * processor time; the clock on the wall also counts what others do. */
void fuzz_begin(void);
void fuzz_end(void);

/* A directory of our own, in memory where there is one; also TMPDIR from now on. */
const char *fuzz_directory(void);

/* A session of one profile, "base", with limits that keep a run short; the store is borrowed. */
struct session *fuzz_session(struct store *st);
/* Ask; every answer is also rendered in the format (FORMAT_NONE: not) and appended to *to, when
 * that is not NULL.  Any error has a text, and one of the query a place inside it.  Returns its
 * kind. */
int fuzz_ask(struct session *s, struct str query, enum format format, struct out *to);
/* A profile of tests/fixtures/small. */
struct fuzz_profile {
	const char *name;
	struct store *st; /* indexed when it is first asked, and kept */
};
/* Ask a text of queries in a session of its own, where "other" is another profile; explain it,
 * and complete a word at its end.  Returns what fuzz_ask() does. */
int fuzz_text(struct fuzz_profile *p, struct str text, enum format format);
/* The arena_bytes (engine/query.h) with which the last question that ran out of memory would
 * have got one step further; 0: it was not the arena. */
size_t fuzz_wanted(void);
size_t fuzz_used(void); /* bytes of the arena of the last question */
/* Questions that reach every source, stage and column: ask number i, modulo their count. */
const char *fuzz_question(unsigned i);

#endif
