/*
 * habits.c - words of other tools; see habits.h.
 *
 * In a form "@" stands for what was typed after the word.  SQL is translated clause by
 * clause: select C from T where W order by K limit N is T | where W | sort K | take N |
 * show C.
 */
#include "engine/lang/habits.h"

#include <stdio.h>
#include <string.h>

#include "engine/lang/keywords.h"
#include "engine/lang/token.h"

#define COUNT(a) (sizeof(a) / sizeof((a)[0]))

struct habit {
	const char *word;
	const char *with, *alone; /* NULL: the same as the other */
};

static const struct habit queries[] = {
	/* pprof */
	{"list", "source of @", "functions | take 20"},
	{"weblist", "source of @", "top 20 > report.html"},
	{"peek", "callers of @; callees of @", "callers of malloc; callees of malloc"},
	{"web", "calltree from @ > web.svg", "calltree > web.svg"},
	{"svg", "calltree from @ > web.svg", "calltree > web.svg"},
	{"disasm", "asm of @", "asm of main"},
	{"traces", "calltree to @", "calltree"},
	{"text", "top @", "top 20"},
	{"raw", NULL, ".export DIR"},
	{"tags", NULL, "threads"},
	/* gdb */
	{"bt", "calltree to @", "calltree to malloc"},
	{"backtrace", "calltree to @", "calltree to malloc"},
	{"disassemble", "asm of @", "asm of main"},
	{"print", "info @", "info main"},
	{"p", "info @", "info main"},
	{"l", "source of @", "source of main"},
	{"i", "info @", "info"},
	{"break", "calltree to @", "calltree to malloc"},
	{"run", ".run @", ".run FILE"},
	{"r", ".run @", ".run FILE"},
	{"frame", "info @", "info main"},
	{"up", NULL, "callers of main"},
	{"down", NULL, "callees of main"},
	/* perf, KCachegrind, callgrind_annotate */
	{"perf", NULL, "top 20"},
	{"callgrind_annotate", NULL, "top 20"},
	{"pprof", NULL, "top 20"},
	{"report", "top @", "top 20"},
	{"annotate", "source of @", "source of main"},
	{"script", ".read @", "calltree | as folded"},
	{"record", NULL, ".open PROFILE"},
	{"stat", NULL, "info"},
	{"summary", NULL, "info"},
	{"tree", "calltree from @", "calltree"},
	{"callgraph", "calltree from @", "calltree > calls.svg"},
	{"callmap", NULL, "calltree > calls.svg"},
	{"flame", "calltree from @ > flame.svg", "calltree > flame.svg"},
	{"flamegraph", "calltree from @ > flame.svg", "calltree > flame.svg"},
	{"inclusive", NULL, "top by incl"},
	{"hot", "top @", "top"},
	{"hotspots", NULL, "top"},
	{"flat", NULL, "top"},
	/* sqlite3, duckdb, psql, a shell */
	{"describe", ".help @", ".help columns"},
	{"desc", ".help @", ".help columns"},
	{"tables", NULL, ".help sources"},
	{"schema", NULL, ".help columns"},
	{"explain", ".explain @", ".explain top"},
	{"use", ".open @", ".open PROFILE"},
	{"attach", ".open @", ".open PROFILE"},
	{"load", ".open @", ".open PROFILE"},
	{"open", ".open @", ".open PROFILE"},
	{"set", "let $@", "let $hot = malloc or free"},
	{"timing", NULL, ".timer"},
	{"history", NULL, "the key Up, or Ctrl-R to search"},
	{"clear", NULL, "the keys Ctrl-L"},
	{"cls", NULL, "the keys Ctrl-L"},
	{"ls", NULL, "functions"},
	{"grep", "find /@/", "find /text/"},
	{"rg", "find /@/", "find /text/"},
	{"head", "top @", "top 10"},
	{"wc", NULL, "functions | count"},
	{"diff", "functions vs @", "functions vs base"},
	{"compare", "functions vs @", "functions vs base"},
	{"vs", "functions vs @", "functions vs base"},
	{"who", "callers of @", "callers of malloc"},
	{"parents", "callers of @", "callers of malloc"},
	{"children", "callees of @", "callees of main"},
	{"search", "find @", "find malloc"},
	{"help", ".help @", ".help"},
	{"quit", NULL, ".quit"},
	{"exit", NULL, ".quit"},
	{"q", NULL, ".quit"},
};

static const struct habit stages[] = {
	{"grep", "where fn ~ /@/", "where fn ~ /text/"},
	{"rg", "where fn ~ /@/", "where fn ~ /text/"},
	{"head", "take @", "take 10"},
	{"limit", "take @", "take 10"},
	{"tail", NULL, "skip 10"},
	{"wc", NULL, "count"},
	{"uniq", NULL, "group by fn"},
	{"cat", NULL, "as csv"},
	{"jq", NULL, "as json"},
	{"select", "show @", "show fn, self"},
	{"order", "sort @", "sort self"},
	{"filter", "where @", "where self > 1k"},
};

/* Programs: their place is after "!". */
static const char *const programs[] = {"less",	"more", "awk",	   "sed",  "tee",
				       "xargs", "cut",	"python3", "perl", "column"};

/* ---- forms ---- */

struct text {
	char *p;
	size_t n;
};

static void add_bytes(struct text *to, struct str s)
{
	size_t room = HABIT_MAX - 1 - to->n, n = s.n < room ? s.n : room;

	memcpy(to->p + to->n, s.p, n);
	to->n += n;
	to->p[to->n] = '\0';
}

static const char *fill(const char *form, struct str rest, char *buf)
{
	struct text to = {buf, 0};

	for (; *form; form++)
		add_bytes(&to, *form == '@' ? rest : (struct str){form, 1});
	return buf;
}

/* Cut the first word off *rest. */
static struct str first_word(struct str *rest)
{
	struct str s = str_trim(*rest), word = {s.p, 0};

	while (word.n < s.n && s.p[word.n] != ' ' && s.p[word.n] != '\t')
		word.n++;
	*rest = str_trim(str_from(s, word.n));
	return word;
}

static const char *of_table(const struct habit *h, size_t n, struct str text, char *buf)
{
	struct str rest = text, word = first_word(&rest);

	while (rest.n && rest.p[0] == '-') /* options */
		rest = str_from(rest, 1);
	if (rest.n > 120)
		return NULL;
	for (; n--; h++)
		if (token_same(word, h->word))
			return fill(rest.n && h->with ? h->with : h->alone, rest, buf);
	return NULL;
}

/* ---- SQL ---- */

/* The first place of a keyword outside of quotes, as a whole word; s.n: none. */
static size_t find_keyword(struct str s, const char *keyword)
{
	size_t n = strlen(keyword);
	char quote = 0;

	for (size_t i = 0; i + n <= s.n; i++) {
		char c = s.p[i];

		if (quote || c == '\'' || c == '"') {
			quote = !quote ? c : c == quote ? 0 : quote;
			continue;
		}
		if (i && s.p[i - 1] != ' ')
			continue;
		if (token_same((struct str){s.p + i, n}, keyword) &&
		    (i + n == s.n || s.p[i + n] == ' '))
			return i;
	}
	return s.n;
}

enum clause_of_sql {
	SQL_SELECT,
	SQL_FROM,
	SQL_WHERE,
	SQL_GROUP,
	SQL_ORDER,
	SQL_LIMIT,
	SQLS
};

/* Text in '...' is text in "..." here. */
static void add_sql(struct text *to, struct str s)
{
	for (size_t i = 0; i < s.n; i++)
		add_bytes(to, s.p[i] == '\'' ? STR("\"") : (struct str){s.p + i, 1});
}

static const char *of_sql(struct str text, char *buf)
{
	static const char *const keyword[SQLS] = {"select",   "from",	  "where",
						  "group by", "order by", "limit"};
	static const char *const stage[SQLS] = {NULL,		NULL,	    " | where ",
						" | group by ", " | sort ", " | take "};
	struct str part[SQLS] = {{0}};
	struct text to = {buf, 0};
	size_t at[SQLS];
	const struct verb *v;

	for (size_t k = 0; k < SQLS; k++)
		at[k] = find_keyword(text, keyword[k]);
	for (size_t k = 0; k < SQLS; k++) {
		size_t end = text.n, from = at[k] + strlen(keyword[k]);

		for (size_t j = 0; j < SQLS; j++)
			end = at[j] > at[k] && at[j] < end ? at[j] : end;
		if (at[k] < text.n)
			part[k] = str_trim((struct str){text.p + from, end - from});
	}
	v = part[SQL_FROM].n ? verb_find(part[SQL_FROM]) : NULL;
	if (!part[SQL_FROM].n && !part[SQL_SELECT].n)
		return NULL;
	add_bytes(&to, str_c(v ? v->word : "functions"));
	for (size_t k = SQL_WHERE; k < SQLS; k++)
		if (part[k].n) {
			add_bytes(&to, str_c(stage[k]));
			add_sql(&to, part[k]);
		}
	if (token_same(part[SQL_SELECT], "count(*)"))
		add_bytes(&to, STR(" | count"));
	else if (part[SQL_SELECT].n && !str_eq(part[SQL_SELECT], STR("*"))) {
		add_bytes(&to, STR(" | show "));
		add_sql(&to, part[SQL_SELECT]);
	}
	return buf;
}

/* ---- the two questions ---- */

/* pprof: top10 */
static const char *of_top(struct str word, char *buf)
{
	uint64_t n;

	if (word.n < 4 || !token_same((struct str){word.p, 3}, "top") ||
	    !str_u64(str_from(word, 3), &n))
		return NULL;
	return fill("top @", str_from(word, 3), buf);
}

const char *habit_query(struct str statement, char *buf)
{
	struct str rest = statement, word;
	const char *q;

	statement.n = str_find(statement, ';');
	rest.n = statement.n;
	word = first_word(&rest);
	if (token_same(word, "select") || token_same(word, "from"))
		return of_sql(statement, buf);
	if (token_same(word, "info") && token_same(first_word(&rest), "functions"))
		return rest.n ? fill("find @", rest, buf) : "functions";
	q = of_top(word, buf);
	return q ? q : of_table(queries, COUNT(queries), statement, buf);
}

const char *habit_stage(struct str stage, char *buf)
{
	struct str rest = stage, word = first_word(&rest);

	for (size_t i = 0; i < COUNT(programs); i++)
		if (token_same(word, programs[i]))
			return fill("! @", str_trim(stage), buf);
	return of_table(stages, COUNT(stages), stage, buf);
}
