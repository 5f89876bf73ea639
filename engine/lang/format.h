/*
 * format.h - the table of output formats: a row each.
 *
 * The enum, the names, `.help formats`, the hint of `as` and Tab are made from a row; a
 * function of repl/, which the row names, writes the format.  tests/e2e/tables.t compares
 * the documents with the rows.  By hand are the formats that an agent may ask for
 * (repl/mcp/server.c, tools.json) and those that say how many rows they wrote
 * (repl/app/output.c).
 */
#ifndef QUERN_FORMAT_H
#define QUERN_FORMAT_H

#include "index/base/str.h"

/* What a format is like. */
enum format_trait {
	FORMAT_PAGES = 1,  /* takes one row after the other, or loads the columns that it
			      reads: not all of an answer is in memory */
	FORMAT_BINARY = 2, /* raw bytes: never written to a terminal */
	FORMAT_CUT = 4,	   /* --budget may leave out rows */
	FORMAT_CARD = 8,   /* draws a card as one, which has no rows to leave out */
	FORMAT_TREE_ONLY = 16, /* needs a tree or paths */
};

/* F(number, name, extension, function, traits, line of .help) */
#define FORMATS(F)                                                                      \
	F(TABLE, "table", "txt", render_table, FORMAT_CUT | FORMAT_CARD,                \
	  "for people: fits the screen, short numbers, bars")                           \
	F(TREE, "tree", "tree", render_table, FORMAT_CUT | FORMAT_CARD,                 \
	  "the table with the branches of a call tree")                                 \
	F(CSV, "csv", "csv", render_csv, FORMAT_PAGES | FORMAT_CUT,                     \
	  "a header line, quotes as in RFC 4180; a leading ' disarms formulas")         \
	F(TSV, "tsv", "tsv", render_tsv, FORMAT_PAGES | FORMAT_CUT,                     \
	  "tab-separated with a header line")                                           \
	F(JSON, "json", "json", render_json, FORMAT_PAGES | FORMAT_CUT,                 \
	  "one object {meta, columns, rows}")                                           \
	F(NDJSON, "ndjson", "ndjson", render_ndjson, FORMAT_PAGES | FORMAT_CUT,         \
	  "one object per row and line")                                                \
	F(MD, "md", "md", render_md, FORMAT_CUT | FORMAT_CARD,                          \
	  "a Markdown table for a review: short names, signs, a caption")               \
	F(GITHUB, "github", "github", render_github, FORMAT_CUT,                        \
	  "annotations of GitHub Actions: rows that break an expect")                   \
	F(JUNIT, "junit", "xml", render_junit, 0,                                       \
	  "a report of tests for GitLab or Jenkins: a case for each query")             \
	F(SVG, "svg", "svg", render_svg, FORMAT_TREE_ONLY,                              \
	  "a flame graph: calltree from main > flame.svg")                              \
	F(FLAME, "flame", "flame", render_flame, FORMAT_TREE_ONLY,                      \
	  "the same for a terminal: calltree | as flame")                               \
	F(HTML, "html", "html", render_html, FORMAT_PAGES,                              \
	  "a report in one file: functions > report.html")                              \
	F(FOLDED, "folded", "folded", render_folded, FORMAT_PAGES,                      \
	  "stacks for flamegraph.pl and inferno")                                       \
	F(SPEEDSCOPE, "speedscope", "speedscope.json", render_speedscope, FORMAT_PAGES, \
	  "stacks for speedscope.app")                                                  \
	F(DOT, "dot", "dot", render_dot, 0,                                             \
	  "a call graph for Graphviz: calls of X > graph.dot")                          \
	F(CALLGRIND, "callgrind", "callgrind", render_callgrind,                        \
	  FORMAT_BINARY | FORMAT_PAGES,                                                 \
	  "the functions of the answer as a profile for KCachegrind")                   \
	F(PPROF, "pprof", "pb.gz", render_pprof, FORMAT_BINARY | FORMAT_PAGES,          \
	  "stacks for pprof's web page: > x.pb.gz")

#define FORMAT_NUMBER(number, name, extension, function, traits, what) FORMAT_##number,
enum format {
	FORMAT_NONE, /* the query names none: the caller chooses */
	FORMATS(FORMAT_NUMBER) FORMAT_END
};

struct format_row {
	const char *name, *extension;
	enum format format;
	unsigned traits;
	const char *what; /* one line of help */
};

/* By enum format, up to FORMAT_END, then other names of formats. */
extern const struct format_row formats[];

/* The format named s ("csv"), or by the extension of a file name; FORMAT_NONE: unknown. */
enum format format_of_name(struct str s);
enum format format_of_file(struct str path);
/* All their names, separated by blanks, in buf. */
const char *format_list(char *buf, size_t size);

#endif
