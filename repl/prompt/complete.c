/*
 * complete.c - candidates for Tab; see complete.h.
 *
 * Each candidate has two texts: `word` goes into the line, `full` is listed.  They differ
 * for functions: of std::vector<int>::push_back(int const&) the line gets `push_back` if
 * that is unique, and after a quote the whole name in quotes.
 */
#include "repl/prompt/complete.h"

#include <dirent.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "engine/lang/token.h"
#include "engine/names/name.h"
#include "engine/lang/keywords.h"
#include "index/read/folder.h"
#include "index/base/err_struct.h"
#include "index/store/store.h"
#include "repl/app/options.h"
#include "repl/prompt/command.h"
#include "repl/prompt/help.h"
#include "repl/prompt/library.h"

enum { FUNCTIONS = 200, LISTED = 400 };

struct search {
	struct app *app;
	struct arena *a;
	struct err *err;
	struct str text;
	size_t word_at;
	struct str prefix;
	struct str word[LISTED], full[LISTED];
	size_t n;
	bool more, quoted;
};

static void add_candidate(struct search *s, struct str word, struct str full)
{
	for (size_t i = 0; i < s->n; i++)
		if (str_eq(s->full[i], full))
			return;
	if (s->n == LISTED) {
		s->more = true;
		return;
	}
	s->word[s->n] = word;
	s->full[s->n++] = full;
}

static void offer_word(struct search *s, struct str word)
{
	if (str_starts(word, s->prefix))
		add_candidate(s, word, word);
}

static void offer_c(struct search *s, const char *word)
{
	offer_word(s, str_c(word));
}

/* ---- functions ---- */

static bool bare_byte(char c)
{
	return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') ||
	       (c >= '0' && c <= '9') || (c && strchr("_~:.@$*+/?-'", c));
}

/* The part of a name from the component that starts with the prefix, as far as a bare
 * name may go: `push_back` of std::vector<int>::push_back(int const&). */
static struct str bare_part(struct str name, struct str prefix)
{
	size_t at = 0, n = 0;

	while (!str_starts(str_from(name, at), prefix)) {
		at += str_find_str(str_from(name, at), STR("::")) + 2;
		if (at >= name.n)
			return (struct str){name.p, 0};
	}
	name = str_from(name, at);
	while (n < name.n && bare_byte(name.p[n]))
		n++;
	return (struct str){name.p, n};
}

/* The text after the typed quote, with the closing quote. */
static struct str after_quote(struct search *s, struct str name)
{
	struct str q = name_quoted(name, s->a);

	if (q.p)
		return str_from(q, 1);
	arena_full(s->a, s->err);
	return (struct str){"", 0};
}

static void offer_functions(struct search *s)
{
	struct str *names = NULL;
	size_t n = 0;

	if (!s->app->nprofiles || (!s->quoted && s->prefix.n == 0 && s->n > 0))
		return;
	if (query_complete_function(s->app->session, s->prefix, FUNCTIONS, s->a, &names,
				    &n, s->err))
		return;
	s->more |= n == FUNCTIONS;
	for (size_t i = 0; i < n; i++) {
		struct str bare = bare_part(names[i], s->prefix);

		if (s->quoted)
			add_candidate(s, after_quote(s, names[i]), names[i]);
		else if (bare.n)
			add_candidate(s, bare, names[i]);
	}
}

/* ---- the other kinds ---- */

static void offer_events(struct search *s)
{
	struct store *st;

	if (!s->app->nprofiles)
		return;
	st = session_profile(s->app->session, 0);
	for (uint32_t e = 0; e < store_info(st)->all_events; e++) {
		struct store_event ev;

		store_event(st, e, &ev);
		offer_word(s, ev.name);
	}
}

static void offer_columns(struct search *s, const struct query_context *ctx)
{
	enum { MOST = 64 };
	const char *names[MOST];
	size_t n = query_columns(ctx->source, ctx->vs, names, MOST);

	for (size_t i = 0; i < n; i++)
		if (!strchr(names[i], ':') && !strchr(names[i], '/'))
			offer_c(s, names[i]);
}

static void offer_values(struct search *s)
{
	struct str name;

	for (size_t i = 0; (name = session_value(s->app->session, i)).n; i++)
		offer_word(s, name);
}

static void offer_words(struct search *s, unsigned want)
{
	if (want & WANT_VERB) {
		for (size_t i = 0; i < verbs_n; i++)
			offer_c(s, verbs[i].word);
		for (size_t i = 0; path_words[i]; i++)
			offer_c(s, path_words[i]);
	}
	for (size_t i = 0; i < stage_words_n; i++)
		if (want & (stage_words[i].graph ? WANT_VERB : WANT_STAGE))
			offer_c(s, stage_words[i].word);
	if (want & WANT_VERB)
		offer_c(s, "let");
}

static void offer_formats(struct search *s)
{
	for (size_t f = FORMAT_NONE + 1; f < FORMAT_END; f++)
		offer_c(s, formats[f].name);
}

static void offer_profiles(struct search *s)
{
	for (size_t i = 0; i < s->app->nprofiles; i++)
		offer_c(s, s->app->profiles[i].name);
	for (size_t i = 0; s->app->folder && i < s->app->folder->n; i++)
		if (s->app->folder->at[i].now.n)
			offer_word(s, s->app->folder->at[i].name);
}

/* Offer the files or objects of the profile, from the sorted table. */
static void offer_strings(struct search *s, bool objects)
{
	struct store *st;
	uint32_t i, n;

	if (!s->app->nprofiles)
		return;
	st = session_profile(s->app->session, 0);
	n = objects ? store_info(st)->objects : store_info(st)->files;
	for (i = 0; i < n && s->n < LISTED; i++) {
		struct str path = objects ? store_obj(st, i) : store_file(st, i);
		bool whole = s->prefix.n && s->prefix.p[0] == '/';

		if (!whole)
			path = str_basename(path);
		if (!str_starts(path, s->prefix))
			continue;
		path = arena_str(s->a, path);
		if (path.p)
			add_candidate(s, path, path);
	}
}

/* Put a name with a blank in quotes; close them if the name is complete. */
static struct str file_word(struct search *s, struct str path)
{
	bool directory = path.n && path.p[path.n - 1] == '/';

	if (!s->quoted && str_find(path, ' ') == path.n)
		return path;
	return arena_printf(s->a, "%s%.*s%s", s->quoted ? "" : "\"", STR_ARG(path),
			    directory ? "" : "\"");
}

static int candidates_by_name(const void *a, const void *b)
{
	return str_cmp(*(const struct str *)a, *(const struct str *)b);
}

/* After the name of a query its parameters are offered: N= MIN= ... */
static void offer_params(struct search *s, const struct library_query *q)
{
	struct token_default d;

	for (size_t at = 0; library_param(q->text, &at, &d);) {
		struct str word = arena_printf(s->a, "%.*s=", STR_ARG(d.name));

		if (word.p)
			offer_word(s, word);
	}
}

/* Offer the queries that .run finds from anywhere, or the parameters of the named one. */
static void offer_queries(struct search *s, struct str named)
{
	struct library l;

	library_list(s->app, &l, s->err);
	for (size_t i = 0; i < l.n && !s->err->kind; i++) {
		struct str name = arena_str(s->a, str_c(l.at[i].name));

		if (!name.p)
			continue;
		if (!named.n)
			offer_word(s, name);
		else if (str_eq(named, name) ||
			 str_eq(named, arena_printf(s->a, "%s.q", l.at[i].name)))
			offer_params(s, &l.at[i]);
	}
	library_free(&l);
}

static void offer_files(struct search *s)
{
	size_t base = s->prefix.n - str_basename(s->prefix).n;
	struct str typed = {s->prefix.p, base};
	char *dir = app_expand(base ? typed : STR("."));
	DIR *d = dir ? opendir(dir) : NULL;
	const size_t before = s->n; /* queries stand before files */
	struct dirent *e;

	while (d && (e = readdir(d))) {
		struct str name = str_c(e->d_name), path;
		struct stat st;

		if (!str_starts(name, str_from(s->prefix, base)) ||
		    (name.p[0] == '.' && base == s->prefix.n))
			continue;
		path = arena_printf(s->a, "%.*s%s", (int)base, typed.p, e->d_name);
		if (fstatat(dirfd(d), e->d_name, &st, 0) == 0 && S_ISDIR(st.st_mode))
			path = arena_printf(s->a, "%.*s/", (int)path.n, path.p);
		if (path.p)
			add_candidate(s, path, path);
	}
	if (d)
		closedir(d);
	free(dir);
	qsort(s->full + before, s->n - before, sizeof(s->full[0]), candidates_by_name);
	for (size_t i = before; i < s->n; i++) {
		s->word[i] = file_word(s, s->full[i]);
		if (!s->word[i].p)
			s->word[i] = s->full[i];
	}
}

/* ---- where the cursor is ---- */

/* A statement may be a name: shop::pa.  Returns whether the last word is the first of its
 * statement, and qualified or, if `any`, of whatever form. */
static bool offer_first_name(struct search *s, struct str text, bool any, size_t *word_at)
{
	struct str before;
	size_t at = text.n;

	while (at && (token_is_word_byte(text.p[at - 1]) || text.p[at - 1] == ':'))
		at--;
	before = str_trim((struct str){text.p, at});
	if (at == text.n || (before.n && !strchr(";|\n", before.p[before.n - 1])) ||
	    (!any && str_find_str(str_from(text, at), STR("::")) == text.n - at))
		return false;
	*word_at = at;
	s->prefix = str_from(text, at);
	s->quoted = false;
	offer_functions(s);
	return true;
}

static void complete_query(struct search *s, struct str text, size_t *word_at)
{
	struct query_context ctx = {0};

	if (offer_first_name(s, text, false, word_at))
		return;
	query_context(s->app->session, text, &ctx);
	*word_at = ctx.word_at > text.n ? text.n : ctx.word_at;
	s->prefix = str_from(text, *word_at);
	s->quoted = ctx.quoted;
	if (ctx.want & (WANT_VERB | WANT_STAGE))
		offer_words(s, ctx.want);
	for (size_t i = 0; ctx.want & WANT_KEYWORD && ctx.keywords[i]; i++)
		offer_c(s, ctx.keywords[i]);
	if (ctx.want & WANT_EVENT)
		offer_events(s);
	if (ctx.want & WANT_COLUMN)
		offer_columns(s, &ctx);
	if (ctx.want & WANT_VALUE)
		offer_values(s);
	if (ctx.want & WANT_FORMAT)
		offer_formats(s);
	if (ctx.want & WANT_PROFILE)
		offer_profiles(s);
	if (ctx.want & WANT_OBJECT)
		offer_strings(s, true);
	if (ctx.want & WANT_SOURCE_FILE)
		offer_strings(s, false);
	if (ctx.want & WANT_FUNCTION)
		offer_functions(s);
	if (ctx.want & WANT_VERB && !s->n)
		offer_first_name(s, text, true, word_at);
	if (ctx.want & WANT_FILE && !s->app->opts->safe) {
		s->quoted = str_starts(s->prefix, STR("\""));
		*word_at += s->quoted;
		s->prefix = str_from(s->prefix, s->quoted);
		offer_files(s);
	}
}

static void offer_topics(struct search *s)
{
	const struct help_topic *t;
	const struct command *c;

	for (size_t i = 0; (t = help_at(i)); i++)
		offer_c(s, t->name);
	for (size_t i = 0; help_list(i); i++)
		offer_c(s, help_list(i));
	for (size_t i = 0; (c = command_at(i)); i++)
		if (c->what)
			offer_c(s, c->name);
}

static void offer_script(struct search *s, struct str named)
{
	offer_queries(s, named);
	if (!named.n && !s->app->opts->safe)
		offer_files(s);
}

/* The word of text that ends before byte `end`; empty if that is in the first one. */
static struct str first_word(struct str text, size_t end)
{
	struct str s = str_trim((struct str){text.p, end});

	s.n = str_find(s, ' ');
	return s;
}

static void complete_command(struct search *s, struct str text, size_t *word_at)
{
	size_t end = str_find(text, ' ');
	const struct command *c;

	*word_at = end == text.n ? 1 : text.n;
	s->prefix = str_from(text, *word_at);
	if (end == text.n) {
		for (size_t i = 0; (c = command_at(i)); i++)
			if (c->what && !command_refused(s->app, c))
				offer_c(s, c->name);
		return;
	}
	/* A file in quotes may contain blanks. */
	for (size_t i = end + 1; i < text.n; i++)
		s->quoted ^= text.p[i] == '"';
	while (*word_at > end + 1 && text.p[*word_at - 1] != (s->quoted ? '"' : ' '))
		--*word_at;
	s->prefix = str_from(text, *word_at);
	c = command_find((struct str){text.p + 1, end - 1});
	switch (c && !command_refused(s->app, c) ? c->arg : ARG_NONE) {
	case ARG_NONE: break;
	case ARG_SCRIPT:
		offer_script(s, first_word(str_from(text, end), *word_at - end));
		break;
	case ARG_FILE:
		if (!s->quoted && str_find(s->prefix, '=') < str_find(s->prefix, '/')) {
			*word_at += str_find(s->prefix, '=') + 1; /* NAME=PROFILE */
			s->prefix = str_from(text, *word_at);
		}
		offer_files(s);
		break;
	case ARG_FORMAT:
		offer_formats(s);
		offer_c(s, "auto");
		offer_c(s, "exact");
		offer_c(s, "wide");
		break;
	case ARG_EVENT: offer_events(s); break;
	case ARG_PROFILE: offer_profiles(s); break;
	case ARG_TOPIC: offer_topics(s); break;
	case ARG_SWITCH:
		offer_c(s, "on");
		offer_c(s, "off");
		break;
	case ARG_QUERY:
		complete_query(s, str_from(text, end + 1), word_at);
		*word_at += end + 1;
		break;
	}
}

/* The longest common start of all candidates; a single candidate gets a blank at its
 * end. */
static struct str common(struct search *s)
{
	struct str all = s->n ? s->word[0] : s->prefix, last;

	for (size_t i = 1; i < s->n; i++)
		all.n = str_common(all, s->word[i]);
	if (s->n != 1)
		return all.n >= s->prefix.n ? all : s->prefix;
	last = str_from(all, all.n ? all.n - 1 : 0);
	if (str_eq(last, STR("/")) ||
	    (str_eq(last, STR("=")) && s->text.n && s->text.p[0] == '.'))
		return all;
	return arena_printf(s->a, "%.*s ", (int)all.n, all.p);
}

static int search_guarded(void *arg)
{
	struct search *s = arg;

	if (s->text.n && s->text.p[0] == '.')
		complete_command(s, s->text, &s->word_at);
	else
		complete_query(s, s->text, &s->word_at);
	return s->err->kind;
}

int complete(struct app *app, struct str text, struct arena *a, struct completion *c,
	     struct err *err)
{
	struct search *s = ARENA_NEW(a, struct search);

	if (!s)
		return arena_full(a, err);
	s->app = app;
	s->a = a;
	s->err = err;
	s->text = text;
	if (session_guard(search_guarded, s, err))
		return err->kind;
	c->word_at = s->word_at;
	c->insert = common(s);
	if (!c->insert.p)
		return arena_full(a, err);
	c->all = s->full;
	c->n = s->n;
	c->more = s->more;
	return err->kind;
}
