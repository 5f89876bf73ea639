/* format.c - formats by name and by extension; see format.h. */
#include "engine/lang/format.h"

#include <stdio.h>

#include "engine/lang/token.h"

#define ROW(number, name, extension, function, traits, what) \
	[FORMAT_##number] = {name, extension, FORMAT_##number, traits, what},
const struct format_row formats[] = {
	[FORMAT_NONE] = {"none", "", FORMAT_NONE, 0, ""},
	FORMATS(ROW)
	/* Other names and extensions. */
	{"markdown", "markdown", FORMAT_MD, 0, ""},
	{"jsonl", "jsonl", FORMAT_NDJSON, 0, ""},
	{"flamegraph", "flamegraph", FORMAT_SVG, 0, ""},
	{"icicle", "icicle.svg", FORMAT_SVG, 0, ""},
	{"callgrind", "out", FORMAT_CALLGRIND, 0, ""},
};
enum { NAMES = sizeof(formats) / sizeof(*formats) };

enum format format_of_name(struct str s)
{
	for (size_t i = 0; i < NAMES; i++)
		if (token_same(s, formats[i].name))
			return formats[i].format;
	return FORMAT_NONE;
}

/* The longest extension wins: x.speedscope.json is not plain JSON. */
enum format format_of_file(struct str path)
{
	enum format best = FORMAT_NONE;
	size_t longest = 0;

	for (size_t i = 0; i < NAMES; i++) {
		struct str ext = str_c(formats[i].extension);

		if (ext.n > longest && path.n > ext.n + 1 && str_ends(path, ext) &&
		    path.p[path.n - ext.n - 1] == '.') {
			best = formats[i].format;
			longest = ext.n;
		}
	}
	return best;
}

const char *format_list(char *buf, size_t size)
{
	size_t n = 0;

	buf[0] = '\0';
	for (unsigned f = FORMAT_NONE + 1; f < FORMAT_END && n < size; f++)
		n += (size_t)snprintf(buf + n, size - n, "%s%s", n ? " " : "",
				      formats[f].name);
	return buf;
}
