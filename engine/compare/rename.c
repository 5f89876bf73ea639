/*
 * rename.c - rules s/RE/TO/, which match_replace() applies; see rename.h.
 *
 *	s/^old_//	old_parse -> parse, so that it is compared with parse
 *
 * Rules are applied in their order, each to what the one before it left.  A rule is wrong or
 * right when it is given, not in the middle of a comparison of a million names; so its
 * replacement is tried at once.
 */
#include "engine/compare/rename.h"

#include <stdlib.h>
#include <string.h>

#include "engine/names/match.h"
#include "index/base/arena.h"
#include "index/base/err.h"
#include "index/base/vec.h"

enum { RULE_BYTES = 64 << 20 }; /* of what PCRE2 needs to match one name */

struct rename {
	char *text; /* as given */
	struct str to;
	struct match *match;
	struct arena a; /* of match */
};

static void free_rule(struct rename *rule)
{
	if (!rule)
		return;
	match_free(rule->match);
	arena_free(&rule->a);
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

/* An error about a rule names the rule. */
static int fails(const struct rename *rule, struct err *err)
{
	const struct err why = *err;

	err_clear(err);
	err_set(err, why.kind == ERR_QUERY ? ERR_USAGE : (int)why.kind, 0, "%s: %s",
		rule->text, why.text);
	return why.hint[0] ? err_hint(err, "%s", why.hint) : err->kind;
}

/* PCRE2 looks at the replacement when something matches: "RE|" matches no text, too. */
static int test_replacement(const struct rename *rule, struct match_atom atom,
			    struct err *err)
{
	struct match *any = NULL;
	struct arena a;
	struct str out;
	int rc;

	arena_init(&a, RULE_BYTES);
	atom.text = arena_printf(&a, "%.*s|", STR_ARG(atom.text));
	rc = !atom.text.p
		     ? arena_full(&a, err)
		     : match_new(&atom, &a, &any, err) ||
			       match_replace(any, STR(""), rule->to, 0, &a, &out, err);
	match_free(any);
	arena_free(&a);
	return rc;
}

static int compile(struct rename *rule, struct err *err)
{
	struct match_atom atom = {.form = MATCH_REGEX, .once = true};
	struct str part[3];

	if (!rename_split(str_c(rule->text), part))
		return wrong_form(str_c(rule->text), err);
	for (size_t i = 0; i < part[2].n; i++) {
		if (!strchr("gi", part[2].p[i]))
			return wrong_form(str_c(rule->text), err);
		atom.once &= part[2].p[i] != 'g';
		atom.nocase |= part[2].p[i] == 'i';
	}
	atom.text = part[0];
	rule->to = part[1];
	return match_new(&atom, &rule->a, &rule->match, err) ||
			       test_replacement(rule, atom, err)
		       ? fails(rule, err)
		       : 0;
}

int rename_add(struct renames *r, struct str text, struct err *err)
{
	struct rename *rule = calloc(1, sizeof(*rule));

	if (!rule || !(rule->text = strndup(text.p, text.n)) ||
	    vec_reserve(&r->rule, &r->cap, r->n + 1, sizeof(struct rename *))) {
		free_rule(rule);
		return err_no_memory(err, NULL);
	}
	arena_init(&rule->a, RULE_BYTES);
	if (compile(rule, err)) {
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
		if (match_replace(r->rule[i]->match, *out, r->rule[i]->to, 0, a, out,
				  err))
			return fails(r->rule[i], err);
	return 0;
}
