/*
 * registry_test.c - columns: sources, the registry, help and repl/OUTPUT.md agree.
 *
 * Each name in a source's list is in the registry (engine/sources/columns.c), with a getter
 * for such rows and a line of help; a source lists each row of the registry; and the table of
 * OUTPUT.md lists what machine formats have.  A new column is finished when this passes.
 */
#include "engine/lang/keywords.h"
#include "engine/sources/columns.h"
#include "engine/sources/sources.h"
#include "index/base/out.h"
#include "tests/support/tap.h"

enum { MOST = 64 };

/* "parts of", as OUTPUT.md calls it */
static const char *title(const struct source_def *src)
{
	return src == &source_parts_of	? "parts of"
	       : src == &source_info_vs ? "info vs"
	       : src == &source_info_fn ? "info of a function"
	       : src == &source_path	? "paths"
	       : src == &source_cost	? "cost of"
					: src->name;
}

/* ---- the registry ---- */

static void has_column(const struct source_def *src, const struct listed *l)
{
	struct source_def one = *src;
	struct col_def col;

	one.list = l;
	one.cols = &col;
	one.ncols = 1;
	ok(columns_resolve(&one) == 0, "%s: the registry has %s of such rows", title(src),
	   l->name);
	ok(column_help(str_c(l->name)) != NULL, "  and help");
}

/* `line` is shown with `file` as one. */
static bool needs_place(const struct source_def *src, size_t i)
{
	return src->list[i].flags & SHOW_T && !(i && src->list[i - 1].flags & WITH_LINE);
}

/* A source says nothing of narrow screens, or of all columns that tables show. */
static void has_places(const struct source_def *src)
{
	size_t subjects = 0, places = 0;

	for (size_t i = 0; i < src->ncols; i++) {
		subjects += src->list[i].place == 1;
		places += src->list[i].place != 0;
	}
	ok(subjects == (places != 0), "%s: one column is the subject", title(src));
	for (size_t i = 0; places && i < src->ncols; i++)
		ok(!needs_place(src, i) || src->list[i].place,
		   "  a narrow screen drops %s in its turn", src->list[i].name);
}

/* Does the source list the column, and is the getter the one of its rows? */
static bool takes(const struct source_def *src, const struct column_row *row,
		  const struct getter *g)
{
	for (size_t i = 0; i < src->ncols; i++)
		if (strcmp(src->cols[i].name, row->name) == 0 &&
		    (!g || src->cols[i].get.of == g->of))
			return true;
	return false;
}

/* A row, or one of its getters, that no source lists. */
static void test_listed(void)
{
	static const struct source_def joined = {
		.of = ROWS_JOINED, .cols = vs_cols, .ncols = VS_COLS};
	const struct source_def *src;
	const struct column_row *row;

	for (size_t i = 0; (row = column_at(i)); i++)
		for (size_t k = 0; k < row->n + !row->n; k++) {
			const struct getter *g = row->n ? &row->get[k] : NULL;
			bool taken = takes(&joined, row, g);

			for (size_t s = 0; (src = source_at(s)) && !taken; s++)
				taken = takes(src, row, g);
			ok(taken, "a source lists %s, getter %zu", row->name, k);
		}
}

static void test_help(void)
{
	const struct column_row *row, *before;

	for (size_t i = 0; (row = column_at(i)); i++) {
		bool first = true;

		for (size_t k = 0; k < i && (before = column_at(k)); k++)
			first &= strcmp(before->name, row->name) != 0;
		ok(first == (row->help != NULL), "%s is explained once", row->name);
	}
}

/* ---- OUTPUT.md ---- */

struct page {
	char *line[MOST]; /* of the table of columns: " calls | caller_id ... |" */
	size_t n;
	bool seen[MOST];
	char text[1 << 14];
};

/* The table that begins with "| source | columns". */
static bool read_page(struct page *p)
{
	FILE *f = fopen("repl/OUTPUT.md", "r");
	bool in = false;
	size_t used = 0;

	while (f && p->n < MOST && used < sizeof(p->text) &&
	       fgets(p->text + used, (int)(sizeof(p->text) - used), f)) {
		char *line = p->text + used;

		if (strncmp(line, "| source | columns", 18) == 0)
			in = true;
		else if (in && line[0] != '|')
			break;
		else if (in && line[1] != '-') {
			line[strcspn(line, "\n")] = '\0';
			p->line[p->n++] = line;
			used += strlen(line) + 1;
		}
	}
	if (f)
		fclose(f);
	return p->n > 0;
}

/* Is `name` one of the names before the second bar of a row? */
static bool row_is_of(const char *line, const char *name)
{
	const char *p = line + 1;
	const size_t n = strlen(name);

	while (*p == ' ') {
		p++;
		if (strncmp(p, name, n) == 0 &&
		    (p[n] == ',' || strncmp(p + n, " |", 2) == 0))
			return true;
		p += strcspn(p, ",|");
		p += *p == ',';
	}
	return false;
}

/* Does the next word of a row equal name?  Go behind it.  Names in brackets may be left
 * out. */
static bool next_is(const char **at, const char *name)
{
	const char *p = *at + strspn(*at, " ");
	const bool maybe = *p == '[';
	const size_t n = strcspn(p + maybe, "] ,|;\n");

	if (strlen(name) == n && strncmp(p + maybe, name, n) == 0) {
		*at = p + n + (maybe ? 2 : 0);
		return true;
	}
	if (!maybe)
		return false;
	*at = p + n + 2;
	return next_is(at, name);
}

static void lists_columns(const struct source_def *src, const char *row)
{
	const char *at = strchr(row + 1, '|') + 1;

	for (size_t i = 0; i < src->ncols; i++)
		if (src->list[i].flags & SHOW_M)
			ok(next_is(&at, src->list[i].name),
			   "OUTPUT.md, %s: here is %s, at: %.40s", title(src),
			   src->list[i].name, at);
	at += strspn(at, " ");
	ok(strchr("|,", *at), "  and nothing is left: %.40s", at);
}

static void test_page(void)
{
	static struct page p;
	const struct source_def *src;

	if (access("repl/OUTPUT.md", R_OK) != 0) {
		skip("repl/OUTPUT.md is not below the current directory");
		return;
	}
	ok(read_page(&p), "OUTPUT.md has a table of columns");
	for (size_t i = 0; (src = source_at(i)); i++) {
		size_t row = 0;

		while (row < p.n && !row_is_of(p.line[row], title(src)))
			row++;
		/* The facts of `info` are a card; `_` has those of any source. */
		if (src->of == ROWS_INFO || src->of == ROWS_CARD || !src->ncols)
			continue;
		if (ok(row < p.n, "OUTPUT.md has the columns of %s", title(src)))
			lists_columns(src, p.line[row]);
	}
	for (size_t i = 0; i < VS_COLS; i++) {
		bool found = false;

		for (size_t row = 0; row < p.n; row++) {
			char word[40];

			snprintf(word, sizeof(word), " %s", vs_cols[i].name);
			found |=
				row_is_of(p.line[row], "vs") && strstr(p.line[row], word);
		}
		ok(found || vs_cols[i].flags & OF_TOTAL, "OUTPUT.md, vs: %s",
		   vs_cols[i].name);
	}
}

int main(void)
{
	const struct source_def *src;

	for (size_t i = 0; (src = source_at(i)); i++) {
		for (size_t k = 0; k < src->ncols; k++)
			has_column(src, &src->list[k]);
		if (src->ncols)
			has_places(src);
	}
	for (size_t i = 0; i < VS_COLS; i++)
		ok(column_help(str_c(vs_cols[i].name)) != NULL, "vs: %s has help",
		   vs_cols[i].name);
	test_listed();
	test_help();
	test_page();
	return done_testing();
}
