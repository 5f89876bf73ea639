/*
 * habits.c - plain words, and those of other tools; see habits.h.
 *
 * Operators and spellings of other languages are rewritten by the patterns of habits.txt.  If that
 * is a query it is the answer; else it is a question in plain words (plain.h).
 */
#include "engine/lang/habits.h"

#define PCRE2_CODE_UNIT_WIDTH 8
#include <pcre2.h>

#include <string.h>

#include "engine/lang/plain.h"
#include "engine/lang/token.h"
#include "index/base/count.h"

/* Longer texts are no slips of the pen, and take long to match. */
enum { TYPED_MAX = 200, STEPS = 100000 };

/* The beginnings of forms that are not what was typed; then a hint begins so, too. */
static const char *const leads[] = {"for example: ", "there is no what-if, ask: "};

size_t habit_lead(const char *said)
{
	for (size_t i = 0; i < COUNT(leads); i++)
		if (str_starts(str_c(said), str_c(leads[i])))
			return strlen(leads[i]);
	return 0;
}

bool habit_is_command(struct str form)
{
	return str_starts(form, STR(".")) || str_starts(form, STR("the key"));
}

static bool is_answer(struct str typed, const char *form, habit_reads *reads, void *arg)
{
	return form[0] && !str_eq(str_c(form), typed) &&
	       (habit_is_command(str_c(form)) ||
		reads(arg, str_c(form + habit_lead(form))));
}

/* Put the form in the place of all that the pattern matches in text. */
static bool rewrite(const struct habit *h, char *text)
{
	pcre2_match_context *limits = pcre2_match_context_create(NULL);
	char made[HABIT_MAX];
	PCRE2_SIZE at, n = HABIT_MAX;
	int rc;
	pcre2_code *code = pcre2_compile((PCRE2_SPTR)h->word, PCRE2_ZERO_TERMINATED,
					 PCRE2_CASELESS | PCRE2_DOTALL, &rc, &at, NULL);

	if (limits)
		pcre2_set_match_limit(limits, STEPS);
	rc = !code || !limits
		     ? -1
		     : pcre2_substitute(code, (PCRE2_SPTR)text, PCRE2_ZERO_TERMINATED, 0,
					PCRE2_SUBSTITUTE_EXTENDED |
						PCRE2_SUBSTITUTE_GLOBAL |
						PCRE2_SUBSTITUTE_UNSET_EMPTY,
					NULL, limits, (PCRE2_SPTR)h->form,
					PCRE2_ZERO_TERMINATED, (PCRE2_UCHAR *)made, &n);
	pcre2_code_free(code);
	pcre2_match_context_free(limits);
	if (rc > 0)
		memcpy(text, made, n + 1);
	return rc >= 0;
}

static bool rewrite_all(const struct habit *h, char *text)
{
	while (h->word && rewrite(h, text))
		h++;
	return !h->word;
}

const char *habit_query(struct str typed, habit_reads *reads, void *arg, char *buf)
{
	char text[HABIT_MAX];
	struct str word;

	typed = str_trim((struct str){typed.p, str_find(typed, ';')});
	word = (struct str){typed.p, str_find(typed, ' ')};
	if (typed.n > TYPED_MAX)
		return NULL;
	memcpy(text, typed.p, typed.n);
	text[typed.n] = '\0';
	if ((token_same(word, "select") || token_same(word, "from")) &&
	    rewrite_all(habit_sql, text) && is_answer(typed, text, reads, arg)) {
		memcpy(buf, text, HABIT_MAX);
		return buf;
	}
	if (token_same(word, "select"))
		return ".export x.db, and in it any SQL: sqlite3 x.db";
	memcpy(text, typed.p, typed.n);
	text[typed.n] = '\0';
	if (!rewrite_all(habit_rewrites, text))
		return NULL;
	memcpy(buf, text, HABIT_MAX);
	for (size_t i = 0; !is_answer(typed, buf, reads, arg); i++)
		if (!plain_query(str_trim(str_c(text)), i, buf))
			return NULL;
	return buf;
}

const char *habit_command(struct str name)
{
	for (const struct habit *h = habit_commands; h->word; h++)
		if (str_eq(name, str_c(h->word)))
			return h->form;
	return NULL;
}
