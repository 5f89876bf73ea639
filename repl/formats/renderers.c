/* renderers.c - the table of formats; see renderers.h. */
#include "repl/formats/renderers.h"

static const struct renderer renderers[] = {
	{FORMAT_TABLE, false, false, render_table,
	 "for people: fits the screen, short numbers, bars"},
	{FORMAT_TREE, false, false, render_table,
	 "the table with the branches of a call tree"},
	{FORMAT_CSV, false, true, render_csv,
	 "RFC 4180 with a header line; a leading ' disarms formulas"},
	{FORMAT_TSV, false, true, render_tsv, "tab-separated with a header line"},
	{FORMAT_JSON, false, true, render_json, "one object {meta, columns, rows}"},
	{FORMAT_NDJSON, false, true, render_ndjson, "one object per row and line"},
	{FORMAT_MD, false, false, render_md,
	 "a Markdown table for a review: short names, signs, a caption"},
	{FORMAT_GITHUB, false, false, render_github,
	 "annotations of GitHub Actions: rows that break an expect"},
	{FORMAT_JUNIT, false, false, render_junit,
	 "a report of tests for GitLab or Jenkins: a case for each query"},
	{FORMAT_SVG, false, false, render_svg,
	 "a flame graph: calltree from main > flame.svg"},
	{FORMAT_ICICLE, false, false, render_icicle,
	 "the same with the root above: > malloc.icicle.svg"},
	{FORMAT_HTML, false, true, render_html,
	 "a report in one file: functions > report.html"},
	{FORMAT_FOLDED, false, true, render_folded,
	 "stacks for flamegraph.pl and inferno"},
	{FORMAT_SPEEDSCOPE, false, true, render_speedscope, "stacks for speedscope.app"},
	{FORMAT_CALLGRIND, true, true, render_callgrind,
	 "the functions of the answer as a profile for KCachegrind"},
	{FORMAT_PPROF, true, true, render_pprof,
	 "stacks for pprof's web page: > x.pb.gz"},
	{FORMAT_DOT, false, false, render_dot,
	 "a call graph for Graphviz: calls of X > graph.dot"},
};

const struct renderer *render_at(size_t i)
{
	return i < sizeof(renderers) / sizeof(renderers[0]) ? &renderers[i] : NULL;
}

const struct renderer *render_find(enum format format)
{
	const struct renderer *f;

	for (size_t i = 0; (f = render_at(i)); i++)
		if (f->format == format)
			return f;
	return NULL;
}

enum format render_default(const struct result *r)
{
	return r->depth_col >= 0 ? FORMAT_TREE : FORMAT_TABLE;
}
