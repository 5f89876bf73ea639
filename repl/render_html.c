/*
 * render_html.c - a report in one file: what was asked, a flame graph where the answer has
 * stacks, and the table, sorted by a click on a title.
 *
 * The functions' table also has a search field, and a click on a row lists its callers and
 * callees; a profile of several parts shows what each cost.  The call edges are numbers in
 * an attribute; the script takes names from the table's cells.
 *
 * Nothing is loaded from anywhere and the script is a constant; names are text.
 */
#include "repl/render.h"

#include <inttypes.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "repl/cell.h"
#include "repl/number.h"

static const char style[] =
	"<style>\n"
	"body{font:15px/1.45 system-ui,sans-serif;margin:2em;color:#1b1b1b;background:#fbfaf7}\n"
	"h1{font-size:1.25em;margin:0;font-family:ui-monospace,Menlo,Consolas,monospace}\n"
	".about{color:#666;margin:.3em 0 1.2em}\n"
	"table{border-collapse:collapse;font:13px ui-monospace,Menlo,Consolas,monospace}\n"
	"th{position:sticky;top:0;background:#efece4;cursor:pointer;user-select:none}\n"
	"th,td{padding:2px 10px;text-align:left;vertical-align:top;border-bottom:1px solid #e6e2d8}\n"
	".n{text-align:right;white-space:nowrap}td.t{word-break:break-word;max-width:52em}\n"
	"tr:hover td{background:#fff4dd}td.b{min-width:110px}\n"
	"td.b i{display:block;height:11px;margin-top:4px;background:#e08a3c;border-radius:2px}\n"
	"#q{font:inherit;padding:4px 8px;margin:0 0 .8em;width:22em;border:1px solid #ccc7ba;border-radius:4px}\n"
	".two{display:flex;gap:2em;align-items:flex-start}\n"
	"aside{position:sticky;top:0;flex:1 0 24em;max-width:40em;max-height:100vh;overflow:auto;"
	"font:13px ui-monospace,Menlo,Consolas,monospace}\n"
	"aside h2{font-size:1em;margin:.8em 0 .2em;word-break:break-word}aside tr,tr[data-id]{cursor:pointer}\n"
	"tr.on td{background:#ffe3b0}\n"
	".parts{display:flex;align-items:flex-end;gap:1px;height:60px;margin-bottom:1em;max-width:1200px}\n"
	".parts i{flex:1 1 auto;background:#7a9cc6;min-height:1px}.parts i:hover{background:#e08a3c}\n"
	".e{color:#8a6d3b}svg{max-width:100%;height:auto;margin-bottom:1.5em}\n"
	"</style>\n";

static const char script[] =
	"<script>\n"
	"'use strict';\n"
	"for(const h of document.querySelectorAll('th'))h.addEventListener('click',()=>{\n"
	" const i=h.cellIndex,b=h.closest('table').tBodies[0],down=h.dataset.s!=='d';\n"
	" for(const o of h.parentNode.cells)delete o.dataset.s;\n"
	" h.dataset.s=down?'d':'u';\n"
	" const v=r=>{const c=r.cells[i];return 'v' in c.dataset?+c.dataset.v:c.textContent;};\n"
	" const rows=[...b.rows].sort((p,q)=>{const a=v(p),c=v(q);\n"
	"  return a<c?-1:a>c?1:0;});\n"
	" if(down)rows.reverse();b.append(...rows);});\n"
	"const q=document.getElementById('q'),all=[...document.querySelectorAll('tr[data-id]')];\n"
	"if(q){const by=new Map(all.map(r=>[r.dataset.id,r])),box=document.querySelector('aside'),\n"
	"  E=document.getElementById('edges').dataset.e.split(';').filter(s=>s).map(s=>s.split(','));\n"
	" const name=r=>r.querySelector('.fn').textContent;\n"
	" q.addEventListener('input',()=>{let e;try{e=new RegExp(q.value,'i');}catch(x){return;}\n"
	"  for(const r of all)r.hidden=!e.test(name(r));});\n"
	" const el=(p,t,s)=>{const n=document.createElement(t);n.textContent=s;p.append(n);return n;};\n"
	" function list(title,edges,other){el(box,'h2',title+' ('+edges.length+')');\n"
	"  const t=el(box,'table','');edges.sort((a,b)=>b[3]-a[3]);\n"
	"  for(const x of edges.slice(0,200)){const r=by.get(x[other]),w=el(t,'tr','');\n"
	"   el(w,'td',(+x[3]).toLocaleString('en')).className='n';\n"
	"   el(w,'td',(+x[2]).toLocaleString('en')+'x').className='n';el(w,'td',name(r)).className='t';\n"
	"   w.addEventListener('click',()=>{r.hidden=false;show(r);r.scrollIntoView({block:'center'});});}}\n"
	" function show(r){for(const o of all)o.classList.toggle('on',o===r);box.textContent='';\n"
	"  el(box,'h2',name(r));const i=r.dataset.id;\n"
	"  list('Callers',E.filter(x=>x[1]===i),0);list('Callees',E.filter(x=>x[0]===i),1);}\n"
	" for(const r of all)r.addEventListener('click',()=>show(r));}\n"
	"</script>\n";

static void put_head(struct render *rd)
{
	const struct result *r = rd->r;
	char total[NUMBER_MAX];

	out_c(rd->o,
	      "<!DOCTYPE html>\n<html lang=\"en\">\n<meta charset=\"utf-8\">\n"
	      "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; "
	      "style-src 'unsafe-inline'; script-src 'unsafe-inline'\">\n<title>");
	emit_name(rd->o, EMIT_XML, r->query);
	out_c(rd->o, "</title>\n");
	out_c(rd->o, style);
	out_c(rd->o, "<h1>");
	emit_name(rd->o, EMIT_XML, r->query);
	out_c(rd->o, "</h1>\n<p class=\"about\">");
	emit_name(rd->o, EMIT_XML, r->profile);
	if (r->total) {
		number_grouped(total, r->total);
		out_printf(rd->o, " &middot; %s ", total);
		emit_name(rd->o, EMIT_XML, r->event);
	}
	for (size_t i = 0; i < r->nfilters; i++) {
		out_c(rd->o, " &middot; ");
		emit_name(rd->o, EMIT_XML, r->filters[i]);
	}
	if (r->truncated)
		out_c(rd->o, " &middot; not all: there is more than these rows");
	out_c(rd->o, "</p>\n");
}

/* Trees and paths have stacks worth drawing; other tables would be one row of frames. */
static void put_flame(struct render *rd)
{
	struct err err = {0};
	struct out svg;
	struct render draw = *rd;
	struct str text;

	if (rd->r->depth_col < 0 && !result_col(rd->r, STR("step")))
		return;
	out_mem(&svg);
	draw.o = &svg;
	draw.err = &err;
	if (render_svg(&draw) == 0) {
		text = (struct str){svg.buf, svg.n};
		out_str(rd->o, str_from(text, str_find_str(text, STR("<svg"))));
	} else if (err.kind != ERR_QUERY) {	/* else there is nothing to draw */
		*rd->err = err;
	}
	out_close(&svg);
}

static bool small(const struct result *r, const struct column *c)
{
	if (c->type != COL_COST && c->type != COL_COUNT)
		return true;
	for (size_t row = 0; row < r->rows; row++)
		if (!render_absent(c, row) && c->u[row] > 999999)
			return false;
	return true;
}

static void put_text_cell(struct render *rd, const struct column *c, size_t row)
{
	const struct result *r = rd->r;

	out_printf(rd->o, "<td class=\"t%s\"", c->type == COL_NAME ? " fn" : "");
	if (c->type == COL_NAME && r->depth_col >= 0 &&
	    r->cols[r->depth_col].type != COL_STR)
		out_printf(rd->o, " style=\"padding-left:%zuem\"",
			   (size_t)(r->cols[r->depth_col].u[row] % 1000) + 1);
	out_char(rd->o, '>');
	if (!render_absent(c, row))
		emit_name(rd->o, EMIT_XML, c->s[row]);
	out_c(rd->o, "</td>");
}

static void put_cell(struct render *rd, const struct column *c, bool grouped, size_t row)
{
	struct shown s = {.c = c, .grouped = grouped};
	struct look look = {.utf8 = true};
	struct out text;

	if (render_is_text(c)) {
		put_text_cell(rd, c, row);
		return;
	}
	out_printf(rd->o, "<td class=\"n%s\" data-v=\"",
		   c->estimated && c->estimated[row] ? " e" : "");
	if (c->type == COL_BOOL)
		out_c(rd->o, c->b[row] ? "1" : "0");
	else
		render_plain(rd->o, c, row, "-1");
	out_c(rd->o, "\">");
	out_mem(&text);
	cell_put(&text, &look, &s, row, SIZE_MAX);
	emit_name(rd->o, EMIT_XML, (struct str){text.n ? text.buf : "", text.n});
	out_close(&text);
	out_c(rd->o, "</td>");
}

static void put_bar(struct render *rd, const struct column *bar, double most, size_t row)
{
	double part = render_absent(bar, row) || !(most > 0) ? 0 : bar->f[row] / most;

	out_printf(rd->o, "<td class=\"b\"><i style=\"width:%.1f%%\"></i></td>",
		   part > 0 ? part * 100 : 0);
}

static const struct column *find_bar(const struct result *r, double *most)
{
	*most = 0;
	for (size_t i = 0; i < r->ncols; i++) {
		const struct column *c = &r->cols[i];

		if (!c->bar || c->type != COL_PERCENT)
			continue;
		for (size_t row = 0; row < r->rows; row++)
			if (!render_absent(c, row) && c->f[row] > *most)
				*most = c->f[row];
		return c;
	}
	return NULL;
}

static void put_titles(struct render *rd, bool bar)
{
	out_c(rd->o, "<table>\n<thead><tr>");
	for (size_t i = 0; i < rd->r->ncols; i++) {
		const struct column *c = &rd->r->cols[i];

		if (!c->table)
			continue;
		out_c(rd->o, render_is_text(c) ? "<th>" : "<th class=\"n\">");
		emit_name(rd->o, EMIT_XML, c->name);
		out_c(rd->o, "</th>");
	}
	out_c(rd->o,
	      bar ? "<th></th></tr></thead>\n<tbody>\n" : "</tr></thead>\n<tbody>\n");
}

/* ---- what the functions' table has besides ---- */

enum { EDGES = 40000, PARTS = 400 };

/* The store that the rows are of, when they are functions of the profile as it is. */
static struct store *functions_of(const struct render *rd, uint32_t *event)
{
	const struct result *r = rd->r;
	const struct column *id = result_col(r, STR("id"));

	if (strcmp(r->source, "functions") != 0 || !id || id->type != COL_ID ||
	    !result_col(r, STR("fn")) || !result_col(r, STR("fn"))->table ||
	    result_col(r, STR("delta")) || r->nfilters || !rd->session)
		return NULL;
	for (size_t i = 0; i < session_profiles(rd->session); i++) {
		struct store *st = session_profile(rd->session, i);

		if (!str_eq(session_profile_name(rd->session, i), r->profile))
			continue;
		*event = store_event_find(st, r->event);
		return *event < store_info(st)->all_events ? st : NULL;
	}
	return NULL;
}

static bool edge_shown(struct store *st, const bool *row, edge_id e, uint32_t event,
		       uint64_t least, struct store_edge *out)
{
	store_edge(st, e, out);
	return row[out->caller] && row[out->callee] &&
	       store_edge_incl(st, e, event) >= least;
}

/* caller,callee,calls,incl; the costliest when there are more than EDGES. */
static int put_edges(struct render *rd, struct store *st, uint32_t event)
{
	const struct column *id = result_col(rd->r, STR("id"));
	uint32_t functions = store_info(st)->functions, edges = store_info(st)->edges;
	bool *row = calloc((size_t)functions + 1, sizeof(*row));
	uint64_t least = 0, n = UINT64_MAX;
	struct store_edge x;

	if (!row)
		return err_set(rd->err, ERR_LIMIT, 0, "out of memory");
	for (size_t i = 0; i < rd->r->rows; i++)
		if (id->u[i] < functions)
			row[id->u[i]] = true;
	for (; n > EDGES; least = least ? least * 2 : rd->r->total / 1000000 + 1) {
		n = 0;
		for (edge_id e = 0; e < edges; e++)
			n += edge_shown(st, row, e, event, least, &x);
		if (n <= EDGES)
			break;
	}
	out_c(rd->o, "<div id=\"edges\" hidden data-e=\"");
	for (edge_id e = 0; e < edges && !render_cancelled(rd, e); e++)
		if (edge_shown(st, row, e, event, least, &x))
			out_printf(rd->o,
				   "%" PRIu32 ",%" PRIu32 ",%" PRIu64 ",%" PRIu64 ";",
				   x.caller, x.callee, x.calls,
				   store_edge_incl(st, e, event));
	out_c(rd->o, "\"></div>\n");
	free(row);
	return (int)rd->err->kind;
}

static void put_parts(struct render *rd, struct store *st, uint32_t event)
{
	uint32_t n = store_info(st)->parts, shown = n < PARTS ? n : PARTS;
	uint64_t most = 1;
	char cost[NUMBER_MAX];

	if (n < 2)
		return;
	for (uint32_t p = 0; p < shown; p++)
		if (store_part_self(st, p, event) > most)
			most = store_part_self(st, p, event);
	out_printf(rd->o,
		   "<p class=\"about\">%" PRIu32 " parts%s</p>\n<div class=\"parts\">", n,
		   shown < n ? ", the first 400 shown" : "");
	for (uint32_t p = 0; p < shown; p++) {
		struct store_part part;
		uint64_t self = store_part_self(st, p, event);

		store_part(st, p, &part);
		number_grouped(cost, self);
		out_printf(rd->o,
			   "<i style=\"height:%.1f%%\" title=\"part %" PRIu64
			   ", thread %" PRIu64 ": %s ",
			   100.0 * (double)self / (double)most, part.part, part.thread,
			   cost);
		emit_name(rd->o, EMIT_XML, rd->r->event);
		out_c(rd->o, " ");
		emit_name(rd->o, EMIT_XML, part.trigger);
		out_c(rd->o, "\"></i>");
	}
	out_c(rd->o, "</div>\n");
}

int render_html(struct render *rd)
{
	const struct result *r = rd->r;
	uint32_t event = 0;
	struct store *st = functions_of(rd, &event);
	double most;
	const struct column *bar = find_bar(r, &most);
	bool *grouped = calloc(r->ncols + 1, sizeof(*grouped));

	if (!grouped)
		return err_set(rd->err, ERR_LIMIT, 0, "out of memory");
	for (size_t i = 0; i < r->ncols; i++)
		grouped[i] = small(r, &r->cols[i]);
	put_head(rd);
	put_flame(rd);
	if (st) {
		put_parts(rd, st, event);
		out_c(rd->o,
		      "<input id=\"q\" placeholder=\"search (regular expression)\" "
		      "autofocus>\n<div class=\"two\">\n");
	}
	put_titles(rd, bar != NULL);
	for (size_t row = 0; row < r->rows && !render_cancelled(rd, row); row++) {
		if (st)
			out_printf(rd->o, "<tr data-id=\"%" PRIu64 "\">",
				   result_col(r, STR("id"))->u[row]);
		else
			out_c(rd->o, "<tr>");
		for (size_t i = 0; i < r->ncols; i++)
			if (r->cols[i].table)
				put_cell(rd, &r->cols[i], grouped[i], row);
		if (bar)
			put_bar(rd, bar, most, row);
		out_c(rd->o, "</tr>\n");
	}
	out_c(rd->o, "</tbody>\n</table>\n");
	if (st) {
		out_c(rd->o,
		      "<aside>A click on a row shows its callers and callees.</aside></div>\n");
		put_edges(rd, st, event);
	}
	if (r->footer.n) {
		out_c(rd->o, "<p class=\"about\">");
		emit_name(rd->o, EMIT_XML, r->footer);
		out_c(rd->o, "</p>\n");
	}
	out_c(rd->o, script);
	out_c(rd->o, "</html>\n");
	free(grouped);
	return (int)rd->err->kind;
}
