/*
 * render_flame.c - the tree of pictures as text: a line for each frame of 5 % or more.
 *
 *	                          calls   own
 *	████████████████████████  100.0     ·  main
 *	████████████               52.3   3.1    parse › … › match ↻
 *	            ████████       33.0  33.0    sort
 *
 * The bar is where the frame is in a flame graph, and as wide.
 */
#include "index/base/arena.h"
#include "index/base/err.h"
#include "index/base/out.h"
#include "repl/render/render.h"

#include <math.h>
#include <stdio.h>

#include "repl/pictures/frames.h"
#include "repl/render/brief.h"
#include "repl/render/fit.h"

enum { BAR = 24, COLUMNS = 80, NUMBERS = 16 };
#define LEAST 0.05 /* of the whole */

struct text {
	struct render *rd;
	const struct frames *f;
	struct arena names; /* of one name at a time */
};

/* The nearest column of the bar; frames may record more than the whole. */
static size_t column_of(double x)
{
	return (size_t)lround(fmax(0, fmin(x, 1)) * BAR);
}

static void put_bar(struct text *t, double x, double wide)
{
	const size_t from = column_of(x), end = column_of(x + wide);
	const size_t first = from < BAR ? from : BAR - 1;
	const size_t n = end > first ? end - first : 1;

	out_fill(t->rd->o, ' ', first);
	for (size_t i = 0; i < n; i++)
		out_c(t->rd->o, t->rd->look->utf8 ? "\xe2\x96\x88" : "#");
	out_fill(t->rd->o, ' ', BAR - first - n);
}

static void put_name(struct text *t, const struct frame *x)
{
	const size_t indent = x->depth - !t->f->rooted;
	const bool utf8 = t->rd->look->utf8;
	const char *arrow = utf8 ? " \xe2\x80\xba " : " > ",
		   *more = utf8 ? "\xe2\x80\xa6" : "..";
	const size_t columns = t->rd->look->columns ? t->rd->look->columns : COLUMNS;
	size_t left = columns > BAR + NUMBERS + indent + 20
			      ? columns - BAR - NUMBERS - indent
			      : 20;
	const enum emit_form form = utf8 ? EMIT_TEXT : EMIT_ASCII;
	struct out *o = t->rd->o;

	arena_reset(&t->names);
	out_fill(o, ' ', indent);
	left -= frame_repeats(x) ? 2 : 0;
	if (x->joined) {
		left -= 3 + fit_put(o, form, FIT_NAME,
				    brief_name(t->rd->r, x->first, &t->names), left / 3);
		out_c(o, arrow);
		if (x->joined > 1) {
			out_printf(o, "%s%u%s%s", more, x->joined - 1, more, arrow);
			left -= 9;
		}
	}
	fit_put(o, form, FIT_NAME, brief_name(t->rd->r, x->name, &t->names),
		left < 8 ? 8 : left);
	out_c(o, !frame_repeats(x) ? "\n" : utf8 ? " \xe2\x86\xbb\n" : " @\n");
}

static void put_line(struct text *t, const struct frame *x)
{
	const double whole = (double)t->f->sum[0];
	struct out *o = t->rd->o;
	char calls[16], own[16];

	put_bar(t, x->x / whole, (double)x->value[0] / whole);
	snprintf(calls, sizeof(calls), "%s%.1f", frame_estimated(x) ? "~" : "",
		 100 * (double)x->value[0] / whole);
	snprintf(own, sizeof(own), "%.1f", 100 * (double)x->self[0] / whole);
	/* A dot is less than can be said; its bytes are two. */
	if ((double)x->self[0] < 0.0005 * whole)
		snprintf(own, sizeof(own), t->rd->look->utf8 ? " \xc2\xb7" : ".");
	out_printf(o, "%7s%*s  ", calls, own[0] == ' ' ? 7 : 6, own);
	put_name(t, x);
}

static void put_lines(struct text *t)
{
	const struct frames *f = t->f;
	const bool utf8 = t->rd->look->utf8;
	struct out *o = t->rd->o;
	char deep[300];

	out_printf(o, "%*scalls   own\n", BAR + 2, "");
	for (size_t i = !f->rooted; i < f->n && !render_cancelled(t->rd, i - !f->rooted);
	     i++)
		if ((double)f->all[i].value[0] >= LEAST * (double)f->sum[0])
			put_line(t, &f->all[i]);
	out_c(o, "left out: frames < 5 %");
	frames_recursion_text(t->rd, f, deep, sizeof(deep));
	if (*deep) {
		out_c(o, !f->again ? "; " : utf8 ? "; \xe2\x86\xbb " : "; @ ");
		emit_name(o, utf8 ? EMIT_TEXT : EMIT_ASCII, str_c(deep));
	}
	if (f->joined)
		out_c(o, utf8 ? "; \xe2\x80\xba chain joined" : "; > chain joined");
	if (t->rd->r->proven.n)
		out_printf(o, "; %.*s", STR_ARG(t->rd->r->proven));
	out_char(o, '\n');
}

int render_flame(struct render *rd)
{
	struct frames f;
	struct text t = {.rd = rd, .f = &f};

	if (rd->r->base.n)
		return render_one_profile(rd, "flame", "calltree vs base > x.svg");
	arena_init(&t.names, 0);
	if (frames_of_picture(rd, "flame", &f) == 0)
		put_lines(&t);
	arena_free(&t.names);
	frames_free(&f);
	return rd->err->kind;
}
