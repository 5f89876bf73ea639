/*
 * render_stacks.c - stacks for other tools: folded (flamegraph.pl, inferno) and speedscope.
 *
 *	folded:   main;run;parse 1234		one line per stack with a cost of its own
 *	with lines (--with-source): main:12;run:40;parse:7 1000
 *	of two profiles: main;run;parse 1200 1234	cost in the base, then in this one,
 *		as difffolded.pl writes it; speedscope: two profiles of the same frames
 */
#include "engine/graph/graph.h"
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
	return k + 1 == n ? x->place : s->site[stack[k + 1]];
}

static void put_folded(struct render *rd, const struct frames *f, const struct stacks *s,
		       const struct stack *x, size_t *stack)
{
	const size_t n = stack_of(f, x->frame, stack);

	for (size_t k = 0; k < n; k++) {
		const uint64_t line =
			s->places ? s->place[place_in(s, x, stack, n, k)].line : 0;

		out_c(rd->o, k ? ";" : "");
		emit_name(rd->o, EMIT_FRAME, f->all[stack[k]].name);
		if (line)
			out_printf(rd->o, ":%" PRIu64, line);
	}
	out_char(rd->o, ' ');
	if (f->sides == 2) {
		out_u64(rd->o, x->cost[1]);
		out_char(rd->o, ' ');
	}
	out_u64(rd->o, x->cost[0]);
	out_char(rd->o, '\n');
}

/* Without lines a frame is its own place. */
static void put_frames(struct render *rd, const struct frames *f, size_t *stack)
{
	static const struct stacks none;

	for (size_t i = 0; i < f->n && !render_cancelled(rd, i); i++) {
		const uint64_t *self = f->all[i].self;

		if (i + AHEAD < f->n)
			__builtin_prefetch(f->all[i + AHEAD].name.p);
		if (self[0] || self[1])
			put_folded(rd, f, &none,
				   &(struct stack){(uint32_t)i, 0, {self[0], self[1]}},
				   stack);
	}
}

int render_folded(struct render *rd)
{
	struct frames f;
	struct stacks s = {0};
	size_t *stack = NULL;

	if (frames_of_stacks(rd, "folded", &f) || !(stack = new_stack(rd, &f)))
		;
	else if (!rd->source)
		put_frames(rd, &f, stack);
	else if (!stacks_of(rd, &f, true, &s))
		for (size_t i = 0; i < s.n && !render_cancelled(rd, i); i++)
			put_folded(rd, &f, &s, &s.all[i], stack);
	free(stack);
	stacks_free(&s);
	frames_free(&f);
	return rd->err->kind;
}

/* ---- speedscope: https://www.speedscope.app/file-format-schema.json, "sampled" ---- */

static void put_place(struct render *rd, const struct frames *f,
		      const struct stack_place *x)
{
	const struct str file = stack_file(rd->r, f, x);

	out_c(rd->o, "\n{\"name\":");
	emit_name(rd->o, EMIT_JSON, f->all[x->frame].name);
	if (file.n) {
		out_c(rd->o, ",\"file\":");
		emit_name(rd->o, EMIT_JSON, file);
	}
	if (x->line)
		out_printf(rd->o, ",\"line\":%" PRIu64, x->line);
	out_char(rd->o, '}');
}

static void put_places(struct render *rd, const struct frames *f, const struct stacks *s)
{
	for (size_t i = 0; i < s->places && !render_cancelled(rd, i); i++) {
		out_c(rd->o, i ? "," : "");
		put_place(rd, f, &s->place[i]);
	}
}

static void put_samples(struct render *rd, const struct frames *f, const struct stacks *s,
			bool base)
{
	size_t *stack = new_stack(rd, f);
	const char *sep = "\n[";

	for (size_t i = 0; stack && i < s->n && !render_cancelled(rd, i); i++) {
		const struct stack *x = &s->all[i];
		const size_t n = x->cost[base] ? stack_of(f, x->frame, stack) : 0;

		for (size_t k = 0; k < n; k++) {
			out_c(rd->o, k ? "," : sep);
			out_u64(rd->o, place_in(s, x, stack, n, k));
		}
		if (n) {
			out_char(rd->o, ']');
			sep = ",\n[";
		}
	}
	free(stack);
}

static void put_weights(struct render *rd, const struct stacks *s, bool base)
{
	const char *sep = "";

	for (size_t i = 0; i < s->n && !render_cancelled(rd, i); i++) {
		if (!s->all[i].cost[base])
			continue;
		out_c(rd->o, sep);
		out_u64(rd->o, stacks_value(rd->r->unit, s->all[i].cost[base]));
		sep = ",";
	}
}

/* ---- "evented": frames in the order of time ---- */

static void put_event(struct render *rd, const struct stacks *s, size_t i, bool opens,
		      uint64_t at, const char *sep)
{
	out_printf(rd->o, "%s{\"type\":\"%c\",\"frame\":%" PRIu32 ",\"at\":", sep,
		   opens ? 'O' : 'C', s->own[i]);
	out_u64(rd->o, stacks_value(rd->r->unit, at));
	out_char(rd->o, '}');
}

/* A frame begins where the one before it ends, and spends its own cost at its end. */
static void put_events(struct render *rd, const struct frames *f, const struct stacks *s)
{
	size_t *open = new_stack(rd, f), n = 0;
	uint64_t *end = calloc(f->deepest + 2, sizeof(*end)), now = 0;

	for (size_t i = 0; open && end && i <= f->n && !render_cancelled(rd, i); i++) {
		const size_t depth = i < f->n ? f->all[i].depth : 0;

		while (n > depth) {
			now = end[--n];
			put_event(rd, s, open[n], false, now, ",\n");
		}
		if (i == f->n)
			break;
		put_event(rd, s, i, true, now, i ? ",\n" : "\n");
		open[n] = i;
		end[n++] = cost_sum_bits(now, f->all[i].value[0]);
	}
	free(open);
	free(end);
}

static void put_profile(struct render *rd, const struct frames *f, const struct stacks *s,
			bool base)
{
	const bool time = rd->r->on && frames_in_time(rd->r);

	out_printf(rd->o, "{\"type\":\"%s\",\"unit\":\"%s\",\"name\":",
		   time ? "evented" : "sampled", stacks_unit(rd->r->unit, "none"));
	emit_name(rd->o, EMIT_JSON, base ? rd->r->base : rd->r->profile);
	out_c(rd->o, ",\"startValue\":0,\"endValue\":");
	out_u64(rd->o, stacks_value(rd->r->unit, f->sum[base]));
	out_c(rd->o, time ? ",\n\"events\":[" : ",\n\"samples\":[");
	if (time) {
		put_events(rd, f, s);
	} else {
		put_samples(rd, f, s, base);
		out_c(rd->o, "],\n\"weights\":[");
		put_weights(rd, s, base);
	}
	out_c(rd->o, "]}");
}

int render_speedscope(struct render *rd)
{
	const struct result *r = rd->r;
	struct frames f;
	struct stacks s = {0};

	if (!frames_of_stacks(rd, "speedscope", &f) &&
	    !stacks_of(rd, &f, rd->source, &s)) {
		out_c(rd->o,
		      "{\"$schema\":\"https://www.speedscope.app/file-format-schema.json\","
		      "\n\"exporter\":\"quern\",\"name\":");
		emit_name(rd->o, EMIT_JSON, r->query);
		if (r->proven.n)
			out_printf(rd->o, ",\"proven\":\"%.*s\"", STR_ARG(r->proven));
		out_c(rd->o, ",\n\"shared\":{\"frames\":[");
		put_places(rd, &f, &s);
		out_c(rd->o, "]},\n\"profiles\":[");
		for (int side = 0; side < f.sides; side++) {
			out_c(rd->o, side ? ",\n" : "");
			put_profile(rd, &f, &s, side);
		}
		out_c(rd->o, "]}\n");
	}
	stacks_free(&s);
	frames_free(&f);
	return rd->err->kind;
}
