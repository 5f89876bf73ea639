/*
 * source_text.c - the lines of a source file; see source_text.h.
 */
#include "engine/listing/source_text.h"

#include "engine/files/roots.h"
#include "engine/graph/graph.h"
#include "engine/rows/exec.h"
#include "index/base/arena.h"
#include "index/base/err_struct.h"
#include "index/format/meta_code.h"

struct str text_clean(struct arena *a, struct str s)
{
	size_t tabs = 0, n = 0;
	char *p;

	while (s.n && (s.p[s.n - 1] == '\r' || s.p[s.n - 1] == '\n'))
		s.n--;
	for (size_t i = 0; i < s.n; i++)
		tabs += s.p[i] == '\t';
	if (!tabs)
		return s;
	if (!(p = arena_alloc(a, s.n + 7 * tabs + 1)))
		return (struct str){NULL, 0};
	for (size_t i = 0; i < s.n; i++) {
		if (s.p[i] != '\t') {
			p[n++] = s.p[i];
			continue;
		}
		do
			p[n++] = ' ';
		while (n % 8);
	}
	return (struct str){p, n};
}

bool text_newer(const struct store *st, uint64_t mtime_ns)
{
	return mtime_ns > store_source(st)->mtime_ns;
}

static void text_split(struct exec *x, struct text_file *f, struct str text)
{
	size_t lines = 1;

	for (size_t i = 0; i < text.n; i++)
		lines += text.p[i] == '\n';
	f->line = EXEC_ARRAY(x, struct text_line, lines);
	while (text.n) {
		size_t end = str_find(text, '\n');
		struct text_line *l = &f->line[f->n];

		/* Tabs are expanded when the line is needed. */
		*l = (struct text_line){f->n + 1, {text.p, end}};
		f->n++;
		text = end < text.n ? str_from(text, end + 1) : (struct str){text.p, 0};
	}
}

void text_of_file(struct exec *x, struct text_file **list, file_id file,
		  struct text_file **out)
{
	struct roots_file opened;
	struct text_file *f;
	struct str text;

	for (f = *list; f; f = f->next)
		if (f->file == file) {
			*out = f;
			return;
		}
	f = EXEC_ARRAY(x, struct text_file, 1);
	*f = (struct text_file){.file = file, .next = *list};
	*out = *list = f;
	if (!roots_read(x->open->roots, store_file(x->g->st, file), x->a, &text, &opened,
			&f->why))
		return;
	f->path = opened.path;
	f->newer = text_newer(x->g->st, opened.mtime_ns);
	text_split(x, f, text);
}

void text_note_newer(struct exec *x, const struct text_file *f)
{
	exec_notef(x,
		   "%.*s is newer than the profile: the text may not be what was "
		   "measured",
		   STR_ARG(f->path));
}

void text_missing(struct exec *x, struct texts_missing *m, struct text_file *f,
		  struct str name)
{
	enum { NAMED = 3 };

	if (f->line || f->counted)
		return;
	f->counted = true;
	m->why = f->why;
	if (m->n++ < NAMED)
		m->list = arena_printf(x->a, "%.*s%s%.*s", STR_ARG(m->list),
				       m->n > 1 ? ", " : "", STR_ARG(name));
	else if (m->n == NAMED + 1)
		m->list = arena_printf(x->a, "%.*s, ...", STR_ARG(m->list));
}

struct str text_missing_note(struct exec *x, const struct texts_missing *m, size_t of)
{
	if (m->n == 1 && str_eq(m->list, STR("???")))
		return STR("the file is not known: -g of a compiler makes it known");
	if (m->n == 1)
		return arena_printf(x->a, "%.*s: %s; see --source-root", STR_ARG(m->list),
				    m->why);
	return arena_printf(x->a, "%s of %s files have no text: %.*s; see --source-root",
			    GROUPED(m->n), GROUPED(of), STR_ARG(m->list));
}

struct str text_at(const struct text_file *f, uint64_t pos)
{
	if (!f || !f->line || pos == 0 || pos > f->n)
		return (struct str){"", 0};
	return f->line[pos - 1].text;
}
