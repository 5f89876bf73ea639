/* pack.c - see pack.h. */
#include "tests/support/pack.h"

#include <bzlib.h>
#include <lzma.h>
#include <stdlib.h>
#include <zlib.h>
#include <zstd.h>

#include "engine/query.h"
#include "tests/support/fuzzing.h"

enum { GZIP = 16, WINDOW_LEAST = 9 };

/* Each returns the bytes it took, 0 when it failed. */

static size_t gzip(char *out, size_t room, int level, const char *p, size_t n)
{
	z_stream z = {.next_in = (Bytef *)(uintptr_t)p,
		      .avail_in = (uInt)n,
		      .next_out = (Bytef *)out,
		      .avail_out = (uInt)room};

	if (deflateInit2(&z, level, Z_DEFLATED, WINDOW_LEAST + GZIP, 1,
			 Z_DEFAULT_STRATEGY) != Z_OK ||
	    deflate(&z, Z_FINISH) != Z_STREAM_END)
		return 0;
	deflateEnd(&z);
	return room - z.avail_out;
}

static size_t bzip2(char *out, size_t room, int level, const char *p, size_t n)
{
	unsigned size = (unsigned)room;

	(void)level;
	return BZ2_bzBuffToBuffCompress(out, &size, (char *)(uintptr_t)p, (unsigned)n, 1,
					0, 0) == BZ_OK
		       ? size
		       : 0;
}

static size_t xz(char *out, size_t room, int level, const char *p, size_t n)
{
	size_t size = 0;

	return lzma_easy_buffer_encode(0, level ? LZMA_CHECK_CRC64 : LZMA_CHECK_CRC32,
				       NULL, (const uint8_t *)p, n, (uint8_t *)out, &size,
				       room) == LZMA_OK
		       ? size
		       : 0;
}

static size_t zstd(char *out, size_t room, int level, const char *p, size_t n)
{
	size_t size = ZSTD_compress(out, room, p, n, level ? 1 : -5);

	return ZSTD_isError(size) ? 0 : size;
}

static const struct {
	const char *name;
	size_t (*pack)(char *out, size_t room, int level, const char *p, size_t n);
} packers[PACKS] = {
	[PACK_GZIP] = {"gzip", gzip},
	[PACK_BZIP2] = {"bzip2", bzip2},
	[PACK_XZ] = {"xz", xz},
	[PACK_ZSTD] = {"zstd", zstd},
};

char *pack_text(enum pack how, int level, const char *p, size_t n, size_t *packed)
{
	/* More than any of them asks for, for what cannot be packed. */
	size_t room = n + n / 8 + 4096;
	char *out = malloc(room);

	*packed = out ? packers[how].pack(out, room, level, p, n) : 0;
	if (!*packed)
		fuzz_fail("%s cannot pack %zu bytes", packers[how].name, n);
	return out;
}

const char *pack_name(enum pack how)
{
	return packers[how].name;
}
