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

/* The place of the k-th of n frames: of its call of the next one, or of its own cost. */
static uint32_t place_in(const struct stacks *s, const struct stack *x,
			 const size_t *stack, size_t n, size_t k)
{
	return k + 1 == n ? x->place : s->site ? s->site[stack[k + 1]] : 0;
}

static void put_folded(struct render *rd, const struct frames *f, const struct stacks *s,
		       const struct stack *x, size_t *stack)
{
	const size_t n = stack_of(f, x->frame, stack);

	for (size_t k = 0; k < n; k++) {
		const uint32_t place = place_in(s, x, stack, n, k);

		out_c(rd->o, k ? ";" : "");
		emit_name(rd->o, EMIT_FRAME, f->all[stack[k]].name);
		if (place)
			out_printf(rd->o, ":%" PRIu64, s->place[place].line);
	}
	out_char(rd->o, ' ');
	if (f->sides == 2) {
		out_u64(rd->o, x->cost[1]);
		out_char(rd->o, ' ');
	}
	out_u64(rd->o, x->cost[0]);
	out_char(rd->o, '\n');
}

/* The stacks; with lines if somebody asks for source. */
static int find_stacks(struct render *rd, const char *format, struct frames *f,
		       struct stacks *s)
{
	*s = (struct stacks){0};
	return frames_of_stacks(rd, format, f) ||
			       stacks_of(rd->r, f, rd->source, s, rd->err)
		       ? rd->err->kind
		       : 0;
}

int render_folded(struct render *rd)
{
	struct frames f;
	struct stacks s;
	size_t *stack = NULL;

	if (!find_stacks(rd, "folded", &f, &s) && (stack = new_stack(rd, &f)))
		for (size_t i = 0; i < s.n && !render_cancelled(rd, i); i++) {
			if (i + AHEAD < s.n)
				__builtin_prefetch(f.all[s.all[i + AHEAD].frame].name.p);
			put_folded(rd, &f, &s, &s.all[i], stack);
		}
	free(stack);
	stacks_free(&s);
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
static int put_names(struct render *rd, const struct frames *f, const struct stacks *s,
		     size_t *number)
{
	struct sort_pair *order = calloc(f->n + 1, sizeof(*order));
	size_t distinct = 0, at[2] = {0};

	if (!order || frames_by_name(f, order, rd->err)) {
		free(order);
		return err_no_memory(rd->err, NULL);
	}
	for (size_t i = 0; i < f->n; i++) {
		const struct frame *x = &f->all[order[i].value];
		size_t *one = &at[frame_estimated(x)];

		if (i == 0 || frames_differ(f, order, i))
			at[0] = at[1] = 0;
		if (!*one) {
			out_c(rd->o, distinct ? "," : "");
			put_function(rd, marked(x), x->name, frame_file(rd->r, x), 0);
			*one = ++distinct;
		}
		number[order[i].value] = *one - 1;
	}
	for (size_t i = 2; i < 2 * s->places; i++) {
		const struct stack_place *p = &s->place[i / 2];

		out_char(rd->o, ',');
		put_function(rd, i % 2, graph_name(rd->r->graph, p->fn),
			     store_file(rd->r->graph->st, p->file), p->line);
	}
	number[f->n] = distinct;
	free(order);
	return 0;
}

/* The index of frame i at a place; 0: that is not known. */
static uint64_t at_place(const struct frames *f, const size_t *number, size_t i,
			 uint32_t place)
{
	return !place ? number[i] : number[f->n] + 2 * (place - 1) + marked(&f->all[i]);
}

static void put_samples(struct render *rd, const struct frames *f, const struct stacks *s,
			const size_t *number, bool base)
{
	size_t *stack = new_stack(rd, f);
	const char *sep = "\n[";

	for (size_t i = 0; stack && i < s->n && !render_cancelled(rd, i); i++) {
		const struct stack *x = &s->all[i];
		const size_t n = x->cost[base] ? stack_of(f, x->frame, stack) : 0;

		for (size_t k = 0; k < n; k++) {
			out_c(rd->o, k ? "," : sep);
			out_u64(rd->o, at_place(f, number, stack[k],
						place_in(s, x, stack, n, k)));
		}
		if (n) {
			out_char(rd->o, ']');
			sep = ",\n[";
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

static void put_weights(struct render *rd, const struct stacks *s, bool base)
{
	const char *sep = "";

	for (size_t i = 0; i < s->n; i++) {
		if (!s->all[i].cost[base])
			continue;
		out_c(rd->o, sep);
		out_u64(rd->o, stacks_value(rd->r->unit, s->all[i].cost[base]));
		sep = ",";
	}
}

static void put_sampled(struct render *rd, const struct frames *f, const struct stacks *s,
			const size_t *number, bool base)
{
	out_printf(rd->o, "{\"type\":\"sampled\",\"unit\":\"%s\",\"name\":",
		   stacks_unit(rd->r->unit));
	emit_name(rd->o, EMIT_JSON, base ? rd->r->base : rd->r->profile);
	out_c(rd->o, ",\"startValue\":0,\"endValue\":");
	out_u64(rd->o, stacks_value(rd->r->unit, f->sum[base]));
	out_c(rd->o, ",\n\"samples\":[");
	put_samples(rd, f, s, number, base);
	out_c(rd->o, "],\n\"weights\":[");
	put_weights(rd, s, base);
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
	struct stacks s;
	size_t *number = NULL;

	if (!find_stacks(rd, "speedscope", &f, &s) &&
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
		put_names(rd, &f, &s, number);
		out_c(rd->o, "]},\n\"profiles\":[");
		if (r->on && str_eq(str_c(r->source), STR("timeline")))
			put_evented(rd, &f, number);
		else
			put_sampled(rd, &f, &s, number, false);
		if (f.sides == 2) {
			out_c(rd->o, ",\n");
			put_sampled(rd, &f, &s, number, true);
		}
		out_c(rd->o, "]}\n");
	}
	stacks_free(&s);
	frames_free(&f);
	free(number);
	return rd->err->kind;
}
