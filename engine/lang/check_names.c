/*
 * check_names.c - look up events, profiles and lets by name; see check_names.h.
 */
#include "engine/lang/check_names.h"

#include <stdio.h>
#include <string.h>
#include <strings.h>

#include "engine/lang/common_sets.h"
#include "engine/lang/keywords.h"
#include "engine/lang/token.h"
#include "index/base/arena.h"
#include "index/base/err.h"
#include "index/base/need.h"
#include "index/format/event.h"

void check_append(char *buf, size_t cap, struct str s)
{
	size_t n = strlen(buf);

	if (n + s.n + 5 < cap)
		snprintf(buf + n, cap - n, "%s%.*s", n ? " " : "", STR_ARG(s));
	else if (n + 5 < cap && (n < 4 || strcmp(buf + n - 4, " ...") != 0))
		snprintf(buf + n, cap - n, " ...");
}

static bool has_word(struct str s, struct str word)
{
	for (size_t i = 0; word.n && i + word.n <= s.n; i++)
		if (strncasecmp(s.p + i, word.p, word.n) == 0)
			return true;
	return false;
}

size_t check_near_event(const struct check_env *env, struct str name)
{
	/* cycles: of Cycle Estimation */
	const struct str one = {name.p, name.n - str_ends(name, STR("s"))};
	struct nearest near = nearest_to(name);
	size_t hit = env->nevents;

	for (size_t i = 0; i < env->nevents && one.n > 2; i++)
		if (has_word(env->events[i], one) ||
		    (env->long_names && has_word(env->long_names[i], one)))
			return i;
	for (size_t i = 0; i < env->nevents; i++)
		if (nearest_try(&near, env->events[i]))
			hit = i;
	return hit;
}

/* Is name the event without its unit?  A bare word cannot contain the unit. */
static bool without_unit(struct str event, struct str name)
{
	size_t n = event_unit_start(event);

	return n > 0 && n < event.n && str_eq((struct str){event.p, n}, name);
}

struct str check_event_word(const struct check_env *env, uint32_t e)
{
	struct str word = {env->events[e].p, event_unit_start(env->events[e])};

	return check_find_event(env, word) == e ? word : env->events[e];
}

/* Is this the name of the event as it was recorded?  In an index "_" stands for blanks
 * (event_word()). */
static bool as_recorded(struct str event, struct str name)
{
	size_t i = 0;

	while (i < event.n && event.n == name.n &&
	       (event.p[i] == name.p[i] || (event.p[i] == '_' && name.p[i] == ' ')))
		i++;
	return i == event.n && i == name.n;
}

uint32_t check_find_event(const struct check_env *env, struct str name)
{
	size_t found = env->nevents, n = 0;

	for (size_t i = 0; i < env->nevents; i++)
		if (as_recorded(env->events[i], name))
			return (uint32_t)i;
	for (size_t i = 0; i < env->nevents; i++)
		if (without_unit(env->events[i], name)) {
			found = i;
			n++;
		}
	for (size_t i = 0; !n && env->long_names && i < env->nevents; i++)
		if (name.n && str_eq(env->long_names[i], name))
			return (uint32_t)i;
	return (uint32_t)(n == 1 ? found : env->nevents);
}

/* The option that makes Callgrind record this event; NULL: not an event of Callgrind. */
static const char *event_option(struct str name)
{
	static const struct {
		const char *option, *events;
	} made_by[] = {
		{"--cache-sim=yes", " Dr Dw I1mr D1mr D1mw ILmr DLmr DLmw "},
		{"--branch-sim=yes", " Bc Bcm Bi Bim "},
		{"--cache-sim=yes --branch-sim=yes", " CEst "},
		{"--cacheuse=yes", " AcCost1 SpLoss1 AcCost2 SpLoss2 "},
		{"--simulate-wb=yes", " I1dmr D1dmr D1dmw ILdmr DLdmr DLdmw "},
		{"--collect-bus=yes", " Ge "},
		{"--collect-systime=yes", " sysCount sysTime "},
		{"--collect-systime=nsec", " sysCpuTime "},
	};
	char word[16];
	int n = snprintf(word, sizeof(word), " %.*s ", STR_ARG(name));

	if (n < 0 || (size_t)n >= sizeof(word))
		return NULL;
	for (size_t i = 0; i < sizeof(made_by) / sizeof(*made_by); i++)
		if (strstr(made_by[i].events, word))
			return made_by[i].option;
	return NULL;
}

bool check_known_event(struct str name)
{
	return event_option(name) != NULL;
}

void check_no_event(const struct check_env *env, struct str name, struct span at,
		    struct err *err)
{
	char list[400] = "";
	size_t near;

	for (size_t i = 0; i < env->nevents; i++)
		check_append(list, sizeof(list), env->events[i]);
	span_wrong(err, at, "no event '%.*s'; %s has %s", STR_ARG(name),
		   env->event_scope ? env->event_scope : "this profile", list);
	near = check_near_event(env, name);
	if (event_option(name) && !env->others)
		err_hint(err, "record it with valgrind --tool=callgrind %s",
			 event_option(name));
	else if (near < env->nevents)
		err_hint(err, "did you mean '%.*s'?",
			 STR_ARG(check_event_word(env, (uint32_t)near)));
}

size_t check_profile(const struct check_env *env, struct str name, struct span at,
		     struct err *err)
{
	char list[400] = "";
	struct nearest near = nearest_to(name);

	for (size_t i = 0; i < env->nprofiles; i++) {
		if (str_eq(env->profiles[i], name))
			return i;
		check_append(list, sizeof(list), env->profiles[i]);
		if (str_starts(env->profiles[i], name) && name.n) /* new of new.out */
			near.hit = env->profiles[i];
		else if (!near.hit.p)
			nearest_try(&near, env->profiles[i]);
	}
	span_wrong(err, at, "no profile is open under the name '%.*s'; open: %s",
		   STR_ARG(name), list[0] ? list : "none");
	if (!near.hit.p && str_find(name, '.') < name.n)
		need_hint(err,
			  "a file is opened under a name: .open base=%.*s, then vs base",
			  STR_ARG(name));
	if (near.hit.p)
		need_hint(err, "did you mean '%.*s'?", STR_ARG(near.hit));
	need_hint(err, "open one: .open NAME=FILE, or start with NAME=FILE");
}

/* The name after the "$" at byte `at`, and where it ends; empty: this is no value. */
static struct str value_name(struct str text, size_t at, size_t *end)
{
	const bool braces = at + 1 < text.n && text.p[at + 1] == '{';
	struct token_default d;
	size_t i = at + 1 + braces;
	const size_t start = i;

	if (token_default(text, at, &d)) {
		*end = d.end;
		return d.name;
	}
	while (i < text.n && token_is_word_byte(text.p[i]))
		i++;
	*end = i + braces;
	return braces && (i == text.n || text.p[i] != '}')
		       ? STR("")
		       : (struct str){text.p + start, i - start};
}

struct str check_with_values(const struct check_env *env, struct str text,
			     struct arena *a)
{
	enum { LONGEST = 60, LONGEST_TEXT = 4096 };
	struct str out = {"", 0}, rest = text;
	size_t at, end;

	if (text.n > LONGEST_TEXT)
		return text;
	while ((at = str_find(rest, '$')) < rest.n) {
		struct str name = value_name(rest, at, &end);
		const struct parse_value *let =
			name.n ? parse_find_value(&env->limits, name, false) : NULL;
		struct str value = {rest.p + at, 1};

		if (let && let->text.n <= LONGEST && let != common_set_find(name))
			value = let->text;
		else
			end = at + 1;
		out = need_printf(a, "%.*s%.*s%.*s", (int)out.n, out.p, (int)at, rest.p,
				  (int)value.n, value.p);
		rest = str_from(rest, end);
	}
	return out.n ? need_printf(a, "%.*s%.*s", (int)out.n, out.p, (int)rest.n, rest.p)
		     : text;
}
