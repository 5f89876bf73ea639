/*
 * render_svg.c - a flame graph (icicle: its root is at the top) that needs only a
 * browser.
 *
 * Frames lie on those that called them and are as wide as their cost.  The picture takes
 * the width of its window.  A click zooms, "search" lights up matches, the keys do both.
 * Names are short where the whole one has no room, and cut at the end.  Frames that are
 * too narrow become one frame "(other)".
 * Script and style are constants (report/picture.js, picture.css): names only occur as
 * text and in one attribute, escaped like all text.  Pictures of two profiles are in
 * render_svg_two.c.
 */
#include "engine/query.h"
#include "index/base/arena.h"
#include "index/base/err.h"
#include "index/base/err_kind.h"
#include "index/base/out.h"
#include "repl/render/render.h"

#include <errno.h>
#include <inttypes.h>
#include <string.h>

#include "engine/names/name.h"
#include "repl/render/fit.h"
#include "repl/pictures/frames.h"
#include "repl/pictures/report.h"
#include "repl/pictures/svg_in.h"
#include "repl/term/number.h"

struct flame {
	struct render *rd;
	const struct frames *f;
	double *x;	  /* px of the left side of each frame, then where its next
			     child goes */
	double *thin;	  /* px of the children of each frame that are too narrow */
	uint32_t *thin_n; /* number of these children */
	bool *drawn;
	double scale; /* px per cost */
	size_t height;
	uint64_t others, cut; /* frames in "(other)"; frames beyond DRAWN */
	bool icicle;
	struct arena names;  /* of one name at a time */
	struct arena arrays; /* all of these */
};

/* The sum that report.js makes of a text. */
static unsigned hue_of(struct str a, struct str b)
{
	unsigned h = 7;

	for (size_t i = 0; i < a.n + b.n; i++)
		h = (h * 31 + (unsigned char)(i < a.n ? a.p[i] : b.p[i - a.n])) % 4093;
	return h;
}

static struct str base_of(const struct column *c, const struct frame *x)
{
	return c && x->row != FRAME_NONE && render_is_text(c) ? str_basename(c->s[x->row])
							      : (struct str){"", 0};
}

/* As in the report: the hue is that of the object and file, the lightness that of the
 * name. */
static void put_colour(struct flame *fl, const struct frame *x)
{
	const struct result *r = fl->rd->r;
	const unsigned where = hue_of(base_of(result_col(r, STR("obj")), x),
				      base_of(result_col(r, STR("file")), x));
	const unsigned hue = 8 + where * 7 % 47;
	const int lighter = (int)(hue_of(x->name, STR("")) % 9) - 4;

	out_printf(fl->rd->o, "hsl(%u 70%% %d%%)\" style=\"--h:%u;--d:%d%%", hue,
		   74 + lighter, hue, lighter);
}

static size_t svg_top_of(const struct flame *fl, size_t depth)
{
	return fl->icicle ? TOP + depth * ROW : fl->height - BOTTOM - (depth + 1) * ROW;
}

static void put_title(struct flame *fl, const struct frame *x)
{
	struct out *o = fl->rd->o;
	char cost[NUMBER_MAX], percent[NUMBER_MAX];
	const int64_t whole = fl->rd->r->total;

	unit_whole(cost, fl->rd->r->unit, (int64_t)x->value);
	number_percent(percent, whole > 0 ? 100.0 * (double)x->value / (double)whole : 0);
	out_c(o, "<title>");
	emit_name(o, EMIT_XML, x->name);
	out_printf(o, "\n%s%s ", x->estimated ? "~" : "", cost);
	emit_name(o, EMIT_XML, result_title(fl->rd->r));
	if (whole > 0) {
		out_c(o, ", ");
		emit_name(o, EMIT_XML, str_c(percent)); /* "<0.01%" */
		out_c(o, x->estimated ? " of all, estimated" : " of all");
	}
	out_c(o, "</title>");
}

/* After the first namespace of a short name; the same if there is none. */
static struct str without_namespace(struct str s)
{
	static const char *const ends[] = {"::", "\\", "->", "/"};

	for (size_t i = 1; i + 1 < s.n && !strchr("<({ ", s.p[i - 1]); i++)
		for (size_t k = 0; k < sizeof(ends) / sizeof(ends[0]); k++)
			if (str_starts(str_from(s, i), str_c(ends[k])) &&
			    i + strlen(ends[k]) < s.n)
				return str_from(s, i + strlen(ends[k]));
	return s;
}

/* Write what fits: the whole name, the short one, that without leading namespaces, or
 * the start of it. */
void svg_label(struct out *o, double x, size_t y, double w, struct str name,
	       struct str brief)
{
	size_t letters = w > 6 + 3 * SVG_LETTER ? (size_t)((w - 6) / SVG_LETTER) : 0;
	struct out label;

	out_printf(o, "<text x=\"%.2f\" y=\"%zu\">", x, y);
	if (letters) {
		size_t width;

		out_mem(&label);
		if (!brief.n || emit_width(EMIT_TEXT, name) <= letters)
			brief = name;
		width = emit_width(EMIT_TEXT, brief);
		while (width > letters) {
			struct str next = without_namespace(brief);
			struct str gone = {brief.p, brief.n - next.n};

			if (!gone.n)
				break;
			width -= emit_width(EMIT_TEXT, gone);
			brief = next;
		}
		fit_put(&label, EMIT_TEXT, FIT_TEXT, brief, letters);
		emit_name(o, EMIT_XML, (struct str){label.buf, label.n});
		out_close(&label);
	}
	out_c(o, "</text>");
}

struct str svg_brief(struct render *rd, struct str name, struct arena *a)
{
	struct str brief;

	/* A name that a stage gave is no function's. */
	for (size_t i = 0; i < rd->r->nfilters; i++)
		if (str_starts(rd->r->filters[i], STR("collapse")))
			return (struct str){"", 0};
	arena_reset(a);
	brief = name_short(name, a);
	if (!brief.p && name.n)
		rd->o->failed = ENOMEM;
	return brief.p && !str_eq(brief, name) ? brief : (struct str){"", 0};
}

void svg_put_brief(struct out *o, struct str brief)
{
	out_c(o, " data-n=\"");
	emit_name(o, EMIT_XML, brief);
	out_char(o, '"');
}

static void put_frame(struct flame *fl, const struct frame *f, double x, double w)
{
	struct out *o = fl->rd->o;
	size_t y = svg_top_of(fl, f->depth);
	struct str brief = svg_brief(fl->rd, f->name, &fl->names);

	out_printf(o, "<g class=\"f%s\" data-x=\"%.3f\" data-w=\"%.4f\" data-d=\"%zu\"",
		   f->other	  ? " o"
		   : f->estimated ? " e"
				  : "",
		   x, w, f->depth);
	svg_put_brief(o, brief);
	out_char(o, '>');
	put_title(fl, f);
	out_printf(
		o,
		"<rect x=\"%.2f\" y=\"%zu\" width=\"%.2f\" height=\"%d\" rx=\"1\" fill=\"",
		MARGIN + x, y, w > 0.6 ? w - 0.4 : w, ROW - 1);
	put_colour(fl, f);
	out_c(o, "\"/>");
	svg_label(o, MARGIN + x + 3, y + 12, w, f->name, brief);
	out_c(o, "</g>\n");
}

/* The cost of a width of px.  Saturated. */
static uint64_t cost_of_width(const struct flame *fl, double px)
{
	double cost = px / fl->scale + 0.5;

	return cost < 0x1p63 ? (uint64_t)cost : INT64_MAX;
}

/* Draw one frame for all children that are too narrow and for the cost that the tree
 * leaves out. */
static void put_others(struct flame *fl)
{
	for (size_t i = 0; i < fl->f->n && !render_cancelled(fl->rd, i); i++) {
		const struct frame *x = &fl->f->all[i];
		struct frame other = {.name = STR("(other)"),
				      .depth = x->depth + 1,
				      .estimated = true,
				      .other = true};

		fl->others += fl->thin_n[i];
		if (!fl->drawn[i] || fl->thin[i] < SVG_NARROWEST)
			continue;
		other.value = cost_of_width(fl, fl->thin[i]);
		put_frame(fl, &other, fl->x[i], fl->thin[i]);
	}
}

static void put_frames(struct flame *fl)
{
	double next = 0;
	size_t drawn = 0;

	for (size_t i = 0; i < fl->f->n && !render_cancelled(fl->rd, i); i++) {
		const struct frame *x = &fl->f->all[i];
		bool low = x->parent == FRAME_NONE;
		double *at = low ? &next : &fl->x[x->parent];
		double w = (double)x->value * fl->scale;

		/* x[] of a frame is where its next child goes. */
		fl->x[i] = *at;
		if (!low && !fl->drawn[x->parent])
			continue;
		if (drawn == DRAWN)
			fl->cut++;
		if (!low && (w < SVG_NARROWEST || drawn == DRAWN)) {
			fl->thin[x->parent] += w;
			fl->thin_n[x->parent]++;
			continue;
		}
		fl->drawn[i] = true;
		put_frame(fl, x, *at, w);
		drawn++;
		*at += w;
	}
	put_others(fl);
}

void svg_head(struct render *rd, size_t height, int first, int step)
{
	struct out *o = rd->o;

	out_c(o, "<?xml version=\"1.0\" encoding=\"UTF-8\" standalone=\"no\"?>\n");
	out_printf(
		o,
		"<svg xmlns=\"http://www.w3.org/2000/svg\" class=\"quern\" width=\"%d\" "
		"height=\"%zu\" viewBox=\"0 0 %d %zu\"",
		WIDTH, height, WIDTH, height);
	if (step)
		out_printf(o, " data-y=\"%d\" data-h=\"%d\"", first, step);
	out_c(o, ">\n");
	out_c(o, "<style>\n");
	out_c(o, picture_css);
	out_c(o, "</style>\n");
	out_printf(o, "<rect class=\"back\" width=\"%d\" height=\"%zu\"/>\n", WIDTH,
		   height);
	out_printf(o, "<text class=\"h\" x=\"%d\" y=\"22\">", MARGIN);
	emit_name(o, EMIT_XML, rd->r->query);
	out_printf(o, "</text>\n<text x=\"%d\" y=\"42\">", MARGIN);
}

void svg_buttons(struct out *o)
{
	out_printf(
		o,
		"<text class=\"b z\" data-r=\"88\" x=\"%d\" y=\"42\" style=\"display:none\">"
		"reset zoom</text>\n"
		"<text class=\"b s\" data-r=\"60\" x=\"%d\" y=\"22\">search</text>\n",
		WIDTH - 88, WIDTH - 60);
}

static void put_svg_head(struct flame *fl)
{
	struct out *o = fl->rd->o;
	const struct result *r = fl->rd->r;
	char sum[NUMBER_MAX];

	unit_whole(sum, r->unit, (int64_t)fl->f->sum);
	svg_head(fl->rd, fl->height, 0, 0);
	emit_name(o, EMIT_XML, r->profile);
	out_printf(o, ": %s ", sum);
	emit_name(o, EMIT_XML, result_title(r));
	if (fl->f->estimated)
		out_c(o, ", partly estimated (italics)");
	if (r->proven.n)
		out_printf(o, ", %.*s", STR_ARG(r->proven));
	if (str_eq(str_c(r->source), STR("timeline")))
		out_c(o, ", in the order of time");
	if (r->truncated)
		out_c(o, ", not all: a limit cut the rows");
	out_c(o, "</text>\n");
	svg_buttons(o);
}

/* The text of a frame replaces this line while the mouse is on the frame. */
void svg_tail(struct render *rd, const struct frames *f, size_t height, uint64_t others,
	      uint64_t cut)
{
	struct out *o = rd->o;
	char share[NUMBER_MAX];

	out_printf(o, "<text class=\"m\" x=\"%d\" y=\"%zu\">", MARGIN, height - 8);
	if (str_eq(str_c(rd->r->source), STR("timeline")))
		out_c(o, "own cost is at the end of a frame; ");
	if (f->left_out && f->sum) {
		number_percent(share, 100.0 * (double)f->left_out / (double)f->sum);
		emit_name(o, EMIT_XML, str_c(share));
		out_c(o, " is in calls too many to be shown one by one: (other); ");
	}
	if (others)
		out_printf(o, "%s frames too narrow to be drawn are in (other)",
			   GROUPED(others));
	if (cut)
		out_printf(o, "; more than %s frames", GROUPED(DRAWN));
	out_printf(o,
		   "</text>\n<text class=\"b k\" data-r=\"100\" x=\"%d\" y=\"42\""
		   " text-anchor=\"end\"></text>\n",
		   WIDTH - 100);
	out_c(o, "<script><![CDATA[\n");
	out_c(o, picture_js);
	out_c(o, "]]></script>\n");
	out_c(o, "</svg>\n");
}

/* Draw the frame that all others lie on; a tree has its own. */
static void put_base(struct flame *fl)
{
	struct frame base = {.name = fl->rd->r->profile, .value = fl->f->sum};

	if (!fl->f->rooted)
		put_frame(fl, &base, 0, (double)fl->f->sum * fl->scale);
}

/* Frames that are too narrow are not drawn and need no height. */
static size_t deepest_drawn(const struct flame *fl, const struct frames *f)
{
	size_t deepest = 0;

	for (size_t i = 0; i < f->n; i++)
		if (f->all[i].depth > deepest &&
		    (double)f->all[i].value * fl->scale >= SVG_NARROWEST)
			deepest = f->all[i].depth;
	return deepest;
}

static void svg_draw(struct flame *fl, struct frames *f)
{
	arena_init(&fl->arrays, 0);
	fl->x = ARENA_ARRAY(&fl->arrays, double, f->n + 1);
	fl->thin = ARENA_ARRAY(&fl->arrays, double, f->n + 1);
	fl->thin_n = ARENA_ARRAY(&fl->arrays, uint32_t, f->n + 1);
	fl->drawn = ARENA_ARRAY(&fl->arrays, bool, f->n + 1);
	fl->scale = f->sum ? (WIDTH - 2.0 * MARGIN) / (double)f->sum : 0;
	for (size_t i = 0; i < f->n && !f->rooted; i++)
		f->all[i].depth++;
	fl->height = TOP + (deepest_drawn(fl, f) + 3) * ROW + BOTTOM;
	if (!f->n || !f->sum) {
		err_set(fl->rd->err, ERR_QUERY, 0,
			"there is nothing to draw: no rows with a cost");
	} else if (fl->arrays.refused) {
		err_no_memory(fl->rd->err, NULL);
	} else {
		put_svg_head(fl);
		put_base(fl);
		put_frames(fl);
		svg_tail(fl->rd, fl->f, fl->height, fl->others, fl->cut);
	}
	arena_free(&fl->arrays);
}

static int render_picture(struct render *rd, const char *format, bool icicle)
{
	struct frames f;
	struct flame fl = {.rd = rd, .f = &f, .icicle = icicle};

	arena_init(&fl.names, 0);
	if (frames_of(rd->r, format, &f, rd->err) == 0) {
		if (f.two)
			svg_two(rd, &f, icicle);
		else
			svg_draw(&fl, &f);
	}
	frames_free(&f);
	arena_free(&fl.names);
	return rd->err->kind;
}

int render_svg(struct render *rd)
{
	return render_picture(rd, "svg", false);
}

int render_icicle(struct render *rd)
{
	return render_picture(rd, "icicle", true);
}
