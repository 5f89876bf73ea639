/*
 * library.c - fuzz sequences of calls of quern.h, as any program may make them: open, add, ask,
 * load, read, close and free in any order, with NULL, with options of any size, while files
 * change.  Every value of a row that was loaded is read.
 */
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "engine/api/quern.h"
#include "engine/query.h"
#include "tests/support/fuzzing.h"

enum { SLOTS = 3, CALLS_MOST = 64, ROWS_MOST = 64 };

struct state {
	struct fuzz_bytes in;
	quern_profile *profile[SLOTS];
	quern_answer *answer[SLOTS];
	quern_error err;
	uint64_t sum; /* of what was read, so that it is */
};

static const char *const names[] = {"a.out", "b.out",	    "fifo", "none.out", ".",
				    "*.out", "a.out.quern", "",	    "-",	NULL};
enum { NAMES = sizeof(names) / sizeof(names[0]) };

static void write_profile(const char *name, unsigned n)
{
	char path[4200], text[2000];
	int fd, used = snprintf(text, sizeof(text), "events: Ir Dr\nfl=a.c\n");

	for (unsigned i = 0; i < n % 16 + 1; i++)
		used += snprintf(text + used, sizeof(text) - (size_t)used,
				 "fn=f%u\n%u %u 1\ncfn=f%u\ncalls=1 1\n2 5 5\n", i, i + 1,
				 n + i, (i + 1) % 16);
	snprintf(path, sizeof(path), "%s/%s", fuzz_directory(), name);
	fd = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
	if (fd < 0 || write(fd, text, (size_t)used) != used)
		fuzz_fail("cannot write %s", path);
	close(fd);
}

static const char *path_of(struct state *s, char path[4200])
{
	const char *name = names[fuzz_take(&s->in, 1) % NAMES];

	if (!name || !*name || strcmp(name, "-") == 0)
		return name;
	snprintf(path, 4200, "%s/%s", fuzz_directory(), name);
	return path;
}

static const quern_options *options_of(struct state *s, quern_options *o)
{
	*o = (quern_options){.size = fuzz_take(&s->in, 1),
			     .flags = (unsigned)fuzz_take(&s->in, 1) & 31,
			     .threads = (unsigned)fuzz_take(&s->in, 1) & 3,
			     .seconds = 5,
			     .rows = fuzz_take(&s->in, 1),
			     .memory = fuzz_take(&s->in, 1) << 14};
	/* Mostly a size that is right. */
	o->size = o->size < 200 ? sizeof(*o) : o->size % 100;
	return o->flags == 31 ? NULL : o;
}

/* A failure has a message, and what does not fail has none. */
static void check(const struct state *s, bool failed)
{
	if (s->err.status != 0 && !s->err.message[0])
		fuzz_fail("an error without a message: %d", s->err.status);
	if (failed && s->err.status == 0)
		fuzz_fail("a failure without an error");
	if (strstr(s->err.hint, "--mem") || strstr(s->err.hint, "--limit"))
		fuzz_fail("a hint names an option: %s", s->err.hint);
}

static void ask(struct state *s, unsigned slot)
{
	const unsigned n = (unsigned)fuzz_take(&s->in, 1);
	char text[64] = {0};
	const char *query = n < 200 ? fuzz_question(n) : text;

	for (size_t i = 0; n >= 200 && i < (n - 200) % sizeof(text); i++)
		text[i] = (char)fuzz_take(&s->in, 1);
	quern_free(s->answer[slot]);
	s->answer[slot] =
		quern_query(s->profile[n % SLOTS], n == 255 ? NULL : query, &s->err);
	check(s, !s->answer[slot]);
}

static void read_column(struct state *s, const quern_answer *a, size_t c, size_t n)
{
	const uint64_t *u = quern_uints(a, c);
	const int64_t *d = quern_ints(a, c);
	const double *f = quern_reals(a, c);
	const quern_text *t = quern_texts(a, c);
	const uint8_t *b = quern_bools(a, c), *absent = quern_absent(a, c),
		      *estimated = quern_estimated(a, c);

	if (n && c < quern_columns(a) && !u + !d + !f + !t + !b != 4)
		fuzz_fail("column %zu has not one type", c);
	for (size_t i = 0; i < n; i++) {
		s->sum += (u ? u[i] : 0) + (d ? (uint64_t)d[i] : 0) + (f ? f[i] > 1 : 0) +
			  (b ? b[i] : 0) + (absent ? absent[i] : 0) +
			  (estimated ? estimated[i] : 0);
		for (size_t k = 0; t && k < t[i].length; k++)
			s->sum += (unsigned char)t[i].bytes[k];
	}
}

static void load(struct state *s, unsigned slot)
{
	quern_answer *a = s->answer[slot];
	const size_t n = quern_load(a, fuzz_take(&s->in, 1), &s->err);

	check(s, false);
	for (size_t c = 0; c < quern_columns(a) + 1; c++) {
		s->sum += quern_column_at(a, c) ? quern_column_at(a, c)->name[0] : 0;
		read_column(s, a, c, n < ROWS_MOST ? n : ROWS_MOST);
	}
	for (size_t i = 0; quern_note(a, i); i++)
		s->sum += strlen(quern_note(a, i));
	if (n > quern_rows(a))
		fuzz_fail("more rows than there are");
}

static void call(struct state *s)
{
	const unsigned what = (unsigned)fuzz_take(&s->in, 1), slot = what / 8 % SLOTS;
	quern_options o;
	char path[4200];
	const char *name;

	switch (what % 8) {
	case 0:
		quern_close(s->profile[slot]);
		name = path_of(s, path);
		s->profile[slot] = quern_open(name, options_of(s, &o), &s->err);
		check(s, !s->profile[slot]);
		break;
	case 1:
		name = path_of(s, path);
		check(s, quern_add(s->profile[slot], what & 64 ? "base" : NULL, name,
				   options_of(s, &o), &s->err) != 0);
		break;
	case 2: write_profile(names[slot % 2], what); break;
	case 3:
		quern_close(s->profile[slot]);
		s->profile[slot] = NULL;
		break;
	case 4: load(s, slot); break;
	default: ask(s, slot);
	}
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct state s = {.in = {data, size}};
	char fifo[4200];

	fuzz_begin();
	snprintf(fifo, sizeof(fifo), "%s/fifo", fuzz_directory());
	mkfifo(fifo, 0600);
	write_profile("a.out", 7);
	write_profile("b.out", 9);
	for (unsigned i = 0; i < CALLS_MOST && s.in.n; i++)
		call(&s);
	for (unsigned i = 0; i < SLOTS; i++) {
		quern_close(s.profile[i]);
		quern_free(s.answer[i]);
	}
	fuzz_end();
	return 0;
}
