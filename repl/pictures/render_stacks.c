/*
 * render_stacks.c - stacks for other tools: folded (flamegraph.pl, inferno) and speedscope.
 *
 *	folded:   main;run;parse 1234		one line per stack with a cost of its own
 *	with lines (--with-source): main:12;run:40;parse:7 1000
 *	of two profiles: main;run;parse 1200 1234	cost in the base, then in this one,
 *		as difffolded.pl writes it; speedscope: two profiles of the same frames
 */
#include "engine/graph/graph.h"
#include "engine/query.h"
#include "index/base/cost.h"
#include "index/base/err.h"
#include "index/base/out.h"
#include "repl/render/render.h"

#include <inttypes.h>
#include <stdlib.h>

#include "repl/pictures/frames.h"

enum { AHEAD = 16 }; /* frames: their names are anywhere in the index */

/* Allocate room for the deepest stack; NULL: out of memory, err is set. */
static size_t *new_stack(struct render *rd, const struct frames *f)
{
	size_t *stack = calloc(f->deepest + 1, sizeof(*stack));

	if (!stack)
		err_no_memory(rd->err, NULL);
	return stack;
}

/* List the frames of the stack that ends in frame i, outermost first. */
static size_t stack_of(const struct frames *f, size_t i, size_t *stack)
{
	size_t n = f->all[i].depth + 1;

	for (size_t k = n; k-- > 0; i = f->all[i].parent)
		stack[k] = i;
	return n;
}

/* The place of the k-th frame of a stack: of its call of the next, or of its own cost. */
static uint32_t place_in(const struct frame_lines *l, const size_t *stack, size_t n,
			 size_t k, uint32_t own)
{
	return k + 1 == n ? own : l->site ? l->site[stack[k + 1]] : 0;
}

/* A function, and its line if that is known. */
static void put_folded(struct render *rd, const struct frame *x, uint64_t line)
{
	emit_name(rd->o, EMIT_FRAME, x->name);
	if (line)
		out_printf(rd->o, ":%" PRIu64, line);
}

/* The stacks of frame i: one for each line on which it spends something. */
static void put_stacks(struct render *rd, const struct frames *f,
		       const struct frame_lines *l, size_t i, size_t *stack)
{
	const size_t n = stack_of(f, i, stack);

	for (size_t k = 0; k < frame_parts(l, i); k++) {
		const struct frame_part part = frame_part(f, l, i, k, 0);

		for (size_t d = 0; d < n; d++) {
			out_c(rd->o, d ? ";" : "");
			put_folded(
				rd, &f->all[stack[d]],
				l->n ? l->place[place_in(l, stack, n, d, part.place)].line
				     : 0);
		}
		out_char(rd->o, ' ');
		if (f->sides == 2) {
			out_u64(rd->o, f->all[i].self[1]);
			out_char(rd->o, ' ');
		}
		out_u64(rd->o, part.cost);
		out_char(rd->o, '\n');
	}
}

/* Find the lines of stacks if somebody asks for source. */
static int stacks_and_lines(struct render *rd, const char *format, struct frames *f,
			    struct frame_lines *l)
{
	*l = (struct frame_lines){0};
	return frames_of_stacks(rd, format, f) ||
			       (rd->source && frames_lines(rd->r, f, l, rd->err))
		       ? rd->err->kind
		       : 0;
}

int render_folded(struct render *rd)
{
	struct frames f;
	struct frame_lines l;
	size_t *stack = NULL;

	if (!stacks_and_lines(rd, "folded", &f, &l) && (stack = new_stack(rd, &f))) {
		for (size_t i = 0; i < f.n && !render_cancelled(rd, i); i++) {
			if (i + AHEAD < f.n)
				__builtin_prefetch(f.all[i + AHEAD].name.p);
			if (f.all[i].self[0] || f.all[i].self[1])
				put_stacks(rd, &f, &l, i, stack);
		}
	}
	free(stack);
	frames_lines_free(&l);
	frames_free(&f);
	return rd->err->kind;
}

/* ---- speedscope: https://www.speedscope.app/file-format-schema.json, "sampled" ---- */

/* Tables mark an estimate by ~; so do frames, whose costs are in their order alone. */
static void put_function(struct render *rd, bool marked, struct str name, struct str file,
			 uint64_t line)
{
	struct out text;

	out_mem(&text);
	out_c(&text, marked ? "~" : "");
	out_str(&text, name);
	out_c(rd->o, "\n{\"name\":");
	emit_name(rd->o, EMIT_JSON, marked ? (struct str){text.buf, text.n} : name);
	if (file.n) {
		out_c(rd->o, ",\"file\":");
		emit_name(rd->o, EMIT_JSON, file);
	}
	if (line)
		out_printf(rd->o, ",\"line\":%" PRIu64, line);
	out_char(rd->o, '}');
	if (text.failed)
		err_no_memory(rd->err, NULL);
	out_close(&text);
}

static bool marked(const struct frame *x)
{
	return frame_estimated(x) && !x->other;
}

/* Write the functions, once as measured and once as estimated; number[i]: the index of frame
 * i's.  Places follow: each as measured, and as estimated. */
static int put_names(struct render *rd, const struct frames *f,
		     const struct frame_lines *l, size_t *number)
{
	struct sort_pair *order = calloc(f->n + 1, sizeof(*order));
	size_t distinct = 0, first = 0, at[2] = {0};

	if (!order || frames_by_name(f, order, rd->err)) {
		free(order);
		return err_no_memory(rd->err, NULL);
	}
	for (size_t i = 0; i < f->n; i++) {
		const struct frame *x = &f->all[order[i].value];
		size_t *one = &at[frame_estimated(x)];

		if (i == 0 || frames_differ(f, order, i))
			at[0] = at[1] = 0, first = i;
		if (!*one) {
			out_c(rd->o, distinct ? "," : "");
			put_function(rd, marked(x), x->name,
				     frames_file(rd->r, f, order, first), 0);
			*one = ++distinct;
		}
		number[order[i].value] = *one - 1;
	}
	for (size_t i = 2; i < 2 * l->n; i++) {
		const struct frame_place *p = &l->place[i / 2];

		out_char(rd->o, ',');
		put_function(rd, i % 2, graph_name(rd->r->graph, p->fn),
			     store_file(rd->r->graph->st, p->file), p->line);
	}
	number[f->n] = distinct;
	free(order);
	return 0;
}

static uint64_t own_of(const struct frame *x, bool base)
{
	return x->self[base];
}

/* The index of frame i at a place; 0: that is not known. */
static uint64_t at_place(const struct frames *f, const size_t *number, size_t i,
			 uint32_t place)
{
	return !place ? number[i] : number[f->n] + 2 * (place - 1) + marked(&f->all[i]);
}

static void put_sample(struct render *rd, const struct frames *f,
		       const struct frame_lines *l, const size_t *number,
		       const size_t *stack, size_t n, uint32_t place)
{
	for (size_t k = 0; k < n; k++) {
		out_c(rd->o, k ? "," : "\n[");
		out_u64(rd->o,
			at_place(f, number, stack[k], place_in(l, stack, n, k, place)));
	}
	out_char(rd->o, ']');
}

static void put_samples(struct render *rd, const struct frames *f,
			const struct frame_lines *l, const size_t *number, bool base)
{
	size_t *stack = new_stack(rd, f);
	const char *sep = "";

	for (size_t i = 0; stack && i < f->n && !render_cancelled(rd, i); i++) {
		size_t n = own_of(&f->all[i], base) ? stack_of(f, i, stack) : 0;

		for (size_t k = 0; n && k < frame_parts(l, i); k++) {
			out_c(rd->o, sep);
			put_sample(rd, f, l, number, stack, n,
				   frame_part(f, l, i, k, base).place);
			sep = ",";
		}
	}
	free(stack);
}

static const char *stacks_unit(struct unit u)
{
	return u.kind == UNIT_TIME    ? "nanoseconds"
	       : u.kind == UNIT_BYTES ? "bytes"
				      : "none";
}

static uint64_t stacks_value(struct unit u, uint64_t costs)
{
	uint64_t value;

	if (!u.kind)
		return costs;
	return __builtin_mul_overflow(costs, u.scale, &value) ? UINT64_MAX : value;
}

static void put_weights(struct render *rd, const struct frames *f,
			const struct frame_lines *l, bool base)
{
	const char *sep = "";

	for (size_t i = 0; i < f->n; i++) {
		if (!own_of(&f->all[i], base))
			continue;
		for (size_t k = 0; k < frame_parts(l, i); k++) {
			out_c(rd->o, sep);
			out_u64(rd->o, stacks_value(rd->r->unit,
						    frame_part(f, l, i, k, base).cost));
			sep = ",";
		}
	}
}

static void put_sampled(struct render *rd, const struct frames *f,
			const struct frame_lines *l, const size_t *number, bool base)
{
	out_printf(rd->o, "{\"type\":\"sampled\",\"unit\":\"%s\",\"name\":",
		   stacks_unit(rd->r->unit));
	emit_name(rd->o, EMIT_JSON, base ? rd->r->base : rd->r->profile);
	out_c(rd->o, ",\"startValue\":0,\"endValue\":");
	out_u64(rd->o, stacks_value(rd->r->unit, f->sum[base]));
	out_c(rd->o, ",\n\"samples\":[");
	put_samples(rd, f, l, number, base);
	out_c(rd->o, "],\n\"weights\":[");
	put_weights(rd, f, l, base);
	out_c(rd->o, "]}");
}

/* ---- "evented": frames in the order of time ---- */

static void put_event(struct render *rd, const size_t *number, size_t i, bool opens,
		      uint64_t at, const char *sep)
{
	out_printf(rd->o, "%s{\"type\":\"%c\",\"frame\":%zu,\"at\":", sep,
		   opens ? 'O' : 'C', number[i]);
	out_u64(rd->o, stacks_value(rd->r->unit, at));
	out_char(rd->o, '}');
}

/* A frame begins where the one before it ends, and spends its own cost at its end. */
static void put_events(struct render *rd, const struct frames *f, const size_t *number)
{
	size_t *open = new_stack(rd, f), n = 0;
	uint64_t *end = calloc(f->deepest + 2, sizeof(*end)), now = 0;

	for (size_t i = 0; open && end && i <= f->n && !render_cancelled(rd, i); i++) {
		const size_t depth = i < f->n ? f->all[i].depth : 0;

		while (n > depth) {
			now = end[--n];
			put_event(rd, number, open[n], false, now, ",\n");
		}
		if (i == f->n)
			break;
		put_event(rd, number, i, true, now, i ? ",\n" : "\n");
		open[n] = i;
		end[n++] = cost_sum_bits(now, f->all[i].value[0]);
	}
	free(open);
	free(end);
}

static void put_evented(struct render *rd, const struct frames *f, const size_t *number)
{
	out_printf(rd->o, "{\"type\":\"evented\",\"unit\":\"%s\",\"name\":",
		   stacks_unit(rd->r->unit));
	emit_name(rd->o, EMIT_JSON, rd->r->profile);
	out_c(rd->o, ",\"startValue\":0,\"endValue\":");
	out_u64(rd->o, stacks_value(rd->r->unit, f->sum[0]));
	out_c(rd->o, ",\n\"events\":[");
	put_events(rd, f, number);
	out_c(rd->o, "]}");
}

int render_speedscope(struct render *rd)
{
	const struct result *r = rd->r;
	struct frames f;
	struct frame_lines l;
	size_t *number = NULL;

	if (!stacks_and_lines(rd, "speedscope", &f, &l) &&
	    !(number = calloc(f.n + 1, sizeof(*number))))
		err_no_memory(rd->err, NULL);
	if (number) {
		out_c(rd->o,
		      "{\"$schema\":\"https://www.speedscope.app/file-format-schema.json\","
		      "\n\"exporter\":\"quern\",\"name\":");
		emit_name(rd->o, EMIT_JSON, r->query);
		if (r->proven.n)
			out_printf(rd->o, ",\"proven\":\"%.*s\"", STR_ARG(r->proven));
		out_c(rd->o, ",\n\"shared\":{\"frames\":[");
		put_names(rd, &f, &l, number);
		out_c(rd->o, "]},\n\"profiles\":[");
		if (r->on && str_eq(str_c(r->source), STR("timeline")))
			put_evented(rd, &f, number);
		else
			put_sampled(rd, &f, &l, number, false);
		if (f.sides == 2) {
			out_c(rd->o, ",\n");
			put_sampled(rd, &f, &l, number, true);
		}
		out_c(rd->o, "]}\n");
	}
	frames_lines_free(&l);
	frames_free(&f);
	free(number);
	return rd->err->kind;
}
