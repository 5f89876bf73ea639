/*
 * render_pprof.c - stacks as pprof's profile.proto, gzipped, for `go tool pprof -http=:`.
 *
 * Of protocol buffers only varints and length-delimited fields are needed.
 *
 *	Profile  1 sample_type  2 sample  4 location  5 function  6 string_table
 *	Sample   1 location_id (leaf first)  2 value      ValueType  1 type  2 unit
 *	Location 1 id  4 line      Line 1 function_id  2 line
 *	Function 1 id  2 name  3 system_name  4 file  5 line
 *
 * A location is a line of a function, as far as the profile has it (frames.h).
 */
#include "engine/graph/graph.h"
#include "index/base/err.h"
#include "index/base/out.h"
#include "index/base/strset.h"
#include "repl/render/render.h"

#include <errno.h>
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

static void field_some(struct out *o, unsigned field, uint64_t v)
{
	if (v)
		field_u64(o, field, v);
}

/* ---- the profile ---- */

struct pprof {
	struct render *rd;
	struct frames f;
	struct stacks s;
	struct out raw; /* not compressed yet */
	z_stream z;
	struct out one, two, text; /* of a message, of one in it, of a name */
	struct strset strings;
};

/* Compress and write what is there, if it is much, or the last. */
static void pack(struct pprof *p, bool last)
{
	unsigned char buf[1 << 16];

	if (!last && p->raw.n < sizeof(buf))
		return;
	p->z.next_in = (unsigned char *)p->raw.buf;
	p->z.avail_in = (unsigned)p->raw.n;
	do {
		p->z.next_out = buf;
		p->z.avail_out = sizeof(buf);
		deflate(&p->z, last ? Z_FINISH : Z_NO_FLUSH);
		out_bytes(p->rd->o, buf, sizeof(buf) - p->z.avail_out);
	} while (!p->z.avail_out);
	p->raw.n = 0;
}

static uint32_t string_of(struct pprof *p, struct str s)
{
	const uint32_t n = strset_add(&p->strings, s);

	if (n == HASH_NONE)
		p->raw.failed = ENOMEM;
	return n;
}

/* A place is a location and, if it is in another file than its function (code inlined
 * from there), or is all of it, a function, too. */
static void put_place(struct pprof *p, uint32_t i)
{
	const struct result *r = p->rd->r;
	const struct stack_place *x = &p->s.place[i], *whole = &p->s.place[x->whole];
	const struct str file = stack_file(r, &p->f, x);
	const uint32_t fn = p->f.all[x->frame].fn;
	const bool own = x->line && str_eq(file, stack_file(r, &p->f, whole));
	const bool known = r->graph && fn < r->graph->functions && !x->line &&
			   !graph_is(r->graph, fn, GRAPH_FILES);
	uint32_t name;

	field_u64(&p->two, 1, 1 + (own ? x->whole : i));
	field_some(&p->two, 2, x->line);
	field_u64(&p->one, 1, 1 + i);
	field_message(&p->one, 4, &p->two);
	field_message(&p->raw, 4, &p->one);
	if (own)
		return;
	field_u64(&p->one, 1, 1 + i);
	name = string_of(p, p->f.all[x->frame].name);
	field_u64(&p->one, 2, name);
	field_u64(&p->one, 3, name);
	field_some(&p->one, 4, string_of(p, file));
	field_some(&p->one, 5, known ? graph_line(r->graph, fn) : 0);
	field_message(&p->raw, 5, &p->one);
}

static void put_sample(struct pprof *p, const struct stack *x)
{
	uint32_t place = x->place;

	for (size_t k = x->frame; k != FRAME_NONE; k = p->f.all[k].parent) {
		varint(&p->two, 1 + place);
		place = p->s.site[k];
	}
	field_message(&p->one, 1, &p->two);
	varint(&p->two, stacks_value(p->rd->r->unit, x->cost[0]));
	field_message(&p->one, 2, &p->two);
	field_message(&p->raw, 2, &p->one);
}

static int put_pprof(struct pprof *p)
{
	/* Level 6 takes three times as long as level 4, for 1 % less. */
	enum { WITH_GZIP_HEADER = 16, LEVEL = 4 };
	const struct result *r = p->rd->r;

	if (deflateInit2(&p->z, LEVEL, Z_DEFLATED, MAX_WBITS + WITH_GZIP_HEADER,
			 MAX_MEM_LEVEL, Z_DEFAULT_STRATEGY) != Z_OK)
		return err_no_memory(p->rd->err, NULL);
	string_of(p, STR(""));
	field_u64(&p->one, 1, string_of(p, result_title(r)));
	/* It knows scales of units only by name: values are in nanoseconds. */
	field_u64(&p->one, 2, string_of(p, str_c(stacks_unit(r->unit, "count"))));
	field_message(&p->raw, 1, &p->one);
	field_u64(&p->raw, 13, string_of(p, r->query)); /* a comment */
	for (uint32_t i = 0; i < p->s.places && !render_cancelled(p->rd, i);
	     i++, pack(p, false))
		put_place(p, i);
	for (size_t i = 0; i < p->s.n && !render_cancelled(p->rd, i); i++, pack(p, false))
		put_sample(p, &p->s.all[i]);
	for (size_t i = 0; i < p->strings.n && !render_cancelled(p->rd, i);
	     i++, pack(p, false)) {
		emit_name(&p->text, EMIT_TEXT, p->strings.at[i]);
		field_message(&p->raw, 6, &p->text);
	}
	pack(p, true);
	deflateEnd(&p->z);
	return p->raw.failed | p->one.failed | p->two.failed | p->text.failed
		       ? err_no_memory(p->rd->err, NULL)
		       : 0;
}

int render_pprof(struct render *rd)
{
	struct pprof p = {.rd = rd};
	struct out *outs[] = {&p.raw, &p.one, &p.two, &p.text};

	if (rd->r->base.n)
		return render_one_profile(
			rd, "pprof",
			"write two files, and let pprof compare them: "
			"go tool pprof -diff_base base.pb.gz new.pb.gz");
	for (size_t i = 0; i < sizeof(outs) / sizeof(outs[0]); i++)
		out_mem(outs[i]);
	if (frames_of_stacks(rd, "pprof", &p.f) == 0 &&
	    stacks_of(rd, &p.f, true, &p.s) == 0)
		put_pprof(&p);
	for (size_t i = 0; i < sizeof(outs) / sizeof(outs[0]); i++)
		out_close(outs[i]);
	strset_free(&p.strings);
	stacks_free(&p.s);
	frames_free(&p.f);
	return rd->err->kind;
}
