/*
 * render_svg_two.c - a flame graph of two profiles.
 *
 * Frames are as wide as their cost in this profile; a switch in the picture takes the
 * base's widths.  Every frame has two places, one for each:
 *
 *	data-x data-w data-d	with this profile's widths: x, width, depth
 *	data-u data-v data-e	with the base's
 *
 * Width 0: it is not there.  Stacks that only the other profile has have no width of their
 * own: they lie beside the tree on a root named "gone: only in BASE" (with the base's widths,
 * "new: only in PROFILE"), as wide as their cost there, on copies of the frames below
 * them.  So a picture shows all cost of both.
 *
 * The colour is the change of what a frame spends itself, as flamegraph.pl paints its two
 * columns; another switch colours by the cost with all calls.
 */
#include <inttypes.h>
#include <stdio.h>

#include "engine/lang/result.h"
#include "engine/query.h"
#include "index/base/arena.h"
#include "index/base/err.h"
#include "index/base/err_kind.h"
#include "index/base/out.h"
#include "index/format/event.h"
#include "engine/graph/graph.h"
#include "engine/path/path.h"
#include "repl/render/change.h"
#include "repl/pictures/svg_in.h"
#include "repl/render/render.h"
#include "repl/term/emit.h"
#include "repl/term/number.h"

enum { HEAD = 78, HERE = 0, BASE = 1 };

struct place {
	double x, w; /* px */
	size_t depth;
};

enum kind { A_FRAME, A_COPY, A_ROOT, NARROW };

struct box { /* what is drawn beside the frames */
	enum kind kind;
	const struct frame *f; /* of a copy */
	struct str name;       /* of the others */
	uint64_t cost[2];
	struct place at[2];
};

struct two {
	struct render *rd;
	const struct frames *f;
	bool icicle;
	size_t height, deepest;
	uint64_t whole;	     /* the larger sum */
	struct place *at[2]; /* [frames]: with the widths of either */
	struct box *box;
	size_t nbox;
	uint64_t others, cut;
	struct arena names;  /* of one name at a time */
	struct arena arrays; /* all of these, and of both layouts */
};

/* ---- places ---- */

/* A layout in the making: that of side s. */
struct laying {
	struct two *t;
	int s;
	double scale;	  /* px per cost */
	bool *lost;	  /* [frames]: only in the other profile */
	uint64_t *beside; /* [frames + 1]: cost of lost frames above; the last: all */
	double *next, *copy_next; /* [frames + 1]: px where the next child goes */
	struct place *copy; /* [frames + 1]: of the copy; the last: of the root beside */
	double *thin[2];    /* [frames + 1]: px of narrow children, also of the copy */
	size_t drawn;
};

static uint64_t cost_of(const struct frame *x, int s)
{
	return s ? x->base : x->value;
}

static void find_lost(struct laying *l)
{
	const struct frames *f = l->t->f;

	for (size_t i = 0; i < f->n; i++)
		l->lost[i] = !cost_of(&f->all[i], l->s) && cost_of(&f->all[i], !l->s);
	for (size_t i = f->n; i-- > 0;) {
		const struct frame *x = &f->all[i];
		const size_t on = x->parent == FRAME_NONE ? f->n : x->parent;

		if (!l->lost[i])
			l->beside[on] += l->beside[i];
		else if (on == f->n || !l->lost[on])
			l->beside[on] += cost_of(x, !l->s);
	}
}

static struct box *add_box(struct two *t, enum kind kind, int s, struct place at)
{
	struct box *b = &t->box[t->nbox++];

	*b = (struct box){.kind = kind};
	b->at[s] = at;
	t->deepest = at.depth > t->deepest ? at.depth : t->deepest;
	return b;
}

/* Take w px at *next, if that is wide enough to be drawn; else add it to *thin. */
static bool svg_two_take(struct laying *l, double w, size_t depth, double *next,
			 double *thin, struct place *out)
{
	if (!(w > 0))
		return false;
	l->t->cut += l->drawn == DRAWN && l->s == HERE;
	if (w < SVG_NARROWEST || l->drawn >= DRAWN) {
		*thin += w;
		l->t->others += l->s == HERE;
		return false;
	}
	*out = (struct place){*next, w, depth};
	*next += w;
	l->drawn++;
	l->t->deepest = depth > l->t->deepest ? depth : l->t->deepest;
	return true;
}

/* Place frame i, or what is lost of it, beside the tree. */
static void lay_beside(struct laying *l, size_t i)
{
	struct two *t = l->t;
	const struct frame *x = &t->f->all[i];
	const size_t on = x->parent == FRAME_NONE ? t->f->n : x->parent;
	const bool deep = on < t->f->n && l->lost[on];
	const uint64_t cost = l->lost[i] ? cost_of(x, !l->s) : l->beside[i];
	struct place *to = l->lost[i] ? &t->at[l->s][i] : &l->copy[i];

	if (!cost || !((deep ? t->at[l->s][on] : l->copy[on]).w > 0) ||
	    !svg_two_take(l, (double)cost * l->scale, x->depth + t->f->rooted,
			  deep ? &l->next[on] : &l->copy_next[on], &l->thin[!deep][on],
			  to))
		return;
	*(l->lost[i] ? &l->next[i] : &l->copy_next[i]) = to->x;
	if (!l->lost[i]) {
		struct box *b = add_box(t, A_COPY, l->s, *to);

		b->f = x;
		b->cost[!l->s] = cost;
	}
}

static void lay_frame(struct laying *l, size_t i)
{
	struct two *t = l->t;
	const struct frame *x = &t->f->all[i];
	const size_t on = x->parent == FRAME_NONE ? t->f->n : x->parent;
	struct place *at = &t->at[l->s][i];

	if (on < t->f->n && !(t->at[l->s][on].w > 0))
		return;
	if (svg_two_take(l, (double)cost_of(x, l->s) * l->scale, x->depth, &l->next[on],
			 &l->thin[0][on], at))
		l->next[i] = at->x;
}

/* One frame for all children that are too narrow. */
static void lay_narrow(struct laying *l, size_t i, bool copy)
{
	struct two *t = l->t;
	const double w = l->thin[copy][i];
	const struct place *on = copy	       ? &l->copy[i]
				 : i < t->f->n ? &t->at[l->s][i]
					       : NULL;
	const size_t depth = on ? on->depth + 1 : 0;
	const bool other = copy || (i < t->f->n && l->lost[i]);
	struct box *b;

	if (w < SVG_NARROWEST || (on && !(on->w > 0)))
		return;
	b = add_box(t, NARROW, l->s,
		    (struct place){(copy ? l->copy_next : l->next)[i], w, depth});
	b->name = STR("(other)");
	b->cost[other ? !l->s : l->s] = (uint64_t)(w / l->scale + 0.5);
}

static void lay_roots(struct laying *l, double wide, double beside)
{
	struct two *t = l->t;
	struct box *b;

	l->copy[t->f->n] = (struct place){wide, beside, 0};
	l->copy_next[t->f->n] = wide;
	if (beside < SVG_NARROWEST)
		l->copy[t->f->n].w = 0;
	else {
		b = add_box(t, A_ROOT, l->s, l->copy[t->f->n]);
		b->name = l->s ? STR("new: only in ") : STR("gone: only in ");
		b->cost[!l->s] = l->beside[t->f->n];
	}
}

static void lay_all(struct laying *l)
{
	struct two *t = l->t;
	const struct frames *f = t->f;
	const double sum = (double)(l->s ? f->base_sum : f->sum);

	find_lost(l);
	l->scale = sum + (double)l->beside[f->n];
	l->scale = l->scale > 0 ? (WIDTH - 2.0 * MARGIN) / l->scale : 0;
	lay_roots(l, sum * l->scale, (double)l->beside[f->n] * l->scale);
	for (size_t i = 0; i < f->n && !render_cancelled(t->rd, i); i++) {
		if (!l->lost[i])
			lay_frame(l, i);
		lay_beside(l, i);
	}
	for (size_t i = 0; i <= f->n && !render_cancelled(t->rd, i); i++) {
		lay_narrow(l, i, false);
		lay_narrow(l, i, true);
	}
}

static int lay_side(struct two *t, int s)
{
	const size_t n = t->f->n + 1;
	struct arena *a = &t->arrays;
	struct laying l = {
		.t = t,
		.s = s,
		.lost = ARENA_ARRAY(a, bool, n),
		.beside = ARENA_ARRAY(a, uint64_t, n),
		.next = ARENA_ARRAY(a, double, n),
		.copy_next = ARENA_ARRAY(a, double, n),
		.copy = ARENA_ARRAY(a, struct place, n),
		.thin = {ARENA_ARRAY(a, double, n), ARENA_ARRAY(a, double, n)}};

	if (a->refused)
		return err_no_memory(t->rd->err, NULL);
	lay_all(&l);
	return t->rd->err->kind;
}

/* ---- text ---- */

static int64_t base_total(const struct two *t)
{
	return t->rd->r->compared ? t->rd->r->compared->total : (int64_t)t->f->base_sum;
}

static void put_cost(const struct two *t, const char *who, uint64_t cost, int64_t of,
		     bool estimated)
{
	struct out *o = t->rd->o;
	char digits[NUMBER_MAX], percent[NUMBER_MAX];

	unit_whole(digits, t->rd->r->unit, (int64_t)cost);
	out_printf(o, "%s%s%s", who, estimated && cost ? "~" : "", digits);
	if (of <= 0)
		return;
	number_percent(percent, 100.0 * (double)cost / (double)of);
	out_c(o, ", ");
	emit_name(o, EMIT_XML, str_c(percent)); /* "<0.01%" */
}

static void put_change(struct two *t, const char *what, const uint64_t cost[2],
		       const bool guess[2], bool shares)
{
	struct out *o = t->rd->o;
	char change[CHANGE_MAX];

	out_c(o, what);
	put_cost(t, "here ", cost[HERE], shares ? t->rd->r->total : 0, guess[HERE]);
	put_cost(t, "; base ", cost[BASE], shares ? base_total(t) : 0, guess[BASE]);
	change_text(change, t->rd->r->unit, (int64_t)cost[HERE], (int64_t)cost[BASE]);
	out_printf(o, "; %s", change);
}

static void put_title(struct two *t, const struct frame *x)
{
	struct out *o = t->rd->o;
	const bool guess[2] = {x->estimated, x->base_estimated};
	const uint64_t self[2] = {x->self, x->base_self};
	const uint64_t cost[2] = {x->value, x->base};

	out_c(o, "<title>");
	emit_name(o, EMIT_XML, x->name);
	put_change(t, "\n", cost, guess, true);
	if (self[0] != cost[0] || self[1] != cost[1])
		put_change(t, "\nitself: ", self, guess, false);
	if (guess[0] || guess[1])
		out_c(o, "\nestimated");
	out_c(o, "</title>");
}

static void put_box_name(struct two *t, struct out *o, enum emit_form form,
			 const struct box *b)
{
	emit_name(o, form, b->kind == A_COPY ? b->f->name : b->name);
	if (b->kind == A_ROOT)
		emit_name(o, form,
			  b->at[HERE].w > 0 ? t->rd->r->base : t->rd->r->profile);
}

static void put_box_title(struct two *t, const struct box *b)
{
	struct out *o = t->rd->o;
	const int s = !b->cost[HERE];

	out_c(o, "<title>");
	put_box_name(t, o, EMIT_XML, b);
	put_cost(t,
		 b->kind == A_COPY ? (s ? "\ngone above it: " : "\nnew above it: ")
				   : (s ? "\nbase " : "\nhere "),
		 b->cost[s], s ? base_total(t) : t->rd->r->total, b->kind == NARROW);
	out_c(o,
	      b->kind == NARROW ? "\nframes too narrow to be drawn</title>" : "</title>");
}

/* ---- drawing ---- */

static size_t svg_two_top_of(const struct two *t, size_t depth)
{
	return t->icicle ? HEAD + depth * ROW : t->height - BOTTOM - (depth + 1) * ROW;
}

static void open_frame(struct two *t, const char *kind, const struct place *here,
		       const struct place *base)
{
	out_printf(t->rd->o,
		   "<g class=\"f%s\" data-x=\"%.3f\" data-w=\"%.4f\" data-d=\"%zu\" "
		   "data-u=\"%.3f\" data-v=\"%.4f\" data-e=\"%zu\"",
		   kind, here->x, here->w, here->depth, base->x, base->w, base->depth);
	if (!(here->w > 0))
		out_c(t->rd->o, " style=\"display:none\"");
}

static void close_frame(struct two *t, const struct place *at, double own,
			struct str name)
{
	struct out *o = t->rd->o;
	const size_t y = svg_two_top_of(t, at->depth);

	out_printf(
		o,
		"<rect x=\"%.2f\" y=\"%zu\" width=\"%.2f\" height=\"%d\" rx=\"1\" fill=\"",
		MARGIN + at->x, y, at->w > 0.6 ? at->w - 0.4 : at->w, ROW - 1);
	change_put_css(o, own);
	out_c(o, "\"/>");
	svg_label(o, MARGIN + at->x + 3, y + 12, at->w, name,
		  svg_brief(t->rd, name, &t->names));
	out_c(o, "</g>\n");
}

/* The rows of a frame in the trees of both sides; false: one is not known. */
static bool rows_of_frame(const struct two *t, const struct frame *x,
			  const struct path_tree_row *row[2])
{
	const struct compared *c = t->rd->r->compared;

	for (int s = 0; s < 2; s++) {
		if (!c || !c->paths[s] || x->row == FRAME_NONE ||
		    c->row[s][x->row] == RESULT_NONE)
			return false;
		row[s] = &c->paths[s]->rows[c->row[s][x->row]];
	}
	return true;
}

/* What an estimate may only seem to change: the own cost of a function that spends the same
 * on both sides; with its calls (`all`), a cost whose bounds meet those of the base. */
static bool may_be_same(const struct two *t, const struct frame *x, bool all)
{
	const struct result *r = t->rd->r;
	const struct path_tree_row *row[2];

	if (!(x->estimated || x->base_estimated) || !rows_of_frame(t, x, row))
		return false;
	if (all)
		return row[HERE]->cost.bounded && row[BASE]->cost.bounded &&
		       row[HERE]->cost.lo <= row[BASE]->cost.hi &&
		       row[BASE]->cost.lo <= row[HERE]->cost.hi;
	return graph_self(r->graph, row[HERE]->fn, r->event_id) ==
	       graph_self(r->compared->graph, row[BASE]->fn, r->compared->event);
}

static void draw_frame(struct two *t, size_t i)
{
	const struct frame *x = &t->f->all[i];
	const struct place *here = &t->at[HERE][i], *base = &t->at[BASE][i];
	const bool guess = x->estimated || x->base_estimated;
	const double own = may_be_same(t, x, false)
				   ? 0
				   : change_of((int64_t)x->self, (int64_t)x->base_self,
					       (int64_t)t->whole, guess);
	const double all = may_be_same(t, x, true)
				   ? 0
				   : change_of((int64_t)x->value, (int64_t)x->base,
					       (int64_t)t->whole, guess);

	if (!(here->w > 0) && !(base->w > 0))
		return;
	open_frame(t, x->other ? " o" : guess ? " e" : "", here, base);
	svg_put_brief(t->rd->o, svg_brief(t->rd, x->name, &t->names));
	out_c(t->rd->o, " data-c=\"");
	change_put_css(t->rd->o, all);
	out_c(t->rd->o, "\">");
	put_title(t, x);
	close_frame(t, here, own, x->name);
}

static void draw_box(struct two *t, const struct box *b)
{
	struct out name;

	open_frame(t, b->kind == NARROW ? " o" : " x", &b->at[HERE], &b->at[BASE]);
	out_c(t->rd->o, ">");
	put_box_title(t, b);
	out_mem(&name);
	put_box_name(t, &name, EMIT_TEXT, b);
	close_frame(t, &b->at[HERE],
		    b->kind == A_ROOT
			    ? change_of((int64_t)b->cost[HERE], (int64_t)b->cost[BASE],
					(int64_t)t->whole, false)
			    : 0,
		    (struct str){name.buf, name.n});
	out_close(&name);
}

/* A frame for an answer whose frames have no root. */
static void draw_whole(struct two *t)
{
	struct frame x = {
		.name = t->rd->r->query, .value = t->f->sum, .base = t->f->base_sum};
	struct place at[2];

	for (int s = 0; s < 2; s++) {
		const double sum = (double)(s ? x.base : x.value);
		double wide = WIDTH - 2.0 * MARGIN;

		for (size_t i = 0; i < t->nbox; i++)
			if (t->box[i].kind == A_ROOT && t->box[i].at[s].w > 0)
				wide -= t->box[i].at[s].w;
		at[s] = (struct place){0, sum > 0 ? wide : 0, 0};
	}
	open_frame(t, "", &at[HERE], &at[BASE]);
	out_c(t->rd->o, " data-c=\"");
	change_put_css(t->rd->o, change_of((int64_t)x.value, (int64_t)x.base,
					   (int64_t)t->whole, false));
	out_c(t->rd->o, "\">");
	put_title(t, &x);
	close_frame(t, &at[HERE], 0, x.name);
}

static void put_legend(struct two *t)
{
	static const double steps[] = {-1, -0.7, -0.4, -0.15, 0, 0.15, 0.4, 0.7, 1};
	enum { STEPS = sizeof(steps) / sizeof(steps[0]), WIDE = 18 };
	struct out *o = t->rd->o;
	int x = MARGIN + 38;

	out_printf(o, "<text x=\"%d\" y=\"62\">less</text>", MARGIN);
	for (size_t i = 0; i < STEPS; i++, x += WIDE) {
		out_printf(o,
			   "<rect x=\"%d\" y=\"52\" width=\"%d\" height=\"12\" fill=\"",
			   x, WIDE);
		change_put_css(o, steps[i]);
		out_c(o, "\"/>");
	}
	out_printf(
		o,
		"<text x=\"%d\" y=\"62\">more than in the base; <tspan class=\"l\" "
		"data-t=\"each frame with its calls\">each frame by itself</tspan>%s"
		"</text>\n"
		"<text class=\"b c\" data-r=\"160\" x=\"%d\" y=\"62\" text-anchor=\"end\" "
		"style=\"display:none\" data-t=\"colour by itself\">colour with calls"
		"</text>\n"
		"<text class=\"b w\" data-r=\"10\" x=\"%d\" y=\"62\" text-anchor=\"end\" "
		"style=\"display:none\" data-t=\"widths of this\">widths of the base</text>\n",
		x + 8, t->f->estimated ? "; italics: estimated" : "", WIDTH - 160,
		WIDTH - MARGIN);
}

static void put_head(struct two *t)
{
	struct render *rd = t->rd;
	char sum[NUMBER_MAX], base[NUMBER_MAX], change[CHANGE_MAX];

	unit_whole(sum, rd->r->unit, (int64_t)t->f->sum);
	unit_whole(base, rd->r->unit, (int64_t)t->f->base_sum);
	change_text(change, rd->r->unit, (int64_t)t->f->sum, (int64_t)t->f->base_sum);
	svg_head(rd, t->height, (int)svg_two_top_of(t, 0), t->icicle ? ROW : -ROW);
	out_c(rd->o, "here ");
	emit_name(rd->o, EMIT_XML, rd->r->profile);
	out_printf(rd->o, ": %s ", sum);
	emit_name(rd->o, EMIT_XML, result_title(rd->r));
	out_c(rd->o, str_eq(rd->r->base, STR("base")) ? "; " : "; base ");
	emit_name(rd->o, EMIT_XML, rd->r->base);
	out_printf(rd->o, ": %s; %s", base, change);
	if (rd->r->proven.n)
		out_printf(rd->o, "; %.*s", STR_ARG(rd->r->proven));
	if (rd->r->truncated)
		out_c(rd->o, ", not all: a limit cut the rows");
	out_c(rd->o, "</text>\n");
	svg_buttons(rd->o);
	put_legend(t);
}

static void svg_two_draw(struct two *t)
{
	t->height = HEAD + (t->deepest + 3) * ROW + BOTTOM;
	put_head(t);
	if (!t->f->rooted)
		draw_whole(t);
	for (size_t i = 0; i < t->f->n && !render_cancelled(t->rd, i); i++)
		draw_frame(t, i);
	for (size_t i = 0; i < t->nbox; i++)
		draw_box(t, &t->box[i]);
	svg_tail(t->rd, t->f, t->height, t->others, t->cut);
}

void svg_two(struct render *rd, struct frames *f, bool icicle)
{
	struct two t = {.rd = rd, .f = f, .icicle = icicle};

	arena_init(&t.names, 0);
	arena_init(&t.arrays, 0);
	for (size_t i = 0; i < f->n && !f->rooted; i++)
		f->all[i].depth++;
	t.whole = f->sum > f->base_sum ? f->sum : f->base_sum;
	t.at[0] = ARENA_ARRAY(&t.arrays, struct place, f->n + 1);
	t.at[1] = ARENA_ARRAY(&t.arrays, struct place, f->n + 1);
	/* On either side a copy, its narrow frames and those of the frame; the roots. */
	t.box = ARENA_ARRAY(&t.arrays, struct box, 6 * (f->n + 1) + 2);
	if (!t.whole)
		err_set(rd->err, ERR_QUERY, 0,
			"there is nothing to draw: no rows with a cost");
	else if (t.arrays.refused)
		err_no_memory(rd->err, NULL);
	else if (!lay_side(&t, HERE) && !lay_side(&t, BASE))
		svg_two_draw(&t);
	arena_free(&t.arrays);
	arena_free(&t.names);
}
