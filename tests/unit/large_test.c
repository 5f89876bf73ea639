/*
 * large_test.c - whole large files against the simple reader (tests/support/naive.h).
 *
 *	large_test [FILE...]
 *
 * Without one, those of ../shared/profiles/big that the simple reader can hold, where they are there:
 * what comes again in a thousand parts is taken in ways that no small file reaches.  More parts
 * reach no line of index/ that no other test reaches, so the first quarter is enough;
 * QUERN_TORTURE=1: all.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "engine/query.h"
#include "index/base/err_struct.h"
#include "index/file/unpack.h"
#include "tests/support/fuzzing.h"
#include "tests/support/naive.h"
#include "tests/support/tap.h"

enum { MOST = 200 << 20 }; /* bytes of a file's text */

/* The whole file, malloc'd; NULL: it is not there. */
static char *read_file(const char *path, size_t *n)
{
	FILE *f = fopen(path, "rb");
	char *p = NULL;
	long size;

	if (!f && errno == ENOENT)
		return NULL;
	if (!f || fseek(f, 0, SEEK_END) || (size = ftell(f)) < 0)
		fuzz_fail("cannot read %s", path);
	rewind(f);
	*n = (size_t)size;
	p = malloc(*n + 1);
	if (!p || fread(p, 1, *n, f) != *n || fclose(f))
		fuzz_fail("cannot read %s", path);
	return p;
}

/* Its text, unpacked when it is packed; NULL: that is too large. */
static char *text_of(char *file, size_t *n)
{
	const struct codec *codec = unpack_recognise(file, *n);
	struct unpack_io io = {.in = file, .nin = *n, .nout = MOST};
	struct unpack *u = NULL;
	struct err err = {0};
	char *text;

	if (!codec && *n <= MOST)
		return file;
	io.out = text = malloc(MOST);
	/* A text is handed through as it is. */
	if (!text || unpack_open(&u, codec, MOST, &err) || unpack_step(u, &io, &err))
		fuzz_fail("cannot unpack a file: %s", err.text);
	unpack_close(u);
	free(file);
	*n = MOST - io.nout;
	if (io.nout)
		return text;
	free(text);
	return NULL;
}

/* The bytes before the first part that begins behind a quarter of the text; all if none does. */
static size_t quarter(const char *text, size_t n)
{
	const char *part = memmem(text + n / 4, n - n / 4, "\npart:", 6);

	return part ? (size_t)(part - text) + 1 : n;
}

static void compare(const char *path, bool cut)
{
	size_t n = 0;
	char *text = read_file(path, &n), why[1400];
	struct naive r;

	if (!text) {
		snprintf(why, sizeof(why), "%s is not there", path);
		skip(why);
		return;
	}
	text = text_of(text, &n);
	if (!text) {
		snprintf(why, sizeof(why), "%s: too large for the simple reader", path);
		skip(why);
		return;
	}
	if (cut && !getenv("QUERN_TORTURE"))
		n = quarter(text, n);
	naive_read(&r, text, n);
	*why = '\0';
	ok(naive_agrees(&r, text, n, &(struct naive_way){.jobs = 2}, why, sizeof(why)),
	   "%s: %s", path, why);
	naive_free(&r);
	free(text);
}

int main(int argc, char **argv)
{
	static const char *const files[] = {
		"../shared/profiles/big/cc1-instr.out.zst",
		"../shared/profiles/big/multipart-160m.out.zst",
	};

	for (int i = 1; i < argc; i++)
		compare(argv[i], false);
	for (size_t i = 0; argc < 2 && i < COUNT(files); i++)
		compare(files[i], true);
	return done_testing();
}
