/*
 * report.c - write the HTML report, and what is to be said of it; see report.h.
 *
 * The page says what its budget leaves out (report_choose.c).
 */
#include "repl/pictures/report.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "engine/graph/graph.h"
#include "index/base/err.h"
#include "index/format/event.h"
#include "repl/pictures/report_in.h"
#include "repl/term/number.h"

enum {
	PAGE_BYTES = 6 << 20,  /* most of a page with source */
	REST_BYTES = 88 << 10, /* of it, what is in no budget: notes and scripts */
};

/* Has the answer only columns with these names? */
static bool knows(const struct result *r, const char *const *known, size_t n)
{
	for (size_t i = 0; i < r->ncols; i++) {
		size_t k = 0;

		while (k < n && !str_eq(r->cols[i].name, str_c(known[k])))
			k++;
		if (k == n)
			return false;
	}
	return true;
}

bool report_fits(const struct render *rd)
{
	static const char *const known[] = {
		"id",	 "self",      "incl",	   "calls",	   "fn",       "file",
		"line",	 "obj",	      "cycle",	   "contribution", "incoming", "short",
		"self%", "cum%",      "incl%",	   "file:line",	   "change",   "lo",
		"hi",	 "estimated", "recursive", "base",	   "delta",    "delta%",
		"was",	 "rule",      "unsure",	   "calls_only",
	};
	const struct result *r = rd->r;
	const struct column *id = result_col(r, STR("id")),
			    *fn = result_col(r, STR("fn"));

	return r->graph && (!r->base.n || r->compared) && id && id->type == COL_ID &&
	       fn && fn->type == COL_NAME && strcmp(r->source, "functions") == 0 &&
	       knows(r, known, sizeof(known) / sizeof(known[0]));
}

bool report_shows(const struct render *rd)
{
	const struct result *r = rd->r;

	if (!r->graph || r->card || (r->base.n && !r->compared))
		return false;
	return r->listing || report_is_run(r) || (r->tree && r->depth_col >= 0) ||
	       (r->compared && r->headline && r->headline->ncauses &&
		strcmp(r->source, "why") == 0);
}

/* ---- what is to be said ---- */

/* What the functions that are left out spend themselves. */
static void say_share(struct report *p, unsigned s, const char *before)
{
	const uint32_t e = p->rd->r->event_id;
	char percent[NUMBER_MAX];
	double cost = 0;

	for (uint32_t i = 0; i < p->all && !render_cancelled(p->rd, i); i++)
		if (p->place[i] == GRAPH_NONE)
			cost += report_share(
				p, s, e, report_fn_cost(p, s, p->fn[i].in[s], e, true));
	number_percent(percent, 100 * cost);
	emit_xml(p->o, before, str_c(percent), ""); /* "<0.01%" */
}

/* How much is left out, also in one line for stderr. */
static void say_left_out(struct report *p)
{
	struct render *rd = p->rd;
	char percent[NUMBER_MAX];
	size_t n = 0;
	const struct {
		uint32_t out, of;
		const char *which, *what;
	} left[] = {
		{p->all - p->nfunctions, p->all, "", "functions"},
		{p->between - p->ncalls, p->between, "", "calls between functions"},
		{p->listed - p->sourced - p->textless, p->listed, "the source of ",
		 "listed functions"},
	};

	for (size_t i = 0; i < sizeof(left) / sizeof(left[0]); i++) {
		const char *out = GROUPED(left[i].out), *of = GROUPED(left[i].of);

		if (!left[i].out)
			continue;
		n += (size_t)snprintf(
			rd->note + n, sizeof(rd->note) - n, "%s%s%s of %s %s",
			n ? ", " : "left out of the report: ", left[i].which, out, of,
			left[i].what);
		out_printf(p->o, "<p>Left out: %sthe %s cheapest of %s %s", left[i].which,
			   out, of, left[i].what);
		if (i == 0) {
			say_share(p, 0, ", with ");
			if (p->sides > 1)
				say_share(p, 1, " here and, in the base, ");
			emit_xml(p->o, " of ", rd->r->event,
				 " self cost together, and their calls");
		} else if (i == 1) {
			number_percent(percent, 100 * p->most_left);
			emit_xml(p->o, "; none is more than ", str_c(percent),
				 " of any event");
		}
		out_c(p->o, ".</p>\n");
	}
	if (p->with_source) {
		n += (size_t)snprintf(rd->note + n, sizeof(rd->note) - n, "%s",
				      n ? "; " : "");
		source_data_text(rd->note + n, sizeof(rd->note) - n, &p->source);
	}
}

/* Xdebug's memory: the page shows growths. */
static void say_peak(struct report *p, unsigned s, uint32_t e)
{
	struct store *st = p->side[s].g->st;
	struct store_event ev;
	char most[NUMBER_MAX];
	int64_t peak;

	if (!store_peak(st, e, &peak))
		return;
	store_event(st, e, &ev);
	number_cost(most, event_unit(ev.name, ev.long_name, store_info(st)->creator),
		    peak);
	out_printf(
		p->o,
		"<p>%sThe peak of memory was %s. Memory is what calls took and did not "
		"give back: its sum is no peak.</p>\n",
		s ? "Base: " : "", most);
}

static void say_side(struct report *p, unsigned s)
{
	const struct graph *g = p->side[s].g;
	const struct store_info *info = store_info(g->st);
	const char *of = s ? "Base: " : "";

	if (!s && g->marks.estimated)
		out_c(p->o,
		      "<p>Costs marked ~ are estimates: a stage shared them out.</p>\n");
	if (info->truncated)
		out_printf(p->o,
			   "<p>%sThe profile is cut off: the costs are of what is there."
			   "</p>\n",
			   of);
	for (uint32_t e = 0; e < info->events; e++)
		say_peak(p, s, e);
	if (info->saturated)
		out_printf(p->o,
			   "<p>%sA sum was too large for 64 bits and stands at the most"
			   " that they hold.</p>\n",
			   of);
}

void report_say_filters(struct out *o, const struct result *r)
{
	if (!r->nfilters)
		return;
	out_c(o, r->base.n ? "<p>Both call graphs were changed by:"
			   : "<p>The call graph was changed by:");
	for (size_t i = 0; i < r->nfilters; i++)
		emit_xml(o, i ? " | <code>" : " <code>", r->filters[i], "</code>");
	out_c(o, "</p>\n");
}

void report_say_origin(struct out *o, const struct result *r)
{
	const struct store_info *info = r->graph ? store_info(r->graph->st) : NULL;

	if (info && info->cmd.n)
		emit_xml(o, " &middot; <code>", info->cmd, "</code>");
	if (info && info->creator.n)
		emit_xml(o, " &middot; ", info->creator, "");
}

static void put_notes(struct report *p)
{
	const struct result *r = p->rd->r;
	struct out *o = p->o, notes;
	struct str first;

	out_mem(&notes);
	p->o = &notes;
	say_left_out(p);
	report_say_filters(p->o, r);
	for (size_t i = 0; i + r->nhints < r->nnotes; i++)
		emit_xml(p->o, "<p>Note: ", r->notes[i], "</p>\n");
	for (unsigned s = 0; s < p->sides; s++)
		say_side(p, s);
	if (p->with_source)
		report_say_source(p);
	p->o = o;
	emit_xml(o, "<footer><code>", r->query, "</code>");
	report_say_origin(o, r);
	first = str_cut(out_text(&notes), str_find_str(out_text(&notes), STR("</p>")));
	if (notes.n) {
		/* A closed one shows its first note. */
		out_c(o, "<details id=\"notes\" role=\"note\"><summary>");
		out_str(o, str_starts(first, STR("<p>")) ? str_from(first, 3)
							 : STR("Notes"));
		out_c(o, "</summary>\n");
		out_str(o, str_starts(first, STR("<p>"))
				   ? str_from(out_text(&notes), first.n + 4)
				   : out_text(&notes));
		out_c(o, "</details>");
	}
	out_c(o, "</footer>\n");
	out_close(&notes);
}

/* Where the page opens: a tab, and the function that was asked for with its callers or
 * callees. */
static void put_place(struct report *p)
{
	const struct result *r = p->rd->r;
	const bool several = r->tree && r->top.fn == RESULT_NONE && r->top.name.n;

	if (!r->tree || several)
		out_printf(p->o, "\" data-tab=\"%s",
			   several	      ? "answer"
			   : r->listing	      ? r->listing->instrs ? "asm" : "source"
			   : report_is_run(r) ? "run"
					      : "why");
	if (p->open < p->side[0].g->functions)
		out_printf(p->o, "\" data-open=\"%" PRIu32,
			   graph_id(p->side[0].g, p->open));
}

/* The rows of a tree, as far as anybody reads them in a page. */
static int put_answer(struct report *p)
{
	enum { MOST = 1000 };
	const struct result *r = p->rd->r;
	const size_t rows = r->rows < MOST ? r->rows : MOST;

	out_c(p->o, "<div id=\"d-answer\" hidden>\n");
	emit_xml(p->o, "<p class=\"soft\"><code>", r->query, "</code>");
	if (rows < r->rows)
		out_printf(p->o, "; the first %s of %s rows: <code>as csv</code> has all",
			   GROUPED(rows), GROUPED(r->rows));
	out_c(p->o, "</p>\n");
	html_put_table(p->rd, rows);
	out_c(p->o, "</div>\n");
	return p->rd->err->kind;
}

static void put_about(struct report *p)
{
	const struct result *r = p->rd->r;

	emit_xml(p->o, "<div id=\"d-about\" hidden data-event=\"", r->event,
		 "\" data-profile=\"");
	emit_name(p->o, EMIT_XML, r->profile);
	if (p->sides > 1)
		emit_xml(p->o, "\" data-base=\"", r->base, "");
	if (p->answer)
		put_place(p);
	if (p->side[0].g->marks.estimated)
		out_c(p->o, "\" data-estimated=\"");
	if (p->side[0].g->detail)
		out_c(p->o, "\" data-lines=\"");
	if (graph_has_contexts(p->side[0].g))
		out_c(p->o, "\" data-timed=\"");
	for (unsigned s = 0; s < p->sides; s++)
		out_printf(p->o, "\" data-parts%s=\"%" PRIu32, s ? "-base" : "",
			   store_info(p->side[s].g->st)->parts);
	out_c(p->o, "\"></div>\n");
}

static void put_scripts(struct report *p)
{
	const char *const script[] = {
		model_js,  tree_js,
		flame_js,  p->answer && report_is_run(p->rd->r) ? run_js : "",
		source_js, page_js};

	out_c(p->o, "<script>\n");
	for (size_t i = 0; i < sizeof(script) / sizeof(script[0]); i++)
		out_c(p->o, script[i]);
	out_c(p->o, "</script>\n</body>\n</html>\n");
}

/* The notes say what the data lacks. */
static int put_body(struct report *p)
{
	const uint64_t start = p->o->written - p->head;
	size_t used;

	out_c(p->o, report_html);
	put_about(p);
	report_put_events(p);
	if (report_put_data(p))
		return p->rd->err->kind;
	if (p->answer && p->rd->r->tree && put_answer(p))
		return p->rd->err->kind;
	used = (size_t)(p->o->written - start) + REST_BYTES;
	p->source.budget = used < PAGE_BYTES ? PAGE_BYTES - used : 0;
	report_take_source(p);
	out_c(p->o, "<pre id=\"d-source\" hidden>\n");
	out_bytes(p->o, p->source.o.buf, p->source.o.n);
	out_c(p->o, "</pre>\n");
	put_notes(p);
	put_scripts(p);
	return p->rd->err->kind;
}

int report_put(struct render *rd, size_t head)
{
	const struct compared *c = rd->r->compared;
	const struct listing *l = rd->r->listing;
	struct report p = {.rd = rd,
			   .o = rd->o,
			   .side = {{.g = rd->r->graph}, {.g = c ? c->graph : NULL}},
			   .sides = c ? 2 : 1,
			   .answer = report_shows(rd),
			   .open = rd->r->tree ? rd->r->top.fn : RESULT_NONE,
			   .with_source = l || rd->source != SOURCE_OFF,
			   .with_asm = rd->source == SOURCE_ASM || (l && l->instrs),
			   .source.g = rd->r->graph,
			   .head = head};

	arena_init(&p.arrays, 0);
	render_asks(rd);
	out_mem(&p.source.o);
	if (!report_choose(&p) && !put_body(&p))
		for (unsigned s = 0; s < p.sides; s++)
			store_check(p.side[s].g->st, rd->err);
	report_forget(&p);
	return rd->err->kind;
}
