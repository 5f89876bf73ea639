/*
 * render_stacks.c - stacks for other tools: folded (flamegraph.pl, inferno) and speedscope.
 *
 *	folded:   main;run;parse 1234		one line per stack with a cost of its own
 *	of two profiles: main;run;parse 1200 1234	cost in the base, then in this one,
 *		as difffolded.pl writes it; speedscope: two profiles of the same frames
 */
#include "engine/query.h"
#include "index/base/cost.h"
#include "index/base/err.h"
#include "index/base/out.h"
#include "repl/render/render.h"

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

int render_folded(struct render *rd)
{
	struct frames f;
	size_t *stack = NULL;

	if (frames_of_stacks(rd, "folded", &f) == 0 && (stack = new_stack(rd, &f))) {
		for (size_t i = 0; i < f.n && !render_cancelled(rd, i); i++) {
			size_t n = stack_of(&f, i, stack);

			if (i + AHEAD < f.n)
				__builtin_prefetch(f.all[i + AHEAD].name.p);
			if (!f.all[i].self[0] && !f.all[i].self[1])
				continue;
			for (size_t k = 0; k < n; k++) {
				out_c(rd->o, k ? ";" : "");
				emit_name(rd->o, EMIT_FRAME, f.all[stack[k]].name);
			}
			out_char(rd->o, ' ');
			if (f.sides == 2) {
				out_u64(rd->o, f.all[i].self[1]);
				out_char(rd->o, ' ');
			}
			out_u64(rd->o, f.all[i].self[0]);
			out_char(rd->o, '\n');
		}
	}
	free(stack);
	frames_free(&f);
	return rd->err->kind;
}

/* ---- speedscope: https://www.speedscope.app/file-format-schema.json, "sampled" ---- */

/* Tables mark an estimate by ~; so do frames, whose costs are in their order alone. */
static void put_function(struct render *rd, const struct frame *x, struct str file)
{
	const bool marked = frame_estimated(x) && !x->other;
	struct out name;

	out_mem(&name);
	out_c(&name, marked ? "~" : "");
	out_str(&name, x->name);
	out_c(rd->o, "\n{\"name\":");
	emit_name(rd->o, EMIT_JSON, marked ? (struct str){name.buf, name.n} : x->name);
	if (file.n) {
		out_c(rd->o, ",\"file\":");
		emit_name(rd->o, EMIT_JSON, file);
	}
	out_char(rd->o, '}');
	if (name.failed)
		err_no_memory(rd->err, NULL);
	out_close(&name);
}

/* Write the functions, once as measured and once as estimated; number[i]: the index of frame
 * i's. */
static int put_names(struct render *rd, const struct frames *f, size_t *number)
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
			put_function(rd, x, frames_file(rd->r, f, order, first));
			*one = ++distinct;
		}
		number[order[i].value] = *one - 1;
	}
	free(order);
	return 0;
}

static uint64_t own_of(const struct frame *x, bool base)
{
	return x->self[base];
}

static void put_samples(struct render *rd, const struct frames *f, const size_t *number,
			bool base)
{
	size_t *stack = new_stack(rd, f);
	const char *sep = "\n[";

	for (size_t i = 0; stack && i < f->n && !render_cancelled(rd, i); i++) {
		size_t n = own_of(&f->all[i], base) ? stack_of(f, i, stack) : 0;

		for (size_t k = 0; k < n; k++) {
			out_c(rd->o, k ? "," : sep);
			out_u64(rd->o, number[stack[k]]);
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

static void put_weights(struct render *rd, const struct frames *f, bool base)
{
	const char *sep = "";

	for (size_t i = 0; i < f->n; i++) {
		if (!own_of(&f->all[i], base))
			continue;
		out_c(rd->o, sep);
		out_u64(rd->o, stacks_value(rd->r->unit, own_of(&f->all[i], base)));
		sep = ",";
	}
}

static void put_sampled(struct render *rd, const struct frames *f, const size_t *number,
			bool base)
{
	out_printf(rd->o, "{\"type\":\"sampled\",\"unit\":\"%s\",\"name\":",
		   stacks_unit(rd->r->unit));
	emit_name(rd->o, EMIT_JSON, base ? rd->r->base : rd->r->profile);
	out_c(rd->o, ",\"startValue\":0,\"endValue\":");
	out_u64(rd->o, stacks_value(rd->r->unit, f->sum[base]));
	out_c(rd->o, ",\n\"samples\":[");
	put_samples(rd, f, number, base);
	out_c(rd->o, "],\n\"weights\":[");
	put_weights(rd, f, base);
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
	size_t *number = NULL;

	if (frames_of_stacks(rd, "speedscope", &f) == 0 &&
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
		put_names(rd, &f, number);
		out_c(rd->o, "]},\n\"profiles\":[");
		if (r->on && str_eq(str_c(r->source), STR("timeline")))
			put_evented(rd, &f, number);
		else
			put_sampled(rd, &f, number, false);
		if (f.sides == 2) {
			out_c(rd->o, ",\n");
			put_sampled(rd, &f, number, true);
		}
		out_c(rd->o, "]}\n");
	}
	frames_free(&f);
	free(number);
	return rd->err->kind;
}
