/*
 * plain.c - a question in plain words as queries; see plain.h.
 *
 * The words fill slots: a verb or a kind of rows, sets by the preposition before them, an order, a
 * number, conditions, stages.  habits.txt says what a word fills; what is not there is a name.  The
 * table of verbs says which clauses a verb takes, so what the query is.  What has no place makes
 * all of it void; so does a word without which the query would be the same, unless [said] has it:
 * nothing that was typed is left out.
 */
#include "engine/lang/plain.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "engine/lang/keywords.h"
#include "index/base/count.h"

enum { TOKENS = 48 };
/* Where a name stands: in a clause, as in clause_words, or in a stage; or before it is known. */
enum { OF, FROM, TO, UNDER, VIA, AVOIDING, FOCUS, IGNORE, HIDE, NOT, SETS };
enum { BY = SETS, VS, IN, AND, LIKE, BETWEEN, NOWHERE };
static const char places[] =
	"of from to under via avoiding focus ignore hide not by vs in and like between";
enum {
	VERB,
	WEAK,
	UNIT,
	ORDER,
	KIND,
	LEAD,
	FORMAT,
	NUMBER,
	DEPTH,
	LEAST,
	PORTION,
	END,
	SLOTS
};
static const char slots[] = "verb weak unit by kind lead as number depth min portion end";

struct asked {
	struct str token[TOKENS];
	size_t n, at;
	struct str slot[SLOTS], portion[2];
	struct str bare; /* the name without a preposition */
	char set[SETS][HABIT_MAX], where[HABIT_MAX], tail[HABIT_MAX], base[HABIT_MAX];
	char flags[HABIT_MAX];
	int place, last;	    /* of the next name, of the one before */
	enum { NO, MAY, MUST } due; /* a name */
	bool literal,
		either; /* is a word that may be a name one?  Is there such a word? */
	bool piped, wrong;
	const char *row[TOKENS], *without; /* the rows that were read; one that is not */
	size_t rows;
};

static void __attribute__((format(printf, 3, 4)))
add(struct asked *q, char *to, const char *fmt, ...)
{
	const size_t n = strlen(to);
	va_list ap;

	va_start(ap, fmt);
	q->wrong |= vsnprintf(to + n, HABIT_MAX - n, fmt, ap) >= (int)(HABIT_MAX - n);
	va_end(ap);
}

static bool eq(struct str s, const char *word)
{
	return str_eq(s, str_c(word));
}

/* The n-th of "A else B", if there is one. */
static struct str choice(struct str s, size_t n)
{
	static const char between[] = " else ";

	for (; n--; s = str_from(s, strlen(between)))
		s = str_from(s, str_find_str(s, str_c(between)));
	return (struct str){s.p, str_find_str(s, str_c(between))};
}

/* Is there such a set, slot, flag, verb or unit? */
static bool has(const struct asked *q, const char *list)
{
	for (struct str words = str_c(list), w; (w = str_word(&words)).n;) {
		const int p = str_place(places, w), i = str_place(slots, w);

		if ((p >= 0 && p < SETS && q->set[p][0]) || (i >= 0 && q->slot[i].n) ||
		    str_place(q->flags, w) >= 0 || str_eq(w, choice(q->slot[VERB], 0)) ||
		    str_eq(w, q->slot[UNIT]))
			return true;
	}
	return false;
}

static void move(struct asked *q, int from, int to)
{
	if (!q->set[from][0] || q->set[to][0])
		return;
	memcpy(q->set[to], q->set[from], HABIT_MAX);
	q->set[from][0] = '\0';
}

/* ---- tokens, and the table of words ---- */

/* Up to a blank; what is in quotes, brackets or slashes is one, and "|" or "," one of its own. */
static void cut_tokens(struct asked *q, struct str s)
{
	for (size_t i = 0, from, open; i < s.n; q->n++) {
		for (; s.p[i] == ' '; i++)
			;
		for (from = i, open = 0; i < s.n && (open || !strchr(" |,", s.p[i]));
		     i++) {
			const char *end =
				s.p[i] == '"' || (s.p[i] == '/' && i == from)
					? memchr(s.p + i + 1, s.p[i], s.n - i - 1)
					: s.p + i;

			open += i > from && strchr("(<", s.p[i]);
			open -= open && strchr(")>", s.p[i]);
			i = end ? (size_t)(end - s.p) : s.n - 1;
		}
		i += i == from;
		if ((q->wrong |= q->n == TOKENS))
			return;
		q->token[q->n] = (struct str){s.p + from, i - from};
	}
}

static struct str token(const struct asked *q, size_t i)
{
	return i < q->n ? q->token[i] : STR("");
}

static bool is(const struct asked *q, size_t i, const char *list)
{
	return token(q, i).n && str_place(list, token(q, i)) >= 0;
}

static bool begins(const struct asked *q, size_t i, const char *bytes)
{
	return token(q, i).n && strchr(bytes, token(q, i).p[0]);
}

static bool is_number(struct str s)
{
	return s.n && s.p[0] >= '0' && s.p[0] <= '9' && !memchr(s.p, ':', s.n);
}

/* > x.csv, and not > self */
static bool is_output(const struct asked *q, size_t i)
{
	const struct str name = token(q, i + 1);

	return is(q, i, ">") && !is_number(name) && name.n &&
	       (memchr(name.p, '.', name.n) || memchr(name.p, '/', name.n));
}

static bool is_word(struct str typed, struct str word)
{
	typed.n -= typed.n == word.n + 1 && word.n > 2 && (typed.p[word.n] | 32) == 's';
	for (size_t i = 0; typed.n == word.n && i < word.n; i++)
		if (typed.p[i] != word.p[i] &&
		    ((typed.p[i] | 32) != word.p[i] || word.p[i] < 'a'))
			return false;
	return typed.n == word.n;
}

/* The row of the longest phrase that stands there, and its length in tokens. */
static const char *row_at(const struct asked *q, size_t at, size_t *len)
{
	const char *found = "";
	size_t n = 0;

	*len = 0;
	for (const struct habit *h = habit_words; h->word; h++)
		for (struct str rest = str_c(h->word), one; rest.n;
		     rest = str_from(rest, one.n + 1)) {
			one = (struct str){rest.p, strcspn(rest.p, " |")};
			n = n < TOKENS && is_word(token(q, at + n), one) ? n + 1 : TOKENS;
			if (rest.p[one.n] == ' ')
				continue;
			if (n < TOKENS && n > *len) {
				*len = n;
				found = h->form;
			}
			n = 0;
		}
	return found;
}

static bool row_is(const char *row, const char *actions)
{
	const struct str s = str_c(row);

	return s.n && str_place(actions, (struct str){row, str_find(s, ' ')}) >= 0;
}

/* ---- reading ---- */

static void put_name(struct asked *q, struct str name)
{
	int p = q->place;
	const bool joins = p == AND && !(has(q, "between"));

	/* Which lines miss the cache: no name is due after an order. */
	q->wrong |= q->due == NO && p == NOWHERE;
	q->due = has(q, "call path") ? MAY : NO;
	q->place = NOWHERE;
	if (p == VS) {
		q->wrong |= q->base[0] != 0;
		add(q, q->base, "%.*s", STR_ARG(name));
		return;
	}
	if (p == NOWHERE)
		q->bare = name;
	if (p == LIKE)
		q->slot[VERB] = STR("find");
	if (p == UNDER && has(q, "whole"))
		move(q, UNDER, OF);
	if (p == BETWEEN)
		p = FROM;
	else if (p == AND)
		p = joins ? q->last : TO;
	else if (p == IN)
		p = has(q, "whole")    ? TO
		    : has(q, "called") ? FROM
		    : q->set[OF][0]    ? UNDER
				       : OF;
	else if (p >= SETS)
		p = p == NOWHERE && (q->set[OF][0] || q->set[FROM][0]) ? TO : OF;
	else if (p == OF && has(q, "whole"))
		p = UNDER;
	q->wrong |= q->set[p][0] && !joins;
	add(q, q->set[p], "%s%s%.*s", q->set[p][0] ? " or " : "",
	    is_number(name) ? "#" : "", STR_ARG(name));
	q->last = p;
}

/* The expression that stands there; of a stage up to the next. */
static struct str take_text(struct asked *q, bool stage)
{
	static const char signs[] = "+-*/=<>~!";
	const struct str first = token(q, q->at);
	struct str last = first;
	size_t len;

	for (bool goes_on = true;
	     q->at < q->n && !is(q, q->at, "| !") && !is_output(q, q->at);
	     last = token(q, q->at++)) {
		const bool sign =
			begins(q, q->at, signs) || is(q, q->at, "in and or not ,");

		if (!goes_on && !sign &&
		    (!stage || row_is(row_at(q, q->at, &len), "stage option portion as")))
			break;
		goes_on = sign || strchr(signs, token(q, q->at).p[token(q, q->at).n - 1]);
	}
	return (struct str){first.p, first.n ? (size_t)(last.p + last.n - first.p) : 0};
}

static void put_where(struct asked *q, const char *col, struct str cond)
{
	/* What is piped comes after the first so many. */
	if (q->piped && (has(q, "top number") || q->tail[0]))
		add(q, q->tail, " | where %s%.*s", col, STR_ARG(cond));
	else
		add(q, q->where, "%s%s%.*s", q->where[0] ? " and " : "", col,
		    STR_ARG(cond));
}

static void put_order(struct asked *q, struct str by)
{
	if (q->tail[0])
		add(q, q->tail, " | sort %.*s", STR_ARG(by));
	else
		q->slot[ORDER] = by;
	q->wrong |= !q->tail[0] && has(q, "ordered");
	add(q, q->flags, " ordered");
}

/* more than 1000 times, over 5 % */
static void compare(struct asked *q, struct str sign)
{
	const struct str number = token(q, q->at++);
	const bool percent = is(q, q->at, "% percent");
	struct str col = q->slot[ORDER];
	char text[HABIT_MAX] = "";

	q->at += percent;
	if (is(q, q->at, "times time calls call") || has(q, "call")) {
		q->at += is(q, q->at, "times time calls call");
		col = q->slot[ORDER] = STR("calls");
		q->flags[0] = '\0';
	}
	/* 1000 of what? */
	q->wrong |= !is_number(number) ||
		    (!col.n && !percent && number.p[number.n - 1] <= '9' &&
		     !memchr(number.p, '%', number.n));
	add(q, text, "%.*s %.*s %.*s%s", col.n ? (int)str_find(col, ' ') : 4,
	    col.n ? col.p : "self", STR_ARG(sign), STR_ARG(number), percent ? "%" : "");
	add(q, q->where, "%s%s", q->where[0] ? " and " : "", text);
}

static void put_unit(struct asked *q, struct str unit)
{
	size_t len;

	const struct str typed = token(q, q->at - 1);

	/* in file lvm.c, dso libc */
	if ((q->place < SETS || q->place == IN ||
	     (q->place == NOWHERE && (typed.p[typed.n - 1] | 32) != 's' &&
	      str_place("files objects classes dirs", unit) >= 0)) &&
	    q->at < q->n && !row_at(q, q->at, &len)[0] && !is(q, q->at, "|")) {
		q->rows--;
		return;
	}
	if (!q->slot[UNIT].n || q->place == BY || eq(q->slot[UNIT], "functions"))
		q->slot[UNIT] = unit;
	q->wrong |= !eq(unit, "functions") && !str_eq(q->slot[UNIT], unit);
	q->place = NOWHERE;
}

static void read_portion(struct asked *q, struct str word)
{
	if (!is_number(token(q, q->at))) {
		put_unit(q, eq(word, "part") ? STR("parts") : STR("threads"));
		return;
	}
	q->wrong |= q->portion[1].n ||
		    (q->slot[PORTION].n && !str_eq(q->slot[PORTION], word));
	q->portion[q->slot[PORTION].n != 0] = token(q, q->at++);
	q->slot[PORTION] = word;
}

static void read_call(struct asked *q, bool passive)
{
	if (q->place == BY) {
		q->slot[ORDER] = STR("calls");
		q->place = NOWHERE;
		return;
	}
	if (!q->slot[VERB].n)
		move(q, OF, passive ? TO : FROM);
	add(q, q->flags, passive ? " call called" : " call");
	q->place = passive ? LIKE : TO;
}

static void put_slot_once(struct asked *q, int slot, struct str value)
{
	q->wrong |= q->slot[slot].n != 0;
	q->slot[slot] = value;
}

static void read_option(struct asked *q, struct str name)
{
	const struct str key = str_word(&name);
	const bool follows = is_number(token(q, q->at)) || is(q, q->at, "all");
	struct str value = follows ? token(q, q->at++) : str_trim(name);

	if (eq(key, "depth") && !value.n) { /* 3 levels */
		value = q->slot[NUMBER];
		q->slot[NUMBER].n = 0;
	}
	if (eq(key, "take") && q->tail[0])
		add(q, q->tail, " | take %.*s", STR_ARG(value));
	else if (eq(key, "skip"))
		add(q, q->tail, " | skip %.*s", STR_ARG(value));
	else
		put_slot_once(q,
			      eq(key, "take")  ? NUMBER
			      : eq(key, "min") ? LEAST
					       : DEPTH,
			      value);
	q->wrong |= !value.n;
}

static void read_stage(struct asked *q, struct str stage)
{
	const size_t at = q->at;
	const struct str text = take_text(q, true);

	/* Show me where it is: no stage. */
	if (!q->piped &&
	    (eq(stage, "show") || strcspn(text.p ? text.p : "", "=<>~") >= text.n)) {
		add(q, q->flags, eq(stage, "where") ? " where" : " shown");
		q->at = at;
	} else if (eq(stage, "where")) {
		put_where(q, "", text);
	} else {
		add(q, q->tail, " | %.*s%s%.*s", STR_ARG(stage), text.n ? " " : "",
		    STR_ARG(text));
	}
}

static void read_prep(struct asked *q, struct str word)
{
	const int p = str_place(places, word);

	if (p == AND && q->place != NOWHERE)
		return;
	if (p == BY && q->piped) {
		put_order(q, take_text(q, true));
		return;
	}
	q->wrong |= q->due == MUST && q->place != p; /* without from */
	q->due = MUST;
	q->place = p == BY && has(q, "called") ? FROM : p;
	q->wrong |= p == VS && has(q, "versus");
	add(q, q->flags, p == VS ? " vs versus" : p == BETWEEN ? " between" : "");
	if ((p == AND || p == VS || p == TO) && q->slot[PORTION].n &&
	    is_number(token(q, q->at))) {
		q->portion[1] = token(q, q->at++);
		q->place = NOWHERE;
	}
}

/* One action of a row. */
static void act(struct asked *q, struct str typed, struct str value)
{
	const struct str action = str_word(&value);
	const int slot = str_place(slots, action);

	value = str_trim(value);
	/* relative to parent */
	q->wrong |= q->place == VS && row_is(action.p, "verb by order where");
	if (slot == UNIT)
		put_unit(q, value);
	else if (eq(action, "flag") && !(eq(value, "top") && q->tail[0]))
		add(q, q->flags, " %.*s", STR_ARG(value));
	else if (eq(action, "prep"))
		read_prep(q, value);
	else if (eq(action, "set"))
		put_name(q, value);
	else if (eq(action, "calling"))
		read_call(q, value.n);
	if (eq(action, "flag") &&
	    (eq(value, "does") || eq(value, "vs") || q->place == BY))
		q->place = NOWHERE;
	if (!row_is(action.p, "prep skip set"))
		q->due = row_is(action.p, "by order where compare as portion option") ||
					 eq(value, "that") || eq(value, "base")
				 ? NO
				 : MAY;
	if (row_is(action.p, "unit flag prep set calling skip"))
		return;
	if (slot == VERB && q->slot[VERB].n && q->place != BY &&
	    !eq(q->slot[VERB], "calltree"))
		q->wrong |= !eq(value, "calltree") && !str_eq(value, q->slot[VERB]);
	else if (slot == ORDER && q->slot[ORDER].n && q->place != BY)
		q->wrong |= !str_eq(q->slot[ORDER], value);
	else if (slot == ORDER)
		put_order(q, value);
	else if (slot == PORTION)
		read_portion(q, value);
	else if (slot == VERB && (eq(value, "unit") || eq(value, "weak")))
		q->slot[VERB] = q->slot[eq(value, "unit") ? UNIT : WEAK];
	else if (slot >= 0)
		q->slot[slot] = value.n ? value : typed;
	else if (eq(action, "order") && !q->slot[ORDER].n)
		q->slot[ORDER] = value;
	else if (eq(action, "where") && q->place != VS)
		put_where(q, "", value);
	else if (eq(action, "where"))
		q->wrong = true;
	else if (eq(action, "compare"))
		compare(q, value);
	else if (eq(action, "option"))
		read_option(q, value);
	else if (eq(action, "stage"))
		read_stage(q, value);
	q->place = NOWHERE;
}

static void read_row(struct asked *q, const char *row, size_t len)
{
	const struct str typed = token(q, q->at);

	q->at += len;
	if (row == q->without)
		return;
	if (len)
		q->row[q->rows++] = row;
	q->wrong |= q->place == VS && strstr(row, "; where"); /* vs new: its name */
	for (struct str rest = str_c(row), one; rest.n;
	     rest = str_from(rest, one.n + 1)) {
		one = (struct str){rest.p, str_find(rest, ';')};
		act(q, typed, str_trim(one));
	}
}

/* Is the word a name?  One that is due there may be any word: callers of read. */
static bool is_name(struct asked *q, const char *row)
{
	const bool either = row[0] && q->at + 1 == q->n &&
			    (q->place < SETS || (q->place == IN && has(q, "cost"))) &&
			    !row_is(row, "unit set portion");

	q->either |= either;
	return !row[0] || (either && q->literal);
}

/* A stage that is written as here: a graph stage that is no slot is no plain word. */
static bool read_own_stage(struct asked *q)
{
	const struct str t = token(q, q->at);
	const struct stage_word *st = stage_find(t);
	const bool first = !q->at || q->piped;

	if (eq(t, "let") && !q->at)
		q->wrong = true;
	if (!st || !first ||
	    is(q, q->at, "focus ignore hide contexts slowest usual where sort"))
		return false;
	if (st->graph &&
	    !(is(q, q->at, "part thread") && is_number(token(q, q->at + 1)))) {
		q->wrong = true;
		return true;
	}
	if (st->graph || !q->piped)
		return false;
	q->at++;
	read_stage(q, t);
	return true;
}

static void read_words(struct asked *q)
{
	size_t len;

	while (q->at < q->n && !q->wrong) {
		const struct str t = token(q, q->at);
		const char *row = row_at(q, q->at, &len);
		const bool of_name = begins(q, q->at, "~!"),
			   column =
				   !row_is(row, "unit") || (q->at && t.p[t.n - 1] != 's');

		q->piped = q->at && is(q, q->at - 1, "|");
		if (read_own_stage(q)) {
			q->place = NOWHERE;
		} else if (is(q, q->at, "|")) {
			q->wrong |= ++q->at == q->n;
			q->place = NOWHERE;
		} else if (is_output(q, q->at)) {
			q->slot[END] = token(q, q->at + 1);
			q->at += 2;
		} else if (q->at && begins(q, q->at, "!") && !is(q, q->at, "!~")) {
			add(q, q->tail, " %.*s",
			    (int)(q->token[q->n - 1].p + q->token[q->n - 1].n - t.p),
			    t.p);
			q->at = q->n;
		} else if (of_name || (q->place != BY && begins(q, q->at + 1, "=<>~!") &&
				       !is_output(q, q->at + 1) &&
				       !row_is(row, "stage") && column)) {
			put_where(q, of_name ? "fn " : "", take_text(q, true));
		} else if (q->place == BY &&
			   (!row[0] || begins(q, q->at + len, "+-*/"))) {
			put_order(q, take_text(q, false));
			q->place = NOWHERE;
		} else if (is_number(t) && q->due != MUST) {
			q->wrong |= q->slot[NUMBER].n;
			read_option(q, STR("take"));
		} else if (is_name(q, row)) {
			q->at++;
			put_name(q, t);
		} else {
			read_row(q, row, len);
		}
	}
}

/* ---- putting it together ---- */

/* Is it of columns that a comparison has? */
static bool is_of_two(struct str s)
{
	return row_is(s.p ? s.p : "", "delta delta% change base");
}

static bool is_column(struct str by)
{
	return !by.n ||
	       (by.p[0] >= 'a' && by.p[0] <= 'z' && !eq(by, "ns") && !eq(by, "cpu")) ||
	       by.p[0] == '(';
}

/* Is all that the row of [verbs] lists there, and nothing that it forbids: "call -to". */
static bool row_holds(const struct asked *q, struct str words)
{
	for (struct str w; (w = str_word(&words)).n;) {
		char word[32] = "";
		const bool no = w.p[0] == '-';

		memcpy(word, w.p + no, w.n - no < sizeof(word) ? w.n - no : 0);
		if (has(q, word) == no)
			return false;
	}
	return true;
}

static void choose_verb(struct asked *q)
{
	const struct habit *h = habit_verbs;
	const struct str by = q->slot[ORDER];

	if (q->portion[1].n || is_of_two(str_c(q->where)) || is_of_two(by))
		add(q, q->flags, " vs");
	if (has(q, "of from to under via avoiding focus ignore hide not"))
		add(q, q->flags, " name");
	add(q, q->flags, "%s%s%s%s", q->where[0] ? " if" : "", q->tail[0] ? " tail" : "",
	    by.n && !is_column(by) ? " event" : "",
	    q->n == 1  ? " lone"
	    : q->n < 4 ? " short"
		       : "");
	/* the share of X in Y; but of X is spent in Y */
	if (has(q, "whole") && !has(q, "is") && q->set[TO][0] && q->set[UNDER][0]) {
		move(q, UNDER, OF);
		move(q, TO, UNDER);
	}
	if (!q->slot[VERB].n && has(q, "call"))
		move(q, OF,
		     has(q, "to") || (has(q, "does") && !has(q, "from")) ? FROM : TO);
	while (h->word && !row_holds(q, str_c(h->word)))
		h++;
	if (h->word && h->form[0]) {
		q->slot[VERB].n = 0;
		read_row(q, h->form, 0);
	}
	if (q->slot[UNIT].n && h->word &&
	    str_find_str(str_c(h->word), q->slot[UNIT]) < strlen(h->word))
		q->slot[UNIT].n = 0;
	q->wrong |= q->slot[UNIT].n && !eq(q->slot[UNIT], "functions") &&
		    !str_eq(q->slot[UNIT], q->slot[VERB]);
}

/* Give each set a clause or a stage that the verb has. */
static void place_sets(struct asked *q, const struct verb *v)
{
	static const struct {
		int from;
		unsigned lacks, has;
		int to;
	} moves[] = {
		{TO, C_TO, C_OF, OF},
		{FROM, C_FROM, C_OF, OF},
		{FROM, C_FROM, C_UNDER, UNDER},
		{UNDER, C_UNDER | C_OF, C_FROM, FROM},
		{UNDER, C_UNDER, 0, FOCUS},
		{VIA, C_VIA, 0, FOCUS},
		{NOT, C_UNIT, C_AVOIDING | C_TO, AVOIDING},
		{NOT, C_UNIT, 0, IGNORE},
		{AVOIDING, C_AVOIDING, 0, IGNORE},
		{OF, C_OF, C_FROM, FROM},
		{OF, C_OF, C_TO, TO},
	};
	const unsigned bits = v->clauses;
	char *alone = q->set[bits & C_OF ? OF : TO];

	/* To call X but not Y is a question of functions, not of costs. */
	q->wrong |= q->set[NOT][0] && (v->kind == S_CALLERS || v->kind == S_CALLEES);
	if (has(q, "up")) {
		move(q, OF, TO);
		move(q, FROM, TO);
	}
	for (size_t i = 0; i < COUNT(moves); i++)
		if (!(bits & moves[i].lacks) && (bits & moves[i].has) == moves[i].has)
			move(q, moves[i].from, moves[i].to);
	if (!alone[0] && (bits & C_NEEDS_OF || v->kind == S_PATH || has(q, "up"))) {
		q->slot[LEAD] = STR("for example");
		add(q, alone,
		    v->kind == S_SOURCE || v->kind == S_ASM || v->kind == S_CALLEES
			    ? "main"
			    : "malloc");
	}
	if (v->kind == S_PATH && !q->set[FROM][0])
		add(q, q->set[FROM], "main");
	if (q->set[NOT][0] && bits & C_UNIT)
		add(q, q->set[OF],
		    strstr(q->set[NOT], " or ") ? "%snot (%s)" : "%snot %s",
		    q->set[OF][0] ? " and " : "", q->set[NOT]);
	q->set[NOT][0] = '\0';
}

static void put_slot(struct asked *q, char *buf, const char *before, int slot)
{
	if (q->slot[slot].n)
		add(q, buf, "%s%.*s", before, STR_ARG(q->slot[slot]));
}

static void put_verb(struct asked *q, const struct verb *v, struct str by, char *buf)
{
	static const char *const stages[] = {"focus", "ignore", "hide"};
	const bool unit = v->clauses & C_UNIT, path = v->kind == S_PATH;
	const bool ranks =
		unit && !has(q, "if vs asc") &&
		(has(q, "top") ||
		 (!q->slot[UNIT].n && (has(q, "number") || (by.n && !has(q, "many")))));
	const bool sorts =
		by.n && !ranks &&
		(is_column(by) || !(v->clauses & C_BY) || str_find(by, ' ') < by.n);
	const struct str *p = q->portion;
	const bool swaps = p[1].n && has(q, "old-first between");

	place_sets(q, v);
	if (q->slot[LEAD].n)
		add(q, buf, "%.*s: ", STR_ARG(q->slot[LEAD]));
	if (p[0].n)
		add(q, buf, "%.*s %.*s | ", STR_ARG(q->slot[PORTION]), STR_ARG(p[swaps]));
	for (int i = FOCUS; i <= HIDE; i++)
		if (q->set[i][0])
			add(q, buf, "%s %s | ", stages[i - FOCUS], q->set[i]);
	if (path && has(q, "depth min") && !has(q, "kind number"))
		q->slot[KIND] = STR("all");
	if (path && has(q, "kind number top"))
		put_slot(q, buf, "",
			 q->slot[KIND].n ? KIND : (q->slot[KIND] = STR("hottest"), KIND));
	else if (ranks)
		add(q, buf, "top");
	if (ranks || path)
		put_slot(q, buf, buf[0] ? " " : "", NUMBER);
	if (!ranks || v->kind != S_FUNCTIONS)
		add(q, buf, "%s%s%s",
		    buf[0] && !str_ends(str_c(buf), STR(" ")) ? " " : "",
		    v->kind == S_FUNCTIONS ? "functions"
		    : path		   ? "path"
					   : v->word,
		    path && (has(q, "number") || eq(q->slot[KIND], "all")) ? "s" : "");
	for (int i = OF; i <= AVOIDING; i++)
		if (q->set[i][0] && clause_words[i].bit & v->clauses)
			add(q, buf,
			    v->kind == S_INFO || v->kind == S_FIND ? "%.0s %s" : " %s %s",
			    clause_words[i].word, q->set[i]);
		else
			q->wrong |= q->set[i][0] != 0;
	put_slot(q, buf, " depth ", DEPTH);
	put_slot(q, buf, " min ", LEAST);
	if (v->kind == S_COST || v->kind == S_INFO)
		q->wrong |= sorts && str_place("incl self", by) < 0;
	q->wrong |= by.n && sorts && !is_column(by) && !(v->clauses & C_BY);
	if (by.n && !sorts)
		add(q, buf, " by %.*s", STR_ARG(by));
	if (p[1].n)
		add(q, buf, " vs %.*s %.*s", STR_ARG(q->slot[PORTION]),
		    STR_ARG(p[!swaps]));
	else if (has(q, "vs"))
		add(q, buf, " vs %s", q->base[0] ? q->base : "base");
	if (q->where[0] && !((v->kind == S_INFO || v->kind == S_WHY) && has(q, "vs")))
		add(q, buf, " | where %s", q->where);
	add(q, buf, "%s", q->tail);
	if (sorts && v->kind != S_COST && v->kind != S_INFO)
		add(q, buf, " | sort %.*s%s", STR_ARG(by), has(q, "asc") ? " asc" : "");
	if (!ranks && !path)
		put_slot(q, buf, " | take ", NUMBER);
	add(q, buf, "%s",
	    has(q, "many") && v->kind != S_CALLS && !path && !(by.n && has(q, "name top"))
		    ? " | count"
		    : "");
}

/* A form of habits.txt: "@" is the set, "&" stands for ";". */
static void put_form(struct asked *q, struct str form, char *buf)
{
	size_t sets = 0;

	for (int i = OF; i < SETS; i++) {
		sets += q->set[i][0] != 0;
		move(q, i, OF);
	}
	q->wrong |= sets != (str_find(form, '@') < form.n) ||
		    has(q, "if tail portion depth number");
	if (q->slot[LEAD].n)
		add(q, buf, "%.*s: ", STR_ARG(q->slot[LEAD]));
	for (size_t n; form.n; form = str_from(form, n + 1)) {
		n = strcspn(form.p, "@&");
		n = n < form.n ? n : form.n;
		add(q, buf, "%.*s%s", (int)n, form.p,
		    n == form.n	       ? ""
		    : form.p[n] == '@' ? q->set[OF]
				       : "; ");
	}
}

enum { VERBS = 2, ORDERS = 5, BOTH = VERBS * ORDERS };

static void read_query(struct asked *q, struct str words, size_t n, const char *without,
		       char *buf)
{
	const struct verb *v;
	struct str verb, by;

	*q = (struct asked){
		.place = NOWHERE, .due = MAY, .literal = n < BOTH, .without = without};
	buf[0] = '\0';
	cut_tokens(q, words);
	read_words(q);
	/* It ends where a name is due. */
	q->wrong |= q->place <= VS && !has(q, "call");
	choose_verb(q);
	verb = choice(q->slot[VERB], n % VERBS);
	by = choice(q->slot[ORDER], n % BOTH / VERBS);
	/* top D1mr */
	if (n == 1 && q->bare.n && has(q, "top") && !has(q, "by") &&
	    str_eq(str_c(q->set[OF]), q->bare)) {
		verb = q->slot[VERB];
		by = q->bare;
		q->set[OF][0] = '\0';
	}
	v = verb_find(verb);
	q->wrong |= !verb.n || (q->n == 1 && has(q, "number")) ||
		    (q->slot[ORDER].n && !by.n) || (n % BOTH >= VERBS && !by.n) ||
		    (n >= BOTH && !q->either && !without) ||
		    (n % VERBS && v && v->kind == S_CALLTREE && !has(q, "to"));
	if (v)
		put_verb(q, v, by, buf);
	else
		put_form(q, verb, buf);
	q->wrong |= q->slot[FORMAT].n && str_ends(q->slot[END], STR(".svg"));
	put_slot(q, buf, " | as ", FORMAT);
	put_slot(q, buf, " > ", END);
	if (q->wrong)
		buf[0] = '\0';
}

/* Does each action of the row say nothing, or what the query has anyway? */
static bool is_said(const char *row, const char *query)
{
	bool said = true;

	for (struct str rest = str_c(row), value; said && rest.n;
	     rest = str_trim(str_from(rest, value.n + 1))) {
		const struct habit *h = habit_said;
		struct str list = str_c(query), word, last;

		last = value = (struct str){rest.p, str_find(rest, ';')};
		str_word(&last);
		while (h->word && !(str_starts(value, str_c(h->word)) &&
				    strchr("; ", value.p[strlen(h->word)])))
			h++;
		said = h->word && eq(str_c(h->form), "*");
		while (!said && (word = str_word(&list)).n)
			said = str_eq(word, str_trim(last)) ||
			       (h->word && str_place(h->form, word) >= 0);
	}
	return said;
}

bool plain_query(struct str words, size_t n, char *buf)
{
	struct asked q, other;
	char without[HABIT_MAX];

	read_query(&q, words, n, NULL, buf);
	/* A word is used if the query would be another one without it. */
	for (size_t i = 0; buf[0] && i < q.rows; i++)
		if (!is_said(q.row[i], buf)) {
			read_query(&other, words, n, q.row[i], without);
			if (str_eq(str_c(buf), str_c(without)))
				buf[0] = '\0';
		}
	return n < 2 * BOTH;
}
