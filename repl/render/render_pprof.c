/*
 * render_pprof.c - stacks as pprof's profile.proto, gzipped, for `go tool pprof -http=:`.
 *
 * Of protocol buffers only varints and length-delimited fields are needed.
 *
 *	Profile  1 sample_type  2 sample  4 location  5 function  6 string_table
 *	Sample   1 location_id (leaf first)  2 value      ValueType  1 type  2 unit
 *	Location 1 id  4 line      Line 1 function_id     Function   1 id  2 name  3 system_name
 */
#include "repl/render/render.h"

#include <limits.h>
#include <stdlib.h>
#include <zlib.h>

#include "repl/render/frames.h"

/* ---- protocol buffers ---- */

static void varint(struct out *o, uint64_t v)
{
	for (; v >= 0x80; v >>= 7)
		out_char(o, (char)(v | 0x80));
	out_char(o, (char)v);
}

static void field_u64(struct out *o, unsigned field, uint64_t v)
{
	varint(o, field << 3);
	varint(o, v);
}

static void field_bytes(struct out *o, unsigned field, const void *p, size_t n)
{
	varint(o, field << 3 | 2);
	varint(o, n);
	out_bytes(o, p, n);
}

/* Append inner as a field of o, and empty inner for the next one. */
static void field_message(struct out *o, unsigned field, struct out *inner)
{
	field_bytes(o, field, inner->buf, inner->n);
	inner->n = 0;
}

/* ---- gzip ---- */

static void put_gzip(struct out *o, const char *p, size_t n, struct err *err)
{
	enum { WITH_GZIP_HEADER = 16 };
	unsigned char buf[1 << 14];
	z_stream z = {0};
	int rc = deflateInit2(&z, Z_DEFAULT_COMPRESSION, Z_DEFLATED,
			      MAX_WBITS + WITH_GZIP_HEADER, MAX_MEM_LEVEL,
			      Z_DEFAULT_STRATEGY);

	while (rc == Z_OK) {
		if (!z.avail_in) {
			z.next_in =
				(unsigned char *)(uintptr_t)p; /* zlib only reads it */
			z.avail_in = n < UINT_MAX ? (unsigned)n : UINT_MAX;
			p += z.avail_in;
			n -= z.avail_in;
		}
		z.next_out = buf;
		z.avail_out = sizeof(buf);
		rc = deflate(&z, n ? Z_NO_FLUSH : Z_FINISH);
		out_bytes(o, buf, sizeof(buf) - z.avail_out);
	}
	if (rc != Z_STREAM_END)
		err_no_memory(err, NULL);
	deflateEnd(&z);
}

/* ---- the profile ---- */

static int pprof_by_name(const void *a, const void *b)
{
	return str_cmp((*(const struct frame *const *)a)->name,
		       (*(const struct frame *const *)b)->name);
}

/* number[i]: 1 + the index of frame i's name among the distinct names.  These are both
 * locations and functions; their strings follow those of put_types(). */
static int put_pprof_functions(struct out *o, struct out *strings, const struct frames *f,
			       uint64_t *number, struct err *err)
{
	enum { FIRST = 4 }; /* strings before the names */
	const struct frame **sorted = calloc(f->n + 1, sizeof(const struct frame *));
	struct out inner, line, text;
	uint64_t id = 0;

	if (!sorted)
		return err_no_memory(err, NULL);
	out_mem(&inner);
	out_mem(&line);
	out_mem(&text);
	for (size_t i = 0; i < f->n; i++)
		sorted[i] = &f->all[i];
	qsort(sorted, f->n, sizeof(const struct frame *), pprof_by_name);
	for (size_t i = 0; i < f->n; i++) {
		if (i == 0 || !str_eq(sorted[i]->name, sorted[i - 1]->name)) {
			id++;
			field_u64(&line, 1, id);
			field_u64(&inner, 1, id);
			field_message(&inner, 4, &line);
			field_message(o, 4, &inner);
			field_u64(&inner, 1, id);
			field_u64(&inner, 2, FIRST + id - 1);
			field_u64(&inner, 3, FIRST + id - 1);
			field_message(o, 5, &inner);
			text.n = 0;
			emit_name(&text, EMIT_TEXT, sorted[i]->name);
			field_bytes(strings, 6, text.buf, text.n);
		}
		number[sorted[i] - f->all] = id;
	}
	out_close(&inner);
	out_close(&line);
	out_close(&text);
	free(sorted);
	return 0;
}

static void put_samples(struct render *rd, struct out *o, const struct frames *f,
			const uint64_t *number)
{
	struct out inner, ids;

	out_mem(&inner);
	out_mem(&ids);
	for (size_t i = 0; i < f->n && !render_cancelled(rd, i); i++) {
		if (!f->all[i].self)
			continue;
		for (size_t k = i; k != FRAME_NONE; k = f->all[k].parent)
			varint(&ids, number[k]);
		field_message(&inner, 1, &ids);
		varint(&ids, f->all[i].self);
		field_message(&inner, 2, &ids);
		field_message(o, 2, &inner);
	}
	out_close(&inner);
	out_close(&ids);
}

/* Strings 0 to 3: "", the event, its unit, the query (a comment). */
static void put_types(struct out *o, struct out *strings, const struct result *r)
{
	struct out inner, text;

	out_mem(&inner);
	out_mem(&text);
	field_u64(&inner, 1, 1);
	field_u64(&inner, 2, 2);
	field_message(o, 1, &inner);
	field_bytes(strings, 6, "", 0);
	emit_name(&text, EMIT_TEXT, r->event);
	field_bytes(strings, 6, text.buf, text.n);
	field_bytes(strings, 6, "count", 5);
	text.n = 0;
	emit_name(&text, EMIT_TEXT, r->query);
	field_bytes(strings, 6, text.buf, text.n);
	field_u64(o, 13, 3);
	out_close(&inner);
	out_close(&text);
}

int render_pprof(struct render *rd)
{
	struct frames f;
	struct out o, strings;
	uint64_t *number = NULL;

	if (rd->r->base.n)
		return render_one_profile(
			rd, "pprof",
			"write two files, and let pprof compare them: "
			"go tool pprof -diff_base base.pb.gz new.pb.gz");
	out_mem(&o);
	out_mem(&strings);
	if (frames_of_stacks(rd->r, "pprof", &f, rd->note, sizeof(rd->note), rd->err) ==
		    0 &&
	    !(number = calloc(f.n + 1, sizeof(*number))))
		err_no_memory(rd->err, NULL);
	if (number) {
		put_types(&o, &strings, rd->r);
		if (put_pprof_functions(&o, &strings, &f, number, rd->err) == 0) {
			put_samples(rd, &o, &f, number);
			out_bytes(&o, strings.buf, strings.n);
			put_gzip(rd->o, o.buf, o.n, rd->err);
		}
	}
	if (o.failed || strings.failed)
		err_no_memory(rd->err, NULL);
	frames_free(&f);
	free(number);
	out_close(&o);
	out_close(&strings);
	return (int)rd->err->kind;
}
