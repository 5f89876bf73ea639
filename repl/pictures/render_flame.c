/*
 * render_flame.c - the tree of pictures as text: a line for each frame of 5 % or more.
 *
 *	                          calls   own
 *	████████████████████████  100.0     ·  main
 *	████████████               52.3   3.1    parse › … › match ↻
 *	            ████████       33.0  33.0    sort
 *
 * The bar is where the frame is in a flame graph, and as wide.  Of two profiles it is as wide
 * as the larger side, and the numbers are changes in percent of the base.
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

enum { BAR = 24, BAR_MOST = 60, COLUMNS = 80, NUMBERS = 16 };
#define LEAST 0.05 /* of the whole */
#define CHANGED 1  /* percent of the base */

struct text {
	struct render *rd;
	const struct frames *f;
	struct arena names; /* of one name at a time */
	size_t columns, bar;
};

/* The nearest column of the bar; frames may record more than the whole. */
static size_t column_of(const struct text *t, double x)
{
	return (size_t)lround(fmax(0, fmin(x, 1)) * (double)t->bar);
}

static void put_bar(struct text *t, double x, double wide)
{
	const size_t from = column_of(t, x), end = column_of(t, x + wide);
	const size_t first = from < t->bar ? from : t->bar - 1;
	const size_t n = end > first ? end - first : 1;

	out_fill(t->rd->o, ' ', first);
	for (size_t i = 0; i < n; i++)
		out_c(t->rd->o, t->rd->look->utf8 ? "\xe2\x96\x88" : "#");
	out_fill(t->rd->o, ' ', t->bar - first - n);
}

static void put_name(struct text *t, const struct frame *x)
{
	const size_t indent = x->depth - !t->f->rooted;
	const bool utf8 = t->rd->look->utf8;
	const char *arrow = utf8 ? " \xe2\x80\xba " : " > ",
		   *more = utf8 ? "\xe2\x80\xa6" : "..";
	const size_t taken = t->bar + NUMBERS + indent;
	size_t left = t->columns > taken + 20 ? t->columns - taken : 20;
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

/* A share of the whole, or of two profiles its change. */
static double share(const struct text *t, const uint64_t value[2])
{
	const bool two = t->f->sides > 1;
	const double was = two ? (double)value[1] : 0;

	return 100 * ((double)value[0] - was) / fmax(1, (double)t->f->sum[two]);
}

static void put_line(struct text *t, const struct frame *x)
{
	const double whole = t->f->all[0].wide, calls_of = share(t, x->value),
		     own_of = share(t, x->self);
	const bool two = t->f->sides > 1;
	struct out *o = t->rd->o;
	char calls[16], own[16];

	put_bar(t, x->x / whole, x->wide / whole);
	snprintf(calls, sizeof(calls), two ? "%s%+.1f" : "%s%.1f",
		 frame_estimated(x) ? "~" : "", calls_of);
	snprintf(own, sizeof(own), two ? "%+.1f" : "%.1f", own_of);
	/* A dot is less than can be said; its bytes are two. */
	if (fabs(own_of) < 0.05)
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

	out_printf(o, "%*scalls   own%s\n", (int)t->bar + 2, "",
		   f->sides > 1 ? "  changes, % of the base" : "");
	for (size_t i = !f->rooted; i < f->n && !render_cancelled(t->rd, i - !f->rooted);
	     i++)
		if (f->all[i].wide >= LEAST * f->all[0].wide ||
		    (f->sides > 1 && fabs(share(t, f->all[i].value)) >= CHANGED))
			put_line(t, &f->all[i]);
	out_c(o, f->sides > 1 ? "left out: frames < 5 % that changed by less than 1 %"
			      : "left out: frames < 5 %");
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
	struct text t = {.rd = rd,
			 .f = &f,
			 .columns = rd->look->columns ? rd->look->columns : COLUMNS};

	t.bar = t.columns / 4 < BAR	   ? BAR
		: t.columns / 4 > BAR_MOST ? BAR_MOST
					   : t.columns / 4;
	arena_init(&t.names, 0);
	if (frames_of_picture(rd, "flame", &f) == 0)
		put_lines(&t);
	arena_free(&t.names);
	frames_free(&f);
	return rd->err->kind;
}
