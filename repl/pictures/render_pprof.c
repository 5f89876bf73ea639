/*
 * render_pprof.c - stacks as pprof's profile.proto, gzipped, for `go tool pprof -http=:`.
 *
 * Of protocol buffers only varints and length-delimited fields are needed.
 *
 *	Profile  1 sample_type  2 sample  4 location  5 function  6 string_table
 *	Sample   1 location_id (leaf first)  2 value      ValueType  1 type  2 unit
 *	Location 1 id  4 line      Line 1 function_id     Function   1 id  2 name  3 system_name  4 file
 */
#include "index/base/err.h"
#include "index/base/out.h"
#include "repl/render/render.h"

#include <limits.h>
#include <stdlib.h>
#include <zlib.h>

#include "repl/pictures/frames.h"

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

static void field_name(struct out *o, unsigned field, struct str name, struct out *inner)
{
	emit_name(inner, EMIT_TEXT, name);
	field_message(o, field, inner);
}

/* ---- gzip ---- */

enum { PACK = 256 << 10 }; /* bytes that are compressed at a time */

struct packed {
	struct out raw; /* not compressed yet */
	struct out *to;
	z_stream z;
	int rc; /* of zlib */
};

static void pack_begin(struct packed *g, struct out *to)
{
	/* Level 6 takes three times as long as level 4, for 1 % less. */
	enum { WITH_GZIP_HEADER = 16, LEVEL = 4 };

	*g = (struct packed){.to = to};
	out_mem(&g->raw);
	g->rc = deflateInit2(&g->z, LEVEL, Z_DEFLATED, MAX_WBITS + WITH_GZIP_HEADER,
			     MAX_MEM_LEVEL, Z_DEFAULT_STRATEGY);
}

/* Compress what there is, if that is enough or the end. */
static void pack(struct packed *g, bool end)
{
	unsigned char buf[1 << 14];

	if (g->raw.n < PACK && !end)
		return;
	for (size_t at = 0; g->rc == Z_OK && (end || at < g->raw.n || !g->z.avail_out);) {
		if (!g->z.avail_in && at < g->raw.n) {
			const size_t left = g->raw.n - at;

			g->z.next_in = (unsigned char *)g->raw.buf + at;
			g->z.avail_in = left < UINT_MAX ? (unsigned)left : UINT_MAX;
			at += g->z.avail_in;
		}
		g->z.next_out = buf;
		g->z.avail_out = sizeof(buf);
		g->rc = deflate(&g->z, end && at == g->raw.n ? Z_FINISH : Z_NO_FLUSH);
		if (g->rc == Z_BUF_ERROR) /* it had compressed all */
			g->rc = Z_OK;
		out_bytes(g->to, buf, sizeof(buf) - g->z.avail_out);
	}
	g->raw.n = 0;
}

static void pack_end(struct packed *g, struct err *err)
{
	if (g->raw.failed || (g->rc != Z_STREAM_END && !err->kind))
		err_no_memory(err, NULL);
	deflateEnd(&g->z);
	out_close(&g->raw);
}

/* ---- the profile ---- */

enum { STRINGS = 4 }; /* before the names: see put_strings() */

/* number[i]: 1 + the index of frame i's function.  These are both locations and
 * functions. */
static void put_pprof_functions(struct packed *g, const struct result *r,
				const struct frames *f, const struct sort_pair *order,
				uint32_t *number)
{
	struct out inner, line;
	uint32_t id = 0, string = STRINGS;

	out_mem(&inner);
	out_mem(&line);
	for (size_t i = 0; i < f->n; i++) {
		const uint32_t at = order[i].value;

		if (i == 0 || frames_differ(f, order, i)) {
			id++;
			field_u64(&line, 1, id);
			field_u64(&inner, 1, id);
			field_message(&inner, 4, &line);
			field_message(&g->raw, 4, &inner);
			field_u64(&inner, 1, id);
			field_u64(&inner, 2, string);
			field_u64(&inner, 3, string++);
			if (frames_file(r, f, order, i).n)
				field_u64(&inner, 4, string++);
			field_message(&g->raw, 5, &inner);
			pack(g, false);
		}
		number[at] = id;
	}
	out_close(&inner);
	out_close(&line);
}

/* pprof knows units, and scales of them only by name: its values are nanoseconds. */
static struct str pprof_unit(struct unit u)
{
	return u.kind == UNIT_TIME    ? STR("nanoseconds")
	       : u.kind == UNIT_BYTES ? STR("bytes")
				      : STR("count");
}

static uint64_t pprof_value(struct unit u, uint64_t costs)
{
	uint64_t value;

	if (!u.kind)
		return costs;
	return __builtin_mul_overflow(costs, u.scale, &value) || value > INT64_MAX
		       ? INT64_MAX
		       : value;
}

static void put_samples(struct render *rd, struct packed *g, const struct frames *f,
			const uint32_t *number)
{
	struct out inner, ids;

	out_mem(&inner);
	out_mem(&ids);
	for (size_t i = 0; i < f->n && !render_cancelled(rd, i); i++) {
		if (!f->all[i].self[0])
			continue;
		for (size_t k = i; k != FRAME_NONE; k = f->all[k].parent)
			varint(&ids, number[k]);
		field_message(&inner, 1, &ids);
		varint(&ids, pprof_value(rd->r->unit, f->all[i].self[0]));
		field_message(&inner, 2, &ids);
		field_message(&g->raw, 2, &inner);
		pack(g, false);
	}
	out_close(&inner);
	out_close(&ids);
}

/* The event is string 1, its unit 2; the query is string 3, a comment. */
static void put_types(struct out *o)
{
	struct out inner;

	out_mem(&inner);
	field_u64(&inner, 1, 1);
	field_u64(&inner, 2, 2);
	field_message(o, 1, &inner);
	field_u64(o, 13, 3);
	out_close(&inner);
}

static void put_strings(struct packed *g, const struct result *r, const struct frames *f,
			const struct sort_pair *order)
{
	struct out text;

	out_mem(&text);
	field_bytes(&g->raw, 6, "", 0);
	field_name(&g->raw, 6, result_title(r), &text);
	field_bytes(&g->raw, 6, pprof_unit(r->unit).p, pprof_unit(r->unit).n);
	field_name(&g->raw, 6, r->query, &text);
	for (size_t i = 0; i < f->n; i++) {
		struct str file;

		if (i && !frames_differ(f, order, i))
			continue;
		field_name(&g->raw, 6, f->all[order[i].value].name, &text);
		if ((file = frames_file(r, f, order, i)).n)
			field_name(&g->raw, 6, file, &text);
		pack(g, false);
	}
	out_close(&text);
}

static void put_pprof(struct render *rd, const struct frames *f,
		      const struct sort_pair *order, uint32_t *number)
{
	struct packed g;

	pack_begin(&g, rd->o);
	put_types(&g.raw);
	put_pprof_functions(&g, rd->r, f, order, number);
	put_samples(rd, &g, f, number);
	put_strings(&g, rd->r, f, order);
	pack(&g, true);
	pack_end(&g, rd->err);
}

int render_pprof(struct render *rd)
{
	struct frames f;
	struct sort_pair *order = NULL;
	uint32_t *number = NULL;

	if (rd->r->base.n)
		return render_one_profile(
			rd, "pprof",
			"write two files, and let pprof compare them: "
			"go tool pprof -diff_base base.pb.gz new.pb.gz");
	if (frames_of_stacks(rd, "pprof", &f) == 0) {
		number = calloc(f.n + 1, sizeof(*number));
		order = calloc(f.n + 1, sizeof(*order));
		if (!number || !order)
			err_no_memory(rd->err, NULL);
		else if (frames_by_name(&f, order, rd->err) == 0)
			put_pprof(rd, &f, order, number);
	}
	frames_free(&f);
	free(number);
	free(order);
	return rd->err->kind;
}
