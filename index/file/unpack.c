/*
 * unpack.c - compressed streams; see unpack.h.
 *
 * Every library is one row of `codecs`: begin a member, take a step, end.  A step moves
 * both ends and tells whether the member goes on, has ended, is damaged or too large.
 * The loop over members, the zeros between them and all messages are common code.
 */
#include "index/file/unpack.h"

#include <bzlib.h>
#include <inttypes.h>
#ifdef HAVE_ISAL
#include <isa-l/igzip_lib.h>
#else
#include <zlib.h>
#endif
#include <limits.h>
#include <lzma.h>
#include <stdlib.h>
#include <string.h>
#include <zstd.h>
#include <zstd_errors.h>

#include "index/base/err.h"

enum step { STEP_MORE, STEP_END, STEP_DAMAGED, STEP_LARGE, STEP_MEMORY };

struct unpack {
	const struct codec *codec;
	uint64_t mem, taken, made;
	uint64_t member_at; /* value of `taken` when this member began */
	unsigned members;   /* members that have ended */
	bool inside;	    /* inside a member */
	bool open;	    /* the library's state must be freed */
	const char *why;    /* the library's own message; may be NULL */
	union {
#ifdef HAVE_ISAL
		struct inflate_state *gzip;
#else
		z_stream gzip;
#endif
		bz_stream bzip2;
		lzma_stream xz;
		ZSTD_DCtx *zstd;
	};
};

struct codec {
	const char *name, *command, *magic;
	size_t n;
	unsigned char mask; /* for the first byte of magic */
	enum step (*begin)(struct unpack *u);
	enum step (*step)(struct unpack *u, struct unpack_io *io);
	void (*end)(struct unpack *u);
};

/* The libraries count in 32 bits. */
static unsigned at_most(size_t n)
{
	return n < UINT_MAX / 2 ? (unsigned)n : UINT_MAX / 2;
}

static void moved(struct unpack_io *io, size_t in, size_t out)
{
	io->in += in;
	io->nin -= in;
	io->out += out;
	io->nout -= out;
}

/* ---- gzip ---- */

#ifdef HAVE_ISAL
/* ISA-L takes a third of zlib's time.  It checks the checksums of header and text, and the
 * length. */
static enum step gzip_begin(struct unpack *u)
{
	u->gzip = malloc(sizeof(*u->gzip));
	if (!u->gzip)
		return STEP_MEMORY;
	isal_inflate_init(u->gzip);
	u->gzip->crc_flag = ISAL_GZIP;
	return STEP_MORE;
}

static enum step gzip_step(struct unpack *u, struct unpack_io *io)
{
	const unsigned in = at_most(io->nin), out = at_most(io->nout);
	int rc;

	u->gzip->next_in = (uint8_t *)(uintptr_t)io->in;
	u->gzip->avail_in = in;
	u->gzip->next_out = (uint8_t *)io->out;
	u->gzip->avail_out = out;
	rc = isal_inflate(u->gzip);
	moved(io, in - u->gzip->avail_in, out - u->gzip->avail_out);
	u->why = rc == ISAL_INCORRECT_CHECKSUM ? "incorrect data check" : NULL;
	if (rc < ISAL_DECOMP_OK || rc == ISAL_NEED_DICT)
		return STEP_DAMAGED;
	return u->gzip->block_state == ISAL_BLOCK_FINISH ? STEP_END : STEP_MORE;
}

static void gzip_end(struct unpack *u)
{
	free(u->gzip);
}
#else
static enum step gzip_begin(struct unpack *u)
{
	memset(&u->gzip, 0, sizeof(u->gzip));
	return inflateInit2(&u->gzip, 16 + MAX_WBITS) == Z_OK ? STEP_MORE : STEP_MEMORY;
}

static enum step gzip_step(struct unpack *u, struct unpack_io *io)
{
	unsigned in = at_most(io->nin), out = at_most(io->nout);
	int rc;

	u->gzip.next_in = (Bytef *)(uintptr_t)io->in;
	u->gzip.avail_in = in;
	u->gzip.next_out = (Bytef *)io->out;
	u->gzip.avail_out = out;
	rc = inflate(&u->gzip, Z_NO_FLUSH);
	moved(io, in - u->gzip.avail_in, out - u->gzip.avail_out);
	u->why = u->gzip.msg;
	return rc == Z_STREAM_END ? STEP_END
	       : rc == Z_OK || rc == Z_BUF_ERROR ? STEP_MORE
	       : rc == Z_MEM_ERROR ? STEP_MEMORY
				   : STEP_DAMAGED;
}

static void gzip_end(struct unpack *u)
{
	inflateEnd(&u->gzip);
}
#endif

/* ---- bzip2 ---- */

static enum step bzip2_begin(struct unpack *u)
{
	memset(&u->bzip2, 0, sizeof(u->bzip2));
	return BZ2_bzDecompressInit(&u->bzip2, 0, 0) == BZ_OK ? STEP_MORE : STEP_MEMORY;
}

static enum step bzip2_step(struct unpack *u, struct unpack_io *io)
{
	unsigned in = at_most(io->nin), out = at_most(io->nout);
	int rc;

	u->bzip2.next_in = (char *)(uintptr_t)io->in;
	u->bzip2.avail_in = in;
	u->bzip2.next_out = io->out;
	u->bzip2.avail_out = out;
	rc = BZ2_bzDecompress(&u->bzip2);
	moved(io, in - u->bzip2.avail_in, out - u->bzip2.avail_out);
	return rc == BZ_STREAM_END  ? STEP_END
	       : rc == BZ_OK	    ? STEP_MORE
	       : rc == BZ_MEM_ERROR ? STEP_MEMORY
				    : STEP_DAMAGED;
}

static void bzip2_end(struct unpack *u)
{
	BZ2_bzDecompressEnd(&u->bzip2);
}

/* ---- xz ---- */

static enum step xz_begin(struct unpack *u)
{
	memset(&u->xz, 0, sizeof(u->xz));
	return lzma_stream_decoder(&u->xz, u->mem, LZMA_TELL_UNSUPPORTED_CHECK) == LZMA_OK
		       ? STEP_MORE
		       : STEP_MEMORY;
}

static enum step xz_step(struct unpack *u, struct unpack_io *io)
{
	lzma_ret rc;

	u->xz.next_in = (const uint8_t *)io->in;
	u->xz.avail_in = io->nin;
	u->xz.next_out = (uint8_t *)io->out;
	u->xz.avail_out = io->nout;
	rc = lzma_code(&u->xz, LZMA_RUN);
	moved(io, io->nin - u->xz.avail_in, io->nout - u->xz.avail_out);
	if (rc == LZMA_UNSUPPORTED_CHECK)
		u->why = "its checksum is of an unknown kind";
	return rc == LZMA_STREAM_END		       ? STEP_END
	       : rc == LZMA_OK || rc == LZMA_BUF_ERROR ? STEP_MORE
	       : rc == LZMA_MEMLIMIT_ERROR	       ? STEP_LARGE
	       : rc == LZMA_MEM_ERROR		       ? STEP_MEMORY
						       : STEP_DAMAGED;
}

static void xz_end(struct unpack *u)
{
	lzma_end(&u->xz);
}

/* ---- zstd ---- */

static int log2_below(uint64_t v)
{
	return v ? 63 - __builtin_clzll(v) : 0;
}

static enum step zstd_begin(struct unpack *u)
{
	ZSTD_bounds b = ZSTD_dParam_getBounds(ZSTD_d_windowLogMax);
	int log = log2_below(u->mem);

	u->zstd = ZSTD_createDCtx();
	if (!u->zstd)
		return STEP_MEMORY;
	log = log < b.lowerBound ? b.lowerBound : log > b.upperBound ? b.upperBound : log;
	ZSTD_DCtx_setParameter(u->zstd, ZSTD_d_windowLogMax, log);
	return STEP_MORE;
}

static enum step zstd_step(struct unpack *u, struct unpack_io *io)
{
	ZSTD_inBuffer in = {io->in, io->nin, 0};
	ZSTD_outBuffer out = {io->out, io->nout, 0};
	size_t rc = ZSTD_decompressStream(u->zstd, &out, &in);

	moved(io, in.pos, out.pos);
	if (!ZSTD_isError(rc))
		return rc ? STEP_MORE : STEP_END;
	u->why = ZSTD_getErrorName(rc);
	switch (ZSTD_getErrorCode(rc)) {
	case ZSTD_error_frameParameter_windowTooLarge: return STEP_LARGE;
	case ZSTD_error_memory_allocation: return STEP_MEMORY;
	default: return STEP_DAMAGED;
	}
}

static void zstd_end(struct unpack *u)
{
	ZSTD_freeDCtx(u->zstd);
}

/* ---- common ---- */

static const struct codec codecs[] = {
	{"gzip", "gzip -dk", "\x1f\x8b", 2, 0xff, gzip_begin, gzip_step, gzip_end},
	{"bzip2", "bzip2 -dk", "BZh", 3, 0xff, bzip2_begin, bzip2_step, bzip2_end},
	{"xz", "xz -dk", "\3757zXZ\0", 6, 0xff, xz_begin, xz_step, xz_end},
	{"zstd", "zstd -d", "\x28\xb5\x2f\xfd", 4, 0xff, zstd_begin, zstd_step, zstd_end},
	/* A skippable frame; pzstd files begin with one. */
	{"zstd", "zstd -d", "\x50\x2a\x4d\x18", 4, 0xf0, zstd_begin, zstd_step, zstd_end},
};

const struct codec *unpack_recognise(const char *head, size_t n)
{
	for (size_t i = 0; i < sizeof(codecs) / sizeof(codecs[0]); i++) {
		const struct codec *c = &codecs[i];

		if (n >= c->n && ((head[0] ^ c->magic[0]) & c->mask) == 0 &&
		    memcmp(head + 1, c->magic + 1, c->n - 1) == 0)
			return c;
	}
	return NULL;
}

const char *unpack_name(const struct codec *c)
{
	return c->name;
}

int unpack_open(struct unpack **out, const struct codec *c, uint64_t mem, struct err *err)
{
	struct unpack *u = calloc(1, sizeof(*u));

	if (!u)
		return err_no_memory(err, "while unpacking");
	u->codec = c;
	u->mem = mem;
	*out = u;
	return 0;
}

static void unpack_leave(struct unpack *u)
{
	if (u->open)
		u->codec->end(u);
	u->open = u->inside = false;
}

void unpack_close(struct unpack *u)
{
	if (u)
		unpack_leave(u);
	free(u);
}

uint64_t unpack_taken(const struct unpack *u)
{
	return u->taken;
}

static void unpack_copy(struct unpack *u, struct unpack_io *io)
{
	size_t n = io->nin < io->nout ? io->nin : io->nout;

	memcpy(io->out, io->in, n);
	moved(io, n, n);
	u->taken += n;
	u->made += n;
}

static int packed_damaged(const struct unpack *u, struct err *err)
{
	const char *name = u->codec->name;

	/* If it fails in its first bytes it is no member but other data. */
	if (u->members && u->taken - u->member_at < UNPACK_HEAD + 12)
		err_set(err, ERR_PROFILE, 0,
			"behind the end of the %s data, at byte %" PRIu64
			", is something else (byte %" PRIu64 " of the text)",
			name, u->member_at, u->made);
	else
		err_set(err, ERR_PROFILE, 0,
			"the %s data is damaged at byte %" PRIu64 " (byte %" PRIu64
			" of the text)%s%s",
			name, u->taken, u->made, u->why ? ": " : "",
			u->why ? u->why : "");
	return err_hint(err, "make or copy the file again");
}

static int unpack_failed(const struct unpack *u, enum step s, struct err *err)
{
	if (s == STEP_DAMAGED)
		return packed_damaged(u, err);
	if (s == STEP_MEMORY)
		return err_no_memory(err, "while unpacking");
	const bool large = u->mem >> 20 != 0;

	err_set(err, ERR_LIMIT, 0,
		"the %s data wants more memory than the %" PRIu64
		" %s it may have (byte %" PRIu64 ")",
		u->codec->name, u->mem >> (large ? 20 : 10), large ? "MiB" : "KiB",
		u->taken);
	return err_hint(err, "raise --mem, or unpack it first: %s", u->codec->command);
}

/* Skip zeros between members: tapes and disk blocks are padded with them. */
static void skip_zeros(struct unpack *u, struct unpack_io *io)
{
	while (u->members && io->nin && *io->in == 0) {
		moved(io, 1, 0);
		u->taken++;
	}
}

static enum step begin_stream(struct unpack *u)
{
	enum step s = STEP_MORE;

	if (!u->open)
		s = u->codec->begin(u);
	u->open = s == STEP_MORE;
	u->inside = true;
	u->member_at = u->taken;
	u->why = NULL;
	return s;
}

int unpack_step(struct unpack *u, struct unpack_io *io, struct err *err)
{
	if (!u->codec) {
		unpack_copy(u, io);
		return 0;
	}
	while (io->nout) {
		struct unpack_io before = *io;
		enum step s = STEP_MORE;

		if (!u->inside) {
			skip_zeros(u, io);
			if (!io->nin)
				return 0;
			before = *io;
			s = begin_stream(u);
		}
		if (s == STEP_MORE)
			s = u->codec->step(u, io);
		u->taken += before.nin - io->nin;
		u->made += before.nout - io->nout;
		if (s > STEP_END)
			return unpack_failed(u, s, err);
		if (s == STEP_END) {
			u->members++;
			unpack_leave(u);
		} else if (before.nin == io->nin && before.nout == io->nout) {
			return 0; /* needs more input */
		}
	}
	return 0;
}

int unpack_end(const struct unpack *u, struct err *err)
{
	if (!u->inside)
		return 0;
	err_set(err, ERR_PROFILE, 0,
		"the %s data is cut off at byte %" PRIu64 " (byte %" PRIu64
		" of the text)",
		u->codec->name, u->taken, u->made);
	return err_hint(
		err, "copy the file again, or wait until the program that writes it is "
		     "done");
}

struct str unpack_plain_name(struct str s)
{
	static const char *const packed[] = {".gz", ".bz2", ".xz", ".zst"};

	for (size_t i = 0; i < sizeof(packed) / sizeof(packed[0]); i++)
		if (str_ends(s, str_c(packed[i])))
			return (struct str){s.p, s.n - strlen(packed[i])};
	return s;
}
