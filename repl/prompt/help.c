/* help.c - the help topics; see help.h. */
#include "repl/prompt/help.h"

#include <string.h>

#include "engine/lang/keywords.h"
#include "engine/query.h"
#include "index/base/out.h"
#include "repl/app/options.h"
#include "repl/prompt/command.h"
#include "repl/term/emit.h"

static const char overview[] =
	"A query reads left to right:   graph stages | source | table stages > file\n"
	"\n"
	"  top                                 the ten most expensive functions\n"
	"  malloc                              all about one function\n"
	"  callers of malloc                   who calls it, at what cost\n"
	"  path from main to malloc            how the program gets there\n"
	"  functions | where calls > 1000 | sort incl / calls\n"
	"  calltree > flame.svg                also .html .csv .json .md ...\n"
	"\n"
	"What self, incl, est, ~ and '2 mean is one screen: .help reading\n"
	"Tab completes, Ctrl-R searches the history, Ctrl-C stops a query, Ctrl-D leaves.\n"
	"\n"
	"Topics (.help TOPIC):\n";

const struct help_topic *help_at(size_t i)
{
	const struct help_topic *t = &help_texts[i];

	return t->name && t->name[0] != '.' ? t : NULL;
}

void help_overview(struct out *o)
{
	const struct help_topic *t;
	const struct command *c;
	struct out words;

	out_c(o, overview);
	out_mem(&words);
	out_char(&words, ' ');
	for (size_t i = 0; (t = help_at(i)); i++)
		out_printf(&words, " %s", t->name);
	for (size_t i = 0; help_list(i); i++)
		out_printf(&words, " %s", help_list(i));
	help_fold(o, out_text(&words), 78);
	out_c(o, "Commands (.help commands):\n");
	words.n = words.n > 0; /* without memory there is not even the blank */
	for (size_t i = 0; (c = command_at(i)); i++)
		if (c->what && !options_have(c->name))
			out_printf(&words, " .%s", c->name);
	help_fold(o, out_text(&words), 78);
	out_close_into(o, &words);
	out_c(o, "  and options as commands, such as .event (.help commands)\n");
}

static void print_commands(struct out *o)
{
	const struct command *c;

	for (size_t i = 0; (c = command_at(i)); i++) {
		size_t n = str_c(c->name).n + str_c(c->form).n;

		if (!c->what)
			continue;
		out_printf(o, "  .%s %s", c->name, c->form);
		out_fill(o, ' ', n < 30 ? 30 - n : 1);
		out_printf(o, "%s\n", c->what);
	}
}

static void indented(struct out *o, const char *before, const char *text)
{
	out_c(o, before);
	for (; *text; text++) {
		out_char(o, *text);
		if (*text == '\n')
			out_c(o, before);
	}
	out_char(o, '\n');
}

static void print_text(struct out *o, const struct help_topic *t)
{
	indented(o, "    ", t->examples);
	out_char(o, '\n');
	indented(o, "  ", t->text);
}

static void print_formats(struct out *o)
{
	for (size_t f = FORMAT_NONE + 1; f < FORMAT_END; f++)
		out_printf(o, "  %-12s %s\n", formats[f].name, formats[f].what);
}

static void print_accept(struct out *o)
{
	const char *word, *help;

	out_c(o,
	      "  --accept WORD,...\n\n  An `expect` about one of these fails unless its word is "
	      "given:\n\n");
	for (size_t i = 0; session_accept_at(i, &word, &help); i++)
		out_printf(o, "  %-12s %s\n", word, help);
}

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

static bool print_columns(struct out *o, struct str of)
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

static void print_sources(struct out *o)
{
	for (size_t i = 0; i < verbs_n; i++)
		if (verbs[i].word[0] != '_')
			out_printf(o, "  %s\n", verbs[i].form);
	out_c(o, "\n  .help columns SOURCE lists the columns of one.\n");
}

/* Topics that are lists made from tables; `columns` may name a source. */
static const struct {
	const char *name;
	void (*print)(struct out *o);
} lists[] = {{"sources", print_sources},
	     {"columns", NULL},
	     {"formats", print_formats},
	     {"accept", print_accept},
	     {"commands", print_commands}};

const char *help_list(size_t i)
{
	return i < sizeof(lists) / sizeof(lists[0]) ? lists[i].name : NULL;
}

static bool letter(struct str s, size_t i)
{
	return i < s.n &&
	       (((s.p[i] | 32) >= 'a' && (s.p[i] | 32) <= 'z') || s.p[i] == '_');
}

static bool has_word(struct str form, struct str word)
{
	for (size_t i = 0; i + word.n <= form.n; i++)
		if (str_starts(str_from(form, i), word) &&
		    !(i && letter(word, 0) && letter(form, i - 1)) &&
		    !(letter(word, word.n - 1) && letter(form, i + word.n)))
			return true;
	return false;
}

/* The topic with that name; else the one of which it is another word, then one whose form has it:
 * `jumps`, `hottest`, `collapse`. */
static const struct help_topic *find_topic(struct str topic)
{
	const struct help_topic *t;

	for (t = help_texts; t->name; t++)
		if (str_eq(topic, str_c(t->name)))
			return t;
	for (t = help_texts; t->name; t++)
		if (topic.n && has_word(str_c(t->also), topic))
			return t;
	for (t = help_texts; t->name; t++)
		if (topic.n && t->name[0] != '.' && has_word(str_c(t->form), topic))
			return t;
	return NULL;
}

/* The last topic that has the word in its text: `reading` says what `~` is, `record` how to see
 * cache misses. */
static const struct help_topic *find_text(struct str word)
{
	static const char plain[] =
		"nothing none any all the a and or not is it of in to for";
	const struct help_topic *t = NULL;

	for (size_t i = 0; str_place(plain, word) < 0 && help_at(i); i++)
		if (has_word(str_c(help_at(i)->text), word))
			t = help_at(i);
	return t;
}

static void print_topic(struct out *o, const struct help_topic *t)
{
	const struct command *c =
		t->name[0] == '.' ? command_find(str_c(t->name + 1)) : NULL;

	if (c) {
		out_printf(o, "  %s%s%s\n\n  %s\n", t->name, c->form[0] ? " " : "",
			   c->form, c->what);
	} else {
		indented(o, "  ", t->form);
		out_char(o, '\n');
	}
	print_text(o, t);
}

/* With or without its dot.  NULL: no command that has help is called that. */
static const struct help_topic *find_command(struct str name)
{
	const struct command *c =
		command_find(str_from(name, str_starts(name, STR("."))));
	const struct help_topic *t = help_texts;

	while (c && t->name && (t->name[0] != '.' || strcmp(t->name + 1, c->name) != 0))
		t++;
	return c && c->what ? t : NULL;
}

bool help_print(struct out *o, struct str topic)
{
	const char *means = query_column_means(topic);
	const struct help_topic *t;

	for (size_t i = 0; help_list(i); i++)
		if (lists[i].print && str_eq(topic, str_c(lists[i].name))) {
			lists[i].print(o);
			return true;
		}
	if (str_starts(topic, STR("columns")) &&
	    print_columns(o, str_trim(str_from(topic, strlen("columns")))))
		return true;
	if (means)
		out_printf(o, "  column %.*s: %s\n\n", STR_ARG(topic), means);
	t = find_topic(topic);
	if (!t)
		t = find_command(topic);
	if (!t && topic.n && (t = find_text(topic)))
		out_printf(o, "  .help %s has this word:\n", t->name);
	if (t)
		print_topic(o, t);
	return t || means;
}

/* Where the text of a line stands that begins with a word and a gap; else where it begins. */
static size_t hang_of(struct str line, size_t columns)
{
	size_t begin = 0, i;

	while (begin < line.n && line.p[begin] == ' ')
		begin++;
	for (i = begin; i + 2 < line.n && i < columns / 2; i++)
		if (i && line.p[i - 1] != '.' && line.p[i] == ' ' &&
		    line.p[i + 1] == ' ' && line.p[i + 2] != ' ')
			return i + 2;
	return begin;
}

void help_fold(struct out *o, struct str text, size_t columns)
{
	while (text.n) {
		struct str line = {text.p, str_find(text, '\n')};
		const size_t hang = hang_of(line, columns);
		size_t room = columns, least = hang, n;

		text = str_from(text, line.n + (line.n < text.n));
		while ((n = emit_line(EMIT_TEXT, line, room)) < line.n && n > least &&
		       line.p[n] == ' ') {
			out_str(o, (struct str){line.p, n});
			out_char(o, '\n');
			out_fill(o, ' ', hang);
			line = str_from(line, n + 1);
			room = columns - hang;
			least = 0;
		}
		out_str(o, line);
		out_char(o, '\n');
	}
}
