/* result.c - columns by name, and the table of formats; see result.h. */
#include "engine/lang/result.h"

#include <stdio.h>

#include "engine/lang/token.h"

static const struct {
	const char *name, *extension; /* extension NULL: same as name */
	enum format format;
} formats[] = {
	{"table", "txt", FORMAT_TABLE},
	{"tree", NULL, FORMAT_TREE},
	{"csv", NULL, FORMAT_CSV},
	{"tsv", NULL, FORMAT_TSV},
	{"json", NULL, FORMAT_JSON},
	{"ndjson", NULL, FORMAT_NDJSON},
	{"md", NULL, FORMAT_MD},
	{"github", NULL, FORMAT_GITHUB},
	{"junit", "xml", FORMAT_JUNIT},
	{"svg", NULL, FORMAT_SVG},
	{"icicle", "icicle.svg", FORMAT_ICICLE},
	{"html", NULL, FORMAT_HTML},
	{"folded", NULL, FORMAT_FOLDED},
	{"speedscope", "speedscope.json", FORMAT_SPEEDSCOPE},
	{"dot", NULL, FORMAT_DOT},
	{"callgrind", "callgrind", FORMAT_CALLGRIND},
	{"pprof", "pb.gz", FORMAT_PPROF},
	{"markdown", "markdown", FORMAT_MD},
	{"jsonl", NULL, FORMAT_NDJSON},
	{"flamegraph", NULL, FORMAT_SVG},
	{"callgrind", "out", FORMAT_CALLGRIND},
};
enum { FORMATS = sizeof(formats) / sizeof(*formats) };

const struct column *result_col(const struct result *r, struct str name)
{
	for (size_t i = 0; i < r->ncols; i++)
		if (str_eq(r->cols[i].name, name))
			return &r->cols[i];
	return NULL;
}

struct str result_title(const struct result *r)
{
	return event_title(r->event, r->unit);
}

enum format format_of_name(struct str s)
{
	for (size_t i = 0; i < FORMATS; i++)
		if (token_same(s, formats[i].name))
			return formats[i].format;
	return FORMAT_NONE;
}

/* The longest extension wins: x.speedscope.json is not plain JSON. */
enum format format_of_file(struct str path)
{
	enum format best = FORMAT_NONE;
	size_t longest = 0;

	for (size_t i = 0; i < FORMATS; i++) {
		struct str ext = str_c(formats[i].extension ? formats[i].extension
							    : formats[i].name);

		if (ext.n > longest && path.n > ext.n + 1 && str_ends(path, ext) &&
		    path.p[path.n - ext.n - 1] == '.') {
			best = formats[i].format;
			longest = ext.n;
		}
	}
	return best;
}

const char *format_name(enum format f)
{
	for (size_t i = 0; i < FORMATS; i++)
		if (formats[i].format == f)
			return formats[i].name;
	return "none";
}

/* Names that come again are other names of a format. */
const char *format_list(char *buf, size_t size)
{
	unsigned listed = 0;
	size_t n = 0;

	buf[0] = '\0';
	for (size_t i = 0; i < FORMATS && n < size; i++) {
		if (listed & 1u << formats[i].format)
			continue;
		listed |= 1u << formats[i].format;
		n += (size_t)snprintf(buf + n, size - n, "%s%s", i ? " " : "",
				      formats[i].name);
	}
	return buf;
}
