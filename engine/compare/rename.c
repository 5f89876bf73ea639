/*
 * rename.c - rules s/RE/TO/, by PCRE2's substitution; see rename.h.
 *
 *	s/^old_//	old_parse -> parse, so that it is compared with parse
 *
 * Rules are applied in their order, each to what the one before it left.  A rule is wrong or
 * right when it is given, not in the middle of a comparison of a million names; so its
 * replacement is tried at once.  A regular expression may take for ever on some name: its
 * steps, depth and memory are limited.
 */
#define PCRE2_CODE_UNIT_WIDTH 8
#include "engine/compare/rename.h"

#include <pcre2.h>
#include <stdlib.h>
#include <string.h>

#include "index/base/arena.h"
#include "index/base/err.h"
#include "index/base/vec.h"

enum {
	STEPS = 1000000, /* of matching one name */
	DEPTH = 10000,
	HEAP_KIB = 8192,
	LONGEST = 1 << 20, /* bytes of a changed name */
};

struct rename {
	char *text; /* as given */
	struct str to;
	uint32_t options; /* of pcre2_substitute() */
	pcre2_code *code;
	pcre2_match_context *limits;
};

static void free_rule(struct rename *rule)
{
	if (!rule)
		return;
	pcre2_code_free(rule->code);
	pcre2_match_context_free(rule->limits);
	free(rule->text);
	free(rule);
}

static int wrong_form(struct str rule, struct err *err)
{
	err_set(err, ERR_USAGE, 0, "a rule to rename is written s/RE/TO/, not '%.*s'",
		STR_ARG(rule));
	return err_hint(err,
			"s/^old_// compares old_parse with parse; s,a,b,gi is fine, too");
}

/*
 * Split s/RE/TO/FLAGS into its parts.  A backslash keeps the separator from ending a part
 * and stays in it.
 *
 *	s,a\,b,c,gi	part[0] a\,b	part[1] c	part[2] gi
 */
static bool rename_split(struct str text, struct str part[3])
{
	size_t at = 2, k = 0, begin = 2;

	if (text.n < 4 || text.p[0] != 's' || text.p[1] == '\\' || text.p[1] == '\n')
		return false;
	for (; at < text.n && k < 2; at++) {
		if (text.p[at] == '\\') {
			at++;
		} else if (text.p[at] == text.p[1]) {
			part[k++] = (struct str){text.p + begin, at - begin};
			begin = at + 1;
		}
	}
	if (k < 2 || !part[0].n)
		return false;
	part[2] = str_from(text, begin);
	return true;
}

static int bad_regex(int code, size_t at, struct str rule, struct err *err)
{
	PCRE2_UCHAR why[200];

	if (code == PCRE2_ERROR_NOMEMORY)
		return err_no_memory(err, NULL);
	if (pcre2_get_error_message(code, why, sizeof(why)) < 0)
		why[0] = '\0';
	return err_set(err, ERR_USAGE, 0, "%.*s: %s (at byte %zu of the expression)",
		       STR_ARG(rule), (const char *)why, at);
}

/* Names are bytes of any encoding.  So an expression may not turn on UTF-8: PCRE2 would
 * refuse the names that are not UTF-8.  If its compiler fails, PCRE2 interprets the
 * expression, which is only slower. */
static int compile(struct rename *rule, struct err *err)
{
	uint32_t options = PCRE2_NEVER_UTF | PCRE2_NEVER_UCP | PCRE2_DOLLAR_ENDONLY;
	struct str part[3];
	PCRE2_SIZE at;
	int code;

	if (!rename_split(str_c(rule->text), part))
		return wrong_form(str_c(rule->text), err);
	for (size_t i = 0; i < part[2].n; i++) {
		if (part[2].p[i] == 'g')
			rule->options |= PCRE2_SUBSTITUTE_GLOBAL;
		else if (part[2].p[i] == 'i')
			options |= PCRE2_CASELESS;
		else
			return wrong_form(str_c(rule->text), err);
	}
	rule->to = part[1];
	rule->code = pcre2_compile((PCRE2_SPTR)part[0].p, part[0].n, options, &code, &at,
				   NULL);
	if (!rule->code)
		return bad_regex(code, at, str_c(rule->text), err);
	rule->limits = pcre2_match_context_create(NULL);
	if (!rule->limits)
		return err_no_memory(err, NULL);
	pcre2_set_match_limit(rule->limits, STEPS);
	pcre2_set_depth_limit(rule->limits, DEPTH);
	pcre2_set_heap_limit(rule->limits, HEAP_KIB);
	(void)pcre2_jit_compile(rule->code, PCRE2_JIT_COMPLETE);
	return 0;
}

/* Change one name; also a test of the replacement, which PCRE2 reads only now.  The first
 * guess at the size is mostly enough; if not, PCRE2 says how much it wants, and once more
 * if the small stack of its compiled code was the reason. */
static int rename_change(const struct rename *rule, struct str name, struct arena *a,
			 struct str *out, struct err *err)
{
	PCRE2_SIZE size = 2 * name.n + rule->to.n + 64;
	uint32_t options = rule->options | PCRE2_SUBSTITUTE_OVERFLOW_LENGTH;
	PCRE2_UCHAR why[200];
	char *p = NULL;
	int rc = 0;

	for (int tries = 0; tries < 3; tries++) {
		if (size > LONGEST + 2 * name.n || !(p = arena_alloc(a, size)))
			break;
		rc = pcre2_substitute(rule->code, (PCRE2_SPTR)name.p, name.n, 0, options,
				      NULL, rule->limits, (PCRE2_SPTR)rule->to.p,
				      rule->to.n, (PCRE2_UCHAR *)p, &size);
		if (rc == PCRE2_ERROR_JIT_STACKLIMIT) {
			options |= PCRE2_NO_JIT; /* its stack is small */
			size = 2 * name.n + rule->to.n + 64;
		} else if (rc != PCRE2_ERROR_NOMEMORY) {
			break;
		}
	}
	if (!p && size <= LONGEST + 2 * name.n)
		return arena_full(a, err);
	if (rc == 0)
		return 0;
	if (rc > 0) {
		*out = (struct str){p, size};
		return 0;
	}
	if (pcre2_get_error_message(rc, why, sizeof(why)) < 0)
		why[0] = '\0';
	return err_set(err, rule->limits ? ERR_LIMIT : ERR_USAGE, 0, "%s: %s", rule->text,
		       (const char *)why);
}

static int test_replacement(const struct rename *rule, struct err *err)
{
	struct rename plain = *rule;
	struct arena a;
	struct str out = {"", 0};
	int rc, code;
	PCRE2_SIZE at;

	/* PCRE2 looks at the replacement when something matches: let everything. */
	plain.limits = NULL;
	plain.code = pcre2_compile((PCRE2_SPTR) "", 0, 0, &code, &at, NULL);
	if (!plain.code)
		return err_no_memory(err, NULL);
	arena_init(&a, 0);
	plain.options |= PCRE2_SUBSTITUTE_UNKNOWN_UNSET | PCRE2_SUBSTITUTE_UNSET_EMPTY;
	rc = rename_change(&plain, STR(""), &a, &out, err);
	arena_free(&a);
	pcre2_code_free(plain.code);
	return rc;
}

int rename_add(struct renames *r, struct str text, struct err *err)
{
	struct rename *rule = calloc(1, sizeof(*rule));

	if (!rule || !(rule->text = strndup(text.p, text.n)) ||
	    vec_reserve(&r->rule, &r->cap, r->n + 1, sizeof(struct rename *))) {
		free_rule(rule);
		return err_no_memory(err, NULL);
	}
	if (compile(rule, err) || test_replacement(rule, err)) {
		free_rule(rule);
		return err->kind;
	}
	r->rule[r->n++] = rule;
	return 0;
}

void rename_clear(struct renames *r)
{
	for (size_t i = 0; i < r->n; i++)
		free_rule(r->rule[i]);
	free(r->rule);
	*r = (struct renames){0};
}

struct str rename_text(const struct renames *r, size_t i)
{
	return str_c(r->rule[i]->text);
}

int rename_apply(const struct renames *r, struct str name, struct arena *a,
		 struct str *out, struct err *err)
{
	*out = name;
	for (size_t i = 0; i < r->n; i++)
		if (rename_change(r->rule[i], *out, a, out, err))
			return err->kind;
	return 0;
}
