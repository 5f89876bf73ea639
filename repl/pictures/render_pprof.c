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
#include "index/base/arena.h"
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

/* The profile that is written, and its numbers. */
struct pprof {
	struct render *rd;
	const struct frames *f;
	const struct stacks *s;
	const struct sort_pair *order;
	uint32_t *number; /* [frames]: of its function, from 1 */
	uint32_t *fn;	  /* [graph functions]: the same; 0: none */
	uint32_t *string; /* [store files]: of its name; 0: none yet */
	uint32_t *file;	  /* [files]: those with one, in the order of their strings */
	uint32_t functions, files;
	struct arena a;
};

/* The string of a file's name. */
static uint32_t string_of(struct pprof *p, file_id file)
{
	struct store *st = p->rd->r->graph->st;

	if (file >= store_info(st)->files || str_eq(store_file(st, file), STR("???")))
		return 0;
	if (!p->string[file]) {
		p->file[p->files] = file;
		p->string[file] = STRINGS + p->functions + p->files++;
	}
	return p->string[file];
}

static void number_functions(struct pprof *p)
{
	for (size_t i = 0; i < p->f->n; i++) {
		const uint32_t at = p->order[i].value, fn = p->f->all[at].fn;

		p->functions += i == 0 || frames_differ(p->f, p->order, i);
		p->number[at] = p->functions;
		if (p->rd->r->graph && fn != RESULT_NONE)
			p->fn[fn] = p->functions;
	}
}

/* number: of its name; file: 0 where it has no file. */
static void put_function(struct packed *g, struct out *inner, uint32_t id,
			 uint32_t number, uint32_t file, uint64_t line)
{
	field_u64(inner, 1, id);
	field_u64(inner, 2, STRINGS + number - 1);
	field_u64(inner, 3, STRINGS + number - 1);
	if (file)
		field_u64(inner, 4, file);
	if (line)
		field_u64(inner, 5, line);
	field_message(&g->raw, 5, inner);
	pack(g, false);
}

static void put_location(struct packed *g, struct out *inner, struct out *at, uint32_t id,
			 uint32_t function, uint64_t line)
{
	field_u64(at, 1, function);
	if (line)
		field_u64(at, 2, line);
	field_u64(inner, 1, id);
	field_message(inner, 4, at);
	field_message(&g->raw, 4, inner);
}

/* Each function is a location, too; those of places follow.  Code of other files is in
 * functions of the same name there. */
static void put_functions(struct pprof *p, struct packed *g)
{
	const struct graph *graph = p->rd->r->graph;
	uint32_t id = p->functions;
	struct out inner, at;

	out_mem(&inner);
	out_mem(&at);
	for (size_t i = 0; i < p->f->n; i++) {
		const uint32_t fn = p->f->all[p->order[i].value].fn,
			       number = p->number[p->order[i].value];
		const bool known =
			graph && fn != RESULT_NONE && !graph_is(graph, fn, GRAPH_FILES);

		if (i && !frames_differ(p->f, p->order, i))
			continue;
		put_location(g, &inner, &at, number, number, 0);
		put_function(g, &inner, number, number,
			     known ? string_of(p, graph_file_id(graph, fn)) : 0,
			     known ? graph_line(graph, fn) : 0);
	}
	for (size_t i = 1; i < p->s->places; i++) {
		const struct stack_place *x = &p->s->place[i];
		const uint32_t number = p->fn[x->fn];
		const bool own = graph_file_id(graph, x->fn) == x->file;

		put_location(g, &inner, &at, p->functions + (uint32_t)i,
			     own ? number : ++id, x->line);
		if (!own)
			put_function(g, &inner, id, number, string_of(p, x->file), 0);
	}
	out_close(&inner);
	out_close(&at);
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

static void put_samples(const struct pprof *p, struct packed *g)
{
	struct out inner, ids;

	out_mem(&inner);
	out_mem(&ids);
	for (size_t i = 0; i < p->s->n && !render_cancelled(p->rd, i); i++) {
		const struct stack *x = &p->s->all[i];
		uint32_t place = x->place;

		for (size_t k = x->frame; k != FRAME_NONE; k = p->f->all[k].parent) {
			varint(&ids, place ? p->functions + place : p->number[k]);
			place = p->s->site ? p->s->site[k] : 0;
		}
		field_message(&inner, 1, &ids);
		varint(&ids, pprof_value(p->rd->r->unit, x->cost[0]));
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

static void put_strings(const struct pprof *p, struct packed *g)
{
	const struct result *r = p->rd->r;
	struct out text;

	out_mem(&text);
	field_bytes(&g->raw, 6, "", 0);
	field_name(&g->raw, 6, result_title(r), &text);
	field_bytes(&g->raw, 6, pprof_unit(r->unit).p, pprof_unit(r->unit).n);
	field_name(&g->raw, 6, r->query, &text);
	for (size_t i = 0; i < p->f->n; i++) {
		if (i && !frames_differ(p->f, p->order, i))
			continue;
		field_name(&g->raw, 6, p->f->all[p->order[i].value].name, &text);
		pack(g, false);
	}
	for (uint32_t i = 0; i < p->files; i++)
		field_name(&g->raw, 6, store_file(r->graph->st, p->file[i]), &text);
	out_close(&text);
}

static int put_pprof(struct pprof *p)
{
	const struct graph *g = p->rd->r->graph;
	const size_t files = g ? store_info(g->st)->files : 0;
	struct packed to;

	p->number = ARENA_ARRAY(&p->a, uint32_t, p->f->n + 1);
	p->fn = ARENA_ARRAY(&p->a, uint32_t, g ? (size_t)g->functions + 1 : 1);
	p->string = ARENA_ARRAY(&p->a, uint32_t, files + 1);
	p->file = ARENA_ARRAY(&p->a, uint32_t, files + 1);
	if (p->a.refused)
		return err_no_memory(p->rd->err, NULL);
	number_functions(p);
	pack_begin(&to, p->rd->o);
	put_types(&to.raw);
	put_functions(p, &to);
	put_samples(p, &to);
	put_strings(p, &to);
	pack(&to, true);
	pack_end(&to, p->rd->err);
	return p->rd->err->kind;
}

int render_pprof(struct render *rd)
{
	struct frames f;
	struct stacks s = {0};
	struct sort_pair *order = NULL;
	struct pprof p = {.rd = rd, .f = &f, .s = &s};

	if (rd->r->base.n)
		return render_one_profile(
			rd, "pprof",
			"write two files, and let pprof compare them: "
			"go tool pprof -diff_base base.pb.gz new.pb.gz");
	arena_init(&p.a, 0);
	if (frames_of_stacks(rd, "pprof", &f) == 0 &&
	    stacks_of(rd->r, &f, true, &s, rd->err) == 0) {
		p.order = order = calloc(f.n + 1, sizeof(*order));
		if (!order)
			err_no_memory(rd->err, NULL);
		else if (frames_by_name(&f, order, rd->err) == 0)
			put_pprof(&p);
	}
	arena_free(&p.a);
	stacks_free(&s);
	frames_free(&f);
	free(order);
	return rd->err->kind;
}
