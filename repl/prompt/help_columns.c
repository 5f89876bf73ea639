/*
 * help_columns.c - .help columns and .help sources, from the registry; see help.h.
 */
#include "index/base/out.h"
#include "repl/prompt/help.h"

#include "engine/lang/keywords.h"
#include "engine/query.h"

static void put_columns(struct out *o, const char *const *names, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		const char *means = query_column_means(str_c(names[i]));

		out_printf(o, "  %-13s %s\n", names[i], means ? means : "?");
	}
}

static void put_all(struct out *o)
{
	const char *name, *means;

	for (size_t i = 0; query_column_at(i, &name, &means); i++)
		if (means)
			out_printf(o, "  %-13s %s\n", name, means);
	out_c(o, "\n  self.EVENT and incl.EVENT are those of another event.\n"
		 "  .help columns callers: only those of one source.\n");
}

bool help_columns(struct out *o, struct str of)
{
	enum { MOST = 64 };
	const char *names[MOST];
	const struct verb *v = verb_find(of);

	if (of.n && !v)
		return false;
	if (v)
		put_columns(o, names, query_columns(v, true, names, MOST));
	else
		put_all(o);
	return true;
}

void help_sources(struct out *o)
{
	for (size_t i = 0; i < verbs_n; i++)
		if (verbs[i].word[0] != '_')
			out_printf(o, "  %s\n", verbs[i].form);
	out_c(o, "\n  .help columns SOURCE lists the columns of one.\n");
}
