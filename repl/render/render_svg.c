/*
 * render_svg.c - a flame graph (icicle: its root is at the top) that needs only a
 * browser.
 *
 * Frames lie on those that called them and are as wide as their cost.  The picture takes
 * the width of its window.  A click zooms, "search" lights up matches, the keys do both.
 * Names are short where the whole one has no room, and cut at the end.  Frames that are too narrow become one frame "(other)".
 * The script is a constant: names only occur as the text of <title> elements, escaped
 * like all text.  Pictures of two profiles are in render_svg_two.c.
 */
#include "repl/render/render.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "engine/names/name.h"
#include "repl/render/fit.h"
#include "repl/render/frames.h"
#include "repl/render/svg_in.h"
#include "repl/term/number.h"

static const char script[] =
	"<script><![CDATA[\n"
	"'use strict';(()=>{\n"
	"const root=(document.currentScript||document.querySelector('.quern script')).closest('svg'),\n"
	" by=c=>root.querySelector('.'+c),alone=root===document.documentElement;\n"
	"const BASE=1180,M=10,L=7.3,F=[...root.querySelectorAll('.f')].map((g,i)=>{\n"
	" const a=g.dataset,p=[{x:+a.x,w:+a.w,d:+a.d},{x:+a.u,w:+a.v,d:+a.e}],s=g.querySelector('title').textContent;\n"
	" return {g,i,p,...p[0],r:g.querySelector('rect'),t:g.querySelector('text'),s,n:s.split('\\n')[0]};});\n"
	"const box=by('m'),back=by('z'),found=by('k'),wide=by('w'),tint=by('c'),said=box.textContent;\n"
	"const H=+root.getAttribute('height'),all={x:0,w:BASE,d:0};let at=all,side=0,W=BASE,cur=null,test=null;\n"
	/* What fits: the whole name, the short one, that without leading namespaces, or the
	 * start of it. */
	"function label(f,px){const k=Math.floor((px-6)/L);let n=f.n.length<=k?f.n:f.g.dataset.n||f.n;\n"
	" for(let m;n.length>k&&(m=/^[^<({ ]+?(?:::|\\\\|->|\\/)(?=[^:])/.exec(n));)n=n.slice(m[0].length);\n"
	" f.t.textContent=k<3?'':n.length<=k?n:n.slice(0,k-1)+'\\u2026';}\n"
	"function zoom(z){at=z;const k=W/z.w;back.style.display=z.w<BASE-.01?'':'none';for(const f of F){\n"
	" const x=(f.x-z.x)*k,w=f.w*k,under=f.d<z.d,on=f.w>0&&x<W-.01&&x+w>.01;\n"
	" f.g.style.display=on?'':'none';if(!on)continue;\n"
	" const a=Math.max(0,x),b=Math.min(W,x+w);f.g.style.opacity=under?.5:1;\n"
	" f.r.setAttribute('x',M+a);f.r.setAttribute('width',Math.max(.2,b-a-.4));\n"
	" f.t.setAttribute('x',M+a+3);label(f,b-a);}}\n"
	/* As wide as the window, or as what the picture stands in. */
	"function fit(){root.removeAttribute('viewBox');root.setAttribute('width','100%');root.style.height=H+'px';\n"
	" const w=Math.max(300,root.getBoundingClientRect().width);W=w-2*M;by('back').setAttribute('width',w);\n"
	" for(const b of root.querySelectorAll('[data-r]'))b.setAttribute('x',w-b.dataset.r);zoom(at);}\n"
	"function search(q){let e=null,n=0,w=0,end=-1;field.classList.remove('bad');\n"
	" if(q)try{e=new RegExp(q,/[A-Z]/.test(q)?'':'i');}catch(x){field.classList.add('bad');}\n"
	" for(const f of F)f.g.classList.toggle('hit',!!e&&f.d>0&&e.test(f.n));\n"
	/* A matching frame on another one is already counted with it. */
	" for(const f of F.filter(f=>f.w>0&&f.g.classList.contains('hit')).sort((a,b)=>a.x-b.x||a.d-b.d)){\n"
	"  n++;if(f.x>=end-1e-3){w+=f.w;end=f.x+f.w;}}\n"
	" found.textContent=e?n.toLocaleString('en-US')+' match, '+(100*w/BASE).toFixed(2)+'% (click to clear)':'';}\n"
	/* A field to type in; it appears at "search" or with /. */
	"const XH='http://www.w3.org/1999/xhtml',hold=document.createElementNS('http://www.w3.org/2000/svg','foreignObject'),\n"
	" field=document.createElementNS(XH,'input');\n"
	"for(const [k,v] of [['width',280],['height',26],['y',5],['data-r',290]])hold.setAttribute(k,v);\n"
	"field.setAttribute('placeholder','regular expression');field.setAttribute('aria-label','Search');\n"
	"field.style.cssText='width:100%;box-sizing:border-box;font:12px ui-monospace,Menlo,Consolas,monospace;padding:3px 6px';\n"
	"hold.style.display='none';hold.append(field);root.append(hold);\n"
	"field.addEventListener('input',()=>search(field.value));\n"
	"const ask=()=>{hold.style.display='';by('s').style.display='none';field.focus();field.select();};\n"
	"const clear=()=>{field.value='';search('');hold.style.display='none';by('s').style.display='';};\n"
	"const tell=f=>{box.textContent=f?f.s.replace(/\\n/g,'   '):said;};\n"
	"function mark(f){if(cur)cur.g.classList.remove('cur');cur=f;if(f)f.g.classList.add('cur');tell(f);}\n"
	/* Arrows: the frame beside, on, or below the marked one, as they lie on the screen. */
	"function move(key){const up=cur&&F.some(f=>f.d===cur.d+1&&+f.r.getAttribute('y')<+cur.r.getAttribute('y'))||!cur;\n"
	" const seen=F.filter(f=>f.w>0&&f.g.style.display!=='none');if(!cur){mark(seen.find(f=>f.d===at.d)||seen[0]);return;}\n"
	" const dir={ArrowUp:up?1:-1,ArrowDown:up?-1:1}[key],in_=(a,b)=>a.x>=b.x-1e-3&&a.x<b.x+b.w-1e-3;\n"
	" const to=dir===1?seen.filter(f=>f.d===cur.d+1&&in_(f,cur)).sort((a,b)=>b.w-a.w)[0]\n"
	"  :dir===-1?seen.find(f=>f.d===cur.d-1&&in_(cur,f))\n"
	"  :key==='ArrowRight'?seen.filter(f=>f.d===cur.d&&f.x>cur.x).sort((a,b)=>a.x-b.x)[0]\n"
	"  :seen.filter(f=>f.d===cur.d&&f.x<cur.x).sort((a,b)=>b.x-a.x)[0];\n"
	" if(to)mark(to);}\n"
	"const out=()=>zoom(at===all?all:F.filter(f=>f.d===at.d-1&&f.x<=at.x+1e-3&&f.x+f.w>=at.x+at.w-1e-3)[0]||all);\n"
	"for(const f of F){f.g.addEventListener('click',()=>{zoom(f);mark(f);});\n"
	" f.g.addEventListener('mouseover',()=>tell(f));f.g.addEventListener('mouseout',()=>tell(cur));}\n"
	"back.addEventListener('click',()=>zoom(all));\n"
	"found.addEventListener('click',clear);\n"
	"by('s').addEventListener('click',ask);\n"
	"document.addEventListener('keydown',x=>{if(x.ctrlKey||x.altKey||x.metaKey)return;\n"
	" if(x.key==='Escape'){if(field.value||hold.style.display!=='none')clear();else{zoom(all);mark(null);}return;}\n"
	" if(x.target===field||/^(INPUT|SELECT|BUTTON)$/.test(x.target.tagName)||!(alone||cur||x.key==='/'))return;\n"
	" if(x.key==='/')ask();else if(/^Arrow/.test(x.key))move(x.key);else if(x.key==='Enter'&&cur)zoom(cur);\n"
	" else if(x.key==='Backspace')out();\n"
	" else if(x.key==='?')box.textContent='Keys: / search, arrows mark a frame, Enter zooms, Backspace zooms out, Esc shows all';\n"
	" else return;x.preventDefault();});\n"
	/* Two profiles: the widths of either, the colours of frames alone or with calls. */
	"function turn(b,act){b.style.display='';b.addEventListener('click',()=>{\n"
	" const t=b.textContent;b.textContent=b.dataset.t;b.dataset.t=t;act();});}\n"
	"if(wide){const y=+root.dataset.y,h=+root.dataset.h;turn(wide,()=>{side=1-side;for(const f of F){\n"
	"  Object.assign(f,f.p[side]);f.r.setAttribute('y',y+h*f.d);f.t.setAttribute('y',y+h*f.d+12);}\n"
	"  clear();zoom(at.w>0?at:all);});\n"
	" turn(tint,()=>{for(const f of F)if(f.g.dataset.c){const c=f.r.getAttribute('fill');\n"
	"  f.r.setAttribute('fill',f.g.dataset.c);f.g.dataset.c=c;}\n"
	"  const l=by('l'),t=l.textContent;l.textContent=l.dataset.t;l.dataset.t=t;});}\n"
	"addEventListener('resize',fit);fit();\n"
	"})();\n"
	"]]></script>\n";

/* The palette of the report (report.css): yellow to red, light and dark.  fill is for
 * viewers that know no var(). */
static const char style[] =
	"<style>.quern{--l:74%;--s:70%;background:#fbfaf7}"
	".quern text{font:12px ui-monospace,Menlo,Consolas,monospace;fill:#1b1b1b}"
	".quern .h{font:bold 15px system-ui,sans-serif}"
	".quern .b{fill:#2f5f9a;cursor:pointer}.quern .back{fill:#fbfaf7}"
	".quern .f{cursor:pointer}.quern .f:hover rect{stroke:#222;stroke-width:1}"
	".quern .f rect[style]{fill:hsl(var(--h) var(--s) calc(var(--l) + var(--d)))}"
	".quern .cur rect{stroke:#222;stroke-width:2}"
	".quern .hit rect{fill:#b98cf0!important}"
	".quern .e text,.quern .x text{font-style:italic}.quern .e rect{fill-opacity:.78}"
	".quern .o rect{fill:#e6e2d8!important;stroke:none}.quern .bad{outline:2px solid #c22}"
	"@media(prefers-color-scheme:dark){.quern{--l:34%;--s:48%;background:#212327}.quern .back{fill:#212327}"
	".quern>text{fill:#e6e3dc}.quern>text.b{fill:#8db9ee}"
	".quern:not([data-y]) .f text{fill:#f4efe6}.quern .f:hover rect,.quern .cur rect{stroke:#eee}"
	".quern:not([data-y]) .o rect{fill:#3a3d42!important}"
	".quern:not([data-y]) .hit rect{fill:#7446b8!important}"
	".quern[data-y] .f rect{filter:brightness(.82)}}"
	"</style>\n";

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
	struct arena names; /* of one name at a time */
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
	uint64_t whole = fl->rd->r->total;

	unit_whole(cost, fl->rd->r->unit, x->value);
	number_percent(percent, whole ? 100.0 * (double)x->value / (double)whole : 0);
	out_c(o, "<title>");
	emit_name(o, EMIT_XML, x->name);
	out_printf(o, "\n%s%s ", x->estimated ? "~" : "", cost);
	emit_name(o, EMIT_XML, result_title(fl->rd->r));
	if (whole) {
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
		struct str next;

		out_mem(&label);
		if (!brief.n || emit_width(EMIT_TEXT, name) <= letters)
			brief = name;
		while (emit_width(EMIT_TEXT, brief) > letters) {
			next = without_namespace(brief);
			if (next.n == brief.n)
				break;
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

	return cost < 18446744073709551615.0 ? (uint64_t)cost : UINT64_MAX;
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
	out_c(o, style);
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

	unit_whole(sum, r->unit, fl->f->sum);
	svg_head(fl->rd, fl->height, 0, 0);
	emit_name(o, EMIT_XML, r->profile);
	out_printf(o, ": %s ", sum);
	emit_name(o, EMIT_XML, result_title(r));
	if (fl->f->estimated)
		out_c(o, ", partly estimated (italics)");
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
	out_c(o, script);
	out_c(o, "</svg>\n");
}

/* Draw the frame that all others lie on; a tree has its own. */
static void put_base(struct flame *fl)
{
	struct frame base = {.name = fl->rd->r->query, .value = fl->f->sum};

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
	fl->x = calloc(f->n + 1, sizeof(*fl->x));
	fl->thin = calloc(f->n + 1, sizeof(*fl->thin));
	fl->thin_n = calloc(f->n + 1, sizeof(*fl->thin_n));
	fl->drawn = calloc(f->n + 1, sizeof(*fl->drawn));
	fl->scale = f->sum ? (WIDTH - 2.0 * MARGIN) / (double)f->sum : 0;
	for (size_t i = 0; i < f->n && !f->rooted; i++)
		f->all[i].depth++;
	fl->height = TOP + (deepest_drawn(fl, f) + 3) * ROW + BOTTOM;
	if (!f->n || !f->sum) {
		err_set(fl->rd->err, ERR_QUERY, 0,
			"there is nothing to draw: no rows with a cost");
	} else if (!fl->x || !fl->thin || !fl->thin_n || !fl->drawn) {
		err_no_memory(fl->rd->err, NULL);
	} else {
		put_svg_head(fl);
		put_base(fl);
		put_frames(fl);
		svg_tail(fl->rd, fl->f, fl->height, fl->others, fl->cut);
	}
	free(fl->x);
	free(fl->thin);
	free(fl->thin_n);
	free(fl->drawn);
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
	return (int)rd->err->kind;
}

int render_svg(struct render *rd)
{
	return render_picture(rd, "svg", false);
}

int render_icicle(struct render *rd)
{
	return render_picture(rd, "icicle", true);
}
