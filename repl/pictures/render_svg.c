/*
 * render_svg.c - the tree of one or two profiles as a picture that needs only a browser.
 *
 * The root is at the top; frames hang from those that called them, the widest first.
 * A frame is as wide as its cost; of two profiles, as the larger of what it spends itself
 * and the widths of its kids, so that what is gone hangs where it was.  There are at most
 * ROWS rows and RECTS frames: kids that are narrower than some width are one hatched frame
 * "+N".
 *
 * The colour is that of the object, with the files of one that has most of the cost, or, if
 * all is one object, of the namespace or file (the six with most cost, which the legend
 * names).  Of two profiles it is the change of what a frame spends itself, by its share of
 * all changes, or else its edge is that of its cost with calls.  It is grey below 1 % of
 * them, and where the function as a whole changes the other way.
 *
 * Script and style are constants (report/picture.js, picture.css): names only occur as
 * text and in one attribute, escaped like all text.
 */
#include "index/base/arena.h"
#include "index/base/cost.h"
#include "index/base/err.h"
#include "index/base/out.h"
#include "index/base/strset.h"
#include "repl/render/render.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "engine/query.h"
#include "engine/graph/graph.h"
#include "engine/names/name.h"
#include "repl/pictures/frames.h"
#include "repl/pictures/report.h"
#include "repl/render/change.h"
#include "repl/render/fit.h"
#include "repl/render/headline.h"
#include "repl/term/number.h"

enum {
	WIDTH = 1200,
	MARGIN = 10,
	TOP = 80,
	ROW = 18,
	BOTTOM = 24,
	ROWS = 24,
	RECTS = 400,
	MOMENTS =
		2000, /* of a timeline, whose frames are narrow and have no order by width */
	GROUPS = 6,
};
#define LETTER 7.3	  /* px */
#define NARROWEST 4.	  /* px; narrower frames are merged; */
#define MOMENT 1.	  /* in a timeline */
#define SAID 0.08	  /* of the picture: frames that say their share */
#define NOISE 0.01	  /* of all changes */
#define LEAST_NAMED 0.005 /* of all: in the legend */
#define MOST_COST 0.6	  /* of all: an object that has so much is shown by its files */

/* Frames on one that are too narrow, and next to each other. */
struct rest {
	double x, wide; /* costs */
	uint64_t value[2];
	uint32_t n;
};

struct picture {
	struct render *rd;
	const struct frames *f;
	struct rest *rest;	  /* [frames] */
	double scale;		  /* px per cost */
	double narrowest, narrow; /* px */
	size_t rects, deepest, cut;
	uint8_t *group; /* [frames]: 0 .. GROUPS */
	struct strset names;
	double share[GROUPS + 1];
	uint32_t top[GROUPS]; /* of names */
	double *change[2];    /* [functions of both]: own cost less that of the base; with
				 calls */
	double changes;	      /* all of them, without their signs */
	struct arena arrays, text;
	char recursion[300]; /* frames_recursion_text() */
};

/* ---- what frames are made of ---- */

/* split: the object that is shown by its files; or empty. */
static struct str group_name(const struct picture *p, const struct frame *x, bool objects,
			     struct str split)
{
	const struct graph *g;
	uint32_t fn = x->fn;
	struct str path;

	if (!p->rd->r->graph || fn == RESULT_NONE)
		return STR("");
	g = frame_graph(p->rd->r, &fn);
	path = objects ? graph_obj(g, fn) : name_layer(x->name, graph_file(g, fn));
	if (split.n && str_eq(str_basename(path), split) &&
	    !str_eq(graph_file(g, fn), STR("???")))
		path = graph_file(g, fn);
	return str_eq(path, STR("???")) ? STR("") : str_basename(path);
}

/* Number the groups of all frames; returns how many have a name. */
static uint32_t name_groups(struct picture *p, uint32_t *of, bool objects,
			    struct str split)
{
	uint32_t none;

	p->names.n = 0;
	strset_free(&p->names);
	none = strset_add(&p->names, STR(""));
	for (size_t i = 0; i < p->f->n && !render_cancelled(p->rd, i); i++)
		of[i] = strset_add(&p->names,
				   group_name(p, &p->f->all[i], objects, split));
	return (uint32_t)p->names.n - 1 + none;
}

/* What the frames of each group spend themselves; returns the group with most, and what all
 * that have a name do. */
static uint32_t sum_groups(struct picture *p, const uint32_t *of, double *sum,
			   double *all)
{
	uint32_t best = 0;

	memset(sum, 0, (p->names.n + 1) * sizeof(*sum));
	for (size_t i = 0; i < p->f->n && !render_cancelled(p->rd, i); i++)
		sum[of[i]] += (double)p->f->all[i].self[0];
	*all = 0;
	for (uint32_t g = 1; g < p->names.n; g++) {
		*all += sum[g];
		best = sum[g] > (best ? sum[best] : 0) ? g : best;
	}
	return best;
}

static void find_groups(struct picture *p)
{
	const struct frames *f = p->f;
	uint32_t *of = ARENA_ARRAY(&p->arrays, uint32_t, f->n + 1);
	double *sum, all;
	uint32_t most;

	p->group = ARENA_ARRAY(&p->arrays, uint8_t, f->n + 1);
	if (!of || !p->group)
		return;
	if (!(sum = ARENA_ARRAY(&p->arrays, double, f->n + 2)))
		return;
	if (name_groups(p, of, true, STR("")) < 2)
		name_groups(p, of, false, STR(""));
	else if ((most = sum_groups(p, of, sum, &all)) && sum[most] >= MOST_COST * all)
		name_groups(p, of, true, p->names.at[most]);
	sum_groups(p, of, sum, &all);
	memset(p->group, GROUPS, f->n);
	for (unsigned k = 0; k < GROUPS; k++) {
		uint32_t best = 0;

		for (uint32_t g = 1; g < p->names.n; g++)
			best = sum[g] > (best ? sum[best] : 0) ? g : best;
		p->top[k] = best;
		p->share[k] = best ? sum[best] : 0;
		sum[best] = best ? -1 : sum[0];
		for (size_t i = 0; best && i < f->n && !render_cancelled(p->rd, i); i++)
			p->group[i] = of[i] == best ? (uint8_t)k : p->group[i];
	}
}

/* What the functions of both spend more than in the base. */
static int find_changes(struct picture *p)
{
	const struct result *r = p->rd->r;
	const struct compared *c = r->compared;
	uint32_t n;

	for (size_t i = 0; i < p->f->n && !render_cancelled(p->rd, i); i++)
		p->changes +=
			fabs((double)p->f->all[i].self[0] - (double)p->f->all[i].self[1]);
	if (!r->graph || !c || !c->same[0] || c->event == GRAPH_NONE)
		return 0;
	render_asks(p->rd);
	if (session_graph_event(r->graph, r->event_id, p->rd->err) ||
	    session_graph_event(c->graph, c->event, p->rd->err))
		return p->rd->err->kind;
	n = r->graph->functions;
	for (int k = 0; k < 2; k++)
		p->change[k] = ARENA_ARRAY(&p->arrays, double,
					   (size_t)n + c->graph->functions + 1);
	if (!p->change[0] || !p->change[1])
		return err_no_memory(p->rd->err, NULL);
	p->changes = 0;
	for (uint32_t i = 0; i < n && !render_cancelled(p->rd, i); i++) {
		p->change[0][i] = (double)graph_self(r->graph, i, r->event_id);
		p->change[1][i] = (double)graph_incl(r->graph, i, r->event_id);
	}
	for (uint32_t i = 0; i < c->graph->functions && !render_cancelled(p->rd, i);
	     i++) {
		const uint32_t f = c->same[1][i] != RESULT_NONE ? c->same[1][i] : n + i;

		p->change[0][f] -= (double)graph_self(c->graph, i, c->event);
		p->change[1][f] -= (double)graph_incl(c->graph, i, c->event);
	}
	for (uint32_t i = 0; i < n + c->graph->functions && !render_cancelled(p->rd, i);
	     i++)
		p->changes += fabs(p->change[0][i]);
	return p->rd->err->kind;
}

/* The share of all changes that a frame has, of what it spends itself (calls: with its
 * calls); 0: grey. */
static double change_share(const struct picture *p, const struct frame *x, bool calls)
{
	const uint64_t *cost = calls ? x->value : x->self;
	double by = (double)cost[0] - (double)cost[1];

	if (p->change[calls] && x->fn != RESULT_NONE) {
		const double all = p->change[calls][x->fn];

		by = by * all <= 0 ? 0 : fabs(by) < fabs(all) ? by : all;
	}
	return fabs(by) < NOISE * p->changes || !p->changes ? 0 : by / p->changes;
}

/* ---- text ---- */

static void put_cost(struct picture *p, const char *who, uint64_t cost, int s,
		     bool estimated)
{
	const struct result *r = p->rd->r;
	const int64_t of = !s			? r->total
			   : p->rd->r->compared ? p->rd->r->compared->total
						: (int64_t)p->f->sum[1];
	char digits[NUMBER_MAX], percent[NUMBER_MAX];

	unit_whole(digits, r->unit, (int64_t)cost);
	out_printf(p->rd->o, "%s%s%s", who, estimated && cost ? "~" : "", digits);
	if (p->f->sides == 1)
		emit_xml(p->rd->o, " ", result_title(r), "");
	if (of <= 0)
		return;
	number_percent(percent, 100.0 * (double)cost / (double)of);
	emit_xml(p->rd->o, ", ", str_c(percent), ""); /* "<0.01%" */
	if (p->f->sides == 1)
		out_c(p->rd->o, " of all");
}

static void put_costs(struct picture *p, const char *what, const uint64_t cost[2],
		      const bool guess[2])
{
	char change[CHANGE_MAX];

	out_c(p->rd->o, what);
	if (p->f->sides == 1) {
		put_cost(p, "", cost[0], 0, guess[0]);
		return;
	}
	put_cost(p, "here ", cost[0], 0, guess[0]);
	put_cost(p, "; base ", cost[1], 1, guess[1]);
	change_text(change, p->rd->r->unit, (int64_t)cost[0], (int64_t)cost[1]);
	out_printf(p->rd->o, "; %s", change);
}

/* What is estimated of its function. */
static void put_recursion(struct picture *p, const struct frame *x)
{
	static const char *const ends[] = {"th", "st", "nd", "rd"};
	const uint32_t nth = x->times + 1, end = nth / 10 % 10 == 1 ? 0 : nth % 10;
	char share[NUMBER_MAX], lost[2 * NUMBER_MAX + 80];

	if (frames_lost_text(p->rd->r, p->f, x->fn, lost, sizeof(lost)))
		emit_xml(p->rd->o, "\nof its function is ", str_c(lost), "");
	if (x->times && frame_estimated(x))
		out_printf(p->rd->o, "\n%u%s activation", nth, ends[end < 4 ? end : 0]);
	if (x->again)
		out_c(p->rd->o, "\nwith its calls of itself: how deep is not known");
	for (int s = 0; s < p->f->sides; s++)
		if (x->deeper[s]) {
			number_percent(share, 100.0 * (double)x->deeper[s] /
						      (double)x->value[s]);
			out_c(p->rd->o, "\ndeeper recursion is drawn here: ");
			emit_xml(p->rd->o, "", str_c(share),
				 s ? " of the base" : " of it");
		}
}

static void put_title(struct picture *p, const struct frame *x, struct str name)
{
	emit_xml(p->rd->o, "<title>", name, "");
	put_costs(p, "\n", x->value, x->estimated);
	if (x->self[0] != x->value[0] || x->self[1] != x->value[1])
		put_costs(p, "\nitself: ", x->self, (const bool[2]){false, false});
	if (frame_estimated(x))
		out_c(p->rd->o, "\nestimated");
	put_recursion(p, x);
	out_c(p->rd->o, "</title>");
}

/* The names of a chain: the first, and the last. */
static struct str chain_of(struct picture *p, const struct frame *x, struct str first,
			   struct str last)
{
	const char *mark = frame_repeats(x) ? " \xe2\x86\xbb" : "";
	struct str s = last;

	if (x->joined)
		s = arena_printf(&p->text, "%.*s \xe2\x80\xba %s%.*s%s", STR_ARG(first),
				 x->joined > 1 ? "\xe2\x80\xa6 \xe2\x80\xba " : "",
				 STR_ARG(last), mark);
	else if (*mark)
		s = arena_printf(&p->text, "%.*s%s", STR_ARG(last), mark);
	return s.p ? s : last;
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
 * the start of it; and the share.  ~: it is an estimate. */
static void put_label(struct picture *p, double w, struct str name, struct str brief,
		      struct str last, const char *share, bool guess)
{
	const size_t room =
		w > 6 + (3 + guess) * LETTER ? (size_t)((w - 6) / LETTER) - guess : 0;
	const size_t letters = *share ? room - strlen(share) - 1 : room;
	size_t width;
	struct out label;

	if (!letters)
		return;
	out_mem(&label);
	if (emit_width(EMIT_TEXT, name) <= letters)
		brief = name;
	else if (emit_width(EMIT_TEXT, brief) > letters)
		brief = last;
	while ((width = emit_width(EMIT_TEXT, brief)) > letters) {
		const struct str next = without_namespace(brief);

		if (next.n == brief.n)
			break;
		brief = next;
	}
	out_c(&label, guess ? "~" : "");
	fit_put(&label, EMIT_TEXT, FIT_TEXT, brief, letters);
	emit_name(p->rd->o, EMIT_XML, (struct str){label.buf, label.n});
	out_close(&label);
	if (*share)
		out_printf(p->rd->o, "<tspan> %s</tspan>", share);
}

/* ---- frames ---- */

static void open_frame(struct picture *p, const char *kind, double x, double w,
		       size_t depth)
{
	out_printf(p->rd->o,
		   "<g class=\"f%s\" role=\"treeitem\" tabindex=\"%d\" data-x=\"%.2f\" "
		   "data-w=\"%.2f\" data-d=\"%zu\"",
		   kind, depth ? -1 : 0, x, w, depth);
}

static void close_frame(struct picture *p, const char *colour, double x, double w,
			size_t depth, const struct str names[3], const char *share,
			bool guess)
{
	const size_t y = TOP + depth * ROW;
	const double drawn = w < NARROWEST ? w : w - 1;

	out_printf(p->rd->o,
		   "<rect class=\"%s\" x=\"%.2f\" y=\"%zu\" width=\"%.2f\" height=\"%d\" "
		   "rx=\"2\"/><text x=\"%.2f\" y=\"%zu\">",
		   colour, MARGIN + x, y, drawn, ROW - 1, MARGIN + x + 3, y + 13);
	put_label(p, w, names[0], names[1], names[2], share, guess);
	out_c(p->rd->o, "</text></g>\n");
}

/* "c3", or of a change "m4" (30 % of all), "m3" (10 %), "m2" (3 %), "m1", "s" (the same),
 * "l1" and so on; "thru m4": of its cost with calls alone. */
static void colour_of(const struct picture *p, size_t i, char colour[8])
{
	const struct frame *x = &p->f->all[i];
	const bool two = p->f->sides == 2;
	const double own = two ? change_share(p, x, false) : 0,
		     by = own != 0 || !two ? own : change_share(p, x, true),
		     size = fabs(by);

	if (!two)
		snprintf(colour, 8, "c%d", p->group[i]);
	else if (size > 0)
		snprintf(colour, 8, "%s%c%d", own != 0 ? "" : "thru ", by > 0 ? 'm' : 'l',
			 1 + (size >= 0.03) + (size >= 0.1) + (size >= 0.3));
	else
		snprintf(colour, 8, "s");
}

static void put_frame(struct picture *p, size_t i)
{
	const struct frame *f = &p->f->all[i];
	const double x = f->x * p->scale, w = f->wide * p->scale,
		     part = w / (WIDTH - 2.0 * MARGIN);
	const bool gone = p->f->sides == 2 && !f->value[0];
	char colour[8], share[NUMBER_MAX + 1] = "";
	struct str names[3];

	arena_reset(&p->text);
	names[2] = frames_short(p->rd->r, f->name, &p->text);
	names[1] = chain_of(p, f, frames_short(p->rd->r, f->first, &p->text), names[2]);
	names[0] = chain_of(p, f, f->first, f->name);
	if (p->text.refused)
		p->rd->o->failed = ENOMEM;
	if (part >= SAID && p->f->sides == 1)
		number_percent(share, 100 * part);
	open_frame(p,
		   f->other || gone	? " o"
		   : frame_estimated(f) ? " e"
					: "",
		   x, w, f->depth);
	emit_xml(p->rd->o, " data-n=\"", str_eq(names[0], names[1]) ? STR("") : names[1],
		 "\"");
	if (*share)
		out_printf(p->rd->o, " data-s=\"%s\"", share);
	out_char(p->rd->o, '>');
	put_title(p, f, names[0]);
	colour_of(p, i, colour);
	close_frame(p, colour, x, w, f->depth, names, share, frame_estimated(f));
}

/* Count the narrow frames on frame `on` as one, or draw it. */
static void put_rest(struct picture *p, size_t on, bool drawing)
{
	const struct rest rest = p->rest[on];
	const double x = rest.x * p->scale, px = rest.wide * p->scale;
	const size_t depth = p->f->all[on].depth + 1;
	struct str name;

	p->rest[on] = (struct rest){0};
	if (px < p->narrowest || depth >= ROWS)
		return;
	p->rects++;
	if (!drawing)
		return;
	arena_reset(&p->text);
	name = arena_printf(&p->text, "+%s", GROUPED(rest.n));
	open_frame(p, " o", x, px, depth);
	out_c(p->rd->o, "><title>");
	out_str(p->rd->o, name);
	put_costs(p, "\n", rest.value, (const bool[2]){false, false});
	out_c(p->rd->o, "\ncalls too narrow to be drawn</title>");
	close_frame(p, "r", x, px, depth, (const struct str[3]){name, name, name}, "",
		    false);
}

/* No frame is wider, or nearer to the top, than the one that it lies on. */
static bool has_room(const struct picture *p, const struct frame *x)
{
	return !x->depth || (x->wide * p->scale >= p->narrow && x->depth < ROWS);
}

/* Count the frames for which there is room, or draw them. */
static void put_frames(struct picture *p, bool drawing)
{
	const struct frames *f = p->f;

	p->rects = p->deepest = p->cut = 0;
	for (size_t i = 0; i < f->n && !render_cancelled(p->rd, i); i++) {
		const struct frame *x = &f->all[i];
		struct rest *rest = i ? &p->rest[x->parent] : NULL;

		if (has_room(p, x)) {
			if (rest)
				put_rest(p, x->parent, drawing);
			p->rects++;
			p->deepest = x->depth > p->deepest ? x->depth : p->deepest;
			if (drawing)
				put_frame(p, i);
		} else if (has_room(p, &f->all[x->parent])) {
			p->cut += x->wide * p->scale >= p->narrow;
			rest->x = rest->n++ ? rest->x : x->x;
			rest->wide += x->wide;
			cost_add_bits(&rest->value[0], x->value[0]);
			cost_add_bits(&rest->value[1], x->value[1]);
		}
	}
	for (size_t i = 0; i < f->n && !render_cancelled(p->rd, i); i++)
		put_rest(p, i, drawing);
}

/* ---- the picture ---- */

static void put_key(struct out *o, const char *colour, double x, double wide)
{
	out_printf(o,
		   "<rect class=\"%s\" x=\"%.0f\" y=\"55\" width=\"%.0f\" height=\"14\"/>"
		   "<text x=\"%.0f\" y=\"66\">",
		   colour, x, wide, wide > 20 ? x + 4 : x + wide + 4);
}

static void put_legend(struct picture *p)
{
	static const char *const steps[][2] = {
		{"l4", "-30%"}, {"l3", "-10%"}, {"l2", "-3%"},	{"l1", "-1%"}, {"s", ""},
		{"m1", "+1%"},	{"m2", "+3%"},	{"m3", "+10%"}, {"m4", "+30%"}};
	struct out *o = p->rd->o;
	double x = MARGIN;

	for (size_t i = 0; p->f->sides == 2 && i < sizeof(steps) / sizeof(*steps); i++) {
		put_key(o, steps[i][0], x, 44);
		out_printf(o, "%s</text>\n", steps[i][1]);
		x += 44;
	}
	if (p->f->sides == 2)
		out_printf(o,
			   "<text x=\"%.0f\" y=\"66\">of all changes, of each frame by "
			   "itself; grey: less, or not certain</text>\n",
			   x + 8);
	for (unsigned k = 0; k < GROUPS && p->f->sides == 1 &&
			     p->share[k] >= LEAST_NAMED * (double)p->f->sum[0];
	     k++) {
		const char colour[] = {'c', (char)('0' + k), 0};

		put_key(o, colour, x, 11);
		x += 60 + LETTER * (double)fit_put(o, EMIT_XML, FIT_TEXT,
						   p->names.at[p->top[k]], 18);
		out_printf(o, " %.0f%%</text>\n",
			   100 * p->share[k] / (double)p->f->sum[0]);
	}
}

static void put_sums(struct picture *p)
{
	const struct result *r = p->rd->r;
	struct out *o = p->rd->o;
	char sum[NUMBER_MAX], base[NUMBER_MAX], change[CHANGE_MAX];

	unit_whole(sum, r->unit, (int64_t)p->f->sum[0]);
	unit_whole(base, r->unit, (int64_t)p->f->sum[1]);
	emit_xml(o, p->f->sides == 2 ? "here " : "", r->profile, "");
	out_printf(o, ": %s ", sum);
	emit_name(o, EMIT_XML, result_title(r));
	if (p->f->sides == 2) {
		change_text(change, r->unit, (int64_t)p->f->sum[0],
			    (int64_t)p->f->sum[1]);
		emit_xml(o, str_eq(r->base, STR("base")) ? "; " : "; base ", r->base, "");
		out_printf(o, ": %s; %s", base, change);
		if (r->headline && r->headline->cause.n) {
			out_c(o, "; ");
			headline_put(o, EMIT_XML, r, 1);
		}
	}
	if (p->f->estimated)
		out_c(o, "; ~ estimated");
}

static void put_head(struct picture *p, size_t height)
{
	struct out *o = p->rd->o;

	out_printf(
		o,
		"<?xml version=\"1.0\" encoding=\"UTF-8\" standalone=\"no\"?>\n"
		"<svg xmlns=\"http://www.w3.org/2000/svg\" class=\"quern\" role=\"tree\" "
		"aria-label=\"Flame graph\" width=\"%d\" "
		"height=\"%zu\" viewBox=\"0 0 %d %zu\">\n"
		"<defs><pattern id=\"hatch\" width=\"6\" height=\"6\" "
		"patternUnits=\"userSpaceOnUse\" patternTransform=\"rotate(45)\">"
		"<path class=\"hatch\" d=\"M0 0V6\"/></pattern></defs>\n<style>\n",
		WIDTH, height, WIDTH, height);
	out_c(o, colours_css);
	out_c(o, picture_css);
	out_printf(o,
		   "</style>\n<rect class=\"back\" width=\"%d\" height=\"%zu\"/>\n"
		   "<text class=\"h\" x=\"%d\" y=\"22\">",
		   WIDTH, height, MARGIN);
	emit_name(o, EMIT_XML, p->rd->r->query);
	out_printf(o, "</text>\n<text x=\"%d\" y=\"42\">", MARGIN);
	put_sums(p);
	out_printf(o,
		   "</text>\n<text class=\"b z\" data-r=\"88\" x=\"%d\" y=\"42\" "
		   "style=\"display:none\">reset zoom</text>\n"
		   "<text class=\"b s\" data-r=\"60\" x=\"%d\" y=\"22\">search</text>\n"
		   "<text class=\"b k\" data-r=\"100\" x=\"%d\" y=\"42\""
		   " text-anchor=\"end\"></text>\n",
		   WIDTH - 88, WIDTH - 60, WIDTH - 100);
	put_legend(p);
}

/* Stacks overlap in time, as those of PHP's fibers do: the roots of a request, which begins at
 * 0, do not follow each other. */
static bool takes_turns(const struct result *r)
{
	const struct column *start = result_col(r, STR("start")),
			    *incl = result_col(r, STR("incl"));
	int64_t end = 0;
	bool is = false;

	for (size_t i = 0; i < r->rows && start && incl; i++) {
		if (r->cols[r->depth_col].u[i] > 1)
			continue;
		is |= start->i[i] && start->i[i] < end;
		end = cost_sum(start->i[i], incl->i[i]);
	}
	return is;
}

/* The text of a frame replaces this line while the mouse is on the frame. */
static void put_tail(struct picture *p, size_t height)
{
	struct out *o = p->rd->o;
	char share[NUMBER_MAX];
	const struct result *r = p->rd->r;

	if (*p->recursion) {
		out_printf(o, "<text x=\"%d\" y=\"%zu\">", MARGIN, height - 8 - ROW);
		emit_xml(o, p->f->again ? "\xe2\x86\xbb " : "", str_c(p->recursion),
			 "</text>\n");
	}
	out_printf(o, "<text class=\"m\" x=\"%d\" y=\"%zu\">+N: calls under %.0f px",
		   MARGIN, height - 8, p->narrow);
	if (p->f->joined)
		out_c(o, "; \xe2\x80\xba chain joined");
	if (p->cut)
		out_printf(o, "; deeper than %d rows: %s frames", ROWS, GROUPED(p->cut));
	if (p->f->left_out && p->f->sum[0]) {
		number_percent(share,
			       100.0 * (double)p->f->left_out / (double)p->f->sum[0]);
		emit_xml(o, "; (other): calls that the query leaves out, ", str_c(share),
			 "");
	}
	if (frames_in_time(r))
		out_printf(
			o, "; %sin the order of time; own cost is at the end of a frame",
			takes_turns(r)
				? "stacks that take turns stand beside each other, each "
				: "");
	if (r->proven.n)
		out_printf(o, "; %.*s", STR_ARG(r->proven));
	if (r->truncated)
		out_c(o, "; not all: a limit cut the rows");
	out_c(o, "</text>\n<script><![CDATA[\n");
	out_c(o, picture_js);
	out_c(o, "]]></script>\n</svg>\n");
}

static void draw(struct picture *p)
{
	const bool time = frames_in_time(p->rd->r);
	size_t height;

	p->rest = ARENA_ARRAY(&p->arrays, struct rest, p->f->n + 1);
	find_groups(p);
	if (p->f->sides == 2 && find_changes(p))
		return;
	if (p->arrays.refused) {
		err_no_memory(p->rd->err, NULL);
		return;
	}
	p->scale = (WIDTH - 2.0 * MARGIN) / p->f->all[0].wide;
	p->narrowest = time ? MOMENT : NARROWEST;
	for (p->narrow = p->narrowest;
	     put_frames(p, false), p->rects > (time ? MOMENTS : RECTS); p->narrow *= 1.25)
		if (p->rd->err->kind)
			return;
	frames_recursion_text(p->rd, p->f, p->recursion, sizeof(p->recursion));
	height = TOP + (p->deepest + 2) * ROW + BOTTOM + (*p->recursion ? ROW : 0);
	put_head(p, height);
	put_frames(p, true);
	put_tail(p, height);
}

int render_svg(struct render *rd)
{
	struct frames f;
	struct picture p = {.rd = rd, .f = &f};

	arena_init(&p.arrays, 0);
	arena_init(&p.text, 0);
	if (frames_of_picture(rd, "svg", &f) == 0)
		draw(&p);
	frames_free(&f);
	strset_free(&p.names);
	arena_free(&p.arrays);
	arena_free(&p.text);
	return rd->err->kind;
}
