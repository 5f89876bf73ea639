/*
 * render_svg.c - a flame graph that needs nothing but a browser.
 *
 * Frames lie on those that called them, as wide as their cost.  A click zooms, "search"
 * lights up what matches.  The script is a constant: names reach it only as the text of
 * <title> elements, escaped like every other text.
 */
#include "repl/render.h"

#include <inttypes.h>
#include <stdlib.h>

#include "repl/fit.h"
#include "repl/frames.h"
#include "repl/number.h"

enum {
	WIDTH = 1200,
	MARGIN = 10,
	TOP = 56,
	ROW = 17,
	BOTTOM = 24,
	DRAWN = 50000, /* frames at most */
};
static const double LETTER = 7.3;    /* px */
static const double NARROWEST = 0.3; /* px; what is narrower is left out, and counted */

static const char script[] =
	"<script><![CDATA[\n"
	"'use strict';\n"
	"const W=1180,M=10,L=7.3,F=[...document.querySelectorAll('.f')].map(g=>({g,\n"
	" r:g.querySelector('rect'),t:g.querySelector('text'),\n"
	" s:g.querySelector('title').textContent,x:+g.dataset.x,w:+g.dataset.w,d:+g.dataset.d}));\n"
	"const box=document.getElementById('m'),back=document.getElementById('z');\n"
	"function label(f,px){const n=f.s.split('\\n')[0],k=Math.floor((px-6)/L);\n"
	" f.t.textContent=k<3?'':n.length<=k?n:n.slice(0,k-1)+'\\u2026';}\n"
	"function zoom(z){const k=W/z.w;back.style.display=z.d?'':'none';for(const f of F){\n"
	" const x=(f.x-z.x)*k,w=f.w*k,under=f.d<z.d,on=x<W-.01&&x+w>.01;\n"
	" f.g.style.display=on?'':'none';if(!on)continue;\n"
	" const a=Math.max(0,x),b=Math.min(W,x+w);f.g.style.opacity=under?.5:1;\n"
	" f.r.setAttribute('x',M+a);f.r.setAttribute('width',Math.max(.2,b-a-.4));\n"
	" f.t.setAttribute('x',M+a+3);label(f,b-a);}}\n"
	"for(const f of F){f.g.addEventListener('click',()=>zoom(f));\n"
	" f.g.addEventListener('mouseover',()=>{box.textContent=f.s.replace('\\n','   ');});\n"
	" f.g.addEventListener('mouseout',()=>{box.textContent='';});}\n"
	"back.addEventListener('click',()=>zoom(F[0]));\n"
	"document.getElementById('s').addEventListener('click',()=>{\n"
	" const q=prompt('Light up functions matching (regular expression):');if(q===null)return;\n"
	" let e;try{e=new RegExp(q);}catch(x){alert(x.message);return;}\n"
	" for(const f of F)f.g.classList.toggle('hit',q!==''&&e.test(f.s.split('\\n')[0]));});\n"
	"]]></script>\n";

static const char style[] =
	"<style>text{font:12px ui-monospace,Menlo,Consolas,monospace;fill:#1b1b1b}"
	".h{font:bold 15px system-ui,sans-serif}.b{fill:#3367a6;cursor:pointer}"
	".f{cursor:pointer}.f:hover rect{stroke:#222;stroke-width:1}"
	".hit rect{fill:#b05cf0!important}.e rect{stroke:#8a6d3b;stroke-dasharray:3 2}"
	"</style>\n";

struct flame {
	struct render *rd;
	const struct frames *f;
	double *x;    /* px of each frame's left side, within the picture */
	double scale; /* px per cost */
	size_t height;
	uint64_t left_out;
};

/* A name has one colour wherever it stands: yellow to red. */
static void put_colour(struct out *o, struct str name)
{
	uint64_t h = str_hash(name);

	out_printf(o, "hsl(%u %u%% %u%%)", (unsigned)(12 + h % 40),
		   (unsigned)(62 + (h >> 8) % 25), (unsigned)(62 + (h >> 16) % 12));
}

static void put_frame(struct flame *fl, struct str name, uint64_t value, bool estimated,
		      size_t depth, double x)
{
	struct out *o = fl->rd->o;
	double w = (double)value * fl->scale;
	size_t y = fl->height - BOTTOM - (depth + 1) * ROW, letters;
	char cost[NUMBER_MAX], percent[NUMBER_MAX];
	struct out label;
	uint64_t whole = fl->rd->r->total;

	number_grouped(cost, value);
	number_percent(percent, whole ? 100.0 * (double)value / (double)whole : 0);
	out_printf(
		o,
		"<g class=\"f%s\" data-x=\"%.3f\" data-w=\"%.4f\" data-d=\"%zu\"><title>",
		estimated ? " e" : "", x, w, depth);
	emit_name(o, EMIT_XML, name);
	out_printf(o, "\n%s%s ", estimated ? "~" : "", cost);
	emit_name(o, EMIT_XML, fl->f->event);
	if (whole)
		out_printf(o, ", %s of all%s", percent, estimated ? ", estimated" : "");
	out_printf(
		o,
		"</title><rect x=\"%.2f\" y=\"%zu\" width=\"%.2f\" height=\"%d\" rx=\"1\" fill=\"",
		MARGIN + x, y, w > 0.6 ? w - 0.4 : w, ROW - 1);
	put_colour(o, name);
	out_printf(o, "\"/><text x=\"%.2f\" y=\"%zu\">", MARGIN + x + 3, y + 12);
	letters = w > 6 + 3 * LETTER ? (size_t)((w - 6) / LETTER) : 0;
	if (letters) {
		out_mem(&label);
		fit_put(&label, EMIT_TEXT, FIT_NAME, name, letters);
		emit_name(o, EMIT_XML, (struct str){label.buf, label.n});
		out_close(&label);
	}
	out_c(o, "</text></g>\n");
}

static void put_frames(struct flame *fl)
{
	double next = 0;
	size_t drawn = 0;

	put_frame(fl, fl->rd->r->query, fl->f->sum, false, 0, 0);
	for (size_t i = 0; i < fl->f->n && !render_cancelled(fl->rd, i); i++) {
		const struct frame *x = &fl->f->all[i];
		double *at = x->parent == FRAME_NONE ? &next : &fl->x[x->parent];
		double w = (double)x->value * fl->scale;

		/* x[] of a frame is where its next child goes. */
		fl->x[i] = *at;
		if (w < NARROWEST || drawn == DRAWN) {
			fl->left_out++;
		} else {
			put_frame(fl, x->name, x->value, x->estimated, x->depth + 1, *at);
			drawn++;
		}
		*at += w;
	}
}

static void put_head(struct flame *fl)
{
	struct out *o = fl->rd->o;
	const struct result *r = fl->rd->r;
	char sum[NUMBER_MAX];

	number_grouped(sum, fl->f->sum);
	out_c(o, "<?xml version=\"1.0\" encoding=\"UTF-8\" standalone=\"no\"?>\n");
	out_printf(
		o,
		"<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%d\" height=\"%zu\" "
		"viewBox=\"0 0 %d %zu\">\n",
		WIDTH, fl->height, WIDTH, fl->height);
	out_c(o, style);
	out_printf(o, "<rect width=\"%d\" height=\"%zu\" fill=\"#fbfaf7\"/>\n", WIDTH,
		   fl->height);
	out_printf(o, "<text class=\"h\" x=\"%d\" y=\"22\">", MARGIN);
	emit_name(o, EMIT_XML, r->query);
	out_printf(o, "</text>\n<text x=\"%d\" y=\"42\">", MARGIN);
	emit_name(o, EMIT_XML, r->profile);
	out_printf(o, ": %s ", sum);
	emit_name(o, EMIT_XML, fl->f->event);
	if (fl->f->estimated)
		out_c(o, ", partly estimated (dashed)");
	out_printf(
		o,
		"</text>\n<text class=\"b\" id=\"z\" x=\"%d\" y=\"22\" style=\"display:none\">"
		"reset zoom</text>\n<text class=\"b\" id=\"s\" x=\"%d\" y=\"22\">search</text>\n",
		WIDTH - 180, WIDTH - 70);
}

static void put_tail(struct flame *fl)
{
	struct out *o = fl->rd->o;

	out_printf(o, "<text id=\"m\" x=\"%d\" y=\"%zu\">", MARGIN, fl->height - 8);
	if (fl->left_out)
		out_printf(o, "%" PRIu64 " frames are too narrow to be drawn",
			   fl->left_out);
	out_c(o, "</text>\n");
	out_c(o, script);
	out_c(o, "</svg>\n");
}

int render_svg(struct render *rd)
{
	struct frames f;
	struct flame fl = {.rd = rd, .f = &f};

	if (frames_of(rd->r, "svg", &f, rd->err) == 0) {
		fl.x = calloc(f.n + 1, sizeof(*fl.x));
		fl.scale = f.sum ? (WIDTH - 2.0 * MARGIN) / (double)f.sum : 0;
		fl.height = TOP + (f.deepest + 2) * ROW + BOTTOM;
		if (!f.n || !f.sum) {
			err_set(rd->err, ERR_QUERY, 0,
				"there is nothing to draw: no rows with a cost");
		} else if (!fl.x) {
			err_set(rd->err, ERR_LIMIT, 0, "out of memory");
		} else {
			put_head(&fl);
			put_frames(&fl);
			put_tail(&fl);
		}
		free(fl.x);
	}
	frames_free(&f);
	return (int)rd->err->kind;
}
