/*
 * habits.c - words of other tools; see habits.h.
 *
 * In a form "@" stands for what was typed after the word, up to a ">", whose file replaces
 * that of the form.  SQL is translated clause by clause: select C from T where W order by K
 * limit N is T | where W | sort K | take N | show C.
 *
 * A filled form is parsed before it is shown.  If it is no query, the form of the word alone
 * is shown.
 */
#include "engine/lang/habits.h"

#include <stdio.h>
#include <string.h>

#include "engine/lang/keywords.h"
#include "engine/lang/token.h"
#include "index/base/count.h"

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

/* The texts after a word: "main" and "> x.svg" in "flamegraph main > x.svg". */
struct typed {
	struct str what, out;
};

static const char *fill(const char *form, const struct typed *t, bool stage, char *buf)
{
	struct text to = {buf, 0};

	for (; *form && !(*form == '>' && t->out.n && !stage); form++)
		add_bytes(&to, *form == '@' ? t->what : (struct str){form, 1});
	if (t->out.n) {
		to.n = str_trim((struct str){buf, to.n}).n;
		add_bytes(&to, STR(" "));
		add_bytes(&to, t->out);
	}
	return buf;
}

/* Is it a query when it follows `before`?  Commands and keys are no queries. */
static bool reads(habit_reads *parses, const char *before, const char *form)
{
	char query[2 * HABIT_MAX];

	if (form[0] == '.' || str_starts(str_c(form), STR("the key")))
		return true;
	if (str_starts(str_c(form), STR("where ")) && !strpbrk(form, "=<>~"))
		return false; /* a column, but no condition */
	if ((str_starts(str_c(form), STR("show ")) ||
	     str_starts(str_c(form), STR("sort "))) &&
	    form[5] >= '0' && form[5] <= '9')
		return false; /* a number is no column */
	snprintf(query, sizeof(query), "%s%s", before, form);
	return parses(str_c(query));
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

static bool is_word(struct str word, const char *const *list)
{
	for (; *list; list++)
		if (token_same(word, *list))
			return true;
	return false;
}

/* Drop options and the little words: "-i malloc", "calls malloc", "of malloc". */
static struct typed typed_of(struct str rest, bool of_function)
{
	static const char *const little[] = {"calls", "called", "of",	"from",
					     "to",    "for",	"with", NULL};
	struct str after = rest, word = first_word(&after);
	size_t n = 0;

	while (word.n && (word.p[0] == '-' || (of_function && is_word(word, little)))) {
		if (word.n > 1 && word.p[0] == '-' && word.p[1] >= '0' &&
		    word.p[1] <= '9') { /* head -5 */
			rest = str_from(rest, 1);
			break;
		}
		rest = after;
		word = first_word(&after);
	}
	while (n < rest.n && !(rest.p[n] == '>' && (n == 0 || rest.p[n - 1] == ' ')))
		n++;
	return (struct typed){str_trim((struct str){rest.p, n}), str_from(rest, n)};
}

/* The habit that s begins with; *rest is what follows. */
static const struct habit *find_habit(const struct habit *h, struct str s,
				      struct str *rest)
{
	struct str word = first_word(&s), after = s, second = first_word(&after);
	const struct str two = {word.p, (size_t)(second.p - word.p) + second.n};

	for (; h->word; h++) {
		if (second.n && token_same(two, h->word)) {
			*rest = after;
			return h;
		}
		if (token_same(word, h->word)) {
			*rest = s;
			return h;
		}
	}
	return NULL;
}

static const char *of_table(habit_reads *parses, const struct habit *h, struct str text,
			    const char *before, char *buf)
{
	const bool stage = before[0] != '\0';
	struct typed t;
	struct str rest;

	if (!(h = find_habit(h, text, &rest)) || rest.n > 120)
		return NULL;
	t = typed_of(rest, !stage);
	if (t.what.n && h->with && reads(parses, before, fill(h->with, &t, stage, buf)))
		return buf;
	if (t.out.n && h->alone[0] != '.' &&
	    reads(parses, before, fill(h->alone, &t, stage, buf)))
		return buf;
	return h->alone;
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

/* where fn like '%text%': fn ~ "text".  Other patterns stay, and are no query here. */
static void add_condition(struct text *to, struct str s)
{
	for (size_t at; (at = find_keyword(s, "like")) < s.n;) {
		const struct str pattern = str_trim(str_from(s, at + 4)),
				 in = str_from(pattern, 2);
		const size_t n = str_find(in, '%');

		if (!str_starts(pattern, STR("'%")) || !n ||
		    !str_starts(str_from(in, n), STR("%'")))
			break;
		add_sql(to, (struct str){s.p, at});
		add_bytes(to, STR("~ \""));
		add_bytes(to, (struct str){in.p, n});
		add_bytes(to, STR("\""));
		s = str_from(in, n + 2);
	}
	add_sql(to, s);
}

/* Cut the first of what commas separate off *list: "sum(self)". */
static struct str first_item(struct str *list)
{
	size_t depth = 0, n = 0;

	for (; n < list->n && (depth || list->p[n] != ','); n++)
		depth += (list->p[n] == '(') - (size_t)(list->p[n] == ')' && depth);
	const struct str item = str_trim((struct str){list->p, n});
	*list = str_from(*list, n < list->n ? n + 1 : n);
	return item;
}

/* select file, sum(self): what is no aggregate is a key of the groups already. */
static void add_aggregates(struct text *to, struct str selected)
{
	const char *before = ": ";

	while (selected.n) {
		const struct str item = first_item(&selected);

		if (str_find(item, '(') == item.n)
			continue;
		add_bytes(to, str_c(before));
		add_sql(to, str_eq(item, STR("count(*)")) ? STR("count") : item);
		before = ", ";
	}
}

/* order by 2 DESC: the second of what is selected, as numbers descend.
 * Returns an empty text if there is no such item. */
static struct str sort_key(struct str key, struct str selected)
{
	const struct str number = first_word(&(struct str){key.p, key.n});
	struct str item = STR("");
	uint64_t n;

	if (!str_u64(number, &n))
		return key;
	for (; n && selected.n; n--)
		item = first_item(&selected);
	return n ? STR("") : item;
}

static const char *of_sql(habit_reads *parses, struct str text, char *buf)
{
	static const char *const keyword[SQLS] = {"select",   "from",	  "where",
						  "group by", "order by", "limit"};
	static const char *const stage[SQLS] = {NULL,		NULL,	    " | where ",
						" | group by ", " | sort ", " | take "};
	struct str part[SQLS] = {{0}};
	struct text to = {buf, 0};
	size_t at[SQLS];
	const struct verb *v;
	bool groups;

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
	groups = part[SQL_GROUP].n ||
		 (str_find(part[SQL_SELECT], '(') < part[SQL_SELECT].n &&
		  !token_same(part[SQL_SELECT], "count(*)"));
	for (size_t k = SQL_WHERE; k < SQLS; k++)
		if (k == SQL_GROUP && groups) {
			add_bytes(&to, str_c(stage[k]));
			add_sql(&to, part[k].n ? part[k] : STR("\"all\""));
			add_aggregates(&to, part[SQL_SELECT]);
		} else if (part[k].n) {
			add_bytes(&to, str_c(stage[k]));
			add_condition(&to, k == SQL_ORDER
						   ? sort_key(part[k], part[SQL_SELECT])
						   : part[k]);
		}
	if (token_same(part[SQL_SELECT], "count(*)"))
		add_bytes(&to, STR(" | count"));
	else if (!groups && part[SQL_SELECT].n && !str_eq(part[SQL_SELECT], STR("*"))) {
		add_bytes(&to, STR(" | show "));
		add_sql(&to, part[SQL_SELECT]);
	}
	return reads(parses, "", buf)
		       ? buf
		       : "functions | where fn ~ /text/ | sort self | take 10";
}

/* ---- thread 1 vs 2, parts 1..4 ---- */

/* Cut "1", "1-4", "1..4", "1 to 4" off *rest, as "1-4"; false: no number is there. */
static bool add_range(struct text *to, struct str *rest)
{
	const size_t before = to->n;
	size_t i = 0;

	*rest = str_trim(*rest);
	while (i < rest->n) {
		const struct str at = str_from(*rest, i);
		const size_t dash =
			str_starts(at, STR(" to ")) && at.n > 4 && at.p[4] <= '9' ? 4
			: str_starts(at, STR(".."))				  ? 2
			: strchr("0123456789,-", at.p[0])			  ? 1
										  : 0;

		if (!dash)
			break;
		add_bytes(to, dash > 1 ? STR("-") : (struct str){at.p, 1});
		i += dash;
	}
	*rest = str_trim(str_from(*rest, i));
	return to->n > before;
}

/* swap: of two without a word between them the second is the new one. */
static const char *of_portions(habit_reads *parses, struct str rest, bool swap, char *buf)
{
	static const char *const words[] = {"part", "parts", "thread", "threads", NULL};
	static const char *const joins[] = {"vs", "with", "and", "against", "to", NULL};
	char a[HABIT_MAX], b[HABIT_MAX];
	struct text to = {buf, 0}, one = {a, 0}, two = {b, 0};
	struct str word = first_word(&rest), after;
	bool joined, second;

	if (!is_word(word, words) || !add_range(&one, &rest))
		return NULL;
	word.n -= str_ends(word, STR("s"));
	after = rest;
	if ((joined = is_word(first_word(&after), joins)))
		rest = after;
	after = rest;
	if ((second = is_word(first_word(&after), words)))
		rest = after;
	if ((joined || second) && !add_range(&two, &rest))
		return NULL;
	swap = swap && second && !joined;
	add_bytes(&to, word);
	add_bytes(&to, STR(" "));
	add_bytes(&to, swap ? (struct str){b, two.n} : (struct str){a, one.n});
	add_bytes(&to, STR(" | "));
	if (two.n) {
		add_bytes(&to, STR("functions vs "));
		add_bytes(&to, word);
		add_bytes(&to, STR(" "));
		add_bytes(&to, swap ? (struct str){a, one.n} : (struct str){b, two.n});
		add_bytes(&to, STR(" "));
	} else if (rest.n && rest.p[0] == '|') {
		rest = str_trim(str_from(rest, 1));
	} else if (!rest.n) {
		rest = STR("top");
	}
	add_bytes(&to, rest);
	to.n = str_trim((struct str){buf, to.n}).n;
	buf[to.n] = '\0';
	return reads(parses, "", buf) ? buf : NULL;
}

const char *habit_portion(struct str statement, habit_reads *parses, char *buf)
{
	return of_portions(parses, statement, false, buf);
}

/* compare part 3 with part 2: the first is seen from the second.  diff OLD NEW is the
 * other way round. */
static const char *of_compare(habit_reads *parses, struct str word, struct str rest,
			      char *buf)
{
	static const char *const words[] = {"diff", "compare", "vs", NULL};

	if (!is_word(word, words) ||
	    !of_portions(parses, rest, token_same(word, "diff"), buf))
		return NULL;
	return strstr(buf, " vs ") ? buf : NULL;
}

/* ---- questions in words ---- */

static bool has_word(struct str text, const char *const *list)
{
	for (struct str word = first_word(&text); word.n; word = first_word(&text))
		if (is_word(word, list))
			return true;
	return false;
}

/* what regressed, which functions got slower; improved */
static const char *of_change(struct str text)
{
	static const char *const worse[] = {"regressed", "regressions", "regression",
					    "slower",	 "worse",	"grew",
					    "regress",	 NULL};
	static const char *const better[] = {"improved", "improvements", "improvement",
					     "faster",	 "better",	 "shrank",
					     NULL};
	static const char *const any[] = {"changed", "changes", "differs", "differences",
					  NULL};

	if (has_word(text, worse))
		return "functions vs base | where delta > 0 | sort delta";
	if (has_word(text, better))
		return "functions vs base | where delta < 0 | sort delta asc";
	return has_word(text, any) ? "functions vs base" : NULL;
}

/* what if X were free, whatif X, save X: what X costs with all below it. */
static const char *of_saving(habit_reads *parses, struct str word, struct str rest,
			     char *buf)
{
	static const char *const ask[] = {"whatif", "what-if", "if",	 "save",
					  "saved",  "savings", "saving", NULL};
	static const char *const behind[] = {"were", "was", "is",   "costs",
					     "cost", "had", "free", NULL};
	static const char *const between[] = {"from", "by", "without", "of", "if", NULL};
	struct str after = rest, name, next;
	struct text to = {buf, 0};

	if (token_same(word, "what") && token_same(first_word(&after), "if"))
		rest = after;
	else if (!is_word(word, ask))
		return NULL;
	after = rest;
	name = first_word(&after);
	if (is_word(name, between))
		name = first_word(&after);
	next = first_word(&after);
	if (!name.n || name.n > 120 || (next.n && !is_word(next, behind)))
		return "cost of malloc";
	add_bytes(&to, STR("cost of "));
	add_bytes(&to, name);
	return reads(parses, "", buf) ? buf : "cost of malloc";
}

/* ---- what the parser asks ---- */

/* pprof: top10 */
static const char *of_top(struct str word, char *buf)
{
	uint64_t n;

	if (word.n < 4 || !token_same((struct str){word.p, 3}, "top") ||
	    !str_u64(str_from(word, 3), &n))
		return NULL;
	return fill("top @", &(struct typed){.what = str_from(word, 3)}, false, buf);
}

const char *habit_query(struct str statement, habit_reads *parses, char *buf)
{
	static const char *const asking[] = {"what",	   "which",	"who",
					     "how",	   "regressed", "regressions",
					     "regression", "improved",	"improvements",
					     "changes",	   "changed",	"slower",
					     "faster",	   NULL};
	struct str rest = statement, word;
	const char *q;

	statement.n = str_find(statement, ';');
	rest.n = statement.n;
	word = first_word(&rest);
	if (token_same(word, "select") || token_same(word, "from"))
		return of_sql(parses, statement, buf);
	if (token_same(word, "info") && token_same(first_word(&rest), "functions"))
		return rest.n && reads(parses, "",
				       fill("find @", &(struct typed){.what = rest},
					    false, buf))
			       ? buf
			       : "functions";
	q = is_word(word, asking) ? of_change(statement) : NULL;
	if (!q)
		q = of_saving(parses, word, rest, buf);
	if (!q)
		q = of_top(word, buf);
	if (!q)
		q = of_compare(parses, word, rest, buf);
	return q ? q : of_table(parses, habit_queries, statement, "", buf);
}

const char *habit_stage(struct str stage, habit_reads *parses, char *buf)
{
	struct str rest = stage, word = first_word(&rest);

	for (size_t i = 0; i < COUNT(programs); i++)
		if (token_same(word, programs[i]))
			return fill("! @", &(struct typed){.what = str_trim(stage)}, true,
				    buf);
	return of_table(parses, habit_stages, stage, "functions | ", buf);
}

const char *habit_top(struct str word)
{
	for (const struct habit *h = habit_ranks; h->word; h++)
		if (token_same(word, h->word))
			return h->alone;
	return NULL;
}

const char *habit_rate(struct str words)
{
	static const char *const rates[][2] = {
		{"per call", "top by incl / calls"},
		{"predict", "top by Bcm / Bc"},
		{"branch", "top by Bcm / Bc"},
		{"miss", "top by (D1mr + D1mw) / (Dr + Dw)"}};

	for (size_t i = 0; i < COUNT(rates); i++)
		if (str_find_str(words, str_c(rates[i][0])) < words.n)
			return rates[i][1];
	return NULL;
}

const char *habit_command(struct str name)
{
	for (const struct habit *h = habit_commands; h->word; h++)
		if (str_eq(name, str_c(h->word)))
			return h->alone;
	return NULL;
}
