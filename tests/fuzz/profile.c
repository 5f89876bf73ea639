/*
 * profile.c - fuzz the profile format: any bytes as a profile.
 *
 * They are refused or indexed, by 1 to 8 threads in stretches of any length from 64 bytes, of
 * which some give away what they have not read yet, and then the index says what the naive reader
 * (tests/support/naive.h) has understood.  A few questions follow, each shown in some format.
 *
 * Two of three mutations work on lines (mutate_lines.h), the others are libFuzzer's own.
 */
#include <string.h>

#include "engine/query.h"
#include "index/base/hash.h"
#include "tests/support/fuzzing.h"
#include "tests/support/mutate_lines.h"
#include "tests/support/naive.h"

enum { LONGEST = 64 << 10, TIMES = 4, ROOM = 600 };

/* ---- one input ---- */

struct asking {
	uint64_t pick;
};

static void ask(void *arg, struct store *st)
{
	const struct asking *a = arg;
	struct session *s = fuzz_session(st);
	uint64_t pick = a->pick;

	if (!s)
		fuzz_fail("no session with a sound index");
	for (int i = 0; i < 3; i++, pick >>= 16)
		fuzz_ask(s, str_c(fuzz_question((unsigned)(pick & 0xff))),
			 (enum format)(FORMAT_TABLE + (pick >> 8) % (FORMAT_END - 1)),
			 NULL);
	session_free(s);
}

/* Profiles repeat themselves, part after part, and are read in another way where they do
 * (index/fast/replay.h): some inputs are a text several times over.  Behind some there is room for
 * the loops that stop some bytes before the end. */
static struct str repeated(struct str text, size_t times, bool room)
{
	static char copy[TIMES * LONGEST + ROOM];
	size_t n = 0;

	for (; times; times--, n += text.n)
		memcpy(copy + n, text.p, text.n);
	if (room) {
		memset(copy + n, '#', ROOM);
		copy[n] = '\n';
		n += ROOM;
	}
	return (struct str){copy, n};
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct str text = {(const char *)data, size};
	uint64_t pick = str_hash(text);
	struct asking asking = {pick >> 16};
	struct naive_way way = {.jobs = 1 + pick % 8, .then = ask, .arg = &asking};
	char why[1400];

	if (size > LONGEST)
		return 0;
	if (pick >> 8 & 3)
		way.stretch = 64 + (size_t)(pick >> 10) % (size + 64);
	if (way.stretch && pick >> 9 & 1)
		way.give = 1 + (size_t)(pick >> 20) % 4096;
	if (!way.stretch)
		way.jobs = 1;
	if (size)
		text = repeated(text,
				(pick >> 52) % 3 ? 1 : 2 + (pick >> 56) % (TIMES - 1),
				pick >> 51 & 1);
	if ((pick >> 58) % 8 == 0)
		way.members = 1 + (pick >> 61) % 3;
	fuzz_begin();
	if (!naive_agree_by(text.p, text.n, &way, why, sizeof(why)))
		fuzz_fail("%u threads, stretches of %zu bytes, %zu given: %s", way.jobs,
			  way.stretch, way.give, why);
	fuzz_end();
	return 0;
}

size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t max, unsigned seed)
{
	if (LLVMFuzzerMutate && (size == 0 || hash_mix(seed) % 3 == 0))
		return LLVMFuzzerMutate(data, size, max);
	return mutate_lines(data, size, max, seed);
}
