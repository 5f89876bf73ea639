/*
 * check_names.h - the names that a query may use: events, profiles, lets.
 */
#ifndef QUERN_CHECK_NAMES_H
#define QUERN_CHECK_NAMES_H

#include "engine/lang/parse.h"
#include "engine/lang/result.h"
#include "index/base/err.h"

struct check_let {
	struct str name, text;
	bool is_set;
};

struct check_env {
	const struct str *events; /* of the profile asked, derived ones too */
	size_t nevents;
	const char *event_scope; /* "this profile" */
	uint32_t event;		 /* of unqualified costs */
	const struct str *profiles;
	size_t nprofiles;
	const struct check_let *lets;
	size_t nlets;
	const struct result *last; /* columns of `_`; NULL: no result yet */
	struct parse_limits limits;
	bool safe; /* refuse ">" and "!" */
};

/* The profile `in` or `vs` names; env->nprofiles when there is none (err is set). */
size_t check_profile(const struct check_env *env, struct str name, struct span at,
		     struct err *err);
/* NULL: there is none. */
const struct check_let *check_let_find(const struct check_env *env, struct str name,
				       bool is_set);
/* Event number; env->nevents when there is none, or more than one but for their units. */
uint32_t check_find_event(const struct check_env *env, struct str name);
/* The same, with err set. */
uint32_t check_event(const struct check_env *env, struct str name, struct span at,
		     struct err *err);
/* The event whose name is most like it, or env->nevents. */
size_t check_near_event(const struct check_env *env, struct str name);
/* An event that callgrind can record, whether or not this profile has it. */
bool check_known_event(struct str name);
/* The event's name as a query can have it: without its unit where that is enough. */
struct str check_event_word(const struct check_env *env, uint32_t e);
/* The aggregates of `group`. */
bool is_aggregate(struct str name);
/* Append to a list of words that fits buf; " ..." stands for the rest. */
void check_append(char *buf, size_t cap, struct str s);

#endif
