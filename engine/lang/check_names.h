/*
 * check_names.h - the names that a query may use: events, profiles, lets.
 */
#ifndef QUERN_CHECK_NAMES_H
#define QUERN_CHECK_NAMES_H

#include "engine/lang/parse.h"

struct result;
struct unit;

struct check_env {
	const struct str *events;     /* of the profile asked, with derived events */
	const struct str *long_names; /* [nevents]; NULL: not known */
	const struct unit *units;     /* [nevents] */
	size_t nevents;
	const char *event_scope; /* "this profile" */
	uint32_t event;		 /* of costs that name none */
	const struct str *profiles;
	size_t nprofiles;
	const struct result *last;  /* columns of `_`; NULL: no result yet */
	struct parse_limits limits; /* and the lets */
	bool safe;		    /* refuse ">" and "!" */
	bool others;		    /* not callgrind's: its options tell nothing more */
	bool set;		    /* many profiles: rows have the column `profile` */
};

/* The profile that `in` or `vs` names; ends the query if it does not exist. */
size_t check_profile(const struct check_env *env, struct str name, struct span at,
		     struct err *err);
/* The text for people: short values instead of $x and ${x:=...}. */
struct str check_with_values(const struct check_env *env, struct str text,
			     struct arena *a);
/* The number of an event by its recorded name, by this name without its unit if that is
 * unique ("Time" for "Time_(10ns)"), or by its long name. env->nevents: there is none. */
uint32_t check_find_event(const struct check_env *env, struct str name);
/* Report that there is no event of that name. */
void check_no_event(const struct check_env *env, struct str name, struct span at,
		    struct err *err);
/* The event with the most similar name, or env->nevents. */
size_t check_near_event(const struct check_env *env, struct str name);
/* Can Callgrind record this event, whether or not this profile has it? */
bool check_known_event(struct str name);
/* The name of an event for a query: without its unit if that is unique. */
struct str check_event_word(const struct check_env *env, uint32_t e);
/* Append s to a list of words in buf; " ..." replaces words that do not fit. */
void check_append(char *buf, size_t cap, struct str s);

#endif
