/*
 * habits.c - words of other tools; see habits.h.
 *
 * The rules are data, in habits.txt: a pattern of PCRE2, and what pcre2_substitute() puts in
 * the place of what it matches.  A form is skipped if one of its groups did not match.
 */
#include "engine/lang/habits.h"

#define PCRE2_CODE_UNIT_WIDTH 8
#include <pcre2.h>
#include <string.h>

#include "engine/lang/token.h"
#include "index/base/count.h"

/* Longer texts are no slips of the pen, and take long to match. */
enum { TYPED_MAX = 200, STEPS = 100000 };

/* The beginnings of forms that are not what was typed; then a hint begins so, too. */
static const char *const leads[] = {"for example: ", "there is no what-if; ask: "};

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

static bool is_answer(const char *form, habit_reads *reads, void *arg)
{
	return habit_is_command(str_c(form)) ||
	       reads(arg, str_c(form + habit_lead(form)));
}

/* Returns how often the rule matches s, below 0 for a form that has no text here. */
static int rewrite(const char *pattern, const char *form, uint32_t options, struct str s,
		   char *buf)
{
	pcre2_match_context *limits = pcre2_match_context_create(NULL);
	PCRE2_SIZE at, n = HABIT_MAX;
	int rc;
	pcre2_code *code =
		pcre2_compile((PCRE2_SPTR)pattern, PCRE2_ZERO_TERMINATED,
			      PCRE2_CASELESS | PCRE2_DOTALL | options, &rc, &at, NULL);

	if (limits)
		pcre2_set_match_limit(limits, STEPS);
	rc = !code || !limits
		     ? -1
		     : pcre2_substitute(code, (PCRE2_SPTR)s.p, s.n, 0,
					PCRE2_SUBSTITUTE_EXTENDED |
						(options ? 0 : PCRE2_SUBSTITUTE_GLOBAL),
					NULL, limits, (PCRE2_SPTR)form,
					PCRE2_ZERO_TERMINATED, (PCRE2_UCHAR *)buf, &n);
	pcre2_code_free(code);
	pcre2_match_context_free(limits);
	while (rc >= 0 && n && buf[n - 1] == ' ')
		buf[--n] = '\0';
	return rc;
}

/* select C from T where W: done clause by clause, all in the same text. */
static bool of_sql(struct str typed, char *buf)
{
	char text[HABIT_MAX];
	bool done = true;

	memcpy(text, typed.p, typed.n);
	text[typed.n] = '\0';
	for (const struct habit *h = habit_sql; h->word && done; h++) {
		done = rewrite(h->word, h->form[0], 0, str_c(text), buf) >= 0;
		memcpy(text, buf, HABIT_MAX);
	}
	return done;
}

static const char *of_rules(struct str typed, habit_reads *reads, void *arg, char *buf)
{
	for (const struct habit *h = habit_queries; h->word; h++)
		for (size_t i = 0; i < HABIT_FORMS && h->form[i]; i++) {
			const int n =
				rewrite(h->word, h->form[i],
					PCRE2_ANCHORED | PCRE2_ENDANCHORED, typed, buf);

			if (n == 0)
				break;
			if (n > 0 && !str_eq(str_c(buf), typed) &&
			    is_answer(buf, reads, arg))
				return buf;
		}
	return NULL;
}

/* Take away words that ask for no more: "show me the ...", "... per function?".  False: there
 * are none. */
static bool without_fillers(struct str typed, char *to)
{
	static const char *const fillers[] = {
		"(.+?)(?: ?[?.!]+| please)",
		"(?:please|can you|could you|i want to see|i need|now) (.+)",
		"(?:show|give|list|print|display|get|tell)(?: me)?(?: all)?(?: of)?(?: the)? (.+)",
		"(?:what|which) (?:is|are) (?:all )?(?:the )?(.+)",
		"(?:the|all) (.+)",
		"(?:time|costs?|instructions?|self|usage) ((?:per|by|for each|of each) .+)",
		"(.+?) (?:per|by|for each|for every|of each) functions?",
	};
	char text[HABIT_MAX];
	bool any = false;

	memcpy(to, typed.p, typed.n);
	to[typed.n] = '\0';
	for (size_t i = 0; i < COUNT(fillers); i++)
		if (rewrite(fillers[i], "$1", PCRE2_ANCHORED | PCRE2_ENDANCHORED,
			    str_c(to), text) > 0) {
			memcpy(to, text, HABIT_MAX);
			any = true;
		}
	return any;
}

const char *habit_query(struct str typed, habit_reads *reads, void *arg, char *buf)
{
	char plain[HABIT_MAX], other[HABIT_MAX];
	const char *said;
	struct str word;

	typed = str_trim((struct str){typed.p, str_find(typed, ';')});
	word = (struct str){typed.p, str_find(typed, ' ')};
	if (typed.n > TYPED_MAX)
		return NULL;
	if ((token_same(word, "select") || token_same(word, "from")) &&
	    of_sql(typed, buf) && !str_eq(str_c(buf), typed) &&
	    is_answer(buf, reads, arg))
		return buf;
	said = of_rules(typed, reads, arg, buf);
	if ((said && !habit_lead(said)) || !without_fillers(typed, plain))
		return said;
	if (is_answer(plain, reads, arg)) {
		memcpy(buf, plain, HABIT_MAX);
		return buf;
	}
	if (of_rules(str_c(plain), reads, arg, other) && !(said && habit_lead(other))) {
		memcpy(buf, other, HABIT_MAX);
		return buf;
	}
	/* `reads` knows the form that it accepted last: ask it again. */
	return said && is_answer(said, reads, arg) ? said : NULL;
}

const char *habit_command(struct str name)
{
	for (const struct habit *h = habit_commands; h->word; h++)
		if (str_eq(name, str_c(h->word)))
			return h->form[0];
	return NULL;
}
