/*
 * inlines.c - fuzz the file of inlined calls (inlines_file.h): any bytes after a sound head, so
 * that they are read.  Whatever they are, the answer is objects or none, and the code of each
 * is sound or refused.
 */
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "engine/inline/inline_code.h"
#include "engine/inline/inlines_file.h"
#include "engine/query.h"
#include "index/base/varint.h"
#include "tests/support/fuzzing.h"

static const char magic[] = "quern inlines 3\n";
enum { LIMIT = 64 << 20 };

static void write_file(const char *path, const uint8_t *data, size_t size)
{
	const uint64_t sum = str_hash((struct str){(const char *)data, size});
	const int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);

	if (fd < 0 || write(fd, magic, sizeof(magic) - 1) < 0 ||
	    write(fd, &sum, sizeof(sum)) < 0 || write(fd, data, size) < 0)
		fuzz_fail("cannot write %s", path);
	close(fd);
}

static void check_code(struct str bytes)
{
	const unsigned char *p = (const unsigned char *)bytes.p;
	struct varint_reader in = {p, p + bytes.n, false};
	struct inline_code code;
	struct arena a;

	arena_init(&a, LIMIT);
	if (!inline_code_get(&code, &in, &a) && !in.bad) {
		for (size_t i = 0; i < code.frames; i++)
			if (code.frame[i].name >= code.texts ||
			    code.frame[i].file >= code.texts || code.frame[i].outer > i)
				fuzz_fail("frame %zu names what is not there", i);
		for (size_t i = 1; i < code.n; i++)
			if (code.at[i].address <= code.at[i - 1].address)
				fuzz_fail("address %zu is not in order", i);
	}
	arena_free(&a);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct varint_reader in = {data, data + size, false};
	struct kept_object *o;
	struct arena a;
	char path[4200];
	size_t n = 0;

	fuzz_begin();
	snprintf(path, sizeof(path), "%s/fuzz.inlines", fuzz_directory());
	write_file(path, data, size);
	arena_init(&a, LIMIT);
	o = inlines_file_read(path, true, varint_get(&in), &a, &n);
	if (!o && n)
		fuzz_fail("%zu objects that are not there", n);
	for (size_t i = 0; i < n; i++) {
		if (o[i].name.n + o[i].build_id.n > size)
			fuzz_fail("object %zu is longer than the file", i);
		check_code(o[i].code);
	}
	arena_free(&a);
	unlink(path);
	fuzz_end();
	return 0;
}
